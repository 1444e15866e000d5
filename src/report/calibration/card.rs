//! What a card's own figures are, for a person, as JSON, and as keys of a machine file.

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::number::Rational;
use crate::report::calibration::number;
use crate::report::table::{Align, Table};
use crate::study::{CardAnswer, CardFigure};

/// What the rule `sectors` counts.
const SECTOR_BYTES: f64 = 32.0;

/// A line a figure, with its spread or why there is none.
///
/// ```
/// use atgpu::report::calibration::card_text;
/// use atgpu::study::{CardAnswer, CardFigure, Unmeasured};
///
/// let told = card_text(&[
///     CardAnswer { figure: CardFigure::Launch, answer: Ok((0.005, 0.1)) },
///     CardAnswer { figure: CardFigure::Latency, answer: Err(Unmeasured::NoClock) },
/// ]);
/// assert!(told.contains("launch_ms       0.005  ± 10%"), "{told}");
/// assert!(told.contains("not determined: it is told in cycles"), "{told}");
/// ```
pub fn card_text(answers: &[CardAnswer]) -> String {
    let mut table = Table::bare(&[Align::Left, Align::Right, Align::Left]);
    for CardAnswer { figure, answer } in answers {
        let key = figure.name();
        let (value, told) = match answer {
            Ok((value, spread)) => (number(*value), format!("± {:.0}%", spread * 100.0)),
            Err(why) => (String::new(), format!("not determined: {why}")),
        };
        table.row([key.to_owned(), value, told]);
    }
    table.render()
}

/// An object a figure.
///
/// ```
/// use atgpu::report::calibration::card_json;
/// use atgpu::study::{CardAnswer, CardFigure};
///
/// let told = card_json(&[CardAnswer { figure: CardFigure::Launch, answer: Ok((0.005, 0.1)) }]);
/// assert_eq!(told[0]["key"], "launch_ms");
/// ```
pub fn card_json(answers: &[CardAnswer]) -> Value {
    let object = |CardAnswer { figure, answer }: &CardAnswer| {
        let (section, key) = (figure.place().map(|(section, _)| section), figure.name());
        match answer {
            Ok((value, spread)) => {
                json!({"section": section, "key": key, "value": value, "spread": spread})
            }
            Err(why) => {
                json!({"section": section, "key": key, "value": null, "reason": why.to_string()})
            }
        }
    };
    answers.iter().map(object).collect()
}

/// A key of a machine file, its value, and how uncertain that is.
pub(super) struct Key {
    pub(super) place: (&'static str, &'static str),
    pub(super) value: String,
    pub(super) spread: f64,
}

/// The keys of what was measured; `before` is the machine that is changed.
///
/// A stream that moves less than the memory's peak is a part of it (`memory_efficiency`); one that moves
/// more is the peak.
pub(super) fn keys(answers: &[CardAnswer], before: &Machine) -> Vec<Key> {
    let mut keys = Vec::new();
    for CardAnswer { figure, answer } in answers {
        let Ok((value, spread)) = *answer else {
            continue;
        };
        let mut add = |place, value| {
            keys.push(Key {
                place,
                value,
                spread,
            })
        };
        let peak = before.device.memory_gb_s.as_ref().map(Rational::to_f64);
        match (figure, peak) {
            (CardFigure::Memory, Some(peak)) if value <= peak => {
                add(("device", "memory_efficiency"), number(value / peak));
            }
            (CardFigure::Memory, _) => {
                add(("device", "memory_gb_s"), number(value));
                add(("device", "memory_efficiency"), "1".to_owned());
            }
            (CardFigure::CacheBytes, _) => add(("roofline", "l2_bytes"), format!("{value:.0}")),
            (CardFigure::Sector, _) => {
                let [_, cores, ..] = before.atgpu.numbers();
                let block = (cores * before.word_bytes) as f64;
                // Between the two rules lies nothing that the machine file has a name for.
                if value < 1.5 * SECTOR_BYTES {
                    add(("coalescing", "rule"), "\"sectors\"".to_owned());
                } else if value > block / 1.5 {
                    add(("coalescing", "rule"), "\"blocks\"".to_owned());
                }
            }
            _ => {
                if let Some(place) = figure.place() {
                    add(place, number(value));
                }
            }
        }
    }
    keys
}
