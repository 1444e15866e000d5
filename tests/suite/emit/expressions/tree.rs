//! Made-up numbers and conditions: every operator, with random operands, wherever a program has a place for one.
//!
//! What is made up has a value wherever the program asks for it, found here by a few lines that share nothing with
//! the crate: no division by 0, nothing that is not whole where it must be, nothing too large.

use crate::support::engines::Random;

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Number,
    Condition,
}

/// An operator: its sort, those of its operands, how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operator {
    pub sort: Sort,
    operands: &'static [Sort],
    pub written: &'static str,
}

const N: Sort = Sort::Number;
const C: Sort = Sort::Condition;

const fn number(operands: &'static [Sort], written: &'static str) -> Operator {
    Operator {
        sort: N,
        operands,
        written,
    }
}

const fn condition(operands: &'static [Sort], written: &'static str) -> Operator {
    Operator {
        sort: C,
        operands,
        written,
    }
}

/// All operators; `$1` is the first operand in brackets.
const OPERATORS: [Operator; 40] = [
    number(&[N, N], "$1 + $2"),
    number(&[N, N], "$1 - $2"),
    number(&[N, N], "$1 · $2"),
    number(&[N, N], "$1 / $2"),
    number(&[N, N], "$1 div $2"),
    number(&[N, N], "$1 mod $2"),
    number(&[N, N], "$1^$2"),
    number(&[N], "-$1"),
    number(&[N], "abs($1)"),
    number(&[N, N], "min($1, $2)"),
    number(&[N, N], "max($1, $2)"),
    number(&[C, N, N], "select($1, $2, $3)"),
    number(&[C], "[$1]"),
    number(&[N, N], "⌊$1/$2⌋"),
    number(&[N, N], "⌈$1/$2⌉"),
    number(&[N], "⌊log2 $1⌋"),
    number(&[N], "⌈log2 $1⌉"),
    number(&[N], "⌊log_3 $1⌋"),
    number(&[N], "⌈log_3 $1⌉"),
    number(&[N], "⌊sqrt($1)⌋"),
    number(&[N], "⌈sqrt($1)⌉"),
    number(&[N, N], "bitand($1, $2)"),
    number(&[N, N], "bitor($1, $2)"),
    number(&[N, N], "bitxor($1, $2)"),
    number(&[N, N], "shl($1, $2)"),
    number(&[N, N], "shr($1, $2)"),
    number(&[N, N, N], "max(min($1, $2), $3)"),
    condition(&[N, N], "$1 = $2"),
    condition(&[N, N], "$1 ≠ $2"),
    condition(&[N, N], "$1 < $2"),
    condition(&[N, N], "$1 ≤ $2"),
    condition(&[N, N], "$1 > $2"),
    condition(&[N, N], "$1 ≥ $2"),
    condition(&[N, N, N], "$1 < $2 ≤ $3"),
    condition(&[N, N], "$1 | $2"),
    condition(&[N, N], "$1 is a power of $2"),
    condition(&[C, C], "$1 ∧ $2"),
    condition(&[C, C], "$1 ∨ $2"),
    condition(&[C], "¬$1"),
    condition(&[N, N], "$1 + 1 > $2 - 1"),
];

/// Numbers on the way are smaller, so that no fraction's comparison leaves 64 bits.
const MOST: i128 = 1 << 50;

/// A fraction as it was made: never reduced, as nothing that carries it around reduces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fraction(i128, i128);

impl Fraction {
    fn new(over: i128, under: i128) -> Option<Fraction> {
        let is_small = over.abs() < MOST && under.abs() < MOST && under != 0;
        is_small.then_some(Fraction(over, under))
    }

    fn whole(self) -> Option<i128> {
        (self.0 % self.1 == 0).then_some(self.0 / self.1)
    }

    fn sign(self) -> i128 {
        self.0.signum() * self.1.signum()
    }

    fn minus(self, other: Fraction) -> Option<Fraction> {
        if self.1 == other.1 {
            Fraction::new(self.0 - other.0, self.1)
        } else {
            Fraction::new(
                self.0 * other.1 - other.0 * self.1,
                self.1.checked_mul(other.1)?,
            )
        }
    }
}

/// A number or a condition.
#[derive(Debug, Clone)]
enum Tree {
    Literal(i64),
    /// A name, by its place among those of the scope.
    Name(usize),
    Of(Operator, Vec<Tree>),
}

