//! A sample of the points of a program: some for what happens at any size, some for what happens only
//! at the machine's b, and some with several MPs.
//!
//! The smallest points alone never leave the first block: with two formals and b = 32 the 200 smallest
//! have n + m ≤ 21, so every kernel runs on one MP and `if ib + j < b` passes for `< n`.

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::meaning::admissible::{VALUES_OF_QUANTIFIERS, admissible_within};
use crate::meaning::{Admissible, Allowance, Point, PointValues, admissible, widths};
use crate::program::Program;
use crate::syntax::without_comment;

/// Values of b at which small sizes have several MPs, with the share of a sample that each gets, in
/// tenths.
const NARROW: [(i64, usize); 4] = [(2, 2), (3, 1), (4, 2), (1, 1)];

/// Sizes at the machine's b, as multiples of b and what is added: just below, at and just above b and
/// 2b, and several MPs.
const AROUND: [(i64, i64); 7] = [(1, 1), (2, 1), (1, 0), (4, 3), (2, 0), (1, -1), (3, -1)];

/// Sizes in a row of which one is admitted, where a formal is looked for from a size on.
const MOST_STEPS: i64 = 40;

/// Points to try a program at.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Points at the machine's b and at others, mixed: any first part of them is a sample, too.
    pub points: Vec<Sampled>,
    /// Points that the `require`s admit, but at which a `let` or an extent has no value.
    pub left_out: usize,
    /// The first of these, with what is wrong there.
    pub first_left_out: Vec<(PointValues, Diagnostic)>,
}

/// A point of a sample.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// The point.
    pub point: Point,
    /// Whether it was made large on purpose. Then it may be too large to run.
    pub is_grown: bool,
}

/// At most `count` points of a program that the `require`s admit with the values given.
///
/// Half of them are the smallest at the machine's b and points with sizes around b and 2b, half the
/// smallest at b = 1, 2, 3 and 4 or, where `require`s refuse these, at the least values of b that they
/// admit. A b that is given is the only one.
///
/// ```
/// use atgpu::meaning::sample;
///
/// let program = atgpu::examples::vector_addition();
/// let machine = [384, 32, 12288, 1 << 28]; // p, b, M, G
/// let sample = sample(&program, machine, &().into(), 40);
/// let widths = |b: i64| sample.points.iter().filter(move |one| *one.point.cores() == b.into());
/// assert!(widths(2).count() >= 4 && widths(32).count() >= 10);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn sample(program: &Program, machine: [i64; 4], given: &Parameters, count: usize) -> Sample {
    let [p, own, m, g] = machine;
    let others: Vec<(i64, usize)> = if given.get("b").is_some() {
        Vec::new()
    } else {
        narrow(program, own)
    };
    let taken: usize = others.iter().map(|(_, tenths)| count * tenths / 10).sum();
    let mut sample = Sample::default();
    let small = admissible(program, machine, given, count - taken);
    let grown = grown(program, machine, given, &small.points);
    // Sizes around b take the place of as many of the smallest.
    let room = (count - taken).saturating_sub(grown.len());
    let small_points = &small.points[..small.points.len().min(room)];
    let mut groups = vec![points(program, machine, small_points, false)];
    sample.leave_out(small, own);
    let allowance = Allowance::of(VALUES_OF_QUANTIFIERS);
    for (width, tenths) in others {
        let machine = [p, width, m, g];
        let found = admissible_within(program, machine, given, count * tenths / 10, &allowance);
        groups.push(points(program, machine, &found.points, false));
        sample.leave_out(found, width);
    }
    let grown = points(program, machine, &grown, true);
    groups.insert(2.min(groups.len()), grown);
    // What the text says of b, of b - 1 or of the logarithm of b holds for every b up to the machine's.
    let of_width = [own, own - 1, i64::from(own.max(1).ilog2())];
    if given.get("b").is_none() && says(program, &of_width) {
        // Other values of b are the program's own: it admits no wider one.
        let admitted = widths(program, given, &[2 * own]).into_iter();
        for width in admitted.filter(|width| *width == 2 * own) {
            let wide = around_width(program, [p, width, m, g], given);
            let wide = wide.map(|point| Sampled {
                point,
                is_grown: true,
            });
            groups.push(wide.take(count / 20).collect());
        }
    }
    sample.points = mixed(groups);
    sample.points.truncate(count);
    sample
}

