//! The kinds of symbols, the conditions that hold, and a record of those that proofs have used.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Sum, Term};
use crate::sym::facts::budget::{Budget, Depth, Nesting};
pub(crate) use crate::sym::facts::known::{
    Bound, Known, Measured, Memory, Prepared, RoundedLog, Source,
};
use crate::sym::{Cond, Expr, Symbol, SymbolId, SymbolKind};

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
    pub(super) known: Arc<Known>,
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
        self.spend(WORK_OF_A_CONTEXT + self.known.size() / FACTS_OF_WORK);
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
