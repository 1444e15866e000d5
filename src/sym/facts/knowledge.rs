//! The kinds of symbols, the conditions that hold, and a record of those that proofs have used.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Sum, Term};
use crate::sym::facts::budget::{Budget, Depth, Nesting};
use crate::sym::facts::memo::Memo;
use crate::sym::facts::models::{AtPoints, Models};
use crate::sym::{Cond, Expr, Symbol, SymbolId, SymbolKind};
use rustc_hash::FxHashMap;

/// A context of knowledge. Clones share the record of used facts and all conclusions, until one
/// of them learns more.
///
/// ```
/// use atgpu::examples::{over, symbol, symbols};
/// use atgpu::sym::{Cond, Expr, Facts};
///
/// let [n, b, i] = symbols(["n", "b", "i"]);
/// let mut facts = Facts::new();
/// facts.assume(&Cond::ge(&b, &Expr::one()));
/// facts.assume(&Cond::divides(&b, &n));
/// assert_eq!(facts.simplify(&over(&n, &b).ceil()).to_string(), "n/b");
/// assert_eq!(facts.used(), ["b | n"]);
///
/// facts.assume(&Cond::ge(&n, &Expr::one()));
/// let triangle = facts.sum(&symbol("i"), &Expr::one(), &n, &i);
/// assert_eq!(triangle.to_string(), "n(n + 1)/2");
/// ```
#[derive(Clone, Default)]
pub struct Facts {
    known: Arc<Known>,
    used: Arc<Mutex<BTreeSet<usize>>>,
    texts: Arc<Mutex<Vec<String>>>,
    budget: Arc<Budget>,
    nesting: Nesting,
    depth: Depth,
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts").finish_non_exhaustive()
    }
}

/// The number of copied facts that count as one unit of work. A smaller number charges deep nests
/// of branches more, and they reach their budget sooner.
const FACTS_OF_WORK: u64 = 20;

/// The work booked for a new context. It starts without conclusions, so everything is proved
/// again in it.
const WORK_OF_A_CONTEXT: u64 = 60;

/// The work booked where questions are too deep within each other. Rules that ask for each other
/// in several ways get there again and again, and so their budget ends soon.
const WORK_OF_A_CIRCLE: u64 = 1_000;

/// The knowledge itself, with the conclusions drawn so far.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// Symbols that need not be whole; they are positive.
    reals: BTreeSet<Symbol>,
    /// Polynomials that are ≥ 0 wherever the facts hold.
    pub bounds: Vec<Bound>,
    /// Divisor and multiple.
    pub divides: Vec<(Expr, Expr, Source)>,
    /// Pairs (x, y) with x a power of y.
    pub powers: Vec<(Expr, Expr, Source)>,
    /// All conditions as they were assumed.
    pub literals: Vec<(Cond, Source)>,
    /// One more than the highest number of an opened sum's variable in any fact.
    open_sums: u32,
    /// Points that refute what cannot be proved.
    pub models: Models,
    /// Conclusions from all this, as far as somebody asked for them.
    pub memory: Memory,
}

/// Conclusions from some knowledge. A copy begins empty, because copies are made in order to
/// learn more.
#[derive(Default)]
pub(crate) struct Memory {
    /// Answers to conditions. A failure holds for the depth of nested proofs stored with it, and
    /// for deeper ones.
    pub proofs: Memo<Cond, (Option<bool>, u32)>,
    /// Answers to "is the value ≥ 0?" (or > 0 if the flag is set), with depths as in `proofs`.
    pub signs: Memo<(Expr, bool), (bool, u32)>,
    pub signs_of_atoms: Memo<Atom, bool>,
    /// Bounds of atoms, with the depth of nested proofs at which they were found.
    pub about_atoms: Memo<Atom, (Arc<[Measured]>, u32)>,
    pub prepared: OnceLock<Prepared>,
    pub forms: Memo<Expr, Expr>,
    /// Simplified forms of atoms without unsolved sums; `None` where they stay as they are.
    pub atoms: Memo<Atom, Option<Expr>>,
    /// Simplified forms of unsolved sums; `None` where they stay as they are.
    pub sums: Memo<Arc<Sum>, Option<Expr>>,
    /// This knowledge with one more condition supposed. Branches that suppose the same share
    /// conclusions.
    extended: Memo<Cond, Arc<Known>>,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Memory::default()
    }
}

