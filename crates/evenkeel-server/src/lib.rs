//! The PostgreSQL wire protocol in front of an SQL service.
//!
//! Duty: listen, authenticate, speak protocol 3.0 to 3.2 for many connections on a few threads (`workers/`), and hand statements to a
//! [`Service`]. `evenkeel-sql` is one ([`SqlService`]); tests and the protocol's own benchmark bring theirs.
//!
//! The path of one round trip, top to bottom: `workers/run.rs` (whose turn it is) → `wire/input.rs` (one read) → `wire/frontend.rs` (decode in place) →
//! `session/mod.rs` (dispatch) → `session/extended.rs` or `session/simple.rs` → `session/rows.rs` (encode) →
//! `session/link.rs` (wait until what the reply tells is durable, one write).
//!
//! Invariants, cited by the files that keep them:
//! * W1: no reply byte leaves before everything it could tell of is durable.
//! * W2: memory for input grows with bytes that arrived, never with a length that a client claims.
//! * W3: nothing a client sends panics; a panic in one session ends that session only.
//! * W4: a session waits for its own client only; no lock is held while a socket is waited for.
//!
//! It must not know how statements are executed or stored.

#![warn(missing_docs)]

mod admission;
mod analyzer;
mod auth;
mod backend;
mod connection;
mod errors;
mod hba;
pub mod http;
mod idle;
mod listener;
pub mod log;
mod monitor;
mod otlp;
mod replication;
mod server;
mod service;
mod session;
pub mod settings;
mod startup;
mod stream;
mod timer;
mod tls;
pub mod wire;
mod workers;

pub use auth::{BadVerifier, Users, make_verifier};
pub use evenkeel_sql::Timeouts;
pub use hba::{BadRules, check as check_rules};
pub use listener::check_address;
pub use replication::receiving::{Following, Receiver, ReceiverShown};
pub use server::{Listeners, OWNER_PORT, Server, StartError};
pub use service::{Followed, GetStandby, Outcome, Promote, Service, SqlService, SqlSession};
pub use settings::ServerSettings;
pub use tls::{TlsError, server_certificates};
