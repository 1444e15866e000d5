//! What the suites need to hold a program against itself: parameters it admits, its counts there by
//! each of the three counters, and whether they agree.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use atgpu::count::Interval;
use atgpu::count::{Counts, Parameters, Round, Totals};
use atgpu::derivation::evaluate::{NoNumbers, evaluate};
use atgpu::derivation::{Derivation, Derived};
use atgpu::exec::{Execution, Options, Outcome, Unwatched};
use atgpu::interval::{self, CountOptions};
use atgpu::meaning::{Point, evaluate_claim};
use atgpu::number::{BigInt, Rational, Real};
use atgpu::program::Program;
use atgpu::program::Quantity;
use atgpu::sym::{Cond, EvaluateError, Expr, Symbol, SymbolKind};
use atgpu::syntax::ast::ClaimRelation;

/// The blocks, warps and banks that programs are tried with.
const WIDTHS: [i64; 10] = [1, 2, 3, 4, 5, 7, 8, 16, 32, 64];

/// The most work of a randomly tried program: the words of its largest variable, times its formals,
/// over b. Generous for all but products of matrices.
const MOST_WORK: i64 = 15_000;

/// A choice of parameters and what it makes of a program.
#[derive(Debug, Clone)]
pub struct Choice {
    /// `n = 37, b = 8`
    pub label: String,
    /// The formals by name.
    pub values: Vec<(String, i64)>,
    /// p, b, M and G.
    pub machine: [i64; 4],
    /// The program there.
    pub point: Point,
}

/// Different admissible choices, at most `wanted`, drawn from `seed`: every width, every formal
/// small, near a multiple of the width, or a power of it.
pub fn choices(program: &Program, wanted: usize, seed: u64) -> Vec<Choice> {
    let mut random = Random::new(seed);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for attempt in 0..wanted * 100 {
        if found.len() == wanted {
            break;
        }
        let width = WIDTHS[attempt % WIDTHS.len()];
        let values: Vec<(String, i64)> = program
            .formals()
            .iter()
            .map(|id| {
                let value = random.size(width);
                (program.parameter(*id).name.clone(), value)
            })
            .collect();
        if seen.insert((width, values.clone())) {
            found.extend(choice(program, width, values).filter(is_small));
        }
    }
    found
}

/// This choice, when the program admits it.
pub fn choice(program: &Program, width: i64, values: Vec<(String, i64)>) -> Option<Choice> {
    let machine = [12 * width, width, 1 << 40, 1 << 40];
    let given: Parameters = values
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let mut label: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    label.push(format!("b = {width}"));
    let label = label.join(", ");
    let point = match Point::new(program, machine, &given) {
        Ok(point) => point,
        Err(faults) => {
            for fault in &faults {
                assert_eq!(
                    fault.code.name(),
                    "atgpu::require::violated",
                    "{label}: {fault:?}"
                );
            }
            return None;
        }
    };
    Some(Choice {
        label,
        values,
        machine,
        point,
    })
}

/// Whether executing it takes a test little time.
fn is_small(choice: &Choice) -> bool {
    let words = choice.point.extents.iter().map(|extents| {
        extents
            .iter()
            .fold(BigInt::from(1), |words, extent| words * extent)
    });
    let formals = choice.values.iter().map(|(_, value)| *value.max(&1));
    let formals: BigInt = formals.map(BigInt::from).product();
    let width = choice.machine[1];
    words.max().unwrap_or_default() * formals <= BigInt::from(MOST_WORK * width)
}

/// A small generator of its own, so that the points never change with a dependency.
pub struct Random(u64);

