//! A checked program as the form that is written: [`host`] its statements, [`kernel`] what one MP
//! of a wrapper loop does. Here its header.

mod host;
mod kernel;

use indexmap::IndexMap;

use crate::count::Parameters;
use crate::emit::error::EmitError;
use crate::emit::form::{Array, Form, Formal};
use crate::emit::indices::Indices;
use crate::emit::lower::host::Host;
use crate::emit::number::Numbers;
use crate::emit::target::Words;
use crate::emit::term::Term;
use crate::number::Rational;
use crate::program::{Number, ParamId, ParameterKind, Program, Role, Scope, Type, WordType};
use crate::sym::Expr;
use crate::symbolic::symbols::Symbols;

/// The settings of a form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// p, b, M, G.
    pub machine: [i64; 4],
    /// MPs that are one thread block.
    pub thread_block: i64,
    /// Values of formal parameters.
    pub values: &'a Parameters,
    pub target: &'static str,
    pub words: Words,
    /// True where the values are fixed, and where the text is for people; else they are defaults.
    pub is_fixed: bool,
    /// True where every index is proved to be within its array, and no array has more words than indices of 32 bits
    /// tell apart, as far as who runs or launches it refuses larger ones.
    pub is_in_bounds: bool,
    /// The most that each formal without a value is, where something says so.
    pub most: &'a Parameters,
}

/// The form of a program.
pub(crate) fn form(program: &Program, setting: &Setting<'_>) -> Result<Form, EmitError> {
    let mut numbers = Numbers::new(program, setting.target, setting.machine, setting.words);
    let mut constants = machine(&numbers, setting.machine);
    let values = |id: &ParamId| setting.values.get(&program.parameter(*id).name);
    let is_fixed = |id: &ParamId| setting.is_fixed && values(id).is_some();
    for id in program.formals.iter().filter(|id| is_fixed(id)) {
        let value = values(id).and_then(Rational::to_i64).unwrap_or(0);
        numbers.fix(*id, value);
        constants.push((numbers.names.parameter(*id).to_owned(), value));
    }
    if setting.is_fixed {
        numbers.write_plainly();
    }
    let requires = requires(&mut numbers, setting.is_fixed);
    for id in program.formals.iter().filter(|id| !is_fixed(id)) {
        let most = setting.most.get(&program.parameter(*id).name);
        numbers.bound_formal(*id, most.and_then(Rational::to_i64));
    }
    let mut symbols = Symbols::new(program);
    for (id, value) in &numbers.known {
        symbols.bind(*id, Ok(Expr::int(*value)));
    }
    for formal in program.formals.iter().filter(|id| !is_fixed(id)) {
        symbols.bind_symbol(*formal);
    }
    let lets = lets(&mut numbers, &mut symbols, setting.is_fixed, &mut constants)?;
    let arrays = arrays(&mut numbers)?;
    let mut host = Host {
        numbers: &mut numbers,
        symbols,
        kernels: Vec::new(),
        used: Vec::new(),
        named: None,
    };
    let body = host.block(&program.body)?;
    let kernels = host.kernels;
    let formals = program.formals.iter().filter(|id| !is_fixed(id));
    let formals = formals.map(|id| formal(&numbers, setting, *id)).collect();
    Ok(Form {
        formals,
        constants,
        name: numbers
            .names
            .fresh(&crate::emit::names::plain(&program.name)),
        cores: setting.machine[1],
        thread_block: setting.thread_block,
        lets,
        requires,
        arrays,
        kernels,
        body,
        indices: indices(&numbers, setting),
        numbers: decided(&numbers),
    })
}

/// A formal without a fixed value.
fn formal(numbers: &Numbers<'_>, setting: &Setting<'_>, id: ParamId) -> Formal {
    let written = numbers.program.parameter(id).name.clone();
    let of = |values: &Parameters| values.get(&written).and_then(Rational::to_i64);
    Formal {
        name: numbers.names.parameter(id).to_owned(),
        default: of(setting.values),
        most: of(setting.most),
        written,
    }
}

/// The names of 32 bits.
fn indices(numbers: &Numbers<'_>, setting: &Setting<'_>) -> Indices {
    let program = numbers.program;
    let ints = program
        .variable_ids()
        .filter(|id| setting.words.int32 && program.variable(*id).word_type == WordType::Int);
    let short_words = ints.map(|id| numbers.names.variable(id).to_owned());
    Indices::of(
        numbers.ranges(),
        short_words.collect(),
        setting.is_in_bounds,
    )
}

