//! The layout of a shot: one camera's picture, or tiles of several cameras side by side.
//!
//! Tiles are divided by straight upright and level edges that stand still through the shot and that nothing crosses. A
//! door frame is straight and still too; but somebody or something stands before a part of it, and it ends without a
//! corner. So an edge divides two faces when it runs without a break along at least one of them, from above the head
//! to below the shoulders, and ends at the picture's border or at a still edge that runs on across that face.

use std::collections::BTreeMap;
use std::ops::Range;

use image::RgbImage;

use super::sequence::Change;
use super::{BoundingBox, Faces};
use crate::error::Result;
use crate::time::Seconds;

/// The picture is looked at on a grid of at most so many points across and down.
const MOST_ACROSS: usize = 640;
const MOST_DOWN: usize = 360;
/// Pictures at least this far apart are looked at: what stands still does so for longer.
const EVERY_SECS: f64 = 0.19;
/// Fewer pictures tell nothing of what stands still.
const LEAST_PICTURES: u32 = 3;
/// A line may miss so much of its length, as where a title lies over it; shorter lines than a fifth of the picture's
/// side divide nothing.
const GAP_SHARE: f64 = 0.03;
const LEAST_SHARE: f64 = 0.2;
/// A line ends at the border of the picture or at another line when it comes as near as this share of the side.
const MEETS_SHARE: f32 = 0.04;
/// A line runs along a face when it reaches so many face heights (widths) beyond it before and after: half a head above
/// it, the shoulders below; likewise on both sides of it for level lines.
const BEYOND: (f32, f32) = (0.5, 1.0);

/// What a shot shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ShotLayout {
    /// No still edge divides the faces: one camera's picture, as far as can be seen.
    OneCamera,
    /// Two tiles with faces.
    SplitScreen,
    /// More tiles than two.
    Gallery,
}

impl ShotLayout {
    /// The value in the tables.
    pub fn name(self) -> &'static str {
        match self {
            ShotLayout::OneCamera => "one_camera",
            ShotLayout::SplitScreen => "split_screen",
            ShotLayout::Gallery => "gallery",
        }
    }
}

/// A straight edge that stands still, in px: upright at x = `at`, or level at y = `at`.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Line {
    /// Upright or level.
    pub upright: bool,
    /// Where.
    pub at: f32,
    /// Its ends along the other axis.
    pub from: f32,
    /// See `from`.
    pub to: f32,
}

/// One shot of the video.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shot {
    /// Its first frame.
    pub first_pts: Seconds,
    /// Width and height of the picture, px.
    pub size: (f32, f32),
    /// Edges that stand still; `None` where the shot is too short to tell.
    pub lines: Option<Vec<Line>>,
    /// `None` where that cannot be told.
    pub layout: Option<ShotLayout>,
}

impl Shot {
    /// True when two faces are in different tiles; `None` where the shot is too short to tell.
    pub fn apart(&self, a: BoundingBox, b: BoundingBox) -> Option<bool> {
        let lines = self.lines.as_ref()?;
        let between = |line: &&Line| {
            let middle = |face: BoundingBox| if line.upright { face.centre().0 } else { face.centre().1 };
            let (low, high) = (middle(a).min(middle(b)), middle(a).max(middle(b)));
            low < line.at && line.at < high
        };
        Some(lines.iter().filter(between).any(|line| self.divides(line, a) || self.divides(line, b)))
    }

    /// Left, top, right and bottom of the part of the picture that a face's own camera shows: its tile, where the
    /// picture is divided, else all of it.
    pub fn tile(&self, face: BoundingBox) -> [f32; 4] {
        let mut tile = [0.0, 0.0, self.size.0, self.size.1];
        if !matches!(self.layout, Some(ShotLayout::SplitScreen | ShotLayout::Gallery)) {
            return tile;
        }
        let (x, y) = face.centre();
        for line in self.lines.iter().flatten().filter(|line| self.divides(line, face)) {
            let (k, middle) = if line.upright { (0, x) } else { (1, y) };
            if line.at <= middle {
                tile[k] = line.at.max(tile[k]);
            } else {
                tile[k + 2] = line.at.min(tile[k + 2]);
            }
        }
        tile
    }

    /// Whether a line is a side of the tile of a face.
    fn divides(&self, line: &Line, face: BoundingBox) -> bool {
        let (start, side, length) =
            if line.upright { (face.top, face.height, self.size.1) } else { (face.left, face.width, self.size.0) };
        let beyond = if line.upright { BEYOND } else { (BEYOND.1, BEYOND.1) };
        let near = MEETS_SHARE * length;
        let (first, last) = ((start - beyond.0 * side).max(0.0), (start + side + beyond.1 * side).min(length));
        let along = line.from <= first + near && line.to >= last - near;
        let ends = |end: f32| end <= near || end >= length - near || self.corner(line, end, face);
        along && ends(line.from) && ends(line.to)
    }

