//! Expressions as forms wherever they grow evenly, as tables where all MPs have the same, and else
//! as computations for every core.

use crate::exec::batches::plan::build::Builder;
use crate::exec::batches::plan::form::Form;
use crate::exec::batches::plan::scope::{Bound, LARGEST};
use crate::exec::batches::plan::{Floats, Ints, Step, Truths};
use crate::exec::lanes;
use crate::exec::statements::typed::{self, Operand};
use crate::syntax::ast::Comparison;

impl Builder<'_> {
    pub(super) fn ints(&mut self, node: &typed::Ints) -> Option<Ints> {
        if let Some(form) = self.scope.form(node) {
            self.scope.bounded(&form)?;
            return Some(Ints::Form(form));
        }
        // Then anything that is the same in all MPs, evaluated now for the cores of one.
        if let Some(known) = self.known.ints(node, &self.everyone()) {
            return Some(match known {
                lanes::Ints::Lanes(table) => Ints::Table(table),
                lanes::Ints::Uniform(constant) => Ints::Form(Form::constant(constant)),
                lanes::Ints::Affine { base, stride } => Ints::Form(Form {
                    constant: base,
                    core: stride,
                    terms: Vec::new(),
                }),
            });
        }
        // No read of data, yet no form: `(i mod 3)·j` is uneven. It may still be even in parts.
        let reads = self.step.reads;
        let value = self.ints_of_data(node)?;
        if self.step.reads == reads {
            if let Some(form) = self.even(&value) {
                return Some(Ints::Form(form));
            }
            self.traces.uneven += 1;
        }
        Some(value)
    }

    /// Returns a form for a quantity that is even once its parts have slots of their own. A number
    /// that
    /// long loops decide for all MPs and cores alike gets a slot of its own.
    fn even(&mut self, value: &Ints) -> Option<Form> {
        if let Ints::Binary(operator, left, right) = value
            && let (Ints::Form(left), Ints::Form(right)) = (&**left, &**right)
            && let Some(form) = self.scope.combined(*operator, left.clone(), right.clone())
            && self.scope.bounded(&form).is_some()
        {
            return Some(form);
        }
        let (mut of_long, long) = (false, &self.scope.long);
        let interval = self
            .scope
            .number(value, &mut |slot| of_long |= long.contains(&slot))?;
        if !of_long || interval.0 < -LARGEST || interval.1 > LARGEST {
            return None;
        }
        let slot = self.scope.ranges.slots.len();
        let interval = (interval.0 as i64, interval.1 as i64);
        self.scope.ranges.slots.push(interval);
        let value = value.clone();
        self.step.numbers.push(Step::Number { slot, value });
        Some(Form::slot(slot))
    }

    /// Plans a quantity that every core computes.
    fn ints_of_data(&mut self, node: &typed::Ints) -> Option<Ints> {
        let boxed = |builder: &mut Self, node: &typed::Ints| builder.ints(node).map(Box::new);
        Some(match node {
            typed::Ints::Constant(_) | typed::Ints::Opaque => return None,
            typed::Ints::Register(parameter) => match self.scope.bound[parameter.0 as usize] {
                Bound::Ints(register) => {
                    self.step.reads += 1;
                    self.traces.uses[register] += 1;
                    Ints::Register(register)
                }
                Bound::Nothing | Bound::Form(_) | Bound::Table(_) | Bound::Floats(_) => {
                    return None;
                }
            },
            typed::Ints::Straight(written) | typed::Ints::Linear { written, .. } => {
                self.ints(written)?
            }
            typed::Ints::Read(access) => Ints::Read(Box::new(self.read_place(access)?)),
            typed::Ints::Absolute(of) => Ints::Absolute(boxed(self, of)?),
            typed::Ints::Binary(operator, left, right) => {
                Ints::Binary(*operator, boxed(self, left)?, boxed(self, right)?)
            }
            typed::Ints::CeilQuotient(left, right) => {
                Ints::CeilQuotient(boxed(self, left)?, boxed(self, right)?)
            }
            typed::Ints::Minimum(nodes) => Ints::Minimum(self.all_ints(nodes)?),
            typed::Ints::Maximum(nodes) => Ints::Maximum(self.all_ints(nodes)?),
            typed::Ints::Select(condition, then, otherwise) => {
                let condition = Box::new(self.truths(condition)?);
                Ints::Select(condition, boxed(self, then)?, boxed(self, otherwise)?)
            }
            typed::Ints::Bits(function, left, right) => {
                Ints::Bits(*function, boxed(self, left)?, boxed(self, right)?)
            }
            typed::Ints::Bracket(of) => Ints::Bracket(Box::new(self.truths(of)?)),
            typed::Ints::FloorOf(of) => Ints::FloorOf(Box::new(self.floats(of)?)),
            typed::Ints::CeilOf(of) => Ints::CeilOf(Box::new(self.floats(of)?)),
        })
    }

    fn all_ints(&mut self, nodes: &[typed::Ints]) -> Option<Vec<Ints>> {
        nodes.iter().map(|node| self.ints(node)).collect()
    }

    fn all_floats(&mut self, nodes: &[typed::Floats]) -> Option<Vec<Floats>> {
        nodes.iter().map(|node| self.floats(node)).collect()
    }

    pub(super) fn floats(&mut self, node: &typed::Floats) -> Option<Floats> {
        let boxed = |builder: &mut Self, node: &typed::Floats| builder.floats(node).map(Box::new);
        Some(match node {
            typed::Floats::Constant(value) => Floats::Constant(*value),
            typed::Floats::Register(parameter) => match self.scope.bound[parameter.0 as usize] {
                Bound::Floats(register) => {
                    self.step.reads += 1;
                    self.traces.uses[register] += 1;
                    Floats::Register(register)
                }
                Bound::Nothing | Bound::Form(_) | Bound::Table(_) | Bound::Ints(_) => return None,
            },
            typed::Floats::Read(access) => Floats::Read(Box::new(self.read_place(access)?)),
            typed::Floats::OfInts(node) => Floats::OfInts(self.ints(node)?),
            typed::Floats::Quotient(left, right) => {
                let (left, right) = (self.ints(left)?, self.ints(right)?);
                Floats::Quotient(Box::new(left), Box::new(right))
            }
            typed::Floats::Negate(of) => Floats::Negate(boxed(self, of)?),
            typed::Floats::Absolute(of) => Floats::Absolute(boxed(self, of)?),
            typed::Floats::Binary(operator, left, right) => {
                Floats::Binary(*operator, boxed(self, left)?, boxed(self, right)?)
            }
            typed::Floats::Minimum(nodes) => Floats::Minimum(self.all_floats(nodes)?),
            typed::Floats::Maximum(nodes) => Floats::Maximum(self.all_floats(nodes)?),
            typed::Floats::Select(condition, then, otherwise) => {
                let condition = Box::new(self.truths(condition)?);
                Floats::Select(condition, boxed(self, then)?, boxed(self, otherwise)?)
            }
            typed::Floats::Math(function, of) => Floats::Math(*function, boxed(self, of)?),
            typed::Floats::Log(base, argument) => {
                Floats::Log(boxed(self, base)?, boxed(self, argument)?)
            }
        })
    }

    pub(super) fn truths(&mut self, node: &typed::Truths) -> Option<Truths> {
        if let Some(known) = self.known.truths(node, &self.everyone()) {
            return Some(Truths::Cores(known));
        }
        Some(match node {
            typed::Truths::Constant(truth) => Truths::Cores(lanes::Truths::Uniform(*truth)),
            typed::Truths::Order(operator, left, right) => self.order(*operator, left, right)?,
            typed::Truths::Chain(operands, operators) => self.chain(operands, operators)?,
            typed::Truths::Connect { and, left, right } => Truths::Connect {
                and: *and,
                left: Box::new(self.truths(left)?),
                right: Box::new(self.truths(right)?),
            },
            typed::Truths::Not(of) => Truths::Not(Box::new(self.truths(of)?)),
        })
    }

    fn order(
        &mut self,
        operator: Comparison,
        left: &typed::Ints,
        right: &typed::Ints,
    ) -> Option<Truths> {
        if operator == Comparison::PowerOf {
            return None;
        }
        Some(match (self.ints(left)?, self.ints(right)?) {
            (Ints::Form(left), Ints::Form(right)) if operator != Comparison::Divides => {
                let difference = left.plus(-1, &right)?;
                self.scope.bounded(&difference)?;
                match self.scope.decided(operator, &difference) {
                    Some(truth) => Truths::Cores(lanes::Truths::Uniform(truth)),
                    None => {
                        let own = self.scope.launched.mps.len() - 1;
                        let turns = self.scope.turns(operator, &difference, own);
                        self.traces.together.cuts.extend(turns);
                        Truths::Order(operator, left, right)
                    }
                }
            }
            (left, right) => {
                let is_data = |value: &Ints| !matches!(value, Ints::Form(_) | Ints::Table(_));
                self.traces.uneven += u32::from(!is_data(&left) && !is_data(&right));
                Truths::Ints(operator, left, right)
            }
        })
    }

    /// Splits a chain into its comparisons, if no operand in the middle reads data. Such an operand
    /// is
    /// evaluated once, and its conflicts are counted once.
    fn chain(&mut self, operands: &[Operand], operators: &[Comparison]) -> Option<Truths> {
        let mut all: Option<Truths> = None;
        for (at, operator) in operators.iter().enumerate() {
            let truths = match (&operands[at], &operands[at + 1]) {
                (Operand::Ints(left), Operand::Ints(right)) => {
                    self.order(*operator, left, right)?
                }
                (Operand::Floats(_), Operand::Floats(_))
                    if matches!(operator, Comparison::Divides | Comparison::PowerOf) =>
                {
                    return None;
                }
                (Operand::Floats(left), Operand::Floats(right)) => {
                    Truths::Floats(*operator, self.floats(left)?, self.floats(right)?)
                }
                (Operand::Ints(_), Operand::Floats(_)) | (Operand::Floats(_), Operand::Ints(_)) => {
                    return None;
                }
            };
            all = Some(match all {
                None => truths,
                Some(all) => Truths::Connect {
                    and: true,
                    left: Box::new(all),
                    right: Box::new(truths),
                },
            });
        }
        let middle = &operands[1..operands.len() - 1];
        let reads = |operand: &Operand| match operand {
            Operand::Ints(node) => self.scope.form(node).is_none(),
            Operand::Floats(node) => !matches!(node, typed::Floats::Constant(_)),
        };
        if middle.iter().any(reads) {
            return None;
        }
        all
    }
}
