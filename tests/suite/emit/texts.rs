//! What stands in the texts: lines of the program, barriers where cores meet and only there.

use crate::emit::{choice_of, in_thread_blocks, unchecked};
use crate::support::programs::{load_file, path, program, programs};
use atgpu::emit::Target;

/// A kernel in which the cores of an MP do these lines.
fn kernel(lines: &str) -> String {
    let lines = lines.replace('\n', "\n      ");
    format!(
        "algorithm T(n)\n  require b | n ∧ n ≥ b\n  input A[n]\n  output C[n]\n  global a[n], c[n]\n  \
         shared _x[2b], _y[b], _s\n  a ⇚ A\n  for all mp_i ∈ MP[0..n/b-1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n      {lines}\n    end for\n  end for\n  C ⇚ c\n"
    )
}

#[test]
fn barriers_stand_where_cores_meet_and_only_there() {
    for (lines, kept, all) in [
        // Each core has its own words.
        ("_y[j] ⇐ a[ib + j]\nc[ib + j] ⇐ _y[j]", 0, 4),
        // Neighbours: between the write and the read, and between the read and the write.
        (
            "_y[j] ⇐ a[ib + j]\n_y[j] ← _y[(j + 1) mod b]\nc[ib + j] ⇐ _y[j]",
            2,
            6,
        ),
        // Two halves that never meet.
        ("_x[j] ← 1\n_x[j + b] ← _x[j]", 0, 4),
        // One core writes what all read.
        ("if j = 0 then\n_s ← 1\nend if\n_y[j] ← _s", 1, 4),
        // One core by itself.
        ("if j = 0 then\n_s ← 1\n_s ← _s + 1\nend if", 0, 4),
        // What iteration s writes at j, iteration s + 1 may read at another core.
        (
            "_x[j] ← 1\nfor s = 1 → 3 do\n_x[j] ← _x[(j + s) mod b]\nend for",
            2,
            4,
        ),
        // Digits of an index: each core keeps to itself whatever s is.
        ("for s = 0 → 1 do\n_x[2j + s] ← s\nend for", 1, 2),
        // Two buffers in turn: what an iteration reads is behind one barrier, and written by the next but one.
        (
            "_x[j] ← j\nfor s = 1 → 5 do\n_x[(s mod 2)·b + j] ← _x[((s - 1) mod 2)·b + (j + 1) mod b]\nend for",
            1,
            4,
        ),
        (
            "for s = 5 downto 1 do\n_x[(s mod 2)·b + j] ← s\n_y[j] ← _x[(s mod 2)·b + (j + 1) mod b]\nend for",
            1,
            4,
        ),
        // One buffer needs two: before what is read, and before it is written again.
        (
            "for s = 5 downto 1 do\n_x[j] ← s\n_y[j] ← _x[(j + 1) mod b]\nend for",
            2,
            4,
        ),
        // Rows never meet, whichever they are; what another core wrote there is read behind one barrier.
        (
            "for s = 0 → 1 do\n_x[s*b + j] ← s\nend for\n_y[j] ← _x[j + 1]",
            1,
            4,
        ),
        (
            "for s = 0 → 1 do\n_x[s*b + b - 1 - j] ← s\n_y[j] ← _x[j]\nend for",
            2,
            4,
        ),
        // One barrier before a loop that needs none itself.
        ("_y[j] ← j\nfor s = 0 → 3 do\n_x[j] ← _y[s]\nend for", 1, 4),
        // Each core has a copy of what all load.
        ("_s ⇐ a[ib]\n_y[j] ← _s\n_s ⇐ a[ib + 1]\n_y[j] ← _s", 0, 8),
        // Global words are as shared ones.
        (
            "_y[j] ← j\nc[ib + j] ⇐ _y[j]\n_y[j] ⇐ c[ib + b - 1 - j]",
            1,
            6,
        ),
        ("atomic _s ← _s + j\n_y[j] ← _s", 1, 4),
    ] {
        let emitted = unchecked(
            &program(&kernel(lines)),
            [64, 8, 4096, 1 << 30],
            Target::Cuda,
        );
        assert_eq!(
            (emitted.barriers, emitted.barriers_unproved),
            (kept, all),
            "{lines}"
        );
    }
}

