//! A column that is not there: which ones may have been meant.
//!
//! Invariants:
//! 1. Distances are PostgreSQL's: of names more than half of whose bytes differ nothing is said, nor of more than two that are as close as each other.
//!
//! Must not know: how names are resolved.

use super::{Binder, Frame, RelInfo};
use evenkeel_types::error::{SqlError, SqlState};

/// Names that are further away are not meant.
const FURTHEST: usize = 3;

/// Characters to put in, to take out or to replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (n, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], n + 1);
        for (m, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[m + 1];
            row[m + 1] = replaced.min(diagonal + 1).min(row[m] + 1);
        }
    }
    row[b.len()]
}

/// The closest names so far, by the relations that they are of.
struct Closest<'r> {
    distance: usize,
    names: Vec<(&'r str, &'r str)>,
}

impl<'r> Closest<'r> {
    fn look(&mut self, (relation, column): (&'r str, &'r str), penalty: usize, name: &str) {
        let own = distance(column, name);
        if penalty > self.distance || own > name.len() / 2 {
            return;
        }
        let own = own + penalty;
        if own < self.distance {
            (self.distance, self.names) = (own, vec![(relation, column)]);
        } else if own == self.distance && own <= FURTHEST {
            self.names.push((relation, column));
            if self.names.len() > 2 {
                self.names.clear();
                self.distance = own.saturating_sub(1);
            }
        }
    }
}

impl Binder<'_> {
    /// A name is that of no column that can be named here.
    pub(super) fn missing_column(&self, qualifier: Option<&str>, name: &str) -> SqlError {
        let why = match qualifier {
            Some(q) => format!("column {q}.{name} does not exist"),
            None => format!("column \"{name}\" does not exist"),
        };
        let e = SqlError::new(SqlState::UNDEFINED_COLUMN, why);
        // Versions of a row are no relations of their own.
        let is_it = |r: &&RelInfo| r.version.is_none() && !r.alias.is_empty();
        let rels = self.frames.iter().rev().flat_map(|f| f.rels.iter().chain(&f.hidden).filter(is_it));
        let mut closest = Closest { distance: FURTHEST + 1, names: Vec::new() };
        let mut hidden = Vec::new();
        for r in rels {
            let penalty = qualifier.map_or(0, |q| distance(q, &r.alias).min(FURTHEST + 1));
            if penalty == 0 && r.columns.iter().any(|c| c.name == name) {
                hidden.push(r);
            }
            r.columns.iter().for_each(|c| closest.look((&r.alias, &c.name), penalty, name));
        }
        let about = "that cannot be referenced from this part of the query.";
        match (&hidden[..], &closest.names[..]) {
            ([one], _) => {
                let e = e.with_detail(format!(
                    "There is a column named \"{name}\" in table \"{}\", but it cannot be referenced from this part of the query.",
                    one.alias
                ));
                self.if_lateral(e, one, "column")
            }
            ([_, _, ..], _) => {
                let e = e.with_detail(format!(
                    "There are columns named \"{name}\", but they are in tables {about}"
                ));
                if qualifier.is_none() { e.with_hint("Try using a table-qualified name.") } else { e }
            }
            (_, [(of, column)]) => {
                e.with_hint(format!("Perhaps you meant to reference the column \"{of}.{column}\"."))
            }
            (_, [(a, x), (b, y)]) => e.with_hint(format!(
                "Perhaps you meant to reference the column \"{a}.{x}\" or the column \"{b}.{y}\"."
            )),
            _ => e,
        }
    }
}

impl Binder<'_> {
    /// The relation of a name that cannot be named here: a subquery of FROM says no LATERAL, or a join is of others.
    pub(super) fn hidden_relation(&self, name: &str) -> Option<&RelInfo> {
        let of_join = |f: &Frame| f.visible_from.0.min(f.rels.len());
        let hidden =
            || self.frames.iter().rev().flat_map(move |f| f.hidden.iter().chain(&f.rels[..of_join(f)]));
        hidden()
            .find(|r| r.alias == name)
            .or_else(|| hidden().find(|r| r.name == name && !r.alias.is_empty()))
    }

    /// What cannot be named could be with LATERAL, unless it is what the statement changes, or the join is none for that.
    pub(super) fn if_lateral(&self, e: SqlError, hidden: &RelInfo, what: &str) -> SqlError {
        let may = self.frames.iter().any(|f| {
            let at = f.hidden.iter().position(|r| std::ptr::eq(r, hidden));
            // What has no columns is the row that ON CONFLICT excludes.
            let is_there = !hidden.columns.is_empty();
            at.is_some_and(|at| is_there && at >= f.not_lateral && !f.barred.contains(&at))
        });
        let hint = format!("To reference that {what}, you must mark this subquery with LATERAL.");
        if may { e.with_hint(hint) } else { e }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_characters() {
        for (a, b, want) in
            [("", "abc", 3), ("kitten", "sitting", 3), ("größe", "grösse", 2), ("id", "id", 0)]
        {
            assert_eq!(distance(a, b), want, "{a} {b}");
            assert_eq!(distance(b, a), want, "{b} {a}");
        }
    }
}
