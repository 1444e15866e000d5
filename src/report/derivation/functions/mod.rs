//! The formulas of a derivation as functions of another language: a module of Python, NumPy, SymPy, C, Rust
//! or Julia, macros of SQL, names of Excel.
//!
//! Takes a program, its derivation and options, and returns the text of one module. The text names its
//! source and its domain, and lists the omitted formulas with reasons. One [`writer`] walks each formula's
//! shape; a [`dialect`] is a table of a target's templates, with helper functions that the target lacks.
//! Formulas are not simplified here, and nothing is evaluated.

mod c;
mod definition;
mod description;
mod dialect;
mod excel;
mod julia;
mod names;
mod numpy;
mod python;
mod reserved;
mod rust;
mod shapes;
mod sql;
mod sympy;
mod writer;

use std::collections::BTreeSet;

use miette::Diagnostic;
use thiserror::Error;

use crate::count::{Parameters, Quantity};
use crate::derivation::{Derivation, NoFormula};
use crate::program::Program;
use crate::report::derivation::functions::definition::{Definition, Head};
use crate::report::derivation::functions::description::description;
use crate::report::derivation::functions::dialect::Dialect;
use crate::report::derivation::functions::names::Names;
use crate::report::derivation::functions::writer::Writer;
use crate::report::wrap::{WIDTH, wrapped};
use crate::sym::Symbol;
use crate::sym::shape::Shape;

/// A language that formulas are written in as functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// A module of Python: exact, for numbers of any size.
    Python,
    /// A module of Python: doubles, for whole arrays.
    Numpy,
    /// A module of Python: expressions of SymPy.
    Sympy,
    /// Functions of C99.
    C,
    /// A module of Rust.
    Rust,
    /// Macros of DuckDB.
    Sql,
    /// Functions of Julia.
    Julia,
    /// Names of Excel.
    Excel,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 8] = [
        Target::Python,
        Target::Numpy,
        Target::Sympy,
        Target::C,
        Target::Rust,
        Target::Sql,
        Target::Julia,
        Target::Excel,
    ];

    /// The target's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Python => "python",
            Target::Numpy => "numpy",
            Target::Sympy => "sympy",
            Target::C => "c",
            Target::Rust => "rust",
            Target::Sql => "sql",
            Target::Julia => "julia",
            Target::Excel => "excel",
        }
    }

    const fn dialect(self) -> &'static Dialect {
        match self {
            Target::Python => &python::PYTHON,
            Target::Numpy => &numpy::NUMPY,
            Target::Sympy => &sympy::SYMPY,
            Target::C => &c::C,
            Target::Rust => &rust::RUST,
            Target::Sql => &sql::SQL,
            Target::Julia => &julia::JULIA,
            Target::Excel => &excel::EXCEL,
        }
    }
}

/// The options of a module.
#[derive(Debug, Clone)]
pub struct Options {
    /// The quantities, in this order. Underived ones are left out.
    pub quantities: Vec<Quantity>,
    /// The name and version of the generator, for the head.
    pub made_by: String,
    /// The values given to the derivation, for the head.
    pub given: Parameters,
}

impl Default for Options {
    /// All quantities, made by this version of the library, with nothing given.
    fn default() -> Self {
        Options {
            quantities: Quantity::ALL.to_vec(),
            made_by: concat!("atgpu ", env!("CARGO_PKG_VERSION")).to_owned(),
            given: Parameters::new(),
        }
    }
}

/// Formulas as functions.
#[derive(Debug, Clone)]
pub struct Module {
    /// The text of the module.
    pub text: String,
    /// The functions in it, in order. A quantity between two bounds has two; the second is the lower bound.
    pub functions: Vec<Function>,
    /// The formulas left out, with reasons.
    pub left_out: Vec<NoFunction>,
}

/// A function of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The quantity that it computes.
    pub quantity: Quantity,
    /// True if it computes a lower bound.
    pub is_lower: bool,
    /// Its name in the target.
    pub name: String,
    /// Its parameters in order: the name in the target, and the name in the formula.
    pub parameters: Vec<(String, String)>,
}

/// The reason why a formula is not a function.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[non_exhaustive]
pub enum NoFunction {
    /// Nothing was derived.
    #[error("no function of what has no formula: {0}")]
    #[diagnostic(
        code("atgpu::derive::no-function"),
        help("`cost` counts it at given parameters")
    )]
    Underived(NoFormula),
    /// The target does not accept formulas of this length.
    #[error(
        "no function: `{quantity}` has {characters} characters, and {target} takes {most} at most"
    )]
    #[diagnostic(
        code("atgpu::derive::no-function"),
        help("give parameters their values by `-D`, or choose another `--format`")
    )]
    TooLong {
        /// The quantity.
        quantity: &'static str,
        /// Its function's length.
        characters: usize,
        /// The name of the target.
        target: &'static str,
        /// The longest it takes.
        most: usize,
    },
}

