//! What a target calls things: one table of templates for each, which the one writer fills.
//!
//! In a template `$1`, `$2`, … are arguments as they stand between commas, `#1`, `#2` the same with
//! brackets where they are more than a name, a number or a call, `$v` a variable.

use crate::number::BigInt;
use crate::report::derivation::functions::definition::{Definition, Head};

/// One target's way to write.
pub(super) struct Dialect {
    /// Whole numbers, as literals.
    pub(super) number: fn(&BigInt) -> String,
    /// Of two literals, where the target would divide whole numbers or make a float of them.
    pub(super) quotient_of_literals: &'static str,
    /// x to a whole number that is written there.
    pub(super) whole_power: &'static str,
    /// x to the y.
    pub(super) power: &'static str,
    pub(super) square_root: &'static str,
    /// Of a quotient of whole numbers, which is rounded once.
    pub(super) floor: &'static str,
    pub(super) ceiling: &'static str,
    /// Of what was rounded more than once on the way, where numbers are not exact.
    pub(super) floor_near: &'static str,
    pub(super) ceiling_near: &'static str,
    pub(super) log: &'static str,
    pub(super) min: Call,
    pub(super) max: Call,
    pub(super) gcd: &'static str,
    pub(super) digit_sum: &'static str,
    pub(super) floor_sum: &'static str,
    /// `$2` where `$1` holds, else 0, without a fault where `$2` has no value then.
    pub(super) choice: &'static str,
    pub(super) total: Total,
    pub(super) truth: [&'static str; 2],
    /// =, ≠, ≥, <, ≤, >
    pub(super) relations: [&'static str; 6],
    pub(super) divides: &'static str,
    pub(super) power_of: &'static str,
    pub(super) not: &'static str,
    pub(super) and: Connective,
    pub(super) or: Connective,
    pub(super) names: NameRules,
    /// Functions of our own with their texts, each after those it uses: those used are written.
    pub(super) helpers: &'static [(&'static str, &'static str)],
    /// What the numbers are, for the head.
    pub(super) numbers: &'static str,
    /// The module from its head to its first helper.
    pub(super) head: fn(&Head) -> String,
    pub(super) definition: fn(&Definition) -> String,
    /// Lines between two functions.
    pub(super) gap: &'static str,
    /// The longest formula that can be entered, in characters.
    pub(super) most_characters: Option<usize>,
}

/// A function of two or more.
pub(super) enum Call {
    /// Of any number of arguments.
    Any(&'static str),
    /// Of two.
    Two(&'static str),
}

/// Σ
pub(super) enum Total {
    /// From `$1` to `$2` of `$3`, in `$v`.
    Inline(&'static str),
    /// A function of its own: the target has none without a name.
    Apart(fn(&Loop<'_>) -> String),
}

/// A sum that becomes a function of its own.
pub(super) struct Loop<'a> {
    pub(super) name: &'a str,
    /// Names visible in it.
    pub(super) arguments: &'a [String],
    pub(super) variable: &'a str,
    pub(super) low: &'a str,
    pub(super) high: &'a str,
    pub(super) body: &'a str,
}

/// ∧ or ∨
pub(super) enum Connective {
    /// Between conditions.
    Infix(&'static str),
    /// Around them.
    Around(&'static str),
}

/// Which identifiers a target takes.
pub(super) struct NameRules {
    /// Words with a meaning there.
    pub(super) reserved: &'static [&'static str],
    /// Whether `H` and `h` are two names.
    pub(super) has_cases: bool,
    /// Whether Greek letters may stay.
    pub(super) has_greek: bool,
    /// Whether `n1` and `r` are places in a sheet.
    pub(super) has_cells: bool,
    /// Whether functions carry the program's name, because all programs share one space.
    pub(super) prefixes: bool,
}

/// Fills a template.
pub(super) fn fill(template: &str, loose: &[&str], tight: &[&str]) -> String {
    let mut out = String::new();
    let mut rest = template.chars();
    while let Some(letter) = rest.next() {
        if letter != '$' && letter != '#' {
            out.push(letter);
            continue;
        }
        let digit = rest.next().and_then(|digit| digit.to_digit(10));
        let at = digit.expect("a template's places are numbered") as usize - 1;
        out += if letter == '$' { loose[at] } else { tight[at] };
    }
    out
}
