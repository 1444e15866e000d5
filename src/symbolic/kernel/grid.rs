//! Cores in rows, `j div h` and `j mod h`: the threads of a thread block that have an index in two
//! dimensions.
//!
//! An index `A + d·(j div h) + s·(j mod h)` moves evenly within a row and from row to row. Rows that lie in one
//! block each are counted as one core a row would be; rows that begin at the same place in a block, a block
//! apart at least, as so many times one row. Of all others each row has its blocks at most.

use crate::derivation::BlockRule;
use crate::number::Rational;
use crate::sym::{Cond, Expr, Symbol, SymbolKind};
use crate::symbolic::active::{Active, Columns, Grid, Narrowed};
use crate::symbolic::amount::{Amount, FarOut};

/// An index that moves evenly within rows of cores and from row to row.
struct Grown {
    grid: Grid,
    /// The offset of core 0 of row 0.
    begin: Expr,
    /// Words from row to row.
    jump: Expr,
    /// Words from core to core of a row.
    step: Expr,
}

/// constant + slope·symbol, also with a slope of 0.
fn affine(expr: &Expr, symbol: &Symbol) -> Option<[Expr; 2]> {
    let coefficients = expr.coefficients(symbol)?;
    let mut coefficients = coefficients.into_iter();
    let [constant, slope] =
        [coefficients.next(), coefficients.next()].map(Option::unwrap_or_default);
    coefficients.next().is_none().then_some([constant, slope])
}

impl Active {
    /// What a value is besides, the factor, and the grid of `rest + factor·⌊(core + shift)/size⌋`.
    fn by_rows(&self, value: &Expr) -> Option<(Expr, Expr, Grid)> {
        let [rest, factor, shift, size] = self.facts.in_rows(value, &self.core)?;
        Some((rest, factor, Grid { size, shift }))
    }

    /// How a simplified index moves with the rows of a grid.
    fn grown(&self, index: &Expr) -> Option<Grown> {
        let (rest, factor, grid) = self.by_rows(index)?;
        let [constant, step] = affine(&rest, &self.core)?;
        Some(Grown {
            begin: &constant - (&step * &grid.shift),
            jump: self.facts.simplify(&(&factor + (&step * &grid.size))),
            step,
            grid,
        })
    }

    /// Blocks at word offsets `index` in rows of cores, where rows and blocks are powers of one base: of rows that are part
    /// of a block, and of rows that are so many blocks.
    pub(super) fn blocks_by_size(&self, index: &Expr) -> Option<(Amount, BlockRule)> {
        // Butterflies, 2d·(j div d) + j mod d with d = 2^s: up to d = b/2 the rows of d cores lie in two blocks, from d = b
        // on all cores are in one row and one block.
        let (_, _, grid) = self.by_rows(index)?;
        let (size, width) = (&grid.size, &self.width);
        let is_open = |cond: Cond| self.facts.prove(&cond).is_none();
        if !self.facts.are_powers_of_one_base(size, width)
            || !is_open(Cond::lt(size, width))
            || !is_open(Cond::ge(size, width))
        {
            return None;
        }
        let counted = |conds: [Cond; 2], index: &Expr| {
            let mut case = self.clone();
            conds.iter().for_each(|cond| case.suppose(cond));
            let (amount, rule) = case.blocks(index)?;
            amount.is_exact().then_some((amount.lower, rule))
        };
        let is_part = [Cond::lt(size, width), Cond::divides(size, width)];
        let (part, rule) = counted(is_part, index)?;
        let is_whole = [Cond::ge(size, width), Cond::divides(width, size)];
        let (whole, other) = counted(is_whole, index)?;
        let more = (&part - &whole) * Expr::bracket(Cond::lt(size, width));
        let blocks = self.facts.simplify(&(&whole + &more));
        Some((Amount::exact(blocks), rule.or(&other)))
    }

