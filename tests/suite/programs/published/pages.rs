//! docs/models: every model has a page with its formula, and its example is what the command prints.

use std::fs;

use crate::support::command;
use crate::support::programs::path;
use atgpu::cost::MODELS;

fn page(name: &str) -> String {
    let file = path("docs/models").join(format!("{name}.md"));
    fs::read_to_string(&file).unwrap_or_else(|_| panic!("{} is missing", file.display()))
}

/// The fenced blocks of one language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    let opened = text.split(&fence).skip(1);
    opened
        .map(|rest| rest.split("```").next().expect("it is closed"))
        .collect()
}

#[test]
fn every_model_has_its_page() {
    for model in MODELS {
        let text = page(model.name());
        let formula = blocks(&text, "text")[0];
        assert_eq!(formula.trim(), model.sheet().formula, "{}", model.name());
    }
}

#[test]
fn examples_are_what_the_command_prints() {
    let names = MODELS.iter().map(|model| model.name()).chain(["overlap"]);
    for name in names {
        let text = page(name);
        let examples = blocks(&text, "console");
        assert!(!examples.is_empty(), "{name} has no example");
        for example in examples {
            let (command, expected) = example.split_once('\n').expect("a command and its output");
            let arguments = command.strip_prefix("$ atgpu ").expect("our command");
            let output = command::atgpu(&path(""))
                .args(arguments.split_whitespace())
                .output()
                .expect("the command starts");
            let printed = String::from_utf8(output.stdout).expect("it prints text");
            assert_eq!(printed, expected, "{name}: {command}");
            assert!(!expected.trim().is_empty());
        }
    }
}
