//! Numbers of Python as exact numbers, and back.

use atgpu::count::{Counts, Parameters, parse_number};
use atgpu::number::{BigInt, Rational};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};

use crate::failure;

/// The totals of all counts by name, as ints.
pub(crate) fn totals<'py>(
    py: Python<'py>,
    counts: &Counts<BigInt>,
) -> PyResult<Bound<'py, PyDict>> {
    let totals = PyDict::new(py);
    for (name, count) in counts.totals.named() {
        totals.set_item(name, count)?;
    }
    Ok(totals)
}

/// An int, a float, a `Fraction`, or a text such as `"2^20"`, exactly.
pub(crate) fn rational(value: &Bound<'_, PyAny>) -> PyResult<Rational> {
    if let Ok(text) = value.cast::<PyString>() {
        return parse_number(text.to_str()?).map_err(failure::of_value);
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        let exact = Rational::from_f64(float.extract()?);
        return exact.ok_or_else(|| failure::of_value(format!("{float} is no number")));
    }
    let is_number = !value.is_instance_of::<PyBool>();
    if let (true, Ok(whole)) = (is_number, value.extract::<BigInt>()) {
        return Ok(whole.into());
    }
    let part = |name: &str| value.getattr(name)?.extract::<BigInt>();
    let quotient = part("numerator").and_then(|over| Ok((over, part("denominator")?)));
    match quotient.map(|(over, under)| Rational::new(over, under)) {
        Ok(Some(exact)) if is_number => Ok(exact),
        _ => Err(PyTypeError::new_err(format!(
            "a number is wanted, not {}",
            value.repr()?
        ))),
    }
}

/// An int where the number is whole, else a `Fraction`.
pub(crate) fn exact<'py>(py: Python<'py>, value: &Rational) -> PyResult<Bound<'py, PyAny>> {
    match value.to_integer() {
        Some(whole) => Ok(whole.into_pyobject(py)?.into_any()),
        None => {
            let fraction = py.import("fractions")?.getattr("Fraction")?;
            fraction.call1((value.numerator(), value.denominator()))
        }
    }
}

/// Values by name, as keyword arguments give them.
pub(crate) fn parameters(given: Option<&Bound<'_, PyDict>>) -> PyResult<Parameters> {
    let mut parameters = Parameters::new();
    for (name, value) in given.into_iter().flatten() {
        parameters.set(&name.extract::<String>()?, rational(&value)?);
    }
    Ok(parameters)
}
