//! Generated kernels, executed by every engine: all must give what the reference gives, be it
//! counts, data or the same first fault.

use crate::support::cases;
use atgpu::check;
use atgpu::count::Parameters;
use atgpu::exec::{Engine, Execution, Options, Outcome, Unwatched};
use atgpu::meaning::Point;
use atgpu::syntax;
use atgpu::text::Source;
use proptest::prelude::*;

/// A whole-number expression of parameters; cores are `j`, MPs `i`, a loop's variable `t`.
fn number() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        4 => Just("j".to_owned()),
        2 => Just("i".to_owned()),
        1 => Just("b".to_owned()),
        1 => Just("n".to_owned()),
        1 => Just("h".to_owned()),
        3 => (0..5i64).prop_map(|value| value.to_string()),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x} + {y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x} - {y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x}·{y})")),
            (inner.clone(), 1..4i64).prop_map(|(x, y)| format!("({x} mod {y})")),
            (inner.clone(), 1..4i64).prop_map(|(x, y)| format!("({x} div {y})")),
            (inner.clone(), 1..4i64).prop_map(|(x, y)| format!("⌈{x}/{y}⌉")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("min({x}, {y})")),
            (condition_of(inner.clone()), inner.clone(), inner)
                .prop_map(|(c, x, y)| format!("select({c}, {x}, {y})")),
        ]
    })
    .boxed()
}

fn condition_of(of: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let order = prop_oneof![
        Just("<"),
        Just("≤"),
        Just("="),
        Just("≠"),
        Just(">"),
        Just("≥")
    ];
    (of.clone(), order, of)
        .prop_map(|(x, order, y)| format!("{x} {order} {y}"))
        .boxed()
}

/// An expression of data: ints of `_x` and `_y`, mixed with numbers.
fn data() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        3 => Just("_x[j]".to_owned()),
        2 => Just("_y[j]".to_owned()),
        1 => number().prop_map(|index| format!("_x[({index}) mod 8]")),
        1 => Just("_y[_x[j] mod 8]".to_owned()),
        2 => number(),
    ];
    leaf.prop_recursive(2, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x} + {y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x} - {y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x}·{y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x} mod (abs({y}) + 1))")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("⌊{x}/(2·{y} + 1)⌋")),
            (inner.clone(), 1..3i64).prop_map(|(x, y)| format!("({x}/{y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("max({x}, {y})")),
            inner.clone().prop_map(|x| format!("abs({x})")),
            inner.clone().prop_map(|x| format!("bitand(abs({x}), 7)")),
            inner.clone().prop_map(|x| format!("⌊0.75·({x})⌋")),
            (inner.clone(), inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, x, y)| format!("select({a} < {b}, {x}, {y})")),
        ]
    })
    .boxed()
}

/// Runs of cores at equal distances.
fn every_other() -> BoxedStrategy<String> {
    (0..3u32, 2..4i64, 0..2i64)
        .prop_map(|(length, of, rest)| format!("(j div {}) mod {of} = {rest}", 1 << length))
        .boxed()
}

/// Two words exchanged by their order, or nearly so, which do not always lie apart.
fn exchange(id: u32) -> BoxedStrategy<Vec<String>> {
    let one = prop_oneof!["_x\\[j\\]", "_x\\[7 - j\\]", "_x\\[j div 2\\]", "_y\\[j\\]"];
    let apart = prop_oneof![
        6 => (1..5i64).prop_map(|apart| format!("_x[(j + {apart}) mod 8]")),
        6 => (0..5i64).prop_map(|apart| format!("_x[j + {apart}]")),
        2 => Just("_y[j]".to_owned()),
        1 => Just("_x[j - 1]".to_owned()),
    ];
    let mask = prop_oneof![
        3 => (0..3u32).prop_map(|length| format!("(j div {}) mod 2 = 0", 1 << length)),
        2 => (0..8i64, 0..5i64).prop_map(|(from, more)| format!("j ≥ {from} ∧ j ≤ {}", from + more)),
        1 => every_other(),
    ];
    let rises = prop_oneof![
        Just("i < 2"),
        Just("(i div 2) mod 2 = 0"),
        Just("(j div 2) mod 2 = 1"),
        Just("_y[j] < 4"),
        Just("k < 1"),
    ];
    let extremes = prop_oneof![8 => Just(("min", "max")), 8 => Just(("max", "min")), 1 => Just(("min", "min"))];
    let options = prop::array::uniform3(prop::bool::weighted(0.5));
    (one, apart, mask, rises, extremes, options)
        .prop_map(
            move |(one, other, mask, rises, (first, second), [is_chosen, is_turned, is_read])| {
                let (l, h, k) = (format!("l{id}"), format!("h{id}"), format!("k{id}"));
                let rises = rises.replace('k', &k);
                let mut lines = vec![
                    format!("if {mask} then"),
                    format!("let {l} = {first}({one}, {other})"),
                    format!("let {h} = {second}({one}, {other})"),
                ];
                if rises.starts_with('k') {
                    lines.push(format!("let {k} = ((i + j) div 4) mod 2"));
                }
                let (x, y) = if is_chosen {
                    (
                        format!("select({rises}, {l}, {h})"),
                        format!("select({rises}, {h}, {l})"),
                    )
                } else {
                    (l.clone(), h.clone())
                };
                let mut targets = [one, other];
                if is_turned {
                    targets.reverse();
                }
                lines.extend([
                    format!("{} ← {x}", targets[0]),
                    format!("{} ← {y}", targets[1]),
                ]);
                if is_read && is_chosen {
                    lines.push(format!("_x[j] ← {h} - 1"));
                }
                lines.push("end if".to_owned());
                lines
            },
        )
        .boxed()
}

