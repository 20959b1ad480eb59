//! The server's own settings, in one table: for the configuration file, `--help`, SHOW and the documentation.
//!
//! Engine settings are the engine's, session settings are SQL's. Text forms and units are PostgreSQL's: `256MB`, `60s`.
//!
//! It must not know where values come from (file, command line).

use evenkeel_sql::SettingRow;
use evenkeel_sql::guard::memory;

use crate::stream::Keepalive;

/// Which setting; the index into [`TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Id {
    ListenAddresses,
    Port,
    UnixSocketDirectories,
    UnixSocketPermissions,
    LocalAuthentication,
    MaxConnections,
    AuthenticationTimeout,
    MaxMessageSize,
    MaxPreparedStatements,
    MaxPortals,
    SessionStatementMemory,
    StatementMemory,
    MemoryLimit,
    TcpKeepalivesIdle,
    TcpKeepalivesInterval,
    TcpKeepalivesCount,
    TcpUserTimeout,
    SessionPoll,
    SessionWorkers,
    LogConnections,
}

/// How a setting's text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number within bounds.
    Integer(i64, i64),
    /// Bytes within bounds, with unit B, kB, MB or GB.
    Bytes(i64, i64),
    /// Seconds within bounds, with unit s, min, h or d.
    Seconds(i64, i64),
    /// Milliseconds within bounds, with unit ms, s, min, h or d.
    Milliseconds(i64, i64),
    /// Microseconds within bounds, with unit us or ms.
    Microseconds(i64, i64),
    /// An octal file mode.
    Mode,
    /// `on` or `off`.
    Bool,
    /// Any text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Which.
    pub id: Id,
    /// As in the configuration file.
    pub name: &'static str,
    /// Its text by default.
    pub default: &'static str,
    /// How it is read.
    pub kind: Kind,
    /// Whether a reload changes it; otherwise a restart does.
    pub changeable_at_run_time: bool,
    /// One sentence.
    pub description: &'static str,
}

impl Description {
    /// The unit of a number without one, if it has any.
    pub fn unit(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Bytes(..) => Some("B"),
            Kind::Seconds(..) => Some("s"),
            Kind::Milliseconds(..) => Some("ms"),
            Kind::Microseconds(..) => Some("us"),
            _ => None,
        }
    }
}

const fn row(
    id: Id,
    name: &'static str,
    default: &'static str,
    kind: Kind,
    changeable_at_run_time: bool,
    description: &'static str,
) -> Description {
    Description { id, name, default, kind, changeable_at_run_time, description }
}

const DAY_S: i64 = 24 * 3600;

