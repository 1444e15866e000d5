//! The JSON of `calibrate`.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::report::calibration::nearness::NearnessJson;
use crate::report::calibration::why;
use crate::report::json::{Whole, value};
use crate::study::{Calibration, EventKind, Origin};

#[derive(Serialize)]
struct CalibrationJson<'c> {
    machine: &'c str,
    figures: Vec<FigureJson>,
    measurements: Vec<RowJson<'c>>,
    error: ErrorJson,
    left_out: Option<ErrorJson>,
    /// The errors at each program that the fit saw nothing of, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    programs_left_out: Vec<ProgramJson<'c>>,
    /// How near it comes at each program.
    programs: Vec<NearnessJson>,
    /// Whether any figure is: no machine is written otherwise.
    fitted: bool,
}

#[derive(Serialize)]
struct FigureJson {
    name: &'static str,
    value: f64,
    unit: &'static str,
    /// `fitted`, `kept`, `absent` or `given`.
    origin: &'static str,
    standard_error: Option<f64>,
    determined: bool,
    only_together_with: Vec<&'static str>,
    /// Why the data leave it open, where it is not tied to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct RowJson<'c> {
    line: u64,
    /// `inward`, `outward` or `launch`, where it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'static str>,
    parameters: IndexMap<&'c str, Whole>,
    total: Option<TimesJson>,
    kernel: Option<TimesJson>,
    /// What most of the predicted time goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    mostly: Option<MostlyJson>,
}

#[derive(Serialize)]
struct MostlyJson {
    figure: &'static str,
    share: f64,
}

#[derive(Serialize)]
struct ProgramJson<'c> {
    program: &'c str,
    #[serde(flatten)]
    error: ErrorJson,
}

#[derive(Serialize)]
struct TimesJson {
    measured: f64,
    predicted: f64,
    unit: &'static str,
}

#[derive(Serialize)]
struct ErrorJson {
    root_mean_square: f64,
    largest: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_a_time: Option<usize>,
}

/// The result of `calibrate`.
///
/// ```
/// use atgpu::report::json;
///
/// let calibration = atgpu::examples::calibration();
/// let json = atgpu::report::calibration::json(&calibration, "mine");
/// assert_eq!(json["figures"][0]["name"], "λ");
/// ```
pub fn json(calibration: &Calibration, machine: &str) -> Value {
    let figures = calibration.figures.iter().map(|figure| {
        let (origin, standard_error, others) = match &figure.origin {
            Origin::Fitted(error) => ("fitted", *error, Vec::new()),
            Origin::Together(others) => (
                "kept",
                None,
                others.iter().map(|other| other.name()).collect(),
            ),
            Origin::Open(_) => ("kept", None, Vec::new()),
            Origin::Absent => ("absent", None, Vec::new()),
            Origin::Given => ("given", None, Vec::new()),
        };
        FigureJson {
            name: figure.unknown.name(),
            value: figure.value,
            unit: figure.unknown.unit(),
            origin,
            standard_error,
            determined: figure.is_determined(),
            only_together_with: others,
            reason: match &figure.origin {
                Origin::Open(reason) => Some(why(*reason)),
                Origin::Fitted(_) | Origin::Together(_) | Origin::Absent | Origin::Given => None,
            },
        }
    });
    let times = |times: Option<(f64, f64)>| {
        times.map(|(measured, predicted)| TimesJson {
            measured,
            predicted,
            unit: "ms",
        })
    };
    let rows = calibration.rows.iter().map(|row| RowJson {
        line: row.line,
        event: row.event.map(EventKind::name),
        parameters: row
            .parameters
            .iter()
            .map(|(name, number)| (name.as_str(), Whole::from(number)))
            .collect(),
        total: times(row.total),
        kernel: times(row.kernel),
        mostly: row.mostly.map(|(unknown, share)| MostlyJson {
            figure: unknown.name(),
            share,
        }),
    });
    let error = |(root_mean_square, largest): (f64, f64), at_a_time| ErrorJson {
        root_mean_square,
        largest,
        at_a_time,
    };
    value(CalibrationJson {
        machine,
        figures: figures.collect(),
        measurements: rows.collect(),
        error: error(calibration.error, None),
        left_out: calibration
            .left_out
            .map(|left_out| error(left_out, Some(calibration.group))),
        programs_left_out: calibration
            .programs
            .iter()
            .map(|(program, own)| ProgramJson {
                program,
                error: error(*own, None),
            })
            .collect(),
        programs: calibration
            .nearness()
            .into_iter()
            .map(NearnessJson::of)
            .collect(),
        fitted: calibration.is_fitted(),
    })
}
