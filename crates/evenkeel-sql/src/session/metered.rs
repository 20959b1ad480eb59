//! What a statement takes: counted (`pg_stat_statements.*`) and logged (`log_statement`, `log_min_duration_statement` and their like, by PostgreSQL's names).
//!
//! Invariants:
//! 1. A portal that is run in several pieces, and one that waits outside of the call for a lock, is one execution: it is counted and logged once, when it is done. Of what
//!    fails neither is done, as in PostgreSQL.
//! 2. With nothing to count or to log a statement costs one look at `Metering`, and one at whether somebody watches the server.
//! 3. How long a statement took is how long its client waited: with the commit, if it is the last of what that commits, and with what its reply waited for then, the log or standbys. So it is counted and
//!    logged once that may be told, or the next statement begins. Of a commit that fails it is neither. `pg_stat_statements` has the execution alone, as PostgreSQL's. (PostgreSQL's log has the commit of a
//!    simple query, and not that of a Sync.)
//! 4. The clock is read for that only where there is such a wait, or something to commit.
//!
//! Must not know: how rows are sent, where the log goes.

use super::logged::logged_text;
use super::settings::Settings;
use super::{Portal, Prepared, Progress, Session};
use crate::counted::{Entry, Key, Taken};
use crate::of_database::bump;
use crate::parse::{Stmt, normal};
use crate::plan::explain::Used;
use crate::plan::{Plan, PlanKind};
use crate::tally::StatementKind;
use evenkeel::Usage;
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, output_text};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// `log_statement`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Logged {
    #[default]
    None,
    Definitions,
    Changes,
    All,
}

/// What of statements is counted and logged, read from the settings when they change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Metering {
    counts: bool,
    counts_utility: bool,
    counts_planning: bool,
    /// Statements have numbers.
    numbers: bool,
    statement: Logged,
    duration: bool,
    /// Statements that take so long are logged,
    from: Option<Duration>,
    /// and of those that take so long a part.
    sample_from: Option<Duration>,
    sample_rate: f64,
    parameters_bytes: Option<usize>,
}

impl Metering {
    pub(super) fn read(s: &Settings) -> Metering {
        let from = |name: &str| u64::try_from(s.number(name)).ok().map(Duration::from_micros);
        let numbers = s.get("compute_query_id") != Some("off");
        Metering {
            counts: numbers && s.get("pg_stat_statements.track") != Some("none"),
            counts_utility: s.is_on("pg_stat_statements.track_utility"),
            counts_planning: s.is_on("pg_stat_statements.track_planning"),
            numbers,
            statement: match s.get("log_statement") {
                Some("ddl") => Logged::Definitions,
                Some("mod") => Logged::Changes,
                Some("all") => Logged::All,
                _ => Logged::None,
            },
            duration: s.is_on("log_duration"),
            from: from("log_min_duration_statement"),
            sample_from: from("log_min_duration_sample"),
            sample_rate: s.number("log_statement_sample_rate") as f64 / 100.0,
            parameters_bytes: usize::try_from(s.bytes("log_parameter_max_length")).ok(),
        }
    }

    fn times(&self) -> bool {
        self.counts || self.duration || self.from.is_some() || self.sample_from.is_some()
    }
}

/// What an execution has taken until now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    /// It goes on counting from here, though the session does something else.
    since: Option<Instant>,
    time: Duration,
    used: Used,
}

/// One that goes on.
pub(super) struct Meter {
    began: Instant,
    before: Used,
}

/// What is done, and may not be told yet (invariant 3).
#[derive(Default)]
pub(super) struct Untold {
    statement: Option<Done>,
    /// The reply is ready, and waits from here on.
    pub(super) waits_since: Option<Instant>,
}

struct Done {
    statement: Arc<Prepared>,
    /// If they might be logged.
    params: Vec<Datum>,
    kind: StatementKind,
    rows: u64,
    time: Duration,
}

/// A COPY FROM STDIN while its data comes.
pub(super) struct CopyMeter {
    statement: Arc<Prepared>,
    spent: Spent,
}

