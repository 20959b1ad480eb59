//! A standby of a standby, by the commands and over the network.

mod common;

use common::following::{SOON, caught_up, conninfo, create, reader, wait_for};
use common::{Serving, run, stderr, stdout};
use rustix::process::Signal;
use std::path::Path;
use std::time::Duration;

const SUM: &str = "SELECT count(*)::text || ' ' || sum(n)::text FROM t";

#[test]
fn a_standby_is_copied_and_followed_and_takes_over_with_who_follows_it() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b, c) = (dir.path().join("a"), dir.path().join("b"), dir.path().join("c"));
    let primary = Serving::start(&a, &[]);
    let mut p = primary.client();
    p.query("CREATE TABLE t (n int PRIMARY KEY, s text)");
    p.query("INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 5000) g");
    create(&b, &conninfo(&primary), &[]).unwrap();
    let mut middle = Serving::start(&b, &SOON);
    caught_up(&mut p);
    let mut m = reader(&middle);

    // A copy of the standby, whose readers go on.
    let said = create(&c, &conninfo(&middle), &["--fast"]).unwrap();
    assert!(said.contains("slot there is \"c\""), "{said}");
    assert_eq!(m.query("SELECT slot_name, active FROM pg_replication_slots").join(","), "c\0\0\0\u{1}f");
    let mut last = Serving::start(&c, &SOON);
    wait_for(
        &mut m,
        "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'c' AND state = 'streaming' AND sync_state = 'async'",
        "1",
    );
    let mut l = reader(&last);
    p.query(
        "INSERT INTO t SELECT g, 'y' FROM generate_series(5001, 6000) g; CREATE TABLE more AS SELECT 7 AS a",
    );
    wait_for(&mut l, "SELECT count(*) FROM t", "6000");
    wait_for(&mut l, "SELECT a FROM more", "7");

    // What its readers want, the primary hears of.
    l.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(l.query("SELECT count(*) FROM t"), ["6000"]);
    std::thread::sleep(Duration::from_millis(300));
    p.query("DELETE FROM t WHERE n <= 3000");
    p.query("VACUUM t");
    p.query("INSERT INTO t VALUES (100000, 'z')");
    wait_for(&mut reader(&last), "SELECT count(*) FROM t", "3001");
    assert_eq!(l.query("SELECT count(*) FROM t"), ["6000"]);
    l.query("ROLLBACK");

    // The one in the middle goes, and the last one; both come back.
    for killed in [true, false] {
        middle.signal(if killed { Signal::KILL } else { Signal::TERM });
        let port = middle.port.to_string();
        drop(middle);
        p.query("INSERT INTO t SELECT max(n) + 1 FROM t");
        middle = Serving::start_at(&b, &port, &SOON);
        let expected = p.query(SUM);
        wait_for(&mut l, SUM, &expected[0]);
        last.signal(if killed { Signal::KILL } else { Signal::TERM });
        drop(last);
        p.query("INSERT INTO t SELECT max(n) + 1 FROM t");
        last = Serving::start(&c, &SOON);
        l = reader(&last);
        let expected = p.query(SUM);
        wait_for(&mut l, SUM, &expected[0]);
    }
    // Slots are made and dropped there as on a primary; who would rejoin it is told whom to ask.
    let mut m = reader(&middle);
    assert!(m.query("SELECT pg_create_physical_replication_slot('other', true)")[0].starts_with("(other,"));
    m.query("SELECT pg_drop_replication_slot('other')");
    assert_eq!(m.query("SELECT slot_name FROM pg_replication_slots"), ["c"]);

    // It takes over at once, whoever follows it; that one goes on with it.
    let expected = p.query(SUM);
    wait_for(&mut l, SUM, &expected[0]);
    // Not even where that one reads nothing, and more is to be sent than sockets hold.
    last.signal(Signal::STOP);
    p.query("CREATE TABLE big AS SELECT md5(g::text) || md5((g + 1)::text) AS a, md5((g * 7)::text) AS b FROM generate_series(1, 300000) g");
    wait_for(&mut m, "SELECT count(*) FROM big", "300000");
    primary.signal(Signal::KILL);
    drop(primary);
    let output = run(&["promote", "--data", b.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut m = middle.client();
    assert_eq!(m.query(SUM), expected);
    last.signal(Signal::CONT);
    m.query("INSERT INTO t SELECT max(n) + 1 FROM t; CREATE TABLE new_life AS SELECT 8 AS a");
    wait_for(&mut l, "SELECT a FROM new_life", "8");
    let expected = m.query(SUM);
    assert_eq!(l.query(SUM), expected);
    last.signal(Signal::TERM);
    assert_eq!(last.finish().0, 0);
    middle.signal(Signal::TERM);
    assert_eq!(middle.finish().0, 0);
    let output = run(&["promote", "--data", c.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    for folder in [&b, &c] {
        let output = run(&["check", folder.to_str().unwrap()]);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    }
}

/// A standby of an archive's backup: of the server whose archive it is, and of none that left that branch of the log.
#[test]
fn a_backup_in_an_archive_becomes_a_standby_of_the_server_that_it_came_from() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let archive = format!("file://{}", path("archive"));
    let setting = format!("archive_url={archive}");
    let more = ["--set", &setting, "--set", "archive_timeout=100ms", "--set", "wal_segment_size=64kB"];
    let primary = Serving::start(dir.path().join("a").as_path(), &more);
    let mut p = primary.client();
    p.query("CREATE TABLE t (n int PRIMARY KEY, s text)");
    p.query("INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 2000) g");
    p.query("SELECT pg_create_restore_point('early')");
    p.query("SELECT evenkeel_backup('first', 'checkpoint=fast')");
    p.query("SELECT pg_create_restore_point('then')");
    p.query("INSERT INTO t SELECT g, 'y' FROM generate_series(2001, 3000) g");
    // The log since then goes, but from the archive.
    for n in 0..3 {
        p.query(&format!("UPDATE t SET s = repeat('z', {n} + 200)"));
        p.query("CHECKPOINT; SELECT pg_switch_wal()");
    }

    let folder = dir.path().join("b");
    let refused = create(&folder, &archive, &[]).unwrap_err();
    assert!(refused.contains("--follow"), "{refused}");
    let refused = create(&folder, &conninfo(&primary), &["--follow", "host=x"]).unwrap_err();
    assert!(refused.contains("goes with an archive"), "{refused}");
    let from = conninfo(&primary);
    let said = create(&folder, &archive, &["--follow", &from]).unwrap();
    assert!(said.contains("needs the log from") && said.contains("slot there is \"b\""), "{said}");
    let standby = Serving::start(&folder, &SOON);
    let mut r = reader(&standby);
    let expected = p.query(SUM);
    wait_for(&mut r, SUM, &expected[0]);
    // The sum is the same from the insert on: the last UPDATE may still be to come.
    wait_for(&mut r, "SELECT count(*) FROM t WHERE length(s) = 202", "3000");

    // One that was restored to a moment before the newest backup: its log is another one since.
    p.query("SELECT evenkeel_backup('second', 'checkpoint=fast')");
    p.query("SELECT pg_switch_wal()");
    let restored = path("restored");
    let output = run(&["restore", &path("archive"), &restored, "--to-name", "then"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let other = Serving::start(Path::new(&restored), &[]);
    let folder = dir.path().join("c");
    let refused = create(&folder, &archive, &["--follow", &conninfo(&other)]).unwrap_err();
    assert!(refused.contains("its log left that one at"), "{refused}");
    assert!(!folder.exists() && other.client().query("SELECT * FROM pg_replication_slots").is_empty());
    let stranger = Serving::start(dir.path().join("s").as_path(), &[]);
    let refused = create(&folder, &archive, &["--follow", &conninfo(&stranger)]).unwrap_err();
    assert!(refused.contains("another database"), "{refused}");
}
