//! `overlap`: the best way to move a program's data first, then each number of streams.

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::cost::overlap::plan::{Plan, Point};
use crate::cost::overlap::{DeviceClass, Method};
use crate::machine::Machine;
use crate::number::BigInt;
use crate::report::numbers::{duration_of, grouped};
use crate::report::table::{Align, Table};

/// A plan and what it is of.
#[derive(Debug)]
pub struct OverlapReport<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// Formal and machine parameters by name.
    pub parameters: &'a IndexMap<String, BigInt>,
    /// The model t_E comes from; none where it was given.
    pub model: Option<&'static str>,
    /// Whether t_E is exact by that model, no upper bound.
    pub has_exact_kernel: bool,
    /// Whether the bytes moved are.
    pub has_exact_bytes: bool,
    /// What papers 3 and 5 say.
    pub plan: &'a Plan,
}

/// For a person, at most 100 columns wide.
///
/// ```
/// # use atgpu::{machine::Machine, cost::overlap::plan::{Bytes, Plan}};
/// # use atgpu::report::overlap::{self, OverlapReport};
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// # let card = Machine::built_in("gtx680").expect("built in");
/// # let (costs, point) = (program.cost(&card, [("n", 1024)])?, program.at(&card, [("n", 1024)])?);
/// # let plan = Plan::of(Bytes::of(costs.counts(), &card), 2.5, &card, 8).expect("complete");
/// let report = OverlapReport {
///     algorithm: &program.name,
///     machine: &card,
///     parameters: &point.parameters,
///     model: None,
///     has_exact_kernel: true,
///     has_exact_bytes: true,
///     plan: &plan,
/// };
/// let text = overlap::text(&report);
/// assert!(text.contains("n = 1024"), "{text}");
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn text(report: &OverlapReport<'_>) -> String {
    let plan = report.plan;
    let best = plan.best();
    let at: Vec<String> = report
        .parameters
        .iter()
        .map(|(name, value)| format!("{name} = {}", grouped(value)))
        .collect();
    let streams = best.streams.map(|n| format!(", {n} streams"));
    let mut out = format!(
        "{}  best for {} on {}: {}{}\n  {}\n\n",
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
    let [at_most, moved_at_most] = [report.has_exact_kernel, report.has_exact_bytes].map(most);
    out.push_str(&format!(
        "  kernel    {at_most}{} ({source})\n  moves     {moved_at_most}{} in, {} out; mapped {} in, {} out\n  device    {}\n\n",
        duration_of(plan.kernel_ms),
        bytes(plan.bytes.inward),
        bytes(plan.bytes.outward),
        bytes(plan.bytes.read),
        bytes(plan.bytes.written),
        class(plan.card.class),
    ));
    out.push_str(&methods(plan));
    out.push_str(&best_numbers(plan));
    out.push_str(&streams_table(plan));
    out.push_str(&rooflines(plan));
    out
}

fn methods(plan: &Plan) -> String {
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
        table.row([
            choice.method.name().to_owned(),
            duration_of(choice.ms),
            choice.streams.map_or("-".to_owned(), |n| n.to_string()),
            duration_of(choice.limits.full_overlap),
            duration_of(choice.limits.zero_overlap),
            equation,
        ]);
    }
    table.render()
}

fn best_numbers(plan: &Plan) -> String {
    let mut out = String::from("\n");
    match plan.real_best {
        Some(real) => out.push_str(&format!(
            "  paper 3: the equation is least at {real:.1} streams\n"
        )),
        None => out.push_str("  paper 3: the equation only falls with more streams\n"),
    }
    if let Some((real, whole, ms)) = plan.created_best {
        out.push_str(&format!(
            "  paper 5: creating streams too, best at {real:.1}: {} with {whole}\n",
            duration_of(ms)
        ));
    }
    out
}

fn streams_table(plan: &Plan) -> String {
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
    let shown = |point: &&Point| {
        let n = point.streams;
        n.is_power_of_two() || chosen.contains(&n) || created == Some(n) || n == last
    };
    for point in plan.streams.iter().filter(shown) {
        let (ms, equation) = point
            .created
            .map_or(("-".into(), "-".into()), |(ms, number)| {
                (duration_of(ms), format!("({number})"))
            });
        table.row([
            point.streams.to_string(),
            duration_of(point.explicit_ms),
            format!("({})", point.equation.number()),
            duration_of(point.hybrid_ms),
            ms,
            equation,
        ]);
    }
    format!("\n{}", table.render())
}

