//! Who may cancel or end another's session.
//!
//! Must not know: how that is done.

use super::SessionEnv;
use crate::catalog::OWNER_OID;
use crate::catalog::security::roles::SIGNAL_BACKEND_OID;
use crate::session::privileges::refused;
use evenkeel_types::error::SqlError;

impl SessionEnv {
    /// Refuses who may not cancel or end another's session.
    pub(crate) fn check_signal(&self, pid: i32, what: &str, verb: &str, thing: &str) -> Result<(), SqlError> {
        let s = self.catalog.security();
        // Whoever is no session, such as one that sends the log, is the bootstrap role's.
        let other = self.instance.role_of(pid);
        if other.is_none() && !self.instance.is_connected(pid) {
            return Ok(());
        }
        let other = other.filter(|role| *role != 0).unwrap_or(OWNER_OID);
        let own = self.roles.1;
        if s.is_superuser(other) && !s.is_superuser(own) {
            return Err(refused(
                what,
                format!(
                    "Only roles with the SUPERUSER attribute may {verb} {thing} of roles with the SUPERUSER attribute."
                ),
            ));
        }
        if !s.has_privileges_of(own, other) && !s.has_privileges_of(own, SIGNAL_BACKEND_OID) {
            let one =
                if verb == "cancel" { "query is being canceled" } else { "process is being terminated" };
            let it = if verb == "cancel" { "query" } else { "process" };
            return Err(refused(
                what,
                format!(
                    "Only roles with privileges of the role whose {one} or with privileges of the \"pg_signal_backend\" role may {verb} this {it}."
                ),
            ));
        }
        Ok(())
    }
}
