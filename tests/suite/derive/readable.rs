//! Formulas are there to be read: every quantity of every program has a bound of at most two lines and a
//! class; forms are written as a paper would; and all of them together do not get longer.

use std::path::PathBuf;

use crate::support::engines::{below_its_formula, choices};
use crate::support::programs::{DerivedFile, derived_file, name, programs};
use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::{Derivation, Derived};
use atgpu::derive::derive;
use atgpu::derive::numbers::Known;
use atgpu::machine::Machine;
use atgpu::number::BigInt;
use atgpu::sym::Expr;
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::shape::Shape;

/// Characters of two lines of a report, behind a label.
const TWO_LINES: usize = 2 * 88;

fn derived(file: &std::path::Path) -> &'static Derivation {
    &derived_file(file).derivation
}

fn quantities(derivation: &Derivation) -> Vec<(Quantity, &Derived)> {
    let totals = derivation.totals.all().into_iter();
    let costs = [
        (Quantity::TransferCost, &derivation.transfer_cost),
        (Quantity::Cost, &derivation.cost),
        (Quantity::GpuCost, &derivation.gpu_cost),
    ];
    totals.chain(costs).collect()
}

/// As the report shows it.
fn shown(printer: &Printer, quantity: &Derived) -> Option<String> {
    Some(printer.text(quantity.shown()?))
}

fn printer(derivation: &Derivation) -> Printer {
    Printer::new(&Names {
        definitions: derivation.names.clone(),
    })
}

