//! `atgpu.toml` as a text being edited: its faults, and completions.

use std::path::{Path, PathBuf};

use atgpu::cost::MODELS;
use atgpu::diag::Diagnostic;
use atgpu::editor::position::{offset, range};
use atgpu::editor::{Action, Completion, CompletionKind, Place, Range, fixes_within};
use atgpu::machine::{BUILT_IN, Machine, OVERRIDABLE};
use atgpu::text::{Source, Span};

use crate::cli::config::{self, Config, HINTS, KEYS, LEVELS};

/// A text of an `atgpu.toml`.
pub(super) struct SettingsFile {
    source: Source,
    folder: PathBuf,
}

impl SettingsFile {
    pub(super) fn new(folder: &Path, text: &str) -> SettingsFile {
        let name = folder.join(config::NAME).display().to_string();
        SettingsFile {
            source: Source::new(&name, text),
            folder: folder.to_owned(),
        }
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Parses the text: its settings, and its faults.
    pub(super) fn read(&self) -> (Config, Vec<Diagnostic>) {
        config::read(&self.source, &self.folder)
    }

    /// The fixes for faults on the lines of a range.
    pub(super) fn actions(&self, within: Range) -> Vec<Action> {
        let (_, found) = self.read();
        fixes_within(&self.source, &found, within)
    }

    /// Completions: keys at the start of a line, parameters under `[values]`, lints under `[lints]`, and values after
    /// a key.
    pub(super) fn completions(&self, place: Place, formals: &[String]) -> Vec<Completion> {
        let at = offset(&self.source, place);
        let number = self.source.line_of(at);
        let before = self
            .source
            .slice(Span::new(self.source.line_span(number).start, at));
        let is_part = |c: char| c.is_alphanumeric() || "_-'.".contains(c);
        let typed = before.trim_end_matches(is_part);
        let typed = &before[typed.len()..];
        let completion = |label: &str, text: String, kind, detail: String| Completion {
            label: label.to_owned(),
            range: range(&self.source, Span::new(at - typed.len(), at)),
            is_snippet: text.contains('$'),
            text,
            kind,
            detail,
        };
        let mut above = (1..number).rev().map(|line| self.source.line_span(line));
        let table = above.find_map(|line| self.source.slice(line).trim().strip_prefix('['));
        let table = table.map(|table| table.trim_end_matches(']'));
        let Some((key, value)) = before.split_once('=') else {
            if table == Some("lints") {
                let named = |name: &str| {
                    let text = format!("{name} = \"$1\"");
                    completion(name, text, CompletionKind::Keyword, String::new())
                };
                return config::lint_names().map(named).collect();
            }
            if table.is_some() {
                let formals = formals.iter().map(String::as_str);
                let names = formals.chain(OVERRIDABLE.iter().copied());
                let named = |name: &str| {
                    let text = format!("{name} = ");
                    completion(name, text, CompletionKind::Parameter, String::new())
                };
                return names.map(named).collect();
            }
            let keys = KEYS.iter().map(|(key, detail)| {
                let text = match *key {
                    "values" | "lints" => format!("[{key}]\n"),
                    _ => format!("{key} = \"$1\""),
                };
                completion(key, text, CompletionKind::Keyword, (*detail).to_owned())
            });
            return keys.collect();
        };
        // Outside of quotes the quotes are inserted too.
        let quote = if value.contains('"') { "" } else { "\"" };
        let choice = |name: &str, detail: String| {
            let text = format!("{quote}{name}{quote}");
            completion(name, text, CompletionKind::Choice, detail)
        };
        match key.trim() {
            _ if table == Some("lints") => LEVELS
                .iter()
                .map(|word| choice(word, String::new()))
                .collect(),
            "machine" => BUILT_IN
                .iter()
                .map(|(name, _)| choice(name, figures(name)))
                .collect(),
            "model" => MODELS
                .iter()
                .map(|model| choice(model.name(), model.summary().to_owned()))
                .collect(),
            "hints" => HINTS
                .iter()
                .map(|word| choice(word, String::new()))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// `p = 384, b = 32, M = 12288, G = 268435456`
fn figures(name: &str) -> String {
    let Some(machine) = Machine::built_in(name) else {
        return String::new();
    };
    let figures = machine.atgpu.named();
    let figures = figures.map(|(letter, number)| format!("{letter} = {number}"));
    figures.join(", ")
}
