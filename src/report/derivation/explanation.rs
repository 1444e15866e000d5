//! The origin of a total: from lines to rounds to the total, with the rule behind every block count.

use crate::count::{Quantity, Traffic};
use crate::derivation::{BlockRule, Derivation, Derived, DerivedLine, DerivedRound, Touched};
use crate::program::Program;
use crate::report::causes::causes;
use crate::report::derivation::{by_rounds, heading};
use crate::report::formula::Formulas;
use crate::report::table::{Align, Table};
use crate::report::wrap::within_width;
use crate::sym::print::Names;

/// Columns of the program's text.
const TEXT: usize = 40;

/// The quantities that can be explained, in order.
pub const QUANTITIES: [Quantity; 14] = [
    Quantity::GpuCost,
    Quantity::Cost,
    Quantity::TransferCost,
    Quantity::Rounds,
    Quantity::Time,
    Quantity::TotalTime,
    Quantity::Io,
    Quantity::Inward,
    Quantity::Outward,
    Quantity::Transfer,
    Quantity::Transactions,
    Quantity::Shared,
    Quantity::Global,
    Quantity::BankConflicts,
];

/// The quantities explained by default.
const USUAL: [Quantity; 5] = [
    Quantity::GpuCost,
    Quantity::Time,
    Quantity::Io,
    Quantity::Transfer,
    Quantity::BankConflicts,
];

/// Explains one of [`QUANTITIES`], or the default ones.
pub fn text(
    program: &Program,
    derivation: &Derivation,
    names: &Names,
    quantity: Option<Quantity>,
) -> String {
    let writer = Writer {
        program,
        derivation,
        formulas: Formulas::brief(names),
    };
    let wanted = match &quantity {
        Some(one) => std::slice::from_ref(one),
        None => &USUAL[..],
    };
    let sections: Vec<String> = wanted.iter().map(|which| writer.section(*which)).collect();
    within_width(&format!(
        "{}\n\n{}",
        derivation.algorithm,
        sections.join("\n")
    ))
}

/// One quantity of a round.
type View = fn(&DerivedRound) -> &Derived;

struct Writer<'d> {
    program: &'d Program,
    derivation: &'d Derivation,
    formulas: Formulas,
}

/// A column of a round's table of lines.
struct Column {
    /// The symbol of the round's quantity.
    letter: &'static str,
    of_round: fn(&DerivedRound) -> &Derived,
    of_line: fn(&DerivedLine) -> &Derived,
}

const OPERATIONS: Column = Column {
    letter: "t",
    of_round: |round| &round.counts.time,
    of_line: |line| &line.operations,
};
const BLOCKS: Column = Column {
    letter: "q",
    of_round: |round| &round.counts.io,
    of_line: |line| &line.blocks,
};
const CONFLICTS: Column = Column {
    letter: "conflicts",
    of_round: |round| &round.counts.bank_conflicts,
    of_line: |line| &line.conflicts,
};

