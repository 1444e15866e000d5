//! `-D b=8 -D alpha=0.01`: machine parameters given by name.

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::error::OverrideError;
use crate::machine::reader::{Rule, whole_number};
use crate::machine::units::{CyclesPerBlock, CyclesPerMilli, Millis, MillisPerWord};
use crate::machine::{Machine, PerDirection};
use crate::number::Rational;

/// Every name an override may have. α is in ms, β in ms a word, γ in cycles a ms, λ in cycles a
/// block, σ in ms (language.md §5); Z is MPs of a thread block, W warps of
/// an MP.
pub const OVERRIDABLE: &[&str] = &[
    "p", "b", "M", "G", "α", "β", "γ", "λ", "σ", "k'", "H", "Z", "W",
];

impl Machine {
    /// Splits what was given into the values of formal parameters (and of names nobody knows) and
    /// the machine's own, and applies the latter. A formal of the same name wins.
    ///
    /// ```
    /// use atgpu::{count::Parameters, machine::Machine};
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let given = Parameters::from([("n", 64), ("b", 8)]);
    /// let (narrow, formals) = card.with_overrides(&given, |name| name == "n").expect("in range");
    /// assert_eq!(narrow.atgpu.cores_per_mp, 8);
    /// assert_eq!(formals, Parameters::from([("n", 64)]));
    /// ```
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

