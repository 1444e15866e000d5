//! Closed forms of sums against adding up at numbers, and the forms they are written in.

use crate::sym::support::{at, facts, for_each_point, int, over, symbol, var};
use atgpu::number::Rational;
use atgpu::sym::{Cond, Expr};

/// Holds the sum against adding up, at every point of a grid that the facts admit.
fn check_sum(
    conds: &[Cond],
    names: &[&str],
    variable: &str,
    lo: &Expr,
    hi: &Expr,
    body: &Expr,
) -> Expr {
    let facts = facts(conds);
    let sum = facts.sum(&symbol(variable), lo, hi, body);
    let mut points = 0;
    for_each_point(names, 0..=17, &mut |point| {
        let values = at(point);
        let admitted = conds.iter().all(|cond| cond.evaluate(&values) == Ok(true));
        let (Ok(low), Ok(high)) = (lo.evaluate(&values), hi.evaluate(&values)) else {
            return;
        };
        if !admitted {
            return;
        }
        let (Some(low), Some(high)) = (low.to_i64(), high.to_i64()) else {
            return;
        };
        let mut total = Rational::ZERO;
        for here in low..=high {
            let body = body.substitute(&symbol(variable), &int(here));
            let Ok(value) = body.evaluate(&values) else {
                return;
            };
            total += &value;
        }
        points += 1;
        assert_eq!(sum.evaluate(&values), Ok(total), "{sum} at {point:?}");
    });
    assert!(points > 3, "only {points} points");
    sum
}

#[test]
fn polynomials() {
    let (n, i) = (var("n"), var("i"));
    let sum = check_sum(&[Cond::ge(&n, &int(0))], &["n"], "i", &int(1), &n, &i);
    assert_eq!(sum.to_string(), "n(n + 1)/2");
    let cubes = i.pow(&int(3)).sub(&i.scale(&5.into()));
    check_sum(
        &[Cond::ge(&n, &int(1))],
        &["n", "m"],
        "i",
        &int(-2),
        &n.sub(&int(1)),
        &cubes.mul(&var("m")),
    );
}

#[test]
fn ranges_that_may_be_empty_are_guarded() {
    let (n, m, i) = (var("n"), var("m"), var("i"));
    check_sum(&[], &["n", "m"], "i", &m, &n, &i);
    let sum = check_sum(&[], &["n", "m"], "i", &m, &n, &int(3));
    assert_eq!(sum.to_string(), "3·max(0, n - m + 1)");
}

#[test]
fn rounds_of_a_reduction() {
    let (n, b, r) = (var("n"), var("b"), var("r"));
    let conds = [Cond::power_of(&n, &b), Cond::ge(&b, &int(2))];
    let rounds = Expr::log(&b, &n);
    let blocks = over(&n, &b.pow(&r));
    let sum = check_sum(&conds, &["n", "b"], "r", &int(1), &rounds, &blocks);
    assert_eq!(sum.to_string(), "(n - 1)/(b - 1)");
    let ceilings = check_sum(&conds, &["n", "b"], "r", &int(1), &rounds, &blocks.ceil());
    assert_eq!(sum, ceilings);
    let widths = over(&n, &b.pow(&r.sub(&int(1))));
    let sum = check_sum(&conds, &["n", "b"], "r", &int(1), &rounds, &widths);
    assert_eq!(sum.to_string(), "n + (n - 1)/(b - 1) - 1");
}

/// Rounds before the first, where n grows instead of being halved.
#[test]
fn rounds_that_may_begin_below_0() {
    let (n, m, r) = (var("n"), var("m"), var("r"));
    let quotient = over(&n, &int(2).pow(&r));
    let third = over(&quotient, &int(3));
    for body in [
        quotient.floor(),
        quotient.ceil(),
        third.floor(),
        third.ceil(),
    ] {
        for low in [m.sub(&int(3)), m.clone()] {
            let conds = [Cond::ge(&n, &int(1))];
            check_sum(&conds, &["n", "m"], "r", &low, &n, &body);
        }
    }
}

