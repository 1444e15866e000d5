//! `atgpu measure --study`: one command for everything a device can tell. It runs the other commands one
//! after the other and prints each with its answer, so that any of them can be repeated by hand.

use atgpu::diag::{Diagnostic, Severity};
use clap::{Parser, ValueEnum};

use crate::cli::args::{Cli, Command, Format, MeasureArgs};
use crate::cli::error::UsageError;
use crate::cli::measure::most_words;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{calibrate, files, measure, plot};

/// The programs of paper 1's figures 3 to 5: names and texts.
const OF_PAPER_1: [(&str, &str); 3] = [
    (
        "vector_addition",
        include_str!("../../programs/paper1/vector_addition_guarded.atgpu"),
    ),
    (
        "reduction",
        include_str!("../../programs/paper1/reduction_any_n.atgpu"),
    ),
    (
        "matrix_multiplication",
        include_str!("../../programs/paper1/matrix_multiplication.atgpu"),
    ),
];

/// Limit on the words of compared outputs, by default.
const COMPARED: &str = "4194304";

/// Measures a device and programs, in a folder.
pub fn study(args: &MeasureArgs, folder: &str) -> Reply {
    let as_json = args.format == Format::Json;
    let mut told = Told::default();
    let done = told.all(args, folder);
    let body = if as_json {
        Body::Json(Some(
            serde_json::json!({ "folder": folder, "said": told.text }),
        ))
    } else {
        Body::Text(told.text)
    };
    Reply::of(done.map(|()| body), told.findings, as_json)
}

/// The output of the commands.
#[derive(Default)]
struct Told {
    text: String,
    findings: Vec<Finding>,
}

impl Told {
    fn all(&mut self, args: &MeasureArgs, folder: &str) -> Result<(), Vec<Finding>> {
        // Each step is a command that a user could type, so `study.txt` tells how to repeat it. The steps:
        // measure the machine, then the programs of paper 1 and the user's own on it; hold the model
        // against them; draw figures 3 to 6.
        let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
        let study = Study::of(args, folder);
        std::fs::create_dir_all(study.within("programs"))
            .map_err(|error| bare(files::failed(folder, "written", &error)))?;
        for (name, text) in OF_PAPER_1 {
            files::write(&study.program(name), text.as_bytes()).map_err(bare)?;
        }
        self.step(&study.measured_machine())?;
        let mut observed = Vec::new();
        for (name, _) in OF_PAPER_1 {
            self.step(&study.measured(name))?;
            observed.push(study.rows(name));
        }
        if !args.files.is_empty() {
            self.step(&study.measured_own())?;
            observed.push(study.rows("programs"));
        }
        self.step(&study.held(&observed))?;
        for (number, (name, _)) in (3..).zip(OF_PAPER_1) {
            self.step(&study.drawn(name, number))?;
        }
        self.step(&study.drawn_shares())?;
        files::write(&study.within("study.txt"), self.text.as_bytes()).map_err(bare)
    }

    /// Runs a command, prints it with its answer, and keeps its findings. A fault without a result ends the
    /// study.
    fn step(&mut self, arguments: &[String]) -> Result<(), Vec<Finding>> {
        let all = ["atgpu"].into_iter();
        let all = all.chain(arguments.iter().map(String::as_str));
        let parsed = Cli::try_parse_from(all).map_err(|error| {
            let problem = error.to_string();
            vec![Finding::bare(Diagnostic::of(&UsageError::CommandLine {
                problem,
            }))]
        })?;
        let reply = match &parsed.command {
            Command::Measure(args) => measure::measure(args),
            Command::Calibrate(args) => calibrate::calibrate(args),
            Command::Plot(args) => plot::plot(args),
            _ => unreachable!("the steps of a study"),
        };
        let is_fault = |finding: &Finding| finding.diagnostic.severity == Severity::Error;
        let has_result = !matches!(reply.body, Body::Nothing);
        if !has_result && reply.findings.iter().any(is_fault) {
            return Err(reply.findings);
        }
        self.findings.extend(reply.findings);
        self.text
            .push_str(&format!("$ atgpu {}\n", arguments.join(" ")));
        if let Body::Text(text) = reply.body {
            self.text.push_str(&text);
        }
        self.text.push('\n');
        Ok(())
    }
}

/// The commands of a study.
struct Study<'a> {
    args: &'a MeasureArgs,
    folder: &'a str,
    /// The path of the measured machine's file.
    machine: String,
    /// The options for compiling, running and comparing.
    how: Vec<String>,
    most_words: i64,
}

impl<'a> Study<'a> {
    fn of(args: &'a MeasureArgs, folder: &'a str) -> Self {
        let compared = ["--compare-up-to", COMPARED];
        let compared = match args.how.compare_up_to {
            Some(_) => &[][..],
            None => &compared,
        };
        Study {
            args,
            folder,
            machine: format!("{folder}/machine.toml"),
            how: [owned(compared), how(args)].concat(),
            most_words: most_words(args),
        }
    }

