//! Messages to the client, appended to one reused buffer.
//!
//! Duty: encode. What a prepared statement's round trip needs is put down by hand, without allocations; everything rarer goes
//! through `pgwire`'s encoders.
//!
//! Invariant O1: the buffer always ends at a message's end, except inside one of these functions.
//!
//! It must not know sockets, nor when bytes may leave.

use std::sync::Arc;

use bytes::BytesMut;
use evenkeel_sql::{Column, CommandTag, Notice, Notification, SqlError, SqlState};
use evenkeel_types::Type;
use evenkeel_types::encoding::Encoding;
use pgwire::messages::Message;
use pgwire::messages::copy::{CopyBothResponse, CopyInResponse, CopyOutResponse};
use pgwire::messages::data::ParameterDescription;
use pgwire::messages::startup::{
    Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, SecretKey,
};

use super::frontend::Bind;
use super::origin;
use super::recode::told;
use crate::errors::error;

/// A buffer larger than this is given back once it is empty, bytes.
const KEEP_BYTES_MAX: usize = 1 << 20;
/// Largest message that a client must accept (libpq's bound, as of PostgreSQL's palloc), bytes.
const MESSAGE_BYTES_MAX: usize = 0x3fff_ffff;

/// One result column, as values of it are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputColumn {
    pub ty: Type,
    pub typmod: i32,
}

/// The columns of a result, with the RowDescription for all-text encoded once.
#[derive(Debug)]
pub(crate) struct OutputShape {
    pub columns: Vec<OutputColumn>,
    description: Vec<u8>,
    /// Where each column's format code ends in `description`.
    format_ends: Vec<usize>,
}

impl OutputShape {
    fn new(columns: &[Column]) -> OutputShape {
        let mut d = vec![b'T', 0, 0, 0, 0];
        let mut format_ends = Vec::with_capacity(columns.len());
        d.extend_from_slice(&(columns.len() as u16).to_be_bytes());
        for c in columns {
            push_string(&mut d, &c.name);
            d.extend_from_slice(&c.table_oid.to_be_bytes());
            d.extend_from_slice(&c.attnum.to_be_bytes());
            d.extend_from_slice(&c.ty.oid().to_be_bytes());
            d.extend_from_slice(&c.ty.len().to_be_bytes());
            d.extend_from_slice(&c.typmod.to_be_bytes());
            d.extend_from_slice(&[0, 0]);
            format_ends.push(d.len());
        }
        let length = (d.len() - 1) as u32;
        d[1..5].copy_from_slice(&length.to_be_bytes());
        let columns = columns.iter().map(|c| OutputColumn { ty: c.ty, typmod: c.typmod }).collect();
        OutputShape { columns, description: d, format_ends }
    }

    /// The shape of `columns`: `known` again when it fits, as it does unless the table was altered in between.
    pub fn of(columns: Option<&[Column]>, known: Option<&Arc<OutputShape>>) -> Option<Arc<OutputShape>> {
        let columns = columns?;
        match known {
            Some(k) if k.fits(columns) => Some(k.clone()),
            _ => Some(Arc::new(OutputShape::new(columns))),
        }
    }

    fn fits(&self, columns: &[Column]) -> bool {
        let mut start = 7;
        self.columns.len() == columns.len()
            && self.columns.iter().zip(columns).zip(&self.format_ends).all(|((a, b), &end)| {
                let (name, rest) = self.description[start..end].split_at(end - 19 - start);
                start = end;
                a.ty == b.ty
                    && a.typmod == b.typmod
                    && name == b.name.as_bytes()
                    && rest[1..5] == b.table_oid.to_be_bytes()
                    && rest[5..7] == b.attnum.to_be_bytes()
            })
    }
}

/// In which format the columns of a result are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ResultFormats {
    /// Text, the default.
    #[default]
    Text,
    /// Binary, all of them.
    Binary,
    /// One by one; true: binary.
    Each(Box<[bool]>),
}

