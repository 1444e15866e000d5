//! Scans, and what is made of them.

use std::hint::black_box;

use atgpu::exec::Data;
use pulp::Arch;

use crate::paired::{CORES, numbers};
use crate::{Case, ints};

fn case(
    n: usize,
    program: &'static str,
    a: Vec<i64>,
    device: usize,
    scan: fn(&[i64], &mut [Vec<i64>], &mut [i64]),
) -> Case {
    let mut device = vec![vec![0; n]; device];
    Case {
        program,
        parameters: vec![("n", n)],
        inputs: vec![("A", Data::Int(a.clone()), vec![n])],
        output: "C",
        native: Box::new(move |result| scan(&a, &mut device, ints(result))),
    }
}

pub fn hillis_steele(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/scan_hillis_steele.atgpu");
    case(n, text, numbers(n, 1000), 2, |input, device, result| {
        Arch::new().dispatch(|| {
            let [a, c] = device else { unreachable!("two") };
            a.copy_from_slice(input);
            let (mut own, mut before) = ([0; CORES], [0; CORES]);
            let mut h = 1;
            while h < a.len() {
                for at in (0..a.len()).step_by(CORES) {
                    own.copy_from_slice(&a[at..at + CORES]);
                    if at >= h {
                        before.copy_from_slice(&a[at - h..at - h + CORES]);
                        for core in 0..CORES {
                            own[core] += before[core];
                        }
                    } else if at + CORES > h {
                        for core in h - at..CORES {
                            own[core] += a[at + core - h];
                        }
                    }
                    black_box(&mut own);
                    c[at..at + CORES].copy_from_slice(&own);
                }
                std::mem::swap(a, c);
                h *= 2;
            }
            result.copy_from_slice(a);
        });
    })
}

pub fn blelloch(n: usize) -> Case {
    const TILE: usize = 2 * CORES;
    let text = include_str!("../../programs/cookbook/scan_blelloch.atgpu");
    case(n, text, numbers(n, 1000), 2, |input, device, result| {
        Arch::new().dispatch(|| {
            let [a, c] = device else { unreachable!("two") };
            a.copy_from_slice(input);
            for at in (0..a.len()).step_by(TILE) {
                let mut own = [0; TILE];
                own.copy_from_slice(&a[at..at + TILE]);
                let mut tree = own;
                let mut step = 2;
                while step <= TILE {
                    for v in (step - 1..TILE).step_by(step) {
                        tree[v] += tree[v - step / 2];
                    }
                    black_box(&mut tree);
                    step *= 2;
                }
                tree[TILE - 1] = 0;
                while step > 2 {
                    step /= 2;
                    for v in (step - 1..TILE).step_by(step) {
                        let left = tree[v - step / 2];
                        tree[v - step / 2] = tree[v];
                        tree[v] += left;
                    }
                    black_box(&mut tree);
                }
                for (word, own) in tree.iter_mut().zip(&own) {
                    *word += own;
                }
                c[at..at + TILE].copy_from_slice(&tree);
            }
            result.copy_from_slice(c);
        });
    })
}

/// The scan of a warp, by the steps of Hillis and Steele.
#[inline(always)]
fn scan_warp(warp: &mut [i64; CORES]) {
    let mut h = 1;
    while h < CORES {
        let before = *warp;
        for core in h..CORES {
            warp[core] += before[core - h];
        }
        black_box(&mut *warp);
        h *= 2;
    }
}

pub fn any_n(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/scan_any_n.atgpu");
    case(n, text, numbers(n, 1000), 6, |input, levels, result| {
        Arch::new().dispatch(|| {
            levels[0].copy_from_slice(input);
            let mut words = vec![input.len()];
            while words[words.len() - 1] > 1 {
                let w = words[words.len() - 1];
                let (low, high) = levels.split_at_mut(words.len());
                let (own, next) = (&mut low[words.len() - 1], &mut high[0]);
                for at in (0..w).step_by(CORES) {
                    let mut warp = [0; CORES];
                    let active = CORES.min(w - at);
                    warp[..active].copy_from_slice(&own[at..at + active]);
                    scan_warp(&mut warp);
                    own[at..at + active].copy_from_slice(&warp[..active]);
                    next[at / CORES] = warp[CORES - 1];
                }
                words.push(w.div_ceil(CORES));
            }
            for level in (0..words.len() - 1).rev() {
                let w = words[level];
                let (low, high) = levels.split_at_mut(level + 1);
                let (own, next) = (&mut low[level], &high[0]);
                for at in (CORES..w).step_by(CORES) {
                    let mut warp = [0; CORES];
                    let active = CORES.min(w - at);
                    warp[..active].copy_from_slice(&own[at..at + active]);
                    for word in &mut warp {
                        *word += next[at / CORES - 1];
                    }
                    black_box(&mut warp);
                    own[at..at + active].copy_from_slice(&warp[..active]);
                }
            }
            result.copy_from_slice(&levels[0]);
        });
    })
}

