//! Programs as source files of C, CUDA or OpenCL, each with its own `main`.
//!
//! Comes in: a checked program, a machine (its p, b, M and G are fixed in what is written), what was
//! proved of the program's safety. Goes out: one text, or a diagnostic with the line and why. The
//! text takes the formal parameters as arguments, makes the same data as `run`, does what the
//! program says, times every transfer and launch, and writes the outputs.
//!
//! [`lower`] makes the form between a program and a text ([`form`]): numbers as [`term`]s
//! ([`number`]), statements of cores with the barriers they need ([`mod@barriers`], which
//! [`conflicts`] proves away where it can). [`mod@write`] writes it; the three targets share all but
//! how cores are spelled and how the device is called.
//!
//! What is emitted checks nothing while it runs: overflow wraps, and bounds, races and divisions are
//! as safe as they were proved. Nothing is run or compiled here, and no file is opened.

mod barriers;
mod conflicts;
mod error;
mod form;
mod heading;
mod helpers;
mod indices;
mod lower;
mod names;
mod number;
mod sizes;
mod target;
mod term;
mod wrapping;
mod write;

use std::collections::BTreeSet;

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::emit::error::EmitError;
use crate::emit::lower::Setting;
use crate::machine::{Machine, Memory};
use crate::meaning::Point;
use crate::number::BigInt;
use crate::program::{Program, WordType};
use crate::safety::{self, Judged, Safety, Verdict};

pub use target::{Target, Words};

/// The part of a program that is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parts {
    /// All of it, with a `main` that makes its data and times it. Values of formal parameters are defaults. Indices have
    /// 32 bits where these are proved to fit for sizes up to 2^30, and `main` refuses larger ones; a larger default has
    /// 64.
    #[default]
    Program,
    /// Its kernels, a function that launches them on arrays of the device, and one that does it for arrays of the
    /// host. Values of formal parameters are fixed, and indices have 32 bits where they are proved to fit.
    Kernels,
}

/// How to emit a program.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The language.
    pub target: Target,
    /// The part of the program.
    pub parts: Parts,
    /// How wide words are.
    pub words: Words,
    /// Values of formal parameters: defaults, for who runs the program without naming them, or fixed, for kernels.
    pub defaults: Parameters,
    /// The verdicts on it; only a safe program is emitted.
    pub safety: Option<&'a Safety>,
    /// Emit it although it is not proved safe.
    pub unchecked: bool,
}

/// A program as text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Emitted {
    /// The file.
    pub text: String,
    /// Barriers in its kernels, not counting those of loops that ask whether a core is left.
    pub barriers: usize,
    /// Barriers there would be if nothing were proved: before and after every write.
    pub barriers_unproved: usize,
    /// Bits of indices: 32 where every number that no data decide is proved to have room in them, else 64.
    pub index_bits: u32,
}

/// Writes a program as source text of another language.
///
/// ```
/// use atgpu::{emit::{Options, Parts, Target, Words, emit}, machine::Machine, safety::safety};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let proved = safety(&program, &().into(), &card);
/// let options = Options {
///     target: Target::C,
///     parts: Parts::Program,
///     words: Words::default(),
///     defaults: [("n", 1024)].into(),
///     safety: Some(&proved),
///     unchecked: false,
/// };
/// let emitted = emit(&program, &card, &options).expect("it is safe");
/// assert!(emitted.text.contains("_c[j] = _a[j] + _b[j];"));
/// // No core meets another: all eight barriers are proved away.
/// assert_eq!((emitted.barriers, emitted.barriers_unproved), (0, 8));
/// ```
///
/// # Errors
/// `emit::unproved` where safety is not proved, unless unchecked; `emit::unsupported` for what the
/// language has no counterpart of.
pub fn emit(
    program: &Program,
    machine: &Machine,
    options: &Options<'_>,
) -> Result<Emitted, Vec<Diagnostic>> {
    match options.parts {
        Parts::Program => emitted::<false>(program, machine, options),
        Parts::Kernels => emitted::<true>(program, machine, options),
    }
}

