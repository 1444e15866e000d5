//! The settings from a client and from `atgpu.toml`: `machine`, `values`, `hints`, `explain`.

use atgpu::count::parse_number;
use atgpu::editor::{Hints, Settings};
use atgpu::machine::Machine;
use serde_json::Value;

use crate::cli::config::Config;
use crate::cli::options;

/// The settings of a client.
#[derive(Default)]
pub(super) struct Wishes {
    machine: Option<String>,
    values: Vec<(String, String)>,
    hints: Option<Hints>,
    /// The address of the pages of the codes, for links: `https://…/codes/`.
    pub explain: Option<String>,
}

impl Wishes {
    /// Parses `{"machine": …, "values": {…}, "hints": "off"|"blocks"|"all"}`, alone or under `atgpu`.
    pub(super) fn of(options: &Value) -> Wishes {
        let options = options.get("atgpu").unwrap_or(options);
        let text = |key: &str| Some(options.get(key)?.as_str()?.to_owned());
        let values = options.get("values").and_then(Value::as_object);
        Wishes {
            machine: text("machine").filter(|name| !name.is_empty()),
            values: values
                .into_iter()
                .flatten()
                .map(|(name, value)| match value.as_str() {
                    Some(text) => (name.clone(), text.to_owned()),
                    None => (name.clone(), value.to_string()),
                })
                .collect(),
            hints: text("hints").as_deref().and_then(hints),
            explain: text("explain").filter(|page| !page.is_empty()),
        }
    }

    /// Merges the settings with an `atgpu.toml`; the client's come first. Also returns the faults in the
    /// client's.
    pub(super) fn settings(&self, config: &Config) -> (Settings, Vec<String>) {
        let mut settings = Settings::default();
        let mut faults = Vec::new();
        let machine = self.machine.as_ref().or(config.machine.as_ref());
        match machine.map(|name| machine_named(name)) {
            Some(Ok(machine)) => settings.machine = machine,
            Some(Err(fault)) => faults.push(fault),
            None => {}
        }
        settings.parameters = config.values.clone();
        for (name, text) in &self.values {
            match parse_number(text) {
                Ok(value) => settings.parameters.set(name, value),
                Err(fault) => faults.push(format!("{name}: {fault}")),
            }
        }
        settings.hints = self
            .hints
            .or(config.hints.as_deref().and_then(hints))
            .unwrap_or_default();
        (settings, faults)
    }
}

fn hints(word: &str) -> Option<Hints> {
    match word {
        "off" => Some(Hints::Off),
        "blocks" => Some(Hints::Blocks),
        "all" => Some(Hints::All),
        _ => None,
    }
}

fn machine_named(name: &str) -> Result<Machine, String> {
    options::machine(name).map_err(|faults| {
        let told: Vec<String> = faults
            .iter()
            .map(|fault| fault.diagnostic.message.to_string())
            .collect();
        told.join("; ")
    })
}
