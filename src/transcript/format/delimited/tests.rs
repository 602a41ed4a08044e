//! Tests of `delimited`.

use crate::transcript::Format;
use crate::transcript::read_bytes;
use crate::transcript::tests::{LENIENT, STRICT, complaint, parse, told, warned};
use std::path::Path;

#[test]
fn tables_by_header_name() {
    let want = ["1.5-2.5 Anna: hi, you", "2.5-4 Bob: no"];
    for text in [
        "start,end,speaker,text\n1.5,2.5,Anna,\"hi, you\"\n2.5,4,Bob,no\n",
        "Start Time;End Time;Participant;Utterance\n1,5;2,5;Anna;hi, you\n2,5;4;Bob;no\n",
        "id\tonset_secs\tduration\tname\tsentence\n1\t1.5\t1\tAnna\thi, you\n\n2\t2.5\t1.5\tBob\tno\n",
        "speaker,transcript,StartTime,EndTime\nAnna,\"hi, you\",\"00:00:01,500\",0:02.5\nBob,no,00:02.500,00:00:04\n",
        "start_ms|end (ms)|speaker|dialogue\n1500|2500|Anna|hi, you\n2500|4000|Bob|no\n",
    ] {
        let t = parse("a.dat", text);
        assert_eq!(t.format, Format::Csv);
        assert_eq!(told(&t), want, "{text}");
    }
}

#[test]
fn tables_of_german_and_french_labs() {
    let want = ["1.5-2.5 Anna: hi, you", "2.5-4 Bob: no"];
    for text in [
        "sep=;\nSprecher;Anfang;Ende;Text\nAnna;1,5;2,5;hi, you\nBob;2,5;4;no\n",
        "Sprecher/in;Beginn (s);Dauer (s);Äußerung\nAnna;1,5;1;hi, you\nBob;2,5;1,5;no\n",
        "Locuteur;Début;Fin;Texte\nAnna;00:01,5;00:02,5;hi, you\nBob;00:02,5;00:04;no\n",
        "Intervenant\tDe\u{301}but\tDurée\tÉnoncé\nAnna\t1,5\t1\thi, you\nBob\t2,5\t1,5\tno\n",
        "Person;Von (ms);Bis (ms);Transkript\nAnna;1500;2500;hi, you\nBob;2500;4000;no\n",
    ] {
        let t = parse("a.csv", text);
        assert_eq!(told(&t), want, "{text}");
        let (bytes, ..) = encoding_rs::WINDOWS_1252.encode(text);
        if !text.is_ascii() && !text.contains('\u{301}') {
            let t = read_bytes(&bytes, Path::new("a.csv"), &STRICT).unwrap();
            assert_eq!(told(&t), want, "{text}");
            assert!(warned(&t).contains("windows-1252"), "{}", warned(&t));
        }
    }
}

#[test]
fn whisper_cpps_csv_counts_milliseconds() {
    let t = parse("a.csv", "start,end,text\n0,3200,\" And so\"\n3200,4940,\" it is.\"\n");
    assert_eq!(told(&t), ["0-3.2 And so", "3.2-4.94 it is."]);
    assert!(warned(&t).contains("milliseconds"), "{}", warned(&t));
    let t = parse("a.csv", "start,end,speaker,text\n0,3200,0,\" And so\"\n3200,4940,1,\" it is.\"\n");
    assert_eq!(told(&t), ["0-3.2 0: And so", "3.2-4.94 1: it is."]);
    // Whole seconds stay what they are said to be.
    assert_eq!(told(&parse("a.csv", "start,end,text\n0,120,so\n120,300,it is\n")), ["0-120 so", "120-300 it is"]);
}

#[test]
fn whispers_tsv_counts_milliseconds() {
    let t = parse("a.tsv", "start\tend\ttext\n140\t940\tBonjour !\n");
    assert_eq!(told(&t), ["0.14-0.94 Bonjour !"]);
    assert!(warned(&t).contains("milliseconds"));
    assert_eq!(told(&parse("a.tsv", "start\tend\ttext\n1\t9\ta\n")), ["1-9 a"]);
}

#[test]
fn bad_rows_are_named() {
    let e = complaint("a.csv", "start,end,text\n0,1,a\nx,2,b\n");
    assert!(
        e.starts_with("a.csv:3: row 2: start is \"x\"") && e.contains("expected") || e.contains("times are seconds"),
        "{e}"
    );
    let e = complaint("a.csv", "start,end,text\n0,1,a\n2\n");
    assert!(e.contains("row 2: end is \"\""), "{e}");
    let e = complaint("a.csv", "a,b,c\n0,1,a\n");
    assert!(e.contains("columns are [\"a\", \"b\", \"c\"]") && e.contains("expected a header with start"), "{e}");
    assert!(complaint("a.csv", "start,end,text\n").contains("no cues (CSV)"));
}

