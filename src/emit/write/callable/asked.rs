//! The conditions on the formals. A function whose conditions fail returns before it has done anything.

use crate::emit::form::Array;
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::callable::Callable;
use crate::emit::write::mentions;
use crate::emit::write::page::Page;

/// The most words of an array that ints tell apart.
const MOST_WORDS: i64 = i32::MAX as i64;

impl Callable<'_> {
    /// Asks for what `let`s rely on: the ends of formals, and the `require`s that name no `let`.
    pub(super) fn asked_first(self, page: &mut Page) {
        let mut asked: Vec<Term> = Vec::new();
        for (_, name, _) in &self.form.formals {
            let formal = || Term::name(name);
            let range = self.manner.indices.range(&formal());
            if range.is_none_or(|(low, _)| low <= 0) {
                asked.push(Term::infix(">=", formal(), Term::Whole(0)));
            }
            if let Some((_, high)) = range {
                asked.push(Term::infix("<=", formal(), Term::Whole(high)));
            }
        }
        asked.extend(self.required(false));
        self.refusing(&asked, page);
    }

    /// Asks for the sizes of arrays, and the other `require`s.
    pub(super) fn asked_then(self, page: &mut Page) {
        let mut asked = self.sizes_asked();
        asked.extend(self.required(true));
        self.refusing(&asked, page);
    }

    /// The `require`s that name a `let`, or the others.
    fn required(self, by_let: bool) -> Vec<Term> {
        let mut asked = Vec::new();
        for (_, term) in &self.form.requires {
            let names_let = |text: &str| {
                let mut lets = self.form.lets.iter();
                lets.any(|(name, _)| mentions(text, name))
            };
            for term in term.iter().flat_map(conjuncts) {
                if names_let(&self.pen().text(&term)) == by_let {
                    asked.push(term);
                }
            }
        }
        asked
    }

    fn refusing(self, asked: &[Term], page: &mut Page) {
        let refused = match self.target {
            Target::C => "1",
            Target::Cuda => "cudaErrorInvalidValue",
            Target::OpenCl => "CL_INVALID_VALUE",
        };
        let all = asked.iter().cloned();
        let Some(all) = all.reduce(|all, one| Term::infix("&&", all, one)) else {
            return;
        };
        let is_refused = self.pen().condition(&Term::not(all));
        page.wrapped(&is_refused, " && ");
        page.within(&format!("return {refused};"));
    }

    /// That no array has more words than ints tell apart, where indices rely on it and the formals do not say so. Each
    /// product is asked for before the next, so that none leaves 64 bits.
    fn sizes_asked(self) -> Vec<Term> {
        let mut asked = Vec::new();
        if !self.manner.indices.is_in_bounds() {
            return asked;
        }
        for array in self.arrays(false) {
            self.size_asked(array, &mut asked);
        }
        asked
    }

    fn size_asked(self, array: &Array, asked: &mut Vec<Term>) {
        let mut words = Term::Whole(1);
        for extent in &array.extents {
            words = Term::infix("*", words, extent.clone());
            let is_known = self.manner.indices.range(&words).is_some();
            let is_asked = Term::infix("<=", words.clone(), Term::Whole(MOST_WORDS));
            if !is_known && !asked.contains(&is_asked) {
                asked.push(is_asked);
            }
        }
    }
}

/// The parts of a condition that all hold where it does.
fn conjuncts(term: &Term) -> Vec<Term> {
    match term {
        Term::Infix("&&", left, right) => [conjuncts(left), conjuncts(right)].concat(),
        term => vec![term.clone()],
    }
}
