//! Loops without an upper bound in the text: a kernel `while` without `at most`, and a `for` whose
//! bounds read data of undeclared range (interface.md, `loop::unbounded`).

use std::collections::HashSet;

use crate::diag::Diagnostic;
use crate::program::sources::{Source, sources_in};
use crate::program::{
    Expr, Kernel, LetBinding, NumberKind, ParamId, Program, Stmt, StmtKind, VarId, WrapperStmt,
    nested,
};
use crate::text::Span;

/// A loop without an upper bound on its iterations.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
pub(crate) enum Unbounded {
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

/// Returns every such loop in text order; a loop in an executed kernel occurs once. One whose bounds read words that are
/// only ever loaded from inputs with a declared range is none: any run ends, though counting without data does not know
/// where.
pub(super) fn unbounded_loops(program: &Program) -> Vec<Diagnostic> {
    let mut search = Search::new(program);
    search.follows_loads = true;
    search.all();
    search.diagnostics(|_| true)
}

/// Returns the `while`s among them.
pub(super) fn unbounded_whiles(program: &Program) -> Vec<Diagnostic> {
    found(program, |kind| kind == Kind::While)
}

/// Returns true if a kernel has such a loop.
pub(super) fn is_unbounded(program: &Program, kernel: &Kernel) -> bool {
    let mut search = Search::new(program);
    search.launch(kernel);
    !search.found.is_empty()
}

fn found(program: &Program, wanted: impl Fn(Kind) -> bool) -> Vec<Diagnostic> {
    let mut search = Search::new(program);
    search.all();
    search.diagnostics(wanted)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    While,
    For,
}

struct Search<'p> {
    program: &'p Program,
    /// Parameters that may hold any value of data.
    wild: HashSet<ParamId>,
    /// Whether words have the range of the input that they are loaded from.
    follows_loads: bool,
    found: Vec<(Span, Kind)>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Self {
        Search {
            program,
            wild: HashSet::new(),
            follows_loads: false,
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

    fn all(&mut self) {
        for kernel in self.program.kernels() {
            self.launch(kernel);
        }
    }

    fn launch(&mut self, kernel: &Kernel) {
        for part in &kernel.body {
            match part {
                WrapperStmt::Let(binding) => self.binding(binding),
                WrapperStmt::Cores(cores) => nested(&cores.body).for_each(|it| self.statement(it)),
            }
        }
    }

    /// Examines a statement, without its block.
    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::While { at_most: None, .. } => {
                self.found.push((statement.span, Kind::While));
            }
            StmtKind::For {
                variable, from, to, ..
            } if self.is_wild(from) || self.is_wild(to) => {
                self.found.push((statement.span, Kind::For));
                self.wild.insert(*variable);
            }
            StmtKind::Let(binding) => self.binding(binding),
            _ => {}
        }
    }

    fn binding(&mut self, binding: &LetBinding) {
        if self.is_wild(&binding.value) {
            self.wild.insert(binding.parameter);
        }
    }

    /// Returns true if the words of a variable, and of all that it may be swapped with, have a range: a declared one, or
    /// that of all they are copied from. `seen` are the variables whose copies are being followed.
    fn has_range(&self, id: VarId, seen: &mut Vec<VarId>) -> bool {
        let mut all = self.program.swapped_with(id).to_vec();
        all.push(id);
        if all
            .iter()
            .all(|id| self.program.variable(*id).range.is_some())
        {
            return true;
        }
        if !self.follows_loads || seen.contains(&id) {
            return self.follows_loads;
        }
        seen.push(id);
        let sources = sources_in(&self.program.body, &all);
        let is_ranged = |source: &Source<'_>| match source {
            Source::Words(from) => self.has_range(*from, seen),
            Source::Value(_) | Source::Unknown => false,
        };
        !sources.is_empty() && sources.iter().all(is_ranged)
    }

    /// Returns true if a value reads a word of undeclared range. The indices of a word do not
    /// change
    /// its range.
    fn is_wild<'e>(&self, expr: impl Into<Expr<'e>>) -> bool {
        let expr = expr.into();
        if let Expr::Number(number) = expr {
            match number.kind {
                NumberKind::Word(ref word) => {
                    return !self.has_range(word.variable, &mut Vec::new());
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
