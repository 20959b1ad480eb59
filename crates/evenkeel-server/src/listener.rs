//! Where clients come in: TCP addresses and Unix sockets.
//!
//! Duty: bind what the settings name, refuse what would let strangers in unasked, and accept.
//!
//! Invariants:
//! * L1: a listener that is not loopback exists only where passwords are configured, or rules say who may come in.
//! * L2: a socket may lie where others can make files too. No symbolic link of theirs is followed; a lock file is written only if it is a regular file of our
//!   own under one name, and what is replaced is a socket.
//!
//! A Unix socket `.s.PGSQL.<port>` has a lock file beside it, `.s.PGSQL.<port>.lock`, which its server keeps locked
//! (flock) as long as it runs. A socket whose lock file nobody holds, and which nobody answers on, is a leftover and is
//! replaced.
//!
//! In the database's folder lies one more, always, for programs that find a running server by the folder: `evenkeel backup`, `evenkeel mark`. It lets the
//! folder's owner in without a password, and nobody else.
//!
//! It must not know what happens on connections.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::net::{Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use tracing::warn;

use crate::settings::{Id, ServerSettings};
use crate::stream::{Stream, is_loopback};

/// Connections that wait to be accepted, at most.
const BACKLOG_MAX: u64 = 10_000;

/// Stands for the port in the name of the socket in the database's folder: `psql -h FOLDER -p 1` connects to it.
pub const OWNER_PORT: u16 = 1;

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address in `listen_addresses` or `metrics_listen` means nothing.
    #[error("could not translate \"{address}\" to an address: {source}")]
    BadAddress {
        /// As configured.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Anyone could log in from elsewhere.
    #[error(
        "will not listen on {0}: it is not a loopback address, and no passwords are configured; \
         add users to the configuration file (see evenkeel passwd --help), or rules in pg_hba.conf"
    )]
    NoPasswords(SocketAddr),
    /// An address could not be bound.
    #[error("could not listen on {what}: {source}")]
    Bind {
        /// Address or path.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// Another server uses the Unix socket.
    #[error("another server is using the Unix socket {}; choose another port or unix_socket_directories", .0.display())]
    SocketInUse(PathBuf),
    /// Only those would come in whom connections are kept for.
    #[error(
        "superuser_reserved_connections ({superusers}) plus reserved_connections ({others}) must be less than max_connections ({max})"
    )]
    Reserved {
        /// Kept for superusers,
        superusers: u64,
        /// and for others,
        others: u64,
        /// of so many.
        max: u64,
    },
    /// Spans cannot be sent.
    #[error("{0}")]
    Spans(String),
    /// What is seen would be read on its way.
    #[error(
        "will not show metrics on {0}: it is not a loopback address, and ssl is off; \
         turn ssl on (evenkeel tls create makes what it needs), or show them on 127.0.0.1"
    )]
    MetricsInTheOpen(SocketAddr),
    /// There is nothing to listen on.
    #[error("no way in: listen_addresses and unix_socket_directories are both empty")]
    NoListeners,
    /// Certificate or key are no good.
    #[error("{0}")]
    Tls(#[from] crate::tls::TlsError),
    /// The rules of who may come in are no good.
    #[error(transparent)]
    Rules(#[from] crate::hba::BadRules),
    /// A thread or the random generator was refused.
    #[error("could not start the server: {0}")]
    System(#[from] io::Error),
}

/// One way in.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, SocketFile),
    /// In the database's folder.
    Owner(UnixListener, SocketFile),
}

impl Listener {
    /// Takes a waiting connection; `WouldBlock` when there is none.
    pub fn accept(&self) -> io::Result<Stream> {
        match self {
            Listener::Tcp(l) => {
                let (s, peer) = l.accept()?;
                s.set_nonblocking(false)?;
                Ok(Stream::tcp(s, peer))
            }
            Listener::Unix(l, _) => {
                let (s, _) = l.accept()?;
                s.set_nonblocking(false)?;
                Ok(Stream::unix(s, false))
            }
            Listener::Owner(l, _) => {
                let (s, _) = l.accept()?;
                // The socket's mode says the same; but folders are copied and modes changed.
                let peer = rustix::net::sockopt::socket_peercred(&s)?.uid;
                if !peer.is_root() && peer != rustix::process::geteuid() {
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                s.set_nonblocking(false)?;
                Ok(Stream::unix(s, true))
            }
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Tcp(l) => l.as_fd(),
            Listener::Unix(l, _) | Listener::Owner(l, _) => l.as_fd(),
        }
    }
}

/// A Unix socket's file and its lock, both removed when dropped.
#[derive(Debug)]
pub(crate) struct SocketFile {
    pub path: PathBuf,
    lock_path: PathBuf,
    _lock: File,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // In this order: whoever gets the lock finds no socket.
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(&self.lock_path);
    }
}

/// Binds everything that the settings name. A port of 0 becomes one port for all.
pub(crate) fn bind_all(settings: &ServerSettings, guarded: bool) -> Result<Vec<Listener>, StartError> {
    let mut port = settings.number(Id::Port) as u16;
    // Twice as many as there may be sessions, as in PostgreSQL: when all of them come again at once nobody's packet is dropped.
    let backlog = (2 * settings.number(Id::MaxConnections)).clamp(128, BACKLOG_MAX) as i32;
    let mut listeners = Vec::new();
    for text in settings.list(Id::ListenAddresses) {
        let mut of_name = None;
        let mut not_here = None;
        for mut address in resolve(&text, port)? {
            if !is_loopback(&address) && !guarded {
                return Err(StartError::NoPasswords(address)); // L1
            }
            // One port for all addresses of a name; `1.2.3.4:0` has one of its own.
            if let (0, Some(first)) = (address.port(), of_name) {
                address.set_port(first);
            }
            let bind_error = |source| StartError::Bind { what: address.to_string(), source };
            let listener = match bind_tcp(address, backlog) {
                Ok(listener) => listener,
                // Containers have names for addresses that they do not have: one of a name's is enough.
                Err(e) if is_not_here(&e) => {
                    not_here = Some(bind_error(e));
                    continue;
                }
                Err(e) => return Err(bind_error(e)),
            };
            let bound = listener.local_addr().map_err(bind_error)?.port();
            if port == 0 {
                port = bound;
            }
            of_name = of_name.or(Some(bound));
            listeners.push(Listener::Tcp(listener));
        }
        match not_here {
            Some(e) if of_name.is_none() => return Err(e),
            Some(e) => warn!("{e}: \"{text}\" is listened on without it"),
            None => {}
        }
    }
    let mode = settings.number(Id::UnixSocketPermissions) as u32;
    for directory in settings.list(Id::UnixSocketDirectories) {
        let (listener, file) = bind_unix(Path::new(&directory), port, mode)?;
        listeners.push(Listener::Unix(listener, file));
    }
    if listeners.is_empty() { Err(StartError::NoListeners) } else { Ok(listeners) }
}

/// Binds one address; of the IPv6 ones that alone, so that `0.0.0.0` and `::` can both be.
fn bind_tcp(address: SocketAddr, backlog: i32) -> io::Result<TcpListener> {
    let family = if address.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    if address.is_ipv6() {
        sockopt::set_ipv6_v6only(&socket, true)?;
    }
    net::bind(&socket, &address)?;
    net::listen(&socket, backlog)?;
    Ok(socket.into())
}

/// Whether the machine does not have such an address.
fn is_not_here(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::AddrNotAvailable || e.raw_os_error() == Some(Errno::AFNOSUPPORT.raw_os_error())
}

/// The first address of `host:port`.
pub(crate) fn resolve_one(text: &str) -> Result<SocketAddr, StartError> {
    let bad = |source| StartError::BadAddress { address: text.to_string(), source };
    if text.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
        return Err(bad(io::Error::other("expected an address and a port, such as 127.0.0.1:9187")));
    }
    let first = resolve(text, 0)?.into_iter().next();
    first.ok_or_else(|| bad(io::Error::other("it has no address")))
}

