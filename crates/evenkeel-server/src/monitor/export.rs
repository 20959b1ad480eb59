//! What a server does, as metrics: OpenMetrics, or the older text of Prometheus.
//!
//! Names go by Prometheus' conventions: `evenkeel_`, what it is, its unit, and `_total` for what only grows. Times are seconds, sizes bytes.
//!
//! It must not know who asks, nor where the figures come from.

use evenkeel::{CheckpointStage, FileKind, PAGE_BYTES};
use evenkeel_sql::{
    BUCKETS, ERROR_CLASSES, Latency, Observed, ReplayState, StatementKind, TransactionEnd, WalReceiver,
    bucket_start_us,
};
use evenkeel_types::datetime::wall_clock_us;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, prometheus_text, text};
use prometheus_client::registry::{Registry, Unit};

use super::families::{Buckets, Families, Labels, Series};
use super::process::Process;

/// OpenMetrics' name.
pub(super) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All that is told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// None: nothing can be told yet.
    pub observed: Option<Observed>,
    /// Of a standby that cannot be read, all the same.
    pub standby: Option<(ReplayState, Option<WalReceiver>)>,
    pub process: Process,
    pub connections: u64,
    pub max_connections: u64,
    /// Since the Unix epoch, seconds; None: there is none, or it is not known.
    pub last_backup_s: Option<f64>,
    /// How often metrics were asked for.
    pub scrapes: u64,
    /// How long it took to gather this, seconds.
    pub gathered_s: f64,
}

/// The text, and its type. `accept`: what is welcome.
pub(super) fn encode(told: Told, accept: Option<&str>) -> (String, &'static str) {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(told));
    let mut out = String::with_capacity(64 << 10);
    let is_open = accept.is_some_and(|a| a.contains("application/openmetrics-text"));
    // Writing to a string does not fail.
    let _ = match is_open {
        true => text::encode(&mut out, &registry),
        false => prometheus_text::encode(&mut out, &registry),
    };
    (out, if is_open { OPEN_METRICS } else { prometheus_text::CONTENT_TYPE })
}

/// Powers of two of microseconds at which buckets of times end: from 16 µs to 67 s.
const TIMES: (usize, usize) = (4, 26);
/// The same of reads, writes and syncs: 4 s.
const IO_TIME_MAX: usize = 22;
const US: f64 = 1e6;
/// Between PostgreSQL's epoch and that of Unix.
pub(super) const EPOCHS_APART_S: f64 = 946_684_800.0;

type Written = Result<(), std::fmt::Error>;

fn label(name: &'static str, value: impl ToString) -> Labels {
    vec![(name, value.to_string())]
}

fn seconds(us: u64) -> f64 {
    us as f64 / US
}

fn yes(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// A stage's name.
pub(super) fn stage_name(stage: CheckpointStage) -> &'static str {
    match stage {
        CheckpointStage::Begin => "begin",
        CheckpointStage::FloorRaised => "floor_raised",
        CheckpointStage::Writing => "writing",
        CheckpointStage::AwaitingWriteBacks => "awaiting_write_backs",
        CheckpointStage::Syncing => "syncing",
        CheckpointStage::Durable => "durable",
        CheckpointStage::Published => "published",
    }
}

/// A statement's times, in buckets of powers of two.
fn buckets_of(latency: &Latency) -> Buckets {
    let mut buckets = Buckets { ends: Vec::new(), sum: seconds(latency.sum_us) };
    let (mut next, mut below) = (TIMES.0, 0);
    for bucket in 0..BUCKETS {
        if next <= TIMES.1 && bucket_start_us(bucket) >= 1 << next {
            buckets.ends.push((seconds(1 << next), std::mem::take(&mut below)));
            next += 1;
        }
        below += latency.buckets[bucket];
    }
    buckets.ends.push((f64::INFINITY, below));
    buckets
}

