//! `atgpu compare`: programs × machines × models side by side, and from which n one beats another.

use atgpu::check::Program;
use atgpu::check::program::ParamId;
use atgpu::cost::{Model, Subject};
use atgpu::count::{Counts, Parameters};
use atgpu::derive::Derivation;
use atgpu::derive::steps::{CountOptions, TEN_SECONDS, unbounded_loops};
use atgpu::diag::{Diagnostic, Severity};
use atgpu::machine::{Machine, OVERRIDABLE};
use atgpu::number::{BigInt, Rational};
use atgpu::report::comparison::{self, Comparison, Duel, Row};
use atgpu::report::json;
use atgpu::study::crossover::last_that_fits;
use atgpu::study::{Contender, Crossover, crossover};
use atgpu::sym::Expr;
use atgpu::text::nearest;
use atgpu::value::Point;
use atgpu::vet::{self, vet};

use crate::cli::args::{CompareArgs, CompareFormat};
use crate::cli::cost::count;
use crate::cli::error::UsageError;
use crate::cli::options;
use crate::cli::patience;
use crate::cli::program;
use crate::cli::reply::{Body, Finding, Reply};

/// Compares programs.
pub fn compare(args: &CompareArgs) -> Reply {
    let mut findings = Vec::new();
    match compared(args, &mut findings) {
        Ok(body) => Reply {
            several_files: args.files.len() > 1,
            ..Reply::with(body, findings)
        },
        Err(faults) => {
            findings.extend(faults);
            Reply {
                several_files: args.files.len() > 1,
                ..Reply::faults(findings, args.format == CompareFormat::Json)
            }
        }
    }
}

fn compared(args: &CompareArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let study = Study::read(args, findings)?;
    let varied = study.varied(args.vary.as_deref())?;
    let mut comparison = Comparison {
        programs: study.names(),
        parameters: study.given.clone(),
        rows: Vec::new(),
        duels: Vec::new(),
    };
    for machine in &study.machines {
        match &varied {
            None => {
                for at in 0..study.programs.len() {
                    comparison.rows.push(study.row(at, machine, findings)?);
                }
            }
            Some(name) => comparison.duels.extend(study.duels(machine, name)?),
        }
    }
    Ok(match args.format {
        CompareFormat::Text => Body::Text(comparison::text(&comparison)),
        CompareFormat::Json => Body::Json(Some(json::comparison(&comparison))),
        CompareFormat::Csv => Body::Text(comparison::csv(&comparison)),
        CompareFormat::Markdown => Body::Text(comparison::markdown(&comparison)),
    })
}

/// What is compared.
struct Study {
    programs: Vec<Program>,
    machines: Vec<Machine>,
    models: Vec<&'static dyn Model>,
    given: Parameters,
    /// Pairs of a program's own name and the name it goes by.
    aliases: Vec<(String, String)>,
}

fn bare(fault: Diagnostic) -> Vec<Finding> {
    vec![Finding::bare(fault)]
}

fn name_fault(
    option: &'static str,
    name: &str,
    problem: &'static str,
    help: String,
) -> Vec<Finding> {
    let name = name.to_owned();
    bare(Diagnostic::of(&UsageError::Name {
        option,
        name,
        problem,
        help,
    }))
}

