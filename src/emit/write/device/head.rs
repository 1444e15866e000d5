//! All that stands before the kernels of CUDA C++ and OpenCL C: types, barriers, atomics.

use crate::emit::target::{Target, WARP, Words};
use crate::emit::write::page::{Page, types};

/// The head of a file. `machine` and `functions` are the texts of the program that kernels and host share.
pub(in crate::emit::write) fn file_head(
    target: Target,
    words: Words,
    machine: &str,
    functions: &str,
    cores: i64,
    page: &mut Page,
) {
    match target {
        Target::Cuda => {
            cuda_types(words, page);
            page.text(machine);
            page.text(functions);
            cuda_cores(words, cores, page);
        }
        Target::OpenCl | Target::C => {
            opencl_types(words, page);
            page.text(machine);
            page.text(functions);
            page.text("\n#ifdef __OPENCL_VERSION__\n");
            opencl_functions(words, page);
        }
    }
}

fn cuda_types(words: Words, page: &mut Page) {
    let int = if words.int32 { "int" } else { "long long" };
    page.text(CUDA_HEAD);
    page.text(&types("long long", int, words.float));
    page.text("#define FUNCTION static inline __host__ __device__\n\n");
    page.text(include_str!("../../runtime/host.c"));
    page.text(include_str!("../../runtime/cuda.cu"));
    page.text(include_str!("../../runtime/transfer.c"));
    page.text("\n// ---- the program ----\n\n");
}

/// Functions that kernels may call, for who takes from them what is called.
pub(in crate::emit::write) fn atomics(target: Target, words: Words, cores: i64) -> String {
    let mut page = Page::default();
    match target {
        Target::Cuda => {
            cuda_cores(words, cores, &mut page);
            page.text(CUDA_TOGETHER);
        }
        Target::OpenCl | Target::C => opencl_functions(words, &mut page),
    }
    page.into_text()
}

/// Barriers and atomics; a warp waits without a barrier of the thread block.
fn cuda_cores(words: Words, cores: i64, page: &mut Page) {
    page.text(match cores {
        WARP => CUDA_WARP,
        _ => CUDA_BLOCK,
    });
    page.text(if words.int32 {
        CUDA_ATOMIC_32
    } else {
        CUDA_ATOMIC_64
    });
}

/// One file is read twice: as kernels by the device's compiler, as a program by the host's.
fn opencl_types(words: Words, page: &mut Page) {
    let int = if words.int32 { "int" } else { "long" };
    page.text("#ifdef __OPENCL_VERSION__\n");
    if !words.float {
        page.text("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    }
    if !words.int32 {
        page.text(OPENCL_EXTENSIONS);
    }
    page.text("#pragma OPENCL FP_CONTRACT OFF\n");
    page.text(&types("long", int, words.float));
    page.text("#else\n");
    page.text(OPENCL_HEAD);
    page.text(&types(
        "int64_t",
        if words.int32 { "int32_t" } else { "int64_t" },
        words.float,
    ));
    page.text("#endif\n#define FUNCTION static inline\n\n");
}

fn opencl_functions(words: Words, page: &mut Page) {
    page.text(OPENCL_ANY);
    page.text(if words.int32 {
        OPENCL_ATOMIC_32
    } else {
        OPENCL_ATOMIC_64
    });
}

const CUDA_HEAD: &str = "\
#pragma nv_diag_suppress 177 // not every program calls every function
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>

";

const CUDA_WARP: &str = "
// The cores of an MP are a warp.
#define barrier() __syncwarp()
static inline __device__ bool any_core(bool on)
{
    __syncwarp();
    return __any_sync(0xffffffffu, on) != 0;
}
";

const CUDA_BLOCK: &str = "
#define barrier() __syncthreads()
static inline __device__ bool any_core(bool on) { return __syncthreads_or(on) != 0; }
";

const CUDA_ATOMIC_64: &str = "
static inline __device__ void atomic_add(word *at, whole value)
{
    atomicAdd((unsigned long long *)at, (unsigned long long)value);
}
static inline __device__ void atomic_least(word *at, whole value) { atomicMin(at, value); }
static inline __device__ void atomic_greatest(word *at, whole value) { atomicMax(at, value); }
static inline __device__ void atomic_times(word *at, whole value)
{
    unsigned long long *bits = (unsigned long long *)at, seen = *bits, held;
    do {
        held = seen;
        seen = atomicCAS(bits, held, held * (unsigned long long)value);
    } while (seen != held);
}
";

const CUDA_ATOMIC_32: &str = "
static inline __device__ void atomic_add(word *at, whole value) { atomicAdd(at, (word)value); }
static inline __device__ void atomic_least(word *at, whole value) { atomicMin(at, (word)value); }
static inline __device__ void atomic_greatest(word *at, whole value) { atomicMax(at, (word)value); }
static inline __device__ void atomic_times(word *at, whole value)
{
    unsigned *bits = (unsigned *)at, seen = *bits, held;
    do {
        held = seen;
        seen = atomicCAS(bits, held, held * (unsigned)value);
    } while (seen != held);
}
";

const CUDA_TOGETHER: &str = "
// The MPs that are one thread block: as many as there is room for, with so many bytes of shared memory each.
static inline whole together_at_most(whole most, size_t bytes)
{
    int device = 0, room = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    const whole fit = (whole)(room / (bytes == 0 ? 1 : bytes));
    return fit < 1 ? 1 : fit < most ? fit : most;
}
";

const OPENCL_EXTENSIONS: &str = "\
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
";

const OPENCL_HEAD: &str = "\
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
";

const OPENCL_ANY: &str = "
#define wait_for_all() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// Whether the loop goes on for some core.
FUNCTION bool any_core_of(bool on, __local int *flag)
{
    wait_for_all();
    if (get_local_id(0) == 0)
        *flag = 0;
    wait_for_all();
    if (on)
        *flag = 1;
    wait_for_all();
    return *flag != 0;
}
";

const OPENCL_ATOMIC_64: &str = "
FUNCTION void atomic_of_add(volatile __local word *at, whole value) { atom_add(at, value); }
FUNCTION void atomic_of_least(volatile __local word *at, whole value) { atom_min(at, value); }
FUNCTION void atomic_of_greatest(volatile __local word *at, whole value) { atom_max(at, value); }
FUNCTION void atomic_of_times(volatile __local word *at, whole value)
{
    word seen = *at, held;
    do {
        held = seen;
        seen = atom_cmpxchg(at, held, held * value);
    } while (seen != held);
}
";

const OPENCL_ATOMIC_32: &str = "
FUNCTION void atomic_of_add(volatile __local word *at, whole value) { atomic_add(at, (word)value); }
FUNCTION void atomic_of_least(volatile __local word *at, whole value)
{
    atomic_min(at, (word)value);
}
FUNCTION void atomic_of_greatest(volatile __local word *at, whole value)
{
    atomic_max(at, (word)value);
}
FUNCTION void atomic_of_times(volatile __local word *at, whole value)
{
    word seen = *at, held;
    do {
        held = seen;
        seen = atomic_cmpxchg(at, held, (word)(held * value));
    } while (seen != held);
}
";

/// The line that ends the kernels of OpenCL and begins the host.
pub(in crate::emit::write) const OPENCL_HOST: &str = "\
#else /* the host, which gives this very file to the device's compiler */

";
