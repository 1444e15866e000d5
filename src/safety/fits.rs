//! What memory a program needs: conditions on its parameters, and the largest size that a machine
//! has room for.

use crate::count::Parameters;
use crate::derivation::letters::symbol_of;
use crate::machine::{Machine, Memory};
use crate::number::BigInt;
use crate::program::{ParamId, Program};
use crate::safety::known;
use crate::safety::largest::Search;
use crate::sym::{Cond, Expr};
use crate::symbolic;
use crate::symbolic::symbols::Symbols;

/// Words of shared and global memory, as far as they have a form, and what a machine has room for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fits {
    /// The most words of shared memory that a kernel needs (max m).
    pub shared: Option<Expr>,
    /// The most words of global memory alive in a round (max g).
    pub global: Option<Expr>,
    /// The formal that alone decides it, and the largest of its values that is admitted and fits; none where a smaller
    /// one does not fit, or nothing ends them.
    pub largest: Option<(String, BigInt)>,
    /// What surely does not fit, whatever the formals.
    pub never: bool,
}

/// What a program needs, on a machine, where some parameters are given.
///
/// ```
/// use atgpu::{machine::Machine, safety::fits};
///
/// let program = atgpu::program(
///     "algorithm T(n)\n  require n is a power of 3\n  global a[n]\n  input A[n]\n  a ⇚ A\n",
/// )?;
/// let card = Machine::built_in("gtx650").expect("built in"); // G = 2^28 words
/// let found = fits(&program, &().into(), &card);
/// assert_eq!(found.largest, Some(("n".to_owned(), 129_140_163.into()))); // 3^17
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn fits(program: &Program, given: &Parameters, machine: &Machine) -> Fits {
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
        [id] if !never => Search::new(program, given, machine, *id, &limits)
            .largest()
            .map(|largest| (program.parameter(*id).name.clone(), largest)),
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

/// Whether a program needs more of a memory than a machine has, at every size admitted.
pub(crate) fn always_exceeds(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    memory: Memory,
) -> bool {
    exceeding_need(program, given, machine, memory).is_some()
}

/// The values given, and p, b, M and G.
fn with_machine(given: &Parameters, machine: &Machine) -> Parameters {
    let mut given = given.clone();
    let names = ["p", "b", "M", "G"].into_iter();
    for (name, value) in names.zip(machine.atgpu.numbers()) {
        given.set(name, value);
    }
    given
}

/// The formals that are provably at most the words which a program needs of shared memory: w, where it has `_x[w*b]`.
pub(crate) fn held_in_shared(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
) -> Vec<ParamId> {
    let given = with_machine(given, machine);
    let [need, _] = symbolic::memory(program, &given);
    let facts = known(program, &given, &mut Symbols::new(program));
    let is_held = |id: &ParamId| {
        let formal = Expr::symbol(&symbol_of(program, *id));
        let is_less = |need: &Expr| Cond::ge(need, &formal);
        need.as_ref()
            .is_some_and(|need| facts.proves(&is_less(need)))
    };
    program.formals.iter().copied().filter(is_held).collect()
}

/// The words of a memory that a program needs, where they are provably more than a machine has at every size
/// admitted.
pub(crate) fn exceeding_need(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    memory: Memory,
) -> Option<Expr> {
    let given = with_machine(given, machine);
    let [shared, global] = symbolic::memory(program, &given);
    let (need, limit) = match memory {
        Memory::Shared => (shared, machine.atgpu.shared_words),
        Memory::Global => (global, machine.atgpu.global_words),
    };
    let facts = known(program, &given, &mut Symbols::new(program));
    need.filter(|need| facts.proves(&Cond::gt(need, &Expr::int(limit))))
}
