//! Two copies of places: takes the places of two touches and the index in which they differ, and gives what is known
//! of both at once.

use std::collections::BTreeSet;

use crate::safety::bounds::is_never_negative;
use crate::safety::forms::Forms;
use crate::safety::site::{Index, Place};
use crate::sym::{Cond, Expr, Facts, Symbol};

/// The most remainders of one guard that are held against one of the other.
const MOST_REMAINDERS: usize = 2;

/// The most words of each copy that are held against those of the other.
const MOST_SORTED: usize = 8;

/// Two copies of places, and the facts about both.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) facts: Facts,
    /// The ranges of the indices of both, outermost first.
    pub(super) indices: Vec<Index>,
    /// The forms of the symbols of the second copy.
    renamed: Vec<(Symbol, Expr)>,
    /// The distance of the second's number from the first's, less 1.
    ahead: Symbol,
    /// Forms that are 0, because both leave the same remainder or each its own.
    pub(super) remainders: Vec<Expr>,
    /// The values of which guards of either copy say that they are never negative.
    pub(super) said: Vec<Expr>,
}

/// The way in which the second copy's number differs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    Up,
    Down,
}

impl Pair {
    /// Makes the pair of two places that differ in an index. The symbols in `same` are shared; all others of the second
    /// are told apart.
    pub(super) fn of(
        first: &Place,
        second: &Place,
        (index, way): (&Index, Way),
        same: &BTreeSet<Symbol>,
        forms: &mut Forms<'_>,
    ) -> Pair {
        // Two copies of one place. They share what is the same for both (host loops, the MP, loops that run in step) and
        // differ in the index that is asked about: core j and core j + 1 + ahead with ahead ≥ 0. For `x[2j]` and `x[2j + 1]`
        // the copies touch 2j and 2(j + 1 + ahead) + 1. Their difference is 3 + 2·ahead, which is never 0.
        let mut pair = Pair {
            facts: first.facts.clone(),
            indices: first.indices.clone(),
            renamed: Vec::new(),
            ahead: forms.ahead.clone(),
            remainders: Vec::new(),
            said: Vec::new(),
        };
        pair.facts.integer(&pair.ahead);
        let [one, gap] = [Expr::one(), Expr::symbol(&pair.ahead)];
        let own = Expr::symbol(&index.symbol);
        let (other, most) = match way {
            Way::Up => (&own + &one + &gap, &index.high - &own - &one),
            Way::Down => (&own - &one - &gap, &own - &index.low - &one),
        };
        // All at once: new symbols are put in first, the shifted index last.
        pair.rename(second, &index.symbol, same, forms);
        pair.renamed.push((index.symbol.clone(), other));
        for cond in second.truths.iter().chain(&second.guards) {
            let cond = pair.second_cond(cond);
            pair.facts.suppose(&cond);
        }
        let others = second.guards.iter().map(|guard| pair.second_cond(guard));
        let guards: Vec<Cond> = first.guards.iter().cloned().chain(others).collect();
        let said = guards.iter().filter_map(|guard| pair.facts.said_by(guard));
        pair.said = said.collect();
        pair.compare_remainders(first, second);
        pair.indices.push(Index {
            symbol: pair.ahead.clone(),
            low: Expr::zero(),
            high: most,
            scope: index.scope,
        });
        pair.add_indices(second);
        pair
    }

    /// Gives new symbols to the indices and words of the second copy that are its own.
    fn rename(
        &mut self,
        second: &Place,
        differing: &Symbol,
        same: &BTreeSet<Symbol>,
        forms: &mut Forms<'_>,
    ) {
        let indices = second.indices.iter().map(|index| &index.symbol);
        let indices = indices.filter(|symbol| *symbol != differing);
        for symbol in indices.chain(&second.words) {
            if !same.contains(symbol) {
                let fresh = forms.twin(symbol);
                self.facts.integer(&fresh);
                self.renamed.push((symbol.clone(), Expr::symbol(&fresh)));
            }
        }
    }

    /// Adds the remainders that guards of both copies speak of.
    fn compare_remainders(&mut self, first: &Place, second: &Place) {
        let [own, other] = [first, second].map(|place| {
            let guards = place.guards.iter().filter_map(remainder);
            guards.collect::<Vec<Expr>>()
        });
        for own in &own {
            self.remainders.push(own.clone());
            let others = other.iter().map(|other| self.second(other) - own);
            let others: Vec<Expr> = others.take(MOST_REMAINDERS).collect();
            self.remainders.extend(others);
        }
    }

