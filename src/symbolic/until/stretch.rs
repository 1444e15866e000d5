//! A condition solved for a variable: the stretches of whole numbers that satisfy it.

use crate::number::Rational;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::until::Range;

/// Conditions of more alternatives are not solved.
const MOST_STRETCHES: usize = 4;

/// Whole numbers between ends, all or those of a residue, where something holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stretch {
    /// None is smaller than any of these, which may be fractions.
    lows: Vec<Expr>,
    /// None is larger than any of these.
    highs: Vec<Expr>,
    /// A divisor, and what it leaves of each of them.
    residue: Option<(Expr, Expr)>,
    /// What must hold besides.
    when: Vec<Cond>,
}

impl Stretch {
    fn from(low: Expr) -> Stretch {
        Stretch {
            lows: vec![low],
            ..Stretch::default()
        }
    }

    fn up_to(high: Expr) -> Stretch {
        Stretch {
            highs: vec![high],
            ..Stretch::default()
        }
    }

    fn when(mut self, cond: Cond) -> Stretch {
        self.when.push(cond);
        self
    }

    /// What is in both.
    fn and(&self, other: &Stretch) -> Option<Stretch> {
        let both = |one: &[Expr], another: &[Expr]| [one, another].concat();
        Some(Stretch {
            lows: both(&self.lows, &other.lows),
            highs: both(&self.highs, &other.highs),
            residue: match (&self.residue, &other.residue) {
                (Some(_), Some(_)) => return None,
                (one, another) => one.clone().or_else(|| another.clone()),
            },
            when: [&self.when[..], &other.when].concat(),
        })
    }

    /// The first number of a range in it, in the order of the range; the last of the range where there is none.
    pub(crate) fn entered(&self, (_, low, high, down): Range<'_>) -> Expr {
        let ends = |end: &Expr, ends: &[Expr]| [std::slice::from_ref(end), ends].concat();
        let lowest = Expr::max(ends(low, &self.lows));
        let highest = Expr::min(ends(high, &self.highs));
        let (start, last, is_open) = if down {
            (&highest, low, self.lows.is_empty())
        } else {
            (&lowest, high, self.highs.is_empty())
        };
        let rest = |ahead: Expr| match &self.residue {
            Some((divisor, _)) => ahead.modulo(divisor).unwrap_or_default(),
            None => Expr::zero(),
        };
        let residue = self.residue.as_ref().map(|(_, residue)| residue);
        let residue = residue.unwrap_or(start);
        let first = if down {
            start - rest(start - residue)
        } else {
            start + rest(residue - start)
        };
        // Beyond the end of the range the end itself is the closer one.
        if is_open && self.when.is_empty() {
            return first;
        }
        let is_there = if down {
            Cond::ge(&first, &lowest)
        } else {
            Cond::le(&first, &highest)
        };
        let entered = Cond::and([&[is_there], &self.when[..]].concat());
        last + ((&first - last) * Expr::bracket(entered))
    }
}

/// The numbers of a variable that satisfy a condition, where it can be solved: what holds outside the range of
/// the variable, and what holds within.
pub(crate) fn stretches(
    condition: &Cond,
    symbol: &Symbol,
    outside: &Facts,
    within: &Facts,
) -> Option<Vec<Stretch>> {
    let solve = Solve {
        symbol,
        outside,
        within,
    };
    solve.condition(condition)
}

struct Solve<'s> {
    symbol: &'s Symbol,
    outside: &'s Facts,
    within: &'s Facts,
}

