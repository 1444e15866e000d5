//! Expressions: a flat list of operands and operators becomes a tree.
//!
//! The one table of precedence is [`binding`]. Operators wait on a stack of our own, not on the
//! thread's, so that a chain of a million `^` or `¬` ends in a diagnostic; only brackets recurse,
//! and their depth was measured before the parse.

use crate::number::BigInt;
use crate::syntax::ast::{
    BinaryOperator, Binder, Comparison, Expr, ExprKind, Function, LogBase, Name, Quantifier,
};
use crate::syntax::error::SyntaxError;
use crate::syntax::limits::{MAX_EXPRESSION_DEPTH, MAX_NUMBER_LENGTH};
use crate::syntax::lower::{Clause, Lowering};
use crate::syntax::parser::{Form, Node};
use crate::text::{Span, nearest};

/// How tightly an operator holds the operands on its two sides; a larger number is tighter.
/// Left- and right-associative operators differ in the side that is tighter.
#[derive(Debug, Clone, Copy)]
struct Binding {
    left: u8,
    right: u8,
}

/// Precedence, loosest first (language.md §2.3): `⇒` (right), `∨`, `∧`, `¬`, comparisons,
/// `+ -`, `* / mod div`, juxtaposition, unary minus, `^` (right), `log`. For a prefix operator
/// only `right` counts: the body of `∀` runs on to the end, that of `Σ` stops at a comparison.
fn binding(operator: Operator) -> Binding {
    let (left, right) = match operator {
        Operator::Quantifier(Quantifier::ForAll | Quantifier::Exists) => (0, 0),
        Operator::Binary(BinaryOperator::Implies) => (2, 1),
        Operator::Binary(BinaryOperator::Or) => (3, 4),
        Operator::Binary(BinaryOperator::And) => (5, 6),
        Operator::Not => (0, 7),
        Operator::Compare(_) => (8, 9),
        Operator::Quantifier(Quantifier::Sum | Quantifier::Min | Quantifier::Max) => (0, 10),
        Operator::Binary(BinaryOperator::Add | BinaryOperator::Subtract) => (11, 12),
        Operator::Binary(
            BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::FloorDivide
            | BinaryOperator::Modulo,
        ) => (13, 14),
        Operator::Binary(BinaryOperator::Juxtapose) => (15, 16),
        Operator::Negate => (0, 17),
        Operator::Binary(BinaryOperator::Power) => (19, 18),
        Operator::Log => (0, 21),
    };
    Binding { left, right }
}

/// What the table of precedence knows about.
#[derive(Debug, Clone, Copy)]
enum Operator {
    Binary(BinaryOperator),
    Compare(Comparison),
    Negate,
    Not,
    Log,
    Quantifier(Quantifier),
}

/// An expression and the depth of its tree.
struct Built {
    expr: Expr,
    depth: usize,
}

/// An operator that waits for what stands on its right.
enum Waiting {
    Prefix(Prefix, Span),
    Binary(BinaryOperator, Built),
    Chain(Vec<Built>, Vec<Comparison>),
}

enum Prefix {
    Negate,
    Not,
    Log(LogBase, usize),
    Quantified(Quantifier, Vec<Binder>, usize),
}

impl Waiting {
    fn right(&self) -> u8 {
        binding(match self {
            Waiting::Prefix(Prefix::Negate, _) => Operator::Negate,
            Waiting::Prefix(Prefix::Not, _) => Operator::Not,
            Waiting::Prefix(Prefix::Log(..), _) => Operator::Log,
            Waiting::Prefix(Prefix::Quantified(quantifier, ..), _) => {
                Operator::Quantifier(*quantifier)
            }
            Waiting::Binary(operator, _) => Operator::Binary(*operator),
            Waiting::Chain(..) => Operator::Compare(Comparison::Equal),
        })
        .right
    }
}

/// The list is built from left to right: what waits, and the operand just completed.
#[derive(Default)]
struct Builder {
    waiting: Vec<Waiting>,
    operand: Option<Built>,
}

