//! Kernels that papers timed on older cards, one by one.

use std::fmt::Write;

use serde_json::Value;

use crate::study::accuracy::MODELS;
use crate::support::command;
use crate::support::programs::path;

/// A kernel as a paper has it: its name there, the command's arguments and the ms it took.
struct Timed {
    kernel: &'static str,
    arguments: &'static str,
    measured: f64,
}

const fn timed(kernel: &'static str, arguments: &'static str, measured: f64) -> Timed {
    Timed {
        kernel,
        arguments,
        measured,
    }
}

/// Harris, Optimizing parallel reduction in CUDA (2007): 2^22 ints on a G80 in thread blocks of 128 threads. Ruetsch and
/// Micikevicius, Optimizing matrix transpose in CUDA (2009): 2048 × 2048 floats on a GTX 280, 2.2, 16.5 and 16.6 GB/s.
const TIMED: [Timed; 10] = [
    timed(
        "reduction 1: interleaved",
        "measured/reduction_1_interleaved.atgpu -D n=2^22 -D w=1 -D b=128 --machine gtx8800",
        8.054,
    ),
    timed(
        "reduction 2: adjacent",
        "measured/reduction_2_adjacent.atgpu -D n=2^22 -D w=1 -D b=128 --machine gtx8800",
        3.456,
    ),
    timed(
        "reduction 3: sequential",
        "measured/reduction_3_sequential.atgpu -D n=2^22 -D w=1 -D b=128 --machine gtx8800",
        1.722,
    ),
    timed(
        "reduction 4: two loads",
        "measured/reduction_4_two_loads.atgpu -D n=2^22 -D w=1 -D b=128 --machine gtx8800",
        0.965,
    ),
    timed(
        "reduction 5: last warp",
        "measured/reduction_5_last_warp.atgpu -D n=2^22 -D w=4 -D W=4 --machine gtx8800",
        0.536,
    ),
    timed(
        "reduction 6: unrolled",
        "measured/reduction_6_unrolled.atgpu -D n=2^22 -D W=16 --machine gtx8800",
        0.381,
    ),
    timed(
        "reduction 7: several loads",
        "measured/reduction_7_several_loads.atgpu -D n=2^22 -D W=16 --machine gtx8800",
        0.268,
    ),
    timed(
        "transposition, naive",
        "cookbook/transpose_naive.atgpu -D n=2048 -D m=2048 -D Z=8 --machine gtx280",
        15.25,
    ),
    timed(
        "transposition, tiled",
        "cookbook/transpose_tiled.atgpu -D n=2048 -D m=2048 -D Z=8 --machine gtx280",
        2.034,
    ),
    timed(
        "transposition, padded",
        "cookbook/transpose_padded.atgpu -D n=2048 -D m=2048 -D Z=8 --machine gtx280",
        2.021,
    ),
];

/// The table of the page.
pub fn table() -> String {
    let mut out =
        "| kernel | arguments of `cost` | measured | swgpu | roofline |\n|---|---|---|---|---|\n"
            .to_owned();
    for one in &TIMED {
        write!(
            out,
            "| {} | `{}` | {} ms |",
            one.kernel, one.arguments, one.measured
        )
        .expect("a string grows");
        let output = command::atgpu(&path("programs"))
            .arg("cost")
            .args(one.arguments.split(' '))
            .args(MODELS.iter().flat_map(|model| ["--model", model]))
            .args(["--format", "json"])
            .output()
            .expect("starts");
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for model in MODELS {
            let predicted = found["models"][model]["gpu_cost"].as_f64().expect("a time");
            let ratio = predicted / one.measured;
            write!(out, " {predicted:.3} ms ({ratio:.2}) |").expect("a string grows");
        }
        out.push('\n');
    }
    out
}
