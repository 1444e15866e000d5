//! Statements: named kernels' first lines, wrapper and core loops, `for`, `while` and `if`,
//! `execute`,
//! `swap`, `atomic`, moves. Their places are checked when lines become blocks.

use crate::syntax::ast::{
    Arrow, Atomic, CoreLoop, Execute, Expr, For, If, KernelFormal, Move, NamedKernel, Place,
    Source, Subscript, Swap, Until, While, Wrapper,
};
use crate::syntax::error::SyntaxError;
use crate::syntax::lower::{Lowering, expr};
use crate::syntax::parser::{Form, Node};
use crate::syntax::scope::Scope;
use crate::text::Span;

impl Lowering<'_> {
    pub(super) fn kernel(&mut self, node: &Node<'_>) -> NamedKernel {
        let formals = node
            .all(Form::formal)
            .map(|formal| KernelFormal {
                is_array: formal.find(Form::kw_global).is_some(),
                name: self.binding_name(formal.child(Form::name)),
            })
            .collect();
        NamedKernel {
            name: self.binding_name(node.child(Form::name)),
            formals,
            body: Vec::new(),
            span: node.span,
        }
    }

    pub(super) fn wrapper(&mut self, node: &Node<'_>) -> Option<Wrapper> {
        let index = node.child(Form::mp_index);
        let indices = match index.find(Form::braced_names) {
            Some(braced) => self.binding_names(braced),
            None => self.binding_names(index),
        };
        let set = &node.children[6];
        let ranges = match set.form {
            Form::mp_ranges => {
                let ranges: Vec<_> = set
                    .all(Form::range)
                    .map(|range| self.range(range))
                    .collect();
                ranges.into_iter().collect::<Option<Vec<_>>>()?
            }
            Form::mp_from_to => {
                let bounds: Vec<_> = set
                    .all(Form::mp_bound)
                    .map(|bound| self.mp_bound(bound))
                    .collect();
                let [low, high] = <[_; 2]>::try_from(bounds).ok()?;
                let (low, high) = (low?, high?);
                if low.len() != high.len() {
                    self.report(SyntaxError::MpRank {
                        index: index.text.to_owned(),
                        indices: dimensions(indices.len()),
                        ranges: format!(
                            "starts in {} and ends in {}",
                            dimensions(low.len()),
                            dimensions(high.len())
                        ),
                        span: set.span,
                        index_span: index.span,
                    });
                    return None;
                }
                low.into_iter().zip(high).collect()
            }
            other => unreachable!("{other:?} numbers no MPs"),
        };
        if indices.len() > 3 {
            self.report(SyntaxError::MpDimensions {
                found: indices.len(),
                span: index.span,
            });
            return None;
        }
        if indices.len() != ranges.len() {
            self.report(SyntaxError::MpRank {
                index: index.text.to_owned(),
                indices: dimensions(indices.len()),
                ranges: dimensions(ranges.len()),
                span: set.span,
                index_span: index.span,
            });
            return None;
        }
        Some(Wrapper {
            indices,
            ranges,
            body: Vec::new(),
            span: node.span,
        })
    }

    /// Lowers the numbers behind `mp_`: `0`, `k`, `{r-1,c-1}`.
    fn mp_bound(&mut self, node: &Node<'_>) -> Option<Vec<Expr>> {
        match node.find(Form::braced_expressions) {
            Some(braced) => self.expressions(braced),
            None => self
                .word_subscript(&node.children[1])
                .map(|number| vec![number]),
        }
    }

    pub(super) fn for_line(&mut self, node: &Node<'_>) -> Option<For> {
        let ends = self.range(node);
        let until = match node.find(Form::until_clause) {
            Some(clause) => self.only_expression(clause).map(|condition| {
                Some(Box::new(Until {
                    condition,
                    span: clause.span,
                }))
            }),
            None => Some(None),
        };
        let (from, to) = ends?;
        Some(For {
            variable: self.binding_name(node.child(Form::name)),
            from,
            to,
            down: node.find(Form::kw_downto).is_some(),
            until: until?,
            body: Vec::new(),
            span: node.span,
        })
    }

    pub(super) fn while_line(&mut self, node: &Node<'_>) -> Option<While> {
        let condition = self.only_expression(node);
        let at_most = match node.find(Form::at_most_clause) {
            Some(clause) => self.only_expression(clause).map(Some),
            None => Some(None),
        };
        Some(While {
            condition: condition?,
            at_most: at_most?,
            body: Vec::new(),
            span: node.span,
        })
    }

    pub(super) fn execute(&mut self, node: &Node<'_>) -> Option<Execute> {
        Some(Execute {
            kernel: expr::name(node.child(Form::name)),
            arguments: self.expressions(node)?,
            span: node.span,
        })
    }

    pub(super) fn swap(&mut self, node: &Node<'_>) -> Swap {
        Swap {
            left: expr::name(&node.children[1]),
            right: expr::name(&node.children[3]),
            span: node.span,
        }
    }

    pub(super) fn move_line(&mut self, node: &Node<'_>) -> Option<Move> {
        let [target, arrow, source] = node.children.as_slice() else {
            unreachable!("a move has two sides and an arrow")
        };
        let target = self.place(target);
        let source_span = source.span;
        let arrow_span = arrow.span;
        let arrow = match arrow.form {
            Form::transfer_arrow => Arrow::Transfer,
            Form::global_arrow => Arrow::Global,
            Form::shared_arrow => Arrow::Shared,
            other => unreachable!("{other:?} is no arrow"),
        };
        let source = match source.form {
            Form::place => self.place(source).map(Source::Place),
            _ => self.expression(source).map(Source::Expr),
        };
        let (target, source) = (target?, source?);
        match (arrow, &source) {
            (Arrow::Transfer, Source::Expr(_)) => {
                self.report(SyntaxError::TransferOfExpression { span: source_span });
            }
            (Arrow::Transfer, Source::Place(_)) => {}
            (Arrow::Global | Arrow::Shared, _) => {
                // A `⇐` with a host variable is read as a transfer, which may move slices.
                let is_transfer = arrow == Arrow::Global
                    && [Some(&target), place_of(&source)]
                        .into_iter()
                        .flatten()
                        .any(|place| Scope::of(&place.name.text) == Scope::Host);
                let range = range_of(&target).or(place_of(&source).and_then(range_of));
                if let Some(span) = range
                    && !is_transfer
                {
                    self.report(SyntaxError::Slice { span });
                }
            }
        }
        Some(Move {
            target,
            arrow,
            arrow_span,
            source,
            span: node.span,
        })
    }

    pub(super) fn core_loop(&mut self, node: &Node<'_>) -> Option<CoreLoop> {
        let index = node.child(Form::core_index);
        let indices = match index.find(Form::braced_names) {
            Some(braced) => self.binding_names(braced),
            None => self.binding_names(index),
        };
        let set = node.child(Form::core_set);
        let names = match set.find(Form::braced_names) {
            Some(braced) => braced.all(Form::name).map(expr::name).collect(),
            None => set.all(Form::set_word).map(expr::name).collect(),
        };
        Some(CoreLoop {
            indices,
            set: names,
            set_span: set.span,
            body: Vec::new(),
            span: node.span,
        })
    }

    pub(super) fn if_line(&mut self, node: &Node<'_>) -> Option<If> {
        Some(If {
            condition: self.only_expression(node)?,
            body: Vec::new(),
            span: node.span,
        })
    }

    pub(super) fn atomic(&mut self, node: &Node<'_>) -> Option<Atomic> {
        let target = self.place(node.child(Form::place));
        let value = self.only_expression(node);
        let (target, value) = (target?, value?);
        if let Some(span) = range_of(&target) {
            self.report(SyntaxError::Slice { span });
        }
        Some(Atomic {
            target,
            value,
            span: node.span,
        })
    }

    /// Lowers a [`place`](Form::place) node: a variable with or without subscripts.
    pub(super) fn place(&mut self, node: &Node<'_>) -> Option<Place> {
        let subscripts: Vec<_> = node
            .all(Form::subscript)
            .map(|subscript| {
                let mut bounds = self.expressions(subscript)?.into_iter();
                match (bounds.next()?, bounds.next()) {
                    (low, Some(high)) => Some(Subscript::Range(low, high)),
                    (index, None) => Some(Subscript::At(index)),
                }
            })
            .collect();
        Some(Place {
            name: expr::name(node.child(Form::name)),
            subscripts: subscripts.into_iter().collect::<Option<_>>()?,
            span: node.span,
        })
    }
}

/// Returns the first range among a place's subscripts.
fn range_of(place: &Place) -> Option<Span> {
    place
        .subscripts
        .iter()
        .find_map(|subscript| match subscript {
            Subscript::At(_) => None,
            Subscript::Range(low, high) => Some(low.span.to(high.span)),
        })
}

fn place_of(source: &Source) -> Option<&Place> {
    match source {
        Source::Place(place) => Some(place),
        Source::Expr(_) => None,
    }
}

fn dimensions(count: usize) -> String {
    match count {
        1 => "1 dimension".to_owned(),
        _ => format!("{count} dimensions"),
    }
}
