//! COPY's text and csv formats: lines to rows.
//!
//! Invariants:
//! 1. A row is complete only when its line end has arrived: data may be cut anywhere.
//! 2. An unfinished line is bounded by the statement's memory.
//!
//! Must not know: how rows are stored.

use crate::parse::{CopyFormat, CopyOptions};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::text_of;
use std::ops::Range;

/// Gets a line with its number.
pub type TakeLine<'l> = &'l mut dyn FnMut(u64, &[u8]) -> Result<(), SqlError>;

/// Splits incoming bytes into lines.
pub struct LineReader {
    options: CopyOptions,
    buffer: Vec<u8>,
    /// How far the buffer was searched for a line end.
    searched: usize,
    in_quote: bool,
    /// The end-of-data mark `\.` was seen.
    pub ended: bool,
    /// Lines so far.
    pub line: u64,
    max_bytes: usize,
}

pub(super) fn bad(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::BAD_COPY_FILE_FORMAT, message)
}

impl LineReader {
    /// A reader with a bound on the length of one line.
    pub fn new(options: CopyOptions, max_bytes: usize) -> LineReader {
        LineReader {
            options,
            buffer: Vec::new(),
            searched: 0,
            in_quote: false,
            ended: false,
            line: 0,
            max_bytes,
        }
    }

    /// Takes in bytes and hands out the complete lines.
    pub fn feed(&mut self, data: &[u8], line: TakeLine<'_>) -> Result<(), SqlError> {
        if self.ended {
            return Ok(());
        }
        self.buffer.extend_from_slice(data);
        let buffer = std::mem::take(&mut self.buffer);
        let mut start = 0;
        while let Some(end) = self.line_end(&buffer) {
            let mut text = &buffer[start..end];
            if let [head @ .., b'\r'] = text {
                text = head;
            }
            start = end + 1;
            // In csv it is data, as of PostgreSQL 18.
            if text == b"\\." && self.options.format == CopyFormat::Text {
                self.ended = true;
                return Ok(());
            }
            self.line += 1;
            line(self.line, text)?;
        }
        self.searched -= start;
        self.buffer = buffer;
        self.buffer.drain(..start);
        if self.buffer.len() > self.max_bytes {
            return Err(SqlError::new(SqlState::OUT_OF_MEMORY, "out of memory")
                .with_detail(format!("One line of COPY data is longer than {} bytes.", self.max_bytes)));
        }
        Ok(())
    }

    /// The last line, if it has no end.
    pub fn finish(&mut self, line: TakeLine<'_>) -> Result<(), SqlError> {
        if self.ended || self.buffer.is_empty() {
            return Ok(());
        }
        if self.in_quote {
            return Err(bad("unterminated CSV quoted field"));
        }
        let buffer = std::mem::take(&mut self.buffer);
        let text = buffer.strip_suffix(b"\r").unwrap_or(&buffer);
        if text == b"\\." && self.options.format == CopyFormat::Text {
            return Ok(());
        }
        self.line += 1;
        line(self.line, text)
    }

