//! A server with few descriptors: tables and connections share them; and one whose files may not grow beyond a size. One test, as limits are the whole process's.

mod common;

use common::{Client, Serving};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};

const TABLES: usize = 250;
const CLIENTS: usize = 60;

/// Every client reads tables that no other reads.
fn all_are_served(server: &Serving) {
    let mut clients: Vec<Client> = (0..CLIENTS).map(|_| server.client()).collect();
    for i in 0..TABLES {
        let sql = format!("SELECT length(v) FROM t{i} WHERE k = 1");
        assert_eq!(clients[i % CLIENTS].query(&sql), ["20000"], "table {i}");
    }
}

/// What asks for more than a file may have is told so, and everybody else goes on.
fn a_file_that_is_as_long_as_it_may_be(data: &std::path::Path) {
    let limit = Some(24 << 20);
    setrlimit(Resource::Fsize, Rlimit { current: limit, maximum: limit }).unwrap();
    let server = Serving::start(data, &[]);
    let mut c = server.client();
    c.query("CREATE TABLE grows (k int PRIMARY KEY, v text)");
    let insert = "INSERT INTO grows SELECT g, repeat('x', 1000) FROM generate_series(1, 40000) g";
    let told = c.query(insert);
    assert!(told.iter().any(|t| t.contains("53100")), "{told:?}");
    assert_eq!(c.query("SELECT count(*) FROM grows"), ["0"]);
    all_are_served(&server);
    server.signal(Signal::TERM);
    assert_eq!(server.finish().0, 0);
}

#[test]
fn limits_of_the_process_are_told_or_not_noticed() {
    let limit = Some(300);
    setrlimit(Resource::Nofile, Rlimit { current: limit, maximum: limit }).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let server = Serving::start(&data, &[]);
    let mut c = server.client();
    for i in 0..TABLES {
        // Large values: each table has a file.
        let sql = format!(
            "CREATE TABLE t{i} (k int PRIMARY KEY, v text); INSERT INTO t{i} VALUES (1, repeat('x', 20000))"
        );
        assert_eq!(c.query(&sql), [""; 0], "table {i}");
    }
    all_are_served(&server);
    assert_eq!(c.query("CHECKPOINT"), [""; 0]);
    let files = std::fs::read_dir(data.join("data")).unwrap().count();
    assert!(files > TABLES, "{files}");
    let open = std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).unwrap().count();
    assert!(open < 250, "{open}");
    server.signal(Signal::KILL);
    drop(server);
    let server = Serving::start(&data, &[]);
    all_are_served(&server);
    server.signal(Signal::TERM);
    assert_eq!(server.finish().0, 0);
    a_file_that_is_as_long_as_it_may_be(&data);
}
