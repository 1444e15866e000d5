//! Blanks between tokens.

use crate::syntax::format::Token;
use crate::syntax::parser::Form;

/// Joins the tokens of a line, with single blanks where they belong.
pub(super) fn join(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 && stand_apart(&tokens[at - 1], token) {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

fn stand_apart(left: &Token, right: &Token) -> bool {
    // The first matching rule wins: closing and opening brackets before operators, operators before
    // juxtaposition. In ranges and braces signs stand close: `0..n-1`, but `n - 1`.
    match (left.form, right.form) {
        (
            _,
            Form::comma
            | Form::close_paren
            | Form::close_bracket
            | Form::close_brace
            | Form::close_ceil
            | Form::close_floor,
        ) => false,
        (
            Form::open_paren
            | Form::open_bracket
            | Form::open_brace
            | Form::open_ceil
            | Form::open_floor
            | Form::mp_mark
            | Form::core_mark
            | Form::core_set_mark
            | Form::log_mark,
            _,
        ) => false,
        (Form::comma, _) => !left.close,
        (Form::dots, _) | (_, Form::dots) => false,
        (Form::power | Form::times | Form::divide, _)
        | (_, Form::power | Form::times | Form::divide) => false,
        (Form::plus | Form::minus, _) => !left.close,
        (_, Form::plus | Form::minus) => !right.close,
        (Form::negate, _) => false,
        (Form::not, Form::open_paren) => left.text != "¬",
        (
            Form::function
            | Form::kw_ceil
            | Form::kw_floor
            | Form::big_o
            | Form::omega
            | Form::theta
            | Form::log_two
            | Form::log_bare,
            Form::open_paren,
        ) => false,
        (Form::name | Form::mp_set, Form::open_bracket) => false,
        (left_form, Form::open_paren | Form::open_ceil | Form::open_floor) => {
            !ends_factor(left_form)
        }
        (Form::number, Form::name) => would_merge(&right.text),
        _ => true,
    }
}

/// Returns true if a token ends something that a factor in brackets can follow as a product.
fn ends_factor(form: Form) -> bool {
    matches!(
        form,
        Form::name
            | Form::number
            | Form::whole_number
            | Form::close_paren
            | Form::close_bracket
            | Form::close_brace
            | Form::close_ceil
            | Form::close_floor
    )
}

/// Returns true if a name directly behind a number would be read as a part of it: `2 e1`, `2 _0`,
/// and
/// `2 e` before a close `-`.
pub(in crate::syntax) fn would_merge(name: &str) -> bool {
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some('e'), next) => next.is_none_or(|c| c.is_ascii_digit()),
        (Some('_'), next) => next.is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    }
}
