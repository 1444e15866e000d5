//! Words and long numbers say the same, at the ends of a word and at random; doubles are the nearest ones.

use num_traits::ToPrimitive;
use proptest::prelude::*;

use crate::number::rational::*;

proptest! {
    #[test]
    fn the_nearest_double_is_that_of_long_numbers(
        numerator in prop_oneof![any::<i128>(), any::<i64>().prop_map(i128::from)],
        cut in 0_u32..127,
        denominator in prop_oneof![1_u64..100, any::<u64>().prop_map(|it| it.max(1))],
    ) {
        let numerator = numerator >> cut;
        let long = BigRational::new(numerator.into(), denominator.into());
        prop_assert_eq!(nearest(numerator, denominator.into()), long.to_f64());
        prop_assert_eq!(nearest_of_long(numerator, denominator.into()), long.to_f64());
    }

    #[test]
    fn the_nearest_double_of_any_quotient_is_that_of_long_numbers(
        numerator in any::<i128>(),
        denominator in any::<i128>(),
        cuts in (0_u32..127, 0_u32..127),
    ) {
        let numerator = numerator >> cuts.0;
        let denominator = (denominator >> cuts.1).saturating_abs().max(1);
        let long = BigRational::new(numerator.into(), denominator.into());
        prop_assert_eq!(nearest_of_long(numerator, denominator), long.to_f64());
    }

    #[test]
    fn machine_words_say_what_long_numbers_do(
        (a, c) in (edge(), edge()),
        (b, d) in (prop_oneof![Just(1), 1_i64..9], prop_oneof![Just(1), 1_i64..9]),
    ) {
        let [x, y] = [(a, b), (c, d)].map(|(n, d)| BigRational::new(n.into(), d.into()));
        let [left, right] = [&x, &y].map(|value| Rational::from(value.clone()));
        prop_assert_eq!(&left + &right, (&x + &y).into());
        prop_assert_eq!(&left - &right, (&x - &y).into());
        prop_assert_eq!(&left * &right, (&x * &y).into());
        let quotient = (!y.is_zero()).then(|| (&x / &y).into());
        prop_assert_eq!(left.checked_div(&right), quotient);
        prop_assert_eq!(Some(left.to_f64()), x.to_f64());
        let content = BigRational::new(x.numer().gcd(y.numer()), x.denom().lcm(y.denom()));
        let content = Rational::from(content).nonzero().unwrap_or(Rational::ONE);
        prop_assert_eq!(Rational::content([&left, &right].into_iter()), content);
    }
}

/// Small numbers, and those at the ends of a machine word.
fn edge() -> impl Strategy<Value = i64> {
    let ends = [i64::MIN, i64::MIN + 1, -(1 << 53) - 1, 1 << 53, i64::MAX];
    prop_oneof![
        -12_i64..12,
        any::<i64>(),
        proptest::sample::select(ends.to_vec())
    ]
}

#[test]
fn the_nearest_double_of_ties_is_even() {
    let between = (1_i128 << 53) + 1;
    assert_eq!(nearest(between, 1), Some((1_i64 << 53) as f64));
    assert_eq!(nearest(between + 2, 1), Some(((1_i64 << 53) + 4) as f64));
    assert_eq!(nearest(-3, 1 << 54), Some(-3.0 / (1_i64 << 54) as f64));
    assert_eq!(nearest(0, 7), Some(0.0));
    assert_eq!(
        (nearest(1, 0), nearest(1, -1), nearest(1, 1 << 64)),
        (None, None, None)
    );
}

fn any_rational() -> impl Strategy<Value = Rational> {
    let part = prop_oneof![
        -20i128..20,
        any::<i64>().prop_map(i128::from),
        any::<i128>()
    ];
    (part.clone(), part).prop_filter_map("zero", |(n, d)| Rational::new(n, d))
}

proptest! {
    #[test]
    fn agrees_with_big_rationals(a in any_rational(), b in any_rational()) {
        prop_assert_eq!((&a + &b).big(), a.big() + b.big());
        prop_assert_eq!((&a - &b).big(), a.big() - b.big());
        prop_assert_eq!((&a * &b).big(), a.big() * b.big());
        prop_assert_eq!(a.cmp(&b), a.big().cmp(&b.big()));
        prop_assert_eq!(a.floor(), a.big().floor().to_integer());
        prop_assert_eq!(a.ceil(), a.big().ceil().to_integer());
        if !b.is_zero() {
            prop_assert_eq!((&a / &b).big(), a.big() / b.big());
        }
        prop_assert_eq!(Rational::from(a.big()), a);
    }
}

#[test]
fn the_smallest_words_do_not_overflow() {
    let least = Rational::from(i64::MIN);
    assert_eq!((-&least).to_string(), "9223372036854775808");
    assert_eq!(
        (&least / &Rational::from(-1)).to_string(),
        "9223372036854775808"
    );
    assert_eq!((&-&least + &Rational::from(-1)).to_i64(), Some(i64::MAX));
    assert_eq!(
        least.recip().map(|r| r.to_string()),
        Some("-1/9223372036854775808".into())
    );
}

#[test]
fn decimals_are_reduced() {
    for number in [-1200i64, -7, 0, 1, 2, 5, 16, 250, 625, 3_000_000] {
        for places in [0, 1, 2, 3, 7, 40] {
            let scale = Rational::from(10).pow(places).expect("a power");
            let wanted = Rational::from(number).checked_div(&scale).expect("not 0");
            let found = Rational::decimal(number.into(), places as u32);
            assert_eq!(found, wanted, "{number} / 10^{places}");
            assert_eq!(found.denominator(), wanted.denominator());
        }
    }
}

#[test]
fn powers() {
    assert_eq!(Rational::from(2).pow(-2), Rational::new(1, 4));
    assert_eq!(Rational::ZERO.pow(0), Some(Rational::ONE));
    assert_eq!(Rational::ZERO.pow(-1), None);
}