/// The names of whole numbers that no data decide, each with the first line that declares it.
fn decided(numbers: &Numbers<'_>) -> IndexMap<String, usize> {
    let parameters = numbers.program.parameters.iter().enumerate();
    let decided = parameters.filter(|(_, it)| {
        let is_decided = it.ty == Type::Number && !it.depends_on_data;
        is_decided && it.kind != ParameterKind::Quantifier
    });
    let mut lines = IndexMap::new();
    for (at, parameter) in decided {
        let name = numbers.names.parameter(ParamId(at as u32)).to_owned();
        if let Some(span) = parameter.span {
            lines.entry(name).or_insert(numbers.program.line(span));
        }
    }
    lines
}

/// p, b, M and G under their names.
fn machine(numbers: &Numbers<'_>, values: [i64; 4]) -> Vec<(String, i64)> {
    let ids = numbers.program.machine;
    let named = [ids.p, ids.b, ids.m, ids.g].into_iter().zip(values);
    let named = named.map(|(id, value)| (numbers.names.parameter(id).to_owned(), value));
    named.collect()
}

/// The header's `let`s. Those that fixed values decide become constants where `is_fixed` is set.
fn lets<'p>(
    numbers: &mut Numbers<'p>,
    symbols: &mut Symbols<'p>,
    is_fixed: bool,
    constants: &mut Vec<(String, i64)>,
) -> Result<Vec<(String, Term)>, EmitError> {
    let mut lets = Vec::new();
    for binding in &numbers.program.lets {
        let known = numbers.constant(&binding.value);
        let known = known.and_then(|value| i64::try_from(&value.to_integer()?).ok());
        match symbols.expr(&binding.value) {
            Ok(value) => symbols.bind(binding.parameter, Ok(value)),
            Err(_) => {
                symbols.bind_symbol(binding.parameter);
            }
        }
        let name = numbers.names.parameter(binding.parameter).to_owned();
        match known.filter(|_| is_fixed) {
            Some(value) => {
                numbers.fix(binding.parameter, value);
                constants.push((name, value));
            }
            None => {
                let value = numbers.whole(&binding.value)?;
                let bounds = numbers.bounds_of(&binding.value);
                numbers.bind(binding.parameter, bounds);
                lets.push((name, value));
            }
        }
    }
    if is_fixed {
        numbers.write_plainly();
    }
    Ok(lets)
}

/// What is required without data, as far as C can test it; and what that says of parameters.
fn requires(numbers: &mut Numbers<'_>, is_fixed: bool) -> Vec<(String, Option<Term>)> {
    let program = numbers.program;
    let mut requires = Vec::new();
    for require in &program.requires {
        let text = program.source.slice(require.span).to_owned();
        let term = if require.reads_data {
            None
        } else {
            numbers.suppose(&require.condition);
            match numbers.truth(&require.condition) {
                Some(true) if is_fixed => continue,
                _ => numbers.condition(&require.condition).ok(),
            }
        };
        requires.push((text, term));
    }
    requires
}

fn arrays(numbers: &mut Numbers<'_>) -> Result<Vec<Array>, EmitError> {
    let program = numbers.program;
    let mut arrays = Vec::new();
    for (id, variable) in program.variable_ids().zip(&program.variables) {
        if variable.scope == Scope::Shared {
            continue;
        }
        let mut extents = Vec::new();
        for extent in &variable.dimensions {
            extents.push(numbers.whole(extent)?);
        }
        let range = match &variable.range {
            Some((low, high)) => Some((
                end(numbers, low, variable.word_type, true)?,
                end(numbers, high, variable.word_type, false)?,
            )),
            None => None,
        };
        arrays.push(Array {
            written: variable.name.clone(),
            name: numbers.names.variable(id).to_owned(),
            is_host: variable.scope == Scope::Host,
            is_input: variable.role == Role::Input,
            is_output: variable.role == Role::Output,
            word_type: variable.word_type,
            extents,
            range,
            property: variable.property,
        });
    }
    Ok(arrays)
}

/// An end of a declared range: for ints the first or the last one inside.
fn end(
    numbers: &mut Numbers<'_>,
    of: &Number,
    word_type: WordType,
    is_low: bool,
) -> Result<Term, EmitError> {
    match (word_type, of.ty) {
        (WordType::Float, _) => numbers.real(of),
        (WordType::Int, Type::Float) => {
            let function = if is_low { "ceil_real" } else { "floor_real" };
            Ok(Term::call(function, vec![numbers.real(of)?]))
        }
        (WordType::Int, Type::Number | Type::Int) => numbers.rounded_end(of, is_low),
    }
}
