//! The words that the cores of a group read and write: their values, their declared ranges, and the
//! faults of words that are unwritten, do not fit, or are written by two cores.

use crate::interval::access::Offsets;
use crate::interval::lanes::{Active, Bail, Base, FLAT, Lanes, Slope};
use crate::interval::memory::{Met, Word};
use crate::interval::value::{self, Value};
use crate::interval::warp::Warp;
use crate::meaning::fault::{Fault, NoValue, word_name};
use crate::meaning::launch::fold::Launched;
use crate::program::{self, VarId};
use crate::syntax::ast::WordType;
use crate::text::Span;

impl Warp<'_, '_> {
    /// Returns the distances of a core's words, on all MPs and in all iterations of the group, from
    /// the
    /// first of them; empty if all are the same word.
    fn distances(&self, slope: &Slope) -> Result<Vec<i64>, Bail> {
        match self.group.spread(slope) {
            0 => Ok(Vec::new()),
            set => self.group.distances(slope).ok_or(Bail::Separate(set)),
        }
    }

    /// Returns true if all words from the first to the last that moving addresses meet hold the same. A tile is mostly so,
    /// and looking through it once is much less than looking at each core's words.
    fn is_uniform(
        &self,
        variable: VarId,
        offsets: &Offsets,
        distances: &[i64],
        active: &Active,
    ) -> bool {
        let ends = active.may.iter().map(|core| offsets.get(core));
        let ends = ends.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
        let (Some((low, high)), Some(least), Some(most)) =
            (ends, distances.iter().min(), distances.iter().max())
        else {
            return false;
        };
        let shared = self.held.shared_of(variable);
        shared.is_uniform(low + least.min(&0)..=high + most.max(&0), self.held.epoch)
    }

    pub(super) fn read(
        &mut self,
        word: &program::Word<Launched>,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        let (offsets, slope) = self.offsets(word, active)?;
        self.operand(&offsets, active, word.span);
        self.gather(word, &offsets, &slope, active)
    }

    /// Reads the words of the cores, at known places or in a range.
    pub(in crate::interval) fn gather(
        &mut self,
        word: &program::Word<Launched>,
        offsets: &Offsets,
        slope: &Slope,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        let distances = self.distances(slope)?;
        let is_uniform = self.is_uniform(word.variable, offsets, &distances, active);
        let mut words: Vec<Word> = vec![Word::flat(Value::Int(0)); self.cores()];
        let mut common: Option<Slope> = None;
        let mut last_range: Option<((i64, i64), Value)> = None;
        for core in active.may.iter() {
            let (low, high) = offsets.get(core);
            let shared = self.held.shared_of(word.variable);
            let found = if low == high {
                // The address moves with the group. That is fine only if all words it meets hold
                // the same.
                let found = shared.read(low, self.held.epoch);
                let is_same = |found: &Word| {
                    is_uniform || shared.hold(low, &distances, found, self.held.epoch)
                };
                if !distances.is_empty() && !found.as_ref().is_some_and(is_same) {
                    return Err(Bail::Separate(self.group.spread(slope)));
                }
                found
            } else {
                let value = match &last_range {
                    Some((range, value)) if *range == (low, high) => value.clone(),
                    Some(_) | None => shared.read_between(low, high, self.held.epoch, &self.group),
                };
                last_range = Some(((low, high), value.clone()));
                Some(Word::flat(value))
            };
            let found = match found {
                Some(found) => found,
                None => {
                    let inside = (0..shared.words()).contains(&low);
                    let declared = shared.declared.clone();
                    if inside && active.must.contains(core) {
                        let array = &self.setting.program.variable(word.variable).name;
                        let extents = &self.setting.launch.shape(word.variable).extents;
                        let name = word_name(array, extents, low.unsigned_abs());
                        let place = self.place(core);
                        let span = word.span;
                        self.report(Fault::Uninitialised {
                            word: name,
                            place,
                            span,
                        });
                    }
                    Word::flat(declared)
                }
            };
            // Lanes have one slope for all cores. Words with different slopes cannot be put
            // together,
            // unless the slopes make no difference in this group.
            match &common {
                None => common = Some(found.slope),
                Some(common) if *common == found.slope => {}
                Some(common) => {
                    let set = self.group.spread(common) | self.group.spread(&found.slope);
                    if set != 0 {
                        return Err(Bail::Separate(set));
                    }
                }
            }
            words[core] = found;
        }
        let slope = common.unwrap_or(FLAT);
        let whole = |word: &Word| match &word.value {
            Value::Int(value) => Some(*value),
            _ => None,
        };
        if let Some(values) = words.iter().map(whole).collect::<Option<Vec<i64>>>() {
            return Ok(Lanes::Known {
                base: Base::Each(values),
                slope,
            });
        }
        Ok(Lanes::Each(
            words.into_iter().map(|word| word.value).collect(),
        ))
    }

