//! Values known by hand: where logarithms, roots and powers are rational, and how they round beside whole numbers.

use crate::number::real::*;

fn real(numerator: i64, denominator: i64) -> Real {
    Rational::new(numerator, denominator)
        .expect("not zero")
        .into()
}

fn whole(value: i64) -> Real {
    value.into()
}

#[test]
fn logs_of_powers_are_rational() {
    let log = |x: Real, base: Real| x.log(&base).and_then(|log| log.to_rational());
    assert_eq!(log(whole(8), whole(4)), Rational::new(3, 2));
    assert_eq!(log(real(1, 8), whole(4)), Rational::new(-3, 2));
    assert_eq!(log(whole(8), real(1, 4)), Rational::new(-3, 2));
    assert_eq!(log(real(27, 8), real(9, 4)), Rational::new(3, 2));
    assert_eq!(log(whole(4), whole(8)), Rational::new(2, 3));
    assert_eq!(log(whole(1), whole(8)), Some(Rational::ZERO));
    assert_eq!(log(whole(12), whole(18)), None);
    assert_eq!(log(whole(6), whole(2)), None);
    let huge = whole(2).power(&whole(60_000)).expect("below 2^16 bits");
    assert_eq!(log(huge, whole(32)), Some(12_000.into()));
    for (x, base) in [(0, 2), (-1, 2), (2, 1), (2, 0), (2, -3)] {
        assert!(whole(x).log(&whole(base)).is_none(), "log_{base} {x}");
    }
}

#[test]
fn logs_round_right_next_to_powers() {
    for exponent in 1..62 {
        for (offset, floor, ceil) in [(-1, -1, 0), (0, 0, 0), (1, 0, 1)] {
            let n = (1i64 << exponent) + offset;
            if n < 2 {
                continue;
            }
            let log = whole(n).log(&whole(2)).expect("positive");
            if exponent > 1 {
                assert_eq!(log.floor(), BigInt::from(exponent + floor), "{n}");
                assert_eq!(log.ceil(), BigInt::from(exponent + ceil), "{n}");
            }
        }
    }
    let power = whole(3).power(&whole(5000)).expect("small enough");
    let next = power.add(&whole(1)).log(&whole(3)).expect("positive");
    assert_eq!(next.floor(), BigInt::from(5000));
}

#[test]
fn sums_of_logs_may_come_out_whole() {
    let sum = whole(3)
        .log(&whole(2))
        .and_then(|left| Some(left.add(&real(4, 3).log(&whole(2))?)))
        .expect("positive");
    assert_eq!(sum.to_integer(), Some(2.into()));
    assert_eq!((sum.floor(), sum.ceil()), (2.into(), 2.into()));
    assert_eq!(sum.compare(&whole(2)), Ordering::Equal);
    let root = whole(2).sqrt().expect("positive");
    assert_eq!(root.multiply(&root).to_integer(), Some(2.into()));
    assert_eq!(root.to_integer(), None);
    assert!(whole(1).divide(&root.subtract(&root)).is_none());
}

#[test]
fn roots_and_powers() {
    let power = |base: Real, exponent: Real| base.power(&exponent);
    let rational = |value: Option<Real>| value.and_then(|value| value.to_rational());
    assert_eq!(rational(power(whole(8), real(2, 3))), Some(4.into()));
    assert_eq!(
        rational(power(real(4, 9), real(-1, 2))),
        Rational::new(3, 2)
    );
    assert_eq!(rational(power(whole(0), whole(0))), Some(1.into()));
    assert_eq!(rational(power(whole(-2), whole(3))), Some((-8).into()));
    assert_eq!(rational(power(whole(2), whole(-1))), Rational::new(1, 2));
    assert!(power(whole(0), whole(-1)).is_none());
    assert!(power(whole(-8), real(1, 3)).is_none());
    assert!(power(whole(2), whole(1_000_000_000)).is_none());
    assert!(power(whole(3), real(1_999_999_999, 2)).is_none());
    assert_eq!(rational(whole(49).sqrt()), Some(7.into()));
    assert_eq!(whole(50).sqrt().map(|root| root.ceil()), Some(8.into()));
    let cube = power(whole(2), real(1, 3)).expect("positive");
    assert!((cube.to_f64() - 2f64.cbrt()).abs() < 1e-15);
    assert_eq!(rational(power(cube, whole(3))), Some(2.into()));
}

#[test]
fn long_sums_stay_shallow() {
    let half = whole(2).sqrt().expect("positive");
    let mut sum = whole(0);
    for _ in 0..1000 {
        sum = sum.add(&half).add(&whole(1)).subtract(&half);
    }
    assert_eq!(sum.to_integer(), Some(1000.into()));
    assert!(sum.levels() <= MOST_LEVELS);
}

#[test]
fn doubles_are_close() {
    let log = whole(10).log(&whole(2)).expect("positive");
    assert!((log.to_f64() - 10f64.log2()).abs() < 1e-14);
    let tiny = power_of(whole(2), real(-401, 2)).to_f64();
    assert!((tiny / 2f64.powf(-200.5) - 1.0).abs() < 1e-12);
    let large = power_of(whole(3), real(401, 2)).to_f64();
    assert!((large / 3f64.powf(200.5) - 1.0).abs() < 1e-12);
}

fn power_of(base: Real, exponent: Real) -> Real {
    base.power(&exponent).expect("defined")
}
