//! A cost as Expressions (1) and (2) of paper 1 write it: a sum over rounds, and what it sums, kernel by kernel.
//!
//! A program of several rounds has this form first. Merged into one line its cost is a polynomial that nobody can check
//! by hand, or a bound far above the sum.

use crate::count::Quantity;
use crate::derivation::{Derivation, Derived, DerivedRound};
use crate::program::CostSymbol;
use crate::report::derivation::heading;
use crate::report::formula::Formulas;
use crate::report::latex::math::math;
use crate::report::table::{Align, Table};
use crate::report::wrap::{labelled, listed};
use crate::sym::OF_THE_MACHINE;

/// Names for the index of a round: the first that the program has no use for.
const INDEXES: [&str; 4] = ["r", "i", "s", "h"];

/// True if there is more than one round, so that the sum says more than a merged line.
fn has_several(derivation: &Derivation) -> bool {
    let rounds = derivation.totals.rounds.upper.as_ref();
    let number = rounds.and_then(|rounds| rounds.as_rational());
    number.is_none_or(|rounds| rounds > 1.into())
}

/// True if the costs are shown as sums: if there are several rounds, or if no line is close.
pub(super) fn is_summed(derivation: &Derivation, formulas: &Formulas) -> bool {
    let is_loose = |which| formulas.is_loose(derivation, which);
    has_several(derivation) || is_loose(Quantity::Cost) || is_loose(Quantity::GpuCost)
}

/// The rounds whose terms of the sum are not 0.
pub(super) fn with_kernel(derivation: &Derivation) -> impl Iterator<Item = &DerivedRound> {
    let rounds = derivation.rounds.iter();
    rounds.filter(|round| round.opens.is_some())
}

/// The letters of a sum over rounds, none of which the program uses otherwise.
pub(super) struct Letters {
    /// The index of a round.
    index: &'static str,
    /// The number of rounds.
    rounds: &'static str,
    /// γ, λ, σ and k' as formulas of this program have them: `λ_GPU` beside a λ of its own.
    of_costs: [String; 4],
}

impl Letters {
    /// Chooses the letters for a derivation.
    pub(super) fn of(derivation: &Derivation) -> Letters {
        let is_taken = |letter: &str| {
            let mut formals = derivation.formals.iter();
            let mut names = derivation.names.iter();
            let mut loops = derivation.rounds.iter().flat_map(|round| &round.loops);
            formals.any(|formal| formal == letter)
                || names.any(|(name, _)| name == letter)
                || loops.any(|range| *range.symbol.name == *letter)
        };
        let free = INDEXES.into_iter().find(|letter| !is_taken(letter));
        let of_costs = [
            CostSymbol::Gamma,
            CostSymbol::Lambda,
            CostSymbol::Sigma,
            CostSymbol::RealMps,
        ];
        Letters {
            index: free.unwrap_or(INDEXES[0]),
            rounds: if is_taken("R") { "rounds" } else { "R" },
            of_costs: of_costs.map(|letter| {
                let name = letter.name();
                let suffix = if is_taken(name) { OF_THE_MACHINE } else { "" };
                format!("{name}{suffix}")
            }),
        }
    }

    /// Expression (1) or (2) as a sum over the rounds.
    pub(super) fn expression(&self, which: Quantity) -> String {
        let r = self.index;
        let [gamma, lambda, sigma, real_mps] = &self.of_costs;
        let rounds = match self.rounds {
            "R" => "R",
            _ => "rounds·",
        };
        let time = match which {
            Quantity::GpuCost => format!("⌈k_{r}/({real_mps}ℓ_{r})⌉ t_{r}"),
            _ => format!("t_{r}"),
        };
        format!("Σ T_I + T_O + Σ_{r} ({time} + {lambda} q_{r})/{gamma} + {rounds}{sigma}")
    }