impl Collector for Told {
    fn encode(&self, encoder: DescriptorEncoder) -> Written {
        let mut f = Families(encoder);
        self.server(&mut f)?;
        let Some(o) = &self.observed else {
            return match &self.standby {
                Some((replay, receiver)) => standby(&mut f, Some(replay), receiver.as_ref(), wall_clock_us()),
                None => Ok(()),
            };
        };
        statements(&mut f, o)?;
        commits(&mut f, o)?;
        log(&mut f, o)?;
        pool(&mut f, o)?;
        rounds(&mut f, o)?;
        locks(&mut f, o)?;
        undo(&mut f, o)?;
        self.archive(&mut f, o)?;
        replication(&mut f, o)?;
        sessions(&mut f, o)
    }
}

impl Told {
    fn server(&self, f: &mut Families<'_>) -> Written {
        let version = vec![(label("version", env!("CARGO_PKG_VERSION")), 1.0)];
        f.gauges("build_info", None, "The version that runs.", version)?;
        f.gauge("up", None, "Whether the database can be used.", yes(self.observed.is_some()))?;
        f.gauge(
            "connections",
            None,
            "Connections, also of those who have not begun a session.",
            self.connections as f64,
        )?;
        f.gauge("max_connections", None, "Sessions that there may be.", self.max_connections as f64)?;
        f.counter(
            "metrics_scrapes",
            None,
            "How often metrics were asked for, this time too.",
            self.scrapes as f64,
        )?;
        f.gauge(
            "metrics_gathering",
            Some(Unit::Seconds),
            "How long it took to gather these.",
            self.gathered_s,
        )?;
        let p = &self.process;
        let one = |value: Option<f64>| value.map_or(Vec::new(), |v| vec![(Labels::new(), v)]);
        f.counters(
            "process_cpu",
            Some(Unit::Seconds),
            "Time of processors that the process has had.",
            one(p.cpu_seconds),
        )?;
        f.gauges(
            "process_resident_memory",
            Some(Unit::Bytes),
            "Memory that is resident.",
            one(p.resident_bytes),
        )?;
        f.gauges(
            "process_virtual_memory",
            Some(Unit::Bytes),
            "Addresses that are taken.",
            one(p.virtual_bytes),
        )?;
        f.gauges("process_open_fds", None, "Open files.", one(p.open_fds))?;
        f.gauges("process_max_fds", None, "Files that may be open.", one(p.max_fds))?;
        f.gauges("process_threads", None, "Threads.", one(p.threads))
    }

    fn archive(&self, f: &mut Families<'_>, o: &Observed) -> Written {
        let now_s = o.now_us as f64 / US + EPOCHS_APART_S;
        let one = |value: Option<f64>| value.map_or(Vec::new(), |v| vec![(Labels::new(), v)]);
        f.gauge("archive_configured", None, "Whether there is an archive.", yes(o.archive.is_some()))?;
        if let Some(a) = &o.archive {
            f.counter("archive_segments", None, "Segments of log archived.", a.archived as f64)?;
            f.counter("archive_log", Some(Unit::Bytes), "Log archived, as it was.", a.log_bytes as f64)?;
            f.counter(
                "archive_stored",
                Some(Unit::Bytes),
                "The same, as it is stored.",
                a.stored_bytes as f64,
            )?;
            f.counter("archive_failures", None, "Attempts to archive that failed.", a.failed as f64)?;
            f.counter(
                "archive_gaps",
                None,
                "Times that log was missing which the archive lacks.",
                a.gaps as f64,
            )?;
            f.gauge(
                "archive_lag",
                Some(Unit::Bytes),
                "Log that is durable here and not archived.",
                a.lag_bytes as f64,
            )?;
            f.gauge(
                "archive_oldest_wait",
                Some(Unit::Seconds),
                "How long the oldest finished segment has waited.",
                a.oldest_wait.as_secs_f64(),
            )?;
            f.gauge(
                "archive_writes_refused",
                None,
                "Whether writes wait until the archive has caught up.",
                yes(a.writes_refused),
            )?;
            let last = (a.last_archived_us > 0).then(|| seconds(a.last_archived_us));
            f.gauges(
                "archive_last_archived_timestamp",
                Some(Unit::Seconds),
                "When a segment was archived last.",
                one(last),
            )?;
        }
        f.gauges(
            "backup_last_timestamp",
            Some(Unit::Seconds),
            "When the latest backup that is complete ended.",
            one(self.last_backup_s),
        )?;
        f.gauges(
            "backup_age",
            Some(Unit::Seconds),
            "How long ago that is.",
            one(self.last_backup_s.map(|at| (now_s - at).max(0.0))),
        )?;
        f.gauge("backup_running", None, "Whether a backup is being made.", yes(o.backup.is_some()))?;
        if let Some(b) = &o.backup {
            f.gauge("backup_size", Some(Unit::Bytes), "Of the files that it copies.", b.total_bytes as f64)?;
            f.gauge(
                "backup_copied",
                Some(Unit::Bytes),
                "What it has copied of them.",
                b.copied_bytes as f64,
            )?;
        }
        Ok(())
    }
}

