//! The papers and programs that columns' definitions come from: one list, of which columns name the short form and
//! SCHEMA.md and codebooks print the whole.

/// Who speaks when: the networks of diarization.
pub const DIARIZATION: &str = "Plaquet & Bredin 2023; Silero VAD; Wang et al. 2023";

/// Smiles and expressions: the networks of the face.
pub const SMILE: &str = "face-api; MediaPipe";

/// Short form, as columns' `source` names it, and the reference.
pub const SOURCES: &[(&str, &str)] = &[
    (
        "Bachorowski et al. 2001",
        "Bachorowski, J.-A., Smoski, M. J., Owren, M. J. (2001). The acoustic features of human laughter. Journal of the \
         Acoustical Society of America 110(3), 1581-1597.",
    ),
    (
        "Bazarevsky et al. 2020",
        "Bazarevsky, V., Grishchenko, I., Raveendran, K., Zhu, T., Zhang, F., Grundmann, M. (2020). BlazePose: \
         on-device real-time body pose tracking. arXiv 2006.10204. The networks of MediaPipe Pose, full.",
    ),
    (
        "Bekerman et al. 2014",
        "Bekerman, I., Gottlieb, P., Vaiman, M. (2014). Variations in eyeball diameters of the healthy adults. \
         Journal of Ophthalmology 2014, 503645. The eye's size, by which the place of the iris between the corners of \
         the eye becomes a direction.",
    ),
    (
        "Boersma & Weenink",
        "Boersma, P., Weenink, D.: Praat: doing phonetics by computer. Manual: Sound: To Intensity..., Sound & Pitch: \
         To PointProcess (cc), PointProcess: Get jitter (local)..., PointProcess & Sound: Get shimmer (local)...",
    ),
    (
        "Boker et al. 2002",
        "Boker, S. M., Xu, M., Rotondo, J. L., King, K. (2002). Windowed cross-correlation and peak picking for the \
         analysis of variability in the association between behavioral time series. Psychological Methods 7(3), \
         338-355.",
    ),
    (
        "Chartrand & Bargh 1999",
        "Chartrand, T. L., Bargh, J. A. (1999). The chameleon effect: the perception-behavior link and social \
         interaction. Journal of Personality and Social Psychology 76(6), 893-910. Postures and gestures taken over.",
    ),
    (
        "Coco & Dale 2014",
        "Coco, M. I., Dale, R. (2014). Cross-recurrence quantification analysis of categorical and continuous \
         time series: an R package. Frontiers in Psychology 5, 510.",
    ),
    (
        "de Jong & Wempe 2009",
        "de Jong, N. H., Wempe, T. (2009). Praat script to detect syllable nuclei and measure speech rate \
         automatically. Behavior Research Methods 41(2), 385-390.",
    ),
    (
        "Dimberg et al. 2000",
        "Dimberg, U., Thunberg, M., Elmehed, K. (2000). Unconscious facial reactions to emotional facial expressions. \
         Psychological Science 11(1), 86-89.",
    ),
    (
        "Duran et al. 2019",
        "Duran, N. D., Paxton, A., Fusaroli, R. (2019). ALIGN: analyzing linguistic interactions with \
         generalizable techniques, a Python library. Psychological Methods 24(4), 419-438.",
    ),
    (
        "Ekman & Friesen 1969",
        "Ekman, P., Friesen, W. V. (1969). The repertoire of nonverbal behavior: categories, origins, usage, and \
         coding. Semiotica 1(1), 49-98. Self-adaptors.",
    ),
    (
        "Ekman & Friesen 1982",
        "Ekman, P., Friesen, W. V. (1982). Felt, false, and miserable smiles. Journal of Nonverbal Behavior 6(4), \
         238-252.",
    ),
    (
        "Everingham et al. 2006",
        "Everingham, M., Sivic, J., Zisserman, A. (2006). Hello! My name is... Buffy: automatic naming of characters \
         in TV video. British Machine Vision Conference. The idea that who speaks shows in whose mouth moves; the \
         measure is Turnwise's own.",
    ),
    (
        "Eyben et al. 2016",
        "Eyben, F., et al. (2016). The Geneva Minimalistic Acoustic Parameter Set (GeMAPS) for voice research and \
         affective computing. IEEE Transactions on Affective Computing 7(2), 190-202. As openSMILE's configuration \
         eGeMAPSv02.",
    ),
    (
        "face-api",
        "face-api 1.7.15, Muehler, V., Mandic, V.: its network of seven expressions. The default; a recipe may name \
         another one (face.expression).",
    ),
    (
        "Geweke 1982",
        "Geweke, J. (1982). Measurement of linear dependence and feedback between multiple time series. Journal \
         of the American Statistical Association 77(378), 304-313.",
    ),
    (
        "Granger 1969",
        "Granger, C. W. J. (1969). Investigating causal relations by econometric models and cross-spectral \
         methods. Econometrica 37(3), 424-438.",
    ),
    (
        "Grishchenko et al. 2020",
        "Grishchenko, I., et al. (2020). Attention mesh: high-fidelity face mesh prediction in real-time. arXiv \
         2006.10962. The network of MediaPipe's Face Landmarker.",
    ),
    (
        "Hadar et al. 1983",
        "Hadar, U., Steiner, T. J., Grant, E. C., Rose, F. C. (1983). Kinematics of head movements accompanying \
         speech during conversation. Human Movement Science 2, 35-46.",
    ),
    ("Hall 1966", "Hall, E. T. (1966). The hidden dimension. Doubleday. Distance between people."),
    (
        "Heldner & Edlund 2010",
        "Heldner, M., Edlund, J. (2010). Pauses, gaps and overlaps in conversations. Journal of Phonetics 38(4), \
         555-568.",
    ),
    (
        "Heldner 2011",
        "Heldner, M. (2011). Detection thresholds for gaps, overlaps, and no-gap-no-overlaps. Journal of the \
         Acoustical Society of America 130(1), 508-513.",
    ),
    (
        "Hyndman & Fan 1996",
        "Hyndman, R. J., Fan, Y. (1996). Sample quantiles in statistical packages. The American Statistician 50(4), \
         361-365. Type 7.",
    ),
    (
        "Ireland & Pennebaker 2010",
        "Ireland, M. E., Pennebaker, J. W. (2010). Language style matching in writing: synchrony in essays, \
         correspondence, and poetry. Journal of Personality and Social Psychology 99(3), 549-571.",
    ),
    (
        "Kawato & Ohya 2000",
        "Kawato, S., Ohya, J. (2000). Real-time detection of nodding and head-shaking by directly detecting and \
         tracking the between-eyes. Automatic Face and Gesture Recognition, 40-45.",
    ),
    (
        "Levitan & Hirschberg 2011",
        "Levitan, R., Hirschberg, J. (2011). Measuring acoustic-prosodic entrainment with respect to multiple levels \
         and dimensions. Interspeech, 3081-3084.",
    ),
    (
        "Marwan et al. 2007",
        "Marwan, N., Romano, M. C., Thiel, M., Kurths, J. (2007). Recurrence plots for the analysis of complex \
         systems. Physics Reports 438(5-6), 237-329.",
    ),
    (
        "MediaPipe",
        "Google MediaPipe Face Landmarker: landmarks, 52 blendshapes with ARKit's names, face geometry. Its values \
         are matched on the same pictures.",
    ),
    (
        "Mehrabian 1972",
        "Mehrabian, A. (1972). Nonverbal communication. Aldine-Atherton. Forward lean, openness of arms, relaxation.",
    ),
    (
        "Moulder et al. 2018",
        "Moulder, R. G., Boker, S. M., Ramseyer, F., Tschacher, W. (2018). Determining synchrony between \
         behavioral time series: an application of surrogate data generation for establishing falsifiable \
         null-hypotheses. Psychological Methods 23(4), 757-773.",
    ),
    (
        "Nieradzik 2025",
        "Nieradzik, L. (2025). SwiftF0: fast and accurate monophonic pitch detection. arXiv 2508.18440. The pitch \
         network of the package swift-f0 0.3.0: a pitch and a confidence every 16 ms, 46.875 to 2093.75 Hz.",
    ),
    (
        "Phipson & Smyth 2010",
        "Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero: calculating exact p-values \
         when permutations are randomly drawn. Statistical Applications in Genetics and Molecular Biology 9(1), \
         39.",
    ),
    (
        "Plaquet & Bredin 2023",
        "Plaquet, A., Bredin, H. (2023). Powerset multi-class cross entropy loss for neural speaker diarization. \
         Interspeech 2023. The network pyannote segmentation-3.0: which of up to three people talk, every 17 ms.",
    ),
    (
        "Rabiner & Sambur 1975",
        "Rabiner, L. R., Sambur, M. R. (1975). An algorithm for determining the endpoints of isolated utterances. \
         Bell System Technical Journal 54(2), 297-315.",
    ),
    (
        "Ramseyer & Tschacher 2011",
        "Ramseyer, F., Tschacher, W. (2011). Nonverbal synchrony in psychotherapy: coordinated body movement reflects \
         relationship quality and outcome. Journal of Consulting and Clinical Psychology 79(3), 284-295.",
    ),
    (
        "Riehle et al. 2017",
        "Riehle, M., Kempkensteffen, J., Lincoln, T. M. (2017). Quantifying facial expression synchrony in \
         face-to-face dyadic interactions. Journal of Nonverbal Behavior 41(2), 85-102.",
    ),
    (
        "Sakoe & Chiba 1978",
        "Sakoe, H., Chiba, S. (1978). Dynamic programming algorithm optimization for spoken word recognition. \
         IEEE Transactions on Acoustics, Speech, and Signal Processing 26(1), 43-49.",
    ),
    (
        "Savchenko 2019",
        "Savchenko, A. V. (2019). Efficient facial representations for age, gender and identity recognition in \
         organizing photo albums using multi-output ConvNet. PeerJ Computer Science 5, e197. The network of faces' \
         identity.",
    ),
    (
        "Schmidt et al. 2012",
        "Schmidt, R. C., Morr, S., Fitzpatrick, P., Richardson, M. J. (2012). Measuring the dynamics of \
         interactional synchrony. Journal of Nonverbal Behavior 36(4), 263-279.",
    ),
    (
        "Silero VAD",
        "Silero Team: Silero VAD, version 6.2.3. The network of voice activity: a probability of speech every 32 ms.",
    ),
    (
        "Smoski & Bachorowski 2003",
        "Smoski, M. J., Bachorowski, J.-A. (2003). Antiphonal laughter between friends and strangers. Cognition and \
         Emotion 17(2), 327-340. Laughter in answer to another's.",
    ),
    (
        "Stiefelhagen & Zhu 2002",
        "Stiefelhagen, R., Zhu, J. (2002). Head orientation and gaze direction in meetings. CHI Extended Abstracts, \
         858-859.",
    ),
    (
        "Stivers et al. 2009",
        "Stivers, T., et al. (2009). Universals and cultural variation in turn-taking in conversation. PNAS 106(26), \
         10587-10592.",
    ),
    (
        "Truong & van Leeuwen 2007",
        "Truong, K. P., van Leeuwen, D. A. (2007). Automatic discrimination between laughter and speech. Speech \
         Communication 49(2), 144-158.",
    ),
    (
        "Wang et al. 2023",
        "Wang, H., Zheng, S., Chen, Y., Cheng, L., Chen, Q. (2023). CAM++: a fast and efficient network for speaker \
         verification using context-aware masking. Interspeech 2023, 5301-5305. The network of voices, as \
         campplus_cn_en_common of 3D-Speaker.",
    ),
    (
        "Welch 1967",
        "Welch, P. D. (1967). The use of fast Fourier transform for the estimation of power spectra. IEEE \
         Transactions on Audio and Electroacoustics 15(2), 70-73.",
    ),
    ("Yngve 1970", "Yngve, V. H. (1970). On getting a word in edgewise. Chicago Linguistic Society 6, 567-578."),
    (
        "Zhang et al. 2020",
        "Zhang, F., Bazarevsky, V., Vakunov, A., Tkachenka, A., Sung, G., Chang, C.-L., Grundmann, M. (2020). MediaPipe \
         Hands: on-device real-time hand tracking. arXiv 2006.10214.",
    ),
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
