//! The search for the contents of variables: ends between which all words lie that the program writes itself.
//!
//! Ends are supposed, and every write is held against them, with the words that it reads between theirs. An end that
//! some write may pass is let go, and the rest are tried again, until none goes. In `_m[j] ← (_l[j] + _h[j]) div 2`
//! under `_l[j] < _h[j]`, `_m[j] ≤ n - 1` follows from `_h[j] ≤ n`.
//!
//! Theorem: if every write keeps the ends wherever the words that it reads keep theirs, all words keep them. Otherwise
//! some write of a run would be the first to pass an end, and the words that it read were within theirs.

use crate::count::Parameters;
use crate::program::sources::{Source, sources_in};
use crate::program::{
    Expr as Checked, HostStmt, Program, Role, StmtKind, VarId, Word, WordType, nested_on_host,
};
use crate::safety::contents::{Contents, End, group, key};
use crate::safety::forms::Forms;
use crate::safety::verdict::{Judged, Rule, Verdict};
use crate::safety::walk::Walk;
use crate::safety::{Setting, known, take_over, walked};
use crate::sym::Expr;
use crate::symbolic::symbols::Symbols;

/// The most extents whose numbers words are supposed to be.
const MOST_EXTENTS: usize = 4;

/// The most walks in which ends are let go.
const MOST_WALKS: usize = 5;

/// Proves what the contents of variables prove.
pub(super) fn prove(program: &Program, setting: Setting<'_>, judged: &mut [Judged]) {
    if judged.iter().all(|found| found.verdict.is_proved()) {
        return;
    }
    let Some(contents) = found(program, setting) else {
        return;
    };
    let setting = Setting {
        contents: &contents,
        ..setting
    };
    let Some(mut walk) = walked(program, setting, Walk::new) else {
        return;
    };
    for found in &mut walk.judged {
        if let Verdict::Proved(rule @ Rule::DeclaredRange) = &mut found.verdict {
            *rule = Rule::Contents;
        }
    }
    take_over(&walk.judged, judged);
}

/// The ends that all writes keep; `None` where none is found.
fn found(program: &Program, setting: Setting<'_>) -> Option<Contents> {
    let mut contents = supposed(program, setting.given)?;
    for _ in 0..MOST_WALKS {
        contents.is_changed = false;
        let setting = Setting {
            contents: &contents,
            ..setting
        };
        let walk = walked(program, setting, Walk::of_contents)?;
        contents = walk.forms.contents;
        if contents.is_empty() {
            return None;
        }
        if !contents.is_changed {
            return Some(contents);
        }
    }
    None
}

/// The ends to begin with: words that decide an index, and those they come from, are numbers of the extents that such
/// indices have, or one more.
fn supposed(program: &Program, given: &Parameters) -> Option<Contents> {
    let pointing = Pointing::in_program(program);
    let mut symbols = Symbols::new(program);
    let _ = known(program, given, &mut symbols);
    let forms = Forms::new(program, symbols);
    let mut ends = vec![End::Least(Expr::zero())];
    for (array, dimension) in pointing.extents.into_iter().take(MOST_EXTENTS) {
        let Some(extent) = forms
            .extents(array)
            .and_then(|mut of| of.drain(..).nth(dimension))
        else {
            continue;
        };
        for most in [&extent - 1, extent] {
            let end = End::Most(most);
            if !ends.contains(&end) {
                ends.push(end);
            }
        }
    }
    let variables = pointing.variables.into_iter();
    let contents = Contents {
        ends: variables
            .map(|variable| (key(program, variable), ends.clone()))
            .collect(),
        is_changed: false,
    };
    (!contents.is_empty()).then_some(contents)
}

/// The words that decide indices.
#[derive(Default)]
struct Pointing {
    /// The arrays of such indices, each with the number of the index.
    extents: Vec<(VarId, usize)>,
    /// The variables of the words, and those that the words come from.
    variables: Vec<VarId>,
}

impl Pointing {
    fn in_program(program: &Program) -> Pointing {
        let mut pointing = Pointing::default();
        for statement in nested_on_host(&program.body) {
            let HostStmt::Kernel(kernel) = statement else {
                continue;
            };
            for statement in kernel.statements() {
                let written = statement.kind.parts().write;
                let mut words = statement.kind.reads();
                words.extend(written.map(|(target, _)| target));
                for word in words {
                    pointing.add_indices(program, word);
                }
                if let StmtKind::For { from, to, .. } = &statement.kind {
                    pointing.add(program, from.into());
                    pointing.add(program, to.into());
                }
            }
        }
        pointing
    }

    fn add_indices(&mut self, program: &Program, word: &Word) {
        for (dimension, index) in word.indices.iter().enumerate() {
            let index = Checked::from(index);
            let extent = (word.variable, dimension);
            if index.reads_words() && !self.extents.contains(&extent) {
                self.extents.push(extent);
            }
            self.add(program, index);
        }
    }

    /// Adds the variables of the words in an expression, and of all that is written to them.
    fn add(&mut self, program: &Program, expr: Checked<'_>) {
        let mut words = Vec::new();
        expr.words(&mut words);
        for word in words {
            self.add_variable(program, word.variable);
        }
    }

    fn add_variable(&mut self, program: &Program, id: VarId) {
        let group = group(program, id);
        let is_free = |id: &VarId| {
            let variable = program.variable(*id);
            variable.role != Role::Input
                && variable.range.is_none()
                && variable.word_type == WordType::Int
        };
        if self.variables.contains(&id) || !group.iter().all(is_free) {
            return;
        }
        self.variables.extend(&group);
        for source in sources_in(&program.body, &group) {
            match source {
                Source::Words(from) => self.add_variable(program, from),
                Source::Value(value) => self.add(program, value.into()),
                Source::Unknown => {}
            }
        }
    }
}
