//! A run on data: what came out, whether it is what was derived and ensured, and what one MP did, statement
//! by statement, core by core.

use std::sync::Arc;

use atgpu::array::Array;
use atgpu::editor::Document;
use atgpu::exec::{Data, FinalArray, Input, Met, Options, TraceLine};
use serde_json::{Value, json};

use crate::request::Request;
use crate::values::Chosen;

/// Words of an array that are handed over.
const MOST_WORDS: usize = 4096;

/// Statements of a trace that are handed over.
const MOST_STEPS: usize = 4096;

/// Runs, and traces the MP whose numbers are asked for.
pub(crate) fn run(document: &Document, asked: &Request) -> Result<Value, String> {
    // Also what has no bound can be run.
    let program = atgpu::program(document.source()).map_err(|error| error.to_string())?;
    let derivation = document.derivation().map(|(_, derivation)| derivation);
    let chosen = Chosen::of(asked)?;
    let mut options = Options {
        seed: asked.number("seed").unwrap_or(0),
        threads: 1,
        // What a page may take.
        memory_limit: Some(1 << 28),
        ..Options::default()
    };
    for (name, what) in asked.0["inputs"].as_object().into_iter().flatten() {
        options.inputs.insert(name.clone(), input(name, what)?);
    }
    if let Some(mp) = asked.0["mp"].as_array() {
        options.trace = Some(mp.iter().filter_map(Value::as_i64).collect());
        options.trace_words = true;
    }
    let run = program.run(&chosen.machine, &chosen.given, &options);
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            let faults = error.findings();
            let faults = faults.iter().map(|fault| {
                json!({
                    "code": fault.code().short_name(),
                    "message": fault.message(),
                    "line": fault.position.map(|at| at.line),
                })
            });
            return Ok(json!({"faults": faults.collect::<Vec<_>>()}));
        }
    };
    let outcome = run.outcome();
    let ensures = outcome
        .ensures
        .iter()
        .map(|ensure| json!({"text": ensure.text, "line": ensure.line, "holds": ensure.holds}));
    Ok(json!({
        "ensures": ensures.collect::<Vec<_>>(),
        "agrees": derivation.and_then(|derivation| run.agrees_with(derivation)),
        "counts": serde_json::to_value(&run).unwrap_or_default(),
        "host": arrays(&outcome.host),
        "global": arrays(&outcome.global),
        "steps": outcome.trace.iter().take(MOST_STEPS).map(step).collect::<Vec<_>>(),
        "stepsInAll": outcome.trace.len(),
        "b": chosen.machine.atgpu.cores_per_mp,
    }))
}

/// Host or global variables as a run left them.
fn arrays<'a>(held: impl IntoIterator<Item = (&'a String, &'a Arc<FinalArray>)>) -> Vec<Value> {
    held.into_iter()
        .map(|(name, held)| array(name, held))
        .collect()
}

/// `"random"`, `"iota"`, `"zeros"`, `"ones"`, or the words themselves.
fn input(name: &str, what: &Value) -> Result<Input, String> {
    if let Some(words) = what.as_array() {
        let ints: Option<Vec<i64>> = words.iter().map(Value::as_i64).collect();
        let data = match ints {
            Some(ints) => Data::Int(ints),
            None => {
                let floats: Option<Vec<f64>> = words.iter().map(Value::as_f64).collect();
                Data::Float(floats.ok_or_else(|| format!("{name}: words are numbers"))?)
            }
        };
        let shape = vec![words.len()];
        return Ok(Input::Given(Array { shape, data }));
    }
    Ok(match what.as_str() {
        Some("iota") => Input::Iota,
        Some("zeros") => Input::Zeros,
        Some("ones") => Input::Ones,
        Some("random") | None => Input::Random,
        Some(other) => return Err(format!("{name}: no data are called `{other}`")),
    })
}

fn array(name: &str, held: &FinalArray) -> Value {
    let word = |at: usize| match (held.written.get(at), &held.array.data) {
        (false, _) => "·".to_owned(),
        (true, Data::Int(words)) => words[at].to_string(),
        (true, Data::Float(words)) => words[at].to_string(),
    };
    let words = held.array.data.len();
    json!({
        "name": name,
        "shape": held.array.shape,
        "length": words,
        "words": (0..words.min(MOST_WORDS)).map(word).collect::<Vec<_>>(),
    })
}

fn step(line: &TraceLine) -> Value {
    json!({
        "round": line.round,
        "line": line.line,
        "text": line.text,
        "active": line.active,
        "operations": line.operations,
        "blocks": line.blocks,
        "conflicts": line.conflicts,
        "cores": line.cores,
        "met": line.met.iter().map(met).collect::<Vec<_>>(),
    })
}

fn met(met: &Met) -> Value {
    json!({
        "variable": met.variable,
        "global": met.is_global,
        "written": met.is_written,
        "at": met.offsets,
        "words": met.words,
    })
}