/// Where a barrier stands is not tried once for each way through loops in one another.
#[test]
fn forty_loops_in_one_another_are_emitted() {
    let (mut head, mut tail) = (String::new(), String::new());
    for number in 0..40 {
        head += &format!("for u{number} = 0 → n - 1 do\n");
        tail += "\nend for";
    }
    let lines = format!("_y[j] ← _y[(j + 1) mod b]\n{head}_y[j] ← _y[(j + 1) mod b]{tail}");
    let lines = format!("_y[j] ← j\n{lines}");
    let choice = [64, 8, 4096, 1 << 30];
    let emitted = unchecked(&program(&kernel(&lines)), choice, Target::Cuda);
    assert_eq!((emitted.barriers, emitted.barriers_unproved), (4, 6));
}

/// Masks stand around what cores do on their own, never around a barrier.
#[test]
fn no_barrier_stands_under_a_mask() {
    let (mut kept, mut all) = (0, 0);
    for file in programs("programs") {
        let (program, _) = load_file(&file);
        let emitted = unchecked(&program, choice_of(&program).machine, Target::Cuda);
        let mut masks = Vec::new();
        for line in emitted.text.lines() {
            let code = line.trim_start();
            let depth = line.len() - code.len();
            masks.retain(|mask| *mask < depth);
            if code.starts_with("if (on") {
                masks.push(depth);
            }
            let is_barrier = code.starts_with("barrier();") || code.contains("any_core(");
            assert!(
                !is_barrier || masks.is_empty(),
                "{}: {line}",
                program.name()
            );
        }
        kept += emitted.barriers;
        all += emitted.barriers_unproved;
    }
    assert!(
        kept > 0 && kept * 3 < all,
        "{kept} of {all} barriers are kept"
    );
}

#[test]
fn a_text_is_read_line_by_line_beside_the_program() {
    let file = path("programs/cookbook/scan_blelloch.atgpu");
    let (program, _) = load_file(&file);
    for target in Target::ALL {
        let text = unchecked(&program, [384, 32, 12288, 1 << 28], target).text;
        let start = text.find("for all mp_i").expect("it has a kernel");
        let end = text.find("int main(").expect("it has a main");
        let kernel = text[start..end].split("#else").next().expect("a part");
        insta::assert_snapshot!(format!("scan_{}", target.name()), kernel);
    }
}

/// Several MPs are a thread block where each is a warp: with shared arrays of their own, as many as have room.
#[test]
fn warps_of_a_thread_block_are_mps() {
    let file = |name: &str| load_file(&path(&format!("programs/{name}.atgpu"))).0;
    let known = in_thread_blocks(&file("paper1/reduction_any_n"), 8).expect("it is emitted");
    for line in [
        "Z = 8 MPs are a thread block.",
        "} of_warps[8];",
        "word *_x = of_warps[warp]._x;",
        "if (mp_number >= mps)",
        "const int j = threadIdx.x % b;",
        "<<<grid((mps + 7) / 8), (unsigned)(8 * b)>>>(mps, ",
    ] {
        assert!(known.text.contains(line), "{line}\n{}", known.text);
    }
    // How many words there are is known at the launch.
    let told = in_thread_blocks(&file("cookbook/convolution"), 8).expect("it is emitted");
    for line in [
        "const whole together = device_together(8, mp_bytes);",
        "<<<grid((mps + together - 1) / together), (unsigned)(together * b), shared_bytes>>>",
        "dynamic += blockDim.x / b * ",
    ] {
        assert!(told.text.contains(line), "{line}\n{}", told.text);
    }
    let alone = in_thread_blocks(&file("paper1/vector_addition"), 1).expect("it is emitted");
    assert!(!alone.text.contains("of_warps"));
    // 33 warps are more threads than a thread block has.
    let fault = in_thread_blocks(&file("paper1/vector_addition"), 33).expect_err("too many");
    assert!(fault[0].message.starts_with("Z = 33 MPs of 32 cores"));
}
