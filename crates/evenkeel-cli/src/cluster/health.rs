//! What load balancers ask: `GET /primary`, `/replica`, `/health`, as Patroni answers them. Nothing else is understood, and nothing is kept of a request.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use crate::{CliError, io_error};

/// A request that is longer, or slower, is given up.
const BYTES_MAX: usize = 4096;
const PATIENCE: Duration = Duration::from_secs(2);
/// More requests at a time are turned away.
const AT_ONCE_MAX: usize = 32;

/// What a member is to those who ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Is {
    /// Nothing yet, or between two.
    Away,
    /// It can be read.
    Replica,
    /// It leads.
    Primary,
}

/// What it is, as it is told.
#[derive(Clone)]
pub(super) struct Health(Arc<AtomicU8>);

impl Health {
    pub fn new() -> Health {
        Health(Arc::new(AtomicU8::new(Is::Away as u8)))
    }

    pub fn set(&self, is: Is) {
        self.0.store(is as u8, Ordering::SeqCst);
    }

    fn answer(&self, path: &str) -> (u16, &'static str) {
        let is = self.0.load(Ordering::SeqCst);
        let (primary, replica) = (is == Is::Primary as u8, is == Is::Replica as u8);
        let there = match path.split('?').next().unwrap_or_default() {
            "/" | "/primary" | "/leader" | "/master" | "/read-write" => primary,
            "/replica" => replica,
            "/health" | "/read-only" => primary || replica,
            _ => return (404, "unknown"),
        };
        let name = if primary {
            "primary"
        } else if replica {
            "replica"
        } else {
            "away"
        };
        (if there { 200 } else { 503 }, name)
    }

    /// Answers here from now on.
    pub fn listen(&self, address: &str) -> Result<(), CliError> {
        let listener = TcpListener::bind(address).map_err(io_error(format!("--health {address}")))?;
        let health = self.clone();
        let serve = move || {
            let at_work = Arc::new(());
            for stream in listener.incoming().flatten() {
                if Arc::strong_count(&at_work) > AT_ONCE_MAX {
                    continue;
                }
                let (health, one) = (health.clone(), at_work.clone());
                let _ = std::thread::Builder::new().name("health".into()).spawn(move || {
                    let _ = health.serve(stream);
                    drop(one);
                });
            }
        };
        std::thread::Builder::new().name("health".into()).spawn(serve).map_err(io_error("a thread"))?;
        Ok(())
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (mut request, mut buf) = (Vec::new(), [0; 512]);
        while !request.windows(2).any(|w| w == b"\r\n") && request.len() < BYTES_MAX {
            match stream.read(&mut buf)? {
                0 => break,
                n => request.extend_from_slice(&buf[..n]),
            }
        }
        let line = String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned();
        let mut words = line.split(' ');
        let (status, name) = match (words.next(), words.next()) {
            (Some("GET" | "HEAD" | "OPTIONS"), Some(path)) => self.answer(path),
            _ => (400, "not understood"),
        };
        let reason = match status {
            200 => "OK",
            503 => "Service Unavailable",
            404 => "Not Found",
            _ => "Bad Request",
        };
        let body = if line.starts_with("GET") { format!("{{\"role\":\"{name}\"}}\n") } else { String::new() };
        write!(
            stream,
            "HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_there_for_whom_it_is() {
        let health = Health(Arc::new(AtomicU8::new(Is::Away as u8)));
        let codes = || ["/primary", "/replica", "/health", "/x"].map(|path| health.answer(path).0);
        assert_eq!(codes(), [503, 503, 503, 404]);
        health.set(Is::Replica);
        assert_eq!(codes(), [503, 200, 200, 404]);
        health.set(Is::Primary);
        assert_eq!(codes(), [200, 503, 200, 404]);
    }
}
