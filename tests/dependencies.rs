//! Each dependency is used: one that nobody names costs every build and says something false about the program.

use std::fs;

use crate::sources::rust_files;

/// The text of all Rust sources below the named folders, without comments.
fn code_of(folders: &[&str]) -> String {
    let files = folders.iter().flat_map(|folder| rust_files(folder));
    let texts = files.map(|path| fs::read_to_string(path).unwrap());
    texts
        .flat_map(|text| text.lines().map(|l| format!("{l}\n")).collect::<Vec<_>>())
        .filter(|l| !l.trim_start().starts_with("//"))
        .collect()
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
    assert_eq!(unused(&manifest, "dependencies", &code_of(&["src"])), Vec::<String>::new());
    assert_eq!(unused(&manifest, "dev-dependencies", &code_of(&["src", "tests", "benches"])), Vec::<String>::new());
}

#[test]
fn one_that_nobody_names_is_found() {
    let manifest =
        "[dependencies]\nserde = \"1\"\nkodama = \"1\"\nnum-complex = \"1\"\n".parse::<toml::Table>().unwrap();
    let text = "use serde::Serialize;\nuse my_kodama::x;\nlet c = num_complex::Complex::new(0.0, 1.0);\n";
    assert_eq!(unused(&manifest, "dependencies", text), ["kodama"]);
}
