//! Closed forms of sums over a range of whole numbers, under facts.
//!
//! A sum is split by linearity into terms; what does not depend on the variable comes out. What is
//! left is closed by a rule for its kind: powers (Faulhaber), geometric terms, brackets (which
//! shorten or thin out the range), floors. What no rule closes stays a `Σ`.

use std::sync::LazyLock;

use crate::number::Rational;
use crate::sym::expr::atom::{Atom, Monomial, Sum};
use crate::sym::expr::summary::Kind;
use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr, Symbol, SymbolId, SymbolKind};

/// The farthest that two terms of a telescoping sum may lie apart.
const MOST_TELESCOPED: i64 = 4;

/// Polynomials of this degree, as of so many loops inside each other, stay unsolved: their closed
/// forms are longer than anybody reads.
const MOST_DEGREE: usize = 12;

/// The range of a sum; never shorter than empty.
#[derive(Clone)]
pub(crate) struct Range {
    pub variable: Symbol,
    pub low: Expr,
    pub high: Expr,
}

impl Range {
    /// How many values: high − low + 1.
    pub fn count(&self) -> Expr {
        self.high.sub(&self.low).add(&Expr::one())
    }

    pub fn with(&self, low: &Expr, high: &Expr) -> Range {
        Range {
            variable: self.variable.clone(),
            low: low.clone(),
            high: high.clone(),
        }
    }

    /// The condition that the variable lies inside.
    pub fn inside(&self) -> Cond {
        let variable = Expr::symbol(&self.variable);
        let mut conds = vec![
            Cond::ge(&variable, &self.low),
            Cond::le(&variable, &self.high),
        ];
        // Between logarithms it says more than the two together do at first sight.
        let room = self.high.sub(&self.low);
        if room.has(Kind::Log) {
            conds.push(Cond::ge(&room, &Expr::zero()));
        }
        Cond::and(conds)
    }
}

