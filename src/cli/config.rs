//! `atgpu.toml` beside the programs: the machine, the models and the values that commands and editors
//! take where nothing else is asked for.

use std::fmt;
use std::path::Path;

use atgpu::count::{Parameters, parse_number};
use toml::{Table, Value};

use crate::cli::files;

/// The file's name.
const NAME: &str = "atgpu.toml";

/// What the file says.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// A built-in machine, or a machine file seen from the file's own folder.
    pub machine: Option<String>,
    /// Cost models.
    pub model: Vec<String>,
    /// Values of parameters.
    pub values: Parameters,
    /// The hints of editors: `off`, `blocks`, `all`.
    pub hints: Option<String>,
}

/// What is wrong with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The file.
    pub file: String,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.problem)
    }
}

impl Config {
    /// The file in a folder; one that is not there says nothing.
    pub fn beside(folder: &str) -> Result<Config, Wrong> {
        let path = Path::new(if folder.is_empty() { "." } else { folder }).join(NAME);
        let file = match folder {
            "" => NAME.to_owned(),
            _ => path.display().to_string(),
        };
        if !path.exists() {
            return Ok(Config::default());
        }
        let wrong = |problem: String| Wrong {
            file: file.clone(),
            problem,
        };
        let source = files::read_source(&file).map_err(|fault| wrong(fault.message.to_string()))?;
        read(source.text(), folder).map_err(wrong)
    }
}

fn read(text: &str, folder: &str) -> Result<Config, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let mut config = Config::default();
    for (key, value) in &table {
        match (key.as_str(), value) {
            ("machine", Value::String(name)) => {
                let is_path = name.contains(['.', '/', '\\']) && !Path::new(name).is_absolute();
                config.machine = Some(match is_path && !folder.is_empty() {
                    true => Path::new(folder).join(name).display().to_string(),
                    false => name.clone(),
                });
            }
            ("model", Value::String(name)) => config.model = vec![name.clone()],
            ("model", Value::Array(names)) => {
                let names = names.iter().map(|name| name.as_str().map(str::to_owned));
                let names: Option<Vec<String>> = names.collect();
                config.model = names.ok_or("`model` is a name or a list of names")?;
            }
            ("values", Value::Table(values)) => {
                for (name, value) in values {
                    let text = match value {
                        Value::String(text) => text.clone(),
                        Value::Integer(_) | Value::Float(_) => value.to_string(),
                        _ => return Err(format!("the value of `{name}` is no number")),
                    };
                    let value =
                        parse_number(&text).map_err(|wrong| format!("`{name}`: {wrong}"))?;
                    config.values.set(name, value);
                }
            }
            ("hints", Value::String(word)) if ["off", "blocks", "all"].contains(&word.as_str()) => {
                config.hints = Some(word.clone());
            }
            ("hints", _) => return Err("`hints` is \"off\", \"blocks\" or \"all\"".to_owned()),
            ("machine" | "model" | "values", _) => return Err(format!("`{key}` cannot be this")),
            _ => {
                return Err(format!(
                    "no key is called `{key}`: there are machine, model, values and hints"
                ));
            }
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_and_slips_are_told() {
        let text = "machine = \"mine.toml\"\nmodel = [\"atgpu\"]\nhints = \"all\"\n\
                    [values]\nn = \"2^20\"\nb = 32\n";
        let config = read(text, "work").expect("sound");
        assert_eq!(config.machine.as_deref(), Some("work/mine.toml"));
        assert_eq!(config.model, ["atgpu"]);
        assert_eq!(config.values.get("n"), Some(&(1 << 20).into()));
        assert_eq!(config.values.get("b"), Some(&32.into()));
        let named = read("machine = \"k80\"", "work").expect("sound");
        assert_eq!(named.machine.as_deref(), Some("k80"));
        for wrong in [
            "machin = \"k80\"",
            "machine = 3",
            "hints = \"some\"",
            "values = 3",
            "[values]\nn = \"x\"",
            "[values]\nn = true",
            "model = [1]",
            "machine = ",
        ] {
            assert!(read(wrong, "").is_err(), "{wrong}");
        }
    }
}
