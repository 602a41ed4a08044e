//! The development cuts of meetings: error rates with and without their number of speakers.

use super::*;
use crate::inference::Runtime;
use crate::store::rttm::read_rttm;

/// Cuts with human truth; thresholds were chosen while they were looked at.
const CUTS: [&str; 7] = ["ami_trn01", "ami_trn02", "ami_trn03", "ami_trn04", "ami_trn06", "ami_trn07", "ami_trn09"];

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn a_number_of_speakers_never_makes_it_worse() {
    let shared = crate::reference::folder();
    let config = SpeakerConfig::default();
    let mut models = SpeakerModels::load(&fixture::registry(), &config, Runtime::default()).expect("run make models");
    // Secs in error without and with the number, and of speech.
    let mut pooled = [0.0; 3];
    for cut in CUTS {
        let audio = fixture::clip(&shared, &format!("../dev/{cut}"));
        let truth = read_rttm(&shared.join(format!("media/dev/{cut}.rttm"))).unwrap().remove(0).1;
        let mut scored = |exact: Option<u32>| {
            let bounds = SpeakerBounds { exact, ..SpeakerBounds::default() };
            let found = diarize(&audio, &mut models, &config, &bounds).unwrap();
            (score(&truth, &found.annotation, &ScoreOptions::default()), found.voices.len())
        };
        let number = truth.speakers().len();
        let (without, free) = scored(None);
        let (with, asked) = scored(Some(number as u32));
        let (der, told) = (without.der().unwrap(), with.der().unwrap());
        eprintln!("{cut}: DER {der:.3} ({free}); {number} asked for: {told:.3} ({asked})");
        assert!(told <= der + 0.01, "{cut}: {der:.3}, {told:.3} with the number");
        assert!(asked <= number);
        for (slot, secs) in pooled.iter_mut().zip([der, told, 1.0]) {
            *slot += secs * without.total_secs;
        }
    }
    let (der, told) = (pooled[0] / pooled[2], pooled[1] / pooled[2]);
    eprintln!("pooled {der:.3}, with the number {told:.3}");
    // 0.307 and 0.449 before voices that segmentation tells apart were kept apart.
    assert!(der <= 0.245 && told <= 0.245, "{der:.3} {told:.3}");
}
