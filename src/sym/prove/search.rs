//! The search for a certificate p = Σ mᵢ·fᵢ + r with monomials mᵢ ≥ 0, bounds fᵢ ≥ 0 and a
//! visibly non-negative rest r.
//!
//! Symbols are measured from their least values: n ≥ 1 becomes n = n′ + 1 with n′ ≥ 0. Each term
//! that may make p negative is cancelled by subtracting a non-negative multiple of a known bound,
//! depth first within a budget.
//!
//! Example: n·i − i² ≥ 0 from i ≥ 0 and n − i ≥ 0. The obstacle is −i². The bound n − i has the
//! term −i, so it is taken i times: n·i − i² − i(n − i) = 0, and nothing is left in the way.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::{Facts, Measured, Prepared, Source};
use crate::sym::facts::models::AtPoints;
use crate::sym::prove::bounds;
use crate::sym::prove::decide;
use crate::sym::prove::measure::{self, difference, is_refuted, shifted};
use crate::sym::{Cond, Expr};
use rustc_hash::FxHashMap;

/// The most bounds in one certificate: the depth of the search. One more step multiplies a
/// failing search by up to [`MOST_BRANCHES`]. One step less loses the certificates that add up
/// seven bounds.
const MOST_STEPS: u32 = 7;
/// The most polynomials one search may look at. It bounds failing searches; a certificate behind
/// more of them is not found.
const MOST_NODES: u32 = 60;
/// The same for the first attempt, with assumed bounds only.
const MOST_NODES_ASSUMED: u32 = 20;
/// The same where a case distinction is possible instead. A small number leaves the budget to the
/// cases.
const MOST_NODES_BEFORE_CASES: u32 = 8;
/// The most ways to cancel one term that are followed, the most promising first.
const MOST_BRANCHES: usize = 4;
/// The most atoms of a goal. Provable goals have some hundred atoms at most; longer ones only
/// cost time.
const MOST_ATOMS_OF_A_GOAL: u32 = 1000;
/// The number of terms that are written in the time of looking at one. It converts writing to
/// work.
const TERMS_WRITTEN_AT_ONCE: u64 = 4;
/// The most work of one search. Nearly all successful searches need far less; a larger number
/// mostly prolongs failures.
const MOST_WORK_OF_A_SEARCH: u64 = 1500;

/// Which bounds a search may use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bounds {
    Assumed,
    All,
}

/// The factors of an obstacle that are left after a term of a bound is divided out of it.
struct Left<'s, 'f> {
    search: &'s Search<'f>,
    /// The obstacle.
    of: &'s Term,
    /// The values of its factors.
    at_points: Vec<AtPoints>,
    /// The known answers to "is this factor ≥ 0?", `None` where nobody asked yet.
    signs: Vec<Option<bool>>,
    /// The exponents that are left.
    exponents: Vec<i32>,
}

impl<'s, 'f> Left<'s, 'f> {
    fn of(search: &'s Search<'f>, obstacle: &'s Term) -> Self {
        let factors = obstacle.0.factors().iter();
        let at_points =
            factors.map(|(atom, _)| measure::atom_at_points(search.facts, search.prepared, atom));
        Left {
            search,
            of: obstacle,
            at_points: at_points.collect(),
            signs: vec![None; obstacle.0.factors().len()],
            exponents: Vec::new(),
        }
    }

    /// Returns true if the obstacle is a non-negative multiple of the term, and keeps the
    /// quotient's exponents.
    fn is_multiple_of(&mut self, term: &Term) -> bool {
        // The obstacle −6·n·i² is a multiple of the term −2·i: equal signs make the ratio 3
        // positive, and n·i is left. Both must be ≥ 0, for only non-negative multiples of a bound
        // f ≥ 0 may be subtracted. Factors left with an even exponent need no sign.
        let factors = self.of.0.factors();
        if self.of.1.is_negative() != term.1.is_negative() {
            return false;
        }
        self.exponents.clear();
        self.exponents
            .extend(factors.iter().map(|(_, exponent)| *exponent));
        for (atom, taken) in term.0.factors() {
            let at = factors.iter().position(|(other, _)| other == atom);
            let exponent = at.map_or(0, |at| factors[at].1);
            if exponent < *taken {
                return false;
            }
            if let Some(at) = at {
                self.exponents[at] = exponent - taken;
            }
        }
        (0..factors.len()).all(|at| self.exponents[at] % 2 == 0 || self.has_sign(at))
    }

    fn has_sign(&mut self, at: usize) -> bool {
        if let Some(sign) = self.signs[at] {
            return sign;
        }
        let (sign, is_final) = self.search.sign_of_atom(&self.of.0.factors()[at].0);
        if is_final {
            self.signs[at] = Some(sign);
        }
        sign
    }

