//! Settings: what defines one, values of a table of them, how both are shown. Engine, server and SQL each have a table of rows of this one type.
//!
//! Invariants
//! 1. A value is within the bounds of its row: nothing else is ever kept.
//! 2. Names, kinds and messages are PostgreSQL's where the meaning is the same.
//!
//! Must not know: what any setting means, where values come from (file, command line, statement).

mod grammar;

use grammar::{MEMORY, NoNumber, TIME};
use std::fmt;
use std::sync::Arc;

pub use grammar::boolean;

/// A kilobyte, in bytes.
pub const KB: i64 = 1024;
/// A megabyte, in bytes.
pub const MB: i64 = 1024 * KB;
/// A gigabyte, in bytes.
pub const GB: i64 = 1024 * MB;
/// A terabyte, in bytes.
pub const TB: i64 = 1024 * GB;
/// A millisecond, in microseconds.
pub const MS: i64 = 1000;
/// A second, in microseconds.
pub const S: i64 = 1000 * MS;
/// A minute, in microseconds.
pub const MIN: i64 = 60 * S;
/// A day, in microseconds.
pub const DAY: i64 = 24 * 60 * MIN;

/// What values a setting has, and how they are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// On (1) or off (0).
    Bool,
    /// A whole number.
    Integer,
    /// Bytes.
    Memory {
        /// What a number without a unit counts, bytes.
        unit: i64,
        /// Values are multiples of this.
        grain: i64,
    },
    /// Microseconds.
    Time {
        /// What a number without a unit counts, microseconds.
        unit: i64,
        /// Values are multiples of this.
        grain: i64,
    },
    /// Hundredths: `0.9`.
    Ratio,
    /// A file mode, octal.
    Mode,
    /// One of these words; the value is its place.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// Shown, never changed.
    Fixed,
}

/// Who may change a setting, and when: PostgreSQL's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// Nobody.
    Internal,
    /// With the server's start.
    Postmaster,
    /// While it runs, for all.
    Sighup,
    /// Each session for itself, as a superuser.
    Superuser,
    /// Each session for itself.
    User,
}

impl Context {
    /// As `pg_settings` has it.
    pub fn name(self) -> &'static str {
        match self {
            Context::Internal => "internal",
            Context::Postmaster => "postmaster",
            Context::Sighup => "sighup",
            Context::Superuser => "superuser",
            Context::User => "user",
        }
    }
}

/// A row of a table of settings.
#[derive(Clone, Copy, Debug)]
pub struct Def {
    /// Name, in lower case.
    pub name: &'static str,
    /// What values it has.
    pub kind: Kind,
    /// Its text by default.
    pub default: &'static str,
    /// Smallest value of a number, in bytes, microseconds, hundredths.
    pub min: i64,
    /// Largest value of a number.
    pub max: i64,
    /// Who may change it.
    pub context: Context,
    /// One sentence.
    pub description: &'static str,
}

/// A value of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of all kinds but texts.
    Number(i64),
    /// A text.
    Text(String),
}

/// Why a setting does not take a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// There is no such setting.
    Unknown {
        /// What was named.
        name: String,
    },
    /// It does not take this value.
    Value {
        /// What is wrong, with name and value.
        message: String,
        /// What would do.
        hint: Option<String>,
    },
    /// It cannot be changed now.
    Fixed {
        /// Which.
        name: String,
        /// When it could.
        context: Context,
    },
}

impl Mistake {
    /// What is wrong, without the hint.
    pub fn message(&self) -> String {
        match self {
            Mistake::Unknown { name } => format!("unrecognized configuration parameter \"{name}\""),
            Mistake::Value { message, .. } => message.clone(),
            Mistake::Fixed { name, context: Context::Postmaster } => {
                format!("parameter \"{name}\" cannot be changed without restarting the server")
            }
            Mistake::Fixed { name, context: Context::Sighup } => {
                format!("parameter \"{name}\" cannot be changed now")
            }
            Mistake::Fixed { name, .. } => format!("parameter \"{name}\" cannot be changed"),
        }
    }

    /// What would do.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Mistake::Value { hint, .. } => hint.as_deref(),
            _ => None,
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        self.hint().map_or(Ok(()), |hint| write!(f, " ({})", hint.trim_end_matches('.')))
    }
}

impl std::error::Error for Mistake {}

/// A line of a configuration file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The file.
    pub file: Arc<str>,
    /// Its number, from 1.
    pub number: u32,
}

