//! The shape in which a person would write an expression: common factors outside, one fraction
//! for each denominator, ceilings for negated floors, program names folded back. Text and LaTeX
//! are both written from it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::number::{BigInt, Rational};
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::notation::shape::{Condition, Function, Relation, Shape, Sign};
use crate::sym::{Cond, Expr, Symbol, SymbolKind};
use num_traits::{One, Signed};

/// Letters that close a product: β after n, λ after k.
const COST_LETTERS: [&str; 6] = ["α", "β", "γ", "λ", "σ", "ℓ"];
/// Names of the machine's parameters stand after those of the algorithm.
const MACHINE_NAMES: [&str; 6] = ["b", "p", "M", "G", "k'", "H"];
/// Those of the cost letters that are whole numbers ≥ 1.
const WHOLE_LETTERS: [&str; 3] = ["k'", "H", "ℓ"];

/// Builds shapes, folding definitions back.
pub(crate) struct Shaper {
    folded: Vec<(Symbol, Expr)>,
}

impl Shaper {
    pub(super) fn new(definitions: &[(String, Expr)]) -> Self {
        let folded = definitions
            .iter()
            .filter(|(_, value)| value.as_rational().is_none() && value.as_symbol().is_none())
            .enumerate()
            .map(|(at, (name, value))| {
                (
                    Symbol::of(SymbolKind::Folded, at as u32, name),
                    value.clone(),
                )
            })
            .collect();
        Shaper { folded }
    }

    pub(super) fn expr(&self, expr: &Expr) -> Shape {
        sum_shape(self, &self.fold(expr))
    }

    pub(super) fn cond(&self, cond: &Cond) -> Condition {
        match cond {
            Cond::True => Condition::Constant(true),
            Cond::False => Condition::Constant(false),
            Cond::NonNegative(e) => self.comparison(e, Relation::AtLeast, Relation::AtMost),
            Cond::Zero(e) => self.comparison(e, Relation::Equal, Relation::Equal),
            Cond::Divides(d, e) => Condition::Divides(self.expr(d), self.expr(e)),
            Cond::PowerOf(x, y) => Condition::PowerOf(self.expr(x), self.expr(y)),
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(e) => self.comparison(e, Relation::Less, Relation::Greater),
                Cond::Zero(e) => self.comparison(e, Relation::NotEqual, Relation::NotEqual),
                other => Condition::Not(Box::new(self.cond(other))),
            },
            Cond::And(parts) => Condition::And(parts.iter().map(|c| self.cond(c)).collect()),
            Cond::Or(parts) => Condition::Or(parts.iter().map(|c| self.cond(c)).collect()),
        }
    }

    /// e related to 0, as two sides without minus signs; the plainer side on the left.
    fn comparison(&self, e: &Expr, relation: Relation, reversed: Relation) -> Condition {
        let e = self.fold(e);
        let (positive, negative): (Vec<Term>, Vec<Term>) = e
            .terms()
            .iter()
            .cloned()
            .partition(|(m, c)| reads_positive(m, c));
        let (left, right) = (Expr::from_terms(positive), Expr::from_terms(negative).neg());
        let of_machine = |value: &Expr| {
            let symbols = value.symbols();
            let mut names = symbols.iter().map(|symbol| &*symbol.name);
            names.all(|name| MACHINE_NAMES.contains(&name))
        };
        let swaps = left.as_rational().is_some() || of_machine(&left) && !of_machine(&right);
        let side = |value: &Expr| sum_shape(self, value);
        if swaps {
            Condition::Compare(side(&right), reversed, side(&left))
        } else {
            Condition::Compare(side(&left), relation, side(&right))
        }
    }

    /// Replaces what definitions stand for by their names.
    fn fold(&self, expr: &Expr) -> Expr {
        let mut result = expr.clone();
        for (symbol, definition) in &self.folded {
            result = fold_one(&result, symbol, definition);
        }
        result
    }
}