fn statements(f: &mut Families<'_>, o: &Observed) -> Written {
    let kinds = || StatementKind::ALL.iter().zip(&o.tallied.statements);
    let times = kinds().map(|(kind, l)| (label("kind", kind.name()), buckets_of(l))).collect();
    f.histograms(
        "statement_duration",
        Some(Unit::Seconds),
        "How long statements took, with their commits and what replies waited for the log and for standbys.",
        times,
    )?;
    let rows = kinds().map(|(kind, l)| (label("kind", kind.name()), l.rows as f64)).collect();
    f.counters("statement_rows", None, "Rows that statements gave or changed.", rows)?;
    let errors = ERROR_CLASSES.iter().zip(o.tallied.errors);
    let errors = errors.map(|((_, name), n)| (label("class", name), n as f64)).collect();
    f.counters("statement_errors", None, "Errors that clients were told of.", errors)?;
    let ends = TransactionEnd::ALL.iter().zip(o.tallied.transactions);
    let ends = ends.map(|(end, n)| (label("end", end.name()), n as f64)).collect();
    f.counters("transactions", None, "Transactions by how they ended.", ends)?;
    f.counter("commits", None, "Transactions that committed changes.", o.engine.commits as f64)
}

fn commits(f: &mut Families<'_>, o: &Observed) -> Written {
    let c = &o.commits;
    let stages =
        [("written", &c.written_us), ("flushed", &c.flushed_us), ("acknowledged", &c.acknowledged_us)];
    let times = stages
        .into_iter()
        .map(|(stage, counts)| (label("stage", stage), Buckets::of_powers(counts, TIMES.0, TIMES.1, US)))
        .collect();
    f.histograms(
        "commit_stage_duration",
        Some(Unit::Seconds),
        "How long requests to flush the log took to a stage from the one before; one may be for the commits of many sessions.",
        times,
    )?;
    f.histograms(
        "commit_wait_duration",
        Some(Unit::Seconds),
        "How long replies to commits waited for the log and for standbys.",
        vec![(Labels::new(), buckets_of(&o.tallied.commit_waits))],
    )?;
    let flush = Buckets::of_powers(&c.flush_time_us, TIMES.0, TIMES.1, US);
    f.histograms(
        "log_flush_duration",
        Some(Unit::Seconds),
        "How long writes of the log took until they were durable.",
        vec![(Labels::new(), flush)],
    )?;
    let gangs = Buckets::of_powers(&c.gang_size, 0, 10, 1.0);
    f.histograms(
        "log_gang_commits",
        None,
        "Commits that a write of the log carried.",
        vec![(Labels::new(), gangs)],
    )
}

