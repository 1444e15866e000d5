//! `-D b=8 -D alpha=0.01`: machine parameters given by name.

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::error::OverrideError;
use crate::machine::reader::{Rule, whole_number};
use crate::machine::units::{CyclesPerBlock, CyclesPerMilli, Millis, MillisPerWord};
use crate::machine::{Machine, PerDirection};
use crate::number::Rational;

/// Every name an override may have. α is in ms, β in ms a word, γ in cycles a ms, λ in cycles a
/// block, σ in ms (language.md §5).
pub const OVERRIDABLE: &[&str] = &["p", "b", "M", "G", "α", "β", "γ", "λ", "σ", "k'", "H"];

impl Machine {
    /// Splits what was given into the values of formal parameters (and of names nobody knows) and
    /// the machine's own, and applies the latter. A formal of the same name wins.
    ///
    /// # Errors
    /// `usage::value` for an override out of range.
    pub fn with_overrides(
        &self,
        given: &Parameters,
        is_formal: impl Fn(&str) -> bool,
    ) -> Result<(Machine, Parameters), Vec<Diagnostic>> {
        let mut machine = self.clone();
        let mut formals = Parameters::new();
        let mut errors = Vec::new();
        for (name, value) in given.iter() {
            if is_formal(name) || !OVERRIDABLE.contains(&name) {
                formals.set(name, value.clone());
            } else if let Err(expected) = machine.set(name, value) {
                errors.push(Diagnostic::of(&OverrideError {
                    name: name.to_owned(),
                    value: value.to_string(),
                    expected,
                }));
            }
        }
        if errors.is_empty() {
            Ok((machine, formals))
        } else {
            Err(errors)
        }
    }

    /// Sets one of [`OVERRIDABLE`]; the error says what the value must be.
    fn set(&mut self, name: &str, value: &Rational) -> Result<(), &'static str> {
        let whole = |rule: Rule| whole_number(value, rule).ok_or(rule.of_whole());
        let figure = |rule: Rule| {
            let fits = rule.holds(value);
            fits.then(|| value.clone()).ok_or(rule.of_figure())
        };
        match name {
            "p" => self.atgpu.cores = whole(Rule::Positive)?,
            "b" => self.atgpu.cores_per_mp = whole(Rule::Positive)?,
            "M" => self.atgpu.shared_words = whole(Rule::NotNegative)?,
            "G" => self.atgpu.global_words = whole(Rule::NotNegative)?,
            "k'" => self.device.multiprocessors = Some(whole(Rule::Positive)?),
            "H" => self.device.max_blocks = Some(whole(Rule::Positive)?),
            "γ" => self.device.clock = Some(CyclesPerMilli::new(figure(Rule::Positive)?)),
            "λ" => self.device.latency = Some(CyclesPerBlock::new(figure(Rule::NotNegative)?)),
            "σ" => self.transfer.synchronisation = Some(Millis::new(figure(Rule::NotNegative)?)),
            "α" => {
                let alpha = Millis::new(figure(Rule::NotNegative)?);
                self.transfer.alpha = Some(PerDirection::both(alpha));
            }
            "β" => {
                let beta = MillisPerWord::new(figure(Rule::NotNegative)?);
                self.transfer.beta = Some(PerDirection::both(beta));
            }
            other => unreachable!("`{other}` is not overridable"),
        }
        Ok(())
    }
}

impl<T: Clone> PerDirection<T> {
    /// The same figure either way.
    pub fn both(figure: T) -> Self {
        PerDirection {
            inward: figure.clone(),
            outward: figure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(given: &[(&str, Rational)]) -> Result<(Machine, Parameters), Vec<Diagnostic>> {
        let given: Parameters = given.iter().cloned().collect();
        let machine = Machine::built_in("gtx650").expect("built in");
        machine.with_overrides(&given, |name| name == "M")
    }

    #[test]
    fn every_overridable_name_changes_its_figure() {
        let untouched = Machine::built_in("gtx650").expect("built in");
        for name in OVERRIDABLE {
            let mut machine = untouched.clone();
            assert_eq!(machine.set(name, &7.into()), Ok(()), "{name}");
            assert_ne!(machine, untouched, "{name}");
            let negative = machine.set(name, &Rational::from(-1));
            assert!(negative.is_err(), "{name}");
        }
    }

    #[test]
    fn a_formal_of_the_same_name_wins() {
        let given = [("M", 5.into()), ("b", 8.into()), ("alpha", 3.into())];
        let (machine, formals) = apply(&given).expect("fits");
        assert_eq!(machine.atgpu.numbers(), [384, 8, 12288, 1 << 28]);
        assert_eq!(machine.alpha().expect("set").outward, Millis::new(3));
        assert_eq!(formals.iter().count(), 1);
        assert_eq!(formals.get("M"), Some(&5.into()));
    }

    #[test]
    fn nonsense_is_a_usage_fault() {
        let half = Rational::new(1, 2).expect("not zero");
        for (name, value) in [("b", 0.into()), ("p", half), ("G", (-1).into())] {
            let faults = apply(&[(name, value)]).expect_err(name);
            assert_eq!(faults[0].code.short_name(), "usage::value");
        }
    }
}
