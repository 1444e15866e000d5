//! The rounds of the JSON of `derive`, expanded as a reader of interface.md would: each entry by the ranges of its `for`,
//! outermost first, where its `when` holds. That gives as many rounds as there are, and what a round takes adds up to
//! the totals. The forms are read as expressions of language.md, and nothing else of the crate is asked.

use std::collections::HashMap;

use crate::support::engines::{Choice, Random, choice, choices, execute, unrolled};
use crate::support::programs::{DerivedFile, derived_file, load, name, programs};
use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::derive::derive;
use atgpu::meaning::{Point, evaluate_claim};
use atgpu::number::BigInt;
use atgpu::program::Program;
use serde_json::Value;

/// Points with more rounds are left out.
const MOST_ROUNDS: usize = 300;

/// A form of it asks for floor_sum of (b - 4)/2 terms, which a claim refuses for an odd b.
const UNREADABLE: &str = "NoRowsOfHalfANumber";

/// Values by name.
type Values = Vec<(String, i64)>;

/// Reads expressions of language.md, each parsed once.
#[derive(Default)]
struct Reader(HashMap<String, Program>);

impl Reader {
    /// The value of an expression, as a claim would have it.
    fn value(&mut self, text: &str, values: &Values, width: i64) -> BigInt {
        let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
        let source = format!(
            "algorithm Reader({})\n  claim rounds = {text}\n",
            names.join(", ")
        );
        let program = self
            .0
            .entry(source.clone())
            .or_insert_with(|| load("reader", &source).0);
        let given: Parameters = values
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        let machine = [12 * width, width, 1 << 40, 1 << 40];
        let point = Point::new(program, machine, &given).expect("nothing is required");
        let claim = &program.claims()[0].value;
        let value = evaluate_claim(program, claim, &point.environment, &|_| None)
            .unwrap_or_else(|fault| panic!("{text} at {values:?}: {fault:?}"))
            .expect("counts have no letters");
        value
            .to_integer()
            .unwrap_or_else(|| panic!("{text} at {values:?} is no whole number"))
    }

    fn number(&mut self, expression: &Value, values: &Values, width: i64) -> BigInt {
        let text = expression["expanded"].as_str().expect("a text");
        self.value(text, values, width)
    }
}

/// One of the rounds that an entry stands for: the values of its loop variables besides the others.
struct Round<'j> {
    entry: &'j Value,
    values: Values,
}

/// All rounds of a derivation at a point; `None` if there are too many.
fn expand<'j>(derived: &'j Value, at: &Choice, reader: &mut Reader) -> Option<Vec<Round<'j>>> {
    let width = at.machine[1];
    let mut rounds = Vec::new();
    for entry in derived["rounds"].as_array().expect("a list") {
        if let Some(when) = entry["when"].as_str()
            && reader.value(&format!("[{when}]"), &at.values, width) == BigInt::from(0)
        {
            continue;
        }
        let mut each = vec![at.values.clone()];
        let loops = entry["for"].as_array();
        for range in loops.into_iter().flatten() {
            let mut inner = Vec::new();
            for values in each {
                let mut end = |key: &str| reader.number(&range[key], &values, width);
                let ends = [end("from"), end("to")].map(|end| i64::try_from(&end).expect("small"));
                let [low, high] = match range["down"].as_bool() {
                    Some(true) => [ends[1], ends[0]],
                    _ => ends,
                };
                let variable = range["variable"].as_str().expect("a name");
                for value in low..=high {
                    let mut values = values.clone();
                    values.retain(|(name, _)| name != variable);
                    values.push((variable.to_owned(), value));
                    inner.push(values);
                }
                if inner.len() > MOST_ROUNDS {
                    return None;
                }
            }
            each = inner;
        }
        rounds.extend(each.into_iter().map(|values| Round { entry, values }));
    }
    (rounds.len() <= MOST_ROUNDS).then_some(rounds)
}

/// How a total comes from rounds.
#[derive(Clone, Copy)]
enum From {
    Sum,
    Largest,
}

/// The totals with the keys of a round that they come from.
const TOTALS: [(&str, From, &[&[&str]]); 10] = [
    ("time", From::Largest, &[&["t"]]),
    ("total_time", From::Sum, &[&["t"]]),
    ("io", From::Sum, &[&["q"]]),
    ("inward", From::Sum, &[&["inward", "words"]]),
    ("outward", From::Sum, &[&["outward", "words"]]),
    (
        "transfer",
        From::Sum,
        &[&["inward", "words"], &["outward", "words"]],
    ),
    (
        "transactions",
        From::Sum,
        &[&["inward", "transactions"], &["outward", "transactions"]],
    ),
    ("shared", From::Largest, &[&["shared"]]),
    ("global", From::Largest, &[&["global"]]),
    ("bank_conflicts", From::Sum, &[&["bank_conflicts"]]),
];

