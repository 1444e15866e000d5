//! Block counts, maxima and classes under facts, against numbers and against how a person would
//! write them.

use crate::sym::support::{at, facts, for_each_point, int, over, symbol, var};
use atgpu::number::Rational;
use atgpu::sym::order::{class, is_big_o};
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::{Cond, Expr, Facts, Symbol};

/// ⌊(A + s·hi)/b⌋ − ⌊(A + s·lo)/b⌋ + 1, simplified; the value must survive.
fn blocks(facts: &Facts, conds: &[Cond], first: &Expr, last: &Expr) -> Expr {
    let b = var("b");
    let raw = over(last, &b)
        .floor()
        .sub(&over(first, &b).floor())
        .add(&int(1));
    let simple = facts.simplify(&raw);
    let mut points = 0;
    for_each_point(&["b", "n", "o", "i", "s"], 0..=6, &mut |point| {
        let values = at(point);
        if conds.iter().all(|cond| cond.evaluate(&values) == Ok(true)) {
            points += 1;
            assert_eq!(
                raw.evaluate(&values),
                simple.evaluate(&values),
                "{simple} {point:?}"
            );
        }
    });
    assert!(points > 3);
    simple
}

#[test]
fn blocks_of_one_access() {
    let (b, n, o, i, s) = (var("b"), var("n"), var("o"), var("i"), var("s"));
    let one = int(1);
    let warp = i.mul(&b);
    let base = vec![
        Cond::ge(&b, &one),
        Cond::ge(&i, &int(0)),
        Cond::ge(&n, &one),
    ];
    let with = |more: &[Cond]| -> Vec<Cond> { base.iter().chain(more).cloned().collect() };
    let count = |conds: &[Cond], first: &Expr, last: &Expr| {
        blocks(&facts(conds), conds, first, last).to_string()
    };
    let end = warp.add(&b).sub(&one);
    assert_eq!(count(&base, &warp, &end), "1");
    let guarded = with(&[Cond::lt(&warp, &n)]);
    let last = warp.add(&Expr::min(vec![b.sub(&one), n.sub(&one).sub(&warp)]));
    assert_eq!(count(&guarded, &warp, &last), "1");
    let shifted = with(&[Cond::gt(&o, &int(0)), Cond::lt(&o, &b)]);
    assert_eq!(count(&shifted, &warp.add(&o), &end.add(&o)), "2");
    let anywhere = with(&[Cond::ge(&o, &int(0))]);
    assert_eq!(count(&anywhere, &warp.add(&o), &end.add(&o)), "2 - [b | o]");
    let strided = with(&[Cond::ge(&s, &one), Cond::le(&s, &b)]);
    let first = warp.mul(&s);
    let last = s.mul(&end);
    assert_eq!(count(&strided, &first, &last), "s");
}

#[test]
fn nested_ceilings_and_remainders() {
    let (b, n, i, j) = (var("b"), var("n"), var("i"), var("j"));
    let facts = facts(&[
        Cond::ge(&b, &int(1)),
        Cond::ge(&n, &int(1)),
        Cond::ge(&j, &int(0)),
        Cond::lt(&j, &b),
    ]);
    let twice = over(&over(&n, &b).ceil(), &b).ceil();
    assert_eq!(facts.simplify(&twice), over(&n, &b.mul(&b)).ceil());
    let index = i.mul(&b).add(&j);
    assert_eq!(
        facts.simplify(&index.floor_div(&b).expect("b is no number")),
        i
    );
    assert_eq!(
        facts.simplify(&index.modulo(&b).expect("b is no number")),
        j
    );
    let up = over(&n.add(&b).sub(&int(1)), &b).floor();
    assert_eq!(facts.simplify(&up), facts.simplify(&over(&n, &b).ceil()));
}

