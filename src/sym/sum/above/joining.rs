//! Pairs of unrelated terms joined in their least common multiple: n + m is at most 2n·m for n, m ≥ 1.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr};

/// The most terms whose pairs are all compared. Of more, neighbours are joined first: comparing all pairs
/// whenever one is joined takes the third power of their number.
const MOST_PAIRED: usize = 64;

/// The most terms that stay where few can be joined.
const MOST_APART: usize = 512;

/// Joins pairs of terms in their least common multiple, the closest pair first, until `few` are
/// left.
pub(super) fn join_until(facts: &Facts, terms: &mut Vec<Term>, few: usize) {
    // For unrelated terms: n and m are both at most n·m, for n, m ≥ 1. It is coarser than
    // absorbing one term in another, so it comes after `absorb_until`.
    if terms.len() <= few {
        return;
    }
    let (mut joining, products) = Joining::of(facts, terms);
    let products = joining.halved(products);
    if products.len() > MOST_APART {
        return;
    }
    products.into_iter().for_each(|each| joining.push(each));
    while joining.products.len() > few && joining.join() {}
    *terms = joining.terms();
}

/// Products as vectors of exponents, so that many pairs can be compared quickly.
struct Joining {
    /// All atoms, sorted.
    atoms: Vec<Atom>,
    logs: Vec<bool>,
    /// Flags of the atoms that may get a larger power: the atoms provably ≥ 1.
    may_grow: Vec<bool>,
    products: Vec<(Vec<i32>, Rational)>,
    /// The loss of joining each product with each one before it.
    losses: Vec<Vec<Option<[i64; 2]>>>,
}

/// The exponents of a product, and its factor.
type Product = (Vec<i32>, Rational);

