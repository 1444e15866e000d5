//! `derive --format python | numpy | sympy | c | rust | sql`: what is exported gives our values.
//!
//! Every formula of the programs, of every construct of the language, and of programs whose quotients and logarithms are
//! not asked everywhere: at the smallest points that the program admits, and at twelve random ones, half of them with
//! large sizes where it has some. As Python exactly, as C, Rust, Julia, NumPy, DuckDB and SymPy to the last digits of a
//! double. One process a target. A target
//! is skipped with a word where it is not installed; `ATGPU_PYTHON` names a Python that has the
//! packages.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::support::programs::{load_file, name, program, programs};
use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::Derivation;
use atgpu::derive::derive;
use atgpu::interval::{CountOptions, count};
use atgpu::meaning::{Point, admissible_points};
use atgpu::number::Rational;
use atgpu::program::Program;
use atgpu::report::derivation::functions::{Function, NoFunction, Options, Target, functions};
use atgpu::sym::EvaluateError;
use atgpu::sym::shape::Shape;
use atgpu::text::Source;
use serde_json::{Value, json};

/// Random points a formula.
const POINTS: usize = 12;
/// The smallest points for each of these b: 0, 1, and what lies beside b.
const EDGES: usize = 6;
const WIDTHS_AT_EDGES: [i64; 2] = [1, 3];
/// Doubles agree within this part of the value, or of a thousandth where terms cancel to less.
const CLOSE: f64 = 1e-9;

/// A program with its points: for each quantity and end what our own evaluation says there.
struct Subject {
    program: Program,
    derivation: Derivation,
    cases: BTreeMap<(&'static str, bool), Vec<Case>>,
}

struct Case {
    at: Parameters,
    /// None where it is irrational.
    exact: Option<Rational>,
    value: f64,
}

/// Numbers that come the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

/// Everything in an optimised build, or where `ATGPU_ALL` asks; else a part that is done in a moment.
fn files() -> Vec<PathBuf> {
    let asked = !cfg!(debug_assertions) || std::env::var_os("ATGPU_ALL").is_some();
    let constructs = programs("tests/suite/derive/constructs");
    let constructs = constructs.into_iter().step_by(if asked { 1 } else { 4 });
    let of_part = |file: &PathBuf| {
        let is_first = file.components().any(|part| part.as_os_str() == "paper1");
        // It has a ceiling of a difference of quotients.
        is_first || name(file) == "transpose_padded"
    };
    let files = programs("programs").into_iter();
    let files = files
        .filter(|file| asked || of_part(file))
        .chain(constructs)
        .chain(programs("tests/suite/derive/total"));
    files
        .filter(|file| !name(file).starts_with("fails-"))
        .collect()
}

fn subjects() -> &'static [Subject] {
    static SUBJECTS: OnceLock<Vec<Subject>> = OnceLock::new();
    SUBJECTS.get_or_init(|| {
        let of_files = files();
        let of_files = of_files.iter().map(|file| load_file(file).0);
        of_files.chain(awkward()).map(subject).collect()
    })
}

/// Keywords, built-in functions, prelude names, macros and the generated code's own names, of all targets.
const AWKWARD: &str = "\
    None Some Ok Err True False Self self crate super dyn gen box impl trait fn mut ref pub use where match loop move \
    async await become macro yield union unsized f64 bool str Vec String Box Option Result Iterator Default Clone \
    assert break case catch class const continue def del elif else enum except exec export extern finally friend \
    from global goto import inline is lambda long namespace new nonlocal operator pass print private protected public \
    raise register restrict return short signed sizeof static struct switch template this throw try typedef typeof \
    typename unsigned using virtual void volatile while with xor auto char double float int inf nan char8_t wchar_t \
    M_PI M_E M_LN2 NAN INFINITY HUGE_VAL FP_NAN FP_ZERO MATH_ERRNO math_errhandling linux unix isnan isfinite signbit \
    sum_ last_ floor_near log_to power digit_sum floor_sum divides is_power_of total whole plain term low high base digits \
    decimal context near exact degree root parts scale slope start top rest own sum2 np sympy Decimal Fraction \
    localcontext range len tuple list dict set object type round pow any all map zip iter next id hash str2 bytes \
    input open vars dir Symbol Symbols symbols Rational Integer Piecewise Min Max Eq Ne Ge Gt Le Lt And Or Not Mod Sum \
    S N E I Q O pi oo zoo Function Dummy Wild Lambda integer positive y0 y1 yn j0 j1 jn gamma lgamma tgamma erf fmin fmax fmod \
    fabs rint hypot cbrt expm1 log1p tan atan asin acos sinh cosh tanh trunc nearbyint remainder fma isinf index \
    begin baremodule elseif function isa let local module quote Float64 Int64 fld rem ifelse NaN Inf im missing nothing \
    analyse analyze array asc asymmetric both cast check collate column constraint create default deferrable desc \
    describe distinct end fetch foreign grant group having initially intersect into lateral leading limit null offset \
    on only order pivot placing primary qualify references returning show symmetric table then trailing unique \
    unpivot variadic when window bigint TRUE FALSE LET LAMBDA MAP SEQUENCE R C R1C1 A1 XFD1 r c rc io time rounds \
    inward outward transfer cost gpu_cost shared global2 main argc argv std core alloc Copy Drop x y k p2 q v w z _1 \
    k_real k_prime alpha2 lambda_ None_ float_ sum__ real_mps cores_per_mp shared_words most_resident block_cycles word_ms";

