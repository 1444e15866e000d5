//! Launching a kernel: its MPs, one after the other.
//!
//! The order of the MPs shows in nothing but which fault is met first: shared memory is an MP's
//! own, and an MP that sees what another one wrote is a fault.

use crate::check::program::{Kernel, Program, Stmt, StmtKind, VarId, WrapperStmt};
use crate::exec::compile::{self, Code};
use crate::exec::error::{Error, Place, Result};
use crate::exec::global::{Global, MOST_MPS, Stamps};
use crate::exec::memory::Admitted;
use crate::exec::rounds::KernelCounts;
use crate::exec::value::Value;
use crate::exec::warp::{Mp, Tally};
use crate::exec::{Progress, TraceLine, Work};
use crate::text::Span;

use std::sync::atomic::{AtomicU64, Ordering};

/// What all launches of an execution have in common.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub program: &'a Program,
    /// b
    pub cores: usize,
    /// What the host bound, by parameter id.
    pub values: &'a [Option<Value>],
    /// By variable id.
    pub extents: &'a [Vec<usize>],
    /// `in lo..hi`, by variable id.
    pub admitted: &'a [Option<Admitted>],
    pub progress: &'a dyn Progress,
    /// The MP to trace.
    pub traced: Option<&'a [i64]>,
    /// Whether to execute everything in its reference form.
    pub by_reference: bool,
    /// The round the kernel belongs to.
    pub round: u64,
}

/// A kernel about to be executed by its MPs.
pub(super) struct Launch<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub code: Code<'a>,
    pub cores: usize,
    pub values: &'a [Option<Value>],
    pub extents: &'a [Vec<usize>],
    pub admitted: &'a [Option<Admitted>],
    pub stamps: Stamps,
    pub round: u64,
    pub by_reference: bool,
    /// First number and how many of them, of each dimension.
    ranges: Vec<(i64, u64)>,
    mps: u64,
    mps_done: AtomicU64,
    progress: &'a dyn Progress,
}

/// Executes a kernel over its evaluated ranges of MPs; counts what it did, and appends the traced
/// MP's statements.
pub(super) fn execute(
    around: Surroundings<'_>,
    kernel: &Kernel,
    ranges: &[(i64, i64)],
    global: &mut Global,
    trace: &mut Vec<TraceLine>,
) -> Result<(KernelCounts, u128)> {
    let ranges: Vec<(i64, u64)> = ranges
        .iter()
        .map(|&(low, high)| {
            (
                low,
                high.abs_diff(low).saturating_add(1) * u64::from(low <= high),
            )
        })
        .collect();
    let count = ranges.iter().fold(1u128, |product, (_, length)| {
        product.saturating_mul((*length).into())
    });
    if count > MOST_MPS.into() {
        return Err(Box::new(Error::TooManyMps {
            count: count.to_string(),
            span: kernel.span,
        }));
    }
    let mps = count as u64;
    if mps == 0 {
        return Ok((KernelCounts::default(), 0));
    }
    let (reads, writes) = accessed(kernel);
    let launch = Launch {
        program: around.program,
        kernel,
        code: compile::kernel(around.program, around.values, around.extents, kernel),
        cores: around.cores,
        values: around.values,
        extents: around.extents,
        admitted: around.admitted,
        stamps: global.begin_kernel(mps, &reads, &writes),
        round: around.round,
        by_reference: around.by_reference,
        ranges,
        mps,
        mps_done: AtomicU64::new(0),
        progress: around.progress,
    };
    let mut mp = Mp::new(&launch, global);
    let mut numbers = Vec::new();
    for serial in 0..mps {
        launch.numbers(serial, &mut numbers);
        let is_traced = around.traced == Some(numbers.as_slice());
        if is_traced {
            mp.trace = Some(std::mem::take(trace));
        }
        mp.run(serial, &numbers)?;
        if is_traced {
            *trace = mp.trace.take().unwrap_or_default();
        }
    }
    Ok((launch.counts(&mp.tally), mp.tally.lane_operations))
}

impl Launch<'_> {
    /// The numbers of an MP, the last dimension running fastest.
    fn numbers(&self, serial: u64, numbers: &mut Vec<i64>) {
        numbers.clear();
        let mut rest = serial;
        for (low, length) in self.ranges.iter().rev() {
            numbers.push(low.wrapping_add((rest % length) as i64));
            rest /= length;
        }
        numbers.reverse();
    }

    /// The MP with this serial number.
    pub fn place_of(&self, serial: u64) -> Place {
        let mut mp = Vec::new();
        self.numbers(serial, &mut mp);
        Place { mp, core: None }
    }

    /// The statement that reads (or writes) a global variable, when there is just one but for the
    /// one at hand.
    pub fn only_access(&self, variable: VarId, writes: bool, at_hand: Span) -> Option<Span> {
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

    /// Tells the watcher how far things are, and hears whether to go on.
    pub fn advance(&self, newly_done: u64) -> Result<()> {
        let before = self.mps_done.fetch_add(newly_done, Ordering::Relaxed);
        let done = Work {
            round: self.round,
            mps_done: before + newly_done,
            mps: self.mps,
        };
        match self.progress.advance(done) {
            std::ops::ControlFlow::Continue(()) => Ok(()),
            std::ops::ControlFlow::Break(()) => Err(Box::new(Error::Stopped)),
        }
    }

    fn counts(&self, tally: &Tally) -> KernelCounts {
        let blocks = self
            .program
            .variable_ids()
            .zip(&tally.blocks)
            .filter(|(_, (read, write))| read + write > 0)
            .map(|(variable, blocks)| (variable, *blocks));
        KernelCounts {
            launched_mps: self.mps,
            time: tally.most_time,
            conflicts: tally.conflicts,
            blocks: blocks.collect(),
        }
    }
}

/// The global variables that statements of a kernel read, and those they write.
fn accessed(kernel: &Kernel) -> (Vec<VarId>, Vec<VarId>) {
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
    let mut pending: Vec<&Stmt> = Vec::new();
    for stmt in &kernel.body {
        if let WrapperStmt::Cores(cores) = stmt {
            pending.extend(&cores.body);
        }
    }
    while let Some(stmt) = pending.pop() {
        match &stmt.kind {
            StmtKind::Load { source, .. } => visit(stmt, source.variable, false),
            StmtKind::Store { target, .. } => visit(stmt, target.variable, true),
            StmtKind::If { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::While { body, .. } => pending.extend(body),
            StmtKind::Assign { .. } | StmtKind::Atomic { .. } | StmtKind::Let(_) => {}
        }
    }
}