fn fold_one(expr: &Expr, symbol: &Symbol, definition: &Expr) -> Expr {
    if expr == definition {
        return Expr::symbol(symbol);
    }
    if let Some((Some(atom), sign)) = single_atom(definition) {
        let value = Expr::symbol(symbol).scale(&sign);
        return expr.replace(&|other| {
            if *other == atom {
                return Some(value.clone());
            }
            if let Some(nested) = fold_nested(other, &atom, &value) {
                return Some(nested);
            }
            fold_inside(other, symbol, definition)
        });
    }
    let inner = expr.replace(&|atom| fold_inside(atom, symbol, definition));
    match definition.as_term() {
        Some((monomial, coefficient)) if coefficient.is_one() => {
            // Common factors first, so that n^2/b^2·(2n + b) is r^2(2n + b), also as the factor
            // of λ in a cost.
            let fold = |group: Expr| {
                let common = common_factor(&group);
                let rest = divided(&group, &common);
                let common = fold_monomial(&Expr::monomial(common), symbol, monomial);
                common.mul(&fold_monomial(&rest, symbol, monomial))
            };
            let groups = grouped(&inner, |term| {
                let letters = term.factors().iter();
                Monomial::from_sorted(
                    letters
                        .filter(|(atom, _)| cost_rank(atom) > 0)
                        .cloned()
                        .collect(),
                )
            });
            let folded = groups.into_iter().map(|(_, group)| fold(group));
            folded.fold(Expr::zero(), |sum, group| sum.add(&group))
        }
        _ => inner,
    }
}

/// Every term divided by a factor of all of them. Multiplying by its reciprocal would expand the
/// sum of a factor 1/(x + y) instead of cancelling it.
fn divided(expr: &Expr, common: &Monomial) -> Expr {
    let inverse = common.factors().iter();
    let inverse = Monomial::from_sorted(inverse.map(|(atom, e)| (atom.clone(), -e)).collect());
    let terms = expr.terms().iter();
    let divided = terms.map(|(monomial, coefficient)| {
        let factors = monomial.merged(&inverse);
        (Monomial::from_sorted(factors), coefficient.clone())
    });
    Expr::from_terms(divided.collect())
}

fn fold_inside(atom: &Atom, symbol: &Symbol, definition: &Expr) -> Option<Expr> {
    if matches!(atom, Atom::Symbol(_)) {
        return None;
    }
    let rebuilt = atom.rebuild(&|child| fold_one(child, symbol, definition));
    (rebuilt.as_atom() != Some(atom)).then_some(rebuilt)
}

/// ⌊x/m⌋ = ⌊⌊x⌋/m⌋ for whole m ≥ 1, which k', H and ℓ are: with k = ⌈n/b⌉, ⌈n/(bk'ℓ)⌉ is
/// ⌈k/(k'ℓ)⌉.
fn fold_nested(other: &Atom, folded: &Atom, value: &Expr) -> Option<Expr> {
    let (Atom::Floor(outer), Atom::Floor(inner)) = (other, folded) else {
        return None;
    };
    let ratio = outer.div(inner)?;
    let (monomial, coefficient) = ratio.as_term()?;
    let is_whole = coefficient.is_one()
        && !monomial.is_one()
        && monomial.factors().iter().all(|(atom, exponent)| {
            *exponent < 0
                && matches!(atom, Atom::Symbol(symbol) if WHOLE_LETTERS.contains(&&*symbol.name))
        });
    is_whole.then(|| value.mul(&ratio).floor())
}

/// ±atom, for a compound atom.
fn single_atom(definition: &Expr) -> Option<(Option<Atom>, Rational)> {
    let (monomial, coefficient) = definition.as_term()?;
    let [(atom, 1)] = monomial.factors() else {
        return None;
    };
    let is_unit = coefficient.abs().is_one();
    Some((
        (is_unit && !matches!(atom, Atom::Symbol(_))).then(|| atom.clone()),
        coefficient.clone(),
    ))
}

