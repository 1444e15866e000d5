//! The order of factors and terms: letters of costs first, constants last.

use std::cmp::Ordering;

use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::notation::layout::{COST_LETTERS, MACHINE_NAMES, Shaper, WHOLE_LETTERS};
use crate::sym::{Expr, Symbol, SymbolKind, bare};

pub(super) fn cost_rank(atom: &Atom) -> usize {
    match atom {
        Atom::Symbol(symbol) => COST_LETTERS
            .iter()
            .position(|letter| *letter == bare(&symbol.name))
            .map_or(0, |at| at + 1),
        _ => 0,
    }
}

fn machine_rank(symbol: &Symbol) -> usize {
    MACHINE_NAMES
        .iter()
        .position(|name| *name == bare(&symbol.name))
        .map_or(0, |at| at + 1)
}

/// Names before functions, logarithms last, cost letters after all other names.
pub(super) fn compare_atoms(x: &Atom, y: &Atom) -> Ordering {
    let kind = |atom: &Atom| match atom {
        Atom::Symbol(symbol) if WHOLE_LETTERS.contains(&bare(&symbol.name)) => 3,
        Atom::Symbol(_) if cost_rank(atom) > 0 => 3,
        Atom::Symbol(_) => 0,
        Atom::Power(..) => 1,
        Atom::Floor(_) => 2,
        Atom::Gcd(..) | Atom::Min(_) | Atom::Max(_) => 4,
        Atom::DigitSum(..) | Atom::FloorSum(_) => 5,
        Atom::Log(..) => 6,
        Atom::Inverse(_) => 7,
        Atom::Sum(_) => 8,
        Atom::Bracket(_) => 9,
    };
    kind(x).cmp(&kind(y)).then_with(|| match (x, y) {
        (Atom::Symbol(s), Atom::Symbol(t)) => {
            let key =
                |atom: &Atom, s: &Symbol| (cost_rank(atom), is_plain(s), machine_rank(s), s.id);
            key(x, s).cmp(&key(y, t))
        }
        _ => x.cmp(y),
    })
}

/// Folded names come first: r^2·n.
fn is_plain(symbol: &Symbol) -> bool {
    symbol.id.kind < SymbolKind::Folded
}

/// Higher degrees first, then more logarithms, the constant last, cost letters in their own order.
pub(super) fn compare_parts(shaper: &Shaper, x: &Expr, y: &Expr) -> Ordering {
    let constant = |e: &Expr| e.as_rational().is_some();
    let cost = |e: &Expr| {
        let mut least = usize::MAX;
        e.for_each_atom(&mut |atom| {
            if cost_rank(atom) > 0 {
                least = least.min(cost_rank(atom));
            }
        });
        // A quotient of cost letters goes by its denominator: (… λ)/γ.
        let under = e.atoms().into_iter().filter(|atom| {
            cost_rank(atom) > 0 && e.terms().iter().all(|(m, _)| m.exponent(atom) < 0)
        });
        under.map(|atom| cost_rank(&atom)).next().unwrap_or(least)
    };
    let degree = |e: &Expr| {
        e.terms()
            .iter()
            .map(|(m, _)| (degree_of(shaper, m), logs_of(m)))
            .max()
            .unwrap_or_default()
    };
    let factors = |e: &Expr| {
        let mut atoms: Vec<Atom> = e.atoms().into_iter().collect();
        atoms.sort_by(compare_atoms);
        atoms
    };
    let by_atoms = || {
        let (x, y) = (factors(x), factors(y));
        let pairs = x.iter().zip(&y).map(|(a, b)| compare_atoms(a, b));
        pairs
            .into_iter()
            .find(|order| order.is_ne())
            .unwrap_or(y.len().cmp(&x.len()))
    };
    let no_cost_last = |rank: usize| if rank == usize::MAX { 0 } else { rank };
    no_cost_last(cost(x))
        .cmp(&no_cost_last(cost(y)))
        .then_with(|| constant(x).cmp(&constant(y)))
        .then_with(|| degree(y).cmp(&degree(x)))
        .then_with(by_atoms)
        .then_with(|| x.cmp(y))
}

/// Twice the degree in names and floors: brackets and denominators by sums count nothing, a quotient that
/// has a name or is rounded a half.
pub(super) fn degree_of(shaper: &Shaper, monomial: &Monomial) -> i64 {
    let of_quotient = |value: &Expr| {
        let terms = value.terms().iter();
        let degrees = terms.map(|(monomial, _)| degree_of(shaper, monomial));
        degrees.max().unwrap_or(0).max(1)
    };
    let degrees = monomial.factors().iter().map(|(atom, exponent)| {
        let times = i64::from(*exponent);
        match atom {
            Atom::Bracket(_) | Atom::Log(..) => 0,
            Atom::Inverse(_) => -2 * times,
            Atom::Symbol(symbol) => match shaper.definition(symbol) {
                Some(value) => times * of_quotient(value),
                None => 2 * times,
            },
            Atom::Floor(x) => times * of_quotient(x),
            _ => 2 * times,
        }
    });
    degrees.sum()
}

/// Returns the number of logarithms among the factors.
fn logs_of(monomial: &Monomial) -> i64 {
    let logs = monomial.factors().iter();
    logs.filter(|(atom, _)| matches!(atom, Atom::Log(..)))
        .map(|(_, exponent)| i64::from(*exponent))
        .sum()
}
