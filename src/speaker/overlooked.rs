//! Short words of one speaker under another's speech that the count of speakers overlooks.
//!
//! How many people talk at a time is what the windows over a frame say in the mean, rounded. A backchannel that half of
//! the windows hear is then lost, though the voice is likely at the time. As a detector with two thresholds would
//! (onset and offset, as in pyannote.audio's binarisation, Bredin 2020), a stretch in which a speaker's probability
//! stays at the offset, and passes the onset for long enough, is that speaker's where somebody else talks and none of
//! the stretch was.

use super::reconstruct::SpeechTurnConfig;
use super::segmentation::FRAMES;

/// Adds them to `active`, one row of frames a speaker, as in `activity`.
pub(super) fn add(active: &mut [Vec<bool>], activity: &[Vec<f32>], config: &SpeechTurnConfig) {
    let frames = activity.iter().map(Vec::len).max().unwrap_or(0);
    let talks: Vec<bool> = (0..frames).map(|f| active.iter().any(|row| row.get(f) == Some(&true))).collect();
    let likely = (config.overlooked_min_secs / FRAMES.hop_secs()).ceil().max(1.0) as usize;
    for (on, row) in active.iter_mut().zip(activity) {
        let mut from = 0;
        for run in row.chunk_by(|a, b| (*a >= config.overlooked_offset) == (*b >= config.overlooked_offset)) {
            let stretch = from..from + run.len();
            from = stretch.end;
            let sure = run.iter().filter(|a| **a > config.overlooked_onset).count() >= likely;
            if run[0] >= config.overlooked_offset && sure && !on[stretch.clone()].contains(&true) {
                on[stretch.clone()].copy_from_slice(&talks[stretch]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_half_of_the_windows_hear_under_anothers_speech_is_somebodys() {
        let config = SpeechTurnConfig { overlooked_min_secs: 2.0 * FRAMES.hop_secs(), ..SpeechTurnConfig::default() };
        let one = vec![0.9; 12];
        let other = [0.1, 0.42, 0.52, 0.53, 0.45, 0.1, 0.52, 0.1, 0.45, 0.48, 0.45, 0.1].to_vec();
        let bits = |row: &[bool]| row.iter().map(|b| if *b { 'x' } else { '.' }).collect::<String>();
        let found = |own: &[usize], silent: &[usize]| {
            let mut active = vec![vec![true; 12], vec![false; 12]];
            own.iter().for_each(|&f| active[1][f] = true);
            silent.iter().for_each(|&f| active[0][f] = false);
            add(&mut active, &[one.clone(), other.clone()], &config);
            bits(&active[1])
        };
        // One frame alone, and a stretch that is never likely, are nothing.
        assert_eq!(found(&[], &[]), ".xxxx.......");
        assert_eq!(found(&[2], &[]), "..x.........", "what is told already keeps its edges");
        assert_eq!(found(&[], &[1, 2]), "...xx.......", "where nobody talks there is nothing to overlook");
    }
}
