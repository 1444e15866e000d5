//! Transfers: their words, bounds checks of blocks, and summaries of memory afterwards.

use num_traits::{One, Signed, Zero};

use crate::interval::CountError;
use crate::interval::host::Host;
use crate::interval::rounds::{Event, EventKind};
use crate::meaning::fault::{Fault, OutOfBounds, Place};
use crate::number::{BigInt, legible};
use crate::program::{Direction, Extent, Region, Scope, Transfer};
use crate::text::Span;

impl Host<'_, '_> {
    pub(super) fn transfer(&mut self, transfer: &Transfer) -> Result<(), CountError> {
        let (host_words, host_whole) = self.region(&transfer.host)?;
        let (global_words, global_whole) = self.region(&transfer.global)?;
        let (from, to, is_whole) = match transfer.direction {
            Direction::Inward => (&transfer.host, &transfer.global, global_whole),
            Direction::Outward => (&transfer.global, &transfer.host, host_whole),
        };
        if host_words != global_words {
            let (right, left) = match transfer.direction {
                Direction::Inward => (&host_words, &global_words),
                Direction::Outward => (&global_words, &host_words),
            };
            self.report(Fault::TransferShape {
                left: legible(&left),
                right: legible(&right),
                span: transfer.span,
            });
        }
        let (source, target) = (from.variable.0 as usize, to.variable.0 as usize);
        match self.state.summaries.get(source).cloned() {
            Some(value) => {
                let value = match self.fixed.program.variable(to.variable).word_type {
                    crate::syntax::ast::WordType::Float => value.to_float(),
                    crate::syntax::ast::WordType::Int => value,
                };
                // Only a transfer of the whole array replaces its summary. Otherwise old words
                // remain, so both
                // are joined.
                let value = value.within(&self.fixed.declared[target]);
                if is_whole {
                    self.state.summaries.replace(target, Some(value));
                } else if host_words.is_positive() {
                    self.state.summaries.join(target, &value);
                }
            }
            None if host_words.is_positive() => {
                self.report(Fault::UnwrittenArray {
                    inward: self.fixed.program.inward_instead(to, from),
                    array: self.fixed.program.variable(from.variable).name.clone(),
                    span: from.span,
                });
            }
            None => {}
        }
        self.record.events.push(Event {
            kind: EventKind::Transfer {
                direction: transfer.direction,
                global: transfer.global.variable,
                words: global_words,
            },
            certain: self.state.certain,
            span: transfer.span,
            from: self.state.from,
        });
        Ok(())
    }

    /// Returns the words of a region, and true if it is the whole variable.
    fn region(&mut self, region: &Region) -> Result<(BigInt, bool), CountError> {
        let extents = &self.fixed.extents[region.variable.0 as usize];
        let mut words = BigInt::one();
        let mut whole = true;
        let mut outside: Option<(OutOfBounds, Span)> = None;
        let name = &self.fixed.program.variable(region.variable).name;
        for (at, (place, extent)) in region.extents.iter().zip(extents).enumerate() {
            let mut check = |index: &BigInt, span: Span| {
                if (index.is_negative() || index >= extent) && outside.is_none() {
                    let fact = OutOfBounds {
                        variable: name.clone(),
                        dimension: at,
                        dimensions: extents.len(),
                        index: legible(&index),
                        extent: extent.clone(),
                    };
                    outside = Some((fact, span));
                }
            };
            match place {
                Extent::All => words *= extent,
                Extent::At(index) => {
                    let value = self.integer(index)?;
                    check(&value, index.span);
                    whole &= extent.is_one();
                }
                Extent::Range(low, high) => {
                    let (first, last) = (self.integer(low)?, self.integer(high)?);
                    let length = (&last - &first + 1i32).max(BigInt::zero());
                    if length.is_positive() {
                        check(&first, low.span);
                        check(&last, high.span);
                    }
                    whole &= length == *extent;
                    words *= length;
                }
            }
        }
        if words.is_zero() {
            // An empty block is in bounds anywhere.
            return Ok((words, whole));
        }
        if let Some((fact, span)) = outside {
            let variable = self.fixed.program.variable(region.variable);
            let declaration = variable.span;
            self.report(match variable.scope {
                Scope::Host => Fault::BoundsHost {
                    fact,
                    place: Place::default(),
                    span,
                    declaration,
                },
                Scope::Global | Scope::Shared => Fault::BoundsTransfer {
                    fact,
                    place: Place::default(),
                    span,
                    declaration,
                },
            });
        }
        Ok((words, whole))
    }
}