/// A setting as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// Its value as SHOW prints it, with a unit.
    pub value: String,
    /// Its value as `pg_settings` has it: a number in `unit`.
    pub setting: String,
    /// The unit of a number without one.
    pub unit: Option<&'static str>,
    /// One sentence.
    pub description: String,
    /// Who may change it.
    pub context: Context,
    /// PostgreSQL's word for its kind: `bool`, `integer`, `real`, `enum`, `string`.
    pub kind: &'static str,
    /// Where the value comes from: PostgreSQL's words.
    pub source: &'static str,
    /// Where it stands, if that is a file.
    pub line: Option<Line>,
    /// A file has another, which takes a restart.
    pub pending_restart: bool,
    /// The default as SHOW prints it.
    pub default: String,
    /// The default that is built in, as `pg_settings` has it.
    pub default_setting: String,
    /// What RESET would set, as `pg_settings` has it.
    pub reset_setting: String,
    /// Bounds of a number, in `unit`.
    pub bounds: Option<(String, String)>,
    /// The words that it may be.
    pub choices: &'static [&'static str],
}

impl Def {
    /// Reads a value.
    pub fn parse(&self, text: &str) -> Result<Value, Mistake> {
        let name = self.name;
        let wrong = |message: String, hint: Option<String>| Err(Mistake::Value { message, hint });
        let invalid = |hint| wrong(format!("invalid value for parameter \"{name}\": \"{text}\""), hint);
        let number = match self.kind {
            // With its blanks: `log_line_prefix` ends with one.
            Kind::Text => return Ok(Value::Text(text.to_owned())),
            Kind::Fixed => return Err(Mistake::Fixed { name: name.into(), context: Context::Internal }),
            Kind::Bool => {
                return match boolean(text) {
                    Some(on) => Ok(Value::Number(on.into())),
                    None => wrong(format!("parameter \"{name}\" requires a Boolean value"), None),
                };
            }
            Kind::Choice(words) => {
                return match words.iter().position(|w| w.eq_ignore_ascii_case(text.trim())) {
                    Some(place) => Ok(Value::Number(place as i64)),
                    None => invalid(Some(format!("Available values: {}.", words.join(", ")))),
                };
            }
            Kind::Mode => {
                i64::from_str_radix(text.trim().trim_start_matches("0o"), 8).map_err(|_| NoNumber::Syntax)
            }
            Kind::Integer => grammar::number(text, 1, 1, &[]),
            Kind::Ratio => match text.trim().parse::<f64>() {
                Ok(n) if n.is_finite() && n.abs() < 1e12 => Ok((n * 100.0).round() as i64),
                Ok(_) => Err(NoNumber::Range),
                Err(_) => Err(NoNumber::Syntax),
            },
            Kind::Memory { unit, grain } => grammar::number(text, unit, grain, MEMORY),
            Kind::Time { unit, grain } => grammar::number(text, unit, grain, TIME),
        };
        let named = |units: &[(&str, i64)]| {
            let (last, first) = units.split_last().expect("there are units");
            let first: Vec<String> = first.iter().map(|(u, _)| format!("\"{u}\"")).collect();
            Some(format!("Valid units for this parameter are {}, and \"{}\".", first.join(", "), last.0))
        };
        match (number, self.kind) {
            (Ok(n), _) if (self.min..=self.max).contains(&n) => Ok(Value::Number(n)),
            (Ok(n), _) => {
                let [n, min, max] = [n, self.min, self.max].map(|n| self.bound(n));
                wrong(
                    format!("{n} is outside the valid range for parameter \"{name}\" ({min} .. {max})"),
                    None,
                )
            }
            (Err(NoNumber::Unit), Kind::Memory { .. }) => invalid(named(MEMORY)),
            (Err(NoNumber::Unit), Kind::Time { .. }) => invalid(named(TIME)),
            (Err(NoNumber::Range), _) => invalid(Some("Value exceeds integer range.".into())),
            (Err(_), _) => invalid(None),
        }
    }

    /// A value in a message: in the unit, if it has a name and the value is a whole number of it.
    fn bound(&self, n: i64) -> String {
        match self.unit() {
            Some(unit) if unit != "8kB" => match self.in_unit(n) {
                Some(n) => format!("{n} {unit}"),
                None => self.print(&Value::Number(n)),
            },
            _ => self.print(&Value::Number(n)),
        }
    }

    /// A value as SHOW prints it: with the largest unit that it is a multiple of.
    pub fn print(&self, value: &Value) -> String {
        let n = match value {
            Value::Text(text) => return text.clone(),
            Value::Number(n) => *n,
        };
        match self.kind {
            Kind::Bool => if n != 0 { "on" } else { "off" }.into(),
            Kind::Choice(words) => words.get(n as usize).copied().unwrap_or_default().into(),
            Kind::Ratio => format!("{}", n as f64 / 100.0),
            Kind::Mode => format!("{n:04o}"),
            // Less than nothing means that there is no limit, and has no unit.
            Kind::Memory { unit, .. } | Kind::Time { unit, .. } if n < 0 => (n / unit).to_string(),
            Kind::Memory { .. } => grammar::print(n, MEMORY),
            Kind::Time { .. } => grammar::print(n, TIME),
            Kind::Integer | Kind::Text | Kind::Fixed => n.to_string(),
        }
    }

