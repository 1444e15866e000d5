//! Lower bounds on the time of a kernel that hold on any card. Each is the time for one task:
//!
//! - to start its thread blocks
//! - to issue its instructions, and to run those of one kind through their units
//! - to run its MPs one after the other and side by side
//! - to serve its shared operands, and its blocks, on one multiprocessor
//! - to write through the cache, and to move its words from memory
//!
//! Takes counts, charges and a machine, and gives eight times a round: T = Σ launch + their maximum. Every
//! constant is the card's own; none is fitted. The formulas are written once, in symbols (`kernel`);
//! numbers are expressions without symbols. `card` holds the figures of a machine, `sums` adds up the rounds,
//! `sheet` explains the letters.

mod card;
mod kernel;
mod picture;
mod sheet;
mod sums;

pub use picture::{Picture, Placed};

use crate::cost::roofline::card::Card;
use crate::cost::roofline::sheet::SHEET;
use crate::cost::roofline::sums::{forms, sums};
use crate::cost::{
    Closed, Estimate, Figure, HEADLINE, Item, Missing, Model, Sheet, Subject, Value,
};
use crate::count::Quantity;
use crate::derivation::Derivation;
use crate::machine::{Machine, Millis};
use crate::number::Rational;
use crate::sym::Expr;

/// The fraction of `gpu_cost` from rounds where the binding bound is the greatest. The rest is launches,
/// and rounds with another greatest bound.
const SHARE: &str = "bound_share";

/// The bounds for which few machine files have figures.
const STARTS: &str = "starts";
const UNITS: &str = "units";

/// The number of bounds.
const COUNT: usize = 8;

/// The bounds by name, with the remark if one takes most of the time.
const BOUNDS: [(&str, &str); COUNT] = [
    (
        STARTS,
        "bound by starting thread blocks; does not see transfers",
    ),
    (
        "work",
        "bound by issuing instructions; does not see transfers",
    ),
    (
        UNITS,
        "bound by the units of one kind of operation; does not see transfers",
    ),
    (
        "span",
        "bound by latency, MP after MP; does not see transfers",
    ),
    ("shared", "bound by shared memory; does not see transfers"),
    (
        "l1",
        "bound by the blocks a multiprocessor touches; does not see transfers",
    ),
    ("l2", "bound by the L2 cache; does not see transfers"),
    ("dram", "bound by device memory; does not see transfers"),
];

/// Both costs, each bound, and the share of the one that binds.
const FIGURES: [(&str, &str); COUNT + 3] = {
    let mut figures = [("", "ms"); COUNT + 3];
    figures[0].0 = Quantity::Cost.name();
    figures[1].0 = HEADLINE;
    let mut at = 0;
    while at < COUNT {
        figures[2 + at].0 = BOUNDS[at].0;
        at += 1;
    }
    figures[COUNT + 2] = (SHARE, "1");
    figures
};

/// Ours.
pub(super) struct Roofline;

impl Model for Roofline {
    fn name(&self) -> &'static str {
        "roofline"
    }

    fn summary(&self) -> &'static str {
        "the greatest of eight bounds, from starts to memory; ours"
    }

    fn items(&self) -> &'static [Item] {
        &[
            Item::TimeComplexity,
            Item::IoComplexity,
            Item::SpaceComplexity,
            Item::SharedMemoryLimit,
            Item::CostFunction,
        ]
    }

    fn sheet(&self) -> Sheet {
        SHEET
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &FIGURES
    }

    fn needs_charges(&self) -> bool {
        true
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let card = Card::of(machine)?;
        let (sums, is_exact) = sums(subject, &card)?;
        let time = |name, value: &Rational| Figure {
            name,
            value: Value::Time(value.clone()),
        };
        let all = &sums.launches + &sums.kernels;
        let mut binding = 0;
        for at in 1..BOUNDS.len() {
            if sums.bound[at] > sums.bound[binding] {
                binding = at;
            }
        }
        let mut figures = vec![time(Quantity::Cost.name(), &all), time(HEADLINE, &all)];
        let named = BOUNDS.iter().zip(&sums.bounds);
        let told = named.filter(|((name, _), _)| is_told(name, &card));
        figures.extend(told.map(|((name, _), sum)| time(name, sum)));
        figures.push(Figure {
            name: SHARE,
            value: Value::Share(sums.bound[binding].checked_div(&all)),
        });
        Ok(Estimate {
            figures,
            unit: Some("ms"),
            note: match (sums.kernels.signum() > 0, is_exact) {
                (true, _) => Some(BOUNDS[binding].1),
                (false, _) => Some("does not see transfers"),
            },
        })
    }

    fn kernel_time(
        &self,
        subject: &Subject<'_>,
        machine: &Machine,
    ) -> Result<Option<Millis>, Missing> {
        let (sums, _) = sums(subject, &Card::of(machine)?)?;
        Ok(Some(Millis::new(sums.kernels)))
    }

    fn symbolic(&self, derivation: &Derivation, machine: &Machine) -> Option<Expr> {
        let card = Card::of(machine).ok()?;
        forms(derivation, &card).map(|forms| forms.all)
    }

    fn closed(&self, derivation: &Derivation, machine: &Machine) -> Vec<(&'static str, Closed)> {
        let Ok(card) = Card::of(machine) else {
            return Vec::new();
        };
        let Some(forms) = forms(derivation, &card) else {
            return Vec::new();
        };
        let named = BOUNDS.iter().zip(forms.bounds);
        let told = named.filter(|((name, _), _)| is_told(name, &card));
        let bounds = told.map(|((name, _), form)| (*name, Closed::Time(form)));
        [(HEADLINE, Closed::Time(forms.all))]
            .into_iter()
            .chain(bounds)
            .collect()
    }
}

/// Returns true if a bound is told: where the machine file has figures for it, which few have for two of
/// them.
fn is_told(name: &str, card: &Card) -> bool {
    match name {
        STARTS => !card.start.is_zero(),
        UNITS => {
            let mut units = card.units.iter().map(|(_, cycles)| cycles);
            !card.load_store.is_zero() || units.any(|cycles| !cycles.is_zero())
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests;
