//! Random well-formed programs, from a list of choices that proptest draws and shrinks.
//!
//! Programs are valid by construction. Every index is a sum of terms that are never negative, and
//! beside its text stands a bound on its value, from which the extents of the arrays are made.
//! Arrays whose words are addressed at will hold nothing but ones, so that no two cores ever write
//! different values; data that decide something are read by each core for itself.

pub mod charges;
pub mod counts;
pub mod data;
mod expr;
mod kernel;
pub mod reduce;
pub mod safe;
mod sorted;

use std::collections::{BTreeMap, BTreeSet};

use kernel::Kernel;
use sorted::Sorted;

/// What is still to be chosen; when nothing is left, every choice is the first and simplest.
pub struct Choices<'c> {
    left: std::slice::Iter<'c, u16>,
}

impl<'c> Choices<'c> {
    /// Choices in this order.
    pub fn new(list: &'c [u16]) -> Self {
        Choices { left: list.iter() }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(*self.left.next().unwrap_or(&0)) % bound
    }

    /// Something that happens so often in a hundred, and not when nothing is left.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Whether choices are left.
    pub fn any_left(&self) -> bool {
        !self.left.as_slice().is_empty()
    }
}

/// A parameter in scope, never negative.
#[derive(Debug, Clone)]
pub struct Var {
    /// As it is written in an expression.
    pub text: String,
    /// An expression of header names that is never smaller, and never negative.
    pub cap: String,
}

impl Var {
    fn new(text: impl Into<String>, cap: impl Into<String>) -> Self {
        Var {
            text: text.into(),
            cap: cap.into(),
        }
    }
}

/// What the header knows, and what the body asked of it.
pub struct Header {
    /// Whether data may decide indices, conditions and loops.
    pub data: bool,
    /// Whether b is known to be a power of 2.
    pub power: bool,
    /// Whether n ≥ 1.
    pub positive: bool,
    /// The extents that each array needs in each dimension: one more than each of these.
    pub extents: BTreeMap<&'static str, Vec<Vec<String>>>,
    /// Arrays in use whose extents are their own.
    pub fixed: BTreeSet<&'static str>,
    /// What sorted arrays hold, where there are any.
    pub sorted: Option<Sorted>,
    /// The named kernels, written out.
    pub kernels: Vec<String>,
}

impl Header {
    /// Notes that `array` is accessed up to these places.
    pub fn reach(&mut self, array: &'static str, places: &[String]) {
        let extents = self.extents.entry(array).or_default();
        extents.resize(places.len(), Vec::new());
        for (extent, place) in extents.iter_mut().zip(places) {
            if !extent.contains(place) {
                extent.push(place.clone());
            }
        }
    }

    fn size(&self, array: &str) -> String {
        let dimensions = &self.extents[array];
        let sizes: Vec<String> = dimensions
            .iter()
            .map(|caps| match caps.as_slice() {
                [] => "1".to_owned(),
                all => format!("{} + 1", all.join(" + ")),
            })
            .collect();
        sizes.join(", ")
    }

    /// The parameters of the header, with their bounds.
    pub fn vars(&self) -> Vec<Var> {
        ["m", "n", "k", "h"]
            .into_iter()
            .map(|name| Var::new(name, name))
            .collect()
    }
}

/// Global arrays of ones: read in one kernel, written in another, exchanged by `swap`.
pub const PLAIN: [&str; 2] = ["ga", "gc"];
/// The same with two dimensions.
pub const PLAIN_2D: [&str; 2] = ["ge", "gu"];
/// Data from 0 to 7.
pub const DATA: &str = "gd";

