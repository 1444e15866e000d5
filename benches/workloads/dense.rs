//! Matrices: a tile or a row an MP.

use std::hint::black_box;

use atgpu::exec::Data;
use pulp::Arch;

use crate::paired::{CORES, numbers};
use crate::{Case, ints};

type Tile = [[i64; CORES]; CORES];

fn small(words: usize) -> Vec<i64> {
    numbers(words, 19).into_iter().map(|x| x - 9).collect()
}

fn matrix(name: &'static str, words: &[i64], n: usize, m: usize) -> crate::Given {
    (name, Data::Int(words.to_vec()), vec![n, m])
}

pub fn stencil_2d(n: usize) -> Case {
    let a = numbers(n * n, 1000);
    let mut device = [vec![0; n * n], vec![0; n * n]];
    Case {
        program: include_str!("../../programs/cookbook/stencil_2d.atgpu"),
        parameters: vec![("n", n), ("m", n)],
        inputs: vec![matrix("A", &a, n, n)],
        output: "C",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| laplacian(n, &a, &mut device, ints(result)));
        }),
    }
}

#[inline(always)]
fn laplacian(n: usize, input: &[i64], [a, c]: &mut [Vec<i64>; 2], result: &mut [i64]) {
    a.copy_from_slice(input);
    let mut tile = [[0; CORES + 2]; CORES + 2];
    for y in (0..n).step_by(CORES) {
        for x in (0..n).step_by(CORES) {
            for (s, row) in tile.iter_mut().enumerate() {
                let Some(u) = (y + s).checked_sub(1).filter(|&u| u < n) else {
                    continue;
                };
                row[1..=CORES].copy_from_slice(&a[u * n + x..u * n + x + CORES]);
                if x > 0 {
                    row[0] = a[u * n + x - 1];
                }
                if x + CORES < n {
                    row[CORES + 1] = a[u * n + x + CORES];
                }
            }
            black_box(&mut tile);
            for s in 1..=CORES {
                let u = y + s - 1;
                if u < 1 || u > n - 2 {
                    continue;
                }
                let mut warp = [0; CORES];
                for core in 0..CORES {
                    warp[core] = tile[s - 1][core + 1]
                        + tile[s + 1][core + 1]
                        + tile[s][core]
                        + tile[s][core + 2]
                        - 4 * tile[s][core + 1];
                }
                black_box(&mut warp);
                let low = usize::from(x == 0);
                let high = CORES - usize::from(x + CORES == n);
                c[u * n + x + low..u * n + x + high].copy_from_slice(&warp[low..high]);
            }
        }
    }
    for (u, row) in result.chunks_exact_mut(n - 2).enumerate() {
        row.copy_from_slice(&c[(u + 1) * n + 1..(u + 2) * n - 1]);
    }
}

pub fn transpose_naive(n: usize) -> Case {
    transpose(
        n,
        include_str!("../../programs/cookbook/transpose_naive.atgpu"),
        || {
            move |n, [a, c]: &mut [Vec<i64>; 2]| {
                Arch::new().dispatch(|| {
                    let mut warp = [0; CORES];
                    for y in (0..n).step_by(CORES) {
                        for x in (0..n).step_by(CORES) {
                            for s in y..y + CORES {
                                warp.copy_from_slice(&a[s * n + x..s * n + x + CORES]);
                                black_box(&mut warp);
                                for core in 0..CORES {
                                    c[(x + core) * n + s] = warp[core];
                                }
                            }
                        }
                    }
                });
            }
        },
    )
}

pub fn transpose_tiled(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/transpose_tiled.atgpu");
    transpose(n, text, by_tiles::<CORES>)
}

pub fn transpose_padded(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/transpose_padded.atgpu");
    transpose(n, text, by_tiles::<{ CORES + 1 }>)
}

fn by_tiles<const ROW: usize>() -> impl FnMut(usize, &mut [Vec<i64>; 2]) {
    let mut tile = [[0; ROW]; CORES];
    move |n, [a, c]| {
        Arch::new().dispatch(|| {
            for y in (0..n).step_by(CORES) {
                for x in (0..n).step_by(CORES) {
                    for (s, row) in tile.iter_mut().enumerate() {
                        row[..CORES].copy_from_slice(&a[(y + s) * n + x..(y + s) * n + x + CORES]);
                    }
                    black_box(&mut tile);
                    for s in 0..CORES {
                        let to = &mut c[(x + s) * n + y..(x + s) * n + y + CORES];
                        for (word, row) in to.iter_mut().zip(&tile) {
                            *word = row[s];
                        }
                    }
                }
            }
        });
    }
}

