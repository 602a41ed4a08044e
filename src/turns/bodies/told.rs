//! What single looks tell, for tests that hold it against labels.

use std::collections::BTreeMap;

use super::look::{FaceRegion, Look};
use super::{PostureConfig, looks_of, median, motion};
use crate::body::Bodies;
use crate::time::Seconds;

/// One body at one instant.
#[derive(Clone, Debug)]
pub(crate) struct ToldLook {
    pub(crate) pts: Seconds,
    pub(crate) person: Option<String>,
    /// Tip of the nose.
    pub(crate) nose: (f64, f64),
    /// The larger of the shoulder width and a seventh of the region.
    pub(crate) width: f64,
    pub(crate) at_face: Option<bool>,
    pub(crate) region: Option<&'static str>,
    pub(crate) crossed: Option<bool>,
    pub(crate) hands: usize,
    pub(crate) lean: Option<&'static str>,
}

/// All looks, in order of time; lean is against the person's median so far.
pub(crate) fn told_looks(bodies: &Bodies, c: &PostureConfig) -> Vec<ToldLook> {
    let mut sizes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut told = Vec::new();
    for look in looks_of(bodies) {
        let own = look.body.person.as_deref();
        let mut lean = None;
        if let (Some(name), Some(size)) = (own, look.head_size(c)) {
            let so_far = sizes.entry(name).or_default();
            so_far.insert(so_far.partition_point(|v| *v < size), size);
            lean = median(so_far, c.baseline_looks).map(|usual| match size / usual - 1.0 {
                v if v > c.lean_share => "forward",
                v if v < -c.lean_share => "back",
                _ => "none",
            });
        }
        let nose = look.body.points[crate::body::body_point::NOSE];
        told.push(ToldLook {
            pts: look.body.pts,
            person: look.body.person.clone(),
            nose: (nose.x.into(), nose.y.into()),
            width: f64::from(look.body.shoulder_width().max(0.15 * look.body.region[2])),
            at_face: look.hand_at_face(c).map(|at| at.is_some()),
            region: look.hand_at_face(c).flatten().map(FaceRegion::name),
            crossed: look.arms_crossed(c),
            hands: look.hands_seen(c),
            lean,
        });
    }
    told
}

/// Strokes of the bodies whose nose is next to `x` in a stretch of time.
pub(crate) fn told_strokes(bodies: &Bodies, x: f64, (from, to): (f64, f64), c: &PostureConfig) -> usize {
    let mut nearest: BTreeMap<u64, Look<'_>> = BTreeMap::new();
    let off = |l: &Look<'_>| (l.nose(c).map_or(f64::INFINITY, |n| n.0) - x).abs();
    for look in looks_of(bodies).into_iter().filter(|l| l.at() >= from - 0.3 && l.at() < to) {
        let key = look.at().to_bits();
        if nearest.get(&key).is_none_or(|other| off(&look) < off(other)) {
            nearest.insert(key, look);
        }
    }
    let own: Vec<Look<'_>> = nearest.into_values().filter(|l| l.width(c).is_some()).collect();
    // The step into the first look of the stretch is its first.
    let first = own.iter().position(|l| l.at() >= from).unwrap_or(0).saturating_sub(1);
    motion::peaks(&motion::steps(&own[first..], c), c).count()
}
