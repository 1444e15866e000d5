//! Exact evaluation of data-free expressions at given parameters, and the [`Point`] at which a
//! program is costed or run.

use indexmap::IndexMap;

use crate::check::program::{Expr, ParamId, Program};
use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::number::{BigInt, Rational, Real};

/// Values of parameters, by id.
#[derive(Debug, Clone)]
pub struct Environment {
    values: Vec<Option<Real>>,
}

impl Environment {
    /// No values yet, for the parameters of one program.
    pub fn new(program: &Program) -> Self {
        Environment {
            values: vec![None; program.parameters.len()],
        }
    }

    /// Binds a parameter (again).
    pub fn bind(&mut self, parameter: ParamId, value: impl Into<Real>) {
        self.values[parameter.0 as usize] = Some(value.into());
    }

    /// The value of a parameter, when it is bound.
    pub fn get(&self, parameter: ParamId) -> Option<&Real> {
        self.values[parameter.0 as usize].as_ref()
    }
}

/// The exact value of an expression of type `Number` that reads no data.
///
/// # Errors
/// `value::division-by-zero`, `value::not-integral`, `value::range` with the expression's span.
pub fn evaluate(_program: &Program, _expr: &Expr, _env: &Environment) -> Result<Real, Diagnostic> {
    todo!()
}

/// As [`evaluate`], where a whole number is needed.
///
/// # Errors
/// Those of [`evaluate`], and `value::not-integral` when it is no whole number.
pub fn evaluate_integer(
    _program: &Program,
    _expr: &Expr,
    _env: &Environment,
) -> Result<BigInt, Diagnostic> {
    todo!()
}

/// The truth of a data-free condition. `∧ ∨ ⇒` short-circuit when `short_circuit`.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_condition(
    _program: &Program,
    _condition: &Expr,
    _env: &Environment,
    _short_circuit: bool,
) -> Result<bool, Diagnostic> {
    todo!()
}

/// A program at one choice of formal and machine parameters: `require`s without data tested,
/// header `let`s and all extents evaluated, in the order of language.md §5.
#[derive(Debug, Clone)]
pub struct Point {
    /// Formals, machine parameters and header `let`s.
    pub environment: Environment,
    /// The extents of every variable, by `VarId`.
    pub extents: Vec<Vec<BigInt>>,
    /// The formal and machine parameters by name, formals first, then p, b, M, G.
    pub parameters: IndexMap<String, BigInt>,
}

impl Point {
    /// Binds `values` (formals) and `machine` (p, b, M, G), tests the data-free `require`s, and
    /// evaluates `let`s and extents.
    ///
    /// # Errors
    /// `usage::value` for a missing formal or a fraction for one, or an unknown name or that of a
    /// `let` in `values`; `require::violated`; `value::…` of a `let` or an extent (`value::range`
    /// for a negative one).
    pub fn new(
        _program: &Program,
        _machine: [i64; 4],
        _values: &Parameters,
    ) -> Result<Point, Vec<Diagnostic>> {
        todo!()
    }

    /// b, the cores of an MP.
    pub fn cores(&self) -> &BigInt {
        &self.parameters["b"]
    }
}

#[allow(unused)]
type Unused = Rational;
