//! A kernel made ready for counting at one launch: lowered, with the MPs it is launched on, the
//! shapes of its arrays, and for every statement what it costs each time.
//!
//! What the kernel means is [`meaning::launch`](crate::meaning::launch)'s to say; operations are this
//! counter's own, from its table ([`operations`]).

use num_traits::ToPrimitive;

use crate::interval::guard;
use crate::interval::known::Known;
use crate::meaning::launch::fold::{Folder, Launched};
use crate::meaning::launch::{self, Part};
use crate::meaning::value::Value;
use crate::number::BigInt;
use crate::operations::{self, Operations};
use crate::program::{Condition, Kernel, ParamId, VarId, nested};
use crate::text::Span;

/// One launch of a kernel.
#[derive(Debug)]
pub(crate) struct Launch<'p> {
    /// The first and the last MP in each dimension.
    pub(super) low: Vec<i64>,
    pub(super) high: Vec<i64>,
    /// The MP's number in each dimension.
    pub(super) mps: Vec<ParamId>,
    pub(super) parts: Vec<Part<'p>>,
    /// By the numbers of statements.
    pub(super) lines: Vec<Line>,
    /// By `VarId`; `None` beyond 64 bits.
    pub(super) shapes: Vec<Option<Shape>>,
    /// b
    pub(super) cores: usize,
}

/// A statement, as it is tallied.
#[derive(Debug)]
pub(crate) struct Line {
    pub(super) span: Span,
    /// What it pays for each time it is executed; a loop, at entry (`for`) or at each test (`while`).
    pub(super) each: Operations,
    /// How many those are.
    pub(super) operations: u64,
    /// Whether it is an `if` that only keeps indices inside extents.
    pub(super) is_guard: bool,
}

/// The extents of an array, and the distance between neighbours in each dimension, row-major.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(super) extents: Vec<i64>,
    pub(super) strides: Vec<i64>,
}

impl Shape {
    fn new(extents: &[BigInt]) -> Option<Shape> {
        let extents: Option<Vec<i64>> = extents.iter().map(ToPrimitive::to_i64).collect();
        let extents = extents?;
        (extents.iter()).try_fold(1i64, |size, extent| size.checked_mul(*extent))?;
        let mut strides = vec![1i64; extents.len()];
        for at in (1..extents.len()).rev() {
            strides[at - 1] = strides[at].saturating_mul(extents[at]);
        }
        Some(Shape { extents, strides })
    }
}

impl Launch<'_> {
    /// The shape of an array that the kernel names.
    pub(super) fn shape(&self, variable: VarId) -> &Shape {
        let shape = self.shapes[variable.0 as usize].as_ref();
        shape.expect("a kernel is launched only if all it names can be numbered")
    }
}

/// The launch of a kernel on the given MPs, the first and the last in each dimension; the place of a
/// word of an array beyond 64 bits where it names one.
pub(super) fn ready<'p>(
    known: Known<'_>,
    kernel: &'p Kernel,
    (low, high): (Vec<i64>, Vec<i64>),
    cores: usize,
) -> Result<Launch<'p>, Span> {
    let shapes: Vec<Option<Shape>> = known.extents.iter().map(|own| Shape::new(own)).collect();
    let parts = folded(known, &shapes, |folder| launch::lower(kernel, folder))?;
    let mut lines = Vec::new();
    for part in &parts {
        match part {
            Part::Let { binding, .. } => {
                let each = operations::operations(&binding.value, &kernel.registers);
                lines.push(Line::new(binding.span, each, false));
            }
            Part::Cores { cores, .. } => lines.extend(nested(&cores.body).map(|stmt| {
                let is_guard = guard::is_guard(known, stmt);
                Line::new(
                    stmt.span,
                    operations::of_statement(stmt, &kernel.registers),
                    is_guard,
                )
            })),
        }
    }
    Ok(Launch {
        low,
        high,
        mps: kernel.mps.iter().map(|range| range.parameter).collect(),
        parts,
        lines,
        shapes,
        cores,
    })
}

/// A condition of the host with what is known folded in; `None` where it reads an array beyond 64
/// bits.
pub(super) fn condition(known: Known<'_>, condition: &Condition) -> Option<Condition<Launched>> {
    let shapes: Vec<Option<Shape>> = known.extents.iter().map(|own| Shape::new(own)).collect();
    folded(known, &shapes, |folder| folder.condition(condition)).ok()
}

fn folded<T>(
    known: Known<'_>,
    shapes: &[Option<Shape>],
    fold: impl FnOnce(&mut Folder<'_>) -> T,
) -> Result<T, Span> {
    let values = |id: ParamId| known.environment.get(id).cloned().map(Value::exact);
    let is_numbered = |id: VarId| shapes[id.0 as usize].is_some();
    let mut folder = Folder::new(&values, &is_numbered);
    let folded = fold(&mut folder);
    match folder.beyond {
        None => Ok(folded),
        Some(span) => Err(span),
    }
}

impl Line {
    fn new(span: Span, each: Operations, is_guard: bool) -> Line {
        Line {
            span,
            operations: each.total(),
            each,
            is_guard,
        }
    }
}
