//! The program at its point: sizes, ranges and capacities as machine numbers.
//!
//! Takes a point; refuses a program that needs more memory than allowed, before anything is
//! allocated. Fixed from then on.

use num_traits::ToPrimitive;

use crate::count::Round;
use crate::exec::error::{Error, Result};
use crate::exec::memory::Admitted;
use crate::exec::{DEFAULT_MEMORY, Options};
use crate::machine::{Exceeded, Memory};
use crate::meaning::Point;
use crate::meaning::value::Value;
use crate::number::BigInt;
use crate::program::{Direction, HostStmt, ParamId, Program, Role, Scope, VarId, nested_on_host};
use crate::text::Span;

/// The program at its point.
#[derive(Debug)]
pub(super) struct Instance<'p> {
    pub program: &'p Program,
    /// b
    pub cores: usize,
    /// M
    pub shared_capacity: BigInt,
    /// G
    global_capacity: BigInt,
    /// Extents of each variable, by id.
    pub extents: Vec<Vec<usize>>,
    /// The declared range `in lo..hi`, by variable id.
    pub admitted: Vec<Option<Admitted>>,
    /// Values of formals, machine parameters and header `let`s, by parameter id.
    pub bound: Vec<Option<Value>>,
}

impl<'p> Instance<'p> {
    /// Takes sizes and parameters from a point; no declared range is evaluated yet.
    pub(super) fn new(
        program: &'p Program,
        point: &Point,
        options: &Options,
    ) -> Result<Instance<'p>> {
        let (cores, extents) = sizes(program, point, options)?;
        let bound = program.parameters.iter().zip(0..).map(|(_, id)| {
            let value = point.environment.get(ParamId(id))?;
            Some(Value::exact(value.clone()))
        });
        Ok(Instance {
            program,
            cores,
            shared_capacity: point.parameters["M"].clone(),
            global_capacity: point.parameters["G"].clone(),
            extents,
            admitted: vec![None; program.variables.len()],
            bound: bound.collect(),
        })
    }

    /// Returns the number of words of a variable.
    pub(super) fn words(&self, id: VarId) -> BigInt {
        let extents = self.extents[id.0 as usize].iter();
        extents.map(|&extent| BigInt::from(extent)).product()
    }

    /// Fails with `limit::global` at the first round whose live words exceed G.
    pub(super) fn check_global_limit(&self, rounds: &[(u64, Round<BigInt>)]) -> Result<()> {
        let mut number = 1;
        for (count, round) in rounds {
            if round.global_words > self.global_capacity {
                let first_global = self
                    .program
                    .variables
                    .iter()
                    .find(|variable| variable.scope == Scope::Global);
                let (needed, capacity) = (round.global_words.clone(), self.global_capacity.clone());
                return Err(Box::new(Error::Limit {
                    exceeded: Exceeded {
                        round: Some(number),
                        ..Exceeded::new(Memory::Global, needed, capacity)
                    },
                    span: first_global.map_or(Span::default(), |variable| variable.span),
                }));
            }
            number += count;
        }
        Ok(())
    }
}

/// Converts b and all extents to machine numbers, after an estimate of the memory they need.
fn sizes(program: &Program, point: &Point, options: &Options) -> Result<(usize, Vec<Vec<usize>>)> {
    let capacity = &point.parameters["M"];
    let mut needed = BigInt::from(8 * (program.parameters.len() + 16)) * point.cores();
    for id in program.variable_ids() {
        let variable = program.variable(id);
        let words: BigInt = point.extents[id.0 as usize].iter().product();
        // Per word: 8 bytes and its share of the written flags, rounded to 9. Eight more for what
        // stands beside it: the initial data of an input that the program overwrites, the stamps
        // that
        // find races, the marks that count conflicts.
        needed += match (variable.scope, variable.role) {
            (Scope::Host, Role::Input) if is_written(&program.body, id) => words * 17,
            (Scope::Host, _) => words * 9,
            (Scope::Global, _) => words * 17,
            // A kernel that needs more than M is not launched.
            (Scope::Shared, _) => words.min(capacity.clone()) * 17,
        };
    }
    let available = options.memory_limit.unwrap_or(DEFAULT_MEMORY);
    let too_large = |needed: &BigInt| {
        Box::new(Error::Memory {
            needed: bytes_text(needed),
            available: bytes_text(&available.into()),
        })
    };
    if needed > available.into() {
        return Err(too_large(&needed));
    }
    let size = |extent: &BigInt| extent.to_usize().ok_or_else(|| too_large(&needed));
    let extents = point
        .extents
        .iter()
        .map(|extents| extents.iter().map(size).collect())
        .collect::<Result<_>>()?;
    Ok((size(point.cores())?, extents))
}

/// Returns true if some transfer writes a host variable.
fn is_written(body: &[HostStmt], variable: VarId) -> bool {
    nested_on_host(body).any(|stmt| match stmt {
        HostStmt::Transfer(transfer) => {
            transfer.direction == Direction::Outward && transfer.host.variable == variable
        }
        _ => false,
    })
}

/// Formats a size, as `1.5000 GiB`.
fn bytes_text(bytes: &BigInt) -> String {
    let mut value = bytes.to_f64().unwrap_or(f64::INFINITY);
    for unit in ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] {
        if unit == "PiB" && value >= 1e6 {
            return "more than a million PiB".to_owned();
        }
        if value < 1024.0 || unit == "PiB" {
            return format!("{value:.4} {unit}").replace(".0000", "");
        }
        value /= 1024.0;
    }
    unreachable!("the last unit takes everything")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        assert_eq!(bytes_text(&BigInt::from(17)), "17 bytes");
        assert_eq!(bytes_text(&(BigInt::from(3) << 29)), "1.5000 GiB");
    }
}
