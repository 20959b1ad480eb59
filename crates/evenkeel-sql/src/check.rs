//! Every index against its table, for `evenkeel check`.
//!
//! In one snapshot: each row must decode, and each of its index entries must be there and lead back to it; an index must not
//! have more entries than its table's rows ask for. Together these make them one to one. Only where the numbers differ
//! are the entries looked at one by one, to name those that are too many.
//!
//! Must not know: pages and files (the engine checks those), sessions.

use std::sync::Arc;

use evenkeel::{Database, Direction, Interrupt, Isolation, KeyRange, Transaction, TxnOptions};

use crate::catalog::Table;
use crate::catalog::store::CatalogStore;
use crate::exec::Cx;
use crate::exec::keys::{RowEntries, row_id_of};
use crate::plan::form::Forms;
use crate::session::SessionParams;
use crate::{Instance, bind::Binder};
use evenkeel_types::error::SqlError;
use evenkeel_types::quote_ident;
use evenkeel_types::{Datum, decode_row, decode_rowid};

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

/// Checks all tables of a database, telling each problem to `tell`. An error means that the check could not go on.
pub fn check_indexes(db: &Database, tell: &mut dyn FnMut(&str)) -> Result<Checked, SqlError> {
    let catalog = CatalogStore::open(db)?.current();
    // Expressions and predicates are evaluated, for which there has to be a session.
    let mut session = Instance::open(db.clone())?.session(SessionParams {
        user: OWNER.into(),
        database: OWNER.into(),
        application_name: String::new(),
        client_addr: None,
        settings: Vec::new(),
        backend_pid: 0,
        interrupt: Interrupt::new(),
        statement_memory_bytes: SESSION_BYTES,
        as_owner: true,
    })?;
    let mut txn = db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() });
    txn.begin_statement();
    let mut checked = Checked::default();
    for table in catalog.tables() {
        let schema = catalog.schema(table.schema).map_or("?", |s| s.name.as_str());
        let name = format!("{}.{}", quote_ident(schema), quote_ident(&table.name));
        let forms = {
            let eval = session.eval_ctx();
            let cx = session.definition_context(&eval);
            Binder::new(&cx, &[]).forms(table)?
        };
        session.with_bare_cx(|cx| {
            Check { txn: &mut txn, name: &name, table, forms: &forms, cx, checked: &mut checked }.table(tell)
        })?;
    }
    txn.rollback()?;
    Ok(checked)
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
            for (n, index) in table.indexes.iter().enumerate() {
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
                        Some(_) => problems
                            .add(|| format!("{}: the entry of row {row_id} leads to another row", of())),
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
    decode_row(value, &table.types, row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowSink;
    use evenkeel::Options;

    struct NoRows;

    impl RowSink for NoRows {
        fn row(&mut self, _: &[Datum]) -> Result<(), SqlError> {
            Ok(())
        }
        fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
            Ok(())
        }
        fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
            Ok(())
        }
    }

    /// A table of 50 rows with a primary key and another index, in a new database.
    fn database(folder: &std::path::Path) -> Database {
        let db = Database::open(folder, Options::default().with("shared_buffers", "4MB").unwrap()).unwrap();
        let instance = Instance::open(db.clone()).unwrap();
        let params = SessionParams {
            user: "u".into(),
            database: "d".into(),
            application_name: String::new(),
            client_addr: None,
            settings: Vec::new(),
            backend_pid: 1,
            interrupt: Interrupt::new(),
            statement_memory_bytes: 1 << 20,
            as_owner: true,
        };
        let mut session = instance.session(params).unwrap();
        let script = "CREATE TABLE t(a int PRIMARY KEY, b text); CREATE INDEX ON t(b DESC);
            INSERT INTO t SELECT i, 'v' || i FROM generate_series(1, 50) AS i";
        for statement in session.parse_script(script).unwrap() {
            let mut portal = session.bind(&statement, Vec::new()).unwrap();
            session.run(&mut portal, 0, &mut NoRows).unwrap();
        }
        session.sync().unwrap();
        db
    }

    fn check(db: &Database) -> (Checked, Vec<String>) {
        let mut told = Vec::new();
        let checked = check_indexes(db, &mut |p| told.push(p.to_string())).unwrap();
        assert_eq!(checked.problems > 0, !told.is_empty());
        (checked, told)
    }

    /// Changes the trees of the table behind the SQL layer's back: the heap, the primary key's, the other index's.
    fn meddle(db: &Database, change: impl FnOnce(&mut Transaction, [evenkeel::TreeId; 3])) {
        let catalog = CatalogStore::open(db).unwrap().current();
        let table = catalog.tables().next().unwrap();
        let mut txn = db.begin(TxnOptions::default());
        txn.begin_statement();
        change(&mut txn, [table.heap.tree, table.indexes[0].tree, table.indexes[1].tree]);
        txn.commit().unwrap();
    }

    fn first_key(txn: &mut Transaction, tree: evenkeel::TreeId) -> Vec<u8> {
        let mut cursor = txn.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
        cursor.next(txn).unwrap().unwrap().0.to_vec()
    }

    #[test]
    fn a_sound_table_has_no_problems() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(folder.path());
        let (checked, told) = check(&db);
        assert_eq!(
            checked,
            Checked { tables: 1, rows: 50, indexes: 2, entries: 100, problems: 0 },
            "{told:?}"
        );
    }

    #[test]
    fn a_missing_entry_is_told_with_its_row() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(folder.path());
        meddle(&db, |txn, [_, primary, _]| {
            let key = first_key(txn, primary);
            txn.delete(primary, &key).unwrap();
        });
        let (_, told) = check(&db);
        assert!(told[0].contains("t_pkey") && told[0].contains("row 1 has no entry"), "{told:?}");
    }

    #[test]
    fn an_entry_without_a_row_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(folder.path());
        meddle(&db, |txn, [heap, _, _]| {
            let key = first_key(txn, heap);
            txn.delete(heap, &key).unwrap();
        });
        let (checked, told) = check(&db);
        assert_eq!(checked.rows, 49);
        assert_eq!(told.iter().filter(|p| p.contains("which does not exist")).count(), 2, "{told:?}");
    }

    #[test]
    fn an_unreadable_row_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(folder.path());
        meddle(&db, |txn, [heap, _, _]| {
            let key = first_key(txn, heap);
            txn.put(heap, &key, &[0xff; 3]).unwrap();
        });
        let (_, told) = check(&db);
        assert!(told.iter().any(|p| p.contains("cannot be read")), "{told:?}");
    }
}
