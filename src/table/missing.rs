//! Why a value is missing.

/// Why a group of columns is null; the value of a `<group>_missing` column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Missing {
    /// The recording has no such stream.
    NoStream,
    /// No face was seen.
    NoFace,
    /// A face is seen, and no body with it.
    NoBody,
    /// The body is seen, and no hand.
    HandsOutOfPicture,
    /// The person is not in the picture.
    OffScreen,
    /// Faces are seen, and the cast tells of none of them that it is the speaker's.
    NotCast,
    /// A face is there, but too small, blurred or turned away to be measured.
    LowQuality,
    /// The turn is shorter than the feature needs.
    TooShort,
    /// There is no sound.
    Silent,
    /// There is no voiced sound.
    Unvoiced,
    /// The recipe leaves it out.
    NotRequested,
    /// The turn lies past the end of the stream.
    PastEnd,
    /// Nobody was found speaking.
    NoSpeech,
    /// The turn goes on with its speaker's own floor.
    SameFloor,
    /// Nobody held the floor before.
    FirstFloor,
    /// The floor was another's than the one asked for.
    OtherFloor,
    /// Short and wholly inside another's turn: it leaves the floor where it is.
    Backchannel,
    /// Wholly inside another's turn: it never had the floor.
    InsideAnother,
    /// Two began together.
    Simultaneous,
    /// It begins before the other has ended.
    Overlap,
    /// What was said in between could not be read.
    DroppedCue,
    /// The transcript does not say who speaks.
    NoLabel,
    /// The language is written without spaces between words.
    NoSpaces,
    /// There is no transcript.
    NoTranscript,
    /// The series never changes.
    Constant,
    /// Nothing is said in words, or there is no transcript.
    NoWords,
    /// The transcript is of a language without word lists.
    OtherLanguage,
    /// The transcript's language is not known, or its words contradict what is declared.
    UnknownLanguage,
    /// The dictionary has no such list.
    NoList,
    /// The turn before is not the other's.
    NotAdjacent,
    /// It has not happened so far.
    NotYet,
    /// The two are in different tiles of a split screen.
    SplitScreen,
    /// The person's camera shows a still picture.
    StillPicture,
    /// The two are never in one picture.
    NotTogether,
    /// The listener talks all the time.
    NeverSilent,
    /// No voice was found for the speaker.
    NoVoice,
    /// Another voice than the label's talks most in the turn, or in the one before it.
    VoiceContradicts,
    /// The transcript fits the sound no better than another would.
    NoFit,
    /// Nobody speaks in the turn, as a correction says.
    NotSpeech,
}

impl Missing {
    /// The value in the tables.
    pub fn reason(self) -> &'static str {
        match self {
            Missing::NoStream => "no_stream",
            Missing::NoFace => "no_face",
            Missing::NoBody => "no_body",
            Missing::HandsOutOfPicture => "hands_out_of_picture",
            Missing::OffScreen => "off_screen",
            Missing::NotCast => "not_cast",
            Missing::LowQuality => "low_quality",
            Missing::TooShort => "too_short",
            Missing::Silent => "silent",
            Missing::Unvoiced => "unvoiced",
            Missing::NotRequested => "not_requested",
            Missing::PastEnd => "past_end",
            Missing::NoSpeech => "no_speech",
            Missing::NoVoice => "no_voice",
            Missing::VoiceContradicts => "voice_contradicts",
            Missing::SameFloor => "same_floor",
            Missing::FirstFloor => "first_floor",
            Missing::OtherFloor => "other_floor",
            Missing::Backchannel => "backchannel",
            Missing::InsideAnother => "inside_another",
            Missing::Simultaneous => "simultaneous",
            Missing::Overlap => "overlap",
            Missing::DroppedCue => "dropped_cue",
            Missing::NoLabel => "no_label",
            Missing::NoSpaces => "no_spaces",
            Missing::NoTranscript => "no_transcript",
            Missing::Constant => "constant",
            Missing::NoWords => "no_words",
            Missing::OtherLanguage => "other_language",
            Missing::UnknownLanguage => "unknown_language",
            Missing::NoList => "no_list",
            Missing::NotAdjacent => "not_adjacent",
            Missing::NotYet => "not_yet",
            Missing::SplitScreen => "split_screen",
            Missing::StillPicture => "still_picture",
            Missing::NotTogether => "not_together",
            Missing::NeverSilent => "never_silent",
            Missing::NoFit => "no_fit",
            Missing::NotSpeech => "not_speech",
        }
    }
}
