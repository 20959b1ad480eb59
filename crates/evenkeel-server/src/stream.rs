//! A client's socket, TCP or Unix.
//!
//! Reading and writing go through `&self`: whoever runs the session does both, while the timer and the shutdown may call
//! [`Stream::stop_reading`] or [`Stream::cut`] from theirs to wake it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::net::sockopt;

/// The socket of one connection.
#[derive(Debug)]
pub(crate) enum Stream {
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

impl Stream {
    /// One read(2) into `buf`, blocking; 0 at the end of the stream.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let r = match self {
                Stream::Tcp(s, _) => (&mut &*s).read(buf),
                Stream::Unix(s, _) => (&mut &*s).read(buf),
            };
            match r {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                r => return r,
            }
        }
    }

    /// One recv(2) that does not block: `WouldBlock` when nothing is there.
    pub fn read_now(&self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match rustix::net::recv(self.fd(), &mut *buf, rustix::net::RecvFlags::DONTWAIT) {
                Ok((n, _)) => return Ok(n),
                Err(rustix::io::Errno::INTR) => continue,
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// One send(2) that does not block: how many bytes went, perhaps none.
    pub fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
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

    /// Waits until there is room to write, or something is wrong, or `limit` has passed.
    pub fn wait_writable(&self, limit: Duration) -> io::Result<()> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let fd = self.fd();
        let timeout = Timespec { tv_sec: limit.as_secs() as _, tv_nsec: limit.subsec_nanos() as _ };
        match poll(&mut [PollFd::new(&fd, PollFlags::OUT)], Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// To wait for.
    pub fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Tcp(s, _) => s.as_fd(),
            Stream::Unix(s, _) => s.as_fd(),
        }
    }

    /// Writes everything, blocking.
    pub fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Tcp(s, _) => (&mut &*s).write_all(bytes),
            Stream::Unix(s, _) => (&mut &*s).write_all(bytes),
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
        let _ = match self {
            Stream::Tcp(s, _) => s.shutdown(how),
            Stream::Unix(s, _) => s.shutdown(how),
        };
    }

    /// Bounds how long one write may block.
    pub fn set_write_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Stream::Tcp(s, _) => s.set_write_timeout(limit),
            Stream::Unix(s, _) => s.set_write_timeout(limit),
        }
    }

    /// After the last write: takes what the client still sends, until it closes or `limit` passes between reads. Closing
    /// with unread bytes would reset the connection, and could take the last message away from the client.
    pub fn linger(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let closed = match self {
            Stream::Tcp(s, _) => s.shutdown(Shutdown::Write).and_then(|()| s.set_read_timeout(Some(limit))),
            Stream::Unix(s, _) => s.shutdown(Shutdown::Write).and_then(|()| s.set_read_timeout(Some(limit))),
        };
        let mut waste = [0; 4096];
        while closed.is_ok() && Instant::now() < deadline && matches!(self.read(&mut waste), Ok(1..)) {}
    }

    /// Turns Nagle's algorithm off and keepalive on.
    pub fn prepare(&self, k: &Keepalive) -> io::Result<()> {
        let Stream::Tcp(s, _) = self else { return Ok(()) };
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
        match self {
            Stream::Tcp(_, peer) => is_loopback(peer),
            Stream::Unix(..) => true,
        }
    }

    /// Whether the client is known to be the database's owner: he needs no password, and finds room.
    pub fn is_owner(&self) -> bool {
        matches!(self, Stream::Unix(_, true))
    }

    /// The peer's address, or None on a Unix socket.
    pub fn peer(&self) -> Option<SocketAddr> {
        match self {
            Stream::Tcp(_, peer) => Some(*peer),
            Stream::Unix(..) => None,
        }
    }
}

/// Loopback, also when an IPv4 address is mapped into IPv6.
pub(crate) fn is_loopback(address: &SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}
