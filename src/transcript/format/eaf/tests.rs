//! Tests of `eaf`.

use crate::transcript::Format;
use crate::transcript::read_bytes;
use crate::transcript::tests::{LENIENT, complaint, parse, told, warned};
use std::path::Path;

#[test]
fn elan_tiers_participants_and_references() {
    let t = parse(
        "a.eaf",
        r#"<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="1000"/><TIME_SLOT TIME_SLOT_ID="t2"/><TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="3000"/></TIME_ORDER>
<TIER TIER_ID="A" PARTICIPANT="Anna &amp; Co">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t3"><ANNOTATION_VALUE>b &lt;x&gt;</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2"><ANNOTATION_VALUE>a</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="A gloss" PARENT_REF="A"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a1"><ANNOTATION_VALUE>g</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
</ANNOTATION_DOCUMENT>"#,
    );
    assert_eq!(t.format, Format::Eaf);
    assert_eq!(told(&t), ["1-2 Anna & Co: a", "2-3 Anna & Co: b <x>"]);
    assert!(warned(&t).contains("left out: A gloss"), "{}", warned(&t));
}

#[test]
fn elan_text_that_refers_to_a_reference_tier() {
    let body = |slots: &str| {
        format!(
            r#"<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER>
<TIER TIER_ID="ref@A" PARTICIPANT="Anna"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2"><ANNOTATION_VALUE>001</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="tx@A" PARENT_REF="ref@A">
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1"><ANNOTATION_VALUE>hello</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a1" PREVIOUS_ANNOTATION="a2"><ANNOTATION_VALUE>there</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
</ANNOTATION_DOCUMENT>"#
        )
    };
    let slots = r#"<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="500"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1500"/>"#;
    assert_eq!(told(&parse("a.eaf", &body(slots))), ["0.5-1.5 Anna: hello there"]);
    let e = complaint("a.eaf", &body(""));
    assert!(e.starts_with("a.eaf:4: tier \"tx@A\", annotation a2: time slot \"t1\" has no time"), "{e}");
}

#[test]
fn times_that_are_none_ids_that_repeat_and_cut_ends_are_told() {
    let body = |slots: &str, ids: [&str; 2]| {
        let note = |id: &str, a: &str, b: &str| {
            format!(
                r#"<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{id}" TIME_SLOT_REF1="{a}" TIME_SLOT_REF2="{b}"><ANNOTATION_VALUE>hi</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"#
            )
        };
        let notes = [note(ids[0], "t1", "t2"), note(ids[1], "t2", "t3")].join("\n");
        format!(
            "<ANNOTATION_DOCUMENT><TIME_ORDER>\n{slots}</TIME_ORDER>\n<TIER TIER_ID=\"Anna\">\n{notes}\n</TIER></ANNOTATION_DOCUMENT>\n"
        )
    };
    let slot = |id: &str, time: &str| format!("<TIME_SLOT TIME_SLOT_ID=\"{id}\" TIME_VALUE=\"{time}\"/>\n");
    let good = [slot("t1", "1000"), slot("t2", "2000"), slot("t3", "3000")].concat();
    let whole = body(&good, ["a1", "a2"]);
    assert_eq!((told(&parse("a.eaf", &whole)).len(), warned(&parse("a.eaf", &whole))), (2, String::new()));
    let e = complaint("a.eaf", &body(&good.replace("2000", "2O00"), ["a1", "a2"]));
    assert!(e.starts_with("a.eaf:3: time slot \"t2\": the time \"2O00\" is no number"), "{e}");
    let e = complaint("a.eaf", &body(&format!("{good}{}", slot("t2", "9")), ["a1", "a2"]));
    assert!(e.contains("time slot \"t2\" occurs twice"), "{e}");
    assert!(complaint("a.eaf", &body(&good, ["a1", "a1"])).starts_with("a.eaf:8: annotation a1 occurs twice"));
    assert!(complaint("a.eaf", &format!("{whole}{whole}")).contains("a second document begins"));
    let cut = &whole[..whole.rfind("hi<").unwrap() + 1];
    let e = complaint("a.eaf", cut);
    assert!(e.starts_with("a.eaf:8: the file ends within <ANNOTATION_VALUE>, which is not closed"), "{e}");
    let t = read_bytes(cut.as_bytes(), Path::new("a.eaf"), &LENIENT).unwrap();
    assert_eq!(told(&t), ["1-2 Anna: hi"], "what is not whole goes");
    assert!(warned(&t).contains("line 8: the file ends within"), "{}", warned(&t));
}

#[test]
fn an_entity_of_the_files_own_is_told_and_never_grows() {
    let document = |attribute: &str, value: &str| {
        format!(
            r#"<!DOCTYPE x [<!ENTITY l0 "ha"><!ENTITY l1 "&l0;&l0;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<ANNOTATION_DOCUMENT><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="500"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1500"/></TIME_ORDER>
<TIER TIER_ID="A" PARTICIPANT="{attribute}"><ANNOTATION>
<ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2"><ANNOTATION_VALUE>
{value}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>"#
        )
    };
    let e = complaint("a.eaf", &document("Anna", "well &l1; yes"));
    assert!(e.starts_with("a.eaf:6: nothing defines the entity &l1;"), "{e}");
    let e = complaint("a.eaf", &document("&f;", "well"));
    assert!(e.starts_with("a.eaf:4: PARTICIPANT refers to an entity that nothing defines: &f;"), "{e}");
    let kept = read_bytes(document("Anna", "well &l1; yes").as_bytes(), Path::new("a.eaf"), &LENIENT).unwrap();
    assert_eq!(told(&kept), ["0.5-1.5 Anna: well &l1; yes"]);
    assert!(
        warned(&kept).contains("line 6: nothing defines the entity &l1;; it is kept as written"),
        "{}",
        warned(&kept)
    );
}

#[test]
fn slots_without_a_time_lie_between_those_of_their_tier_and_are_told() {
    let note = |id: &str, a: &str, b: &str| {
        format!(
            r#"<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{id}" TIME_SLOT_REF1="{a}" TIME_SLOT_REF2="{b}"><ANNOTATION_VALUE>said {id}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"#
        )
    };
    let slot = |id: &str, time: &str| format!("<TIME_SLOT TIME_SLOT_ID=\"{id}\" {time}/>");
    // Ben's slots stand between Anna's in the list, and say nothing of them.
    let slots = [
        slot("a1", "TIME_VALUE=\"0\""),
        slot("a2", ""),
        slot("a3", ""),
        slot("b1", "TIME_VALUE=\"500\""),
        slot("b2", "TIME_VALUE=\"900\""),
        slot("a4", "TIME_VALUE=\"3000\""),
    ];
    let text = format!(
        "<ANNOTATION_DOCUMENT><TIME_ORDER>{}</TIME_ORDER><TIER TIER_ID=\"Anna\">{}{}{}</TIER><TIER TIER_ID=\"Ben\">{}</TIER></ANNOTATION_DOCUMENT>",
        slots.concat(),
        note("x", "a1", "a2"),
        note("y", "a2", "a3"),
        note("z", "a3", "a4"),
        note("w", "b1", "b2"),
    );
    let t = parse("a.eaf", &text);
    assert_eq!(told(&t), ["0-1 Anna: said x", "0.5-0.9 Ben: said w", "1-2 Anna: said y", "2-3 Anna: said z"]);
    assert!(
        warned(&t).contains("2 time slots have no time; they lie evenly between their neighbours"),
        "{}",
        warned(&t)
    );
}
