//! False claims that differ from the right form where a condition holds: each is refuted, at a
//! point that the `require`s admit and at which the two sides really differ.

use crate::support::programs::load;
use atgpu::count::Parameters;
use atgpu::derivation::Verdict;

/// n, m, k and b of a counterexample; 0 for a formal that the program does not have.
type At = [i64; 4];

/// Copies n words and answers with them: outward = n, transfer = 2n, transactions = 2.
fn copied(require: &str, claim: &str) -> String {
    format!(
        "algorithm Copy(n, m)\n  require {require}\n  input A[n]\n  output C[n]\n  global a[n]\n  \
         claim {claim}\n  a ⇚ A\n  C ⇚ a\n"
    )
}

/// ⌈m/b⌉ MPs that go round k times: time = 2k + 6, io = ⌈m/b⌉, outward = m.
fn counted(require: &str, claim: &str) -> String {
    format!(
        "algorithm Count(n, m, k)\n  require {require}\n  let r = ⌈m/b⌉\n  input A[n]\n  output C[m]\n  \
         global a[n], c[m]\n  shared _x[b]\n  claim {claim}\n  a ⇚ A\n  \
         for all mp_i ∈ MP[0..r-1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
         for s = 1 → k do\n        _x[j] ← s\n      end for\n      if ib + j < m then\n        \
         c[ib + j] ⇐ _x[j]\n      end if\n    end for\n  end for\n  C ⇚ c\n"
    )
}

/// The counterexample, where the claim is refuted at one.
fn refuted_at(text: &str) -> At {
    let (program, _) = load("false", text);
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    let claim = derivation.claims.last().expect("it claims something");
    let Verdict::Refuted(refutation) = &claim.verdict else {
        panic!("{text}: {:?}", claim.verdict);
    };
    let shown = refutation.to_string();
    let place = shown.split(": ").next().unwrap_or_default();
    let place = place.trim_start_matches("at ");
    ["n", "m", "k", "b"].map(|name| {
        let mut values = place
            .split(", ")
            .filter_map(|value| value.split_once(" = "));
        let value = values.find(|(own, _)| *own == name);
        value.map_or(0, |(_, value)| value.parse().expect("a whole number"))
    })
}

fn is_power(x: i64, base: i64) -> bool {
    let mut powers = std::iter::successors(Some(1_i64), |power| power.checked_mul(base));
    powers.any(|power| power == x)
}

fn gcd(x: i64, y: i64) -> i64 {
    if y == 0 { x } else { gcd(y, x % y) }
}

/// With `b | n` and `m | n`, where a bracket on b alone is met only by n that go with it.
#[test]
fn a_bracket_on_the_width_is_met_by_sizes_that_go_with_it() {
    let text = copied("n ≥ 1 ∧ m ≥ 1 ∧ b | n ∧ m | n", "outward = n + [b = 7]");
    let (program, _) = load("copied", &text);
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    let Verdict::Refuted(why) = &derivation.claims[0].verdict else {
        panic!("it is wrong for every multiple of 7 at b = 7");
    };
    let shown = why.to_string();
    assert_eq!(
        shown,
        "at n = 7, m = 1, b = 7: the derivation gives 7, the claim 8"
    );
}

/// A `require`, a claim, and whether both sides differ at a point.
type Row = (&'static str, &'static str, fn(At) -> bool);

