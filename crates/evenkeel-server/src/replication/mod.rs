//! Replication connections: commands of a standby, or of whoever makes one, on a thread of their own (S25).
//!
//! Duty: read commands, answer them; the long ones, the log (`sending.rs`) and a copy of the files (`copying.rs`), have files of their own.
//!
//! Invariants
//! 1. Nothing is sent that may not be told (design: no fact before it is durable); `LogStream` keeps to that.
//! 2. A client that does not read, or is gone, holds up nobody but its own thread; a shutdown ends it.
//!
//! It must not know how the log is read or pages are copied.

mod command;
mod copying;
pub(crate) mod receiving;
mod senders;
mod sending;
pub(crate) mod wire;

use std::sync::Arc;
use std::time::{Duration, Instant};

use evenkeel::{SlotUse, TemporarySlot, Upstream};
use evenkeel_sql::{Column, CommandTag, SqlError, SqlState};
use evenkeel_types::Type;

use crate::backend::Backend;
use crate::errors::{End, error};
use crate::service::Followed;
use crate::settings::{Id, ServerSettings};
use crate::wire::frontend::Message;
use crate::wire::input::InputBuffer;
use crate::wire::output::{OutputBuffer, OutputShape, ResultFormats};
use command::Command;
pub(crate) use senders::Senders;
use senders::Sending;

/// Timelines are an archive's; whoever follows tells histories apart by lives of the log.
const TIMELINE: &str = "1";
/// How often a client that does not read is looked after.
const STOP_POLL: Duration = Duration::from_millis(50);

/// What a connection's role may do besides following the log.
#[derive(Clone, Copy)]
pub(crate) struct May {
    /// End the standby's following.
    pub promote: bool,
    /// See the settings that not everybody sees.
    pub examine: bool,
}

/// One connection.
pub(crate) struct Replication<'a> {
    followed: &'a dyn Fn() -> Option<Followed>,
    /// The command at work holds a standby open.
    holds_standby: bool,
    promote: &'a dyn Fn() -> Result<(), SqlError>,
    may: May,
    pub backend: &'a Arc<Backend>,
    pub settings: &'a ServerSettings,
    pub input: InputBuffer,
    pub out: OutputBuffer,
    shown: Arc<Sending>,
    /// Slots that go with the connection.
    temporary: Vec<TemporarySlot>,
}

/// How a command failed: told, and the connection goes on, or it is over.
pub(crate) enum Failed {
    Command(SqlError),
    Connection(End),
}

impl From<SqlError> for Failed {
    fn from(e: SqlError) -> Failed {
        Failed::Command(e)
    }
}

impl From<evenkeel::Error> for Failed {
    fn from(e: evenkeel::Error) -> Failed {
        Failed::Command(e.into())
    }
}

impl From<End> for Failed {
    fn from(e: End) -> Failed {
        Failed::Connection(e)
    }
}

impl From<std::io::Error> for Failed {
    fn from(e: std::io::Error) -> Failed {
        Failed::Connection(e.into())
    }
}

impl<'a> Replication<'a> {
    /// `out`: what the client is told first.
    pub fn new(
        followed: &'a dyn Fn() -> Option<Followed>,
        (promote, may): (&'a dyn Fn() -> Result<(), SqlError>, May),
        backend: &'a Arc<Backend>,
        settings: &'a ServerSettings,
        input: InputBuffer,
        out: OutputBuffer,
        shown: Arc<Sending>,
    ) -> Replication<'a> {
        Replication {
            followed,
            holds_standby: false,
            promote,
            may,
            backend,
            settings,
            input,
            out,
            shown,
            temporary: Vec::new(),
        }
    }

    /// Serves the connection to its end.
    pub fn run(&mut self) -> End {
        for (name, value) in [
            ("server_version", evenkeel_sql::SERVER_VERSION),
            ("server_encoding", "UTF8"),
            ("client_encoding", "UTF8"),
            ("integer_datetimes", "on"),
        ] {
            self.out.parameter_status(name, value);
        }
        self.out.backend_key_data(self.backend.pid, self.backend.cancel_secret());
        let end = match self.ready() {
            Ok(()) => loop {
                if let Err(end) = self.next_command() {
                    break end;
                }
            },
            Err(end) => end,
        };
        self.temporary.clear();
        end
    }

    /// For one command: a standby is not held open between two.
    fn followed(&self) -> Result<Followed, SqlError> {
        (self.followed)().ok_or_else(|| {
            error(SqlState::CANNOT_CONNECT_NOW, "the server ends, or is about to take over: ask again later")
        })
    }

