//! The text of safety: the verdict first, a line per property, then the open places; on request every access.

use std::fmt::Write as _;

use crate::program::{ParamId, Program};
use crate::report::safety::{SafetyReport, reason_text, subject_text, tried_text, values};
use crate::report::table::{Align, Table};
use crate::report::wrap::labelled;
use crate::safety::{Argument, Judged, Missing, Property, Reason, Safety, Subject, Verdict};
use crate::sym::Expr;

/// Limit on the open places shown by default.
const MOST_OPEN: usize = 6;

/// Renders the verdict, the properties and the open places.
///
/// ```
/// use atgpu::{machine::Machine, report::safety::{SafetyReport, text}, safety::safety};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let report = SafetyReport {
///     file: "vector_addition.atgpu",
///     program: &program,
///     given: &().into(),
///     machine: &card,
///     safety: &safety(&program, &().into(), &card),
/// };
/// let told = text::text(&report);
/// assert!(told.starts_with("vector_addition.atgpu is safe for all n ≥ 1, b | n\n"));
/// ```
pub fn text(report: &SafetyReport<'_>) -> String {
    let mut out = labelled("", &verdict(report));
    if report.safety.contradiction.is_some() {
        // A proof for all sizes says nothing if there are none.
        return out;
    }
    for property in Property::ALL {
        let words = match property {
            Property::Fits => fits(report),
            _ => summary(report.safety, property),
        };
        if !words.is_empty() {
            let label = format!("  {:<12} ", property.name());
            out.push_str(&labelled(&label, &words));
        }
    }
    let tried = &report.safety.tried;
    if tried.first_fault.is_none() && !tried.bounds.is_empty() {
        let lines = tried.bounds.iter();
        let lines: Vec<String> = lines
            .map(|span| report.program.line(*span).to_string())
            .collect();
        let told = format!(
            "line {} kept in {} runs, not proved",
            lines.join(", "),
            tried.points
        );
        out.push_str(&labelled("  at most      ", &told));
    }
    for (condition, lines) in missing(report) {
        let told = format!("with `{condition}` {lines}");
        out.push_str(&labelled("  missing: ", &told));
    }
    out.push_str(&open_places(report));
    out
}

/// The first open places, with the reason why each is not decided.
fn open_places(report: &SafetyReport<'_>) -> String {
    let mut out = String::new();
    let open: Vec<(&Judged, &Reason)> = report
        .safety
        .judged
        .iter()
        .filter_map(|judged| match &judged.verdict {
            Verdict::Open(reason) => Some((judged, reason)),
            _ => None,
        })
        .collect();
    for (judged, reason) in open.iter().take(MOST_OPEN) {
        let line = report.program.line(judged.span);
        let what = report.program.source.slice(judged.span);
        let told = format!(
            "line {line}, {} of `{what}`: {}{}",
            judged.property,
            reason_text(report.program, judged, reason),
            tried_text(report.program, report.safety, judged),
        );
        let told = labelled("  open: ", &told);
        // `a[v] + a[v]` reads one word at two places.
        if !out.contains(&told) {
            out.push_str(&told);
        }
    }
    if open.len() > MOST_OPEN {
        let _ = writeln!(
            out,
            "  … and {} more: `atgpu check --explain` lists every access",
            open.len() - MOST_OPEN
        );
    }
    out
}

/// The missing `require`s and guards, each with the lines that it proves.
fn missing(report: &SafetyReport<'_>) -> Vec<(String, String)> {
    let mut found: Vec<(String, &str, Vec<usize>)> = Vec::new();
    for judged in &report.safety.judged {
        let Verdict::Refuted(witness) = &judged.verdict else {
            continue;
        };
        let require = witness.require.iter();
        let require = require.map(|require| {
            let only = match require {
                Missing { one_mp: true, .. } => ", but there is one MP only",
                Missing {
                    one_width: true, ..
                } => ", with this b only",
                Missing { .. } => "",
            };
            (format!("require {}", require.text), only)
        });
        let guard = witness.guard.iter().map(|guard| (guard.text.clone(), ""));
        let line = report.program.line(judged.span);
        for (condition, only) in require.chain(guard) {
            match found.iter_mut().find(|(known, ..)| *known == condition) {
                Some((_, _, lines)) if lines.contains(&line) => {}
                Some((_, _, lines)) => lines.push(line),
                None => found.push((condition, only, vec![line])),
            }
        }
    }
    let told = |(condition, only, lines): (String, &str, Vec<usize>)| {
        let list: Vec<String> = lines.iter().map(usize::to_string).collect();
        let proved = match &list[..] {
            [line] => format!("line {line} is proved"),
            lines => format!("lines {} are proved", lines.join(", ")),
        };
        (condition, proved + only)
    };
    found.into_iter().map(told).collect()
}