    /// Converts a value to a word of a variable: of its type, and inside its declared range.
    fn fitted(
        &mut self,
        variable: VarId,
        value: Value,
        core: usize,
        active: &Active,
        (expression, statement): (Span, Span),
    ) -> Value {
        let word_type = self.setting.program.variable(variable).word_type;
        let declared = self.setting.declared[variable.0 as usize].clone();
        let value = match (word_type, &value) {
            (WordType::Float, _) => value.to_float(),
            (WordType::Int, Value::Exact(exact)) => {
                let is_whole = exact.to_integer().is_some();
                let fault = NoValue::of_no_word(value::shown(&value), is_whole);
                self.core_fault(active, core, fault, expression);
                declared.clone()
            }
            (WordType::Int, _) => value,
        };
        let outside = match (&value, &declared) {
            (Value::Int(value), Value::Range(low, high)) => value < low || value > high,
            (Value::Int(value), Value::Int(only)) => value != only,
            (Value::Float(value), Value::Floats(low, high)) => value < low || value > high,
            _ => false,
        };
        if outside && active.must.contains(core) {
            let variable = self.setting.program.variable(variable);
            let (word, declaration) = (variable.name.clone(), variable.span);
            let place = self.place(core);
            let value = value::shown(&value);
            let (low, high) = match &declared {
                Value::Range(low, high) => (low.to_string(), high.to_string()),
                Value::Floats(low, high) => {
                    let shown = |end: &f64| value::shown(&Value::Float(*end));
                    (shown(low), shown(high))
                }
                one => (value::shown(one), value::shown(one)),
            };
            self.report(Fault::OutsideDeclared {
                word,
                value,
                low,
                high,
                place,
                span: statement,
                declaration,
            });
        }
        value.within(&declared)
    }

    /// Writes one value per core to shared memory, all cores at once. The spans are the
    /// expression's
    /// and the statement's.
    pub(in crate::interval) fn scatter(
        &mut self,
        word: &program::Word<Launched>,
        offsets: &Offsets,
        slope: &Slope,
        (values, spans): (&Lanes, (Span, Span)),
        active: &Active,
    ) -> Result<(), Bail> {
        let distances = self.distances(slope)?;
        self.held.instruction += 1;
        let declared = self.setting.declared[word.variable.0 as usize].clone();
        let mut smeared: Option<(i64, i64, Word)> = None;
        for core in active.may.iter() {
            let new = match values {
                Lanes::Known { base, slope } if *slope != FLAT => {
                    let new = Word {
                        value: Value::Int(base.get(core)),
                        slope: *slope,
                    };
                    // The value must be inside the declared range on all MPs; else MPs are told
                    // apart.
                    let (low, high) = new.spread(&self.group).bounds();
                    let (least, most) = declared.bounds();
                    if declared.is_float() || low < least || high > most {
                        return Err(Bail::Separate(self.group.spread(slope)));
                    }
                    new
                }
                Lanes::Known { .. } | Lanes::Same(_) | Lanes::Each(_) => {
                    Word::flat(self.fitted(word.variable, values.get(core), core, active, spans))
                }
            };
            let (low, high) = offsets.get(core);
            let (epoch, instruction) = (self.held.epoch, self.held.instruction);
            if low != high {
                smeared = Some(match smeared {
                    None => (low, high, new),
                    Some((least, most, old)) => {
                        let joined = old.spread(&self.group).join(&new.spread(&self.group));
                        (least.min(low), most.max(high), Word::flat(joined))
                    }
                });
                continue;
            }
            let group = self.group.clone();
            let shared = self.held.shared_mut(word.variable);
            if !distances.is_empty() {
                // Every word that may be meant must hold this value already; then memory does not
                // change.
                if !shared.hold(low, &distances, &new, epoch) {
                    return Err(Bail::Separate(group.spread(slope)));
                }
                continue;
            }
            if active.must.contains(core) {
                let old = shared.read(low, epoch);
                let (met, changed) = shared.write(low, new.clone(), epoch, instruction, &group);
                self.held.changed |= changed;
                if let (Met::Race, Some(old)) = (met, old) {
                    let array = &self.setting.program.variable(word.variable).name;
                    let extents = &self.setting.launch.shape(word.variable).extents;
                    let name = word_name(array, extents, low.unsigned_abs());
                    let mut others = active.must.iter();
                    let first = others.find(|&other| offsets.get(other) == (low, high));
                    let (first_value, second_value) =
                        (value::shown(&old.value), value::shown(&new.value));
                    let place = self.mp();
                    let span = word.span;
                    self.report(Fault::RaceShared {
                        word: name,
                        first: first.unwrap_or(core),
                        second: core,
                        first_value,
                        second_value,
                        place,
                        span,
                    });
                }
            } else {
                self.held.changed |= shared.weaken(low, &new, epoch, &group);
            }
        }
        if let Some((low, high, new)) = smeared {
            self.smear(word.variable, low, high, &new);
        }
        Ok(())
    }

    /// Writes a value to some word of a range.
    pub(in crate::interval) fn smear(&mut self, variable: VarId, low: i64, high: i64, new: &Word) {
        let (epoch, group) = (self.held.epoch, self.group.clone());
        let shared = self.held.shared_mut(variable);
        let mut changed = false;
        for offset in low..=high {
            changed |= shared.weaken(offset, new, epoch, &group);
        }
        self.held.changed |= changed;
    }

    /// Records the values that a global access writes, for the array as a whole.
    pub(in crate::interval) fn record(
        &mut self,
        variable: VarId,
        values: &Lanes,
        active: &Active,
        spans: (Span, Span),
    ) -> Result<(), Bail> {
        if let Lanes::Known { base, slope } = values
            && *slope != FLAT
        {
            for core in active.may.iter() {
                let word = Word {
                    value: Value::Int(base.get(core)),
                    slope: *slope,
                };
                let all = word.spread(&self.group);
                let kept = all.within(&self.setting.declared[variable.0 as usize]);
                self.held.join_global(variable, &kept);
            }
            return Ok(());
        }
        if let Lanes::Same(value) = values {
            let core = active.may.iter().next().unwrap_or(0);
            let value = self.fitted(variable, value.clone(), core, active, spans);
            self.held.join_global(variable, &value);
            return Ok(());
        }
        for core in active.may.iter() {
            let value = self.fitted(variable, values.get(core), core, active, spans);
            self.held.join_global(variable, &value);
        }
        Ok(())
    }
}
