//! The header: parameters, `let`s in the order they need each other, variables, conditions, claims.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::check::context::Context;
use crate::check::error::{NameError, NameKind, Suggestion, SyntaxError, TypeError};
use crate::check::expr::reading::Reads;
use crate::check::expr::{self, made};
use crate::check::names::{letters, respelt, scope_of, suggestion};
use crate::check::scopes::Known;
use crate::check::walk::{self, Mention};
use crate::program::{
    Claim, Expr, LetBinding, MachineParameters, Number, NumberKind, ParamId, ParameterKind,
    Quantity, Requirement, Role, Scope, Type, VarId, Variable,
};
use crate::syntax::ast::{self, DeclarationKind, HeaderItem, Property, WordType};
use crate::text::Span;

/// The declarations of the header.
pub(super) struct Header {
    pub formals: Vec<ParamId>,
    pub machine: MachineParameters,
    pub lets: Vec<LetBinding>,
    pub requires: Vec<Requirement>,
    pub ensures: Vec<Requirement>,
    pub claims: Vec<Claim>,
}

/// Checks the header and leaves its names visible.
pub(super) fn check(ctx: &mut Context, algorithm: &ast::Algorithm) -> Header {
    let machine = machine_parameters(ctx);
    let formals = algorithm
        .formals
        .iter()
        .map(|name| ctx.bind(name, ParameterKind::Formal))
        .collect();
    let declared: Vec<(VarId, &ast::Declaration)> = algorithm
        .header
        .iter()
        .filter_map(|item| match item {
            HeaderItem::Declaration(declaration) => Some(declaration),
            HeaderItem::Require(_)
            | HeaderItem::Ensure(_)
            | HeaderItem::Let(_)
            | HeaderItem::Claim(_) => None,
        })
        .filter_map(|declaration| Some((declare(ctx, declaration)?, declaration)))
        .collect();
    // A size may use a `let` further down, so names come first, then `let`s, then sizes.
    let lets = lets(ctx, &algorithm.header);
    for (id, declaration) in declared {
        complete(ctx, id, declaration);
    }
    let mut header = Header {
        formals,
        machine,
        lets,
        requires: Vec::new(),
        ensures: Vec::new(),
        claims: Vec::new(),
    };
    for item in &algorithm.header {
        if let HeaderItem::Require(condition) = item {
            let requirement = requirement(ctx, Reads::Require, condition);
            header.requires.extend(requirement);
        }
    }
    header
}

/// Checks the header's promises about the whole program. They come last, so that their parameters
/// get the last ids, and the derivation is the same whatever is claimed.
pub(super) fn promises(ctx: &mut Context, algorithm: &ast::Algorithm, header: &mut Header) {
    for item in &algorithm.header {
        match item {
            HeaderItem::Ensure(condition) => {
                let requirement = requirement(ctx, Reads::Ensure, condition);
                header.ensures.extend(requirement);
            }
            HeaderItem::Claim(written) => header.claims.extend(claim(ctx, written)),
            HeaderItem::Require(_) | HeaderItem::Let(_) | HeaderItem::Declaration(_) => {}
        }
    }
}

fn machine_parameters(ctx: &mut Context) -> MachineParameters {
    let mut bind = |name: &str| {
        let kind = ParameterKind::Machine;
        let id = ctx.parameters.add(name, kind, Type::Number, false, None);
        ctx.parameters.show(name, kind, Known::Sound(id), None);
        id
    };
    MachineParameters {
        p: bind("p"),
        b: bind("b"),
        m: bind("M"),
        g: bind("G"),
    }
}

/// Adds a variable; its sizes and range are still missing.
fn declare(ctx: &mut Context, declaration: &ast::Declaration) -> Option<VarId> {
    let name = &declaration.name;
    let (scope, role) = match declaration.kind {
        DeclarationKind::Input => (Scope::Host, Role::Input),
        DeclarationKind::Output => (Scope::Host, Role::Output),
        DeclarationKind::Host => (Scope::Host, Role::None),
        DeclarationKind::Global => (Scope::Global, Role::None),
        DeclarationKind::Shared => (Scope::Shared, Role::None),
    };
    let spelt = scope_of(&name.text);
    if spelt != scope {
        let right = respelt(&name.text, scope);
        ctx.variables.add_faulty(&name.text, name.span);
        ctx.variables.add_faulty(&right, name.span);
        ctx.report(&NameError::Scope {
            name: name.text.clone(),
            declared: scope,
            spelt,
            right,
            span: name.span,
            keyword: Some(declaration.keyword_span),
        });
        return None;
    }
    if let Some(first) = ctx.variables.declaration(&name.text) {
        ctx.report(&NameError::Duplicate {
            name: name.text.clone(),
            span: name.span,
            first: Some(first),
        });
        return None;
    }
    check_property(ctx, declaration);
    Some(ctx.variables.add(Variable {
        name: name.text.clone(),
        scope,
        role,
        word_type: declaration.word_type,
        dimensions: Vec::new(),
        range: None,
        property: declaration.property.map(|(property, _)| property),
        span: declaration.span,
    }))
}

