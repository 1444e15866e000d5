//! The options for programs: `-D`, `--machine`, `--model`.

use atgpu::cost::{self, Estimate, MODELS, Model, Subject};
use atgpu::count::{Charged, Counts, Parameters, parse_number};
use atgpu::diag::{Context, Diagnostic, Severity};
use atgpu::lint;
use atgpu::machine::{BUILT_IN, CycleRules, Machine, OVERRIDABLE};
use atgpu::meaning::Point;
use atgpu::program::Program;
use atgpu::text::{Known, nearest};

use crate::cli::args::ProgramOptions;
use crate::cli::config::{Config, Levels};
use crate::cli::error::UsageError;
use crate::cli::files;
use crate::cli::remedy::Remedy;
use crate::cli::reply::Finding;

/// The default machine.
pub const DEFAULT_MACHINE: &str = "gtx650";

/// The options of the command line, the same for every program.
pub struct Asked {
    machine: Option<Machine>,
    parameters: Parameters,
}

impl Asked {
    /// Reads the options.
    pub fn read(options: &ProgramOptions) -> Result<Asked, Vec<Finding>> {
        let machine = options.machine.as_deref().map(machine).transpose()?;
        let parameters = definitions(&options.define).map_err(Finding::all_bare)?;
        Ok(Asked {
            machine,
            parameters,
        })
    }

    /// Adds the defaults of the `atgpu.toml` beside a program.
    pub fn beside(&self, file: &str) -> Result<Given, Vec<Finding>> {
        self.with(Config::beside(file)?)
    }

    fn with(&self, config: Config) -> Result<Given, Vec<Finding>> {
        let named = || machine(config.machine.as_deref().unwrap_or(DEFAULT_MACHINE));
        let machine = self.machine.clone().map_or_else(named, Ok)?;
        Ok(Given {
            machine,
            parameters: self.parameters.clone(),
            defaults: config.values,
            models: config.model,
            lints: config.lints,
        })
    }
}

/// A machine and the values given by name, before they are applied to a program.
pub struct Given {
    /// The machine, without overrides.
    pub machine: Machine,
    /// The values of `-D`.
    pub parameters: Parameters,
    /// The values of `atgpu.toml`.
    defaults: Parameters,
    /// The models of `atgpu.toml`.
    models: Vec<String>,
    /// What lints are worth by `atgpu.toml`.
    pub lints: Levels,
}

impl Given {
    /// Reads the options for one program, or for several together.
    pub fn read(options: &ProgramOptions, files: &[String]) -> Result<Given, Vec<Finding>> {
        Asked::read(options)?.with(Config::beside_all(files)?)
    }

    /// Adds the values of `atgpu.toml` that this program or a machine knows; the command line overrides
    /// them. A value for another parameter belongs to another program.
    pub fn of(&self, program: &Program) -> Given {
        let parameters = known(&self.defaults, std::slice::from_ref(program));
        Given {
            machine: self.machine.clone(),
            parameters: parameters.with(self.parameters.clone()),
            defaults: Parameters::new(),
            models: self.models.clone(),
            lints: self.lints.clone(),
        }
    }

    /// The models of the command line; without any, those of `atgpu.toml`.
    pub fn models<'g>(&'g self, named: &'g [String]) -> &'g [String] {
        match named {
            [] => &self.models,
            _ => named,
        }
    }

    /// As [`Given::for_program`], but refuses names that are neither formals of the program nor parameters
    /// of the machine.
    pub fn refuse_strangers(
        &self,
        program: &Program,
    ) -> Result<(Machine, Parameters), Vec<Finding>> {
        let (machine, formals) = self.for_program(program)?;
        let known: Vec<&str> = program
            .formals()
            .iter()
            .map(|formal| program.parameter(*formal).name.as_str())
            .collect();
        let strangers = formals.iter().filter(|(name, _)| !known.contains(name));
        let faults: Vec<Finding> = strangers
            .map(|(name, _)| {
                let all = known.iter().copied().chain(OVERRIDABLE.iter().copied());
                Finding::bare(Diagnostic::of(&UsageError::Name {
                    option: "-D",
                    name: name.to_owned(),
                    problem: "no such parameter",
                    remedy: Remedy::Known(Known::beside(name, all)),
                }))
            })
            .collect();
        if faults.is_empty() {
            Ok((machine, formals))
        } else {
            Err(faults)
        }
    }

