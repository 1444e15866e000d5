//! The one arithmetic against fractions of big integers and definitions written for these tests: all
//! counters share it, so that no two of them would notice a slip.

use num_rational::BigRational;
use num_traits::Zero;
use proptest::prelude::*;

use crate::meaning::arithmetic::*;
use crate::meaning::value::same_bits;
use crate::number::Rational;

#[test]
fn minimum_prefers_numbers_and_orders_zeros() {
    assert_eq!(float_minimum(f64::NAN, 1.0), 1.0);
    assert_eq!(float_minimum(1.0, f64::NAN), 1.0);
    assert!(float_minimum(0.0, -0.0).is_sign_negative());
    assert!(float_minimum(-0.0, 0.0).is_sign_negative());
    assert!(float_maximum(-0.0, 0.0).is_sign_positive());
    assert!(float_maximum(0.0, -0.0).is_sign_positive());
    assert!(float_maximum(f64::NAN, f64::NAN).is_nan());
}

#[test]
fn about_is_equal_but_for_rounding() {
    let is_about = |x: &Value, y: &Value| {
        let [there, back] = [(x, y), (y, x)].map(|(x, y)| relate(Relation::About, x, y).ok());
        assert_eq!(there, back, "{x} {y}");
        there == Some(true)
    };
    for (x, y) in [
        (0.1 + 0.2, 0.3),
        (1.0, 1.0 + 9e-10),
        (1e300, 1e300 * (1.0 + 9e-10)),
        (0.0, -9e-13),
        (f64::INFINITY, f64::INFINITY),
    ] {
        assert!(is_about(&Value::Float(x), &Value::Float(y)), "{x} {y}");
    }
    for (x, y) in [
        (1.0, 1.0 + 2e-9),
        (0.0, 2e-12),
        (f64::NAN, f64::NAN),
        (f64::NAN, 0.0),
        (f64::INFINITY, f64::MAX),
        (f64::INFINITY, f64::NEG_INFINITY),
        (f64::MAX, f64::MIN),
    ] {
        assert!(!is_about(&Value::Float(x), &Value::Float(y)), "{x} {y}");
    }
    let great = i64::MAX;
    assert!(!is_about(&Value::Whole(great), &Value::Whole(great - 1)));
    assert!(is_about(&Value::Whole(great), &Value::Float(great as f64)));
    let third = arithmetic(Arithmetic::Divide, &Value::Whole(1), &Value::Whole(3));
    let third = third.expect("a fraction");
    assert!(is_about(&third, &Value::Float(0.333_333_333_333)));
    assert!(!is_about(&third, &Value::Whole(0)));
}

#[test]
fn powers_and_divisors() {
    let power =
        |x: i64, y: i64| compare(Comparison::PowerOf, &Value::Whole(x), &Value::Whole(y)).ok();
    for (x, y) in [(1, 0), (1, 7), (8, 2), (9, -3), (4, -2), (1, -1)] {
        assert_eq!(power(x, y), Some(true), "{x} {y}");
    }
    for (x, y) in [(0, 2), (-2, -2), (6, 2), (2, 1), (8, -2), (2, 4)] {
        assert_eq!(power(x, y), Some(false), "{x} {y}");
    }
    let divides =
        |x: i64, y: i64| compare(Comparison::Divides, &Value::Whole(x), &Value::Whole(y)).ok();
    assert_eq!(divides(0, 0), Some(true));
    assert_eq!(divides(0, 5), Some(false));
    assert_eq!(divides(-2, 4), Some(true));
    assert_eq!(divides(2, 5), Some(false));
}

#[test]
fn floats_become_ints_only_where_they_fit() {
    assert_eq!(whole_float(-9_223_372_036_854_775_808.0), Some(i64::MIN));
    assert_eq!(whole_float(9_223_372_036_854_775_808.0), None);
    assert_eq!(whole_float(f64::NAN), None);
}

const OPERATORS: [Arithmetic; 7] = [
    Arithmetic::Add,
    Arithmetic::Subtract,
    Arithmetic::Multiply,
    Arithmetic::Divide,
    Arithmetic::FloorDivide,
    Arithmetic::Modulo,
    Arithmetic::Power,
];

/// The result as language.md has it, on fractions of big integers; `None` where there is none.
fn defined(operator: Arithmetic, x: &BigRational, y: &BigRational) -> Option<BigRational> {
    let floored = || (!y.is_zero()).then(|| (x / y).floor());
    Some(match operator {
        Arithmetic::Add => x + y,
        Arithmetic::Subtract => x - y,
        Arithmetic::Multiply => x * y,
        Arithmetic::Divide if y.is_zero() => return None,
        Arithmetic::Divide => x / y,
        Arithmetic::FloorDivide => floored()?,
        Arithmetic::Modulo => x - y * floored()?,
        Arithmetic::Power => {
            let exponent = y.to_integer().to_i32()?;
            if x.is_zero() && exponent < 0 {
                return None;
            }
            let one = BigRational::from_integer(1.into());
            let times = (0..exponent.unsigned_abs()).fold(one.clone(), |so_far, _| so_far * x);
            if exponent < 0 { one / times } else { times }
        }
    })
}

