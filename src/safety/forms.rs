//! Expressions of the program over symbols, data included: a word that is read is a symbol of its
//! own, in the range that declarations give it, and the same symbol as long as nothing writes there.

use std::collections::HashMap;

use crate::meaning::arithmetic;
use crate::program::{
    Arithmetic, BitFunction, Condition, ConditionKind, Expr as Checked, Formula, Number,
    NumberKind, PairFunction, ParamId, Program, Scope, Stmt, Type, Unary, VarId, Word, nested,
};
use crate::safety::bounds::never_negative;
use crate::safety::contents::Contents;
use crate::safety::copies::input_as;
use crate::safety::site::Place;
use crate::sym::{Cond, Expr, Symbol};
use crate::symbolic::data::Known;
use crate::symbolic::symbols::{self, Symbols, Untranslatable, compared};
use crate::syntax::ast::{Property, WordType};
use crate::text::Span;

/// The bit that tells guards without a form from scopes, which are numbered elsewhere.
const FORMLESS: u32 = 1 << 31;
/// The most words with symbols of their own at one place: each pair of cores tells all of them apart anew. In a body of
/// thousands of statements the words further on have no form.
const MOST_WORDS: usize = 64;
/// Numbers of bits that words often have.
const BITS_OF_WORDS: [i64; 4] = [1, 8, 16, 32];

/// A word whose value has a form.
#[derive(Clone, PartialEq)]
pub(crate) struct Held {
    variable: VarId,
    indices: Vec<Expr>,
    value: Expr,
}

/// The place of a word that was read.
#[derive(Clone)]
pub(crate) struct Placed {
    /// The variable.
    pub(crate) variable: VarId,
    /// The permutation that it is a word of.
    pub(crate) permutation: Option<VarId>,
    /// The sorted array that it is a word of.
    pub(crate) sorted: Option<VarId>,
    /// The indices of the word.
    pub(crate) indices: Vec<Expr>,
}

/// The forms of expressions, at this point of the walk.
pub(crate) struct Forms<'p> {
    program: &'p Program,
    symbols: Symbols<'p>,
    held: Vec<Held>,
    /// The conditions that hold for the symbols of words.
    truths: HashMap<Symbol, Vec<Cond>>,
    /// The places of words that were read, by their symbols.
    pub(crate) placed: HashMap<Symbol, Placed>,
    /// The values of `bitxor`s, each with both operands.
    xors: Vec<(Expr, [Expr; 2])>,
    /// The number of guards without a form so far.
    doubts: u32,
    /// The symbols for the same of somebody else.
    twins: HashMap<Symbol, Symbol>,
    /// The distance of another core's or MP's number, less 1.
    pub(crate) ahead: Symbol,
    /// The ends between which words lie, as far as they were found.
    pub(crate) contents: Contents,
}

impl<'p> Forms<'p> {
    pub(crate) fn new(program: &'p Program, mut symbols: Symbols<'p>) -> Self {
        Forms {
            ahead: symbols.fresh("ahead"),
            program,
            symbols,
            held: Vec::new(),
            truths: HashMap::new(),
            placed: HashMap::new(),
            xors: Vec::new(),
            doubts: 0,
            twins: HashMap::new(),
            contents: Contents::default(),
        }
    }

    /// b
    pub(crate) fn width(&self) -> Expr {
        let width = self.symbols.value(self.program.machine.b);
        width.expect("the machine's parameters are bound first")
    }

    /// A new symbol.
    pub(crate) fn fresh(&mut self, name: &str) -> Symbol {
        self.symbols.fresh(name)
    }

    /// Returns the symbol for the same of somebody else: another core's number, the word another MP reads. It is always
    /// the same one, so that a conclusion about it is remembered.
    pub(crate) fn twin(&mut self, symbol: &Symbol) -> Symbol {
        if let Some(twin) = self.twins.get(symbol) {
            return twin.clone();
        }
        let twin = self.symbols.fresh(&symbol.name);
        self.twins.insert(symbol.clone(), twin.clone());
        twin
    }

    /// A number for a scope that stands nowhere in the text.
    pub(crate) fn number_scope(&mut self) -> u32 {
        self.doubts += 1;
        self.doubts | FORMLESS
    }

    /// Binds a parameter to itself.
    pub(crate) fn bind_symbol(&mut self, parameter: ParamId) -> Symbol {
        self.symbols.bind_symbol(parameter)
    }

