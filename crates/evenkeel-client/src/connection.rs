//! One connection: startup, authentication, simple queries, and the raw messages for those who pace themselves.
//!
//! Invariants
//! 1. Memory for input is bounded, whatever lengths the server claims.
//! 2. Simple queries block; nothing else may be under way.
//!
//! It must not know what it is used for.

use std::io::{self, ErrorKind, Read as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::login::log_in;
use crate::stream::{Socket, Stream};
use crate::{ConnString, SslMode, tls};

const PROTOCOL_3_0: i32 = 196_608;
const SSL_REQUEST: i32 = 80_877_103;
/// Longest message taken (invariant 1).
const MESSAGE_BYTES_MAX: usize = 16 << 20;
/// Room for input; replies to one-row inserts are a few dozen bytes.
const INPUT_BYTES: usize = 4096;
/// A server that says nothing for so long, while connecting or preparing, is given up.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// An address that does not answer for so long is given up.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// What went wrong on a connection.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The network.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The server refused something.
    #[error("{message} (SQLSTATE {code})")]
    Server {
        /// SQLSTATE.
        code: String,
        /// In its words.
        message: String,
    },
    /// It spoke nonsense, or wants what we cannot do.
    #[error("{0}")]
    Protocol(String),
}

impl WireError {
    /// The server may take another way in, or what failed was the encryption itself.
    fn is_of_encryption(&self, encrypted: bool) -> bool {
        match self {
            WireError::Server { code, .. } => code.starts_with("28"),
            WireError::Protocol(_) => encrypted,
            WireError::Io(_) => encrypted,
        }
    }
}

/// A connection.
pub struct Connection {
    stream: Stream,
    input: Vec<u8>,
    /// Bytes of `input` that are taken.
    taken: usize,
    /// Bytes of `input` that have arrived.
    filled: usize,
}

/// A row of a simple query, as text.
pub type Row = Vec<Option<String>>;

/// To the first of the host's addresses that answers in time: one whose machine is gone would be waited for for minutes.
fn connect(host: &str, port: u16, limit: Duration) -> std::io::Result<TcpStream> {
    let mut last = None;
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, limit) {
            Ok(stream) => return Ok(stream),
            Err(e) => last = Some(e),
        }
    }
    Err(last.unwrap_or_else(|| std::io::ErrorKind::AddrNotAvailable.into()))
}

impl Connection {
    /// Connects and logs in. Blocks.
    pub fn open(to: &ConnString, application_name: &str) -> Result<Connection, WireError> {
        Connection::open_with(to, application_name, &[])
    }

    /// As `open`, for the commands of replication. Blocks.
    pub fn open_for_replication(to: &ConnString, application_name: &str) -> Result<Connection, WireError> {
        Connection::open_with(to, application_name, &[("replication", "true")])
    }

    /// As `sslmode` says: what may be tried is tried in turn.
    fn open_with(
        to: &ConnString,
        application_name: &str,
        more: &[(&str, &str)],
    ) -> Result<Connection, WireError> {
        let (first, then) = match to.ssl.mode {
            // Nobody sits between two programs of one machine.
            _ if to.host.starts_with('/') => (false, None),
            SslMode::Disable => (false, None),
            SslMode::Allow => (false, Some(true)),
            SslMode::Prefer => (true, Some(false)),
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => (true, None),
        };
        let failed = match Connection::open_once(to, application_name, more, first) {
            Ok(connection) => return Ok(connection),
            Err(e) => e,
        };
        match then {
            Some(encrypted) if failed.is_of_encryption(first) => {
                // Of two failures the first is the one that was to be avoided.
                Connection::open_once(to, application_name, more, encrypted).map_err(|_| failed)
            }
            _ => Err(failed),
        }
    }