/// Whether a text names an address and a port, as `metrics_listen` does.
pub fn check_address(text: &str) -> Result<(), StartError> {
    resolve_one(text.trim()).map(drop)
}

/// `host`, `host:port`, `1.2.3.4:port`, `[::1]:port` or `*`.
fn resolve(text: &str, port: u16) -> Result<Vec<SocketAddr>, StartError> {
    let bad = |source| StartError::BadAddress { address: text.to_string(), source };
    if text == "*" {
        return Ok(vec![
            SocketAddr::from(([0, 0, 0, 0], port)),
            SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)),
        ]);
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(vec![address]);
    }
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = bare.parse::<std::net::IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let found: Vec<SocketAddr> = match text.rsplit_once(':') {
        Some((host, own_port)) => {
            let own_port = own_port.parse().map_err(|_| bad(io::Error::other("the port is not a number")))?;
            (host, own_port).to_socket_addrs().map_err(bad)?.collect()
        }
        None => (text, port).to_socket_addrs().map_err(bad)?.collect(),
    };
    if found.is_empty() { Err(bad(io::Error::other("it has no address"))) } else { Ok(found) }
}

/// The socket in the database's folder.
pub(crate) fn bind_owner(folder: &Path) -> Result<Listener, StartError> {
    let bind_error = |source| StartError::Bind { what: folder.display().to_string(), source };
    // By its descriptor: addresses of sockets are short, paths of folders need not be.
    let open = File::open(folder).map_err(bind_error)?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", open.as_fd().as_raw_fd()));
    let (listener, mut file) = bind_unix(&short, OWNER_PORT, 0o600)?;
    for path in [&mut file.path, &mut file.lock_path] {
        if let Some(name) = path.file_name() {
            *path = folder.join(name);
        }
    }
    Ok(Listener::Owner(listener, file))
}

