//! A kernel in CUDA C++ or OpenCL C: what one core does. Masks stand around what a core does on its
//! own, never around a barrier; loops run until no core is left.

use crate::emit::form::{Act, Kernel, KernelPart, Kind, Shared, Step};
use crate::emit::target::{Target, WARP, Words};
use crate::emit::term::Term;
use crate::emit::write::c::{pointer_to, type_of, unread, updated};
use crate::emit::write::masks;
use crate::emit::write::page::{Page, types};
use crate::emit::write::pen::Pen;
use crate::program::{AtomicOperator, WordType};

/// All that stands before the kernels.
pub(super) fn file_head(
    target: Target,
    words: Words,
    machine: &str,
    functions: &str,
    cores: i64,
    page: &mut Page,
) {
    match target {
        Target::Cuda => {
            let int = if words.int32 { "int" } else { "long long" };
            page.text(CUDA_HEAD);
            page.text(&types("long long", int, words.float));
            page.text("#define FUNCTION static inline __host__ __device__\n\n");
            page.text(include_str!("../runtime/host.c"));
            page.text(include_str!("../runtime/cuda.cu"));
            page.text(include_str!("../runtime/transfer.c"));
            page.text("\n// ---- the program ----\n\n");
            page.text(machine);
            page.text(functions);
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
        Target::OpenCl | Target::C => {
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
            page.text(machine);
            page.text(functions);
            page.text("\n#ifdef __OPENCL_VERSION__\n");
            page.text(OPENCL_ANY);
            page.text(if words.int32 {
                OPENCL_ATOMIC_32
            } else {
                OPENCL_ATOMIC_64
            });
        }
    }
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

/// What ends the kernels of OpenCL and begins the host.
pub(super) const OPENCL_HOST: &str = "\
#else /* the host, which gives this very file to the device's compiler */

";

/// How kernels are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer {
    pub target: Target,
    pub is_single: bool,
    /// MPs of a thread block, each a warp of it; 1 but in CUDA.
    pub thread_block: i64,
}

impl Writer {
    fn is_cuda(self) -> bool {
        self.target == Target::Cuda
    }

    fn pen(self) -> Pen<'static> {
        Pen {
            core: None,
            is_single: self.is_single,
        }
    }

    /// The function of a kernel.
    pub(super) fn kernel(self, kernel: &Kernel, page: &mut Page) {
        page.comment(&kernel.line);
        let (told, declared) = kernel.shared(self.target, self.thread_block);
        let head = if self.is_cuda() {
            // So many threads find registers.
            match self.thread_block {
                1 => "__global__ static void __launch_bounds__(b)".to_owned(),
                mps => format!("__global__ static void __launch_bounds__({mps} * b)"),
            }
        } else {
            "__kernel void".to_owned()
        };
        let arguments = self.arguments(kernel, &told).join(", ");
        page.line(&format!("{head} {}({arguments})", kernel.name));
        page.open("{");
        if self.thread_block > 1 {
            let warp = Term::infix("/", Term::name("threadIdx.x"), Term::name("b"));
            page.line(&self.pen().defined("const whole", "warp", &warp));
        }
        self.declared(&declared, page);
        if self.is_cuda() {
            self.dynamic(&told, page);
        }
        let loops = kernel.body.iter().any(|part| match part {
            KernelPart::Cores { body, .. } => has_while(body),
            KernelPart::Line(_) | KernelPart::Let(..) => false,
        });
        if !self.is_cuda() && loops {
            page.line("__local int any_flag;");
        }
        for (name, kind) in &kernel.registers {
            page.line(&match kind {
                Kind::Whole => format!("whole {name} = 0;"),
                Kind::Real => format!("real {name} = 0;"),
                Kind::Truth => format!("bool {name} = false;"),
                Kind::Word => format!("word {name} = 0;"),
            });
        }
        self.indices(kernel, page);
        for part in &kernel.body {
            match part {
                KernelPart::Line(line) => page.comment(line),
                KernelPart::Let(name, value) => {
                    page.line(&self.pen().defined("const whole", name, value));
                    page.line(&format!("(void){name};"));
                }
                KernelPart::Cores { core, body } => {
                    page.open("{");
                    let thread = Term::name("threadIdx.x");
                    let number = match (self.is_cuda(), self.thread_block) {
                        (false, _) => group_or_local("get_local_id"),
                        (true, 1) => thread,
                        (true, _) => Term::infix("%", thread, Term::name("b")),
                    };
                    page.line(&self.pen().defined("const whole", core, &number));
                    page.line(&format!("(void){core};"));
                    let cores = Cores { writer: self, core };
                    cores.steps(body, None, page);
                    page.close();
                }
            }
        }
        page.close();
    }

    /// What a kernel is called with: its MPs, numbers, arrays, in OpenCL the shared arrays of sizes told.
    fn arguments(self, kernel: &Kernel, told: &[&Shared]) -> Vec<String> {
        let mut arguments: Vec<String> = Vec::new();
        if self.thread_block > 1 {
            arguments.push("whole mps".to_owned());
        }
        for (at, mp) in kernel.mps.iter().enumerate() {
            arguments.push(format!("whole {mp}_low"));
            if at > 0 {
                arguments.push(format!("whole {mp}_many"));
            }
        }
        arguments.extend(kernel.numbers.iter().map(|name| format!("whole {name}")));
        let memory = if self.is_cuda() { "" } else { "__global " };
        for (name, word_type, is_written) in &kernel.globals {
            let ty = type_of(*word_type);
            // What nobody writes is read whenever the compiler likes, whatever else is written meanwhile.
            arguments.push(match (is_written, self.is_cuda()) {
                (true, _) => format!("{memory}{ty} *{name}"),
                (false, true) => format!("const {ty} *__restrict__ {name}"),
                (false, false) => format!("{memory}const {ty} *restrict {name}"),
            });
        }
        if !self.is_cuda() {
            let local = |shared: &&Shared| {
                format!("__local {} *{}", type_of(shared.word_type), shared.name)
            };
            arguments.extend(told.iter().map(local));
        }
        arguments
    }

    /// Shared arrays of a size that is known here; where several MPs are a thread block, each has its own.
    fn declared(self, declared: &[&Shared], page: &mut Page) {
        let array = |shared: &Shared, memory: &str| {
            let words = match shared.known {
                Some(words) if words < 1 => &Term::Whole(1),
                _ => &shared.words,
            };
            let ty = format!("{memory}{}", type_of(shared.word_type));
            self.pen().array(&ty, &shared.name, words)
        };
        let word = if self.is_cuda() {
            "__shared__ "
        } else {
            "__local "
        };
        if self.thread_block == 1 {
            for shared in declared {
                page.line(&array(shared, word));
            }
        } else if !declared.is_empty() {
            page.open(&format!("{word}struct {{"));
            declared.iter().for_each(|it| page.line(&array(it, "")));
            page.close_with(&format!(" of_warps[{}];", self.thread_block));
            for shared in declared {
                let (ty, name) = (type_of(shared.word_type), &shared.name);
                page.line(&format!("{ty} *{name} = of_warps[warp].{name};"));
            }
        }
        declared.iter().for_each(|shared| unread(shared, page));
    }

    /// Shared arrays of sizes told at the launch, one behind the other.
    fn dynamic(self, told: &[&Shared], page: &mut Page) {
        if told.is_empty() {
            return;
        }
        page.line("extern __shared__ long long dynamic_words[];");
        page.line("char *dynamic = (char *)dynamic_words;");
        let (pen, dynamic) = (self.pen(), Term::name("dynamic"));
        for (at, shared) in told.iter().enumerate() {
            let words = Term::call("greatest", vec![shared.words.clone(), Term::Whole(1)]);
            let size = Term::call("sizeof", vec![Term::name(type_of(shared.word_type))]);
            let bytes = whole_eights(Term::infix("*", words, Term::cast("whole", size)));
            let (own, all) = match self.thread_block {
                1 => (dynamic.clone(), bytes),
                _ => {
                    let own = Term::infix("*", Term::name("warp"), bytes.clone());
                    let warps = Term::infix("/", Term::name("blockDim.x"), Term::name("b"));
                    (
                        Term::infix("+", dynamic.clone(), own),
                        Term::infix("*", warps, bytes),
                    )
                }
            };
            let pointer = pointer_to(shared.word_type);
            page.line(&pen.defined(pointer, &shared.name, &Term::cast(pointer, own)));
            if at + 1 < told.len() {
                page.line(&pen.assigned(&dynamic, "+=", &all));
            }
        }
    }

    /// Which MP this is.
    fn indices(self, kernel: &Kernel, page: &mut Page) {
        let (pen, block, b) = (self.pen(), Term::name("blockIdx.x"), Term::name("b"));
        let mp_number = Term::name("mp_number");
        let number = match (self.is_cuda(), self.thread_block) {
            (false, _) => group_or_local("get_group_id"),
            (true, 1) => block,
            (true, _) => {
                let warps = Term::infix("/", Term::name("blockDim.x"), b);
                Term::infix("+", Term::infix("*", block, warps), Term::name("warp"))
            }
        };
        page.line(&pen.defined("whole", "mp_number", &number));
        if self.thread_block > 1 {
            // The last thread block may have warps without an MP.
            let is_none = Term::infix(">=", mp_number.clone(), Term::name("mps"));
            page.under(&pen.condition(&is_none), "return;");
        }
        for (at, mp) in kernel.mps.iter().enumerate().rev() {
            let many = Term::Name(format!("{mp}_many"));
            let number = match at {
                0 => mp_number.clone(),
                _ => Term::infix("%", mp_number.clone(), many.clone()),
            };
            let number = Term::infix("+", Term::Name(format!("{mp}_low")), number);
            page.line(&pen.defined("const whole", mp, &number));
            page.line(&format!("(void){mp};"));
            if at > 0 {
                page.line(&pen.assigned(&mp_number, "/=", &many));
            }
        }
    }
}

