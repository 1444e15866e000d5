//! A plan as text.

use crate::cost::overlap::cut::{Cut, Follows, Whole};
use crate::cost::overlap::plan::{Point, Rooflines};
use crate::cost::overlap::{DeviceClass, Method};
use crate::report::numbers::{duration_of, grouped};
use crate::report::overlap::{OverlapReport, engines};
use crate::report::table::{Align, Table};

/// Renders text, at most 100 columns wide.
pub fn text(report: &OverlapReport<'_>) -> String {
    let plan = report.plan;
    let best = plan.best();
    let at: Vec<String> = report
        .parameters
        .iter()
        .map(|(name, value)| format!("{name} = {}", grouped(value)))
        .collect();
    let streams = best.streams.map(|n| format!(", {n} streams"));
    let is_exact = report.is_exact(best.method);
    let mut out = format!(
        "{}{}  best for {} on {}: {}{}\n  {}\n\n",
        if is_exact { "" } else { "at most " },
        duration_of(best.ms),
        report.algorithm,
        report.machine.name,
        best.method.name(),
        streams.unwrap_or_default(),
        at.join(", "),
    );
    let source = report
        .model
        .map_or("given".to_owned(), |model| format!("by {model}"));
    let most = |is_exact: bool| if is_exact { "" } else { "at most " };
    let [kernel_at_most, copied_at_most, touched_at_most] = [
        report.has_exact_kernel,
        report.has_exact_copies,
        report.has_exact_accesses,
    ]
    .map(most);
    out.push_str(&format!(
        "  kernel    {kernel_at_most}{} ({source})\n  moves     {copied_at_most}{} in, {} out; mapped {touched_at_most}{} in, {} out\n  device    {}\n\n",
        duration_of(plan.kernel_ms),
        bytes(plan.bytes.inward),
        bytes(plan.bytes.outward),
        bytes(plan.bytes.read),
        bytes(plan.bytes.written),
        class(plan.card.class, engines(report)),
    ));
    out.push_str(&cut(report));
    out.push_str(&methods(report));
    out.push_str(&best_numbers(report));
    out.push_str(&streams_table(report));
    out.push_str(&rooflines(report));
    out
}

