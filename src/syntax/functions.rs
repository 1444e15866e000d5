//! The one table of functions that are written as calls: reading, printing, checking, hints and
//! LaTeX
//! take names and numbers of arguments from here.
//!
//! Only the grammar repeats the reserved names (the tests hold it to this table). ⌈ ⌉, ⌊ ⌋ and
//! logarithms have notations of their own and are no calls.

use Latex::{Command, Operator};

/// A function written as a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// `min(x, …)`
    Min,
    /// `max(x, …)`
    Max,
    /// `abs(x)`
    Abs,
    /// `select(c, x, y)`
    Select,
    /// A function of one number.
    Math(MathFunction),
    /// A function of two whole numbers ≥ 0.
    Bits(BitFunction),
    /// A function of whole numbers, in claims; elsewhere its name is free.
    Claim(ClaimFunction),
}

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MathFunction {
    /// `sqrt`
    Sqrt,
    /// `exp`
    Exp,
    /// `ln`
    Ln,
    /// `sin`
    Sin,
    /// `cos`
    Cos,
}

/// A function of two whole numbers ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BitFunction {
    /// `bitand`
    And,
    /// `bitor`
    Or,
    /// `bitxor`
    Xor,
    /// `shl`
    ShiftLeft,
    /// `shr`
    ShiftRight,
}

/// A function of whole numbers that only claims may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClaimFunction {
    /// `gcd(x, y)`
    Gcd,
    /// `digit_sum(x, b)`
    DigitSum,
    /// `floor_sum(n, a, c, m)`
    FloorSum,
}

/// The spelling of a function.
#[derive(Debug)]
pub(crate) struct Form {
    pub function: Function,
    pub name: &'static str,
    /// Number of arguments; `None` means one or more.
    pub arity: Option<usize>,
    /// A call of it, for messages.
    pub call: &'static str,
    pub latex: Latex,
}

/// The form in LaTeX: a command of its name, or an operator name.
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
    latex: Latex,
) -> Form {
    Form {
        function,
        name,
        arity,
        call,
        latex,
    }
}

/// All functions.
#[rustfmt::skip]
pub(crate) static FUNCTIONS: [Form; 17] = [
    row(Function::Min,                            "min",       None,    "min(x, y)",             Command),
    row(Function::Max,                            "max",       None,    "max(x, y)",             Command),
    row(Function::Abs,                            "abs",       Some(1), "abs(x)",                Operator),
    row(Function::Select,                         "select",    Some(3), "select(c, x, y)",       Operator),
    row(Function::Math(MathFunction::Sqrt),       "sqrt",      Some(1), "sqrt(x)",               Operator),
    row(Function::Math(MathFunction::Exp),        "exp",       Some(1), "exp(x)",                Command),
    row(Function::Math(MathFunction::Ln),         "ln",        Some(1), "ln(x)",                 Command),
    row(Function::Math(MathFunction::Sin),        "sin",       Some(1), "sin(x)",                Command),
    row(Function::Math(MathFunction::Cos),        "cos",       Some(1), "cos(x)",                Command),
    row(Function::Bits(BitFunction::And),         "bitand",    Some(2), "bitand(x, y)",          Operator),
    row(Function::Bits(BitFunction::Or),          "bitor",     Some(2), "bitor(x, y)",           Operator),
    row(Function::Bits(BitFunction::Xor),         "bitxor",    Some(2), "bitxor(x, y)",          Operator),
    row(Function::Bits(BitFunction::ShiftLeft),   "shl",       Some(2), "shl(x, y)",             Operator),
    row(Function::Bits(BitFunction::ShiftRight),  "shr",       Some(2), "shr(x, y)",             Operator),
    row(Function::Claim(ClaimFunction::Gcd),      "gcd",       Some(2), "gcd(x, y)",             Command),
    row(Function::Claim(ClaimFunction::DigitSum), "digit_sum", Some(2), "digit_sum(x, b)",       Operator),
    row(Function::Claim(ClaimFunction::FloorSum), "floor_sum", Some(4), "floor_sum(n, a, c, m)", Operator),
];

impl Function {
    /// Returns its spelling.
    pub(crate) fn form(self) -> &'static Form {
        let row = FUNCTIONS.iter().find(|form| form.function == self);
        row.expect("a function is read by its row")
    }

    /// Returns true if it may be called wherever numbers stand; its name is then reserved.
    pub(crate) fn is_reserved(self) -> bool {
        !matches!(self, Function::Claim(_))
    }
}

/// Returns the function of a name, wherever it may be called.
pub(crate) fn named(name: &str) -> Option<&'static Form> {
    FUNCTIONS.iter().find(|form| form.name == name)
}

/// Returns true if a name is reserved for a function.
pub(crate) fn is_reserved(name: &str) -> bool {
    named(name).is_some_and(|form| form.function.is_reserved())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_its_row() {
        for form in &FUNCTIONS {
            assert_eq!(form.function.form().name, form.name);
            assert_eq!(
                named(form.name).map(|found| found.function),
                Some(form.function)
            );
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
        let table = FUNCTIONS.iter().filter(|form| form.function.is_reserved());
        assert_eq!(reserved, table.map(|form| form.name).collect::<Vec<_>>());
    }
}