/// The text of a program; so many in a hundred may have sorted inputs.
pub fn program(choices: &mut Choices<'_>, sorted: usize) -> String {
    let mut header = Header {
        data: choices.chance(25),
        power: choices.chance(25),
        positive: !choices.chance(10),
        extents: BTreeMap::new(),
        fixed: BTreeSet::new(),
        sorted: None,
        kernels: Vec::new(),
    };
    if choices.chance(sorted) {
        header.sorted = Some(Sorted::new(choices));
    }
    let requires = requires(&mut header, choices);
    let lets = [
        format!("let k = {}", choices.pick(&["⌈n/b⌉", "⌊n/b⌋ + 1", "m + 1"])),
        format!(
            "let h = {}",
            choices.pick(&["2", "b div 2", "2m + 1", "n div 2", "n + m"])
        ),
    ];
    let mut host = Host {
        header,
        loops: Vec::new(),
        lines: Vec::new(),
        swaps: false,
    };
    let most = [1, 1, 1, 2, 2, 3][choices.below(6)];
    for _ in 0..most {
        host.statement(choices, 0);
        if host.header.sorted.is_some() {
            match choices.below(12) {
                1..=2 => {
                    host.change_sorted(choices);
                    host.kernel(choices);
                }
                3 => host.rows_in_chunks(choices),
                _ => {}
            }
        }
    }
    if host.header.data && choices.chance(20) {
        host.while_loop(choices);
    }
    host.finish(&requires, &lets, choices)
}

fn requires(header: &mut Header, choices: &mut Choices<'_>) -> Vec<String> {
    let mut list = vec![
        format!("n ≥ {}", usize::from(header.positive)),
        choices.pick(&["m ≥ 1", "m ≥ 0", "1 ≤ m < 6"]).to_owned(),
    ];
    if header.power {
        list.push("b is a power of 2".to_owned());
        if choices.chance(40) {
            list.push("b ≥ 2".to_owned());
        }
    } else if choices.chance(15) {
        list.push("b mod 2 = 0".to_owned());
    }
    if choices.chance(30) {
        list.push("b | n".to_owned());
    } else if choices.chance(15) {
        list.push(
            choices
                .pick(&["n ≥ b", "n ≥ m", "n ≤ b", "m | n", "n mod b = 1"])
                .to_owned(),
        );
    }
    list
}

/// What ends a loop with this variable early, where anything does: parameters decide it.
fn until(choices: &mut Choices<'_>, name: &str) -> String {
    if !choices.chance(15) {
        return String::new();
    }
    let cond = choices.pick(&[
        "x ≥ 2",
        "x ≤ 1",
        "x = m",
        "x ≠ m",
        "2x > n",
        "n - x < m",
        "x mod 3 = 1",
        "x mod 2 = 0 ∧ x > m",
        "x div 2 = 1 ∨ x > n",
        "x·x ≥ m",
        "2^x > m",
        "n < m",
        "x·x·x mod 5 = 3",
    ]);
    format!(" until {}", cond.replace('x', name))
}

/// Whether data may decide what a program costs.
pub fn is_up_to_data(text: &str) -> bool {
    ["_d", "while", "until Gf"]
        .iter()
        .any(|part| text.contains(part))
}

/// The host's statements in the making.
struct Host {
    header: Header,
    loops: Vec<Var>,
    lines: Vec<String>,
    swaps: bool,
}

impl Host {
    fn statement(&mut self, choices: &mut Choices<'_>, depth: usize) {
        // In loops more transfers, so that rounds go on from one iteration in the next.
        match choices.below(if depth == 0 { 10 } else { 15 }) {
            0..=5 => self.kernel(choices),
            6 => self.execute(choices),
            7 if depth < 2 => self.loop_over_rounds(choices, depth),
            8 | 10..=13 => self.transfer(choices),
            14 if self.header.data => self.while_loop(choices),
            9 => {
                self.swaps = true;
                self.lines.push("swap ga ↔ gc".to_owned());
                self.kernel(choices);
            }
            _ => self.kernel(choices),
        }
    }

    fn kernel(&mut self, choices: &mut Choices<'_>) {
        let from = choices.below(2);
        let scope = [self.header.vars(), self.loops.clone()].concat();
        let arrays = [
            PLAIN[from],
            PLAIN[1 - from],
            PLAIN_2D[from],
            PLAIN_2D[1 - from],
        ];
        let mut kernel = Kernel::new(&mut self.header, scope, arrays);
        self.lines.extend(kernel.write(choices));
    }

