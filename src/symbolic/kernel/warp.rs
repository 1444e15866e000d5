//! The active cores under a machine's own memory rules: which are served together, how many transactions
//! and bytes an access takes, and how far cores meet in banks.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::{Banks, Coalescing, CycleRules, HALF_WARP, Warps};
use crate::operations::transferred_bytes;
use crate::sym::{Cond, Expr};
use crate::symbolic::active::{Active, Stride};
use crate::symbolic::amount::Amount;

/// Half-warps, or warps of a card, that are counted one by one; a wider MP keeps bounds.
const MOST_HALF_WARPS: i64 = 64;

/// The active cores of an MP, and the rules by which they are served.
pub(super) struct Warp<'a> {
    pub(super) active: &'a Active,
    pub(super) cycle_rules: &'a CycleRules,
}

/// The active cores that are served together: the first, the last, and whether there is any.
struct Together {
    first: Expr,
    last: Expr,
    inhabited: Expr,
}

impl Warp<'_> {
    /// The half-warps some core may be active in; `None` where the warp's width is not known.
    fn half_warps(&self) -> Option<Vec<Together>> {
        self.parts(HALF_WARP as i64)
    }

    /// The parts of so many cores some core may be active in; `None` where the MP's width is not known.
    fn parts(&self, size: i64) -> Option<Vec<Together>> {
        if !self.active.is_interval() {
            return None;
        }
        let width = self.active.width.as_integer()?;
        let width = i64::try_from(&width).ok()?;
        if width > size * MOST_HALF_WARPS {
            return None;
        }
        let (first, last) = (self.active.first(), self.active.last());
        let mut list = Vec::new();
        for low in (0..width).step_by(size as usize) {
            let (low, high) = (Expr::int(low), Expr::int(width.min(low + size) - 1));
            let first = self
                .active
                .facts
                .simplify(&Expr::max(vec![first.clone(), low]));
            let last = self
                .active
                .facts
                .simplify(&Expr::min(vec![last.clone(), high]));
            let some = Cond::le(&first, &last);
            let inhabited = match self.active.facts.prove(&some) {
                Some(true) => Expr::one(),
                Some(false) => continue,
                None => Expr::bracket(some),
            };
            list.push(Together {
                first,
                last,
                inhabited,
            });
        }
        Some(list)
    }

    /// All active cores as one part; `None` where cores between the ends are left out.
    fn whole_warp(&self) -> Option<Vec<Together>> {
        self.active.is_interval().then(|| {
            vec![Together {
                first: self.active.first(),
                last: self.active.last(),
                inhabited: Expr::one(),
            }]
        })
    }

    /// Memory transactions of one global access at word offsets `index`.
    pub(super) fn transactions(&self, index: &Expr) -> Option<Amount> {
        let word_bytes = self.cycle_rules.word_bytes;
        let segment = Expr::int(match self.cycle_rules.coalescing {
            Coalescing::Blocks => return self.active.blocks(index).map(|(blocks, _)| blocks),
            Coalescing::Sectors => Coalescing::sector_words(word_bytes),
            Coalescing::HalfWarp => Coalescing::segment_words(word_bytes),
        });
        let index = self.active.facts.simplify(index);
        let slope = match self.active.stride(&index) {
            Stride::Uniform => Expr::zero(),
            Stride::By(slope) => slope,
            Stride::Irregular if self.cycle_rules.coalescing == Coalescing::HalfWarp => {
                return None;
            }
            Stride::Irregular => {
                let mut by_segment = self.active.clone();
                by_segment.width = segment;
                let (served, _) = by_segment.blocks_by_rows(&index, &self.active.width)?;
                return Some(served);
            }
        };
        let known = |condition: Cond| self.active.facts.prove(&condition) == Some(true);
        let rising = known(Cond::ge(&slope, &Expr::zero()));
        if !rising && !known(Cond::le(&slope, &Expr::zero())) {
            return None;
        }
        let magnitude = if rising { slope } else { slope.neg() };
        let apart = known(Cond::ge(&magnitude, &segment));
        if !apart && !known(Cond::le(&magnitude, &segment)) {
            return None;
        }
        let one = Expr::one();
        let mut sum = Expr::zero();
        let served_together = match self.cycle_rules.coalescing {
            Coalescing::Blocks | Coalescing::Sectors => self.whole_warp()?,
            Coalescing::HalfWarp => self.half_warps()?,
        };
        for half in served_together {
            let segment_at = |core: &Expr| {
                let offset = index.substitute(&self.active.core, core);
                offset.floor_div(&segment).expect("segments have words")
            };
            let (low, high) = if rising {
                (&half.first, &half.last)
            } else {
                (&half.last, &half.first)
            };
            let served = if apart {
                &half.last - &half.first + &one
            } else {
                segment_at(high) - segment_at(low) + &one
            };
            sum = &sum + (&half.inhabited * self.active.facts.simplify(&served));
        }
        Some(Amount::exact(self.active.facts.simplify(&sum)))
    }

    /// Bytes of the transactions of one global access: whole blocks, or segments shrunk to their used
    /// half, which takes known places in them.
    pub(super) fn bytes(&self, index: &Expr, served: &Amount) -> Option<Amount> {
        let word_bytes = self.cycle_rules.word_bytes;
        let of_each = match self.cycle_rules.coalescing {
            Coalescing::Blocks => Some(&self.active.width * Expr::int(word_bytes)),
            Coalescing::Sectors => Some(Expr::int(Coalescing::sector_bytes(word_bytes))),
            Coalescing::HalfWarp => None,
        };
        if let Some(bytes) = of_each {
            return Some(served.times(&Amount::exact(bytes)));
        }
        let whole = |expr: &Expr| i64::try_from(&expr.as_integer()?).ok();
        let index = self.active.facts.simplify(index);
        let slope = match self.active.stride(&index) {
            Stride::Uniform => 0,
            Stride::By(slope) => whole(&slope)?,
            Stride::Irregular => return None,
        };
        if !self.active.is_interval() {
            return None;
        }
        let (first, last) = (whole(&self.active.first())?, whole(&self.active.last())?);
        let segment = Coalescing::segment_words(word_bytes);
        let start = index.substitute(&self.active.core, &Expr::zero());
        let start = whole(
            &self
                .active
                .facts
                .simplify(&start.modulo(&Expr::int(segment))?),
        )?;
        if slope.checked_mul(last)?.checked_add(start).is_none() || last - first >= 1 << 16 {
            return None;
        }
        // The least and the last byte used of each segment, half-warp by half-warp.
        let mut used: BTreeMap<(i64, i64), (i64, i64)> = BTreeMap::new();
        for core in first..=last {
            let word = start + slope * core;
            let place = (core / HALF_WARP as i64, word.div_euclid(segment));
            let low = word.rem_euclid(segment) * word_bytes;
            let (least, most) = used.entry(place).or_insert((low, low + word_bytes));
            (*least, *most) = ((*least).min(low), (*most).max(low + word_bytes));
        }
        let whole_segment = Coalescing::segment_bytes(word_bytes);
        let bytes = used
            .values()
            .map(|(least, most)| transferred_bytes(*least, *most, whole_segment).unsigned_abs());
        Some(Amount::of(bytes.sum()))
    }

    /// The degree of a shared operand at word offsets `index` (the worst half-warp's, where half-
    /// warps are served apart), and Σ (degree − 1) over what is served apart.
    pub(super) fn degrees(&self, index: &Expr) -> Option<(Amount, Amount)> {
        let one = Expr::one();
        match self.cycle_rules.banks {
            Banks::Warp if self.warps().is_some() => self.degrees_by_warp(index, self.warps()?),
            Banks::Warp => {
                let conflict = self.active.conflicts(index)?;
                Some((conflict.plus(&Amount::of(1)), conflict))
            }
            Banks::HalfWarpBroadcast => {
                let slope = match self.active.stride(index) {
                    // One word: the broadcast serves all.
                    Stride::Uniform => return Some((Amount::of(1), Amount::zero())),
                    Stride::By(slope) => slope,
                    Stride::Irregular => return None,
                };
                let moves = [Cond::ge(&slope, &one), Cond::le(&slope, &one.neg())];
                if !moves
                    .iter()
                    .any(|way| self.active.facts.prove(way) == Some(true))
                {
                    return None;
                }
                // All words differ, so each step serves one core a bank.
                let size = Expr::int(HALF_WARP as i64);
                let wide = Banks::bank_words(self.cycle_rules.word_bytes);
                let apart = slope.abs().scale(&wide.into());
                let shared = self.active.facts.simplify(&Expr::gcd(&apart, &size));
                if shared.is_one() {
                    return Some((Amount::of(1), Amount::zero()));
                }
                let (mut worst, mut conflicts) = (vec![one.clone()], Expr::zero());
                for half in self.half_warps()? {
                    let cores = &half.last - &half.first + &one;
                    let met = (&cores * &shared).div(&size).expect("16 banks").ceil();
                    let met = self.active.facts.simplify(&met);
                    conflicts = &conflicts + (&half.inhabited * (&met - &one));
                    worst.push(met);
                }
                let degree = self.active.facts.simplify(&Expr::max(worst));
                let conflicts = self.active.facts.simplify(&conflicts);
                Some((Amount::exact(degree), Amount::exact(conflicts)))
            }
        }
    }

    /// The card's warps, where an MP is several.
    pub(super) fn warps(&self) -> Option<Warps> {
        let width = self.active.width.as_integer()?;
        self.cycle_rules.warps_of(i64::try_from(&width).ok()?)
    }

    /// Degrees of warps that each meet in the card's banks for themselves: the worst, and Σ (degree − 1).
    fn degrees_by_warp(&self, index: &Expr, warps: Warps) -> Option<(Amount, Amount)> {
        let (one, banks) = (Expr::one(), Expr::int(warps.banks));
        let facts = &self.active.facts;
        let index = facts.simplify(index);
        let (mut worst, mut conflicts) = (vec![one.clone()], Expr::zero());
        match self.active.stride(&index) {
            // One word: the broadcast serves all.
            Stride::Uniform => {}
            // At stride s the words of c cores in a row meet ⌈c·gcd(s, banks)/banks⌉ to a bank.
            Stride::By(slope) => {
                let moves = match facts.prove(&Cond::ne(&slope, &Expr::zero())) {
                    Some(true) => one.clone(),
                    Some(false) => Expr::zero(),
                    None => Expr::bracket(Cond::ne(&slope, &Expr::zero())),
                };
                let shared = facts.simplify(&Expr::gcd(&slope.abs(), &banks));
                for part in self.parts(warps.size)? {
                    let cores = &part.last - &part.first + &one;
                    let met = (&cores * &shared).div(&banks)?.ceil() - &one;
                    let met = &moves * facts.simplify(&met);
                    conflicts = &conflicts + (&part.inhabited * &met);
                    worst.push(&met + &one);
                }
            }
            Stride::Irregular => {
                for part in self.parts(warps.size)? {
                    let met = self.most_in_a_bank(&index, &part, warps.banks)?;
                    conflicts = &conflicts + Expr::int(met - 1);
                    worst.push(Expr::int(met));
                }
            }
        }
        let degree = facts.simplify(&Expr::max(worst));
        Some((
            Amount::exact(degree),
            Amount::exact(facts.simplify(&conflicts)),
        ))
    }

    /// The most distinct words of some cores in one bank, core by core. How far words lie from the first one is
    /// all that counts, and has to be known: `32 · (j mod 32) + s` for any s.
    fn most_in_a_bank(&self, index: &Expr, part: &Together, banks: i64) -> Option<i64> {
        let facts = &self.active.facts;
        let whole = |expr: &Expr| i64::try_from(&facts.simplify(expr).as_integer()?).ok();
        let at = |core: i64| index.substitute(&self.active.core, &Expr::int(core));
        let (first, last) = (whole(&part.first)?, whole(&part.last)?);
        let start = at(first);
        let words = (first..=last).map(|core| whole(&(at(core) - &start)));
        let words = words.collect::<Option<BTreeSet<i64>>>()?;
        let mut met: BTreeMap<i64, i64> = BTreeMap::new();
        for word in words {
            *met.entry(word.rem_euclid(banks)).or_default() += 1;
        }
        met.into_values().max()
    }

    /// What a shared operand at unknown words may meet, part by part of so many cores.
    pub(super) fn any_degree(&self, size: i64) -> (Amount, Amount) {
        let cores = self.active.span();
        let conflicts = Amount::between(Expr::zero(), &cores - 1);
        let most = Expr::min(vec![cores, Expr::int(size)]);
        (Amount::between(Expr::one(), most), conflicts)
    }
}
