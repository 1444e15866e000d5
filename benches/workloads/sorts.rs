//! Sorting, merging and counting.

use std::hint::black_box;

use atgpu::exec::Data;
use pulp::Arch;

use crate::paired::{CORES, bitonic as bitonic_sort, numbers, shuffled};
use crate::{Case, ints};

const KINDS: usize = 256;
const MPS: usize = 64;

pub fn histogram(n: usize) -> Case {
    let a: Vec<i64> = shuffled(n).iter().map(|x| x / 7 % KINDS as i64).collect();
    let mut device = [vec![0; n], vec![0; MPS * KINDS], vec![0; KINDS]];
    Case {
        program: include_str!("../../programs/cookbook/histogram.atgpu"),
        parameters: vec![("n", n), ("h", KINDS), ("k", MPS)],
        inputs: vec![("A", Data::Int(a.clone()), vec![n])],
        output: "C",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| count(&a, &mut device, ints(result)));
        }),
    }
}

/// A histogram for each MP, then their sums.
#[inline(always)]
fn count(a: &[i64], [device, partial, sums]: &mut [Vec<i64>; 3], result: &mut [i64]) {
    device.copy_from_slice(a);
    let mut warp = [0; CORES];
    for mp in 0..MPS {
        let mut own = [0; KINDS];
        for at in (mp * CORES..a.len()).step_by(MPS * CORES) {
            let active = CORES.min(a.len() - at);
            warp[..active].copy_from_slice(&device[at..at + active]);
            black_box(&mut warp);
            for &word in &warp[..active] {
                own[word as usize] += 1;
            }
        }
        partial[mp * KINDS..(mp + 1) * KINDS].copy_from_slice(&own);
    }
    for at in (0..KINDS).step_by(CORES) {
        let mut sum = [0; CORES];
        for mp in 0..MPS {
            warp.copy_from_slice(&partial[mp * KINDS + at..mp * KINDS + at + CORES]);
            for core in 0..CORES {
                sum[core] += warp[core];
            }
            black_box(&mut sum);
        }
        sums[at..at + CORES].copy_from_slice(&sum);
    }
    result.copy_from_slice(sums);
}

pub fn bitonic(n: usize) -> Case {
    let a = shuffled(n);
    let mut device = vec![0; n];
    Case {
        program: include_str!("../../programs/cookbook/bitonic_sort.atgpu"),
        parameters: vec![("n", n)],
        inputs: vec![("A", Data::Int(a.clone()), vec![n])],
        output: "C",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| bitonic_sort::sort(&a, &mut device, ints(result)));
        }),
    }
}

/// Words of a row.
const ROW: usize = 256;

pub fn odd_even(m: usize) -> Case {
    let a = numbers(m * ROW, 1009);
    let mut device = vec![0; m * ROW];
    Case {
        program: include_str!("../../programs/cookbook/odd_even_transposition_sort.atgpu"),
        parameters: vec![("m", m), ("n", ROW)],
        inputs: vec![("A", Data::Int(a.clone()), vec![m, ROW])],
        output: "C",
        native: Box::new(move |result| {
            device.copy_from_slice(&a);
            Arch::new().dispatch(|| device.chunks_exact_mut(ROW).for_each(sort_row));
            ints(result).copy_from_slice(&device);
        }),
    }
}

#[inline(always)]
fn sort_row(row: &mut [i64]) {
    let mut own = [0; ROW];
    own.copy_from_slice(row);
    for phase in 0..ROW {
        for pair in own[phase % 2..].chunks_exact_mut(2) {
            let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            (pair[0], pair[1]) = (low, high);
        }
        black_box(&mut own);
    }
    row.copy_from_slice(&own);
}

pub fn merge(n: usize) -> Case {
    let ascending = |step: usize| -> Vec<i64> {
        let word = |at: usize| (at * step + at * 7919 % step) as i64;
        (0..n).map(word).collect()
    };
    let (a, b) = (ascending(10), ascending(11));
    let inputs = vec![
        ("A", Data::Int(a.clone()), vec![n]),
        ("B", Data::Int(b.clone()), vec![n]),
    ];
    let mut device = [vec![0; n], vec![0; n], vec![0; 2 * n]];
    Case {
        program: include_str!("../../programs/cookbook/merge.atgpu"),
        parameters: vec![("n", n), ("m", n)],
        inputs,
        output: "C",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| {
                let [x, y, c] = &mut device;
                x.copy_from_slice(&a);
                y.copy_from_slice(&b);
                rank(x, y, 0, c);
                rank(y, x, 1, c);
                ints(result).copy_from_slice(c);
            });
        }),
    }
}

/// Binary searches, the cores of a warp in step.
#[inline(always)]
fn rank(own: &[i64], other: &[i64], equal: i64, merged: &mut [i64]) {
    let length = other.len();
    let steps = (length + 1).next_power_of_two().trailing_zeros();
    let mut words = [0; CORES];
    for at in (0..own.len()).step_by(CORES) {
        let active = CORES.min(own.len() - at);
        words[..active].copy_from_slice(&own[at..at + active]);
        black_box(&mut words);
        let mut places = [0; CORES];
        for step in (0..steps).rev() {
            let h = 1 << step;
            for core in 0..active {
                let next: usize = places[core] + h;
                if next <= length && other[next - 1] < words[core] + equal {
                    places[core] = next;
                }
            }
            black_box(&mut places);
        }
        for core in 0..active {
            merged[at + core + places[core]] = words[core];
        }
    }
}
