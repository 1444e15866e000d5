//! Shapes that differ for all parameters: sizes as polynomials, compared.
//!
//! Decides only differences that are evident without values; all others are `access::shape` at run
//! time.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::program::{Arithmetic, Extent, Number, NumberKind, Unary};

/// Most terms of a polynomial; sizes that people write have fewer.
const MOST_TERMS: usize = 64;

/// Most bits of a coefficient; nested powers would otherwise grow without end.
const MOST_BITS: u64 = 4096;

/// A polynomial with whole coefficients over parameters and other expressions taken as a whole: a
/// nonzero coefficient for each sorted list of factors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Polynomial(BTreeMap<Vec<String>, BigInt>);

/// Returns true if two sizes differ for all parameters.
pub(super) fn differ(left: &Number, right: &Number) -> bool {
    evidently_differ(polynomial(left), polynomial(right))
}

/// Returns true if two numbers of words differ for all parameters.
pub(super) fn evidently_differ(left: Option<Polynomial>, right: Option<Polynomial>) -> bool {
    let Some((left, right)) = left.zip(right) else {
        return false;
    };
    // n + 1 and n differ by the constant 1, whatever n is. n and m differ by no constant, so they
    // may be equal.
    let difference = left.plus(&right.times_constant(&-BigInt::one()));
    difference.constant().is_some_and(|value| !value.is_zero())
}

/// Returns the words of a block: the product of its extents, 0 if one of them is empty. `None` if
/// it is not evident, as for a range whose length may be cut off at 0.
pub(super) fn words(dimensions: &[Number], extents: &[Extent]) -> Option<Polynomial> {
    let lengths: Vec<Option<Polynomial>> = dimensions
        .iter()
        .zip(extents)
        .map(|(dimension, extent)| length(dimension, extent))
        .collect();
    let is_zero = |length: &Option<Polynomial>| length.as_ref().is_some_and(|it| it.0.is_empty());
    if lengths.iter().any(is_zero) {
        return Some(Polynomial::default());
    }
    lengths
        .into_iter()
        .try_fold(Polynomial::of(BigInt::one()), |product, length| {
            product.times(&length?)
        })
}

fn length(dimension: &Number, extent: &Extent) -> Option<Polynomial> {
    match extent {
        Extent::All => polynomial(dimension),
        Extent::At(_) => Some(Polynomial::of(BigInt::one())),
        // `i..i+3` has i + 3 - i + 1 = 4 elements. Only a constant can be cut off at 0 here.
        Extent::Range(low, high) => {
            let minus_low = polynomial(low)?.times_constant(&-BigInt::one());
            let length = polynomial(high)?
                .plus(&minus_low)
                .plus(&Polynomial::of(BigInt::one()));
            let length = length.constant()?;
            Some(Polynomial::of(length.max(BigInt::zero())))
        }
    }
}

fn polynomial(expr: &Number) -> Option<Polynomial> {
    // An expression that is no polynomial becomes a factor by its text: `n/2 + 1` and `n/2` still
    // differ by 1.
    let opaque = || Some(Polynomial::factor(expr.key()));
    match &expr.kind {
        NumberKind::Integer(value) => Some(Polynomial::of(value.clone())),
        NumberKind::Float(_) => None,
        NumberKind::Unary {
            operation: Unary::Negate,
            operand,
        } => Some(polynomial(operand)?.times_constant(&-BigInt::one())),
        NumberKind::Binary {
            operator,
            left,
            right,
        } => match operator {
            Arithmetic::Add => Some(polynomial(left)?.plus(&polynomial(right)?)),
            Arithmetic::Subtract => {
                let right = polynomial(right)?.times_constant(&-BigInt::one());
                Some(polynomial(left)?.plus(&right))
            }
            Arithmetic::Multiply => polynomial(left)?.times(&polynomial(right)?),
            Arithmetic::Power => {
                let exponent = polynomial(right)?.constant().filter(|e| !e.is_negative());
                match exponent.and_then(|exponent| exponent.to_u32()) {
                    Some(exponent) if exponent <= 8 => polynomial(left)?.power(exponent),
                    Some(_) | None => opaque(),
                }
            }
            Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo => opaque(),
        },
        NumberKind::Parameter(_)
        | NumberKind::Word(_)
        | NumberKind::Unary { .. }
        | NumberKind::Pair { .. }
        | NumberKind::Extreme { .. }
        | NumberKind::Select { .. }
        | NumberKind::Bracket(_) => opaque(),
        NumberKind::Only(nothing) => match *nothing {},
    }
}