impl ResultFormats {
    /// The formats that a Bind asks for, given the number of columns.
    pub fn of(bind: &Bind<'_>, columns: usize) -> Result<ResultFormats, SqlError> {
        match bind.result_format_count() {
            0 => Ok(ResultFormats::Text),
            1 if bind.result_is_binary(0) => Ok(ResultFormats::Binary),
            1 => Ok(ResultFormats::Text),
            n if n == columns => Ok(ResultFormats::Each((0..n).map(|i| bind.result_is_binary(i)).collect())),
            n => Err(error(
                SqlState::PROTOCOL_VIOLATION,
                format!("bind message has {n} result formats but query has {columns} columns"),
            )),
        }
    }

    /// Whether column `i` is sent in binary.
    pub fn is_binary(&self, i: usize) -> bool {
        match self {
            ResultFormats::Text => false,
            ResultFormats::Binary => true,
            ResultFormats::Each(f) => f.get(i).copied().unwrap_or(false),
        }
    }
}

/// What waits to be sent.
#[derive(Debug)]
pub(crate) struct OutputBuffer {
    /// Complete messages (O1).
    pub bytes: Vec<u8>,
    /// The client's, for strings that are put down here.
    pub encoding: Encoding,
    scratch: BytesMut,
}

impl Default for OutputBuffer {
    fn default() -> OutputBuffer {
        OutputBuffer { bytes: Vec::new(), encoding: Encoding::UTF8, scratch: BytesMut::new() }
    }
}

impl OutputBuffer {
    /// Forgets what was sent, and a large buffer with it.
    pub fn clear(&mut self) {
        self.bytes.clear();
        if self.bytes.capacity() > KEEP_BYTES_MAX {
            self.bytes.shrink_to(KEEP_BYTES_MAX / 16);
        }
    }

    fn empty_message(&mut self, kind: u8) {
        self.bytes.extend_from_slice(&[kind, 0, 0, 0, 4]);
    }

    pub fn parse_complete(&mut self) {
        self.empty_message(b'1');
    }

    pub fn bind_complete(&mut self) {
        self.empty_message(b'2');
    }

    pub fn close_complete(&mut self) {
        self.empty_message(b'3');
    }

    pub fn no_data(&mut self) {
        self.empty_message(b'n');
    }

    pub fn portal_suspended(&mut self) {
        self.empty_message(b's');
    }

    pub fn empty_query_response(&mut self) {
        self.empty_message(b'I');
    }

    pub fn copy_done(&mut self) {
        self.empty_message(b'c');
    }

    pub fn ready_for_query(&mut self, status: u8) {
        self.bytes.extend_from_slice(&[b'Z', 0, 0, 0, 5, status]);
    }

    pub fn command_complete(&mut self, tag: &CommandTag) {
        let at = self.begin(b'C');
        let from = self.bytes.len();
        tag.write_to(&mut self.bytes);
        if let Some(nul) = self.bytes[from..].iter().position(|&b| b == 0) {
            self.bytes.truncate(from + nul);
        }
        self.bytes.push(0);
        self.end(at);
    }

