//! The live page: what the server does now, second by second, for a browser.
//!
//! Everything it needs comes from here, and it may fetch nothing from elsewhere ([`POLICY`]). The page asks for [`snapshot`] once a second, and makes rates of two of them: the
//! server keeps nothing for it but what statements took, for [`LATELY`]: who takes most now need not be among those who took most since they are counted.
//!
//! It must not know who asks.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use evenkeel_sql::{CountedStatement, Observed, SessionShown};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::http::Answer;

/// What the page may do: nothing but show itself, and ask the server that it came from.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Statements that are told by what they took lately, and by what they took in all; sessions and characters of a statement that are shown.
const BUSY_MAX: usize = 20;
const LARGE_MAX: usize = 10;
const SESSIONS_MAX: usize = 100;
const TEXT_CHARS_MAX: usize = 400;
/// How long the statements are not looked through anew: there may be thousands.
const TOP_MAX_AGE: Duration = Duration::from_millis(900);
/// Over how long it is told what they took lately.
const LATELY: Duration = Duration::from_secs(10);

/// A part of the page, by its path.
pub(super) fn part(path: &str) -> Option<Answer> {
    let (kind, text) = match path {
        "/" => ("text/html; charset=utf-8", include_str!("page/live.html")),
        "/live.css" => ("text/css; charset=utf-8", include_str!("page/live.css")),
        "/live.js" => ("text/javascript; charset=utf-8", include_str!("page/live.js")),
        _ => return None,
    };
    let mut answer = Answer::new(200, kind, text);
    answer.headers.extend([
        ("content-security-policy", POLICY.to_owned()),
        ("referrer-policy", "no-referrer".to_owned()),
        ("x-frame-options", "DENY".to_owned()),
    ]);
    Some(answer)
}

/// A statement that is shown.
pub(super) struct Shown {
    statement: CountedStatement,
    /// What it took lately.
    busy_ms: f64,
    calls: i64,
}

/// The statements that take most.
pub(super) struct Top {
    shown: Vec<Shown>,
    /// How long lately is; zero: that is not known yet.
    lately: Duration,
}

/// Whose, by number and database.
type Whose = (i64, u32);
/// What each statement had taken at a moment, and how often it had run.
type Taken = HashMap<Whose, (f64, i64)>;

fn whose(s: &CountedStatement) -> Whose {
    (s.number, s.database)
}

fn taken(all: &[CountedStatement]) -> Taken {
    all.iter().map(|s| (whose(s), (s.counts.calls.total_ms, s.counts.calls.count))).collect()
}

/// Those that took most since `before`, and those that took most in all.
fn most(all: Vec<CountedStatement>, before: Option<&Taken>) -> Vec<Shown> {
    let shown = |statement: CountedStatement| {
        let now = &statement.counts.calls;
        let (mut busy_ms, mut calls) = (0.0, 0);
        if let Some(before) = before {
            // What is new, or was forgotten and is counted anew, took all of it.
            let then = before.get(&whose(&statement)).copied().filter(|(_, calls)| *calls <= now.count);
            let (ms, count) = then.unwrap_or_default();
            (busy_ms, calls) = ((now.total_ms - ms).max(0.0), now.count - count);
        }
        Shown { busy_ms, calls, statement }
    };
    let total = |s: &Shown| s.statement.counts.calls.total_ms;
    let mut all: Vec<Shown> = all.into_iter().map(shown).collect();
    all.sort_by(|a, b| b.busy_ms.total_cmp(&a.busy_ms).then(total(b).total_cmp(&total(a))));
    let mut rest = all.split_off(all.len().min(BUSY_MAX));
    rest.sort_by(|a, b| total(b).total_cmp(&total(a)));
    rest.truncate(LARGE_MAX);
    all.append(&mut rest);
    all
}

#[derive(Default)]
struct Looked {
    last: Option<(Instant, Arc<Top>)>,
    /// Of the last while, the oldest first.
    before: VecDeque<(Instant, Taken)>,
}

/// The statements that take most, looked through now and then.
#[derive(Default)]
pub(super) struct Lookout(Mutex<Looked>);

