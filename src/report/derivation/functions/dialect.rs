//! The syntax of a target language: one table of templates per target, filled by the one writer.
//!
//! In a template `$1`, `$2`, … are arguments as they stand between commas. `#1`, `#2` are the same, in
//! brackets unless they are a name, a number or a call. `$v` is a variable.

use crate::number::BigInt;
use crate::report::derivation::functions::definition::{Definition, Head};

/// The templates of one target.
pub(super) struct Dialect {
    /// Whole numbers, as literals.
    pub(super) number: fn(&BigInt) -> String,
    /// The quotient of two literals, in a form that is neither a whole division nor a rounded float.
    pub(super) quotient_of_literals: &'static str,
    /// x to the power of a whole-number literal.
    pub(super) whole_power: &'static str,
    /// x to the y.
    pub(super) power: &'static str,
    pub(super) square_root: &'static str,
    /// The floor of a quotient of whole numbers, which is rounded only once.
    pub(super) floor: &'static str,
    pub(super) ceiling: &'static str,
    /// The floor of a number that may have been rounded several times, if the target's numbers are not exact.
    pub(super) floor_near: &'static str,
    pub(super) ceiling_near: &'static str,
    pub(super) log: &'static str,
    pub(super) min: Call,
    pub(super) max: Call,
    pub(super) gcd: &'static str,
    pub(super) digit_sum: &'static str,
    pub(super) floor_sum: &'static str,
    /// `$2` if `$1` holds, else 0. No fault if `$2` has no value in the other case.
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
    /// Helper functions with their texts, each after the ones it uses. Only used ones are written.
    pub(super) helpers: &'static [(&'static str, &'static str)],
    /// A description of the numbers, for the head.
    pub(super) numbers: &'static str,
    /// Renders the module from its head to its first helper.
    pub(super) head: fn(&Head) -> String,
    pub(super) definition: fn(&Definition) -> String,
    /// Text between two functions.
    pub(super) gap: &'static str,
    /// Limit on the length of a formula, in characters.
    pub(super) most_characters: Option<usize>,
}

/// A call with two or more arguments.
pub(super) enum Call {
    /// A call with any number of arguments.
    Any(&'static str),
    /// A call with two arguments.
    Two(&'static str),
}

/// Σ
pub(super) enum Total {
    /// From `$1` to `$2` of `$3`, in `$v`.
    Inline(&'static str),
    /// A separate function, for targets without anonymous functions.
    Apart(fn(&Loop<'_>) -> String),
}

/// A sum that becomes a separate function.
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

/// The rules for identifiers of a target.
pub(super) struct NameRules {
    /// Words with a meaning there, between blanks.
    pub(super) reserved: &'static str,
    /// True if `H` and `h` are different names.
    pub(super) has_cases: bool,
    /// True if Greek letters are allowed.
    pub(super) has_greek: bool,
    /// True if `n1` and `r` are cells of a sheet.
    pub(super) has_cells: bool,
    /// True if function names carry the program's name, because all programs share one namespace.
    pub(super) prefixes: bool,
    /// True if a parameter is a name of the module, beside the formulas: a formal `io` would hide `io`.
    pub(super) is_flat: bool,
}

/// Fills a template: `$` places from `loose`, `#` places from `tight`.
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
