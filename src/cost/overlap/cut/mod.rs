//! Finds the data of a program that streams can move in chunks.
//!
//! Takes a checked program at a point. The result names the arrays that move with the MPs that touch them.
//! It also names the arrays that must be complete before a kernel starts or after it ends, and the kernels
//! that read values written elsewhere by an earlier kernel. The MPs of a kernel are halved, and the words that each
//! half may touch are bounded. An array is cut if the halves touch separate parts. Nothing is counted, and
//! an uncertain array is not cut.

mod span;
mod walk;
mod without;

use crate::cost::overlap::cut::walk::Walk;
use crate::cost::overlap::cut::without::without;
use crate::meaning::Point;
use crate::program::{Direction, Program, Transfer, VarId};

pub use without::resident;

/// An array that each half of the MPs may touch almost anywhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Whole {
    /// The global array.
    pub array: String,
    /// The line that touches all of it.
    pub line: usize,
    /// True if its inward transfer has to finish first, false if its outward transfer has to wait.
    pub is_inward: bool,
}

/// A kernel that reads values of another kernel from outside its own chunk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Follows {
    /// The global array.
    pub array: String,
    /// The line that reads it.
    pub line: usize,
    /// The line that wrote it.
    pub written: usize,
}

/// The possible cuts of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// Names of the arrays that move in or out in chunks.
    pub arrays: Vec<String>,
    /// Arrays that move whole.
    pub whole: Vec<Whole>,
    /// Kernels that wait for all of an earlier kernel.
    pub follows: Vec<Follows>,
    /// Arrays with an inward transfer that could overlap with the first kernel that reads them.
    pub first: Vec<String>,
    /// Arrays with an outward transfer that could overlap with the last kernel that writes them.
    pub last: Vec<String>,
    /// Arrays with a transfer that cannot overlap: a line of that kernel touches them almost anywhere.
    pub held: Vec<Whole>,
    /// Global arrays with transfers that are not cut; true for the inward one.
    apart: Vec<(VarId, bool)>,
}

impl Cut {
    /// Finds the cuts of a program at a point.
    ///
    /// ```
    /// use atgpu::cost::overlap::cut::Cut;
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let cut = Cut::of(&program, &program.at(&card, [("n", 1024)])?);
    /// assert!(cut.is_possible());
    /// assert_eq!(cut.arrays, ["a", "b", "c"]);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn of(program: &Program, point: &Point) -> Cut {
        Walk::new(program, point).cut(&program.body)
    }

    /// Returns true if streams gain anything: some transfer is cut, and no kernel waits for all of another.
    pub fn is_possible(&self) -> bool {
        self.follows.is_empty() && !self.arrays.is_empty()
    }

    /// Returns the program without the transfers that move whole: the part that chunks move.
    #[must_use]
    pub fn chunks(&self, program: &Program) -> Program {
        let is_inward = |transfer: &Transfer| transfer.direction == Direction::Inward;
        let is_apart = |transfer: &Transfer| (transfer.global.variable, is_inward(transfer));
        without(program, &|transfer| {
            self.apart.contains(&is_apart(transfer))
        })
    }
}

#[cfg(test)]
mod tests;
