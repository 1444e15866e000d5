//! Paper 5 (Gómez-Luna et al.): equations (1) to (8), and table 2.

use atgpu::cost::overlap::gomez_luna::{
    Capability, Times, best, best_streams, equation, equation_2, streams, transfers_dominate,
};
use atgpu::cost::overlap::search;

use crate::programs::published::support::close;
use crate::support::command;
use crate::support::programs::path;

pub const GTX_280: f64 = 0.10;
const GTX_480: f64 = 0.03;

pub fn times(kernel: f64, inward: f64, outward: f64, creation: f64) -> Times {
    Times {
        kernel,
        inward,
        outward,
        creation,
    }
}

fn grid() -> Vec<Times> {
    let mut grid = Vec::new();
    for kernel in [0.1, 0.9, 4.0, 9.5, 10.0, 12.0, 80.0] {
        for inward in [0.2, 3.0, 5.0, 40.0] {
            for outward in [0.0, 0.3, 5.0, 25.0] {
                for creation in [GTX_280, GTX_480] {
                    grid.push(times(kernel, inward, outward, creation));
                }
            }
        }
    }
    grid
}

/// How far equations (1), (3), (5) and (7) are from section 3.2, letter by letter; the equation that
/// holds is the paper's.
pub fn largest_difference() -> f64 {
    let mut off = 0.0_f64;
    for t in grid() {
        let t_t = t.inward + t.outward;
        for n in 1..=256_u32 {
            let parts = f64::from(n);
            let overhead = parts * t.creation;
            let one = if t_t > t.kernel + t_t / parts {
                (1, t_t + overhead)
            } else {
                (3, t.kernel + t_t / parts + overhead)
            };
            let two = if t.inward > t.kernel {
                (5, t.inward + t.kernel / parts + t.outward + overhead)
            } else {
                (7, t.inward / parts + t.kernel + t.outward + overhead)
            };
            for (capability, (number, ms)) in [(Capability::One, one), (Capability::Two, two)] {
                assert_eq!(equation(capability, &t, n), number);
                off = off.max((streams(capability, &t, n) - ms).abs());
            }
        }
    }
    off
}

/// Equations (1), (3), (5) and (7) and their conditions, letter by letter.
#[test]
fn equations_and_conditions() {
    close(largest_difference(), 0.0, 1e-9);
}

/// How much longer than the best of 1 to 1024 what we take for the best takes, as a part.
pub fn largest_excess() -> f64 {
    let mut excess = 0.0_f64;
    for t in grid() {
        for capability in [Capability::One, Capability::Two] {
            let (_, least) = search(1024, |n| streams(capability, &t, n));
            let (_, found) = best_streams(capability, &t, 1024);
            excess = excess.max(found / least - 1.0);
        }
    }
    excess
}

/// (4), (6) and (8) are minima, and for dominant transfers on 1.x the smaller of (2) and (4) is: each
/// against a search over 1 to 1024.
#[test]
fn best_numbers_of_streams_are_minima() {
    close(largest_excess(), 0.0, 1e-12);
}

/// Equation (2) is where (1) and (3) cross, no minimum: t_T = 10, t_E = 9.5 make it 20 streams, and
/// 10 are best.
#[test]
fn equation_2_is_a_crossing() {
    let t = times(9.5, 5.0, 5.0, GTX_280);
    close(equation_2(&t).expect("transfers are longer"), 20.0, 1e-9);
    assert_eq!(best_streams(Capability::One, &t, 256).0, 10);
    assert_eq!(search(256, |n| streams(Capability::One, &t, n)).0, 10);
    assert!(transfers_dominate(Capability::One, &t, 21));
    assert!(!transfers_dominate(Capability::One, &t, 20));
    assert_eq!(equation_2(&times(10.0, 5.0, 5.0, GTX_280)), None);
    close(
        best(Capability::One, &times(1.0, 5.0, 5.0, GTX_280)),
        10.0 / 9.0,
        1e-9,
    );
}

/// Table 2, matrix multiplication with m = 2p, n = p: best at 6.1, 12.2 and 24.5 streams for p = 1024,
/// 2048 and 4096 on the GTX 280, 12.8, 25.8 and 51.7 on the GTX 480: doubling with p. The words are
/// those of programs/paper5 without B, which the paper has on the device before (`overlap --resident B`). The figures of
/// p = 1024 fix the machines' β; the others follow.
#[test]
fn the_best_number_doubles_with_p() {
    for (name, published) in [
        ("gtx280", [6.1, 12.2, 24.5]),
        ("gtx480", [12.8, 25.8, 51.7]),
    ] {
        let found = best_by_p(name);
        for (found, published) in found.iter().zip(published) {
            close(*found, published, 0.012 * published);
        }
        for pair in found.windows(2) {
            // But for L + o, which does not grow.
            close(pair[1] / pair[0], 2.0, 0.01);
        }
    }
}

/// The best number of streams at p = 1024, 2048 and 4096, as the command says it with B resident.
pub fn best_by_p(card: &str) -> [f64; 3] {
    [1024, 2048, 4096].map(|p| {
        let n = format!("n={p}");
        let output = command::atgpu(&path(""))
            .args([
                "overlap",
                "programs/paper5/streamed_matrix_multiplication.atgpu",
            ])
            .args(["-D", &n, "-D", "s=1", "--machine", card, "--resident", "B"])
            .args(["--format", "json"])
            .output()
            .expect("the command starts");
        let plan: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        let best = &plan["created"]["least_at_streams"];
        best.as_f64().unwrap_or_else(|| panic!("{plan}"))
    })
}