impl Facts {
    /// Σ variable ∈ low..high : body, 0 when high < low. A closed form where one is found, else an
    /// unsolved sum, simplified.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let (i, last) = (symbol("i"), n.sub(&Expr::one()));
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// // 1 + 2 + 4 + … + 2^(n − 1)
    /// let sum = facts.sum(&i, &Expr::zero(), &last, &Expr::int(2).pow(&Expr::symbol(&i)));
    /// assert_eq!(sum.to_string(), "2^n - 1");
    /// ```
    pub fn sum(&self, variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Expr {
        let low = self.simplify(low);
        let high = self.simplify(high);
        if body.is_zero() {
            return Expr::zero();
        }
        let range = Range {
            variable: variable.clone(),
            low: low.clone(),
            high: high.clone(),
        };
        let count = range.count();
        if self.is_exhausted() {
            if !body.contains(variable) && self.is_integer(&count) {
                return body.mul(&Expr::max(vec![Expr::zero(), count]));
            }
            return Expr::unsolved_sum(variable, &low, &high, body);
        }
        if !self.is_integer(&count) || !self.is_integer(&low) {
            return Expr::unsolved_sum(variable, &low, &high, body);
        }
        match self.prove(&Cond::non_negative(&count)) {
            // What is divided by inside may be 0 where nothing is added up.
            Some(true) if !self.always_has_value(body) => {
                let guard = Expr::bracket(self.simplify_cond(&Cond::ge(&high, &low)));
                self.simplify(&self.sum_of_range(&range, body).mul(&guard))
            }
            Some(true) => self.simplify(&self.sum_of_range(&range, body)),
            Some(false) => Expr::zero(),
            None => {
                if !body.contains(variable) {
                    let count = Expr::max(vec![Expr::zero(), count]);
                    return self.simplify(&body.mul(&count));
                }
                let exists = Cond::ge(&high, &low);
                let inside = self.with(&exists);
                let closed = inside.simplify(&inside.sum_of_range(&range, body));
                if !closed.is_closed() {
                    return Expr::unsolved_sum(variable, &low, &high, body);
                }
                // A closed form that is also right for the empty range needs no guard; otherwise
                // the bracket stands for it.
                let guard = Expr::bracket(self.simplify_cond(&exists));
                self.without_idle_brackets(&closed.mul(&guard))
            }
        }
    }

    /// The variable and the body of an unsolved sum, for looking into it: the variable is one that
    /// neither these facts nor the sum speak of. So what is known of the variable of one sum is never
    /// taken for known of another's, and no sum inside has its name.
    pub(crate) fn open(&self, sum: &Sum) -> (Symbol, Expr) {
        let variable = self.unspoken(&sum.variable, &[&sum.low, &sum.high, &sum.body]);
        let body = sum.body.substitute(&sum.variable, &Expr::symbol(&variable));
        (variable, body)
    }

    /// A variable of the same name that neither these facts nor the expressions speak of.
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

    /// As [`Facts::open`], with facts that hold inside the range.
    pub(crate) fn opened(&self, sum: &Sum) -> (Symbol, Expr, Facts) {
        let (variable, body) = self.open(sum);
        let value = Expr::symbol(&variable);
        let mut inside = self.clone();
        inside.suppose(&Cond::ge(&value, &sum.low));
        inside.suppose(&Cond::le(&value, &sum.high));
        (variable, body, inside)
    }

    /// The sum over a range that is known to be at least empty.
    pub(crate) fn sum_of_range(&self, range: &Range, body: &Expr) -> Expr {
        if range.low == range.high {
            return self.simplify(&body.substitute(&range.variable, &range.low));
        }
        let inside = self.with(&range.inside());
        let body = inside.simplify(body);
        if let Some(split) = self.sum_by_splitting(range, &body) {
            return split;
        }
        if let Some(split) = self.sum_by_threshold(range, &body) {
            return split;
        }
        let sum = self.sum_terms(range, &body);
        if sum.is_closed() {
            return sum;
        }
        self.sum_by_residues(range, &body).unwrap_or(sum)
    }

    /// By linearity, term by term.
    pub(crate) fn sum_terms(&self, range: &Range, body: &Expr) -> Expr {
        let mut total = Expr::zero();
        // Terms with the same dependence on the variable are summed once.
        let mut groups: Vec<(Monomial, Expr)> = Vec::new();
        for (monomial, coefficient) in body.terms() {
            let (inner, outer): (Vec<_>, Vec<_>) = monomial
                .factors()
                .iter()
                .cloned()
                .partition(|(atom, _)| atom.contains(&range.variable));
            let inner = Monomial::from_sorted(inner);
            let outer = Expr::monomial(Monomial::from_sorted(outer)).scale(coefficient);
            match groups.iter_mut().find(|(known, _)| *known == inner) {
                Some((_, factor)) => *factor = factor.add(&outer),
                None => groups.push((inner, outer)),
            }
        }
        total = total.add(&self.telescoped(range, &mut groups));
        for (inner, factor) in groups {
            let sum = if inner.is_one() {
                range.count()
            } else {
                self.sum_monomial(range, &inner)
            };
            total = total.add(&factor.mul(&sum));
        }
        total
    }

    /// Takes pairs c·f(v) − c·f(v + t) of products with a floor out: of their sum only the ends are
    /// left, c·(f(low) + … + f(low + t − 1) − f(high + 1) − … − f(high + t)).
    fn telescoped(&self, range: &Range, groups: &mut Vec<(Monomial, Expr)>) -> Expr {
        let variable = Expr::symbol(&range.variable);
        let mut total = Expr::zero();
        let mut at = 0;
        while at < groups.len() {
            let (inner, factor) = groups[at].clone();
            let body = Expr::monomial(inner);
            let opposite = factor.neg();
            let partner = |by: i64| {
                let moved = body.substitute(&range.variable, &variable.add(&Expr::int(by)));
                let fits = |(other, factor): &(Monomial, Expr)| {
                    *factor == opposite && Expr::monomial(other.clone()) == moved
                };
                groups.iter().position(fits).map(|partner| (by, partner))
            };
            // Without a floor there are closed forms.
            let found = match body.has(Kind::Floor) {
                true => (1..=MOST_TELESCOPED).find_map(partner),
                false => None,
            };
            let Some((by, partner)) = found else {
                at += 1;
                continue;
            };
            for step in 0..by {
                let first = range.low.add(&Expr::int(step));
                let after = range.high.add(&Expr::int(step + 1));
                let ends = body
                    .substitute(&range.variable, &first)
                    .sub(&body.substitute(&range.variable, &after));
                total = total.add(&factor.mul(&ends));
            }
            // Later entries first, so that the earlier place stays the same.
            groups.remove(at.max(partner));
            groups.remove(at.min(partner));
            at = 0;
        }
        total
    }

    /// The sum of a product all of whose factors depend on the variable.
    fn sum_monomial(&self, range: &Range, monomial: &Monomial) -> Expr {
        let body = Expr::monomial(monomial.clone());
        if let Some(coefficients) = body.coefficients(&range.variable)
            && coefficients.len() <= MOST_DEGREE
        {
            return self.sum_polynomial(range, &coefficients);
        }
        let closed = self
            .sum_bracket(range, monomial)
            .or_else(|| self.sum_geometric(range, monomial))
            .or_else(|| self.sum_extreme(range, monomial))
            .or_else(|| self.sum_floor(range, monomial))
            .or_else(|| self.sum_by_threshold(range, &body));
        closed
            .unwrap_or_else(|| Expr::unsolved_sum(&range.variable, &range.low, &range.high, &body))
    }

    pub(crate) fn sum_polynomial(&self, range: &Range, coefficients: &[Expr]) -> Expr {
        let mut total = Expr::zero();
        let below = range.low.sub(&Expr::one());
        for (degree, coefficient) in coefficients.iter().enumerate() {
            if coefficient.is_zero() {
                continue;
            }
            let antiderivative = power_sum(degree);
            let difference = evaluate_polynomial(&antiderivative, &range.high)
                .sub(&evaluate_polynomial(&antiderivative, &below));
            total = total.add(&coefficient.mul(&difference));
        }
        total
    }

    /// v^k·c^(a·v + d): Σ = (ρ^(hi+1)·… − …)/(ρ − 1), by parts for k > 0, for ρ = c^a ≠ 1.
    fn sum_geometric(&self, range: &Range, monomial: &Monomial) -> Option<Expr> {
        let symbol = Atom::Symbol(range.variable.clone());
        let mut degree = 0;
        let mut ratio = Expr::one();
        let mut grows: Option<bool> = None;
        let mut is_proper = false;
        for (atom, exponent) in monomial.factors() {
            match atom {
                _ if *atom == symbol => degree = usize::try_from(*exponent).ok()?,
                Atom::Power(base, power) if !base.contains(&range.variable) => {
                    let coefficients = power.coefficients(&range.variable)?;
                    let [_, slope] = &*coefficients else {
                        return None;
                    };
                    let at_least_two = self.proves(&Cond::ge(base, &Expr::int(2)));
                    if !at_least_two && !self.proves(&Cond::ge(base, &Expr::one())) {
                        return None;
                    }
                    is_proper |= at_least_two;
                    let slope = slope.scale(&(*exponent).into());
                    let rises = self.is_positive(&slope);
                    let moves = rises || self.is_positive(&slope.neg());
                    // Several factors that all grow, or all shrink, are not 1 together.
                    if !moves || grows.is_some_and(|known| known != rises) {
                        return None;
                    }
                    grows = Some(rises);
                    ratio = ratio.mul(&base.pow(&slope));
                }
                _ => return None,
            }
        }
        if !is_proper || ratio.is_one() || degree > 8 {
            return None;
        }
        let geometric = Expr::monomial(monomial.without(&symbol));
        Some(geometric_sum(range, &geometric, &ratio, degree))
    }

    /// A minimum or maximum of two, written with a bracket. Of the ways to write it, one whose ends
    /// need no comparison is best: at the crossing both items are the same.
    fn sum_extreme(&self, range: &Range, monomial: &Monomial) -> Option<Expr> {
        for (atom, exponent) in monomial.factors() {
            let (items, is_min) = match atom {
                Atom::Min(items) => (items, true),
                Atom::Max(items) => (items, false),
                _ => continue,
            };
            let [x, y] = &**items else {
                continue;
            };
            if *exponent != 1 {
                continue;
            }
            let rest = Expr::monomial(monomial.without(atom));
            let mut best: Option<(usize, Expr)> = None;
            for (x, y) in [(x, y), (y, x)] {
                let x_wins = match is_min {
                    true => Cond::le(x, y),
                    false => Cond::ge(x, y),
                };
                let value = y.add(&x.sub(y).mul(&Expr::bracket(x_wins)));
                let sum = self.sum_terms(range, &value.mul(&rest));
                if !sum.is_closed() {
                    continue;
                }
                let comparisons = comparisons(&sum);
                if best.as_ref().is_none_or(|(least, _)| comparisons < *least) {
                    best = Some((comparisons, sum));
                }
                if comparisons == 0 {
                    break;
                }
            }
            return best.map(|(_, sum)| sum);
        }
        None
    }
}

/// How many extremes and brackets a form has.
fn comparisons(form: &Expr) -> usize {
    let is_comparison =
        |atom: &Atom| matches!(atom, Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_));
    let atoms = form.atoms();
    atoms.iter().filter(|atom| is_comparison(atom)).count()
}

