//! Which cores are active: an interval of their index, thinned out by residues and by what is no
//! interval at all.
//!
//! The active cores of an instruction are those between the largest lower and the smallest upper
//! bound that the guards around it give. Under `j mod d = r` they are numbered anew: j = d·u + r,
//! with an interval of u. Of what is neither, such as `j = 0 ∨ j = b - 1`, the interval is a
//! superset, kept with some cores known to be in.

use crate::sym::{Cond, Expr, Facts, Symbol};
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

/// How an index moves with the core.
pub(crate) enum Stride {
    /// Not at all.
    Uniform,
    /// By this many words a core.
    By(Expr),
    /// Not linearly, or not provably so.
    Irregular,
}

/// Which way a value goes from core to core.
///
/// Of several candidates for the first active core the largest is it. Of the values there the largest
/// is its value only if the value rises between the candidates too, some of which are no active cores:
/// j^2 is 0 at the first of cores 0 to 7, though it is 9 at -3, which is a bound of them as well.
#[derive(Clone, Copy)]
pub(crate) enum Course {
    /// It rises, or stays, whatever number the core had.
    Rises,
    /// It falls, or stays, whatever number the core had.
    Falls,
    /// It rises, or stays, from the first core to the last; beyond them it may turn around.
    RisesInside,
    /// It falls, or stays, from the first core to the last; beyond them it may turn around.
    FallsInside,
}

/// What a new guard does to the active cores.
pub(crate) enum Narrowed {
    /// Some core stays active for certain.
    Inhabited,
    /// Some core stays active if this holds.
    Provided(Cond),
    /// No core stays active.
    Empty,
    /// Whether some core stays active is not known; none does unless this holds.
    Unknown(Cond),
}

impl Narrowed {
    /// The same of cores of which only some are active.
    fn unsure(self) -> Narrowed {
        match self {
            Narrowed::Inhabited => Narrowed::Unknown(Cond::True),
            Narrowed::Provided(cond) => Narrowed::Unknown(cond),
            Narrowed::Empty | Narrowed::Unknown(_) => self,
        }
    }
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

    /// Keeps the cores with `slope·core + constant ≥ 0`; `None` when the slope's sign is unknown.
    pub(crate) fn keep_non_negative(&mut self, constant: &Expr, slope: &Expr) -> Option<Narrowed> {
        let outer = self.facts.clone();
        let zero = Expr::zero();
        let holds = Cond::ge(&(slope * Expr::symbol(&self.core) + constant), &zero);
        if outer.prove(&Cond::gt(slope, &zero))? {
            let low = outer.simplify(&constant.neg().div(slope)?.ceil());
            return Some(self.keep_from(low, &holds));
        }
        if outer.prove(&Cond::lt(slope, &zero))? {
            let high = outer.simplify(&constant.div(&slope.neg())?.floor());
            return Some(self.keep_up_to(high, &holds));
        }
        None
    }

    /// Keeps the cores with `slope·core + constant > 0`, for any numbers.
    pub(crate) fn keep_positive(&mut self, constant: &Expr, slope: &Expr) -> Option<Narrowed> {
        let outer = self.facts.clone();
        let (zero, one) = (Expr::zero(), Expr::one());
        let holds = Cond::gt(&(slope * Expr::symbol(&self.core) + constant), &zero);
        if outer.prove(&Cond::gt(slope, &zero))? {
            let low = constant.neg().div(slope)?.floor() + &one;
            return Some(self.keep_from(outer.simplify(&low), &holds));
        }
        if outer.prove(&Cond::lt(slope, &zero))? {
            let high = constant.div(&slope.neg())?.ceil() - &one;
            return Some(self.keep_up_to(outer.simplify(&high), &holds));
        }
        None
    }

    fn keep_from(&mut self, low: Expr, holds: &Cond) -> Narrowed {
        let narrowed = inhabited(
            &self.facts,
            self.ends.highs.iter().map(|high| Cond::ge(high, &low)),
        );
        self.ends.lows.push(low);
        self.narrowed(narrowed, holds)
    }

