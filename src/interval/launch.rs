//! A kernel made ready to be counted at one launch: lowered, with its MPs, the shapes of its
//! arrays,
//! and the price of every statement.
//!
//! The meaning of the kernel comes from [`meaning::launch`](crate::meaning::launch); operations
//! come
//! from this counter's own table ([`operations`]).

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
    /// The first MP in each dimension; `high` holds the last.
    pub(super) low: Vec<i64>,
    pub(super) high: Vec<i64>,
    /// The parameters that hold the MP's number in each dimension.
    pub(super) mps: Vec<ParamId>,
    pub(super) parts: Vec<Part<'p>>,
    /// Statements by their numbers.
    pub(super) lines: Vec<Line>,
    /// Shapes by `VarId`; `None` for a size beyond 64 bits.
    pub(super) shapes: Vec<Option<Shape>>,
    /// b
    pub(super) cores: usize,
}

/// A statement with its price.
#[derive(Debug)]
pub(crate) struct Line {
    pub(super) span: Span,
    /// Its operations each time it is executed: for a `for` at entry, for a `while` at each test.
    pub(super) each: Operations,
    /// Their number.
    pub(super) operations: u64,
    /// True if it is an `if` that only keeps indices inside extents.
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
    /// Returns the shape of an array that the kernel names.
    pub(super) fn shape(&self, variable: VarId) -> &Shape {
        let shape = self.shapes[variable.0 as usize].as_ref();
        shape.expect("a kernel is launched only if all it names can be numbered")
    }
}

/// Prepares the launch of a kernel on the given MPs, the first and the last in each dimension.
/// Fails
/// with the place of a word whose array is larger than 64 bits can number.
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

/// Folds the host's values into a condition; `None` if it reads an array larger than 64 bits can
/// number.
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
