//! The text that is open, and who answers what is asked of it.

use std::ops::ControlFlow;

use atgpu::editor::{Document, Hints, Settings};
use atgpu::machine::{BUILT_IN, Machine};
use serde_json::{Value, json};

use crate::request::Request;
use crate::{duel, figures, formulas, runs, sources, text, values};

/// What is open.
pub struct Session {
    document: Document,
    machine: Machine,
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// Nothing open yet.
    pub fn new() -> Session {
        let machine = Settings::default().machine;
        Session {
            document: Document::open("", on(&machine)),
            machine,
        }
    }

    /// The answer to a request, `{"error": …}` where there is none.
    pub fn answer(&mut self, request: &[u8]) -> String {
        let answer = match serde_json::from_slice(request) {
            Ok(value) => self.answered(&Request(value)),
            Err(error) => Err(format!("no request: {error}")),
        };
        answer
            .unwrap_or_else(|error| json!({ "error": error }))
            .to_string()
    }

    fn answered(&mut self, asked: &Request) -> Result<Value, String> {
        let document = &self.document;
        Ok(match asked.text("do") {
            "machines" => machines(),
            "change" => {
                self.document.change(asked.text("text"));
                text::state(&self.document)
            }
            "machine" => {
                self.machine = asked.machine()?;
                self.document.set(on(&self.machine));
                text::state(&self.document)
            }
            "derive" => {
                let found = document.job().and_then(|job| job.derive(&go_on));
                if let Some(found) = found {
                    self.document.take_derived(found);
                }
                formulas::view(&self.document)
            }
            "judge" => {
                let found = document.job().and_then(|job| job.judge(&go_on));
                if let Some(found) = found {
                    self.document.take_judged(found);
                }
                text::judged(&self.document, &self.machine)
            }
            "advise" => {
                let going = || ControlFlow::Continue(());
                let found = document.job().and_then(|job| job.advise(&going));
                if let Some(found) = found {
                    self.document.take_advised(found);
                }
                text::advised(&self.document)
            }
            "complete" => text::completions(document, asked.place()),
            "hover" => text::hover(document, asked.place()),
            "signature" => text::signature(document, asked.place()),
            "actions" => text::actions(document, asked.range()),
            "definition" => text::definition(document, asked.place()),
            "rename" => text::rename(document, asked.place(), asked.text("name"))?,
            "format" => text::format(document),
            "stops" => values::stops(document, asked)?,
            "values" => values::values(document, asked)?,
            "curve" => values::curve(document, asked)?,
            "models" => values::models(document, asked)?,
            "duel" => duel::duel(document, asked)?,
            "run" => runs::run(document, asked)?,
            "data" => runs::data(asked)?,
            "sources" => formulas::sources(document)?,
            "figure" => figures::curves(asked)?,
            "roofline" => figures::roofline(asked)?,
            "latex" => sources::latex(document)?,
            "python" => sources::python(document)?,
            "emit" => sources::emitted(document, asked)?,
            other => return Err(format!("nothing is called `{other}`")),
        })
    }
}

/// What the editor shows of programs on a machine.
fn on(machine: &Machine) -> Settings {
    Settings {
        machine: machine.clone(),
        hints: Hints::All,
        ..Settings::default()
    }
}

fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The built-in machines with their figures.
fn machines() -> Value {
    let all = BUILT_IN.iter().filter_map(|(name, file)| {
        let machine = Machine::built_in(name)?;
        let comment: Vec<&str> = file
            .lines()
            .map_while(|line| line.strip_prefix('#'))
            .map(str::trim)
            .collect();
        Some(json!({
            "name": name,
            "about": comment.join(" "),
            "figures": values::figures(&machine),
        }))
    });
    all.collect()
}
