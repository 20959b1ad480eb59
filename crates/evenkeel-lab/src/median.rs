//! The median, which all measurements here give of several runs.

/// The middle value; of two middle ones their mean. None of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// The value that this share (0 to 1) of all does not exceed; of sorted values with how many there are of each. 0 of nothing.
pub fn quantile_of(sorted: &[(u64, u64)], quantile: f64) -> u64 {
    let total: u64 = sorted.iter().map(|(_, count)| count).sum();
    let wanted = ((total as f64 * quantile).ceil() as u64).max(1);
    let mut seen = 0;
    for (value, count) in sorted {
        seen += count;
        if seen >= wanted {
            return *value;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_count_each_value_as_often_as_it_is_there() {
        let sorted = [(1, 90), (5, 9), (7, 1)];
        assert_eq!([0.5, 0.9, 0.91, 0.99, 0.999, 1.0].map(|q| quantile_of(&sorted, q)), [1, 1, 5, 5, 7, 7]);
        assert_eq!(quantile_of(&[], 0.5), 0);
    }

    #[test]
    fn it_lies_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
