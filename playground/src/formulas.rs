//! The derivation as the page shows it: formulas as LaTeX whose terms can be pointed at, each with what
//! it is paid for; and where in the text that is.

use atgpu::derivation::{Derivation, Derived};
use atgpu::editor::Document;
use atgpu::program::{Direction, HostStmt, Program, Role};
use atgpu::report::derivation::latex as latex_of;
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::shape::{Shape, Sign};
use serde_json::{Value, json};

use crate::lines::{Lines, Paid, Sources, bare, is_letter};

/// Terms of one formula that can be pointed at; a longer formula is pointed at in larger parts.
const MOST_TERMS: usize = 40;

/// How deep terms are looked for.
const MOST_DEPTH: usize = 8;

/// The formulas of the text, or null where there are none.
pub(crate) fn view(document: &Document) -> Value {
    let Some((program, derivation)) = document.derivation() else {
        return Value::Null;
    };
    let names = derivation.let_names();
    let (folded, expanded) = (Printer::new(&names), Printer::new(&Names::default()));
    let formula = |derived: &Derived| formula(derived, &folded, None);
    let sources = Sources::of(program, derivation);
    let spelled = |(name, value): &(String, _)| json!({"name": name, "text": expanded.text(value), "latex": expanded.latex(value)});
    json!({
        "derivation": serde_json::to_value(derivation).unwrap_or_default(),
        "formulas": {
            "gpu_cost": self::formula(&derivation.gpu_cost, &folded, Some(&sources)),
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

/// A formula: its LaTeX, with `\htmlData{term=…}` around each term and without, and what each term is paid
/// for; with `sources`, the lines it comes from.
fn formula(derived: &Derived, printer: &Printer, sources: Option<&Sources>) -> Value {
    let Some(upper) = &derived.upper else {
        return Value::Null;
    };
    let shape = printer.shape(upper);
    let mut terms = Terms {
        sources,
        found: Vec::new(),
    };
    let latex = terms.write(&shape, &Around::default(), 0);
    json!({
        "latex": latex,
        "plain": shape.to_latex(),
        "text": printer.text(upper),
        "expanded": upper.to_string(),
        "exact": derived.is_exact(),
        "terms": terms.found,
    })
}

/// What a part of a formula is multiplied with and divided by.
#[derive(Default, Clone)]
struct Around<'s> {
    over: Vec<&'s Shape>,
    under: Vec<&'s Shape>,
    /// The sum it is a summand of, where that is multiplied.
    sum: Option<&'s Shape>,
}

/// Finds terms, and writes the formula around them.
struct Terms<'p> {
    sources: Option<&'p Sources<'p>>,
    found: Vec<Value>,
}

impl Terms<'_> {
    fn write<'s>(&mut self, shape: &'s Shape, around: &Around<'s>, depth: usize) -> String {
        let may_split = depth < MOST_DEPTH && self.found.len() < MOST_TERMS;
        match shape {
            Shape::Sum(parts) if may_split => {
                let mut text = String::new();
                for (at, (sign, part)) in parts.iter().enumerate() {
                    text += before(at, *sign);
                    text += &self.write(part, around, depth + 1);
                }
                text
            }
            Shape::Product(over, under) if may_split => match self.seam(over, under, around) {
                Some((sum, inside)) => {
                    let mut numerator = String::new();
                    for (at, factor) in over.iter().enumerate() {
                        numerator += &match (at == sum, over.len()) {
                            (true, 1) => self.write(factor, &inside, depth + 1),
                            (true, _) => {
                                let inner = self.write(factor, &inside, depth + 1);
                                format!("\\left({inner}\\right)")
                            }
                            (false, _) if matches!(factor, Shape::Sum(_)) => {
                                format!("\\left({}\\right)", factor.to_latex())
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
                None => self.leaf(shape, around),
            },
            _ => self.leaf(shape, around),
        }
    }

    /// The factor whose summands are terms of their own, and what is around it: a sum of costs, or one of
    /// which it is known for each summand which lines it comes from.
    fn seam<'s>(
        &self,
        over: &'s [Shape],
        under: &'s [Shape],
        around: &Around<'s>,
    ) -> Option<(usize, Around<'s>)> {
        let inside = |sum: usize| {
            let mut inside = around.clone();
            let others = over.iter().enumerate().filter(|(at, _)| *at != sum);
            inside.over.extend(others.map(|(_, factor)| factor));
            inside.under.extend(under);
            inside.sum = Some(&over[sum]);
            inside
        };
        let is_sum = |at: &usize| matches!(over[*at], Shape::Sum(_));
        let sums: Vec<usize> = (0..over.len()).filter(is_sum).collect();
        if let [sum] = sums[..]
            && (over.len() == 1 || is_of_costs(&over[sum]))
        {
            return Some((sum, inside(sum)));
        }
        let mut known = sums.into_iter().map(|sum| (sum, inside(sum)));
        known.find(|(sum, inside)| {
            let Shape::Sum(parts) = &over[*sum] else {
                return false;
            };
            let mut parts = parts.iter();
            parts.all(|(_, part)| self.lines(part, inside).is_some())
        })
    }

    fn leaf(&mut self, shape: &Shape, around: &Around) -> String {
        let paid = paid_for(shape, around);
        let lines = self
            .lines(shape, around)
            .or_else(|| self.lines_of_sum(shape, around));
        let term = self.found.len();
        self.found.push(json!({
            "for": paid.map_or("count", Paid::name),
            "latex": shape.to_latex(),
            "lines": lines,
        }));
        format!("\\htmlData{{term={term}}}{{{}}}", shape.to_latex())
    }

    /// The lines behind a term that stands alone, or in a sum that is multiplied.
    fn lines(&self, shape: &Shape, around: &Around) -> Option<Lines> {
        let sources = self.sources?;
        let paid = paid_for(shape, around)?;
        let part = sources.expr(shape)?;
        let mut whole = part.clone();
        for factor in &around.over {
            whole = whole.mul(&sources.expr(factor)?);
        }
        for divisor in &around.under {
            whole = whole.div(&sources.expr(divisor)?)?;
        }
        sources.behind(&whole, paid).or_else(|| {
            let sum = sources.expr(around.sum?)?;
            sources.inside(&sum, &part, paid)
        })
    }

    /// The lines of a term that has the whole time, or all blocks, of some rounds as a factor.
    fn lines_of_sum(&self, shape: &Shape, around: &Around) -> Option<Lines> {
        let sources = self.sources?;
        let paid = paid_for(shape, around)?;
        let Shape::Product(over, _) = shape else {
            return None;
        };
        over.iter().find_map(|factor| {
            let factor = sources.expr(factor)?;
            match factor.symbols().is_empty() {
                true => None,
                false => sources.inside(&factor, &factor, paid),
            }
        })
    }
}

/// The sign as LaTeX before a term.
const fn before(at: usize, sign: Sign) -> &'static str {
    match (at, sign) {
        (0, Sign::Plus) => "",
        (0, Sign::Minus) => "-",
        (_, Sign::Plus) => " + ",
        (_, Sign::Minus) => " - ",
    }
}

fn paid_for(shape: &Shape, around: &Around) -> Option<Paid> {
    Paid::of(&|letter| {
        let mut parts = around.over.iter().chain(&around.under);
        has(shape, letter) || parts.any(|part| has(part, letter))
    })
}

/// Whether a sum holds terms that are paid for different things.
fn is_of_costs(sum: &Shape) -> bool {
    ["λ", "α", "β", "σ"]
        .into_iter()
        .any(|letter| has(sum, letter))
}

/// Whether a letter of the cost functions stands in it.
fn has(shape: &Shape, letter: &str) -> bool {
    let mut open = vec![shape];
    while let Some(part) = open.pop() {
        if matches!(part, Shape::Name(symbol) if is_letter(symbol) && bare(symbol) == letter) {
            return true;
        }
        open.extend(part.parts());
    }
    false
}

/// The derivation of the open text, or why there is none.
pub(crate) fn derived(document: &Document) -> Result<(&Program, &Derivation), String> {
    let found = document.derivation();
    found.ok_or_else(|| "nothing is derived of this text".to_owned())
}
