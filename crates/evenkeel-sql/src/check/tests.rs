//! Damage that `check` has to find.

use super::*;
use crate::RowSink;
use crate::catalog::store::CATALOG_TREE;
use crate::catalog::store::CatalogStore;
use crate::catalog::{Kind, codec};
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
    let script = "CREATE TABLE t(a int PRIMARY KEY, b text); CREATE INDEX ON t(b DESC);
        INSERT INTO t SELECT i, 'v' || i FROM generate_series(1, 50) AS i";
    database_with(folder, script)
}

fn database_with(folder: &std::path::Path, script: &str) -> Database {
    let db = Database::open(folder, Options::default().with("shared_buffers", "4MB").unwrap()).unwrap();
    let instance = Instance::open(db.clone()).unwrap();
    let params = SessionParams {
        user: "u".into(),
        database: "postgres".into(),
        application_name: String::new(),
        client_addr: None,
        client_port: None,
        server_addr: None,
        system_user: None,
        configured: Default::default(),
        settings: Vec::new(),
        backend_pid: 1,
        interrupt: Interrupt::new(),
        statement_memory_bytes: 1 << 20,
        as_owner: true,
        log_origin: Default::default(),
    };
    let mut session = instance.session(params).unwrap();
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
    let catalog = CatalogStore::open(db).unwrap().first().current();
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
    assert_eq!(checked, Checked { tables: 1, rows: 50, indexes: 2, entries: 100, problems: 0 }, "{told:?}");
}

#[test]
fn a_missing_entry_is_told_with_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let db = database(folder.path());
    meddle(&db, |txn, [_, primary, _]| {
        let key = first_key(txn, primary);
        _ = txn.delete(primary, &key).unwrap();
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
        _ = txn.delete(heap, &key).unwrap();
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

/// Tables with an index of every kind and constraints of every kind.
const EVERY_KIND: &str = "
    CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE TABLE p (id int PRIMARY KEY);
    CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, n int NOT NULL CHECK (n < 100), twice int GENERATED ALWAYS AS (n * 2) STORED, m mood, j jsonb, t text[],
        u int UNIQUE DEFERRABLE);
    CREATE INDEX c_gin ON c USING gin (j);
    CREATE INDEX c_tags ON c USING gin (t);
    CREATE INDEX c_partial ON c (n) WHERE m = 'ok';
    CREATE INDEX c_expr ON c ((n + 1));
    CREATE INDEX c_hash ON c USING hash (n);
    CREATE INDEX c_include ON c (m) INCLUDE (n);
    CREATE MATERIALIZED VIEW v AS SELECT m, count(*) FROM c GROUP BY m;
    CREATE VIEW w AS SELECT * FROM c;
    INSERT INTO p SELECT g FROM generate_series(1, 5) g;
    INSERT INTO c (id, p, n, m, j, t, u) SELECT g, g % 5 + 1, g, CASE WHEN g % 2 = 0 THEN 'ok'::mood ELSE 'sad'::mood END, jsonb_build_object('k', g % 3), array['a', 'b' || g], g
        FROM generate_series(1, 30) g";

/// A database of `EVERY_KIND`, and how its table `c` is defined.
fn every_kind(folder: &std::path::Path) -> (Database, Arc<Table>) {
    let db = database_with(folder, EVERY_KIND);
    let catalog = CatalogStore::open(&db).unwrap().first().current();
    let table = catalog.tables().find(|t| t.name == "c").unwrap().clone();
    (db, table)
}

fn in_txn(db: &Database, change: impl FnOnce(&mut Transaction)) {
    let mut txn = db.begin(TxnOptions::default());
    txn.begin_statement();
    change(&mut txn);
    txn.commit().unwrap();
}

/// Gives columns of the first row other values, behind everybody's back.
fn set_in_first_row(db: &Database, table: &Table, values: &[(usize, Datum)]) {
    in_txn(db, |txn| {
        let key = first_key(txn, table.heap.tree);
        let stored = txn.get(table.heap.tree, &key).unwrap().unwrap();
        let mut row = Vec::new();
        decode(table, &stored, &mut row).unwrap();
        values.iter().for_each(|(n, value)| row[*n] = value.clone());
        let mut bytes = Vec::new();
        evenkeel_types::encode_row(&row, &table.types, &mut bytes);
        txn.put(table.heap.tree, &key, &bytes).unwrap();
    });
}

#[test]
fn sound_indexes_and_constraints_of_every_kind_have_no_problems() {
    let folder = tempfile::tempdir().unwrap();
    let (db, _) = every_kind(folder.path());
    let (checked, told) = check(&db);
    assert_eq!((checked.tables, checked.problems), (3, 0), "{told:?}");
}

#[test]
fn an_entry_that_is_missing_or_too_many_is_told_of_an_index_of_any_kind() {
    let folder = tempfile::tempdir().unwrap();
    let (db, table) = every_kind(folder.path());
    for index in &table.indexes {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        in_txn(&db, |txn| {
            key = first_key(txn, index.tree);
            value = txn.get(index.tree, &key).unwrap().unwrap();
            _ = txn.delete(index.tree, &key).unwrap();
        });
        let (_, told) = check(&db);
        let is_named = |what: &str| told.iter().any(|p| p.contains(&index.name) && p.contains(what));
        assert!(is_named("has no entry"), "{}: {told:?}", index.name);
        // The entry again, and another one that no row asks for.
        let mut other = key.clone();
        other.push(7);
        in_txn(&db, |txn| {
            txn.put(index.tree, &key, &value).unwrap();
            txn.put(index.tree, &other, &value).unwrap();
        });
        let (_, told) = check(&db);
        let is_named = |what: &str| told.iter().any(|p| p.contains(&index.name) && p.contains(what));
        assert!(is_named("which has other values"), "{}: {told:?}", index.name);
        in_txn(&db, |txn| _ = txn.delete(index.tree, &other).unwrap());
        assert_eq!(check(&db).0.problems, 0);
    }
}

#[test]
fn an_entry_with_other_values_beside_its_key_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (db, table) = every_kind(folder.path());
    let index = table.indexes.iter().find(|i| i.name == "c_include").unwrap();
    in_txn(&db, |txn| {
        let key = first_key(txn, index.tree);
        let mut value = txn.get(index.tree, &key).unwrap().unwrap();
        *value.last_mut().unwrap() ^= 1;
        txn.put(index.tree, &key, &value).unwrap();
    });
    let (_, told) = check(&db);
    assert!(told.iter().any(|p| p.contains("c_include") && p.contains("has other values")), "{told:?}");
}

