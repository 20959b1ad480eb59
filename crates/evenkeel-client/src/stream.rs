//! The client's socket: TCP or Unix, plain or encrypted.
//!
//! Invariants
//! 1. What an encrypted stream has received and decrypted is handed on at once: whoever waits for news of the socket misses nothing.
//!
//! It must not know messages.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustls::ClientConnection;

/// What is connected.
pub(crate) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A socket, and its encryption.
pub(crate) struct Stream {
    pub socket: Socket,
    pub tls: Option<Box<ClientConnection>>,
}

impl Read for Socket {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.read(buf),
            Socket::Unix(s) => s.read(buf),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.write(buf),
            Socket::Unix(s) => s.write(buf),
        }
    }

    fn write_vectored(&mut self, bufs: &[io::IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.write_vectored(bufs),
            Socket::Unix(s) => s.write_vectored(bufs),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream {
    /// Not encrypted.
    pub fn plain(socket: Socket) -> Stream {
        Stream { socket, tls: None }
    }

    /// Encrypts from here on. Blocks.
    pub fn encrypt(&mut self, mut tls: ClientConnection) -> io::Result<()> {
        while tls.is_handshaking() {
            tls.complete_io(&mut self.socket)?;
        }
        while tls.wants_write() {
            tls.write_tls(&mut self.socket)?;
        }
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    pub fn set_nonblocking(&self, yes: bool) -> io::Result<()> {
        match &self.socket {
            Socket::Tcp(s) => s.set_nonblocking(yes),
            Socket::Unix(s) => s.set_nonblocking(yes),
        }
    }

    pub fn set_read_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        match &self.socket {
            Socket::Tcp(s) => s.set_read_timeout(limit),
            Socket::Unix(s) => s.set_read_timeout(limit),
        }
    }

    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(tls) = &mut self.tls else { return self.socket.write_all(bytes) };
        tls.writer().write_all(bytes)?;
        while tls.wants_write() {
            tls.write_tls(&mut self.socket)?;
        }
        Ok(())
    }

    /// One read into `input` from `filled` on, which grows if more than fits has come at once (1). How many bytes; 0 at the end.
    pub fn read(&mut self, input: &mut Vec<u8>, filled: usize) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return self.socket.read(&mut input[filled..]) };
        loop {
            let ended = tls.read_tls(&mut self.socket)? == 0;
            let state = tls.process_new_packets().map_err(|e| io::Error::new(ErrorKind::InvalidData, e));
            while tls.wants_write() && tls.write_tls(&mut self.socket).is_ok_and(|n| n > 0) {}
            let n = state?.plaintext_bytes_to_read();
            if n > 0 {
                if input.len() < filled + n {
                    input.resize(filled + n, 0);
                }
                tls.reader().read_exact(&mut input[filled..filled + n])?;
            }
            if n > 0 || ended {
                return Ok(n);
            }
        }
    }

    /// Tells the server that nothing follows.
    pub fn say_goodbye(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            while tls.wants_write() && tls.write_tls(&mut self.socket).is_ok_and(|n| n > 0) {}
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Tcp(s) => s.as_fd(),
            Socket::Unix(s) => s.as_fd(),
        }
    }
}
