//! A derived formula as a function of its parameters, to tabulate, plot or optimise with.

use std::collections::BTreeSet;
use std::fmt;

use crate::count::{Parameters, Quantity};
use crate::derivation::letters::{is_letter, letter};
use crate::derivation::{Bound, Derivation, Derived, Touched};
use crate::number::Rational;
use crate::program::CostSymbol;
use crate::sym::compiled::Forms;
use crate::sym::print::{Names, Printer};
use crate::sym::shape::Shape;
use crate::sym::{EvaluateError, Expr, Symbol};
use crate::text::Known;

/// A formula of a [`Derivation`]: an exact function of formal, machine and cost parameters.
///
/// It holds for parameters that the program's `require`s admit. At others it has values without meaning.
/// α and σ are in ms, β in ms a word, γ in cycles a ms, λ in cycles a block; counts are whole,
/// costs are in ms. A formula has one α and one β; a machine whose directions differ costs a program
/// by [`Program::cost_by`](crate::Program::cost_by), point for point.
///
/// ```
/// # macro_rules! include_str { ($file:literal) => {
/// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
/// # }}
/// use atgpu::count::parse_number;
/// use atgpu::machine::Machine;
///
/// let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
/// let derivation = program.derive()?;
/// let io = derivation.formula("io")?;
/// assert_eq!(io.to_string(), "3k");
/// assert_eq!(io.parameters(), ["b", "n"]);
/// assert_eq!(io.exact([("n", 1_i64 << 40), ("b", 32)])?, (3_i64 << 35).into());
///
/// // GPU-cost on the card of paper 1 as a curve over n, transfers alike in both directions.
/// let card = Machine::built_in("gtx650").expect("built in");
/// let pcie = [("alpha", parse_number("0.0092")?), ("beta", parse_number("3.3e-7")?)];
/// let cost = derivation.formula("gpu_cost")?.over("n", &card.parameters().with(pcie));
/// assert!(cost(2e7) > 1.9 * cost(1e7) && cost(f64::NAN).is_nan());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Formula {
    text: String,
    latex: String,
    expanded: Expr,
    lower: Option<Expr>,
    short: Option<Expr>,
    formals: Vec<String>,
}

/// The reason why a derivation gives no formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoFormula {
    /// No quantity of this name.
    #[error("no quantity is named `{name}`; {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The nearest known name, or all names.
        known: Known,
    },
    /// Nothing could be derived.
    #[error("`{name}` has no closed form: {}", reason_of(bound))]
    Underived {
        /// The quantity.
        name: String,
        /// The reason with its line, if known.
        bound: Option<Box<Bound>>,
    },
}

fn reason_of(bound: &Option<Box<Bound>>) -> String {
    match bound {
        Some(bound) => format!("{} (line {})", bound.why.reason(), bound.line),
        None => "no reason is known".to_owned(),
    }
}

impl Derivation {
    /// Iterates over every derived quantity over all rounds, with its name in a claim: the totals, then
    /// `transfer_cost`, `cost` and `gpu_cost`.
    pub fn quantities(&self) -> impl Iterator<Item = (&'static str, &Derived)> {
        self.all().map(|(which, quantity)| (which.name(), quantity))
    }

    /// Returns the formula of a quantity by its name in a claim, such as `io` or `gpu_cost`. If only bounds
    /// are known, returns the upper bound.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let derivation = program.derive()?;
    /// assert_eq!(derivation.formula("transfer_cost")?.to_string(), "3α + 3nβ");
    /// let error = derivation.formula("transfer_costs").unwrap_err();
    /// assert!(error.to_string().ends_with("did you mean `transfer_cost`?"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoFormula`] if there is no such quantity, or nothing was derived for it.
    pub fn formula(&self, name: &str) -> Result<Formula, NoFormula> {
        let Some(which) = Quantity::named(name) else {
            return Err(NoFormula::Unknown {
                name: name.to_owned(),
                known: Known::beside(name, self.quantities().map(|(known, _)| known)),
            });
        };
        let quantity = self.quantity(which);
        let Some(upper) = &quantity.upper else {
            let touched = Touched::Quantity(which);
            let bound = self.bounds.iter().find(|bound| bound.quantity == touched);
            return Err(NoFormula::Underived {
                name: name.to_owned(),
                bound: bound.cloned().map(Box::new),
            });
        };
        let printer = Printer::new(&self.let_names());
        let lower = (!quantity.is_exact()).then_some(quantity.lower.as_ref());
        Ok(Formula {
            text: printer.text(upper),
            latex: printer.latex(upper),
            expanded: self.without_occupancy(upper),
            lower: lower.flatten().map(|lower| self.without_occupancy(lower)),
            short: (quantity.short.as_ref()).map(|short| self.without_occupancy(short)),
            formals: self.formals.clone(),
        })
    }

