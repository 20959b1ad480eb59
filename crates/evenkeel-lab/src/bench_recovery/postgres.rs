//! A PostgreSQL of our own, to be killed: made, started, killed, started again.
//!
//! PostgreSQL does not run as root: as root it is run as the user `postgres`, or `nobody`.
//!
//! Invariants
//! 1. It listens on this machine only, and goes with its guard.

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::bench_checkpoints::temporary::Process;
use crate::bench_checkpoints::{Error, io_error, server_error};
use crate::bench_commits::wire::name_of;
use evenkeel_client::ConnString;
use evenkeel_client::Connection;

use super::{PostgresOptions, Trial, files};

const NAME: &str = "PostgreSQL";
const START_MAX: Duration = Duration::from_secs(600);
/// PostgreSQL itself kills what has not ended after 5 s.
const QUIT_MAX: Duration = Duration::from_secs(30);
const WAIT_STEP: Duration = Duration::from_millis(5);
/// Held back as ours is.
const SETTINGS: [(&str, &str); 6] = [
    ("listen_addresses", "'127.0.0.1'"),
    ("unix_socket_directories", "''"),
    ("checkpoint_timeout", "'1d'"),
    ("max_wal_size", "'1TB'"),
    ("log_checkpoints", "on"),
    ("lc_messages", "'C'"),
];

/// A running one.
pub struct Postgres {
    process: Process,
    to: ConnString,
    name: String,
}

/// User and group to run it as.
fn user() -> Result<Option<(u32, u32)>, Error> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").map_err(io_error("/etc/passwd"))?;
    let ids = |user: &str| {
        let line = users.lines().find(|l| l.split(':').next() == Some(user))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    let found = ids("postgres").or_else(|| ids("nobody"));
    found.map(Some).ok_or_else(|| {
        Error::Options("PostgreSQL does not run as root, and there is no user postgres or nobody".into())
    })
}

fn command(bin: &Path, program: &str) -> Result<Command, Error> {
    let mut command = Command::new(bin.join(program));
    command.current_dir("/").env("LC_ALL", "C");
    if let Some((uid, gid)) = user()? {
        command.uid(uid).gid(gid);
    }
    Ok(command)
}

fn words_of(data: &Path, what: &str) -> PathBuf {
    data.with_extension(format!("{what}.log"))
}

/// Whether the programs are there, said before anything is measured.
pub fn look_for(options: &PostgresOptions) -> Result<(), Error> {
    for program in ["initdb", "postgres"] {
        let path = options.bin.join(program);
        if !path.is_file() {
            return Err(Error::Options(format!(
                "there is no {}: --postgres-bin names the folder that has initdb and postgres",
                path.display()
            )));
        }
    }
    user().map(drop)
}

