//! Encryption of one stream: TLS by rustls, the server's side.
//!
//! Invariants
//! 1. Nothing here waits for the socket but the handshake: a lock is held only while bytes are encrypted, decrypted, or given to the system, which takes them or does not.
//! 2. What has been taken to be sent and is not sent yet is bounded ([`SEND_BYTES_MAX`]).
//! 3. Reading goes on until the caller's room is filled, or the socket is empty: no plain byte stays behind here while the session waits for news from the socket.
//! 4. Who sends much that carries nothing is cut off ([`IDLE_READS_MAX`]): a thread serves others, too.
//!
//! It must not know certificates' meaning, nor the protocol within.

use std::io::{self, IoSlice, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use evenkeel_client::certificate::Certificate;
use parking_lot::Mutex;
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use rustls::{ProtocolVersion, ServerConfig, ServerConnection};

use super::Stream;

/// Encrypted bytes that wait here for room in the socket (2).
const SEND_BYTES_MAX: usize = 64 << 10;
/// So many reads in a row may bring nothing for the session: changes of keys, say (4).
const IDLE_READS_MAX: u32 = 64;
/// How often a handshake whose client does not read looks whether it is to stop.
const STOP_POLL: Duration = Duration::from_millis(50);

/// What a handshake agreed on, and who the client has shown to be.
#[derive(Clone, Debug)]
pub(crate) struct TlsFacts {
    /// `TLSv1.2` or `TLSv1.3`.
    pub version: &'static str,
    /// In OpenSSL's words.
    pub cipher: String,
    /// Of its key.
    pub bits: i32,
    /// The client asked for PostgreSQL's protocol by ALPN.
    pub has_alpn: bool,
    /// Its certificate, which was verified.
    pub client: Option<Arc<Certificate>>,
}

/// Why a stream was not encrypted. The client has been told, as far as it could be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandshakeError {
    /// The socket, or the client left.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What it sent, or who it is.
    #[error("{0}")]
    Tls(#[from] rustls::Error),
    /// Its certificate cannot be understood.
    #[error("{0}")]
    Certificate(String),
    /// It is to end.
    #[error("it is to end")]
    Stopped,
}

/// The encryption of one stream.
pub(super) struct Secure {
    connection: Mutex<ServerConnection>,
    facts: TlsFacts,
}

impl std::fmt::Debug for Secure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secure").field("version", &self.facts.version).finish_non_exhaustive()
    }
}

/// A socket as rustls sees it: it never blocks.
struct Raw<'a> {
    stream: &'a Stream,
    /// The last read took less than there was room for.
    drained: bool,
}

impl Read for Raw<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.recv(buf)?;
        self.drained = n < buf.len();
        Ok(n)
    }
}