/// n^3/b^2 with r = n/b becomes r^2·n: as many factors as get rid of negative exponents, or, for a
/// definition without them, as many as fit.
fn fold_monomial(expr: &Expr, symbol: &Symbol, definition: &Monomial) -> Expr {
    let mut result = Expr::zero();
    for term in expr.terms() {
        let mut count = i32::MAX;
        let mut wanted = 0;
        for (atom, exponent) in definition.factors() {
            let here = term.0.exponent(atom);
            let fits = if here.signum() == exponent.signum() {
                here / exponent
            } else {
                0
            };
            count = count.min(fits);
            if *exponent < 0 {
                wanted = wanted.max(fits);
            }
        }
        let has_quotient = definition.factors().iter().any(|(_, e)| *e < 0);
        if has_quotient {
            count = count.min(wanted);
        }
        if count < 1 {
            result = result.add(&Expr::term(term));
            continue;
        }
        let definition = Expr::monomial(definition.clone()).integer_power(count);
        let rest = Expr::term(term).mul(&definition.reciprocal());
        result = result.add(&rest.mul(&Expr::symbol(symbol).integer_power(count)));
    }
    result
}

/// Whether a term reads without a minus: −⌊−x⌋ is the ceiling ⌈x⌉.
fn reads_positive(monomial: &Monomial, coefficient: &Rational) -> bool {
    let ceilings: i32 = monomial
        .factors()
        .iter()
        .filter(|(atom, _)| is_ceiling(atom) || is_negative_total(atom))
        .map(|(_, exponent)| *exponent)
        .sum();
    coefficient.is_negative() == (ceilings % 2 != 0)
}

/// Σ of what reads negative is written as minus the Σ of the opposite.
fn is_negative_total(atom: &Atom) -> bool {
    let Atom::Sum(sum) = atom else {
        return false;
    };
    sum.body.terms().iter().all(|(m, c)| !reads_positive(m, c))
}

fn is_ceiling(atom: &Atom) -> bool {
    match atom {
        Atom::Floor(x) => {
            let negative = x
                .terms()
                .iter()
                .filter(|(m, c)| !reads_positive(m, c))
                .count();
            // Of as many terms with a minus as without, the one of the highest degree decides:
            // ⌈(n - 1)/b⌉.
            let above = |(monomial, _): &&Term| {
                let exponents = monomial.factors().iter().map(|(_, exponent)| *exponent);
                exponents.filter(|exponent| *exponent > 0).sum::<i32>()
            };
            let leading = x.terms().iter().max_by_key(above);
            negative * 2 > x.terms().len()
                || negative * 2 == x.terms().len()
                    && leading.is_some_and(|(m, c)| !reads_positive(m, c))
        }
        _ => false,
    }
}

/// A sum: one fraction for each denominator, common factors outside.
fn sum_shape(shaper: &Shaper, expr: &Expr) -> Shape {
    if expr.terms().len() <= 1 {
        return match expr.terms().first() {
            None => Shape::Number(0.into()),
            Some((monomial, coefficient)) => {
                let shape = term_shape(shaper, monomial, coefficient, None);
                if reads_positive(monomial, coefficient) {
                    shape
                } else {
                    Shape::Sum(vec![(Sign::Minus, shape)])
                }
            }
        };
    }
    let common = common_factor(expr);
    if !common.is_one() {
        let rest = divided(expr, &common);
        // A negative whole is written as −(…); ceilings in the factor carry a sign of their own.
        let factor_sign = if reads_positive(&common, &Rational::ONE) {
            1
        } else {
            -1
        };
        let rest = rest.scale(&factor_sign.into());
        let scale = denominator_content(&rest);
        let rest = rest.scale(&scale.recip().unwrap_or(Rational::ONE));
        let (scale, rest) = shared_coefficient(scale, rest);
        let all_negative = rest.terms().iter().all(|(m, c)| !reads_positive(m, c));
        let rest = if all_negative { rest.neg() } else { rest };
        let inner = sum_shape(shaper, &rest);
        let coefficient = scale.scale_sign(factor_sign);
        let shape = term_shape(shaper, &common, &coefficient, Some(inner));
        return if all_negative {
            Shape::Sum(vec![(Sign::Minus, shape)])
        } else {
            shape
        };
    }
    let scale = denominator_content(expr);
    if !scale.is_one() && denominators(expr).len() == 1 {
        let inner = expr.scale(&scale.recip().unwrap_or(Rational::ONE));
        let inner = sum_shape(shaper, &inner);
        return term_shape(shaper, &Monomial::one(), &scale, Some(inner));
    }
    let mut parts: Vec<(Expr, bool, Shape)> = Vec::new();
    let by_letters = grouped(expr, leading_letter);
    if by_letters.len() > 1 {
        for (_, group) in by_letters {
            let (is_minus, shape) = signed(sum_shape(shaper, &group));
            parts.push((group, is_minus, shape));
        }
        return sum_of(parts, false);
    }
    if let Some(product) = product_of_sums(shaper, expr) {
        return product;
    }
    let mut others: Vec<Term> = Vec::new();
    for (factor, group) in shared_factors(expr) {
        if factor.is_none() || group.terms().len() == 1 {
            others.extend(group.terms().iter().cloned());
            continue;
        }
        let (is_minus, shape) = signed(sum_shape(shaper, &group));
        parts.push((group, is_minus, shape));
    }
    for (denominator, numerator) in denominators(&Expr::from_terms(others)) {
        let group = numerator.mul(&Expr::monomial(denominator.clone()));
        if numerator.terms().len() == 1 || denominator.is_one() {
            for (monomial, coefficient) in group.terms() {
                let shape = term_shape(shaper, monomial, coefficient, None);
                let is_minus = !reads_positive(monomial, coefficient);
                parts.push((
                    Expr::term(&(monomial.clone(), coefficient.clone())),
                    is_minus,
                    shape,
                ));
            }
        } else {
            let mut numerator = numerator;
            let is_minus = numerator.terms().iter().all(|(m, c)| !reads_positive(m, c));
            if is_minus {
                numerator = numerator.neg();
            }
            let scale = denominator_content(&numerator);
            let inner = numerator.scale(&scale.recip().unwrap_or(Rational::ONE));
            let (scale, inner) = shared_coefficient(scale, inner);
            let inner = sum_shape(shaper, &inner);
            let shape = term_shape(shaper, &denominator, &scale, Some(inner));
            parts.push((group, is_minus, shape));
        }
    }
    let constant_first = expr.terms().iter().any(|(monomial, _)| {
        monomial
            .factors()
            .iter()
            .any(|(atom, _)| matches!(atom, Atom::Log(..)))
    }) && expr.constant_term().signum() > 0;
    sum_of(parts, constant_first)
}

