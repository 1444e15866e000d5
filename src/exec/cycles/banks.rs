//! Bank steps of the shared operands of one statement.
//!
//! They are added up while operands are evaluated, and charged when the statement is settled.

use crate::exec::cycles::half_warps::{half_warps, served_together, steps};
use crate::exec::lanes::Mask;
use crate::machine::{Banks, CycleRules, Warps};

/// Bank steps of the shared operands in the statement in progress.
#[derive(Debug, Clone)]
pub(crate) struct BankSteps {
    banks: Banks,
    /// The card's warps, where an MP is several.
    warps: Option<Warps>,
    /// 32-bit bank words per word.
    bank_words: usize,
    /// Σ over operands of the degree, or of the steps of the slower half-warp.
    pub(super) degrees: u64,
    /// Σ over operands of the steps beyond the first, in every half-warp.
    pub(super) conflicts: u64,
}

impl BankSteps {
    /// Starts at 0.
    pub(in crate::exec) fn new(cycle_rules: &CycleRules, cores: usize) -> BankSteps {
        BankSteps {
            banks: cycle_rules.banks,
            warps: cycle_rules.warps_of(cores as i64),
            bank_words: Banks::bank_words(cycle_rules.word_bytes) as usize,
            degrees: 0,
            conflicts: 0,
        }
    }

    /// Forgets the operands counted so far.
    pub(in crate::exec) fn begin(&mut self) {
        (self.degrees, self.conflicts) = (0, 0);
    }

    /// Adds an operand evaluated `times` times. `conflict` is its degree − 1 by language.md §4.2,
    /// `words` are the words of the active cores.
    pub(in crate::exec) fn add(
        &mut self,
        times: u64,
        conflict: u64,
        mask: &Mask,
        words: impl Iterator<Item = usize>,
    ) {
        let (degree, conflicts) = match self.banks {
            Banks::Warp => match self.warps {
                None => (conflict + 1, conflict),
                Some(warps) => {
                    let parts = served_together(mask, words, warps.size as usize);
                    let degrees = parts
                        .iter()
                        .map(|words| degree(words, warps.banks as usize));
                    let degrees: Vec<u64> = degrees.collect();
                    let beyond = degrees.iter().map(|degree| degree - 1).sum();
                    (degrees.into_iter().max().unwrap_or(0), beyond)
                }
            },
            Banks::HalfWarpBroadcast => {
                // Only the first 32-bit request of each word is counted: the others take as many
                // steps.
                let firsts = words.map(|word| word * self.bank_words);
                let halves = half_warps(mask, firsts);
                let steps: Vec<u64> = halves.iter().map(|half| steps(half)).collect();
                let beyond = steps.iter().map(|steps| steps.saturating_sub(1)).sum();
                (steps.into_iter().max().unwrap_or(0), beyond)
            }
        };
        self.degrees += times * degree;
        self.conflicts += times * conflicts;
    }
}

/// Returns the most distinct words in one of so many banks: the words 0, 0, 4, 5 of 4 banks have degree 2.
fn degree(words: &[usize], banks: usize) -> u64 {
    let mut distinct = words.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut met: Vec<usize> = distinct.iter().map(|word| word % banks).collect();
    met.sort_unstable();
    let runs = met.chunk_by(|one, other| one == other);
    runs.map(|run| run.len() as u64).max().unwrap_or(1)
}
