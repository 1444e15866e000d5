//! Expressions in the forms of a report: in the program's `let` names, expanded, and LaTeX.

use crate::count::Quantity;
use crate::derivation::{Derivation, Derived};
use crate::sym::print::{Names, Printer};
use crate::sym::{Cond, Expr};

/// One expression in all forms.
pub(super) struct Formula {
    /// In the program's `let` names.
    pub(super) text: String,
    /// In formal and machine parameters only.
    pub(super) expanded: String,
    /// LaTeX, in `let` names.
    pub(super) latex: String,
    /// True if no `Σ` remains.
    pub(super) is_closed: bool,
}

/// Writes the expressions of one program.
pub(crate) struct Formulas {
    folded: Printer,
    /// True if a short upper bound is written in the place of a long formula.
    is_brief: bool,
}

impl Formulas {
    /// Creates a writer with these names; without names everything is expanded.
    pub(crate) fn new(names: &Names) -> Self {
        Formulas {
            folded: Printer::new(names),
            is_brief: false,
        }
    }

    /// Creates a writer that replaces formulas of more than two lines by their short upper bounds.
    pub(crate) fn brief(names: &Names) -> Self {
        Formulas {
            is_brief: true,
            ..Formulas::new(names)
        }
    }

    /// The short upper bound of a quantity that is too long.
    pub(crate) fn plain<'q>(&self, quantity: &'q Derived) -> Option<&'q Expr> {
        quantity.short.as_ref().filter(|_| self.is_brief)
    }

    /// True if the bound that is written for a quantity was far above what is counted. Where long formulas are wanted
    /// none is.
    pub(crate) fn is_loose(&self, derivation: &Derivation, which: Quantity) -> bool {
        self.is_brief && derivation.loose.contains(&which)
    }

    /// An expression in every form.
    pub(super) fn all(&self, expr: &Expr) -> Formula {
        Formula {
            text: self.folded.text(expr),
            expanded: expr.to_string(),
            latex: self.folded.latex(expr),
            is_closed: expr.is_closed(),
        }
    }

    /// An expression as text.
    pub(crate) fn text(&self, expr: &Expr) -> String {
        self.folded.text(expr)
    }

    /// A condition as text.
    pub(super) fn cond(&self, cond: &Cond) -> String {
        self.folded.cond(cond)
    }

    /// A condition as LaTeX.
    pub(super) fn latex_of_cond(&self, cond: &Cond) -> String {
        self.folded.latex_of_cond(cond)
    }

    /// A quantity in one line of text: `3k`, `≤ 3k`, or `?` if unknown.
    pub(crate) fn quantity(&self, quantity: &Derived) -> String {
        if let Some(plain) = self.plain(quantity) {
            return format!("≤ {}", self.folded.text(plain));
        }
        match &quantity.upper {
            Some(upper) if quantity.is_exact() => self.folded.text(upper),
            Some(upper) => format!("≤ {}", self.folded.text(upper)),
            None => "?".to_owned(),
        }
    }

    /// A quantity with its symbol, such as `k = ⌈n/b⌉`. It is written out if the program's own name for it
    /// is that symbol.
    pub(super) fn equation(&self, symbol: &str, quantity: &Derived) -> String {
        let text = self.quantity(quantity);
        match &quantity.upper {
            Some(upper) if text == symbol => format!("{symbol} = {upper}"),
            // `q ≤ 3k`, not `q = ≤ 3k`.
            _ if text.starts_with('≤') => format!("{symbol} {text}"),
            _ => format!("{symbol} = {text}"),
        }
    }

    /// An expression in LaTeX's mathematics mode.
    pub(super) fn latex_of(&self, expr: &Expr) -> String {
        self.folded.latex(expr)
    }
}
