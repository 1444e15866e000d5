//! Safety as JSON: the key `"safety"` of `check --format json`.

use serde_json::{Map, Value, json};

use crate::number::BigInt;
use crate::program::Program;
use crate::report::json::{Whole, value};
use crate::report::safety::{SafetyReport, reason_text, subject_text};
use crate::safety::{Argument, Judged, Property, Verdict};
use crate::sym::Expr;

/// Renders the five properties, each with its verdict and its places.
pub fn safety(report: &SafetyReport<'_>) -> Value {
    let mut object = Map::new();
    for property in Property::ALL {
        if property == Property::Fits {
            continue;
        }
        let places = report.safety.of(property);
        let accesses: Vec<Value> = places.map(|judged| place(report, judged)).collect();
        let verdict = report.safety.worst(property);
        object.insert(
            property.name().to_owned(),
            json!({
                "verdict": verdict.map_or("proved", Verdict::name),
                "accesses": accesses,
            }),
        );
    }
    object.insert("fits".to_owned(), fits(report));
    Value::Object(object)
}

/// Renders the proved checks of a run, which are not needed: the key `"checks"` of `run --format json`, by
/// property.
pub fn checks(program: &Program, proved: &[Judged]) -> Value {
    let mut object = Map::new();
    for property in Property::ALL {
        let places: Vec<Value> = proved
            .iter()
            .filter(|judged| judged.property == property)
            .filter_map(|judged| match judged.verdict {
                Verdict::Proved(rule) => {
                    let mut place = place_of(program, judged);
                    place["rule"] = json!(rule.name());
                    Some(place)
                }
                Verdict::Refuted(_) | Verdict::Open(_) => None,
            })
            .collect();
        if property != Property::Fits {
            object.insert(property.name().to_owned(), places.into());
        }
    }
    Value::Object(object)
}

fn place_of(program: &Program, judged: &Judged) -> Value {
    let at = program.source.position(judged.span.start);
    json!({
        "line": at.line,
        "column": at.column,
        "what": subject_text(program, judged),
        "verdict": judged.verdict.name(),
    })
}

fn place(report: &SafetyReport<'_>, judged: &Judged) -> Value {
    let mut object = place_of(report.program, judged);
    let Some(fields) = object.as_object_mut() else {
        return object;
    };
    match &judged.verdict {
        Verdict::Proved(rule) => {
            fields.insert("rule".to_owned(), json!(rule.name()));
            if let Some(argument) = &judged.argument {
                fields.insert("argument".to_owned(), argued(argument));
            }
        }
        Verdict::Open(reason) => {
            fields.insert(
                "reason".to_owned(),
                json!(reason_text(report.program, judged, reason)),
            );
            fields.insert("tried".to_owned(), json!(report.safety.tried.points));
        }
        Verdict::Refuted(witness) => {
            let values: Map<String, Value> = witness
                .values
                .iter()
                .filter_map(|(name, value)| Some((name.to_owned(), whole(value.to_integer()?))))
                .collect();
            fields.insert(
                "reason".to_owned(),
                json!(witness.fault.message.to_string()),
            );
            let mut shown = json!({"values": values, "code": witness.fault.code.name()});
            if !witness.inputs.is_empty() {
                let inputs = witness.inputs.iter();
                let named =
                    inputs.filter_map(|(name, data)| Some((name.clone(), data.name()?.into())));
                shown["inputs"] = named.collect::<Map<String, Value>>().into();
            }
            fields.insert("witness".to_owned(), shown);
            if let Some(require) = &witness.require {
                fields.insert("require".to_owned(), json!(require.text));
                if require.one_mp {
                    fields.insert("only_one_mp".to_owned(), json!(true));
                }
                if require.one_width {
                    fields.insert("only_one_b".to_owned(), json!(true));
                } else {
                    fields.insert("fix".to_owned(), json!(format!("require {}", require.text)));
                }
            }
            if let Some(guard) = &witness.guard {
                fields.insert("fix".to_owned(), json!(guard.text));
            }
        }
    }
    object
}

/// The map from numbers to the word, and the facts that the proof needs.
fn argued(argument: &Argument) -> Value {
    let texts = |values: &[Expr]| -> Vec<String> { values.iter().map(Expr::to_string).collect() };
    let numbers = argument.numbers.iter();
    let facts = argument.facts.iter();
    json!({
        "numbers": numbers.map(|number| number.name.to_string()).collect::<Vec<_>>(),
        "indices": texts(&argument.indices),
        "steps": texts(&argument.steps),
        "facts": facts.map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// The conditions `2b ≤ M` and `3n ≤ G`, as far as they are known and not 0.
pub(super) fn conditions(report: &SafetyReport<'_>) -> Vec<String> {
    let fits = &report.safety.fits;
    let condition = |need: &Option<Expr>, limit: &str| {
        let need = need.as_ref().filter(|need| !need.is_zero())?;
        Some(format!("{need} ≤ {limit}"))
    };
    let both = [condition(&fits.shared, "M"), condition(&fits.global, "G")];
    both.into_iter().flatten().collect()
}

fn whole(number: BigInt) -> Value {
    value(Whole(number))
}

fn fits(report: &SafetyReport<'_>) -> Value {
    let fits = &report.safety.fits;
    let largest: Map<String, Value> = fits
        .largest
        .iter()
        .map(|(name, value)| (name.clone(), whole(value.clone())))
        .collect();
    let is_known = fits.shared.is_some() && fits.global.is_some();
    let verdict = match (fits.never, is_known) {
        (true, _) => "refuted",
        (false, true) => "proved",
        (false, false) => "open",
    };
    json!({
        "verdict": verdict,
        "conditions": conditions(report),
        "largest": largest,
    })
}