/// Lines of a block, indentation left out.
fn block(depth: u32) -> BoxedStrategy<Vec<String>> {
    let place = prop_oneof![
        4 => Just("j".to_owned()),
        2 => number().prop_map(|index| format!("({index}) mod 8")),
        1 => number(),
    ];
    let plain = prop_oneof![
        4 => (place.clone(), data()).prop_map(|(at, value)| vec![format!("_x[{at}] ← {value}")]),
        3 => data().prop_map(|value| vec![format!("_y[j] ← {value}")]),
        1 => data().prop_map(|value| vec![format!("_f[j] ← {value} + 0.5"), "_g ← _f[0]".into()]),
        2 => place.clone().prop_map(|at| vec![format!("_x[j] ⇐ a[({at}) mod n]")]),
        1 => place.clone().prop_map(|at| vec![format!("c[({at}) mod n] ⇐ _x[j]")]),
        4 => Just(vec!["c[ib + j] ⇐ _y[j]".to_owned()]),
        1 => number().prop_map(|at| vec![format!("d[({at}) mod n] ⇐ _y[j]")]),
        1 => number().prop_map(|at| vec![format!("_y[j] ⇐ d[({at}) mod n]")]),
        2 => (place, data()).prop_map(|(at, value)| {
            vec![format!("atomic _y[({at}) mod 8] ← _y[({at}) mod 8] + {value}")]
        }),
    ];
    if depth == 0 {
        return plain.boxed();
    }
    let inner = || prop::collection::vec(block(depth - 1), 1..3).prop_map(|blocks| blocks.concat());
    let wrapped = |open: String, body: Vec<String>, close: &str| {
        let mut lines = vec![open];
        lines.extend(body);
        lines.push(close.to_owned());
        lines
    };
    prop_oneof![
        5 => plain,
        2 => (condition_of(number()), inner())
            .prop_map(move |(c, body)| wrapped(format!("if {c} then"), body, "end if")),
        1 => (condition_of(data()), inner())
            .prop_map(move |(c, body)| wrapped(format!("if {c} then"), body, "end if")),
        2 => (every_other(), inner())
            .prop_map(move |(c, body)| wrapped(format!("if {c} then"), body, "end if")),
        1 => (every_other(), every_other(), data(), data(), 0..10_000u32).prop_map(
            move |(mask, within, x, y, id)| {
                let body = vec![
                    format!("let l{id} = {x}"),
                    format!("let k{id} = {y}"),
                    format!("if {within} then"),
                    format!("_x[j] ← select(k{id} < l{id}, l{id}, k{id})"),
                    "end if".to_owned(),
                    format!("_y[(j + 3) mod 8] ← max(k{id}, l{id} - k{id})"),
                ];
                wrapped(format!("if {mask} then"), body, "end if")
            },
        ),
        2 => (0..10_000u32).prop_flat_map(exchange),
        1 => (number(), number(), inner(), 0..1000u32).prop_map(move |(lo, hi, body, id)| {
            wrapped(format!("for t{id} = ({lo}) mod 4 → ({hi}) mod 5 do"), body, "end for")
                .into_iter()
                .collect()
        }),
        1 => (1..4i64, inner(), 0..1000u32).prop_map(move |(times, body, _)| {
            let mut body = body;
            body.push("_z[j] ← _z[j] + 1".to_owned());
            wrapped(format!("while _z[j] mod 4 < {times} ∧ _z[j] < 12 at most 11 do"), body, "end while")
        }),
    ]
    .boxed()
}