/// Programs with formals of these names, twelve each, in formulas of every function.
fn awkward() -> Vec<Program> {
    let admits = |name: &&str| {
        let text = format!("algorithm T({name})\n  require {name} ≥ 2\n  input A[{name}]\n");
        let source = Source::new("T", text.as_str());
        let parsed = atgpu::syntax::parse(&source);
        let algorithm = parsed.algorithm.filter(|_| parsed.diagnostics.is_empty());
        algorithm
            .is_some_and(|algorithm| atgpu::check::check(&source, &algorithm).program.is_some())
    };
    let names: Vec<&str> = AWKWARD.split_whitespace().filter(admits).collect();
    assert!(names.len() >= 250, "only {} names", names.len());
    let texts = names.chunks_exact(12).enumerate().map(|(number, names)| {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = names else {
            unreachable!("twelve each")
        };
        let admitted: Vec<String> = names.iter().map(|name| format!("{name} ≥ 2")).collect();
        format!(
            "algorithm Awkward{number}({})
  require {}
  input A[⌈{a}/{b}⌉ + ⌊log2 {c}⌋ + {d}^2], B[max({d}, {e}) · min({f}, {g}) + [{a} > {c}]]
  input D[⌈log_3 {h}⌉ + {i} mod {j} + [{k} | {l}] + 2^{b}]
  input E[{h}·{k} + 1]
  global a[⌈{a}/{b}⌉ + ⌊log2 {c}⌋ + {d}^2], b[max({d}, {e}) · min({f}, {g}) + [{a} > {c}]]
  global d[⌈log_3 {h}⌉ + {i} mod {j} + [{k} | {l}] + 2^{b}], e[{h}·{k} + 1]
  a ⇚ A
  b ⇚ B
  d ⇚ D
  for r_ = 1 → {h} do
    e[0..⌊r_·{k}/{l}⌋] ⇚ E[0..⌊r_·{k}/{l}⌋]
  end for
",
            names.join(", "),
            admitted.join(" ∧ "),
        )
    });
    texts.map(|text| program(&text)).collect()
}

fn subject(program: Program) -> Subject {
    let derivation = derive(&program, &Parameters::new());
    let points = points(&program);
    let mut cases = BTreeMap::new();
    for quantity in Quantity::ALL {
        let Ok(formula) = derivation.formula(quantity.name()) else {
            continue;
        };
        let ends = [(false, Some(formula.clone())), (true, formula.lower())];
        for (is_lower, formula) in ends {
            let Some(formula) = formula else { continue };
            // Sums are added up term by term.
            let is_open = has_sum(&formula.shape());
            let is_fit = |at: &&Parameters| !is_open || !is_large(at);
            let found: Vec<Case> = points
                .iter()
                .filter(is_fit)
                .filter_map(|at| {
                    let value = match formula.value(at.clone()) {
                        Err(EvaluateError::DivisionByZero | EvaluateError::Undefined) => {
                            let name = (program.name(), quantity.name());
                            assert!(!runs(&program, at), "{name:?} has no value at {at:?}");
                            return None;
                        }
                        value => value.ok()?,
                    };
                    let exact = formula.exact(at.clone()).ok();
                    Some(Case {
                        at: at.clone(),
                        exact,
                        value,
                    })
                })
                .collect();
            cases.insert((quantity.name(), is_lower), found);
        }
    }
    Subject {
        program,
        derivation,
        cases,
    }
}