    /// The unit of a number without one.
    pub fn unit(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Memory { unit, .. } => Some(grammar::unit_name(unit, MEMORY)),
            Kind::Time { unit, .. } => Some(grammar::unit_name(unit, TIME)),
            _ => None,
        }
    }

    fn in_unit(&self, n: i64) -> Option<i64> {
        match self.kind {
            Kind::Memory { unit, .. } | Kind::Time { unit, .. } => (n % unit == 0).then_some(n / unit),
            _ => Some(n),
        }
    }

    /// A value as `pg_settings` has it. What is no whole number of the unit is shown with its own.
    pub fn setting(&self, value: &Value) -> String {
        match (self.kind, value) {
            (Kind::Memory { .. } | Kind::Time { .. }, Value::Number(n)) => {
                self.in_unit(*n).map_or_else(|| self.print(value), |n| n.to_string())
            }
            _ => self.print(value),
        }
    }

    /// PostgreSQL's word for its kind.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            Kind::Bool => "bool",
            Kind::Integer | Kind::Memory { .. } | Kind::Time { .. } | Kind::Mode => "integer",
            Kind::Ratio => "real",
            Kind::Choice(_) => "enum",
            Kind::Text | Kind::Fixed => "string",
        }
    }

    /// The default.
    pub fn default_value(&self) -> Value {
        match self.kind {
            Kind::Fixed => Value::Text(self.default.into()),
            _ => self.parse(self.default).expect("defaults are within their bounds"),
        }
    }

    /// The setting with a value, for display.
    pub fn shown(&self, value: &Value, source: &'static str) -> Shown {
        let default = self.default_value();
        let setting = self.setting(value);
        Shown {
            name: self.name.into(),
            value: self.print(value),
            reset_setting: setting.clone(),
            setting,
            unit: self.unit(),
            description: self.description.into(),
            context: self.context,
            kind: self.kind_name(),
            source: if *value == default { "default" } else { source },
            line: None,
            pending_restart: false,
            default: self.print(&default),
            default_setting: self.setting(&default),
            bounds: matches!(self.kind_name(), "integer" | "real")
                .then(|| [self.min, self.max].map(|n| self.setting(&Value::Number(n))).into()),
            choices: if let Kind::Choice(words) = self.kind { words } else { &[] },
        }
    }
}

/// The place of a name in a table.
pub fn find(table: &[Def], name: &str) -> Result<usize, Mistake> {
    table.iter().position(|d| d.name == name).ok_or_else(|| Mistake::Unknown { name: name.into() })
}

/// A value for each row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    values: Vec<Value>,
}

impl Values {
    /// The defaults.
    pub fn of(table: &[Def]) -> Values {
        Values { values: table.iter().map(Def::default_value).collect() }
    }

    /// Sets one. Its row has read the value.
    pub fn set(&mut self, place: usize, value: Value) {
        self.values[place] = value;
    }

    /// One.
    pub fn get(&self, place: usize) -> &Value {
        &self.values[place]
    }

    /// One that is a number.
    pub fn number(&self, place: usize) -> i64 {
        match &self.values[place] {
            Value::Number(n) => *n,
            Value::Text(text) => unreachable!("setting {place} is the text \"{text}\""),
        }
    }

    /// One that is a text.
    pub fn text(&self, place: usize) -> &str {
        match &self.values[place] {
            Value::Text(text) => text,
            Value::Number(n) => unreachable!("setting {place} is the number {n}"),
        }
    }

    /// All as they are shown.
    pub fn shown(&self, table: &[Def]) -> Vec<Shown> {
        table.iter().zip(&self.values).map(|(d, v)| d.shown(v, "configuration file")).collect()
    }

    /// Takes over from `new` what may change at run time; gives the names of those that differ and need a restart.
    pub fn reload(&mut self, table: &[Def], new: &Values) -> Vec<&'static str> {
        let mut need_restart = Vec::new();
        for (place, d) in table.iter().enumerate() {
            let (old, new) = (&mut self.values[place], &new.values[place]);
            if d.context != Context::Postmaster {
                old.clone_from(new);
            } else if old != new {
                need_restart.push(d.name);
            }
        }
        need_restart
    }
}