impl Lowering<'_> {
    /// An [`expression`](Form::expression) node as a tree; `None` after a reported fault that
    /// leaves nothing to go on with.
    pub(super) fn expression(&mut self, node: &Node<'_>) -> Option<Expr> {
        self.built(node).map(|built| built.expr)
    }

    /// All expressions directly below a node, in order.
    pub(super) fn expressions(&mut self, node: &Node<'_>) -> Option<Vec<Expr>> {
        let all: Vec<_> = node
            .all(Form::expression)
            .map(|child| self.expression(child))
            .collect();
        all.into_iter().collect()
    }

    fn built(&mut self, node: &Node<'_>) -> Option<Built> {
        let mut builder = Builder::default();
        let mut nodes = node.children.iter().peekable();
        while let Some(node) = nodes.next() {
            if let Some(operator) = infix(node.form) {
                self.check_clause(node);
                builder.infix(self, operator)?;
                continue;
            }
            if let Some(prefix) = self.prefix(node)? {
                if builder.operand.is_some() {
                    builder.infix(self, Operator::Binary(BinaryOperator::Juxtapose))?;
                }
                builder.waiting.push(Waiting::Prefix(prefix, node.span));
                continue;
            }
            if builder.operand.is_some() {
                builder.infix(self, Operator::Binary(BinaryOperator::Juxtapose))?;
            }
            let arguments = nodes.next_if(|next| is_argument_list(node, next));
            builder.operand = Some(match arguments {
                Some(arguments) => self.claim_function(node, arguments)?,
                None => self.operand(node)?,
            });
        }
        builder.reduce(self, 0)?;
        builder.operand
    }

    /// `-`, `¬`, a logarithm without its argument, a quantifier without its body.
    fn prefix(&mut self, node: &Node<'_>) -> Option<Option<Prefix>> {
        let prefix = match node.form {
            Form::negate => Prefix::Negate,
            Form::not => Prefix::Not,
            Form::log_two => Prefix::Log(LogBase::Number(BigInt::from(2)), 0),
            Form::log_bare => {
                self.check_clause(node);
                Prefix::Log(LogBase::Unwritten, 0)
            }
            Form::log_word => Prefix::Log(self.log_base(node)?, 0),
            Form::log_braced => {
                let base = self.built(node.child(Form::braced_base).child(Form::expression))?;
                Prefix::Log(LogBase::Braced(Box::new(base.expr)), base.depth)
            }
            Form::quantified => return self.quantified(node).map(Some),
            _ => return Some(None),
        };
        Some(Some(prefix))
    }

    /// `0` or `k` behind `mp_`.
    pub(super) fn word_subscript(&mut self, node: &Node<'_>) -> Option<Expr> {
        let kind = match node.form {
            Form::whole_number => ExprKind::Integer(self.integer(node)?),
            _ => ExprKind::Name(name(node)),
        };
        Some(Expr {
            kind,
            span: node.span,
        })
    }

    fn log_base(&mut self, node: &Node<'_>) -> Option<LogBase> {
        if let Some(number) = node.find(Form::whole_number) {
            return self.integer(number).map(LogBase::Number);
        }
        Some(LogBase::Name(name(node.child(Form::name))))
    }

    fn quantified(&mut self, node: &Node<'_>) -> Option<Prefix> {
        let sign = &node.children[0];
        self.check_clause(sign);
        let quantifier = match sign.form {
            Form::for_all => Quantifier::ForAll,
            Form::exists => Quantifier::Exists,
            Form::sum => Quantifier::Sum,
            Form::min_over => Quantifier::Min,
            Form::max_over => Quantifier::Max,
            other => unreachable!("{other:?} quantifies nothing"),
        };
        let mut binders = Vec::new();
        let mut deepest = 0;
        for binder in node.all(Form::binder) {
            let range = binder.child(Form::range);
            let mut bounds = range.all(Form::expression);
            let low = self.built(bounds.next()?);
            let high = self.built(bounds.next()?);
            let name = self.binding_name(binder.child(Form::name));
            let (low, high) = (low?, high?);
            deepest = deepest.max(low.depth).max(high.depth);
            binders.push(Binder {
                name,
                low: low.expr,
                high: high.expr,
            });
        }
        Some(Prefix::Quantified(quantifier, binders, deepest))
    }

    fn operand(&mut self, node: &Node<'_>) -> Option<Built> {
        let (kind, depth) = match node.form {
            Form::number => (self.number(node)?, 0),
            Form::variable => self.variable(node)?,
            Form::group => {
                if let Some(comma) = node.find(Form::comma) {
                    self.report(not_a_function(comma.span, "this"));
                    return None;
                }
                let (inner, depth) = self.bracketed(node)?;
                (ExprKind::Paren(inner), depth)
            }
            Form::ceil => {
                let (inner, depth) = self.bracketed(node)?;
                (ExprKind::Ceil(inner), depth)
            }
            Form::floor => {
                let (inner, depth) = self.bracketed(node)?;
                (ExprKind::Floor(inner), depth)
            }
            Form::iverson => {
                let (inner, depth) = self.bracketed(node)?;
                (ExprKind::Bracket(inner), depth)
            }
            Form::call => {
                let function = function(node.child(Form::function).text);
                let (arguments, depth) = self.list(node)?;
                let kind = ExprKind::Call {
                    function,
                    arguments,
                };
                (kind, depth)
            }
            other => unreachable!("{other:?} is no operand"),
        };
        self.node(kind, node.span, depth)
    }

    /// The one expression between brackets, and its depth.
    fn bracketed(&mut self, node: &Node<'_>) -> Option<(Box<Expr>, usize)> {
        let inner = self.built(node.child(Form::expression))?;
        Some((Box::new(inner.expr), inner.depth))
    }

    /// The expressions between brackets, and the depth of the deepest.
    fn list(&mut self, node: &Node<'_>) -> Option<(Vec<Expr>, usize)> {
        let all: Vec<_> = node
            .all(Form::expression)
            .map(|child| self.built(child))
            .collect();
        let all: Vec<Built> = all.into_iter().collect::<Option<_>>()?;
        let depth = all.iter().map(|built| built.depth).max().unwrap_or(0);
        Some((all.into_iter().map(|built| built.expr).collect(), depth))
    }

    fn variable(&mut self, node: &Node<'_>) -> Option<(ExprKind, usize)> {
        let name = name(node.child(Form::name));
        if node.find(Form::open_bracket).is_none() {
            return Some((ExprKind::Name(name), 0));
        }
        let (indices, depth) = self.list(node)?;
        Some((ExprKind::Word { name, indices }, depth))
    }

    /// `gcd(x, y)` and its like: a name that is not reserved, with a list of arguments.
    fn claim_function(&mut self, called: &Node<'_>, list: &Node<'_>) -> Option<Built> {
        let comma = list.child(Form::comma).span;
        let (function, wanted) = match called.text {
            "gcd" => (Function::Gcd, 2),
            "digit_sum" => (Function::DigitSum, 2),
            "floor_sum" => (Function::FloorSum, 4),
            other => {
                self.report(not_a_function(comma, other));
                return None;
            }
        };
        if self.clause != Clause::Claim {
            self.report(SyntaxError::OnlyIn {
                what: format!("the function `{}`", called.text),
                place: "`claim`",
                help: None,
                span: called.span,
            });
        }
        let (arguments, depth) = self.list(list)?;
        let span = called.span.to(list.span);
        if arguments.len() != wanted {
            self.report(SyntaxError::Arguments {
                name: called.text.to_owned(),
                wanted,
                found: arguments.len(),
                span,
            });
        }
        let kind = ExprKind::Call {
            function,
            arguments,
        };
        self.node(kind, span, depth)
    }

    fn number(&mut self, node: &Node<'_>) -> Option<ExprKind> {
        if !node.text.contains(['.', 'e']) {
            return self.integer(node).map(ExprKind::Integer);
        }
        let digits: String = node.text.replace('_', "").replace('−', "-");
        let value: Option<f64> = digits.parse().ok();
        let value = value.filter(|value| value.is_finite() && node.text.len() <= MAX_NUMBER_LENGTH);
        if value.is_none() {
            self.report_huge(node);
        }
        value.map(ExprKind::Float)
    }

    fn integer(&mut self, node: &Node<'_>) -> Option<BigInt> {
        let digits = node.text.replace('_', "");
        if digits.len() > MAX_NUMBER_LENGTH {
            self.report_huge(node);
            return None;
        }
        digits.parse().ok()
    }

    fn report_huge(&mut self, node: &Node<'_>) {
        self.report(SyntaxError::HugeNumber {
            digits: node.text.len(),
            span: node.span,
        });
    }

    /// A node one deeper than its deepest child, unless that is too deep.
    fn node(&mut self, kind: ExprKind, span: Span, deepest: usize) -> Option<Built> {
        if deepest >= MAX_EXPRESSION_DEPTH {
            self.report(SyntaxError::TooDeep {
                what: "the operators of an expression",
                limit: MAX_EXPRESSION_DEPTH,
                help: "name parts of the expression with `let`",
                span,
            });
            return None;
        }
        Some(Built {
            expr: Expr { kind, span },
            depth: deepest + 1,
        })
    }

    /// Quantifiers and `⇒` belong to `require` and `ensure`, `log` without a base to claims.
    fn check_clause(&mut self, node: &Node<'_>) {
        let (allowed, place) = match node.form {
            Form::for_all | Form::exists | Form::min_over | Form::max_over | Form::implies => {
                (self.clause == Clause::Formula, "`require` and `ensure`")
            }
            Form::sum => (
                self.clause != Clause::Plain,
                "`require`, `ensure` and `claim`",
            ),
            Form::log_bare => (self.clause == Clause::Claim, "`claim`"),
            _ => return,
        };
        if allowed {
            return;
        }
        let (what, help) = match node.form {
            Form::implies => (
                format!("`{}`", node.text),
                Some("write `¬ (c) ∨ d` for `c ⇒ d`".to_owned()),
            ),
            Form::log_bare => (
                "`log` without a base".to_owned(),
                Some("write the base: `log2 x`, `log_b x`".to_owned()),
            ),
            Form::min_over | Form::max_over => (
                format!("`{}` over a range", node.text),
                Some(format!(
                    "write `{0}(x, y)` for the {0} of several values",
                    node.text
                )),
            ),
            _ => (format!("the quantifier `{}`", node.text), None),
        };
        self.report(SyntaxError::OnlyIn {
            what,
            place,
            help,
            span: node.span,
        });
    }

    /// `/` followed by a juxtaposition: the product binds more tightly, which few expect.
    fn check_quotient(&mut self, left: &Expr, right: &Expr) {
        let ExprKind::Binary {
            operator: BinaryOperator::Juxtapose,
            ..
        } = right.kind
        else {
            return;
        };
        let mut first = right;
        while let ExprKind::Binary {
            operator: BinaryOperator::Juxtapose,
            left,
            ..
        } = &first.kind
        {
            first = left;
        }
        let dividend = self.source.slice(left.span);
        let product = self.source.slice(right.span);
        let rest = self
            .source
            .slice(Span::new(first.span.end, right.span.end))
            .trim_start();
        let factor = self.source.slice(first.span);
        self.report(SyntaxError::AmbiguousProduct {
            written: format!("{dividend}/{product}"),
            whole: format!("{dividend}/({product})"),
            first: format!("{dividend}/{factor}·{rest}"),
            span: right.span,
        });
    }
}

