//! One frame: what the tables tell of it, drawn on its picture.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use image::RgbImage;

use super::canvas::{self, Area, Colour};
use super::captions;
use super::letters::{Letters, Setting};
use super::rows::Rows;
use super::seen::{BODY_BONES, Body, Face, Hand, Point};
use super::talk::Talk;
use crate::error::Result;
use crate::time::Seconds;

/// Colours of persons in turn, which the colour-blind tell apart on a dark ground (Okabe and Ito 2008, the dark ones
/// made lighter).
const COLOURS: [Colour; 7] =
    [[86, 180, 233], [230, 159, 0], [0, 200, 145], [240, 228, 66], [255, 130, 90], [225, 140, 190], [130, 160, 255]];
/// Of a face that is nobody's, and of words that are nobody's in the picture.
const NOBODY: Colour = [190, 190, 190];
/// The ground that words stand on.
pub(super) const GROUND: Colour = [12, 12, 16];
pub(super) const GROUND_ALPHA: f32 = 0.62;
pub(super) const WORDS: Colour = [255, 255, 255];
const DARK: Colour = [0, 0, 0];
const SMILE: Colour = [255, 221, 85];
const GAZE: Colour = [255, 80, 80];
/// Before the name of the one who speaks: a shape, since colours alone do not tell everybody.
const SPEAKS: &str = "▶ ";
/// Behind the bar of one who smiles by the table `smiles`.
const SMILES: &str = "☺";
/// Narrower faces are shown without their mesh.
const LEAST_MESH_PX: f32 = 48.0;
/// Iris centres among the mesh: the image's left eye, then right.
const IRISES: [usize; 2] = [468, 473];

/// Sizes that follow from the picture's: letters on a small one must be read, and on a large one not cover it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    /// Of letters, in pixels.
    pub text: f32,
    /// Of the lines of boxes and bodies.
    pub line: f32,
    /// Space around words.
    pub pad: f32,
}

impl Sizes {
    /// Letters grow with the shorter side to the power 0.63: 11 px of 240, 22 of 720, 44 of 2160.
    pub fn of(width: u32, height: u32) -> Self {
        let side = width.min(height).max(1) as f32;
        let text = (11.0 * (side / 240.0).powf(0.631)).clamp(9.0, 60.0).round();
        Sizes { text, line: (text / 9.0).max(1.0).round(), pad: (text / 4.0).round() }
    }
}

/// What is drawn besides faces and bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Words, clock and level too.
    Film,
    /// People only: the words stand below a still.
    Still,
}

/// The tables of an interview, read on as frames are drawn. Frames must come in order of time.
pub struct Painter {
    pub(super) letters: Letters,
    pub(super) talk: Talk,
    faces: Option<Rows<Face>>,
    bodies: Option<Rows<Body>>,
    hands: Option<Rows<Hand>>,
    voice: Option<Rows<f32>>,
}

/// The tables that are read as the film goes on.
pub const TABLES: [&str; 4] = ["faces", "bodies", "hands", "voice"];

impl Painter {
    /// Reads the tables that are there, for frames from `from` on.
    ///
    /// # Errors
    /// As [`crate::store::read::read`].
    pub fn open(tables: &BTreeMap<&str, PathBuf>, from: Seconds, letters: Letters) -> Result<Self> {
        let from = from.get();
        let path = |name: &str| tables.get(name).map(PathBuf::as_path);
        let level = |t: &crate::store::read::StoredTable, row: usize| {
            Some((t.number("time_secs", row)?, t.number("level_db", row)? as f32))
        };
        let voice = |p: &Path| Rows::open(p, |c| ["time_secs", "level_db"].contains(&c), from, level);
        Ok(Painter {
            letters,
            talk: Talk::read(tables)?,
            faces: path("faces").map(|p| Rows::open(p, Face::reads, from, Face::row)).transpose()?,
            bodies: path("bodies").map(|p| Rows::open(p, Body::reads, from, Body::row)).transpose()?,
            hands: path("hands").map(|p| Rows::open(p, Hand::reads, from, Hand::row)).transpose()?,
            voice: path("voice").map(voice).transpose()?,
        })
    }