    fn keep_up_to(&mut self, high: Expr, holds: &Cond) -> Narrowed {
        let narrowed = inhabited(
            &self.facts,
            self.ends.lows.iter().map(|low| Cond::ge(&high, low)),
        );
        self.ends.highs.push(high);
        self.narrowed(narrowed, holds)
    }

    /// Books what now holds; of a thinned interval, what is known of its members.
    fn narrowed(&mut self, narrowed: Narrowed, holds: &Cond) -> Narrowed {
        if matches!(narrowed, Narrowed::Empty) {
            return narrowed;
        }
        if let Narrowed::Provided(cond) = &narrowed {
            self.suppose(cond);
        }
        let is_columns = self.is_columns();
        let narrowed = match &mut self.thinned {
            None => narrowed,
            Some(thinned) => {
                thinned.count = None;
                let stays = |member: &Expr| {
                    self.apart
                        .outside
                        .prove(&holds.substitute(&self.core, member))
                        == Some(true)
                };
                thinned.members.retain(stays);
                // What keeps a member in may be the very condition just supposed, so it stays.
                if thinned.members.is_empty() && !is_columns {
                    narrowed.unsure()
                } else {
                    narrowed
                }
            }
        };
        self.suppose(holds);
        narrowed
    }

    /// Keeps the cores with `core = step·u + residue`, 0 ≤ residue < step, and numbers them u.
    pub(crate) fn keep_residue(&mut self, fresh: Symbol, step: &Expr, residue: &Expr) -> Narrowed {
        let number = Expr::symbol(&fresh);
        let value = step * &number + residue;
        let round = |end: &Expr, up: bool| {
            let end = (end - residue).div(step).unwrap_or_default();
            self.apart
                .outside
                .simplify(&if up { end.ceil() } else { end.floor() })
        };
        let first = |low: &Expr| {
            if low.is_zero() {
                Expr::zero()
            } else {
                round(low, true)
            }
        };
        let lows: Vec<Expr> = self.ends.lows.iter().map(first).collect();
        let highs: Vec<Expr> = self
            .ends
            .highs
            .iter()
            .map(|high| round(high, false))
            .collect();
        let pairs = highs
            .iter()
            .flat_map(|high| lows.iter().map(move |low| Cond::ge(high, low)));
        let narrowed = inhabited(&self.apart.outside, pairs);
        match &narrowed {
            Narrowed::Provided(cond) => self.apart.outside.suppose(cond),
            Narrowed::Empty => return Narrowed::Empty,
            Narrowed::Inhabited | Narrowed::Unknown(_) => {}
        }
        let earlier = std::mem::replace(&mut self.core, fresh);
        let conditions = std::mem::take(&mut self.apart.inside);
        self.facts = self.apart.outside.clone();
        self.facts.integer(&self.core);
        for cond in conditions {
            self.suppose(&cond.substitute(&earlier, &value));
        }
        for low in &lows {
            self.suppose(&Cond::ge(&number, low));
        }
        for high in &highs {
            self.suppose(&Cond::le(&number, high));
        }
        self.views.push((earlier, value));
        self.ends = Ends { lows, highs };
        match self.thinned {
            Some(_) => {
                self.thinned = Some(Thinned::default());
                narrowed.unsure()
            }
            None => narrowed,
        }
    }

    /// Keeps only the cores for which a condition holds that gives no interval: the interval stays
    /// as a superset, with the members among `candidates` that provably are in.
    pub(crate) fn thin(
        &mut self,
        cond: &Cond,
        candidates: &[Expr],
        count: Option<Expr>,
    ) -> Narrowed {
        let is_in = |member: &Expr| {
            self.apart
                .outside
                .prove(&cond.substitute(&self.core, member))
                == Some(true)
        };
        let members: Vec<Expr> = match &self.thinned {
            Some(thinned) => thinned
                .members
                .iter()
                .filter(|m| is_in(m))
                .cloned()
                .collect(),
            None => candidates.iter().filter(|m| is_in(m)).cloned().collect(),
        };
        let narrowed = if members.is_empty() {
            Narrowed::Unknown(Cond::True)
        } else {
            Narrowed::Inhabited
        };
        let count = count.filter(|_| self.thinned.is_none());
        self.thinned = Some(Thinned {
            members,
            count,
            columns: None,
        });
        self.suppose(cond);
        narrowed
    }

