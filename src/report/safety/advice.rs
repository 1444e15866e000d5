//! Advice on a fault that a run has met, where the whole program tells more than the fault itself: the
//! index that leaves the MP out, the array that nothing writes, the arrow with its sides exchanged.

use crate::diag::Diagnostic;
use crate::meaning::read_parameters;
use crate::program::{
    Direction, Expr, HostStmt, ParamId, ParameterKind, Program, Role, Scope, Stmt, StmtKind,
    Transfer, VarId, Word, nested_on_host,
};
use crate::safety::{Judged, Property};
use crate::text::Span;

/// Returns the advice; `None` where the fault's own help is as good.
pub(super) fn advice(program: &Program, fault: &Diagnostic) -> Option<String> {
    let at = fault.primary()?.span;
    let in_kernel = program
        .statements()
        .filter(|stmt| holds(stmt.span, at))
        .last();
    match (fault.code.short_name(), in_kernel) {
        ("race::global", Some(stmt)) => without_mp(program, stmt, fault),
        ("race::shared", Some(stmt)) => of_one_word(program, stmt),
        ("value::not-integral", None) => rounded_up(program.source.slice(at)),
        ("bounds::shared", Some(stmt)) => of_another_mp(program, stmt, at),
        ("value::uninitialised", Some(stmt)) => unwritten(program, stmt, at),
        ("value::uninitialised", None) => unwritten_on_host(program, at),
        _ => None,
    }
}

/// Cores that add to one word without `atomic` add once: they read the same, and write the same.
pub(super) fn update(program: &Program, judged: &Judged) -> Option<String> {
    let stmt = program
        .statements()
        .find(|stmt| holds(stmt.span, judged.span))?;
    let StmtKind::Assign { target, value } = &stmt.kind else {
        return None;
    };
    let mut read = Vec::new();
    Expr::from(value).words(&mut read);
    let text = |word: &Word| program.source.slice(word.span).trim();
    let is_update =
        judged.property == Property::Races && read.iter().any(|word| text(word) == text(target));
    is_update.then(|| {
        let target = text(target);
        format!("cores that meet on a word of it would add once only: write `atomic {target} ← {target} + …`")
    })
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Two MPs write one word whose index names no MP: `c[j]` for `c[ib + j]`, or one sum of all.
fn without_mp(program: &Program, stmt: &Stmt, fault: &Diagnostic) -> Option<String> {
    let StmtKind::Store { target, .. } = &stmt.kind else {
        return None;
    };
    let is_between_mps = fault.labels.iter().all(|label| label.text == "this access");
    if !is_between_mps || names_mp(program, target) {
        return None;
    }
    let word = program.source.slice(target.span).trim();
    Some(format!(
        "all MPs write `{word}`: name the MP in the index, as in `ib + j`; or let each write a word of its own, such as `t[i]`, and a second kernel combine those"
    ))
}

/// Shared memory with an index for global memory: `_a[ib + j]` for `_a[j]`.
fn of_another_mp(program: &Program, stmt: &Stmt, at: Span) -> Option<String> {
    let word = words(stmt).into_iter().find(|word| holds(word.span, at))?;
    let variable = program.variable(word.variable);
    let is_mp = |id: &ParamId| program.parameter(*id).kind == ParameterKind::Mp;
    let mut indices = word.indices.iter();
    let names_mp = indices.any(|index| read_parameters(index).iter().any(is_mp));
    let is_meant = variable.scope == Scope::Shared && names_mp;
    is_meant.then(|| {
        let name = &variable.name;
        format!("each MP has a `{name}` of its own, with words from 0 on: leave the MP out of the index, as in `{name}[j]`")
    })
}

/// All cores write one word, whose index names no core: `_a[0]` for `_a[j]`.
fn of_one_word(program: &Program, stmt: &Stmt) -> Option<String> {
    let (StmtKind::Load { target, .. } | StmtKind::Assign { target, .. }) = &stmt.kind else {
        return None;
    };
    let is_fixed = target.indices.iter().all(|index| {
        let of_cores = |id: &ParamId| {
            matches!(
                program.parameter(*id).kind,
                ParameterKind::Core | ParameterKind::KernelLet
            )
        };
        !Expr::from(index).reads_words() && !read_parameters(index).iter().any(of_cores)
    });
    let variable = program.variable(target.variable);
    (is_fixed && !variable.dimensions.is_empty()).then(|| {
        format!(
            "give each core a word of its own, as in `{}[j]`, let one core write, or combine the values with `atomic`",
            variable.name
        )
    })
}

/// `(n + b - 1)/b`, which rounds up where `/` rounds down.
fn rounded_up(text: &str) -> Option<String> {
    let (sum, divisor) = text.trim().strip_prefix('(')?.split_once(" - 1)/")?;
    let number = sum
        .strip_suffix(divisor)
        .and_then(|sum| sum.strip_suffix(" + "))
        .or_else(|| sum.strip_prefix(divisor)?.strip_prefix(" + "))?;
    Some(format!(
        "write `⌈{number}/{divisor}⌉`: `/` gives the fraction itself"
    ))
}

/// True if an index reads the number of an MP, or a `let`, which may.
fn names_mp(program: &Program, word: &Word) -> bool {
    let of_mp = |id: &ParamId| {
        matches!(
            program.parameter(*id).kind,
            ParameterKind::Mp | ParameterKind::WrapperLet | ParameterKind::KernelLet
        )
    };
    word.indices
        .iter()
        .any(|index| read_parameters(index).iter().any(of_mp))
}

/// A word that a kernel reads and nothing has written.
fn unwritten(program: &Program, stmt: &Stmt, at: Span) -> Option<String> {
    let word = words(stmt).into_iter().find(|word| holds(word.span, at))?;
    let text = |word: &Word| program.source.slice(word.span).trim().to_owned();
    let variable = program.variable(word.variable);
    let writers = writers(program, word.variable);
    match &stmt.kind {
        StmtKind::Store { target, source } if writers.is_empty() => Some(format!(
            "nothing writes `{}`: to load it, exchange the sides, `{} ⇐ {}`",
            variable.name,
            text(source),
            text(target)
        )),
        StmtKind::Load { .. } if !program.swapped_with(word.variable).is_empty() => None,
        StmtKind::Load { target, source } if writers.is_empty() => {
            if let Some(input) = namesake(program, &variable.name) {
                return Some(format!(
                    "nothing is sent to `{0}`: write `{0} ⇚ {input}` before the kernel",
                    variable.name
                ));
            }
            Some(format!(
                "nothing writes `{}`: let an earlier kernel write it, or, to write it here, exchange the sides, `{} ⇐ {}`",
                variable.name,
                text(source),
                text(target)
            ))
        }
        StmtKind::Store { .. } | StmtKind::Assign { .. }
            if matches!(writers[..], [writer] if writer.start > stmt.span.start)
                && only_here(program, stmt, &writers) =>
        {
            let line = program.line(writers[0]);
            Some(format!(
                "line {line} writes it: put that line before this one"
            ))
        }
        StmtKind::Load { .. } if only_here(program, stmt, &writers) => Some(format!(
            "only this kernel writes `{}`, and its MPs run in no order: let each MP write a word of its own, such as `t[i]`, and a second kernel combine those",
            variable.name
        )),
        StmtKind::Assign { target, .. } | StmtKind::Atomic { target, .. }
            if target.variable == word.variable && writers.len() == 1 =>
        {
            Some(format!(
                "begin with a value, such as `{} ← 0`, before anything is added: shared memory is undefined at the start of every kernel on every MP",
                text(target)
            ))
        }
        _ => None,
    }
}

/// A word that a transfer reads and nothing has written.
fn unwritten_on_host(program: &Program, at: Span) -> Option<String> {
    let transfer = transfers(program).find(|transfer| holds(transfer.span, at))?;
    let [host, global] =
        [&transfer.host, &transfer.global].map(|side| program.variable(side.variable));
    match transfer.direction {
        Direction::Inward => (host.role == Role::Output).then(|| {
            format!(
                "an output takes words: write `{} ⇚ {}`",
                host.name, global.name
            )
        }),
        Direction::Outward => {
            let id = transfer.global.variable;
            let is_written = !writers(program, id).is_empty()
                || !program.swapped_with(id).is_empty()
                || host.role == Role::Input;
            (!is_written).then(|| {
                format!(
                    "no kernel writes `{0}`: let one write its words, as in `{0}[…] ⇐ _x[…]`",
                    global.name
                )
            })
        }
    }
}

/// The input that a global variable is named after.
fn namesake<'p>(program: &'p Program, global: &str) -> Option<&'p str> {
    let mut inputs = program
        .variables
        .iter()
        .filter(|variable| variable.role == Role::Input);
    let input = inputs.find(|input| input.name.to_lowercase() == global)?;
    Some(&input.name)
}

