//! What is done with an input of each fuzz target: it must neither panic, nor hang, nor contradict
//! itself. `fuzz/` feeds these with inputs that libFuzzer makes up, `mod.rs` with mutated
//! programs and with every input that once showed a fault.

use std::ops::ControlFlow;

use atgpu::array::{Array, Data, csv, npy};
use atgpu::check::check;
use atgpu::count::{Parameters, parse_number};
use atgpu::derivation::Derivation;
use atgpu::derivation::evaluate::Evaluated;
use atgpu::derive::derive;
use atgpu::diag::Diagnostic;
use atgpu::exec::{Execution, Options, Unwatched};
use atgpu::interval::{self, CountOptions};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::Program;
use atgpu::study::Axis;
use atgpu::syntax::ast::WordType;
use atgpu::syntax::{Spelling, format, parse};
use atgpu::text::Source;
use atgpu::verify::{self, Verdict};

/// Core-steps after which a point takes too long to be compared.
const WORK: u64 = 20_000;

/// The text of an input, whatever its bytes.
pub fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads a text as a program.
pub fn parses(text: &str) {
    let source = Source::new("fuzzed", text);
    labels_fit(text, &parse(&source).diagnostics);
}

/// Checks what can be read of a text.
pub fn checks(text: &str) {
    let source = Source::new("fuzzed", text);
    let parsed = parse(&source);
    let Some(algorithm) = parsed.algorithm else {
        return;
    };
    let checked = check(&source, &algorithm);
    labels_fit(text, &checked.diagnostics);
    let mut all = parsed.diagnostics.iter().chain(&checked.diagnostics);
    let has_errors = all.any(Diagnostic::is_error);
    assert!(
        checked.program.is_some() || has_errors,
        "refused without a reason"
    );
}

/// Lays a text out: twice is once, and ASCII and back is the same program.
pub fn formats(text: &str) {
    let laid_out = |text: &str, spelling| format(&Source::new("fuzzed", text), spelling).ok();
    let Some(unicode) = laid_out(text, Spelling::Unicode) else {
        return;
    };
    assert_eq!(
        laid_out(&unicode, Spelling::Unicode).as_ref(),
        Some(&unicode)
    );
    let ascii = laid_out(text, Spelling::Ascii).expect("it has one layout, so it has another");
    assert_eq!(laid_out(&ascii, Spelling::Ascii).as_ref(), Some(&ascii));
    assert_eq!(laid_out(&ascii, Spelling::Unicode).as_ref(), Some(&unicode));
}

/// Derives a sound program.
pub fn derives(text: &str) {
    if let Some(program) = sound(text) {
        let derivation = derive(&program, &Parameters::new());
        assert!(!derivation.to_string().is_empty());
    }
}

/// Executes a sound program at small points, and holds its derivation against that.
pub fn runs(text: &str) {
    let Some(program) = sound(text) else {
        return;
    };
    if !interval::unbounded_loops(&program).is_empty() || program.formals().len() > 4 {
        return;
    }
    let derivation = derive(&program, &Parameters::new());
    for (b, n) in [(2, 4), (3, 2), (4, 7), (1, 1)] {
        compare_at(&program, &derivation, b, n);
    }
}

