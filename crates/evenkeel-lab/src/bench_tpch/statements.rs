//! Statements instead of the queries: those of a file, or the shapes that come with the lab.
//!
//! It must not know how they are run.

/// Shapes of statements over the tables, one a line.
pub const SHAPES: &str = include_str!("shapes.sql");

/// The statements of a text: one a line, without lines that are empty or begin with `--`.
pub fn of_text(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("--"));
    lines.map(|l| l.trim_end_matches(';').to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_statement() {
        assert_eq!(of_text("-- a\n\n select 1;\n  -- b\nselect 2\n"), ["select 1", "select 2"]);
        let all = of_text(SHAPES);
        assert!(all.len() > 100 && all.iter().all(|s| !s.contains(';')));
    }
}
