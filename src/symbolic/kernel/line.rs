//! One line of a kernel: what it contributes, and what is kept beside that to bound it.
//!
//! Guards and loops change every amount of a line alike ([`LineCount::map`]). What is kept to bound its
//! blocks goes with the access ([`Access`]), what speaks of several MPs at once with [`Joined`]; only the
//! step from one MP to all of them looks at either.

use crate::derivation::BlockRule;
use crate::operations::Operations;
use crate::program::VarId;
use crate::sym::Expr;
use crate::symbolic::amount::Amount;
use crate::symbolic::data::amortized::Joint;
use crate::symbolic::data::rows::RowLine;
use crate::symbolic::kernel::charges::LineCharges;
use crate::text::Span;

/// The contribution of one line, in the context it was counted in.
#[derive(Debug, Clone)]
pub(crate) struct LineCount {
    /// The statement or opening line.
    pub(crate) span: Span,
    /// How often an MP executes it.
    pub(crate) executions: Amount,
    /// Operations.
    pub(crate) operations: Amount,
    /// Simpler upper bounds on both.
    pub(crate) loose: Loose,
    /// Blocks.
    pub(crate) blocks: Amount,
    /// Σ (degree − 1).
    pub(crate) conflicts: Amount,
    /// Its access to global memory, if it has one.
    pub(crate) access: Option<Box<Access>>,
    /// Blocks and conflicts of several MPs together.
    pub(crate) joined: Joined,
    /// The charges of a machine, where one is asked.
    pub(crate) charges: Option<Box<LineCharges>>,
}

/// Upper bounds on executions and operations that are simpler than their counts.
#[derive(Debug, Clone)]
pub(crate) struct Loose {
    /// Executions if all guards around the line held.
    pub(crate) executions: Amount,
    /// Operations if all guards around the line held.
    pub(crate) operations: Amount,
    /// The operations of one execution: of each, where all have the same, otherwise the most of any.
    pub(crate) of_one: Option<Amount>,
}

/// An access to global memory, with what bounds its blocks.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    /// The global variable.
    pub(crate) variable: VarId,
    /// Whether it writes.
    pub(crate) writes: bool,
    /// How its blocks were counted.
    pub(crate) rule: BlockRule,
    /// The most blocks of one execution: a number, or b.
    pub(crate) most_each: Expr,
    /// Words that its cores touch, where an execution may touch a block with each.
    pub(crate) words: Option<Amount>,
    /// Cores among which the active ones are in every iteration.
    pub(crate) crew: Option<Amount>,
    /// The words of the variable, where the cores of all MPs come to each at most once.
    pub(crate) extent: Option<Expr>,
    /// A coarse upper bound on the blocks of all MPs.
    pub(crate) coarse: Amount,
}

/// What ranges and data say about the blocks and conflicts of several MPs together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joined {
    /// Blocks and conflicts over all MPs of the last dimension, where a loop and that dimension run
    /// through one range: t·w + i.
    pub(crate) striding: Option<(Amount, Amount)>,
    /// A bound over all MPs that sorted data give.
    pub(crate) sorted: Option<Box<Joint>>,
    /// How many of its shared operands may conflict, in a loop through rows.
    pub(crate) operands: u64,
}

impl Access {
    /// Adds another case of the same access.
    fn add(&mut self, other: &Access) {
        let most = std::mem::take(&mut self.most_each);
        self.most_each = Expr::max(vec![most, other.most_each.clone()]);
        // A bound of the sum needs one of each case.
        self.words = match (self.words.take(), &other.words) {
            (Some(words), Some(more)) => Some(words.plus(more)),
            _ => None,
        };
        self.crew = match (self.crew.take(), &other.crew) {
            // A core of one crew is in one of the two cases only, so it is counted once.
            (Some(crew), Some(more)) if crew == *more => Some(crew),
            (Some(crew), Some(more)) => Some(crew.plus(more)),
            _ => None,
        };
        // Both cases are executions of one statement, none of which comes to the word of another.
        self.extent = self.extent.take().filter(|_| other.extent.is_some());
        self.rule = self.rule.clone().or(&other.rule);
    }

    /// Every amount changed alike.
    fn map(self, change: impl Fn(&Amount) -> Amount) -> Self {
        Access {
            words: self.words.as_ref().map(&change),
            coarse: change(&self.coarse),
            ..self
        }
    }
}

