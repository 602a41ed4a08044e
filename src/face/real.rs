//! Whether a face is a person's: a lamp, a pattern or a fold of cloth may look like one to a detector at one size and to
//! the landmark model, but it does not at every size, and the two do not agree where its eyes and mouth are.

use super::BoundingBox;
use super::FaceConfig;
use super::detect::Detection;
use super::landmark::Mesh;
use super::track::Live;
use crate::time::Seconds;

/// Sides at which the detector sees the face again, px, and the part of the picture it sees, in sizes of the face.
pub(super) const SIDES_PX: [f32; 3] = [40.0, 64.0, 96.0];
pub(super) const SURROUNDINGS: f32 = 6.0;
/// One look tells of a face that is not suspicious; of others there are more, so far apart.
const MOST_LOOKS: u32 = 3;
const BETWEEN_LOOKS_SECS: f64 = 0.5;
/// Below this score, or above this distance, a face is looked at more often than once.
const SUSPICIOUS_SCORE: f32 = 0.7;
const SUSPICIOUS_DISTANCE: f32 = 0.12;
/// Where mesh and detector disagree, a face must be seen again with this score: half hidden people reach it.
const DISAGREEING_SCORE: f32 = 0.45;

/// Landmarks between whose means the detector's keypoints should lie: eye, eye, nose tip, mouth corner, mouth corner,
/// the image's left first.
const KEYPOINTS: [&[usize]; 5] = [&[33, 133], &[362, 263], &[4], &[61], &[291]];

/// A face seen again below this makes no person of its own: of the people counted by eye on the reference clips none is
/// below 0.75, of faces in an audience some are at 0.5.
const SURE_SCORE: f32 = 0.6;

/// What tells a person's face from something that looks like one; `None` = not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FaceCheck {
    /// The detector's score where it sees the face again at three sizes: the least of them, mean over looks, 0 to 1.
    pub seen_again: Option<f32>,
    /// Mean distance of the mesh's eyes, nose tip and mouth corners from the detector's, over the face's size.
    pub keypoints_apart: Option<f32>,
}

impl FaceCheck {
    /// Whether this is no person's face.
    pub(super) fn is_false(&self, config: &FaceConfig) -> bool {
        let disagrees = self.keypoints_apart.is_some_and(|d| d > config.person_keypoints_apart);
        self.seen_again.is_some_and(|s| s < config.person_seen_again || (disagrees && s < DISAGREEING_SCORE))
    }

    /// Whether it is too doubtful a face to be a person of its own.
    pub(super) fn is_doubtful(&self) -> bool {
        self.seen_again.is_some_and(|s| s < SURE_SCORE)
    }
}

/// Why a track is nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nobody {
    /// The detector loses it at another size, or mesh and detector disagree: a lamp, a pattern, a poster far away.
    FalseFace,
    /// Too small to be a person of the interview, and like none of them.
    TooSmall,
    /// The detector is hardly sure of it.
    TooDoubtful,
    /// Seen too shortly.
    TooShort,
    /// Cut off by the picture's edge.
    OutOfPicture,
    /// More persons than the recipe allows.
    TooMany,
    /// Somebody who knows says so.
    Corrected,
}

impl Nobody {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Nobody::FalseFace => "false_face",
            Nobody::TooSmall => "too_small",
            Nobody::TooDoubtful => "too_doubtful",
            Nobody::TooShort => "too_short",
            Nobody::OutOfPicture => "out_of_picture",
            Nobody::TooMany => "too_many",
            Nobody::Corrected => "corrected",
        }
    }
}

/// The same while a track is followed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Check {
    /// Sum and number.
    again: (f32, u32),
    apart: (f32, u32),
    last: Option<Seconds>,
}

impl Check {
    /// Mesh and detector saw the face in the same frame.
    pub fn compare(&mut self, mesh: &Mesh, detection: &Detection) {
        let size = detection.bounds.size();
        if size > 0.0 {
            let sum: f32 = KEYPOINTS.iter().zip(detection.keypoints).map(|(l, k)| apart(mesh, l, k)).sum();
            self.apart = (self.apart.0 + sum / KEYPOINTS.len() as f32 / size, self.apart.1 + 1);
        }
    }

    /// The least score of a look at three sizes.
    pub fn saw_again(&mut self, score: f32, now: Seconds) {
        self.again = (self.again.0 + score, self.again.1 + 1);
        self.last = Some(now);
    }

    /// What is known so far.
    pub fn told(&self) -> FaceCheck {
        let mean = |(sum, n): (f32, u32)| (n > 0).then(|| sum / n as f32);
        FaceCheck { seen_again: mean(self.again), keypoints_apart: mean(self.apart) }
    }