/// Reads a number of bytes that stands for itself, as an option of a command: `50MB`, `512 kB`, plain bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let n = grammar::number(text, 1, 1, MEMORY).ok().and_then(|n| u64::try_from(n).ok());
    n.ok_or_else(|| "expected a size such as 50MB, 512kB, 1GB, or 0".into())
}

/// Reads a time that stands for itself, with a unit, in microseconds: `90s`, `30min`, `12h`, `7d`.
pub fn time_us(text: &str) -> Result<u64, String> {
    let n = match text.trim().parse::<f64>() {
        Ok(_) => None, // nobody could tell in what
        Err(_) => grammar::number(text, 1, 1, TIME).ok().and_then(|n| u64::try_from(n).ok()),
    };
    n.ok_or_else(|| "expected a time with a unit such as 90s, 30min, 12h, 7d".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFS: &[Def] = &[
        Def {
            name: "a_size",
            kind: Kind::Memory { unit: 8 * KB, grain: 1 },
            default: "128MB",
            min: 512 * KB,
            max: GB,
            context: Context::Postmaster,
            description: "",
        },
        Def {
            name: "a_time",
            kind: Kind::Time { unit: MS, grain: MS },
            default: "0",
            min: 0,
            max: i32::MAX as i64 * MS,
            context: Context::User,
            description: "",
        },
        Def {
            name: "a_word",
            kind: Kind::Choice(&["red", "green"]),
            default: "red",
            min: 0,
            max: 0,
            context: Context::Sighup,
            description: "",
        },
        Def {
            name: "a_mode",
            kind: Kind::Mode,
            default: "0777",
            min: 0,
            max: 0o777,
            context: Context::Sighup,
            description: "",
        },
        Def {
            name: "a_share",
            kind: Kind::Ratio,
            default: "0.9",
            min: 0,
            max: 100,
            context: Context::Sighup,
            description: "",
        },
    ];

    fn printed(place: usize, text: &str) -> String {
        match DEFS[place].parse(text) {
            Ok(value) => DEFS[place].print(&value),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn values_and_mistakes_are_told_as_postgresql_tells_them() {
        assert_eq!(printed(0, "1000"), "8000kB");
        assert_eq!(printed(0, "1GB"), "1GB");
        assert_eq!(
            printed(0, "2GB"),
            "2GB is outside the valid range for parameter \"a_size\" (512kB .. 1GB)"
        );
        assert_eq!(printed(1, "1.5 min"), "90s");
        assert_eq!(printed(1, "100us"), "0");
        assert_eq!(
            printed(1, "-5"),
            "-5 ms is outside the valid range for parameter \"a_time\" (0 ms .. 2147483647 ms)"
        );
        assert_eq!(
            printed(1, "5 parsec"),
            "invalid value for parameter \"a_time\": \"5 parsec\" (Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\")"
        );
        assert_eq!(printed(2, "GREEN"), "green");
        assert_eq!(
            printed(2, "blue"),
            "invalid value for parameter \"a_word\": \"blue\" (Available values: red, green)"
        );
        assert_eq!((printed(3, "700"), printed(3, "0o755")), ("0700".into(), "0755".into()));
        assert!(printed(3, "1000").contains("0000 .. 0777"));
        assert_eq!(printed(4, "0.5"), "0.5");
    }

    #[test]
    fn what_is_shown_is_in_the_unit() {
        let mut values = Values::of(DEFS);
        values.set(0, DEFS[0].parse("256MB").unwrap());
        let rows = values.shown(DEFS);
        assert_eq!((&rows[0].setting[..], rows[0].unit), ("32768", Some("8kB")));
        assert_eq!((&rows[0].default_setting[..], &rows[0].default[..]), ("16384", "128MB"));
        assert_eq!(rows[0].bounds, Some(("64".into(), "131072".into())));
        assert_eq!((rows[0].source, rows[1].source), ("configuration file", "default"));
        assert_eq!((rows[4].kind, rows[2].choices), ("real", &["red", "green"][..]));
    }

    #[test]
    fn a_reload_keeps_what_needs_a_restart() {
        let (mut now, mut new) = (Values::of(DEFS), Values::of(DEFS));
        new.set(0, Value::Number(MB));
        new.set(2, Value::Number(1));
        assert_eq!(now.reload(DEFS, &new), ["a_size"]);
        assert_eq!((now.number(0), now.number(2)), (128 * MB, 1));
    }

    #[test]
    fn options_of_commands_have_units() {
        assert_eq!((bytes("512 kB"), bytes("0")), (Ok(512 << 10), Ok(0)));
        assert!(bytes("-1").is_err() && bytes("x").is_err());
        assert_eq!(time_us("1.5min"), Ok(90_000_000));
        assert!(time_us("90").is_err() && time_us("").is_err());
    }
}
