//! The estimates of all models: a table of those with a cost, and a line for each of the others.

use crate::cost::{self, Estimate, Exact};
use crate::count::Quantity;
use crate::report::counts::text::sign;
use crate::report::numbers::{duration, grouped, percent};
use crate::report::table::{Align, Table};
use crate::report::wrap::{listed, within_width};

pub(super) fn estimates(estimates: &[(&'static str, Estimate)], exact: &Exact) -> String {
    let timed: Vec<_> = estimates
        .iter()
        .filter(|(_, estimate)| estimate.headline().is_some())
        .collect();
    let mut out = String::new();
    if !timed.is_empty() {
        out.push_str(&costs(&timed, exact));
    }
    for (name, estimate) in estimates {
        if estimate.headline().is_some() {
            out.push_str(&parts(name, estimate, exact));
        } else {
            out.push_str(&without_cost(name, estimate, exact));
        }
    }
    out
}

/// A table of the models with a cost.
fn costs(timed: &[&(&'static str, Estimate)], exact: &Exact) -> String {
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("GPU-cost", Align::Right),
        ("cost", Align::Right),
        ("transfers", Align::Right),
    ]);
    for (name, estimate) in timed {
        let time = |figure| {
            let time = estimate.time(figure).map(duration).unwrap_or_default();
            format!("{}{time}", sign(exact.figure(name, figure)))
        };
        let share = estimate
            .figures
            .iter()
            .find_map(|figure| match &figure.value {
                // A fraction of an upper bound is no bound, so it is not shown.
                cost::Value::Share(_) if figure.name != cost::TRANSFER_SHARE => None,
                cost::Value::Share(_) if !exact.figure(name, figure.name) => Some("-".into()),
                cost::Value::Share(share) => Some(share.as_ref().map_or("-".into(), percent)),
                cost::Value::Time(_) | cost::Value::Count(_) | cost::Value::Class(_) => None,
            });
        let share = share.unwrap_or_else(|| "not seen".to_owned());
        table.row([
            (*name).to_owned(),
            time(Quantity::GpuCost.name()),
            time(Quantity::Cost.name()),
            share,
        ]);
    }
    table.render()
}

/// The figures of a model without a cost, and its classes below.
fn without_cost(name: &str, estimate: &Estimate, exact: &Exact) -> String {
    let figures: Vec<String> = estimate
        .figures
        .iter()
        .map(|figure| {
            // A class contains its own `O`. Occupancy falls as m grows, so an upper bound on m gives a
            // lower bound.
            let sign = match &figure.value {
                cost::Value::Class(_) | cost::Value::Share(_) => "",
                _ if figure.name == cost::OCCUPANCY && !exact.figure(name, figure.name) => "≥ ",
                cost::Value::Count(_) | cost::Value::Time(_) => {
                    sign(exact.figure(name, figure.name))
                }
            };
            format!("{} {sign}{}", figure.name, shown(&figure.value))
        })
        .collect();
    // Classes have a line of their own.
    let is_class = |figure: &&cost::Figure| matches!(figure.value, cost::Value::Class(_));
    let classes = estimate.figures.iter().filter(is_class).count();
    let (figures, classes) = figures.split_at(figures.len() - classes);
    let note = estimate.note.map(|note| format!("; {note}"));
    let figures = figures.join(", ");
    let mut out = within_width(&format!("  {name}: {figures}{}", note.unwrap_or_default()));
    out.push_str(&listed("    ", classes));
    out
}

/// The other figures of a model with a cost, and the bound that dominates.
fn parts(name: &str, estimate: &Estimate, exact: &Exact) -> String {
    let told = [
        Quantity::Cost.name(),
        Quantity::GpuCost.name(),
        cost::TRANSFER_SHARE,
    ];
    let others = estimate.figures.iter();
    let others = others.filter(|figure| !told.contains(&figure.name));
    let figures: Vec<String> = others
        .map(|figure| {
            let is_time = matches!(figure.value, cost::Value::Time(_));
            let sign = sign(!is_time || exact.figure(name, figure.name));
            format!("{} {sign}{}", figure.name, shown(&figure.value))
        })
        .collect();
    if figures.is_empty() {
        return String::new();
    }
    let note = estimate.note.unwrap_or_default();
    within_width(&format!("  {name}: {note}; {}", figures.join(", ")))
}

fn shown(value: &cost::Value) -> String {
    match value {
        cost::Value::Time(time) => duration(time),
        cost::Value::Share(share) => share.as_ref().map_or("-".into(), percent),
        cost::Value::Count(count) => count.as_ref().map_or("-".into(), grouped),
        cost::Value::Class(class) => class.clone().unwrap_or_else(|| "?".to_owned()),
    }
}
