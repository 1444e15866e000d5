//! The interface for Rust programs: from a text to its derivation, its costs and its results, in one line
//! each.
//!
//! [`program`] reads a text. The methods that this module adds to [`Program`] call the phases and hold no
//! logic of their own. Every fault comes back as one [`Error`].

mod costs;
mod error;
mod run;

use std::ops::ControlFlow;

use crate::check;
use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derive::numbers::{brief_charges, numbers};
use crate::derive::{derive, derive_charged, faults_of_given};
use crate::diag::Diagnostic;
use crate::exec::{Options, Progress, Unwatched};
use crate::interval::{CountError, CountOptions, TEN_SECONDS, unbounded_loops};
use crate::lint;
use crate::machine::Machine;
use crate::meaning::Point;
use crate::program::Program;
use crate::report::derivation::claims;
use crate::report::safety::beside;
use crate::room::with_room;
use crate::safety::{self, Safety};
use crate::text::Source;

pub use costs::Costs;
pub use error::{Error, Finding, Findings};
pub use run::Run;

/// Reads a program: parses and checks its text.
///
/// A [`Source`] gives the text a name, and its errors show the name.
///
/// ```
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// use atgpu::text::Source;
///
/// let text = include_str!("reduction.atgpu");
/// let program = atgpu::program(Source::new("reduction.atgpu", text))?;
/// assert_eq!(program.name(), "Reduction");
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// Every fault of syntax, names, scopes, operators, types and ranks.
pub fn program(text: impl Into<Source>) -> Result<Program, Error> {
    let source = text.into();
    let checked = with_room(|| check::check_text(&source));
    match checked.program {
        Some(program) => Ok(program),
        None => Err(Error::new(&source, checked.diagnostics)),
    }
}

impl Program {
    /// Returns the findings of `atgpu check`: lints of the text and, by counting on this machine, limits,
    /// provable faults of bounds and races, and slow places. Formals without a value are judged at a small
    /// example.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert!(program.check(&card, ())?.is_empty());
    /// // n = 1000 is no multiple of b, which the program requires.
    /// let error = program.check(&card, [("n", 1000)]).unwrap_err();
    /// assert!(error.to_string().contains("require::violated"));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// If one of the findings is an error; the error holds the others too.
    pub fn check(
        &self,
        machine: &Machine,
        parameters: impl Into<Parameters>,
    ) -> Result<Findings, Error> {
        let given = parameters.into();
        let (machine, formals) = self.on(machine, &given)?;
        let found = with_room(|| {
            let mut found = check::check_text(&self.source).diagnostics;
            let counted = lint::lint(self, &formals, &machine);
            let safety = safety::safety(self, &given, &machine);
            found.extend(beside(counted, &safety, self, &formals));
            found
        });
        Findings::new(&self.source, found).or_error()
    }

    /// Returns all findings that an editor shows: the findings of [`Program::check`], the wrong claims, and
    /// the formulas that had to be kept back. A fault that is an error to other commands is one finding
    /// among others here.
    ///
    /// # Errors
    /// If the machine or the names of the parameters are at fault, not the program.
    pub fn findings(
        &self,
        machine: &Machine,
        parameters: impl Into<Parameters>,
    ) -> Result<Findings, Error> {
        self.findings_while(machine, parameters, &|_| ControlFlow::Continue(()))
    }

    /// Like [`Program::findings`], but tells `going` the core-steps of its counts from time to time. If
    /// `going` stops it, the findings up to then remain; the unfinished search adds none.
    ///
    /// # Errors
    /// Like [`Program::findings`].
    pub fn findings_while(
        &self,
        machine: &Machine,
        parameters: impl Into<Parameters>,
        going: &dyn Fn(u64) -> ControlFlow<()>,
    ) -> Result<Findings, Error> {
        let given = parameters.into();
        let (machine, formals) = self.on(machine, &given)?;
        let unknown = Point::unknown_names(self, &formals);
        if !unknown.is_empty() {
            return Err(self.error(unknown));
        }
        let found = with_room(|| {
            let mut found = check::check_text(&self.source).diagnostics;
            // Deriving needs sound values and bounded loops. A faulty program is linted all the same, and
            // the lints name the fault.
            let faults = faults_of_given(self, &given);
            if faults.is_empty() && unbounded_loops(self).is_empty() && going(0).is_continue() {
                let derivation = derive(self, &given);
                found.extend(derivation.mismatches());
                found.extend(claims::refuted(self, &derivation));
            }
            if let Some(counted) = lint::lint_while(self, &formals, &machine, going)
                && going(0).is_continue()
            {
                let safety = safety::safety(self, &given, &machine);
                found.extend(beside(counted, &safety, self, &formals));
            }
            found.sort_by_key(|finding| finding.primary().map(|label| label.span));
            found
        });
        Ok(Findings::new(&self.source, found))
    }

