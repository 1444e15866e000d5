//! Sweeps, figures and comparisons of programs.

use std::ffi::CString;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use atgpu::cost::Model;
use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::diag::{Diagnostic, Severity};
use atgpu::machine::{Machine, OVERRIDABLE};
use atgpu::report::comparison::{self, Comparison as Compared, Duel};
use atgpu::report::figure::curves::{Plot as Drawing, figure};
use atgpu::report::figure::{Figure, pdf, pgfplots, png, svg};
use atgpu::report::sweep::wide::Columns;
use atgpu::safety::is_proved;
use atgpu::study::{Axis, Counting, Finished, Prepared, Side, Sweep, curves, duel, vet};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyRange, PyString, PyTuple};

use crate::failure;
use crate::machine::{machine as machine_of, model as model_of};
use crate::number::rational;
use crate::plain;
use crate::program::Program;
use crate::work::{Watch, away};

/// Everything of a sweep, held by the thread that does it.
struct Asked {
    programs: Vec<(Arc<atgpu::Program>, Arc<Derivation>)>,
    machines: Vec<Machine>,
    models: Vec<&'static dyn Model>,
    axes: Vec<Axis>,
    fixed: Parameters,
}

impl Asked {
    fn of(
        programs: &Bound<'_, PyTuple>,
        machine: Option<&Bound<'_, PyAny>>,
        model: Option<&Bound<'_, PyAny>>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Asked> {
        let py = programs.py();
        let mut held = Vec::new();
        for program in programs {
            let program = program.cast::<Program>()?.get();
            held.push((Arc::clone(&program.program), program.derived(py)?));
        }
        let machines = match several(machine)? {
            Some(each) => each.iter().map(|one| machine_of(Some(one))).collect(),
            None => machine_of(machine).map(|one| vec![one]),
        };
        let models = match several(model)? {
            Some(each) => each
                .iter()
                .map(|one| model_of(Some(one.extract()?)))
                .collect(),
            None => model_of(model.map(|one| one.extract()).transpose()?).map(|one| vec![one]),
        };
        let mut asked = Asked {
            programs: held,
            machines: machines?,
            models: models?,
            axes: Vec::new(),
            fixed: Parameters::new(),
        };
        for (name, value) in values.into_iter().flatten() {
            let name: String = name.extract()?;
            let Some(written) = written(&value)? else {
                asked.fixed.set(&name, rational(&value)?);
                continue;
            };
            let is_whole = |name: &str| {
                let mut programs = asked.programs.iter();
                programs.any(|(program, _)| program.has_formal(name))
                    || ["p", "b", "M", "G"].contains(&name)
            };
            let axis = Axis::parse(&format!("{name}={written}"), &is_whole);
            asked.axes.push(axis.map_err(failure::of_value)?);
        }
        Ok(asked)
    }

    /// The sweep. A program with a fault of its own at some point is refused, as the command refuses it.
    fn sweep(&self, counting: Counting) -> Result<Sweep<'_>, atgpu::Error> {
        let programs = self.programs.iter();
        let prepared = programs.map(|(program, derived)| Prepared::new(program, Some(derived)));
        let sweep = Sweep::new(
            prepared.collect(),
            self.machines.clone(),
            self.models.clone(),
            self.axes.clone(),
            self.fixed.clone(),
            counting,
        );
        let sweep = sweep.map_err(|fault| Diagnostic::of(&fault))?;
        for (number, (program, _)) in self.programs.iter().enumerate() {
            if !is_proved(program) {
                let vetted = vet(&sweep, number);
                vetted.map_err(|faults| atgpu::Error::new(program.source(), faults))?;
            }
        }
        Ok(sweep)
    }

    /// What is to be said of points that gave nothing. It is a fault if none gave anything.
    fn skipped(&self, finished: &Finished) -> Result<Vec<String>, atgpu::Error> {
        if let Some(skipped) = finished.skipped.first().filter(|_| finished.points == 0) {
            let (program, _) = &self.programs[skipped.program];
            let first = skipped.first.clone().with_severity(Severity::Error);
            return Err(atgpu::Error::new(program.source(), vec![first]));
        }
        let said = finished.skipped.iter().map(|skipped| {
            let name = self.programs[skipped.program].0.name();
            let (points, all, why) = (skipped.points, skipped.out_of, &skipped.first.message);
            format!(
                "{points} of {all} points of {name} on {} give nothing: {why}",
                skipped.machine
            )
        });
        Ok(said.collect())
    }
}

/// The items of a list or a tuple.
fn several<'py>(given: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let list =
        given.filter(|one| one.is_instance_of::<PyList>() || one.is_instance_of::<PyTuple>());
    list.map(|list| list.try_iter()?.collect()).transpose()
}