#[test]
fn whole_quotients() {
    let (b, n, r, s) = (var("b"), var("n"), var("r"), var("s"));
    let mut known = Facts::new();
    known.assume(&Cond::divides(&b, &n));
    known.assume(&Cond::ge(&b, &int(1)));
    assert!(known.is_integer(&over(&n, &b)));
    assert!(!known.is_integer(&over(&b, &n)));
    assert_eq!(known.simplify(&over(&n, &b).ceil()), over(&n, &b));
    assert_eq!(known.used(), ["b | n"]);
    let k = over(&n, &b);
    assert!(known.is_integer(&over(&k.mul(&k.add(&int(1))), &int(2))));
    assert!(!known.is_integer(&over(&k.mul(&k), &int(2))));
    let mut powers = Facts::new();
    powers.assume(&Cond::power_of(&n, &b));
    powers.assume(&Cond::power_of(&b, &int(2)));
    powers.assume(&Cond::ge(&b, &int(2)));
    powers.suppose(&Cond::ge(&r, &int(1)));
    powers.suppose(&Cond::le(&r, &Expr::log(&b, &n)));
    powers.suppose(&Cond::ge(&s, &int(1)));
    powers.suppose(&Cond::le(&s, &Expr::log(&int(2), &b)));
    assert!(powers.is_integer(&over(&n, &b.pow(&r))));
    assert!(powers.is_integer(&over(&b, &int(2).pow(&s))));
    assert!(!powers.is_integer(&over(&n, &b.pow(&r.add(&int(1))))));
    assert_eq!(
        powers.prove(&Cond::ge(&over(&n, &b.pow(&r)), &int(1))),
        Some(true)
    );
}

#[test]
fn whole_quotients_of_a_number() {
    let b = var("b");
    let known = facts(&[Cond::divides(&b, &int(1024)), Cond::ge(&b, &int(1))]);
    let r = over(&int(1024), &b);
    assert!(known.is_integer(&r));
    assert!(known.is_integer(&over(&int(3072), &b)));
    assert!(!known.is_integer(&over(&int(512), &b)));
    assert!(!known.is_integer(&over(&int(1536), &b)));
    assert!(!known.is_integer(&over(&int(1024), &b.mul(&b))));
    let least_two = Expr::bracket(Cond::ge(&r, &int(2)));
    assert_eq!(known.simplify(&least_two).to_string(), "[b ≤ 512]");
    // Of b | 2n, only even multiples.
    let n = var("n");
    let known = facts(&[
        Cond::divides(&b, &n.scale(&2.into())),
        Cond::ge(&b, &int(1)),
    ]);
    for times in 1..=4 {
        let quotient = over(&n.scale(&times.into()), &b);
        assert_eq!(known.is_integer(&quotient), times % 2 == 0, "{times}n/b");
    }
}

#[test]
fn maxima() {
    let (k, i, m) = (var("k"), var("i"), var("m"));
    let facts = facts(&[Cond::ge(&k, &int(1))]);
    let last = k.sub(&int(1));
    let variable = symbol("i");
    let largest = |body: &Expr| {
        let found = facts.maximum(&variable, &int(0), &last, body);
        if let Some(found) = &found {
            for_each_point(&["k", "m"], 1..=9, &mut |point| {
                let values = at(point);
                let k = values(&symbol("k")).and_then(|k| k.to_i64()).unwrap_or(0);
                let best = (0..k)
                    .filter_map(|here| {
                        body.substitute(&variable, &int(here))
                            .evaluate(&values)
                            .ok()
                    })
                    .max();
                assert_eq!(found.evaluate(&values).ok(), best, "{found} at {point:?}");
            });
        }
        found.map(|value| value.to_string())
    };
    assert_eq!(largest(&int(16)).as_deref(), Some("16"));
    assert_eq!(
        largest(&i.scale(&3.into()).add(&int(2))).as_deref(),
        Some("3k - 1")
    );
    assert_eq!(largest(&i.neg()).as_deref(), Some("0"));
    let bracket = |cond: Cond| Expr::bracket(cond);
    let last_costs_more = int(13).add(&bracket(Cond::eq(&i, &last)).scale(&4.into()));
    assert_eq!(largest(&last_costs_more).as_deref(), Some("17"));
    let guarded = int(3).add(&bracket(Cond::lt(&i, &m)).scale(&9.into()));
    assert!(largest(&guarded).is_some());
    let third = i.modulo(&int(3)).expect("3 is not 0");
    let by_class = int(14)
        .add(&bracket(Cond::eq(&third, &int(1))).mul(&m.scale(&4.into())))
        .add(&bracket(Cond::eq(&third, &int(2))).scale(&6.into()));
    assert!(largest(&by_class).is_some() || !facts.proves_non_negative(&m));
}

