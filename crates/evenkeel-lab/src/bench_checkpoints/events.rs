//! Large writes and readers now and then beside a load (W5): archiving, a bulk load, an index build, a long reader, a command such as a backup.
//!
//! Invariants
//! 1. What they made on a server goes in the end.
//! 2. An event that fails is noted and comes again in its time; the measurement goes on.
//!
//! It must not know what the load is.

use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::figures::seconds_of;
use super::prepare::patiently;
use super::{ACCOUNTS_PER_SCALE, Error, io_error, server_error};
use crate::logdisk::words::three;
use crate::median::median;
use evenkeel_client::{ConnString, Connection};

const NAME: &str = "evenkeel bench events";
const SLEEP_MAX: Duration = Duration::from_millis(50);
const ARCHIVED_ROWS: u64 = 10_000;
const LOADED_ROWS: u64 = 100_000;
const READER_S: f64 = 30.0;
const INDEX: &str = "evenkeel_lab_index";
/// Orders of a district of TPC-C that are delivered from the beginning, so that no terminal changes them; and the lines of one, about.
const OLD_ORDERS: u64 = 2100;
const LINES_OF_ORDER: u64 = 10;
const DISTRICTS: u64 = 10;

/// Something that happens now and then.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// As it was given.
    pub text: String,
    kind: Kind,
    every_s: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// So many rows (accounts, lines of old orders) are changed, and copied into an archive (thread B).
    Archive(u64),
    /// So many rows into a new table.
    Load(u64),
    /// Of these rows; it is dropped at once.
    Index,
    /// A snapshot that is kept so many seconds.
    Reader(f64),
    /// A shell command; the PG variables tell it where the server is.
    Shell(String),
}

/// What happened, seconds since the counted time began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Happened {
    /// As it was asked for.
    pub what: String,
    /// When it began.
    pub from_s: f64,
    /// When it ended.
    pub to_s: f64,
    /// Why it failed.
    pub error: Option<String>,
}

/// Headings of what [`summary`] gives.
pub const SUMMARY: [&str; 5] = ["beside it", "times", "took s", "longest s", "failed"];

/// Events by what they are: how often each came, how long it took, and why it failed.
pub fn summary(events: &[Happened]) -> Vec<[String; 5]> {
    let mut kinds: Vec<&str> = Vec::new();
    for e in events {
        if !kinds.contains(&e.what.as_str()) {
            kinds.push(&e.what);
        }
    }
    let row = |kind: &str| {
        let of: Vec<&Happened> = events.iter().filter(|e| e.what == kind).collect();
        let took: Vec<f64> = of.iter().map(|e| e.to_s - e.from_s).collect();
        let failed: Vec<&String> = of.iter().filter_map(|e| e.error.as_ref()).collect();
        [
            kind.to_owned(),
            of.len().to_string(),
            median(&took).map(three).unwrap_or_default(),
            took.iter().copied().reduce(f64::max).map(three).unwrap_or_default(),
            failed.first().map(|why| format!("{}: {why}", failed.len())).unwrap_or_default(),
        ]
    };
    kinds.into_iter().map(row).collect()
}

impl FromStr for Event {
    type Err = String;

    /// `archive@1h`, `archive=500@1h`, `load@10min`, `index@30min`, `reader=60s@15min`, `sh=COMMAND@10min`.
    fn from_str(text: &str) -> Result<Event, String> {
        let parsed = || {
            let (what, every) = text.rsplit_once('@')?;
            let (name, value) = match what.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (what, None),
            };
            let rows = |usual: u64| match value {
                None => Some(usual),
                Some(v) => v.parse().ok().filter(|n| (1..=1_000_000_000).contains(n)),
            };
            let kind = match (name, value) {
                ("archive", _) => Kind::Archive(rows(ARCHIVED_ROWS)?),
                ("load", _) => Kind::Load(rows(LOADED_ROWS)?),
                ("index", None) => Kind::Index,
                ("reader", None) => Kind::Reader(READER_S),
                ("reader", Some(v)) => Kind::Reader(seconds_of(v)?),
                ("sh", Some(command)) if !command.trim().is_empty() => Kind::Shell(command.into()),
                _ => return None,
            };
            let every_s = seconds_of(every).filter(|s| (0.1..=1e7).contains(s))?;
            Some(Event { text: text.into(), kind, every_s })
        };
        parsed().ok_or_else(|| {
            format!("\"{text}\" is no event; expected archive[=ROWS]@1h, load[=ROWS]@10min, index@30min, reader[=TIME]@15min or sh=COMMAND@10min")
        })
    }
}

