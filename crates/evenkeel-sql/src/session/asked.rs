//! The settings that a session begins with: what its client asks for goes over what is kept for its role and database, and that over the configuration.
//!
//! Invariants
//! 1. What is kept may be of a commit that a failover can lose. Who is let in works by it, as nobody could help otherwise; but its value is told once it cannot be lost (`SessionEnv::looks_at_setting`).
//!
//! Must not know: how settings are kept.

use super::SessionParams;
use super::privileges::{check_asked_setting, check_first_setting};
use super::settings::Settings;
use crate::catalog::Catalog;
use crate::catalog::security::roles::Role;
use crate::instance::Instance;
use evenkeel_types::error::SqlError;

/// For who has logged in. What is wrong with the client's own is an error; with others', it is the log's.
pub(super) fn settings(
    p: &SessionParams,
    role: &Role,
    catalog: &Catalog,
    instance: &Instance,
) -> Result<Settings, SqlError> {
    let mut settings = Settings::over(&role.name, p.configured.clone());
    let stored = catalog.security();
    // First: it is read without what is kept.
    let name = Some(("application_name", &p.application_name)).filter(|(_, name)| !name.is_empty());
    let asked: Vec<(&str, &String)> = p.settings.iter().map(|(n, v)| (&**n, v)).chain(name).collect();
    for (name, value) in &asked {
        if !settings.exists(&name.to_ascii_lowercase()) {
            instance.check_settable(&name.to_ascii_lowercase())?;
        }
        check_asked_setting(stored, role, name, value)?;
        settings.set_default(name, value, "client")?;
    }
    let is_asked = |name: &str| asked.iter().any(|(asked, _)| asked.eq_ignore_ascii_case(name));
    for of in [0, role.oid] {
        let kept = stored.settings_of(of).into_iter().flat_map(|kept| kept.of_sessions(catalog.database));
        for ((name, value), is_within) in kept.filter(|((name, _), _)| !is_asked(name)) {
            let source = match (of, is_within) {
                (0, false) => "global",
                (0, true) => "database",
                (_, false) => "user",
                (_, true) => "database user",
            };
            let allowed = check_first_setting(stored, role, name, value);
            if let Err(e) = allowed.and_then(|()| settings.set_default(name, value, source)) {
                tracing::warn!(role = role.name, setting = name, error = %e, "a setting of a role is not understood");
            }
        }
    }
    Ok(settings)
}
