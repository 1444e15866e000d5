//! The places of statements.

use crate::syntax::ast::{BlockKind, CoreLoop, Habitat, Manner, Name, Stmt, Wrapper};
use crate::syntax::blocks::TreeBuilder;
use crate::syntax::blocks::block::{Block, Opened};
use crate::syntax::error::SyntaxError;
use crate::text::Span;

pub(super) const NAMED_KERNEL: Manner = Manner {
    what: "a named kernel",
    habitats: &[],
    help: "kernels stand between the header and the first statement, outside all blocks",
    opens: Some(BlockKind::Kernel),
};

impl TreeBuilder<'_> {
    /// Returns true if a statement may stand here; reports it otherwise. Moves may stand on the
    /// host and in
    /// core loops alike: `check` decides whether the arrow fits the scopes.
    pub(super) fn fits(&mut self, manner: &Manner, span: Span) -> bool {
        let place = self.place();
        let fits = place == Habitat::Anywhere || manner.habitats.contains(&place);
        if !fits {
            self.misplaced(manner, span);
        }
        fits
    }

    pub(super) fn misplaced(&mut self, manner: &Manner, span: Span) {
        let place = self.place().phrase();
        let number = self.diagnostics.len();
        let block = self.blocks.last_mut().map(|block| {
            block.is_faulty = true;
            block.misplaced.push(number);
            block.span
        });
        self.report(SyntaxError::Misplaced {
            what: manner.what,
            place,
            help: manner.help,
            span,
            block,
        });
    }

    /// Returns the kind of the present place.
    pub(super) fn place(&self) -> Habitat {
        self.blocks
            .last()
            .map_or(Habitat::Host, |block| block.inside)
    }

    /// Checks that the core's indices are the MP's and one more.
    pub(super) fn check_indices(&mut self, core_loop: &CoreLoop) {
        let Some(Block {
            opened: Some(Opened::Statement(Stmt::Wrapper(wrapper))),
            ..
        }) = self.blocks.last()
        else {
            return;
        };
        let mp = texts(&wrapper.indices);
        let found = texts(&core_loop.indices);
        let Some((own, leading)) = found.split_last() else {
            return;
        };
        if leading == mp {
            return;
        }
        let own = if mp.contains(own) { "j" } else { own };
        self.report(SyntaxError::CoreIndices {
            found: subscripted("c", &found),
            wanted: format!("c_{{{},{own}}}", mp.join(",")),
            span: span_of(&core_loop.indices),
            mp: span_of(&wrapper.indices),
        });
    }

    /// Reports a wrapper loop without a core loop, which does nothing.
    pub(super) fn check_core_loops(&mut self, wrapper: &Wrapper) {
        let is_core_loop = |statement: &Stmt| matches!(statement, Stmt::CoreLoop(_));
        if wrapper.body.iter().any(is_core_loop) {
            return;
        }
        let indices = texts(&wrapper.indices);
        self.report(SyntaxError::NoCoreLoop {
            core: format!("c_{{{},j}}", indices.join(",")),
            set: subscripted("C", &indices),
            span: wrapper.span,
        });
    }
}

fn texts(names: &[Name]) -> Vec<&str> {
    names.iter().map(|name| name.text.as_str()).collect()
}

fn span_of(names: &[Name]) -> Span {
    let spans = names.iter().map(|name| name.span);
    spans.reduce(Span::to).unwrap_or_default()
}

/// Formats `C_i` or `C_{y,x}`.
fn subscripted(letter: &str, indices: &[&str]) -> String {
    match indices {
        [only] => format!("{letter}_{only}"),
        _ => format!("{letter}_{{{}}}", indices.join(",")),
    }
}
