//! COPY's text and csv formats: lines to rows.
//!
//! Invariants:
//! 1. A row is complete only when its line end has arrived: data may be cut anywhere.
//! 2. An unfinished line is bounded by the statement's memory.
//! 3. The first line's end is that of all: another one is an error, as it may be a damaged file.
//!
//! Must not know: how rows are stored.

use crate::parse::{CopyFormat, CopyOptions};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::text_of;
use std::ops::Range;

/// Gets a line with its number.
pub type TakeLine<'l> = &'l mut dyn FnMut(u64, &[u8]) -> Result<(), SqlError>;

/// How lines end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Unknown,
    Lf,
    Cr,
    CrLf,
}

/// What stands at a place where a line ends.
enum End {
    /// The line's end, and the beginning of the next.
    Line(usize, usize),
    /// The mark `\.`.
    Mark,
}

/// Splits incoming bytes into lines.
pub struct LineReader {
    options: CopyOptions,
    buffer: Vec<u8>,
    /// Invariant 3.
    ends: Ends,
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
            ends: Ends::Unknown,
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
        while let Some(end) = self.line_end(&buffer, start)? {
            let End::Line(end, next) = end else {
                self.ended = true;
                return Ok(());
            };
            self.line += 1;
            line(self.line, &buffer[start..end])?;
            start = next;
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
        let buffer = std::mem::take(&mut self.buffer);
        let text = match buffer.strip_suffix(b"\r").filter(|_| !self.in_quote) {
            Some(text) => {
                self.check_end(Ends::Cr)?;
                text
            }
            None => &buffer,
        };
        if text == b"\\." && self.options.format == CopyFormat::Text {
            return Ok(());
        }
        self.line += 1;
        line(self.line, text)
    }

    /// A line ends so (invariant 3).
    fn check_end(&mut self, found: Ends) -> Result<(), SqlError> {
        if self.ends == Ends::Unknown {
            self.ends = found;
        }
        if self.ends == found {
            return Ok(());
        }
        let (name, letter) = if found == Ends::Lf { ("newline", 'n') } else { ("carriage return", 'r') };
        Err(match self.options.format {
            CopyFormat::Csv => bad(format!("unquoted {name} found in data"))
                .with_hint(format!("Use quoted CSV field to represent {name}.")),
            _ => bad(format!("literal {name} found in data"))
                .with_hint(format!("Use \"\\{letter}\" to represent {name}.")),
        })
    }

    /// The end that begins at a carriage return or newline; None: what is behind it decides.
    fn end_at(&mut self, buffer: &[u8], at: usize) -> Result<Option<End>, SqlError> {
        let (found, next) = match &buffer[at..] {
            [b'\n', ..] => (Ends::Lf, at + 1),
            [_, b'\n', ..] if matches!(self.ends, Ends::Unknown | Ends::CrLf) => (Ends::CrLf, at + 2),
            [_] if matches!(self.ends, Ends::Unknown | Ends::CrLf) => return Ok(None),
            _ => (Ends::Cr, at + 1),
        };
        self.check_end(found)?;
        Ok(Some(End::Line(at, next)))
    }

    /// Whether the mark `\.` ends here, with its line; `rest` is what is behind it. None: there is not enough of that.
    fn is_mark(&self, rest: &[u8]) -> Result<Option<()>, SqlError> {
        let why = match (self.ends, rest) {
            (_, []) | (Ends::CrLf, [b'\r']) => return Ok(None),
            (Ends::CrLf, [b'\r', b'\n', ..])
            | (Ends::Lf, [b'\n', ..])
            | (Ends::Cr, [b'\r', ..])
            | (Ends::Unknown, [b'\r' | b'\n', ..]) => return Ok(Some(())),
            (Ends::CrLf, [b'\n', ..] | [b'\r', b'\r', ..]) | (Ends::Lf | Ends::Cr, [b'\r' | b'\n', ..]) => {
                "does not match previous newline style"
            }
            _ => "is not alone on its line",
        };
        Err(bad(format!("end-of-copy marker {why}")))
    }

