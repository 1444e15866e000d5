//! Julia: doubles, Greek letters as they are.

use crate::report::derivation::functions::c::C;
use crate::report::derivation::functions::definition::{Definition, Head, broken};
use crate::report::derivation::functions::dialect::{Call, Dialect, NameRules, Total};

pub(super) const JULIA: Dialect = Dialect {
    min: Call::Any("min($1)"),
    max: Call::Any("max($1)"),
    gcd: "gcd_of($1, $2)",
    total: Total::Inline("total($1, $2, $v -> $3)"),
    truth: ["false", "true"],
    names: NameRules {
        reserved: reserved::JULIA,
        has_cases: true,
        has_greek: true,
        has_cells: false,
        prefixes: false,
        is_flat: false,
    },
    helpers: HELPERS,
    head,
    definition,
    ..C
};
use crate::report::derivation::functions::reserved;

const HELPERS: &[(&str, &str)] = &[
    (
        "floor_near",
        "\
# The floor of what was rounded more than once.
function floor_near(x)
    k = round(x)
    abs(x - k) <= 1e-15 * max(1.0, abs(x)) ? k : floor(x)
end
",
    ),
    (
        "log_to",
        "\
# The logarithm of x, on the right side of every whole number: log_to(5, 125) is 3.
function log_to(base, x)
    (x > 0 && base > 0) || return NaN
    y = log(x) / log(base)
    k = round(y)
    p = power(base, k)
    abs(y - k) <= 1e-9 || return y
    p == x && return k
    (p < x) == (base > 1) ? max(y, k + 1e-13) : min(y, k - 1e-13)
end
",
    ),
    (
        "power",
        "\
# x to the y, whole where both are.
function power(x, y)
    x < 0 && !isinteger(y) && return NaN
    p = Float64(x)^Float64(y)
    isinteger(x) && isinteger(y) && 1 <= p < 2.0^52 ? round(p) : p
end
",
    ),
    (
        "gcd_of",
        "\
function gcd_of(x, y)
    (isinteger(x) && isinteger(y)) || return NaN
    while y != 0
        x, y = y, rem(x, y)
    end
    abs(x)
end
",
    ),
    (
        "digit_sum",
        "\
# The sum of the digits of x.
function digit_sum(x, base)
    (x >= 0 && base >= 2 && isfinite(x)) || return NaN
    sum = 0.0
    while x > 0
        sum += rem(x, base)
        x = fld(x, base)
    end
    sum
end
",
    ),
    (
        "floor_sum",
        "\
# The sum of floor((a*v + c)/m) over v = 0, ..., n - 1, in as many steps as a gcd takes.
function floor_sum(n, a, c, m)
    (all(isfinite, (n, a, c, m)) && m != 0) || return NaN
    if m < 0
        a, c, m = -a, -c, -m
    end
    sum = 0.0
    while n > 0
        sum += fld(a, m) * n * (n - 1) / 2 + fld(c, m) * n
        a, c = mod(a, m), mod(c, m)
        top = a * n + c
        top < m && break
        n, c, m, a = fld(top, m), mod(top, m), a, m
    end
    sum
end
",
    ),
    (
        "total",
        "\
# The sum of term(v) over v = low, ..., high.
function total(low, high, term)
    sum = 0.0
    v = low
    while v <= high
        sum += term(v)
        v += 1.0
    end
    sum
end
",
    ),
    (
        "divides",
        "\
divides(d, e) = d == 0 ? e == 0 : rem(e, d) == 0
",
    ),
    (
        "is_power_of",
        "\
# Whether x is y to a whole power >= 0; nothing below 1 is.
function is_power_of(x, y)
    (x > 1 && y > 1 && isfinite(x)) || return x == 1
    while x > 1
        x /= y
    end
    x == 1
end
",
    ),
];

fn escaped(lines: &[String]) -> String {
    lines
        .join("\n")
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('$', "\\$")
}

fn head(head: &Head) -> String {
    let lines = head
        .lines
        .iter()
        .map(|line| format!("# {line}").trim_end().to_owned() + "\n");
    lines.collect()
}

fn definition(definition: &Definition) -> String {
    format!(
        "\"\"\"\n{}\n\"\"\"\nfunction {}({})\n    ({})\nend\n",
        escaped(&definition.lines),
        definition.name,
        definition.list(str::to_owned),
        broken(&definition.body, 4)
    )
}