impl Write for Raw<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(buf)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        loop {
            match sendmsg(self.stream.fd(), slices, &mut SendAncillaryBuffer::default(), flags) {
                Ok(n) => return Ok(n),
                Err(rustix::io::Errno::INTR) => continue,
                Err(e) => return Err(e.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Secure {
    /// The handshake. `early` has arrived already; none of it is taken for anything but TLS.
    pub fn accept(
        stream: &Stream,
        config: Arc<ServerConfig>,
        mut early: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Secure, HandshakeError> {
        let mut c = ServerConnection::new(config)?;
        c.set_buffer_limit(Some(SEND_BYTES_MAX));
        loop {
            while !flush(&mut c, stream)? {
                if is_stopped() {
                    return Err(HandshakeError::Stopped);
                }
                stream.wait_writable(STOP_POLL)?;
            }
            if !c.is_handshaking() && early.is_empty() {
                break;
            }
            let mut raw = Raw { stream, drained: false };
            let read = if early.is_empty() { c.read_tls(&mut raw) } else { c.read_tls(&mut early) };
            let n = match read {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    stream.wait_readable(None)?;
                    continue;
                }
                read => read?,
            };
            if is_stopped() {
                return Err(HandshakeError::Stopped);
            }
            if n == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            if let Err(e) = c.process_new_packets() {
                // What it says of the failure; whether the client takes that is its own affair.
                let _ = flush(&mut c, stream);
                return Err(e.into());
            }
        }
        let client = c.peer_certificates().and_then(|all| all.first());
        let client = client.map(|der| Certificate::parse(der)).transpose();
        let client = client.map_err(|e| HandshakeError::Certificate(e.to_string()))?;
        let facts = TlsFacts {
            version: match c.protocol_version() {
                Some(ProtocolVersion::TLSv1_3) => "TLSv1.3",
                _ => "TLSv1.2",
            },
            cipher: cipher_name(&c),
            bits: cipher_bits(&c),
            has_alpn: c.alpn_protocol().is_some(),
            client: client.map(Arc::new),
        };
        Ok(Secure { connection: Mutex::new(c), facts })
    }

    pub fn facts(&self) -> &TlsFacts {
        &self.facts
    }

    /// Fills `buf` with what has arrived; `WouldBlock` when that is nothing (3).
    pub fn read(&self, stream: &Stream, buf: &mut [u8]) -> io::Result<usize> {
        let mut c = self.connection.lock();
        let mut got = 0;
        let mut drained = false;
        let mut idle_reads = 0;
        loop {
            match c.reader().read(&mut buf[got..]) {
                // The end, as the client said it.
                Ok(0) => return Ok(got),
                Ok(n) => {
                    got += n;
                    idle_reads = 0;
                    if got == buf.len() {
                        return Ok(got);
                    }
                    continue;
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                // The end, unsaid. PostgreSQL's clients do that, and its messages have lengths: nothing can be cut off unnoticed.
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(got),
                Err(e) => return Err(e),
            }
            let empty = if got > 0 { Ok(got) } else { Err(io::ErrorKind::WouldBlock.into()) };
            if drained {
                return empty;
            }
            idle_reads += 1;
            if idle_reads > IDLE_READS_MAX {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "much was received that carries nothing",
                ));
            }
            let mut raw = Raw { stream, drained: false };
            match c.read_tls(&mut raw) {
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return empty,
                Err(e) => return Err(e),
            }
            drained = raw.drained;
            let processed = c.process_new_packets();
            // An alert, or what a change of keys asks for. What finds no room now goes with the next that is written.
            let flushed = flush(&mut c, stream);
            processed.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
            flushed?;
        }
    }

    /// Encrypts and sends, until there is no room; how many plain bytes were taken.
    pub fn write(&self, stream: &Stream, bytes: &[u8]) -> io::Result<usize> {
        let mut c = self.connection.lock();
        let mut taken = 0;
        while flush(&mut c, stream)? && taken < bytes.len() {
            taken += c.writer().write(&bytes[taken..])?;
        }
        Ok(taken)
    }

    /// Whether everything that was taken is sent.
    pub fn flush(&self, stream: &Stream) -> io::Result<bool> {
        flush(&mut self.connection.lock(), stream)
    }

    /// Says the end.
    pub fn close(&self, stream: &Stream) {
        let mut c = self.connection.lock();
        c.send_close_notify();
        // Who is gone, or does not read, does without.
        let _ = flush(&mut c, stream);
    }
}

/// Sends what is encrypted; false where the socket has no room for all of it.
fn flush(c: &mut ServerConnection, stream: &Stream) -> io::Result<bool> {
    while c.wants_write() {
        match c.write_tls(&mut Raw { stream, drained: false }) {
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(e) => return Err(e),
        }
    }
    Ok(true)
}

/// OpenSSL's name of the cipher: `TLS_AES_256_GCM_SHA384`, `ECDHE-RSA-AES256-GCM-SHA384`.
fn cipher_name(c: &ServerConnection) -> String {
    let name = c.negotiated_cipher_suite().and_then(|s| s.suite().as_str()).unwrap_or_default();
    match name.strip_prefix("TLS13_") {
        Some(rest) => format!("TLS_{rest}"),
        None => {
            let parts = name.trim_start_matches("TLS_").replace("_WITH_", "_").replace("AES_", "AES");
            parts.replace("CHACHA20_POLY1305_SHA256", "CHACHA20_POLY1305").replace('_', "-")
        }
    }
}

fn cipher_bits(c: &ServerConnection) -> i32 {
    let name = c.negotiated_cipher_suite().and_then(|s| s.suite().as_str()).unwrap_or_default();
    if name.contains("AES_128") { 128 } else { 256 }
}
