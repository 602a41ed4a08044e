//! Which interview is drawn, what there is of it, and where its media lie.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{painter, talk};
use crate::error::{Error, Result};
use crate::media::StreamPick;
use crate::store::finished::own_tables;
use crate::store::folder::OutputFolder;
use crate::store::paths::{check_interview_id, table_path};
use crate::store::read::{StoredTable, read};

/// Interviews that an error lists.
const LISTED: usize = 8;
/// Codes of warnings that tell of time stamps which are not one clock.
const CLOCKS: [&str; 3] = ["timestamp_jump", "video_clock_restart", "video_time_order"];

/// A finished interview of an output folder.
#[derive(Clone, Debug)]
pub struct Interview {
    /// Its name.
    pub id: String,
    /// Its media as the manifest names them, which may lie anywhere.
    pub media: String,
    tables: BTreeMap<&'static str, PathBuf>,
    row: StoredTable,
}

impl Interview {
    /// Finds `id`, or the only one where none is named.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is no such interview, it is not finished, or it has no media.
    pub fn find(out: &Path, id: Option<&str>) -> Result<Self> {
        let all = OutputFolder::new(out).interviews("interviews")?;
        let listed = || {
            let more = if all.len() > LISTED { ", …" } else { "" };
            format!("its interviews are {}{more}", all.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", "))
        };
        let id = match (id, all.as_slice()) {
            (Some(id), all) if all.iter().any(|known| known == id) => id.to_owned(),
            (_, []) => {
                let what = format!("{} holds no interviews", out.display());
                return Err(Error::Usage { what, hint: "name a folder that `turnwise extract --out` wrote".into() });
            }
            (None, [only]) => only.clone(),
            (Some(id), _) => {
                let what = format!("{} holds no interview {id}", out.display());
                return Err(Error::Usage { what, hint: listed() });
            }
            (None, _) => {
                let what = format!("{} holds {} interviews", out.display(), all.len());
                return Err(Error::Usage { what, hint: format!("name one with --interview; {}", listed()) });
            }
        };
        check_interview_id(&id)?;
        let row = read(&table_path(out, "interviews", &id)?)?;
        if row.text("status", 0) != Some("done") {
            let why = row.text("error", 0).unwrap_or("it is not finished").to_owned();
            return Err(Error::Usage { what: format!("{id} has no tables: {why}"), hint: "extract it first".into() });
        }
        let Some(media) = row.text("media", 0).filter(|m| !m.is_empty()).map(str::to_owned) else {
            let what = format!("{id} has no media");
            return Err(Error::Usage { what, hint: "there is no film to draw on".into() });
        };
        let names: Vec<&'static str> = talk::TABLES.into_iter().chain(painter::TABLES).collect();
        let tables = own_tables(out, &id, &names)?.into_iter().collect();
        Ok(Interview { id, media, tables, row })
    }

    /// Its tables that are drawn, by name.
    pub(super) fn tables(&self) -> &BTreeMap<&'static str, PathBuf> {
        &self.tables
    }

    /// The streams that it was made from.
    pub fn pick(&self) -> StreamPick {
        let index = |name: &str| self.row.number(name, 0).map(|x| x as usize);
        StreamPick { audio: index("audio_stream"), video: index("video_stream"), ..StreamPick::default() }
    }

    /// True where the media's time stamps are known not to be one clock.
    pub(super) fn has_broken_clock(&self) -> bool {
        let warnings = self.row.texts("warnings", 0).unwrap_or_default();
        warnings.iter().any(|w| CLOCKS.iter().any(|code| w.starts_with(&format!("{code}:"))))
    }

    /// Length of the recording.
    pub(super) fn length_secs(&self) -> Option<f64> {
        self.row.number("duration_secs", 0)
    }

    /// Size of the upright picture that the tables' places are counted in.
    pub(super) fn size(&self) -> Option<(u32, u32)> {
        let side = |name: &str| self.row.number(name, 0).map(|x| x as u32);
        Some((side("video_width_px")?, side("video_height_px")?))
    }

    /// Where the media are: `named` itself where it is a file; else by their name, or its last part, in `named`, or
    /// where none is, in the output folder, beside it, or where the program runs.
    ///
    /// # Errors
    /// [`Error::Usage`] where they are in none of these places.
    pub fn locate(&self, out: &Path, named: Option<&Path>) -> Result<PathBuf> {
        if let Some(file) = named.filter(|p| p.is_file()) {
            return Ok(file.to_owned());
        }
        let last = self.media.rsplit('/').next().unwrap_or(&self.media);
        let beside = out.canonicalize().ok().and_then(|p| p.parent().map(Path::to_owned));
        let folders = match named {
            Some(folder) => vec![folder.to_owned()],
            None => [Some(out.to_owned()), beside, Some(PathBuf::from("."))].into_iter().flatten().collect(),
        };
        let places = folders.iter().flat_map(|f| [f.join(&self.media), f.join(last)]);
        places.into_iter().find(|p| p.is_file()).ok_or_else(|| {
            let place = match named {
                Some(folder) => format!("in {}", folder.display()),
                None => format!("in {}, beside it, or here", out.display()),
            };
            let what = format!("the media of {}, {}, are not {place}", self.id, self.media);
            Error::Usage { what, hint: "name their file or folder with --media".into() }
        })
    }
}
