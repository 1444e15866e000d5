//! C: doubles, C99 and its mathematics.

use crate::report::derivation::functions::definition::{Definition, Head, broken, commented};
use crate::report::derivation::functions::dialect::{
    Call, Connective, Dialect, Loop, NameRules, Total,
};
use crate::report::derivation::functions::reserved;

pub(super) const C: Dialect = Dialect {
    number: |number| format!("{number}.0"),
    quotient_of_literals: "$1 / $2",
    whole_power: "power($1, $2)",
    power: "power($1, $2)",
    square_root: "sqrt($1)",
    floor: "floor($1)",
    ceiling: "ceil($1)",
    floor_near: "floor_near($1)",
    ceiling_near: "(-floor_near(-($1)))",
    log: "log_to($1, $2)",
    min: Call::Two("fmin($1, $2)"),
    max: Call::Two("fmax($1, $2)"),
    gcd: "gcd($1, $2)",
    digit_sum: "digit_sum($1, $2)",
    floor_sum: "floor_sum($1, $2, $3, $4)",
    choice: "($1 ? $2 : 0.0)",
    total: Total::Apart(apart),
    truth: ["0", "1"],
    relations: [
        "$1 == $2", "$1 != $2", "$1 >= $2", "$1 < $2", "$1 <= $2", "$1 > $2",
    ],
    divides: "divides($1, $2)",
    power_of: "is_power_of($1, $2)",
    not: "!($1)",
    and: Connective::Infix(" && "),
    or: Connective::Infix(" || "),
    names: NameRules {
        reserved: reserved::C,
        has_cases: true,
        has_greek: false,
        has_cells: false,
        prefixes: true,
        is_flat: false,
    },
    helpers: HELPERS,
    numbers: DOUBLES,
    head,
    definition,
    gap: "\n",
    most_characters: None,
};

/// The range in which doubles are exact.
pub(super) const DOUBLES: &str = "Doubles: exact while every number on the way is below 2^50; NaN \
                                  or infinite where a formula has no value.";

const HELPERS: &[(&str, &str)] = &[
    (
        "floor_near",
        "\
/* The floor of what was rounded more than once. */
static double floor_near(double x) {
    double k = rint(x);
    return fabs(x - k) <= 1e-15 * fmax(1.0, fabs(x)) ? k : floor(x);
}
",
    ),
    (
        "power",
        "\
/* x to the y, whole where both are. */
static double power(double x, double y) {
    double p = pow(x, y);
    return rint(x) == x && rint(y) == y && p >= 1.0 && p < 4503599627370496.0 ? rint(p) : p;
}
",
    ),
    (
        "log_to",
        "\
/* The logarithm of x, on the right side of every whole number: log_to(5, 125) is 3. */
static double log_to(double base, double x) {
    double y = log(x) / log(base), k = rint(y), p = power(base, k);
    if (!(fabs(y - k) <= 1e-9)) return y;
    if (p == x) return k;
    return (p < x) == (base > 1.0) ? fmax(y, k + 1e-13) : fmin(y, k - 1e-13);
}
",
    ),
    (
        "gcd",
        "\
static double gcd(double x, double y) {
    if (rint(x) != x || rint(y) != y) return NAN;
    while (y != 0.0) {
        double rest = fmod(x, y);
        x = y;
        y = rest;
    }
    return fabs(x);
}
",
    ),
    (
        "digit_sum",
        "\
/* The sum of the digits of x. */
static double digit_sum(double x, double base) {
    double sum = 0.0;
    if (!(x >= 0.0 && base >= 2.0 && isfinite(x))) return NAN;
    for (; x > 0.0; x = floor(x / base)) sum += fmod(x, base);
    return sum;
}
",
    ),
    (
        "floor_sum",
        "\
/* The sum of floor((a*v + c)/m) over v = 0, ..., n - 1, in as many steps as a gcd takes. */
static double floor_sum(double n, double a, double c, double m) {
    double sum = 0.0;
    if (!(isfinite(n) && isfinite(a) && isfinite(c) && isfinite(m)) || m == 0.0) return NAN;
    if (m < 0.0) {
        a = -a;
        c = -c;
        m = -m;
    }
    while (n > 0.0) {
        double slope = floor(a / m), start = floor(c / m), top;
        sum += slope * n * (n - 1.0) / 2.0 + start * n;
        a -= slope * m;
        c -= start * m;
        top = a * n + c;
        if (top < m) break;
        n = floor(top / m);
        c = top - n * m;
        top = m;
        m = a;
        a = top;
    }
    return sum;
}
",
    ),
    (
        "divides",
        "\
static int divides(double d, double e) {
    return d == 0.0 ? e == 0.0 : fmod(e, d) == 0.0;
}
",
    ),
    (
        "is_power_of",
        "\
/* Whether x is y to a whole power >= 0; nothing below 1 is. */
static int is_power_of(double x, double y) {
    if (!(x > 1.0 && y > 1.0 && isfinite(x))) return x == 1.0;
    while (x > 1.0) x /= y;
    return x == 1.0;
}
",
    ),
];

fn head(head: &Head) -> String {
    let lines = commented(&head.lines, " *");
    let lines = lines
        .strip_prefix(" *")
        .unwrap_or(&lines)
        .replace("*/", "* /");
    format!("/*{lines} */\n\n#include <math.h>\n")
}

fn typed(names: &[String]) -> String {
    let each = names.iter().map(|name| format!("double {name}"));
    each.collect::<Vec<_>>().join(", ")
}

fn apart(sum: &Loop<'_>) -> String {
    let Loop {
        name,
        arguments,
        variable,
        low,
        high,
        body,
    } = sum;
    let arguments = if arguments.is_empty() {
        "void".to_owned()
    } else {
        typed(arguments)
    };
    let body = broken(body, 8);
    format!(
        "static double {name}({arguments}) {{\n    double sum_ = 0.0, last_ = {high};\n    \
         for (double {variable} = {low}; {variable} <= last_; {variable} += 1.0)\n        \
         sum_ += {body};\n    return sum_;\n}}\n"
    )
}

fn definition(definition: &Definition) -> String {
    let lines = definition.lines.join("\n   ").replace("\n   \n", "\n\n");
    let before: String = definition
        .before
        .iter()
        .map(|text| format!("{text}\n"))
        .collect();
    format!(
        "{before}/* {} */\ndouble {}({}) {{\n    return {};\n}}\n",
        lines.replace("*/", "* /"),
        definition.name,
        if definition.parameters.is_empty() {
            "void".to_owned()
        } else {
            definition.list(|name| format!("double {name}"))
        },
        broken(&definition.body, 4)
    )
}
