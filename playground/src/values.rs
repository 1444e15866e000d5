//! Numbers at a point: what each line, each part of the cost and each model comes to; the values a slider
//! stops at; and curves over one parameter.

use std::cell::Cell;

use atgpu::cost::{MODELS, Model, Subject, find};
use atgpu::count::{Counts, Parameters};
use atgpu::derivation::{Derivation, Derived, DerivedRound, LoopRange};
use atgpu::derive::derive_charged;
use atgpu::derive::numbers::{Known, brief_charges};
use atgpu::editor::Document;
use atgpu::machine::{Blocks, Machine, MissingFigure, Transactions, Words};
use atgpu::meaning::{Point, admissible_points};
use atgpu::number::{BigInt, Rational};
use atgpu::program::Program;
use atgpu::study::{Axis, Curve};
use atgpu::sym::{EvaluateError, Expr, Symbol};
use serde_json::{Value, json};

use crate::formulas::derived;
use crate::request::{Request, said};

/// A program at chosen values on a chosen machine.
pub(crate) struct Chosen {
    pub(crate) machine: Machine,
    pub(crate) given: Parameters,
}

impl Chosen {
    pub(crate) fn of(asked: &Request) -> Result<Chosen, String> {
        Ok(Chosen {
            machine: asked.machine()?,
            given: asked.parameters("values")?,
        })
    }

    /// The program's point, or which `require` it violates.
    pub(crate) fn point(&self, program: &Program) -> Result<Point, String> {
        Point::new(program, self.machine.atgpu.numbers(), &self.given)
            .map_err(|faults| said(&faults))
    }

    /// What symbols of formulas stand for; a formal hides a letter of its name.
    pub(crate) fn symbols(&self) -> Parameters {
        self.machine.parameters().with(&self.given)
    }
}

/// Terms of sums without a closed form that are added up while a slider moves: a fifth of a second.
const AT_ONCE: u64 = 20_000;

/// Terms that are added up where somebody waits for it.
const PATIENTLY: u64 = 1_000_000;

/// Terms that are added up for a point of a curve.
const FOR_A_POINT: u64 = 200_000;

/// Values that take no longer than is right: what has no closed form is added up as long as all sums together
/// have so many terms.
struct Brief {
    left: Cell<u64>,
    /// Whether every sum has been added up.
    is_whole: Cell<bool>,
}

impl Brief {
    fn new(most_terms: u64) -> Brief {
        Brief {
            left: Cell::new(most_terms),
            is_whole: Cell::new(true),
        }
    }

    fn value(&self, expr: &Expr, symbols: &Parameters) -> Option<Rational> {
        let named = |symbol: &Symbol| symbols.get(&symbol.name).cloned();
        let (value, left) = expr.evaluate_within(&named, self.left.get());
        self.left.set(left);
        if value == Err(EvaluateError::TooMuchWork) {
            self.is_whole.set(false);
        }
        value.ok()
    }

    fn of(&self, quantity: &Derived, symbols: &Parameters) -> Option<Rational> {
        let upper = quantity.upper.as_ref();
        upper.and_then(|upper| self.value(upper, symbols))
    }
}

/// A number as the page takes it: exact digits where it is whole, beside the double.
fn number(value: &Rational) -> Value {
    match value.to_integer() {
        Some(whole) => json!({"value": value.to_f64(), "digits": whole.to_string()}),
        None => json!({"value": value.to_f64()}),
    }
}

fn of_derived(quantity: &Derived, symbols: &Parameters, brief: &Brief) -> Value {
    shown(brief.of(quantity, symbols), quantity.is_exact())
}

/// A value for the page, which says of an upper bound that it is one.
fn shown(value: Option<Rational>, is_exact: bool) -> Value {
    let Some(value) = value else {
        return Value::Null;
    };
    let mut shown = number(&value);
    if !is_exact {
        shown["most"] = json!(true);
    }
    shown
}

/// Rounds of host loops that are added up one by one; of more there is no sum.
const MOST_ROUNDS: usize = 4096;

/// The rounds that one entry of a derivation stands for: what the variables of its loops are in each.
struct Places<'a> {
    brief: &'a Brief,
    each: Option<Vec<Parameters>>,
    /// How many rounds there are.
    count: Option<Rational>,
    variables: Vec<String>,
}

