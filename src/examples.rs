//! What the examples of this documentation begin with, so that they show what they are about.
//!
//! Hidden, and no part of the interface.

#[cfg(feature = "study")]
use crate::cost::find;
#[cfg(feature = "study")]
use crate::derive::derive;
use crate::embed::Run;
use crate::exec::{Input, Options};
use crate::machine::Machine;
use crate::program::Program;
#[cfg(feature = "study")]
use crate::study::{
    Axis, Calibration, Certainty, Counting, FittedFigure, Origin, Prepared, Sweep, Unknown,
};
use crate::sym::{Expr, Symbol};

/// Paper 1's vector addition: `C = A + B`, n words each.
///
/// ```
/// assert_eq!(atgpu::examples::vector_addition().name(), "VectorAddition");
/// ```
///
/// # Panics
/// Never: the program is sound.
pub fn vector_addition() -> Program {
    let text = include_str!("../programs/paper1/vector_addition.atgpu");
    crate::program(text).expect("the program is sound")
}

/// Its cost by the paper's model on the paper's card, for three n.
///
/// ```
/// let program = atgpu::examples::vector_addition();
/// assert_eq!(atgpu::examples::sweep(&program).points(), 3);
/// ```
///
/// # Panics
/// Never: card, model and axis are known.
#[cfg(feature = "study")]
pub fn sweep(program: &Program) -> Sweep<'_> {
    Sweep::new(
        vec![Prepared::new(program, Some(&derive(program, &().into())))],
        vec![Machine::built_in("gtx650").expect("built in")],
        vec![find("atgpu").expect("listed")],
        vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
        ().into(),
        Counting::Briefly,
    )
    .expect("n is the program's")
}

/// It on the paper's card with n = 64, A and B being 0, 1, 2, …; MP 0 is traced.
///
/// ```
/// assert_eq!(atgpu::examples::run().counts().totals.time, 13.into());
/// ```
///
/// # Panics
/// Never: card, sizes and data fit.
pub fn run() -> Run {
    let card = Machine::built_in("gtx650").expect("built in");
    let mut options = Options {
        trace: Some(vec![0]),
        ..Options::default()
    };
    for input in ["A", "B"] {
        options.inputs.insert(input.to_owned(), Input::Iota);
    }
    let run = vector_addition().run(&card, [("n", 64)], &options);
    run.expect("the program is sound")
}

/// What a fit may give: λ of 4 cycles a block for the paper's card.
///
/// ```
/// assert_eq!(atgpu::examples::calibration().figures[0].value, 4.0);
/// ```
///
/// # Panics
/// Never: the card is known, and λ in range.
#[cfg(feature = "study")]
pub fn calibration() -> Calibration {
    let card = Machine::built_in("gtx650").expect("built in");
    Calibration {
        figures: vec![FittedFigure {
            unknown: Unknown::Lambda,
            value: 4.0,
            origin: Origin::Fitted(Certainty::Told {
                error: 0.1,
                interval: Some([3.8, 4.2]),
            }),
        }],
        rows: Vec::new(),
        error: (0.01, 0.02),
        left_out: None,
        group: 1,
        programs: Vec::new(),
        machine: card.with([("lambda", 4)]).expect("in range"),
    }
}

/// Names as formulas; the same name is the same symbol everywhere.
///
/// ```
/// let [n, b] = atgpu::examples::symbols(["n", "b"]);
/// assert_eq!(n.add(&b).to_string(), "n + b");
/// ```
pub fn symbols<const N: usize>(names: [&str; N]) -> [Expr; N] {
    names.map(|name| Expr::symbol(&symbol(name)))
}

/// A name's symbol.
///
/// ```
/// assert_eq!(&*atgpu::examples::symbol("n").name, "n");
/// ```
pub fn symbol(name: &str) -> Symbol {
    Symbol::new(name.chars().map(u32::from).sum(), name)
}

/// x/y
///
/// ```
/// use atgpu::examples::{over, symbols};
///
/// let [n, b] = symbols(["n", "b"]);
/// assert_eq!(over(&n, &b).to_string(), "n/b");
/// ```
///
/// # Panics
/// Where y is 0.
pub fn over(x: &Expr, y: &Expr) -> Expr {
    x.div(y).expect("not 0")
}