    fn wants_more(&self, now: Seconds) -> bool {
        let Some(last) = self.last else { return true };
        let told = self.told();
        let suspicious = told.seen_again.is_some_and(|s| s < SUSPICIOUS_SCORE)
            || told.keypoints_apart.is_some_and(|d| d > SUSPICIOUS_DISTANCE);
        suspicious && self.again.1 < MOST_LOOKS && (now - last).get() >= BETWEEN_LOOKS_SECS
    }
}

/// Whether a face should be looked at again now: only one that could be a person's, so few are.
pub(super) fn is_due(track: &Live, now: Seconds, config: &FaceConfig) -> bool {
    // A hair sooner than it is long enough, so that no track ends just before.
    (now - track.first).get() + 0.05 >= config.person_secs
        && track.observations > 0
        && track.size() >= config.person_size_px
        && track.mean_score() >= config.person_score
        && track.check.wants_more(now)
}

fn apart(mesh: &Mesh, landmarks: &[usize], keypoint: (f32, f32)) -> f32 {
    let n = landmarks.len() as f32;
    let (x, y) = landmarks.iter().fold((0.0, 0.0), |a, &l| (a.0 + mesh.points[l][0] / n, a.1 + mesh.points[l][1] / n));
    (x - keypoint.0).hypot(y - keypoint.1)
}

/// The square around a face that the detector sees again.
pub(super) fn surroundings(bounds: BoundingBox) -> BoundingBox {
    let ((x, y), reach) = (bounds.centre(), 0.5 * SURROUNDINGS * bounds.size());
    BoundingBox::from_corners(x - reach, y - reach, x + reach, y + reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::LANDMARKS;

    fn mesh(shift: f32) -> Mesh {
        let mut points = Box::new([[0.0; 3]; LANDMARKS]);
        for (l, x) in [(33, 8.0), (133, 12.0), (362, 28.0), (263, 32.0), (4, 20.0), (61, 12.0), (291, 28.0)] {
            points[l] = [x + shift, 10.0, 0.0];
        }
        Mesh { points, presence: 1.0 }
    }

    fn detection() -> Detection {
        let keypoints = [(10.0, 10.0), (30.0, 10.0), (20.0, 10.0), (12.0, 10.0), (28.0, 10.0)];
        Detection { bounds: BoundingBox::from_corners(0.0, 0.0, 40.0, 40.0), keypoints, score: 0.9 }
    }

    #[test]
    fn keypoints_are_compared_in_sizes_of_the_face() {
        let mut check = Check::default();
        assert_eq!(check.told(), FaceCheck::default());
        check.compare(&mesh(0.0), &detection());
        assert!(check.told().keypoints_apart.unwrap() < 1e-6);
        check.compare(&mesh(16.0), &detection());
        assert!((check.told().keypoints_apart.unwrap() - 0.2).abs() < 1e-6, "the mean of 0 and 0.4");
    }

    #[test]
    fn one_look_is_enough_unless_it_is_suspicious_and_three_are_enough_then() {
        let mut sure = Check::default();
        assert!(sure.wants_more(Seconds::ZERO));
        sure.saw_again(0.95, Seconds::ZERO);
        assert!(!sure.wants_more(Seconds::of(9.0)));
        let mut lamp = Check::default();
        let mut looks = 0;
        for i in 0..40 {
            let now = Seconds::of(0.1 * f64::from(i));
            if lamp.wants_more(now) {
                lamp.saw_again(0.18, now);
                looks += 1;
            }
        }
        assert_eq!(looks, 3);
        assert!((lamp.told().seen_again.unwrap() - 0.18).abs() < 1e-6);
    }

    #[test]
    fn a_lamp_is_no_person_and_a_face_behind_a_hand_is() {
        let config = FaceConfig::default();
        let is_false = |again: Option<f32>, apart: Option<f32>| {
            FaceCheck { seen_again: again, keypoints_apart: apart }.is_false(&config)
        };
        assert!(is_false(Some(0.18), Some(0.31)) && is_false(Some(0.18), None));
        assert!(is_false(Some(0.4), Some(0.31)));
        assert!(!is_false(Some(0.95), Some(0.31)), "the detector is sure at all sizes: the mesh is wrong");
        assert!(!is_false(Some(0.5), Some(0.22)), "half hidden behind somebody");
        assert!(!is_false(Some(0.52), Some(0.11)) && !is_false(None, None));
        assert!(!is_false(None, Some(0.31)), "too small or short to be looked at again: that is why it is nobody");
    }
}
