//! Reduces a curve with very many points to one that looks the same. Of all points in one column the first,
//! the lowest, the highest and the last are kept.

/// A curve with more points is thinned.
pub(super) const MOST_POINTS: usize = 2000;

/// Returns the points to draw. `place` gives the position of an x value from 0 to 1.
pub(super) fn thin(points: &[(f64, f64)], place: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let columns = (MOST_POINTS / 4) as f64;
    let column = |point: &(f64, f64)| libm::floor(place(point.0) * columns) as i64;
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for group in points.chunk_by(|one, other| column(one) == column(other)) {
        let by_height = |one: &&(usize, &(f64, f64)), other: &&(usize, &(f64, f64))| {
            one.1.1.total_cmp(&other.1.1)
        };
        let numbered: Vec<(usize, &(f64, f64))> = group.iter().enumerate().collect();
        let lowest = numbered.iter().min_by(by_height).map_or(0, |found| found.0);
        let highest = numbered.iter().max_by(by_height).map_or(0, |found| found.0);
        let mut places = vec![0, lowest, highest, group.len() - 1];
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| group[place]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_peaks_stay() {
        let points: Vec<(f64, f64)> = (0..100_000)
            .map(|x| {
                (
                    f64::from(x),
                    if x == 54_321 { 9.0 } else { f64::from(x % 2) },
                )
            })
            .collect();
        let kept = thin(&points, |x| x / 1e5);
        assert!(kept.len() <= MOST_POINTS + 4, "{}", kept.len());
        assert_eq!(kept.first(), points.first());
        assert_eq!(kept.last(), points.last());
        assert!(kept.contains(&(54_321.0, 9.0)));
        assert!(kept.is_sorted_by(|one, other| one.0 < other.0));
        assert_eq!(thin(&points[..50], |x| x), points[..50]);
    }
}
