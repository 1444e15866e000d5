//! The reasons why quantities are only upper bounds, or have no closed form: each reason once, with all
//! quantities it affects.

use indexmap::IndexMap;

use crate::count::Inexact;
use crate::derivation::{Bound, Derivation, Touched};
use crate::report::wrap::{WIDTH, labelled, wrapped};

/// One reason, with all quantities that it affects at the same lines.
pub(crate) struct Cause<'a> {
    /// The quantities, in the order of the JSON.
    pub quantities: Vec<Touched>,
    /// The line numbers, ascending.
    pub lines: Vec<usize>,
    pub why: &'a Inexact,
}

/// Groups bounds by reason and lines, in order of first appearance.
pub(crate) fn causes<'a>(bounds: impl IntoIterator<Item = &'a Bound>) -> Vec<Cause<'a>> {
    // Two passes: the first collects the lines of each reason and quantity, the second joins quantities
    // with equal lines.
    let mut lines: IndexMap<(&Inexact, Touched), Vec<usize>> = IndexMap::new();
    for bound in bounds {
        lines
            .entry((&bound.why, bound.quantity))
            .or_default()
            .push(bound.line);
    }
    let mut causes: IndexMap<(&Inexact, Vec<usize>), Vec<Touched>> = IndexMap::new();
    for ((why, quantity), mut lines) in lines {
        lines.sort_unstable();
        lines.dedup();
        let quantities = causes.entry((why, lines)).or_default();
        quantities.push(quantity);
    }
    let cause = |((why, lines), quantities)| Cause {
        quantities,
        lines,
        why,
    };
    causes.into_iter().map(cause).collect()
}

impl Cause<'_> {
    /// The line numbers, ascending.
    pub(crate) fn lines(&self) -> &[usize] {
        &self.lines
    }

    /// `line 4`, or `lines 4, 9`.
    pub(crate) fn place(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(usize::to_string).collect();
        match &*lines {
            [line] => format!("line {line}"),
            lines => format!("lines {}", lines.join(", ")),
        }
    }

    /// The affected quantities, by name.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self
            .quantities
            .iter()
            .map(|touched| touched.name())
            .collect();
        names.join(", ")
    }

    /// Two or more indented lines.
    pub(crate) fn text(&self) -> String {
        let what = format!("{} ({}): {}", self.names(), self.place(), self.why.reason());
        let what = wrapped(&what, WIDTH - 6).join("\n      ");
        format!("  {what}\n{}", labelled("    ", self.why.remedy()))
    }
}

/// Splits the reasons: quantities that are not exact, then exact ones without a closed form.
pub(crate) fn inexact_and_open(derivation: &Derivation) -> [Vec<Cause<'_>>; 2] {
    let (open, inexact): (Vec<&Bound>, Vec<&Bound>) = derivation
        .bounds
        .iter()
        .partition(|bound| is_exact(derivation, bound.quantity));
    [causes(inexact), causes(open)]
}

/// Returns true if a total or a cost is exact, even with an unsolved sum.
fn is_exact(derivation: &Derivation, touched: Touched) -> bool {
    match touched {
        Touched::Quantity(which) => derivation.quantity(which).is_exact(),
        Touched::Operations | Touched::Charges => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Quantity;

    fn bound(which: Quantity, line: usize, why: Inexact) -> Bound {
        Bound {
            quantity: Touched::Quantity(which),
            line,
            why,
        }
    }

    #[test]
    fn quantities_share_a_cause_only_where_all_lines_are_the_same() {
        let bounds = [
            bound(Quantity::Time, 9, Inexact::DataCostliestMp),
            bound(Quantity::Time, 4, Inexact::DataCostliestMp),
            bound(Quantity::Time, 4, Inexact::DataCostliestMp),
            bound(Quantity::Io, 4, Inexact::DataCostliestMp),
            bound(Quantity::Io, 9, Inexact::DataExecutions),
            bound(Quantity::Cost, 4, Inexact::DataCostliestMp),
            bound(Quantity::Cost, 9, Inexact::DataCostliestMp),
        ];
        let shown: Vec<String> = causes(&bounds).iter().map(Cause::text).collect();
        assert_eq!(
            shown,
            [
                "  time, cost (lines 4, 9): data decide which MP is the costliest\n    count a run\n",
                "  io (line 4): data decide which MP is the costliest\n    count a run\n",
                "  io (line 9): data decide how often it is executed\n    declare the range of the data it depends on, or count a run\n",
            ]
        );
    }
}
