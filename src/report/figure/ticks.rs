//! Positions and labels of ticks.

use crate::report::figure::{Axis, Scale};

/// The label of a tick.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Label {
    /// A number.
    Plain(String),
    /// A base and its exponent.
    Power(u32, i32),
    /// A multiple of a power of ten.
    Multiple(u32, i32),
}

/// One tick.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// Its value.
    pub(super) value: f64,
    /// `None` for a minor tick.
    pub(super) label: Option<Label>,
}

/// A drawn axis: its ends, its ticks, and a power of ten omitted from all labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ruler {
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<Tick>,
    /// Labels are in units of 10 to this power.
    pub(super) shift: i32,
}

impl Ruler {
    /// The ruler for numbers between two ends, with about `labels` labels.
    pub(super) fn new(axis: &Axis, low: f64, high: f64, labels: usize) -> Self {
        let (low, high) = axis.ends.unwrap_or((low, high));
        match axis.scale {
            Scale::Linear => linear(low, high, labels),
            Scale::Log2 => powers(2, low, high, labels),
            Scale::Log10 => powers(10, low, high, labels),
        }
    }

    /// The position of a number: 0 at the low end, 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let of = |value| self.scale.place(value);
        (of(value) - of(self.low)) / (of(self.high) - of(self.low))
    }
}

/// Steps of 1, 2 or 5 times a power of ten; the ends lie on ticks.
fn linear(low: f64, high: f64, labels: usize) -> Ruler {
    let (mut low, mut high) = (low, high);
    // A range that starts near 0 is extended to 0, so that heights can be compared.
    if low > 0.0 && low < high * 0.4 {
        low = 0.0;
    }
    if high <= low {
        let room = if low == 0.0 { 1.0 } else { low.abs() * 0.5 };
        (low, high) = (low - room, high + room);
    }
    let (step, exponent) = step_of((high - low) / labels.max(2) as f64);
    let unit = libm::exp10(f64::from(exponent));
    let first = libm::floor(low / unit / step + 1e-9);
    let last = libm::ceil(high / unit / step - 1e-9);
    let largest = f64::max(first.abs(), last.abs()) * step * unit;
    let shift = match largest {
        _ if largest >= 1e5 => thousands(largest),
        _ if largest > 0.0 && largest < 1e-2 => thousands(largest),
        _ => 0,
    };
    let decimals = usize::try_from((shift - exponent).max(0)).unwrap_or(0);
    // If the last tick would leave much empty room, the axis ends shortly after the numbers instead.
    let room = (last * step * unit - high) / (high - first * step * unit);
    let count = (last - first) as usize - usize::from(room > 0.15);
    let top = if room > 0.15 {
        high + 0.03 * (high - low)
    } else {
        last * step * unit
    };
    let ticks = (0..=count).map(|at| {
        let multiple = (first + at as f64) * step;
        let shown = multiple * libm::exp10(f64::from(exponent - shift));
        Tick {
            value: multiple * unit,
            label: Some(Label::Plain(minus(format!("{:.*}", decimals, shown + 0.0)))),
        }
    });
    Ruler {
        scale: Scale::Linear,
        low: first * step * unit,
        high: top,
        ticks: ticks.collect(),
        shift,
    }
}

/// The exponent of a number, rounded down to a multiple of 3. Example: 45,000 has exponent 4, so 3.
fn thousands(number: f64) -> i32 {
    let exponent = libm::floor(libm::log10(number) + 1e-12) as i32;
    exponent.div_euclid(3) * 3
}

/// Rounds a number up to 1, 2 or 5 times a power of ten.
fn step_of(number: f64) -> (f64, i32) {
    let exponent = libm::floor(libm::log10(number)) as i32;
    let mantissa = number / libm::exp10(f64::from(exponent));
    match mantissa {
        _ if mantissa <= 1.0 + 1e-9 => (1.0, exponent),
        _ if mantissa <= 2.0 + 1e-9 => (2.0, exponent),
        _ if mantissa <= 5.0 + 1e-9 => (5.0, exponent),
        _ => (1.0, exponent + 1),
    }
}

