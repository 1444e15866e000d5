//! The visibility of names: parameters by scope, variables by name (language.md §2.2).
//!
//! A name with a faulty declaration is known all the same, so that its uses give no echoes.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::program::{ParamId, Parameter, ParameterKind, Type, VarId, Variable};
use crate::text::Span;

/// The meaning of a name; `Faulty` if its declaration was already reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known<T> {
    /// Declared in order.
    Sound(T),
    /// Declared, but with a fault.
    Faulty,
}

impl<T> Known<T> {
    /// Returns the thing itself, unless it is faulty.
    pub(super) fn sound(self) -> Option<T> {
        match self {
            Known::Sound(thing) => Some(thing),
            Known::Faulty => None,
        }
    }
}

/// All parameters ever bound, and the visible names.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    all: Vec<Parameter>,
    by_name: HashMap<String, Vec<Binding>>,
    /// The visible names in the order they were bound.
    order: Vec<String>,
    /// The end of the header's names, which are all that a named kernel sees.
    header: Mark,
}

#[derive(Debug, Clone)]
struct Binding {
    known: Known<ParamId>,
    kind: ParameterKind,
    span: Option<Span>,
}

/// The number of visible names at some moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark(usize);

/// Bindings hidden for a while.
#[derive(Debug)]
pub(super) struct Hidden(Vec<(String, Binding)>);

impl Parameters {
    /// Makes a parameter without making it visible.
    pub(super) fn add(
        &mut self,
        name: &str,
        kind: ParameterKind,
        ty: Type,
        depends_on_data: bool,
        span: Option<Span>,
    ) -> ParamId {
        let id = ParamId(self.all.len() as u32);
        self.all.push(Parameter {
            name: name.to_owned(),
            kind,
            ty,
            depends_on_data,
            span,
        });
        id
    }

    /// Makes a name visible until the scopes are cut back.
    pub(super) fn show(
        &mut self,
        name: &str,
        kind: ParameterKind,
        known: Known<ParamId>,
        span: Option<Span>,
    ) {
        let binding = Binding { known, kind, span };
        self.by_name
            .entry(name.to_owned())
            .or_default()
            .push(binding);
        self.order.push(name.to_owned());
    }

    /// Returns the meaning of a visible name.
    pub(super) fn look_up(&self, name: &str) -> Option<Known<ParamId>> {
        self.innermost(name).map(|binding| binding.known)
    }

    /// Returns the kind and the place of a visible name's declaration.
    pub(super) fn declaration(&self, name: &str) -> Option<(ParameterKind, Option<Span>)> {
        self.innermost(name)
            .map(|binding| (binding.kind, binding.span))
    }

    fn innermost(&self, name: &str) -> Option<&Binding> {
        self.by_name.get(name)?.last()
    }

    /// Returns the parameter with this id.
    pub(super) fn get(&self, id: ParamId) -> &Parameter {
        &self.all[id.0 as usize]
    }

    /// Returns a mark for the present state.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.order.len())
    }

    /// Ends the header: the names bound so far are the header's.
    pub(super) fn end_header(&mut self) {
        self.header = self.mark();
    }

    /// Returns the end of the header's names.
    pub(super) fn header(&self) -> Mark {
        self.header
    }

    /// Ends the visibility of all names bound since the mark.
    pub(super) fn cut_back(&mut self, mark: Mark) {
        self.hide_since(mark);
    }

    /// Hides all names bound since the mark.
    pub(super) fn hide_since(&mut self, mark: Mark) -> Hidden {
        let names = self.order.split_off(mark.0.min(self.order.len()));
        let mut hidden = Vec::with_capacity(names.len());
        // Innermost first: `bring_back` goes the other way and ends with the innermost.
        for name in names.into_iter().rev() {
            if let Some(binding) = self.by_name.get_mut(&name).and_then(Vec::pop) {
                hidden.push((name, binding));
            }
        }
        Hidden(hidden)
    }

    /// Shows hidden names again.
    pub(super) fn bring_back(&mut self, hidden: Hidden) {
        for (name, binding) in hidden.0.into_iter().rev() {
            self.show(&name, binding.kind, binding.known, binding.span);
        }
    }

    /// Iterates over the visible names, in binding order.
    pub(super) fn visible(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    /// Returns the number of parameters ever made.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Forgets the parameters made since there were `len`.
    pub(super) fn forget_since(&mut self, len: usize) {
        self.all.truncate(len);
    }

    /// Returns all parameters, by id.
    pub(super) fn into_all(self) -> Vec<Parameter> {
        self.all
    }
}

