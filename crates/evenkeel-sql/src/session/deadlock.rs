//! What is told of a deadlock: who waited for whom, as PostgreSQL says it; the log has the statements, too.
//!
//! The victim tells while the others still wait: it holds what they wait for until its transaction rolls back.
//!
//! Must not know: how deadlocks are found.

use super::Session;
use super::lock_waits::tuple_lock;
use crate::instance::SessionInfo;
use evenkeel::{AwaitedRow, Party};
use evenkeel_types::decode_rowid;
use evenkeel_types::error::SqlError;
use std::sync::Arc;

impl Session {
    /// Says of a deadlock who waited for whom.
    pub(super) fn tell_of_deadlock(&self, e: &mut SqlError) {
        let Some(circle) = e.deadlock.take() else { return };
        let parties = &circle.0;
        let refused = self.instance.locks.take_refused(self.info.owner);
        let sessions: Option<Vec<Arc<SessionInfo>>> = parties
            .iter()
            .enumerate()
            .map(|(n, p)| if n == 0 { Some(self.info.clone()) } else { self.session_of(p) })
            .collect();
        // One that has ended its wait since is not known any more: then nothing is told but that there was a circle.
        let Some(sessions) = sessions else { return };
        let waits = self.instance.locks.waits();
        let (mut detail, mut statements) = (Vec::new(), Vec::new());
        for (n, party) in parties.iter().enumerate() {
            let (info, next) = (&sessions[n], (n + 1) % parties.len());
            let (mode, object) = match &party.row {
                Some(row) => self.awaited(row, parties[next].txn),
                None => {
                    let Some(w) = waits.get(&info.owner).or(refused.as_ref().filter(|_| n == 0)) else {
                        return;
                    };
                    (w.mode.catalog_name(), self.instance.name_of_locked(w))
                }
            };
            let (pid, by) = (info.pid, sessions[next].pid);
            detail.push(format!("Process {pid} waits for {mode} on {object}; blocked by process {by}."));
            statements.push(format!("Process {pid}: {}", info.activity.lock().query));
        }
        if let Some(row) = &parties[0].row {
            let statement = self.info.activity.lock().query.clone();
            if let Some(context) = self.instance.context_of((row.tree, &row.key, row.mode), &statement) {
                *e = e.clone().with_context(context);
            }
        }
        let detail = detail.join("\n");
        e.detail_log = Some(format!("{detail}\n{}", statements.join("\n")));
        e.detail = Some(detail);
        e.hint = Some("See server log for query details.".into());
    }

    fn session_of(&self, party: &Party) -> Option<Arc<SessionInfo>> {
        let is_it = |s: &SessionInfo| {
            party.session == Some(s.owner)
                || party.session.is_none() && s.interrupt.transaction() == party.txn
        };
        self.instance.each_session(|s| is_it(s).then(|| s.clone())).into_iter().flatten().next()
    }

    /// How a row is waited for, and what PostgreSQL would wait for in its place: the end of who holds it, or the place of whoever is the next to have it.
    fn awaited(&self, row: &AwaitedRow, holder: Option<u64>) -> (String, String) {
        if row.is_queued
            && let Some((table, database)) = self.instance.table_of_tree(row.tree)
            && let Ok(number) = decode_rowid(&row.key)
        {
            let object = format!("tuple (0,{number}) of relation {table} of database {database}");
            return (tuple_lock(row.mode).catalog_name(), object);
        }
        ("ShareLock".to_owned(), format!("transaction {}", holder.unwrap_or_default()))
    }
}