/// Scans of the flags of each warp, then of the warps' sums.
#[inline(always)]
fn ranks(a: &[i64], places: &mut [i64], sums: &mut [i64], flag: impl Fn(i64) -> i64) {
    for at in (0..a.len()).step_by(CORES) {
        let mut warp = [0; CORES];
        let active = CORES.min(a.len() - at);
        warp[..active].copy_from_slice(&a[at..at + active]);
        for word in &mut warp[..active] {
            *word = flag(*word);
        }
        scan_warp(&mut warp);
        places[at..at + active].copy_from_slice(&warp[..active]);
        sums[at / CORES] = warp[CORES - 1];
    }
    let warps = a.len().div_ceil(CORES);
    let mut carry = 0;
    for at in (0..warps).step_by(CORES) {
        let mut warp = [0; CORES];
        let active = CORES.min(warps - at);
        warp[..active].copy_from_slice(&sums[at..at + active]);
        scan_warp(&mut warp);
        for word in &mut warp {
            *word += carry;
        }
        sums[at..at + active].copy_from_slice(&warp[..active]);
        carry = warp[CORES - 1];
    }
}

pub fn compaction(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/compaction.atgpu");
    let a = numbers(n, 1000).iter().map(|x| x - 400).collect();
    case(n, text, a, 4, |input, device, result| {
        Arch::new().dispatch(|| {
            let [a, p, s, c] = device else {
                unreachable!("four")
            };
            a.copy_from_slice(input);
            let zeros = black_box([0; CORES]);
            for warp in c.chunks_mut(CORES) {
                warp.copy_from_slice(&zeros[..warp.len()]);
            }
            ranks(a, p, s, |word| i64::from(word > 0));
            let (mut own, mut places) = ([0; CORES], [0; CORES]);
            for at in (0..a.len()).step_by(CORES) {
                let active = CORES.min(a.len() - at);
                own[..active].copy_from_slice(&a[at..at + active]);
                places[..active].copy_from_slice(&p[at..at + active]);
                black_box((&mut own, &mut places));
                let before = if at > 0 { s[at / CORES - 1] } else { 0 };
                for core in 0..active {
                    if own[core] > 0 {
                        c[(before + places[core] - 1) as usize] = own[core];
                    }
                }
            }
            result.copy_from_slice(c);
        });
    })
}

/// The bit that is sorted by.
const BIT: usize = 3;

pub fn radix_pass(n: usize) -> Case {
    let text = include_str!("../../programs/cookbook/radix_pass.atgpu");
    let a = numbers(n, 1 << 20);
    let mut made = case(n, text, a, 4, |input, device, result| {
        Arch::new().dispatch(|| {
            let [a, p, s, c] = device else {
                unreachable!("four")
            };
            a.copy_from_slice(input);
            ranks(a, p, s, |word| 1 - (word >> BIT) % 2);
            let zeros = s[a.len().div_ceil(CORES) - 1];
            let (mut own, mut places) = ([0; CORES], [0; CORES]);
            for at in (0..a.len()).step_by(CORES) {
                let active = CORES.min(a.len() - at);
                own[..active].copy_from_slice(&a[at..at + active]);
                places[..active].copy_from_slice(&p[at..at + active]);
                let before = if at > 0 { s[at / CORES - 1] } else { 0 };
                for core in 0..active {
                    let rank = places[core] + before;
                    places[core] = match (own[core] >> BIT) % 2 {
                        0 => rank - 1,
                        _ => zeros + (at + core) as i64 - rank,
                    };
                }
                black_box((&mut own, &mut places));
                for core in 0..active {
                    c[places[core] as usize] = own[core];
                }
            }
            result.copy_from_slice(c);
        });
    });
    made.parameters.push(("s", BIT));
    made
}
