//! SQL: macros of DuckDB, in doubles.

use crate::report::derivation::functions::c::DOUBLES;
use crate::report::derivation::functions::definition::{Definition, Head, broken, commented};
use crate::report::derivation::functions::dialect::{Call, Connective, Dialect, NameRules, Total};
use crate::report::derivation::functions::reserved;

pub(super) const SQL: Dialect = Dialect {
    number: |number| number.to_string(),
    quotient_of_literals: "$1 / $2",
    whole_power: "atgpu_power($1, $2)",
    power: "atgpu_power($1, $2)",
    square_root: "sqrt($1)",
    floor: "floor($1)",
    ceiling: "ceil($1)",
    floor_near: "atgpu_floor_near($1)",
    ceiling_near: "(-atgpu_floor_near(-($1)))",
    log: "atgpu_log_to($1, $2)",
    min: Call::Any("least($1)"),
    max: Call::Any("greatest($1)"),
    gcd: "gcd(($1)::BIGINT, ($2)::BIGINT)",
    digit_sum: "atgpu_digit_sum($1, $2)",
    floor_sum: "atgpu_floor_sum($1, $2, $3, $4)",
    choice: "CASE WHEN $1 THEN $2 ELSE 0 END",
    total: Total::Inline(
        "coalesce(list_sum(list_transform(range(($1)::BIGINT, ($2)::BIGINT + 1)::DOUBLE[], \
         lambda $v: $3)), 0)",
    ),
    truth: ["false", "true"],
    relations: [
        "$1 = $2", "$1 <> $2", "$1 >= $2", "$1 < $2", "$1 <= $2", "$1 > $2",
    ],
    divides: "atgpu_divides($1, $2)",
    power_of: "atgpu_is_power_of($1, $2)",
    not: "NOT ($1)",
    and: Connective::Infix(" AND "),
    or: Connective::Infix(" OR "),
    names: NameRules {
        reserved: reserved::SQL,
        has_cases: false,
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

const HELPERS: &[(&str, &str)] = &[
    (
        "atgpu_floor_near",
        "\
-- The floor of what was rounded more than once.
CREATE OR REPLACE MACRO atgpu_floor_near(x) AS
  CASE WHEN abs(x - round(x)) <= 1e-15 * greatest(1, abs(x)) THEN round(x) ELSE floor(x) END;
",
    ),
    (
        "atgpu_power",
        "\
-- x to the y, whole where both are.
CREATE OR REPLACE MACRO atgpu_power(x, y) AS
  CASE WHEN round(x) = x AND round(y) = y AND pow(x, y) BETWEEN 1 AND 4503599627370495
    THEN round(pow(x, y)) ELSE pow(x, y) END;
",
    ),
    (
        "atgpu_log_to",
        "\
-- The logarithm of x, on the right side of every whole number: atgpu_log_to(5, 125) is 3.
CREATE OR REPLACE MACRO atgpu_log_near(base, x, y, k) AS
  CASE WHEN abs(y - k) > 1e-9 THEN y
    WHEN atgpu_power(base, k) = x THEN k
    WHEN (atgpu_power(base, k) < x) = (base > 1) THEN greatest(y, k + 1e-13)
    ELSE least(y, k - 1e-13) END;
CREATE OR REPLACE MACRO atgpu_log_to(base, x) AS
  CASE WHEN x > 0 AND base > 0 AND base <> 1
    THEN atgpu_log_near(base, x, ln(x) / ln(base), round(ln(x) / ln(base))) END;
",
    ),
    (
        "atgpu_digit_sum",
        "\
-- The sum of the digits of x, which is x - (base - 1)(x/base + x/base^2 + ...), each rounded down.
CREATE OR REPLACE MACRO atgpu_digit_sum(x, base) AS
  CASE WHEN x >= 0 AND base >= 2
    THEN x - (base - 1) * list_sum(list_transform(range(1, 54), lambda i_: floor(x / pow(base, i_))))
  END;
",
    ),
    (
        "atgpu_floor_sum",
        "\
-- The sum of floor((a*v + c)/m) over v = 0, ..., n - 1.
CREATE OR REPLACE MACRO atgpu_floor_sum(n, a, c, m) AS
  coalesce(list_sum(list_transform(range((n)::BIGINT)::DOUBLE[], lambda v_: floor((a * v_ + c) / m))), 0);
",
    ),
    (
        "atgpu_divides",
        "\
CREATE OR REPLACE MACRO atgpu_divides(d, e) AS
  CASE WHEN d = 0 THEN e = 0 ELSE fmod(e, d) = 0 END;
",
    ),
    (
        "atgpu_is_power_of",
        "\
-- Whether x is y to a whole power >= 0; nothing below 1 is.
CREATE OR REPLACE MACRO atgpu_is_power_of(x, y) AS
  CASE WHEN x > 1 AND y > 1 THEN atgpu_power(y, round(ln(x) / ln(y))) = x ELSE x = 1 END;
",
    ),
];

fn head(head: &Head) -> String {
    commented(&head.lines, "--")
}

fn definition(definition: &Definition) -> String {
    format!(
        "{}CREATE OR REPLACE MACRO {}({}) AS\n  {};\n",
        commented(&definition.lines, "--"),
        definition.name,
        definition.list(|name| format!("{name} DOUBLE")),
        broken(&definition.body, 2)
    )
}