impl Places<'_> {
    fn of<'a>(round: &DerivedRound, symbols: &Parameters, brief: &'a Brief) -> Places<'a> {
        let mut each = Some(vec![symbols.clone()]);
        for range in &round.loops {
            each = each.and_then(|places| inside(range, places, brief));
        }
        let variables = round.loops.iter();
        Places {
            brief,
            each,
            count: brief.of(&round.count, symbols),
            variables: variables
                .map(|range| range.symbol.name.to_string())
                .collect(),
        }
    }

    /// A quantity of a round, over all its rounds.
    fn sum(&self, quantity: &Derived) -> Value {
        let Some(upper) = &quantity.upper else {
            return Value::Null;
        };
        let symbols = upper.symbols();
        let is_moving = symbols.iter().any(|symbol| {
            let mut names = self.variables.iter();
            names.any(|name| **name == *symbol.name)
        });
        let first = self.each.iter().flatten().next();
        let sum = match (is_moving, &self.count, first) {
            (false, Some(count), Some(place)) => {
                self.brief.value(upper, place).map(|one| &one * count)
            }
            (_, _, None) => self.each.as_ref().map(|_| Rational::ZERO),
            (_, _, Some(_)) => self.each.as_ref().and_then(|places| {
                let mut sum = Rational::ZERO;
                for place in places {
                    sum += &self.brief.value(upper, place)?;
                }
                Some(sum)
            }),
        };
        shown(sum, quantity.is_exact())
    }
}

/// All values of a loop's variable, at each of the places around it.
fn inside(range: &LoopRange, around: Vec<Parameters>, brief: &Brief) -> Option<Vec<Parameters>> {
    let mut found = Vec::new();
    for place in around {
        let from = brief.value(&range.from, &place)?.to_i64()?;
        let to = brief.value(&range.to, &place)?.to_i64()?;
        let (low, high) = if range.down { (to, from) } else { (from, to) };
        for value in low..=high {
            if found.len() >= MOST_ROUNDS {
                return None;
            }
            found.push(place.clone().with([(&*range.symbol.name, value)]));
        }
    }
    Some(found)
}

/// Everything that moves with a slider.
pub(crate) fn values(document: &Document, asked: &Request) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    let chosen = Chosen::of(asked)?;
    let point = match chosen.point(program) {
        Ok(point) => point,
        Err(fault) => return Ok(json!({"fault": fault, "figures": figures(&chosen.machine)})),
    };
    let symbols = chosen.symbols();
    let brief = Brief::new(if asked.is("patient") {
        PATIENTLY
    } else {
        AT_ONCE
    });
    // The totals first: where there is work for no more, the lines go without.
    let totals = derivation.totals.named().into_iter();
    let totals = totals.map(|(name, total)| (name.to_owned(), of_derived(total, &symbols, &brief)));
    let totals: serde_json::Map<_, _> = totals.collect();
    let (mut lines, mut rounds) = (Vec::new(), Vec::new());
    for (at, round) in derivation.rounds.iter().enumerate() {
        let places = Places::of(round, &symbols, &brief);
        lines.extend(round.lines.iter().map(|line| {
            json!({
                "line": line.line,
                "round": at,
                "times": places.sum(&line.executions),
                "operations": places.sum(&line.operations),
                "blocks": places.sum(&line.blocks),
                "conflicts": places.sum(&line.conflicts),
            })
        }));
        rounds.push(json!({
            "k": places.sum(&round.counts.launched_mps),
            "t": places.sum(&round.counts.time),
            "q": places.sum(&round.counts.io),
            "count": of_derived(&round.count, &symbols, &brief),
        }));
    }
    let rounds_in_all = brief.of(&derivation.totals.rounds, &symbols);
    let most = Rational::from(MOST_ROUNDS as i64);
    let is_short = rounds_in_all.is_none_or(|rounds| rounds <= most);
    let known = if is_short && brief.is_whole.get() {
        Known::of(program, derivation, &point)
    } else {
        Known::default()
    };
    let mut is_exact = known.counts.as_ref().is_some_and(Counts::is_exact);
    let counts = known.counts.map(|counts| counts.upper());
    let cost = match &counts {
        Some(counts) => Some(parts(counts, &chosen.machine)),
        None => {
            let parts = parts_of_formula(derivation, &chosen, &brief);
            is_exact = parts.is_some();
            parts.map(Ok)
        }
    };
    Ok(json!({
        "lines": lines,
        "rounds": rounds,
        "totals": totals,
        "long": !brief.is_whole.get(),
        "cost": match cost {
            Some(Ok(cost)) => cost,
            Some(Err(missing)) => json!({"missing": missing.to_string()}),
            None => Value::Null,
        },
        "exact": is_exact,
        "kernels": counts.as_ref().map(|counts| kernels(counts, &chosen.machine)),
        "beyond": beyond(derivation, &symbols, &chosen.machine, &brief),
        "figures": figures(&chosen.machine),
    }))
}