    /// Counts the blocks at an index that moves evenly within a row of cores and from row to row. `cores` is the
    /// number of cores of an MP.
    ///
    /// Row r begins at word begin + jump·r, and its cores are `step` words apart. Four cases, the sharpest first.
    /// The examples have b = 4, rows of two cores, and cores 0 to 3:
    /// - Each row lies in one block: rows are counted as cores. `a[8(j div 2) + j mod 2]`: two blocks.
    /// - b divides the jump: all rows have as many blocks as the first. `a[16(j div 2) + 4(j mod 2)]`: 2 · 2.
    ///   This is exact if no block belongs to two rows, otherwise an upper bound.
    /// - No step passes over a block, also not from row to row: all blocks from the first word to the last.
    ///   `a[3(j div 2) + j mod 2]` has words 0, 1, 3, 4: two blocks.
    /// - Otherwise an upper bound: the rows, times the most blocks of a row. `a[9(j div 2) + 2(j mod 2)]`: at most 2 · 2.
    pub(super) fn blocks_by_rows(&self, index: &Expr, cores: &Expr) -> Option<(Amount, BlockRule)> {
        let Grown {
            grid,
            begin,
            jump,
            step,
        } = self.grown(index)?;
        let (zero, one) = (Expr::zero(), Expr::one());
        let all_but_one = &grid.size - &one;
        let all = [zero.clone(), all_but_one.clone()];
        let of_grid = |columns: &&Columns| columns.grid == grid;
        let (columns, is_known) = match &self.thinned {
            None => (all, true),
            Some(thinned) => match thinned.columns.as_ref().filter(of_grid) {
                Some(columns) => (columns.ends.clone(), self.has_whole_rows(&grid)),
                None => (all, false),
            },
        };
        // The rows take the part of cores: row r begins at word `begin + jump·r`. An access with b = 4 and rows of two
        // cores, `a[8(j div 2) + j mod 2]`, has begin 0, jump 8 and step 1. Each row lies in one block, so the blocks
        // are those that rows 0 and 1 touch at stride 8: two.
        let rows = self.numbered_by_row(&grid);
        let first = &begin + (&jump * Expr::symbol(&rows.core));
        let [start, end] = columns.each_ref().map(|column| &first + (&step * column));
        let block = |offset: &Expr| offset.floor_div(&self.width).unwrap_or_default();
        let reach = &step * (&columns[1] - &columns[0]);
        let reach = self.facts.simplify(&self.magnitude(&reach)?);
        let simple = |expr: &Expr| rows.facts.simplify(expr);
        let of_each = simple(&(block(&end) - block(&start)));
        let knows = |cond: Cond| rows.facts.prove(&cond) == Some(true);
        let is_in_part = || {
            // Parts of a block as long as a row, with one row in each.
            let divides = |value: &Expr| knows(Cond::divides(&grid.size, value));
            step.is_one() && divides(&self.width) && divides(&first)
        };
        if of_each.is_zero() || is_in_part() {
            let (amount, _) = rows.blocks(&start)?;
            let amount = if is_known {
                amount
            } else {
                Amount {
                    lower: one.clone(),
                    ..amount
                }
            };
            return Some((amount, BlockRule::Rows(grid.size, one)));
        }
        let magnitude = self.magnitude(&step)?;
        let is_narrow = knows(Cond::le(&magnitude, &self.width));
        let count = rows.span();
        if knows(Cond::divides(&self.width, &jump)) && !of_each.contains(&rows.core) {
            let rises = knows(Cond::ge(&step, &zero));
            let each = if rises {
                &of_each + &one
            } else {
                &one - &of_each
            };
            let each = simple(&each);
            // All rows begin at the same place of a block, because b divides the jump. So each has as many blocks as the
            // first. They add up only if no block belongs to two rows: the next row begins behind this one's last block.
            // From one row's last block to the next row's first.
            let next = block(&start) + jump.div(&self.width)?;
            let is_apart = count.is_one()
                || rises && knows(Cond::gt(&next, &block(&end)))
                || knows(Cond::ge(&jump.abs(), &(&reach + &self.width)));
            let whole = is_known && (self.thinned.is_some() || self.has_whole_rows(&grid));
            let blocks = self.facts.simplify(&(&count * &each));
            let amount = if whole && is_narrow && is_apart {
                Amount::exact(blocks)
            } else {
                Amount::between(one, blocks)
            };
            return Some((amount, BlockRule::Rows(grid.size, each)));
        }
        // The last word of a row and the first of the next one.
        let gap = &jump - (&step * &all_but_one);
        let is_known_to_rise = knows(Cond::ge(&step, &zero)) && knows(Cond::ge(&gap, &zero));
        if self.thinned.is_none()
            && is_known_to_rise
            && is_narrow
            && knows(Cond::le(&gap, &self.width))
        {
            let [low, high] =
                [self.first(), self.last()].map(|core| index.substitute(&self.core, &core));
            let all = block(&high) - block(&low) + &one;
            return Some((
                Amount::exact(self.facts.simplify(&all)),
                BlockRule::FirstToLast,
            ));
        }
        // A row that is cut gets the bound of a whole row, if that bound is a number. Otherwise the words between its
        // first and last column decide.
        let of_whole = self.most_of_rows(&magnitude, &grid.size, cores)?;
        let each = match of_whole.as_rational() {
            Some(_) => of_whole,
            None => self.most_of_row(&reach)?,
        };
        let blocks = self.facts.simplify(&(&count * &each));
        let amount = Amount::between(one, blocks);
        Some((amount, BlockRule::Rows(grid.size, each)))
    }

