//! The derivation as the page shows it: formulas as LaTeX whose terms can be pointed at, each with what
//! it is paid for; and where in the text that is.

use atgpu::derivation::{Derivation, Derived, Sources};
use atgpu::editor::Document;
use atgpu::program::{Direction, HostStmt, Program, Role};
use atgpu::sym::print::{Names, Printer};
use serde_json::{Value, json};

use crate::terms::Terms;
use crate::text;

/// The formulas of the text, or null where there are none.
pub(crate) fn view(document: &Document) -> Value {
    let Some((program, derivation)) = document.derivation() else {
        return Value::Null;
    };
    let names = derivation.let_names();
    let (folded, expanded) = (Printer::new(&names), Printer::new(&Names::default()));
    let formula = |derived: &Derived| formula(derived, &names, &folded);
    let spelled = |(name, value): &(String, _)| json!({"name": name, "text": expanded.text(value), "latex": expanded.latex(value)});
    json!({
        "derivation": serde_json::to_value(derivation).unwrap_or_default(),
        "formulas": {
            "gpu_cost": formula(&derivation.gpu_cost),
            "cost": formula(&derivation.cost),
            "transfer_cost": formula(&derivation.transfer_cost),
            "time": formula(&derivation.totals.time),
            "io": formula(&derivation.totals.io),
            "transfer": formula(&derivation.totals.transfer),
            "shared": formula(&derivation.totals.shared),
            "global": formula(&derivation.totals.global),
        },
        "names": derivation.names.iter().map(spelled).collect::<Vec<_>>(),
        "program": about(program),
        "places": places(program),
        "hints": text::hints(document),
    })
}

fn about(program: &Program) -> Value {
    let clause = |span| program.clause(span).to_owned();
    let arrays = |role: Role| {
        let all = program
            .variables()
            .iter()
            .filter(move |variable| variable.role == role);
        let each = all.map(|variable| {
            let extents = variable.dimensions.iter();
            let extents = extents.map(|extent| program.source().slice(extent.span).to_owned());
            json!({"name": variable.name, "extents": extents.collect::<Vec<_>>()})
        });
        each.collect::<Vec<_>>()
    };
    json!({
        "name": program.name(),
        "formals": program.formals().iter().map(|id| &program.parameter(*id).name).collect::<Vec<_>>(),
        "requires": program.requires().iter().map(|each| clause(each.span)).collect::<Vec<_>>(),
        "ensures": program.ensures().iter().map(|each| clause(each.span)).collect::<Vec<_>>(),
        "inputs": arrays(Role::Input),
        "outputs": arrays(Role::Output),
    })
}

/// The lines (from 1) that transfer words, and those that open a kernel.
fn places(program: &Program) -> Value {
    let (mut transfers, mut kernels) = (Vec::new(), Vec::new());
    let mut open: Vec<&HostStmt> = program.body().iter().rev().collect();
    while let Some(stmt) = open.pop() {
        let line = program.line(stmt.span());
        match stmt {
            HostStmt::Transfer(transfer) => transfers.push(json!({
                "line": line,
                "inward": transfer.direction == Direction::Inward,
                "text": program.source().slice(transfer.span),
            })),
            HostStmt::Kernel(kernel) => {
                kernels.push(json!({"line": line, "mps": kernel.mps.len()}))
            }
            HostStmt::For(host_for) => open.extend(host_for.body.iter().rev()),
            HostStmt::While(host_while) => open.extend(host_while.body.iter().rev()),
            HostStmt::Execute(execute) => {
                kernels.push(json!({"line": line, "execute": execute.kernel}));
                open.extend(execute.body.iter().rev());
            }
            // Neither moves words nor opens a kernel.
            _ => {}
        }
    }
    json!({"transfers": transfers, "kernels": kernels})
}

/// A formula: its LaTeX, with `\htmlData{term=…}` around each term and without, and what each term is paid
/// for.
fn formula(derived: &Derived, names: &Names, printer: &Printer) -> Value {
    let Some(upper) = &derived.upper else {
        return Value::Null;
    };
    let shape = printer.shape(upper);
    let (terms, latex) = Terms::of(&shape, &names.definitions);
    json!({
        "latex": latex,
        "plain": shape.to_latex(),
        "text": printer.text(upper),
        "expanded": upper.to_string(),
        "exact": derived.is_exact(),
        "terms": terms.told(),
    })
}

/// The lines behind each term of the GPU-cost, in the order of the terms.
pub(crate) fn sources(document: &Document) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    let Some(upper) = &derivation.gpu_cost.upper else {
        return Ok(Value::Null);
    };
    let names = derivation.let_names();
    let shape = Printer::new(&names).shape(upper);
    let (terms, _) = Terms::of(&shape, &names.definitions);
    Ok(json!(terms.behind(&Sources::of(program, derivation))))
}

/// The derivation of the open text, or why there is none.
pub(crate) fn derived(document: &Document) -> Result<(&Program, &Derivation), String> {
    let found = document.derivation();
    found.ok_or_else(|| "nothing is derived of this text".to_owned())
}