#[test]
fn every_quantity_has_a_bound_of_two_lines_and_a_class() {
    let mut missing: Vec<String> = Vec::new();
    for file in programs("programs") {
        let derivation = derived(&file);
        let printer = printer(derivation);
        for (which, quantity) in quantities(derivation) {
            let place = format!("{}: {}", name(&file), which.name());
            match shown(&printer, quantity) {
                None => missing.push(format!("{place}: no bound")),
                Some(text) if text.chars().count() > TWO_LINES => {
                    missing.push(format!("{place}: {text}"));
                }
                Some(_) => {}
            }
            if !derivation.classes.contains_key(&which) {
                missing.push(format!("{place}: no class"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The lines of a report before its rounds, each formula and each class in one string per line it takes.
fn heads(report: &str) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    let head = report
        .split("\nround ")
        .next()
        .expect("there is a first part");
    for line in head.lines().filter(|line| line.starts_with("  ")) {
        // A class, and the one line of a sum over rounds, begin anew.
        let begins = ["∈", "= ", "≤ "].map(|sign| line.trim_start().starts_with(sign));
        let goes_on = line.starts_with("            ") && !begins.contains(&true);
        match found.last_mut().filter(|_| goes_on) {
            Some(lines) => lines.push(line),
            None => found.push(vec![line]),
        }
    }
    found
}

#[test]
fn reports_show_totals_costs_and_classes_in_two_lines_each() {
    let (mut long, mut classes) = (Vec::new(), 0);
    for file in programs("programs") {
        let report = derived(&file).to_string();
        for lines in heads(&report) {
            if lines.len() > 2 {
                long.push(format!("{}: {lines:#?}", name(&file)));
            }
            classes += usize::from(lines[0].trim_start().starts_with('∈'));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
    // Those of both costs at least.
    assert!(classes >= 2 * programs("programs").len(), "{classes}");
}

#[test]
fn short_bounds_are_never_below_what_they_stand_for() {
    let mut compared = 0;
    for folder in ["programs", "tests/suite/derive/constructs"] {
        for file in programs(folder) {
            let DerivedFile {
                program,
                derivation,
            } = derived_file(&file);
            for choice in choices(program, 12, 11) {
                let found = below_its_formula(derivation, &choice);
                assert_eq!(found, None, "{}", file.display());
                compared += derivation.with_short_bounds().count();
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

/// How deep brackets, fractions and calls stand inside each other.
fn depth(shape: &Shape) -> usize {
    let parts = shape.parts().into_iter().map(depth);
    parts.max().map_or(0, |deepest| deepest + 1)
}

/// The length of all formulas that the reports of all programs show for totals and costs, in characters,
/// and their depth: a change that makes these larger makes formulas harder to read. Costs have two lines of
/// their own, and are exact where they fit.
const SCORE: (usize, usize) = (49_121, 6_076);

#[test]
fn formulas_get_no_longer_and_no_deeper() {
    let folders = ["programs", "tests/suite/derive/constructs"];
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| programs(folder)).collect();
    let (mut length, mut deep) = (0, 0);
    for file in files {
        let derivation = derived(&file);
        let printer = printer(derivation);
        for (_, quantity) in quantities(derivation) {
            let Some(upper) = quantity.shown() else {
                continue;
            };
            length += printer.text(upper).chars().count();
            deep += depth(&printer.shape(upper));
        }
    }
    println!("length {length}, depth {deep}");
    assert!(
        length <= SCORE.0 && deep <= SCORE.1,
        "formulas are {length} characters long and {deep} deep, they were {SCORE:?}"
    );
}

/// Read one by one and found to be what a paper would print: the program, its quantity, the form.
#[rustfmt::skip]
const AS_IN_A_PAPER: [(&str, &str, &str); 55] = [
    ("bitonic_sort", "rounds", "(log2 (n/b) + 1)(log2 (n/b) + 2)/2"),
    ("bitonic_sort", "time", "max(12·(log2 b)^2 + 13 log2 b + 5, 24 log2 b + 5, 26)"),
    ("breadth_first_search", "io", "k(2n^2 - 1)"),
    ("compaction", "time", "(9 log2 b + 16)⌈n/b^2⌉ + 4"),
    ("convolution", "io", "kW + (k - 1)⌈(w - 1)/b⌉ + k + ⌈(n + w - 1)/b⌉"),
    ("dot_product", "total_time", "R(9 log2 b + 10) + 7"),
    ("dot_product", "io", "2R + ⌈n/b⌉ + 2(n - digit_sum(n - 1, b) - 1)/(b - 1)"),
    ("floyd_warshall_tiled", "time", "15b^2 + (18b + 3)·[r ≥ 2] + 22b + 3"),
    ("floyd_warshall_tiled", "total_time", "(45nb + 102n + 9r)·[r ≥ 2] + 15nb + 22n + 8r"),
    ("floyd_warshall_tiled", "io", "r^2(4n - 2b)"),
    ("histogram", "io", "2Wk + W + ⌈n/b⌉"),
    ("matrix_multiplication_naive", "io", "l(nm + m⌈n/b⌉ + n)"),
    ("matrix_multiplication_tiled", "time", "(15m + 15T + 14)·min(b, n) + 13m + 10T + 11"),
    ("matrix_multiplication_tiled", "io", "(Tn + m⌈n/b⌉ + n)⌈l/b⌉"),
    ("matrix_vector_columns", "io", "(2m + 1)⌈n/b⌉"),
    ("matrix_vector_columns", "gpu_cost", "3α + β(nm + n + m) + ((13m + 8)⌈n/(bk'ℓ)⌉ + λ(2m + 1)⌈n/b⌉)/γ + σ"),
    ("matrix_vector_rows", "io", "nm + (m + 1)⌈n/b⌉"),
    ("matrix_vector_warp", "time", "14K + 9 log2 b + 7"),
    ("matrix_vector_warp", "io", "2Kn - (K - 1)⌈n·gcd(m, b)/b⌉ + n + ⌊nm/b⌋ - ⌊n·gcd(m, b)/b⌋"),
    ("out_of_core_addition", "io", "3(R - 1)⌈m/b⌉ + 3⌈(n - Rm + m)/b⌉"),
    ("out_of_core_reduction", "time", "11⌈m/b^2⌉ + 9 log2 b + 7"),
    ("radix_pass", "total_time", "(9 log2 b + 16)⌈n/b^2⌉ + 9 log2 b + 2·[n ≥ b + 1] + 49"),
    ("reduction_first_add", "io", "3(n - 1)/(2b - 1)"),
    ("reduction_interleaved_conflicts", "total_time", "R(22 log2 b + 44)"),
    ("reduction_interleaved_conflicts", "bank_conflicts", "3 log2 b·(n - 1)/(2b - 1)"),
    ("reduction_several_words", "io", "k + ⌈n/b⌉ + ⌈k/b⌉ + 1"),
    ("saxpy", "gpu_cost", "4α + β(3n + 1) + (19⌈k/(k'ℓ)⌉ + 4kλ)/γ + σ"),
    ("scan_any_n", "total_time", "R(9 log2 b + 36) - 18"),
    ("scan_any_n", "io", "3R + 6(n - digit_sum(n - 1, b) - 1)/(b - 1)"),
    ("scan_blelloch", "time", "30 log2 b + 106"),
    ("scan_hillis_steele", "io", "k(3R + log2 b - 1) - log2 b + 1"),
    ("strided_copy", "global", "n(s + 1)"),
    ("transpose_naive", "io", "n(m + ⌈m/b⌉)"),
    ("transpose_padded", "io", "n⌈m/b⌉ + m⌈n/b⌉"),
    ("transpose_tiled", "bank_conflicts", "m(n - ⌈n/b⌉)"),
    ("matrix_multiplication_simple", "io", "n(2m + 1)⌈l/b⌉"),
    ("matrix_vector_shared", "time", "14m + 14⌈m/b⌉ + 10"),
    ("matrix_multiplication", "io", "r^2(2n + b)"),
    ("matrix_multiplication", "gpu_cost", "3α + 3n^2·β + ((15nb + 21n + 14b + 3r + 3)⌈r^2/(k'ℓ)⌉ + r^2(2n + b)λ)/γ + σ"),
    ("reduction", "io", "2(n - 1)/(b - 1)"),
    ("reduction", "total_time", "R(9 log2 b + 6)"),
    ("reduction_any_n", "io", "2R + 2(n - digit_sum(n - 1, b) - 1)/(b - 1)"),
    ("vector_addition", "gpu_cost", "3α + 3nβ + (13⌈k/(k'ℓ)⌉ + 3kλ)/γ + σ"),
    ("vector_addition_guarded", "gpu_cost", "3α + 3nβ + (16⌈k/(k'ℓ)⌉ + 3kλ)/γ + σ"),
    ("partial_histograms", "io", "k(e + h)"),
    ("thread_block_multiplication", "io", "r^2(hb + n + b)"),
    ("streamed_matrix_multiplication", "total_time", "s(15nb + 21n + 14b + 3r + 3)"),
    ("streamed_matrix_multiplication", "global", "n^2 + 4n^2/s"),
    ("copy-reversed", "io", "3k - (k - 1)·[b | n] - 1"),
    ("bank-column", "bank_conflicts", "2(b - 1)"),
    ("fft_pass", "io", "2n(min(2, b) + 1)/b"),
    ("growing-launches", "total_time", "3k(k - 1)/2"),
    ("halving", "transfer", "n + n/b"),
    ("stages-and-steps", "io", "n log2 n·(log2 n + 1)/b"),
    ("until-parameters", "total_time", "(15n^2 + 17n + 4)/2"),
];

#[test]
fn formulas_are_written_as_a_paper_would() {
    let folders = ["programs", "tests/suite/derive/constructs"];
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| programs(folder)).collect();
    let mut other: Vec<String> = Vec::new();
    for file in &files {
        let own = AS_IN_A_PAPER.iter().filter(|(of, ..)| *of == name(file));
        let own: Vec<_> = own.collect();
        if own.is_empty() {
            continue;
        }
        let derivation = derived(file);
        let printer = printer(derivation);
        for (of, which, form) in own {
            let all = quantities(derivation);
            let found = all.iter().find(|(known, _)| known.name() == *which);
            let upper = found.and_then(|(_, quantity)| quantity.upper.clone());
            let text = upper.map(|upper| printer.text(&upper)).unwrap_or_default();
            if text != *form {
                other.push(format!("{of} {which}: {text}, not {form}"));
            }
        }
    }
    assert!(other.is_empty(), "{other:#?}");
}

/// A cost whose exact form is long is shown by what is shown of its parts: the time of a wave times the
/// number of waves, not a product written out.
#[test]
fn costs_are_bounded_by_what_is_shown_of_their_parts() {
    let stencil = derived(&PathBuf::from("programs/cookbook/stencil_2d.atgpu"));
    let text = shown(&printer(stencil), &stencil.gpu_cost).expect("bounded");
    assert!(text.contains("(73b + 77)⌈⌈n/b⌉⌈m/b⌉/(k'ℓ)⌉"), "{text}");
    // No more time than all lines together, though which MP is the costliest is known of none.
    let diagonals = "\
algorithm Diagonals(n)
  require n ≥ 1
  output R
  global d[2n, n]
  shared _a[b]
  for g = 0 → 2n - 1 do
    for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        let r = ib + j
        if r < n ∧ 0 ≤ g - r < n then
          _a[j] ← g
          if 1 ≤ r ∧ g - r ≥ 1 then
            _a[j] ← 2·_a[j]
          end if
          d[g, r] ⇐ _a[j]
        end if
      end for
    end for
  end for
  R ⇚ d[0, 0]
";
    let program = atgpu::program(diagonals).expect("sound");
    let derivation = derive(&program, &Parameters::new());
    let printer = printer(&derivation);
    let shown = |quantity: &Derived| shown(&printer, quantity).expect("bounded");
    assert_eq!(shown(&derivation.rounds[0].counts.time), "19");
    assert_eq!(shown(&derivation.totals.total_time), "38n");
    let cost = shown(&derivation.cost);
    assert!(cost.contains("n(38 + "), "{cost}");
    // Letters that are given are numbers in these bounds, too.
    let derivation = derive(&program, &[("lambda", 2), ("sigma", 0)].into());
    let given = derivation.with_short_bounds();
    let given = given.filter_map(|quantity| quantity.short.as_ref());
    let given = given.flat_map(Expr::symbols);
    let given: Vec<String> = given.map(|symbol| symbol.name.to_string()).collect();
    assert!(
        !given.iter().any(|name| name == "λ" || name == "σ"),
        "{given:?}"
    );
}

#[test]
fn classes_are_tight_beside_rounded_quotients() {
    let of = |amount: &str| {
        let text = format!(
            "algorithm T(n, d)\n  require n ≥ 1 ∧ d ≥ 1\n  input A[1]\n  global a[1]\n  shared _x[1]\n  \
             a ⇚ A\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
             for all c_{{i,j}} ∈ C_i in parallel do\n      \
             for s = 1 → {amount} do\n        if j = 0 then\n          _x[0] ← 1\n        end if\n      \
             end for\n    end for\n  end for\n"
        );
        let program = atgpu::program(&text).expect("sound");
        derive(&program, &Parameters::new()).classes[&Quantity::Time].clone()
    };
    assert_eq!(of("n div b"), "Θ(n/b + 1)");
    assert_eq!(of("(n div b)·d + d"), "Θ(nd/b + d)");
    // What lies between two others says nothing.
    assert_eq!(of("⌈n/b⌉·⌈n/b⌉ + ⌈n/b⌉"), "Θ((n/b)^2 + 1)");
}

/// What is derived of a kernel whose cores do `body`, behind a header and `copies`.
fn of_kernel(header: &str, copies: &str, mps: &str, body: &[&str]) -> Derivation {
    let body = body.join("\n      ");
    let text = format!(
        "algorithm T{header}\n  output C[1]\n  shared _x[b]\n{copies}\n  \
         for all mp_i ∈ MP[0..{mps}-1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n      {body}\n    end for\n  end for\n  C ⇚ a[0]\n"
    );
    let program = atgpu::program(&text).expect("sound");
    let derivation = derive(&program, &Parameters::new());
    assert_eq!(derivation.mismatches().len(), 0);
    derivation
}

#[test]
fn no_more_blocks_are_touched_than_there_are_cores_behind_the_outermost_guard() {
    let class = |derivation: Derivation| derivation.classes[&Quantity::Io].clone();
    // Behind a guard that is not `ib + j < n`.
    let tail = of_kernel(
        "(n)\n  require n ≥ 2\n  input A[n*n]\n  global a[n*n]",
        "  a ⇚ A",
        "⌈n/b⌉",
        &[
            "let r = ib + j + 1",
            "if r < n then",
            "_x[j] ⇐ a[r·n]",
            "a[r] ⇐ _x[j]",
            "end if",
        ],
    );
    assert_eq!(class(tail), "O(n)");
    // In a loop whose bounds differ between cores.
    let band = of_kernel(
        "(n, r)\n  require r ≥ 0 ∧ n > r\n  input A[n*n]\n  global a[n*n]",
        "  a ⇚ A",
        "⌈n/b⌉",
        &[
            "let u = ib + j",
            "if u < n then",
            "for v = max(0, u - r) → min(n - 1, u + r) do",
            "_x[j] ⇐ a[u·n + v]",
            "end for",
            "end if",
        ],
    );
    assert!(!class(band.clone()).contains('b'), "{}", class(band));
    // In rows of cores, where sizes stand in exponents.
    let butterfly = of_kernel(
        "(m, s)\n  require m ≥ 1 ∧ s < m\n  input A[2^m]\n  global a[2^m]",
        "  a ⇚ A",
        "⌈2^(m - 1)/b⌉",
        &[
            "let v = ib + j",
            "if v < 2^(m - 1) then",
            "_x[j] ⇐ a[(v div 2^s)·2·2^s + v mod 2^s]",
            "end if",
        ],
    );
    assert!(
        !class(butterfly.clone()).contains("2m"),
        "{}",
        class(butterfly)
    );
}

#[test]
fn a_short_bound_holds_of_all_quantities_with_its_formula() {
    // The second read of `a` touches n blocks at most; the first may touch b for each MP.
    let derivation = of_kernel(
        "(n)\n  require n ≥ 1\n  input A[n], K[n + b] ∈ 0..n-1\n  global a[n], k[n + b]",
        "  a ⇚ A\n  k ⇚ K",
        "⌈n/b⌉",
        &[
            "_x[j] ⇐ k[ib + j]",
            "_x[j] ⇐ a[_x[j]]",
            "if ib + j < n then",
            "_x[j] ⇐ k[ib + j]",
            "_x[j] ⇐ a[_x[j]]",
            "end if",
        ],
    );
    let printer = printer(&derivation);
    let lines = derivation.rounds[0].lines.iter();
    let gathers = lines.filter(|line| line.text.contains("a[_x"));
    let shown: Vec<_> = gathers
        .filter_map(|line| shown(&printer, &line.blocks))
        .collect();
    assert_eq!(shown, ["⌈n/b⌉·min(b, ⌈n/b⌉)", "n + (n - 1)/b"]);
}

#[test]
fn counts_far_from_small_sizes_are_within_the_short_bounds() {
    let text = "algorithm T(n)\n  require n is a power of 4 ∧ n ≥ 4\n  input A[n]\n  output C[n]\n  global a[n], c[n]\n  \
                shared _x[b]\n  a ⇚ A\n  for s = 0 → log_4 n - 1 do\n    \
                for all mp_i ∈ MP[0..⌈n/(4b)⌉-1] in parallel do\n      \
                for all c_{i,j} ∈ C_i in parallel do\n        let v = ib + j\n        if v < n/4 then\n          \
                for k = 0 → 3 do\n            _x[j] ⇐ a[v + k·(n/4)]\n            \
                c[(v div 4^s)·4·4^s + v mod 4^s + k·4^s] ⇐ _x[j]\n          end for\n        end if\n      \
                end for\n    end for\n    swap a ↔ c\n  end for\n  C ⇚ a\n";
    let program = atgpu::program(text).expect("sound");
    let derivation = derive(&program, &Parameters::new());
    let card = Machine::built_in("gtx650").expect("built in");
    let point = program.at(&card, [("n", 1 << 22)]).expect("admitted");
    let known = Known::of(&program, &derivation, &point);
    let counts = known.counts.expect("there are bounds");
    // 2n/b + 8 blocks of each of 11 rounds are read, and no fewer than 2n/b written; one of 852 seconds was shown.
    let io = &counts.totals.io;
    assert!(io.upper < 25_000_000.into(), "{io}");
    for (_, round) in &counts.rounds {
        let arrays = round.arrays.values();
        let most: BigInt = arrays
            .map(|blocks| &blocks.read.upper + &blocks.write.upper)
            .sum();
        assert!(most >= round.io.upper && round.io.upper <= io.upper);
        assert!(most < 10_000_000.into(), "{most}");
    }
}
