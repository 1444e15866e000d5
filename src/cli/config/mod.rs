//! `atgpu.toml` beside or above the programs: defaults for the machine, the models and the values, and the levels of
//! lints, for commands and editors.

mod levels;
mod lookup;

pub use levels::{LEVELS, Level, Levels, names as lint_names};
pub use lookup::{file_in, paths};

use std::path::Path;

use atgpu::cost::{self, MODELS};
use atgpu::count::{Parameters, parse_number};
use atgpu::diag::{Diagnostic, Edit, Fix};
use atgpu::machine::{BUILT_IN, Machine};
use atgpu::text::{Known, Source, Span, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::cli::error::{SettingError, UsageError};
use crate::cli::remedy::Remedy;
use crate::cli::reply::Finding;

/// The file's name.
pub const NAME: &str = "atgpu.toml";

/// The keys with their meanings.
pub const KEYS: [(&str, &str); 5] = [
    (
        "machine",
        "a built-in machine, or a machine file beside this one",
    ),
    ("model", "a cost model, or a list of them"),
    ("hints", "what editors show behind the lines"),
    ("values", "parameters of programs or of the machine"),
    ("lints", "lints to allow, to warn of or to deny"),
];

/// The choices for the hints of editors.
pub const HINTS: [&str; 3] = ["off", "blocks", "all"];

/// The contents of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// A built-in machine, or the path of a machine file.
    pub machine: Option<String>,
    /// Cost models.
    pub model: Vec<String>,
    /// Values of parameters.
    pub values: Parameters,
    /// The hints of editors.
    pub hints: Option<String>,
    /// What lints are worth.
    pub lints: Levels,
}

impl Config {
    /// Reads the nearest file from the folder of a program upwards. Without one, everything is default.
    pub fn beside(program: &str) -> Result<Config, Vec<Finding>> {
        let found = lookup::nearest_file(program).map_err(|fault| vec![Finding::bare(fault)])?;
        let Some((source, folder)) = found else {
            return Ok(Config::default());
        };
        match read(&source, &folder) {
            (config, faults) if faults.is_empty() => Ok(config),
            (_, faults) => Err(Finding::all(&source, faults)),
        }
    }

    /// Reads the files beside programs that are processed together. Files in several folders have to agree.
    pub fn beside_all(programs: &[String]) -> Result<Config, Vec<Finding>> {
        let mut said: Option<(&String, Config)> = None;
        let folder = |program: &String| Path::new(program).parent().map(Path::to_owned);
        for program in programs {
            let is_read = |(first, _): &(&String, Config)| folder(first) == folder(program);
            if said.as_ref().is_some_and(is_read) {
                continue;
            }
            let config = Config::beside(program)?;
            match &said {
                None => said = Some((program, config)),
                Some((_, first)) if *first == config => {}
                Some((first, _)) => {
                    let fault = UsageError::SettingsDiffer {
                        first: (*first).clone(),
                        second: program.clone(),
                    };
                    return Err(vec![Finding::bare(Diagnostic::of(&fault))]);
                }
            }
        }
        Ok(said.map(|(_, config)| config).unwrap_or_default())
    }
}

/// Parses a text: its valid settings, and its faults. `folder` is the folder of the file.
pub fn read(source: &Source, folder: &Path) -> (Config, Vec<Diagnostic>) {
    let mut reader = Reader {
        folder,
        config: Config::default(),
        faults: Vec::new(),
    };
    match DeTable::parse(source.text()) {
        Ok(root) => reader.table(root.get_ref()),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            reader.fault(&SettingError::NotToml {
                message: error.message().to_owned(),
                span: Span::new(span.start, span.end),
            });
        }
    }
    let Reader {
        config, mut faults, ..
    } = reader;
    faults.sort_by_key(|fault| fault.primary().map(|label| label.span));
    (config, faults)
}

struct Reader<'f> {
    folder: &'f Path,
    config: Config,
    faults: Vec<Diagnostic>,
}

type Value<'v> = Spanned<DeValue<'v>>;

