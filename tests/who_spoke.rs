//! Who spoke: numbers of speakers, enrolled voices, scores, and recordings in which nobody speaks.

use std::process::{Command, Stdio};

use crate::stage::{Stage, row, sample, table};

/// The speakers an RTTM names, sorted.
fn speakers_of(stage: &Stage, rttm: &str) -> Vec<String> {
    let text = std::fs::read_to_string(stage.path(rttm)).unwrap();
    let mut names: Vec<String> = text.lines().map(|l| l.split(' ').nth(7).unwrap().to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A part of the sample conversation as a file of its own.
fn part_of_conversation(stage: &Stage, name: &str, from: &str, secs: &str) {
    let path = stage.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-v", "error", "-y", "-ss", from, "-t", secs, "-i"]).arg(sample("conversation.wav")).arg(path);
    assert!(ffmpeg.stdin(Stdio::null()).status().expect("ffmpeg is needed: make apt").success());
}

#[test]
fn a_number_of_speakers_is_kept_to() {
    let stage = Stage::new();
    let media = sample("conversation.wav");
    let told = stage.run(&["diarize", media.to_str().unwrap(), "--rttm", "two.rttm", "--speakers", "2"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let text = std::fs::read_to_string(stage.path("two.rttm")).unwrap();
    let mut names: Vec<&str> = text.lines().map(|l| l.split(' ').nth(7).unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 2);
    let scored = stage.run(&["score", sample("conversation.rttm").to_str().unwrap(), "two.rttm"]);
    assert!(scored.code == 0 && scored.out.contains("DER %"), "{}", scored.out);

    // A UEM cuts what is written; one without the recording is refused.
    stage.write("own.uem", "conversation 1 10 15\nconversation 1 18 20\nother 1 0 1\n");
    stage.write("others.uem", "a 1 0 1\nb 1 0 1\n");
    let diarize = |uem: &str| {
        stage.run(&["diarize", media.to_str().unwrap(), "--rttm", "cut.rttm", "--speakers", "2", "--uem", uem])
    };
    assert_eq!(diarize("own.uem").code, 0);
    let spans = |rttm: &str| -> Vec<(f64, f64)> {
        let text = std::fs::read_to_string(stage.path(rttm)).unwrap();
        let fields =
            text.lines().map(|l| l.split(' ').skip(3).take(2).map(|f| f.parse::<f64>().unwrap()).collect::<Vec<_>>());
        fields.map(|f| (f[0], f[0] + f[1])).collect()
    };
    let inside = |(from, to): (f64, f64)| {
        let both = |(a, b): (f64, f64)| (b.min(to) - a.max(from)).max(0.0);
        both((10.0, 15.0)) + both((18.0, 20.0))
    };
    let (cut, whole) = (spans("cut.rttm"), spans("two.rttm"));
    let kept: f64 = cut.iter().map(|(a, b)| b - a).sum();
    assert!(kept > 4.0 && (kept - whole.iter().copied().map(inside).sum::<f64>()).abs() < 0.01, "{kept}");
    assert!((kept - cut.iter().copied().map(inside).sum::<f64>()).abs() < 0.01);
    stage.write("past.uem", "conversation 1 500 600\n");
    let told = diarize("past.uem");
    assert!(
        told.code == 0 && told.err.contains("inside the stretches") && spans("cut.rttm").is_empty(),
        "{}",
        told.err
    );
    let told = diarize("others.uem");
    assert!(told.code != 0 && told.err.contains("others.uem says nothing of conversation"), "{}", told.err);
}

#[test]
fn each_interview_of_a_manifest_has_its_own_number_of_speakers() {
    let stage = Stage::new();
    std::fs::copy(sample("conversation.wav"), stage.path("c.wav")).unwrap();
    let rows = "three,c.wav,3,,\none,c.wav,,,1\nmany,c.wav,,4,\nasked,c.wav,,,\n";
    stage.write("corpus.csv", &format!("interview_id,media,speakers,min_speakers,max_speakers\n{rows}"));
    let told =
        stage.run(&["extract", "corpus.csv", "--out", "out", "--speakers", "2", "--set", "input.skip_video=true"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let all = table(&stage, "out/interviews.parquet");
    let count = |id: &str| all.number("speakers", row(&all, id)).unwrap() as usize;
    // Two speak: no voice is cut in two for a number that is not there.
    assert_eq!((count("three"), count("many"), count("one"), count("asked")), (2, 2, 1, 2));
    for id in ["three", "one", "many", "asked"] {
        assert_eq!(speakers_of(&stage, &format!("out/rttm/{id}.rttm")).len(), count(id));
    }

    // More than are heard: the result without the number stands, and there is a word about it.
    let told = stage.run(&["diarize", "c.wav", "--rttm", "x.rttm", "--speakers", "400"]);
    assert_eq!(told.code, 0, "{}", told.err);
    told.line("of at least 400 speakers found");
    assert_eq!(speakers_of(&stage, "x.rttm").len(), 2);
}

#[test]
fn only_what_the_uem_names_is_scored() {
    let stage = Stage::new();
    stage.write("a.rttm", "SPEAKER a 1 0 4 <NA> <NA> X <NA> <NA>\nSPEAKER a 1 4 4 <NA> <NA> Y <NA> <NA>\n");
    stage.write("b.rttm", "SPEAKER a 1 0 5 <NA> <NA> P <NA> <NA>\nSPEAKER a 1 5 2 <NA> <NA> Q <NA> <NA>\n");
    stage.write("first.uem", "a 1 0 4.5\n");
    stage.write("other.uem", "b 1 0 4.5\nc 1 0 1\n");
    // 1 s confused and 1 s missed of 8; in the first 4.5 s, half a second confused.
    assert!(stage.run(&["score", "a.rttm", "b.rttm"]).out.contains(" 25.000 "));
    let told = stage.run(&["score", "a.rttm", "b.rttm", "--uem", "first.uem"]);
    assert!(told.code == 0 && told.out.contains(" 11.111 ") && told.out.contains("4.500"), "{}", told.out);
    let told = stage.run(&["score", "a.rttm", "b.rttm", "--uem", "other.uem"]);
    assert_eq!(told.code, 0);
    told.line("a is not in the UEM file");
    stage.write("b.rttm", "SPEAKER a 1 0 5 <NA> <NA> Ann Lee <NA> <NA>\n");
    let told = stage.run(&["score", "a.rttm", "b.rttm"]);
    assert_ne!(told.code, 0);
    assert!(told.line("names hold white space").contains("b.rttm:1"), "{}", told.err);
}

#[test]
fn enrolled_voices_have_their_names_in_every_interview() {
    let stage = Stage::new();
    std::fs::copy(sample("conversation.wav"), stage.path("c.wav")).unwrap();
    // Each says something alone; the names go by the voices in a recording that begins elsewhere, too.
    part_of_conversation(&stage, "voices/Mary.wav", "22", "5.5");
    part_of_conversation(&stage, "voices/Jane.wav", "10.6", "3.5");
    part_of_conversation(&stage, "later.wav", "10", "16");
    for media in ["c.wav", "later.wav"] {
        let told = stage.run(&["diarize", media, "--rttm", "x.rttm", "--enrol", "voices"]);
        assert_eq!(told.code, 0, "{}", told.err);
        assert_eq!(speakers_of(&stage, "x.rttm"), ["Jane", "Mary"]);
    }
    let first = std::fs::read_to_string(stage.path("x.rttm")).unwrap();

    // The embedding of a person is written only when asked for; then it enrols as well as a recording.
    let extract = |more: &[&str]| {
        let told = stage.run(
            &[&["extract", "c.wav", "--out", "out", "--enrol", "voices", "--set", "input.skip_video=true"], more]
                .concat(),
        );
        assert_eq!(told.code, 0, "{}", told.err);
        table(&stage, "out/speakers/c.parquet")
    };
    assert!(extract(&[]).column("embedding").is_none());
    assert!(extract(&["--set", "turns.speaker_embeddings=true"]).column("embedding").is_some());
    let told = stage.run(&["diarize", "later.wav", "--rttm", "y.rttm", "--enrol", "out/speakers/c.parquet"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert_eq!(std::fs::read_to_string(stage.path("y.rttm")).unwrap(), first);

    std::fs::rename(stage.path("voices/Mary.wav"), stage.path("voices/Mary Ann.wav")).unwrap();
    let told = stage.run(&["diarize", "c.wav", "--rttm", "z.rttm", "--enrol", "voices"]);
    assert_ne!(told.code, 0);
    assert!(told.err.contains("\"Mary Ann\"") && !stage.path("z.rttm").exists(), "{}", told.err);
}

#[test]
fn silence_noise_and_moments_of_speech_have_a_result() {
    let stage = Stage::new();
    let made = |name: &str, source: &str| {
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg.args(["-v", "error", "-y", "-f", "lavfi", "-i", source, "-ar", "16000"]).arg(stage.path(name));
        assert!(ffmpeg.stdin(Stdio::null()).status().expect("ffmpeg is needed: make apt").success());
    };
    made("silence.wav", "anullsrc=r=16000:cl=mono:d=4");
    made("noise.wav", "anoisesrc=d=6:a=0.3:seed=1");
    made(
        "music.wav",
        "aevalsrc='0.2*sin(2*PI*t*220*pow(2,mod(floor(t*2)*5,12)/12))+0.1*sin(2*PI*t*330*pow(2,mod(floor(t*2)*5,12)/12))':d=6",
    );
    part_of_conversation(&stage, "blink.wav", "22.2", "0.05");
    part_of_conversation(&stage, "word.wav", "22.2", "0.7");
    part_of_conversation(&stage, "one.wav", "22", "5");
    for (name, reason, voices) in [
        ("silence", Some("silent"), 0),
        ("noise", Some("no_speech"), 0),
        ("music", Some("no_speech"), 0),
        ("blink", Some("no_speech"), 0),
        ("word", None, 1),
        ("one", None, 1),
    ] {
        let media = format!("{name}.wav");
        let told = stage.run(&["diarize", &media, "--rttm", "x.rttm"]);
        assert_eq!(told.code, 0, "{name}: {}", told.err);
        assert_eq!(speakers_of(&stage, "x.rttm").len(), voices, "{name}");
        if let Some(reason) = reason {
            assert!(told.line("nobody speaks").contains(reason), "{name}: {}", told.err);
        }
        let told = stage.run(&["extract", &media, "--out", name]);
        assert_eq!(told.code, 0, "{name}: {}", told.err);
        let interview = table(&stage, &format!("{name}/interviews.parquet"));
        assert_eq!(interview.text("speech_missing", 0), reason, "{name}");
        assert_eq!(interview.number("speakers", 0), Some(voices as f64), "{name}");
        if voices == 0 {
            // The RTTM of nobody is an answer too.
            let adopted = format!("{name}_adopted");
            let told = stage.run(&["extract", &media, "--out", &adopted, "--rttm", "x.rttm"]);
            assert_eq!(told.code, 0, "{name}: {}", told.err);
            let interview = table(&stage, &format!("{adopted}/interviews.parquet"));
            let warnings = interview.texts("warnings", 0).unwrap();
            assert!(warnings.iter().any(|w| w.starts_with("rttm_empty")), "{name}: {warnings:?}");
        }
    }
}

#[test]
fn turns_whose_voice_is_another_than_their_labels_are_listed() {
    let stage = Stage::new();
    std::fs::copy(sample("conversation.wav"), stage.path("c.wav")).unwrap();
    let times =
        [("10,400", "14,200"), ("14,300", "17,800"), ("18,400", "21,500"), ("21,800", "27,700"), ("28,000", "29,900")];
    let cues = |labels: [&str; 5]| -> String {
        let cue = |(i, ((a, b), who)): (usize, (&(&str, &str), &str))| {
            format!("{}\n00:00:{a} --> 00:00:{b}\n{who}well\n\n", i + 1)
        };
        times.iter().zip(labels).enumerate().map(cue).collect()
    };
    // The last turn is the first one's voice.
    stage.write("wrong.srt", &cues(["JANE: ", "MARY: ", "JANE: ", "MARY: ", "MARY: "]));
    stage.write("nobody.srt", &cues([""; 5]));
    let extract = |transcript: &str, out: &str| {
        let told = stage.run(&[
            "extract",
            "c.wav",
            "--transcript",
            transcript,
            "--out",
            out,
            "--set",
            "input.skip_video=true",
        ]);
        assert_eq!(told.code, 0, "{}", told.err);
        table(&stage, &format!("{out}/turns/c.parquet"))
    };
    let turns = extract("wrong.srt", "out");
    let voices: Vec<_> = (0..5).map(|r| turns.text("diarized_speaker", r).unwrap().to_owned()).collect();
    assert!(
        voices[0] == voices[2] && voices[0] == voices[4] && voices[1] == voices[3] && voices[0] != voices[1],
        "{voices:?}"
    );
    let against: Vec<_> = (0..5).map(|r| turns.text("matched_speaker", r).unwrap() != voices[r]).collect();
    assert_eq!(against, [false, false, false, false, true]);
    let purity: Vec<f64> = (0..5).map(|r| turns.number("speaker_purity", r).unwrap()).collect();
    assert!(purity[..4].iter().all(|p| *p > 0.8) && purity[4] < 0.5, "{purity:?}");
    let shown = stage.run(&["inspect", "out"]);
    assert!(shown.out.contains("another voice than the label's talks most in 1 of 5 turns: 5"), "{}", shown.out);

    // Where the transcript names nobody, the voices do; two at once are told.
    let turns = extract("nobody.srt", "unnamed");
    for (r, voice) in voices.iter().enumerate() {
        assert_eq!(turns.text("speaker", r), Some(voice.as_str()));
        assert!(turns.number("overlap_share", r).is_some());
    }
}