    /// The next line end of a line that begins at `start`; what is searched once is not searched again.
    fn line_end(&mut self, buffer: &[u8], start: usize) -> Result<Option<End>, SqlError> {
        let mut i = self.searched;
        if self.options.format != CopyFormat::Csv {
            // The next byte belongs to the escape, even a line end.
            while let Some(n) = buffer.get(i..).and_then(|rest| memchr::memchr3(b'\n', b'\r', b'\\', rest)) {
                i += n;
                self.searched = i;
                if buffer[i] != b'\\' {
                    return self.found_end(buffer, i);
                }
                match buffer.get(i + 1) {
                    None => return Ok(None),
                    Some(b'.') => match self.is_mark(&buffer[i + 2..])? {
                        None => return Ok(None),
                        Some(()) if i > start => {
                            return Err(bad("end-of-copy marker is not alone on its line"));
                        }
                        Some(()) => return Ok(Some(End::Mark)),
                    },
                    Some(_) => i += 2,
                }
            }
            self.searched = buffer.len();
            return Ok(None);
        }
        // Of a field of several lines PostgreSQL counts these, by the byte that ends lines.
        let counted = |ends: Ends| if ends == Ends::Lf { b'\n' } else { b'\r' };
        while let Some(b) = buffer.get(i) {
            match *b {
                b'\n' | b'\r' if !self.in_quote => {
                    self.searched = i;
                    return self.found_end(buffer, i);
                }
                b if b == self.options.escape && b != self.options.quote && self.in_quote => {
                    if i + 1 >= buffer.len() {
                        break;
                    }
                    i += 1;
                }
                b if b == self.options.quote => self.in_quote = !self.in_quote,
                b if b == counted(self.ends) && self.in_quote => self.line += 1,
                _ => {}
            }
            i += 1;
        }
        self.searched = i;
        Ok(None)
    }

    fn found_end(&mut self, buffer: &[u8], at: usize) -> Result<Option<End>, SqlError> {
        let found = self.end_at(buffer, at)?;
        if let Some(End::Line(_, next)) = found {
            self.searched = next;
        }
        Ok(found)
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
    if names.is_empty() && line.is_empty() {
        return Ok(());
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{CopyHeader, CopyVerbosity, Forced};

    /// The lines of a text that comes in pieces of so many bytes.
    fn lines(format: CopyFormat, text: &str, piece: usize) -> Result<Vec<(u64, String)>, SqlError> {
        let options = CopyOptions {
            freeze: false,
            format,
            delimiter: b',',
            null: String::new(),
            default: None,
            header: CopyHeader::No,
            quote: b'"',
            escape: b'"',
            encoding: None,
            force_quote: Forced::None,
            force_not_null: Forced::None,
            force_null: Forced::None,
            ignore_errors: false,
            reject_limit: None,
            verbosity: CopyVerbosity::Default,
        };
        let mut reader = LineReader::new(options, 1 << 20);
        let mut found = Vec::new();
        let mut take = |n: u64, line: &[u8]| {
            found.push((n, String::from_utf8_lossy(line).into_owned()));
            Ok(())
        };
        for piece in text.as_bytes().chunks(piece) {
            reader.feed(piece, &mut take)?;
        }
        reader.finish(&mut take)?;
        Ok(found)
    }

    #[test]
    fn the_first_lines_end_is_that_of_all() {
        let text = |text: &str, piece: usize| {
            let found = lines(CopyFormat::Text, text, piece);
            found.map(|l| l.into_iter().map(|l| l.1).collect::<Vec<_>>()).map_err(|e| e.message.clone())
        };
        for piece in [1, 2, 3, 100] {
            for end in ["\n", "\r", "\r\n"] {
                let of = |s: &str| text(&s.replace('|', end), piece);
                assert_eq!(of("a|b||c|"), Ok(["a", "b", "", "c"].map(String::from).to_vec()), "{end:?}");
                assert_eq!(of("a|b"), Ok(["a", "b"].map(String::from).to_vec()), "{end:?}");
                assert_eq!(of("a|\\.|c|"), Ok(vec!["a".to_owned()]), "{end:?}");
                assert!(of("a|b\\.|c|").is_err_and(|e| e.ends_with("is not alone on its line")));
            }
            let refused = |s: &str, why: &str| assert_eq!(text(s, piece), Err(why.to_owned()), "{s:?}");
            refused("a\nb\r\n", "literal carriage return found in data");
            refused("a\r\nb\n", "literal newline found in data");
            refused("a\r\nb\rc\r\n", "literal carriage return found in data");
            refused("a\rb\n", "literal newline found in data");
            refused("a\r\n\\.\n", "end-of-copy marker does not match previous newline style");
            refused("a\n\\.\r\n", "end-of-copy marker does not match previous newline style");
            assert_eq!(text("a\\\nb\n", piece), Ok(vec!["a\\\nb".to_owned()]));
        }
    }

    #[test]
    fn quoted_fields_have_any_ends_and_their_lines_count() {
        for piece in [1, 2, 100] {
            let found = lines(CopyFormat::Csv, "1,a\n2,\"b\r\nc\nd\"\n3,e\n", piece).unwrap();
            let expected = [(1, "1,a"), (4, "2,\"b\r\nc\nd\""), (5, "3,e")];
            assert_eq!(found, expected.map(|(n, l)| (n, l.to_owned())));
            let e = lines(CopyFormat::Csv, "1\r\n2\n", piece).unwrap_err();
            assert_eq!(e.message, "unquoted newline found in data");
        }
    }
}
