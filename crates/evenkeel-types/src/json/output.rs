//! Text of encoded values.
//!
//! Must not know: SQL values.

use super::binary::{Jsonb, Kind};
use super::{MAX_DEPTH, deeper, too_deep};
use crate::error::SqlError;
use crate::guard::Pace;
use crate::guard::build::make_room;

/// Blanks of one level of a value that is shown on many lines.
const INDENT: usize = 4;

/// Appends a string in quotes, with what must be escaped escaped.
pub fn write_string(s: &str, out: &mut Vec<u8>) -> Result<(), SqlError> {
    let special = |c: u8| c < 0x20 || matches!(c, b'"' | b'\\');
    make_room(out, s.len() + 2)?;
    out.push(b'"');
    let mut pace = Pace::default();
    let mut rest = s.as_bytes();
    loop {
        let plain = rest.iter().position(|c| special(*c)).unwrap_or(rest.len());
        make_room(out, plain + 8)?;
        pace.bytes(plain + 8)?;
        out.extend_from_slice(&rest[..plain]);
        let Some(&c) = rest.get(plain) else { break };
        match c {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', c]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            c => out.extend_from_slice(format!("\\u{c:04x}").as_bytes()),
        }
        rest = &rest[plain + 1..];
    }
    out.push(b'"');
    Ok(())
}

/// Appends a value on one line; or on many, with each element on its own.
pub fn write(value: Jsonb<'_>, pretty: bool, out: &mut Vec<u8>) -> Result<(), SqlError> {
    let mut writer = Writer { out, pretty, pace: Pace::default() };
    writer.value(value, 0)
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    pretty: bool,
    pace: Pace,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        make_room(self.out, bytes.len())?;
        self.out.extend_from_slice(bytes);
        self.pace.bytes(bytes.len())
    }

    fn line(&mut self, depth: usize) -> Result<(), SqlError> {
        if self.pretty {
            self.put(b"\n")?;
            for _ in 0..depth {
                self.put(&[b' '; INDENT])?;
            }
        }
        Ok(())
    }

    fn comma(&mut self, i: usize) -> Result<(), SqlError> {
        match (i, self.pretty) {
            (0, _) => Ok(()),
            (_, true) => self.put(b","),
            (_, false) => self.put(b", "),
        }
    }

    fn value(&mut self, value: Jsonb<'_>, depth: usize) -> Result<(), SqlError> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        match value.kind() {
            Kind::Null => self.put(b"null"),
            Kind::Bool(b) => self.put(if b { b"true" } else { b"false" }),
            Kind::Number(n) => {
                make_room(self.out, 32)?;
                n.write_text(self.out);
                self.pace.step()
            }
            Kind::Str(s) => write_string(s, self.out),
            Kind::Array(items) => {
                self.put(b"[")?;
                for (i, item) in items.iter().enumerate() {
                    self.comma(i)?;
                    self.line(depth + 1)?;
                    deeper(|| self.value(item, depth + 1))?;
                }
                self.line(depth)?;
                self.put(b"]")
            }
            Kind::Object(pairs) => {
                self.put(b"{")?;
                for (i, (key, item)) in pairs.iter().enumerate() {
                    self.comma(i)?;
                    self.line(depth + 1)?;
                    write_string(key, self.out)?;
                    self.put(b": ")?;
                    deeper(|| self.value(item, depth + 1))?;
                }
                self.line(depth)?;
                self.put(b"}")
            }
        }
    }
}

/// A value as text: a string as it is, anything else as JSON; nothing for null.
pub fn as_text(value: Jsonb<'_>) -> Result<Option<Vec<u8>>, SqlError> {
    let mut out = Vec::new();
    match value.kind() {
        Kind::Null => return Ok(None),
        Kind::Str(s) => {
            make_room(&mut out, s.len())?;
            out.extend_from_slice(s.as_bytes());
        }
        _ => write(value, false, &mut out)?,
    }
    Ok(Some(out))
}
