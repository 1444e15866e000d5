//! A text that is being edited, and the results known for it. Parsing and checking answer at once, deriving
//! and judging later. The last derivation stays while the text is broken, and its results move with their
//! lines.

use std::ops::ControlFlow;

use crate::check::check_text;
use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derive::{derive, faults_of_given};
use crate::diag::{Code, Diagnostic, Label, Severity};
#[cfg(feature = "study")]
use crate::editor::advised::{Advised, advised};
use crate::editor::lines::Lines;
use crate::editor::names::Names;
use crate::editor::requires;
use crate::interval::unbounded_loops;
use crate::lint;
use crate::machine::Machine;
use crate::program::Program;
use crate::report::derivation::claims;
use crate::report::safety::beside;
use crate::room::with_room;
use crate::safety::{self, Safety};
use crate::syntax::ast::Algorithm;
use crate::syntax::parse;
use crate::syntax::tokens::blocks;
use crate::text::{Source, Span};

/// The most bytes of a text that is looked at: all of it is parsed and checked at every key.
const MOST_BYTES: usize = 1 << 20;

/// The costs to show behind the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hints {
    /// No costs.
    Off,
    /// The blocks of the lines that access global memory.
    #[default]
    Blocks,
    /// The executions, operations and blocks of each line.
    All,
}

/// The choices of the user.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The machine that limits and lints are judged on.
    pub machine: Machine,
    /// The values given to parameters.
    pub parameters: Parameters,
    /// The costs to show behind the lines.
    pub hints: Hints,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            machine: Machine::built_in("gtx650").expect("the default machine is built in"),
            parameters: Parameters::new(),
            hints: Hints::default(),
        }
    }
}

/// A text and the results known for it.
#[derive(Debug, Clone)]
pub struct Document {
    pub(super) source: Source,
    pub(super) settings: Settings,
    pub(super) tree: Option<Algorithm>,
    pub(super) names: Names,
    /// The first and last line of each block.
    pub(super) blocks: Vec<(usize, usize)>,
    pub(super) derived: Option<Known<Derived>>,
    revision: u64,
    at_once: Vec<Diagnostic>,
    program: Option<Program>,
    judged: Option<Known<Judged>>,
    /// The result of the last search for changes that save something.
    #[cfg(feature = "study")]
    advised: Option<Advised>,
}

/// A result about a text, and the present places of its lines.
#[derive(Debug, Clone)]
pub(super) struct Known<T> {
    pub found: T,
    pub lines: Lines,
    /// The text that the result is about.
    source: Source,
}

/// The result of deriving.
#[derive(Debug, Clone)]
pub struct Derived {
    pub(super) derivation: Derivation,
    pub(super) program: Program,
    findings: Vec<Diagnostic>,
    revision: u64,
}

/// The result of judging.
#[derive(Debug, Clone)]
pub struct Judged {
    findings: Vec<Diagnostic>,
    safety: Box<Safety>,
    pub(super) requires: Vec<String>,
    revision: u64,
}

/// Work on a text that can run elsewhere while the text goes on changing.
#[derive(Debug, Clone)]
pub struct Job {
    program: Program,
    machine: Machine,
    parameters: Parameters,
    formals: Parameters,
    revision: u64,
}

impl Document {
    /// Opens a text: parses and checks it.
    pub fn open(text: &str, settings: Settings) -> Document {
        let mut document = Document {
            source: Source::new("program", ""),
            settings,
            tree: None,
            names: Names::default(),
            blocks: Vec::new(),
            derived: None,
            revision: 0,
            at_once: Vec::new(),
            program: None,
            judged: None,
            #[cfg(feature = "study")]
            advised: None,
        };
        document.change(text);
        document
    }

    /// Replaces the text.
    pub fn change(&mut self, text: &str) {
        // Results of older texts are kept: their lines follow the change before anything else. The new
        // revision makes jobs of the older text worthless.
        let before = std::mem::replace(&mut self.source, Source::new("program", text));
        if let Some(known) = &mut self.derived {
            known.lines.follow(&before, &self.source);
        }
        if let Some(known) = &mut self.judged {
            known.lines.follow(&before, &self.source);
        }
        self.revision += 1;
        if self.is_too_large() {
            self.forget();
            return;
        }
        let source = &self.source;
        let (checked, parsed) = with_room(|| (check_text(source), parse(source)));
        self.at_once = checked.diagnostics;
        self.program = checked.program;
        self.blocks = blocks(source);
        self.names = with_room(|| Names::of(source, parsed.algorithm.as_ref(), &self.blocks));
        self.tree = parsed.algorithm;
    }

