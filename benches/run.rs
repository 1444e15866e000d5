//! Execution against native Rust that does the same memory work unchecked: arrays copied to device
//! arrays, every warp staged through 32-word buffers, results copied back. What the checks and
//! counts cost. Criterion measures the small sizes; then both sides of every workload are run in
//! turn, and the medians and their ratio are printed, also those of the first run of each, which
//! finds no memory in place. Where data decide what is accessed, native checks its bounds too.
//!
//! The native loops are compiled for the vectors of the processor at hand, like those of the engine.

use std::hint::black_box;
use std::time::Duration;

use atgpu::exec::{Data, Unwatched};
use atgpu::program::Program;
use criterion::Criterion;
use pulp::Arch;

use paired::{
    CORES, bitonic, in_turn, now, numbers, options, point, prepared, program, ratio, shuffled,
    threads,
};

mod paired;

const VECTOR_ADDITION: &str = "algorithm VectorAddition(n)
  input  A[n], B[n]
  output C[n]
  global a[n], b[n], c[n]
  shared _a[b], _b[b], _c[b]
  a ⇚ A
  b ⇚ B
  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _a[j] ⇐ a[ib + j]
        _b[j] ⇐ b[ib + j]
        _c[j] ← _a[j] + _b[j]
        c[ib + j] ⇐ _c[j]
      end if
    end for
  end for
  C ⇚ c
";

const REDUCTION: &str = "algorithm Reduction(n)
  input A[n] in 0..9
  output Ans[1]
  global a[n], c[n]
  shared _x[b]
  let R = log_b n
  a ⇚ A
  for r = 1 → R do
    let k = n/b^r
    for all mp_i ∈ MP[0..k-1] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        _x[j] ⇐ a[ib + j]
        for s = 1 → log2 b do
          let h = b/2^s
          if j < h then
            _x[j] ← _x[j] + _x[j + h]
          end if
        end for
        if j = 0 then
          c[i] ⇐ _x[0]
        end if
      end for
    end for
    swap a ↔ c
  end for
  Ans[0] ⇚ a[0]
";

const REDUCTION_ANY_N: &str = "algorithm ReductionAnyN(n)
  input A[n] in 0..9
  output Ans[1]
  global a[n], c[n]
  shared _x[b]
  let R = max(1, ⌈log_b n⌉)
  a ⇚ A
  for r = 1 → R do
    let w = ⌈n/b^(r - 1)⌉
    let k = ⌈n/b^r⌉
    for all mp_i ∈ MP[0..k-1] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        _x[j] ← 0
        if ib + j < w then
          _x[j] ⇐ a[ib + j]
        end if
        for s = 1 → log2 b do
          let h = b/2^s
          if j < h then
            _x[j] ← _x[j] + _x[j + h]
          end if
        end for
        if j = 0 then
          c[i] ⇐ _x[0]
        end if
      end for
    end for
    swap a ↔ c
  end for
  Ans[0] ⇚ a[0]
";

const MATRIX_MULTIPLICATION: &str = "algorithm MatrixMultiplication(n)
  input A[n, n] in -9..9, B[n, n] in -9..9
  output C[n, n]
  global a[n, n], b[n, n], c[n, n]
  shared _a[b, b], _b[b, b], _c[b, b]
  let r = n/b
  a ⇚ A
  b ⇚ B
  for all mp_{y,x} ∈ MP[0..r-1, 0..r-1] in parallel do
    for all c_{y,x,j} ∈ C_{y,x} in parallel do
      for s = 0 → b-1 do
        _c[s, j] ← 0
      end for
      for t = 0 → r-1 do
        for s = 0 → b-1 do
          _a[s, j] ⇐ a[yb + s, tb + j]
          _b[s, j] ⇐ b[tb + s, xb + j]
        end for
        for s = 0 → b-1 do
          for u = 0 → b-1 do
            _c[s, j] ← _c[s, j] + _a[s, u] · _b[u, j]
          end for
        end for
      end for
      for s = 0 → b-1 do
        c[yb + s, xb + j] ⇐ _c[s, j]
      end for
    end for
  end for
  C ⇚ c
";

const GATHER: &str = "algorithm Gather(n)
  input A[n], Q[n] as permutation
  output C[n]
  global a[n], q[n], c[n]
  shared _q[b], _x[b]
  a ⇚ A
  q ⇚ Q
  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _q[j] ⇐ q[ib + j]
        _x[j] ⇐ a[_q[j]]
        c[ib + j] ⇐ _x[j]
      end if
    end for
  end for
  C ⇚ c
";