#[test]
fn levels_of_a_tree() {
    let (b, s) = (var("b"), var("s"));
    let conds = [Cond::power_of(&b, &int(2)), Cond::ge(&b, &int(2))];
    let levels = Expr::log(&int(2), &b);
    let sum = check_sum(&conds, &["b"], "s", &int(1), &levels, &int(9));
    assert_eq!(sum.add(&int(6)).to_string(), "9 log2 b + 6");
    let halves = over(&b, &int(2).pow(&s));
    let sum = check_sum(&conds, &["b"], "s", &int(1), &levels, &halves);
    assert_eq!(sum.to_string(), "b - 1");
    check_sum(
        &conds,
        &["b"],
        "s",
        &int(0),
        &levels.sub(&int(1)),
        &s.mul(&int(2).pow(&s)),
    );
}

#[test]
fn brackets() {
    let (n, b, m, i, k) = (var("n"), var("b"), var("m"), var("i"), var("k"));
    let last = Expr::bracket(Cond::eq(&i, &k.sub(&int(1))));
    let sum = check_sum(
        &[Cond::ge(&k, &int(1))],
        &["k"],
        "i",
        &int(0),
        &k.sub(&int(1)),
        &last,
    );
    assert_eq!(sum.to_string(), "1");
    let below = Expr::bracket(Cond::lt(&i, &m));
    let conds = [Cond::ge(&k, &int(1)), Cond::ge(&m, &int(0))];
    check_sum(
        &conds,
        &["k", "m"],
        "i",
        &int(0),
        &k.sub(&int(1)),
        &below.mul(&i),
    );
    let conds = [Cond::ge(&n, &int(1)), Cond::ge(&b, &int(1))];
    let mps = over(&n, &b).ceil();
    let active = Expr::min(vec![b.clone(), n.sub(&i.mul(&b))]);
    let sum = check_sum(
        &conds,
        &["n", "b"],
        "i",
        &int(0),
        &mps.sub(&int(1)),
        &active,
    );
    assert_eq!(sum.to_string(), "n");
    let third = i.modulo(&int(3)).expect("3 is not 0");
    let residue = Expr::bracket(Cond::eq(&third, &int(1)));
    check_sum(
        &[Cond::ge(&k, &int(0))],
        &["k"],
        "i",
        &int(0),
        &k.sub(&int(1)),
        &residue,
    );
}

#[test]
fn ceilings_over_rounds() {
    let (n, b, r) = (var("n"), var("b"), var("r"));
    let conds = [Cond::ge(&n, &int(1)), Cond::ge(&b, &int(2))];
    let rounds = Expr::log(&b, &n).ceil();
    let blocks = over(&n, &b.pow(&r)).ceil();
    let sum = check_sum(&conds, &["n", "b"], "r", &int(1), &rounds, &blocks);
    assert!(sum.is_closed(), "{sum}");
    // At least one round: a single word is reduced to itself.
    let at_least_one = Expr::max(vec![int(1), rounds.clone()]);
    let sum = check_sum(&conds, &["n", "b"], "r", &int(1), &at_least_one, &blocks);
    assert!(sum.is_closed(), "{sum}");
    let shifted = over(&n, &b.pow(&r.sub(&int(1)))).ceil();
    let sum = check_sum(&conds, &["n", "b"], "r", &int(1), &rounds, &shifted);
    assert!(sum.is_closed(), "{sum}");
    let sum = check_sum(&conds, &["n", "b"], "r", &int(0), &rounds, &blocks);
    assert!(sum.is_closed(), "{sum}");
}

#[test]
fn rows_that_straddle_blocks() {
    let (n, b, m, i) = (var("n"), var("b"), var("m"), var("i"));
    let conds = [
        Cond::ge(&n, &int(1)),
        Cond::ge(&m, &int(1)),
        Cond::ge(&b, &int(1)),
    ];
    let straddles = int(2).sub(&Expr::bracket(Cond::divides(&b, &i.mul(&n))));
    let sum = check_sum(
        &conds,
        &["n", "b", "m"],
        "i",
        &int(0),
        &m.sub(&int(1)),
        &straddles,
    );
    assert_eq!(sum.to_string(), "2m - ⌈m·gcd(n, b)/b⌉");
}