    /// Returns true if the text is larger than any program that a person edits. Then nothing is known of it, so that every
    /// answer comes at once.
    pub fn is_too_large(&self) -> bool {
        self.source.text().len() > MOST_BYTES
    }

    /// Forgets the text before, and says why nothing is known of this one.
    fn forget(&mut self) {
        self.tree = None;
        self.program = None;
        self.names = Names::default();
        self.blocks = Vec::new();
        let code = Code::find("syntax::too-deep").expect("in the table of codes");
        self.at_once = vec![Diagnostic {
            code,
            severity: Severity::Warning,
            message: self.too_large().into(),
            help: Some("`atgpu check` reads larger texts".to_owned()),
            fixes: Vec::new(),
            labels: vec![Label {
                text: "this text".to_owned(),
                span: Span::new(0, 0),
                primary: true,
            }],
        }];
    }

    /// The reason why nothing is known of a text.
    pub(super) fn too_large(&self) -> String {
        let (length, most) = (self.source.text().len(), MOST_BYTES);
        format!("a text of {length} bytes; an editor is answered about texts of up to {most}")
    }

    /// Replaces the settings. Results that were derived and judged under the old ones are dropped.
    pub fn set(&mut self, settings: Settings) {
        // Hints only change the display, so results survive a change of hints.
        let is_display = settings.parameters == self.settings.parameters
            && settings.machine == self.settings.machine;
        self.settings = settings;
        if !is_display {
            self.derived = None;
            self.judged = None;
            self.revision += 1;
        }
    }

    /// Returns the text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the names of the text.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the number of changes so far.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the work left to do for the present text; `None` while it or a given value is faulty.
    pub fn job(&self) -> Option<Job> {
        let program = self.program.clone()?;
        let is_formal = |name: &str| program.has_formal(name);
        // A value for a parameter that this program lacks is meant for its neighbours.
        let given = &self.settings.parameters;
        let known: Parameters = given
            .iter()
            .filter(|(name, _)| is_formal(name) || crate::machine::OVERRIDABLE.contains(name))
            .map(|(name, value)| (name, value.clone()))
            .collect();
        let (machine, formals) = self
            .settings
            .machine
            .with_overrides(&known, is_formal)
            .ok()?;
        Some(Job {
            program,
            machine,
            parameters: known,
            formals,
            revision: self.revision,
        })
    }

    /// Returns true if the derivation is of the present text.
    pub fn is_derived(&self) -> bool {
        self.derivation().is_some()
    }

    /// Takes a result of deriving; refuses it if it is of an older text.
    pub fn take_derived(&mut self, found: Derived) -> bool {
        let is_news = found.revision == self.revision;
        if is_news {
            self.derived = Some(Known::new(found, &self.source));
        }
        is_news
    }

    /// Takes a result of judging; refuses it if it is of an older text.
    pub fn take_judged(&mut self, found: Judged) -> bool {
        let is_news = found.revision == self.revision;
        if is_news {
            self.judged = Some(Known::new(found, &self.source));
        }
        is_news
    }

    /// Derives and judges the present text at once.
    pub fn finish(&mut self) {
        let going = |_| ControlFlow::Continue(());
        if let Some(job) = self.job() {
            if let Some(derived) = job.derive(&going) {
                self.take_derived(derived);
            }
            if let Some(judged) = job.judge(&going) {
                self.take_judged(judged);
            }
        }
    }

    /// Returns all findings: the immediate ones of this text, and the latest ones of deriving and judging,
    /// moved with their lines. Findings of a line that has changed since are left out.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found = self.at_once.clone();
        let later = |list: &[Diagnostic], lines: &Lines, old: &Source| -> Vec<Diagnostic> {
            let moved = list.iter();
            moved
                .filter_map(|one| moved_to(one, lines, old, &self.source))
                .collect()
        };
        if let Some(known) = &self.derived {
            found.extend(later(&known.found.findings, &known.lines, &known.source));
        }
        if let Some(known) = &self.judged {
            found.extend(later(&known.found.findings, &known.lines, &known.source));
        }
        found.sort_by_key(|finding| finding.primary().map(|label| label.span));
        found
    }

    /// Returns the derived program and its derivation, if they are of the present text.
    pub fn derivation(&self) -> Option<(&Program, &Derivation)> {
        let known = self.derived.as_ref()?;
        let found = Some(&known.found).filter(|found| found.revision == self.revision)?;
        Some((&found.program, &found.derivation))
    }

    /// Returns the safety of the program, if it is of the present text.
    pub fn safety(&self) -> Option<&Safety> {
        let found = &self.judged.as_ref()?.found;
        (found.revision == self.revision).then_some(&found.safety)
    }

    /// Returns `require`s that would prove the unproved; empty unless they are of the present text.
    pub(super) fn missing_requires(&self) -> &[String] {
        match &self.judged {
            Some(known) if known.found.revision == self.revision => &known.found.requires,
            Some(_) | None => &[],
        }
    }
}

