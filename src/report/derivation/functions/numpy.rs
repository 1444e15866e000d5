//! NumPy: whole arrays at once, in doubles.

use crate::report::derivation::functions::definition::{Definition, Head, broken};
use crate::report::derivation::functions::dialect::{Call, Connective, Dialect};
use crate::report::derivation::functions::python::{PYTHON, docstring, function};

pub(super) const NUMPY: Dialect = Dialect {
    quotient_of_literals: "$1 / $2",
    whole_power: "power($1, $2)",
    square_root: "np.sqrt($1)",
    floor: "np.floor($1)",
    ceiling: "np.ceil($1)",
    floor_near: "floor_near($1)",
    ceiling_near: "(-floor_near(-($1)))",
    min: Call::Two("np.minimum($1, $2)"),
    max: Call::Two("np.maximum($1, $2)"),
    choice: "np.where($1, $2, 0)",
    not: "np.logical_not($1)",
    and: Connective::Infix(" & "),
    or: Connective::Infix(" | "),
    helpers: HELPERS,
    numbers: "Doubles: numbers, arrays and columns come in and are broadcast. Exact while every \
              number on the way is below 2^50; NaN where a formula has no value.",
    head,
    definition,
    ..PYTHON
};

const HELPERS: &[(&str, &str)] = &[
    (
        "floor_near",
        "\
def floor_near(x):
    \"\"\"The floor of what was rounded more than once.\"\"\"
    k = np.rint(x)
    return np.where(np.abs(x - k) <= 1e-15 * np.maximum(1, np.abs(x)), k, np.floor(x))
",
    ),
    (
        "log_to",
        "\
def log_to(base, x):
    \"\"\"The logarithm of x, on the right side of every whole number: log_to(5, 125) is 3.\"\"\"
    y = np.log(x) / np.log(base)
    k = np.rint(y)
    p = power(base, k)
    near = np.abs(y - k) <= 1e-9
    above = np.maximum(y, k + 1e-13)
    below = np.minimum(y, k - 1e-13)
    return np.where(near, np.where(p == x, k, np.where((p < x) == (base > 1), above, below)), y)
",
    ),
    (
        "power",
        "\
def power(x, y):
    \"\"\"x to the y, whole where both are.\"\"\"
    p = np.power(np.asarray(x, dtype=float), y)
    whole = (np.rint(x) == x) & (np.rint(y) == y) & (p >= 1) & (p < 2.0**52)
    return np.where(whole, np.rint(p), p)
",
    ),
    (
        "gcd",
        "\
def gcd(x, y):
    x, y = np.abs(x), np.abs(y)
    whole = (np.rint(x) == x) & (np.rint(y) == y)
    x, y = (np.where(whole, z, 0).astype(np.int64) for z in (x, y))
    return np.where(whole, np.gcd(x, y), np.nan)
",
    ),
    (
        "digit_sum",
        "\
def digit_sum(x, base):
    \"\"\"The sum of the digits of x.\"\"\"
    known = (x >= 0) & (base >= 2) & np.isfinite(x)
    rest, total = np.where(known, x, 0.0), 0.0
    while np.any(rest > 0):
        total, rest = total + np.fmod(rest, base), np.floor(rest / base)
    return np.where(known, total, np.nan)
",
    ),
    (
        "floor_sum",
        "\
def floor_sum(n, a, c, m):
    \"\"\"The sum of floor((a*v + c)/m) over v = 0, ..., n - 1, in as many steps as a gcd takes.\"\"\"

    def one(n, a, c, m):
        if not np.all(np.isfinite([n, a, c, m])) or m == 0:
            return np.nan
        if m < 0:
            a, c, m = -a, -c, -m
        total = 0.0
        while n > 0:
            total += np.floor(a / m) * n * (n - 1) / 2 + np.floor(c / m) * n
            a, c = np.mod(a, m), np.mod(c, m)
            top = a * n + c
            if top < m:
                break
            n, c, m, a = np.floor(top / m), np.mod(top, m), a, m
        return total

    return np.vectorize(one, otypes=[float])(n, a, c, m)
",
    ),
    (
        "total",
        "\
def total(low, high, term):
    \"\"\"The sum of term(v) over v = low, ..., high, which may differ from place to place.\"\"\"
    low, high = np.broadcast_arrays(low, high)
    known = np.isfinite(low) & np.isfinite(high)
    result = np.where(known, 0.0, np.nan)
    some = known & (low <= high)
    if np.any(some):
        for v in np.arange(np.min(low[some]), np.max(high[some]) + 1):
            result = result + np.where(some & (low <= v) & (v <= high), term(v), 0.0)
    return result
",
    ),
    (
        "divides",
        "\
def divides(d, e):
    return np.where(np.equal(d, 0), np.equal(e, 0), np.fmod(e, d) == 0)
",
    ),
    (
        "is_power_of",
        "\
def is_power_of(x, y):
    \"\"\"Whether x is y to a whole power >= 0; nothing below 1 is.\"\"\"
    k = np.rint(np.log(x) / np.log(y))
    return np.equal(x, 1) | (np.greater(x, 1) & np.greater(y, 1) & (power(y, k) == x))
",
    ),
];

fn head(head: &Head) -> String {
    format!("{}\nimport numpy as np\n", docstring(&head.lines))
}

fn definition(definition: &Definition) -> String {
    let body = format!(
        "    with np.errstate(all=\"ignore\"):\n        return ({})\n",
        broken(&definition.body, 8)
    );
    function(
        definition,
        |name| format!("np.asarray({name}, dtype=float)"),
        &body,
    )
}
