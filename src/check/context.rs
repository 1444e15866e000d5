//! The state that checking carries along: names, findings, and the names of the present kernel.

use indexmap::{IndexMap, IndexSet};

use crate::check::error::{NameError, NameKind, Suggestion};
use crate::check::findings::Findings;
use crate::check::names;
use crate::check::scopes::{Known, Parameters, Variables};
use crate::diag::Mend;
use crate::program::{ParamId, ParameterKind, Scope, StmtId, Type, VarId};
use crate::syntax::{ast, foreign};
use crate::text::{Source, Span};

/// The state of one check.
pub(super) struct Context<'a> {
    pub source: &'a Source,
    pub parameters: Parameters,
    pub variables: Variables,
    pub kernels: IndexMap<String, NamedKernel<'a>>,
    /// Names in the wrapper loop being checked.
    pub kernel: KernelNames,
    /// The number of the next kernel statement.
    pub statement_count: u32,
    pub findings: Findings,
}

/// A named kernel; `executed` once an `execute` names it.
pub(super) struct NamedKernel<'a> {
    pub written: &'a ast::NamedKernel,
    pub executed: bool,
}

/// The variables a wrapper loop names, in text order, and the core index in sight.
#[derive(Debug, Default)]
pub(super) struct KernelNames {
    pub global: IndexSet<VarId>,
    pub global_written: IndexSet<VarId>,
    pub shared: IndexSet<VarId>,
    pub core: Option<String>,
}

impl<'a> Context<'a> {
    /// Starts without names.
    pub(super) fn new(source: &'a Source) -> Self {
        Context {
            source,
            parameters: Parameters::default(),
            variables: Variables::default(),
            kernels: IndexMap::new(),
            kernel: KernelNames::default(),
            statement_count: 0,
            findings: Findings::default(),
        }
    }

    /// Adds a finding, once for each place and code.
    pub(super) fn report(&mut self, error: &dyn Mend) {
        self.findings.add(error, self.source);
    }

    /// Runs a check for its notes only: drops its findings and undoes its parameters.
    pub(super) fn muted(&mut self, check: impl FnOnce(&mut Self)) {
        let before = (
            self.findings.mute(),
            self.parameters.len(),
            self.parameters.mark(),
            self.statement_count,
        );
        check(self);
        self.findings.unmute(before.0);
        self.parameters.cut_back(before.2);
        self.parameters.forget_since(before.1);
        self.statement_count = before.3;
    }

    /// Returns the text under a span.
    pub(super) fn text(&self, span: Span) -> String {
        self.source.slice(span).trim().to_owned()
    }

    /// True if a text names an index of the MP, by itself or in a product such as `ib`.
    pub(super) fn names_mp(&self, text: &str) -> bool {
        let is_mp = |name: &str| {
            let declaration = self.parameters.declaration(name);
            declaration.is_some_and(|(kind, _)| kind == ParameterKind::Mp)
        };
        let mut words = text.split(|c: char| !c.is_alphanumeric() && !"_'".contains(c));
        words.any(|word| {
            let factors =
                names::letters(word).filter(|_| self.parameters.declaration(word).is_none());
            is_mp(word) || factors.is_some_and(|factors| factors.into_iter().any(is_mp))
        })
    }

    /// Returns the number of the next kernel statement.
    pub(super) fn next_statement(&mut self) -> StmtId {
        let id = StmtId(self.statement_count);
        self.statement_count += 1;
        id
    }

    /// Binds a parameter of type [`Type::Number`] that no data decides.
    pub(super) fn bind(&mut self, name: &ast::Name, kind: ParameterKind) -> ParamId {
        self.bind_typed(name, kind, Type::Number, false)
    }

    /// Binds a parameter and makes it visible. A name that may not be declared here is reported,
    /// and bound all the same, so that its uses give no echoes.
    pub(super) fn bind_typed(
        &mut self,
        name: &ast::Name,
        kind: ParameterKind,
        ty: Type,
        depends_on_data: bool,
    ) -> ParamId {
        self.check_new(name, kind);
        let span = Some(name.span);
        let id = self
            .parameters
            .add(&name.text, kind, ty, depends_on_data, span);
        self.parameters
            .show(&name.text, kind, Known::Sound(id), span);
        id
    }

