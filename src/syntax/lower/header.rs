//! Header lines: the algorithm's name, conditions, declarations, claims.

use crate::syntax::ast::{
    Claim, ClaimRelation, Condition, Declaration, DeclarationKind, Name, Property, WordType,
};
use crate::syntax::lower::{Clause, Item, Lowering};
use crate::syntax::parser::{Form, Node};

impl Lowering<'_> {
    pub(super) fn algorithm(&mut self, node: &Node<'_>) -> Item {
        let name = self.binding_name(node.child(Form::name));
        let formals = match node.find(Form::formals) {
            Some(formals) => self.binding_names(formals),
            None => Vec::new(),
        };
        Item::Algorithm { name, formals }
    }

    pub(super) fn condition(&mut self, node: &Node<'_>) -> Option<Condition> {
        self.clause = Clause::Formula;
        Some(Condition {
            condition: self.only_expression(node)?,
            span: node.span,
        })
    }

    /// Lowers the declarations of a line, one for each variable; faulty ones are left out.
    pub(super) fn declarations(&mut self, node: &Node<'_>) -> Option<Vec<Declaration>> {
        let keyword = &node.children[0];
        let kind = match keyword.form {
            Form::kw_input => DeclarationKind::Input,
            Form::kw_output => DeclarationKind::Output,
            Form::kw_host => DeclarationKind::Host,
            Form::kw_global => DeclarationKind::Global,
            Form::kw_shared => DeclarationKind::Shared,
            other => unreachable!("{other:?} declares nothing"),
        };
        let line_type = node.find(Form::word_type).map(word_type);
        let mut declarations = Vec::new();
        for child in node.all(Form::declaration) {
            let name = self.binding_name(child.child(Form::name));
            let dimensions = match child.find(Form::dimensions) {
                Some(dimensions) => self.expressions(dimensions),
                None => Some(Vec::new()),
            };
            let own_type = child
                .find(Form::own_type)
                .map(|own| word_type(own.child(Form::word_type)));
            let range = match child.find(Form::declared_range) {
                Some(range) => self.range(range.child(Form::range)).map(Some),
                None => Some(None),
            };
            let property = child
                .find(Form::declared_property)
                .map(|declared| declared.child(Form::property))
                .map(|word| (property(word), word.span));
            let (Some(dimensions), Some(range)) = (dimensions, range) else {
                continue;
            };
            declarations.push(Declaration {
                kind,
                keyword_span: keyword.span,
                name,
                dimensions,
                word_type: own_type.or(line_type).unwrap_or(WordType::Int),
                range,
                property,
                span: child.span,
            });
        }
        Some(declarations)
    }

    pub(super) fn claim(&mut self, node: &Node<'_>) -> Option<Claim> {
        self.clause = Clause::Claim;
        let quantity = node.child(Form::quantity);
        let side = &node.children[2];
        let relation = match side.form {
            Form::claim_equal => ClaimRelation::Equal,
            Form::claim_at_most => ClaimRelation::AtMost,
            Form::claim_at_least => ClaimRelation::AtLeast,
            Form::claim_order if side.find(Form::theta).is_some() => ClaimRelation::Theta,
            Form::claim_order if side.find(Form::omega).is_some() => ClaimRelation::Omega,
            Form::claim_order => ClaimRelation::BigO,
            other => unreachable!("{other:?} claims nothing"),
        };
        Some(Claim {
            quantity: Name {
                text: quantity.text.to_owned(),
                span: quantity.span,
            },
            relation,
            value: self.only_expression(side)?,
            span: node.span,
        })
    }
}

fn word_type(node: &Node<'_>) -> WordType {
    match node.text {
        "float" => WordType::Float,
        _ => WordType::Int,
    }
}

fn property(node: &Node<'_>) -> Property {
    match node.text {
        "sorted" => Property::Sorted,
        "permutation" => Property::Permutation,
        _ => Property::List,
    }
}
