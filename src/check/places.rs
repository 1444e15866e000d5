//! Constructs that only some places may hold, made from their checked parts.
//!
//! The parser knows where a quantifier, `⇒` or a function of claims may stand, and reports any
//! other. So `None` here means, as everywhere, that the fault is reported.

use crate::program::{
    ClaimNumber, Claimed, Code, Condition, ConditionKind, CostSymbol, Formula, FormulaCondition,
    FormulaNumber, Number, NumberKind, Over, Place,
};
use crate::syntax::ast::{ClaimFunction, Quantifier, Relation};

/// A checked expression, before its use is checked.
pub(super) enum Checked<P: Place> {
    Number(Number<P>),
    Condition(Condition<P>),
}

/// A place with checked expressions. By default it holds none of these constructs.
pub(super) trait CheckedPlace: Place {
    /// Makes a chain with `≈` in it.
    fn about(_operands: Vec<Number<Self>>, _relations: &[Relation]) -> Option<ConditionKind<Self>> {
        None
    }

    /// Makes `c ⇒ d`.
    fn implies(_left: Condition<Self>, _right: Condition<Self>) -> Option<ConditionKind<Self>> {
        None
    }

    /// Makes `∀` or `∃` over a condition.
    fn quantified_condition(
        _quantifier: Quantifier,
        _over: Over<Condition<Self>, Self>,
    ) -> Option<ConditionKind<Self>> {
        None
    }

    /// Makes `Σ`, `min` or `max` over a number.
    fn quantified_number(
        _quantifier: Quantifier,
        _over: Over<Number<Self>, Self>,
    ) -> Option<NumberKind<Self>> {
        None
    }

    /// Makes a letter of the cost functions.
    fn symbol(_symbol: CostSymbol) -> Option<NumberKind<Self>> {
        None
    }

    /// Makes a function of claims.
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