    fn degree(&self) -> i64 {
        self.exponents
            .iter()
            .map(|exponent| i64::from(*exponent))
            .sum()
    }

    /// goal − ratio·left·bound at every point.
    fn difference(&self, goal: &AtPoints, ratio: &Rational, bound: &AtPoints) -> AtPoints {
        difference(goal, &self.at_points, &self.exponents, ratio, bound)
    }

    fn product(&self) -> Monomial {
        let factors = self.of.0.factors().iter().zip(&self.exponents);
        let left = factors.filter(|(_, exponent)| **exponent != 0);
        Monomial::from_sorted(left.map(|((atom, _), e)| (atom.clone(), *e)).collect())
    }
}

fn is_splittable(atom: &Atom) -> bool {
    matches!(atom, Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_))
}

pub(crate) fn has_denominator(value: &Expr) -> bool {
    let mut factors = value.terms().iter().flat_map(|(m, _)| m.factors());
    factors.any(|(_, exponent)| *exponent < 0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    Weak,
    Strict,
}

/// One search for a certificate.
pub(crate) struct Search<'f> {
    facts: &'f Facts,
    /// The total work at which this search is given up.
    last_work: u64,
    nodes_left: Cell<u32>,
    highest_degree: Cell<i64>,
    prepared: &'f Prepared,
    path: RefCell<Vec<Source>>,
    /// Goals without a certificate, with the steps that were left then.
    failed: RefCell<FxHashMap<Expr, u32>>,
    /// True if some goal had an atom other than a symbol.
    has_met_functions: Cell<bool>,
    /// The atoms of the first goal. A bound that joins two of its terms stays useful after one of
    /// them is cancelled.
    first_atoms: RefCell<Vec<Atom>>,
}

impl<'f> Search<'f> {
    pub(crate) fn new(facts: &'f Facts) -> Self {
        Search {
            facts,
            last_work: facts.work_done() + MOST_WORK_OF_A_SEARCH,
            // Nested proofs settle details, so each level has a quarter of the nodes: 60, 15, 3.
            nodes_left: Cell::new(MOST_NODES >> (2 * facts.nesting().proofs().saturating_sub(1))),
            highest_degree: Cell::new(0),
            prepared: measure::prepared(facts),
            path: RefCell::default(),
            failed: RefCell::default(),
            has_met_functions: Cell::new(false),
            first_atoms: RefCell::default(),
        }
    }

    /// Returns true if the limit on nested proofs cannot have cut the present conclusion short.
    fn is_outermost(&self) -> bool {
        self.facts.nesting().proofs() <= 1
    }

    fn shifted(&self, value: &Expr) -> Expr {
        shifted(value, &self.prepared.least)
    }

    pub(crate) fn succeeds(&self, goal: &Expr, strictness: Strictness, cases_left: u32) -> bool {
        // Order of attempts, by cost: refutation at points (no search), assumed bounds, bounds of
        // the atoms (each asks for proofs of its own), cases. Each attempt runs only after the
        // cheaper ones have failed. The degree of intermediate goals may exceed the first one by
        // 1, so a certificate may multiply by one symbol on the way, but not by two.
        if goal.summary().length() > MOST_ATOMS_OF_A_GOAL {
            return false;
        }
        let mut sources: Vec<Source> = Vec::new();
        goal.for_each_atom(&mut |atom| {
            sources.extend(self.prepared.least.get(atom).map(|(_, source)| *source));
        });
        let shifted = self.shifted(goal);
        self.first_atoms.replace(goal.atoms().into_iter().collect());
        self.highest_degree.set(shifted.degree().max(1) + 1);
        let at_points = measure::at_points(self.facts, self.prepared, &shifted);
        if is_refuted(&at_points, &at_points) {
            return false;
        }
        // Most goals follow from assumptions alone. Bounds of the atoms themselves cost more to
        // find.
        let nodes = self.nodes_left.get();
        let has_cases = goal.atoms().iter().any(is_splittable);
        let few = if has_cases {
            MOST_NODES_BEFORE_CASES
        } else {
            MOST_NODES_ASSUMED
        };
        self.nodes_left.set(nodes.min(few));
        let found = self.search(
            &shifted,
            &at_points,
            strictness,
            MOST_STEPS,
            Bounds::Assumed,
        ) || {
            let few_were_left = self.nodes_left.get();
            // The value of a minimum or bracket is better found by cases: leave the budget to
            // them.
            self.nodes_left.set(if has_cases {
                nodes.min(MOST_NODES_BEFORE_CASES)
            } else {
                nodes
            });
            // Failures with assumed bounds say nothing about all bounds.
            self.path.borrow_mut().clear();
            self.failed.borrow_mut().clear();
            // Symbols have no bounds of their own. If only symbols were met, a second attempt
            // would repeat the first, unless the first ran out of nodes.
            (self.has_met_functions.get() || few_were_left == 0)
                && self.search(&shifted, &at_points, strictness, MOST_STEPS, Bounds::All)
        };
        if found {
            sources.extend(self.path.borrow().iter().copied());
            self.facts.mark_used(&sources);
            return true;
        }
        cases_left > 0 && self.succeeds_by_cases(goal, strictness, cases_left - 1)
    }

