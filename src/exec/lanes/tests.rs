//! Every form of operand gives what its cores give one by one.

use crate::exec::lanes::{Buffers, Ints, Mask, Truths};
use crate::meaning::arithmetic;
use crate::number::theory;
use crate::syntax::ast::Comparison;
use proptest::prelude::*;

const ORDERS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::AtMost,
    Comparison::Greater,
    Comparison::AtLeast,
];

fn any_ints() -> impl Strategy<Value = Ints> {
    prop_oneof![
        (-20i64..20).prop_map(Ints::Uniform),
        (-20i64..20, prop_oneof![-5i64..0, 1i64..5])
            .prop_map(|(base, stride)| Ints::Affine { base, stride }),
        proptest::collection::vec(-20i64..20, 8).prop_map(Ints::Lanes),
        Just(Ints::Uniform(i64::MAX)),
        Just(Ints::Uniform(i64::MIN)),
    ]
}

fn any_mask() -> impl Strategy<Value = Mask> {
    proptest::collection::vec(any::<bool>(), 8).prop_map(|active| {
        let cores = (0..8).filter(|&core| active[core as usize]);
        match Mask::of(cores.collect()) {
            mask if mask.is_empty() => Mask::Range(0, 8),
            mask => mask,
        }
    })
}

#[test]
fn a_mask_begins_and_ends_with_its_cores() {
    for mask in [
        Mask::Range(0, 1),
        Mask::Range(2, 7),
        Mask::List(vec![1, 4, 6]),
    ] {
        let cores: Vec<usize> = mask.iter().collect();
        assert_eq!(mask.count(), cores.len());
        assert_eq!(Some(mask.first()), cores.first().copied());
        assert_eq!(Some(mask.last()), cores.last().copied());
        let mut seen = Vec::new();
        mask.each(|core| seen.push(core));
        assert_eq!(seen, cores);
    }
}

proptest! {
    /// Every form of operand gives what its cores give one by one.
    #[test]
    fn forms_agree_with_single_cores(left in any_ints(), right in any_ints(), mask in any_mask()) {
        type Operation = fn(&mut Buffers, &Mask, Ints, Ints) -> Option<Ints>;
        type Single = fn(i64, i64) -> Option<i64>;
        let operations: [(Operation, Single); 7] = [
            (Buffers::add, i64::checked_add),
            (Buffers::subtract, i64::checked_sub),
            (Buffers::multiply, i64::checked_mul),
            (Buffers::floor_divide, theory::floor_quotient),
            (Buffers::modulo, theory::floor_remainder),
            (Buffers::minimum, |x, y| Some(x.min(y))),
            (Buffers::divide, |x, y| (x.checked_rem(y)? == 0).then(|| x / y)),
        ];
        let mut buffers = Buffers::new(8);
        for (operation, single) in operations {
            if let Some(result) = operation(&mut buffers, &mask, left.clone(), right.clone()) {
                for core in mask.iter() {
                    prop_assert_eq!(Some(result.at(core)), single(left.at(core), right.at(core)));
                }
            }
        }
        for operator in ORDERS {
            let truths = buffers.compare(&mask, operator, &left, &right).unwrap();
            let narrowed = mask.narrow(&truths);
            let expected: Vec<usize> = mask
                .iter()
                .filter(|&core| arithmetic::holds(operator, Some(left.at(core).cmp(&right.at(core)))))
                .collect();
            prop_assert_eq!(narrowed.iter().collect::<Vec<_>>(), expected.clone());
            let bracket = buffers.bracket(&truths);
            for core in mask.iter() {
                prop_assert_eq!(bracket.at(core), i64::from(expected.contains(&core)));
            }
            let rest = buffers.negate(truths);
            prop_assert_eq!(mask.narrow(&rest).count() + expected.len(), mask.count());
        }
    }
}

#[test]
fn truths_are_counted_up_to_a_core() {
    let lanes: Vec<bool> = (0..600).map(|core| core % 3 == 0).collect();
    for cores in [0usize, 1, 5, 255, 256, 511, 600] {
        assert_eq!(Truths::Lanes(lanes.clone()).held(cores), cores.div_ceil(3));
        assert_eq!(
            Truths::Range(2, 300).held(cores),
            cores.min(300).saturating_sub(2)
        );
        assert_eq!(Truths::Uniform(true).held(cores), cores);
        assert_eq!(Truths::Uniform(false).held(cores), 0);
    }
}
