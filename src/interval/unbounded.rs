//! Loops whose iterations nothing in the text bounds: a kernel `while` without `at most`, and a
//! `for` whose bounds read data of undeclared range (interface.md, `loop::unbounded`).

use std::collections::HashSet;

use crate::diag::Diagnostic;
use crate::program::{
    Expr, HostStmt, Kernel, LetBinding, NumberKind, ParamId, Program, Stmt, StmtKind, WrapperStmt,
};
use crate::text::Span;

/// A loop whose iterations nothing bounds.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
pub(super) enum Unbounded {
    #[error("nothing bounds the iterations of this `while`")]
    #[diagnostic(
        code("atgpu::loop::unbounded"),
        help("write `while … at most e do` with a bound on the iterations of any core")
    )]
    While {
        #[label(primary, "may go on for ever")]
        span: Span,
    },
    #[error("nothing bounds the iterations of this `for`: its bounds read data of any size")]
    #[diagnostic(
        code("atgpu::loop::unbounded"),
        help("declare the range of the words it reads: `: int in lo..hi`")
    )]
    For {
        #[label(primary, "as many iterations as the data say")]
        span: Span,
    },
}

impl From<Unbounded> for Diagnostic {
    fn from(error: Unbounded) -> Self {
        Diagnostic::of(&error)
    }
}

/// Every such loop, in text order; an `execute`d kernel's loop once.
pub(super) fn unbounded_loops(program: &Program) -> Vec<Diagnostic> {
    found(program, |_| true)
}

/// The `while`s among them.
pub(super) fn unbounded_whiles(program: &Program) -> Vec<Diagnostic> {
    found(program, |kind| kind == Kind::While)
}

/// Whether a kernel has such a loop.
pub(super) fn is_unbounded(program: &Program, kernel: &Kernel) -> bool {
    let mut search = Search::new(program);
    search.launch(kernel);
    !search.found.is_empty()
}

fn found(program: &Program, wanted: impl Fn(Kind) -> bool) -> Vec<Diagnostic> {
    let mut search = Search::new(program);
    search.host(&program.body);
    search.diagnostics(wanted)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    While,
    For,
}

struct Search<'p> {
    program: &'p Program,
    /// Parameters that may hold any value data can have.
    wild: HashSet<ParamId>,
    found: Vec<(Span, Kind)>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Self {
        Search {
            program,
            wild: HashSet::new(),
            found: Vec::new(),
        }
    }

    fn diagnostics(mut self, wanted: impl Fn(Kind) -> bool) -> Vec<Diagnostic> {
        self.found.sort_unstable();
        self.found.dedup();
        let wanted = self.found.into_iter().filter(|(_, kind)| wanted(*kind));
        wanted
            .map(|(span, kind)| match kind {
                Kind::While => Unbounded::While { span }.into(),
                Kind::For => Unbounded::For { span }.into(),
            })
            .collect()
    }

    fn host(&mut self, body: &[HostStmt]) {
        for statement in body {
            match statement {
                HostStmt::Kernel(kernel) => self.launch(kernel),
                HostStmt::For(repeated) => self.host(&repeated.body),
                HostStmt::While(repeated) => self.host(&repeated.body),
                HostStmt::Execute(execute) => self.host(&execute.body),
                HostStmt::Transfer(_) | HostStmt::Let(_) | HostStmt::Swap(_) => {}
            }
        }
    }

    fn launch(&mut self, kernel: &Kernel) {
        for part in &kernel.body {
            match part {
                WrapperStmt::Let(binding) => self.binding(binding),
                WrapperStmt::Cores(cores) => self.kernel(&cores.body),
            }
        }
    }

    fn kernel(&mut self, body: &[Stmt]) {
        for statement in body {
            match &statement.kind {
                StmtKind::While { at_most, body, .. } => {
                    if at_most.is_none() {
                        self.found.push((statement.span, Kind::While));
                    }
                    self.kernel(body);
                }
                StmtKind::For {
                    variable,
                    from,
                    to,
                    body,
                    ..
                } => {
                    if self.is_wild(from) || self.is_wild(to) {
                        self.found.push((statement.span, Kind::For));
                        self.wild.insert(*variable);
                    }
                    self.kernel(body);
                }
                StmtKind::If { body, .. } => self.kernel(body),
                StmtKind::Let(binding) => self.binding(binding),
                StmtKind::Load { .. }
                | StmtKind::Store { .. }
                | StmtKind::Assign { .. }
                | StmtKind::Atomic { .. } => {}
            }
        }
    }

    fn binding(&mut self, binding: &LetBinding) {
        if self.is_wild(&binding.value) {
            self.wild.insert(binding.parameter);
        }
    }

    /// Whether a value reads a word of undeclared range. The indices of a word do not matter to
    /// its range.
    fn is_wild<'e>(&self, expr: impl Into<Expr<'e>>) -> bool {
        let expr = expr.into();
        if let Expr::Number(number) = expr {
            match number.kind {
                NumberKind::Word(ref word) => {
                    return self.program.variable(word.variable).range.is_none();
                }
                NumberKind::Parameter(parameter) => return self.wild.contains(&parameter),
                _ => {}
            }
        }
        let mut wild = false;
        expr.each_operand(&mut |operand| wild |= self.is_wild(operand));
        wild
    }
}
