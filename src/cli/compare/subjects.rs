//! The inputs of a comparison: programs, machines and models, the given values, and the free parameter.

use atgpu::cost::Model;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::interval::unbounded_loops;
use atgpu::machine::{Machine, OVERRIDABLE};
use atgpu::program::ParamId;
use atgpu::program::Program;
use atgpu::text::Known;

use crate::cli::args::{BankConflicts, CompareArgs};
use crate::cli::error::UsageError;
use crate::cli::options::{self, Together};
use crate::cli::program;
use crate::cli::remedy::Remedy;
use crate::cli::reply::Finding;

/// The inputs of a comparison.
pub(super) struct Study {
    pub(super) programs: Vec<Program>,
    pub(super) machines: Vec<Machine>,
    pub(super) models: Vec<&'static dyn Model>,
    pub(super) given: Parameters,
    pub(super) charges_conflicts: bool,
    /// Pairs of a parameter's own name and its common name.
    aliases: Vec<(String, String)>,
}

fn bare(fault: Diagnostic) -> Vec<Finding> {
    vec![Finding::bare(fault)]
}

fn name_fault(
    option: &'static str,
    name: &str,
    problem: &'static str,
    remedy: Remedy,
) -> Vec<Finding> {
    let name = name.to_owned();
    bare(Diagnostic::of(&UsageError::Name {
        option,
        name,
        problem,
        remedy,
    }))
}

impl Study {
    pub(super) fn read(
        args: &CompareArgs,
        findings: &mut Vec<Finding>,
    ) -> Result<Study, Vec<Finding>> {
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
                    faults.extend(Finding::all(program.source(), unbounded));
                    programs.push(program);
                }
                Err(found) => faults.extend(found),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        program::tell_apart(&mut programs, &args.files);
        let varied = args.vary.as_slice();
        let named = [&args.machine[..], &args.model, &args.define];
        let together = Together::read(named, &args.files, &programs, varied)?;
        let study = Study {
            programs,
            models: options::models(&together.models).map_err(bare)?,
            machines: together.machines,
            given: together.given,
            charges_conflicts: args.bank_conflicts == BankConflicts::Charge,
            aliases: aliases(&args.alias)?,
        };
        study.refuse_strangers()?;
        Ok(study)
    }

    /// The common name of a program's parameter: its alias, unless the program has a formal of that name
    /// itself; otherwise its own name.
    pub(super) fn common(&self, program: &Program, id: ParamId) -> String {
        let own = &program.parameter(id).name;
        let other = self.aliases.iter().find(|(from, _)| from == own);
        match other {
            Some((_, to)) if !program.has_formal(to) => to.clone(),
            Some(_) | None => own.clone(),
        }
    }

    /// The common names of all formal parameters, each once.
    fn parameters(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for program in &self.programs {
            for id in program.formals() {
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
                let remedy = Remedy::Known(Known::beside(name, all()));
                return Err(name_fault("-D", name, "no such parameter", remedy));
            }
        }
        for (from, _) in &self.aliases {
            if !self.programs.iter().any(|program| program.has_formal(from)) {
                let remedy = Remedy::Known(Known::All(known));
                return Err(name_fault("--alias", from, "no such parameter", remedy));
            }
        }
        Ok(())
    }

    /// The free parameter, if there is one.
    pub(super) fn varied(&self, wanted: Option<&str>) -> Result<Option<String>, Vec<Finding>> {
        let mut names = self.parameters();
        if wanted == Some("b") {
            names.push("b".to_owned());
        }
        if let Some(name) = wanted {
            if let Some((name, range)) = name.split_once('=') {
                let given = format!("{name}={range}");
                let (name, range) = (name.to_owned(), range.to_owned());
                return Err(name_fault(
                    "--vary",
                    &given,
                    "no range is wanted here",
                    Remedy::NameOfRange { name, range },
                ));
            }
            if !names.iter().any(|known| known == name) {
                let remedy = Remedy::Known(Known::All(names));
                return Err(name_fault("--vary", name, "no such parameter", remedy));
            }
            if self.given.get(name).is_some() {
                let remedy = Remedy::LeaveDefinition(name.to_owned());
                return Err(name_fault("--vary", name, "it has a value already", remedy));
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
        // Two names may stand for one size if no program has both and not every program has the first.
        // `--alias` is then suggested.
        let shared = |name: &String| {
            self.programs.iter().all(|program| {
                let mut own = program.formals().iter();
                own.any(|id| self.common(program, *id) == *name)
            })
        };
        let apart = |from: &String, to: &String| {
            self.programs.iter().all(|program| {
                let has = |name: &String| program.has_formal(name);
                !(has(from) && has(to))
            })
        };
        let pairs = free
            .iter()
            .flat_map(|to| free.iter().map(move |from| (from, to)));
        let same = pairs
            .rev()
            .find(|(from, to)| from != to && !shared(from) && apart(from, to));
        let remedy = if self.programs.len() == 1 {
            Remedy::Each(free.to_vec())
        } else if let Some((from, to)) = same {
            Remedy::AllButOne {
                free: free.to_vec(),
                alias: Some((from.clone(), to.clone())),
            }
        } else {
            let rest = match wanted {
                Some(name) => free.iter().filter(|free| *free != name).cloned().collect(),
                None => free[1..].to_vec(),
            };
            Remedy::AllButOne {
                free: rest,
                alias: None,
            }
        };
        UsageError::Free {
            names: free.iter().map(|name| format!("`{name}`")).collect(),
            remedy,
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        let programs = self.programs.iter();
        programs.map(|program| program.name().to_owned()).collect()
    }

    /// The values that concern a program, under its own names, and the machine with the other values applied.
    pub(super) fn settle(
        &self,
        program: &Program,
        machine: &Machine,
    ) -> Result<(Machine, Parameters), Vec<Finding>> {
        let mut own = Parameters::new();
        for (name, value) in self.given.iter() {
            let mut ids = program.formals().iter();
            match ids.find(|id| self.common(program, **id) == name) {
                Some(id) => own.set(&program.parameter(*id).name, value.clone()),
                None if OVERRIDABLE.contains(&name) => own.set(name, value.clone()),
                None => {}
            }
        }
        let is_formal = |name: &str| program.has_formal(name);
        machine
            .with_overrides(&own, is_formal)
            .map_err(Finding::all_bare)
    }
}

fn aliases(given: &[String]) -> Result<Vec<(String, String)>, Vec<Finding>> {
    given
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((from, to)) => Ok((from.trim().to_owned(), to.trim().to_owned())),
            None => {
                let remedy = Remedy::SecondName(pair.clone());
                Err(name_fault("--alias", pair, "no second name", remedy))
            }
        })
        .collect()
}