impl Reader<'_> {
    fn fault(&mut self, error: &SettingError) {
        self.faults.push(Diagnostic::of(error));
    }

    fn table(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "machine" => self.config.machine = self.machine(value),
                "model" => self.config.model = self.models(value),
                "values" => self.values(value),
                "hints" => self.config.hints = self.hints(value),
                "lints" => self.lints(value),
                name => self.unknown(name, span_of(key), &KEYS.map(|(key, _)| key)),
            }
        }
    }

    /// Reports an unknown key, with a fix if a known one is near.
    fn unknown(&mut self, name: &str, span: Span, keys: &[&str]) {
        let known = Known::beside(name, keys.iter().copied());
        let key = name.to_owned();
        self.fault(&SettingError::Key { key, known, span });
        self.mend(span, name, keys, "");
    }

    fn lints(&mut self, value: &Value<'_>) {
        let Some(table) = value.get_ref().as_table() else {
            let expected = "a table: `[lints]`, then a `name = \"allow\"` a line";
            self.wrong("lints", value, expected);
            return;
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let Some(lint) = levels::find(name) else {
                let names: Vec<&str> = levels::names().collect();
                self.unknown(name, span_of(key), &names);
                continue;
            };
            let Some(word) = value.get_ref().as_str() else {
                self.wrong(name, value, "\"allow\", \"warn\" or \"deny\"");
                continue;
            };
            match Level::named(word) {
                Some(level) => self.config.lints.set(lint, level),
                None => {
                    let remedy = Remedy::Known(Known::beside(word, LEVELS));
                    self.name("lints", value, "no such level", remedy, &LEVELS);
                }
            }
        }
    }

    /// Adds a fix to the last fault if a known name is near.
    fn mend(&mut self, span: Span, name: &str, names: &[&str], quote: &str) {
        let near = nearest(name, names.iter().copied());
        if let (Some(near), Some(fault)) = (near, self.faults.last_mut()) {
            let text = format!("{quote}{near}{quote}");
            fault.fixes.push(Fix {
                title: format!("write `{near}`"),
                edits: vec![Edit { span, text }],
                preferred: true,
            });
        }
    }

    fn wrong(&mut self, key: &str, value: &Value<'_>, expected: &'static str) {
        self.fault(&SettingError::Value {
            key: key.to_owned(),
            found: kind(value.get_ref()),
            expected,
            span: span_of(value),
        });
    }

    fn machine(&mut self, value: &Value<'_>) -> Option<String> {
        let Some(name) = value.get_ref().as_str() else {
            self.wrong("machine", value, "a name or a file, in quotes");
            return None;
        };
        if Machine::built_in(&name.to_lowercase()).is_some() {
            return Some(name.to_owned());
        }
        let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        if !name.contains(['.', '/', '\\']) {
            let remedy = Remedy::Known(Known::beside(name, names.iter().copied()));
            self.name("machine", value, "no such machine", remedy, &names);
            return None;
        }
        let path = self.folder.join(name);
        if !path.is_file() {
            let problem = "there is no such file beside this one";
            self.name("machine", value, problem, Remedy::MachineFile, &[]);
            return None;
        }
        Some(path.display().to_string())
    }

    /// Reports an unknown name, with a fix if a known name is near.
    fn name(
        &mut self,
        key: &'static str,
        value: &Value<'_>,
        problem: &'static str,
        remedy: Remedy,
        names: &[&str],
    ) {
        let (name, span) = (value.get_ref().as_str().unwrap_or_default(), span_of(value));
        self.fault(&SettingError::Name {
            key,
            name: name.to_owned(),
            problem,
            remedy,
            span,
        });
        self.mend(span, name, names, "\"");
    }

    fn models(&mut self, value: &Value<'_>) -> Vec<String> {
        let one = std::slice::from_ref(value);
        let list = value.get_ref().as_array().map_or(one, |list| &list[..]);
        list.iter().filter_map(|value| self.model(value)).collect()
    }

    fn model(&mut self, value: &Value<'_>) -> Option<String> {
        let Some(name) = value.get_ref().as_str() else {
            self.wrong("model", value, "a name in quotes, or a list of them");
            return None;
        };
        if name == "all" || cost::find(name).is_some() {
            return Some(name.to_owned());
        }
        let names: Vec<&str> = MODELS.iter().map(|model| model.name()).collect();
        let known = Known::beside(name, names.iter().copied());
        let remedy = Remedy::Models {
            known,
            or_all: true,
        };
        self.name("model", value, "no such model", remedy, &names);
        None
    }

    fn hints(&mut self, value: &Value<'_>) -> Option<String> {
        let Some(word) = value.get_ref().as_str() else {
            self.wrong("hints", value, "\"off\", \"blocks\" or \"all\"");
            return None;
        };
        if HINTS.contains(&word) {
            return Some(word.to_owned());
        }
        let remedy = Remedy::Known(Known::beside(word, HINTS));
        self.name("hints", value, "no such hints", remedy, &HINTS);
        None
    }

    fn values(&mut self, value: &Value<'_>) {
        let Some(table) = value.get_ref().as_table() else {
            self.wrong(
                "values",
                value,
                "a table: `[values]`, then a `name = value` a line",
            );
            return;
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Float(number) => number.as_str().trim_start_matches('+').to_owned(),
                DeValue::Integer(number) if number.radix() == 10 => {
                    number.as_str().trim_start_matches('+').to_owned()
                }
                _ => {
                    self.wrong(name, value, "a decimal number, or a text such as \"2^20\"");
                    continue;
                }
            };
            match parse_number(&text) {
                Ok(value) => self.config.values.set(name, value),
                Err(problem) => self.fault(&SettingError::Number {
                    name: name.to_owned(),
                    problem,
                    span: span_of(value),
                }),
            }
        }
    }
}

