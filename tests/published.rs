//! The papers' figures, one row a test (docs/published.md). Plain assertions; what a figure is and
//! where it stands is in the test's comment.

mod engines;

use atgpu::cost::{Item, MODELS};

/// Paper 1, Table I: which model has which of nine items. Marks in the order AGPU, SWGPU, ATGPU.
#[test]
fn table_1_of_paper_1() {
    let published = [
        (Item::Pseudocode, [true, false, true]),
        (Item::TimeComplexity, [true, true, true]),
        (Item::IoComplexity, [true, true, true]),
        (Item::SpaceComplexity, [true, false, true]),
        (Item::SharedMemoryLimit, [true, false, true]),
        (Item::Synchronisation, [false, true, true]),
        (Item::CostFunction, [false, true, true]),
        (Item::GlobalMemoryLimit, [false, false, true]),
        (Item::Transfer, [false, false, true]),
    ];
    for (column, name) in ["agpu", "swgpu", "atgpu"].into_iter().enumerate() {
        let model = MODELS
            .iter()
            .find(|model| model.name() == name)
            .expect("the model is there");
        for (item, marks) in published {
            assert_eq!(
                model.items().contains(&item),
                marks[column],
                "{name}: {item}"
            );
        }
    }
}
