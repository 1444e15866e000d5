//! Kernels with the functions that launch them, called from a small program: their outputs are the interpreter's too,
//! with formals as arguments and with formals fixed.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::emit::emulated;
use crate::emit::runs::{Case, SANITIZED, WRAPPED, all, compare, constructs, faults, seed, told};
use crate::emit::{card, is_there, opencl_is_there};
use crate::support::engines::execute;
use crate::support::programs::{load_file, path, program};
use atgpu::array::{Array, Data};
use atgpu::count::Parameters;
use atgpu::emit::{Emitted, Options, Parts, Target, Words, emit};
use atgpu::machine::Machine;
use atgpu::program::{Program, Role, Variable, WordType};
use atgpu::safety::{Safety, safety};

/// Whether formals are arguments or fixed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Formals {
    Given,
    Fixed,
}

/// What is written of a case: the language, its formals, and Z.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub target: Target,
    pub formals: Formals,
    pub mps_per_thread_block: i64,
}

impl Way {
    pub(super) fn of(target: Target, formals: Formals) -> Way {
        Way {
            target,
            formals,
            mps_per_thread_block: 1,
        }
    }
}

/// A card of so many cores an MP, whose words indices of 32 bits tell apart.
pub(super) fn small_card(b: i64) -> Machine {
    card([12 * b, b, 1 << 24, 1 << 30])
}

pub(super) fn kernels(
    program: &Program,
    card: &Machine,
    (target, words): (Target, Words),
    fixed: Parameters,
    safety: Option<&Safety>,
) -> Emitted {
    let options = Options {
        target,
        parts: Parts::Kernels,
        words,
        defaults: fixed,
        safety,
        unchecked: true,
    };
    let emitted = emit(program, card, &options);
    emitted.unwrap_or_else(|faults| panic!("{}: {faults:#?}", program.name()))
}

/// The kernels of a case.
pub(super) fn of_case(case: &Case, way: Way) -> String {
    let card = small_card(case.choice.machine[1]);
    let card = card
        .with([("Z", way.mps_per_thread_block)])
        .expect("in range");
    let fixed: Parameters = match way.formals {
        Formals::Given => Parameters::new(),
        Formals::Fixed => {
            let values = case.choice.values.iter();
            values
                .map(|(name, value)| (name.as_str(), *value))
                .collect()
        }
    };
    // Where all indices are proved, those of 32 bits rest on it.
    let judged = (way.formals == Formals::Given).then(|| safety(&case.program, &fixed, &card));
    kernels(
        &case.program,
        &card,
        (way.target, case.words),
        fixed,
        judged.as_ref(),
    )
    .text
}

/// The arrays of the host that `run` takes.
fn given(program: &Program) -> impl Iterator<Item = &Variable> {
    let variables = program.variables().iter();
    variables.filter(|variable| matches!(variable.role, Role::Input | Role::Output))
}

