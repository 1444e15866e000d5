//! What a request says, read once for all who answer.

use atgpu::count::{Parameters, parse_number};
use atgpu::editor::{Place, Range};
use atgpu::machine::Machine;
use serde_json::Value;

/// A request.
pub(crate) struct Request(pub(crate) Value);

impl Request {
    pub(crate) fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default()
    }

    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.0[key].as_u64()
    }

    pub(crate) fn is(&self, key: &str) -> bool {
        self.0[key].as_bool() == Some(true)
    }

    /// The values given by name; what is no number is said.
    pub(crate) fn parameters(&self, key: &str) -> Result<Parameters, String> {
        let mut parameters = Parameters::new();
        for (name, value) in self.0[key].as_object().into_iter().flatten() {
            let text = match value.as_str() {
                Some(text) => text.to_owned(),
                None => value.to_string(),
            };
            let number = parse_number(&text).map_err(|why| format!("{name}: {why}"))?;
            parameters.set(name, number);
        }
        Ok(parameters)
    }

    /// The machine asked for with the figures given for it; a file's text stands for a machine too.
    pub(crate) fn machine(&self) -> Result<Machine, String> {
        let name = self.text("machine");
        let machine = match self.0["machineFile"].as_str() {
            Some(text) => Machine::from_toml(text).map_err(|faults| said(&faults))?,
            None => {
                Machine::built_in(name).ok_or_else(|| format!("no machine is named `{name}`"))?
            }
        };
        machine
            .with(self.parameters("figures")?)
            .map_err(|faults| said(&faults))
    }

    pub(crate) fn place(&self) -> Place {
        place(&self.0["place"])
    }

    pub(crate) fn range(&self) -> Range {
        Range {
            start: place(&self.0["from"]),
            end: place(&self.0["to"]),
        }
    }
}

fn place(value: &Value) -> Place {
    let number = |at: usize| u32::try_from(value[at].as_u64().unwrap_or(0)).unwrap_or(u32::MAX);
    Place {
        line: number(0),
        character: number(1),
    }
}

/// Faults in one line.
pub(crate) fn said(faults: &[atgpu::diag::Diagnostic]) -> String {
    let told: Vec<String> = faults
        .iter()
        .map(|fault| fault.message.to_string())
        .collect();
    told.join("; ")
}
