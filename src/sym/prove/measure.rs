//! Bounds measured from the least values of symbols, which makes most polynomials visibly
//! non-negative. Also their values at the points that satisfy the facts, which refute the rest.

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::evaluate::approximate;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::{Facts, Measured, Prepared, RoundedLog, Source};
use crate::sym::facts::memo::Memo;
use crate::sym::facts::models::{AtPoints, MODELS};
use crate::sym::prove::bounds;
use rustc_hash::FxHashMap;

pub(crate) fn prepared(facts: &Facts) -> &Prepared {
    // Computed once for each set of facts, because every search under them starts from it. With n
    // ≥ 1 the bound n − 1 becomes n′: a plain sign, which the search knows anyway, so it is
    // dropped. n ≤ 1 becomes −n′ ≥ 0 and stays.
    facts.memory().prepared.get_or_init(|| {
        let least = bounds::least_values(facts);
        let mut prepared = Prepared {
            least,
            bounds: Vec::new(),
            values: Memo::default(),
            logs: rounded_logs(facts),
        };
        for bound in &facts.known().bounds {
            let value = shifted(&bound.value, &prepared.least);
            // A single positive term says nothing new. A single negative one fixes a symbol at
            // its least value.
            let is_sign = matches!(value.terms(), [(_, c)] if !c.is_negative());
            if !value.is_zero() && !is_sign {
                let measured = measured(facts, &prepared, value, bound.source);
                prepared.bounds.push(measured);
            }
        }
        prepared
    })
}

/// Returns the rounded logarithms in the bounds, log_32 x as a fifth of log2 x.
fn rounded_logs(facts: &Facts) -> Vec<RoundedLog> {
    let mut found = Vec::new();
    for bound in &facts.known().bounds {
        add_rounded_logs(&bound.value, &mut found);
    }
    found
}

/// Adds the rounded logarithms of a sum.
pub(crate) fn add_rounded_logs(value: &Expr, found: &mut Vec<RoundedLog>) {
    value.for_each_atom(&mut |atom| {
        if let Atom::Floor(x) = atom
            && let Some((monomial, coefficient)) = x.as_term()
            && let [(Atom::Log(base, argument), 1)] = monomial.factors()
            && let Some(degree) = coefficient.abs().recip().filter(Rational::is_integer)
        {
            let log = RoundedLog {
                base: base.clone(),
                argument: argument.clone(),
                degree,
            };
            if !found.contains(&log) {
                found.push(log);
            }
        }
    });
}

pub(crate) fn measured(
    facts: &Facts,
    prepared: &Prepared,
    value: Expr,
    source: Source,
) -> Measured {
    Measured {
        at_points: at_points(facts, prepared, &value),
        degree: value.degree(),
        value,
        source,
    }
}

/// Returns approximate values of a polynomial in measured symbols, at the points where all facts
/// hold.
pub(crate) fn at_points(facts: &Facts, prepared: &Prepared, value: &Expr) -> AtPoints {
    let mut sum = [0.0; MODELS];
    for (monomial, coefficient) in value.terms() {
        let mut product = [coefficient.to_f64(); MODELS];
        for (atom, exponent) in monomial.factors() {
            let factor = atom_at_points(facts, prepared, atom);
            multiply(&mut product, &factor, *exponent);
        }
        for (total, term) in sum.iter_mut().zip(product) {
            *total += term;
        }
    }
    sum
}

pub(crate) fn atom_at_points(facts: &Facts, prepared: &Prepared, atom: &Atom) -> AtPoints {
    // Measured symbols are smaller by their least values: at a point with n = 7, n′ = n − 1 is 6.
    // Other atoms are evaluated on the original symbols, because `shifted` replaces symbols only
    // where they are factors of terms, never inside a floor or a power.
    if let Some(known) = prepared.values.get(atom) {
        return known;
    }
    let mut found = facts.known().models.values(atom);
    if let Some((least, _)) = prepared.least.get(atom) {
        let least = least.to_f64();
        found.iter_mut().for_each(|value| *value -= least);
    }
    prepared.values.insert(atom.clone(), found);
    found
}

/// Multiplies by a whole power, point by point.
fn multiply(product: &mut AtPoints, factor: &AtPoints, exponent: i32) {
    for (value, factor) in product.iter_mut().zip(factor) {
        match exponent {
            0 => {}
            1 => *value *= factor,
            exponent => *value *= libm::pow(*factor, f64::from(exponent)),
        }
    }
}

/// goal − (obstacle/term)·bound at every point.
pub(crate) fn difference(
    goal: &AtPoints,
    factors: &[AtPoints],
    exponents: &[i32],
    ratio: &Rational,
    bound: &AtPoints,
) -> AtPoints {
    let mut multiple = *bound;
    for (factor, exponent) in factors.iter().zip(exponents) {
        multiply(&mut multiple, factor, *exponent);
    }
    let ratio = ratio.to_f64();
    std::array::from_fn(|at| goal[at] - ratio * multiple[at])
}

/// Returns true if the value is clearly below 0 at some point, relative to the size of the goal
/// there.
pub(crate) fn is_refuted(rest: &AtPoints, goal: &AtPoints) -> bool {
    // Floats: goal − multiple loses digits when both are large. A rest of −1e−7 beside a goal of
    // 1e6 is noise, so it must not refute. A point without a value is not a number and refutes
    // nothing.
    const RELATIVE: f64 = 1e-9;
    rest.iter()
        .zip(goal)
        .any(|(rest, goal)| approximate::is_negative(rest + RELATIVE * goal.abs()))
}

/// Measures every symbol with a least value from there.
pub(crate) fn shifted(value: &Expr, least: &FxHashMap<Atom, (Rational, Source)>) -> Expr {
    value.replace(&|atom| {
        let (least, _) = least.get(atom)?;
        (!least.is_zero()).then(|| Expr::atom(atom.clone()) + Expr::rational(least.clone()))
    })
}