impl Random {
    /// Starts a sequence.
    pub fn new(seed: u64) -> Self {
        Random(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*: short, and good enough to pick sizes.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    /// A size for an algorithm with blocks of `width` words.
    fn size(&mut self, width: i64) -> i64 {
        let few = self.below(7) as i64;
        match self.below(8) {
            0 => few - 1,
            1 => self.below(width as u64) as i64 + 1,
            2 => (few * width - 1).max(1),
            3 => few * width + 1,
            4 | 5 => (few + 1) * width,
            6 => [width, 2 * width, 2][self.below(3) as usize].saturating_pow(few as u32),
            _ => self.below(300) as i64 + 1,
        }
    }
}

/// Executes a program on random data of its own kind.
pub fn execute(program: &Program, choice: &Choice, seed: u64) -> Outcome {
    let options = Options {
        seed,
        threads: 1,
        ..Options::default()
    };
    Execution::prepare(program, &choice.point, &options)
        .and_then(|mut execution| execution.run(&Unwatched))
        .unwrap_or_else(|faults| panic!("{} at {}: {faults:#?}", program.name(), choice.label))
}

/// Counts a program without data.
pub fn count(program: &Program, choice: &Choice) -> Counts<Interval> {
    let going = |_| ControlFlow::Continue(());
    let counted = interval::count(program, &choice.point, &CountOptions::default(), &going)
        .unwrap_or_else(|why| panic!("{} at {}: {why:?}", program.name(), choice.label));
    assert!(
        counted.faults.is_empty(),
        "{} at {}: {:#?}",
        program.name(),
        choice.label,
        counted.faults
    );
    counted.counts
}

/// Puts numbers into a derivation; nothing where some quantity was not derived.
pub fn numbers(
    program: &Program,
    derivation: &Derivation,
    choice: &Choice,
) -> Option<Counts<Interval>> {
    match evaluate(program, derivation, &choice.point) {
        Ok(evaluated) => {
            assert_eq!(evaluated.omitted, BigInt::from(0));
            Some(evaluated.counts)
        }
        Err(NoNumbers::Underived(quantity)) => {
            let reason = derivation
                .bounds
                .iter()
                .find(|bound| bound.quantity.name() == quantity);
            assert!(
                reason.is_some(),
                "{}: `{quantity}` is missing without a reason",
                program.name()
            );
            None
        }
        Err(why) => panic!("{} at {}: {why}", program.name(), choice.label),
    }
}

/// The value of a symbol at a choice; of α to σ, k', H and ℓ some value.
fn value_at(choice: &Choice, symbol: &Symbol) -> Rational {
    let own = choice.values.iter();
    let own = own.map(|(name, value)| (name.as_str(), *value));
    let machine = ["p", "b", "M", "G"].into_iter().zip(choice.machine);
    let found = own.chain(machine).find(|(name, _)| **name == *symbol.name);
    Rational::from(found.map_or(3, |(_, value)| value))
}

/// Whether a formula has nothing but letters and what a choice says: loops around a round have variables.
fn is_known(choice: &Choice, formula: &Expr) -> bool {
    formula.symbols().iter().all(|symbol| {
        let name = &*symbol.name;
        let is_own = choice.values.iter().any(|(own, _)| own == name);
        let is_given = is_own || ["p", "b", "M", "G"].contains(&name);
        symbol.id.kind != SymbolKind::Local && (is_given || symbol.id.kind == SymbolKind::Letter)
    })
}

/// Every quantity that a derivation shows, but those of rounds that there are not at these values.
fn shown<'d>(
    derivation: &'d Derivation,
    at: &dyn Fn(&Symbol) -> Option<Rational>,
) -> Vec<&'d Derived> {
    let costs = [
        &derivation.transfer_cost,
        &derivation.cost,
        &derivation.gpu_cost,
    ];
    let totals = derivation.totals.all().map(|(_, quantity)| quantity);
    let mut all: Vec<&Derived> = totals.into_iter().chain(costs).collect();
    for round in &derivation.rounds {
        let is_absent = |when: &Cond| matches!(when.evaluate(at), Ok(false));
        if round.when.as_ref().is_some_and(is_absent) {
            continue;
        }
        all.extend([&round.count, &round.counts.time, &round.counts.io]);
        for line in &round.lines {
            all.extend([
                &line.executions,
                &line.operations,
                &line.blocks,
                &line.conflicts,
            ]);
        }
    }
    all
}

/// Where a short bound of a derivation is less than the exact formula that it stands for, if anywhere. What
/// is a bound itself may be larger than another bound.
pub fn below_its_formula(derivation: &Derivation, choice: &Choice) -> Option<String> {
    let at = |symbol: &Symbol| Some(value_at(choice, symbol));
    let shown = shown(derivation, &at);
    let mut exact = shown.iter().filter(|quantity| quantity.is_exact());
    exact.find_map(|quantity| {
        let (long, short) = (quantity.upper.as_ref()?, quantity.short.as_ref()?);
        if !is_known(choice, long) {
            return None;
        }
        let bound = match (long.evaluate(&at), short.evaluate(&at)) {
            (Ok(exact), Ok(bound)) if bound >= exact => return None,
            (Ok(_), Ok(_) | Err(EvaluateError::DivisionByZero | EvaluateError::Undefined)) => short,
            // Logarithms have a value at other points.
            (_, Err(_)) | (Err(_), _) => return None,
        };
        Some(format!("{bound} is less than {long} at {}", choice.label))
    })
}

