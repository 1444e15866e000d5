//! The meaning of names in an expression, and the words that may be read in each place (language.md
//! §2.2, §5).

use indexmap::IndexSet;

use crate::check::context::Context;
use crate::check::error::{AccessError, Counted, NameError, NameKind, Suggestion};
use crate::check::expr::{self, arithmetic, made};
use crate::check::names::{self, letters};
use crate::check::places::CheckedPlace;
use crate::check::scopes::Known;
use crate::check::types::{self, mixed};
use crate::program::{
    Arithmetic, CostSymbol, Number, NumberKind, ParamId, ParameterKind, Role, Scope, Type, VarId,
    Word,
};
use crate::syntax::{ast, foreign};
use crate::text::Span;

/// Most names that a help lists.
const MOST_NAMES: usize = 10;

/// The names that an expression may read, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Parameters only; the text names the place, as `a size`.
    Parameters(&'static str),
    /// Parameters only, in a `let` of a wrapper loop.
    Wrapper,
    /// Shared words and parameters: inside a core loop.
    Shared,
    /// Inputs and parameters.
    Require,
    /// Host and global words at the end, and parameters.
    Ensure,
    /// Host words and parameters: the condition of a host `while`.
    HostWords,
    /// Parameters and the letters of the cost functions.
    Claim,
}

/// The meaning of a bare name in an expression.
pub(crate) enum Meaning {
    Parameter(ParamId),
    Symbol(CostSymbol),
    /// A word without indices.
    Variable,
    /// Declared one-letter parameters side by side.
    Product(Vec<Factor>),
    /// Declared with a fault that is reported.
    Faulty,
    Unknown,
}

/// A letter of a split name.
pub(crate) enum Factor {
    Parameter(ParamId),
    Symbol(CostSymbol),
}

/// Looks a bare name up.
pub(crate) fn meaning(ctx: &Context, reads: Reads, name: &str) -> Meaning {
    // A parameter wins over a variable of the same name, and a whole name over its letters: `ib` is
    // i·b only if neither a parameter nor a readable scalar is called `ib`.
    match ctx.parameters.look_up(name) {
        Some(Known::Sound(id)) => return Meaning::Parameter(id),
        Some(Known::Faulty) => return Meaning::Faulty,
        None => {}
    }
    if let Some(symbol) = symbol(reads, name) {
        return Meaning::Symbol(symbol);
    }
    let variable = ctx.variables.look_up(name);
    if let Some(Known::Sound(id)) = variable
        && may_stand_bare(ctx, reads, id)
    {
        return Meaning::Variable;
    }
    match split(ctx, reads, name) {
        Some(Known::Sound(factors)) => Meaning::Product(factors),
        Some(Known::Faulty) => Meaning::Faulty,
        None if variable == Some(Known::Faulty) => Meaning::Faulty,
        None if variable.is_some() || names::scope_of(name) == Scope::Shared => Meaning::Variable,
        None => Meaning::Unknown,
    }
}

/// Returns true if a variable may stand bare: shared scalars in expressions, host scalars in the
/// conditions of the host, global ones in `ensure` (language.md §2.2, §5).
fn may_stand_bare(ctx: &Context, reads: Reads, variable: VarId) -> bool {
    let variable = ctx.variables.get(variable);
    if !variable.dimensions.is_empty() {
        return false;
    }
    match variable.scope {
        Scope::Shared => true,
        Scope::Host => matches!(reads, Reads::Require | Reads::Ensure | Reads::HostWords),
        Scope::Global => reads == Reads::Ensure,
    }
}

fn split(ctx: &Context, reads: Reads, name: &str) -> Option<Known<Vec<Factor>>> {
    // Every letter must be a parameter: with i and b declared, `ib` is i·b; `ibx` does not split.
    // Letters of the cost functions count too, in claims.
    let mut factors = Vec::new();
    let mut faulty = false;
    for letter in letters(name)? {
        match ctx.parameters.look_up(letter) {
            Some(Known::Sound(id)) => factors.push(Factor::Parameter(id)),
            Some(Known::Faulty) => faulty = true,
            None => factors.push(Factor::Symbol(symbol(reads, letter)?)),
        }
    }
    Some(if faulty {
        Known::Faulty
    } else {
        Known::Sound(factors)
    })
}

