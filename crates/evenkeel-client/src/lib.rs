//! A blocking client of PostgreSQL's protocol, for our own programs: the command line talks to a running server with it, the lab measures any server with it.
//!
//! It must not know whether the server is ours.

#![forbid(unsafe_code)]

mod conn_string;
mod connection;

pub use conn_string::{ConnString, redacted};
pub use connection::{Connection, Message, Row, WireError, server_error};