impl Polynomial {
    fn of(value: BigInt) -> Self {
        let mut terms = BTreeMap::new();
        if !value.is_zero() {
            terms.insert(Vec::new(), value);
        }
        Polynomial(terms)
    }

    fn factor(key: String) -> Self {
        Polynomial(BTreeMap::from([(vec![key], BigInt::one())]))
    }

    /// Returns the value, if no parameter is left.
    pub(super) fn constant(&self) -> Option<BigInt> {
        match self.0.len() {
            0 => Some(BigInt::zero()),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    fn plus(mut self, other: &Polynomial) -> Self {
        for (factors, coefficient) in &other.0 {
            *self.0.entry(factors.clone()).or_default() += coefficient;
        }
        self.0.retain(|_, coefficient| !coefficient.is_zero());
        self
    }

    fn times_constant(mut self, factor: &BigInt) -> Self {
        self.0
            .values_mut()
            .for_each(|coefficient| *coefficient *= factor);
        self.0.retain(|_, coefficient| !coefficient.is_zero());
        self
    }

    fn times(&self, other: &Polynomial) -> Option<Self> {
        if self.0.len() * other.0.len() > MOST_TERMS {
            return None;
        }
        let mut product = Polynomial::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut factors = [left.as_slice(), right.as_slice()].concat();
                // Sorted, n·m and m·n are one term.
                factors.sort_unstable();
                let coefficient = a * b;
                if coefficient.bits() > MOST_BITS {
                    return None;
                }
                *product.0.entry(factors).or_default() += coefficient;
            }
        }
        product.0.retain(|_, coefficient| !coefficient.is_zero());
        Some(product)
    }

    fn power(&self, exponent: u32) -> Option<Self> {
        (0..exponent).try_fold(Polynomial::of(BigInt::one()), |power, _| power.times(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ParamId, Type};
    use crate::text::Span;

    fn number(value: i64) -> Number {
        node(NumberKind::Integer(value.into()))
    }

    fn parameter(id: u32) -> Number {
        node(NumberKind::Parameter(ParamId(id)))
    }

    fn node(kind: NumberKind) -> Number {
        Number {
            kind,
            ty: Type::Number,
            span: Span::default(),
        }
    }

    fn binary(operator: Arithmetic, left: Number, right: Number) -> Number {
        node(NumberKind::Binary {
            operator,
            left: Box::new(left),
            right: Box::new(right),
        })
    }

    #[test]
    fn only_a_constant_difference_is_evident() {
        use Arithmetic::{Add, Multiply, Power};
        let n_plus_1 = binary(Add, parameter(0), number(1));
        assert!(differ(&n_plus_1, &parameter(0)));
        assert!(!differ(&parameter(1), &parameter(0)));
        let square = binary(Power, n_plus_1.clone(), number(2));
        let product = binary(Multiply, n_plus_1.clone(), n_plus_1);
        assert!(!differ(&square, &product));
        assert!(differ(&square, &binary(Add, product, number(3))));
    }

    #[test]
    fn an_empty_range_makes_the_block_empty() {
        let dimensions = [parameter(0), parameter(1)];
        let extents = [Extent::Range(number(5), number(4)), Extent::At(number(7))];
        let count = words(&dimensions, &extents).and_then(|words| words.constant());
        assert_eq!(count, Some(BigInt::zero()));
        let open = [Extent::Range(number(0), parameter(0)), Extent::All];
        assert_eq!(words(&dimensions, &open), None);
    }
}
