//! The style of a series: colour, dashes and marker together.

/// The shape at the points of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Plus,
}

/// The look of one series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    /// Red, green, blue: dark enough on white, and distinct for most colour-blind readers (the palette of
    /// Okabe and Ito, its yellow darkened).
    pub(super) colour: (u8, u8, u8),
    /// Lengths of dashes and gaps in pixels; empty for a solid line.
    pub(super) dashes: &'static [f64],
    pub(super) marker: Marker,
    /// True if the marker is filled.
    pub(super) is_filled: bool,
    /// A character for the terminal.
    pub(super) letter: char,
}

const STYLES: [Style; 6] = [
    Style {
        colour: (0, 0, 0),
        dashes: &[],
        marker: Marker::Circle,
        is_filled: true,
        letter: '●',
    },
    Style {
        colour: (0, 114, 178),
        dashes: &[6.0, 3.0],
        marker: Marker::Square,
        is_filled: false,
        letter: '□',
    },
    Style {
        colour: (213, 94, 0),
        dashes: &[2.0, 2.0],
        marker: Marker::Triangle,
        is_filled: true,
        letter: '▲',
    },
    Style {
        colour: (0, 128, 94),
        dashes: &[8.0, 3.0, 2.0, 3.0],
        marker: Marker::Diamond,
        is_filled: false,
        letter: '◇',
    },
    Style {
        colour: (170, 60, 130),
        dashes: &[10.0, 4.0],
        marker: Marker::Cross,
        is_filled: false,
        letter: 'x',
    },
    Style {
        colour: (140, 109, 0),
        dashes: &[4.0, 2.0, 1.0, 2.0, 1.0, 2.0],
        marker: Marker::Plus,
        is_filled: false,
        letter: '+',
    },
];

/// The style of a series by index. After six the colours repeat with other markers; 36 combinations are
/// distinct.
pub(super) fn style(place: usize) -> Style {
    let base = STYLES[place % STYLES.len()];
    let turn = place / STYLES.len();
    let other = STYLES[(place + turn) % STYLES.len()];
    Style {
        marker: other.marker,
        is_filled: other.is_filled != (turn % 2 == 1),
        letter: other.letter,
        ..base
    }
}

/// The colour of an area: that of its series, mixed with white, and each lighter than the one before.
pub(super) fn light(place: usize) -> (u8, u8, u8) {
    let share = [0.45, 0.6, 0.8][place % 3];
    let (red, green, blue) = style(place).colour;
    let mixed = |part: u8| (255.0 * share + f64::from(part) * (1.0 - share)).round() as u8;
    (mixed(red), mixed(green), mixed(blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_six_series_differ_without_colour() {
        let grey = |place| {
            let style = style(place);
            (
                style.dashes.len(),
                style.marker as u8,
                style.dashes.first().map(|d| *d as u8),
            )
        };
        for one in 0..36 {
            for other in 0..one {
                assert_ne!(grey(one), grey(other), "{one} {other}");
            }
        }
    }
}
