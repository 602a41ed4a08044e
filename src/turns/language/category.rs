//! Categories of words.

/// What a word can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    I,
    You,
    We,
    They,
    PersonalPronouns,
    ImpersonalPronouns,
    Articles,
    Conjunctions,
    Prepositions,
    AuxiliaryVerbs,
    Adverbs,
    Negations,
    Quantifiers,
    Hedges,
    Assent,
}

impl Category {
    pub(super) const ALL: [Category; 15] = [
        Category::I,
        Category::You,
        Category::We,
        Category::They,
        Category::PersonalPronouns,
        Category::ImpersonalPronouns,
        Category::Articles,
        Category::Conjunctions,
        Category::Prepositions,
        Category::AuxiliaryVerbs,
        Category::Adverbs,
        Category::Negations,
        Category::Quantifiers,
        Category::Hedges,
        Category::Assent,
    ];

    /// The categories of language style matching (Ireland and Pennebaker 2010).
    pub(super) const STYLE: [Category; 9] = [
        Category::PersonalPronouns,
        Category::ImpersonalPronouns,
        Category::Articles,
        Category::Conjunctions,
        Category::Prepositions,
        Category::AuxiliaryVerbs,
        Category::Adverbs,
        Category::Negations,
        Category::Quantifiers,
    ];

    /// As in the shipped lists.
    pub(super) fn name(self) -> &'static str {
        match self {
            Category::I => "i",
            Category::You => "you",
            Category::We => "we",
            Category::They => "they",
            Category::PersonalPronouns => "personal_pronouns",
            Category::ImpersonalPronouns => "impersonal_pronouns",
            Category::Articles => "articles",
            Category::Conjunctions => "conjunctions",
            Category::Prepositions => "prepositions",
            Category::AuxiliaryVerbs => "auxiliary_verbs",
            Category::Adverbs => "adverbs",
            Category::Negations => "negations",
            Category::Quantifiers => "quantifiers",
            Category::Hedges => "hedges",
            Category::Assent => "assent",
        }
    }

    /// The names by which dictionaries in LIWC's format (2001, 2007, 2015) call it.
    pub(super) fn liwc_names(self) -> &'static [&'static str] {
        match self {
            Category::I => &["i"],
            Category::You => &["you"],
            Category::We => &["we"],
            Category::They => &["they"],
            Category::PersonalPronouns => &["ppron"],
            Category::ImpersonalPronouns => &["ipron"],
            Category::Articles => &["article"],
            Category::Conjunctions => &["conj"],
            Category::Prepositions => &["prep", "preps"],
            Category::AuxiliaryVerbs => &["auxverb"],
            Category::Adverbs => &["adverb"],
            Category::Negations => &["negate"],
            Category::Quantifiers => &["quant"],
            Category::Hedges => &["tentat"],
            Category::Assent => &["assent"],
        }
    }
}

/// Categories of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u32);

impl Set {
    pub(super) fn of(category: Category) -> Self {
        Set(1 << category as u32)
    }

    pub(super) fn with(self, other: Set) -> Self {
        Set(self.0 | other.0)
    }

    pub(super) fn without(self, other: Set) -> Self {
        Set(self.0 & !other.0)
    }

    pub(super) fn has(self, category: Category) -> bool {
        self.0 & Set::of(category).0 != 0
    }

    /// True for a word of one of the nine categories of style.
    pub(super) fn is_function(self) -> bool {
        Category::STYLE.into_iter().any(|c| self.has(c))
    }
}