/// What `log_statement` calls a statement.
fn kind_of(statement: &Prepared, writes: bool) -> Logged {
    const DEFINITIONS: [&str; 11] = [
        "alter", "analyze", "comment", "create", "drop", "grant", "import", "reassign", "refresh", "revoke",
        "security",
    ];
    let word = statement.text.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    let is = |w: &&str| word.eq_ignore_ascii_case(w);
    match &*statement.body.stmt {
        _ if writes => Logged::Changes,
        Stmt::Truncate(_) => Logged::Changes,
        Stmt::Copy(_) if statement.text.to_ascii_lowercase().contains("from") => Logged::Changes,
        _ if DEFINITIONS.iter().any(is) => Logged::Definitions,
        _ => Logged::All,
    }
}

/// The kind of a statement, as it is counted with all of its kind.
fn tallied_as(statement: &Stmt, plan: Option<&Plan>) -> StatementKind {
    if let Some(plan) = plan {
        return match plan.kind {
            PlanKind::Query(_) => StatementKind::Select,
            PlanKind::Insert(_) => StatementKind::Insert,
            PlanKind::Update(_) => StatementKind::Update,
            PlanKind::Delete(_) => StatementKind::Delete,
            PlanKind::Merge(_) => StatementKind::Merge,
        };
    }
    match statement {
        Stmt::Txn(_) => StatementKind::Transaction,
        Stmt::Copy(_) => StatementKind::Copy,
        Stmt::Sql(_)
        | Stmt::AlterTable(_)
        | Stmt::AlterIndex(_)
        | Stmt::Statistics(_)
        | Stmt::Database(_)
        | Stmt::Drop(_)
        | Stmt::DropOther(_)
        | Stmt::Comment(_)
        | Stmt::Alter(_)
        | Stmt::CreateView(_)
        | Stmt::CreateSchema(_)
        | Stmt::CreateExtension(_)
        | Stmt::AlterExtension(_)
        | Stmt::Type(_)
        | Stmt::Domain(_)
        | Stmt::Collation(_)
        | Stmt::CreateSequence(_)
        | Stmt::Authority(_) => StatementKind::Definition,
        _ => StatementKind::Other,
    }
}

impl Session {
    fn used(&self) -> Used {
        let temp = &self.budget.temp;
        Used {
            engine: Usage::now(),
            temp_read_bytes: temp.read_bytes.load(Ordering::Relaxed),
            temp_written_bytes: temp.written_bytes.load(Ordering::Relaxed),
        }
    }

    /// The number of a statement, as `pg_stat_activity` shows it.
    pub(super) fn number_of(&self, statement: &Prepared) -> Option<i64> {
        let of = || normal::of(&statement.text).id;
        self.metering.numbers.then(|| *statement.body.number.get_or_init(of))
    }

    /// Before a statement is run, or goes on.
    pub(super) fn begin_meter(&mut self, portal: &Portal) -> Option<Meter> {
        let is_new = portal.spent.since.is_none() && portal.spent.time.is_zero();
        if is_new {
            self.count_untold();
        }
        if is_new && self.metering.statement != Logged::None {
            let writes = portal.plan.as_ref().is_some_and(|p| p.writes);
            if kind_of(&portal.stmt, writes) <= self.metering.statement {
                let message = format!("statement: {}", logged_text(&portal.stmt.text));
                self.log(&message, self.logged_detail(&portal.stmt, &portal.params).as_deref());
            }
        }
        let is_timed = self.instance.is_watched() || self.metering.times() || self.auto_explain.is_on();
        (is_timed || self.instance.spans().is_some())
            .then(|| Meter { began: portal.spent.since.unwrap_or_else(Instant::now), before: self.used() })
    }

