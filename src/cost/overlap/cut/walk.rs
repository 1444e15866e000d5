//! A walk over the host's statements: which halves of which arrays are moved, read and written.

use std::collections::BTreeMap;

use crate::cost::overlap::cut::span::{Half, Spans};
use crate::cost::overlap::cut::{Cut, Follows, Whole};
use crate::meaning::Point;
use crate::program::{
    self, Condition, Direction, Execute, HostStmt, Kernel, NumberKind, Program, Transfer, VarId,
};

/// The transfers of an array, and the lines of kernels that touch it almost anywhere.
#[derive(Default)]
struct Moved {
    /// True for an inward transfer; true for an outward one.
    ways: [bool; 2],
    /// The first line that reads it almost anywhere; the same for writes.
    whole: [Option<usize>; 2],
    /// For the first kernel that reads it and the last one that writes it: true if it touches almost all of
    /// it, and the line.
    ends: [Option<(bool, usize)>; 2],
}

/// The first or the last kernels of a program. In a loop: those of the first or the last iteration.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// A kernel's writes to an array: the line, and the words written by each half of its MPs.
#[derive(Clone, Copy)]
struct Written {
    line: usize,
    halves: Option<[(i128, i128); 2]>,
}

pub(super) struct Walk<'p> {
    program: &'p Program,
    spans: Spans<'p>,
    moved: BTreeMap<VarId, Moved>,
    written: BTreeMap<VarId, Written>,
    /// The same for the contents of host arrays.
    gone_out: BTreeMap<VarId, Written>,
    cut: Cut,
}