/// A shape without the minus in front of it.
fn signed(shape: Shape) -> (bool, Shape) {
    match shape {
        Shape::Sum(mut parts) if parts.len() == 1 => {
            let (sign, part) = parts.remove(0);
            (sign == Sign::Minus, part)
        }
        shape => (false, shape),
    }
}

/// Parts in the order in which one would write them, one without a minus first.
fn sum_of(mut parts: Vec<(Expr, bool, Shape)>, constant_first: bool) -> Shape {
    parts.sort_by(|x, y| compare_parts(&x.0, &y.0, constant_first));
    if parts.first().is_some_and(|(_, is_minus, _)| *is_minus)
        && let Some(at) = parts.iter().position(|(_, is_minus, _)| !is_minus)
    {
        let first = parts.remove(at);
        parts.insert(0, first);
    }
    match parts.len() {
        1 => match parts.remove(0) {
            (_, false, shape) => shape,
            (_, true, shape) => Shape::Sum(vec![(Sign::Minus, shape)]),
        },
        _ => {
            let flat = parts.into_iter().flat_map(|(_, minus, shape)| match shape {
                Shape::Sum(inner) if !minus => inner,
                shape if minus => vec![(Sign::Minus, shape)],
                shape => vec![(Sign::Plus, shape)],
            });
            Shape::Sum(flat.collect())
        }
    }
}

/// The letter of a cost by which a term is grouped with others: γ below, else the first.
fn leading_letter(monomial: &Monomial) -> Option<(Atom, i32)> {
    let letters = monomial.factors().iter();
    letters
        .filter(|(atom, _)| cost_rank(atom) > 0)
        .min_by_key(|(atom, exponent)| (*exponent > 0, cost_rank(atom)))
        .map(|(atom, exponent)| (atom.clone(), exponent.signum()))
}

