//! Time limits of what a COMMIT still has to do.

mod common;

use std::time::Duration;

use common::sql::Sql;
use common::*;

/// Runs a simple query; panics on an error.
fn run(c: &mut Client, sql: &str) -> Vec<Reply> {
    c.send(&[query(sql)]);
    let replies = c.until_ready();
    assert!(replies.iter().all(|r| r.kind != 'E'), "{sql}: {replies:?}");
    replies
}

#[test]
fn a_commit_that_waits_has_all_the_time_of_its_transaction() {
    let sql = Sql::new();
    let (mut a, mut b) = (sql.session(), sql.session());
    run(&mut a, "CREATE TABLE t(a int PRIMARY KEY, b int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    for (timeouts, end) in [("", "ROLLBACK"), ("SET transaction_timeout = 200", "COMMIT")] {
        run(&mut a, "BEGIN; INSERT INTO t VALUES (1, 7); SET CONSTRAINTS ALL IMMEDIATE");
        run(&mut b, "SET statement_timeout = 50");
        if !timeouts.is_empty() {
            run(&mut b, timeouts);
        }
        run(&mut b, "BEGIN; INSERT INTO t VALUES (2, 7)");
        b.send(&[query("COMMIT")]);
        if end == "ROLLBACK" {
            std::thread::sleep(Duration::from_millis(200));
            run(&mut a, end);
            assert_eq!(kinds(&b.until_ready()), "CZi");
            let deleted = run(&mut b, "DELETE FROM t WHERE a = 2");
            assert_eq!(deleted[0].text(), "DELETE 1");
        } else {
            assert_eq!(b.receive().field(b'C').unwrap(), "25P04");
            run(&mut a, end);
        }
    }
}