/// The model of paper 1.
pub(crate) fn atgpu_model() -> &'static dyn Model {
    find("atgpu").expect("listed")
}

/// The milliseconds of Expression (2) of paper 1, by what they are paid for.
fn parts(counts: &Counts<BigInt>, machine: &Machine) -> Result<Value, MissingFigure> {
    let zero = || BigInt::from(0);
    let [mut starts_in, mut starts_out, mut words_in, mut words_out] =
        [zero(), zero(), zero(), zero()];
    for (times, round) in &counts.rounds {
        starts_in += &round.inward.transactions * *times;
        starts_out += &round.outward.transactions * *times;
        words_in += &round.inward.words * *times;
        words_out += &round.outward.words * *times;
    }
    let nothing = Words::from(&zero());
    let none = Transactions::from(&zero());
    let starts = machine.inward_time(&Transactions::from(&starts_in), &nothing)?
        + machine.outward_time(&Transactions::from(&starts_out), &nothing)?;
    let words = machine.inward_time(&none, &Words::from(&words_in))?
        + machine.outward_time(&none, &Words::from(&words_out))?;
    let blocks = machine.access_cycles(&Blocks::from(&counts.totals.io))?;
    let blocks = machine.kernel_time(&blocks)?;
    let rounds = machine.synchronisation()?.value() * &Rational::from(counts.totals.rounds.clone());
    let Ok(estimate) = atgpu_model().estimate(&Subject::of(counts), machine) else {
        return Ok(Value::Null);
    };
    let all = estimate.headline().cloned().unwrap_or(Rational::ZERO);
    let rest = &(&(&(&all - starts.value()) - words.value()) - blocks.value()) - &rounds;
    Ok(json!({
        "starts": starts.to_f64(),
        "words": words.to_f64(),
        "operations": rest.to_f64(),
        "blocks": blocks.to_f64(),
        "rounds": rounds.to_f64(),
        "all": all.to_f64(),
        "perfect": estimate.time("cost").map(Rational::to_f64),
    }))
}

/// The same from the formula alone, where there are too many rounds to go through: what is gone where a
/// figure of the machine is 0 was paid for it.
fn parts_of_formula(derivation: &Derivation, chosen: &Chosen, brief: &Brief) -> Option<Value> {
    let symbols = chosen.symbols();
    let cost = |machine: &Machine| {
        let formula = atgpu_model().symbolic(derivation, machine)?;
        brief.value(&formula, &symbols)
    };
    let all = cost(&chosen.machine)?;
    let mut rest = all.clone();
    let mut found = serde_json::Map::new();
    for (part, figure) in [
        ("starts", "α"),
        ("words", "β"),
        ("blocks", "λ"),
        ("rounds", "σ"),
    ] {
        let free = chosen.machine.with([(figure, 0)]).ok()?;
        let paid = &all - &cost(&free)?;
        rest = &rest - &paid;
        found.insert(part.to_owned(), json!(paid.to_f64()));
    }
    found.insert("operations".to_owned(), json!(rest.to_f64()));
    found.insert("all".to_owned(), json!(all.to_f64()));
    Some(found.into())
}

/// What a roofline needs of each kernel, at most a few hundred of them.
fn kernels(counts: &Counts<BigInt>, machine: &Machine) -> Value {
    let launched = counts
        .rounds
        .iter()
        .filter(|(_, round)| round.launched_mps > BigInt::from(0));
    let each = launched.take(200).map(|(times, round)| {
        let double = |count: &BigInt| Rational::from(count).to_f64();
        let occupancy = machine.occupancy(&round.shared_words).ok();
        let waves = occupancy
            .as_ref()
            .and_then(|l| machine.waves(&round.launched_mps, l).ok());
        json!({
            "times": times,
            "k": double(&round.launched_mps),
            "t": double(&round.time),
            "q": double(&round.io),
            "m": double(&round.shared_words),
            "occupancy": occupancy.as_ref().map(double),
            "waves": waves.as_ref().map(double),
        })
    });
    each.collect()
}

