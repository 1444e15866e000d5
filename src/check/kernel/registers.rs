//! Shared variables of a kernel that act as registers: no core ever reads a word that another
//! wrote.
//!
//! An array does if each of its words belongs to one core by its index: in some dimension every
//! index in the kernel's text is the core's number j, plus the same fixed number, plus multiples of
//! b. A scalar does if each read follows a write by all cores that read, in the same block or
//! around it: then each core may keep a copy. Both are judged by the text; the meaning of a program
//! does not depend on it.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::ToPrimitive;

use crate::check::scopes::Parameters;
use crate::program::{
    Arithmetic, Expr, Kernel, LetBinding, Number, NumberKind, ParamId, ParameterKind, Stmt,
    StmtKind, Unary, VarId, Word, WrapperStmt, Written, nested,
};

/// Most terms of an index that is analysed.
const MOST_TERMS: usize = 16;

/// A sum of products of parameters, each with its coefficient. `None` stands for the core's number,
/// so that it is the same in all core loops.
type Form = BTreeMap<Vec<Option<ParamId>>, i64>;

/// Most scalars × statements of a kernel for which scalars are analysed.
const MOST_LOOKED_AT: usize = 4_000_000;

/// Shared variables of a kernel, each list in the order of `names_shared`.
pub(super) struct Registers {
    /// All variables that act as registers.
    pub all: Vec<VarId>,
    /// Those of which each core reads and writes one word only, at j or a copy of a scalar, and
    /// that no `atomic` updates.
    pub single: Vec<VarId>,
}

/// Finds the shared variables of a kernel that act as registers.
pub(super) fn registers(kernel: &Kernel, parameters: &Parameters) -> Registers {
    let mut forms = Forms {
        parameters,
        known: BTreeMap::new(),
        varying: BTreeSet::new(),
        owners: BTreeMap::new(),
        several: BTreeSet::new(),
        read: BTreeSet::new(),
    };
    forms.collect(kernel);
    let scalars = forms.owners.values();
    let scalars = scalars.filter(|owners| matches!(owners, Owners::Scalar));
    // Each scalar takes a walk over all statements, so the product bounds the work.
    let is_short = scalars.count() * kernel.statements().count() <= MOST_LOOKED_AT;
    let is_own = |variable: &VarId| {
        let owners = forms.owners.get(variable);
        owners.is_some_and(|owners| match owners {
            Owners::Scalar => is_short && is_copied(kernel, *variable, &forms.varying),
            Owners::Array(by_dimension) => by_dimension.iter().any(Option::is_some),
        })
    };
    let all: Vec<VarId> = kernel.names_shared.iter().copied().filter(is_own).collect();
    let is_single =
        |variable: &&VarId| forms.read.contains(variable) && !forms.several.contains(variable);
    Registers {
        single: all.iter().filter(is_single).copied().collect(),
        all,
    }
}

/// The common form of all accesses to a variable so far.
enum Owners {
    Scalar,
    /// For each dimension, the offset from the core's number, apart from multiples of b.
    Array(Vec<Option<Form>>),
}

struct Forms<'c> {
    parameters: &'c Parameters,
    /// Forms of the core's number and of `let`s.
    known: BTreeMap<ParamId, Option<Form>>,
    /// Parameters that may differ between the cores of an MP.
    varying: BTreeSet<ParamId>,
    owners: BTreeMap<VarId, Owners>,
    /// Variables that an `atomic` updates, or of which a core may use several words.
    several: BTreeSet<VarId>,
    read: BTreeSet<VarId>,
}

