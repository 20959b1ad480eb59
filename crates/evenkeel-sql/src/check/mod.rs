//! What SQL has in a database, for `evenkeel check`: every index against its table, rows against constraints (`rows`), definitions against each other and
//! against the trees that there are (`objects`), large objects (`large_objects`).
//!
//! In one snapshot: each row must decode, and each of its index entries must be there and lead back to it; an index must not
//! have more entries than its table's rows ask for. Together these make them one to one. Only where the numbers differ
//! are the entries looked at one by one, to name those that are too many.
//!
//! Must not know: pages and files (the engine checks those), sessions.

mod large_objects;
mod objects;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use evenkeel::{Database, Direction, Interrupt, Isolation, KeyRange, Transaction, TreeId, TxnOptions};

use crate::catalog::store::CATALOG_TREE;
use crate::catalog::{Catalog, DATABASE_OID, IndexState, Table};
use crate::exec::Cx;
use crate::exec::keys::{RowEntries, row_id_of};
use crate::plan::form::Forms;
use crate::session::SessionParams;
use crate::{Instance, bind::Binder};
use evenkeel_types::error::SqlError;
use evenkeel_types::quote_ident;
use evenkeel_types::{Datum, decode_rowid};
use rows::Rules;

/// Problems that are told one by one for each index; more are counted.
const TOLD_MAX: u64 = 20;

/// Who the session is of, and the memory that it may take.
const OWNER: &str = "evenkeel";
const SESSION_BYTES: usize = 64 << 20;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Tables.
    pub tables: u64,
    /// Their rows.
    pub rows: u64,
    /// Indexes.
    pub indexes: u64,
    /// Their entries.
    pub entries: u64,
    /// Problems, told or only counted.
    pub problems: u64,
}

/// Whether a folder has definitions. One without is an application's that has the engine built in; looking at it through an [`Instance`] would make some.
fn has_definitions(db: &Database) -> Result<bool, SqlError> {
    let mut txn = db.begin(TxnOptions::default());
    let mut rows = txn.cursor(CATALOG_TREE, KeyRange::all(), Direction::Forward)?;
    Ok(rows.next(&mut txn)?.is_some())
}

/// Checks all definitions and tables of a database, telling each problem to `tell`. An error means that the check could not go on.
pub fn check_indexes(db: &Database, tell: &mut dyn FnMut(&str)) -> Result<Checked, SqlError> {
    if !has_definitions(db)? {
        return Ok(Checked::default());
    }
    let instance = Instance::open(db.clone())?;
    let mut checked = Checked::default();
    let catalogs: Vec<_> = instance.catalogs()?;
    let mut problems = Problems { tell, count: 0 };
    let missing = objects::check_trees(db, &catalogs, &mut problems)?;
    checked.problems += problems.close("trees");
    for catalog in &catalogs {
        let mut problems = Problems { tell, count: 0 };
        objects::check(catalog, &mut problems);
        checked.problems += problems.close("definitions");
        check_rows(&instance, catalog, &missing, &mut checked, tell)?;
        let mut problems = Problems { tell, count: 0 };
        if catalog.large_objects().is_none_or(|tree| !missing.contains(&tree)) {
            large_objects::check(db, catalog, &mut problems)?;
        }
        checked.problems += problems.close("large objects");
    }
    Ok(checked)
}

fn check_rows(
    instance: &Arc<Instance>,
    catalog: &Arc<Catalog>,
    missing: &BTreeSet<TreeId>,
    checked: &mut Checked,
    tell: &mut dyn FnMut(&str),
) -> Result<(), SqlError> {
    let db = instance.database();
    let database = catalog.database_name().to_owned();
    // Expressions and predicates are evaluated, for which there has to be a session.
    let mut session = instance.session(SessionParams {
        user: OWNER.into(),
        database,
        application_name: String::new(),
        client_addr: None,
        server_addr: None,
        client_port: None,
        system_user: None,
        configured: Default::default(),
        settings: Vec::new(),
        backend_pid: 0,
        interrupt: Interrupt::new(),
        statement_memory_bytes: SESSION_BYTES,
        as_owner: true,
        log_origin: Default::default(),
    })?;
    let mut txn = db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() });
    txn.begin_statement();
    for table in catalog.tables() {
        // It was told, and has nothing to look at.
        if std::iter::once(table.heap.tree)
            .chain(table.indexes.iter().map(|i| i.tree))
            .any(|t| missing.contains(&t))
        {
            continue;
        }
        let schema = catalog.schema(table.schema).map_or("?", |s| s.name.as_str());
        let mut name = format!("{}.{}", quote_ident(schema), quote_ident(&table.name));
        if catalog.database != DATABASE_OID {
            name = format!("{}.{name}", quote_ident(catalog.database_name()));
        }
        let bound = {
            let eval = session.eval_ctx();
            let cx = session.definition_context(&eval);
            let mut binder = Binder::new(&cx, &[]);
            binder.forms(table).and_then(|forms| Ok((forms, Rules::bind(table, catalog, &mut binder)?)))
        };
        let (forms, rules) = match bound {
            Ok(bound) => bound,
            Err(e) => {
                checked.problems += 1;
                tell(&format!(
                    "table {name}: what is computed of its rows cannot be understood: {}",
                    e.message
                ));
                continue;
            }
        };
        session.with_bare_cx(|cx| {
            Check { txn: &mut txn, name: &name, table, forms: &forms, rules: &rules, cx, checked }.table(tell)
        })?;
    }
    Ok(txn.rollback()?)
}

/// Tells the first problems of one kind and counts the rest.
struct Problems<'a> {
    tell: &'a mut dyn FnMut(&str),
    count: u64,
}

