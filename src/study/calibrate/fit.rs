//! Decides which unknowns the measurements determine, and solves for them.

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::{Machine, Millis, MillisPerWord, PerDirection};
use crate::number::Rational;
use crate::study::calibrate::doubt::Doubt;
use crate::study::calibrate::equations::Equations;
use crate::study::calibrate::row::Row;
use crate::study::calibrate::{
    BLOCKS, Certainty, LAUNCHES, MOST, OPERATIONS, Origin, Reason, Unknown, Values, Weights,
    errors, figure_of,
};
use crate::study::least_squares::{DEPENDENT, non_negative, singular};

/// An error up to this factor larger counts as equal; smaller differences than `ROUNDING` are rounding.
const AS_WELL: f64 = 1.05;
const ROUNDING: f64 = 1e-6;

/// The inputs of a fit.
pub(super) struct Start<'s> {
    pub(super) machine: &'s Machine,
    pub(super) given: &'s Parameters,
    pub(super) weights: Weights,
    /// The unknowns, in the order of the columns.
    pub(super) unknowns: &'s [Unknown],
}

impl Start<'_> {
    /// Decides for each unknown if it is fitted, or why not.
    pub(super) fn origins(&self, rows: &[&Row]) -> Result<Vec<Origin>, Vec<Diagnostic>> {
        let mut origins: Vec<Origin> = self
            .unknowns
            .iter()
            .map(|unknown| match self.given.get(unknown.letter()) {
                Some(_) => Origin::Given,
                None => Origin::Fitted(Certainty::Unknown),
            })
            .collect();
        let all = self.equations(rows, &[0.0; MOST]);
        for (at, origin) in origins.iter_mut().enumerate() {
            if *origin == Origin::Fitted(Certainty::Unknown)
                && all.columns[at].iter().all(|value| *value == 0.0)
            {
                *origin = Origin::Absent;
            }
        }
        for group in all.groups(&free(&origins)) {
            self.settle_group(&group, &all, rows, &mut origins)?;
        }
        self.refuse_untenable(rows, &mut origins)?;
        Ok(origins)
    }

    fn equations(&self, rows: &[&Row], kept: &Values) -> Equations {
        Equations::of(rows, kept, self.weights, self.latency())
    }

    /// λ if it is given: then a block takes this many cycles, at any fitted clock.
    fn latency(&self) -> Option<f64> {
        self.given.get(Unknown::Lambda.letter())?;
        let (machine, _) = self.machine.with_overrides(self.given, |_| false).ok()?;
        Some(machine.latency().ok()?.to_f64())
    }

    /// Keeps dependent figures of a group, one at a time, until the others are determined.
    fn settle_group(
        &self,
        group: &[usize],
        all: &Equations,
        rows: &[&Row],
        origins: &mut [Origin],
    ) -> Result<(), Vec<Diagnostic>> {
        // A singular value near 0 means that its combination of columns vanishes: these figures can be
        // traded for each other without changing any prediction. One of them is kept, and the rest is
        // tested again.
        loop {
            let is_free = |at: &usize| matches!(origins[*at], Origin::Fitted(_));
            let free: Vec<usize> = group.iter().copied().filter(is_free).collect();
            let own = all.only(&free);
            let parts = singular(&own.columns);
            let Some((weakest, combination)) = parts.first() else {
                return Ok(());
            };
            let largest = parts.last().map_or(1.0, |(value, _)| *value);
            let too_few = own.columns.len() > own.right.len();
            if *weakest > DEPENDENT * largest && !too_few && !self.is_open(&free, rows, origins)? {
                return Ok(());
            }
            // Several combinations may vanish; every figure that takes part in one of them is a candidate.
            let trades = parts
                .iter()
                .filter(|(value, _)| *value <= DEPENDENT * largest)
                .map(|(_, combination)| combination);
            let trades: Vec<&Vec<f64>> = trades.collect();
            let trades = if trades.is_empty() {
                vec![combination]
            } else {
                trades
            };
            let involved: Vec<usize> = free
                .iter()
                .enumerate()
                .filter(|(place, _)| trades.iter().any(|parts| parts[*place].abs() > 0.1))
                .map(|(_, at)| *at)
                .collect();
            match involved.as_slice() {
                [] => return Ok(()),
                [one] => origins[*one] = Origin::Open(self.reason(*one, rows, origins)),
                several => {
                    let kept = self.cheapest(several, rows, origins)?;
                    let others = several.iter().filter(|at| **at != kept);
                    let others = others.map(|at| self.unknowns[*at]).collect();
                    origins[kept] = Origin::Together(others);
                }
            }
        }
    }

    /// Chooses the figure to keep: the first that the measurements do not contradict, and whose own value
    /// lets the others fit about as well as any other choice.
    fn cheapest(
        &self,
        several: &[usize],
        rows: &[&Row],
        origins: &[Origin],
    ) -> Result<usize, Vec<Diagnostic>> {
        let mut tenable: Vec<usize> = several.to_vec();
        tenable.retain(|at| !self.is_contradicted(*at, rows));
        if self.unknowns.len() < MOST || tenable.is_empty() {
            // Whole times do not separate kernels from transfers, so a better fit need not be truer.
            return Ok(*tenable.first().unwrap_or(&several[0]));
        }
        let mut found = Vec::new();
        for at in tenable {
            let mut origins = origins.to_vec();
            origins[at] = Origin::Together(Vec::new());
            let values = self.solution(rows, &origins)?;
            let compared: Vec<_> = rows
                .iter()
                .map(|row| row.compared(&values, self.unknowns))
                .collect();
            let (error, _) = errors(&compared);
            found.push((at, error));
        }
        let least = found
            .iter()
            .map(|(_, error)| *error)
            .fold(f64::INFINITY, f64::min);
        let first = found
            .iter()
            .find(|(_, error)| *error <= AS_WELL * least + ROUNDING);
        Ok(first.map_or(several[0], |(at, _)| *at))
    }

    /// Keeps a figure that a fit would give an impossible value: operations that take no time, or blocks
    /// that move faster than the memory.
    fn refuse_untenable(
        &self,
        rows: &[&Row],
        origins: &mut [Origin],
    ) -> Result<(), Vec<Diagnostic>> {
        let least = self.least_block();
        loop {
            let values = self.solution(rows, origins)?;
            let is_fitted = |at: usize| matches!(origins[at], Origin::Fitted(_));
            if is_fitted(OPERATIONS) && values[OPERATIONS] <= 0.0 {
                origins[OPERATIONS] = Origin::Open(Reason::Noise);
            } else if is_fitted(BLOCKS) && values[BLOCKS] <= least {
                let reason = match self.reason(BLOCKS, rows, origins) {
                    Reason::Noise if values[BLOCKS] > 0.0 => Reason::BeyondPeak,
                    other => other,
                };
                origins[BLOCKS] = Origin::Open(reason);
            } else if is_fitted(LAUNCHES)
                && values[LAUNCHES] <= 0.0
                && ![OPERATIONS, BLOCKS].into_iter().any(is_fitted)
            {
                // The other terms alone leave no time for the launch. They are at fault, not the fitted 0.
                origins[LAUNCHES] = Origin::Open(self.reason(LAUNCHES, rows, origins));
            } else {
                break;
            }
        }
        // If kernels are shorter than their operations alone, no figure of the kernels can be determined.
        for at in [LAUNCHES, BLOCKS] {
            let reason = self.reason(at, rows, origins);
            if matches!(
                (&origins[at], reason),
                (Origin::Together(_), Reason::Shorter(_))
            ) {
                origins[at] = Origin::Open(reason);
            }
        }
        Ok(())
    }

    /// The ms of a block at the peak bandwidth of the memory; 0 if the machine gives none. The margin
    /// allows for rounding.
    fn least_block(&self) -> f64 {
        let peak = self.machine.block_at_peak();
        let clock = self.machine.clock().map(|clock| clock.to_f64());
        match (peak, clock) {
            (Some(peak), Ok(clock)) => peak.to_f64() / clock * (1.0 - 1e-9),
            _ => 0.0,
        }
    }

    /// The reason why the data leave an unknown open.
    fn reason(&self, at: usize, rows: &[&Row], origins: &[Origin]) -> Reason {
        let is_of_kernels =
            [LAUNCHES, BLOCKS].contains(&at) && !matches!(origins[OPERATIONS], Origin::Fitted(_));
        let Ok(operation) = self.linear(Unknown::Gamma) else {
            return Reason::Noise;
        };
        let shorter = rows.iter().filter(|row| {
            let time = row.kernel.or(row.total);
            time.is_some_and(|time| row.coefficients[OPERATIONS] * operation > time)
        });
        if is_of_kernels && 2 * shorter.count() > rows.len() {
            Reason::Shorter(1.0 / operation)
        } else {
            Reason::Noise
        }
    }

    /// If α or β is kept, each direction has its own value. The coefficient is rescaled, so that it
    /// multiplies the mean of both.
    pub(super) fn settle(&self, rows: &mut [Row], origins: &[Origin]) {
        if self.unknowns.len() == MOST {
            // The directions are separate unknowns already.
            return;
        }
        let overridden = self.machine.with_overrides(self.given, |_| false);
        let Ok((machine, _)) = overridden else {
            return;
        };
        let ways = |at: usize| match at {
            1 => machine
                .alpha()
                .ok()
                .map(|a| [a.inward.to_f64(), a.outward.to_f64()]),
            _ => machine
                .beta()
                .ok()
                .map(|b| [b.inward.to_f64(), b.outward.to_f64()]),
        };
        for at in [1, 2] {
            if matches!(origins[at], Origin::Fitted(_)) {
                continue;
            }
            let Some([inward, outward]) = ways(at) else {
                continue;
            };
            let mean = (inward + outward) / 2.0;
            for row in rows.iter_mut().filter(|_| mean > 0.0) {
                let [into, out] = row.directions[at - 1];
                row.coefficients[at] = (into * inward + out * outward) / mean;
            }
        }
    }

    /// Solves for the linear unknowns, and adds the standard error to each fitted one.
    pub(super) fn fit(
        &self,
        rows: &[&Row],
        mut origins: Vec<Origin>,
    ) -> Result<(Values, Vec<Origin>), Vec<Diagnostic>> {
        let values = self.solve(rows, &origins)?;
        let doubt = self.doubt(rows, &origins)?;
        let equations = self.equations(rows, &self.kept(&origins)?);
        let found = origins.clone();
        for group in equations.groups(&free(&origins)) {
            let solution: Vec<f64> = group.iter().map(|at| values[*at]).collect();
            let errors = equations.only(&group).errors(&solution);
            for (place, at) in group.iter().enumerate() {
                let error = errors.as_ref().map(|errors| errors[place]);
                let sure = doubt.certainty(*at, self.unknowns, &found, &values, error);
                origins[*at] = Origin::Fitted(sure);
            }
        }
        Ok((values, origins))
    }

    /// Fits all unknowns that are not given, whatever the first fit kept.
    fn doubt(&self, rows: &[&Row], origins: &[Origin]) -> Result<Doubt, Vec<Diagnostic>> {
        let unkept = |origin: &Origin| match origin {
            Origin::Together(_) | Origin::Open(_) | Origin::Fitted(_) => {
                Origin::Fitted(Certainty::Unknown)
            }
            Origin::Absent => Origin::Absent,
            Origin::Given => Origin::Given,
        };
        let origins: Vec<Origin> = origins.iter().map(unkept).collect();
        let equations = self.equations(rows, &self.kept(&origins)?);
        Ok(Doubt::of(&equations, free(&origins)))
    }

    /// Returns true if noise leaves a figure open although its column is independent: its error exceeds
    /// half its value, and changes times by more than a twentieth.
    fn is_open(
        &self,
        free: &[usize],
        rows: &[&Row],
        origins: &[Origin],
    ) -> Result<bool, Vec<Diagnostic>> {
        let Ok(kept) = self.kept(origins) else {
            return Ok(false);
        };
        let equations = self.equations(rows, &kept).only(free);
        let columns = &equations.columns;
        let Some(solution) = non_negative(columns, &equations.right) else {
            return Ok(true);
        };
        let Some(errors) = equations.errors(&solution) else {
            return Ok(false);
        };
        let mean = |column: &[f64]| {
            let squares: f64 = column.iter().map(|value| value * value).sum();
            (squares / column.len().max(1) as f64).sqrt()
        };
        let scale = mean(&equations.right).max(f64::MIN_POSITIVE);
        let mut open = errors.iter().zip(&solution).zip(columns).zip(free);
        Ok(open.any(|(((error, value), column), at)| {
            *error > value / 2.0
                && error * mean(column) > 0.05 * scale
                && !self.is_contradicted(*at, rows)
        }))
    }

    /// Returns true if most measurements take less than half the time that the machine's figure alone
    /// predicts. Then the data are better than the figure, however much they scatter.
    fn is_contradicted(&self, at: usize, rows: &[&Row]) -> bool {
        let Ok(own) = self.linear(self.unknowns[at]) else {
            return false;
        };
        let uses = |row: &&&Row| row.coefficients[at] != 0.0;
        let time = |row: &Row| row.total.or(row.kernel).unwrap_or(f64::INFINITY);
        let shorter = |row: &&&Row| row.coefficients[at] * own > 2.0 * time(row);
        let using = rows.iter().filter(uses);
        2 * using.clone().filter(shorter).count() > using.count()
    }

    /// The values of the unknowns that are not fitted; 0 for the fitted ones.
    pub(super) fn kept(&self, origins: &[Origin]) -> Result<Values, Vec<Diagnostic>> {
        let mut kept = [0.0; MOST];
        let gamma_is_kept = !matches!(origins[OPERATIONS], Origin::Fitted(_));
        for (at, origin) in origins.iter().enumerate() {
            let is_needed = match origin {
                Origin::Fitted(_) => false,
                // A figure that no measurement depends on may be absent from the machine.
                Origin::Absent => at == OPERATIONS,
                Origin::Together(_) | Origin::Open(_) | Origin::Given => true,
            };
            if !is_needed {
                continue;
            }
            let value = self.linear(self.unknowns[at]);
            kept[at] = value.map_err(|missing| vec![Diagnostic::of(&missing)])?;
        }
        if !gamma_is_kept && !matches!(origins[BLOCKS], Origin::Fitted(_)) {
            // λ/γ needs a γ, so the machine's is used.
            kept[BLOCKS] = self.linear(Unknown::Lambda).unwrap_or(0.0);
        }
        Ok(kept)
    }

    /// The machine's own figure as a linear unknown; directions are averaged.
    fn linear(&self, unknown: Unknown) -> Result<f64, crate::machine::MissingFigure> {
        let (machine, _) = self
            .machine
            .with_overrides(self.given, |_| false)
            .unwrap_or_else(|_| (self.machine.clone(), Parameters::new()));
        let gamma = || machine.clock().map(|clock| clock.to_f64());
        Ok(match unknown {
            Unknown::Gamma => 1.0 / gamma()?,
            Unknown::Alpha => {
                let alpha = machine.alpha()?;
                (alpha.inward.to_f64() + alpha.outward.to_f64()) / 2.0
            }
            Unknown::Beta => {
                let beta = machine.beta()?;
                (beta.inward.to_f64() + beta.outward.to_f64()) / 2.0
            }
            Unknown::AlphaInward => machine.alpha()?.inward.to_f64(),
            Unknown::AlphaOutward => machine.alpha()?.outward.to_f64(),
            Unknown::BetaInward => machine.beta()?.inward.to_f64(),
            Unknown::BetaOutward => machine.beta()?.outward.to_f64(),
            Unknown::Sigma => machine.synchronisation()?.to_f64(),
            // The time of a block does not change with the clock. A clock given by `-D` changes its cycles
            // instead.
            Unknown::Lambda => match (self.given.get("λ"), self.machine.clock()) {
                (None, Ok(clock)) => self.machine.latency()?.to_f64() / clock.to_f64(),
                _ => machine.latency()?.to_f64() / gamma()?,
            },
        })
    }

    /// The values of all linear unknowns. 1/γ is 0 if operations take no time beside the blocks.
    fn solution(&self, rows: &[&Row], origins: &[Origin]) -> Result<Values, Vec<Diagnostic>> {
        let mut values = self.kept(origins)?;
        let free = free(origins);
        let equations = self.equations(rows, &values).only(&free);
        let solution = non_negative(&equations.columns, &equations.right).unwrap_or_default();
        for (at, value) in free.iter().zip(solution) {
            values[*at] = value;
        }
        self.tie(&mut values);
        Ok(values)
    }

    fn solve(&self, rows: &[&Row], origins: &[Origin]) -> Result<Values, Vec<Diagnostic>> {
        let mut values = self.solution(rows, origins)?;
        if values[OPERATIONS] == 0.0 {
            // No operation was measured, or operations take no time beside the blocks.
            values[OPERATIONS] = self
                .linear(Unknown::Gamma)
                .map_err(|missing| vec![Diagnostic::of(&missing)])?;
            self.tie(&mut values);
        }
        Ok(values)
    }

    /// A given λ is in cycles, so λ/γ follows γ.
    fn tie(&self, values: &mut Values) {
        if let Some(latency) = self.latency() {
            values[BLOCKS] = latency * values[OPERATIONS];
        }
    }

    /// The errors at measurements when these are left out of the fit.
    pub(super) fn left_out(
        &self,
        rows: &[Row],
        origins: &[Origin],
        group: usize,
    ) -> Option<(f64, f64)> {
        let unknowns = free(origins).len();
        if rows.len() < unknowns + 2 {
            return None;
        }
        let mut seen = Vec::new();
        for start in (0..rows.len()).step_by(group) {
            let out = start..(start + group).min(rows.len());
            let rest: Vec<&Row> = rows
                .iter()
                .enumerate()
                .filter(|(at, _)| !out.contains(at))
                .map(|(_, row)| row)
                .collect();
            let values = self.solve(&rest, origins).ok()?;
            seen.extend(
                rows[out]
                    .iter()
                    .map(|row| row.compared(&values, self.unknowns)),
            );
        }
        Some(errors(&seen))
    }

    /// The errors at each program when its measurements are left out of the fit. Figures that the others
    /// leave open keep the machine's value.
    pub(super) fn without_each_program(&self, rows: &[Row]) -> Vec<(String, (f64, f64))> {
        let mut names: Vec<&String> = rows.iter().filter_map(|row| row.program.as_ref()).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() < 2 {
            return Vec::new();
        }
        let without = |name: &String| {
            let is_of = |row: &&Row| row.program.as_ref() == Some(name);
            let rest: Vec<&Row> = rows.iter().filter(|row| !is_of(row)).collect();
            let origins = self.origins(&rest).ok()?;
            let values = self.solve(&rest, &origins).ok()?;
            let own = rows.iter().filter(is_of);
            let own: Vec<_> = own
                .map(|row| row.compared(&values, self.unknowns))
                .collect();
            Some((name.clone(), errors(&own)))
        };
        names.into_iter().filter_map(without).collect()
    }

    /// The machine with the fitted figures, and the linear unknowns as this machine has them. `given` may
    /// contain formal parameters as well.
    pub(super) fn fitted(&self, values: &Values, origins: &[Origin]) -> (Machine, Values) {
        let mut given = self.given.clone();
        let mut apart = Vec::new();
        for (at, (unknown, origin)) in self.unknowns.iter().zip(origins).enumerate() {
            let value = figure_of(at, values);
            // No measurement has more than six significant figures.
            let unit = unknown.unit_in_files(self.machine);
            let is_new = match (unknown, origin) {
                (_, Origin::Fitted(_)) => true,
                // The time of a block stays when the clock changes, so its cycles are written anew.
                (Unknown::Lambda, Origin::Together(_) | Origin::Open(_)) => {
                    let clock = self.machine.clock().map(|clock| clock.to_f64());
                    self.machine.device.latency.is_some()
                        && clock.is_ok_and(|clock| (clock * values[OPERATIONS] - 1.0).abs() > 1e-9)
                }
                _ => false,
            };
            let Some(value) = is_new.then(|| rounded(value / unit.to_f64())).flatten() else {
                continue;
            };
            if unknown.name() == unknown.letter() {
                given.set(unknown.letter(), &value * &unit)
            } else {
                apart.push((*unknown, &value * &unit))
            }
        }
        let mut machine = match self.machine.with_overrides(&given, |_| false) {
            Ok((machine, _)) => machine,
            Err(_) => self.machine.clone(),
        };
        for (unknown, value) in apart {
            let transfer = &mut machine.transfer;
            let alpha = || PerDirection::both(Millis::new(0));
            let beta = || PerDirection::both(MillisPerWord::new(0));
            match unknown {
                Unknown::AlphaInward => {
                    transfer.alpha.get_or_insert_with(alpha).inward = Millis::new(value);
                }
                Unknown::AlphaOutward => {
                    transfer.alpha.get_or_insert_with(alpha).outward = Millis::new(value);
                }
                Unknown::BetaInward => {
                    transfer.beta.get_or_insert_with(beta).inward = MillisPerWord::new(value);
                }
                Unknown::BetaOutward => {
                    transfer.beta.get_or_insert_with(beta).outward = MillisPerWord::new(value);
                }
                Unknown::Gamma
                | Unknown::Alpha
                | Unknown::Beta
                | Unknown::Sigma
                | Unknown::Lambda => {}
            }
        }
        let written = Start {
            machine: &machine,
            given: &Parameters::new(),
            weights: self.weights,
            unknowns: self.unknowns,
        };
        let mut as_written = *values;
        for (value, unknown) in as_written.iter_mut().zip(self.unknowns) {
            // A figure that no measurement depends on may be absent.
            if let Ok(own) = written.linear(*unknown) {
                *value = own;
            }
        }
        (machine, as_written)
    }
}

fn free(origins: &[Origin]) -> Vec<usize> {
    let fitted = |at: &usize| matches!(origins[*at], Origin::Fitted(_));
    (0..origins.len()).filter(fitted).collect()
}

/// A number rounded to six significant figures.
fn rounded(value: f64) -> Option<Rational> {
    crate::count::parse_number(&format!("{value:.5e}")).ok()
}
