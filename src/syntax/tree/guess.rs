//! What a line that was not understood seems to do to the blocks around it.

use crate::syntax::limits::{is_word, without_label};
use crate::syntax::tree::block::Kind;

/// The guess, so that one faulty line does not make its `end` a second fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) enum Guess {
    Nothing,
    Algorithm,
    Opens(Kind),
    Closes,
}

impl Guess {
    /// Judges a line by its first words.
    pub fn of(line: &str) -> Guess {
        let mut words = without_label(line)
            .split(|c| !is_word(c))
            .filter(|word| !word.is_empty());
        match words.next().unwrap_or("") {
            "algorithm" => Guess::Algorithm,
            "kernel" => Guess::Opens(Kind::Kernel),
            "while" => Guess::Opens(Kind::While),
            "if" => Guess::Opens(Kind::If),
            "end" | "endif" | "endfor" | "endwhile" | "endkernel" => Guess::Closes,
            "for" => Guess::Opens(match (words.next(), words.next()) {
                (Some("all"), Some(index)) if index.starts_with("mp") => Kind::Wrapper,
                (Some("all"), Some(index)) if index.starts_with("c_") => Kind::CoreLoop,
                _ => Kind::For,
            }),
            _ => Guess::Nothing,
        }
    }
}