    fn open_once(
        to: &ConnString,
        application_name: &str,
        more: &[(&str, &str)],
        encrypted: bool,
    ) -> Result<Connection, WireError> {
        let socket = if to.host.starts_with('/') {
            Socket::Unix(UnixStream::connect(format!("{}/.s.PGSQL.{}", to.host, to.port))?)
        } else {
            let place = to.hostaddr.as_deref().unwrap_or(&to.host);
            let stream = connect(place, to.port, to.connect_timeout.unwrap_or(CONNECT_MAX))?;
            stream.set_nodelay(true)?;
            Socket::Tcp(stream)
        };
        let stream = Stream::plain(socket);
        let mut connection = Connection { stream, input: vec![0; INPUT_BYTES], taken: 0, filled: 0 };
        connection.set_blocking(true)?;
        if let Some(limit) = to.connect_timeout {
            connection.set_silence_max(limit)?;
        }
        if encrypted {
            connection.encrypt(to)?;
        }
        let mut startup = Message::bare();
        startup.i32(PROTOCOL_3_0 + i32::from(*to.protocol_minor.end()));
        let parameters = [
            ("user", to.user.as_str()),
            ("database", to.database.as_str()),
            ("application_name", to.application_name.as_deref().unwrap_or(application_name)),
            ("client_encoding", "UTF8"),
        ];
        for (name, value) in parameters.iter().chain(more) {
            startup.text(name)?.text(value)?;
        }
        startup.byte(0);
        connection.write(&startup.end())?;
        log_in(&mut connection, to)?;
        connection.set_blocking(true)?;
        Ok(connection)
    }

    /// The handshake; without encryption if the server has none and the mode allows that.
    fn encrypt(&mut self, to: &ConnString) -> Result<(), WireError> {
        if !to.ssl.is_direct {
            let mut question = Message::bare();
            question.i32(SSL_REQUEST);
            self.write(&question.end())?;
            let mut answer = [0];
            match self.stream.socket.read(&mut answer).map_err(silent)? {
                0 => return Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
                _ => match answer[0] {
                    b'S' => {}
                    b'N' if to.ssl.mode <= SslMode::Prefer => return Ok(()),
                    b'N' => return Err(protocol("server does not support SSL, but SSL was required")),
                    // Its text could be anybody's: nothing has shown who sent it.
                    b'E' => return Err(protocol("server sent an error response during SSL exchange")),
                    other => {
                        let shown = char::from(other);
                        return Err(protocol(format!(
                            "received invalid response to SSL negotiation: {shown}"
                        )));
                    }
                },
            }
        }
        let handshake = tls::begin(&to.ssl, &to.host)?;
        self.stream.encrypt(handshake).map_err(|e| match e.downcast::<rustls::Error>() {
            Ok(e) => tls::tls_error(e),
            Err(e) => protocol(format!("SSL error: {}", silent(e))),
        })?;
        let tls = self.stream.tls.as_deref();
        if to.ssl.is_direct && tls.and_then(|tls| tls.alpn_protocol()).is_none() {
            return Err(protocol(
                "direct SSL connection was established without ALPN protocol negotiation extension",
            ));
        }
        Ok(())
    }

