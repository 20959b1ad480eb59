//! Telling the service manager how far the server is: systemd's protocol of `sd_notify(3)`.
//!
//! Duty: one small datagram to the socket that the environment names, if it names one. Nobody depends on its arrival.
//!
//! It must not know what the states mean.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use tracing::warn;

/// Where the datagram goes.
const VARIABLE: &str = "NOTIFY_SOCKET";

/// Sends a state such as `READY=1`, if a service manager has started this process and wants to hear of it.
pub(crate) fn notify(state: &str) {
    if let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty())
        && let Err(e) = send(&name, state)
    {
        warn!(socket = ?name, error = %e, "the service manager was not told: {state}");
    }
}

fn send(name: &OsStr, state: &str) -> io::Result<()> {
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        [b'/', ..] => SocketAddr::from_pathname(name)?,
        _ => return Err(io::Error::other("neither a path nor an abstract name")),
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    socket.send_to_addr(state.as_bytes(), &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_abstract_names_are_reached_and_others_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notify");
        let by_path = UnixDatagram::bind(&path).unwrap();
        let name = format!("evenkeel-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let by_name = UnixDatagram::bind_addr(&address).unwrap();
        for (to, at) in [(path.as_os_str(), &by_path), (OsStr::new(&format!("@{name}")), &by_name)] {
            send(to, "READY=1").unwrap();
            let mut got = [0; 64];
            let n = at.recv(&mut got).unwrap();
            assert_eq!(&got[..n], b"READY=1");
        }
        assert!(send(OsStr::new("vsock:2:1"), "READY=1").is_err());
        assert!(send(dir.path().join("missing").as_os_str(), "READY=1").is_err());
    }
}