    /// Binds a parameter to a value, if it has a form.
    pub(crate) fn bind(&mut self, parameter: ParamId, value: Option<Expr>, span: Span) {
        self.symbols
            .bind(parameter, value.ok_or(Untranslatable::Data(span)));
    }

    /// The extents of a variable, if all have forms.
    pub(crate) fn extents(&self, variable: VarId) -> Option<Vec<Expr>> {
        let dimensions = &self.program.variable(variable).dimensions;
        let extents = dimensions
            .iter()
            .map(|extent| self.symbols.expr(extent).ok());
        extents.collect()
    }

    /// The place of a word row by row, where it has several indices: words are the same where their places are.
    pub(crate) fn place_by_rows(&self, variable: VarId, indices: &[Expr]) -> Option<Expr> {
        let extents = self.extents(variable).filter(|_| indices.len() > 1)?;
        let by_rows = indices.iter().zip(&extents);
        Some(by_rows.fold(Expr::zero(), |place, (index, extent)| {
            &place * extent + index
        }))
    }

    /// True if a variable holds floats.
    pub(crate) fn is_float(&self, variable: VarId) -> bool {
        self.program.variable(variable).word_type == WordType::Float
    }

    /// True if every MP has a variable of its own.
    pub(crate) fn is_shared(&self, variable: VarId) -> bool {
        self.program.variable(variable).scope == Scope::Shared
    }

    /// Returns a number over symbols. The words that it reads are symbols too, which `place` knows from here on.
    pub(crate) fn number(&mut self, number: &Number, place: &mut Place) -> Option<Expr> {
        if number.ty == Type::Float {
            return None;
        }
        if let Ok(value) = self.symbols.expr(number) {
            self.speak_of(&value, place);
            let value = place.facts.simplify(&value);
            if let NumberKind::Pair {
                function: PairFunction::Bits(BitFunction::Xor),
                left,
                right,
            } = &number.kind
            {
                let sides = [left, right].map(|side| self.number(side, place));
                self.note_xor(&value, &sides);
            }
            return Some(value);
        }
        let value = self.with_words(number, place)?;
        (!value.is_unwieldy()).then(|| place.facts.simplify(&value))
    }

    /// Returns a symbol for a float, only to tell that two are the same: they are if all parameters and words in them
    /// are. Rounding forbids computing with it.
    pub(crate) fn real(
        &mut self,
        number: &Number,
        target: VarId,
        place: &mut Place,
    ) -> Option<Expr> {
        let mut leaves = Vec::new();
        self.leaves(number.into(), &mut leaves, place)?;
        let value = self.unknown("value", place)?;
        let placed = Placed {
            variable: target,
            permutation: None,
            sorted: None,
            indices: leaves,
        };
        self.placed.insert(value.as_symbol()?.clone(), placed);
        Some(value)
    }

    /// The parameters and words of an expression.
    fn leaves(
        &mut self,
        expr: Checked<'_>,
        leaves: &mut Vec<Expr>,
        place: &mut Place,
    ) -> Option<()> {
        let leaf = match expr {
            Checked::Number(number) => match &number.kind {
                NumberKind::Word(word) => Some(self.word(word, place)?),
                NumberKind::Parameter(parameter) => Some(self.symbols.value(*parameter).ok()?),
                _ => None,
            },
            Checked::Condition(_) => None,
        };
        if let Some(leaf) = leaf {
            self.speak_of(&leaf, place);
            leaves.push(leaf);
            return Some(());
        }
        let mut operands = Vec::new();
        expr.each_operand(&mut |operand| operands.push(operand));
        operands
            .into_iter()
            .try_for_each(|operand| self.leaves(operand, leaves, place))
    }

    /// A number of a `require`.
    pub(crate) fn formula(&self, number: &Number<Formula>) -> Option<Expr> {
        self.symbols.expr(number).ok()
    }

    /// A condition of a `require`, where it has a form.
    pub(crate) fn formula_condition(&self, condition: &Condition<Formula>) -> Option<Cond> {
        self.symbols.condition(condition).ok()
    }

    /// Any word of a variable.
    pub(crate) fn any(&mut self, variable: VarId, place: &mut Place) -> Option<Expr> {
        if self.is_float(variable) {
            None
        } else {
            self.read(variable, &[], place)
        }
    }

