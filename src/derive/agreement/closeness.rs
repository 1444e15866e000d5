//! How far the bounds that are shown of totals and costs lie above what is counted, at the points where they are held
//! against counts and at some large ones.
//!
//! A merged bound of many rounds may be short and true and still say nothing: 93kh beside a count of h. Such a bound is
//! not shown in one line; the rounds are, whose own forms are closer.

use crate::count::{Counts, Interval, Quantity};
use crate::derivation::Derivation;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::program::CostSymbol;
use crate::sym::{Expr, Facts, Symbol, SymbolKind};

/// Most that a cost in one line may be, as a multiple of the count.
const CLOSE_COST: f64 = 1.5;
/// Most that a total of several rounds may be, as a multiple of the count.
const CLOSE_TOTAL: f64 = 2.0;

/// Relative difference of two values that is taken for rounding.
const ROUNDING: f64 = 1e-6;

/// Values of α, β, γ, λ, σ: a card for which operations weigh, one for which blocks do, one for which transfers and
/// rounds do. A bound that is close for each is close for all.
const CARDS: [[f64; 5]; 3] = [
    [0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 1000.0, 0.0],
    [100.0, 1.0, 1.0, 1.0, 100.0],
];
/// k' there: few, so that several waves are met at small points.
const REAL_MPS: f64 = 2.0;
/// H there.
const MOST_RESIDENT: f64 = 4.0;

/// The bounds shown of a derivation, each with the largest multiple of a count that it was.
pub(super) struct Closeness<'d> {
    derivation: &'d Derivation,
    bounds: Vec<(Quantity, &'d Expr, f64)>,
}

impl<'d> Closeness<'d> {
    /// Takes in all totals and costs that are shown by a bound.
    pub(super) fn of(derivation: &'d Derivation) -> Closeness<'d> {
        let bounds = derivation.all().filter_map(|(which, quantity)| {
            // An exact cost may stand beside a total that is shown by a bound.
            let is_bound = is_cost(which) || quantity.short.is_some() || !quantity.is_exact();
            Some((which, quantity.shown().filter(|_| is_bound)?, 0.0))
        });
        Closeness {
            derivation,
            bounds: bounds.collect(),
        }
    }

    /// Compares the bounds with counts at a point.
    pub(super) fn look(&mut self, point: &Point, counts: &Counts<Interval>) {
        self.look_at_parts(point);
        for (which, form, most) in &mut self.bounds {
            for card in cards_of(*which) {
                let at = At { point, card: *card };
                let counted = match at.counted(*which, counts) {
                    Some(counted) => counted,
                    // Data decide it.
                    None => continue,
                };
                if let Some(value) = at.value(self.derivation, form) {
                    *most = most.max(value / counted.max(1.0));
                }
            }
        }
    }

    /// Compares short bounds with the exact forms that they stand for at a point too large to count at.
    pub(super) fn look_far(&mut self, point: &Point) {
        self.look_at_parts(point);
        for (which, form, most) in &mut self.bounds {
            let Some(exact) = self.derivation.quantity(*which).exact_form() else {
                continue;
            };
            for card in cards_of(*which) {
                let at = At { point, card: *card };
                let both = [form, &exact].map(|form| at.value(self.derivation, form));
                if let [Some(bound), Some(exact)] = both {
                    *most = most.max(bound / exact.max(1.0));
                }
            }
        }
    }

    /// Takes a cost for loose that is not made of the totals shown beside it: `λ(4kh + n)` beside an `io` of 4kh + 2n.
    fn look_at_parts(&mut self, point: &Point) {
        let derivation = self.derivation;
        let shown = |which| derivation.quantity(which).shown();
        for (which, form, most) in &mut self.bounds {
            if !is_cost(*which) {
                continue;
            }
            let [time, blocks, ..] = CARDS.map(|card| At { point, card });
            let value = |at: &At, form: Option<&Expr>| at.value(derivation, form?);
            let of_cost = [&time, &blocks].map(|at| value(at, Some(form)));
            let [Some(without), Some(with)] = of_cost else {
                continue;
            };
            let latency = CARDS[1][3];
            let parts = [
                (with - without) / latency,
                if *which == Quantity::Cost {
                    without
                } else {
                    f64::NAN
                },
            ];
            let totals =
                [Quantity::Io, Quantity::TotalTime].map(|total| value(&time, shown(total)));
            let differs = |(part, total): (f64, Option<f64>)| {
                total.is_some_and(|total| (part - total).abs() > ROUNDING * total.abs().max(1.0))
            };
            if parts.into_iter().zip(totals).any(differs) {
                *most = f64::INFINITY;
            }
        }
    }

    /// The quantities whose bound is not close.
    pub(super) fn loose(&self) -> Vec<Quantity> {
        let limit = |which| {
            if is_cost(which) {
                CLOSE_COST
            } else {
                CLOSE_TOTAL
            }
        };
        let loose = self.bounds.iter();
        let loose = loose.filter(|(which, _, most)| *most > limit(*which));
        loose.map(|(which, ..)| *which).collect()
    }
}

/// True of the costs that the report shows in one line, or as a sum over rounds.
fn is_cost(which: Quantity) -> bool {
    matches!(which, Quantity::Cost | Quantity::GpuCost)
}

/// The cards on which a quantity differs: counts have no letters.
fn cards_of(which: Quantity) -> &'static [[f64; 5]] {
    if is_cost(which) || which == Quantity::TransferCost {
        &CARDS
    } else {
        &CARDS[..1]
    }
}

