//! A blocking client of PostgreSQL's protocol, for our own programs: the command line talks to a running server with it, the lab measures any server with it.
//!
//! It must not know whether the server is ours.

#![forbid(unsafe_code)]

pub mod certificate;
mod conn_string;
mod connection;
mod login;
mod stream;
mod tls;

pub use conn_string::{ChannelBinding, ConnString, SslMode, SslOptions, redacted};
pub use connection::{Connection, Message, Row, WireError, server_error};
