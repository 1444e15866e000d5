//! A wrapper loop with all it may hold.

mod sorted;

use std::collections::BTreeSet;

use super::expr::{Index, condition, factor, index, unit_stride, value};
use super::sorted::SORTED;
use super::{Choices, DATA, Header, Var, until};

/// Loop variables and `let`s, outermost first.
const NAMES: [&str; 6] = ["u", "v", "w", "d", "e", "f"];
/// Blocks in blocks in the core loop.
const DEEPEST: usize = 3;
/// Statements of a kernel.
const MOST: usize = 7;

/// A kernel in the making.
pub struct Kernel<'h> {
    header: &'h mut Header,
    /// Header names, host loops, formals.
    scope: Vec<Var>,
    /// MP and core indices, loops and `let`s of the kernel.
    near: Vec<Var>,
    /// The MP's first index, if the kernel has one.
    mp: Var,
    /// How many of [`NAMES`] are taken.
    taken: usize,
    /// Read and written in one dimension, read and written in two.
    arrays: [&'static str; 4],
    /// Two that are sorted, as far as is known.
    sorted: [&'static str; 2],
    /// Shared arrays that have to be written before the rest.
    used: BTreeSet<&'static str>,
    statements: usize,
    depth: usize,
}

impl<'h> Kernel<'h> {
    /// A kernel that reads and writes these.
    pub fn new(header: &'h mut Header, scope: Vec<Var>, arrays: [&'static str; 4]) -> Self {
        Kernel {
            header,
            scope,
            near: Vec::new(),
            mp: Var::new("i", "k"),
            taken: 0,
            arrays,
            sorted: SORTED,
            used: BTreeSet::new(),
            statements: 0,
            depth: 0,
        }
    }

    /// The same, which takes words of this array as sorted.
    pub fn with_sorted(self, array: &'static str) -> Self {
        Kernel {
            sorted: [array, SORTED[1]],
            ..self
        }
    }

    /// Its lines.
    pub fn write(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let (wrapper, core) = self.heads(choices);
        let mut out = vec![wrapper];
        if choices.chance(15) {
            let value = index(choices, &self.scope, &self.near);
            let name = NAMES[self.taken];
            out.push(format!("let {name} = {}", value.text));
            self.taken += 1;
            self.near.push(Var::new(name, factor(&value.cap)));
        }
        self.near.push(Var::new("j", "b"));
        let first = self.body(choices);
        let second = choices.chance(15).then(|| self.body(choices));
        out.push(core.clone());
        out.extend(self.preparation(choices));
        out.extend(first);
        out.push("end for".into());
        if let Some(second) = second {
            out.push(core);
            out.extend(second);
            out.push("end for".into());
        }
        out.push("end for".into());
        out
    }

    /// The two loop heads; MPs in one dimension mostly.
    fn heads(&mut self, choices: &mut Choices<'_>) -> (String, String) {
        let powers: Vec<Var> = self
            .scope
            .iter()
            .filter(|var| var.text.starts_with("2^"))
            .cloned()
            .collect();
        let dimensions = [1, 1, 1, 1, 1, 1, 2, 3][choices.below(8)];
        let mut ranges = Vec::new();
        let names: &[&str] = match dimensions {
            1 => &["i"],
            2 => &["y", "x"],
            _ => &["z", "y", "x"],
        };
        for (at, name) in names.iter().enumerate() {
            let small = at > 0;
            let (range, cap) = match choices.below(8) {
                0..=2 if !small => ("0..k-1".to_owned(), "k".to_owned()),
                3 => ("0..m".to_owned(), "m".to_owned()),
                4 => ("1..m".to_owned(), "m".to_owned()),
                5 => ("0..0".to_owned(), "0".to_owned()),
                6 if !small && self.header.positive && !powers.is_empty() => {
                    let power = &powers[choices.below(powers.len())].text;
                    (format!("0..⌈n/{power}⌉-1"), "n".to_owned())
                }
                7 if !small => ("h..k+1".to_owned(), "(k + 1)".to_owned()),
                _ => ("0..2".to_owned(), "2".to_owned()),
            };
            ranges.push(range);
            self.near.push(Var::new(*name, cap));
        }
        self.mp = self.near[0].clone();
        let indices = names.join(",");
        let (mp, set) = if dimensions == 1 {
            (indices.clone(), indices.clone())
        } else {
            (format!("{{{indices}}}"), format!("{{{indices}}}"))
        };
        (
            format!("for all mp_{mp} ∈ MP[{}] in parallel do", ranges.join(", ")),
            format!("for all c_{{{indices},j}} ∈ C_{set} in parallel do"),
        )
    }

    /// What shared arrays hold before anything reads them.
    fn preparation(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        for array in self.used.clone() {
            let line = match array {
                "_o" => "_o[j] ← 1".to_owned(),
                "_h" => "_h[j] ← 0".to_owned(),
                "_s" => "_s ← 1".to_owned(),
                "_g" => "_g[j] ← 0.5".to_owned(),
                "_d" => {
                    let at = unit_stride(choices, &self.mp);
                    self.header.reach(DATA, &[at.cap]);
                    format!("_d[j] ⇐ {DATA}[{}]", at.text)
                }
                "_w" => "_w[j] ← _d[j]".to_owned(),
                "_dp" | "_dq" => {
                    let at = unit_stride(choices, &self.mp);
                    let more = if array == "_dq" { " + 1" } else { "" };
                    self.header.reach(self.sorted[0], &[at.cap + more]);
                    format!("{array}[j] ⇐ {}[{}{more}]", self.sorted[0], at.text)
                }
                _ => "_x[j] ← j mod 10".to_owned(),
            };
            lines.push(line);
        }
        lines
    }

    fn body(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        let (near, taken) = (self.near.len(), self.taken);
        for _ in 0..=[0, 0, 1, 2][choices.below(4)] {
            if self.statements < MOST {
                self.statements += 1;
                lines.extend(self.statement(choices));
            }
        }
        self.near.truncate(near);
        self.taken = taken;
        lines
    }

    fn statement(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let kind = choices.below(24);
        let deep = self.depth >= DEEPEST || !choices.any_left();
        if self.header.sorted.is_some() && !deep && choices.chance(40) {
            return if choices.chance(60) {
                self.rows(choices)
            } else {
                self.sorted_gather(choices)
            };
        }
        match kind {
            0..=2 => self.read(choices),
            3..=4 => self.write_global(choices),
            5 => self.compute(choices),
            6 => self.scatter(choices),
            7..=10 if !deep => self.conditional(choices),
            11..=14 if !deep => self.repeated(choices),
            15 => self.atomic(choices),
            16 => self.named(choices),
            17 if self.header.data => self.gather(choices),
            18 if self.header.data && !deep => self.while_loop(choices),
            19 => self.copy(choices),
            20 => self.scalar(choices),
            21 => self.float(choices),
            22 if self.header.data => self.register(choices),
            _ => self.read(choices),
        }
    }

    fn at(&mut self, choices: &mut Choices<'_>) -> Index {
        if choices.chance(40) {
            let mp = self.mp.clone();
            unit_stride(choices, &mp)
        } else {
            index(choices, &self.scope, &self.near)
        }
    }

    /// An access to one of two arrays, by the number of its dimensions.
    fn place(
        &mut self,
        choices: &mut Choices<'_>,
        flat: &'static str,
        square: &'static str,
    ) -> String {
        if choices.chance(25) {
            let (row, column) = (self.small_at(choices), self.small_at(choices));
            self.header.reach(square, &[row.cap, column.cap]);
            format!("{square}[{}, {}]", row.text, column.text)
        } else {
            let at = self.at(choices);
            self.header.reach(flat, &[at.cap]);
            format!("{flat}[{}]", at.text)
        }
    }

    /// One variable, so that matrices stay small.
    fn small_at(&mut self, choices: &mut Choices<'_>) -> Index {
        let var = self.near[choices.below(self.near.len())].clone();
        let more = choices.pick(&["", "", " + 1", " + m"]);
        Index {
            text: format!("{}{more}", var.text),
            cap: format!("{}{more}", var.cap),
        }
    }

    fn read(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let from = self.place(choices, self.arrays[0], self.arrays[2]);
        let to = match choices.below(3) {
            0 => self.place(choices, "_y", "_z"),
            _ => {
                self.header.reach("_y", &["b".to_owned()]);
                "_y[j]".to_owned()
            }
        };
        vec![format!("{to} ⇐ {from}")]
    }

    fn write_global(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        self.used.insert("_o");
        let to = self.place(choices, self.arrays[1], self.arrays[3]);
        let from = choices.pick(&[
            "j",
            "0",
            "b - 1 - j",
            "(j + 1) mod b",
            "j div 2",
            "2·j mod b",
        ]);
        vec![format!("{to} ⇐ _o[{from}]")]
    }

    fn compute(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        self.used.insert("_x");
        let depth = 1 + choices.below(2);
        let words = ["_x[j]", "_x[0]", "_x[b - 1 - j]", "_x[(j + 1) mod b]"];
        let value = value(choices, &self.scope, &self.near, &words, depth);
        vec![format!("_x[j] ← {} mod 10", factor(&value))]
    }

    /// A word of shared memory without an index, the same for all cores.
    fn scalar(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        self.used.extend(["_s", "_x"]);
        let value = choices.pick(&["m + 1", "7", "n mod 5", "b·m", "_s"]);
        let use_of = choices.pick(&["_s + _x[j]", "_s·j", "select(_s > 2, j, _s)", "min(_s, j)"]);
        vec![
            format!("_s ← {value}"),
            format!("_x[j] ← ({use_of}) mod 10"),
        ]
    }

    fn float(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        self.used.extend(["_g", "_x"]);
        let value = choices.pick(&[
            "0.5·j",
            "sqrt(1.0·j)",
            "exp(-_g[j])",
            "_x[j]/3.0",
            "sin(0.5·_g[j]) + cos(_g[0])",
            "_g[b - 1 - j] + 1",
            "abs(_g[j] - 2.5)",
            "max(_g[j], 0.25)",
            "select(j < m, _g[j], 0.5)",
            "-_g[j]^2",
            "[_g[j] ≤ 1.5]·2",
            "log2 (1.0·j + 1)",
        ]);
        vec![format!("_g[j] ← {value}")]
    }

    /// A register that holds data, in scope for the rest of the block.
    fn register(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let Some(name) = NAMES.get(self.taken) else {
            return self.read(choices);
        };
        self.used.insert("_d");
        let value = choices.pick(&["_d[j]", "_d[0]", "_d[b - 1 - j]"]);
        self.taken += 1;
        self.near.push(Var::new(*name, "7"));
        vec![format!("let {name} = {value}")]
    }

    fn scatter(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let to = self.place(choices, "_y", "_z");
        vec![format!("{to} ← 1")]
    }

    /// In and out through a word of shared memory that nobody else has.
    fn copy(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let between = self.place(choices, "_y", "_z");
        let from = self.place(choices, self.arrays[0], self.arrays[2]);
        let to = self.place(choices, self.arrays[1], self.arrays[3]);
        vec![format!("{between} ⇐ {from}"), format!("{to} ⇐ {between}")]
    }

    fn conditional(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let holds = if self.header.data && choices.chance(40) {
            self.used.insert("_d");
            let data = choices.pick(&["_d[j] > 3", "_d[0] ≤ 2", "_d[j] = _d[b - 1 - j]"]);
            if choices.chance(30) {
                format!("{data} ∧ {}", condition(choices, &self.scope, &self.near))
            } else {
                data.to_owned()
            }
        } else {
            condition(choices, &self.scope, &self.near)
        };
        self.block(choices, format!("if {holds} then"), "end if")
    }

    fn block(&mut self, choices: &mut Choices<'_>, head: String, end: &str) -> Vec<String> {
        self.depth += 1;
        let inside = self.body(choices);
        self.depth -= 1;
        [vec![head], inside, vec![end.to_owned()]].concat()
    }

    fn repeated(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let Some(name) = NAMES.get(self.taken) else {
            return self.read(choices);
        };
        let (near, taken) = (self.near.len(), self.taken);
        let outer = self.near[choices.below(self.near.len())].clone();
        let (range, cap): (String, String) = match choices.below(19) {
            0 => ("0 → 2".into(), "2".into()),
            1 => ("1 → m".into(), "m".into()),
            2 => ("0 → k - 1".into(), "k".into()),
            3 => (format!("0 → {}", outer.text), outer.cap),
            4 => (format!("{} → {}", outer.text, outer.cap), outer.cap),
            5 => ("0 → j".into(), "b".into()),
            6 => ("j + 1 → b - 1".into(), "b".into()),
            7 => ("m downto 0".into(), "m".into()),
            8 => ("b - 1 downto j".into(), "b".into()),
            9 => ("0 → (b - 1 - j) div 2".into(), "b".into()),
            10 => ("j → m".into(), "m".into()),
            11 if self.header.power => ("1 → log2 b".into(), "b".into()),
            12 => ("0 → ⌈log2 b⌉ - 1".into(), "b".into()),
            13 if self.header.data => {
                self.used.insert("_d");
                ("0 → _d[j]".into(), "7".into())
            }
            14 => ("-2 → m".into(), "(m + 2)".into()),
            15 => ("-m → 2".into(), "(m + 2)".into()),
            16 => ("1 → j(j + 1)/2".into(), "(b·b)".into()),
            17 => ("0 → j·(b - 1 - j)".into(), "(b·b)".into()),
            18 => ("j → b·j - j(j - 1)/2".into(), "(b·b + b)".into()),
            _ => ("0 → n div 2".into(), "n".into()),
        };
        let is_halving = range.contains("→ log2 b");
        let is_doubling = range.contains("⌈log2 b⌉");
        // Counted from 0 where it begins below.
        let counted = match range.split_once(" → ") {
            Some(("-2", _)) => format!("({name} + 2)"),
            Some(("-m", _)) => format!("({name} + m)"),
            _ => (*name).to_owned(),
        };
        self.near.push(Var::new(counted, cap));
        self.taken += 1;
        let until = until(choices, name);
        let mut lines = vec![format!("for {name} = {range}{until} do")];
        if is_halving && let Some(half) = NAMES.get(self.taken) {
            lines.push(format!("let {half} = b/2^{name}"));
            self.near.push(Var::new(*half, "b"));
            self.taken += 1;
        }
        if is_doubling {
            self.near.push(Var::new(format!("2^{name}"), "b"));
        }
        self.depth += 1;
        lines.extend(self.body(choices));
        self.depth -= 1;
        lines.push("end for".into());
        self.near.truncate(near);
        self.taken = taken;
        lines
    }

    fn atomic(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        self.used.insert("_h");
        let mut at = choices.pick(&[
            "j mod 3 mod b",
            "0",
            "j div 2",
            "j",
            "b - 1 - j",
            "j·j mod b",
        ]);
        if self.header.data && choices.chance(40) {
            self.used.insert("_d");
            at = "_d[j] mod b";
        }
        let own = format!("_h[{at}]");
        let update = match choices.below(8) {
            0 => format!("{own} * 3"),
            1 => format!("min({own}, j)"),
            2 => format!("max({own}, 2)"),
            3 => format!("{own} + m + j"),
            _ => format!("{own} + 1"),
        };
        vec![format!("atomic {own} ← {update}")]
    }

    /// A `let`, in scope for the rest of the block.
    fn named(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let Some(name) = NAMES.get(self.taken) else {
            return self.read(choices);
        };
        let value = index(choices, &self.scope, &self.near);
        self.taken += 1;
        self.near.push(Var::new(*name, factor(&value.cap)));
        vec![format!("let {name} = {}", value.text)]
    }

    /// A place that data decide.
    fn gather(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        self.used.insert("_d");
        if choices.chance(30) {
            self.used.insert("_o");
            let to = self.arrays[1];
            self.header.reach(to, &["7·b + b".to_owned()]);
            let at = choices.pick(&["_d[j]", "_d[j]·b + j", "_d[0] + j"]);
            return vec![format!("{to}[{at}] ⇐ _o[j]")];
        }
        let from = self.arrays[0];
        self.header.reach(from, &["7·b + b".to_owned()]);
        self.header.reach("_y", &["7·b + b".to_owned()]);
        let at = choices.pick(&["_d[j]", "_d[j]·b + j", "_d[0] + j", "_d[j] + _d[0]"]);
        let to = choices.pick(&["_y[j]", "_y[_d[j]]", "_y[_d[j]·b]"]);
        vec![format!("{to} ⇐ {from}[{at}]")]
    }

    fn while_loop(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        self.used.insert("_w");
        self.used.insert("_d");
        let most = choices.pick(&["7", "m + 7", "8b"]);
        let mut lines = self.block(
            choices,
            format!("while _w[j] > 0 at most {most} do"),
            "end while",
        );
        lines.insert(1, "_w[j] ← _w[j] - 1".to_owned());
        lines
    }
}