    /// Adds the ranges of the second copy's own indices.
    fn add_indices(&mut self, second: &Place) {
        for found in &second.indices {
            let mut renamed = self.renamed.iter();
            if let Some((_, form)) = renamed.find(|(symbol, _)| *symbol == found.symbol)
                && let Some(fresh) = form.as_symbol()
            {
                let copy = Index {
                    symbol: fresh.clone(),
                    low: self.second(&found.low),
                    high: self.second(&found.high),
                    scope: found.scope,
                };
                self.indices.push(copy);
            }
        }
    }

    /// A form of the second copy.
    pub(super) fn second(&self, value: &Expr) -> Expr {
        let renamed = self.renamed_in(value.symbols());
        renamed.fold(value.clone(), |value, (symbol, form)| {
            value.substitute(symbol, form)
        })
    }

    fn second_cond(&self, cond: &Cond) -> Cond {
        let renamed = self.renamed_in(cond.symbols());
        renamed.fold(cond.clone(), |cond, (symbol, form)| {
            cond.substitute(symbol, form)
        })
    }

    /// The forms of some symbols, in order. No form has a symbol that is renamed behind it.
    fn renamed_in(&self, symbols: BTreeSet<Symbol>) -> impl Iterator<Item = &(Symbol, Expr)> {
        let renamed = self.renamed.iter();
        renamed.filter(move |(symbol, _)| symbols.contains(symbol))
    }

    /// True if the copies may have different numbers for a symbol, or one of them has it alone.
    pub(super) fn is_own(&self, symbol: &Symbol) -> bool {
        let mut renamed = self.renamed.iter();
        *symbol == self.ahead || renamed.any(|(from, form)| from == symbol || form.contains(symbol))
    }

    /// True if the second copy tells a symbol apart from the first's.
    pub(super) fn is_renamed(&self, symbol: &Symbol) -> bool {
        self.renamed.iter().any(|(from, _)| from == symbol)
    }

    /// True if the first has the one value where the second has the other.
    pub(super) fn agree(&self, first: &Expr, second: &Expr) -> bool {
        let apart = self.second(second) - first;
        self.facts.simplify(&apart).is_zero()
    }

    /// Adds the order of words of sorted arrays, where that of their places is known: R[v + 1] ≤ R[v'], under v < v'.
    pub(super) fn order_words(&mut self, first: &Place, second: &Place, forms: &Forms<'_>) {
        let sorted = |word: &Symbol| {
            let placed = forms.placed.get(word)?;
            match &placed.indices[..] {
                [index] => Some((placed.sorted?, index.clone())),
                _ => None,
            }
        };
        let own = first.words.iter().take(MOST_SORTED);
        for (word, (array, index)) in own.filter_map(|word| Some((word, sorted(word)?))) {
            let others = second.words.iter().take(MOST_SORTED);
            let others = others.filter(|other| self.is_renamed(other));
            let same: Vec<(Symbol, Expr)> = others
                .filter_map(|other| Some((other.clone(), sorted(other)?)))
                .filter(|(_, (of, _))| *of == array)
                .map(|(other, (_, index))| (other, index))
                .collect();
            for (other, at) in same {
                let [at, other] = [at, Expr::symbol(&other)].map(|value| self.second(&value));
                let word = Expr::symbol(word);
                if is_never_negative(&(&at - &index), &self.indices, &self.facts) {
                    self.facts.suppose(&Cond::le(&word, &other));
                } else if is_never_negative(&(&index - &at), &self.indices, &self.facts) {
                    self.facts.suppose(&Cond::ge(&word, &other));
                }
            }
        }
    }

    /// True if there is no such pair.
    pub(super) fn is_impossible(&self) -> bool {
        let ahead = Expr::symbol(&self.ahead);
        self.facts.proves(&Cond::le(&ahead, &Expr::one().neg()))
    }

    /// Supposes that there is such a pair.
    pub(super) fn order(&mut self) {
        let ahead = Expr::symbol(&self.ahead);
        self.facts.suppose(&Cond::ge(&ahead, &Expr::zero()));
    }
}

/// The form of which a guard says that it is 0, of a remainder: `v mod 2 = c`.
fn remainder(guard: &Cond) -> Option<Expr> {
    match guard {
        Cond::Zero(value) if !value.in_floors().is_empty() => Some(value.clone()),
        _ => None,
    }
}