/// (6 + 9 log2 b)(R + 1) for 6R + 6 + 9R log2 b + 9 log2 b: where the coefficients of an atom and
/// of the rest are multiples of one sum.
fn product_of_sums(shaper: &Shaper, expr: &Expr) -> Option<Shape> {
    if expr.terms().len() < 4 {
        return None;
    }
    // A fraction stays apart, except from a logarithm: n + (n - 1)/(b - 1) - 1.
    let mut atoms: BTreeMap<&Atom, usize> = BTreeMap::new();
    for (monomial, _) in expr.terms() {
        for (atom, _) in monomial.factors() {
            *atoms.entry(atom).or_default() += 1;
        }
    }
    // The product has as many terms with the atom as without.
    let is_in_half = |count: &usize| 2 * count == expr.terms().len();
    let has_fraction = atoms.keys().any(|atom| matches!(atom, Atom::Inverse(_)));
    let mut candidates = atoms.iter().rev().filter(|(atom, count)| match atom {
        Atom::Log(..) => is_in_half(count),
        _ => is_in_half(count) && !has_fraction,
    });
    candidates.find_map(|(&atom, _)| {
        let coefficients = expr.atom_coefficients(atom)?;
        let [rest, factor] = &*coefficients else {
            return None;
        };
        let ((_, of_rest), (_, of_factor)) = (rest.terms().first()?, factor.terms().first()?);
        let ratio = of_factor.checked_div(of_rest)?;
        if rest.terms().len() < 2 || rest.scale(&ratio) != *factor {
            return None;
        }
        let content = match ratio.is_integer() {
            true => Rational::ONE,
            false => rest.content(),
        };
        let mut sum = rest.scale(&content.recip()?);
        let is_minus = sum.terms().iter().all(|(m, c)| !reads_positive(m, c));
        if is_minus {
            sum = sum.neg();
        }
        let mut linear = Expr::atom(atom.clone())
            .scale(&(&content * &ratio))
            .add(&Expr::rational(content));
        // (m - 1)(n - 1) rather than (1 - m)(1 - n).
        if varies_negatively(&linear) && varies_negatively(&sum) {
            (linear, sum) = (linear.neg(), sum.neg());
        }
        let factors = vec![sum_shape(shaper, &linear), sum_shape(shaper, &sum)];
        let shape = Shape::Product(factors, vec![]);
        Some(match is_minus {
            true => Shape::Sum(vec![(Sign::Minus, shape)]),
            false => shape,
        })
    })
}

/// The terms by a factor that one would take out: a floor or a bracket that several of them share.
/// The last group has none.
fn shared_factors(expr: &Expr) -> Vec<(Option<Atom>, Expr)> {
    // A name is taken out from logarithms: 7 + R(10 + 9 log2 b), but 15nb + 21n.
    let has_log = |monomial: &Monomial| {
        let mut factors = monomial.factors().iter();
        factors.any(|(atom, _)| matches!(atom, Atom::Log(..)))
    };
    let with_log = |atom: &Atom| {
        let mut terms = expr.terms().iter();
        terms.any(|(monomial, _)| monomial.exponent(atom) > 0 && has_log(monomial))
    };
    let takes_out = |atom: &Atom| match atom {
        Atom::Floor(_) | Atom::Bracket(_) | Atom::Min(_) | Atom::Max(_) | Atom::Sum(_) => true,
        Atom::Symbol(_) => with_log(atom),
        Atom::Power(..)
        | Atom::Log(..)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Inverse(_) => false,
    };
    let count = |wanted: &(Atom, i32)| {
        let terms = expr.terms().iter();
        terms
            .filter(|(monomial, _)| monomial.exponent(&wanted.0).signum() == wanted.1.signum())
            .count()
    };
    let groups = grouped(expr, |monomial| {
        let factors = monomial.factors().iter();
        let mut shared = factors.filter(|factor| {
            let number = if takes_out(&factor.0) {
                count(factor)
            } else {
                0
            };
            number > 1 && number < expr.terms().len()
        });
        let chosen = shared.next();
        chosen.map(|(atom, exponent)| (atom.clone(), exponent.signum()))
    });
    let mut groups: Vec<(Option<Atom>, Expr)> = groups
        .into_iter()
        .map(|(factor, group)| (factor.map(|(atom, _)| atom), group))
        .collect();
    groups.sort_by_key(|(factor, _)| factor.is_none());
    groups
}

