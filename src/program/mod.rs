//! The checked program: ids for names, operators sorted into accesses, nothing unresolved.
//!
//! Everything here was verified by `check`: every name resolves, every rank fits, every type
//! agrees, every statement stands where it may. Later phases do not check again.
//!
//! Parameters (whole numbers, language.md §2.2) and variables (memory) have ids of their own.
//! Every binding occurrence of a parameter has its own id, so no id is ever bound twice at once,
//! and shadowing is gone. A named kernel's body appears once per `execute`, with its array formals
//! replaced by the arguments and its number formals bound as parameters (language.md §2.7).
//!
//! All of it is plain data to walk through:
//!
//! ```
//! # macro_rules! include_str { ($file:literal) => {
//! #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
//! # }}
//! use atgpu::program::{Direction, HostStmt};
//!
//! let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
//! let inward: Vec<&str> = program
//!     .body()
//!     .iter()
//!     .filter_map(|stmt| match stmt {
//!         HostStmt::Transfer(transfer) => Some(transfer),
//!         _ => None,
//!     })
//!     .filter(|transfer| transfer.direction == Direction::Inward)
//!     .map(|transfer| program.variable(transfer.global.variable).name.as_str())
//!     .collect();
//! assert_eq!(inward, ["a", "b"]);
//! # Ok::<(), atgpu::Error>(())
//! ```

mod expr;
mod narrow;
pub(crate) mod sources;
mod statements;
mod stmt;
mod walk;

use std::num::NonZeroU64;

pub use expr::{
    Arithmetic, Binder, ClaimNumber, Claimed, Code, Condition, ConditionKind, CostSymbol, Expr,
    Extreme, Formula, FormulaCondition, FormulaNumber, Nothing, Number, NumberKind, Over,
    PairFunction, Place, Type, Unary, Word,
};
pub use narrow::Undeclared;
pub(crate) use statements::{nested, nested_on_host};
pub(crate) use stmt::Written;
pub use stmt::{
    AtomicOperand, AtomicOperator, CoreLoop, Direction, Execute, Extent, HostFor, HostStmt,
    HostWhile, Kernel, MpRange, Region, Stmt, StmtKind, Swap, Transfer, Waiting, WrapperStmt,
};

pub use crate::count::Quantity;
pub use crate::syntax::ast::{
    Allow, BitFunction, ClaimRelation, Comparison, MathFunction, Property, Relation, WordType,
};
use crate::text::{Source, Span};

/// Identifies a [`Parameter`] of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u32);

/// Identifies a [`Variable`] of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// Identifies a kernel statement, unique in its [`Program`] (numbered from 0 in text order, each
/// `execute` of a named kernel with numbers of its own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub u32);

/// A program that passed every static check.
#[derive(Debug, Clone)]
pub struct Program {
    // The getters below say what each is.
    pub(crate) source: Source,
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) formals: Vec<ParamId>,
    pub(crate) machine: MachineParameters,
    pub(crate) lets: Vec<LetBinding>,
    pub(crate) requires: Vec<Requirement>,
    pub(crate) ensures: Vec<Requirement>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) body: Vec<HostStmt>,
    pub(crate) allows: Vec<Allow>,
    pub(crate) swap_groups: Vec<Vec<VarId>>,
    pub(crate) statement_count: u32,
    pub(crate) contention: Option<NonZeroU64>,
}

/// The ids of the machine's parameters.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MachineParameters {
    /// `p`: cores in all.
    pub p: ParamId,
    /// `b`: cores per MP, words per block, banks.
    pub b: ParamId,
    /// `M`: words of shared memory per MP.
    pub m: ParamId,
    /// `G`: words of global memory.
    pub g: ParamId,
}

/// A parameter: one binding of one name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parameter {
    /// The name as the program writes it.
    pub name: String,
    /// The kind of its binding.
    pub kind: ParameterKind,
    /// The type of its value: [`Type::Number`] but for a kernel `let` that holds data.
    pub ty: Type,
    /// True if its value may depend on data: a kernel `let` that reads a shared word, a loop variable with
    /// bounds that read data, and everything computed from them.
    pub depends_on_data: bool,
    /// Where it is declared; `None` for the machine's.
    pub span: Option<Span>,
}

/// The kinds of bindings of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParameterKind {
    /// A formal parameter of the algorithm.
    Formal,
    /// `p`, `b`, `M` or `G`.
    Machine,
    /// A header `let`.
    HeaderLet,
    /// A host `let`, or a `let` of a named kernel's body.
    HostLet,
    /// The variable of a host `for`.
    HostLoop,
    /// A number formal of a named kernel.
    KernelFormal,
    /// An index of the MP.
    Mp,
    /// The index of the core.
    Core,
    /// A `let` directly inside a wrapper loop (per MP).
    WrapperLet,
    /// A `let` inside a core loop (per core).
    KernelLet,
    /// The variable of a kernel `for`.
    KernelLoop,
    /// The variable of a quantifier.
    Quantifier,
}

/// The memory that a variable lives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Host memory.
    Host,
    /// Global memory.
    Global,
    /// Shared memory of each MP.
    Shared,
}

/// The purpose of a host variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Given.
    Input,
    /// A result.
    Output,
    /// Neither; also every global and shared variable.
    None,
}

/// A declared variable.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Variable {
    /// The name as the program writes it.
    pub name: String,
    /// Its memory.
    pub scope: Scope,
    /// Input, output, or neither.
    pub role: Role,
    /// int or float.
    pub word_type: WordType,
    /// Its extents over formals, machine parameters and header `let`s; none for a scalar.
    pub dimensions: Vec<Number>,
    /// `in lo..hi`: data-free expressions of type [`Type::Number`] or [`Type::Float`].
    pub range: Option<(Number, Number)>,
    /// `as …`
    pub property: Option<Property>,
    /// The declaration (name to property).
    pub span: Span,
}

