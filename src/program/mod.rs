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
//!     .body
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
mod statements;
mod stmt;
mod walk;

pub use expr::{
    Arithmetic, Binder, ClaimNumber, Claimed, Code, Condition, ConditionKind, CostSymbol, Expr,
    Formula, FormulaCondition, FormulaNumber, Nothing, Number, NumberKind, Over, Place, Type, Word,
};
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
    /// The text it came from.
    pub source: Source,
    /// The algorithm's name.
    pub name: String,
    /// Every parameter, by [`ParamId`].
    pub parameters: Vec<Parameter>,
    /// Every variable, by [`VarId`].
    pub variables: Vec<Variable>,
    /// The formal parameters, in order.
    pub formals: Vec<ParamId>,
    /// The machine's p, b, M, G. A formal of the same name does not exist (`name::duplicate`).
    pub machine: MachineParameters,
    /// Header `let`s, each after those it uses.
    pub lets: Vec<LetBinding>,
    /// `require`s in text order.
    pub requires: Vec<Requirement>,
    /// `ensure`s in text order.
    pub ensures: Vec<Requirement>,
    /// Claims in text order.
    pub claims: Vec<Claim>,
    /// The host statements.
    pub body: Vec<HostStmt>,
    /// What comments silence, in text order.
    pub allows: Vec<Allow>,
    /// Sets of global variables that some `swap` in the text joins (transitively); only sets of
    /// two or more. For the live words of a round such a set counts as one (language.md §5).
    pub swap_groups: Vec<Vec<VarId>>,
    /// Number of [`StmtId`]s in use.
    pub statement_count: u32,
}

/// The ids of the machine's parameters.
#[derive(Debug, Clone, Copy)]
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
pub struct Parameter {
    /// The name as the program writes it.
    pub name: String,
    /// What binds it.
    pub kind: ParameterKind,
    /// The type of its value: [`Type::Number`] but for a kernel `let` that holds data.
    pub ty: Type,
    /// Whether its value may depend on data (a kernel `let` over a shared read, a loop variable
    /// whose bounds read data, and what is computed from those).
    pub depends_on_data: bool,
    /// Where it is declared; `None` for the machine's.
    pub span: Option<Span>,
}

/// What binds a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Host memory.
    Host,
    /// Global memory.
    Global,
    /// Shared memory of each MP.
    Shared,
}

/// What a host variable is for.
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
pub struct Variable {
    /// The name as the program writes it.
    pub name: String,
    /// Where it lives.
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
pub struct Requirement {
    /// What must hold.
    pub condition: Condition<Formula>,
    /// Whether it reads variables; a `require` without data is tested before any data exist.
    pub reads_data: bool,
    /// The header line without label and comment.
    pub span: Span,
}

/// A claim.
#[derive(Debug, Clone)]
pub struct Claim {
    /// What it speaks of.
    pub quantity: Quantity,
    /// `=`, `≤`, `∈ O`, `∈ Θ`.
    pub relation: ClaimRelation,
    /// The right side.
    pub value: Number<Claimed>,
    /// The header line without label and comment.
    pub span: Span,
}

impl Program {
    /// A parameter by its id.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// assert_eq!(program.parameter(program.formals[0]).name, "n");
    /// ```
    pub fn parameter(&self, id: ParamId) -> &Parameter {
        &self.parameters[id.0 as usize]
    }

    /// Whether a formal parameter has this name; else it may be one of the machine's.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// assert!(program.has_formal("n") && !program.has_formal("b"));
    /// ```
    pub fn has_formal(&self, name: &str) -> bool {
        let mut formals = self.formals.iter();
        formals.any(|formal| self.parameter(*formal).name == name)
    }

    /// A variable by its id.
    ///
    /// ```
    /// use atgpu::program::HostStmt;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let HostStmt::Transfer(copy) = &program.body[0] else { panic!("a ⇚ A") };
    /// assert_eq!(program.variable(copy.global.variable).name, "a");
    /// ```
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The variables whose words `swap` may put under this one's name, itself among them; none where no
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

    /// Of each extent of a variable the formal that it is, where it is one alone.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// assert_eq!(program.lone_formals(&program.variables[0]), [Some("n")]);
    /// ```
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

    /// A `require`, an `ensure` or a claim as written, without its keyword.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// assert_eq!(program.clause(program.claims[0].span), "rounds = 1");
    /// ```
    pub fn clause(&self, span: Span) -> &str {
        let text = self.source.slice(span).trim();
        let mut keywords = ["require", "ensure", "claim"].into_iter();
        let rest = keywords.find_map(|keyword| text.strip_prefix(keyword));
        rest.unwrap_or(text).trim()
    }

    /// The line (from 1) a span starts on.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// assert_eq!(program.line(program.body[1].span()), program.line(program.body[0].span()) + 1);
    /// ```
    pub fn line(&self, span: Span) -> usize {
        self.source.line_of(span.start)
    }
}
