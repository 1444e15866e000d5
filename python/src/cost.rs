//! The counts and the cost of a program at a point.

use atgpu::cost::Estimate;
use atgpu::number::Rational;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::number::totals;
use crate::plain;

/// The counts and costs at one choice of parameters.
#[pyclass(frozen, module = "atgpu")]
pub struct Cost {
    costs: atgpu::Costs,
    /// The model of `ms`.
    #[pyo3(get)]
    model: &'static str,
    estimate: Estimate,
}

impl Cost {
    pub(crate) fn new(costs: atgpu::Costs, model: &'static str, estimate: Estimate) -> Self {
        Cost {
            costs,
            model,
            estimate,
        }
    }
}

#[pymethods]
impl Cost {
    /// The time by the model in ms; `None` for a model without one.
    #[getter]
    fn ms(&self) -> Option<f64> {
        self.estimate.headline().map(Rational::to_f64)
    }

    /// The counts over all rounds, as ints.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        totals(py, self.costs.counts())
    }

    /// The model's figures by name: times in ms, and shares.
    #[getter]
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let figures = PyDict::new(py);
        for figure in &self.estimate.figures {
            if let Some(time) = self.estimate.time(figure.name) {
                figures.set_item(figure.name, time.to_f64())?;
            }
        }
        Ok(figures)
    }

    /// True if no count is an upper bound only.
    #[getter]
    fn is_exact(&self) -> bool {
        self.costs.bounds().is_empty()
    }

    /// Counts and costs as the command's JSON has them.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.costs)
    }

    fn __str__(&self) -> String {
        self.costs.to_string()
    }

    fn __repr__(&self) -> String {
        match self.ms() {
            Some(ms) => format!("<Cost {ms} ms by {}>", self.model),
            None => format!("<Cost without a time by {}>", self.model),
        }
    }
}
