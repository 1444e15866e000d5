//! Walks over checked expressions: operands, searches through all subexpressions, and a key for equality.

use crate::program::{
    Binder, ClaimNumber, Claimed, Code, Condition, ConditionKind, Expr, Formula, FormulaCondition,
    FormulaNumber, Nothing, Number, NumberKind, Over, ParamId, Place, Word,
};
use crate::text::Span;

impl<'e, P: Place> From<&'e Number<P>> for Expr<'e, P> {
    fn from(number: &'e Number<P>) -> Self {
        Expr::Number(number)
    }
}

impl<'e, P: Place> From<&'e Condition<P>> for Expr<'e, P> {
    fn from(condition: &'e Condition<P>) -> Self {
        Expr::Condition(condition)
    }
}

impl<P: Place> Number<P> {
    /// Returns the direct subexpressions in the order written; for a sum the bounds, then the body.
    pub fn operands(&self) -> Vec<Expr<'_, P>> {
        Expr::from(self).operands()
    }

    /// Returns true if the value of a parameter is read anywhere inside.
    pub(crate) fn reads(&self, parameter: ParamId) -> bool {
        Expr::from(self).any(&mut |part| match part {
            Expr::Number(number) => {
                matches!(number.kind, NumberKind::Parameter(read) if read == parameter)
            }
            Expr::Condition(_) => false,
        })
    }
}

impl<'e, P: Place> Expr<'e, P> {
    /// The span of the expression.
    pub fn span(self) -> Span {
        match self {
            Expr::Number(number) => number.span,
            Expr::Condition(condition) => condition.span,
        }
    }

    /// Returns the direct subexpressions in the order written; for a quantifier the bounds, then the body.
    pub fn operands(self) -> Vec<Expr<'e, P>> {
        let mut operands = Vec::new();
        self.each_operand(&mut |operand| operands.push(operand));
        operands
    }

    /// Calls `visit` on every direct operand in the same order. The indices of a word are operands too.
    pub(crate) fn each_operand(self, visit: &mut dyn FnMut(Expr<'e, P>)) {
        match self {
            Expr::Number(number) => number.kind.each_operand(visit),
            Expr::Condition(condition) => condition.kind.each_operand(visit),
        }
    }

    /// Returns true if `holds` is true of this expression or of any subexpression.
    pub(crate) fn any(self, holds: &mut dyn FnMut(Expr<'e, P>) -> bool) -> bool {
        let mut found = holds(self);
        self.each_operand(&mut |operand| found = found || operand.any(holds));
        found
    }

    /// Appends the words that the expression reads, inner words first, one entry per occurrence.
    pub(crate) fn words(self, words: &mut Vec<&'e Word<P>>) {
        self.each_operand(&mut |operand| operand.words(words));
        if let Expr::Number(Number {
            kind: NumberKind::Word(word),
            ..
        }) = self
        {
            words.push(word);
        }
    }

    /// Returns true if a word of memory is read anywhere inside.
    pub(crate) fn reads_words(self) -> bool {
        self.any(&mut |expr| match expr {
            Expr::Number(number) => matches!(number.kind, NumberKind::Word(_)),
            Expr::Condition(_) => false,
        })
    }
}

impl<P: Place> NumberKind<P> {
    fn each_operand<'e>(&'e self, visit: &mut dyn FnMut(Expr<'e, P>)) {
        match self {
            NumberKind::Integer(_) | NumberKind::Float(_) | NumberKind::Parameter(_) => {}
            NumberKind::Word(word) => each(&word.indices, visit),
            NumberKind::Unary { operand, .. } => visit(Expr::Number(operand)),
            NumberKind::Binary { left, right, .. } | NumberKind::Pair { left, right, .. } => {
                visit(Expr::Number(left));
                visit(Expr::Number(right));
            }
            NumberKind::Extreme { arguments, .. } => each(arguments, visit),
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                visit(Expr::Condition(condition));
                visit(Expr::Number(then));
                visit(Expr::Number(otherwise));
            }
            NumberKind::Bracket(condition) => visit(Expr::Condition(condition)),
            NumberKind::Only(only) => P::number_operands(only, visit),
        }
    }
}

impl<P: Place> ConditionKind<P> {
    fn each_operand<'e>(&'e self, visit: &mut dyn FnMut(Expr<'e, P>)) {
        match self {
            ConditionKind::Compare { operands, .. } => each(operands, visit),
            ConditionKind::And(left, right) | ConditionKind::Or(left, right) => {
                visit(Expr::Condition(left));
                visit(Expr::Condition(right));
            }
            ConditionKind::Not(of) => visit(Expr::Condition(of)),
            ConditionKind::Only(only) => P::condition_operands(only, visit),
        }
    }
}

fn each<'e, P: Place>(numbers: &'e [Number<P>], visit: &mut dyn FnMut(Expr<'e, P>)) {
    numbers
        .iter()
        .for_each(|number| visit(Expr::Number(number)));
}