    fn ready(&mut self) -> Result<(), End> {
        self.out.ready_for_query(b'I');
        self.send()
    }

    /// Sends what is in `out`. Blocks for a client that does not read, until the session is to end (invariant 2).
    fn send(&mut self) -> Result<(), End> {
        let limit = self.settings.time(Id::WalSenderTimeout);
        let (mut sent, mut took) = (0, Instant::now());
        while sent < self.out.bytes.len() || !self.backend.stream.flush_now()? {
            let n = self.backend.stream.write_now(&self.out.bytes[sent..])?;
            sent += n;
            if n > 0 {
                took = Instant::now();
            } else {
                self.check_stop()?;
                self.check_standby()?;
                // Its slot is wanted by the standby's next connection.
                if !limit.is_zero() && took.elapsed() >= limit {
                    return Err(End::Disconnected(std::io::ErrorKind::TimedOut.into()));
                }
                self.backend.stream.wait_writable(STOP_POLL)?;
            }
        }
        self.out.clear();
        Ok(())
    }

    fn check_stop(&self) -> Result<(), End> {
        self.backend.stop_reason().map_or(Ok(()), |reason| Err(End::Fatal(reason.to_error())))
    }

    /// A standby that ends, or takes over, waits for nobody who does not read.
    fn check_standby(&self) -> Result<(), End> {
        if self.holds_standby && !matches!((self.followed)(), Some(Followed::Standby(_))) {
            return Err(End::Terminated);
        }
        Ok(())
    }

    fn next_command(&mut self) -> Result<(), End> {
        let limit = self.settings.number(Id::MaxMessageSize) as usize;
        let frame = loop {
            self.check_stop()?;
            match self.input.next_frame(limit).map_err(End::Fatal)? {
                Some(frame) => break frame,
                None if self.input.fill(&self.backend.stream)? == 0 => {
                    self.check_stop()?;
                    return Err(End::Terminated);
                }
                None => {}
            }
        };
        let body = self.input.body(&frame).unwrap_or_default();
        let parsed = match frame.kind {
            b'X' => return Err(End::Terminated),
            // The rest of a stream that has ended.
            b'd' | b'c' | b'f' => return Ok(()),
            b'Q' => match Message::decode(b'Q', body) {
                Ok(Message::Query(text)) => {
                    tracing::debug!(pid = self.backend.pid, command = text, "replication command");
                    Command::parse(text)
                }
                Ok(_) => unreachable!("a query is one"),
                Err(e) => Err(e),
            },
            _ => Err(error(
                SqlState::PROTOCOL_VIOLATION,
                "only simple queries are understood on a replication connection",
            )),
        };
        match parsed.map_err(Failed::from).and_then(|command| self.command(command)) {
            Ok(()) => {}
            Err(Failed::Command(e)) if e.severity_fatal => return Err(End::Fatal(e)),
            Err(Failed::Command(e)) => {
                if e.code.is_for_the_log() {
                    tracing::warn!(pid = self.backend.pid, sqlstate = e.code.as_str(), error = %e, "told to a standby");
                }
                self.out.error(&e);
            }
            Err(Failed::Connection(end)) => return Err(end),
        }
        self.ready()
    }

