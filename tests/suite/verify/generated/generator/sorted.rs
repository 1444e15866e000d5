//! Sorted arrays: what is declared of them, and what the host does with them.

use super::expr::{factor, index};
use super::{Choices, Header, Host, Var, host_name};

/// Sorted arrays whose words are addressed at will; of the same size, so that they can swap.
pub const SORTED: [&str; 2] = ["gp", "gq"];
/// Where n rows begin and the last ends.
pub const ROWS: &str = "gr";
/// m + 1 times as many, which are there on the host only.
const CHUNKS: &str = "gt";
/// n sorted words.
pub const LINES: &str = "gs";

/// What sorted arrays hold.
pub struct Sorted {
    low: &'static str,
    high: &'static str,
    /// How that is told.
    told: Told,
    /// Whether it is told of their shared copies too.
    of_copies: bool,
}

#[derive(Clone, Copy)]
enum Told {
    Declared,
    Required,
    /// Required, and more is declared.
    Both,
    Nowhere,
}

impl Sorted {
    /// Data between two ends.
    pub fn new(choices: &mut Choices<'_>) -> Self {
        let (low, high) = choices.pick(&[
            ("0", "n"),
            ("0", "m"),
            ("0", "7"),
            ("0", "n + m"),
            ("0", "2b"),
            ("0", "0"),
            ("0", "h"),
            ("1", "m + 1"),
            ("m", "m + n"),
            ("b", "2b"),
            ("0", "b - 1"),
            ("3", "3 + n"),
        ]);
        let told = match choices.below(16) {
            0..=9 => Told::Declared,
            10..=12 => Told::Required,
            13..=14 => Told::Both,
            _ => Told::Nowhere,
        };
        Sorted {
            low,
            high,
            told,
            of_copies: choices.chance(50),
        }
    }

    fn lines(&self, array: &str, size: &str) -> Vec<String> {
        let Sorted { low, high, .. } = self;
        let host = host_name(array);
        let range = match self.told {
            Told::Declared => format!(" in {low}..{high}"),
            Told::Both => format!(" in 0..{high} + h"),
            Told::Required | Told::Nowhere => String::new(),
        };
        let mut lines = vec![format!("input {host}[{size}]{range} as sorted")];
        if array != CHUNKS {
            lines.push(format!("global {array}[{size}]"));
        }
        if matches!(self.told, Told::Required | Told::Both) {
            lines.push(format!(
                "require ∀ x ∈ 0..{size} - 1 : {low} ≤ {host}[x] ≤ {high}"
            ));
        }
        lines
    }
}

impl Header {
    /// No word of a sorted array is larger, nor 1, nor one word more than it has.
    pub fn sorted_cap(&self) -> String {
        let sorted = self.sorted.as_ref().expect("there are sorted arrays");
        factor(&format!("{} + 1", sorted.high))
    }
}

impl Host {
    /// What may end the order of a sorted array, or not.
    pub(super) fn change_sorted(&mut self, choices: &mut Choices<'_>) {
        let [p, q] = SORTED;
        let host = host_name(p);
        for array in SORTED {
            self.header.reach(array, &["0".to_owned()]);
        }
        let other = host_name(q);
        let lines = match choices.below(8) {
            0..=1 => self.zigzag(p),
            2 => {
                let refilled = vec![format!("{host} ⇚ {q}"), format!("{p} ⇚ {host}")];
                [self.zigzag(q), refilled].concat()
            }
            3 => [self.zigzag(q), vec![format!("swap {p} ↔ {q}")]].concat(),
            4 => vec![format!("{host} ⇚ {p}")],
            5 => vec![format!("{p} ⇚ {host}")],
            6 => vec![format!("{p} ⇚ {other}")],
            _ => {
                let scope = [self.header.vars(), self.loops.clone()].concat();
                let [to, from, length] = [(); 3].map(|()| index(choices, &scope, &[]));
                for first in [&to, &from] {
                    let last = format!("{} + {}", first.cap, length.cap);
                    self.header.reach(p, &[last]);
                }
                let stretch = |first: &str| format!("[{first}..{first} + {}]", length.text);
                vec![format!(
                    "{p}{} ⇚ {host}{}",
                    stretch(&to.text),
                    stretch(&from.text)
                )]
            }
        };
        self.lines.extend(lines);
    }

