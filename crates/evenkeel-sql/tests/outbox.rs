//! Readers of an outbox by transaction ids beside writers: each row is read once, and none is skipped, also by who goes on after a crash.

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use support::{Client, TestDb};

/// Where a reader is, and what it has read.
struct Reader {
    at: String,
    seen: String,
    by_position: Vec<i64>,
    by_snapshot: Vec<i64>,
}

impl Reader {
    /// Reads what is new, in both ways.
    fn read(&mut self, db: &TestDb, c: &mut Client) {
        let ids = |rows: Vec<String>| rows.into_iter().map(|r| r.parse::<i64>().unwrap());
        c.ok("begin isolation level repeatable read");
        let seen = c.value("select pg_current_snapshot()");
        db.send(c);
        let next = c.value(&format!("select pg_snapshot_xmin('{seen}')"));
        let (at, before) = (&self.at, &self.seen);
        let settled = format!("select id from outbox where xact >= '{at}' and xact < '{next}'");
        self.by_position.extend(ids(c.rows(&settled)));
        let new = format!(
            "select id from outbox where pg_visible_in_snapshot(xact, '{seen}') and not pg_visible_in_snapshot(xact, '{before}')"
        );
        self.by_snapshot.extend(ids(c.rows(&new)));
        let hidden = format!("select count(*) from outbox where not pg_visible_in_snapshot(xact, '{seen}')");
        assert_eq!(c.value(&hidden), "0", "what is there is seen by {seen}");
        c.ok("commit");
        // In one statement, as it is mostly written.
        let at = format!(
            "select count(*) from outbox where xact < pg_snapshot_xmin(pg_current_snapshot()) and xact < '{next}'"
        );
        assert_eq!(c.value(&at), self.by_position.len().to_string(), "nothing came behind {next}");
        (self.at, self.seen) = (next, seen);
    }
}

/// Transactions of one writer; gives the rows that it has committed.
fn write(mut c: Client, seed: u64, life: i64) -> BTreeSet<i64> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut committed, mut next) = (BTreeSet::new(), life * 1_000_000 + seed as i64 * 10_000);
    for _ in 0..60 {
        c.ok("begin");
        let mut own = Vec::new();
        for _ in 0..rng.u32(0..4) {
            match rng.u32(0..6) {
                0 => _ = c.value("select pg_current_xact_id()"),
                1 => {
                    c.ok("savepoint s");
                    c.ok(&format!("insert into outbox (id) values ({next})"));
                    c.ok("rollback to s");
                }
                2 => thread::yield_now(),
                _ => {
                    c.ok(&format!("insert into outbox (id) values ({next})"));
                    own.push(next);
                    next += 1;
                }
            }
        }
        if rng.u32(0..4) == 0 {
            c.ok("rollback");
        } else {
            c.ok("commit");
            committed.extend(own);
        }
    }
    committed
}

#[test]
fn who_reads_by_transaction_ids_skips_no_row() {
    let mut db = TestDb::new();
    let mut c = db.session();
    c.ok("create table outbox (id bigint primary key, xact xid8 not null default pg_current_xact_id())");
    c.ok("create index on outbox (xact)");
    let mut reader =
        Reader { at: "1".into(), seen: "1:1:".into(), by_position: Vec::new(), by_snapshot: Vec::new() };
    let mut all = BTreeSet::new();
    for life in 1..=3 {
        let at_work = Arc::new(AtomicUsize::new(4));
        let writers: Vec<_> = (1..=4)
            .map(|seed| {
                let (client, at_work) = (db.session(), at_work.clone());
                thread::spawn(move || {
                    let committed = write(client, seed, life);
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    committed
                })
            })
            .collect();
        while at_work.load(Ordering::SeqCst) > 0 {
            reader.read(&db, &mut c);
        }
        for writer in writers {
            all.extend(writer.join().unwrap());
        }
        // Ids that nobody logs anything of are given out again after the crash.
        for _ in 0..20 {
            c.value("select pg_current_xact_id()");
        }
        reader.read(&db, &mut c);
        for read in [&reader.by_position, &reader.by_snapshot] {
            assert_eq!(read.len(), all.len(), "each once");
            assert_eq!(read.iter().copied().collect::<BTreeSet<_>>(), all);
        }
        db = db.after_crash();
        c = db.session();
    }
    assert!(all.len() > 300, "{} rows", all.len());
}
