use super::*;

#[test]
fn overrides_take_the_type_of_what_they_replace() {
    let r = Recipe::load(None, &["face.rate_hz=0".into(), "input.lenient=true".into()]).unwrap();
    assert!(r.face.rate_hz.abs() < 1e-12 && r.input.lenient);
    assert_ne!(r.hash().unwrap(), Recipe::default().hash().unwrap());
}

#[test]
fn unknown_keys_and_wrong_types_are_told_with_what_is_known() {
    let e = Recipe::load(None, &["face.rate=5".into()]).unwrap_err().to_string();
    assert!(e.contains("unknown key \"face.rate\"") && e.contains("rate_hz"), "{e}");
    let e = Recipe::load(None, &["face.detect_side=64".into()]).unwrap_err().to_string();
    assert!(e.contains("unknown key \"face.detect_side\"; did you mean \"detect_side_px\"?"), "{e}");
    let e = Recipe::load(None, &["face.rate_hz=fast".into()]).unwrap_err().to_string();
    assert!(e.contains("expected float"), "{e}");
    let e = Recipe::load(None, &["face.rate_hz".into()]).unwrap_err().to_string();
    assert!(e.contains("KEY=VALUE"), "{e}");
}

#[test]
fn numbers_without_sense_are_refused_before_any_work() {
    for wrong in [
        "speaker.clustering.unit_secs=0",
        "speaker.segmentation.step_secs=1000",
        "speaker.resegmentation.window_secs=0",
        "speaker.vad.onset_probability=7",
        "face.rate_hz=-1",
        "face.rate_hz=nan",
        "face.detect_side_px=1",
        "face.detect_every_secs=-5",
        "face.embeddings_per_track=0",
        "face.track_score=2",
        "face.detect_score=0",
        "face.search_score=0.01",
        "face={persons_min=3, persons_max=2}",
        "voice.min_turn_secs=inf",
        "voice.pitch_min_hz=5000",
        "input.transcript_shift_secs=nan",
        "input.audio_mix=both",
        "input={track_speakers=true, audio_stream=1}",
        "input={audio_mix=\"all\", audio_stream=1}",
    ] {
        let e = Recipe::load(None, &[wrong.into()]).unwrap_err();
        assert!(matches!(e, Error::Recipe { .. }), "{wrong}: {e}");
    }
    Recipe::load(None, &["input.transcript_shift_secs=-2.5".into(), "face.rate_hz=0".into()]).unwrap();
}

/// Whatever a key's type is, a number that it cannot hold is refused with the key's name.
#[test]
fn no_number_is_taken_that_its_field_cannot_hold() {
    let tree = tree_of(&Recipe::default()).unwrap();
    let (mut narrow, mut integers) = (0, 0);
    for (name, value) in leaves(&tree, "") {
        let refused = |text: &str| {
            let e = Recipe::load(None, &[format!("{name}={text}")]).unwrap_err();
            assert!(matches!(e, Error::Recipe { .. }) && e.to_string().contains(&name), "{name}={text}: {e}");
        };
        match value {
            toml::Value::Float(_) => {
                // What passes must be held: it is the same number in the typed recipe.
                for text in ["1e300", "-1e300", "1e39", "1e-300", "1e-46", "0.7"] {
                    let given: f64 = text.parse().unwrap();
                    match Recipe::load(None, &[format!("{name}={text}")]) {
                        Ok(recipe) => {
                            let typed = tree_of(&recipe).unwrap();
                            let held =
                                leaves(&typed, "").into_iter().find(|(n, _)| *n == name).unwrap().1.as_float().unwrap();
                            assert!((held - given).abs() <= 1e-6 * given.abs(), "{name}: {given} became {held}");
                        }
                        Err(e) => {
                            narrow += usize::from(text == "1e39" && e.to_string().contains("can hold"));
                            // Limits of several keys together tell the stage and the key's own name.
                            let own = name.rsplit('.').next().unwrap();
                            assert!(e.to_string().contains(own), "{name}={text}: {e}");
                        }
                    }
                }
            }
            toml::Value::Integer(_) => {
                integers += 1;
                refused("1e3");
                refused("9223372036854775808");
                if !name.ends_with("_stream") {
                    refused("-1");
                }
                let wide = 5_000_000_000_i64;
                match Recipe::load(None, &[format!("{name}={wide}")]) {
                    Ok(recipe) => assert!(
                        leaves(&tree_of(&recipe).unwrap(), "").contains(&(name.clone(), &wide.into())),
                        "{name}"
                    ),
                    Err(e) => assert!(e.to_string().contains(&name), "{e}"),
                }
            }
            _ => {}
        }
    }
    assert!(narrow >= 2 && integers > 3, "{narrow} 32-bit floats, {integers} integers");
    let e = Recipe::load(None, &["face.rate_hz=9007199254740993".into()]).unwrap_err().to_string();
    assert!(e.contains("face.rate_hz"), "{e}");
}

#[test]
fn the_shipped_recipe_is_the_default() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/default.toml");
    assert_eq!(Recipe::load(Some(&path), &[]).unwrap(), Recipe::default());
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        text.trim(),
        Recipe::default().to_toml().unwrap().trim(),
        "pipelines/default.toml is old; see `turnwise recipe`"
    );
}
