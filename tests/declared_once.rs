//! A rule, a modality, a unit and a table are compared by what they are: their names stand as texts in their homes
//! alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::sources::rust_files;

/// Kinds of names and the places (from `src`) where they may be compared as texts: where they are declared, and where
/// files or arguments of people are turned into what they mean.
const HOMES: &[(&str, &[&str])] = &[
    ("rule", &["tasks/rule.rs"]),
    ("modality", &["table/schema.rs"]),
    ("unit", &["table/", "inspect/"]),
    // The folder of tables knows which of them lists the interviews.
    ("table", &["pipeline/tables.rs", "tasks/rule.rs", "store/", "inspect/"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of each kind, as the documents made from their lists have them.
fn names() -> Vec<(&'static str, BTreeSet<String>)> {
    let schema = fs::read_to_string(root().join("SCHEMA.md")).unwrap();
    let tables: BTreeSet<String> = schema
        .lines()
        .filter_map(|l| l.strip_prefix("## "))
        .filter(|l| !l.contains(' '))
        .map(|l| l.trim_matches('`').to_owned())
        .collect();
    let cells =
        schema.lines().filter(|l| l.starts_with("| `")).map(|l| l.split('|').map(str::trim).collect::<Vec<_>>());
    let units: BTreeSet<String> =
        cells.filter_map(|c| c.get(3).map(ToString::to_string)).filter(|u| !u.is_empty() && u != "1").collect();
    let mut rules = BTreeSet::new();
    for file in fs::read_dir(root().join("pipelines/tasks")).unwrap().map(|e| e.unwrap().path()) {
        let text = fs::read_to_string(file).unwrap();
        rules.extend(
            text.lines().filter_map(|l| l.trim().strip_prefix("rule = \"")?.split('"').next().map(str::to_owned)),
        );
    }
    let modalities =
        turnwise::table::Modality::ALL.iter().map(|m| m.name().to_owned()).filter(|m| m != "none").collect();
    let all = vec![("rule", rules), ("modality", modalities), ("unit", units), ("table", tables)];
    for (kind, names) in &all {
        assert!(names.len() > 3, "{kind}: {names:?}");
    }
    all
}

/// The lines of a source that are neither comment nor test.
fn code(text: &str) -> Vec<(usize, &str)> {
    let all = text.lines().zip(1..).take_while(|(l, _)| *l != "#[cfg(test)]" || !text.contains("mod tests {"));
    all.filter(|(l, _)| !l.trim_start().starts_with("//"))
        .map(|(l, n)| (n, l.split("// ").next().unwrap_or("")))
        .collect()
}

/// True where the line compares something with the text.
fn compares(line: &str, name: &str) -> bool {
    let literal = format!("\"{name}\"");
    line.match_indices(&literal).any(|(at, _)| {
        let left = line[..at].trim_end_matches(['(', '&', '*']).trim_end();
        let left = left.strip_suffix("Some").unwrap_or(left).trim_end_matches(['(', '&']).trim_end();
        let right = line[at + literal.len()..].trim_start_matches(')').trim_start();
        let before = ["==", "!=", "|", "contains", "starts_with", "ends_with", ".eq", "strip_prefix"]
            .iter()
            .any(|p| left.ends_with(p));
        before
            || ["==", "!=", "=>", "|", "if "].iter().any(|p| right.starts_with(p))
            || line[..at].contains("matches!(")
    })
}

#[test]
fn names_are_compared_as_texts_in_their_homes_alone() {
    let src = root().join("src");
    let kinds = names();
    let mut found = BTreeSet::new();
    for file in rust_files("src") {
        let place = file.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
        if place.ends_with("tests.rs")
            || place.ends_with("golden.rs")
            || place.ends_with("_truth.rs")
            || place.ends_with("growth.rs")
        {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (kind, names) in &kinds {
            let (_, homes) = HOMES.iter().find(|(k, _)| k == kind).unwrap();
            if homes.iter().any(|home| place.starts_with(home)) {
                continue;
            }
            for (line, code) in code(&text) {
                found.extend(
                    names.iter().filter(|n| compares(code, n)).map(|n| (place.clone(), *kind, n.clone(), line)),
                );
            }
        }
    }
    let new: Vec<String> = found.iter().map(|(p, k, n, l)| format!("{p}:{l}: {k} {n:?}")).collect();
    assert!(new.is_empty(), "compared as texts outside their homes:\n{}", new.join("\n"));
}

#[test]
fn the_reader_of_comparisons_sees_what_it_should() {
    for line in [
        "if x == \"a\" {",
        "\"a\" => 1,",
        "Some(\"a\") => 1,",
        "if x == Some(\"a\")",
        "\"a\" | \"b\" => 2",
        "matches!(x, \"a\")",
        "v.contains(&\"a\")",
    ] {
        assert!(compares(line, "a"), "{line}");
    }
    for line in ["let x = \"a\";", "table(\"a\")", "Layout { name: \"a\" }", "[\"a\", \"b\"]"] {
        assert!(!compares(line, "a"), "{line}");
    }
    assert_eq!(
        code("a // x\n// b\n#[cfg(test)]\nmod tests {\nc").iter().map(|(n, l)| (*n, l.trim())).collect::<Vec<_>>(),
        [(1, "a")]
    );
}
