//! Values of settings that are refused though they are of the right kind: what they ask for is not there, or nothing has the name.
//!
//! Must not know: sessions.

use evenkeel_types::error::{SqlError, SqlState};

/// What does nothing has no other value than this.
const ONLY: [(&str, &str); 18] = [
    ("allow_system_table_mods", "off"),
    ("backtrace_functions", ""),
    ("createrole_self_grant", ""),
    ("exit_on_error", "off"),
    ("ignore_checksum_failure", "off"),
    ("log_executor_stats", "off"),
    ("log_lock_failures", "off"),
    ("log_parameter_max_length_on_error", "0"),
    ("log_parser_stats", "off"),
    ("log_planner_stats", "off"),
    ("log_replication_commands", "off"),
    ("log_statement_stats", "off"),
    ("log_transaction_sample_rate", "0"),
    ("scram_iterations", "4096"),
    ("transform_null_equals", "off"),
    ("wal_consistency_checking", ""),
    ("zero_damaged_pages", "off"),
    ("timezone_abbreviations", "Default"),
];

/// PostgreSQL's sets of abbreviations of time zones.
const ABBREVIATIONS: [&str; 3] = ["Default", "Australia", "India"];
/// PostgreSQL's configurations of text search. There is nothing here that one of them would change.
const TEXT_SEARCH: [&str; 30] = [
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "danish",
    "dutch",
    "english",
    "estonian",
    "finnish",
    "french",
    "german",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "nepali",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "serbian",
    "simple",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
    "yiddish",
];
const TABLESPACES: [&str; 2] = ["pg_default", "pg_global"];
/// What is loaded already, as it is built in.
const LIBRARIES: [&str; 2] = ["auto_explain", "pg_stat_statements"];

fn invalid(name: &str, value: &str) -> SqlError {
    let message = format!("invalid value for parameter \"{name}\": \"{value}\"");
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// Whether it is the name of a locale of the system: `C`, `de_AT.UTF-8`.
fn is_locale(name: &str) -> bool {
    let place = name.split(['.', '@']).next().unwrap_or("");
    let is_pair = |(language, land): (&str, &str)| {
        (2..=3).contains(&language.len())
            && language.bytes().all(|b| b.is_ascii_lowercase())
            && land.len() == 2
            && land.bytes().all(|b| b.is_ascii_uppercase())
    };
    name.is_empty() || matches!(place, "C" | "POSIX") || place.split_once('_').is_some_and(is_pair)
}

/// Whether a locale writes amounts of money as they are written here.
fn writes_dollars(locale: &str) -> bool {
    let language = locale.split(['.', '@']).next().unwrap_or("");
    matches!(language, "" | "C" | "POSIX" | "en_US")
}

/// Refuses such a value, which is as it is shown.
pub(super) fn check(name: &str, value: &str) -> Result<(), SqlError> {
    let names = || value.split(',').map(|n| n.trim().trim_matches('"')).filter(|n| !n.is_empty());
    match (name, value) {
        ("password_encryption", "md5") => {
            return Err(SqlError::unsupported("password encryption with MD5 is not supported"));
        }
        ("default_with_oids", "on") => {
            return Err(SqlError::unsupported("tables declared WITH OIDS are not supported"));
        }
        ("lc_monetary", _) if !is_locale(value) => return Err(invalid(name, value)),
        ("lc_monetary", _) if !writes_dollars(value) => {
            let why = format!("locale \"{value}\" is not supported for lc_monetary");
            return Err(SqlError::unsupported(why));
        }
        ("lc_messages" | "lc_numeric" | "lc_time", _) if !is_locale(value) => {
            return Err(invalid(name, value));
        }
        ("default_table_access_method", "") => {
            let why = "\"default_table_access_method\" cannot be empty.";
            return Err(invalid(name, value).with_detail(why));
        }
        ("default_table_access_method", _) if value != "heap" => {
            let why = format!("Table access method \"{value}\" does not exist.");
            return Err(invalid(name, value).with_detail(why));
        }
        ("default_text_search_config", _)
            if !TEXT_SEARCH.contains(&value.strip_prefix("pg_catalog.").unwrap_or(value)) =>
        {
            return Err(invalid(name, value));
        }
        ("default_tablespace", _) if !value.is_empty() && !TABLESPACES.contains(&value) => {
            let why = format!("Tablespace \"{value}\" does not exist.");
            return Err(invalid(name, value).with_detail(why));
        }
        ("temp_tablespaces", _) => {
            if let Some(unknown) = names().find(|n| !TABLESPACES.contains(n)) {
                let why = format!("tablespace \"{unknown}\" does not exist");
                return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
            }
        }
        ("session_preload_libraries" | "local_preload_libraries", _) => {
            if let Some(unknown) = names().find(|n| !LIBRARIES.contains(n)) {
                return Err(SqlError::unsupported(format!(
                    "library \"{unknown}\" is not supported for {name}"
                )));
            }
        }
        ("timezone_abbreviations", _) if !ABBREVIATIONS.contains(&value) => return Err(invalid(name, value)),
        // A bound that is no bound of the number.
        ("vacuum_buffer_usage_limit", _)
            if value.strip_suffix("kB").and_then(|n| n.parse::<u32>().ok()).is_some_and(|kb| kb < 128) =>
        {
            let value = value.trim_end_matches("kB");
            let message = format!("invalid value for parameter \"{name}\": {value}");
            let why = "\"vacuum_buffer_usage_limit\" must be 0 or between 128 kB and 16777216 kB.";
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message).with_detail(why));
        }
        _ => {}
    }
    match ONLY.iter().find(|(only, _)| *only == name) {
        Some((_, only)) if *only != value => {
            let what = if value == "on" { name.to_owned() } else { format!("{name} = \"{value}\"") };
            Err(SqlError::unsupported(format!("{what} is not supported")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_are_known_by_their_names() {
        for good in ["", "C", "POSIX", "C.UTF-8", "de_AT", "en_US.utf8", "de_DE@euro"] {
            assert!(is_locale(good), "{good}");
        }
        for bad in ["foo", "en", "EN_us", "en_USA", "../x"] {
            assert!(!is_locale(bad), "{bad}");
        }
    }
}
