//! Rust: doubles, no dependency.

use crate::report::derivation::functions::c::C;
use crate::report::derivation::functions::definition::{Definition, Head, broken, commented};
use crate::report::derivation::functions::dialect::{Call, Dialect, NameRules, Total};
use crate::report::derivation::functions::reserved;

pub(super) const RUST: Dialect = Dialect {
    square_root: "f64::sqrt($1)",
    floor: "f64::floor($1)",
    ceiling: "f64::ceil($1)",
    min: Call::Two("f64::min($1, $2)"),
    max: Call::Two("f64::max($1, $2)"),
    choice: "(if $1 { $2 } else { 0.0 })",
    total: Total::Inline("total($1, $2, |$v| $3)"),
    truth: ["false", "true"],
    names: NameRules {
        reserved: reserved::RUST,
        has_cases: true,
        has_greek: false,
        has_cells: false,
        prefixes: false,
        is_flat: false,
    },
    helpers: HELPERS,
    head,
    definition,
    ..C
};

const HELPERS: &[(&str, &str)] = &[
    (
        "floor_near",
        "\
/// The floor of what was rounded more than once.
fn floor_near(x: f64) -> f64 {
    let k = x.round();
    if (x - k).abs() <= 1e-15 * x.abs().max(1.0) { k } else { x.floor() }
}
",
    ),
    (
        "log_to",
        "\
/// The logarithm of x, on the right side of every whole number: `log_to(5.0, 125.0)` is 3.
fn log_to(base: f64, x: f64) -> f64 {
    let y = x.ln() / base.ln();
    let k = y.round();
    let p = power(base, k);
    if (y - k).abs() > 1e-9 || y.is_nan() {
        y
    } else if p == x {
        k
    } else if (p < x) == (base > 1.0) {
        y.max(k + 1e-13)
    } else {
        y.min(k - 1e-13)
    }
}
",
    ),
    (
        "power",
        "\
/// x to the y, whole where both are.
fn power(x: f64, y: f64) -> f64 {
    let p = x.powf(y);
    let is_whole = x.fract() == 0.0 && y.fract() == 0.0 && p >= 1.0 && p < 4503599627370496.0;
    if is_whole { p.round() } else { p }
}
",
    ),
    (
        "gcd",
        "\
fn gcd(mut x: f64, mut y: f64) -> f64 {
    if x.fract() != 0.0 || y.fract() != 0.0 {
        return f64::NAN;
    }
    while y != 0.0 {
        (x, y) = (y, x % y);
    }
    x.abs()
}
",
    ),
    (
        "digit_sum",
        "\
/// The sum of the digits of x.
fn digit_sum(mut x: f64, base: f64) -> f64 {
    if !(x >= 0.0 && base >= 2.0 && x.is_finite()) {
        return f64::NAN;
    }
    let mut sum = 0.0;
    while x > 0.0 {
        sum += x % base;
        x = (x / base).floor();
    }
    sum
}
",
    ),
    (
        "floor_sum",
        "\
/// The sum of ⌊(a v + c)/m⌋ over v = 0, …, n - 1, in as many steps as a gcd takes.
fn floor_sum(mut n: f64, mut a: f64, mut c: f64, mut m: f64) -> f64 {
    if ![n, a, c, m].iter().all(|x| x.is_finite()) || m == 0.0 {
        return f64::NAN;
    }
    if m < 0.0 {
        (a, c, m) = (-a, -c, -m);
    }
    let mut sum = 0.0;
    while n > 0.0 {
        sum += (a / m).floor() * n * (n - 1.0) / 2.0 + (c / m).floor() * n;
        (a, c) = (a.rem_euclid(m), c.rem_euclid(m));
        let top = a * n + c;
        if top < m {
            break;
        }
        (n, c, m, a) = ((top / m).floor(), top.rem_euclid(m), a, m);
    }
    sum
}
",
    ),
    (
        "total",
        "\
/// The sum of term(v) over v = low, …, high.
fn total(low: f64, high: f64, term: impl Fn(f64) -> f64) -> f64 {
    let (mut sum, mut v) = (0.0, low);
    while v <= high {
        sum += term(v);
        v += 1.0;
    }
    sum
}
",
    ),
    (
        "divides",
        "\
fn divides(d: f64, e: f64) -> bool {
    if d == 0.0 { e == 0.0 } else { e % d == 0.0 }
}
",
    ),
    (
        "is_power_of",
        "\
/// Whether x is y to a whole power ≥ 0; nothing below 1 is.
fn is_power_of(mut x: f64, y: f64) -> bool {
    if !(x > 1.0 && y > 1.0 && x.is_finite()) {
        return x == 1.0;
    }
    while x > 1.0 {
        x /= y;
    }
    x == 1.0
}
",
    ),
];

fn head(head: &Head) -> String {
    let lines = commented(&head.lines, "//!");
    format!("{lines}\n#![allow(non_snake_case, unused_parens, clippy::all)]\n")
}

fn definition(definition: &Definition) -> String {
    format!(
        "{}pub fn {}({}) -> f64 {{\n    {}\n}}\n",
        commented(&definition.lines, "///"),
        definition.name,
        definition.list(|name| format!("{name}: f64")),
        broken(&definition.body, 4)
    )
}
