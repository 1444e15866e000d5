//! Conditions under which an expression takes another course: where a bracket holds and where it
//! does not, where one part of a minimum is less than another, where a quotient is not whole.

use crate::sym::expr::types::Atom;
use crate::sym::{Cond, Expr};

/// Conditions in all.
const MOST: usize = 24;
/// Parts of a minimum or maximum that are compared.
const MOST_PARTS: usize = 4;
/// Atoms within atoms.
const DEEPEST: u32 = 4;

/// The conditions, those that must hold together for a term to count first.
pub(crate) fn changes(e: &Expr) -> Vec<Cond> {
    let mut found = Found(Vec::new());
    for cond in conditions_of_terms(e) {
        found.alternatives(cond);
    }
    found.inside(e, 0);
    found.0
}

/// Returns for each term with several brackets the conjunction of their conditions.
fn conditions_of_terms(e: &Expr) -> impl Iterator<Item = Cond> {
    let of_terms = e.terms().iter().map(|(monomial, _)| {
        let factors = monomial.factors().iter();
        let conditions = factors.filter_map(|(atom, _)| match atom {
            Atom::Bracket(cond) => Some((**cond).clone()),
            _ => None,
        });
        conditions.collect::<Vec<Cond>>()
    });
    let several = of_terms.filter(|conditions| conditions.len() > 1);
    several.map(Cond::and)
}

/// e ≠ 0, told by the brackets that all its terms have in common and by what they stand beside:
/// b = 7 and n ≠ 0 for `n·[b = 7]`.
pub(crate) fn unequal(e: &Expr) -> Cond {
    let (mut conditions, rest) = apart(e);
    conditions.push(Cond::ne(&rest, &Expr::zero()));
    Cond::and(conditions)
}

/// e > 0, told in the same way.
pub(crate) fn positive(e: &Expr) -> Cond {
    let (mut conditions, rest) = apart(e);
    conditions.push(Cond::gt(&rest, &Expr::zero()));
    Cond::and(conditions)
}

/// The conditions of the brackets in every term, and what is left without them.
fn apart(e: &Expr) -> (Vec<Cond>, Expr) {
    let is_common = |atom: &Atom| {
        e.terms()
            .iter()
            .all(|(monomial, _)| monomial.exponent(atom) == 1)
    };
    let mut atoms = e.atoms();
    atoms.retain(|atom| atom.is_bracket() && is_common(atom));
    let conditions = atoms.iter().filter_map(|atom| match atom {
        Atom::Bracket(cond) => Some((**cond).clone()),
        _ => None,
    });
    let rest = e.replace(&|atom| atoms.contains(atom).then(Expr::one));
    (conditions.collect(), rest)
}

struct Found(Vec<Cond>);

impl Found {
    fn note(&mut self, cond: Cond) {
        let is_open = !matches!(cond, Cond::True | Cond::False);
        if is_open && self.0.len() < MOST && !self.0.contains(&cond) {
            self.0.push(cond);
        }
    }

    /// Each way in which a condition may hold.
    fn alternatives(&mut self, cond: Cond) {
        match cond {
            Cond::Or(parts) => parts.into_iter().for_each(|part| self.alternatives(part)),
            other => self.note(other),
        }
    }

    fn inside(&mut self, e: &Expr, depth: u32) {
        if depth > DEEPEST {
            return;
        }
        for atom in e.atoms() {
            match &atom {
                Atom::Bracket(cond) => {
                    self.alternatives((**cond).clone());
                    self.alternatives((**cond).clone().negate());
                }
                Atom::Floor(x) => {
                    self.note(Cond::ge(x, &Expr::one()));
                    self.note(Cond::ne(x, &x.floor()));
                }
                Atom::Min(items) | Atom::Max(items) => {
                    let items = &items[..items.len().min(MOST_PARTS)];
                    for one in items {
                        items
                            .iter()
                            .for_each(|other| self.note(Cond::gt(one, other)));
                    }
                }
                Atom::Gcd(x, y) => self.note(Cond::gt(&Expr::gcd(x, y), &Expr::one())),
                Atom::Symbol(_)
                | Atom::Power(..)
                | Atom::Log(..)
                | Atom::DigitSum(..)
                | Atom::FloorSum(_)
                | Atom::Inverse(_)
                | Atom::Sum(_) => {}
            }
            if !matches!(atom, Atom::Sum(_)) {
                atom.for_each_child(&mut |child| self.inside(child, depth + 1));
            }
        }
    }
}
