//! Deciding conditions under facts. Sound and incomplete: an answer is a proof, its absence means
//! nothing.
//!
//! An inequality p ≥ 0 is first cleared of positive denominators; symbols are measured from their
//! least values, which makes most polynomials visibly non-negative. Each term that remains in the
//! way is cancelled by subtracting a non-negative multiple of a known bound, depth first within a
//! budget: a search for a certificate p = Σ mᵢ·fᵢ with monomials mᵢ ≥ 0 and bounds fᵢ ≥ 0.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, PoisonError};

use crate::number::Rational;
use crate::sym::evaluate::approximate;
use crate::sym::expr::atom::{Atom, Monomial};
use crate::sym::expr::polynomial::Term;
use crate::sym::expr::summary::Kind;
use crate::sym::facts::knowledge::{Facts, Measured, Prepared, Source};
use crate::sym::facts::models::{AtPoints, MODELS};
use crate::sym::{Cond, Expr};
use rustc_hash::FxHashMap;

/// How many bounds one certificate may add up.
const MOST_STEPS: u32 = 7;
/// How many polynomials one search may look at.
const MOST_NODES: u32 = 60;
/// The same with assumed bounds only.
const MOST_NODES_ASSUMED: u32 = 20;
/// The same where cases can be distinguished instead.
const MOST_NODES_BEFORE_CASES: u32 = 8;
/// How many ways to cancel one term are followed.
const MOST_BRANCHES: usize = 4;
/// How often a goal is split into cases.
const MOST_CASES: u32 = 3;
/// Nothing is sought for a longer goal: those that are proved have some hundred atoms at most.
const MOST_ATOMS_OF_A_GOAL: u32 = 1000;
/// So many terms are written in the time that one is looked at.
const TERMS_WRITTEN_AT_ONCE: u64 = 4;
/// How much work one search may be: nearly all that succeed are far less.
const MOST_WORK_OF_A_SEARCH: u64 = 1500;
impl Facts {
    /// Whether the condition always holds (`Some(true)`), never (`Some(false)`), or is not known
    /// to do either.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &b));
    /// assert_eq!(facts.prove(&Cond::ge(&n.add(&Expr::one()), &b)), Some(true));
    /// assert_eq!(facts.prove(&Cond::lt(&n, &b)), Some(false));
    /// assert_eq!(facts.prove(&Cond::gt(&n, &b)), None);
    /// ```
    pub fn prove(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::True => return Some(true),
            Cond::False => return Some(false),
            _ => {}
        }
        if let Some(answer) = self.remembered(cond) {
            return answer;
        }
        self.spend(1);
        if self.is_exhausted() {
            return None;
        }
        let answer = self.decide(cond);
        if answer.is_some() || self.failed_with_budget() {
            self.remember(cond, answer);
        }
        answer
    }

    /// Whether the condition provably holds.
    pub(crate) fn proves(&self, cond: &Cond) -> bool {
        if let Some(answer) = self.remembered(cond) {
            return answer == Some(true);
        }
        // Whether it fails everywhere would take another search.
        if self.fails_somewhere(cond) {
            self.spend(1);
            return false;
        }
        self.prove(cond) == Some(true)
    }

    /// Whether a point at which all facts hold refutes the condition.
    fn fails_somewhere(&self, cond: &Cond) -> bool {
        let models = &self.known().models;
        match cond {
            Cond::NonNegative(value) => models.refute_sign(value, false),
            Cond::Zero(value) => {
                models.refute_sign(value, false) || models.refute_sign(&value.neg(), false)
            }
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(value) => models.refute_sign(&value.neg(), true),
                _ => false,
            },
            _ => false,
        }
    }

    /// A failure within other proofs stands for all that are nested at least as deep.
    fn remembered(&self, cond: &Cond) -> Option<Option<bool>> {
        let memo = self.known().memo.lock();
        let memo = memo.unwrap_or_else(PoisonError::into_inner);
        let (answer, depth) = *memo.get(cond)?;
        (answer.is_some() || depth <= self.nesting().proofs()).then_some(answer)
    }

    fn remember(&self, cond: &Cond, answer: Option<bool>) {
        let memo = self.known().memo.lock();
        memo.unwrap_or_else(PoisonError::into_inner)
            .insert(cond.clone(), (answer, self.nesting().proofs()));
    }

    /// Whether no proof is under way: what is concluded now has the whole budget.
    pub(crate) fn is_at_leisure(&self) -> bool {
        self.nesting().proofs() == 0
    }

    fn decide(&self, cond: &Cond) -> Option<bool> {
        if let Some(answer) = self.decide_by_literals(cond) {
            return Some(answer);
        }
        let answer = match cond {
            Cond::True => Some(true),
            Cond::False => Some(false),
            Cond::NonNegative(e) => {
                if self.is_non_negative(e) {
                    Some(true)
                } else if self.is_positive(&e.neg()) {
                    Some(false)
                } else {
                    None
                }
            }
            Cond::Zero(e) => self.decide_zero(e),
            Cond::Divides(d, e) => self.decide_divides(d, e),
            Cond::PowerOf(x, y) => self.decide_power(x, y),
            Cond::Not(inner) => self.prove(inner).map(|answer| !answer),
            Cond::And(parts) => {
                let answers: Vec<_> = parts.iter().map(|part| self.prove(part)).collect();
                if answers.contains(&Some(false)) {
                    Some(false)
                } else {
                    (!answers.contains(&None)).then_some(true)
                }
            }
            Cond::Or(parts) => {
                let answers: Vec<_> = parts.iter().map(|part| self.prove(part)).collect();
                if answers.contains(&Some(true)) {
                    Some(true)
                } else {
                    (!answers.contains(&None)).then_some(false)
                }
            }
        };
        answer.or_else(|| self.decide_by_cases(cond))
    }

    /// A condition assumed word for word, or its opposite.
    fn decide_by_literals(&self, cond: &Cond) -> Option<bool> {
        let opposite = cond.clone().negate();
        for (literal, source) in &self.known().literals {
            if literal == cond || *literal == opposite {
                self.mark_used(&[*source]);
                return Some(literal == cond);
            }
        }
        None
    }

    /// Each case of an assumed alternative by itself.
    fn decide_by_cases(&self, cond: &Cond) -> Option<bool> {
        if self.nesting().proofs() > 0 {
            return None;
        }
        for (literal, source) in &self.known().literals {
            let Cond::Or(parts) = literal else {
                continue;
            };
            let mut answers = parts.iter().map(|part| self.with(part).prove(cond));
            let first = answers.next().flatten()?;
            if answers.all(|answer| answer == Some(first)) {
                self.mark_used(&[*source]);
                return Some(first);
            }
        }
        None
    }

    fn decide_zero(&self, e: &Expr) -> Option<bool> {
        if e.is_zero() || self.cleared(e).is_some_and(|cleared| cleared.is_zero()) {
            return Some(true);
        }
        if self.is_positive(e) || self.is_positive(&e.neg()) {
            return Some(false);
        }
        (self.is_non_negative(e) && self.is_non_negative(&e.neg())).then_some(true)
    }

    fn decide_divides(&self, d: &Expr, e: &Expr) -> Option<bool> {
        let quotient = e.div(d)?;
        let is_positive = self.is_positive(d);
        if is_positive && self.is_integer(&quotient) {
            return Some(true);
        }
        if !is_positive || !self.is_integer(d) || !self.is_integer(e) {
            return None;
        }
        let remainder = e.sub(&d.mul(&self.simplify_floor(&quotient)));
        if remainder.is_zero() {
            return Some(true);
        }
        self.is_positive(&remainder).then_some(false)
    }

    fn decide_power(&self, x: &Expr, y: &Expr) -> Option<bool> {
        let log = Expr::log(y, x);
        let is_known = !log.has_atom(&|atom| match atom {
            Atom::Log(base, inner) => !self
                .known()
                .powers
                .iter()
                .any(|(px, py, _)| px == inner && py == base),
            _ => false,
        });
        let holds = is_known
            && self.is_integer(&log)
            && self.proves(&Cond::non_negative(&log))
            && self.proves(&Cond::ge(y, &Expr::int(2)));
        holds.then_some(true)
    }

    /// Whether the value is provably ≥ 0.
    pub(crate) fn is_non_negative(&self, value: &Expr) -> bool {
        if let Some(number) = value.as_rational() {
            return !number.is_negative();
        }
        if self.known().models.refute_sign(value, false) {
            return false;
        }
        if self.is_sum_of_non_negatives(value) {
            return true;
        }
        self.sign_once(value, Strictness::Weak, || {
            self.within_proof().is_some_and(|facts| {
                facts.cleared(value).is_some_and(|cleared| {
                    Search::new(&facts).succeeds(&cleared, Strictness::Weak, MOST_CASES)
                }) || facts.is_non_negative_when_whole(value)
            }) || self.is_non_negative_without_floor(value)
                || self.is_non_negative_between_floors(value)
                || self.is_non_negative_beside_power(value)
        })
    }

    /// What a search for a sign gave before, or gives now.
    fn sign_once(&self, value: &Expr, strictly: Strictness, search: impl FnOnce() -> bool) -> bool {
        let known = || {
            let known = self.known().known_signs.lock();
            known.unwrap_or_else(PoisonError::into_inner)
        };
        let key = (value.clone(), strictly == Strictness::Strict);
        let before = known().get(&key).copied();
        if let Some((answer, depth)) = before
            && (answer || depth <= self.nesting().proofs())
        {
            return answer;
        }
        let answer = search();
        if answer || self.failed_with_budget() {
            known().insert(key, (answer, self.nesting().proofs()));
        }
        answer
    }

    /// Whether a failure now is not for want of budget, which would say nothing about a proof that has
    /// more.
    fn failed_with_budget(&self) -> bool {
        !self.is_exhausted() && (self.nesting().proofs() == 0 || self.nesting().has_nodes())
    }

    /// Whether every term is the product of factors of known sign, none or two of which are ≤ 0.
    fn is_sum_of_non_negatives(&self, value: &Expr) -> bool {
        let terms = value.terms();
        // −⌊−x⌋ is how a ceiling is kept.
        let looks_negative = |atom: &Atom| match atom {
            Atom::Floor(x) => x.terms().first().is_some_and(|(_, c)| c.is_negative()),
            _ => false,
        };
        let reads_negative = |(monomial, coefficient): &Term| {
            let factors = monomial.factors().iter();
            let odd = factors.filter(|(atom, exponent)| exponent % 2 != 0 && looks_negative(atom));
            coefficient.is_negative() == (odd.count() % 2 == 0)
        };
        if value.is_plain() || terms.iter().any(reads_negative) {
            return false;
        }
        let least = &self.prepared().least;
        let mut sources = Vec::new();
        for (atom, exponent) in terms.iter().flat_map(|(m, _)| m.factors()) {
            let is_as_it_looks = match atom {
                _ if exponent % 2 == 0 => true,
                Atom::Symbol(_) => least.get(atom).is_some_and(|(least, source)| {
                    sources.push(*source);
                    !least.is_negative()
                }),
                Atom::Floor(x) if looks_negative(atom) => {
                    self.proves(&Cond::non_negative(&x.neg()))
                }
                _ => self.is_non_negative_atom(atom),
            };
            if !is_as_it_looks {
                return false;
            }
        }
        self.mark_used(&sources);
        true
    }

    /// ⌊y⌋ − ⌊x⌋ + w ≥ 0 for a whole w from y − x + w ≥ 0: rounding keeps the order.
    fn is_non_negative_between_floors(&self, value: &Expr) -> bool {
        let mut whole = value.clone();
        let mut inside = Expr::zero();
        let (mut above, mut below) = (0, 0);
        for (monomial, coefficient) in value.terms() {
            let [(Atom::Floor(x), 1)] = monomial.factors() else {
                continue;
            };
            if coefficient.is_one() {
                above += 1;
            } else if (-coefficient).is_one() {
                below += 1;
            } else {
                continue;
            }
            inside = inside.add(&x.scale(coefficient));
            whole = whole.sub(&Expr::term(&(monomial.clone(), coefficient.clone())));
        }
        (above, below) == (1, 1)
            && self.is_integer(&whole)
            && self.proves(&Cond::non_negative(&inside.add(&whole)))
    }

    /// A whole x against a whole power of y by the rounded logarithm that the facts speak of:
    /// x ≥ y^p + 1 is ⌈log_y x⌉ ≥ p + 1, and y^p ≥ x is p ≥ ⌈log_y x⌉.
    fn is_non_negative_beside_power(&self, value: &Expr) -> bool {
        let logs = &self.prepared().logs;
        logs.iter().any(|(base, x)| {
            let up = Expr::log(base, x).ceil();
            let one = Expr::one();
            let exponent = |power: Expr| self.exponent_of(power.as_term()?, base);
            let (exponent, sources, goal) = match exponent(x.sub(value).sub(&one)) {
                Some((exponent, sources)) => {
                    let goal = up.sub(&exponent).sub(&one);
                    (exponent, sources, goal)
                }
                None => match exponent(value.add(x)) {
                    Some((exponent, sources)) => {
                        let goal = exponent.sub(&up);
                        (exponent, sources, goal)
                    }
                    None => return false,
                },
            };
            let holds = self.is_integer(x)
                && self.is_integer(&exponent)
                && self.proves(&Cond::ge(base, &Expr::int(2)))
                && self.proves(&Cond::ge(x, &one))
                && self.proves(&Cond::non_negative(&exponent))
                && self.proves(&Cond::non_negative(&goal));
            if holds {
                self.mark_used(&sources);
            }
            holds
        })
    }

    /// A rounded logarithm compares with a whole number as the logarithm itself does.
    fn is_non_negative_without_floor(&self, value: &Expr) -> bool {
        let has_log = |atom: &Atom| matches!(atom, Atom::Floor(x) if x.has(Kind::Log));
        value.atoms().iter().any(has_log)
            && self
                .without_floor(value, false)
                .is_some_and(|cond| self.proves(&cond))
    }

    /// A whole e is ≥ 0 as soon as e > −1, that is d·e + d − 1 ≥ 0 for the denominator d of its
    /// floors and its own: so ⌊v/b⌋ ≥ i from v ≥ ib, and n/b ≥ ⌈v/b⌉ from v ≤ n.
    fn is_non_negative_when_whole(&self, value: &Expr) -> bool {
        let Some((mut goal, mut denominator)) = self.cleared_with(value) else {
            return false;
        };
        for atom in value.atoms() {
            let Atom::Floor(x) = &atom else {
                continue;
            };
            let Some((numerator, of_floor)) = self.cleared_with(x) else {
                return false;
            };
            let scale = Rational::from(numerator.content().denominator());
            let of_floor = of_floor.scale(&scale);
            let divides = |x: &Expr, y: &Expr| {
                y.div(x)
                    .is_some_and(|ratio| ratio.is_plain() && !has_denominator(&ratio))
            };
            if divides(&of_floor, &denominator) {
                continue;
            }
            let factor = match divides(&denominator, &of_floor) {
                true => of_floor.mul(&denominator.reciprocal()),
                false => of_floor,
            };
            goal = goal.mul(&factor);
            denominator = denominator.mul(&factor);
        }
        if denominator.is_one() || denominator.terms().len() > 2 || !self.is_integer(&denominator) {
            return false;
        }
        if !self.is_integer(value) {
            return false;
        }
        let goal = goal.add(&denominator).sub(&Expr::one());
        if self.known().models.refute_sign(&goal, false) {
            return false;
        }
        Search::new(self).succeeds(&goal, Strictness::Weak, MOST_CASES)
    }

    /// Whether the value is provably > 0.
    pub(crate) fn is_positive(&self, value: &Expr) -> bool {
        if let Some(number) = value.as_rational() {
            return number.signum() > 0;
        }
        if self.known().models.refute_sign(value, true) {
            return false;
        }
        self.sign_once(value, Strictness::Strict, || {
            self.within_proof().is_some_and(|facts| {
                facts
                    .cleared(value)
                    .is_some_and(|cleared| facts.is_cleared_positive(&cleared))
                    || facts.is_integer(value)
                        && facts.is_non_negative_when_whole(&value.sub(&Expr::one()))
            })
        })
    }

    fn is_cleared_positive(&self, cleared: &Expr) -> bool {
        if let Some(number) = cleared.as_rational() {
            return number.signum() > 0;
        }
        let scaled = cleared.scale(&cleared.content().recip().unwrap_or(Rational::ONE));
        if self.is_integer(&scaled) {
            let least = scaled.sub(&Expr::one());
            return Search::new(self).succeeds(&least, Strictness::Weak, MOST_CASES);
        }
        Search::new(self).succeeds(&scaled, Strictness::Strict, MOST_CASES)
    }
}