impl Postgres {
    /// Makes a cluster in a folder that is not there, and starts it. Blocks.
    pub fn create(options: &PostgresOptions, data: &Path, stop: &AtomicBool) -> Result<Postgres, Error> {
        let shown = data.display().to_string();
        fs::create_dir(data).map_err(io_error(&shown))?;
        if let Some((uid, gid)) = user()? {
            chown(data, Some(uid), Some(gid)).map_err(io_error(&shown))?;
            reachable(data)?;
        }
        let mut initdb = command(&options.bin, "initdb")?;
        initdb.arg("-D").arg(data).args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]);
        let mut process = Process::start(initdb, "initdb", words_of(data, "initdb"))?;
        loop {
            match process.ended()? {
                Some(status) if status.success() => break,
                Some(status) => return Err(process.error(status)),
                None if stop.load(Ordering::Relaxed) => return Err(Error::Interrupted),
                None => std::thread::sleep(WAIT_STEP),
            }
        }
        let path = data.join("postgresql.conf");
        let own = SETTINGS.iter().map(|(n, v)| format!("{n} = {v}\n"));
        let given = options.settings.iter().map(|(n, v)| format!("{n} = '{}'\n", v.replace('\'', "''")));
        let mut text = fs::read_to_string(&path).map_err(io_error(path.display().to_string()))?;
        text.extend(own.chain(given));
        fs::write(&path, text).map_err(io_error(path.display().to_string()))?;
        Postgres::start(options, data, &[], stop)
    }

    fn start(
        options: &PostgresOptions,
        data: &Path,
        more: &[String],
        stop: &AtomicBool,
    ) -> Result<Postgres, Error> {
        let port = free_port()?;
        let mut postgres = command(&options.bin, "postgres")?;
        postgres.arg("-D").arg(data).args(["-p", &port.to_string()]);
        postgres.args(more.iter().flat_map(|m| ["-c", m.as_str()]));
        let process = Process::start(postgres, NAME, words_of(data, "server"))?;
        let to = format!("host=127.0.0.1 port={port} user=postgres dbname=postgres");
        let mut postgres =
            Postgres { process, to: to.parse().map_err(Error::Options)?, name: NAME.to_owned() };
        let begin = Instant::now();
        let mut connection = loop {
            if let Ok(connection) = Connection::open(&postgres.to, NAME) {
                break connection;
            }
            if let Some(status) = postgres.process.ended()? {
                return Err(postgres.process.error(status));
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            if begin.elapsed() > START_MAX {
                return Err(postgres.process.error("it did not start in time"));
            }
            std::thread::sleep(WAIT_STEP);
        };
        let version = connection.value("SELECT version()").map_err(server_error(NAME))?;
        postgres.name = name_of(&version.unwrap_or_default());
        Ok(postgres)
    }

    /// How to connect.
    pub fn to(&self) -> &ConnString {
        &self.to
    }

    /// With its version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Ends all its processes at once, as `pg_ctl stop -m immediate` does: nothing more is written, as in a crash, but its shared memory goes.
    pub fn kill(mut self) -> Result<(), Error> {
        self.quit()
    }

    fn quit(&mut self) -> Result<(), Error> {
        if self.process.end(Signal::QUIT, QUIT_MAX)? {
            Ok(())
        } else {
            Err(self.process.error("it does not end"))
        }
    }

    /// Starts it on what a kill left, out of the caches; `look` looks whether all is there.
    pub fn recover(
        options: &PostgresOptions,
        data: &Path,
        prefetch: &str,
        stop: &AtomicBool,
        look: impl FnOnce(&ConnString, &str) -> Result<(), Error>,
    ) -> Result<Trial, Error> {
        match fs::remove_file(data.join("postmaster.pid")) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io_error("postmaster.pid")(e)),
            _ => {}
        }
        files::drop_caches(data)?;
        let begin = Instant::now();
        let postgres = Postgres::start(options, data, &[format!("recovery_prefetch={prefetch}")], stop)?;
        let seconds = begin.elapsed().as_secs_f64();
        look(&postgres.to, &postgres.name)?;
        let path = words_of(data, "server");
        let said = fs::read_to_string(&path).map_err(io_error(path.display().to_string()))?;
        postgres.kill()?;
        Ok(Trial { seconds, redo_s: redo_seconds(&said), read_bytes: None, disturbance: None })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // What does not end is killed with its guard.
        let _ = self.quit();
    }
}

/// `redo done at 0/3B0D1F28 system usage: CPU: user: 3.11 s, system: 0.43 s, elapsed: 4.41 s`
fn redo_seconds(said: &str) -> Option<f64> {
    let (_, rest) = said.split_once("redo done at ")?;
    let (_, rest) = rest.lines().next()?.split_once("elapsed: ")?;
    rest.split(' ').next()?.parse().ok()
}

fn free_port() -> Result<u16, Error> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).map_err(io_error("a port"))?;
    Ok(listener.local_addr().map_err(io_error("a port"))?.port())
}

/// Another user has to get to the folder.
fn reachable(data: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    for folder in data.ancestors().skip(1) {
        let mode = fs::metadata(folder).map_err(io_error(folder.display().to_string()))?.permissions().mode();
        if mode & 0o001 == 0 {
            return Err(Error::Options(format!(
                "PostgreSQL runs as another user, who cannot pass {}: name another --data, or chmod o+x it",
                folder.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_says_how_long_redo_took() {
        let said = "LOG:  redo starts at 0/1\nLOG:  redo done at 0/3B0D1F28 system usage: CPU: user: 3.11 s, system: 0.43 s, elapsed: 4.41 s\nLOG:  x\n";
        assert_eq!(redo_seconds(said), Some(4.41));
        assert_eq!(redo_seconds("LOG:  ready\n"), None);
    }
}