/// Renders the formulas of a derivation as a module of the target.
///
/// ```
/// use atgpu::count::Quantity;
/// use atgpu::report::derivation::functions::{Options, Target, functions};
///
/// let program = atgpu::examples::vector_addition();
/// let derivation = program.derive()?;
/// let options = Options { quantities: vec![Quantity::Io], ..Options::default() };
/// let module = functions(&program, &derivation, Target::Python, &options);
/// assert!(module.text.contains("def io(n, b):"));
/// assert!(module.text.ends_with("    return plain(3 * n / b)\n"));
/// assert!(module.left_out.is_empty());
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn functions(
    program: &Program,
    derivation: &Derivation,
    target: Target,
    options: &Options,
) -> Module {
    let dialect = target.dialect();
    let (formulas, mut left_out) = formulas(derivation, &options.quantities);
    let mut symbols = BTreeSet::new();
    formulas
        .iter()
        .for_each(|each| symbols.extend(free(&each.shape)));
    let helpers = dialect.helpers.iter().map(|(name, _)| *name).collect();
    let names = Names::new(&dialect.names, helpers, &derivation.formals, symbols);
    let mut definitions = String::new();
    let mut defined = Vec::new();
    for formula in &formulas {
        let (function, text) = formula.function(dialect, &names, &derivation.algorithm);
        // Only a target with a limit writes functions as rows: name, formula, description.
        let characters = text.split('\t').nth(1).unwrap_or_default().chars().count();
        if let Some(most) = dialect.most_characters.filter(|most| characters > *most) {
            left_out.push(NoFunction::TooLong {
                quantity: formula.quantity.name(),
                characters,
                target: target.name(),
                most,
            });
            continue;
        }
        if !definitions.is_empty() {
            definitions.push_str(dialect.gap);
        }
        definitions.push_str(&text);
        defined.push(function);
    }
    let mut text = (dialect.head)(&Head {
        lines: description(program, derivation, dialect, &names, (options, &left_out)),
        parameters: names
            .parameters
            .iter()
            .map(|each| (each.name.clone(), each.known))
            .collect(),
    });
    let blank = if dialect.gap.is_empty() {
        "\n"
    } else {
        dialect.gap
    };
    for helper in used(dialect, &definitions) {
        text.push_str(blank);
        text.push_str(helper);
    }
    text.push_str(blank);
    text.push_str(&definitions);
    Module {
        text,
        functions: defined,
        left_out,
    }
}

/// A formula that becomes a function.
struct Wanted {
    quantity: Quantity,
    is_lower: bool,
    shape: Shape,
    lines: Vec<String>,
}

impl Wanted {
    /// Returns the function of this formula, with its text.
    fn function(
        &self,
        dialect: &'static Dialect,
        names: &Names,
        algorithm: &str,
    ) -> (Function, String) {
        let suffix = if self.is_lower { "_lower" } else { "" };
        let name = names.function(algorithm, &format!("{}{suffix}", self.quantity.name()));
        let pairs = names.among(&free(&self.shape));
        let parameters: Vec<String> = pairs.iter().map(|(name, _)| name.clone()).collect();
        let mut writer = Writer::new(dialect, names, (&name, &parameters));
        let body = writer.formula(&self.shape);
        let text = (dialect.definition)(&Definition {
            name: name.clone(),
            lines: self.lines.clone(),
            body,
            before: writer.apart,
            parameters,
        });
        let function = Function {
            quantity: self.quantity,
            is_lower: self.is_lower,
            name,
            parameters: pairs,
        };
        (function, text)
    }
}

fn formulas(derivation: &Derivation, wanted: &[Quantity]) -> (Vec<Wanted>, Vec<NoFunction>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for quantity in wanted {
        let formula = match derivation.formula(quantity.name()) {
            Ok(formula) => formula,
            Err(why) => {
                left_out.push(NoFunction::Underived(why));
                continue;
            }
        };
        let unit = quantity.unit().unwrap_or("ms");
        let what = if unit == quantity.heading() {
            unit.to_owned()
        } else {
            format!("{}, in {unit}", quantity.heading())
        };
        let lines = |bound: &str, text: String| {
            let mut lines = vec![format!("{bound}{what}."), String::new()];
            lines.extend(wrapped(&text, WIDTH - 10));
            lines
        };
        // A formula that is only a bound gives two functions, the upper and the lower bound.
        let lower = formula.lower();
        let bound = if lower.is_some() {
            "An upper bound: "
        } else {
            ""
        };
        found.push(Wanted {
            quantity: *quantity,
            is_lower: false,
            shape: formula.shape(),
            lines: lines(bound, formula.to_string()),
        });
        found.extend(lower.map(|lower| Wanted {
            quantity: *quantity,
            is_lower: true,
            shape: lower.shape(),
            lines: lines("A lower bound: ", lower.to_string()),
        }));
    }
    (found, left_out)
}

/// The helpers that a text calls, directly or through other helpers, in the order of the table.
fn used(dialect: &Dialect, text: &str) -> Vec<&'static str> {
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<&str> = vec![text];
    while let Some(text) = open.pop() {
        for (at, (name, helper)) in dialect.helpers.iter().enumerate() {
            if calls(text, name) && chosen.insert(at) {
                open.push(helper);
            }
        }
    }
    chosen.into_iter().map(|at| dialect.helpers[at].1).collect()
}

/// Returns true if a text calls a function of this name.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let is_start = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.');
        is_start && text[at + name.len()..].starts_with('(')
    })
}

/// The free symbols of a shape: those that no sum binds.
fn free(shape: &Shape) -> BTreeSet<Symbol> {
    let mut found = BTreeSet::new();
    let mut open = vec![shape];
    while let Some(shape) = open.pop() {
        if let Shape::Name(symbol) = shape
            && !symbol.is_of_sum()
        {
            found.insert(symbol.clone());
        }
        open.extend(shape.parts());
    }
    found
}