/// The memories that are too small.
fn beyond(
    derivation: &Derivation,
    symbols: &Parameters,
    machine: &Machine,
    brief: &Brief,
) -> Vec<Value> {
    let (totals, atgpu) = (&derivation.totals, &machine.atgpu);
    let capacities = [
        ("M", &totals.shared, atgpu.shared_words),
        ("G", &totals.global, atgpu.global_words),
    ];
    let needs = capacities.into_iter().filter_map(|(memory, total, has)| {
        let need = brief.of(total, symbols)?.ceil();
        (need > BigInt::from(has))
            .then(|| json!({"memory": memory, "need": need.to_string(), "has": has}))
    });
    needs.collect()
}

/// Values one after the other that the program admits for one parameter, the others as they are.
pub(crate) fn stops(document: &Document, asked: &Request) -> Result<Value, String> {
    let (program, _) = derived(document)?;
    let chosen = Chosen::of(asked)?;
    let machine = chosen.machine.atgpu.numbers();
    let name = asked.text("of");
    let most = asked.number("most").unwrap_or(1 << 32);
    let mut fixed = chosen.given.clone();
    fixed.remove(name);
    let is_admitted = |value: u64| {
        let mut given = fixed.clone();
        given.set(name, Rational::from(BigInt::from(value)));
        Point::new(program, machine, &given).is_ok()
    };
    let b = u64::try_from(machine[1]).unwrap_or(1).max(1);
    let mut candidates: Vec<u64> = (0..=64).collect();
    for base in [2, 3, 10, b, 2 * b] {
        let mut power: u64 = 1;
        while power <= most {
            candidates.push(power);
            // In between, and where b divides.
            for part in [5, 6, 7] {
                let between = power / 4 * part;
                candidates.extend([between, between / b * b]);
            }
            match power.checked_mul(base) {
                Some(next) if base > 1 => power = next,
                _ => break,
            }
        }
    }
    candidates.retain(|value| *value <= most);
    candidates.sort_unstable();
    candidates.dedup();
    let found: Vec<u64> = candidates
        .into_iter()
        .filter(|value| is_admitted(*value))
        .collect();
    Ok(json!({ "stops": found, "first": smallest(program, machine) }))
}

/// The smallest values that the program admits.
fn smallest(program: &Program, machine: [i64; 4]) -> Value {
    let points = admissible_points(program, machine, &Parameters::new(), 1);
    let Some(point) = points.first() else {
        return Value::Null;
    };
    let all = point
        .iter()
        .map(|(name, value)| (name.to_owned(), json!(value.to_i64())));
    Value::Object(all.collect())
}

/// The GPU-cost of this program and of others over one parameter, by the models that have it.
pub(crate) fn curve(document: &Document, asked: &Request) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    let chosen = Chosen::of(asked)?;
    let along = asked.text("along");
    let axis = format!("{along}={}", asked.text("at"));
    let axis = Axis::parse(&axis, &|_| true).map_err(|bad| bad.to_string())?;
    let names = match asked.0["models"].as_array() {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => vec!["atgpu", "swgpu"],
    };
    let models: Vec<&'static dyn Model> = names.into_iter().filter_map(find).collect();
    let mut found = over(program, derivation, &chosen, &axis, &models);
    for text in asked.0["others"].as_array().into_iter().flatten() {
        let other = atgpu::program(text.as_str().unwrap_or_default());
        let other = other.map_err(|error| error.to_string())?;
        let derivation = other.derive().map_err(|error| error.to_string())?;
        found.extend(over(&other, &derivation, &chosen, &axis, &models));
    }
    let each = found.iter().map(|curve| {
        json!({
            "program": curve.program,
            "model": curve.model,
            "points": curve.points,
            "exact": curve.is_exact,
        })
    });
    Ok(json!({"curves": each.collect::<Vec<_>>()}))
}

