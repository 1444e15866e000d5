//! The quantities of a program (language.md §4.5) and of a round (§4.3). One key each, with its name
//! (shared by the language, the JSON and the command), its heading and its unit.

/// A quantity counted over a whole program, or a cost computed from such counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// All quantities, in the order of language.md.
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

    /// The quantities that a cost function computes from counts.
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

    /// The table of quantities: name, heading, and the unit of a count.
    const fn row(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Quantity::Rounds => ("rounds", "rounds", Some("rounds")),
            Quantity::Time => ("time", "time", Some("operations")),
            Quantity::TotalTime => ("total_time", "total time", Some("operations")),
            Quantity::Io => ("io", "I/O blocks", Some("blocks")),
            Quantity::Inward => ("inward", "words in", Some("words")),
            Quantity::Outward => ("outward", "words out", Some("words")),
            Quantity::Transfer => ("transfer", "words moved", Some("words")),
            Quantity::Transactions => ("transactions", "transactions", Some("transactions")),
            Quantity::TransferCost => ("transfer_cost", "transfer cost", None),
            Quantity::Shared => ("shared", "shared words", Some("words")),
            Quantity::Global => ("global", "global words", Some("words")),
            Quantity::BankConflicts => ("bank_conflicts", "bank conflicts", Some("conflicts")),
            Quantity::Cost => ("cost", "cost", None),
            Quantity::GpuCost => ("gpu_cost", "GPU-cost", None),
        }
    }

    /// The quantity's name in claims, in the JSON and on the command line.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The quantity's heading in a report.
    pub(crate) const fn heading(self) -> &'static str {
        self.row().1
    }

    /// Returns true if the quantity is counted, false if a cost function computes it from counts.
    pub fn is_counted(self) -> bool {
        !Quantity::COSTS.contains(&self)
    }

    /// Returns the quantity with this name.
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

    /// The unit of a count; `None` for a cost.
    pub(crate) const fn unit(self) -> Option<&'static str> {
        self.row().2
    }
}

/// A quantity counted for one round. The last two belong to one array, given by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OfRound<'a> {
    /// k.
    LaunchedMps,
    /// t.
    Time,
    /// q.
    Io,
    /// I.
    InwardWords,
    /// Î.
    InwardTransactions,
    /// O.
    OutwardWords,
    /// Ô.
    OutwardTransactions,
    /// m.
    SharedWords,
    /// g.
    GlobalWords,
    /// Σ (degree − 1).
    BankConflicts,
    /// Blocks of an array that are read.
    Read(&'a str),
    /// Blocks of an array that are written.
    Written(&'a str),
}

impl<'a> OfRound<'a> {
    /// Returns the label of the quantity where rounds are numbered: `q of round 3`.
    pub(crate) fn in_round(self, number: u64) -> String {
        let array = self.array().map(|array| format!(" of `{array}`"));
        let array = array.unwrap_or_default();
        format!("{}{array} of round {number}", self.letter())
    }

    /// The array whose blocks it counts.
    pub(crate) fn array(self) -> Option<&'a str> {
        match self {
            OfRound::Read(array) | OfRound::Written(array) => Some(array),
            OfRound::LaunchedMps
            | OfRound::Time
            | OfRound::Io
            | OfRound::InwardWords
            | OfRound::InwardTransactions
            | OfRound::OutwardWords
            | OfRound::OutwardTransactions
            | OfRound::SharedWords
            | OfRound::GlobalWords
            | OfRound::BankConflicts => None,
        }
    }

    /// The quantity's letter in the paper, or a short name where the paper has none.
    pub const fn letter(self) -> &'static str {
        match self {
            OfRound::LaunchedMps => "k",
            OfRound::Time => "t",
            OfRound::Io => "q",
            OfRound::InwardWords => "I",
            OfRound::InwardTransactions => "Î",
            OfRound::OutwardWords => "O",
            OfRound::OutwardTransactions => "Ô",
            OfRound::SharedWords => "m",
            OfRound::GlobalWords => "g",
            OfRound::BankConflicts => Quantity::BankConflicts.name(),
            OfRound::Read(_) => "blocks read",
            OfRound::Written(_) => "blocks written",
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
