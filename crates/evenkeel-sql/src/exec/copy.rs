//! COPY's text and csv formats: lines to rows and rows to lines.
//!
//! Invariants:
//! 1. A row is complete only when its line end has arrived: data may be cut anywhere.
//! 2. An unfinished line is bounded by the statement's memory.
//!
//! Must not know: how rows are stored.

use crate::parse::{CopyFormat, CopyOptions};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::{make_room, text_of};
use evenkeel_types::{Datum, FormatOptions, Type, output_text};
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

fn bad(message: impl Into<String>) -> SqlError {
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
            if text == b"\\." {
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
        if text == b"\\." {
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

/// The fields of one line, in a buffer that is used again for the next.
#[derive(Default)]
pub struct Fields {
    bytes: Vec<u8>,
    /// Where each is; None is NULL.
    places: Vec<Option<Range<usize>>>,
}

impl Fields {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// One of them; None is NULL, or there is no such field.
    pub fn get(&self, n: usize) -> Option<&str> {
        let place = self.places.get(n)?.clone()?;
        Some(std::str::from_utf8(&self.bytes[place]).expect("the line was looked at, and cut at ASCII only"))
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// What was added to the bytes since then is a field.
    fn add(&mut self, from: usize) {
        self.places.push(Some(from..self.bytes.len()));
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
        CopyFormat::Text => split_text(options, line, fields)?,
        CopyFormat::Csv => split_csv(options, line, names, fields)?,
    }
    if fields.count() > names.len() {
        return Err(bad("extra data after last expected column"));
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
            fields.places.push(None);
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
        let has = |list: &[String]| list.iter().any(|c| c == name);
        let is_null_text = fields.bytes[from..] == *options.null.as_bytes();
        let null = is_null_text
            && ((!quoted && !has(&options.force_not_null)) || (quoted && has(&options.force_null)));
        if null {
            fields.places.push(None)
        } else {
            fields.add(from)
        }
        if i >= line.len() {
            return Ok(());
        }
        i += 1;
        if i == line.len() {
            // A delimiter at the end: one more, empty field.
            let null = options.null.is_empty();
            if null {
                fields.places.push(None)
            } else {
                fields.add(fields.bytes.len())
            }
            return Ok(());
        }
    }
}

/// Writes a row as one line.
pub fn write_line(
    options: &CopyOptions,
    row: &[Datum],
    columns: &[(String, Type, i32)],
    format: &FormatOptions,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let mut text = Vec::new();
    for (n, (d, (name, ty, typmod))) in row.iter().zip(columns).enumerate() {
        if n > 0 {
            out.push(options.delimiter);
        }
        if d.is_null() {
            out.extend_from_slice(options.null.as_bytes());
            continue;
        }
        text.clear();
        output_text(d, *ty, *typmod, format, &mut text)?;
        let force = options.force_quote_all || options.force_quote.contains(name);
        // With a byte before each, at most.
        make_room(out, 2 * text.len() + 2)?;
        write_field(options, &text, force, row.len() == 1, out);
    }
    out.push(b'\n');
    Ok(())
}

/// Writes the header line.
pub fn write_header(options: &CopyOptions, columns: &[(String, Type, i32)], out: &mut Vec<u8>) {
    for (n, (name, _, _)) in columns.iter().enumerate() {
        if n > 0 {
            out.push(options.delimiter);
        }
        write_field(options, name.as_bytes(), false, columns.len() == 1, out);
    }
    out.push(b'\n');
}

fn write_field(options: &CopyOptions, text: &[u8], force: bool, single: bool, out: &mut Vec<u8>) {
    match options.format {
        CopyFormat::Text => {
            for b in text {
                match b {
                    b'\\' => out.extend(b"\\\\"),
                    b'\n' => out.extend(b"\\n"),
                    b'\r' => out.extend(b"\\r"),
                    b'\t' => out.extend(b"\\t"),
                    8 => out.extend(b"\\b"),
                    12 => out.extend(b"\\f"),
                    11 => out.extend(b"\\v"),
                    b if *b == options.delimiter => out.extend([b'\\', *b]),
                    b => out.push(*b),
                }
            }
        }
        CopyFormat::Csv => {
            let special =
                |b: &u8| *b == options.delimiter || *b == options.quote || matches!(b, b'\n' | b'\r');
            let quote = force
                || text == options.null.as_bytes()
                || text.iter().any(special)
                || (single && text == b"\\.");
            if !quote {
                out.extend_from_slice(text);
                return;
            }
            out.push(options.quote);
            for b in text {
                if *b == options.quote || *b == options.escape {
                    out.push(options.escape);
                }
                out.push(*b);
            }
            out.push(options.quote);
        }
    }
}