/// The places of all statements and transfers that write a variable.
fn writers(program: &Program, variable: VarId) -> Vec<Span> {
    let in_kernels = program.statements().filter_map(|stmt| {
        let target = match &stmt.kind {
            StmtKind::Load { target, .. }
            | StmtKind::Store { target, .. }
            | StmtKind::Assign { target, .. }
            | StmtKind::Atomic { target, .. } => target,
            _ => return None,
        };
        (target.variable == variable).then_some(stmt.span)
    });
    let sent = transfers(program).filter_map(|transfer| {
        let is_target =
            transfer.direction == Direction::Inward && transfer.global.variable == variable;
        is_target.then_some(transfer.span)
    });
    in_kernels.chain(sent).collect()
}

/// True if all writers stand in the kernel of a statement.
fn only_here(program: &Program, stmt: &Stmt, writers: &[Span]) -> bool {
    let mut kernels = program.kernels();
    kernels.any(|kernel| {
        let spans: Vec<Span> = kernel.statements().map(|stmt| stmt.span).collect();
        spans.contains(&stmt.span) && writers.iter().all(|writer| spans.contains(writer))
    })
}

fn transfers(program: &Program) -> impl Iterator<Item = &Transfer> {
    nested_on_host(&program.body).filter_map(|statement| match statement {
        HostStmt::Transfer(transfer) => Some(transfer),
        _ => None,
    })
}

/// The words that a statement reads and writes.
fn words(stmt: &Stmt) -> Vec<&Word> {
    let parts = stmt.kind.parts();
    let mut words: Vec<&Word> = parts.places().collect();
    let values = parts.values.into_iter();
    values.for_each(|value| value.words(&mut words));
    words
}
