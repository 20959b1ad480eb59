//! The server that runs: what it says of itself.
//!
//! It must not know: how it is reached.

use evenkeel_client::{Connection, Row};

use super::Findings;
use crate::backup::size;

/// A transaction that lasts longer keeps old versions of all rows.
const LONG_S: i64 = 3600;
/// A standby farther behind is no help.
const LAG_BYTES: u64 = 256 << 20;

type Rows = Vec<Row>;

pub(super) fn look(server: &mut Connection, f: &mut Findings<'_>) {
    let version = match server.value("SELECT version()") {
        Ok(version) => version.unwrap_or_default(),
        Err(e) => {
            f.wrong(format!("the server does not answer: {e}"), "look at its log");
            return;
        }
    };
    f.good(format!("runs: {version}"));
    let mut unanswered = Vec::new();
    let mut ask = |sql: &str| {
        server.query(sql).unwrap_or_else(|e| {
            unanswered.push(e.to_string());
            Rows::new()
        })
    };
    let answers = Answers {
        connections: ask(
            "SELECT count(*), current_setting('max_connections') FROM pg_stat_activity WHERE backend_type = 'client backend'",
        ),
        transactions: ask(&format!(
            "SELECT pid, usename, extract(epoch FROM now() - xact_start)::bigint FROM pg_stat_activity WHERE xact_start < now() - interval '{LONG_S} s' ORDER BY xact_start LIMIT 5"
        )),
        archiver: ask(
            "SELECT last_failed_wal, last_failed_time > coalesce(last_archived_time, 'epoch'), failed_count FROM pg_stat_archiver",
        ),
        slots: ask(
            "SELECT slot_name, active, coalesce(wal_status, ''), CASE WHEN pg_is_in_recovery() THEN 0 ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) END FROM pg_replication_slots",
        ),
        standbys: ask(
            "SELECT application_name, state, CASE WHEN pg_is_in_recovery() THEN 0 ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) END, sync_state FROM pg_stat_replication",
        ),
        role: ask(
            "SELECT current_setting('synchronous_standby_names'), pg_is_in_recovery(), (SELECT status FROM pg_stat_wal_receiver)",
        ),
    };
    for why in unanswered {
        f.note(format!("a question was not answered: {why}"));
    }
    judge(&answers, f);
}

/// What the server has answered, in rows of texts.
#[derive(Default)]
struct Answers {
    connections: Rows,
    transactions: Rows,
    archiver: Rows,
    slots: Rows,
    standbys: Rows,
    role: Rows,
}

