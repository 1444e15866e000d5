// CUDA on this processor, for tests. The threads of a thread block take turns, each until it waits for others: what
// relies on a barrier that is not there finds words that nobody has written yet. Thread blocks run one after another.

#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__
#define __host__
#define __device__
#define __shared__ static
#define __launch_bounds__(threads)

struct dim3
{
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

static dim3 threadIdx, blockIdx, blockDim;
static const size_t most_shared = 232448;
static long long dynamic_words[most_shared / 8];

/* Threads that wait for each other, and what they have voted. */
struct meeting { size_t alive, arrived, turn; bool vote, told; };
struct thread { ucontext_t context; char stack[1 << 16]; size_t number; bool is_done; };

static meeting all_threads;
static meeting warps[32];
static thread threads[1024];
static thread *own;
static ucontext_t launcher;
static void (*body)(void *);
static void *of_body;

static void met(meeting &of)
{
    of.told = of.vote;
    of.vote = false;
    of.arrived = 0;
    of.turn++;
}

static bool wait_for(meeting &of, bool vote)
{
    const size_t turn = of.turn;
    of.vote = of.vote || vote;
    if (++of.arrived == of.alive)
        met(of);
    while (of.turn == turn)
        swapcontext(&own->context, &launcher);
    return of.told;
}

static void leave(meeting &of)
{
    if (--of.alive > 0 && of.arrived == of.alive)
        met(of);
}

static meeting &own_warp() { return warps[own->number / 32]; }
static inline void __syncthreads() { wait_for(all_threads, false); }
static inline int __syncthreads_or(int vote) { return wait_for(all_threads, vote); }
static inline void __syncwarp() { wait_for(own_warp(), false); }
static inline int __any_sync(unsigned, int vote) { return wait_for(own_warp(), vote); }

static void run_thread()
{
    body(of_body);
    own->is_done = true;
    leave(own_warp());
    leave(all_threads);
}

static void run_block(size_t many)
{
    all_threads = meeting();
    for (meeting &warp : warps)
        warp = meeting();
    for (size_t number = 0; number < many; number++) {
        thread &it = threads[number];
        it.number = number;
        it.is_done = false;
        all_threads.alive++;
        warps[number / 32].alive++;
        getcontext(&it.context);
        it.context.uc_stack.ss_sp = it.stack;
        it.context.uc_stack.ss_size = sizeof it.stack;
        it.context.uc_link = &launcher;
        makecontext(&it.context, run_thread, 0);
    }
    while (all_threads.alive > 0)
        for (size_t number = 0; number < many; number++)
            if (!threads[number].is_done) {
                own = &threads[number];
                threadIdx = dim3(number);
                swapcontext(&launcher, &own->context);
            }
}

typedef struct stream *cudaStream_t;
enum cudaError_t
{
    cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInvalidConfiguration = 9, cudaErrorUnknown = 999
};
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaDevAttrMaxSharedMemoryPerBlockOptin };

static cudaError_t last_error = cudaSuccess;
static inline cudaError_t cudaGetLastError() { return last_error; }

/* `kernel<<<grid, many, shared, stream>>>(…)` */
template <typename F> void launched(dim3 grid, unsigned many, size_t shared, cudaStream_t, F kernel)
{
    if (grid.x == 0 || grid.y > 65535 || grid.z > 65535 || many == 0 || many > 1024 || shared > most_shared) {
        last_error = cudaErrorInvalidConfiguration;
        return;
    }
    body = [](void *of) { (*(F *)of)(); };
    of_body = &kernel;
    blockDim = dim3(many);
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
                run_block(many);
}

static inline cudaError_t cudaMalloc(void **at, size_t bytes)
{
    *at = malloc(bytes);
    if (*at == NULL)
        return cudaErrorMemoryAllocation;
    memset(*at, 0x5a, bytes);
    return cudaSuccess;
}

static inline void cudaFree(void *at) { free(at); }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
template <typename F> cudaError_t cudaFuncSetAttribute(F *, int, int) { return cudaSuccess; }
static inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
static inline cudaError_t cudaDeviceGetAttribute(int *value, int, int) { return *value = most_shared, cudaSuccess; }

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, kind);
}

static inline cudaError_t cudaMemcpy2D(
    void *to, size_t to_apart, const void *from, size_t from_apart, size_t bytes, size_t rows, int)
{
    if (bytes > to_apart || bytes > from_apart)
        return cudaErrorInvalidValue;
    for (size_t row = 0; row < rows; row++)
        memcpy((char *)to + row * to_apart, (const char *)from + row * from_apart, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpy2DAsync(
    void *to, size_t to_apart, const void *from, size_t from_apart, size_t bytes, size_t rows, int kind, cudaStream_t)
{
    return cudaMemcpy2D(to, to_apart, from, from_apart, bytes, rows, kind);
}

static inline int min(int x, int y) { return y < x ? y : x; }
static inline int max(int x, int y) { return y > x ? y : x; }
static inline long long min(long long x, long long y) { return y < x ? y : x; }
static inline long long max(long long x, long long y) { return y > x ? y : x; }

template <typename T> T atomicAdd(T *at, T value) { const T old = *at; *at = old + value; return old; }
template <typename T> T atomicMin(T *at, T value) { const T old = *at; *at = value < old ? value : old; return old; }
template <typename T> T atomicMax(T *at, T value) { const T old = *at; *at = value > old ? value : old; return old; }
template <typename T> T atomicCAS(T *at, T seen, T value) { const T old = *at; *at = old == seen ? value : old; return old; }
