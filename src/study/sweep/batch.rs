//! Points of a job, computed one after the other on one thread, by closed forms or in full; with the
//! reasons for points without a result.

use std::ops::{ControlFlow, Range};

use indexmap::IndexMap;

use crate::diag::{Diagnostic, Severity};
use crate::number::Rational;
use crate::study::counting::{Budget, Counting};
use crate::study::sweep::closed::{Block, ClosedFigures, Outcome};
use crate::study::sweep::figures::rows;
use crate::study::sweep::point::{Job, Stop, Workplaces};
use crate::study::sweep::{Case, Figures, Heading, Row, Sweep};
use crate::sym::compiled::Scratch;
use crate::text::Span;

/// The points without a result, by reason: their number, and the first fault.
pub(super) type Reasons = IndexMap<(&'static str, Option<Span>), (u64, Diagnostic)>;

/// The result of a batch.
#[derive(Default)]
pub(super) struct Batch<T> {
    pub(super) rendered: T,
    pub(super) reasons: Reasons,
    pub(super) points: u64,
    /// Those of them that are bounds since counting was broken off.
    pub(super) cut_short: u64,
    pub(super) stopped: Option<Stop>,
}

/// Closed forms in use by a batch.
struct Trial<'j> {
    forms: &'j ClosedFigures,
    scratch: Scratch,
    /// True once a point was confirmed by the full computation.
    is_sure: bool,
    /// For each reason of refusal, its index in the batch's reasons, once it was reported.
    told: Vec<Option<usize>>,
}

/// The precomputed outcomes of a batch's points, and the values of the points.
struct Together {
    block: Block,
    /// The values of the varying columns.
    varying: Vec<(usize, Vec<i64>)>,
}

impl Together {
    fn move_to(&self, at: usize, values: &mut [Option<Rational>]) {
        for (column, words) in &self.varying {
            values[*column] = Some(words[at].into());
        }
    }
}

impl<'j> Trial<'j> {
    fn new(forms: &'j ClosedFigures) -> Self {
        Trial {
            forms,
            scratch: forms.scratch(),
            is_sure: false,
            told: vec![None; forms.reasons()],
        }
    }

    fn outcome(
        &mut self,
        values: &[Option<Rational>],
        rows: &mut Vec<Row<'static>>,
    ) -> Option<Outcome> {
        self.forms.outcome(values, &mut self.scratch, rows)
    }
}

