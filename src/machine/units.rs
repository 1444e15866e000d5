//! Numbers with their unit in the type, so that operations and blocks cannot be added by mistake.
//!
//! All are exact. Converting from one unit to another is a named method that takes the figure of
//! the machine which does it; only [`Millis::to_f64`] rounds.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::number::{BigInt, Rational};

macro_rules! unit {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
        pub struct $name(Rational);

        impl $name {
            /// A number of this unit.
            pub fn new(value: impl Into<Rational>) -> Self {
                $name(value.into())
            }

            /// The bare number.
            pub fn value(&self) -> &Rational {
                &self.0
            }

            /// The nearest double, to be shown.
            pub fn to_f64(&self) -> f64 {
                self.0.to_f64()
            }
        }

        impl From<&BigInt> for $name {
            fn from(value: &BigInt) -> Self {
                $name(value.into())
            }
        }

        impl Add for $name {
            type Output = $name;
            fn add(self, other: $name) -> $name {
                $name(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: $name) {
                self.0 += &other.0;
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = $name>>(items: I) -> $name {
                items.fold($name::default(), |sum, item| sum + item)
            }
        }
    )*};
}

unit! {
    /// Words of memory.
    Words,
    /// Bytes of memory.
    Bytes,
    /// Blocks of global memory.
    Blocks,
    /// Operations of an MP.
    Ops,
    /// Clock cycles.
    Cycles,
    /// Executed transfer statements.
    Transactions,
    /// Milliseconds.
    Millis,
    /// λ: cycles a block.
    CyclesPerBlock,
    /// γ: cycles a millisecond; more than 0 in every [`Machine`](crate::machine::Machine).
    CyclesPerMilli,
    /// Milliseconds a byte.
    MillisPerByte,
    /// β: milliseconds a word.
    MillisPerWord,
}

impl Words {
    /// The bytes these words take.
    ///
    /// ```
    /// use atgpu::machine::{Bytes, Words};
    ///
    /// assert_eq!(Words::new(1000).to_bytes(4), Bytes::new(4000));
    /// ```
    pub fn to_bytes(&self, word_bytes: i64) -> Bytes {
        Bytes(&self.0 * &word_bytes.into())
    }

    /// The time to move them, at β a word.
    ///
    /// ```
    /// use atgpu::machine::{Millis, MillisPerWord, Words};
    ///
    /// assert_eq!(Words::new(1000).transfer_time(&MillisPerWord::new(2)), Millis::new(2000));
    /// ```
    pub fn transfer_time(&self, beta: &MillisPerWord) -> Millis {
        Millis(&self.0 * &beta.0)
    }
}

impl Transactions {
    /// The time to start them, at α each.
    ///
    /// ```
    /// use atgpu::machine::{Millis, Transactions};
    ///
    /// assert_eq!(Transactions::new(3).start_time(&Millis::new(2)), Millis::new(6));
    /// ```
    pub fn start_time(&self, alpha: &Millis) -> Millis {
        Millis(&self.0 * &alpha.0)
    }
}

impl Ops {
    /// The cycles they take, one each: paper 1 charges every operation alike.
    ///
    /// ```
    /// use atgpu::machine::{Cycles, Ops};
    ///
    /// assert_eq!(Ops::new(13).unit_cycles(), Cycles::new(13));
    /// ```
    pub fn unit_cycles(&self) -> Cycles {
        Cycles(self.0.clone())
    }

    /// The operations of so many waves of MPs, each as long as the longest.
    ///
    /// ```
    /// use atgpu::machine::Ops;
    ///
    /// assert_eq!(Ops::new(13).in_waves(&4.into()), Ops::new(52));
    /// ```
    pub fn in_waves(&self, waves: &BigInt) -> Ops {
        Ops(&self.0 * &waves.into())
    }
}

impl Blocks {
    /// The cycles to access them, at λ each.
    ///
    /// ```
    /// use atgpu::machine::{Blocks, Cycles, CyclesPerBlock};
    ///
    /// assert_eq!(Blocks::new(96).access_cycles(&CyclesPerBlock::new(5)), Cycles::new(480));
    /// ```
    pub fn access_cycles(&self, lambda: &CyclesPerBlock) -> Cycles {
        Cycles(&self.0 * &lambda.0)
    }
}

impl Cycles {
    /// The time they take at γ cycles a millisecond; none where γ is 0.
    ///
    /// ```
    /// use atgpu::machine::{Cycles, CyclesPerMilli, Millis};
    ///
    /// assert_eq!(Cycles::new(3000).time(&CyclesPerMilli::new(1000)), Some(Millis::new(3)));
    /// assert_eq!(Cycles::new(3000).time(&CyclesPerMilli::new(0)), None);
    /// ```
    pub fn time(&self, gamma: &CyclesPerMilli) -> Option<Millis> {
        self.0.checked_div(&gamma.0).map(Millis)
    }
}

impl CyclesPerMilli {
    /// A clock rate in GHz: 10⁶ cycles a millisecond each.
    ///
    /// ```
    /// use atgpu::machine::CyclesPerMilli;
    ///
    /// assert_eq!(CyclesPerMilli::from_ghz(&2.into()), CyclesPerMilli::new(2_000_000));
    /// ```
    pub fn from_ghz(ghz: &Rational) -> Self {
        CyclesPerMilli(ghz * &1_000_000.into())
    }
}

impl MillisPerByte {
    /// The time of a whole word.
    ///
    /// ```
    /// use atgpu::machine::{MillisPerByte, MillisPerWord};
    ///
    /// assert_eq!(MillisPerByte::new(3).per_word(8), MillisPerWord::new(24));
    /// ```
    pub fn per_word(&self, word_bytes: i64) -> MillisPerWord {
        MillisPerWord(&self.0 * &word_bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenths(value: i64) -> Rational {
        &Rational::from(value) / &Rational::from(10)
    }

    #[test]
    fn every_conversion_has_its_own_factor() {
        assert_eq!(Words::new(3).to_bytes(4), Bytes::new(12));
        assert_eq!(
            Words::new(3).transfer_time(&MillisPerWord::new(tenths(2))),
            Millis::new(tenths(6))
        );
        assert_eq!(
            Transactions::new(3).start_time(&Millis::new(tenths(5))),
            Millis::new(tenths(15))
        );
        assert_eq!(Ops::new(13).unit_cycles(), Cycles::new(13));
        assert_eq!(Ops::new(13).in_waves(&BigInt::from(4)), Ops::new(52));
        assert_eq!(
            Blocks::new(6).access_cycles(&CyclesPerBlock::new(tenths(5))),
            Cycles::new(3)
        );
        assert_eq!(
            CyclesPerMilli::from_ghz(&tenths(10)),
            CyclesPerMilli::new(1_000_000)
        );
        assert_eq!(
            Cycles::new(3).time(&CyclesPerMilli::new(2)),
            Some(Millis::new(tenths(15)))
        );
        assert_eq!(Cycles::new(3).time(&CyclesPerMilli::new(0)), None);
        assert_eq!(
            MillisPerByte::new(tenths(1)).per_word(8),
            MillisPerWord::new(tenths(8))
        );
        let all: Millis = [Millis::new(1), Millis::new(2)].into_iter().sum();
        assert_eq!(all, Millis::new(3));
    }
}
