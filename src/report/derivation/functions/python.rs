//! Python: exact, in whole numbers and fractions of any size.

use crate::report::derivation::functions::definition::{Definition, Head, broken};
use crate::report::derivation::functions::dialect::{Call, Connective, Dialect, NameRules, Total};
use crate::report::derivation::functions::reserved;

pub(super) const PYTHON: Dialect = Dialect {
    number: |number| number.to_string(),
    quotient_of_literals: "Fraction($1) / $2",
    whole_power: "#1**#2",
    power: "power($1, $2)",
    square_root: "power($1, Fraction(1, 2))",
    floor: "floor($1)",
    ceiling: "ceiling($1)",
    floor_near: "floor($1)",
    ceiling_near: "ceiling($1)",
    log: "log_to($1, $2)",
    min: Call::Any("min($1)"),
    max: Call::Any("max($1)"),
    gcd: "gcd($1, $2)",
    digit_sum: "digit_sum($1, $2)",
    floor_sum: "floor_sum($1, $2, $3, $4)",
    choice: "($2 if $1 else 0)",
    total: Total::Inline("total($1, $2, lambda $v: $3)"),
    truth: ["False", "True"],
    relations: [
        "$1 == $2", "$1 != $2", "$1 >= $2", "$1 < $2", "$1 <= $2", "$1 > $2",
    ],
    divides: "divides($1, $2)",
    power_of: "is_power_of($1, $2)",
    not: "not ($1)",
    and: Connective::Infix(" and "),
    or: Connective::Infix(" or "),
    names: NameRules {
        reserved: reserved::PYTHON,
        has_cases: true,
        has_greek: false,
        has_cells: false,
        prefixes: false,
        is_flat: false,
    },
    helpers: HELPERS,
    numbers: "Exact: whole numbers, fractions and floats come in and are taken as they are; what \
              comes out is an int where it is whole, else a Fraction. A logarithm or root that is \
              no fraction has 30 digits more than its argument.",
    head,
    definition,
    gap: "\n\n",
    most_characters: None,
};