/// Ticks at powers of a base; at multiples too if there are few powers.
fn powers(base: u32, low: f64, high: f64, labels: usize) -> Ruler {
    let powers = Powers::around(base, low, high);
    let every = powers.count().div_ceil(labels.max(2)).max(1) as i32;
    let mut ticks: Vec<Tick> = (powers.first..=powers.last)
        .map(|exponent| Tick {
            value: power(base, exponent.into()),
            label: (exponent - powers.first)
                .rem_euclid(every)
                .eq(&0)
                .then_some(Label::Power(base, exponent)),
        })
        .collect();
    if base == 10 && every == 1 {
        powers.add_multiples(&mut ticks);
    }
    let (from, to) = (powers.from, powers.to);
    let mut shift = 0;
    let labelled = ticks.iter().filter(|tick| tick.label.is_some());
    if labelled.count() < 2 {
        // Between two powers no power label remains, so evenly spaced round numbers are used.
        let even = linear(from, to, labels);
        let inside = |tick: &Tick| tick.value >= from && tick.value <= to;
        shift = even.shift;
        ticks = even.ticks.into_iter().filter(inside).collect();
    }
    Ruler {
        scale: if base == 2 { Scale::Log2 } else { Scale::Log10 },
        low: from,
        high: to,
        ticks,
        shift,
    }
}

fn exponent_of(base: u32, value: f64) -> f64 {
    match base {
        2 => libm::log2(value),
        _ => libm::log10(value),
    }
}

fn power(base: u32, exponent: f64) -> f64 {
    match base {
        2 => libm::exp2(exponent),
        _ => libm::exp10(exponent),
    }
}

/// An axis of powers: its ends, and the exponents of the first and the last power on it.
struct Powers {
    base: u32,
    from: f64,
    to: f64,
    first: i32,
    last: i32,
}

impl Powers {
    /// The axis for numbers between two ends.
    fn around(base: u32, low: f64, high: f64) -> Powers {
        let (bottom, top) = (exponent_of(base, low), exponent_of(base, high));
        let inner_first = libm::ceil(bottom - 1e-9) as i32;
        let inner_last = libm::floor(top + 1e-9) as i32;
        // An end moves to the next power if this wastes little room; otherwise it stays at the numbers.
        let mut first = inner_first;
        let mut last = inner_last;
        let span = top - bottom;
        let room = f64::max(span * 0.12, 0.35);
        if f64::from(inner_first) - bottom > 1e-9 && bottom - f64::from(inner_first - 1) < room {
            first = inner_first - 1;
        }
        if top - f64::from(inner_last) > 1e-9 && f64::from(inner_last + 1) - top < room {
            last = inner_last + 1;
        }
        // An end between powers gets a small margin, so that markers do not touch the frame.
        let air = span * 0.03;
        let mut from = if bottom < f64::from(first) - 1e-9 {
            f64::min(low, power(base, bottom - air))
        } else {
            power(base, first.into())
        };
        let mut to = if top > f64::from(last) + 1e-9 {
            f64::max(high, power(base, top + air))
        } else {
            power(base, last.into())
        };
        if from >= to {
            let factor = f64::from(base);
            (from, to) = (from / factor, to * factor);
            (first, last) = (
                libm::ceil(exponent_of(base, from) - 1e-9) as i32,
                libm::floor(exponent_of(base, to) + 1e-9) as i32,
            );
        }
        Powers {
            base,
            from,
            to,
            first,
            last,
        }
    }

    /// The number of powers on the axis.
    fn count(&self) -> usize {
        (self.last - self.first + 1).max(0) as usize
    }

    /// Adds ticks at 2, 3, … 9 times each power of ten, some of them labelled if there are few powers.
    fn add_multiples(&self, ticks: &mut Vec<Tick>) {
        let (from, to, exponents) = (self.from, self.to, self.first - 1..=self.last);
        let power = |exponent: i32| power(self.base, exponent.into());
        // Up to three powers near 1 read best as plain numbers.
        let is_plain = self.count() <= 3 && from >= 1e-3 && to <= 1e4;
        let within = |multiples: &[u32]| {
            let values = exponents.clone().flat_map(|exponent| {
                let of = move |multiple: &u32| f64::from(*multiple) * power(exponent);
                multiples.iter().map(of)
            });
            values
                .filter(|value| from <= *value && *value <= to)
                .count()
        };
        // A range of about one decade needs more labelled multiples.
        let named: &[u32] = match self.count() {
            0..=2 if within(&[1, 2, 5]) < 4 => &[2, 3, 5, 7],
            0..=2 => &[2, 5],
            _ => &[],
        };
        for exponent in exponents {
            for multiple in 2..10 {
                let value = f64::from(multiple) * power(exponent);
                if value < from * (1.0 - 1e-9) || value > to * (1.0 + 1e-9) {
                    continue;
                }
                let label = named.contains(&multiple).then(|| {
                    if is_plain {
                        Label::Plain(plain(value))
                    } else {
                        Label::Multiple(multiple, exponent)
                    }
                });
                ticks.push(Tick { value, label });
            }
        }
        if is_plain {
            for tick in ticks.iter_mut() {
                if let Some(Label::Power(..)) = tick.label {
                    tick.label = Some(Label::Plain(plain(tick.value)));
                }
            }
        }
        ticks.sort_by(|one, other| one.value.total_cmp(&other.value));
    }
}