fn log(f: &mut Families<'_>, o: &Observed) -> Written {
    let e = &o.engine;
    f.counter("log_records", None, "Records of the log.", e.wal_records as f64)?;
    f.counter("log_images", None, "Images of pages in it.", e.wal_fpi as f64)?;
    f.counter("log_inserted", Some(Unit::Bytes), "Bytes of its records.", e.wal_bytes as f64)?;
    f.counter("log_writes", None, "Writes of the log.", e.wal_writes as f64)?;
    f.counter(
        "log_written",
        Some(Unit::Bytes),
        "Bytes written, those that were written again included.",
        e.wal_bytes_written as f64,
    )?;
    f.counter("log_padding", Some(Unit::Bytes), "Bytes that filled blocks up.", e.wal_padding_bytes as f64)?;
    f.counter("log_write", Some(Unit::Seconds), "Time in its writes.", seconds(e.wal_write_time_us))?;
    f.counter("log_syncs", None, "Syncs of the log.", e.wal_syncs as f64)?;
    f.counter("log_sync", Some(Unit::Seconds), "Time in its syncs.", seconds(e.wal_sync_time_us))?;
    f.counter(
        "log_buffers_full",
        None,
        "Times that a record had to wait for room in memory.",
        e.wal_buffers_full as f64,
    )?;
    f.gauge("log_end", Some(Unit::Bytes), "Where the log ends.", e.wal_lsn as f64)?;
    f.gauge(
        "log_durable_end",
        Some(Unit::Bytes),
        "Where what is durable of it ends.",
        e.wal_flushed_lsn as f64,
    )
}

fn pool(f: &mut Families<'_>, o: &Observed) -> Written {
    let e = &o.engine;
    f.gauge("pool_pages", None, "Pages that the pool has room for.", e.buffers as f64)?;
    f.gauge(
        "pool_dirty_pages",
        None,
        "Pages in it that are newer than their files.",
        e.buffers_dirty as f64,
    )?;
    f.counter("pool_hits", None, "Pages that were found in it.", e.buffer_hits as f64)?;
    f.counter("pool_reads", None, "Pages that were read into it.", e.buffer_reads as f64)?;
    f.counter("pool_evictions", None, "Pages that had to go for others.", e.buffer_evictions as f64)?;
    f.counter("pool_allocations", None, "Pages that were given room.", e.buffers_alloc as f64)?;
    let writers =
        [("session", e.buffers_backend), ("bgwriter", e.buffers_clean), ("checkpoint", e.buffers_checkpoint)];
    let writes = writers.map(|(by, n)| (label("by", by), n as f64)).to_vec();
    f.counters(
        "pool_writes",
        None,
        "Pages written, by whom; what a session writes it had to, to get room.",
        writes,
    )?;
    f.counter("bgwriter_steps", None, "Steps of the background writer.", e.bgwriter_steps as f64)?;
    f.counter("bgwriter_scanned_pages", None, "Pages that it looked at.", e.bgwriter_scanned as f64)?;
    f.counter(
        "bgwriter_maxwritten",
        None,
        "Times that it stopped because it had written enough.",
        e.maxwritten_clean as f64,
    )?;
    f.counter("bgwriter", Some(Unit::Seconds), "Time that it was at work.", seconds(e.bgwriter_time_us))?;
    f.counter(
        "double_write_batches",
        None,
        "Batches of pages that were written twice, against torn pages.",
        e.double_write_batches as f64,
    )?;
    f.counter("double_write", Some(Unit::Bytes), "Bytes of these.", e.double_write_bytes as f64)?;
    f.counter(
        "torn_pages_repaired",
        None,
        "Torn pages that were put right at the start.",
        e.torn_pages_repaired as f64,
    )?;
    io(f, o)
}

fn io(f: &mut Families<'_>, o: &Observed) -> Written {
    let (mut times, mut bytes) = (Vec::new(), Vec::new());
    for (kind, s) in FileKind::ALL.iter().zip(&o.io) {
        let of =
            |what: &'static str, name: &str| vec![("file", kind.name().to_owned()), (what, name.to_owned())];
        for (operation, counts) in [("read", &s.reads_us), ("write", &s.writes_us), ("sync", &s.syncs_us)] {
            times.push((of("operation", operation), Buckets::of_powers(counts, TIMES.0, IO_TIME_MAX, US)));
        }
        bytes.push((of("direction", "read"), s.read_bytes as f64));
        bytes.push((of("direction", "write"), s.written_bytes as f64));
    }
    f.counters("io", Some(Unit::Bytes), "Bytes read and written, by kind of file.", bytes)?;
    f.histograms(
        "io_duration",
        Some(Unit::Seconds),
        "How long reads, writes and syncs took, by kind of file.",
        times,
    )
}

