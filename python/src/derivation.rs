//! Derivations and their formulas.

use std::sync::Arc;

use atgpu::count::{Parameters, Quantity};
use atgpu::number::Rational;
use atgpu::report::derivation::functions::{Options, Target, functions};
use atgpu::report::derivation::latex as latex_of;
use atgpu::sym::EvaluateError;
use atgpu::text::Known;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString};

use crate::machine::machine as machine_of;
use crate::number::{exact, parameters, rational};
use crate::work::away;
use crate::{failure, plain};

/// The costs of a program as formulas.
#[pyclass(frozen, module = "atgpu")]
pub struct Derivation {
    program: Arc<atgpu::Program>,
    derivation: Arc<atgpu::Derivation>,
    given: Parameters,
}

impl Derivation {
    pub(crate) fn new(
        program: Arc<atgpu::Program>,
        derivation: Arc<atgpu::Derivation>,
        given: Parameters,
    ) -> Self {
        Derivation {
            program,
            derivation,
            given,
        }
    }

    fn formula(&self, name: &str) -> Result<Formula, String> {
        let formula = self
            .derivation
            .formula(name)
            .map_err(|why| why.to_string())?;
        Ok(Formula {
            name: name.to_owned(),
            program: Arc::clone(&self.program),
            derivation: Arc::clone(&self.derivation),
            given: self.given.clone(),
            formula,
            part: Part::Whole,
        })
    }

    /// The formulas that there are, by name.
    fn all(&self) -> Vec<Formula> {
        let names = self.derivation.quantities();
        names
            .filter_map(|(name, _)| self.formula(name).ok())
            .collect()
    }
}

#[pymethods]
impl Derivation {
    /// The names of all quantities.
    #[getter]
    fn quantities(&self) -> Vec<&'static str> {
        self.derivation.quantities().map(|(name, _)| name).collect()
    }

    /// The formula of a quantity: `derivation.io`.
    fn __getattr__(&self, name: &str) -> PyResult<Formula> {
        self.formula(name).map_err(PyAttributeError::new_err)
    }

    /// The formula of a quantity whose name is a word of Python: `derivation["global"]`.
    fn __getitem__(&self, name: &str) -> PyResult<Formula> {
        self.formula(name).map_err(PyKeyError::new_err)
    }

    fn __dir__(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        let object = slf.py().import("builtins")?.getattr("object")?;
        let mut names: Vec<String> = object
            .call_method1("__dir__", (slf,))?
            .try_iter()?
            .map(|name| name?.extract())
            .collect::<PyResult<_>>()?;
        names.extend(slf.get().quantities().into_iter().map(str::to_owned));
        Ok(names)
    }

    /// The derivation as a LaTeX document: the listing, and every formula.
    fn latex(&self) -> String {
        latex_of(
            self.program.source(),
            &self.derivation,
            &self.derivation.let_names(),
        )
    }

    /// The derivation as the command's JSON has it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &*self.derivation)
    }

    /// All formulas as functions of another language: `c`, `rust`, `python`, `numpy`, `sympy`, `julia`, `sql`, `excel`.
    fn source(&self, language: &str) -> PyResult<String> {
        let options = Options {
            given: self.given.clone(),
            ..Options::default()
        };
        let target = target(language)?;
        Ok(functions(&self.program, &self.derivation, target, &options).text)
    }

    /// The formulas as mathematics, for a notebook.
    fn _repr_latex_(&self) -> String {
        let rows = self.all().into_iter().map(|formula| {
            let name = formula.name.replace('_', r"\_");
            format!(
                r"\text{{{name}}} &{} {}",
                formula.relation()[1],
                formula.formula.latex()
            )
        });
        let rows: Vec<String> = rows.collect();
        format!(
            "$$\\begin{{aligned}}\n{}\n\\end{{aligned}}$$",
            rows.join(" \\\\\n")
        )
    }

    fn __str__(&self) -> String {
        self.derivation.to_string()
    }

    fn __repr__(&self) -> String {
        let rows = self.all().into_iter();
        let rows: Vec<String> = rows
            .map(|formula| format!("  {}", formula.__repr__()))
            .collect();
        format!(
            "<Derivation of {}\n{}>",
            self.derivation.algorithm,
            rows.join("\n")
        )
    }
}

