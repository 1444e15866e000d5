//! Names of the program as names of C: the same where C allows it.
//!
//! C has one space of names where the language has two, keeps some for itself, and knows no Greek.
//! Every parameter and every variable gets a name of its own, made once; two parameters that are
//! never visible together may share theirs.

use std::collections::{HashMap, HashSet};

use crate::program::{ParamId, ParameterKind, Program, Scope, VarId};

/// What the headers define that the emitted text includes (glibc 2.36, with all its extensions, as compilers
/// for CUDA see it): types, functions, macros.
const HEADERS: &str = include_str!("headers.txt");

/// Words that C, C++, CUDA or OpenCL keep, and names of the text around the program.
const TAKEN: &str = "\
    ANY EXTENSION FUNCTION LIST NULL OFF OPENCL PERMUTATION SORTED abs absolute alignas alignof \
    all amount and any any_core any_core_of any_flag apart argc argument argument_count \
    argument_values arguments arguments_known argv array as asm at at_most atom_add atom_cmpxchg atom_max atom_min \
    atomicAdd atomicCAS atomicMax atomicMin atomic_add atomic_greatest atomic_least atomic_of_add \
    atomic_of_greatest atomic_of_least atomic_of_times atomic_times auto barrier began begins bits block \
    blockDim blockIdx bool break buffer by_float by_int bytes calloc case catch ceil ceil_div \
    ceil_log ceil_log2 ceil_log_up ceil_real ceil_root char check cl_command_queue cl_context cl_device_id \
    cl_device_type cl_event cl_int cl_kernel cl_mem cl_platform_id cl_program cl_uint cl_ulong \
    class clock clock_gettime condition const constant constexpr context continue convert core \
    cores cos decltype default delete device device_array device_choose device_count device_driver \
    device_is device_launch device_name device_open device_pin device_read device_read_rows \
    device_reports device_shared device_text device_together device_write device_write_rows \
    devices dim3 divides do double draw draw_float draw_int drawn driver driver_text dynamic \
    dynamic_words else end enum errno error event event_begin event_count event_end event_first \
    event_last event_ms event_room event_t events exit exp explicit export extents extern fail \
    false fclose file finish first fitting flag float float2 float4 floor floor_div floor_log floor_log2 floor_mod \
    floor_real floor_root folder fopen for formal formal_names fprintf fputc fread free friend from from_block \
    from_extents from_first from_high from_kind from_low fseek ftell fwrite gamma generate_floats \
    generate_from generate_ints generator generic get_group_id get_local_id given global \
    global_bytes goto greatest greatest_real grid gridDim half has_default head held high holds \
    host_array if image2d_t index inline int int2 int4 int64_t into inward inward_block is_better \
    is_first_run is_gpu is_known is_one_row is_whole is_power_of is_warm j0 j1 jn kernel kernel_of kernels \
    khz kind known last launch launch_begin least least_real left length line linux local local_bytes log log10 log2 \
    log_real long low main malloc many max median memcpy mhz middle min mixed mp mp_bytes \
    mp_number mps ms mutable name names namespace new noexcept not note now now_is nullptr number number_of \
    of_warps operator option options or order_of_ratios other otherwise outward outward_block own \
    own_text padded path pause_device pipe place place_of platform platform_count platforms pow power private \
    program property protected ptrdiff_t public qsort queue queue_t rank read read_only read_write \
    real realloc region register remove rename repeat repeats require rest restrict return rewind \
    right round row rows rows_of run sampler_t seed shape shared_bytes shift_left shift_right \
    short signbit signed sin size_of size_t sizeof snprintf source source_rows sqrt static stderr \
    stdin stdout strcmp stream strlen strncmp strstr strtoll struct switch tan target target_rows \
    template text this threadIdx thread_local throw time time_count time_room times timespec to \
    to_block to_extents to_first to_high to_kind to_low together together_at_most transfer true try turn tv_nsec \
    tv_sec type typedef typeid typename typeof uchar uint uint64_t ulong uniform union unit units \
    unix unsigned used ushort using value values virtual void volatile wait_for_all wanted \
    warm_ups warp warpSize what which while whole word words words_of write write_npy write_only \
    write_times xor y0 y1 yn";