    /// Judges the safety for every size: bounds, races, initialisation, values and limits. Each place is
    /// proved, refuted by a failing run, or open. The limits are the default machine's.
    ///
    /// ```
    /// let safety = atgpu::examples::vector_addition().safety();
    /// assert!(safety.is_safe());
    /// ```
    pub fn safety(&self) -> Safety {
        let card = Machine::built_in("gtx650").expect("the default machine is built in");
        self.safety_on(&card, &Parameters::default())
    }

    /// Like [`Program::safety`], on a given machine, and with the given values as facts.
    pub fn safety_on(&self, machine: &Machine, parameters: &Parameters) -> Safety {
        with_room(|| safety::safety(self, parameters, machine))
    }

    /// Derives counts and costs as formulas, every parameter a symbol.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let derivation = program.derive()?;
    /// // A stable text, made for snapshots, and the JSON of `atgpu derive`.
    /// assert!(derivation.to_string().contains("time            13"));
    /// let json = serde_json::to_value(&derivation)?;
    /// assert_eq!(json["totals"]["io"]["text"], "3k");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `loop::unbounded` for a loop whose iterations nothing bounds.
    pub fn derive(&self) -> Result<Derivation, Error> {
        self.derive_at(())
    }

    /// Like [`Program::derive`], with given values of formal or machine parameters.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// assert_eq!(program.derive()?.formula("io")?.to_string(), "3k");
    /// assert_eq!(program.derive_at([("b", 32)])?.formula("transfer")?.to_string(), "3n");
    /// assert!(program.derive_at([("m", 32)]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Like [`Program::derive`]; `usage::value` for a fraction or a name that the program does not have;
    /// and `require::violated` where these values alone violate a `require`.
    pub fn derive_at(&self, parameters: impl Into<Parameters>) -> Result<Derivation, Error> {
        let given = parameters.into();
        let unknown = Point::unknown_names(self, &given);
        let faults = faults_of_given(self, &given);
        let unbounded = unbounded_loops(self);
        let faults = [unknown, faults, unbounded].concat();
        if faults.is_empty() {
            return Ok(with_room(|| derive(self, &given)));
        }
        Err(self.error(faults))
    }

    /// Derives the program and demands that no claim is refuted.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// let text = include_str!("vector_addition.atgpu");
    /// atgpu::program(text)?.prove()?;
    /// let wrong = text.replace("claim time = 13", "claim time = 12");
    /// let error = atgpu::program(&wrong)?.prove().unwrap_err();
    /// assert!(error.to_string().contains("error[atgpu::claim::refuted]"));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`Program::derive`]; `claim::refuted` with values that show it; and `derive::mismatch` where a
    /// formula had to be kept back. A claim that could only be tested is no error: the derivation's
    /// `claims` tell which are proved.
    pub fn prove(&self) -> Result<Derivation, Error> {
        let derivation = self.derive()?;
        let faults = [derivation.mismatches(), claims::refuted(self, &derivation)].concat();
        if faults.is_empty() {
            Ok(derivation)
        } else {
            Err(self.error(faults))
        }
    }

    /// Fixes the formal parameters of the program: tests its `require`s and computes its sizes.
    ///
    /// # Errors
    /// `usage::value` for a missing or unknown name, `require::violated`, and the faults in computing sizes.
    pub fn at(&self, machine: &Machine, parameters: impl Into<Parameters>) -> Result<Point, Error> {
        let (machine, formals) = self.on(machine, &parameters.into())?;
        Point::new(self, machine.atgpu.numbers(), &formals).map_err(|faults| self.error(faults))
    }

    /// Counts and costs the program at these parameters, without data. The numbers come from the closed
    /// forms where those are exact, and from counting elsewhere.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let costs = program.cost(&card, [("n", 1 << 20)])?;
    /// assert_eq!(costs.counts().totals.io, (3 << 15).into());
    /// assert!((1.0..100.0).contains(&costs.gpu_cost()?));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`Program::at`]; `limit::…` and the faults that every run meets; `resource::memory` if there is
    /// no closed form and counting would take over some ten seconds.
    pub fn cost(
        &self,
        machine: &Machine,
        parameters: impl Into<Parameters>,
    ) -> Result<Costs, Error> {
        self.cost_by(&self.derive()?, machine, parameters)
    }

