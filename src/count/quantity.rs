//! The quantities of a program (language.md §4.5) and of a round (§4.3): one key each, and beside it
//! its name, which the language, the JSON and the command share, its heading and its unit.

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

    /// The table: name, heading, and what it is a number of.
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

    /// Its name in claims, in the JSON and on the command line.
    ///
    /// ```
    /// use atgpu::count::Quantity;
    ///
    /// assert_eq!(Quantity::TotalTime.name(), "total_time");
    /// ```
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// What stands beside it in a report.
    pub(crate) const fn heading(self) -> &'static str {
        self.row().1
    }

    /// Whether it is a count, and not made of counts by a cost function.
    ///
    /// ```
    /// use atgpu::count::Quantity;
    ///
    /// assert!(Quantity::Io.is_counted() && !Quantity::GpuCost.is_counted());
    /// ```
    pub fn is_counted(self) -> bool {
        !Quantity::COSTS.contains(&self)
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
    pub(crate) const fn unit(self) -> Option<&'static str> {
        self.row().2
    }
}

/// What is counted of one round; of an array by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// What it is called where rounds have numbers: `q of round 3`.
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

    /// Its letter in the paper, where it has one.
    ///
    /// ```
    /// use atgpu::count::OfRound;
    ///
    /// assert_eq!(OfRound::Io.letter(), "q");
    /// ```
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
