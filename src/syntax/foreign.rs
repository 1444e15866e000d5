//! Words of CUDA, OpenCL and C that people bring along, with their counterparts here.
//!
//! Data only. The names stay free, and are looked up here only if nothing declares them.

/// Names with a meaning elsewhere, and the counterpart to write.
const WORDS: [(&[&str], &str); 31] = [
    (
        &[
            "threadIdx",
            "get_local_id",
            "tid",
            "tx",
            "lane",
            "lane_id",
            "laneId",
        ],
        "the number of a core in its MP is the last index of `c_{i,j}`: write `j`",
    ),
    (
        &["blockIdx", "get_group_id"],
        "the number of an MP is the index of its loop: write `i` of `mp_i`",
    ),
    (
        &["blockDim", "get_local_size", "warpSize"],
        "every MP has `b` cores: write `b`",
    ),
    (
        &["gridDim", "get_num_groups"],
        "the range of their loop says how many MPs there are: `k` in `MP[0..k-1]`",
    ),
    (
        &["get_global_id", "gid", "cuda"],
        "core `j` of MP `i` is number `ib + j` of all cores",
    ),
    (
        &["get_global_size"],
        "`MP[0..k-1]` has `kb` cores: write `kb`",
    ),
    (&SYNCHRONISATION, NO_BARRIER),
    (
        &["return"],
        "nothing is returned: transfer results to an `output`, and keep cores out with `if … then … end if`",
    ),
    (
        &["break", "continue"],
        "a loop ends early with `for v = lo → hi until cond do`; what some iterations leave out stands in an `if`",
    ),
    (
        &["step", "by"],
        "loops count by 1: write `for v = 0 → n div 2 do` and `2v` for every second number",
    ),
    (&["xor"], "write `bitxor(x, y)`"),
    (
        &["cdiv", "ceildiv", "ceil_div", "div_up", "divup", "DIV_UP"],
        "write `⌈x/y⌉` or `ceil(x/y)`",
    ),
    (
        &[
            "shfl_down",
            "shfl_up",
            "shfl_xor",
            "__shfl_sync",
            "__shfl_down_sync",
            "__shfl_up_sync",
            "__shfl_xor_sync",
            "sub_group_shuffle",
        ],
        "cores of an MP share memory: write the value to `_x[j]` and read the other core's word, as in `_x[j + 1]`",
    ),
    (&["pow", "powf", "powi"], POWER),
    (
        &["fmin", "fminf", "fmax", "fmaxf"],
        "write `min(x, y)` or `max(x, y)`",
    ),
    (&["logf", "log10", "log1p"], "write `ln(x)`"),
    (&["fabs", "fabsf"], "write `abs(x)`"),
    (
        &["sqrtf", "expf", "sinf", "cosf"],
        "write the name without `f`, such as `sqrt(x)`",
    ),
    (
        &["int", "trunc", "round"],
        "write `⌊x⌋` or `floor(x)` to round down, `⌈x⌉` or `ceil(x)` to round up",
    ),
    (
        &["true", "false", "True", "False"],
        "a condition compares, such as `j < n`: no name stands for true or false",
    ),
    (
        &["isPowerOfTwo", "is_power_of_two", "is_pow2", "ispow2"],
        "write `b is a power of 2`",
    ),
    (&["multiple", "divisible"], "write `b | n`: b divides n"),
    (
        &["len", "size", "sizeof", "length"],
        "sizes are parameters: write the one in its declaration, such as `n`; they count words",
    ),
    (
        &["ms", "seconds", "bytes", "KB", "MB", "GB"],
        "write the number alone: times are in milliseconds, memory in words",
    ),
    (
        &["print", "printf", "println"],
        "nothing is printed: `atgpu run --show c` shows a variable",
    ),
    (
        &[
            "cudaMemcpy",
            "cudaMemcpyAsync",
            "memcpy",
            "to_device",
            "copy_to_host",
        ],
        "write a transfer: `a ⇚ A` to global memory, `A ⇚ a` back to the host",
    ),
    (
        &["cudaMalloc", "malloc", "cudaFree", "free"],
        "memory is declared in the header, as in `global a[n]`: leave this line out",
    ),
    (
        &MODULES,
        "write the function without its module, such as `log2 x` or `⌈x⌉`",
    ),
    (
        &[
            "atomicAdd",
            "atomicMax",
            "atomicMin",
            "atomic_add",
            "atomic_max",
            "atomic_min",
            "atomic_inc",
            "atomicInc",
        ],
        "write `atomic _x[e] ← _x[e] + v`, or with `*`, `min` or `max`",
    ),
    (
        &["__shared__", "__local"],
        "declare shared variables in the header: `shared _x[b]`",
    ),
    (
        &["__global__", "__kernel", "__device__", "void"],
        "a kernel stands where it runs, as `for all mp_i ∈ MP[0..k-1] in parallel do`; a named one is `kernel Name(global x, w)`",
    ),
];

/// Modules that functions come from elsewhere.
const MODULES: [&str; 5] = ["math", "np", "numpy", "std", "torch"];

/// The spelling of powers.
pub(super) const POWER: &str = "write a power with `^`, such as `n^2`";

/// Calls that make threads wait for each other.
const SYNCHRONISATION: [&str; 8] = [
    "__syncthreads",
    "__syncwarp",
    "__threadfence",
    "__threadfence_block",
    "barrier",
    "mem_fence",
    "syncthreads",
    "work_group_barrier",
];

const NO_BARRIER: &str =
    "cores of an MP run in lockstep: none is needed, and kernels wait for the one before";

/// Words that begin declarations of C, with the type here if it has another name.
const TYPES: [(&str, Option<&str>); 24] = [
    ("auto", None),
    ("bool", Some("int")),
    ("char", Some("int")),
    ("const", None),
    ("double", Some("float")),
    ("f32", Some("float")),
    ("f64", Some("float")),
    ("float", None),
    ("float32", Some("float")),
    ("float64", Some("float")),
    ("half", Some("float")),
    ("int", None),
    ("int32", Some("int")),
    ("int32_t", Some("int")),
    ("int64", Some("int")),
    ("int64_t", Some("int")),
    ("long", Some("int")),
    ("register", None),
    ("short", Some("int")),
    ("size_t", Some("int")),
    ("uint", Some("int")),
    ("uint32_t", Some("int")),
    ("unsigned", Some("int")),
    ("volatile", None),
];

/// Returns the counterpart of a name.
pub(crate) fn meaning(name: &str) -> Option<&'static str> {
    let mut words = WORDS.iter();
    words
        .find(|(names, _)| names.contains(&name))
        .map(|(_, meaning)| *meaning)
}

/// Returns true for calls that make threads wait for each other; cores in lockstep need none.
pub(super) fn is_barrier(name: &str) -> bool {
    SYNCHRONISATION.contains(&name)
}

/// Returns true if C declares variables with this word.
pub(super) fn is_type(word: &str) -> bool {
    TYPES.iter().any(|(known, _)| *known == word)
}

/// Returns the type here for a type of C with another name.
pub(super) fn own_type(word: &str) -> Option<&'static str> {
    let known = TYPES.iter().find(|(known, _)| *known == word);
    known.and_then(|(_, own)| *own)
}
