//! Evaluation of expressions for all cores at once, in the fast form.
//!
//! The values are [`lanes`](crate::exec::lanes). The memory is a parameter ([`Words`]): the shared
//! memory of an MP, or, if a quantifier's values stand for the cores, the memory of host and
//! device.

use crate::exec::lanes::{Buffers, Floats, Ints, Mask, Truths};
use crate::exec::memory::words::Words;
use crate::exec::mp::{Cores, Register};
use crate::exec::statements::typed::{self, Access, Operand};
use crate::meaning::arithmetic;
use crate::meaning::eval::Connectives;
use crate::meaning::value::Value;
use crate::program::{Arithmetic, ParamId};

impl<W: Words> Cores<'_, W> {
    /// Returns the offsets of a word per core, each index within its extent.
    pub(crate) fn offsets(&mut self, access: &Access, mask: &Mask) -> Option<Ints> {
        if let Some(offsets) = self.straight_offsets(access, mask) {
            return Some(offsets);
        }
        let mut sum: Option<Ints> = None;
        for (index, extent, stride) in &access.dimensions {
            let index = self.ints(index, mask)?;
            let inside = |value: i64| 0 <= value && value < *extent;
            let fine = match &index {
                Ints::Uniform(value) => inside(*value),
                // A line is monotone, so its ends decide.
                Ints::Affine { .. } => {
                    inside(index.at(mask.first())) && inside(index.at(mask.last()))
                }
                Ints::Lanes(lanes) => {
                    let mut all = true;
                    mask.each(|core| all &= inside(lanes[core]));
                    all
                }
            };
            if !fine {
                return None;
            }
            let part = match stride {
                1 => index,
                stride => self.buffers.multiply(mask, index, Ints::Uniform(*stride))?,
            };
            sum = Some(match sum {
                None => part,
                Some(sum) => self.buffers.add(mask, sum, part)?,
            });
        }
        Some(sum.unwrap_or(Ints::Uniform(0)))
    }

    /// Evaluates two expressions, in text order.
    pub(crate) fn pair(
        &mut self,
        left: &typed::Ints,
        right: &typed::Ints,
        mask: &Mask,
    ) -> Option<(Ints, Ints)> {
        let left = self.ints(left, mask)?;
        Some((left, self.ints(right, mask)?))
    }

    pub(crate) fn copy(&mut self, ints: &Ints) -> Ints {
        match ints {
            Ints::Lanes(lanes) => {
                let mut copy = self.buffers.ints();
                copy.copy_from_slice(lanes);
                Ints::Lanes(copy)
            }
            Ints::Uniform(_) | Ints::Affine { .. } => ints.clone(),
        }
    }

    fn register_ints(&mut self, parameter: ParamId) -> Option<Ints> {
        let lanes = match &self.registers[parameter.0 as usize] {
            Register::Ints(Ints::Lanes(lanes)) => lanes,
            Register::Ints(ints) => return Some(ints.clone()),
            Register::Unset => {
                return match self.values[parameter.0 as usize] {
                    Some(Value::Whole(whole)) => Some(Ints::Uniform(whole)),
                    _ => None,
                };
            }
            Register::Floats(_) | Register::Same(_) | Register::Each(_) => return None,
        };
        let mut copy = self.buffers.ints();
        copy.copy_from_slice(lanes);
        Some(Ints::Lanes(copy))
    }

    /// Evaluates a whole number per active core.
    pub(crate) fn ints(&mut self, node: &typed::Ints, mask: &Mask) -> Option<Ints> {
        Some(match node {
            typed::Ints::Constant(value) => Ints::Uniform(*value),
            typed::Ints::Register(parameter) => self.register_ints(*parameter)?,
            typed::Ints::Linear { written, .. } | typed::Ints::Straight(written) => {
                match self.line(node) {
                    Some((base, stride)) => self.buffers.affine(base, stride)?,
                    None => self.ints(written, mask)?,
                }
            }
            typed::Ints::Read(access) => self.read_ints(access, mask)?,
            typed::Ints::Absolute(of) => {
                let of = self.ints(of, mask)?;
                self.buffers.absolute(mask, of)?
            }
            typed::Ints::Binary(operator, left, right) => {
                self.combined(*operator, left, right, mask)?
            }
            typed::Ints::CeilQuotient(left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                self.buffers.ceil_divide(mask, left, right)?
            }
            typed::Ints::Minimum(nodes) => self.extreme(nodes, mask, Buffers::minimum)?,
            typed::Ints::Maximum(nodes) => self.extreme(nodes, mask, Buffers::maximum)?,
            typed::Ints::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, mask)?;
                let (then, otherwise) = self.pair(then, otherwise, mask)?;
                self.buffers.select(mask, &truths, then, otherwise)
            }
            typed::Ints::Bits(function, left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                let function = *function;
                self.buffers.combine(mask, left, right, |x, y| {
                    arithmetic::word_bits(function, x, y)
                })?
            }
            typed::Ints::Bracket(of) => {
                let truths = self.truths(of, mask)?;
                self.buffers.bracket(&truths)
            }
            typed::Ints::FloorOf(of) => {
                let of = self.floats(of, mask)?;
                self.buffers
                    .ints_of(mask, of, |x| arithmetic::whole_float(x.floor()))?
            }
            typed::Ints::CeilOf(of) => {
                let of = self.floats(of, mask)?;
                self.buffers
                    .ints_of(mask, of, |x| arithmetic::whole_float(x.ceil()))?
            }
            typed::Ints::Opaque => return None,
        })
    }

    fn read_ints(&mut self, access: &Access, mask: &Mask) -> Option<Ints> {
        let offsets = self.offsets(access, mask)?;
        self.count_operand(1, access.variable, &offsets, mask);
        let values = self
            .words
            .read_ints(access.variable, &offsets, mask, &mut self.buffers)?;
        self.buffers.free(offsets);
        Some(values)
    }

    fn combined(
        &mut self,
        operator: Arithmetic,
        left: &typed::Ints,
        right: &typed::Ints,
        mask: &Mask,
    ) -> Option<Ints> {
        let (left, right) = self.pair(left, right, mask)?;
        let buffers = &mut self.buffers;
        match operator {
            Arithmetic::Add => buffers.add(mask, left, right),
            Arithmetic::Subtract => buffers.subtract(mask, left, right),
            Arithmetic::Multiply => buffers.multiply(mask, left, right),
            Arithmetic::Divide => buffers.divide(mask, left, right),
            Arithmetic::FloorDivide => buffers.floor_divide(mask, left, right),
            Arithmetic::Modulo => buffers.modulo(mask, left, right),
            Arithmetic::Power => buffers.power(mask, left, right),
        }
    }

    fn extreme(
        &mut self,
        nodes: &[typed::Ints],
        mask: &Mask,
        better: fn(&mut Buffers, &Mask, Ints, Ints) -> Option<Ints>,
    ) -> Option<Ints> {
        let (first, rest) = nodes.split_first()?;
        let mut best = self.ints(first, mask)?;
        for node in rest {
            let next = self.ints(node, mask)?;
            best = better(&mut self.buffers, mask, best, next)?;
        }
        Some(best)
    }

    /// Evaluates a float per active core.
    pub(crate) fn floats(&mut self, node: &typed::Floats, mask: &Mask) -> Option<Floats> {
        Some(match node {
            typed::Floats::Constant(value) => Floats::Uniform(*value),
            typed::Floats::Register(parameter) => self.register_floats(*parameter)?,
            typed::Floats::Read(access) => self.read_floats(access, mask)?,
            typed::Floats::OfInts(node) => {
                let ints = self.ints(node, mask)?;
                self.buffers.floats_of(mask, ints)
            }
            typed::Floats::Quotient(left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                self.quotient(left, right, mask)?
            }
            typed::Floats::Negate(of) => {
                let of = self.floats(of, mask)?;
                self.buffers.map_floats(mask, of, |x| -x)
            }
            typed::Floats::Absolute(of) => {
                let of = self.floats(of, mask)?;
                self.buffers.map_floats(mask, of, f64::abs)
            }
            typed::Floats::Binary(operator, left, right) => {
                let left = self.floats(left, mask)?;
                let right = self.floats(right, mask)?;
                self.combined_floats(*operator, left, right, mask)?
            }
            typed::Floats::Minimum(nodes) => {
                self.extreme_floats(nodes, mask, arithmetic::float_minimum)?
            }
            typed::Floats::Maximum(nodes) => {
                self.extreme_floats(nodes, mask, arithmetic::float_maximum)?
            }
            typed::Floats::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, mask)?;
                let then = self.floats(then, mask)?;
                let otherwise = self.floats(otherwise, mask)?;
                self.buffers.select_floats(mask, &truths, then, otherwise)
            }
            typed::Floats::Math(function, of) => {
                let of = self.floats(of, mask)?;
                let function = *function;
                self.buffers
                    .map_floats(mask, of, |x| arithmetic::float_math(function, x))
            }
            typed::Floats::Log(base, argument) => {
                let base = self.floats(base, mask)?;
                let argument = self.floats(argument, mask)?;
                self.buffers
                    .zip_floats(mask, base, argument, arithmetic::float_log)
            }
        })
    }

    fn register_floats(&mut self, parameter: ParamId) -> Option<Floats> {
        match &self.registers[parameter.0 as usize] {
            Register::Floats(Floats::Lanes(lanes)) => {
                let mut copy = self.buffers.floats();
                copy.copy_from_slice(lanes);
                Some(Floats::Lanes(copy))
            }
            Register::Floats(Floats::Uniform(value)) => Some(Floats::Uniform(*value)),
            Register::Unset | Register::Ints(_) | Register::Same(_) | Register::Each(_) => None,
        }
    }

    fn read_floats(&mut self, access: &Access, mask: &Mask) -> Option<Floats> {
        let offsets = self.offsets(access, mask)?;
        self.count_operand(1, access.variable, &offsets, mask);
        let values = self
            .words
            .read_floats(access.variable, &offsets, mask, &mut self.buffers)?;
        self.buffers.free(offsets);
        Some(values)
    }

    /// Divides whole numbers to a float, rounded once.
    fn quotient(&mut self, left: Ints, right: Ints, mask: &Mask) -> Option<Floats> {
        // Numbers up to 2^53 are exact as doubles, so their IEEE quotient is the nearest to
        // the exact one.
        const EXACT: u64 = 1 << 53;
        let exact = mask.all(|core| {
            left.at(core).unsigned_abs() <= EXACT
                && right.at(core).unsigned_abs() <= EXACT
                && right.at(core) != 0
                // The exact quotient 0 has no sign, so 0/−3 must not become −0.
                && (left.at(core) != 0 || right.at(core) > 0)
        });
        if !exact {
            return None;
        }
        let left = self.buffers.floats_of(mask, left);
        let right = self.buffers.floats_of(mask, right);
        Some(self.buffers.zip_floats(mask, left, right, |x, y| x / y))
    }

    fn combined_floats(
        &mut self,
        operator: Arithmetic,
        left: Floats,
        right: Floats,
        mask: &Mask,
    ) -> Option<Floats> {
        let buffers = &mut self.buffers;
        Some(match operator {
            Arithmetic::Add => buffers.zip_floats(mask, left, right, |x, y| x + y),
            Arithmetic::Subtract => buffers.zip_floats(mask, left, right, |x, y| x - y),
            Arithmetic::Multiply => buffers.zip_floats(mask, left, right, |x, y| x * y),
            Arithmetic::Divide => buffers.zip_floats(mask, left, right, |x, y| x / y),
            Arithmetic::Power => buffers.zip_floats(mask, left, right, libm::pow),
            Arithmetic::FloorDivide | Arithmetic::Modulo => return None,
        })
    }

    fn extreme_floats(
        &mut self,
        nodes: &[typed::Floats],
        mask: &Mask,
        better: fn(f64, f64) -> f64,
    ) -> Option<Floats> {
        let (first, rest) = nodes.split_first()?;
        let mut best = self.floats(first, mask)?;
        for node in rest {
            let next = self.floats(node, mask)?;
            best = self.buffers.zip_floats(mask, best, next, better);
        }
        Some(best)
    }

    /// Evaluates a truth per active core.
    pub(crate) fn truths(&mut self, node: &typed::Truths, mask: &Mask) -> Option<Truths> {
        Some(match node {
            typed::Truths::Constant(truth) => Truths::Uniform(*truth),
            typed::Truths::Order(operator, left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                let truths = self.buffers.compare(mask, *operator, &left, &right)?;
                self.buffers.free(left);
                self.buffers.free(right);
                truths
            }
            typed::Truths::Chain(operands, operators) => {
                let mut all: Option<Truths> = None;
                let mut left = self.operand(&operands[0], mask)?;
                for (operator, operand) in operators.iter().zip(&operands[1..]) {
                    let right = self.operand(operand, mask)?;
                    let truths = match (&left, &right) {
                        (Register::Ints(left), Register::Ints(right)) => {
                            self.buffers.compare(mask, *operator, left, right)?
                        }
                        (left, right) => {
                            let left = self.as_floats(left, mask);
                            let right = self.as_floats(right, mask);
                            self.buffers.compare_floats(mask, *operator, &left, &right)
                        }
                    };
                    all = Some(match all {
                        None => truths,
                        Some(all) => self.buffers.connect(mask, true, all, truths),
                    });
                    self.free(std::mem::replace(&mut left, right));
                }
                self.free(left);
                all?
            }
            typed::Truths::Connect { and, left, right } => {
                let left = self.truths(left, mask)?;
                let right = match self.connectives {
                    Connectives::BothSides => self.truths(right, mask)?,
                    Connectives::ShortCircuit => {
                        let open = if *and {
                            mask.narrow(&left)
                        } else {
                            mask.narrow(&self.buffers.negate(left.clone()))
                        };
                        if open.is_empty() {
                            return Some(left);
                        }
                        // Other cores have arbitrary values on the right side: their left side
                        // decides.
                        self.truths(right, &open)?
                    }
                };
                self.buffers.connect(mask, *and, left, right)
            }
            typed::Truths::Not(of) => {
                let of = self.truths(of, mask)?;
                self.buffers.negate(of)
            }
        })
    }

    fn operand(&mut self, operand: &Operand, mask: &Mask) -> Option<Register> {
        Some(match operand {
            Operand::Ints(node) => Register::Ints(self.ints(node, mask)?),
            Operand::Floats(node) => Register::Floats(self.floats(node, mask)?),
        })
    }

    fn as_floats(&mut self, operand: &Register, mask: &Mask) -> Floats {
        match operand {
            Register::Ints(ints) => self.buffers.floats_of(mask, ints.clone()),
            Register::Floats(floats) => floats.clone(),
            Register::Unset | Register::Same(_) | Register::Each(_) => {
                unreachable!("operands are ints or floats")
            }
        }
    }
}
