//! Paper 4 (the GTX 280 study): half-warp coalescing and banks as machine rules, counted both ways.
//! Its Table 2 (times of 10^6 reads) is observed and only cited.

use atgpu::count::{Charged, Charges};
use atgpu::machine::{BUILT_IN, Banks, Coalescing, Machine};
use atgpu::number::Rational;

use crate::programs::published::support::{charged, counted, executed, gtx280, program, same};

/// Section III: the GTX 280's rules are half-warps and a broadcast word, and those of the card before
/// it; later cards keep paper 1's, or move sectors.
#[test]
fn machines_choose_their_rules() {
    let machine = gtx280();
    assert_eq!(machine.coalescing, Coalescing::HalfWarp);
    assert_eq!(machine.banks, Banks::HalfWarpBroadcast);
    let later = |name: &str| !["gtx280", "gtx8800"].contains(&name);
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| later(name)) {
        let other = Machine::built_in(name).expect("built in");
        assert_eq!(other.banks, Banks::Warp, "{name}");
        assert_ne!(other.coalescing, Coalescing::HalfWarp, "{name}");
    }
}

/// gtx280 with other rules or words.
fn with(changes: &[(&str, &str)]) -> Machine {
    let mut text = include_str!("../../../../src/machine/gtx280.toml").to_owned();
    for (from, to) in changes {
        assert!(text.contains(from));
        text = text.replace(from, to);
    }
    Machine::from_toml(&text).expect("a machine")
}

/// Memory transactions of a warp on neighbouring words of so many bytes.
pub fn transactions_of_neighbours(bytes: i64) -> f64 {
    let machine = with(&[("word_bytes = 4", &format!("word_bytes = {bytes}"))]);
    let program = program("paper1/vector_addition");
    let derived = charged(&program, &[("n", 32)], &machine).expect("it is derived");
    // Three accesses of one MP.
    derived.rounds[0].1.memory_transactions.to_f64() / 3.0
}

/// A warp's aligned neighbours: 32 words of 4 bytes are one block of b words, and one segment of 128
/// bytes for each half-warp; of 8 bytes, still one each (16 words); of 16 bytes, two each.
#[test]
fn neighbours_coalesce_by_half_warps() {
    let program = program("paper1/vector_addition");
    let blocks = with(&[("\"half-warp\"\n", "\"blocks\"\n")]);
    let wide = |bytes: &str| with(&[("word_bytes = 4", bytes)]);
    for (machine, each) in [
        (blocks, 1),
        (gtx280(), 2),
        (wide("word_bytes = 8"), 2),
        (wide("word_bytes = 16"), 4),
        (wide("word_bytes = 2"), 2),
        (wide("word_bytes = 1"), 2),
    ] {
        let given = [("n", 32 * 7)];
        let derived = charged(&program, &given, &machine).expect("it is derived");
        same(
            &derived,
            &executed(&program, &given, &machine).charges,
            "neighbours",
        );
        let round = &derived.rounds[0].1;
        // Half a segment or less for words of 4 bytes or less; whole ones for wider words.
        let bytes = round.memory_bytes.as_ref().expect("all is aligned");
        let word = machine.word_bytes.max(2);
        assert_eq!(*bytes, Rational::from(3 * 7 * 32 * word));
        // Three accesses of seven MPs.
        assert_eq!(round.memory_transactions, Rational::from(3 * 7 * each));
    }
}

/// Derivation and execution agree under the GTX 280's rules on every program whose addresses do not
/// depend on data: guards, strides, tiles, broadcasts and host loops.
#[test]
fn both_engines_agree_under_the_rules_of_the_card() {
    let programs: [(&str, &[(&str, i64)]); 8] = [
        ("paper1/vector_addition_guarded", &[("n", 1000)]),
        ("paper1/vector_addition_guarded", &[("n", 17)]),
        ("paper1/matrix_multiplication", &[("n", 64)]),
        ("paper1/reduction", &[("n", 1024)]),
        ("paper1/reduction_any_n", &[("n", 700)]),
        (
            "paper2/thread_block_multiplication",
            &[("n", 64), ("w", 16)],
        ),
        (
            "paper5/streamed_matrix_multiplication",
            &[("n", 32), ("s", 2)],
        ),
        ("paper3/buoydiff", &[("n", 64), ("z", 3)]),
    ];
    for (name, given) in programs {
        let program = program(name);
        let executed = executed(&program, given, &gtx280());
        same(
            &counted(&program, given, &gtx280()),
            &executed.charges,
            name,
        );
        let derived = charged(&program, given, &gtx280());
        let derived = derived.unwrap_or_else(|| panic!("{name}: nothing derived"));
        if derived.is_exact {
            same(&derived, &executed.charges, name);
            continue;
        }
        bounds(&derived, &executed.charges, name);
    }
}

/// Upper bounds round by round, where the rounds are as many.
fn bounds(derived: &Charged, executed: &Charged, what: &str) {
    let count = |charged: &Charged| charged.rounds.iter().map(|(times, _)| times).sum::<u64>();
    if count(derived) != count(executed) {
        // A host `while` was bounded.
        assert!(count(derived) >= count(executed), "{what}");
        return;
    }
    let each = |charged: &Charged| -> Vec<Charges<Rational>> {
        let rounds = charged.rounds.iter();
        let repeated = rounds.flat_map(|(times, round)| (0..*times).map(move |_| round.clone()));
        repeated.collect()
    };
    for (bound, exact) in each(derived).iter().zip(each(executed)) {
        for ((name, upper), (_, value)) in bound.named().iter().zip(exact.named()) {
            assert!(*upper >= value, "{what}: {name} {upper} < {value}");
        }
        for ((kind, upper), (_, value)) in bound.kinds.iter().zip(exact.kinds.iter()) {
            assert!(upper >= value, "{what}: {} {upper} < {value}", kind.key());
        }
    }
}
