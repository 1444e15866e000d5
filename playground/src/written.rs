//! A written formula as an expression again.

use atgpu::number::Rational;
use atgpu::sym::shape::{Condition, Function, Relation, Shape, Sign};
use atgpu::sym::{Cond, Expr, Facts, SymbolKind};

/// A written formula as an expression, folded names written out.
pub(crate) fn expr(shape: &Shape, names: &[(String, Expr)]) -> Option<Expr> {
    let all = |shapes: &[Shape]| -> Option<Vec<Expr>> {
        shapes.iter().map(|each| expr(each, names)).collect()
    };
    Some(match shape {
        Shape::Number(value) => Expr::rational(Rational::from(value)),
        Shape::Name(symbol) => match symbol.id.kind {
            SymbolKind::Folded => names
                .iter()
                .find(|(name, _)| **name == *symbol.name)?
                .1
                .clone(),
            _ => Expr::symbol(symbol),
        },
        Shape::Sum(terms) => {
            let mut sum = Expr::zero();
            for (sign, term) in terms {
                let term = expr(term, names)?;
                sum = match sign {
                    Sign::Plus => sum.add(&term),
                    Sign::Minus => sum.sub(&term),
                };
            }
            sum
        }
        Shape::Product(over, under) => {
            let over = all(over)?
                .iter()
                .fold(Expr::one(), |one, each| one.mul(each));
            let under = all(under)?;
            under.iter().try_fold(over, |over, each| over.div(each))?
        }
        Shape::Power(base, exponent) => expr(base, names)?.pow(&expr(exponent, names)?),
        Shape::SquareRoot(inner) => {
            let half = Expr::one().div(&Expr::int(2))?;
            expr(inner, names)?.pow(&half)
        }
        Shape::Floor(inner) => expr(inner, names)?.floor(),
        Shape::Ceiling(inner) => expr(inner, names)?.ceil(),
        Shape::Log(base, inner) => Expr::log(&expr(base, names)?, &expr(inner, names)?),
        Shape::Call(function, arguments) => {
            let given = all(arguments)?;
            match (function, given.as_slice()) {
                (Function::Min, _) => Expr::min(given),
                (Function::Max, _) => Expr::max(given),
                (Function::Gcd, [x, y]) => Expr::gcd(x, y),
                (Function::DigitSum, [x, base]) => Expr::digit_sum(x, base),
                (Function::FloorSum, [n, a, c, m]) => Expr::floor_sum(n, a, c, m),
                (Function::Gcd | Function::DigitSum | Function::FloorSum, _) => return None,
            }
        }
        Shape::Bracket(condition) => Expr::bracket(cond(condition, names)?),
        Shape::Total(variable, low, high, body) => {
            let [low, high, body] = [low, high, body].map(|each| expr(each, names));
            Facts::new().sum(variable, &low?, &high?, &body?)
        }
    })
}

/// A written condition.
fn cond(condition: &Condition, names: &[(String, Expr)]) -> Option<Cond> {
    let all = |list: &[Condition]| -> Option<Vec<Cond>> {
        list.iter().map(|each| cond(each, names)).collect()
    };
    Some(match condition {
        Condition::Constant(_) => return None,
        Condition::Compare(left, relation, right) => {
            let (left, right) = (&expr(left, names)?, &expr(right, names)?);
            match relation {
                Relation::Equal => Cond::eq(left, right),
                Relation::NotEqual => Cond::ne(left, right),
                Relation::AtLeast => Cond::ge(left, right),
                Relation::Less => Cond::lt(left, right),
                Relation::AtMost => Cond::le(left, right),
                Relation::Greater => Cond::gt(left, right),
            }
        }
        Condition::Divides(left, right) => Cond::divides(&expr(left, names)?, &expr(right, names)?),
        Condition::PowerOf(left, right) => {
            Cond::power_of(&expr(left, names)?, &expr(right, names)?)
        }
        Condition::Not(inner) => cond(inner, names)?.not(),
        Condition::And(list) => Cond::and(all(list)?),
        Condition::Or(list) => Cond::or(all(list)?),
    })
}
