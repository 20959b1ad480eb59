//! What load balancers ask: `GET /primary`, `/replica`, `/health`, as Patroni answers them. Nothing else is understood, and nothing is kept of a request.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use evenkeel_server::http::{Answer, Handler, HttpServer, Request};

use crate::{CliError, io_error};

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

    fn of(&self, path: &str) -> (u16, &'static str) {
        let is = self.0.load(Ordering::SeqCst);
        let (primary, replica) = (is == Is::Primary as u8, is == Is::Replica as u8);
        let there = match path {
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

    /// Answers here as long as what is given lives.
    pub fn listen(&self, address: &str) -> Result<HttpServer, CliError> {
        let failed = || io_error(format!("--health {address}"));
        let listener = TcpListener::bind(address).map_err(failed())?;
        HttpServer::start(listener, "health", Arc::new(self.clone())).map_err(failed())
    }
}

impl Handler for Health {
    fn answer(&self, request: &Request) -> Answer {
        let (status, name) = match request.method.as_str() {
            "GET" | "HEAD" | "OPTIONS" => self.of(&request.path),
            _ => (400, "not understood"),
        };
        Answer::new(status, "application/json", format!("{{\"role\":\"{name}\"}}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_there_for_whom_it_is() {
        let health = Health(Arc::new(AtomicU8::new(Is::Away as u8)));
        let codes = || ["/primary", "/replica", "/health", "/x"].map(|path| health.of(path).0);
        assert_eq!(codes(), [503, 503, 503, 404]);
        health.set(Is::Replica);
        assert_eq!(codes(), [503, 200, 200, 404]);
        health.set(Is::Primary);
        assert_eq!(codes(), [200, 503, 200, 404]);
    }
}
