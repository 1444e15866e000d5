//! What the tests of the algebra share: a few symbols, and grids of points.
#![allow(dead_code, missing_docs)]

use atgpu::number::Rational;
use atgpu::sym::{Cond, Expr, Facts, Symbol};

/// The symbols of these tests by position.
const NAMES: [&str; 15] = [
    "b", "n", "m", "o", "r", "s", "i", "k", "j", "α", "β", "γ", "λ", "σ", "ℓ",
];

pub fn symbol(name: &str) -> Symbol {
    let at = NAMES
        .iter()
        .position(|known| *known == name)
        .expect("a known name");
    Symbol::new(at as u32, name)
}

pub fn var(name: &str) -> Expr {
    Expr::symbol(&symbol(name))
}

pub fn int(value: i64) -> Expr {
    Expr::int(value)
}

pub fn over(x: &Expr, y: &Expr) -> Expr {
    x.div(y).expect("not 0")
}

pub fn at<'a>(point: &'a [(&'a str, i64)]) -> impl Fn(&Symbol) -> Option<Rational> + 'a {
    |symbol| {
        let found = point.iter().find(|(name, _)| *name == &*symbol.name);
        found.map(|(_, value)| Rational::from(*value))
    }
}

pub fn facts(conds: &[Cond]) -> Facts {
    let mut facts = Facts::new();
    for cond in conds {
        facts.assume(cond);
    }
    facts
}

/// What to do at a point.
type Visit<'a> = &'a mut dyn FnMut(&[(&str, i64)]);

pub fn for_each_point(names: &[&str], range: std::ops::RangeInclusive<i64>, visit: Visit<'_>) {
    fn go<'a>(
        names: &[&'a str],
        range: &std::ops::RangeInclusive<i64>,
        point: &mut Vec<(&'a str, i64)>,
        visit: Visit<'_>,
    ) {
        let Some((first, rest)) = names.split_first() else {
            return visit(point);
        };
        for value in range.clone() {
            point.push((first, value));
            go(rest, range, point, visit);
            point.pop();
        }
    }
    go(names, &range, &mut Vec::new(), visit);
}
