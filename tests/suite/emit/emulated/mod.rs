//! Kernels in CUDA run on this processor: `cuda_runtime.h` beside this file has threads that take turns, each until it
//! waits for others. So thread blocks of several MPs, warps and barriers are compared with the interpreter, too.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::emit::is_there;
use crate::emit::kernels::{Formals, Way, judge_all, of_case};
use crate::emit::runs::{Case, constructs};
use crate::support::cases;
use crate::support::engines::{choice, choices};
use crate::support::programs::{load_file, name, programs};
use atgpu::emit::{Target, Words};

/// A text of CUDA as C++: launches are calls, and shared arrays of sizes told are one array.
pub(super) fn written_in_cpp(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let launch = line.split_once("<<<").and_then(|(before, rest)| {
            let (configuration, arguments) = rest.split_once(">>>")?;
            Some((before, configuration, arguments))
        });
        lines.push(match launch {
            Some((before, configuration, arguments)) => {
                let kernel = before.trim_start();
                format!("launched({configuration}, [&] {{ {kernel}{arguments} }});")
            }
            None if line.contains("extern __shared__ ") => String::new(),
            None => line.to_owned(),
        });
    }
    lines.join("\n")
}

/// A compiler of C++ for a folder that has the header.
pub(super) fn compiler(place: &Path) -> Result<Command, String> {
    let header = include_str!("cuda_runtime.h");
    fs::write(place.join("cuda_runtime.h"), header).map_err(|error| error.to_string())?;
    let mut compiler = Command::new("g++");
    // Not every program calls all of it.
    compiler.args(["-x", "c++", "-std=c++17", "-w", "-I."]);
    Ok(compiler)
}

/// All programs with MPs that are warps, at the one of several choices that has the most MPs.
fn of_warps() -> Vec<Case> {
    let files = programs("programs").into_iter().step_by(cases::every(4));
    let of_warps = files.filter_map(|file| {
        let (program, _) = load_file(&file);
        let all = choices(&program, 30, 11).into_iter();
        let warps = all.filter(|choice| choice.machine[1] == 32);
        let work = |values: &[(String, i64)]| values.iter().map(|(_, value)| value).sum::<i64>();
        let choice = warps.max_by_key(|choice| work(&choice.values))?;
        Some(Case {
            name: name(&file),
            program,
            choice,
            words: Words::default(),
        })
    });
    of_warps.collect()
}

/// The constructs with MPs that are warps, but for those that divide by 0 at more than 8 cores.
fn constructs_of_warps() -> Vec<Case> {
    let cases = constructs().into_iter().filter_map(|case| {
        if ["Numbers", "Ends"].contains(&case.program.name()) {
            return None;
        }
        let choice = choice(&case.program, 32, vec![("n".to_owned(), 150)])?;
        Some(Case { choice, ..case })
    });
    cases.collect()
}

/// Five MPs are a thread block, so that the last one has warps without an MP.
#[test]
fn kernels_of_several_mps_a_thread_block_do_what_they_do_here() {
    if !is_there("g++", "--version") {
        return;
    }
    let cases: Vec<Case> = of_warps()
        .into_iter()
        .chain(constructs_of_warps())
        .collect();
    let in_fives = |formals| Way {
        mps_per_thread_block: 5,
        ..Way::of(Target::Cuda, formals)
    };
    let way = in_fives(Formals::Given);
    let shares = |case: &&Case| of_case(case, way).contains("Z = 5 MPs are a thread block");
    assert_eq!(cases.iter().filter(shares).count(), cases.len());
    judge_all(&cases, way);
    judge_all(&constructs_of_warps(), in_fives(Formals::Fixed));
}

/// A warp waits without a barrier of the thread block, any other MP with one.
#[test]
fn kernels_in_cuda_do_what_they_do_here() {
    if is_there("g++", "--version") {
        judge_all(&of_warps(), Way::of(Target::Cuda, Formals::Fixed));
        judge_all(&constructs(), Way::of(Target::Cuda, Formals::Given));
    }
}

/// With Z, C and OpenCL write what they write without it, for all but the line that tells it.
#[test]
fn only_cuda_has_thread_blocks_of_several_mps() {
    for case in constructs_of_warps() {
        for target in [Target::C, Target::OpenCl] {
            let alone = Way::of(target, Formals::Given);
            let together = Way {
                mps_per_thread_block: 5,
                ..alone
            };
            assert_eq!(of_case(&case, alone), of_case(&case, together));
        }
    }
}
