//! A kernel in CUDA C++ or OpenCL C: what one core does. Masks stand around what a core does on its
//! own, never around a barrier; loops run until no core is left. Here the function around it: arguments, shared
//! arrays, registers, indices. [`cores`] has its steps, [`mod@head`] the text before all kernels.

mod cores;
mod head;
mod plain;

use crate::emit::form::{Kernel, KernelPart, Kind, Shared, Step};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::c::{pointer_to, type_of, unread};
use crate::emit::write::device::cores::Cores;
use crate::emit::write::page::Page;
use crate::emit::write::pen::{Manner, Pen};

pub(super) use head::{OPENCL_HOST, atomics, file_head};
pub(super) use plain::{Grid, many_of};

/// How kernels are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer<'m> {
    pub target: Target,
    pub manner: &'m Manner,
    /// MPs of a thread block, each a warp of it; 1 but in CUDA.
    pub thread_block: i64,
    /// Whether the cores of an MP are a warp of CUDA.
    pub is_warp: bool,
}

impl<'m> Writer<'m> {
    fn is_cuda(self) -> bool {
        self.target == Target::Cuda
    }

    fn pen(self) -> Pen<'m> {
        Pen {
            core: None,
            manner: self.manner,
        }
    }

    /// The function of a kernel.
    pub(super) fn kernel(self, kernel: &Kernel, page: &mut Page) {
        page.comment(&kernel.line);
        let (told, declared) = kernel.shared(self.target, self.thread_block);
        let head = if self.is_cuda() {
            // The compiler then leaves enough registers for all threads.
            match self.thread_block {
                1 => "__global__ static void __launch_bounds__(b)".to_owned(),
                mps => format!("__global__ static void __launch_bounds__({mps} * b)"),
            }
        } else {
            "__kernel void".to_owned()
        };
        let arguments = self.arguments(kernel, &told).join(", ");
        page.line(&format!("{head} {}({arguments})", kernel.name));
        self.opened(kernel, (&told, &declared), page);
        self.indices(kernel, page);
        for part in &kernel.body {
            match part {
                KernelPart::Line(line) => page.comment(line),
                KernelPart::Let(name, value) => {
                    page.line(&self.pen().number(name, value));
                    self.unused(name, page);
                }
                KernelPart::Cores { core, body } => self.cores(core, body, page),
            }
        }
        page.close();
    }

    /// Opens a kernel, and declares its warp, its shared arrays and the registers of a core. The sizes of the first arrays
    /// are arguments of the launch.
    fn opened(self, kernel: &Kernel, (told, declared): (&[&Shared], &[&Shared]), page: &mut Page) {
        page.open("{");
        if self.thread_block > 1 {
            let warp = Term::infix("/", Term::name("threadIdx.x"), Term::name("b"));
            page.line(&self.pen().defined("const whole", "warp", &warp));
        }
        self.declared(declared, page);
        if self.is_cuda() {
            self.dynamic(told, page);
        }
        self.registers(kernel, page);
    }

    /// The index of a core: that of its thread. `local` is its name in OpenCL.
    fn core_index(self, local: Term) -> Term {
        let thread = Term::name("threadIdx.x");
        match (self.is_cuda(), self.thread_block) {
            (false, _) => local,
            (true, 1) => thread,
            (true, _) => Term::infix("%", thread, Term::name("b")),
        }
    }

    /// A core's registers, and the flag that loops of OpenCL ask with whether a core is left.
    fn registers(self, kernel: &Kernel, page: &mut Page) {
        if !self.is_cuda() && kernel.asking_loops() > 0 {
            page.line("__local int any_flag;");
        }
        for (name, kind) in &kernel.registers {
            page.line(&match kind {
                Kind::Whole => format!("{} {name} = 0;", self.pen().type_of(name)),
                Kind::Real => format!("real {name} = 0;"),
                Kind::Truth => format!("bool {name} = false;"),
                Kind::Word => format!("word {name} = 0;"),
            });
        }
    }

    /// A loop over the cores: each is a thread, and finds its index.
    fn cores(self, core: &str, body: &[Step], page: &mut Page) {
        page.open("{");
        let number = self.core_index(group_or_local("get_local_id"));
        page.line(&self.pen().number(core, &number));
        self.unused(core, page);
        let cores = Cores { writer: self, core };
        cores.steps(body, None, page);
        page.close();
    }

    /// Names what may not be used, so that no compiler warns of it. A text for people has no such lines: there nothing
    /// is declared that is not used.
    fn unused(self, name: &str, page: &mut Page) {
        if !self.manner.is_plain {
            page.line(&format!("(void){name};"));
        }
    }

    /// The arguments of a kernel: its MPs, numbers, arrays, in OpenCL the shared arrays of sizes told.
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
        arguments.extend(self.rest_of_arguments(kernel, told));
        arguments
    }

    /// The arguments behind those about MPs.
    fn rest_of_arguments(self, kernel: &Kernel, told: &[&Shared]) -> Vec<String> {
        let number = |name: &String| format!("{} {name}", self.pen().type_of(name));
        let mut arguments: Vec<String> = kernel.numbers.iter().map(number).collect();
        let memory = if self.is_cuda() { "" } else { "__global " };
        for (name, word_type, is_written) in &kernel.globals {
            let ty = type_of(*word_type);
            // `restrict` lets the compiler read an array that nobody writes at any time, whatever is written meanwhile.
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

    /// Finds which MP this is.
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
            page.line(&pen.number(mp, &number));
            self.unused(mp, page);
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

/// The bytes of each shared array of a kernel whose size is an argument of its launch.
pub(super) fn told_bytes(kernel: &Kernel, target: Target, thread_block: i64) -> Vec<Term> {
    let (told, _) = kernel.shared(target, thread_block);
    let bytes = told.into_iter().map(|shared| {
        let words = Term::call("greatest", vec![shared.words.clone(), Term::Whole(1)]);
        let size = Term::call("sizeof", vec![Term::name(type_of(shared.word_type))]);
        Term::infix("*", Term::cast("size_t", words), size)
    });
    bytes.collect()
}

/// A number of bytes, made up to a multiple of 8: words of 8 bytes may follow words of 4.
pub(super) fn whole_eights(bytes: Term) -> Term {
    let eight = || Term::Whole(8);
    let made_up = Term::infix("+", bytes, Term::Whole(7));
    Term::infix("*", Term::infix("/", made_up, eight()), eight())
}