impl Builder {
    /// An operator behind a complete operand: what binds at least as tightly is finished first.
    fn infix(&mut self, lowering: &mut Lowering<'_>, operator: Operator) -> Option<()> {
        let Binding { left, right } = binding(operator);
        self.reduce(
            lowering,
            match operator {
                // A chain `a < b < c` is one node: its operators do not close each other.
                Operator::Compare(_) => right + 1,
                _ => left,
            },
        )?;
        let operand = self.operand.take()?;
        match operator {
            Operator::Compare(comparison) => match self.waiting.last_mut() {
                Some(Waiting::Chain(operands, operators)) => {
                    operands.push(operand);
                    operators.push(comparison);
                }
                _ => self
                    .waiting
                    .push(Waiting::Chain(vec![operand], vec![comparison])),
            },
            Operator::Binary(operator) => self.waiting.push(Waiting::Binary(operator, operand)),
            Operator::Negate | Operator::Not | Operator::Log | Operator::Quantifier(_) => {
                unreachable!("a prefix operator has no left side")
            }
        }
        Some(())
    }

    /// Gives the operand to every waiting operator that binds it at least as tightly as `left`.
    fn reduce(&mut self, lowering: &mut Lowering<'_>, left: u8) -> Option<()> {
        while let Some(waiting) = self.waiting.pop_if(|waiting| waiting.right() >= left) {
            let operand = self.operand.take()?;
            self.operand = Some(waiting.complete(lowering, operand)?);
        }
        Some(())
    }
}

