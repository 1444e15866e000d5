//! One row a point: programs, machines and models over a grid of parameters.
//!
//! Points whose program has exact forms are evaluated on all cores of the computer, a batch at a
//! time, and handed on in order; nothing else is held. The order is programs, machines, points
//! (the last axis runs fastest).

use std::ops::ControlFlow;

use indexmap::IndexMap;
use rayon::prelude::*;

use crate::check::program::Program;
use crate::cost::{Estimate, Exact, Model, Subject, Value};
use crate::count::{Charged, Counts, Parameters};
use crate::derive::Derivation;
use crate::derive::evaluate::{Evaluation, Workplace};
use crate::diag::{Diagnostic, Severity};
use crate::machine::{Machine, OVERRIDABLE, Tariff};
use crate::number::{BigInt, Rational};
use crate::study::axis::Axis;
use crate::study::counting::{Budget, Charging, Counting, NoCounts, counts};
use crate::study::error::StudyError;
use crate::study::prepared::Prepared;
use crate::text::{Span, nearest};
use crate::value::Point;

/// Points one thread does at a time.
const CHUNK: u64 = 512;

/// Chunks between two deliveries.
const CHUNKS: u64 = 32;

/// What to compute where.
pub struct Sweep<'p> {
    prepared: Vec<Prepared<'p>>,
    machines: Vec<Machine>,
    models: Vec<&'static dyn Model>,
    axes: Vec<Axis>,
    fixed: Parameters,
    columns: Vec<String>,
    counting: Counting,
    charges: Vec<ChargedForms>,
    /// What each machine charges, where a model asks.
    tariffs: Vec<Option<Tariff>>,
}

/// What a machine charges a program, for one width of its MPs.
struct ChargedForms {
    program: usize,
    machine: usize,
    b: i64,
    evaluation: Evaluation,
    /// Whether they give every charge exactly, wherever they have a value.
    is_exact: bool,
}

/// All that is known at one point.
pub struct Case<'c> {
    /// The algorithm's name.
    pub program: &'c str,
    /// The machine's name.
    pub machine: &'c str,
    /// The values of [`Sweep::columns`]; none where the program has no such parameter.
    pub values: &'c [Option<Rational>],
    /// The counts; upper bounds when not exact.
    pub counts: &'c Counts<BigInt>,
    /// What each model says.
    pub estimates: &'c [(&'static str, Estimate)],
    /// Which counts and figures are exact.
    pub exact: &'c Exact,
    /// What the models judged.
    pub subject: Subject<'c>,
    /// The machine they judged it on, with what varies on it.
    pub on: &'c Machine,
}

/// Points of one program on one machine that gave nothing, all for one reason.
#[derive(Debug, Clone)]
pub struct Skipped {
    /// Which of the programs.
    pub program: usize,
    /// The machine's name.
    pub machine: String,
    /// How many points.
    pub points: u64,
    /// Out of how many.
    pub out_of: u64,
    /// What the first of them meets: a note where the point does not fit the program, an error
    /// where the program is at fault.
    pub first: Diagnostic,
}

/// How a sweep ended.
#[derive(Debug, Clone, Default)]
pub struct Finished {
    /// The points that gave nothing.
    pub skipped: Vec<Skipped>,
    /// The points that gave something.
    pub points: u64,
}

/// A program on a machine.
struct Job<'s, 'p> {
    subject: &'s Prepared<'p>,
    machine: &'s Machine,
    /// The machine with all overrides, when none of them varies.
    settled: Option<(Machine, Parameters)>,
    /// Values of `-D` this program or any machine knows.
    fixed: Parameters,
    charges: Vec<&'s ChargedForms>,
    tariff: Option<&'s Tariff>,
    /// Whether the closed forms give all that models ask for exactly.
    is_exact: bool,
}

/// Where one thread keeps its values.
struct Workplaces {
    counts: Option<Workplace>,
    charges: Vec<Workplace>,
}

impl Workplaces {
    fn new(job: &Job<'_, '_>) -> Self {
        let evaluation = job.subject.evaluation.as_ref();
        Workplaces {
            counts: evaluation.map(Evaluation::workplace),
            charges: job
                .charges
                .iter()
                .map(|forms| forms.evaluation.workplace())
                .collect(),
        }
    }