    /// Whether it is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.stream.tls.is_some()
    }

    /// The server's certificate, if it is encrypted.
    pub(crate) fn server_certificate(&self) -> Option<&[u8]> {
        self.stream.tls.as_deref()?.peer_certificates()?.first().map(|c| c.as_ref())
    }

    /// Runs statements and gives the rows of all of them. Blocks.
    pub fn query(&mut self, sql: &str) -> Result<Vec<Row>, WireError> {
        let mut message = Message::new(b'Q');
        message.text(sql)?;
        self.write(&message.end())?;
        self.until_ready()
    }

    /// Sends a statement that begins a COPY, and reads up to where its data begin: from here on messages are for the caller. Blocks.
    pub fn begin_copy(&mut self, sql: &str) -> Result<(), WireError> {
        let mut message = Message::new(b'Q');
        message.text(sql)?;
        self.write(&message.end())?;
        loop {
            match self.read()? {
                (b'W' | b'H' | b'G', _) => return Ok(()),
                (b'E', body) => {
                    let refused = server_error(&body);
                    let _ = self.until_ready();
                    return Err(refused);
                }
                (b'Z', _) => return Err(protocol("the server began no COPY")),
                _ => {}
            }
        }
    }

    /// Rows up to ReadyForQuery; the first error, if there was one. Blocks.
    pub fn until_ready(&mut self) -> Result<Vec<Row>, WireError> {
        let mut rows = Vec::new();
        let mut error = None;
        loop {
            match self.read()? {
                (b'D', body) => rows.push(row(&body).ok_or_else(nonsense)?),
                (b'E', body) => error = error.or(Some(server_error(&body))),
                (b'Z', _) => return error.map_or(Ok(rows), Err),
                _ => {}
            }
        }
    }

    /// The value in the first row's first column.
    pub fn value(&mut self, sql: &str) -> Result<Option<String>, WireError> {
        Ok(self.query(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    /// Whether calls wait; if so, not longer than [`SILENCE_MAX`].
    pub fn set_blocking(&self, blocking: bool) -> io::Result<()> {
        let timeout = Some(SILENCE_MAX);
        self.stream.set_nonblocking(!blocking).and_then(|()| self.stream.set_read_timeout(timeout))
    }

    /// How long a blocking read waits from now on, until `set_blocking` is called again. [`Connection::fill`] then says that it would wait.
    pub fn set_silence_max(&self, silence_max: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(silence_max))
    }

    /// Sends whole messages.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// One read from the socket: false if it would wait.
    pub fn fill(&mut self) -> io::Result<bool> {
        if self.taken == self.filled {
            (self.taken, self.filled) = (0, 0);
        } else if self.filled == self.input.len() {
            self.input.copy_within(self.taken..self.filled, 0);
            (self.taken, self.filled) = (0, self.filled - self.taken);
            if self.filled == self.input.len() {
                // Invariant 1: `message` refuses what is longer.
                self.input.resize((self.input.len() * 2).min(MESSAGE_BYTES_MAX + 5), 0);
            }
        }
        match self.stream.read(&mut self.input, self.filled) {
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection")),
            Ok(n) => {
                self.filled += n;
                Ok(true)
            }
            Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(e) if e.kind() == ErrorKind::Interrupted => Ok(true),
            Err(e) => Err(e),
        }
    }

    /// The next message that has arrived as a whole: its kind and body.
    pub fn message(&mut self) -> Result<Option<(u8, &[u8])>, WireError> {
        let arrived = &self.input[self.taken..self.filled];
        let Some((head, rest)) = arrived.split_at_checked(5) else { return Ok(None) };
        let len = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if !(4..=MESSAGE_BYTES_MAX).contains(&len) {
            return Err(nonsense());
        }
        if rest.len() < len - 4 {
            return Ok(None);
        }
        let from = self.taken + 5;
        self.taken += len + 1;
        Ok(Some((self.input[from - 5], &self.input[from..from + len - 4])))
    }

    pub(crate) fn read(&mut self) -> Result<(u8, Vec<u8>), WireError> {
        loop {
            if let Some((kind, body)) = self.message()? {
                return Ok((kind, body.to_vec()));
            }
            if !self.fill()? {
                return Err(protocol("the server said nothing for too long"));
            }
        }
    }
}

/// Says goodbye, so that the server ends the session at once.
impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.write(&Message::new(b'X').end());
        self.stream.say_goodbye();
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

pub(crate) fn protocol(message: impl Into<String>) -> WireError {
    WireError::Protocol(message.into())
}

pub(crate) fn nonsense() -> WireError {
    protocol("the server sent what is not PostgreSQL's protocol")
}

/// In place of the system's words for it.
fn silent(e: io::Error) -> io::Error {
    match e.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            io::Error::new(ErrorKind::TimedOut, "the server said nothing for too long")
        }
        _ => e,
    }
}