    /// Both sums as LaTeX.
    pub(super) fn latex(&self) -> String {
        let r = self.index;
        let [gamma, lambda, sigma, real_mps] = [0, 1, 2, 3].map(|at| math(&self.of_costs[at]));
        let rounds = match self.rounds {
            "R" => "R",
            _ => "\\mathit{rounds} \\cdot",
        };
        let line = |name: &str, time: &str| {
            format!(
                "  \\text{{{name}}} &= \\sum T_I + T_O \
                 + \\sum_{r} \\frac{{{time} + {lambda} q_{r}}}{{{gamma}}} + {rounds} {sigma}"
            )
        };
        let waves = format!("\\lceil k_{r}/({real_mps} \\ell_{r}) \\rceil t_{r}");
        let lines = [line("cost", &format!("t_{r}")), line("GPU-cost", &waves)];
        format!(
            "\\begin{{align*}}\n{}\n\\end{{align*}}\n",
            lines.join(" \\\\\n")
        )
    }
}

/// A total as a sum or maximum over the rounds, as text and as LaTeX. `None` if its own form is shown: if that is close,
/// if there is one round, or if no letter of a round stands for it.
pub(super) fn total(
    which: Quantity,
    derivation: &Derivation,
    formulas: &Formulas,
) -> Option<(String, String)> {
    if !has_several(derivation) || !formulas.is_loose(derivation, which) {
        return None;
    }
    let r = Letters::of(derivation).index;
    let (of_all, what, latex) = match which {
        Quantity::Time => ("max", "t", "t"),
        Quantity::TotalTime => ("Σ", "t", "t"),
        Quantity::Io => ("Σ", "q", "q"),
        Quantity::Shared => ("max", "m", "m"),
        Quantity::Global => ("max", "g", "g"),
        Quantity::BankConflicts => ("Σ", "conflicts", "\\mathit{conflicts}"),
        _ => return None,
    };
    let sign = if of_all == "max" { "\\max" } else { "\\sum" };
    Some((
        format!("{of_all}_{r} {what}_{r}"),
        format!("{sign}_{r} {latex}_{r}"),
    ))
}

/// What the sum adds up: the transfers, the number of rounds, and each kernel's k, ℓ, t and q, of which
/// Expression (1) needs the last two.
pub(super) fn terms(which: Quantity, derivation: &Derivation, formulas: &Formulas) -> String {
    let equation = |name, which| formulas.equation(name, derivation.quantity(which));
    let letters = Letters::of(derivation);
    let fixed = [
        equation("Σ T_I + T_O", Quantity::TransferCost),
        equation(letters.rounds, Quantity::Rounds),
    ];
    let table = in_columns(which, derivation, formulas);
    let rounds = if table.fits() {
        table.render()
    } else {
        let rounds = with_kernel(derivation).map(|round| {
            let parts = of_round(which, round).map(|(letter, quantity)| {
                let quantity = quantity?;
                Some(formulas.equation(letter, quantity))
            });
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            labelled("  ", &heading(round, formulas)) + &listed("    ", &parts)
        });
        rounds.collect()
    };
    listed("  ", &fixed) + &rounds
}

/// The terms as a table, with a column for each letter.
fn in_columns(which: Quantity, derivation: &Derivation, formulas: &Formulas) -> Table {
    let mut columns = vec![("", Align::Left)];
    let letters = ["k", "ℓ", "t", "q"];
    let is_needed = |letter: &&str| which == Quantity::GpuCost || ["t", "q"].contains(letter);
    columns.extend(
        letters
            .into_iter()
            .filter(is_needed)
            .map(|letter| (letter, Align::Left)),
    );
    let mut table = Table::new(&columns);
    for round in with_kernel(derivation) {
        let cells = of_round(which, round).map(|(_, quantity)| Some(formulas.quantity(quantity?)));
        let heading = heading(round, formulas);
        table.row([heading].into_iter().chain(cells.into_iter().flatten()));
    }
    table
}

/// The letters of a round in Expression (1) or (2), each with its quantity if the expression has it.
fn of_round(which: Quantity, round: &DerivedRound) -> [(&'static str, Option<&Derived>); 4] {
    let counts = &round.counts;
    let in_waves = which == Quantity::GpuCost;
    [
        ("k", in_waves.then_some(&counts.launched_mps)),
        ("ℓ", in_waves.then_some(&round.occupancy)),
        ("t", Some(&counts.time)),
        ("q", Some(&counts.io)),
    ]
}