trait ProvesNonNegative {
    fn proves_non_negative(&self, e: &Expr) -> bool;
}

impl ProvesNonNegative for Facts {
    fn proves_non_negative(&self, e: &Expr) -> bool {
        self.prove(&Cond::ge(e, &int(0))) == Some(true)
    }
}

#[test]
fn classes() {
    let (n, b) = (var("n"), var("b"));
    let mut facts = facts(&[
        Cond::divides(&b, &n),
        Cond::ge(&n, &int(1)),
        Cond::ge(&b, &int(1)),
    ]);
    for letter in ["α", "β", "γ", "λ", "σ"] {
        facts.positive_real(&symbol(letter));
    }
    let growing = [symbol("n"), symbol("b")];
    let of = |e: &Expr| class(e, &growing, &facts).map(|class| class.to_string());
    assert_eq!(of(&int(13)).as_deref(), Some("Θ(1)"));
    assert_eq!(
        of(&over(&n, &b).ceil().scale(&3.into())).as_deref(),
        Some("Θ(n/b)")
    );
    let io = over(&n.mul(&n), &b.mul(&b)).mul(&n.scale(&2.into()).add(&b));
    assert_eq!(of(&io).as_deref(), Some("Θ(n^3/b^2)"));
    let transfer = var("α")
        .scale(&3.into())
        .add(&var("β").mul(&n).scale(&3.into()));
    assert_eq!(of(&transfer).as_deref(), Some("Θ(α + nβ)"));
    let levels = Expr::log(&int(2), &b).scale(&9.into()).add(&int(6));
    assert_eq!(of(&levels).as_deref(), Some("Θ(log2 b)"));
    // Of a minimum, the item that adds nothing to the rest.
    let rows = Expr::min(vec![b.add(&int(1)), n.clone()]);
    assert_eq!(of(&rows.add(&b)).as_deref(), Some("Θ(b)"));
    assert_eq!(of(&rows.add(&n)).as_deref(), Some("Θ(n)"));
    assert_eq!(
        of(&rows.mul(&rows).add(&b)).map(|class| class.starts_with('O')),
        Some(true)
    );
    let rounds = over(&n.sub(&int(1)), &b.sub(&int(1)));
    assert_eq!(of(&rounds).as_deref(), Some("Θ(n/b)"));
    assert_eq!(
        is_big_o(&rounds, &over(&n, &b), &growing, &facts),
        Some(true)
    );
    assert_eq!(is_big_o(&n, &over(&n, &b), &growing, &facts), Some(false));
    assert_eq!(
        is_big_o(&io, &over(&n.pow(&int(3)), &b), &growing, &facts),
        Some(true)
    );
    assert_eq!(
        is_big_o(&n, &n.mul(&Expr::log(&int(2), &n)), &growing, &facts),
        Some(true)
    );
    assert_eq!(
        is_big_o(&n.mul(&Expr::log(&int(2), &n)), &n, &growing, &facts),
        Some(false)
    );
}

/// Σ over r = 1 to n of ⌈n/r⌉ is about n·ln n: each term is at least 1, and at most n.
#[test]
fn a_sum_without_a_closed_form_is_no_less_than_its_terms() {
    let n = var("n");
    let r = symbol("r");
    let facts = facts(&[Cond::ge(&n, &int(1))]);
    let each = over(&n, &Expr::symbol(&r)).ceil();
    let sum = facts.sum(&r, &int(1), &n, &each);
    assert!(!sum.is_closed(), "{sum}");
    let growing = [symbol("n")];
    let is_o = |f: &Expr, g: &Expr| is_big_o(f, g, &growing, &facts);
    assert_eq!(is_o(&sum, &n.mul(&n)), Some(true));
    assert_ne!(is_o(&sum, &n), Some(true));
    assert_eq!(is_o(&sum, &int(1)), Some(false));
    assert_eq!(is_o(&n, &sum), Some(true));
    let found = class(&sum, &growing, &facts).map(|class| class.to_string());
    assert_eq!(found.as_deref(), Some("O(n^2)"));
}