impl Solve<'_> {
    fn condition(&self, condition: &Cond) -> Option<Vec<Stretch>> {
        if !condition.contains(self.symbol) {
            return Some(match condition {
                Cond::False => Vec::new(),
                Cond::True => vec![Stretch::default()],
                _ => vec![Stretch::default().when(condition.clone())],
            });
        }
        let solved = match condition {
            Cond::And(parts) => {
                let mut all = vec![Stretch::default()];
                for part in parts {
                    let part = self.condition(part)?;
                    let pairs = all
                        .iter()
                        .flat_map(|one| part.iter().map(move |another| one.and(another)));
                    all = pairs.take(MOST_STRETCHES + 1).collect::<Option<_>>()?;
                }
                all
            }
            Cond::Or(parts) => {
                let parts = parts.iter().map(|part| self.condition(part));
                parts.collect::<Option<Vec<_>>>()?.concat()
            }
            Cond::NonNegative(e) => vec![self.not_negative(e)?],
            Cond::Zero(e) => vec![self.zero(e)?],
            Cond::Divides(divisor, e) => vec![self.multiples(divisor, e)?],
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(e) => vec![self.negative(e)?],
                Cond::Zero(e) if self.within.is_integer(e) => {
                    let one = Expr::one();
                    vec![
                        self.not_negative(&(e - &one))?,
                        self.not_negative(&(e.neg() - &one))?,
                    ]
                }
                Cond::Divides(divisor, e) if *divisor == Expr::int(2) => {
                    vec![self.multiples(divisor, &(e + 1))?]
                }
                _ => return None,
            },
            Cond::True | Cond::False | Cond::PowerOf(..) => return None,
        };
        (solved.len() <= MOST_STRETCHES).then_some(solved)
    }

    /// Whether a number is above 0 and not below, where that is known.
    fn is_positive(&self, number: &Expr) -> Option<bool> {
        let zero = Expr::zero();
        if self.outside.proves(&Cond::gt(number, &zero)) {
            Some(true)
        } else {
            let is_below = self.outside.proves(&Cond::lt(number, &zero));
            is_below.then_some(false)
        }
    }

    /// constant + slope·v, as these two.
    fn linear(&self, e: &Expr) -> Option<[Expr; 2]> {
        e.linear_in(self.symbol)
    }

    /// e ≥ 0
    fn not_negative(&self, e: &Expr) -> Option<Stretch> {
        let Some([constant, slope]) = self.linear(e) else {
            return self
                .of_square(e)
                .or_else(|| self.of_power(e))
                .or_else(|| self.of_floor(e));
        };
        let end = constant.neg().div(&slope)?;
        Some(if self.is_positive(&slope)? {
            Stretch::from(end.ceil())
        } else {
            Stretch::up_to(end.floor())
        })
    }

    /// e < 0
    fn negative(&self, e: &Expr) -> Option<Stretch> {
        let one = Expr::one();
        if self.within.is_integer(e) {
            return self.not_negative(&(e.neg() - &one));
        }
        let [constant, slope] = self.linear(e)?;
        let end = constant.neg().div(&slope)?;
        Some(if self.is_positive(&slope)? {
            Stretch::up_to(end.ceil() - &one)
        } else {
            Stretch::from(end.floor() + &one)
        })
    }

    /// e = 0
    fn zero(&self, e: &Expr) -> Option<Stretch> {
        let [constant, slope] = self.linear(e)?;
        self.is_positive(&slope)?;
        let at = self.outside.simplify(&constant.neg().div(&slope)?);
        let there = Stretch::from(at.clone()).and(&Stretch::up_to(at.clone()))?;
        if self.outside.is_integer(&at) {
            return Some(there);
        }
        let are_whole = [&slope, &constant]
            .iter()
            .all(|number| self.outside.is_integer(number));
        are_whole.then(|| there.when(Cond::divides(&slope, &constant)))
    }

    /// divisor ∣ e, with e = constant ± v.
    fn multiples(&self, divisor: &Expr, e: &Expr) -> Option<Stretch> {
        let [constant, slope] = self.linear(e)?;
        let is_whole = |number: &Expr| self.outside.is_integer(number);
        if divisor.contains(self.symbol)
            || !is_whole(divisor)
            || !is_whole(&constant)
            || !self.is_positive(divisor)?
        {
            return None;
        }
        let one = Expr::one();
        let residue = match () {
            () if slope == one => constant.neg(),
            () if slope.neg() == one => constant,
            () => return None,
        };
        Some(Stretch {
            residue: Some((divisor.clone(), residue)),
            ..Stretch::default()
        })
    }

    /// constant + factor·v² ≥ 0 of a v that is not negative.
    fn of_square(&self, e: &Expr) -> Option<Stretch> {
        let [constant, linear, factor] =
            <[Expr; 3]>::try_from(e.coefficients(self.symbol)?).ok()?;
        let (value, zero) = (Expr::symbol(self.symbol), Expr::zero());
        if !linear.is_zero() || !self.within.proves(&Cond::ge(&value, &zero)) {
            return None;
        }
        let square = constant.neg().div(&factor)?;
        let half = Expr::rational(Rational::new(1, 2)?);
        let root = Expr::max(vec![zero.clone(), square.clone()]).pow(&half);
        Some(if self.is_positive(&factor)? {
            Stretch::from(root.ceil())
        } else {
            Stretch::up_to(root.floor()).when(Cond::ge(&square, &zero))
        })
    }

    /// constant + factor·base^x ≥ 0 of an x ≥ 0 in which v stands.
    fn of_power(&self, e: &Expr) -> Option<Stretch> {
        let ([constant, factor], [base, exponent]) = e.around_power(self.symbol)?;
        let (zero, one) = (Expr::zero(), Expr::one());
        if constant.contains(self.symbol)
            || !self.outside.proves(&Cond::ge(&base, &Expr::int(2)))
            || !self.within.proves(&Cond::ge(&exponent, &zero))
        {
            return None;
        }
        let power = constant.neg().div(&factor)?;
        let log = Expr::log(&base, &Expr::max(vec![one.clone(), power.clone()]));
        Some(if self.is_positive(&factor)? {
            self.not_negative(&(&exponent - log.ceil()))?
        } else {
            let bounded = self.not_negative(&(log.floor() - &exponent))?;
            bounded.when(Cond::ge(&power, &one))
        })
    }

    /// constant + factor·⌊x⌋ ≥ 0 of an x in which v stands.
    fn of_floor(&self, e: &Expr) -> Option<Stretch> {
        let (constant, factor, inner) = e.around_floor(self.symbol)?;
        if constant.contains(self.symbol) {
            return None;
        }
        let end = constant.neg().div(&factor)?;
        if self.is_positive(&factor)? {
            self.not_negative(&(&inner - end.ceil()))
        } else {
            self.negative(&(&inner - (end.floor() + 1)))
        }
    }
}
