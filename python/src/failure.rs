//! Faults of the library as exceptions, and its diagnostics as objects.

use std::fmt::Display;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A diagnostic: its code, message and place.
#[pyclass(frozen, module = "atgpu")]
pub struct Finding {
    /// The stable code, such as `name::unknown`.
    #[pyo3(get)]
    code: String,
    /// `error`, `warning` or `advice`.
    #[pyo3(get)]
    severity: String,
    /// The message, with the figures.
    #[pyo3(get)]
    message: String,
    /// The way out, if one is known.
    #[pyo3(get)]
    help: Option<String>,
    /// The line at fault, from 1.
    #[pyo3(get)]
    line: Option<usize>,
    /// The column at fault in characters, from 1.
    #[pyo3(get)]
    column: Option<usize>,
    drawn: String,
}

#[pymethods]
impl Finding {
    /// The paragraph that the command draws: place, message, the lines at fault and help.
    fn render(&self) -> &str {
        &self.drawn
    }

    fn __str__(&self) -> &str {
        self.drawn.lines().next().unwrap_or_default()
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.__str__())
    }
}

impl Finding {
    fn of(finding: &atgpu::Finding<'_>) -> Finding {
        Finding {
            code: finding.code().short_name().to_owned(),
            severity: finding.severity().word().to_owned(),
            message: finding.message().to_owned(),
            help: finding.diagnostic.help.clone(),
            line: finding.position.map(|at| at.line),
            column: finding.position.map(|at| at.column),
            drawn: finding.to_string(),
        }
    }
}

/// Findings as a list of objects.
pub(crate) fn listed(findings: &atgpu::Findings) -> Vec<Finding> {
    findings.iter().map(|each| Finding::of(&each)).collect()
}

/// A fault of the library as the exception `atgpu.Error`.
pub(crate) fn of(py: Python<'_>, error: &atgpu::Error) -> PyErr {
    let raised = py.import("atgpu._errors").and_then(|module| {
        let arguments = (error.to_string(), listed(error.findings()));
        module.getattr("Error")?.call1(arguments)
    });
    raised.map_or_else(|fault| fault, PyErr::from_value)
}

/// Something that Python was given and that has no such meaning.
pub(crate) fn of_value(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}