#[test]
fn claims_about_copies_are_refuted_where_they_are_wrong() {
    const DIVIDED: &str = "n ≥ 1 ∧ m ≥ 1 ∧ b | n ∧ m | n";
    const POWER: &str = "n is a power of 2 ∧ 1 ≤ m ≤ n";
    const POWER_OF_WIDTH: &str = "b ≥ 2 ∧ m ≥ 1 ∧ n is a power of b";
    const LARGE: &str = "n ≥ 1000 ∧ 2 ∣ n ∧ m ≥ 1";
    const DOUBLE: &str = "m ≥ 1 ∧ n = 2m";
    const BELOW: &str = "1 ≤ n ≤ m";
    const SMALL: &str = "n ≥ 1 ∧ m ≥ 1 ∧ n m ≤ 10^6";
    const WIDE: &str = "b is a power of 2 ∧ 2b | n ∧ n ≥ 2b ∧ m ≥ 1";
    let rows: &[Row] = &[
        (DIVIDED, "outward = n + [b > 40]", |[_, _, _, b]| b > 40),
        (
            DIVIDED,
            "transfer = 2n + [gcd(n, b) = 6]",
            |[n, _, _, b]| gcd(n, b) == 6,
        ),
        (DIVIDED, "transactions ≤ 2 - ⌊b/50⌋", |[_, _, _, b]| b >= 50),
        (DIVIDED, "outward ≥ n + [n mod 77 = 5]", |[n, ..]| {
            n % 77 == 5
        }),
        (
            DIVIDED,
            "outward = n + [n > 1000]·[b = 11]",
            |[n, _, _, b]| n > 1000 && b == 11,
        ),
        (
            DIVIDED,
            "outward = n + ⌊m/b⌋·[n > 900]",
            |[n, m, _, b]| m >= b && n > 900,
        ),
        (DIVIDED, "outward = n + [n = 12345]", |[n, ..]| n == 12345),
        (
            DIVIDED,
            "outward = n + [1001 | n]·[b = 3]",
            |[n, _, _, b]| n % 1001 == 0 && b == 3,
        ),
        (
            DIVIDED,
            "transfer_cost = 2α + 2nβ + [b = 13]",
            |[_, _, _, b]| b == 13,
        ),
        (
            DIVIDED,
            "cost = 2α + 2nβ + σ - [n m = 3600 ∧ b = 5]",
            |[n, m, _, b]| n * m == 3600 && b == 5,
        ),
        (
            DIVIDED,
            "gpu_cost ≤ 2α + 2nβ + σ - max(0, b - 100)",
            |[_, _, _, b]| b > 100,
        ),
        (
            POWER,
            "outward = n + [n is a power of 3]·[m = 1]",
            |[n, m, ..]| n == 1 && m == 1,
        ),
        (
            POWER,
            "outward = n - [n > 10^5]·[m mod 7 = 3]",
            |[n, m, ..]| n > 100_000 && m % 7 == 3,
        ),
        (
            POWER,
            "outward = n + [⌈n/b⌉ = 13 ∧ b > 50]",
            |[n, _, _, b]| (n + b - 1) / b == 13 && b > 50,
        ),
        (POWER, "transfer = 2n + [m = 77777]", |[_, m, ..]| {
            m == 77777
        }),
        (POWER, "inward = min(n, 10^6)", |[n, ..]| n > 1_000_000),
        (
            POWER_OF_WIDTH,
            "outward = n + [b is a power of 3 ∧ b > 3]",
            |[_, _, _, b]| b > 3 && is_power(b, 3),
        ),
        (
            POWER_OF_WIDTH,
            "outward = n + [n mod 1000 = 1]·[n > 1]",
            |[n, ..]| n > 1 && n % 1000 == 1,
        ),
        (
            POWER_OF_WIDTH,
            "outward = n + [b = 64 ∧ n = 64^2]",
            |[n, _, _, b]| n == 4096 && b == 64,
        ),
        (LARGE, "outward = n + [gcd(n, 1001) = 143]", |[n, ..]| {
            gcd(n, 1001) == 143
        }),
        (
            LARGE,
            "outward = n + [max(n mod 8, n mod 27) = 0]",
            |[n, ..]| n % 216 == 0,
        ),
        (LARGE, "outward = n + [n mod m = 17]", |[n, m, ..]| {
            n % m == 17
        }),
        (
            LARGE,
            "outward ≥ n + [n mod b = 4]·[b > 40]",
            |[n, _, _, b]| n % b == 4 && b > 40,
        ),
        (
            LARGE,
            "outward ≤ n - [n is a power of 7 + 1]",
            |[n, ..]| is_power(n, 8),
        ),
        (DOUBLE, "outward = n + [n m = 7200]", |[n, m, ..]| {
            n * m == 7200
        }),
        (DOUBLE, "transfer = 2n + [n + m = 4242]", |[n, m, ..]| {
            n + m == 4242
        }),
        (
            DOUBLE,
            "outward = n + [max(n, b) = 5004]·[m > 5]",
            |[n, m, _, b]| n.max(b) == 5004 && m > 5,
        ),
        (BELOW, "outward = max(n, min(m, 1000 n))", |[n, m, ..]| {
            m > n
        }),
        (BELOW, "outward = n + ⌊m/(1000 n)⌋", |[n, m, ..]| {
            m >= 1000 * n
        }),
        (
            BELOW,
            "outward = n + [m > n ∧ m mod 100 = 99]",
            |[n, m, ..]| m > n && m % 100 == 99,
        ),
        (SMALL, "outward ≤ min(n, 99999)", |[n, ..]| n > 99_999),
        (SMALL, "outward ≥ max(n, min(m, 12))", |[n, m, ..]| {
            n < m.min(12)
        }),
        (SMALL, "outward = n + [n = m^2 ∧ n > 50]", |[n, m, ..]| {
            n == m * m && n > 50
        }),
        (WIDE, "outward = n + [b = 128]", |[_, _, _, b]| b == 128),
        (
            WIDE,
            "outward = n + (n mod 3)·[n > 500]·[b = 16]",
            |[n, _, _, b]| n % 3 != 0 && n > 500 && b == 16,
        ),
        (
            WIDE,
            "transfer ≤ 2n - [n mod 12 = 0]·[n > 4000]",
            |[n, ..]| n % 12 == 0 && n > 4000,
        ),
    ];
    assert_refuted(rows, copied);
}