fn bytes_of(case: &Case, data: &Data) -> Vec<u8> {
    match data {
        Data::Int(words) if case.words.int32 => words
            .iter()
            .flat_map(|word| (*word as i32).to_le_bytes())
            .collect(),
        Data::Int(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        Data::Float(words) if case.words.float => words
            .iter()
            .flat_map(|word| (*word as f32).to_le_bytes())
            .collect(),
        Data::Float(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
    }
}

fn words_of(case: &Case, bytes: &[u8], word_type: WordType) -> Data {
    let eights = || {
        bytes
            .chunks_exact(8)
            .map(|word| word.try_into().expect("eight"))
    };
    let fours = || {
        bytes
            .chunks_exact(4)
            .map(|word| word.try_into().expect("four"))
    };
    match word_type {
        WordType::Int if case.words.int32 => Data::Int(
            fours()
                .map(|word| i32::from_le_bytes(word).into())
                .collect(),
        ),
        WordType::Int => Data::Int(eights().map(i64::from_le_bytes).collect()),
        WordType::Float if case.words.float => Data::Float(
            fours()
                .map(|word| f32::from_le_bytes(word).into())
                .collect(),
        ),
        WordType::Float => Data::Float(eights().map(f64::from_le_bytes).collect()),
    }
}

/// The function `run` of a text, as others call it.
fn run_of(target: Target, text: &str) -> String {
    match target {
        Target::Cuda => {
            let own = text.split("namespace ").nth(1).expect("it has a name");
            format!("{}::run", own.split(' ').next().expect("it has a name"))
        }
        Target::C | Target::OpenCl => {
            let own = text.split("_run(").next().expect("it has a run");
            let own = own.rsplit([' ', '\n']).next().expect("it has a name");
            format!("{own}_run")
        }
    }
}

/// A program that reads the inputs, calls `run` and writes the outputs.
fn driver(case: &Case, way: Way, text: &str, sizes: &[usize]) -> String {
    let (target, formals) = (way.target, way.formals);
    let run = run_of(target, text);
    let mut body = String::new();
    let mut arguments: Vec<String> = Vec::new();
    if target == Target::OpenCl {
        body += OPENCL;
        arguments.extend(["queue", "program"].map(str::to_owned));
    }
    if formals == Formals::Given {
        arguments.extend(
            case.choice
                .values
                .iter()
                .map(|(_, value)| value.to_string()),
        );
    }
    for (at, (variable, size)) in given(&case.program).zip(sizes).enumerate() {
        let (name, size) = (&variable.name, size.max(&1));
        writeln!(body, "    void *words_{at} = calloc({size}, 1);").expect("a text takes lines");
        if variable.role == Role::Input {
            writeln!(body, "    file = fopen(\"{name}.in\", \"rb\");").expect("a text takes lines");
            writeln!(
                body,
                "    if (fread(words_{at}, {size}, 1, file) > 1)\n        return 9;"
            )
            .expect("a text takes lines");
        }
        let ty = match variable.word_type {
            WordType::Int => "word",
            WordType::Float => "real",
        };
        // C++ asks for the type that C takes for granted.
        arguments.push(match run.strip_suffix("::run") {
            Some(own) => format!("({own}::{ty} *)words_{at}"),
            None => format!("words_{at}"),
        });
    }
    let arguments = arguments.join(", ");
    writeln!(body, "    const int error = {run}({arguments});").expect("a text takes lines");
    for (at, (variable, size)) in given(&case.program).zip(sizes).enumerate() {
        if variable.role == Role::Output {
            let name = &variable.name;
            writeln!(body, "    file = fopen(\"{name}.out\", \"wb\");")
                .expect("a text takes lines");
            writeln!(
                body,
                "    fwrite(words_{at}, {size}, 1, file);\n    fclose(file);"
            )
            .expect("a text takes lines");
        }
    }
    format!(
        "#define CL_TARGET_OPENCL_VERSION 120\n#include \"kernels.h\"\n#include <stdio.h>\n#include <stdlib.h>\n\n\
         int main(void)\n{{\n    FILE *file;\n{body}    return error;\n}}\n"
    )
}

/// The device, and this very file as a program for it.
const OPENCL: &str = r#"    static char text[1 << 20], log[1 << 16];
    const char *source = text;
    cl_int failed;
    cl_platform_id platform;
    cl_device_id device;
    file = fopen("kernels.h", "rb");
    if (fread(text, 1, sizeof text - 1, file) == 0)
        return 9;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 9;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &failed);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &failed);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &failed);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        puts(log);
        return 9;
    }
"#;

/// Emits, compiles with a driver, runs and compares.
pub(super) fn judge(case: &Case, way: Way, place: &Path) -> Result<(), String> {
    judge_with(case, way, WRAPPED, place)
}

fn judge_with(case: &Case, way: Way, flags: &[&str], place: &Path) -> Result<(), String> {
    fs::create_dir_all(place).map_err(|error| error.to_string())?;
    let outcome = execute(&case.program, &case.choice, seed(case));
    let mut sizes = Vec::new();
    for variable in given(&case.program) {
        let bytes = bytes_of(case, &outcome.host[&variable.name].array.data);
        sizes.push(bytes.len());
        let path = place.join(format!("{}.in", variable.name));
        fs::write(path, bytes).map_err(|error| error.to_string())?;
    }
    let mut text = of_case(case, way);
    let driver = driver(case, way, &text, &sizes);
    let mut compiler = match way.target {
        Target::Cuda => {
            text = emulated::written_in_cpp(&text);
            emulated::compiler(place)?
        }
        Target::C | Target::OpenCl => {
            let mut compiler = Command::new("cc");
            compiler.args(["-Wall", "-Werror"]);
            compiler
        }
    };
    fs::write(place.join("kernels.h"), text).map_err(|error| error.to_string())?;
    fs::write(place.join("driver.c"), driver).map_err(|error| error.to_string())?;
    compiler.args(["-O1", "-ffp-contract=off"]).args(flags);
    compiler
        .args(["-o", "driver", "driver.c"])
        .current_dir(place);
    if way.target == Target::OpenCl {
        compiler.args(["-Wno-deprecated-declarations", "-lOpenCL"]);
    }
    let output = compiler
        .arg("-lm")
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(format!("does not compile: {}", told(&output)));
    }
    let mut driver = match is_there("timeout", "--version") {
        true => Command::new("timeout"),
        false => Command::new("env"),
    };
    if driver.get_program() == "timeout" {
        driver.arg("60");
    }
    let ran = driver.arg("./driver").current_dir(place).output();
    let ran = ran.map_err(|error| error.to_string())?;
    if !ran.status.success() {
        return Err(format!(
            "does not run: {:?} {}",
            ran.status.code(),
            told(&ran)
        ));
    }
    let found = |output: &Variable| {
        let bytes = fs::read(place.join(format!("{}.out", output.name)));
        Ok(Array {
            shape: outcome.host[&output.name].array.shape.clone(),
            data: words_of(
                case,
                &bytes.map_err(|error| error.to_string())?,
                output.word_type,
            ),
        })
    };
    compare(case, &outcome, &found)
}

