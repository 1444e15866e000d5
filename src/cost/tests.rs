//! The list of models against what the models do: Table I, names, and the figures of their estimates.

use crate::cost::*;
use crate::count::{Parameters, Round, Totals, Traffic};

/// One round with every quantity at 64, on the card of paper 1.
fn counts(change: impl Fn(&mut Round<BigInt>)) -> Counts<BigInt> {
    let whole = BigInt::from(64);
    let traffic = Traffic {
        words: whole.clone(),
        transactions: whole.clone(),
    };
    let mut round = Round {
        launched_mps: whole.clone(),
        time: whole.clone(),
        io: whole.clone(),
        inward: traffic.clone(),
        outward: traffic,
        shared_words: whole.clone(),
        global_words: whole.clone(),
        bank_conflicts: whole,
        arrays: Default::default(),
    };
    change(&mut round);
    Counts {
        totals: Totals {
            rounds: 1.into(),
            time: round.time.clone(),
            total_time: round.time.clone(),
            io: round.io.clone(),
            shared: round.shared_words.clone(),
            global: round.global_words.clone(),
            ..Totals::default()
        },
        rounds: vec![(1, round)],
    }
}

fn estimate(model: &dyn Model, counts: &Counts<BigInt>, sigma: i64) -> Estimate {
    let machine = Machine::built_in("gtx280").expect("built in");
    let given: Parameters = [("sigma", sigma)].into_iter().collect();
    let (machine, _) = machine.with_overrides(&given, |_| false).expect("fits");
    let charges = charges(counts);
    model
        .estimate(&Subject::of(counts).with_charges(&charges), &machine)
        .expect("complete machine")
}

/// Charges that a machine might make for these counts: cycles that follow t and q.
fn charges(counts: &Counts<BigInt>) -> Charged {
    let (_, round) = &counts.rounds[0];
    let number = |value: &BigInt| Rational::from(value);
    let mut charged = Charged::default();
    charged.push(
        1,
        crate::count::Charges {
            launched_mps: number(&round.launched_mps),
            compute: number(&round.time),
            memory: number(&round.io),
            memory_transactions: number(&round.io),
            both: &number(&round.time) + &number(&round.io),
            ..Default::default()
        },
    );
    charged
}

/// Table I, held against what the models do: a quantity a model claims to look at moves its
/// figures, and one it does not claim leaves them alone.
#[test]
fn the_table_of_models_says_what_the_code_does() {
    for model in MODELS {
        let plain = estimate(*model, &counts(|_| ()), 1);
        let moves = |changed: Counts<BigInt>| estimate(*model, &changed, 1) != plain;
        let claims = |item| model.items().contains(&item);
        let name = model.name();
        let more = || BigInt::from(640);
        assert_eq!(
            claims(Item::TimeComplexity),
            moves(counts(|round| round.time = more())),
            "{name}"
        );
        assert_eq!(
            claims(Item::IoComplexity),
            moves(counts(|round| round.io = more())),
            "{name}"
        );
        assert_eq!(
            claims(Item::Transfer),
            moves(counts(|round| round.inward.words = more()))
                && moves(counts(|round| round.outward.transactions = more())),
            "{name}"
        );
        assert_eq!(
            claims(Item::Synchronisation),
            estimate(*model, &counts(|_| ()), 2) != plain,
            "{name}"
        );
        assert_eq!(claims(Item::CostFunction), plain.headline().is_some());
    }
}

#[test]
fn the_table_of_models_is_that_of_paper_one() {
    let column = |name| -> String {
        let items = find(name).expect("listed").items();
        let mark = |item| if items.contains(item) { 'x' } else { '.' };
        Item::ALL.iter().map(mark).collect()
    };
    assert_eq!(column("agpu"), "xxxxx....");
    assert_eq!(column("swgpu"), ".xx..xx..");
    assert_eq!(column("atgpu"), "xxxxxxxxx");
}

/// An estimate has the figures that the model names, in their order, and times in the unit that it gives.
#[test]
fn estimates_have_the_figures_that_are_named() {
    let charged = Charged {
        is_exact: true,
        ..Charged::default()
    };
    let counts = Counts::default();
    for (name, _) in crate::machine::BUILT_IN {
        let machine = Machine::built_in(name).expect("built in");
        for model in MODELS {
            let subject = Subject::of(&counts).with_charges(&charged);
            let Ok(estimate) = model.estimate(&subject, &machine) else {
                continue;
            };
            let mut named = model.figures().iter();
            for figure in &estimate.figures {
                let unit = named
                    .find(|(known, _)| *known == figure.name)
                    .map(|(_, unit)| *unit);
                let unit = unit.unwrap_or_else(|| panic!("{}: {}", model.name(), figure.name));
                match figure.value {
                    Value::Time(_) => assert_eq!(Some(unit), estimate.unit),
                    Value::Share(_) => assert_eq!(unit, "1"),
                    Value::Count(_) => assert_eq!(unit, unit_of_count(figure.name)),
                    Value::Class(_) => panic!("no point has a class"),
                }
            }
        }
    }
}

fn unit_of_count(name: &str) -> &'static str {
    Quantity::named(name).map_or("MPs", |which| which.unit().expect("counted"))
}

#[test]
fn names_are_unique() {
    for (at, model) in MODELS.iter().enumerate() {
        assert!(
            MODELS[..at]
                .iter()
                .all(|other| other.name() != model.name())
        );
    }
}
