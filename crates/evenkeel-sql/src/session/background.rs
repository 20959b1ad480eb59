//! What works for all sessions, as `pg_stat_activity` shows it: duties of the engine, autovacuum, senders and receivers of the log.
//!
//! They are threads here: their numbers are none of any process or session, and are the same after each start.
//!
//! Must not know: who looks.

use crate::catalog::views::ActivityRow;
use crate::catalog::wait_events::{self, WaitEvent};
use crate::instance::Instance;
use crate::status::{BACKGROUND_PIDS_FROM, RECEIVER_PID};
use evenkeel::Duty;

/// Numbers from here on are those of sessions that the server has for itself.
const OWN_SESSIONS_FROM: i32 = BACKGROUND_PIDS_FROM + 64;

fn name(duty: Duty) -> &'static str {
    match duty {
        Duty::Checkpointer => "checkpointer",
        Duty::BackgroundWriter => "background writer",
        Duty::LogWriter => "walwriter",
        Duty::Archiver => "archiver",
        Duty::Purge => "purge",
    }
}

/// The number of a session that the server has for itself, which has none.
pub(crate) fn pid_of_own(owner: u64) -> i32 {
    OWN_SESSIONS_FROM + (owner % (i32::MAX - OWN_SESSIONS_FROM) as u64) as i32
}

impl Instance {
    /// All of them, but sessions.
    pub(crate) fn background(&self) -> Vec<ActivityRow> {
        let mut rows: Vec<ActivityRow> = Vec::new();
        let mut add = |number: i32, backend_type, wait: Option<&'static WaitEvent>| {
            rows.push(ActivityRow {
                pid: BACKGROUND_PIDS_FROM + number,
                backend_start: Some(self.started_us),
                backend_type,
                wait,
                ..ActivityRow::default()
            });
        };
        for (duty, wait) in self.database().duties() {
            add(duty as i32, name(duty), wait.map(wait_events::of_engine));
        }
        if let Some(replay) = self.replay() {
            let waits = replay.replayed >= replay.received;
            add(16, "startup", waits.then_some(&wait_events::RECOVERY_WAL_STREAM));
            add(0, "checkpointer", Some(&wait_events::CHECKPOINTER_MAIN));
            if self.receiver().is_some() {
                add(
                    RECEIVER_PID - BACKGROUND_PIDS_FROM,
                    "walreceiver",
                    Some(&wait_events::WAL_RECEIVER_MAIN),
                );
            }
        } else if self.has_autovacuum() {
            add(18, "autovacuum launcher", Some(&wait_events::AUTOVACUUM_MAIN));
        }
        rows.extend(self.wal_senders().into_iter().map(|s| ActivityRow {
            pid: s.pid,
            user: s.user,
            application_name: s.application_name,
            client_port: Some(s.client_port.map_or(-1, i32::from)),
            client_addr: s.client_addr,
            backend_start: Some(s.started_us),
            state: "active",
            wait: Some(&wait_events::WAL_SENDER_MAIN),
            backend_type: "walsender",
            ..ActivityRow::default()
        }));
        rows
    }

    fn has_autovacuum(&self) -> bool {
        self.ask_server(|s| (s.settings)()).iter().any(|s| s.name == "autovacuum" && s.value == "on")
    }
}
