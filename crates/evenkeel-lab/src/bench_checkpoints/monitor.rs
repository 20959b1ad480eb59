//! Counters of a server, by SQL: PostgreSQL from 15 on, and ours.
//!
//! Each group of counters has variants, the preferred one first; the first that the server answers with something is used, and none if none is.
//!
//! It must not know what the counters are for.

use super::Error;
use super::sampler::Monitor;
use super::server_error;
use super::trace::Counters;
use evenkeel_client::ConnString;
use evenkeel_client::{Connection, Row, WireError};

const APPLICATION_NAME: &str = "evenkeel bench monitor";
/// Kernel ticks a second, as every Linux reports them.
const TICKS_PER_S: f64 = 100.0;

type Take = fn(&mut Counters, &[Row]);

/// A way to ask for some counters.
struct Query {
    sql: &'static str,
    take: Take,
}

/// Groups, each with its variants.
const GROUPS: &[&[Query]] = &[
    &[Query {
        sql: "SELECT wal_records, wal_fpi, wal_bytes FROM pg_stat_wal",
        take: |c, rows| [c.wal_records, c.wal_images, c.wal_bytes] = numbers(rows),
    }],
    &[
        Query {
            sql: "SELECT num_timed + num_requested, num_done, write_time, sync_time, buffers_written FROM pg_stat_checkpointer",
            take: checkpointer,
        },
        // PostgreSQL 17.
        Query {
            sql: "SELECT num_timed + num_requested, NULL, write_time, sync_time, buffers_written FROM pg_stat_checkpointer",
            take: checkpointer,
        },
        // PostgreSQL 15 and 16.
        Query {
            sql: "SELECT checkpoints_timed + checkpoints_req, NULL, checkpoint_write_time, checkpoint_sync_time, buffers_checkpoint FROM pg_stat_bgwriter",
            take: checkpointer,
        },
    ],
    &[Query {
        sql: "SELECT buffers_clean, maxwritten_clean, buffers_alloc FROM pg_stat_bgwriter",
        take: |c, rows| [c.by_cleaner, c.maxwritten, c.allocated] = numbers(rows),
    }],
    &[
        Query {
            sql: "SELECT sum(writes), sum(extends) FROM pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation'",
            take: backends,
        },
        // PostgreSQL 15 counts extensions as writes.
        Query { sql: "SELECT buffers_backend, NULL FROM pg_stat_bgwriter", take: backends },
    ],
    &[
        Query {
            sql: "SELECT dirty_pages, unsynced_files, rounds, redo_lsn, end_lsn FROM evenkeel_stat_checkpoint_partitions ORDER BY partition",
            take: partitions,
        },
        Query {
            sql: "SELECT buffers_dirty FROM pg_buffercache_summary()",
            take: |c, rows| [c.dirty_pages] = numbers(rows),
        },
    ],
    &[Query {
        sql: "SELECT redo_lsn, pg_current_wal_lsn() FROM pg_control_checkpoint()",
        take: |c, rows| recovery(c, rows, 0, 1),
    }],
];

/// A connection that asks.
pub struct SqlMonitor {
    to: ConnString,
    connection: Option<Connection>,
    queries: Vec<&'static Query>,
    /// Process whose processor time is read.
    process: Option<u32>,
}

impl SqlMonitor {
    /// Connects and finds out what the server tells. Blocks.
    pub fn connect(to: &ConnString, name: &str, process: Option<u32>) -> Result<SqlMonitor, Error> {
        let wrong = server_error(name);
        let mut connection = Connection::open(to, APPLICATION_NAME).map_err(&wrong)?;
        let mut queries = Vec::new();
        for group in GROUPS {
            for query in *group {
                match connection.query(query.sql) {
                    Ok(rows) if rows.first().is_some_and(|row| row.iter().any(Option::is_some)) => {
                        queries.push(query);
                        break;
                    }
                    Ok(_) | Err(WireError::Server { .. }) => {}
                    Err(e) => return Err(wrong(e)),
                }
            }
        }
        Ok(SqlMonitor { to: to.clone(), connection: Some(connection), queries, process })
    }

    fn ask(&mut self) -> Result<Counters, WireError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(&self.to, APPLICATION_NAME)?),
        };
        let mut counters = Counters::default();
        for query in &self.queries {
            (query.take)(&mut counters, &connection.query(query.sql)?);
        }
        Ok(counters)
    }
}

impl Monitor for SqlMonitor {
    fn read(&mut self) -> Option<Counters> {
        match self.ask() {
            Ok(mut counters) => {
                counters.cpu_s = self.process.and_then(cpu_s);
                counters.resident_bytes = self.process.and_then(resident_bytes);
                counters.stolen_s = stolen_s();
                Some(counters)
            }
            Err(_) => {
                // The next reading tries again.
                self.connection = None;
                None
            }
        }
    }
}