impl Waiting {
    fn complete(self, lowering: &mut Lowering<'_>, operand: Built) -> Option<Built> {
        match self {
            Waiting::Prefix(prefix, start) => {
                let span = start.to(operand.expr.span);
                let depth = operand.depth;
                let inner = Box::new(operand.expr);
                let (kind, depth) = match prefix {
                    Prefix::Negate => (ExprKind::Negate(inner), depth),
                    Prefix::Not => (ExprKind::Not(inner), depth),
                    Prefix::Log(base, base_depth) => {
                        let kind = ExprKind::Log {
                            base,
                            argument: inner,
                        };
                        (kind, depth.max(base_depth))
                    }
                    Prefix::Quantified(quantifier, binders, range_depth) => {
                        let kind = ExprKind::Quantified {
                            quantifier,
                            binders,
                            body: inner,
                        };
                        (kind, depth.max(range_depth))
                    }
                };
                lowering.node(kind, span, depth)
            }
            Waiting::Binary(operator, left) => {
                let span = left.expr.span.to(operand.expr.span);
                let depth = left.depth.max(operand.depth);
                if operator == BinaryOperator::Divide {
                    lowering.check_quotient(&left.expr, &operand.expr);
                }
                let kind = ExprKind::Binary {
                    operator,
                    left: Box::new(left.expr),
                    right: Box::new(operand.expr),
                };
                lowering.node(kind, span, depth)
            }
            Waiting::Chain(mut operands, operators) => {
                operands.push(operand);
                let depth = operands.iter().map(|built| built.depth).max().unwrap_or(0);
                let operands: Vec<Expr> = operands.into_iter().map(|built| built.expr).collect();
                let span = operands[0].span.to(operands[operands.len() - 1].span);
                let kind = ExprKind::Compare {
                    operands,
                    operators,
                };
                lowering.node(kind, span, depth)
            }
        }
    }
}

