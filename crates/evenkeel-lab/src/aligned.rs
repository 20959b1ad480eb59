//! Rows of text as aligned columns.
//!
//! It must not know what they say.

/// A line for each row, columns two blanks apart, to the left where `left` says so of a column's number, else to the right. No blanks at the ends.
pub fn aligned<S: AsRef<str>>(rows: &[Vec<S>], left: impl Fn(usize) -> bool) -> Vec<String> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.as_ref().chars().count());
        }
    }
    let line = |row: &Vec<S>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(c, (cell, &width))| {
            let text = cell.as_ref();
            if left(c) { format!("{text:<width$}") } else { format!("{text:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_longest_cell() {
        let rows = [vec!["a", "tps", ""], vec!["± two", "1", "x"], vec!["b"]];
        assert_eq!(aligned(&rows, |c| c == 0), ["a      tps", "± two    1  x", "b"]);
    }
}