fn symbol(reads: Reads, name: &str) -> Option<CostSymbol> {
    if reads != Reads::Claim {
        return None;
    }
    CostSymbol::named(name)
}

/// Returns true if a bare name in a kernel or on the host is a parameter, or splits into
/// parameters.
pub(crate) fn is_parameter(ctx: &Context, name: &str) -> bool {
    let kernel = Reads::Shared;
    ctx.parameters.look_up(name).is_some() || split(ctx, kernel, name).is_some()
}

/// Checks a bare name: a parameter, a product of parameters, or a scalar where one may be read.
pub(crate) fn bare_name<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    name: &ast::Name,
) -> Option<Number<P>> {
    match meaning(ctx, reads, &name.text) {
        Meaning::Parameter(id) => factor(ctx, &Factor::Parameter(id), name.span),
        Meaning::Symbol(symbol) => factor(ctx, &Factor::Symbol(symbol), name.span),
        Meaning::Variable => word(ctx, reads, name, &[], name.span),
        Meaning::Product(factors) => {
            let factors: Vec<Number<P>> = factors
                .iter()
                .map(|letter| factor(ctx, letter, name.span))
                .collect::<Option<_>>()?;
            factors.into_iter().reduce(|left, right| {
                let ty = mixed(left.ty, right.ty);
                arithmetic(Arithmetic::Multiply, left, right, ty, name.span)
            })
        }
        Meaning::Faulty => None,
        Meaning::Unknown => {
            report_unknown(ctx, reads, name);
            None
        }
    }
}

fn factor<P: CheckedPlace>(ctx: &Context, factor: &Factor, span: Span) -> Option<Number<P>> {
    Some(match *factor {
        Factor::Parameter(id) => {
            let ty = ctx.parameters.get(id).ty;
            made(NumberKind::Parameter(id), ty, span)
        }
        Factor::Symbol(symbol) => made(P::symbol(symbol)?, Type::Number, span),
    })
}

fn report_unknown(ctx: &mut Context, reads: Reads, name: &ast::Name) {
    let readable = ctx.variables.iter().filter(|variable| {
        variable.dimensions.is_empty()
            && match variable.scope {
                Scope::Shared => reads == Reads::Shared,
                Scope::Host => {
                    matches!(reads, Reads::Require | Reads::Ensure | Reads::HostWords)
                }
                Scope::Global => reads == Reads::Ensure,
            }
    });
    let candidates = ctx
        .parameters
        .visible()
        .chain(readable.map(|variable| variable.name.as_str()));
    let nearest = names::suggestion(&name.text, candidates);
    let suggestion = match (reads, name.text.as_str()) {
        _ if matches!(nearest, Some(Suggestion::LooksLike(..))) => nearest,
        (Reads::Claim, "O" | "Ω" | "Omega" | "Θ" | "Theta") => Some(Suggestion::Class),
        // The likeliest help first. `missing_index` comes before the nearest name, because `ib` is
        // one letter from `b`, but i·b is meant.
        _ => behind_digit(ctx, name)
            .or_else(|| foreign::meaning(&name.text).map(Suggestion::Foreign))
            .or_else(|| missing_index(ctx, reads, &name.text))
            .or(nearest)
            .or_else(|| missing_letter(ctx, reads, &name.text))
            .or_else(|| unbound(reads, &name.text))
            .or_else(|| known(ctx)),
    };
    let missing = match &suggestion {
        // Each slip is mended by itself.
        Some(Suggestion::Nearest(_) | Suggestion::LooksLike(..)) => None,
        // A missing declaration is one mistake, told at the first use: of `i`, `ib` and `2i` alike.
        Some(Suggestion::MissingLetter { letter, .. }) => Some(letter.clone()),
        Some(_) | None => Some(name.text.clone()),
    };
    let error = NameError::Unknown {
        name: name.text.clone(),
        kind: NameKind::Parameter,
        suggestion,
        span: name.span,
    };
    match missing {
        Some(missing) => ctx.report_once(&missing, &error),
        None => ctx.report(&error),
    }
}

