//! Random expressions: canonical forms, simplification, substitution and sums keep the value at
//! random whole numbers, and do not depend on the order in which an expression was built.

use crate::support::cases;
use crate::sym::support::{int, symbol, var};
use atgpu::number::Rational;
use atgpu::sym::{Cond, Expr, Facts, Symbol};
use proptest::prelude::*;

/// An expression as it is written, with no algebra at all.
#[derive(Debug, Clone)]
enum Plain {
    Int(i64),
    Var(&'static str),
    Add(Box<Plain>, Box<Plain>),
    Sub(Box<Plain>, Box<Plain>),
    Mul(Box<Plain>, Box<Plain>),
    Div(Box<Plain>, Box<Plain>),
    Floor(Box<Plain>),
    Ceil(Box<Plain>),
    Mod(Box<Plain>, Box<Plain>),
    Min(Box<Plain>, Box<Plain>),
    Max(Box<Plain>, Box<Plain>),
    AtLeast(Box<Plain>, Box<Plain>),
    Less(Box<Plain>, Box<Plain>),
    Equal(Box<Plain>, Box<Plain>),
}

/// n, b, i and j at a point.
type Point = [i64; 4];
const VARIABLES: [&str; 4] = ["n", "b", "i", "j"];

impl Plain {
    fn expr(&self) -> Option<Expr> {
        Some(match self {
            Plain::Int(value) => int(*value),
            Plain::Var(name) => var(name),
            Plain::Add(x, y) => x.expr()?.add(&y.expr()?),
            Plain::Sub(x, y) => x.expr()?.sub(&y.expr()?),
            Plain::Mul(x, y) => x.expr()?.mul(&y.expr()?),
            Plain::Div(x, y) => x.expr()?.div(&y.expr()?)?,
            Plain::Floor(x) => x.expr()?.floor(),
            Plain::Ceil(x) => x.expr()?.ceil(),
            Plain::Mod(x, y) => x.expr()?.modulo(&y.expr()?)?,
            Plain::Min(x, y) => Expr::min(vec![x.expr()?, y.expr()?]),
            Plain::Max(x, y) => Expr::max(vec![x.expr()?, y.expr()?]),
            Plain::AtLeast(x, y) => Expr::bracket(Cond::ge(&x.expr()?, &y.expr()?)),
            Plain::Less(x, y) => Expr::bracket(Cond::lt(&x.expr()?, &y.expr()?)),
            Plain::Equal(x, y) => Expr::bracket(Cond::eq(&x.expr()?, &y.expr()?)),
        })
    }

    /// The same with operands the other way round wherever that is allowed.
    fn mirrored(&self) -> Option<Expr> {
        Some(match self {
            Plain::Add(x, y) => y.mirrored()?.add(&x.mirrored()?),
            Plain::Mul(x, y) => y.mirrored()?.mul(&x.mirrored()?),
            Plain::Sub(x, y) => y.mirrored()?.neg().add(&x.mirrored()?),
            Plain::Min(x, y) => Expr::min(vec![y.mirrored()?, x.mirrored()?]),
            Plain::Max(x, y) => Expr::max(vec![y.mirrored()?, x.mirrored()?]),
            other => other.expr()?,
        })
    }

    fn value(&self, point: &Point) -> Option<Rational> {
        let one_if = |holds: bool| Rational::from(i64::from(holds));
        let floor = |x: Rational| Rational::from(x.floor());
        Some(match self {
            Plain::Int(value) => (*value).into(),
            Plain::Var(name) => {
                let at = VARIABLES.iter().position(|known| known == name)?;
                point[at].into()
            }
            Plain::Add(x, y) => &x.value(point)? + &y.value(point)?,
            Plain::Sub(x, y) => &x.value(point)? - &y.value(point)?,
            Plain::Mul(x, y) => &x.value(point)? * &y.value(point)?,
            Plain::Div(x, y) => x.value(point)?.checked_div(&y.value(point)?)?,
            Plain::Floor(x) => floor(x.value(point)?),
            Plain::Ceil(x) => -floor(-x.value(point)?),
            Plain::Mod(x, y) => {
                let (x, y) = (x.value(point)?, y.value(point)?);
                &x - &(&y * &floor(x.checked_div(&y)?))
            }
            Plain::Min(x, y) => x.value(point)?.min(y.value(point)?),
            Plain::Max(x, y) => x.value(point)?.max(y.value(point)?),
            Plain::AtLeast(x, y) => one_if(x.value(point)? >= y.value(point)?),
            Plain::Less(x, y) => one_if(x.value(point)? < y.value(point)?),
            Plain::Equal(x, y) => one_if(x.value(point)? == y.value(point)?),
        })
    }
}

fn plain() -> impl Strategy<Value = Plain> {
    let leaf = prop_oneof![
        (-3i64..6).prop_map(Plain::Int),
        prop::sample::select(&VARIABLES[..]).prop_map(Plain::Var),
    ];
    leaf.prop_recursive(4, 20, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(x, y)| (Box::new(x), Box::new(y)));
        let both = |make: fn(Box<Plain>, Box<Plain>) -> Plain| {
            pair.clone().prop_map(move |(x, y)| make(x, y))
        };
        prop_oneof![
            both(Plain::Add),
            both(Plain::Sub),
            both(Plain::Mul),
            both(Plain::Div),
            both(Plain::Mod),
            both(Plain::Min),
            both(Plain::Max),
            both(Plain::AtLeast),
            both(Plain::Less),
            both(Plain::Equal),
            inner.clone().prop_map(|x| Plain::Floor(Box::new(x))),
            inner.prop_map(|x| Plain::Ceil(Box::new(x))),
        ]
    })
}

