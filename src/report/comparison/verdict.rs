//! The winner between two programs: by range of the free parameter, or by ratio if every parameter is given.

use std::cmp::Ordering;

use crate::cost::HEADLINE;
use crate::cost::accuracy::{self, Order};
use crate::number::{BigInt, Rational};
use crate::report::comparison::{Comparison, Duel, Row, on};
use crate::report::numbers::grouped;
use crate::study::{Crossover, Range, crossover};

/// The cheaper program in a range; `None` if both cost the same.
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

/// The winner in words, one line or a few.
pub(in crate::report) fn verdict(comparison: &Comparison, duel: &Duel) -> Vec<String> {
    let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
    let found = match &duel.outcome {
        Ok(found) => found,
        Err(why) => return vec![format!("{left} and {right}: {why}")],
    };
    let n = &duel.variable;
    // Two ranges without a tie mean that one program wins exactly from `second.from` on, so "iff" is right.
    // Any other pattern is listed range by range.
    let mut lines = match found.ranges.as_slice() {
        [] if found.without_cost.is_some() => {
            vec![format!(
                "{left} and {right} have no {n} at which both have a cost"
            )]
        }
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
            let has = |order| several.iter().any(|range| range.order == order);
            let mut lines = vec![match (has(Ordering::Less), has(Ordering::Greater)) {
                (true, false) => format!("{left} never costs more than {right}"),
                (false, true) => format!("{right} never costs more than {left}"),
                _ => format!("{left} and {right} change places"),
            }];
            for range in several {
                let (pairing, values) = (pairing(comparison, duel, range), within(n, range));
                lines.push(format!("  {pairing} for {values}"));
            }
            lines
        }
    };
    if found.is_cut {
        lines.push("  and more changes, which were not followed".to_owned());
    }
    if !found.ranges.is_empty() {
        lines.push(format!("  {}", how_known(found, duel.model, n)));
    }
    if let Some(value) = &found.without_cost {
        lines.push(format!(
            "  left out: {n} = {} and others, where one of them has no cost",
            grouped(value)
        ));
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

/// The values of a range: `n = 3`, `1 ≤ n ≤ 1_024`, or `n ≥ 1_025`.
pub(super) fn within(n: &str, range: &Range) -> String {
    match &range.to {
        Some(to) if *to == range.from => format!("{n} = {}", grouped(to)),
        Some(to) => format!("{} ≤ {n} ≤ {}", grouped(&range.from), grouped(to)),
        None => format!("{n} ≥ {}", grouped(&range.from)),
    }
}

fn pairing(comparison: &Comparison, duel: &Duel, range: &Range) -> String {
    let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
    match range.order {
        Ordering::Less => format!("{left} beats {right}"),
        Ordering::Greater => format!("{right} beats {left}"),
        Ordering::Equal => format!("{left} and {right} cost the same"),
    }
}

/// The proved and the checked part of the result. The order is the model's, not the card's.
fn how_known(found: &Crossover, model: &str, n: &str) -> String {
    let order = format!("the order by {model}, not the card's");
    let order = match accuracy::order(model) {
        Some(Order { right, pairs, .. }) => {
            format!("{order}; of measured pairs it has {right} of {pairs} right")
        }
        None => order,
    };
    if found.is_proved() {
        return format!("proved for all values that both admit: {order}");
    }
    let limit = BigInt::from(1) << crossover::LARGEST_POWER;
    let limit = if found.up_to == limit {
        format!("2^{}", crossover::LARGEST_POWER)
    } else {
        grouped(&found.up_to)
    };
    let unproved = found.ranges.iter().filter(|range| !range.is_proved);
    let part = match (found.ranges.len(), unproved.count()) {
        (many, none) if many == none => "not proved".to_owned(),
        (many, some) => format!("{} of {many} ranges proved", many - some),
    };
    let dense = BigInt::from(crossover::DENSE).min(found.up_to.clone());
    format!(
        "{part}; checked at {} values up to {n} = {limit}, at every one up to {}: {order}",
        grouped(&found.points.into()),
        grouped(&dense)
    )
}

/// The cheapest program by each model, if there are several: the one with a time at most the lower bound of
/// every other.
pub(super) fn fastest<'r>(comparison: &'r Comparison, machine: &str) -> Vec<String> {
    let rows: Vec<&'r Row> = on(comparison, machine).collect();
    let models = rows[0].estimates.iter().map(|(model, _)| *model);
    let lines = models.enumerate().filter_map(|(at, model)| {
        let mut times: Vec<(&'r Rational, &'r Row)> = rows
            .iter()
            .copied()
            .filter_map(|row| {
                let estimate = row.estimates.get(at)?.1.as_ref().ok()?;
                Some((estimate.headline()?, row))
            })
            .collect();
        times.sort_by(|left, right| left.0.cmp(right.0));
        fastest_by(comparison, model, &times)
    });
    lines.collect()
}

/// The cheapest program by one model, in words; `times` ascend.
fn fastest_by<'r>(
    comparison: &Comparison,
    model: &str,
    times: &[(&'r Rational, &'r Row)],
) -> Option<String> {
    // `best` is an upper bound. It wins if no other program's lower bound is below it; otherwise there is no
    // verdict.
    let [(best, first), others @ ..] = times else {
        return None;
    };
    // A lower bound on the time of a program.
    let least = |(time, row): &(&'r Rational, &'r Row)| {
        if row.exact.headline(model) {
            Some(*time)
        } else {
            row.exact.least(model, HEADLINE)
        }
    };
    let name = |row: &Row| comparison.programs[row.program].as_str();
    let unsure = others.iter().filter(|other| least(other) < Some(*best));
    let unsure: Vec<&str> = unsure.map(|(_, row)| name(row)).collect();
    if !unsure.is_empty() {
        let names = unsure.join(", ");
        return Some(format!(
            "{model}: no verdict: of {names} only upper bounds are known"
        ));
    }
    let next = others
        .iter()
        .min_by(|left, right| least(left).cmp(&least(right)))?;
    let [first_name, next_name] = [name(first), name(next.1)];
    let is_sure = [*first, next.1].map(|row| row.exact.headline(model)) == [true; 2];
    let at_least = if is_sure { "" } else { "at least " };
    let next_least = least(next).unwrap_or(best);
    Some(match next_least.checked_div(best) {
        Some(_) if next_least == *best && is_sure => {
            format!("{model}: {first_name} and {next_name} cost the same")
        }
        Some(_) if next_least == *best => {
            format!("{model}: {first_name} is no slower than {next_name}")
        }
        Some(ratio) => format!(
            "{model}: {first_name} is the fastest; {next_name} takes {at_least}{}",
            longer(ratio.to_f64())
        ),
        None => format!("{model}: {first_name} is free"),
    })
}

/// The excess time in words.
fn longer(ratio: f64) -> String {
    let more = (ratio - 1.0) * 100.0;
    match ratio {
        _ if ratio >= 2.0 => format!("{ratio:.2} times as long"),
        _ if more >= 0.1 => format!("{more:.1}% longer"),
        _ => format!("{more:.0e}% longer"),
    }
}
