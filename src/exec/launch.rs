//! A kernel about to be executed: everything fixed while its MPs run, and its watcher.
//!
//! Takes the kernel with the host's values; gives the numbers of its MPs, the places of faults,
//! and a way to report progress. Data only: the choice of an engine stands in
//! [`engines`](crate::exec::engines).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::exec::error::{Error, Result};
use crate::exec::memory::Admitted;
use crate::exec::memory::global::stamps::{MOST_MPS, Stamps};
use crate::exec::{Engine, Progress, Work};
use crate::machine::CycleRules;
use crate::meaning::fault::Place;
use crate::meaning::value::Value;
use crate::program::{Kernel, Program, Stmt, VarId, Written};
use crate::text::Span;

/// The host's values when a kernel starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub program: &'a Program,
    /// b
    pub cores: usize,
    /// Values bound by the host, by parameter id.
    pub values: &'a [Option<Value>],
    /// Extents of each array, by variable id.
    pub extents: &'a [Vec<usize>],
    /// The declared range `in lo..hi`, by variable id.
    pub admitted: &'a [Option<Admitted>],
}

impl<'a> Known<'a> {
    /// Returns the range declared for the words of a variable.
    #[inline]
    pub(super) fn admitted(&self, variable: VarId) -> Option<&'a Admitted> {
        self.admitted[variable.0 as usize].as_ref()
    }
}

/// A kernel about to be executed by its MPs.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub known: Known<'a>,
    pub kernel: &'a Kernel,
    pub grid: Grid,
    pub stamps: Stamps,
    pub engine: Engine,
    /// A machine's own rules, where charges are asked for.
    pub cycle_rules: Option<&'a CycleRules>,
    pub watch: Watch<'a>,
}

/// The MPs of a launch.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// First number and length of each dimension.
    pub ranges: Vec<(i64, u64)>,
    /// k, the number of MPs.
    pub mps: u64,
}

impl Grid {
    /// Builds the grid of evaluated ranges, both ends included. Gives the number of MPs as the
    /// error where stamps cannot tell so many apart.
    pub(super) fn new(ranges: &[(i64, i64)]) -> std::result::Result<Grid, u128> {
        // An empty range (high < low) has length 0, so the grid has no MPs.
        let length = |low: i64, high: i64| high.abs_diff(low).saturating_add(1);
        let ranges: Vec<(i64, u64)> = (ranges.iter())
            .map(|&(low, high)| (low, length(low, high) * u64::from(low <= high)))
            .collect();
        let count = ranges.iter().fold(1u128, |product, (_, length)| {
            product.saturating_mul((*length).into())
        });
        match u64::try_from(count) {
            Ok(mps) if mps <= MOST_MPS => Ok(Grid { ranges, mps }),
            Ok(_) | Err(_) => Err(count),
        }
    }

    /// Writes the numbers of an MP to `numbers`; the last dimension runs fastest.
    pub(super) fn numbers(&self, serial: u64, numbers: &mut Vec<i64>) {
        // Ranges 0..1 and 5..7: serial 4 is 1·3 + 1, so the MP has the numbers (1, 6).
        numbers.clear();
        let mut rest = serial;
        for (low, length) in self.ranges.iter().rev() {
            numbers.push(low.wrapping_add((rest % length) as i64));
            rest /= length;
        }
        numbers.reverse();
    }

    /// Returns the place of the MP with this serial number.
    pub(super) fn place_of(&self, serial: u64) -> Place {
        let mut mp = Vec::new();
        self.numbers(serial, &mut mp);
        Place { mp, core: None }
    }
}

/// The watcher of a launch, and how far the launch has come.
pub(super) struct Watch<'a> {
    progress: &'a dyn Progress,
    /// The round the kernel belongs to.
    pub round: u64,
    mps: u64,
    mps_done: AtomicU64,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Watch({} of {})",
            self.mps_done.load(Ordering::Relaxed),
            self.mps
        )
    }
}

impl<'a> Watch<'a> {
    /// Starts with none of the `mps` MPs done.
    pub(super) fn new(progress: &'a dyn Progress, round: u64, mps: u64) -> Watch<'a> {
        Watch {
            progress,
            round,
            mps,
            mps_done: AtomicU64::new(0),
        }
    }

    /// Reports newly done MPs. Fails with [`Error::Stopped`] if the watcher says so.
    fn advance(&self, newly_done: u64) -> Result<()> {
        let before = self.mps_done.fetch_add(newly_done, Ordering::Relaxed);
        let done = Work {
            round: self.round,
            mps_done: self.mps.min(before + newly_done),
            mps: self.mps,
        };
        match self.progress.advance(done) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Box::new(Error::Stopped)),
        }
    }
}

/// The work of one thread between two looks at the watcher.
#[derive(Debug)]
pub(super) struct Pace {
    /// Work allowed between two looks.
    budget: i64,
    left: i64,
    mps_done: u64,
}

impl Pace {
    /// Allows `budget` work between two looks.
    pub(super) fn new(budget: i64) -> Pace {
        Pace {
            budget,
            left: budget,
            mps_done: 0,
        }
    }

    /// Records finished MPs; the watcher hears of them at the next look.
    pub(super) fn done(&mut self, mps: u64) {
        self.mps_done += mps;
    }

    /// Records work, and looks at the watcher once the budget is spent.
    #[inline]
    pub(super) fn spend(&mut self, work: i64, watch: &Watch<'_>) -> Result<()> {
        self.left -= work;
        if self.left < 0 {
            return self.look(watch);
        }
        Ok(())
    }

    /// Reports finished MPs. Fails with [`Error::Stopped`] if the watcher says so.
    pub(super) fn look(&mut self, watch: &Watch<'_>) -> Result<()> {
        self.left = self.budget;
        watch.advance(std::mem::take(&mut self.mps_done))
    }
}

impl Launch<'_> {
    /// Returns the only statement that reads (or writes) a global variable, if there is exactly one
    /// and it is not the one `at_hand`.
    pub(super) fn only_access(&self, variable: VarId, writes: bool, at_hand: Span) -> Option<Span> {
        let mut found = Vec::new();
        each_access(self.kernel, &mut |stmt, accessed, is_write| {
            if accessed == variable && is_write == writes {
                found.push(stmt.span);
            }
        });
        match found.as_slice() {
            [only] if *only != at_hand => Some(*only),
            _ => None,
        }
    }
}

/// Returns the global variables that a kernel's statements read, and those they write.
pub(super) fn accessed(kernel: &Kernel) -> (Vec<VarId>, Vec<VarId>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    each_access(kernel, &mut |_, variable, is_write| {
        let list = if is_write { &mut writes } else { &mut reads };
        if !list.contains(&variable) {
            list.push(variable);
        }
    });
    (reads, writes)
}

fn each_access(kernel: &Kernel, visit: &mut dyn FnMut(&Stmt, VarId, bool)) {
    for stmt in kernel.statements() {
        // Only `⇐` moves a word to a word, and exactly one of its sides is global.
        if let Some((target, Written::Word(source))) = stmt.kind.parts().write {
            let (target, source) = (target.variable, source.variable);
            if kernel.writes_global.contains(&target) {
                visit(stmt, target, true)
            } else {
                visit(stmt, source, false)
            }
        }
    }
}
