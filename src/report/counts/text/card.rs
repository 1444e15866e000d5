//! Beside the model's bank conflicts and resident MPs, those of the card, where a thread block is several warps.

use crate::count::OfRound;
use crate::number::Rational;
use crate::report::counts::CountsReport;
use crate::report::counts::text::sign;
use crate::report::numbers::grouped;
use crate::report::wrap::within_width;

/// Limit on the lines about resident thread blocks.
const MOST_LINES: usize = 4;

/// The conflicts by b banks, and by the card's.
pub(super) fn conflicts(report: &CountsReport<'_>) -> String {
    let Some(warps) = report.machine.warps() else {
        return String::new();
    };
    let of_card = match report.charges {
        Some(charged) => {
            let total: Rational = charged.total(|round| &round.bank_conflicts);
            let total = total.to_integer().unwrap_or_else(|| total.ceil());
            format!("{}{}", sign(charged.is_exact), grouped(&total))
        }
        None => "not counted".to_owned(),
    };
    within_width(&format!(
        "  bank conflicts: {} by the model's {} banks; {of_card} on {}: {} banks, warps of {}",
        grouped(&report.counts.totals.bank_conflicts),
        report.machine.atgpu.cores_per_mp,
        report.machine.name,
        warps.banks,
        warps.size,
    ))
}

/// ℓ, and the thread blocks that the card holds, each with what limits them; a line for each change.
pub(super) fn residents(report: &CountsReport<'_>) -> String {
    let machine = report.machine;
    if !machine.has_wide_thread_blocks() {
        return String::new();
    }
    let mut lines: Vec<String> = Vec::new();
    for (at, (_, round)) in report.counts.rounds.iter().enumerate() {
        let words = &round.shared_words;
        let (Ok(model), Ok(card)) = (machine.occupancy(words), machine.residents(words)) else {
            return String::new();
        };
        if round.launched_mps == 0.into() {
            continue;
        }
        let least = if report.exact.round(at, OfRound::SharedWords) {
            ""
        } else {
            "≥ "
        };
        let line = format!(
            "  resident: {least}{} MPs by the model's M and H; on {} {least}{} thread block(s) of {} warps, \
             limited by {}",
            grouped(&model),
            machine.name,
            grouped(&card.thread_blocks),
            machine
                .mps_per_thread_block()
                .saturating_mul(machine.warps_per_mp()),
            card.limit.name(),
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    let mut out: String = lines.iter().map(|line| within_width(line)).collect();
    if more > 0 {
        out.push_str(&format!("  … and {more} more\n"));
    }
    out
}
