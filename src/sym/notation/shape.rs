//! What a written expression is made of: the shape behind text, LaTeX and functions of other
//! languages, for whoever walks a formula to show it in a form of their own.

use crate::number::BigInt;
use crate::sym::Symbol;

/// An expression as a person would write it. Numbers are not negative: signs live in sums. It has
/// the value of the expression it was made from, and is ordered for reading.
///
/// ```
/// use atgpu::sym::shape::{Shape, Sign};
///
/// /// How many times a formula divides, at any depth.
/// fn divisions(shape: &Shape) -> usize {
///     let here = matches!(shape, Shape::Product(_, under) if !under.is_empty());
///     usize::from(here) + shape.parts().into_iter().map(divisions).sum::<usize>()
/// }
///
/// let program = atgpu::examples::vector_addition();
/// let transfer_cost = program.derive()?.formula("transfer_cost")?; // 3α + 3nβ
/// let Shape::Sum(terms) = transfer_cost.shape() else { panic!("two terms") };
/// assert!(terms.iter().all(|(sign, _)| *sign == Sign::Plus));
///
/// let gpu_cost = program.derive()?.formula("gpu_cost")?;
/// assert_eq!(divisions(&gpu_cost.shape()), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A whole number, not negative.
    Number(BigInt),
    /// A parameter, a name of the program, or the variable of a sum around it.
    Name(Symbol),
    /// Terms with their signs, at least two or one with a minus.
    Sum(Vec<(Sign, Shape)>),
    /// The factors of the numerator, at least one, and of the denominator, if there is one.
    Product(Vec<Shape>, Vec<Shape>),
    /// base^exponent
    Power(Box<Shape>, Box<Shape>),
    /// √x
    SquareRoot(Box<Shape>),
    /// ⌊x⌋
    Floor(Box<Shape>),
    /// ⌈x⌉
    Ceiling(Box<Shape>),
    /// The logarithm to the base of the first, of the second.
    Log(Box<Shape>, Box<Shape>),
    /// A function of these arguments.
    Call(Function, Vec<Shape>),
    /// `[c]`: 1 where the condition holds, else 0. As a factor of 0 it silences the others, which
    /// may have no value there: `[n > 0]·(1/n)` is 0 at n = 0.
    Bracket(Box<Condition>),
    /// Σ variable ∈ low..high : body, over the whole numbers between both ends, 0 where there are
    /// none.
    Total(Symbol, Box<Shape>, Box<Shape>, Box<Shape>),
}

/// The sign of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It is added.
    Plus,
    /// It is taken away.
    Minus,
}

impl Sign {
    /// The other one.
    pub(super) fn opposite(self) -> Sign {
        match self {
            Sign::Plus => Sign::Minus,
            Sign::Minus => Sign::Plus,
        }
    }

    /// As it stands before a term, the first of a sum or another.
    pub(super) fn before(self, is_first: bool) -> &'static str {
        match (is_first, self) {
            (true, Sign::Minus) => "-",
            (true, Sign::Plus) => "",
            (false, Sign::Minus) => " - ",
            (false, Sign::Plus) => " + ",
        }
    }
}

/// A function that no operator writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The smallest of two or more.
    Min,
    /// The largest of two or more.
    Max,
    /// The greatest common divisor of two whole numbers.
    Gcd,
    /// `digit_sum(x, b)`: the sum of the digits of x ≥ 0 in base b ≥ 2.
    DigitSum,
    /// `floor_sum(n, a, c, m)`: Σ v ∈ 0..n-1 : ⌊(a v + c)/m⌋.
    FloorSum,
}

/// A written condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Always, or never.
    Constant(bool),
    /// A comparison.
    Compare(Shape, Relation, Shape),
    /// The first divides the second, signs aside; 0 divides 0 alone.
    Divides(Shape, Shape),
    /// The first is a whole power ≥ 0 of the second; nothing below 1 is one.
    PowerOf(Shape, Shape),
    /// It does not hold.
    Not(Box<Condition>),
    /// All of them hold.
    And(Vec<Condition>),
    /// Any of them holds.
    Or(Vec<Condition>),
}

/// How two sides compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// =
    Equal,
    /// ≠
    NotEqual,
    /// ≥
    AtLeast,
    /// <
    Less,
    /// ≤
    AtMost,
    /// >
    Greater,
}

impl Function {
    /// Its name in the language.
    ///
    /// ```
    /// use atgpu::sym::shape::Function;
    ///
    /// assert_eq!(Function::DigitSum.name(), "digit_sum");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Function::Min => "min",
            Function::Max => "max",
            Function::Gcd => "gcd",
            Function::DigitSum => "digit_sum",
            Function::FloorSum => "floor_sum",
        }
    }
}

impl Shape {
    /// The shapes directly inside, in the order in which they are written; of a bracket those its
    /// condition is about.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let io = program.derive()?.formula("io")?; // 3n/b
    /// assert_eq!(io.shape().parts().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parts(&self) -> Vec<&Shape> {
        match self {
            Shape::Number(_) | Shape::Name(_) => Vec::new(),
            Shape::Sum(terms) => terms.iter().map(|(_, term)| term).collect(),
            Shape::Product(over, under) => over.iter().chain(under).collect(),
            Shape::Power(x, y) | Shape::Log(x, y) => vec![x, y],
            Shape::SquareRoot(x) | Shape::Floor(x) | Shape::Ceiling(x) => vec![x],
            Shape::Call(_, items) => items.iter().collect(),
            Shape::Bracket(condition) => condition.parts(),
            Shape::Total(_, low, high, body) => vec![low, high, body],
        }
    }
}

impl Condition {
    /// The shapes it is about, in the order in which they are written.
    ///
    /// ```
    /// use atgpu::sym::shape::{Condition, Relation, Shape};
    ///
    /// let [zero, one] = [0, 1].map(|number| Shape::Number(number.into()));
    /// let condition = Condition::Not(Box::new(Condition::Compare(zero, Relation::Less, one)));
    /// assert_eq!(condition.parts().len(), 2);
    /// ```
    pub fn parts(&self) -> Vec<&Shape> {
        match self {
            Condition::Constant(_) => Vec::new(),
            Condition::Compare(x, _, y) | Condition::Divides(x, y) | Condition::PowerOf(x, y) => {
                vec![x, y]
            }
            Condition::Not(inner) => inner.parts(),
            Condition::And(all) | Condition::Or(all) => {
                all.iter().flat_map(Condition::parts).collect()
            }
        }
    }
}
