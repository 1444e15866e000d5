//! The charges of the kernels, by the machine's own weights and memory rules.
//!
//! A table with a row for each entry of rounds. Of many rounds the first and the last ones are shown.

use crate::count::Charged;
use crate::machine::Machine;
use crate::number::Rational;
use crate::report::counts::text::MOST_ROWS;
use crate::report::numbers::grouped;
use crate::report::table::{Align, Table};

/// A table of the charges of the kernels by the machine's own weights and memory rules.
pub(super) fn charges(charged: &Charged, machine: &Machine) -> String {
    let warps = machine.warps();
    let warps = warps.map(|warps| format!(": {} banks, warps of {}", warps.banks, warps.size));
    let mut out = format!(
        "\n{} by the rules of {}: coalescing {}, banks {}{}\n",
        if charged.is_exact {
            "charged"
        } else {
            "charged at most"
        },
        machine.name,
        machine.coalescing.name(),
        machine.banks.name(),
        warps.unwrap_or_default(),
    );
    let knows_cycles = machine.kothapalli().is_ok();
    let memory = if knows_cycles { "memory cycles" } else { "" };
    let mut table = Table::new(&[
        ("kernel", Align::Left),
        ("MPs", Align::Right),
        ("compute cycles", Align::Right),
        (memory, Align::Right),
        ("memory transactions", Align::Right),
        ("bank conflicts", Align::Right),
    ]);
    let shown = |value: &Rational| match value.to_integer() {
        Some(whole) => grouped(&whole),
        None => format!("{:.1}", value.to_f64()),
    };
    let last = charged.rounds.len();
    // Of many rounds only the first and the last ones are shown, with one `…` between them.
    for (at, (repeated, round)) in charged.rounds.iter().enumerate() {
        if last > MOST_ROWS && (MOST_ROWS / 2..last - MOST_ROWS / 2).contains(&at) {
            if at == MOST_ROWS / 2 {
                table.row(["…"]);
            }
            continue;
        }
        let times = if *repeated == 1 {
            String::new()
        } else {
            format!(" × {repeated}")
        };
        table.row([
            format!("{}{times}", at + 1),
            shown(&round.launched_mps),
            shown(&round.compute),
            if knows_cycles {
                shown(&round.memory)
            } else {
                String::new()
            },
            shown(&round.memory_transactions),
            shown(&round.bank_conflicts),
        ]);
    }
    out.push_str(&table.render());
    out
}