#[test]
fn claims_about_three_sizes_are_refuted_where_they_are_wrong() {
    const FREE: &str = "n ≥ 1 ∧ m ≥ 1 ∧ k ≥ 1";
    const CHAIN: &str = "n ≥ 1 ∧ m ≥ 1 ∧ k ≥ 1 ∧ b | n ∧ m | n ∧ k | m";
    const SORTED: &str = "1 ≤ n ≤ m ∧ m ≤ k";
    const PRODUCT: &str = "m ≥ 1 ∧ k ≥ 1 ∧ n = m k";
    const MIXED: &str = "k ≥ 1 ∧ n ≥ 1 ∧ b | m ∧ m ≥ 1 ∧ 2k | n";
    let rows: &[Row] = &[
        (FREE, "io = r + [n mod b = 3 ∧ b > 32]", |[n, _, _, b]| {
            n % b == 3 && b > 32
        }),
        (
            FREE,
            "io = ⌊m/b⌋ + [¬(b | m)] + [k = 19 ∧ m ≥ 100]",
            |[_, m, k, _]| k == 19 && m >= 100,
        ),
        (
            FREE,
            "time = 2k + 6 + [r = 13]·[b > 60]",
            |[_, m, _, b]| (m + b - 1) / b == 13 && b > 60,
        ),
        (
            FREE,
            "outward = m + [gcd(n, m) = 35]·[k = 4]",
            |[n, m, k, _]| gcd(n, m) == 35 && k == 4,
        ),
        (CHAIN, "outward = m + [k = 6]·[b = 5]", |[_, _, k, b]| {
            k == 6 && b == 5
        }),
        (CHAIN, "time = 2k + 6 + [m = 77777]", |[_, m, ..]| {
            m == 77777
        }),
        (
            CHAIN,
            "time ≤ 2k + 6 - [n > 10^6]·[k > 50]",
            |[n, _, k, _]| n > 1_000_000 && k > 50,
        ),
        (SORTED, "time = 2k + 6 + [n div b = 100]", |[n, _, _, b]| {
            n / b == 100
        }),
        (
            SORTED,
            "inward = n + [n mod 4 = 2 ∧ n mod 9 = 4 ∧ n mod 25 = 7]",
            |[n, ..]| n % 4 == 2 && n % 9 == 4 && n % 25 == 7,
        ),
        (
            PRODUCT,
            "outward ≥ m + [gcd(n, 1001) = 143]",
            |[n, ..]| gcd(n, 1001) == 143,
        ),
        (PRODUCT, "io = r + [n = 90b + 5]", |[n, _, _, b]| {
            n == 90 * b + 5
        }),
        (
            MIXED,
            "time = 2k + 6 + [m = 33]·[b = 11]",
            |[_, m, _, b]| m == 33 && b == 11,
        ),
        (
            MIXED,
            "inward ≤ n - [n ≥ 10^9]·[k = 7]",
            |[n, _, k, _]| n >= 1_000_000_000 && k == 7,
        ),
    ];
    assert_refuted(rows, counted);
}

fn assert_refuted(rows: &[Row], program: fn(&str, &str) -> String) {
    for (require, claim, differs) in rows {
        let at = refuted_at(&program(require, claim));
        assert!(differs(at), "{require}, {claim}: {at:?}");
    }
}

/// Conditions that no admitted point meets: the claims are true, and nothing refutes them.
#[test]
fn claims_that_differ_nowhere_are_not_refuted() {
    for (require, claim) in [
        ("n ≥ 1 ∧ b | n ∧ m | n", "outward = n + [n mod b = 3]"),
        ("n is a power of 2 ∧ m ≥ 1", "outward = n + [n mod 7 = 3]"),
        ("m ≥ 1 ∧ n = 2m", "outward = n + [n mod 2 = 1]"),
        ("1 ≤ n ≤ m", "outward = min(n, m)"),
        ("n ≥ 1 ∧ n ≤ 1000 ∧ m ≥ 1", "outward = n + ⌊n/1001⌋"),
    ] {
        let (program, _) = load("true", &copied(require, claim));
        let derivation = atgpu::derive::derive(&program, &Parameters::new());
        let verdict = &derivation.claims[0].verdict;
        assert!(
            !matches!(verdict, Verdict::Refuted(_)),
            "{require}, {claim}: {verdict:?}"
        );
    }
}
