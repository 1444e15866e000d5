//! The result of `test` as text; its JSON is in `json`.

mod json;

pub use json::json;

use std::collections::BTreeSet;
use std::fmt;

use indexmap::IndexMap;

use crate::count::Counts;
use crate::derivation::verdict::{self, Refutation};
use crate::exec::{Witness, listed};
use crate::meaning::{Point, PointValues};
use crate::number::BigInt;
use crate::report::table::{Align, Table};

/// The claims and ensures of one program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramReport {
    /// The file.
    pub file: String,
    /// The algorithm.
    pub algorithm: String,
    /// The cores per MP of the runs if they differ from the machine's, because no size is admitted for its b.
    pub cores_per_mp: Option<i64>,
    /// One entry for every claim and `ensure`, in text order.
    pub lines: Vec<TestLine>,
    /// The fault that stopped a run on data, if any.
    pub fault: Option<RunFault>,
    /// The points that could not be run, if there are any.
    pub left_out: Option<LeftOut>,
    /// The points that were run; nothing if the one point was given.
    pub looked_at: Option<LookedAt>,
}

/// Points at which an outcome says little: fewer than these.
const FEW_POINTS: usize = 10;

impl ProgramReport {
    /// Whether the runs say little: fewer than ten points, or fewer than a tenth of those admitted. A
    /// point that was given is enough.
    pub fn has_few_points(&self) -> bool {
        let left_out = self.left_out.as_ref().map_or(0, |left_out| left_out.count);
        let is_few = |points: usize| points < FEW_POINTS || points * 10 < points + left_out;
        let looked_at = self.looked_at.as_ref().filter(|_| self.fault.is_none());
        looked_at.is_some_and(|looked_at| is_few(looked_at.points))
    }
}

/// The points at which a program was run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedAt {
    /// How many.
    pub points: usize,
    /// The largest value of each formal.
    pub most: IndexMap<String, BigInt>,
    /// The values of b.
    pub widths: BTreeSet<BigInt>,
    /// The most MPs that a kernel launched.
    pub mps: BigInt,
}

impl LookedAt {
    /// Adds a point with the counts of its run.
    pub fn add(&mut self, point: &Point, counts: &Counts<BigInt>) {
        self.points += 1;
        let machine = ["p", "b", "M", "G"];
        for (name, value) in &point.parameters {
            if machine.contains(&name.as_str()) {
                continue;
            }
            let most = self.most.entry(name.clone()).or_insert(value.clone());
            if value > most {
                *most = value.clone();
            }
        }
        self.widths.insert(point.cores().clone());
        for (_, round) in &counts.rounds {
            if round.launched_mps > self.mps {
                self.mps = round.launched_mps.clone();
            }
        }
    }
}

impl fmt::Display for LookedAt {
    /// `n ≤ 70, m ≤ 33, b in {2, 4, 32}, up to 5 MPs`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, most) in &self.most {
            write!(f, "{name} ≤ {most}, ")?;
        }
        let widths: Vec<String> = self.widths.iter().map(BigInt::to_string).collect();
        match &widths[..] {
            [width] => write!(f, "b = {width}, ")?,
            _ => write!(f, "b in {{{}}}, ", widths.join(", "))?,
        }
        if self.mps == BigInt::ZERO {
            f.write_str("no MPs")
        } else if self.mps == BigInt::from(1) {
            f.write_str("one MP")
        } else {
            write!(f, "up to {} MPs", self.mps)
        }
    }
}

/// Admitted small points at which no run is possible: a `let` or an extent has no value, a `require`
/// refuses the generated data, or the machine is too small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of such points.
    pub count: usize,
    /// The first of them.
    pub first: Vec<PointValues>,
    /// The code of the fault at the first point.
    pub code: &'static str,
    /// The line of that fault, if it has one.
    pub line: Option<usize>,
}

