//! Operations of a statement by kind, from the text alone: one execution of one core.

use crate::count::{ByKind, Kind};
use crate::program::{
    Arithmetic, AtomicOperator, Condition, ConditionKind, Expr, Number, NumberKind, PairFunction,
    Stmt, Unary, VarId, Waiting, Word, Written,
};

pub(super) fn of_stmt(kinds: &mut ByKind<u64>, stmt: &Stmt, registers: &[VarId]) {
    let parts = stmt.kind.parts();
    parts
        .values
        .into_iter()
        .for_each(|value| of_expr(kinds, value, registers));
    match parts.write {
        Some((target, Written::Word(source))) => {
            *kinds.get_mut(Kind::Global) += 1;
            if stmt.waiting == Waiting::Alone {
                *kinds.get_mut(Kind::Wait) += 1;
            }
            *kinds.get_mut(Kind::Stream) += match stmt.waiting {
                Waiting::Quarter => 1,
                Waiting::Half => 2,
                _ => 0,
            };
            of_index(kinds, target, registers);
            of_index(kinds, source, registers);
        }
        Some((target, Written::Value(_))) => {
            *kinds.get_mut(of_shared(target, registers)) += 1;
            of_index(kinds, target, registers);
        }
        Some((target, Written::Update(operator, operands))) => {
            for _ in 0..2 {
                *kinds.get_mut(of_shared(target, registers)) += 1;
                of_index(kinds, target, registers);
            }
            let applied = match operator {
                AtomicOperator::Add => Kind::Add,
                AtomicOperator::Multiply => Kind::Multiply,
                AtomicOperator::Min | AtomicOperator::Max => Kind::Select,
            };
            *kinds.get_mut(applied) += operands.len() as u64;
        }
        None => {}
    }
}

/// Returns the kind of a shared operand: `Register` where no other core uses its words.
fn of_shared(word: &Word, registers: &[VarId]) -> Kind {
    if registers.contains(&word.variable) {
        return Kind::Register;
    }
    Kind::Shared
}

/// Counts an index list: a product and a sum for each dimension but the first, and its indices.
fn of_index(kinds: &mut ByKind<u64>, word: &Word, registers: &[VarId]) {
    let further = (word.indices.len() as u64).saturating_sub(1);
    *kinds.get_mut(Kind::Add) += further;
    *kinds.get_mut(Kind::Multiply) += further;
    for index in &word.indices {
        of_expr(kinds, index, registers);
    }
}

pub(super) fn of_expr<'e>(kinds: &mut ByKind<u64>, expr: impl Into<Expr<'e>>, registers: &[VarId]) {
    // A stack of its own: sums may be longer than the call stack is deep.
    let mut pending = vec![expr.into()];
    while let Some(expr) = pending.pop() {
        match expr {
            Expr::Number(number) => of_number(kinds, number, registers),
            Expr::Condition(condition) => of_condition(kinds, condition),
        }
        expr.each_operand(&mut |operand| pending.push(operand));
    }
}

/// Counts the operation of a number, without its operands.
fn of_number(kinds: &mut ByKind<u64>, number: &Number, registers: &[VarId]) {
    let kind = match &number.kind {
        NumberKind::Integer(_) | NumberKind::Float(_) | NumberKind::Parameter(_) => return,
        NumberKind::Word(word) => {
            let further = (word.indices.len() as u64).saturating_sub(1);
            *kinds.get_mut(Kind::Add) += further;
            *kinds.get_mut(Kind::Multiply) += further;
            of_shared(word, registers)
        }
        NumberKind::Extreme { arguments, .. } => {
            *kinds.get_mut(Kind::Select) += arguments.len() as u64 - 1;
            return;
        }
        NumberKind::Unary { operation, .. } => match operation {
            Unary::Negate => Kind::Add,
            Unary::Ceil | Unary::Floor => Kind::Round,
            Unary::Abs => Kind::Select,
            Unary::Math(_) => Kind::Function,
        },
        NumberKind::Pair { function, .. } => match function {
            PairFunction::Bits(_) => Kind::Bits,
            PairFunction::Log => Kind::Function,
        },
        NumberKind::Bracket(_) => Kind::Round,
        NumberKind::Select { .. } => Kind::Select,
        NumberKind::Binary { operator, .. } => match operator {
            Arithmetic::Add | Arithmetic::Subtract => Kind::Add,
            Arithmetic::Multiply => Kind::Multiply,
            Arithmetic::Divide => Kind::Divide,
            Arithmetic::FloorDivide | Arithmetic::Modulo => Kind::Modulus,
            Arithmetic::Power => Kind::Function,
        },
        NumberKind::Only(nothing) => match *nothing {},
    };
    *kinds.get_mut(kind) += 1;
}

/// Counts the operations of a condition, without its operands.
fn of_condition(kinds: &mut ByKind<u64>, condition: &Condition) {
    match &condition.kind {
        ConditionKind::Compare { operators, .. } => {
            *kinds.get_mut(Kind::Compare) += operators.len() as u64;
            *kinds.get_mut(Kind::Logic) += operators.len() as u64 - 1;
        }
        ConditionKind::And(..) | ConditionKind::Or(..) | ConditionKind::Not(_) => {
            *kinds.get_mut(Kind::Logic) += 1;
        }
        ConditionKind::Only(nothing) => match *nothing {},
    }
}