impl Lookout {
    pub fn get(&self, look: impl FnOnce() -> Vec<CountedStatement>) -> Arc<Top> {
        let mut looked = self.0.lock();
        let now = Instant::now();
        if let Some((_, top)) = looked.last.as_ref().filter(|(at, _)| now - *at < TOP_MAX_AGE) {
            return top.clone();
        }
        let before = &mut looked.before;
        // The oldest is as old as that, or as nobody has looked.
        while before.get(1).is_some_and(|(at, _)| now - *at >= LATELY) {
            before.pop_front();
        }
        if before.front().is_some_and(|(at, _)| now - *at > 2 * LATELY) {
            before.clear();
        }
        let all = look();
        let next = taken(&all);
        let lately = before.front().map_or(Duration::ZERO, |(at, _)| now - *at);
        let top = Arc::new(Top { shown: most(all, before.front().map(|(_, taken)| taken)), lately });
        before.push_back((now, next));
        looked.last = Some((now, top.clone()));
        top
    }
}

/// What there is besides what the database tells.
pub(super) struct Around {
    pub connections: u64,
    pub max_connections: u64,
    pub last_backup_s: Option<f64>,
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What the server does now, as JSON. Counts are since the start; times in microseconds, sizes in bytes.
pub(super) fn snapshot(o: &Observed, top: &Top, around: &Around) -> Value {
    let e = &o.engine;
    let since = |at: i64| (o.now_us - at).max(0);
    let mut latency = [0u64; evenkeel_sql::BUCKETS];
    for kind in &o.tallied.statements {
        latency.iter_mut().zip(kind.buckets).for_each(|(sum, n)| *sum += n);
    }
    let partition = |p: &evenkeel::PartitionStats| {
        json!({
            "dirty": p.dirty_pages, "redo": e.wal_lsn.saturating_sub(p.redo.0), "rounds": p.rounds, "pages": p.pages_written,
            "write_us": p.write_us, "sync_us": p.sync_us,
        })
    };
    let running = o.running.map(|(partition, stage)| {
        json!({ "partition": partition, "stage": super::export::stage_name(stage).replace('_', " ") })
    });
    let mut states: Vec<(&str, u64)> = Vec::new();
    for s in &o.sessions {
        match states.iter_mut().find(|(state, _)| *state == s.state) {
            Some((_, n)) => *n += 1,
            None => states.push((s.state, 1)),
        }
    }
    let states: serde_json::Map<String, Value> =
        states.into_iter().map(|(s, n)| (s.into(), n.into())).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "now_us": o.now_us,
        "started_us": o.started_us,
        "standby": o.replay.is_some(),
        "connections": around.connections,
        "max_connections": around.max_connections,
        "latency": &latency[..],
        "transactions": {
            "written": o.tallied.transactions[0], "read": o.tallied.transactions[1], "rolled_back": o.tallied.transactions[2],
        },
        "errors": o.tallied.errors.iter().sum::<u64>(),
        "gangs": &o.commits.gang_size.buckets[..],
        "flushes": &o.commits.flush_time_us.buckets[..],
        "log": {
            "inserted": e.wal_bytes, "written": e.wal_bytes_written, "writes": e.wal_writes, "records": e.wal_records,
            "images": e.wal_fpi,
        },
        "pool": {
            "pages": e.buffers, "dirty": e.buffers_dirty, "hits": e.buffer_hits, "reads": e.buffer_reads,
            "evictions": e.buffer_evictions, "by_sessions": e.buffers_backend, "by_bgwriter": e.buffers_clean,
            "by_rounds": e.buffers_checkpoint,
        },
        "partitions": o.partitions.iter().map(partition).collect::<Vec<_>>(),
        "running": running,
        "states": states,
        "sessions": sessions(o),
        "waiters": o.row_waiters + o.table_waiters,
        "deadlocks": o.deadlocks,
        "memory": {
            "used": o.memory_bytes, "limit": o.memory_limit_bytes, "undo": e.undo_memory_bytes,
            "undo_spilled": e.undo_spilled_bytes,
        },
        "purge_backlog": e.purge_backlog,
        "lately_s": top.lately.as_secs_f64(),
        "top": top.shown.iter().map(|Shown { statement: t, busy_ms, calls }| json!({
            // JavaScript's numbers are not as large.
            "number": t.number.to_string(), "database": t.database, "text": cut(&t.text), "calls": t.counts.calls.count,
            "total_ms": t.counts.calls.total_ms, "mean_ms": t.counts.calls.mean_ms, "max_ms": t.counts.calls.max_ms,
            "rows": t.counts.rows, "lately_ms": busy_ms, "lately_calls": calls,
        })).collect::<Vec<_>>(),
        "standbys": o.senders.iter().map(|s| json!({
            "pid": s.pid, "name": s.application_name, "state": s.state, "sync_state": s.sync_state,
            "lag_durable": e.wal_lsn.saturating_sub(s.durable.0), "lag_replayed": e.wal_lsn.saturating_sub(s.applied.0),
            "silent_us": s.replied_us.map(since),
        })).collect::<Vec<_>>(),
        "slots": o.slots.iter().map(|s| json!({
            "name": s.name, "active": s.is_active, "lost": s.is_lost,
            "kept": s.restart.map_or(0, |at| e.wal_lsn.saturating_sub(at.0)),
        })).collect::<Vec<_>>(),
        "replay": o.replay.as_ref().map(|r| json!({
            "connected": o.receiver.as_ref().is_some_and(|r| r.status == "streaming"),
            "lag": r.written.0.saturating_sub(r.replayed.0),
            "commit_us": r.last_commit_ms.map(|ms| since(unix_us(ms as f64 * 1000.0))),
        })),
        "archive": o.archive.as_ref().map(|a| json!({
            "url": a.url, "segments": a.archived, "lag": a.lag_bytes, "wait_us": a.oldest_wait.as_micros() as u64,
            "failures": a.failed, "error": a.last_error, "refuses": a.writes_refused,
        })),
        "backup_age_us": around.last_backup_s.map(|s| since(unix_us(s * 1e6))),
        "backup": o.backup.as_ref().map(|b| json!({
            "phase": b.phase.name(), "copied": b.copied_bytes, "size": b.total_bytes,
        })),
    })
}