const SCATTER: &str = "algorithm Scatter(n)
  input A[n], Q[n] as permutation
  output C[n]
  global a[n], q[n], c[n]
  shared _q[b], _x[b]
  a ⇚ A
  q ⇚ Q
  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _q[j] ⇐ q[ib + j]
        _x[j] ⇐ a[ib + j]
        c[_q[j]] ⇐ _x[j]
      end if
    end for
  end for
  C ⇚ c
";

const HISTOGRAM: &str = include_str!("../programs/cookbook/histogram.atgpu");
const BITONIC_SORT: &str = include_str!("../programs/cookbook/bitonic_sort.atgpu");
const LIST_RANKING: &str = include_str!("../programs/cookbook/list_ranking_pointer_jumping.atgpu");

/// Copies both inputs to the device, adds a warp at a time, copies back.
#[inline(always)]
fn add_vectors(a: &[i64], b: &[i64], device: &mut [Vec<i64>; 3], result: &mut [i64]) {
    let [device_a, device_b, device_c] = device;
    device_a.copy_from_slice(a);
    device_b.copy_from_slice(b);
    let (mut left, mut right, mut sum) = ([0; CORES], [0; CORES], [0; CORES]);
    for at in (0..a.len()).step_by(CORES) {
        let active = CORES.min(a.len() - at);
        left[..active].copy_from_slice(&device_a[at..at + active]);
        right[..active].copy_from_slice(&device_b[at..at + active]);
        for core in 0..active {
            sum[core] = left[core] + right[core];
        }
        black_box(&mut sum);
        device_c[at..at + active].copy_from_slice(&sum[..active]);
    }
    result.copy_from_slice(device_c);
}

/// Tree sums of each warp, level by level, between two device arrays.
#[inline(always)]
fn reduce(input: &[i64], device: &mut [Vec<i64>; 2]) -> i64 {
    let [from, to] = device;
    from.copy_from_slice(input);
    let mut words = input.len();
    while words > 1 {
        for block in 0..words.div_ceil(CORES) {
            let mut warp = [0; CORES];
            let active = CORES.min(words - block * CORES);
            warp[..active].copy_from_slice(&from[block * CORES..block * CORES + active]);
            let mut half = CORES / 2;
            while half > 0 {
                for core in 0..half {
                    warp[core] += warp[core + half];
                }
                black_box(&mut warp);
                half /= 2;
            }
            to[block] = warp[0];
        }
        words = words.div_ceil(CORES);
        std::mem::swap(from, to);
    }
    from[0]
}

/// Tiles of 32 × 32, each row of a tile staged as a warp.
#[inline(always)]
fn multiply(n: usize, a: &[i64], b: &[i64], device: &mut [Vec<i64>; 3], result: &mut [i64]) {
    let [device_a, device_b, device_c] = device;
    device_a.copy_from_slice(a);
    device_b.copy_from_slice(b);
    let tiles = n / CORES;
    let mut left = vec![[0; CORES]; CORES];
    let mut right = vec![[0; CORES]; CORES];
    let mut sums = vec![[0; CORES]; CORES];
    for y in 0..tiles {
        for x in 0..tiles {
            sums.iter_mut().for_each(|row| *row = [0; CORES]);
            for t in 0..tiles {
                for s in 0..CORES {
                    let at = (y * CORES + s) * n + t * CORES;
                    left[s].copy_from_slice(&device_a[at..at + CORES]);
                    let at = (t * CORES + s) * n + x * CORES;
                    right[s].copy_from_slice(&device_b[at..at + CORES]);
                }
                for s in 0..CORES {
                    for u in 0..CORES {
                        let factor = left[s][u];
                        for core in 0..CORES {
                            sums[s][core] += factor * right[u][core];
                        }
                        black_box(&mut sums[s]);
                    }
                }
            }
            for (s, row) in sums.iter().enumerate() {
                let at = (y * CORES + s) * n + x * CORES;
                device_c[at..at + CORES].copy_from_slice(row);
            }
        }
    }
    result.copy_from_slice(device_c);
}

/// Gathers (or scatters) words a warp at a time, every index checked.
#[inline(always)]
fn permute(a: &[i64], q: &[i64], device: &mut [Vec<i64>; 3], result: &mut [i64], scatters: bool) {
    let [device_a, device_q, device_c] = device;
    device_a.copy_from_slice(a);
    device_q.copy_from_slice(q);
    let (mut indices, mut words) = ([0; CORES], [0; CORES]);
    for at in (0..a.len()).step_by(CORES) {
        let active = CORES.min(a.len() - at);
        indices[..active].copy_from_slice(&device_q[at..at + active]);
        black_box(&mut indices);
        if scatters {
            words[..active].copy_from_slice(&device_a[at..at + active]);
            black_box(&mut words);
            for core in 0..active {
                device_c[indices[core] as usize] = words[core];
            }
        } else {
            for core in 0..active {
                words[core] = device_a[indices[core] as usize];
            }
            black_box(&mut words);
            device_c[at..at + active].copy_from_slice(&words[..active]);
        }
    }
    result.copy_from_slice(device_c);
}

