//! The largest size that is admitted and fits: named values, and made-up headers against all sizes tried one by one.

use crate::support::programs::load;
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::program::Program;
use atgpu::safety::fits;

/// Requires and `let`s, the words needed, and the largest n of a card with 2^28 words.
const NAMED: [(&str, &str, Option<i64>); 19] = [
    ("require n ≤ 1000", "n", Some(1000)),
    ("require n ≤ 1_000_000", "n", Some(1_000_000)),
    ("require n is a power of 3", "n", Some(129_140_163)),
    ("require n ≤ 3000 ∧ n mod 2 = 1", "n", Some(2999)),
    ("require 1100 ≤ n ≤ 1200", "n", Some(1200)),
    ("require n ≥ 0", "n", Some(1 << 28)),
    ("require n ≥ 0", "n + b·[n ≥ 2]", Some((1 << 28) - 32)),
    ("require b ∣ n", "3n + b", Some(89_478_464)),
    ("require n = 64 ∨ n = 128 ∨ n = 100000", "n", Some(100_000)),
    ("require ¬(n > 777)", "n", Some(777)),
    ("require n ≤ 50", "n", Some(50)),
    ("require n^2 ≤ 10^9", "n", Some(31_622)),
    ("require 2^n ≤ 10^6", "n + 7", Some(19)),
    ("require n mod 5000 = 1", "n", Some(268_435_001)),
    (
        "let h = sqrt(n)",
        "h·h + 1",
        Some((1 << 28) - 2 * (1 << 14) + 1),
    ),
    ("let k = log2 n", "2^k", Some(1 << 28)),
    // What does not grow has no largest value: 2^28 fits, and 3 does not.
    ("require n ≥ 0", "n + 2^28·[3 ∣ n]", None),
    ("require n ≤ 10", "2^29 - n", None),
    ("require n ≥ 2^29", "n", None),
];

fn program(header: &str, words: &str) -> Program {
    let text =
        format!("algorithm T(n)\n  {header}\n  global a[{words}]\n  input A[{words}]\n  a ⇚ A\n");
    load("largest", &text).0
}

fn card(words: i64) -> Machine {
    let card = Machine::built_in("gtx650").expect("built in");
    card.with([("G", words)]).expect("a number of words")
}

#[test]
fn the_largest_size_is_admitted_and_fits() {
    for (header, words, expected) in NAMED {
        let found = fits(&program(header, words), &().into(), &card(1 << 28)).largest;
        let expected = expected.map(|value| ("n".to_owned(), value.into()));
        assert_eq!(found, expected, "{header}, {words} words");
    }
}

/// With few words all sizes can be tried.
#[test]
fn the_largest_size_is_that_of_all_sizes() {
    const WORDS: i64 = 900;
    let requires = [
        "n ≥ 0",
        "n ≤ 70",
        "n < 33 ∨ n = 500",
        "b ∣ n",
        "3 ∣ n ∧ 4 ∣ n",
        "n mod 7 = 3",
        "n is a power of 2",
        "n is a power of b",
        "n^2 ≤ 5000",
        "n div 10 ≤ 12",
        "n ≠ 900",
        "n > 1000",
        "¬(n ≥ 64) ∧ n mod 2 = 1",
        "100 ≤ n ≤ 90",
        "n = 65",
        "2n ≤ 131",
        "n ≤ 5 ∨ n ≥ 800",
    ];
    let sizes = [
        "n",
        "2n + 1",
        "⌈n/b⌉·b",
        "n·n",
        "n(n - 1)/2 + 1",
        "max(n, 100)",
        "n + 40·[n ≥ 90]",
        "7",
    ];
    let card = card(WORDS);
    let mut told = 0;
    for header in requires {
        for words in sizes {
            let program = program(&format!("require {header}"), words);
            let admitted = (0..WORDS + 200).filter_map(|n| {
                let point = Point::new(&program, card.atgpu.numbers(), &[("n", n)].into()).ok()?;
                Some((n, point.extents[0][0].clone() <= WORDS.into()))
            });
            let admitted: Vec<(i64, bool)> = admitted.collect();
            let most = admitted
                .iter()
                .filter(|(_, fits)| *fits)
                .map(|(n, _)| *n)
                .max();
            let found = fits(&program, &().into(), &card)
                .largest
                .map(|(_, value)| value);
            if let Some(found) = found {
                assert_eq!(Some(found), most.map(Into::into), "{header}, {words} words");
                let mut smaller = admitted.iter().filter(|(n, _)| Some(*n) < most);
                assert!(smaller.all(|(_, fits)| *fits), "{header}, {words} words");
                told += 1;
            }
        }
    }
    assert!(
        told >= 80,
        "only {told} of {} have one",
        requires.len() * sizes.len()
    );
}
