//! Which cores are active, as an interval of the core's index, and what an access by them touches.
//!
//! The active cores of an instruction are those between the largest lower and the smallest upper
//! bound that the guards around it give. Every index the algebra can write as `A + s·core` is
//! counted from its two ends (language.md §4.2): the blocks of a stride below b are those between
//! the block of the first and of the last core, wider strides touch one block a core.

use crate::derive::amount::Amount;
use crate::sym::{Cond, Expr, Facts, Symbol};

/// The active cores of a place in a kernel, and what is known there.
#[derive(Clone)]
pub(crate) struct Active {
    /// The core's index.
    pub(crate) core: Symbol,
    /// Each at most the first active core.
    lows: Vec<Expr>,
    /// Each at least the last active core.
    highs: Vec<Expr>,
    /// What holds here, of the core's index too: it stands for any active core.
    pub(crate) facts: Facts,
    /// b
    pub(crate) width: Expr,
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

/// What a new guard does to the active cores.
pub(crate) enum Narrowed {
    /// Some core stays active for certain.
    Inhabited,
    /// Some core stays active if this holds.
    Provided(Cond),
    /// No core stays active.
    Empty,
}

impl Active {
    /// All b cores, under the facts of the MP.
    pub(crate) fn all(core: Symbol, width: Expr, mut facts: Facts) -> Self {
        let index = Expr::symbol(&core);
        facts.integer(&core);
        facts.suppose(&Cond::ge(&index, &Expr::zero()));
        facts.suppose(&Cond::lt(&index, &width));
        let last = width.sub(&Expr::one());
        Active {
            core,
            lows: vec![Expr::zero()],
            highs: vec![last],
            facts,
            width,
        }
    }

    /// Keeps the cores with `slope·core + constant ≥ 0`; `None` when the slope's sign is unknown.
    pub(crate) fn keep_non_negative(&mut self, constant: &Expr, slope: &Expr) -> Option<Narrowed> {
        let outer = self.facts.clone();
        let zero = Expr::zero();
        let index = Expr::symbol(&self.core);
        let holds = Cond::ge(&slope.mul(&index).add(constant), &zero);
        if outer.prove(&Cond::gt(slope, &zero))? {
            let low = outer.simplify(&constant.neg().div(slope)?.ceil());
            let narrowed = inhabited(&outer, self.highs.iter().map(|high| Cond::ge(high, &low)));
            self.lows.push(low);
            self.facts.suppose(&holds);
            return Some(narrowed);
        }
        if outer.prove(&Cond::lt(slope, &zero))? {
            let high = outer.simplify(&constant.div(&slope.neg())?.floor());
            let narrowed = inhabited(&outer, self.lows.iter().map(|low| Cond::ge(&high, low)));
            self.highs.push(high);
            self.facts.suppose(&holds);
            return Some(narrowed);
        }
        None
    }

    /// The first active core.
    pub(crate) fn first(&self) -> Expr {
        self.extreme(&self.lows, &|low| low.clone(), Cond::ge, Expr::max)
    }

    /// The last active core.
    pub(crate) fn last(&self) -> Expr {
        self.extreme(&self.highs, &|high| high.clone(), Cond::le, Expr::min)
    }

    /// The number of active cores, at least 1.
    pub(crate) fn count(&self) -> Expr {
        self.facts
            .simplify(&self.last().sub(&self.first()).add(&Expr::one()))
    }

    /// The extreme of `ends` under a monotone `view`: the one that is provably it, else `combined`.
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

    /// The largest value of an index over the active cores, when it is linear with a known slope.
    pub(crate) fn largest(&self, index: &Expr) -> Option<Expr> {
        let simple = self.facts.simplify(index);
        let slope = match self.stride(&simple) {
            Stride::Uniform => return Some(simple),
            Stride::By(slope) => slope,
            Stride::Irregular => return None,
        };
        let at = |core: &Expr| simple.substitute(&self.core, core);
        if self.facts.prove(&Cond::ge(&slope, &Expr::zero()))? {
            Some(self.extreme(&self.highs, &at, Cond::le, Expr::min))
        } else {
            Some(self.extreme(&self.lows, &at, Cond::le, Expr::min))
        }
    }

