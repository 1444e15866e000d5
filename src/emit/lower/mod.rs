//! A checked program as the form that is written: [`host`] its statements, [`kernel`] what one MP
//! of a wrapper loop does. Here its header.

mod host;
mod kernel;

use crate::count::Parameters;
use crate::emit::error::EmitError;
use crate::emit::form::{Array, Form};
use crate::emit::lower::host::Host;
use crate::emit::number::Numbers;
use crate::emit::target::Words;
use crate::emit::term::Term;
use crate::number::Rational;
use crate::program::{Number, Program, Role, Scope, Type, WordType};
use crate::sym::Expr;
use crate::symbolic::symbols::Symbols;

/// The form of a program for a machine (p, b, M, G), so many MPs a thread block; `defaults` are for formal
/// parameters.
pub(crate) fn form(
    program: &Program,
    machine: [i64; 4],
    thread_block: i64,
    defaults: &Parameters,
    target: &'static str,
    words: Words,
) -> Result<Form, EmitError> {
    let mut numbers = Numbers::new(program, target, machine, words);
    let requires = requires(&mut numbers);
    let mut symbols = Symbols::new(program);
    for (id, value) in &numbers.machine {
        symbols.bind(*id, Ok(Expr::int(*value)));
    }
    for formal in &program.formals {
        symbols.bind_symbol(*formal);
    }
    let mut lets = Vec::new();
    for binding in &program.lets {
        let value = numbers.whole(&binding.value)?;
        let bounds = numbers.bounds_of(&binding.value);
        numbers.bind(binding.parameter, bounds);
        match symbols.expr(&binding.value) {
            Ok(known) => symbols.bind(binding.parameter, Ok(known)),
            Err(_) => {
                symbols.bind_symbol(binding.parameter);
            }
        }
        lets.push((numbers.names.parameter(binding.parameter).to_owned(), value));
    }
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
    let ids = program.machine;
    let machine = [ids.p, ids.b, ids.m, ids.g].into_iter().zip(machine);
    let machine = machine.map(|(id, value)| (numbers.names.parameter(id).to_owned(), value));
    let formals = program.formals.iter().map(|id| {
        let written = program.parameter(*id).name.clone();
        let default = defaults.get(&written).and_then(Rational::to_i64);
        (written, numbers.names.parameter(*id).to_owned(), default)
    });
    Ok(Form {
        formals: formals.collect(),
        machine: machine.collect(),
        cores: numbers.machine[&ids.b],
        thread_block,
        lets,
        requires,
        arrays,
        kernels,
        body,
    })
}

/// What is required without data, as far as C can test it; and what that says of parameters.
fn requires(numbers: &mut Numbers<'_>) -> Vec<(String, Option<Term>)> {
    let program = numbers.program;
    let mut requires = Vec::new();
    for require in &program.requires {
        let text = program.source.slice(require.span).to_owned();
        let term = if require.reads_data {
            None
        } else {
            numbers.suppose(&require.condition);
            numbers.condition(&require.condition).ok()
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