/// An axis as the command writes it: `"2^10..2^20"` as it is, a range, a list or an array as its values; `None` for one
/// value.
fn written(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str()?;
        let is_axis = text.contains("..") || text.contains(',');
        return Ok(is_axis.then(|| text.to_owned()));
    }
    if let Ok(range) = value.cast::<PyRange>() {
        let bound = |name: &str| range.getattr(name)?.extract::<i64>();
        let (first, stop, step) = (bound("start")?, bound("stop")?, bound("step")?);
        if range.len()? > 0 && step > 0 {
            return Ok(Some(format!("{first}..{}:+{step}", stop - 1)));
        }
    }
    if !value.hasattr("__iter__")? {
        return Ok(None);
    }
    let words = value.try_iter()?.map(|word| Ok(word?.str()?.to_string()));
    Ok(Some(words.collect::<PyResult<Vec<_>>>()?.join(",")))
}

/// Warnings of Python at the line of the caller.
fn warn(py: Python<'_>, said: &[String]) -> PyResult<()> {
    let category = py.get_type::<PyUserWarning>();
    for each in said {
        let text = CString::new(each.as_str()).map_err(failure::of_value)?;
        PyErr::warn(py, &category, &text, 1)?;
    }
    Ok(())
}

fn told(watch: &Watch, all: u64) -> impl FnMut(u64) -> ControlFlow<()> + '_ {
    move |done| watch.tell(done, all)
}

/// A table with a row for every point, as a dict of columns. A parameter that is a range, a list or an array is an axis;
/// `quantity` names counts and figures instead of all figures of the models.
#[pyfunction]
#[pyo3(signature = (*programs, machine = None, model = None, quantity = None, count = false, **values))]
pub fn sweep<'py>(
    programs: &Bound<'py, PyTuple>,
    machine: Option<&Bound<'py, PyAny>>,
    model: Option<&Bound<'py, PyAny>>,
    quantity: Option<&Bound<'py, PyAny>>,
    count: bool,
    values: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = programs.py();
    let asked = Asked::of(programs, machine, model, values)?;
    let wanted: Vec<String> = match several(quantity)? {
        Some(each) => each
            .iter()
            .map(|one| one.extract())
            .collect::<PyResult<_>>()?,
        None => quantity
            .map(|one| one.extract())
            .transpose()?
            .into_iter()
            .collect(),
    };
    let counting = match count {
        true => Counting::Patiently,
        false => Counting::Briefly,
    };
    let done = away(
        py,
        move |watch| -> Result<(String, Vec<String>), atgpu::Error> {
            let sweep = asked.sweep(counting)?;
            for name in &wanted {
                let known = sweep.own_name(name);
                known.map_err(|fault| Diagnostic::of(&fault))?;
            }
            let columns = Columns::of(&sweep, &wanted);
            let mut tell = told(watch, sweep.points());
            let mut all = String::new();
            let finished = sweep.table(
                &wanted,
                &|figures, out: &mut String| columns.json(figures, sweep.columns(), out),
                &mut |done, rows: String| {
                    all.push_str(&rows);
                    tell(done)
                },
            )?;
            let rows = format!("[{}]", all.strip_prefix(',').unwrap_or(&all));
            Ok((rows, asked.skipped(&finished)?))
        },
    )?;
    let (rows, said) = done.map_err(|error| failure::of(py, &error))?;
    warn(py, &said)?;
    py.import("atgpu._tables")?.call_method1("columns", (rows,))
}

/// A figure of programs over the first parameter that is a range.
#[pyfunction]
#[pyo3(signature = (*programs, machine = None, model = None, quantity = "gpu_cost", title = None, **values))]
pub fn plot(
    programs: &Bound<'_, PyTuple>,
    machine: Option<&Bound<'_, PyAny>>,
    model: Option<&Bound<'_, PyAny>>,
    quantity: &str,
    title: Option<String>,
    values: Option<&Bound<'_, PyDict>>,
) -> PyResult<Plot> {
    let py = programs.py();
    let asked = Asked::of(programs, machine, model, values)?;
    let Some(along) = asked.axes.first().cloned() else {
        let why = "a parameter must be a range, such as n=\"2^10..2^20\" or n=range(32, 1024, 32)";
        return Err(failure::of_value(why));
    };
    let quantity = quantity.to_owned();
    let drawn = away(
        py,
        move |watch| -> Result<(Figure, Vec<String>), atgpu::Error> {
            let sweep = asked.sweep(Counting::Briefly)?;
            let known = sweep.own_name(&quantity);
            let quantity = known.map_err(|fault| Diagnostic::of(&fault))?;
            let (curves, finished) = curves(&sweep, quantity, &mut told(watch, sweep.points()))?;
            let said = asked.skipped(&finished)?;
            let drawing = Drawing {
                is_geometric: along.is_geometric(),
                title,
                ..Drawing::of(&along.name, quantity)
            };
            Ok((figure(&drawing, &curves, &[]).0, said))
        },
    )?;
    let (figure, said) = drawn.map_err(|error| failure::of(py, &error))?;
    warn(py, &said)?;
    Ok(Plot(figure))
}