    /// Whether a line across the face's side meets this one at its `end`.
    fn corner(&self, line: &Line, end: f32, face: BoundingBox) -> bool {
        let (side, length, (low, high)) = if line.upright {
            (self.size.0, self.size.1, (face.left, face.right()))
        } else {
            (self.size.1, self.size.0, (face.top, face.bottom()))
        };
        let (across, near) = (MEETS_SHARE * side, MEETS_SHARE * length);
        let lines = self.lines.iter().flatten().filter(|l| l.upright != line.upright);
        lines.into_iter().any(|l| {
            (l.at - end).abs() <= near && l.from <= low.min(line.at) + across && l.to >= high.max(line.at) - across
        })
    }

    /// Sets the layout by the faces that were seen in the shot.
    pub(super) fn arrange(&mut self, faces: &[BoundingBox]) {
        if self.lines.is_none() {
            return;
        }
        let mut tiles: Vec<BoundingBox> = Vec::new();
        for face in faces {
            if tiles.iter().all(|t| self.apart(*t, *face) == Some(true)) {
                tiles.push(*face);
            }
        }
        self.layout = Some(match tiles.len() {
            0 | 1 => ShotLayout::OneCamera,
            2 => ShotLayout::SplitScreen,
            _ => ShotLayout::Gallery,
        });
    }
}

/// Counts in how many pictures of a shot there is an edge at each place.
#[derive(Clone, Debug)]
struct Edges {
    first: Seconds,
    last: Option<Seconds>,
    pictures: u32,
    size: (u32, u32),
    /// Points across and down, and the px from one to the next.
    points: (usize, usize),
    step: (usize, usize),
    /// Between a point and the next one to its right, and the next one below.
    right: Vec<u32>,
    below: Vec<u32>,
}

impl Edges {
    fn new(first: Seconds, (width, height): (u32, u32)) -> Self {
        let step = |side: u32, most: usize| (side as usize).div_ceil(most).max(1);
        let step = (step(width, MOST_ACROSS), step(height, MOST_DOWN));
        let points = ((width as usize).div_ceil(step.0), (height as usize).div_ceil(step.1));
        let none = vec![0; points.0 * points.1];
        let size = (width, height);
        Edges { first, last: None, pictures: 0, size, points, step, right: none.clone(), below: none }
    }

    fn take(&mut self, picture: &RgbImage, now: Seconds, contrast: f32) {
        if picture.dimensions() != self.size || self.last.is_some_and(|last| (now - last).get() < EVERY_SECS) {
            return;
        }
        (self.last, self.pictures) = (Some(now), self.pictures + 1);
        let (across, down) = self.points;
        let least = (contrast * 255.0).round() as i16;
        let (mut here, mut next) = (Row::new(across), Row::new(across));
        here.read(picture, 0, self.step.0);
        for j in 0..down {
            let right = &mut self.right[j * across..(j + 1) * across];
            here.count_apart(0..across.saturating_sub(1), &here, 1, least, right);
            if j + 1 < down {
                next.read(picture, (j + 1) * self.step.1, self.step.0);
                here.count_apart(0..across, &next, 0, least, &mut self.below[j * across..(j + 1) * across]);
                std::mem::swap(&mut here, &mut next);
            }
        }
    }

    fn shot(&self, still_share: f64) -> Shot {
        let lines = (self.pictures >= LEAST_PICTURES).then(|| {
            let least = (still_share * f64::from(self.pictures)).ceil() as u32;
            let (across, down) = self.points;
            let (dx, dy) = (self.step.0 as f32, self.step.1 as f32);
            let upright = |i: usize, j: usize| self.right[j * across + i] >= least;
            let level = |j: usize, i: usize| self.below[j * across + i] >= least;
            let mut lines = lines_of(true, (across, down), (dx, dy), upright);
            lines.extend(lines_of(false, (down, across), (dy, dx), level));
            lines
        });
        let size = (self.size.0 as f32, self.size.1 as f32);
        Shot { first_pts: self.first, size, lines, layout: None }
    }
}

/// The points of one row of the grid, a plane for each colour: what is compared lies side by side.
struct Row([Vec<u8>; 3]);

impl Row {
    fn new(across: usize) -> Self {
        Row([vec![0; across], vec![0; across], vec![0; across]])
    }

    /// Row `y` of the picture, every `step`th pixel.
    fn read(&mut self, picture: &RgbImage, y: usize, step: usize) {
        let width = 3 * picture.width() as usize;
        let row = picture.as_raw().get(y * width..(y + 1) * width).unwrap_or_default();
        let pixels = row.as_chunks::<3>().0.iter().step_by(step);
        let [red, green, blue] = &mut self.0;
        for (((red, green), blue), pixel) in red.iter_mut().zip(green).zip(blue).zip(pixels) {
            (*red, *green, *blue) = (pixel[0], pixel[1], pixel[2]);
        }
    }

