//! A program at one choice of parameters.

use std::collections::HashMap;
use std::fmt;

use indexmap::{IndexMap, IndexSet};
use num_traits::Signed;

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::meaning::error::PointError;
use crate::meaning::eval::Connectives;
use crate::meaning::eval::parameters::{Evaluator, Failure};
use crate::meaning::fault::parameters::ParameterFault;
use crate::meaning::{Allowance, Environment, evaluate_integer, read_parameters};
use crate::number::{BigInt, Rational, Real, legible};
use crate::program::{
    Comparison, Condition, ConditionKind, Formula, Number, ParamId, ParameterKind, Program,
    Requirement,
};
use crate::text::{Span, nearest};

/// Names that cost models take values for; no program is at fault for not knowing them.
const COST_PARAMETERS: [&str; 11] = ["p", "b", "M", "G", "α", "β", "γ", "λ", "σ", "H", "k'"];

/// What the quantifiers of all `require`s may run through at a point that nobody named.
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
    /// The formals, whole numbers all, and b.
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

    /// As [`Point::new`] for values that nobody named, of which many are tried: none where to know it takes long.
    pub(crate) fn tried(
        program: &Program,
        machine: [i64; 4],
        values: &Parameters,
    ) -> Option<Point> {
        let allowance = Allowance::of(VALUES_OF_A_TRIED_POINT);
        Point::if_admitted(program, machine, values, &allowance).ok()?
    }

    /// As [`Point::within`], but nothing where a `require` refuses the values: of thousands that are tried nobody
    /// reads why.
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

    /// That no point was found at which a program can run, told at its first `require`.
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

    /// What is wrong with values of which some are still to come, whatever the `require`s say of
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

    /// `require::violated` of a `require` that the others contradict, so that no point is admitted.
    pub(crate) fn contradicted(program: &Program, span: Span) -> Diagnostic {
        let text = program.clause(span).to_owned();
        PointError::Contradicted { text, span }.into()
    }

    /// `usage::value` for every name that is neither a formal parameter nor one of the machine's.
    pub(crate) fn unknown_names(program: &Program, values: &Parameters) -> Vec<Diagnostic> {
        check_names(program, values)
    }

    /// What is wrong with values of which some are still to come, as a derivation takes them: a
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
        let (mut violated, mut valueless) = (Vec::new(), Vec::new());
        for require in program.requires.iter().filter(|one| !one.reads_data) {
            let is_decided = |part: &Condition<Formula>| {
                let mut reads = read_parameters(part);
                for binding in program.lets.iter().rev() {
                    if reads.shift_remove(&binding.parameter) {
                        reads.extend(read_parameters(&binding.value));
                    }
                }
                reads.iter().all(|id| environment.get(*id).is_some())
            };
            for part in parts_of(&require.condition)
                .iter()
                .filter(|part| is_decided(part))
            {
                match require_holds(program, &environment, part, allowance) {
                    Ok(true) => continue,
                    Ok(false) => violated.push(violation(
                        program,
                        &environment,
                        require,
                        Some(part),
                        allowance,
                    )),
                    Err(fault) => valueless.push(fault),
                }
                break;
            }
        }
        faults.extend(if violated.is_empty() {
            valueless
        } else {
            violated
        });
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

fn check_names(program: &Program, values: &Parameters) -> Vec<Diagnostic> {
    let formals = || {
        let formals = program.formals.iter();
        formals.map(|id| program.parameter(*id).name.as_str())
    };
    let mut faults = Vec::new();
    for (name, _) in values.iter() {
        if formals().any(|formal| formal == name) || COST_PARAMETERS.contains(&name) {
            continue;
        }
        let binding = program
            .parameters
            .iter()
            .find(|parameter| parameter.kind == ParameterKind::HeaderLet && parameter.name == name);
        let fault = match binding {
            Some(binding) => PointError::OfLet {
                name: name.to_owned(),
                formals: formals().map(str::to_owned).collect(),
                span: binding.span,
            },
            None => PointError::Unknown {
                name: name.to_owned(),
                near: nearest(name, formals().chain(COST_PARAMETERS)).map(str::to_owned),
                formals: formals().map(str::to_owned).collect(),
            },
        };
        faults.push(fault.into());
    }
    faults
}

