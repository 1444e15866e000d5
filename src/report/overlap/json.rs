//! A plan as JSON.

use serde_json::{Map, Value, json};

use crate::cost::overlap::DeviceClass;
use crate::cost::overlap::cut::Whole;
use crate::cost::overlap::plan::Rooflines;
use crate::report::json::whole;
use crate::report::overlap::{OverlapReport, engines};

/// Renders the result, without its diagnostics. Times are in ms.
pub fn json(report: &OverlapReport<'_>) -> Value {
    let plan = report.plan;
    let best = plan.best();
    let parameters: Map<_, _> = report
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), whole(value)))
        .collect();
    json!({
        "algorithm": report.algorithm,
        "machine": &*report.machine.name,
        "parameters": parameters,
        "exact": report.has_exact_kernel && report.has_exact_copies && report.has_exact_accesses,
        "kernel_ms": plan.kernel_ms,
        "kernel_model": report.model,
        "bytes": {
            "inward": plan.bytes.inward,
            "outward": plan.bytes.outward,
            "mapped_inward": plan.bytes.read,
            "mapped_outward": plan.bytes.written,
        },
        "device": {
            "copy_engines": engines(report),
            "implicit_sync": plan.card.class == DeviceClass::ImplicitSync,
        },
        "resident": report.resident,
        "cut": cut(report),
        "best": best.method.name(),
        "best_ms": best.ms,
        "best_streams": best.streams,
        "methods": methods(report),
        "least_at_streams": plan.real_best.and_then(finite),
        "created": plan.created_best.map(|(real, whole, ms)| json!({
            "least_at_streams": finite(real), "streams": whole, "ms": ms,
        })),
        "rooflines": plan.rooflines.map(rooflines),
        "streams": streams(report),
    })
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

fn cut(report: &OverlapReport<'_>) -> Value {
    let (cut, whole_ms) = (report.cut, &report.plan.whole_ms);
    json!({
        "possible": cut.is_possible(),
        "arrays": cut.arrays,
        "whole": wholes(&cut.whole),
        "could_overlap": {
            "inward": cut.first,
            "outward": cut.last,
            "held": wholes(&cut.held),
        },
        "whole_ms": whole_ms.inward + whole_ms.outward,
        "follows": cut.follows.iter().map(|follows| json!({
            "array": follows.array, "line": follows.line, "written": follows.written,
        })).collect::<Vec<_>>(),
    })
}

fn methods(report: &OverlapReport<'_>) -> Map<String, Value> {
    let methods = report.plan.choices.iter().map(|choice| {
        let value = json!({
            "ms": choice.ms,
            "exact": report.is_exact(choice.method),
            "streams": choice.streams,
            "full_overlap_ms": choice.limits.full_overlap,
            "zero_overlap_ms": choice.limits.zero_overlap,
        });
        (choice.method.name().to_owned(), value)
    });
    methods.collect()
}

fn rooflines(Rooflines { kernel, rates, ms }: Rooflines) -> Value {
    json!({
        "operations": kernel.operations,
        "operational_intensity": finite(kernel.operational()),
        "data_intensity": finite(kernel.data()),
        "full_overlap_gops": rates.full_overlap,
        "zero_overlap_gops": rates.zero_overlap,
        "mapped_gops": rates.mapped,
        "full_overlap_ms": ms.full_overlap,
        "zero_overlap_ms": ms.zero_overlap,
        "mapped_ms": ms.mapped,
    })
}

/// The times for each number of streams.
fn streams(report: &OverlapReport<'_>) -> Vec<Value> {
    let streams = report.plan.streams.iter().map(|point| {
        json!({
            "streams": point.streams,
            "explicit_ms": point.explicit_ms,
            "equation": point.equation.number(),
            "hybrid_ms": point.hybrid_ms,
            "created_ms": point.created.map(|(ms, _)| ms),
            "created_equation": point.created.map(|(_, number)| number),
        })
    });
    streams.collect()
}

/// Arrays that each half of the MPs may touch almost anywhere.
fn wholes(list: &[Whole]) -> Value {
    let each = list.iter().map(|whole| {
        json!({
            "array": whole.array,
            "line": whole.line,
            "direction": if whole.is_inward { "inward" } else { "outward" },
        })
    });
    each.collect()
}
