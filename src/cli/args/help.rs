//! The help that a user reads: the commands in groups, and two examples of each.
//!
//! `tests/suite/cli/help.rs` runs every example.

use clap::{Command, CommandFactory};

use crate::cli::args::Cli;

/// The commands by what a user is about to do.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Write a program", &["new", "check", "fmt", "test"]),
    ("Understand it", &["derive", "cost", "run", "explain"]),
    ("Study many sizes", &["compare", "sweep", "plot", "overlap"]),
    ("Make it better", &["advise", "tune"]),
    ("Go to a real GPU", &["emit", "measure", "calibrate"]),
    (
        "Tools",
        &["machines", "models", "lsp", "completions", "man"],
    ),
];

/// Two examples of a command: a sentence, and the command line.
type Examples = [(&'static str, &'static str); 2];

const EXAMPLES: [(&str, Examples); 22] = [
    (
        "check",
        [
            (
                "Prove that a program is safe at every size.",
                "check addition.atgpu",
            ),
            (
                "Check all programs below this folder, and mend what has one fix.",
                "check . --fix",
            ),
        ],
    ),
    (
        "derive",
        [
            (
                "Derive every cost of a program as a formula.",
                "derive addition.atgpu",
            ),
            (
                "Show the formulas of the I/O and of the time only.",
                "derive addition.atgpu --quantity io,time",
            ),
        ],
    ),
    (
        "cost",
        [
            (
                "Cost a program for a million words on a Tesla K20.",
                "cost addition.atgpu -D n=1e6 --machine k20",
            ),
            (
                "Cost it by every model, as JSON.",
                "cost addition.atgpu -D n=2^20 --model all --format json",
            ),
        ],
    ),
    (
        "advise",
        [
            (
                "Propose changes that are right, with what each one saves.",
                "advise addition.atgpu",
            ),
            (
                "Let bank conflicts count, at the size that matters.",
                "advise addition.atgpu -D n=2^20 --bank-conflicts charge",
            ),
        ],
    ),
    (
        "tune",
        [
            (
                "Find the cores of an MP that suit a program best.",
                "tune addition.atgpu --over b=8..128 -D n=2^20",
            ),
            (
                "Find them at many sizes, and where the best one changes.",
                "tune addition.atgpu --over b=8..128 -D n=2^10..2^20",
            ),
        ],
    ),
    (
        "overlap",
        [
            (
                "Find the number of streams that hides the transfers best.",
                "overlap addition.atgpu -D n=1e7 --machine gtx280",
            ),
            (
                "Take a kernel time that you measured.",
                "overlap addition.atgpu -D n=1e7 --machine gtx280 --kernel-ms 12.5",
            ),
        ],
    ),
    (
        "run",
        [
            (
                "Run a program on random data, and check every access.",
                "run addition.atgpu -D n=1000",
            ),
            (
                "Run it on your own data, and save the result.",
                "run addition.atgpu --input A=a.csv --input B=b.csv --output C=c.csv",
            ),
        ],
    ),
    (
        "test",
        [
            (
                "Test every claim and ensure of the programs below this folder.",
                "test .",
            ),
            (
                "Test one program at no more than 20 points.",
                "test addition.atgpu --points 20",
            ),
        ],
    ),
    (
        "compare",
        [
            (
                "Find the sizes at which one program is cheaper than another.",
                "compare addition.atgpu reduction.atgpu",
            ),
            (
                "Put two machines side by side at one size.",
                "compare addition.atgpu --machine gtx650 --machine k20 -D n=1e6",
            ),
        ],
    ),
    (
        "sweep",
        [
            (
                "Cost a program from 2^10 to 2^20 words, in steps of a factor of 2.",
                "sweep addition.atgpu --vary n=2^10..2^20",
            ),
            (
                "Write one row a point, with a column for each quantity.",
                "sweep addition.atgpu --vary n=2^10..2^20 --wide -o costs.csv",
            ),
        ],
    ),
    (
        "plot",
        [
            (
                "Draw the cost over the size, in the terminal.",
                "plot addition.atgpu --vary n=2^10..2^20",
            ),
            (
                "Draw two programs into one picture for a paper.",
                "plot addition.atgpu reduction.atgpu --vary n=2^10..2^20 -o costs.svg",
            ),
        ],
    ),
    (
        "calibrate",
        [
            (
                "Fit a machine to times that you measured, and save it.",
                "calibrate addition.atgpu --observed timings.csv -o mine.toml",
            ),
            (
                "Say how near a machine comes as it is.",
                "calibrate addition.atgpu --observed timings.csv --keep",
            ),
        ],
    ),
    (
        "emit",
        [
            (
                "Write a program as CUDA.",
                "emit cuda addition.atgpu -o addition.cu",
            ),
            (
                "Write it as C with ints of 32 bits.",
                "emit c addition.atgpu --word int32",
            ),
        ],
    ),
    (
        "measure",
        [
            (
                "Compile a program, and measure it on this computer at three sizes.",
                "measure addition.atgpu --vary n=1000,10000,100000 -o times.csv",
            ),
            (
                "Measure it once at a size, without a warm-up.",
                "measure addition.atgpu --vary n=4096 --repeat 1 --warm-up 0",
            ),
        ],
    ),
    (
        "fmt",
        [
            ("Lay a program out in place.", "fmt addition.atgpu"),
            (
                "Show how it would look in ASCII, and change nothing.",
                "fmt addition.atgpu --ascii --diff",
            ),
        ],
    ),
    (
        "new",
        [
            (
                "Begin a program with a skeleton that checks, and fill it in.",
                "new scan",
            ),
            (
                "Begin one for a paper, under its name there.",
                "new MatrixMultiplication",
            ),
        ],
    ),
    (
        "explain",
        [
            (
                "Say what a diagnostic means, with a program that gives it.",
                "explain race::shared",
            ),
            (
                "Say what a word or a symbol of the model means.",
                "explain occupancy",
            ),
        ],
    ),
    (
        "machines",
        [
            ("List the built-in machines.", "machines"),
            ("Say what differs between two.", "machines gtx650 k20"),
        ],
    ),
    (
        "models",
        [
            ("List the cost models.", "models"),
            ("Explain one, with its formula.", "models roofline"),
        ],
    ),
    (
        "completions",
        [
            (
                "Let bash complete commands and options.",
                "completions bash > atgpu.bash",
            ),
            ("Let zsh do the same.", "completions zsh > _atgpu"),
        ],
    ),
    (
        "man",
        [
            ("Write the manual page of the program.", "man > atgpu.1"),
            (
                "Write the page of one command.",
                "man derive > atgpu-derive.1",
            ),
        ],
    ),
    (
        "lsp",
        [
            ("Serve an editor, which starts this command itself.", "lsp"),
            (
                "Serve one that names the channel, as most do.",
                "lsp --stdio",
            ),
        ],
    ),
];

