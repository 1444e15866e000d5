//! Traces each term of the GPU-cost to the lines that cause it.
//!
//! Terms and shares of lines are functions of the parameters. The share of a line is a linear combination
//! of terms, and only one combination fits. So a term comes from the lines with that term in their
//! combination. The share of a single line may be no combination, because other lines cancel a part of it.
//! Then the smallest sets of lines with sums that are combinations form groups, and a group counts as one
//! line. The excess of a bound over the sum of all lines counts as one line more.
//!
//! The combinations are found from values at admissible points, modulo a prime. So nothing depends on the
//! way a formula is written.

mod points;
mod vectors;

use std::cell::OnceCell;

use crate::derivation::sources::points::{Points, points};
use crate::derivation::sources::vectors::{Independent, Residue, Vector, add};
use crate::derivation::{Derivation, Paid, Share};
use crate::program::Program;
use crate::sym::Expr;

/// Points in addition to one per function. A false combination would have to fit all of them by coincidence.
const POINTS_BEYOND: usize = 12;

/// The lines behind the terms of a GPU-cost.
pub struct Sources<'p> {
    program: &'p Program,
    derivation: &'p Derivation,
    shares: Vec<Share>,
    points: OnceCell<Points>,
}

/// The origin of a term.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Source {
    /// The lines that add to it or subtract from it.
    pub parts: Vec<Part>,
    /// True if the parts make up the whole term. False if a bound has more, or less, than its lines.
    pub is_whole: bool,
}

/// A group of lines behind a term.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// One line, or a group of lines with a sum that is a combination of terms.
    pub lines: Vec<usize>,
    /// The fraction of the term from these lines, 1 for all of it, if known.
    pub share: Option<f64>,
}

impl<'p> Sources<'p> {
    /// Prepares the lines of a derivation.
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

    /// Traces each of `terms`, which together are the whole cost of one item. The letters of the item (α,
    /// β, γ, λ, σ) may occur in them or not.
    pub fn behind(&self, paid: Paid, terms: &[Expr]) -> Vec<Source> {
        let mut lines: Vec<Vec<usize>> = Vec::new();
        // Shares of the same lines are added up: `of_lines` has one vector for each distinct set of lines.
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
            // They may be dependent at these points only, so all points are tried.
            values = points.values(&exprs, usize::MAX);
        }
        let (of_terms, of_shares) = values.split_at(terms.len());
        // The last vector is the excess of a bound over its lines: all terms minus all shares.
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
            // Too few points to distinguish the functions.
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

/// The partition of the lines into groups, and the combination of terms for each line.
struct Groups {
    /// The first line of the group of each line. The last entry is the excess of a bound.
    first: Vec<usize>,
    combinations: Vec<Vector>,
    /// Terms that are combinations of earlier terms, with those terms.
    repeated: Vec<(usize, Vec<usize>)>,
    terms: usize,
}

impl Groups {
    /// Partitions the lines. The lines in `bounds` have only an upper bound: an excess, if any, joins their
    /// group.
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
        // The rest of a line is its part outside the span of the terms. If the rest depends on the rests of
        // earlier lines, the lines cancel each other, and they form one group. Example: x + e and y − e
        // have rests e and −e.
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
        // Of linearly dependent terms some may get no lines. Each of these takes the lines of the others.
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
        // A term that is 0 at all points has no lines: nothing is known about it.
        for source in found
            .iter_mut()
            .filter(|source| source.parts.is_empty() && source.is_whole)
        {
            *source = together(lines);
        }
        found
    }
}

/// All lines, with unknown fractions.
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
    /// Adds the lines of another source. Their fractions become unknown.
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

/// The positions of the non-zero coefficients.
fn places(combination: &Vector) -> Vec<usize> {
    let all = combination.iter().enumerate();
    let all = all.filter(|(_, times)| !times.is_zero());
    all.map(|(at, _)| at).collect()
}