impl LineCount {
    /// Creates a line executed once that costs these operations and touches no memory, with charges if a
    /// machine's are asked.
    pub(super) fn of(span: Span, operations: &Operations, is_charged: bool) -> LineCount {
        let [executions, total] = [1, operations.total()].map(Amount::of);
        LineCount {
            span,
            executions: executions.clone(),
            operations: total.clone(),
            loose: Loose {
                executions,
                operations: total,
                of_one: None,
            },
            blocks: Amount::zero(),
            conflicts: Amount::zero(),
            access: None,
            joined: Joined::default(),
            charges: is_charged.then(|| Box::new(LineCharges::of(operations))),
        }
    }

    /// Whether one of its formulas is too long to go on with.
    pub(super) fn is_unwieldy(&self) -> bool {
        let together = self.joined.striding.iter();
        let together = together.flat_map(|(blocks, conflicts)| [blocks, conflicts]);
        let charges = self.charges.iter().flat_map(|charges| charges.amounts());
        [
            &self.executions,
            &self.operations,
            &self.blocks,
            &self.conflicts,
        ]
        .into_iter()
        .chain(together)
        .chain(charges)
        .any(Amount::is_unwieldy)
    }

    /// Whether both are one line with one access, in different cases.
    pub(crate) fn is_of_same_line(&self, other: &LineCount) -> bool {
        let accessed =
            |line: &LineCount| Some((line.access.as_ref()?.variable, line.access.as_ref()?.writes));
        self.span == other.span && accessed(self) == accessed(other)
    }

    /// A coarse upper bound on the blocks of all MPs; 0 without an access.
    pub(crate) fn coarse_blocks(&self) -> Amount {
        let access = self.access.as_ref();
        access.map_or_else(Amount::zero, |access| access.coarse.clone())
    }

    /// Adds the same line in another case.
    pub(crate) fn add(&mut self, other: &LineCount) {
        self.executions = self.executions.plus(&other.executions);
        self.operations = self.operations.plus(&other.operations);
        self.blocks = self.blocks.plus(&other.blocks);
        self.conflicts = self.conflicts.plus(&other.conflicts);
        if let (Some(access), Some(more)) = (&mut self.access, &other.access) {
            access.add(more);
        }
        self.joined = Joined {
            // The sum over t·w + i was taken of one case alone.
            striding: None,
            sorted: match (self.joined.sorted.take(), &other.joined.sorted) {
                (Some(joint), Some(more)) => Some(Box::new(joint.plus(more))),
                _ => None,
            },
            operands: self.joined.operands.max(other.joined.operands),
        };
        if let (Some(charges), Some(more)) = (&mut self.charges, &other.charges) {
            charges.add(more);
        }
    }

    /// The line as a bound over rows looks at it.
    pub(crate) fn row_line(&self) -> RowLine<'_> {
        RowLine {
            executions: &self.executions,
            blocks: &self.blocks,
            conflicts: &self.conflicts,
            operands: self.joined.operands,
        }
    }

    /// Changes its operations, those without guards too.
    pub(crate) fn change_operations(&mut self, change: impl Fn(&Amount) -> Amount) {
        self.operations = change(&self.operations);
        self.loose.operations = change(&self.loose.operations);
    }

    /// Takes its conflicts for operations.
    pub(super) fn pay_for_conflicts(&mut self) {
        let conflicts = self.conflicts.clone();
        self.change_operations(|operations| operations.plus(&conflicts));
    }

    /// Every amount changed alike.
    pub(crate) fn map(self, change: impl Fn(&Amount) -> Amount) -> Self {
        let Joined {
            striding, sorted, ..
        } = self.joined;
        LineCount {
            executions: change(&self.executions),
            operations: change(&self.operations),
            loose: Loose {
                executions: change(&self.loose.executions),
                operations: change(&self.loose.operations),
                ..self.loose
            },
            blocks: change(&self.blocks),
            conflicts: change(&self.conflicts),
            access: self.access.map(|access| Box::new(access.map(&change))),
            joined: Joined {
                striding: striding.map(|(blocks, conflicts)| (change(&blocks), change(&conflicts))),
                sorted: sorted.map(|joint| Box::new(joint.map(&change))),
                ..self.joined
            },
            charges: self.charges.map(|charges| Box::new(charges.map(&change))),
            ..self
        }
    }

    /// Forgets the sum over all MPs if the construct around the line differs between MPs. That sum supposes that all
    /// MPs run through the same iterations.
    pub(crate) fn without_striding_if(mut self, differs: bool) -> Self {
        if differs {
            self.joined.striding = None;
        }
        self
    }

    /// Notes how often its operations are paid for, and how many iterations besides.
    pub(crate) fn pay(&mut self, paid: Option<Amount>, iterations: Option<Amount>) {
        if let Some(charges) = &mut self.charges {
            charges.paid = paid.unwrap_or_else(|| charges.paid.clone());
            charges.iterations = iterations.unwrap_or_else(|| charges.iterations.clone());
        }
    }
}
