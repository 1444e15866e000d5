//! The statements of a core loop, each counted in its own context (language.md §4.1, §4.2).

use crate::count::{Address, Addressed, Inexact};
use crate::derivation::BlockRule;
use crate::number::Rational;
use crate::operations;
use crate::program::{Arithmetic, CoreLoop, LetBinding, NumberKind, Stmt, StmtKind, Type, Word};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::Active;
use crate::symbolic::amount::Amount;
use crate::symbolic::around::Dimension;
use crate::symbolic::data::gather::gather;
use crate::symbolic::data::provenance::has_unknown_word;
use crate::symbolic::kernel::contention;
use crate::symbolic::kernel::counter::{self, Counts};
use crate::symbolic::kernel::distinct::words_once;
use crate::symbolic::kernel::footprint::is_unit;
use crate::symbolic::kernel::operands;
use crate::symbolic::kernel::{Access, Affected, LineCount, Walk};
use crate::symbolic::symbols::Untranslatable;

/// What may be tried to find the most that one execution of a statement costs.
const WORK_OF_ONE: u64 = 2_000;

impl<'p> Walk<'_, 'p> {
    pub(crate) fn cores(
        &mut self,
        cores: &'p CoreLoop,
        facts: &Facts,
    ) -> Result<Vec<LineCount>, Untranslatable> {
        let width = self.known.symbols.value(self.known.program.machine.b)?;
        let core = self.known.symbols.bind_symbol(cores.core);
        self.around.cores = Some(Dimension {
            symbol: core.clone(),
            low: Expr::zero(),
            high: &width - 1,
        });
        let active = Active::all(core, width, facts.clone());
        Ok(self.block(&cores.body, &active))
    }

    pub(crate) fn block(&mut self, statements: &'p [Stmt], active: &Active) -> Vec<LineCount> {
        let mut lines = Vec::new();
        let mut active = active.clone();
        let held = self.known.copies.before_block();
        for statement in statements {
            if active.facts.is_spent() {
                self.given_up_at.get_or_insert(statement.span);
                break;
            }
            let at = lines.len();
            self.statement(statement, &mut active, &mut lines);
            self.forget_unwieldy(&mut lines[at..], &active.facts);
        }
        self.known.copies.after_block(held);
        lines
    }

    pub(crate) fn statement(
        &mut self,
        statement: &'p Stmt,
        active: &mut Active,
        lines: &mut Vec<LineCount>,
    ) {
        let at = lines.len();
        match &statement.kind {
            StmtKind::Load { source, .. } => {
                lines.push(self.access(statement, source, false, active))
            }
            StmtKind::Store { target, .. } => {
                lines.push(self.access(statement, target, true, active))
            }
            StmtKind::Assign { .. } => lines.push(self.statement_line(statement, active)),
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => {
                let operation = (*operator, operands.as_slice());
                let (contention, open) =
                    contention::most_on_a_word(&self.known, target, operation, active);
                if let Some(address) = open {
                    self.lose(Affected::Time, target.span, Inexact::Contention(address));
                }
                let mut line = self.statement_line(statement, active);
                line.change_operations(|operations| operations.times(&contention));
                line.pay(Some(contention), None);
                lines.push(line);
            }
            StmtKind::Let(LetBinding {
                parameter, value, ..
            }) => {
                lines.push(self.statement_line(statement, active));
                let translated = if value.ty == Type::Number {
                    self.known
                        .expr(value, active)
                        .map(|value| active.facts.simplify(&value))
                } else {
                    Err(Untranslatable::Data(value.span))
                };
                if translated.is_err() {
                    let range = self.known.range(value, active);
                    self.known.ranges.insert(*parameter, range);
                }
                self.known.symbols.bind(*parameter, translated);
            }
            StmtKind::If { condition, body } => {
                self.conditional(statement, condition, body, active, lines)
            }
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => {
                let line = self.statement_line(statement, active);
                let place = (&mut self.known, &self.around);
                let counter = counter::counts(place, (*variable, *down), (from, to), body, active);
                self.known.copies.forget_written(body);
                match counter {
                    Counts::Known(counter) => self.counted_loop(line, counter, body, active, lines),
                    Counts::Bounded(counter) => {
                        self.spread_loop(line, *counter, body, active, lines)
                    }
                }
            }
            StmtKind::Until { .. } => lines.push(self.statement_line(statement, active)),
            StmtKind::While { at_most, body, .. } => {
                self.known.copies.forget_written(body);
                self.while_loop(statement, at_most.as_ref(), body, active, lines);
            }
        }
        self.known.follow(statement, active);
        if self.around.in_rows > 0 && !lines[at].conflicts.is_zero() {
            let mut operands = operands::of_statement(self.known.program, statement);
            if let Some(bound) = statement.kind.parts().at_most {
                operands::of_expr(bound, &mut operands);
            }
            let conflicting = operands
                .into_iter()
                .filter(|word| !self.conflict(word, active).is_zero());
            lines[at].joined.operands = conflicting.count() as u64;
        }
        lines[at].loose.of_one = self.most_of_one(&lines[at].operations, active);
        // Its own line comes first; those of its block were charged on the way.
        self.charge(statement, active, &mut lines[at]);
    }

    /// Operations of one execution, for whatever core, MP and iteration it is.
    fn most_of_one(&self, operations: &Amount, active: &Active) -> Option<Amount> {
        let upper = operations.upper.as_ref()?;
        if operations.is_exact() && self.around.is_common(upper) {
            return Some(operations.clone());
        }
        let facts = active.facts.with_work(WORK_OF_ONE);
        let most = self.around.peak(&facts.simplify(upper), &facts)?;
        Some(Amount::between(Expr::zero(), most))
    }

    /// `_x[…] ⇐ a[…]` or `a[…] ⇐ _x[…]`: 1 and the index operations of both sides.
    pub(crate) fn access(
        &mut self,
        statement: &Stmt,
        global: &Word,
        writes: bool,
        active: &Active,
    ) -> LineCount {
        let mut line = self.statement_line(statement, active);
        let offset = self.known.offset(global, active);
        let most_each = match self.most_of_a_ring(global, active) {
            Some(most) => Expr::int(most),
            None => most_of_an_execution(offset.as_ref().ok(), active),
        };
        let (mut words, mut crew, mut extent) = (None, None, None);
        if most_each.as_rational().is_none() {
            let up_to = |cores| Amount::between(Expr::zero(), cores);
            let is_one_each = most_each == active.width;
            words = is_one_each.then(|| active.most()).flatten().map(up_to);
            crew = Some(up_to(active.crew.count.clone()));
            let is_known = offset.as_ref().ok().filter(|_| is_one_each);
            extent = is_known.and_then(|offset| words_once(self, global, offset, active));
        }
        let from_one_word = match offset {
            Ok(_) => None,
            Err(_) => self.known.offset_from_one_word(global, active),
        };
        let counted = match (offset, &from_one_word) {
            (Ok(offset), _) => match active.blocks(&offset) {
                Some(found) => Ok(self.closer(found, global, active)),
                None => Err((global.span, Address::Stride)),
            },
            // One block, as long as it does not move with the core.
            (Err(_), Some(offset)) if !offset.contains(&active.core) => {
                active.blocks(offset).ok_or((global.span, Address::Stride))
            }
            (Err(why), _) => {
                let address = Address::Formless(Addressed::Blocks, why.formless());
                Err((why.span(), address))
            }
        };
        let mut sorted = None;
        let (blocks, rule, (place, address)) = match counted {
            Ok((blocks, rule)) => {
                let address = match rule {
                    BlockRule::Rows(..) => Address::Rows,
                    _ => Address::Cores,
                };
                (blocks, rule, (global.span, address))
            }
            Err(loss) => {
                if let Some(gather) = gather(&self.known, &self.around, global, active) {
                    sorted = Some(self.known.program.variable(gather.input).name.clone());
                    line.joined.sorted = Some(Box::new(gather.joint(&line.conflicts)));
                }
                let mut most = self.most_blocks(global, active);
                if let Some(anywhere) = from_one_word
                    .and_then(|offset| active.blocks_anywhere(&offset))
                    .filter(|blocks| !has_unknown_word(blocks))
                {
                    most = match active.facts.prove(&Cond::le(&anywhere, &most)) {
                        Some(true) => anywhere,
                        _ => Expr::min(vec![anywhere, most]),
                    };
                }
                let most = active.facts.simplify(&most);
                let rule = BlockRule::AtMost(most.clone());
                (Amount::between(Expr::one(), most), rule, loss)
            }
        };
        if !blocks.is_exact() {
            let why = Inexact::Access { address, sorted };
            self.lose(Affected::Blocks, place, why);
        }
        line.blocks = blocks;
        line.access = Some(Box::new(Access {
            variable: global.variable,
            writes,
            rule,
            most_each,
            words,
            crew,
            extent,
            coarse: Amount::zero(),
        }));
        line
    }

    /// The blocks as counted. If they are only bounded, a smaller bound from the ranges of the indices, or from a
    /// ring, takes their place.
    fn closer(
        &self,
        found: (Amount, BlockRule),
        word: &Word,
        active: &Active,
    ) -> (Amount, BlockRule) {
        let (blocks, _) = &found;
        let Some(upper) = blocks.upper.as_ref().filter(|_| !blocks.is_exact()) else {
            return found;
        };
        let most = self.most_blocks(word, active);
        let facts = &active.facts;
        let is_closer = || most != *upper && facts.proves(&Cond::le(&most, upper));
        if self.most_of_a_ring(word, active).is_some() || is_closer() {
            let most = facts.simplify(&most);
            let rule = BlockRule::AtMost(most.clone());
            (Amount::between(Expr::one(), most), rule)
        } else {
            found
        }
    }

    /// Blocks that the active cores touch at most, wherever in its range each index is.
    fn most_blocks(&self, word: &Word, active: &Active) -> Expr {
        let each = match self.most_of_a_ring(word, active) {
            Some(most) => Expr::min(vec![active.span(), Expr::int(most)]),
            None => active.span(),
        };
        let Some((low, high)) = self.known.offsets(word, active) else {
            return each;
        };
        let block = |offset: &Expr| {
            offset
                .floor_div(&active.width)
                .expect("b is a symbol or at least 1")
        };
        let all = block(&high) - block(&low) + 1;
        Expr::min(vec![each, active.facts.simplify(&all)])
    }

    /// A statement without its block, executed once: its operations and the conflicts of its operands.
    pub(crate) fn statement_line(&mut self, statement: &Stmt, active: &Active) -> LineCount {
        let operations = operations::of_statement(statement, &self.around.registers);
        let mut line = self.line(statement.span, &operations);
        let operands = operands::of_statement(self.known.program, statement);
        line.conflicts = self.conflicts(&operands, active);
        line
    }

    /// The conflicts of shared operands, one by one.
    pub(crate) fn conflicts(&mut self, operands: &[&Word], active: &Active) -> Amount {
        operands.iter().fold(Amount::zero(), |sum, word| {
            sum.plus(&self.conflict(word, active))
        })
    }

    /// The conflict of a shared operand alone.
    fn conflict(&mut self, word: &Word, active: &Active) -> Amount {
        let known = match self.known.offset(word, active) {
            Ok(offset) => active
                .conflicts(&offset)
                .ok_or((word.span, Address::Stride)),
            // Where it begins does not matter.
            Err(why) => self
                .known
                .offset_from_one_word(word, active)
                .and_then(|offset| active.conflicts(&offset))
                .filter(|conflicts| {
                    let mut ends = [Some(&conflicts.lower), conflicts.upper.as_ref()].into_iter();
                    !ends.any(|end| end.is_some_and(has_unknown_word))
                })
                .ok_or_else(|| {
                    let address = Address::Formless(Addressed::Bank, why.formless());
                    (why.span(), address)
                }),
        };
        let (amount, (place, address)) = match known {
            Ok(amount) => (amount, (word.span, Address::Cores)),
            Err(_) if self.has_own_banks(word, active) => {
                (Amount::zero(), (word.span, Address::Cores))
            }
            Err(loss) => (self.possible_conflicts(word, active), loss),
        };
        if !amount.is_exact() {
            let why = Inexact::Access {
                address,
                sorted: None,
            };
            self.lose(Affected::Conflicts, place, why);
        }
        amount
    }

    /// Whether each core has a bank of its own, whatever words decide the row: neighbours are one bank apart.
    fn has_own_banks(&self, word: &Word, active: &Active) -> bool {
        let within = self.known.offset_within_banks(word, active);
        within.is_some_and(|within| is_unit(&active.step(&within)))
    }

    /// Conflicts wherever in its range each index is: w words fill a bank with ⌈w/b⌉ of them.
    pub(crate) fn possible_conflicts(&self, word: &Word, active: &Active) -> Amount {
        let (zero, one) = (Expr::zero(), Expr::one());
        let cores = active.span() - &one;
        let Some((low, high)) = self.known.offsets(word, active) else {
            return Amount::between(zero, cores);
        };
        let words = &high - &low + &one;
        let facts = &active.facts;
        if facts.prove(&Cond::le(&words, &active.width)) == Some(true) {
            return Amount::zero();
        }
        let fill = words.div(&active.width).map(|fill| fill.ceil() - &one);
        let most = Expr::min([Some(cores), fill].into_iter().flatten().collect());
        Amount::between(zero, facts.simplify(&most))
    }
}