/// The curves of one program: from the formula of each model where it has one, else from bounds, but
/// counted never.
fn over(
    program: &Program,
    derivation: &Derivation,
    chosen: &Chosen,
    axis: &Axis,
    models: &[&'static dyn Model],
) -> Vec<Curve> {
    let machine = &chosen.machine;
    let formulas: Option<Vec<Expr>> = models
        .iter()
        .map(|model| model.symbolic(derivation, machine))
        .collect();
    let mut found: Vec<Curve> = models
        .iter()
        .map(|model| curve_of(program, machine, *model))
        .collect();
    for at in 0..axis.len() {
        let value = axis.value(at);
        let here = Chosen {
            machine: machine.clone(),
            given: chosen.given.clone().with([(&axis.name, value.clone())]),
        };
        let symbols = here.symbols();
        let brief = || Brief::new(FOR_A_POINT);
        let Ok(point) = here.point(program) else {
            continue;
        };
        if !beyond(derivation, &symbols, machine, &brief()).is_empty() {
            continue;
        }
        let Some(formulas) = &formulas else {
            let known = Known::of(program, derivation, &point);
            bounded(known, models, machine, &value, &mut found);
            continue;
        };
        for (formula, curve) in formulas.iter().zip(&mut found) {
            if let Some(ms) = brief().value(formula, &symbols) {
                curve.points.push((value.to_f64(), ms.to_f64()));
            }
        }
    }
    found.retain(|curve| !curve.points.is_empty());
    found
}

/// Adds the points that the upper ends of the counts give, where a model has no formula.
fn bounded(
    known: Known,
    models: &[&'static dyn Model],
    machine: &Machine,
    at: &Rational,
    found: &mut [Curve],
) {
    let Some(counts) = known.counts else {
        return;
    };
    let is_exact = counts.is_exact();
    let counts = counts.upper();
    for (model, curve) in models.iter().zip(found) {
        let estimate = model.estimate(&Subject::of(&counts), machine).ok();
        if let Some(ms) = estimate.as_ref().and_then(|estimate| estimate.headline()) {
            curve.points.push((at.to_f64(), ms.to_f64()));
            curve.is_exact &= is_exact;
        }
    }
}

fn curve_of(program: &Program, machine: &Machine, model: &'static dyn Model) -> Curve {
    Curve {
        program: program.name().to_owned(),
        machine: machine.name.to_string(),
        model: Some(model.name()),
        method: None,
        // A GPU-cost is a time, as in the sweeps that `over` falls back on.
        unit: "ms",
        others: Vec::new(),
        points: Vec::new(),
        is_exact: true,
    }
}

/// The figures of a machine that have a name in formulas.
pub(crate) fn figures(machine: &Machine) -> Value {
    let parameters = machine.parameters();
    let all = parameters.iter();
    let all = all.map(|(name, value)| (name.to_owned(), json!(value.to_f64())));
    Value::Object(all.collect())
}

/// What every model says at a point.
pub(crate) fn models(document: &Document, asked: &Request) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    let chosen = Chosen::of(asked)?;
    let point = chosen.point(program)?;
    let machine = &chosen.machine;
    let costs = program.cost_by(derivation, machine, &chosen.given);
    let costs = costs.map_err(|error| error.to_string())?;
    let rules = machine.rules();
    let b = Parameters::from([("b", machine.atgpu.cores_per_mp)]);
    let under = derive_charged(program, &b, Some(&rules));
    let charged = brief_charges(program, Some(&under), &point, &rules);
    let subject = Subject::of(costs.counts()).with_derivation(derivation);
    let subject = match &charged {
        Some(charged) => subject.with_charges(charged),
        None => subject,
    };
    let each = MODELS.iter().map(|model| {
        let mut told = json!({"name": model.name(), "summary": model.summary()});
        match model.estimate(&subject, machine) {
            Ok(estimate) => {
                told["ms"] = json!(estimate.headline().map(Rational::to_f64));
                told["note"] = json!(estimate.note);
                let times = estimate.figures.iter().filter_map(|figure| {
                    Some(json!([figure.name, estimate.time(figure.name)?.to_f64()]))
                });
                told["figures"] = times.collect();
            }
            Err(missing) => told["missing"] = json!(missing.to_string()),
        }
        told
    });
    Ok(json!({"models": each.collect::<Vec<_>>(), "exact": costs.bounds().is_empty()}))
}