fn rounds(f: &mut Families<'_>, o: &Observed) -> Written {
    let e = &o.engine;
    let causes = [("timed", e.checkpoint_rounds_timed), ("requested", e.checkpoint_rounds_requested)];
    let causes = causes.map(|(cause, n)| (label("cause", cause), n as f64)).to_vec();
    f.counters("checkpoint_rounds", None, "Rounds of checkpoints, each of a partition.", causes)?;
    f.counter(
        "checkpoint_write",
        Some(Unit::Seconds),
        "Time that rounds wrote, pauses included.",
        seconds(e.checkpoint_write_time_us),
    )?;
    f.counter(
        "checkpoint_sync",
        Some(Unit::Seconds),
        "Time in their syncs, and between them.",
        seconds(e.checkpoint_sync_time_us),
    )?;
    f.counter("checkpoint_write_calls", None, "Writes of theirs.", e.checkpoint_write_calls as f64)?;
    f.counter("checkpoint_syncs", None, "Files that they synced.", e.checkpoint_syncs as f64)?;
    f.counter(
        "checkpoint_write_back_waits",
        None,
        "Times that they waited for others' writes.",
        e.checkpoint_write_back_waits as f64,
    )?;
    let running = o.running.map(|(_, s)| s);
    let stages = CheckpointStage::ALL
        .into_iter()
        .filter(|s| *s != CheckpointStage::Published)
        .map(|s| (label("stage", stage_name(s)), yes(running == Some(s))))
        .collect();
    f.gauges("checkpoint_stage", None, "The stage that the round that runs is in: 1.", stages)?;
    let each = |value: &dyn Fn(usize, &evenkeel::PartitionStats) -> f64| -> Series<f64> {
        let partitions = o.partitions.iter().enumerate();
        partitions.map(|(n, p)| (label("partition", n), value(n, p))).collect()
    };
    let end = e.wal_lsn;
    f.counters("checkpoint_partition_rounds", None, "Rounds of a partition.", each(&|_, p| p.rounds as f64))?;
    f.gauges(
        "checkpoint_partition_running",
        None,
        "Whether its round runs.",
        each(&|n, _| yes(o.running.is_some_and(|(r, _)| r == n))),
    )?;
    f.gauges(
        "checkpoint_partition_dirty_pages",
        None,
        "Its pages that are newer than their files.",
        each(&|_, p| p.dirty_pages as f64),
    )?;
    f.gauges(
        "checkpoint_partition_redo",
        Some(Unit::Bytes),
        "Log that recovery would read for it.",
        each(&|_, p| end.saturating_sub(p.redo.0) as f64),
    )?;
    f.gauges(
        "checkpoint_partition_unsynced_files",
        None,
        "Its files with writes that no sync covers.",
        each(&|_, p| p.unsynced_files as f64),
    )?;
    f.gauges(
        "checkpoint_partition_last_pages",
        None,
        "Pages that its last round wrote.",
        each(&|_, p| p.pages_written as f64),
    )?;
    f.gauges(
        "checkpoint_partition_last_write",
        Some(Unit::Seconds),
        "How long that wrote.",
        each(&|_, p| seconds(p.write_us)),
    )?;
    f.gauges(
        "checkpoint_partition_last_sync",
        Some(Unit::Seconds),
        "How long that synced.",
        each(&|_, p| seconds(p.sync_us)),
    )
}

fn locks(f: &mut Families<'_>, o: &Observed) -> Written {
    f.gauge("lock_entries", None, "Entries of the table of row locks.", o.engine.lock_entries as f64)?;
    let waiters =
        vec![(label("lock", "row"), o.row_waiters as f64), (label("lock", "table"), o.table_waiters as f64)];
    f.gauges(
        "lock_waiters",
        None,
        "Who waits for a lock now; advisory locks are among those of tables.",
        waiters,
    )?;
    let times = [("row", &o.row_waits), ("table", &o.table_waits)]
        .map(|(lock, c)| (label("lock", lock), Buckets::of_powers(c, TIMES.0, TIMES.1, US)))
        .to_vec();
    f.histograms(
        "lock_wait_duration",
        Some(Unit::Seconds),
        "How long was waited for locks, whatever the end.",
        times,
    )?;
    f.counter("deadlocks", None, "Deadlocks that were found.", o.deadlocks as f64)
}

