//! The steps of a plan, executed for all MPs of a batch.
//!
//! Each has a general form, which computes an offset and a value per active core, and a short
//! one for evenly spaced words of neighbouring cores.

use pulp::Arch;

use crate::check::program::{Arithmetic, AtomicOperator};
use crate::exec::Data;
use crate::exec::batch::globals::{Found, Words};
use crate::exec::batch::masks::Active;
use crate::exec::batch::rows::{self, AccumulateRows, Moving, Rows};
use crate::exec::batch::values::Lanes;
use crate::exec::batch::{Part, Register, SharedRows, Stop};
use crate::exec::plan::{
    Accumulate, At, Block, Floats, Form, Ints, Loop, Place, Step, Truths, Value,
};
use crate::exec::value;

type Result<T> = std::result::Result<T, Stop>;

impl Part<'_, '_> {
    /// Executes statements for cores that are active.
    pub(super) fn block(&mut self, block: &Block, active: &Active) -> Result<()> {
        self.pay(block.operations, active);
        self.spend((self.lanes(active) * block.steps.len() / 4 + 16) as i64)?;
        for step in &block.steps {
            match step {
                Step::Load { target, source } => self.load(target, source, active)?,
                Step::Store { target, source } => self.store(target, source, active)?,
                Step::Assign { target, value } => self.assign(target, value, active)?,
                Step::Atomic {
                    target,
                    operator,
                    operands,
                    operations,
                } => self.atomic(target, *operator, operands, *operations, active)?,
                Step::Let { register, value } => self.bind(*register, value, active)?,
                Step::If { condition, body } => {
                    if let Some(inner) = self.narrow(active, condition)? {
                        self.block(body, &inner)?;
                    }
                }
                Step::Loop(counted) => self.counted_loop(counted, active)?,
                Step::While {
                    condition,
                    operations,
                    at_most,
                    body,
                } => self.open_loop((condition, *operations), at_most.as_ref(), body, active)?,
                Step::Accumulate(accumulate) => {
                    if !self.accumulate(accumulate, active)? {
                        self.counted_loop(&accumulate.frame, active)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Operations of every MP that has active cores.
    fn pay(&mut self, operations: u64, active: &Active) {
        let lanes = self.lanes(active);
        self.counts.lane_operations += u128::from(operations) * lanes as u128;
        match active {
            Active::Range(..) | Active::List(_) => self.counts.time += operations,
            Active::Each(lanes) => {
                self.counts.own_time.resize(self.width, 0);
                for end in self.groups(active) {
                    let mp = lanes[end - 1] as usize / self.cores;
                    self.counts.own_time[mp] += operations;
                }
            }
        }
    }

    fn counted_loop(&mut self, counted: &Loop, active: &Active) -> Result<()> {
        let (from, to) = (counted.from.at(&self.slots), counted.to.at(&self.slots));
        let rise = if counted.down { -1 } else { 1 };
        let trips = (to - from) * rise + 1;
        for trip in 0..trips {
            self.slots[counted.slot] = from + rise * trip;
            self.block(&counted.body, active)?;
        }
        Ok(())
    }

    fn open_loop(
        &mut self,
        (condition, operations): (&Truths, u64),
        at_most: Option<&Ints>,
        body: &Block,
        active: &Active,
    ) -> Result<()> {
        let bound = match at_most {
            Some(bound) => {
                // Nothing of it is counted.
                let conflicts = self.counts.conflicts;
                let bound = self.ints(bound, active)?;
                self.counts.conflicts = conflicts;
                Some(self.spread(bound, active))
            }
            None => None,
        };
        let mut active = active.clone();
        let mut iteration = 0;
        loop {
            self.pay(operations, &active);
            self.spend(self.lanes(&active) as i64 + 16)?;
            match self.narrow(&active, condition)? {
                Some(inner) => active = inner,
                None => break,
            }
            iteration += 1;
            if let Some(bound) = &bound {
                let mut is_passed = false;
                let cores = self.cores;
                self.each(&active, |mp, core| {
                    is_passed |= bound[mp * cores + core] < iteration;
                });
                if is_passed {
                    return Err(Stop::Bail);
                }
            }
            self.block(body, &active)?;
        }
        if let Some(bound) = bound {
            self.ints.push(bound);
        }
        Ok(())
    }

    fn bind(&mut self, register: usize, value: &Value, active: &Active) -> Result<()> {
        let bound = match value {
            Value::Ints(value) => {
                let value = self.ints(value, active)?;
                Register::Ints(self.spread(value, active))
            }
            Value::Floats(value) => {
                let value = self.floats(value, active)?;
                Register::Floats(self.spread(value, active))
            }
        };
        match self.registers[register].replace(bound) {
            Some(Register::Ints(lanes)) => self.ints.push(lanes),
            Some(Register::Floats(lanes)) => self.floats.push(lanes),
            None => {}
        }
        Ok(())
    }

    fn admits_all(&self, place: &Place) -> bool {
        self.launch.admitted[place.variable.0 as usize].is_none()
    }

    fn load(&mut self, target: &Place, source: &Place, active: &Active) -> Result<()> {
        if let Active::Range(low, high) = *active
            && self.admits_all(target)
            && let (Some(from), Some(to)) = (self.rows(source, active)?, self.rows(target, active)?)
            && (to.stride != 0 || high - low == 1)
            && self.load_rows((target, to), (source, from), high - low)?
        {
            self.conflicts(target, active);
            return Ok(());
        }
        let from = self.global_offsets(source, active)?;
        let blocks = self.blocks_of(&from, active);
        self.counts.blocks[source.array].0 += blocks;
        let view = &self.globals[source.array];
        if view.written.left() > 0 && !from.iter().all(|&at| view.written.get(at as usize)) {
            return Err(Stop::Bail);
        }
        let lanes = gather_global(&view.words, &from);
        self.ints.push(from);
        self.write(target, lanes, active)
    }

    /// Whether it could be done with rows.
    fn load_rows(
        &mut self,
        (target, to): (&Place, Rows),
        (source, from): (&Place, Rows),
        count: usize,
    ) -> Result<bool> {
        let shape = (self.width, count);
        let view = &self.globals[source.array];
        if view.written.left() > 0 {
            for mp in 0..self.width {
                let at = from.start(mp);
                let is_missing = match from.stride {
                    1 => view.written.first_unwritten(at, count).is_some(),
                    _ => (0..count).any(|word| !view.written.get(from.word(mp, word))),
                };
                if is_missing {
                    return Err(Stop::Bail);
                }
            }
        }
        let array = &mut self.shared[target.array];
        match (&mut array.data, &view.words) {
            (Data::Int(words), Words::Read(Data::Int(source))) => {
                rows::copy(words, to, source, from, shape);
            }
            (Data::Int(words), Words::Ints(start, source)) => {
                rows::copy(words, to, source, from.back(*start), shape);
            }
            (Data::Float(words), Words::Read(Data::Float(source))) => {
                rows::copy(words, to, source, from, shape);
            }
            (Data::Float(words), Words::Floats(start, source)) => {
                rows::copy(words, to, source, from.back(*start), shape);
            }
            (Data::Int(_) | Data::Float(_), _) => return Ok(false),
        }
        array.magnitude = None;
        self.counts.blocks[source.array].0 += self.blocks(from, count);
        self.mark_rows(target.array, to, count)?;
        Ok(true)
    }

    fn store(&mut self, target: &Place, source: &Place, active: &Active) -> Result<()> {
        if let Active::Range(low, high) = *active
            && self.admits_all(target)
            && !self.plan.global[target.array].may_race
            && let (Some(from), Some(to)) = (self.rows(source, active)?, self.rows(target, active)?)
            && (to.stride != 0 || high - low == 1)
            && self.store_rows((target, to), (source, from), high - low)?
        {
            self.conflicts(source, active);
            return Ok(());
        }
        let value = match self.shared[source.array].data {
            Data::Int(_) => self.read_ints(source, active)?,
            Data::Float(_) => self.read_floats(source, active)?,
        };
        let to = self.global_offsets(target, active)?;
        let blocks = self.blocks_of(&to, active);
        self.counts.blocks[target.array].1 += blocks;
        self.write_global(target, &to, value, active)?;
        self.ints.push(to);
        Ok(())
    }

    fn store_rows(
        &mut self,
        (target, to): (&Place, Rows),
        (source, from): (&Place, Rows),
        count: usize,
    ) -> Result<bool> {
        let shape = (self.width, count);
        if !self.is_read_written(source.array, from, count) {
            return Err(Stop::Bail);
        }
        let view = &mut self.globals[target.array];
        for mp in 0..self.width {
            view.note(to.start(mp), to.stride as i64, count);
        }
        match (&mut view.words, &self.shared[source.array].data) {
            (Words::Ints(start, words), Data::Int(source)) => {
                rows::copy(words, to.back(*start), source, from, shape);
            }
            (Words::Floats(start, words), Data::Float(source)) => {
                rows::copy(words, to.back(*start), source, from, shape);
            }
            (Words::Read(_) | Words::Ints(..) | Words::Floats(..), _) => return Ok(false),
        }
        self.counts.blocks[target.array].1 += self.blocks(to, count);
        Ok(true)
    }

    /// Writes a value per active core to global memory.
    fn write_global(
        &mut self,
        target: &Place,
        to: &[i64],
        value: Lanes,
        active: &Active,
    ) -> Result<()> {
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        if !value.is_admitted(admitted) {
            return Err(Stop::Bail);
        }
        if self.plan.global[target.array].may_race {
            self.write_stamped(target, to, &value, active)?;
            self.free(value);
            return Ok(());
        }
        if !self.is_one_value_each(target, to, &value, active) {
            return Err(Stop::Bail);
        }
        let view = &mut self.globals[target.array];
        for &at in to {
            view.note(at as usize, 1, 1);
        }
        match (&mut view.words, &value) {
            (Words::Ints(start, words), Lanes::Ints(values)) => {
                to.iter()
                    .zip(values)
                    .for_each(|(at, value)| words[*at as usize - *start] = *value);
            }
            (Words::Floats(start, words), Lanes::Floats(values)) => {
                to.iter()
                    .zip(values)
                    .for_each(|(at, value)| words[*at as usize - *start] = *value);
            }
            (Words::Floats(start, words), Lanes::Ints(values)) => {
                to.iter()
                    .zip(values)
                    .for_each(|(at, value)| words[*at as usize - *start] = *value as f64);
            }
            (Words::Read(_) | Words::Ints(..), _) => return Err(Stop::Bail),
        }
        self.free(value);
        Ok(())
    }

    /// Writes a value per active core where MPs may meet.
    fn write_stamped(
        &mut self,
        target: &Place,
        to: &[i64],
        value: &Lanes,
        active: &Active,
    ) -> Result<()> {
        let (mut start, mut is_again) = (0, false);
        for end in self.groups(active) {
            let mp = self.mp_of(active, end - 1) as u64;
            let stamp = self.launch.stamps.of(self.first + mp);
            let view = &mut self.globals[target.array];
            let is_floats = matches!(view.words, Words::Floats(..));
            for at in start..end {
                let offset = to[at] as usize;
                let found = match value {
                    Lanes::Floats(values) => view.write_stamped(offset, values[at], stamp),
                    Lanes::Ints(values) if is_floats => {
                        view.write_stamped(offset, values[at] as f64, stamp)
                    }
                    Lanes::Ints(values) => view.write_stamped(offset, values[at], stamp),
                };
                match found {
                    Found::Fine => {}
                    Found::Own => is_again = true,
                    Found::Race => return Err(Stop::Bail),
                }
            }
            start = end;
        }
        // Two cores of an MP on one word are seen as an MP on a word of its own.
        if is_again && !self.is_one_value_each(target, to, value, active) {
            return Err(Stop::Bail);
        }
        Ok(())
    }

    fn assign(&mut self, target: &Place, value: &Value, active: &Active) -> Result<()> {
        if let Active::Range(low, high) = *active
            && self.admits_all(target)
            && let Some(to) = self.rows(target, active)?
            && to.stride == 1
            && self.assign_rows((target, to), value, active, high - low)?
        {
            self.conflicts(target, active);
            return Ok(());
        }
        let lanes = match value {
            Value::Ints(value) => {
                let value = self.ints(value, active)?;
                Lanes::Ints(self.lanes_of(value, active))
            }
            Value::Floats(value) => {
                let value = self.floats(value, active)?;
                Lanes::Floats(self.lanes_of(value, active))
            }
        };
        self.write(target, lanes, active)
    }

    /// Whether it could be done with rows.
    fn assign_rows(
        &mut self,
        (target, to): (&Place, Rows),
        value: &Value,
        active: &Active,
        count: usize,
    ) -> Result<bool> {
        let shape = (self.width, count);
        match value {
            Value::Ints(Ints::Form(form)) => {
                let own = form.factor(self.plan.dimensions - 1);
                let first = form.at(&self.slots) + form.core * self.ends(active).0;
                let array = &mut self.shared[target.array];
                let Data::Int(words) = &mut array.data else {
                    return Ok(false);
                };
                for mp in 0..self.width {
                    let start = to.start(mp);
                    let mut next = first.wrapping_add(own.wrapping_mul(mp as i64));
                    for word in &mut words[start..start + count] {
                        *word = next;
                        next = next.wrapping_add(form.core);
                    }
                }
            }
            Value::Ints(Ints::Read(place)) | Value::Floats(Floats::Read(place)) => {
                if place.array == target.array {
                    return Ok(false);
                }
                let Some(from) = self.read_rows(place, active, count)? else {
                    return Ok(false);
                };
                {
                    let (array, others) = pick(&mut self.shared, target.array);
                    match (&mut array.data, &others(place.array).data) {
                        (Data::Int(words), Data::Int(source)) => {
                            rows::copy(words, to, source, from, shape);
                        }
                        (Data::Float(words), Data::Float(source)) => {
                            rows::copy(words, to, source, from, shape);
                        }
                        (Data::Int(_) | Data::Float(_), _) => return Ok(false),
                    }
                }
                self.conflicts(place, active);
            }
            Value::Ints(Ints::Binary(operator, left, right)) => {
                let (Ints::Read(left), Ints::Read(right)) = (&**left, &**right) else {
                    return Ok(false);
                };
                let fits = match operator {
                    Arithmetic::Add => self.combine_ints((target, to), left, right, active, add)?,
                    Arithmetic::Subtract => {
                        self.combine_ints((target, to), left, right, active, subtract)?
                    }
                    _ => None,
                };
                match fits {
                    None => return Ok(false),
                    Some(true) => {}
                    Some(false) => return Err(Stop::Bail),
                }
            }
            Value::Floats(Floats::Binary(operator, left, right)) => {
                let (Floats::Read(left), Floats::Read(right)) = (&**left, &**right) else {
                    return Ok(false);
                };
                let places = (target, to);
                let done = match operator {
                    Arithmetic::Add => {
                        self.combine_floats(places, left, right, active, |x, y| (x + y, 0))?
                    }
                    Arithmetic::Subtract => {
                        self.combine_floats(places, left, right, active, |x, y| (x - y, 0))?
                    }
                    Arithmetic::Multiply => {
                        self.combine_floats(places, left, right, active, |x, y| (x * y, 0))?
                    }
                    _ => false,
                };
                if !done {
                    return Ok(false);
                }
            }
            Value::Ints(_) | Value::Floats(_) => return Ok(false),
        }
        self.shared[target.array].magnitude = None;
        self.mark_rows(target.array, to, count)?;
        Ok(true)
    }

    /// Whether the sums (or differences) fit; `None` where it is no matter of rows.
    fn combine_ints(
        &mut self,
        (target, to): (&Place, Rows),
        left: &Place,
        right: &Place,
        active: &Active,
        operation: impl Fn(i64, i64) -> (i64, i64) + Copy,
    ) -> Result<Option<bool>> {
        let count = self.lanes(active) / self.width;
        let (Some(x), Some(y)) = (
            self.read_rows(left, active, count)?,
            self.read_rows(right, active, count)?,
        ) else {
            return Ok(None);
        };
        if x.stride != 1 || y.stride != 1 {
            return Ok(None);
        }
        let shape = (self.width, count);
        let mut data = std::mem::replace(&mut self.shared[target.array].data, Data::Int(vec![]));
        let source = |place: &Place| match &self.shared[place.array].data {
            _ if place.array == target.array => None,
            Data::Int(words) => Some(words.as_slice()),
            Data::Float(_) => unreachable!("an int is read"),
        };
        let Data::Int(words) = &mut data else {
            unreachable!("an int is written")
        };
        let sources = ((source(left), x), (source(right), y));
        let fits = rows::combine(words, to, sources.0, sources.1, shape, operation);
        self.shared[target.array].data = data;
        self.conflicts(left, active);
        self.conflicts(right, active);
        Ok(Some(fits))
    }

    fn combine_floats(
        &mut self,
        (target, to): (&Place, Rows),
        left: &Place,
        right: &Place,
        active: &Active,
        operation: impl Fn(f64, f64) -> (f64, i64) + Copy,
    ) -> Result<bool> {
        let count = self.lanes(active) / self.width;
        let (Some(x), Some(y)) = (
            self.read_rows(left, active, count)?,
            self.read_rows(right, active, count)?,
        ) else {
            return Ok(false);
        };
        if x.stride != 1 || y.stride != 1 {
            return Ok(false);
        }
        let shape = (self.width, count);
        let mut data = std::mem::replace(&mut self.shared[target.array].data, Data::Int(vec![]));
        let source = |place: &Place| match &self.shared[place.array].data {
            _ if place.array == target.array => None,
            Data::Float(words) => Some(words.as_slice()),
            Data::Int(_) => unreachable!("a float is read"),
        };
        let Data::Float(words) = &mut data else {
            unreachable!("a float is written")
        };
        let sources = ((source(left), x), (source(right), y));
        rows::combine(words, to, sources.0, sources.1, shape, operation);
        self.shared[target.array].data = data;
        self.conflicts(left, active);
        self.conflicts(right, active);
        Ok(true)
    }

    /// Rows of shared words that are about to be read and were all written.
    fn read_rows(&mut self, place: &Place, active: &Active, count: usize) -> Result<Option<Rows>> {
        let Some(from) = self.rows(place, active)? else {
            return Ok(None);
        };
        if !self.is_read_written(place.array, from, count) {
            return Err(Stop::Bail);
        }
        Ok(Some(from))
    }

    /// Whether all words of rows of shared memory were written.
    pub(super) fn is_read_written(&self, array: usize, from: Rows, count: usize) -> bool {
        let SharedRows { words, written, .. } = &self.shared[array];
        if written.left() == 0 {
            return true;
        }
        // Where all MPs read the same words of theirs, one of them tells.
        let alike = from.step == *words as isize;
        (0..if alike { 1 } else { self.width }).all(|mp| {
            let own = mp * words;
            match from.stride {
                1 => written
                    .first_unwritten(from.start(mp) - own, count)
                    .is_none(),
                0 => written.get(from.start(mp) - own),
                _ => (0..count).all(|word| written.get(from.word(mp, word) - own)),
            }
        })
    }

    /// Notes that rows of shared memory were written.
    pub(super) fn mark_rows(&mut self, array: usize, to: Rows, count: usize) -> Result<()> {
        let width = self.width;
        let SharedRows { words, written, .. } = &mut self.shared[array];
        if written.left() == 0 {
            return Ok(());
        }
        if to.step != *words as isize && width > 1 {
            return Err(Stop::Split);
        }
        match to.stride {
            1 => written.mark(to.first, count),
            0 => written.mark(to.first, 1),
            _ => (0..count).for_each(|word| written.mark(to.word(0, word), 1)),
        }
        Ok(())
    }

    /// All iterations of an accumulating loop; `false` where it has to go one by one.
    fn accumulate(&mut self, step: &Accumulate, active: &Active) -> Result<bool> {
        let Active::Range(low, high) = *active else {
            return Ok(false);
        };
        let (frame, count) = (&step.frame, high - low);
        let (from, to) = (frame.from.at(&self.slots), frame.to.at(&self.slots));
        let rise = if frame.down { -1 } else { 1 };
        let trips = (to - from) * rise + 1;
        if trips < 2 {
            return Ok(false);
        }
        // What is inside at both ends is inside between them.
        self.slots[frame.slot] = to;
        let right = step.right.as_ref();
        for place in [Some(&step.left), right].into_iter().flatten() {
            if self.rows(place, active)?.is_none() || self.shared[place.array].written.left() > 0 {
                return Ok(false);
            }
        }
        self.slots[frame.slot] = from;
        let (Some(target), Some(left)) = (
            self.read_rows(&step.target, active, count)?,
            self.read_rows(&step.left, active, count)?,
        ) else {
            return Ok(false);
        };
        let right_rows = match right {
            Some(place) => match self.read_rows(place, active, count)? {
                Some(rows) => Some((place, rows)),
                None => return Ok(false),
            },
            None => None,
        };
        let has_conflicts = [Some(target), Some(left), right_rows.map(|(_, rows)| rows)]
            .iter()
            .flatten()
            .any(|rows| rows.stride.unsigned_abs() > 1);
        if has_conflicts || target.stride != 1 || !self.admits_all(&step.target) {
            return Ok(false);
        }
        if !self.sums_fit(step, target, trips, count) {
            return Ok(false);
        }
        let is_small = |array: usize| self.shared[array].magnitude.is_some_and(|bits| bits < 32);
        let is_narrow =
            is_small(step.left.array) && right.is_none_or(|place| is_small(place.array));
        self.pay(frame.body.operations * trips as u64, active);
        self.spend(trips * self.lanes(active) as i64 / 4)?;
        let trip = |place: &Place| (trip_of(place, frame) * rise) as isize;
        let shape = (self.width, trips as usize, count);
        let (array, others) = pick(&mut self.shared, step.target.array);
        array.magnitude = None;
        let left = (left, trip(&step.left));
        match (&mut array.data, &others(step.left.array).data) {
            (Data::Int(words), Data::Int(lefts)) => {
                let right = right_rows.map(|(place, rows)| match &others(place.array).data {
                    Data::Int(rights) => (rights.as_slice(), rows, trip(place)),
                    Data::Float(_) => unreachable!("an int is read"),
                });
                let left = (lefts.as_slice(), left.0, left.1);
                if is_narrow {
                    // The products of halves of words are quicker.
                    let sum = |sum: i64, x: i64, y: i64| {
                        sum.wrapping_add(i64::from(x as i32) * i64::from(y as i32))
                    };
                    accumulated(words, target, left, right, shape, 1, sum);
                } else {
                    let sum = |sum: i64, x: i64, y: i64| sum.wrapping_add(x.wrapping_mul(y));
                    accumulated(words, target, left, right, shape, 1, sum);
                }
            }
            (Data::Float(words), Data::Float(lefts)) => {
                let right = right_rows.map(|(place, rows)| match &others(place.array).data {
                    Data::Float(rights) => (rights.as_slice(), rows, trip(place)),
                    Data::Int(_) => unreachable!("a float is read"),
                });
                let sum = |sum: f64, x: f64, y: f64| sum + x * y;
                let left = (lefts.as_slice(), left.0, left.1);
                accumulated(words, target, left, right, shape, 1.0, sum);
            }
            (Data::Int(_) | Data::Float(_), _) => unreachable!("checked: all of one type"),
        }
        Ok(true)
    }

    /// Whether no sum of an accumulating loop can outgrow a word, whatever the order.
    fn sums_fit(&mut self, step: &Accumulate, target: Rows, trips: i64, count: usize) -> bool {
        if let Data::Float(_) = self.shared[step.target.array].data {
            return true;
        }
        let left = self.magnitude(step.left.array);
        let right = match &step.right {
            Some(place) => self.magnitude(place.array),
            None => 0,
        };
        let width = self.width;
        let Data::Int(words) = &self.shared[step.target.array].data else {
            return false;
        };
        let sums = (0..width).map(|mp| rows::magnitude(&words[target.start(mp)..][..count]));
        let sum = sums.max().unwrap_or(0);
        let trips = 64 - trips.leading_zeros();
        left + right + trips < 62 && sum < 62
    }

    /// Bits that hold every word of a shared array of the batch.
    fn magnitude(&mut self, array: usize) -> u32 {
        let width = self.width;
        let SharedRows {
            data,
            words,
            magnitude,
            ..
        } = &mut self.shared[array];
        match (&*magnitude, data) {
            (Some(known), _) => *known,
            (None, Data::Int(held)) => {
                let found = rows::magnitude(&held[..*words * width]);
                *magnitude = Some(found);
                found
            }
            (None, Data::Float(_)) => 64,
        }
    }

    fn atomic(
        &mut self,
        target: &Place,
        operator: AtomicOperator,
        operands: &[(bool, Value)],
        operations: u64,
        active: &Active,
    ) -> Result<()> {
        // The element's own indices are evaluated on the right and on the left.
        let right = self.shared_offsets(target, active)?;
        let mut values = Vec::with_capacity(operands.len());
        for (negated, operand) in operands {
            let lanes = match operand {
                Value::Ints(value) => {
                    let value = self.ints(value, active)?;
                    Lanes::Ints(self.lanes_of(value, active))
                }
                Value::Floats(value) => {
                    let value = self.floats(value, active)?;
                    Lanes::Floats(self.lanes_of(value, active))
                }
            };
            values.push((*negated, lanes));
        }
        self.ints.push(right);
        let offsets = self.shared_offsets(target, active)?;
        // As the element and as the target.
        let before = self.counts.conflicts;
        self.conflicts_at(target, &offsets, active);
        self.counts.conflicts += self.counts.conflicts - before;
        if !self.are_written(target.array, &offsets, active) {
            return Err(Stop::Bail);
        }
        self.contend(target.array, &offsets, operations, active);
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        let array = &mut self.shared[target.array];
        array.magnitude = None;
        for (at, &offset) in offsets.iter().enumerate() {
            let fine = match &mut array.data {
                Data::Int(words) => {
                    let word = &mut words[offset as usize];
                    let next = values.iter().try_fold(*word, |word, (negated, lanes)| {
                        let Lanes::Ints(lanes) = lanes else {
                            return None;
                        };
                        value::updated_int(operator, *negated, word, lanes[at])
                    });
                    match next {
                        Some(next) if admitted.is_none_or(|range| range.admits_int(next)) => {
                            *word = next;
                            true
                        }
                        _ => false,
                    }
                }
                Data::Float(words) => {
                    let word = &mut words[offset as usize];
                    let next = values.iter().fold(*word, |word, (negated, lanes)| {
                        let operand = match lanes {
                            Lanes::Floats(lanes) => lanes[at],
                            Lanes::Ints(lanes) => lanes[at] as f64,
                        };
                        value::updated_float(operator, *negated, word, operand)
                    });
                    *word = next;
                    admitted.is_none_or(|range| range.admits_float(next))
                }
            };
            if !fine {
                return Err(Stop::Bail);
            }
        }
        values.into_iter().for_each(|(_, lanes)| self.free(lanes));
        self.ints.push(offsets);
        Ok(())
    }

    /// Pays an `atomic`: as often as the most contended word of each MP has cores.
    fn contend(&mut self, array: usize, offsets: &[i64], operations: u64, active: &Active) {
        let mut start = 0;
        self.counts.own_time.resize(self.width, 0);
        for end in self.groups(active) {
            let mp = self.mp_of(active, end - 1);
            let own = (mp * self.shared[array].words) as i64;
            let epoch = self.shared[array].begin();
            let marks = &mut self.shared[array].marks;
            let mut most = 0;
            for &offset in &offsets[start..end] {
                let mark = &mut marks[(offset - own) as usize];
                let before = if *mark >> 32 == epoch {
                    *mark & NOTE
                } else {
                    0
                };
                *mark = epoch << 32 | (before + 1);
                most = most.max(before + 1);
            }
            self.counts.own_time[mp] += operations * most;
            self.counts.lane_operations += u128::from(operations * most) * (end - start) as u128;
            start = end;
        }
    }
}

/// The lower half of a mark.
pub(super) const NOTE: u64 = u32::MAX as u64;

impl SharedRows {
    /// Begins a count: gives the upper half of its marks.
    pub(super) fn begin(&mut self) -> u64 {
        if self.marks.is_empty() || self.epoch == u32::MAX {
            self.marks = vec![0; self.words];
            self.epoch = 0;
        }
        self.epoch += 1;
        self.epoch.into()
    }
}

/// An array to be written beside all the others.
fn pick<'s>(
    shared: &'s mut [SharedRows],
    at: usize,
) -> (&'s mut SharedRows, impl Fn(usize) -> &'s SharedRows) {
    let (before, rest) = shared.split_at_mut(at);
    let (own, after) = rest.split_first_mut().expect("one of them");
    let (before, after): (&'s [SharedRows], &'s [SharedRows]) = (before, after);
    (own, move |other: usize| {
        if other < at {
            &before[other]
        } else {
            &after[other - at - 1]
        }
    })
}

/// What one iteration more adds to a place's offset.
fn trip_of(place: &Place, frame: &Loop) -> i64 {
    match &place.at {
        At::Line { offset, .. } => Form::factor(offset, frame.slot),
        At::Each(_) => unreachable!("an accumulating loop has lines"),
    }
}

fn accumulated<T: Copy + Default>(
    words: &mut [T],
    to: Rows,
    left: Moving<'_, T>,
    right: Option<Moving<'_, T>>,
    (mps, trips, count): (usize, usize, usize),
    one: T,
    step: impl Fn(T, T, T) -> T + Copy,
) {
    let factors = match right {
        Some(right) if left.1.stride == 0 && right.1.stride == 1 => Some((left, right)),
        Some(right) if left.1.stride == 1 && right.1.stride == 0 => Some((right, left)),
        _ => None,
    };
    match factors {
        Some((scalar, vector)) if count == rows::FIXED => {
            Arch::new().dispatch(AccumulateRows {
                target: words,
                to,
                scalar,
                vector,
                rows: mps,
                trips,
                step,
            });
        }
        _ => {
            let step = |sum, x, y: Option<T>| step(sum, x, y.unwrap_or(one));
            rows::accumulate_any(words, left, right, to, (mps, trips, count), step);
        }
    }
}

fn gather_global(words: &Words<'_>, from: &[i64]) -> Lanes {
    match words {
        Words::Read(Data::Int(words)) => {
            Lanes::Ints(from.iter().map(|&at| words[at as usize]).collect())
        }
        Words::Read(Data::Float(words)) => {
            Lanes::Floats(from.iter().map(|&at| words[at as usize]).collect())
        }
        Words::Ints(start, words) => {
            Lanes::Ints(from.iter().map(|&at| words[at as usize - start]).collect())
        }
        Words::Floats(start, words) => {
            Lanes::Floats(from.iter().map(|&at| words[at as usize - start]).collect())
        }
    }
}

fn add(x: i64, y: i64) -> (i64, i64) {
    let sum = x.wrapping_add(y);
    (sum, (x ^ sum) & (y ^ sum))
}

fn subtract(x: i64, y: i64) -> (i64, i64) {
    let difference = x.wrapping_sub(y);
    (difference, (x ^ y) & (x ^ difference))
}
