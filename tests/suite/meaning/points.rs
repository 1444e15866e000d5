//! Points: which values are refused, in which order things are evaluated, which are the smallest.

use crate::support::programs::load;
use atgpu::count::Parameters;
use atgpu::meaning::{Point, admissible_points, evaluate_claim};
use atgpu::program::Program;

const MACHINE: [i64; 4] = [384, 4, 12288, 1 << 28];

fn program(header: &str) -> Program {
    load("header", &format!("algorithm T(n, m)\n{header}\n")).0
}

/// The codes at n and m, and the lines of their primary labels.
fn faults(header: &str, n: i64, m: i64) -> Vec<(String, Option<usize>)> {
    let program = program(header);
    let values: Parameters = [("n", n), ("m", m)].into_iter().collect();
    let Err(faults) = Point::new(&program, MACHINE, &values) else {
        return Vec::new();
    };
    let line = |fault: &atgpu::diag::Diagnostic| {
        let primary = fault.primary()?;
        Some(program.line(primary.span))
    };
    let codes = faults.iter();
    codes
        .map(|fault| (fault.code.short_name().to_owned(), line(fault)))
        .collect()
}

fn one(code: &str, line: usize) -> Vec<(String, Option<usize>)> {
    vec![(code.to_owned(), Some(line))]
}

#[test]
fn requires_come_before_lets_and_sizes() {
    let header = "  let k = n/m\n  require m | n\n  host X[k - 2]";
    assert_eq!(faults(header, 9, 4), one("require::violated", 3));
    assert_eq!(faults(header, 8, 4), []);
    assert_eq!(faults(header, 4, 4), one("value::range", 4));
    assert_eq!(faults("  let k = n/m", 9, 4), one("value::not-integral", 2));
    assert_eq!(
        faults("  let k = n/m", 9, 0),
        one("value::division-by-zero", 2)
    );
    // A `let` that a short-circuited part of a `require` names need not have a value there.
    let guarded = "  let k = 8/m\n  require m = 0 ∨ k > 1";
    assert_eq!(faults(guarded, 1, 0), one("value::division-by-zero", 2));
    assert_eq!(faults(guarded, 1, 8), one("require::violated", 3));
    // What has no value is told only where every other `require` holds, in whatever order they stand.
    let whole = ["  require k > 1", "  require m | n", "  let k = n/m"];
    for order in [[0, 1, 2], [1, 0, 2], [2, 0, 1]] {
        let header = order.map(|line| whole[line]).join("\n");
        let line = order
            .iter()
            .position(|line| *line == 1)
            .map_or(0, |at| at + 2);
        assert_eq!(faults(&header, 9, 4), one("require::violated", line));
    }
    let in_one = "  require k > 1 ∧ m | n\n  let k = n/m";
    assert_eq!(faults(in_one, 9, 4), one("require::violated", 2));
    assert_eq!(
        faults("  require k > 1\n  let k = n/m", 9, 4),
        one("value::not-integral", 3)
    );
    assert_eq!(
        faults("  let k = min(n, 2^n)", 1 << 40, 1),
        one("value::overflow", 2)
    );
}

#[test]
fn a_violated_require_names_its_values() {
    let program = program("  let k = n + 1\n  require k < m");
    let values: Parameters = [("n", 3), ("m", 4)].into_iter().collect();
    let faults = Point::new(&program, MACHINE, &values).expect_err("4 < 4 does not hold");
    assert_eq!(faults[0].message, "`k < m` does not hold for k = 4, m = 4");
}

#[test]
fn values_are_given_to_formals_only() {
    let program = program("  let k = n");
    let codes = |values: &[(&str, i64)]| {
        let values: Parameters = values.iter().copied().collect();
        let faults = Point::new(&program, MACHINE, &values)
            .err()
            .unwrap_or_default();
        faults
            .iter()
            .map(|fault| fault.code.short_name())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        codes(&[("n", 1), ("m", 1), ("alpha", 2), ("b", 8)]),
        [""; 0]
    );
    assert_eq!(codes(&[("n", 1)]), ["usage::value"]);
    assert_eq!(codes(&[("n", 1), ("m", 1), ("k", 1)]), ["usage::value"]);
    assert_eq!(codes(&[("n", 1), ("m", 1), ("size", 1)]), ["usage::value"]);
}

#[test]
fn the_smallest_points_come_first() {
    let program = program("  require b | n ∧ n ≥ 1\n  require m < n");
    let points = admissible_points(&program, MACHINE, &Parameters::new(), 5);
    let shown: Vec<String> = points
        .iter()
        .map(|point| {
            let parts = point.iter().map(|(name, value)| format!("{name}={value}"));
            parts.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(
        shown,
        ["n=4 m=0", "n=4 m=1", "n=4 m=2", "n=4 m=3", "n=8 m=0"]
    );
}

#[test]
fn claims_are_exact() {
    let header = "  claim time = digit_sum(n, 2) + gcd(n, m) + floor_sum(n, 3, 1, m) + log n\n  \
                  claim io = Σ x ∈ 1..n : [m | x]·x\n  claim cost = α";
    let program = program(header);
    let values: Parameters = [("n", 8), ("m", 6)].into_iter().collect();
    let point = Point::new(&program, MACHINE, &values).expect("no requires");
    let value = |at: usize| {
        let claim = &program.claims()[at];
        evaluate_claim(&program, &claim.value, &point.environment, &|_| None)
            .expect("no faults")
            .and_then(|value| value.to_integer())
    };
    // 1 + 2 + Σ ⌊(3v + 1)/6⌋ (0, 0, 1, 1, 2, 2, 3, 3) + 3
    assert_eq!(value(0), Some(18.into()));
    assert_eq!(value(1), Some(6.into()));
    assert_eq!(value(2), None);
}
