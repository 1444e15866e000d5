//! A bitonic sort in warps as wide as the program's: what executions of it are held against.

use std::hint::black_box;
use std::ops::RangeInclusive;

use super::CORES;

#[inline(always)]
fn exchange(x: &mut i64, y: &mut i64, falls: bool) {
    let (low, high) = ((*x).min(*y), (*x).max(*y));
    (*x, *y) = if falls { (high, low) } else { (low, high) };
}

/// Sorts `a` by way of `device`, the longest distances first, to `result`.
#[inline(always)]
pub fn sort(a: &[i64], device: &mut [i64], result: &mut [i64]) {
    device.copy_from_slice(a);
    let n = a.len();
    let run = CORES.trailing_zeros();
    let in_warps = |device: &mut [i64], steps: RangeInclusive<u32>| {
        for at in (0..n).step_by(CORES) {
            let mut warp = [0; CORES];
            warp.copy_from_slice(&device[at..at + CORES]);
            for step in steps.clone() {
                for level in (1..=step.min(run)).rev() {
                    let apart = 1 << (level - 1);
                    for core in 0..CORES {
                        if core / apart % 2 == 0 {
                            let (left, right) = warp.split_at_mut(core + apart);
                            let falls = (at + core) >> step & 1 == 1;
                            exchange(&mut left[core], &mut right[0], falls);
                        }
                    }
                    black_box(&mut warp);
                }
            }
            device[at..at + CORES].copy_from_slice(&warp);
        }
    };
    in_warps(device, 1..=run);
    for step in run + 1..=n.trailing_zeros() {
        for level in (run + 1..=step).rev() {
            let apart = 1 << (level - 1);
            for at in (0..n).step_by(CORES) {
                if at / apart % 2 == 0 {
                    let (left, right) = device.split_at_mut(at + apart);
                    let falls = at >> step & 1 == 1;
                    for core in 0..CORES {
                        exchange(&mut left[at + core], &mut right[core], falls);
                    }
                }
            }
        }
        in_warps(device, step..=step);
    }
    result.copy_from_slice(device);
}
