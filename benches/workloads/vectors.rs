//! A core a word: vectors, stencils of a dimension, a pass of a transform, orbits of points.

use std::hint::black_box;

use atgpu::exec::Data;
use pulp::Arch;

use crate::paired::{CORES, numbers};
use crate::{Case, floats, ints};

pub fn addition(n: usize) -> Case {
    let (a, b) = (numbers(n, 1000), numbers(n, 777));
    let inputs = vec![
        ("A", Data::Int(a.clone()), vec![n]),
        ("B", Data::Int(b.clone()), vec![n]),
    ];
    let mut device = [vec![0; n], vec![0; n], vec![0; n]];
    Case {
        program: include_str!("../../programs/paper1/vector_addition_guarded.atgpu"),
        parameters: vec![("n", n)],
        inputs,
        output: "C",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| add(&a, &b, &mut device, ints(result)));
        }),
    }
}

#[inline(always)]
fn add(a: &[i64], b: &[i64], [x, y, z]: &mut [Vec<i64>; 3], result: &mut [i64]) {
    x.copy_from_slice(a);
    y.copy_from_slice(b);
    let (mut left, mut right, mut sum) = ([0; CORES], [0; CORES], [0; CORES]);
    for at in (0..a.len()).step_by(CORES) {
        let active = CORES.min(a.len() - at);
        left[..active].copy_from_slice(&x[at..at + active]);
        right[..active].copy_from_slice(&y[at..at + active]);
        for core in 0..active {
            sum[core] = left[core] + right[core];
        }
        black_box(&mut sum);
        z[at..at + active].copy_from_slice(&sum[..active]);
    }
    result.copy_from_slice(z);
}

/// Floats from −1 to 1.
fn parts(words: usize, below: i64) -> Vec<f64> {
    let part = |word: i64| word as f64 / below as f64 * 2.0 - 1.0;
    numbers(words, below).into_iter().map(part).collect()
}

pub fn saxpy(n: usize) -> Case {
    let (x, y) = (parts(n, 1000), parts(n, 777));
    let inputs = vec![
        ("S", Data::Float(vec![2.5]), vec![]),
        ("X", Data::Float(x.clone()), vec![n]),
        ("Y", Data::Float(y.clone()), vec![n]),
    ];
    let mut device = [vec![0.0; n], vec![0.0; n]];
    Case {
        program: include_str!("../../programs/cookbook/saxpy.atgpu"),
        parameters: vec![("n", n)],
        inputs,
        output: "Z",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| scale_and_add(2.5, &x, &y, &mut device, floats(result)));
        }),
    }
}

#[inline(always)]
fn scale_and_add(
    scale: f64,
    x: &[f64],
    y: &[f64],
    [device_x, device_y]: &mut [Vec<f64>; 2],
    result: &mut [f64],
) {
    device_x.copy_from_slice(x);
    device_y.copy_from_slice(y);
    let (mut left, mut right) = ([0.0; CORES], [0.0; CORES]);
    for at in (0..x.len()).step_by(CORES) {
        let active = CORES.min(x.len() - at);
        left[..active].copy_from_slice(&device_x[at..at + active]);
        right[..active].copy_from_slice(&device_y[at..at + active]);
        for core in 0..active {
            right[core] += scale * left[core];
        }
        black_box(&mut right);
        device_y[at..at + active].copy_from_slice(&right[..active]);
    }
    result.copy_from_slice(device_y);
}

/// Words of the filter.
const WIDTH: usize = 9;

pub fn convolution(n: usize) -> Case {
    let (a, f) = (numbers(n + WIDTH - 1, 1000), numbers(WIDTH, 7));
    let inputs = vec![
        ("A", Data::Int(a.clone()), vec![n + WIDTH - 1]),
        ("F", Data::Int(f.clone()), vec![WIDTH]),
    ];
    let mut device = [vec![0; n + WIDTH - 1], vec![0; n]];
    Case {
        program: include_str!("../../programs/cookbook/convolution.atgpu"),
        parameters: vec![("n", n), ("w", WIDTH)],
        inputs,
        output: "C",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| convolve(&a, &f, &mut device, ints(result)));
        }),
    }
}

#[inline(always)]
fn convolve(a: &[i64], f: &[i64], [x, y]: &mut [Vec<i64>; 2], result: &mut [i64]) {
    x.copy_from_slice(a);
    let mut tile = [0; CORES + WIDTH - 1];
    for at in (0..y.len()).step_by(CORES) {
        let active = CORES.min(y.len() - at);
        tile[..active + WIDTH - 1].copy_from_slice(&x[at..at + active + WIDTH - 1]);
        black_box(&mut tile);
        let mut sum = [0; CORES];
        for (u, factor) in f.iter().enumerate() {
            for core in 0..CORES {
                sum[core] += factor * tile[core + u];
            }
        }
        black_box(&mut sum);
        y[at..at + active].copy_from_slice(&sum[..active]);
    }
    result.copy_from_slice(y);
}

/// Neighbours on either side.
const REACH: usize = 3;

pub fn stencil_1d(n: usize) -> Case {
    let a = numbers(n, 1000);
    let inputs = vec![("A", Data::Int(a.clone()), vec![n])];
    let mut device = [vec![0; n], vec![0; n]];
    Case {
        program: include_str!("../../programs/cookbook/stencil_1d.atgpu"),
        parameters: vec![("n", n), ("r", REACH)],
        inputs,
        output: "C",
        native: Box::new(move |result| {
            Arch::new().dispatch(|| add_neighbours(&a, &mut device, ints(result)));
        }),
    }
}

