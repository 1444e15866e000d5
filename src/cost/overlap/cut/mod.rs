//! Finds the data of a program that streams can move in chunks.
//!
//! Takes a checked program at a point. The result names the arrays that move with the MPs that touch them.
//! It also names the arrays that must be complete before a kernel starts or after it ends, and the kernels
//! that read values written elsewhere by an earlier kernel. The MPs of a kernel are halved, and the words that each
//! half may touch are bounded. An array is cut if the halves touch separate parts. Nothing is counted, and
//! an uncertain array is not cut.

mod span;

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::cost::overlap::cut::span::{Half, Spans};
use crate::meaning::Point;
use crate::program::{
    self, Condition, Direction, Execute, HostStmt, Kernel, NumberKind, Program, Transfer, VarId,
};

/// An array that each half of the MPs may touch almost anywhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole {
    /// The global array.
    pub array: String,
    /// The line that touches all of it.
    pub line: usize,
    /// True if its inward transfer has to finish first, false if its outward transfer has to wait.
    pub is_inward: bool,
}

/// A kernel that reads values of another kernel from outside its own chunk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Follows {
    /// The global array.
    pub array: String,
    /// The line that reads it.
    pub line: usize,
    /// The line that wrote it.
    pub written: usize,
}

/// The possible cuts of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// Names of the arrays that move in or out in chunks.
    pub arrays: Vec<String>,
    /// Arrays that move whole.
    pub whole: Vec<Whole>,
    /// Kernels that wait for all of an earlier kernel.
    pub follows: Vec<Follows>,
    /// Arrays with an inward transfer that could overlap with the first kernel that reads them.
    pub first: Vec<String>,
    /// Arrays with an outward transfer that could overlap with the last kernel that writes them.
    pub last: Vec<String>,
    /// Arrays with a transfer that cannot overlap: a line of that kernel touches them almost anywhere.
    pub held: Vec<Whole>,
    /// Global arrays with transfers that are not cut; true for the inward one.
    apart: Vec<(VarId, bool)>,
}

impl Cut {
    /// Finds the cuts of a program at a point.
    ///
    /// ```
    /// use atgpu::cost::overlap::cut::Cut;
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let cut = Cut::of(&program, &program.at(&card, [("n", 1024)])?);
    /// assert!(cut.is_possible());
    /// assert_eq!(cut.arrays, ["a", "b", "c"]);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn of(program: &Program, point: &Point) -> Cut {
        let mut walk = Walk {
            program,
            spans: Spans::new(program, point),
            moved: BTreeMap::new(),
            written: BTreeMap::new(),
            gone_out: BTreeMap::new(),
            cut: Cut::default(),
        };
        walk.ends(&program.body, End::First);
        walk.block(&program.body);
        walk.ends(&program.body, End::Last);
        walk.done()
    }

    /// Returns true if streams gain anything: some transfer is cut, and no kernel waits for all of another.
    pub fn is_possible(&self) -> bool {
        self.follows.is_empty() && !self.arrays.is_empty()
    }

    /// Returns the program without the transfers that move whole: the part that chunks move.
    #[must_use]
    pub fn chunks(&self, program: &Program) -> Program {
        let is_inward = |transfer: &Transfer| transfer.direction == Direction::Inward;
        let is_apart = |transfer: &Transfer| (transfer.global.variable, is_inward(transfer));
        without(program, &|transfer| {
            self.apart.contains(&is_apart(transfer))
        })
    }
}

/// Returns the program without the inward transfers of some arrays, as if these were on the device before,
/// and the global names of the arrays. An array may be named by either side of its transfer.
///
/// # Errors
/// The first name without an inward transfer.
pub fn resident(program: &Program, names: &[String]) -> Result<(Program, Vec<String>), String> {
    let is_named = |transfer: &Transfer, name: &String| {
        let sides = [&transfer.host, &transfer.global];
        let mut named = sides
            .map(|side| &program.variable(side.variable).name)
            .into_iter();
        transfer.direction == Direction::Inward && named.any(|side| side == name)
    };
    for name in names {
        let kept = without(program, &|transfer| is_named(transfer, name));
        if transfers(&kept.body) == transfers(&program.body) {
            return Err(name.clone());
        }
    }
    let there = RefCell::new(Vec::new());
    let rest = without(program, &|transfer| {
        let is_there = names.iter().any(|name| is_named(transfer, name));
        if is_there {
            let array = &program.variable(transfer.global.variable).name;
            there.borrow_mut().push(array.clone());
        }
        is_there
    });
    Ok((rest, there.into_inner()))
}

fn transfers(body: &[HostStmt]) -> usize {
    let of = |stmt: &HostStmt| match stmt {
        HostStmt::Transfer(_) => 1,
        HostStmt::For(inner) => transfers(&inner.body),
        HostStmt::While(inner) => transfers(&inner.body),
        HostStmt::Execute(inner) => transfers(&inner.body),
        HostStmt::Kernel(_) | HostStmt::Let(_) | HostStmt::Swap(_) => 0,
    };
    body.iter().map(of).sum()
}

