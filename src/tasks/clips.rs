//! The clips of rows that an export laid beside the samples, read back from their manifests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Error, Result};

/// Where manifests lie below a folder: as the benchmark has them, and as an export without its layout has.
const PLACES: [&str; 2] = ["manual_review_system/review_assets", "review_assets"];

/// A clip of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowClip {
    /// As its manifest writes it: relative to the folder.
    pub path: String,
    /// Seconds; `None` where the manifest has none.
    pub secs: Option<f64>,
}

/// The clips that are there, by sample id and the row's position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clips(BTreeMap<String, BTreeMap<u32, RowClip>>);

impl Clips {
    /// Reads the manifests of some samples below `folder`. A sample without one has no clips; a clip whose file is not
    /// there is none, and told.
    ///
    /// # Errors
    /// [`Error::Read`] for a manifest; [`Error::Parse`] for what is none; [`Error::Usage`] where no sample has one.
    pub fn read<'a>(folder: &Path, samples: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut found = BTreeMap::new();
        for id in samples {
            let places = PLACES.map(|place| folder.join(place).join(id).join("manifest.json"));
            if let Some(manifest) = places.iter().find(|p| p.is_file()) {
                found.insert(id.to_owned(), clips(folder, manifest)?);
            }
        }
        if found.is_empty() {
            let what = format!("{} has no manifest of any sample's clips", folder.display());
            let hint = format!("name the folder that has {} in it", PLACES.join(" or "));
            return Err(Error::Usage { what, hint });
        }
        Ok(Clips(found))
    }

    /// The clip of a row.
    pub fn of(&self, sample: &str, row: u32) -> Option<&RowClip> {
        self.0.get(sample)?.get(&row)
    }
}

fn clips(folder: &Path, manifest: &Path) -> Result<BTreeMap<u32, RowClip>> {
    let text = crate::file::read_text(manifest)?;
    let fail =
        |what: String| Error::parse(manifest, 0, what, "expected {\"rows\": [{\"index\": 1, \"clip_path\": …}]}");
    let content: Value = serde_json::from_str(&text).map_err(|e| fail(format!("no JSON: {e}")))?;
    let rows = content.get("rows").and_then(Value::as_array).ok_or_else(|| fail("it has no list of rows".into()))?;
    let mut found = BTreeMap::new();
    let mut gone: Vec<PathBuf> = Vec::new();
    for row in rows {
        let index = row.get("index").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let index = index.ok_or_else(|| fail(format!("a row without an index: {row}")))?;
        let Some(path) = row.get("clip_path").and_then(Value::as_str).map(str::trim).filter(|p| !p.is_empty()) else {
            continue;
        };
        if folder.join(path).is_file() {
            let secs = row.get("duration_sec").and_then(Value::as_f64);
            found.insert(index, RowClip { path: path.to_owned(), secs });
        } else {
            gone.push(folder.join(path));
        }
    }
    if let Some(first) = gone.first() {
        let (manifest, count) = (manifest.display(), gone.len());
        tracing::warn!("{manifest}: {count} clips are not there, their rows have none: {}, …", first.display());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_counts_where_its_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let assets = folder.path().join("manual_review_system/review_assets/a/1");
        std::fs::create_dir_all(assets.join("clips")).unwrap();
        std::fs::write(assets.join("clips/001.mp4"), "x").unwrap();
        let place = "manual_review_system/review_assets/a/1/clips";
        let rows = [1, 2]
            .map(|i| serde_json::json!({"index": i, "clip_path": format!("{place}/00{i}.mp4"), "duration_sec": 1.5}));
        std::fs::write(assets.join("manifest.json"), serde_json::json!({"rows": rows}).to_string()).unwrap();
        let clips = Clips::read(folder.path(), ["a/1", "a/2"].into_iter()).unwrap();
        assert_eq!(clips.of("a/1", 1), Some(&RowClip { path: format!("{place}/001.mp4"), secs: Some(1.5) }));
        assert_eq!((clips.of("a/1", 2), clips.of("a/2", 1)), (None, None));
        let e = Clips::read(folder.path(), ["b"].into_iter()).unwrap_err().to_string();
        assert!(e.contains("no manifest"), "{e}");
        std::fs::write(assets.join("manifest.json"), "{\"rows\": [{\"clip_path\": \"x\"}]}").unwrap();
        let e = Clips::read(folder.path(), ["a/1"].into_iter()).unwrap_err().to_string();
        assert!(e.contains("without an index"), "{e}");
    }
}
