//! What only some places may hold, from its checked parts.
//!
//! The tree tells apart where a quantifier, `⇒` or a function of claims stands, and reports one
//! that stands elsewhere; so `None` here means, as everywhere, that the fault is reported.

use crate::program::{
    ClaimNumber, Claimed, Code, Condition, ConditionKind, CostSymbol, Formula, FormulaCondition,
    FormulaNumber, Number, NumberKind, Over, Place,
};
use crate::syntax::ast::{ClaimFunction, Quantifier, Relation};

/// An expression whose use is still to be looked at.
pub(super) enum Checked<P: Place> {
    Number(Number<P>),
    Condition(Condition<P>),
}

/// A place whose expressions are checked. Unless it says otherwise it has none of these.
pub(super) trait CheckedPlace: Place {
    /// A chain with `≈` in it.
    fn about(_operands: Vec<Number<Self>>, _relations: &[Relation]) -> Option<ConditionKind<Self>> {
        None
    }

    /// `c ⇒ d`
    fn implies(_left: Condition<Self>, _right: Condition<Self>) -> Option<ConditionKind<Self>> {
        None
    }

    /// `∀` or `∃` over a condition.
    fn quantified_condition(
        _quantifier: Quantifier,
        _over: Over<Condition<Self>, Self>,
    ) -> Option<ConditionKind<Self>> {
        None
    }

    /// `Σ`, `min` or `max` over a number.
    fn quantified_number(
        _quantifier: Quantifier,
        _over: Over<Number<Self>, Self>,
    ) -> Option<NumberKind<Self>> {
        None
    }

    /// A letter of the cost functions.
    fn symbol(_symbol: CostSymbol) -> Option<NumberKind<Self>> {
        None
    }

    /// A function of claims.
    fn call(_function: ClaimFunction, _arguments: Vec<Number<Self>>) -> Option<NumberKind<Self>> {
        None
    }
}

impl CheckedPlace for Code {}

impl CheckedPlace for Formula {
    fn about(
        operands: Vec<Number<Formula>>,
        relations: &[Relation],
    ) -> Option<ConditionKind<Formula>> {
        Some(ConditionKind::Only(FormulaCondition::About {
            operands,
            relations: relations.to_vec(),
        }))
    }

    fn implies(
        left: Condition<Formula>,
        right: Condition<Formula>,
    ) -> Option<ConditionKind<Formula>> {
        let implies = FormulaCondition::Implies(Box::new(left), Box::new(right));
        Some(ConditionKind::Only(implies))
    }

    fn quantified_condition(
        quantifier: Quantifier,
        over: Over<Condition<Formula>, Formula>,
    ) -> Option<ConditionKind<Formula>> {
        Some(ConditionKind::Only(match quantifier {
            Quantifier::ForAll => FormulaCondition::ForAll(over),
            Quantifier::Exists => FormulaCondition::Exists(over),
            Quantifier::Sum | Quantifier::Min | Quantifier::Max => return None,
        }))
    }

    fn quantified_number(
        quantifier: Quantifier,
        over: Over<Number<Formula>, Formula>,
    ) -> Option<NumberKind<Formula>> {
        Some(NumberKind::Only(match quantifier {
            Quantifier::Sum => FormulaNumber::Sum(over),
            Quantifier::Min => FormulaNumber::Min(over),
            Quantifier::Max => FormulaNumber::Max(over),
            Quantifier::ForAll | Quantifier::Exists => return None,
        }))
    }
}

impl CheckedPlace for Claimed {
    fn quantified_number(
        quantifier: Quantifier,
        over: Over<Number<Claimed>, Claimed>,
    ) -> Option<NumberKind<Claimed>> {
        match quantifier {
            Quantifier::Sum => Some(NumberKind::Only(ClaimNumber::Sum(over))),
            Quantifier::ForAll | Quantifier::Exists | Quantifier::Min | Quantifier::Max => None,
        }
    }

    fn symbol(symbol: CostSymbol) -> Option<NumberKind<Claimed>> {
        Some(NumberKind::Only(ClaimNumber::Symbol(symbol)))
    }

    fn call(
        function: ClaimFunction,
        arguments: Vec<Number<Claimed>>,
    ) -> Option<NumberKind<Claimed>> {
        Some(NumberKind::Only(match function {
            ClaimFunction::Gcd => {
                let [x, y] = arguments.try_into().ok()?;
                ClaimNumber::Gcd(Box::new(x), Box::new(y))
            }
            ClaimFunction::DigitSum => {
                let [x, base] = arguments.try_into().ok()?;
                ClaimNumber::DigitSum(Box::new(x), Box::new(base))
            }
            ClaimFunction::FloorSum => ClaimNumber::FloorSum(Box::new(arguments.try_into().ok()?)),
        }))
    }
}