/// A number with few digits, without an exponent.
fn plain(value: f64) -> String {
    let digits = if value >= 1.0 {
        0
    } else {
        (-libm::floor(libm::log10(value) + 1e-9)) as usize
    };
    minus(format!("{value:.digits$}"))
}

/// Replaces the hyphen by a minus sign; −0 becomes 0.
fn minus(number: String) -> String {
    match number.strip_prefix('-') {
        Some(rest) if rest.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) => {
            format!("−{rest}")
        }
        Some(rest) => rest.to_owned(),
        None => number,
    }
}

impl Label {
    /// The label as text: `65536`, `2^16`.
    pub(super) fn text(&self) -> String {
        match self {
            Label::Plain(text) => text.clone(),
            Label::Power(base, exponent) => format!("{base}^{exponent}"),
            Label::Multiple(multiple, exponent) => format!("{multiple}·10^{exponent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64) -> (Vec<String>, i32) {
        let axis = Axis {
            label: String::new(),
            scale,
            ends: None,
        };
        let ruler = Ruler::new(&axis, low, high, 6);
        assert!(ruler.low <= low && ruler.high >= high, "{ruler:?}");
        let ticks = ruler.ticks.iter();
        let shown = ticks.filter_map(|tick| Some(tick.label.as_ref()?.text()));
        (shown.collect(), ruler.shift)
    }

    #[test]
    fn linear_steps_are_round() {
        let of = |low, high| labels(Scale::Linear, low, high);
        assert_eq!(
            of(1e6, 1e7),
            (
                ["0", "2", "4", "6", "8", "10"].map(String::from).to_vec(),
                6
            )
        );
        assert_eq!(of(0.0, 1.0).0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(of(3.0, 18.4).0, ["0", "5", "10", "15", "20"]);
        assert_eq!(of(-1.0, 1.0).0, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(of(0.0, 0.004).1, -3);
        assert_eq!(of(5.0, 5.0).0.len(), 7);
        assert_eq!(of(0.0, 0.0).0.len(), 5);
    }

    #[test]
    fn powers_are_thinned_and_near_ones_split() {
        let of = |scale, low, high| labels(scale, low, high).0;
        assert_eq!(
            of(Scale::Log2, 65536.0, 67_108_864.0),
            ["2^16", "2^18", "2^20", "2^22", "2^24", "2^26"]
        );
        assert_eq!(
            of(Scale::Log2, 1.0, 32.0),
            ["2^0", "2^1", "2^2", "2^3", "2^4", "2^5"]
        );
        assert_eq!(of(Scale::Log10, 1.0, 1e6), ["10^0", "10^2", "10^4", "10^6"]);
        assert_eq!(of(Scale::Log10, 0.27, 66.0), ["1", "10", "100"]);
        assert_eq!(of(Scale::Log10, 2.0, 7.0), ["1", "2", "5", "10"]);
        assert_eq!(of(Scale::Log10, 0.26, 0.45), ["0.3", "0.5", "0.7", "1"]);
        assert_eq!(
            of(Scale::Log10, 2e5, 7e5),
            ["10^5", "2·10^5", "5·10^5", "10^6"]
        );
        assert!(!of(Scale::Log10, 5.0, 5.0).is_empty());
        // No power and no round multiple lies between these.
        assert_eq!(
            of(Scale::Log10, 0.26, 0.2788),
            ["0.260", "0.265", "0.270", "0.275"]
        );
    }
}