pub(super) fn judge_all(cases: &[Case], way: Way) {
    let found = faults(cases, |case, place| judge(case, way, place));
    assert!(found.is_empty(), "{found}");
}

#[test]
fn every_programs_kernels_in_c_do_what_they_do_here() {
    if is_there("cc", "--version") {
        let cases: Vec<Case> = all().into_iter().chain(constructs()).collect();
        judge_all(&cases, Way::of(Target::C, Formals::Given));
    }
}

#[test]
fn every_programs_kernels_of_fixed_sizes_in_c_do_what_they_do_here() {
    if is_there("cc", "--version") {
        let cases: Vec<Case> = all().into_iter().chain(constructs()).collect();
        judge_all(&cases, Way::of(Target::C, Formals::Fixed));
    }
}

#[test]
fn every_programs_kernels_in_opencl_do_what_they_do_here() {
    if opencl_is_there() {
        judge_all(&all(), Way::of(Target::OpenCl, Formals::Given));
    }
}

/// Words of 32 bits: all of them, or ints or floats alone.
fn narrow(cases: Vec<Case>) -> Vec<Case> {
    let widths = [(true, true), (true, false), (false, true)];
    let cases = cases.into_iter().zip(widths.into_iter().cycle());
    let narrow = |(case, (int32, float))| Case {
        words: Words { int32, float },
        ..case
    };
    cases.map(narrow).collect()
}

#[test]
fn kernels_with_narrow_words_in_c_do_what_they_do_here() {
    if is_there("cc", "--version") {
        judge_all(&narrow(all()), Way::of(Target::C, Formals::Given));
        judge_all(&narrow(constructs()), Way::of(Target::C, Formals::Fixed));
    }
}

#[test]
fn kernels_with_narrow_words_in_opencl_do_what_they_do_here() {
    if opencl_is_there() {
        judge_all(&narrow(all()), Way::of(Target::OpenCl, Formals::Given));
    }
}

/// A program of these statements for each core, with one input and one output of n words.
pub(super) fn of_lines(name: &str, requires: &str, lines: &str) -> Program {
    let lines = lines.replace('\n', "\n      ");
    program(&format!(
        "algorithm {name}(n)\n  require n ≥ 1\n{requires}  input A[n]\n  output C[n]\n  global a[n], c[n]\n  \
         shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n      {lines}\n    end for\n  end for\n  C ⇚ c\n"
    ))
}

/// i·100003·b is beyond 32 bits from i = 671 on: products of ints that may leave 32 bits have 64. GCC tells of each int
/// that leaves them.
#[test]
fn products_that_leave_32_bits_have_64() {
    if !is_there("cc", "--version") {
        return;
    }
    let text = "if ib + j < n then\n  let v = (i*100003*b + j*70001) mod n\n  _x[j] ⇐ a[v]\n  \
                _x[j] ← _x[j] + (i*100003 + 2)*(n + j) mod 1001 + (i*i*100003 - j) div 7\n  c[ib + j] ⇐ _x[j]\nend if";
    let program = of_lines("Wide", "", text);
    let choice = crate::support::engines::choice(&program, 32, vec![("n".to_owned(), 40_000)]);
    let case = Case {
        name: "wide".to_owned(),
        choice: choice.expect("it is admitted"),
        program,
        words: Words::default(),
    };
    for formals in [Formals::Given, Formals::Fixed] {
        let text = of_case(&case, Way::of(Target::C, formals));
        assert!(
            text.contains("const int i") || text.contains("(int i, "),
            "{text}"
        );
        assert!(text.contains("(whole)"), "{text}");
    }
    let found = faults(&[case], |case, place| {
        ["given", "fixed"]
            .iter()
            .zip([Formals::Given, Formals::Fixed])
            .try_for_each(|(name, formals)| {
                judge_with(
                    case,
                    Way::of(Target::C, formals),
                    SANITIZED,
                    &place.join(name),
                )
            })
    });
    assert!(found.is_empty(), "{found}");
}