    /// Draws what the tables tell of `pts` on a picture that is `scale` times as large as the film's.
    ///
    /// # Errors
    /// As [`crate::store::read::read`].
    pub fn paint(&mut self, picture: &mut RgbImage, pts: Seconds, scale: f32, extent: Extent) -> Result<()> {
        let secs = pts.get();
        let sizes = Sizes::of(picture.width(), picture.height());
        let near = |to: Option<Point>| to.map(|[x, y]| [scale * x, scale * y]);
        if let Some(bodies) = &mut self.bodies {
            for body in bodies.at(secs)? {
                let colour = colour(&self.talk, body.person.as_deref());
                bones(
                    picture,
                    &body.points.iter().map(|p| near(*p)).collect::<Vec<_>>(),
                    &BODY_BONES,
                    sizes.line,
                    colour,
                );
            }
        }
        if let Some(hands) = &mut self.hands {
            for hand in hands.at(secs)? {
                let colour = colour(&self.talk, hand.person.as_deref());
                let thin = (0.7 * sizes.line).max(1.0);
                bones(picture, &hand.points.iter().map(|p| near(*p)).collect::<Vec<_>>(), hand.bones(), thin, colour);
            }
        }
        let mut taken = Vec::new();
        if extent == Extent::Film {
            let level = match &mut self.voice {
                // The loudest of 50 ms: what is heard while the picture stands.
                Some(voice) => Some(voice.around(secs, 0.025)?.copied().fold(f32::NEG_INFINITY, f32::max)),
                None => None,
            };
            taken.push(captions::clock(picture, &mut self.letters, sizes, secs, level));
            taken.extend(captions::captions(picture, self, sizes, secs));
        }
        let faces: Vec<Face> = match &mut self.faces {
            Some(faces) => faces.at(secs)?.cloned().collect(),
            None => Vec::new(),
        };
        let speaking: Vec<String> = self.talk.speaking(secs).into_iter().map(str::to_owned).collect();
        let speaks = |face: &Face| face.person.as_deref().is_some_and(|p| speaking.iter().any(|s| s == p));
        for face in &faces {
            self.mesh(picture, face, scale, sizes);
            let thick = if speaks(face) { 2.5 * sizes.line } else { sizes.line }.round();
            // A thick edge grows outwards: what is inside the box stays seen.
            let Area { left, top, width, height } = area(face, scale);
            let out = thick - sizes.line;
            let edge = Area { left: left - out, top: top - out, width: width + 2.0 * out, height: height + 2.0 * out };
            canvas::frame(picture, edge, thick, colour(&self.talk, face.person.as_deref()));
        }
        for face in &faces {
            self.tag(picture, (face, speaks(face)), scale, sizes, &mut taken);
        }
        for face in &faces {
            self.smile_bar(picture, face, scale, sizes, secs);
        }
        Ok(())
    }

    fn mesh(&self, picture: &mut RgbImage, face: &Face, scale: f32, sizes: Sizes) {
        let colour = colour(&self.talk, face.person.as_deref());
        let width = scale * face.bounds[2];
        let points: Vec<Point> = face.points().map(|[x, y]| [scale * x, scale * y]).collect();
        // On a small face the mesh would be all that is seen.
        for point in points.iter().filter(|_| width >= LEAST_MESH_PX) {
            canvas::dot(picture, *point, (sizes.line / 2.0).max(1.4), colour);
        }
        let (Some([yaw, pitch]), true) = (face.gaze, points.len() > IRISES[1]) else { return };
        // As long as the face is wide for a gaze at a right angle to the camera's line.
        let reach = |deg: f32| 1.5 * width * deg.to_radians().sin();
        let thick = sizes.line.min(width / 30.0).max(1.0);
        for [x, y] in IRISES.map(|iris| points[iris]) {
            canvas::line(picture, [x, y], [x + reach(yaw), y - reach(pitch)], thick, GAZE);
        }
    }