/// What may be named, each with the values that it takes.
#[derive(Debug, Clone)]
pub struct Scope {
    names: Vec<(&'static str, Vec<i64>)>,
    /// All values at once.
    cases: Vec<Vec<i64>>,
    /// Whether some are data, of which there is no exact logarithm and no exact root.
    has_data: bool,
}

impl Scope {
    /// Formals at these points, and the machine's b.
    pub fn new(formals: [&'static str; 2], points: &[[i64; 2]], b: i64) -> Scope {
        let all = |at: usize| points.iter().map(|point| point[at]).collect();
        let names = vec![(formals[0], all(0)), (formals[1], all(1)), ("b", vec![b])];
        let cases = points.iter().map(|[n, m]| vec![*n, *m, b]).collect();
        Scope {
            names,
            cases,
            has_data: false,
        }
    }

    /// The same with one name more.
    pub fn with(&self, name: &'static str, values: impl IntoIterator<Item = i64>) -> Scope {
        let values: Vec<i64> = values.into_iter().collect();
        let with = |case: &Vec<i64>| -> Vec<Vec<i64>> {
            let one = |value: &i64| [&case[..], &[*value]].concat();
            values.iter().map(one).collect()
        };
        let cases = self.cases.iter().flat_map(with).collect();
        let mut names = self.names.clone();
        names.push((name, values));
        Scope {
            names,
            cases,
            has_data: self.has_data,
        }
    }

    /// The same with a word of data more.
    pub fn with_data(&self, name: &'static str, values: impl IntoIterator<Item = i64>) -> Scope {
        Scope {
            has_data: true,
            ..self.with(name, values)
        }
    }

    /// The operators that give this.
    pub fn operators(&self, sort: Sort) -> Vec<Operator> {
        let is_exact = |written: &str| written.contains("log") || written.contains("sqrt");
        let of_sort = OPERATORS.iter().filter(|operator| operator.sort == sort);
        let fitting = of_sort.filter(|it| !(self.has_data && is_exact(it.written)));
        fitting.copied().collect()
    }

    fn text(&self, tree: &Tree) -> String {
        match tree {
            Tree::Literal(value) => value.to_string(),
            Tree::Name(at) => self.names[*at].0.to_owned(),
            Tree::Of(operator, of) => {
                let mut text = operator.written.to_owned();
                for (at, one) in of.iter().enumerate() {
                    let inner = match one {
                        Tree::Literal(value) if *value >= 0 => value.to_string(),
                        Tree::Name(_) => self.text(one),
                        one => format!("({})", self.text(one)),
                    };
                    text = text.replace(&format!("${}", at + 1), &inner);
                }
                text
            }
        }
    }
}

/// Makes up expressions.
pub struct Made {
    random: Random,
}

impl Made {
    pub fn new(seed: u64) -> Made {
        let random = Random::new(seed);
        Made { random }
    }

    /// A number in the range given, or a condition that is 0 or 1 as given, everywhere, with the operator at its root.
    pub fn with_root(
        &mut self,
        scope: &Scope,
        root: Operator,
        (low, high): (i64, i64),
    ) -> Option<String> {
        let is_fit = |value: i128| (low as i128..=high as i128).contains(&value);
        for attempt in 0..4000 {
            let depth = 1 + attempt % 3;
            let operands = root.operands.iter();
            let operands = operands.map(|sort| self.tree(scope, *sort, depth - 1));
            let tree = Tree::Of(root, operands.collect());
            let mut cases = scope.cases.iter();
            let value = |case: &Vec<i64>| value(&tree, case).and_then(Fraction::whole);
            if cases.all(|case| value(case).is_some_and(is_fit)) {
                return Some(scope.text(&tree));
            }
        }
        None
    }

    /// A number in the range given.
    pub fn number(&mut self, scope: &Scope, ends: (i64, i64)) -> String {
        loop {
            let roots = scope.operators(Sort::Number);
            let root = roots[self.random.below(roots.len() as u64) as usize];
            if let Some(text) = self.with_root(scope, root, ends) {
                return text;
            }
        }
    }