#[test]
fn a_file_is_read_as_one_would_write_it() {
    for (name, fixed) in [
        ("paper1/vector_addition_guarded", None),
        (
            "cookbook/matrix_multiplication_tiled",
            Some(("n m l", 1024)),
        ),
        ("paper1/reduction_any_n", Some(("n", 1 << 20))),
    ] {
        let (program, _) = load_file(&path(&format!("programs/{name}.atgpu")));
        let card = Machine::built_in("gtx650").expect("built in");
        let values = fixed
            .iter()
            .flat_map(|(names, value)| names.split(' ').map(|it| (it, *value)));
        let values: Parameters = values.collect();
        let judged = safety(&program, &values, &card);
        for target in Target::ALL {
            let words = Words::default();
            let emitted = kernels(
                &program,
                &card,
                (target, words),
                values.clone(),
                Some(&judged),
            );
            assert_eq!(emitted.index_bits, 32, "{name}");
            let file = name.rsplit('/').next().expect("a file");
            insta::assert_snapshot!(format!("kernels_{file}_{}", target.name()), emitted.text);
        }
    }
}

#[test]
fn sizes_that_a_require_refuses_are_no_kernels() {
    let program = of_lines("Even", "  require n mod 2 = 0\n", "_x[j] ← j\nc[0] ⇐ _x[0]");
    let refused = |value: i64| {
        let options = Options {
            target: Target::C,
            parts: Parts::Kernels,
            words: Words::default(),
            defaults: [("n", value)].into(),
            safety: None,
            unchecked: true,
        };
        let found = emit(&program, &small_card(8), &options);
        found.map_err(|faults| faults[0].code.short_name().to_owned())
    };
    assert_eq!(refused(7).map(|_| ()), Err("require::violated".to_owned()));
    assert!(refused(8).is_ok());
}

/// On a machine of more words than 2^31 a size may be beyond 32 bits, but for one that is fixed.
#[test]
fn indices_that_may_be_beyond_32_bits_have_64() {
    let program = of_lines(
        "Copy",
        "",
        "if ib + j < n then\n_x[j] ⇐ a[ib + j]\nc[ib + j] ⇐ _x[j]\nend if",
    );
    let large = card([64, 32, 4096, 1 << 33]);
    let bits = |card: &Machine, fixed: Parameters| {
        let emitted = kernels(
            &program,
            card,
            (Target::Cuda, Words::default()),
            fixed,
            None,
        );
        emitted.index_bits
    };
    assert_eq!(bits(&large, Parameters::new()), 64);
    assert_eq!(bits(&large, [("n", 1 << 20)].into()), 32);
    assert_eq!(bits(&large, [("n", 1i64 << 31)].into()), 64);
    assert_eq!(bits(&small_card(32), Parameters::new()), 32);
}

/// Two files in one: CUDA has namespaces, and C has what is fixed undone at the end.
#[test]
fn nothing_of_a_file_is_left_for_the_next() {
    let (program, _) = load_file(&path("programs/paper1/vector_addition_guarded.atgpu"));
    let of = |target| {
        let words = Words::default();
        kernels(
            &program,
            &small_card(32),
            (target, words),
            [("n", 100)].into(),
            None,
        )
        .text
    };
    let text = of(Target::Cuda);
    let (first, last) = (text.find("namespace "), text.rfind("} // namespace "));
    assert!(
        first < last
            && text[..first.unwrap_or(0)]
                .lines()
                .all(|it| it.is_empty() || it.starts_with(['/', '#']))
    );
    for target in [Target::C, Target::OpenCl] {
        let text = of(target);
        let defined = text
            .lines()
            .filter_map(|line| line.strip_prefix("#define "));
        for name in defined.filter_map(|line| line.split([' ', '(']).next()) {
            let is_undone = text.contains(&format!("#undef {name}\n"));
            assert!(is_undone || name == "wait_for_all", "{name}");
        }
    }
}
