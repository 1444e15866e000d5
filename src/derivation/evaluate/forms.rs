//! The forms behind a derivation: each quantity's ends, and the host loops around each round, put
//! into one table of [`Forms`].

use crate::count::{Charges, Round};
use crate::derivation::{Derived, DerivedLine, DerivedRound, Neighbour};
use crate::sym::compiled::{Form, Forms, Slot};
use crate::sym::{Expr, Symbol};

/// The forms of both ends; `None` if nothing was derived.
pub(super) type Ends = Option<EndForms>;

/// The forms of the ends of one derived quantity.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndForms {
    pub(super) lower: Form,
    /// The same as `lower` where the number is exact.
    pub(super) upper: Form,
    /// A short closed form that is never below the number: a coarse upper bound.
    pub(super) plain: Option<Form>,
    /// True if both ends are closed forms, so that no sum has to be added up term by term.
    pub(super) is_closed: bool,
}

impl EndForms {
    /// Adds the ends of a quantity to the forms.
    pub(super) fn of(quantity: &Derived, forms: &mut Forms) -> Ends {
        let (lower, upper) = (quantity.lower.as_ref()?, quantity.upper.as_ref()?);
        let is_closed = lower.is_closed() && upper.is_closed();
        let lower = (lower != upper).then(|| forms.add(lower));
        let upper = forms.add(upper);
        Some(EndForms {
            lower: lower.unwrap_or(upper),
            upper,
            plain: quantity.short.as_ref().map(|short| forms.add(short)),
            is_closed,
        })
    }

    pub(super) fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}

/// The forms of a round and of the host loops around it.
#[derive(Debug, Clone)]
pub(super) struct RoundForms {
    pub(super) round: Round<Ends>,
    pub(super) charges: Option<Charges<Ends>>,
    /// The lines of its kernel, if they were asked for.
    pub(super) lines: Vec<LineForms>,
    /// The round that it may be part of.
    pub(super) joined: Option<JoinedForm>,
    pub(super) loops: Vec<LoopForms>,
    /// True if data decide the number of iterations of a loop around it.
    pub(super) ends_by_data: bool,
    /// An upper bound on the iterations of the host `while`s around it.
    pub(super) at_most: Option<Form>,
    /// 1 at the parameters that the entry applies to, 0 at others; `None` if it applies to all.
    pub(super) when: Option<Form>,
}

impl RoundForms {
    /// Adds a round to the forms, with some of its lines.
    pub(super) fn of(round: &DerivedRound, lines: &[DerivedLine], forms: &mut Forms) -> Self {
        RoundForms {
            loops: round
                .loops
                .iter()
                .map(|range| LoopForms {
                    symbol: range.symbol.clone(),
                    slot: forms.slot(&range.symbol),
                    from: forms.add(&range.from),
                    to: forms.add(&range.to),
                    down: range.down,
                    is_mentioned: mentions(round, lines, &range.symbol),
                })
                .collect(),
            ends_by_data: round.within_while.is_some() || round.within_until.is_some(),
            at_most: round
                .within_while
                .as_ref()
                .map(|(_, at_most)| forms.add(at_most)),
            when: round
                .when
                .as_ref()
                .map(|when| forms.add(&Expr::bracket(when.clone()))),
            joined: round.joined.as_ref().map(|joined| JoinedForm {
                with: joined.with,
                alone: forms.add(&Expr::bracket(joined.alone.clone())),
                is_exact: joined.is_exact,
            }),
            round: round
                .counts
                .map(|_, quantity| EndForms::of(quantity, forms)),
            charges: round
                .charges
                .as_deref()
                .map(|charges| charges.map(|quantity| EndForms::of(quantity, forms))),
            lines: lines
                .iter()
                .map(|line| LineForms {
                    place: (line.line, line.from),
                    ends: line
                        .all()
                        .map(|(_, quantity)| EndForms::of(quantity, forms)),
                })
                .collect(),
        }
    }
}

/// The forms of a kernel line.
#[derive(Debug, Clone)]
pub(super) struct LineForms {
    pub(super) place: (usize, Option<usize>),
    pub(super) ends: [Ends; 4],
}

#[derive(Debug, Clone)]
pub(super) struct JoinedForm {
    pub(super) with: Neighbour,
    /// 1 where it is a round of its own. If `is_exact` is false, it is at most one round there.
    pub(super) alone: Form,
    pub(super) is_exact: bool,
}

#[derive(Debug, Clone)]
pub(super) struct LoopForms {
    pub(super) symbol: Symbol,
    pub(super) slot: Slot,
    pub(super) from: Form,
    pub(super) to: Form,
    pub(super) down: bool,
    /// True if a quantity of the round depends on the loop variable.
    pub(super) is_mentioned: bool,
}

/// Returns true if a quantity of the round or of these lines contains the symbol.
fn mentions(round: &DerivedRound, lines: &[DerivedLine], symbol: &Symbol) -> bool {
    let counts = round.counts.all().map(|(_, quantity)| quantity);
    let charges = round.charges.as_deref();
    let charged = charges.into_iter().flat_map(|charges| {
        let kinds = charges.kinds.iter().map(|(_, quantity)| quantity);
        kinds.chain(charges.named().map(|(_, quantity)| quantity))
    });
    let lines = lines.iter().flat_map(DerivedLine::all);
    let lines = lines.map(|(_, quantity)| quantity);
    let mut all = counts.chain(charged).chain(lines);
    all.any(|quantity| quantity.ends().any(|end| end.contains(symbol)))
}
