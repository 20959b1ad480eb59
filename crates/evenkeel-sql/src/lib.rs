//! SQL on the evenkeel storage engine, with PostgreSQL's semantics.
//!
//! An [`Instance`] wraps a database; a [`Session`] takes statements (`parse_script` or `prepare`, then `bind`, `run`, `sync`) and hands
//! out rows. What a call tells is durable when it returns, unless [`Session::defer_durability`] was called. The layers, each importing only from those before it (`cargo xtask tidy` sees to it): `served`, `status`, `counted`, `tally`, `of_engine`, `catalog`, `parse`, `plan`, `bind`, `exec`, `session` with `instance`, `ddl`. Values and their functions are those
//! of `evenkeel-types`.

mod bind;
mod catalog;
pub mod check;
mod counted;
mod ddl;
pub mod diverged;
mod exec;
mod exported;
mod instance;
mod kept;
mod kept_rows;
mod observed;
mod of_database;
mod of_engine;
mod parse;
mod plan;
mod progress;
mod served;
pub mod session;
mod spans;
mod status;
mod tally;

pub use catalog::wait_events::ReplyWait;
pub use counted::Counts as StatementCounts;
pub use ddl::adopt::LoginRole;
pub use evenkeel_types::{Datum, FormatOptions, SqlError, SqlState, Type};
pub use instance::{ConfigHooks, Instance, ServerHooks, SettingPlace, SettingPlaces, StandbyHooks};
pub use kept::KeptCounts;
pub use observed::{CountedStatement, Observed, SessionShown};
pub use parse::AlterSystemStmt;
pub use plan::Column;
pub use session::{
    AnalyzeLimits, CommandTag, Configured, CopyIn, Given, LogOrigin, Notice, Notification, Portal, Prepared,
    Progress, Reply, RowSink, SERVER_VERSION, Session, SessionParams, Timeouts, is_guarded_setting,
    is_reshaped, not_examined,
};
pub use spans::{StatementSpan, TellSpans, TraceParent};
pub use status::{
    BACKGROUND_PIDS_FROM, ClientCertificateShown, ConnectionShown, FileSettingShown, HbaShown, IdentShown,
    ReplayState, TlsShown, WalReceiver, WalSender,
};
pub use tally::{BUCKETS, ERROR_CLASSES, Latency, StatementKind, Tallied, TransactionEnd, bucket_start_us};
