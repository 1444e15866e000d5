//! Programs, and what is asked of their text.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use atgpu::program::Role;
use atgpu::report::safety::SafetyReport;
use atgpu::report::safety::json::safety as safety_json;
use atgpu::report::safety::text::text as safety_text;
use atgpu::text::Source;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::cost::Cost;
use crate::derivation::Derivation;
use crate::execution::{self, Run};
use crate::failure::{self, Finding, listed};
use crate::machine::machine as machine_of;
use crate::number::parameters;
use crate::study::{self, Comparison, Plot};
use crate::work::away;
use crate::{machine, plain, text_of};

/// A checked program.
#[pyclass(frozen, module = "atgpu")]
pub struct Program {
    pub(crate) program: Arc<atgpu::Program>,
    /// The derivation in symbols, once it was asked for.
    derived: OnceLock<Arc<atgpu::Derivation>>,
}

/// Reads a file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Program> {
    read(py, &path.to_string_lossy(), &text_of(py, &path)?)
}

/// Reads a text; `name` stands for it in diagnostics.
#[pyfunction]
#[pyo3(signature = (text, name = "program"))]
pub fn program(py: Python<'_>, text: &str, name: &str) -> PyResult<Program> {
    read(py, name, text)
}

fn read(py: Python<'_>, name: &str, text: &str) -> PyResult<Program> {
    let read = atgpu::program(Source::new(name, text));
    let program = read.map_err(|error| failure::of(py, &error))?;
    Ok(Program {
        program: Arc::new(program),
        derived: OnceLock::new(),
    })
}

#[pymethods]
impl Program {
    /// The algorithm's name.
    #[getter]
    fn name(&self) -> &str {
        self.program.name()
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        self.program.source().text()
    }

    /// The names of the formal parameters.
    #[getter]
    fn parameters(&self) -> Vec<&str> {
        let formals = self.program.formals().iter();
        formals
            .map(|id| self.program.parameter(*id).name.as_str())
            .collect()
    }

    /// The names of the inputs.
    #[getter]
    fn inputs(&self) -> Vec<&str> {
        self.named(Role::Input)
    }

    /// The names of the outputs.
    #[getter]
    fn outputs(&self) -> Vec<&str> {
        self.named(Role::Output)
    }

    /// All findings of `atgpu check`; errors are among them, not raised.
    #[pyo3(signature = (*, machine = None, **values))]
    fn check(
        &self,
        py: Python<'_>,
        machine: Option<&Bound<'_, PyAny>>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Finding>> {
        let (program, machine) = (Arc::clone(&self.program), machine_of(machine)?);
        let given = parameters(values)?;
        let found = away(py, move |watch| {
            program.findings_while(&machine, given, &|done| watch.tell(done, 0))
        })?;
        Ok(listed(&found.map_err(|error| failure::of(py, &error))?))
    }

    /// The proof for every size that no access is out of bounds, no two race, and no word is read unwritten.
    #[pyo3(signature = (*, machine = None, **values))]
    fn safety(
        &self,
        py: Python<'_>,
        machine: Option<&Bound<'_, PyAny>>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Safety> {
        let (program, machine) = (Arc::clone(&self.program), machine_of(machine)?);
        let given = parameters(values)?;
        away(py, move |_| {
            let safety = program.safety_on(&machine, &given);
            let report = SafetyReport {
                file: program.source().name(),
                program: &program,
                given: &given,
                machine: &machine,
                safety: &safety,
            };
            Safety {
                is_safe: safety.is_safe(),
                is_refuted: safety.is_refuted(),
                text: safety_text(&report),
                json: safety_json(&report),
            }
        })
    }

    /// The exact costs as formulas. Values given here are put in for their parameters.
    #[pyo3(signature = (**values))]
    fn derive(&self, py: Python<'_>, values: Option<&Bound<'_, PyDict>>) -> PyResult<Derivation> {
        let given = parameters(values)?;
        let derivation = match given.iter().next() {
            None => self.derived(py)?,
            Some(_) => {
                let (program, given) = (Arc::clone(&self.program), given.clone());
                let derived = away(py, move |_| program.derive_at(given))?;
                Arc::new(derived.map_err(|error| failure::of(py, &error))?)
            }
        };
        Ok(Derivation::new(
            Arc::clone(&self.program),
            derivation,
            given,
        ))
    }

