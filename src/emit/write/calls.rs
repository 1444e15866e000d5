//! The functions that a form calls, which the file must then define.
//!
//! A walk over every term of the host and of the kernels. Their texts are in
//! [`helpers`](crate::emit::helpers).

use crate::emit::form::{Act, Form, HostStep, Kernel, KernelPart, Part, Side, Step};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::program::{AtomicOperator, WordType};

/// The functions that terms call anywhere, and those that writers add.
pub(super) fn called(form: &Form, target: Target) -> Vec<&'static str> {
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
            Step::Act { act, .. } => of_act(act, term),
        }
    }
}

fn of_act(act: &Act, term: &mut dyn FnMut(&Term)) {
    match act {
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
                (AtomicOperator::Add | AtomicOperator::Multiply, _) => return,
                (AtomicOperator::Min, false) => "least",
                (AtomicOperator::Max, false) => "greatest",
                (AtomicOperator::Min, true) => "least_real",
                (AtomicOperator::Max, true) => "greatest_real",
            };
            term(&Term::call(function, Vec::new()));
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
