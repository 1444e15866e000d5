//! The barriers between cores that a program needs, for thread blocks of several warps.

use serde_json::{Value, json};

use crate::emit::{Barrier, Barriers};
use crate::machine::Machine;
use crate::report::wrap::within_width;

/// Renders where the warps of an MP wait for each other, and why.
pub fn text(barriers: &Barriers, machine: &Machine) -> String {
    let mut out = format!(
        "barriers between the {} warps of an MP: {} needed, {} proved superfluous\n",
        machine.warps_across(),
        barriers.needed.len(),
        superfluous(barriers),
    );
    let of_one = |barrier| format!("  {}: {}", place(barrier), reason(barrier));
    out.extend(barriers.needed.iter().map(|one| within_width(&of_one(one))));
    if let Some(lines) = listed(&barriers.free) {
        out += &within_width(&format!("  written without a wait: {lines}"));
    }
    if barriers.asking_loops > 0 {
        let loops = match barriers.asking_loops {
            1 => "a loop".to_owned(),
            many => format!("{many} loops"),
        };
        out += &format!("  at every turn of {loops} all wait, to ask whether a core is left\n");
    }
    out
}

/// The same as JSON, for a page that shows it beside the text.
pub fn json(barriers: &Barriers, machine: &Machine) -> Value {
    let needed = barriers.needed.iter().map(|barrier| {
        json!({
            "line": barrier.line,
            "inside": barrier.is_inside,
            "reason": reason(barrier),
        })
    });
    json!({
        "warps": machine.warps_across(),
        "superfluous": superfluous(barriers),
        "needed": needed.collect::<Vec<_>>(),
        "free": barriers.free,
        "loops": barriers.asking_loops,
    })
}

fn superfluous(barriers: &Barriers) -> usize {
    barriers.all.saturating_sub(barriers.needed.len())
}

fn place(barrier: &Barrier) -> String {
    let word = if barrier.is_inside { "in" } else { "before" };
    format!("{word} line {}", barrier.line)
}

/// The access that waits, and the one that it waits for.
fn reason(barrier: &Barrier) -> String {
    let verb = |writes: bool, [write, read]: [&'static str; 2]| if writes { write } else { read };
    let then = verb(barrier.writes[1], ["writes", "reads"]);
    let did = verb(barrier.writes[0], ["wrote", "read"]);
    let other = if barrier.is_of_warp {
        "another core of the same warp"
    } else {
        "another warp"
    };
    let (array, first) = (&barrier.array, barrier.first);
    if barrier.is_inside {
        return format!("it {then} of `{array}` what {other} {did} there before");
    }
    let before = if barrier.is_again {
        " an iteration before"
    } else {
        ""
    };
    format!("it {then} of `{array}` what line {first} of {other} {did}{before}")
}

/// `line 4`, `lines 4, 7 and 9`.
fn listed(lines: &[usize]) -> Option<String> {
    let (last, others) = lines.split_last()?;
    let others: Vec<String> = others.iter().map(usize::to_string).collect();
    Some(if others.is_empty() {
        format!("line {last}")
    } else {
        format!("lines {} and {last}", others.join(", "))
    })
}