    fn command(&mut self, command: Command) -> Result<(), Failed> {
        if command == Command::Promote {
            if !self.may.promote {
                let why = "permission denied for function pg_promote";
                return Err(error(SqlState::INSUFFICIENT_PRIVILEGE, why).into());
            }
            (self.promote)()?;
            self.out.command_complete(&CommandTag::of("PROMOTE"));
            return Ok(());
        }
        let followed = self.followed()?;
        self.holds_standby = matches!(followed, Followed::Standby(_));
        let up = followed.upstream().by(self.backend.pid);
        match command {
            Command::IdentifySystem => {
                let place = up.position();
                let (system, life) = (up.database_id().to_string(), format!("{:016x}", place.life));
                self.row(
                    &[("systemid", Type::Text), ("timeline", Type::Int4), ("xlogpos", Type::Text)],
                    &[("dbname", Type::Text), ("life", Type::Text), ("stream", Type::Text)],
                    &[
                        Some(&system),
                        Some(TIMELINE),
                        Some(&place.lsn.to_string()),
                        None,
                        Some(&life),
                        Some(wire::STREAM_VERSION),
                    ],
                );
                self.out.command_complete(&CommandTag::of("IDENTIFY_SYSTEM"));
            }
            Command::Show(name) => {
                let value = self.show(&followed, &name)?;
                self.row(&[(&name, Type::Text)], &[], &[Some(&value)]);
                self.out.command_complete(&CommandTag::of("SHOW"));
            }
            Command::CreateSlot { name, temporary, reserve } => {
                if temporary {
                    self.temporary.push(up.create_temporary_slot(&name, reserve)?);
                } else {
                    up.create_slot(&name, reserve)?;
                }
                self.row(
                    &[("slot_name", Type::Text), ("consistent_point", Type::Text)],
                    &[("snapshot_name", Type::Text), ("output_plugin", Type::Text)],
                    &[Some(&name), Some("0/0"), None, None], // of a physical slot no place is consistent
                );
                self.out.command_complete(&CommandTag::of("CREATE_REPLICATION_SLOT"));
            }
            Command::DropSlot(name) => {
                up.drop_slot(&name)?;
                self.temporary.retain(|slot| slot.name() != name);
                self.out.command_complete(&CommandTag::of("DROP_REPLICATION_SLOT"));
            }
            Command::ReadSlot(name) => {
                let slot = up.slots().into_iter().find(|s| s.name == name);
                let at = slot.as_ref().and_then(|s| s.restart).map(|lsn| lsn.to_string());
                let kind = slot.is_some().then_some("physical");
                self.row(
                    &[("slot_type", Type::Text), ("restart_lsn", Type::Text), ("restart_tli", Type::Int8)],
                    &[],
                    &[kind, at.as_deref(), at.as_ref().map(|_| TIMELINE)],
                );
                self.out.command_complete(&CommandTag::of("READ_REPLICATION_SLOT"));
            }
            Command::TimelineHistory(_) => {
                return Err(SqlError::unsupported(
                    "histories of timelines are the archive's: the stream itself says where a life of the log begins",
                )
                .into());
            }
            Command::Start(start) => self.stream_log(&followed, &start)?,
            Command::BaseBackup(backup) => self.copy_files(&followed, &backup)?,
            Command::Fork(lives) => {
                let fork = up.fork(&lives)?.map(|lsn| lsn.to_string());
                self.row(&[("fork", Type::Text)], &[], &[fork.as_deref()]);
                self.out.command_complete(&CommandTag::of("FORK"));
            }
            Command::Promote => unreachable!("see above"),
        }
        Ok(())
    }

    fn show(&self, followed: &Followed, name: &str) -> Result<String, SqlError> {
        if !self.may.examine && evenkeel_sql::is_guarded_setting(name) {
            return Err(evenkeel_sql::not_examined(name));
        }
        let database = match followed {
            Followed::Primary(database) => Some(database.clone()),
            Followed::Standby(standby) => standby.database(),
        };
        let engine = database
            .into_iter()
            .flat_map(|database| database.settings())
            .find(|r| r.name == name)
            .map(|r| r.value);
        if name == "data_directory_mode" {
            return Ok("0700".into()); // what PostgreSQL's own programs ask first; they are refused later, by what they want
        }
        let server = || self.settings.rows(None).into_iter().find(|r| r.name == name).map(|r| r.value);
        engine.or_else(server).ok_or_else(|| {
            error(SqlState::UNDEFINED_OBJECT, format!("unrecognized configuration parameter \"{name}\""))
        })
    }

    /// A result of one row.
    fn row(&mut self, columns: &[(&str, Type)], more: &[(&str, Type)], values: &[Option<&str>]) {
        let columns: Vec<Column> =
            columns.iter().chain(more).map(|(name, ty)| Column::of((*name).into(), *ty, -1)).collect();
        if let Some(shape) = OutputShape::of(Some(&columns), None) {
            self.out.row_description(&shape, &ResultFormats::Text);
        }
        let at = self.out.begin(b'D');
        self.out.bytes.extend_from_slice(&(values.len() as u16).to_be_bytes());
        for value in values {
            match value {
                None => self.out.bytes.extend_from_slice(&(-1i32).to_be_bytes()),
                Some(text) => {
                    self.out.bytes.extend_from_slice(&(text.len() as i32).to_be_bytes());
                    self.out.bytes.extend_from_slice(text.as_bytes());
                }
            }
        }
        self.out.end(at);
    }
}

/// A slot in use, if one is named.
fn use_slot(up: Upstream<'_>, name: Option<&str>) -> evenkeel::Result<Option<SlotUse>> {
    name.map(|name| up.use_slot(name)).transpose()
}
