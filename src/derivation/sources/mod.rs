//! Which lines a term of the GPU-cost comes from.
//!
//! Terms and shares of lines are functions of the parameters. A share is a combination of terms, so many
//! times each, in one way only: a term comes from the lines that have it in theirs. Where the share of a
//! line alone is no such combination (its own form holds what other lines take away again), those lines
//! belong together that no combination takes apart, and what they add up to is one. What a bound has
//! beyond all lines counts as one line more.
//!
//! Combinations are found with values at points that the program admits, modulo a prime, so nothing here
//! depends on how a formula is written.

mod points;
mod vectors;

use std::cell::OnceCell;

use crate::derivation::sources::points::{Points, points};
use crate::derivation::sources::vectors::{Independent, Residue, Vector, add};
use crate::derivation::{Derivation, Paid, Share};
use crate::program::Program;
use crate::sym::Expr;

/// Points beyond as many as there are functions: that many coincidences are not met.
const POINTS_BEYOND: usize = 12;

/// The lines behind the terms of a GPU-cost.
pub struct Sources<'p> {
    program: &'p Program,
    derivation: &'p Derivation,
    shares: Vec<Share>,
    points: OnceCell<Points>,
}

/// Where a term comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Source {
    /// What adds to it, and what takes away from it.
    pub parts: Vec<Part>,
    /// Whether that is all of it; else a bound has more than its lines, or less.
    pub is_whole: bool,
}

/// Lines behind a term.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// One line, or lines that only together are a combination of terms.
    pub lines: Vec<usize>,
    /// How much of the term that is, 1 for all of it, where that is known.
    pub share: Option<f64>,
}

impl<'p> Sources<'p> {
    /// Of a derivation and its program.
    ///
    /// ```
    /// use atgpu::derivation::{Paid, Sources};
    /// use atgpu::sym::Expr;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let derivation = program.derive()?;
    /// let sources = Sources::of(&program, &derivation);
    ///
    /// // 2n of the words are those of both inputs, each a half of it.
    /// let words = derivation.totals.inward.upper.clone().expect("derived");
    /// let back = derivation.totals.outward.upper.clone().expect("derived");
    /// let found = sources.behind(Paid::Words, &[words.add(&back)]);
    /// let lines: Vec<_> = found[0].parts.iter().map(|part| part.lines[0]).collect();
    /// assert_eq!(lines, [42, 43, 52]);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn of(program: &'p Program, derivation: &'p Derivation) -> Sources<'p> {
        Sources {
            program,
            derivation,
            shares: derivation.shares(),
            points: OnceCell::new(),
        }
    }

    /// Where each of the terms comes from that together are all that is paid for one thing. Letters of what
    /// is paid (α, β, γ, λ, σ) may stand in them or not.
    ///
    /// ```
    /// use atgpu::derivation::{Paid, Sources};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let derivation = program.derive()?;
    /// let blocks = derivation.totals.io.upper.clone().expect("derived");
    /// let found = Sources::of(&program, &derivation).behind(Paid::Blocks, &[blocks]);
    /// assert!(found[0].is_whole);
    /// assert_eq!(found[0].parts.len(), 3);
    /// assert_eq!(found[0].parts[0].share, Some(1.0 / 3.0));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn behind(&self, paid: Paid, terms: &[Expr]) -> Vec<Source> {
        let mut lines: Vec<Vec<usize>> = Vec::new();
        let own = self.shares.iter().filter(|share| share.paid == paid);
        let own: Vec<(usize, &Share)> = own
            .map(|share| {
                let known = lines.iter().position(|each| *each == share.lines);
                let at = known.unwrap_or_else(|| {
                    lines.push(share.lines.clone());
                    lines.len() - 1
                });
                (at, share)
            })
            .collect();
        let points = self
            .points
            .get_or_init(|| points(self.program, self.derivation));
        let amounts = own.iter().map(|(_, share)| &share.amount);
        let exprs = terms.iter().chain(amounts);
        let exprs: Vec<&Expr> = exprs.collect();
        let wanted = terms.len() + lines.len() + POINTS_BEYOND;
        let mut values = points.values(&exprs, wanted);
        let is_dependent = |values: &[Vector]| {
            let mut span = Independent::default();
            values[..terms.len()]
                .iter()
                .any(|term| span.take(term).is_some())
        };
        if is_dependent(&values) {
            // Perhaps only where these points are.
            values = points.values(&exprs, usize::MAX);
        }
        let (of_terms, of_shares) = values.split_at(terms.len());
        // What a bound has beyond the lines comes last.
        let mut of_lines = vec![Vector::new(); lines.len() + 1];
        for term in of_terms {
            add(&mut of_lines[lines.len()], Residue::ONE, term);
        }
        for ((at, _), share) in own.iter().zip(of_shares) {
            add(&mut of_lines[*at], Residue::ONE, share);
            let minus = Residue::ZERO.minus(Residue::ONE);
            add(&mut of_lines[lines.len()], minus, share);
        }
        if of_terms.iter().any(|term| term.len() < wanted) {
            // Too few points to tell anything apart.
            return vec![together(&lines); terms.len()];
        }
        let is_bound = |at: usize| {
            own.iter()
                .any(|(line, share)| *line == at && !share.is_exact)
        };
        let bounds: Vec<usize> = (0..lines.len()).filter(|at| is_bound(*at)).collect();
        let groups = Groups::of(of_terms, &of_lines, &bounds);
        groups.sources(&lines)
    }
}

