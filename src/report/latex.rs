//! `derive` for a paper: the costs as an aligned display, the quantities as a table.
//!
//! Needs `amsmath`; everything else is plain LaTeX.

use crate::derive::derivation::Derivation;
use crate::report::formula::Formulas;
use crate::sym::print::Names;

/// The costs and totals of a derivation, in these names.
pub fn derivation(derivation: &Derivation, names: &Names) -> String {
    let formulas = Formulas::new(names);
    let mut out = format!("% {}: cost and GPU-cost\n", derivation.algorithm);
    out.push_str("\\begin{align*}\n");
    out.push_str(&format!(
        "  \\text{{cost}} &= {} \\\\\n",
        formulas.latex(&derivation.cost)
    ));
    out.push_str(&format!(
        "  \\text{{GPU-cost}} &= {}\n\\end{{align*}}\n\n",
        formulas.latex(&derivation.gpu_cost)
    ));
    out.push_str("\\begin{tabular}{lll}\n  quantity & value & class \\\\ \\hline\n");
    for (name, quantity) in derivation.totals.named() {
        let class = derivation.classes.get(name).map(|class| class_latex(class));
        out.push_str(&format!(
            "  {} & ${}$ & {} \\\\\n",
            name.replace('_', " "),
            formulas.latex(quantity),
            class.unwrap_or_default()
        ));
    }
    out.push_str("\\end{tabular}\n");
    out
}

/// `Θ(n/b)` with its letters as commands.
fn class_latex(class: &str) -> String {
    let mut out = String::from("$");
    for letter in class.chars() {
        match letter {
            'Θ' => out.push_str("\\Theta"),
            'α' => out.push_str("\\alpha "),
            'β' => out.push_str("\\beta "),
            'γ' => out.push_str("\\gamma "),
            'λ' => out.push_str("\\lambda "),
            'σ' => out.push_str("\\sigma "),
            'ℓ' => out.push_str("\\ell "),
            '⌈' => out.push_str("\\lceil "),
            '⌉' => out.push_str("\\rceil "),
            '⌊' => out.push_str("\\lfloor "),
            '⌋' => out.push_str("\\rfloor "),
            '·' => out.push_str("\\cdot "),
            '{' => out.push_str("\\{"),
            '}' => out.push_str("\\}"),
            other => out.push(other),
        }
    }
    out.push('$');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_no_letter_latex_lacks() {
        assert_eq!(class_latex("Θ(α + βn)"), "$\\Theta(\\alpha  + \\beta n)$");
        assert!(class_latex("O(⌈n/b⌉·λ)").is_ascii());
    }
}