fn is_exact(expression: &Value) -> bool {
    expression["exact"] == true
}

/// Holds the rounds of a derivation against its totals and against a run. Returns true if their number is exact and
/// there are few enough.
fn compared(what: &str, program: &Program, derived: &Value, at: &Choice) -> bool {
    let what = format!("{what} at {}", at.label);
    let reader = &mut Reader::default();
    let rounds = &derived["totals"]["rounds"];
    if rounds.is_null() || !is_exact(rounds) {
        return false;
    }
    let Some(expanded) = expand(derived, at, reader) else {
        return false;
    };
    let width = at.machine[1];
    let there = BigInt::from(expanded.len());
    assert_eq!(
        there,
        reader.number(rounds, &at.values, width),
        "{what}: rounds"
    );
    let executed = execute(program, at, 0).counts;
    let executed_rounds = unrolled(&executed.rounds);
    assert_eq!(
        expanded.len(),
        executed_rounds.len(),
        "{what}: rounds of the run"
    );
    let launched: BigInt = executed_rounds
        .iter()
        .map(|round| round.launched_mps.clone())
        .sum();
    let executed = executed.totals.named();
    let executed = |total: &str| {
        let mut named = executed.iter();
        let found = named.find(|(name, _)| *name == total);
        found.expect("a total").1.clone()
    };
    let mut of = |keys: &[&str], how: From| -> Option<BigInt> {
        if program.name() == UNREADABLE && keys == ["q"] {
            return None;
        }
        let mut all = BigInt::from(0);
        for round in &expanded {
            let expression = keys.iter().fold(round.entry, |value, key| &value[key]);
            if expression.is_null() || !is_exact(expression) {
                return None;
            }
            let number = reader.number(expression, &round.values, width);
            all = match how {
                From::Sum => all + number,
                From::Largest => all.max(number),
            };
        }
        Some(all)
    };
    for (total, how, keys) in TOTALS {
        let parts: Option<Vec<BigInt>> = keys.iter().map(|keys| of(keys, how)).collect();
        if let Some(parts) = parts {
            let all: BigInt = parts.into_iter().sum();
            assert_eq!(all, executed(total), "{what}: {total}");
        }
    }
    if let Some(all) = of(&["k"], From::Sum) {
        assert_eq!(all, launched, "{what}: k");
    }
    true
}

/// The JSON of a program's derivation.
fn derived(program: &Program, derivation: &Derivation) -> Value {
    assert!(
        derivation.contradictions.is_empty(),
        "{}: {:?}",
        program.name(),
        derivation.contradictions
    );
    let derived = serde_json::to_value(derivation).expect("JSON");
    for entry in derived["rounds"].as_array().expect("a list") {
        let is_joined = entry.get("joined").is_some();
        let rounds = &derived["totals"]["rounds"];
        assert!(
            !is_joined || !is_exact(rounds),
            "{}: the rounds are exact, but {entry} may be none",
            program.name()
        );
    }
    derived
}

#[test]
fn the_rounds_of_every_program_are_those_of_their_loops() {
    let mut none = Vec::new();
    let folders = ["tests/suite/derive/constructs", "programs"];
    for file in folders.iter().flat_map(|folder| programs(folder)) {
        let DerivedFile {
            program,
            derivation,
        } = derived_file(&file);
        let derived = derived(program, derivation);
        let choices = choices(program, 4, 11);
        let exact = choices
            .iter()
            .filter(|at| compared(&name(&file), program, &derived, at))
            .count();
        if exact == 0 {
            none.push(name(&file));
        }
    }
    // Data decide how many rounds these have.
    const BY_DATA: [&str; 5] = [
        "host-while",
        "until-host",
        "until-two-rounds",
        "while-of-transfers",
        "breadth_first_while",
    ];
    assert_eq!(none, BY_DATA);
}

