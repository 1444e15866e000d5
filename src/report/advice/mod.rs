//! The result of `advise`: each proposal with its reason, its proof and its worth, as text; the JSON is in `json`.

mod json;

pub use json::json;

use crate::advise::{Advice, Basis, Change, Keeps, Proposal, Right};
use crate::machine::Machine;
use crate::number::{Rational, grouped};
use crate::report::comparison::{Comparison, Duel, verdict};
use crate::report::numbers::{duration, percent};
use crate::report::table::{Align, Table};
use crate::report::wrap::{labelled, within_width};

/// An advice with its inputs.
pub struct AdviceReport<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// The model whose cost counts.
    pub model: &'static str,
    /// True if conflicts are charged in every proposal.
    pub charges_conflicts: bool,
    /// What was found.
    pub advice: &'a Advice,
    /// The lines that each proposal changes, in the format of `diff -u`.
    pub diffs: &'a [String],
}

/// The proposals whose changed lines are shown.
const MOST_DIFFS: usize = 3;

/// The longest formula of a proposal in a line, in characters.
const LONGEST: usize = 40;

/// The names of the two programs in a comparison.
const NAMES: [&str; 2] = ["the program", "the rewrite"];

impl AdviceReport<'_> {
    fn size(&self) -> String {
        let values = self.advice.size.iter();
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} = {}", whole(value)))
            .collect();
        values.join(", ")
    }

    /// A proposal against the program, as `compare` sees the two.
    fn comparison(&self, proposal: &Proposal) -> Option<Comparison> {
        let sizes = proposal.sizes.as_ref()?;
        let duel = Duel::of_two(
            self.machine,
            self.model,
            &sizes.parameter,
            sizes.outcome.clone(),
            sizes.fits.clone(),
        );
        Some(Comparison::of_duel(
            NAMES.map(str::to_owned),
            sizes.fixed.clone(),
            proposal.charges_conflicts,
            duel,
        ))
    }
}

/// Renders text.
pub fn text(report: &AdviceReport<'_>) -> String {
    let advice = report.advice;
    let Some(cost) = &advice.cost else {
        return format!(
            "no rewrite has anything to propose for {}\n",
            report.algorithm
        );
    };
    let mut out = within_width(&costs(report, cost));
    for (at, (proposal, diff)) in advice.proposals.iter().zip(report.diffs).enumerate() {
        out.push_str(&format!("\n{}", told(report, at + 1, proposal)));
        if at < MOST_DIFFS {
            out.push_str(&format!("\n{diff}"));
        } else {
            out.push_str("   diff   left out here; the JSON has it\n");
        }
    }
    out.push_str(&format!("\n{}", within_width(&tried(advice))));
    out
}

fn told(report: &AdviceReport<'_>, number: usize, proposal: &Proposal) -> String {
    let steps = proposal.steps.iter().enumerate();
    // The line of a later step is one of a text that nobody sees.
    let steps: Vec<String> = steps
        .map(|(at, step)| match at {
            0 => format!("{} in line {}", step.rewrite, step.line),
            _ => step.rewrite.to_owned(),
        })
        .collect();
    let [before, after] = &proposal.costs;
    let heading = format!(
        "{}: {} → {}{}, {} less",
        steps.join(", then "),
        duration(before),
        duration(after),
        charged(proposal.charges_conflicts && !report.charges_conflicts),
        percent(&proposal.gain()),
    );
    let mut out = labelled(&format!("{number}  "), &heading);
    for step in &proposal.steps {
        out.push_str(&labelled("   why    ", &step.why));
    }
    out.push_str(&labelled("   right  ", &right(&proposal.right)));
    let mut table = Table::bare(&[Align::Left, Align::Left, Align::Left, Align::Left]);
    for change in &proposal.changes {
        table.row([
            change.quantity.name().to_owned(),
            formula(change, 0),
            "→".to_owned(),
            formula(change, 1),
        ]);
    }
    let lines = table.render();
    for (at, line) in lines.lines().enumerate() {
        let label = if at == 0 { "   worth  " } else { "          " };
        out.push_str(&format!("{label}{}\n", line.trim()));
    }
    if let Some(comparison) = report.comparison(proposal) {
        for duel in &comparison.duels {
            let fixed = comparison.parameters.iter();
            let fixed: Vec<String> = fixed
                .map(|(name, value)| format!("{name} = {}", whole(value)))
                .collect();
            for (at, line) in verdict(&comparison, duel).iter().enumerate() {
                let with = match (at, fixed.is_empty()) {
                    (0, false) => format!(" ({})", fixed.join(", ")),
                    _ => String::new(),
                };
                out.push_str(&labelled("          ", &format!("{}{with}", line.trim())));
            }
        }
    }
    if !proposal.claims.is_empty() {
        let claims = proposal.claims.iter();
        let claims: Vec<String> = claims.map(|claim| format!("`{claim}`")).collect();
        let verb = if claims.len() == 1 { "is" } else { "are" };
        let told = format!("{} {verb} told anew or left out", claims.join(", "));
        out.push_str(&labelled("   claims ", &told));
    }
    out
}

