//! The picture of a figure, through resvg: the fonts are those that the machine has.

use std::collections::BTreeSet;

use image::RgbImage;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Px of the picture for each px of the figure: print wants more than a screen.
const SCALE: f32 = 2.0;
/// Names of sans-serif families, the first that the machine has is taken; else its first font.
const FAMILIES: [&str; 5] = ["DejaVu Sans", "Noto Sans", "Liberation Sans", "Arial", "Helvetica"];

/// The picture, and what is to be told of letters that no font has.
pub fn raster(svg: &str) -> Result<(RgbImage, Option<String>), String> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let first = || fonts.faces().next().and_then(|face| face.families.first()).map(|family| family.0.clone());
    let family = FAMILIES.iter().find(|family| has(fonts, family)).map(|f| (*f).to_owned()).or_else(first);
    let Some(family) = family else {
        return Err("no font is installed; write .svg instead, or install one (fonts-dejavu-core)".into());
    };
    fonts.set_sans_serif_family(family);
    let lacking = lacking(svg, fonts);
    let tree = Tree::from_str(svg, &options).map_err(|e| e.to_string())?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("the figure has no size")?;
    let mut pixmap = Pixmap::new(size.width(), size.height()).ok_or("the figure is too large for a picture")?;
    pixmap.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
    // On white nothing is transparent.
    let image = RgbImage::from_fn(size.width(), size.height(), |x, y| {
        let colour = pixmap.pixel(x, y).map_or([255; 3], |p| [p.red(), p.green(), p.blue()]);
        image::Rgb(colour)
    });
    let told = (!lacking.is_empty()).then(|| {
        let letters: String = lacking.iter().take(20).collect();
        format!(
            "no installed font has the letters {letters}: they are boxes in the picture; write .svg, or install a font"
        )
    });
    Ok((image, told))
}

fn has(fonts: &fontdb::Database, family: &str) -> bool {
    fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == family))
}

/// The letters of a text that no font has.
fn lacking(text: &str, fonts: &fontdb::Database) -> BTreeSet<char> {
    let mut letters: BTreeSet<char> = text.chars().filter(|c| !c.is_ascii()).collect();
    for face in fonts.faces() {
        if letters.is_empty() {
            break;
        }
        let has = fonts.with_face_data(face.id, |data, index| {
            let face = ttf_parser::Face::parse(data, index).ok()?;
            Some(letters.iter().copied().filter(|c| face.glyph_index(*c).is_some()).collect::<Vec<char>>())
        });
        for letter in has.flatten().into_iter().flatten() {
            letters.remove(&letter);
        }
    }
    letters
}
