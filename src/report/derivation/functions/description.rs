//! The description of a module: its source, its domain, its parameters and the formulas left out.

use crate::derivation::Derivation;
use crate::program::Program;
use crate::report::derivation::functions::dialect::Dialect;
use crate::report::derivation::functions::names::Names;
use crate::report::derivation::functions::{NoFunction, Options};
use crate::report::wrap::{WIDTH, wrapped};

/// Returns the lines of the description.
pub(super) fn description(
    program: &Program,
    derivation: &Derivation,
    dialect: &Dialect,
    names: &Names,
    (options, left_out): (&Options, &[NoFunction]),
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |text: String| lines.extend(wrapped(&text, WIDTH - 10));
    say(format!(
        "{}: what it costs, as functions of its parameters.",
        derivation.algorithm
    ));
    say(format!(
        "Derived by {} from {}.",
        options.made_by,
        program.source.name()
    ));
    say(String::new());
    let given: Vec<String> = options
        .given
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !given.is_empty() {
        say(format!("With {}.", given.join(", ")));
    }
    say(domain(program));
    if !derivation.names.is_empty() {
        let names = derivation.names.iter();
        let names: Vec<String> = names
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        say(format!("Formulas are told with {}.", names.join(", ")));
    }
    if !derivation.facts.is_empty() {
        say(format!("Facts used: {}.", derivation.facts.join(", ")));
    }
    say(dialect.numbers.to_owned());
    say(String::new());
    for parameter in &names.parameters {
        say(format!("{}: {}", parameter.name, parameter.meaning));
    }
    if !left_out.is_empty() {
        say(String::new());
        left_out
            .iter()
            .for_each(|each| say(format!("Left out: {each}.")));
    }
    lines
}

fn domain(program: &Program) -> String {
    let requires = program.requires.iter().map(|each| {
        let text = program.source.slice(each.span).trim();
        text.strip_prefix("require").unwrap_or(text).trim()
    });
    let requires: Vec<&str> = requires.collect();
    if requires.is_empty() {
        "Holds for whole numbers as parameters.".to_owned()
    } else {
        format!(
            "Holds for whole numbers as parameters where {}; elsewhere values mean nothing.",
            requires.join(" and ")
        )
    }
}
