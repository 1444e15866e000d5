//! The statements of a core loop, each counted in its own context (language.md §4.1, §4.2).

use crate::check::program::{
    CoreLoop, Expr as Checked, ExprKind, LetBinding, Stmt, StmtKind, Type, Word,
};
use crate::derive::active::Active;
use crate::derive::amount::Amount;
use crate::derive::kernel::{Affected, LineCount, Walk};
use crate::derive::loops::Counter;
use crate::derive::ops;
use crate::derive::symbols::Untranslatable;
use crate::sym::{Expr, Facts};
use crate::text::Span;

impl<'p> Walk<'_, 'p> {
    pub(crate) fn cores(
        &mut self,
        cores: &'p CoreLoop,
        facts: &Facts,
    ) -> Result<Vec<LineCount>, Untranslatable> {
        let width = self.symbols.value(self.program.machine.b)?;
        let core = self.symbols.bind_symbol(cores.core);
        let active = Active::all(core, width, facts.clone());
        Ok(self.block(&cores.body, &active))
    }

    pub(crate) fn block(&mut self, statements: &'p [Stmt], active: &Active) -> Vec<LineCount> {
        let mut lines = Vec::new();
        let mut active = active.clone();
        for statement in statements {
            self.statement(statement, &mut active, &mut lines);
        }
        lines
    }

    pub(crate) fn statement(
        &mut self,
        statement: &'p Stmt,
        active: &mut Active,
        lines: &mut Vec<LineCount>,
    ) {
        let span = statement.span;
        let at = lines.len();
        match &statement.kind {
            StmtKind::Load { target, source } => {
                lines.push(self.access(span, target, source, false, active))
            }
            StmtKind::Store { target, source } => {
                lines.push(self.access(span, source, target, true, active))
            }
            StmtKind::Assign { target, value } => {
                let mut line = self.line(span, &ops::assign_operations(target, value));
                line.conflicts = self
                    .conflicts_of_expr(value, active)
                    .plus(&self.conflicts_of_word(target, active));
                lines.push(line);
            }
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => {
                let mut line =
                    self.line(span, &ops::atomic_operations(target, *operator, operands));
                let contention = self.contention(target, active);
                line.operations = line.operations.times(&contention);
                line.pay(Some(contention), None);
                // The element on the right is an operand of its own, with the target's address.
                let element = self.conflicts_of_word(target, active);
                let reads = operands
                    .iter()
                    .map(|operand| self.conflicts_of_expr(&operand.value, active));
                let reads: Vec<Amount> = reads.collect();
                line.conflicts = reads
                    .iter()
                    .fold(element.plus(&element), |sum, read| sum.plus(read));
                lines.push(line);
            }
            StmtKind::Let(LetBinding {
                parameter, value, ..
            }) => {
                let mut line = self.line(span, &ops::operations(value));
                line.conflicts = self.conflicts_of_expr(value, active);
                lines.push(line);
                let translated = if value.ty == Type::Number {
                    self.symbols
                        .expr(value)
                        .map(|value| active.facts.simplify(&value))
                } else {
                    Err(Untranslatable::Data(value.span))
                };
                self.symbols.bind(*parameter, translated);
            }
            StmtKind::If { condition, body } => {
                self.conditional(span, condition, body, active, lines)
            }
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => {
                let mut line = self.line(span, &ops::bound_operations(from, to));
                line.conflicts = self
                    .conflicts_of_expr(from, active)
                    .plus(&self.conflicts_of_expr(to, active));
                let (low, high) = if *down { (to, from) } else { (from, to) };
                let ends = self
                    .symbols
                    .expr(low)
                    .and_then(|low| Ok((low, self.symbols.expr(high)?)));
                match ends {
                    Ok((low, high)) => {
                        let counter = Counter {
                            variable: *variable,
                            down: *down,
                            low,
                            high,
                        };
                        self.counted_loop(line, counter, body, active, lines);
                    }
                    Err(why) => {
                        self.lose(
                            Affected::Execution,
                            why.span(),
                            why.reason("the number of iterations"),
                            "declare the range of the words it reads, or bound the loop by parameters",
                        );
                        self.symbols.bind(*variable, Err(why));
                        line.operations = Amount {
                            upper: None,
                            ..line.operations
                        };
                        line.pay(None, Some(Amount::unknown()));
                        lines.push(line);
                        let inner = self.block(body, active);
                        lines.extend(
                            inner
                                .into_iter()
                                .map(|line| line.map(|_| Amount::unknown())),
                        );
                    }
                }
            }
            StmtKind::While {
                condition,
                at_most,
                body,
            } => {
                self.while_loop(span, condition, at_most.as_ref(), body, active, lines);
            }
        }
        // Its own line comes first; those of its block were charged on the way.
        self.charge(statement, active, &mut lines[at]);
    }

    /// `_x[…] ⇐ a[…]` or `a[…] ⇐ _x[…]`: 1 and the index operations of both sides.
    pub(crate) fn access(
        &mut self,
        span: Span,
        shared: &Word,
        global: &Word,
        writes: bool,
        active: &Active,
    ) -> LineCount {
        let mut line = self.line(span, &ops::access_operations(shared, global));
        line.conflicts = self.conflicts_of_word(shared, active);
        for index in &global.indices {
            line.conflicts = line.conflicts.plus(&self.conflicts_of_expr(index, active));
        }
        line.access = Some((global.variable, writes));
        let counted = match self.offset(global) {
            Ok(offset) => active.blocks(&offset).ok_or_else(|| {
                (
                    global.span,
                    "the index does not move with the core by a known stride".to_owned(),
                )
            }),
            Err(why) => Err((why.span(), why.reason("the index"))),
        };
        match counted {
            Ok((blocks, rule)) => {
                line.blocks = blocks;
                line.rule = Some(rule.to_owned());
            }
            Err((place, reason)) => {
                self.lose(
                    Affected::Blocks,
                    place,
                    reason,
                    "an index `A + s·core` with a known s is counted exactly",
                );
                line.blocks = Amount::between(Expr::one(), active.count());
                line.rule = Some("1 block to 1 a core".to_owned());
            }
        }
        line
    }

    /// The offset in words of one word, row-major.
    pub(crate) fn offset(&self, word: &Word) -> Result<Expr, Untranslatable> {
        let dimensions = &self.program.variable(word.variable).dimensions;
        let mut offset = Expr::zero();
        for (index, extent) in word.indices.iter().zip(dimensions) {
            offset = offset
                .mul(&self.symbols.expr(extent)?)
                .add(&self.symbols.expr(index)?);
        }
        Ok(offset)
    }

    /// Conflicts of a shared operand and of the shared reads in its index.
    pub(crate) fn conflicts_of_word(&mut self, word: &Word, active: &Active) -> Amount {
        let own = match self.offset(word) {
            Ok(offset) => active.conflicts(&offset).ok_or_else(|| {
                (
                    word.span,
                    "the index does not move with the core by a known stride".to_owned(),
                )
            }),
            Err(why) => Err((why.span(), why.reason("the bank"))),
        };
        let mut sum = own.unwrap_or_else(|(place, reason)| {
            self.lose(
                Affected::Conflicts,
                place,
                reason,
                "an index `A + s·core` with a known s is counted exactly",
            );
            Amount::between(Expr::zero(), active.count().sub(&Expr::one()))
        });
        for index in &word.indices {
            sum = sum.plus(&self.conflicts_of_expr(index, active));
        }
        sum
    }

    /// Conflicts of all shared operands of an expression.
    pub(crate) fn conflicts_of_expr(&mut self, expr: &Checked, active: &Active) -> Amount {
        let mut words = Vec::new();
        shared_reads(expr, &mut words);
        words.into_iter().fold(Amount::zero(), |sum, word| {
            sum.plus(&self.conflicts_of_word(word, active))
        })
    }

    pub(crate) fn contention(&mut self, target: &Word, active: &Active) -> Amount {
        let irregular = "the index does not move with the core by a known stride";
        let known = match self.offset(target) {
            Ok(offset) => active
                .contention(&offset)
                .ok_or_else(|| irregular.to_owned()),
            Err(why) => Err(why.reason("the word")),
        };
        known.map(Amount::exact).unwrap_or_else(|reason| {
            self.lose(
                Affected::Time,
                target.span,
                format!("how many cores meet on one word is not known: {reason}"),
                "an index `A + s·core` with a known s has a known contention",
            );
            Amount::between(Expr::one(), active.count())
        })
    }
}

/// Every shared word an expression reads, but not those inside another one's index.
fn shared_reads<'e>(expr: &'e Checked, words: &mut Vec<&'e Word>) {
    match &expr.kind {
        ExprKind::Word(word) => words.push(word),
        kind => kind.operands(&mut |operand| shared_reads(operand, words)),
    }
}
