//! A program at one choice of parameters.

mod lets;
mod requires;
mod values;

pub(super) use lets::number_at;
pub(super) use requires::{holds_at, require_holds};

use std::fmt;

use indexmap::IndexMap;
use num_traits::Signed;

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::meaning::error::PointError;
use crate::meaning::fault::parameters::ParameterFault;
use crate::meaning::point::requires::{admits, refusals_of_some, test_requires};
use crate::meaning::point::values::{check_names, formal_value};
use crate::meaning::{Allowance, Environment, evaluate_integer};
use crate::number::{BigInt, Rational, legible};
use crate::program::Program;
use crate::text::Span;

/// The most values that the quantifiers of all `require`s run through at a point that nobody named.
const VALUES_OF_A_TRIED_POINT: u64 = 100_000;

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

/// The values that tell one point of a program from another: `n = 64, b = 32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointValues(pub(crate) Vec<(String, BigInt)>);

impl PointValues {
    /// Makes the values of formals, which are whole, and of b.
    ///
    /// ```
    /// use atgpu::meaning::PointValues;
    ///
    /// let at = PointValues::of(&[("n", 64)].into(), 32);
    /// assert_eq!(at.to_string(), "n = 64, b = 32");
    /// ```
    pub fn of(formals: &Parameters, width: i64) -> PointValues {
        let whole = |(name, value): (&str, &Rational)| (name.to_owned(), value.floor());
        let mut values: Vec<(String, BigInt)> = formals.iter().map(whole).collect();
        values.push(("b".to_owned(), width.into()));
        PointValues(values)
    }
}

impl fmt::Display for PointValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}

impl Point {
    /// Binds `values` (formals) and `machine` (p, b, M, G), tests the data-free `require`s, and
    /// evaluates `let`s and extents.
    ///
    /// Machine and cost parameters may stand in `values`; they are the caller's to heed.
    ///
    /// ```
    /// use atgpu::meaning::Point;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let machine = [384, 32, 12288, 1 << 28]; // p, b, M, G
    /// let point = Point::new(&program, machine, &[("n", 64)].into())?;
    /// assert_eq!(point.extents[0], [64.into()]);
    /// let faults = Point::new(&program, machine, &[("n", 65)].into()).expect_err("b ∤ n");
    /// assert_eq!(faults[0].code.short_name(), "require::violated");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// `usage::value` for a missing formal or a fraction for one, or an unknown name or that of a
    /// `let` in `values`; `require::violated`; `value::…` of a `let` or an extent (`value::range`
    /// for a negative one).
    pub fn new(
        program: &Program,
        machine: [i64; 4],
        values: &Parameters,
    ) -> Result<Point, Vec<Diagnostic>> {
        Point::within(program, machine, values, &Allowance::unlimited())
    }

    /// As [`Point::new`], within an allowance.
    pub(crate) fn within(
        program: &Program,
        machine: [i64; 4],
        values: &Parameters,
        allowance: &Allowance,
    ) -> Result<Point, Vec<Diagnostic>> {
        Point::build(program, machine, values, test_requires, allowance)
    }

    /// As [`Point::new`] for values that nobody named, of which many are tried. None where the answer takes long.
    pub(crate) fn tried(
        program: &Program,
        machine: [i64; 4],
        values: &Parameters,
    ) -> Option<Point> {
        let allowance = Allowance::of(VALUES_OF_A_TRIED_POINT);
        Point::if_admitted(program, machine, values, &allowance).ok()?
    }

    /// As [`Point::within`], but nothing where a `require` refuses the values. Nobody reads why thousands of tried values
    /// are refused.
    pub(crate) fn if_admitted(
        program: &Program,
        machine: [i64; 4],
        values: &Parameters,
        allowance: &Allowance,
    ) -> Result<Option<Point>, Vec<Diagnostic>> {
        match Point::build(program, machine, values, admits, allowance) {
            Ok(point) => Ok(Some(point)),
            Err(faults) if faults.is_empty() => Ok(None),
            Err(faults) => Err(faults),
        }
    }

