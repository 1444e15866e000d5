//! The header of a program over symbols: parameters bound, `let`s written out, `require`s assumed.

use crate::count::Parameters;
use crate::derivation::letters::{letter, symbol_of};
use crate::program::{
    self, Arithmetic, Condition, ConditionKind, CostSymbol, Formula, NumberKind, PairFunction,
    Program,
};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::symbols::{Compared, Symbols};
use crate::text::Span;

/// How much more is allowed for each line of a program.
const WORK_OF_A_LINE: u64 = 100;

/// Formals and machine parameters bound to what is `given` or to themselves, b at least 1 and what
/// else the machine has at least 0.
pub(crate) fn bind_parameters(
    program: &Program,
    given: &Parameters,
    symbols: &mut Symbols<'_>,
    facts: &mut Facts,
) {
    let machine = program.machine;
    let all = program
        .formals
        .iter()
        .copied()
        .chain([machine.p, machine.b, machine.m, machine.g]);
    for parameter in all {
        match given.get(&program.parameter(parameter).name) {
            Some(value) => symbols.bind(parameter, Ok(Expr::rational(value.clone()))),
            None => {
                let symbol = symbols.bind_symbol(parameter);
                facts.integer(&symbol);
                if parameter == machine.b {
                    facts.suppose(&Cond::ge(&Expr::symbol(&symbol), &Expr::one()));
                } else if [machine.p, machine.m, machine.g].contains(&parameter) {
                    facts.suppose(&Cond::ge(&Expr::symbol(&symbol), &Expr::zero()));
                }
            }
        }
    }
}

/// Parameters that a `require` gives a value stand for it: `b = 256`, or of b also `h*h = b`.
pub(crate) fn bind_required(program: &Program, symbols: &mut Symbols<'_>, facts: &mut Facts) {
    for binding in &program.lets {
        let value = symbols.expr(&binding.value);
        symbols.bind(binding.parameter, value);
    }
    let machine = program.machine;
    let others = [machine.b, machine.p, machine.m, machine.g];
    let parameters = program.formals.iter().copied().chain(others);
    let parameters: Vec<_> = parameters
        .map(|parameter| (symbol_of(program, parameter), parameter))
        .collect();
    let width = symbol_of(program, machine.b);
    let requires = program.requires.iter().filter(|found| !found.reads_data);
    for conjunct in requires.flat_map(|requirement| conjuncts(&requirement.condition)) {
        let Ok(condition) = symbols.condition(conjunct) else {
            continue;
        };
        let Some((symbol, value)) = fixed(&condition).or_else(|| fixed_by(&condition, &width))
        else {
            continue;
        };
        let is_value = value.as_term().is_some() && facts.is_integer(&value);
        let parameter = parameters.iter().find(|(other, _)| *other == symbol);
        if let Some((_, parameter)) = parameter.filter(|_| is_value) {
            if symbol == width {
                facts.suppose(&Cond::ge(&value, &Expr::one()));
            }
            facts.cite([condition]);
            symbols.bind(*parameter, Ok(value));
        }
    }
}

/// The symbol and what it is, where a condition says that it is a product of others.
fn fixed_by(condition: &Cond, symbol: &Symbol) -> Option<(Symbol, Expr)> {
    let Cond::Zero(difference) = condition else {
        return None;
    };
    let [rest, factor] = difference.linear_in(symbol)?;
    let value = if factor.is_one() {
        rest.neg()
    } else {
        factor.neg().is_one().then_some(rest)?
    };
    Some((symbol.clone(), value))
}

/// Header `let`s written out, and what the `require`s without data say, a chain link by link, so that
/// only those that proofs need are named.
fn assume_requires(program: &Program, symbols: &mut Symbols<'_>, facts: &mut Facts) {
    for (condition, _) in required(program, symbols) {
        facts.assume(&condition);
    }
}

/// What the `require`s without data say of the values not given, a chain link by link, and the values of the header
/// `let`s, as far as they have a form.
pub(crate) fn asked(program: &Program, given: &Parameters) -> (Vec<Cond>, Vec<Expr>) {
    let mut symbols = Symbols::new(program);
    bind_parameters(program, given, &mut symbols, &mut Facts::new());
    let said = required(program, &mut symbols).into_iter();
    let lets = program.lets.iter();
    let lets = lets.filter_map(|binding| symbols.value(binding.parameter).ok());
    (
        said.map(|(condition, _)| condition).collect(),
        lets.collect(),
    )
}

/// What the `require`s without data say, a chain link by link, each with where it is said; header `let`s
/// are written out.
fn required(program: &Program, symbols: &mut Symbols<'_>) -> Vec<(Cond, Span)> {
    for binding in &program.lets {
        let value = symbols.expr(&binding.value);
        symbols.bind(binding.parameter, value);
    }
    let mut said = Vec::new();
    let requires = program.requires.iter();
    for requirement in requires.filter(|found| !found.reads_data) {
        for conjunct in conjuncts(&requirement.condition) {
            let conditions = match symbols.comparisons(conjunct) {
                Ok(links) => links.iter().map(Compared::condition).collect(),
                Err(_) => symbols.condition(conjunct).into_iter().collect::<Vec<_>>(),
            };
            let conditions = conditions.into_iter();
            said.extend(conditions.map(|condition| (condition, requirement.span)));
        }
    }
    said
}

