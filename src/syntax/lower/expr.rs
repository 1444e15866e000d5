//! Expressions: operands, and the constructs that only some clauses allow.
//!
//! The flat list of operands and operators becomes a tree in
//! [`precedence`](crate::syntax::lower::precedence). Only brackets recurse here, and their depth
//! was
//! checked before the parse.

use crate::number::BigInt;
use crate::syntax::ast::{Binder, Expr, ExprKind, LogBase, Name, Quantifier};
use crate::syntax::error::SyntaxError;
use crate::syntax::foreign;
use crate::syntax::functions::{self, FUNCTIONS};
use crate::syntax::limits::{MAX_NUMBER_LENGTH, abbreviated};
use crate::syntax::lower::precedence::{Builder, Built, Prefix, infix};
use crate::syntax::lower::{Clause, Lowering};
use crate::syntax::parser::{Form, Node};
use crate::text::{Span, nearest};

impl Lowering<'_> {
    /// Lowers an [`expression`](Form::expression) node to a tree; `None` after a reported fault
    /// that leaves
    /// nothing to go on with.
    pub(super) fn expression(&mut self, node: &Node<'_>) -> Option<Expr> {
        self.built(node).map(|built| built.expr)
    }

    /// Lowers all expressions directly below a node, in order.
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
            } else if is_prefix(node.form) {
                let prefix = self.prefix(node)?;
                builder.prefix(self, prefix, node.span)?;
            } else {
                let operand = match nodes.next_if(|next| is_argument_list(node, next)) {
                    Some(arguments) => self.claim_function(node, arguments)?,
                    None => self.operand(node)?,
                };
                builder.operand(self, operand)?;
            }
        }
        builder.finish(self)
    }

    /// Lowers `-`, `¬`, a logarithm without its argument, or a quantifier without its body.
    fn prefix(&mut self, node: &Node<'_>) -> Option<Prefix> {
        Some(match node.form {
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
            Form::quantified => self.quantified(node)?,
            other => unreachable!("{other:?} stands behind its operand"),
        })
    }

    /// Lowers `0` or `k` behind `mp_`.
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
                    self.report(not_a_function(comma.span, None));
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
                let word = node.child(Form::function).text;
                let function = functions::named(word)
                    .expect("the grammar has no function that the table lacks")
                    .function;
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

    /// Lowers the one expression between brackets; returns its depth too.
    fn bracketed(&mut self, node: &Node<'_>) -> Option<(Box<Expr>, usize)> {
        let inner = self.built(node.child(Form::expression))?;
        Some((Box::new(inner.expr), inner.depth))
    }

    /// Lowers the expressions between brackets; returns the depth of the deepest too.
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

    /// Lowers `gcd(x, y)` and its like: a name that is not reserved, with a list of arguments.
    fn claim_function(&mut self, called: &Node<'_>, list: &Node<'_>) -> Option<Built> {
        let comma = list.child(Form::comma).span;
        let of_claims = |form: &&functions::Form| !form.function.is_reserved();
        let Some(form) = functions::named(called.text).filter(of_claims) else {
            self.report(not_a_function(comma, Some(called)));
            return None;
        };
        let (function, wanted) = (form.function, form.arity.unwrap_or(1));
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

    /// Checks the clause: quantifiers, `⇒` and `≈` belong to `require` and `ensure`, `log` without
    /// a base
    /// to claims.
    fn check_clause(&mut self, node: &Node<'_>) {
        let (allowed, place) = match node.form {
            Form::for_all
            | Form::exists
            | Form::min_over
            | Form::max_over
            | Form::implies
            | Form::about => (self.clause == Clause::Formula, "`require` and `ensure`"),
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
            Form::about => (
                format!("`{}`", node.text),
                Some("write `abs(x - y) ≤ 1e-9`, with the tolerance that you mean".to_owned()),
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
            Form::sum => (
                format!("the quantifier `{}`", node.text),
                Some("add up in a loop: `for s = lo → hi do` with `_y[j] ← _y[j] + …`".to_owned()),
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
}

fn is_prefix(form: Form) -> bool {
    matches!(
        form,
        Form::negate
            | Form::not
            | Form::log_two
            | Form::log_bare
            | Form::log_word
            | Form::log_braced
            | Form::quantified
    )
}

/// Returns true if a bare name is followed by a list of arguments, not by one factor in
/// parentheses.
fn is_argument_list(called: &Node<'_>, next: &Node<'_>) -> bool {
    called.form == Form::variable
        && called.find(Form::open_bracket).is_none()
        && next.form == Form::group
        && next.find(Form::comma).is_some()
}

/// Returns the error for a list of arguments behind something that takes none.
fn not_a_function(comma: Span, called: Option<&Node<'_>>) -> SyntaxError {
    let place = called.map(|called| called.span);
    let called = called.map(|called| called.text);
    let slip = called
        .filter(|called| called.len() < 20)
        .and_then(|called| nearest(called, FUNCTIONS.iter().map(|form| form.name)));
    SyntaxError::NotAFunction {
        name: match called {
            Some(called) => format!("`{}`", abbreviated(called)),
            None => "what stands before these parentheses".to_owned(),
        },
        help: match called.and_then(foreign::meaning) {
            Some(meaning) => Some(meaning.to_owned()),
            None => slip.map(|function| format!("did you mean `{function}`?")),
        },
        slip: place.zip(slip),
        span: comma,
    }
}

/// Returns a name with its spelling normalised: `′` is `'`, and an alias is its letter.
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

/// Greek letters with an ASCII spelling.
pub(in crate::syntax) const ALIASES: [(&str, &str); 6] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("lambda", "λ"),
    ("sigma", "σ"),
    ("ell", "ℓ"),
];

/// Returns the letter of an ASCII alias.
pub(in crate::syntax) fn greek_letter(alias: &str) -> Option<&'static str> {
    let found = ALIASES.iter().find(|(spelling, _)| *spelling == alias);
    found.map(|(_, letter)| *letter)
}

/// Returns the ASCII alias of a letter.
pub(in crate::syntax) fn alias(letter: &str) -> Option<&'static str> {
    let found = ALIASES.iter().find(|(_, greek)| *greek == letter);
    found.map(|(alias, _)| *alias)
}
