//! Expressions as forms wherever they grow evenly, as tables where all MPs have the same, and else
//! as what is worked out for every core.

use crate::exec::batches::plan::build::{Bound, Builder, LARGEST};
use crate::exec::batches::plan::form::{Form, Interval};
use crate::exec::batches::plan::{Floats, Ints, Truths};
use crate::exec::lanes;
use crate::exec::statements::compile::{self, Operand};
use crate::exec::value::Value as Known;
use crate::number::theory;
use crate::program::{Arithmetic, ParamId};
use crate::syntax::ast::Comparison;

impl Builder<'_> {
    /// The interval of a form, where it is far from the end of a word.
    pub(super) fn bounded(&self, form: &Form) -> Option<Interval> {
        let everyone = (0, self.launched.known.cores as i64 - 1);
        let (low, high) = form.interval(everyone, &self.slots);
        if low < -LARGEST || high > LARGEST {
            return None;
        }
        // Where only some cores are ever active, only they count.
        Some(form.interval(self.active, &self.slots))
    }

    /// A quantity of parameters as a form.
    pub(super) fn form(&self, node: &compile::Ints) -> Option<Form> {
        match node {
            compile::Ints::Constant(value) => Some(Form::constant(*value)),
            compile::Ints::Register(parameter) => self.parameter(*parameter),
            compile::Ints::Linear {
                constant, terms, ..
            } => {
                let start = Form::constant(*constant);
                terms.iter().try_fold(start, |sum, (factor, parameter)| {
                    sum.plus(*factor, &self.parameter(*parameter)?)
                })
            }
            compile::Ints::Straight(node) => self.form(node),
            compile::Ints::Binary(operator, left, right) => {
                self.combined(*operator, self.form(left)?, self.form(right)?)
            }
            compile::Ints::CeilQuotient(left, right) => {
                let (left, right) = (self.form(left)?, self.form(right)?);
                // ⌈x/y⌉ = ⌊(x + y − 1)/y⌋
                let divisor = right.as_constant().filter(|&divisor| divisor > 0)?;
                let raised = left.plus(1, &Form::constant(divisor - 1))?;
                self.combined(Arithmetic::FloorDivide, raised, right)
            }
            compile::Ints::Minimum(nodes) => self.extreme(nodes, false),
            compile::Ints::Maximum(nodes) => self.extreme(nodes, true),
            compile::Ints::Read(_)
            | compile::Ints::Absolute(_)
            | compile::Ints::Select(..)
            | compile::Ints::Bits(..)
            | compile::Ints::Bracket(_)
            | compile::Ints::FloorOf(_)
            | compile::Ints::CeilOf(_)
            | compile::Ints::Opaque => None,
        }
    }

    fn parameter(&self, parameter: ParamId) -> Option<Form> {
        match &self.bound[parameter.0 as usize] {
            Bound::Form(form) => Some(form.clone()),
            Bound::Table(_) | Bound::Ints(_) | Bound::Floats(_) => None,
            Bound::Nothing => match self.launched.known.values[parameter.0 as usize] {
                Some(Known::Whole(whole)) => Some(Form::constant(whole)),
                Some(Known::Exact(_) | Known::Float(_)) | None => None,
            },
        }
    }

    fn combined(&self, operator: Arithmetic, left: Form, right: Form) -> Option<Form> {
        match operator {
            Arithmetic::Add => left.plus(1, &right),
            Arithmetic::Subtract => left.plus(-1, &right),
            Arithmetic::Multiply => match (left.as_constant(), right.as_constant()) {
                (_, Some(factor)) => left.times(factor),
                (Some(factor), None) => right.times(factor),
                (None, None) => None,
            },
            Arithmetic::Divide => left.over(right.as_constant()?),
            Arithmetic::FloorDivide | Arithmetic::Modulo => {
                let divisor = right.as_constant()?;
                if let Some(constant) = left.as_constant() {
                    let result = match operator {
                        Arithmetic::Modulo => theory::floor_remainder(constant, divisor),
                        _ => theory::floor_quotient(constant, divisor),
                    };
                    return result.map(Form::constant);
                }
                let (quotient, rest) = left.split(divisor)?;
                let everyone = (0, self.launched.known.cores as i64 - 1);
                let (low, high) = rest.interval(everyone, &self.slots);
                if low < 0 || high >= divisor.into() {
                    return None;
                }
                Some(if operator == Arithmetic::Modulo {
                    rest
                } else {
                    quotient
                })
            }
            Arithmetic::Power => {
                let exponent = u32::try_from(right.as_constant()?).ok()?;
                let power = left.as_constant()?.checked_pow(exponent)?;
                Some(Form::constant(power))
            }
        }
    }

    /// The least or greatest of several forms, where one always is.
    fn extreme(&self, nodes: &[compile::Ints], greatest: bool) -> Option<Form> {
        let everyone = (0, self.launched.known.cores as i64 - 1);
        let mut best: Option<Form> = None;
        for node in nodes {
            let next = self.form(node)?;
            best = Some(match best {
                None => next,
                Some(best) => {
                    let (low, high) = next.plus(-1, &best)?.interval(everyone, &self.slots);
                    match (greatest, low >= 0, high <= 0) {
                        (true, true, _) | (false, _, true) => next,
                        (true, _, true) | (false, true, _) => best,
                        (_, false, false) => return None,
                    }
                }
            });
        }
        best
    }

    pub(super) fn ints(&mut self, node: &compile::Ints) -> Option<Ints> {
        if let Some(form) = self.form(node) {
            self.bounded(&form)?;
            return Some(Ints::Form(form));
        }
        // Of what is the same in all MPs.
        if let Some(known) = self.known.ints(node, &self.everyone) {
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
        let reads = self.reads;
        let value = self.ints_of_data(node)?;
        if self.reads == reads {
            self.uneven += 1;
        }
        Some(value)
    }

    /// A quantity that is worked out for every core.
    fn ints_of_data(&mut self, node: &compile::Ints) -> Option<Ints> {
        let boxed = |builder: &mut Self, node: &compile::Ints| builder.ints(node).map(Box::new);
        Some(match node {
            compile::Ints::Constant(_) | compile::Ints::Opaque => return None,
            compile::Ints::Register(parameter) => match self.bound[parameter.0 as usize] {
                Bound::Ints(register) => {
                    self.reads += 1;
                    self.uses[register] += 1;
                    Ints::Register(register)
                }
                Bound::Nothing | Bound::Form(_) | Bound::Table(_) | Bound::Floats(_) => {
                    return None;
                }
            },
            compile::Ints::Straight(written) | compile::Ints::Linear { written, .. } => {
                self.ints(written)?
            }
            compile::Ints::Read(access) => Ints::Read(self.shared_place(access)?),
            compile::Ints::Absolute(of) => Ints::Absolute(boxed(self, of)?),
            compile::Ints::Binary(operator, left, right) => {
                Ints::Binary(*operator, boxed(self, left)?, boxed(self, right)?)
            }
            compile::Ints::CeilQuotient(left, right) => {
                Ints::CeilQuotient(boxed(self, left)?, boxed(self, right)?)
            }
            compile::Ints::Minimum(nodes) => Ints::Minimum(self.all_ints(nodes)?),
            compile::Ints::Maximum(nodes) => Ints::Maximum(self.all_ints(nodes)?),
            compile::Ints::Select(condition, then, otherwise) => {
                let condition = Box::new(self.truths(condition)?);
                Ints::Select(condition, boxed(self, then)?, boxed(self, otherwise)?)
            }
            compile::Ints::Bits(function, left, right) => {
                Ints::Bits(*function, boxed(self, left)?, boxed(self, right)?)
            }
            compile::Ints::Bracket(of) => Ints::Bracket(Box::new(self.truths(of)?)),
            compile::Ints::FloorOf(of) => Ints::FloorOf(Box::new(self.floats(of)?)),
            compile::Ints::CeilOf(of) => Ints::CeilOf(Box::new(self.floats(of)?)),
        })
    }

    fn all_ints(&mut self, nodes: &[compile::Ints]) -> Option<Vec<Ints>> {
        nodes.iter().map(|node| self.ints(node)).collect()
    }

    fn all_floats(&mut self, nodes: &[compile::Floats]) -> Option<Vec<Floats>> {
        nodes.iter().map(|node| self.floats(node)).collect()
    }

    pub(super) fn floats(&mut self, node: &compile::Floats) -> Option<Floats> {
        let boxed = |builder: &mut Self, node: &compile::Floats| builder.floats(node).map(Box::new);
        Some(match node {
            compile::Floats::Constant(value) => Floats::Constant(*value),
            compile::Floats::Register(parameter) => match self.bound[parameter.0 as usize] {
                Bound::Floats(register) => {
                    self.reads += 1;
                    self.uses[register] += 1;
                    Floats::Register(register)
                }
                Bound::Nothing | Bound::Form(_) | Bound::Table(_) | Bound::Ints(_) => return None,
            },
            compile::Floats::Read(access) => Floats::Read(self.shared_place(access)?),
            compile::Floats::OfInts(node) => Floats::OfInts(self.ints(node)?),
            // Rare, and exact only with care.
            compile::Floats::Quotient(..) => return None,
            compile::Floats::Negate(of) => Floats::Negate(boxed(self, of)?),
            compile::Floats::Absolute(of) => Floats::Absolute(boxed(self, of)?),
            compile::Floats::Binary(operator, left, right) => {
                Floats::Binary(*operator, boxed(self, left)?, boxed(self, right)?)
            }
            compile::Floats::Minimum(nodes) => Floats::Minimum(self.all_floats(nodes)?),
            compile::Floats::Maximum(nodes) => Floats::Maximum(self.all_floats(nodes)?),
            compile::Floats::Select(condition, then, otherwise) => {
                let condition = Box::new(self.truths(condition)?);
                Floats::Select(condition, boxed(self, then)?, boxed(self, otherwise)?)
            }
            compile::Floats::Math(function, of) => Floats::Math(*function, boxed(self, of)?),
            compile::Floats::Log(base, argument) => {
                Floats::Log(boxed(self, base)?, boxed(self, argument)?)
            }
        })
    }

    pub(super) fn truths(&mut self, node: &compile::Truths) -> Option<Truths> {
        if let Some(known) = self.known.truths(node, &self.everyone) {
            return Some(Truths::Cores(known));
        }
        Some(match node {
            compile::Truths::Constant(truth) => Truths::Cores(lanes::Truths::Uniform(*truth)),
            compile::Truths::Order(operator, left, right) => self.order(*operator, left, right)?,
            compile::Truths::Chain(operands, operators) => self.chain(operands, operators)?,
            compile::Truths::Connect { and, left, right } => Truths::Connect {
                and: *and,
                left: Box::new(self.truths(left)?),
                right: Box::new(self.truths(right)?),
            },
            compile::Truths::Not(of) => Truths::Not(Box::new(self.truths(of)?)),
        })
    }

    fn order(
        &mut self,
        operator: Comparison,
        left: &compile::Ints,
        right: &compile::Ints,
    ) -> Option<Truths> {
        if operator == Comparison::PowerOf {
            return None;
        }
        Some(match (self.ints(left)?, self.ints(right)?) {
            (Ints::Form(left), Ints::Form(right)) if operator != Comparison::Divides => {
                let difference = left.plus(-1, &right)?;
                self.bounded(&difference)?;
                match self.decided(operator, &difference) {
                    Some(truth) => Truths::Cores(lanes::Truths::Uniform(truth)),
                    None => Truths::Order(operator, left, right),
                }
            }
            (left, right) => {
                let is_data = |value: &Ints| !matches!(value, Ints::Form(_) | Ints::Table(_));
                self.uneven += u32::from(!is_data(&left) && !is_data(&right));
                Truths::Ints(operator, left, right)
            }
        })
    }

    /// What a comparison with 0 comes to for all cores, MPs and iterations alike.
    fn decided(&self, operator: Comparison, difference: &Form) -> Option<bool> {
        let everyone = (0, self.launched.known.cores as i64 - 1);
        let (low, high) = difference.interval(everyone, &self.slots);
        match operator {
            Comparison::Less if high < 0 => Some(true),
            Comparison::Less if low >= 0 => Some(false),
            Comparison::AtMost if high <= 0 => Some(true),
            Comparison::AtMost if low > 0 => Some(false),
            Comparison::Greater if low > 0 => Some(true),
            Comparison::Greater if high <= 0 => Some(false),
            Comparison::AtLeast if low >= 0 => Some(true),
            Comparison::AtLeast if high < 0 => Some(false),
            Comparison::Equal if low > 0 || high < 0 => Some(false),
            Comparison::NotEqual if low > 0 || high < 0 => Some(true),
            Comparison::Less
            | Comparison::AtMost
            | Comparison::Greater
            | Comparison::AtLeast
            | Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Divides
            | Comparison::PowerOf => None,
        }
    }

    /// A chain as its comparisons, where no operand in the middle reads anything: such an operand
    /// is evaluated once, and its conflicts are counted once.
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
            Operand::Ints(node) => self.form(node).is_none(),
            Operand::Floats(node) => !matches!(node, compile::Floats::Constant(_)),
        };
        if middle.iter().any(reads) {
            return None;
        }
        all
    }
}