    fn build(
        program: &Program,
        machine: [i64; 4],
        values: &Parameters,
        test: impl Fn(&Program, &Environment, &Allowance) -> Result<(), Vec<Diagnostic>>,
        allowance: &Allowance,
    ) -> Result<Point, Vec<Diagnostic>> {
        let mut faults = check_names(program, values);
        let ids = &program.machine;
        let of_machine = [ids.p, ids.b, ids.m, ids.g].into_iter().zip(machine);
        let mut environment = Environment::new(program);
        for (id, value) in of_machine.clone() {
            environment.bind(id, value);
        }
        let mut of_formals = Vec::with_capacity(program.formals.len());
        for &formal in &program.formals {
            match formal_value(program, formal, values) {
                Ok(value) => {
                    environment.bind(formal, value.clone());
                    of_formals.push((formal, value));
                }
                Err(fault) => faults.push(fault.into()),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        test(program, &environment, allowance)?;
        for binding in &program.lets {
            let value = evaluate_integer(program, &binding.value, &environment, allowance)
                .map_err(|fault| vec![fault])?;
            environment.bind(binding.parameter, value);
        }
        let extents = evaluate_extents(program, &environment, allowance)?;
        let of_machine = of_machine.map(|(id, value)| (id, value.into()));
        let parameters = of_formals.into_iter().chain(of_machine);
        let parameters = parameters.map(|(id, value)| (program.parameter(id).name.clone(), value));
        let parameters = parameters.collect();
        Ok(Point {
            environment,
            extents,
            parameters,
        })
    }

    /// Returns the fault of a program for which no point was found, at its first `require`.
    ///
    /// ```
    /// use atgpu::meaning::Point;
    ///
    /// let program = atgpu::program("algorithm T(n)\n  require n < 0\n")?;
    /// assert_eq!(Point::none_admitted(&program).code.short_name(), "require::violated");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn none_admitted(program: &Program) -> Diagnostic {
        let span = program.requires.first().map(|require| require.span);
        PointError::NoneAdmitted { span }.into()
    }

    /// Returns the faults of values of which some are still to come, whatever the `require`s say of
    /// them: an unknown name, a fraction for a formal.
    ///
    /// ```
    /// use atgpu::meaning::Point;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// assert!(Point::faults_of_names(&program, &().into()).is_empty());
    /// let faults = Point::faults_of_names(&program, &[("m", 65)].into());
    /// assert_eq!(faults[0].message, "the algorithm has no parameter `m`");
    /// ```
    pub fn faults_of_names(program: &Program, values: &Parameters) -> Vec<Diagnostic> {
        let mut faults = check_names(program, values);
        for &formal in &program.formals {
            match formal_value(program, formal, values) {
                Ok(_) | Err(PointError::Missing { .. }) => {}
                Err(fault) => faults.push(fault.into()),
            }
        }
        faults
    }

    /// Returns `require::violated` of a `require` that the others contradict, so that no point is admitted.
    pub(crate) fn contradicted(program: &Program, span: Span) -> Diagnostic {
        let text = program.clause(span).to_owned();
        PointError::Contradicted { text, span }.into()
    }

    /// Returns `usage::value` for every name that is neither a formal parameter nor one of the machine's.
    pub(crate) fn unknown_names(program: &Program, values: &Parameters) -> Vec<Diagnostic> {
        check_names(program, values)
    }

    /// Returns the faults of values of which some are still to come, as a derivation takes them: a
    /// fraction for a formal, a data-free `require` that these values alone violate.
    ///
    /// ```
    /// use atgpu::meaning::Point;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// // b is still to come, so nobody knows whether it divides n; n = 0 is refused whatever it is.
    /// assert!(Point::faults_of_some(&program, &[("n", 65)].into()).is_empty());
    /// let faults = Point::faults_of_some(&program, &[("n", 0)].into());
    /// assert_eq!(faults[0].code.short_name(), "require::violated");
    /// ```
    pub fn faults_of_some(program: &Program, values: &Parameters) -> Vec<Diagnostic> {
        let allowance = &Allowance::unlimited();
        let mut environment = Environment::new(program);
        let mut faults = Vec::new();
        let ids = &program.machine;
        let machine = [ids.p, ids.b, ids.m, ids.g];
        for id in program.formals.iter().copied().chain(machine) {
            if values.get(&program.parameter(id).name).is_none() {
                continue;
            }
            match formal_value(program, id, values) {
                Ok(value) => environment.bind(id, value),
                Err(fault) => faults.push(fault.into()),
            }
        }
        faults.extend(refusals_of_some(program, &environment, allowance));
        faults
    }

    /// The formal parameters and b.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(program.at(&card, [("n", 64)])?.values().to_string(), "n = 64, b = 32");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn values(&self) -> PointValues {
        let named = self.parameters.iter();
        let named = named.filter(|(name, _)| !["p", "M", "G"].contains(&name.as_str()));
        PointValues(named.map(|(n, value)| (n.clone(), value.clone())).collect())
    }

    /// b, the cores of an MP.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(program.at(&card, [("n", 64)])?.cores(), &32.into());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn cores(&self) -> &BigInt {
        &self.parameters["b"]
    }
}

/// Evaluates the extents of all variables, which are never negative.
fn evaluate_extents(
    program: &Program,
    environment: &Environment,
    allowance: &Allowance,
) -> Result<Vec<Vec<BigInt>>, Vec<Diagnostic>> {
    let mut extents = Vec::with_capacity(program.variables.len());
    for variable in &program.variables {
        let mut own = Vec::with_capacity(variable.dimensions.len());
        for dimension in &variable.dimensions {
            let extent = evaluate_integer(program, dimension, environment, allowance)
                .map_err(|fault| vec![fault])?;
            if extent.is_negative() {
                return Err(vec![
                    ParameterFault::NegativeExtent {
                        variable: variable.name.clone(),
                        value: legible(&extent),
                        span: dimension.span,
                    }
                    .into(),
                ]);
            }
            own.push(extent);
        }
        extents.push(own);
    }
    Ok(extents)
}
