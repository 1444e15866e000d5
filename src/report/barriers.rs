//! The barriers between cores that a program needs, for thread blocks of several warps.

use crate::emit::{Barrier, Barriers};
use crate::machine::Machine;
use crate::report::wrap::within_width;

/// Renders where the warps of an MP wait for each other, and why.
pub fn text(barriers: &Barriers, machine: &Machine) -> String {
    let mut out = format!(
        "barriers between the {} warps of an MP: {} needed, {} proved superfluous\n",
        machine.warps_across(),
        barriers.needed.len(),
        barriers.all.saturating_sub(barriers.needed.len()),
    );
    out.extend(barriers.needed.iter().map(of_one));
    out
}

fn of_one(barrier: &Barrier) -> String {
    let verb = |writes: bool, [write, read]: [&'static str; 2]| if writes { write } else { read };
    let then = verb(barrier.writes[1], ["writes", "reads"]);
    let did = verb(barrier.writes[0], ["wrote", "read"]);
    let other = if barrier.is_of_warp {
        "another core of the same warp"
    } else {
        "another warp"
    };
    let (array, line) = (&barrier.array, barrier.line);
    let told = if barrier.is_inside {
        format!("  in line {line}: it {then} of `{array}` what {other} {did} there before")
    } else if barrier.is_again {
        format!(
            "  before line {line}: it {then} of `{array}` what line {} of {other} {did} an iteration before",
            barrier.first
        )
    } else {
        format!(
            "  before line {line}: it {then} of `{array}` what line {} of {other} {did}",
            barrier.first
        )
    };
    within_width(&told)
}