    /// The program's `let` names, for printing its formulas.
    pub fn let_names(&self) -> Names {
        Names {
            definitions: self.names.clone(),
        }
    }

    /// Replaces ℓ by min(⌊M/m⌋, H).
    fn without_occupancy(&self, expr: &Expr) -> Expr {
        match &self.occupancy {
            Some(occupancy) => expr.substitute(&letter(CostSymbol::Occupancy), occupancy),
            None => expr.clone(),
        }
    }
}

impl Formula {
    /// Returns true if the formula is the quantity itself, false if it is an upper bound on it.
    pub fn is_exact(&self) -> bool {
        self.lower.is_none()
    }

    /// Returns the lower bound if the quantity is not known exactly.
    pub fn lower(&self) -> Option<Formula> {
        Some(self.beside(self.lower.clone()?))
    }

    /// Returns a short upper bound, if the formula is longer than two lines. The formula itself stays the
    /// tightest that is known.
    pub fn short(&self) -> Option<Formula> {
        Some(self.beside(self.short.clone()?))
    }

    /// Another formula of the same quantity.
    fn beside(&self, other: Expr) -> Formula {
        Formula {
            text: other.to_string(),
            latex: Printer::new(&Names::default()).latex(&other),
            expanded: other,
            lower: None,
            short: None,
            formals: self.formals.clone(),
        }
    }

    /// The sorted names of the parameters that the formula depends on.
    pub fn parameters(&self) -> Vec<String> {
        let symbols = self.expanded.symbols();
        let names: BTreeSet<String> = symbols
            .iter()
            .map(|symbol| symbol.name.to_string())
            .collect();
        names.into_iter().collect()
    }

    /// Evaluates the formula exactly. Parameters may be any rational numbers.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let derivation = program.derive()?;
    /// let io = derivation.formula("io")?;
    /// assert_eq!(io.exact([("n", 1 << 20), ("b", 32)])?, (3 << 15).into());
    /// assert!(io.exact([("n", 1 << 20)]).is_err()); // b has no value
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EvaluateError`] if a parameter has no value, or if the value does not exist (a division by zero)
    /// or is irrational (`n log2 n` at n = 3: see [`Formula::value`]).
    pub fn exact(&self, at: impl Into<Parameters>) -> Result<Rational, EvaluateError> {
        let at = at.into();
        self.expanded.evaluate(&|symbol| self.given(symbol, &at))
    }

    /// Returns the double nearest to the exact value. Intermediate results are not rounded, so `⌈log2 n⌉`
    /// is right for every n. It takes microseconds to milliseconds.
    ///
    /// # Errors
    /// [`EvaluateError`] if a parameter has no value, or the formula has none there.
    pub fn value(&self, at: impl Into<Parameters>) -> Result<f64, EvaluateError> {
        let at = at.into();
        let value = self
            .expanded
            .evaluate_real(&|symbol| self.given(symbol, &at))?;
        Ok(value.to_f64())
    }

    /// Returns the doubles nearest to the exact values at many points; NaN stands where the formula has no
    /// value. A column holds the values of one parameter, and all columns are equally long. The formula is
    /// compiled once, as in a sweep.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let derivation = program.derive()?;
    /// let n = [64, 128].map(Into::into).to_vec();
    /// let io = derivation.formula("io")?.each(&[("n", n)], &[("b", 32)].into())?;
    /// assert_eq!(io, [6.0, 12.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EvaluateError::Unknown`] if a parameter has neither a column nor a value.
    pub fn each(
        &self,
        columns: &[(&str, Vec<Rational>)],
        fixed: &Parameters,
    ) -> Result<Vec<f64>, EvaluateError> {
        let points = columns.iter().map(|(_, column)| column.len()).min();
        let mut forms = Forms::new(&[]);
        let form = forms.add(&self.expanded);
        let symbols = self.expanded.symbols();
        let mut moving = Vec::new();
        let mut resting = Vec::new();
        for symbol in &symbols {
            let slot = forms.slot(symbol);
            let mut named = columns.iter().filter(|(name, _)| *name == &*symbol.name);
            match named.next().filter(|_| !self.is_hidden(symbol)) {
                Some((_, column)) => moving.push((symbol, slot, column)),
                None => {
                    let value = self.given(symbol, fixed);
                    let value = value.ok_or_else(|| EvaluateError::Unknown(symbol.clone()))?;
                    resting.push((slot, value));
                }
            }
        }
        let mut scratch = forms.scratch();
        for (slot, value) in resting {
            scratch.bind(slot, value);
        }
        let value = |at: usize| {
            scratch.next_point();
            for (_, slot, column) in &moving {
                scratch.bind(*slot, column[at].clone());
            }
            if let Ok(value) = forms.value(form, &mut scratch) {
                return value.to_f64();
            }
            // An irrational value is rounded once, at the end.
            let real = self.expanded.evaluate_real(&|symbol| {
                let mut columns = moving.iter().filter(|(moved, ..)| *moved == symbol);
                match columns.next() {
                    Some((_, _, column)) => Some(column[at].clone()),
                    None => self.given(symbol, fixed),
                }
            });
            real.map_or(f64::NAN, |value| value.to_f64())
        };
        Ok((0..points.unwrap_or(0)).map(value).collect())
    }

    /// Returns the formula as a function of one parameter, the others fixed. NaN stands where it has no
    /// value.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let derivation = program.derive()?;
    /// let io = derivation.formula("io")?.over("n", &[("b", 32)].into());
    /// assert_eq!([64.0, 128.0].map(io), [6.0, 12.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn over(&self, name: &str, fixed: &Parameters) -> impl Fn(f64) -> f64 + use<> {
        let (formula, fixed, name) = (self.clone(), fixed.clone(), name.to_owned());
        move |x| {
            let at = Rational::from_f64(x).map(|x| {
                let mut at = fixed.clone();
                at.set(&name, x);
                at
            });
            at.and_then(|at| formula.value(at).ok()).unwrap_or(f64::NAN)
        }
    }

    /// Prints the formula in formal, machine and cost parameters only, with `let` names and ℓ written out.
    pub fn expanded(&self) -> String {
        self.expanded.to_string()
    }

    /// Prints the formula as LaTeX mathematics, in the program's `let` names: `3 \alpha + 3 n \beta`.
    pub fn latex(&self) -> &str {
        &self.latex
    }

    /// The formula as a tree, in the parameters of its [`expanded`](Formula::expanded) form. For the tree
    /// in the program's `let` names use [`Printer::shape`] of an item of [`Derivation::quantities`].
    ///
    /// ```
    /// use atgpu::sym::shape::Shape;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let io = program.derive()?.formula("io")?; // 3n/b
    /// let Shape::Product(over, under) = io.shape() else { panic!("a quotient") };
    /// assert_eq!((over.len(), under.len()), (2, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> Shape {
        Printer::new(&Names::default()).shape(&self.expanded)
    }

    /// The value of a symbol. A formal with the same name as a cost letter hides the letter.
    fn given(&self, symbol: &Symbol, at: &Parameters) -> Option<Rational> {
        if self.is_hidden(symbol) {
            return None;
        }
        at.get(&symbol.name).cloned()
    }

    fn is_hidden(&self, symbol: &Symbol) -> bool {
        is_letter(symbol) && self.formals.iter().any(|name| **name == *symbol.name)
    }
}

