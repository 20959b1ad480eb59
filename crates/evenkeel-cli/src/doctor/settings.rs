//! The settings: can they be read, and does one of them give away what the others keep?

use std::path::Path;

use evenkeel_server::check_rules;
use evenkeel_server::settings::Id;

use super::Findings;
use crate::config::Config;

pub(super) fn look(why: Option<&str>, config: &Config, data: &Path, f: &mut Findings<'_>) {
    if let Some(why) = why {
        f.wrong(
            format!("the configuration cannot be read: {why}"),
            "mend it; evenkeel settings lists all names, values and units",
        );
        return;
    }
    durability(&|name| config.shown(name), f);
    let is_open = |address: &str| {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        !host.is_empty()
            && host != "localhost"
            && !host.starts_with("127.")
            && !matches!(host, "[::1]" | "::1" | "[:")
    };
    let addresses = config.server.show(Id::ListenAddresses);
    let is_remote = addresses.split(',').map(str::trim).any(is_open);
    doors(is_remote, config.server.number(Id::Ssl) == 1, f);
    match check_rules(&config.server, Some(data)) {
        Ok(true) => f.good("pg_hba.conf says who may come in"),
        Ok(false) if config.server.show(Id::LocalAuthentication) == "trust" => {
            f.note("whoever has an account on this machine comes in as a superuser (local_authentication = trust)");
        }
        Ok(false) => {}
        Err(e) => {
            f.wrong(e.to_string(), "mend the file; the view pg_hba_file_rules shows what is understood of it")
        }
    }
    if config.server.number(Id::LoggingCollector) == 1
        && config.server.number(Id::LogRotationSize) == 0
        && config.server.show(Id::LogRotationAge) == "0"
    {
        f.warn(
            "the log's file never ends (log_rotation_age and log_rotation_size are 0)",
            "set one of them, and remove old files",
        );
    }
}

/// Settings that trade durability for speed.
fn durability(shown: &dyn Fn(&str) -> Option<String>, f: &mut Findings<'_>) {
    let is = |name: &str, value: &str| shown(name).is_some_and(|v| v == value);
    let mut safe = true;
    if is("fsync", "off") {
        safe = false;
        f.wrong("fsync is off: a power cut destroys the database", "fsync = on");
    }
    if is("torn_page_protection", "off") {
        safe = false;
        f.warn(
            "torn_page_protection is off: a power cut in the midst of a write leaves pages that only a backup mends, unless the file system writes 8 kB whole",
            "torn_page_protection = full_page_writes, or double_write",
        );
    }
    if is("synchronous_commit", "off") {
        safe = false;
        f.warn(
            "synchronous_commit is off for all sessions: a crash loses the last commits that clients were told of",
            "synchronous_commit = on, and off by SET where it may be",
        );
    }
    if safe {
        f.good("what clients are told of is durable");
    }
}

fn doors(is_remote: bool, has_tls: bool, f: &mut Findings<'_>) {
    match (is_remote, has_tls) {
        (true, false) => f.warn(
            "other machines may connect, and nothing is encrypted",
            "evenkeel tls create makes a certificate; then ssl = on, and hostssl in pg_hba.conf",
        ),
        (true, true) => f.good("other machines may connect, encrypted"),
        (false, _) => f.good("only this machine may connect"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, found};
    use super::*;

    #[test]
    fn what_gives_durability_away_is_told() {
        let of = |name: &str, value: &str| {
            let shown = |n: &str| (n == name).then(|| value.to_owned());
            found(|f| durability(&shown, f))[0].0
        };
        assert_eq!(of("fsync", "on"), Level::Good);
        assert_eq!(of("fsync", "off"), Level::Wrong);
        assert_eq!(of("torn_page_protection", "off"), Level::Warning);
        assert_eq!(of("synchronous_commit", "off"), Level::Warning);
    }
}