fn undo(f: &mut Families<'_>, o: &Observed) -> Written {
    let e = &o.engine;
    f.gauge("undo_spilled", Some(Unit::Bytes), "Undo that is in its file.", e.undo_spilled_bytes as f64)?;
    f.gauge("purge_backlog", None, "Old versions of rows that are to be removed.", e.purge_backlog as f64)?;
    f.gauge(
        "rollback_changes_left",
        None,
        "Changes of before a crash that are to be rolled back yet, at most.",
        o.rollback_left as f64,
    )?;
    let budgets = vec![
        (label("budget", "pool"), e.buffers as f64 * PAGE_BYTES as f64),
        (label("budget", "undo"), e.undo_memory_bytes as f64),
        (
            label("budget", "other"),
            (o.memory_bytes as f64 - e.buffers as f64 * PAGE_BYTES as f64 - e.undo_memory_bytes as f64)
                .max(0.0),
        ),
    ];
    f.gauges(
        "memory",
        Some(Unit::Bytes),
        "Memory by what it is for; other: statements, messages, all else.",
        budgets,
    )?;
    let limit = if o.memory_limit_bytes > 0 {
        vec![(Labels::new(), o.memory_limit_bytes as f64)]
    } else {
        Vec::new()
    };
    f.gauges("memory_limit", Some(Unit::Bytes), "memory_limit, or what it comes to.", limit)
}

/// `now_us`: since 2000-01-01 UTC.
fn standby(
    f: &mut Families<'_>,
    replay: Option<&ReplayState>,
    receiver: Option<&WalReceiver>,
    now_us: i64,
) -> Written {
    f.gauge("standby", None, "Whether this is a standby.", yes(replay.is_some()))?;
    if let Some(r) = replay {
        let connected = receiver.is_some_and(|r| r.status == "streaming");
        f.gauge("standby_connected", None, "Whether the log comes.", yes(connected))?;
        f.gauge(
            "standby_received_end",
            Some(Unit::Bytes),
            "Where what was received of the log ends.",
            r.written.0 as f64,
        )?;
        f.gauge(
            "standby_replayed_end",
            Some(Unit::Bytes),
            "Where what was replayed ends.",
            r.replayed.0 as f64,
        )?;
        f.gauge(
            "standby_replay_lag",
            Some(Unit::Bytes),
            "Log that was received and not replayed.",
            r.written.0.saturating_sub(r.replayed.0) as f64,
        )?;
        let age =
            r.last_commit_ms.map(|ms| (now_us as f64 / US + EPOCHS_APART_S - ms as f64 / 1000.0).max(0.0));
        f.gauges(
            "standby_last_commit_age",
            Some(Unit::Seconds),
            "How old the newest commit is that was replayed.",
            age.map_or(Vec::new(), |a| vec![(Labels::new(), a)]),
        )?;
        f.counter(
            "standby_snapshots_expired",
            None,
            "Snapshots that were given up for replay.",
            r.expired as f64,
        )?;
        f.counter(
            "standby_readers_held",
            Some(Unit::Seconds),
            "Time that readers were held up by replay.",
            seconds(r.held.held_us),
        )?;
    }
    Ok(())
}