    /// The counts and the cost by a model on a machine, without data.
    #[pyo3(signature = (*, machine = None, model = None, **values))]
    fn cost(
        &self,
        py: Python<'_>,
        machine: Option<&Bound<'_, PyAny>>,
        model: Option<&str>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Cost> {
        let (program, derivation) = (Arc::clone(&self.program), self.derived(py)?);
        let (machine, model) = (machine_of(machine)?, machine::model(model)?);
        let given = parameters(values)?;
        let cost = away(py, move |watch| {
            let going = |done| watch.tell(done, 0);
            let costs = program.cost_while(&derivation, &machine, given, &going)?;
            let estimate = costs.estimate(model)?;
            Ok(Cost::new(costs, model.name(), estimate))
        })?;
        cost.map_err(|error| failure::of(py, &error))
    }

    /// Runs on data and counts everything. An argument with the name of an input holds its data; sizes follow from
    /// the shapes of arrays.
    #[pyo3(signature = (*, machine = None, seed = 0, threads = 0, **given))]
    fn run(
        slf: &Bound<'_, Self>,
        machine: Option<&Bound<'_, PyAny>>,
        seed: u64,
        threads: usize,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Run> {
        execution::run(slf, machine_of(machine)?, (seed, threads), given)
    }

    /// The cheaper of this program and another, by range of the one parameter that has no value.
    #[pyo3(signature = (other, *, machine = None, model = None, **values))]
    fn compare(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, Program>,
        machine: Option<&Bound<'_, PyAny>>,
        model: Option<&str>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Comparison> {
        let programs = PyTuple::new(slf.py(), [slf, other])?;
        study::compare(&programs, machine, model, values)
    }

    /// A figure over the first parameter that is given as a range.
    #[pyo3(signature = (*others, machine = None, model = None, quantity = "gpu_cost", title = None, **values))]
    fn plot(
        slf: &Bound<'_, Self>,
        others: &Bound<'_, PyTuple>,
        machine: Option<&Bound<'_, PyAny>>,
        model: Option<&Bound<'_, PyAny>>,
        quantity: &str,
        title: Option<String>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Plot> {
        let all = [slf.as_any().clone()].into_iter().chain(others.iter());
        let programs = PyTuple::new(slf.py(), all.collect::<Vec<_>>())?;
        study::plot(&programs, machine, model, quantity, title, values)
    }

    fn __str__(&self) -> &str {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Program {}({})>",
            self.name(),
            self.parameters().join(", ")
        )
    }
}

impl Program {
    /// The derivation in symbols, made at the first call.
    pub(crate) fn derived(&self, py: Python<'_>) -> PyResult<Arc<atgpu::Derivation>> {
        if let Some(derivation) = self.derived.get() {
            return Ok(Arc::clone(derivation));
        }
        let program = Arc::clone(&self.program);
        let derived = away(py, move |_| program.derive())?;
        let derived = Arc::new(derived.map_err(|error| failure::of(py, &error))?);
        Ok(Arc::clone(self.derived.get_or_init(|| derived)))
    }

    fn named(&self, role: Role) -> Vec<&str> {
        let variables = self.program.variables().iter();
        let own = variables.filter(|variable| variable.role == role);
        own.map(|variable| variable.name.as_str()).collect()
    }
}

/// What was proved of a program, and what was refuted.
#[pyclass(frozen, module = "atgpu")]
pub struct Safety {
    /// True if every property is proved for every size.
    #[pyo3(get)]
    is_safe: bool,
    /// True if a run shows a fault.
    #[pyo3(get)]
    is_refuted: bool,
    text: String,
    json: serde_json::Value,
}

#[pymethods]
impl Safety {
    /// The verdict as the command's JSON has it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.json)
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let verdict = match (self.is_safe, self.is_refuted) {
            (true, _) => "safe",
            (false, true) => "refuted",
            (false, false) => "open",
        };
        format!("<Safety {verdict}>")
    }
}