/// Where, and how large.
pub struct Place<'a> {
    /// The server.
    pub to: &'a ConnString,
    /// Its name, for errors.
    pub name: &'a str,
    /// The load's tables.
    pub tables: Tables,
}

/// The tables of a load, and how large they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// pgbench's, of a scale.
    Pgbench(u32),
    /// TPC-C's, of so many warehouses.
    Tpcc(u32),
}

/// What is done to the largest of them.
struct Largest {
    table: &'static str,
    /// Where its indexes are, with the dot behind it.
    schema: &'static str,
    declared: &'static str,
    columns: &'static str,
    change: &'static str,
    /// A number in it.
    number: &'static str,
}

impl Tables {
    fn largest(self) -> Largest {
        match self {
            Tables::Pgbench(_) => Largest {
                table: "pgbench_accounts",
                schema: "",
                declared: "aid int, bid int, abalance int, filler char(84)",
                columns: "aid, bid, abalance, filler",
                change: "abalance = abalance + 1",
                number: "abalance",
            },
            Tables::Tpcc(_) => Largest {
                table: "evenkeel_tpcc.order_line",
                schema: "evenkeel_tpcc.",
                declared: "ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_quantity int, ol_dist_info char(24)",
                columns: "ol_w_id, ol_d_id, ol_o_id, ol_number, ol_quantity, ol_dist_info",
                change: "ol_dist_info = ol_dist_info",
                number: "ol_quantity",
            },
        }
    }

    /// So many rows of it, others each time: such as no terminal of TPC-C changes, for which it would be a deadlock sooner or later.
    fn some(self, n: u64, rows: u64) -> String {
        match self {
            Tables::Pgbench(scale) => {
                let accounts = u64::from(scale) * ACCOUNTS_PER_SCALE;
                let from = n * rows % accounts.saturating_sub(rows).max(1) + 1;
                format!("aid BETWEEN {from} AND {}", from + rows - 1)
            }
            Tables::Tpcc(warehouses) => {
                let orders = (rows / LINES_OF_ORDER).clamp(1, OLD_ORDERS);
                let a_district = OLD_ORDERS / orders;
                let place = n % (u64::from(warehouses.max(1)) * DISTRICTS * a_district);
                let (district, from) = (place / a_district, place % a_district * orders + 1);
                format!(
                    "ol_w_id = {} AND ol_d_id = {} AND ol_o_id BETWEEN {from} AND {}",
                    district / DISTRICTS + 1,
                    district % DISTRICTS + 1,
                    from + orders - 1
                )
            }
        }
    }
}

impl Event {
    /// Does it whenever its time comes, until `ended` is set: first half its interval after the origin. Blocks.
    pub fn now_and_then(&self, place: &Place<'_>, origin: Instant, ended: &AtomicBool) -> Vec<Happened> {
        let mut all = Vec::new();
        let mut next = origin + Duration::from_secs_f64(self.every_s / 2.0);
        while !ended.load(Ordering::Relaxed) {
            let now = Instant::now();
            if now < next {
                std::thread::sleep((next - now).min(SLEEP_MAX));
                continue;
            }
            let error = self.once(place, all.len() as u64, ended).err(); // invariant 2
            let at = |t: Instant| t.saturating_duration_since(origin).as_secs_f64();
            let error = error.filter(|e| !matches!(e, Error::Interrupted)).map(|e| e.to_string());
            all.push(Happened { what: self.text.clone(), from_s: at(now), to_s: at(Instant::now()), error });
            next = (next + Duration::from_secs_f64(self.every_s)).max(Instant::now());
        }
        all
    }