/// The whole program, or its kernels. Who calls for one of them alone carries no code for the other: in a page that
/// is read over a network it would be a twentieth.
fn emitted<const IS_KERNELS: bool>(
    program: &Program,
    machine: &Machine,
    options: &Options<'_>,
) -> Result<Emitted, Vec<Diagnostic>> {
    let target = options.target;
    let thread_block = thread_block(program, machine, options);
    let thread_block = thread_block.map_err(|faults| -> Vec<Diagnostic> {
        faults.iter().map(|fault| Diagnostic::of(fault)).collect()
    })?;
    let numbers = machine.atgpu.numbers();
    let is_fixed = IS_KERNELS;
    if let Some(refused) = refused(program, machine, options).filter(|_| is_fixed) {
        return Err(refused);
    }
    let setting = Setting {
        machine: numbers,
        thread_block,
        values: &options.defaults,
        target: target.title(),
        words: options.words,
        is_fixed,
        is_in_bounds: sizes::is_in_bounds(program, machine, options),
        most: &sizes::largest(program, machine, options),
    };
    let form = lower::form(program, &setting).map_err(|fault| vec![Diagnostic::of(&fault)])?;
    Ok(if IS_KERNELS {
        write::kernels(form, target, options.words, &|form, wide| {
            heading::of_kernels(program, machine, options, form, wide)
        })
    } else {
        write::write(&form, target, options.words, &|wide| {
            heading::of_program(program, machine, options, &form, wide)
        })
    })
}

/// Refuses what no kernel of the target can be, and returns the MPs of a thread block.
fn thread_block(
    program: &Program,
    machine: &Machine,
    options: &Options<'_>,
) -> Result<i64, Vec<EmitError>> {
    let target = options.target;
    let refuse = |faults: Vec<EmitError>| {
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    };
    refuse(unproved(program, options))?;
    let [_, cores, ..] = machine.atgpu.numbers();
    if cores > target.most_cores() {
        return Err(vec![EmitError::Cores {
            target: target.title(),
            cores,
            most: target.most_cores(),
        }]);
    }
    refuse(beyond(program, machine, &options.defaults))?;
    refuse(wide(program, options.words))?;
    let mps = if target.shares_thread_blocks(cores) {
        machine.mps_per_thread_block()
    } else {
        1
    };
    if mps > target.most_cores() / cores {
        return Err(vec![EmitError::ThreadBlock {
            target: target.title(),
            mps,
            cores,
            most: target.most_cores(),
        }]);
    }
    Ok(mps)
}

/// The faults of values that are fixed: a `require` that they break, alone or whatever the other formals are.
fn refused(program: &Program, machine: &Machine, options: &Options<'_>) -> Option<Vec<Diagnostic>> {
    let numbers = machine.atgpu.numbers();
    let values = &options.defaults;
    let mut formals = program.formals.iter();
    if formals.all(|id| values.get(&program.parameter(*id).name).is_some()) {
        return Point::new(program, numbers, values).err();
    }
    let [p, b, m, g] = numbers;
    let mut given = values.clone();
    for (name, value) in [("p", p), ("b", b), ("M", m), ("G", g)] {
        given.set(name, value);
    }
    let span = crate::symbolic::header::contradicted(program, &given)?;
    let text = program.source.slice(span).to_owned();
    Some(vec![Diagnostic::of(&EmitError::NoSize { text, span })])
}

/// A barrier that the cores of an MP need: of two accesses to one word, by different cores, the second waits for
/// the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Barrier {
    /// The line before which, or in which, the cores wait.
    pub line: usize,
    /// True if that line reads and writes the word itself: the cores wait between the two.
    pub is_inside: bool,
    /// The line of the first access.
    pub first: usize,
    /// True if the first access is of an earlier iteration.
    pub is_again: bool,
    /// True if only cores of one warp may meet, so that no other warp has to wait.
    pub is_of_warp: bool,
    /// True if the first access and the second one write.
    pub writes: [bool; 2],
    /// The array of the word.
    pub array: String,
}

/// The barriers of a program's kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Barriers {
    /// Those needed, in the order of the text.
    pub needed: Vec<Barrier>,
    /// How many there would be with two around every write; the others are proved superfluous.
    pub all: usize,
    /// The lines that write a word and wait for no other core, neither before nor between reading and writing.
    pub free: Vec<usize>,
    /// The loops whose every turn is a barrier besides: the cores ask whether one of them is left.
    pub asking_loops: usize,
}