impl Joining {
    /// Returns the products of some terms, and what is known of their atoms.
    fn of(facts: &Facts, terms: &[Term]) -> (Self, Vec<Product>) {
        let factors = terms.iter().flat_map(|(monomial, _)| monomial.factors());
        let mut atoms: Vec<Atom> = factors.map(|(atom, _)| atom.clone()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let may_grow = |atom: &Atom| {
            let value = Expr::atom(atom.clone());
            matches!(atom, Atom::Symbol(symbol) if facts.is_whole_symbol(symbol))
                && facts.proves(&Cond::ge(&value, &Expr::one()))
        };
        let exponents = |monomial: &Monomial| {
            let each = atoms.iter().map(|atom| monomial.exponent(atom));
            each.collect()
        };
        let products = terms.iter();
        let products = products.map(|(monomial, factor)| (exponents(monomial), factor.clone()));
        let products = products.collect();
        let joining = Joining {
            logs: atoms
                .iter()
                .map(|atom| matches!(atom, Atom::Log(..)))
                .collect(),
            may_grow: atoms.iter().map(may_grow).collect(),
            products: Vec::new(),
            losses: Vec::new(),
            atoms,
        };
        (joining, products)
    }

    /// Joins each product with the next one that it may be joined with, if these are its neighbours, until
    /// their pairs can be compared or no two neighbours may be joined.
    fn halved(&self, mut products: Vec<Product>) -> Vec<Product> {
        // n, n², n³, n⁴ become 2n² and 2n⁴: neighbours are close where they are sorted.
        while products.len() > MOST_PAIRED {
            let before = products.len();
            products.sort_by(|(first, _), (second, _)| first.cmp(second));
            let mut joined: Vec<Product> = Vec::with_capacity(before);
            let mut is_joined = false;
            for (exponents, factor) in products {
                let last = joined.last_mut().filter(|_| !is_joined);
                let last = last.filter(|last| self.loss([&last.0, &exponents]).is_some());
                is_joined = last.is_some();
                match last {
                    Some(last) => {
                        last.0 = common_multiple([&last.0, &exponents]);
                        last.1 = &last.1 + &factor;
                    }
                    None => joined.push((exponents, factor)),
                }
            }
            products = joined;
            if products.len() == before {
                break;
            }
        }
        products
    }

    fn terms(self) -> Vec<Term> {
        let atoms = &self.atoms;
        let products = self.products.into_iter();
        let terms = products.map(|(exponents, factor)| {
            let factors = atoms.iter().cloned().zip(exponents);
            let present = factors.filter(|(_, exponent)| *exponent != 0);
            (Monomial::from_sorted(present.collect()), factor)
        });
        terms.collect()
    }

    /// Joins the best pair; false if no pair may be joined.
    fn join(&mut self) -> bool {
        let of = |at: usize| &self.products[at].0;
        let losses = self.losses.iter().enumerate();
        let joinable = losses.flat_map(|(right, losses)| {
            let losses = losses.iter().enumerate();
            losses.filter_map(move |(left, loss)| Some(((*loss)?, [left, right])))
        });
        let Some(least) = joinable.clone().map(|(loss, _)| loss[0]).min() else {
            return false;
        };
        // Among equal losses the multiple wins that most other products can join free of loss,
        // then the slowest-growing.
        let least = joinable.filter(|(loss, _)| loss[0] == least);
        let mut joining: FxHashMap<Vec<i32>, usize> = FxHashMap::default();
        let best = least.min_by_key(|(loss, pair)| {
            let multiple = common_multiple(pair.map(of));
            let joins = match joining.get(&multiple) {
                Some(joins) => *joins,
                None => {
                    let joins = self.joining(&multiple);
                    joining.insert(multiple, joins);
                    joins
                }
            };
            (Reverse(joins), loss[1], *pair)
        });
        let Some((_, [left, right])) = best else {
            return false;
        };
        let (second, factor) = self.remove(right);
        let (first, sum) = self.remove(left);
        let (multiple, sum) = (common_multiple([&first, &second]), &sum + &factor);
        let mut others = self.products.iter_mut();
        match others.find(|(other, _)| *other == multiple) {
            Some((_, known)) => *known = &*known + &sum,
            None => self.push((multiple, sum)),
        }
        true
    }

    /// Returns the number of products that divide a multiple.
    fn joining(&self, multiple: &[i32]) -> usize {
        let joins = |(other, _): &&(Vec<i32>, Rational)| {
            let mut each = self.may_grow.iter().zip(other.iter().zip(multiple));
            each.all(|(may_grow, (small, large))| small == large || (small < large && *may_grow))
        };
        self.products.iter().filter(joins).count()
    }

    fn push(&mut self, product: (Vec<i32>, Rational)) {
        let before = self.products.iter();
        let losses = before.map(|(other, _)| self.loss([other, &product.0]));
        self.losses.push(losses.collect());
        self.products.push(product);
    }

    fn remove(&mut self, at: usize) -> (Vec<i32>, Rational) {
        self.losses.remove(at);
        self.losses[at..].iter_mut().for_each(|losses| {
            losses.remove(at);
        });
        self.products.remove(at)
    }

    /// Returns the distance of the least common multiple from both products in degrees, and its
    /// own degree without logarithms. `None` if an atom that gets a larger power may be less than
    /// 1.
    fn loss(&self, [first, second]: [&Vec<i32>; 2]) -> Option<[i64; 2]> {
        // Twice the multiple's degree less both degrees, plus its distance from the slower one,
        // so that of equal sums the pair with the closer terms wins. n² and n: 3 · 2 − 2 − 1 − 1
        // = 2. n and m: 3 · 2 − 1 − 1 − 1 = 3.
        let mut degrees = [0_i64; 3];
        let mut pace = 0;
        for (at, (first, second)) in first.iter().zip(second).enumerate() {
            if first != second && !self.may_grow[at] {
                return None;
            }
            let larger = first.max(second);
            for (degree, exponent) in degrees.iter_mut().zip([first, second, larger]) {
                *degree += i64::from(*exponent);
            }
            if !self.logs[at] {
                pace += i64::from(*larger);
            }
        }
        let [first, second, multiple] = degrees;
        Some([3 * multiple - first - second - first.min(second), pace])
    }
}

/// Returns the larger power of each atom.
fn common_multiple([first, second]: [&Vec<i32>; 2]) -> Vec<i32> {
    let each = first.iter().zip(second);
    each.map(|(first, second)| *first.max(second)).collect()
}
