//! Settings: `pg_settings`, which gives numbers in the unit of a bare number, without a suffix.
//!
//! Must not know: where settings are kept.

use super::{VirtualTable, opt, text, view, yes};
use crate::types::{Datum, Type};

/// A setting as SHOW and `pg_settings` show it.
#[derive(Clone, Debug)]
pub struct SettingRow {
    /// Its name.
    pub name: String,
    /// Its value, with its unit, as SHOW prints it.
    pub value: String,
    /// The unit of a bare number.
    pub unit: Option<String>,
    /// What it does.
    pub description: String,
    /// `user`, `sighup`, `postmaster`, `internal`
    pub context: &'static str,
    /// `bool`, `integer`, `string`, `enum`, `real`
    pub kind: &'static str,
    /// Where the value comes from.
    pub source: &'static str,
    /// The value without SET.
    pub default: String,
}

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_SETTINGS];

static PG_SETTINGS: VirtualTable = view(
    12203,
    "pg_settings",
    &[
        ("name", Type::Text),
        ("setting", Type::Text),
        ("unit", Type::Text),
        ("category", Type::Text),
        ("short_desc", Type::Text),
        ("extra_desc", Type::Text),
        ("context", Type::Text),
        ("vartype", Type::Text),
        ("source", Type::Text),
        ("min_val", Type::Text),
        ("max_val", Type::Text),
        ("enumvals", Type::TextArray),
        ("boot_val", Type::Text),
        ("reset_val", Type::Text),
        ("sourcefile", Type::Text),
        ("sourceline", Type::Int4),
        ("pending_restart", Type::Bool),
    ],
    |_, cx| {
        let mut rows = Vec::new();
        for s in cx.settings() {
            rows.push(vec![
                text(&s.name),
                text(in_unit(&s.value, s.unit.as_deref())),
                opt(s.unit.as_deref()),
                text("Settings"),
                text(&s.description),
                Datum::Null,
                text(s.context),
                text(s.kind),
                text(s.source),
                Datum::Null,
                Datum::Null,
                Datum::Null,
                text(in_unit(&s.default, s.unit.as_deref())),
                text(in_unit(&s.default, s.unit.as_deref())),
                Datum::Null,
                Datum::Null,
                yes(false),
            ]);
        }
        Ok(rows)
    },
);

/// Units of bytes in bytes, of time in microseconds.
const UNITS: &[(&str, i128)] = &[
    ("B", 1),
    ("kB", 1 << 10),
    ("8kB", 8 << 10),
    ("MB", 1 << 20),
    ("GB", 1 << 30),
    ("TB", 1 << 40),
    ("us", 1),
    ("ms", 1000),
    ("s", 1_000_000),
    ("min", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// `5min` as `300` when the unit is `s`. What has no whole number in the unit stays as it is.
pub(crate) fn in_unit(value: &str, unit: Option<&str>) -> String {
    let size = |name: &str| UNITS.iter().find(|(n, _)| *n == name).map(|(_, size)| *size);
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, suffix) = value.split_at(digits);
    match (number.parse::<i128>(), size(suffix), unit.and_then(size)) {
        (Ok(n), Some(from), Some(to)) if n.saturating_mul(from) % to == 0 => (n * from / to).to_string(),
        _ => value.to_owned(),
    }
}

/// The `vartype` of a setting that is kept elsewhere, by its value.
pub fn kind_of(value: &str, unit: Option<&str>) -> &'static str {
    match value {
        "on" | "off" => "bool",
        _ if unit.is_some() || value.parse::<i64>().is_ok() => "integer",
        _ if value.parse::<f64>().is_ok() => "real",
        _ => "string",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_in_their_unit() {
        assert_eq!(in_unit("128MB", Some("8kB")), "16384");
        assert_eq!(in_unit("5min", Some("s")), "300");
        assert_eq!(in_unit("1500ms", Some("ms")), "1500");
        assert_eq!(in_unit("0", Some("ms")), "0");
        assert_eq!(in_unit("200", None), "200");
        assert_eq!(in_unit("1d", None), "1d");
    }
}
