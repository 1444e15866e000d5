//! Expressions as text, in the canonical Unicode spelling, for messages and helps.

use crate::syntax::ast::{
    BinaryOperator, Comparison, Expr, ExprKind, LogBase, Quantifier, Relation,
};

/// Prints an expression in canonical Unicode spelling, with parentheses where the tree needs them.
/// Parsing the text gives the tree again, but for added parentheses.
pub fn print_expr(expr: &Expr) -> String {
    let mut text = String::new();
    print(expr, Level::Formula, &mut text);
    text
}

/// Returns the condition of the second `if`: not the first's, and its own if it has one.
pub(super) fn opposite_of(first: &Expr, second: Option<&Expr>) -> String {
    let mut opposite = negated(first);
    if let Some(second) = second {
        opposite.push_str(" ∧ ");
        print(second, Level::Not, &mut opposite);
    }
    opposite
}

/// Returns the opposite of a condition, as an operand of `∧`.
fn negated(condition: &Expr) -> String {
    match &condition.kind {
        ExprKind::Not(inner) => print_expr(inner),
        ExprKind::Paren(inner) => negated(inner),
        ExprKind::Compare {
            operands,
            relations,
        } => match (operands.as_slice(), relations.as_slice()) {
            ([left, right], [Relation::Exact(operator)]) => match opposite(*operator) {
                Some(operator) => {
                    let mut text = String::new();
                    print(left, Level::Sum, &mut text);
                    text.push_str(comparison(operator));
                    print(right, Level::Sum, &mut text);
                    text
                }
                None => negated_operand(condition),
            },
            _ => negated_operand(condition),
        },
        _ => negated_operand(condition),
    }
}

fn negated_operand(condition: &Expr) -> String {
    match condition.kind {
        ExprKind::Paren(_) => format!("¬{}", print_expr(condition)),
        _ => format!("¬({})", print_expr(condition)),
    }
}

fn opposite(comparison: Comparison) -> Option<Comparison> {
    Some(match comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::AtLeast,
        Comparison::AtMost => Comparison::Greater,
        Comparison::Greater => Comparison::AtMost,
        Comparison::AtLeast => Comparison::Less,
        Comparison::Divides | Comparison::PowerOf => return None,
    })
}

/// The loosest construct that a place takes without parentheses; loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Formula,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Juxtaposition,
    Negation,
    Power,
    Primary,
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Quantified { .. } => Level::Formula,
        ExprKind::Binary { operator, .. } => match operator {
            BinaryOperator::Implies => Level::Formula,
            BinaryOperator::Or => Level::Or,
            BinaryOperator::And => Level::And,
            BinaryOperator::Add | BinaryOperator::Subtract => Level::Sum,
            BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::FloorDivide
            | BinaryOperator::Modulo => Level::Product,
            BinaryOperator::Juxtapose => Level::Juxtaposition,
            BinaryOperator::Power => Level::Power,
        },
        ExprKind::Not(_) => Level::Not,
        ExprKind::Compare { .. } => Level::Compare,
        ExprKind::Negate(_) => Level::Negation,
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Name(_)
        | ExprKind::Word { .. }
        | ExprKind::Paren(_)
        | ExprKind::Ceil(_)
        | ExprKind::Floor(_)
        | ExprKind::Bracket(_)
        | ExprKind::Call { .. }
        | ExprKind::Log { .. } => Level::Primary,
    }
}

