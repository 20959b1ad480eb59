//! Clients of ours that send pgbench's simple-update transaction over the wire, statement by statement, prepared.
//!
//! It must not know which server it is.

use std::time::Duration;

use super::clients::{self, Client};
use super::{Load, Spec};
use crate::bench_checkpoints::digest::Digest;
use crate::bench_checkpoints::{ACCOUNTS_PER_SCALE, Error, server_error};
use evenkeel_client::ConnString;
use evenkeel_client::{Connection, Message, WireError};

const APPLICATION_NAME: &str = "evenkeel bench";
/// pgbench's `-N`, each with how many parameters it takes.
const STATEMENTS: [(&str, &str); 5] = [
    ("b", "BEGIN"),
    ("u", "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2"),
    ("s", "SELECT abalance FROM pgbench_accounts WHERE aid = $1"),
    (
        "i",
        "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)",
    ),
    ("e", "END"),
];
/// A transaction may take as long: a flooded disk stands still for minutes.
const SILENCE_MAX: Duration = Duration::from_secs(600);
const TELLERS_PER_SCALE: u64 = 10;
const DELTA_MAX: i64 = 5000;

/// Clients of a server.
pub struct Wire<'a> {
    /// The server.
    pub to: &'a ConnString,
    /// Its name, for errors.
    pub name: &'a str,
}

impl Load for Wire<'_> {
    fn run(
        &mut self,
        spec: &Spec<'_>,
        digest: &mut Digest,
        tick: &mut dyn FnMut(),
    ) -> Result<Vec<String>, Error> {
        let one = |_| Session::open(self.to, self.name, spec.scale);
        let sessions = (0..spec.clients).map(one).collect::<Result<Vec<_>, _>>()?;
        clients::run(sessions, spec, digest, tick)?;
        Ok(Vec::new())
    }
}

struct Session {
    connection: Connection,
    name: String,
    scale: u64,
}

impl Session {
    fn open(to: &ConnString, name: &str, scale: u32) -> Result<Session, Error> {
        let wrong = server_error(name);
        let mut connection = Connection::open(to, APPLICATION_NAME).map_err(&wrong)?;
        prepare(&mut connection).map_err(&wrong)?;
        connection.set_silence_max(SILENCE_MAX).map_err(|e| wrong(e.into()))?;
        Ok(Session { connection, name: name.into(), scale: u64::from(scale) })
    }

    fn round_trips(&mut self, rng: &mut fastrand::Rng) -> Result<(), WireError> {
        let aid = rng.u64(1..=ACCOUNTS_PER_SCALE * self.scale).to_string();
        let bid = rng.u64(1..=self.scale).to_string();
        let tid = rng.u64(1..=TELLERS_PER_SCALE * self.scale).to_string();
        let delta = rng.i64(-DELTA_MAX..=DELTA_MAX).to_string();
        let parameters: [&[&str]; 5] = [&[], &[&delta, &aid], &[&aid], &[&tid, &bid, &aid, &delta], &[]];
        for ((name, _), parameters) in STATEMENTS.iter().zip(parameters) {
            execute(&mut self.connection, name, parameters)?;
        }
        Ok(())
    }
}

impl Client for Session {
    fn transaction(&mut self, rng: &mut fastrand::Rng) -> Result<(), Error> {
        self.round_trips(rng).map_err(server_error(&self.name))
    }
}

fn prepare(connection: &mut Connection) -> Result<(), WireError> {
    for (name, sql) in STATEMENTS {
        let mut parse = Message::new(b'P');
        parse.text(name)?.text(sql)?.i16(0);
        send(connection, vec![parse])?;
    }
    Ok(())
}

/// Parameters and results as text, as pgbench has them.
fn execute(connection: &mut Connection, name: &str, parameters: &[&str]) -> Result<(), WireError> {
    let mut bind = Message::new(b'B');
    bind.text("")?.text(name)?.i16(0).i16(parameters.len() as i16);
    for value in parameters {
        bind.i32(value.len() as i32).bytes(value.as_bytes());
    }
    bind.i16(0);
    let mut run = Message::new(b'E');
    run.text("")?.i32(0);
    send(connection, vec![bind, run])
}

fn send(connection: &mut Connection, messages: Vec<Message>) -> Result<(), WireError> {
    let all = messages.into_iter().chain([Message::new(b'S')]).flat_map(Message::end);
    connection.write(&all.collect::<Vec<u8>>())?;
    connection.until_ready().map(drop)
}