    /// The blocks of an interval of cores whose rows all lie on the same whole blocks: `(core + e) mod m`, a ring of m
    /// words.
    pub(super) fn blocks_of_ring(&self, index: &Expr) -> Option<(Amount, BlockRule)> {
        // From the first core's block to the last's, and once around for each time that the ring is closed on the way.
        // Where the last core comes to the first one's block again, or beyond, it is all of the ring. With b = 4, m = 12
        // and the words 10, 11, 0, 1: from block 2 to block 0, and 3 blocks for the one time around: 0 − 2 + 1 + 3 = 2.
        let Grown {
            grid,
            begin,
            jump,
            step,
        } = self.grown(index)?;
        let one = Expr::one();
        let is_ring = self.thinned.is_none()
            && jump.is_zero()
            && self.knows(&Cond::ge(&step, &one))
            && self.knows(&Cond::le(&step, &self.width))
            && self.knows(&Cond::divides(&self.width, &(&step * &grid.size)));
        if !is_ring {
            return None;
        }
        let block = |offset: &Expr| offset.floor_div(&self.width).unwrap_or_default();
        let [low, high] = [self.first(), self.last()];
        let row = |core: &Expr| (core + &grid.shift).floor_div(&grid.size);
        let turns = row(&high)? - row(&low)?;
        let end = &begin + (&step * (&grid.size - &one));
        let all = block(&end) - block(&begin) + &one;
        let [low, high] = [low, high].map(|core| block(&index.substitute(&self.core, &core)));
        let passed = &high - &low + &one + (&turns * &all);
        let fewer = [passed, all].map(|blocks| self.facts.simplify(&blocks));
        let blocks = self.facts.simplify(&Expr::min(fewer.into()));
        Some((Amount::exact(blocks), BlockRule::FirstToLast))
    }

    /// Values that one moving evenly with the rows of a grid is never below and never above.
    pub(crate) fn within_by_rows(&self, value: &Expr) -> Option<(Expr, Expr)> {
        let Grown {
            grid,
            begin,
            jump,
            step,
        } = self.grown(&self.facts.simplify(value))?;
        let rows = self.numbered_by_row(&grid);
        let zero = Expr::zero();
        let along = |step: &Expr, first: &Expr, last: &Expr| {
            let ends = (step * first, step * last);
            if self.knows(&Cond::ge(step, &zero)) {
                Some(ends)
            } else {
                self.knows(&Cond::le(step, &zero))
                    .then_some((ends.1, ends.0))
            }
        };
        let by_row = along(&jump, &rows.first(), &rows.last())?;
        let in_row = along(&step, &zero, &(&grid.size - 1))?;
        let end = |row: &Expr, column: &Expr| self.facts.simplify(&(&begin + row + column));
        Some((end(&by_row.0, &in_row.0), end(&by_row.1, &in_row.1)))
    }