fn target(language: &str) -> PyResult<Target> {
    let mut all = Target::ALL.into_iter();
    all.find(|target| target.name() == language).ok_or_else(|| {
        let known = Known::beside(language, Target::ALL.map(Target::name));
        failure::of_value(format!("no language is named `{language}`; {known}"))
    })
}

/// What a formula is of its quantity.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// The tightest formula: the quantity itself, or an upper bound.
    Whole,
    /// A lower bound.
    Lower,
    /// A short upper bound.
    Short,
}

/// A formula: text, mathematics, and a function of its parameters.
#[pyclass(frozen, module = "atgpu")]
pub struct Formula {
    /// The quantity's name.
    #[pyo3(get)]
    name: String,
    program: Arc<atgpu::Program>,
    derivation: Arc<atgpu::Derivation>,
    given: Parameters,
    formula: atgpu::derivation::Formula,
    part: Part,
}

#[pymethods]
impl Formula {
    /// The names of the parameters that the formula depends on.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.formula.parameters()
    }

    /// True if the formula is the quantity itself, false if it is an upper bound.
    #[getter]
    fn is_exact(&self) -> bool {
        self.part == Part::Whole && self.formula.is_exact()
    }

    /// The lower bound, where the formula is not exact.
    #[getter]
    fn lower(&self) -> Option<Formula> {
        Some(self.beside(self.formula.lower()?, Part::Lower))
    }

    /// A short upper bound, where the formula is longer than two lines.
    #[getter]
    fn short(&self) -> Option<Formula> {
        Some(self.beside(self.formula.short()?, Part::Short))
    }

    /// The formula as LaTeX, without dollar signs.
    #[getter]
    fn latex(&self) -> &str {
        self.formula.latex()
    }

    /// The formula with `let` names and ℓ written out.
    #[getter]
    fn expanded(&self) -> String {
        self.formula.expanded()
    }

    /// The value: an int or a `Fraction` for numbers, an array of floats for arrays. An irrational value is the nearest
    /// float. `machine` gives the letters of a machine.
    #[pyo3(signature = (*, machine = None, **values))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        machine: Option<&Bound<'py, PyAny>>,
        values: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let mut scalars = PyDict::new(py);
        let arrays = PyDict::new(py);
        for (name, value) in values.into_iter().flatten() {
            let is_array = value.hasattr("__len__")? && !value.is_instance_of::<PyString>();
            match is_array && !is_scalar(&value)? {
                true => arrays.set_item(name, value)?,
                false => scalars.set_item(name, value)?,
            }
        }
        if arrays.is_empty() {
            let at = slf.get().known(machine, Some(&scalars))?;
            return slf.get().value(py, at);
        }
        scalars = scalars.copy()?;
        let over = py.import("atgpu._arrays")?.getattr("over")?;
        over.call1((slf, arrays, scalars, machine))
    }

    /// The values at many points: a column of ints or floats for each moving parameter.
    #[pyo3(signature = (columns, scalars, machine = None))]
    fn _each<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyDict>,
        scalars: &Bound<'py, PyDict>,
        machine: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let fixed = self.known(machine, Some(scalars))?;
        let mut moving: Vec<(String, Vec<Rational>)> = Vec::new();
        for (name, column) in columns {
            // As `Parameters` has it: `alpha` is α.
            let named: Parameters = [(name.extract::<String>()?, 0)].into_iter().collect();
            let name = named.iter().next().map(|(name, _)| name.to_owned());
            moving.push((name.unwrap_or_default(), words(&column)?));
        }
        let formula = self.formula.clone();
        let values = away(py, move |_| {
            let columns = moving
                .iter()
                .map(|(name, column)| (name.as_str(), column.clone()));
            formula.each(&columns.collect::<Vec<_>>(), &fixed)
        })?;
        Ok(PyArray1::from_vec(py, values.map_err(fault)?))
    }

    /// The formula as a SymPy expression. SymPy must be installed.
    fn sympy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (module, name) = self.as_function(Target::Sympy)?;
        let of_module = py.import("atgpu._sympy")?.getattr("expression")?;
        of_module.call1((module, name))
    }

    /// The formula as a function of another language, with what it needs.
    fn source(&self, language: &str) -> PyResult<String> {
        Ok(self.as_function(target(language)?)?.0)
    }

    fn _repr_latex_(&self) -> String {
        format!("${}$", self.formula.latex())
    }

    fn __str__(&self) -> String {
        self.formula.to_string()
    }

    fn __repr__(&self) -> String {
        format!("{} {} {}", self.name, self.relation()[0], self.formula)
    }
}

