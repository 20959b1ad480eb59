//! pgbench's tables on a server: whether they are there, loading them, and the state in which every run begins.
//!
//! It must not know which server it is.

use std::path::Path;
use std::time::Duration;

use super::load::pgbench;
use super::temporary::Process;
use super::{ACCOUNTS_PER_SCALE, Error, server_error};
use evenkeel_client::ConnString;
use evenkeel_client::{Connection, Message, WireError, server_error as error_of};

pub const CONTROL_NAME: &str = "evenkeel bench control";
const WAIT_STEP: Duration = Duration::from_millis(100);
const TABLES: &str = "pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers";

/// Called now and then with how much is done (0 to 1), if known; an error ends the loading.
pub type Tick<'a> = &'a mut dyn FnMut(Option<f64>) -> Result<(), Error>;

/// Runs a statement that may take long: a checkpoint, a scan on a slow disk. Blocks; `tick` may end it.
pub fn patiently(control: &mut Connection, name: &str, sql: &str, tick: Tick<'_>) -> Result<(), Error> {
    let wrong = server_error(name);
    let mut query = Message::new(b'Q');
    query.text(sql).map_err(&wrong)?;
    control.set_silence_max(WAIT_STEP).map_err(|e| wrong(e.into()))?;
    control.write(&query.end()).map_err(|e| wrong(e.into()))?;
    let mut error = None;
    loop {
        while let Some((kind, body)) = control.message().map_err(&wrong)? {
            match kind {
                b'E' => error = error.or(Some(error_of(body))),
                b'Z' => {
                    control.set_blocking(true).map_err(|e| wrong(e.into()))?;
                    return error.map_or(Ok(()), |e| Err(wrong(e)));
                }
                _ => {}
            }
        }
        if !control.fill().map_err(|e| wrong(e.into()))? {
            tick(None)?;
        }
    }
}

/// The scale of the tables that are there.
pub fn scale_of(control: &mut Connection) -> Result<Option<u64>, WireError> {
    match control.value("SELECT count(*) FROM pgbench_branches") {
        Ok(count) => Ok(count.and_then(|n| n.parse().ok()).filter(|n| *n > 0)),
        Err(WireError::Server { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Creates and fills the tables, dropping older ones: by pgbench if it is given, by SQL otherwise. `words` takes what pgbench says.
pub fn load(
    to: &ConnString,
    name: &str,
    program: Option<(&Path, &Path)>,
    scale: u32,
    tick: Tick<'_>,
) -> Result<(), Error> {
    match program {
        Some((program, words)) => by_pgbench(to, program, words, scale, tick),
        None => {
            let mut control = Connection::open(to, CONTROL_NAME).map_err(server_error(name))?;
            by_sql(&mut control, name, scale, tick)
        }
    }
}

fn by_pgbench(
    to: &ConnString,
    program: &Path,
    words: &Path,
    scale: u32,
    tick: Tick<'_>,
) -> Result<(), Error> {
    let mut command = pgbench::command(program, to);
    command.args(["-i", "-q", "-s", &scale.to_string()]);
    let mut process = Process::start(command, "pgbench -i", words.into())?;
    loop {
        if let Some(status) = process.ended()? {
            return if status.success() { Ok(()) } else { Err(process.error(status)) };
        }
        tick(None)?;
        std::thread::sleep(WAIT_STEP);
    }
}

/// The tables that pgbench makes, with the same rows.
fn by_sql(control: &mut Connection, name: &str, scale: u32, tick: Tick<'_>) -> Result<(), Error> {
    let wrong = server_error(name);
    let scale = u64::from(scale);
    drop_tables(control).map_err(&wrong)?;
    for sql in [
        "CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))",
        "CREATE TABLE pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84))",
        "CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84))",
        "CREATE TABLE pgbench_branches (bid int NOT NULL, bbalance int, filler char(88))",
    ] {
        patiently(control, name, sql, tick)?;
    }
    for bid in 0..scale {
        let (from, to) = (bid * ACCOUNTS_PER_SCALE + 1, (bid + 1) * ACCOUNTS_PER_SCALE);
        let sql = format!(
            "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) SELECT aid, {}, 0, '' FROM generate_series({from}, {to}) AS aid",
            bid + 1
        );
        patiently(control, name, &sql, tick)?;
        tick(Some((bid + 1) as f64 / scale as f64))?;
    }
    for sql in [
        format!(
            "INSERT INTO pgbench_branches (bid, bbalance) SELECT bid, 0 FROM generate_series(1, {scale}) AS bid"
        ),
        format!(
            "INSERT INTO pgbench_tellers (tid, bid, tbalance) SELECT tid, (tid - 1) / 10 + 1, 0 FROM generate_series(1, {}) AS tid",
            scale * 10
        ),
        "ALTER TABLE pgbench_branches ADD PRIMARY KEY (bid)".into(),
        "ALTER TABLE pgbench_tellers ADD PRIMARY KEY (tid)".into(),
        "ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid)".into(),
        "VACUUM pgbench_accounts".into(),
    ] {
        patiently(control, name, &sql, tick)?;
    }
    Ok(())
}

/// Removes them.
pub fn drop_tables(control: &mut Connection) -> Result<(), WireError> {
    control.query(&format!("DROP TABLE IF EXISTS {TABLES}")).map(drop)
}

/// Brings the server into the state in which a run begins: history empty, tables in memory as far as they fit, everything checkpointed. Blocks.
pub fn before_run(control: &mut Connection, name: &str, tick: Tick<'_>) -> Result<(), Error> {
    patiently(control, name, "TRUNCATE pgbench_history", tick)?;
    // PostgreSQL keeps large scans out of its buffers, so it is told; others read the table.
    let prewarm = "SELECT pg_prewarm('pgbench_accounts') + pg_prewarm('pgbench_accounts_pkey')";
    match patiently(control, name, prewarm, tick) {
        Err(Error::Server { source: WireError::Server { .. }, .. }) => {
            patiently(control, name, "SELECT count(*), sum(abalance) FROM pgbench_accounts", tick)?;
            // The index too: each of its pages that is not there costs a transaction a read.
            let by_key = "SELECT count(bid) FROM pgbench_accounts WHERE aid BETWEEN 1 AND 2000000000";
            patiently(control, name, by_key, tick)?;
        }
        other => other?,
    }
    patiently(control, name, "CHECKPOINT", tick)
}

/// An extension that helps to measure: true if it is there now and was not before.
pub fn add_extension(control: &mut Connection, name: &str) -> Result<bool, WireError> {
    let there = optional(control.value(&format!("SELECT 1 FROM pg_extension WHERE extname = '{name}'")))?;
    if there.flatten().is_some() {
        return Ok(false);
    }
    Ok(optional(control.query(&format!("CREATE EXTENSION {name}")))?.is_some())
}

/// None where the server says no.
pub fn optional<T>(result: Result<T, WireError>) -> Result<Option<T>, WireError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(WireError::Server { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}