    /// Makes a name visible whose value could not be checked.
    pub(super) fn bind_faulty(&mut self, name: &ast::Name, kind: ParameterKind) {
        self.check_new(name, kind);
        self.parameters
            .show(&name.text, kind, Known::Faulty, Some(name.span));
    }

    /// Reports a parameter's name that may not be declared here.
    fn check_new(&mut self, name: &ast::Name, kind: ParameterKind) {
        if name.text.starts_with('_') {
            self.report(&NameError::UnderscoreParameter {
                name: name.text.clone(),
                right: name.text.trim_start_matches('_').to_owned(),
                span: name.span,
            });
            return;
        }
        // No parameter hides another one, except that some kinds may hide p, M and G.
        let Some((present, first)) = self.parameters.declaration(&name.text) else {
            return;
        };
        if present != ParameterKind::Machine {
            self.report(&NameError::Duplicate {
                name: name.text.clone(),
                span: name.span,
                first,
            });
        } else if !may_hide_machine(kind) || name.text == "b" {
            self.report(&NameError::OfTheMachine {
                name: name.text.clone(),
                span: name.span,
            });
        }
    }

    /// Returns the variable of a name and notes it as used; reports an unknown one.
    pub(super) fn variable(&mut self, name: &ast::Name) -> Option<VarId> {
        match self.variables.look_up(&name.text) {
            Some(known) => {
                let id = known.sound()?;
                self.note(id);
                Some(id)
            }
            None => {
                self.report_unknown_variable(name);
                None
            }
        }
    }

    fn report_unknown_variable(&mut self, name: &ast::Name) {
        if let Some((_, declared)) = self.parameters.declaration(&name.text) {
            self.report(&NameError::NoVariable {
                name: name.text.clone(),
                span: name.span,
                declared,
            });
            return;
        }
        let suggestion = foreign::meaning(&name.text)
            .map(Suggestion::Foreign)
            .or_else(|| names::suggested_variable(&name.text, self.variables.names()));
        let error = NameError::Unknown {
            name: name.text.clone(),
            kind: NameKind::Variable,
            suggestion,
            span: name.span,
        };
        // A missing declaration is one mistake, told at the first use.
        self.report_once(&name.text, &error);
    }

    /// Adds a finding about a name that nothing declares, once for the name.
    pub(super) fn report_once(&mut self, unknown: &str, error: &NameError) {
        self.findings.add_once(unknown, error, self.source);
    }

    /// Records that the text names a variable.
    fn note(&mut self, id: VarId) {
        self.variables.mark_used(id);
        match self.variables.get(id).scope {
            Scope::Global => self.kernel.global.insert(id),
            Scope::Shared => self.kernel.shared.insert(id),
            Scope::Host => false,
        };
    }

    /// Returns a shared word for a word of `name`, as text to type: its namesake, or another shared
    /// vector if one is declared.
    pub(super) fn staging(&self, name: &str) -> String {
        // For a word of `x` the candidates are `_x` or `_x[j]` if declared, then any shared vector,
        // as `_y[j]`. Without either it is `_x[j]`, still to be declared.
        let namesake = names::respelt(name, Scope::Shared);
        let core = self.kernel.core.as_deref().unwrap_or("j");
        let fits = |wanted: Option<&str>| {
            self.variables.iter().find_map(|variable| {
                let shared = variable.scope == Scope::Shared;
                let named = wanted.is_none_or(|wanted| variable.name == wanted);
                match variable.dimensions.len() {
                    0 if shared && named && wanted.is_some() => Some(variable.name.clone()),
                    1 if shared && named => Some(format!("{}[{core}]", variable.name)),
                    _ => None,
                }
            })
        };
        fits(Some(&namesake))
            .or_else(|| fits(None))
            .unwrap_or_else(|| format!("{namesake}[{core}]"))
    }
}

/// Returns true for kinds that may hide p, M and G: the paper's own wrapper loop uses `mp_p` and
/// `c_{p,ε}` (language.md §5).
fn may_hide_machine(kind: ParameterKind) -> bool {
    match kind {
        ParameterKind::Mp
        | ParameterKind::Core
        | ParameterKind::HostLoop
        | ParameterKind::KernelLoop => true,
        ParameterKind::Formal
        | ParameterKind::Machine
        | ParameterKind::HeaderLet
        | ParameterKind::HostLet
        | ParameterKind::KernelFormal
        | ParameterKind::WrapperLet
        | ParameterKind::KernelLet
        | ParameterKind::Quantifier => false,
    }
}