/// Formals are whole numbers from 0, if nobody gives others; but not those of which a `require` says what holds of all
/// such numbers: who writes `m ≥ -1` means others too.
fn suppose_natural(
    program: &Program,
    symbols: &Symbols<'_>,
    said: &[(Cond, Span)],
    facts: &mut Facts,
) {
    let values = program.formals.iter().filter_map(|&formal| {
        let value = symbols.value(formal).ok()?;
        Some(value.as_symbol()?.clone())
    });
    let formals: Vec<Symbol> = values.collect();
    let natural = |formal: &Symbol| Cond::ge(&Expr::symbol(formal), &Expr::zero());
    let all = formals.iter().map(natural);
    let naturals = all.fold(facts.clone(), |facts, said| facts.with(&said));
    let said = said.iter().map(|(condition, _)| condition);
    let idle: Vec<&Cond> = said
        .filter(|condition| matches!(condition, Cond::NonNegative(_)))
        .filter(|condition| naturals.proves(condition))
        .collect();
    for formal in &formals {
        if !idle
            .iter()
            .any(|condition| condition.symbols().contains(formal))
        {
            facts.suppose(&natural(formal));
        }
    }
}

/// What is known of the parameters without any `require`.
pub(crate) fn without_requires(program: &Program, given: &Parameters) -> Facts {
    let (mut symbols, mut facts) = (Symbols::new(program), Facts::new());
    bind_parameters(program, given, &mut symbols, &mut facts);
    suppose_natural_formals(program, &mut symbols, &mut facts);
    facts
}

/// Takes it that formals are whole numbers from 0, where no `require` admits others.
pub(super) fn suppose_natural_formals(
    program: &Program,
    symbols: &mut Symbols<'_>,
    facts: &mut Facts,
) {
    let said = required(program, symbols);
    suppose_natural(program, symbols, &said, facts);
}

/// As [`assume_requires`], of formals that are whole numbers from 0 where no `require` admits others.
pub(crate) fn assume_requires_of_naturals(
    program: &Program,
    symbols: &mut Symbols<'_>,
    facts: &mut Facts,
) {
    let said = required(program, symbols);
    suppose_natural(program, symbols, &said, facts);
    for (condition, _) in said {
        facts.assume(&condition);
    }
}

/// Whether so many of a program's first `require`s follow from its others, with the values given.
pub(crate) fn is_implied(program: &Program, first: usize, given: &Parameters) -> bool {
    let mut others = program.clone();
    let asked: Vec<_> = others.requires.drain(..first).collect();
    let mut symbols = Symbols::new(&others);
    let facts = known_facts(&others, given, &mut symbols);
    asked.iter().all(|require| {
        let condition = symbols.condition(&require.condition);
        condition.is_ok_and(|condition| facts.proves(&condition))
    })
}

/// A `require` that the others contradict, with the values given: then no size is admitted, and whatever
/// is proved says nothing.
///
/// Not all that contradict each other are found.
pub(crate) fn contradicted(program: &Program, given: &Parameters) -> Option<Span> {
    let mut symbols = Symbols::new(program);
    let mut bare = Facts::new();
    bind_parameters(program, given, &mut symbols, &mut bare);
    let said = required(program, &mut symbols);
    suppose_natural(program, &symbols, &said, &mut bare);
    let all = said
        .iter()
        .fold(bare.clone(), |facts, (condition, _)| facts.with(condition));
    if all.are_met() {
        return None;
    }
    let fixed: Vec<(Symbol, Expr)> = said.iter().filter_map(|(said, _)| fixed(said)).collect();
    let settled = |condition: &Cond| {
        fixed
            .iter()
            .fold(condition.clone(), |condition, (symbol, value)| {
                condition.map(&|e| e.substitute(symbol, value))
            })
    };
    let refuted = |said: Vec<&(Cond, Span)>| {
        let mut facts = bare.clone();
        said.into_iter().find_map(|(condition, span)| {
            let is_refuted = [condition, &settled(condition)]
                .into_iter()
                .any(|condition| facts.prove(condition) == Some(false));
            facts.suppose(condition);
            is_refuted.then_some(*span)
        })
    };
    refuted(said.iter().collect()).or_else(|| refuted(said.iter().rev().collect()))
}

/// The symbol that a condition gives a value, as n = 7 does.
fn fixed(condition: &Cond) -> Option<(Symbol, Expr)> {
    let Cond::Zero(difference) = condition else {
        return None;
    };
    let mut symbols = difference.symbols().into_iter();
    let symbol = symbols.next().filter(|_| symbols.next().is_none())?;
    let value = Expr::symbol(&symbol);
    [&value - difference, &value + difference]
        .into_iter()
        .find(|other| other.as_rational().is_some())
        .map(|other| (symbol, other))
}

