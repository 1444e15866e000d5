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
        let within = |name: &str| format!("{folder}/{name}");
        let (machine, how) = (within("machine.toml"), how(args));
        let how: Vec<&str> = how.iter().map(String::as_str).collect();
        std::fs::create_dir_all(within("programs"))
            .map_err(|error| bare(files::failed(folder, "written", &error)))?;
        for (name, text) in OF_PAPER_1 {
            let path = within(&format!("programs/{name}.atgpu"));
            files::write(&path, text.as_bytes()).map_err(bare)?;
        }
        let most = most_words(args);
        let given = args.most_words.map(|most| most.to_string());
        let compared = match args.how.compare_up_to {
            Some(_) => Vec::new(),
            None => vec!["--compare-up-to", COMPARED],
        };
        let mut first = vec!["measure", "--machine-file", &machine];
        if let Some(most) = &given {
            first.extend(["--most-words", most]);
        }
        for value in &args.options.define {
            first.extend(["-D", value]);
        }
        if let Some(base) = &args.options.machine {
            first.extend(["--machine", base]);
        }
        let rows = within("machine.csv");
        first.extend(["-o", &rows]);
        self.step(&[first, compared.clone(), how.clone()].concat())?;

        let mut observed = Vec::new();
        for (name, _) in OF_PAPER_1 {
            let (path, rows) = (
                within(&format!("programs/{name}.atgpu")),
                within(&format!("{name}.csv")),
            );
            let sizes = sizes(name, most);
            let own = [
                "measure",
                &path,
                "--vary",
                &sizes,
                "--machine",
                &machine,
                "-o",
                &rows,
            ];
            self.step(&[&own[..], &["--unchecked"], &compared, &how].concat())?;
            observed.push(rows);
        }
        if !args.files.is_empty() {
            let rows = within("programs.csv");
            let programs: Vec<&str> = args.files.iter().map(String::as_str).collect();
            let words = most.to_string();
            let own = ["--machine", &machine, "-o", &rows, "--most-words", &words];
            let freely = ["--unchecked", "--keep-going"];
            self.step(&[&["measure"], &programs[..], &own, &freely, &compared, &how].concat())?;
            observed.push(rows);
        }
        let mut held = vec!["calibrate", "--keep", "--machine", &machine];
        for rows in &observed {
            held.extend(["--observed", rows]);
        }
        self.step(&held)?;
        for (number, (name, _)) in (3..).zip(OF_PAPER_1) {
            let path = within(&format!("programs/{name}.atgpu"));
            let (rows, figure) = (
                within(&format!("{name}.csv")),
                within(&format!("figure-{number}.svg")),
            );
            let sizes = sizes(name, most);
            self.step(&[
                "plot",
                &path,
                "--vary",
                &sizes,
                "--machine",
                &machine,
                "--observed",
                &rows,
                "-o",
                &figure,
            ])?;
        }
        let paths = OF_PAPER_1.map(|(name, _)| within(&format!("programs/{name}.atgpu")));
        let sizes = format!("n=32..{}", 1_i64 << most.ilog2());
        let figure = within("figure-6.svg");
        let mut shares = vec!["plot"];
        shares.extend(paths.iter().map(String::as_str));
        shares.extend([
            "--share",
            "--model",
            "atgpu",
            "--vary",
            &sizes,
            "--machine",
            &machine,
        ]);
        for rows in observed.iter().take(OF_PAPER_1.len()) {
            shares.extend(["--observed", rows]);
        }
        shares.extend(["-o", &figure]);
        self.step(&shares)?;
        files::write(&within("study.txt"), self.text.as_bytes()).map_err(bare)
    }

    /// Runs a command, prints it with its answer, and keeps its findings. A fault without a result ends the
    /// study.
    fn step(&mut self, arguments: &[&str]) -> Result<(), Vec<Finding>> {
        let all = ["atgpu"].iter().chain(arguments);
        let parsed = Cli::try_parse_from(all.copied()).map_err(|error| {
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