impl LeftOut {
    /// `n = 1, b = 32; n = 2, b = 32; …`
    fn places(&self) -> String {
        let mut places: Vec<String> = self.first.iter().map(PointValues::to_string).collect();
        if self.count > places.len() {
            places.push("…".to_owned());
        }
        places.join("; ")
    }
}

/// A fault that a run on data met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFault {
    /// Its code, as in `race::global`.
    pub code: &'static str,
    /// Its line, where it has one.
    pub line: Option<usize>,
    /// The parameters of the run.
    pub at: PointValues,
}

/// One claim or ensure.
#[derive(Debug, Clone, PartialEq)]
pub struct TestLine {
    /// `claim` or `ensure`.
    pub keyword: &'static str,
    /// As written.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of a claim or `ensure`.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Proved by algebra, for all parameters.
    Proved,
    /// Holds at every point tried.
    Holds {
        /// The number of points.
        points: usize,
    },
    /// Fails at a point, with the evidence.
    Fails(Failure),
    /// Undecided, with the reason.
    Open(Undecided),
}

/// The evidence against a claim or `ensure`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The two sides of a claim.
    Claim(Refutation),
    /// Values after a run.
    Ensure {
        /// The parameters of the run.
        at: PointValues,
        /// The values found, if some can be named.
        found: Vec<Witness>,
    },
}

/// The reason why nothing is known about a claim or `ensure`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Undecided {
    /// A claim.
    Claim(verdict::Undecided),
    /// Every run stopped with this fault.
    Fault(&'static str),
    /// The costliest MPs of the smallest run exceed the budget of operations.
    TooLong {
        /// A lower bound on the operations.
        operations: f64,
        /// The parameters.
        at: PointValues,
    },
    /// There is no point to run at.
    NoPoint,
}

impl Failure {
    /// The parameters.
    fn place(&self) -> String {
        match self {
            Failure::Claim(refutation) => refutation.place(),
            Failure::Ensure { at, .. } => at.to_string(),
        }
    }

    /// The values found there.
    fn reason(&self) -> String {
        match self {
            Failure::Claim(refutation) => refutation.reason(),
            Failure::Ensure { found, .. } => listed(found),
        }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecided::Claim(why) => write!(f, "{why}"),
            Undecided::Fault(code) => write!(f, "not run: {code}"),
            Undecided::TooLong { operations, at } => {
                write!(f, "not run: {operations:.3e} operations at {at}")
            }
            Undecided::NoPoint => f.write_str("no point could be run"),
        }
    }
}

impl Outcome {
    /// The word of the JSON.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Outcome::Proved => "proved",
            Outcome::Holds { .. } => "tested",
            Outcome::Fails(_) => "refuted",
            Outcome::Open(_) => "open",
        }
    }
}

/// Renders a line for every claim and `ensure`, and a summary. `files` is the number of files tested.
pub fn text(reports: &[ProgramReport], files: usize) -> String {
    let mut out = String::new();
    for report in reports {
        out.push_str(&format!("{} ({})", report.file, report.algorithm));
        if let Some(width) = report.cores_per_mp {
            out.push_str(&format!(", run with b = {width}"));
        }
        out.push('\n');
        let mut table = Table::bare(&[Align::Left, Align::Right, Align::Left]);
        for line in &report.lines {
            let verdict = match &line.outcome {
                Outcome::Proved => "proved".to_owned(),
                Outcome::Holds { points: 1 } => "holds at 1 point".to_owned(),
                Outcome::Holds { points } => format!("holds at {points} points"),
                Outcome::Fails(_) => "FAILS".to_owned(),
                Outcome::Open(_) => "open".to_owned(),
            };
            let mut text = format!("{} {}", line.keyword, line.text);
            match &line.outcome {
                Outcome::Fails(why) => {
                    text.push_str(&format!("  (at {}: {})", why.place(), why.reason()));
                }
                Outcome::Open(why) => text.push_str(&format!("  ({why})")),
                Outcome::Proved | Outcome::Holds { .. } => {}
            }
            table.row([verdict, place(Some(line.line)), text]);
        }
        if let Some(RunFault { code, line, at }) = &report.fault {
            let text = format!("{code} when run at {at}");
            table.row(["FAULT".to_owned(), place(*line), text]);
        }
        if let Some(looked_at) = report.looked_at.as_ref().filter(|one| one.points > 0) {
            let points = match looked_at.points {
                1 => "1 point".to_owned(),
                many => format!("{many} points"),
            };
            let text = format!("{points}: {looked_at}");
            table.row(["run at".to_owned(), String::new(), text]);
        }
        if let Some(left_out) = &report.left_out {
            let points = match left_out.count {
                1 => "1 point".to_owned(),
                many => format!("{many} points"),
            };
            let text = format!(
                "{points} left out: {} at {}",
                left_out.code,
                left_out.places()
            );
            table.row(["not run".to_owned(), place(left_out.line), text]);
        }
        if report.lines.is_empty() {
            out.push_str("  no claim and no ensure\n");
        }
        out.push_str(&table.render());
    }
    out.push_str(&summary(reports, files));
    out
}