impl Writer<'_> {
    fn section(&self, which: Quantity) -> String {
        let total = self.derivation.quantity(which);
        let is_loose = self.formulas.is_loose(self.derivation, which);
        let is_cost = matches!(which, Quantity::Cost | Quantity::GpuCost);
        let form = if is_loose && is_cost {
            by_rounds::Letters::of(self.derivation).expression(which)
        } else {
            self.formulas.quantity(total)
        };
        let mut out = format!("{} = {form}", which.name());
        if let Some(class) = self.derivation.classes.get(&which) {
            out.push_str(&format!("    {class}"));
        }
        out.push('\n');
        out.push_str(&match which {
            Quantity::GpuCost | Quantity::Cost => {
                by_rounds::terms(which, self.derivation, &self.formulas)
            }
            Quantity::TransferCost => self.transfer_cost(),
            Quantity::Time => self.lines("the largest t of a round", &OPERATIONS),
            Quantity::TotalTime => self.lines("the sum of t over the rounds", &OPERATIONS),
            Quantity::Io => self.lines("the sum of q over the rounds", &BLOCKS),
            Quantity::BankConflicts => self.lines("their sum over the rounds", &CONFLICTS),
            Quantity::Shared => self.rounds(
                "the largest m of a round",
                &[("m", |r| &r.counts.shared_words)],
            ),
            Quantity::Global => self.rounds(
                "the largest g of a round",
                &[("g", |r| &r.counts.global_words)],
            ),
            Quantity::Rounds => self.rounds("one for each kernel and its transfers", &[]),
            Quantity::Inward | Quantity::Outward | Quantity::Transfer | Quantity::Transactions => {
                self.traffic(which)
            }
        });
        let bounds = self.derivation.bounds.iter();
        for cause in causes(bounds.filter(|bound| bound.quantity == Touched::Quantity(which))) {
            let what = if total.is_exact() {
                "no closed form"
            } else {
                "a bound only"
            };
            out.push_str(&format!(
                "  {what}, {}: {}\n    {}\n",
                cause.place(),
                cause.why.reason(),
                cause.why.remedy()
            ));
        }
        out
    }

    fn show(&self, which: Quantity) -> String {
        self.formulas.quantity(self.derivation.quantity(which))
    }

    /// The rounds without transfers that may be part of other rounds: those have no kernel.
    fn whole_rounds(&self) -> impl Iterator<Item = &DerivedRound> {
        let rounds = self.derivation.rounds.iter();
        rounds.filter(|round| round.joined.is_none())
    }

    /// A table of the transactions (α each) and the words (β each).
    fn transfer_cost(&self) -> String {
        let mut table = Table::bare(&[Align::Left, Align::Left]);
        table.row([
            "α for each transaction".to_owned(),
            self.show(Quantity::Transactions),
        ]);
        table.row(["β for each word".to_owned(), self.show(Quantity::Transfer)]);
        table.render()
    }

    fn traffic(&self, which: Quantity) -> String {
        let (inward, outward) = (which != Quantity::Outward, which != Quantity::Inward);
        let words = which != Quantity::Transactions;
        let mut out = String::new();
        for round in &self.derivation.rounds {
            let side = |side: &Traffic<Derived>| {
                let shown = if words {
                    &side.words
                } else {
                    &side.transactions
                };
                self.formulas.quantity(shown)
            };
            let mut parts = Vec::new();
            if inward {
                parts.push(format!("{} in", side(&round.counts.inward)));
            }
            if outward {
                parts.push(format!("{} out", side(&round.counts.outward)));
            }
            out.push_str(&format!(
                "  {}: {}\n",
                heading(round, &self.formulas),
                parts.join(", ")
            ));
        }
        // The statements that transfer, in either spelling of their sign, show where the numbers come from.
        for (number, line) in self.source_lines() {
            if line.contains('⇚') || line.contains("<==") {
                out.push_str(&format!("  {number:>6}  {line}\n"));
            }
        }
        out
    }

    fn rounds(&self, how: &str, shown: &[(&str, View)]) -> String {
        let mut out = format!("  {how}\n");
        for round in &self.derivation.rounds {
            let mut line = format!("  {}", heading(round, &self.formulas));
            if shown.is_empty() {
                line.push_str(&format!(": {}", self.formulas.quantity(&round.count)));
            }
            for (letter, view) in shown {
                line.push_str(&format!(
                    ": {}",
                    self.formulas.equation(letter, view(round))
                ));
            }
            out.push_str(&format!("{line}\n"));
        }
        out
    }

    /// Round by round, the lines with a share, indented by the loops and conditions around them.
    fn lines(&self, how: &str, column: &Column) -> String {
        let mut out = format!("  {how}\n");
        for round in self.whole_rounds() {
            out.push_str(&format!(
                "\n  {}: {}",
                heading(round, &self.formulas),
                self.formulas
                    .equation(column.letter, (column.of_round)(round))
            ));
            if column.letter != "t" {
                let mps = self.formulas.equation("k", &round.counts.launched_mps);
                out.push_str(&format!(", over {mps} MPs"));
            }
            out.push('\n');
            out.push_str(&self.table(round, column));
        }
        out
    }

    fn table(&self, round: &DerivedRound, column: &Column) -> String {
        let is_time = column.letter == "t";
        let has_share = |line: &DerivedLine| {
            let share = (column.of_line)(line);
            !share.is_exact() || share.upper.as_ref().is_some_and(|upper| !upper.is_zero())
        };
        let header = match column.letter {
            "t" => ["line", "", "each time", "times", "operations"],
            "q" => ["line", "", "each time", "", "blocks"],
            _ => ["line", "", "", "", "conflicts"],
        };
        let mut table = Table::new(&header.map(|name| {
            let side = if name == "line" {
                Align::Right
            } else {
                Align::Left
            };
            (name, side)
        }));
        // A header over an empty table is left out.
        if !round.lines.iter().any(has_share) {
            return String::new();
        }
        for (at, line) in round.lines.iter().enumerate() {
            let enclosing = self.enclosing(line, round);
            let opens_for = |other: &DerivedLine| {
                has_share(other) && self.enclosing(other, round).contains(&line.line)
            };
            // A line without a share is shown if it opens a block around a later line with one.
            if !has_share(line) && !round.lines[at + 1..].iter().any(opens_for) {
                continue;
            }
            let number = match line.from {
                Some(from) => format!("{from}>{}", line.line),
                None => line.line.to_string(),
            };
            let indented = format!("{}{}", "  ".repeat(enclosing.len()), line.text);
            let share = (column.of_line)(line);
            let (each, times, sum) = match (has_share(line), is_time) {
                (false, _) => Default::default(),
                (true, true) => (
                    self.each(line),
                    self.formulas.quantity(&line.executions),
                    self.formulas.quantity(share),
                ),
                (true, false) => {
                    let rule = line.rule.as_ref().filter(|_| column.letter == "q");
                    (
                        rule.map(BlockRule::to_string).unwrap_or_default(),
                        String::new(),
                        self.formulas.quantity(share),
                    )
                }
            };
            table.row([number, cut(&indented), each, times, sum]);
        }
        table.render()
    }

    /// The operations of one execution.
    fn each(&self, line: &DerivedLine) -> String {
        let each = line.each.as_ref();
        each.map_or_else(String::new, |each| self.formulas.quantity(each))
    }

    /// The lines of the kernel that open a block around a line, outermost first.
    fn enclosing(&self, line: &DerivedLine, round: &DerivedRound) -> Vec<usize> {
        let mut open: Vec<usize> = Vec::new();
        for (number, text) in self.source_lines() {
            if number == line.line {
                break;
            }
            if text.starts_with("end ") {
                open.pop();
            } else if text.ends_with(" do")
                || text.ends_with(" then")
                || text.starts_with("kernel ")
            {
                open.push(number);
            }
        }
        let is_own = |number: &usize| {
            let mut lines = round.lines.iter();
            lines.any(|other| other.line == *number && other.from == line.from)
        };
        open.retain(is_own);
        open
    }

    /// The program's lines with their numbers, without labels' indentation and comments.
    fn source_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.program.source.text().lines().enumerate();
        lines.map(|(at, line)| {
            let end = ["▷", "//"].iter().filter_map(|sign| line.find(sign)).min();
            (at + 1, line[..end.unwrap_or(line.len())].trim())
        })
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= TEXT {
        return text.to_owned();
    }
    let mut shortened: String = text.chars().take(TEXT - 1).collect();
    shortened.push('…');
    shortened
}
