//! Runs on arrays.

use std::sync::Arc;

use atgpu::array::{Array, Data};
use atgpu::count::Parameters;
use atgpu::exec::{Input, Options};
use atgpu::machine::Machine;
use atgpu::program::{Role, Variable, WordType};
use indexmap::IndexMap;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::number::{rational, totals};
use crate::program::Program;
use crate::work::away;
use crate::{failure, plain};

/// A run: its outputs and counts.
#[pyclass(frozen, module = "atgpu")]
pub struct Run {
    run: atgpu::Run,
    program: Py<Program>,
    /// The outputs by name, as arrays of NumPy.
    #[pyo3(get)]
    outputs: Py<PyDict>,
}

/// Runs a program on what keyword arguments give: data of inputs, and values of parameters.
pub(crate) fn run(
    program: &Bound<'_, Program>,
    machine: Machine,
    (seed, threads): (u64, usize),
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<Run> {
    let py = program.py();
    let checked = Arc::clone(&program.get().program);
    let mut parameters = Parameters::new();
    let mut sizes = Parameters::new();
    let mut inputs = IndexMap::new();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let mut variables = checked.variables().iter();
        match variables.find(|each| each.name == name && each.role == Role::Input) {
            None => parameters.set(&name, rational(&value)?),
            Some(variable) => {
                let input = input(variable, &value)?;
                if let Input::Given(array) = &input {
                    let formals = checked.lone_formals(variable);
                    for (formal, extent) in formals.into_iter().zip(&array.shape) {
                        let extent = i64::try_from(*extent).unwrap_or(i64::MAX);
                        formal
                            .into_iter()
                            .for_each(|formal| sizes.set(formal, extent));
                    }
                }
                inputs.insert(name, input);
            }
        }
    }
    // What is given outright goes before what follows from a shape; the run tells where the two differ.
    let parameters = sizes.with(parameters);
    let options = Options {
        inputs,
        seed,
        threads,
        ..Options::default()
    };
    let done = away(py, move |watch| {
        checked.run_while(&machine, parameters, &options, watch)
    })?;
    let mut run = done.map_err(|error| failure::of(py, &error))?;
    let outputs = PyDict::new(py);
    let names = program.get().program.variables().iter();
    for variable in names.filter(|variable| variable.role == Role::Output) {
        if let Some(array) = run.take_output(&variable.name) {
            outputs.set_item(&variable.name, of_numpy(py, array)?)?;
        }
    }
    Ok(Run {
        run,
        program: program.clone().unbind(),
        outputs: outputs.unbind(),
    })
}

/// Data with a name (`"random"`, `"iota"`, …), or words of one's own.
fn input(variable: &Variable, value: &Bound<'_, PyAny>) -> PyResult<Input> {
    if let Ok(word) = value.cast::<PyString>() {
        let name = word.to_str()?;
        return Input::named(name).ok_or_else(|| {
            failure::of_value(format!(
                "no data are called `{name}`: give `random`, `iota`, `zeros`, `ones`, `least`, `most`, `rising` or an array"
            ))
        });
    }
    let as_words = value.py().import("atgpu._arrays")?.getattr("words")?;
    let wants_floats = variable.word_type == WordType::Float;
    let array = as_words.call1((value, wants_floats, &variable.name))?;
    let (shape, data) = match array.extract::<PyReadonlyArrayDyn<'_, f64>>() {
        Ok(doubles) => (
            doubles.shape().to_vec(),
            Data::Float(doubles.as_slice()?.to_vec()),
        ),
        Err(_) => {
            let whole: PyReadonlyArrayDyn<'_, i64> = array.extract()?;
            (
                whole.shape().to_vec(),
                Data::Int(whole.as_slice()?.to_vec()),
            )
        }
    };
    Ok(Input::Given(Array { shape, data }))
}

/// An array of NumPy that owns the words; nothing is copied.
fn of_numpy(py: Python<'_>, array: Array) -> PyResult<Bound<'_, PyAny>> {
    let shape = array.shape;
    Ok(match array.data {
        Data::Int(words) => in_shape(PyArray1::from_vec(py, words).reshape(shape)?),
        Data::Float(words) => in_shape(PyArray1::from_vec(py, words).reshape(shape)?),
    })
}

fn in_shape<T>(array: Bound<'_, PyArrayDyn<T>>) -> Bound<'_, PyAny> {
    array.into_any()
}

#[pymethods]
impl Run {
    /// The counts over all rounds, as ints.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        totals(py, self.run.counts())
    }

    /// True if the counts are those derived; `None` if the derivation gives no numbers.
    #[getter]
    fn agrees(&self, py: Python<'_>) -> PyResult<Option<bool>> {
        let derivation = self.program.get().derived(py)?;
        Ok(self.run.agrees_with(&derivation))
    }

    /// Counts as the command's JSON has them.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.run)
    }

    /// An output: `run.C`.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.outputs.bind(py).get_item(name)?;
        found
            .ok_or_else(|| PyAttributeError::new_err(format!("the program has no output `{name}`")))
    }

    /// An output: `run["C"]`.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.outputs.bind(py).get_item(name)?;
        found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __str__(&self) -> String {
        self.run.to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names: Vec<String> = self.outputs.bind(py).keys().extract()?;
        let name = self.program.get().program.name();
        Ok(format!("<Run of {name}: {}>", names.join(", ")))
    }
}