fn judge(a: &Answers, f: &mut Findings<'_>) {
    let text = |row: &[Option<String>], n: usize| row.get(n).cloned().flatten().unwrap_or_default();
    let number = |row: &[Option<String>], n: usize| text(row, n).parse::<f64>().unwrap_or(0.0);
    for row in &a.connections {
        let (used, most) = (number(row, 0), number(row, 1));
        let told = format!("{used} of {most} connections are taken");
        if used >= most * 0.9 {
            f.warn(told, "raise max_connections and pg_reload_conf(), or have clients share them (a pool)");
        } else {
            f.good(told);
        }
    }
    for row in &a.transactions {
        let (pid, user, hours) = (text(row, 0), text(row, 1), number(row, 2) / 3600.0);
        f.warn(
            format!("session {pid} of {user} is in a transaction for {hours:.1} hours: old versions of all rows are kept for it"),
            format!("select pg_terminate_backend({pid}); idle_in_transaction_session_timeout ends those that only wait"),
        );
    }
    for row in a.archiver.iter().filter(|row| text(row, 1) == "t") {
        f.wrong(
            format!("the archive takes no log ({} failures, at last of {})", text(row, 2), text(row, 0)),
            "look at the server's log for why; until then the log is kept here, and takes room",
        );
    }
    for row in &a.slots {
        let (name, kept) = (text(row, 0), number(row, 3) as u64);
        if text(row, 2) == "lost" {
            f.wrong(
                format!("the standby of slot \"{name}\" has lost its log"),
                format!("make it anew (evenkeel standby create); if it is gone for good: select pg_drop_replication_slot('{name}')"),
            );
        } else if text(row, 1) == "f" {
            f.warn(
                format!("nobody follows by slot \"{name}\", for which {} of log are kept", size(kept)),
                format!(
                    "start the standby; if it is gone for good: select pg_drop_replication_slot('{name}')"
                ),
            );
        }
    }
    for row in &a.standbys {
        let (name, behind) = (text(row, 0), number(row, 2) as u64);
        let told = format!("standby \"{name}\" ({}) is {} behind", text(row, 1), size(behind));
        if behind > LAG_BYTES {
            f.warn(
                told,
                "look at its disk and processor, and at pg_stat_replication: what is sent, written, replayed",
            );
        } else {
            f.good(told);
        }
    }
    let is_sync = |row: &Row| matches!(&*text(row, 3), "sync" | "quorum");
    for row in &a.role {
        let (names, is_standby) = (text(row, 0), text(row, 1) == "t");
        if !names.is_empty() && !is_standby && !a.standbys.iter().any(is_sync) {
            f.wrong(
                format!("commits wait for standbys ({names}), and none is there"),
                "start one; or, if commits may be lost with this machine: alter system set synchronous_standby_names = ''",
            );
        }
        if is_standby {
            match &*text(row, 2) {
                "streaming" => f.good("it is a standby, and follows its primary"),
                other => f.warn(
                    format!(
                        "it is a standby that does not follow its primary now ({})",
                        if other.is_empty() { "no connection" } else { other }
                    ),
                    "look at its log, at primary_conninfo, and whether the primary runs",
                ),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, found};
    use super::*;

    fn row(cells: &[&str]) -> Vec<Option<String>> {
        cells.iter().map(|c| Some((*c).to_owned())).collect()
    }

    fn worst(a: &Answers) -> Level {
        found(|f| judge(a, f)).iter().map(|(level, _)| *level).max().unwrap_or(Level::Good)
    }

    #[test]
    fn what_a_server_says_is_judged() {
        let one = |cells: &[&str]| vec![row(cells)];
        assert_eq!(worst(&Answers { connections: one(&["5", "200"]), ..Answers::default() }), Level::Good);
        assert_eq!(
            worst(&Answers { connections: one(&["190", "200"]), ..Answers::default() }),
            Level::Warning
        );
        assert_eq!(
            worst(&Answers { transactions: one(&["7", "ann", "7200"]), ..Answers::default() }),
            Level::Warning
        );
        assert_eq!(worst(&Answers { archiver: one(&["x", "t", "3"]), ..Answers::default() }), Level::Wrong);
        assert_eq!(worst(&Answers { archiver: one(&["x", "f", "3"]), ..Answers::default() }), Level::Good);
        assert_eq!(
            worst(&Answers { slots: one(&["b", "f", "reserved", "5"]), ..Answers::default() }),
            Level::Warning
        );
        assert_eq!(
            worst(&Answers { slots: one(&["b", "f", "lost", "5"]), ..Answers::default() }),
            Level::Wrong
        );
        assert_eq!(
            worst(&Answers { slots: one(&["b", "t", "reserved", "5"]), ..Answers::default() }),
            Level::Good
        );
        let standbys = one(&["b", "streaming", "999999999999", "async"]);
        assert_eq!(worst(&Answers { standbys, ..Answers::default() }), Level::Warning);
        assert_eq!(worst(&Answers { role: one(&["1 (b)", "f", ""]), ..Answers::default() }), Level::Wrong);
        let (role, standbys) = (one(&["1 (b)", "f", ""]), one(&["b", "streaming", "0", "sync"]));
        assert_eq!(worst(&Answers { role, standbys, ..Answers::default() }), Level::Good);
        assert_eq!(worst(&Answers { role: one(&["", "t", ""]), ..Answers::default() }), Level::Warning);
    }
}