    /// A named kernel, executed once or twice.
    fn execute(&mut self, choices: &mut Choices<'_>) {
        let name = ["Once", "Again", "More", "Last"][self.header.kernels.len().min(3)];
        if self.header.kernels.len() < 4 {
            let scope = [self.header.vars(), vec![Var::new("s", "(m + n + 3)")]].concat();
            let kernel = Kernel::new(&mut self.header, scope, ["gx", "gy", "ge", "gu"]);
            let lines = kernel.with_sorted("gz").write(choices);
            let more = match self.header.sorted {
                Some(_) => ", global gz",
                None => "",
            };
            let head = format!("kernel {name}(global gx, global gy, s{more})");
            let text = [vec![head], lines, vec!["end kernel".to_owned()]].concat();
            self.header.kernels.push(text.join("\n"));
        }
        for (from, formal) in ["gx", "gy"].into_iter().enumerate() {
            let extents = self.header.extents.remove(formal).unwrap_or_default();
            for caps in extents.first().into_iter().flatten() {
                self.header.reach(PLAIN[from], std::slice::from_ref(caps));
                self.header
                    .reach(PLAIN[1 - from], std::slice::from_ref(caps));
            }
        }
        let sorted = self.sorted_actuals();
        for _ in 0..=choices.below(2) {
            let at = choices.below(2);
            let more = match sorted {
                Some(actuals) => format!(", {}", choices.pick(&actuals)),
                None => String::new(),
            };
            let number = choices.pick(&["3", "m", "n", "m + n", "0"]);
            self.header.reach(PLAIN[0], &["0".to_owned()]);
            self.header.reach(PLAIN[1], &["0".to_owned()]);
            self.lines.push(format!(
                "execute {name}({}, {}, {number}{more})",
                PLAIN[at],
                PLAIN[1 - at]
            ));
        }
    }

    fn loop_over_rounds(&mut self, choices: &mut Choices<'_>, depth: usize) {
        let name = ["r", "q"][depth];
        let before = self.loops.len();
        let kind = choices.below(6);
        let head = match kind {
            0 => format!("for {name} = 1 → 3 do"),
            1 => format!("for {name} = 0 → m - 1 do"),
            2 => format!("for {name} = 1 → k do"),
            3 => format!("for {name} = m downto 1 do"),
            4 if self.header.positive => format!("for {name} = 1 → ⌈log2 n⌉ do"),
            5 if depth > 0 => format!("for {name} = r → m do"),
            _ => format!("for {name} = 1 → 2 do"),
        };
        let head = match head.strip_suffix(" do") {
            Some(head) if self.header.data && choices.chance(20) => {
                format!("{head} until Gf {} do", choices.pick(&["= 0", "> 1"]))
            }
            Some(head) => format!("{head}{} do", until(choices, name)),
            None => head,
        };
        let cap = match kind {
            0 => "3",
            1 | 3 => "m",
            2 => "k",
            4 if self.header.positive => "n",
            5 if depth > 0 => "m",
            _ => "2",
        };
        self.loops.push(Var::new(name, cap));
        if kind == 4 && self.header.positive {
            self.loops.push(Var::new(format!("2^{name}"), "2n"));
        }
        self.lines.push(head);
        for _ in 0..=choices.below(2) {
            self.statement(choices, depth + 1);
        }
        self.lines.push("end for".to_owned());
        self.loops.truncate(before);
    }

    fn transfer(&mut self, choices: &mut Choices<'_>) {
        if choices.chance(20) {
            let array = PLAIN_2D[choices.below(2)];
            let [rows, columns] = [(); 2].map(|()| choices.pick(&["1", "m", "b", "0"]));
            self.header
                .reach(array, &[rows.to_owned(), columns.to_owned()]);
            let place = match choices.below(3) {
                0 => format!("[0..{rows}, 0..{columns}]"),
                1 => format!("[{rows}, 0..{columns}]"),
                _ => format!("[0..{rows}, {columns}]"),
            };
            let host = host_name(array);
            self.lines.push(if choices.chance(50) {
                format!("{host}{place} ⇚ {array}{place}")
            } else {
                format!("{array}{place} ⇚ {host}{place}")
            });
            return;
        }
        let scope = [self.header.vars(), self.loops.clone()].concat();
        let array = PLAIN[choices.below(2)];
        let first = expr::index(choices, &scope, &[]);
        let length = expr::index(choices, &scope, &[]);
        let up_to = format!("{} + {}", first.cap, length.cap);
        self.header.reach(array, &[up_to]);
        let host = host_name(array);
        let slice = match choices.below(3) {
            0 => format!("[{}]", first.text),
            1 => format!("[{}..{} + {}]", first.text, first.text, length.text),
            _ => format!("[0..{} - 1]", length.text),
        };
        self.lines.push(if choices.chance(50) {
            format!("{host}{slice} ⇚ {array}{slice}")
        } else {
            format!("{array}{slice} ⇚ {host}{slice}")
        });
    }

