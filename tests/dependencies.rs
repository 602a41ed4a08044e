//! Each dependency is used: one that nobody names costs every build and says something false about the program.

#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;

/// The text of all Rust sources below the named folders, without comments.
fn sources(folders: &[&str]) -> String {
    let mut text = String::new();
    let mut waiting: Vec<_> = folders.iter().map(|f| Path::new(env!("CARGO_MANIFEST_DIR")).join(f)).collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let source = fs::read_to_string(path).unwrap();
            source.lines().filter(|l| !l.trim_start().starts_with("//")).for_each(|l| text.extend([l, "\n"]));
        }
    }
    text
}

/// Names of the dependencies of a section, which no source names as a path or a derive's home.
fn unused(manifest: &toml::Table, section: &str, text: &str) -> Vec<String> {
    let names = manifest[section].as_table().unwrap().keys();
    let is_named = |name: &str| {
        let name = name.replace('-', "_");
        [format!("{name}::"), format!("use {name};"), format!("use {name} as")].iter().any(|use_| {
            text.match_indices(use_.as_str()).any(|(at, _)| {
                !text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
            })
        })
    };
    names.filter(|name| !is_named(name)).cloned().collect()
}

#[test]
fn each_dependency_is_named_by_a_source() {
    let manifest = include_str!("../Cargo.toml").parse::<toml::Table>().unwrap();
    assert_eq!(unused(&manifest, "dependencies", &sources(&["src"])), Vec::<String>::new());
    assert_eq!(unused(&manifest, "dev-dependencies", &sources(&["src", "tests", "benches"])), Vec::<String>::new());
}

#[test]
fn one_that_nobody_names_is_found() {
    let manifest =
        "[dependencies]\nserde = \"1\"\nkodama = \"1\"\nnum-complex = \"1\"\n".parse::<toml::Table>().unwrap();
    let text = "use serde::Serialize;\nuse my_kodama::x;\nlet c = num_complex::Complex::new(0.0, 1.0);\n";
    assert_eq!(unused(&manifest, "dependencies", text), ["kodama"]);
}