    /// After it.
    pub(super) fn end_meter(
        &mut self,
        portal: &mut Portal,
        meter: Meter,
        result: &mut Result<Progress, SqlError>,
    ) {
        let used = self.used() - meter.before;
        portal.spent.used += used;
        self.count_used(&used);
        // (1)
        portal.spent.since =
            matches!(result, Ok(Progress::Waits | Progress::CopyIn(_))).then_some(meter.began);
        if portal.spent.since.is_none() {
            portal.spent.time += meter.began.elapsed();
            self.note_span(&portal.stmt, meter.began, result);
        }
        match result {
            Ok(Progress::Done(tag)) => {
                let rows = tag.rows();
                let spent = std::mem::take(&mut portal.spent);
                let kind = tallied_as(&portal.stmt.body.stmt, portal.plan.as_ref().map(|p| &***p));
                let time = spent.time;
                self.finish(&portal.stmt, spent, rows);
                if self.auto_explain.is_on() {
                    self.log_plan(portal, time);
                }
                let m = &self.metering;
                let may_be_logged = m.from.is_some() || m.sample_from.is_some();
                // It does not run again.
                let params = if may_be_logged { std::mem::take(&mut portal.params) } else { Vec::new() };
                self.untold.statement =
                    Some(Done { statement: portal.stmt.clone(), params, kind, rows, time });
            }
            Ok(Progress::CopyIn(copy)) => {
                let spent = std::mem::take(&mut portal.spent);
                copy.meter = Some(CopyMeter { statement: portal.stmt.clone(), spent });
            }
            Err(_) => portal.spent = Spent::default(),
            Ok(_) => {}
        }
    }

    /// What is used by a piece of a COPY FROM STDIN.
    pub(super) fn metered_copy<T>(
        &mut self,
        meter: &mut Option<CopyMeter>,
        f: impl FnOnce(&mut Session) -> T,
    ) -> T {
        let before = meter.is_some().then(|| self.used());
        let result = f(self);
        if let (Some(m), Some(before)) = (meter, before) {
            let used = self.used() - before;
            m.spent.used += used;
            self.count_used(&used);
        }
        result
    }

    fn count_used(&self, used: &Used) {
        let counts = &self.info.counts;
        bump(&counts.blocks_read, used.engine.reads);
        bump(&counts.blocks_hit, used.engine.hits);
        bump(&counts.temp_bytes, used.temp_written_bytes);
        if used.temp_written_bytes > 0 {
            bump(&counts.temp_files, self.budget.temp.files.swap(0, Ordering::Relaxed));
        }
    }

    /// A COPY FROM STDIN is done; `rows` is `None` where it failed.
    pub(super) fn end_copy(&mut self, meter: Option<CopyMeter>, rows: Option<u64>) {
        let Some(CopyMeter { statement, mut spent }) = meter else { return };
        spent.time += spent.since.take().map_or(Duration::ZERO, |s| s.elapsed());
        if let Some(rows) = rows {
            let (kind, time) = (StatementKind::Copy, spent.time);
            self.finish(&statement, spent, rows);
            self.untold.statement = Some(Done { statement, params: Vec::new(), kind, rows, time });
        }
    }

    /// The transaction is to be committed, by what is no statement. Gives when, if that is of a statement's time.
    pub(super) fn begin_commit(&self) -> Option<Instant> {
        let writes = |t: &super::transaction::Txn| t.engine.as_ref().is_some_and(|e| e.id().is_some());
        let is_timed = self.untold.statement.is_some()
            && self.txn.as_ref().is_some_and(|t| !t.explicit && !t.failed && writes(t));
        is_timed.then(Instant::now)
    }

    /// It is, or was not.
    pub(super) fn end_commit(&mut self, began: Option<Instant>, is_committed: bool) {
        if !is_committed {
            self.untold.statement = None;
        }
        if let (Some(began), Some(done)) = (began, &mut self.untold.statement) {
            done.time += began.elapsed();
        }
    }

    /// What has waited for that may be told. What a commit is still to come of takes that as well (invariant 3).
    pub(super) fn end_wait(&mut self) {
        if let Some(waited) = self.untold.waits_since.take().map(|since| since.elapsed()) {
            if let Some(done) = &mut self.untold.statement {
                done.time += waited;
            }
            self.note_waited(waited);
            if self.reply.has_committed {
                self.instance.tally.commit_wait(waited);
            }
        }
        if self.txn.as_ref().is_none_or(|t| t.explicit) {
            self.count_untold();
        }
    }

    /// Counts and logs what is done, with the time that it has taken until now.
    fn count_untold(&mut self) {
        if let Some(Done { statement, params, kind, rows, time }) = self.untold.statement.take() {
            self.instance.tally.statement(kind, time, rows);
            self.log_duration(&statement, &params, time);
        }
    }