fn transpose<F: FnMut(usize, &mut [Vec<i64>; 2]) + 'static>(
    n: usize,
    program: &'static str,
    kernel: impl FnOnce() -> F,
) -> Case {
    let a = numbers(n * n, 1000);
    let mut device = [vec![0; n * n], vec![0; n * n]];
    let mut kernel = kernel();
    Case {
        program,
        parameters: vec![("n", n), ("m", n)],
        inputs: vec![matrix("A", &a, n, n)],
        output: "C",
        native: Box::new(move |result| {
            device[0].copy_from_slice(&a);
            kernel(n, &mut device);
            ints(result).copy_from_slice(&device[1]);
        }),
    }
}

fn multiplication(
    n: usize,
    program: &'static str,
    multiply: fn(usize, &mut [Vec<i64>; 3]),
) -> Case {
    let (a, b) = (small(n * n), small(n * n));
    let mut device = [vec![0; n * n], vec![0; n * n], vec![0; n * n]];
    Case {
        program,
        parameters: vec![("n", n), ("m", n), ("l", n)],
        inputs: vec![matrix("A", &a, n, n), matrix("B", &b, n, n)],
        output: "C",
        native: Box::new(move |result| {
            device[0].copy_from_slice(&a);
            device[1].copy_from_slice(&b);
            multiply(n, &mut device);
            ints(result).copy_from_slice(&device[2]);
        }),
    }
}

pub fn matmul_naive(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/matrix_multiplication_naive.atgpu");
    multiplication(n, text, |n, device| {
        Arch::new().dispatch(|| {
            let [a, b, c] = device;
            let mut column = [0; CORES];
            for i in (0..n).step_by(CORES) {
                for v in 0..n {
                    let mut sum = [0; CORES];
                    for u in 0..n {
                        for core in 0..CORES {
                            column[core] = a[(i + core) * n + u];
                        }
                        black_box(&mut column);
                        let factor = b[u * n + v];
                        for core in 0..CORES {
                            sum[core] += column[core] * factor;
                        }
                    }
                    for core in 0..CORES {
                        c[(i + core) * n + v] = sum[core];
                    }
                }
            }
        });
    })
}

pub fn matmul_tiled(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/matrix_multiplication_tiled.atgpu");
    multiplication(n, text, |n, device| {
        Arch::new().dispatch(|| {
            let [a, b, c] = device;
            let mut tiles = [[[0; CORES]; CORES]; 3];
            let [left, right, sums] = &mut tiles;
            for y in (0..n).step_by(CORES) {
                for x in (0..n).step_by(CORES) {
                    *sums = [[0; CORES]; CORES];
                    for t in (0..n).step_by(CORES) {
                        read_tile(left, a, n, (y, t));
                        read_tile(right, b, n, (t, x));
                        black_box((&mut *left, &mut *right));
                        for s in 0..CORES {
                            for u in 0..CORES {
                                for core in 0..CORES {
                                    sums[s][core] += left[s][u] * right[u][core];
                                }
                            }
                            black_box(&mut sums[s]);
                        }
                    }
                    write_tile(sums, c, n, (y, x));
                }
            }
        });
    })
}

#[inline(always)]
fn read_tile(tile: &mut Tile, words: &[i64], n: usize, (y, x): (usize, usize)) {
    for (s, row) in tile.iter_mut().enumerate() {
        row.copy_from_slice(&words[(y + s) * n + x..(y + s) * n + x + CORES]);
    }
}

#[inline(always)]
fn write_tile(tile: &Tile, words: &mut [i64], n: usize, (y, x): (usize, usize)) {
    for (s, row) in tile.iter().enumerate() {
        words[(y + s) * n + x..(y + s) * n + x + CORES].copy_from_slice(row);
    }
}

fn matrix_vector(
    n: usize,
    program: &'static str,
    multiply: fn(usize, &mut [Vec<i64>; 2], &mut [i64]),
) -> Case {
    let (a, x) = (small(n * n), small(n));
    let mut device = [vec![0; n * n], vec![0; n]];
    let mut product = vec![0; n];
    Case {
        program,
        parameters: vec![("n", n), ("m", n)],
        inputs: vec![matrix("A", &a, n, n), ("X", Data::Int(x.clone()), vec![n])],
        output: "Y",
        native: Box::new(move |result| {
            device[0].copy_from_slice(&a);
            device[1].copy_from_slice(&x);
            multiply(n, &mut device, &mut product);
            ints(result).copy_from_slice(&product);
        }),
    }
}