    /// This machine with figures given by name: p b M G α β γ λ σ k' H Z W, Greek letters in either
    /// spelling, units as in [`OVERRIDABLE`].
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.with([("b", 8)]).expect("in range").atgpu.cores_per_mp, 8);
    /// let faults = card.with([("b", 0)]).expect_err("a machine has cores");
    /// assert_eq!(faults[0].code.short_name(), "usage::value");
    /// ```
    ///
    /// # Errors
    /// `usage::value` for a figure out of range, or a name that is no figure's.
    pub fn with(&self, figures: impl Into<Parameters>) -> Result<Machine, Vec<Diagnostic>> {
        let (machine, strangers) = self.with_overrides(&figures.into(), |_| false)?;
        let errors = strangers.iter().map(|(name, value)| {
            Diagnostic::of(&OverrideError {
                name: name.to_owned(),
                value: value.to_string(),
                expected: "one of p b M G α β γ λ σ k' H Z W",
            })
        });
        match errors.collect::<Vec<_>>() {
            errors if errors.is_empty() => Ok(machine),
            errors => Err(errors),
        }
    }

    /// The figures that have a name, as a formula's parameters: p b M G, and α β γ λ σ k' H as far
    /// as the machine has them. α and β are left out where the two directions differ: in symbols
    /// there is one of each (language.md §5).
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let parameters = Machine::built_in("gtx650").expect("built in").parameters();
    /// assert_eq!(parameters.get("M"), Some(&12288.into()));
    /// ```
    pub fn parameters(&self) -> Parameters {
        let [p, b, m, g] = self.atgpu.numbers().map(Rational::from);
        let mut known = Parameters::from([("p", p), ("b", b), ("M", m), ("G", g)]);
        let (device, transfer) = (&self.device, &self.transfer);
        let alpha = transfer.alpha.as_ref().and_then(PerDirection::only);
        let beta = transfer.beta.as_ref().and_then(PerDirection::only);
        let figures = [
            ("α", alpha.map(|alpha| alpha.value().clone())),
            ("β", beta.map(|beta| beta.value().clone())),
            (
                "γ",
                device.clock.as_ref().map(|clock| clock.value().clone()),
            ),
            (
                "λ",
                self.latency().ok().map(|latency| latency.value().clone()),
            ),
            (
                "σ",
                transfer
                    .synchronisation
                    .as_ref()
                    .map(|sigma| sigma.value().clone()),
            ),
            ("k'", device.multiprocessors.map(Rational::from)),
            ("H", device.max_blocks.map(Rational::from)),
            ("Z", self.roofline.mps_per_thread_block.map(Rational::from)),
            ("W", self.roofline.warps_per_mp.map(Rational::from)),
        ];
        for (name, value) in figures {
            if let Some(value) = value {
                known.set(name, value);
            }
        }
        known
    }

    /// Whether every figure is in its range. A machine from a file or from overrides is; one put
    /// together in code may not be.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let mut card = Machine::built_in("gtx650").expect("built in");
    /// assert!(card.validate().is_ok());
    /// card.atgpu.cores_per_mp = 0;
    /// assert!(card.validate().is_err());
    /// ```
    ///
    /// # Errors
    /// `usage::value` for each that is not.
    pub fn validate(&self) -> Result<(), Vec<Diagnostic>> {
        let mut figures = self.parameters();
        let mut scratch = self.clone();
        let mut errors = Vec::new();
        let mut test = |name: &str, value: &Rational| {
            if let Err(expected) = scratch.set(name, value) {
                errors.push(Diagnostic::of(&OverrideError {
                    name: name.to_owned(),
                    value: value.to_string(),
                    expected,
                }));
            }
        };
        let (alpha, beta) = (&self.transfer.alpha, &self.transfer.beta);
        for alpha in alpha.iter().flat_map(PerDirection::either) {
            test("α", alpha.value());
        }
        for beta in beta.iter().flat_map(PerDirection::either) {
            test("β", beta.value());
        }
        figures.remove("α");
        figures.remove("β");
        figures.iter().for_each(|(name, value)| test(name, value));
        if errors.is_empty() {
            Ok(())
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
            "Z" => self.roofline.mps_per_thread_block = Some(whole(Rule::Positive)?),
            "W" => self.roofline.warps_per_mp = Some(whole(Rule::Positive)?),
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
    fn a_machine_put_together_in_code_is_validated() {
        let mut machine = Machine::built_in("gtx650").expect("built in");
        assert_eq!(machine.validate(), Ok(()));
        // All but α and β, which differ between the directions, and Z and W, which the launch gives.
        assert_eq!(machine.parameters().iter().count(), OVERRIDABLE.len() - 4);
        let launched = machine.with([("alpha", 1), ("beta", 2), ("Z", 8), ("W", 2)]);
        let alike = launched.expect("fits");
        assert_eq!(alike.parameters().iter().count(), OVERRIDABLE.len());
        assert!(machine.with([("epsilon", 1)]).is_err());
        machine.device.clock = Some(CyclesPerMilli::new(0));
        machine.atgpu.cores_per_mp = 0;
        let alpha = machine.transfer.alpha.as_mut().expect("has α");
        alpha.outward = Millis::new(-1);
        let faults = machine
            .validate()
            .expect_err("three figures are out of range");
        let named = |name: &str| faults.iter().any(|fault| fault.message.contains(name));
        assert!(faults.len() == 3 && ["`b = 0`", "`γ = 0`", "`α = -1`"].iter().all(|x| named(x)));
    }

    /// 128 bytes at 80 GB/s take 1.6928 cycles of 1.058 GHz, and twice as many of 2.116 GHz.
    #[test]
    fn blocks_move_no_faster_than_memory_unsaid() {
        let number = |text: &str| Rational::from_f64(text.parse().ok()?);
        let said_on = |machine: &str, given: &[(&str, &str)]| {
            let card = Machine::built_in(machine).expect("built in");
            let given = given.iter();
            let given = given.map(|(name, text)| (*name, number(text).expect("finite")));
            let given: Parameters = given.collect();
            let (changed, _) = card.with_overrides(&given, |_| false).expect("in range");
            let warning = changed.beyond_memory()?;
            assert!(!warning.is_error());
            Some(warning.message.to_string())
        };
        let said = |given: &[(&str, &str)]| said_on("gtx650", given);
        assert_eq!(said(&[("lambda", "1.6928"), ("b", "32")]), None);
        assert_eq!(said(&[("lambda", "0"), ("gamma", "1e9")]), None);
        assert_eq!(said(&[("gamma", "2.116e6"), ("lambda", "3.4")]), None);
        let of_lambda = said(&[("lambda", "1")]).expect("too fast");
        assert!(
            of_lambda.contains("moves 135 GB/s, more than the 80 GB/s"),
            "{of_lambda}"
        );
        let of_gamma = said(&[("gamma", "2.116e6")]).expect("λ stays as it was");
        assert!(of_gamma.contains("λ = 2.46"), "{of_gamma}");
        // Where λ follows the clock, any is fine.
        assert_eq!(said_on("h100", &[("gamma", "9000000")]), None);
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