/// Whether a program runs at a point.
fn runs(program: &Program, at: &Parameters) -> bool {
    let machine = ["p", "b", "M", "G"].map(|name| at.get(name).and_then(Rational::to_i64));
    let formals = program
        .formals()
        .iter()
        .map(|id| &program.parameter(*id).name);
    let formals: Parameters = formals
        .filter_map(|name| Some((name.as_str(), at.get(name)?.clone())))
        .collect();
    let machine = machine.map(|figure| figure.expect("it has a value"));
    let point = Point::new(program, machine, &formals).expect("it is admitted");
    let going = |_| ControlFlow::Continue(());
    let counted = count(program, &point, &CountOptions::default(), &going);
    counted.is_ok_and(|counted| counted.faults.is_empty())
}

/// The smallest points that the program's `require`s admit and twelve others, with values for all letters.
fn points(program: &Program) -> Vec<Parameters> {
    let mut random = Random(name_seed(program.name()));
    let mut edges = Vec::new();
    for b in WIDTHS_AT_EDGES {
        let machine = [1 << 20, b, 12288, 1 << 40];
        for formals in admissible_points(program, machine, &Parameters::new(), EDGES) {
            edges.push(complete(&formals, machine, &mut random));
        }
    }
    let mut found = Vec::new();
    for b in [2, 4, 8, 32] {
        let machine = [1 << 20, b, 12288, 1 << 40];
        let small = admissible_points(program, machine, &Parameters::new(), 40);
        for formals in some_of(&small, 3, &mut random) {
            found.push(complete(&formals, machine, &mut random));
        }
        for formals in larger(program, &small, machine) {
            found.push(complete(&formals, machine, &mut random));
        }
    }
    found.sort_by_key(|at| !is_large(at));
    let large = found.len().saturating_sub(12).min(6);
    let rest = found.split_off(large);
    found.extend(rest.into_iter().rev().take(POINTS - large));
    found.extend(edges);
    found
}

fn is_large(at: &Parameters) -> bool {
    at.get("n").is_some_and(|n| n.to_f64() > 5000.0)
}

fn has_sum(shape: &Shape) -> bool {
    matches!(shape, Shape::Total(..)) || shape.parts().into_iter().any(has_sum)
}

fn name_seed(name: &str) -> u64 {
    name.bytes()
        .fold(7, |seed, byte| seed * 31 % 1_000_003 + u64::from(byte))
}

fn some_of(all: &[Parameters], count: usize, random: &mut Random) -> Vec<Parameters> {
    let mut all = all.to_vec();
    let mut chosen = Vec::new();
    while chosen.len() < count && !all.is_empty() {
        chosen.push(all.remove(random.below(all.len() as u64) as usize));
    }
    chosen
}

/// The first admitted sizes again with a large n, as far as the program takes one.
fn larger(program: &Program, small: &[Parameters], machine: [i64; 4]) -> Vec<Parameters> {
    let Some(first) = small.last().filter(|first| first.get("n").is_some()) else {
        return Vec::new();
    };
    let b = machine[1];
    let b_power = (1..)
        .map(|k| b.pow(k))
        .find(|power| *power > 100_000)
        .expect("b ≥ 2");
    let candidates = [b_power, 1 << 40, 1_000_003, 3 * b_power];
    let admitted = candidates.iter().map(|n| {
        let mut at = first.clone();
        at.set("n", *n);
        at
    });
    admitted
        .filter(|at| Point::new(program, machine, at).is_ok())
        .take(1)
        .collect()
}

fn complete(formals: &Parameters, machine: [i64; 4], random: &mut Random) -> Parameters {
    let mut at = formals.clone();
    let mut letter = |name: &str, over: i64, under: i64| {
        if at.get(name).is_none() {
            at.set(name, Rational::new(over, under).expect("not 0"));
        }
    };
    for (name, value) in ["p", "b", "M", "G"].into_iter().zip(machine) {
        letter(name, value, 1);
    }
    letter("k'", 1 + random.below(80) as i64, 1);
    letter("H", 1 + random.below(32) as i64, 1);
    for name in ["α", "β", "γ", "λ", "σ"] {
        letter(
            name,
            1 + random.below(1000) as i64,
            1 + random.below(64) as i64,
        );
    }
    at
}

