//! What tables keep as text that names a type: defaults, computed columns, checks and indexes go with it, or keep it.
//!
//! Invariants:
//! 1. What goes with a column of the type is none of these: it is not told of beside the column.
//!
//! Must not know: what else uses a type.

use crate::catalog::locks::TableLockMode;
use crate::catalog::{Catalog, Table, UserType};
use crate::session::Session;
use evenkeel_types::error::SqlError;
use std::sync::Arc;

/// Where such a text stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// The default of a column, or what computes it.
    Column(usize),
    /// A check, by its OID.
    Check(u32),
    /// An index, by its OID.
    Index(u32),
}

/// A text of a table.
pub(super) struct Naming {
    pub table: Arc<Table>,
    pub place: Place,
}

impl Naming {
    /// What it is, as messages have it.
    pub fn told(&self) -> String {
        let t = &self.table;
        match self.place {
            Place::Column(n) => {
                let of = if t.columns[n].generated.is_some() { "column" } else { "default value for column" };
                format!("{of} {} of table {}", t.columns[n].name, t.name)
            }
            Place::Check(oid) => {
                let name = t.checks.iter().find(|c| c.oid == oid).map_or("?", |c| &c.name);
                format!("constraint {name} on table {}", t.name)
            }
            Place::Index(oid) => {
                format!("index {}", t.indexes.iter().find(|i| i.oid == oid).map_or("?", |i| &i.name))
            }
        }
    }
}

impl Session {
    /// All that name a type, but for those that go with columns of it: `columns` (1).
    pub(super) fn texts_naming(&self, t: &UserType, columns: &[(Arc<Table>, usize)]) -> Vec<Naming> {
        let names = |text: &str| Catalog::text_has_type(text, t.oid);
        let of_table = |table: &Arc<Table>| {
            let goes = |c: usize| columns.iter().any(|(of, n)| of.oid == table.oid && *n == c);
            let of_columns = table.live_columns().filter(|(n, c)| {
                (c.generated.is_some() || !goes(*n)) && c.default.as_deref().is_some_and(names)
            });
            let checks =
                table.checks.iter().filter(|c| names(&c.expr) && !c.columns.iter().any(|c| goes(*c)));
            let indexes = table.indexes.iter().filter(|i| {
                let texts = i.extra.expressions.iter().map(|e| &e.text).chain(&i.extra.predicate);
                texts.into_iter().any(|text| names(text)) && !i.reads_any(goes)
            });
            let places = of_columns.map(|(n, _)| Place::Column(n));
            let places = places.chain(checks.map(|c| Place::Check(c.oid)));
            places.chain(indexes.map(|i| Place::Index(i.oid))).collect::<Vec<_>>()
        };
        let naming = |table: &Arc<Table>| {
            of_table(table)
                .into_iter()
                .map(|place| Naming { table: table.clone(), place })
                .collect::<Vec<_>>()
        };
        self.catalog.tables().flat_map(naming).collect()
    }

    /// Drops what they are of.
    pub(super) fn drop_texts(&mut self, of: &[Naming]) -> Result<(), SqlError> {
        for Naming { table, place } in of {
            self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
            self.refresh_catalog();
            let Some(now) = self.catalog.table(table.oid).cloned() else { continue };
            let mut changed = (*now).clone();
            self.begin_definition()?;
            match place {
                Place::Column(n) if now.columns[*n].generated.is_some() => {
                    let name = now.columns[*n].name.clone();
                    self.drop_column(&mut changed, &name, false, true)?;
                }
                Place::Column(n) => {
                    changed.columns[*n].default = None;
                    self.put_table(changed)?;
                }
                Place::Check(oid) => {
                    changed.checks.retain(|c| c.oid != *oid);
                    self.put_table(changed)?;
                }
                Place::Index(oid) => drop(self.remove_index(&now, *oid, true)?),
            }
        }
        Ok(())
    }
}
