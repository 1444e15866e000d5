//! No line that the command prints for a person is wider than 100 columns, whatever is asked: help,
//! pages, machines, models, every program through every command that prints text, and every fault of
//! the suite. Lines of the user's own program, quoted in a diagnostic, are as long as they are.

use std::path::Path;

use crate::support::programs::{load_file, path, programs};
use crate::support::{cases, command};
use atgpu::cost::MODELS;
use atgpu::diag::CODES;
use atgpu::machine::BUILT_IN;
use atgpu::meaning::admissible_points;

/// Columns of a terminal that everybody has.
const WIDTH: usize = 100;

/// The commands, as `atgpu --help` lists them.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]).0;
    // They stand in groups, each under a heading, before the options.
    let groups = help.lines().take_while(|line| *line != "Options:");
    let commands = groups.filter_map(|line| line.strip_prefix("  "));
    let names = commands.filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

/// Standard output and standard error.
fn printed(args: &[&str]) -> (String, String) {
    let output = command::atgpu(&path(""))
        .args(args)
        .output()
        .expect("the command starts");
    let status = output.status.code();
    assert!(matches!(status, Some(0..=2)), "{args:?}: {status:?}");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (text(output.stdout), text(output.stderr))
}

/// Both streams of a command are narrow; what it prints is not nothing.
fn assert_narrow(args: &[&str]) {
    let wide = wide_lines(args);
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

fn wide_lines(args: &[&str]) -> Vec<String> {
    let (out, err) = printed(args);
    assert!(!(out.is_empty() && err.is_empty()), "{args:?}: nothing");
    // A diagnostic quotes the program behind this rule, and its marks stand below what they mark.
    let said = err.lines().filter(|line| !line.contains(['│', '·']));
    let wide = out.lines().chain(said);
    wide.filter(|line| line.chars().count() > WIDTH)
        .map(|line| format!("{args:?}: {} columns: {line}", line.chars().count()))
        .collect()
}

#[test]
fn help_is_narrow() {
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    assert_narrow(&["--help"]);
    assert_narrow(&["-h"]);
    for command in commands.iter().filter(|command| *command != "help") {
        assert_narrow(&[command, "--help"]);
        assert_narrow(&[command, "-h"]);
    }
}

#[test]
fn pages_machines_and_models_are_narrow() {
    assert_narrow(&["explain"]);
    for code in CODES {
        assert_narrow(&["explain", code.short_name()]);
    }
    assert_narrow(&["machines"]);
    for (name, _) in BUILT_IN {
        assert_narrow(&["machines", name]);
        for (other, _) in BUILT_IN {
            assert_narrow(&["machines", name, other]);
        }
    }
    assert_narrow(&["models"]);
    for model in MODELS {
        assert_narrow(&["models", model.name()]);
    }
}

#[test]
fn derivations_of_every_program_are_narrow() {
    let files = programs("programs");
    let names = files.iter().map(|file| relative(file));
    let wide = names.enumerate().flat_map(|(at, name)| {
        let forms = if at % cases::every(4) == 0 { 2 } else { 1 };
        let forms = ["--explain", "--expand"].iter().take(forms);
        let wide = forms.map(|form| wide_lines(&["derive", &name, form]));
        wide.collect::<Vec<_>>()
    });
    let wide: Vec<String> = wide.flatten().collect();
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

/// At the smallest point that a program admits.
#[test]
fn figures_of_every_program_are_narrow() {
    let mut wide = Vec::new();
    for (at, file) in programs("programs").iter().enumerate() {
        let (program, _) = load_file(file);
        let name = relative(file);
        let machine = [384, 32, 12288, 1 << 28];
        let points = admissible_points(&program, machine, &().into(), 1);
        let formals = program.formals().iter().map(|id| program.parameter(*id));
        let values: Vec<String> = formals
            .filter_map(|formal| {
                let value = points.first()?.get(&formal.name)?;
                Some(format!("-D{}={value}", formal.name))
            })
            .collect();
        let mut with = |command: &[&'static str]| {
            let mut args = vec![command[0], &name];
            args.extend(&command[1..]);
            args.extend(values.iter().map(String::as_str));
            wide.extend(wide_lines(&args));
        };
        with(&["check"]);
        if at % cases::every(4) == 0 {
            with(&["cost", "--model", "all"]);
            with(&["run", "--model", "all", "--show", "C", "--trace", "mp=0"]);
            with(&["test"]);
        }
        // The tables of these have the same columns whatever the program.
        if at % 8 == 0 {
            with(&["compare", "--model", "all"]);
            with(&["overlap", "--kernel-ms", "1"]);
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

/// The message and help of every fault, drawn.
#[test]
fn diagnostics_are_narrow() {
    let folders = ["syntax", "check", "lint"].map(|room| format!("tests/suite/{room}/diagnostics"));
    for file in folders.iter().flat_map(|folder| programs(folder)) {
        assert_narrow(&["check", &relative(&file)]);
    }
}

fn relative(file: &Path) -> String {
    let inside = file.strip_prefix(path("")).expect("a file of the crate");
    inside.to_string_lossy().into_owned()
}
