//! A text that is being edited, and what is known of it: at once what parsing and checking say, later
//! what deriving and judging say. The last derivation stays while the text is broken, and what it
//! says of a line goes where the line goes.

use std::ops::ControlFlow;

use crate::check::check_text;
use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derive::{derive, faults_of_given};
use crate::diag::{Diagnostic, Label};
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

/// Which costs stand behind the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hints {
    /// None.
    Off,
    /// The blocks of the lines that access global memory.
    #[default]
    Blocks,
    /// How often each line is executed, its operations and its blocks.
    All,
}

/// What a user chooses.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The machine that limits and lints are judged on.
    pub machine: Machine,
    /// Values given to parameters.
    pub parameters: Parameters,
    /// What stands behind the lines.
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

/// A text and what is known of it.
#[derive(Debug, Clone)]
pub struct Document {
    pub(super) source: Source,
    pub(super) settings: Settings,
    pub(super) tree: Option<Algorithm>,
    pub(super) names: Names,
    /// The lines that open and end each block.
    pub(super) blocks: Vec<(usize, usize)>,
    pub(super) derived: Option<Known<Derived>>,
    revision: u64,
    at_once: Vec<Diagnostic>,
    program: Option<Program>,
    judged: Option<Known<Judged>>,
}

/// Something that was found of a text, and where its lines are now.
#[derive(Debug, Clone)]
pub(super) struct Known<T> {
    pub found: T,
    pub lines: Lines,
    /// The text it was found of.
    source: Source,
}

/// What deriving gives.
#[derive(Debug, Clone)]
pub struct Derived {
    pub(super) derivation: Derivation,
    pub(super) program: Program,
    findings: Vec<Diagnostic>,
    revision: u64,
}

/// What judging gives.
#[derive(Debug, Clone)]
pub struct Judged {
    findings: Vec<Diagnostic>,
    safety: Box<Safety>,
    pub(super) requires: Vec<String>,
    revision: u64,
}

/// Work on a text that can be done elsewhere, while the text goes on changing.
#[derive(Debug, Clone)]
pub struct Job {
    program: Program,
    machine: Machine,
    parameters: Parameters,
    formals: Parameters,
    revision: u64,
}

