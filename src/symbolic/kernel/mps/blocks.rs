//! The blocks of a line over all MPs: their sum, and the least of several upper bounds on it.
//!
//! A bound over all MPs goes here: a method of [`Bounds`], and a line in [`Bounds::least`]. The blocks of one
//! execution are counted elsewhere: even strides in `footprint`, rows (`j div h`, `j mod h`) in `grid`.

use crate::sym::{Cond, Expr, Symbol};
use crate::symbolic::amount::{Amount, FarOut};
use crate::symbolic::kernel::line::{Access, LineCount};
use crate::symbolic::kernel::mps::Mps;

/// Work budget of coarse bounds, apart from all other work.
const WORK_ASIDE: u64 = 10_000;

/// Blocks and conflicts of a line over all MPs.
pub(super) struct Touched {
    pub(super) blocks: Amount,
    /// Σ (degree − 1)
    pub(super) conflicts: Amount,
}

/// Sums the blocks and conflicts of a line over all MPs.
pub(super) fn touched(line: &LineCount, mps: &Mps, launch: &Amount) -> Touched {
    let (blocks, conflicts) = match &line.joined.striding {
        Some((blocks, conflicts)) => (mps.sum_rest(blocks), mps.sum_rest(conflicts)),
        None => (mps.sum(&line.blocks), mps.sum(&line.conflicts)),
    };
    let (blocks, conflicts) = match &line.joined.sorted {
        Some(joint) => joint.within(
            (blocks, conflicts),
            &|amount| mps.sum(amount),
            launch,
            &mps.known[0],
        ),
        None => (blocks, conflicts),
    };
    Touched { blocks, conflicts }
}

/// Rival upper bounds on the blocks of a line. Each is true by itself and the smallest is kept: the
/// blocks summed as counted; the words that the cores touch, where each may have a block of its own; the
/// executions of the busiest MP times the cores that may be active; executions times the most blocks of
/// one execution.
pub(super) struct Bounds<'m> {
    mps: &'m Mps,
    /// One budget for the executions of all lines.
    aside: Mps,
    /// Whether the kernel has MPs.
    launch: &'m Amount,
    /// b
    width: &'m Symbol,
}

impl<'m> Bounds<'m> {
    pub(super) fn new(mps: &'m Mps, launch: &'m Amount, width: &'m Symbol) -> Self {
        Bounds {
            mps,
            aside: aside(mps),
            launch,
            width,
        }
    }

    /// The least bound on the blocks of a line that were counted as `blocks`; 0 without an access.
    pub(super) fn least(&self, line: &LineCount, blocks: &Amount) -> Amount {
        let Some(access) = &line.access else {
            return Amount::zero();
        };
        let counted = || blocks.clone().or_nothing();
        let found = match (blocks.is_short(), blocks.is_exact()) {
            // What is exact and short cannot be bettered.
            (true, true) => counted(),
            (true, false) => {
                let by_executions = self.by_executions(line, &access.most_each);
                self.smaller(counted(), by_executions)
            }
            (false, _) => self.by_executions(line, &access.most_each),
        };
        let (least, is_plain) = match &access.words {
            Some(words) => {
                let words = self.by_words(words);
                let is_plain = |upper: &Expr| !upper.has_extremes() && !upper.has_brackets();
                let is_plain = words.is_short() && words.upper.as_ref().is_some_and(is_plain);
                (self.smaller(found, words), is_plain)
            }
            None => (found, false),
        };
        // Nothing says how often a core comes back in a loop without a bound.
        let is_bounded = line.executions.upper.is_some();
        let least = match access.extent.as_ref().filter(|_| is_bounded) {
            Some(extent) => self.smaller(least, Amount::exact(extent.clone()).times(self.launch)),
            None => least,
        };
        // A short sum of words without brackets says where the words come from. The crew would only blur that.
        match self.by_crew(line, access).filter(|_| !is_plain) {
            Some(by_crew) => self.smaller(least, by_crew),
            None => least,
        }
    }

    /// One block for each word that the cores touch.
    fn by_words(&self, words: &Amount) -> Amount {
        tidy(&aside(self.mps), words).times(self.launch)
    }

    /// One word for each of the cores, as often as any MP comes by.
    fn by_crew(&self, line: &LineCount, access: &Access) -> Option<Amount> {
        let aside = aside(self.mps);
        let often = aside.most(&line.executions).or_nothing();
        let each = often.times(&tidy(&aside, access.crew.as_ref()?));
        Some(each.times(self.launch))
    }