    /// Blocks that the active cores touch at word offsets `index`, with the rule that counted them;
    /// `None` when the stride is irregular or its size against b is unknown.
    pub(crate) fn blocks(&self, index: &Expr) -> Option<(Amount, &'static str)> {
        let index = self.facts.simplify(index);
        let one = Expr::one();
        let slope = match self.stride(&index) {
            Stride::Uniform => return Some((Amount::exact(one), "one word: 1 block")),
            Stride::By(slope) => slope,
            Stride::Irregular => return None,
        };
        let known = |condition: Cond| self.facts.prove(&condition) == Some(true);
        let rising = known(Cond::ge(&slope, &one));
        if !rising && !known(Cond::le(&slope, &one.neg())) {
            return None;
        }
        let magnitude = if rising { slope.clone() } else { slope.neg() };
        if known(Cond::ge(&magnitude, &self.width)) {
            return Some((
                Amount::exact(self.count()),
                "stride of b or more: 1 block a core",
            ));
        }
        let at = |core: &Expr| {
            let offset = index.substitute(&self.core, core);
            offset
                .floor_div(&self.width)
                .expect("b is a symbol or at least 1")
        };
        let (first, last) = if rising {
            (
                self.extreme(&self.lows, &at, Cond::ge, Expr::max),
                self.extreme(&self.highs, &at, Cond::le, Expr::min),
            )
        } else {
            (
                self.extreme(&self.highs, &at, Cond::ge, Expr::max),
                self.extreme(&self.lows, &at, Cond::le, Expr::min),
            )
        };
        let narrow = self.facts.simplify(&last.sub(&first).add(&one));
        let aligned = narrow == one;
        if known(Cond::le(&magnitude, &self.width)) {
            let rule = match (magnitude == one, aligned) {
                (true, true) => "unit stride, aligned: 1 block",
                (true, false) => "unit stride: from the first core's block to the last's",
                (false, _) => "stride up to b: from the first core's block to the last's",
            };
            return Some((Amount::exact(narrow), rule));
        }
        let fits = Expr::bracket(Cond::le(&magnitude, &self.width));
        let both = fits.mul(&narrow).add(&one.sub(&fits).mul(&self.count()));
        Some((
            Amount::exact(self.facts.simplify(&both)),
            "stride against b: blocks between, or 1 a core",
        ))
    }

    /// The bank conflict (degree − 1) of a shared operand at word offsets `index`: at stride s the
    /// r active cores meet ⌈r·gcd(s, b)/b⌉ to a bank, and a broadcast never conflicts.
    pub(crate) fn conflicts(&self, index: &Expr) -> Option<Amount> {
        let one = Expr::one();
        let slope = match self.stride(index) {
            Stride::Uniform => return Some(Amount::zero()),
            Stride::By(slope) => slope,
            Stride::Irregular => return None,
        };
        if slope == one || slope.neg() == one {
            return Some(Amount::zero());
        }
        let sum = |magnitude: &Expr| {
            let shared = self.facts.simplify(&Expr::gcd(magnitude, &self.width));
            let cores = self
                .count()
                .mul(&shared)
                .div(&self.width)
                .expect("b is a symbol or at least 1");
            self.facts.simplify(&cores.ceil().sub(&one))
        };
        if self.facts.prove(&Cond::ge(&slope, &one)) == Some(true) {
            return Some(Amount::exact(sum(&slope)));
        }
        if self.facts.prove(&Cond::le(&slope, &one.neg())) == Some(true) {
            return Some(Amount::exact(sum(&slope.neg())));
        }
        if self.facts.prove(&Cond::ge(&slope, &Expr::zero())) == Some(true) {
            let moves = Expr::bracket(Cond::ge(&slope, &one));
            return Some(Amount::exact(moves.mul(&sum(&slope))));
        }
        None
    }

    /// The largest number of active cores on one word at offsets `index`.
    pub(crate) fn contention(&self, index: &Expr) -> Option<Expr> {
        match self.stride(index) {
            Stride::Uniform => Some(self.count()),
            Stride::By(slope) => {
                (self.facts.prove(&Cond::ne(&slope, &Expr::zero()))?).then(Expr::one)
            }
            Stride::Irregular => None,
        }
    }
}

/// Whether all of some conditions hold, that is, some core is active.
fn inhabited(facts: &Facts, conditions: impl Iterator<Item = Cond>) -> Narrowed {
    let mut open = Vec::new();
    for condition in conditions {
        match facts.prove(&condition) {
            Some(true) => {}
            Some(false) => return Narrowed::Empty,
            None => open.push(condition),
        }
    }
    match open.len() {
        0 => Narrowed::Inhabited,
        _ => Narrowed::Provided(Cond::and(open)),
    }
}