/// The command line with its help.
pub fn command() -> Command {
    let plain = Cli::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\nOptions:\n{{options}}\n\n\
         `atgpu COMMAND --help` has the options of a command and two examples.\n",
        groups(&plain)
    );
    let names: Vec<String> = plain.get_subcommands().map(name_of).collect();
    let dressed = |plain: Command, name: String| {
        plain.mut_subcommand(&name, |command| {
            let text = examples(&name);
            command.after_help(text)
        })
    };
    names
        .into_iter()
        .fold(plain, dressed)
        .help_template(template)
}

fn name_of(command: &Command) -> String {
    command.get_name().to_owned()
}

/// Lists the commands below the headings of their groups.
fn groups(all: &Command) -> String {
    let names = all
        .get_subcommands()
        .map(|command| command.get_name().len());
    let width = names.max().unwrap_or(0);
    let line = |name: &&str| {
        let about = all.find_subcommand(name).and_then(Command::get_about);
        let about = about.map_or_else(String::new, ToString::to_string);
        format!("  {name:width$}  {about}\n")
    };
    let group = |(heading, names): &(&str, &[&str])| {
        let lines: String = names.iter().map(line).collect();
        format!("\n{heading}:\n{lines}")
    };
    GROUPS.iter().map(group).collect()
}

fn examples(name: &str) -> String {
    let found = EXAMPLES.iter().find(|(command, _)| *command == name);
    let examples = found.iter().flat_map(|(_, examples)| examples);
    let examples = examples.map(|(said, line)| format!("\n  {said}\n    $ atgpu {line}"));
    let examples: String = examples.collect();
    if examples.is_empty() {
        examples
    } else {
        format!("Examples:{examples}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_has_examples() {
        let plain = Cli::command();
        for name in plain.get_subcommands().map(Command::get_name) {
            let groups = GROUPS.iter().flat_map(|(_, names)| *names);
            assert_eq!(groups.filter(|other| **other == name).count(), 1, "{name}");
            assert!(examples(name).contains("    $ atgpu "), "{name}");
        }
        let listed: usize = GROUPS.iter().map(|(_, names)| names.len()).sum();
        assert_eq!(listed, plain.get_subcommands().count());
    }

    #[test]
    fn lines_fit_on_a_terminal() {
        for line in groups(&Cli::command()).lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        for (name, _) in EXAMPLES {
            assert!(
                examples(name).lines().all(|line| line.len() <= 100),
                "{name}"
            );
        }
    }
}