impl<'p> Sweep<'p> {
    pub(super) fn cases<T: Default>(
        &self,
        job: &Job<'_, 'p>,
        places: Range<u64>,
        render: &impl Fn(&Case<'_>, &mut T),
        budget: &mut Budget,
    ) -> Batch<T> {
        let mut batch = Batch::default();
        let mut workplaces = Workplaces::new(job);
        for place in places {
            let point = self.point(job, place, &mut workplaces, budget, |case| {
                render(case, &mut batch.rendered);
            });
            if batch.take(point).is_break() {
                break;
            }
        }
        batch
    }

    pub(super) fn figures_of<T: Default>(
        &self,
        job: &Job<'_, 'p>,
        places: Range<u64>,
        shown: &[Heading],
        render: &impl Fn(&Figures<'_>, &mut T),
        budget: &mut Budget,
    ) -> Batch<T> {
        let mut batch = Batch::default();
        let mut workplaces = Workplaces::new(job);
        let closed = job.closed.iter();
        let mut closed: Vec<_> = closed.map(|forms| forms.as_ref().map(Trial::new)).collect();
        let together = match job.closed.as_slice() {
            [Some(forms)] => self.together(job, forms, &places),
            _ => None,
        };
        let mut values = self.values(job, places.start);
        let mut found = Vec::new();
        for (at, place) in places.enumerate() {
            match &together {
                Some(together) => together.move_to(at, &mut values),
                None => self.move_to(job, place, &mut values),
            }
            let choice = self.machine_at(job, place) as usize;
            let trial = closed.get_mut(choice).and_then(Option::as_mut);
            let mut outcome = trial.and_then(|trial| match &together {
                Some(Together { block, .. }) => Some(trial.forms.outcome_in(block, at, &mut found)),
                None => trial.outcome(&values, &mut found),
            });
            // The first point with rows is also computed in full. If the results differ, the closed forms for this
            // choice of machine parameters are dropped for the batch.
            if let Some(trial) = closed.get_mut(choice)
                && outcome == Some(Outcome::Rows)
                && !trial.as_ref().is_some_and(|trial| trial.is_sure)
            {
                let is_sure = self.agrees(job, place, &mut workplaces, &found, shown);
                *trial = trial.take().filter(|_| is_sure);
                match trial {
                    Some(trial) => trial.is_sure = true,
                    None => outcome = None,
                }
            }
            let mut refusal = None;
            match outcome {
                Some(Outcome::Rows) => {
                    let figures = Figures {
                        program: &job.subject.program.name,
                        machine: &job.machine.name,
                        values: &values,
                        rows: &found,
                    };
                    render(&figures, &mut batch.rendered);
                    batch.points += 1;
                    continue;
                }
                Some(Outcome::Refused(why)) => {
                    let told = closed[choice].as_mut().map(|trial| &mut trial.told[why]);
                    if let Some(Some(reason)) = told {
                        batch.reasons[*reason].0 += 1;
                        continue;
                    }
                    refusal = told;
                }
                None => {}
            }
            let point = self.point(job, place, &mut workplaces, budget, |case| {
                let figures = Figures {
                    program: case.program,
                    machine: case.machine,
                    values: case.values,
                    rows: &rows(case, shown),
                };
                render(&figures, &mut batch.rendered);
            });
            match batch.take(point) {
                ControlFlow::Continue(reason) => {
                    if let Some(told) = refusal {
                        *told = reason;
                    }
                }
                ControlFlow::Break(()) => break,
            }
        }
        batch
    }

    /// Evaluates all points of a batch at once, if all values are words.
    fn together(
        &self,
        job: &Job<'_, 'p>,
        forms: &ClosedFigures,
        places: &Range<u64>,
    ) -> Option<Together> {
        let axes = self.grid.axes.iter().zip(&job.columns);
        let varying = axes.filter(|(axis, _)| axis.len() > 1);
        let varying = varying.filter_map(|(_, column)| *column);
        let varying = varying.chain(job.ties.iter().copied().flatten());
        let varying: Option<Vec<_>> = varying
            .map(|column| Some((column, self.words(job, places, column)?)))
            .collect();
        let varying = varying?;
        let points = usize::try_from(places.end - places.start).ok()?;
        let words = |column| match varying.iter().find(|(varying, _)| *varying == column) {
            Some((_, words)) => Some(words.clone()),
            None => self.words(job, places, column),
        };
        let block = forms.block(points, &words)?;
        Some(Together { block, varying })
    }

    /// Returns true if the full computation gives the same rows, or would have to count.
    fn agrees(
        &self,
        job: &Job<'_, 'p>,
        place: u64,
        workplaces: &mut Workplaces,
        found: &[Row<'static>],
        shown: &[Heading],
    ) -> bool {
        let mut is_same = false;
        let mut nothing = Budget::new(Counting::Never);
        let point = self.point(job, place, workplaces, &mut nothing, |case| {
            is_same = rows(case, shown) == found;
        });
        is_same || matches!(point, Err(Stop::TooLong))
    }
}

impl<T> Batch<T> {
    /// Takes in how a point ended: which of the reasons it gave for nothing, if any.
    fn take(&mut self, point: Result<bool, Stop>) -> ControlFlow<(), Option<usize>> {
        match point {
            Ok(is_cut_short) => {
                self.points += 1;
                self.cut_short += u64::from(is_cut_short);
                ControlFlow::Continue(None)
            }
            Err(Stop::Fault(faults)) if faults.iter().all(leaves_other_points) => {
                let first = faults.into_iter().next().expect("a fault is at least one");
                let place = first.primary().map(|label| label.span);
                let key = (first.code.short_name(), place);
                let entry = self.reasons.entry(key);
                let reason = entry.index();
                entry.or_insert((0, noted(first))).0 += 1;
                ControlFlow::Continue(Some(reason))
            }
            Err(stop) => {
                self.stopped = Some(stop);
                ControlFlow::Break(())
            }
        }
    }
}

/// Returns true if a fault concerns this point only, so that others may be computed.
fn leaves_other_points(fault: &Diagnostic) -> bool {
    let area = fault.code.short_name().split("::").next();
    !matches!(
        area,
        Some("usage" | "machine" | "resource" | "file" | "data")
    )
}

/// Makes a note of a fault if the program or the machine just does not admit the point.
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
