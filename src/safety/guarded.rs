//! The missing guard: an `if` around the statements from the one that failed on, under which its
//! indices are inside.
//!
//! Takes the accesses that runs have refuted, writes the program with an `if` in it, and proves that:
//! a guard is proposed where the access is proved under it and nothing else is less safe than before.

use crate::check::check_text;
use crate::count::Parameters;
use crate::diag::Fix;
use crate::program::{ParamId, Program, Stmt, StmtKind, Word, nested};
use crate::safety::proofs;
use crate::safety::verdict::{Guard, Judged, Property, Rule, Subject, Verdict};
use crate::syntax::signs::spelled;
use crate::text::{Source, Span};

/// Programs with a guard in them that are proved.
const MOST_PROOFS: usize = 6;

/// Gives refuted accesses the guard that is missing, where one will do.
pub(crate) fn propose(program: &Program, given: &Parameters, judged: &mut [Judged]) {
    let mut proofs_left = MOST_PROOFS;
    let before = unproved(judged);
    for at in 0..judged.len() {
        for guard in candidates(program, &judged[at]).unwrap_or_default() {
            if proofs_left == 0 {
                return;
            }
            proofs_left -= 1;
            let Some(anew) = guard.proofs(program, given) else {
                continue;
            };
            let is_proved = |place: &Judged| guard.proves(place, &anew);
            let after = unproved(&anew);
            let is_no_worse = before
                .iter()
                .zip(&after)
                .all(|(before, after)| after <= before);
            if !is_no_worse || !is_proved(&judged[at]) {
                continue;
            }
            // Whatever else failed and is proved under it has the same guard.
            for place in judged.iter_mut() {
                let has_it = place.property == Property::Bounds && is_proved(place);
                if let Verdict::Refuted(witness) = &mut place.verdict
                    && has_it
                    && witness.guard.is_none()
                {
                    witness.guard = Some(guard.clone());
                }
            }
            break;
        }
    }
}

/// How much is not proved, of each property.
pub(super) fn unproved(judged: &[Judged]) -> [usize; 5] {
    Property::ALL.map(|property| {
        let of = |found: &&Judged| found.property == property && !found.verdict.is_proved();
        judged.iter().filter(of).count()
    })
}

impl Guard {
    /// What is proved of the program with the guard in it; nothing where that is no program.
    fn proofs(&self, program: &Program, given: &Parameters) -> Option<Vec<Judged>> {
        let source = &program.source;
        let text = self.fix.apply(source.text());
        let guarded = check_text(&Source::new(source.name(), &text)).program?;
        Some(proofs(&guarded, given))
    }

    /// Whether a place of the program without it is proved with it, and still reached.
    fn proves(&self, place: &Judged, anew: &[Judged]) -> bool {
        let edits = self.fix.edits.iter();
        let before = edits.filter(|edit| edit.span.start <= place.span.start);
        let start = before.fold(place.span.start, |start, edit| {
            start + edit.text.len() - edit.span.len()
        });
        let is_same =
            |other: &&Judged| other.property == place.property && other.span.start == start;
        let mut found = anew.iter().filter(is_same).peekable();
        let holds = |other: &Judged| match other.verdict {
            Verdict::Proved(rule) => rule != Rule::Never,
            Verdict::Refuted(_) | Verdict::Open(_) => false,
        };
        found.peek().is_some() && found.all(holds)
    }
}

/// The guards that may do for a place that has none yet: each bound of each index, around the rest of
/// the block and around the statement alone.
fn candidates(program: &Program, place: &Judged) -> Option<Vec<Guard>> {
    let is_access = matches!(
        place.subject,
        Subject::Read(_) | Subject::Write(_) | Subject::Update(_)
    );
    let is_unguarded =
        matches!(&place.verdict, Verdict::Refuted(witness) if witness.guard.is_none());
    if place.property != Property::Bounds || !is_access || !is_unguarded {
        return None;
    }
    let (stmt, word) = access(program, place.span)?;
    let source = &program.source;
    let dimensions = &program.variable(word.variable).dimensions;
    let texts: Vec<(&str, &str)> = word
        .indices
        .iter()
        .zip(dimensions)
        .map(|(index, extent)| {
            (
                source.slice(index.span).trim(),
                source.slice(extent.span).trim(),
            )
        })
        .collect();
    let below = texts
        .iter()
        .map(|(index, extent)| format!("{index} < {extent}"));
    let above = texts.iter().map(|(index, _)| format!("{index} ≥ 0"));
    let conditions = below.chain(above);
    let (line, end) = (
        source.line_of(stmt.span.start),
        block_end(source, stmt.span)?,
    );
    let mut candidates = Vec::from_iter(mended(program, stmt, &texts));
    candidates.extend(shortened(program, stmt, &texts));
    for condition in conditions {
        // The rest of the block, else the statement alone.
        let alone = (!opens(&stmt.kind) && line + 1 < end).then_some(line + 1);
        for end in [Some(end), alone].into_iter().flatten() {
            let text = spelled(source, &format!("if {condition} then"));
            let fix = around(source, line..end, &text);
            candidates.push(Guard { text, fix });
        }
    }
    Some(candidates)
}