fn rooflines(plan: &Plan) -> String {
    let Some((kernel, bounds)) = &plan.rooflines else {
        return String::new();
    };
    let mut table = Table::new(&[
        ("roofline at the card's peaks", Align::Left),
        ("Gop/s", Align::Right),
        ("time", Align::Right),
    ]);
    for (name, rate) in [
        ("full overlap", bounds.full_overlap),
        ("zero overlap", bounds.zero_overlap),
        ("mapped", bounds.mapped),
    ] {
        let rate_text = if rate.is_finite() {
            format!("{rate:.2}")
        } else {
            "-".to_owned()
        };
        table.row([name.to_owned(), rate_text, duration_of(kernel.ms_at(rate))]);
    }
    format!(
        "\n{}\n  Rooflines (paper 3, section III) take the kernel from the card's peaks and a bus that moves\n  one way at a time: they bound none of the times above.\n",
        table.render()
    )
}

fn class(class: DeviceClass) -> &'static str {
    match class {
        DeviceClass::ImplicitSync => "1 copy engine, implicit synchronisation",
        DeviceClass::OneEngine => "1 copy engine, no implicit synchronisation",
        DeviceClass::TwoEngines => "2 copy engines, no implicit synchronisation",
    }
}

fn bytes(count: f64) -> String {
    match count {
        1e9.. => format!("{:.2} GB", count / 1e9),
        1e6.. => format!("{:.2} MB", count / 1e6),
        1e3.. => format!("{:.2} kB", count / 1e3),
        _ => format!("{count} B"),
    }
}

/// The result, without its diagnostics. Times are in ms.
///
/// ```
/// # use atgpu::{machine::Machine, cost::overlap::plan::{Bytes, Plan}};
/// # use atgpu::report::overlap::{self, OverlapReport};
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// # let card = Machine::built_in("gtx680").expect("built in");
/// # let (costs, point) = (program.cost(&card, [("n", 1024)])?, program.at(&card, [("n", 1024)])?);
/// # let plan = Plan::of(Bytes::of(costs.counts(), &card), 2.5, &card, 8).expect("complete");
/// let report = OverlapReport {
///     algorithm: &program.name,
///     machine: &card,
///     parameters: &point.parameters,
///     model: None,
///     has_exact_kernel: true,
///     has_exact_bytes: true,
///     plan: &plan,
/// };
/// assert_eq!(overlap::json(&report)["bytes"]["inward"], 8192.0);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn json(report: &OverlapReport<'_>) -> Value {
    let plan = report.plan;
    let best = plan.best();
    let finite = |number: f64| number.is_finite().then_some(number);
    let parameters: serde_json::Map<_, _> = report
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), crate::report::json::whole(value)))
        .collect();
    let methods: serde_json::Map<_, _> = plan
        .choices
        .iter()
        .map(|choice| {
            let value = json!({
                "ms": choice.ms,
                "streams": choice.streams,
                "full_overlap_ms": choice.limits.full_overlap,
                "zero_overlap_ms": choice.limits.zero_overlap,
            });
            (choice.method.name().to_owned(), value)
        })
        .collect();
    let streams: Vec<Value> = plan
        .streams
        .iter()
        .map(|point| {
            json!({
                "streams": point.streams,
                "explicit_ms": point.explicit_ms,
                "equation": point.equation.number(),
                "hybrid_ms": point.hybrid_ms,
                "created_ms": point.created.map(|(ms, _)| ms),
                "created_equation": point.created.map(|(_, number)| number),
            })
        })
        .collect();
    json!({
        "algorithm": report.algorithm,
        "machine": &*report.machine.name,
        "parameters": parameters,
        "exact": report.has_exact_kernel && report.has_exact_bytes,
        "kernel_ms": plan.kernel_ms,
        "kernel_model": report.model,
        "bytes": {
            "inward": plan.bytes.inward,
            "outward": plan.bytes.outward,
            "mapped_inward": plan.bytes.read,
            "mapped_outward": plan.bytes.written,
        },
        "device": {
            "copy_engines": match plan.card.class {
                DeviceClass::ImplicitSync | DeviceClass::OneEngine => 1,
                DeviceClass::TwoEngines => 2,
            },
            "implicit_sync": plan.card.class == DeviceClass::ImplicitSync,
        },
        "best": best.method.name(),
        "best_ms": best.ms,
        "best_streams": best.streams,
        "methods": methods,
        "least_at_streams": plan.real_best.and_then(finite),
        "created": plan.created_best.map(|(real, whole, ms)| json!({
            "least_at_streams": finite(real), "streams": whole, "ms": ms,
        })),
        "rooflines": plan.rooflines.map(|(kernel, bounds)| json!({
            "operations": kernel.operations,
            "operational_intensity": finite(kernel.operational()),
            "data_intensity": finite(kernel.data()),
            "full_overlap_gops": finite(bounds.full_overlap),
            "zero_overlap_gops": finite(bounds.zero_overlap),
            "mapped_gops": finite(bounds.mapped),
            "full_overlap_ms": finite(kernel.ms_at(bounds.full_overlap)),
            "zero_overlap_ms": finite(kernel.ms_at(bounds.zero_overlap)),
            "mapped_ms": finite(kernel.ms_at(bounds.mapped)),
        })),
        "streams": streams,
    })
}