    /// Like [`Program::cost`], with a derivation of this program at hand. It serves many choices of
    /// parameters.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let derivation = program.derive()?;
    /// for n in [1 << 10, 1 << 20, 1 << 30] {
    ///     let costs = program.cost_by(&derivation, &card, [("n", n)]);
    ///     // 2^30 words are more than the card has.
    ///     assert_eq!(costs.is_ok(), n < 1 << 30);
    /// }
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`Program::cost`].
    pub fn cost_by(
        &self,
        derivation: &Derivation,
        machine: &Machine,
        parameters: impl Into<Parameters>,
    ) -> Result<Costs, Error> {
        self.cost_while(derivation, machine, parameters, &|_| {
            ControlFlow::Continue(())
        })
    }

    /// Like [`Program::cost_by`], but tells `going` the core-steps done from time to time while it counts.
    /// The caller can show progress, and can stop it.
    ///
    /// # Errors
    /// Like [`Program::cost`], and `resource::memory` if `going` stopped it.
    pub fn cost_while(
        &self,
        derivation: &Derivation,
        machine: &Machine,
        parameters: impl Into<Parameters>,
        going: &dyn Fn(u64) -> ControlFlow<()>,
    ) -> Result<Costs, Error> {
        // Linting comes first, since a program that faults at this point has no costs. Memory limits are
        // checked once more on the numbers, for programs whose host could not be counted.
        let stopped = || self.error(vec![CountError::Interrupted.into()]);
        let (machine, formals) = self.on(machine, &parameters.into())?;
        let point = Point::new(self, machine.atgpu.numbers(), &formals)
            .map_err(|faults| self.error(faults))?;
        let found = with_room(|| lint::lint_while(self, &formals, &machine, going));
        let mut faults = found.ok_or_else(stopped)?;
        faults.retain(Diagnostic::is_error);
        if !faults.is_empty() {
            return Err(self.error(faults));
        }
        let options = CountOptions {
            work_limit: Some(TEN_SECONDS),
            ..CountOptions::default()
        };
        let mut numbers = with_room(|| numbers(self, Some(derivation), &point, &options, going))
            .map_err(|error| self.error(vec![error.into()]))?;
        let exceeded = lint::exceeded(self, &machine, &numbers);
        if !exceeded.is_empty() {
            return Err(self.error(exceeded));
        }
        if machine.has_rules() {
            let cycle_rules = machine.rules();
            // `brief_charges` expects a derivation under these rules and the machine's b.
            let b = [("b", machine.atgpu.cores_per_mp)].into_iter().collect();
            numbers.charges = with_room(|| {
                let charged = derive_charged(self, &b, Some(&cycle_rules));
                brief_charges(self, Some(&charged), &point, &cycle_rules)
            });
        }
        Ok(Costs::new(self, machine, point.parameters, numbers))
    }

    /// Executes the program on data; checks and counts everything (language.md §3, §4).
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// use atgpu::exec::{Data, Input, Options};
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::program(include_str!("reduction.atgpu"))?;
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let mut options = Options::default();
    /// options.inputs.insert("A".into(), Input::Iota);
    /// let run = program.run(&card, [("n", 1024)], &options)?;
    /// assert_eq!(run.output("Ans").map(|sum| &sum.data), Some(&Data::Int(vec![1023 * 512])));
    /// assert_eq!(run.agrees_with(&program.derive()?), Some(true));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`Program::at`]; faults of the data; every fault of language.md §3; `ensure::failed`.
    pub fn run(
        &self,
        machine: &Machine,
        parameters: impl Into<Parameters>,
        options: &Options,
    ) -> Result<Run, Error> {
        self.run_while(machine, parameters, options, &Unwatched)
    }

    /// Like [`Program::run`], but tells `progress` how far the run has come. The caller can show it, and can
    /// stop the run.
    ///
    /// # Errors
    /// Like [`Program::run`], and `resource::memory` if `progress` stopped it.
    pub fn run_while(
        &self,
        machine: &Machine,
        parameters: impl Into<Parameters>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Run, Error> {
        let (machine, formals) = self.on(machine, &parameters.into())?;
        let point = Point::new(self, machine.atgpu.numbers(), &formals)
            .map_err(|faults| self.error(faults))?;
        let run = with_room(|| Run::new(self, machine.clone(), point.clone(), options, progress));
        run.map_err(|faults| {
            if faults.is_empty() {
                self.error(vec![CountError::Interrupted.into()])
            } else {
                self.error(faults)
            }
        })
    }

    /// Returns the machine with the figures given for it, and the values of the formals.
    fn on(&self, machine: &Machine, given: &Parameters) -> Result<(Machine, Parameters), Error> {
        machine.validate()?;
        Ok(machine.with_overrides(given, |name| self.has_formal(name))?)
    }

    fn error(&self, diagnostics: Vec<Diagnostic>) -> Error {
        Error::new(&self.source, diagnostics)
    }
}