#[test]
fn incomparable_terms_stay() {
    let (n, b) = (var("n"), var("b"));
    let facts = facts(&[Cond::ge(&n, &int(1)), Cond::ge(&b, &int(1))]);
    let io = over(&n.pow(&int(3)), &b.mul(&b)).add(&over(&n.mul(&n), &b));
    let growing = [symbol("n"), symbol("b")];
    let found = class(&io, &growing, &facts).map(|class| class.to_string());
    assert_eq!(found.as_deref(), Some("Θ((n/b)^2(n + b))"));
    let blocks = over(&n, &b).ceil();
    let found = class(&blocks, &growing, &facts).map(|class| class.to_string());
    assert_eq!(found.as_deref(), Some("Θ(n/b + 1)"));
}

#[test]
fn written_as_a_person_would() {
    let (n, b, k) = (var("n"), var("b"), var("k"));
    let letter = |name: &str| var(name);
    let io = over(&n.mul(&n), &b.mul(&b)).mul(&n.scale(&2.into()).add(&b));
    assert_eq!(io.to_string(), "(n/b)^2(2n + b)");
    assert_eq!(
        io.to_latex(),
        "\\left(\\frac{n}{b}\\right)^{2} \\left(2 n + b\\right)"
    );
    let names = |name: &str, value: Expr| Names {
        definitions: vec![(name.to_string(), value)],
    };
    let printer = Printer::new(&names("r", over(&n, &b)));
    assert_eq!(printer.text(&io), "r^2(2n + b)");
    let mps = over(&n, &b).ceil();
    let printer = Printer::new(&names("k", mps.clone()));
    assert_eq!(printer.text(&mps.scale(&3.into())), "3k");
    assert_eq!(mps.scale(&2.into()).to_string(), "2⌈n/b⌉");
    let cost = letter("α")
        .scale(&3.into())
        .add(&n.mul(&letter("β")).scale(&3.into()))
        .add(&over(
            &int(13).add(&k.mul(&letter("λ")).scale(&3.into())),
            &letter("γ"),
        ))
        .add(&letter("σ"));
    assert_eq!(cost.to_string(), "3α + 3nβ + (13 + 3kλ)/γ + σ");
    assert_eq!(
        over(&n.sub(&int(1)), &b.sub(&int(1))).to_string(),
        "(n - 1)/(b - 1)"
    );
    assert_eq!(over(&n, &b.scale(&2.into())).to_string(), "n/(2b)");
    assert_eq!(int(3).mul(&b).mul(&b).to_string(), "3b^2");
    assert_eq!(n.mul(&b).mul(&b).to_string(), "n·b^2");
    assert_eq!(int(3).mul(&int(2).pow(&k)).to_string(), "3·2^k");
    assert_eq!(Cond::lt(&n, &b).to_string(), "n < b");
    assert_eq!(Cond::ge(&n, &int(1)).to_string(), "n ≥ 1");
    assert_eq!(Cond::le(&int(0), &n).to_string(), "n ≥ 0");
    assert_eq!(Cond::ne(&n, &b).to_string(), "n ≠ b");
}

#[test]
fn numbers_of_any_size() {
    let (n, b) = (var("n"), var("b"));
    let values = |symbol: &Symbol| match &*symbol.name {
        "n" => Rational::new(10i64.pow(18), 1),
        _ => Rational::new(1 << 20, 1),
    };
    let rounds = Expr::log(&b, &n).ceil();
    assert_eq!(rounds.evaluate(&values), Ok(Rational::from(3)));
    let sum = Expr::floor_sum(&n, &int(3), &int(7), &b);
    let expected = "1430511474609375000000000000000000";
    let found = sum.evaluate(&values).map(|value| value.to_string());
    assert!(
        found
            .as_ref()
            .is_ok_and(|text| text.len() >= expected.len() - 3),
        "{found:?}"
    );
    assert_eq!(
        Expr::digit_sum(&n, &b)
            .evaluate(&values)
            .map(|v| v.is_integer()),
        Ok(true)
    );
}

