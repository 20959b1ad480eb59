//! The formats of the log: text with `log_line_prefix`, and `csvlog` and `jsonlog` with the columns and names of PostgreSQL 18's, so that programs that read its logs read these.
//!
//! Invariants:
//! 1. A message is one line of JSON, one row of CSV; in text its further lines begin with a tab or with the prefix. What clients send cannot make a message of its own.
//! 2. Text has no control characters: they are shown as escapes, so that a terminal takes no orders from a log.
//!
//! It must not know: where the log goes.

use std::fmt::Write;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::record::{Process, Record};

/// What formats depend on.
#[derive(Clone, Debug)]
pub(super) struct Style {
    pub prefix: String,
    pub zone: TimeZone,
    /// For a terminal.
    pub has_colors: bool,
}

impl Style {
    fn time(&self, time: Timestamp, has_ms: bool) -> String {
        let format = if has_ms { "%Y-%m-%d %H:%M:%S.%3f %Z" } else { "%Y-%m-%d %H:%M:%S %Z" };
        time.to_zoned(self.zone.clone()).strftime(format).to_string()
    }
}

/// A message as lines of text.
pub(super) fn text(r: &Record, process: &Process, style: &Style, out: &mut String) {
    let prefix = prefix(r, process, style);
    let color = match &r.severity[..] {
        _ if !style.has_colors => "",
        "WARNING" => "\x1b[33m",
        "ERROR" | "FATAL" | "PANIC" => "\x1b[31m",
        _ => "",
    };
    let end = if color.is_empty() { "" } else { "\x1b[0m" };
    let _ = write!(out, "{prefix}{color}{}:{end}  ", r.severity);
    if r.is_verbose
        && let Some(code) = &r.sqlstate
    {
        let _ = write!(out, "{code}: ");
    }
    push_lines(&r.message, out);
    if let Some(position) = r.position {
        let _ = write!(out, " at character {position}");
    }
    out.push('\n');
    let parts =
        [("DETAIL", &r.detail), ("HINT", &r.hint), ("CONTEXT", &r.context), ("STATEMENT", &r.statement)];
    for (name, part) in parts {
        if let Some(part) = part {
            let _ = write!(out, "{prefix}{name}:  ");
            push_lines(part, out);
            out.push('\n');
        }
    }
}

/// Lines behind the first begin with a tab. (1, 2)
fn push_lines(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\n\t"),
            '\t' => out.push('\t'),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
}

/// The beginning of a line, as `log_line_prefix` has it.
fn prefix(r: &Record, process: &Process, style: &Style) -> String {
    let mut out = String::new();
    let mut chars = style.prefix.chars().peekable();
    let o = &r.origin;
    let is_session = r.pid.is_some();
    let named = |name: &Option<String>| match name {
        Some(name) if !name.is_empty() => name.clone(),
        _ if is_session => "[unknown]".to_owned(),
        _ => String::new(),
    };
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        // A width: right of it, or left with a minus.
        let is_left = chars.next_if_eq(&'-').is_some();
        let mut width = 0usize;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            width = (width * 10 + digit as usize).min(1000);
            chars.next();
        }
        let value = match chars.next() {
            Some('a') => named(&o.application),
            Some('u') => named(&o.user),
            Some('d') => named(&o.database),
            Some('r') => match (&o.host, o.port) {
                (Some(host), Some(port)) => format!("{host}({port})"),
                (Some(host), None) => host.clone(),
                _ if is_session => "[local]".to_owned(),
                _ => String::new(),
            },
            Some('h') => match &o.host {
                Some(host) => host.clone(),
                None if is_session => "[local]".to_owned(),
                None => String::new(),
            },
            Some('b') => r.backend_type().to_owned(),
            Some('p') => r.shown_pid(process).to_string(),
            Some('t') => style.time(r.time, false),
            Some('m') => style.time(r.time, true),
            Some('n') => {
                let ms = r.time.as_millisecond();
                format!("{}.{:03}", ms.div_euclid(1000), ms.rem_euclid(1000))
            }
            Some('v') => o.virtual_id.clone().unwrap_or_default(),
            Some('i') => o.tag.clone().unwrap_or_default(),
            Some('e') => code(r).to_owned(),
            Some('c') => r.session_id(process),
            Some('l') => r.line.to_string(),
            Some('s') => style.time(r.session_start(process), false),
            Some('x') => o.transaction.unwrap_or(0).to_string(),
            Some('Q') => o.query_id.unwrap_or(0).to_string(),
            Some('q') if is_session => continue,
            Some('q') | None => return out,
            Some('%') => "%".to_owned(),
            // Not known here, as of a leader.
            Some(_) => String::new(),
        };
        let shown: String = value.chars().flat_map(shown).collect();
        let _ = match is_left {
            true => write!(out, "{shown:<width$}"),
            false => write!(out, "{shown:>width$}"),
        };
    }
    out
}

