//! `atgpu emit`: a program as one source file of another language.

use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::emit::{Options, Parts, Target, Words, emit as emit_program};
use atgpu::safety::safety;

use crate::cli::args::{EmitArgs, EmitTarget, Format, WordWidth};
use crate::cli::error::UsageError;
use crate::cli::options::Given;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{files, program};

/// Emits a program.
pub fn emit(args: &EmitArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = emitted(args, &mut findings);
    Reply::of(answer, findings, args.format == Format::Json)
}

fn emitted(args: &EmitArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let given = Given::read(&args.options, std::slice::from_ref(&args.file))?;
    let (program, found) = program::load_sound(&args.file)?;
    findings.extend(found);
    let (machine, defaults) = given.of(&program).refuse_strangers(&program)?;
    // Formal parameters are given only when a whole program runs, so safety must hold for all values.
    let (parts, known) = if args.kernel_only {
        (Parts::Kernels, given.of(&program).facts(&defaults))
    } else {
        (Parts::Program, Parameters::new())
    };
    let safety = safety(&program, &known, &machine);
    let options = Options {
        target: target(args.target),
        parts,
        words: words(&args.word, false).map_err(|fault| vec![Finding::bare(fault)])?,
        defaults,
        safety: Some(&safety),
        unchecked: args.unchecked,
    };
    let emitted = emit_program(&program, &machine, &options)
        .map_err(|faults| Finding::all(program.source(), faults))?;
    let output = files::named(&args.output);
    if let Some(path) = output {
        files::write_result(path, emitted.text.as_bytes()).map_err(|it| vec![Finding::bare(it)])?;
    }
    Ok(match (args.format, output) {
        (Format::Json, written) => Body::Json(Some(serde_json::json!({
            "target": options.target.name(),
            "text": written.is_none().then_some(emitted.text),
            "barriers": emitted.barriers,
            "barriers_unproved": emitted.barriers_unproved,
            "index_bits": emitted.index_bits,
        }))),
        (Format::Text, None) => Body::Text(emitted.text),
        (Format::Text, Some(_)) => Body::Nothing,
    })
}

/// The target in the library's type.
pub fn target(target: EmitTarget) -> Target {
    match target {
        EmitTarget::C => Target::C,
        EmitTarget::Cuda => Target::Cuda,
        EmitTarget::Opencl => Target::OpenCl,
    }
}

/// The widths of words. A type without an option is narrow if `narrow` is set. Two widths for one type are
/// an error.
pub fn words(widths: &[WordWidth], narrow: bool) -> Result<Words, Diagnostic> {
    let of = |[short, long]: [WordWidth; 2], words: &'static str| match [short, long]
        .map(|width| widths.contains(&width))
    {
        [false, false] => Ok(narrow),
        [true, true] => {
            let names = [short, long].map(WordWidth::name);
            let fault = UsageError::WordTwice { names, words };
            Err(Diagnostic::of(&fault))
        }
        [is_short, _] => Ok(is_short),
    };
    Ok(Words {
        int32: of([WordWidth::Int32, WordWidth::Int64], "int")?,
        float: of([WordWidth::Float, WordWidth::Double], "float")?,
    })
}
