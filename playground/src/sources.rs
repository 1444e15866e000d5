//! The program and its formulas as files in other languages: LaTeX, Python, C, CUDA.

use atgpu::count::Parameters;
use atgpu::editor::Document;
use atgpu::emit::{Options, Parts, Target, Words, emit};
use atgpu::report::derivation::functions::{self, functions};
use atgpu::report::derivation::latex as latex_of;
use atgpu::safety::safety;
use serde_json::{Value, json};

use crate::formulas::derived;
use crate::request::{Request, said};
use crate::values::Chosen;

/// The derivation as a LaTeX file.
pub(crate) fn latex(document: &Document) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    let text = latex_of(program.source(), derivation, &derivation.let_names());
    Ok(json!({ "text": text }))
}

/// The formulas as exact functions of Python.
pub(crate) fn python(document: &Document) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    let options = functions::Options::default();
    let module = functions(program, derivation, functions::Target::Python, &options);
    Ok(json!({"text": module.text}))
}

/// The program as C or CUDA, with the sizes chosen as its defaults. Only a program that is safe at every size has one.
pub(crate) fn emitted(document: &Document, asked: &Request) -> Result<Value, String> {
    let (program, _) = derived(document)?;
    let chosen = Chosen::of(asked)?;
    let target = match asked.text("target") {
        "cuda" => Target::Cuda,
        _ => Target::C,
    };
    let judged = safety(program, &Parameters::new(), &chosen.machine);
    let options = Options {
        target,
        parts: Parts::Program,
        words: Words::default(),
        defaults: chosen.given,
        safety: Some(&judged),
        unchecked: false,
    };
    let emitted = emit(program, &chosen.machine, &options).map_err(|faults| said(&faults))?;
    Ok(json!({"text": emitted.text}))
}