/// Σ_{v=lo}^{hi} v^k·g(v) for g(v + 1) = ρ·g(v): with S = Σ v^k g(v),
/// (ρ − 1)·S = hi'^k g(hi') − lo^k g(lo) − Σ ((v+1)^k − v^k)·g(v + 1), hi' = hi + 1.
fn geometric_sum(range: &Range, geometric: &Expr, ratio: &Expr, degree: usize) -> Expr {
    let at = |value: &Expr| geometric.substitute(&range.variable, value);
    let after = range.high.add(&Expr::one());
    let inverse = ratio.sub(&Expr::one()).reciprocal();
    let mut sums: Vec<Expr> = Vec::new();
    for k in 0..=degree {
        let power = k as i32;
        let mut total = after
            .integer_power(power)
            .mul(&at(&after))
            .sub(&range.low.integer_power(power).mul(&at(&range.low)));
        for (j, lower) in sums.iter().enumerate() {
            let binomial = num_integer::binomial(k as i64, j as i64);
            total = total.sub(&lower.mul(ratio).scale(&binomial.into()));
        }
        sums.push(total.mul(&inverse));
    }
    sums.pop().unwrap_or_default()
}

/// The polynomial F of degree k + 1 with F(m) = Σ_{v=1}^{m} v^k, as its coefficients.
pub(crate) fn power_sum(degree: usize) -> Vec<Rational> {
    static USUAL: LazyLock<Vec<Vec<Rational>>> = LazyLock::new(|| power_sums(MOST_DEGREE));
    match USUAL.get(degree) {
        Some(sum) => sum.clone(),
        None => power_sums(degree).pop().unwrap_or_default(),
    }
}

/// Those up to a degree.
fn power_sums(degree: usize) -> Vec<Vec<Rational>> {
    // (m+1)^(k+1) − 1 = Σ_j C(k+1, j)·F_j(m), solved for the last.
    let mut sums: Vec<Vec<Rational>> = Vec::new();
    for k in 0..=degree {
        let mut total = vec![Rational::ZERO; k + 2];
        for (j, coefficient) in total.iter_mut().enumerate().skip(1) {
            *coefficient = num_integer::binomial(k as i64 + 1, j as i64).into();
        }
        for (j, lower) in sums.iter().enumerate() {
            let binomial = Rational::from(num_integer::binomial(k as i64 + 1, j as i64));
            for (at, coefficient) in lower.iter().enumerate() {
                total[at] -= &(coefficient * &binomial);
            }
        }
        let factor = Rational::new(1, k as i64 + 1).unwrap_or(Rational::ONE);
        sums.push(total.iter().map(|c| c * &factor).collect());
    }
    sums
}

pub(crate) fn evaluate_polynomial(coefficients: &[Rational], at: &Expr) -> Expr {
    coefficients.iter().rev().fold(Expr::zero(), |value, c| {
        value.mul(at).add(&Expr::rational(c.clone()))
    })
}