fn without(program: &Program, leaves_out: &dyn Fn(&Transfer) -> bool) -> Program {
    Program {
        body: kept(&program.body, leaves_out),
        ..program.clone()
    }
}

fn kept(body: &[HostStmt], leaves_out: &dyn Fn(&Transfer) -> bool) -> Vec<HostStmt> {
    let stays = |stmt: &&HostStmt| !matches!(stmt, HostStmt::Transfer(it) if leaves_out(it));
    let of = |stmt: &HostStmt| {
        let mut stmt = stmt.clone();
        match &mut stmt {
            HostStmt::For(inner) => inner.body = kept(&inner.body, leaves_out),
            HostStmt::While(inner) => inner.body = kept(&inner.body, leaves_out),
            HostStmt::Execute(inner) => inner.body = kept(&inner.body, leaves_out),
            HostStmt::Transfer(_) | HostStmt::Kernel(_) | HostStmt::Let(_) | HostStmt::Swap(_) => {}
        }
        stmt
    };
    body.iter().filter(stays).map(of).collect()
}

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

struct Walk<'p> {
    program: &'p Program,
    spans: Spans<'p>,
    moved: BTreeMap<VarId, Moved>,
    written: BTreeMap<VarId, Written>,
    /// The same for the contents of host arrays.
    gone_out: BTreeMap<VarId, Written>,
    cut: Cut,
}

impl<'p> Walk<'p> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    /// The lines that read what other chunks wrote, and where.
    fn follows(host: &str) -> Vec<(usize, usize)> {
        let kernel = |to: &str, index: &str, from: &str| {
            format!(
                "  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
                 if ib + j < n then\n        _x[j] ⇐ {from}[{index}]\n        {to}[ib + j] ⇐ _x[j]\n      \
                 end if\n    end for\n  end for\n"
            )
        };
        let text = format!(
            "algorithm T(n)\n  require n ≥ 1\n  input A[n] in 0..9\n  output C[n]\n  host D[n]\n  \
             global a[n], c[n]\n  shared _x[b]\n  a ⇚ A\n{host}"
        );
        let text = text.replace("OWN", &kernel("c", "ib + j", "a"));
        let text = text.replace("BACKWARD", &kernel("c", "n - 1 - (ib + j)", "a"));
        let program = crate::program(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let card = Machine::built_in("titan").expect("built in");
        let cut = Cut::of(
            &program,
            &program.at(&card, [("n", 1024)]).expect("admitted"),
        );
        let follows = cut.follows.iter();
        follows.map(|found| (found.line, found.written)).collect()
    }

    #[test]
    fn words_that_come_back_from_the_host_were_written_all_the_same() {
        assert_eq!(follows("OWN  D ⇚ c\n  a ⇚ D\nOWN  C ⇚ c\n"), []);
        assert_eq!(
            follows("OWN  D ⇚ c\n  a ⇚ D\nBACKWARD  C ⇚ c\n"),
            [(22, 13)]
        );
        let part = "OWN  D[0..n-2] ⇚ c[0..n-2]\n  a[1..n-1] ⇚ D[0..n-2]\nOWN  C ⇚ c\n";
        assert_eq!(follows(part), [(22, 13)]);
    }

    /// Levels of a reduction: the first reads its own chunks, the last has one MP.
    #[test]
    fn the_first_level_of_a_reduction_could_overlap_and_the_last_could_not() {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/programs/paper1/reduction_any_n.atgpu"
        );
        let text = std::fs::read_to_string(file).expect("it is there");
        let program = crate::program(&text).expect("sound");
        let card = Machine::built_in("titan").expect("built in");
        let cut = Cut::of(
            &program,
            &program.at(&card, [("n", 1 << 20)]).expect("admitted"),
        );
        assert!(!cut.is_possible());
        assert_eq!((cut.first, cut.last), (vec!["a".to_owned()], Vec::new()));
        let held = cut
            .held
            .iter()
            .map(|held| (held.array.as_str(), held.is_inward));
        assert_eq!(held.collect::<Vec<_>>(), [("a", false)]);
    }

    #[test]
    fn what_ends_a_loop_is_there_after_all_chunks() {
        let until = "  for r = 1 → 3 until D[0] > 3 do\nOWN  D ⇚ c\n  end for\n  C ⇚ c\n";
        assert_eq!(follows(until), [(9, 14)]);
        let endless = "  D ⇚ a\n  while D[0] > 3 at most n do\nOWN  D ⇚ c\n  end while\n  C ⇚ c\n";
        assert_eq!(follows(endless), [(10, 15)]);
        let fixed = "  for r = 1 → 3 do\nOWN  D ⇚ c\n  end for\n  C ⇚ c\n";
        assert_eq!(follows(fixed), []);
    }
}
