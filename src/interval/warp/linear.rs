//! Arithmetic of known whole numbers that grow evenly with the MP's number, on bases and slopes
//! alone.

use crate::interval::lanes::{Base, DIMENSIONS, FLAT, Lanes, Slope};
use crate::number::theory;
use crate::program::Arithmetic;

pub(super) fn combine(p: &Slope, q: &Slope, f: fn(i64, i64) -> Option<i64>) -> Option<Slope> {
    // Works dimension by dimension; `f` is a checked operation, so an overflow gives `None`.
    let mut slope = FLAT;
    for d in 0..DIMENSIONS {
        slope[d] = f(p[d], q[d])?;
    }
    Some(slope)
}

/// Adds or subtracts known whole numbers; `None` on overflow.
pub(super) fn known_sum(left: &Lanes, right: &Lanes, subtract: bool) -> Option<Lanes> {
    let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) = (left, right)
    else {
        return None;
    };
    let f = if subtract {
        i64::checked_sub
    } else {
        i64::checked_add
    };
    Some(Lanes::Known {
        base: zip_bases(x, y, f)?,
        slope: combine(p, q, f)?,
    })
}

fn zip_bases(x: &Base, y: &Base, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Base> {
    Some(match (x, y) {
        (Base::Same(x), Base::Same(y)) => Base::Same(f(*x, *y)?),
        (Base::Each(x), Base::Same(y)) => {
            Base::Each(x.iter().map(|x| f(*x, *y)).collect::<Option<_>>()?)
        }
        (Base::Same(x), Base::Each(y)) => {
            Base::Each(y.iter().map(|y| f(*x, *y)).collect::<Option<_>>()?)
        }
        (Base::Each(x), Base::Each(y)) => {
            let pairs = x.iter().zip(y);
            Base::Each(pairs.map(|(x, y)| f(*x, *y)).collect::<Option<_>>()?)
        }
    })
}

/// Multiplies, if y has no slope and x has none either or y is the same for all cores.
pub(super) fn known_product(left: &Lanes, right: &Lanes) -> Option<Lanes> {
    let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) = (left, right)
    else {
        return None;
    };
    if *q != FLAT {
        return None;
    }
    let slope = match y {
        Base::Same(factor) => combine(p, &[*factor; DIMENSIONS], i64::checked_mul)?,
        Base::Each(_) if *p == FLAT => FLAT,
        Base::Each(_) => return None,
    };
    Some(Lanes::Known {
        base: zip_bases(x, y, i64::checked_mul)?,
        slope,
    })
}

/// Computes x/y, x div y or x mod y, if y is the same for all cores and divides the slope. `None`
/// if a
/// result is no whole number or y is 0.
pub(super) fn known_quotient(operator: Arithmetic, left: &Lanes, right: &Lanes) -> Option<Lanes> {
    let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) = (left, right)
    else {
        return None;
    };
    if *q != FLAT {
        return None;
    }
    let divide = |x: i64, y: i64| match operator {
        _ if y == 0 => None,
        Arithmetic::Divide => (x.checked_rem(y)? == 0).then(|| x / y),
        Arithmetic::FloorDivide => theory::floor_quotient(x, y),
        Arithmetic::Modulo => theory::floor_remainder(x, y),
        Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply | Arithmetic::Power => None,
    };
    // With slope 64 and divisor 32, x div 32 has slope 2, and x mod 32 is the same for all MPs. A
    // divisor that does not divide the slope makes neither even.
    let slope = match y {
        Base::Same(divisor) if *p != FLAT => {
            let exact = |x: i64, y: i64| (x.checked_rem(y)? == 0).then(|| x / y);
            let quotient = combine(p, &[*divisor; DIMENSIONS], exact)?;
            if operator == Arithmetic::Modulo {
                FLAT
            } else {
                quotient
            }
        }
        Base::Each(_) if *p != FLAT => return None,
        Base::Same(_) | Base::Each(_) => FLAT,
    };
    Some(Lanes::Known {
        base: zip_bases(x, y, divide)?,
        slope,
    })
}
