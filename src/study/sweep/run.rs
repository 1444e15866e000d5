//! Going through the points of a sweep: on all cores where there are closed forms, one by one where they
//! are counted, handed on in order; and what is said of those that give nothing.

use std::ops::ControlFlow;

use indexmap::IndexMap;
use rayon::prelude::*;

use crate::count::Parameters;
use crate::diag::{Diagnostic, Severity};
use crate::machine::OVERRIDABLE;
use crate::study::counting::Budget;
use crate::study::error::StudyError;
use crate::study::prepared::Prepared;
use crate::study::sweep::charging::ChargedForms;
use crate::study::sweep::point::{Job, Stop, Workplaces};
use crate::study::sweep::{Case, Sweep};
use crate::text::Span;

/// Points one thread does at a time.
const CHUNK: u64 = 512;

/// Chunks between two deliveries.
const CHUNKS: u64 = 32;

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

/// The points one batch gave nothing for: how many, and what the first meets.
type Reasons = IndexMap<(&'static str, Option<Span>), (u64, Diagnostic)>;

/// What a batch gives.
struct Batch<T> {
    rendered: T,
    reasons: Reasons,
    points: u64,
    stopped: Option<Stop>,
}

impl<'p> Sweep<'p> {
    /// Computes everything. `render` is called on every point, on several threads, and adds to
    /// what `deliver` then gets in order, with the points done so far; `deliver` may break off.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
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
            for at in 0..self.cards.len() {
                let all = (number * self.cards.len() + at) as u64;
                if self.places_of(all).is_empty() {
                    continue;
                }
                let job = self.job(number, subject, at)?;
                let flow = self.run_job(all, &job, render, &mut done, deliver, &mut finished)?;
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
        let machine = &self.cards[at].machine;
        let is_known = |name: &str| subject.has_formal(name) || OVERRIDABLE.contains(&name);
        let fixed = self.grid.fixed.iter().filter(|(name, _)| is_known(name));
        let fixed: Parameters = fixed.map(|(name, value)| (name, value.clone())).collect();
        let is_formal = |name: &str| subject.has_formal(name);
        let varies = self
            .grid
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
                && !self.charges_conflicts
                && (self.cards[at].cycle_rules.is_none()
                    || charges.iter().all(|forms| forms.is_exact)),
            charges,
            models: self.models_on(at).collect(),
            cycle_rules: self.cards[at].cycle_rules.as_ref(),
        })
    }

    fn run_job<T: Default + Send>(
        &self,
        number: u64,
        job: &Job<'_, 'p>,
        render: &(impl Fn(&Case<'_>, &mut T) + Sync),
        done: &mut u64,
        deliver: &mut dyn FnMut(u64, T) -> ControlFlow<()>,
        finished: &mut Finished,
    ) -> Result<ControlFlow<()>, Vec<Diagnostic>> {
        let places = self.places_of(number);
        let points = places.end - places.start;
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
            let last: Batch<T> =
                self.batch(job, places.end - 1, places.end, &|_, _| (), &mut trial);
            if let Some(Stop::TooLong) = last.stopped {
                return Err(stop(Stop::TooLong));
            }
        }
        let mut reasons = Reasons::new();
        let mut start = places.start;
        let mut flow = ControlFlow::Continue(());
        while start < places.end && flow.is_continue() {
            let end = places.end.min(start + CHUNK * CHUNKS);
            let batches: Vec<Batch<T>> = if job.is_exact {
                let chunks = (end - start).div_ceil(CHUNK);
                let one = |chunk: u64| {
                    let low = start + chunk * CHUNK;
                    let mut budget = budget;
                    self.batch(job, low, end.min(low + CHUNK), render, &mut budget)
                };
                (0..chunks).into_par_iter().map(one).collect()
            } else {
                let end = places.end.min(start + 1);
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
                program: number as usize / self.cards.len(),
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
