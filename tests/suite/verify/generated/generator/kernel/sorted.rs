//! Rows between words of a sorted array, and accesses by such words.

use super::{Choices, Kernel, NAMES};
use crate::verify::generated::generator::expr::{Index, condition, factor, index, unit_stride};
use crate::verify::generated::generator::sorted::{LINES, ROWS};
use crate::verify::generated::generator::{DATA, Var};

/// Where the ends of a row are held.
struct Ends {
    low: String,
    high: String,
    /// A guard that has to be closed behind the row.
    is_guarded: bool,
}

impl Kernel<'_> {
    /// A loop between two words of a sorted array, which are loaded first.
    pub(super) fn rows(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let (near, taken) = (self.near.len(), self.taken);
        let Some(name) = NAMES.get(taken) else {
            return self.read(choices);
        };
        let (mut lines, mut ends) = self.ends(choices);
        lines.extend(self.between(choices));
        let mut name = *name;
        if choices.chance(15)
            && let Some(next) = NAMES.get(taken + 1)
        {
            lines.push(format!("let {name} = {}", ends.low));
            ends.low = name.to_owned();
            name = next;
            self.taken += 1;
        }
        // It stays in scope.
        let named = self.taken;
        self.taken += 1;
        let (head, cap) = self.row(choices, &ends);
        lines.push(format!("for {name} = {head} do"));
        self.near.push(Var::new(name, cap));
        self.depth += 1;
        if !choices.chance(20) {
            lines.extend(self.step(choices, name, &ends));
        }
        if choices.chance(50) {
            lines.extend(self.body(choices));
        }
        self.depth -= 1;
        lines.push("end for".to_owned());
        self.near.truncate(near);
        self.taken = if ends.is_guarded { taken } else { named };
        if ends.is_guarded {
            lines.push("end if".to_owned());
        }
        lines
    }

    /// Which word of a sorted array a core takes.
    fn sorted_at(&mut self, choices: &mut Choices<'_>) -> Index {
        let own = unit_stride(choices, &self.mp);
        match choices.below(20) {
            0..=8 => own,
            9..=10 => {
                let by = choices.pick(&["2", "3", "m", "h", "b"]);
                Index {
                    text: format!("{by}·({})", own.text),
                    cap: format!("{by}·({})", own.cap),
                }
            }
            11 => Index {
                text: format!("{} - {}", own.cap, factor(&own.text)),
                cap: own.cap,
            },
            12..=13 => self.of_mp(choices),
            14..=16 => {
                // A grid-stride loop, where one is around.
                let turn = self.near[choices.below(self.near.len())].clone();
                let mps = factor(&format!("{} + 1", self.mp.cap));
                let (mp, at) = (self.mp.text.clone(), factor(&turn.text));
                let text = match choices.below(3) {
                    0 => format!("({at}·{mps} + {mp})·b + j"),
                    1 => format!("({mp}·(m + 1) + {at})·b + j"),
                    _ => format!("{mp}·b + j + {at}"),
                };
                let cap = format!("({}·{mps} + {mps}·(m + 1))·b + b", factor(&turn.cap));
                Index { text, cap }
            }
            _ => index(choices, &self.scope, &self.near),
        }
    }

    /// The same for all cores of an MP.
    fn of_mp(&mut self, choices: &mut Choices<'_>) -> Index {
        let by = choices.pick(&["1", "1", "2", "b", "m"]);
        let more = choices.pick(&["", " + 1", " + m"]);
        Index {
            text: format!("{by}·{}{more}", self.mp.text),
            cap: format!("{by}·{}{more}", factor(&self.mp.cap)),
        }
    }

    /// Loads the two ends of a row.
    fn ends(&mut self, choices: &mut Choices<'_>) -> (Vec<String>, Ends) {
        let ends = |low: &str, high: &str, is_guarded| Ends {
            low: low.to_owned(),
            high: high.to_owned(),
            is_guarded,
        };
        let width = choices.pick(&["1", "1", "1", "1", "1", "2", "m", "b", "h", "3"]);
        match choices.below(10) {
            0..=1 => {
                // As real programs do: as many rows as n says.
                self.header.fixed.insert(ROWS);
                let own = format!("{}·b + j", self.mp.text);
                let lines = vec![
                    format!("if {own} < n then"),
                    format!("_dp[j] ⇐ {ROWS}[{own}]"),
                    format!("_dq[j] ⇐ {ROWS}[{own} + 1]"),
                ];
                (lines, ends("_dp[j]", "_dq[j]", true))
            }
            2 => {
                let at = self.of_mp(choices);
                self.reach_row(self.sorted[0], &at, width);
                let lines = vec![
                    format!("_dr ⇐ {}[{}]", self.sorted[0], at.text),
                    format!("_dt ⇐ {}[{} + {width}]", self.sorted[0], at.text),
                ];
                (lines, ends("_dr", "_dt", false))
            }
            3 => {
                // What the core loop began with.
                self.used.extend(["_dp", "_dq"]);
                (Vec::new(), ends("_dp[j]", "_dq[j]", false))
            }
            _ => {
                let at = self.sorted_at(choices);
                let other = self.sorted[usize::from(choices.chance(6))];
                self.reach_row(self.sorted[0], &at, width);
                self.reach_row(other, &at, width);
                let lines = vec![
                    format!("_dp[j] ⇐ {}[{}]", self.sorted[0], at.text),
                    format!("_dq[j] ⇐ {other}[{} + {width}]", factor(&at.text)),
                ];
                (lines, ends("_dp[j]", "_dq[j]", false))
            }
        }
    }

    /// Notes both ends of a row.
    fn reach_row(&mut self, array: &'static str, at: &Index, width: &str) {
        let cap = format!("{} + {width}", factor(&at.cap));
        self.header.reach(array, &[cap]);
    }

    /// What may happen between the loads and the loop: mostly nothing.
    fn between(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        match choices.below(16) {
            0 => vec!["_dq[j] ← max(_dp[j], _dq[j])".to_owned()],
            1..=2 => {
                let holds = condition(choices, &self.scope, &self.near);
                let at = self.sorted_at(choices);
                let from = choices.pick(&self.sorted);
                self.header.reach(from, std::slice::from_ref(&at.cap));
                let to = choices.pick(&["_dp[j]", "_dq[j]"]);
                let change = match choices.below(3) {
                    0 => "_dp[j] ← _dq[j]".to_owned(),
                    _ => format!("{to} ⇐ {from}[{}]", at.text),
                };
                self.used.extend(["_dp", "_dq"]);
                vec![format!("if {holds} then"), change, "end if".to_owned()]
            }
            3 => {
                // Another core's.
                let at = self.sorted_at(choices);
                let to = choices.pick(&["_dp[b - 1 - j]", "_dq[(j + 1) mod b]"]);
                let from = choices.pick(&self.sorted);
                self.header.reach(from, std::slice::from_ref(&at.cap));
                self.used.extend(["_dp", "_dq"]);
                vec![format!("{to} ⇐ {from}[{}]", at.text)]
            }
            4 if self.depth < super::DEEPEST => self.conditional(choices),
            _ => Vec::new(),
        }
    }

    /// The two ends of a loop, and a bound on its variable.
    fn row(&mut self, choices: &mut Choices<'_>, ends: &Ends) -> (String, String) {
        let (p, q) = (&ends.low, &ends.high);
        let most = self.header.sorted_cap();
        let (head, cap) = match choices.below(28) {
            0..=9 => (format!("{p} → {q} - 1"), most),
            10..=11 => (format!("{p} → {q}"), most),
            12 => (format!("{q} - 1 downto {p}"), most),
            13 => (format!("{q} downto {p}"), most),
            14 => (format!("{p} + 1 → {q}"), most),
            15 => (format!("0 → {q} - {p} - 1"), most),
            16 => (format!("0 → {q} - {p}"), most),
            17 => (format!("1 → ({q} - {p}) div 2"), most),
            18..=19 => (format!("0 → ⌈({q} - {p})/b⌉ - 1"), most),
            20 => (format!("0 → ⌊({q} - {p})/2⌋"), most),
            21 => (format!("2·{p} → 2·{q} - 1"), format!("2·{most}")),
            22 => (format!("m·{p} → m·{q} - 1"), format!("m·{most}")),
            23 => (format!("{p} div 2 → {q} div 2 - 1"), most),
            24 => (format!("{p} → {q} + m"), format!("({most} + m)")),
            25 => (format!("0 → ⌈({q} - {p} + m)/2⌉"), format!("({most} + m)")),
            26 => (format!("{q} - {p} downto 1"), most),
            _ => (format!("1 → ⌈2·({q} - {p})/3⌉"), most),
        };
        (head, cap)
    }

    /// What a row does with its variable.
    fn step(&mut self, choices: &mut Choices<'_>, name: &str, ends: &Ends) -> Vec<String> {
        let most = self.near[self.near.len() - 1].cap.clone();
        let from = self.arrays[0];
        let read = |text: &str| format!("_y[j] ⇐ {from}[{text}]");
        self.header.reach("_y", &["b".to_owned()]);
        match choices.below(12) {
            0..=3 => {
                self.header.reach(from, &[most]);
                vec![read(name)]
            }
            4 => {
                self.header.reach(from, &[format!("{most}·b + b")]);
                vec![read(&format!("{name}·b + j"))]
            }
            5 => {
                let by = choices.pick(&["2", "m", "b", "h"]);
                self.header.reach(from, &[format!("{by}·{most}")]);
                vec![read(&format!("{by}·{name}"))]
            }
            6..=7 => {
                // The cores of an MP side by side.
                let (p, q) = (&ends.low, &ends.high);
                let at = format!("{p} + {name}·b + j");
                self.header.reach(from, &[self.header.sorted_cap()]);
                vec![
                    format!("if {at} < {q} then"),
                    read(&at),
                    "end if".to_owned(),
                ]
            }
            8 => {
                // The column of a sparse matrix.
                self.used.insert("_d");
                self.header.reach(DATA, &[most]);
                self.header.reach(from, &["7".to_owned()]);
                vec![format!("_d[j] ⇐ {DATA}[{name}]"), read("_d[j]")]
            }
            9 => {
                self.used.insert("_o");
                let to = self.arrays[1];
                self.header.reach(to, &[most]);
                vec![format!("{to}[{name}] ⇐ _o[j]")]
            }
            10 => {
                let by = choices.pick(&["1", "2", "b"]);
                self.header.reach("_y", &[format!("{by}·{most}")]);
                vec![format!("_y[{by}·{name}] ← 1")]
            }
            _ => {
                self.header.reach(from, &[format!("{most} + b")]);
                vec![read(&format!("{name} + j"))]
            }
        }
    }

    /// An access by a word of a sorted array.
    pub(super) fn sorted_gather(&mut self, choices: &mut Choices<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut behind = Vec::new();
        let (near, taken) = (self.near.len(), self.taken);
        if choices.chance(25)
            && self.depth < super::DEEPEST
            && let Some(name) = NAMES.get(taken)
        {
            lines.push(format!("for {name} = 0 → m do"));
            behind.push("end for".to_owned());
            self.near.push(Var::new(*name, "m"));
            self.taken += 1;
        }
        match choices.below(8) {
            0..=2 => {
                self.header.fixed.insert(LINES);
                let own = format!("{}·b + j", self.mp.text);
                lines.push(format!("if {own} < n then"));
                behind.insert(0, "end if".to_owned());
                lines.push(format!("_dp[j] ⇐ {LINES}[{own}]"));
            }
            3 => {
                self.used.insert("_dp");
            }
            _ => {
                let at = self.sorted_at(choices);
                self.header
                    .reach(self.sorted[0], std::slice::from_ref(&at.cap));
                lines.push(format!("_dp[j] ⇐ {}[{}]", self.sorted[0], at.text));
            }
        }
        if choices.chance(10) {
            lines.extend(self.between(choices));
        }
        let is_repeated = choices.chance(25) && self.taken < NAMES.len();
        if is_repeated {
            let name = NAMES[self.taken];
            lines.push(format!("for {name} = 0 → m do"));
            behind.insert(0, "end for".to_owned());
            self.near.push(Var::new(name, "m"));
            self.taken += 1;
        }
        lines.push(self.by_sorted(choices));
        self.near.truncate(near);
        self.taken = taken;
        [lines, behind].concat()
    }

    fn by_sorted(&mut self, choices: &mut Choices<'_>) -> String {
        let most = self.header.sorted_cap();
        let turn = self.near[choices.below(self.near.len())].clone();
        let [at, more] = [&turn.text, &turn.cap].map(|text| factor(text));
        let (text, cap) = match choices.below(16) {
            0..=5 => ("_dp[j]".to_owned(), most.clone()),
            6 => ("_dp[j] + m".to_owned(), format!("{most} + m")),
            7 => (format!("_dp[j] + {at}"), format!("{most} + {more}")),
            8 => ("2·_dp[j]".to_owned(), format!("2·{most}")),
            9 => ("b·_dp[j]".to_owned(), format!("b·{most}")),
            10 => ("b·_dp[j] + j".to_owned(), format!("b·{most} + b")),
            11 => (format!("{most} - _dp[j]"), most.clone()),
            12 => ("_dp[j] div 2".to_owned(), most.clone()),
            13 => (format!("m·_dp[j] + {at}·b"), format!("m·{most} + {more}·b")),
            14 => ("3·_dp[j] + 1".to_owned(), format!("3·{most} + 1")),
            _ => (
                format!("{at}·{most} + _dp[j]"),
                format!("{more}·{most} + {most}"),
            ),
        };
        if choices.chance(15) {
            self.header.reach("_y", &["b".to_owned()]);
            let square = self.arrays[2];
            let (rows, columns) = if choices.chance(60) {
                ((at, more), (text, cap))
            } else {
                ((text, cap), (at, more))
            };
            self.header.reach(square, &[rows.1, columns.1]);
            return format!("_y[j] ⇐ {square}[{}, {}]", rows.0, columns.0);
        }
        if choices.chance(15) {
            self.used.insert("_o");
            let to = self.arrays[1];
            self.header.reach(to, &[cap]);
            return format!("{to}[{text}] ⇐ _o[j]");
        }
        self.header.reach("_y", &["b".to_owned()]);
        self.header.reach(self.arrays[0], &[cap]);
        format!("_y[j] ⇐ {}[{text}]", self.arrays[0])
    }
}