/// The operator of an infix terminal.
fn infix(form: Form) -> Option<Operator> {
    Some(match form {
        Form::plus => Operator::Binary(BinaryOperator::Add),
        Form::minus => Operator::Binary(BinaryOperator::Subtract),
        Form::times => Operator::Binary(BinaryOperator::Multiply),
        Form::divide => Operator::Binary(BinaryOperator::Divide),
        Form::floor_divide => Operator::Binary(BinaryOperator::FloorDivide),
        Form::modulo => Operator::Binary(BinaryOperator::Modulo),
        Form::power => Operator::Binary(BinaryOperator::Power),
        Form::and => Operator::Binary(BinaryOperator::And),
        Form::or => Operator::Binary(BinaryOperator::Or),
        Form::implies => Operator::Binary(BinaryOperator::Implies),
        Form::equal => Operator::Compare(Comparison::Equal),
        Form::not_equal => Operator::Compare(Comparison::NotEqual),
        Form::less => Operator::Compare(Comparison::Less),
        Form::at_most => Operator::Compare(Comparison::AtMost),
        Form::greater => Operator::Compare(Comparison::Greater),
        Form::at_least => Operator::Compare(Comparison::AtLeast),
        Form::divides => Operator::Compare(Comparison::Divides),
        Form::power_of => Operator::Compare(Comparison::PowerOf),
        _ => return None,
    })
}

fn function(word: &str) -> Function {
    match word {
        "min" => Function::Min,
        "max" => Function::Max,
        "abs" => Function::Abs,
        "select" => Function::Select,
        "sqrt" => Function::Sqrt,
        "exp" => Function::Exp,
        "ln" => Function::Ln,
        "sin" => Function::Sin,
        "cos" => Function::Cos,
        "bitand" => Function::BitAnd,
        "bitor" => Function::BitOr,
        "bitxor" => Function::BitXor,
        "shl" => Function::Shl,
        "shr" => Function::Shr,
        other => unreachable!("the grammar has no function `{other}`"),
    }
}

/// Whether a bare name is followed by a list of arguments, not by one factor in parentheses.
fn is_argument_list(called: &Node<'_>, next: &Node<'_>) -> bool {
    called.form == Form::variable
        && called.find(Form::open_bracket).is_none()
        && next.form == Form::group
        && next.find(Form::comma).is_some()
}

fn not_a_function(comma: Span, called: &str) -> SyntaxError {
    const FUNCTIONS: [&str; 17] = [
        "min",
        "max",
        "abs",
        "select",
        "sqrt",
        "exp",
        "ln",
        "sin",
        "cos",
        "bitand",
        "bitor",
        "bitxor",
        "shl",
        "shr",
        "gcd",
        "digit_sum",
        "floor_sum",
    ];
    let help = nearest(called, FUNCTIONS).map(|function| format!("did you mean `{function}`?"));
    SyntaxError::NotAFunction {
        name: if called == "this" {
            "what stands before these parentheses".to_owned()
        } else {
            format!("`{called}`")
        },
        help,
        span: comma,
    }
}

/// A name with its spelling normalised: `′` is `'`, and an alias is its letter.
pub(super) fn name(node: &Node<'_>) -> Name {
    let text = match greek_letter(node.text) {
        Some(letter) => letter.to_owned(),
        None => node.text.replace('′', "'"),
    };
    Name {
        text,
        span: node.span,
    }
}

/// The Greek letters with an ASCII spelling.
const ALIASES: [(&str, &str); 6] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("lambda", "λ"),
    ("sigma", "σ"),
    ("ell", "ℓ"),
];

/// The letter an ASCII alias stands for.
pub(in crate::syntax) fn greek_letter(alias: &str) -> Option<&'static str> {
    let found = ALIASES.iter().find(|(spelling, _)| *spelling == alias);
    found.map(|(_, letter)| *letter)
}

/// The ASCII alias of a letter.
pub(in crate::syntax) fn alias(letter: &str) -> Option<&'static str> {
    let found = ALIASES.iter().find(|(_, greek)| *greek == letter);
    found.map(|(alias, _)| *alias)
}