    /// The blocks that a row of so many cores touches at most, where so many words lie from core to core; of a row
    /// longer than all cores of an MP are, only these are there at once.
    fn most_of_rows(&self, magnitude: &Expr, size: &Expr, cores: &Expr) -> Option<Expr> {
        let one = Expr::one();
        let of = |cores: &Expr| self.most_of_row(&(magnitude * (cores - &one)));
        let (whole, cut) = (of(size)?, of(cores)?);
        let is_less = match (whole.as_rational(), cut.as_rational()) {
            (Some(whole), Some(cut)) => cut < whole,
            // No number says that a row is in one block.
            (None, Some(cut)) => cut <= Rational::from(2),
            (Some(_), None) => false,
            (None, None) => self.knows(&Cond::le(&cut, &whole)),
        };
        Some(if is_less { cut } else { whole })
    }

    /// The blocks that a row touches at most whose last word is so far from its first.
    fn most_of_row(&self, reach: &Expr) -> Option<Expr> {
        let one = Expr::one();
        let most = if self.knows(&Cond::le(reach, &self.width)) {
            one.clone()
        } else {
            reach.div(&self.width)?.ceil()
        };
        Some(self.facts.simplify(&(&most + &one)))
    }

    /// The blocks that b cores touch at most at an index that moves evenly with the rows of a grid, whatever else
    /// is in it.
    pub(super) fn most_by_rows(&self, index: &Expr) -> Option<Expr> {
        let Grown {
            grid, jump, step, ..
        } = self.grown(index)?;
        let one = Expr::one();
        let magnitude = self.magnitude(&step)?;
        let each = self.most_of_rows(&magnitude, &grid.size, &self.width)?;
        let rows = self.width.div(&grid.size)?.ceil();
        // Where core 0 is in the middle of a row, there is one more.
        let rows = if self.knows(&Cond::divides(&grid.size, &grid.shift)) {
            rows
        } else {
            &rows + &one
        };
        let by_row = self.facts.simplify(&(&rows * &each));
        // From the first word of all to the last.
        let together = self.magnitude(&jump).and_then(|jump| {
            let down = &jump * (&rows - &one);
            let across = &magnitude * (&grid.size - &one);
            self.most_of_row(&self.facts.simplify(&(&down + &across)))
        });
        let together = together.filter(|together| self.knows(&Cond::le(together, &by_row)));
        let most = together.unwrap_or(by_row);
        let is_local = |symbol: &Symbol| symbol.id.kind == SymbolKind::Local;
        (!most.symbols().iter().any(is_local)).then_some(most)
    }

    /// Whether the first of two bounds is no half of the other where a problem is large and a warp is not.
    pub(super) fn is_far_less(&self, one: &Expr, other: &Expr) -> bool {
        let width = self.width.as_symbol();
        let far_out = FarOut::of(&self.facts, &[one, other], width);
        let [one, other] = [one, other].map(|bound| far_out.value(bound));
        one.zip(other).is_some_and(|(one, other)| 2.0 * one < other)
    }

    /// Keeps the cores of some columns of a grid; `None` where a condition says something else.
    pub(super) fn keep_columns(&mut self, cond: &Cond) -> Option<Narrowed> {
        let value = self.facts.simplify(&self.facts.said_by(cond)?);
        let (rest, factor, grid) = self.by_rows(&value)?;
        let [constant, slope] = rest.linear_in(&self.core)?;
        if factor != (&slope * &grid.size).neg() || !self.facts.is_integer(&constant) {
            return None;
        }
        // value = constant + slope·(column − shift)
        let last = &grid.size - 1;
        let ends = if slope.is_one() {
            let low = &grid.shift - &constant;
            [Expr::max(vec![Expr::zero(), low]), last]
        } else if slope.neg().is_one() {
            let high = &constant + &grid.shift;
            [Expr::zero(), Expr::min(vec![last, high])]
        } else {
            return None;
        };
        self.thin_to_columns(grid, ends, cond)
    }
}
