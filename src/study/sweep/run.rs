//! The walk through the points of a sweep: in parallel with closed forms, one by one if they are counted.
//! Results are delivered in order, and points without a result are reported by reason.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use crate::cost::Model;
use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::OVERRIDABLE;
use crate::room::with_room;
use crate::study::counting::Budget;
use crate::study::error::StudyError;
use crate::study::prepared::Prepared;
use crate::study::sweep::batch::{Batch, Reasons};
use crate::study::sweep::charging::ChargedForms;
use crate::study::sweep::closed::ClosedFigures;
use crate::study::sweep::point::{Job, Stop};
use crate::study::sweep::{Case, Figures, Heading, Sweep};

/// Points of one task of a thread, without and with closed forms.
const CHUNK: u64 = 512;
const CLOSED_CHUNK: u64 = 1024;

/// Limit on the choices of machine parameters for which closed forms are built.
const MOST_MACHINES: u64 = 64;

/// Number of points computed while the previous ones are delivered.
const WINDOW: u64 = 16_384;

/// Points of one program on one machine without a result, for one reason.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Skipped {
    /// The index of the program.
    pub program: usize,
    /// The machine's name.
    pub machine: String,
    /// The number of points.
    pub points: u64,
    /// The number of points of the program on the machine.
    pub out_of: u64,
    /// The fault at the first of them: a note if the program does not admit the point, an error if the
    /// program is at fault.
    pub first: Diagnostic,
}

/// Points of one program on one machine for which there was no time to count. Their figures are upper bounds; counting
/// might come below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutShort {
    /// The index of the program.
    pub program: usize,
    /// The machine's name.
    pub machine: String,
    /// The number of points.
    pub points: u64,
    /// The number of points of the program on the machine.
    pub out_of: u64,
}

/// The end of a sweep.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Finished {
    /// The points without a result.
    pub skipped: Vec<Skipped>,
    /// The number of points with a result.
    pub points: u64,
    /// Those of them for which there was no time to count.
    pub cut_short: Vec<CutShort>,
}

/// Computes a range of points of a job.
type Compute<'c, 'p, T> = dyn Fn(&Job<'_, 'p>, Range<u64>, &mut Budget) -> Batch<T> + Sync + 'c;