/// A histogram for each MP, then their sums, as the program of the cookbook does it.
#[inline(always)]
fn count(a: &[i64], mps: usize, device: &mut [Vec<i64>; 3], result: &mut [i64]) {
    let [device_a, partial, sums] = device;
    device_a.copy_from_slice(a);
    let kinds = result.len();
    let mut own = vec![0; kinds];
    let mut warp = [0; CORES];
    for mp in 0..mps {
        own.fill(0);
        for at in (mp * CORES..a.len()).step_by(mps * CORES) {
            let active = CORES.min(a.len() - at);
            warp[..active].copy_from_slice(&device_a[at..at + active]);
            black_box(&mut warp);
            for &word in &warp[..active] {
                own[word as usize] += 1;
            }
        }
        partial[mp * kinds..(mp + 1) * kinds].copy_from_slice(&own);
    }
    for at in (0..kinds).step_by(CORES) {
        let active = CORES.min(kinds - at);
        let mut sum = [0; CORES];
        for mp in 0..mps {
            warp[..active].copy_from_slice(&partial[mp * kinds + at..mp * kinds + at + active]);
            for core in 0..active {
                sum[core] += warp[core];
            }
            black_box(&mut sum);
        }
        sums[at..at + active].copy_from_slice(&sum[..active]);
    }
    result.copy_from_slice(sums);
}

/// Pointer jumping between two pairs of device arrays, every index checked.
#[inline(always)]
fn rank(successors: &[i64], device: &mut [Vec<i64>; 4], result: &mut [i64]) {
    let [s, t, d, e] = device;
    let n = successors.len();
    s.copy_from_slice(successors);
    for (x, (distance, next)) in d.iter_mut().zip(&*s).enumerate() {
        *distance = i64::from(*next != x as i64);
    }
    let (mut next, mut distance) = ([0; CORES], [0; CORES]);
    let (mut next_next, mut more) = ([0; CORES], [0; CORES]);
    for _ in 0..n.next_power_of_two().trailing_zeros() {
        for at in (0..n).step_by(CORES) {
            let active = CORES.min(n - at);
            next[..active].copy_from_slice(&s[at..at + active]);
            distance[..active].copy_from_slice(&d[at..at + active]);
            black_box((&mut next, &mut distance));
            for core in 0..active {
                next_next[core] = s[next[core] as usize];
            }
            black_box(&mut next_next);
            for core in 0..active {
                more[core] = d[next[core] as usize];
            }
            black_box(&mut more);
            for core in 0..active {
                distance[core] += more[core];
            }
            t[at..at + active].copy_from_slice(&next_next[..active]);
            e[at..at + active].copy_from_slice(&distance[..active]);
        }
        std::mem::swap(s, t);
        std::mem::swap(d, e);
    }
    result.copy_from_slice(d);
}

/// What is run, and the native call that does the same.
struct Workload<'w> {
    name: &'w str,
    program: &'w Program,
    parameters: &'w [(&'w str, usize)],
    inputs: Vec<(&'static str, Vec<i64>, Vec<usize>)>,
    /// Whether Criterion measures it too.
    is_small: bool,
}

