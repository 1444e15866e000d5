//! Accesses that data decide: sparse rows, edges, lists.

use std::hint::black_box;

use atgpu::exec::Data;
use pulp::Arch;

use crate::paired::{CORES, numbers, shuffled};
use crate::{Case, ints};

pub fn sparse(n: usize) -> Case {
    // Rows of 0 to 16 words.
    let mut starts = vec![0];
    for row in 0..n {
        starts.push(starts[row] + (row * 7919 % 17) as i64);
    }
    let z = starts[n] as usize;
    let columns: Vec<i64> = (0..z).map(|at| (at * 40503 % n) as i64).collect();
    let (values, x) = (numbers(z, 100), numbers(n, 77));
    let inputs = vec![
        ("R", Data::Int(starts.clone()), vec![n + 1]),
        ("J", Data::Int(columns.clone()), vec![z]),
        ("V", Data::Int(values.clone()), vec![z]),
        ("X", Data::Int(x.clone()), vec![n]),
    ];
    let mut device = [
        vec![0; n + 1],
        vec![0; z],
        vec![0; z],
        vec![0; n],
        vec![0; n],
    ];
    Case {
        program: include_str!("../../programs/cookbook/sparse_matrix_vector.atgpu"),
        parameters: vec![("n", n), ("m", n), ("z", z)],
        inputs,
        output: "Y",
        native: Box::new(move |result| {
            for (to, from) in device.iter_mut().zip([&starts, &columns, &values, &x]) {
                to.copy_from_slice(from);
            }
            Arch::new().dispatch(|| multiply(&mut device));
            ints(result).copy_from_slice(&device[4]);
        }),
    }
}

#[inline(always)]
fn multiply([starts, columns, values, x, y]: &mut [Vec<i64>; 5]) {
    let n = y.len();
    let (mut first, mut last) = ([0; CORES], [0; CORES]);
    for at in (0..n).step_by(CORES) {
        let active = CORES.min(n - at);
        first[..active].copy_from_slice(&starts[at..at + active]);
        last[..active].copy_from_slice(&starts[at + 1..at + 1 + active]);
        black_box((&mut first, &mut last));
        let mut sums = [0; CORES];
        for core in 0..active {
            for w in first[core] as usize..last[core] as usize {
                sums[core] += values[w] * x[columns[w] as usize];
            }
        }
        black_box(&mut sums);
        y[at..at + active].copy_from_slice(&sums[..active]);
    }
}

pub fn breadth_first(n: usize) -> Case {
    let edge = |u: usize, v: usize| (u * 7919 + v * 104_729).is_multiple_of(97);
    let edges: Vec<i64> = (0..n * n)
        .map(|at| i64::from(edge(at / n, at % n)))
        .collect();
    let mut device = vec![0; n * n];
    let mut levels = [vec![0; n], vec![0; n]];
    Case {
        program: include_str!("../../programs/cookbook/breadth_first_search.atgpu"),
        parameters: vec![("n", n)],
        inputs: vec![("E", Data::Int(edges.clone()), vec![n, n])],
        output: "L",
        native: Box::new(move |result| {
            device.copy_from_slice(&edges);
            Arch::new().dispatch(|| search(n, &device, &mut levels));
            ints(result).copy_from_slice(&levels[0]);
        }),
    }
}

#[inline(always)]
fn search(n: usize, edges: &[i64], [levels, next]: &mut [Vec<i64>; 2]) {
    levels.fill(-1);
    levels[0] = 0;
    let (mut own, mut row) = ([0; CORES], [0; CORES]);
    for r in 1..n as i64 {
        for at in (0..n).step_by(CORES) {
            own.copy_from_slice(&levels[at..at + CORES]);
            for u in 0..n {
                row.copy_from_slice(&edges[u * n + at..u * n + at + CORES]);
                black_box(&mut row);
                let level = levels[u];
                for core in 0..CORES {
                    let joins = (own[core] == -1) & (row[core] == 1) & (level == r - 1);
                    own[core] = if joins { r } else { own[core] };
                }
            }
            next[at..at + CORES].copy_from_slice(&own);
        }
        std::mem::swap(levels, next);
    }
}

pub fn list_ranking(n: usize) -> Case {
    let m = n / 64;
    let mut successors = shuffled(n);
    // Back to the first is the end.
    let last = successors.iter().position(|&next| next == 0);
    let last = last.expect("a cycle through all");
    successors[last] = last as i64;
    let inputs = vec![("S", Data::Int(successors.clone()), vec![n])];
    let mut device = [vec![0; n], vec![0; n], vec![0; n], vec![0; n]];
    Case {
        program: include_str!("../../programs/cookbook/list_ranking_local.atgpu"),
        parameters: vec![("n", n), ("m", m)],
        inputs,
        output: "D",
        native: Box::new(move |result| {
            device[0].copy_from_slice(&successors);
            Arch::new().dispatch(|| walk(m, &mut device));
            let [_, o, d, host] = &mut device;
            host.copy_from_slice(o);
            ints(result).copy_from_slice(d);
        }),
    }
}

/// The cores of a warp walk in step.
#[inline(always)]
fn walk(m: usize, [s, o, d, _]: &mut [Vec<i64>; 4]) {
    let none = black_box([-1; CORES]);
    for (o, d) in o.chunks_mut(CORES).zip(d.chunks_mut(CORES)) {
        o.copy_from_slice(&none[..o.len()]);
        d.copy_from_slice(&none[..d.len()]);
    }
    for at in (0..m).step_by(CORES) {
        let active = CORES.min(m - at);
        let mut places = [0; CORES];
        let mut goes_on = [false; CORES];
        for core in 0..active {
            (places[core], goes_on[core]) = (at + core, true);
        }
        let mut distance = 0;
        while goes_on.contains(&true) {
            for core in 0..active {
                if goes_on[core] {
                    let place = places[core];
                    o[place] = (at + core) as i64;
                    d[place] = distance;
                    let next = s[place] as usize;
                    goes_on[core] = next != place && next >= m;
                    places[core] = next;
                }
            }
            distance += 1;
        }
    }
}
