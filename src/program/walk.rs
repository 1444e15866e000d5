//! Walking checked expressions: their operands, what is anywhere inside, and whether two are alike.

use crate::program::{Expr, ExprKind};

impl Expr {
    /// Whether the expression or an operand, however deep, is such a one.
    pub(crate) fn has(&self, wanted: &dyn Fn(&ExprKind) -> bool) -> bool {
        let mut found = wanted(&self.kind);
        self.kind
            .operands(&mut |operand| found = found || operand.has(wanted));
        found
    }
}

impl ExprKind {
    /// Calls `visit` on every direct operand, from left to right, the indices of a word included.
    pub(crate) fn operands<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        match self {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Parameter(_)
            | ExprKind::Symbol(_) => {}
            ExprKind::Word(word) => word.indices.iter().for_each(visit),
            ExprKind::Negate(e)
            | ExprKind::Ceil(e)
            | ExprKind::Floor(e)
            | ExprKind::Abs(e)
            | ExprKind::Bracket(e)
            | ExprKind::Not(e) => visit(e),
            ExprKind::Math { argument, .. } => visit(argument),
            ExprKind::Binary { left, right, .. } | ExprKind::Bits { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::Log { base, argument } => {
                visit(base);
                visit(argument);
            }
            ExprKind::And(left, right)
            | ExprKind::Or(left, right)
            | ExprKind::Implies(left, right)
            | ExprKind::Gcd(left, right)
            | ExprKind::DigitSum(left, right) => {
                visit(left);
                visit(right);
            }
            ExprKind::Min(list) | ExprKind::Max(list) => list.iter().for_each(visit),
            ExprKind::Compare { operands, .. } => operands.iter().for_each(visit),
            ExprKind::FloorSum(arguments) => arguments.iter().for_each(visit),
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
            ExprKind::Quantified { binders, body, .. } => {
                for binder in binders {
                    visit(&binder.low);
                    visit(&binder.high);
                }
                visit(body);
            }
        }
    }
}

impl Expr {
    /// The expressions directly inside, in the order written; of a quantifier the bounds, then
    /// the body.
    ///
    /// ```
    /// # let program = atgpu::examples::vector_addition();
    /// // let k = n/b
    /// let quotient = &program.lets[0].value;
    /// assert_eq!(quotient.operands().len(), 2);
    /// ```
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Parameter(_)
            | ExprKind::Symbol(_) => Vec::new(),
            ExprKind::Word(word) => word.indices.iter().collect(),
            ExprKind::Negate(inner)
            | ExprKind::Ceil(inner)
            | ExprKind::Floor(inner)
            | ExprKind::Abs(inner)
            | ExprKind::Bracket(inner)
            | ExprKind::Not(inner) => vec![&**inner],
            ExprKind::Math { argument, .. } => vec![&**argument],
            ExprKind::Min(arguments) | ExprKind::Max(arguments) => arguments.iter().collect(),
            ExprKind::Binary { left, right, .. } | ExprKind::Bits { left, right, .. } => {
                vec![&**left, &**right]
            }
            ExprKind::And(left, right)
            | ExprKind::Or(left, right)
            | ExprKind::Implies(left, right)
            | ExprKind::Gcd(left, right)
            | ExprKind::DigitSum(left, right) => vec![&**left, &**right],
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => vec![&**condition, &**then, &**otherwise],
            ExprKind::Log { base, argument } => vec![&**base, &**argument],
            ExprKind::Compare { operands, .. } => operands.iter().collect(),
            ExprKind::Quantified { binders, body, .. } => {
                let bounds = binders
                    .iter()
                    .flat_map(|binder| [&binder.low, &binder.high]);
                bounds.chain([&**body]).collect()
            }
            ExprKind::FloorSum(arguments) => arguments.iter().collect(),
        }
    }

    /// Whether this or anything inside satisfies `holds`.
    pub(crate) fn any(&self, holds: &mut impl FnMut(&Expr) -> bool) -> bool {
        holds(self)
            || self
                .operands()
                .into_iter()
                .any(|operand| operand.any(holds))
    }

    /// Whether a word of memory is read anywhere inside.
    pub(crate) fn reads_words(&self) -> bool {
        self.any(&mut |expr| matches!(expr.kind, ExprKind::Word(_)))
    }

    /// A text that is the same for two expressions written alike, whatever their places,
    /// parentheses and spelling (`ib` and `i·b`).
    pub(crate) fn key(&self) -> String {
        let label = match &self.kind {
            ExprKind::Integer(value) => value.to_string(),
            ExprKind::Float(value) => format!("{:x}f", value.to_bits()),
            ExprKind::Parameter(id) => format!("p{}", id.0),
            ExprKind::Word(word) => format!("v{}", word.variable.0),
            ExprKind::Negate(_) => "neg".to_owned(),
            ExprKind::Binary { operator, .. } => format!("{operator:?}"),
            ExprKind::Ceil(_) => "ceil".to_owned(),
            ExprKind::Floor(_) => "floor".to_owned(),
            ExprKind::Abs(_) => "abs".to_owned(),
            ExprKind::Min(_) => "min".to_owned(),
            ExprKind::Max(_) => "max".to_owned(),
            ExprKind::Select { .. } => "select".to_owned(),
            ExprKind::Math { function, .. } => format!("{function:?}"),
            ExprKind::Bits { function, .. } => format!("{function:?}"),
            ExprKind::Log { .. } => "log".to_owned(),
            ExprKind::Bracket(_) => "bracket".to_owned(),
            ExprKind::Compare { operators, .. } => format!("{operators:?}"),
            ExprKind::And(..) => "and".to_owned(),
            ExprKind::Or(..) => "or".to_owned(),
            ExprKind::Not(_) => "not".to_owned(),
            ExprKind::Implies(..) => "implies".to_owned(),
            ExprKind::Quantified {
                quantifier,
                binders,
                ..
            } => {
                let bound: Vec<u32> = binders.iter().map(|binder| binder.parameter.0).collect();
                format!("{quantifier:?}{bound:?}")
            }
            ExprKind::Symbol(symbol) => format!("{symbol:?}"),
            ExprKind::Gcd(..) => "gcd".to_owned(),
            ExprKind::DigitSum(..) => "digit_sum".to_owned(),
            ExprKind::FloorSum(_) => "floor_sum".to_owned(),
        };
        let operands: Vec<String> = self.operands().into_iter().map(Expr::key).collect();
        format!("{label}({})", operands.join(" "))
    }
}