fn place(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}"))
}

fn summary(reports: &[ProgramReport], files: usize) -> String {
    let count = |word: &str| {
        let lines = reports.iter().flat_map(|report| &report.lines);
        lines.filter(|line| line.outcome.word() == word).count()
    };
    let parts = [
        ("proved", count("proved")),
        ("hold at all points tried", count("tested")),
        ("fail", count("refuted")),
        ("open", count("open")),
    ];
    // The number of failures is always told, even if it is 0.
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(word, many)| *many > 0 || *word == "fail")
        .map(|(word, many)| format!("{many} {word}"))
        .collect();
    let programs = match files {
        1 => "1 program".to_owned(),
        many => format!("{many} programs"),
    };
    let broken = match files - reports.len() {
        0 => String::new(),
        many => format!(", {many} not run for their faults"),
    };
    let faulty = reports.iter().filter(|report| report.fault.is_some());
    let faulty = match faulty.count() {
        0 => String::new(),
        many => format!(", {many} with a fault when run"),
    };
    let few = reports.iter().filter(|report| report.has_few_points());
    let few = match few.count() {
        0 => String::new(),
        1 => "; warning: 1 program was run at too few points to tell much".to_owned(),
        many => format!("; warning: {many} programs were run at too few points to tell much"),
    };
    format!("{programs}{broken}{faulty}: {}{few}\n", parts.join(", "))
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn every_line_has_its_verdict_and_the_summary_counts_them() {
        let line = |outcome| TestLine {
            keyword: "claim",
            text: "time = 13".into(),
            line: 9,
            outcome,
        };
        let at = |n: i64| PointValues(vec![("n".to_owned(), n.into())]);
        let report = ProgramReport {
            file: "t.atgpu".into(),
            algorithm: "T".into(),
            cores_per_mp: None,
            lines: vec![
                line(Outcome::Proved),
                line(Outcome::Fails(Failure::Ensure {
                    at: at(4),
                    found: vec![Witness::Operand {
                        text: "C[x]".into(),
                        value: "15".into(),
                    }],
                })),
                line(Outcome::Holds { points: 200 }),
            ],
            fault: Some(RunFault {
                code: "race::global",
                line: Some(12),
                at: at(5),
            }),
            left_out: Some(LeftOut {
                count: 2,
                first: vec![at(1)],
                code: "value::not-integral",
                line: Some(3),
            }),
            looked_at: None,
        };
        let text = text(&[report], 2);
        assert!(text.contains("proved"), "{text}");
        assert!(text.contains("(at n = 4: C[x] is 15)"), "{text}");
        assert!(text.contains("race::global when run at n = 5"), "{text}");
        assert!(
            text.contains("2 points left out: value::not-integral at n = 1; …"),
            "{text}"
        );
        let summary = "2 programs, 1 not run for their faults, 1 with a fault when run: 1 proved, \
                       1 hold at all points tried, 1 fail\n";
        assert!(text.ends_with(summary), "{text}");
    }
}