/// Which bounds a search may use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bounds {
    Assumed,
    All,
}

fn is_splittable(atom: &Atom) -> bool {
    matches!(atom, Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_))
}

fn has_denominator(value: &Expr) -> bool {
    let mut factors = value.terms().iter().flat_map(|(m, _)| m.factors());
    factors.any(|(_, exponent)| *exponent < 0)
}

fn degree(value: &Expr) -> i64 {
    value
        .terms()
        .iter()
        .map(|(m, _)| m.degree())
        .max()
        .unwrap_or(0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Weak,
    Strict,
}

/// One search for a certificate.
struct Search<'f> {
    facts: &'f Facts,
    /// The work done when this is given up.
    last_work: u64,
    nodes_left: Cell<u32>,
    highest_degree: Cell<i64>,
    prepared: &'f Prepared,
    path: RefCell<Vec<Source>>,
    /// Goals that led nowhere, with the steps that were left then.
    failed: RefCell<FxHashMap<Expr, u32>>,
    /// Whether a goal had more than symbols in it.
    has_met_functions: Cell<bool>,
    /// What the first goal is made of: bounds that join two of its terms stay of use when one is
    /// gone.
    first_atoms: RefCell<Vec<Atom>>,
}

impl Facts {
    fn prepared(&self) -> &Prepared {
        self.known().prepared.get_or_init(|| {
            let least = self.least_values();
            let mut prepared = Prepared {
                least,
                bounds: Vec::new(),
                values: Mutex::default(),
                logs: self.rounded_logs(),
            };
            for bound in &self.known().bounds {
                let value = shifted(&bound.value, &prepared.least);
                // A single term says nothing new, unless it says that a symbol is its least value.
                let is_sign = matches!(value.terms(), [(_, c)] if !c.is_negative());
                if !value.is_zero() && !is_sign {
                    let measured = self.measured(&prepared, value, bound.source);
                    prepared.bounds.push(measured);
                }
            }
            prepared
        })
    }