/// Renders the verdict on the whole program: the first line of [`text()`].
pub fn verdict(report: &SafetyReport<'_>) -> String {
    let file = report.file;
    let refuted = report
        .safety
        .judged
        .iter()
        .filter_map(|judged| match &judged.verdict {
            Verdict::Refuted(witness) => Some(witness),
            Verdict::Proved(_) | Verdict::Open(_) => None,
        })
        .min_by_key(|witness| witness.found);
    if let Some(witness) = refuted {
        let b = report.machine.atgpu.cores_per_mp;
        let own = &report.safety.tried.at_own_width;
        let at_own_width = match (own.failed, own.sizes) {
            (0, _) => String::new(),
            (1, 1) => format!(", and at the one size run with b = {b}"),
            (failed, sizes) if failed == sizes => {
                format!(", and at all {sizes} sizes run with b = {b}")
            }
            (failed, sizes) => format!(", and at {failed} of {sizes} sizes run with b = {b}"),
        };
        return format!(
            "{file} is not safe: it fails at {}{at_own_width}",
            values(witness)
        );
    }
    if report.safety.contradiction.is_some() {
        return format!("{file} admits no size: its `require`s contradict each other");
    }
    let open = report.safety.judged.iter();
    let open = open.filter(|judged| !judged.verdict.is_proved()).count();
    let sizes = domain(report);
    match open {
        0 if report.safety.fits.never => {
            let card = &report.machine.name;
            format!("{file} is safe for {sizes}, but too large for {card}")
        }
        0 => format!("{file} is safe for {sizes}"),
        1 => format!("{file}: 1 place is not decided for {sizes}"),
        many => format!("{file}: {many} places are not decided for {sizes}"),
    }
}

/// The admitted sizes: `all n ≥ 1, b | n`. A formal without a `require` is a whole number from 0. With
/// given values: `b = 4 and all n with n ≥ 1, b | n`.
fn domain(report: &SafetyReport<'_>) -> String {
    let program = report.program;
    let name = |id: ParamId| program.parameter(id).name.as_str();
    let requires = program.requires.iter().map(|require| {
        let text = program.source.slice(require.condition.span);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        text.replace(" is a power of", " a power of")
    });
    let mut requires: Vec<String> = requires.collect();
    let width = program.machine.b;
    let sizes = program.formals.iter().copied().chain([width]);
    let value = |id: ParamId| Some(format!("{} = {}", name(id), report.given.get(name(id))?));
    let (given, free): (Vec<ParamId>, Vec<ParamId>) = sizes.partition(|id| value(*id).is_some());
    if given.is_empty() {
        let is_said = |id: &ParamId| requires.iter().any(|require| names(require, name(*id)));
        let formals = free.into_iter().filter(|id| *id != width && !is_said(id));
        let formals = formals.map(|id| format!("{} ≥ 0", name(id))).collect();
        let all = [formals, requires].concat();
        return if all.is_empty() {
            "all b".to_owned()
        } else {
            format!("all {}", all.join(", "))
        };
    }
    let values: Vec<String> = given.into_iter().filter_map(value).collect();
    let values = values.join(", ");
    if free.is_empty() {
        return values;
    }
    // A `require` about given values alone holds; otherwise the values would not be admitted. So it is left
    // out.
    let lets = program.lets.iter().map(|binding| binding.parameter);
    let others: Vec<ParamId> = lets.chain(free.iter().copied()).collect();
    requires.retain(|require| others.iter().any(|id| names(require, name(*id))));
    let free: Vec<&str> = free.into_iter().map(name).collect();
    let all = format!("{values} and all {}", free.join(", "));
    if requires.is_empty() {
        all
    } else {
        format!("{all} with {}", requires.join(", "))
    }
}

/// Returns true if a text mentions a name.
fn names(text: &str, name: &str) -> bool {
    let mut words =
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '\'');
    words.any(|word| word.contains(name))
}

