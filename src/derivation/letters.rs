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
    Symbol::of(SymbolKind::Letter, letter as u32, letter.name())
}

/// The name of a cost letter in formulas of this program: H, or `H_GPU` where the program has an H of its
/// own.
pub(crate) fn letter_name(program: &Program, letter: CostSymbol) -> String {
    let is_taken = |name: &str| program.parameters.iter().any(|own| own.name == name);
    if is_taken(letter.name()) {
        format!("{}{}", letter.name(), sym::OF_THE_MACHINE)
    } else {
        letter.name().to_owned()
    }
}

/// Returns true if a symbol is a cost letter.
pub(crate) fn is_letter(symbol: &Symbol) -> bool {
    symbol.id.kind == SymbolKind::Letter
}

/// A letter as an expression.
pub(crate) fn letter_expr(which: CostSymbol) -> sym::Expr {
    sym::Expr::symbol(&letter(which))
}