fn bind_unix(directory: &Path, port: u16, mode: u32) -> Result<(UnixListener, SocketFile), StartError> {
    let path = directory.join(format!(".s.PGSQL.{port}"));
    let lock_path = directory.join(format!(".s.PGSQL.{port}.lock"));
    let bind_error = |source| StartError::Bind { what: path.display().to_string(), source };
    let Some(mut lock) = lock_file(&lock_path).map_err(bind_error)? else {
        return Err(StartError::SocketInUse(path));
    };
    // PostgreSQL's lock files are not locked: ask the socket itself.
    if UnixStream::connect(&path).is_ok() {
        return Err(StartError::SocketInUse(path));
    }
    remove_socket(&path).map_err(bind_error)?;
    lock.set_len(0).map_err(bind_error)?;
    writeln!(lock, "{}", std::process::id()).map_err(bind_error)?;
    let file = SocketFile { path: path.clone(), lock_path, _lock: lock };
    let listener = UnixListener::bind(&path).map_err(bind_error)?;
    set_socket_mode(&path, mode).map_err(bind_error)?;
    listener.set_nonblocking(true).map_err(bind_error)?;
    Ok((listener, file))
}

/// Removes a socket that was left; anything else of its name is not ours. (L2)
fn remove_socket(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
        Ok(m) if m.file_type().is_socket() => std::fs::remove_file(path),
        Ok(_) => Err(io::Error::other("there is something of this name that is no socket: remove it")),
    }
}

/// By way of a descriptor: the call that takes a path would follow a link. (L2)
fn set_socket_mode(path: &Path, mode: u32) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let socket = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !socket.metadata()?.file_type().is_socket() {
        return Err(io::Error::other("somebody has put something else in the socket's place"));
    }
    let path = format!("/proc/self/fd/{}", socket.as_fd().as_raw_fd());
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