impl Formula {
    fn beside(&self, formula: atgpu::derivation::Formula, part: Part) -> Formula {
        Formula {
            name: self.name.clone(),
            program: Arc::clone(&self.program),
            derivation: Arc::clone(&self.derivation),
            given: self.given.clone(),
            formula,
            part,
        }
    }

    /// How the quantity stands to the formula, as a sign and in LaTeX.
    fn relation(&self) -> [&'static str; 2] {
        match self.part {
            Part::Lower => ["≥", r"\ge"],
            Part::Whole if self.formula.is_exact() => ["=", "="],
            Part::Whole | Part::Short => ["≤", r"\le"],
        }
    }

    /// The values given, after those of the machine.
    fn known(
        &self,
        machine: Option<&Bound<'_, PyAny>>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Parameters> {
        let letters = match machine {
            Some(machine) => machine_of(Some(machine))?.parameters(),
            None => Parameters::new(),
        };
        Ok(letters.with(parameters(values)?))
    }

    fn value<'py>(&self, py: Python<'py>, at: Parameters) -> PyResult<Bound<'py, PyAny>> {
        let formula = self.formula.clone();
        let (value, real) = away(py, move |_| {
            let value = formula.exact(&at);
            let real = value.is_err().then(|| formula.value(&at));
            (value, real)
        })?;
        match (value, real) {
            (Ok(value), _) => exact(py, &value),
            (Err(_), Some(Ok(real))) => Ok(PyFloat::new(py, real).into_any()),
            (Err(why), _) => Err(fault(why)),
        }
    }

    /// The module of a language, and the function's name in it.
    fn as_function(&self, target: Target) -> PyResult<(String, String)> {
        if self.part != Part::Whole {
            let why = "a bound beside the formula has no function: call it, or take the function of the formula itself";
            return Err(failure::of_value(why));
        }
        let options = Options {
            quantities: Quantity::named(&self.name).into_iter().collect(),
            given: self.given.clone(),
            ..Options::default()
        };
        let module = functions(&self.program, &self.derivation, target, &options);
        match module.functions.into_iter().next() {
            Some(function) => Ok((module.text, function.name)),
            None => {
                let why = module.left_out.first().map(ToString::to_string);
                Err(failure::of_value(why.unwrap_or_default()))
            }
        }
    }
}

/// Whether a value with a length is a number all the same, as an array of NumPy without dimensions is.
fn is_scalar(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match value.getattr_opt("ndim")? {
        Some(dimensions) => Ok(dimensions.extract::<usize>()? == 0),
        None => Ok(false),
    }
}

/// The words of a column, exactly.
fn words(column: &Bound<'_, PyAny>) -> PyResult<Vec<Rational>> {
    if let Ok(whole) = column.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(whole.as_array().iter().map(|word| (*word).into()).collect());
    }
    if let Ok(doubles) = column.extract::<PyReadonlyArray1<'_, f64>>() {
        let exact = doubles
            .as_array()
            .iter()
            .map(|word| Rational::from_f64(*word))
            .collect();
        let exact: Option<Vec<Rational>> = exact;
        return exact.ok_or_else(|| failure::of_value("a value is infinite or no number"));
    }
    column.try_iter()?.map(|word| rational(&word?)).collect()
}

fn fault(why: EvaluateError) -> PyErr {
    match why {
        EvaluateError::Unknown(symbol) if ["α", "β"].contains(&&*symbol.name) => {
            let name = &symbol.name;
            PyTypeError::new_err(format!(
                "`{name}` has no value: a machine whose directions differ has no single one; give `alpha` and `beta`, or \
                 ask the program for its `cost`"
            ))
        }
        EvaluateError::Unknown(_) => PyTypeError::new_err(why.to_string()),
        _ => failure::of_value(why),
    }
}
