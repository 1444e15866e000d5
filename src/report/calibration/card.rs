//! The measured figures of a card: as text, as JSON, and as keys of a machine file.

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::number::Rational;
use crate::report::calibration::number;
use crate::report::table::{Align, Table};
use crate::study::{CardAnswer, CardFigure};

/// Bytes of a sector, the unit of the rule `sectors`.
const SECTOR_BYTES: f64 = 32.0;

/// Renders one line per figure, with its spread or the reason why it is undetermined.
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

/// Renders one object per figure.
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

/// A key of a machine file with its value and its relative uncertainty.
pub(super) struct Key {
    pub(super) place: (&'static str, &'static str),
    pub(super) value: String,
    pub(super) spread: f64,
}

/// Returns the keys for the measured figures. `before` is the machine to be changed.
///
/// A measured stream slower than the memory's peak sets `memory_efficiency`, its fraction of the peak. A
/// faster one becomes the peak.
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
                // A measured size between the two rules has no name in a machine file.
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
