//! What the examples of this documentation begin with, so that they show what they are about.
//!
//! Hidden, and no part of the interface.

use crate::program::Program;

/// Paper 1's vector addition: `C = A + B`, n words each.
///
/// # Panics
/// Never: the program is sound.
pub fn vector_addition() -> Program {
    let text = include_str!("../programs/paper1/vector_addition.atgpu");
    crate::program(text).expect("the program is sound")
}
