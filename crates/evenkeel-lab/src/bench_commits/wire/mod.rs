//! The workload over the wire, against any server that speaks PostgreSQL's protocol.
//!
//! Each client has a connection and a table of its own. One more connection, idle meanwhile, makes the tables and reads the server's counters: flushes are
//! what the server itself counts.
//!
//! It must not know whether the server is ours, but for reading the counters' names.

mod load;

use std::time::Duration;

use evenkeel_client::{ConnString, Connection, WireError};
use load::Client;

use super::{Error, Load, Sample, Target};

const APPLICATION_NAME: &str = "evenkeel bench";
const CONTROL_NAME: &str = "evenkeel bench control";
/// What decides whether a commit is durable, and at what price.
const SETTINGS: [&str; 7] = [
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_sync_method",
    "wal_flush_depth",
    "commit_delay",
    "shared_buffers",
];
/// How long the server may take to end the sessions; PostgreSQL's count their flushes then.
const GOODBYE_STEPS_MAX: u32 = 100;
const GOODBYE_STEP: Duration = Duration::from_millis(50);

/// Text of so many bytes, as every row has.
fn filler(bytes: u32) -> Vec<u8> {
    (0..bytes).map(|n| b'a' + (n * 7 % 26) as u8).collect()
}

/// Where the server counts its flushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counters {
    /// `pg_stat_wal`, up to PostgreSQL 17, and ours.
    StatWal,
    /// `pg_stat_io`, from 18 on.
    StatIo,
    /// Nowhere that we know of.
    None,
}

/// A server.
pub struct Wire {
    to: ConnString,
    name: String,
    settings: Vec<(String, String)>,
    control: Connection,
    counters: Counters,
    /// Writes are flushes: the method has no separate ones.
    writes_flush: bool,
    /// Its counters are up to date only when sessions have ended.
    counts_late: bool,
    /// First numbers of the clients' next rows; as many as there are tables.
    numbers: Vec<u64>,
}

impl Wire {
    /// Connects and looks at what it is. Blocks.
    pub fn connect(to: &ConnString) -> Result<Wire, Error> {
        let wrong = |source| Error::Server { name: to.to_string(), source };
        let mut control = Connection::open(to, CONTROL_NAME).map_err(wrong)?;
        let version = control.value("SELECT version()").map_err(wrong)?.unwrap_or_default();
        let mut settings = Vec::new();
        for setting in SETTINGS {
            if let Some(value) = optional(control.value(&format!("SHOW {setting}"))).map_err(wrong)?.flatten()
            {
                settings.push((setting.to_string(), value));
            }
        }
        let mut counters = Counters::None;
        for candidate in [Counters::StatWal, Counters::StatIo] {
            if counters == Counters::None
                && optional(control.query(&candidate.sql(false))).map_err(wrong)?.is_some()
            {
                counters = candidate;
            }
        }
        let method = settings.iter().find(|(name, _)| name == "wal_sync_method").map(|(_, v)| v.as_str());
        let ours = version.contains("evenkeel");
        Ok(Wire {
            to: to.clone(),
            name: name_of(&version),
            control,
            counters,
            writes_flush: method.is_none_or(|m| m.starts_with("open") || m == "direct" || m == "io_uring"),
            counts_late: !ours,
            numbers: Vec::new(),
            settings,
        })
    }

    /// Product and version.
    pub fn product(&self) -> &str {
        &self.name
    }

    fn wrong(&self, source: WireError) -> Error {
        Error::Server { name: self.name.clone(), source }
    }

    fn run(&mut self, sql: &str) -> Result<(), Error> {
        self.control.query(sql).map(drop).map_err(|e| self.wrong(e))
    }

    /// Flushes and log bytes so far, if the server tells.
    fn counted(&mut self) -> Result<Option<(u64, u64)>, Error> {
        if self.counters == Counters::None {
            return Ok(None);
        }
        let rows = self.control.query(&self.counters.sql(self.writes_flush)).map_err(|e| self.wrong(e))?;
        let number = |n: usize| rows.first()?.get(n)?.as_ref()?.parse::<f64>().ok().map(|v| v as u64);
        Ok(number(0).zip(number(1)))
    }