fn values(point: Point) -> impl Fn(&Symbol) -> Option<Rational> {
    move |symbol| {
        let at = VARIABLES.iter().position(|name| *name == &*symbol.name)?;
        Some(point[at].into())
    }
}

/// n ≥ 1, b ≥ 1, 0 ≤ j < b, 0 ≤ i < ⌈n/b⌉
fn known() -> Vec<Cond> {
    let (n, b, i, j) = (var("n"), var("b"), var("i"), var("j"));
    let mps = n.div(&b).map(|k| k.ceil()).unwrap_or_default();
    vec![
        Cond::ge(&n, &int(1)),
        Cond::ge(&b, &int(1)),
        Cond::ge(&j, &int(0)),
        Cond::lt(&j, &b),
        Cond::ge(&i, &int(0)),
        Cond::lt(&i, &mps),
    ]
}

fn facts(conds: &[Cond]) -> Facts {
    let mut facts = Facts::new();
    conds.iter().for_each(|cond| facts.assume(cond));
    facts
}

fn point() -> impl Strategy<Value = Point> {
    (1i64..30, 1i64..9).prop_flat_map(|(n, b)| {
        (Just(n), Just(b), 0..(n + b - 1) / b, 0..b).prop_map(|(n, b, i, j)| [n, b, i, j])
    })
}

proptest! {
    #![proptest_config(cases::config(400))]

    #[test]
    fn the_canonical_form_keeps_the_value(plain in plain(), point in point()) {
        let (Some(expr), Some(value)) = (plain.expr(), plain.value(&point)) else {
            return Ok(());
        };
        let found = expr.evaluate(&values(point));
        // The canonical form may lose a division by zero, never a value.
        prop_assert_eq!(found.clone().ok(), Some(value), "{} {:?}", expr, found);
    }

    #[test]
    fn order_does_not_matter(plain in plain()) {
        prop_assert_eq!(plain.expr(), plain.mirrored());
    }

    #[test]
    fn simplification_keeps_the_value(plain in plain(), points in prop::array::uniform4(point())) {
        let Some(expr) = plain.expr() else {
            return Ok(());
        };
        let facts = facts(&known());
        let simple = facts.simplify(&expr);
        for point in points {
            let Some(value) = plain.value(&point) else {
                continue;
            };
            let found = simple.evaluate(&values(point));
            prop_assert_eq!(found.ok(), Some(value), "{} became {} at {:?}", expr, simple, point);
        }
        prop_assert_eq!(facts.simplify(&simple), simple);
    }

    #[test]
    fn proofs_are_true(left in plain(), right in plain(), points in prop::array::uniform4(point())) {
        let (Some(x), Some(y)) = (left.expr(), right.expr()) else {
            return Ok(());
        };
        let facts = facts(&known());
        for (cond, holds) in [
            (Cond::ge(&x, &y), Rational::ge as fn(&Rational, &Rational) -> bool),
            (Cond::eq(&x, &y), Rational::eq),
            (Cond::lt(&x, &y), Rational::lt),
        ] {
            let Some(answer) = facts.prove(&cond) else {
                continue;
            };
            for point in points {
                if let (Some(x), Some(y)) = (left.value(&point), right.value(&point)) {
                    prop_assert_eq!(holds(&x, &y), answer, "{} at {:?}", cond, point);
                }
            }
        }
    }

    /// c·⌊(av + s)/d⌋ − c·⌊(a(v + t) + s)/d⌋ + ⌊(v + u)/d⌋, d = b or a number: most of it telescopes.
    #[test]
    fn telescoping_sums_keep_the_value(
        (a, s, t, u) in (-2i64..4, -3i64..4, -5i64..6, -2i64..3),
        (c, d) in (-3i64..4, 0i64..4),
        lo in -2i64..3,
        points in prop::array::uniform4(point()),
    ) {
        let facts = facts(&known()[..4]);
        let divisor = if d == 0 { var("b") } else { int(d) };
        let floor = |x: Expr| x.div(&divisor).map(|x| x.floor()).unwrap_or_default();
        let line = |shift: i64| var("i").add(&int(shift)).mul(&int(a)).add(&int(s));
        let body = int(c).mul(&floor(line(0)).sub(&floor(line(t)))).add(&floor(var("i").add(&int(u))));
        let high = var("n").sub(&int(2));
        let sum = facts.sum(&symbol("i"), &int(lo), &high, &body);
        for point in points {
            let total: Option<Rational> = (lo..=point[0] - 2).try_fold(Rational::ZERO, |total, i| {
                let here = body.evaluate(&values([point[0], point[1], i, point[3]])).ok()?;
                Some(&total + &here)
            });
            prop_assert_eq!(sum.evaluate(&values(point)).ok(), total, "{} at {:?}", sum, point);
        }
    }

    #[test]
    fn maxima_are_the_largest_values(
        plain in plain(), points in prop::array::uniform4(point()), lo in -2i64..3,
        knows_range in prop::bool::ANY
    ) {
        let Some(body) = plain.expr() else {
            return Ok(());
        };
        let high = var("n").sub(&int(2));
        let mut facts = facts(&known()[..4]);
        if knows_range {
            facts.assume(&Cond::ge(&var("i"), &int(lo)));
            facts.assume(&Cond::le(&var("i"), &high));
        }
        let Some(most) = facts.maximum(&symbol("i"), &int(lo), &high, &body) else {
            return Ok(());
        };
        for point in points {
            let here = |i| plain.value(&[point[0], point[1], i, point[3]]);
            let all: Option<Vec<Rational>> = (lo..=point[0] - 2).map(here).collect();
            if let Some(largest) = all.and_then(|all| all.into_iter().max()) {
                let found = most.evaluate(&values(point));
                prop_assert_eq!(found.clone().ok(), Some(largest), "{} at {:?}: {:?}", most, point, found);
            }
        }
    }

    #[test]
    fn sums_keep_the_value(plain in plain(), points in prop::array::uniform4(point()), lo in -2i64..3) {
        let Some(body) = plain.expr() else {
            return Ok(());
        };
        let facts = facts(&known()[..4]);
        let high = var("n").sub(&int(2));
        let sum = facts.sum(&symbol("i"), &int(lo), &high, &body);
        for point in points {
            let here = |i| plain.value(&[point[0], point[1], i, point[3]]);
            let total = (lo..=point[0] - 2).try_fold(Rational::ZERO, |sum, i| {
                here(i).map(|value| &sum + &value)
            });
            // Over an empty range the body may be anything, even undefined, and a sum may be
            // taken in parts, some of them empty.
            let is_empty = lo > point[0] - 2;
            let has_holes = || (-3..32).any(|i| here(i).is_none());
            let Some(total) = total else {
                continue;
            };
            match sum.evaluate(&values(point)) {
                Err(_) if is_empty || has_holes() => {}
                Ok(_) if is_empty && has_holes() => {}
                found => {
                    prop_assert_eq!(found.clone().ok(), Some(total), "{} at {:?}: {:?}", sum, point, found);
                }
            }
        }
    }
}