/// A point, and the letters there.
struct At<'p> {
    point: &'p Point,
    card: [f64; 5],
}

impl At<'_> {
    fn value(&self, derivation: &Derivation, form: &Expr) -> Option<f64> {
        let named = |symbol: &Symbol| match symbol.id.kind {
            SymbolKind::Letter => self.letter(&symbol.name),
            _ => {
                let known = self.point.parameters.get(&*symbol.name);
                known.map_or(f64::NAN, number)
            }
        };
        let nothing = Facts::new();
        let occupancy = derivation.occupancy.as_ref();
        let occupancy = occupancy.and_then(|form| nothing.about(form, &named));
        let value = nothing.about(form, &|symbol| {
            if symbol.id.kind == SymbolKind::Letter && *symbol.name == *CostSymbol::Occupancy.name()
            {
                occupancy.unwrap_or(f64::NAN)
            } else {
                named(symbol)
            }
        })?;
        value.is_finite().then_some(value)
    }

    fn letter(&self, name: &str) -> f64 {
        let [alpha, beta, gamma, lambda, sigma] = self.card;
        match CostSymbol::named(name) {
            Some(CostSymbol::Alpha) => alpha,
            Some(CostSymbol::Beta) => beta,
            Some(CostSymbol::Gamma) => gamma,
            Some(CostSymbol::Lambda) => lambda,
            Some(CostSymbol::Sigma) => sigma,
            Some(CostSymbol::RealMps) => REAL_MPS,
            Some(CostSymbol::MaxResident) => MOST_RESIDENT,
            Some(CostSymbol::Occupancy) | None => f64::NAN,
        }
    }

    /// The count of a total, or the cost by Expression (1) or (2) of paper 1; `None` where data decide it.
    fn counted(&self, which: Quantity, counts: &Counts<Interval>) -> Option<f64> {
        if let Some((_, total)) = counts.totals.all().iter().find(|(of, _)| *of == which) {
            return exactly(total);
        }
        let [alpha, beta, gamma, lambda, sigma] = self.card;
        let mut rounds = counts.rounds.iter();
        rounds.try_fold(0.0, |sum, (times, round)| {
            let both = |side: [&Interval; 2]| Some(exactly(side[0])? + exactly(side[1])?);
            let starts = both([&round.inward.transactions, &round.outward.transactions])?;
            let words = both([&round.inward.words, &round.outward.words])?;
            let waves = match which {
                Quantity::GpuCost => {
                    let at_once = REAL_MPS * self.resident(exactly(&round.shared_words)?);
                    (exactly(&round.launched_mps)? / at_once).ceil()
                }
                _ => 1.0,
            };
            let transfer = alpha * starts + beta * words;
            let kernel = (waves * exactly(&round.time)? + lambda * exactly(&round.io)?) / gamma;
            let one = match which {
                Quantity::TransferCost => transfer,
                _ => transfer + kernel + sigma,
            };
            Some(sum + one * number(&(*times).into()))
        })
    }

    /// ℓ = min(⌊M/m⌋, H), at least 1.
    fn resident(&self, shared_words: f64) -> f64 {
        let capacity = self.point.parameters.get("M").map_or(f64::NAN, number);
        let fitting = (capacity / shared_words).floor();
        MOST_RESIDENT.min(fitting).max(1.0)
    }
}

fn exactly(count: &Interval) -> Option<f64> {
    (count.lower == count.upper).then(|| number(&count.upper))
}

fn number(whole: &BigInt) -> f64 {
    Rational::from(whole.clone()).to_f64()
}
