//! Transactions that only a server has which is to follow another one, for people: what they changed, and what the rows were in the end.
//!
//! Must not know: why they are to be lost.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use evenkeel::restore::utc;
use evenkeel::{Database, Diverged, TreeId, TxnOptions};

use crate::catalog::store::{CATALOG_TREE, CatalogStore};
use crate::catalog::{Catalog, DATABASE_OID, Table};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;
use evenkeel_types::{Datum, FormatOptions, decode_rowid, output_text};

/// Writes them down, a line for each transaction and each row. Gives the number of rows.
pub fn export(db: &Database, transactions: &[Diverged], out: &mut dyn Write) -> Result<u64, SqlError> {
    let catalogs: Vec<_> = CatalogStore::open(db)?.parts().iter().map(|p| p.current()).collect();
    let all = catalogs.iter().flat_map(|c| c.tables().map(move |t| (t.heap.tree, (c, t))));
    let tables: HashMap<TreeId, (&Arc<Catalog>, &Arc<Table>)> = all.collect();
    let mut txn = db.begin(TxnOptions::default());
    txn.begin_statement();
    let (mut rows, mut row) = (0, Vec::new());
    let wrote = |e: std::io::Error| SqlError::new(SqlState::IO_ERROR, e.to_string());
    let head = "# Transactions that only this server had committed, with the rows that they changed as these were in the end.";
    writeln!(out, "{head}").map_err(wrote)?;
    for t in transactions {
        writeln!(out, "transaction {} committed at {} ({})", t.id, t.commit, utc(t.time_ms))
            .map_err(wrote)?;
        for (tree, key) in &t.rows {
            if *tree == CATALOG_TREE {
                writeln!(out, "  a definition, a sequence or what is shown beside them").map_err(wrote)?;
                continue;
            }
            // Entries of indexes say nothing that their rows do not; of a table that is gone there is nothing to say.
            let Some((catalog, table)) = tables.get(tree) else { continue };
            rows += 1;
            let schema = catalog.schema(table.schema).map_or("?", |s| s.name.as_str());
            let mut name = format!("{}.{}", quote_ident(schema), quote_ident(&table.name));
            if catalog.database != DATABASE_OID {
                name = format!("{}.{name}", quote_ident(catalog.database_name()));
            }
            let id = decode_rowid(key)?;
            let text = match txn.get(*tree, key)? {
                None => "deleted".into(),
                Some(bytes) => {
                    table.decode_row(&bytes, &mut row)?;
                    values(table, &row)?
                }
            };
            writeln!(out, "  {name} row {id}: {text}").map_err(wrote)?;
        }
    }
    txn.rollback()?;
    Ok(rows)
}

/// As `column = 'text'`, dropped columns left out.
fn values(table: &Table, row: &[Datum]) -> Result<String, SqlError> {
    let mut all = Vec::new();
    for (column, value) in table.columns.iter().zip(row).filter(|(c, _)| !c.dropped) {
        let text = match value {
            Datum::Null => "NULL".to_owned(),
            value => {
                let mut text = Vec::new();
                output_text(value, column.ty, column.typmod, &FormatOptions::default(), &mut text)?;
                format!("'{}'", String::from_utf8_lossy(&text).replace('\'', "''"))
            }
        };
        all.push(format!("{} = {text}", quote_ident(&column.name)));
    }
    Ok(all.join(", "))
}