/// One iteration at most is n/s: a term instead of a sum.
#[test]
fn an_equation_singles_an_iteration_out() {
    let (n, s, i, m) = (var("n"), var("s"), var("i"), var("m"));
    let conds = [Cond::ge(&s, &int(1))];
    for slope in [s.clone(), s.neg()] {
        let meets = Expr::bracket(Cond::eq(&slope.mul(&i).add(&n), &int(7)));
        for body in [meets.clone(), meets.mul(&i.add(&m))] {
            let names = ["n", "s", "m"];
            let sum = check_sum(&conds, &names, "i", &int(0), &m, &body);
            assert!(sum.is_closed(), "{sum}");
        }
    }
}

#[test]
fn floors() {
    let (n, b, o, i) = (var("n"), var("b"), var("o"), var("i"));
    let conds = [
        Cond::ge(&n, &int(0)),
        Cond::ge(&b, &int(1)),
        Cond::ge(&o, &int(0)),
    ];
    let last = n.sub(&int(1));
    let one = check_sum(
        &conds[..2],
        &["n", "b"],
        "i",
        &int(0),
        &last,
        &over(&i, &b).floor(),
    );
    assert!(one.is_closed(), "{one}");
    let two = check_sum(
        &conds,
        &["n", "b", "o"],
        "i",
        &int(0),
        &last,
        &over(&i.scale(&3.into()).add(&o), &b).floor(),
    );
    assert!(two.is_closed(), "{two}");
    let three = check_sum(
        &conds,
        &["n", "b", "o"],
        "i",
        &int(0),
        &last,
        &over(&o.sub(&i), &b).floor(),
    );
    assert!(three.is_closed(), "{three}");
}

#[test]
fn the_last_chunk_is_split_off() {
    let (n, b, m, i, o) = (var("n"), var("b"), var("m"), var("i"), var("o"));
    let conds = [
        Cond::ge(&m, &int(1)),
        Cond::le(&m, &n),
        Cond::ge(&b, &int(1)),
    ];
    let chunks = over(&n, &m).ceil();
    let width = Expr::min(vec![m.clone(), n.sub(&i.mul(&m))]);
    let last = chunks.sub(&int(1));
    let names = ["n", "b", "m"];
    let words = check_sum(&conds, &names, "i", &int(0), &last, &width);
    assert_eq!(words.to_string(), "n");
    let blocks = over(&width, &b).ceil();
    let sum = check_sum(&conds, &names, "i", &int(0), &last, &blocks);
    assert!(sum.is_closed(), "{sum}");
    // A copy at an offset: all MPs but the last straddle a boundary unless b divides it.
    let conds = [
        Cond::ge(&n, &int(1)),
        Cond::ge(&b, &int(1)),
        Cond::ge(&o, &int(0)),
    ];
    let first = i.mul(&b).add(&o);
    let width = Expr::min(vec![b.clone(), n.sub(&i.mul(&b))]);
    let end = first.add(&width).sub(&int(1));
    let touched = over(&end, &b)
        .floor()
        .sub(&over(&first, &b).floor())
        .add(&int(1));
    let mps = over(&n, &b).ceil();
    let last = mps.sub(&int(1));
    let sum = check_sum(&conds, &["n", "b", "o"], "i", &int(0), &last, &touched);
    assert!(sum.is_closed(), "{sum}");
}

