//! Guards: each keeps some of the active cores, and says whether any certainly stays.

use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::active::{Active, Columns, Ends, Grid, Thinned};

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
