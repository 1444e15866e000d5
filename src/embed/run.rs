//! The result of running a program.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::array::Array;
use crate::cost::Exact;
use crate::count::Counts;
use crate::derivation::Derivation;
use crate::diag::Diagnostic;
use crate::embed::costs::estimates;
use crate::exec::{Execution, Options, Outcome, Progress};
use crate::machine::Machine;
use crate::meaning::Point;
use crate::number::BigInt;
use crate::program::Program;
use crate::report::counts::{self, CountsReport, EnsureOutcome, Method, RunReport};
use crate::verify;

/// A program's run on data: its outputs and all counts.
///
/// As text it is the output of `atgpu run`; serialised it is the JSON without `diagnostics`. It shows no
/// seconds, as the library reads no clock.
#[derive(Debug, Clone)]
pub struct Run {
    program: Program,
    machine: Machine,
    point: Point,
    outcome: Outcome,
}

impl Run {
    pub(super) fn new(
        program: &Program,
        machine: Machine,
        point: Point,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Run, Vec<Diagnostic>> {
        let outcome = Execution::prepare(program, &point, options)?.run(progress)?;
        if outcome.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(outcome.diagnostics);
        }
        Ok(Run {
            program: program.clone(),
            machine,
            point,
            outcome,
        })
    }

    /// Returns all counts of language.md §4.
    pub fn counts(&self) -> &Counts<BigInt> {
        &self.outcome.counts
    }

    /// Returns a host variable's final value; words never written are 0.
    ///
    /// ```
    /// use atgpu::exec::Data;
    ///
    /// let run = atgpu::examples::run();
    /// // A and B hold 0, 1, 2, …
    /// assert_eq!(run.output("C").map(|c| &c.data), Some(&Data::Int((0..64).map(|x| 2 * x).collect())));
    /// assert!(run.output("D").is_none());
    /// ```
    pub fn output(&self, name: &str) -> Option<&Array> {
        let found = self.outcome.host.get(name)?;
        Some(&found.array)
    }

    /// Takes a host variable's final words out of the run, without a copy where nothing else holds them.
    pub fn take_output(&mut self, name: &str) -> Option<Array> {
        let found = self.outcome.host.shift_remove(name)?;
        let array = Arc::unwrap_or_clone(found).array;
        Some(Arc::unwrap_or_clone(array))
    }

    /// Returns everything else known of the run.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns true if the counts equal a derivation's counts at this point; `None` if the derivation gives
    /// no numbers.
    pub fn agrees_with(&self, derivation: &Derivation) -> Option<bool> {
        let counts = &self.outcome.counts;
        verify::verify(&self.program, derivation, &self.point, counts).matches()
    }

    fn with_report<T>(&self, show: impl Fn(&CountsReport<'_>) -> T) -> T {
        let ensures = self.outcome.ensures.iter().map(|ensure| EnsureOutcome {
            text: ensure.text.clone(),
            line: ensure.line,
            holds: ensure.holds,
        });
        show(&CountsReport {
            algorithm: &self.program.name,
            machine: &self.machine,
            parameters: &self.point.parameters,
            method: Method::Run(RunReport {
                ensures: ensures.collect(),
                matches_derivation: None,
                seconds: Vec::new(),
                ensure_seconds: 0.0,
                lane_operations: self.outcome.lane_operations.into(),
            }),
            contention: None,
            counts: &self.outcome.counts,
            charges: self.outcome.charges.as_ref(),
            bounds: &[],
            estimates: &estimates(&self.outcome.counts, &self.machine),
            exact: &Exact::default(),
        })
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_report(counts::text))
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_report(counts::json).serialize(serializer)
    }
}
