//! Tests of `tiers`.

use super::*;

#[test]
fn names_of_tiers() {
    let some = |s: &str| Some(s.to_owned());
    assert_eq!(classify("words"), (Kind::Words, None));
    assert_eq!(classify("Speaker's 2 - phone"), (Kind::Other, some("Speaker's 2")));
    assert_eq!(classify("Gary Salvi - word"), (Kind::Words, some("Gary Salvi")));
    assert_eq!(classify("text@Anna"), (Kind::Speech, some("Anna")));
    assert_eq!(classify("Anna_text"), (Kind::Speech, some("Anna")));
    assert_eq!(classify("gest_included"), (Kind::Other, some("included")));
    assert_eq!(classify("words-pos"), (Kind::Other, None));
    assert_eq!(classify("Mary"), (Kind::Unknown, some("Mary")));
    assert_eq!(classify("\"word\""), (Kind::Words, None));
    assert_eq!(classify(""), (Kind::Unknown, None));
}

#[test]
fn words_of_nobodys_turn_are_told() {
    let grid = |words: &str| {
        format!(
            "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n2\n\"IntervalTier\"\n\"Anna - text\"\n0\n9\n1\n0\n3\n\"so, yes\"\n\
             \"IntervalTier\"\n\"{words}\"\n0\n9\n3\n0\n1\n\"so\"\n1\n2\n\"yes\"\n5\n6\n\"hm\"\n"
        )
    };
    let t = crate::transcript::tests::parse("a.TextGrid", &grid("Anna - words"));
    assert_eq!(t.turns[0].words.len(), 2);
    let told = crate::transcript::tests::warned(&t);
    assert!(told.contains("1 of 3 words lie in no turn and are left out (first: \"hm\" at 5.000 s)"), "{told}");
    // Words of somebody without turns are that person's turns.
    let t = crate::transcript::tests::parse("a.TextGrid", &grid("Bob - words"));
    let turns: Vec<(&str, &str)> = t.turns.iter().map(|t| (t.speaker.as_deref().unwrap(), t.text.as_str())).collect();
    assert_eq!(turns, [("Bob", "so yes"), ("Anna", "so, yes"), ("Bob", "hm")]);
    let told = crate::transcript::tests::warned(&t);
    assert!(told.contains("no turns of the same person beside the words of Bob - words"), "{told}");
    // Words of nobody are those of the turns that hold them, or nobody's.
    let t = crate::transcript::tests::parse("a.TextGrid", &grid("words"));
    assert_eq!((t.turns.len(), t.turns[0].words.len()), (1, 2));
    let t = crate::transcript::tests::parse(
        "a.TextGrid",
        &grid("words").replace("\"so\"", "\"la\"").replace("\"yes\"", "\"lo\""),
    );
    assert!(t.turns[0].words.is_empty());
    let told = crate::transcript::tests::warned(&t);
    assert!(told.contains("tier \"words\": 3 words left out"), "{told}");
    assert_eq!(t.codes.len(), 3);
}
