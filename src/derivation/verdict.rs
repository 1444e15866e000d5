//! Verdicts on claims: each with its facts and, here alone, its words.
//!
//! `derive::claims` judges; `report` lays verdicts out.

use std::fmt;

use crate::meaning::PointValues;
use crate::number::{Rational, Real};
use crate::sym::Expr;

/// The verdict on a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Proved by algebra.
    Proved,
    /// Holds at this many points of a grid, without a counterexample.
    Tested(usize),
    /// Refuted, with the evidence.
    Refuted(Refutation),
    /// Neither proved nor tested, with the reason.
    Open(Undecided),
}

/// The evidence against a claim.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Refutation {
    /// Its two sides at a point.
    At {
        /// The point.
        point: PointValues,
        /// The sides there.
        sides: Sides,
    },
    /// The ratio of its two sides as parameters grow.
    Growing {
        /// The names of the parameters.
        growing: Vec<String>,
        /// The way other parameters grow with them, `n = 2b`, if it matters.
        along: Option<String>,
        /// The constant that does not exist.
        missing: Constant,
        /// The ratio, if it is an expression.
        ratio: Option<Expr>,
    },
}

/// A constant that an asymptotic claim needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Constant {
    /// An upper bound on the ratio of the derived to the claimed quantity.
    Above,
    /// A positive lower bound on that ratio.
    Below,
}

/// The reason why a claim is neither proved nor refuted, nor tested.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Undecided {
    /// The work budget of all claims was spent.
    Spent,
    /// The algebra cannot write the right side.
    NoRightSide,
    /// There is no formula to compare.
    NotDerived,
    /// The algebra does not decide the lower bound of Θ.
    LowerBound,
    /// The algebra does not decide the growth.
    Growth,
    /// The quantity grows with these figures of the machine, which the right side does not name.
    Letters(Vec<String>),
    /// No admissible point was found.
    NoPoint,
    /// The right side has no value at an admissible point.
    NoValue {
        /// The point.
        point: PointValues,
        /// The reason, in the words of a diagnostic.
        why: String,
    },
    /// The right side lies between the bounds of the left side.
    Between {
        /// The point.
        point: PointValues,
        /// The sides there.
        sides: Sides,
    },
}

/// The two sides of a claim at a point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sides {
    /// The derived side.
    pub derived: DerivedValue,
    /// The claimed side.
    pub claimed: ClaimedValue,
}

/// The known value or bounds of the left side.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DerivedValue {
    /// The value.
    Exactly(Rational),
    /// The count of a run on data, which lies between the derived bounds.
    Counted(Rational),
    /// A lower bound.
    AtLeast(Rational),
    /// An upper bound.
    AtMost(Rational),
    /// Bounds on both sides.
    Between(Rational, Rational),
}

/// The value of a claim's right side.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClaimedValue {
    /// An exact fraction.
    Exactly(Rational),
    /// An approximation of an irrational number.
    About(f64),
}

impl Refutation {
    /// The place where the claim is wrong: `n = 4, b = 2`, or `n, b → ∞`.
    pub(crate) fn place(&self) -> String {
        match self {
            Refutation::At { point, .. } => point.to_string(),
            Refutation::Growing { growing, along, .. } => {
                let along = along.as_ref().map(|along| format!("{along}, "));
                format!("{}{} → ∞", along.unwrap_or_default(), growing.join(", "))
            }
        }
    }

    /// The two sides there.
    pub(crate) fn reason(&self) -> String {
        match self {
            Refutation::At { sides, .. } => sides.to_string(),
            Refutation::Growing { missing, ratio, .. } => {
                let constant = match missing {
                    Constant::Above => "no constant bounds the ratio",
                    Constant::Below => "no constant above 0 is below the ratio",
                };
                match ratio {
                    Some(ratio) => format!("{constant}: it is {ratio}"),
                    None => constant.to_owned(),
                }
            }
        }
    }
}

/// `at n = 4, b = 2: the derivation gives 12, the claim 11`
impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.place(), self.reason())
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undecided::Spent => "not judged: gave up after the most steps allowed",
            Undecided::NoRightSide => "the algebra has no form of the right side",
            Undecided::NotDerived => "the quantity was not derived",
            Undecided::LowerBound => "the algebra does not decide the lower bound",
            Undecided::Growth => "the algebra does not decide it",
            Undecided::NoPoint => "no point could be tested",
            Undecided::Letters(letters) => {
                let letters = letters.join(" and ");
                return write!(
                    f,
                    "{letters} vary from machine to machine, so no constant bounds them: name them in the claim"
                );
            }
            Undecided::NoValue { point, why } => {
                return write!(f, "at {point} the claim has no value: {why}");
            }
            Undecided::Between { point, sides } => return write!(f, "at {point}, {sides}"),
        })
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sides { derived, claimed } = self;
        if let DerivedValue::Counted(value) = derived {
            return write!(f, "a run on data counts {value}, the claim gives {claimed}");
        }
        write!(f, "the derivation gives {derived}, the claim {claimed}")
    }
}

impl fmt::Display for DerivedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DerivedValue::Exactly(value) | DerivedValue::Counted(value) => write!(f, "{value}"),
            DerivedValue::AtLeast(lower) => write!(f, "at least {lower}"),
            DerivedValue::AtMost(upper) => write!(f, "at most {upper}"),
            DerivedValue::Between(lower, upper) => write!(f, "{lower} to {upper}"),
        }
    }
}

impl From<&Real> for ClaimedValue {
    fn from(value: &Real) -> ClaimedValue {
        match value.to_rational() {
            Some(exact) => ClaimedValue::Exactly(exact),
            None => ClaimedValue::About(value.to_f64()),
        }
    }
}

impl fmt::Display for ClaimedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimedValue::Exactly(value) => write!(f, "{value}"),
            ClaimedValue::About(value) => write!(f, "about {value}"),
        }
    }
}