/// A number of the work-group or of the work-item in it.
fn group_or_local(function: &'static str) -> Term {
    Term::cast("whole", Term::call(function, vec![Term::Whole(0)]))
}

/// So many bytes, made up to words of 8, which may follow those of 4.
pub(super) fn whole_eights(bytes: Term) -> Term {
    let eight = || Term::Whole(8);
    let made_up = Term::infix("+", bytes, Term::Whole(7));
    Term::infix("*", Term::infix("/", made_up, eight()), eight())
}

fn has_while(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::WhileAny { .. } => true,
        Step::For { body, .. } | Step::Scope(body) => has_while(body),
        Step::Line(_) | Step::Act { .. } | Step::Let(..) | Step::Barrier => false,
    })
}

struct Cores<'a> {
    writer: Writer,
    core: &'a str,
}

impl Cores<'_> {
    fn pen(&self) -> Pen<'static> {
        self.writer.pen()
    }

    fn barrier(&self) -> &'static str {
        match self.writer.target {
            Target::Cuda => "barrier();",
            Target::OpenCl | Target::C => "wait_for_all();",
        }
    }

    /// Writes steps where `under` holds already.
    fn steps(&self, steps: &[Step], under: Option<&str>, page: &mut Page) {
        let mut rest = steps;
        while let [step, ..] = rest {
            let run = match masks::run(rest, under) {
                Some((mask, run)) => {
                    self.masked(mask, &rest[..run], page);
                    run
                }
                None => {
                    self.step(step, under, page);
                    1
                }
            };
            rest = &rest[run..];
        }
    }

    /// Steps of which nothing happens but where the mask holds.
    fn masked(&self, mask: &str, steps: &[Step], page: &mut Page) {
        let condition = self.pen().condition(&Term::name(mask));
        match steps {
            [Step::Act { act, .. }] if !matches!(act, Act::Mask(..)) => {
                page.under(&condition, &self.simple(act));
            }
            [Step::Scope(body)] => self.masked(mask, body, page),
            _ => {
                page.open(&format!("{condition} {{"));
                self.steps(steps, Some(mask), page);
                page.close();
            }
        }
    }

    fn step(&self, step: &Step, under: Option<&str>, page: &mut Page) {
        match step {
            Step::Line(line) => page.comment(line),
            Step::Barrier => page.line(self.barrier()),
            Step::Let(name, value) => {
                page.line(&self.pen().defined("const whole", name, value));
                page.line(&format!("(void){name};"));
            }
            Step::Scope(body) => {
                page.open("{");
                self.steps(body, under, page);
                page.close();
            }
            Step::For { head, body } => {
                page.open(&self.pen().repeated(head));
                self.steps(body, under, page);
                page.close();
            }
            Step::WhileAny { mask, body } => {
                let mask = Term::name(mask);
                let any = match self.writer.target {
                    Target::Cuda => Term::call("any_core", vec![mask]),
                    Target::OpenCl | Target::C => {
                        let flag = Term::prefix("&", Term::name("any_flag"));
                        Term::call("any_core_of", vec![mask, flag])
                    }
                };
                page.open(&self.pen().during(&any));
                self.steps(body, under, page);
                page.close();
            }
            Step::Act { mask, act } => self.act(mask.as_deref(), act, under, page),
        }
    }

    fn act(&self, mask: Option<&str>, act: &Act, under: Option<&str>, page: &mut Page) {
        match act {
            Act::Mask(name, condition) => {
                let around = mask.filter(|mask| Some(*mask) != under);
                let term = match around {
                    Some(mask) => Term::infix("&&", Term::name(mask), condition.clone()),
                    None => condition.clone(),
                };
                page.line(&self.pen().assigned(&Term::name(name), "=", &term));
            }
            Act::Update {
                word,
                operator,
                values,
                word_type: WordType::Float,
                ..
            } => self.in_turn(mask, (word, *operator, values), page),
            // What has another mask than the one around is a run of its own.
            Act::Set(..) | Act::Write(..) | Act::Update { .. } => page.line(&self.simple(act)),
        }
    }

    fn simple(&self, act: &Act) -> String {
        let pen = self.pen();
        match act {
            Act::Set(name, value) | Act::Mask(name, value) => {
                pen.assigned(&Term::name(name), "=", value)
            }
            Act::Write(word, value) => pen.assigned(word, "=", value),
            Act::Update {
                word,
                operator,
                values,
                ..
            } => {
                let prefix = match self.writer.target {
                    Target::Cuda => "atomic_",
                    Target::OpenCl | Target::C => "atomic_of_",
                };
                let name = match operator {
                    AtomicOperator::Add => "add",
                    AtomicOperator::Multiply => "times",
                    AtomicOperator::Min => "least",
                    AtomicOperator::Max => "greatest",
                };
                let place = Term::prefix("&", word.clone());
                pen.called(&format!("{prefix}{name}"), &[place, values[0].clone()])
            }
        }
    }

    /// Floats are updated core by core, as language.md §3 orders them.
    fn in_turn(
        &self,
        mask: Option<&str>,
        (word, operator, values): (&Term, AtomicOperator, &[Term]),
        page: &mut Page,
    ) {
        let (pen, turn) = (self.pen(), Term::name("turn"));
        let is_left = Term::infix("<", turn.clone(), Term::name("b"));
        page.open(&pen.counted(("turn", &Term::Whole(0)), &is_left, "++"));
        let is_own = Term::infix("==", Term::name(self.core), turn);
        let on = match mask {
            Some(mask) => Term::infix("&&", is_own, Term::name(mask)),
            None => is_own,
        };
        page.open(&format!("{} {{", pen.condition(&on)));
        for value in values {
            page.line(&updated(pen, word, operator, value, WordType::Float));
        }
        page.close();
        page.line(self.barrier());
        page.close();
    }
}
