//! Excel: a `LAMBDA` for each name of the name manager, as a table to copy from.

use crate::report::derivation::functions::definition::{Definition, Head, commented};
use crate::report::derivation::functions::dialect::{Call, Connective, Dialect, NameRules, Total};
use crate::report::derivation::functions::reserved;

pub(super) const EXCEL: Dialect = Dialect {
    number: |number| number.to_string(),
    quotient_of_literals: "$1 / $2",
    whole_power: "POWER($1, $2)",
    power: "POWER($1, $2)",
    square_root: "SQRT($1)",
    floor: "INT($1)",
    ceiling: "(-INT(-#1))",
    floor_near: "FLOOR_NEAR($1)",
    ceiling_near: "(-FLOOR_NEAR(-#1))",
    log: "LOG_TO($1, $2)",
    min: Call::Any("MIN($1)"),
    max: Call::Any("MAX($1)"),
    gcd: "GCD($1, $2)",
    digit_sum: "DIGIT_SUM($1, $2)",
    floor_sum: "FLOOR_SUM($1, $2, $3, $4)",
    choice: "IF($1, $2, 0)",
    total: Total::Inline("IF($2 < $1, 0, SUM(MAP(SEQUENCE($2 - ($1) + 1, , $1), LAMBDA($v, $3))))"),
    truth: ["FALSE", "TRUE"],
    relations: [
        "$1 = $2", "$1 <> $2", "$1 >= $2", "$1 < $2", "$1 <= $2", "$1 > $2",
    ],
    divides: "DIVIDES($1, $2)",
    power_of: "IS_POWER_OF($1, $2)",
    not: "NOT($1)",
    and: Connective::Around("AND($1)"),
    or: Connective::Around("OR($1)"),
    names: NameRules {
        reserved: reserved::EXCEL,
        has_cases: false,
        has_greek: false,
        has_cells: true,
        prefixes: true,
        is_flat: false,
    },
    helpers: HELPERS,
    numbers: "Fifteen digits. Enter each name with its formula in the name manager (a spreadsheet \
              with LAMBDA, LET, MAP and SEQUENCE); then =NAME(A2, B2) works in every cell.",
    head,
    definition,
    gap: "",
    most_characters: Some(8192),
};

const HELPERS: &[(&str, &str)] = &[
    (
        "FLOOR_NEAR",
        "FLOOR_NEAR\t=LAMBDA(x, LET(k, ROUND(x, 0), IF(ABS(x - k) <= 1E-15 * MAX(1, ABS(x)), k, \
         INT(x))))\n",
    ),
    (
        "LOG_TO",
        "LOG_TO\t=LAMBDA(base, x, LET(y, LN(x) / LN(base), k, ROUND(y, 0), p, POWER(base, k), \
         IF(ABS(y - k) > 1E-9, y, IF(p = x, k, IF((p < x) = (base > 1), MAX(y, k + 1E-13), MIN(y, \
         k - 1E-13))))))\n",
    ),
    (
        "DIGIT_SUM",
        "DIGIT_SUM\t=LAMBDA(x, base, x - (base - 1) * SUM(MAP(SEQUENCE(53), LAMBDA(i, INT(x / \
         POWER(base, i))))))\n",
    ),
    (
        "FLOOR_SUM",
        "FLOOR_SUM\t=LAMBDA(terms, slope, start, under, IF(terms < 1, 0, SUM(MAP(SEQUENCE(terms, , \
         0), LAMBDA(v, INT((slope * v + start) / under))))))\n",
    ),
    (
        "DIVIDES",
        "DIVIDES\t=LAMBDA(d, e, IF(d = 0, e = 0, INT(e / d) * d = e))\n",
    ),
    (
        "IS_POWER_OF",
        "IS_POWER_OF\t=LAMBDA(x, y, IF(AND(x > 1, y > 1), POWER(y, ROUND(LN(x) / LN(y), 0)) = x, \
         x = 1))\n",
    ),
];

fn head(head: &Head) -> String {
    commented(&head.lines, "#")
}

fn definition(definition: &Definition) -> String {
    let parameters = definition.parameters.iter().map(|name| format!("{name}, "));
    let lines: Vec<&str> = definition.lines.iter().map(|line| line.trim()).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    format!(
        "{}\t=LAMBDA({}{})\t{}\n",
        definition.name,
        parameters.collect::<String>(),
        definition.body,
        lines.join(" ")
    )
}
