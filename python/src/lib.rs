//! The library in Python: each class holds a value of the library, and each method calls one function of it.
//!
//! `program` has what is asked of a text, `derivation` the formulas, `cost` numbers without data, `execution` runs
//! on arrays, `study` sweeps, figures and comparisons. `number`, `machine` and `failure` are the borders: what Python
//! gives becomes exact numbers and machines, and faults become exceptions. `work` lets the interpreter go on while
//! the library works. Nothing here parses, derives or counts.

#![forbid(unsafe_code)]

mod cost;
mod derivation;
mod execution;
mod failure;
mod machine;
mod number;
mod program;
mod study;
mod work;

use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The extension module behind the package `atgpu`.
#[pymodule(gil_used = false)]
mod _atgpu {
    #[pymodule_export]
    use crate::cost::Cost;
    #[pymodule_export]
    use crate::derivation::{Derivation, Formula};
    #[pymodule_export]
    use crate::execution::Run;
    #[pymodule_export]
    use crate::failure::Finding;
    #[pymodule_export]
    use crate::machine::{machines, models};
    #[pymodule_export]
    use crate::program::{Program, Safety, load, program};
    #[pymodule_export]
    use crate::study::{Comparison, Plot, compare, plot, sweep};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn version(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The text of a file. Python opens it, so that its errors are those of any other file.
fn text_of(py: Python<'_>, path: &Path) -> PyResult<String> {
    let how = PyDict::new(py);
    how.set_item("encoding", "utf-8")?;
    how.set_item("newline", "")?;
    let file = py
        .import("io")?
        .getattr("open")?
        .call((path,), Some(&how))?;
    let text = file.call_method0("read");
    file.call_method0("close")?;
    text?.extract()
}

/// A value as Python has it after `json.loads`.
fn plain<'py>(py: Python<'py>, value: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(failure::of_value)?;
    py.import("json")?.call_method1("loads", (text,))
}