/// The terms with the same key together, in the order of their first terms.
fn grouped<K: PartialEq>(expr: &Expr, key: impl Fn(&Monomial) -> K) -> Vec<(K, Expr)> {
    let mut groups: Vec<(K, Vec<Term>)> = Vec::new();
    for term in expr.terms() {
        let key = key(&term.0);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, terms)) => terms.push(term.clone()),
            None => groups.push((key, vec![term.clone()])),
        }
    }
    let groups = groups.into_iter();
    groups
        .map(|(key, terms)| (key, Expr::from_terms(terms)))
        .collect()
}

/// 2n − 2 as a factor is 2(n − 1): a coefficient that all terms have joins the factor outside.
fn shared_coefficient(scale: Rational, expr: Expr) -> (Rational, Expr) {
    let Some((_, first)) = expr.terms().first() else {
        return (scale, expr);
    };
    let shared = first.abs();
    let is_shared = expr.terms().len() > 1 && expr.terms().iter().all(|(_, c)| c.abs() == shared);
    match shared.recip() {
        Some(inverse) if is_shared => (&scale * &shared, expr.scale(&inverse)),
        _ => (scale, expr),
    }
}

trait ScaleSign {
    fn scale_sign(&self, sign: i32) -> Rational;
}

impl ScaleSign for Rational {
    fn scale_sign(&self, sign: i32) -> Rational {
        self * &Rational::from(sign)
    }
}

/// 1/lcm of the coefficients' denominators.
fn denominator_content(expr: &Expr) -> Rational {
    use num_integer::Integer;
    let mut common = BigInt::one();
    for (_, coefficient) in expr.terms() {
        common = common.lcm(&coefficient.denominator());
    }
    Rational::new(1, common).unwrap_or(Rational::ONE)
}

/// Factors of all terms, and denominators that all terms have.
fn common_factor(expr: &Expr) -> Monomial {
    let mut factors = Vec::new();
    for atom in expr.atoms() {
        let exponents = || expr.terms().iter().map(|(m, _)| m.exponent(&atom));
        let (least, most) = (
            exponents().min().unwrap_or(0),
            exponents().max().unwrap_or(0),
        );
        if least > 0 || most < 0 {
            factors.push((atom, least));
        }
    }
    Monomial::from_sorted(factors)
}

/// The terms grouped by what they are divided by, inverses included.
fn denominators(expr: &Expr) -> Vec<(Monomial, Expr)> {
    let mut groups: Vec<(Monomial, Vec<Term>)> = Vec::new();
    for (monomial, coefficient) in expr.terms() {
        let (under, over): (Vec<_>, Vec<_>) =
            monomial
                .factors()
                .iter()
                .cloned()
                .partition(|(atom, exponent)| {
                    *exponent < 0
                        || matches!(atom, Atom::Inverse(_))
                        || matches!(atom, Atom::Power(_, power) if leads_negative(power))
                });
        let (under, over) = (Monomial::from_sorted(under), Monomial::from_sorted(over));
        let term = (over, coefficient.clone());
        match groups.iter_mut().find(|(known, _)| *known == under) {
            Some((_, terms)) => terms.push(term),
            None => groups.push((under, vec![term])),
        }
    }
    groups
        .into_iter()
        .map(|(under, terms)| (under, Expr::from_terms(terms)))
        .collect()
}

/// Whether what is not a number reads negative.
fn varies_negatively(expr: &Expr) -> bool {
    leads_negative(&expr.sub(&Expr::rational(expr.constant_term())))
}

fn leads_negative(expr: &Expr) -> bool {
    let negative = expr
        .terms()
        .iter()
        .filter(|(m, c)| !reads_positive(m, c))
        .count();
    negative * 2 > expr.terms().len()
}

