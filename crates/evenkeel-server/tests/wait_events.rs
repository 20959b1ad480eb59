//! What `pg_stat_activity` says that sessions wait for, beside the tests of locks and of synchronous commit.

mod common;

use common::*;
use evenkeel::io::{LatencyDisk, OsDisk, OsOptions};
use evenkeel::{Database, Options};
use evenkeel_server::{Server, SqlService, Users};
use evenkeel_sql::Instance;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn rows(c: &mut Client, sql: &str) -> Vec<String> {
    c.send(&[query(sql)]);
    let replies = c.until_ready();
    assert!(!replies.iter().any(|r| r.kind == 'E'), "{sql}: {replies:?}");
    let first = |r: &Reply| values(r).remove(0).unwrap_or_else(|| "NULL".into());
    replies.iter().filter(|r| r.kind == 'D').map(first).collect()
}

#[test]
fn sessions_tell_what_they_wait_for() {
    let folder = tempfile::tempdir().unwrap();
    // Long beside a look at the view.
    let disk = OsDisk::new(folder.path(), OsOptions::default()).unwrap();
    let disk = LatencyDisk::new(Arc::new(disk), Duration::from_millis(100));
    let options = Options::default().with("shared_buffers", "16MB").unwrap();
    let database = Database::open_on(Arc::new(disk), options).unwrap();
    let service = Arc::new(SqlService::new(Instance::open(database.clone()).unwrap()));
    let server = Server::start(service, settings(&[]), Users::new(), Vec::new()).unwrap();
    let session = || {
        let mut c = Client::new(TcpStream::connect(server.addresses()[0]).unwrap());
        c.start(&[("user", "postgres"), ("database", "postgres")]);
        c
    };
    let (mut a, mut looks) = (session(), session());
    let waits = |looks: &mut Client, what: &str| {
        let of = "SELECT concat_ws(' ', state, wait_event_type, wait_event) FROM pg_stat_activity";
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let seen = rows(
                looks,
                &format!("{of} WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"),
            );
            if seen == [what] {
                return;
            }
            assert!(Instant::now() < until, "{what} is never seen, but {seen:?}");
        }
    };
    rows(&mut a, "CREATE TABLE t (n int)");
    waits(&mut looks, "idle Client ClientRead");
    rows(&mut a, "BEGIN");
    waits(&mut looks, "idle in transaction Client ClientRead");
    rows(&mut a, "COMMIT");

    // A commit's reply waits for the log; no thread does for the session.
    a.send(&[query("INSERT INTO t VALUES (1)")]);
    waits(&mut looks, "active IO WalSync");
    a.until_ready();
    waits(&mut looks, "idle Client ClientRead");

    a.send(&[query("SELECT pg_sleep(3600)")]);
    waits(&mut looks, "active Timeout PgSleep");
    assert_eq!(
        rows(
            &mut looks,
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%3600%' AND pid <> pg_backend_pid()"
        ),
        ["t"]
    );
    a.until_ready();
    waits(&mut looks, "idle Client ClientRead");

    // Whoever looks does not wait.
    let own = "SELECT wait_event FROM pg_stat_activity WHERE pid = pg_backend_pid()";
    assert_eq!(rows(&mut looks, own), ["NULL"]);
    // Those who work for all have numbers that nobody can end.
    let background = "SELECT concat_ws(' ', backend_type, wait_event_type, wait_event, datname, usename, state) \
        FROM pg_stat_activity WHERE backend_type <> 'client backend' ORDER BY backend_type";
    let wanted = [
        "autovacuum launcher Activity AutovacuumMain",
        "background writer Activity BgwriterMain",
        "checkpointer Activity CheckpointerMain",
        "purge Activity PurgeMain",
        "walwriter Activity WalWriterMain",
    ];
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let seen = rows(&mut looks, background);
        if seen == wanted {
            break;
        }
        assert!(Instant::now() < until, "{seen:?}");
    }
    let numbers = "SELECT count(DISTINCT pid) = count(*) AND min(pid) > 0 AND bool_and(backend_start <= now()) FROM pg_stat_activity";
    assert_eq!(rows(&mut looks, numbers), ["t"]);
    let end = "SELECT bool_or(pg_terminate_backend(pid) OR pg_cancel_backend(pid)) FROM pg_stat_activity WHERE backend_type <> 'client backend'";
    assert_eq!(rows(&mut looks, end), ["f"]);
    assert_eq!(
        rows(&mut looks, "SELECT count(*) FROM pg_stat_activity WHERE backend_type <> 'client backend'"),
        ["5"]
    );
    let named = "SELECT count(*) FROM pg_wait_events w WHERE (w.type, w.name) IN (('Client', 'ClientRead'), ('IO', 'WalSync'), ('Timeout', 'PgSleep'))";
    assert_eq!(rows(&mut looks, named), ["3"]);
    drop((a, looks));
    drop(server);
    database.close().unwrap();
}
