//! What memory a program needs: conditions on its parameters, and the largest size that a machine
//! has room for.

use crate::count::Parameters;
use crate::derivation::letters::symbol_of;
use crate::machine::{Machine, Memory};
use crate::meaning::largest_admitted;
use crate::number::BigInt;
use crate::program::{ParamId, Program};
use crate::safety::known;
use crate::sym::{Cond, Expr};
use crate::symbolic;
use crate::symbolic::symbols::Symbols;

/// Words of shared and global memory, as far as they have a form, and what a machine has room for.
#[derive(Debug, Clone)]
pub struct Fits {
    /// The most words of shared memory that a kernel needs (max m).
    pub shared: Option<Expr>,
    /// The most words of global memory alive in a round (max g).
    pub global: Option<Expr>,
    /// Names of the largest formals that fit, where one alone decides it.
    pub largest: Option<(String, BigInt)>,
    /// What surely does not fit, whatever the formals.
    pub never: bool,
}

/// Sizes beyond this are not looked for: 2^62.
const MOST_BITS: u64 = 62;

/// What a program needs, on a machine.
pub(crate) fn fits(program: &Program, given: &Parameters, machine: &Machine) -> Fits {
    let [shared, global] = symbolic::memory(program, given);
    let [p, b, m, g] = machine.atgpu.numbers();
    let ids = program.machine;
    let at_machine = |need: &Expr| {
        [(ids.p, p), (ids.b, b), (ids.m, m), (ids.g, g)]
            .iter()
            .fold(need.clone(), |need, (id, value)| {
                need.substitute(&symbol_of(program, *id), &Expr::int(*value))
            })
    };
    let limits: Vec<(Expr, BigInt)> = [(&shared, m), (&global, g)]
        .into_iter()
        .filter_map(|(need, limit)| Some((at_machine(need.as_ref()?), BigInt::from(limit))))
        .collect();
    let open: Vec<ParamId> = program
        .formals
        .iter()
        .copied()
        .filter(|id| given.get(&program.parameter(*id).name).is_none())
        .collect();
    let fits_at = |id: ParamId, value: &BigInt| -> Option<bool> {
        let symbol = symbol_of(program, id);
        let value = Expr::from_bigint(value.clone());
        let mut all = true;
        for (need, limit) in &limits {
            let need = need.substitute(&symbol, &value).as_rational()?;
            all = all && need.floor() <= *limit;
        }
        Some(all)
    };
    let deciding: Vec<ParamId> = open
        .iter()
        .copied()
        .filter(|id| {
            let symbol = symbol_of(program, *id);
            limits.iter().any(|(need, _)| need.contains(&symbol))
        })
        .collect();
    let never = limits
        .iter()
        .any(|(need, limit)| need.as_rational().is_some_and(|need| need.floor() > *limit));
    let largest = match &deciding[..] {
        [id] if !never => largest(&|value| fits_at(*id, value)).map(|value| {
            let name = &program.parameter(*id).name;
            let numbers = machine.atgpu.numbers();
            let admitted = largest_admitted(program, numbers, given, name, &value);
            (name.clone(), admitted)
        }),
        _ => None,
    };
    Fits {
        shared,
        global,
        largest,
        never,
    }
}

/// Characters of a form that still reads well within a sentence.
const LONGEST: usize = 48;

/// The words that a program needs of a memory, as a formula of its parameters.
pub(crate) fn memory_text(program: &Program, memory: Memory) -> Option<String> {
    let [shared, global] = symbolic::memory(program, &Parameters::new());
    let need = match memory {
        Memory::Shared => shared,
        Memory::Global => global,
    };
    let text = need.filter(|need| !need.is_zero())?.to_string();
    let is_number = text.chars().all(|c| c.is_ascii_digit());
    (!is_number && text.chars().count() <= LONGEST).then_some(text)
}

/// The largest size that a machine has room for, where one formal decides it.
pub(crate) fn largest_that_fits(program: &Program, machine: &Machine) -> Option<(String, BigInt)> {
    fits(program, &Parameters::new(), machine).largest
}

/// Whether a program needs more of a memory than a machine has, at every size admitted.
pub(crate) fn always_exceeds(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    memory: Memory,
) -> bool {
    exceeding_need(program, given, machine, memory).is_some()
}

/// The words of a memory that a program needs, where they are provably more than a machine has at every size
/// admitted.
pub(crate) fn exceeding_need(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    memory: Memory,
) -> Option<Expr> {
    let [p, b, m, g] = machine.atgpu.numbers();
    let mut given = given.clone();
    for (name, value) in [("p", p), ("b", b), ("M", m), ("G", g)] {
        given.set(name, value);
    }
    let [shared, global] = symbolic::memory(program, &given);
    let (need, limit) = match memory {
        Memory::Shared => (shared, m),
        Memory::Global => (global, g),
    };
    let facts = known(program, &given, &mut Symbols::new(program));
    need.filter(|need| facts.proves(&Cond::gt(need, &Expr::int(limit))))
}

/// The largest value that fits where all smaller ones do, by doubling and halving.
fn largest(fits: &dyn Fn(&BigInt) -> Option<bool>) -> Option<BigInt> {
    let most = BigInt::from(1) << MOST_BITS;
    let mut low = BigInt::from(0);
    if !fits(&low)? && !fits(&BigInt::from(1))? {
        return None;
    }
    let mut high = BigInt::from(1);
    while fits(&high)? {
        low.clone_from(&high);
        high *= 2;
        if high > most {
            return None;
        }
    }
    while &high - &low > BigInt::from(1) {
        let middle: BigInt = (&low + &high) >> 1;
        if fits(&middle)? {
            low = middle
        } else {
            high = middle
        }
    }
    Some(low)
}