/// Least values of symbols, and the bounds measured from them.
pub(crate) struct Prepared {
    pub least: FxHashMap<Atom, (Rational, Source)>,
    pub bounds: Vec<Measured>,
    /// The values of measured atoms at the points that satisfy the facts.
    pub values: Memo<Atom, AtPoints>,
    /// The rounded logarithms in the bounds.
    pub logs: Vec<RoundedLog>,
}

/// A logarithm to base^degree that is rounded: log_base(argument)/degree.
#[derive(PartialEq)]
pub(crate) struct RoundedLog {
    pub base: Expr,
    pub argument: Expr,
    pub degree: Rational,
}

/// A bound on measured symbols with its values at the points.
pub(crate) struct Measured {
    pub value: Expr,
    pub source: Source,
    pub at_points: AtPoints,
    pub degree: i64,
}

/// The number of an assumption's text; `None` for a fact whose use is not reported.
pub(crate) type Source = Option<usize>;

/// value ≥ 0
#[derive(Clone)]
pub(crate) struct Bound {
    pub value: Expr,
    pub source: Source,
}

impl Known {
    /// Drops conclusions, which may be too weak after learning more.
    fn forget(&mut self) {
        self.memory = Memory::default();
    }
}

impl Facts {
    /// Nothing known but that symbols are whole numbers.
    pub fn new() -> Self {
        Facts::default()
    }

    /// Declares the symbol a whole number. All symbols are, unless declared otherwise.
    pub(crate) fn integer(&mut self, symbol: &Symbol) {
        if self.known.reals.contains(symbol) {
            let known = Arc::make_mut(&mut self.known);
            known.reals.remove(symbol);
            known.forget();
        }
    }

    /// Declares the symbol a positive real number, such as the letters of the cost functions.
    pub fn positive_real(&mut self, symbol: &Symbol) {
        let known = Arc::make_mut(&mut self.known);
        known.reals.insert(symbol.clone());
        known
            .models
            .learn(&Cond::gt(&Expr::symbol(symbol), &Expr::zero()));
        known.bounds.push(Bound {
            value: Expr::symbol(symbol),
            source: None,
        });
        known.forget();
    }

    /// Takes a condition for granted; [`Facts::used`] tells when a proof needed it.
    pub fn assume(&mut self, cond: &Cond) {
        self.assume_as(cond, cond.to_string());
    }

    /// As [`Facts::assume`], for a condition that no `require` states but without which the
    /// program has no meaning. It is reported with the line that needs it: `b | n (line 8)`.
    pub(crate) fn assume_for(&mut self, cond: &Cond, line: usize) {
        self.assume_as(cond, format!("{cond} (line {line})"));
    }

    fn assume_as(&mut self, cond: &Cond, text: String) {
        let number = {
            let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
            texts.push(text);
            texts.len() - 1
        };
        self.learn(cond, Some(number));
    }

    /// Takes a condition for granted without ever reporting its use: the range of a loop, the
    /// branch of a case.
    pub fn suppose(&mut self, cond: &Cond) {
        // Two branches often suppose the same condition in the same context. The extended
        // knowledge is kept beside the conclusions, so the second branch finds the proofs of the
        // first. An exhausted context is not kept: it learnt with its budget gone, and its points
        // were dropped.
        if *cond == Cond::True {
            return;
        }
        let before = self.known.clone();
        if let Some(known) = before.memory.extended.get(cond) {
            self.known = known;
            return;
        }
        self.learn(cond, None);
        let facts = known_size(&self.known);
        self.spend(WORK_OF_A_CONTEXT + facts / FACTS_OF_WORK);
        if !self.is_exhausted() {
            before
                .memory
                .extended
                .insert(cond.clone(), self.known.clone());
        }
    }