/// Lines that no combination takes apart, and of each line which combination of terms it is.
struct Groups {
    /// The first line of the group that each line is of; what a bound has beyond the lines is the last one.
    first: Vec<usize>,
    combinations: Vec<Vector>,
    /// Terms that are combinations of those before them, and of which.
    repeated: Vec<(usize, Vec<usize>)>,
    terms: usize,
}

impl Groups {
    /// `bounds` are lines of which no more is known than a bound: with what is beyond, they are together.
    fn of(terms: &[Vector], lines: &[Vector], bounds: &[usize]) -> Groups {
        let (mut span, mut repeated) = (Independent::default(), Vec::new());
        for (at, term) in terms.iter().enumerate() {
            let of = span.take(term).map(|combination| places(&combination));
            repeated.extend(of.map(|of| (at, of)));
        }
        let mut groups = Groups {
            first: (0..lines.len()).collect(),
            combinations: Vec::new(),
            repeated,
            terms: terms.len(),
        };
        let mut rests = Independent::default();
        for (at, line) in lines.iter().enumerate() {
            let (rest, combination) = span.apart(line);
            groups.combinations.push(combination);
            for other in rests.take(&rest).iter().flat_map(places) {
                groups.join(at, other);
            }
        }
        let beyond = lines.len() - 1;
        if lines[beyond].iter().any(|value| !value.is_zero()) {
            bounds.iter().for_each(|at| groups.join(beyond, *at));
        }
        groups
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first[one], self.first[other]);
        let (first, second) = (one.min(other), one.max(other));
        for each in &mut self.first {
            if *each == second {
                *each = first;
            }
        }
    }

    fn sources(&self, lines: &[Vec<usize>]) -> Vec<Source> {
        let whole = Source {
            parts: Vec::new(),
            is_whole: true,
        };
        let mut found = vec![whole; self.terms];
        for group in 0..self.first.len() {
            let members = || (0..self.first.len()).filter(|at| self.first[*at] == group);
            let mut sum = vec![Residue::ZERO; self.terms];
            for member in members() {
                add(&mut sum, Residue::ONE, &self.combinations[member]);
            }
            let own = members().filter_map(|at| lines.get(at));
            let own: Vec<usize> = own.flatten().copied().collect();
            for (source, times) in found.iter_mut().zip(&sum) {
                if times.is_zero() {
                    continue;
                }
                if own.is_empty() {
                    source.is_whole &= members().next().is_none();
                    continue;
                }
                source.parts.push(Part {
                    lines: own.clone(),
                    share: times.to_f64(),
                });
            }
        }
        // A term without lines that is a combination of others, or they of it, is from where they are.
        let is_bare: Vec<bool> = found.iter().map(|source| source.parts.is_empty()).collect();
        for (at, of) in &self.repeated {
            let circle: Vec<usize> = of.iter().copied().chain([*at]).collect();
            for &bare in circle.iter().filter(|term| is_bare[**term]) {
                for &other in circle.iter().filter(|term| !is_bare[**term]) {
                    let source = found[other].clone();
                    found[bare].take_in(source);
                }
            }
        }
        // Nothing is told of what is 0 at all points.
        for source in found
            .iter_mut()
            .filter(|source| source.parts.is_empty() && source.is_whole)
        {
            *source = together(lines);
        }
        found
    }
}

/// From all lines, and no more is known.
fn together(lines: &[Vec<usize>]) -> Source {
    let part = Part {
        lines: lines.concat(),
        share: None,
    };
    Source {
        parts: vec![part],
        is_whole: true,
    }
}

impl Source {
    /// With the lines of another one, of neither of which it is known how much.
    fn take_in(&mut self, other: Source) {
        self.is_whole &= other.is_whole;
        for part in other.parts {
            if self.parts.iter().all(|own| own.lines != part.lines) {
                self.parts.push(Part {
                    share: None,
                    ..part
                });
            }
        }
    }
}

/// Where a combination is not 0.
fn places(combination: &Vector) -> Vec<usize> {
    let all = combination.iter().enumerate();
    let all = all.filter(|(_, times)| !times.is_zero());
    all.map(|(at, _)| at).collect()
}
