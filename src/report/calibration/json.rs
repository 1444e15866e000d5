//! The JSON of `calibrate`.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::report::calibration::nearness::NearnessJson;
use crate::report::calibration::why;
use crate::report::json::{Whole, value};
use crate::study::{Calibration, Certainty, Compared, EventKind, FittedFigure, Origin, Unknown};

#[derive(Serialize)]
struct CalibrationJson<'c> {
    machine: &'c str,
    figures: Vec<FigureJson>,
    measurements: Vec<RowJson<'c>>,
    error: ErrorJson,
    left_out: Option<ErrorJson>,
    /// The errors at each program when it is left out of the fit, if there are several programs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    programs_left_out: Vec<ProgramJson<'c>>,
    /// The accuracy at each program.
    programs: Vec<NearnessJson>,
    /// True if any figure is fitted; only then is a machine written.
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
    interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_error_if_kept: Option<f64>,
    determined: bool,
    only_together_with: Vec<&'static str>,
    /// The reason why the data leave it open, unless it is tied to other figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct RowJson<'c> {
    line: u64,
    /// `inward`, `outward` or `launch`, if the row is a single event.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'static str>,
    parameters: IndexMap<&'c str, Whole>,
    total: Option<TimesJson>,
    kernel: Option<TimesJson>,
    /// The figure that causes most of the predicted time.
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

/// Renders the result of `calibrate`.
pub fn json(calibration: &Calibration, machine: &str) -> Value {
    let error = |(root_mean_square, largest): (f64, f64), at_a_time| ErrorJson {
        root_mean_square,
        largest,
        at_a_time,
    };
    value(CalibrationJson {
        machine,
        figures: calibration.figures.iter().map(FigureJson::of).collect(),
        measurements: calibration.rows.iter().map(RowJson::of).collect(),
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

impl FigureJson {
    fn of(figure: &FittedFigure) -> FigureJson {
        let (origin, others): (_, &[Unknown]) = match &figure.origin {
            Origin::Fitted(Certainty::If { kept, .. }) => ("fitted", kept),
            Origin::Fitted(_) => ("fitted", &[]),
            Origin::Together(others) => ("kept", others),
            Origin::Open(_) => ("kept", &[]),
            Origin::Absent => ("absent", &[]),
            Origin::Given => ("given", &[]),
        };
        let (standard_error, interval, standard_error_if_kept) = match &figure.origin {
            Origin::Fitted(Certainty::Told { error, interval }) => (Some(*error), *interval, None),
            Origin::Fitted(Certainty::If { error, .. }) => (None, None, *error),
            _ => (None, None, None),
        };
        FigureJson {
            name: figure.unknown.name(),
            value: figure.value,
            unit: figure.unknown.unit(),
            origin,
            standard_error,
            interval,
            standard_error_if_kept,
            determined: figure.is_determined(),
            only_together_with: others.iter().map(|other| other.name()).collect(),
            reason: match &figure.origin {
                Origin::Open(reason) => Some(why(*reason)),
                Origin::Fitted(_) | Origin::Together(_) | Origin::Absent | Origin::Given => None,
            },
        }
    }
}

impl<'c> RowJson<'c> {
    fn of(row: &'c Compared) -> RowJson<'c> {
        let times = |times: Option<(f64, f64)>| {
            times.map(|(measured, predicted)| TimesJson {
                measured,
                predicted,
                unit: "ms",
            })
        };
        RowJson {
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
        }
    }
}