    /// What the machine charges at a point, where that was derived for its b.
    fn charged(&mut self, job: &Job<'_, '_>, point: &Point) -> Option<Charged> {
        let is_of = |forms: &&ChargedForms| BigInt::from(forms.b) == *point.cores();
        let at = job.charges.iter().position(is_of)?;
        let forms = &job.charges[at].evaluation;
        forms
            .charged_at(&point.parameters, &mut self.charges[at])
            .ok()
    }
}

/// The points one batch gave nothing for: how many, and what the first meets.
type Reasons = IndexMap<(&'static str, Option<Span>), (u64, Diagnostic)>;

/// What a batch gives.
struct Batch<T> {
    rendered: T,
    reasons: Reasons,
    points: u64,
    stopped: Option<Stop>,
}

enum Stop {
    Fault(Vec<Diagnostic>),
    TooLong,
}

impl<'p> Sweep<'p> {
    /// A sweep; the parameters given with `-D` are `fixed`.
    ///
    /// ```
    /// use atgpu::cost::find;
    /// use atgpu::count::Parameters;
    /// use atgpu::machine::Machine;
    /// use atgpu::study::{Axis, Counting, Prepared, Sweep};
    ///
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let sweep = Sweep::new(
    ///     vec![Prepared::new(&program, Some(&program.derive()?))],
    ///     vec![Machine::built_in("gtx650").expect("built in")],
    ///     vec![find("atgpu").expect("listed")],
    ///     vec![Axis::parse("n=2^10..2^20", &|_| true).expect("a range")],
    ///     Parameters::new(),
    ///     Counting::Briefly,
    /// ).expect("n is the program's");
    /// assert_eq!(sweep.points(), 11);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// `usage::value` for parameters nobody has or that are given twice, and too large a grid.
    pub fn new(
        prepared: Vec<Prepared<'p>>,
        machines: Vec<Machine>,
        models: Vec<&'static dyn Model>,
        axes: Vec<Axis>,
        fixed: Parameters,
        counting: Counting,
    ) -> Result<Self, StudyError> {
        let formals: Vec<&str> = prepared
            .iter()
            .flat_map(|subject| {
                let program = subject.program;
                let formals = program.formals.iter();
                formals.map(|id| program.parameter(*id).name.as_str())
            })
            .collect();
        let mut columns: Vec<String> = Vec::new();
        let canonical = |name: &str| {
            let named: Parameters = [(name, 0)].into_iter().collect();
            let name = named.iter().next().map(|(name, _)| name.to_owned());
            name.unwrap_or_default()
        };
        let axes: Vec<Axis> = axes
            .into_iter()
            .map(|axis| axis.renamed(canonical))
            .collect();
        let varied = axes.iter().map(|axis| axis.name.as_str());
        let given = varied.chain(fixed.iter().map(|(name, _)| name));
        for name in formals.iter().copied().chain(given) {
            let known = || formals.iter().copied().chain(OVERRIDABLE.iter().copied());
            if !known().any(|known| known == name) {
                let help = match nearest(name, known()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
                };
                let name = name.to_owned();
                return Err(StudyError::Stranger { name, help });
            }
            if !columns.iter().any(|column| column == name) {
                columns.push(name.to_owned());
            }
        }
        for (at, axis) in axes.iter().enumerate() {
            let before = axes[..at].iter().any(|other| other.name == axis.name);
            if before || fixed.get(&axis.name).is_some() {
                let name = axis.name.clone();
                return Err(StudyError::Twice { name });
            }
        }
        let tariffs = vec![None; machines.len()];
        let sweep = Sweep {
            prepared,
            machines,
            models,
            axes,
            fixed,
            columns,
            counting,
            charges: Vec::new(),
            tariffs,
        };
        match sweep.checked_points() {
            Some(_) => Ok(sweep),
            None => Err(StudyError::TooManyPoints),
        }
    }

    /// Derives what machines charge for programs, where a model or a quantity wanted asks; `derive` is told the program,
    /// the machine's b, and its rules and weights.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// use atgpu::derive::derive_charged;
    /// use std::ops::ControlFlow;
    ///
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let mut sweep = Sweep::new(
    ///     vec![Prepared::new(&program, Some(&program.derive()?))],
    ///     vec![Machine::built_in("gtx280").expect("built in")],
    ///     vec![find("kothapalli-max").expect("listed")],
    ///     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    ///     ().into(),
    ///     Counting::Briefly,
    /// ).expect("n is the program's");
    /// sweep.charge(&[], &mut |program, given, tariff| {
    ///     Some(derive_charged(program, given, Some(tariff)))
    /// })?;
    /// let mut times = Vec::new();
    /// sweep.run(
    ///     &|case, out: &mut Vec<f64>| {
    ///         let (_, estimate) = &case.estimates[0];
    ///         out.extend(estimate.headline().map(|ms| ms.to_f64()));
    ///     },
    ///     &mut |_, batch| {
    ///         times.extend(batch);
    ///         ControlFlow::Continue(())
    ///     },
    /// )?;
    /// assert_eq!(times.len(), 3);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// `machine::key` where a machine does not say what it charges; `usage::value` for more than
    /// 64 values of b.
    pub fn charge(
        &mut self,
        wanted: &[&str],
        derive: &mut dyn FnMut(&Program, &Parameters, &Tariff) -> Option<Derivation>,
    ) -> Result<(), Diagnostic> {
        let is_asked = self.models.iter().any(|model| model.needs_charges());
        if !is_asked && !wanted.iter().any(|name| is_charge(name)) {
            return Ok(());
        }
        let axis = self.axes.iter().find(|axis| axis.name == "b");
        if axis.is_some_and(|axis| axis.len() > 64) {
            return Err(Diagnostic::of(&StudyError::TooManyWidths));
        }
        for (at, machine) in self.machines.iter().enumerate() {
            let needs_cycles = is_asked || wanted.contains(&"memory_cycles");
            let tariff = match needs_cycles {
                true => machine.tariff(),
                false => Ok(machine.rules()),
            };
            let tariff = tariff.map_err(|missing| Diagnostic::of(&missing))?;
            let widths: Vec<i64> = match (axis, self.fixed.get("b")) {
                (Some(axis), _) => (0..axis.len())
                    .filter_map(|place| axis.value(place).to_i64())
                    .collect(),
                (None, Some(b)) => b.to_i64().into_iter().collect(),
                (None, None) => vec![machine.atgpu.cores_per_mp],
            };
            for (program, prepared) in self.prepared.iter().enumerate() {
                for b in &widths {
                    let given: Parameters = [("b", *b)].into_iter().collect();
                    if let Some(derivation) = derive(prepared.program, &given, &tariff) {
                        self.charges.push(ChargedForms {
                            program,
                            machine: at,
                            b: *b,
                            evaluation: Evaluation::new(prepared.program, &derivation),
                            is_exact: has_exact_charges(&derivation),
                        });
                    }
                }
            }
            self.tariffs[at] = Some(tariff);
        }
        Ok(())
    }

    /// The parameters a row shows: every formal, and what else was given or varied.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// assert_eq!(sweep.columns(), ["n"]);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The models asked for.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// assert_eq!(sweep.models()[0].name(), "atgpu");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn models(&self) -> &[&'static dyn Model] {
        &self.models
    }

    /// The values that vary.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// assert_eq!(sweep.axes()[0].name, "n");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// All points of all programs on all machines.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// assert_eq!(sweep.points(), 3); // one program, one machine, three values of n
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn points(&self) -> u64 {
        self.checked_points().expect("tested when it was made")
    }

    /// The points of one program on one machine.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// assert_eq!(sweep.places(), 3);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn places(&self) -> u64 {
        self.grid().expect("tested when it was made")
    }

    /// All parameters given at a place of the grid.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// assert_eq!(sweep.given(2).get("n"), Some(&128.into()));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn given(&self, mut place: u64) -> Parameters {
        let mut given = self.fixed.clone();
        for axis in self.axes.iter().rev() {
            given.set(&axis.name, axis.value(place % axis.len()));
            place /= axis.len();
        }
        given
    }

    fn checked_points(&self) -> Option<u64> {
        let jobs = self.prepared.len() as u64 * self.machines.len() as u64;
        let points = self.grid()?.checked_mul(jobs)?;
        (points <= 1 << 53).then_some(points)
    }

    fn grid(&self) -> Option<u64> {
        let mut axes = self.axes.iter();
        axes.try_fold(1_u64, |points, axis| points.checked_mul(axis.len()))
    }

    /// Every figure a row may show, by name: those of the models, then the totals.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// let quantities = sweep.quantities();
    /// assert!(quantities.contains(&"gpu_cost") && quantities.contains(&"bank_conflicts"));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn quantities(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        let nothing = Counts::default();
        let uncharged = Charged::default();
        for (model, machine) in self
            .models
            .iter()
            .flat_map(|model| self.machines.iter().map(move |machine| (model, machine)))
        {
            let estimate = model.estimate(&Subject::of(&nothing).with_charges(&uncharged), machine);
            names.extend(
                estimate
                    .iter()
                    .flat_map(|estimate| estimate.figures.iter().map(|figure| figure.name)),
            );
        }
        names.extend(nothing.totals.named().map(|(name, _)| name));
        names.extend(CHARGES.map(|(name, _)| name));
        let mut seen = Vec::new();
        names.retain(|name| {
            let is_new = !seen.contains(name);
            seen.push(*name);
            is_new
        });
        names
    }

    /// Computes everything. `render` is called on every point, on several threads, and adds to
    /// what `deliver` then gets in order, with the points done so far; `deliver` may break off.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// use std::ops::ControlFlow;
    ///
    /// let mut words = Vec::new();
    /// let finished = sweep.run(
    ///     // On several threads, each into a list of its own …
    ///     &|case, batch: &mut Vec<_>| batch.push(case.counts.totals.transfer.clone()),
    ///     // … which arrive here in order.
    ///     &mut |_, batch| {
    ///         words.extend(batch);
    ///         ControlFlow::Continue(())
    ///     },
    /// )?;
    /// assert_eq!(words, [96.into(), 192.into(), 384.into()]);
    /// assert!(finished.skipped.is_empty());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// What every point would meet: a parameter without a value, a machine without a figure that a
    /// model needs, a count that takes too long.
    pub fn run<T: Default + Send>(
        &self,
        render: &(impl Fn(&Case<'_>, &mut T) + Sync),
        deliver: &mut dyn FnMut(u64, T) -> ControlFlow<()>,
    ) -> Result<Finished, Vec<Diagnostic>> {
        let mut finished = Finished::default();
        let mut done = 0;
        for (number, subject) in self.prepared.iter().enumerate() {
            for at in 0..self.machines.len() {
                let job = self.job(number, subject, at)?;
                let flow = self.run_job(number, &job, render, &mut done, deliver, &mut finished)?;
                if flow.is_break() {
                    return Ok(finished);
                }
            }
        }
        Ok(finished)
    }

    fn job<'s>(
        &'s self,
        number: usize,
        subject: &'s Prepared<'p>,
        at: usize,
    ) -> Result<Job<'s, 'p>, Vec<Diagnostic>> {
        let machine = &self.machines[at];
        let is_known = |name: &str| subject.has_formal(name) || OVERRIDABLE.contains(&name);
        let fixed = self.fixed.iter().filter(|(name, _)| is_known(name));
        let fixed: Parameters = fixed.map(|(name, value)| (name, value.clone())).collect();
        let is_formal = |name: &str| subject.has_formal(name);
        let varies = self
            .axes
            .iter()
            .any(|axis| !is_formal(&axis.name) && is_known(&axis.name));
        let settled = machine.with_overrides(&fixed, is_formal)?;
        let charges = self.charges.iter();
        let charges: Vec<&ChargedForms> = charges
            .filter(|forms| forms.program == number && forms.machine == at)
            .collect();
        Ok(Job {
            subject,
            machine,
            settled: (!varies).then_some(settled),
            fixed,
            is_exact: subject.is_exact
                && (self.tariffs[at].is_none() || charges.iter().all(|forms| forms.is_exact)),
            charges,
            tariff: self.tariffs[at].as_ref(),
        })
    }

    fn run_job<T: Default + Send>(
        &self,
        number: usize,
        job: &Job<'_, 'p>,
        render: &(impl Fn(&Case<'_>, &mut T) + Sync),
        done: &mut u64,
        deliver: &mut dyn FnMut(u64, T) -> ControlFlow<()>,
        finished: &mut Finished,
    ) -> Result<ControlFlow<()>, Vec<Diagnostic>> {
        let points = self.grid().expect("tested when it was made");
        let too_long = || StudyError::TooLong {
            program: job.subject.program.name.clone(),
            points,
        };
        let stop = |stop: Stop| match stop {
            Stop::Fault(faults) => faults,
            Stop::TooLong => vec![Diagnostic::of(&too_long())],
        };
        let mut budget = Budget::new(self.counting);
        if !job.is_exact {
            // The last point is the longest, mostly: what cannot be counted is refused before
            // anything is written.
            let mut trial = budget;
            let last: Batch<T> = self.batch(job, points - 1, points, &|_, _| (), &mut trial);
            if let Some(Stop::TooLong) = last.stopped {
                return Err(stop(Stop::TooLong));
            }
        }
        let mut reasons = Reasons::new();
        let mut start = 0;
        let mut flow = ControlFlow::Continue(());
        while start < points && flow.is_continue() {
            let end = points.min(start + CHUNK * CHUNKS);
            let batches: Vec<Batch<T>> = if job.is_exact {
                let chunks = (end - start).div_ceil(CHUNK);
                let one = |chunk: u64| {
                    let low = start + chunk * CHUNK;
                    let mut budget = budget;
                    self.batch(job, low, end.min(low + CHUNK), render, &mut budget)
                };
                (0..chunks).into_par_iter().map(one).collect()
            } else {
                let end = points.min(start + 1);
                vec![self.batch(job, start, end, render, &mut budget)]
            };
            start = match job.is_exact {
                true => end,
                false => start + 1,
            };
            for batch in batches {
                for (key, (count, first)) in batch.reasons {
                    reasons.entry(key).or_insert((0, first)).0 += count;
                }
                finished.points += batch.points;
                if let Some(fault) = batch.stopped {
                    return Err(stop(fault));
                }
                *done += CHUNK.min(points);
                if flow.is_continue() {
                    flow = deliver((*done).min(self.points()), batch.rendered);
                }
            }
        }
        finished
            .skipped
            .extend(reasons.into_values().map(|(count, first)| Skipped {
                program: number,
                machine: job.machine.name.to_string(),
                points: count,
                out_of: points,
                first,
            }));
        Ok(flow)
    }

    fn batch<T: Default>(
        &self,
        job: &Job<'_, 'p>,
        start: u64,
        end: u64,
        render: &impl Fn(&Case<'_>, &mut T),
        budget: &mut Budget,
    ) -> Batch<T> {
        let mut batch = Batch {
            rendered: T::default(),
            reasons: Reasons::new(),
            points: 0,
            stopped: None,
        };
        let mut workplaces = Workplaces::new(job);
        for point in start..end {
            match self.point(job, point, &mut workplaces, budget, |case| {
                render(case, &mut batch.rendered);
            }) {
                Ok(()) => batch.points += 1,
                Err(Stop::Fault(faults)) if faults.iter().all(leaves_other_points) => {
                    let first = faults.into_iter().next().expect("a fault is at least one");
                    let place = first.primary().map(|label| label.span);
                    let key = (first.code.short_name(), place);
                    batch.reasons.entry(key).or_insert((0, noted(first))).0 += 1;
                }
                Err(stop) => {
                    batch.stopped = Some(stop);
                    return batch;
                }
            }
        }
        batch
    }

    fn point(
        &self,
        job: &Job<'_, 'p>,
        place: u64,
        workplaces: &mut Workplaces,
        budget: &mut Budget,
        use_case: impl FnOnce(&Case<'_>),
    ) -> Result<(), Stop> {
        let fault = |error: &dyn miette::Diagnostic| Stop::Fault(vec![Diagnostic::of(error)]);
        let values = self.values(job, place);
        let varied: Option<(Machine, Parameters)>;
        let (machine, formals) = match &job.settled {
            Some((machine, fixed)) => {
                let mut formals = fixed.clone();
                for axis in &self.axes {
                    let column = self.column(&axis.name);
                    if let Some(value) = &values[column] {
                        formals.set(&axis.name, value.clone());
                    }
                }
                (machine, formals)
            }
            None => {
                let mut given = job.fixed.clone();
                for axis in &self.axes {
                    if let Some(value) = &values[self.column(&axis.name)] {
                        given.set(&axis.name, value.clone());
                    }
                }
                let is_formal = |name: &str| job.subject.has_formal(name);
                let settled = job.machine.with_overrides(&given, is_formal);
                varied = Some(settled.map_err(Stop::Fault)?);
                let (machine, formals) = varied.as_ref().expect("just made");
                (machine, formals.clone())
            }
        };
        let point = Point::new(job.subject.program, machine.atgpu.numbers(), &formals)
            .map_err(Stop::Fault)?;
        let charging = Charging {
            tariff: job.tariff,
            known: workplaces.charged(job, &point),
        };
        let workplace = workplaces.counts.as_mut();
        let found = counts(job.subject, &point, workplace, charging, budget);
        let found = found.map_err(|no| match no {
            NoCounts::TooLong => Stop::TooLong,
            NoCounts::Fault(fault) => Stop::Fault(vec![*fault]),
        })?;
        let [shared, global] = &found.least_words;
        for (needed, capacity, error) in [
            (
                shared,
                machine.atgpu.shared_words,
                StudyError::shared as fn(_, _) -> _,
            ),
            (global, machine.atgpu.global_words, StudyError::global),
        ] {
            if *needed > BigInt::from(capacity) {
                return Err(fault(&error(needed.clone(), capacity)));
            }
        }
        let judged = Subject {
            counts: &found.counts,
            charges: found.charges.as_ref(),
            derivation: None,
        };
        let mut estimates = Vec::with_capacity(self.models.len());
        for model in &self.models {
            let estimate = model.estimate(&judged, machine);
            estimates.push((model.name(), estimate.map_err(|missing| fault(&missing))?));
        }
        let pairs = self.models.iter().zip(&estimates);
        let pairs = pairs.map(|(model, (_, estimate))| (*model, estimate));
        let exact = Exact::of(&judged, found.least.as_ref(), pairs, machine);
        use_case(&Case {
            program: &job.subject.program.name,
            machine: &machine.name,
            values: &values,
            counts: &found.counts,
            estimates: &estimates,
            exact: &exact,
            subject: judged,
            on: machine,
        });
        Ok(())
    }

    fn column(&self, name: &str) -> usize {
        let mut columns = self.columns.iter();
        let at = columns.position(|column| column == name);
        at.expect("every axis has its column")
    }

    /// The values of all columns at a place of the grid.
    fn values(&self, job: &Job<'_, 'p>, mut place: u64) -> Vec<Option<Rational>> {
        let mut values: Vec<Option<Rational>> = self
            .columns
            .iter()
            .map(|name| job.fixed.get(name).cloned())
            .collect();
        for axis in self.axes.iter().rev() {
            let value = axis.value(place % axis.len());
            place /= axis.len();
            if job.subject.has_formal(&axis.name) || OVERRIDABLE.contains(&axis.name.as_str()) {
                values[self.column(&axis.name)] = Some(value);
            }
        }
        values
    }
}

/// The charges a row may show, and their units: sums over all kernels.
const CHARGES: [(&str, &str); 4] = [
    ("compute_cycles", "cycles"),
    ("memory_cycles", "cycles"),
    ("memory_transactions", "memory transactions"),
    ("charged_bank_conflicts", "conflicts"),
];

/// Whether a quantity is one of what machines charge.
///
/// ```
/// # use atgpu::study::is_charge;
/// assert!(is_charge("memory_transactions") && !is_charge("io"));
/// ```
pub fn is_charge(quantity: &str) -> bool {
    CHARGES.iter().any(|(name, _)| *name == quantity)
}

impl Case<'_> {
    /// What the machine charges, where it was asked: names, sums over all kernels, units.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// # use std::ops::ControlFlow;
    /// let mut found = Vec::new();
    /// sweep.run(
    ///     &|case, found: &mut Vec<_>| found.push(case.charges().len()),
    ///     &mut |_, batch| {
    ///         found.extend(batch);
    ///         ControlFlow::Continue(())
    ///     },
    /// )?;
    /// assert_eq!(found, [0, 0, 0]); // no model asked for them
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn charges(&self) -> Vec<(&'static str, Rational, &'static str)> {
        let Some(charged) = self.subject.charges else {
            return Vec::new();
        };
        let sums = [
            charged.total(|round| &round.compute),
            charged.total(|round| &round.memory),
            charged.total(|round| &round.memory_transactions),
            charged.total(|round| &round.bank_conflicts),
        ];
        let named = CHARGES.into_iter().zip(sums);
        named.map(|((name, unit), sum)| (name, sum, unit)).collect()
    }

    /// Whether the charges are exact, where they were asked.
    ///
    /// ```
    /// # use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// # let sweep = Sweep::new(
    /// #     vec![Prepared::new(&program, Some(&program.derive()?))],
    /// #     vec![Machine::built_in("gtx650").expect("built in")],
    /// #     vec![find("atgpu").expect("listed")],
    /// #     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    /// #     ().into(),
    /// #     Counting::Briefly,
    /// # ).expect("n is the program's");
    /// # use std::ops::ControlFlow;
    /// let mut found = Vec::new();
    /// sweep.run(
    ///     &|case, found: &mut Vec<_>| found.push(case.has_exact_charges()),
    ///     &mut |_, batch| {
    ///         found.extend(batch);
    ///         ControlFlow::Continue(())
    ///     },
    /// )?;
    /// assert_eq!(found, [false; 3]); // there are none
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn has_exact_charges(&self) -> bool {
        self.subject.charges.is_some_and(|charged| charged.is_exact)
    }
}

/// Whether every charge of a derivation is exact.
fn has_exact_charges(derivation: &Derivation) -> bool {
    let mut charges = derivation
        .rounds
        .iter()
        .map(|round| round.charges.as_deref());
    derivation.totals.rounds.is_exact()
        && charges.all(|charges| {
            charges.is_none_or(|charges| {
                let mut named = charges.named().into_iter();
                named.all(|(_, quantity)| quantity.is_exact())
                    && charges
                        .kinds
                        .iter()
                        .all(|(_, quantity)| quantity.is_exact())
            })
        })
}

/// Whether a fault says only that this point does not fit, and others may.
fn leaves_other_points(fault: &Diagnostic) -> bool {
    let area = fault.code.short_name().split("::").next();
    !matches!(
        area,
        Some("usage" | "machine" | "resource" | "file" | "data")
    )
}

/// A point outside what the program or the machine admits is no fault of anyone.
fn noted(fault: Diagnostic) -> Diagnostic {
    let area = fault.code.short_name().split("::").next();
    match area {
        Some("require" | "limit" | "value") => Diagnostic {
            severity: Severity::Note,
            ..fault
        },
        _ => fault,
    }
}

/// The unit of a figure that is no time: what is counted, or 1 for a share.
pub(crate) fn unit_of(figure: &str, value: &Value, estimate: &Estimate) -> &'static str {
    match value {
        Value::Time(_) => estimate.unit.unwrap_or("ms"),
        Value::Share(_) | Value::Class(_) => "1",
        Value::Count(_) => unit_of_count(figure),
    }
}

/// What a total counts.
pub(crate) fn unit_of_count(name: &str) -> &'static str {
    match name {
        "rounds" => "rounds",
        "time" | "total_time" => "operations",
        "io" => "blocks",
        "inward" | "outward" | "transfer" | "shared" | "global" => "words",
        "transactions" => "transactions",
        "bank_conflicts" => "conflicts",
        "occupancy" => "MPs",
        other => {
            let charge = CHARGES.iter().find(|(name, _)| *name == other);
            charge.map_or("1", |(_, unit)| *unit)
        }
    }
}