    /// A host `while` whose number of rounds data decide.
    fn while_loop(&mut self, choices: &mut Choices<'_>) {
        let lines = [
            "gf ⇚ Gf",
            "while Gf > 0 at most 3 do",
            "for all mp_i ∈ MP[0..0] in parallel do",
            "for all c_{i,j} ∈ C_i in parallel do",
            "_f ⇐ gf",
            "_f ← _f - 1",
            "gf ⇐ _f",
            "end for",
            "end for",
            "Gf ⇚ gf",
        ];
        self.lines.extend(lines.map(str::to_owned));
        if choices.chance(50) {
            self.kernel(choices);
        }
        self.lines.push("end while".to_owned());
    }

    fn finish(mut self, requires: &[String], lets: &[String], choices: &mut Choices<'_>) -> String {
        if self.swaps {
            for from in [0, 1] {
                let own = self.header.extents.get(PLAIN[from]).cloned();
                for caps in own.iter().flatten().flatten() {
                    self.header
                        .reach(PLAIN[1 - from], std::slice::from_ref(caps));
                }
                self.header.reach(PLAIN[from], &["0".to_owned()]);
            }
        }
        // Both of a pair that swaps have the same shape, word for word.
        if self.swaps {
            let shape = self.header.extents[PLAIN[0]].clone();
            self.header.extents.insert(PLAIN[1], shape);
        }
        let body = self.lines.join("\n");
        let mut text = vec!["algorithm Generated(n, m)".to_owned()];
        text.extend(requires.iter().map(|require| format!("require {require}")));
        let mut before = Vec::new();
        let mut after = Vec::new();
        let globals = [PLAIN, PLAIN_2D].concat();
        for array in globals.into_iter().chain([DATA]) {
            if !self.header.extents.contains_key(array) {
                continue;
            }
            let size = self.header.size(array);
            let range = if array == DATA { "0..7" } else { "1..1" };
            let host = host_name(array);
            text.push(format!("input {host}[{size}] in {range}"));
            text.push(format!("global {array}[{size}]"));
            before.push(format!("{array} ⇚ {host}"));
            if array != DATA && choices.chance(30) {
                after.push(format!("{host} ⇚ {array}"));
            }
        }
        if body.contains("Gf") {
            text.push("input Gf in 0..3".to_owned());
            text.push("global gf".to_owned());
            text.push("shared _f".to_owned());
        }
        let (declared, filled) = self.sorted_arrays(choices);
        text.extend(declared);
        before.extend(filled);
        for (array, size) in [
            ("_o", "b"),
            ("_x", "b"),
            ("_h", "b"),
            ("_w", "b"),
            ("_d", "b"),
        ] {
            let range = if array == "_d" { " in 0..7" } else { "" };
            // What data decide is known by its name.
            let is_used = |lines: &str| lines.contains("_d[");
            if array != "_d"
                || is_used(&body)
                || self.header.kernels.iter().any(|text| is_used(text))
            {
                text.push(format!("shared {array}[{size}]{range}"));
            }
        }
        text.push("shared _s".to_owned());
        text.push("shared _g[b] : float".to_owned());
        for array in ["_y", "_z"] {
            if self.header.extents.contains_key(array) {
                text.push(format!("shared {array}[{}]", self.header.size(array)));
            }
        }
        text.extend(lets.iter().cloned());
        text.extend(std::mem::take(&mut self.header.kernels));
        text.extend(before);
        text.push(body);
        text.extend(after);
        text.retain(|line| !line.is_empty());
        text.join("\n") + "\n"
    }
}

/// `Ga` for `ga`.
fn host_name(array: &str) -> String {
    let mut letters = array.chars();
    let first = letters.next().expect("names are not empty");
    format!("{}{}", first.to_uppercase(), letters.as_str())
}
