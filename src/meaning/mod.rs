//! Evaluation of checked expressions, those without data at given parameters, and the [`Point`] at which a
//! program is costed or run.
//!
//! Numbers here are exact and unbounded, logarithms and roots included; whether a value must be
//! whole is the caller's to say. Data are not known here.

mod admissible;
mod allowance;
pub(crate) mod arithmetic;
mod error;
pub(crate) mod eval;
pub(crate) mod example;
pub(crate) mod fault;
pub(crate) mod launch;
mod point;
mod sample;
pub(crate) mod value;

use indexmap::IndexSet;

use crate::diag::Diagnostic;
use crate::number::{BigInt, Rational, Real};
use crate::program::{Claimed, CostSymbol, Expr, Number, NumberKind, ParamId, Place, Program};

use crate::meaning::eval::parameters::{Evaluator, Failure};
use crate::meaning::eval::{Connectives, Evaluated};

pub(crate) use admissible::admissible_within;
pub(crate) use allowance::Allowance;

pub use admissible::{Admissible, admissible, admissible_points, widths};
pub use point::{Point, PointValues};
pub use sample::{Sample, Sampled, sample};
pub(crate) use sample::{around_width, says};

/// Values of parameters, by id.
#[derive(Debug, Clone)]
pub struct Environment {
    values: Vec<Option<Real>>,
}

impl Environment {
    /// No values yet, for the parameters of one program.
    pub(crate) fn new(program: &Program) -> Self {
        Environment {
            values: vec![None; program.parameters.len()],
        }
    }

    /// Binds a parameter (again).
    pub(crate) fn bind(&mut self, parameter: ParamId, value: impl Into<Real>) {
        self.values[parameter.0 as usize] = Some(value.into());
    }

    /// The value of a parameter, when it is bound.
    pub(crate) fn get(&self, parameter: ParamId) -> Option<&Real> {
        self.values[parameter.0 as usize].as_ref()
    }
}

/// The exact value of an expression of type `Number` that reads no data.
///
/// ```
/// use atgpu::machine::Machine;
/// use atgpu::meaning::evaluate;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let point = program.at(&card, [("n", 96)])?;
/// let k = evaluate(&program, &program.lets()[0].value, &point.environment)?;
/// assert_eq!(k.to_integer(), Some(3.into()));
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// `value::division-by-zero`, `value::not-integral`, `value::range`, `value::overflow` with the
/// expression's span.
#[expect(private_bounds, reason = "the three places are all there are")]
pub fn evaluate<P: Evaluated>(
    program: &Program,
    expr: &Number<P>,
    env: &Environment,
) -> Result<Real, Diagnostic> {
    let allowance = Allowance::unlimited();
    let mut evaluator = Evaluator::new(program, env, &allowance);
    evaluator.number(expr).map_err(fault)
}

/// As [`evaluate()`], where a whole number is needed, within an allowance.
///
/// # Errors
/// Those of [`evaluate()`], and `value::not-integral` when it is no whole number.
pub(crate) fn evaluate_integer(
    program: &Program,
    expr: &Number,
    env: &Environment,
    allowance: &Allowance,
) -> Result<BigInt, Diagnostic> {
    let mut evaluator = Evaluator::new(program, env, allowance);
    evaluator.integer(expr).map_err(fault)
}

/// The exact value of the right side of a claim, where `symbols` gives the letters of the cost
/// functions; `None` when the claim reads one that has no value.
///
/// ```
/// use atgpu::machine::Machine;
/// use atgpu::meaning::evaluate_claim;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let point = program.at(&card, [("n", 64)])?;
/// // claim io = 3k
/// let io = program.claims().iter().find(|claim| program.source().slice(claim.span).contains("io = 3k"));
/// let value = &io.expect("it is claimed").value;
/// let found = evaluate_claim(&program, value, &point.environment, &|_| None)?;
/// assert_eq!(found.and_then(|found| found.to_integer()), Some(6.into()));
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// As [`evaluate()`].
pub fn evaluate_claim(
    program: &Program,
    expr: &Number<Claimed>,
    env: &Environment,
    symbols: &dyn Fn(CostSymbol) -> Option<Rational>,
) -> Result<Option<Real>, Diagnostic> {
    claim_within((program, env), expr, symbols, &Allowance::unlimited())
}

/// As [`evaluate_claim`], within an allowance.
pub(crate) fn claim_within(
    (program, env): (&Program, &Environment),
    expr: &Number<Claimed>,
    symbols: &dyn Fn(CostSymbol) -> Option<Rational>,
    allowance: &Allowance,
) -> Result<Option<Real>, Diagnostic> {
    let value = Evaluator::new(program, env, allowance)
        .connected(Connectives::ShortCircuit)
        .with_letters(symbols)
        .number(expr);
    match value {
        Ok(value) => Ok(Some(value)),
        Err(Failure::NoLetter) => Ok(None),
        Err(Failure::Fault(fault)) => Err(fault),
    }
}

/// The parameters an expression reads, in the order of their first reading.
pub(crate) fn read_parameters<'e, P: Place>(expr: impl Into<Expr<'e, P>>) -> IndexSet<ParamId> {
    let mut found = IndexSet::new();
    expr.into().any(&mut |part| {
        if let Expr::Number(part) = part
            && let NumberKind::Parameter(id) = part.kind
        {
            found.insert(id);
        }
        false
    });
    found
}

fn fault(failure: Failure) -> Diagnostic {
    match failure {
        Failure::Fault(fault) => fault,
        Failure::NoLetter => panic!("letters of the cost functions stand in claims only"),
    }
}