/// The most blocks of b neighbouring words `x mod n`. With b = 4, n = 10 and x from 7 the words are 7, 8, 9 and 0.
/// The words up to the end of the ring lie in two blocks. Those from its beginning lie in one.
const MOST_OF_A_RING: i64 = 3;
/// The same of a row of an array that is a ring, which begins anywhere in a block.
const MOST_OF_A_ROW: i64 = 4;

impl Walk<'_, '_> {
    /// The blocks that the cores touch at most where they have neighbouring words of a ring: `a[x mod n]`, or
    /// `a[y, x mod n]` with the same y for all, with an x that is one more from core to core, or one less.
    fn most_of_a_ring(&self, word: &Word, active: &Active) -> Option<i64> {
        let (last, rows) = word.indices.split_last()?;
        let NumberKind::Binary {
            operator: Arithmetic::Modulo,
            left,
            right,
        } = &last.kind
        else {
            return None;
        };
        let own = |number| active.own(&self.known.expr(number, active).ok()?);
        let is_common =
            |number| own(number).is_some_and(|value| !value.contains(active.own_core()));
        let step = own(left).and_then(|own| active.own_step(&own))?;
        let is_ring = is_unit(&step) && is_common(right) && rows.iter().all(is_common);
        is_ring.then_some(if rows.is_empty() {
            MOST_OF_A_RING
        } else {
            MOST_OF_A_ROW
        })
    }
}

/// Blocks that the cores of an MP touch at most, from the index alone: as many as a warp of even steps reaches,
/// wherever it begins, for (b − 1)·s words beyond the first are s blocks beyond its own; of rows what each has at
/// most; else a block each.
fn most_of_an_execution(offset: Option<&Expr>, active: &Active) -> Expr {
    let step = offset.and_then(|offset| {
        if offset.contains(&active.core) {
            offset.linear_in(&active.core)?[1].as_rational()
        } else {
            Some(Rational::ZERO)
        }
    });
    let by_rows = || {
        let most = active.most_by_rows(&active.facts.simplify(offset?))?;
        (!active.is_far_less(&active.width, &most)).then_some(most)
    };
    match step {
        Some(step) => Expr::rational(step.abs()) + 1,
        None => by_rows().unwrap_or_else(|| active.width.clone()),
    }
}