fn summary(safety: &Safety, property: Property) -> String {
    let [mut proved, mut open, mut refuted] = [0, 0, 0];
    for judged in safety.of(property) {
        match judged.verdict {
            Verdict::Proved(_) => proved += 1,
            Verdict::Open(_) => open += 1,
            Verdict::Refuted(_) => refuted += 1,
        }
    }
    let what = |count: usize| match (property, count) {
        (Property::Bounds, 1) => "1 access".to_owned(),
        (Property::Bounds, many) => format!("{many} accesses"),
        (_, 1) => "1 place".to_owned(),
        (_, many) => format!("{many} places"),
    };
    let parts = [(refuted, "refuted"), (open, "open"), (proved, "proved")];
    let told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", what(*count)))
        .collect();
    told.join(", ")
}

fn fits(report: &SafetyReport<'_>) -> String {
    let fits = &report.safety.fits;
    let card = &report.machine.name;
    let conditions = super::json::conditions(report);
    let mut out = conditions.join(" and ");
    if fits.never {
        let _ = write!(out, ": never on {card}");
    } else if let Some((name, value)) = &fits.largest {
        let _ = write!(out, ": {name} ≤ {} on {card}", grouped(&value.to_string()));
    }
    out
}

/// Groups digits: 89478485 becomes 89_478_485.
fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

/// Renders every access with its rule.
pub fn explanation(report: &SafetyReport<'_>) -> String {
    let mut table = Table::new(&[
        ("line", Align::Right),
        ("property", Align::Left),
        ("what", Align::Left),
        ("verdict", Align::Left),
        ("by", Align::Left),
    ]);
    let program = report.program;
    for judged in ordered(report.safety) {
        let by = match &judged.verdict {
            Verdict::Proved(rule) => match &judged.argument {
                Some(argument) => format!("{rule}{}", argued(argument)),
                None => rule.name().to_owned(),
            },
            Verdict::Open(reason) => reason_text(report.program, judged, reason).into_owned(),
            Verdict::Refuted(witness) => values(witness),
        };
        table.row([
            program.line(judged.span).to_string(),
            judged.property.name().to_owned(),
            what(program, judged),
            judged.verdict.name().to_owned(),
            by,
        ]);
    }
    table.render()
}

/// `: (i, j) ↦ ib + j, steps b, 1; by n ≥ ib + j + 1`
fn argued(argument: &Argument) -> String {
    let listed = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(", ");
    let Argument {
        numbers,
        indices,
        steps,
        facts,
    } = argument;
    let mut told = String::new();
    let as_they_are: Vec<Expr> = numbers.iter().map(Expr::symbol).collect();
    if !numbers.is_empty() && as_they_are != *indices {
        let names = listed(&mut numbers.iter().map(|number| number.name.to_string()));
        let word = listed(&mut indices.iter().map(ToString::to_string));
        let (names, word) = match (numbers.len(), indices.len()) {
            (1, 1) => (names, word),
            (1, _) => (names, format!("({word})")),
            (_, 1) => (format!("({names})"), word),
            (_, _) => (format!("({names})"), format!("({word})")),
        };
        let _ = write!(told, ": {names} ↦ {word}");
        if steps.len() > 1 {
            let _ = write!(
                told,
                ", steps {}",
                listed(&mut steps.iter().map(ToString::to_string))
            );
        }
    }
    if !facts.is_empty() {
        let joint = if told.is_empty() { ": " } else { "; " };
        let facts = listed(&mut facts.iter().map(|fact| format!("`{fact}`")));
        let _ = write!(told, "{joint}by {facts}");
    }
    told
}

fn what(program: &Program, judged: &Judged) -> String {
    match judged.subject {
        Subject::Read(_) | Subject::Write(_) | Subject::Update(_) | Subject::Array(_) => {
            let slice = program.source.slice(judged.span);
            match judged.subject {
                Subject::Array(_) => subject_text(program, judged),
                _ => format!("`{slice}`"),
            }
        }
        _ => format!(
            "{} `{}`",
            subject_text(program, judged),
            program.source.slice(judged.span)
        ),
    }
}

/// The judgements in text order.
fn ordered(safety: &Safety) -> Vec<&Judged> {
    let mut all: Vec<&Judged> = safety.judged.iter().collect();
    all.sort_by_key(|judged| (judged.span.start, judged.property));
    all
}