    /// Counts where a point of this row and the one `ahead` of its place in the other differ by `least` or more in one
    /// of the colours.
    fn count_apart(&self, places: Range<usize>, other: &Row, ahead: usize, least: i16, counts: &mut [u32]) {
        let [red, green, blue] = &self.0;
        let others = places.start + ahead..places.end + ahead;
        let [other_red, other_green, other_blue] = other.0.each_ref().map(|plane| &plane[others.clone()]);
        let own = red[places.clone()].iter().zip(&green[places.clone()]).zip(&blue[places.clone()]);
        let pairs = own.zip(other_red).zip(other_green).zip(other_blue).zip(&mut counts[places]);
        for ((((((red, green), blue), other_red), other_green), other_blue), count) in pairs {
            let most = red.abs_diff(*other_red).max(green.abs_diff(*other_green)).max(blue.abs_diff(*other_blue));
            *count += u32::from(i16::from(most) >= least);
        }
    }
}

/// The runs of still edges: `places` the lines can be at, and points along them.
fn lines_of(
    upright: bool,
    (places, along): (usize, usize),
    (step, along_step): (f32, f32),
    still: impl Fn(usize, usize) -> bool,
) -> Vec<Line> {
    let (gap, least) = ((GAP_SHARE * along as f64) as usize, (LEAST_SHARE * along as f64).ceil() as usize);
    let mut lines = Vec::new();
    for place in 0..places.saturating_sub(1) {
        // A soft edge lies between two points now, and between the next two then.
        let near = |k: usize| (place.saturating_sub(1)..=(place + 1).min(places - 2)).any(|p| still(p, k));
        let mut run: Option<(usize, usize)> = None;
        for k in 0..=along {
            let edge = k < along && near(k);
            match run {
                None if edge => run = Some((k, k)),
                Some((from, _)) if edge => run = Some((from, k)),
                Some((from, to)) if k - to > gap || k == along => {
                    if to + 1 - from >= least {
                        let (from, to) = (from as f32 * along_step, (to + 1) as f32 * along_step);
                        lines.push(Line { upright, at: (place as f32 + 0.5) * step, from, to });
                    }
                    run = None;
                }
                _ => {}
            }
        }
    }
    lines
}

/// The shots with their layouts, by the faces seen in each: where each track's middle box is.
///
/// # Errors
/// Those of reading the observations back.
pub(super) fn arranged(mut shots: Vec<Shot>, faces: &Faces) -> Result<Vec<Shot>> {
    let starts: Vec<Seconds> = shots.iter().map(|s| s.first_pts).collect();
    let mut seen: BTreeMap<(usize, u32), Vec<BoundingBox>> = BTreeMap::new();
    for o in faces.observations.iter() {
        let o = o?;
        if let Some(shot) = starts.partition_point(|s| *s <= o.pts).checked_sub(1) {
            seen.entry((shot, o.track)).or_default().push(o.bounds);
        }
    }
    for (at, shot) in shots.iter_mut().enumerate() {
        let middles: Vec<BoundingBox> =
            seen.range((at, 0)..=(at, u32::MAX)).map(|(_, boxes)| boxes[boxes.len() / 2]).collect();
        shot.arrange(&middles);
    }
    Ok(shots)
}

/// Looks for the layout of each shot.
#[derive(Debug)]
pub(super) struct LayoutSeeker {
    contrast: f32,
    still_share: f64,
    now: Option<Edges>,
    /// Of the shot before, while the cut may be a flash.
    held: Option<Edges>,
    shots: Vec<Shot>,
}

impl LayoutSeeker {
    /// Least difference of an edge's two sides, 0 to 1, and the share of the pictures in which it must be there.
    pub fn new(contrast: f32, still_share: f64) -> Self {
        LayoutSeeker { contrast, still_share, now: None, held: None, shots: Vec::new() }
    }

    /// Takes the next picture of the shot at hand.
    pub fn take(&mut self, picture: &RgbImage, now: Seconds) {
        let edges = self.now.get_or_insert_with(|| Edges::new(now, picture.dimensions()));
        edges.take(picture, now, self.contrast);
    }

    /// What the next picture is to the shots.
    pub fn follow(&mut self, change: Change) {
        match change {
            Change::Same => {}
            Change::Settled => self.settle(),
            Change::Cut => {
                self.settle();
                self.held = self.now.take();
            }
            Change::Back => self.now = self.held.take(),
        }
    }

    fn settle(&mut self) {
        self.shots.extend(self.held.take().map(|e| e.shot(self.still_share)));
    }

    /// All shots in order.
    pub fn finish(mut self) -> Vec<Shot> {
        self.settle();
        self.shots.extend(self.now.take().map(|e| e.shot(self.still_share)));
        self.shots
    }
}

#[cfg(test)]
mod tests;