fn fraction(numerator: i64, denominator: i64) -> (BigRational, Real) {
    let big = BigRational::new(numerator.into(), denominator.into());
    let own = Rational::new(numerator, denominator).expect("not 0");
    (big, own.into())
}

fn big(value: &Real) -> BigRational {
    let value = value.to_rational().expect("fractions give fractions");
    BigRational::new(value.numerator(), value.denominator())
}

/// Words, small ones more often.
fn word() -> impl Strategy<Value = i64> {
    prop_oneof![-9i64..10, any::<i64>(), Just(i64::MIN), Just(i64::MAX)]
}

proptest! {
    #[test]
    fn words_give_what_numbers_of_any_size_give(x in word(), y in word()) {
        for operator in OPERATORS {
            let y = match operator {
                Arithmetic::Power => y % 70,
                _ => y,
            };
            let whole = |value: i64| BigRational::from_integer(value.into());
            let wanted = defined(operator, &whole(x), &whole(y));
            let found = arithmetic(operator, &Value::Whole(x), &Value::Whole(y));
            let found = found.ok().map(|found| big(&found.to_real()));
            prop_assert_eq!(&found, &wanted, "{:?} {} {}", operator, x, y);
            let fits = wanted
                .filter(BigRational::is_integer)
                .and_then(|value| value.to_integer().to_i64());
            if let Some(fast) = of_words(operator, x, y) {
                prop_assert_eq!(Some(fast), fits);
            }
        }
    }

    #[test]
    fn fractions_give_what_they_are_defined_to(
        (a, b) in (word(), 1i64..50), (c, d) in (word(), 1i64..50),
    ) {
        let ((x, own_x), (y, own_y)) = (fraction(a, b), fraction(c, d));
        for operator in OPERATORS {
            if operator == Arithmetic::Power {
                continue;
            }
            let found = of_reals(operator, &own_x, &own_y).ok().map(|found| big(&found));
            prop_assert_eq!(found, defined(operator, &x, &y), "{:?} {} {}", operator, x, y);
        }
        let order = x.cmp(&y);
        prop_assert_eq!(compare_exact(&Value::exact(own_x), &Value::exact(own_y)), order);
    }

    #[test]
    fn an_int_mixes_with_a_float_to_a_float(x in word(), y in any::<f64>()) {
        for operator in OPERATORS {
            let mixed = arithmetic(operator, &Value::Whole(x), &Value::Float(y));
            let wanted = of_floats(operator, x as f64, y);
            let is_same = matches!(mixed, Ok(Value::Float(found)) if same_bits(found, wanted));
            prop_assert!(is_same, "{:?} {} {}", operator, x, y);
        }
    }

    #[test]
    fn bits_are_those_of_the_binary_digits(x in 0..i64::MAX, y in 0..i64::MAX, by in 0u32..200) {
        let digit = |value: i64, at: u32| value >> at & 1 == 1;
        let from = |pick: &dyn Fn(u32) -> bool| {
            (0..63).filter(|at| pick(*at)).map(|at| BigInt::from(2).pow(at)).sum::<BigInt>()
        };
        let found = |function, y| bits_of_words(function, x, y).and_then(|found| found.to_integer());
        let both = from(&|at| digit(x, at) && digit(y, at));
        prop_assert_eq!(found(BitFunction::And, y), Some(both));
        let either = from(&|at| digit(x, at) || digit(y, at));
        prop_assert_eq!(found(BitFunction::Or, y), Some(either));
        let one = from(&|at| digit(x, at) != digit(y, at));
        prop_assert_eq!(found(BitFunction::Xor, y), Some(one));
        let (scale, by) = (BigInt::from(2).pow(by), i64::from(by));
        prop_assert_eq!(found(BitFunction::ShiftLeft, by), Some(&scale * x));
        prop_assert_eq!(found(BitFunction::ShiftRight, by), Some(BigInt::from(x) / scale));
    }

    #[test]
    fn extremes_and_brackets_bound(x in any::<f64>(), y in any::<f64>()) {
        let (least, most) = (float_minimum(x, y), float_maximum(x, y));
        prop_assert!(x.is_nan() || least <= x && x <= most);
        prop_assert!(y.is_nan() || least <= y && y <= most);
        prop_assert!(same_bits(least, x) || same_bits(least, y));
        prop_assert!(same_bits(most, x) || same_bits(most, y));
        if let Ok(Value::Whole(floor)) = floor(&Value::Float(x)) {
            prop_assert!(floor as f64 <= x && x < floor as f64 + 1.0 || x.abs() >= 2f64.powi(53));
        }
    }
}
