//! The rewrites, one file each: a function from a program to drafts of changes.
//!
//! A rewrite reads the checked program and its tree, never a program's name or a particular text. It may propose too
//! much: what is wrong, or gains nothing, is dropped by the judges (`right`, `worth`).

mod add_while_loading;
mod drop_transfer;
mod hoist;
mod load_once;
mod merge_guards;
mod merge_kernels;
mod pad;
mod private_copies;
mod send_part;
mod sequential;
mod several_rows;
mod share_words;
mod side_by_side;
mod tile;
mod tile_rows;

use crate::advise::draft::Draft;
use crate::advise::subject::Subject;

/// A kind of change.
pub struct Rewrite {
    /// Its name, as reports and the JSON show it.
    pub name: &'static str,
    /// Its use, in one line.
    pub about: &'static str,
    /// True if bank conflicts are the point: they are charged where it is judged.
    pub charges_conflicts: bool,
    pub(super) drafts: fn(&Subject<'_>) -> Vec<Draft>,
}

/// All rewrites.
pub static REWRITES: [Rewrite; 16] = [
    Rewrite {
        name: "pad-rows",
        about: "add a word to each row of a shared array, so that a column lies in different banks",
        charges_conflicts: true,
        drafts: pad::rows,
    },
    Rewrite {
        name: "pad-words",
        about: "leave out a word behind every b words of a shared array, so that words b apart lie in different banks",
        charges_conflicts: true,
        drafts: pad::words,
    },
    Rewrite {
        name: "tile",
        about: "move a square of words through shared memory, so that both sides access whole blocks",
        charges_conflicts: false,
        drafts: tile::drafts,
    },
    Rewrite {
        name: "tile-rows",
        about: "let an MP load its rows along the rows, where each core walks along a row of its own",
        charges_conflicts: false,
        drafts: tile_rows::drafts,
    },
    Rewrite {
        name: "several-rows",
        about: "let an MP do several neighbours, so that words they share are loaded once",
        charges_conflicts: false,
        drafts: several_rows::drafts,
    },
    Rewrite {
        name: "side-by-side",
        about: "let the first cores work instead of every second, fourth, eighth one",
        charges_conflicts: false,
        drafts: side_by_side::drafts,
    },
    Rewrite {
        name: "sequential",
        about: "add words half an array apart instead of neighbours",
        charges_conflicts: false,
        drafts: sequential::drafts,
    },
    Rewrite {
        name: "add-while-loading",
        about: "add words as they arrive, so that the tree has one word a core",
        charges_conflicts: false,
        drafts: add_while_loading::drafts,
    },
    Rewrite {
        name: "private-copies",
        about: "give each core a copy of an array that all update, so that none waits for another",
        charges_conflicts: false,
        drafts: private_copies::drafts,
    },
    Rewrite {
        name: "hoist",
        about: "move out of a loop what the loop does not change",
        charges_conflicts: false,
        drafts: hoist::drafts,
    },
    Rewrite {
        name: "load-once",
        about: "take a word that the core has loaded already",
        charges_conflicts: false,
        drafts: load_once::drafts,
    },
    Rewrite {
        name: "merge-guards",
        about: "test a condition once instead of in neighbouring blocks",
        charges_conflicts: false,
        drafts: merge_guards::drafts,
    },
    Rewrite {
        name: "merge-kernels",
        about: "do in one kernel the work of two whose MPs need nothing of each other",
        charges_conflicts: false,
        drafts: merge_kernels::drafts,
    },
    Rewrite {
        name: "drop-transfer",
        about: "leave out a transfer that nobody reads, or do it once before a loop",
        charges_conflicts: false,
        drafts: drop_transfer::drafts,
    },
    Rewrite {
        name: "send-part",
        about: "send to the device the part of an array alone that kernels read",
        charges_conflicts: false,
        drafts: send_part::drafts,
    },
    Rewrite {
        name: "share-words",
        about: "use the words of a shared array that is not needed any more",
        charges_conflicts: false,
        drafts: share_words::drafts,
    },
];