/// Whether the language reads a printed expression without complaint.
fn parses(text: &str) -> Result<(), String> {
    let program = format!("algorithm T(n, i, j)\n  claim time = {text}\n");
    let parsed = atgpu::syntax::parse(&atgpu::text::Source::new("test", &program));
    match parsed.diagnostics.first() {
        None => Ok(()),
        Some(diagnostic) => Err(format!("{text}: {diagnostic:?}")),
    }
}

proptest! {
    #![proptest_config(cases::config(600))]

    #[test]
    fn what_is_printed_parses(plain in plain()) {
        if let Some(expr) = plain.expr() {
            prop_assert_eq!(parses(&expr.to_string()), Ok(()));
        }
    }
}

/// [n ≥ 3]·[1/i ≤ 0] at n = 1, i = 0: what one guard rules out, another need not have a truth for.
#[test]
fn a_guard_that_is_0_silences_the_others() {
    let (n, i) = (var("n"), var("i"));
    let inverse = int(1).div(&i).expect("a quotient");
    let guarded =
        Expr::bracket(Cond::ge(&n, &int(3))).mul(&Expr::bracket(Cond::ge(&int(0), &inverse)));
    let at = |n, i| guarded.evaluate(&values([n, 1, i, 0]));
    assert_eq!(at(1, 0).ok(), Some(Rational::ZERO));
    assert!(at(3, 0).is_err());
}

/// 1/(i + 1/j) = j/(ij + 1) has a value at i = 0: written as (1 - 1/(ij + 1))/i it had none.
#[test]
fn a_quotient_gets_no_new_division_by_zero() {
    let (i, j) = (var("i"), var("j"));
    let inverse = int(1).div(&j).expect("a quotient");
    let quotient = int(1).div(&i.add(&inverse)).expect("a quotient");
    let value = quotient.evaluate(&values([1, 2, 0, 1]));
    assert_eq!(value.ok(), Some(1.into()), "{quotient}");
}

/// max(0, ⌊n/2⌋ − 1)·gcd(n/2, b) at n = 3: no core is there for which n/2 would have to be whole.
#[test]
fn a_number_of_cores_that_is_0_silences_the_others() {
    let half = var("n").div(&int(2)).expect("a quotient");
    let cores = Expr::max(vec![int(0), half.floor().sub(&int(1))]);
    let amount = cores.mul(&Expr::gcd(&half, &var("b")));
    let at = |n| amount.evaluate(&values([n, 4, 0, 0]));
    assert_eq!(at(3).ok(), Some(Rational::ZERO));
    assert_eq!(at(8).ok(), Some(12.into()));
    assert!(at(5).is_err());
}
