//! `derive --format latex`: every construct of the language renders, in ASCII, and compiles where a
//! LaTeX is installed; so do the figures of `plot`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::programs::{load_file, name, path, programs};
use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::report::derivation::{TABLE, latex_table};
use atgpu::report::figure::{Axis, Figure, Kind, Scale, Series, pgfplots};
use atgpu::sym::print::Names;

/// Every program there is that derives in little time.
fn files() -> Vec<PathBuf> {
    [
        "programs/paper1",
        "tests/suite/derive/constructs",
        "tests/suite/exec/programs",
    ]
    .iter()
    .flat_map(|folder| programs(folder))
    .filter(|file| !name(file).starts_with("fails-"))
    .collect()
}

fn rendered(file: &Path) -> String {
    let (program, _) = load_file(file);
    let derivation = derive(&program, &Parameters::new());
    let names = Names {
        definitions: derivation.names.clone(),
    };
    atgpu::report::derivation::latex(program.source(), &derivation, &names)
}

#[test]
fn every_program_renders_in_ascii_with_all_its_statements() {
    for file in files() {
        let latex = rendered(&file);
        let strange: Vec<char> = latex.chars().filter(|letter| !letter.is_ascii()).collect();
        assert!(strange.is_empty(), "{}: {strange:?}", name(&file));
        assert_eq!(
            latex.matches("\\begin{").count(),
            latex.matches("\\end{").count()
        );
        let opened = ["\\For", "\\ForAll", "\\If", "\\While", "\\Procedure"];
        let opened: usize = opened[..1]
            .iter()
            .chain(&opened[2..])
            .map(|command| {
                latex.matches(&format!("\n{command}")).count()
                    + latex.matches(&format!("}}{command}")).count()
            })
            .sum();
        let closed: usize = ["\\EndFor", "\\EndIf", "\\EndWhile", "\\EndProcedure"]
            .iter()
            .map(|command| latex.matches(command).count())
            .sum();
        assert_eq!(opened, closed, "{}:\n{latex}", name(&file));
        let text = fs::read_to_string(&file).expect("a program is text");
        for (command, words) in [
            ("\\EndIf", "end if"),
            ("\\EndWhile", "end while"),
            ("Claim~", "  claim "),
        ] {
            let code = text
                .lines()
                .map(|line| line.split('▷').next().unwrap_or(""));
            let expected = code.filter(|line| line.contains(words)).count();
            assert_eq!(
                latex.matches(command).count(),
                expected,
                "{}: {words}",
                name(&file)
            );
        }
    }
}

/// Compiles a document in its folder; what the log says is wrong, lines wider than the text included.
fn compile(folder: &Path, file: &str) -> Result<(), String> {
    let output = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", file])
        .current_dir(folder)
        .output()
        .expect("it was there a moment ago");
    let log = String::from_utf8_lossy(&output.stdout);
    let wide: Vec<&str> = log
        .lines()
        .filter(|line| line.starts_with("Overfull \\hbox"))
        .collect();
    if output.status.success() && wide.is_empty() {
        return Ok(());
    }
    if output.status.success() {
        return Err(wide.join("\n"));
    }
    let faults = log
        .lines()
        .filter(|line| line.starts_with('!') || line.starts_with("l."));
    Err(faults.collect::<Vec<_>>().join("\n"))
}

/// Whether a LaTeX is installed with the packages the files need; where not, the tests that
/// compile have nothing to do.
fn has_latex(packages: &[&str]) -> bool {
    packages.iter().all(|package| {
        let found = Command::new("kpsewhich").arg(package).output();
        found.is_ok_and(|found| found.status.success())
    }) && Command::new("pdflatex").arg("--version").output().is_ok()
}

