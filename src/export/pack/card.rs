//! `README.md` of a data set: what Hugging Face reads in front, what people read behind.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::PackRequest;
use super::splits::{Place, Split};
use crate::inspect::schema_doc::{cell, sources_markdown};
use crate::store::holdings::{Held, HeldTable, Holdings};
use crate::store::provenance::MIXED;
use crate::tasks::FeatureTable;
use crate::text::{clean, counted};

/// A table as it was packed.
pub(super) struct Packed<'a> {
    pub(super) table: &'a HeldTable,
    /// Rows of each split that has a file.
    pub(super) rows: BTreeMap<Split, u64>,
    pub(super) files: usize,
}

/// All that the card tells.
pub(super) struct Card<'a> {
    /// Of the data set's folder.
    pub(super) name: &'a str,
    pub(super) request: &'a PackRequest<'a>,
    pub(super) holdings: &'a Holdings,
    /// In the order of the interviews.
    pub(super) places: &'a [Place],
    pub(super) tables: &'a [Packed<'a>],
}

impl Card<'_> {
    /// The page. It tells nothing of when or where it was made.
    pub(super) fn page(&self) -> String {
        let mut text = self.front();
        self.what(&mut text);
        self.splits(&mut text);
        self.making(&mut text);
        self.columns(&mut text);
        self.absent(&mut text);
        text
    }

    /// The YAML that Hugging Face reads: one configuration a table. Texts are quoted as JSON, which YAML understands.
    fn front(&self) -> String {
        let mut text = format!("---\npretty_name: {}\ntags:\n- turnwise\nconfigs:\n", quoted(self.name));
        let first = self.tables.iter().position(|p| p.table.schema.table == FeatureTable::Turns.name()).unwrap_or(0);
        for (at, packed) in self.tables.iter().enumerate() {
            let name = &packed.table.schema.table;
            // Writing to a String cannot fail.
            let _ = writeln!(text, "- config_name: {}", quoted(name));
            if at == first {
                text += "  default: true\n";
            }
            text += "  data_files:\n";
            for split in packed.rows.keys() {
                let _ =
                    writeln!(text, "  - split: {}\n    path: {}", split.name(), quoted(&self.pattern(name, *split)));
            }
        }
        text + "---\n"
    }

    /// The files of a table's split.
    fn pattern(&self, table: &str, split: Split) -> String {
        let partition = if self.request.by_group { "*/" } else { "" };
        format!("{table}/{partition}{}-*.parquet", split.name())
    }

    fn what(&self, text: &mut String) {
        let (minutes, unknown) = minutes(self.holdings.done.iter());
        let done = self.holdings.done.len();
        let _ = write!(
            text,
            "\n# {}\n\nMeasurements of {} ({minutes:.1} minutes), made by Turnwise: what faces, voices and turns of conversations \
             did, as tables. No media are in it; people can be told by their names, words, and embeddings where tables have them.\n\n",
            plain(self.name),
            counted(done, "interview"),
        );
        if unknown > 0 {
            let _ = writeln!(
                text,
                "{} made without media; their length is not in the minutes.\n",
                if unknown == 1 { "1 interview was".to_owned() } else { format!("{unknown} interviews were") }
            );
        }
        let partition = if self.request.by_group { "`<table>/group-<group>/" } else { "`<table>/" };
        let _ = write!(
            text,
            "Each table is the Parquet files {partition}<split>-<number>.parquet`, sorted by `interview_id`. Each interview begins a row group of \
             its own (those of `interviews` share one), so that readers skip the others by the statistics of `interview_id` and `group`. \
             Unit, description, cut-off, modality and source of a column are the metadata of its Arrow field. A missing value is null; \
             `_missing` columns say why.\n\n\
             | table | one row is | rows | interviews | files |\n|---|---|---|---|---|\n"
        );
        for packed in self.tables {
            let schema = &packed.table.schema;
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {} |",
                schema.table,
                cell(&schema.description),
                packed.rows.values().sum::<u64>(),
                packed.table.files.len(),
                packed.files
            );
        }
        let example = self.tables.last().map_or("", |p| p.table.schema.table.as_str());
        let _ = writeln!(
            text,
            "\n```python\nimport datasets, duckdb, polars as pl\n\nturns = datasets.load_dataset({name}, {example})\n\
             lazy = pl.scan_parquet({files}).filter(pl.col(\"interview_id\") == \"…\")\n\
             duckdb.sql(\"SELECT interview_id, count(*) FROM {sql} GROUP BY ALL\")\n```",
            name = quoted(self.name),
            example = quoted(example),
            files = quoted(&format!("{}/{example}/**/*.parquet", self.name)),
            sql = format_args!("'{example}/**/*.parquet'"),
        );
    }

    fn splits(&self, text: &mut String) {
        let shares = self.request.shares;
        let _ = write!(
            text,
            "\n## Splits\n\nNo split parts a couple or family: interviews that share the folder of their ids or the manifest's group stay \
             together (`split_group` in `splits/<split>.csv`, which list the interviews). Where `group` says `couple` or `family` it tells \
             the kind of group, and the folder alone decides. Asked for were {} of the interviews for validation and {} for the test, \
             seed {}.\n\n| split | interviews | groups | minutes |\n|---|---|---|---|\n",
            shares.validation, shares.test, shares.seed
        );
        for split in Split::ALL {
            let of: Vec<(&Held, &Place)> =
                self.holdings.done.iter().zip(self.places).filter(|(_, place)| place.split == split).collect();
            let groups: std::collections::BTreeSet<&str> = of.iter().map(|(_, place)| place.unit.as_str()).collect();
            let (minutes, _) = minutes(of.iter().map(|(held, _)| *held));
            let _ = writeln!(text, "| {} | {} | {} | {minutes:.1} |", split.name(), of.len(), groups.len());
        }
    }

    fn making(&self, text: &mut String) {
        let made = self.holdings.makings.common();
        let _ = writeln!(
            text,
            "\n## How it was made\n\nTurnwise {}, schema {}, recipe {}.",
            cell(&made.tool_version),
            cell(&made.schema_version),
            cell(&made.recipe_hash)
        );
        if self.holdings.makings.is_mixed() {
            let ways = self.holdings.makings.text();
            let _ = writeln!(
                text,
                "\n**The interviews were not all made the same way**; what differs is told as `{MIXED}`.\n\n```text\n{}\n```",
                fenced(ways.trim_end())
            );
        }
        if let Ok(recipe) = serde_json::from_str::<serde_json::Value>(&made.recipe) {
            let _ = writeln!(text, "\n```json\n{}\n```", fenced(&format!("{recipe:#}")));
        }
        if !made.models.is_empty() {
            text.push_str("\n## Models\n\n| model | role | origin | licence | sha256 |\n|---|---|---|---|---|\n");
        }
        for (name, sha256) in &made.models {
            // A licence is of one file, and no other of that name.
            let known = self.request.registry.models().find(|m| m.name == *name && m.sha256 == *sha256);
            let told = |part: Option<&str>| cell(part.filter(|t| !t.is_empty()).unwrap_or("not known"));
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | `{}` |",
                cell(name),
                told(known.map(|m| m.role.as_str())),
                told(known.map(|m| m.origin.as_str())),
                told(known.map(|m| m.licence.as_str())),
                cell(sha256)
            );
        }
    }

    fn columns(&self, text: &mut String) {
        text.push_str(
            "\n## Columns\n\nCut-off: the time up to which a column looked: none (known beforehand), turn_start, turn_end, next_turn, \
             interview (its end). Keys in brackets are those of the recipe.\n",
        );
        for packed in self.tables {
            let schema = &packed.table.schema;
            let _ = write!(
                text,
                "\n### {}\n\n{}\n\n| column | type | unit | cut-off | modality | description | source |\n|---|---|---|---|---|---|---|\n",
                schema.table,
                cell(&schema.description)
            );
            for spec in &schema.columns {
                let _ = writeln!(
                    text,
                    "| `{}` | {} | {} | {} | {} | {} | {} |",
                    cell(&spec.name),
                    spec.kind.name(),
                    cell(&spec.unit),
                    spec.cut_off.name(),
                    spec.modality.name(),
                    cell(&clean(&spec.description)),
                    cell(&spec.source)
                );
            }
        }
        text.push_str(&sources_markdown(self.tables.iter().flat_map(|p| &p.table.schema.columns)));
    }

    /// What a reader could miss.
    fn absent(&self, text: &mut String) {
        text.push_str("\n## Not in it\n\n");
        if self.holdings.failed.is_empty() && self.holdings.left_out.is_empty() {
            text.push_str("No interview failed.\n");
        }
        if !self.holdings.failed.is_empty() {
            let _ = writeln!(text, "{} failed:\n", counted(self.holdings.failed.len(), "interview"));
            text.push_str("| interview | kind | error |\n|---|---|---|\n");
        }
        for failed in &self.holdings.failed {
            let _ =
                writeln!(text, "| {} | {} | {} |", cell(&failed.id), cell(&failed.kind), cell(&clean(&failed.error)));
        }
        if !self.holdings.left_out.is_empty() {
            text.push_str("\nFiles that no finished interview vouches for:\n\n");
        }
        for (table, files) in &self.holdings.left_out {
            let _ = writeln!(text, "- {}: {}", cell(table), counted(*files, "file"));
        }
    }
}

/// Minutes of all, and how many have no known length.
fn minutes<'a>(interviews: impl Iterator<Item = &'a Held>) -> (f64, usize) {
    interviews.fold((0.0, 0), |(minutes, unknown), held| match held.duration_secs {
        Some(secs) => (minutes + secs / 60.0, unknown),
        None => (minutes, unknown + 1),
    })
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// On one line of Markdown.
fn plain(text: &str) -> String {
    clean(text).replace('\n', " ")
}

/// Inside a fence of backticks, which it must not end.
fn fenced(text: &str) -> String {
    text.replace("```", "'''")
}
