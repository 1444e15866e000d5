//! Who beats whom: from where on, and by how much where every parameter is given.

use std::cmp::Ordering;

use crate::number::BigInt;
use crate::report::comparison::{Comparison, Duel, Row, on};
use crate::report::numbers::grouped;
use crate::study::{Crossover, Range, crossover};

/// The program that is cheaper in a range; none where both cost the same.
pub(in crate::report) fn faster<'c>(
    comparison: &'c Comparison,
    duel: &Duel,
    range: &Range,
) -> Option<&'c String> {
    match range.order {
        Ordering::Less => Some(&comparison.programs[duel.left]),
        Ordering::Greater => Some(&comparison.programs[duel.right]),
        Ordering::Equal => None,
    }
}

/// Who beats whom, in a line or a few.
pub(in crate::report) fn verdict(comparison: &Comparison, duel: &Duel) -> Vec<String> {
    let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
    let found = match &duel.outcome {
        Ok(found) => found,
        Err(why) => return vec![format!("{left} and {right}: {why}")],
    };
    let n = &duel.variable;
    let mut lines = match found.ranges.as_slice() {
        [] => vec![format!("{left} and {right} admit no common {n}")],
        [one] => {
            let winner = pairing(comparison, duel, one);
            vec![format!("{winner} for every {n} ≥ {}", grouped(&one.from))]
        }
        [first, second] if first.order != Ordering::Equal && second.order != Ordering::Equal => {
            let winner = pairing(comparison, duel, second);
            vec![format!("{winner} iff {n} ≥ {}", grouped(&second.from))]
        }
        several => {
            let mut lines = vec![format!("{left} and {right} change places")];
            for range in several {
                let to = match &range.to {
                    Some(to) if *to == range.from => format!("{n} = {}", grouped(to)),
                    Some(to) => format!("{} ≤ {n} ≤ {}", grouped(&range.from), grouped(to)),
                    None => format!("{n} ≥ {}", grouped(&range.from)),
                };
                lines.push(format!("  {} for {to}", pairing(comparison, duel, range)));
            }
            lines
        }
    };
    if found.is_cut {
        lines.push("  and more changes, which were not followed".to_owned());
    }
    if !found.ranges.is_empty() {
        lines.push(format!("  {}", how_known(found, n)));
    }
    match &duel.fits {
        [Some(one), Some(other)] if one == other => {
            lines.push(format!(
                "  both fit the machine up to {n} = {}",
                grouped(one)
            ));
        }
        each => {
            for (program, largest) in [left, right].into_iter().zip(each) {
                if let Some(largest) = largest {
                    let largest = grouped(largest);
                    lines.push(format!(
                        "  {program} fits the machine up to {n} = {largest}"
                    ));
                }
            }
        }
    }
    lines
}

fn pairing(comparison: &Comparison, duel: &Duel, range: &Range) -> String {
    let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
    match range.order {
        Ordering::Less => format!("{left} beats {right}"),
        Ordering::Greater => format!("{right} beats {left}"),
        Ordering::Equal => format!("{left} and {right} cost the same"),
    }
}

/// What is proved, and what was only looked at.
fn how_known(found: &Crossover, n: &str) -> String {
    if found.is_proved() {
        return "proved for all values".to_owned();
    }
    let limit = BigInt::from(1) << crossover::LARGEST_POWER;
    let limit = match found.up_to == limit {
        true => format!("2^{}", crossover::LARGEST_POWER),
        false => grouped(&found.up_to),
    };
    let unproved = found.ranges.iter().filter(|range| !range.is_proved);
    let part = match (found.ranges.len(), unproved.count()) {
        (many, none) if many == none => "not proved".to_owned(),
        (many, some) => format!("{} of {many} ranges proved", many - some),
    };
    format!(
        "{part}; checked at {} values up to {n} = {limit}, at every one up to {}",
        grouped(&found.points.into()),
        grouped(&crossover::DENSE.into())
    )
}

/// The cheapest program by each model, where there is a choice.
pub(super) fn fastest(comparison: &Comparison, machine: &str) -> Vec<String> {
    let rows: Vec<&Row> = on(comparison, machine).collect();
    let mut lines = Vec::new();
    let models = rows[0].estimates.iter().map(|(model, _)| *model);
    for (at, model) in models.enumerate() {
        let mut times: Vec<_> = rows
            .iter()
            .filter_map(|row| {
                let estimate = row.estimates.get(at)?.1.as_ref().ok()?;
                Some((estimate.headline()?, row))
            })
            .collect();
        times.sort_by(|left, right| left.0.cmp(right.0));
        let [(best, first), (next, second), ..] = times.as_slice() else {
            continue;
        };
        let names = [first, second].map(|row| &comparison.programs[row.program]);
        // An upper bound below exact times wins; one above another time says nothing.
        let unsure: Vec<&str> = times[1..]
            .iter()
            .filter(|(_, row)| !row.exact.figure(model, "gpu_cost"))
            .map(|(_, row)| comparison.programs[row.program].as_str())
            .collect();
        if !unsure.is_empty() {
            let names = unsure.join(", ");
            lines.push(format!(
                "{model}: no verdict: of {names} only upper bounds are known"
            ));
            continue;
        }
        let least = match first.exact.figure(model, "gpu_cost") {
            true => "",
            false => "at least ",
        };
        lines.push(match next.checked_div(best) {
            Some(_) if next == best && least.is_empty() => {
                format!("{model}: {} and {} cost the same", names[0], names[1])
            }
            Some(ratio) => format!(
                "{model}: {} is the fastest; {} takes {least}{}",
                names[0],
                names[1],
                longer(ratio.to_f64())
            ),
            None => format!("{model}: {} is free", names[0]),
        });
    }
    lines
}

/// How much longer something takes.
fn longer(ratio: f64) -> String {
    let more = (ratio - 1.0) * 100.0;
    match ratio {
        _ if ratio >= 2.0 => format!("{ratio:.2} times as long"),
        _ if more >= 0.1 => format!("{more:.1}% longer"),
        _ => format!("{more:.0e}% longer"),
    }
}