impl Document {
    /// A text, parsed and checked.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let document = Document::open(text, Settings::default());
    /// assert!(document.diagnostics().is_empty());
    /// ```
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
        };
        document.change(text);
        document
    }

    /// The text is another now.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// document.change("algorithm T(n)\n  input A[n\n");
    /// assert_eq!(document.diagnostics().len(), 1);
    /// ```
    pub fn change(&mut self, text: &str) {
        let before = std::mem::replace(&mut self.source, Source::new("program", text));
        if let Some(known) = &mut self.derived {
            known.lines.follow(&before, &self.source);
        }
        if let Some(known) = &mut self.judged {
            known.lines.follow(&before, &self.source);
        }
        self.revision += 1;
        let source = &self.source;
        let (checked, parsed) = with_room(|| (check_text(source), parse(source)));
        self.at_once = checked.diagnostics;
        self.program = checked.program;
        self.blocks = blocks(source);
        self.names = with_room(|| Names::of(source, parsed.algorithm.as_ref(), &self.blocks));
        self.tree = parsed.algorithm;
    }

    /// Other settings: what was derived and judged under the old ones is forgotten.
    ///
    /// ```
    /// use atgpu::editor::{self, Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// document.set(Settings { hints: editor::Hints::Off, ..Settings::default() });
    /// assert!(editor::hints(&document).is_empty());
    /// ```
    pub fn set(&mut self, settings: Settings) {
        let is_display = settings.parameters == self.settings.parameters
            && settings.machine == self.settings.machine;
        self.settings = settings;
        if !is_display {
            self.derived = None;
            self.judged = None;
            self.revision += 1;
        }
    }

    /// The text.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let document = Document::open(text, Settings::default());
    /// assert_eq!(document.source().text(), text);
    /// ```
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The names of the text.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let document = Document::open(text, Settings::default());
    /// assert_eq!(document.names().symbols[1].name, "n");
    /// ```
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Counts changes.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// let before = document.revision();
    /// document.change("");
    /// assert!(document.revision() > before);
    /// ```
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What is left to do for the text as it is; nothing while it is faulty.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// assert!(document.job().is_some());
    /// document.change("algorithm");
    /// assert!(document.job().is_none());
    /// ```
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

    /// Whether what is derived is of the very text.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// assert!(!document.is_derived());
    /// document.finish();
    /// assert!(document.is_derived());
    /// ```
    pub fn is_derived(&self) -> bool {
        self.derivation().is_some()
    }

    /// Takes what was derived; refuses what was derived of an older text.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// let job = document.job().expect("a sound text");
    /// let derived = job.derive(&|_| std::ops::ControlFlow::Continue(()));
    /// assert!(document.take_derived(derived.expect("not stopped")));
    /// ```
    pub fn take_derived(&mut self, found: Derived) -> bool {
        let is_news = found.revision == self.revision;
        if is_news {
            self.derived = Some(Known::new(found, &self.source));
        }
        is_news
    }

    /// Takes what was judged; refuses what was judged of an older text.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// let job = document.job().expect("a sound text");
    /// let judged = job.judge(&|_| std::ops::ControlFlow::Continue(()));
    /// assert!(document.take_judged(judged.expect("not stopped")));
    /// ```
    pub fn take_judged(&mut self, found: Judged) -> bool {
        let is_news = found.revision == self.revision;
        if is_news {
            self.judged = Some(Known::new(found, &self.source));
        }
        is_news
    }

    /// Deriving and judging, here and now.
    ///
    /// ```
    /// use atgpu::editor::{self, Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// document.finish();
    /// assert!(!editor::lenses(&document).is_empty());
    /// ```
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

    /// All that is found: of this text what is known at once, and of what takes longer the latest,
    /// moved with its lines; what was said of a line that has changed since is left out.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// document.change(&text.replace("⇚ A", "⇚ B"));
    /// assert_eq!(document.diagnostics()[0].code.short_name(), "name::unknown");
    /// ```
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

    /// What was derived, while it is of this very text, and of what program.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// assert!(document.derivation().is_none());
    /// document.finish();
    /// let (program, derivation) = document.derivation().expect("derived");
    /// assert_eq!((program.name.as_str(), derivation.claims.len()), ("T", 0));
    /// ```
    pub fn derivation(&self) -> Option<(&Program, &Derivation)> {
        let known = self.derived.as_ref()?;
        let found = Some(&known.found).filter(|found| found.revision == self.revision)?;
        Some((&found.program, &found.derivation))
    }

    /// What was found of its safety, while it is of this very text.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let mut document = Document::open(text, Settings::default());
    /// document.finish();
    /// assert!(document.safety().is_some_and(|safety| safety.is_safe()));
    /// ```
    pub fn safety(&self) -> Option<&Safety> {
        let found = &self.judged.as_ref()?.found;
        (found.revision == self.revision).then_some(&found.safety)
    }

    /// `require`s that would prove what is not proved, while they are known of this very text.
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

/// A finding of an older text in the present one, while its lines are still there.
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
    let is_whole = finding.labels.is_empty() || labels.iter().any(|label| label.primary);
    is_whole.then(|| Diagnostic {
        labels,
        fixes: Vec::new(),
        ..finding.clone()
    })
}

impl Job {
    /// Formulas, and the claims that are wrong. Nothing where it was stopped.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let document = Document::open(text, Settings::default());
    /// let job = document.job().expect("a sound text");
    /// assert!(job.derive(&|_| std::ops::ControlFlow::Break(())).is_none());
    /// ```
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

    /// Limits, safety and lints. Nothing where it was stopped.
    ///
    /// ```
    /// use atgpu::editor::{Document, Settings};
    ///
    /// let text = "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n";
    /// let document = Document::open(text, Settings::default());
    /// let job = document.job().expect("a sound text");
    /// assert!(job.judge(&|_| std::ops::ControlFlow::Break(())).is_none());
    /// ```
    pub fn judge(&self, going: &dyn Fn(u64) -> ControlFlow<()>) -> Option<Judged> {
        let program = &self.program;
        let findings = with_room(|| {
            let counted = lint::lint_while(program, &self.formals, &self.machine, going)?;
            let safety = safety::safety(program, &self.parameters, &self.machine);
            Some((beside(counted, &safety, program, &self.formals), safety))
        });
        let (findings, safety) = findings?;
        let requires = match going(0).is_continue() && !safety.is_safe() {
            true => with_room(|| requires::missing(program, &self.parameters, going)),
            false => Vec::new(),
        };
        going(0).is_continue().then_some(Judged {
            findings,
            safety: Box::new(safety),
            requires,
            revision: self.revision,
        })
    }
}