    fn once(&self, place: &Place<'_>, n: u64, ended: &AtomicBool) -> Result<(), Error> {
        if let Kind::Shell(command) = &self.kind {
            return command_at(command, place, ended);
        }
        let mut control = Connection::open(place.to, NAME).map_err(server_error(place.name))?;
        let mut tick = |_| if ended.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) };
        for statement in self.statements(place.tables, n) {
            patiently(&mut control, place.name, &statement, &mut tick)?;
        }
        if let Kind::Reader(seconds) = self.kind {
            let until = Instant::now() + Duration::from_secs_f64(seconds);
            while Instant::now() < until {
                std::thread::sleep(SLEEP_MAX);
                tick(None)?;
            }
            patiently(&mut control, place.name, "COMMIT", &mut tick)?;
        }
        Ok(())
    }

    fn statements(&self, tables: Tables, n: u64) -> Vec<String> {
        let Largest { table, schema, declared, columns, change, number } = tables.largest();
        match self.kind {
            Kind::Archive(rows) => {
                let which = tables.some(n, rows);
                vec![
                    format!("CREATE TABLE IF NOT EXISTS evenkeel_lab_archive ({declared})"),
                    "BEGIN".into(),
                    format!("UPDATE {table} SET {change} WHERE {which}"),
                    format!("INSERT INTO evenkeel_lab_archive SELECT {columns} FROM {table} WHERE {which}"),
                    "COMMIT".into(),
                ]
            }
            Kind::Load(rows) => vec![
                "DROP TABLE IF EXISTS evenkeel_lab_bulk".into(),
                "CREATE TABLE evenkeel_lab_bulk (id int, filler char(84))".into(),
                format!(
                    "INSERT INTO evenkeel_lab_bulk SELECT g, 'bulk' FROM generate_series(1, {rows}) AS g"
                ),
            ],
            // As whoever has users would: otherwise these wait for a long reader, and all writers for them.
            Kind::Index => vec![
                format!("DROP INDEX CONCURRENTLY IF EXISTS {schema}{INDEX}"),
                format!("CREATE INDEX CONCURRENTLY {INDEX} ON {table} ({number})"),
                format!("DROP INDEX CONCURRENTLY {schema}{INDEX}"),
            ],
            Kind::Reader(_) => vec![
                "BEGIN ISOLATION LEVEL REPEATABLE READ".into(),
                format!("SELECT count(*), sum({number}) FROM {table}"),
            ],
            Kind::Shell(_) => Vec::new(),
        }
    }
}

/// Removes what they made (invariant 1).
pub fn clean_up(place: &Place<'_>) -> Result<(), Error> {
    let wrong = server_error(place.name);
    let mut control = Connection::open(place.to, NAME).map_err(&wrong)?;
    let index = format!("DROP INDEX IF EXISTS {}{INDEX}", place.tables.largest().schema);
    for statement in ["DROP TABLE IF EXISTS evenkeel_lab_archive, evenkeel_lab_bulk", &index] {
        control.query(statement).map_err(&wrong)?;
    }
    Ok(())
}