    /// Keeps some columns of the rows of a grid, for which a condition holds; `None` where it is not known that
    /// rows are whole, or the cores are thinned out otherwise.
    pub(crate) fn thin_to_columns(
        &mut self,
        grid: Grid,
        [low, high]: [Expr; 2],
        cond: &Cond,
    ) -> Option<Narrowed> {
        if !self.has_whole_rows(&grid) {
            return None;
        }
        let [mut low, mut high] = [low, high];
        if let Some(thinned) = &self.thinned {
            let others = thinned.columns.as_ref();
            let others = others.filter(|others| others.grid == grid)?;
            low = Expr::max(vec![others.ends[0].clone(), low]);
            high = Expr::min(vec![others.ends[1].clone(), high]);
        }
        let ends = [low, high].map(|end| self.facts.simplify(&end));
        let narrowed = inhabited(
            &self.apart.outside,
            std::iter::once(Cond::le(&ends[0], &ends[1])),
        );
        if matches!(narrowed, Narrowed::Empty) {
            return Some(narrowed);
        }
        if let Narrowed::Provided(cond) = &narrowed {
            self.suppose(cond);
        }
        // In the first row and in the last one.
        let first = self.first() + &ends[0];
        let last = self.last() - &grid.size + 1 + &ends[1];
        self.thinned = Some(Thinned {
            members: vec![first, last],
            count: None,
            columns: Some(Columns { grid, ends }),
        });
        self.suppose(cond);
        Some(narrowed)
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

    /// The first active core; where they are thinned out, none is before it.
    pub(crate) fn first(&self) -> Expr {
        self.extreme(&self.ends.lows, &|low| low.clone(), Cond::ge, Expr::max)
    }

    /// The last active core; where they are thinned out, none is behind it.
    pub(crate) fn last(&self) -> Expr {
        self.extreme(&self.ends.highs, &|high| high.clone(), Cond::le, Expr::min)
    }

    /// The number of cores in the interval, at least 1.
    pub(crate) fn span(&self) -> Expr {
        self.facts.simplify(&(self.last() - self.first() + 1))
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

    /// Whether the active cores are an interval of the cores' own index.
    pub(crate) fn is_interval(&self) -> bool {
        self.thinned.is_none() && self.views.is_empty()
    }

    /// Whether the first and the last core of the interval are active.
    pub(crate) fn has_ends(&self) -> bool {
        self.thinned.is_none()
    }

    /// The extreme of the interval's ends under a monotone `view`: the one that is provably it,
    /// else `combined`.
    fn extreme(
        &self,
        ends: &[Expr],
        view: &dyn Fn(&Expr) -> Expr,
        beats: fn(&Expr, &Expr) -> Cond,
        combined: fn(Vec<Expr>) -> Expr,
    ) -> Expr {
        let mut viewed: Vec<Expr> = ends
            .iter()
            .map(|end| self.facts.simplify(&view(end)))
            .collect();
        viewed.dedup();
        let winner = viewed.iter().find(|candidate| {
            viewed
                .iter()
                .all(|other| self.facts.prove(&beats(candidate, other)) == Some(true))
        });
        winner.cloned().unwrap_or_else(|| combined(viewed))
    }

    /// The least and the largest of a `view` over the interval that takes this course.
    pub(crate) fn least_and_most(
        &self,
        course: Course,
        view: &dyn Fn(&Expr) -> Expr,
    ) -> (Expr, Expr) {
        let Ends { lows, highs } = &self.ends;
        let at = |core: Expr| self.facts.simplify(&view(&core));
        match course {
            Course::Rises => (
                self.extreme(lows, view, Cond::ge, Expr::max),
                self.extreme(highs, view, Cond::le, Expr::min),
            ),
            Course::Falls => (
                self.extreme(highs, view, Cond::ge, Expr::max),
                self.extreme(lows, view, Cond::le, Expr::min),
            ),
            Course::RisesInside => (at(self.first()), at(self.last())),
            Course::FallsInside => (at(self.last()), at(self.first())),
        }
    }

    /// How an index moves with the core.
    pub(crate) fn stride(&self, index: &Expr) -> Stride {
        match self
            .facts
            .simplify(index)
            .coefficients(&self.core)
            .as_deref()
        {
            Some([] | [_]) => Stride::Uniform,
            Some([_, slope]) => Stride::By(slope.clone()),
            Some(_) | None => Stride::Irregular,
        }
    }

    /// The least and the largest value over the interval, where the value is linear with a slope of
    /// known sign, or grows or falls provably.
    pub(crate) fn ends(&self, index: &Expr) -> Option<(Expr, Expr)> {
        let simple = self.facts.simplify(index);
        if matches!(self.stride(&simple), Stride::Uniform) {
            return Some((simple.clone(), simple));
        }
        let at = |core: &Expr| simple.substitute(&self.core, core);
        Some(self.least_and_most(self.course(&simple)?, &at))
    }

    /// Which way a simplified value goes from the first core of the interval to the last.
    pub(crate) fn course(&self, value: &Expr) -> Option<Course> {
        let zero = Expr::zero();
        if let Stride::By(slope) = self.stride(value) {
            let knows = |cond: Cond| self.facts.prove(&cond) == Some(true);
            return if knows(Cond::ge(&slope, &zero)) {
                Some(Course::Rises)
            } else {
                knows(Cond::le(&slope, &zero)).then_some(Course::Falls)
            };
        }
        let goes = |facts: &Facts, way: fn(&Expr, &Expr) -> Cond| {
            let step = facts.simplify(&self.moved(value));
            facts.prove(&way(&step, &zero)) == Some(true)
        };
        let throughout = self.throughout();
        // Where one end is known there is nothing beyond it to be mistaken for an end.
        let has_one_of_each = self.ends.lows.len() + self.ends.highs.len() == 2;
        let goes_on = |way| has_one_of_each || goes(&self.anywhere(), way);
        if goes(&throughout, Cond::ge) {
            return Some(if goes_on(Cond::ge) {
                Course::Rises
            } else {
                Course::RisesInside
            });
        }
        goes(&throughout, Cond::le).then(|| {
            if goes_on(Cond::le) {
                Course::Falls
            } else {
                Course::FallsInside
            }
        })
    }

    /// What holds of every core of the interval, active or not.
    pub(super) fn throughout(&self) -> Facts {
        if self.thinned.is_none() {
            return self.facts.clone();
        }
        let mut facts = self.anywhere();
        let core = Expr::symbol(&self.core);
        for low in &self.ends.lows {
            facts.suppose(&Cond::ge(&core, low));
        }
        for high in &self.ends.highs {
            facts.suppose(&Cond::le(&core, high));
        }
        facts
    }

    /// What holds whatever whole number a core had.
    fn anywhere(&self) -> Facts {
        let mut facts = self.apart.outside.clone();
        facts.integer(&self.core);
        facts
    }

    /// By how much a value moves from one active core to the next.
    pub(crate) fn step(&self, value: &Expr) -> Expr {
        self.facts.simplify(&self.moved(value))
    }

    pub(super) fn moved(&self, value: &Expr) -> Expr {
        let next = Expr::symbol(&self.core) + 1;
        value.substitute(&self.core, &next) - value
    }
}

/// Whether all of some conditions hold, that is, some core is active.
fn inhabited(facts: &Facts, conditions: impl Iterator<Item = Cond>) -> Narrowed {
    let mut open = Vec::new();
    for condition in conditions {
        match facts.prove(&condition) {
            Some(true) => {}
            Some(false) => return Narrowed::Empty,
            None => open.push(facts.simplify_cond(&condition)),
        }
    }
    match open.len() {
        0 => Narrowed::Inhabited,
        _ => Narrowed::Provided(Cond::and(open)),
    }
}
