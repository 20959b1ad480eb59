//! A client's socket, TCP or Unix, plain or encrypted.
//!
//! Reading and writing go through `&self`: whoever runs the session does both, while the timer and the shutdown may call
//! [`Stream::stop_reading`] or [`Stream::cut`] from theirs to wake it.
//!
//! Whether a stream is encrypted is settled before its session starts, once (`secure.rs`). An encrypted one that is read without blocking gives all that has arrived, as a plain one does:
//! nothing stays behind that no news from the socket would tell of.

mod secure;

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::net::sockopt;
use rustls::ServerConfig;

use secure::Secure;
pub(crate) use secure::{HandshakeError, TlsFacts};

/// The socket of one connection, and its encryption.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: Socket,
    secure: OnceLock<Box<Secure>>,
}

/// What is connected.
#[derive(Debug)]
enum Socket {
    /// Over TCP, with the peer's address.
    Tcp(TcpStream, SocketAddr),
    /// Over a Unix-domain socket; true: over the one in the database's folder, by the folder's owner.
    Unix(UnixStream, bool),
}

/// Keepalive settings of TCP connections; 0 leaves the system's default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keepalive {
    pub idle_s: u64,
    pub interval_s: u64,
    pub count: u32,
    pub user_timeout_ms: u32,
}

/// A client that takes nothing for so long while its session starts is given up.
const WRITE_MAX: Duration = Duration::from_secs(60);

impl Stream {
    /// Over TCP, with the peer's address.
    pub fn tcp(stream: TcpStream, peer: SocketAddr) -> Stream {
        Stream { socket: Socket::Tcp(stream, peer), secure: OnceLock::new() }
    }

    /// Over a Unix-domain socket; `owner`: over the one in the database's folder, by the folder's owner.
    pub fn unix(stream: UnixStream, owner: bool) -> Stream {
        Stream { socket: Socket::Unix(stream, owner), secure: OnceLock::new() }
    }

