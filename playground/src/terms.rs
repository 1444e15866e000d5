//! Which lines a term of the GPU-cost comes from.
//!
//! Every line's share of the cost is written out as a sum, and so is every term. A term comes from the lines
//! whose shares have its summands, where these come to exactly the term; of any other nothing is said here,
//! and the page lights all lines that pay for the same.

use std::collections::BTreeMap;

use atgpu::derivation::{Derivation, Derived, DerivedLine, DerivedRound};
use atgpu::number::Rational;
use atgpu::program::{
    Arithmetic, Direction, Extent, HostStmt, Number, NumberKind, ParamId, Program, Region, Transfer,
};
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::shape::{Shape, Sign};
use atgpu::sym::{Expr, Facts, Symbol, SymbolKind};

use crate::written::expr;

/// Summands of a term or a share; what is longer is left whole.
const MOST_SUMMANDS: usize = 48;

/// Shares that are looked at.
const MOST_SHARES: usize = 400;

/// What a term is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paid {
    Starts,
    Words,
    Operations,
    Blocks,
    Rounds,
}

impl Paid {
    /// Its name on the page.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Paid::Starts => "starts",
            Paid::Words => "words",
            Paid::Operations => "operations",
            Paid::Blocks => "blocks",
            Paid::Rounds => "rounds",
        }
    }

    /// What of the formula is paid for so: the letter that is on it, and the one below.
    pub(crate) fn of(has: &dyn Fn(&str) -> bool) -> Option<Paid> {
        let letters = [
            ("α", Paid::Starts),
            ("β", Paid::Words),
            ("σ", Paid::Rounds),
            ("λ", Paid::Blocks),
            ("γ", Paid::Operations),
        ];
        let found = letters.into_iter().find(|(letter, _)| has(letter));
        found.map(|(_, paid)| paid)
    }
}

/// How much of a term each line is.
pub(crate) type Lines = BTreeMap<usize, f64>;

/// A summand: its factors without the number before them, and that number.
type Summand = (Expr, Rational);

/// What each line adds to the GPU-cost.
pub(crate) struct Sources<'p> {
    program: &'p Program,
    derivation: &'p Derivation,
    shares: Vec<(usize, Paid, Vec<Summand>)>,
}

