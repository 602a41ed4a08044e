//! How the benchmark's scripts name a model's reply to an instance.

/// What the scripts call an instance's id and the answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Field of the instance's id.
    pub id: &'static str,
    /// Fields of the answer.
    pub answer: ReplyAnswer,
}

/// Fields of an answer, by what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyAnswer {
    /// yes or no, with confidence and reason.
    Decision(&'static str),
    /// Three names, best first, "" where there are fewer.
    Top(&'static str),
    /// A text and a number.
    Felt(&'static str, &'static str),
    /// Whose view of whom.
    Views(&'static str),
}
