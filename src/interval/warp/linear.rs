//! Arithmetic of whole numbers that are known for every core and grow evenly with the MP's number: on
//! their bases and slopes, without asking what they are on each MP.

use crate::interval::lanes::{Base, DIMENSIONS, FLAT, Lanes, Slope};
use crate::number::theory;
use crate::program::Arithmetic;

pub(super) fn combine(p: &Slope, q: &Slope, f: fn(i64, i64) -> Option<i64>) -> Option<Slope> {
    let mut slope = FLAT;
    for d in 0..DIMENSIONS {
        slope[d] = f(p[d], q[d])?;
    }
    Some(slope)
}

/// x + y or x − y of known whole numbers; `None` on overflow.
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

/// x·y where y does not grow with the MP's number, and is one number if x does.
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

/// x/y, x div y or x mod y where y is one number that divides the slope; `None` where a result is
/// no whole number, or y is 0.
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
