//! Settings: `pg_settings`, which gives numbers in the unit of a bare number, without a suffix.
//!
//! Must not know: where settings are kept.

use super::{VirtualTable, opt, text, view, yes};
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_SETTINGS];

pub(super) static PG_SETTINGS: VirtualTable = view(
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
            let (min, max) = s.bounds.unzip();
            let choices = (!s.choices.is_empty())
                .then(|| Datum::array(Type::Text, s.choices.iter().map(|w| text(*w)).collect()));
            rows.push(vec![
                text(&s.name),
                text(s.setting),
                // PostgreSQL has no name of it here, and exporters fail on what it has not.
                opt(s.unit.filter(|unit| *unit != "us")),
                text("Settings"),
                text(&s.description),
                Datum::Null,
                text(s.context.name()),
                text(s.kind),
                text(s.source),
                opt(min.as_deref()),
                opt(max.as_deref()),
                choices.unwrap_or(Datum::Null),
                text(&s.default_setting),
                text(&s.reset_setting),
                opt(s.line.as_ref().map(|line| &*line.file)),
                s.line.map_or(Datum::Null, |line| Datum::Int4(line.number as i32)),
                yes(s.pending_restart),
            ]);
        }
        Ok(rows)
    },
);