#[test]
fn logarithms_of_a_power_meet() {
    let (n, b) = (var("n"), var("b"));
    let facts = facts(&[
        Cond::power_of(&b, &int(2)),
        Cond::ge(&b, &int(2)),
        Cond::power_of(&n, &b),
    ]);
    let product = Expr::log(&b, &n).mul(&Expr::log(&int(2), &b));
    let difference = Expr::log(&int(2), &n).sub(&product);
    assert!(facts.simplify(&difference).is_zero());
    let growing = [symbol("n"), symbol("b")];
    let is_o = |f: &Expr, g: &Expr| is_big_o(f, g, &growing, &facts);
    assert_eq!(
        is_o(&Expr::log(&b, &n), &Expr::log(&int(2), &n)),
        Some(true)
    );
}

#[test]
fn opposite_brackets_are_one() {
    let n = var("n");
    let known = facts(&[Cond::ge(&n, &int(1))]);
    let first = Expr::bracket(Cond::eq(&n, &int(1)));
    let later = Expr::bracket(Cond::ge(&n, &int(2)));
    assert_eq!(known.simplify(&first.add(&later)), int(1));
    let both = first.add(&later).mul(&n).add(&later);
    assert_eq!(known.simplify(&both), n.add(&later));
    // Below 1 both may fail.
    let open = facts(&[]);
    assert_eq!(open.simplify(&first.add(&later)), first.add(&later));
}

#[test]
fn conclusions_do_not_outlive_their_premises() {
    let (n, b) = (var("n"), var("b"));
    let mut known = facts(&[Cond::ge(&b, &int(1))]);
    let quotient = over(&n, &b).floor();
    assert_eq!(known.simplify(&quotient), quotient);
    let before = known.clone();
    known.suppose(&Cond::divides(&b, &n));
    assert_eq!(known.simplify(&quotient), over(&n, &b));
    assert_eq!(before.simplify(&quotient), quotient);
    let mut again = before.clone();
    again.suppose(&Cond::divides(&b, &n));
    assert_eq!(again.simplify(&quotient), over(&n, &b));
    again.suppose(&Cond::eq(&n, &int(0)));
    assert_eq!(again.prove(&Cond::eq(&n, &int(0))), Some(true));
    assert_eq!(known.prove(&Cond::eq(&n, &int(0))), None);
}