/// A parameter bound to a value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LetBinding {
    /// The parameter.
    pub parameter: ParamId,
    /// Its value.
    pub value: Number,
    /// The whole statement.
    pub span: Span,
}

/// A `require` or `ensure`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Requirement {
    /// The condition that must hold.
    pub condition: Condition<Formula>,
    /// True if the condition reads variables. A `require` without data is tested before any data exist.
    pub reads_data: bool,
    /// The header line without label and comment.
    pub span: Span,
}

/// A claim.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Claim {
    /// The quantity that the claim bounds.
    pub quantity: Quantity,
    /// `=`, `≤`, `∈ O`, `∈ Θ`.
    pub relation: ClaimRelation,
    /// The right side.
    pub value: Number<Claimed>,
    /// The header line without label and comment.
    pub span: Span,
}

impl Program {
    /// Returns the text that the program came from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the algorithm's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns every parameter, by [`ParamId`].
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns every variable, by [`VarId`].
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the formal parameters, in order.
    pub fn formals(&self) -> &[ParamId] {
        &self.formals
    }

    /// Returns the machine's p, b, M, G. A formal of the same name does not exist (`name::duplicate`).
    pub fn machine(&self) -> MachineParameters {
        self.machine
    }

    /// Returns the header's `let`s, each after those it uses.
    pub fn lets(&self) -> &[LetBinding] {
        &self.lets
    }

    /// Returns the `require`s in text order.
    pub fn requires(&self) -> &[Requirement] {
        &self.requires
    }

    /// Returns the `ensure`s in text order.
    pub fn ensures(&self) -> &[Requirement] {
        &self.ensures
    }

    /// Returns the claims in text order.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Returns the host statements.
    pub fn body(&self) -> &[HostStmt] {
        &self.body
    }

    /// Returns the `allow` comments, in text order.
    pub fn allows(&self) -> &[Allow] {
        &self.allows
    }

    /// Returns the sets of global variables that some `swap` in the text joins (transitively); only
    /// sets of two or more. For the live words of a round such a set counts as one (language.md §5).
    pub fn swap_groups(&self) -> &[Vec<VarId>] {
        &self.swap_groups
    }

    /// Returns the number of [`StmtId`]s in use.
    pub fn statement_count(&self) -> u32 {
        self.statement_count
    }

    /// Gives the program another name, by which a report of several tells it from its like.
    pub fn rename(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }

    /// Returns the program with none of its claims, so that deriving it judges none.
    #[must_use]
    pub fn without_claims(self) -> Self {
        Program {
            claims: Vec::new(),
            ..self
        }
    }

    /// Returns the program with the assumption that no more cores than these meet on one word of an `atomic`, where
    /// data decide how many do; `None` takes it back. Counts hold for data that keep to it, and no run tests it.
    #[must_use]
    pub fn assuming_contention(self, most: Option<NonZeroU64>) -> Self {
        Program {
            contention: most,
            ..self
        }
    }

    /// Returns the number of cores of [`Program::assuming_contention`]; `None` if nothing is assumed.
    pub fn assumed_contention(&self) -> Option<NonZeroU64> {
        self.contention
    }

    /// Returns a transfer with its sides exchanged, `a ⇚ A` for `A ⇚ a`, if its target is an input.
    pub(crate) fn inward_instead(&self, target: &Region, source: &Region) -> Option<String> {
        let [target, source] = [target, source].map(|side| self.variable(side.variable));
        let is_input = target.role == Role::Input;
        is_input.then(|| format!("{} ⇚ {}", source.name, target.name))
    }

    /// Returns the parameter with this id.
    pub fn parameter(&self, id: ParamId) -> &Parameter {
        &self.parameters[id.0 as usize]
    }

    /// Returns true if a formal parameter has this name. A name without a formal may belong to the machine.
    pub fn has_formal(&self, name: &str) -> bool {
        let mut formals = self.formals.iter();
        formals.any(|formal| self.parameter(*formal).name == name)
    }

    /// Returns the variable with this id.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The variables whose words a `swap` may exchange with this variable's, itself included. Empty if no
    /// `swap` names it.
    pub(crate) fn swapped_with(&self, id: VarId) -> &[VarId] {
        let mut groups = self.swap_groups.iter();
        let group = groups.find(|group| group.contains(&id));
        group.map_or(&[], Vec::as_slice)
    }

    /// The ids of all variables, in declaration order.
    pub(crate) fn variable_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len() as u32).map(VarId)
    }

    /// For each extent of a variable: the formal parameter, if the extent is exactly one formal.
    pub fn lone_formals(&self, variable: &Variable) -> Vec<Option<&str>> {
        let formal = |extent: &Number| {
            let mut formals = self.formals.iter();
            formals.find(|id| matches!(extent.kind, NumberKind::Parameter(it) if it == **id))
        };
        let extents = variable.dimensions.iter();
        extents
            .map(|extent| formal(extent).map(|id| self.parameter(*id).name.as_str()))
            .collect()
    }

    /// Returns a `require`, an `ensure` or a claim as written, without its keyword.
    pub fn clause(&self, span: Span) -> &str {
        let text = self.source.slice(span).trim();
        let mut keywords = ["require", "ensure", "claim"].into_iter();
        let rest = keywords.find_map(|keyword| text.strip_prefix(keyword));
        rest.unwrap_or(text).trim()
    }

    /// Returns the line (from 1) on which a span starts.
    pub fn line(&self, span: Span) -> usize {
        self.source.line_of(span.start)
    }
}
