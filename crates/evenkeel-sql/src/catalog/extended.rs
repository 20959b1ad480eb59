//! CREATE STATISTICS: which columns of a table have something to do with one another. It is kept with the table, to be shown and dumped; nothing is gathered of it,
//! and the planner does without.
//!
//! Invariants:
//! 1. Columns are in the order of the table, and none is dropped.
//! 2. It is in the schema of its table, and its table's owner owns it.
//!
//! Must not know: how it is stored.

use super::{Catalog, Table};
use evenkeel_types::quote_ident;
use std::sync::Arc;

/// One statistics object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendedStatistics {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// Which of [`KINDS`], as bits.
    pub kinds: u8,
    /// Positions of its columns.
    pub columns: Vec<usize>,
    /// SET STATISTICS.
    pub target: Option<u16>,
}

/// What may be gathered: how it is written, and its letter in `pg_statistic_ext`.
pub const KINDS: [(&str, &str); 3] = [("ndistinct", "d"), ("dependencies", "f"), ("mcv", "m")];
/// All of them.
pub const ALL_KINDS: u8 = 7;

impl ExtendedStatistics {
    /// Its kinds: how they are written, and their letters.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        KINDS.into_iter().enumerate().filter(|(n, _)| self.kinds & 1 << n != 0).map(|(_, kind)| kind)
    }

    /// `a, b`
    pub fn column_list(&self, table: &Table) -> String {
        let names = self.columns.iter().filter_map(|n| table.columns.get(*n)).map(|c| quote_ident(&c.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The statement that makes it.
    pub fn definition(&self, catalog: &Catalog, table: &Table, path: &[u32]) -> String {
        let schema = catalog.schema(table.schema).map(|s| quote_ident(&s.name)).unwrap_or_default();
        let kinds: Vec<&str> = self.kinds().map(|(word, _)| word).collect();
        let kinds = if self.kinds == ALL_KINDS { String::new() } else { format!(" ({})", kinds.join(", ")) };
        let found = catalog.resolve(None, &table.name, path).ok().flatten();
        let of = match found.is_some_and(|f| f.oid() == table.oid) {
            true => quote_ident(&table.name),
            false => format!("{schema}.{}", quote_ident(&table.name)),
        };
        let (name, columns) = (quote_ident(&self.name), self.column_list(table));
        format!("CREATE STATISTICS {schema}.{name}{kinds} ON {columns} FROM {of}")
    }
}

impl Catalog {
    /// All of them, with their tables.
    pub fn extended_statistics(&self) -> impl Iterator<Item = (&Arc<Table>, &ExtendedStatistics)> {
        self.tables().flat_map(|t| t.statistics.iter().map(move |s| (t, s)))
    }

    /// One by its OID.
    pub fn extended_statistics_of(&self, oid: u32) -> Option<(&Arc<Table>, &ExtendedStatistics)> {
        self.extended_statistics().find(|(_, s)| s.oid == oid)
    }

    /// One in a schema.
    pub fn extended_statistics_in(
        &self,
        schema: u32,
        name: &str,
    ) -> Option<(&Arc<Table>, &ExtendedStatistics)> {
        self.extended_statistics().find(|(t, s)| t.schema == schema && s.name == name)
    }

    /// One by its name.
    pub fn extended_statistics_named(
        &self,
        schema: Option<&str>,
        name: &str,
        path: &[u32],
    ) -> Option<(&Arc<Table>, &ExtendedStatistics)> {
        match schema {
            None => path.iter().find_map(|s| self.extended_statistics_in(*s, name)),
            Some(s) => self.extended_statistics_in(self.schema_named(s)?.oid, name),
        }
    }
}
