//! Equations for the numbers of a writer: takes its indices, each with the number that it must have, and puts values
//! for its own numbers in, until none is left.

use crate::safety::forms::Forms;
use crate::safety::maps::remainder;
use crate::safety::site::Index;
use crate::sym::{Cond, Expr, Facts, Symbol};

/// A number of the writer, as the equations name it, and the digit of the word that it must be.
pub(super) struct Digit {
    pub(super) own: Symbol,
    pub(super) digit: Symbol,
}

/// The equations, and what is to hold at their solution.
pub(super) struct System<'f> {
    /// Each index of the writer, and the number that it must have.
    pub(super) equations: Vec<(Expr, Expr)>,
    /// The numbers sought. The first are found first.
    pub(super) unknown: Vec<Index>,
    /// The conditions under which the writer writes.
    pub(super) guards: Vec<Cond>,
    /// What is known where the word is read.
    pub(super) facts: &'f Facts,
}

impl System<'_> {
    /// Replaces each number by its quotient and remainder where the indices have these, `j div h` and `j mod h`. Then
    /// each is found by itself. Returns the symbols of both.
    pub(super) fn take_rows_apart(&mut self, forms: &mut Forms<'_>) -> Vec<Symbol> {
        let mut halves = Vec::new();
        for at in (0..self.unknown.len()).rev() {
            let Some([shift, size]) = self.rows_of(&self.unknown[at].symbol) else {
                continue;
            };
            let row = forms.twin(&self.unknown[at].symbol);
            let column = forms.twin(&row);
            self.put_row_and_column(at, [&row, &column], &shift, &size);
            halves.extend([row, column]);
        }
        halves
    }

    /// Returns the shift s and the length h of rows, where an index speaks of `(j + s) div h` and no end of a range of j.
    fn rows_of(&self, symbol: &Symbol) -> Option<[Expr; 2]> {
        let is_end = |other: &Index| {
            let ends = [&other.low, &other.high];
            ends.into_iter().any(|end| end.contains(symbol))
        };
        let mut each = self.equations.iter();
        let rounded = each.find_map(|(offset, _)| {
            let offset = self.facts.simplify(offset);
            self.facts.in_rows(&offset, symbol)
        });
        let [_, _, shift, size] = rounded.filter(|_| !self.unknown.iter().any(is_end))?;
        Some([shift, size])
    }

    /// Puts h·row + column − s in the place of a number.
    fn put_row_and_column(
        &mut self,
        at: usize,
        [row, column]: [&Symbol; 2],
        shift: &Expr,
        size: &Expr,
    ) {
        let first = self.unknown[at].clone();
        let symbol = &first.symbol;
        let [of_row, of_column] = [row, column].map(Expr::symbol);
        let [zero, last] = [Expr::zero(), size - 1];
        let mut inside = self.facts.clone();
        inside.integer(row);
        inside.integer(column);
        let within = [Cond::ge(&of_column, &zero), Cond::le(&of_column, &last)];
        within.iter().for_each(|end| inside.suppose(end));
        let value = size * &of_row + &of_column - shift;
        let put = |expr: &Expr| inside.simplify(&expr.substitute(symbol, &value));
        for (offset, _) in &mut self.equations {
            *offset = put(offset);
        }
        let mut guards = self.guards.iter_mut();
        let about = guards.by_ref().filter(|guard| guard.contains(symbol));
        about.for_each(|guard| *guard = guard.map(&put));
        self.guards.extend(within);
        let row_of = |end: &Expr| (end + shift).floor_div(size).unwrap_or_default();
        let [low, high] = [&first.low, &first.high].map(|end| self.facts.simplify(&row_of(end)));
        let rows = Index {
            symbol: row.clone(),
            low,
            high,
            scope: first.scope,
        };
        let columns = Index {
            symbol: column.clone(),
            low: zero,
            high: last,
            scope: first.scope,
        };
        self.unknown.splice(at..=at, [rows, columns]);
    }

    /// Gives each number the digit of the word that it must be: the one told for it, or one with its step. The last
    /// number of an equation is left to the equation.
    pub(super) fn take_digits(&mut self, digits: &[Digit]) {
        for digit in digits {
            let mut unknown = self.unknown.iter();
            let of_digit = unknown.position(|index| {
                index.symbol == digit.own && !self.is_last(index) || self.has_step_of(index, digit)
            });
            if let Some(which) = of_digit {
                let index = self.unknown.remove(which);
                self.put(&index.symbol, &Expr::symbol(&digit.digit));
            }
        }
    }

    /// True if an equation has no other unknown number, and is linear in this one.
    fn is_last(&self, index: &Index) -> bool {
        let mut equations = self.equations.iter();
        equations.any(|(offset, _)| {
            let mut others = self.unknown.iter();
            let has_others =
                others.any(|other| other.symbol != index.symbol && offset.contains(&other.symbol));
            !has_others
                && offset.contains(&index.symbol)
                && offset.linear_in(&index.symbol).is_some()
        })
    }

    /// True if an equation has a number and a digit with the same step.
    fn has_step_of(&self, index: &Index, digit: &Digit) -> bool {
        let mut equations = self.equations.iter();
        !self.is_last(index) && equations.any(|(offset, word)| {
            let steps = [
                offset.linear_in(&index.symbol),
                word.linear_in(&digit.digit),
            ];
            matches!(steps, [Some([_, one]), Some([_, other])] if one == other && !one.is_zero())
        })
    }

    /// Finds all numbers, dimension by dimension.
    pub(super) fn solve(&mut self) -> Option<()> {
        while !self.unknown.is_empty() {
            if let Some((which, value)) = self.next() {
                let index = self.unknown.remove(which);
                if !self.facts.is_integer(&value) {
                    return None;
                }
                self.put(&index.symbol, &value);
                continue;
            }
            // Whatever does not decide which word it is: where a guard names it, that, else the first.
            let index = self.unknown.remove(0);
            let mut guards = self.guards.iter();
            let named = guards.find_map(|guard| named_by(guard, &index));
            let named = named.filter(|value| self.facts.is_integer(value));
            let value = named.unwrap_or_else(|| index.low.clone());
            let mut others = self.unknown.iter();
            if others.any(|other| value.contains(&other.symbol)) {
                return None;
            }
            self.put(&index.symbol, &value);
        }
        Some(())
    }

    fn put(&mut self, symbol: &Symbol, value: &Expr) {
        for (offset, _) in &mut self.equations {
            *offset = self.facts.simplify(&offset.substitute(symbol, value));
        }
        for index in &mut self.unknown {
            index.low = index.low.substitute(symbol, value);
            index.high = index.high.substitute(symbol, value);
        }
        for guard in &mut self.guards {
            *guard = guard.substitute(symbol, value);
        }
    }

    /// Returns the next number that an equation decides, with its value.
    fn next(&self) -> Option<(usize, Expr)> {
        // Alone in its equation.
        for (offset, word) in &self.equations {
            let unknown = self.unknown.iter().enumerate();
            let mut within = unknown.filter(|(_, index)| offset.contains(&index.symbol));
            if let (Some((which, index)), None) = (within.next(), within.next())
                && let Some([rest, slope]) = offset.linear_in(&index.symbol)
            {
                let value = (word - &rest).div(&slope)?;
                return Some((which, self.facts.simplify(&value)));
            }
        }
        for (offset, word) in &self.equations {
            if let Some(found) = self.in_remainder(offset, word) {
                return Some(found);
            }
        }
        // The highest digit of a mixed radix: the others are less than one step of it.
        for (offset, word) in &self.equations {
            for (which, index) in self.unknown.iter().enumerate() {
                if let Some([least, step]) = self.digit(offset, index) {
                    let value = (word - &least).floor_div(&step)?;
                    return Some((which, self.facts.simplify(&value)));
                }
            }
        }
        None
    }

    /// Returns the number that an equation between remainders decides: the last one in the range of t at which
    /// `(c + t) mod n`, or `(c - t) mod n`, is the word.
    fn in_remainder(&self, offset: &Expr, word: &Expr) -> Option<(usize, Expr)> {
        let unknown = self.unknown.iter().enumerate();
        let mut within = unknown.filter(|(_, index)| offset.contains(&index.symbol));
        let (Some((which, index)), None) = (within.next(), within.next()) else {
            return None;
        };
        let [inner, size] = remainder(offset, self.facts)?;
        let [shift, slope] = inner.linear_in(&index.symbol)?;
        let is_falling = slope.neg().is_one();
        if !(slope.is_one() || is_falling) || size.contains(&index.symbol) {
            return None;
        }
        let of_word = remainder(word, self.facts).filter(|[_, other]| *other == size);
        let of_word = of_word.map_or_else(|| word.clone(), |[inner, _]| inner);
        let first = if is_falling {
            shift - of_word
        } else {
            of_word - shift
        };
        let beyond = (&index.high - &first).modulo(&size)?;
        let value = &index.high - &self.facts.simplify(&beyond);
        Some((which, self.facts.simplify(&value)))
    }

    /// Returns the step of a number in an index, and the rest with all other numbers at their least; `None` where the
    /// rest may fall as another number grows.
    fn digit(&self, offset: &Expr, index: &Index) -> Option<[Expr; 2]> {
        let [mut least, step] = offset.linear_in(&index.symbol)?;
        if step.is_zero() || !self.facts.proves(&Cond::ge(&step, &Expr::one())) {
            return None;
        }
        for other in &self.unknown {
            if least.contains(&other.symbol) {
                let [_, slope] = least.linear_in(&other.symbol)?;
                if !self.facts.proves(&Cond::ge(&slope, &Expr::zero())) {
                    return None;
                }
                least = least.substitute(&other.symbol, &other.low);
            }
        }
        let mut others = self.unknown.iter();
        let is_free = !others.any(|other| step.contains(&other.symbol));
        is_free.then_some([least, step])
    }

    /// Returns what is left to prove of a solved system: that the indices are equal, and the guards.
    pub(super) fn left_to_prove(self) -> Vec<Cond> {
        let zero = Expr::zero();
        let mut needs = Vec::new();
        for (offset, word) in self.equations {
            let difference = self.facts.simplify(&(&word - &offset));
            if !difference.is_zero() {
                needs.push(Cond::eq(&difference, &zero));
            }
        }
        for guard in self.guards {
            if guard != Cond::True && !needs.contains(&guard) {
                needs.push(guard);
            }
        }
        needs
    }
}

/// The value that an equality gives to an index.
fn named_by(guard: &Cond, index: &Index) -> Option<Expr> {
    let Cond::Zero(value) = guard else {
        return None;
    };
    let [rest, slope] = value.linear_in(&index.symbol)?;
    rest.neg().div(&slope)
}