#[test]
fn rows_that_violate_what_their_table_says_are_told() {
    // The first object of a new database that users make.
    let mood = crate::catalog::FIRST_USER_OID;
    let cases: [(&str, &[(usize, Datum)]); 6] = [
        ("is NULL", &[(2, Datum::Null), (3, Datum::Null)]),
        ("check constraint c_n_check", &[(2, Datum::Int4(100)), (3, Datum::Int4(200))]),
        ("column twice of row 1 is not what it is generated as", &[(3, Datum::Int4(77))]),
        ("foreign key constraint c_p_fkey", &[(1, Datum::Int4(6))]),
        ("value without a label", &[(4, Datum::Enum(mood, 12345))]),
        ("c_pkey", &[(0, Datum::Int4(-1))]),
    ];
    for (said, values) in cases {
        let folder = tempfile::tempdir().unwrap();
        let (db, table) = every_kind(folder.path());
        set_in_first_row(&db, &table, values);
        let (_, told) = check(&db);
        assert!(told.iter().any(|p| p.contains(said)), "{said}: {told:?}");
    }
}

#[test]
fn trees_without_owners_and_definitions_without_trees_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (db, table) = every_kind(folder.path());
    in_txn(&db, |txn| _ = txn.create_tree().unwrap());
    let (_, told) = check(&db);
    assert!(told.len() == 1 && told[0].contains("belongs to no table and no index"), "{told:?}");
    in_txn(&db, |txn| txn.drop_tree(table.indexes[3].tree).unwrap());
    let (_, told) = check(&db);
    assert!(told.iter().any(|p| p.contains(&table.indexes[3].name) && p.contains("is missing")), "{told:?}");
}

#[test]
fn definitions_that_rest_on_what_is_gone_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (db, table) = every_kind(folder.path());
    let mood = CatalogStore::open(&db).unwrap().first().current().types().next().unwrap().oid;
    let gone = [
        (Kind::Table, table.foreign_keys[0].parent, "foreign key c_p_fkey"),
        (Kind::Type, mood, "the type of column m"),
        (Kind::Table, table.oid, "view w reads c"),
    ];
    for (kind, oid, said) in gone {
        let mut before = Vec::new();
        in_txn(&db, |txn| {
            let key = codec::key(kind, oid);
            before = txn.get(CATALOG_TREE, &key).unwrap().unwrap();
            _ = txn.delete(CATALOG_TREE, &key).unwrap();
        });
        let (_, told) = check(&db);
        assert!(told.iter().any(|p| p.contains(said)), "{said}: {told:?}");
        in_txn(&db, |txn| txn.put(CATALOG_TREE, &codec::key(kind, oid), &before).unwrap());
    }
    assert_eq!(check(&db).0.problems, 0);
}

#[test]
fn a_folder_without_definitions_is_sound_and_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::open(folder.path().join("db"), Options::default()).unwrap();
    let mut t = db.begin(TxnOptions::default());
    let trees = [t.open_tree("accounts").unwrap(), t.create_tree().unwrap()];
    for tree in trees {
        t.put(tree, b"k", b"v").unwrap();
    }
    t.commit().unwrap();
    let mut told = Vec::new();
    assert_eq!(check_indexes(&db, &mut |p| told.push(p.to_owned())).unwrap(), Checked::default());
    assert!(!has_definitions(&db).unwrap());
    // With definitions what has a name is an application's still.
    let _ = Instance::open(db.clone()).unwrap();
    assert_eq!(check_indexes(&db, &mut |p| told.push(p.to_owned())).unwrap().problems, 1);
    assert_eq!(told, [format!("tree {} belongs to no table and no index", trees[1].0)]);
}