/// The barriers between cores that a program needs with the machine's b: those that [`emit()`] writes.
///
/// # Errors
/// `emit::unsupported` for what no language has a counterpart of, and for more cores than a thread block has.
pub fn barriers(program: &Program, machine: &Machine) -> Result<Barriers, Vec<Diagnostic>> {
    let none = Parameters::new();
    let [_, cores, ..] = machine.atgpu.numbers();
    let most = Target::Cuda.most_cores();
    if cores > most {
        let target = Target::Cuda.title();
        let fault = EmitError::Cores {
            target,
            cores,
            most,
        };
        return Err(vec![Diagnostic::of(&fault)]);
    }
    let setting = Setting {
        machine: machine.atgpu.numbers(),
        thread_block: 1,
        values: &none,
        target: Target::C.title(),
        words: Words::default(),
        is_fixed: false,
        is_in_bounds: false,
        most: &none,
    };
    let form = lower::form(program, &setting).map_err(|fault| vec![Diagnostic::of(&fault)])?;
    let reasons = form.kernels.iter().flat_map(|kernel| &kernel.reasons);
    let needed = reasons.map(|reason| Barrier {
        line: reason.then.line,
        is_inside: reason.first.line == reason.then.line && !reason.is_again,
        first: reason.first.line,
        is_again: reason.is_again,
        is_of_warp: reason.is_of_warp,
        writes: [reason.first.is_write, reason.then.is_write],
        array: program.variable(reason.then.array).name.clone(),
    });
    let needed: Vec<Barrier> = needed.collect();
    let writes = program
        .statements()
        .filter(|stmt| stmt.kind.parts().write.is_some());
    let lines: BTreeSet<usize> = writes.map(|stmt| program.line(stmt.span)).collect();
    let is_free = |line: &usize| needed.iter().all(|barrier| barrier.line != *line);
    Ok(Barriers {
        free: lines.into_iter().filter(is_free).collect(),
        all: form.kernels.iter().map(|kernel| kernel.barriers.1).sum(),
        asking_loops: form.kernels.iter().map(form::Kernel::asking_loops).sum(),
        needed,
    })
}

/// The worst reason against emitting a program that is not proved safe.
fn unproved(program: &Program, options: &Options<'_>) -> Vec<EmitError> {
    let safety = match options.safety {
        _ if options.unchecked => return Vec::new(),
        None => return vec![EmitError::Unjudged],
        Some(safety) => safety,
    };
    let is_refuted = |judged: &&Judged| matches!(judged.verdict, Verdict::Refuted(_));
    let open = || {
        safety
            .judged
            .iter()
            .find(|judged| !judged.verdict.is_proved())
    };
    let worst = safety.judged.iter().find(is_refuted).or_else(open);
    let fault = worst.map(|judged| EmitError::Unproved {
        property: judged.property.name(),
        span: judged.span,
        verdict: judged.verdict.name(),
    });
    let wraps = || {
        let found = wrapping::index_that_may_wrap(program).filter(|_| options.words.int32);
        found.map(|(span, array)| EmitError::MayWrap { array, span })
    };
    fault.or_else(wraps).into_iter().collect()
}

/// Defaults that no word holds, and memories that are provably too small, with the defaults or at every size.
fn beyond(program: &Program, machine: &Machine, defaults: &Parameters) -> Vec<EmitError> {
    let formals = program.formals.iter();
    let faults: Vec<EmitError> = formals
        .filter_map(|id| {
            let name = &program.parameter(*id).name;
            let value = defaults.get(name)?;
            value.to_i64().is_none().then(|| EmitError::Default {
                name: name.clone(),
                value: value.to_string(),
            })
        })
        .collect();
    if !faults.is_empty() {
        return faults;
    }
    let words = [machine.atgpu.shared_words, machine.atgpu.global_words];
    let memories = [Memory::Shared, Memory::Global].into_iter().zip(words);
    memories
        .filter_map(|(memory, words)| {
            let need = safety::exceeding_need(program, defaults, machine, memory)?.to_string();
            Some(match memory {
                Memory::Shared => EmitError::TooManyShared { need, words },
                Memory::Global => EmitError::TooManyGlobal { need, words },
            })
        })
        .collect()
}

/// Declared ranges that narrower words do not hold.
fn wide(program: &Program, words: Words) -> Vec<EmitError> {
    let mut faults = Vec::new();
    for variable in &program.variables {
        let (WordType::Int, Some((low, high)), true) =
            (variable.word_type, &variable.range, words.int32)
        else {
            continue;
        };
        for end in [low, high] {
            if let crate::program::NumberKind::Integer(value) = &end.kind
                && (*value < BigInt::from(i32::MIN) || *value > BigInt::from(i32::MAX))
            {
                faults.push(EmitError::Wide {
                    name: variable.name.clone(),
                    value: value.to_string(),
                    words: "int32",
                    span: variable.span,
                });
            }
        }
    }
    faults
}
