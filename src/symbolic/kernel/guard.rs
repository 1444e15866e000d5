//! `if` in a kernel: which cores stay active, and what could not be decided.
//!
//! A condition is a conjunction. Parts that are the same for all cores go into the bracket under
//! which the body counts; parts linear in the core narrow the interval of active cores, residues
//! number them anew; an alternative with a part that is the same for all cores is counted case by
//! case. What is left thins out the interval.

use crate::count::Inexact;
use crate::program::{Condition, ConditionKind, Stmt};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::{Active, Narrowed};
use crate::symbolic::amount::Amount;
use crate::symbolic::kernel::{Affected, LineCount, Walk};
use crate::text::Span;

/// How many alternatives around a place are counted case by case.
const MOST_CASES: u32 = 4;

/// A conjunct of a guard, and where it stands.
type Part = (Cond, Span);

/// A body under a guard as far as it has been looked at.
struct Guarded<'p> {
    body: &'p [Stmt],
    active: Active,
    /// Conditions without which no core is active, as far as they are not proved.
    open: Vec<Cond>,
    /// True if some core is certainly active when all of `open` holds.
    certain: bool,
    /// What is known before the guard.
    outer: Facts,
}

impl<'p> Walk<'_, 'p> {
    pub(crate) fn conditional(
        &mut self,
        statement: &Stmt,
        condition: &'p Condition,
        body: &'p [Stmt],
        active: &Active,
        lines: &mut Vec<LineCount>,
    ) {
        lines.push(self.statement_line(statement, active));
        let mut guarded = Guarded {
            body,
            active: active.clone(),
            open: Vec::new(),
            certain: true,
            outer: active.facts.clone(),
        };
        let mut conjuncts = Vec::new();
        flatten(condition, &mut conjuncts);
        let mut parts = Vec::new();
        for conjunct in conjuncts {
            match self.known.condition(conjunct, active) {
                Ok(cond) => parts.push((cond, conjunct.span)),
                Err(why) => {
                    guarded.certain = false;
                    let loss = Inexact::Guard(why.formless());
                    self.lose(Affected::Execution, why.span(), loss);
                    if self.cycle_rules.is_some() {
                        guarded.active.blur();
                    }
                }
            }
        }
        lines.extend(self.guarded(parts, guarded));
    }

    /// Counts a body under the parts of a guard.
    ///
    /// Each part does one of three things. A part without the core joins `open`, the conditions without which no
    /// core is active. A part linear in the core narrows the interval of active cores; if the interval may be
    /// empty, the condition that it is not joins `open` too. Any other part thins the interval out, and then only
    /// bounds may be left.
    ///
    /// Example with b = 4, MP i and core j: `if i > 0 and j < n - 4i`. The first part adds i ≥ 1 to `open`. The
    /// second keeps the cores up to min(3, n − 4i − 1), and adds n − 4i ≥ 1. The body is counted for these cores,
    /// and every amount is multiplied by [i ≥ 1 ∧ n − 4i ≥ 1].
    ///
    /// `certain` says that some core is active whenever `open` holds. Without it the lower bounds become 0.
    fn guarded(&mut self, parts: Vec<Part>, mut guarded: Guarded<'p>) -> Vec<LineCount> {
        let mut left = Vec::new();
        for (cond, span) in parts {
            let fresh = |walk: &mut Self| walk.known.symbols.fresh("core");
            match keep(&cond, &mut guarded, &mut || fresh(self)) {
                Kept::All => {}
                Kept::None => return Vec::new(),
                Kept::NotExactly(Cond::And(parts)) => {
                    left.extend(parts.into_iter().map(|part| (part, span)));
                }
                Kept::NotExactly(cond) => left.push((cond, span)),
            }
        }
        while let Some((cond, span)) = left.pop() {
            match guarded.active.facts.simplify_cond(&cond) {
                Cond::True => continue,
                Cond::False => return Vec::new(),
                Cond::Or(cases) if self.cases < MOST_CASES => {
                    let (same, differing): (Vec<_>, Vec<_>) = cases
                        .into_iter()
                        .partition(|case| !case.contains(&guarded.active.core));
                    if !same.is_empty() {
                        let rest = Cond::or(differing);
                        return self.by_case(Cond::or(same), (rest, span), left, guarded);
                    }
                    self.thin(&Cond::or(differing), span, &mut guarded);
                }
                cond => match guarded.active.keep_columns(&cond) {
                    Some(narrowed) => {
                        if !note(narrowed, &mut guarded) {
                            return Vec::new();
                        }
                    }
                    None => self.thin(&cond, span, &mut guarded),
                },
            }
        }
        let is_first = guarded.active.crew.is_open;
        guarded.active.muster();
        let open = Cond::and(guarded.open);
        let before = guarded.outer.clone();
        let mut outer = guarded.outer;
        outer.suppose(&open);
        let executed = Amount::exact(Expr::bracket(open));
        let differs = self.differs_between_mps(&executed);
        let lines = self.block(guarded.body, &guarded.active).into_iter();
        let counted = |amount: &Amount| {
            if guarded.certain {
                amount.times(&executed)
            } else {
                // Where no core satisfies the guard, the count says nothing, not even that it is ≥ 0.
                amount
                    .map(|end| at_least_nothing(end, &outer))
                    .times(&executed)
                    .or_nothing()
            }
        };
        lines
            .map(|line| {
                // A loose bound stays without the bracket, and so stays short. That is right if the bound has a value
                // and is not negative where the guard fails.
                let unguarded = |amount: &Amount| {
                    let is_plain = |upper: &Expr| {
                        before.is_non_negative(upper) && before.always_have_value(upper)
                    };
                    if amount.upper.as_ref().is_some_and(is_plain) {
                        amount.clone().or_nothing()
                    } else {
                        counted(amount)
                    }
                };
                let [executions, operations] =
                    [&line.loose.executions, &line.loose.operations].map(unguarded);
                let mut line = line.map(counted).without_striding_if(differs);
                (line.loose.executions, line.loose.operations) = (executions, operations);
                if let Some(access) = line.access.as_mut().filter(|_| is_first) {
                    access.crew = access.crew.as_ref().map(counted);
                }
                if let Some(joint) = line.joined.sorted.take() {
                    let is_common = self.around.is_common(&executed.lower);
                    line.joined.sorted = Some(if is_common {
                        Box::new(joint.times(&executed.lower))
                    } else {
                        joint
                    });
                }
                line
            })
            .collect()
    }

    /// `same ∨ rest`, the first of which does not depend on the core: where it holds, and where only
    /// the rest can.
    fn by_case(
        &mut self,
        same: Cond,
        rest: Part,
        left: Vec<Part>,
        guarded: Guarded<'p>,
    ) -> Vec<LineCount> {
        self.cases += 1;
        let mut holding = left.clone();
        holding.push((same.clone(), rest.1));
        let other = Guarded {
            active: guarded.active.clone(),
            open: guarded.open.clone(),
            outer: guarded.outer.clone(),
            ..guarded
        };
        let first = self.guarded(holding, guarded);
        let mut failing = left;
        failing.push((same.not(), rest.1));
        failing.push(rest);
        let second = self.guarded(failing, other);
        self.cases -= 1;
        merged(first, second)
    }

    /// Leaves the interval of active cores as it is, of which only those with a condition are active.
    fn thin(&mut self, cond: &Cond, span: Span, guarded: &mut Guarded<'p>) {
        let some = self.some_case(cond, guarded);
        let active = &mut guarded.active;
        let candidates = [active.first(), active.last()];
        let narrowed = active.thin(cond, &candidates, None);
        if matches!(narrowed, Narrowed::Inhabited) {
            return;
        }
        match some {
            Some(some) => {
                guarded.active.suppose(&some);
                guarded.open.push(some);
            }
            None => {
                guarded.certain = false;
                self.lose(Affected::Execution, span, Inexact::AnyCore);
            }
        }
    }

    /// That some core is active in one of the cases of an alternative: where the cores of each case are an interval of
    /// those active now, which has one or not.
    fn some_case(&mut self, cond: &Cond, guarded: &Guarded<'p>) -> Option<Cond> {
        // `x < m ∨ x ≥ n - m` with x = ib + j: of the cores 0 to b − 1 the first case has some where ib < m, the second
        // where ib + b − 1 ≥ n − m. The body runs where either holds, and once.
        let Cond::Or(cases) = cond else {
            return None;
        };
        if guarded.active.thinned.is_some() {
            return None;
        }
        let some = cases.iter().map(|case| {
            let mut alone = Guarded {
                active: guarded.active.clone(),
                open: Vec::new(),
                outer: guarded.outer.clone(),
                certain: true,
                body: guarded.body,
            };
            let kept = keep(case, &mut alone, &mut || self.known.symbols.fresh("core"));
            match kept {
                Kept::All if alone.certain => Some(Cond::and(alone.open)),
                Kept::None => Some(Cond::False),
                Kept::All | Kept::NotExactly(_) => None,
            }
        });
        let some = Cond::or(some.collect::<Option<Vec<_>>>()?);
        Some(guarded.active.facts.simplify_cond(&some))
    }
}

