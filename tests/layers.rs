//! The staircase: `use crate::` points only downwards, rooms of one storey do not see each other, and a heavy crate has
//! one door.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::rust_files;

/// Storeys from the ground up; a module may import from lower storeys and from itself.
const STOREYS: &[&[&str]] = &[
    &[
        "error",
        "warning",
        "time",
        "signal",
        "annotation",
        "table",
        "text",
        "file",
        "spelling",
        "sheet",
        "pulse",
        "limits",
        "random",
        "statistics",
        "packed",
        "scratch",
        "reference",
    ],
    &["media", "inference", "store", "dft"],
    &["inspect", "report", "overlay"],
    &["audio", "speaker", "face", "body", "transcript"],
    &["turns", "tasks"],
    &["baseline", "export"],
    &["recipe", "pipeline"],
    &["corpus"],
    &["main", "cli", "commands"],
];

/// Storeys whose modules may import each other: the words build on words, a recipe is part of the composition.
const OPEN_STOREYS: &[usize] = &[0, 6, 8];

/// Heavy crates and the only modules that may name them.
const DOORS: &[(&str, &[&str])] = &[
    ("ffmpeg_next", &["media"]),
    ("ffmpeg", &["media"]),
    ("hound", &["media"]),
    ("rubato", &["media"]),
    ("ort", &["inference"]),
    // A model's tensors are arrays: rooms that run models name them.
    ("ndarray", &["inference", "audio", "speaker", "face", "body"]),
    ("nalgebra", &["face"]),
    // Pictures of video frames, cut out, drawn on and written.
    ("image", &["signal", "media", "face", "body", "export", "report", "commands", "overlay"]),
    // Fonts, shaping and outlines of letters.
    ("cosmic_text", &["overlay"]),
    ("csv", &["sheet", "transcript", "commands", "store"]),
    ("quick_xml", &["transcript"]),
    ("encoding_rs", &["transcript", "sheet"]),
    ("toml", &["limits", "recipe", "inference", "turns", "tasks", "export"]),
    ("statrs", &["turns"]),
    ("sha2", &["inference", "pipeline", "recipe", "report"]),
    ("rmp_serde", &["pipeline", "table"]),
    ("zstd", &["pipeline"]),
    ("polars", &["store"]),
    ("polars_parquet", &["store"]),
    ("polars_arrow", &["store"]),
    ("unicode_width", &["inspect"]),
    ("rustfft", &["dft"]),
    ("realfft", &["dft"]),
    ("plotters", &["report"]),
    ("resvg", &["report"]),
    ("ttf_parser", &["report"]),
    ("forust_ml", &["baseline"]),
    ("linfa", &["baseline"]),
    ("linfa_logistic", &["baseline"]),
    ("linfa_elasticnet", &["baseline"]),
    ("linfa_ndarray", &["baseline"]),
    ("clap", &["cli", "main", "commands"]),
    ("indicatif", &["commands", "main"]),
    ("anyhow", &["commands", "main"]),
];

fn room(path: &Path, src: &Path) -> String {
    let first = path.strip_prefix(src).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

fn storey(room: &str) -> Option<usize> {
    STOREYS.iter().position(|s| s.contains(&room))
}

/// The code without comments and strings, so that prose about a crate is no import.
fn code(text: &str) -> String {
    text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The part of a source that is no test: nothing of a file that its folder declares under `#[cfg(test)]`.
fn without_tests<'a>(file: &Path, text: &'a str) -> &'a str {
    let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
    let folder = file.parent().unwrap();
    let declared =
        ["mod.rs", "lib.rs"].iter().filter_map(|name| fs::read_to_string(folder.join(name)).ok()).any(|text| {
            ["", "pub(super) ", "pub(crate) ", "pub "]
                .iter()
                .any(|seen| text.contains(&format!("#[cfg(test)]\n{seen}mod {stem};")))
        });
    if declared { "" } else { text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("") }
}

/// Names that follow `prefix` (`crate::` or `turnwise::`), those inside `{…}` groups included.
fn imports(code: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut start) = (0, true);
            for (i, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => start = true,
                    c if start && depth == 0 && c.is_alphabetic() => {
                        found.push(word(&group[i..]));
                        start = false;
                    }
                    _ => {}
                }
            }
        } else {
            found.push(word(rest));
        }
    }
    found.retain(|w| !w.is_empty());
    found
}

fn upward_edges(room: &str, code: &str) -> Vec<String> {
    let Some(own) = storey(room) else { return vec![format!("{room} has no storey")] };
    imports(code, "crate::")
        .into_iter()
        .chain(imports(code, "turnwise::"))
        .filter(|to| to != room)
        .filter_map(|to| match storey(&to) {
            Some(there) if there < own || (there == own && OPEN_STOREYS.contains(&own)) => None,
            Some(_) => Some(format!("{room} imports {to}")),
            None => None, // macros and re-exported names
        })
        .collect()
}

fn foreign_doors(room: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (krate, rooms) in DOORS {
        let named = code.match_indices(&format!("{krate}::")).any(|(at, _)| {
            !code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
        }) || code.contains(&format!("use {krate};"));
        if named && !rooms.contains(&room) {
            found.push(format!("{room} names {krate}, whose door is {}", rooms.join(", ")));
        }
    }
    found
}

#[test]
fn imports_point_downwards_and_heavy_crates_have_one_door() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files("src");
    assert!(files.len() > 10, "no sources found");
    let mut faults: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(|f| !f.ends_with("src/lib.rs")) {
        let room = room(file, &src);
        let text = fs::read_to_string(file).unwrap();
        // Tests may read with any crate, but import no higher room.
        let found: Vec<String> = upward_edges(&room, &code(&text))
            .into_iter()
            .chain(foreign_doors(&room, &code(without_tests(file, &text))))
            .collect();
        if !found.is_empty() {
            faults.insert(file.strip_prefix(&src).unwrap().display().to_string(), found);
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_reader_of_imports_sees_what_it_should() {
    assert_eq!(imports("use crate::{media, turns::{cast, x}, time::Seconds};", "crate::"), ["media", "turns", "time"]);
    assert_eq!(upward_edges("audio", "use crate::turns::cast;"), ["audio imports turns"]);
    assert_eq!(upward_edges("audio", "use crate::speaker::vad;"), ["audio imports speaker"]);
    assert!(upward_edges("turns", "use crate::{audio, table::Table};").is_empty());
    assert_eq!(foreign_doors("face", "let x = ort::init();").len(), 1);
    assert!(foreign_doors("face", &code("let x = report::init(); // ort::init")).is_empty());
    assert_eq!(foreign_doors("turns", "let m = nalgebra::Matrix3::identity();").len(), 1);
}

#[test]
fn no_room_without_a_noun() {
    for file in rust_files("src") {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            !["util", "utils", "common", "helper", "helpers", "misc", "types"].contains(&stem.as_str()),
            "{}",
            file.display()
        );
    }
}

#[test]
fn files_are_short() {
    let files: Vec<PathBuf> = ["src", "tests", "benches"].into_iter().flat_map(rust_files).collect();
    let lines = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<_> = files.iter().map(|path| (lines(path), path)).filter(|(n, _)| *n > 450).collect();
    assert!(files.len() > 200 && long.is_empty(), "{long:?}");
}