/// Prints the formula in the program's `let` names, as a claim would write it.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_text;
    use crate::derive::derive;
    use crate::text::Source;

    fn derived(text: &str) -> Derivation {
        let checked = check_text(&Source::from(text));
        derive(&checked.program.expect("sound"), &Parameters::new())
    }

    /// A formal called H is not the H of the machine: its value must not be taken for the other.
    #[test]
    fn a_formal_hides_the_letter_of_its_name() {
        let derivation = derived(
            "algorithm T(H)\n  require b ∣ H ∧ H ≥ 1\n  input A[H]\n  global a[H]\n  \
             shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..H/b-1] in parallel do\n    \
             for all c_{i,j} ∈ C_i in parallel do\n      _x[j] ⇐ a[ib + j]\n    \
             end for\n  end for\n",
        );
        let io = derivation.formula("io").expect("derived");
        assert_eq!(io.value([("H", 64), ("b", 32)]), Ok(2.0));
        let cost = derivation.formula("gpu_cost").expect("derived");
        let missing = cost.exact(
            [
                ("H", 64),
                ("b", 32),
                ("M", 64),
                ("k'", 1),
                ("γ", 1),
                ("α", 1),
            ]
            .into_iter()
            .collect::<Parameters>()
            .with([("β", 1), ("λ", 1), ("σ", 1)]),
        );
        assert!(matches!(missing, Err(EvaluateError::Unknown(symbol)) if &*symbol.name == "H"));
    }

    #[test]
    fn a_bound_has_two_ends_and_a_stranger_no_formula() {
        let derivation = derived(
            "algorithm T(n)\n  require b ∣ n ∧ n ≥ 1\n  input A[n] in 0..9\n  global a[n]\n  \
             shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..n/b-1] in parallel do\n    \
             for all c_{i,j} ∈ C_i in parallel do\n      _x[j] ⇐ a[ib + j]\n      \
             if _x[j] > 3 then\n        _x[j] ← 0\n      end if\n    end for\n  end for\n",
        );
        let time = derivation.formula("time").expect("bounded");
        let lower = time.lower().expect("a bound has a lower end");
        assert!(!time.is_exact() && lower.is_exact());
        let at = |formula: &Formula| formula.exact(()).expect("a number");
        assert!(at(&lower) < at(&time));
        let near = derivation.formula("tme").expect_err("no such quantity");
        assert!(near.to_string().ends_with("did you mean `time`?"), "{near}");
    }
}