fn compare_at(program: &Program, derivation: &Derivation, b: i64, n: i64) {
    let names = program
        .formals()
        .iter()
        .map(|id| &program.parameter(*id).name);
    let given: Parameters = names.map(|name| (name.as_str(), n)).collect();
    let Ok(point) = Point::new(program, [4 * b, b, 1 << 12, 1 << 16], &given) else {
        return;
    };
    let words = point
        .extents
        .iter()
        .map(|extents| extents.iter().product::<BigInt>());
    if words.max().unwrap_or_default() > BigInt::from(2_000) {
        return;
    }
    let options = CountOptions {
        work_limit: Some(WORK),
        ..CountOptions::default()
    };
    let going = |_| ControlFlow::Continue(());
    let Ok(counted) = interval::count(program, &point, &options, &going) else {
        return;
    };
    let options = Options {
        threads: 1,
        memory_limit: Some(1 << 26),
        ..Options::default()
    };
    let executed = Execution::prepare(program, &point, &options)
        .and_then(|mut execution| execution.run(&Unwatched));
    let Ok(outcome) = executed else {
        return;
    };
    assert!(
        counted.faults.is_empty(),
        "b = {b}, n = {n}: {:?}",
        counted.faults
    );
    let counted = Evaluated {
        counts: counted.counts,
        omitted: BigInt::from(0),
    };
    let verdict = verify::compare(&counted, &outcome.counts);
    assert!(
        !matches!(verdict, Verdict::Differs(_)),
        "b = {b}, n = {n}, counted: {verdict:?}"
    );
    let verdict = verify::verify(program, derivation, &point, &outcome.counts);
    assert!(
        !matches!(verdict, Verdict::Differs(_)),
        "b = {b}, n = {n}, derived: {verdict:?}"
    );
}

/// Reads a machine file.
pub fn machines(text: &str) {
    match Machine::from_toml(text) {
        Ok(machine) => assert!(machine.validate().is_ok(), "a machine out of range"),
        Err(faults) => {
            assert!(!faults.is_empty(), "refused without a reason");
            labels_fit(text, &faults);
        }
    }
}

/// Reads a NumPy file: what is read is written and read back.
pub fn arrays(bytes: &[u8]) {
    if let Ok(array) = npy::read(bytes) {
        is_whole(&array);
        let again = npy::read(&npy::write(&array)).expect("what we write, we read");
        assert_eq!(again.shape, array.shape);
        assert_eq!(bits(&again), bits(&array));
    }
}

/// Reads a table of ints and of floats.
pub fn tables(bytes: &[u8]) {
    for word_type in [WordType::Int, WordType::Float] {
        if let Ok(array) = csv::read_bytes(bytes, word_type) {
            is_whole(&array);
            let text = csv::write(&array);
            let again =
                csv::read_bytes(text.as_bytes(), word_type).expect("what we write, we read");
            assert_eq!(again.data.len(), array.data.len());
        }
    }
}

/// Reads the value of a `-D`: what is printed is the same number.
pub fn definitions(text: &str) {
    if let Ok(number) = parse_number(text) {
        let shown = number.to_string();
        if let Some(whole) = number.to_integer() {
            assert_eq!(parse_number(&shown).ok(), Some(whole.into()));
        }
    }
}

/// Reads a `--vary`: its values are there, and rise.
pub fn axes(text: &str) {
    if let Ok(axis) = Axis::parse(text, &|_| true)
        && !axis.is_empty()
    {
        let last = axis.len() - 1;
        for place in [0, last / 2, last] {
            let _ = axis.value(place).to_string();
        }
        let listed = text.contains(',');
        assert!(listed || axis.value(0) <= axis.value(last), "{text}");
    }
}

fn sound(text: &str) -> Option<Program> {
    let source = Source::new("fuzzed", text);
    let parsed = parse(&source);
    let algorithm = parsed.algorithm.filter(|_| parsed.diagnostics.is_empty())?;
    check(&source, &algorithm).program
}

fn labels_fit(text: &str, list: &[Diagnostic]) {
    for diagnostic in list {
        assert!(!diagnostic.message.is_empty());
        for label in &diagnostic.labels {
            let span = label.span;
            assert!(span.start <= span.end && span.end <= text.len(), "{span:?}");
            assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        }
    }
}

fn is_whole(array: &Array) {
    let words: usize = array.shape.iter().product();
    assert_eq!(words, array.data.len());
}

/// The words bit for bit: NaN is itself.
fn bits(array: &Array) -> Vec<u64> {
    match &array.data {
        Data::Int(words) => words.iter().map(|word| *word as u64).collect(),
        Data::Float(words) => words.iter().map(|word| word.to_bits()).collect(),
    }
}
