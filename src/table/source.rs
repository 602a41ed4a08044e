//! The papers and programs that columns' definitions come from: one list, of which columns name the short form and
//! SCHEMA.md and codebooks print the whole.

/// Short form, as columns' `source` names it, and the reference.
pub const SOURCES: &[(&str, &str)] = &[
    (
        "Boersma & Weenink",
        "Boersma, P., Weenink, D.: Praat: doing phonetics by computer. Manual: Sound: To Intensity..., Sound & Pitch: To \
         PointProcess (cc), PointProcess: Get jitter (local)..., PointProcess & Sound: Get shimmer (local)...",
    ),
    (
        "Boker et al. 2002",
        "Boker, S. M., Xu, M., Rotondo, J. L., King, K. (2002). Windowed cross-correlation and peak picking for the analysis of \
         variability in the association between behavioral time series. Psychological Methods 7(3), 338-355.",
    ),
    (
        "de Jong & Wempe 2009",
        "de Jong, N. H., Wempe, T. (2009). Praat script to detect syllable nuclei and measure speech rate automatically. Behavior \
         Research Methods 41(2), 385-390.",
    ),
    (
        "Dimberg et al. 2000",
        "Dimberg, U., Thunberg, M., Elmehed, K. (2000). Unconscious facial reactions to emotional facial expressions. \
         Psychological Science 11(1), 86-89.",
    ),
    (
        "Ekman & Friesen 1982",
        "Ekman, P., Friesen, W. V. (1982). Felt, false, and miserable smiles. Journal of Nonverbal Behavior 6(4), 238-252.",
    ),
    (
        "Eyben et al. 2016",
        "Eyben, F., et al. (2016). The Geneva Minimalistic Acoustic Parameter Set (GeMAPS) for voice research and affective \
         computing. IEEE Transactions on Affective Computing 7(2), 190-202. As openSMILE's configuration eGeMAPSv02.",
    ),
    (
        "Grishchenko et al. 2020",
        "Grishchenko, I., et al. (2020). Attention mesh: high-fidelity face mesh prediction in real-time. arXiv 2006.10962. The \
         network of MediaPipe's Face Landmarker.",
    ),
    (
        "Hadar et al. 1983",
        "Hadar, U., Steiner, T. J., Grant, E. C., Rose, F. C. (1983). Kinematics of head movements accompanying speech during \
         conversation. Human Movement Science 2, 35-46.",
    ),
    (
        "Heldner & Edlund 2010",
        "Heldner, M., Edlund, J. (2010). Pauses, gaps and overlaps in conversations. Journal of Phonetics 38(4), 555-568.",
    ),
    (
        "Hyndman & Fan 1996",
        "Hyndman, R. J., Fan, Y. (1996). Sample quantiles in statistical packages. The American Statistician 50(4), 361-365. Type 7.",
    ),
    (
        "Kawato & Ohya 2000",
        "Kawato, S., Ohya, J. (2000). Real-time detection of nodding and head-shaking by directly detecting and tracking the \
         between-eyes. Automatic Face and Gesture Recognition, 40-45.",
    ),
    (
        "Levitan & Hirschberg 2011",
        "Levitan, R., Hirschberg, J. (2011). Measuring acoustic-prosodic entrainment with respect to multiple levels and \
         dimensions. Interspeech, 3081-3084.",
    ),
    (
        "MediaPipe",
        "Google MediaPipe Face Landmarker: landmarks, 52 blendshapes with ARKit's names, face geometry. Its values are matched on \
         the same pictures.",
    ),
    (
        "Rabiner & Sambur 1975",
        "Rabiner, L. R., Sambur, M. R. (1975). An algorithm for determining the endpoints of isolated utterances. Bell System \
         Technical Journal 54(2), 297-315.",
    ),
    (
        "Ramseyer & Tschacher 2011",
        "Ramseyer, F., Tschacher, W. (2011). Nonverbal synchrony in psychotherapy: coordinated body movement reflects relationship \
         quality and outcome. Journal of Consulting and Clinical Psychology 79(3), 284-295.",
    ),
    (
        "Riehle et al. 2017",
        "Riehle, M., Kempkensteffen, J., Lincoln, T. M. (2017). Quantifying facial expression synchrony in face-to-face dyadic \
         interactions. Journal of Nonverbal Behavior 41(2), 85-102.",
    ),
    (
        "Stiefelhagen & Zhu 2002",
        "Stiefelhagen, R., Zhu, J. (2002). Head orientation and gaze direction in meetings. CHI Extended Abstracts, 858-859.",
    ),
    (
        "Stivers et al. 2009",
        "Stivers, T., et al. (2009). Universals and cultural variation in turn-taking in conversation. PNAS 106(26), 10587-10592.",
    ),
    (
        "SwiftF0",
        "SwiftF0, the pitch network of the package swift-f0: a pitch and a confidence every 16 ms, 46.875 to 2093.75 Hz.",
    ),
    ("Yngve 1970", "Yngve, V. H. (1970). On getting a word in edgewise. Chicago Linguistic Society 6, 567-578."),
];

/// The reference of a short form.
pub fn reference(short: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(s, _)| *s == short).map(|(_, reference)| *reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_sorted_unlike_and_can_be_joined() {
        assert!(SOURCES.windows(2).all(|w| w[0].0.to_lowercase() < w[1].0.to_lowercase()));
        assert!(SOURCES.iter().all(|(short, _)| !short.contains("; ")));
        assert!(reference("Heldner & Edlund 2010").unwrap().contains("Journal of Phonetics"));
        assert_eq!(reference("Nobody 1900"), None);
    }
}