pub fn vector_rows(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/matrix_vector_rows.atgpu");
    matrix_vector(n, text, |n, [a, x], y| {
        Arch::new().dispatch(|| {
            let mut column = [0; CORES];
            for i in (0..n).step_by(CORES) {
                let mut sum = [0; CORES];
                for u in 0..n {
                    for core in 0..CORES {
                        column[core] = a[(i + core) * n + u];
                    }
                    black_box(&mut column);
                    for core in 0..CORES {
                        sum[core] += column[core] * x[u];
                    }
                }
                y[i..i + CORES].copy_from_slice(&sum);
            }
        });
    })
}

pub fn vector_columns(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/matrix_vector_columns.atgpu");
    matrix_vector(n, text, |n, [a, x], y| {
        Arch::new().dispatch(|| {
            let mut warp = [0; CORES];
            for i in (0..n).step_by(CORES) {
                let mut sum = [0; CORES];
                for u in 0..n {
                    warp.copy_from_slice(&a[u * n + i..u * n + i + CORES]);
                    black_box(&mut warp);
                    for core in 0..CORES {
                        sum[core] += warp[core] * x[u];
                    }
                }
                y[i..i + CORES].copy_from_slice(&sum);
            }
        });
    })
}

pub fn vector_warp(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/matrix_vector_warp.atgpu");
    matrix_vector(n, text, |n, [a, x], y| {
        Arch::new().dispatch(|| {
            let (mut left, mut right) = ([0; CORES], [0; CORES]);
            for i in 0..n {
                let mut sum = [0; CORES];
                for u in (0..n).step_by(CORES) {
                    left.copy_from_slice(&a[i * n + u..i * n + u + CORES]);
                    right.copy_from_slice(&x[u..u + CORES]);
                    black_box((&mut left, &mut right));
                    for core in 0..CORES {
                        sum[core] += left[core] * right[core];
                    }
                }
                let mut half = CORES / 2;
                while half > 0 {
                    for core in 0..half {
                        sum[core] += sum[core + half];
                    }
                    black_box(&mut sum);
                    half /= 2;
                }
                y[i] = sum[0];
            }
        });
    })
}

pub fn floyd_warshall(n: usize) -> Case {
    let a: Vec<i64> = numbers(n * n, 997).iter().map(|x| x + 1).collect();
    let mut device = vec![0; n * n];
    Case {
        program: include_str!("../../programs/cookbook/floyd_warshall_tiled.atgpu"),
        parameters: vec![("n", n)],
        inputs: vec![matrix("A", &a, n, n)],
        output: "D",
        native: Box::new(move |result| {
            device.copy_from_slice(&a);
            Arch::new().dispatch(|| shortest(n, &mut device));
            ints(result).copy_from_slice(&device);
        }),
    }
}

#[inline(always)]
fn shortest(n: usize, d: &mut [i64]) {
    let tiles = || (0..n).step_by(CORES);
    let mut own = [[0; CORES]; CORES];
    let (mut left, mut right) = (own, own);
    for t in tiles() {
        read_tile(&mut own, d, n, (t, t));
        for w in 0..CORES {
            let row = own[w];
            for words in &mut own {
                relax(words, words[w], &row);
            }
            black_box(&mut own);
        }
        write_tile(&own, d, n, (t, t));
        let corner = own;
        for x in tiles().filter(|&x| x != t) {
            read_tile(&mut own, d, n, (t, x));
            for w in 0..CORES {
                let row = own[w];
                for s in 0..CORES {
                    relax(&mut own[s], corner[s][w], &row);
                }
                black_box(&mut own);
            }
            write_tile(&own, d, n, (t, x));
        }
        for y in tiles().filter(|&y| y != t) {
            read_tile(&mut own, d, n, (y, t));
            for w in 0..CORES {
                for words in &mut own {
                    relax(words, words[w], &corner[w]);
                }
                black_box(&mut own);
            }
            write_tile(&own, d, n, (y, t));
        }
        for y in tiles().filter(|&y| y != t) {
            for x in tiles().filter(|&x| x != t) {
                read_tile(&mut left, d, n, (y, t));
                read_tile(&mut right, d, n, (t, x));
                read_tile(&mut own, d, n, (y, x));
                black_box((&mut left, &mut right));
                for w in 0..CORES {
                    for s in 0..CORES {
                        relax(&mut own[s], left[s][w], &right[w]);
                    }
                    black_box(&mut own);
                }
                write_tile(&own, d, n, (y, x));
            }
        }
    }
}

/// The lesser of each word and a sum.
#[inline(always)]
fn relax(words: &mut [i64; CORES], first: i64, row: &[i64; CORES]) {
    for core in 0..CORES {
        words[core] = words[core].min(first + row[core]);
    }
}
