//! A kernel about to be launched, lowered once for every counter.
//!
//! What comes in: a checked kernel, and what the launch knows. What goes out: the kernel's
//! statements in order, each with its number and beside the statement as written, its expressions
//! typed and with all that is known folded in ([`fold`]). What is never done here: nothing is
//! executed, no word is looked at, no fault is met, and nothing is counted. Operations, blocks and
//! rounds are each counter's own, in tables it keeps by the numbers of statements.

pub(crate) mod fold;

use crate::meaning::launch::fold::{Folder, Launched};
use crate::program::{
    AtomicOperator, Condition, CoreLoop, Kernel, LetBinding, Number, ParamId, Stmt, StmtKind, Word,
    WrapperStmt,
};

/// A statement directly inside a wrapper loop.
#[derive(Debug)]
pub(crate) enum Part<'p> {
    /// A `let` of the MP.
    Let {
        /// As written.
        binding: &'p LetBinding,
        /// Its number.
        number: usize,
        value: Number<Launched>,
    },
    /// A core loop.
    Cores {
        /// As written.
        cores: &'p CoreLoop,
        body: Vec<Step<'p>>,
    },
}

/// A statement of a core loop.
#[derive(Debug)]
pub(crate) struct Step<'p> {
    /// As written.
    pub stmt: &'p Stmt,
    /// Its number in the kernel: from 0 in text order, `let`s of MPs included.
    pub number: usize,
    pub action: Action<'p>,
}

/// What a statement does; its variants are those of [`StmtKind`].
#[derive(Debug)]
pub(crate) enum Action<'p> {
    Load {
        target: Word<Launched>,
        source: Word<Launched>,
    },
    Store {
        target: Word<Launched>,
        source: Word<Launched>,
    },
    Assign {
        target: Word<Launched>,
        value: Number<Launched>,
    },
    Atomic {
        target: Word<Launched>,
        operator: AtomicOperator,
        /// Each with whether it is subtracted.
        operands: Vec<(bool, Number<Launched>)>,
    },
    Let {
        parameter: ParamId,
        value: Number<Launched>,
    },
    If {
        condition: Condition<Launched>,
        body: Vec<Step<'p>>,
    },
    For {
        variable: ParamId,
        from: Number<Launched>,
        to: Number<Launched>,
        down: bool,
        body: Vec<Step<'p>>,
    },
    Until {
        condition: Condition<Launched>,
    },
    While {
        condition: Condition<Launched>,
        at_most: Option<Number<Launched>>,
        body: Vec<Step<'p>>,
    },
}

/// The statements of a kernel, with what its launch knows folded in.
pub(crate) fn lower<'p>(kernel: &'p Kernel, folder: &mut Folder<'_>) -> Vec<Part<'p>> {
    let mut lowering = Lowering { folder, next: 0 };
    let parts = kernel.body.iter().map(|stmt| match stmt {
        WrapperStmt::Let(binding) => Part::Let {
            binding,
            number: lowering.number(),
            value: lowering.folder.number(&binding.value),
        },
        WrapperStmt::Cores(cores) => Part::Cores {
            cores,
            body: lowering.block(&cores.body),
        },
    });
    parts.collect()
}

struct Lowering<'f, 'a> {
    folder: &'f mut Folder<'a>,
    /// The number of the next statement.
    next: usize,
}

impl Lowering<'_, '_> {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    fn block<'p>(&mut self, body: &'p [Stmt]) -> Vec<Step<'p>> {
        let steps = body.iter().map(|stmt| Step {
            stmt,
            number: self.number(),
            action: self.action(stmt),
        });
        steps.collect()
    }

    fn action<'p>(&mut self, stmt: &'p Stmt) -> Action<'p> {
        match &stmt.kind {
            StmtKind::Load { target, source } => Action::Load {
                target: self.folder.word(target),
                source: self.folder.word(source),
            },
            StmtKind::Store { target, source } => Action::Store {
                target: self.folder.word(target),
                source: self.folder.word(source),
            },
            StmtKind::Assign { target, value } => Action::Assign {
                target: self.folder.word(target),
                value: self.folder.number(value),
            },
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => {
                let operands = operands.iter();
                let operands =
                    operands.map(|operand| (operand.negated, self.folder.number(&operand.value)));
                Action::Atomic {
                    operands: operands.collect(),
                    target: self.folder.word(target),
                    operator: *operator,
                }
            }
            StmtKind::Let(binding) => Action::Let {
                parameter: binding.parameter,
                value: self.folder.number(&binding.value),
            },
            StmtKind::If { condition, body } => Action::If {
                condition: self.folder.condition(condition),
                body: self.block(body),
            },
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => Action::For {
                variable: *variable,
                from: self.folder.number(from),
                to: self.folder.number(to),
                down: *down,
                body: self.block(body),
            },
            StmtKind::Until { condition } => Action::Until {
                condition: self.folder.condition(condition),
            },
            StmtKind::While {
                condition,
                at_most,
                body,
            } => Action::While {
                condition: self.folder.condition(condition),
                at_most: at_most.as_ref().map(|bound| self.folder.number(bound)),
                body: self.block(body),
            },
        }
    }
}
