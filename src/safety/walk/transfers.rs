//! Transfers between the host and global memory: takes the two regions, and judges their sizes, their bounds and the
//! words read, and keeps which words are written.

use std::sync::Arc;

use crate::program::{Direction, Extent, Region, Transfer};
use crate::safety::bounds;
use crate::safety::site::{Place, ScopeKind, Site, Usage};
use crate::safety::verdict::{Lack, Property, Reason, Subject, Verdict};
use crate::safety::walk::{Asks, Walk, ranges, worse};
use crate::sym::{Cond, Expr};

impl<'p> Walk<'p> {
    /// Judges a transfer: one region is read, then the other is written.
    pub(super) fn transfer(&mut self, transfer: &'p Transfer, outer: &Place) {
        let (from, to) = match transfer.direction {
            Direction::Inward => (&transfer.host, &transfer.global),
            Direction::Outward => (&transfer.global, &transfer.host),
        };
        self.same_size(transfer, &mut outer.clone());
        let mut place = outer.clone();
        for region in [from, to] {
            self.ends_of_region(region, &mut place, outer);
        }
        for region in [from, to] {
            self.region_in_bounds(region, &mut place);
        }
        ranges::of_transfer(self, from, to, &mut place);
        if self.asks == Asks::Contents {
            let value = self.forms.any(from.variable, &mut place);
            self.drop_passed_ends(to.variable, value.as_ref(), &place);
            return;
        }
        // Read, then written.
        if let Some(site) = self.region_site(from, Usage::Read, outer) {
            self.initialised(&site);
        } else if self.asks == Asks::All {
            let verdict = Verdict::Open(Reason::Form);
            let subject = Subject::Read(from.variable);
            self.judge(Property::Initialised, from.span, subject, verdict);
        }
        if to.is_whole() && !outer.is_in(&ScopeKind::Uncertain) && !outer.is_in(&ScopeKind::HostFor)
        {
            self.written.fill(to.variable);
        } else if let Some(site) = self.region_site(to, Usage::Write, outer) {
            self.written.add(site);
        }
    }

    /// Judges the numbers that name a region, and leaves in `place` that its slices hold words.
    fn ends_of_region(&mut self, region: &'p Region, place: &mut Place, outer: &Place) {
        for extent in &region.extents {
            match extent {
                Extent::All => {}
                Extent::At(index) => self.whole_value(index, outer),
                Extent::Range(low, high) => {
                    self.whole_value(low, outer);
                    self.whole_value(high, outer);
                    // An empty slice is in bounds anywhere.
                    let ends = [low, high].map(|end| self.forms.number(end, place));
                    if let [Some(low), Some(high)] = ends {
                        place.guard(&Cond::le(&low, &high));
                    }
                }
            }
        }
    }

    /// Judges whether both sides of a transfer have the same number of words.
    fn same_size(&mut self, transfer: &'p Transfer, place: &mut Place) {
        if self.asks != Asks::All {
            return;
        }
        let sides =
            [&transfer.host, &transfer.global].map(|region| self.region_words(region, place));
        let verdict = match sides {
            [Some(host), Some(global)] => {
                let same = Cond::eq(&host, &global);
                if place.facts.prove(&same) == Some(true) {
                    return;
                }
                Verdict::Open(Reason::Unproved(Lack::Condition(same)))
            }
            [_, _] => Verdict::Open(Reason::Form),
        };
        let subject = Subject::Array(transfer.global.variable);
        self.judge(Property::Bounds, transfer.span, subject, verdict);
    }

    /// The number of words in a region.
    fn region_words(&mut self, region: &'p Region, place: &mut Place) -> Option<Expr> {
        let extents = self.forms.extents(region.variable)?;
        let mut words = Expr::one();
        for (extent, size) in region.extents.iter().zip(&extents) {
            let length = match extent {
                Extent::All => size.clone(),
                Extent::At(_) => Expr::one(),
                Extent::Range(low, high) => {
                    let (low, high) = (
                        self.forms.number(low, place)?,
                        self.forms.number(high, place)?,
                    );
                    let length = &high - &low + 1;
                    if bounds::never_negative(&length, place) {
                        length
                    } else {
                        Expr::max(vec![Expr::zero(), length])
                    }
                }
            };
            words = &words * &length;
        }
        // Whole rows of a matrix: what is not named is taken whole.
        for size in extents.iter().skip(region.extents.len()) {
            words = &words * size;
        }
        Some(place.facts.simplify(&words))
    }

    /// Judges the bounds of a region by the ends of its slices.
    fn region_in_bounds(&mut self, region: &'p Region, place: &mut Place) {
        if self.asks != Asks::All {
            return;
        }
        let Some(extents) = self.forms.extents(region.variable) else {
            return;
        };
        let mut worst: Option<Verdict> = None;
        for (extent, size) in region.extents.iter().zip(&extents) {
            let ends = match extent {
                Extent::All => continue,
                Extent::At(index) => vec![index],
                Extent::Range(low, high) => vec![low, high],
            };
            for end in ends {
                let verdict = match self.forms.number(end, place) {
                    Some(index) => {
                        place.verdict_within_work(|| bounds::within(&index, size, place))
                    }
                    None => Verdict::Open(Reason::Form),
                };
                worst = Some(worse(worst, verdict));
            }
        }
        if let Some(verdict) = worst {
            let subject = Subject::Array(region.variable);
            self.judge(Property::Bounds, region.span, subject, verdict);
        }
    }

    /// Returns a region as a touch of any of its words.
    fn region_site(&mut self, region: &'p Region, usage: Usage, outer: &Place) -> Option<Site> {
        let extents = self.forms.extents(region.variable)?;
        let mut place = outer.clone();
        let id = self.new_scope();
        place.enter(id, ScopeKind::HostFor);
        let mut indices = Vec::new();
        let all = region
            .extents
            .iter()
            .map(Some)
            .chain(std::iter::repeat(None));
        for (extent, size) in all.zip(&extents) {
            let (low, high) = match extent {
                None | Some(Extent::All) => (Expr::zero(), size - 1),
                Some(Extent::At(index)) => {
                    let index = self.forms.number(index, &mut place)?;
                    indices.push(Some(index));
                    continue;
                }
                Some(Extent::Range(low, high)) => (
                    self.forms.number(low, &mut place)?,
                    self.forms.number(high, &mut place)?,
                ),
            };
            let symbol = self.forms.fresh("word");
            place.range(&symbol, &low, &high, id);
            indices.push(Some(Expr::symbol(&symbol)));
        }
        Some(Site {
            span: region.span,
            variable: region.variable,
            usage,
            indices,
            value: None,
            place: Arc::new(place),
        })
    }
}