impl<T> Known<T> {
    fn new(found: T, source: &Source) -> Known<T> {
        Known {
            found,
            lines: Lines::of(source),
            source: source.clone(),
        }
    }
}

/// Moves a finding of an older text into the present one; `None` if its primary line is gone.
fn moved_to(finding: &Diagnostic, lines: &Lines, old: &Source, new: &Source) -> Option<Diagnostic> {
    if old.text() == new.text() {
        return Some(finding.clone());
    }
    let place = |label: &Label| {
        let line = old.line_of(label.span.start);
        let start = new.line_span(lines.now(line)?).start;
        let shifted = start + label.span.start - old.line_span(line).start;
        Some(Label {
            span: Span::new(shifted, shifted + label.span.len()),
            ..label.clone()
        })
    };
    let labels: Vec<Label> = finding.labels.iter().filter_map(place).collect();
    // A label in a lost line is dropped; without its primary label the whole finding goes. The fixes always go:
    // their edits may span lines that no longer belong together.
    let is_whole = finding.labels.is_empty() || labels.iter().any(|label| label.primary);
    is_whole.then(|| Diagnostic {
        labels,
        fixes: Vec::new(),
        ..finding.clone()
    })
}

impl Job {
    /// Derives formulas and refutes wrong claims. Returns `None` if it was stopped or the program is at
    /// fault.
    pub fn derive(&self, going: &dyn Fn(u64) -> ControlFlow<()>) -> Option<Derived> {
        let program = &self.program;
        let faults = faults_of_given(program, &self.parameters);
        if !faults.is_empty() || !unbounded_loops(program).is_empty() {
            return None;
        }
        let derivation = with_room(|| derive(program, &self.parameters));
        going(0).is_continue().then(|| Derived {
            findings: [
                derivation.mismatches(),
                claims::refuted(program, &derivation),
            ]
            .concat(),
            derivation,
            program: program.clone(),
            revision: self.revision,
        })
    }

    /// Judges limits, safety and lints. Returns `None` if it was stopped.
    pub fn judge(&self, going: &dyn Fn(u64) -> ControlFlow<()>) -> Option<Judged> {
        let program = &self.program;
        let findings = with_room(|| {
            let counted = lint::lint_while(program, &self.formals, &self.machine, going)?;
            let safety = safety::safety(program, &self.parameters, &self.machine);
            Some((beside(counted, &safety, program, &self.formals), safety))
        });
        let (findings, safety) = findings?;
        // The search for `require`s proves the program many times over, so a safe program skips it.
        let requires = if going(0).is_continue() && !safety.is_safe() {
            with_room(|| requires::missing(program, &self.parameters, going))
        } else {
            Vec::new()
        };
        going(0).is_continue().then_some(Judged {
            findings,
            safety: Box::new(safety),
            requires,
            revision: self.revision,
        })
    }
}

#[cfg(feature = "study")]
impl Document {
    /// Takes the result of a search for changes; refuses it if it is of an older text.
    pub fn take_advised(&mut self, found: Advised) -> bool {
        let is_news = found.revision == self.revision();
        if is_news {
            self.advised = Some(found);
        }
        is_news
    }

    /// Returns the result of the last search, if it is of the present text.
    pub fn advised(&self) -> Option<&Advised> {
        let found = self.advised.as_ref();
        found.filter(|found| found.revision == self.revision())
    }
}

#[cfg(feature = "study")]
impl Job {
    /// Looks for changes that save something. Returns `None` if it was stopped.
    pub fn advise(&self, going: &dyn Fn() -> ControlFlow<()>) -> Option<Advised> {
        let on = (&self.machine, &self.formals);
        advised(&self.program, on, self.revision, going)
    }
}
