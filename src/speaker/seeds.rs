//! The speakers that diarization begins with: voices that labels and enrolment tell of, then what clustering finds
//! beside them.

use super::clustering::Speakers;
use super::embedding::{cosine, unit};
use super::labels::{Claims, Heard, LabelUse};
use super::resegmentation::TrackPoint;
use super::segmentation::FRAMES;
use super::voices::Voices;
use super::{EMBEDDING, KnownVoice, SpeakerConfig};

/// A cluster at least this similar to a voice that is known already is no other; centroids of one voice are 0.8 and
/// more alike, of two seldom over 0.4.
const SAME_VOICE: f64 = 0.5;

/// What clustering keeps apart from the cluster that an enrolled voice is found in is another voice, unless it is at
/// least this similar; people of like voices are.
const ONE_VOICE: f64 = 0.8;

/// A unit is an enrolled voice's where it is at least this similar: what two stretches of one voice are on a far
/// microphone.
const ENROLLED_UNIT_SIMILARITY: f64 = 0.45;

/// The points of tracks that are heard alone, in order of time.
pub(super) fn heard(points: &[Vec<TrackPoint>]) -> Vec<Heard<'_>> {
    let at = |p: &TrackPoint| FRAMES.centre(p.frame).get();
    let points = points.iter().flatten();
    let mut heard: Vec<Heard<'_>> =
        points.filter_map(|p| Some(Heard { at: at(p), embedding: p.embedding.as_deref()? })).collect();
    heard.sort_by(|a, b| a.at.total_cmp(&b.at));
    heard
}

impl Voices {
    /// The enrolled voices that are heard: those whom units like no other enrolled voice are, together, alike and long
    /// enough for a speaker.
    pub(super) fn present(&self, known: &[KnownVoice], config: &SpeakerConfig) -> Vec<Vec<f32>> {
        let mut sums = vec![(Vec::<f64>::new(), 0.0f64); known.len()];
        for (unit, _) in &self.units {
            let cosines = known.iter().map(|k| cosine(&unit.embedding, &k.embedding)).enumerate();
            let best = cosines.fold((0, f64::NEG_INFINITY), |b, c| if c.1 > b.1 { c } else { b });
            if let Some((sum, secs)) = sums.get_mut(best.0).filter(|_| best.1 >= ENROLLED_UNIT_SIMILARITY) {
                sum.resize(unit.embedding.len(), 0.0);
                sum.iter_mut().zip(&unit.embedding).for_each(|(s, v)| *s += unit.secs * f64::from(*v));
                *secs += unit.secs;
            }
        }
        let is_heard = |(k, (sum, secs)): (&KnownVoice, (Vec<f64>, f64))| {
            let mean = unit(sum.into_iter()).filter(|_| secs >= config.clustering.min_speaker_secs)?;
            (cosine(&mean, &k.embedding) >= config.enrolment.min_similarity).then_some(mean)
        };
        known.iter().zip(sums).filter_map(is_heard).collect()
    }
}

