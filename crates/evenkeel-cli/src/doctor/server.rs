//! The server that runs: what it says of itself.
//!
//! It must not know: how it is reached.

use std::collections::BTreeSet;
use std::time::Duration;

use evenkeel::Synchronous;
use evenkeel_client::{Connection, Row, WireError};

use super::Findings;
use crate::backup::size;

/// A transaction that lasts longer keeps old versions of all rows.
const LONG_S: i64 = 3600;
/// A standby farther behind is no help.
const LAG_BYTES: u64 = 256 << 20;
/// A question that is not answered for so long is given up by the server,
const ANSWER_MS: u32 = 3000;
/// and by us, if the server does nothing at all.
const SILENCE_MAX: Duration = Duration::from_secs(10);

type Rows = Vec<Row>;

/// Asks no longer than a look takes. Gives where the server archives its log; empty: nowhere. `None`: it does not say.
pub(super) fn begin(server: &mut Connection) -> Option<String> {
    server.set_silence_max(SILENCE_MAX).ok()?;
    server.query(&format!("SET statement_timeout = {ANSWER_MS}")).ok()?;
    server.value("SHOW archive_url").ok()?
}

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
    let mut is_lost = false;
    let mut ask = |sql: &str| {
        if is_lost {
            return Rows::new();
        }
        server.query(sql).unwrap_or_else(|e| {
            // What comes then would be another question's answer.
            is_lost = !matches!(e, WireError::Server { .. });
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
            "SELECT last_failed_wal, last_failed_time > coalesce(last_archived_time, 'epoch'), failed_count, last_error FROM pg_stat_archiver",
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
        f.wrong(
            format!("the server does not answer a question about itself: {why}"),
            "look at its log, and at what its sessions wait for: select pid, wait_event, query from pg_stat_activity",
        );
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
        let why =
            Some(text(row, 3)).filter(|why| !why.is_empty()).map_or(String::new(), |w| format!(": {w}"));
        f.wrong(
            format!("the archive takes no log ({} failures, at last of {}){why}", text(row, 2), text(row, 0)),
            "see to it that it does; until then the log is kept here, and takes room",
        );
    }
    for row in &a.slots {
        let (name, kept) = (text(row, 0), number(row, 3) as u64);
        if text(row, 2) == "lost" {
            f.wrong(
                format!("the standby of slot \"{name}\" has lost its log"),
                format!("stop it, and have it fetch what it lacks: evenkeel rejoin ITS-FOLDER --to 'host=THIS-ONE …'; if it is gone for good: select pg_drop_replication_slot('{name}')"),
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
    let is_sync = |row: &&Row| matches!(&*text(row, 3), "sync" | "quorum");
    let there: BTreeSet<String> =
        a.standbys.iter().filter(is_sync).map(|row| text(row, 0).to_lowercase()).collect();
    for row in &a.role {
        let (names, is_standby) = (text(row, 0), text(row, 1) == "t");
        let wanted = Synchronous::parse(&names).ok().flatten().map_or(0, |s| s.wanted());
        if !is_standby && there.len() < wanted {
            let told = match there.len() {
                0 => "none is there".to_owned(),
                n => format!("of {wanted} that are asked there is but {n}"),
            };
            f.wrong(
                format!("commits wait for standbys ({names}), and {told}"),
                "start them; or, if commits may be lost with this machine: alter system set synchronous_standby_names = '', then select pg_reload_conf()",
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
        let failed = Answers { archiver: one(&["x", "t", "3", "no space"]), ..Answers::default() };
        assert!(found(|f| judge(&failed, f))[0].1.ends_with(": no space"));
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
        // As many as are asked, and one name is one standby.
        for (names, there, level) in [
            ("ANY 2 (b, c)", &["b"][..], Level::Wrong),
            ("ANY 2 (b, c)", &["b", "B"], Level::Wrong),
            ("ANY 2 (b, c)", &["b", "c"], Level::Good),
            ("FIRST 2 (b, c, d)", &["b"], Level::Wrong),
        ] {
            let standbys = there.iter().map(|name| row(&[name, "streaming", "0", "quorum"])).collect();
            let role = one(&[names, "f", ""]);
            assert_eq!(worst(&Answers { role, standbys, ..Answers::default() }), level, "{names} {there:?}");
        }
        assert_eq!(worst(&Answers { role: one(&["", "t", ""]), ..Answers::default() }), Level::Warning);
    }
}
