//! What the letters of the cost functions are worth where a claim is tried at numbers.

use crate::number::Rational;
use crate::program::CostSymbol;

/// Values for the letters of the cost functions, for comparing two costs: fractions that no
/// coincidence makes equal, and small whole numbers where a ceiling needs them.
pub(crate) fn letter_value(letter: CostSymbol) -> Option<Rational> {
    match letter {
        CostSymbol::Alpha => Rational::new(3, 7),
        CostSymbol::Beta => Rational::new(5, 11),
        CostSymbol::Gamma => Rational::new(13, 3),
        CostSymbol::Lambda => Rational::new(17, 2),
        CostSymbol::Sigma => Rational::new(19, 5),
        CostSymbol::RealMps => Some(Rational::from(3)),
        CostSymbol::MaxResident => Some(Rational::from(5)),
        CostSymbol::Occupancy => None,
    }
}

/// [`letter_value`], by the letter itself.
pub(crate) fn letter_named(name: &str) -> Option<Rational> {
    CostSymbol::named(name).and_then(letter_value)
}