    /// The name above the box, below it where there is no room, else inside; `taken`: where words stand already.
    fn tag(
        &mut self,
        picture: &mut RgbImage,
        (face, speaks): (&Face, bool),
        scale: f32,
        sizes: Sizes,
        taken: &mut Vec<Area>,
    ) {
        let own = colour(&self.talk, face.person.as_deref());
        let name = match face.person.as_deref() {
            Some(person) => self.talk.name(person).to_owned(),
            None => format!("track {}", face.track),
        };
        let (words, mark, ground, alpha) =
            if speaks { (DARK, SPEAKS, own, 0.92) } else { (own, "", GROUND, GROUND_ALPHA) };
        let size = if face.person.is_some() { sizes.text } else { (0.75 * sizes.text).round() };
        let laid = self.letters.lay(&[(mark, words), (name.as_str(), words)], Setting { size, width: None });
        let Some(line) = laid.lines.first() else { return };
        let around = area(face, scale);
        let (width, height) = (line.width + 2.0 * sizes.pad, laid.leading);
        let (full_width, full_height) = (picture.width() as f32, picture.height() as f32);
        let left = around.left.min(full_width - width).max(0.0).round();
        // Below a box stands its bar.
        let below = around.bottom() + bar_height(sizes) + 2.0 * sizes.line;
        let places =
            [around.top - height - 2.0 * sizes.line, below, around.top + sizes.line, around.top - 2.0 * height];
        let plates = places.map(|top| Area { left, top: top.round(), width, height });
        let is_free =
            |plate: &Area| plate.is_within(full_width, full_height) && !taken.iter().any(|other| other.overlaps(plate));
        let inside = Area { top: plates[2].top.clamp(0.0, (full_height - height).max(0.0)), ..plates[2] };
        let plate = plates.into_iter().find(is_free).unwrap_or(inside);
        canvas::fill(picture, plate, ground, alpha);
        self.letters.draw(picture, line, (plate.left + sizes.pad, plate.top));
        taken.push(plate);
    }

    fn smile_bar(&mut self, picture: &mut RgbImage, face: &Face, scale: f32, sizes: Sizes, secs: f64) {
        let Some(smile) = face.smile else { return };
        let around = area(face, scale);
        let height = bar_height(sizes);
        let bar = Area { left: around.left, top: around.bottom() + sizes.line, width: around.width, height };
        canvas::fill(picture, bar, GROUND, GROUND_ALPHA);
        let inner = Area {
            left: bar.left + 1.0,
            top: bar.top + 1.0,
            width: (bar.width - 2.0) * smile.clamp(0.0, 1.0),
            height: bar.height - 2.0,
        };
        canvas::fill(picture, inner, SMILE, 0.95);
        let smiles = face.person.as_deref().is_some_and(|p| self.talk.smiles(p, secs));
        if smiles {
            let laid = self.letters.lay(&[(SMILES, SMILE)], Setting { size: 1.3 * sizes.text, width: None });
            if let Some(line) = laid.lines.first() {
                let (left, top) = (bar.right() + sizes.line, bar.top + height / 2.0 - laid.leading / 2.0);
                let plate = Area { left, top, width: line.width + sizes.pad, height: laid.leading };
                canvas::fill(picture, plate, GROUND, GROUND_ALPHA);
                self.letters.draw(picture, line, (left + sizes.pad / 2.0, top));
            }
        }
    }
}

/// The colour of a person, or of nobody.
pub(super) fn colour(talk: &Talk, person: Option<&str>) -> Colour {
    person.and_then(|p| talk.position(p)).map_or(NOBODY, |at| COLOURS[at % COLOURS.len()])
}

fn bar_height(sizes: Sizes) -> f32 {
    (0.45 * sizes.text).round().max(4.0)
}

fn area(face: &Face, scale: f32) -> Area {
    let [left, top, width, height] = face.bounds.map(|x| (x * scale).round());
    Area { left, top, width, height }
}

