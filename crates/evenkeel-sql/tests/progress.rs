//! How far long commands are, as a second session sees it.

mod support;

use evenkeel_sql::{Progress, RowSink};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use support::{Client, TestDb};

const COPIES: &str = "select command, type, bytes_processed, bytes_total, tuples_processed, tuples_excluded, \
    tuples_skipped, relid::regclass, datname from pg_stat_progress_copy";

#[test]
fn a_copy_from_shows_bytes_and_rows() {
    let db = TestDb::new();
    let (mut c, mut other) = (db.session(), db.session());
    c.ok("create table t (a int, b text)");
    let sql = "copy t from stdin with (on_error ignore, log_verbosity silent) where a < 3";
    let stmt = c.session.parse_script(sql).unwrap().pop().unwrap();
    let mut portal = c.session.bind(&stmt, Vec::new()).unwrap();
    let mut sink = Watching { other: None, seen: Vec::new(), rows: 0 };
    let Ok(Progress::CopyIn(mut copy)) = c.session.run(&mut portal, 0, &mut sink) else { panic!("no COPY") };
    assert_eq!(other.rows(COPIES), ["COPY FROM|PIPE|0|0|0|0|0|t|b"]);
    c.session.copy_in_data(&mut copy, b"1\tx\n2\ty\nz\tz\n3\tz\n4").unwrap();
    assert_eq!(other.rows(COPIES), ["COPY FROM|PIPE|17|0|2|1|1|t|b"]);
    c.session.copy_in_data(&mut copy, b"\tq\n").unwrap();
    c.session.copy_in_finish(copy).unwrap();
    assert_eq!(other.rows(COPIES), [""; 0]);
    c.session.sync().unwrap();
}

/// Looks from another session once so many rows have come.
struct Watching {
    other: Option<Client>,
    seen: Vec<String>,
    rows: usize,
}

impl RowSink for Watching {
    fn row(&mut self, _: &[Datum]) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        self.rows += 1;
        if let Some(other) = self.other.as_mut().filter(|_| self.rows == 1000) {
            self.seen = other.rows(COPIES);
        }
        Ok(())
    }
}

#[test]
fn a_copy_to_shows_bytes_and_rows() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key)");
    c.ok("insert into t select n from generate_series(1000, 2999) n");
    let mut sink = Watching { other: Some(db.session()), seen: Vec::new(), rows: 0 };
    let stmt = c.session.parse_script("copy t to stdout").unwrap().pop().unwrap();
    let mut portal = c.session.bind(&stmt, Vec::new()).unwrap();
    assert!(matches!(c.session.run(&mut portal, 0, &mut sink), Ok(Progress::Done(_))));
    // Told of by 256 rows.
    assert_eq!(sink.seen, ["COPY TO|PIPE|3840|0|768|0|0|t|b"]);
    c.session.sync().unwrap();
}

/// All that another session sees in a view while a statement runs.
fn seen(db: &TestDb, c: &mut Client, sql: &str, view: &str) -> BTreeSet<String> {
    let (mut other, is_done) = (db.session(), AtomicBool::new(false));
    std::thread::scope(|s| {
        let watch = s.spawn(|| {
            let mut all = BTreeSet::new();
            while !is_done.load(Ordering::Relaxed) {
                all.extend(other.rows(view));
            }
            all
        });
        c.ok(sql);
        is_done.store(true, Ordering::Relaxed);
        watch.join().unwrap()
    })
}

#[test]
fn index_builds_and_analyze_show_phases_and_rows() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int, b text)");
    c.ok("insert into t select n, n::text from generate_series(1, 40000) n");
    let analyzed = seen(
        &db,
        &mut c,
        "analyze t",
        "select relid::regclass, phase, sample_blks_scanned > 0 from pg_stat_progress_analyze",
    );
    assert!(analyzed.contains("t|acquiring sample rows|t"), "{analyzed:?}");
    let view = "select command, relid::regclass, phase, tuples_done > 0 and tuples_done <= tuples_total, \
        case when tuples_done > 0 then tuples_total end from pg_stat_progress_create_index";
    let built = seen(&db, &mut c, "create index i on t (b)", view);
    assert!(built.contains("CREATE INDEX|t|building index: scanning table|t|40000"), "{built:?}");
    assert!(built.contains("CREATE INDEX|t|building index: loading tuples in tree|t|40000"), "{built:?}");
    let built = seen(&db, &mut c, "reindex index i", view);
    assert!(built.iter().any(|l| l.starts_with("REINDEX|t|building index: ")), "{built:?}");
    let built = seen(&db, &mut c, "reindex index concurrently i", view);
    assert!(built.iter().any(|l| l.starts_with("REINDEX CONCURRENTLY|t|building index: ")), "{built:?}");
    assert_eq!(c.rows("select * from pg_stat_progress_create_index"), [""; 0]);
}
