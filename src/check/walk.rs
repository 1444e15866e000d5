//! Walking expressions, before and after checking.

use crate::program::{Expr, ExprKind};
use crate::syntax::ast;
use crate::text::Span;

impl Expr {
    /// The expressions directly inside, in the order written; of a quantifier the bounds, then
    /// the body.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// // let k = n/b
    /// let quotient = &program.lets[0].value;
    /// assert_eq!(quotient.operands().len(), 2);
    /// # Ok::<(), atgpu::Error>(())
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

/// The name and indices of an expression that is nothing but a bare name or a word.
pub(super) fn lone_word(expr: &ast::Expr) -> Option<(&ast::Name, &[ast::Expr])> {
    if let ast::ExprKind::Name(name) = &expr.kind {
        return Some((name, &[]));
    }
    if let ast::ExprKind::Word { name, indices } = &expr.kind {
        return Some((name, indices));
    }
    None
}

/// How an expression mentions a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mention {
    /// Bare.
    Bare,
    /// With indices; the span is that of the whole word.
    Word(Span),
}

/// Calls `visit` with every name an expression mentions.
pub(super) fn names<'a>(expr: &'a ast::Expr, visit: &mut impl FnMut(&'a ast::Name, Mention)) {
    use ast::ExprKind;
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => {}
        ExprKind::Name(name) => visit(name, Mention::Bare),
        ExprKind::Word { name, indices } => {
            visit(name, Mention::Word(expr.span));
            indices.iter().for_each(|index| names(index, visit));
        }
        ExprKind::Paren(inner)
        | ExprKind::Negate(inner)
        | ExprKind::Not(inner)
        | ExprKind::Ceil(inner)
        | ExprKind::Floor(inner)
        | ExprKind::Bracket(inner) => names(inner, visit),
        ExprKind::Binary { left, right, .. } => {
            names(left, visit);
            names(right, visit);
        }
        ExprKind::Compare { operands, .. } => {
            operands.iter().for_each(|operand| names(operand, visit));
        }
        ExprKind::Call { arguments, .. } => {
            arguments.iter().for_each(|argument| names(argument, visit));
        }
        ExprKind::Log { base, argument } => {
            match base {
                ast::LogBase::Unwritten | ast::LogBase::Number(_) => {}
                ast::LogBase::Name(name) => visit(name, Mention::Bare),
                ast::LogBase::Braced(base) => names(base, visit),
            }
            names(argument, visit);
        }
        ExprKind::Quantified { binders, body, .. } => {
            for binder in binders {
                names(&binder.low, visit);
                names(&binder.high, visit);
            }
            names(body, visit);
        }
    }
}
