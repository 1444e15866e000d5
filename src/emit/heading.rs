//! The first comment of a file: what it is, how it is compiled and called, what was proved of it.

use crate::emit::Options;
use crate::emit::form::Form;
use crate::emit::target::Target;
use crate::emit::write::CALLS;
use crate::machine::Machine;
use crate::program::Program;
use crate::safety::{Property, Safety, Verdict};

/// Returns the first comment of a file with a `main`. `wide` lists the names of whole numbers that have 64 bits.
pub(super) fn of_program(
    program: &Program,
    machine: &Machine,
    options: &Options<'_>,
    form: &Form,
    wide: &[String],
) -> Vec<String> {
    let (kept, all) = form.barriers();
    let mut head = beginning(program, machine, options, form);
    head.extend(commands(options.target, form));
    head.push(String::new());
    match options.safety {
        None => head.push("Nothing was proved of it: it was emitted unchecked.".to_owned()),
        Some(safety) => head.extend(proofs(safety)),
    }
    let limits = limits(form);
    head.push(indices(&limits, wide));
    if !limits.is_empty() {
        head.push(
            "Larger sizes are refused; emitted with one as its default (-D), they have 64."
                .to_owned(),
        );
    }
    let bits = if options.words.int32 { 32 } else { 64 };
    head.push(format!(
        "Overflow of {bits} bits wraps, which no proof is about; nothing is checked while it runs."
    ));
    head.push(format!(
        "Barriers: {kept} of {all}; the others are proved superfluous: no core meets another there."
    ));
    head
}

/// Returns the first comment of a file of kernels. `wide` lists the names of whole numbers that have 64 bits.
pub(super) fn of_kernels(
    program: &Program,
    machine: &Machine,
    options: &Options<'_>,
    form: &Form,
    wide: &[String],
) -> Vec<String> {
    let (kept, all) = form.barriers();
    let mut head = beginning(program, machine, options, form);
    head.push(CALLS.to_owned());
    if options.target == Target::OpenCl {
        head.push("The program is this very file, built for the device.".to_owned());
    }
    head.push(String::new());
    let given: Vec<String> = options
        .defaults
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !given.is_empty() {
        head.push(format!("Fixed: {}.", given.join(", ")));
    }
    let requires: Vec<&str> = form
        .requires
        .iter()
        .map(|(text, _)| text.trim_start_matches("require").trim())
        .collect();
    if !requires.is_empty() {
        head.push(format!("Requires: {}.", requires.join("; ")));
    }
    head.push(indices(&limits(form), wide));
    match options.safety {
        None => head.push("Nothing was proved of it: it was emitted unchecked.".to_owned()),
        Some(safety) if safety.is_safe() => {
            let sizes = if form.formals.is_empty() {
                "these values"
            } else {
                "every size"
            };
            head.push(format!(
                "Bounds, races, initialisation and values are proved for {sizes}."
            ));
        }
        Some(safety) => head.extend(proofs(safety)),
    }
    head.push(format!(
        "Overflow wraps. Barriers: {kept} of {all}; no core meets another at the others."
    ));
    head
}

/// The sizes for which indices of 32 bits are proved to fit.
fn limits(form: &Form) -> Vec<(&str, i64)> {
    let most = form.formals.iter().filter_map(|formal| {
        let (_, most) = form.indices.range_of(&formal.name)?;
        Some((formal.name.as_str(), most))
    });
    most.collect()
}

/// Says how many bits indices have, and why.
fn indices(limits: &[(&str, i64)], wide: &[String]) -> String {
    let limits = limits.iter().map(|(name, most)| format!("{name} ≤ {most}"));
    let limits: Vec<String> = limits.collect();
    let proved = match &limits[..] {
        [] => String::new(),
        limits => format!(", proved for {}", limits.join(", ")),
    };
    match wide {
        [] => format!("Indices have 32 bits{proved}."),
        wide if wide.len() > MOST_NAMED + 1 => format!(
            "Indices have 64 bits: no end of {} and {} others is known that 32 hold.",
            wide[..MOST_NAMED].join(", "),
            wide.len() - MOST_NAMED
        ),
        wide => format!(
            "Indices have 32 bits{proved}, but {} 64: no end is known that 32 hold.",
            wide.join(", ")
        ),
    }
}

/// The most names of 64 bits that are told.
const MOST_NAMED: usize = 4;

fn beginning(
    program: &Program,
    machine: &Machine,
    options: &Options<'_>,
    form: &Form,
) -> Vec<String> {
    let [p, b, m, g] = machine.atgpu.numbers();
    let thread_block = match form.thread_block {
        1 => String::new(),
        mps => format!("; Z = {mps} MPs are a thread block"),
    };
    vec![
        format!(
            "{}, emitted by atgpu as {}.",
            program.name,
            options.target.title()
        ),
        format!("For p = {p}, b = {b}, M = {m}, G = {g}{thread_block}."),
        String::new(),
    ]
}

/// The commands that compile and run the file.
fn commands(target: Target, form: &Form) -> [String; 2] {
    let formals: Vec<String> = form
        .formals
        .iter()
        .map(|formal| match formal.default {
            Some(value) => format!("{}={value}", formal.written),
            None => format!("{}=…", formal.written),
        })
        .collect();
    let compile = match target {
        Target::C => "Compile: cc -O3 -fwrapv -ffp-contract=off FILE.c -lm".to_owned(),
        Target::Cuda => "Compile: nvcc -O3 --fmad=false FILE.cu".to_owned(),
        Target::OpenCl => "Compile: cc -O3 FILE.cl.c -lOpenCL -lm".to_owned(),
    };
    let run = format!(
        "Run: ./a.out {} [--seed 0] [--out FOLDER] [--times FILE.csv] [--repeat 1] [--warm-up 0]",
        formals.join(" ")
    );
    [compile, run]
}

/// A line for each property of safety that was judged anywhere.
fn proofs(safety: &Safety) -> Vec<String> {
    let mut lines = Vec::new();
    for property in Property::ALL {
        let verdicts: Vec<&Verdict> = safety.of(property).map(|judged| &judged.verdict).collect();
        let count = |name: &str, is: fn(&Verdict) -> bool| {
            let many = verdicts.iter().filter(|verdict| is(verdict)).count();
            (many > 0).then(|| format!("{many} {name}"))
        };
        let told = [
            count("proved for every size", |it| {
                matches!(it, Verdict::Proved(_))
            }),
            count("open", |it| matches!(it, Verdict::Open(_))),
            count("refuted", |it| matches!(it, Verdict::Refuted(_))),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        if !told.is_empty() {
            lines.push(format!("{}: {}.", property.name(), told.join(", ")));
        }
    }
    lines
}
