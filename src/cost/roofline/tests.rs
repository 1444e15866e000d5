//! Each bound worked out by hand, on variants of the GTX 280.

use crate::cost::roofline::*;
use crate::count::{ArrayBlocks, ByKind, Charged, Charges, Counts, Kind, Round};

/// 1000 MPs with 256 weighted cycles, as 64 additions take, 3 shared and 3 global accesses each, 4 blocks and 7
/// transactions, on the GTX 280.
fn additions(bytes: i64, given: &[(&str, &str)]) -> Estimate {
    let written = ArrayBlocks {
        read: 0.into(),
        write: 1000.into(),
    };
    let round = Round {
        launched_mps: 1000.into(),
        shared_words: 96.into(),
        global_words: 96_000.into(),
        io: 4000.into(),
        arrays: [("a".to_owned(), written)].into_iter().collect(),
        ..Round::default()
    };
    let counts = Counts {
        rounds: vec![(2, round)],
        ..Counts::default()
    };
    let charges = Charges {
        launched_mps: 1000.into(),
        kinds: ByKind::from_fn(|kind| match kind {
            Kind::Shared | Kind::Global | Kind::Wait => 3.into(),
            Kind::Compare => 5.into(),
            Kind::Add => 20.into(),
            _ => 0.into(),
        }),
        compute: 256.into(),
        memory_transactions: 7000.into(),
        memory_bytes: Some(bytes.into()),
        ..Charges::default()
    };
    let mut charged = Charged {
        is_exact: true,
        ..Charged::default()
    };
    charged.push(2, charges);
    let (_, text) = crate::machine::BUILT_IN
        .iter()
        .find(|(name, _)| *name == "gtx280")
        .expect("built in");
    let text = given.iter().fold((*text).to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    let machine = Machine::from_toml(&text).expect("sound");
    let subject = Subject::of(&counts).with_charges(&charged);
    Roofline.estimate(&subject, &machine).expect("complete")
}

#[track_caller]
fn assert_time(estimate: &Estimate, name: &str, wanted: f64) {
    let found = estimate.time(name).expect(name).to_f64();
    assert!((found / wanted - 1.0).abs() < 1e-9, "{name}: {found}");
}

/// The share of an MP in all bytes moved: a thousandth, while 30 of them have the memory's bandwidth.
const SHARE: f64 = 30.0 / 1000.0;

/// ms of two launches whose multiprocessors take `waves` of MPs, `beside` at a time: one that is alone takes
/// `chain` cycles, or is served for as many, the cycles given and those of its share of all bytes. Balanced
/// job bounds, with six stations.
fn span(waves: f64, chain: f64, (cycles, bytes): (f64, f64), beside: f64) -> f64 {
    let served = cycles + bytes / memory() * 1.3e6 * SHARE;
    let met = (beside - 1.0) * served.min(2.0 * served - chain).max(0.0) / 6.0;
    2.0 * waves * (chain.max(served) + met) / 1.3e6
}

/// Bytes a ms of the GTX 280's memory.
fn memory() -> f64 {
    let card = Machine::built_in("gtx280").expect("built in").device;
    let reached = card.memory_efficiency.map_or(1.0, |part| part.to_f64());
    card.memory_gb_s.expect("it has one").to_f64() * 1e6 * reached
}

/// By hand: two launches of 64 + 3 + 3 instructions an MP, ⌈1000/30⌉ = 34 MPs on the busiest multiprocessor,
/// which issues a warp every fourth cycle; five waves of 8 MPs, 70·4 + 3·500 cycles each, and 4 for the block
/// that is looked up besides the three accesses'; 3 shared operands and 4 blocks an MP. Served are 70 + 3 + 4 at a quarter a cycle, and its bytes.
#[test]
fn bounds_are_as_worked_out_by_hand() {
    let found = additions(384_000, &[]);
    assert_time(&found, "work", 2.0 * 34.0 * 70.0 / (0.25 * 1.3e6));
    assert_time(&found, "shared", 2.0 * 34.0 * 3.0 / (0.25 * 1.3e6));
    assert_time(&found, "l1", 2.0 * 34.0 * 4.0 / (0.25 * 1.3e6));
    let served = (77.0 * 4.0, 384e3);
    assert_time(&found, "span", span(5.0, 1784.0, served, 8.0));
    assert_time(
        &found,
        "gpu_cost",
        2.0 * (0.005 + 34.0 * 70.0 / (0.25 * 1.3e6)),
    );
    assert_eq!(found.time("l2"), Some(&0.into()));
    assert!(
        found
            .note
            .is_some_and(|note| note.starts_with("bound by issuing"))
    );
}

/// Thread blocks of 16 MPs are ⌈1000/16⌉ = 63, three of them on the busiest multiprocessor: 48 MPs. Each
/// takes 16·96 of 4096 shared words, so two are resident, and 60 run at once: two waves.
#[test]
fn mps_of_a_thread_block_share_a_multiprocessor() {
    let found = additions(
        384_000,
        &[(
            "launch_ms = 0.005",
            "mps_per_thread_block = 16\nlaunch_ms = 0.005",
        )],
    );
    assert_time(&found, "work", 2.0 * 48.0 * 70.0 / (0.25 * 1.3e6));
    let served = (77.0 * 4.0, 384e3);
    assert_time(&found, "span", span(2.0, 1784.0, served, 32.0));
}

/// MPs of 64 cores are two warps each: twice the instructions and shared operands, and as many lines as
/// transactions, 7 an MP, since two lines a block are more.
#[test]
fn wide_mps_are_several_warps() {
    let found = additions(384_000, &[("\nb = 32\n", "\nb = 64\n")]);
    assert_time(&found, "work", 2.0 * 34.0 * 2.0 * 70.0 / (0.25 * 1.3e6));
    assert_time(&found, "shared", 2.0 * 34.0 * 2.0 * 3.0 / (0.25 * 1.3e6));
    assert_time(&found, "l1", 2.0 * 34.0 * 7.0 / (0.25 * 1.3e6));
    // In step, an instruction of both takes 8 cycles to issue, more than the 4 until its result is there.
    let chain = 70.0 * 8.0 + 1500.0 + 4.0 * 4.0;
    let served = ((140.0 + 6.0 + 7.0) * 4.0, 384e3);
    assert_time(&found, "span", span(5.0, chain, served, 8.0));
    let wide = ("\nb = 32\n", "\nb = 64\n");
    let few = additions(384_000, &[wide, ("max_warps = 32", "max_warps = 8")]);
    // Four MPs are resident: nine waves.
    assert_time(&few, "span", span(9.0, chain, served, 4.0));
}

/// The same two warps side by side: each has its chain, and half of what the MP is served; half of the lines
/// are a warp's, half a one more than its three accesses.
#[test]
fn wide_mps_may_have_warps_side_by_side() {
    let wide = ("\nb = 32\n", "\nb = 64\n");
    let both = ("launch_ms = 0.005", "warps_per_mp = 2\nlaunch_ms = 0.005");
    let found = additions(384_000, &[wide, both]);
    assert_time(&found, "work", 2.0 * 34.0 * 2.0 * 70.0 / (0.25 * 1.3e6));
    let chain = 70.0 * 4.0 + 1500.0 + 0.5 * 4.0;
    let served = ((140.0 + 6.0 + 7.0) * 4.0 / 2.0, 384e3 / 2.0);
    assert_time(&found, "span", span(5.0, chain, served, 16.0));
}

/// Four warps that go through an MP in turn are a quarter of it each; with `max_warps` for 8, two
/// MPs are resident: seventeen waves. Nothing else changes.
#[test]
fn warps_in_turn_run_side_by_side() {
    let turns = ("launch_ms = 0.005", "warps_per_mp = 4\nlaunch_ms = 0.005");
    let found = additions(384_000, &[turns, ("max_warps = 32", "max_warps = 8")]);
    let served = (77.0 * 4.0 / 4.0, 384e3 / 4.0);
    assert_time(&found, "span", span(17.0, 1784.0 / 4.0, served, 8.0));
    assert_time(&found, "work", 2.0 * 34.0 * 70.0 / (0.25 * 1.3e6));
}

/// Of three shared operands each is waited for 40 cycles; the units of comparisons, 5 an MP, take 16
/// cycles each, those of additions, 20, two: the former are the busier.
#[test]
fn shared_words_and_units_are_waited_for() {
    let found = additions(
        384_000,
        &[(
            "launch_ms = 0.005\n",
            "shared_cycles = 40\nlaunch_ms = 0.005\n\n[units]\ncompare = 16\nadd = 2\n",
        )],
    );
    let served = (77.0 * 4.0 + 80.0, 384e3);
    assert_time(&found, "span", span(5.0, 1904.0, served, 8.0));
    assert_time(&found, "units", 2.0 * 34.0 * 80.0 / 1.3e6);
    assert_eq!(additions(384_000, &[]).time("units"), None);
}

/// Two load/store units take 16 cycles for each of an MP's 3 shared and 3 global accesses.
#[test]
fn load_store_units_are_units_too() {
    let units = ("warp_size = 32", "warp_size = 32\nload_store_units = 2");
    let found = additions(384_000, &[units]);
    assert_time(&found, "units", 2.0 * 34.0 * 6.0 * 16.0 / 1.3e6);
}

/// Without a cache all transactions reach memory; through one no more than the live words, once, and
/// through its L2 what is written, here a quarter, and the live words that are read.
#[test]
fn a_cache_moves_the_live_words_once() {
    let memory = memory();
    let plain = additions(384_000_000, &[]);
    assert_time(&plain, "dram", 2.0 * 384e6 / memory);
    let cache = ("l2_bytes = 0\n", "l2_bytes = 4000000\nl2_gb_s = 1000\n");
    let found = additions(384_000_000, &[cache]);
    assert_time(&found, "dram", 2.0 * 384e3 / memory);
    assert_time(&found, "l2", 2.0 * (96e6 + 384e3) / 1e9);
    assert!(
        found
            .note
            .is_some_and(|note| note.starts_with("bound by the L2"))
    );
    // One in a thousand accesses waits, and the cache serves for longer than that.
    let served = (77.0 * 4.0 + (96e6 + 384e3) / 1e9 * 1.3e6 * SHARE, 384e3);
    assert_time(&found, "span", span(5.0, 280.0 + 1.5, served, 8.0));
}