/// Suggests the missing index where `ib` stands for a place in an array: it is no slip of `b`.
fn missing_index(ctx: &Context, reads: Reads, name: &str) -> Option<Suggestion> {
    let is_place = name.chars().count() == 2 && name.ends_with('b');
    missing_letter(ctx, reads, name).filter(|_| is_place && matches!(reads, Reads::Shared))
}

/// Suggests a quantifier for a letter that an `ensure` uses as an index, and a formal for one of the header.
fn unbound(reads: Reads, name: &str) -> Option<Suggestion> {
    if name.chars().count() != 1 {
        return None;
    }
    match reads {
        Reads::Ensure => Some(Suggestion::Bind(name.to_owned())),
        Reads::Parameters(_) | Reads::Require => Some(Suggestion::Formal(name.to_owned())),
        Reads::Shared | Reads::Wrapper | Reads::HostWords | Reads::Claim => None,
    }
}

/// The meaning of letters behind a digit: `1.0f` and `0xff`.
fn behind_digit(ctx: &Context, name: &ast::Name) -> Option<Suggestion> {
    let before = &ctx.source.text()[..name.span.start];
    if !before.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match name.text.as_str() {
        "f" | "F" => Some(Suggestion::Foreign("a float has no suffix: write `1.0`")),
        text if text.starts_with('x') && before.ends_with('0') => Some(Suggestion::Foreign(
            "numbers are decimal: write 255 for 0xff",
        )),
        _ => None,
    }
}

/// Suggests the visible names, if they are few.
fn known(ctx: &Context) -> Option<Suggestion> {
    let is_own = |name: &&str| {
        let declaration = ctx.parameters.declaration(name);
        declaration.is_some_and(|(kind, _)| kind != ParameterKind::Machine)
    };
    // A name declared twice is visible twice.
    let visible: IndexSet<&str> = ctx.parameters.visible().filter(is_own).collect();
    let names: Vec<String> = visible.iter().map(|name| format!("`{name}`")).collect();
    (1..=MOST_NAMES)
        .contains(&names.len())
        .then_some(Suggestion::Known(names))
}

/// Suggests the one letter of a short name that keeps it from being a product.
fn missing_letter(ctx: &Context, reads: Reads, name: &str) -> Option<Suggestion> {
    // With i and j declared, `ijx` lacks x alone. Longer names are words, no products.
    let letters = letters(name).filter(|letters| letters.len() <= 4)?;
    let is_unknown = |letter: &&&str| {
        ctx.parameters.look_up(letter).is_none() && symbol(reads, letter).is_none()
    };
    let mut unknown = letters.iter().filter(is_unknown);
    let letter = unknown.next()?;
    (unknown.next().is_none()).then(|| Suggestion::MissingLetter {
        product: letters.join("·"),
        letter: (*letter).to_owned(),
    })
}

/// Checks a word in an expression; its variable must be readable there.
pub(crate) fn word<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    name: &ast::Name,
    written: &[ast::Expr],
    span: Span,
) -> Option<Number<P>> {
    let variable = ctx.variable(name).and_then(|id| {
        readable(ctx, reads, id, name, span)?;
        rank(ctx, id, written.len(), span)?;
        Some(id)
    });
    let indices = indices(ctx, reads, written);
    let (variable, indices) = (variable?, indices?);
    let ty = types::of_word(ctx.variables.get(variable).word_type);
    let word = Word {
        variable,
        indices,
        span,
    };
    Some(made(NumberKind::Word(word), ty, span))
}

