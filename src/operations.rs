//! The operation table of language.md §4.1, as functions of the checked program.
//!
//! One table for both ways of deriving: in symbols, and by counting without data. Execution has its
//! own, so that a mistake here cannot agree with itself. Every entry names the kind of operation;
//! the
//! number of operations is the total over the kinds.

use crate::count::{ByKind, Kind};
use crate::program::{
    Arithmetic, AtomicOperator, Condition, ConditionKind, Expr, Number, NumberKind, PairFunction,
    Stmt, Unary, VarId, Waiting, Word, Written,
};

/// Operations by kind.
pub(crate) type Operations = ByKind<u64>;

/// Counts op(e), the operations of one evaluation of an expression.
///
/// Literals and parameters are 0. Every operator, connective, bracket, function and juxtaposition
/// is 1
/// plus its operands; a shared word is 1 plus its index operations. `registers` are the kernel's.
pub(crate) fn operations<'e>(expr: impl Into<Expr<'e>>, registers: &[VarId]) -> Operations {
    let mut sum = Sum::of(registers);
    sum.add(expr.into());
    sum.operations
}

/// Counts the operations of one execution of a statement, without its block. A `for` pays for its
/// bounds, once at entry (each iteration is 1 more and its body). An `atomic` pays for one core;
/// the
/// caller multiplies by the most active cores on one word. `registers` are the kernel's.
pub(crate) fn of_statement(statement: &Stmt, registers: &[VarId]) -> Operations {
    let parts = statement.kind.parts();
    let mut sum = Sum::of(registers);
    for value in parts.values {
        sum.add(value);
    }
    match parts.write {
        // `⇐`: 1 + the index operations of both sides.
        Some((target, Written::Word(source))) => {
            sum.count(Kind::Global, 1);
            match statement.waiting {
                Waiting::Alone => sum.count(Kind::Wait, 1),
                Waiting::Half => sum.count(Kind::Stream, 2),
                Waiting::Quarter => sum.count(Kind::Stream, 1),
                Waiting::Nobody | Waiting::Beside => {}
            }
            sum.add_index(target);
            sum.add_index(source);
        }
        // `_x[…] ← e`: op(e) + 1 + the target's index operations.
        Some((target, Written::Value(_))) => {
            sum.count(sum.operand(target), 1);
            sum.add_index(target);
        }
        // As `←`, with the element's own read and one ⊕ (or `-`) for each operand on the right
        // side.
        Some((target, Written::Update(operator, operands))) => {
            let applied = match operator {
                AtomicOperator::Add => Kind::Add,
                AtomicOperator::Multiply => Kind::Multiply,
                AtomicOperator::Min | AtomicOperator::Max => Kind::Select,
            };
            sum.count(applied, operands.len() as u64);
            sum.count(sum.operand(target), 2);
            sum.add_index(target);
            sum.add_index(target);
        }
        None => {}
    }
    sum.operations
}

/// Operations being added up.
struct Sum<'k> {
    operations: Operations,
    /// Shared variables of the kernel that act as registers.
    registers: &'k [VarId],
}

impl<'k> Sum<'k> {
    fn of(registers: &'k [VarId]) -> Self {
        Sum {
            operations: Operations::default(),
            registers,
        }
    }

    fn count(&mut self, kind: Kind, times: u64) {
        *self.operations.get_mut(kind) += times;
    }

    /// Returns the kind of reading or writing a shared word.
    fn operand(&self, word: &Word) -> Kind {
        if self.registers.contains(&word.variable) {
            Kind::Register
        } else {
            Kind::Shared
        }
    }

    /// Counts the index operations of a word: its indices and the address.
    fn add_index(&mut self, word: &Word) {
        self.add_address(word);
        for index in &word.indices {
            self.add(Expr::Number(index));
        }
    }

    /// Counts 2(d − 1) operations for an address: a product and a sum per further dimension.
    fn add_address(&mut self, word: &Word) {
        // Row-major: (i₁·n₂ + i₂)·n₃ + i₃ has two products and two sums for three indices.
        let steps = (word.indices.len() as u64).saturating_sub(1);
        self.count(Kind::Multiply, steps);
        self.count(Kind::Add, steps);
    }

    fn add(&mut self, expr: Expr<'_>) {
        match expr {
            Expr::Number(number) => self.add_number(number),
            Expr::Condition(condition) => self.add_condition(condition),
        }
        expr.each_operand(&mut |operand| self.add(operand));
    }

    /// Counts a number without its operands.
    fn add_number(&mut self, number: &Number) {
        let (kind, count) = match &number.kind {
            NumberKind::Integer(_) | NumberKind::Float(_) | NumberKind::Parameter(_) => return,
            NumberKind::Word(word) => {
                self.add_address(word);
                (self.operand(word), 1)
            }
            NumberKind::Unary { operation, .. } => (unary(*operation), 1),
            NumberKind::Binary { operator, .. } => (arithmetic(*operator), 1),
            NumberKind::Pair { function, .. } => match function {
                PairFunction::Bits(_) => (Kind::Bits, 1),
                PairFunction::Log => (Kind::Function, 1),
            },
            NumberKind::Bracket(_) => (Kind::Round, 1),
            NumberKind::Select { .. } => (Kind::Select, 1),
            NumberKind::Extreme { arguments, .. } => {
                (Kind::Select, (arguments.len() as u64).saturating_sub(1))
            }
            NumberKind::Only(nothing) => match *nothing {},
        };
        self.count(kind, count);
    }

    /// Counts a condition without its operands.
    fn add_condition(&mut self, condition: &Condition) {
        match &condition.kind {
            ConditionKind::Compare { operators, .. } => {
                // n comparisons and n − 1 connectives.
                let comparisons = operators.len() as u64;
                self.count(Kind::Compare, comparisons);
                self.count(Kind::Logic, comparisons.saturating_sub(1));
            }
            ConditionKind::And(..) | ConditionKind::Or(..) | ConditionKind::Not(_) => {
                self.count(Kind::Logic, 1);
            }
            ConditionKind::Only(nothing) => match *nothing {},
        }
    }
}

const fn unary(operation: Unary) -> Kind {
    match operation {
        Unary::Negate => Kind::Add,
        Unary::Ceil | Unary::Floor => Kind::Round,
        Unary::Abs => Kind::Select,
        Unary::Math(_) => Kind::Function,
    }
}

const fn arithmetic(operator: Arithmetic) -> Kind {
    match operator {
        Arithmetic::Add | Arithmetic::Subtract => Kind::Add,
        Arithmetic::Multiply => Kind::Multiply,
        Arithmetic::Divide => Kind::Divide,
        Arithmetic::Modulo | Arithmetic::FloorDivide => Kind::Modulus,
        Arithmetic::Power => Kind::Function,
    }
}

/// Returns the bytes of a transaction that uses a segment from byte `first` to before byte `last`:
/// the
/// smallest aligned part of at least 32 bytes that holds all of it.
pub(crate) fn transferred_bytes(first: i64, last: i64, segment: i64) -> i64 {
    // In a segment of 128 bytes, the bytes 40 to 60 lie in the part 32..64, so 32 bytes. The bytes
    // 60 to
    // 70 lie in no part of 32 or 64, so all 128.
    let parts = [32, 64, 128].into_iter().filter(|part| *part < segment);
    let mut parts = parts.filter(|part| first / part == (last - 1) / part);
    parts.next().unwrap_or(segment)
}