    /// The next line end; what is searched once is not searched again.
    fn line_end(&mut self, buffer: &[u8]) -> Option<usize> {
        let csv = self.options.format == CopyFormat::Csv;
        let mut i = self.searched;
        if !csv {
            // The next byte belongs to the escape, even a line end.
            while let Some(n) = buffer.get(i..).and_then(|rest| memchr::memchr2(b'\n', b'\\', rest)) {
                if buffer[i + n] == b'\n' {
                    self.searched = i + n + 1;
                    return Some(i + n);
                }
                if i + n + 1 >= buffer.len() {
                    self.searched = i + n;
                    return None;
                }
                i += n + 2;
            }
            self.searched = buffer.len();
            return None;
        }
        while let Some(b) = buffer.get(i) {
            match *b {
                b'\n' if !self.in_quote => {
                    self.searched = i + 1;
                    return Some(i);
                }
                b if b == self.options.escape && b != self.options.quote && self.in_quote => {
                    if i + 1 >= buffer.len() {
                        break;
                    }
                    i += 1;
                }
                b if b == self.options.quote => self.in_quote = !self.in_quote,
                _ => {}
            }
            i += 1;
        }
        self.searched = i;
        None
    }
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'f> {
    /// NULL, or there is no such field.
    Null,
    /// The column's default is asked for.
    Default,
    /// A value.
    Text(&'f str),
}

enum Place {
    Null,
    Default,
    At(Range<usize>),
}

/// The fields of one line, in a buffer that is used again for the next.
#[derive(Default)]
pub struct Fields {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

impl Fields {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// One of them.
    pub fn get(&self, n: usize) -> Field<'_> {
        match self.places.get(n) {
            None | Some(Place::Null) => Field::Null,
            Some(Place::Default) => Field::Default,
            Some(Place::At(place)) => Field::Text(
                std::str::from_utf8(&self.bytes[place.clone()])
                    .expect("the line was looked at, and cut at ASCII only"),
            ),
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// What was added to the bytes since then is a field.
    fn add(&mut self, from: usize) {
        self.places.push(Place::At(from..self.bytes.len()));
    }
}

/// The fields of one line.
pub fn split_line(
    options: &CopyOptions,
    line: &[u8],
    names: &[&str],
    fields: &mut Fields,
) -> Result<(), SqlError> {
    fields.clear();
    check_utf8(line)?;
    match options.format {
        CopyFormat::Text | CopyFormat::Binary => split_text(options, line, fields)?,
        CopyFormat::Csv => split_csv(options, line, names, fields)?,
    }
    if fields.count() > names.len() {
        return Err(bad("extra data after last expected column"));
    }
    Ok(())
}

/// The first line has to have the columns' names.
pub fn check_header(
    options: &CopyOptions,
    line: &[u8],
    names: &[&str],
    fields: &mut Fields,
) -> Result<(), SqlError> {
    fields.clear();
    check_utf8(line)?;
    match options.format {
        CopyFormat::Csv => split_csv(options, line, &[], fields)?,
        _ => split_text(options, line, fields)?,
    }
    if fields.count() != names.len() {
        return Err(bad(format!(
            "wrong number of fields in header line: got {}, expected {}",
            fields.count(),
            names.len()
        )));
    }
    for (n, name) in names.iter().enumerate() {
        let got = match fields.get(n) {
            Field::Text(text) if text == *name => continue,
            Field::Text(text) => format!("\"{text}\""),
            Field::Null => format!("null value (\"{}\")", options.null),
            Field::Default => format!("\"{}\"", options.default.as_deref().unwrap_or_default()),
        };
        return Err(bad(format!(
            "column name mismatch in header line field {}: got {got}, expected \"{name}\"",
            n + 1
        )));
    }
    Ok(())
}

/// A line may have too few fields; those that it has are looked at first, as PostgreSQL does.
pub fn check_complete(names: &[&str], fields: &Fields) -> Result<(), SqlError> {
    match names.get(fields.count()) {
        Some(name) => Err(bad(format!("missing data for column \"{name}\""))),
        None => Ok(()),
    }
}

fn check_utf8(bytes: &[u8]) -> Result<(), SqlError> {
    let bad = |byte: u8| {
        Err(SqlError::new(
            SqlState::CHARACTER_NOT_IN_REPERTOIRE,
            format!("invalid byte sequence for encoding \"UTF8\": 0x{byte:02x}"),
        ))
    };
    if let Err(fault) = text_of(bytes)? {
        return bad(bytes.get(fault.valid_up_to).copied().unwrap_or(0));
    }
    if memchr::memchr(0, bytes).is_some() { bad(0) } else { Ok(()) }
}

fn split_text(options: &CopyOptions, line: &[u8], fields: &mut Fields) -> Result<(), SqlError> {
    let mut start = 0;
    loop {
        let (mut end, mut escaped) = (start, false);
        loop {
            match memchr::memchr2(options.delimiter, b'\\', &line[end..]) {
                None => end = line.len(),
                Some(n) if line[end + n] == options.delimiter => end += n,
                Some(n) => {
                    escaped = true;
                    end = (end + n + 2).min(line.len());
                    continue;
                }
            }
            break;
        }
        let raw = &line[start..end];
        if raw == options.null.as_bytes() {
            fields.places.push(Place::Null);
        } else if options.default.as_ref().is_some_and(|d| raw == d.as_bytes()) {
            fields.places.push(Place::Default);
        } else {
            let from = fields.bytes.len();
            if escaped {
                unescape(raw, &mut fields.bytes);
                check_utf8(&fields.bytes[from..])?;
            } else {
                fields.bytes.extend_from_slice(raw);
            }
            fields.add(from);
        }
        if end >= line.len() {
            return Ok(());
        }
        start = end + 1;
    }
}

fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut i = 0;
    while let Some(b) = raw.get(i) {
        i += 1;
        if *b != b'\\' {
            out.push(*b);
            continue;
        }
        let Some(c) = raw.get(i) else {
            out.push(b'\\');
            break;
        };
        i += 1;
        let mut digits = |radix: u32, max: usize, first: Option<u32>| {
            let mut value = first;
            let mut taken = usize::from(first.is_some());
            while taken < max
                && let Some(d) = raw.get(i).and_then(|b| (*b as char).to_digit(radix))
            {
                value = Some(value.unwrap_or(0) * radix + d);
                i += 1;
                taken += 1;
            }
            value
        };
        match c {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'0'..=b'7' => {
                if let Some(v) = digits(8, 3, Some(u32::from(c - b'0'))) {
                    out.push(v as u8);
                }
            }
            b'x' => match digits(16, 2, None) {
                Some(v) => out.push(v as u8),
                None => out.push(b'x'),
            },
            other => out.push(*other),
        }
    }
}

fn split_csv(
    options: &CopyOptions,
    line: &[u8],
    names: &[&str],
    fields: &mut Fields,
) -> Result<(), SqlError> {
    let mut i = 0;
    loop {
        let (from, mut quoted, mut inside) = (fields.bytes.len(), false, false);
        let field = &mut fields.bytes;
        loop {
            let Some(b) = line.get(i) else {
                if inside {
                    return Err(bad("unterminated CSV quoted field"));
                }
                break;
            };
            i += 1;
            if inside {
                if *b == options.escape
                    && let Some(n) = line.get(i)
                    && (*n == options.quote || *n == options.escape)
                {
                    field.push(*n);
                    i += 1;
                } else if *b == options.quote {
                    inside = false;
                } else {
                    field.push(*b);
                }
            } else if *b == options.quote {
                inside = true;
                quoted = true;
            } else if *b == options.delimiter {
                i -= 1;
                break;
            } else {
                field.push(*b);
            }
        }
        let name = names.get(fields.count()).copied().unwrap_or("");
        let is_text = |text: &str| fields.bytes[from..] == *text.as_bytes();
        let null = is_text(&options.null)
            && ((!quoted && !options.force_not_null.has(name)) || (quoted && options.force_null.has(name)));
        let default = !quoted && options.default.as_deref().is_some_and(is_text);
        if null {
            fields.places.push(Place::Null)
        } else if default {
            fields.places.push(Place::Default)
        } else {
            fields.add(from)
        }
        if i >= line.len() {
            return Ok(());
        }
        i += 1;
        if i == line.len() {
            // A delimiter at the end: one more, empty field.
            let name = names.get(fields.count()).copied().unwrap_or("");
            if options.null.is_empty() && !options.force_not_null.has(name) {
                fields.places.push(Place::Null)
            } else {
                fields.add(fields.bytes.len())
            }
            return Ok(());
        }
    }
}