    /// Base and argument of the rounded logarithms in the bounds.
    fn rounded_logs(&self) -> Vec<(Expr, Expr)> {
        let mut found = Vec::new();
        for bound in &self.known().bounds {
            bound.value.for_each_atom(&mut |atom| {
                if let Atom::Floor(x) = atom
                    && let Some((monomial, _)) = x.as_term()
                    && let [(Atom::Log(base, argument), 1)] = monomial.factors()
                    && !found.contains(&(base.clone(), argument.clone()))
                {
                    found.push((base.clone(), argument.clone()));
                }
            });
        }
        found
    }

    fn measured(&self, prepared: &Prepared, value: Expr, source: Source) -> Measured {
        Measured {
            at_points: self.at_points(prepared, &value),
            degree: degree(&value),
            value,
            source,
        }
    }

    /// About the values of a polynomial in measured symbols where all facts hold.
    fn at_points(&self, prepared: &Prepared, value: &Expr) -> AtPoints {
        let mut sum = [0.0; MODELS];
        for (monomial, coefficient) in value.terms() {
            let mut product = [coefficient.to_f64(); MODELS];
            for (atom, exponent) in monomial.factors() {
                let factor = self.atom_at_points(prepared, atom);
                multiply(&mut product, &factor, *exponent);
            }
            for (total, term) in sum.iter_mut().zip(product) {
                *total += term;
            }
        }
        sum
    }