fn formal_value(
    program: &Program,
    formal: ParamId,
    values: &Parameters,
) -> Result<BigInt, PointError> {
    let parameter = program.parameter(formal);
    let (name, span) = (|| parameter.name.clone(), parameter.span);
    let Some(value) = values.get(&parameter.name) else {
        return Err(PointError::Missing { name: name(), span });
    };
    value.to_integer().ok_or_else(|| PointError::Fraction {
        name: name(),
        value: legible(value),
        floor: value.floor().to_string(),
        span,
    })
}

/// Tests the `require`s without data, evaluating only the `let`s they name. A `require` without a value is told only
/// where all others hold: with `let k = n/b`, the point that `require b ∣ n` refuses has no k, and `require k > 1`
/// no answer.
fn test_requires(
    program: &Program,
    environment: &Environment,
    allowance: &Allowance,
) -> Result<(), Vec<Diagnostic>> {
    let (mut violated, mut valueless) = (Vec::new(), Vec::new());
    for require in program.requires.iter().filter(|one| !one.reads_data) {
        match require_holds(program, environment, &require.condition, allowance) {
            Ok(true) => {}
            Ok(false) => violated.push(violation(program, environment, require, None, allowance)),
            Err(fault) => valueless.push(fault),
        }
    }
    match (violated.is_empty(), valueless.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err(valueless),
        (false, _) => Err(violated),
    }
}

/// As [`test_requires`], without faults where one does not hold.
fn admits(
    program: &Program,
    environment: &Environment,
    allowance: &Allowance,
) -> Result<(), Vec<Diagnostic>> {
    let mut valueless = Vec::new();
    for require in program.requires.iter().filter(|one| !one.reads_data) {
        match require_holds(program, environment, &require.condition, allowance) {
            Ok(true) => {}
            Ok(false) => return Err(Vec::new()),
            Err(fault) => valueless.push(fault),
        }
    }
    if valueless.is_empty() {
        Ok(())
    } else {
        Err(valueless)
    }
}

/// What a condition asks, one by one: `1 ≤ w ≤ b ∧ b | n` is three things.
fn parts_of(condition: &Condition<Formula>) -> Vec<Condition<Formula>> {
    match &condition.kind {
        ConditionKind::And(left, right) => [parts_of(left), parts_of(right)].concat(),
        ConditionKind::Compare {
            operands,
            operators,
        } => {
            let links = operands.windows(2).zip(operators);
            let link = |(pair, operator): (&[Number<Formula>], &Comparison)| Condition {
                kind: ConditionKind::Compare {
                    operands: pair.to_vec(),
                    operators: vec![*operator],
                },
                span: condition.span,
            };
            links.map(link).collect()
        }
        _ => vec![condition.clone()],
    }
}

/// `require::violated`, of a part of a `require` or of all of it.
fn violation(
    program: &Program,
    environment: &Environment,
    require: &Requirement,
    part: Option<&Condition<Formula>>,
    allowance: &Allowance,
) -> Diagnostic {
    let part = part.unwrap_or(&require.condition);
    let values = read_parameters(&require.condition)
        .iter()
        .filter_map(|id| {
            let value = match environment.get(*id) {
                Some(value) => value.clone(),
                None => let_value(program, environment, *id, allowance)?.into(),
            };
            Some((program.parameter(*id).name.clone(), value))
        })
        .collect();
    PointError::Violated {
        text: program.clause(require.span).to_owned(),
        values,
        fixes_width: is_equality(part) && read_parameters(part).contains(&program.machine.b),
        span: require.span,
    }
    .into()
}