/// The lock file, locked; None when someone else holds it. (L2)
fn lock_file(path: &Path) -> io::Result<Option<File>> {
    let foreign = |what| io::Error::other(format!("the lock file {} {what}: remove it", path.display()));
    loop {
        let mut open = OpenOptions::new();
        open.create(true).truncate(false).write(true).mode(0o600);
        open.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
        let file = match open.open(path) {
            Err(e) if e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
                return Err(foreign("is a symbolic link"));
            }
            opened => opened?,
        };
        let m = file.metadata()?;
        if !m.is_file() || m.nlink() > 1 || m.uid() != rustix::process::geteuid().as_raw() {
            return Err(foreign("is not ours"));
        }
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
            Err(e) => return Err(e.into()),
        }
        // Its last holder may have removed it between our open and our lock.
        match std::fs::symlink_metadata(path) {
            Ok(m) if m.ino() == file.metadata()?.ino() => return Ok(Some(file)),
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> ServerSettings {
        let mut s = ServerSettings::default();
        s.set("port", "0").unwrap();
        s.set("unix_socket_directories", "").unwrap();
        for (name, value) in pairs {
            s.set(name, value).unwrap();
        }
        s
    }

    #[test]
    fn strangers_need_passwords() {
        let open = settings(&[("listen_addresses", "0.0.0.0")]);
        assert!(matches!(bind_all(&open, false), Err(StartError::NoPasswords(_))));
        assert_eq!(bind_all(&open, true).unwrap().len(), 1);
        assert_eq!(bind_all(&settings(&[]), false).unwrap().len(), 1);
    }

    #[test]
    fn addresses_that_the_machine_does_not_have_are_left_out_of_a_name() {
        let v4 = bind_tcp("127.0.0.1:0".parse().unwrap(), 128).unwrap();
        let port = v4.local_addr().unwrap().port();
        assert_eq!(bind_tcp(v4.local_addr().unwrap(), 128).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        let has_v6 = bind_tcp("[::1]:0".parse().unwrap(), 128).is_ok();
        drop(v4);
        for both in ["0.0.0.0, ::", "*"] {
            let s = settings(&[("listen_addresses", both), ("port", &port.to_string())]);
            match bind_all(&s, true) {
                Ok(listeners) => assert_eq!(listeners.len(), 1 + usize::from(has_v6), "{both}"),
                Err(e) => assert!(!has_v6 && both != "*", "{both}: {e}"),
            }
        }
        // A port of its own beside the first's: on that one both would be 127.0.0.1's.
        let own = bind_all(&settings(&[("listen_addresses", "127.0.0.1, 0.0.0.0:0")]), true).unwrap();
        assert_eq!(own.len(), 2);
        // Of the documentation's own network.
        let e = bind_all(&settings(&[("listen_addresses", "192.0.2.1")]), true).unwrap_err().to_string();
        assert!(e.contains("192.0.2.1"), "{e}");
        assert!(!bind_all(&settings(&[("listen_addresses", "localhost")]), false).unwrap().is_empty());
    }

    #[test]
    fn addresses_are_read_in_all_forms() {
        let one = |text| resolve(text, 7).unwrap()[0].to_string();
        assert_eq!(one("*"), "0.0.0.0:7");
        assert_eq!(one("127.0.0.1"), "127.0.0.1:7");
        assert_eq!(one("127.0.0.1:9"), "127.0.0.1:9");
        assert_eq!(one("::1"), "[::1]:7");
        assert_eq!(one("[::1]:9"), "[::1]:9");
        assert!(resolve("127.0.0.1:x", 7).is_err());
    }

    #[test]
    fn a_leftover_socket_is_replaced_and_a_used_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".s.PGSQL.5");
        drop(UnixListener::bind(&path).unwrap());
        let (listener, file) = bind_unix(dir.path(), 5, 0o700).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(matches!(bind_unix(dir.path(), 5, 0o700), Err(StartError::SocketInUse(_))));
        drop((listener, file));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let _foreign = UnixListener::bind(&path).unwrap();
        assert!(matches!(bind_unix(dir.path(), 5, 0o700), Err(StartError::SocketInUse(_))));
    }

    #[test]
    fn what_others_have_put_there_is_neither_followed_nor_overwritten() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (socket, lock) = (dir.path().join(".s.PGSQL.5"), dir.path().join(".s.PGSQL.5.lock"));
        let theirs = dir.path().join("theirs");
        std::fs::write(&theirs, "precious").unwrap();
        std::fs::set_permissions(&theirs, Permissions::from_mode(0o640)).unwrap();
        let missing = dir.path().join("missing");
        let meddle: [&dyn Fn() -> io::Result<()>; 5] = [
            &|| symlink(&theirs, &lock),
            &|| symlink(&missing, &lock),
            &|| std::fs::hard_link(&theirs, &lock),
            &|| symlink(&theirs, &socket),
            &|| std::fs::hard_link(&theirs, &socket),
        ];
        for (i, meddle) in meddle.iter().enumerate() {
            meddle().unwrap();
            let refused = bind_unix(dir.path(), 5, 0o777).err().map(|e| e.to_string());
            assert!(refused.as_ref().is_some_and(|e| e.contains("remove it")), "{i}: {refused:?}");
            assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "precious", "{i}");
            assert_eq!(std::fs::metadata(&theirs).unwrap().permissions().mode() & 0o777, 0o640, "{i}");
            assert!(!missing.exists());
            let _ = (std::fs::remove_file(&lock), std::fs::remove_file(&socket));
        }
        bind_unix(dir.path(), 5, 0o700).unwrap();
    }
}