/// A module for each program in a folder, and the cases of its functions as JSON.
fn export(folder: &Path, target: Target, extension: &str) -> (Vec<(String, String)>, Vec<Value>) {
    let (mut modules, mut tasks) = (Vec::new(), Vec::new());
    for (number, subject) in subjects().iter().enumerate() {
        let (program, derivation) = (&subject.program, &subject.derivation);
        let module = functions(program, derivation, target, &Options::default());
        for why in &module.left_out {
            let is_limit = target == Target::Excel && matches!(why, NoFunction::TooLong { .. });
            assert!(
                is_limit || matches!(why, NoFunction::Underived(_)),
                "{}: {why}",
                program.name()
            );
        }
        let name = format!("m{number}");
        let file = folder.join(format!("{name}.{extension}"));
        fs::write(file, &module.text).expect("a file can be written there");
        for function in &module.functions {
            tasks.push(task(&name, subject, function));
        }
        modules.push((name, module.text));
    }
    (modules, tasks)
}

fn task(module: &str, subject: &Subject, function: &Function) -> Value {
    let cases = &subject.cases[&(function.quantity.name(), function.is_lower)];
    let cases: Vec<Value> = cases
        .iter()
        .map(|case| {
            let values = function.parameters.iter().map(|(_, name)| {
                let value = case.at.get(name).expect("every letter has a value");
                format!("{}/{}", value.numerator(), value.denominator())
            });
            let exact = case.exact.as_ref();
            let exact = exact.map(|x| format!("{}/{}", x.numerator(), x.denominator()));
            json!({
                "at": values.collect::<Vec<_>>(),
                "exact": exact,
                "value": case.value,
            })
        })
        .collect();
    json!({
        "module": module,
        "program": subject.program.name(),
        "function": function.name,
        "parameters": function.parameters.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "cases": cases,
    })
}

/// Runs it; its output, or a word where it is not installed.
fn output(command: &mut Command, skips: &str) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(_) => {
            eprintln!("skipped: no {skips} here");
            None
        }
    }
}

