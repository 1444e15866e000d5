//! Advice: in words, and as the text that a tool can write.

/// Advice in words and, if one text follows it, as that text.
pub(super) struct Hint {
    pub help: String,
    pub remedy: Remedy,
}

/// The text that mends a line, and its place.
pub(super) enum Remedy {
    /// Nothing that a tool could write.
    None,
    /// In place of the line's first word.
    First(&'static str),
    /// In place of the token.
    Token(&'static str),
    /// One of these in place of the token.
    OneOf(&'static [&'static str]),
    /// One of these, in place of the token, the blanks before it and so many bytes before those.
    Around(usize, &'static [&'static str]),
    /// Before the token, or at the end of the line if there is none.
    Before(&'static str),
    /// In place of the last so many bytes before the token; blanks between stay.
    Behind(usize, &'static str),
    /// In place of the whole line but for its label and comment.
    Code(String),
    /// Deletes the line.
    Delete,
    /// In place of the whole line but for its comment: lines with the same indent.
    Lines(Vec<String>),
}

impl From<&str> for Hint {
    fn from(help: &str) -> Hint {
        help.to_owned().into()
    }
}

impl From<String> for Hint {
    fn from(help: String) -> Hint {
        Hint {
            help,
            remedy: Remedy::None,
        }
    }
}

impl Hint {
    fn with(self, remedy: Remedy) -> Hint {
        Hint { remedy, ..self }
    }
}

/// Makes a hint that a tool can follow.
pub(super) fn follow(help: impl Into<Hint>, remedy: Remedy) -> Option<Hint> {
    Some(help.into().with(remedy))
}
