//! What cost models make of a derivation: formulas of the program's sizes with a machine's figures in them.

use serde_json::{Map, Value, json};

use crate::cost::{Closed, HEADLINE};
use crate::derivation::Derived;
use crate::machine::Machine;
use crate::report::derivation::json::quantity_json;
use crate::report::formula::Formulas;
use crate::report::table::{Align, Table};
use crate::sym::Expr;
use crate::sym::print::Names;

/// What one model says of a program.
#[derive(Debug, Clone)]
pub struct ModelForms {
    /// Its name.
    pub model: &'static str,
    /// b, where the formulas are those of the machine's own.
    pub cores_per_mp: Option<i64>,
    /// The figures that have an exact form; none where the cost has none.
    pub figures: Vec<(&'static str, Closed)>,
}

impl ModelForms {
    /// The times among them; the cost without a form where there are none.
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

/// Where there is no closed form, or none that anybody would read.
const NO_FORM: &str = "no short form: `atgpu cost` has its numbers";

/// For a person: a table a model, times in ms.
///
/// ```
/// use atgpu::report::derivation::models::{self, ModelForms};
/// use atgpu::{cost::find, machine::Machine};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let derivation = program.derive()?;
/// let figures = find("atgpu").expect("listed").closed(&derivation, &card);
/// let forms = [ModelForms { model: "atgpu", cores_per_mp: None, figures }];
/// let text = models::text(&forms, &derivation.let_names(), &card);
/// assert!(text.starts_with("\nby atgpu on gtx650, in ms\n"), "{text}");
/// # Ok::<(), atgpu::Error>(())
/// ```
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

/// The same as a value, by the names of models.
///
/// ```
/// use atgpu::report::derivation::models::{self, ModelForms};
///
/// let nothing = ModelForms { model: "roofline", cores_per_mp: Some(32), figures: Vec::new() };
/// let json = models::json(&[nothing], &Default::default());
/// assert_eq!(json["roofline"]["b"], 32);
/// assert!(json["roofline"]["gpu_cost"].is_null());
/// ```
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