    /// Proves the goal for each possible value of one minimum, maximum or bracket in it.
    fn succeeds_by_cases(&self, goal: &Expr, strictness: Strictness, cases_left: u32) -> bool {
        // min(x, y) is x where y ≥ x, and y where x ≥ y. In both cases the atom is replaced and
        // the condition supposed: n − min(n, b) ≥ 0 splits into 0 ≥ 0, and n − b ≥ 0 under n ≥ b.
        // The cases cover everything, so all have to succeed.
        let splittable = goal.atoms().into_iter().find(is_splittable);
        let Some(atom) = splittable else {
            return false;
        };
        let cases: Vec<(Expr, Cond)> = match &atom {
            Atom::Min(items) => items
                .iter()
                .map(|item| {
                    let others = items.iter().map(|other| Cond::ge(other, item));
                    (item.clone(), Cond::and(others.collect()))
                })
                .collect(),
            Atom::Max(items) => items
                .iter()
                .map(|item| {
                    let others = items.iter().map(|other| Cond::ge(item, other));
                    (item.clone(), Cond::and(others.collect()))
                })
                .collect(),
            Atom::Bracket(cond) => vec![
                (Expr::one(), (**cond).clone()),
                (Expr::zero(), (**cond).clone().negate()),
            ],
            _ => return false,
        };
        cases.into_iter().all(|(value, cond)| {
            let goal = goal.replace(&|other| (*other == atom).then(|| value.clone()));
            let facts = self.facts.with(&cond);
            let Some(goal) = facts.cleared(&goal) else {
                return false;
            };
            if facts
                .known()
                .models
                .refute_sign(&goal, strictness == Strictness::Strict)
            {
                return false;
            }
            Search::new(&facts).succeeds(&goal, strictness, cases_left)
        })
    }

    fn search(
        &self,
        goal: &Expr,
        at_points: &AtPoints,
        strictness: Strictness,
        steps_left: u32,
        bounds: Bounds,
    ) -> bool {
        let left = self.nodes_left.get();
        if left == 0 || !self.facts.nesting().take_node() {
            return false;
        }
        self.nodes_left.set(left - 1);
        self.facts.spend(goal.terms().len() as u64);
        if self.facts.is_exhausted() || self.facts.work_done() > self.last_work {
            return false;
        }
        let Some(obstacle) = self.obstacle(goal) else {
            // Without an obstacle every term is ≥ 0, hence the sum. A strict goal needs one
            // positive term.
            return strictness == Strictness::Weak || self.has_positive_term(goal);
        };
        if steps_left == 0 || self.has_failed(goal, steps_left) {
            return false;
        }
        if !goal.is_plain() {
            self.has_met_functions.set(true);
        }
        // Invariant: goal = rest + ratio·left·bound, with ratio, left and bound ≥ 0. So rest ≥ 0
        // proves goal ≥ 0, never the other way round. A rest that is negative at a point where
        // all facts hold is a dead end and is dropped before it is written.
        let mut ways: Vec<(usize, Expr, AtPoints, Source)> = Vec::new();
        let mut left_of_obstacle = Left::of(self, obstacle);
        let mut consider = |bound: &Measured| {
            for term in bound.value.terms() {
                if !left_of_obstacle.is_multiple_of(term) {
                    continue;
                }
                if left_of_obstacle.degree() + bound.degree > self.highest_degree.get() {
                    continue;
                }
                let Some(ratio) = obstacle.1.checked_div(&term.1) else {
                    continue;
                };
                // The rest has to hold at every point where the facts hold.
                let left = left_of_obstacle.difference(at_points, &ratio, &bound.at_points);
                if is_refuted(&left, at_points) {
                    continue;
                }
                let rest = goal.sub_multiple(&bound.value, &left_of_obstacle.product(), &ratio);
                if rest.degree() <= self.highest_degree.get() {
                    // Fewer obstacles first; among equals, shorter rests. One obstacle weighs as
                    // 16 terms.
                    let worth = self.count_obstacles(&rest) * 16 + rest.terms().len();
                    ways.push((worth, rest, left, bound.source));
                }
            }
        };
        self.prepared.bounds.iter().for_each(&mut consider);
        if bounds == Bounds::All {
            let mut atoms = goal.atoms();
            let first = self.first_atoms.borrow();
            atoms.extend(
                first
                    .iter()
                    .filter(|a| matches!(a, Atom::Power(..)))
                    .cloned(),
            );
            for atom in atoms {
                self.about(&atom).iter().for_each(&mut consider);
            }
        }
        // Writing the ways costs work too; without booking it a wide search would look free.
        let written: usize = ways.iter().map(|(_, rest, ..)| rest.terms().len()).sum();
        self.facts.spend(written as u64 / TERMS_WRITTEN_AT_ONCE);
        ways.sort_by_key(|(worth, ..)| *worth);
        ways.dedup_by(|x, y| x.1 == y.1);
        for (_, rest, left, source) in ways.into_iter().take(MOST_BRANCHES) {
            self.path.borrow_mut().push(source);
            if self.search(&rest, &left, strictness, steps_left - 1, bounds) {
                return true;
            }
            self.path.borrow_mut().pop();
        }
        // The same goal arises by cancelling the same terms in another order. With no more steps
        // it fails again.
        self.failed.borrow_mut().insert(goal.clone(), steps_left);
        false
    }