/// Every setting of the server, in the order of [`Id`].
pub const TABLE: &[Description] = &[
    row(
        Id::ListenAddresses,
        "listen_addresses",
        "127.0.0.1",
        Kind::Text,
        false,
        "Addresses to listen on, separated by commas, each with an optional :port; empty: only the Unix socket. \
         Any address that is not loopback needs passwords.",
    ),
    row(
        Id::Port,
        "port",
        "5433",
        Kind::Integer(0, 65535),
        false,
        "Port of TCP listeners, and in the Unix socket's name; 0 takes a free one.",
    ),
    row(
        Id::UnixSocketDirectories,
        "unix_socket_directories",
        "/tmp",
        Kind::Text,
        false,
        "Directories for the Unix socket, separated by commas; empty: none.",
    ),
    row(
        Id::UnixSocketPermissions,
        "unix_socket_permissions",
        "0777",
        Kind::Mode,
        false,
        "Who may connect to the Unix socket, as an octal file mode.",
    ),
    row(
        Id::LocalAuthentication,
        "local_authentication",
        "trust",
        Kind::Word(&["trust", "scram-sha-256"]),
        true,
        "How clients on this machine prove who they are. Others always need a password (scram-sha-256).",
    ),
    row(
        Id::MaxConnections,
        "max_connections",
        "200",
        Kind::Integer(1, 100_000),
        true,
        "Sessions at a time; each has a thread.",
    ),
    row(
        Id::AuthenticationTimeout,
        "authentication_timeout",
        "1min",
        Kind::Seconds(1, 600),
        true,
        "Time for a client to start its session.",
    ),
    row(
        Id::MaxMessageSize,
        "max_message_size",
        "256MB",
        Kind::Bytes(64 << 10, (1 << 30) - 1),
        true,
        "Largest message taken from a client: a statement, its parameters, a piece of COPY data.",
    ),
    row(
        Id::MaxPreparedStatements,
        "max_prepared_statements",
        "10000",
        Kind::Integer(1, 10_000_000),
        true,
        "Prepared statements that one session may keep.",
    ),
    row(
        Id::MaxPortals,
        "max_portals",
        "1000",
        Kind::Integer(1, 1_000_000),
        true,
        "Open portals that one session may keep.",
    ),
    row(
        Id::SessionStatementMemory,
        "session_statement_memory",
        "512MB",
        Kind::Bytes(64 << 10, 1 << 40),
        true,
        "Bytes of statement text and bound parameters that one session may keep.",
    ),
    row(
        Id::StatementMemory,
        "statement_memory",
        "256MB",
        Kind::Bytes(1 << 20, 1 << 40),
        true,
        "Memory for one statement's sorts, hash tables and row sets; more is an error (53200).",
    ),
    row(
        Id::MemoryLimit,
        "memory_limit",
        "0",
        Kind::Bytes(0, 1 << 50),
        true,
        "Memory of the whole process: buffers, undo, statements, clients' messages. A statement that would pass it fails (53200). \
         0: three quarters of the machine's, or of its control group's.",
    ),
    row(
        Id::TcpKeepalivesIdle,
        "tcp_keepalives_idle",
        "0",
        Kind::Seconds(0, DAY_S),
        true,
        "Idle time before a keepalive is sent to a TCP client; 0: the system's default.",
    ),
    row(
        Id::TcpKeepalivesInterval,
        "tcp_keepalives_interval",
        "0",
        Kind::Seconds(0, DAY_S),
        true,
        "Time between keepalives that are not answered; 0: the system's default.",
    ),
    row(
        Id::TcpKeepalivesCount,
        "tcp_keepalives_count",
        "0",
        Kind::Integer(0, 127),
        true,
        "Unanswered keepalives after which a client is given up; 0: the system's default.",
    ),
    row(
        Id::TcpUserTimeout,
        "tcp_user_timeout",
        "0",
        Kind::Milliseconds(0, DAY_S * 1000),
        true,
        "Time that sent data may stay unacknowledged before a TCP client is given up; 0: the system's default.",
    ),
    row(
        Id::SessionPoll,
        "session_poll",
        "200us",
        Kind::Microseconds(0, 10_000),
        false,
        "Time that the sockets are watched, offering the core to others, before the watching worker sleeps, if nobody else is at work; 0: none.",
    ),
    row(
        Id::SessionWorkers,
        "session_workers",
        "0",
        Kind::Integer(0, 1024),
        false,
        "Threads that serve sessions at a time, not counting those that wait; 0: one for each core.",
    ),
    row(Id::LogConnections, "log_connections", "off", Kind::Bool, true, "Log each session's start and end."),
];

/// A value that a setting cannot have, or a name that none has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// There is no setting of that name here.
    #[error("unrecognized configuration parameter \"{0}\"")]
    Unknown(String),
    /// The text cannot be read, or is out of bounds.
    #[error("invalid value for parameter \"{name}\": \"{value}\" ({expected})")]
    Value {
        /// The setting.
        name: &'static str,
        /// What was given.
        value: String,
        /// What would do.
        expected: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Number(i64),
    Text(String),
}

/// A value for each setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    values: Vec<Value>,
}

impl Default for ServerSettings {
    fn default() -> ServerSettings {
        let parse_default = |d: &Description| parse(d, d.default).expect("defaults are within their bounds");
        ServerSettings { values: TABLE.iter().map(parse_default).collect() }
    }
}

impl ServerSettings {
    /// Whether the server has a setting of this name.
    pub fn has(name: &str) -> bool {
        TABLE.iter().any(|d| d.name == name)
    }