/// One product, its sign aside, with an optional sum as a last factor.
fn term_shape(
    shaper: &Shaper,
    monomial: &Monomial,
    coefficient: &Rational,
    last: Option<Shape>,
) -> Shape {
    let coefficient = coefficient.abs();
    let mut over: Vec<Shape> = Vec::new();
    let mut after: Vec<Shape> = Vec::new();
    let mut under: Vec<Shape> = Vec::new();
    let mut factors: Vec<(Atom, i32)> = monomial.factors().to_vec();
    factors.sort_by(|x, y| compare_atoms(&x.0, &y.0));
    if let Some(quotient) = power_of_quotient(shaper, &factors) {
        let number = coefficient.numerator();
        let mut over = Vec::new();
        if !number.is_one() {
            over.push(Shape::Number(number));
        }
        over.push(quotient);
        over.extend(last);
        let under = coefficient.denominator();
        let under = if under.is_one() {
            vec![]
        } else {
            vec![Shape::Number(under)]
        };
        return product(over, under);
    }
    for (atom, exponent) in &factors {
        match atom {
            Atom::Inverse(x) if *exponent > 0 => under.push(power(shaper.expr(x), *exponent)),
            Atom::Power(base, exponents) if *exponent == 1 && leads_negative(exponents) => {
                under.push(power_shape(shaper, base, &exponents.neg()));
            }
            _ if *exponent < 0 => under.push(power(atom_shape(shaper, atom), -exponent)),
            // r^2(2n + b)λ, but β(n + 1).
            _ if last.is_some() && cost_rank(atom) > 0 && !over.is_empty() => {
                after.push(power(atom_shape(shaper, atom), *exponent));
            }
            // (3n + 2)⌈n/b⌉: a sum stands before what is longer than a name.
            Atom::Floor(_) | Atom::Sum(_) | Atom::Bracket(_) | Atom::Min(_) | Atom::Max(_)
                if last.is_some() =>
            {
                after.push(power(atom_shape(shaper, atom), *exponent));
            }
            _ => over.push(power(atom_shape(shaper, atom), *exponent)),
        }
    }
    let number = coefficient.numerator();
    let mut numerator: Vec<Shape> = Vec::new();
    if !number.is_one() || over.is_empty() && last.is_none() {
        numerator.push(Shape::Number(number));
    }
    numerator.extend(over);
    match last {
        // A fraction as a factor joins the fraction around it.
        Some(Shape::Product(over, below)) => {
            numerator.extend(over);
            under.extend(below);
        }
        other => numerator.extend(other),
    }
    numerator.extend(after);
    let denominator = coefficient.denominator();
    if !denominator.is_one() {
        under.insert(0, Shape::Number(denominator));
    }
    product(numerator, under)
}

/// (n/b)^k, when all factors have the exponent ±k, k ≥ 2.
fn power_of_quotient(shaper: &Shaper, factors: &[(Atom, i32)]) -> Option<Shape> {
    let degree = factors.first()?.1.abs();
    let plain = |atom: &Atom| matches!(atom, Atom::Symbol(_) | Atom::Floor(_));
    let fits = degree >= 2
        && factors
            .iter()
            .all(|(atom, e)| e.abs() == degree && plain(atom))
        && factors.iter().any(|(_, e)| *e > 0)
        && factors.iter().any(|(_, e)| *e < 0);
    if !fits {
        return None;
    }
    let side = |sign: i32| {
        let chosen = factors.iter().filter(|(_, e)| e.signum() == sign);
        chosen.map(|(atom, _)| atom_shape(shaper, atom)).collect()
    };
    Some(power(product(side(1), side(-1)), degree))
}

fn product(mut over: Vec<Shape>, under: Vec<Shape>) -> Shape {
    if over.is_empty() {
        over.push(Shape::Number(1.into()));
    }
    match (over.len(), under.is_empty()) {
        (1, true) => over.remove(0),
        _ => Shape::Product(over, under),
    }
}

fn power(base: Shape, exponent: i32) -> Shape {
    match exponent {
        1 => base,
        _ => Shape::Power(Box::new(base), Box::new(Shape::Number(exponent.into()))),
    }
}

fn power_shape(shaper: &Shaper, base: &Expr, exponent: &Expr) -> Shape {
    if exponent.as_rational() == Rational::new(1, 2) {
        return Shape::SquareRoot(Box::new(shaper.expr(base)));
    }
    Shape::Power(Box::new(shaper.expr(base)), Box::new(shaper.expr(exponent)))
}