fn print(expr: &Expr, loosest: Level, text: &mut String) {
    // (a + b)·c: the product wants factors, a sum is looser, so it gets parentheses.
    if level(expr) < loosest {
        enclosed("(", expr, ")", text);
        return;
    }
    match &expr.kind {
        ExprKind::Integer(value) => text.push_str(&value.to_string()),
        ExprKind::Float(value) => text.push_str(&float(*value)),
        ExprKind::Name(name) => text.push_str(&name.text),
        ExprKind::Word { name, indices } => {
            text.push_str(&name.text);
            list("[", indices, "]", text);
        }
        ExprKind::Paren(inner) => enclosed("(", inner, ")", text),
        ExprKind::Ceil(inner) => enclosed("⌈", inner, "⌉", text),
        ExprKind::Floor(inner) => enclosed("⌊", inner, "⌋", text),
        ExprKind::Bracket(inner) => enclosed("[", inner, "]", text),
        ExprKind::Negate(inner) => {
            text.push('-');
            print(inner, Level::Negation, text);
        }
        ExprKind::Not(inner) => {
            text.push('¬');
            if !matches!(inner.kind, ExprKind::Paren(_)) && level(inner) >= Level::Not {
                text.push(' ');
            }
            print(inner, Level::Not, text);
        }
        ExprKind::Binary {
            operator,
            left,
            right,
        } => binary(*operator, left, right, text),
        ExprKind::Compare {
            operands,
            relations,
        } => {
            for (at, operand) in operands.iter().enumerate() {
                if let Some(between) = at.checked_sub(1).and_then(|at| relations.get(at)) {
                    text.push_str(relation(*between));
                }
                print(operand, Level::Sum, text);
            }
        }
        ExprKind::Call {
            function: called,
            arguments,
        } => {
            text.push_str(called.form().name);
            list("(", arguments, ")", text);
        }
        ExprKind::Log { base, argument } => log(base, argument, text),
        ExprKind::Quantified {
            quantifier,
            binders,
            body,
        } => {
            text.push_str(match quantifier {
                Quantifier::ForAll => "∀",
                Quantifier::Exists => "∃",
                Quantifier::Sum => "Σ",
                Quantifier::Min => "min",
                Quantifier::Max => "max",
            });
            for (at, binder) in binders.iter().enumerate() {
                text.push_str(if at == 0 { " " } else { ", " });
                text.push_str(&binder.name.text);
                text.push_str(" ∈ ");
                print(&binder.low, Level::Or, text);
                text.push_str("..");
                print(&binder.high, Level::Or, text);
            }
            text.push_str(" : ");
            let loosest = match quantifier {
                Quantifier::ForAll | Quantifier::Exists => Level::Formula,
                Quantifier::Sum | Quantifier::Min | Quantifier::Max => Level::Sum,
            };
            print(body, loosest, text);
        }
    }
}

fn binary(operator: BinaryOperator, left: &Expr, right: &Expr, text: &mut String) {
    let (sign, left_level, right_level) = match operator {
        BinaryOperator::Implies => (" ⇒ ", Level::Or, Level::Formula),
        BinaryOperator::Or => (" ∨ ", Level::Or, Level::And),
        BinaryOperator::And => (" ∧ ", Level::And, Level::Not),
        BinaryOperator::Add => (" + ", Level::Sum, Level::Product),
        BinaryOperator::Subtract => (" - ", Level::Sum, Level::Product),
        BinaryOperator::Multiply => ("·", Level::Product, Level::Juxtaposition),
        // A juxtaposed product behind `/` would be ambiguous, so it gets parentheses: n/(2b).
        BinaryOperator::Divide => ("/", Level::Product, Level::Negation),
        BinaryOperator::FloorDivide => (" div ", Level::Product, Level::Juxtaposition),
        BinaryOperator::Modulo => (" mod ", Level::Product, Level::Juxtaposition),
        BinaryOperator::Juxtapose => (" ", Level::Juxtaposition, Level::Power),
        BinaryOperator::Power => ("^", Level::Primary, Level::Negation),
    };
    if operator == BinaryOperator::Juxtapose && ends_in_bracket(left) {
        enclosed("(", left, ")", text);
    } else {
        print(left, left_level, text);
    }
    let sign_at = text.len();
    text.push_str(sign);
    let right_at = text.len();
    if operator == BinaryOperator::Juxtapose && !may_follow(right) {
        enclosed("(", right, ")", text);
    } else {
        print(right, right_level, text);
    }
    if operator == BinaryOperator::Juxtapose && sits_close(&text[..sign_at], &text[right_at..]) {
        text.replace_range(sign_at..right_at, "");
    }
}