    pub fn row_description(&mut self, shape: &OutputShape, formats: &ResultFormats) {
        if !self.encoding.is_passed_on() && !shape.description.is_ascii() {
            return self.recoded_description(shape, formats);
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(&shape.description);
        if *formats != ResultFormats::Text {
            for (i, &end) in shape.format_ends.iter().enumerate() {
                self.bytes[from + end - 1] = formats.is_binary(i) as u8;
            }
        }
    }

    /// The same with names in the client's encoding.
    fn recoded_description(&mut self, shape: &OutputShape, formats: &ResultFormats) {
        let at = self.begin(b'T');
        self.bytes.extend_from_slice(&shape.description[5..7]);
        let mut start = 7;
        for (i, &end) in shape.format_ends.iter().enumerate() {
            let (name, rest) = shape.description[start..end].split_at(end - 19 - start);
            self.bytes.extend_from_slice(&told(&String::from_utf8_lossy(name), self.encoding));
            self.bytes.extend_from_slice(&rest[..rest.len() - 1]);
            self.bytes.push(formats.is_binary(i) as u8);
            start = end;
        }
        self.end(at);
    }

    /// Opens a message whose length is not known yet; `end` closes it.
    pub fn begin(&mut self, kind: u8) -> usize {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(&[kind, 0, 0, 0, 0]);
        at
    }

    /// Closes the message opened at `at`.
    pub fn end(&mut self, at: usize) {
        let length = (self.bytes.len() - at - 1) as u32;
        self.bytes[at + 1..at + 5].copy_from_slice(&length.to_be_bytes());
    }

    /// Closes a message that carries data of any size, or takes it back when no client could read it.
    pub fn end_data(&mut self, at: usize) -> Result<(), SqlError> {
        let length = self.bytes.len() - at - 1;
        if length > MESSAGE_BYTES_MAX {
            self.bytes.truncate(at);
            self.bytes.shrink_to(KEEP_BYTES_MAX);
            return Err(error(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("result row of {length} bytes is larger than a message may be"),
            ));
        }
        self.end(at);
        Ok(())
    }

    pub fn copy_data(&mut self, data: &[u8]) -> Result<(), SqlError> {
        let at = self.begin(b'd');
        self.bytes.extend_from_slice(data);
        self.end_data(at)
    }

    pub fn parameter_description(&mut self, types: Vec<u32>) {
        self.put(&ParameterDescription::new(types));
    }

    pub fn parameter_status(&mut self, name: &str, value: &str) {
        self.put(&ParameterStatus::new(clean(name), clean(value)));
    }

    pub fn authentication(&mut self, message: &Authentication) {
        self.put(message);
    }

    pub fn backend_key_data(&mut self, pid: i32, secret: &[u8]) {
        let secret = SecretKey::Bytes(bytes::Bytes::copy_from_slice(secret));
        self.put(&BackendKeyData::new(pid, secret));
    }

    pub fn negotiate_protocol_version(&mut self, version: i32, unsupported: Vec<String>) {
        self.put(&NegotiateProtocolVersion::new(version, unsupported));
    }

    pub fn copy_in_response(&mut self, columns: usize, binary: bool) {
        let n = columns.min(i16::MAX as usize);
        self.put(&CopyInResponse::new(binary.into(), n as i16, vec![binary.into(); n]));
    }

    pub fn copy_out_response(&mut self, columns: usize, binary: bool) {
        let n = columns.min(i16::MAX as usize);
        self.put(&CopyOutResponse::new(binary.into(), n as i16, vec![binary.into(); n]));
    }

    /// Both sides send data from here on.
    pub fn copy_both_response(&mut self) {
        self.put(&CopyBothResponse::new(0, 0, Vec::new()));
    }

    pub fn error(&mut self, e: &SqlError) {
        let severity = if e.severity_fatal { "FATAL" } else { "ERROR" };
        let at = self.begin(b'E');
        self.report(severity, e.code, &e.message);
        let position = e.position.map(|p| p.to_string());
        let optional = [
            (b'D', e.detail.as_deref()),
            (b'H', e.hint.as_deref()),
            (b'P', position.as_deref()),
            (b'W', e.context.as_deref()),
            (b's', e.schema.as_deref()),
            (b't', e.table.as_deref()),
            (b'c', e.column.as_deref()),
            (b'd', e.data_type.as_deref()),
            (b'n', e.constraint.as_deref()),
        ];
        for (code, value) in optional {
            if let Some(value) = value {
                self.field(code, value);
            }
        }
        if let Some((file, line, routine)) = origin::of(e) {
            self.field(b'F', file);
            self.field(b'L', line);
            self.field(b'R', routine);
        }
        self.bytes.push(0);
        self.end(at);
    }

    pub fn notification(&mut self, n: &Notification) {
        let at = self.begin(b'A');
        self.bytes.extend_from_slice(&n.pid.to_be_bytes());
        for text in [&n.channel, &n.payload] {
            self.bytes.extend_from_slice(&told(&clean(text), self.encoding));
            self.bytes.push(0);
        }
        self.end(at);
    }

    pub fn notice(&mut self, n: &Notice) {
        let at = self.begin(b'N');
        self.report(n.severity, n.code, &n.message);
        if let Some(detail) = &n.detail {
            self.field(b'D', detail);
        }
        if let Some(hint) = &n.hint {
            self.field(b'H', hint);
        }
        self.bytes.push(0);
        self.end(at);
    }

    /// What errors and notices begin with.
    fn report(&mut self, severity: &str, code: SqlState, message: &str) {
        self.field(b'S', severity);
        self.field(b'V', severity);
        self.field(b'C', &code.to_string());
        self.field(b'M', message);
    }

    fn field(&mut self, code: u8, value: &str) {
        self.bytes.push(code);
        self.bytes.extend_from_slice(&told(&clean(value), self.encoding));
        self.bytes.push(0);
    }

    fn put<M: Message>(&mut self, message: &M) {
        self.scratch.clear();
        match message.encode(&mut self.scratch) {
            Ok(()) => self.bytes.extend_from_slice(&self.scratch),
            // Only for a message that no client would take, such as a setting's value of more than 30 kB.
            Err(e) => tracing::warn!(error = %e, "a message was not sent"),
        }
    }
}

/// Strings of the protocol end at their first zero byte.
fn push_string(out: &mut Vec<u8>, s: &str) {
    let s = s.as_bytes();
    let n = s.iter().position(|&b| b == 0).unwrap_or(s.len());
    out.extend_from_slice(&s[..n]);
    out.push(0);
}

fn clean(s: &str) -> String {
    s.replace('\0', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_binary_differ_in_the_format_codes_only() {
        let columns = [
            Column { table_oid: 7, attnum: 1, ..Column::of("a".into(), Type::Int4, -1) },
            Column { table_oid: 7, attnum: 2, ..Column::of("b".into(), Type::Text, -1) },
        ];
        let shape = OutputShape::of(Some(&columns), None).unwrap();
        let mut out = OutputBuffer::default();
        out.row_description(&shape, &ResultFormats::Each([false, true].into()));
        assert_eq!(
            out.bytes,
            b"T\0\0\0\x2e\0\x02a\0\0\0\0\x07\0\x01\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0\
              b\0\0\0\0\x07\0\x02\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\x01"
        );
        assert!(Arc::ptr_eq(&OutputShape::of(Some(&columns), Some(&shape)).unwrap(), &shape));
        let mut renamed = columns.to_vec();
        renamed[1].name = "ab".into();
        assert!(!Arc::ptr_eq(&OutputShape::of(Some(&renamed), Some(&shape)).unwrap(), &shape));
    }

    #[test]
    fn an_error_may_be_long() {
        let mut out = OutputBuffer::default();
        out.error(&error(SqlState::IO_ERROR, "x".repeat(100_000)));
        assert!(out.bytes.len() > 100_000 && out.bytes[0] == b'E');
    }

    #[test]
    fn a_zero_byte_in_a_message_cannot_break_the_framing() {
        let mut out = OutputBuffer::default();
        out.error(&error(SqlState::IO_ERROR, "a\0b"));
        assert_eq!(out.bytes.iter().filter(|&&b| b == 0).count(), 2 + 4 + 1 + 2 - 1);
        out.clear();
        out.command_complete(&CommandTag::of("X\0Y"));
        assert_eq!(out.bytes, b"C\0\0\0\x06X\0");
    }
}
