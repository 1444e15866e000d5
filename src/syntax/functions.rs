//! The one table of functions that are written as calls: reading, printing, checking, hints and LaTeX
//! take names and numbers of arguments from here.
//!
//! The grammar alone repeats the names that are reserved (the tests hold it to this table); ⌈ ⌉, ⌊ ⌋
//! and logarithms have a notation of their own and are no calls.

use crate::syntax::ast::Function;

use Latex::{Command, Operator};
use Place::{Anywhere, Claims};

/// How a function is written.
#[derive(Debug)]
pub(crate) struct Form {
    pub function: Function,
    pub name: &'static str,
    /// How many arguments; `None` is one or more.
    pub arity: Option<usize>,
    /// A call of it, for messages.
    pub call: &'static str,
    pub place: Place,
    pub latex: Latex,
}

/// Where a function may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Wherever numbers stand; its name is reserved.
    Anywhere,
    /// In claims; elsewhere its name is free.
    Claims,
}

/// Whether LaTeX has a command of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Latex {
    Command,
    Operator,
}

const fn row(
    function: Function,
    name: &'static str,
    arity: Option<usize>,
    call: &'static str,
    place: Place,
    latex: Latex,
) -> Form {
    Form {
        function,
        name,
        arity,
        call,
        place,
        latex,
    }
}

/// All of them, in the order of [`Function`].
#[rustfmt::skip]
pub(crate) const FUNCTIONS: [Form; 17] = [
    row(Function::Min,      "min",       None,    "min(x, y)",             Anywhere, Command),
    row(Function::Max,      "max",       None,    "max(x, y)",             Anywhere, Command),
    row(Function::Abs,      "abs",       Some(1), "abs(x)",                Anywhere, Operator),
    row(Function::Select,   "select",    Some(3), "select(c, x, y)",       Anywhere, Operator),
    row(Function::Sqrt,     "sqrt",      Some(1), "sqrt(x)",               Anywhere, Operator),
    row(Function::Exp,      "exp",       Some(1), "exp(x)",                Anywhere, Command),
    row(Function::Ln,       "ln",        Some(1), "ln(x)",                 Anywhere, Command),
    row(Function::Sin,      "sin",       Some(1), "sin(x)",                Anywhere, Command),
    row(Function::Cos,      "cos",       Some(1), "cos(x)",                Anywhere, Command),
    row(Function::BitAnd,   "bitand",    Some(2), "bitand(x, y)",          Anywhere, Operator),
    row(Function::BitOr,    "bitor",     Some(2), "bitor(x, y)",           Anywhere, Operator),
    row(Function::BitXor,   "bitxor",    Some(2), "bitxor(x, y)",          Anywhere, Operator),
    row(Function::Shl,      "shl",       Some(2), "shl(x, y)",             Anywhere, Operator),
    row(Function::Shr,      "shr",       Some(2), "shr(x, y)",             Anywhere, Operator),
    row(Function::Gcd,      "gcd",       Some(2), "gcd(x, y)",             Claims,   Command),
    row(Function::DigitSum, "digit_sum", Some(2), "digit_sum(x, b)",       Claims,   Operator),
    row(Function::FloorSum, "floor_sum", Some(4), "floor_sum(n, a, c, m)", Claims,   Operator),
];

const _: () = assert!(FUNCTIONS.len() == Function::FloorSum as usize + 1);

impl Function {
    /// How it is written.
    pub(crate) fn form(self) -> &'static Form {
        const TABLE: &[Form] = &FUNCTIONS;
        &TABLE[self as usize]
    }
}

/// The function of a name, wherever it may be called.
pub(crate) fn named(name: &str) -> Option<&'static Form> {
    const TABLE: &[Form] = &FUNCTIONS;
    TABLE.iter().find(|form| form.name == name)
}

/// Whether a name is kept for a function.
pub(crate) fn is_reserved(name: &str) -> bool {
    named(name).is_some_and(|form| form.place == Place::Anywhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_its_row() {
        for (at, form) in FUNCTIONS.iter().enumerate() {
            assert_eq!(form.function as usize, at, "{}", form.name);
            assert_eq!(form.function.form().name, form.name);
            assert!(form.call.starts_with(&format!("{}(", form.name)));
            let shown = form.call.matches(',').count() + 1;
            assert!(form.arity.is_none_or(|arity| arity == shown));
        }
    }

    #[test]
    fn the_grammar_reserves_the_same_names() {
        let grammar = include_str!("../../grammar/atgpu.pest");
        let rule = grammar.split("\nfunction = @{").nth(1).expect("a rule");
        let rule = rule.split("~ !tail").next().expect("names");
        let reserved: Vec<&str> = rule.split('"').skip(1).step_by(2).collect();
        let table = FUNCTIONS
            .iter()
            .filter(|form| form.place == Place::Anywhere);
        assert_eq!(reserved, table.map(|form| form.name).collect::<Vec<_>>());
    }
}
