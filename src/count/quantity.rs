//! The quantities of a program (language.md §4.5): one key each, and its name and unit, which the
//! language, the JSON and the command share.

/// What is counted of a program, or what its counts cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// `rounds`: R.
    Rounds,
    /// `time`: max tᵢ.
    Time,
    /// `total_time`: Σ tᵢ.
    TotalTime,
    /// `io`: Σ qᵢ.
    Io,
    /// `inward`: Σ Iᵢ, words.
    Inward,
    /// `outward`: Σ Oᵢ, words.
    Outward,
    /// `transfer`: Σ Iᵢ + Oᵢ, words.
    Transfer,
    /// `transactions`: Σ Îᵢ + Ôᵢ.
    Transactions,
    /// `transfer_cost`: Σ T_I + T_O.
    TransferCost,
    /// `shared`: max mᵢ.
    Shared,
    /// `global`: max gᵢ.
    Global,
    /// `bank_conflicts`: Σ (degree − 1).
    BankConflicts,
    /// `cost`: Expression (1) of paper 1.
    Cost,
    /// `gpu_cost`: Expression (2) of paper 1.
    GpuCost,
}

impl Quantity {
    /// All of them, in the order of language.md.
    pub const ALL: [Quantity; 14] = [
        Quantity::Rounds,
        Quantity::Time,
        Quantity::TotalTime,
        Quantity::Io,
        Quantity::Inward,
        Quantity::Outward,
        Quantity::Transfer,
        Quantity::Transactions,
        Quantity::TransferCost,
        Quantity::Shared,
        Quantity::Global,
        Quantity::BankConflicts,
        Quantity::Cost,
        Quantity::GpuCost,
    ];

    /// Those that are made of counts, not counted.
    pub(crate) const COSTS: [Quantity; 3] =
        [Quantity::TransferCost, Quantity::Cost, Quantity::GpuCost];

    /// The names of [`Quantity::ALL`].
    pub(crate) const NAMES: [&'static str; 14] = {
        let mut names = [""; 14];
        let mut at = 0;
        while at < names.len() {
            names[at] = Quantity::ALL[at].name();
            at += 1;
        }
        names
    };

    /// Its name in claims, in the JSON and on the command line.
    ///
    /// ```
    /// use atgpu::count::Quantity;
    ///
    /// assert_eq!(Quantity::TotalTime.name(), "total_time");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Quantity::Rounds => "rounds",
            Quantity::Time => "time",
            Quantity::TotalTime => "total_time",
            Quantity::Io => "io",
            Quantity::Inward => "inward",
            Quantity::Outward => "outward",
            Quantity::Transfer => "transfer",
            Quantity::Transactions => "transactions",
            Quantity::TransferCost => "transfer_cost",
            Quantity::Shared => "shared",
            Quantity::Global => "global",
            Quantity::BankConflicts => "bank_conflicts",
            Quantity::Cost => "cost",
            Quantity::GpuCost => "gpu_cost",
        }
    }

    /// The quantity of a name.
    ///
    /// ```
    /// use atgpu::count::Quantity;
    ///
    /// assert_eq!(Quantity::named("io"), Some(Quantity::Io));
    /// assert_eq!(Quantity::named("speed"), None);
    /// ```
    pub fn named(name: &str) -> Option<Quantity> {
        Quantity::ALL.into_iter().find(|each| each.name() == name)
    }

    /// What it is a number of; none for a cost.
    pub(crate) fn unit(self) -> Option<&'static str> {
        match self {
            Quantity::Rounds => Some("rounds"),
            Quantity::Time | Quantity::TotalTime => Some("operations"),
            Quantity::Io => Some("blocks"),
            Quantity::Inward
            | Quantity::Outward
            | Quantity::Transfer
            | Quantity::Shared
            | Quantity::Global => Some("words"),
            Quantity::Transactions => Some("transactions"),
            Quantity::BankConflicts => Some("conflicts"),
            Quantity::TransferCost | Quantity::Cost | Quantity::GpuCost => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_quantity() {
        for (quantity, name) in Quantity::ALL.into_iter().zip(Quantity::NAMES) {
            assert_eq!(Quantity::named(name), Some(quantity));
        }
    }
}
