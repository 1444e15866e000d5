//! What a line that was not understood seems to do to the blocks around it.

use crate::syntax::blocks::block::Kind;
use crate::syntax::limits::{is_word, without_label};
use crate::text::nearest;

/// The guess, so that one faulty line does not make its `end` a second fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    Nothing,
    Algorithm,
    Opens(Kind),
    Closes,
}

impl Guess {
    /// Judges a line by its first words.
    pub(crate) fn of(line: &str) -> Guess {
        let mut words = without_label(line)
            .split(|c| !is_word(c))
            .filter(|word| !word.is_empty());
        let first = words.next().unwrap_or("");
        match first {
            "algorithm" => Guess::Algorithm,
            "kernel" => Guess::Opens(Kind::Kernel),
            "while" => Guess::Opens(Kind::While),
            "if" => Guess::Opens(Kind::If),
            "end" | "endif" | "endfor" | "endwhile" | "endkernel" => Guess::Closes,
            "for" => match words.next() {
                Some("all") => Guess::Opens(for_all(words.next())),
                _ => Guess::Opens(Kind::For),
            },
            "forall" => Guess::Opens(for_all(words.next())),
            _ if nearest(first, ["algorithm"]).is_some() => Guess::Algorithm,
            _ => Guess::Nothing,
        }
    }
}

/// The loop that an index of `for all` belongs to.
fn for_all(index: Option<&str>) -> Kind {
    match index {
        Some(index) if index.starts_with("mp") => Kind::Wrapper,
        Some(index) if index.starts_with("c_") => Kind::CoreLoop,
        _ => Kind::For,
    }
}
