//! The abstract interpreter: the checked program over symbols gives counts as closed forms.
//!
//! [`derive()`] walks the host (`host`, `seam`, `rounds`), each kernel once (`kernel`, `stmt`, `guard`, `loops`)
//! with its active cores as an interval (`active`), what they touch (`touch`) and what is known of data
//! (`data`; `copies`, `sorted` and `gathers` of sorted arrays), and sums up (`totals`, `result`). Shares no counting code with `exec`. What it
//! cannot derive it says, with line and reason; a quantity without a reason is exact.
//!
//! [`steps`] is the same interpretation with numbers for the parameters and nothing for the data;
//! [`mod@numbers`] takes whichever of the two gives numbers at a point.

mod active;
mod amount;
mod bounded;
mod charges;
pub(crate) mod claims;
mod copies;
mod data;
pub mod derivation;
mod error;
pub mod evaluate;
mod far;
mod formula;
mod gathers;
mod grid;
mod guard;
mod host;
mod joint;
mod kernel;
mod live;
mod loops;
pub mod numbers;
mod ops;
mod required;
mod residues;
mod result;
mod rounds;
mod seam;
mod sorted;
pub mod steps;
mod stmt;
pub(crate) mod symbols;
mod totals;
mod touch;

use crate::check::program::{Arithmetic, CostSymbol, Expr as Checked, ExprKind, Program};
use crate::count::Parameters;
use crate::derive::host::HostWalk;
use crate::derive::live::live_words;
use crate::derive::result::{assemble, classes, nothing_derived};
use crate::derive::symbols::{Symbols, letter};
use crate::machine::Tariff;
use crate::room::with_room;
use crate::sym::{Cond, Expr, Facts};
use crate::value::within_values;

pub use derivation::{Bound, Derivation, Quantity};
pub use formula::{Formula, NoFormula};

/// Derives a program's counts and costs. Parameters stay symbols, those of the machine too, but for
/// those `given`.
///
/// Never fails: what has no closed form is `None` or a bound in the result, listed in its `bounds`.
///
/// Works on a thread of its own, whose stack is large enough for the deepest program; where no thread
/// can be had (WebAssembly), on the caller's.
///
/// ```
/// use atgpu::derive::derive;
///
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// let derivation = derive(&program, &().into());
/// assert_eq!(derivation.formula("gpu_cost")?.to_string(), "3α + 3nβ + (13⌈k/(k'ℓ)⌉ + 3kλ)/γ + σ");
/// let at = derive(&program, &[("n", 64), ("b", 32)].into());
/// assert_eq!(at.formula("io")?.to_string(), "6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn derive(program: &Program, given: &Parameters) -> Derivation {
    derive_charged(program, given, None)
}

/// As [`derive()`], and with the charges of every round under a machine's own rules and weights. The
/// rules of half-warps need b `given`.
///
/// ```
/// # use atgpu::{derive::derive_charged, machine::Machine};
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// let card = Machine::built_in("gtx280").expect("built in");
/// let tariff = card.tariff().expect("known");
/// let derivation = derive_charged(&program, &[("b", 32)].into(), Some(&tariff));
/// let charges = derivation.rounds[0].charges.as_ref().expect("asked for");
/// let transactions = charges.memory_transactions.upper.as_ref().expect("closed");
/// assert_eq!(transactions.to_string(), "3n/16");
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn derive_charged(
    program: &Program,
    given: &Parameters,
    tariff: Option<&Tariff>,
) -> Derivation {
    with_room(|| derived(program, given, tariff))
}

/// Values that the sums of all claims may run through at the points they are tested at.
const VALUES_OF_CLAIMS: u64 = 200_000;

/// How much more is allowed for each line of a program.
const WORK_OF_A_LINE: u64 = 100;