/// What the header asks of a point, over the symbols of formals and machine.
pub(crate) struct Header {
    /// The `require`s without data, in text order.
    pub(crate) requires: Vec<Cond>,
    /// The `let`s: whole numbers.
    pub(crate) lets: Vec<Expr>,
    /// The extents of arrays: whole numbers not below 0.
    pub(crate) extents: Vec<Expr>,
}

/// What the header asks of a point; nothing where some of it has no form.
pub(crate) fn header(program: &Program) -> Option<Header> {
    let mut symbols = Symbols::new(program);
    bind_parameters(program, &().into(), &mut symbols, &mut Facts::new());
    let mut lets = Vec::new();
    for binding in &program.lets {
        let value = symbols.expr(&binding.value).ok()?;
        lets.push(value.clone());
        symbols.bind(binding.parameter, Ok(value));
    }
    let requires = program.requires.iter().filter(|one| !one.reads_data);
    let requires = requires.map(|one| symbols.condition(&one.condition).ok());
    let variables = program.variables.iter();
    let extents = variables.flat_map(|variable| &variable.dimensions);
    let extents = extents.map(|extent| symbols.expr(extent).ok());
    Some(Header {
        requires: requires.collect::<Option<Vec<Cond>>>()?,
        lets,
        extents: extents.collect::<Option<Vec<Expr>>>()?,
    })
}

/// Formals and machine parameters bound, and what is known of them and of the letters of costs.
pub(super) fn known_facts(
    program: &Program,
    given: &Parameters,
    symbols: &mut Symbols<'_>,
) -> Facts {
    let mut facts = Facts::new();
    let lines = program.source.text().lines().count();
    facts.allow_for_parts(WORK_OF_A_LINE.saturating_mul(u64::try_from(lines).unwrap_or(u64::MAX)));
    bind_parameters(program, given, symbols, &mut facts);
    bind_required(program, symbols, &mut facts);
    for which in [
        CostSymbol::Alpha,
        CostSymbol::Beta,
        CostSymbol::Gamma,
        CostSymbol::Lambda,
        CostSymbol::Sigma,
    ] {
        facts.positive_real(&letter(which));
    }
    for which in [
        CostSymbol::RealMps,
        CostSymbol::MaxResident,
        CostSymbol::Occupancy,
    ] {
        let symbol = letter(which);
        facts.integer(&symbol);
        facts.suppose(&Cond::ge(&Expr::symbol(&symbol), &Expr::one()));
    }
    facts
}

/// Header `let`s written out, `require`s assumed, extents known not to be negative. Gives the names
/// the printer may fold back.
pub(super) fn header_lets(
    program: &Program,
    symbols: &mut Symbols<'_>,
    facts: &mut Facts,
) -> Vec<(String, Expr)> {
    assume_requires(program, symbols, facts);
    for binding in &program.lets {
        suppose_logs_defined(program::Expr::Number(&binding.value), symbols, facts);
        // A `let` of the header is whole, so a quotient there comes out even.
        if let NumberKind::Binary {
            operator: Arithmetic::Divide,
            left,
            right,
        } = &binding.value.kind
            && let (Ok(left), Ok(right)) = (symbols.expr(left), symbols.expr(right))
            && facts.is_integer(&left)
            && facts.is_integer(&right)
        {
            let whole = Cond::divides(&right, &left);
            if facts.prove(&whole) != Some(true) {
                facts.assume_for(&whole, program.line(binding.value.span));
            }
        }
    }
    for variable in &program.variables {
        for extent in &variable.dimensions {
            if let Ok(extent) = symbols.expr(extent) {
                facts.suppose(&Cond::ge(&extent, &Expr::zero()));
            }
        }
    }
    let mut names = Vec::new();
    for binding in &program.lets {
        let value = symbols
            .value(binding.parameter)
            .map(|value| facts.simplify(&value));
        if let Ok(value) = &value
            && value.as_rational().is_none()
        {
            names.push((
                program.parameter(binding.parameter).name.clone(),
                value.clone(),
            ));
        }
        symbols.bind(binding.parameter, value);
    }
    names
}

/// A `let` of the header is always evaluated, so the bases of its logarithms are 2 or more and
/// their arguments positive wherever the program runs at all.
fn suppose_logs_defined(expr: program::Expr<'_>, symbols: &Symbols<'_>, facts: &mut Facts) {
    if let program::Expr::Number(number) = expr
        && let NumberKind::Pair {
            function: PairFunction::Log,
            left,
            right,
        } = &number.kind
        && let (Ok(base), Ok(argument)) = (symbols.expr(left), symbols.expr(right))
        && facts.is_integer(&base)
        && facts.is_integer(&argument)
    {
        facts.suppose(&Cond::ge(&base, &Expr::int(2)));
        facts.suppose(&Cond::ge(&argument, &Expr::one()));
    }
    expr.each_operand(&mut |operand| suppose_logs_defined(operand, symbols, facts));
}

fn conjuncts(condition: &Condition<Formula>) -> Vec<&Condition<Formula>> {
    match &condition.kind {
        ConditionKind::And(left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![condition],
    }
}
