//! Text widths in DejaVu Sans, so that legends and margins fit. Its close relative Verdana has the same
//! widths.

/// Widths of the characters from space to `~`, in 1/2048 of the size.
const ASCII: [u16; 95] = [
    651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048,
    1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604, 604, 1343, 1141, 1767, 1532, 1612, 1235,
    1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799, 690, 799, 1716, 1024, 1024,
    1255, 1300, 1126, 1300, 1260, 721, 1300, 1298, 569, 569, 1186, 569, 1995, 1298, 1253, 1300,
    1300, 842, 1067, 803, 1298, 1212, 1675, 1212, 1212, 1075, 1303, 690, 1303, 1716,
];

/// The width of a text at this font size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let units: u32 = text
        .chars()
        .map(|letter| match letter {
            ' '..='~' => u32::from(ASCII[letter as usize - 32]),
            '·' => 651,
            '′' => 465,
            'ℓ' => 846,
            '−' | '×' => 1716,
            'α'..='ω' => 1300,
            // An overestimate, so that unknown characters fit.
            _ => 1500,
        })
        .sum();
    f64::from(units) / 2048.0 * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up() {
        assert_eq!(width("", 11.0), 0.0);
        assert_eq!(width(" ~", 2048.0), 651.0 + 1716.0);
        assert_eq!(width("MM", 1024.0), 1767.0);
        assert!(width("n (×10⁶)", 11.0) > width("n (10)", 11.0));
    }
}
