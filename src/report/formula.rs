//! An expression in the forms a report shows.

use crate::derive::derivation::Quantity;
use crate::sym::Expr;

/// One expression, written out.
pub(super) struct Formula {
    /// In the program's `let` names.
    pub(super) text: String,
    /// In formal and machine parameters only.
    pub(super) expanded: String,
    /// For a paper.
    pub(super) latex: String,
    /// Whether no `Σ` remains.
    pub(super) is_closed: bool,
}

impl Formula {
    /// Writes an expression in every form.
    pub(super) fn of(expr: &Expr) -> Self {
        Formula {
            text: expr.to_string(),
            expanded: expr.to_string(),
            latex: expr.to_latex(),
            is_closed: expr.is_closed(),
        }
    }
}

/// A quantity in one line of text: `3k`, `≤ 3k`, or `?` where nothing is known.
pub(super) fn shown(quantity: &Quantity) -> String {
    match &quantity.upper {
        Some(upper) if quantity.is_exact() => upper.to_string(),
        Some(upper) => format!("≤ {upper}"),
        None => "?".to_owned(),
    }
}

/// As [`shown`], in LaTeX's mathematics.
pub(super) fn latex(quantity: &Quantity) -> String {
    match &quantity.upper {
        Some(upper) if quantity.is_exact() => upper.to_latex(),
        Some(upper) => format!("\\le {}", upper.to_latex()),
        None => "\\text{?}".to_owned(),
    }
}