/// An alternative is told apart once, not again within its own cases.
#[test]
fn alternatives_are_told_apart_once() {
    let work = || {
        let (n, m, k) = (var("n"), var("m"), var("k"));
        let either =
            |x: &Expr, y: &Expr| Cond::or(vec![Cond::ge(x, &int(5)), Cond::ge(y, &int(3))]);
        let facts = facts(&[
            Cond::ge(&m, &int(0)),
            Cond::ge(&n, &int(0)),
            either(&n, &m),
            either(&m, &k),
        ]);
        // One of them is 3 in both cases.
        assert_eq!(facts.prove(&Cond::ge(&n.add(&m), &int(3))), Some(true));
        assert_eq!(facts.prove(&Cond::ge(&n.add(&m), &int(4))), None);
        assert_eq!(facts.prove(&either(&n, &m)), Some(true));
        assert_eq!(facts.used().len(), 3);
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let ended = thread.spawn(work).expect("a thread").join();
    ended.expect("a small stack is enough");
}

/// h·(q − 3) = 0 holds at q = 3 alone only where h is not 0.
#[test]
fn a_slope_that_may_be_0_singles_nothing_out() {
    let (h, m, q) = (var("s"), var("n"), symbol("i"));
    let zero = int(0);
    let distance = Expr::symbol(&q).sub(&int(3));
    let meets = Expr::bracket(Cond::eq(&h.mul(&distance), &zero));
    let maximum = |least: i64| {
        let mut facts = Facts::new();
        facts.assume(&Cond::ge(&h, &int(least)));
        facts.maximum(&q, &int(4), &m, &meets)
    };
    assert_eq!(maximum(1), Some(zero));
    let found = maximum(0);
    assert!(found != Some(int(0)), "{found:?}");
}

/// Every whole number is a multiple of 1, and 1/n is none.
/// Rounding keeps the order, whatever else is in the sum.
#[test]
fn floors_are_ordered_as_what_is_rounded() {
    let (b, n, o, s) = (var("b"), var("n"), var("o"), var("s"));
    let facts = facts(&[Cond::ge(&b, &int(1)), Cond::ge(&o, &int(0))]);
    let power = |exponent: &Expr| int(2).pow(exponent);
    for (above, below) in [
        (n.add(&o), n.clone()),
        (Expr::max(vec![n.clone(), o.clone()]), n.clone()),
        (power(&n.add(&o)), power(&n)),
    ] {
        for beside in [int(0), s.mul(&s)] {
            let (above, below) = (over(&above, &b).floor(), over(&below, &b).floor());
            let order = Expr::bracket(Cond::ge(&above.add(&beside), &below));
            assert_eq!(facts.simplify(&order).to_string(), "1");
        }
    }
}

/// 2^i ≥ 2^j + 1 is i > j between whole numbers, but not where j is below 0.
#[test]
fn powers_are_ordered_as_their_exponents_where_they_are_whole() {
    let (i, j) = (var("i"), var("j"));
    let (large, small) = (int(2).pow(&i), int(2).pow(&j));
    let above = Cond::ge(&large, &small.add(&int(1)));
    let (i_is, j_is) = (Cond::ge(&i, &int(0)), Cond::ge(&j, &int(0)));
    for (conds, is_order) in [
        (vec![], false),
        (vec![i_is.clone()], false),
        (vec![j_is.clone()], false),
        (vec![i_is, j_is], true),
    ] {
        let facts = facts(&conds);
        let bracket = Expr::bracket(above.clone());
        let simple = facts.simplify(&bracket);
        assert!(!is_order || simple.to_string() == "[i ≥ j + 1]", "{simple}");
        for_each_point(&["i", "j"], -3..=4, &mut |point| {
            let values = at(point);
            if conds.iter().all(|cond| cond.evaluate(&values) == Ok(true)) {
                let (is, was) = (simple.evaluate(&values), bracket.evaluate(&values));
                assert_eq!(is, was, "{simple} at {point:?}");
            }
        });
    }
}

#[test]
fn a_fraction_is_no_multiple_of_1() {
    let n = var("n");
    assert_eq!(Cond::divides(&int(1), &n), Cond::True);
    let fraction = Cond::divides(&int(1), &over(&int(1), &n));
    let value = fraction.evaluate(&|_| Some(Rational::from(2)));
    assert_eq!(value, Ok(false), "{fraction:?}");
}

#[test]
fn products_have_the_sign_of_their_factors() {
    let (b, n, x) = (var("b"), var("n"), var("o"));
    let signs = facts(&[
        Cond::ge(&b, &int(1)),
        Cond::ge(&n, &int(1)),
        Cond::ge(&x, &int(-5)),
    ]);
    let rows = over(&n, &b).ceil();
    let some = Expr::bracket(Cond::ge(&n, &int(3)));
    let product = |x: &Expr| rows.mul(&rows).mul(x).add(&some);
    let at_least_0 = |e: &Expr| signs.prove(&Cond::ge(e, &int(0)));
    assert_eq!(at_least_0(&product(&n)), Some(true));
    assert_eq!(at_least_0(&product(&x.add(&int(5)))), Some(true));
    // It may be negative, however far from it its least value is.
    assert_eq!(at_least_0(&x.mul(&some)), None);
    assert_eq!(at_least_0(&product(&x)), None);
}

/// Without its floor the condition has another factor, and without that factor the floor again.
#[test]
fn a_floor_that_stands_twice_stays() {
    let (b, n, m) = (var("b"), var("n"), var("m"));
    let mut facts = Facts::new();
    for size in [&b, &n, &m] {
        facts.assume(&Cond::ge(size, &int(1)));
    }
    let wider = b.add(&int(1));
    let rows = over(&n.sub(&m).add(&int(2)), &wider).ceil();
    let left = n.add(&wider);
    let right = wider.mul(&rows).add(&m);
    for cond in [
        Cond::ge(&left, &right),
        Cond::gt(&b.mul(&left.add(&int(1))), &b.mul(&right)),
    ] {
        let bracket = Expr::bracket(cond);
        let simple = facts.simplify(&bracket);
        for_each_point(&["b", "n", "m"], 1..=6, &mut |point| {
            let values = at(point);
            assert_eq!(bracket.evaluate(&values), simple.evaluate(&values));
        });
    }
}
