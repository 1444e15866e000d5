//! The walk over a program in the order it runs: every touch of memory, every division, every size,
//! each judged where it stands.
//!
//! Gives the [`Judged`] places in the order of the text. Facts are those of the place: the
//! `require`s, the ranges of all loops around, the guards. What a fault would have stopped earlier is
//! taken for granted later, as in a run.

use std::sync::Arc;

use crate::program::{
    Arithmetic, AtomicOperator, Condition, CoreLoop, Direction, Execute, Extent, HostFor, HostStmt,
    HostWhile, Kernel, LetBinding, Number, NumberKind, Program, Region, Role, Stmt, StmtKind,
    Transfer, Type, VarId, Word, WrapperStmt, nested_on_host,
};
use crate::safety::bounds;
use crate::safety::cover::{self, Turn, Written};
use crate::safety::forms::Forms;
use crate::safety::races;
use crate::safety::requires;
use crate::safety::site::{Ask, Place, Scope, ScopeKind, Site, Usage};
use crate::safety::verdict::{Judged, Lack, Property, Reason, Rule, Subject, Verdict};
use crate::sym::{Cond, Expr};
use crate::text::Span;

/// How often a host loop is walked until what is written at its beginning is known.
const MOST_WALKS: usize = 4;

/// How often loops of a program are walked again in all: with each level of nesting there are twice as many.
const MOST_AGAIN: u32 = 64;

/// What a walk asks: a loop is walked again for what its iterations leave to each other.
#[derive(Clone, PartialEq)]
enum Asks {
    /// Everything.
    All,
    /// Whether the words read at these places were written.
    Reads(Vec<Span>),
    /// Nothing: it only looks at what is written.
    Nothing,
}

/// The walk over one program.
pub(crate) struct Walk<'p> {
    pub(crate) program: &'p Program,
    /// What parameters and words stand for.
    pub(crate) forms: Forms<'p>,
    /// What is judged so far.
    pub(crate) judged: Vec<Judged>,
    /// What is written so far.
    written: Written,
    /// What the kernel does, so far.
    sites: Vec<Site>,
    /// Numbers scopes.
    next: u32,
    /// What is asked.
    asks: Asks,
    /// How often loops may still be walked again.
    again: u32,
    /// Whether it ends where something cannot be proved.
    until_open: bool,
    /// Whether it ended there.
    has_ended: bool,
}

impl<'p> Walk<'p> {
    pub(crate) fn new(program: &'p Program, forms: Forms<'p>) -> Self {
        Walk {
            program,
            forms,
            judged: Vec::new(),
            written: Written::default(),
            sites: Vec::new(),
            next: 0,
            asks: Asks::All,
            again: MOST_AGAIN,
            until_open: false,
            has_ended: false,
        }
    }

    /// A walk that ends where something cannot be proved.
    pub(crate) fn until_open(program: &'p Program, forms: Forms<'p>) -> Self {
        Walk {
            until_open: true,
            ..Walk::new(program, forms)
        }
    }

    /// Whether it went to the end of the program.
    pub(crate) fn is_whole(&self) -> bool {
        !self.has_ended
    }

    /// Whether nothing more is to be judged.
    fn is_over(&mut self) -> bool {
        // Whether a word was written may be proved on a second walk through a loop.
        let is_open =
            |found: &Judged| matches!(found.verdict, Verdict::Open(_)) && !is_about_reads(found);
        if self.until_open && !self.has_ended {
            self.has_ended = self.judged.iter().any(is_open);
        }
        self.has_ended
    }