const HELPERS: &[(&str, &str)] = &[
    (
        "plain",
        "\
def plain(x):
    \"\"\"An int where x is whole.\"\"\"
    x = Fraction(x)
    return x.numerator if x.denominator == 1 else x
",
    ),
    (
        "floor",
        "\
def floor(x):
    x = Fraction(x)
    return Fraction(x.numerator // x.denominator)
",
    ),
    (
        "ceiling",
        "\
def ceiling(x):
    x = Fraction(x)
    return Fraction(-(-x.numerator // x.denominator))
",
    ),
    (
        "decimal",
        "\
def decimal(x, digits):
    \"\"\"x to so many digits.\"\"\"
    with localcontext() as context:
        context.prec = digits
        return Decimal(x.numerator) / Decimal(x.denominator)
",
    ),
    (
        "log_to",
        "\
def log_to(base, x):
    \"\"\"The logarithm of x: exact where it is a fraction, so that log_to(5, 125) is 3.\"\"\"
    base, x = Fraction(base), Fraction(x)
    if x <= 0 or base <= 0 or base == 1:
        raise ValueError(f\"log_{base} {x} has no value\")
    parts = [base.numerator, base.denominator, x.numerator, x.denominator]
    digits = 40 + sum(len(str(part)) for part in parts)
    with localcontext() as context:
        context.prec = digits
        near = Fraction(decimal(x, digits).ln() / decimal(base, digits).ln())
    exact = near.limit_denominator(max(part.bit_length() for part in parts))
    if abs(exact - near) < Fraction(1, 10**30) and base**exact.numerator == x**exact.denominator:
        return exact
    return near
",
    ),
    (
        "power",
        "\
def power(base, exponent):
    \"\"\"base**exponent: exact where it is a fraction.\"\"\"
    base, exponent = Fraction(base), Fraction(exponent)
    if exponent.denominator == 1:
        return base**exponent.numerator
    if base == 0 and exponent > 0:
        return Fraction(0)
    if base <= 0:
        raise ValueError(f\"{base}**({exponent}) has no value\")
    degree = exponent.denominator
    digits = 40 + len(str(base.numerator)) + len(str(base.denominator))
    with localcontext() as context:
        context.prec = digits
        root = Fraction((decimal(base, digits).ln() / degree).exp())
    exact = root.limit_denominator(base.denominator)
    if exact**degree == base:
        return exact**exponent.numerator
    with localcontext() as context:
        context.prec = digits + 10
        return Fraction((decimal(base, digits + 10).ln() * decimal(exponent, digits + 10)).exp())
",
    ),
    (
        "gcd",
        "\
def gcd(x, y):
    x, y = whole(x), whole(y)
    while y:
        x, y = y, x % y
    return Fraction(abs(x))
",
    ),
    (
        "digit_sum",
        "\
def digit_sum(x, base):
    \"\"\"The sum of the digits of x.\"\"\"
    x, base = whole(x), whole(base)
    if x < 0 or base < 2:
        raise ValueError(f\"digit_sum({x}, {base}) has no value\")
    total = 0
    while x:
        x, digit = divmod(x, base)
        total += digit
    return Fraction(total)
",
    ),
    (
        "floor_sum",
        "\
def floor_sum(n, a, c, m):
    \"\"\"The sum of floor((a*v + c)/m) over v = 0, ..., n - 1, in as many steps as a gcd takes.\"\"\"
    n, a, c, m = Fraction(n), Fraction(a), Fraction(c), Fraction(m)
    if n <= 0:
        return Fraction(0)
    scale = a.denominator * c.denominator * m.denominator
    n, a, c, m = whole(n), whole(a * scale), whole(c * scale), whole(m * scale)
    if m < 0:
        a, c, m = -a, -c, -m
    total = 0
    while n > 0:
        total += (a // m) * n * (n - 1) // 2 + (c // m) * n
        a, c = a % m, c % m
        top = a * n + c
        if top < m:
            break
        n, c, m, a = top // m, top % m, a, m
    return Fraction(total)
",
    ),
    (
        "total",
        "\
def total(low, high, term):
    \"\"\"The sum of term(v) over v = low, ..., high.\"\"\"
    terms = range(whole(low), whole(high) + 1)
    return sum((term(Fraction(v)) for v in terms), Fraction(0))
",
    ),
    (
        "divides",
        "\
def divides(d, e):
    return e % d == 0 if d != 0 else e == 0
",
    ),
    (
        "is_power_of",
        "\
def is_power_of(x, y):
    \"\"\"Whether x is y to a whole power >= 0; nothing below 1 is.\"\"\"
    x, y = Fraction(x), Fraction(y)
    if x <= 1 or y <= 1:
        return x == 1
    while x > 1:
        x /= y
    return x == 1
",
    ),
    (
        "whole",
        "\
def whole(x):
    \"\"\"x as an int.\"\"\"
    x = Fraction(x)
    if x.denominator != 1:
        raise ValueError(f\"{x} is not whole\")
    return x.numerator
",
    ),
];

fn head(head: &Head) -> String {
    format!(
        "{}\nfrom decimal import Decimal, localcontext\nfrom fractions import Fraction\n",
        docstring(&head.lines)
    )
}

/// Lines as a module's docstring.
pub(super) fn docstring(lines: &[String]) -> String {
    let text = lines
        .join("\n")
        .replace('\\', "\\\\")
        .replace("\"\"\"", "'''");
    format!("\"\"\"{text}\n\"\"\"\n")
}

/// Lines as a function's docstring.
fn documented(lines: &[String]) -> String {
    match lines {
        [first, rest @ ..] if !rest.is_empty() => {
            let rest: String = rest
                .iter()
                .map(|line| format!("    {line}").trim_end().to_owned() + "\n")
                .collect();
            format!("    \"\"\"{first}\n{rest}    \"\"\"\n")
        }
        lines => format!("    \"\"\"{}\"\"\"\n", lines.concat()),
    }
}

fn definition(definition: &Definition) -> String {
    let body = format!("    return plain({})\n", broken(&definition.body, 4));
    function(definition, |name| format!("Fraction({name})"), &body)
}

/// A function that first converts its parameters.
pub(super) fn function(
    definition: &Definition,
    converted: fn(&str) -> String,
    body: &str,
) -> String {
    let parameters = definition.parameters.iter();
    let conversions: String = parameters
        .map(|name| format!("    {name} = {}\n", converted(name)))
        .collect();
    format!(
        "def {}({}):\n{}{conversions}{body}",
        definition.name,
        definition.list(str::to_owned),
        documented(&definition.lines),
    )
}
