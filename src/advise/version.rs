//! A version of a program: the original, or one with rewrites, with everything worked out about it once.

use std::cell::OnceCell;

use crate::advise::claims;
use crate::advise::subject::Subject;
use crate::check::check_text;
use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derive::{derive_conflicting, derive_counts, derive_to_judge};
use crate::diag::{Edit, edited};
use crate::number::Rational;
use crate::program::Program;
use crate::safety::{Property, proofs};
use crate::syntax::ast::{Algorithm, Declaration};
use crate::syntax::parse;
use crate::text::{Source, Span};

/// A program with what is known of it.
pub(super) struct Version {
    pub(super) program: Program,
    tree: Algorithm,
    counts: OnceCell<Derivation>,
    judged: OnceCell<Derivation>,
    conflicting: OnceCell<Derivation>,
    /// The cost at the size of the search, without conflicts charged and with them.
    pub(super) priced: [OnceCell<Option<Rational>>; 2],
    unproved: OnceCell<Vec<usize>>,
}

impl Version {
    /// Takes a checked program.
    pub(super) fn of(program: Program) -> Option<Version> {
        let tree = parse(&program.source).algorithm?;
        Some(Version {
            program,
            tree,
            counts: OnceCell::new(),
            judged: OnceCell::new(),
            conflicting: OnceCell::new(),
            priced: Default::default(),
            unproved: OnceCell::new(),
        })
    }

    /// Checks a text.
    fn read(name: &str, text: &str) -> Option<Version> {
        let program = check_text(&Source::new(name, text)).program?;
        Version::of(program)
    }

    /// This version with edits made, and without the shared arrays that it does not need any more.
    pub(super) fn with(&self, edits: &[Edit]) -> Option<Version> {
        let source = &self.program.source;
        let mut version = Version::read(source.name(), &edited(source.text(), edits))?;
        while let Some(edit) = version.unused_array(self) {
            let text = edited(version.program.source.text(), &[edit]);
            version = Version::read(source.name(), &text)?;
        }
        Some(version)
    }

    /// This version with the claims that no longer hold told anew, or left out.
    pub(super) fn with_true_claims(&self) -> Option<Version> {
        let edits = claims::mended(&self.subject(), self.derivation(false));
        let source = &self.program.source;
        Version::read(source.name(), &edited(source.text(), &edits))
    }

    pub(super) fn subject(&self) -> Subject<'_> {
        Subject::new(&self.program, &self.tree)
    }

    pub(super) fn text(&self) -> &str {
        self.program.source.text()
    }

    /// The counts, for a price: no claim is judged.
    pub(super) fn counts(&self) -> &Derivation {
        let derive = || derive_counts(&self.program, &Parameters::new());
        let known = self.judged.get();
        known.unwrap_or_else(|| self.counts.get_or_init(derive))
    }

    /// The derivation; each shared operand is charged its degree on request.
    pub(super) fn derivation(&self, charges_conflicts: bool) -> &Derivation {
        let none = Parameters::new();
        if charges_conflicts {
            let derive = || derive_conflicting(&self.program, &none);
            self.conflicting.get_or_init(derive)
        } else {
            let derive = || derive_to_judge(&self.program, &none);
            self.judged.get_or_init(derive)
        }
    }

    /// The number of places without a proof, for each property.
    pub(super) fn unproved(&self) -> &[usize] {
        self.unproved.get_or_init(|| {
            let judged = proofs(&self.program, &Parameters::new());
            let open = |property: Property| {
                let of = judged.iter().filter(|found| found.property == property);
                of.filter(|found| !found.verdict.is_proved()).count()
            };
            Property::ALL.map(open).to_vec()
        })
    }

    /// The edit that removes a shared array which only the version before named in a kernel.
    fn unused_array(&self, before: &Version) -> Option<Edit> {
        let nowhere = Span::default();
        let (old, new) = (before.subject(), self.subject());
        let arrays: Vec<&Declaration> = new.shared().collect();
        let at = arrays.iter().position(|array| {
            let name = &array.name.text;
            old.is_named_outside(name, nowhere) && !new.is_named_outside(name, nowhere)
        })?;
        let array = arrays[at];
        let same_line = |other: &usize| {
            let other = arrays.get(*other);
            other.is_some_and(|other| other.keyword_span == array.keyword_span)
        };
        let next = Some(at + 1).filter(same_line).map(|at| arrays[at].span);
        let last = at
            .checked_sub(1)
            .filter(same_line)
            .map(|at| arrays[at].span);
        let span = match (last, next) {
            (Some(last), _) => Span::new(last.end, array.span.end),
            (None, Some(next)) => Span::new(array.span.start, next.start),
            (None, None) => new.lines(array.span),
        };
        Some(Edit {
            span,
            text: String::new(),
        })
    }
}