    fn finish(&self, statement: &Prepared, spent: Spent, rows: u64) {
        let is_counted = match &*statement.body.stmt {
            Stmt::Sql(_) => true,
            Stmt::Empty | Stmt::Execute(..) | Stmt::Prepare(..) => false,
            _ => self.metering.counts_utility,
        };
        if !self.metering.counts || !is_counted {
            return;
        }
        let taken = Taken {
            ms: spent.time.as_secs_f64() * 1000.0,
            rows,
            engine: spent.used.engine,
            temp_read_bytes: spent.used.temp_read_bytes,
            temp_written_bytes: spent.used.temp_written_bytes,
        };
        self.with_entry(statement, |entry| entry.add(&taken));
    }

    /// A plan was made.
    pub(super) fn count_planning(&self, statement: &Prepared, time: Duration) {
        if self.metering.counts && self.metering.counts_planning {
            self.with_entry(statement, |entry| entry.add_plan(time.as_secs_f64() * 1000.0));
        }
    }

    /// Whether plans are counted.
    pub(super) fn counts_planning(&self) -> bool {
        self.metering.counts && self.metering.counts_planning
    }

    /// Does something with the entry of a statement, which is looked up anew where the one that the statement has is another's or has gone.
    fn with_entry(&self, statement: &Prepared, f: impl Fn(&Entry) -> bool) {
        let Some(number) = self.number_of(statement) else { return };
        let key = Key { role: self.authority.current, database: self.catalog.database, statement: number };
        let mut kept = statement.body.counted.lock();
        if kept.as_ref().is_some_and(|e| e.key == key && f(e)) {
            return;
        }
        let now_us = evenkeel_types::datetime::wall_clock_us();
        let entry = self.instance.counts.entry(key, now_us, || normal::of(&statement.text).text);
        // One that has gone again meanwhile is not worth another try.
        let _ = f(&entry);
        *kept = Some(entry);
    }

    fn log_duration(&self, statement: &Prepared, params: &[Datum], time: Duration) {
        let m = &self.metering;
        let is_long = m.from.is_some_and(|from| time >= from);
        let is_sampled =
            !is_long && m.sample_from.is_some_and(|from| time >= from) && fastrand::f64() < m.sample_rate;
        if !is_long && !is_sampled && !m.duration {
            return;
        }
        let ms = time.as_secs_f64() * 1000.0;
        // What `log_statement` has logged is not told twice.
        if (is_long || is_sampled) && m.statement == Logged::None {
            let text = logged_text(&statement.text);
            let parameters = self.logged_detail(statement, params);
            self.log(&format!("duration: {ms:.3} ms  statement: {text}"), parameters.as_deref());
        } else {
            self.log(&format!("duration: {ms:.3} ms"), None);
        }
    }

    fn logged_detail(&self, statement: &Prepared, params: &[Datum]) -> Option<String> {
        if let Stmt::Execute(name, _) = &*statement.body.stmt
            && let Ok(prepared) = self.named.find(name)
        {
            return Some(format!("prepare: {}", logged_text(prepared.sent())));
        }
        let parameters = self.logged_parameters(statement, params, self.metering.parameters_bytes);
        parameters.map(|p| format!("Parameters: {p}"))
    }

    /// Values of the parameters, cut to so many bytes.
    pub(super) fn logged_parameters(
        &self,
        statement: &Prepared,
        params: &[Datum],
        limit: Option<usize>,
    ) -> Option<String> {
        if params.is_empty() || !statement.values.is_empty() || limit == Some(0) {
            return None;
        }
        let types = statement.param_types();
        let value = |(n, d): (usize, &Datum)| {
            let mut text = Vec::new();
            let ty = types.get(n).copied().unwrap_or(evenkeel_types::Type::Text);
            if d.is_null() || output_text(d, ty, -1, &self.format, &mut text).is_err() {
                return format!("${} = NULL", n + 1);
            }
            let text = String::from_utf8_lossy(&text).replace('\'', "''");
            match limit.filter(|l| *l < text.len()) {
                Some(l) => {
                    format!("${} = '{}...'", n + 1, normal::cut(&text, l))
                }
                None => format!("${} = '{text}'", n + 1),
            }
        };
        let all: Vec<String> = params.iter().enumerate().map(value).collect();
        Some(all.join(", "))
    }
}