    /// The machine, and the program's point on it, which no `require` and no limit refuses.
    pub fn sound_point(&self, program: &Program) -> Result<(Machine, Point), Vec<Finding>> {
        let within = |faults: Vec<Diagnostic>| Finding::all(program.source(), faults);
        let (machine, formals) = self.for_program(program)?;
        let point = Point::new(program, machine.atgpu.numbers(), &formals).map_err(within)?;
        let mut faults = lint::lint(program, &formals, &machine);
        faults.retain(Diagnostic::is_error);
        if faults.is_empty() {
            Ok((machine, point))
        } else {
            Err(within(faults))
        }
    }

    /// The values of formals, with p, b, M and G if given.
    pub fn facts(&self, formals: &Parameters) -> Parameters {
        let mut facts = formals.clone();
        for name in ["p", "b", "M", "G"] {
            if let (Some(value), None) = (self.parameters.get(name), formals.get(name)) {
                facts.set(name, value.clone());
            }
        }
        facts
    }

    /// The machine with its overrides, and the values of the program's formals.
    pub fn for_program(&self, program: &Program) -> Result<(Machine, Parameters), Vec<Finding>> {
        self.machine
            .with_overrides(&self.parameters, |name| program.has_formal(name))
            .map_err(Finding::all_bare)
    }
}

/// The values whose names a program or a machine knows.
fn known(values: &Parameters, programs: &[Program]) -> Parameters {
    let mut known = values.clone();
    known.retain(|name| {
        let mut programs = programs.iter();
        OVERRIDABLE.contains(&name) || programs.any(|program| program.has_formal(name))
    });
    known
}

/// The options for programs that are processed together.
pub struct Together {
    /// The machines, at least one.
    pub machines: Vec<Machine>,
    /// Names of cost models.
    pub models: Vec<String>,
    /// Values of parameters.
    pub given: Parameters,
}

impl Together {
    /// Reads the command line, with the `atgpu.toml` beside the programs as default. A varied parameter
    /// (`name`, or `name=range`) has no value.
    pub fn read(
        [machines, models, define]: [&[String]; 3],
        files: &[String],
        programs: &[Program],
        varied: &[String],
    ) -> Result<Together, Vec<Finding>> {
        let config = Config::beside_all(files)?;
        let defaults = match machines {
            [] => vec![config.machine.unwrap_or_else(|| DEFAULT_MACHINE.to_owned())],
            _ => Vec::new(),
        };
        let named = machines.iter().chain(&defaults);
        let machines = named.map(|name| machine(name)).collect::<Result<_, _>>()?;
        let given = definitions(define).map_err(Finding::all_bare)?;
        let varied = varied.iter().filter_map(|given| given.split('=').next());
        let varied: Parameters = varied.map(|name| (name.trim(), 0)).collect();
        let mut values = known(&config.values, programs);
        values.retain(|name| varied.get(name).is_none());
        Ok(Together {
            machines,
            models: match models {
                [] => config.model,
                _ => models.to_vec(),
            },
            given: values.with(given),
        })
    }
}

/// Returns a built-in machine by name, or one from a file.
pub fn machine(name: &str) -> Result<Machine, Vec<Finding>> {
    machine_for("--machine", name)
}

/// As [`machine`], with the name of another option or command for its diagnostics.
pub fn machine_for(option: &'static str, name: &str) -> Result<Machine, Vec<Finding>> {
    if let Some(machine) = Machine::built_in(&name.to_lowercase()) {
        return Ok(machine);
    }
    let is_path = name.contains(['.', '/', '\\']) || name == "-";
    if !is_path {
        let names = BUILT_IN.iter().map(|(name, _)| *name);
        let fault = UsageError::Name {
            option,
            name: name.to_owned(),
            problem: "no such machine",
            remedy: Remedy::Machines {
                near: nearest(name, names.clone()).map(str::to_owned),
                built_in: names.map(str::to_owned).collect(),
                file: format!("{option} {name}.toml"),
            },
        };
        return Err(vec![Finding::bare(Diagnostic::of(&fault))]);
    }
    let source = files::read_source(name).map_err(|fault| vec![Finding::bare(fault)])?;
    Machine::from_toml(source.text()).map_err(|faults| Finding::all(&source, faults))
}