fn compare(criterion: &mut Criterion, workload: Workload<'_>, mut native: impl FnMut()) {
    let Workload { name, program, .. } = workload;
    let given = workload.inputs.into_iter();
    let given = given.map(|(name, words, shape)| (name, Data::Int(words), shape));
    let options = options(&given.collect::<Vec<_>>(), threads());
    let point = point(program, workload.parameters);
    let mut execution = prepared(program, &point, &options);
    drop(options);
    let mut execute = || {
        black_box(execution.execute(&Unwatched).expect("it runs"));
    };
    let begin = now();
    execute();
    let between = now();
    Arch::new().dispatch(&mut native);
    let first = ratio(between - begin, now() - between);
    if workload.is_small {
        let mut group = criterion.benchmark_group(name);
        group.bench_function("executed", |bencher| bencher.iter(&mut execute));
        group.bench_function("native", |bencher| bencher.iter(&mut native));
        group.finish();
    }
    let (executed, native) = in_turn(Duration::from_secs(4), execute, || {
        Arch::new().dispatch(&mut native)
    });
    let ratio = ratio(executed, native);
    println!(
        "{name}: executed {executed:.2?}, native {native:.2?}, ratio {ratio:.2}, first {first:.2}"
    );
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let vectors = program(VECTOR_ADDITION);
    for (name, n) in [
        ("vector addition 10^6", 1_000_000),
        ("vector addition 10^7", 10_000_000),
    ] {
        let (a, b) = (numbers(n, 1000), numbers(n, 777));
        let mut device = [vec![0; n], vec![0; n], vec![0; n]];
        let mut result = vec![0; n];
        let workload = Workload {
            name,
            program: &vectors,
            parameters: &[("n", n)],
            inputs: vec![("A", a.clone(), vec![n]), ("B", b.clone(), vec![n])],
            is_small: n <= 1_000_000,
        };
        compare(&mut criterion, workload, || {
            add_vectors(&a, &b, &mut device, &mut result);
        });
    }
    let (power, any) = (program(REDUCTION), program(REDUCTION_ANY_N));
    for (name, reduction, n) in [
        ("reduction 2^20", &power, 1 << 20),
        ("reduction 2^24", &any, 1 << 24),
    ] {
        let a = numbers(n, 10);
        let mut device = [vec![0; n], vec![0; n]];
        let workload = Workload {
            name,
            program: reduction,
            parameters: &[("n", n)],
            inputs: vec![("A", a.clone(), vec![n])],
            is_small: n <= 1 << 20,
        };
        compare(&mut criterion, workload, || {
            black_box(reduce(&a, &mut device));
        });
    }
    let matrices = program(MATRIX_MULTIPLICATION);
    for (name, n) in [
        ("matrix multiplication 128", 128),
        ("matrix multiplication 512", 512),
    ] {
        let signed =
            |below: i64| -> Vec<i64> { numbers(n * n, below).iter().map(|x| x - 9).collect() };
        let (a, b) = (signed(19), signed(17));
        let mut device = [vec![0; n * n], vec![0; n * n], vec![0; n * n]];
        let mut result = vec![0; n * n];
        let workload = Workload {
            name,
            program: &matrices,
            parameters: &[("n", n)],
            inputs: vec![("A", a.clone(), vec![n, n]), ("B", b.clone(), vec![n, n])],
            is_small: n <= 128,
        };
        compare(&mut criterion, workload, || {
            multiply(n, &a, &b, &mut device, &mut result);
        });
    }
    data_dependent(&mut criterion);
}

/// Workloads whose accesses are decided by data.
fn data_dependent(criterion: &mut Criterion) {
    let n = 1 << 20;
    let (a, q) = (numbers(n, 1000), shuffled(n));
    for (name, text, scatters) in [
        ("gather 2^20", GATHER, false),
        ("scatter 2^20", SCATTER, true),
    ] {
        let mut device = [vec![0; n], vec![0; n], vec![0; n]];
        let mut result = vec![0; n];
        let workload = Workload {
            name,
            program: &program(text),
            parameters: &[("n", n)],
            inputs: vec![("A", a.clone(), vec![n]), ("Q", q.clone(), vec![n])],
            is_small: false,
        };
        compare(criterion, workload, || {
            permute(&a, &q, &mut device, &mut result, scatters);
        });
    }

    let (kinds, mps) = (256, 64);
    let a: Vec<i64> = q.iter().map(|x| x / 7 % kinds as i64).collect();
    let mut device = [vec![0; n], vec![0; mps * kinds], vec![0; kinds]];
    let mut result = vec![0; kinds];
    let workload = Workload {
        name: "histogram 2^20",
        program: &program(HISTOGRAM),
        parameters: &[("n", n), ("h", kinds), ("k", mps)],
        inputs: vec![("A", a.clone(), vec![n])],
        is_small: false,
    };
    compare(criterion, workload, || {
        count(&a, mps, &mut device, &mut result);
    });

    let n = 1 << 18;
    let mut successors = shuffled(n);
    // Back to the first is the end.
    let last = successors.iter().position(|&next| next == 0);
    let last = last.expect("a cycle through all");
    successors[last] = last as i64;
    let mut device = [vec![0; n], vec![0; n], vec![0; n], vec![0; n]];
    let mut result = vec![0; n];
    let workload = Workload {
        name: "list ranking 2^18",
        program: &program(LIST_RANKING),
        parameters: &[("n", n)],
        inputs: vec![("S", successors.clone(), vec![n])],
        is_small: false,
    };
    compare(criterion, workload, || {
        rank(&successors, &mut device, &mut result);
    });

    let n = 1 << 16;
    let a = shuffled(n);
    let mut device = vec![0; n];
    let mut result = vec![0; n];
    let workload = Workload {
        name: "bitonic sort 2^16",
        program: &program(BITONIC_SORT),
        parameters: &[("n", n)],
        inputs: vec![("A", a.clone(), vec![n])],
        is_small: false,
    };
    compare(criterion, workload, || {
        bitonic::sort(&a, &mut device, &mut result)
    });
    assert!(result.is_sorted(), "the native side sorts");
}