impl<'p> Sweep<'p> {
    /// Computes everything. `render` is called for every point, on several threads, and adds to a value.
    /// `deliver` gets these values in order, with the number of points done, and may stop the sweep.
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
    /// Faults of every point: a parameter without a value, a machine without a figure that a model needs,
    /// or a count that takes too long.
    pub fn run<T: Default + Send>(
        &self,
        render: &(impl Fn(&Case<'_>, &mut T) + Sync),
        deliver: &mut dyn FnMut(u64, T) -> ControlFlow<()>,
    ) -> Result<Finished, Vec<Diagnostic>> {
        let cases = |job: &Job<'_, 'p>, places: Range<u64>, budget: &mut Budget| {
            self.cases(job, places, render, budget)
        };
        self.go(None, &cases, deliver)
    }

    /// Computes everything as rows of a table: the figures of the models, or the quantities in `wanted`.
    /// With closed forms nothing else is computed.
    ///
    /// # Errors
    /// Like [`Sweep::run`].
    pub fn table<T: Default + Send>(
        &self,
        wanted: &[String],
        render: &(impl Fn(&Figures<'_>, &mut T) + Sync),
        deliver: &mut dyn FnMut(u64, T) -> ControlFlow<()>,
    ) -> Result<Finished, Vec<Diagnostic>> {
        let shown = self.shown(wanted);
        let figures = |job: &Job<'_, 'p>, places: Range<u64>, budget: &mut Budget| {
            self.figures_of(job, places, &shown, render, budget)
        };
        self.go(Some(&shown), &figures, deliver)
    }

    fn go<T: Default + Send>(
        &self,
        shown: Option<&[Heading]>,
        batch: &Compute<'_, 'p, T>,
        deliver: &mut dyn FnMut(u64, T) -> ControlFlow<()>,
    ) -> Result<Finished, Vec<Diagnostic>> {
        let mut outlet = Outlet {
            deliver,
            done: 0,
            finished: Finished::default(),
            reasons: Reasons::new(),
            cut_short: 0,
        };
        for (number, subject) in self.prepared.iter().enumerate() {
            for at in 0..self.cards.len() {
                let all = (number * self.cards.len() + at) as u64;
                if self.places_of(all).is_empty() {
                    continue;
                }
                let job = self.job(number, subject, at, shown)?;
                if self.run_job(all, &job, batch, &mut outlet)?.is_break() {
                    return Ok(outlet.finished);
                }
            }
        }
        Ok(outlet.finished)
    }

    /// The first program on the first machine.
    #[cfg(test)]
    pub(super) fn first_job(&self, wanted: &[String]) -> Result<Job<'_, 'p>, Vec<Diagnostic>> {
        self.job(0, &self.prepared[0], 0, Some(&self.shown(wanted)))
    }

    fn job<'s>(
        &'s self,
        number: usize,
        subject: &'s Prepared<'p>,
        at: usize,
        shown: Option<&[Heading]>,
    ) -> Result<Job<'s, 'p>, Vec<Diagnostic>> {
        let machine = &self.cards[at].machine;
        let is_known = |name: &str| subject.program.has_formal(name) || OVERRIDABLE.contains(&name);
        let fixed = self.grid.fixed.iter().filter(|(name, _)| is_known(name));
        let fixed: Parameters = fixed.map(|(name, value)| (name, value.clone())).collect();
        let is_formal = |name: &str| subject.program.has_formal(name);
        let varying = self.grid.axes.iter();
        let is_figure = |name: &str| !is_formal(name) && is_known(name);
        let is_of_machine: Vec<bool> = varying
            .enumerate()
            .map(|(at, axis)| {
                let mut tied = self.grid.ties.iter().filter(|(_, to)| *to == at);
                is_figure(&axis.name) || tied.any(|(tie, _)| is_figure(&tie.name))
            })
            .collect();
        let varies = is_of_machine.contains(&true);
        let settled = machine.with_overrides(&fixed, is_formal)?;
        let charges = self.charges.iter();
        let charges: Vec<&ChargedForms> = charges
            .filter(|forms| forms.program == number && forms.machine == at)
            .collect();
        let is_shown = |model: &&'static dyn Model| {
            let is_of = |heading: &Heading| heading.model == Some(model.name());
            shown.is_none_or(|shown| shown.iter().any(is_of))
        };
        let axes = self.grid.axes.iter();
        let columns = axes.map(|axis| is_known(&axis.name).then(|| self.column(&axis.name)));
        let ties = self.grid.ties.iter();
        let ties = ties.map(|(tie, _)| is_known(&tie.name).then(|| self.column(&tie.name)));
        let mut job = Job {
            subject,
            machine,
            settled: (!varies).then_some(settled),
            columns: columns.collect(),
            ties: ties.collect(),
            fixed,
            is_exact: subject.is_exact
                && !self.charges_conflicts
                && (self.cards[at].cycle_rules.is_none()
                    || charges.iter().all(|forms| forms.is_exact)),
            charges,
            models: self.models_on(at).filter(is_shown).collect(),
            cycle_rules: self.cards[at].cycle_rules.as_ref(),
            is_of_machine,
            closed: Vec::new(),
        };
        if let Some(shown) = shown {
            job.closed = self.closed(&job, shown);
        }
        Ok(job)
    }

    /// The closed forms of a table, where nothing or few things vary on the machine.
    fn closed(&self, job: &Job<'_, 'p>, shown: &[Heading]) -> Vec<Option<ClosedFigures>> {
        let choices = self.machines(job);
        let of = |choice| {
            let values = self.values(job, self.place_of_machine(job, choice));
            let (machine, _) = self.settled(job, &values).ok()?;
            ClosedFigures::of(self, job.subject, &job.models, &machine, shown)
        };
        if job.is_exact && choices <= MOST_MACHINES {
            (0..choices).map(of).collect()
        } else {
            Vec::new()
        }
    }

    /// Computes a job and delivers its points.
    fn run_job<T: Default + Send>(
        &self,
        number: u64,
        job: &Job<'_, 'p>,
        compute: &Compute<'_, 'p, T>,
        outlet: &mut Outlet<'_, T>,
    ) -> Result<ControlFlow<()>, Vec<Diagnostic>> {
        let places = self.places_of(number);
        let points = places.end - places.start;
        let flow = if job.is_exact {
            self.in_windows(places, job, compute, outlet)
        } else {
            self.one_by_one(places, job, compute, outlet)
        };
        let flow = flow.map_err(|stop| match stop {
            Stop::Fault(faults) => faults,
            Stop::TooLong => {
                let program = job.subject.program.name.clone();
                vec![Diagnostic::of(&StudyError::TooLong { program, points })]
            }
        })?;
        let program = number as usize / self.cards.len();
        outlet.end_job(program, &job.machine.name, points);
        Ok(flow)
    }

    /// Counts points one after the other, within one budget.
    fn one_by_one<T: Default + Send>(
        &self,
        places: Range<u64>,
        job: &Job<'_, 'p>,
        compute: &Compute<'_, 'p, T>,
        outlet: &mut Outlet<'_, T>,
    ) -> Result<ControlFlow<()>, Stop> {
        let mut budget = Budget::new(self.counting);
        // The last point is usually the longest. If it cannot be counted, the sweep is refused before
        // anything is written.
        let mut trial = budget;
        let last: Batch<()> = self.cases(job, places.end - 1..places.end, &|_, ()| (), &mut trial);
        if let Some(Stop::TooLong) = last.stopped {
            return Err(Stop::TooLong);
        }
        for place in places {
            let batch = compute(job, place..place + 1, &mut budget);
            let flow = outlet.take_in(vec![(1, batch)])?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Computes points from closed forms, on several threads.
    fn in_windows<T: Default + Send>(
        &self,
        places: Range<u64>,
        job: &Job<'_, 'p>,
        compute: &Compute<'_, 'p, T>,
        outlet: &mut Outlet<'_, T>,
    ) -> Result<ControlFlow<()>, Stop> {
        let budget = Budget::new(self.counting);
        let has_forms = !job.closed.is_empty() && job.closed.iter().all(Option::is_some);
        let chunk = if has_forms { CLOSED_CHUNK } else { CHUNK };
        let together = |window: Range<u64>| -> Vec<(u64, Batch<T>)> {
            let chunks = (window.end - window.start).div_ceil(chunk);
            let one = |at: u64| {
                let low = window.start + at * chunk;
                let places = low..window.end.min(low + chunk);
                let mut budget = budget;
                let many = places.end - places.start;
                (many, with_room(|| compute(job, places, &mut budget)))
            };
            (0..chunks).into_par_iter().map(one).collect()
        };
        let from = |start: u64| start..places.end.min(start + WINDOW);
        let mut flow = ControlFlow::Continue(());
        let mut window = from(places.start);
        let mut ready = together(window.clone());
        while flow.is_continue() && !window.is_empty() {
            window = from(window.end);
            let mut ahead = Vec::new();
            // Delivery mostly waits for a disk and needs one thread, so the next window is computed
            // meanwhile.
            flow = rayon::in_place_scope(|scope| {
                if !window.is_empty() {
                    scope.spawn(|_| ahead = together(window.clone()));
                }
                outlet.take_in(ready)
            })?;
            ready = ahead;
        }
        Ok(flow)
    }
}

/// The way of the results to the caller, in order.
struct Outlet<'d, T> {
    deliver: &'d mut dyn FnMut(u64, T) -> ControlFlow<()>,
    /// The number of points done.
    done: u64,
    finished: Finished,
    /// The reasons for points of the current job without a result.
    reasons: Reasons,
    /// The points of the current job for which there was no time to count.
    cut_short: u64,
}

impl<T> Outlet<'_, T> {
    /// Delivers batches, each with its number of points.
    fn take_in(&mut self, batches: Vec<(u64, Batch<T>)>) -> Result<ControlFlow<()>, Stop> {
        let mut flow = ControlFlow::Continue(());
        for (places, batch) in batches {
            for (key, (count, first)) in batch.reasons {
                self.reasons.entry(key).or_insert((0, first)).0 += count;
            }
            self.finished.points += batch.points;
            self.cut_short += batch.cut_short;
            if let Some(stop) = batch.stopped {
                return Err(stop);
            }
            self.done += places;
            if flow.is_continue() {
                flow = (self.deliver)(self.done, batch.rendered);
            }
        }
        Ok(flow)
    }

    /// Adds what a job lacks to the end of the sweep.
    fn end_job(&mut self, program: usize, machine: &str, out_of: u64) {
        let cut_short = std::mem::take(&mut self.cut_short);
        if cut_short > 0 {
            self.finished.cut_short.push(CutShort {
                program,
                machine: machine.to_owned(),
                points: cut_short,
                out_of,
            });
        }
        let reasons = std::mem::take(&mut self.reasons);
        let skipped = reasons.into_values().map(|(points, first)| Skipped {
            program,
            machine: machine.to_owned(),
            points,
            out_of,
            first,
        });
        self.finished.skipped.extend(skipped);
    }
}