/// A figure; a notebook shows it.
#[pyclass(frozen, module = "atgpu")]
pub struct Plot(Figure);

#[pymethods]
impl Plot {
    /// The figure as SVG.
    #[getter]
    fn svg(&self) -> String {
        svg(&self.0)
    }

    /// Writes a file: `.svg`, `.pdf`, `.png`, or `.tex` with its numbers in a `.csv` beside it.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let bytes = match path.extension().and_then(|end| end.to_str()) {
            Some("svg") => svg(&self.0).into_bytes(),
            Some("pdf") => pdf(&self.0),
            Some("png") => png(&self.0).map_err(failure::of_value)?,
            Some("tex") => {
                let numbers = path.with_extension("csv");
                let name = numbers.file_name().unwrap_or_default();
                let sources = pgfplots(&self.0, &name.to_string_lossy());
                std::fs::write(&numbers, sources.csv)?;
                sources.tex.into_bytes()
            }
            _ => return Err(failure::of_value("a figure is .svg, .pdf, .png or .tex")),
        };
        Ok(std::fs::write(path, bytes)?)
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __repr__(&self) -> &'static str {
        "<Plot>"
    }
}

/// The cheaper of each two programs, by range of the one parameter that has no value.
#[pyfunction]
#[pyo3(signature = (*programs, machine = None, model = None, **values))]
pub fn compare(
    programs: &Bound<'_, PyTuple>,
    machine: Option<&Bound<'_, PyAny>>,
    model: Option<&str>,
    values: Option<&Bound<'_, PyDict>>,
) -> PyResult<Comparison> {
    let py = programs.py();
    let (machine, model) = (machine_of(machine)?, model_of(model)?);
    let given = crate::number::parameters(values)?;
    let mut held: Vec<Arc<atgpu::Program>> = Vec::new();
    for program in programs {
        let program = program.cast::<Program>()?.get();
        // A program without bounds has no formula to compare; this says so.
        program.derived(py)?;
        held.push(Arc::clone(&program.program));
    }
    let along = free(&held, &given)?;
    let compared = away(py, move |watch| -> Result<Compared, atgpu::Error> {
        let mut sides = Vec::new();
        for program in &held {
            let mut own = given.clone();
            own.retain(|name| program.has_formal(name) || OVERRIDABLE.contains(&name));
            let (machine, fixed) = machine.with_overrides(&own, |name| program.has_formal(name))?;
            let mut formals = program.formals().iter();
            let parameter = formals.find(|id| program.parameter(**id).name == along);
            sides.push(Side::new(
                program,
                parameter.copied(),
                fixed,
                machine,
                false,
            ));
        }
        // An interrupt ends it between two steps. Nobody waits for the result then.
        let goes_on = || watch.tell(0, 0).is_continue();
        let costs = sides.iter().take_while(|_| goes_on());
        let costs: Vec<_> = costs.map(|side| side.cost(model)).collect();
        let pairs =
            (0..costs.len()).flat_map(|left| (left + 1..costs.len()).map(move |it| (left, it)));
        let pairs = pairs.take_while(|_| goes_on());
        let duels = pairs.map(|(left, right)| Duel {
            left,
            right,
            machine: machine.name.to_string(),
            b: Some(sides[left].machine().atgpu.cores_per_mp),
            model: model.name(),
            variable: along.clone(),
            outcome: duel([&sides[left], &sides[right]], [&costs[left], &costs[right]]),
            fits: [sides[left].fits(), sides[right].fits()],
        });
        Ok(Compared {
            programs: held
                .iter()
                .map(|program| program.name().to_owned())
                .collect(),
            parameters: given.clone(),
            charges_conflicts: false,
            rows: Vec::new(),
            duels: duels.collect(),
        })
    })?;
    compared
        .map(Comparison)
        .map_err(|error| failure::of(py, &error))
}

/// The one parameter of the programs that has no value.
fn free(programs: &[Arc<atgpu::Program>], given: &Parameters) -> PyResult<String> {
    let mut names: Vec<&str> = Vec::new();
    for program in programs {
        for id in program.formals() {
            let name = program.parameter(*id).name.as_str();
            if given.get(name).is_none() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    match names[..] {
        [one] => Ok(one.to_owned()),
        [] => Err(failure::of_value(
            "every parameter has a value: leave one out, or ask each program for its `cost`",
        )),
        _ => Err(failure::of_value(format!(
            "give a value to all but one of {}",
            names.join(", ")
        ))),
    }
}

/// Which program is cheaper, by range.
#[pyclass(frozen, module = "atgpu")]
pub struct Comparison(Compared);

#[pymethods]
impl Comparison {
    /// The duels as the command's JSON has them.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &comparison::json(&self.0))
    }

    /// The table of a paper.
    fn latex(&self) -> String {
        comparison::latex(&self.0)
    }

    fn _repr_markdown_(&self) -> String {
        comparison::markdown(&self.0)
    }

    fn __str__(&self) -> String {
        comparison::text(&self.0)
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }
}