impl Problems<'_> {
    fn add(&mut self, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.count <= TOLD_MAX {
            (self.tell)(&text());
        }
    }

    /// The number of problems, having told how many were not told.
    fn close(self, what: &str) -> u64 {
        if self.count > TOLD_MAX {
            (self.tell)(&format!("{what}: {} more problems of this kind", self.count - TOLD_MAX));
        }
        self.count
    }
}

/// A table that is checked.
struct Check<'a, 'c> {
    txn: &'a mut Transaction,
    /// Its name with its schema.
    name: &'a str,
    table: &'a Arc<Table>,
    forms: &'a Forms,
    rules: &'a Rules,
    /// For evaluation alone.
    cx: &'a mut Cx<'c>,
    checked: &'a mut Checked,
}

impl Check<'_, '_> {
    fn table(&mut self, tell: &mut dyn FnMut(&str)) -> Result<(), SqlError> {
        let (name, table) = (self.name, self.table);
        self.checked.tables += 1;
        let mut problems = Problems { tell, count: 0 };
        let mut rows = 0;
        // How many entries the rows ask for, by index.
        let mut asked = vec![0; table.indexes.len()];
        let mut row = Vec::new();
        let mut entries = RowEntries::default();
        let mut cursor = self.txn.cursor(table.heap.tree, KeyRange::all(), Direction::Forward)?;
        loop {
            let row_key = match cursor.next(self.txn)? {
                None => break,
                Some((key, value)) => {
                    rows += 1;
                    if let Err(e) = decode(table, value, &mut row) {
                        problems.add(|| format!("table {name}: a row cannot be read: {}", e.message));
                        continue;
                    }
                    key.to_vec()
                }
            };
            let row_id = match decode_rowid(&row_key) {
                Ok(id) => id,
                Err(e) => {
                    problems.add(|| format!("table {name}: a row's key is not a row id: {}", e.message));
                    continue;
                }
            };
            self.rules.check(&row, row_id, self.txn, self.cx, &mut |what| {
                problems.add(|| format!("table {name}: {what}"))
            })?;
            for (n, index) in table.indexes.iter().enumerate() {
                if index.check_collations().is_err() {
                    continue; // its entries are told of below
                }
                let of = || format!("index {} of table {name}", quote_ident(&index.name));
                if let Err(e) = entries.find(index, self.forms.get(n), &table.types, &row, row_id, self.cx) {
                    problems.add(|| format!("{}: the key of row {row_id}: {}", of(), e.message));
                    continue;
                }
                for key in entries.keys() {
                    asked[n] += 1;
                    match self.txn.get(index.tree, key)? {
                        Some(value) if value == entries.value => {}
                        Some(value) if row_id_of(&value) == row_key => {
                            problems.add(|| format!("{}: the entry of row {row_id} has other values", of()))
                        }
                        Some(_) if !index.is_valid() => asked[n] -= 1,
                        Some(_) => problems
                            .add(|| format!("{}: the entry of row {row_id} leads to another row", of())),
                        // Not every row has an entry in an index that is not valid.
                        None if !index.is_valid() => asked[n] -= 1,
                        None => problems.add(|| format!("{}: row {row_id} has no entry", of())),
                    }
                }
            }
        }
        drop(cursor);
        self.checked.rows += rows;
        self.checked.problems += problems.close(name);
        for (n, asked) in asked.into_iter().enumerate() {
            self.entries(n, asked, tell)?;
        }
        Ok(())
    }

    /// Counts an index's entries, and finds those that no row asks for when there are more or fewer than are asked for.
    fn entries(&mut self, n: usize, asked: u64, tell: &mut dyn FnMut(&str)) -> Result<(), SqlError> {
        let (table, index) = (self.table, &self.table.indexes[n]);
        if index.state == IndexState::Unused {
            return Ok(());
        }
        if let Err(e) = index.check_collations() {
            tell(&format!("table {}: {}", self.name, e.message));
            self.checked.problems += 1;
            return Ok(());
        }
        let mut count = 0;
        let mut cursor = self.txn.cursor(index.tree, KeyRange::all(), Direction::Forward)?;
        while cursor.next(self.txn)?.is_some() {
            count += 1;
        }
        drop(cursor);
        self.checked.indexes += 1;
        self.checked.entries += count;
        if count == asked {
            return Ok(());
        }
        let what = format!("index {} of table {}", quote_ident(&index.name), self.name);
        tell(&format!("{what}: {count} entries for {asked} rows"));
        self.checked.problems += 1;
        let mut problems = Problems { tell, count: 0 };
        let (mut row, mut entries) = (Vec::new(), RowEntries::default());
        let mut cursor = self.txn.cursor(index.tree, KeyRange::all(), Direction::Forward)?;
        loop {
            let (key, row_key) = match cursor.next(self.txn)? {
                None => break,
                Some((key, value)) => (key.to_vec(), row_id_of(value).to_vec()),
            };
            let Ok(row_id) = decode_rowid(&row_key) else {
                problems.add(|| format!("{what}: an entry does not lead to a row id"));
                continue;
            };
            match self.txn.get(table.heap.tree, &row_key)? {
                None => {
                    problems.add(|| format!("{what}: an entry leads to row {row_id}, which does not exist"))
                }
                Some(value) => {
                    if decode(table, &value, &mut row).is_ok()
                        && entries.find(index, self.forms.get(n), &table.types, &row, row_id, self.cx).is_ok()
                        && !entries.has(&key)
                    {
                        problems.add(|| {
                            format!("{what}: an entry leads to row {row_id}, which has other values")
                        });
                    }
                }
            }
        }
        self.checked.problems += problems.close(&what);
        Ok(())
    }
}

fn decode(table: &Table, value: &[u8], row: &mut Vec<Datum>) -> Result<(), SqlError> {
    row.clear();
    table.decode_row(value, row)
}