/// Parses all `-D name=value`.
pub fn definitions(given: &[String]) -> Result<Parameters, Vec<Diagnostic>> {
    let mut parameters = Parameters::new();
    let mut faults = Vec::new();
    for definition in given {
        let Some((name, value)) = definition.split_once('=') else {
            faults.push(Diagnostic::of(&UsageError::Definition {
                given: definition.clone(),
            }));
            continue;
        };
        match parse_number(value) {
            Ok(value) => parameters.set(name.trim(), value),
            // `-D n=1,m=2` splits into `n` and `1,m=2`: two parameters were meant. `-D n=1..5` and `-D
            // n=1,2` give one parameter several values.
            Err(_) if value.contains('=') => {
                let parts = definition.split(',').map(|part| part.trim().to_owned());
                faults.push(Diagnostic::of(&UsageError::SeveralParameters {
                    given: definition.clone(),
                    parts: parts.collect(),
                }));
            }
            Err(_) if value.contains("..") || value.contains(',') => {
                faults.push(Diagnostic::of(&UsageError::SeveralValues {
                    name: name.trim().to_owned(),
                    given: value.to_owned(),
                }));
            }
            Err(problem) => faults.push(Diagnostic::of(&UsageError::Number {
                name: name.trim().to_owned(),
                problem,
            })),
        }
    }
    if faults.is_empty() {
        Ok(parameters)
    } else {
        Err(faults)
    }
}

/// Returns the named models once each, in the order of the list; by default atgpu and swgpu.
pub fn models(names: &[String]) -> Result<Vec<&'static dyn Model>, Diagnostic> {
    for name in names {
        if name != "all" && cost::find(name).is_none() {
            let known = MODELS.iter().map(|model| model.name());
            let known = Known::beside(name, known);
            return Err(Diagnostic::of(&UsageError::Name {
                option: "--model",
                name: name.clone(),
                problem: "no such model",
                remedy: Remedy::Models {
                    known,
                    or_all: true,
                },
            }));
        }
    }
    let wanted = |model: &&dyn Model| match names {
        [] => ["atgpu", "swgpu"].contains(&model.name()),
        names => names
            .iter()
            .any(|name| name == "all" || name == model.name()),
    };
    Ok(MODELS.iter().copied().filter(wanted).collect())
}

/// A model that comes in where none is named; `None` if one is, or if the machine lacks a figure that it needs.
pub fn unasked(name: &str, named: &[String], machine: &Machine) -> Option<&'static dyn Model> {
    let model = cost::find(name).filter(|_| named.is_empty())?;
    silent(&[model], &[], machine).is_empty().then_some(model)
}