/// Hosts of loops and transfers, each with a kernel `K` and arrays of n + 20 words.
const HOSTS: [&str; 12] = [
    // What comes in behind the only iteration is in the round behind the loop.
    "for r = 2 downto 0 until r ≥ 2\n K\n in r\n end\n in 1",
    "for r = 1 → 3\n K\n in r\n end",
    "for r = n downto 1\n K\n in r\n end\n out n",
    "for r = 1 → n + 1 until 2·r ≥ n\n out r\n K\n in r\n end",
    "for r = 1 → n\n out r\n in r\n end\n K",
    // The loop may not run at all: neither does what comes in at its end.
    "for r = 2 → n\n K\n in r\n end",
    "for r = n - 1 downto 1\n out r\n K\n end",
    "K\n for r = 1 → n - 2 until r ≥ 2\n in r\n end\n out 1",
    // Some iterations of a loop inside go on in the next one outside.
    "for r = 1 → 3\n for s = 1 → r\n K\n in s\n end\n in r\n end\n K",
    "for r = 3 downto 1\n out r\n for s = r → n + 3\n out s\n K\n end\n end",
    "for r = 2 → n + 1\n for s = r downto 1\n out s\n in 1\n K\n in s\n end\n K\n end",
    "for r = 1 → n\n K\n for s = 1 → n\n K\n in s\n end\n out r\n end",
];

/// The text of a host: `K` is a kernel, `in` and `out` move so many words and one more, `end` ends a loop.
fn text(host: &str) -> String {
    let mut text = "algorithm Host(n)\n  require n ≥ 1\n  input A[n + 20]\n  output C[n + 20]\n  \
                    global a[n + 20]\n  shared _x[b]\n  a ⇚ A\n"
        .to_owned();
    for line in host.lines() {
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let statement = match word {
            "K" => "for all mp_i ∈ MP[0..1] in parallel do\n\
                    for all c_{i,j} ∈ C_i in parallel do\n_x[j] ⇐ a[j mod 2]\n_x[j] ← _x[j] + 1\n\
                    end for\nend for"
                .to_owned(),
            "in" => format!("a[0..{rest}] ⇚ A[0..{rest}]"),
            "out" => format!("C[0..{rest}] ⇚ a[0..{rest}]"),
            "end" => "end for".to_owned(),
            _ => format!("{line} do"),
        };
        text.push_str(&statement);
        text.push('\n');
    }
    text
}

/// A host made of statements drawn at random; `around` are the variables of the loops around.
fn drawn(random: &mut Random, around: &[&str], lines: &mut Vec<String>) {
    let some = |random: &mut Random, around: &[&str]| {
        let mut sizes = vec!["1", "2", "n"];
        sizes.extend(around);
        sizes[random.below(sizes.len() as u64) as usize].to_owned()
    };
    for _ in 0..1 + random.below(3) {
        match random.below(if around.len() < 3 { 6 } else { 4 }) {
            0 => lines.push("K".to_owned()),
            1 | 2 => lines.push(format!("in {}", some(random, around))),
            3 => lines.push(format!("out {}", some(random, around))),
            _ => {
                let variable = ["r", "s", "u"][around.len()];
                let (low, high) = match around.last() {
                    Some(outer) if random.below(2) == 0 => ("1", (*outer).to_owned()),
                    _ => (
                        ["1", "0", "2"][random.below(3) as usize],
                        some(random, &[]) + " + 1",
                    ),
                };
                let until = ["", "", " until {} ≥ 2", " until 2·{} ≥ n"];
                let until = until[random.below(4) as usize].replace("{}", variable);
                lines.push(match random.below(2) {
                    0 => format!("for {variable} = {low} → {high}{until}"),
                    _ => format!("for {variable} = {high} downto {low}{until}"),
                });
                drawn(random, &[around, &[variable]].concat(), lines);
                lines.push("end".to_owned());
            }
        }
    }
}

/// Compares a host at a few points; returns the number of points where its rounds are exact.
fn host_compared(host: &str) -> usize {
    let (program, _) = load("host", &text(host));
    let derived = derived(&program, &derive(&program, &Parameters::new()));
    let points = [(1, 1), (2, 2), (3, 1), (5, 3)];
    let points = points.iter().filter(|(n, width)| {
        let at = choice(&program, *width, vec![("n".to_owned(), *n)]).expect("it is admitted");
        compared(host, &program, &derived, &at)
    });
    points.count()
}

#[test]
fn the_rounds_of_hosts_of_loops_and_transfers_are_those_of_their_loops() {
    for host in HOSTS {
        assert_eq!(host_compared(host), 4, "{host}");
    }
}

#[test]
fn the_rounds_of_hosts_drawn_at_random_are_those_of_their_loops() {
    let mut exact = 0;
    for seed in 0..40 {
        let mut lines = Vec::new();
        drawn(&mut Random::new(seed), &[], &mut lines);
        exact += host_compared(&lines.join("\n"));
    }
    assert!(exact >= 80, "only {exact} exact");
}
