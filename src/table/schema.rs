//! What a table promises: kinds, units, cut-offs and senses of its columns.

use std::borrow::Cow;

/// What a column holds. Missing values become null; NaN is never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 32-bit float: features.
    F32,
    /// 64-bit float: times and statistics.
    F64,
    /// 64-bit integer: counts and indices.
    I64,
    /// UTF-8 text.
    Str,
    /// True or false.
    Bool,
    /// List of 32-bit floats: embeddings, landmarks.
    F32List,
    /// List of texts.
    StrList,
}

impl Kind {
    /// All.
    pub const ALL: [Kind; 7] = [Kind::F32, Kind::F64, Kind::I64, Kind::Str, Kind::Bool, Kind::F32List, Kind::StrList];

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// The name in SCHEMA.md.
    pub fn name(self) -> &'static str {
        match self {
            Kind::F32 => "float32",
            Kind::F64 => "float64",
            Kind::I64 => "int64",
            Kind::Str => "string",
            Kind::Bool => "bool",
            Kind::F32List => "list of float32",
            Kind::StrList => "list of string",
        }
    }
}

/// Up to what time a feature looked, from the earliest to the latest; a task may only use features that end by its own
/// cut-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutOff {
    /// Known beforehand: keys, corpus facts.
    None,
    /// The start of the row's turn.
    TurnStart,
    /// The end of the row's turn.
    TurnEnd,
    /// The start of the next turn.
    NextTurn,
    /// The whole interview.
    Interview,
    /// A file that does not say: it may have looked at anything, so it leaks past every limit. No table of our own has
    /// it.
    Untold,
}

impl CutOff {
    /// All that a table can tell, in order.
    pub const ALL: [CutOff; 5] =
        [CutOff::None, CutOff::TurnStart, CutOff::TurnEnd, CutOff::NextTurn, CutOff::Interview];

    /// True when a feature that looked up to here saw more than somebody who may look up to `limit`.
    pub fn leaks_past(self, limit: CutOff) -> bool {
        self > limit
    }

    /// The cut-off of that name in the field metadata; `None` for another text, the empty one among them.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }

    /// The value in the field metadata; empty for an untold one.
    pub fn name(self) -> &'static str {
        match self {
            CutOff::None => "none",
            CutOff::TurnStart => "turn_start",
            CutOff::TurnEnd => "turn_end",
            CutOff::NextTurn => "next_turn",
            CutOff::Interview => "interview",
            CutOff::Untold => "",
        }
    }
}

/// The name; of an untold one that it is not told.
impl std::fmt::Display for CutOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == CutOff::Untold { "not told" } else { self.name() })
    }
}

/// The sense a column comes from: what an ablation leaves in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modality {
    /// No sense: keys, names, reasons, facts of the corpus.
    None,
    /// When people speak, and for how long.
    Timing,
    /// How they sound.
    Voice,
    /// How they look.
    Face,
    /// What one does to the other.
    Dyad,
    /// The words they say.
    Words,
    /// A file that does not say, written before tables told it or by another program. No table of our own has it.
    Untold,
}

impl Modality {
    /// All that a table can tell, in order.
    pub const ALL: [Modality; 6] =
        [Modality::None, Modality::Timing, Modality::Voice, Modality::Face, Modality::Dyad, Modality::Words];

    /// The value in the field metadata; empty for an untold one.
    pub fn name(self) -> &'static str {
        match self {
            Modality::None => "none",
            Modality::Timing => "timing",
            Modality::Voice => "voice",
            Modality::Face => "face",
            Modality::Dyad => "dyad",
            Modality::Words => "words",
            Modality::Untold => "",
        }
    }

    /// The modality of that name in the field metadata.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// One column's contract.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSpec {
    /// Unique in its table.
    pub name: Cow<'static, str>,
    /// What it holds.
    pub kind: Kind,
    /// Unit as written in the field metadata; empty for text and plain numbers.
    pub unit: Cow<'static, str>,
    /// One sentence for a reader of the table.
    pub description: Cow<'static, str>,
    /// Up to what time it looked.
    pub cut_off: CutOff,
    /// The sense it comes from.
    pub modality: Modality,
    /// Where the definition comes from: short names of [`super::SOURCES`], joined by `; `; empty where it is Turnwise's
    /// own and the description is the whole of it.
    pub source: Cow<'static, str>,
}

impl ColumnSpec {
    /// A column of no sense whose cut-off is the interview; see [`ColumnSpec::until`] and [`ColumnSpec::of`].
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        unit: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (name, unit, description) = (name.into(), unit.into(), description.into());
        let (cut_off, modality, source) = (CutOff::Interview, Modality::None, Cow::Borrowed(""));
        ColumnSpec { name, kind, unit, description, cut_off, modality, source }
    }

    /// The same with another cut-off.
    pub fn until(mut self, cut_off: CutOff) -> Self {
        self.cut_off = cut_off;
        self
    }

    /// The same of a sense.
    pub fn of(mut self, modality: Modality) -> Self {
        self.modality = modality;
        self
    }

    /// The same after a definition from elsewhere.
    pub fn from_source(mut self, source: impl Into<Cow<'static, str>>) -> Self {
        self.source = source.into();
        self
    }
}

/// A table's contract: its columns in order.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    /// Table and folder name.
    pub name: &'static str,
    /// What one row is.
    pub description: &'static str,
    /// Columns in the order they are written.
    pub columns: Vec<ColumnSpec>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_off_leaks_past_every_earlier_one_and_no_other() {
        for (i, a) in CutOff::ALL.into_iter().enumerate() {
            for (j, b) in CutOff::ALL.into_iter().enumerate() {
                assert_eq!(a.leaks_past(b), i > j, "{a:?} {b:?}");
            }
            assert_eq!(CutOff::from_name(a.name()), Some(a));
        }
        assert_eq!((CutOff::from_name(""), CutOff::from_name("turn")), (None, None));
        // What a file does not say passes no limit, not even the latest.
        assert!(CutOff::ALL.into_iter().all(|limit| CutOff::Untold.leaks_past(limit)));
        assert_eq!((CutOff::Untold.to_string(), CutOff::TurnEnd.to_string()), ("not told".into(), "turn_end".into()));
        assert!(Modality::ALL.into_iter().all(|m| Modality::from_name(m.name()) == Some(m)));
    }
}
