//! Settings that not everybody may see, or not yet.
//!
//! Must not know: their values.

use super::SessionEnv;
use crate::catalog::security::roles::READ_ALL_SETTINGS_OID;
use crate::session::privileges::refused;
use crate::session::settings::Settings;
use evenkeel::Basis;
use evenkeel::settings::Shown;
use evenkeel_types::error::SqlError;

/// As in PostgreSQL, and what says where a secret is.
const GUARDED: [&str; 11] = [
    "config_file",
    "data_directory",
    "hba_file",
    "ident_file",
    "log_directory",
    "log_filename",
    "metrics_token_file",
    "primary_conninfo",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "unix_socket_directories",
];

/// Whether not everybody may see the value of a setting.
pub fn is_guarded_setting(name: &str) -> bool {
    GUARDED.iter().any(|guarded| guarded.eq_ignore_ascii_case(name))
}

/// Refuses to say the value of a setting.
pub fn not_examined(name: &str) -> SqlError {
    let what = format!("examine \"{}\"", name.to_ascii_lowercase());
    let why = "Only roles with privileges of the \"pg_read_all_settings\" role may examine this parameter.";
    refused(&what, why)
}

/// Whether a setting is as it is kept for the session's role or database.
fn is_kept(row: &Shown) -> bool {
    ["global", "database", "user", "database user"].contains(&row.source)
}

impl SessionEnv {
    /// Whether the current role sees the value of a setting.
    pub(crate) fn may_examine(&self, name: &str) -> bool {
        !is_guarded_setting(name)
            || self.catalog.security().has_privileges_of(self.roles.1, READ_ALL_SETTINGS_OID)
    }

    /// Refuses to say the value of one that it does not see.
    pub(crate) fn check_may_examine(&self, name: &str) -> Result<(), SqlError> {
        if self.may_examine(name) { Ok(()) } else { Err(not_examined(name)) }
    }

    /// Somebody is told a setting: where the session began with it as one that is kept for its role or database, once that cannot be lost.
    pub(crate) fn looks_at_setting(&self, is_meant: impl Fn(&str) -> bool) {
        if self.rows.borrow().iter().any(|r| is_kept(r) && is_meant(&r.name)) {
            self.looked_at.set(self.looked_at.get().max(self.kept));
        }
    }

    /// What must not be lost before these settings are told, which the session begins with.
    pub(crate) fn kept_basis(&self, settings: &Settings, is_told: impl Fn(&str) -> bool) -> Basis {
        let is_kept = settings.rows().iter().any(|r| is_kept(r) && is_told(&r.name));
        if is_kept { self.kept } else { Basis::NONE }
    }
}
