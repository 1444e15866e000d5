//! Statements of cores: each as what the cores read, what they write and under which mask.

use crate::emit::barriers::{Held, Raw};
use crate::emit::conflicts::{Access, Pending};
use crate::emit::form::{Act, Kind};
use crate::emit::lower::kernel::{Lowering, Result, scoped};
use crate::emit::term::Term;
use crate::program::{
    AtomicOperand, AtomicOperator, Condition, Expr, LetBinding, Number, NumberKind, Stmt, StmtKind,
    Type, VarId, Word, WordType,
};

impl<'p> Lowering<'_, 'p> {
    pub(super) fn statement(
        &mut self,
        stmt: &'p Stmt,
        mask: Option<&str>,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        match &stmt.kind {
            StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
                into.push(self.moved(target, source, mask)?);
            }
            StmtKind::Assign { target, value } => into.push(self.assigned(target, value, mask)?),
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => into.push(self.updated(target, *operator, operands, mask)?),
            StmtKind::Let(binding) => self.core_let(binding, mask, into)?,
            StmtKind::If { condition, body } => {
                let name = self.fresh_mask();
                self.mask(&name, condition, mask, false, into)?;
                let all = self.active.clone();
                self.narrow(condition);
                let body = self.block(body, Some(&name))?;
                self.active = all;
                into.extend(scoped(body));
            }
            StmtKind::Until { condition } => {
                let mask = mask.expect("`until` stands in a loop with a mask of its own");
                self.mask(mask, condition, Some(mask), true, into)?;
            }
            StmtKind::While {
                condition, body, ..
            } => self.repeated_while(condition, body, mask, into)?,
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => self.repeated(*variable, (from, to, *down), body, mask, into)?,
        }
        Ok(())
    }

    fn moved(&mut self, target: &Word, source: &Word, mask: Option<&str>) -> Result<Raw> {
        let mut reads = self.reads_of_word(target);
        reads.extend(self.reads_of_word(source));
        reads.extend(self.access(source, false));
        let (to, value) = (self.numbers.word(target)?, self.numbers.word(source)?);
        let is_from_int = self.word_type(source) == WordType::Int;
        let value = match self.word_type(target) {
            WordType::Float if is_from_int => Term::cast("real", value),
            WordType::Int | WordType::Float => value,
        };
        Ok(self.write(mask, target, Act::Write(to, value), reads))
    }

    fn assigned(&mut self, target: &Word, value: &Number, mask: Option<&str>) -> Result<Raw> {
        let mut reads = self.reads_of_word(target);
        reads.extend(self.reads(Expr::from(value)));
        let to = self.numbers.word(target)?;
        let value = match self.word_type(target) {
            WordType::Int => self.numbers.whole(value)?.narrowed(),
            WordType::Float => self.numbers.real(value)?,
        };
        Ok(self.write(mask, target, Act::Write(to, value), reads))
    }

    fn updated(
        &mut self,
        target: &Word,
        operator: AtomicOperator,
        operands: &[AtomicOperand],
        mask: Option<&str>,
    ) -> Result<Raw> {
        let mut reads = self.reads_of_word(target);
        for operand in operands {
            reads.extend(self.reads(Expr::from(&operand.value)));
        }
        let word_type = self.word_type(target);
        let word = self.numbers.word(target)?;
        let values = self.updates(operator, operands, word_type)?;
        let indices = target.indices.iter().map(Expr::from);
        let mut read = indices.chain(operands.iter().map(|one| Expr::from(&one.value)));
        let act = Act::Update {
            word,
            operator,
            reads_itself: read.any(|it| reads_of(it, target.variable)),
            values,
            word_type,
        };
        Ok(self.write(mask, target, act, reads))
    }

    /// A new register for the cores that take part.
    pub(super) fn fresh_mask(&mut self) -> String {
        let name = self.numbers.names.fresh("on");
        self.registers.push((name.clone(), Kind::Truth));
        name
    }

    pub(super) fn mask(
        &mut self,
        name: &str,
        condition: &Condition,
        around: Option<&str>,
        is_negated: bool,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let reads = self.reads(Expr::from(condition));
        let mut term = self.numbers.condition(condition)?;
        if is_negated {
            term = Term::not(term);
        }
        into.push(Raw::Act {
            mask: around.map(str::to_owned),
            act: Act::Mask(name.to_owned(), term),
            reads,
            writes: Vec::new(),
            held: None,
        });
        Ok(())
    }

    /// A `let` of a core: a register, or one number where all cores agree.
    fn core_let(
        &mut self,
        binding: &LetBinding,
        mask: Option<&str>,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let is_float = self.numbers.program.parameter(binding.parameter).ty == Type::Float;
        if !is_float && self.numbers.is_uniform(Expr::from(&binding.value)) {
            let value = self.uniform_let(binding)?;
            into.push(Raw::Let(self.parameter_name(binding.parameter), value));
            return Ok(());
        }
        let kind = if is_float { Kind::Real } else { Kind::Whole };
        let name = self.register_of(binding.parameter, kind);
        let reads = self.reads(Expr::from(&binding.value));
        let value = if is_float {
            self.numbers.real(&binding.value)?
        } else {
            self.numbers.whole(&binding.value)?
        };
        self.numbers.registers.insert(binding.parameter);
        let bounds = self.numbers.bounds_of(&binding.value);
        self.numbers.bind(binding.parameter, bounds);
        let known = self.symbols.expr(&binding.value);
        self.symbols.bind(binding.parameter, known);
        into.push(Raw::Act {
            mask: mask.map(str::to_owned),
            act: Act::Set(name, value),
            reads,
            writes: Vec::new(),
            held: None,
        });
        Ok(())
    }

    /// Operands as one value where their order does not matter, else one after the other.
    fn updates(
        &mut self,
        operator: AtomicOperator,
        operands: &[AtomicOperand],
        word_type: WordType,
    ) -> Result<Vec<Term>> {
        let mut values = Vec::new();
        for operand in operands {
            let value = self.numbers.of_type(&operand.value, word_type)?;
            values.push(if operand.negated {
                Term::prefix("-", value)
            } else {
                value
            });
        }
        let is_float = word_type == WordType::Float;
        let joined = match (operator, is_float) {
            (AtomicOperator::Add, false) => |x, y| Term::infix("+", x, y),
            (AtomicOperator::Multiply, false) => |x, y| Term::infix("*", x, y),
            (AtomicOperator::Min, false) => |x, y| Term::call("least", vec![x, y]),
            (AtomicOperator::Max, false) => |x, y| Term::call("greatest", vec![x, y]),
            (AtomicOperator::Min, true) => |x, y| Term::call("least_real", vec![x, y]),
            (AtomicOperator::Max, true) => |x, y| Term::call("greatest_real", vec![x, y]),
            // Sums and products of floats depend on their order.
            (AtomicOperator::Add | AtomicOperator::Multiply, true) => return Ok(values),
        };
        Ok(values.into_iter().reduce(joined).into_iter().collect())
    }

    /// A write. The words it reads are held where they may change before all cores have written.
    fn write(&mut self, mask: Option<&str>, target: &Word, act: Act, reads: Vec<Access>) -> Raw {
        let writes: Vec<Access> = self.access(target, true).into_iter().collect();
        // The second of several updates finds what the first has left.
        let is_changed = matches!(
            &act,
            Act::Update { values, reads_itself, .. } if *reads_itself && values.len() > 1
        );
        let held = (is_changed || Pending::meet(&reads, &writes)).then(|| {
            let (wanted, kind) = match self.word_type(target) {
                WordType::Int => ("held", Kind::Whole),
                WordType::Float => ("held_real", Kind::Real),
            };
            let how_many = match &act {
                Act::Update { values, .. } => values.len(),
                Act::Write(..) | Act::Set(..) | Act::Mask(..) => 1,
            };
            let values = (0..how_many).map(|number| match number {
                0 => self.register(wanted, kind),
                _ => self.register(&format!("{wanted}_{}", number + 1), kind),
            });
            let values = values.collect();
            let reads_words = target
                .indices
                .iter()
                .any(|index| Expr::from(index).reads_words());
            let place = reads_words.then(|| self.register("held_place", Kind::Whole));
            Held { values, place }
        });
        Raw::Act {
            mask: mask.map(str::to_owned),
            act,
            reads,
            writes,
            held,
        }
    }

    fn word_type(&self, word: &Word) -> WordType {
        self.numbers.program.variable(word.variable).word_type
    }
}

/// Returns true if an expression reads a word of a variable.
fn reads_of(expr: Expr<'_>, variable: VarId) -> bool {
    expr.any(&mut |inner| match inner {
        Expr::Number(Number {
            kind: NumberKind::Word(word),
            ..
        }) => word.variable == variable,
        Expr::Number(_) | Expr::Condition(_) => false,
    })
}