/// A character as text has it; what a client calls itself is on one line. (2)
fn shown(c: char) -> impl Iterator<Item = char> {
    let (plain, escaped) = match c.is_control() {
        true => (None, Some(c.escape_default())),
        false => (Some(c), None),
    };
    plain.into_iter().chain(escaped.into_iter().flatten())
}

fn code(r: &Record) -> &str {
    r.sqlstate.as_deref().unwrap_or("00000")
}

/// Names of the columns of `csvlog` and of the members of `jsonlog`.
const NAMES: [&str; 26] = [
    "timestamp",
    "user",
    "dbname",
    "pid",
    "connection_from",
    "session_id",
    "line_num",
    "ps",
    "session_start",
    "vxid",
    "txid",
    "error_severity",
    "state_code",
    "message",
    "detail",
    "hint",
    "internal_query",
    "internal_position",
    "context",
    "statement",
    "cursor_position",
    "location",
    "application_name",
    "backend_type",
    "leader_pid",
    "query_id",
];

enum Cell {
    None,
    Text(String),
    Number(i64),
}

/// The columns of a message, in the order of [`NAMES`].
fn cells(r: &Record, process: &Process, style: &Style) -> [Cell; NAMES.len()] {
    let text = |s: &Option<String>| s.clone().map_or(Cell::None, Cell::Text);
    let number = |n: Option<i64>| n.map_or(Cell::None, Cell::Number);
    let o = &r.origin;
    let from = match (&o.host, o.port, r.pid) {
        (Some(host), Some(port), _) => Cell::Text(format!("{host}:{port}")),
        (Some(host), None, _) => Cell::Text(host.clone()),
        (None, _, Some(_)) => Cell::Text("[local]".into()),
        _ => Cell::None,
    };
    [
        Cell::Text(style.time(r.time, true)),
        text(&o.user),
        text(&o.database),
        Cell::Number(r.shown_pid(process)),
        from,
        Cell::Text(r.session_id(process)),
        Cell::Number(r.line as i64),
        text(&o.tag),
        Cell::Text(style.time(r.session_start(process), false)),
        text(&o.virtual_id),
        Cell::Number(o.transaction.unwrap_or(0)),
        Cell::Text(r.severity.clone()),
        Cell::Text(code(r).to_owned()),
        Cell::Text(r.message.clone()),
        text(&r.detail),
        text(&r.hint),
        Cell::None,
        Cell::None,
        text(&r.context),
        text(&r.statement),
        // Of the statement; alone it would say nothing.
        number(r.position.filter(|_| r.statement.is_some())),
        Cell::None,
        text(&o.application),
        Cell::Text(r.backend_type().to_owned()),
        Cell::None,
        Cell::Number(o.query_id.unwrap_or(0)),
    ]
}

/// A message as a row of `csvlog`. (1)
pub(super) fn csv(r: &Record, process: &Process, style: &Style, out: &mut String) {
    for (n, cell) in cells(r, process, style).into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        match cell {
            Cell::None => {}
            Cell::Text(text) => {
                let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
            }
            Cell::Number(n) => _ = write!(out, "{n}"),
        }
    }
    out.push('\n');
}