/// The guard around a statement with `<` for `≤`, where it compares an index with its extent: `if ib + j ≤ n` lets one in
/// too many, and a second guard in it would only hide that.
fn mended(program: &Program, stmt: &Stmt, texts: &[(&str, &str)]) -> Option<Guard> {
    let source = &program.source;
    for guard in program.statements() {
        let StmtKind::If { condition, body } = &guard.kind else {
            continue;
        };
        if !nested(body).any(|inner| inner.span == stmt.span) {
            continue;
        }
        let text = source.slice(condition.span);
        for (index, extent) in texts {
            for sign in ["≤", "<="] {
                let written = format!("{index} {sign} {extent}");
                let Some(at) = text.find(&written) else {
                    continue;
                };
                let behind = text[at + written.len()..].trim_start();
                let goes_on = |c: char| c.is_alphanumeric() || "+-−*·/^_[(".contains(c);
                if behind.starts_with(goes_on) {
                    continue;
                }
                let start = condition.span.start + at + index.len() + 1;
                let strict = text.replacen(&written, &format!("{index} < {extent}"), 1);
                return Some(Guard {
                    text: format!("if {strict} then"),
                    fix: Fix::write(Span::new(start, start + sign.len()), "<"),
                });
            }
        }
    }
    None
}

/// The loop or the launch around a statement that runs one too far, with its last number: `for v = 0 → k` and `MP[0..k]`,
/// where v is an index of an extent k. One from 1 to k counts from 0 then, as indices do.
fn shortened(program: &Program, stmt: &Stmt, texts: &[(&str, &str)]) -> Option<Guard> {
    let source = &program.source;
    let text = |span: Span| source.slice(span).trim();
    let ends = |variable: ParamId, to: Span| {
        let name = program.parameter(variable).name.as_str();
        let is_end = |(index, extent): &&(&str, &str)| *index == name && *extent == text(to);
        texts.iter().find(is_end).map(|(_, extent)| *extent)
    };
    for outer in program.statements() {
        if let StmtKind::For {
            variable,
            from,
            to,
            down: false,
            body,
        } = &outer.kind
            && body.iter().any(|inner| inner.span == stmt.span)
            && let Some(extent) = ends(*variable, to.span)
        {
            let first = if text(from.span) == "1" {
                "0"
            } else {
                text(from.span)
            };
            let name = &program.parameter(*variable).name;
            let text = spelled(source, &format!("for {name} = {first} → {extent} - 1 do"));
            let fix = Fix::titled(format!("write `{text}`"), to.span, format!("{extent} - 1"));
            let fix = fix.and(from.span, first);
            return Some(Guard { text, fix });
        }
    }
    for kernel in program.kernels() {
        if !kernel.statements().any(|inner| inner.span == stmt.span) {
            continue;
        }
        for range in &kernel.mps {
            let Some(extent) = ends(range.parameter, range.high.span) else {
                continue;
            };
            let text = format!("MP[{}..{extent} - 1]", text(range.low.span));
            let title = format!("launch `{text}`: the last MP is number `{extent} - 1`");
            let fix = Fix::titled(title, range.high.span, format!("{extent} - 1"));
            return Some(Guard { text, fix });
        }
    }
    None
}

/// The statement of a kernel that touches a word written at a place, and the word.
pub(super) fn access(program: &Program, span: Span) -> Option<(&Stmt, &Word)> {
    program.statements().find_map(|stmt| {
        let parts = stmt.kind.parts();
        let mut words: Vec<&Word> = parts.places().collect();
        parts
            .values
            .into_iter()
            .for_each(|value| value.words(&mut words));
        let word = words.into_iter().find(|word| word.span == span)?;
        Some((stmt, word))
    })
}

fn opens(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. }
    )
}

/// The line that ends the block around a statement.
fn block_end(source: &Source, inside: Span) -> Option<usize> {
    let mut depth = 0_usize;
    for line in source.line_of(inside.start)..=source.line_count() {
        let text = source.slice(source.line_span(line));
        let mut words = text.split_whitespace();
        match words.next() {
            Some("if" | "for" | "while") => depth += 1,
            Some("end") => match depth.checked_sub(1) {
                Some(fewer) => depth = fewer,
                None => return Some(line),
            },
            // A label of a paper's listing: blocks are not told apart by their first word.
            Some(label) if label.ends_with(':') => return None,
            _ => {}
        }
    }
    None
}

/// An `if` around lines, which move to the right.
fn around(source: &Source, lines: std::ops::Range<usize>, opening: &str) -> Fix {
    let at = |line: usize| source.line_span(line).start;
    let text = source.slice(source.line_span(lines.start));
    let indent = &text[..text.len() - text.trim_start().len()];
    let start = Span::new(at(lines.start), at(lines.start));
    let title = format!("guard it with `{opening}`");
    let mut fix = Fix::titled(title, start, format!("{indent}{opening}\n  "));
    for line in lines.clone().skip(1) {
        if !source.slice(source.line_span(line)).trim().is_empty() {
            fix = fix.and(Span::new(at(line), at(line)), "  ");
        }
    }
    let end = Span::new(at(lines.end), at(lines.end));
    fix.and(end, format!("{indent}end if\n"))
}