    /// Returns true if the goal was tried before with at least as many steps.
    fn has_failed(&self, goal: &Expr, steps_left: u32) -> bool {
        let failed = self.failed.borrow();
        failed.get(goal).is_some_and(|&tried| tried >= steps_left)
    }

    /// Returns the term of the highest degree that may be negative.
    fn obstacle<'e>(&self, goal: &'e Expr) -> Option<&'e Term> {
        goal.terms()
            .iter()
            .filter(|term| self.is_obstacle(term))
            .max_by_key(|(monomial, _)| monomial.degree())
    }

    fn count_obstacles(&self, goal: &Expr) -> usize {
        goal.terms()
            .iter()
            .filter(|term| self.is_obstacle(term))
            .count()
    }

    fn is_obstacle(&self, (monomial, coefficient): &Term) -> bool {
        coefficient.is_negative() || !monomial.factors().iter().all(|f| self.has_sign(f))
    }

    fn has_sign(&self, (atom, exponent): &(Atom, i32)) -> bool {
        exponent % 2 == 0 || self.is_non_negative_atom(atom)
    }

    fn has_positive_term(&self, goal: &Expr) -> bool {
        goal.terms().iter().any(|(monomial, coefficient)| {
            coefficient.signum() > 0
                && monomial
                    .factors()
                    .iter()
                    .all(|(atom, _)| matches!(atom, Atom::Power(..)) || self.is_positive_real(atom))
        })
    }

    fn is_positive_real(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Symbol(symbol) => !self.facts.is_whole_symbol(symbol),
            _ => false,
        }
    }

    fn is_non_negative_atom(&self, atom: &Atom) -> bool {
        self.sign_of_atom(atom).0
    }

    /// Returns two flags: the atom is provably ≥ 0; the answer is final.
    fn sign_of_atom(&self, atom: &Atom) -> (bool, bool) {
        if let Atom::Symbol(_) = atom {
            return (self.prepared.least.contains_key(atom), true);
        }
        let signs = &self.facts.memory().signs_of_atoms;
        if let Some(sign) = signs.get(atom) {
            return (sign, true);
        }
        let sign = bounds::is_non_negative_atom(self.facts, atom);
        let is_final = sign || self.is_outermost();
        if is_final {
            signs.insert(atom.clone(), sign);
        }
        (sign, is_final)
    }

    fn about(&self, atom: &Atom) -> Arc<[Measured]> {
        if let Atom::Symbol(_) = atom {
            return Arc::new([]);
        }
        let about = &self.facts.memory().about_atoms;
        let depth = self.facts.nesting().proofs();
        // A deeper proof has less budget, so bounds found at a shallower depth are at least as
        // good.
        if let Some((known, found_at)) = about.get(atom)
            && found_at <= depth
        {
            return known;
        }
        let bounds = bounds::bounds_of_atom(self.facts, atom).into_iter();
        let measured = bounds
            .map(|value| measure::measured(self.facts, self.prepared, self.shifted(&value), None));
        let bounds: Arc<[Measured]> = measured.collect();
        if self.is_outermost() || decide::failed_with_budget(self.facts) {
            about.insert(atom.clone(), (bounds.clone(), depth));
        }
        bounds
    }
}