    fn within(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    fn program(&self, name: &str) -> String {
        self.within(&format!("programs/{name}.atgpu"))
    }

    fn rows(&self, name: &str) -> String {
        self.within(&format!("{name}.csv"))
    }

    fn measured_machine(&self) -> Vec<String> {
        let most = self.args.most_words.map(|most| most.to_string());
        let rows = self.rows("machine");
        let mut command = vec!["measure", "--machine-file", &self.machine];
        if let Some(most) = &most {
            command.extend(["--most-words", most]);
        }
        for value in &self.args.options.define {
            command.extend(["-D", value]);
        }
        if let Some(base) = &self.args.options.machine {
            command.extend(["--machine", base]);
        }
        command.extend(["-o", &rows]);
        [owned(&command), self.how.clone()].concat()
    }

    /// Measures a program of paper 1.
    fn measured(&self, name: &str) -> Vec<String> {
        let (path, rows) = (self.program(name), self.rows(name));
        let sizes = sizes(name, self.most_words);
        let machine = ["--machine", &self.machine, "-o", &rows, "--unchecked"];
        let command = [&["measure", &path, "--vary", &sizes], &machine[..]].concat();
        [owned(&command), self.how.clone()].concat()
    }

    /// Measures the user's own programs.
    fn measured_own(&self) -> Vec<String> {
        let (rows, most) = (self.rows("programs"), self.most_words.to_string());
        let own = ["--machine", &self.machine, "-o", &rows];
        let freely = ["--most-words", &most, "--unchecked", "--keep-going"];
        [
            owned(&["measure"]),
            self.args.files.clone(),
            owned(&own),
            owned(&freely),
            self.how.clone(),
        ]
        .concat()
    }

    /// Holds the model against all that was measured.
    fn held(&self, observed: &[String]) -> Vec<String> {
        let mut command = vec!["calibrate", "--keep", "--machine", &self.machine];
        for rows in observed {
            command.extend(["--observed", rows]);
        }
        owned(&command)
    }

    /// Draws the times of a program of paper 1.
    fn drawn(&self, name: &str, number: u32) -> Vec<String> {
        let (path, rows) = (self.program(name), self.rows(name));
        let sizes = sizes(name, self.most_words);
        let figure = self.within(&format!("figure-{number}.svg"));
        let of = ["--machine", &self.machine, "--observed", &rows];
        let command = [
            &["plot", &path, "--vary", &sizes],
            &of[..],
            &["-o", &figure],
        ];
        owned(&command.concat())
    }

    /// Draws the share of transfers in all programs of paper 1.
    fn drawn_shares(&self) -> Vec<String> {
        let paths = OF_PAPER_1.map(|(name, _)| self.program(name));
        let rows = OF_PAPER_1.map(|(name, _)| self.rows(name));
        let sizes = format!("n=32..{}", 1_i64 << self.most_words.ilog2());
        let figure = self.within("figure-6.svg");
        let mut command = vec!["plot"];
        command.extend(paths.iter().map(String::as_str));
        command.extend(["--share", "--model", "atgpu", "--vary", &sizes]);
        command.extend(["--machine", &self.machine]);
        for rows in &rows {
            command.extend(["--observed", rows]);
        }
        command.extend(["-o", &figure]);
        owned(&command)
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The sizes of a program of paper 1, as `--vary` takes them. Arrays have at most `most_words` words;
/// matrix products take about 500 times as many steps.
fn sizes(program: &str, most_words: i64) -> String {
    // A product of n × n matrices takes n³ steps. For 2^24 words n is 2^11, as n³ = 2^33 = 2^9 · 2^24.
    match program {
        "matrix_multiplication" => {
            format!("n=32..{}", 1_i64 << (most_words.ilog2() + 9).div_euclid(3))
        }
        _ => format!("n=1e4..{}:x10", most_words.max(10_000)),
    }
}

/// The options for compiling and running, as on the command line.
fn how(args: &MeasureArgs) -> Vec<String> {
    let how = &args.how;
    let target = how.target.to_possible_value();
    let target = target.map(|value| value.get_name().to_owned());
    let mut all: Vec<String> = vec!["--target".to_owned()];
    all.extend(target);
    let mut add = |option: &str, value: Option<String>| {
        if let Some(value) = value {
            all.extend([option.to_owned(), value]);
        }
    };
    add("--compiler", how.compiler.clone());
    add("--device", how.device.clone());
    add("--repeat", Some(how.repeat.to_string()));
    add("--warm-up", Some(how.warm_up.to_string()));
    add("--time-limit", Some(how.time_limit.to_string()));
    add(
        "--compare-up-to",
        how.compare_up_to.map(|most| most.to_string()),
    );
    for width in &how.word {
        add("--word", Some(width.name()));
    }
    if how.pinned {
        all.push("--pinned".to_owned());
    }
    all
}