fn over<'e, B, P: Place>(over: &'e Over<B, P>, visit: &mut dyn FnMut(Expr<'e, P>))
where
    &'e B: Into<Expr<'e, P>>,
{
    for Binder { low, high, .. } in &over.binders {
        visit(Expr::Number(low));
        visit(Expr::Number(high));
    }
    visit((&*over.body).into());
}

impl Place for Code {
    type Number = Nothing;
    type Condition = Nothing;

    fn number_operands<'e>(number: &'e Nothing, _visit: &mut dyn FnMut(Expr<'e>)) {
        match *number {}
    }

    fn condition_operands<'e>(condition: &'e Nothing, _visit: &mut dyn FnMut(Expr<'e>)) {
        match *condition {}
    }
}

impl Place for Formula {
    type Number = FormulaNumber;
    type Condition = FormulaCondition;

    fn number_operands<'e>(number: &'e FormulaNumber, visit: &mut dyn FnMut(Expr<'e, Formula>)) {
        match number {
            FormulaNumber::Sum(of) | FormulaNumber::Min(of) | FormulaNumber::Max(of) => {
                over(of, visit);
            }
        }
    }

    fn condition_operands<'e>(
        condition: &'e FormulaCondition,
        visit: &mut dyn FnMut(Expr<'e, Formula>),
    ) {
        match condition {
            FormulaCondition::About { operands, .. } => each(operands, visit),
            FormulaCondition::Implies(left, right) => {
                visit(Expr::Condition(left));
                visit(Expr::Condition(right));
            }
            FormulaCondition::ForAll(of) | FormulaCondition::Exists(of) => over(of, visit),
        }
    }
}

impl Place for Claimed {
    type Number = ClaimNumber;
    type Condition = Nothing;

    fn number_operands<'e>(number: &'e ClaimNumber, visit: &mut dyn FnMut(Expr<'e, Claimed>)) {
        match number {
            ClaimNumber::Symbol(_) => {}
            ClaimNumber::Sum(of) => over(of, visit),
            ClaimNumber::Gcd(left, right) | ClaimNumber::DigitSum(left, right) => {
                visit(Expr::Number(left));
                visit(Expr::Number(right));
            }
            ClaimNumber::FloorSum(arguments) => each(&arguments[..], visit),
        }
    }

    fn condition_operands<'e>(condition: &'e Nothing, _visit: &mut dyn FnMut(Expr<'e, Claimed>)) {
        match *condition {}
    }
}

impl Number<Claimed> {
    /// Returns true if `wanted` is true of a claim-only form anywhere inside.
    pub(crate) fn holds(&self, wanted: &dyn Fn(&ClaimNumber) -> bool) -> bool {
        Expr::from(self).any(&mut |part| match part {
            Expr::Number(number) => {
                matches!(&number.kind, NumberKind::Only(only) if wanted(only))
            }
            Expr::Condition(_) => false,
        })
    }
}

impl Number {
    /// Returns a key that is equal for two expressions written alike, whatever their position, parentheses
    /// and spelling (`ib` and `i·b`).
    pub(crate) fn key(&self) -> String {
        Expr::from(self).key()
    }
}

impl<'e> Expr<'e> {
    fn key(self) -> String {
        // A label never ends an operand list early, so the key is unambiguous: `i·b` is `Multiply(p0()
        // p1())`.
        let label = match self {
            Expr::Number(number) => number.label(),
            Expr::Condition(condition) => condition.label(),
        };
        let operands: Vec<String> = self.operands().into_iter().map(Expr::key).collect();
        format!("{label}({})", operands.join(" "))
    }
}

impl Number {
    fn label(&self) -> String {
        match &self.kind {
            NumberKind::Integer(value) => value.to_string(),
            NumberKind::Float(value) => format!("{:x}f", value.to_bits()),
            NumberKind::Parameter(id) => format!("p{}", id.0),
            NumberKind::Word(word) => format!("v{}", word.variable.0),
            NumberKind::Unary { operation, .. } => format!("{operation:?}"),
            NumberKind::Binary { operator, .. } => format!("{operator:?}"),
            NumberKind::Pair { function, .. } => format!("{function:?}"),
            NumberKind::Extreme { extreme, .. } => format!("{extreme:?}"),
            NumberKind::Select { .. } => "select".to_owned(),
            NumberKind::Bracket(_) => "bracket".to_owned(),
            NumberKind::Only(nothing) => match *nothing {},
        }
    }
}

impl Condition {
    fn label(&self) -> String {
        match &self.kind {
            ConditionKind::Compare { operators, .. } => format!("{operators:?}"),
            ConditionKind::And(..) => "and".to_owned(),
            ConditionKind::Or(..) => "or".to_owned(),
            ConditionKind::Not(_) => "not".to_owned(),
            ConditionKind::Only(nothing) => match *nothing {},
        }
    }
}
