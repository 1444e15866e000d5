//! Shapes read back: the expression that a written form stands for.

use crate::number::Rational;
use crate::sym::notation::shape::{Condition, Function, Relation, Shape, Sign};
use crate::sym::{Cond, Expr, Symbol};

/// The expression of a shape, its names replaced by what they stand for.
pub(crate) fn expr(shape: &Shape, names: &dyn Fn(&Symbol) -> Expr) -> Expr {
    let read = |part: &Shape| expr(part, names);
    let product = |factors: &[Shape]| {
        let factors = factors.iter();
        factors.fold(Expr::one(), |product, factor| &product * read(factor))
    };
    match shape {
        Shape::Number(number) => Expr::from_bigint(number.clone()),
        Shape::Name(symbol) => names(symbol),
        Shape::Sum(terms) => terms.iter().fold(Expr::zero(), |sum, (sign, term)| {
            let term = read(term);
            match sign {
                Sign::Plus => &sum + &term,
                Sign::Minus => &sum - &term,
            }
        }),
        Shape::Product(over, under) => product(over) * product(under).reciprocal(),
        Shape::Power(base, exponent) => read(base).pow(&read(exponent)),
        Shape::SquareRoot(x) => {
            read(x).pow(&Expr::rational(Rational::new(1, 2).expect("2 is not 0")))
        }
        Shape::Floor(x) => read(x).floor(),
        Shape::Ceiling(x) => read(x).ceil(),
        Shape::Log(base, x) => Expr::log(&read(base), &read(x)),
        Shape::Call(function, items) => {
            let items: Vec<Expr> = items.iter().map(read).collect();
            match (function, &items[..]) {
                (Function::Max, _) => Expr::max(items),
                (Function::Gcd, [x, y]) => Expr::gcd(x, y),
                (Function::DigitSum, [x, base]) => Expr::digit_sum(x, base),
                (Function::FloorSum, [n, a, c, m]) => Expr::floor_sum(n, a, c, m),
                (Function::Min | Function::Gcd | Function::DigitSum | Function::FloorSum, _) => {
                    Expr::min(items)
                }
            }
        }
        Shape::Bracket(condition) => Expr::bracket(cond(condition, names)),
        Shape::Total(variable, low, high, body) => {
            Expr::unsolved_sum(variable, &read(low), &read(high), &read(body))
        }
    }
}

/// The condition that a written one stands for.
pub(crate) fn cond(condition: &Condition, names: &dyn Fn(&Symbol) -> Expr) -> Cond {
    let read = |part: &Shape| expr(part, names);
    let all = |parts: &[Condition]| parts.iter().map(|part| cond(part, names)).collect();
    match condition {
        Condition::Constant(true) => Cond::True,
        Condition::Constant(false) => Cond::False,
        Condition::Compare(left, relation, right) => {
            let (left, right) = (read(left), read(right));
            match relation {
                Relation::Equal => Cond::eq(&left, &right),
                Relation::NotEqual => Cond::ne(&left, &right),
                Relation::AtLeast => Cond::ge(&left, &right),
                Relation::Less => Cond::lt(&left, &right),
                Relation::AtMost => Cond::le(&left, &right),
                Relation::Greater => Cond::gt(&left, &right),
            }
        }
        Condition::Divides(d, e) => Cond::divides(&read(d), &read(e)),
        Condition::PowerOf(x, y) => Cond::power_of(&read(x), &read(y)),
        Condition::Not(inner) => cond(inner, names).negate(),
        Condition::And(parts) => Cond::and(all(parts)),
        Condition::Or(parts) => Cond::or(all(parts)),
    }
}