/// The formula before (0) or after (1).
fn formula(change: &Change, at: usize) -> String {
    match &change.formulas[at] {
        Some(formula) if change.are_exact[at] => formula.clone(),
        Some(bound) => format!("≤ {bound}"),
        None => "—".to_owned(),
    }
}

/// A proposal in a line: its rewrites, its gain, and the quantity that falls most.
pub(crate) fn in_a_line(proposal: &Proposal) -> String {
    let steps: Vec<&str> = proposal.steps.iter().map(|step| step.rewrite).collect();
    let first = proposal.steps.first().map_or(0, |step| step.line);
    let gain = percent(&proposal.gain());
    let left = |change: &&Change| {
        let [before, after] = &change.values;
        after.as_ref()?.checked_div(before.as_ref()?)
    };
    let falls = proposal.changes.iter();
    let falls = falls.filter(|change| left(change).is_some_and(|left| left < Rational::ONE));
    let most = falls.min_by_key(left);
    let short = |change: &Change, at: usize| {
        let formula = formula(change, at);
        match formula.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &formula[..end]),
            None => formula,
        }
    };
    let most = most.map_or_else(String::new, |change| {
        let [before, after] = [0, 1].map(|at| short(change, at));
        format!(": {} {before} → {after}", change.quantity.name())
    });
    format!(
        "{} in line {first}, {gain} less{most}",
        steps.join(", then ")
    )
}

/// The result of a search in a sentence.
pub(crate) fn on_the_whole(
    algorithm: &str,
    machine: &Machine,
    model: &'static str,
    advice: &Advice,
) -> String {
    let report = AdviceReport {
        algorithm,
        machine,
        model,
        charges_conflicts: false,
        advice,
        diffs: &[],
    };
    match &advice.cost {
        None => format!("no rewrite has anything to propose for {algorithm}"),
        Some(cost) => format!("{}; {}", costs(&report, cost), tried(advice)),
    }
}

/// The first sentence: the cost of the program as it is.
fn costs(report: &AdviceReport<'_>, cost: &Rational) -> String {
    let size = match report.size() {
        none if none.is_empty() => String::new(),
        size => format!(", {size}"),
    };
    let basis = match report.advice.basis {
        Basis::Exact => "",
        Basis::Data => ", on data drawn at random: other data may gain more or less",
    };
    format!(
        "{} costs {} by {} on {}{}{size}{basis}",
        report.algorithm,
        duration(cost),
        report.model,
        report.machine.name,
        charged(report.charges_conflicts),
    )
}

fn charged(charges_conflicts: bool) -> &'static str {
    if charges_conflicts {
        ", bank conflicts charged"
    } else {
        ""
    }
}

fn whole(value: &Rational) -> String {
    value
        .to_integer()
        .map_or_else(|| value.to_string(), |whole| grouped(&whole))
}

/// Why a proposal is right.
fn right(right: &Right) -> String {
    let form = match right.keeps {
        Keeps::Values => "the same values by construction; ",
        Keeps::Results => "",
        Keeps::Sums => "sums in another order; ",
    };
    let safe = if right.is_proved_safe {
        "proved safe for every size"
    } else {
        "as much proved safe as before"
    };
    let data = if right.whole_numbers {
        "every output the same bit by bit, of floats that are whole numbers"
    } else {
        "every output the same bit by bit"
    };
    let widths = right.widths.iter();
    let widths: Vec<String> = widths.map(ToString::to_string).collect();
    let ensures = match right.ensures {
        0 => String::new(),
        1 => "; the `ensure` holds".to_owned(),
        _ => "; every `ensure` holds".to_owned(),
    };
    format!(
        "{form}{safe}; {} runs on the same data, {} with several MPs, at b = {}: {data}{ensures}",
        right.runs,
        right.several_mps,
        widths.join(", "),
    )
}

/// The fate of all drafts.
fn tried(advice: &Advice) -> String {
    let tried = &advice.tried;
    let found = advice.proposals.len();
    let mut parts = Vec::new();
    let mut part = |count: usize, told: &str| {
        if count > 0 {
            parts.push(format!("{count} {told}"));
        }
    };
    part(tried.gainless, "gain under 1% or have no cost to compare");
    part(tried.wrong, "could not be shown right");
    part(tried.unchecked, "do not check");
    let others = if parts.is_empty() {
        String::new()
    } else {
        format!("; of the others {}", parts.join(", "))
    };
    let changes = if tried.drafts == 1 {
        "change"
    } else {
        "changes"
    };
    let cut = if tried.is_cut {
        "; the budget of changes is spent"
    } else {
        ""
    };
    format!(
        "{} {changes} tried, {found} worth it{others}{cut}",
        tried.drafts
    )
}