    /// Sets one from its text.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadSetting> {
        let d = TABLE.iter().find(|d| d.name == name).ok_or_else(|| BadSetting::Unknown(name.to_string()))?;
        self.values[d.id as usize] = parse(d, value)?;
        Ok(())
    }

    /// `memory_limit` in bytes, where it is not known how large the machine is: none.
    pub fn memory_limit_bytes(&self) -> Option<usize> {
        match self.number(Id::MemoryLimit) as usize {
            0 => memory::machine_bytes().map(|bytes| bytes / 4 * 3),
            bytes => Some(bytes),
        }
    }

    /// The text of one, as SHOW prints it.
    pub fn show(&self, id: Id) -> String {
        let d = &TABLE[id as usize];
        match &self.values[id as usize] {
            Value::Text(t) => t.clone(),
            Value::Number(n) => match d.kind {
                Kind::Bytes(..) => {
                    with_unit(*n, &[("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)])
                }
                Kind::Seconds(..) => with_unit(*n, &[("d", DAY_S), ("h", 3600), ("min", 60), ("s", 1)]),
                Kind::Milliseconds(..) => with_unit(
                    *n,
                    &[("d", DAY_S * 1000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)],
                ),
                Kind::Microseconds(..) => with_unit(*n, &[("ms", 1000), ("us", 1)]),
                Kind::Mode => format!("{n:04o}"),
                Kind::Bool => if *n == 1 { "on" } else { "off" }.to_string(),
                _ => n.to_string(),
            },
        }
    }

    /// All of them as SHOW and `pg_settings` give them. `port`: the one really listened on, if any.
    pub fn rows(&self, port: Option<u16>) -> Vec<SettingRow> {
        let row = |d: &Description| {
            let value = match (d.id, port) {
                (Id::Port, Some(port)) => port.to_string(),
                // What it comes to.
                (Id::MemoryLimit, _) if self.number(d.id) == 0 => {
                    self.memory_limit_bytes().map_or(self.show(d.id), |b| format!("{}MB", b >> 20))
                }
                _ => self.show(d.id),
            };
            SettingRow {
                name: d.name.into(),
                unit: d.unit().map(str::to_string),
                description: d.description.into(),
                context: if d.changeable_at_run_time { "sighup" } else { "postmaster" },
                kind: match d.kind {
                    Kind::Text => "string",
                    Kind::Word(_) => "enum",
                    Kind::Bool => "bool",
                    _ => "integer",
                },
                source: if self.show(d.id) == d.default { "default" } else { "configuration file" },
                value,
                default: d.default.into(),
            }
        };
        TABLE.iter().map(row).collect()
    }

    /// Takes over from `new` what may change at run time; names the settings that differ but need a restart.
    pub fn reload(&mut self, new: &ServerSettings) -> Vec<&'static str> {
        let mut need_restart = Vec::new();
        for d in TABLE {
            let (old, new) = (&mut self.values[d.id as usize], &new.values[d.id as usize]);
            if d.changeable_at_run_time {
                old.clone_from(new);
            } else if old != new {
                need_restart.push(d.name);
            }
        }
        need_restart
    }

    /// The value of a setting that is a number.
    pub fn number(&self, id: Id) -> u64 {
        match &self.values[id as usize] {
            Value::Number(n) => *n as u64,
            Value::Text(_) => unreachable!("{id:?} is not a number"),
        }
    }

    pub(crate) fn text(&self, id: Id) -> &str {
        match &self.values[id as usize] {
            Value::Text(t) => t,
            Value::Number(_) => unreachable!("{id:?} is not a text"),
        }
    }

    /// The members of a comma-separated list.
    pub(crate) fn list(&self, id: Id) -> Vec<String> {
        self.text(id).split(',').map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
    }

    pub(crate) fn keepalive(&self) -> Keepalive {
        Keepalive {
            idle_s: self.number(Id::TcpKeepalivesIdle),
            interval_s: self.number(Id::TcpKeepalivesInterval),
            count: self.number(Id::TcpKeepalivesCount) as u32,
            user_timeout_ms: self.number(Id::TcpUserTimeout) as u32,
        }
    }
}

fn parse(d: &Description, value: &str) -> Result<Value, BadSetting> {
    let text = value.trim();
    let bad = |expected: String| BadSetting::Value { name: d.name, value: value.to_string(), expected };
    let bounded = |n: Option<i64>, (min, max): (i64, i64), unit: &str, units: &str| match n {
        Some(n) if (min..=max).contains(&n) => Ok(Value::Number(n)),
        Some(_) => Err(bad(format!("must be {min}{unit} to {max}{unit}"))),
        None => Err(bad(format!("must be a whole number{units}"))),
    };
    match d.kind {
        Kind::Integer(min, max) => bounded(text.parse().ok(), (min, max), "", ""),
        Kind::Bytes(min, max) => {
            let units = &[("B", 1), ("kB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40)];
            bounded(number_with_unit(text, units, 1), (min, max), "B", " with unit B, kB, MB, GB or TB")
        }
        Kind::Seconds(min, max) => {
            let units = &[("s", 1), ("min", 60), ("h", 3600), ("d", DAY_S)];
            bounded(number_with_unit(text, units, 1), (min, max), "s", " with unit s, min, h or d")
        }
        Kind::Milliseconds(min, max) => {
            let units = &[("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000), ("d", DAY_S * 1000)];
            bounded(number_with_unit(text, units, 1), (min, max), "ms", " with unit ms, s, min, h or d")
        }
        Kind::Microseconds(min, max) => {
            let units = &[("us", 1), ("ms", 1000)];
            bounded(number_with_unit(text, units, 1), (min, max), "us", " with unit us or ms")
        }
        Kind::Mode => match i64::from_str_radix(text.trim_start_matches("0o"), 8) {
            Ok(n) if (0..=0o777).contains(&n) => Ok(Value::Number(n)),
            _ => Err(bad("must be an octal mode from 0000 to 0777".into())),
        },
        Kind::Bool => match text.to_ascii_lowercase().as_str() {
            "on" | "true" | "yes" | "1" => Ok(Value::Number(1)),
            "off" | "false" | "no" | "0" => Ok(Value::Number(0)),
            _ => Err(bad("must be on or off".into())),
        },
        Kind::Text => Ok(Value::Text(text.to_string())),
        Kind::Word(words) => match words.iter().find(|w| w.eq_ignore_ascii_case(text)) {
            Some(w) => Ok(Value::Text(w.to_string())),
            None => Err(bad(format!("must be one of {}", words.join(", ")))),
        },
    }
}

fn number_with_unit(text: &str, units: &[(&str, i64)], default_factor: i64) -> Option<i64> {
    let digits = text.bytes().take_while(|b| b.is_ascii_digit()).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim();
    let factor = if unit.is_empty() {
        default_factor
    } else {
        units.iter().find(|(name, _)| *name == unit).map(|(_, f)| *f)?
    };
    number.parse::<i64>().ok()?.checked_mul(factor)
}

fn with_unit(n: i64, units: &[(&str, i64)]) -> String {
    match units.iter().find(|(_, f)| n != 0 && n % f == 0) {
        Some((unit, factor)) => format!("{}{unit}", n / factor),
        None => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_its_ids() {
        for (i, d) in TABLE.iter().enumerate() {
            assert_eq!(d.id as usize, i, "{}", d.name);
        }
    }

    #[test]
    fn units_are_read_and_shown() {
        let mut s = ServerSettings::default();
        assert_eq!(s.show(Id::MaxMessageSize), "256MB");
        s.set("max_message_size", "1048576").unwrap();
        assert_eq!(s.show(Id::MaxMessageSize), "1MB");
        s.set("authentication_timeout", "2 min").unwrap();
        assert_eq!(s.number(Id::AuthenticationTimeout), 120);
        s.set("unix_socket_permissions", "0700").unwrap();
        assert_eq!(s.show(Id::UnixSocketPermissions), "0700");
        s.set("log_connections", "true").unwrap();
        assert_eq!(s.show(Id::LogConnections), "on");
    }

    #[test]
    fn errors_name_the_setting() {
        let mut s = ServerSettings::default();
        for (name, value) in [
            ("max_connections", "0"),
            ("max_connections", "many"),
            ("port", "70000"),
            ("max_message_size", "3 parsecs"),
            ("authentication_timeout", "9999999999999999d"),
            ("local_authentication", "peer"),
        ] {
            assert!(s.set(name, value).unwrap_err().to_string().contains(name), "{name}");
        }
        assert_eq!(s.set("nope", "1"), Err(BadSetting::Unknown("nope".into())));
        assert_eq!(s, ServerSettings::default());
    }

    #[test]
    fn a_reload_keeps_what_needs_a_restart() {
        let mut now = ServerSettings::default();
        let mut new = now.clone();
        new.set("port", "6000").unwrap();
        new.set("max_connections", "5").unwrap();
        assert_eq!(now.reload(&new), ["port"]);
        assert_eq!(now.number(Id::MaxConnections), 5);
        assert_eq!(now.number(Id::Port), 5433);
    }
}