/// The value where it is not negative, else 0.
fn at_least_nothing(value: &Expr, facts: &Facts) -> Expr {
    let zero = Expr::zero();
    match facts.prove(&Cond::ge(value, &zero)) {
        Some(true) => value.clone(),
        Some(false) | None => facts.simplify(&Expr::max(vec![zero, value.clone()])),
    }
}

/// What a part of a guard does where it stands.
enum Kept {
    /// The active cores are now those that satisfy it.
    All,
    /// No active core does.
    None,
    /// They have no such form; the condition as far as it is simplified.
    NotExactly(Cond),
}

/// Narrows the active cores by one part, where what is left is an interval of a numbering.
fn keep(
    cond: &Cond,
    guarded: &mut Guarded<'_>,
    fresh: &mut dyn FnMut() -> crate::sym::Symbol,
) -> Kept {
    let active = &mut guarded.active;
    let cond = active.facts.simplify_cond(&active.view_cond(cond));
    let zero = Expr::zero();
    let narrowed = match &cond {
        Cond::True => return Kept::All,
        Cond::False => return Kept::None,
        cond if !cond.contains(&active.core) => {
            active.suppose(cond);
            guarded.open.push(cond.clone());
            return Kept::All;
        }
        Cond::And(parts) => {
            let mut left = Vec::new();
            for part in parts {
                match keep(part, guarded, fresh) {
                    Kept::All => {}
                    Kept::None => return Kept::None,
                    Kept::NotExactly(part) => left.push(part),
                }
            }
            return if left.is_empty() {
                Kept::All
            } else {
                Kept::NotExactly(Cond::and(left))
            };
        }
        Cond::NonNegative(e) => keep_non_negative(active, e),
        Cond::Zero(e) => return keep_zero(e, guarded).unwrap_or(Kept::NotExactly(cond)),
        Cond::Divides(d, e) => keep_multiples(active, d, e, fresh),
        Cond::Not(inner) => match &**inner {
            Cond::NonNegative(e) => keep_negative(active, e),
            // What is never negative and not 0 is at least 1.
            Cond::Zero(e) if active.facts.is_integer(e) => {
                if active.facts.prove(&Cond::ge(e, &zero)) == Some(true) {
                    keep_non_negative(active, &(e - 1))
                } else if active.facts.prove(&Cond::le(e, &zero)) == Some(true) {
                    keep_non_negative(active, &(e.neg() - 1))
                } else {
                    None
                }
            }
            Cond::Divides(d, e) if *d == Expr::int(2) => keep_multiples(active, d, &(e + 1), fresh),
            _ => None,
        },
        Cond::PowerOf(..) | Cond::Or(_) => None,
    };
    match narrowed.map(|narrowed| note(narrowed, guarded)) {
        Some(true) => Kept::All,
        Some(false) => Kept::None,
        None => Kept::NotExactly(cond),
    }
}