impl Study {
    fn read(args: &CompareArgs, findings: &mut Vec<Finding>) -> Result<Study, Vec<Finding>> {
        let models = options::models(&args.model).map_err(bare)?;
        let given = options::definitions(&args.define)
            .map_err(|faults| faults.into_iter().map(Finding::bare).collect::<Vec<_>>())?;
        let machines: Vec<Machine> = args
            .machine
            .iter()
            .map(|name| options::machine(name))
            .collect::<Result<_, _>>()?;
        if args.files.iter().filter(|file| *file == "-").count() > 1 {
            return Err(bare(Diagnostic::of(&UsageError::StandardInputTwice)));
        }
        let mut programs = Vec::new();
        let mut faults = Vec::new();
        for file in &args.files {
            match program::load_sound(file) {
                Ok((program, found)) => {
                    findings.extend(found);
                    let unbounded = unbounded_loops(&program);
                    faults.extend(Finding::all(&program.source, unbounded));
                    programs.push(program);
                }
                Err(found) => faults.extend(found),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        program::tell_apart(&mut programs, &args.files);
        let study = Study {
            programs,
            machines,
            models,
            given,
            aliases: aliases(&args.alias)?,
        };
        study.refuse_strangers()?;
        Ok(study)
    }

    /// The name a program's parameter goes by: its own, unless it was given another that the
    /// program does not have itself.
    fn common(&self, program: &Program, id: ParamId) -> String {
        let own = &program.parameter(id).name;
        let other = self.aliases.iter().find(|(from, _)| from == own);
        match other {
            Some((_, to)) if !formals(program).any(|name| name == to) => to.clone(),
            Some(_) | None => own.clone(),
        }
    }

    /// The names of all formal parameters, each once.
    fn parameters(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for program in &self.programs {
            for id in &program.formals {
                let name = self.common(program, *id);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    fn refuse_strangers(&self) -> Result<(), Vec<Finding>> {
        let known = self.parameters();
        let all = || {
            known
                .iter()
                .map(String::as_str)
                .chain(OVERRIDABLE.iter().copied())
        };
        for (name, _) in self.given.iter() {
            if !all().any(|known| known == name) {
                let help = match nearest(name, all()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", all().collect::<Vec<_>>().join(", ")),
                };
                return Err(name_fault("-D", name, "no such parameter", help));
            }
        }
        for (from, _) in &self.aliases {
            if !self
                .programs
                .iter()
                .any(|program| formals(program).any(|name| name == from))
            {
                let help = format!("there are {}", known.join(", "));
                return Err(name_fault("--alias", from, "no such parameter", help));
            }
        }
        Ok(())
    }

    /// The parameter left over, if there is one.
    fn varied(&self, wanted: Option<&str>) -> Result<Option<String>, Vec<Finding>> {
        let names = self.parameters();
        if let Some(name) = wanted {
            if let Some((name, range)) = name.split_once('=') {
                let help = format!(
                    "write `--vary {name}`: all its values are looked at; `sweep` and `plot` take \
                     `--vary {name}={range}`"
                );
                let given = format!("{name}={range}");
                return Err(name_fault(
                    "--vary",
                    &given,
                    "no range is wanted here",
                    help,
                ));
            }
            if !names.iter().any(|known| known == name) {
                let help = format!("there are {}", names.join(", "));
                return Err(name_fault("--vary", name, "no such parameter", help));
            }
            if self.given.get(name).is_some() {
                let help = format!("leave `-D {name}=…` away");
                return Err(name_fault("--vary", name, "it has a value already", help));
            }
        }
        let free: Vec<String> = names
            .iter()
            .filter(|name| self.given.get(name).is_none())
            .cloned()
            .collect();
        let others: Vec<String> = free
            .iter()
            .filter(|name| wanted != Some(name.as_str()))
            .cloned()
            .collect();
        match (free.as_slice(), others.as_slice()) {
            ([], _) => Ok(None),
            ([one], _) if self.programs.len() > 1 => Ok(Some(one.clone())),
            (_, []) if self.programs.len() > 1 => Ok(wanted.map(str::to_owned)),
            _ => Err(bare(Diagnostic::of(&self.too_many_free(&free, wanted)))),
        }
    }

    fn too_many_free(&self, free: &[String], wanted: Option<&str>) -> UsageError {
        let shared = |name: &String| {
            self.programs.iter().all(|program| {
                let mut own = program.formals.iter();
                own.any(|id| self.common(program, *id) == *name)
            })
        };
        let give = |list: &[String]| {
            let list: Vec<String> = list.iter().map(|name| format!("`-D {name}=…`")).collect();
            list.join(" ")
        };
        let apart = |from: &String, to: &String| {
            self.programs.iter().all(|program| {
                let has = |name: &String| formals(program).any(|formal| formal == name);
                !(has(from) && has(to))
            })
        };
        let pairs = free
            .iter()
            .flat_map(|to| free.iter().map(move |from| (from, to)));
        let same = pairs
            .rev()
            .find(|(from, to)| from != to && !shared(from) && apart(from, to));
        let help = if self.programs.len() == 1 {
            format!(
                "give {}; with one left over, at least two programs are compared",
                give(free)
            )
        } else if let Some((from, to)) = same {
            format!(
                "give all but one of them: {}; if `{from}` and `{to}` are the same size, say \
                 `--alias {from}={to}`",
                give(free)
            )
        } else {
            let rest: Vec<String> = match wanted {
                Some(name) => free.iter().filter(|free| *free != name).cloned().collect(),
                None => free[1..].to_vec(),
            };
            format!("give all but one: {}", give(&rest))
        };
        UsageError::Free {
            names: free.iter().map(|name| format!("`{name}`")).collect(),
            help,
        }
    }

    fn names(&self) -> Vec<String> {
        let programs = self.programs.iter();
        programs.map(|program| program.name.clone()).collect()
    }

    /// What a program knows of the values given, by its own names, and the machine with the rest.
    fn settle(
        &self,
        program: &Program,
        machine: &Machine,
    ) -> Result<(Machine, Parameters), Vec<Finding>> {
        let mut own = Parameters::new();
        for (name, value) in self.given.iter() {
            let mut ids = program.formals.iter();
            match ids.find(|id| self.common(program, **id) == name) {
                Some(id) => own.set(&program.parameter(*id).name, value.clone()),
                None if OVERRIDABLE.contains(&name) => own.set(name, value.clone()),
                None => {}
            }
        }
        let is_formal = |name: &str| formals(program).any(|formal| formal == name);
        machine
            .with_overrides(&own, is_formal)
            .map_err(|faults| faults.into_iter().map(Finding::bare).collect())
    }

    /// A program on a machine with every parameter given.
    fn row(
        &self,
        at: usize,
        machine: &Machine,
        findings: &mut Vec<Finding>,
    ) -> Result<Row, Vec<Finding>> {
        let program = &self.programs[at];
        let (settled, formals) = self.settle(program, machine)?;
        let mut row = Row {
            program: at,
            machine: machine.name.to_string(),
            totals: Err(String::new()),
            is_exact: false,
            has_exact_charges: true,
            estimates: Vec::new(),
        };
        let mut fault = |faults: Vec<Diagnostic>, row: &mut Row| {
            row.totals = Err(faults[0].message.clone());
            row.estimates = self
                .models
                .iter()
                .map(|model| (model.name(), Err(faults[0].message.clone())))
                .collect();
            findings.extend(Finding::all(&program.source, faults));
        };
        let point = match Point::new(program, settled.atgpu.numbers(), &formals) {
            Ok(point) => point,
            Err(faults) => {
                fault(faults, &mut row);
                return Ok(row);
            }
        };
        let mut faults = vet(program, &formals, &settled);
        faults.retain(Diagnostic::is_error);
        if !faults.is_empty() {
            fault(faults, &mut row);
            return Ok(row);
        }
        let needs = self.models.iter().any(|model| model.needs_charges());
        let tariff = if needs { settled.tariff().ok() } else { None };
        let options = CountOptions {
            charge_conflicts: false,
            work_limit: Some(TEN_SECONDS),
            tariff,
        };
        let (numbers, derivation) = match count(program, &point, &options) {
            Ok(counted) => counted,
            Err(found) => {
                fault(vec![found], &mut row);
                return Ok(row);
            }
        };
        let exceeded = vet::exceeded(program, &settled, &numbers);
        if !exceeded.is_empty() {
            fault(exceeded, &mut row);
            return Ok(row);
        }
        let subject = Subject {
            counts: &numbers.counts,
            charges: numbers.charges.as_ref(),
            derivation: derivation.as_ref(),
        };
        for model in &self.models {
            let missing = match settled.tariff() {
                Err(missing) if model.needs_charges() => Some(Diagnostic::of(&missing)),
                Ok(_) | Err(_) => None,
            };
            let estimate = match missing {
                Some(missing) => Err(missing),
                None => model
                    .estimate(&subject, &settled)
                    .map_err(|missing| Diagnostic::of(&missing)),
            };
            let cell = estimate.map_err(|mut missing| {
                let message = missing.message.clone();
                // The rest of the table stands; the same of every program is said once.
                missing.severity = Severity::Note;
                missing.message = format!("{} by {}: {message}", machine.name, model.name());
                let known = findings
                    .iter()
                    .any(|old| old.diagnostic.message == missing.message);
                if !known {
                    findings.push(Finding::bare(missing));
                }
                message
            });
            row.estimates.push((model.name(), cell));
        }
        row.is_exact = numbers.bounds.is_empty();
        row.has_exact_charges = numbers.charge_bounds.is_empty();
        row.totals = Ok(numbers.counts.totals);
        Ok(row)
    }

    /// Every two programs on a machine, by every model that has a cost.
    fn duels(&self, machine: &Machine, varied: &str) -> Result<Vec<Duel>, Vec<Finding>> {
        let mut sides = Vec::new();
        for program in &self.programs {
            sides.push(self.side(program, machine, varied)?);
        }
        let mut duels = Vec::new();
        for model in self
            .models
            .iter()
            .filter(|model| has_cost(**model, machine))
        {
            let costs: Vec<Result<Expr, String>> =
                sides.iter().map(|side| side.cost(*model)).collect();
            for left in 0..sides.len() {
                for right in left + 1..sides.len() {
                    duels.push(Duel {
                        left,
                        right,
                        machine: machine.name.to_string(),
                        b: sides[left].machine.atgpu.cores_per_mp,
                        model: model.name(),
                        variable: varied.to_owned(),
                        outcome: outcome(
                            [&sides[left], &sides[right]],
                            [&costs[left], &costs[right]],
                        ),
                        fits: [sides[left].fits(), sides[right].fits()],
                    });
                }
            }
        }
        Ok(duels)
    }

    fn side<'p>(
        &self,
        program: &'p Program,
        machine: &Machine,
        varied: &str,
    ) -> Result<Side<'p>, Vec<Finding>> {
        let (settled, fixed) = self.settle(program, machine)?;
        let mut ids = program.formals.iter();
        let parameter = ids.find(|id| self.common(program, **id) == varied).copied();
        Ok(Side {
            plain: patience::derivation(program, &Parameters::new()),
            program,
            parameter,
            fixed,
            machine: settled,
        })
    }
}

/// Whether a model has a cost here, or would have one if the machine said more.
fn has_cost(model: &dyn Model, machine: &Machine) -> bool {
    let estimate = model.estimate(&Subject::of(&Counts::default()), machine);
    estimate.map_or(true, |estimate| estimate.headline().is_some())
}

/// A program on a machine with one parameter left over.
struct Side<'p> {
    program: &'p Program,
    parameter: Option<ParamId>,
    fixed: Parameters,
    machine: Machine,
    /// In symbols throughout: that closes more than numbers do.
    plain: Option<Derivation>,
}

impl Side<'_> {
    /// The cost in the parameter left over alone, or why there is none.
    fn cost(&self, model: &dyn Model) -> Result<Expr, String> {
        let name = &self.program.name;
        let charged;
        let derivation = if model.needs_charges() {
            let tariff = self
                .machine
                .tariff()
                .map_err(|missing| missing.to_string())?;
            let b = [("b", self.machine.atgpu.cores_per_mp)]
                .into_iter()
                .collect();
            charged = patience::charged(self.program, &b, Some(&tariff));
            charged.as_ref()
        } else {
            self.plain.as_ref()
        };
        let derivation = derivation.ok_or_else(|| format!("`{name}` takes too long to derive"))?;
        let cost = model.symbolic(derivation, &self.machine);
        let cost = self.in_numbers(&cost.ok_or_else(|| self.why_not(model, derivation))?);
        let own = self.parameter.map(|id| &self.program.parameter(id).name);
        match cost
            .symbols()
            .iter()
            .find(|symbol| own.is_none_or(|own| *own != *symbol.name))
        {
            Some(other) => Err(format!("the cost of `{name}` depends on `{}`", other.name)),
            None => Ok(cost),
        }
    }

    /// All but the parameter left over in numbers.
    fn in_numbers(&self, form: &Expr) -> Expr {
        let machine = ["p", "b", "M", "G"]
            .into_iter()
            .zip(self.machine.atgpu.numbers());
        let machine = machine.map(|(name, number)| (name, Rational::from(number)));
        let mut values: Vec<(&str, Rational)> = self
            .fixed
            .iter()
            .map(|(name, value)| (name, value.clone()))
            .collect();
        for (name, number) in machine {
            if !formals(self.program).any(|formal| formal == name) {
                values.push((name, number));
            }
        }
        form.symbols().iter().fold(form.clone(), |form, symbol| {
            match values.iter().find(|(name, _)| *name == &*symbol.name) {
                Some((_, value)) => form.substitute(symbol, &Expr::rational(value.clone())),
                None => form,
            }
        })
    }

    fn why_not(&self, model: &dyn Model, derivation: &Derivation) -> String {
        let name = &self.program.name;
        let nothing = Counts::default();
        if let Err(missing) = model.estimate(&Subject::of(&nothing), &self.machine)
            && !model.needs_charges()
        {
            return missing.to_string();
        }
        let bounds = derivation.bounds.iter();
        let loss = bounds.clone().find(|bound| bound.quantity == "gpu_cost");
        match loss.or(bounds.clone().next()) {
            Some(loss) => format!(
                "`{name}` has no exact formula (line {}: {}); with every parameter given there is a table",
                loss.line, loss.reason
            ),
            None => format!("`{name}` has no exact formula"),
        }
    }

    /// The largest value with which the program's memory fits the machine; none where all do.
    fn fits(&self) -> Option<BigInt> {
        let derivation = self.plain.as_ref()?;
        let totals = &derivation.totals;
        let most = [
            (
                totals.global.upper.as_ref()?,
                self.machine.atgpu.global_words,
            ),
            (
                totals.shared.upper.as_ref()?,
                self.machine.atgpu.shared_words,
            ),
        ];
        let most = most.map(|(words, capacity)| (self.in_numbers(words), capacity));
        last_that_fits(|value| {
            most.iter().all(|(words, capacity)| {
                let number = Rational::from(value);
                let words = words.evaluate(&|_| Some(number.clone()));
                words.is_ok_and(|words| words <= Rational::from(*capacity))
            })
        })
    }

    fn contender(&self, cost: &Expr) -> Contender<'_> {
        Contender {
            program: self.program,
            parameter: self.parameter,
            fixed: self.fixed.clone(),
            machine: self.machine.atgpu.numbers(),
            cost: cost.clone(),
        }
    }
}

fn outcome(sides: [&Side<'_>; 2], costs: [&Result<Expr, String>; 2]) -> Result<Crossover, String> {
    let [left, right] = costs;
    let left = left.as_ref().map_err(Clone::clone)?;
    let right = right.as_ref().map_err(Clone::clone)?;
    crossover(&sides[0].contender(left), &sides[1].contender(right))
        .ok_or_else(|| "a formula has no value at some point".to_owned())
}

fn formals(program: &Program) -> impl Iterator<Item = &str> {
    let ids = program.formals.iter();
    ids.map(|id| program.parameter(*id).name.as_str())
}

fn aliases(given: &[String]) -> Result<Vec<(String, String)>, Vec<Finding>> {
    given
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((from, to)) => Ok((from.trim().to_owned(), to.trim().to_owned())),
            None => {
                let help = format!("write `--alias {pair}=n`");
                Err(name_fault("--alias", pair, "no second name", help))
            }
        })
        .collect()
}
