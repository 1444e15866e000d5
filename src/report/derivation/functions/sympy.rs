//! SymPy: expressions in symbols, exact.

use crate::report::derivation::functions::definition::{Definition, Head, Known, broken};
use crate::report::derivation::functions::dialect::{Call, Connective, Dialect, NameRules};
use crate::report::derivation::functions::python::{PYTHON, docstring};

pub(super) const SYMPY: Dialect = Dialect {
    quotient_of_literals: "sympy.Integer(1) * $1 / $2",
    power: "(sympy.Integer(1) * $1)**#2",
    square_root: "sympy.sqrt($1)",
    floor: "sympy.floor($1)",
    ceiling: "sympy.ceiling($1)",
    floor_near: "sympy.floor($1)",
    ceiling_near: "sympy.ceiling($1)",
    min: Call::Any("sympy.Min($1)"),
    max: Call::Any("sympy.Max($1)"),
    choice: "sympy.Piecewise(($2, $1), (0, True))",
    truth: ["sympy.false", "sympy.true"],
    relations: [
        "sympy.Eq($1, $2)",
        "sympy.Ne($1, $2)",
        "sympy.Ge($1, $2)",
        "sympy.Lt($1, $2)",
        "sympy.Le($1, $2)",
        "sympy.Gt($1, $2)",
    ],
    divides: "sympy.Eq(divides($1, $2), 1)",
    power_of: "sympy.Eq(is_power_of($1, $2), 1)",
    not: "sympy.Not($1)",
    and: Connective::Around("sympy.And($1)"),
    or: Connective::Around("sympy.Or($1)"),
    names: NameRules {
        is_flat: true,
        ..PYTHON.names
    },
    helpers: HELPERS,
    // `.xreplace` works out all cases first. It fails at 1/0 in one that is not taken.
    numbers: "Exact, in symbols: give values by `.subs`, as whole numbers or `sympy.Rational`.",
    head,
    definition,
    gap: "\n",
    ..PYTHON
};

const HELPERS: &[(&str, &str)] = &[
    (
        "log_to",
        "\
class log_to(sympy.Function):
    \"\"\"The logarithm of the second to the base of the first: a fraction where it is one.\"\"\"

    @classmethod
    def eval(cls, base, x):
        if base.is_Rational and x.is_Rational:
            if x <= 0 or base <= 0 or base == 1:
                return sympy.nan
            parts = [abs(part) for z in (base, x) for part in (z.p, z.q)]
            near = sympy.log(x) / sympy.log(base)
            most = max(int(part).bit_length() for part in parts)
            exact = sympy.Rational(str(near.evalf(30))).limit_denominator(most)
            return exact if base**exact.p == x**exact.q else near
",
    ),
    (
        "gcd",
        "\
class gcd(sympy.Function):
    \"\"\"The greatest common divisor of whole numbers.\"\"\"

    @classmethod
    def eval(cls, x, y):
        if x.is_Number and y.is_Number:
            return sympy.igcd(x, y) if x.is_Integer and y.is_Integer else sympy.nan
",
    ),
    (
        "digit_sum",
        "\
class digit_sum(sympy.Function):
    \"\"\"The sum of the digits of x.\"\"\"

    @classmethod
    def eval(cls, x, base):
        if x.is_Number and base.is_Number:
            if not x.is_Integer or not base.is_Integer or x < 0 or base < 2:
                return sympy.nan
            x, base, digits = int(x), int(base), 0
            while x:
                x, digit = divmod(x, base)
                digits += digit
            return sympy.Integer(digits)
",
    ),
    (
        "floor_sum",
        "\
class floor_sum(sympy.Function):
    \"\"\"The sum of floor((a*v + c)/m) over v = 0, ..., n - 1.\"\"\"

    @classmethod
    def eval(cls, n, a, c, m):
        if all(x.is_Rational for x in (n, a, c, m)):
            terms = range(int(n)) if n > 0 else []
            return sum((sympy.floor((a * v + c) / m) for v in terms), sympy.Integer(0))
",
    ),
    (
        "divides",
        "\
class divides(sympy.Function):
    \"\"\"1 where d divides e, else 0.\"\"\"

    @classmethod
    def eval(cls, d, e):
        if d.is_Rational and e.is_Rational:
            return sympy.Integer(e % d == 0 if d != 0 else e == 0)
",
    ),
    (
        "is_power_of",
        "\
class is_power_of(sympy.Function):
    \"\"\"1 where x is y to a whole power >= 0, else 0; nothing below 1 is.\"\"\"

    @classmethod
    def eval(cls, x, y):
        if x.is_Rational and y.is_Rational:
            while x > 1 and y > 1:
                x /= y
            return sympy.Integer(x == 1)
",
    ),
    (
        "total",
        "\
class Total(sympy.Function):
    \"\"\"The sum of the last over v = low, ..., high: 0 where there are none.\"\"\"

    @classmethod
    def eval(cls, low, high, v, body):
        if low.is_Integer and high.is_Integer:
            terms = range(int(low), int(high) + 1)
            return sum((body.subs(v, sympy.Integer(at)) for at in terms), sympy.Integer(0))


def total(low, high, term):
    v = sympy.Dummy(\"v\", integer=True)
    return Total(low, high, v, term(v))
",
    ),
];

fn head(head: &Head) -> String {
    let symbol = |(name, known): &(String, Known)| {
        let known = match known {
            Known::Whole => "integer=True",
            Known::Positive => "integer=True, positive=True",
            Known::Real => "nonnegative=True",
        };
        format!("{name} = sympy.Symbol(\"{name}\", {known})\n")
    };
    format!(
        "{}\nimport sympy\n\n{}",
        docstring(&head.lines),
        head.parameters.iter().map(symbol).collect::<String>()
    )
}

fn definition(definition: &Definition) -> String {
    let comment = definition.lines.iter().filter(|line| !line.is_empty());
    let comment: String = comment.map(|line| format!("# {line}\n")).collect();
    format!(
        "{comment}{} = sympy.sympify({})\n",
        definition.name,
        broken(&definition.body, 0)
    )
}