/// Who is called what.
#[derive(Debug)]
pub(crate) struct NamesInC {
    parameters: HashMap<ParamId, String>,
    variables: HashMap<VarId, String>,
    taken: HashSet<String>,
    own: HashMap<String, String>,
}

impl NamesInC {
    pub(crate) fn new(program: &Program) -> NamesInC {
        let mut taken: HashSet<String> = [HEADERS, TAKEN]
            .into_iter()
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect();
        let own = plain(&program.name);
        taken.extend(["launch", "run"].map(|function| format!("{own}_{function}")));
        let mut by_written: HashMap<(u8, &str), String> = HashMap::new();
        let mut parameters = HashMap::new();
        for (at, parameter) in program.parameters.iter().enumerate() {
            // What shadows `p` is somebody else, and a kernel's formal is not what its argument names.
            let class = match parameter.kind {
                ParameterKind::Machine => 0,
                ParameterKind::KernelFormal => 1,
                _ => 2,
            };
            let name = by_written
                .entry((class, parameter.name.as_str()))
                .or_insert_with(|| fresh(&parameter.name, "_", &mut taken));
            parameters.insert(ParamId(at as u32), name.clone());
        }
        let mut variables = HashMap::new();
        for (id, variable) in program.variable_ids().zip(&program.variables) {
            let suffix = match variable.scope {
                Scope::Host => "_host",
                Scope::Global => "_global",
                Scope::Shared => "_shared",
            };
            variables.insert(id, fresh(&variable.name, suffix, &mut taken));
        }
        NamesInC {
            parameters,
            variables,
            taken,
            own: HashMap::new(),
        }
    }

    /// A name that nobody else has: this one, or with a number.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        let name = names.find(|name| !self.taken.contains(name));
        let name = name.expect("there are enough numbers");
        self.taken.insert(name.clone());
        name
    }

    /// A name of the emitted text itself, the same each time it is asked for.
    pub(crate) fn own(&mut self, wanted: &str) -> String {
        if let Some(name) = self.own.get(wanted) {
            return name.clone();
        }
        let name = self.fresh(wanted);
        self.own.insert(wanted.to_owned(), name.clone());
        name
    }

    /// Gives a parameter another name from here on.
    pub(crate) fn rename(&mut self, id: ParamId, name: String) {
        self.parameters.insert(id, name);
    }

    pub(crate) fn parameter(&self, id: ParamId) -> &str {
        &self.parameters[&id]
    }

    pub(crate) fn variable(&self, id: VarId) -> &str {
        &self.variables[&id]
    }
}

fn fresh(written: &str, suffix: &str, taken: &mut HashSet<String>) -> String {
    let mut name = plain(written);
    // So end the names that launches make, and those of arrays by reference.
    if ["_low", "_many", "_at"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        name.push_str(suffix);
    }
    while !taken.insert(name.clone()) {
        name.push_str(suffix);
    }
    name
}

/// In the letters of C. `_X` and `__x` are kept for compilers.
pub(crate) fn plain(written: &str) -> String {
    let mut name = String::new();
    for letter in written.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() || letter == '_' => name.push(letter),
            '\'' | '′' => name.push_str("_prime"),
            other => name.push_str(&format!("u{:x}_", u32::from(other))),
        }
    }
    let is_kept = match name.as_bytes() {
        [b'_', second, ..] => second.is_ascii_uppercase() || *second == b'_',
        [first, ..] => first.is_ascii_digit(),
        [] => true,
    };
    if is_kept { format!("s{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_c() {
        for (written, is) in [
            ("n", "n"),
            ("_x", "_x"),
            ("_X", "s_X"),
            ("k'", "k_prime"),
            ("φ", "u3c6_"),
        ] {
            assert_eq!(plain(written), is);
        }
    }
}
