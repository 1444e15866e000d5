//! What stands only in kernels: core loops, `if`, `atomic`.

use crate::syntax::ast::{Atomic, CoreLoop, If};
use crate::syntax::error::SyntaxError;
use crate::syntax::lower::host::range_of;
use crate::syntax::lower::{Lowering, expr};
use crate::syntax::parser::{Form, Node};

impl Lowering<'_> {
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
}
