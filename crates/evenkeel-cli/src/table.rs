//! Query results as text: aligned as psql prints them, or comma-separated.
//!
//! It must not know where rows come from.

use std::io::{self, Write};

/// A whole result, as text. None: NULL.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub headings: Vec<String>,
    /// Numbers stand to the right.
    pub right: Vec<bool>,
    pub rows: Vec<Vec<Option<String>>>,
}

impl Table {
    /// As psql does by default.
    pub fn write_aligned(&self, out: &mut impl Write, tuples_only: bool) -> io::Result<()> {
        let mut widths: Vec<usize> =
            self.headings.iter().map(|h| if tuples_only { 0 } else { width(h) }).collect();
        for row in &self.rows {
            for (w, value) in widths.iter_mut().zip(row) {
                *w = (*w).max(value.as_deref().unwrap_or("").split('\n').map(width).max().unwrap_or(0));
            }
        }
        if !tuples_only {
            let cells: Vec<String> =
                self.headings.iter().zip(&widths).map(|(h, &w)| centered(h, w)).collect();
            writeln!(out, " {} ", cells.join(" | "))?;
            let rules: Vec<String> = widths.iter().map(|w| "-".repeat(w + 2)).collect();
            writeln!(out, "{}", rules.join("+"))?;
        }
        for row in &self.rows {
            self.write_row(out, row, &widths)?;
        }
        if !tuples_only {
            match self.rows.len() {
                1 => writeln!(out, "(1 row)")?,
                n => writeln!(out, "({n} rows)")?,
            }
        }
        writeln!(out)
    }

    /// A row takes as many lines as its longest value; `+` marks one that goes on.
    fn write_row(&self, out: &mut impl Write, row: &[Option<String>], widths: &[usize]) -> io::Result<()> {
        let lines: Vec<Vec<&str>> =
            row.iter().map(|v| v.as_deref().unwrap_or("").split('\n').collect()).collect();
        for n in 0..lines.iter().map(Vec::len).max().unwrap_or(1) {
            let mut text = String::new();
            for (i, value) in lines.iter().enumerate() {
                let line = value.get(n).copied().unwrap_or("");
                let padding = " ".repeat(widths[i].saturating_sub(width(line)));
                let (before, after) =
                    if self.right[i] { (padding.as_str(), "") } else { ("", padding.as_str()) };
                let mark = if n + 1 < value.len() { '+' } else { ' ' };
                text.push_str(if i == 0 { " " } else { "| " });
                text.push_str(&format!("{before}{line}{after}{mark}"));
            }
            writeln!(out, "{}", text.trim_end_matches(' '))?;
        }
        Ok(())
    }

    /// As `psql --csv` does.
    pub fn write_csv(&self, out: &mut impl Write, tuples_only: bool) -> io::Result<()> {
        if !tuples_only {
            let headings: Vec<String> = self.headings.iter().map(|h| quoted(h)).collect();
            writeln!(out, "{}", headings.join(","))?;
        }
        for row in &self.rows {
            let values: Vec<String> =
                row.iter().map(|v| v.as_deref().map(quoted).unwrap_or_default()).collect();
            writeln!(out, "{}", values.join(","))?;
        }
        Ok(())
    }
}

fn width(s: &str) -> usize {
    s.chars().count()
}

fn centered(s: &str, to: usize) -> String {
    let missing = to.saturating_sub(width(s));
    format!("{}{s}{}", " ".repeat(missing / 2), " ".repeat(missing - missing / 2))
}

fn quoted(s: &str) -> String {
    if s.is_empty() || s.contains([',', '"', '\n', '\r']) || s == "\\." {
        format!("\"{}\"", s.replace('"', "\"\""))
    } else {
        s.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let some = |s: &str| Some(s.to_string());
        Table {
            headings: vec!["n".into(), "text".into()],
            right: vec![true, false],
            rows: vec![vec![some("1"), some("a\nlonger, line")], vec![some("20"), None]],
        }
    }

    fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn results_look_as_in_psql() {
        let expected = " n  |     text     \n\
                        ----+--------------\n  \
                        1 | a           +\n    \
                        | longer, line\n \
                        20 |\n\
                        (2 rows)\n\n";
        assert_eq!(text(|out| table().write_aligned(out, false)), expected);
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        assert_eq!(text(|out| table().write_csv(out, false)), "n,text\n1,\"a\nlonger, line\"\n20,\n");
        assert_eq!(text(|out| table().write_csv(out, true)), "1,\"a\nlonger, line\"\n20,\n");
    }
}