#[test]
fn a_cell_too_many_or_too_few_is_told_and_no_words_are_cut_off() {
    let text = "start,end,speaker,text\n0,1,Anna,hello, my dear\n1,2,Bob,yes\n2,3,Bob\n3,4,Anna,no,,\n";
    let e = complaint("a.csv", text);
    assert!(
        e.starts_with("a.csv:2: row 1: 5 cells where the header names 4; \"my dear\" would be lost; put quotes"),
        "{e}"
    );
    let t = read_bytes(text.as_bytes(), Path::new("a.csv"), &LENIENT).unwrap();
    assert_eq!(told(&t), ["1-2 Bob: yes", "3-4 Anna: no"]);
    assert!(warned(&t).contains("dropped line 2: row 1: 5 cells"), "{}", warned(&t));
    assert!(warned(&t).contains("dropped line 4: row 3: 3 cells where the header names 4; no text"), "{}", warned(&t));
}

#[test]
fn an_open_quote_is_told_where_it_begins_and_swallows_nobody() {
    let text = "start,end,speaker,text\n0,1,Anna,\"hello\n1,2,Bob,\"yes\"\n2,3,Anna,\"two\nlines\"\n3,4,Bob,no\n";
    let e = complaint("a.csv", text);
    assert!(e.starts_with("a.csv:2: the quote that begins the cell \"\\\"hello\" is not closed before line 3"), "{e}");
    let t = read_bytes(text.as_bytes(), Path::new("a.csv"), &LENIENT).unwrap();
    assert_eq!(told(&t), ["1-2 Bob: yes", "2-3 Anna: two lines", "3-4 Bob: no"]);
    assert!(warned(&t).contains("dropped line 2: the quote"), "{}", warned(&t));
    let e = complaint("a.csv", "start,end,text\n0,1,a\n1,2,\"b\n");
    assert!(e.starts_with("a.csv:3: the quote") && e.contains("never closed"), "{e}");
}

#[test]
fn a_second_table_and_a_second_column_of_words_are_told() {
    let e = complaint("a.csv", "start,end,text\n0,1,a\nstart,end,text\n0,1,b\n");
    assert!(e.starts_with("a.csv:3: row 2 repeats the header"), "{e}");
    let t = parse("a.csv", "start,end,text,transcription\n0,1,a,so it is\n1,2,b,c\n");
    assert!(
        warned(&t).contains("read from the column text; not read: transcription (2 rows with words)"),
        "{}",
        warned(&t)
    );
}

#[test]
fn a_damaged_row_does_not_change_the_unit_of_the_others() {
    let t = read_bytes(b"start\tend\ttext\n140\t940\ta\n940\tx\tb\n", Path::new("a.tsv"), &LENIENT).unwrap();
    assert_eq!(told(&t), ["0.14-0.94 a"]);
}

#[test]
fn missing_values_are_nobody_and_no_words() {
    let t = parse("a.csv", "start,end,speaker,text\n1,2.5,NA,so it is\n3,4,Jon,NaN\n4,5,Jon,Na and\n");
    assert_eq!(told(&t), ["1-2.5 so it is", "3-4 Jon: ", "4-5 Jon: Na and"]);
    let all = warned(&t);
    assert!(
        all.contains("1 cells of the column speaker hold \"NA\"") && all.contains("they are nobody's name"),
        "{all}"
    );
    assert!(all.contains("1 cells of the column text hold \"NaN\"") && all.contains("they are no words"), "{all}");
    let t = parse("a.csv", "start,end,speaker,text\n1,2.5,NA,A: so\n3,4,NA,B: no\n4,5,NA,A: oh\n5,6,NA,B: yes\n");
    assert_eq!(told(&t), ["1-2.5 A: so", "3-4 B: no", "4-5 A: oh", "5-6 B: yes"]);
}

#[test]
fn columns_of_one_name_are_told() {
    let t = parse("a.csv", "start,end,text,Start,text\n1,2.5,a,5,b\n");
    assert_eq!(told(&t), ["1-2.5 a"]);
    let all = warned(&t);
    assert!(all.contains("2 columns are called start; the one at place 1 is read"), "{all}");
    assert!(all.contains("2 columns are called text; the one at place 3 is read"), "{all}");
}