    /// A kernel that writes the least and the largest word in turns.
    fn zigzag(&mut self, array: &'static str) -> Vec<String> {
        self.header.reach(array, &["k·b + b".to_owned()]);
        let sorted = self
            .header
            .sorted
            .as_ref()
            .expect("there are sorted arrays");
        let (low, high) = (sorted.low, sorted.high);
        vec![
            "for all mp_i ∈ MP[0..k-1] in parallel do".to_owned(),
            "for all c_{i,j} ∈ C_i in parallel do".to_owned(),
            format!("_x[j] ← select(j mod 2 = 0, {low}, {high})"),
            format!("{array}[i·b + j] ⇐ _x[j]"),
            "end for".to_owned(),
            "end for".to_owned(),
        ]
    }

    /// Rows that change from round to round.
    pub(super) fn rows_in_chunks(&mut self, choices: &mut Choices<'_>) {
        self.header.fixed.extend([ROWS, CHUNKS]);
        let host = host_name(CHUNKS);
        let to = choices.pick(&[ROWS, ROWS, ROWS, "gr[0..n]"]);
        let step = choices.pick(&["(n + 1)", "n"]);
        self.lines.push("for r = 0 → m do".to_owned());
        self.lines
            .push(format!("{to} ⇚ {host}[r·{step}..r·{step} + n]"));
        self.loops.push(Var::new("r", "m"));
        self.kernel(choices);
        self.loops.pop();
        self.lines.push("end for".to_owned());
    }

    /// What a named kernel may take as its sorted array: all that such a one needs.
    pub(super) fn sorted_actuals(&mut self) -> Option<[&'static str; 2]> {
        self.header.sorted.as_ref()?;
        let caps = self.header.extents.remove("gz").unwrap_or_default();
        for array in SORTED {
            self.header.reach(array, &["0".to_owned()]);
            for cap in caps.iter().flatten() {
                self.header.reach(array, std::slice::from_ref(cap));
            }
        }
        Some(SORTED)
    }

    /// The declarations of sorted arrays and their copies, and how they are filled.
    pub(super) fn sorted_arrays(
        &mut self,
        choices: &mut Choices<'_>,
    ) -> (Vec<String>, Vec<String>) {
        let Some(sorted) = &self.header.sorted else {
            return Default::default();
        };
        let mut declared = Vec::new();
        let mut filled = Vec::new();
        let reached = SORTED.map(|array| self.header.extents.get(array));
        let caps: Vec<String> = reached
            .into_iter()
            .flatten()
            .flatten()
            .flatten()
            .cloned()
            .collect();
        let size = format!("{} + 1", caps.join(" + "));
        let flexible = SORTED
            .into_iter()
            .filter(|array| self.header.extents.contains_key(array))
            .map(|array| (array, size.as_str()));
        let fixed = self.header.fixed.iter();
        let fixed = fixed.map(|array| match *array {
            ROWS => (ROWS, "n + 1"),
            CHUNKS => (CHUNKS, "(m + 1)·(n + 1)"),
            other => (other, "n"),
        });
        for (array, size) in flexible.chain(fixed) {
            declared.extend(sorted.lines(array, size));
            if array == CHUNKS {
                continue;
            }
            let slice = if choices.chance(15) {
                format!("[0..{size} - 1]")
            } else {
                String::new()
            };
            filled.push(format!("{array}{slice} ⇚ {}{slice}", host_name(array)));
        }
        let range = if sorted.of_copies {
            format!(" in 0..{}", self.header.sorted_cap())
        } else {
            String::new()
        };
        declared.push(format!(
            "shared _dp[b]{range}, _dq[b]{range}, _dr{range}, _dt{range}"
        ));
        (declared, filled)
    }
}