fn check_property(ctx: &mut Context, declaration: &ast::Declaration) {
    let Some((property, span)) = declaration.property else {
        return;
    };
    let (word, whole) = match property {
        Property::Sorted => ("sorted", false),
        Property::Permutation => ("permutation", true),
        Property::List => ("list", true),
    };
    if declaration.kind != DeclarationKind::Input {
        ctx.report(&SyntaxError::PropertyOfNonInput {
            property: word,
            span,
        });
    } else if whole && declaration.word_type == WordType::Float {
        ctx.report(&TypeError::PropertyOfFloats {
            property: word,
            name: declaration.name.text.clone(),
            span,
        });
    }
}

/// Adds a variable's sizes and range.
fn complete(ctx: &mut Context, id: VarId, declaration: &ast::Declaration) {
    let dimensions = declaration
        .dimensions
        .iter()
        .map(|size| {
            let checked = expr::whole(ctx, Reads::Parameters("a size"), size, "a size");
            checked.unwrap_or_else(|| no_size(size.span))
        })
        .collect();
    let range = declaration.range.as_ref().and_then(|(low, high)| {
        let reads = Reads::Parameters("a declared range");
        let mut bound = |bound: &ast::Expr| match declaration.word_type {
            WordType::Int => expr::whole(ctx, reads, bound, "the range of an int variable"),
            WordType::Float => expr::number(ctx, reads, bound),
        };
        let low = bound(low);
        low.zip(bound(high))
    });
    let variable = ctx.variables.get_mut(id);
    variable.dimensions = dimensions;
    variable.range = range;
}

/// Returns a placeholder for a size with a reported fault. It keeps the rank, and is no number, so
/// no shape is compared with it.
fn no_size(span: Span) -> Number {
    made(NumberKind::Float(f64::NAN), Type::Float, span)
}

/// Checks the header's `let`s. Each comes after those it uses, whatever their order in the text.
fn lets(ctx: &mut Context, header: &[HeaderItem]) -> Vec<LetBinding> {
    let written: Vec<&ast::Let> = header
        .iter()
        .filter_map(|item| match item {
            HeaderItem::Let(written) => Some(written),
            HeaderItem::Require(_)
            | HeaderItem::Ensure(_)
            | HeaderItem::Declaration(_)
            | HeaderItem::Claim(_) => None,
        })
        .collect();
    let ids: Vec<ParamId> = written
        .iter()
        .map(|written| ctx.bind(&written.name, ParameterKind::HeaderLet))
        .collect();
    let needs = needs(ctx, &written);
    let order = order(&needs);
    if order.len() < written.len() {
        report_cycles(ctx, &written, &needs, &order);
    }
    let reads = Reads::Parameters("a `let` of the header");
    let mut values: Vec<Option<Number>> = written
        .iter()
        .map(|written| expr::whole(ctx, reads, &written.value, "the value of a `let`"))
        .collect();
    order
        .into_iter()
        .filter_map(|at| {
            Some(LetBinding {
                parameter: ids[at],
                value: values[at].take()?,
                span: written[at].span,
            })
        })
        .collect()
}

/// Returns for each `let` the `let`s that its value names, also in split names.
fn needs(ctx: &Context, written: &[&ast::Let]) -> Vec<Vec<usize>> {
    let places: HashMap<&str, usize> = written
        .iter()
        .enumerate()
        .map(|(at, written)| (written.name.text.as_str(), at))
        .collect();
    let is_parameter = |name: &str| ctx.parameters.look_up(name).is_some();
    written
        .iter()
        .map(|written| {
            let mut needs = Vec::new();
            walk::names(&written.value, &mut |name, mention| {
                let name = name.text.as_str();
                if mention != Mention::Bare {
                    return;
                }
                if is_parameter(name) {
                    needs.extend(places.get(name));
                } else if let Some(letters) = letters(name)
                    && letters.iter().all(|letter| is_parameter(letter))
                {
                    needs.extend(letters.iter().filter_map(|letter| places.get(letter)));
                }
            });
            needs.sort_unstable();
            needs.dedup();
            needs
        })
        .collect()
}

