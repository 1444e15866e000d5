//! Numbers in a readable form.

use crate::number::Rational;

pub(super) use crate::number::grouped;

/// A time given in milliseconds, in four figures and the unit that suits it.
pub(super) fn duration(millis: &Rational) -> String {
    duration_of(millis.to_f64())
}

/// Like [`duration`], for a double.
pub(super) fn duration_of(millis: f64) -> String {
    let size = millis.abs();
    match size {
        _ if size == 0.0 => "0 ms".to_owned(),
        _ if size < 1e-3 => format!("{} ns", four_figures(millis * 1e6)),
        _ if size < 1.0 => format!("{} µs", four_figures(millis * 1e3)),
        _ if size < 1e3 => format!("{} ms", four_figures(millis)),
        _ if size.is_infinite() => "over 10^305 s".to_owned(),
        _ => format!("{} s", four_figures(millis / 1e3)),
    }
}

/// A fraction in percent.
pub(super) fn percent(share: &Rational) -> String {
    format!("{:.1}%", share.to_f64() * 100.0)
}

/// At least four significant figures, and never an exponent below 10^15.
fn four_figures(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 1e15 => format!("{value:.3e}"),
        _ if size >= 1e3 => format!("{value:.0}"),
        _ if size >= 1e2 => format!("{value:.1}"),
        _ if size >= 1e1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_choose_their_unit() {
        assert_eq!(duration_of(0.0), "0 ms");
        assert_eq!(duration_of(0.000_012_34), "12.34 ns");
        assert_eq!(duration_of(0.298_7), "298.7 µs");
        assert_eq!(duration_of(5.4321), "5.432 ms");
        assert_eq!(duration_of(12_345.0), "12.35 s");
        assert_eq!(duration_of(1e7), "10000 s");
    }
}