/// The lines as a kernel of MPs in one dimension, or in two with as many and one more.
fn program(lines: &[String], in_two: bool) -> String {
    // Loop variables get names of their own, digits being no part of a product's letters.
    let mut numbered = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line.strip_prefix("for t") {
            Some(rest) => {
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                numbered.push(format!("for t{at}{rest}"));
            }
            None => numbered.push(line.clone()),
        }
    }
    let (mps, cores, own) = if in_two {
        (
            "mp_{u,w} ∈ MP[0..2, 0..1]",
            "c_{u,w,j} ∈ C_{u,w}",
            "let i = 2u + w\n    ",
        )
    } else {
        ("mp_i ∈ MP[0..⌈n/b⌉-1]", "c_{i,j} ∈ C_i", "")
    };
    format!(
        "algorithm Generated(n)
  input A[n] in -20..20
  output C[n], D[n]
  global a[n], c[n + 2b], d[n]
  shared _x[8], _y[8] in -1000000..1000000, _z[8]
  shared float _f[8], _g
  a ⇚ A
  c[0..n-1] ⇚ A
  d ⇚ A
  for all {mps} in parallel do
    {own}let h = 3i + 1
    for all {cores} in parallel do
      _x[j] ← j
      _y[j] ← 2i + j
      _z[j] ← 0
      {}
    end for
  end for
  C ⇚ c[0..n-1]
  D ⇚ d
",
        numbered.join("\n      ")
    )
}

#[derive(Clone, Copy)]
enum Manner {
    Batches,
    Statements,
    Threads,
    StatementThreads,
    Reference,
}

fn run(text: &str, manner: Manner) -> Result<Outcome, Vec<String>> {
    let source = Source::new("generated", text);
    let parsed = syntax::parse(&source);
    let Some(algorithm) = parsed.algorithm.filter(|_| parsed.diagnostics.is_empty()) else {
        panic!("{text}\n{:?}", parsed.diagnostics);
    };
    let checked = check::check(&source, &algorithm);
    let Some(program) = checked.program else {
        return Err(vec![]);
    };
    let mut parameters = Parameters::new();
    parameters.set("n", 36);
    let point = Point::new(&program, [64, 8, 1024, 1024], &parameters).expect("a point");
    let options = Options {
        threads: match manner {
            Manner::Threads => 3,
            Manner::StatementThreads => 2,
            Manner::Batches | Manner::Statements | Manner::Reference => 1,
        },
        ..Options::default()
    };
    let prepared = Execution::prepare(&program, &point, &options);
    let mut execution = prepared.expect("it prepares").by(match manner {
        Manner::Batches | Manner::Threads => Engine::Batches,
        Manner::Statements | Manner::StatementThreads => Engine::Statements,
        Manner::Reference => Engine::Reference,
    });
    let faults = |faults: Vec<atgpu::diag::Diagnostic>| {
        faults.iter().map(|fault| format!("{fault:?}")).collect()
    };
    execution.run(&Unwatched).map_err(faults)
}

/// Whether what every engine makes of a program is what the reference makes of it.
fn agree(text: &str) -> Result<(), TestCaseError> {
    let reference = run(text, Manner::Reference);
    for manner in [
        Manner::Batches,
        Manner::Statements,
        Manner::Threads,
        Manner::StatementThreads,
    ] {
        match (run(text, manner), reference.clone()) {
            (Ok(fast), Ok(reference)) => {
                prop_assert_eq!(&fast.counts, &reference.counts, "{}", text);
                prop_assert_eq!(&fast.host, &reference.host, "{}", text);
                prop_assert_eq!(&fast.global, &reference.global, "{}", text);
                prop_assert_eq!(fast.lane_operations, reference.lane_operations);
            }
            (Err(fast), Err(reference)) => prop_assert_eq!(fast, reference, "{}", text),
            (fast, reference) => {
                let (fast, reference) = (fast.err(), reference.err());
                prop_assert!(false, "fast {fast:?}\nreference {reference:?}\n{text}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases::config(300))]

    #[test]
    fn all_engines_agree(
        blocks in prop::collection::vec(block(2), 1..5),
        in_two in prop::bool::ANY,
    ) {
        agree(&program(&blocks.concat(), in_two))?;
    }

    #[test]
    fn exchanges_agree(first in exchange(1), second in exchange(2), in_two in prop::bool::ANY) {
        let mut lines = vec!["_x[j] ← (5j + 3i) mod 8".to_owned(), "_y[j] ← (3j + i) mod 7".into()];
        lines.extend(first);
        lines.extend(second);
        let stores = ["if ib + j < n then", "c[ib + j] ⇐ _x[j]", "d[ib + j] ⇐ _y[j]", "end if"];
        lines.extend(stores.map(String::from));
        agree(&program(&lines, in_two))?;
    }
}