    /// Tells a place what is known of the words in a value, if it has not met them yet.
    fn speak_of(&self, value: &Expr, place: &mut Place) {
        for symbol in value.symbols() {
            if let Some(truths) = self.truths.get(&symbol)
                && !place.words.contains(&symbol)
            {
                place.words.push(symbol.clone());
                place.facts.integer(&symbol);
                for truth in truths {
                    place.truth(truth);
                }
            }
        }
    }

    /// Returns a number with words in it over symbols.
    fn with_words(&mut self, number: &Number, place: &mut Place) -> Option<Expr> {
        let value = match &number.kind {
            NumberKind::Word(word) => return self.word(word, place),
            NumberKind::Unary {
                operation: Unary::Math(_),
                ..
            } => return None,
            NumberKind::Unary { operation, operand } => {
                symbols::unary(*operation, &self.number(operand, place)?)?
            }
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.number(left, place)?, self.number(right, place)?);
                // No rule here is about powers of words.
                if *operator == Arithmetic::Power {
                    return None;
                }
                symbols::arithmetic(*operator, &left, &right)?
            }
            NumberKind::Extreme { extreme, arguments } => {
                symbols::extreme(*extreme)(self.numbers(arguments, place)?)
            }
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.condition(condition, place)?;
                let (then, otherwise) = (self.number(then, place)?, self.number(otherwise, place)?);
                symbols::select(condition, &then, &otherwise)
            }
            NumberKind::Bracket(condition) => Expr::bracket(self.condition(condition, place)?),
            NumberKind::Pair {
                function: PairFunction::Bits(function),
                left,
                right,
            } => return self.bits(*function, [left, right], place),
            NumberKind::Integer(_)
            | NumberKind::Float(_)
            | NumberKind::Parameter(_)
            | NumberKind::Pair {
                function: PairFunction::Log,
                ..
            } => return None,
            NumberKind::Only(nothing) => match *nothing {},
        };
        Some(value)
    }

    /// A function of bits: its form where it has one, else a word between the bounds that the operands give.
    fn bits(
        &mut self,
        function: BitFunction,
        operands: [&Number; 2],
        place: &mut Place,
    ) -> Option<Expr> {
        let sides = operands.map(|operand| self.number(operand, place));
        let two = Expr::int(2);
        let is_power = |value: &Expr| {
            value.is_power_of_two() || place.facts.proves(&Cond::power_of(value, &two))
        };
        let known = match &sides {
            [Some(left), Some(right)] => symbols::bits(function, left, right, &is_power),
            _ => None,
        };
        let value = match known {
            Some(value) => place.facts.simplify(&value),
            None => self.unknown("word", place)?,
        };
        self.learn(&value, &Cond::ge(&value, &Expr::zero()), place);
        // No bit of what is below a power of two stands above it.
        if let [Some(left), Some(right)] = &sides
            && matches!(function, BitFunction::Or | BitFunction::Xor)
        {
            let mut powers = place.facts.powers_of(&two);
            let in_guards = place.guards.iter().flat_map(powers_in);
            powers.extend(in_guards);
            powers.extend(BITS_OF_WORDS.map(|bits| two.pow(&Expr::int(bits))));
            let is_below = |side: &Expr, power: &Expr| never_negative(&(power - side - 1), place);
            let mut above = powers.iter();
            if let Some(power) = above.find(|power| is_below(left, power) && is_below(right, power))
            {
                let most = power - 1;
                self.learn(&value, &Cond::le(&value, &most), place);
            }
        }
        if function == BitFunction::Xor {
            self.note_xor(&value, &sides);
        }
        let (by_left, by_right) = arithmetic::bits_at_most(function);
        for (side, is_most) in sides.into_iter().zip([by_left, by_right]) {
            if let Some(most) = side.filter(|_| is_most) {
                self.learn(&value, &Cond::le(&value, &most), place);
            }
        }
        Some(value)
    }

    /// Notes that a value is the `bitxor` of two.
    fn note_xor(&mut self, value: &Expr, sides: &[Option<Expr>; 2]) {
        let [Some(left), Some(right)] = sides else {
            return;
        };
        let found = (value.clone(), [left.clone(), right.clone()]);
        if !self.xors.contains(&found) {
            self.xors.push(found);
        }
    }

    /// The words of data in a value, and other numbers without a form.
    pub(crate) fn words_in(&self, value: &Expr) -> Vec<Symbol> {
        let symbols = value.symbols().into_iter();
        symbols
            .filter(|symbol| self.truths.contains_key(symbol))
            .collect()
    }

    /// The operands of the `bitxor` that a value is.
    pub(crate) fn xor_of(&self, value: &Expr) -> Option<[&Expr; 2]> {
        let mut xors = self.xors.iter();
        let (_, sides) = xors.find(|(xor, _)| xor == value)?;
        Some(sides.each_ref())
    }

    /// The numbers of which a value is the partner, each with the mask between them: v and m of `bitxor(v, m)`.
    pub(crate) fn partners_of(&self, value: &Expr) -> Vec<[Expr; 2]> {
        let sides = self.xor_of(value).into_iter();
        let both = sides.flat_map(|[left, right]| [[left, right], [right, left]]);
        both.map(|sides| sides.map(Expr::clone)).collect()
    }

    /// The partners of a number, each with the mask between them.
    pub(crate) fn partners_under(&self, number: &Expr) -> Vec<[Expr; 2]> {
        let xors = self.xors.iter();
        let partners = xors.filter_map(|(value, [left, right])| {
            if left == number {
                Some([value.clone(), right.clone()])
            } else if right == number {
                Some([value.clone(), left.clone()])
            } else {
                None
            }
        });
        partners.collect()
    }

    fn numbers(&mut self, numbers: &[Number], place: &mut Place) -> Option<Vec<Expr>> {
        numbers
            .iter()
            .map(|number| self.number(number, place))
            .collect()
    }

    /// Returns a symbol for an unknown whole number; none where a place has met too many.
    fn unknown(&mut self, name: &str, place: &mut Place) -> Option<Expr> {
        if place.words.len() >= MOST_WORDS {
            return None;
        }
        let symbol = self.symbols.fresh(name);
        place.words.push(symbol.clone());
        place.facts.integer(&symbol);
        self.truths.insert(symbol.clone(), Vec::new());
        Some(Expr::symbol(&symbol))
    }

    /// Notes a condition that holds for a word, here and wherever it is read.
    fn learn(&mut self, value: &Expr, cond: &Cond, place: &mut Place) {
        place.truth(cond);
        if let Some(symbol) = value.as_symbol()
            && let Some(truths) = self.truths.get_mut(symbol)
        {
            truths.push(cond.clone());
        }
    }

    /// Returns the value of a shared or host word; of a float only a symbol that tells it from others.
    pub(crate) fn word(&mut self, word: &Word, place: &mut Place) -> Option<Expr> {
        let indices = self.numbers(&word.indices, place)?;
        let mut held = self.held.iter();
        let known = held.find(|held| held.variable == word.variable && held.indices == indices);
        if let Some(known) = known {
            let value = known.value.clone();
            self.speak_of(&value, place);
            return Some(value);
        }
        let value = self.read(word.variable, &indices, place)?;
        self.held.push(Held {
            variable: word.variable,
            indices,
            value: value.clone(),
        });
        Some(value)
    }

    /// The indices of a word, where no data are in them.
    pub(crate) fn plain_indices(&mut self, word: &Word, place: &mut Place) -> Option<Vec<Expr>> {
        let indices = self.numbers(&word.indices, place)?;
        let mut each = indices.iter();
        let is_plain = each.all(|index| self.words_in(index).is_empty());
        is_plain.then_some(indices)
    }

    /// The indices of a word and the value that it holds, where both are known.
    pub(crate) fn held_at(&mut self, word: &Word, place: &mut Place) -> Option<(Vec<Expr>, Expr)> {
        let indices = self.plain_indices(word, place)?;
        let mut held = self.held.iter();
        let held = held.find(|held| held.variable == word.variable && held.indices == indices)?;
        Some((indices, held.value.clone()))
    }

    /// Notes that a word holds some number between two values from here on.
    pub(crate) fn hold_between(
        &mut self,
        variable: VarId,
        indices: &[Expr],
        [low, high]: [&Expr; 2],
        place: &mut Place,
    ) {
        self.forget(variable);
        let Some(value) = self.unknown(&self.program.variable(variable).name, place) else {
            return;
        };
        self.learn(&value, &Cond::ge(&value, low), place);
        self.learn(&value, &Cond::le(&value, high), place);
        self.held.push(Held {
            variable,
            indices: indices.to_vec(),
            value,
        });
    }

    /// Returns a symbol for a word that was not met yet, in the range of its variable.
    fn read(&mut self, variable: VarId, indices: &[Expr], place: &mut Place) -> Option<Expr> {
        let value = self.unknown(&self.program.variable(variable).name, place)?;
        let known = Known::new(self.program, &mut self.symbols);
        let range = known.words(variable, &place.facts);
        let low = range.lower.map(|low| Cond::ge(&value, &low));
        let high = range.upper.map(|high| Cond::le(&value, &high));
        let contents = self.contents.of(self.program, variable);
        let contents: Vec<Cond> = contents.iter().map(|end| end.of(&value)).collect();
        for cond in [low, high].into_iter().flatten().chain(contents) {
            self.learn(&value, &cond, place);
        }
        if let Some(symbol) = value.as_symbol() {
            let placed = Placed {
                variable,
                permutation: input_as(Property::Permutation, self.program, variable),
                sorted: input_as(Property::Sorted, self.program, variable),
                indices: indices.to_vec(),
            };
            self.placed.insert(symbol.clone(), placed);
        }
        Some(value)
    }

    /// Returns the value of a global word that is loaded.
    pub(crate) fn copied(&mut self, word: &Word, place: &mut Place) -> Option<Expr> {
        let indices = self.numbers(&word.indices, place)?;
        self.read(word.variable, &indices, place)
    }

    /// Notes the value that a word holds from here on.
    pub(crate) fn store(&mut self, word: &Word, value: Option<Expr>, place: &mut Place) {
        self.forget(word.variable);
        if let (Some(value), Some(indices)) = (value, self.numbers(&word.indices, place)) {
            self.forget(word.variable);
            self.held.push(Held {
                variable: word.variable,
                indices,
                value,
            });
        }
    }

    /// Forgets the values of a variable's words.
    pub(crate) fn forget(&mut self, variable: VarId) {
        self.held.retain(|held| held.variable != variable);
    }

    /// The words that hold values.
    pub(crate) fn words_held(&self) -> Vec<Held> {
        self.held.clone()
    }

    /// Leaves a block: the cores that were not in it know only what was known before, if that still holds.
    pub(crate) fn leave_block(&mut self, mut before: Vec<Held>) {
        before.retain(|held| self.held.contains(held));
        self.held = before;
    }

    /// Begins a kernel, in which no shared word holds anything.
    pub(crate) fn enter_kernel(&mut self) {
        self.held.clear();
    }

    /// Forgets the values of all variables that statements write.
    pub(crate) fn forget_written(&mut self, body: &[Stmt]) {
        for statement in nested(body) {
            if let Some((target, _)) = statement.kind.parts().write {
                self.forget(target.variable);
            }
        }
    }

    /// Takes a condition for granted, as far as it has a form. A part without a form makes the place uncertain.
    pub(crate) fn assume(&mut self, condition: &Condition, place: &mut Place) {
        if let ConditionKind::And(left, right) = &condition.kind {
            self.assume(left, place);
            self.assume(right, place);
            return;
        }
        match self.links(condition, place) {
            Some(links) => links.iter().for_each(|link| place.guard(link)),
            None => {
                self.doubts += 1;
                place.doubts.push(self.doubts | FORMLESS);
            }
        }
    }

    /// A condition over symbols, as a conjunction.
    fn links(&mut self, condition: &Condition, place: &mut Place) -> Option<Vec<Cond>> {
        Some(match &condition.kind {
            ConditionKind::And(left, right) => {
                let (left, right) = (self.condition(left, place)?, self.condition(right, place)?);
                vec![left, right]
            }
            ConditionKind::Or(left, right) => {
                let (left, right) = (self.condition(left, place)?, self.condition(right, place)?);
                vec![Cond::or(vec![left, right])]
            }
            ConditionKind::Not(operand) => vec![self.condition(operand, place)?.not()],
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let values = self.numbers(operands, place)?;
                let pairs = values.windows(2).zip(operators);
                pairs
                    .map(|(pair, operator)| compared(*operator, &pair[0], &pair[1]))
                    .collect()
            }
            ConditionKind::Only(nothing) => match *nothing {},
        })
    }

    /// A condition over symbols.
    pub(crate) fn condition(&mut self, condition: &Condition, place: &mut Place) -> Option<Cond> {
        Some(Cond::and(self.links(condition, place)?))
    }
}

/// The powers of two that a condition speaks of.
fn powers_in(cond: &Cond) -> Vec<Expr> {
    let mut powers = Vec::new();
    cond.for_each_expr(&mut |value| {
        let atoms = value.atoms().into_iter().map(Expr::atom);
        powers.extend(atoms.filter(Expr::is_power_of_two));
    });
    powers
}
