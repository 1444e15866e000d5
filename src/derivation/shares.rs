//! The share of each line in the GPU-cost (paper 1, Expression (2)): its transactions, words, operations in
//! waves of MPs, blocks or rounds, over all rounds, as counted. No closed form is searched for.

use crate::derivation::letters::letter_expr;
use crate::derivation::{Derivation, Derived, DerivedRound};
use crate::program::CostSymbol;
use crate::sym::Expr;

/// An item that the GPU-cost pays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// All items, in the order of the formula.
    pub const ALL: [Paid; 5] = [
        Paid::Starts,
        Paid::Words,
        Paid::Operations,
        Paid::Blocks,
        Paid::Rounds,
    ];

    /// The name of the item.
    pub const fn name(self) -> &'static str {
        match self {
            Paid::Starts => "starts",
            Paid::Words => "words",
            Paid::Operations => "operations",
            Paid::Blocks => "blocks",
            Paid::Rounds => "rounds",
        }
    }

    /// Returns the item that a term with these cost letters pays for.
    pub fn of(has: &dyn Fn(&str) -> bool) -> Option<Paid> {
        // The terms of blocks contain both λ and 1/γ, so blocks come before operations.
        let order = [
            Paid::Starts,
            Paid::Words,
            Paid::Rounds,
            Paid::Blocks,
            Paid::Operations,
        ];
        order.into_iter().find(|paid| has(paid.letter().name()))
    }

    /// The letter that identifies the terms of an item, once the earlier items in `of` are excluded.
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

/// The contribution of a line to the GPU-cost.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Share {
    /// The line. For a round without a kernel: all lines that transfer in it.
    pub lines: Vec<usize>,
    /// The item paid for.
    pub paid: Paid,
    /// The amount over all rounds, or an upper bound on it.
    pub amount: Expr,
    /// True if the amount is exact.
    pub is_exact: bool,
}

/// The number of waves in which a card runs k MPs: ⌈k/(k'ℓ)⌉.
pub(crate) fn waves(launched: &Expr, resident: &Expr) -> Expr {
    full_waves(launched, resident).ceil()
}

/// The number of waves with the last one counted as its fraction: k/(k'ℓ).
pub(crate) fn full_waves(launched: &Expr, resident: &Expr) -> Expr {
    let at_once = letter_expr(CostSymbol::RealMps) * resident;
    launched.div(&at_once).expect("letters are not 0")
}

impl Derivation {
    /// Returns the shares of all lines. They add up to the GPU-cost, unless it is only a bound.
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

    /// The ℓ of a round: the letter, if all rounds with a kernel share one value.
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
            let operations = each.map(|(each, waves)| &each * waves);
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

/// Builds the share of a line over all rounds of an entry from its amount in one round.
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

/// Multiplies or sums the amount of one round over all rounds of an entry.
fn in_all(round: &DerivedRound, amount: &Expr) -> Expr {
    if amount.is_zero() {
        return Expr::zero();
    }
    let mut loops = round.loops.iter();
    // Nothing depends on a loop variable, so the sum is amount × rounds. A part of a round does not count
    // as a round, so its entry takes the sum over the loops.
    let is_moving = loops.any(|range| amount.contains(&range.symbol));
    let each_is_a_round = !is_moving && round.joined.is_none();
    if let (true, Some(count)) = (each_is_a_round, &round.count.upper) {
        return amount * count;
    }
    let once = match &round.within_while {
        Some((_, at_most)) => amount * at_most,
        None => amount.clone(),
    };
    round.over_loops(once, Expr::unsolved_sum)
}
