//! Indices, conditions and values.

use std::sync::LazyLock;

use super::{Choices, Var};

/// Of a hundred terms of an index, those that are no multiple of one variable, where no other number is
/// asked for (`ATGPU_GENERATED_CURVED=60`).
const CURVED: usize = 12;

fn curved_of_a_hundred() -> usize {
    static ASKED: LazyLock<usize> = LazyLock::new(|| {
        let asked = std::env::var("ATGPU_GENERATED_CURVED").ok();
        asked.and_then(|text| text.parse().ok()).unwrap_or(CURVED)
    });
    *ASKED
}

/// An index that is never negative, and a bound on it.
#[derive(Debug, Clone)]
pub struct Index {
    /// As it stands in the program; a sum, so bracket it to multiply.
    pub text: String,
    /// Never smaller, in header names.
    pub cap: String,
}

/// A sum of multiples of what is in scope; of `near` (MP and core indices, inner loops) rather
/// than of the header's names.
pub fn index(choices: &mut Choices<'_>, scope: &[Var], near: &[Var]) -> Index {
    let mut terms = Vec::new();
    let mut caps = Vec::new();
    for _ in 0..[1, 1, 2, 2, 2, 3][choices.below(6)] {
        let var = if near.is_empty() || choices.chance(12) {
            if scope.is_empty() {
                continue;
            }
            &scope[choices.below(scope.len())]
        } else {
            &near[choices.below(near.len())]
        };
        let (text, cap) = if !near.is_empty() && choices.chance(curved_of_a_hundred()) {
            curved(choices, near)
        } else {
            multiple(choices, var)
        };
        terms.push(text);
        caps.push(cap);
    }
    let constant = choices.pick(&["", "", "", "1", "b", "2", "b - 1", "m"]);
    if !constant.is_empty() || terms.is_empty() {
        let constant = if constant.is_empty() { "0" } else { constant };
        terms.push(constant.to_owned());
        caps.push(constant.to_owned());
    }
    let sum = Index {
        text: terms.join(" + "),
        cap: caps.join(" + "),
    };
    changed(choices, sum)
}

/// `ib + j`, or whatever else addresses words of its own.
pub fn unit_stride(choices: &mut Choices<'_>, mp: &Var) -> Index {
    let offset = choices.pick(&["", "", "", " + 1", " + m", " + b"]);
    Index {
        text: format!("{}·b + j{offset}", mp.text),
        cap: format!("{}·b + b{offset}", factor(&mp.cap)),
    }
}

/// A term that is no multiple of one variable: a power, a product, a packed triangle, a part of one.
fn curved(choices: &mut Choices<'_>, near: &[Var]) -> (String, String) {
    let var = &near[choices.below(near.len())];
    let other = &near[choices.below(near.len())];
    let [x, y] = [var, other].map(|var| factor(&var.text));
    let [a, b] = [var, other].map(|var| factor(&var.cap));
    match choices.below(14) {
        10 => (format!("({x}·{y}) mod b"), "b".to_owned()),
        11 => (format!("({x}^2) div b"), format!("{a}^2")),
        12 => (format!("(({x}·b + {y}) mod 3)·{y}"), format!("3·{b}")),
        13 => (format!("({x} mod 2)·{y}^2"), format!("{b}^2")),
        0 | 1 => (format!("{x}^2"), format!("{a}^2")),
        2 => (format!("{x}({x} + 1)/2"), format!("{a}({a} + 1)")),
        // Row x of the upper triangle of a matrix with so many rows.
        3 => (
            format!("({x}·{a} - {x}({x} - 1)/2)"),
            format!("{a}·({a} + 1)"),
        ),
        4 => (format!("({a} - {x})^2"), format!("{a}^2")),
        5 | 6 => (format!("{x}·{y}"), format!("{a}·{b}")),
        7 => (format!("({x} + {y})^2"), format!("({a} + {b})^2")),
        8 => (format!("({x} div 2)·({y} mod 3)"), format!("{a}·3")),
        _ => (format!("{x}·({a} - {x})"), format!("{a}^2")),
    }
}

fn multiple(choices: &mut Choices<'_>, var: &Var) -> (String, String) {
    let factors = ["", "", "", "", "", "2", "b", "b", "3", "(b + 1)", "m", "h"];
    let by = choices.pick(&factors);
    if by.is_empty() {
        return (factor(&var.text), factor(&var.cap));
    }
    (
        format!("{}·{}", factor(by), factor(&var.text)),
        format!("{}·{}", factor(by), factor(&var.cap)),
    )
}