impl Forms<'_> {
    fn collect(&mut self, kernel: &Kernel) {
        for part in &kernel.body {
            match part {
                WrapperStmt::Let(binding) => self.bind(binding),
                WrapperStmt::Cores(cores) => {
                    let core = Form::from([(vec![None], 1)]);
                    self.known.insert(cores.core, Some(core));
                    self.varying.insert(cores.core);
                    self.block(&cores.body);
                }
            }
        }
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            let parts = stmt.kind.parts();
            for word in stmt.kind.reads() {
                self.access(word);
                self.read.insert(word.variable);
            }
            if let Some((target, written)) = parts.write {
                self.access(target);
                if matches!(written, Written::Update(..)) {
                    self.several.insert(target.variable);
                }
            }
            match &stmt.kind {
                StmtKind::Let(binding) => self.bind(binding),
                StmtKind::For { variable, .. } if !is_uniform(&stmt.kind, &self.varying) => {
                    self.varying.insert(*variable);
                }
                _ => {}
            }
            self.block(parts.body);
        }
    }

    fn bind(&mut self, binding: &LetBinding) {
        if varies(Expr::from(&binding.value), &self.varying) {
            self.varying.insert(binding.parameter);
        }
        let form = self.form(&binding.value);
        self.known.insert(binding.parameter, form);
    }

    fn access(&mut self, word: &Word) {
        let is_one = match word.indices.as_slice() {
            [] => true,
            [index] => self.form(index) == Some(Form::from([(vec![None], 1)])),
            _ => false,
        };
        if !is_one {
            self.several.insert(word.variable);
        }
        let found: Vec<Option<Form>> = word.indices.iter().map(|it| self.offset(it)).collect();
        let owners = self.owners.entry(word.variable).or_insert_with(|| {
            if word.indices.is_empty() {
                Owners::Scalar
            } else {
                Owners::Array(found.clone())
            }
        });
        // Word 1 is `_t[j]` of core 1 and `_t[j + 1]` of core 0. So two offsets in one dimension
        // leave the words without an owner by that dimension.
        if let Owners::Array(common) = owners {
            for (common, found) in common.iter_mut().zip(&found) {
                if common != found {
                    *common = None;
                }
            }
        }
    }

    /// Returns the offset of an index from the core's number, apart from multiples of b, if it is
    /// the same throughout the kernel.
    fn offset(&self, index: &Number) -> Option<Form> {
        // In `_t[i·b + j + 1]` the term i·b is a multiple of b and drops out, j has the coefficient
        // 1, and the offset 1 remains.
        let mut form = self.form(index)?;
        if form.remove(&vec![None]) != Some(1) {
            return None;
        }
        form.retain(|product, _| !self.is_row(product));
        let is_fixed = |product: &Vec<Option<ParamId>>| {
            let mut factors = product.iter();
            factors.all(|factor| factor.is_some_and(|id| self.is_fixed(id)))
        };
        form.keys().all(is_fixed).then_some(form)
    }

    /// Returns true if a product is a multiple of b.
    fn is_row(&self, product: &[Option<ParamId>]) -> bool {
        let kind = |id: ParamId| self.parameters.get(id).kind;
        let is_b = |id: ParamId| {
            let parameter = self.parameters.get(id);
            parameter.kind == ParameterKind::Machine && parameter.name == "b"
        };
        let is_whole = |id: ParamId| {
            use ParameterKind::{Formal, HostLoop, KernelLoop, Machine, Mp};
            matches!(kind(id), Formal | Machine | HostLoop | Mp | KernelLoop)
        };
        product.iter().any(|factor| factor.is_some_and(is_b))
            && product.iter().all(|factor| factor.is_some_and(is_whole))
    }

    /// Returns true if a parameter has one value for all cores of an MP throughout the kernel.
    fn is_fixed(&self, id: ParamId) -> bool {
        use ParameterKind::{Core, KernelLet, KernelLoop, Quantifier};
        let kind = self.parameters.get(id).kind;
        !matches!(kind, Core | KernelLet | KernelLoop | Quantifier)
    }

    fn form(&self, number: &Number) -> Option<Form> {
        let form = match &number.kind {
            NumberKind::Integer(value) => sum([(Vec::new(), value.to_i64()?)])?,
            NumberKind::Parameter(id) => match self.known.get(id) {
                Some(Some(form)) => form.clone(),
                None => Form::from([(vec![Some(*id)], 1)]),
                Some(None) if self.is_fixed(*id) => Form::from([(vec![Some(*id)], 1)]),
                Some(None) => return None,
            },
            NumberKind::Unary {
                operation: Unary::Negate,
                operand,
            } => scaled(&self.form(operand)?, -1)?,
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.form(left)?, self.form(right)?);
                match operator {
                    Arithmetic::Add => sum(left.into_iter().chain(right))?,
                    Arithmetic::Subtract => sum(left.into_iter().chain(scaled(&right, -1)?))?,
                    Arithmetic::Multiply => product(&left, &right)?,
                    Arithmetic::Divide
                    | Arithmetic::FloorDivide
                    | Arithmetic::Modulo
                    | Arithmetic::Power => return None,
                }
            }
            _ => return None,
        };
        (form.len() <= MOST_TERMS).then_some(form)
    }
}

fn sum(terms: impl IntoIterator<Item = (Vec<Option<ParamId>>, i64)>) -> Option<Form> {
    let mut form = Form::new();
    for (product, coefficient) in terms {
        let present = form.entry(product).or_default();
        *present = present.checked_add(coefficient)?;
    }
    form.retain(|_, coefficient| *coefficient != 0);
    Some(form)
}