    fn await_goodbye(&mut self) -> Result<(), Error> {
        let sql =
            format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{APPLICATION_NAME}'");
        for _ in 0..GOODBYE_STEPS_MAX {
            if self.control.value(&sql).map_err(|e| self.wrong(e))?.as_deref() == Some("0") {
                return Ok(());
            }
            std::thread::sleep(GOODBYE_STEP);
        }
        Ok(())
    }
}

impl Counters {
    fn sql(self, writes_flush: bool) -> String {
        let column = |a, b| if writes_flush { a } else { b };
        match self {
            Counters::StatWal => {
                format!("SELECT {}, wal_bytes FROM pg_stat_wal", column("wal_write", "wal_sync"))
            }
            _ => format!(
                "SELECT sum({}), (SELECT wal_bytes FROM pg_stat_wal) FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'",
                column("writes", "fsyncs")
            ),
        }
    }
}

/// None where the server knows no such thing.
fn optional<T>(result: Result<T, WireError>) -> Result<Option<T>, WireError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(WireError::Server { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}

/// `PostgreSQL 18.4 on x86_64 …` is PostgreSQL 18.4; ours says that it is both, and then it is ours.
pub(crate) fn name_of(version: &str) -> String {
    let words: Vec<&str> = version.split_whitespace().collect();
    let clean = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_string();
    if let Some(at) = words.iter().position(|w| w.contains("evenkeel")) {
        let number =
            words.get(at + 1).map(|w| clean(w)).filter(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        return number.map_or_else(|| "evenkeel".into(), |n| format!("evenkeel {n}"));
    }
    match words[..] {
        [product, number, ..] => format!("{} {}", clean(product), clean(number)),
        _ => "unknown server".into(),
    }
}

fn table(n: usize) -> String {
    format!("evenkeel_bench_{n}")
}

impl Target for Wire {
    fn name(&self) -> &str {
        &self.name
    }

    fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// Whoever has started one that is says so.
    fn is_own(&self) -> bool {
        false
    }

    fn place(&self) -> String {
        self.to.to_string()
    }

    fn prepare(&mut self, clients: u32) -> Result<(), Error> {
        for n in 0..clients as usize {
            self.run(&format!("DROP TABLE IF EXISTS {}", table(n)))?;
            self.run(&format!("CREATE TABLE {} (id bigint, filler text)", table(n)))?;
            self.numbers.push(0);
        }
        Ok(())
    }

    fn load(&mut self, load: &Load<'_>) -> Result<Sample, Error> {
        let mut clients = Vec::new();
        for n in 0..load.clients as usize {
            let connection = Connection::open(&self.to, APPLICATION_NAME).map_err(|e| self.wrong(e))?;
            let client = Client::prepare(connection, &table(n), load.bytes, self.numbers[n]);
            clients.push(client.map_err(|e| self.wrong(e))?);
        }
        let before = self.counted()?;
        let mut sample = load::run(&mut clients, load, &self.name)?;
        for (number, client) in self.numbers.iter_mut().zip(&clients) {
            *number = client.number();
        }
        drop(clients);
        if self.counts_late {
            self.await_goodbye()?;
        }
        if let (Some(before), Some(after)) = (before, self.counted()?) {
            sample.flushes = Some(after.0.saturating_sub(before.0));
            sample.log_bytes = Some(after.1.saturating_sub(before.1));
        }
        Ok(sample)
    }

    fn clean_up(&mut self) -> Result<(), Error> {
        for n in 0..std::mem::take(&mut self.numbers).len() {
            self.run(&format!("DROP TABLE IF EXISTS {}", table(n)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_by_product_and_version() {
        assert_eq!(name_of("PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc"), "PostgreSQL 18.4");
        assert_eq!(name_of("PostgreSQL 18.0 (evenkeel 0.1.0)"), "evenkeel 0.1.0");
        assert_eq!(name_of("PostgreSQL 18.0, evenkeel"), "evenkeel");
        assert_eq!(name_of(""), "unknown server");
    }
}
