//! The interval of the active cores: its ends, and the values that an index takes over it.

use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::{Active, Ends};

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

impl Active {
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
    pub(in crate::symbolic) fn throughout(&self) -> Facts {
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

    pub(in crate::symbolic) fn moved(&self, value: &Expr) -> Expr {
        let next = Expr::symbol(&self.core) + 1;
        value.substitute(&self.core, &next) - value
    }
}
