//! The likely effect of a line that was not understood on the blocks around it.

use crate::syntax::ast::BlockKind;
use crate::syntax::limits::{is_word, without_label};
use crate::text::nearest;

/// A guess, so that one faulty line does not make its `end` a second fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    Nothing,
    Algorithm,
    Opens(BlockKind),
    Closes,
}

impl Guess {
    /// Judges a line by its first words.
    pub(crate) fn of(line: &str) -> Guess {
        let mut words = without_label(line)
            .split(|c| !is_word(c))
            .filter(|word| !word.is_empty());
        // A wrong guess costs an echo: a line taken for an opening one swallows a later `end`.
        let first = words.next().unwrap_or("");
        // Blocks as C writes them.
        match without_label(line).trim() {
            "}" | "};" => return Guess::Closes,
            // A block on one line.
            line if ["end if", "end for", "end while"]
                .iter()
                .any(|end| line.ends_with(&format!(" {end}"))) =>
            {
                return Guess::Nothing;
            }
            line if line.contains("<<<") || line.starts_with('}') => return Guess::Nothing,
            _ => {}
        }
        match first {
            "algorithm" => Guess::Algorithm,
            "kernel" => Guess::Opens(BlockKind::Kernel),
            "while" => Guess::Opens(BlockKind::While),
            "if" => Guess::Opens(BlockKind::If),
            "end" | "endif" | "endfor" | "endwhile" | "endkernel" => Guess::Closes,
            "for" => match words.next() {
                Some("all") => Guess::Opens(for_all(words.next())),
                _ => Guess::Opens(BlockKind::For),
            },
            "forall" => Guess::Opens(for_all(words.next())),
            "parallel" => Guess::Opens(BlockKind::Wrapper),
            "__global__" | "__kernel" | "void" => Guess::Opens(BlockKind::Kernel),
            _ if line.trim_end().ends_with('{') => Guess::Opens(BlockKind::If),
            _ if nearest(first, ["algorithm"]).is_some() => Guess::Algorithm,
            _ => Guess::Nothing,
        }
    }
}

/// Returns the loop that an index of `for all` belongs to.
fn for_all(index: Option<&str>) -> BlockKind {
    match index {
        Some(index) if index.starts_with("mp") => BlockKind::Wrapper,
        Some(index) if index.starts_with("c_") => BlockKind::CoreLoop,
        _ => BlockKind::For,
    }
}
