//! The symbols of a derivation that stand for the program's parameters and for the letters of the
//! cost functions (α, β, γ, λ, σ, k', H, ℓ).

use crate::program::{CostSymbol, ParamId, Program};
use crate::sym::{self, Symbol, SymbolKind};

/// The symbol of a parameter.
pub(crate) fn symbol_of(program: &Program, parameter: ParamId) -> Symbol {
    Symbol::new(parameter.0, &program.parameter(parameter).name)
}

/// The symbol of a letter of the cost functions.
pub(crate) fn letter(letter: CostSymbol) -> Symbol {
    let (number, name) = match letter {
        CostSymbol::Alpha => (0, "α"),
        CostSymbol::Beta => (1, "β"),
        CostSymbol::Gamma => (2, "γ"),
        CostSymbol::Lambda => (3, "λ"),
        CostSymbol::Sigma => (4, "σ"),
        CostSymbol::RealMps => (5, "k'"),
        CostSymbol::MaxResident => (6, "H"),
        CostSymbol::Occupancy => (7, "ℓ"),
    };
    Symbol::of(SymbolKind::Letter, number, name)
}

/// Whether a symbol is a letter of the cost functions.
pub(crate) fn is_letter(symbol: &Symbol) -> bool {
    symbol.id.kind == SymbolKind::Letter
}

/// A letter as an expression.
pub(crate) fn letter_expr(which: CostSymbol) -> sym::Expr {
    sym::Expr::symbol(&letter(which))
}