fn replication(f: &mut Families<'_>, o: &Observed) -> Written {
    standby(f, o.replay.as_ref(), o.receiver.as_ref(), o.now_us)?;
    let end = o.engine.wal_lsn;
    let mut lags: Series<f64> = Vec::new();
    let mut heard: Series<f64> = Vec::new();
    for s in &o.senders {
        let who = vec![("standby", s.application_name.clone()), ("pid", s.pid.to_string())];
        for (stage, at) in
            [("sent", s.sent), ("written", s.written), ("durable", s.durable), ("replayed", s.applied)]
        {
            let mut labels = who.clone();
            labels.push(("stage", stage.to_owned()));
            if at.0 > 0 {
                lags.push((labels, end.saturating_sub(at.0) as f64));
            }
        }
        if let Some(at) = s.replied_us {
            heard.push((who, (o.now_us - at).max(0) as f64 / US));
        }
    }
    f.gauge("replication_followers", None, "Connections that follow the log.", o.senders.len() as f64)?;
    f.gauges("replication_lag", Some(Unit::Bytes), "Log that a standby has not got so far.", lags)?;
    f.gauges("replication_silence", Some(Unit::Seconds), "How long ago a standby was heard of.", heard)?;
    let slots = |value: &dyn Fn(&evenkeel::Slot) -> Option<f64>| -> Series<f64> {
        o.slots.iter().filter_map(|s| Some((label("slot", &s.name), value(s)?))).collect()
    };
    f.gauges(
        "replication_slot_active",
        None,
        "Whether somebody uses the slot.",
        slots(&|s| Some(yes(s.is_active))),
    )?;
    f.gauges(
        "replication_slot_lost",
        None,
        "Whether log went that it needs.",
        slots(&|s| Some(yes(s.is_lost))),
    )?;
    f.gauges(
        "replication_slot_kept",
        Some(Unit::Bytes),
        "Log that is kept for it.",
        slots(&|s| s.restart.map(|at| end.saturating_sub(at.0) as f64)),
    )?;
    Ok(())
}

fn sessions(f: &mut Families<'_>, o: &Observed) -> Written {
    const STATES: [&str; 4] = ["active", "idle", "idle in transaction", "idle in transaction (aborted)"];
    let of = |state: &str| o.sessions.iter().filter(|s| s.state == state).count() as f64;
    let states = STATES.iter().map(|s| (label("state", s), of(s))).collect();
    f.gauges("sessions", None, "Sessions by state.", states)?;
    let age = |at: Option<i64>| at.map_or(0.0, |us| (o.now_us - us).max(0) as f64 / US);
    let oldest = o.sessions.iter().filter_map(|s| s.xact_start_us).min();
    f.gauge(
        "oldest_transaction_age",
        Some(Unit::Seconds),
        "Of the oldest transaction that is open; 0: none is.",
        age(oldest),
    )?;
    let running = o.sessions.iter().filter(|s| s.state == "active").filter_map(|s| s.query_start_us).min();
    f.gauge(
        "longest_statement_age",
        Some(Unit::Seconds),
        "Of the statement that runs for longest; 0: none does.",
        age(running),
    )?;
    f.counter(
        "log_messages_lost",
        None,
        "Messages of the server's log that came faster than it could be written.",
        crate::log::lost() as f64,
    )?;
    f.gauge(
        "start_timestamp",
        Some(Unit::Seconds),
        "When the database was opened.",
        o.started_us as f64 / US + EPOCHS_APART_S,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::{Database, Options};
    use evenkeel_sql::Instance;

    #[test]
    fn a_standby_tells_of_its_replay() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::default().with("shared_buffers", "16MB").unwrap();
        let database = Database::open(folder.path(), options).unwrap();
        let instance = Instance::open(database.clone()).unwrap();
        let last_commit_ms = Some(1_800_000_000_000);
        let replay = Some(ReplayState { last_commit_ms, ..ReplayState::default() });
        let observed = Some(Observed { replay, ..instance.observe() });
        let (text, _) = encode(Told { observed, ..Told::default() }, None);
        for name in [
            "standby 1",
            "standby_connected 0",
            "standby_replay_lag_bytes 0",
            "standby_last_commit_age_seconds ",
            "standby_snapshots_expired_total 0",
        ] {
            assert!(text.lines().any(|l| l.starts_with(&format!("evenkeel_{name}"))), "{name}");
        }
        // One that cannot be read tells of it, too.
        let receiver = WalReceiver { status: "streaming", ..WalReceiver::default() };
        let standby = replay.map(|replay| (replay, Some(receiver)));
        let (text, _) = encode(Told { standby, ..Told::default() }, None);
        for line in ["up 0", "standby 1", "standby_connected 1", "standby_replay_lag_bytes 0"] {
            assert!(text.lines().any(|l| l == format!("evenkeel_{line}")), "{line}: {text}");
        }
        database.close().unwrap();
    }
}