fn span_of<T>(value: &Spanned<T>) -> Span {
    Span::new(value.span().start, value.span().end)
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::String(_) => "a text",
        DeValue::Boolean(_) => "a truth",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Config, Vec<Diagnostic>) {
        read(&Source::new(NAME, text), Path::new("work"))
    }

    #[test]
    fn files_are_read() {
        let text = "machine = \"K20\"\nmodel = [\"atgpu\"]\nhints = \"all\"\n\
                    [values]\nn = \"2^20\"\nb = 32\nalpha = 0.01\n\
                    [lints]\nunused = \"allow\"\n\"lint::power\" = \"deny\"\n";
        let (config, faults) = of(text);
        assert_eq!(faults, []);
        assert_eq!(config.machine.as_deref(), Some("K20"));
        assert_eq!(
            (config.model, config.hints),
            (vec!["atgpu".to_owned()], Some("all".to_owned()))
        );
        let lint = |name: &str| levels::find(name).expect("in the table");
        let mut lints = Levels::default();
        lints.set(lint("unused"), Level::Allow);
        lints.set(lint("power"), Level::Deny);
        assert_eq!(config.lints, lints);
        assert_eq!(config.values.get("n"), Some(&(1 << 20).into()));
        assert_eq!(config.values.get("b"), Some(&32.into()));
        assert_eq!(
            config.values.get("α").map(ToString::to_string).as_deref(),
            Some("1/100")
        );
        assert_eq!(of("model = \"all\"").0.model, ["all"]);
        assert_eq!(of(""), (Config::default(), Vec::new()));
    }

    /// Each slip is told at its place, and what can be written instead mends it.
    #[test]
    fn slips_are_told_at_their_places() {
        for (text, place, mended) in [
            ("modle = \"agpu\"", "modle", Some("model = \"agpu\"")),
            ("lints = \"allow\"", "\"allow\"", None),
            (
                "[lints]\nunsued = \"warn\"",
                "unsued",
                Some("[lints]\nunused = \"warn\""),
            ),
            (
                "[lints]\nunused = \"alow\"",
                "\"alow\"",
                Some("[lints]\nunused = \"allow\""),
            ),
            ("[lints]\nunused = true", "true", None),
            (
                "[lints]\n\"race::shared\" = \"allow\"",
                "\"race::shared\"",
                None,
            ),
            ("machin = \"k20\"", "machin", Some("machine = \"k20\"")),
            ("machine = \"k2\"", "\"k2\"", Some("machine = \"k20\"")),
            ("machine = 3", "3", None),
            ("machine = \"none.toml\"", "\"none.toml\"", None),
            (
                "model = [\"atgp\", \"swgpu\"]",
                "\"atgp\"",
                Some("model = [\"atgpu\", \"swgpu\"]"),
            ),
            ("model = [1]", "1", None),
            ("hints = \"block\"", "\"block\"", Some("hints = \"blocks\"")),
            ("hints = true", "true", None),
            ("values = 3", "3", None),
            ("[values]\nn = \"x\"", "\"x\"", None),
            ("[values]\nn = 0x10", "0x10", None),
            ("[values]\nn = inf", "inf", None),
            ("[values]\nn = true", "true", None),
        ] {
            let (config, faults) = of(text);
            assert_eq!(
                (faults.len(), config),
                (
                    1,
                    if text.contains("swgpu") {
                        Config {
                            model: vec!["swgpu".to_owned()],
                            ..Config::default()
                        }
                    } else {
                        Config::default()
                    }
                ),
                "{text}: {faults:#?}"
            );
            let fault = &faults[0];
            assert_eq!(fault.code.short_name(), "usage::setting");
            let span = fault.primary().expect("a place").span;
            assert_eq!(&text[span.start..span.end], place, "{text}");
            let fixed = fault.fixes.first().map(|fix| fix.apply(text));
            assert_eq!(fixed.as_deref(), mended, "{text}");
        }
        assert_eq!(of("machine = ").1[0].code.short_name(), "usage::setting");
    }
}