/// The charging rules of the machine, if one of the models needs charges.
pub fn cycle_rules(
    models: &[&'static dyn Model],
    machine: &Machine,
) -> Result<Option<CycleRules>, Diagnostic> {
    let mut cycle_rules = None;
    for model in models.iter().filter(|model| model.needs_charges()) {
        let rules = model.charges_by(machine);
        cycle_rules = Some(rules.map_err(|missing| Diagnostic::of(&missing))?);
    }
    Ok(cycle_rules)
}

/// Leaves out models that were not named and lack figures of the machine, with notes that name them. Counts
/// and checks need no model, and `all` means all models that work.
pub fn keep_estimable(
    models: &mut Vec<&'static dyn Model>,
    names: &[String],
    machine: &Machine,
) -> Vec<Diagnostic> {
    let silent = silent(models, names, machine);
    let mut notes = left_out(&silent);
    notes.extend(machine.beyond_memory());
    models.retain(|model| silent.iter().all(|(name, _)| *name != model.name()));
    notes
}

/// The unnamed models that lack a figure of the machine, each with the missing figure.
pub fn silent(
    models: &[&'static dyn Model],
    names: &[String],
    machine: &Machine,
) -> Vec<(&'static str, Diagnostic)> {
    let counts = atgpu::study::one_of_everything();
    let charged = Charged::default();
    let missing = |model: &dyn Model| {
        if model.needs_charges() {
            let cycle_rules = model.charges_by(machine);
            cycle_rules.map_err(|missing| Diagnostic::of(&missing))?;
        }
        let subject = Subject::of(&counts).with_charges(&charged);
        let estimate = model.estimate(&subject, machine);
        estimate.map_err(|missing| Diagnostic::of(&missing))
    };
    models
        .iter()
        .filter(|model| !names.iter().any(|name| name == model.name()))
        .filter_map(|model| Some((model.name(), missing(*model).err()?)))
        .collect()
}

/// A note for each missing figure, with the models that lack it.
pub fn left_out(silent: &[(&'static str, Diagnostic)]) -> Vec<Diagnostic> {
    let mut reasons: Vec<(&Diagnostic, Vec<&'static str>)> = Vec::new();
    for (name, why) in silent {
        match reasons
            .iter_mut()
            .find(|(known, _)| known.message == why.message)
        {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    let note = |(why, names): (&Diagnostic, Vec<&'static str>)| {
        let mut note = why.clone().with_severity(Severity::Note);
        note.message = why.message.clone().within(Context::Models { names });
        note
    };
    reasons.into_iter().map(note).collect()
}

/// Returns true if a model has a cost here, or would have one with more figures of the machine.
pub fn has_cost(model: &dyn Model, machine: &Machine) -> bool {
    let estimate = model.estimate(&Subject::of(&Counts::default()), machine);
    estimate.map_or(true, |estimate| estimate.headline().is_some())
}

/// Whether a model tells the time of kernels here, or would if the machine said more.
pub fn has_kernel_time(model: &dyn Model, machine: &Machine) -> bool {
    let (counts, charged) = (Counts::default(), Charged::default());
    let subject = Subject::of(&counts).with_charges(&charged);
    let time = model.kernel_time(&subject, machine);
    !matches!(time, Ok(None))
}

/// The estimate of each model for these counts.
pub fn estimates(
    models: &[&'static dyn Model],
    subject: &Subject<'_>,
    machine: &Machine,
) -> Result<Vec<(&'static str, Estimate)>, Diagnostic> {
    models
        .iter()
        .map(|model| match model.estimate(subject, machine) {
            Ok(estimate) => Ok((model.name(), estimate)),
            Err(missing) => Err(Diagnostic::of(&missing)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(list: &[&str]) -> Result<Parameters, Vec<Diagnostic>> {
        definitions(
            &list
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn definitions_are_exact_and_the_last_wins() {
        let parameters = given(&["n=2^20", "alpha=0.01", "k′=3", "n=5"]).expect("numbers");
        assert_eq!(parameters.get("n"), Some(&5.into()));
        assert_eq!(
            parameters.get("α").map(ToString::to_string).as_deref(),
            Some("1/100")
        );
        assert_eq!(parameters.get("k'"), Some(&3.into()));
        for bad in ["n", "n=", "n=x", "n=1/2", "=", "n==3"] {
            let faults = given(&[bad, "m=1"]).expect_err(bad);
            assert_eq!(faults[0].code.short_name(), "usage::value", "{bad}");
        }
    }

    #[test]
    fn models_are_chosen_by_name() {
        let names = |list: &[&str]| -> Vec<&str> {
            let list: Vec<String> = list.iter().map(|text| (*text).to_owned()).collect();
            let chosen = models(&list).expect("known");
            chosen.iter().map(|model| model.name()).collect()
        };
        assert_eq!(names(&[]), ["atgpu", "swgpu"]);
        assert_eq!(names(&["agpu", "atgpu", "agpu"]), ["atgpu", "agpu"]);
        assert_eq!(names(&["all"]).len(), MODELS.len());
        assert!(models(&["atgup".into()]).is_err());
    }

    #[test]
    fn unknown_machines_are_usage_faults_and_missing_files_file_faults() {
        let code = |name| {
            machine(name).expect_err(name)[0]
                .diagnostic
                .code
                .short_name()
        };
        assert_eq!(code("gtx651"), "usage::value");
        assert_eq!(code("none.toml"), "file::unreadable");
        assert!(machine("gtx650").is_ok());
    }
}
