//! The conditions on the formals. A function whose conditions fail returns before it has done anything.

use crate::emit::form::MOST_WORDS;
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::callable::Callable;
use crate::emit::write::names_let;
use crate::emit::write::page::Page;

impl Callable<'_> {
    /// Asks for what `let`s rely on: the ends of formals, and the `require`s that name no `let`.
    pub(super) fn asked_first(self, page: &mut Page) {
        let mut asked: Vec<Term> = Vec::new();
        for formal in &self.form.formals {
            let formal = || Term::name(&formal.name);
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
        let sizes = self.form.sizes_to_ask().into_iter();
        let is_few = |words| Term::infix("<=", words, Term::Whole(MOST_WORDS));
        let mut asked: Vec<Term> = sizes.map(|(_, words)| is_few(words)).collect();
        asked.extend(self.required(true));
        self.refusing(&asked, page);
    }

    /// The `require`s that name a `let`, or the others.
    fn required(self, by_let: bool) -> Vec<Term> {
        let mut asked = Vec::new();
        for (_, term) in &self.form.requires {
            for term in term.iter().flat_map(conjuncts) {
                if names_let(self.form, &self.pen().text(&term)) == by_let {
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
}

/// The parts of a condition that all hold where it does.
fn conjuncts(term: &Term) -> Vec<Term> {
    match term {
        Term::Infix("&&", left, right) => [conjuncts(left), conjuncts(right)].concat(),
        term => vec![term.clone()],
    }
}