    /// Returns true if the allowed work is done. Earlier proofs stay valid; everything else is
    /// unknown, and sums stay unsolved.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.budget.is_exhausted()
    }

    /// Returns true if the work allowed for a whole derivation is done, additions for its parts
    /// included.
    pub(crate) fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// Lowers the total to this much work from here on.
    pub(crate) fn limit_in_all(&self, work: u64) {
        self.budget.limit_in_all(work);
    }

    /// Notes that a formula was left out because it is too long to show.
    pub(crate) fn note_unwieldy(&self) {
        self.budget.note_unwieldy();
    }

    /// Returns true if a formula was left out because it is too long to show.
    pub(crate) fn was_unwieldy(&self) -> bool {
        self.budget.was_unwieldy()
    }

    /// Raises the total by this much work: a program with more parts needs more.
    pub(crate) fn allow_for_parts(&self, work: u64) {
        self.budget.allow_for_parts(work);
    }

    /// Returns true if anything was ever left undone for want of budget.
    pub(crate) fn has_given_up(&self) -> bool {
        self.budget.has_given_up()
    }

    /// Allows this much work from here on, within the total. A hard part cannot use up the budget
    /// of the others.
    pub(crate) fn allow(&self, work: u64) {
        self.budget.allow(work);
    }

    /// The same, but leaves some of the total to others.
    pub(crate) fn allow_leaving(&self, work: u64, left: u64) {
        self.budget.allow_leaving(work, left);
    }

    /// Lowers the limit to this much work from here on.
    pub(crate) fn restrict(&self, work: u64) {
        self.budget.restrict(work);
    }

    /// Returns the same facts with a budget of their own, for results that are needed whatever
    /// was spent before.
    pub(crate) fn with_work(&self, work: u64) -> Facts {
        let budget = Budget::default();
        budget.allow(work);
        Facts {
            budget: Arc::new(budget),
            nesting: Nesting::default(),
            ..self.clone()
        }
    }

    /// The same knowledge by itself, with so much work: what is concluded from it is neither noted as used nor
    /// remembered by others.
    pub(crate) fn aside(&self, work: u64) -> Facts {
        let known = Arc::new((*self.known).clone());
        Facts {
            known,
            used: Arc::default(),
            ..self.with_work(work)
        }
    }

    /// The work done so far, about in terms looked at.
    pub(crate) fn work_done(&self) -> u64 {
        self.budget.done()
    }

    /// Books work; clones share the account.
    pub(crate) fn spend(&self, work: u64) {
        self.budget.spend(work);
    }

    /// Answers a question within those under way. Returns `None` if it is too deep within them.
    pub(crate) fn asked<T>(&self, answer: impl FnOnce() -> T) -> Option<T> {
        let under_way = self.depth.enter();
        if under_way.is_none() {
            self.budget.give_up(WORK_OF_A_CIRCLE);
        }
        under_way.map(|_under_way| answer())
    }

    /// Returns the depth of proofs and sums that the present question is nested in.
    pub(crate) fn nesting(&self) -> &Nesting {
        &self.nesting
    }

    /// Returns the same facts within one more proof; `None` beyond the deepest nesting.
    pub(crate) fn within_proof(&self) -> Option<Facts> {
        let nesting = self.nesting.within_proof()?;
        Some(Facts {
            nesting,
            ..self.clone()
        })
    }

    /// Returns the same facts within one more sum; `None` beyond the deepest nesting.
    pub(crate) fn within_sum(&self) -> Option<Facts> {
        let nesting = self.nesting.within_sum()?;
        Some(Facts {
            nesting,
            ..self.clone()
        })
    }

    /// Returns the same facts within one more comparison of a value with powers; `None` if the
    /// same one is under way.
    pub(crate) fn within_comparison(&self, value: &Expr) -> Option<Facts> {
        let nesting = self.nesting.within_comparison(value)?;
        Some(Facts {
            nesting,
            ..self.clone()
        })
    }

    /// Returns these facts and one more.
    pub(crate) fn with(&self, cond: &Cond) -> Facts {
        let mut facts = self.clone();
        facts.suppose(cond);
        facts
    }

    /// Returns the assumptions that proofs have used, in the order of assuming.
    pub fn used(&self) -> Vec<String> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        used.iter().filter_map(|&n| texts.get(n).cloned()).collect()
    }

    /// Returns everything known, as conditions.
    pub(crate) fn conditions(&self) -> Vec<Cond> {
        let literals = self.known.literals.iter().map(|(cond, _)| cond.clone());
        let bounds = self.known.bounds.iter();
        let bounds = bounds.map(|bound| Cond::non_negative(&bound.value));
        literals.chain(bounds).collect()
    }

    /// Returns facts with the same real letters and only these conditions.
    pub(crate) fn knowing(&self, conditions: &[Cond]) -> Facts {
        let mut facts = Facts {
            known: Arc::new(Known {
                reals: self.known.reals.clone(),
                ..Known::default()
            }),
            ..self.clone()
        };
        conditions.iter().for_each(|cond| facts.suppose(cond));
        facts
    }

    /// Returns the conditions of [`Facts::used`].
    pub(crate) fn used_conditions(&self) -> Vec<Cond> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let literals = self.known.literals.iter();
        let used =
            literals.filter(|(_, source)| source.is_some_and(|number| used.contains(&number)));
        used.map(|(cond, _)| cond.clone()).collect()
    }

    /// Records these conditions as used too.
    pub(crate) fn cite(&self, conditions: impl IntoIterator<Item = Cond>) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        for text in conditions.into_iter().filter(|cond| *cond != Cond::True) {
            let text = text.to_string();
            let known = texts.iter().position(|known| *known == text);
            used.insert(known.unwrap_or(texts.len()));
            if known.is_none() {
                texts.push(text);
            }
        }
    }

    pub(crate) fn mark_used(&self, sources: &[Source]) {
        if sources.iter().any(Option::is_some) {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.extend(sources.iter().flatten());
        }
    }

    /// Returns the conclusions so far.
    pub(crate) fn memory(&self) -> &Memory {
        &self.known.memory
    }

    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// Compares two values at the known points. Returns true if the first is less at some point
    /// and greater at none, false for the reverse, and `None` otherwise.
    pub(crate) fn less_at_points(&self, [one, other]: [&Expr; 2]) -> Option<bool> {
        let is_above = |one: &Expr, other: &Expr| {
            let fails = self.known.models.fails(&Cond::le(one, other));
            fails.contains(&true)
        };
        let (above, below) = (is_above(one, other), is_above(other, one));
        (above != below).then_some(below)
    }

    pub(crate) fn is_whole_symbol(&self, symbol: &Symbol) -> bool {
        !self.known.reals.contains(symbol)
    }

    /// Groups terms by their real factors (α, β, λ/γ, 1/γ, σ). Each group is judged alone: a real
    /// letter may be any positive number, so one group cannot make up for another.
    pub(crate) fn by_letters(&self, terms: &[Term]) -> Vec<(Monomial, Vec<Term>)> {
        let is_letter = |atom: &Atom| match atom {
            Atom::Symbol(symbol) => !self.is_whole_symbol(symbol),
            _ => false,
        };
        let mut parts: Vec<(Monomial, Vec<Term>)> = Vec::new();
        for term in terms {
            let factors = term.0.factors().iter();
            let letters = factors.filter(|(atom, _)| is_letter(atom)).cloned();
            let letters = Monomial::from_sorted(letters.collect());
            match parts.iter_mut().find(|(known, _)| *known == letters) {
                Some((_, list)) => list.push(term.clone()),
                None => parts.push((letters, vec![term.clone()])),
            }
        }
        parts
    }

    /// Opens an unsolved sum: returns its body in a fresh variable that occurs in neither these
    /// facts nor the sum. So facts about one sum's variable never apply to another's, and no
    /// inner sum binds the name.
    pub(crate) fn open(&self, sum: &Sum) -> (Symbol, Expr) {
        let variable = self.unspoken(&sum.variable, &[&sum.low, &sum.high, &sum.body]);
        let body = sum.body.substitute(&sum.variable, &Expr::symbol(&variable));
        (variable, body)
    }

    /// Returns a variable of the same name that occurs in neither these facts nor the
    /// expressions.
    pub(crate) fn unspoken(&self, like: &Symbol, in_any: &[&Expr]) -> Symbol {
        let mut variable = Symbol {
            id: SymbolId {
                kind: SymbolKind::Open,
                number: self.known().open_sums,
            },
            name: like.name.clone(),
        };
        while in_any.iter().any(|e| e.contains(&variable)) {
            variable.id.number += 1;
        }
        variable
    }

    /// Returns the expressions known to be powers of the base.
    pub(crate) fn powers_of(&self, base: &Expr) -> Vec<Expr> {
        let powers = self.known().powers.iter();
        let powers = powers.filter(|(_, root, _)| root == base);
        powers.map(|(power, _, _)| power.clone()).collect()
    }

    /// As [`Facts::open`], with the facts that hold inside the range.
    pub(crate) fn opened(&self, sum: &Sum) -> (Symbol, Expr, Facts) {
        let (variable, body) = self.open(sum);
        let value = Expr::symbol(&variable);
        let mut inside = self.clone();
        inside.suppose(&Cond::ge(&value, &sum.low));
        inside.suppose(&Cond::le(&value, &sum.high));
        (variable, body, inside)
    }

    fn learn(&mut self, cond: &Cond, source: Source) {
        // Every condition becomes bounds, divisibilities and powers, because searches only read
        // those. The literal is kept as well where its own words decide later questions. The
        // order matters in two places. The points learn first, or an old point could refute
        // something that the new condition implies. Consequences come last, when all parts of the
        // condition are known.
        let is_case = |(literal, _): &(Cond, Source)| matches!(literal, Cond::Or(parts) if parts.contains(cond));
        if self.known.literals.iter().any(is_case) {
            // Once one case of an alternative is known, the alternative says nothing more.
            // Keeping it would make every later proof distinguish its cases again.
            let known = Arc::make_mut(&mut self.known);
            known.literals.retain(|literal| !is_case(literal));
        }
        if !matches!(cond, Cond::True | Cond::And(_)) {
            let is_exhausted = self.is_exhausted();
            let known = Arc::make_mut(&mut self.known);
            known.open_sums = known.open_sums.max(open_sums(cond));
            if is_exhausted {
                known.models.forget()
            } else {
                known.models.learn(cond)
            }
            known.forget();
        }
        let literal = |facts: &mut Facts| {
            let known = Arc::make_mut(&mut facts.known);
            known.literals.push((cond.clone(), source));
        };
        match cond {
            Cond::True => {}
            Cond::False => self.learn_bound(&Expr::int(-1), source),
            Cond::And(parts) => {
                for part in parts {
                    self.learn(part, source);
                }
            }
            Cond::NonNegative(e) => {
                self.learn_bound(e, source);
                if let Some(of_powers) = self.said_of_powers(e) {
                    self.learn(&of_powers, source);
                }
            }
            Cond::Zero(e) => {
                literal(self);
                self.learn_bound(e, source);
                self.learn_bound(&e.neg(), source);
            }
            Cond::Divides(d, e) => {
                literal(self);
                let known = Arc::make_mut(&mut self.known);
                known.divides.push((d.clone(), e.clone(), source));
            }
            Cond::PowerOf(x, y) => {
                literal(self);
                let (root, degree) = y.perfect_root();
                // A power of 32 is a power of 2 with an exponent that 5 divides. Logarithms are
                // kept to the least root, so that log_32 n and log2 n meet in one atom.
                let exponent = Expr::log(&root, x);
                let known = Arc::make_mut(&mut self.known);
                known.powers.push((x.clone(), root, source));
                if !degree.is_one() {
                    known
                        .divides
                        .push((Expr::rational(degree), exponent, source));
                }
                self.learn_bound(&(x - 1), source);
            }
            Cond::Not(inner) => match &**inner {
                // e < 0 with a whole e·d, d > 0, says e·d ≤ −1.
                Cond::NonNegative(e) => self.learn_negative(e, source),
                Cond::Zero(e) => {
                    literal(self);
                    // A whole e ≥ 0 that is not 0 is at least 1.
                    for e in [e.clone(), e.neg()] {
                        let has_sign = |bound: &Bound| bound.value == e;
                        if self.known.bounds.iter().any(has_sign) && self.is_integer_by_terms(&e) {
                            self.learn_bound(&(&e - 1), source);
                        }
                    }
                }
                _ => literal(self),
            },
            Cond::Or(_) => literal(self),
        }
        for (value, from) in self.consequences() {
            self.learn_bound(&value, from);
        }
        Arc::make_mut(&mut self.known).forget();
    }

    fn learn_negative(&mut self, e: &Expr, source: Source) {
        // Example: ¬(n − b ≥ 0) means b − n > 0, and whole numbers make it b − n − 1 ≥ 0. The
        // literal is kept too, since the sharper bound no longer shows what was assumed.
        let opposite = e.neg();
        let bound = match self.cleared(&opposite) {
            Some(cleared) if self.is_integer(&cleared) => &cleared - self.least_of(&cleared),
            Some(cleared) => cleared,
            None => opposite,
        };
        self.learn_bound(&bound, source);
        let known = Arc::make_mut(&mut self.known);
        known
            .literals
            .push((Cond::NonNegative(e.clone()).negate(), source));
    }

    /// Returns a lower bound on a positive whole number: a divisor of it that is known to divide
    /// something, a base that has powers, or 1. So `yb + 16⌊j/16⌋ < 16n`, under `16 | b`, says
    /// that it is less by at least 16. `2j < n` for a power n ≥ 2 of 2 says that it is less by at
    /// least 2.
    fn least_of(&self, whole: &Expr) -> Expr {
        let literals = self.known.literals.iter();
        let divisors = literals.filter_map(|(literal, _)| match literal {
            Cond::Divides(divisor, _) => Some(divisor),
            _ => None,
        });
        let bases = self.known.powers.iter().map(|(_, base, _)| base);
        let mut divisors = divisors.chain(bases);
        let divides = |divisor: &&Expr| {
            let quotient = whole.div(divisor);
            quotient.is_some_and(|quotient| self.is_integer(&quotient))
                && self.proves(&Cond::ge(divisor, &Expr::one()))
        };
        divisors.find(divides).cloned().unwrap_or_else(Expr::one)
    }

    /// Adds a bound as a polynomial with the sharpest whole constant.
    fn learn_bound(&mut self, value: &Expr, source: Source) {
        let cleared = self.cleared(value).unwrap_or_else(|| value.clone());
        let value = self.tightened(&cleared);
        if value
            .as_rational()
            .is_some_and(|number| !number.is_negative())
        {
            return;
        }
        if self.known.bounds.iter().any(|bound| bound.value == value) {
            return;
        }
        let known = Arc::make_mut(&mut self.known);
        known.bounds.push(Bound { value, source });
        known.forget();
    }

    /// Divides a bound on a whole-valued expression by the common divisor of all terms but its
    /// constant, and rounds the constant down.
    fn tightened(&self, value: &Expr) -> Expr {
        // 4n − 6 ≥ 0 says n − 3/2 ≥ 0. n is whole, so n ≥ 2, and the bound becomes n − 2 ≥ 0.
        // Rounding down is rounding the lower bound −k up. A bound on real letters keeps its
        // constant.
        let constant = value.constant_term();
        let varying = value - Expr::rational(constant.clone());
        if varying.is_zero() {
            return value.clone();
        }
        let Some(factor) = varying.content().recip() else {
            return value.clone();
        };
        let varying = varying.scale(&factor);
        let constant = &constant * &factor;
        if self.is_integer_by_terms(&varying) {
            return &varying + Expr::from_bigint(constant.floor());
        }
        &varying + Expr::rational(constant)
    }

    /// Returns true if a bound says outright that the expression is at least 1.
    pub(crate) fn is_quickly_positive(&self, value: &Expr) -> bool {
        // No search: this is asked inside loops over all facts. A product is ≥ 1 if each factor
        // is, and so is b^e for b ≥ 1 and e ≥ 0. For the rest some bound must be the value less a
        // number ≥ 1: n − 2 ≥ 0 shows n ≥ 1.
        if let Some(number) = value.as_rational() {
            return number.signum() > 0;
        }
        if let Some((monomial, coefficient)) = value.as_term()
            && (monomial.factors().len() > 1 || !coefficient.is_one())
        {
            let factors = monomial.factors().iter();
            return *coefficient >= Rational::ONE
                && factors.into_iter().all(|(atom, exponent)| {
                    *exponent > 0 && self.is_quickly_positive(&Expr::atom(atom.clone()))
                });
        }
        if let Some(Atom::Power(base, exponent)) = value.as_atom()
            && self.is_quickly_positive(base)
            && self.is_quickly_positive(&(exponent + 1))
        {
            return true;
        }
        self.known.bounds.iter().any(|bound| {
            let margin = &bound.value - value;
            margin
                .as_rational()
                .is_some_and(|m| m <= Rational::from(-1))
        })
    }
}

/// Returns the number of facts that a copy takes over.
fn known_size(known: &Known) -> u64 {
    let facts = known.bounds.len() + known.literals.len() + known.models.learnt();
    u64::try_from(facts).unwrap_or(u64::MAX)
}

/// Returns one more than the highest number of an opened sum's variable in the condition.
fn open_sums(cond: &Cond) -> u32 {
    let highest = Cell::new(0);
    cond.for_each_expr(&mut |e| {
        e.has_atom(&|atom| {
            if let Atom::Symbol(symbol) = atom
                && symbol.id.kind == SymbolKind::Open
            {
                highest.set(highest.get().max(symbol.id.number + 1));
            }
            false
        });
    });
    highest.get()
}
