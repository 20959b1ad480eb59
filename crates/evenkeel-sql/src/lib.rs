//! SQL on the evenkeel storage engine, with PostgreSQL's semantics.
//!
//! An [`Instance`] wraps a database; a [`Session`] takes statements (`parse_script` or `prepare`, then `bind`, `run`, `sync`) and hands
//! out rows. The layers, each importing only from those above it: `guard` (what a statement may take), `types` (values, formats, functions), `parse`, `catalog`, `plan` and
//! `bind`, `exec`, `session`, `instance`.

pub mod bind;
pub mod catalog;
pub mod check;
pub mod diverged;
pub mod error;
pub mod exec;
pub mod guard;
mod instance;
pub mod parse;
pub mod plan;
mod served;
pub mod session;
pub mod types;

pub use error::{SqlError, SqlState};
pub use instance::{ConfigHooks, Instance, ReplayState, ServerHooks, StandbyHooks, WalReceiver, WalSender};
pub use parse::AlterSystemStmt;
pub use plan::Column;
pub use session::{
    CommandTag, CopyIn, Notice, Portal, Prepared, Progress, Reply, RowSink, SERVER_VERSION, Session,
    SessionParams,
};
pub use types::{Datum, FormatOptions, Type};