#[inline(always)]
fn add_neighbours(a: &[i64], [x, y]: &mut [Vec<i64>; 2], result: &mut [i64]) {
    x.copy_from_slice(a);
    let n = a.len();
    for at in (0..n).step_by(CORES) {
        let active = CORES.min(n - at);
        let mut tile = [0; CORES + 2 * REACH];
        tile[REACH..REACH + active].copy_from_slice(&x[at..at + active]);
        for core in 0..REACH {
            if at + core >= REACH {
                tile[core] = x[at + core - REACH];
            }
            if at + core + CORES < n {
                tile[REACH + CORES + core] = x[at + core + CORES];
            }
        }
        black_box(&mut tile);
        let mut sum = [0; CORES];
        for u in 0..=2 * REACH {
            for core in 0..CORES {
                sum[core] += tile[core + u];
            }
        }
        black_box(&mut sum);
        y[at..at + active].copy_from_slice(&sum[..active]);
    }
    result.copy_from_slice(y);
}

/// The pass in which so many neighbours are turned alike.
const ALIKE: usize = 4;

pub fn fft_pass(n: usize) -> Case {
    let (x, y) = (parts(n, 1000), parts(n, 777));
    let inputs = vec![
        ("X", Data::Float(x.clone()), vec![n]),
        ("Y", Data::Float(y.clone()), vec![n]),
    ];
    let mut device = [0; 4].map(|_| vec![0.0; n]);
    let mut imaginary = vec![0.0; n];
    Case {
        program: include_str!("../../programs/cookbook/fft_pass.atgpu"),
        parameters: vec![("n", n), ("s", ALIKE)],
        inputs,
        output: "U",
        native: Box::new(move |result| {
            let results = (floats(result), &mut imaginary[..]);
            Arch::new().dispatch(|| butterflies((&x, &y), &mut device, results));
        }),
    }
}

#[inline(always)]
fn butterflies(
    (real, imaginary): (&[f64], &[f64]),
    [x, y, u, v]: &mut [Vec<f64>; 4],
    results: (&mut [f64], &mut [f64]),
) {
    x.copy_from_slice(real);
    y.copy_from_slice(imaginary);
    let n = real.len();
    for at in (0..n / 2).step_by(CORES) {
        let mut warps = [[0.0; CORES]; 4];
        for (warp, (from, at)) in
            (warps.iter_mut()).zip([(&x, at), (&y, at), (&x, at + n / 2), (&y, at + n / 2)])
        {
            warp.copy_from_slice(&from[at..at + CORES]);
        }
        black_box(&mut warps);
        let [a, b, c, d] = warps;
        for core in 0..CORES {
            let w = at + core;
            u[2 * w] = a[core] + c[core];
            v[2 * w] = b[core] + d[core];
            let (p, q) = (a[core] - c[core], b[core] - d[core]);
            let z = std::f64::consts::TAU * ((w / ALIKE * ALIKE) as f64 / n as f64);
            let (e, f) = (libm::cos(z), libm::sin(z));
            u[2 * w + 1] = p * e + q * f;
            v[2 * w + 1] = q * e - p * f;
        }
    }
    results.0.copy_from_slice(u);
    results.1.copy_from_slice(v);
}

/// Steps of an orbit at most.
const STEPS: usize = 32;

pub fn mandelbrot(n: usize) -> Case {
    let x: Vec<f64> = parts(n, 1000).iter().map(|x| 1.5 * x - 0.5).collect();
    let y: Vec<f64> = parts(n, 777).iter().map(|y| 1.2 * y).collect();
    let inputs = vec![
        ("X", Data::Float(x.clone()), vec![n]),
        ("Y", Data::Float(y.clone()), vec![n]),
    ];
    let mut device = [vec![0.0; n], vec![0.0; n]];
    let mut times = vec![0; n];
    let mut orbits = [0; 4].map(|_| vec![0.0; (STEPS + 1) * n]);
    Case {
        program: include_str!("../../programs/cookbook/mandelbrot.atgpu"),
        parameters: vec![("n", n), ("T", STEPS)],
        inputs,
        output: "K",
        native: Box::new(move |result| {
            let device = (&mut device, &mut times[..], &mut orbits);
            Arch::new().dispatch(|| escape((&x, &y), device, ints(result)));
        }),
    }
}

#[inline(always)]
fn escape(
    (real, imaginary): (&[f64], &[f64]),
    ([x, y], times, [u, v, host_u, host_v]): (&mut [Vec<f64>; 2], &mut [i64], &mut [Vec<f64>; 4]),
    result: &mut [i64],
) {
    x.copy_from_slice(real);
    y.copy_from_slice(imaginary);
    let n = real.len();
    let zeros = black_box([0.0; CORES]);
    for at in (0..n).step_by(CORES) {
        let active = CORES.min(n - at);
        for t in 0..=STEPS {
            u[t * n + at..][..active].copy_from_slice(&zeros[..active]);
            v[t * n + at..][..active].copy_from_slice(&zeros[..active]);
        }
        for core in 0..active {
            let (c, d) = (x[at + core], y[at + core]);
            let (mut a, mut b, mut t) = (0.0f64, 0.0f64, 0);
            while t < STEPS && a * a + b * b <= 4.0 {
                (a, b) = (a * a - b * b + c, 2.0 * a * b + d);
                t += 1;
                u[t * n + at + core] = a;
                v[t * n + at + core] = b;
            }
            times[at + core] = t as i64;
        }
    }
    result.copy_from_slice(times);
    host_u.copy_from_slice(u);
    host_v.copy_from_slice(v);
}
