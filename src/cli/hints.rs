//! Hints for unknown arguments such as `-n 5` and `n=5`.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::args;

/// Replaces the parser's suggestion by a hint of ours, if there is one.
pub fn with_hint(mut error: clap::Error, arguments: &[String]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if let Some(hint) = hint(unknown, arguments) {
        let hint = ContextValue::StyledStrs(vec![StyledStr::from(hint)]);
        error.insert(ContextKind::Suggested, hint);
    }
    error
}

/// The hint for an argument, given all of them.
fn hint(unknown: &str, arguments: &[String]) -> Option<String> {
    let at = arguments
        .iter()
        .position(|given| given.starts_with(unknown));
    let given = arguments.get(at?)?;
    let name = unknown.trim_start_matches('-');
    // `-n=5`, `-n5` and `n=5` hold the value; behind `-n` it is the next argument.
    let (name, value) = match given.trim_start_matches('-').split_once('=') {
        Some((name, value)) => (name, value),
        None => match given.trim_start_matches('-').strip_prefix(name)? {
            "" => (name, arguments.get(at? + 1)?.as_str()),
            value => (name, value),
        },
    };
    let is_name = name.chars().next().is_some_and(char::is_alphabetic);
    let is_value = value.chars().next().is_some_and(|c| c.is_ascii_digit());
    (is_name && is_value && takes_values(arguments))
        .then(|| format!("to give the parameter `{name}` its value, write `-D {name}={value}`"))
}

/// Returns true if the command has the option `-D`.
fn takes_values(arguments: &[String]) -> bool {
    let cli = args::command();
    let commands = cli.get_subcommands();
    let mut named = commands.filter(|command| arguments.iter().any(|at| at == command.get_name()));
    named.any(|command| {
        command
            .get_arguments()
            .any(|arg| arg.get_short() == Some('D'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_for(line: &str, unknown: &str) -> Option<String> {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        hint(unknown, &arguments)
    }

    #[test]
    fn values_are_recognised() {
        let value = Some("to give the parameter `n` its value, write `-D n=5`".to_owned());
        assert_eq!(hint_for("atgpu run x.atgpu -n 5", "-n"), value);
        assert_eq!(hint_for("atgpu run x.atgpu -n=5", "-n"), value);
        assert_eq!(hint_for("atgpu run x.atgpu -n5", "-n"), value);
        assert_eq!(hint_for("atgpu cost x.atgpu n=5", "n=5"), value);
        assert_eq!(hint_for("atgpu cost x.atgpu --n 5", "--n"), value);
        assert_eq!(hint_for("atgpu run x.atgpu -n", "-n"), None);
        assert_eq!(hint_for("atgpu run x.atgpu --fast yes", "--fast"), None);
        assert_eq!(hint_for("atgpu fmt x.atgpu -n 5", "-n"), None);
    }
}
