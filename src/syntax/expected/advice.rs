//! What to write instead: in words, and as the text that a tool could write.

/// What to write instead, in words and, where one text does it, as that text.
pub(super) struct Hint {
    pub help: String,
    pub remedy: Remedy,
}

/// The text that mends a line, and where it goes.
pub(super) enum Remedy {
    /// Nothing a tool could write.
    None,
    /// In place of the line's first word.
    First(&'static str),
    /// In place of the token.
    Token(&'static str),
    /// One of these in place of the token.
    OneOf(&'static [&'static str]),
    /// In place of the token and so many bytes before it, one of these.
    Around(usize, &'static [&'static str]),
    /// Before the token, or at the end of the line where there is none.
    Before(&'static str),
    /// In place of so many bytes before the token, and the space between.
    Behind(usize, &'static str),
    /// In place of the whole line but for its label and comment.
    Code(String),
    /// The line goes.
    Delete,
    /// `x += e` as `x ← x + e`; the operator is the first character of the mark.
    Update(&'static str),
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

/// A hint that a tool can follow.
pub(super) fn follow(help: impl Into<Hint>, remedy: Remedy) -> Option<Hint> {
    Some(help.into().with(remedy))
}
