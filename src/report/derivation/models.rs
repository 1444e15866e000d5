//! The cost models' formulas for a derivation, in the program's sizes and with a machine's figures as
//! numbers.

use serde_json::{Map, Value, json};

use crate::cost::{Closed, HEADLINE};
use crate::derivation::Derived;
use crate::machine::Machine;
use crate::report::derivation::json::quantity_json;
use crate::report::formula::Formulas;
use crate::report::table::{Align, Table};
use crate::sym::Expr;
use crate::sym::print::Names;

/// The formulas of one model for a program.
#[derive(Debug, Clone)]
pub struct ModelForms {
    /// Its name.
    pub model: &'static str,
    /// b, if the formulas hold only for the machine's own b.
    pub cores_per_mp: Option<i64>,
    /// The figures with an exact form; empty if the cost has none.
    pub figures: Vec<(&'static str, Closed)>,
}

impl ModelForms {
    /// The times among the figures. If there are none, the headline without a form.
    fn times(&self) -> Vec<(&'static str, Option<&Expr>)> {
        let times = self.figures.iter().filter_map(|(name, form)| match form {
            Closed::Time(time) => Some((*name, Some(time))),
            Closed::Share(_) => None,
        });
        match times.collect::<Vec<_>>() {
            none if none.is_empty() => vec![(HEADLINE, None)],
            times => times,
        }
    }
}

/// Stands for a missing or unwieldy form.
const NO_FORM: &str = "no short form: `atgpu cost` has its numbers";

/// Renders one table per model, times in ms.
pub fn text(forms: &[ModelForms], names: &Names, machine: &Machine) -> String {
    let formulas = Formulas::new(names);
    let mut out = String::new();
    for one in forms {
        let at = one.cores_per_mp.map(|b| format!(" with b = {b}"));
        let at = at.unwrap_or_default();
        let mut table = Table::bare(&[Align::Left, Align::Left]);
        for (name, form) in one.times() {
            let form = form.map_or(NO_FORM.to_owned(), |form| formulas.text(form));
            table.row([name.to_owned(), form]);
        }
        out.push_str(&format!(
            "\nby {} on {}{at}, in ms\n{}",
            one.model,
            machine.name,
            table.render()
        ));
    }
    out
}

/// Renders JSON, by model name.
pub fn json(forms: &[ModelForms], names: &Names) -> Value {
    let each = forms.iter().map(|one| {
        let mut object = Map::new();
        object.insert("b".to_owned(), json!(one.cores_per_mp));
        for (name, form) in one.times() {
            let form = form.map(|form| quantity_json(names, &Derived::exact(form.clone())));
            object.insert(name.to_owned(), form.into());
        }
        object.insert("unit".to_owned(), "ms".into());
        (one.model.to_owned(), Value::Object(object))
    });
    Value::Object(each.collect())
}