impl<'p> Sources<'p> {
    pub(crate) fn of(program: &'p Program, derivation: &'p Derivation) -> Sources<'p> {
        let mut sources = Sources {
            program,
            derivation,
            shares: Vec::new(),
        };
        let Some(cost) = &derivation.gpu_cost.upper else {
            return sources;
        };
        let letters: Vec<Symbol> = cost.symbols().into_iter().filter(is_letter).collect();
        let letter = |wanted: &str| {
            let mut named = letters.iter().filter(|symbol| bare(symbol) == wanted);
            named.next().map(Expr::symbol)
        };
        let mut shares = Vec::new();
        for round in &derivation.rounds {
            sources.kernel(round, &letter, &mut shares);
        }
        sources.transfers(&letter, &mut shares);
        shares.truncate(MOST_SHARES);
        for (line, paid, amount) in shares {
            match summands(&amount) {
                Some(list) => sources.shares.push((line, paid, list)),
                // One share that is not known, and no sum of this kind can be held against its term.
                None => sources
                    .shares
                    .push((0, paid, vec![(amount, Rational::ONE)])),
            }
        }
        sources
    }

    /// What the lines of a kernel add in all its rounds, and its rounds themselves.
    fn kernel(
        &self,
        round: &DerivedRound,
        letter: &dyn Fn(&str) -> Option<Expr>,
        shares: &mut Vec<(usize, Paid, Expr)>,
    ) {
        let waves = || {
            let resident = letter("ℓ").or_else(|| upper(&round.occupancy))?;
            let at_once = letter("k'")?.mul(&resident);
            let waves = upper(&round.counts.launched_mps)?.div(&at_once)?.ceil();
            waves.div(&letter("γ")?)
        };
        let latency = || letter("λ")?.div(&letter("γ")?);
        let (waves, latency) = (waves(), latency());
        for line in &round.lines {
            if let (Some(waves), Some(operations)) = (&waves, upper(&line.operations)) {
                shares.push((
                    line.line,
                    Paid::Operations,
                    in_all(round, &operations.mul(waves)),
                ));
            }
            if let (Some(latency), Some(blocks)) = (&latency, upper(&line.blocks)) {
                shares.push((line.line, Paid::Blocks, in_all(round, &blocks.mul(latency))));
            }
        }
        let opens = round.lines.first().and_then(|first| {
            let opened = kernels(&self.program.body, self.program);
            opened.into_iter().rfind(|line| *line < first.line)
        });
        if let (Some(line), Some(sigma), Some(count)) = (opens, letter("σ"), upper(&round.count)) {
            shares.push((line, Paid::Rounds, count.mul(&sigma)));
        }
    }

    /// The transfers that no loop repeats.
    fn transfers(
        &self,
        letter: &dyn Fn(&str) -> Option<Expr>,
        shares: &mut Vec<(usize, Paid, Expr)>,
    ) {
        for stmt in &self.program.body {
            let HostStmt::Transfer(transfer) = stmt else {
                continue;
            };
            let line = self.program.line(transfer.span);
            if let Some(start) = letter("α") {
                shares.push((line, Paid::Starts, start));
            }
            if let (Some(word), Some(words)) = (letter("β"), self.words(transfer)) {
                shares.push((line, Paid::Words, words.mul(&word)));
            }
        }
    }

    fn words(&self, transfer: &Transfer) -> Option<Expr> {
        let side: &Region = match transfer.direction {
            Direction::Inward => &transfer.global,
            Direction::Outward => &transfer.host,
        };
        let variable = self.program.variable(side.variable);
        let mut words = Expr::one();
        for (extent, dimension) in side.extents.iter().zip(&variable.dimensions) {
            words = words.mul(&match extent {
                Extent::All => self.number(dimension)?,
                Extent::At(_) => Expr::one(),
                Extent::Range(from, to) => {
                    let (from, to) = (self.number(from)?, self.number(to)?);
                    to.sub(&from).add(&Expr::one())
                }
            });
        }
        Some(words)
    }

    /// A number of the program that no data decide.
    fn number(&self, number: &Number) -> Option<Expr> {
        match &number.kind {
            NumberKind::Integer(value) => Some(Expr::rational(Rational::from(value))),
            NumberKind::Parameter(id) => self.parameter(*id),
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                match operator {
                    Arithmetic::Add => Some(left.add(&right)),
                    Arithmetic::Subtract => Some(left.sub(&right)),
                    Arithmetic::Multiply => Some(left.mul(&right)),
                    Arithmetic::Divide => left.div(&right),
                    Arithmetic::FloorDivide => left.floor_div(&right),
                    Arithmetic::Modulo => left.modulo(&right),
                    Arithmetic::Power => Some(left.pow(&right)),
                }
            }
            NumberKind::Ceil(inner) => Some(self.number(inner)?.ceil()),
            NumberKind::Floor(inner) => Some(self.number(inner)?.floor()),
            _ => None,
        }
    }

    fn parameter(&self, id: ParamId) -> Option<Expr> {
        let bound = self.program.lets.iter().find(|each| each.parameter == id);
        match bound {
            Some(bound) => self.number(&bound.value),
            None => {
                let name = &self.program.parameter(id).name;
                Some(Expr::symbol(&Symbol::new(id.0, name)))
            }
        }
    }

    /// The lines that a term comes from, where their shares come to it exactly.
    pub(crate) fn behind(&self, term: &Expr, paid: Paid) -> Option<Lines> {
        let shares = self.shares.iter().filter(|(_, of, _)| *of == paid);
        let shares = shares.map(|(line, _, summands)| (*line, summands));
        attributed(&summands(term)?, shares)
    }

    /// The same for a summand of the sum that is the time, or the blocks, of each of some rounds.
    pub(crate) fn inside(&self, whole: &Expr, part: &Expr, paid: Paid) -> Option<Lines> {
        type Of<T> = fn(&T) -> &Derived;
        let (of_round, of_line): (Of<DerivedRound>, Of<DerivedLine>) = match paid {
            Paid::Operations => (|round| &round.counts.time, |line| &line.operations),
            Paid::Blocks => (|round| &round.counts.io, |line| &line.blocks),
            Paid::Starts | Paid::Words | Paid::Rounds => return None,
        };
        let rounds = self.derivation.rounds.iter();
        let mut all = Lines::new();
        for round in rounds.filter(|round| upper(of_round(round)).as_ref() == Some(whole)) {
            let shares: Option<Vec<_>> = round
                .lines
                .iter()
                .map(|line| Some((line.line, summands(&upper(of_line(line))?)?)))
                .collect();
            let shares = shares?;
            let shares = shares.iter().map(|(line, summands)| (*line, summands));
            for (line, share) in attributed(&summands(part)?, shares)? {
                *all.entry(line).or_default() += share;
            }
        }
        (!all.is_empty()).then_some(all)
    }

    /// A written formula as an expression, names of the program written out.
    pub(crate) fn expr(&self, shape: &Shape) -> Option<Expr> {
        expr(shape, &self.derivation.names)
    }
}

/// Whether a symbol is a letter of the cost functions.
pub(crate) fn is_letter(symbol: &Symbol) -> bool {
    symbol.id.kind == SymbolKind::Letter
}

/// A letter's name, also where the program calls something of its own so.
pub(crate) fn bare(symbol: &Symbol) -> &str {
    symbol.name.strip_suffix("_GPU").unwrap_or(&symbol.name)
}

