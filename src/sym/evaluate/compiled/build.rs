//! Expressions and conditions put into the tables of [`Forms`], equal ones once.

use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::number::{BigInt, Rational};
use crate::sym::evaluate::compiled::running::{self, Total};
use crate::sym::evaluate::compiled::{FloorOfLog, Forms, Kind, Node, Product, Sum, Term, Test};
use crate::sym::expr::types::{self, Atom};
use crate::sym::{Cond, Expr, Symbol};

impl Forms {
    pub(super) fn sum(&mut self, expr: &Expr) -> usize {
        // All coefficients are brought over one denominator when the form is built: n²/3 − b
        // becomes (n² − 3b)/3. At a point only whole numbers are multiplied and added, and one
        // division ends it.
        if let Some(known) = self.sum_of.get(expr) {
            return *known;
        }
        let mut common = BigInt::from(1);
        for (_, coefficient) in expr.terms() {
            common = common.lcm(&coefficient.denominator());
        }
        let scale = Rational::from(&common);
        let mut terms = Vec::new();
        let mut denominator = common.to_i128();
        for (monomial, coefficient) in expr.terms() {
            let mut term = Term {
                coefficient: 0,
                brackets: Vec::new(),
                factors: Vec::new(),
            };
            for (atom, exponent) in monomial.factors() {
                match atom {
                    Atom::Bracket(cond) => term.brackets.push(self.test(cond)),
                    _ => term.factors.push((self.atom(atom), *exponent)),
                }
            }
            match (coefficient * &scale).numerator().to_i128() {
                Some(whole) => term.coefficient = whole,
                None => denominator = None,
            }
            terms.push(term);
        }
        let at = self.sums.len();
        self.sums.push(Sum {
            source: expr.clone(),
            denominator,
            polynomial: denominator.and_then(|_| self.polynomial(&terms)),
            terms,
        });
        self.sum_of.insert(expr.clone(), at);
        at
    }

    fn sums(&mut self, items: &[Expr]) -> Vec<usize> {
        items.iter().map(|item| self.sum(item)).collect()
    }

    /// Returns the terms as products of symbols, if they are that and fit words.
    fn polynomial(&self, terms: &[Term]) -> Option<Vec<Product>> {
        let product = |term: &Term| {
            let factors = term.factors.iter().map(|(atom, exponent)| {
                let Kind::Symbol(slot) = self.atoms[*atom].kind else {
                    return None;
                };
                Some((slot, u32::try_from(*exponent).ok()?))
            });
            let factors = factors.collect::<Option<_>>()?;
            let is_plain = term.brackets.is_empty();
            Some((i64::try_from(term.coefficient).ok()?, factors)).filter(|_| is_plain)
        };
        terms.iter().map(product).collect()
    }

    fn atom(&mut self, atom: &Atom) -> usize {
        if let Some(known) = self.atom_of.get(atom) {
            return *known;
        }
        let kind = match atom {
            Atom::Symbol(symbol) => Kind::Symbol(self.slot(symbol).0),
            Atom::Floor(x) => self.floor(x),
            Atom::Power(base, exponent) => Kind::Power(self.sum(base), self.sum(exponent)),
            Atom::Log(base, x) => Kind::Log(self.sum(base), self.sum(x)),
            Atom::Min(items) => Kind::Extreme(self.sums(items), Ordering::Less),
            Atom::Max(items) => Kind::Extreme(self.sums(items), Ordering::Greater),
            Atom::Bracket(cond) => Kind::Bracket(self.test(cond)),
            Atom::Gcd(x, y) => Kind::Gcd(self.sum(x), self.sum(y)),
            Atom::DigitSum(x, base) => Kind::DigitSum(self.sum(x), self.sum(base)),
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                Kind::FloorSum([self.sum(n), self.sum(a), self.sum(c), self.sum(m)])
            }
            Atom::Inverse(x) => Kind::Inverse(self.sum(x)),
            Atom::Sum(sum) => self.total(sum),
        };
        let alone = Expr::atom(atom.clone());
        let moving = |inner: &Atom| {
            matches!(inner, Atom::Symbol(symbol)
                if symbol.is_of_sum() || self.moving.contains(&symbol.id))
        };
        let node = Node {
            is_fixed: !alone.has_atom(&moving),
            kind,
        };
        self.atoms.push(node);
        self.atom_of.insert(atom.clone(), self.atoms.len() - 1);
        self.atoms.len() - 1
    }

    fn total(&mut self, sum: &types::Sum) -> Kind {
        let others = running::others(&sum.body, &sum.variable);
        let is_part = others.iter().any(Symbol::is_of_sum);
        let kept = (!is_part).then_some(self.kept);
        self.kept += usize::from(!is_part);
        Kind::Total(Total {
            slot: self.slot(&sum.variable).0,
            low: self.sum(&sum.low),
            high: self.sum(&sum.high),
            body: self.sum(&sum.body),
            others: others.iter().map(|symbol| self.slot(symbol).0).collect(),
            kept,
        })
    }

    /// Compiles a floor. The floor of a logarithm beside a rest is found without the logarithm
    /// itself.
    fn floor(&mut self, x: &Expr) -> Kind {
        if let Some((term, [base, argument])) = log_of(x)
            && let Some(times) = term.1.abs().numerator().to_u32()
            && let Some(over) = term.1.denominator().to_i128()
        {
            return Kind::FloorOfLog(FloorOfLog {
                rest: self.sum(&x.sub(&Expr::term(term))),
                is_minus: term.1.is_negative(),
                times,
                over,
                base: self.sum(base),
                argument: self.sum(argument),
            });
        }
        Kind::Floor(self.sum(x))
    }

    pub(super) fn test(&mut self, cond: &Cond) -> usize {
        let test = match cond {
            Cond::True => Test::Constant(true),
            Cond::False => Test::Constant(false),
            // Logarithms are mostly irrational, their floors whole: log2 n − 3 ≥ 0 exactly if
            // ⌊log2 n − 3⌋ ≥ 0.
            Cond::NonNegative(e) if log_of(e).is_some() => Test::NonNegative(self.sum(&e.floor())),
            Cond::NonNegative(e) => Test::NonNegative(self.sum(e)),
            Cond::Zero(e) if log_of(e).is_some() => {
                let floors = [e, &e.neg()].map(|e| Cond::eq(&e.floor(), &Expr::zero()));
                Test::And(floors.iter().map(|floor| self.test(floor)).collect())
            }
            Cond::Zero(e) => Test::Zero(self.sum(e)),
            Cond::Divides(d, e) => Test::Divides(self.sum(d), self.sum(e)),
            Cond::PowerOf(x, y) => Test::PowerOf(self.sum(x), self.sum(y)),
            Cond::Not(inner) => Test::Not(self.test(inner)),
            Cond::And(parts) => Test::And(parts.iter().map(|part| self.test(part)).collect()),
            Cond::Or(parts) => Test::Or(parts.iter().map(|part| self.test(part)).collect()),
        };
        self.tests.push(test);
        self.tests.len() - 1
    }
}

/// Returns the only term of a sum that is a number times a logarithm, with its base and argument.
/// Bases are least roots: log_32 n is (1/5) log2 n.
fn log_of(sum: &Expr) -> Option<(&types::Term, [&Expr; 2])> {
    let mut logs = sum
        .terms()
        .iter()
        .filter_map(|term| match term.0.factors() {
            [(Atom::Log(base, argument), 1)] => Some((term, [base, argument])),
            _ => None,
        });
    logs.next().filter(|_| logs.next().is_none())
}
