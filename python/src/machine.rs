//! Machines and models by name, and machines as dicts.

use std::path::Path;

use atgpu::cost::{MODELS, Model, find};
use atgpu::machine::{BUILT_IN, Machine};
use atgpu::text::Known;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{failure, text_of};

/// The names of the built-in machines.
#[pyfunction]
pub fn machines() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}

/// The names of the cost models.
#[pyfunction]
pub fn models() -> Vec<&'static str> {
    MODELS.iter().map(|model| model.name()).collect()
}

/// The machine of this name, of this file, or with the figures of this dict; the card of paper 1 if none is given.
pub(crate) fn machine(given: Option<&Bound<'_, PyAny>>) -> PyResult<Machine> {
    let Some(given) = given else {
        return Ok(Machine::built_in("gtx650").expect("built in"));
    };
    let py = given.py();
    if let Ok(figures) = given.cast::<PyDict>() {
        let json: String = py
            .import("json")?
            .call_method1("dumps", (figures,))?
            .extract()?;
        let table: toml::Table = serde_json::from_str(&json).map_err(failure::of_value)?;
        return from_toml(py, &toml::to_string(&table).map_err(failure::of_value)?);
    }
    let name: String = py
        .import("os")?
        .call_method1("fspath", (given,))?
        .extract()?;
    if Path::new(&name)
        .extension()
        .is_some_and(|end| end == "toml")
    {
        return from_toml(py, &text_of(py, Path::new(&name))?);
    }
    Machine::built_in(&name).ok_or_else(|| {
        let known = Known::beside(&name, machines());
        failure::of_value(format!("no machine is named `{name}`; {known}"))
    })
}

fn from_toml(py: Python<'_>, text: &str) -> PyResult<Machine> {
    Machine::from_toml(text).map_err(|faults| failure::of(py, &faults.into()))
}

/// The model of this name; that of paper 1 if none is given.
pub(crate) fn model(name: Option<&str>) -> PyResult<&'static dyn Model> {
    let name = name.unwrap_or("atgpu");
    find(name).ok_or_else(|| {
        let known = Known::beside(name, models());
        failure::of_value(format!("no model is named `{name}`; {known}"))
    })
}
