//! Table I of paper 1: the items that each model can express, as the models themselves state them.

use crate::cost::{Item, MODELS, Model};
use crate::report::table::{Align, Table};

/// Renders all models side by side.
pub fn table() -> String {
    let mut header = vec![("", Align::Left)];
    header.extend(MODELS.iter().map(|model| (model.name(), Align::Left)));
    let mut table = Table::new(&header);
    for item in Item::ALL {
        let mark = match item {
            Item::Pseudocode => "¹",
            Item::SpaceComplexity | Item::SharedMemoryLimit | Item::GlobalMemoryLimit => "²",
            Item::TimeComplexity
            | Item::IoComplexity
            | Item::Synchronisation
            | Item::CostFunction
            | Item::Transfer => "",
        };
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
        out.push_str(&format!("  {:14} {}\n", model.name(), model.summary()));
    }
    out.push_str(
        "\n  ¹ whether the paper that defines the model gives a notation for algorithms; here every\n    \
         model costs the same programs\n  ² whether that paper has it; here space is counted and held to M and G whatever the model\n\n  \
         transfers beside kernels (papers 3 and 5): `atgpu overlap`\n",
    );
    out
}

/// Renders one model: its formula, its inputs, its source, and its items.
pub fn one(model: &dyn Model) -> String {
    let sheet = model.sheet();
    let mut out = format!("{}: {}\n\n", model.name(), model.summary());
    for line in sheet.formula.lines() {
        out.push_str(&format!("  {line}\n"));
    }
    out.push('\n');
    let width = sheet
        .inputs
        .iter()
        .map(|(letter, _)| letter.chars().count());
    let width = width.max().unwrap_or(0);
    for (letter, meaning) in sheet.inputs {
        let padding = " ".repeat(width - letter.chars().count());
        let meaning = wrapped(meaning, 100 - width - 4, width + 4);
        out.push_str(&format!("  {letter}{padding}  {meaning}\n"));
    }
    let items: Vec<String> = model.items().iter().map(Item::to_string).collect();
    let source = wrapped(sheet.source, 100 - 11, 11);
    let items = wrapped(&items.join(", "), 100 - 11, 11);
    out.push_str(&format!("\n  source   {source}\n  has      {items}\n"));
    out
}

/// Wraps a text at `width` characters, with every line but the first indented.
fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
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
        let pages = MODELS.iter().map(|model| one(*model));
        for text in pages.chain([text]) {
            assert!(
                text.lines().all(|line| line.chars().count() <= 100),
                "{text}"
            );
        }
    }
}
