//! A form as text: its head, the functions it needs, [`c`] or [`device`] for its kernels, [`host`]
//! for its `main`. [`pen`] writes every expression of them.

mod c;
mod callable;
mod device;
mod host;
mod masks;
mod page;
mod pen;

use crate::emit::Emitted;
use crate::emit::form::{Form, KernelPart};
use crate::emit::helpers;
use crate::emit::target::{Target, Words};
use crate::emit::write::host::Host;
use crate::emit::write::page::Page;
use crate::emit::write::pen::Manner;

pub(crate) use callable::CALLS;

/// The whole file; `head` tells its first comment, of the names of 64 bits.
pub(crate) fn write(
    form: &Form,
    target: Target,
    words: Words,
    head: &dyn Fn(&[String]) -> Vec<String>,
) -> Emitted {
    let manners = Manners::of(form, target, words, false);
    let kernels = all_kernels(form, target, &manners.kernels);
    let mut main = Page::default();
    let host = Host {
        form,
        target,
        manner: &manners.main,
    };
    host.main(&mut main);
    let main = main.into_text();
    let wide = wide(form, &[&kernels, &main]);
    let mut page = Page::default();
    for line in head(&wide) {
        if line.is_empty() {
            page.line("//")
        } else {
            page.comment(&line)
        }
    }
    page.line("");
    let machine = machine(form, &kernels, &main);
    let called = helpers::names().filter(|name| calls(&kernels, name) || calls(&main, name));
    let functions = helpers::texts(&called.collect::<Vec<_>>());
    match target {
        Target::C => {
            let asks_any = kernels.contains("any_core(");
            c::file_head(words, &machine, &functions, asks_any, &mut page);
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
    let (barriers, barriers_unproved) = form.barriers();
    Emitted {
        text: page.into_text(),
        barriers,
        barriers_unproved,
        index_bits: bits(&wide),
    }
}

/// A file of kernels alone, with what launches them; `head` tells its first comment, of the form and the names of 64
/// bits.
pub(crate) fn kernels(
    mut form: Form,
    target: Target,
    words: Words,
    head: &dyn Fn(&Form, &[String]) -> Vec<String>,
) -> Emitted {
    for kernel in &mut form.kernels {
        kernel
            .body
            .retain(|part| !matches!(part, KernelPart::Line(_)));
        for part in &mut kernel.body {
            if let KernelPart::Cores { body, .. } = part {
                callable::without_lines(body);
            }
        }
    }
    let (barriers, barriers_unproved) = form.barriers();
    let written = callable::written(&form, target, words);
    Emitted {
        barriers,
        barriers_unproved,
        index_bits: bits(&written.wide),
        text: written.text(&head(&form, &written.wide)),
    }
}

/// How the host's functions and the kernels are written.
struct Manners {
    main: Manner,
    kernels: Manner,
}

impl Manners {
    fn of(form: &Form, target: Target, words: Words, is_plain: bool) -> Manners {
        let manner = |indices| Manner {
            is_single: words.float,
            is_plain,
            indices,
        };
        let on_device = || manner(form.indices.with_least());
        let by_c = || manner(form.indices.clone());
        let (main, kernels) = match target {
            Target::C => (by_c(), by_c()),
            Target::Cuda => (on_device(), on_device()),
            Target::OpenCl => (by_c(), on_device()),
        };
        Manners { main, kernels }
    }
}

/// The whole numbers of 64 bits that no data decide and some text names, each with its line in the program.
fn wide(form: &Form, texts: &[&str]) -> Vec<String> {
    let is_named = |name: &str| texts.iter().any(|text| mentions(text, name));
    let is_wide = |name: &str| !form.indices.is_short(name) && is_named(name);
    let wide = form.numbers.iter().filter(|(name, _)| is_wide(name));
    wide.map(|(name, line)| format!("{name} (line {line})"))
        .collect()
}

/// The bits that all indices have.
fn bits(wide: &[String]) -> u32 {
    if wide.is_empty() { 32 } else { 64 }
}

/// Returns true if a text names a `let` of the header.
fn names_let(form: &Form, text: &str) -> bool {
    form.lets.iter().any(|(name, _)| mentions(text, name))
}

fn all_kernels(form: &Form, target: Target, manner: &Manner) -> String {
    let mut kernels = Page::default();
    for kernel in &form.kernels {
        match target {
            Target::C => c::kernel(kernel, manner, &mut kernels),
            Target::Cuda | Target::OpenCl => {
                let writer = device::Writer {
                    target,
                    manner,
                    thread_block: form.thread_block,
                    is_warp: false,
                };
                writer.kernel(kernel, &mut kernels);
            }
        }
        kernels.line("");
    }
    kernels.into_text()
}

/// The machine's parameters: b, which the runtime needs, and those that the program names.
fn machine(form: &Form, kernels: &str, main: &str) -> String {
    let mut machine = String::new();
    for (name, value) in &form.constants {
        let is_named = |text: &str| mentions(text, name);
        if name == &form.constants[1].0 || is_named(kernels) || is_named(main) {
            machine.push_str(&match form.indices.is_short(name) {
                true => format!("#define {name} {value}\n"),
                false => format!("#define {name} ((whole){value})\n"),
            });
        }
    }
    machine
}

/// Returns true if a text has a call of this function.
fn calls(text: &str, function: &str) -> bool {
    let mut calls = text.match_indices(function).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|it| it.is_alphanumeric() || it == '_')
    });
    calls.any(|(at, _)| text[at + function.len()..].starts_with('('))
}

/// Returns true if a text has this name in it.
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
