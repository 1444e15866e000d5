//! A run on data: what came out, whether it is what was derived and ensured, and what one MP did, statement
//! by statement, core by core.

use std::sync::Arc;

use atgpu::array::{Array, csv, npy};
use atgpu::editor::Document;
use atgpu::exec::{Data, FinalArray, Input, Met, Options, TraceLine};
use atgpu::program::{Program, Role, Variable, WordType};
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
        let given = input(&program, &chosen, name, what)?;
        options.inputs.insert(name.clone(), given);
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
                    "help": fault.diagnostic.help,
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

/// What data of one's own are: their shape, the sizes of the program that follow from it, and a first line
/// that was passed over.
pub(crate) fn data(asked: &Request) -> Result<Value, String> {
    let program = atgpu::program(asked.text("text")).map_err(|error| error.to_string())?;
    let variable = declared(&program, asked.text("input"))?;
    let what = &asked.0["data"];
    let array = words(what, variable.word_type)?;
    let alone = program.lone_formals(variable);
    let extents = variable.dimensions.iter();
    let extents: Vec<&str> = extents
        .map(|extent| program.source().slice(extent.span))
        .collect();
    if variable.word_type == WordType::Int && array.data.word_type() == WordType::Float {
        let name = &variable.name;
        return Err(format!("these are floats, `{name}` holds ints"));
    }
    if let [rows, columns] = array.shape[..]
        && alone.len() < 2
    {
        return Err(format!(
            "these are {rows} rows of {columns} words, and one row or column is wanted"
        ));
    }
    let sizes = alone.iter().zip(&array.shape);
    let sizes = sizes.filter_map(|(formal, extent)| Some(((*formal)?.to_owned(), json!(extent))));
    let sizes: serde_json::Map<_, _> = if alone.len() == array.shape.len() {
        sizes.collect()
    } else {
        serde_json::Map::new()
    };
    Ok(json!({
        "shape": array.shape,
        "words": array.data.len(),
        "type": match variable.word_type {
            WordType::Int => "int",
            WordType::Float => "float",
        },
        "declared": extents,
        "sizes": sizes,
        "header": what["csv"].as_str().and_then(csv::header),
    }))
}

fn declared<'p>(program: &'p Program, name: &str) -> Result<&'p Variable, String> {
    let mut inputs = program.variables().iter();
    let found = inputs.find(|variable| variable.role == Role::Input && variable.name == name);
    found.ok_or_else(|| format!("`{name}` is no input of the program"))
}

/// Data with a name (`"random"`, `"iota"`, …), or words of one's own.
fn input(program: &Program, chosen: &Chosen, name: &str, what: &Value) -> Result<Input, String> {
    Ok(match what.as_str() {
        Some(called) => {
            Input::named(called).ok_or_else(|| format!("{name}: no data are called `{called}`"))?
        }
        None => {
            let variable = declared(program, name)?;
            let own = words(what, variable.word_type).map_err(|why| format!("{name}: {why}"))?;
            Input::Given(shaped(program, chosen, variable, own)?)
        }
    })
}

/// The words of `{"csv": text}` or `{"npy": bytes}`.
fn words(what: &Value, word_type: WordType) -> Result<Array, String> {
    let array = match (what["csv"].as_str(), what["npy"].as_array()) {
        (Some(text), _) => csv::read(text, word_type),
        (None, Some(bytes)) => {
            let bytes = bytes.iter().filter_map(Value::as_u64);
            let bytes: Vec<u8> = bytes.filter_map(|byte| u8::try_from(byte).ok()).collect();
            npy::read(&bytes)
        }
        (None, None) => return Err("there are no data".to_owned()),
    };
    let array = array.map_err(|problem| problem.to_string())?;
    if array.data.is_empty() {
        Err("there are no words in it".to_owned())
    } else {
        Ok(array)
    }
}

/// In the declared shape, where lines of text could not show it: more than two dimensions, or but one row
/// or column.
fn shaped(
    program: &Program,
    chosen: &Chosen,
    variable: &Variable,
    mut array: Array,
) -> Result<Array, String> {
    let point = chosen.point(program)?;
    let mut all = program.variables().iter().zip(&point.extents);
    let own = all.find(|(each, _)| each.name == variable.name && each.role == Role::Input);
    let extents: Option<Vec<usize>> = own.and_then(|(_, extents)| {
        let extents = extents.iter().map(|extent| usize::try_from(extent).ok());
        extents.collect()
    });
    let Some(extents) = extents else {
        return Ok(array);
    };
    let count = extents
        .iter()
        .try_fold(1_usize, |all, extent| all.checked_mul(*extent));
    let is_line = extents.iter().filter(|extent| **extent != 1).count() <= 1;
    let is_folded = extents.len() > 2 && array.shape.last() == extents.last();
    if count == Some(array.data.len()) && (is_line || is_folded) {
        array.shape = extents;
    }
    Ok(array)
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
