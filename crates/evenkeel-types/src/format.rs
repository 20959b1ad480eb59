//! The settings that text input and output depend on.
//!
//! Must not know: sessions. A session keeps one `FormatOptions` and makes a new one when a setting changes.

use std::fmt;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::ty::Type;
use super::user::Attributes;
use crate::error::SqlError;

/// Style of dates and timestamps in output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateStyle {
    /// `2024-01-31`
    Iso,
    /// `Wed Jan 31 …`
    Postgres,
    /// `01/31/2024`
    Sql,
    /// `31.01.2024`
    German,
}

/// Order of day, month and year where input is ambiguous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateOrder {
    /// month, day, year
    Mdy,
    /// day, month, year
    Dmy,
    /// year, month, day
    Ymd,
}

/// Style of intervals in output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntervalStyle {
    /// `1 day 02:00:00`
    Postgres,
    /// `@ 1 day 2 hours`
    PostgresVerbose,
    /// `1 2:00:00`
    SqlStandard,
    /// `P1DT2H`
    Iso8601,
}

/// Names and OIDs of catalog objects, for the `reg*` types' text form.
pub trait RegNames: Send + Sync {
    /// The name of an object, qualified and quoted as needed; `None` shows the number.
    fn name(&self, ty: Type, oid: u32) -> Option<String>;
    /// The object that a name (possibly qualified and quoted) denotes; the error says that it does not exist.
    fn oid(&self, ty: Type, name: &str) -> Result<u32, SqlError>;
    /// The type that a name in SQL denotes, the modifier that it has, and the domain if that is one.
    fn named_type(&self, name: &str) -> Result<(Type, i32, Option<u32>), SqlError>;
    /// Whether the session's database is called so.
    fn is_database(&self, _name: &str) -> bool {
        true
    }
    /// The label of a value of an enum.
    fn enum_label(&self, _oid: u32, _value: u64) -> Option<String> {
        None
    }
    /// All values of an enum, in their order.
    fn enum_values(&self, _oid: u32) -> Vec<u64> {
        Vec::new()
    }
    /// The type that a domain is over.
    fn base_of_domain(&self, _oid: u32) -> Option<u32> {
        None
    }
    /// The attributes of a composite type.
    fn attributes(&self, _oid: u32) -> Option<Attributes> {
        None
    }
    /// Whether a value of an enum is younger than what is committed, and the type is not.
    fn is_new_value(&self, _oid: u32, _value: u64) -> bool {
        false
    }
    /// The value that a label stands for.
    fn enum_value(&self, _oid: u32, _label: &str) -> Option<u64> {
        None
    }
}

/// What text input and output depend on. Cheap to clone.
#[derive(Clone)]
pub struct FormatOptions {
    /// DateStyle, first part.
    pub datestyle: DateStyle,
    /// DateStyle, second part.
    pub dateorder: DateOrder,
    /// IntervalStyle
    pub intervalstyle: IntervalStyle,
    /// TimeZone
    pub timezone: TimeZone,
    /// TimeZone as the user spelled it.
    pub timezone_name: Arc<str>,
    /// extra_float_digits, -15..=3; above 0 gives the shortest text that reads back the same.
    pub extra_float_digits: i32,
    /// bytea_output is hex (else escape).
    pub bytea_hex: bool,
    /// array_nulls: NULL without quotes is an element that is null.
    pub array_nulls: bool,
    /// What 'now', 'today' and their like mean: the transaction's start, microseconds since 2000-01-01 UTC. `None`: the wall clock.
    pub now_us: Option<i64>,
    /// Lookups for `regclass` and its like; without, only numbers (and type names) are known.
    pub reg_names: Option<Arc<dyn RegNames>>,
}

impl Default for FormatOptions {
    fn default() -> FormatOptions {
        FormatOptions {
            datestyle: DateStyle::Iso,
            dateorder: DateOrder::Mdy,
            intervalstyle: IntervalStyle::Postgres,
            timezone: TimeZone::UTC,
            timezone_name: Arc::from("UTC"),
            extra_float_digits: 1,
            bytea_hex: true,
            array_nulls: true,
            now_us: None,
            reg_names: None,
        }
    }
}

impl fmt::Debug for FormatOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormatOptions")
            .field("datestyle", &self.datestyle)
            .field("dateorder", &self.dateorder)
            .field("intervalstyle", &self.intervalstyle)
            .field("timezone", &self.timezone_name)
            .field("extra_float_digits", &self.extra_float_digits)
            .field("bytea_hex", &self.bytea_hex)
            .finish_non_exhaustive()
    }
}

impl FormatOptions {
    /// Parses a DateStyle setting such as `ISO, MDY`; parts that are absent keep their value. `None` if it is not valid.
    pub fn parse_datestyle(&self, value: &str) -> Option<(DateStyle, DateOrder)> {
        let (mut style, mut order) = (self.datestyle, self.dateorder);
        for word in value.split(',') {
            match word.trim().to_ascii_lowercase().as_str() {
                "iso" => style = DateStyle::Iso,
                "sql" => style = DateStyle::Sql,
                "postgres" | "postgresql" => style = DateStyle::Postgres,
                "german" => {
                    style = DateStyle::German;
                    order = DateOrder::Dmy;
                }
                "mdy" | "us" | "noneuro" | "noneuropean" => order = DateOrder::Mdy,
                "dmy" | "euro" | "european" => order = DateOrder::Dmy,
                "ymd" => order = DateOrder::Ymd,
                "default" => (style, order) = (DateStyle::Iso, DateOrder::Mdy),
                _ => return None,
            }
        }
        Some((style, order))
    }

    /// The DateStyle setting as SHOW gives it.
    pub fn datestyle_text(&self) -> &'static str {
        match (self.datestyle, self.dateorder) {
            (DateStyle::Iso, DateOrder::Mdy) => "ISO, MDY",
            (DateStyle::Iso, DateOrder::Dmy) => "ISO, DMY",
            (DateStyle::Iso, DateOrder::Ymd) => "ISO, YMD",
            (DateStyle::Sql, DateOrder::Mdy) => "SQL, MDY",
            (DateStyle::Sql, DateOrder::Dmy) => "SQL, DMY",
            (DateStyle::Sql, DateOrder::Ymd) => "SQL, YMD",
            (DateStyle::Postgres, DateOrder::Mdy) => "Postgres, MDY",
            (DateStyle::Postgres, DateOrder::Dmy) => "Postgres, DMY",
            (DateStyle::Postgres, DateOrder::Ymd) => "Postgres, YMD",
            (DateStyle::German, DateOrder::Mdy) => "German, MDY",
            (DateStyle::German, DateOrder::Dmy) => "German, DMY",
            (DateStyle::German, DateOrder::Ymd) => "German, YMD",
        }
    }

    /// Parses an IntervalStyle setting.
    pub fn parse_intervalstyle(value: &str) -> Option<IntervalStyle> {
        Some(match value.to_ascii_lowercase().as_str() {
            "postgres" => IntervalStyle::Postgres,
            "postgres_verbose" => IntervalStyle::PostgresVerbose,
            "sql_standard" => IntervalStyle::SqlStandard,
            "iso_8601" => IntervalStyle::Iso8601,
            _ => return None,
        })
    }
}