fn readable(
    ctx: &mut Context,
    reads: Reads,
    id: VarId,
    name: &ast::Name,
    span: Span,
) -> Option<()> {
    let variable = ctx.variables.get(id);
    let text = || ctx.text(span);
    let error = match (reads, variable.scope) {
        (Reads::Shared, Scope::Shared)
        | (Reads::Ensure, Scope::Host | Scope::Global)
        | (Reads::HostWords, Scope::Host) => return Some(()),
        (Reads::Require, Scope::Host) if variable.role == Role::Input => return Some(()),
        (Reads::Shared | Reads::Wrapper, Scope::Host) => {
            report_host_in_kernel(ctx, id, name, false);
            return None;
        }
        (Reads::Shared, Scope::Global) => AccessError::NotMoved {
            word: text(),
            staging: ctx.staging(&name.text),
            span,
        },
        (
            Reads::Parameters(_)
            | Reads::Wrapper
            | Reads::Require
            | Reads::Ensure
            | Reads::HostWords
            | Reads::Claim,
            Scope::Shared,
        ) => AccessError::SharedOnHost {
            name: name.text.clone(),
            span,
            declared: variable.span,
        },
        (Reads::Parameters(place), Scope::Host | Scope::Global) => AccessError::DataInFixed {
            word: text(),
            place,
            span,
        },
        (Reads::Wrapper, Scope::Global) => AccessError::DataInFixed {
            word: text(),
            place: "a `let` outside the core loops",
            span,
        },
        (Reads::Claim, Scope::Host | Scope::Global) => AccessError::DataInFixed {
            word: text(),
            place: "a claim",
            span,
        },
        (Reads::Require, Scope::Host | Scope::Global) => AccessError::RequireOfNonInput {
            name: name.text.clone(),
            given: match (variable.scope, variable.role) {
                (Scope::Global | Scope::Shared, _) => "global",
                (Scope::Host, Role::Output) => "an output",
                (Scope::Host, Role::Input | Role::None) => "no input",
            },
            span,
        },
        (Reads::HostWords, Scope::Global) => AccessError::HostTestsGlobal {
            word: text(),
            // `F[0]` for `f[0]`
            staging: text().replacen(&name.text, &names::respelt(&name.text, Scope::Host), 1),
            span,
        },
    };
    ctx.report(&error);
    None
}

/// Reports a host variable in a kernel.
pub(crate) fn report_host_in_kernel(
    ctx: &mut Context,
    id: VarId,
    name: &ast::Name,
    is_written: bool,
) {
    let error = AccessError::HostInKernel {
        name: name.text.clone(),
        global: names::respelt(&name.text, Scope::Global),
        is_written,
        span: name.span,
        declared: ctx.variables.get(id).span,
    };
    ctx.report(&error);
}

/// Checks the indices between the brackets of one word.
pub(crate) fn indices<'a, P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    indices: impl IntoIterator<Item = &'a ast::Expr>,
) -> Option<Vec<Number<P>>> {
    let checked: Vec<Option<Number<P>>> = indices
        .into_iter()
        .map(|index| expr::whole(ctx, reads, index, "an index"))
        .collect();
    checked.into_iter().collect()
}

/// Checks that a place has as many indices as its variable has dimensions.
pub(crate) fn rank(ctx: &mut Context, variable: VarId, given: usize, span: Span) -> Option<()> {
    let declared = ctx.variables.get(variable);
    let expected = declared.dimensions.len();
    if given == expected {
        return Some(());
    }
    let form = match expected {
        0 => declared.name.clone(),
        1 => format!("{}[e]", declared.name),
        2 => format!("{}[e, f]", declared.name),
        _ => format!("{}[e, f, …]", declared.name),
    };
    let error = AccessError::Rank {
        name: declared.name.clone(),
        expected: Counted::dimensions(expected),
        given: Counted::indices(given),
        form,
        span,
        declared: declared.span,
    };
    ctx.report(&error);
    None
}