fn is_equality(condition: &Condition<Formula>) -> bool {
    match &condition.kind {
        ConditionKind::Compare { operators, .. } => operators.contains(&Comparison::Equal),
        _ => false,
    }
}

/// Whether a data-free condition of the header holds where formals and machine are bound, with
/// only the `let`s it names evaluated. One without a value does not hold where a part of it does not: `k > 1 ∧ b ∣ n`
/// with `let k = n/b`.
pub(super) fn require_holds(
    program: &Program,
    environment: &Environment,
    condition: &Condition<Formula>,
    allowance: &Allowance,
) -> Result<bool, Diagnostic> {
    let reads = read_parameters(condition);
    let (environment, failures) = with_lets(program, environment, reads, allowance);
    // With `let k = n/b`, n = 5 and b = 2, k has no value, and so has `k > 1`. But `b ∣ n` has one, and it refuses the
    // point. A part that has no value therefore waits for those that have.
    let holds = |condition| truth(program, &environment, &failures, condition, allowance);
    let whole = holds(condition);
    if whole.is_err()
        && parts_of(condition)
            .iter()
            .any(|part| holds(part) == Ok(false))
    {
        return Ok(false);
    }
    whole
}

/// The same where all that the condition reads is bound.
pub(super) fn holds_at(
    program: &Program,
    environment: &Environment,
    condition: &Condition<Formula>,
    allowance: &Allowance,
) -> bool {
    let holds = truth(program, environment, &HashMap::new(), condition, allowance);
    holds.is_ok_and(|holds| holds)
}

/// A number of the header where formals and machine are bound, with only the `let`s it names evaluated.
pub(super) fn number_at(
    program: &Program,
    environment: &Environment,
    number: &Number<Formula>,
    allowance: &Allowance,
) -> Option<Real> {
    let reads = read_parameters(number);
    let (environment, failures) = with_lets(program, environment, reads, allowance);
    let mut evaluator = Evaluator::new(program, &environment, allowance).with_failures(&failures);
    evaluator.number(number).ok()
}

fn truth(
    program: &Program,
    environment: &Environment,
    failures: &HashMap<ParamId, Diagnostic>,
    condition: &Condition<Formula>,
    allowance: &Allowance,
) -> Result<bool, Diagnostic> {
    let holds = Evaluator::new(program, environment, allowance)
        .with_failures(failures)
        .connected(Connectives::ShortCircuit)
        .condition(condition);
    match holds {
        Ok(holds) => Ok(holds),
        Err(Failure::Fault(fault)) => Err(fault),
        // Letters of the cost functions stand in claims only.
        Err(Failure::NoLetter) => Ok(true),
    }
}

fn let_value(
    program: &Program,
    environment: &Environment,
    id: ParamId,
    allowance: &Allowance,
) -> Option<BigInt> {
    let (environment, _) = with_lets(program, environment, IndexSet::from([id]), allowance);
    environment.get(id)?.to_integer()
}

/// The environment with the `let`s of some parameters, and those they name in turn; and why others
/// have no value.
fn with_lets(
    program: &Program,
    environment: &Environment,
    mut needed: IndexSet<ParamId>,
    allowance: &Allowance,
) -> (Environment, HashMap<ParamId, Diagnostic>) {
    // Definitions stand before their uses.
    for binding in program.lets.iter().rev() {
        if needed.contains(&binding.parameter) {
            needed.extend(read_parameters(&binding.value));
        }
    }
    let mut environment = environment.clone();
    let mut failures = HashMap::new();
    for binding in &program.lets {
        if !needed.contains(&binding.parameter) {
            continue;
        }
        let value = Evaluator::new(program, &environment, allowance)
            .with_failures(&failures)
            .integer(&binding.value);
        match value {
            Ok(value) => environment.bind(binding.parameter, value),
            Err(Failure::Fault(fault)) => {
                failures.insert(binding.parameter, fault);
            }
            Err(Failure::NoLetter) => {}
        }
    }
    (environment, failures)
}

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
