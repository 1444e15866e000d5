//! Table I of paper 1: what each model can express, printed from what the models themselves say.

use crate::cost::{Item, MODELS, Model};
use crate::report::table::{Align, Table};

/// Every model side by side.
pub fn table() -> String {
    let mut header = vec![("", Align::Left)];
    header.extend(MODELS.iter().map(|model| (model.name(), Align::Left)));
    let mut table = Table::new(&header);
    for item in Item::ALL {
        let mark = if item == Item::Pseudocode { "¹" } else { "" };
        let mut row = vec![format!("{item}{mark}")];
        row.extend(MODELS.iter().map(|model| {
            let has = model.items().contains(&item);
            (if has { "✓" } else { "" }).to_owned()
        }));
        table.row(row);
    }
    let mut out = table.render();
    out.push('\n');
    for model in MODELS {
        out.push_str(&format!("  {:6} {}\n", model.name(), model.summary()));
    }
    out.push_str(
        "\n  ¹ whether the paper that defines the model gives a notation for algorithms; here every\n    \
         model costs the same programs\n",
    );
    out
}

/// One model alone.
pub fn one(model: &dyn Model) -> String {
    let items: Vec<String> = model.items().iter().map(Item::to_string).collect();
    format!(
        "{}: {}\n\n  has {}\n",
        model.name(),
        model.summary(),
        items.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_every_item_and_fits() {
        let text = table();
        for item in Item::ALL {
            assert!(text.contains(&item.to_string()));
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100));
    }
}