/// Notes what must hold for some core to stay active; false where none does.
fn note(narrowed: Narrowed, guarded: &mut Guarded<'_>) -> bool {
    match narrowed {
        Narrowed::Inhabited => {}
        Narrowed::Provided(condition) => guarded.open.push(condition),
        Narrowed::Empty => return false,
        Narrowed::Unknown(condition) => {
            guarded.open.push(condition);
            guarded.certain = false;
        }
    }
    true
}

/// e as constant + slope·core.
fn linear(active: &Active, e: &Expr) -> Option<[Expr; 2]> {
    let simple = active.facts.simplify(e);
    simple.linear_in(&active.core)
}

fn keep_non_negative(active: &mut Active, e: &Expr) -> Option<Narrowed> {
    let Some([constant, slope]) = linear(active, e) else {
        return keep_rounded(active, e);
    };
    active.keep_non_negative(&constant, &slope)
}

/// constant + factor·⌊x⌋ ≥ 0, with x linear in the core: x from a whole number on, or below one.
fn keep_rounded(active: &mut Active, e: &Expr) -> Option<Narrowed> {
    let (zero, one) = (Expr::zero(), Expr::one());
    let simple = active.facts.simplify(e);
    let (constant, factor, inner) = simple.around_floor(&active.core)?;
    let [offset, slope] = inner.linear_in(&active.core)?;
    if constant.contains(&active.core) {
        return None;
    }
    let outer = active.facts.clone();
    let narrowed = if outer.prove(&Cond::gt(&factor, &zero))? {
        let least = constant.neg().div(&factor)?.ceil();
        active.keep_non_negative(&(&offset - &least), &slope)?
    } else if outer.prove(&Cond::lt(&factor, &zero))? {
        let most = constant.div(&factor.neg())?.floor();
        active.keep_positive(&(&most + &one - &offset), &slope.neg())?
    } else {
        return None;
    };
    if !matches!(narrowed, Narrowed::Empty) {
        active.suppose(&Cond::non_negative(&simple));
    }
    Some(narrowed)
}

