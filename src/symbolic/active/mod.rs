//! Which cores are active: an interval of their index, thinned out by residues and by what is no
//! interval at all.
//!
//! The active cores of an instruction are those between the largest lower and the smallest upper
//! bound that the guards around it give. Under `j mod d = r` they are numbered anew: j = d·u + r,
//! with an interval of u. Of what is neither, such as `j = 0 ∨ j = b - 1`, the interval is a
//! superset, kept with some cores known to be in.

mod ends;
mod narrow;

use crate::sym::{Cond, Expr, Facts, Symbol};
pub(crate) use crate::symbolic::active::ends::Stride;
pub(crate) use crate::symbolic::active::narrow::Narrowed;
use crate::symbolic::amount::Amount;

/// Work spent on cores that only bounds need.
const WORK_ASIDE: u64 = 2_000;

/// The active cores of a place in a kernel, and what is known there.
#[derive(Clone)]
pub(crate) struct Active {
    /// Numbers the active cores: the core's index, or what that is linear in.
    pub(crate) core: Symbol,
    /// What earlier numbers of the cores are in terms of later ones, in order.
    views: Vec<(Symbol, Expr)>,
    /// Where the active cores lie.
    ends: Ends,
    /// What holds here, of the core too: it stands for any active core.
    pub(crate) facts: Facts,
    /// The same taken apart, to be told of other numbers of the cores.
    apart: Apart,
    /// Where only some cores of the interval are active.
    pub(crate) thinned: Option<Thinned>,
    /// Of how many cores they are some, the same in all iterations.
    pub(crate) crew: Crew,
    /// b
    pub(crate) width: Expr,
}

/// Cores that the outermost guard lets in: what guards within and loops leave of them are some of these.
#[derive(Clone)]
pub(crate) struct Crew {
    /// How many there are at most.
    pub(crate) count: Expr,
    /// Whether neither a loop nor a guard that leaves fewer than b was met yet.
    pub(crate) is_open: bool,
}

/// What encloses the active cores.
#[derive(Clone)]
struct Ends {
    /// Each at most the first active core.
    lows: Vec<Expr>,
    /// Each at least the last active core.
    highs: Vec<Expr>,
}

/// What holds of the active cores and around them.
#[derive(Clone)]
struct Apart {
    /// What holds here whatever the core.
    outside: Facts,
    /// What else holds, of the core.
    inside: Vec<Cond>,
}

/// Active cores that are some of an interval.
#[derive(Clone, Default)]
pub(crate) struct Thinned {
    /// Numbers known to be among them.
    pub(crate) members: Vec<Expr>,
    /// How many, where that is known.
    pub(crate) count: Option<Expr>,
    /// Which columns of a grid they are, where they are all of these.
    pub(crate) columns: Option<Columns>,
}

/// Cores in rows: core c is in row ⌊(c + shift)/size⌋.
#[derive(Clone, PartialEq)]
pub(crate) struct Grid {
    /// The cores of a row, at least 1.
    pub(crate) size: Expr,
    /// The column of core 0 in row 0, as far as rows go.
    pub(crate) shift: Expr,
}

/// Columns of a grid.
#[derive(Clone)]
pub(crate) struct Columns {
    /// The grid.
    pub(crate) grid: Grid,
    /// The first and the last of them.
    pub(crate) ends: [Expr; 2],
}

impl Active {
    /// All b cores, under the facts of the MP.
    pub(crate) fn all(core: Symbol, width: Expr, mut facts: Facts) -> Self {
        facts.integer(&core);
        let last = &width - 1;
        let mut active = Active {
            core,
            views: Vec::new(),
            ends: Ends {
                lows: vec![Expr::zero()],
                highs: vec![last],
            },
            apart: Apart {
                outside: facts.clone(),
                inside: Vec::new(),
            },
            facts,
            thinned: None,
            crew: Crew {
                count: width.clone(),
                is_open: true,
            },
            width,
        };
        let index = Expr::symbol(&active.core);
        active.suppose(&Cond::ge(&index, &Expr::zero()));
        active.suppose(&Cond::lt(&index, &active.width.clone()));
        active
    }

    /// An expression written in the number that the cores have here.
    pub(crate) fn view(&self, expr: &Expr) -> Expr {
        let views = self.views.iter();
        views.fold(expr.clone(), |expr, (symbol, value)| {
            expr.substitute(symbol, value)
        })
    }

    /// A condition written in the number that the cores have here.
    pub(crate) fn view_cond(&self, cond: &Cond) -> Cond {
        let views = self.views.iter();
        views.fold(cond.clone(), |cond, (symbol, value)| {
            cond.substitute(symbol, value)
        })
    }