impl<'p> Walk<'p> {
    /// Begins before the first statement, with nothing moved or written.
    pub(super) fn new(program: &'p Program, point: &'p Point) -> Walk<'p> {
        Walk {
            program,
            spans: Spans::new(program, point),
            moved: BTreeMap::new(),
            written: BTreeMap::new(),
            gone_out: BTreeMap::new(),
            cut: Cut::default(),
        }
    }

    /// Walks the whole program: its ends, what each kernel touches, and the ends again from behind.
    pub(super) fn cut(mut self, body: &'p [HostStmt]) -> Cut {
        self.ends(body, End::First);
        self.block(body);
        self.ends(body, End::Last);
        self.done()
    }

    fn block(&mut self, body: &'p [HostStmt]) {
        for stmt in body {
            match stmt {
                HostStmt::Transfer(transfer) => self.transfer(transfer),
                HostStmt::Kernel(kernel) => self.kernel(kernel),
                HostStmt::For(inner) => {
                    self.spans.vary(inner.variable, &inner.from, &inner.to);
                    self.again(&inner.body);
                    inner.until.iter().for_each(|until| self.decides(until));
                }
                HostStmt::While(inner) => {
                    self.again(&inner.body);
                    self.decides(&inner.condition);
                }
                HostStmt::Let(binding) => self.spans.bind(binding),
                HostStmt::Swap(swap) => {
                    let [left, right] =
                        [swap.left, swap.right].map(|side| self.written.remove(&side));
                    self.written.extend(right.map(|was| (swap.left, was)));
                    self.written.extend(left.map(|was| (swap.right, was)));
                }
                HostStmt::Execute(Execute {
                    arguments, body, ..
                }) => {
                    arguments
                        .iter()
                        .for_each(|binding| self.spans.bind(binding));
                    self.block(body);
                }
            }
        }
    }

    /// Records the first kernel that reads each array, or the last one that writes it.
    fn ends(&mut self, body: &'p [HostStmt], end: End) {
        for stmt in body {
            match stmt {
                HostStmt::Kernel(kernel) => self.end(kernel, end),
                HostStmt::For(inner) => {
                    let at = match end {
                        End::First => &inner.from,
                        End::Last => &inner.to,
                    };
                    self.spans.vary(inner.variable, at, at);
                    self.ends(&inner.body, end);
                }
                HostStmt::While(inner) => self.ends(&inner.body, end),
                HostStmt::Let(binding) => self.spans.bind(binding),
                HostStmt::Swap(swap) => {
                    let sides = [swap.left, swap.right];
                    let [left, right] =
                        sides.map(|side| self.moved.entry(side).or_default().ends[1].take());
                    for (side, was) in sides.into_iter().zip([right, left]) {
                        self.moved.entry(side).or_default().ends[1] = was;
                    }
                }
                HostStmt::Execute(inner) => {
                    let arguments = inner.arguments.iter();
                    arguments.for_each(|binding| self.spans.bind(binding));
                    self.ends(&inner.body, end);
                }
                HostStmt::Transfer(_) => {}
            }
        }
    }

    fn end(&mut self, kernel: &'p Kernel, end: End) {
        let touched = self.spans.touched(kernel);
        let (at, list) = match end {
            End::First => (0, touched.read),
            End::Last => (1, touched.written),
        };
        for (variable, access) in list {
            let known = &mut self.moved.entry(variable).or_default().ends[at];
            let found = (access.is_wide(), access.line);
            match end {
                End::First => _ = known.get_or_insert(found),
                End::Last => *known = Some(found),
            }
        }
    }

    /// Walks a loop's body twice, so that an iteration meets the writes of the one before.
    fn again(&mut self, body: &'p [HostStmt]) {
        self.block(body);
        self.block(body);
    }

    fn transfer(&mut self, transfer: &Transfer) {
        let [host, global] = [&transfer.host, &transfer.global].map(|side| side.variable);
        // If only a part moves, its words may change position, so the halves are unknown.
        let is_whole = transfer.host.is_whole() && transfer.global.is_whole();
        let moved = |was: Written| Written {
            halves: was.halves.filter(|_| is_whole),
            ..was
        };
        let ways = &mut self.moved.entry(global).or_default().ways;
        match transfer.direction {
            Direction::Inward => {
                ways[0] = true;
                match self.gone_out.get(&host) {
                    Some(was) => _ = self.written.insert(global, moved(*was)),
                    // New input overwrites the array: it is no kernel's result any more.
                    None if transfer.global.is_whole() => _ = self.written.remove(&global),
                    None => {}
                }
            }
            Direction::Outward => {
                ways[1] = true;
                let written = self.written.get(&global);
                let gone_out = written.map(|was| (host, moved(*was)));
                self.gone_out.extend(gone_out);
            }
        }
    }

    /// Records that the condition of a loop reads results. They are complete only after all chunks have
    /// finished.
    fn decides(&mut self, condition: &Condition) {
        let program = self.program;
        program::Expr::from(condition).any(&mut |part| {
            if let program::Expr::Number(number) = part
                && let NumberKind::Word(word) = &number.kind
                && let Some(written) = self.gone_out.get(&word.variable)
            {
                let follows = Follows {
                    array: program.variable(word.variable).name.clone(),
                    line: program.line(condition.span),
                    written: written.line,
                };
                if !self.cut.follows.contains(&follows) {
                    self.cut.follows.push(follows);
                }
            }
            false
        });
    }

    fn kernel(&mut self, kernel: &'p Kernel) {
        let touched = self.spans.touched(kernel);
        for (variable, read) in &touched.read {
            let Some(written) = self.written.get(variable) else {
                continue;
            };
            // Chunks stay independent if each half reads only words that the same half wrote before.
            // Example: MPs 0..3 wrote words 0..7 and 8..15 by halves. Reads of 2..7 and 8..13 stay within;
            // reads of 0..8 by the lower half do not.
            let stays = match (read.halves, written.halves) {
                (Some(read), Some(written)) => {
                    let within =
                        |(read, written): (Half, Half)| written.0 <= read.0 && read.1 <= written.1;
                    read.into_iter().zip(written).all(within)
                }
                _ => false,
            };
            let follows = Follows {
                array: self.program.variable(*variable).name.clone(),
                line: read.line,
                written: written.line,
            };
            if !stays && !self.cut.follows.contains(&follows) {
                self.cut.follows.push(follows);
            }
        }
        for (at, list) in [&touched.read, &touched.written].into_iter().enumerate() {
            for (variable, access) in list {
                let moved = self.moved.entry(*variable).or_default();
                if access.is_wide() {
                    moved.whole[at].get_or_insert(access.line);
                }
            }
        }
        for (variable, access) in touched.written {
            let line = access.line;
            let halves = access.halves.filter(|_| !access.is_wide());
            self.written.insert(variable, Written { line, halves });
        }
    }

    fn done(mut self) -> Cut {
        for (variable, moved) in &self.moved {
            let name = &self.program.variable(*variable).name;
            for (at, list) in [&mut self.cut.first, &mut self.cut.last]
                .into_iter()
                .enumerate()
            {
                match moved.ends[at].filter(|_| moved.ways[at]) {
                    None => {}
                    Some((false, _)) => list.push(name.clone()),
                    Some((true, line)) => self.cut.held.push(Whole {
                        array: name.clone(),
                        line,
                        is_inward: at == 0,
                    }),
                }
            }
            for (at, is_inward) in [(0, true), (1, false)] {
                match (moved.ways[at], moved.whole[at]) {
                    (false, _) => {}
                    (true, None) if self.cut.arrays.contains(name) => {}
                    (true, None) => self.cut.arrays.push(name.clone()),
                    (true, Some(line)) => {
                        let array = name.clone();
                        self.cut.apart.push((*variable, is_inward));
                        self.cut.whole.push(Whole {
                            array,
                            line,
                            is_inward,
                        });
                    }
                }
            }
        }
        self.cut
    }
}