/// The arrays that were on the device, those that move whole, and the reasons why nothing can be cut. Empty
/// if everything can.
fn cut(report: &OverlapReport<'_>) -> String {
    let (cut, mut lines) = (report.cut, Vec::new());
    if !report.resident.is_empty() {
        let names = report.resident.join(", ");
        lines.push(format!("resident  {names}: on the device before"));
    }
    if !cut.is_possible() {
        lines.push("no chunks: streams gain nothing here".to_owned());
    }
    for Follows {
        array,
        line,
        written,
    } in &cut.follows
    {
        lines.push(format!(
            "          line {line} reads {array} where other chunks of line {written} wrote it"
        ));
    }
    // If chunks read each other's words, that alone is the reason why nothing is cut.
    let whole = cut.whole.iter().filter(|_| cut.follows.is_empty());
    for Whole {
        array,
        line,
        is_inward,
    } in whole
    {
        let (verb, when) = if *is_inward {
            ("reads", "before the first chunk")
        } else {
            ("writes", "after the last")
        };
        lines.push(format!(
            "whole     {array} goes {when}: line {line} of every chunk {verb} far and wide in it"
        ));
    }
    if !cut.is_possible() {
        lines.extend(ends(cut));
    } else if !lines.is_empty() {
        lines.push(format!("chunks    {}", cut.arrays.join(", ")));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("  {}\n\n", lines.join("\n  "))
}

/// The transfers of an uncut program that could still overlap, and the lines that prevent it for the others.
fn ends(cut: &Cut) -> Vec<String> {
    let ways = [
        (&cut.first, "in, with the first kernel that reads"),
        (&cut.last, "out, with the last kernel that writes"),
    ];
    let mut lines = Vec::new();
    for (names, way) in ways.iter().filter(|(names, _)| !names.is_empty()) {
        let names = names.join(", ");
        lines.push(format!("alone could overlap: {names} on the way {way} it"));
    }
    match (lines.is_empty(), cut.held.is_empty()) {
        (true, true) => lines.push(
            "nothing could overlap: no kernel reads what goes in, or writes what goes out"
                .to_owned(),
        ),
        (true, false) => lines.push("nothing could overlap".to_owned()),
        (false, _) => {}
    }
    lines.extend(cut.held.iter().map(|held| {
        let (way, verb) = if held.is_inward {
            ("in", "the first kernel that reads it needs")
        } else {
            ("out", "the last kernel that writes it writes")
        };
        let Whole { array, line, .. } = held;
        format!("not {array} on the way {way}: at line {line} {verb} all of it")
    }));
    let aside = |line| format!("          {line}");
    lines.into_iter().map(aside).collect()
}

fn methods(report: &OverlapReport<'_>) -> String {
    let plan = report.plan;
    let mut table = Table::new(&[
        ("method", Align::Left),
        ("time", Align::Right),
        ("streams", Align::Right),
        ("full overlap", Align::Right),
        ("zero overlap", Align::Right),
        ("paper 3", Align::Left),
    ]);
    for choice in &plan.choices {
        let equation = match (choice.method, choice.streams) {
            (Method::Explicit, _) => "L + o + B G each way, t_E".to_owned(),
            (Method::Mapped, _) => "equation (6)".to_owned(),
            (Method::Hybrid, _) => "equation (5), mapped out".to_owned(),
            (Method::Streams, n) => {
                let at = plan.streams.iter().find(|point| Some(point.streams) == n);
                at.map_or(String::new(), |point| {
                    format!("equation ({})", point.equation.number())
                })
            }
        };
        let sign = at_most(report.is_exact(choice.method));
        let time = |ms| format!("{sign}{}", duration_of(ms));
        table.row([
            choice.method.name().to_owned(),
            time(choice.ms),
            choice.streams.map_or("-".to_owned(), |n| n.to_string()),
            time(choice.limits.full_overlap),
            time(choice.limits.zero_overlap),
            equation,
        ]);
    }
    let mut out = table.render();
    if !plan
        .choices
        .iter()
        .all(|choice| report.is_exact(choice.method))
    {
        out.push_str(
            "\n  Data may make the times marked ≤ less, and with them another method the best.\n",
        );
    }
    out
}

fn best_numbers(report: &OverlapReport<'_>) -> String {
    let plan = report.plan;
    if plan.streams.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n");
    match plan.real_best.filter(|real| real.is_finite()) {
        Some(real) => out.push_str(&format!(
            "  paper 3: the equation is least at {} streams\n",
            number_of_streams(real)
        )),
        None => out.push_str("  paper 3: the equation only falls with more streams\n"),
    }
    if let Some((real, whole, ms)) = plan.created_best {
        let best = if real.is_finite() {
            format!("best at {}", number_of_streams(real))
        } else {
            "it only falls with more streams".to_owned()
        };
        out.push_str(&format!(
            "  paper 5: creating streams too, {best}: {}{} with {whole}\n",
            at_most(report.is_exact(Method::Streams)),
            duration_of(ms)
        ));
    }
    out
}

/// A real number of streams.
fn number_of_streams(real: f64) -> String {
    if real < 1e6 {
        format!("{real:.1}")
    } else {
        format!("{real:.1e}")
    }
}

fn streams_table(report: &OverlapReport<'_>) -> String {
    let plan = report.plan;
    if plan.streams.is_empty() {
        return String::new();
    }
    let time = |method, ms| format!("{}{}", at_most(report.is_exact(method)), duration_of(ms));
    let mut table = Table::new(&[
        ("streams", Align::Right),
        ("explicit", Align::Right),
        ("equation", Align::Right),
        ("hybrid", Align::Right),
        ("paper 5", Align::Right),
        ("equation", Align::Right),
    ]);
    let chosen: Vec<u32> = plan
        .choices
        .iter()
        .filter_map(|choice| choice.streams)
        .collect();
    let created = plan.created_best.map(|(_, whole, _)| whole);
    let last = plan.streams.len() as u32;
    // The numbers of streams between two powers of two tell little, except the chosen ones and the last.
    let shown = |point: &&Point| {
        let n = point.streams;
        n.is_power_of_two() || chosen.contains(&n) || created == Some(n) || n == last
    };
    for point in plan.streams.iter().filter(shown) {
        let (ms, equation) = point
            .created
            .map_or(("-".into(), "-".into()), |(ms, number)| {
                (time(Method::Streams, ms), format!("({number})"))
            });
        table.row([
            point.streams.to_string(),
            time(Method::Streams, point.explicit_ms),
            format!("({})", point.equation.number()),
            time(Method::Hybrid, point.hybrid_ms),
            ms,
            equation,
        ]);
    }
    format!("\n{}", table.render())
}

fn rooflines(report: &OverlapReport<'_>) -> String {
    let Some(Rooflines { rates, ms, .. }) = &report.plan.rooflines else {
        return String::new();
    };
    let is_exact =
        report.has_exact_operations && report.has_exact_accesses && report.has_exact_copies;
    let mut table = Table::new(&[
        ("roofline at the card's peaks", Align::Left),
        ("Gop/s", Align::Right),
        ("time", Align::Right),
    ]);
    for (name, rate, ms) in [
        ("full overlap", rates.full_overlap, ms.full_overlap),
        ("zero overlap", rates.zero_overlap, ms.zero_overlap),
        ("mapped", rates.mapped, ms.mapped),
    ] {
        // A quotient of upper bounds bounds nothing.
        let rate_text = if is_exact {
            format!("{rate:.2}")
        } else {
            "-".to_owned()
        };
        let time = format!("{}{}", at_most(is_exact), duration_of(ms));
        table.row([name.to_owned(), rate_text, time]);
    }
    format!(
        "\n{}\n  Rooflines (paper 3, section III) take the kernel from the card's peaks and a bus that moves\n  one way at a time: they bound none of the times above.\n",
        table.render()
    )
}

/// The copy engines of the machine file, and its synchronisation.
fn class(class: DeviceClass, engines: i64) -> String {
    let synchronisation = match class {
        // Paper 3 has no class for this. If every kernel has to start first, a second engine waits as well.
        DeviceClass::ImplicitSync if engines > 1 => {
            "implicit synchronisation: equations of 1 copy engine"
        }
        DeviceClass::ImplicitSync => "implicit synchronisation",
        DeviceClass::OneEngine | DeviceClass::TwoEngines => "no implicit synchronisation",
    };
    let several = if engines == 1 { "" } else { "s" };
    format!("{engines} copy engine{several}, {synchronisation}")
}

fn bytes(count: f64) -> String {
    match count {
        1e9.. => format!("{:.2} GB", count / 1e9),
        1e6.. => format!("{:.2} MB", count / 1e6),
        1e3.. => format!("{:.2} kB", count / 1e3),
        _ => format!("{count} B"),
    }
}

/// The sign before an upper bound.
fn at_most(is_exact: bool) -> &'static str {
    if is_exact { "" } else { "≤ " }
}
