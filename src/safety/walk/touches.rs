//! Touches of memory: takes each word that is read, written or updated, and judges its bounds, its initialisation and
//! the races within its instruction.

use std::sync::Arc;

use crate::program::{self, Role, Word};
use crate::safety::aimed;
use crate::safety::bounds;
use crate::safety::cover;
use crate::safety::races;
use crate::safety::site::{Place, Site, Usage};
use crate::safety::verdict::{Property, Reason, Rule, Subject, Verdict};
use crate::safety::walk::{Asks, Walk, ranges, worse};
use crate::sym::{Cond, Expr};

impl<'p> Walk<'p> {
    /// Judges an expression of a kernel, and the words that it reads.
    pub(super) fn reads<'e>(&mut self, expr: impl Into<program::Expr<'e>>, place: &Place)
    where
        'p: 'e,
        'e: 'p,
    {
        let expr = expr.into();
        self.defined(expr, place);
        self.words_of(expr, place);
    }

    /// As [`Walk::reads`], of a number that must be whole.
    pub(super) fn reads_whole(&mut self, number: &'p program::Number, place: &Place) {
        self.reads(number, place);
        self.whole(number, place);
    }

    /// Judges the words that an expression reads.
    pub(super) fn words_of(&mut self, expr: program::Expr<'p>, place: &Place) {
        let mut words = Vec::new();
        expr.words(&mut words);
        let at = Arc::new(place.clone());
        for word in words {
            for index in &word.indices {
                self.whole(index, place);
            }
            self.touch(word, Usage::Read, &at);
        }
    }

    /// Judges the indices of a word.
    pub(super) fn index_reads(&mut self, word: &'p Word, place: &Place) {
        for index in &word.indices {
            self.reads_whole(index, place);
        }
    }

    /// Judges a write of a word, and keeps what the word is from here on.
    pub(super) fn write(&mut self, target: &'p Word, value: Option<Expr>, place: &mut Place) {
        ranges::of_write(self, target, value.as_ref(), place);
        self.drop_passed_ends(target.variable, value.as_ref(), place);
        let at = Arc::new(place.clone());
        self.touch_with(target, Usage::Write, value.clone(), &at);
        self.forms.store(target, value, place);
    }

    pub(super) fn touch(&mut self, word: &'p Word, usage: Usage, place: &Arc<Place>) {
        self.touch_with(word, usage, None, place);
    }

    /// Judges a touch: within the extents, written before it is read, no race in its instruction.
    fn touch_with(&mut self, word: &'p Word, usage: Usage, value: Option<Expr>, at: &Arc<Place>) {
        if self.asks == Asks::Contents {
            return;
        }
        let site = self.site(word, usage, value, at);
        if usage != Usage::Write {
            self.initialised(&site);
        }
        if usage == Usage::Write && self.asks == Asks::All {
            let verdict =
                (site.place).verdict_within_work(|| races::in_instruction(&site, &mut self.forms));
            let subject = Subject::Write(word.variable);
            let touch = (&site, subject);
            self.judge_touch(Property::Races, touch, verdict, |walk, site| {
                let asked = || races::in_instruction(site, &mut walk.forms);
                site.place.within_work(asked).is_proved()
            });
        }
        let is_shared = self.forms.is_shared(word.variable);
        // The rules of races and initialisation solve linear indices only. `_y[(5j + 3) mod b]` is not linear, but over
        // all b cores it touches exactly the words of `_y[j]`. So the touch is noted in that form, too.
        let ordered = if is_shared && usage == Usage::Read {
            None
        } else {
            site.place
                .within_work(|| races::in_order(&site, &mut self.forms))
        };
        if usage != Usage::Read {
            self.written.add(site.clone());
            if let Some(ordered) = &ordered {
                self.written.add(ordered.clone());
            }
        }
        self.sites.push(ordered.unwrap_or(site));
    }

    /// Returns a touch as a site, and judges its bounds: there the indices are known to be within the extents.
    fn site(&mut self, word: &'p Word, usage: Usage, value: Option<Expr>, at: &Arc<Place>) -> Site {
        let mut place = (**at).clone();
        let indices: Vec<Option<Expr>> = word
            .indices
            .iter()
            .map(|index| self.forms.number(index, &mut place))
            .collect();
        let extents = self.forms.extents(word.variable);
        let mut worst = None;
        for (number, index) in indices.iter().enumerate() {
            let extent = extents.as_ref().and_then(|extents| extents.get(number));
            let verdict = match (index, extent) {
                (Some(index), Some(extent)) => {
                    let verdict = (self.asks == Asks::All).then(|| {
                        place.verdict_within_work(|| bounds::within(index, extent, &place))
                    });
                    // A run stops where it is not, so from here on it is.
                    place.facts.suppose(&Cond::ge(index, &Expr::zero()));
                    place.facts.suppose(&Cond::lt(index, extent));
                    verdict
                }
                (_, _) => Some(Verdict::Open(Reason::Form)),
            };
            worst = match verdict {
                Some(verdict) => Some(worse(worst, verdict)),
                None => worst,
            };
        }
        let site = Site {
            span: word.span,
            variable: word.variable,
            usage,
            indices,
            value,
            place: Arc::new(place),
        };
        if let Some(verdict) = worst
            && self.asks == Asks::All
        {
            let subject = match usage {
                Usage::Read => Subject::Read(word.variable),
                Usage::Write => Subject::Write(word.variable),
                Usage::Update => Subject::Update(word.variable),
            };
            let touch = (&site, subject);
            self.judge_touch(Property::Bounds, touch, verdict, |_, site| {
                let mut both = site.indices.iter().flatten().zip(extents.iter().flatten());
                both.all(|(index, extent)| {
                    let asked = || bounds::within(index, extent, &site.place);
                    site.place.within_work(asked).is_proved()
                })
            });
            self.aim_beyond(&site, extents.as_deref().unwrap_or_default());
        }
        site
    }

    /// Gives the place just judged, where it is open, the point at which an index is outside its extent.
    fn aim_beyond(&mut self, site: &Site, extents: &[Expr]) {
        let Some(judged) = self.judged.last_mut() else {
            return;
        };
        if !matches!(judged.verdict, Verdict::Open(_)) || self.aims == 0 {
            return;
        }
        self.aims -= 1;
        let indices = site.indices.iter().flatten().zip(extents);
        let outside = indices
            .flat_map(|(index, extent)| [Cond::ge(index, extent), Cond::lt(index, &Expr::zero())]);
        let mut points =
            outside.filter_map(|outside| aimed::point(self.program, &outside, &site.place));
        judged.aim = points.next();
    }

    /// Judges whether the words of a site were written before.
    pub(super) fn initialised(&mut self, site: &Site) {
        let is_asked = match &self.asks {
            Asks::All => true,
            Asks::Reads(places) => places.contains(&site.span),
            Asks::Nothing | Asks::Contents => false,
        };
        if !is_asked {
            return;
        }
        let variable = self.program.variable(site.variable);
        let verdict = if variable.role == Role::Input {
            Verdict::Proved(Rule::Input)
        } else {
            (site.place)
                .verdict_within_work(|| cover::covered(&self.written, site, &mut self.forms))
        };
        let touch = (site, Subject::Read(site.variable));
        self.judge_touch(Property::Initialised, touch, verdict, |walk, site| {
            let asked = || cover::covered(&walk.written, site, &mut walk.forms);
            site.place.within_work(asked).is_proved()
        });
    }
}