    /// Executions times the most blocks of one.
    fn by_executions(&self, line: &LineCount, most: &Expr) -> Amount {
        let executions = self.aside.sum(&line.executions);
        // Guards make executions long: `if v < n ∧ v mod 3 = 1` gives a form with brackets and remainders. Without
        // the guards there are no less, and the form is mostly a product, whatever was spent on others.
        let executions = if executions.is_short() {
            self.if_all_were_longest(line, executions)
        } else {
            let unguarded = Some(aside(self.mps).sum(&line.loose.executions))
                .filter(Amount::is_short)
                .unwrap_or(executions);
            let unguarded = self.if_all_were_longest(line, unguarded);
            self.if_guards_leave_less(line, unguarded)
        };
        let blocks = executions.or_nothing().times(&Amount::exact(most.clone()));
        blocks.times(self.launch)
    }

    /// The most executions that any MP has of these.
    fn longest(&self, executions: &Amount) -> Amount {
        let aside = aside(self.mps);
        let longest = aside.most(executions);
        longest.map(|end| aside.known[0].simplify(end))
    }

    /// The number of MPs.
    fn number(&self) -> Amount {
        aside(self.mps).sum(&Amount::of(1))
    }

    /// min(`found`, executions of the busiest MP × number of MPs), where extremes in `found` make it
    /// long.
    fn if_all_were_longest(&self, line: &LineCount, found: Amount) -> Amount {
        if found.upper.as_ref().is_some_and(Expr::has_extremes) {
            let longest = self.longest(&line.executions);
            self.smaller(found, longest.times(&self.number()))
        } else {
            found
        }
    }

    /// Executions of the busiest MP × number of MPs, where these are short and provably no more than `unguarded`, as
    /// many for each MP without its guards.
    fn if_guards_leave_less(&self, line: &LineCount, unguarded: Amount) -> Amount {
        // A window of 2r + 1 words over an array of n: in the array are no more than 2·min(n − 1, r) + 1 of its places.
        // Beside ⌈n/(wb)⌉ MPs a minimum with ⌈n/b⌉ only reads longer.
        let executions = line.executions.upper.as_ref();
        if executions.is_none_or(|executions| !executions.in_floors().is_empty()) {
            return unguarded;
        }
        let all = self.longest(&line.loose.executions);
        let number = self.number();
        if all.times(&number).upper != unguarded.upper {
            return unguarded;
        }
        let longest = self.longest(&line.executions);
        let is_less = match (&longest.upper, &all.upper) {
            (Some(longest), Some(all)) => {
                longest != all && aside(self.mps).known[0].proves(&Cond::le(longest, all))
            }
            (_, _) => false,
        };
        let found = longest.times(&number);
        if is_less && found.is_short() {
            found
        } else {
            unguarded
        }
    }

    /// The bound whose plain bound is the smaller where a problem is large; ties go to `one`.
    fn smaller(&self, one: Amount, other: Amount) -> Amount {
        // Comparing takes work, too, and must not change what is found for another line.
        let aside = aside(self.mps);
        let outside = &aside.known[0];
        let plain = |amount: &Amount| outside.above(amount.upper.as_ref()?, Some(self.width));
        let plain = [plain(&one), plain(&other)];
        let all: Vec<&Expr> = plain.iter().flatten().collect();
        let far_out = FarOut::of(outside, &all, Some(self.width));
        let [size, smaller] = plain.each_ref().map(|plain| far_out.value(plain.as_ref()?));
        match (size, smaller) {
            (Some(size), Some(smaller)) if smaller < size => other.or_nothing(),
            (None, Some(_)) if !one.is_short() => other.or_nothing(),
            _ => one,
        }
    }
}

/// The same MPs for sums that take nothing from the work of others.
fn aside(mps: &Mps) -> Mps {
    let known = mps.known.iter();
    Mps {
        ranges: mps.ranges.clone(),
        known: known.map(|facts| facts.with_work(WORK_ASIDE)).collect(),
        span: mps.span,
    }
}

/// A sum over all MPs without brackets that hold wherever the sum has terms.
fn tidy(mps: &Mps, amount: &Amount) -> Amount {
    let sum = mps.sum(amount);
    sum.map(|end| mps.known[0].without_idle_brackets(end))
}