#[test]
fn powers_pass_one_at_a_threshold() {
    let (n, b, s) = (var("n"), var("b"), var("s"));
    let conds = [
        Cond::power_of(&b, &int(2)),
        Cond::ge(&b, &int(2)),
        Cond::power_of(&n, &int(2)),
        Cond::ge(&n, &b),
    ];
    let log = |e: &Expr| Expr::log(&int(2), e);
    let share = over(&int(2).pow(&s), &b);
    let last = log(&n).sub(&int(1));
    let sum = check_sum(&conds, &["n", "b"], "s", &int(0), &last, &share.floor());
    assert_eq!(sum.to_string(), "n/b - 1");
    check_sum(&conds, &["n", "b"], "s", &int(0), &last, &share.ceil());
    let falling = over(&b, &int(2).pow(&s));
    check_sum(&conds, &["n", "b"], "s", &int(0), &last, &falling.ceil());
    let both = share.ceil().mul(&share.floor());
    check_sum(&conds, &["n", "b"], "s", &int(0), &last, &both);
    let reaches = Expr::bracket(Cond::ge(&int(2).pow(&s), &b));
    let sum = check_sum(&conds, &["n", "b"], "s", &int(0), &last, &reaches);
    assert_eq!(sum.to_string(), "log2 (n/b)");
    let conflicts = over(&Expr::gcd(&b, &int(2).pow(&s)), &int(2).pow(&s)).ceil();
    check_sum(&conds, &["n", "b"], "s", &int(0), &log(&b), &conflicts);
}

#[test]
fn rounds_that_divide_by_a_product() {
    let (n, b, r) = (var("n"), var("b"), var("r"));
    let base = b.scale(&2.into());
    let conds = [
        Cond::ge(&b, &int(1)),
        Cond::power_of(&n, &base),
        Cond::ge(&n, &base),
    ];
    let rounds = Expr::log(&base, &n);
    let each = over(&n, &base.pow(&r));
    let sum = check_sum(&conds, &["n", "b"], "r", &int(1), &rounds, &each);
    assert_eq!(sum.to_string(), "(n - 1)/(2b - 1)");
    let ceilings = check_sum(&conds, &["n", "b"], "r", &int(1), &rounds, &each.ceil());
    assert_eq!(sum, ceilings);
}

#[test]
fn waves_of_rounds() {
    let (n, b, m, r) = (var("n"), var("b"), var("m"), var("r"));
    let conds = [
        Cond::ge(&n, &int(1)),
        Cond::ge(&m, &int(1)),
        Cond::ge(&b, &int(2)),
    ];
    let rounds = Expr::max(vec![int(1), Expr::log(&b, &n).ceil()]);
    let waves = over(&n, &m.mul(&b.pow(&r))).ceil();
    let sum = check_sum(&conds, &["n", "b", "m"], "r", &int(1), &rounds, &waves);
    assert!(sum.is_closed(), "{sum}");
    assert!(sum.to_string().contains("digit_sum(⌈n/m⌉ - 1, b)"), "{sum}");
}

#[test]
fn polynomials_of_floors() {
    let (n, b, i) = (var("n"), var("b"), var("i"));
    let conds = [Cond::ge(&n, &int(1)), Cond::ge(&b, &int(1))];
    let quotient = over(&i, &b);
    for body in [
        i.mul(&quotient.floor()),
        i.mul(&i).mul(&quotient.ceil()),
        quotient.floor().mul(&quotient.floor()),
        i.mul(&over(&n.sub(&i), &b).floor()),
    ] {
        let sum = check_sum(&conds, &["n", "b"], "i", &int(0), &n, &body);
        assert!(sum.is_closed(), "{sum}");
    }
}

#[test]
fn residues_are_summed_apart() {
    let (n, i) = (var("n"), var("i"));
    let conds = [Cond::ge(&n, &int(1))];
    let (half, third) = (over(&i, &int(2)).floor(), over(&i, &int(3)).floor());
    let sum = check_sum(&conds, &["n"], "i", &int(0), &n, &half.mul(&third));
    assert!(sum.is_closed(), "{sum}");
    let odd = i.sub(&half.scale(&2.into()));
    check_sum(&conds, &["n"], "i", &int(1), &n, &odd.mul(&third).mul(&i));
}

#[test]
fn brackets_that_say_nothing_are_left_out() {
    let n = var("n");
    let facts = facts(&[Cond::ge(&n, &int(1))]);
    let (more, one) = (
        Expr::bracket(Cond::ge(&n, &int(2))),
        Expr::bracket(Cond::lt(&n, &int(2))),
    );
    let shown = |e: Expr| facts.without_idle_brackets(&e).to_string();
    let before = n.sub(&int(1));
    assert_eq!(shown(before.mul(&more)), "n - 1");
    assert_eq!(shown(n.mul(&before).mul(&more)), "n(n - 1)");
    assert_eq!(shown(n.mul(&more).add(&one)), "n");
    assert_eq!(shown(before.mul(&more).add(&one)), "max(n - 1, 1)");
    assert_eq!(shown(n.mul(&more)), "n·[n ≥ 2]");
}