/// What a driver says at its end: how many values were right, and the first that were not.
fn judge(target: &str, output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if said.starts_with("skipped") {
        eprintln!("{}", said.trim());
        return;
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let summary = said.lines().last().unwrap_or_default();
    eprintln!("{target}: {summary}");
    let (right, all) = summary.split_once(" of ").unwrap_or(("", "none"));
    assert!(
        output.status.success() && right == all,
        "{target}: {said}\n{error}"
    );
    let all: usize = all.parse().expect("a number of values");
    assert!(all > 150, "{target}: only {all} values");
}

/// A Python driver over the modules of a folder.
fn drive_python(target: Target, driver: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let extension = match target {
        Target::Sql => "sql",
        Target::Excel => "tsv",
        _ => "py",
    };
    let (_, tasks) = export(folder.path(), target, extension);
    let tasks = Value::from(tasks).to_string();
    fs::write(folder.path().join("tasks.json"), tasks).expect("a file can be written there");
    let text = format!("CLOSE = {CLOSE:e}\n{COMMON}{driver}");
    fs::write(folder.path().join("drive.py"), text).expect("a file can be written there");
    let python = std::env::var("ATGPU_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(python);
    command.arg("drive.py").current_dir(folder.path());
    if let Some(output) = output(&mut command, "Python") {
        judge(target.name(), &output);
    }
}

/// What all drivers begin with.
const COMMON: &str = r#"
import importlib, json, math, sys
from fractions import Fraction
right = total = 0
def close(x, y):
    return x == y or abs(x - y) <= CLOSE * max(abs(x), abs(y), 1e-3)
def judge(task, case, got, is_right):
    global right, total
    total += 1
    if is_right:
        right += 1
    elif total - right < 20:
        print(task["program"], task["function"], case, got)
def missing(*names):
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            print(f"skipped: no {name} here")
            sys.exit()
tasks = json.load(open("tasks.json"))
"#;

#[test]
fn python_is_exact() {
    drive_python(
        Target::Python,
        r#"
for task in tasks:
    function = getattr(importlib.import_module(task["module"]), task["function"])
    for case in task["cases"]:
        got = function(*(Fraction(x) for x in case["at"]))
        if case["exact"] is None:
            judge(task, case, got, close(float(got), case["value"]))
        else:
            judge(task, case, got, got == Fraction(case["exact"]))
print(right, "of", total)
"#,
    );
}

#[test]
fn numpy_agrees_on_whole_arrays() {
    drive_python(
        Target::Numpy,
        r#"
missing("numpy")
import numpy as np
for task in tasks:
    if not task["cases"]:
        continue
    function = getattr(importlib.import_module(task["module"]), task["function"])
    columns = zip(*([float(Fraction(x)) for x in case["at"]] for case in task["cases"]))
    got = function(*(np.array(column) for column in columns))
    for case, one in zip(task["cases"], np.broadcast_to(got, len(task["cases"]))):
        judge(task, case, one, close(float(one), case["value"]))
print(right, "of", total)
"#,
    );
}

#[test]
fn duckdb_agrees() {
    drive_python(
        Target::Sql,
        r#"
missing("duckdb")
import duckdb
loaded = None
for task in tasks:
    if task["module"] != loaded:
        db, loaded = duckdb.connect(), task["module"]
        db.execute(open(loaded + ".sql").read())
    rows = [[float(Fraction(x)) for x in case["at"]] for case in task["cases"]]
    if not rows:
        continue
    call = f"{task['function']}({', '.join(task['parameters'])})"
    if task["parameters"]:
        values = ", ".join("(" + ", ".join(repr(x) + "::DOUBLE" for x in row) + ")" for row in rows)
        query = f"SELECT {call} FROM (VALUES {values}) AS t({', '.join(task['parameters'])})"
    else:
        query = f"SELECT {call} FROM range({len(rows)})"
    for case, (got,) in zip(task["cases"], db.execute(query).fetchall()):
        judge(task, case, got, got is not None and close(float(got), case["value"]))
print(right, "of", total)
"#,
    );
}

/// LibreOffice (`ATGPU_SOFFICE`, or `soffice` on the path) knows LET and SEQUENCE from version 24.8
/// on, and no LAMBDA: the names are put in where they are called, and a sum is taken over the whole
/// sequence where each of its operations goes element by element.
#[test]
fn excel_agrees() {
    drive_python(
        Target::Excel,
        r#"
missing("openpyxl")
import os, re, shutil, subprocess, openpyxl
office = os.environ.get("ATGPU_SOFFICE") or shutil.which("soffice")
if not office:
    print("skipped: no LibreOffice here")
    sys.exit()
def call_at(text, opens):
    depth, parts, begin = 0, [], opens + 1
    for at in range(opens, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0 or text[at] == "," and depth == 1:
            parts.append(text[begin:at].strip())
            begin = at + 1
            if depth == 0:
                return parts, at + 1
def put_in(text, values):
    names = "|".join(map(re.escape, values))
    return re.sub(rf"(?<![\w.])({names})(?![\w.(])", lambda it: values[it[1]], text) if values else text
def expanded(text, names):
    for call in re.finditer(r"(?<![\w.])([A-Z_][A-Z0-9_]*)\(", text):
        name = call[1]
        if name in names or name == "MAP":
            parts, end = call_at(text, call.end() - 1)
            if name == "MAP":
                inner, _ = call_at(parts[1], parts[1].index("("))
                body = expanded(inner[1], names)
                if re.search(r"MIN|MAX|AND|OR|LET|GCD|MAP", body):
                    raise NotImplementedError
                body = put_in(body, {inner[0]: "(_xlfn." + expanded(parts[0], names) + ")"})
            else:
                own, body = names[name]
                parts = ["(" + expanded(part, names) + ")" for part in parts]
                body = put_in(expanded(body, names), dict(zip(own, parts)))
            return text[: call.start()] + "(" + body + ")" + expanded(text[end:], names)
    return text
book, kept, left = openpyxl.Workbook(), [], 0
loaded, names = None, {}
for task in tasks:
    if task["module"] != loaded:
        loaded, names = task["module"], {}
        for line in open(loaded + ".tsv"):
            if "\t=LAMBDA(" in line:
                name, formula = line.rstrip("\n").split("\t")[:2]
                parts, _ = call_at(formula, formula.index("("))
                body = re.sub(r"(?<![\w.])LET\(", "_xlfn.LET(", parts[-1])
                if "_xlfn.LET(" in body:
                    body = re.sub(r"(?<![\w.])([kyp])(?![\w.(])", r"_xlpm.\1", body)
                names[name] = parts[:-1], body
    for case in task["cases"]:
        own, body = names[task["function"]]
        at = {name: f"({value})" for name, value in zip(own, case["at"])}
        try:
            formula = "=" + expanded(put_in(body, at), names)
        except NotImplementedError:
            left += 1
            continue
        formula = re.sub(r"\bSUM\(", "SUMPRODUCT(", formula)
        if len(formula) > 8000:
            left += 1
            continue
        kept.append((task, case))
        book.active.cell(len(kept), 1, formula)
book.save("all.xlsx")
made = [office, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", "made", "all.xlsx"]
subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
values = openpyxl.load_workbook("made/all.xlsx", data_only=True).active
for row, (task, case) in enumerate(kept, 1):
    got = values.cell(row, 1).value
    judge(task, case, got, isinstance(got, (int, float)) and close(float(got), case["value"]))
print(left, "left out: sums with operations that do not go element by element, and long ones")
print(right, "of", total)
"#,
    );
}

/// Slow, so every fifth formula, at three points.
#[test]
fn sympy_agrees() {
    drive_python(
        Target::Sympy,
        r#"
missing("sympy")
import sympy
for task in tasks[::5]:
    module = importlib.import_module(task["module"])
    expression = getattr(module, task["function"])
    for case in task["cases"][:3]:
        values = (sympy.Rational(x) for x in case["at"])
        symbols = (getattr(module, name) for name in task["parameters"])
        got = expression.subs(dict(zip(symbols, values))).doit()
        if case["exact"] is None:
            judge(task, case, got, close(float(got.evalf()), case["value"]))
        else:
            judge(task, case, got, got == sympy.Rational(case["exact"]))
print(right, "of", total)
"#,
    );
}

/// One C file for all, its modules' own functions told apart by the preprocessor.
#[test]
fn c_agrees() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (modules, tasks) = export(folder.path(), Target::C, "c");
    let mut text = "#include <stdio.h>\n#include <math.h>\n".to_owned();
    for (name, module) in &modules {
        let own = |line: &str| {
            let rest = line
                .strip_prefix("static double ")
                .or(line.strip_prefix("static int "))?;
            Some(rest.split('(').next()?.to_owned())
        };
        let mut own: Vec<String> = module.lines().filter_map(own).collect();
        own.extend(
            tasks
                .iter()
                .filter(|task| task["module"] == **name)
                .filter_map(|task| Some(task["function"].as_str()?.to_owned())),
        );
        own.iter()
            .for_each(|each| writeln!(text, "#define {each} {each}_{name}").expect("text"));
        writeln!(text, "#include \"{name}.c\"").expect("text");
        own.iter()
            .for_each(|each| writeln!(text, "#undef {each}").expect("text"));
    }
    let call = |task: &Value, values: &str| {
        let (function, module) = (&task["function"], &task["module"]);
        let [function, module] = [function, module].map(|part| part.as_str().expect("a name"));
        format!("{function}_{module}({values})")
    };
    text += CHECK;
    text += &checks(&tasks, "    check(\"$name\", $call, $value);\n", call);
    text += "    printf(\"%d of %d\\n\", right, total);\n    return 0;\n}\n";
    fs::write(folder.path().join("all.c"), text).expect("a file can be written there");
    let mut compiler = Command::new("cc");
    compiler.args([
        "-std=c99",
        "-Wall",
        "-Wno-unused-function",
        "-Werror",
        "all.c",
        "-o",
        "all",
    ]);
    compiler.arg("-lm").current_dir(folder.path());
    let Some(compiled) = output(&mut compiler, "C compiler") else {
        return;
    };
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let run = Command::new(folder.path().join("all"))
        .output()
        .expect("it was compiled");
    judge("c", &run);
}

const CHECK: &str = r#"
static int right = 0, total = 0;
static void check(const char *name, double got, double wanted) {
    total++;
    if (got == wanted || fabs(got - wanted) <= 1e-9 * fmax(fmax(fabs(got), fabs(wanted)), 1e-3)) right++;
    else if (total - right < 20) printf("%s: %.17g, not %.17g\n", name, got, wanted);
}
int main(void) {
"#;

/// A line for each case.
fn checks(tasks: &[Value], template: &str, call: impl Fn(&Value, &str) -> String) -> String {
    let mut text = String::new();
    for task in tasks {
        for case in task["cases"].as_array().expect("cases") {
            let values = case["at"].as_array().expect("values").iter().map(|value| {
                let value = value.as_str().expect("text");
                let (over, under) = value.split_once('/').expect("a fraction");
                format!("{over}.0 / {under}.0")
            });
            let values: Vec<String> = values.collect();
            let name = format!("{} {}", task["program"], task["function"]).replace('"', "");
            text += &template
                .replace("$name", &format!("{name} {}", values.join(" ")))
                .replace("$call", &call(task, &values.join(", ")))
                .replace(
                    "$value",
                    &format!("{:e}", case["value"].as_f64().expect("a number")),
                );
        }
    }
    text
}

/// A module for each program. `ATGPU_JULIA` names a Julia that is not on the path.
#[test]
fn julia_agrees() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (modules, tasks) = export(folder.path(), Target::Julia, "jl");
    let mut text = JULIA_CHECK.to_owned();
    for (name, _) in &modules {
        writeln!(text, "module {name}\ninclude(\"{name}.jl\")\nend").expect("text");
    }
    let call = |task: &Value, values: &str| {
        let (function, module) = (&task["function"], &task["module"]);
        let [function, module] = [function, module].map(|part| part.as_str().expect("a name"));
        format!("{module}.{function}({values})")
    };
    text += &checks(&tasks, "check(\"$name\", $call, $value)\n", call);
    text += "println(right, \" of \", total)\n";
    fs::write(folder.path().join("all.jl"), text).expect("a file can be written there");
    let julia = std::env::var("ATGPU_JULIA").unwrap_or_else(|_| "julia".to_owned());
    let mut command = Command::new(julia);
    command
        .args(["-O0", "--compile=min", "all.jl"])
        .current_dir(folder.path());
    if let Some(output) = output(&mut command, "Julia") {
        judge("julia", &output);
    }
}

const JULIA_CHECK: &str = r#"
right = 0
total = 0
function check(name, got, wanted)
    global right, total
    total += 1
    if got == wanted || abs(got - wanted) <= 1e-9 * max(abs(got), abs(wanted), 1e-3)
        right += 1
    elseif total - right < 20
        println(name, ": ", got, ", not ", wanted)
    end
end
"#;

#[test]
fn rust_agrees() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (modules, tasks) = export(folder.path(), Target::Rust, "rs");
    let mut text = "#![allow(dead_code)]\n".to_owned();
    modules
        .iter()
        .for_each(|(name, _)| writeln!(text, "mod {name};").expect("text"));
    text += RUST_CHECK;
    let call = |task: &Value, values: &str| {
        let (function, module) = (&task["function"], &task["module"]);
        let [function, module] = [function, module].map(|part| part.as_str().expect("a name"));
        format!("{module}::{function}({values})")
    };
    text += &checks(&tasks, "    check.one(\"$name\", $call, $value);\n", call);
    text += "    println!(\"{} of {}\", check.right, check.total);\n}\n";
    fs::write(folder.path().join("all.rs"), text).expect("a file can be written there");
    let mut compiler = Command::new("rustc");
    // The compiler's own default edition, as whoever pastes a function has it.
    compiler.args(["-Dwarnings", "all.rs", "-o", "all"]);
    compiler.current_dir(folder.path());
    let Some(compiled) = output(&mut compiler, "Rust compiler") else {
        return;
    };
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let run = Command::new(folder.path().join("all"))
        .output()
        .expect("it was compiled");
    judge("rust", &run);
}

const RUST_CHECK: &str = r#"
struct Check {
    right: u32,
    total: u32,
}
impl Check {
    fn one(&mut self, name: &str, got: f64, wanted: f64) {
        self.total += 1;
        if got == wanted || (got - wanted).abs() <= 1e-9 * got.abs().max(wanted.abs()).max(1e-3) {
            self.right += 1;
        } else if self.total - self.right < 20 {
            println!("{name}: {got}, not {wanted}");
        }
    }
}
fn main() {
    let mut check = Check { right: 0, total: 0 };
"#;
