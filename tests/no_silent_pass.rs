//! A test that does not run says so, and a test that runs can fail.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::rust_files;

/// A test: its name, the lines between `#[test]` and the function, and its body.
struct Test {
    name: String,
    head: String,
    body: String,
}

fn tests_of(text: &str) -> Vec<Test> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = (0..lines.len()).filter(|&i| lines[i].trim() == "#[test]");
    let test = |i: usize| {
        let indent = &lines[i][..lines[i].len() - lines[i].trim_start().len()];
        let end = (i..lines.len()).find(|&j| lines[j] == format!("{indent}}}")).unwrap_or(lines.len());
        let begin = (i..end).find(|&j| lines[j].trim_start().starts_with("fn ")).unwrap_or(end);
        let name = lines[begin..]
            .first()
            .map_or("", |l| l.trim_start().trim_start_matches("fn "))
            .split('(')
            .next()
            .unwrap_or("")
            .to_owned();
        Test { name, head: lines[i..begin].join("\n"), body: lines[begin..end].join("\n") }
    };
    starts.map(test).collect()
}

/// What is wrong with a test.
fn faults(test: &Test, text: &str) -> Vec<&'static str> {
    let mut faults = Vec::new();
    if test.body.contains("return;") || test.body.contains("else { return }") {
        faults.push("returns early: it counts as passed");
    }
    // A helper of the same file may do the asserting.
    let asserts = |body: &str| {
        ["assert", ".line(", "unwrap_err", "expect_err", "panic!", "#[should_panic"].iter().any(|a| body.contains(a))
    };
    let called = |name: &str| {
        let head = format!("fn {name}");
        let mut chars = text.match_indices(&head).map(|(at, _)| &text[at + 3 + name.len()..]);
        chars.any(|rest| {
            (rest.starts_with('(') || rest.starts_with('<'))
                && asserts(rest.split("\n}\n").next().unwrap_or("").split("\n    }\n").next().unwrap_or(""))
        })
    };
    let words = test.body.split(|c: char| !(c.is_alphanumeric() || c == '_')).skip(2);
    let measured = test.head.contains("a measurement");
    if !asserts(&test.body) && !measured && !words.filter(|w| !w.is_empty()).any(called) {
        faults.push("asserts nothing: it cannot fail");
    }
    let gated = test.head.contains("shared-tests") || measured;
    if (test.body.contains("reference::folder()") || test.body.contains("TURNWISE_SHARED")) && !gated {
        faults.push(
            "needs the reference clips and does not say so: cfg_attr(not(feature = \"shared-tests\"), ignore = …)",
        );
    }
    faults
}

#[test]
fn no_test_returns_early_and_every_test_can_fail() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<PathBuf> = ["src", "tests"].into_iter().flat_map(rust_files).collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files.iter().filter(|f| !f.ends_with("tests/no_silent_pass.rs")) {
        let text = fs::read_to_string(file).unwrap();
        for test in tests_of(&text) {
            count += 1;
            let place = file.strip_prefix(root).unwrap().display();
            wrong.extend(faults(&test, &text).iter().map(|fault| format!("{place}: {}: {fault}", test.name)));
        }
    }
    assert!(count > 500, "{count} tests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_of_tests_is_part_of_the_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    let named: Vec<&str> = main.lines().filter_map(|l| l.strip_prefix("mod ")?.strip_suffix(';')).collect();
    let entries = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
    let files: Vec<String> = entries
        .filter(|p| p.extension().is_some_and(|e| e == "rs") && !p.ends_with("main.rs"))
        .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(files.len() > 40, "{} files", files.len());
    let left: Vec<&String> = files.iter().filter(|f| !named.contains(&f.as_str())).collect();
    assert!(left.is_empty(), "tests/main.rs does not name {left:?}: their tests are not run");
}

#[test]
fn the_reader_of_tests_sees_what_it_should() {
    let wrong = |text: &str| tests_of(text).iter().map(|t| faults(t, text).len()).collect::<Vec<_>>();
    assert_eq!(wrong("#[test]\nfn a() {\n    let Some(x) = y() else { return };\n    assert!(x);\n}\n"), [1]);
    assert_eq!(wrong("#[test]\nfn a() {\n    let _ = read();\n}\nfn read() {\n    1\n}\n"), [1]);
    assert_eq!(wrong("#[test]\nfn a() {\n    held(1);\n}\nfn held(x: u8) {\n    assert_eq!(x, 1);\n}\n"), [0]);
    assert_eq!(wrong("#[test]\nfn a() {\n    assert!(crate::reference::folder().is_dir());\n}\n"), [1]);
}
