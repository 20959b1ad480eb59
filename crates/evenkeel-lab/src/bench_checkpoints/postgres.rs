//! A running server's settings, changed for as long as it is measured.
//!
//! Invariants
//! 1. What was changed is put back when the guard goes: after success, an error, or a signal. Values that `ALTER SYSTEM` had set before are set again.
//!
//! It must not know what is measured.

use std::time::{Duration, Instant};

use super::{Error, server_error};
use evenkeel_client::ConnString;
use evenkeel_client::{Connection, WireError};

const APPLICATION_NAME: &str = "evenkeel bench settings";
/// A server takes a reload well within this.
const RELOAD_MAX: Duration = Duration::from_secs(20);
const WAIT_STEP: Duration = Duration::from_millis(20);

/// Changed settings.
pub struct Changed {
    to: ConnString,
    name: String,
    /// Names, with what `ALTER SYSTEM` had set before.
    before: Vec<(String, Option<String>)>,
}

impl Changed {
    /// Changes them, and waits until the server has taken them. Blocks.
    pub fn apply(to: &ConnString, name: &str, settings: &[(String, String)]) -> Result<Changed, Error> {
        let mut changed = Changed { to: to.clone(), name: name.into(), before: Vec::new() };
        if settings.is_empty() {
            return Ok(changed);
        }
        let wrong = server_error(name);
        let mut connection = Connection::open(to, APPLICATION_NAME).map_err(&wrong)?;
        for (setting, value) in settings {
            if !setting.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)) {
                return Err(Error::Options(format!("\"{setting}\" is not the name of a setting")));
            }
            let sql = format!(
                "SELECT setting FROM pg_file_settings WHERE name = '{setting}' AND sourcefile LIKE '%postgresql.auto.conf' ORDER BY seqno DESC LIMIT 1"
            );
            let before = connection.value(&sql).map_err(&wrong)?;
            // Noted first: an error from here on puts it back, too.
            changed.before.push((setting.clone(), before));
            connection.query(&set(setting, Some(value))).map_err(&wrong)?;
        }
        reload(&mut connection).map_err(&wrong)?;
        let names: Vec<String> = settings.iter().map(|(n, _)| format!("'{n}'")).collect();
        let sql =
            format!("SELECT name FROM pg_settings WHERE pending_restart AND name IN ({})", names.join(", "));
        if let Some(setting) = connection.value(&sql).map_err(&wrong)? {
            return Err(Error::Options(format!("{name}: {setting} changes at a restart only")));
        }
        Ok(changed)
    }

    /// Puts them back. Blocks.
    pub fn restore(mut self) -> Result<(), Error> {
        self.put_back().map_err(server_error(&self.name))
    }

    fn put_back(&mut self) -> Result<(), WireError> {
        if self.before.is_empty() {
            return Ok(());
        }
        let mut connection = Connection::open(&self.to, APPLICATION_NAME)?;
        while let Some((setting, before)) = self.before.last() {
            connection.query(&set(setting, before.as_deref()))?;
            self.before.pop();
        }
        reload(&mut connection)
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        let left: Vec<String> = self.before.iter().map(|(n, v)| set(n, v.as_deref())).collect();
        if let Err(e) = self.put_back() {
            eprintln!(
                "evenkeel: {}: settings could not be put back ({e}); run: {}; SELECT pg_reload_conf()",
                self.name,
                left.join("; ")
            );
        }
    }
}

fn set(setting: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("ALTER SYSTEM SET {setting} = '{}'", value.replace('\'', "''")),
        None => format!("ALTER SYSTEM RESET {setting}"),
    }
}

fn reload(connection: &mut Connection) -> Result<(), WireError> {
    const LOADED: &str = "SELECT pg_conf_load_time()";
    let before = connection.value(LOADED)?;
    connection.query("SELECT pg_reload_conf()")?;
    let begin = Instant::now();
    while connection.value(LOADED)? == before {
        if begin.elapsed() > RELOAD_MAX {
            return Err(WireError::Protocol("the server did not reload its settings".into()));
        }
        std::thread::sleep(WAIT_STEP);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_before_is_set_again_and_what_was_not_is_reset() {
        assert_eq!(set("a.b", Some("it's")), "ALTER SYSTEM SET a.b = 'it''s'");
        assert_eq!(set("checkpoint_timeout", None), "ALTER SYSTEM RESET checkpoint_timeout");
    }
}
