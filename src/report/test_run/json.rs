//! The JSON of `test`.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::report::json::whole;
use crate::report::test_run::{Outcome, ProgramReport};

#[derive(Serialize)]
struct TestsJson<'a> {
    programs: Vec<ProgramJson<'a>>,
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    file: &'a str,
    algorithm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<i64>,
    results: Vec<ResultJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<FaultJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOutJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    looked_at: Option<LookedAtJson<'a>>,
}

#[derive(Serialize)]
struct LookedAtJson<'a> {
    points: usize,
    most: IndexMap<&'a str, Value>,
    b: Vec<Value>,
    mps: Value,
    few: bool,
}

#[derive(Serialize)]
struct LeftOutJson {
    points: usize,
    code: String,
    line: Option<usize>,
    first: Vec<String>,
}

#[derive(Serialize)]
struct FaultJson {
    code: String,
    line: Option<usize>,
    counterexample: String,
}

#[derive(Serialize)]
struct ResultJson<'a> {
    kind: &'a str,
    text: &'a str,
    line: usize,
    verdict: &'a str,
    points: Option<usize>,
    counterexample: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Renders every claim and `ensure` with its verdict, by program.
pub fn json(reports: &[ProgramReport]) -> Value {
    let programs = reports.iter().map(|report| ProgramJson {
        file: &report.file,
        algorithm: &report.algorithm,
        b: report.cores_per_mp,
        results: report
            .lines
            .iter()
            .map(|line| {
                let (points, counterexample, reason) = match &line.outcome {
                    Outcome::Proved => (None, None, None),
                    Outcome::Holds { points } => (Some(*points), None, None),
                    Outcome::Fails(why) => (None, Some(why.place()), Some(why.reason())),
                    Outcome::Open(why) => (None, None, Some(why.to_string())),
                };
                ResultJson {
                    kind: line.keyword,
                    text: &line.text,
                    line: line.line,
                    verdict: line.outcome.word(),
                    points,
                    counterexample,
                    reason,
                }
            })
            .collect(),
        fault: report.fault.as_ref().map(|fault| FaultJson {
            code: format!("atgpu::{}", fault.code),
            line: fault.line,
            counterexample: fault.at.to_string(),
        }),
        left_out: report.left_out.as_ref().map(|left_out| LeftOutJson {
            points: left_out.count,
            code: format!("atgpu::{}", left_out.code),
            line: left_out.line,
            first: left_out.first.iter().map(ToString::to_string).collect(),
        }),
        looked_at: report.looked_at.as_ref().map(|looked_at| {
            let most = looked_at.most.iter();
            LookedAtJson {
                points: looked_at.points,
                most: most
                    .map(|(name, value)| (name.as_str(), whole(value)))
                    .collect(),
                b: looked_at.widths.iter().map(whole).collect(),
                mps: whole(&looked_at.mps),
                few: report.has_few_points(),
            }
        }),
    });
    crate::report::json::value(TestsJson {
        programs: programs.collect(),
    })
}