fn bones(picture: &mut RgbImage, points: &[Option<Point>], joined: &[(usize, usize)], thick: f32, colour: Colour) {
    let bone = |(a, b): &(usize, usize)| Some(((*points.get(*a)?)?, (*points.get(*b)?)?, thick));
    let joints = points.iter().flatten().map(|at| (*at, *at, 1.8 * thick));
    canvas::strokes(picture, &joined.iter().filter_map(bone).chain(joints).collect::<Vec<_>>(), colour);
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::store::parquet::{FileMetadata, write};
    use crate::table::{ColumnSpec, Kind, TableBuilder, TableSchema};
    use image::Rgb;

    /// A folder of tables, each of the columns that are set.
    struct Tables(tempfile::TempDir, BTreeMap<&'static str, PathBuf>);

    impl Tables {
        fn new() -> Self {
            Tables(tempfile::tempdir().unwrap(), BTreeMap::new())
        }

        fn add(&mut self, name: &'static str, columns: &[(&'static str, Kind)], fill: impl FnOnce(&mut TableBuilder)) {
            let columns = columns.iter().map(|(name, kind)| ColumnSpec::new(*name, *kind, "", "")).collect();
            let mut table = TableBuilder::new(TableSchema { name, description: "", columns });
            fill(&mut table);
            let path = self.0.path().join(format!("{name}.parquet"));
            write(&path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
            self.1.insert(name, path);
        }

        fn painter(&self) -> Painter {
            Painter::open(&self.1, Seconds::ZERO, Letters::new(&[], false).unwrap()).unwrap()
        }
    }

    /// A face of each of two persons at 1 s; P2 talks, P1 smiles.
    fn two() -> Tables {
        let mut tables = Tables::new();
        let number = |name| (name, Kind::F64);
        let columns = [
            number("pts_secs"),
            ("track_id", Kind::I64),
            ("person", Kind::Str),
            number("box_left_px"),
            number("box_top_px"),
            number("box_width_px"),
            number("box_height_px"),
            number("blendshape_mouthSmileLeft"),
            number("blendshape_mouthSmileRight"),
        ];
        tables.add("faces", &columns, |t| {
            for (k, left) in [100.0, 400.0].into_iter().enumerate() {
                t.row().set("pts_secs", 1.0).set("track_id", k + 1).set("person", format!("P{}", k + 1));
                t.set("box_left_px", left)
                    .set("box_top_px", 150.0)
                    .set("box_width_px", 120.0)
                    .set("box_height_px", 140.0);
                let smile = if k == 0 { 0.5 } else { 0.0 };
                t.set("blendshape_mouthSmileLeft", smile).set("blendshape_mouthSmileRight", smile);
            }
        });
        tables.add("tracks", &[("person", Kind::Str)], |t| {
            t.row().set("person", "P2");
            t.row().set("person", "P1");
        });
        let spoken = [number("start_secs"), number("end_secs"), ("person", Kind::Str)];
        tables.add("speech", &spoken, |t| {
            t.row().set("start_secs", 0.5).set("end_secs", 2.0).set("person", "P2");
        });
        let smiles = [number("onset_secs"), number("end_secs"), ("person", Kind::Str)];
        tables.add("smiles", &smiles, |t| {
            t.row().set("onset_secs", 0.5).set("end_secs", 2.0).set("person", "P1");
        });
        tables
    }

    fn painted(tables: &Tables, extent: Extent) -> RgbImage {
        let mut picture = RgbImage::from_pixel(640, 360, Rgb([60, 60, 60]));
        tables.painter().paint(&mut picture, Seconds::of(1.02), 1.0, extent).unwrap();
        picture
    }

    fn count(picture: &RgbImage, area: Area, colour: Colour) -> usize {
        let inside = |x: u32, y: u32| {
            let (x, y) = (x as f32, y as f32);
            area.left <= x && x < area.right() && area.top <= y && y < area.bottom()
        };
        picture.enumerate_pixels().filter(|(x, y, p)| inside(*x, *y) && p.0 == colour).count()
    }

    #[test]
    fn the_one_who_speaks_has_a_thick_box_a_filled_name_and_a_mark() {
        let picture = painted(&two(), Extent::Still);
        let sizes = Sizes::of(640, 360);
        // Persons by name, not by the row they come in.
        let (first, second) = (COLOURS[0], COLOURS[1]);
        let edge = |left: f32| Area { left: left - 8.0, top: 200.0, width: 20.0, height: 1.0 };
        assert_eq!(count(&picture, edge(100.0), first), sizes.line as usize);
        assert_eq!(count(&picture, edge(400.0), second), (2.5 * sizes.line).round() as usize);
        // The ground of the name: the speaker's own colour, mixed with a little of the picture.
        let lit = |left: u32| {
            let near = |p: &Rgb<u8>| p.0.iter().zip(second).all(|(a, b)| a.abs_diff(b) < 20);
            (left..left + 60)
                .flat_map(|x| (128..148).map(move |y| (x, y)))
                .filter(|(x, y)| near(picture.get_pixel(*x, *y)))
                .count()
        };
        assert!(lit(400) > 300 && lit(100) == 0, "{} {}", lit(400), lit(100));
        // The triangle is dark and wide where a name's first letter is not.
        let dark = (400..418_u32).flat_map(|x| (129..144_u32).map(move |y| (x, y)));
        let dark = dark.filter(|(x, y)| picture.get_pixel(*x, *y).0.iter().all(|c| *c < 40)).count();
        assert!(dark > 40, "{dark}");
    }

    #[test]
    fn smiles_fill_their_bar_and_nothing_is_drawn_far_from_an_instant() {
        let tables = two();
        let picture = painted(&tables, Extent::Still);
        let bar = |left| Area { left, top: 290.0, width: 121.0, height: 12.0 };
        let warm = |left| {
            let Area { left, top, width, height } = bar(left);
            let near = |p: &Rgb<u8>| p.0[0] > 220 && p.0[1] > 190 && p.0[2] < 120;
            let xs = left as u32..(left + width) as u32;
            xs.flat_map(|x| (top as u32..(top + height) as u32).map(move |y| (x, y)))
                .filter(|(x, y)| near(picture.get_pixel(*x, *y)))
                .count()
        };
        let full = 118 * (bar_height(Sizes::of(640, 360)) as usize - 2);
        assert!(warm(100.0).abs_diff(full / 2) < full / 8 && warm(400.0) == 0, "{} of {full}", warm(100.0));
        let mut blank = RgbImage::from_pixel(640, 360, Rgb([60, 60, 60]));
        tables.painter().paint(&mut blank, Seconds::of(1.2), 1.0, Extent::Still).unwrap();
        assert!(blank.pixels().all(|p| p.0 == [60; 3]), "no row is near 1.2 s");
        // The same again is the same.
        assert_eq!(painted(&tables, Extent::Film), painted(&tables, Extent::Film));
    }

    #[test]
    fn a_body_and_a_hand_are_drawn_in_their_persons_colour_and_guesses_are_not() {
        let mut tables = two();
        let mut columns = vec![("pts_secs", Kind::F64), ("person", Kind::Str)];
        for name in ["left_shoulder", "right_shoulder", "left_elbow", "nose"] {
            for suffix in ["x_px", "y_px", "visibility"] {
                columns.push((&*String::leak(format!("{name}_{suffix}")), Kind::F64));
            }
        }
        tables.add("bodies", &columns, |t| {
            t.row().set("pts_secs", 1.0).set("person", "P2");
            for (name, x, y, seen) in [
                ("left_shoulder", 580.0, 200.0, 0.9),
                ("right_shoulder", 620.0, 200.0, 0.9),
                ("left_elbow", 580.0, 300.0, 0.2),
            ] {
                t.set(&format!("{name}_x_px"), x).set(&format!("{name}_y_px"), y);
                t.set(&format!("{name}_visibility"), seen);
            }
        });
        let all = [("pts_secs", Kind::F64), ("person", Kind::Str), ("landmarks_px", Kind::F32List)];
        tables.add("hands", &all, |t| {
            // The 21 points on a line from 20, 40 to 40, 40.
            let points: Vec<f32> = (0..21).flat_map(|k| [20.0 + k as f32, 40.0, 0.0]).collect();
            t.row().set("pts_secs", 1.0).set("person", "P1").set("landmarks_px", points);
        });
        let picture = painted(&tables, Extent::Still);
        assert_eq!((picture.get_pixel(600, 200).0, picture.get_pixel(580, 250).0), (COLOURS[1], [60; 3]));
        assert_eq!(picture.get_pixel(30, 40).0, COLOURS[0]);
    }

    #[test]
    fn letters_are_read_on_small_pictures_and_cover_little_of_large_ones() {
        let text = |w, h| Sizes::of(w, h).text;
        assert_eq!((text(320, 240), text(1280, 720), text(3840, 2160)), (11.0, 22.0, 44.0));
        assert_eq!(text(360, 640).to_bits(), text(640, 360).to_bits());
        assert_eq!(text(64, 48).to_bits(), 9.0f32.to_bits());
        assert!(text(3840, 2160) / 2160.0 < text(320, 240) / 240.0);
    }
}