/// Where a short bound of a total is less than a run counted, if anywhere.
pub fn below_its_run(
    derivation: &Derivation,
    choice: &Choice,
    counted: &Totals<BigInt>,
) -> Option<String> {
    let at = |symbol: &Symbol| Some(value_at(choice, symbol));
    let totals = derivation.totals.named().into_iter().zip(counted.named());
    totals
        .into_iter()
        .find_map(|((name, quantity), (_, number))| {
            let short = quantity.short.as_ref()?;
            let bound = short
                .evaluate(&at)
                .ok()
                .filter(|_| is_known(choice, short))?;
            (bound < Rational::from(number.clone()))
                .then(|| format!("{name} ≤ {short} but {number} at {}", choice.label))
        })
}

/// Holds counts that may be bounds against those of an execution: every total, and every quantity of
/// every round, lies within. Where data decide how many rounds there are, only the totals compare.
/// How many of the totals were exact.
pub fn assert_within(what: &str, bounds: &Counts<Interval>, executed: &Counts<BigInt>) -> usize {
    let mut exact = 0;
    for ((key, bound), (_, number)) in bounds.totals.named().iter().zip(executed.totals.named()) {
        assert_bound(&format!("{what}: {key}"), bound, number);
        exact += usize::from(bound.lower == bound.upper);
    }
    if bounds.totals.rounds.lower != bounds.totals.rounds.upper {
        return exact;
    }
    let (listed, happened) = (unrolled(&bounds.rounds), unrolled(&executed.rounds));
    assert_eq!(listed.len(), happened.len(), "{what}: rounds");
    for (at, (round, happened)) in listed.iter().zip(&happened).enumerate() {
        let what = format!("{what}: round {}", at + 1);
        let pairs = [
            ("k", &round.launched_mps, &happened.launched_mps),
            ("t", &round.time, &happened.time),
            ("q", &round.io, &happened.io),
            ("I", &round.inward.words, &happened.inward.words),
            (
                "Î",
                &round.inward.transactions,
                &happened.inward.transactions,
            ),
            ("O", &round.outward.words, &happened.outward.words),
            (
                "Ô",
                &round.outward.transactions,
                &happened.outward.transactions,
            ),
            ("m", &round.shared_words, &happened.shared_words),
            ("g", &round.global_words, &happened.global_words),
            ("conflicts", &round.bank_conflicts, &happened.bank_conflicts),
        ];
        for (key, bound, number) in pairs {
            assert_bound(&format!("{what}: {key}"), bound, number);
        }
    }
    exact
}

fn assert_bound(what: &str, bound: &Interval, number: &BigInt) {
    assert!(
        bound.lower <= *number && *number <= bound.upper,
        "{what} is {number}, said to be {} … {}",
        bound.lower,
        bound.upper
    );
}

/// Every round by itself.
pub fn unrolled<N: Clone>(rounds: &[(u64, Round<N>)]) -> Vec<Round<N>> {
    let repeated = rounds
        .iter()
        .map(|(times, round)| std::iter::repeat_n(round.clone(), *times as usize));
    repeated.flatten().collect()
}

/// Holds the `=`, `≤` and `≥` claims on counts against an execution. How many there were.
pub fn assert_claims(program: &Program, choice: &Choice, executed: &Counts<BigInt>) -> usize {
    let mut held = 0;
    for claim in program.claims() {
        let Some(number) = total(claim.quantity, &executed.totals) else {
            continue;
        };
        let value = evaluate_claim(program, &claim.value, &choice.point.environment, &|_| None);
        let value = value
            .unwrap_or_else(|fault| panic!("{} at {}: {fault:?}", program.name(), choice.label))
            .expect("counts are claimed without α, β and the like");
        let order = Real::from(number.clone()).compare(&value);
        let holds = match claim.relation {
            ClaimRelation::Equal => order.is_eq(),
            ClaimRelation::AtMost => order.is_le(),
            ClaimRelation::AtLeast => order.is_ge(),
            ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => continue,
        };
        assert!(
            holds,
            "{} at {}: `{}`, but it is {number}",
            program.name(),
            choice.label,
            program.source().slice(claim.span)
        );
        held += 1;
    }
    held
}

fn total(quantity: Quantity, totals: &Totals<BigInt>) -> Option<&BigInt> {
    match quantity {
        Quantity::Rounds => Some(&totals.rounds),
        Quantity::Time => Some(&totals.time),
        Quantity::TotalTime => Some(&totals.total_time),
        Quantity::Io => Some(&totals.io),
        Quantity::Inward => Some(&totals.inward),
        Quantity::Outward => Some(&totals.outward),
        Quantity::Transfer => Some(&totals.transfer),
        Quantity::Transactions => Some(&totals.transactions),
        Quantity::Shared => Some(&totals.shared),
        Quantity::Global => Some(&totals.global),
        Quantity::BankConflicts => Some(&totals.bank_conflicts),
        Quantity::TransferCost | Quantity::Cost | Quantity::GpuCost => None,
        other => panic!("no total is known here for {}", other.name()),
    }
}
