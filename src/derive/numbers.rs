//! Numbers of a program at a point, without data: from the closed forms where they are exact, else
//! by counting, else from the bounds that were derived.

use std::ops::ControlFlow;

use crate::check::program::Program;
use crate::count::Counts;
use crate::derive::derivation::{Bound, Derivation};
use crate::derive::evaluate::evaluate;
use crate::derive::steps::{self, Bounded, CountError, CountOptions};
use crate::number::BigInt;
use crate::value::Point;

/// Counts at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    /// The counts; upper bounds of the quantities that `bounds` names.
    pub counts: Counts<BigInt>,
    /// Why some counts are upper bounds only; empty when all are exact.
    pub bounds: Vec<Bound>,
    /// How they were found.
    pub method: Method,
}

/// How numbers without data were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From the closed forms of a derivation.
    Derived,
    /// By counting step by step.
    Counted,
}

/// The numbers of a program at a point. Without a derivation, and where its forms are no exact
/// numbers, the program is counted, telling `progress` the core-steps done from time to time.
///
/// Conflicts that are to be charged are no part of the closed forms: give no derivation then.
///
/// ```
/// # use atgpu::machine::Machine;
/// use atgpu::derive::numbers::{Method, numbers};
/// use atgpu::derive::steps::CountOptions;
/// use std::ops::ControlFlow;
///
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// # let card = Machine::built_in("gtx650").expect("built in");
/// let (derivation, point) = (program.derive()?, program.at(&card, [("n", 64)])?);
/// let go_on = |_| ControlFlow::Continue(());
/// let found = numbers(&program, Some(&derivation), &point, &CountOptions::default(), &go_on);
/// let found = found.expect("closed forms");
/// assert_eq!((found.method, found.counts.totals.io), (Method::Derived, 6.into()));
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// [`CountError`], but [`CountError::TooLong`] only where no bounds were derived either.
pub fn numbers(
    program: &Program,
    derivation: Option<&Derivation>,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
) -> Result<Numbers, CountError> {
    let derived = derivation.and_then(|derivation| from_forms(program, derivation, point));
    let derived = match derived {
        Some(exact) if exact.bounds.is_empty() => return Ok(exact),
        other => other,
    };
    match (steps::count(program, point, options, progress), derived) {
        (Err(CountError::TooLong(_)), Some(bounds)) => Ok(bounds),
        (Err(error), _) => Err(error),
        (Ok(counted), _) => match counted.faults.into_iter().next() {
            Some(fault) => Err(CountError::Fault(fault)),
            None => Ok(Numbers {
                counts: counted.counts.upper(),
                bounds: counted.bounds,
                method: Method::Counted,
            }),
        },
    }
}

/// The derivation in numbers; none where it has none, or not all rounds of the many there are.
fn from_forms(program: &Program, derivation: &Derivation, point: &Point) -> Option<Numbers> {
    let evaluated = evaluate(program, derivation, point).ok()?;
    let is_whole = evaluated.omitted == BigInt::ZERO;
    is_whole.then(|| Numbers {
        bounds: bounds_at(&evaluated.counts, &derivation.bounds),
        counts: evaluated.counts.upper(),
        method: Method::Derived,
    })
}

/// The bounds that matter at a point: none where every number comes out exact.
fn bounds_at(counts: &Counts<Bounded>, bounds: &[Bound]) -> Vec<Bound> {
    if counts.is_exact() {
        Vec::new()
    } else {
        bounds.to_vec()
    }
}