/// An atom to the first power; floors of negative values as ceilings, without their sign.
fn atom_shape(shaper: &Shaper, atom: &Atom) -> Shape {
    let all = |items: &[Expr]| items.iter().map(|item| shaper.expr(item)).collect();
    match atom {
        Atom::Symbol(symbol) => Shape::Name(symbol.clone()),
        Atom::Floor(x) if is_ceiling(atom) => Shape::Ceiling(Box::new(shaper.expr(&x.neg()))),
        Atom::Floor(x) => Shape::Floor(Box::new(shaper.expr(x))),
        Atom::Power(base, exponent) => power_shape(shaper, base, exponent),
        Atom::Log(base, x) => Shape::Log(Box::new(shaper.expr(base)), Box::new(shaper.expr(x))),
        Atom::Min(items) => Shape::Call(Function::Min, all(items)),
        Atom::Max(items) => Shape::Call(Function::Max, all(items)),
        Atom::Bracket(cond) => Shape::Bracket(Box::new(shaper.cond(cond))),
        Atom::Gcd(x, y) => {
            let mut items = [x.clone(), y.clone()];
            items.sort_by(compare_exprs);
            Shape::Call(Function::Gcd, all(&items))
        }
        Atom::DigitSum(x, base) => Shape::Call(Function::DigitSum, all(&[x.clone(), base.clone()])),
        Atom::FloorSum(parts) => Shape::Call(Function::FloorSum, all(&**parts)),
        Atom::Inverse(x) => Shape::Product(vec![Shape::Number(1.into())], vec![shaper.expr(x)]),
        Atom::Sum(sum) => Shape::Total(
            sum.variable.clone(),
            Box::new(shaper.expr(&sum.low)),
            Box::new(shaper.expr(&sum.high)),
            Box::new(shaper.expr(&match is_negative_total(atom) {
                true => sum.body.neg(),
                false => sum.body.clone(),
            })),
        ),
    }
}

fn cost_rank(atom: &Atom) -> usize {
    match atom {
        Atom::Symbol(symbol) => COST_LETTERS
            .iter()
            .position(|letter| *letter == &*symbol.name)
            .map_or(0, |at| at + 1),
        _ => 0,
    }
}

fn machine_rank(symbol: &Symbol) -> usize {
    MACHINE_NAMES
        .iter()
        .position(|name| *name == &*symbol.name)
        .map_or(0, |at| at + 1)
}

/// Names before functions, logarithms last, cost letters after all other names.
fn compare_atoms(x: &Atom, y: &Atom) -> Ordering {
    let kind = |atom: &Atom| match atom {
        Atom::Symbol(symbol) if WHOLE_LETTERS.contains(&&*symbol.name) => 3,
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

fn compare_exprs(x: &Expr, y: &Expr) -> Ordering {
    compare_parts(x, y, false)
}

/// Higher degrees first, the constant last (or first), cost letters in their own order.
fn compare_parts(x: &Expr, y: &Expr, constant_first: bool) -> Ordering {
    let constant = |e: &Expr| match e.as_rational() {
        Some(_) if constant_first => -1,
        Some(_) => 1,
        None => 0,
    };
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
            .map(|(m, _)| degree_of(m))
            .max()
            .unwrap_or(0)
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

/// The degree in names and floors; brackets and denominators by sums count nothing.
fn degree_of(monomial: &Monomial) -> i64 {
    monomial
        .factors()
        .iter()
        .map(|(atom, exponent)| match atom {
            Atom::Bracket(_) | Atom::Log(..) => 0,
            Atom::Inverse(_) => -i64::from(*exponent),
            _ => i64::from(*exponent),
        })
        .sum()
}

/// How often each name could be confused with a product, for the writer of text.
pub(crate) fn names_in(shape: &Shape, names: &mut HashMap<String, ()>) {
    let mut visit = |shape: &Shape| names_in(shape, names);
    match shape {
        Shape::Name(name) => {
            names.insert(name.name.to_string(), ());
        }
        Shape::Number(_) | Shape::Bracket(_) => {}
        Shape::Sum(parts) => parts.iter().for_each(|(_, part)| visit(part)),
        Shape::Product(over, under) => over.iter().chain(under).for_each(visit),
        Shape::Power(x, y) | Shape::Log(x, y) => {
            visit(x);
            visit(y);
        }
        Shape::SquareRoot(x) | Shape::Floor(x) | Shape::Ceiling(x) => visit(x),
        Shape::Call(_, items) => items.iter().for_each(visit),
        Shape::Total(_, x, y, z) => {
            visit(x);
            visit(y);
            visit(z);
        }
    }
}