    /// An expression written in the cores' own index, where it is in any number that they have had.
    pub(crate) fn own(&self, expr: &Expr) -> Option<Expr> {
        let mut number = &self.core;
        let mut own = expr.clone();
        for (earlier, value) in self.views.iter().rev() {
            let [residue, step] = value.linear_in(number)?;
            let number_of = (Expr::symbol(earlier) - &residue).div(&step)?;
            own = own.substitute(number, &number_of);
            number = earlier;
        }
        Some(own)
    }

    /// The cores' own index.
    pub(crate) fn own_core(&self) -> &Symbol {
        self.views.first().map_or(&self.core, |(own, _)| own)
    }

    /// Takes for granted what holds for every active core.
    pub(crate) fn suppose(&mut self, cond: &Cond) {
        self.facts.suppose(cond);
        if cond.contains(&self.core) {
            self.apart.inside.push(cond.clone());
        } else {
            self.apart.outside.suppose(cond);
        }
    }

    /// Assumes `low ≤ symbol ≤ high` of a whole number.
    pub(crate) fn suppose_range(&mut self, symbol: &Symbol, low: &Expr, high: &Expr) {
        let value = Expr::symbol(symbol);
        self.facts.integer(symbol);
        self.apart.outside.integer(symbol);
        self.suppose(&Cond::ge(&value, low));
        self.suppose(&Cond::le(&value, high));
    }

    /// Whether every row of a grid is within the interval or outside.
    pub(crate) fn has_whole_rows(&self, grid: &Grid) -> bool {
        let is_between = |core: &Expr| {
            let column = Cond::divides(&grid.size, &(core + &grid.shift));
            self.facts.prove(&column) == Some(true)
        };
        let behind = |last: &Expr| last + 1;
        self.ends.lows.iter().all(is_between)
            && self.ends.highs.iter().map(behind).all(|c| is_between(&c))
    }

    /// Whether the active cores are all of some columns of whole rows.
    fn is_columns(&self) -> bool {
        let thinned = self.thinned.as_ref();
        let columns = thinned.and_then(|thinned| thinned.columns.as_ref());
        columns.is_some_and(|columns| self.has_whole_rows(&columns.grid))
    }

    /// Rows of a grid in the place of cores: those that have some core of the interval.
    pub(crate) fn numbered_by_row(&self, grid: &Grid) -> Active {
        let row = |core: &Expr| {
            let row = (core + &grid.shift).floor_div(&grid.size);
            self.facts.simplify(&row.unwrap_or_default())
        };
        let rows = |ends: &[Expr]| ends.iter().map(row).collect();
        let outside = self.apart.outside.clone();
        let mut facts = outside.clone();
        facts.integer(&self.core);
        let mut rows = Active {
            core: self.core.clone(),
            views: Vec::new(),
            ends: Ends {
                lows: rows(&self.ends.lows),
                highs: rows(&self.ends.highs),
            },
            apart: Apart {
                outside,
                inside: Vec::new(),
            },
            facts,
            thinned: None,
            crew: self.crew.clone(),
            width: self.width.clone(),
        };
        let number = Expr::symbol(&rows.core);
        for low in rows.ends.lows.clone() {
            rows.suppose(&Cond::ge(&number, &low));
        }
        for high in rows.ends.highs.clone() {
            rows.suppose(&Cond::le(&number, &high));
        }
        rows
    }

    /// Leaves it open which of the cores are active, and whether any.
    pub(crate) fn blur(&mut self) {
        self.thinned = Some(Thinned::default());
    }

    /// The number of active cores, at least 1.
    pub(crate) fn count(&self) -> Amount {
        match &self.thinned {
            None => Amount::exact(self.span()),
            Some(Thinned {
                count: Some(count), ..
            }) => Amount::exact(count.clone()),
            Some(Thinned {
                columns: Some(Columns { grid, ends }),
                ..
            }) if self.has_whole_rows(grid) => {
                let each = &ends[1] - &ends[0] + 1;
                let count = self.span().div(&grid.size).map(|rows| &rows * &each);
                Amount::exact(self.facts.simplify(&count.unwrap_or_default()))
            }
            Some(_) => Amount::between(Expr::one(), self.span()),
        }
    }

    /// Takes those active now for the crew, where no loop is around them and no guard left fewer yet.
    pub(crate) fn muster(&mut self) {
        if let Some(count) = self.most().filter(|_| self.crew.is_open) {
            self.crew = Crew {
                is_open: count == self.width,
                count,
            };
        }
    }

    /// How many cores are active at most, by work of its own.
    pub(crate) fn most(&self) -> Option<Expr> {
        let aside = Active {
            facts: self.facts.with_work(WORK_ASIDE),
            ..self.clone()
        };
        aside.count().upper
    }
}