fn derived(program: &Program, given: &Parameters, tariff: Option<&Tariff>) -> Derivation {
    let mut symbols = Symbols::new(program);
    let mut facts = known_facts(program, given, &mut symbols);
    let names = header_lets(program, &mut symbols, &mut facts);
    let mut losses = Vec::new();
    let mut walk = HostWalk {
        program,
        symbols: &mut symbols,
        losses: &mut losses,
        executing: None,
        host_variables: Vec::new(),
        tariff,
    };
    let mut derivation = match host::of_program(&mut walk, &facts) {
        Ok(list) => {
            let live = live_words(&walk, &list, &facts);
            assemble(program, &symbols, &list, &live, &facts, &losses)
        }
        Err(no_rounds) => {
            losses.push(no_rounds.loss());
            nothing_derived(program, &losses)
        }
    };
    for (which, value) in given_letters(given) {
        derivation.transfer_cost = derivation
            .transfer_cost
            .map(|e| e.substitute(&letter(which), &value));
        derivation.cost = derivation
            .cost
            .map(|e| e.substitute(&letter(which), &value));
        derivation.gpu_cost = derivation
            .gpu_cost
            .map(|e| e.substitute(&letter(which), &value));
    }
    derivation.names = names;
    derivation.classes = classes(program, &derivation, &facts);
    derivation.claims = within_values(VALUES_OF_CLAIMS, || {
        claims::judge(program, given, &derivation, &symbols, &facts)
    });
    if given.iter().next().is_some()
        && program
            .claims
            .iter()
            .any(|claim| claim.relation.is_asymptotic())
    {
        // In O and Θ the parameters grow, given or not (language.md §5).
        let growing = derived(program, &Parameters::new(), None);
        let claims = program.claims.iter().zip(&mut derivation.claims);
        for ((claim, judged), grown) in claims.zip(growing.claims) {
            if claim.relation.is_asymptotic() {
                *judged = grown;
            }
        }
    }
    derivation.facts = facts.used();
    derivation
}

/// Formals and machine parameters bound, and what `require`s and declarations say of them.
fn known_facts(program: &Program, given: &Parameters, symbols: &mut Symbols<'_>) -> Facts {
    let mut facts = Facts::new();
    facts.count_algebra();
    let lines = program.source.text().lines().count();
    facts.allow_for_parts(WORK_OF_A_LINE.saturating_mul(u64::try_from(lines).unwrap_or(u64::MAX)));
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
fn header_lets(
    program: &Program,
    symbols: &mut Symbols<'_>,
    facts: &mut Facts,
) -> Vec<(String, Expr)> {
    for binding in &program.lets {
        let value = symbols.expr(&binding.value);
        symbols.bind(binding.parameter, value);
    }
    for requirement in program
        .requires
        .iter()
        .filter(|requirement| !requirement.reads_data)
    {
        for conjunct in conjuncts(&requirement.condition) {
            // A chain link by link, so that only those that proofs need are named.
            match symbols.comparisons(conjunct) {
                Ok(links) => links
                    .iter()
                    .for_each(|link| facts.assume(&link.condition())),
                Err(_) => {
                    if let Ok(condition) = symbols.condition(conjunct) {
                        facts.assume(&condition);
                    }
                }
            }
        }
    }
    for binding in &program.lets {
        suppose_logs_defined(&binding.value, symbols, facts);
        // A `let` of the header is whole, so a quotient there comes out even.
        if let ExprKind::Binary {
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
fn suppose_logs_defined(expr: &Checked, symbols: &Symbols<'_>, facts: &mut Facts) {
    if let ExprKind::Log { base, argument } = &expr.kind
        && let (Ok(base), Ok(argument)) = (symbols.expr(base), symbols.expr(argument))
        && facts.is_integer(&base)
        && facts.is_integer(&argument)
    {
        facts.suppose(&Cond::ge(&base, &Expr::int(2)));
        facts.suppose(&Cond::ge(&argument, &Expr::one()));
    }
    expr.kind
        .operands(&mut |operand| suppose_logs_defined(operand, symbols, facts));
}

fn conjuncts(condition: &Checked) -> Vec<&Checked> {
    match &condition.kind {
        ExprKind::And(left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![condition],
    }
}

fn given_letters(given: &Parameters) -> Vec<(CostSymbol, Expr)> {
    let letters = [
        ("α", CostSymbol::Alpha),
        ("β", CostSymbol::Beta),
        ("γ", CostSymbol::Gamma),
        ("λ", CostSymbol::Lambda),
        ("σ", CostSymbol::Sigma),
        ("k'", CostSymbol::RealMps),
        ("H", CostSymbol::MaxResident),
    ];
    let value = |name| given.get(name).map(|value| Expr::rational(value.clone()));
    letters
        .into_iter()
        .filter_map(|(name, which)| Some((which, value(name)?)))
        .collect()
}