/// A moment of the Unix epoch in PostgreSQL's.
fn unix_us(us: f64) -> i64 {
    us as i64 - super::export::EPOCHS_APART_S as i64 * 1_000_000
}

/// Those that wait, those that others wait for, and those at work; of those that are idle none.
fn sessions(o: &Observed) -> Vec<Value> {
    let blocks = |s: &SessionShown| o.sessions.iter().any(|w| w.blocked_by.contains(&s.pid));
    let rank =
        |s: &SessionShown| (!(s.waits_for.is_some() || blocks(s)), s.xact_start_us.unwrap_or(i64::MAX));
    let mut shown: Vec<&SessionShown> =
        o.sessions.iter().filter(|s| s.state != "idle" || blocks(s)).collect();
    shown.sort_by_key(|s| rank(s));
    shown.truncate(SESSIONS_MAX);
    let since = |at: Option<i64>| at.map(|at| (o.now_us - at).max(0));
    shown
        .into_iter()
        .map(|s| {
            json!({
                "pid": s.pid, "user": s.user, "database": s.database, "application_name": s.application_name, "state": s.state,
                "waits_for": s.waits_for, "wait_event": s.wait_event, "blocked_by": s.blocked_by, "query": cut(&s.query), "query_us": since(s.query_start_us),
                "xact_us": since(s.xact_start_us),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(number: i64, total_ms: f64, calls: i64) -> CountedStatement {
        let mut counts = evenkeel_sql::StatementCounts::default();
        (counts.calls.total_ms, counts.calls.count) = (total_ms, calls);
        CountedStatement { number, database: 5, text: Arc::from("SELECT 1"), counts }
    }

    /// Of a server that has run for long: what takes all processors now is small beside what took them last week.
    #[test]
    fn who_takes_most_now_is_shown_whatever_took_most_before() {
        let mut all: Vec<_> = (0..100).map(|n| statement(n, 1e6 + n as f64, 1000)).collect();
        let before = taken(&all);
        all.push(statement(1000, 500.0, 50));
        all[7] = statement(7, 1e6 + 107.0, 1010);
        all[8] = statement(8, 3.0, 1); // counted anew
        let shown = most(all, Some(&before));
        let first =
            shown.iter().map(|s| (s.statement.number, s.busy_ms, s.calls)).take(4).collect::<Vec<_>>();
        assert_eq!(first, [(1000, 500.0, 50), (7, 100.0, 10), (8, 3.0, 1), (99, 0.0, 0)]);
        assert_eq!(shown.len(), BUSY_MAX + LARGE_MAX);
        let first_of_all = most((0..100).map(|n| statement(n, n as f64, 1)).collect(), None);
        assert_eq!(first_of_all[0].statement.number, 99);
    }
}