    fn atom_at_points(&self, prepared: &Prepared, atom: &Atom) -> AtPoints {
        let values = || {
            prepared
                .values
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = values().get(atom) {
            return *known;
        }
        let mut found = self.known().models.values(atom);
        if let Some((least, _)) = prepared.least.get(atom) {
            let least = least.to_f64();
            found.iter_mut().for_each(|value| *value -= least);
        }
        values().insert(atom.clone(), found);
        found
    }
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
fn difference(
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

/// Whether the value is clearly below 0 at some point, beside how large the goal was there.
fn is_refuted(rest: &AtPoints, goal: &AtPoints) -> bool {
    const RELATIVE: f64 = 1e-9;
    rest.iter()
        .zip(goal)
        .any(|(rest, goal)| approximate::is_negative(rest + RELATIVE * goal.abs()))
}

/// Measures every symbol with a least value from there.
fn shifted(value: &Expr, least: &FxHashMap<Atom, (Rational, Source)>) -> Expr {
    value.replace(&|atom| {
        let (least, _) = least.get(atom)?;
        (!least.is_zero()).then(|| Expr::atom(atom.clone()).add(&Expr::rational(least.clone())))
    })
}

impl<'f> Search<'f> {
    fn new(facts: &'f Facts) -> Self {
        Search {
            facts,
            last_work: facts.work_done() + MOST_WORK_OF_A_SEARCH,
            // A proof asked for by another is only a detail of it.
            nodes_left: Cell::new(MOST_NODES >> (2 * facts.nesting().proofs().saturating_sub(1))),
            highest_degree: Cell::new(0),
            prepared: facts.prepared(),
            path: RefCell::default(),
            failed: RefCell::default(),
            has_met_functions: Cell::new(false),
            first_atoms: RefCell::default(),
        }
    }

    /// Whether what is concluded now has not been cut short by the limit on nested proofs.
    fn is_outermost(&self) -> bool {
        self.facts.nesting().proofs() <= 1
    }

    fn shifted(&self, value: &Expr) -> Expr {
        shifted(value, &self.prepared.least)
    }

    fn succeeds(&self, goal: &Expr, strictness: Strictness, cases_left: u32) -> bool {
        if goal.summary().length() > MOST_ATOMS_OF_A_GOAL {
            return false;
        }
        let mut sources: Vec<Source> = Vec::new();
        goal.for_each_atom(&mut |atom| {
            sources.extend(self.prepared.least.get(atom).map(|(_, source)| *source));
        });
        let shifted = self.shifted(goal);
        self.first_atoms.replace(goal.atoms().into_iter().collect());
        self.highest_degree.set(degree(&shifted).max(1) + 1);
        let at_points = self.facts.at_points(self.prepared, &shifted);
        if is_refuted(&at_points, &at_points) {
            return false;
        }
        // Most goals follow from what was assumed alone; what atoms are by themselves is costlier
        // to find out.
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
            // What a minimum or bracket is, is better found by cases.
            self.nodes_left.set(if has_cases {
                nodes.min(MOST_NODES_BEFORE_CASES)
            } else {
                nodes
            });
            self.path.borrow_mut().clear();
            self.failed.borrow_mut().clear();
            // Without anything but symbols there is nothing new to use.
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

    /// Splits on what a minimum, maximum or bracket in the goal is.
    fn succeeds_by_cases(&self, goal: &Expr, strictness: Strictness, cases_left: u32) -> bool {
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
            return strictness == Strictness::Weak || self.has_positive_term(goal);
        };
        if steps_left == 0 || self.has_failed(goal, steps_left) {
            return false;
        }
        if !goal.is_plain() {
            self.has_met_functions.set(true);
        }
        let mut ways: Vec<(usize, Expr, AtPoints, Source)> = Vec::new();
        let factors = obstacle.0.factors().iter();
        let factors: Vec<AtPoints> = factors
            .map(|(atom, _)| self.facts.atom_at_points(self.prepared, atom))
            .collect();
        let mut consider = |bound: &Measured| {
            for term in bound.value.terms() {
                let Some((multiplier, ratio)) = self.multiplier(obstacle, term) else {
                    continue;
                };
                let degree_left: i64 = multiplier.iter().map(|(_, e)| i64::from(*e)).sum();
                if degree_left + bound.degree > self.highest_degree.get() {
                    continue;
                }
                // What is left has to hold wherever the facts do.
                let exponents: Vec<i32> = multiplier.iter().map(|(_, e)| *e).collect();
                let left = difference(at_points, &factors, &exponents, &ratio, &bound.at_points);
                if is_refuted(&left, at_points) {
                    continue;
                }
                let multiplier = Expr::monomial(Monomial::from_sorted(multiplier));
                let rest = goal.sub(&bound.value.mul(&multiplier).scale(&ratio));
                if degree(&rest) <= self.highest_degree.get() {
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
        // Terms written count as terms looked at do.
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
        self.failed.borrow_mut().insert(goal.clone(), steps_left);
        false
    }

    /// Whether the goal was tried before with as many steps.
    fn has_failed(&self, goal: &Expr, steps_left: u32) -> bool {
        let failed = self.failed.borrow();
        failed.get(goal).is_some_and(|&tried| tried >= steps_left)
    }

    /// The most complex term that may be negative.
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

    /// The non-negative multiple of a bound that has the obstacle for its term: the factors of the
    /// obstacle with what is left of their exponents, and a number.
    fn multiplier(&self, obstacle: &Term, term: &Term) -> Option<(Vec<(Atom, i32)>, Rational)> {
        if obstacle.1.is_negative() != term.1.is_negative() {
            return None;
        }
        for (atom, exponent) in term.0.factors() {
            if obstacle.0.exponent(atom) < *exponent {
                return None;
            }
        }
        let factors: Vec<(Atom, i32)> = obstacle
            .0
            .factors()
            .iter()
            .map(|(atom, exponent)| (atom.clone(), exponent - term.0.exponent(atom)))
            .collect();
        let has_sign = factors.iter().all(|factor| self.has_sign(factor));
        let ratio = obstacle.1.checked_div(&term.1)?;
        has_sign.then_some((factors, ratio))
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
        if let Atom::Symbol(_) = atom {
            return self.prepared.least.contains_key(atom);
        }
        let signs = &self.facts.known().signs;
        let known = signs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(atom)
            .copied();
        known.unwrap_or_else(|| {
            let sign = self.facts.is_non_negative_atom(atom);
            if sign || self.is_outermost() {
                let mut signs = signs.lock().unwrap_or_else(PoisonError::into_inner);
                signs.insert(atom.clone(), sign);
            }
            sign
        })
    }

    fn about(&self, atom: &Atom) -> Arc<[Measured]> {
        if let Atom::Symbol(_) = atom {
            return Arc::new([]);
        }
        let about = &self.facts.known().about_atoms;
        let known = about
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(atom)
            .cloned();
        known.unwrap_or_else(|| {
            let bounds = self.facts.bounds_of_atom(atom).into_iter();
            let measured = bounds.map(|value| {
                self.facts
                    .measured(self.prepared, self.shifted(&value), None)
            });
            let bounds: Arc<[Measured]> = measured.collect();
            if self.is_outermost() {
                let mut about = about.lock().unwrap_or_else(PoisonError::into_inner);
                about.insert(atom.clone(), bounds.clone());
            }
            bounds
        })
    }
}