/// True if the text has one of some numbers above 2, each of which may stand for b.
pub(crate) fn says(program: &Program, numbers: &[i64]) -> bool {
    program.source.text().lines().any(|line| {
        let code = without_comment(line);
        let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.any(|word| {
            let number = word.parse::<i64>();
            number.is_ok_and(|number| number > 2 && numbers.contains(&number))
        })
    })
}

impl Sample {
    fn leave_out(&mut self, found: Admissible, width: i64) {
        self.left_out += found.left_out;
        let named = found.first_left_out.into_iter();
        let named = named.map(|(values, fault)| (PointValues::of(&values, width), fault));
        if self.first_left_out.is_empty() {
            self.first_left_out.extend(named);
        }
    }
}

/// Other values of b that the `require`s admit, each with its share in tenths.
fn narrow(program: &Program, own: i64) -> Vec<(i64, usize)> {
    let usual = NARROW.map(|(width, _)| width);
    let admitted = widths(program, &().into(), &usual);
    let shares = NARROW.map(|(_, tenths)| tenths);
    let each = admitted.into_iter().zip(shares);
    each.filter(|(width, _)| *width != own).collect()
}

/// The points that have these values.
fn points(
    program: &Program,
    machine: [i64; 4],
    values: &[Parameters],
    is_grown: bool,
) -> Vec<Sampled> {
    let each = values.iter();
    let each = each.filter_map(|values| Point::new(program, machine, values).ok());
    each.map(|point| Sampled { point, is_grown }).collect()
}

/// Values of points whose formals are around b and 2b: all of them, and each by itself beside the smallest values
/// of the others.
fn grown(
    program: &Program,
    machine: [i64; 4],
    given: &Parameters,
    known: &[Parameters],
) -> Vec<Parameters> {
    let formals = program.formals.iter();
    let names = formals.map(|id| program.parameter(*id).name.as_str());
    let free: Vec<&str> = names.filter(|name| given.get(name).is_none()).collect();
    let allowance = Allowance::of(VALUES_OF_QUANTIFIERS);
    let least = |values: &Parameters| {
        admissible_within(program, machine, values, 1, &allowance)
            .points
            .pop()
    };
    let mut found: Vec<Parameters> = Vec::new();
    let mut keep = |values: Option<Parameters>| {
        if let Some(values) = values
            && !found.contains(&values)
            && !known.contains(&values)
        {
            found.push(values);
        }
    };
    for (times, more) in AROUND {
        let size = times * machine[1] + more;
        let mut all = Some(given.clone());
        for name in &free {
            all = all.and_then(|values| from(&values, name, size, least));
        }
        keep(all.and_then(|values| least(&values)));
        if free.len() > 1 {
            for name in &free {
                let one = from(given, name, size, least);
                keep(one.and_then(|values| least(&values)));
            }
        }
    }
    found
}

/// Points at this b with sizes around b and 2b.
pub(crate) fn around_width(
    program: &Program,
    machine: [i64; 4],
    given: &Parameters,
) -> impl Iterator<Item = Point> {
    let grown = grown(program, machine, given, &[]).into_iter();
    grown.filter_map(move |values| Point::new(program, machine, &values).ok())
}

/// The values with a formal set to the least size from `size` on with which some point is admitted: `least` gives the
/// smallest one.
fn from(
    values: &Parameters,
    name: &str,
    size: i64,
    least: impl Fn(&Parameters) -> Option<Parameters>,
) -> Option<Parameters> {
    let at = |size: i64| {
        let mut values = values.clone();
        values.set(name, size);
        values
    };
    // Where a size is a power of 2 or a multiple of b, the next one is admitted soon.
    let step = |step: i64| {
        if step < MOST_STEPS {
            size + step
        } else {
            size << (step - MOST_STEPS)
        }
    };
    let sizes = (0..MOST_STEPS + 3).map(step);
    sizes.map(at).find(|values| least(values).is_some())
}

/// One of each group in turn, as long as any is left.
fn mixed<T>(groups: Vec<Vec<T>>) -> Vec<T> {
    let mut groups: Vec<_> = groups.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(groups.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}