/// Orders `let`s by text, but each after all it needs; those on or behind a cycle are left out.
fn order(needs: &[Vec<usize>]) -> Vec<usize> {
    // Kahn's algorithm: a `let` is ready once nothing it needs is missing, and the first ready one
    // in the text goes first. For `let k = m` and `let m = n` the order is m, k.
    let mut missing: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by = vec![Vec::new(); needs.len()];
    for (at, needs) in needs.iter().enumerate() {
        for &need in needs {
            needed_by[need].push(at);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..needs.len())
        .filter(|&at| missing[at] == 0)
        .map(Reverse)
        .collect();
    let mut order = Vec::with_capacity(needs.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &user in &needed_by[at] {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    order
}

/// Reports each cycle among the `let`s without an order, at its first in text order.
fn report_cycles(ctx: &mut Context, written: &[&ast::Let], needs: &[Vec<usize>], order: &[usize]) {
    let mut ordered = vec![false; written.len()];
    order.iter().for_each(|&at| ordered[at] = true);
    let mut done = ordered.clone();
    for start in 0..written.len() {
        let mut path: Vec<usize> = Vec::new();
        let mut at = start;
        while !done[at] {
            done[at] = true;
            path.push(at);
            // A `let` without an order needs another one without: on the cycle or behind it.
            let next = needs[at].iter().find(|next| !ordered[**next]);
            at = *next.expect("a `let` waits for another that waits");
        }
        let Some(first) = path.iter().position(|&on_path| on_path == at) else {
            continue;
        };
        let cycle = &path[first..];
        let name = |at: usize| written[at].name.text.clone();
        let mut names: Vec<String> = cycle.iter().map(|&at| name(at)).collect();
        names.extend(names.first().cloned());
        ctx.report(&NameError::Cycle {
            name: name(cycle[0]),
            path: names.join(" needs "),
            span: written[cycle[0]].name.span,
        });
    }
}

fn requirement(ctx: &mut Context, reads: Reads, written: &ast::Condition) -> Option<Requirement> {
    let condition = expr::condition(ctx, reads, &written.condition)?;
    Some(Requirement {
        reads_data: Expr::from(&condition).reads_words(),
        condition,
        span: written.span,
    })
}

/// Words that people say for a quantity, with the quantity and its meaning.
const SAID: [(&[&str], &str, &str); 6] = [
    (
        &["blocks", "accesses", "q", "IO"],
        "io",
        "blocks of global memory",
    ),
    (
        &["runtime", "steps", "operations", "ops", "work", "t"],
        "time",
        "the operations of a round",
    ),
    (
        &["words", "copies", "bandwidth"],
        "transfer",
        "words in and out",
    ),
    (
        &["kernels", "launches", "R"],
        "rounds",
        "kernels with their transfers",
    ),
    (&["conflicts"], "bank_conflicts", "conflicts of banks"),
    (
        &["memory", "space", "m"],
        "shared",
        "words of shared memory",
    ),
];

/// The quantity that a word stands for elsewhere.
fn said_for(word: &str) -> Option<Suggestion> {
    let (_, quantity, meaning) = SAID.iter().find(|(words, ..)| words.contains(&word))?;
    Some(Suggestion::Quantity(quantity, meaning))
}

fn claim(ctx: &mut Context, written: &ast::Claim) -> Option<Claim> {
    let name = &written.quantity;
    let quantity = Quantity::named(&name.text);
    if quantity.is_none() {
        let nearest = suggestion(&name.text, Quantity::NAMES);
        ctx.report(&NameError::Unknown {
            name: name.text.clone(),
            kind: NameKind::Quantity,
            suggestion: nearest
                .or_else(|| said_for(&name.text))
                .or(Some(Suggestion::OneOf(&Quantity::NAMES))),
            span: name.span,
        });
    }
    let value = expr::number(ctx, Reads::Claim, &written.value);
    Some(Claim {
        quantity: quantity?,
        relation: written.relation,
        value: value?,
        span: written.span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lets_are_ordered_by_need_then_by_text() {
        assert_eq!(order(&[vec![2], vec![], vec![1]]), [1, 2, 0]);
        assert_eq!(order(&[vec![], vec![], vec![]]), [0, 1, 2]);
        assert_eq!(order(&[vec![0], vec![0], vec![]]), [2]);
    }
}