/// The error that an ErrorResponse tells.
pub fn server_error(body: &[u8]) -> WireError {
    let field = |name: u8| {
        let fields = body.split(|b| *b == 0);
        let mut found = fields.filter_map(|f| f.split_first()).filter(|(n, _)| **n == name);
        found.next().map(|(_, text)| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
    };
    WireError::Server { code: field(b'C'), message: field(b'M') }
}

fn row(body: &[u8]) -> Option<Row> {
    let (count, mut rest) = body.split_at_checked(2)?;
    let mut values = Vec::new();
    for _ in 0..u16::from_be_bytes([count[0], count[1]]) {
        let (len, after) = rest.split_at_checked(4)?;
        let len = i32::from_be_bytes([len[0], len[1], len[2], len[3]]);
        if len < 0 {
            values.push(None);
            rest = after;
            continue;
        }
        let (value, after) = after.split_at_checked(len as usize)?;
        values.push(Some(String::from_utf8_lossy(value).into_owned()));
        rest = after;
    }
    Some(values)
}

/// A message under construction.
pub struct Message {
    bytes: Vec<u8>,
    /// Where its length goes.
    len_at: usize,
}

impl Message {
    /// With a kind.
    pub fn new(kind: u8) -> Message {
        Message { bytes: vec![kind, 0, 0, 0, 0], len_at: 1 }
    }

    /// Without: the very first one.
    fn bare() -> Message {
        Message { bytes: vec![0; 4], len_at: 0 }
    }

    /// One byte.
    pub fn byte(&mut self, b: u8) -> &mut Message {
        self.bytes.push(b);
        self
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, b: &[u8]) -> &mut Message {
        self.bytes.extend_from_slice(b);
        self
    }

    /// A number.
    pub fn i16(&mut self, n: i16) -> &mut Message {
        self.bytes(&n.to_be_bytes())
    }

    /// A number.
    pub fn i32(&mut self, n: i32) -> &mut Message {
        self.bytes(&n.to_be_bytes())
    }

    /// Text with its end.
    pub fn text(&mut self, text: &str) -> Result<&mut Message, WireError> {
        if text.contains('\0') {
            return Err(protocol("text with a zero byte"));
        }
        Ok(self.bytes(text.as_bytes()).byte(0))
    }

    /// Bytes so far: where the next part begins.
    pub fn position(&self) -> usize {
        self.bytes.len()
    }

    /// Fills the length in.
    pub fn end(mut self) -> Vec<u8> {
        let len = (self.bytes.len() - self.len_at) as u32;
        self.bytes[self.len_at..self.len_at + 4].copy_from_slice(&len.to_be_bytes());
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn fed(chunks: &[&[u8]]) -> Result<Vec<(u8, Vec<u8>)>, WireError> {
        let (mine, mut theirs) = UnixStream::pair().unwrap();
        let mut c = Connection {
            stream: Stream::plain(Socket::Unix(mine)),
            input: vec![0; INPUT_BYTES],
            taken: 0,
            filled: 0,
        };
        let mut seen = Vec::new();
        for chunk in chunks {
            theirs.write_all(chunk).unwrap();
            c.set_blocking(false).unwrap();
            while c.fill()? {
                while let Some((kind, body)) = c.message()? {
                    seen.push((kind, body.to_vec()));
                }
            }
        }
        Ok(seen)
    }

    #[test]
    fn messages_come_whole_however_they_are_cut() {
        let all = b"Z\0\0\0\x05IC\0\0\0\x08abcdZ\0\0\0\x05T";
        let expected = [(b'Z', b"I".to_vec()), (b'C', b"abcd".to_vec()), (b'Z', b"T".to_vec())];
        for cut in 0..=all.len() {
            assert_eq!(fed(&[&all[..cut], &all[cut..]]).unwrap(), expected, "cut at {cut}");
        }
        let mut long = b"D\0\0\x27\x14".to_vec();
        long.resize(10_005, 7);
        assert_eq!(fed(&[b"Z\0\0\0\x05I", &long]).unwrap()[1].1.len(), 10_000);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        for bad in [b"Z\0\0\0\x03", b"Z\xff\xff\xff\xff"] {
            assert!(matches!(fed(&[bad]), Err(WireError::Protocol(_))));
        }
    }

    #[test]
    fn errors_and_rows_are_read() {
        let e = server_error(b"SERROR\0C42P01\0Mno table\0\0").to_string();
        assert_eq!(e, "no table (SQLSTATE 42P01)");
        assert_eq!(row(b"\0\x02\0\0\0\x01a\xff\xff\xff\xff"), Some(vec![Some("a".into()), None]));
        assert_eq!(row(b"\0\x02\0\0\0\x09a"), None);
    }
}