    /// Whether a loop may be walked through once more. Each of nested loops asks, and all within asks for each.
    fn may_walk_again(&mut self) -> bool {
        let left = self.again.checked_sub(1);
        self.again = left.unwrap_or_default();
        left.is_some()
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn judge(&mut self, property: Property, span: Span, subject: Subject, verdict: Verdict) {
        let judged = Judged::new(property, span, subject, verdict);
        self.judged.push(judged);
    }

    /// What is evaluated before anything runs: `let`s of the header, sizes, declared ranges.
    pub(crate) fn header(&mut self, place: &mut Place) {
        for binding in &self.program.lets {
            self.defined(&binding.value, place);
            self.whole(&binding.value, place);
            if let Some(value) = self.forms.number(&binding.value, place) {
                // From here on it is whole, or nothing runs.
                if let NumberKind::Binary {
                    operator: Arithmetic::Divide,
                    left,
                    right,
                } = &binding.value.kind
                    && let [Some(left), Some(right)] =
                        [left, right].map(|side| self.forms.number(side, place))
                    && place.facts.is_integer(&left)
                    && place.facts.is_integer(&right)
                {
                    place.facts.suppose(&Cond::divides(&right, &left));
                }
                self.forms
                    .bind(binding.parameter, Some(value), binding.span);
            }
        }
        for id in self.program.variable_ids() {
            let variable = self.program.variable(id);
            for extent in &variable.dimensions {
                self.defined(extent, place);
                self.whole(extent, place);
                let verdict = match self.forms.number(extent, place) {
                    Some(extent) if bounds::never_negative(&extent, place) => continue,
                    Some(extent) => {
                        let fits = Cond::ge(&extent, &Expr::zero());
                        place.facts.suppose(&fits);
                        Verdict::Open(Reason::Unproved(Lack::Condition(fits)))
                    }
                    None => Verdict::Open(Reason::Form),
                };
                self.judge(Property::Defined, extent.span, Subject::Size(id), verdict);
            }
            for end in variable.range.iter().flat_map(|(low, high)| [low, high]) {
                self.defined(end, place);
                if !self.forms.is_float(id) {
                    self.whole(end, place);
                }
            }
            self.range_of_input(id, place);
        }
        requires::judge(self.program, &mut self.forms, place, &mut self.judged);
    }

    /// An input whose range holds no value can have no data: a run says so.
    fn range_of_input(&mut self, id: VarId, place: &mut Place) {
        let variable = self.program.variable(id);
        let Some((low, high)) = &variable.range else {
            return;
        };
        let ends = [low, high].map(|end| self.forms.number(end, place));
        if let (Role::Input, [Some(low), Some(high)]) = (variable.role, ends)
            && place.facts.proves(&Cond::lt(&high, &low))
        {
            let holds_one = Lack::Condition(Cond::le(&low, &high));
            let verdict = Verdict::Open(Reason::Unproved(holds_one));
            self.judge(
                Property::Defined,
                variable.span,
                Subject::Range(id),
                verdict,
            );
        }
    }

    /// The statements of the host.
    pub(crate) fn host(&mut self, body: &'p [HostStmt], place: &mut Place) {
        for statement in body {
            if self.is_over() {
                return;
            }
            place.begin(Ask::Step);
            match statement {
                HostStmt::Transfer(transfer) => self.transfer(transfer, place),
                HostStmt::Kernel(kernel) => self.kernel(kernel, place),
                HostStmt::For(host_for) => self.host_for(host_for, place),
                HostStmt::While(host_while) => self.host_while(host_while, place),
                HostStmt::Let(binding) => self.host_let(binding, place),
                HostStmt::Swap(swap) => {
                    self.same_shape(swap.left, swap.right, swap.span, place);
                    self.written.swap(swap.left, swap.right);
                }
                HostStmt::Execute(execute) => self.execute(execute, place),
            }
        }
    }

    /// Only arrays of one shape change names.
    fn same_shape(&mut self, left: VarId, right: VarId, span: Span, place: &Place) {
        if self.asks != Asks::All {
            return;
        }
        let verdict = match [left, right].map(|array| self.forms.extents(array)) {
            [Some(one), Some(other)] => {
                let mut sizes = one
                    .iter()
                    .zip(&other)
                    .map(|(one, other)| Cond::eq(one, other));
                match sizes.find(|same| !place.facts.proves(same)) {
                    None => return,
                    Some(same) => Verdict::Open(Reason::Unproved(Lack::Condition(same))),
                }
            }
            [_, _] => Verdict::Open(Reason::Form),
        };
        self.judge(Property::Bounds, span, Subject::Array(left), verdict);
    }

    /// A number of the host that must be whole.
    fn host_let(&mut self, binding: &'p LetBinding, place: &mut Place) {
        self.defined(&binding.value, place);
        self.whole(&binding.value, place);
        let value = self.forms.number(&binding.value, place);
        self.forms.bind(binding.parameter, value, binding.span);
    }

    fn execute(&mut self, execute: &'p Execute, place: &mut Place) {
        for argument in &execute.arguments {
            self.host_let(argument, place);
        }
        self.host(&execute.body, place);
    }

    fn host_for(&mut self, host_for: &'p HostFor, outer: &Place) {
        for bound in [&host_for.from, &host_for.to] {
            self.defined(bound, outer);
            self.whole(bound, outer);
        }
        let mut place = outer.clone();
        let ends = [&host_for.from, &host_for.to].map(|bound| self.forms.number(bound, &mut place));
        let symbol = self.forms.bind_symbol(host_for.variable);
        let id = self.number();
        let kind = match ends {
            [Some(from), Some(to)] => {
                let (low, high) = if host_for.down {
                    (to, from)
                } else {
                    (from, to)
                };
                place.range(&symbol, &low, &high, id);
                match host_for.until {
                    Some(_) => ScopeKind::Uncertain,
                    None => ScopeKind::HostFor,
                }
            }
            [_, _] => {
                place.facts.integer(&symbol);
                ScopeKind::Uncertain
            }
        };
        let turn = match (&kind, place.indices.last()) {
            (ScopeKind::HostFor, Some(index)) => Some(Turn {
                index: index.clone(),
                down: host_for.down,
                is_common: true,
            }),
            (_, _) => None,
        };
        place.scopes.push(Scope { id, kind });
        self.repeated(&host_for.body, &place, turn.as_ref());
        // As an iteration leaves them.
        if let Some(until) = &host_for.until {
            self.host_reads(until, &place);
        }
    }

    fn host_while(&mut self, host_while: &'p HostWhile, outer: &Place) {
        self.defined(&host_while.at_most, outer);
        self.whole(&host_while.at_most, outer);
        let mut place = outer.clone();
        let id = self.number();
        place.scopes.push(Scope {
            id,
            kind: ScopeKind::Uncertain,
        });
        self.host_reads(&host_while.condition, outer);
        self.iterations_bounded(&host_while.condition, host_while.span);
        self.repeated(&host_while.body, &place, None);
    }

    /// A condition of the host, with the words that it reads.
    fn host_reads(&mut self, condition: &'p Condition, place: &Place) {
        let mut words = Vec::new();
        crate::program::Expr::from(condition).words(&mut words);
        for word in words {
            for index in &word.indices {
                self.whole(index, place);
            }
            self.touch(word, Usage::Read, &Arc::new(place.clone()));
        }
        self.defined(condition, place);
    }

    /// The body of a loop of the host: what is written where an iteration begins is what was written
    /// before the loop, what earlier iterations wrote and, of arrays that change names in it, what the
    /// iteration before left under the name.
    fn repeated(&mut self, body: &'p [HostStmt], place: &Place, turn: Option<&Turn>) {
        let swapped = swapped_in(body);
        let entry = self.written.clone();
        let mut head = self.whole_only(entry.clone(), &swapped, place);
        for walk in 0..=MOST_WALKS {
            let whole: Vec<VarId> = swapped
                .iter()
                .copied()
                .filter(|array| head.is_whole(*array))
                .collect();
            if whole.is_empty() {
                break;
            }
            let lost: Vec<VarId> = if walk < MOST_WALKS && self.may_walk_again() {
                let asks = std::mem::replace(&mut self.asks, Asks::Nothing);
                let (_, exit) = self.iteration(body, place, &head);
                self.asks = asks;
                let is_lost = |array: &VarId| !exit.is_whole(*array);
                whole.into_iter().filter(is_lost).collect()
            } else {
                // Nothing is known of what still changes.
                whole
            };
            if lost.is_empty() {
                break;
            }
            lost.into_iter().for_each(|array| head.forget(array));
        }
        let (mut judged, mut exit) = self.iteration(body, place, &head);
        let unwritten = unwritten_in(&judged);
        if let Some(turn) = turn
            && !unwritten.is_empty()
            && self.may_walk_again()
        {
            let mut carried = head.clone();
            carried.carry(&head, &exit, &entry, &swapped, turn, &mut self.forms);
            let asks = std::mem::replace(&mut self.asks, Asks::Reads(unwritten));
            let again;
            (again, exit) = self.iteration(body, place, &carried);
            self.take_over(asks, &mut judged, again);
        }
        self.judged.extend(judged);
        self.written = exit;
        // After the loop, which may not have run at all.
        for &array in &swapped {
            match turn {
                // That it was whole may follow from the loop running at all.
                Some(turn) if !entry.is_whole(array) => {
                    if head.is_whole(array) {
                        self.written.restore(array, &head);
                    }
                    self.written.finish(array, &entry, turn);
                }
                Some(_) | None => self.written.restore(array, &head),
            }
        }
    }

    /// One iteration: what is judged in it, and what is written at its end; of arrays that are whole
    /// where it begins, whether they are again.
    fn iteration(
        &mut self,
        body: &'p [HostStmt],
        place: &Place,
        head: &Written,
    ) -> (Vec<Judged>, Written) {
        let before = self.judged.len();
        self.written = head.clone();
        let mut inner = place.clone();
        self.host(body, &mut inner);
        let judged = self.judged.split_off(before);
        let mut exit = std::mem::take(&mut self.written);
        for array in swapped_in(body) {
            if head.is_whole(array) && !exit.is_whole(array) {
                let whole = self.whole_only(exit.clone(), &[array], place);
                if whole.is_whole(array) {
                    exit.fill(array);
                }
            }
        }
        (judged, exit)
    }

    /// Of some arrays only whether they are written whole.
    fn whole_only(&mut self, mut written: Written, arrays: &[VarId], place: &Place) -> Written {
        for &array in arrays {
            let is_whole = written.is_whole(array)
                || self.forms.extents(array).is_some_and(|extents| {
                    cover::is_all(&written, array, &extents, place, &mut self.forms)
                });
            written.forget(array);
            if is_whole {
                written.fill(array);
            }
        }
        written
    }

    fn transfer(&mut self, transfer: &'p Transfer, outer: &Place) {
        let (from, to) = match transfer.direction {
            Direction::Inward => (&transfer.host, &transfer.global),
            Direction::Outward => (&transfer.global, &transfer.host),
        };
        self.same_size(transfer, &mut outer.clone());
        let mut place = outer.clone();
        for region in [from, to] {
            for extent in &region.extents {
                match extent {
                    Extent::All => {}
                    Extent::At(index) => self.bound_of_region(index, outer),
                    Extent::Range(low, high) => {
                        self.bound_of_region(low, outer);
                        self.bound_of_region(high, outer);
                        // An empty slice is in bounds anywhere.
                        let ends = [low, high].map(|end| self.forms.number(end, &mut place));
                        if let [Some(low), Some(high)] = ends {
                            place.guard(&Cond::le(&low, &high));
                        }
                    }
                }
            }
        }
        for region in [from, to] {
            self.region_in_bounds(region, &mut place);
        }
        self.transferred_range(from, to, &mut place);
        // Read, then written.
        if let Some(site) = self.region_site(from, Usage::Read, outer) {
            self.initialised(&site);
        } else if self.asks == Asks::All {
            let verdict = Verdict::Open(Reason::Form);
            self.judge(
                Property::Initialised,
                from.span,
                Subject::Read(from.variable),
                verdict,
            );
        }
        if to.is_whole() && !outer.is_in(&ScopeKind::Uncertain) && !outer.is_in(&ScopeKind::HostFor)
        {
            self.written.fill(to.variable);
        } else if let Some(site) = self.region_site(to, Usage::Write, outer) {
            self.written.add(site);
        }
    }

    fn bound_of_region(&mut self, number: &'p Number, place: &Place) {
        self.defined(number, place);
        self.whole(number, place);
    }

    /// Both sides of a transfer have the same number of words.
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

    /// Values transferred to where the declaration gives a range.
    fn transferred_range(&mut self, from: &'p Region, to: &'p Region, place: &mut Place) {
        if self.asks != Asks::All {
            return;
        }
        if let Some(range) = &self.program.variable(to.variable).range {
            let value = self.forms.any(from.variable, place);
            let is_free = self.program.variable(from.variable).range.is_none();
            let verdict = match self.in_range(range, value.as_ref(), place) {
                Verdict::Open(Reason::Data) if is_free => {
                    Verdict::Open(Reason::Transferred(from.variable))
                }
                verdict => verdict,
            };
            self.judge(
                Property::Defined,
                to.span,
                Subject::Range(to.variable),
                verdict,
            );
        }
    }

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
                    Some(index) => place.asked(|| bounds::within(&index, size, place)),
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

    /// A region as a touch of any of its words.
    fn region_site(&mut self, region: &'p Region, usage: Usage, outer: &Place) -> Option<Site> {
        let extents = self.forms.extents(region.variable)?;
        let mut place = outer.clone();
        let id = self.number();
        place.scopes.push(Scope {
            id,
            kind: ScopeKind::HostFor,
        });
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

    fn kernel(&mut self, kernel: &'p Kernel, outer: &Place) {
        let mut place = outer.clone();
        let id = self.number();
        for range in &kernel.mps {
            for bound in [&range.low, &range.high] {
                self.defined(bound, &place);
                self.whole(bound, &place);
            }
            let ends = [&range.low, &range.high].map(|end| self.forms.number(end, &mut place));
            let symbol = self.forms.bind_symbol(range.parameter);
            match ends {
                [Some(low), Some(high)] => place.range(&symbol, &low, &high, id),
                [_, _] => {
                    place.facts.integer(&symbol);
                    place.doubts.push(id);
                }
            }
        }
        place.scopes.push(Scope {
            id,
            kind: ScopeKind::Mps,
        });
        let sites = std::mem::take(&mut self.sites);
        self.forms.enter_kernel();
        for part in &kernel.body {
            match part {
                WrapperStmt::Let(binding) => self.kernel_let(binding, &mut place),
                WrapperStmt::Cores(cores) => self.cores(cores, &place),
            }
        }
        let sites = std::mem::replace(&mut self.sites, sites);
        if self.asks == Asks::All && !self.is_over() {
            races::between_mps(&sites, id, &mut self.forms, &mut self.judged);
        }
        for &variable in &kernel.names_shared {
            self.written.forget(variable);
        }
    }

    fn cores(&mut self, cores: &'p CoreLoop, outer: &Place) {
        let mut place = outer.clone();
        let id = self.number();
        let symbol = self.forms.bind_symbol(cores.core);
        let last = self.forms.width() - 1;
        place.range(&symbol, &Expr::zero(), &last, id);
        place.scopes.push(Scope {
            id,
            kind: ScopeKind::Cores,
        });
        self.block(&cores.body, &mut place);
    }

    fn kernel_let(&mut self, binding: &'p LetBinding, place: &mut Place) {
        self.reads(&binding.value, place);
        let is_whole = matches!(binding.value.ty, Type::Number | Type::Int);
        let value = if is_whole {
            self.forms.number(&binding.value, place)
        } else {
            None
        };
        self.forms.bind(binding.parameter, value, binding.span);
    }

    fn block(&mut self, body: &'p [Stmt], place: &mut Place) {
        for statement in body {
            if self.is_over() {
                return;
            }
            self.statement(statement, place);
        }
    }

    fn statement(&mut self, statement: &'p Stmt, place: &mut Place) {
        place.begin(Ask::Step);
        match &statement.kind {
            StmtKind::Load { target, source } => {
                self.index_reads(source, place);
                self.index_reads(target, place);
                let at = Arc::new(place.clone());
                self.touch(source, Usage::Read, &at);
                let value = self.forms.copied(source, place);
                self.write(target, value, place);
            }
            StmtKind::Store { target, source } => {
                self.index_reads(source, place);
                self.index_reads(target, place);
                let at = Arc::new(place.clone());
                self.touch(source, Usage::Read, &at);
                let value = self.forms.word(source, place);
                self.write(target, value, place);
            }
            StmtKind::Assign { target, value } => {
                self.reads(value, place);
                self.index_reads(target, place);
                let is_whole = matches!(value.ty, Type::Number | Type::Int);
                let form = if is_whole {
                    self.forms.number(value, place)
                } else {
                    self.forms.real(value, target.variable, place)
                };
                if value.ty == Type::Number && !self.forms.is_float(target.variable) {
                    self.whole(value, place);
                }
                self.write(target, form, place);
            }
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => {
                for operand in operands {
                    self.reads(&operand.value, place);
                    if operand.value.ty == Type::Number && !self.forms.is_float(target.variable) {
                        self.whole(&operand.value, place);
                    }
                }
                self.index_reads(target, place);
                // An update reads and writes in one step, so two of one word are no race. A plain read or write of the word beside
                // it is one.
                let at = Arc::new(place.clone());
                self.touch(target, Usage::Update, &at);
                let values = operands.iter();
                let values = values.map(|operand| self.forms.number(&operand.value, place));
                let values = values.collect();
                self.range_of_update(target, *operator, values, place);
                self.forms.forget(target.variable);
            }
            StmtKind::Let(binding) => self.kernel_let(binding, place),
            StmtKind::If { condition, body } => {
                self.reads(condition, place);
                let mut inner = place.clone();
                self.forms.assume(condition, &mut inner);
                let held = self.forms.words_held();
                self.block(body, &mut inner);
                self.forms.leave_block(held);
            }
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => {
                for bound in [from, to] {
                    self.reads(bound, place);
                    self.whole(bound, place);
                }
                let (low, high) = if *down { (to, from) } else { (from, to) };
                let mut inner = place.clone();
                let ends = [low, high].map(|end| self.forms.number(end, &mut inner));
                let symbol = self.forms.bind_symbol(*variable);
                let id = self.number();
                // A loop is walked once, with its variable as a symbol between its ends. What earlier iterations wrote counts
                // as written (`Turn`), if it is known which these are.
                // Which iterations a core that may leave early is in, is not known.
                let leaves = matches!(
                    body.last().map(|last| &last.kind),
                    Some(StmtKind::Until { .. })
                );
                if leaves {
                    inner.doubts.push(id);
                }
                match ends {
                    [Some(low), Some(high)] => {
                        let first = if *down { &high } else { &low };
                        let is_common = !leaves && is_common(first, &inner);
                        inner.range(&symbol, &low, &high, id);
                        inner.scopes.push(Scope {
                            id,
                            kind: ScopeKind::Loop { is_common },
                        });
                    }
                    [_, _] => {
                        inner.facts.integer(&symbol);
                        inner.words.push(symbol);
                        inner.doubts.push(id);
                        inner.scopes.push(Scope {
                            id,
                            kind: ScopeKind::Loop { is_common: false },
                        });
                    }
                }
                self.forms.forget_written(body);
                let is_each = ScopeKind::Loop { is_common: false };
                let is_own = inner
                    .scopes
                    .last()
                    .is_some_and(|scope| scope.kind == is_each);
                let turn = match inner.indices.last() {
                    Some(index) if index.scope == id && !leaves => Some(Turn {
                        index: index.clone(),
                        down: *down,
                        is_common: !is_own,
                    }),
                    Some(_) | None => None,
                };
                self.iterations(body, &inner, turn.as_ref());
            }
            StmtKind::Until { condition } => self.reads(condition, place),
            StmtKind::While {
                condition,
                at_most,
                body,
            } => {
                if let Some(bound) = at_most {
                    self.reads(bound, place);
                    self.whole(bound, place);
                    self.iterations_bounded(condition, statement.span);
                }
                // At the head of any iteration but the first, words that the body writes have values that nothing here tells.
                // They are forgotten before the condition is read: `while _i[j] < n` says of each iteration what it says of one.
                self.forms.forget_written(body);
                let mut inner = place.clone();
                self.reads(condition, &mut inner);
                self.forms.assume(condition, &mut inner);
                let id = self.number();
                inner.doubts.push(id);
                inner.scopes.push(Scope {
                    id,
                    kind: ScopeKind::Loop { is_common: false },
                });
                self.iterations(body, &inner, None);
            }
        }
    }

    /// Whether a `while` stays within its bound is asked where data do not decide it.
    fn iterations_bounded(&mut self, condition: &Condition, span: Span) {
        if self.asks != Asks::All {
            return;
        }
        if !crate::program::Expr::from(condition).reads_words() {
            let verdict = Verdict::Open(Reason::Unbounded);
            self.judge(Property::Defined, span, Subject::Iterations, verdict);
        }
    }

    /// The body of a loop of the cores; once more with what earlier iterations wrote, if something
    /// is read that was not written before it.
    fn iterations(&mut self, body: &'p [Stmt], place: &Place, turn: Option<&Turn>) {
        let judged = self.judged.len();
        let before = self.written.clone();
        let held = self.forms.words_held();
        self.block(body, &mut place.clone());
        self.forms.leave_block(held.clone());
        let unwritten = unwritten_in(&self.judged[judged..]);
        if let Some(turn) = turn
            && !unwritten.is_empty()
            && self.may_walk_again()
        {
            let mut carried = before.clone();
            carried.carry(&before, &self.written, &before, &[], turn, &mut self.forms);
            let mut first = self.judged.split_off(judged);
            let sites_of_first = self.sites.len();
            self.written = carried;
            let asks = std::mem::replace(&mut self.asks, Asks::Reads(unwritten));
            self.block(body, &mut place.clone());
            self.forms.leave_block(held);
            self.sites.truncate(sites_of_first);
            let again = self.judged.split_off(judged);
            self.take_over(asks, &mut first, again);
            self.judged.extend(first);
        }
        self.forms.forget_written(body);
    }

    /// Puts what a second walk found of reads in the place of what the first one did, and asks what was
    /// asked before.
    fn take_over(&mut self, asks: Asks, first: &mut [Judged], again: Vec<Judged>) {
        let Asks::Reads(places) = std::mem::replace(&mut self.asks, asks) else {
            return;
        };
        let was_asked =
            |judged: &&mut Judged| is_about_reads(judged) && places.contains(&judged.span);
        for (found, anew) in first.iter_mut().filter(was_asked).zip(again) {
            debug_assert_eq!(found.span, anew.span, "both walks go the same way");
            *found = anew;
        }
    }

    fn write(&mut self, target: &'p Word, value: Option<Expr>, place: &mut Place) {
        self.declared_range(target, value.as_ref(), place);
        let at = Arc::new(place.clone());
        self.touch_with(target, Usage::Write, value.clone(), &at);
        self.forms.store(target, value, place);
    }

    /// A value written where the declaration gives a range.
    fn declared_range(&mut self, target: &'p Word, value: Option<&Expr>, place: &mut Place) {
        self.judge_range(target, |walk, range| walk.in_range(range, value, place));
    }

    /// As [`Walk::declared_range`], of a word that takes the least or the largest of what it is and of some values: on
    /// one side it stays within what it was.
    fn range_of_update(
        &mut self,
        target: &'p Word,
        operator: AtomicOperator,
        values: Option<Vec<Expr>>,
        place: &mut Place,
    ) {
        self.judge_range(target, |walk, (low, high)| {
            let end = match operator {
                AtomicOperator::Min => low,
                AtomicOperator::Max => high,
                AtomicOperator::Add | AtomicOperator::Multiply => {
                    return Verdict::Open(Reason::Data);
                }
            };
            let (Some(values), Some(end)) = (values, walk.forms.number(end, place)) else {
                return Verdict::Open(Reason::Data);
            };
            let within = |value: &Expr| match operator {
                AtomicOperator::Min => bounds::between(value, &end, value, place),
                _ => bounds::between(value, value, &end, place),
            };
            let verdicts: Vec<Verdict> = values.iter().map(within).collect();
            let open = verdicts.iter().position(|verdict| !verdict.is_proved());
            let verdict = verdicts.into_iter().nth(open.unwrap_or(0));
            verdict.unwrap_or(Verdict::Open(Reason::Data))
        });
    }

    /// What is written where the declaration gives a range, as `verdict` says of that.
    fn judge_range(
        &mut self,
        target: &'p Word,
        verdict: impl FnOnce(&mut Self, &'p (Number, Number)) -> Verdict,
    ) {
        if self.asks != Asks::All {
            return;
        }
        let Some(range) = &self.program.variable(target.variable).range else {
            return;
        };
        let verdict = if self.forms.is_float(target.variable) {
            Verdict::Open(Reason::Form)
        } else {
            verdict(self, range)
        };
        let subject = Subject::Range(target.variable);
        self.judge(Property::Defined, target.span, subject, verdict);
    }

    fn in_range(
        &mut self,
        (low, high): &(Number, Number),
        value: Option<&Expr>,
        place: &mut Place,
    ) -> Verdict {
        let ends = [low, high].map(|end| self.forms.number(end, place));
        match (ends, value) {
            ([Some(low), Some(high)], Some(value)) => bounds::between(value, &low, &high, place),
            (_, _) => Verdict::Open(Reason::Data),
        }
    }

    fn touch(&mut self, word: &'p Word, usage: Usage, place: &Arc<Place>) {
        self.touch_with(word, usage, None, place);
    }

    /// A word that is touched: within its extents, written before it is read, no race in its
    /// instruction.
    fn touch_with(&mut self, word: &'p Word, usage: Usage, value: Option<Expr>, at: &Arc<Place>) {
        let mut place = (**at).clone();
        let indices: Vec<Option<Expr>> = word
            .indices
            .iter()
            .map(|index| self.forms.number(index, &mut place))
            .collect();
        let subject = match usage {
            Usage::Read => Subject::Read(word.variable),
            Usage::Write => Subject::Write(word.variable),
            Usage::Update => Subject::Update(word.variable),
        };
        let extents = self.forms.extents(word.variable);
        let mut worst = None;
        for (number, index) in indices.iter().enumerate() {
            let extent = extents.as_ref().and_then(|extents| extents.get(number));
            let verdict = match (index, extent) {
                (Some(index), Some(extent)) => {
                    let verdict = (self.asks == Asks::All)
                        .then(|| place.asked(|| bounds::within(index, extent, &place)));
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
        if let Some(verdict) = worst
            && self.asks == Asks::All
        {
            self.judge(Property::Bounds, word.span, subject, verdict);
        }
        let site = Site {
            span: word.span,
            variable: word.variable,
            usage,
            indices,
            value,
            place: Arc::new(place),
        };
        if usage != Usage::Write {
            self.initialised(&site);
        }
        if usage == Usage::Write && self.asks == Asks::All {
            let verdict = (site.place).asked(|| races::in_instruction(&site, &mut self.forms));
            self.judge(Property::Races, word.span, subject, verdict);
        }
        let is_shared = self.forms.is_shared(word.variable);
        let ordered = if is_shared && usage == Usage::Read {
            None
        } else {
            site.place
                .asking(|| races::in_order(&site, &mut self.forms))
        };
        if usage != Usage::Read {
            self.written.add(site.clone());
            if let Some(ordered) = &ordered {
                self.written.add(ordered.clone());
            }
        }
        self.sites.push(ordered.unwrap_or(site));
    }

    fn initialised(&mut self, site: &Site) {
        let is_asked = match &self.asks {
            Asks::All => true,
            Asks::Reads(places) => places.contains(&site.span),
            Asks::Nothing => false,
        };
        if !is_asked {
            return;
        }
        let variable = self.program.variable(site.variable);
        let verdict = if variable.role == Role::Input {
            Verdict::Proved(Rule::Input)
        } else {
            (site.place).asked(|| cover::covered(&self.written, site, &mut self.forms))
        };
        let subject = Subject::Read(site.variable);
        self.judge(Property::Initialised, site.span, subject, verdict);
    }

    /// What an expression of a kernel reads, and whether it has a value.
    fn reads<'e>(&mut self, expr: impl Into<crate::program::Expr<'e>>, place: &mut Place)
    where
        'p: 'e,
        'e: 'p,
    {
        let expr = expr.into();
        self.defined(expr, place);
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

    fn index_reads(&mut self, word: &'p Word, place: &mut Place) {
        for index in &word.indices {
            self.reads(index, place);
            self.whole(index, place);
        }
    }

    /// A number that must be whole.
    fn whole(&mut self, number: &Number, place: &Place) {
        if number.ty != Type::Number || self.asks != Asks::All {
            return;
        }
        let mut place = place.clone();
        let verdict = match self.forms.number(number, &mut place) {
            Some(value) if place.facts.is_integer(&value) => return,
            Some(value) => Verdict::Open(Reason::Unproved(Lack::Whole(value))),
            None => Verdict::Open(Reason::Form),
        };
        self.judge(Property::Defined, number.span, Subject::Whole, verdict);
    }

    /// Everything in an expression that must have a value.
    fn defined<'e>(&mut self, expr: impl Into<crate::program::Expr<'e>>, place: &Place) {
        if self.asks != Asks::All {
            return;
        }
        crate::safety::defined::judge(expr.into(), &mut self.forms, place, &mut self.judged);
    }
}

fn is_about_reads(judged: &Judged) -> bool {
    judged.property == Property::Initialised
}

/// The places that read what may not be written.
fn unwritten_in(judged: &[Judged]) -> Vec<Span> {
    let mut places: Vec<Span> = Vec::new();
    for found in judged {
        if is_about_reads(found) && !found.verdict.is_proved() && !places.contains(&found.span) {
            places.push(found.span);
        }
    }
    places
}

/// Whether a value is the same for all cores: no core, no word is in it.
fn is_common(value: &Expr, place: &Place) -> bool {
    let cores = place.scopes.iter().filter(|scope| {
        matches!(
            scope.kind,
            ScopeKind::Cores | ScopeKind::Loop { is_common: false }
        )
    });
    let ids: Vec<u32> = cores.map(|scope| scope.id).collect();
    let mut own = place
        .indices
        .iter()
        .filter(|index| ids.contains(&index.scope));
    !own.any(|index| value.contains(&index.symbol))
        && !place.words.iter().any(|word| value.contains(word))
}

/// The worse of two verdicts.
pub(crate) fn worse(one: Option<Verdict>, other: Verdict) -> Verdict {
    match one {
        Some(one) if !one.is_proved() => one,
        Some(Verdict::Proved(rule)) => match other {
            // The stronger argument names both.
            Verdict::Proved(Rule::AffineRange) => Verdict::Proved(rule),
            other => other,
        },
        Some(_) | None => other,
    }
}

/// The arrays that change names in a loop.
fn swapped_in(body: &[HostStmt]) -> Vec<VarId> {
    let mut swapped = Vec::new();
    for statement in nested_on_host(body) {
        if let HostStmt::Swap(swap) = statement {
            for array in [swap.left, swap.right] {
                if !swapped.contains(&array) {
                    swapped.push(array);
                }
            }
        }
    }
    swapped
}
