//! COPY's binary format: a head, rows of counted values, and an end.
//!
//! Invariants:
//! 1. A row is handed out only when all of it has arrived: data may be cut anywhere.
//! 2. What waits for the rest of a row is bounded by the statement's memory.
//!
//! Must not know: how rows are stored.

use super::copy::{TakeLine, bad};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::make_room;
use evenkeel_types::{Datum, FormatOptions, Type, output_binary};

const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";
/// Flags that a reader must know to read on, but that of OIDs, which tables no longer have.
const CRITICAL_FLAGS: u32 = 0xfffe_0000;
const HAS_OIDS: u32 = 1 << 16;
/// What stands in place of a row's number of values at the end.
const END: i16 = -1;

/// Splits incoming bytes into rows.
pub struct BinaryReader {
    buffer: Vec<u8>,
    columns: usize,
    has_head: bool,
    ended: bool,
    /// Rows so far.
    pub line: u64,
    max_bytes: usize,
}

impl BinaryReader {
    /// A reader of rows of so many values, with a bound on the length of one row.
    pub fn new(columns: usize, max_bytes: usize) -> BinaryReader {
        BinaryReader { buffer: Vec::new(), columns, has_head: false, ended: false, line: 0, max_bytes }
    }

    /// Takes in bytes and hands out the complete rows, from behind their number of values on.
    pub fn feed(&mut self, data: &[u8], row: TakeLine<'_>) -> Result<(), SqlError> {
        make_room(&mut self.buffer, data.len())?;
        self.buffer.extend_from_slice(data);
        let buffer = std::mem::take(&mut self.buffer);
        let mut at = 0;
        if !self.has_head {
            match head(&buffer)? {
                Some(length) => at = length,
                None => {
                    self.buffer = buffer;
                    return self.check_bound();
                }
            }
            self.has_head = true;
        }
        while let Some(bytes) = buffer.get(at..at + 2) {
            if self.ended {
                break;
            }
            let count = i16::from_be_bytes([bytes[0], bytes[1]]);
            if count == END {
                self.ended = true;
                at += 2;
                break;
            }
            if usize::try_from(count) != Ok(self.columns) {
                self.line += 1;
                return Err(bad(format!("row field count is {count}, expected {}", self.columns)));
            }
            let Some(end) = self.row_end(&buffer, at + 2)? else { break };
            self.line += 1;
            row(self.line, &buffer[at + 2..end])?;
            at = end;
        }
        if self.ended && at < buffer.len() {
            self.line += 1;
            return Err(bad("received copy data after EOF marker"));
        }
        self.buffer = buffer;
        self.buffer.drain(..at);
        self.check_bound()
    }

    fn check_bound(&self) -> Result<(), SqlError> {
        if self.buffer.len() > self.max_bytes {
            return Err(SqlError::new(SqlState::OUT_OF_MEMORY, "out of memory")
                .with_detail(format!("One row of COPY data is longer than {} bytes.", self.max_bytes)));
        }
        Ok(())
    }

    /// Where a row ends; None: not all of it is there. A size that cannot be is left to whoever takes the row.
    fn row_end(&self, buffer: &[u8], mut at: usize) -> Result<Option<usize>, SqlError> {
        for _ in 0..self.columns {
            let Some(size) = size_at(buffer, at) else { return Ok(None) };
            at += 4;
            match usize::try_from(size) {
                Ok(n) if n > buffer.len() - at => return Ok(None),
                Ok(n) => at += n,
                Err(_) if size == -1 => {}
                Err(_) => return Ok(Some(at)),
            }
        }
        Ok(Some(at))
    }

    /// The data is complete.
    pub fn finish(&mut self) -> Result<(), SqlError> {
        if !self.has_head {
            return Err(match self.buffer.len() {
                0..11 => bad("COPY file signature not recognized"),
                11..15 => bad("invalid COPY file header (missing flags)"),
                15..19 => bad("invalid COPY file header (missing length)"),
                _ => bad("invalid COPY file header (wrong length)"),
            });
        }
        // The end's mark may be missing, as PostgreSQL has it.
        if self.buffer.len() >= 2 {
            self.line += 1;
            return Err(bad("unexpected EOF in COPY data"));
        }
        Ok(())
    }
}

fn size_at(buffer: &[u8], at: usize) -> Option<i32> {
    buffer.get(at..at + 4).map(|b| i32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

/// The length of the head; None: not all of it is there.
fn head(buffer: &[u8]) -> Result<Option<usize>, SqlError> {
    let n = buffer.len().min(SIGNATURE.len());
    if buffer[..n] != SIGNATURE[..n] {
        return Err(bad("COPY file signature not recognized"));
    }
    let Some(flags) = size_at(buffer, 11) else { return Ok(None) };
    let flags = flags as u32;
    if flags & HAS_OIDS != 0 {
        return Err(bad("invalid COPY file header (WITH OIDS)"));
    }
    if flags & CRITICAL_FLAGS != 0 {
        return Err(bad("unrecognized critical flags in COPY file header"));
    }
    let Some(length) = size_at(buffer, 15) else { return Ok(None) };
    let Ok(length) = usize::try_from(length) else {
        return Err(bad("invalid COPY file header (missing length)"));
    };
    let end = 19 + length;
    Ok((buffer.len() >= end).then_some(end))
}

/// The values of a row, one after the other; None is NULL.
pub struct Values<'b>(pub &'b [u8]);

impl<'b> Values<'b> {
    /// The next.
    pub fn take(&mut self) -> Result<Option<&'b [u8]>, SqlError> {
        let Some((size, rest)) = self.0.split_at_checked(4) else {
            return Err(bad("unexpected EOF in COPY data"));
        };
        self.0 = rest;
        match i32::from_be_bytes([size[0], size[1], size[2], size[3]]) {
            -1 => Ok(None),
            n => match usize::try_from(n).ok().and_then(|n| self.0.split_at_checked(n)) {
                Some((value, rest)) => {
                    self.0 = rest;
                    Ok(Some(value))
                }
                None => Err(bad("invalid field size")),
            },
        }
    }
}

/// What comes before the first row.
pub fn write_head(out: &mut Vec<u8>) {
    out.extend_from_slice(SIGNATURE);
    out.extend_from_slice(&[0; 8]);
}

/// What comes after the last row.
pub fn write_end(out: &mut Vec<u8>) {
    out.extend_from_slice(&END.to_be_bytes());
}

/// Writes a row.
pub fn write_row(
    row: &[Datum],
    columns: &[(String, Type, i32)],
    encoding: Encoding,
    format: &FormatOptions,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    out.extend_from_slice(&(row.len() as i16).to_be_bytes());
    for (value, (_, ty, typmod)) in row.iter().zip(columns) {
        if value.is_null() {
            out.extend_from_slice(&(-1i32).to_be_bytes());
            continue;
        }
        let at = out.len();
        out.extend_from_slice(&[0; 4]);
        make_room(out, value.memory_bytes())?;
        output_binary(value, *ty, *typmod, format, out);
        if !encoding.is_passed_on() {
            let converted = encoding.encode_binary(&out[at + 4..], *ty)?.into_owned();
            out.truncate(at + 4);
            out.extend_from_slice(&converted);
        }
        let length = (out.len() - at - 4) as u32;
        out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}