#[test]
fn derivations_compile_where_latex_is_installed() {
    if !has_latex(&["algpseudocode.sty", "booktabs.sty", "amssymb.sty"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // Those of the cookbook with the longest formulas and promises.
    let longest = ["merge", "stencil_2d", "fft_pass", "scan_any_n"];
    let longest = longest.map(|name| path(&format!("programs/cookbook/{name}.atgpu")));
    for file in files().into_iter().chain(longest) {
        fs::write(folder.path().join("d.tex"), rendered(&file)).expect("writable");
        let compiled = compile(folder.path(), "d.tex");
        assert_eq!(compiled, Ok(()), "{}", name(&file));
    }
    // Several programs in one table, of one line a program and of a part a quantity.
    for (few, parts) in [
        (&["vector_addition"][..], 0),
        (&["vector_addition", "reduction_any_n"], TABLE.len()),
    ] {
        let few = few.iter().map(|name| {
            let (program, _) = load_file(&path(&format!("programs/paper1/{name}.atgpu")));
            let derivation = derive(&program, &Parameters::new());
            (program.name().to_owned(), derivation)
        });
        let table = latex_table(&few.collect::<Vec<_>>(), &TABLE);
        assert_eq!(table.matches("\\emph{").count(), parts);
        let paper = format!(
            "\\documentclass{{article}}\\usepackage{{amsmath,amssymb,booktabs}}\\begin{{document}}{table}\
             \\end{{document}}"
        );
        fs::write(folder.path().join("table.tex"), paper).expect("writable");
        assert_eq!(compile(folder.path(), "table.tex"), Ok(()));
    }
    // And inside a paper, twice.
    fs::write(
        folder.path().join("d.tex"),
        rendered(&path("programs/paper1/reduction.atgpu")),
    )
    .expect("writable");
    let paper = "\\documentclass{article}\\usepackage{amsmath,amssymb,booktabs,algpseudocode}\
                 \\begin{document}\\input{d}\\input{d}\\end{document}";
    fs::write(folder.path().join("paper.tex"), paper).expect("writable");
    assert_eq!(compile(folder.path(), "paper.tex"), Ok(()));
    // And on slides, where nothing floats.
    if has_latex(&["beamer.cls"]) {
        let slides = "\\documentclass{beamer}\\usepackage{amsmath,amssymb,booktabs,algpseudocode}\
                      \\begin{document}\\begin{frame}[allowframebreaks]\\input{d}\\end{frame}\
                      \\end{document}";
        fs::write(folder.path().join("slides.tex"), slides).expect("writable");
        assert_eq!(compile(folder.path(), "slides.tex"), Ok(()));
    }
}

/// A claim stands with its verdict; one that is wrong with the values that show it.
#[test]
fn claims_stand_with_what_became_of_them() {
    let text = fs::read_to_string(path("programs/paper1/vector_addition.atgpu"));
    let text = text.expect("a program is text");
    let wrong = text.replace("claim io = 3k", "claim io = 4k");
    let program = atgpu::program(&wrong).expect("it checks");
    let derivation = derive(&program, &Parameters::new());
    let latex =
        atgpu::report::derivation::latex(program.source(), &derivation, &derivation.let_names());
    for claim in [
        "Claim~1: $\\mathit{rounds} = 1$, proved\\par",
        "Claim~4: $\\mathit{io} = 4 k$, \\textbf{refuted} at n = 2, b = 2: the derivation gives 3, \
         the claim 4\\par",
    ] {
        assert!(latex.contains(claim), "{latex}");
    }
}

#[test]
fn a_sum_that_stays_is_not_called_inexact() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sum = rendered(&root.join("tests/suite/derive/constructs/mp-grid-guarded.atgpu"));
    assert!(sum.contains("Not closed: io, cost, gpu cost (lines 6, 7): no closed form"));
    assert!(!sum.contains("Not exact"), "{sum}");
    let bounded = rendered(&root.join("programs/cookbook/merge.atgpu"));
    assert!(bounded.contains("Not exact: io, cost, gpu cost (lines 13, 19): the index depends"));
    assert!(!bounded.contains("Not closed"), "{bounded}");
}

#[test]
fn a_round_says_which_parameters_it_is_of() {
    let turns = rendered(&path("tests/suite/derive/constructs/rounds-in-turns.atgpu"));
    let heading = r"\textbf{Round $m + 2$, where $n \geq 2 \land m \geq 0$, $r = 1$ to";
    assert!(turns.contains(heading), "{turns}");
}

#[test]
fn figures_compile_where_latex_is_installed() {
    if !has_latex(&["pgfplots.sty"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (x, y) in [
        (Scale::Log2, Scale::Log10),
        (Scale::Linear, Scale::Linear),
        (Scale::Log10, Scale::Linear),
    ] {
        let axis = |label: &str, scale| Axis {
            label: label.to_owned(),
            scale,
            ends: None,
        };
        let series = |at: usize| Series {
            name: format!("series_{at} & 50%"),
            kind: if at == 3 { Kind::Points } else { Kind::Line },
            points: (1..20)
                .map(|x| (f64::from(1 << x), at as f64 + f64::from(x * x)))
                .collect(),
        };
        let figure = Figure {
            title: Some("λ ≤ 3 #1 \"x\"".to_owned()),
            x: axis("n", x),
            y: axis("time (ms)", y),
            series: (0..8).map(series).collect(),
            notes: Vec::new(),
            guides: Vec::new(),
            size: Figure::COLUMN,
        };
        let sources = pgfplots(&figure, "f.csv");
        assert!(sources.tex.is_ascii());
        fs::write(folder.path().join("f.tex"), sources.tex).expect("writable");
        fs::write(folder.path().join("f.csv"), sources.csv).expect("writable");
        assert_eq!(compile(folder.path(), "f.tex"), Ok(()), "{x:?}");
    }
}
