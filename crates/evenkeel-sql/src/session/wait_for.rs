//! WAIT FOR LSN: until the log is replayed, or durable, up to a place.
//!
//! Invariants:
//! 1. Whoever waits holds no snapshot: a standby keeps nothing for one who waits for it.
//!
//! Must not know: how the log comes.

use super::{CommandTag, Progress, RowSink, Session};
use crate::instance::not_in_recovery;
use crate::parse::{WaitForStmt, WaitMode};
use crate::status::ReplayState;
use evenkeel::Lsn;
use evenkeel::base::blocking::{Wait, wait};
use evenkeel::settings::{Context, Def, Kind, MS, Value};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, FormatOptions, Type, input_text};
use std::time::{Duration, Instant};

/// The option's grammar.
const TIMEOUT: Def = Def {
    name: "timeout",
    kind: Kind::Time { unit: MS, grain: 1 },
    default: "0",
    min: 0,
    max: i64::MAX / 2,
    context: Context::User,
    description: "How long it is waited.",
};
/// How often it is looked for a cancel, and for places that nobody tells of.
const LOOK: Duration = Duration::from_millis(20);
const LOOK_SOON: Duration = Duration::from_millis(1);

impl Session {
    pub(super) fn wait_for(
        &mut self,
        stmt: &WaitForStmt,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        let place = input_text(&stmt.lsn, Type::PgLsn, -1, &FormatOptions::default())?;
        let Datum::Lsn(lsn) = place else { return Err(SqlError::internal("a place in the log is none")) };
        let lsn = Lsn(lsn);
        let timeout = match stmt.timeout.as_deref().map(|text| TIMEOUT.parse(text)).transpose()? {
            Some(Value::Number(us)) if us > 0 => Some(Duration::from_micros(us as u64)),
            _ => None,
        };
        if self.txn.as_ref().is_some_and(|t| t.explicit && t.keeps_snapshot()) {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "WAIT FOR must be called without an active or registered snapshot",
            )
            .with_hint("WAIT FOR cannot be executed within a transaction with an isolation level higher than READ COMMITTED."));
        }
        if let Some(engine) = self.txn.as_mut().and_then(|t| t.engine.as_mut()) {
            engine.release_snapshot(); // invariant 1
        }
        let _waiting = wait(Wait::Replay);
        let until = timeout.map(|t| Instant::now() + t);
        let status = loop {
            match self.reached(stmt.mode) {
                Some(at) if at >= lsn => break "success",
                None if stmt.no_throw => break "not in recovery",
                None if stmt.mode == WaitMode::PrimaryFlush => {
                    return Err(SqlError::new(
                        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "recovery is in progress",
                    )
                    .with_hint(
                        "Waiting for the primary_flush LSN can only be executed on a primary server.",
                    ));
                }
                None => return Err(not_in_recovery()),
                Some(_) => {}
            }
            if self.interrupt.is_canceled() {
                return Err(evenkeel::Error::Canceled.into());
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            match left {
                Some(Duration::ZERO) if stmt.no_throw => break "timeout",
                Some(Duration::ZERO) => {
                    let at = self.reached(stmt.mode).unwrap_or(Lsn::ZERO);
                    return Err(SqlError::new(
                        SqlState::QUERY_CANCELED,
                        format!("timed out while waiting for target LSN {lsn}; it is {at} here"),
                    ));
                }
                _ => {}
            }
            let within = left.map_or(LOOK, |left| left.min(LOOK));
            if stmt.mode != WaitMode::StandbyReplay || !self.instance.wait_replayed(lsn, within) {
                std::thread::sleep(within.min(LOOK_SOON));
            }
        };
        sink.row(&[Datum::text(status)])?;
        Ok(Progress::Done(CommandTag::of("WAIT")))
    }

    /// Up to where the log is there; `None`: not on this kind of server.
    fn reached(&self, mode: WaitMode) -> Option<Lsn> {
        if mode == WaitMode::PrimaryFlush {
            return (!self.instance.is_standby()).then(|| self.instance.database().durable_lsn());
        }
        let ReplayState { received, written, replayed, .. } = self.instance.replay()?;
        Some(match mode {
            WaitMode::StandbyWrite => written,
            WaitMode::StandbyFlush => received,
            _ => replayed,
        })
    }
}
