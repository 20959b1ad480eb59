//! Messages that clients send, decoded in place.
//!
//! Duty: turn a message's body into borrowed fields. Every count and length is checked against the body before it is used,
//! nothing is allocated, and all bytes must be used up (W2, W3).
//!
//! It must not know sessions, statements or sockets.

use evenkeel_sql::{SqlError, SqlState};

use crate::errors::{error, protocol_violation};

/// Messages that never carry much, bytes (as PostgreSQL's PQ_SMALL_MESSAGE_LIMIT).
const SMALL_MESSAGE_BYTES_MAX: usize = 10_000;

/// Whether a started session may be sent this type of message at all.
pub(crate) fn is_known_type(kind: u8) -> bool {
    matches!(
        kind,
        b'Q' | b'P' | b'B' | b'D' | b'E' | b'C' | b'H' | b'S' | b'X' | b'd' | b'c' | b'f' | b'F' | b'p'
    )
}

/// The largest length field allowed for a type of message.
pub(crate) fn body_limit(kind: u8, max_bytes: usize) -> usize {
    match kind {
        b'Q' | b'P' | b'B' | b'd' | b'F' => max_bytes,
        _ => SMALL_MESSAGE_BYTES_MAX.min(max_bytes),
    }
}

/// What Describe and Close speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// A prepared statement, unnamed when empty.
    Statement(&'a str),
    /// A portal, unnamed when empty.
    Portal(&'a str),
}

/// One message of a started session.
#[derive(Debug)]
pub enum Message<'a> {
    /// Simple query.
    Query(&'a str),
    /// Prepare a statement.
    Parse(Parse<'a>),
    /// Give a statement its parameters.
    Bind(Bind<'a>),
    /// Ask for parameter types and columns.
    Describe(Target<'a>),
    /// Run a portal.
    Execute {
        /// Its name.
        portal: &'a str,
        /// Stop after so many rows; 0 or less: all.
        max_rows: i32,
    },
    /// Forget a statement or portal.
    Close(Target<'a>),
    /// Send what is ready.
    Flush,
    /// End of a batch.
    Sync,
    /// Goodbye.
    Terminate,
    /// Part of a COPY's input.
    CopyData(&'a [u8]),
    /// Its end.
    CopyDone,
    /// The client gives up its COPY, saying why.
    CopyFail(&'a str),
    /// Call a function.
    FunctionCall(FunctionCall<'a>),
}

/// A Parse message.
#[derive(Debug)]
pub struct Parse<'a> {
    /// Unnamed when empty.
    pub name: &'a str,
    /// One statement.
    pub sql: &'a str,
    types: &'a [u8],
}

/// A Bind message; its fields were checked when it was decoded.
#[derive(Debug)]
pub struct Bind<'a> {
    /// Unnamed when empty.
    pub portal: &'a str,
    /// Unnamed when empty.
    pub statement: &'a str,
    parameter_formats: &'a [u8],
    parameter_count: usize,
    parameters: &'a [u8],
    result_formats: &'a [u8],
}

impl<'a> Message<'a> {
    /// Decodes a message's body.
    pub fn decode(kind: u8, body: &'a [u8]) -> Result<Message<'a>, SqlError> {
        let mut r = Reader { rest: body };
        let message = match kind {
            b'Q' => Message::Query(r.string()?),
            b'P' => Message::Parse(Parse::decode(&mut r)?),
            b'B' => Message::Bind(Bind::decode(&mut r)?),
            b'D' => Message::Describe(r.target("DESCRIBE")?),
            b'E' => Message::Execute { portal: r.string()?, max_rows: r.i32()? },
            b'C' => Message::Close(r.target("CLOSE")?),
            b'H' => Message::Flush,
            b'S' => Message::Sync,
            b'X' => return Ok(Message::Terminate),
            b'd' => return Ok(Message::CopyData(body)),
            b'c' => Message::CopyDone,
            b'f' => Message::CopyFail(r.string()?),
            b'F' => Message::FunctionCall(FunctionCall::decode(&mut r)?),
            _ => return Err(protocol_violation(format!("invalid frontend message type {kind}"))),
        };
        if r.rest.is_empty() { Ok(message) } else { Err(protocol_violation("invalid message format")) }
    }
}

impl<'a> Parse<'a> {
    fn decode(r: &mut Reader<'a>) -> Result<Parse<'a>, SqlError> {
        let name = r.string()?;
        let sql = r.string()?;
        let count = r.u16()? as usize;
        Ok(Parse { name, sql, types: r.bytes(count * 4)? })
    }

    /// The parameter types that the client declares; 0: to be inferred.
    pub fn types(&self) -> impl ExactSizeIterator<Item = u32> + 'a {
        self.types.chunks_exact(4).map(|c| u32::from_be_bytes([c[0], c[1], c[2], c[3]]))
    }
}

impl<'a> Bind<'a> {
    fn decode(r: &mut Reader<'a>) -> Result<Bind<'a>, SqlError> {
        let portal = r.string()?;
        let statement = r.string()?;
        let count = r.u16()? as usize;
        let parameter_formats = r.bytes(count * 2)?;
        check_formats(parameter_formats)?;
        let parameter_count = r.u16()? as usize;
        let from = r.rest;
        for _ in 0..parameter_count {
            r.value()?;
        }
        let parameters = &from[..from.len() - r.rest.len()];
        let count = r.u16()? as usize;
        let result_formats = r.bytes(count * 2)?;
        check_formats(result_formats)?;
        if parameter_formats.len() > 2 && parameter_formats.len() / 2 != parameter_count {
            return Err(protocol_violation(format!(
                "bind message has {} parameter formats but {parameter_count} parameters",
                parameter_formats.len() / 2
            )));
        }
        Ok(Bind { portal, statement, parameter_formats, parameter_count, parameters, result_formats })
    }

    /// Number of parameters.
    pub fn parameter_count(&self) -> usize {
        self.parameter_count
    }

    /// Bytes of all parameters.
    pub fn parameter_bytes(&self) -> usize {
        self.parameters.len()
    }

    /// Each parameter: whether it is in binary format, and its bytes (None: NULL).
    pub fn parameters(&self) -> impl Iterator<Item = (bool, Option<&'a [u8]>)> + 'a {
        values(self.parameter_formats, self.parameters, self.parameter_count)
    }

    /// Number of result formats: 0 (all text), 1 (for all columns) or one for each column.
    pub fn result_format_count(&self) -> usize {
        self.result_formats.len() / 2
    }

    /// Whether result column `i` is wanted in binary.
    pub fn result_is_binary(&self, i: usize) -> bool {
        binary_at(self.result_formats, i)
    }
}

/// A call of a function by its OID; its fields were checked when it was decoded.
#[derive(Debug)]
pub struct FunctionCall<'a> {
    /// The function.
    pub oid: u32,
    argument_formats: &'a [u8],
    argument_count: usize,
    arguments: &'a [u8],
    /// The result is wanted in binary format.
    pub result_is_binary: bool,
}

impl<'a> FunctionCall<'a> {
    fn decode(r: &mut Reader<'a>) -> Result<FunctionCall<'a>, SqlError> {
        let oid = r.i32()? as u32;
        let count = r.u16()? as usize;
        let argument_formats = r.bytes(count * 2)?;
        check_formats(argument_formats)?;
        let argument_count = r.u16()? as usize;
        if count > 1 && count != argument_count {
            return Err(protocol_violation(format!(
                "function call message contains {count} argument formats but {argument_count} arguments"
            )));
        }
        let from = r.rest;
        for _ in 0..argument_count {
            let length = Reader { rest: r.rest }.i32()?;
            if length < -1 {
                let message = format!("invalid argument size {length} in function call message");
                return Err(protocol_violation(message));
            }
            r.value()?;
        }
        let arguments = &from[..from.len() - r.rest.len()];
        let result_format = r.bytes(2)?;
        check_formats(result_format)?;
        let result_is_binary = binary_at(result_format, 0);
        Ok(FunctionCall { oid, argument_formats, argument_count, arguments, result_is_binary })
    }

    /// Number of arguments.
    pub fn argument_count(&self) -> usize {
        self.argument_count
    }

    /// Each argument: whether it is in binary format, and its bytes (None: NULL).
    pub fn arguments(&self) -> impl Iterator<Item = (bool, Option<&'a [u8]>)> + 'a {
        values(self.argument_formats, self.arguments, self.argument_count)
    }
}

/// Values of a message that was decoded, with their formats.
fn values<'a>(
    formats: &'a [u8],
    bytes: &'a [u8],
    count: usize,
) -> impl Iterator<Item = (bool, Option<&'a [u8]>)> + 'a {
    let mut r = Reader { rest: bytes };
    // decode() has walked over the same bytes, so that this cannot fail here.
    (0..count).map(move |i| (binary_at(formats, i), r.value().unwrap_or(None)))
}

/// Format codes apply to all when there is one, to the i-th otherwise; none means text.
fn binary_at(formats: &[u8], i: usize) -> bool {
    match formats.len() {
        0 => false,
        2 => formats[1] == 1,
        _ => formats.get(2 * i + 1) == Some(&1),
    }
}

fn check_formats(formats: &[u8]) -> Result<(), SqlError> {
    for c in formats.chunks_exact(2) {
        let code = i16::from_be_bytes([c[0], c[1]]);
        if code != 0 && code != 1 {
            return Err(error(SqlState::INVALID_PARAMETER_VALUE, format!("unsupported format code: {code}")));
        }
    }
    Ok(())
}

/// Takes fields from the front of a body.
pub(crate) struct Reader<'a> {
    pub rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], SqlError> {
        match self.rest.split_at_checked(n) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(protocol_violation("insufficient data left in message")),
        }
    }

    pub fn u16(&mut self) -> Result<u16, SqlError> {
        self.bytes(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    pub fn i32(&mut self) -> Result<i32, SqlError> {
        self.bytes(4).map(|b| i32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// A string up to its zero byte, which must be UTF-8.
    pub fn string(&mut self) -> Result<&'a str, SqlError> {
        let Some(n) = self.rest.iter().position(|&b| b == 0) else {
            return Err(protocol_violation("invalid string in message"));
        };
        let bytes = &self.rest[..n];
        self.rest = &self.rest[n + 1..];
        str::from_utf8(bytes).map_err(|e| bad_utf8(bytes, e))
    }

    /// A length of 4 bytes and so many bytes; -1 is NULL.
    fn value(&mut self) -> Result<Option<&'a [u8]>, SqlError> {
        match self.i32()? {
            -1 => Ok(None),
            n if n < 0 => Err(protocol_violation("insufficient data left in message")),
            n => self.bytes(n as usize).map(Some),
        }
    }

    fn target(&mut self, command: &str) -> Result<Target<'a>, SqlError> {
        let kind = self.bytes(1)?[0];
        let name = self.string()?;
        match kind {
            b'S' => Ok(Target::Statement(name)),
            b'P' => Ok(Target::Portal(name)),
            _ => Err(protocol_violation(format!("invalid {command} message subtype {kind}"))),
        }
    }
}

/// 22021, naming the first wrong bytes.
pub(crate) fn bad_utf8(bytes: &[u8], e: std::str::Utf8Error) -> SqlError {
    let from = e.valid_up_to();
    let n = e.error_len().unwrap_or(bytes.len() - from).min(4);
    let shown: Vec<String> = bytes[from..from + n].iter().map(|b| format!("0x{b:02x}")).collect();
    error(
        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
        format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(kind: u8, body: &[u8]) -> String {
        Message::decode(kind, body).map(|m| format!("{m:?}")).unwrap_err().code.to_string()
    }

    #[test]
    fn a_bind_gives_its_fields() {
        let body = b"p\0s\0\0\x02\0\0\0\x01\0\x02\0\0\0\x02hi\xff\xff\xff\xff\0\x01\0\x01";
        let Message::Bind(b) = Message::decode(b'B', body).unwrap() else { panic!() };
        assert_eq!((b.portal, b.statement), ("p", "s"));
        assert_eq!(b.parameters().collect::<Vec<_>>(), [(false, Some(&b"hi"[..])), (true, None)]);
        assert_eq!(b.result_format_count(), 1);
        assert!(b.result_is_binary(0) && b.result_is_binary(7));
    }

    #[test]
    fn a_parse_gives_declared_types() {
        let Message::Parse(p) = Message::decode(b'P', b"n\0select 1\0\0\x02\0\0\0\x17\0\0\0\0").unwrap()
        else {
            panic!()
        };
        assert_eq!((p.name, p.sql), ("n", "select 1"));
        assert_eq!(p.types().collect::<Vec<_>>(), [23, 0]);
    }

    #[test]
    fn lengths_and_counts_beyond_the_body_are_protocol_violations() {
        assert_eq!(code(b'B', b"\0\0\xff\xff"), "08P01");
        assert_eq!(code(b'B', b"\0\0\0\0\0\x01\x7f\xff\xff\xff"), "08P01");
        assert_eq!(code(b'B', b"\0\0\0\0\0\x01\xff\xff\xff\xfe\0\0"), "08P01");
        assert_eq!(code(b'P', b"\0x\0\xff\xff\0\0\0\0"), "08P01");
        assert_eq!(code(b'Q', b"no end"), "08P01");
        assert_eq!(code(b'Q', b"x\0y"), "08P01");
        assert_eq!(code(b'E', b"\0\0\0"), "08P01");
        assert_eq!(code(b'D', b"Zx\0"), "08P01");
        assert_eq!(code(b'D', b""), "08P01");
    }

    #[test]
    fn three_formats_for_two_parameters_are_refused() {
        let body = b"\0\0\0\x03\0\0\0\0\0\0\0\x02\xff\xff\xff\xff\xff\xff\xff\xff\0\0";
        assert_eq!(code(b'B', body), "08P01");
    }

    #[test]
    fn broken_utf8_and_formats_have_their_own_codes() {
        assert_eq!(code(b'Q', b"a\xff\0"), "22021");
        assert_eq!(code(b'B', b"\0\0\0\x01\0\x02\0\0\0\0"), "22023");
    }
}