fn numbers<const N: usize>(rows: &[Row]) -> [Option<f64>; N] {
    std::array::from_fn(|n| number(rows.first()?, n))
}

fn number(row: &Row, n: usize) -> Option<f64> {
    row.get(n)?.as_deref()?.parse().ok().filter(|v: &f64| v.is_finite())
}

fn checkpointer(c: &mut Counters, rows: &[Row]) {
    [c.checkpoints_begun, c.checkpoints_done, c.write_ms, c.sync_ms, c.by_checkpointer] = numbers(rows);
}

fn backends(c: &mut Counters, rows: &[Row]) {
    [c.by_backends, c.extended] = numbers(rows);
}

fn partitions(c: &mut Counters, rows: &[Row]) {
    let total = |n| rows.iter().filter_map(|row| number(row, n)).reduce(|a, b| a + b);
    (c.dirty_pages, c.unsynced_files) = (total(0), total(1));
    c.rounds = rows.iter().filter_map(|row| number(row, 2)).collect();
    recovery(c, rows, 3, 4);
}

/// From the oldest redo point to the log's end is read; the mean over the partitions is applied.
fn recovery(c: &mut Counters, rows: &[Row], redo_column: usize, end_column: usize) {
    let of = |row: &Row, n: usize| lsn(row.get(n)?.as_deref()?);
    let Some(end) = rows.iter().filter_map(|row| of(row, end_column)).max() else { return };
    let lengths =
        rows.iter().filter_map(|row| of(row, redo_column)).map(|redo| end.saturating_sub(redo) as f64);
    let lengths: Vec<f64> = lengths.collect();
    c.recovery_bytes = lengths.iter().copied().reduce(f64::max);
    c.applied_bytes = c.recovery_bytes.map(|_| lengths.iter().sum::<f64>() / lengths.len() as f64);
}

/// `16/B374D848`, or a plain number.
fn lsn(text: &str) -> Option<u64> {
    match text.split_once('/') {
        Some((high, low)) => {
            let (high, low) = (u32::from_str_radix(high, 16).ok()?, u32::from_str_radix(low, 16).ok()?);
            Some(u64::from(high) << 32 | u64::from(low))
        }
        None => text.parse().ok(),
    }
}

/// Processor time that a process has used, in seconds.
pub fn cpu_s(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The command's name, in parentheses, may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / TICKS_PER_S)
}

/// Memory of a process that is resident, files and shared memory included.
fn resident_bytes(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0)
}

/// Processor time since the start of the system that its hypervisor gave to others, in seconds, over all processors.
pub fn stolen_s() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    // cpu, user, nice, system, idle, iowait, irq, softirq, steal
    let ticks: f64 = stat.lines().next()?.split_whitespace().nth(8)?.parse().ok()?;
    Some(ticks / TICKS_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[&str]) -> Row {
        values.iter().map(|v| (!v.is_empty()).then(|| v.to_string())).collect()
    }

    #[test]
    fn values_that_are_missing_or_no_numbers_stay_away() {
        let mut c = Counters::default();
        checkpointer(&mut c, &[row(&["3", "", "12.5", "NaN", "x"])]);
        assert_eq!((c.checkpoints_begun, c.checkpoints_done, c.write_ms), (Some(3.0), None, Some(12.5)));
        assert_eq!((c.sync_ms, c.by_checkpointer), (None, None));
        checkpointer(&mut c, &[]);
        assert_eq!(c, Counters::default());
    }

    #[test]
    fn partitions_are_added_up_and_the_oldest_redo_point_counts() {
        let mut c = Counters::default();
        let rows = [row(&["10", "1", "5", "0/20", "0/90"]), row(&["20", "2", "4", "0/10", "0/90"])];
        partitions(&mut c, &rows);
        assert_eq!(
            (c.dirty_pages, c.unsynced_files, c.rounds.clone()),
            (Some(30.0), Some(3.0), vec![5.0, 4.0])
        );
        assert_eq!((c.recovery_bytes, c.applied_bytes), (Some(128.0), Some(120.0)));
        recovery(&mut c, &[row(&["", "0/90"])], 0, 1);
        assert_eq!((c.recovery_bytes, c.applied_bytes), (None, None));
        assert_eq!(lsn("16/B374D848"), Some(0x16_B374_D848));
        assert_eq!(lsn("x/1"), None);
    }

    #[test]
    fn processor_time_is_read() {
        assert!(cpu_s(std::process::id()).is_some());
        assert_eq!((cpu_s(u32::MAX), resident_bytes(u32::MAX)), (None, None));
        assert!(resident_bytes(std::process::id()) > Some(1e5));
        assert!(stolen_s().is_some());
    }
}