#[test]
fn the_last_digit_goes_with_the_others() {
    let (n, b) = (var("n"), var("b"));
    let facts = facts(&[Cond::ge(&n, &int(1)), Cond::ge(&b, &int(2))]);
    let short = Expr::digit_sum(&over(&n, &b).ceil().sub(&int(1)), &b);
    let simple = facts.simplify(&short);
    for_each_point(&["n", "b"], 2..=40, &mut |point| {
        let values = at(point);
        assert_eq!(
            simple.evaluate(&values),
            short.evaluate(&values),
            "{point:?}"
        );
    });
    let large = [("n", 1_000_000_000_000_000_000), ("b", 1 << 20)];
    assert_eq!(simple.evaluate(&at(&large)), short.evaluate(&at(&large)));
}

/// Looking into a sum inside a sum gives it no other name, so there is an end to it.
#[test]
fn unsolved_sums_inside_each_other_stay_as_they_are() {
    let work = || {
        let (i, j, m) = (var("i"), var("j"), var("m"));
        let cores = Expr::min(vec![m.sub(&i).add(&int(1)), int(16).sub(&i)]);
        let body = over(&int(1), &cores.add(&j));
        let facts = facts(&[Cond::ge(&m, &int(1))]);
        let inner = facts.sum(&symbol("j"), &int(1), &m, &body);
        let outer = facts.sum(&symbol("i"), &int(1), &int(15), &inner);
        assert_eq!(facts.simplify(&outer), outer);
        // The same under other names.
        let renamed = body.substitute(&symbol("j"), &var("k"));
        let inner = facts.sum(&symbol("k"), &int(1), &m, &renamed);
        let inner = inner.substitute(&symbol("i"), &var("s"));
        assert_eq!(facts.sum(&symbol("s"), &int(1), &int(15), &inner), outer);
        outer.to_string()
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let form = thread.spawn(work).expect("a thread").join();
    assert_eq!(
        form.expect("a small stack is enough"),
        "(Σ i ∈ 1..15 : (Σ j ∈ 1..m : 1/(j + min(m - i + 1, 16 - i))))"
    );
}

/// Rounds that only look like n/b, n/b², …: steps of two, a dividend that moves, a base that may be
/// 1, a dividend that may be 0 or not whole.
#[test]
fn rounds_that_are_no_plain_division() {
    let (n, b, v) = (var("n"), var("b"), var("i"));
    let least = |x: &Expr, value: i64| Cond::ge(x, &int(value));
    let power = |base: &Expr, exponent: &Expr| base.pow(&exponent.neg());
    for (base, names) in [
        (b.clone(), &["n", "b"][..]),
        (int(2), &["n"]),
        (int(3), &["n"]),
    ] {
        let one = power(&base, &v);
        let bodies = [
            n.mul(&power(&base, &v.scale(&2.into()))),
            n.mul(&one.mul(&one)),
            n.mul(&v).mul(&one),
            n.mul(&one),
            n.sub(&int(3)).mul(&one),
            over(&n, &int(2)).mul(&one),
            n.mul(&power(&base, &v.add(&int(1)))),
        ];
        let logs = Expr::log(&base, &n).ceil();
        for (least_n, least_b, ends) in [
            (0, 2, [n.clone(), n.add(&int(2))]),
            (1, 2, [logs.clone(), logs.sub(&int(1))]),
            (1, 1, [n.clone(), logs.clone()]),
        ] {
            let conds = [least(&n, least_n), least(&b, least_b)];
            let conds = &conds[..names.len()];
            for high in &ends {
                for body in &bodies {
                    check_sum(conds, names, "i", &int(1), high, &body.floor());
                    check_sum(conds, names, "i", &int(1), high, &body.ceil());
                }
            }
        }
    }
}
