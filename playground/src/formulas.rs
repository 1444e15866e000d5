//! The derivation as the page shows it: formulas as LaTeX whose terms can be pointed at, each with what
//! it is paid for; and where in the text that is.

use atgpu::derivation::{Derivation, Derived};
use atgpu::editor::Document;
use atgpu::program::{Direction, HostStmt, Program, Role};
use atgpu::report::derivation::latex as latex_of;
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::shape::{Shape, Sign};
use serde_json::{Value, json};

/// Terms of one formula that can be pointed at; a longer formula is pointed at in larger parts.
const MOST_TERMS: usize = 40;

/// What a term with a letter of the cost functions is paid for; of several letters the first counts.
const PAID_FOR: [(&str, &str); 5] = [
    ("α", "starts"),
    ("β", "words"),
    ("σ", "rounds"),
    ("λ", "blocks"),
    ("γ", "operations"),
];

/// The formulas of the text, or null where there are none.
pub(crate) fn view(document: &Document) -> Value {
    let Some((program, derivation)) = document.derivation() else {
        return Value::Null;
    };
    let names = derivation.let_names();
    let (folded, expanded) = (Printer::new(&names), Printer::new(&Names::default()));
    let formula = |derived: &Derived| formula(derived, &folded, program);
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
    })
}

/// The derivation as a LaTeX file.
pub(crate) fn latex(document: &Document) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    Ok(json!({"text": latex_of(&program.source, derivation, &derivation.let_names())}))
}

fn about(program: &Program) -> Value {
    let clause = |span| program.clause(span).to_owned();
    let arrays = |role: Role| {
        let all = program
            .variables
            .iter()
            .filter(move |variable| variable.role == role);
        let each = all.map(|variable| {
            let extents = variable.dimensions.iter();
            let extents = extents.map(|extent| program.source.slice(extent.span).to_owned());
            json!({"name": variable.name, "extents": extents.collect::<Vec<_>>()})
        });
        each.collect::<Vec<_>>()
    };
    json!({
        "name": program.name,
        "formals": program.formals.iter().map(|id| &program.parameter(*id).name).collect::<Vec<_>>(),
        "requires": program.requires.iter().map(|each| clause(each.span)).collect::<Vec<_>>(),
        "ensures": program.ensures.iter().map(|each| clause(each.span)).collect::<Vec<_>>(),
        "inputs": arrays(Role::Input),
        "outputs": arrays(Role::Output),
    })
}

/// The lines (from 1) that transfer words, and those that open a kernel.
fn places(program: &Program) -> Value {
    let (mut transfers, mut kernels) = (Vec::new(), Vec::new());
    let mut open: Vec<&HostStmt> = program.body.iter().rev().collect();
    while let Some(stmt) = open.pop() {
        let line = program.line(stmt.span());
        match stmt {
            HostStmt::Transfer(transfer) => transfers.push(json!({
                "line": line,
                "inward": transfer.direction == Direction::Inward,
                "text": program.source.slice(transfer.span),
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
            HostStmt::Let(_) | HostStmt::Swap(_) => {}
        }
    }
    json!({"transfers": transfers, "kernels": kernels})
}

/// A formula: its LaTeX, with `\htmlData{term=…}` around each term, and what each term is paid for.
fn formula(derived: &Derived, printer: &Printer, program: &Program) -> Value {
    let Some(upper) = &derived.upper else {
        return Value::Null;
    };
    let shape = printer.shape(upper);
    let mut terms = Terms {
        program,
        found: Vec::new(),
    };
    let latex = terms.write(&shape, &[], 0);
    json!({
        "latex": latex,
        "text": printer.text(upper),
        "expanded": upper.to_string(),
        "exact": derived.is_exact(),
        "terms": terms.found,
    })
}

/// Finds terms, and writes the formula around them.
struct Terms<'p> {
    program: &'p Program,
    found: Vec<Value>,
}

impl Terms<'_> {
    fn write<'s>(&mut self, shape: &'s Shape, around: &[&'s Shape], depth: usize) -> String {
        let may_split = depth < 4 && self.found.len() < MOST_TERMS;
        match shape {
            Shape::Sum(parts) if may_split => {
                let mut text = String::new();
                for (at, (sign, part)) in parts.iter().enumerate() {
                    text += match (at, sign) {
                        (0, Sign::Plus) => "",
                        (0, Sign::Minus) => "-",
                        (_, Sign::Plus) => " + ",
                        (_, Sign::Minus) => " - ",
                    };
                    text += &self.write(part, around, depth + 1);
                }
                text
            }
            Shape::Product(over, under) if may_split => {
                let mut sums = over.iter().filter(|factor| matches!(factor, Shape::Sum(_)));
                let (Some(sum), None) = (sums.next(), sums.next()) else {
                    return self.leaf(shape, around);
                };
                let others = over.iter().filter(|factor| !std::ptr::eq(*factor, sum));
                // A sum that is multiplied stays together, but for what it is divided by.
                if others.count() > 0 && !self.is_of_costs(sum) {
                    return self.leaf(shape, around);
                }
                let inside: Vec<&Shape> = around.iter().copied().chain(under).collect();
                let mut numerator = String::new();
                for factor in over {
                    let is_sum = std::ptr::eq(factor, sum);
                    numerator += &match (is_sum, over.len()) {
                        (true, 1) => self.write(factor, &inside, depth + 1),
                        (true, _) => {
                            let inner = self.write(factor, &inside, depth + 1);
                            format!("\\left({inner}\\right)")
                        }
                        (false, _) => format!("{} ", factor.to_latex()),
                    };
                }
                match under.is_empty() {
                    true => numerator,
                    false => {
                        let under = Shape::Product(under.clone(), Vec::new());
                        format!("\\frac{{{numerator}}}{{{}}}", under.to_latex())
                    }
                }
            }
            _ => self.leaf(shape, around),
        }
    }

    /// Whether a sum holds terms that are paid for different things.
    fn is_of_costs(&self, sum: &Shape) -> bool {
        ["λ", "α", "β", "σ"]
            .iter()
            .any(|letter| self.has(sum, letter))
    }

    fn leaf(&mut self, shape: &Shape, around: &[&Shape]) -> String {
        let has = |letter: &str| {
            self.has(shape, letter) || around.iter().any(|part| self.has(part, letter))
        };
        let mut letters = PAID_FOR.into_iter();
        let paid_for = letters.find(|(letter, _)| has(letter));
        let paid_for = paid_for.map_or("count", |(_, what)| what);
        let (term, latex) = (self.found.len(), shape.to_latex());
        let text = format!("\\htmlData{{term={term}}}{{{latex}}}");
        self.found.push(json!({"for": paid_for, "latex": latex}));
        text
    }

    /// Whether a letter of the cost functions stands in it, and not a formal of the same name.
    fn has(&self, shape: &Shape, letter: &str) -> bool {
        let mut formals = self.program.formals.iter();
        if formals.any(|id| self.program.parameter(*id).name == letter) {
            return false;
        }
        let mut open = vec![shape];
        while let Some(part) = open.pop() {
            if matches!(part, Shape::Name(symbol) if &*symbol.name == letter) {
                return true;
            }
            open.extend(part.parts());
        }
        false
    }
}

/// The derivation of the open text, or why there is none.
pub(crate) fn derived(document: &Document) -> Result<(&Program, &Derivation), String> {
    let found = document.derivation();
    found.ok_or_else(|| "nothing is derived of this text".to_owned())
}