fn scaled(form: &Form, factor: i64) -> Option<Form> {
    let terms = form.iter();
    let terms = terms.map(|(product, value)| Some((product.clone(), value.checked_mul(factor)?)));
    terms.collect()
}

fn product(left: &Form, right: &Form) -> Option<Form> {
    let mut terms = Vec::new();
    for (one, times) in left {
        for (other, more) in right {
            let mut factors = [one.as_slice(), other].concat();
            factors.sort_unstable();
            terms.push((factors, times.checked_mul(*more)?));
        }
    }
    sum(terms)
}

/// Returns true if an expression may differ between the cores of an MP.
fn varies(expr: Expr<'_>, varying: &BTreeSet<ParamId>) -> bool {
    expr.any(&mut |expr| match expr {
        Expr::Number(number) => match &number.kind {
            NumberKind::Word(_) => true,
            NumberKind::Parameter(id) => varying.contains(id),
            _ => false,
        },
        Expr::Condition(_) => false,
    })
}

/// Returns true if all active cores go through the block of a statement alike.
fn is_uniform(kind: &StmtKind, varying: &BTreeSet<ParamId>) -> bool {
    let is_uniform = |expr: &Expr<'_>| !varies(*expr, varying);
    let ends_alike = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Until { condition } => !varies(condition.into(), varying),
        _ => true,
    };
    match kind {
        StmtKind::If { condition, .. } => is_uniform(&condition.into()),
        StmtKind::For { from, to, body, .. } => {
            is_uniform(&from.into()) && is_uniform(&to.into()) && body.iter().all(ends_alike)
        }
        _ => false,
    }
}

/// Returns true if each core that reads a scalar has taken part in the last write to it.
fn is_copied(kernel: &Kernel, variable: VarId, varying: &BTreeSet<ParamId>) -> bool {
    let mut copies = Copies {
        variable,
        varying,
        is_copied: true,
    };
    let mut has_copy = false;
    for part in &kernel.body {
        if let WrapperStmt::Cores(cores) = part {
            has_copy = copies.block(&cores.body, has_copy);
        }
    }
    copies.is_copied
}

struct Copies<'c> {
    variable: VarId,
    varying: &'c BTreeSet<ParamId>,
    /// True as long as all reads were of copies.
    is_copied: bool,
}

impl Copies<'_> {
    /// Returns true if all active cores have a copy behind a block; `has_copy` says if they had one
    /// before it.
    fn block(&mut self, body: &[Stmt], mut has_copy: bool) -> bool {
        for stmt in body {
            has_copy = self.statement(stmt, has_copy);
        }
        has_copy
    }

    fn statement(&mut self, stmt: &Stmt, has_copy: bool) -> bool {
        let parts = stmt.kind.parts();
        let is_own = |word: &Word| word.variable == self.variable;
        // An `atomic` updates one word for all cores, so no core can keep a copy.
        let is_atomic =
            matches!(parts.write, Some((target, Written::Update(..))) if is_own(target));
        let reads = stmt.kind.reads().into_iter().any(is_own);
        if is_atomic || reads && !has_copy {
            self.is_copied = false;
        }
        if self.writes(stmt) {
            return true;
        }
        if parts.body.is_empty() {
            return has_copy;
        }
        // An iteration begins with the state that the one before has left.
        let repeats = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. });
        let begins_with = has_copy && (!repeats || self.keeps_copy(parts.body));
        let behind = self.block(parts.body, begins_with);
        // The block may not run at all, so a copy made in it needs one from before. Where only some
        // cores run it, a write in it leaves the others with the old value.
        if is_uniform(&stmt.kind, self.varying) {
            has_copy && behind
        } else {
            has_copy && !self.writes_in(parts.body)
        }
    }

    /// Returns true if all active cores have a copy behind a block, given that they had one before
    /// it.
    fn keeps_copy(&self, body: &[Stmt]) -> bool {
        // Only the last write counts, so the search goes backwards.
        for (at, stmt) in body.iter().enumerate().rev() {
            if self.writes(stmt) {
                return true;
            }
            let inner = stmt.kind.parts().body;
            if self.writes_in(inner) {
                return is_uniform(&stmt.kind, self.varying)
                    && self.keeps_copy(inner)
                    && self.keeps_copy(&body[..at]);
            }
        }
        true
    }

    fn writes_in(&self, body: &[Stmt]) -> bool {
        nested(body).any(|stmt| self.writes(stmt))
    }

    fn writes(&self, stmt: &Stmt) -> bool {
        let written = stmt.kind.parts().write;
        written.is_some_and(|(target, _)| target.variable == self.variable)
    }
}