/// Returns true if an expression ends in `[cond]`, which needs a `·` before the next factor.
fn ends_in_bracket(left: &Expr) -> bool {
    match &left.kind {
        ExprKind::Bracket(_) => true,
        ExprKind::Negate(inner) => ends_in_bracket(inner),
        ExprKind::Log { argument, .. } => ends_in_bracket(argument),
        ExprKind::Binary {
            operator: BinaryOperator::Power,
            right,
            ..
        } => ends_in_bracket(right),
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Name(_)
        | ExprKind::Word { .. }
        | ExprKind::Paren(_)
        | ExprKind::Not(_)
        | ExprKind::Binary { .. }
        | ExprKind::Compare { .. }
        | ExprKind::Ceil(_)
        | ExprKind::Floor(_)
        | ExprKind::Call { .. }
        | ExprKind::Quantified { .. } => false,
    }
}

/// Returns true if an expression may follow a factor without a `·`: it is no number, and does not
/// begin
/// with `[cond]`, not even behind a logarithm.
fn may_follow(right: &Expr) -> bool {
    match &right.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => false,
        ExprKind::Binary {
            operator: BinaryOperator::Power,
            left,
            ..
        } => may_follow(left),
        _ => !begins_with_bracket(right),
    }
}

fn begins_with_bracket(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Bracket(_) => true,
        ExprKind::Log { argument, .. } => begins_with_bracket(argument),
        ExprKind::Binary {
            operator: BinaryOperator::Power,
            left,
            ..
        } => begins_with_bracket(left),
        _ => false,
    }
}

/// Returns true if two factors read as one term without a blank and stay two tokens: `3k`, `2(n +
/// 1)`.
fn sits_close(left: &str, right: &str) -> bool {
    let first = right.chars().next().unwrap_or(' ');
    if matches!(first, '(' | '⌈' | '⌊') {
        return true;
    }
    let number = left
        .rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '.')))
        .next()
        .unwrap_or("");
    // `0.5` and `2e300` are numbers: their parts are digits. `0β3` is a number and a name.
    let is_number = number.split(['.', 'e']).all(|part| {
        let mut digits = part.chars();
        digits.next().is_some_and(|c| c.is_ascii_digit())
            && digits.all(|c| c.is_ascii_digit() || c == '_')
    });
    // `2 e1` would become a float, `2 _0` the number 20.
    let mut rest = right.chars().skip(1);
    let would_merge = match first {
        'e' => rest.next().is_none_or(|c| !c.is_alphabetic()),
        '_' => rest.next().is_none_or(|c| c.is_ascii_digit()),
        _ => false,
    };
    let is_name = !right.starts_with(|c: char| c.is_ascii_digit());
    is_number && is_name && !would_merge
}

fn log(base: &LogBase, argument: &Expr, text: &mut String) {
    match base {
        LogBase::Unwritten => text.push_str("log"),
        LogBase::Number(number) if number.to_string() == "2" => text.push_str("log2"),
        LogBase::Number(number) => text.push_str(&format!("log_{number}")),
        LogBase::Name(name) => text.push_str(&format!("log_{}", name.text)),
        LogBase::Braced(base) => enclosed("log_{", base, "}", text),
    }
    text.push(' ');
    print(argument, Level::Primary, text);
}

fn enclosed(open: &str, inner: &Expr, close: &str, text: &mut String) {
    text.push_str(open);
    print(inner, Level::Formula, text);
    text.push_str(close);
}

fn list(open: &str, items: &[Expr], close: &str, text: &mut String) {
    text.push_str(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        print(item, Level::Formula, text);
    }
    text.push_str(close);
}

/// Formats a float so that it is read back as the same float.
fn float(value: f64) -> String {
    format!("{value:?}")
}

fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Exact(exact) => comparison(exact),
        Relation::About => " ≈ ",
    }
}

fn comparison(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => " = ",
        Comparison::NotEqual => " ≠ ",
        Comparison::Less => " < ",
        Comparison::AtMost => " ≤ ",
        Comparison::Greater => " > ",
        Comparison::AtLeast => " ≥ ",
        Comparison::Divides => " | ",
        Comparison::PowerOf => " is a power of ",
    }
}