/// A quantity, or what it is never more than: the terms of a bound come from the bounds of lines.
fn upper(quantity: &Derived) -> Option<Expr> {
    quantity.upper.clone()
}

/// The lines that open a kernel, in order.
fn kernels(body: &[HostStmt], program: &Program) -> Vec<usize> {
    let mut found = Vec::new();
    for stmt in body {
        match stmt {
            HostStmt::Kernel(kernel) => found.push(program.line(kernel.span)),
            HostStmt::For(host_for) => found.extend(kernels(&host_for.body, program)),
            HostStmt::While(host_while) => found.extend(kernels(&host_while.body, program)),
            HostStmt::Execute(execute) => found.extend(kernels(&execute.body, program)),
            HostStmt::Let(_) | HostStmt::Swap(_) | HostStmt::Transfer(_) => {}
        }
    }
    found.sort_unstable();
    found
}

/// What one round has, over all the rounds that an entry stands for.
fn in_all(round: &DerivedRound, amount: &Expr) -> Expr {
    let moves = round
        .loops
        .iter()
        .any(|range| amount.contains(&range.symbol));
    if let (false, Some(count)) = (moves, upper(&round.count)) {
        return amount.mul(&count);
    }
    let facts = Facts::new();
    round.loops.iter().rev().fold(amount.clone(), |sum, range| {
        let (low, high) = match range.down {
            true => (&range.to, &range.from),
            false => (&range.from, &range.to),
        };
        facts.sum(&range.symbol, low, high, &sum)
    })
}

/// The lines whose summands are those of a term, where they come to it.
fn attributed<'s>(
    term: &[Summand],
    shares: impl Iterator<Item = (usize, &'s Vec<Summand>)> + Clone,
) -> Option<Lines> {
    let mut lines = Lines::new();
    for (factors, number) in term {
        let mut rest = number.clone();
        for (line, summands) in shares.clone() {
            for (own, count) in summands {
                let Some(ratio) = ratio(own, factors) else {
                    continue;
                };
                let count = &ratio * count;
                rest = &rest - &count;
                *lines.entry(line).or_default() += (&count / number).to_f64();
            }
        }
        if rest != Rational::ZERO {
            return None;
        }
    }
    // Lines that take from a term what others add say nothing that could be shown.
    let shown = lines.iter().all(|(line, share)| *line > 0 && *share > 0.0);
    (shown && !lines.is_empty()).then_some(lines)
}

/// By which number two products differ, if by no more.
fn ratio(one: &Expr, other: &Expr) -> Option<Rational> {
    match one == other {
        true => Some(Rational::ONE),
        false if one.symbols() != other.symbols() => None,
        false => one.div(other)?.as_rational(),
    }
}

/// A sum written out.
fn summands(expr: &Expr) -> Option<Vec<Summand>> {
    let shape = Printer::new(&Names::default()).shape(expr);
    let mut found: Vec<Summand> = Vec::new();
    for summand in written_out(&shape)? {
        let Some(number) = summand.as_rational() else {
            let (factors, number) = (summand, Rational::ONE);
            let same = found
                .iter_mut()
                .find_map(|(own, count)| Some((ratio(&factors, own)?, count)));
            match same {
                Some((times, count)) => *count = &*count + &(&number * &times),
                None => found.push((factors, number)),
            }
            continue;
        };
        match found.iter_mut().find(|(own, _)| *own == Expr::one()) {
            Some((_, count)) => *count = &*count + &number,
            None => found.push((Expr::one(), number)),
        }
    }
    found.retain(|(_, count)| *count != Rational::ZERO);
    Some(found)
}

fn written_out(shape: &Shape) -> Option<Vec<Expr>> {
    // Nothing is folded in what is written out.
    let plain = |shape: &Shape| expr(shape, &[]);
    let found = match shape {
        Shape::Sum(terms) => {
            let mut found = Vec::new();
            for (sign, term) in terms {
                let each = written_out(term)?.into_iter();
                found.extend(each.map(|term| match sign {
                    Sign::Plus => term,
                    Sign::Minus => term.neg(),
                }));
            }
            found
        }
        Shape::Product(over, under) => {
            let mut found = vec![Expr::one()];
            for factor in over {
                let each = written_out(factor)?;
                if found.len() * each.len() > MOST_SUMMANDS {
                    return None;
                }
                let products = found.iter();
                found = products
                    .flat_map(|one| each.iter().map(|other| one.mul(other)))
                    .collect();
            }
            let under: Option<Vec<Expr>> = under.iter().map(plain).collect();
            let under = under?.iter().fold(Expr::one(), |one, each| one.mul(each));
            let divided: Option<Vec<Expr>> = found.iter().map(|each| each.div(&under)).collect();
            divided?
        }
        other => vec![plain(other)?],
    };
    (found.len() <= MOST_SUMMANDS).then_some(found)
}