/// A message as a line of `jsonlog`: what is not known is left out. (1)
pub(super) fn json(r: &Record, process: &Process, style: &Style, out: &mut String) {
    let mut object = Map::new();
    for (name, cell) in NAMES.into_iter().zip(cells(r, process, style)) {
        let value = match cell {
            Cell::None => continue,
            Cell::Text(text) => Value::from(text),
            Cell::Number(n) => Value::from(n),
        };
        if name == "connection_from" {
            // Apart, here.
            object.insert("remote_host".into(), r.origin.host.as_deref().unwrap_or("[local]").into());
            if let Some(port) = r.origin.port {
                object.insert("remote_port".into(), port.into());
            }
        } else {
            object.insert(name.into(), value);
        }
    }
    let _ = writeln!(out, "{}", Value::Object(object));
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROCESS: Process = Process { id: 77, started: Timestamp::UNIX_EPOCH };

    fn style(prefix: &str) -> Style {
        Style { prefix: prefix.into(), zone: TimeZone::UTC, has_colors: false }
    }

    fn sample() -> Record {
        let mut r = Record::own("ERROR", "a \"bad\"\nmessage\x1b[2J".into());
        r.time = Timestamp::from_millisecond(1_700_000_000_123).unwrap();
        r.sqlstate = Some("42601".into());
        r.statement = Some("select\n\tx,".into());
        r.position = Some(4);
        r.pid = Some(12);
        r.line = 3;
        r.origin.user = Some("ann\nFATAL:  forged".into());
        r.origin.started_us = Some(1_700_000_000_000_000);
        r.origin.host = Some("10.0.0.1".into());
        r.origin.port = Some(5000);
        r
    }

    fn as_text(r: &Record, prefix: &str) -> String {
        let mut out = String::new();
        text(r, &PROCESS, &style(prefix), &mut out);
        out
    }

    #[test]
    fn lines_begin_with_the_prefix_or_a_tab() {
        let got = as_text(&sample(), "%m [%p] ");
        let at = "2023-11-14 22:13:20.123 UTC [12] ";
        assert_eq!(
            got,
            format!(
                "{at}ERROR:  a \"bad\"\n\tmessage\\u{{1b}}[2J at character 4\n{at}STATEMENT:  select\n\t\tx,\n"
            )
        );
    }

    #[test]
    fn the_prefix_has_postgresqls_escapes() {
        let line = |prefix: &str| as_text(&sample(), prefix).split("ERROR").next().unwrap().to_owned();
        assert_eq!(line("%e|%l|%c|%r|%h|%d|"), "42601|3|6553f100.c|10.0.0.1(5000)|10.0.0.1|[unknown]|");
        assert_eq!(line("%5p|%-5p|%%|%n "), "   12|12   |%|1700000000.123 ");
        assert_eq!(line("%u "), "ann\\nFATAL:  forged ", "a name makes no line of its own");
        assert_eq!(line("%999999999999p").len(), 1000, "bounded");
        let own = Record::own("LOG", "m".into());
        assert!(as_text(&own, "%p %q%u@%d ").starts_with("77 LOG:  m"));
        assert!(as_text(&own, "%").starts_with("LOG"), "cut short");
    }

    #[test]
    fn csv_has_26_columns_and_json_one_line() {
        let (mut row, mut line) = (String::new(), String::new());
        csv(&sample(), &PROCESS, &style(""), &mut row);
        let mut is_quoted = false;
        let commas = row.chars().filter(|c| {
            is_quoted ^= *c == '"';
            *c == ',' && !is_quoted
        });
        assert_eq!(commas.count(), NAMES.len() - 1, "{row}");
        assert!(row.contains("\"a \"\"bad\"\"\nmessage"), "{row}");
        json(&sample(), &PROCESS, &style(""), &mut line);
        assert_eq!(line.matches('\n').count(), 1);
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["message"], "a \"bad\"\nmessage\u{1b}[2J");
        assert_eq!(read["remote_port"], 5000);
        assert_eq!(read["cursor_position"], 4);
        assert_eq!(read["pid"], 12);
        assert!(read.get("detail").is_none());
    }
}