/// Who is told of before anything is clustered.
pub(super) fn seeds(
    found: Speakers,
    claims: Option<&mut Claims>,
    (voices, known): (&Voices, &[KnownVoice]),
    config: &SpeakerConfig,
    (least, most): (usize, usize),
) -> Vec<Vec<f32>> {
    let mut seeds: Vec<Vec<f32>> = Vec::new();
    if let Some(claims) = claims {
        let mut believed = claims.believed(config.label_evidence.min_agreement);
        if claims.labels() == 1 && found.centroids.len() > 1 && config.labels == LabelUse::Evidence {
            // One label for all who speak tells nobody from anybody.
            believed.clear();
        }
        believed.truncate(most);
        let labels: Vec<usize> = believed.iter().map(|b| b.0).collect();
        seeds = believed.iter().map(|(_, v)| v.map_or_else(|| vec![0.0; EMBEDDING], <[f32]>::to_vec)).collect();
        claims.seat(&labels);
    }
    let labelled = seeds.len();
    let likest = |seeds: &[Vec<f32>], v: &[f32]| seeds.iter().map(|s| cosine(s, v)).fold(f64::NEG_INFINITY, f64::max);
    for voice in voices.present(known, config) {
        if seeds.len() < most && likest(&seeds, &voice) < SAME_VOICE {
            seeds.push(voice);
        }
    }
    if seeds.is_empty() {
        return found.centroids;
    }
    let mut rest = found.centroids;
    for seed in &seeds[labelled..] {
        let similarity: Vec<f64> = rest.iter().map(|c| cosine(c, seed)).collect();
        let nearest = (0..rest.len()).max_by(|&a, &b| similarity[a].total_cmp(&similarity[b]));
        if let Some(own) = nearest.filter(|&n| similarity[n] >= SAME_VOICE) {
            rest.remove(own);
        }
    }
    let same = if labelled > 0 { SAME_VOICE } else { ONE_VOICE };
    while seeds.len() < most && !rest.is_empty() {
        let similarity: Vec<f64> = rest.iter().map(|c| likest(&seeds, c)).collect();
        let best = (1..rest.len()).fold(0, |b, i| if similarity[i] < similarity[b] { i } else { b });
        if similarity[best] >= same && seeds.len() >= least {
            break;
        }
        seeds.push(rest.remove(best));
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::super::clustering::VoiceUnit;
    use super::super::points::Points;
    use super::*;

    fn embedding(x: f32, y: f32) -> Vec<f32> {
        let mut e = vec![0.0; EMBEDDING];
        let norm = x.hypot(y);
        (e[0], e[1]) = (x / norm, y / norm);
        e
    }

    /// Three units of each of two voices, 2 s each, which clustering took for one.
    fn heard() -> (Voices, Speakers) {
        let unit = |x, y| (VoiceUnit { embedding: embedding(x, y), secs: 2.0 }, 0);
        let units =
            vec![unit(1.0, 0.3), unit(1.0, 0.2), unit(1.0, 0.3), unit(0.3, 1.0), unit(0.2, 1.0), unit(0.3, 1.0)];
        let voices =
            Voices { unit_probability: vec![1.0; 6], units, points: Points::default(), overlapped: Vec::new() };
        (voices, Speakers { centroids: vec![embedding(1.0, 1.0)], too_few: false })
    }

    fn enrolled(known: &[KnownVoice], most: usize) -> Vec<Vec<f32>> {
        let (voices, found) = heard();
        seeds(found, None, (&voices, known), &SpeakerConfig::default(), (1, most))
    }

    #[test]
    fn a_voice_like_an_enrolled_one_that_clustering_keeps_apart_stays_a_speaker() {
        let (voices, _) = heard();
        let found = Speakers { centroids: vec![embedding(1.0, 0.27), embedding(0.27, 1.0)], too_few: false };
        assert!(cosine(&found.centroids[0], &found.centroids[1]) > SAME_VOICE);
        let anna = KnownVoice::new("Anna", &embedding(1.0, 0.0)).unwrap();
        let both = seeds(found, None, (&voices, &[anna]), &SpeakerConfig::default(), (1, 9));
        assert_eq!(both.len(), 2);
        assert!(both[0][0] > 0.95 && both[1][1] > 0.95, "{:?} {:?}", &both[0][..2], &both[1][..2]);
    }

    #[test]
    fn enrolled_voices_that_are_heard_are_speakers_though_clustering_made_one_of_them() {
        let known = |name: &str, x, y| KnownVoice::new(name, &embedding(x, y)).unwrap();
        let both = enrolled(&[known("Anna", 1.0, 0.0), known("Ben", 0.0, 1.0)], 9);
        assert_eq!(both.len(), 2);
        assert!(both[0][0] > 0.95 && both[1][1] > 0.95, "{:?} {:?}", &both[0][..2], &both[1][..2]);
        // One whose voice is not heard is no speaker, and a bound holds.
        let stranger = enrolled(&[known("Cleo", -1.0, 0.2)], 9);
        assert_eq!(stranger, [embedding(1.0, 1.0)]);
        assert_eq!(enrolled(&[known("Anna", 1.0, 0.0), known("Ben", 0.0, 1.0)], 1).len(), 1);
        assert_eq!(enrolled(&[], 9), [embedding(1.0, 1.0)]);
    }
}