/// With brackets, where more than one letter or number would need them in a product.
pub fn factor(text: &str) -> String {
    let plain = text.chars().all(char::is_alphanumeric);
    let bracketed = text.starts_with('(') && text.ends_with(')') && text.matches('(').count() == 1;
    if plain || bracketed {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

fn changed(choices: &mut Choices<'_>, sum: Index) -> Index {
    let Index { text, cap } = &sum;
    match choices.below(36) {
        18 => Index {
            text: format!("{} - {}", cap, factor(text)),
            cap: cap.clone(),
        },
        19 => Index {
            text: format!("{} mod b", factor(text)),
            cap: "b".into(),
        },
        20 => Index {
            text: format!("{} div 2", factor(text)),
            cap: cap.clone(),
        },
        21 => Index {
            text: format!("min({text}, b)"),
            cap: "b".into(),
        },
        22 => Index {
            text: format!("⌊{}/b⌋", factor(text)),
            cap: cap.clone(),
        },
        23 => Index {
            text: format!("{} mod 3", factor(text)),
            cap: "3".into(),
        },
        _ => sum,
    }
}

/// A condition on parameters.
pub fn condition(choices: &mut Choices<'_>, scope: &[Var], near: &[Var]) -> String {
    let one = comparison(choices, scope, near);
    match choices.below(8) {
        5 => format!("{one} ∧ {}", comparison(choices, scope, near)),
        6 => format!("{one} ∨ {}", comparison(choices, scope, near)),
        7 => format!("¬({one})"),
        _ => one,
    }
}

fn comparison(choices: &mut Choices<'_>, scope: &[Var], near: &[Var]) -> String {
    let relation = choices.pick(&["<", "≤", "=", "≥", ">", "≠"]);
    match choices.below(16) {
        0 | 9..=11 => {
            let bound = choices.pick(&["n", "b div 2", "m", "h", "1", "b - 1", "k"]);
            let var = pick(choices, scope, near);
            format!("{var} {relation} {bound}")
        }
        1 | 2 | 12 | 13 => {
            let left = index(choices, scope, near);
            format!("{} {relation} n", left.text)
        }
        3 => {
            let left = index(choices, scope, near);
            let right = index(choices, scope, near);
            format!("{} {relation} {}", left.text, right.text)
        }
        4 => {
            let left = index(choices, scope, near);
            let by = choices.pick(&["2", "3", "b", "h"]);
            if by == "h" {
                return format!("{} mod (h + 1) = 0", factor(&left.text));
            }
            format!(
                "{} mod {by} = {}",
                factor(&left.text),
                choices.pick(&["0", "1"])
            )
        }
        5 => match choices.below(3) {
            0 => format!("1 ≤ {} < b - 1", pick(choices, scope, near)),
            // Cores cut off on both sides, in the first and the last MP.
            1 => {
                let by = choices.pick(&["b", "b", "(b - 1)", "2"]);
                let least = choices.pick(&["0", "1", "m", "2"]);
                let outer = factor(&pick(choices, scope, near));
                format!("{least} < {outer}·{by} + j < n")
            }
            _ => {
                let outer = factor(&pick(choices, scope, near));
                format!(
                    "{outer}·b + j ≥ {}",
                    choices.pick(&["1", "2", "m", "b - 1"])
                )
            }
        },
        6 => format!("j {relation} {}", pick(choices, scope, near)),
        7 => choices
            .pick(&["j ≥ 0", "n < m", "1 = 2", "m > 0", "n ≥ b"])
            .to_owned(),
        _ => format!(
            "j {relation} {}",
            choices.pick(&["m", "1", "h", "b div 2", "b - 2"])
        ),
    }
}

fn pick(choices: &mut Choices<'_>, scope: &[Var], near: &[Var]) -> String {
    let from = if near.is_empty() { scope } else { near };
    from[choices.below(from.len())].text.clone()
}

/// A whole number made with as many operators as it likes, of parameters and of the words that
/// stand in `shared`.
pub fn value(
    choices: &mut Choices<'_>,
    scope: &[Var],
    near: &[Var],
    shared: &[&str],
    depth: usize,
) -> String {
    if depth == 0 {
        return match choices.below(3) {
            0 => choices.pick(&["1", "7", "0", "12"]).to_owned(),
            1 => choices.pick(shared).to_owned(),
            _ => pick(choices, scope, near),
        };
    }
    let mut one = || value(choices, scope, near, shared, depth - 1);
    let (x, y) = (one(), one());
    match choices.below(16) {
        0 | 1 => format!("{x} + {y}"),
        2 => format!("{} - {}", x, factor(&y)),
        3 => format!("{}·{}", factor(&x), factor(&y)),
        4 => format!("{} div 3", factor(&x)),
        5 => format!("{} mod (b + 1)", factor(&x)),
        6 => format!("min({x}, {y}, 5)"),
        7 => format!("max({x}, {y})"),
        8 => format!("abs({x} - {})", factor(&y)),
        9 => format!("select({x} < {}, {x}, {y})", factor(&y)),
        10 => format!("2·[{x} ≤ {}]", factor(&y)),
        11 => format!("⌊{}/2⌋", factor(&x)),
        12 => format!("-{}", factor(&x)),
        13 => format!("bitand(abs({x}), 6)"),
        14 => format!("⌈log2 (n + {})⌉", choices.pick(&["1", "2", "b"])),
        _ => format!("{}^2", factor(&x)),
    }
}
