//! Storage parameters of tables: which there are, and what values PostgreSQL takes.
//!
//! Must not know: what they do, and where they are kept.

use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, FormatOptions, Type, input_text};

/// What a parameter is.
enum Kind {
    Bool,
    Int(i64, i64),
    Real(f64, f64),
    /// `vacuum_index_cleanup`
    Cleanup,
}

const INT_MAX: i64 = i32::MAX as i64;
const AGE_MAX: i64 = 2_000_000_000;

fn kind(name: &str) -> Option<Kind> {
    use Kind::{Bool, Cleanup, Int, Real};
    Some(match name {
        "autovacuum_enabled" | "user_catalog_table" | "vacuum_truncate" => Bool,
        "fillfactor" => Int(10, 100),
        "parallel_workers" => Int(0, 1024),
        "toast_tuple_target" => Int(128, 8160),
        "autovacuum_vacuum_threshold" | "autovacuum_analyze_threshold" => Int(0, INT_MAX),
        "autovacuum_vacuum_max_threshold" | "autovacuum_vacuum_insert_threshold" => Int(-1, INT_MAX),
        "log_autovacuum_min_duration" => Int(-1, INT_MAX),
        "autovacuum_vacuum_cost_limit" => Int(1, 10_000),
        "autovacuum_freeze_min_age" | "autovacuum_multixact_freeze_min_age" => Int(0, AGE_MAX / 2),
        "autovacuum_freeze_max_age" => Int(100_000, AGE_MAX),
        "autovacuum_multixact_freeze_max_age" => Int(10_000, AGE_MAX),
        "autovacuum_freeze_table_age" | "autovacuum_multixact_freeze_table_age" => Int(0, AGE_MAX),
        "autovacuum_vacuum_cost_delay"
        | "autovacuum_vacuum_scale_factor"
        | "autovacuum_vacuum_insert_scale_factor"
        | "autovacuum_analyze_scale_factor" => Real(0.0, 100.0),
        "vacuum_max_eager_freeze_failure_rate" => Real(0.0, 1.0),
        "vacuum_index_cleanup" => Cleanup,
        _ => return None,
    })
}

/// Refuses a parameter that is said twice.
pub(super) fn each_once<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), SqlError> {
    let mut seen = std::collections::BTreeSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(wrong(format!("parameter \"{name}\" specified more than once"))),
        None => Ok(()),
    }
}

/// Refuses a parameter that PostgreSQL does not know, and a value that it does not take. Those of the tables of large values, which are not there, are not looked at.
pub(super) fn check(name: &str, value: &str) -> Result<(), SqlError> {
    if name.starts_with("toast.") {
        return Ok(());
    }
    let kind = kind(name).ok_or_else(|| wrong(format!("unrecognized parameter \"{name}\"")))?;
    let invalid = |what: &str| wrong(format!("invalid value for {what} option \"{name}\": {value}"));
    let outside = |low: String, high: String| {
        wrong(format!("value {value} out of bounds for option \"{name}\""))
            .with_detail(format!("Valid values are between \"{low}\" and \"{high}\"."))
    };
    let is_bool = || {
        let read = input_text(value, Type::Bool, -1, &FormatOptions::default());
        matches!(read, Ok(Datum::Bool(_)))
    };
    match kind {
        Kind::Bool if is_bool() => Ok(()),
        Kind::Bool => Err(invalid("boolean")),
        Kind::Int(low, high) => match value.trim().parse::<i64>() {
            Ok(n) if (low..=high).contains(&n) => Ok(()),
            Ok(n) if n.abs() <= INT_MAX => Err(outside(low.to_string(), high.to_string())),
            _ => Err(invalid("integer")),
        },
        Kind::Real(low, high) => match value.trim().parse::<f64>() {
            Ok(n) if (low..=high).contains(&n) => Ok(()),
            Ok(_) => Err(outside(format!("{low:.6}"), format!("{high:.6}"))),
            Err(_) => Err(invalid("floating point")),
        },
        Kind::Cleanup if value.eq_ignore_ascii_case("auto") || is_bool() => Ok(()),
        Kind::Cleanup => Err(invalid("enum").with_detail("Valid values are \"on\", \"off\", and \"auto\".")),
    }
}

fn wrong(why: String) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
}
