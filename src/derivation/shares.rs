//! What each line adds to the GPU-cost (paper 1, Expression (2)): its transactions, words, operations in
//! waves of MPs, blocks or rounds, over all rounds, as they are counted; no form is looked for.

use crate::derivation::letters::letter_expr;
use crate::derivation::{Derivation, Derived, DerivedRound};
use crate::program::CostSymbol;
use crate::sym::Expr;

/// What the GPU-cost is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paid {
    /// Transactions, α each.
    Starts,
    /// Words moved, β each.
    Words,
    /// Operations in every wave of MPs, 1/γ each.
    Operations,
    /// Blocks, λ/γ each.
    Blocks,
    /// Rounds, σ each.
    Rounds,
}

impl Paid {
    /// All of them, as the formula has them.
    pub const ALL: [Paid; 5] = [
        Paid::Starts,
        Paid::Words,
        Paid::Operations,
        Paid::Blocks,
        Paid::Rounds,
    ];

    /// Its name.
    ///
    /// ```
    /// use atgpu::derivation::Paid;
    ///
    /// let names = Paid::ALL.map(Paid::name);
    /// assert_eq!(names, ["starts", "words", "operations", "blocks", "rounds"]);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Paid::Starts => "starts",
            Paid::Words => "words",
            Paid::Operations => "operations",
            Paid::Blocks => "blocks",
            Paid::Rounds => "rounds",
        }
    }

    /// What a term with these letters of the cost functions is paid for.
    ///
    /// ```
    /// use atgpu::derivation::Paid;
    ///
    /// let blocks = |letter: &str| ["λ", "γ"].contains(&letter);
    /// assert_eq!(Paid::of(&blocks), Some(Paid::Blocks));
    /// assert_eq!(Paid::of(&|letter| letter == "γ"), Some(Paid::Operations));
    /// ```
    pub fn of(has: &dyn Fn(&str) -> bool) -> Option<Paid> {
        // Blocks are divided by γ too, so they come before operations.
        let order = [
            Paid::Starts,
            Paid::Words,
            Paid::Rounds,
            Paid::Blocks,
            Paid::Operations,
        ];
        order.into_iter().find(|paid| has(paid.letter().name()))
    }

    /// The letter that tells its terms from those before it.
    const fn letter(self) -> CostSymbol {
        match self {
            Paid::Starts => CostSymbol::Alpha,
            Paid::Words => CostSymbol::Beta,
            Paid::Operations => CostSymbol::Gamma,
            Paid::Blocks => CostSymbol::Lambda,
            Paid::Rounds => CostSymbol::Sigma,
        }
    }
}

/// What a line adds to the GPU-cost.
#[derive(Debug, Clone)]
pub struct Share {
    /// The line; of a round without a kernel all those that transfer in it.
    pub lines: Vec<usize>,
    /// What it is paid for.
    pub paid: Paid,
    /// How much of that, over all rounds, or what it is never more than.
    pub amount: Expr,
    /// Whether it is no bound.
    pub is_exact: bool,
}

/// In how many waves a card runs k MPs: ⌈k/(k'ℓ)⌉.
pub(crate) fn waves(launched: &Expr, resident: &Expr) -> Expr {
    full_waves(launched, resident).ceil()
}

/// The same where the last wave counts as far as it is full: k/(k'ℓ).
pub(crate) fn full_waves(launched: &Expr, resident: &Expr) -> Expr {
    let at_once = letter_expr(CostSymbol::RealMps).mul(resident);
    launched.div(&at_once).expect("letters are not 0")
}

impl Derivation {
    /// What each line adds to the GPU-cost. All together are the GPU-cost, but where that is only a bound.
    ///
    /// ```
    /// use atgpu::derivation::Paid;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let shares = program.derive()?.shares();
    /// let words = shares.iter().filter(|share| share.paid == Paid::Words);
    /// let words: Vec<_> = words.map(|share| (share.lines[0], share.amount.to_string())).collect();
    /// assert_eq!(words, [(42, "n".into()), (43, "n".into()), (52, "n".into())]);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn shares(&self) -> Vec<Share> {
        let mut shares = Vec::new();
        for round in &self.rounds {
            of_transfers(round, &mut shares);
            self.of_kernel(round, &mut shares);
            let lines = match round.opens {
                Some(line) => vec![line],
                None => round.transfers.iter().map(|each| each.line).collect(),
            };
            shares.extend(round.count.upper.iter().map(|count| Share {
                lines: lines.clone(),
                paid: Paid::Rounds,
                amount: count.clone(),
                is_exact: round.count.is_exact(),
            }));
        }
        shares.retain(|share| !share.amount.is_zero());
        shares
    }

    /// ℓ of a round: the letter, where all rounds with a kernel share one.
    pub(crate) fn resident(&self, round: &DerivedRound) -> Option<Expr> {
        match &self.occupancy {
            Some(_) => Some(letter_expr(CostSymbol::Occupancy)),
            None => round.occupancy.upper.clone(),
        }
    }

    fn of_kernel(&self, round: &DerivedRound, shares: &mut Vec<Share>) {
        let upper = |quantity: &Derived| quantity.upper.clone();
        let launched = upper(&round.counts.launched_mps);
        let waves = launched
            .zip(self.resident(round))
            .map(|(launched, resident)| waves(&launched, &resident));
        for line in &round.lines {
            let each = upper(&line.operations).zip(waves.as_ref());
            let operations = each.map(|(each, waves)| each.mul(waves));
            let (blocks, number) = (upper(&line.blocks), line.line);
            let are_exact = [&line.operations, &line.blocks].map(Derived::is_exact);
            shares.extend(share(
                round,
                number,
                (Paid::Operations, operations, are_exact[0]),
            ));
            shares.extend(share(round, number, (Paid::Blocks, blocks, are_exact[1])));
        }
    }
}

fn of_transfers(round: &DerivedRound, shares: &mut Vec<Share>) {
    for transfer in &round.transfers {
        let traffic = &transfer.traffic;
        for (paid, amount) in [
            (Paid::Starts, &traffic.transactions),
            (Paid::Words, &traffic.words),
        ] {
            let upper = amount.upper.clone();
            shares.extend(share(
                round,
                transfer.line,
                (paid, upper, amount.is_exact()),
            ));
        }
    }
}

/// What a line adds in all the rounds that an entry stands for, from what it has in one.
fn share(
    round: &DerivedRound,
    line: usize,
    (paid, one, is_exact): (Paid, Option<Expr>, bool),
) -> Option<Share> {
    Some(Share {
        lines: vec![line],
        paid,
        amount: in_all(round, &one?),
        is_exact,
    })
}

/// What one round has, over all the rounds that an entry stands for.
fn in_all(round: &DerivedRound, amount: &Expr) -> Expr {
    if amount.is_zero() {
        return Expr::zero();
    }
    let mut loops = round.loops.iter();
    let is_moving = loops.any(|range| amount.contains(&range.symbol));
    let each_is_a_round = !is_moving && round.joined.is_none();
    if let (true, Some(count)) = (each_is_a_round, &round.count.upper) {
        return amount.mul(count);
    }
    let once = match &round.within_while {
        Some((_, at_most)) => amount.mul(at_most),
        None => amount.clone(),
    };
    round.over_loops(once, Expr::unsolved_sum)
}