    fn tree(&mut self, scope: &Scope, sort: Sort, depth: u64) -> Tree {
        if sort == Sort::Number && (depth == 0 || self.random.below(4) == 0) {
            return match self.random.below(8) {
                0..3 => Tree::Literal(self.random.below(9) as i64),
                3 => Tree::Literal([100_000, -3, 65_536, 7, -1][self.random.below(5) as usize]),
                _ => Tree::Name(self.random.below(scope.names.len() as u64) as usize),
            };
        }
        let fitting = scope.operators(sort);
        let operator = fitting[self.random.below(fitting.len() as u64) as usize];
        let depth = depth.saturating_sub(1);
        let operands = operator.operands.iter();
        let operands = operands.map(|sort| self.tree(scope, *sort, depth));
        Tree::Of(operator, operands.collect())
    }
}

/// The value of a tree, a condition's being 0 or 1; none where it has none, or one that is too large.
fn value(tree: &Tree, case: &[i64]) -> Option<Fraction> {
    let (operator, of) = match tree {
        Tree::Literal(value) => return Fraction::new(*value as i128, 1),
        Tree::Name(at) => return Fraction::new(case[*at] as i128, 1),
        Tree::Of(operator, of) => (operator, of),
    };
    let of = of.iter().map(|one| value(one, case));
    let of: Vec<Fraction> = of.collect::<Option<_>>()?;
    let [x, y, z] = [0, 1, 2].map(|at| of.get(at).copied().unwrap_or(Fraction(0, 1)));
    let order = || Some(x.minus(y)?.sign());
    let truth = |holds: bool| Some(Fraction(holds as i128, 1));
    let least = |x: Fraction, y: Fraction| Some(if x.minus(y)?.sign() <= 0 { x } else { y });
    let most = |x: Fraction, y: Fraction| Some(if x.minus(y)?.sign() >= 0 { x } else { y });
    let quotient = || Fraction::new(x.0 * y.1, x.1 * y.0);
    match operator.written {
        "$1 + $2" => x.minus(Fraction(-y.0, y.1)),
        "$1 - $2" => x.minus(y),
        "$1 · $2" => Fraction::new(x.0 * y.0, x.1 * y.1),
        "$1 / $2" => quotient(),
        "-$1" => Fraction::new(-x.0, x.1),
        "abs($1)" => Fraction::new(x.0.abs(), x.1.abs()),
        "min($1, $2)" => least(x, y),
        "max($1, $2)" => most(x, y),
        "max(min($1, $2), $3)" => most(least(x, y)?, z),
        "select($1, $2, $3)" => Some(if x.0 == 1 { y } else { z }),
        "[$1]" => Some(x),
        "⌊$1/$2⌋" => floor(quotient()?),
        "⌈$1/$2⌉" => negated(floor(negated(quotient()?)?)?),
        "$1 = $2" => truth(order()? == 0),
        "$1 ≠ $2" => truth(order()? != 0),
        "$1 < $2" => truth(order()? < 0),
        "$1 ≤ $2" => truth(order()? <= 0),
        "$1 > $2" => truth(order()? > 0),
        "$1 ≥ $2" => truth(order()? >= 0),
        "$1 < $2 ≤ $3" => truth(order()? < 0 && y.minus(z)?.sign() <= 0),
        "$1 + 1 > $2 - 1" => truth(x.minus(y)?.minus(Fraction(-2, 1))?.sign() > 0),
        "$1 ∧ $2" => truth(x.0 * y.0 == 1),
        "$1 ∨ $2" => truth(x.0 + y.0 > 0),
        "¬$1" => truth(x.0 == 0),
        written => of_wholes(written, x.whole()?, y.whole()?),
    }
}

fn negated(x: Fraction) -> Option<Fraction> {
    Fraction::new(-x.0, x.1)
}

fn floor(x: Fraction) -> Option<Fraction> {
    let floor = (x.0 * x.1.signum()).div_euclid(x.1.abs());
    Fraction::new(floor, 1)
}

/// The value of an operator of whole numbers.
fn of_wholes(written: &str, x: i128, y: i128) -> Option<Fraction> {
    let bits = |value: i128| (x >= 0 && y >= 0).then_some(value);
    // ⌊log_base x⌋
    let log = |base: i128, x: i128| (0..64).rev().find(|k| base.pow(*k) <= x);
    let root = |x: i128| (0..=x.min(1 << 26)).take_while(|r| r * r <= x).last();
    // Above x is one more than above x − 1.
    let above = |below: Option<u32>| Some(if x == 1 { 0 } else { i128::from(below? + 1) });
    let small = (0..=40).contains(&y);
    let value = match written {
        "$1 div $2" if y != 0 => floor(Fraction(x, y))?.0,
        "$1 mod $2" if y != 0 => x - y * floor(Fraction(x, y))?.0,
        "$1^$2" if small => x.checked_pow(y as u32)?,
        "⌊log2 $1⌋" if x > 0 => i128::from(log(2, x)?),
        "⌊log_3 $1⌋" if x > 0 => i128::from(log(3, x)?),
        "⌈log2 $1⌉" if x > 0 => above(log(2, x - 1))?,
        "⌈log_3 $1⌉" if x > 0 => above(log(3, x - 1))?,
        "⌊sqrt($1)⌋" if (0..1 << 20).contains(&x) => root(x)?,
        "⌈sqrt($1)⌉" if x == 0 => 0,
        "⌈sqrt($1)⌉" if (1..1 << 20).contains(&x) => root(x - 1)? + 1,
        "bitand($1, $2)" => bits(x & y)?,
        "bitor($1, $2)" => bits(x | y)?,
        "bitxor($1, $2)" => bits(x ^ y)?,
        "shl($1, $2)" if small => bits(x << y)?,
        "shr($1, $2)" if small => bits(x >> y)?,
        "$1 | $2" if x != 0 => i128::from(y % x == 0),
        "$1 is a power of $2" => i128::from(is_power_of(x, y)),
        _ => return None,
    };
    Fraction::new(value, 1)
}

fn is_power_of(x: i128, y: i128) -> bool {
    let mut power = 1;
    for _ in 0..64 {
        if power == x {
            return x >= 1;
        }
        power *= y;
        if power.abs() > MOST {
            return false;
        }
    }
    false
}
