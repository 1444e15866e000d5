//! Which statement may stand where.

use crate::syntax::ast::{Arrow, CoreLoop, Name, Stmt, Wrapper};
use crate::syntax::blocks::TreeBuilder;
use crate::syntax::blocks::block::{Block, Kind, Opened, Place};
use crate::syntax::error::SyntaxError;
use crate::text::Span;

/// A kind of statement, where it belongs, and what to tell who puts it elsewhere.
pub(super) struct Habitat {
    what: &'static str,
    places: &'static [Place],
    help: &'static str,
    /// The block that its line opens.
    pub(super) opens: Option<Kind>,
}

const LOOP_HELP: &str = "put it inside a core loop, or around the wrapper loop on the host";

pub(super) const NAMED_KERNEL: Habitat = Habitat {
    what: "a named kernel",
    places: &[],
    help: "kernels stand between the header and the first statement, outside all blocks",
    opens: Some(Kind::Kernel),
};

impl Habitat {
    pub(super) fn of(statement: &Stmt) -> Habitat {
        let (opens, what, places, help): (_, _, &[Place], _) = match statement {
            Stmt::Let(_) => (
                None,
                "a `let`",
                &[Place::Host, Place::NamedKernel, Place::Wrapper, Place::Core],
                "",
            ),
            Stmt::Move(moved) => match moved.arrow {
                Arrow::Transfer => (
                    None,
                    "a transfer",
                    &[Place::Host, Place::Core],
                    "transfers stand on the host, outside all kernels",
                ),
                Arrow::Global | Arrow::Shared => (
                    None,
                    if moved.arrow == Arrow::Global {
                        "a global access"
                    } else {
                        "a shared access"
                    },
                    &[Place::Host, Place::Core],
                    "put it into a core loop `for all c_{i,j} ∈ C_i in parallel do`",
                ),
            },
            Stmt::Atomic(_) => (
                None,
                "an `atomic`",
                &[Place::Core],
                "shared memory is reached in core loops only",
            ),
            Stmt::If(_) => (
                Some(Kind::If),
                "an `if`",
                &[Place::Core],
                "conditional blocks stand in core loops",
            ),
            Stmt::For(_) => (
                Some(Kind::For),
                "a `for` loop",
                &[Place::Host, Place::Core],
                LOOP_HELP,
            ),
            Stmt::While(_) => (
                Some(Kind::While),
                "a `while` loop",
                &[Place::Host, Place::Core],
                LOOP_HELP,
            ),
            Stmt::Wrapper(_) => (
                Some(Kind::Wrapper),
                "a wrapper loop",
                &[Place::Host, Place::NamedKernel],
                "a wrapper loop is a kernel; kernels are started on the host, not by kernels",
            ),
            Stmt::CoreLoop(_) => (
                Some(Kind::CoreLoop),
                "a core loop",
                &[Place::Wrapper],
                "core loops stand directly inside a wrapper loop `for all mp_i ∈ MP[…] in parallel do`",
            ),
            Stmt::Execute(_) => (
                None,
                "an `execute`",
                &[Place::Host],
                "kernels are executed by the host, not by kernels",
            ),
            Stmt::Swap(_) => (
                None,
                "a `swap`",
                &[Place::Host],
                "arrays are exchanged by the host, between kernels",
            ),
        };
        Habitat {
            what,
            places,
            help,
            opens,
        }
    }
}

impl TreeBuilder<'_> {
    /// Whether a statement may stand here; reports it when not. Transfers and accesses may stand
    /// on the host and in core loops alike: whether the arrow fits is a matter of scopes.
    pub(super) fn fits(&mut self, habitat: &Habitat, span: Span) -> bool {
        let place = self.place();
        let fits = place == Place::Anywhere || habitat.places.contains(&place);
        if !fits {
            self.misplaced(habitat, span);
        }
        fits
    }

    pub(super) fn misplaced(&mut self, habitat: &Habitat, span: Span) {
        let place = self.place().phrase();
        let number = self.diagnostics.len();
        let block = self.blocks.last_mut().map(|block| {
            block.is_faulty = true;
            block.misplaced.push(number);
            block.span
        });
        self.report(SyntaxError::Misplaced {
            what: habitat.what,
            place,
            help: habitat.help,
            span,
            block,
        });
    }

    /// What may stand here.
    pub(super) fn place(&self) -> Place {
        self.blocks.last().map_or(Place::Host, |block| block.inside)
    }

    /// The core's indices are the MP's and one more.
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

    /// A wrapper loop without a core loop does nothing.
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

/// `C_i` or `C_{y,x}`
fn subscripted(letter: &str, indices: &[&str]) -> String {
    match indices {
        [only] => format!("{letter}_{only}"),
        _ => format!("{letter}_{{{}}}", indices.join(",")),
    }
}
