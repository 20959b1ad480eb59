//! Servers that follow others.

use super::{Client, Serving, run, stderr, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

/// Long enough for anything that ends at all.
pub const LONG: Duration = Duration::from_secs(60);
/// What keeps the tests short.
pub const SOON: [&str; 2] = ["--set", "wal_retrieve_retry_interval=50ms"];

pub fn conninfo(server: &Serving) -> String {
    format!("host=127.0.0.1 port={} user=postgres dbname=postgres", server.port)
}

pub fn create(folder: &Path, from: &str, more: &[&str]) -> Result<String, String> {
    let mut args = vec!["standby", "create", folder.to_str().unwrap(), "--from", from];
    args.extend(more);
    let output = run(&args);
    if output.status.success() { Ok(stdout(&output)) } else { Err(stderr(&output)) }
}

/// Blocks until `sql` gives `expected`.
pub fn wait_for(c: &mut Client, sql: &str, expected: &str) {
    let began = Instant::now();
    loop {
        let got = c.query(sql).join(",");
        if got == expected {
            return;
        }
        assert!(began.elapsed() < LONG, "{sql}: {got}, not {expected}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A session of a standby that can be read, at once or soon.
pub fn reader(standby: &Serving) -> Client {
    let began = Instant::now();
    while standby.client_told().contains("57P03") {
        assert!(began.elapsed() < LONG, "nobody is let in");
        std::thread::sleep(Duration::from_millis(20));
    }
    standby.client()
}

/// Blocks until a standby has replayed all that the primary has.
pub fn caught_up(c: &mut Client) {
    let lag = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()";
    wait_for(c, lag, "1");
}