fn command_at(command: &str, place: &Place<'_>, ended: &AtomicBool) -> Result<(), Error> {
    let to = place.to;
    let mut sh = Command::new("sh");
    sh.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    sh.env("PGHOST", &to.host)
        .env("PGPORT", to.port.to_string())
        .env("PGUSER", &to.user)
        .env("PGDATABASE", &to.database);
    sh.envs(to.password.iter().map(|p| ("PGPASSWORD", p)));
    let mut child = sh.spawn().map_err(io_error("sh"))?;
    loop {
        if let Some(status) = child.try_wait().map_err(io_error("sh"))? {
            return match status.success() {
                true => Ok(()),
                false => Err(Error::Child { program: command.into(), why: status.to_string() }),
            };
        }
        if ended.load(Ordering::Relaxed) {
            let _ = (child.kill(), child.wait());
            return Err(Error::Interrupted);
        }
        std::thread::sleep(SLEEP_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_and_nonsense_is_refused() {
        let read = |text: &str| text.parse::<Event>().map(|e| (e.kind, e.every_s));
        assert_eq!(read("archive@1h"), Ok((Kind::Archive(10_000), 3600.0)));
        assert_eq!(read("load=500@10min"), Ok((Kind::Load(500), 600.0)));
        assert_eq!(read("reader=60s@15min"), Ok((Kind::Reader(60.0), 900.0)));
        assert_eq!(read("sh=mail a@b@2s"), Ok((Kind::Shell("mail a@b".into()), 2.0)));
        for text in ["archive", "archive=x@1h", "index=3@1h", "nap@1h", "sh=@1h", "load@0s"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn archiving_goes_through_the_accounts_and_stays_within_them() {
        let event: Event = "archive@1s".parse().unwrap();
        let statements = |n| event.statements(Tables::Pgbench(1), n)[2].clone();
        assert!(statements(0).ends_with("BETWEEN 1 AND 10000"), "{}", statements(0));
        assert!(statements(8).ends_with("BETWEEN 80001 AND 90000"), "{}", statements(8));
        assert!(statements(9).ends_with("BETWEEN 1 AND 10000"), "{}", statements(9));
    }

    #[test]
    fn archiving_goes_through_the_old_orders_of_all_districts() {
        let event: Event = "archive=7000@1s".parse().unwrap();
        let statements = |n| event.statements(Tables::Tpcc(2), n)[2].clone();
        assert!(statements(0).ends_with("ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id BETWEEN 1 AND 700"));
        assert!(statements(2).ends_with("ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id BETWEEN 1401 AND 2100"));
        assert!(statements(59).ends_with("ol_w_id = 2 AND ol_d_id = 10 AND ol_o_id BETWEEN 1401 AND 2100"));
        assert_eq!(statements(60), statements(0));
        let all: Event = "archive=1000000@1s".parse().unwrap();
        assert!(
            all.statements(Tables::Tpcc(1), 3)[2].ends_with("ol_d_id = 4 AND ol_o_id BETWEEN 1 AND 2100")
        );
    }

    #[test]
    fn what_happened_is_summed_up_by_kinds() {
        let happened = |what: &str, s: f64, error: Option<&str>| Happened {
            what: what.into(),
            from_s: 10.0,
            to_s: 10.0 + s,
            error: error.map(String::from),
        };
        let all = [happened("a", 1.0, None), happened("b", 2.0, Some("no")), happened("a", 3.0, None)];
        assert_eq!(summary(&all), [["a", "2", "2.00", "3.00", ""], ["b", "1", "2.00", "2.00", "1: no"]]);
    }

    #[test]
    fn a_failing_command_is_noted_and_comes_again() {
        let event: Event = "sh=exit 3@0.1s".parse().unwrap();
        let to = "host=h port=1 user=u dbname=d".parse().unwrap();
        let place = Place { to: &to, name: "h", tables: Tables::Pgbench(1) };
        let ended = AtomicBool::new(false);
        let all = std::thread::scope(|scope| {
            let events = scope.spawn(|| event.now_and_then(&place, Instant::now(), &ended));
            std::thread::sleep(Duration::from_millis(700));
            ended.store(true, Ordering::Relaxed);
            events.join().unwrap()
        });
        assert!(
            all.len() >= 2 && all[0].error.as_ref().is_some_and(|e| e.contains("exit status: 3")),
            "{all:?}"
        );
        assert!(all[0].from_s >= 0.04 && all[0].to_s >= all[0].from_s);
    }
}
