//! Which system catalogs are made for the relations that are asked for alone: clients look at one table after the other, and ask of each by its OID or name.
//!
//! Invariants:
//! 1. What is left out has another value in the column that is asked about. What is made may have more rows: the condition is asked of them all the same.
//!
//! Must not know: expressions, how conditions are found.

use super::VirtualTable;
use crate::catalog::Catalog;
use evenkeel_types::Datum;

/// Columns that say whose relation a row is.
const RELATIONS: [(u32, &str); 6] = [
    (1259, "oid"),
    (1249, "attrelid"),
    (2610, "indrelid"),
    (2610, "indexrelid"),
    (2606, "conrelid"),
    (2604, "adrelid"),
];
/// `pg_class`, whose rows are asked for by name, too.
const CLASSES: u32 = 1259;

/// Whether rows of a catalog that have a value in this column can be made alone.
pub fn can_be_asked(table: &VirtualTable, column: usize) -> bool {
    let Some((name, _)) = table.columns.get(column) else { return false };
    RELATIONS.contains(&(table.oid, name)) || (table.oid, *name) == (CLASSES, "relname")
}

/// The relations whose rows may have a value in such a column; None: that is not known.
pub fn relations_of(
    table: &VirtualTable,
    column: usize,
    value: &Datum,
    catalog: &Catalog,
) -> Option<Vec<u32>> {
    let (name, _) = table.columns.get(column)?;
    match value {
        Datum::Text(value) if *name == "relname" => {
            let mut found = catalog.relations_named(value);
            found.extend(super::all().iter().filter(|v| v.name == &**value).map(|v| v.oid));
            Some(found)
        }
        Datum::Oid(oid) if *name != "relname" => Some(vec![*oid]),
        _ => None,
    }
}
