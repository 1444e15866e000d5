//! A kernel for people who call it: MPs and cores straight from the indices of their threads.
//!
//! The grid has as many dimensions as the MPs, the last one as x. CUDA admits 65,535 thread blocks in the others; where
//! more are possible, or MPs are warps of a thread block, one dimension holds all, and each MP finds its indices by
//! division.

use crate::emit::form::{Kernel, KernelPart};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::device::Writer;
use crate::emit::write::device::cores::Cores;
use crate::emit::write::page::Page;
use crate::emit::write::pen::Manner;

/// Thread blocks in the second and the third dimension of CUDA.
const MOST_ROWS: i64 = 65_535;

/// The dimensions of a launch, by which an MP finds its indices.
#[derive(Debug)]
pub(in crate::emit::write) struct Grid<'k> {
    pub kernel: &'k Kernel,
    /// The first and the last MP in each dimension.
    pub ranges: &'k [(Term, Term)],
    /// True if each dimension of the MPs is one of the grid.
    pub is_whole: bool,
}

impl<'k> Grid<'k> {
    pub(in crate::emit::write) fn of(
        kernel: &'k Kernel,
        ranges: &'k [(Term, Term)],
        (target, thread_block): (Target, i64),
        manner: &Manner,
    ) -> Grid<'k> {
        let (_, rows) = ranges.split_last().unwrap_or((&ranges[0], &[]));
        let is_few = |(low, high): &(Term, Term)| {
            let many = manner.indices.range(&many_of(low, high));
            many.is_some_and(|(_, most)| most <= MOST_ROWS)
        };
        let is_whole = match target {
            Target::Cuda => thread_block == 1 && rows.iter().all(is_few),
            Target::OpenCl | Target::C => true,
        };
        Grid {
            kernel,
            ranges,
            is_whole,
        }
    }

    /// Numbers that the kernel takes about its MPs, each with its value: first MPs that are no literals, and where one
    /// dimension holds all, how many MPs there are.
    pub(in crate::emit::write) fn numbers(&self) -> Vec<(String, Term)> {
        let mut numbers = Vec::new();
        for (at, (mp, (low, high))) in self.kernel.mps.iter().zip(self.ranges).enumerate() {
            if !self.is_whole || !matches!(low, Term::Whole(_)) {
                numbers.push((format!("{mp}_low"), low.clone()));
            }
            if !self.is_whole && at > 0 {
                numbers.push((format!("{mp}_many"), many_of(low, high)));
            }
        }
        numbers
    }

    /// The dimension of the grid for a dimension of the MPs.
    fn axis(&self, at: usize) -> usize {
        self.ranges.len() - 1 - at
    }
}

/// The number of values from a first to a last one, below 1 where there are none.
pub(in crate::emit::write) fn many_of(low: &Term, high: &Term) -> Term {
    match (low, high) {
        // `k` for 0..k - 1
        (Term::Whole(low), Term::Infix("-", to, less)) if matches!(**less, Term::Whole(_)) => {
            let Term::Whole(less) = **less else {
                unreachable!("the guard says so")
            };
            let more = Term::Whole(1i64.saturating_sub(*low).saturating_sub(less));
            Term::infix("+", (**to).clone(), more)
        }
        _ => {
            let many = Term::infix("-", high.clone(), low.clone());
            Term::infix("+", many, Term::Whole(1))
        }
    }
}

impl<'m> Writer<'m> {
    /// Writes the function of a kernel without superfluous lines.
    pub(in crate::emit::write) fn plain_kernel(self, grid: &Grid<'_>, page: &mut Page) {
        let kernel = grid.kernel;
        let (told, declared) = kernel.shared(self.target, self.thread_block);
        let arguments = if grid.is_whole {
            let numbers = grid.numbers().into_iter();
            let numbers = numbers.map(|(name, _)| format!("whole {name}"));
            numbers
                .chain(self.rest_of_arguments(kernel, &told))
                .collect()
        } else {
            self.arguments(kernel, &told)
        };
        let head = match (self.is_cuda(), self.thread_block) {
            (false, _) => "__kernel void".to_owned(),
            (true, 1) => "static __global__ void __launch_bounds__(b)".to_owned(),
            (true, mps) => format!("static __global__ void __launch_bounds__({mps} * b)"),
        };
        page.comment(&kernel.line);
        page.signature(&format!("{head} {}", kernel.name), &arguments);
        self.opened(kernel, (&told, &declared), page);
        if grid.is_whole {
            self.indices_of_grid(grid, page)
        } else {
            self.indices(kernel, page)
        }
        self.body(kernel, page);
        page.close();
    }

    fn indices_of_grid(self, grid: &Grid<'_>, page: &mut Page) {
        for (at, (mp, (low, _))) in grid.kernel.mps.iter().zip(grid.ranges).enumerate() {
            let axis = grid.axis(at);
            let number = if self.is_cuda() {
                Term::name(["blockIdx.x", "blockIdx.y", "blockIdx.z"][axis])
            } else {
                Term::call("get_group_id", vec![Term::Whole(axis as i64)])
            };
            let ty = self.pen().type_of(mp);
            // It has no sign of its own.
            let signed = || Term::cast(ty, number.clone());
            let index = match low {
                Term::Whole(0) => number,
                Term::Whole(_) => Term::infix("+", signed(), low.clone()),
                _ => Term::infix("+", signed(), Term::Name(format!("{mp}_low"))),
            };
            page.line(&self.pen().number(mp, &index));
        }
    }

    /// The kernel's own parts; one name for the core where all its loops have the same.
    fn body(self, kernel: &Kernel, page: &mut Page) {
        let cores = kernel.body.iter().filter_map(|part| match part {
            KernelPart::Cores { core, .. } => Some(core.as_str()),
            KernelPart::Line(_) | KernelPart::Let(..) => None,
        });
        let cores: Vec<&str> = cores.collect();
        let is_one = cores.windows(2).all(|pair| pair[0] == pair[1]);
        if let (true, Some(core)) = (is_one, cores.first()) {
            let number = self.core_index(Term::call("get_local_id", vec![Term::Whole(0)]));
            page.line(&self.pen().number(core, &number));
        }
        for part in &kernel.body {
            match part {
                KernelPart::Line(_) => {}
                KernelPart::Let(name, value) => page.line(&self.pen().number(name, value)),
                KernelPart::Cores { core, body } if is_one => {
                    let cores = Cores { writer: self, core };
                    cores.steps(body, None, page);
                }
                KernelPart::Cores { core, body } => self.cores(core, body, page),
            }
        }
    }
}
