//! What an EAF says beside its turns: tiers that repeat them, an origin of its times.

use std::path::Path;

use super::read_bytes;
use super::tests::{LENIENT, complaint, parse, told, warned};

#[test]
fn a_tier_of_speech_that_hangs_on_another_is_no_second_turn() {
    let document = |parent: &str, child: &str| {
        format!(
            r#"<ANNOTATION_DOCUMENT><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="500"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1500"/></TIME_ORDER>
<TIER TIER_ID="A_Transcription-de" PARTICIPANT="A"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2">
<ANNOTATION_VALUE>{parent}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="A_Transcription-en" PARTICIPANT="A" PARENT_REF="A_Transcription-de"><ANNOTATION>
<REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1"><ANNOTATION_VALUE>{child}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
</ANNOTATION_DOCUMENT>"#
        )
    };
    let t = parse("a.eaf", &document("so ist es", "so it is"));
    assert_eq!(told(&t), ["0.5-1.5 A: so ist es"]);
    assert!(warned(&t).contains("left out: A_Transcription-en (1 annotations)"), "{}", warned(&t));
    // A tier that only numbers the turns holds none of the words.
    let t = parse("a.eaf", &document("turn1", "so it is"));
    assert_eq!(told(&t), ["0.5-1.5 A: so it is"]);
    assert!(warned(&t).contains("left out: A_Transcription-de (1 annotations)"), "{}", warned(&t));
}

#[test]
fn an_origin_that_is_no_number_is_told() {
    let document = |origin: &str| {
        format!(
            r#"<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds">
<MEDIA_DESCRIPTOR MEDIA_URL="a.mp4" TIME_ORIGIN="{origin}"/></HEADER><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="500"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1500"/></TIME_ORDER>
<TIER TIER_ID="Anna"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2">
<ANNOTATION_VALUE>so</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>"#
        )
    };
    assert!(complaint("a.eaf", &document("1,5 s")).starts_with("a.eaf:2: TIME_ORIGIN \"1,5 s\" is no number"));
    assert!(
        warned(&read_bytes(document("x").as_bytes(), Path::new("a.eaf"), &LENIENT).unwrap())
            .contains("read without it")
    );
    assert!(warned(&parse("a.eaf", &document("1500"))).contains("\"a.mp4\" by 1500 ms (TIME_ORIGIN); not applied"));
    assert_eq!(warned(&parse("a.eaf", &document(""))), "");
}
