//! What the examples of this documentation begin with, so that they show what they are about.
//!
//! Hidden, and no part of the interface.

use crate::cost::find;
use crate::derive::derive;
use crate::machine::Machine;
use crate::program::Program;
use crate::study::{Axis, Counting, Prepared, Sweep};

/// Paper 1's vector addition: `C = A + B`, n words each.
///
/// ```
/// assert_eq!(atgpu::examples::vector_addition().name, "VectorAddition");
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