/// e < 0: for a whole e that is −e − 1 ≥ 0.
fn keep_negative(active: &mut Active, e: &Expr) -> Option<Narrowed> {
    let Some([constant, slope]) = linear(active, e) else {
        let opposite = e.neg() - 1;
        return active
            .facts
            .is_integer(e)
            .then(|| keep_rounded(active, &opposite))
            .flatten();
    };
    if active.facts.is_integer(e) {
        active.keep_non_negative(&(constant.neg() - 1), &slope.neg())
    } else {
        active.keep_positive(&constant.neg(), &slope.neg())
    }
}

/// e = 0: one core, if it is a whole number and among the active ones.
fn keep_zero(e: &Expr, guarded: &mut Guarded<'_>) -> Option<Kept> {
    let active = &mut guarded.active;
    let [constant, slope] = linear(active, e)?;
    let facts = &active.facts;
    let zero = Expr::zero();
    if facts.prove(&Cond::ne(&slope, &zero)) != Some(true) {
        return None;
    }
    let at = facts.simplify(&constant.neg().div(&slope)?);
    if !facts.is_integer(&at) {
        let whole = facts.simplify_cond(&Cond::divides(&slope, &constant));
        if !facts.is_integer(&slope) || !facts.is_integer(&constant) || whole == Cond::False {
            return None;
        }
        active.suppose(&whole);
        guarded.open.push(whole);
    }
    let mut narrowed = Vec::new();
    for (constant, slope) in [
        (constant.clone(), slope.clone()),
        (constant.neg(), slope.neg()),
    ] {
        narrowed.push(active.keep_non_negative(&constant, &slope)?);
    }
    let is_some = narrowed.into_iter().all(|narrowed| note(narrowed, guarded));
    Some(if is_some { Kept::All } else { Kept::None })
}

/// d ∣ e with e = constant ± core, or d ∣ slope·core.
fn keep_multiples(
    active: &mut Active,
    d: &Expr,
    e: &Expr,
    fresh: &mut dyn FnMut() -> crate::sym::Symbol,
) -> Option<Narrowed> {
    let [constant, slope] = linear(active, e)?;
    let facts = &active.facts;
    let one = Expr::one();
    let fits = !d.contains(&active.core)
        && facts.is_integer(d)
        && facts.prove(&Cond::ge(d, &one)) == Some(true)
        && facts.is_integer(&constant)
        && facts.is_integer(&slope);
    if !fits {
        return None;
    }
    let (step, residue) = if slope == one {
        (d.clone(), constant.neg().modulo(d)?)
    } else if slope.neg() == one {
        (d.clone(), constant.modulo(d)?)
    } else if constant.is_zero() {
        let common = facts.simplify(&Expr::gcd(&slope, d));
        (d.div(&common)?, Expr::zero())
    } else {
        return None;
    };
    let (step, residue) = (facts.simplify(&step), facts.simplify(&residue));
    Some(active.keep_residue(fresh(), &step, &residue))
}

/// The lines of two cases, of which only one happens, in the order of the text.
fn merged(first: Vec<LineCount>, second: Vec<LineCount>) -> Vec<LineCount> {
    let mut lines = first;
    for line in second {
        let same = |other: &&mut LineCount| other.is_of_same_line(&line);
        if let Some(known) = lines.iter_mut().find(same) {
            known.add(&line);
            continue;
        }
        let behind = |other: &LineCount| other.span.start > line.span.start;
        let place = lines.iter().position(behind).unwrap_or(lines.len());
        lines.insert(place, line);
    }
    lines
}

/// The conjuncts of a condition, from left to right.
fn flatten<'e>(condition: &'e Condition, conjuncts: &mut Vec<&'e Condition>) {
    match &condition.kind {
        ConditionKind::And(left, right) => {
            flatten(left, conjuncts);
            flatten(right, conjuncts);
        }
        _ => conjuncts.push(condition),
    }
}