/// The declared variables, and the array formals that stand for some of them.
#[derive(Debug, Default)]
pub(super) struct Variables {
    all: Vec<Variable>,
    used: Vec<bool>,
    by_name: IndexMap<String, (Known<VarId>, Span)>,
    formals: HashMap<String, Known<VarId>>,
    /// Pairs joined by a `swap` in the text.
    swaps: Vec<(VarId, VarId)>,
}

impl Variables {
    /// Adds a variable under its name.
    pub(super) fn add(&mut self, variable: Variable) -> VarId {
        let id = VarId(self.all.len() as u32);
        let known = (Known::Sound(id), variable.span);
        self.by_name.insert(variable.name.clone(), known);
        self.all.push(variable);
        self.used.push(false);
        id
    }

    /// Makes a name known whose declaration is faulty.
    pub(super) fn add_faulty(&mut self, name: &str, span: Span) {
        self.by_name
            .entry(name.to_owned())
            .or_insert((Known::Faulty, span));
    }

    /// Returns the declaration of a name, formals aside.
    pub(super) fn declaration(&self, name: &str) -> Option<Span> {
        self.by_name.get(name).map(|(_, span)| *span)
    }

    /// Returns the meaning of a name; an array formal hides a declared variable.
    pub(super) fn look_up(&self, name: &str) -> Option<Known<VarId>> {
        let formal = self.formals.get(name).copied();
        formal.or_else(|| self.by_name.get(name).map(|(known, _)| *known))
    }

    /// Replaces the array formals; returns the former ones.
    pub(super) fn replace_formals(
        &mut self,
        formals: HashMap<String, Known<VarId>>,
    ) -> HashMap<String, Known<VarId>> {
        std::mem::replace(&mut self.formals, formals)
    }

    /// Returns the variable with this id.
    pub(super) fn get(&self, id: VarId) -> &Variable {
        &self.all[id.0 as usize]
    }

    /// Returns the variable with this id, to complete it.
    pub(super) fn get_mut(&mut self, id: VarId) -> &mut Variable {
        &mut self.all[id.0 as usize]
    }

    /// Records that the program names a variable.
    pub(super) fn mark_used(&mut self, id: VarId) {
        self.used[id.0 as usize] = true;
    }

    /// Iterates over unused variables, in declaration order.
    pub(super) fn unused(&self) -> impl Iterator<Item = &Variable> {
        self.all
            .iter()
            .zip(&self.used)
            .filter_map(|(variable, used)| (!used).then_some(variable))
    }

    /// Records that a `swap` joins two variables.
    pub(super) fn join(&mut self, left: VarId, right: VarId) {
        self.swaps.push((left, right));
    }

    /// Returns the pairs joined by swaps, in text order.
    pub(super) fn swaps(&self) -> &[(VarId, VarId)] {
        &self.swaps
    }

    /// Iterates over all known names, array formals last.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let declared = self.by_name.keys().map(String::as_str);
        let mut formals: Vec<&str> = self.formals.keys().map(String::as_str).collect();
        formals.sort_unstable();
        declared.chain(formals)
    }

    /// Iterates over all variables, in declaration order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Variable> {
        self.all.iter()
    }

    /// Returns all variables, by id.
    pub(super) fn into_all(self) -> Vec<Variable> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_come_back_in_their_order() {
        let mut parameters = Parameters::default();
        let bind = |parameters: &mut Parameters, name: &str| {
            let id = parameters.add(name, ParameterKind::HostLet, Type::Number, false, None);
            parameters.show(name, ParameterKind::HostLet, Known::Sound(id), None);
        };
        bind(&mut parameters, "n");
        let header = parameters.mark();
        bind(&mut parameters, "w");
        bind(&mut parameters, "v");
        let hidden = parameters.hide_since(header);
        assert_eq!(parameters.look_up("w"), None);
        bind(&mut parameters, "w");
        assert_eq!(parameters.look_up("w"), Some(Known::Sound(ParamId(3))));
        parameters.cut_back(header);
        parameters.bring_back(hidden);
        assert_eq!(parameters.look_up("w"), Some(Known::Sound(ParamId(1))));
        assert_eq!(parameters.visible().collect::<Vec<_>>(), ["n", "w", "v"]);
    }
}
