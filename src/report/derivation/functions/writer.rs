//! The one writer: renders a formula's shape in a target's templates.
//!
//! A bracket becomes a choice, so that a factor without a value is not evaluated where the bracket is 0.
//! Quotients, sums and products are infix in all targets; everything else comes from the dialect's table.

use crate::report::derivation::functions::dialect::{Call, Connective, Dialect, Loop, Total, fill};
use crate::report::derivation::functions::names::Names;
use crate::report::derivation::functions::shapes::{
    condition, is_positive, is_value, is_whole, may_be_no_times, may_fail,
};
use crate::sym::Symbol;
use crate::sym::shape::{Condition, Function, Relation, Shape, Sign};

/// Binding strength of a text, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Sum,
    Product,
    Primary,
}

/// Writes the formulas of one module.
pub(super) struct Writer<'a> {
    dialect: &'static Dialect,
    names: &'a Names,
    /// The name of the function being written, and its parameters.
    function: (&'a str, &'a [String]),
    /// The variables of the enclosing sums, with their names.
    bound: Vec<(Symbol, String)>,
    /// The conditions that hold at the place being written.
    asked: Vec<Condition>,
    /// Sums that became separate functions.
    pub(super) apart: Vec<String>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        dialect: &'static Dialect,
        names: &'a Names,
        function: (&'a str, &'a [String]),
    ) -> Self {
        Writer {
            dialect,
            names,
            function,
            bound: Vec::new(),
            asked: Vec::new(),
            apart: Vec::new(),
        }
    }

    /// Writes a whole formula.
    pub(super) fn formula(&mut self, shape: &Shape) -> String {
        self.expr(shape, Tightness::Sum)
    }

    fn expr(&mut self, shape: &Shape, place: Tightness) -> String {
        let (text, tightness) = self.bare(shape);
        if tightness < place {
            format!("({text})")
        } else {
            text
        }
    }

    fn bare(&mut self, shape: &Shape) -> (String, Tightness) {
        let dialect = self.dialect;
        let text = match shape {
            Shape::Number(number) => (dialect.number)(number),
            Shape::Name(symbol) => self.name(symbol),
            Shape::Sum(terms) => return (self.sum(terms), Tightness::Sum),
            Shape::Product(over, under) => return self.product(over, under),
            Shape::Power(base, exponent) => {
                let is_number = matches!(**exponent, Shape::Number(_));
                let template = if is_number {
                    dialect.whole_power
                } else {
                    dialect.power
                };
                let text = self.call(template, &[base, exponent]);
                return if template.contains('(') {
                    (text, Tightness::Primary)
                } else {
                    (text, Tightness::Product)
                };
            }
            Shape::SquareRoot(x) => self.call(dialect.square_root, &[x]),
            Shape::Floor(x) => self.call(self.rounding(x, dialect.floor, dialect.floor_near), &[x]),
            Shape::Ceiling(x) => {
                let template = self.rounding(x, dialect.ceiling, dialect.ceiling_near);
                self.call(template, &[x])
            }
            Shape::Log(base, x) => self.call(dialect.log, &[base, x]),
            Shape::Call(function, items) => self.function(*function, items),
            Shape::Bracket(condition) => self.choice(&[condition], &Shape::Number(1.into())),
            Shape::Total(variable, low, high, body) => self.total(variable, low, high, body),
        };
        (text, Tightness::Primary)
    }

    /// Fills a template with shapes.
    fn call(&mut self, template: &str, arguments: &[&Shape]) -> String {
        let each = arguments.iter().map(|argument| {
            let (text, tightness) = self.bare(argument);
            let tight = if tightness < Tightness::Primary {
                format!("({text})")
            } else {
                text.clone()
            };
            (text, tight)
        });
        let (loose, tight): (Vec<String>, Vec<String>) = each.unzip();
        fill(template, &references(&loose), &references(&tight))
    }

    fn name(&self, symbol: &Symbol) -> String {
        let bound = self.bound.iter().rev().find(|(known, _)| known == symbol);
        match bound {
            Some((_, name)) => name.clone(),
            None => self.names.of(symbol),
        }
    }

    fn sum(&mut self, terms: &[(Sign, Shape)]) -> String {
        let mut text = String::new();
        for (at, (sign, term)) in terms.iter().enumerate() {
            text += match (at, sign) {
                (0, Sign::Minus) => "-",
                (0, Sign::Plus) => "",
                (_, Sign::Minus) => " - ",
                (_, Sign::Plus) => " + ",
            };
            text += &self.expr(term, Tightness::Product);
        }
        text
    }

    fn product(&mut self, over: &[Shape], under: &[Shape]) -> (String, Tightness) {
        let conditions = self.conditions(over, under);
        if !conditions.is_empty() {
            let others = over.iter().filter(|factor| condition(factor).is_none());
            let mut others: Vec<Shape> = others.cloned().collect();
            let rest = match (others.len(), under.is_empty()) {
                (0, true) => Shape::Number(1.into()),
                (0, false) => Shape::Product(vec![Shape::Number(1.into())], under.to_vec()),
                (1, true) => others.remove(0),
                _ => Shape::Product(others, under.to_vec()),
            };
            let conditions: Vec<&Condition> = conditions.iter().collect();
            return (self.choice(&conditions, &rest), Tightness::Primary);
        }
        let text = self.quotient(over, under);
        (text, Tightness::Product)
    }

    /// The conditions under which a product is not 0, as far as they must be checked before its factors are
    /// evaluated. They are brackets, and minima or maxima that count repetitions beside a factor that may
    /// have no value.
    fn conditions(&self, over: &[Shape], under: &[Shape]) -> Vec<Condition> {
        // Example: max(0, n − 1) · log2(n − 1). At n = 1 the product is 0, but the logarithm has no value.
        // So the text becomes "if max(0, n − 1) ≠ 0 then the product, else 0".
        let brackets = over.iter().filter_map(condition).cloned();
        let fails = |at: usize| {
            let others = over.iter().enumerate().filter(|(other, _)| *other != at);
            others
                .map(|(_, factor)| factor)
                .any(|factor| may_fail(self.names, factor))
                || under.iter().any(|factor| !is_positive(self.names, factor))
        };
        let silent = over.iter().enumerate().filter(|(at, factor)| {
            may_be_no_times(factor) && !may_fail(self.names, factor) && fails(*at)
        });
        let not_zero = |factor: &Shape| {
            Condition::Compare(factor.clone(), Relation::NotEqual, Shape::Number(0.into()))
        };
        // The factor itself is written again inside the choice. It must not ask for the same condition again.
        let silent = silent.map(|(_, factor)| not_zero(factor));
        brackets
            .chain(silent.filter(|asked| !self.asked.contains(asked)))
            .collect()
    }

    fn quotient(&mut self, over: &[Shape], under: &[Shape]) -> String {
        let numerator = self.factors(over);
        if under.is_empty() {
            return numerator;
        }
        let denominator = match under {
            [Shape::Product(..)] => format!("({})", self.factors(under)),
            [single] => self.expr(single, Tightness::Primary),
            several => format!("({})", self.factors(several)),
        };
        // A quotient of two literals such as `1/2` is 0 in one language and a float in another.
        let has_value = |factors: &[Shape]| factors.iter().any(is_value);
        let template = if has_value(over) || has_value(under) {
            "$1 / $2"
        } else {
            self.dialect.quotient_of_literals
        };
        let parts = [&*numerator, &*denominator];
        fill(template, &parts, &parts)
    }

    fn factors(&mut self, factors: &[Shape]) -> String {
        let mut text = String::new();
        for (at, factor) in factors.iter().enumerate() {
            let place = match factor {
                // A quotient further right would divide the factors before it as well, so it gets
                // parentheses.
                Shape::Product(..) if at > 0 => Tightness::Primary,
                _ => Tightness::Product,
            };
            text += if at > 0 { " * " } else { "" };
            text += &self.expr(factor, place);
        }
        text
    }

    fn function(&mut self, function: Function, items: &[Shape]) -> String {
        let items: Vec<&Shape> = items.iter().collect();
        let dialect = self.dialect;
        match function {
            Function::Min => self.extreme(&dialect.min, &items),
            Function::Max => self.extreme(&dialect.max, &items),
            Function::Gcd => self.call(dialect.gcd, &items),
            Function::DigitSum => self.call(dialect.digit_sum, &items),
            Function::FloorSum => self.call(dialect.floor_sum, &items),
        }
    }

    fn extreme(&mut self, call: &Call, items: &[&Shape]) -> String {
        let each = items.iter().map(|item| self.expr(item, Tightness::Sum));
        let each: Vec<String> = each.collect();
        match call {
            Call::Any(template) => fill(template, &[&each.join(", ")], &[]),
            Call::Two(template) => {
                let mut rest = each.into_iter().rev();
                let last = rest.next().unwrap_or_default();
                rest.fold(last, |inner, item| {
                    fill(template, &[&item, &inner], &[&item, &inner])
                })
            }
        }
    }

    fn choice(&mut self, conditions: &[&Condition], value: &Shape) -> String {
        let before = self.asked.len();
        self.asked
            .extend(conditions.iter().map(|asked| (*asked).clone()));
        let text = self.choice_of(conditions, value);
        self.asked.truncate(before);
        text
    }

    fn choice_of(&mut self, conditions: &[&Condition], value: &Shape) -> String {
        let condition = match conditions {
            [single] => self.condition(single),
            several => self.connected(&self.dialect.and, several),
        };
        let value = self.expr(value, Tightness::Sum);
        fill(self.dialect.choice, &[&condition, &value], &[])
    }

    fn total(&mut self, variable: &Symbol, low: &Shape, high: &Shape, body: &Shape) -> String {
        // A sum runs over whole numbers, so a fractional end is rounded inwards: 1/2..7/2 runs over 1..3.
        let ends = [
            (low, Shape::Ceiling as fn(Box<Shape>) -> Shape),
            (high, Shape::Floor),
        ];
        let [low, high] = ends.map(|(end, round)| {
            if is_whole(end) {
                self.expr(end, Tightness::Sum)
            } else {
                self.expr(&round(Box::new(end.clone())), Tightness::Sum)
            }
        });
        let taken: Vec<&str> = self.bound.iter().map(|(_, name)| &**name).collect();
        let name = self.names.fresh(&variable.name, &taken);
        let outside: Vec<String> = self.bound.iter().map(|(_, name)| name.clone()).collect();
        self.bound.push((variable.clone(), name.clone()));
        let body = self.expr(body, Tightness::Sum);
        self.bound.pop();
        match self.dialect.total {
            Total::Inline(template) => {
                let template = template.replace("$v", &name);
                fill(&template, &[&low, &high, &body], &[])
            }
            Total::Apart(write) => {
                let arguments = [self.function.1, &outside].concat();
                let function = format!("{}_sum_{}", self.function.0, self.apart.len() + 1);
                self.apart.push(write(&Loop {
                    name: &function,
                    arguments: &arguments,
                    variable: &name,
                    low: &low,
                    high: &high,
                    body: &body,
                }));
                format!("{function}({})", arguments.join(", "))
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> String {
        let dialect = self.dialect;
        match condition {
            Condition::Constant(value) => dialect.truth[usize::from(*value)].to_owned(),
            Condition::Compare(left, relation, right) => {
                let [equal, unequal, at_least, less, at_most, greater] = dialect.relations;
                let template = match relation {
                    Relation::Equal => equal,
                    Relation::NotEqual => unequal,
                    Relation::AtLeast => at_least,
                    Relation::Less => less,
                    Relation::AtMost => at_most,
                    Relation::Greater => greater,
                };
                self.call(template, &[left, right])
            }
            Condition::Divides(d, e) => self.call(dialect.divides, &[d, e]),
            Condition::PowerOf(x, y) => self.call(dialect.power_of, &[x, y]),
            Condition::Not(inner) => fill(dialect.not, &[&self.condition(inner)], &[]),
            Condition::And(all) => self.connected(&dialect.and, &all.iter().collect::<Vec<_>>()),
            Condition::Or(any) => self.connected(&dialect.or, &any.iter().collect::<Vec<_>>()),
        }
    }

    fn connected(&mut self, connective: &Connective, parts: &[&Condition]) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.condition(part)).collect();
        match connective {
            Connective::Infix(sign) => {
                let each = parts.iter().map(|part| format!("({part})"));
                each.collect::<Vec<_>>().join(sign)
            }
            Connective::Around(template) => fill(template, &[&parts.join(", ")], &[]),
        }
    }

    /// Chooses the rounding. A quotient of whole numbers is rounded only once, so the plain rounding is
    /// right.
    fn rounding(&self, x: &Shape, once: &'static str, near: &'static str) -> &'static str {
        let is_quotient = match x {
            Shape::Product(over, under) => over.iter().chain(under).all(is_whole),
            // A logarithm may come out exactly whole, so its quotient by a number is rounded correctly.
            other => is_whole(other),
        };
        if is_quotient { once } else { near }
    }
}

fn references(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
