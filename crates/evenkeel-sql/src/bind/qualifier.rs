//! Names of relations in front of columns: `t.a`, and `s.t.a`, which tells relations of one name in several schemas apart.
//!
//! Invariants
//! 1. Two relations of a level have the same name only if both stand there without an alias, and are not the same one.
//!
//! Must not know: where else names stand.

use super::expr::is_star;
use super::{Binder, Frame, RelInfo, Typed, ident};
use crate::parse::cursor::{Of, of_another_database, qualified};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::lookup_functions;
use evenkeel_types::user::is_database;
use sqlparser::ast;
use sqlparser::tokenizer::{Location, Span};

/// What stands in front of a column's name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Qualifier<'q> {
    /// The relation's name, or its alias.
    pub name: &'q str,
    /// Where a schema stands in front of that, the relation.
    pub relation: Option<u32>,
}

impl<'q> Qualifier<'q> {
    /// A name without a schema.
    pub fn bare(name: &'q str) -> Qualifier<'q> {
        Qualifier { name, relation: None }
    }

    fn names(&self, r: &RelInfo) -> bool {
        r.alias == self.name && self.relation.is_none_or(|oid| r.relation == Some(oid))
    }

    /// The relation of a level that is meant, if it has one.
    pub fn of<'r>(&self, rels: &'r [RelInfo]) -> Result<Option<&'r RelInfo>, SqlError> {
        let mut found = rels.iter().filter(|r| self.names(r));
        let first = found.next();
        if first.is_some_and(|r| r.relation.is_some()) && found.any(|r| r.relation.is_some()) {
            let why = format!("table reference \"{}\" is ambiguous", self.name);
            return Err(SqlError::new(SqlState::AMBIGUOUS_ALIAS, why));
        }
        Ok(first)
    }
}

impl Binder<'_> {
    /// The relation that is meant, of the innermost level that has it, and that level.
    pub(crate) fn relation_meant(
        &self,
        q: Qualifier<'_>,
        at: Location,
    ) -> Result<Option<(usize, &RelInfo)>, SqlError> {
        for (depth, frame) in self.frames.iter().enumerate().rev() {
            let visible = &frame.rels[frame.visible_from.0.min(frame.rels.len())..];
            if let Some(rel) = q.of(visible).map_err(|e| self.at(e, at))? {
                return Ok(Some((depth, rel)));
            }
        }
        Ok(None)
    }

    /// A column with what stands in front of it, or all of them: the row.
    pub(super) fn compound(&mut self, parts: &[ast::Ident]) -> Result<Typed, SqlError> {
        let names: Vec<String> = parts.iter().map(ident).collect();
        let at = parts.first().map_or(Location { line: 0, column: 0 }, |i| i.span.start);
        self.check_database(&names).map_err(|e| self.at(e, at))?;
        let of = self.qualifier(&names, at)?;
        if let [first, .., last, _] = parts {
            self.capture_qualifier(of, Span { start: at, end: last.span.end.max(first.span.end) })?;
        } else if let [first, _] = parts {
            self.capture_qualifier(of, first.span)?;
        }
        match (parts.last(), names.last()) {
            (Some(star), _) if is_star(star) => self.whole_row(of, at),
            (_, Some(column)) => match self.column(Some(of), column, at) {
                // `t.f` may be what a function makes of the row.
                Err(e) if e.code == SqlState::UNDEFINED_COLUMN && !lookup_functions(column).is_empty() => {
                    let made = self.whole_row(of, at).and_then(|row| self.called_on(row, column));
                    made.map_err(|_| e)
                }
                found => found,
            },
            _ => Err(SqlError::internal("compound identifier")),
        }
    }

    /// What stands in front of the last of these names.
    pub(super) fn qualifier<'q>(&self, names: &'q [String], at: Location) -> Result<Qualifier<'q>, SqlError> {
        match names {
            [q, _] => Ok(Qualifier::bare(q)),
            [.., s, q, _] => Ok(Qualifier { name: q, relation: self.of_schema(s, q, at)? }),
            _ => Err(SqlError::internal("a name without a qualifier")),
        }
    }

    /// Of `schema.table`, the relation, where one stands in FROM by that name alone. Fails if what has the name is not the schema's.
    pub(crate) fn of_schema(&self, schema: &str, table: &str, at: Location) -> Result<Option<u32>, SqlError> {
        if self.stored.is_some() {
            return Ok(None); // it was so when the query was written
        }
        let mut rels = self.frames.iter().rev().flat_map(|f| &f.rels).filter(|r| r.alias == table);
        let Some(first) = rels.next() else { return Ok(None) };
        let found = self.catalog.resolve(Some(schema), table, self.search_path).ok().flatten();
        let found = found.map(|f| f.oid());
        if first.relation == found || rels.any(|r| r.relation == found) {
            return Ok(found);
        }
        let oid = first.columns.first().map_or(0, |c| c.table_oid);
        if found.is_some_and(|f| oid == 0 || f == oid) {
            return Ok(None);
        }
        let e = SqlError::new(
            SqlState::UNDEFINED_TABLE,
            format!("invalid reference to FROM-clause entry for table \"{table}\""),
        )
        .with_detail(format!(
            "There is an entry for table \"{table}\", but it cannot be referenced from this part of the query."
        ));
        Err(self.at(e, at))
    }

    /// No relation of a FROM clause has this name.
    pub(crate) fn no_alias(&self, name: &str) -> SqlError {
        if let Some(hidden) = self.hidden_relation(name) {
            let why = format!("invalid reference to FROM-clause entry for table \"{name}\"");
            let e = SqlError::new(SqlState::UNDEFINED_TABLE, why).with_detail(format!(
                "There is an entry for table \"{}\", but it cannot be referenced from this part of the query.",
                hidden.alias
            ));
            return self.if_lateral(e, hidden, "table");
        }
        match self.alias_of(name) {
            Some(alias) => SqlError::new(
                SqlState::UNDEFINED_TABLE,
                format!("invalid reference to FROM-clause entry for table \"{name}\""),
            )
            .with_hint(format!("Perhaps you meant to reference the table alias \"{alias}\".")),
            None => SqlError::new(
                SqlState::UNDEFINED_TABLE,
                format!("missing FROM-clause entry for table \"{name}\""),
            ),
        }
    }

    /// Refuses the name of a column, or `*`, that is of another database. A stored query is copied with its database.
    pub(crate) fn check_database(&self, names: &[String]) -> Result<(), SqlError> {
        match names {
            [_, _, _, _, _, ..] => qualified(names.to_vec(), Of::Other).map(|_| ()),
            [database, _, _, _] if self.stored.is_none() && !is_database(database) => {
                Err(of_another_database(&names.join("."), Of::Other))
            }
            _ => Ok(()),
        }
    }

    fn alias_of(&self, name: &str) -> Option<&str> {
        self.frames
            .iter()
            .flat_map(|f| &f.rels)
            .find(|r| r.name == name && !r.alias.is_empty())
            .map(|r| r.alias.as_str())
    }

    /// Whether a relation of a name is one that can be named here.
    pub(super) fn can_be_named(&self, alias: &str) -> bool {
        let visible = |f: &Frame| f.visible_from.0.min(f.rels.len());
        self.frames.iter().any(|f| f.rels[visible(f)..].iter().any(|r| r.alias == alias))
    }
}