    /// Encrypts it from here on: answers the client's hello, of which `early` has arrived already. Blocks, until it is to stop.
    pub fn handshake(
        &self,
        config: Arc<ServerConfig>,
        early: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<&TlsFacts, HandshakeError> {
        let secure = Secure::accept(self, config, early, is_stopped)?;
        Ok(self.secure.get_or_init(|| Box::new(secure)).facts())
    }

    /// What was agreed on, if it is encrypted.
    pub fn tls(&self) -> Option<&TlsFacts> {
        self.secure.get().map(|s| s.facts())
    }

    /// Reads into `buf` what is there, blocking until there is something; 0 at the end of the stream.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        if self.secure.get().is_some() {
            loop {
                match self.read_now(buf) {
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.wait_readable(None)?,
                    read => return read,
                }
            }
        }
        self.read_raw(buf)
    }

    /// One read(2), blocking.
    fn read_raw(&self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let r = match &self.socket {
                Socket::Tcp(s, _) => (&mut &*s).read(buf),
                Socket::Unix(s, _) => (&mut &*s).read(buf),
            };
            match r {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                r => return r,
            }
        }
    }

    /// Reads what is there, and does not block: `WouldBlock` when that is nothing.
    pub fn read_now(&self, buf: &mut [u8]) -> io::Result<usize> {
        match self.secure.get() {
            None => self.recv(buf),
            Some(secure) => secure.read(self, buf),
        }
    }

    /// One recv(2) that does not block.
    fn recv(&self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match rustix::net::recv(self.fd(), &mut *buf, rustix::net::RecvFlags::DONTWAIT) {
                Ok((n, _)) => return Ok(n),
                Err(rustix::io::Errno::INTR) => continue,
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// How many of these bytes were taken, perhaps none; it does not block. All of them are on their way only once [`Stream::flush_now`] says so.
    pub fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.secure.get() {
            None => self.send(bytes),
            Some(secure) => secure.write(self, bytes),
        }
    }

    /// Whether nothing that was taken waits here for room; it does not block.
    pub fn flush_now(&self) -> io::Result<bool> {
        self.secure.get().map_or(Ok(true), |secure| secure.flush(self))
    }

    /// One send(2) that does not block.
    fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        use rustix::net::SendFlags;
        loop {
            match rustix::net::send(self.fd(), bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(n) => return Ok(n),
                Err(rustix::io::Errno::INTR) => continue,
                Err(rustix::io::Errno::AGAIN) => return Ok(0),
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Waits until there is something to read, or something is wrong, or `limit` has passed.
    fn wait_readable(&self, limit: Option<Duration>) -> io::Result<()> {
        self.wait_for(rustix::event::PollFlags::IN, limit)
    }

    /// Waits until there is room to write, or something is wrong, or `limit` has passed.
    pub fn wait_writable(&self, limit: Duration) -> io::Result<()> {
        self.wait_for(rustix::event::PollFlags::OUT, Some(limit))
    }

    fn wait_for(&self, what: rustix::event::PollFlags, limit: Option<Duration>) -> io::Result<()> {
        use rustix::event::{PollFd, Timespec, poll};
        let fd = self.fd();
        let timeout = limit.map(|l| Timespec { tv_sec: l.as_secs() as _, tv_nsec: l.subsec_nanos() as _ });
        match poll(&mut [PollFd::new(&fd, what)], timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// To wait for.
    pub fn fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Tcp(s, _) => s.as_fd(),
            Socket::Unix(s, _) => s.as_fd(),
        }
    }

    /// Writes everything, blocking; an encrypted stream for [`WRITE_MAX`] at most.
    pub fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        if self.secure.get().is_some() {
            return self.write_within(bytes, WRITE_MAX);
        }
        match &self.socket {
            Socket::Tcp(s, _) => (&mut &*s).write_all(bytes),
            Socket::Unix(s, _) => (&mut &*s).write_all(bytes),
        }
    }

    /// Writes everything, blocking for so long at most.
    pub fn write_within(&self, bytes: &[u8], limit: Duration) -> io::Result<()> {
        let deadline = Instant::now() + limit;
        let mut sent = 0;
        loop {
            sent += self.write_now(&bytes[sent..])?;
            if sent == bytes.len() && self.flush_now()? {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.wait_writable(left)?;
        }
    }

    /// Tells the other side that nothing follows, if it is encrypted and takes that at once.
    pub fn say_goodbye(&self) {
        if let Some(secure) = self.secure.get() {
            secure.close(self);
        }
    }

    /// Wakes a blocked read, which then finds the end of the stream; writing stays possible.
    pub fn stop_reading(&self) {
        self.shutdown(Shutdown::Read);
    }

    /// Wakes a blocked read or write; both fail from now on.
    pub fn cut(&self) {
        self.shutdown(Shutdown::Both);
    }

    fn shutdown(&self, how: Shutdown) {
        // It fails only when the peer is gone already, which serves as well.
        let _ = match &self.socket {
            Socket::Tcp(s, _) => s.shutdown(how),
            Socket::Unix(s, _) => s.shutdown(how),
        };
    }

    /// After the last write: takes what the client still sends, until it closes or `limit` passes between reads. Closing
    /// with unread bytes would reset the connection, and could take the last message away from the client.
    pub fn linger(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        self.say_goodbye();
        let closed = match &self.socket {
            Socket::Tcp(s, _) => s.shutdown(Shutdown::Write).and_then(|()| s.set_read_timeout(Some(limit))),
            Socket::Unix(s, _) => s.shutdown(Shutdown::Write).and_then(|()| s.set_read_timeout(Some(limit))),
        };
        let mut waste = [0; 4096];
        while closed.is_ok() && Instant::now() < deadline && matches!(self.read_raw(&mut waste), Ok(1..)) {}
    }

    /// Turns Nagle's algorithm off and keepalive on.
    pub fn prepare(&self, k: &Keepalive) -> io::Result<()> {
        let Socket::Tcp(s, _) = &self.socket else { return Ok(()) };
        s.set_nodelay(true)?;
        let fd = s.as_fd();
        sockopt::set_socket_keepalive(fd, true)?;
        if k.idle_s > 0 {
            sockopt::set_tcp_keepidle(fd, Duration::from_secs(k.idle_s))?;
        }
        if k.interval_s > 0 {
            sockopt::set_tcp_keepintvl(fd, Duration::from_secs(k.interval_s))?;
        }
        if k.count > 0 {
            sockopt::set_tcp_keepcnt(fd, k.count)?;
        }
        if k.user_timeout_ms > 0 {
            sockopt::set_tcp_user_timeout(fd, k.user_timeout_ms)?;
        }
        Ok(())
    }

    /// Whether the client is on this machine: only then may it be trusted without a password.
    pub fn is_local(&self) -> bool {
        match &self.socket {
            Socket::Tcp(_, peer) => is_loopback(peer),
            Socket::Unix(..) => true,
        }
    }

    /// Whether the client is known to be the database's owner: he needs no password, and finds room.
    pub fn is_owner(&self) -> bool {
        matches!(self.socket, Socket::Unix(_, true))
    }

    /// The user at the other end of a Unix socket.
    pub fn peer_uid(&self) -> io::Result<u32> {
        match &self.socket {
            Socket::Unix(s, _) => Ok(sockopt::socket_peercred(s)?.uid.as_raw()),
            Socket::Tcp(..) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// The address that the peer called, or None on a Unix socket.
    pub fn local(&self) -> Option<SocketAddr> {
        match &self.socket {
            Socket::Tcp(s, _) => s.local_addr().ok(),
            Socket::Unix(..) => None,
        }
    }

    /// The peer's address, or None on a Unix socket.
    pub fn peer(&self) -> Option<SocketAddr> {
        match &self.socket {
            Socket::Tcp(_, peer) => Some(*peer),
            Socket::Unix(..) => None,
        }
    }
}

/// Loopback, also when an IPv4 address is mapped into IPv6.
pub(crate) fn is_loopback(address: &SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}
