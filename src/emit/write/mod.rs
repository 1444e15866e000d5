//! A form as text: its head, the functions it needs, [`c`] or [`device`] for its kernels, [`host`]
//! for its `main`. [`pen`] writes every expression of them.

mod c;
mod device;
mod host;
mod masks;
mod page;
mod pen;

use crate::emit::form::{Act, Form, HostStep, Kernel, KernelPart, Part, Side, Step};
use crate::emit::helpers;
use crate::emit::target::{Target, Words};
use crate::emit::term::Term;
use crate::emit::write::host::Host;
use crate::emit::write::page::{Page, types};
use crate::program::{AtomicOperator, WordType};

/// The whole file; `head` is what its first comment says.
pub(crate) fn write(form: &Form, target: Target, words: Words, head: &[String]) -> String {
    let mut page = Page::default();
    for line in head {
        if line.is_empty() {
            page.line("//")
        } else {
            page.comment(line)
        }
    }
    page.line("");
    let mut kernels = Page::default();
    for kernel in &form.kernels {
        match target {
            Target::C => c::kernel(kernel, words.float, &mut kernels),
            Target::Cuda | Target::OpenCl => {
                let writer = device::Writer {
                    target,
                    is_single: words.float,
                    thread_block: form.thread_block,
                };
                writer.kernel(kernel, &mut kernels);
            }
        }
        kernels.line("");
    }
    let kernels = kernels.into_text();
    let mut main = Page::default();
    let host = Host {
        form,
        target,
        is_single: words.float,
    };
    host.main(&mut main);
    let main = main.into_text();

    let (int, float) = (words.int32, words.float);
    let mut machine = String::new();
    for (name, value) in &form.machine {
        let is_named = |text: &str| mentions(text, name);
        if name == &form.machine[1].0 || is_named(&kernels) || is_named(&main) {
            machine.push_str(&format!("#define {name} ((whole){value})\n"));
        }
    }
    let functions = helpers::texts(&called(form, target));
    match target {
        Target::C => {
            page.text(C_HEAD);
            page.text(&types(
                "int64_t",
                if int { "int32_t" } else { "int64_t" },
                float,
            ));
            page.text("#define FUNCTION static inline\n\n");
            page.text(include_str!("../runtime/host.c"));
            page.text(include_str!("../runtime/c.c"));
            page.text(include_str!("../runtime/transfer.c"));
            page.text("\n// ---- the program ----\n\n");
            page.text(&machine);
            page.text(&functions);
            if kernels.contains("any_core(") {
                page.text(C_ANY);
            }
        }
        Target::Cuda | Target::OpenCl => {
            device::file_head(target, words, &machine, &functions, form.cores, &mut page);
        }
    }
    page.line("");
    page.text(&kernels);
    if target == Target::OpenCl {
        page.text(device::OPENCL_HOST);
        page.text(include_str!("../runtime/host.c"));
        page.text(include_str!("../runtime/opencl.c"));
        page.text(include_str!("../runtime/transfer.c"));
        page.line("");
    }
    page.text(&main);
    if target == Target::OpenCl {
        page.text("\n#endif\n");
    }
    page.into_text()
}

const C_HEAD: &str = "\
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

";

const C_ANY: &str = "\
// Whether the loop goes on for some core.
static bool any_core(const bool *on)
{
    for (whole core = 0; core < b; core++)
        if (on[core])
            return true;
    return false;
}
";

/// Whether a text has this name in it.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    let mut lines = code.filter(|line| line.contains(name));
    lines.any(|line| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + name.len()..].chars().next();
            !is_part(before) && !is_part(after)
        })
    })
}

/// The functions that terms call anywhere, and those that writers add.
fn called(form: &Form, target: Target) -> Vec<&'static str> {
    let mut found = vec!["greatest"];
    let mut term = |term: &Term| term.calls(&mut found);
    form.lets.iter().for_each(|(_, value)| term(value));
    form.requires
        .iter()
        .filter_map(|(_, it)| it.as_ref())
        .for_each(&mut term);
    for array in &form.arrays {
        array.extents.iter().for_each(&mut term);
        if let Some((low, high)) = &array.range {
            term(low);
            term(high);
        }
    }
    of_host(&form.body, &mut term);
    for kernel in &form.kernels {
        of_kernel(kernel, &mut term);
    }
    let _ = target;
    found
}

fn of_kernel(kernel: &Kernel, term: &mut dyn FnMut(&Term)) {
    kernel.shared.iter().for_each(|shared| term(&shared.words));
    for part in &kernel.body {
        match part {
            KernelPart::Line(_) => {}
            KernelPart::Let(_, value) => term(value),
            KernelPart::Cores { body, .. } => of_steps(body, term),
        }
    }
}

fn of_steps(steps: &[Step], term: &mut dyn FnMut(&Term)) {
    for step in steps {
        match step {
            Step::Line(_) | Step::Barrier => {}
            Step::Let(_, value) => term(value),
            Step::Scope(body) | Step::WhileAny { body, .. } => of_steps(body, term),
            Step::For { head, body } => {
                term(&head.from);
                term(&head.to);
                of_steps(body, term);
            }
            Step::Act { act, .. } => match act {
                Act::Set(_, value) | Act::Mask(_, value) => term(value),
                Act::Write(word, value) => {
                    term(word);
                    term(value);
                }
                Act::Update {
                    word,
                    operator,
                    values,
                    word_type,
                    ..
                } => {
                    term(word);
                    values.iter().for_each(&mut *term);
                    let is_float = *word_type == WordType::Float;
                    let function = match (operator, is_float) {
                        (AtomicOperator::Add | AtomicOperator::Multiply, _) => continue,
                        (AtomicOperator::Min, false) => "least",
                        (AtomicOperator::Max, false) => "greatest",
                        (AtomicOperator::Min, true) => "least_real",
                        (AtomicOperator::Max, true) => "greatest_real",
                    };
                    term(&Term::call(function, Vec::new()));
                }
            },
        }
    }
}

fn of_host(steps: &[HostStep], term: &mut dyn FnMut(&Term)) {
    for step in steps {
        match step {
            HostStep::Line(_) | HostStep::Swap(..) => {}
            HostStep::Let(_, value) => term(value),
            HostStep::Scope(body) => of_host(body, term),
            HostStep::Launch { ranges, .. } => {
                for (low, high) in ranges {
                    term(low);
                    term(high);
                }
            }
            HostStep::Transfer { host, global, .. } => {
                of_side(host, term);
                of_side(global, term);
            }
            HostStep::For { head, until, body } => {
                term(&head.from);
                term(&head.to);
                until.iter().for_each(&mut *term);
                of_host(body, term);
            }
            HostStep::While {
                condition,
                at_most,
                body,
                ..
            } => {
                term(condition);
                term(at_most);
                of_host(body, term);
            }
        }
    }
}

fn of_side(side: &Side, term: &mut dyn FnMut(&Term)) {
    match &side.part {
        Part::Row(first, words) => {
            term(first);
            term(words);
        }
        Part::Block(extents, ranges) => {
            extents.iter().for_each(&mut *term);
            for (low, high) in ranges {
                term(low);
                term(high);
            }
        }
    }
}
