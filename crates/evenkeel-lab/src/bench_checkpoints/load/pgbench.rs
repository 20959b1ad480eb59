//! The real pgbench, with its log of single transactions.
//!
//! Invariants
//! 1. The logs stand off the measured disk, need little space, and are removed.
//!
//! It must not know what is made of the transactions.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{Load, Spec};
use crate::bench_checkpoints::Error;
use crate::bench_checkpoints::digest::Digest;
use crate::bench_checkpoints::pgbench_log::Logs;
use crate::bench_checkpoints::temporary::{Process, TemporaryDir};
use evenkeel_client::ConnString;

const PROGRAM: &str = "pgbench";
/// Where packages put it when it is not in PATH.
const PACKAGED: &str = "/usr/lib/postgresql";
const TICK: Duration = Duration::from_millis(200);
/// Seconds beyond the counted time, so that its last second is whole: connecting takes time.
const SPARE_S: u64 = 1;
/// So long after its time pgbench is given up: a transaction may hang.
const OVERTIME: Duration = Duration::from_secs(120);

/// Finds pgbench: the given one, one in PATH, or a packaged one. Says how to get it otherwise.
pub fn find(given: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(path) = given {
        return match path.is_file() {
            true => Ok(path.into()),
            false => Err(Error::Options(format!("there is no pgbench at {}", path.display()))),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|dir| dir.join(PROGRAM));
    let mut versions: Vec<PathBuf> =
        std::fs::read_dir(PACKAGED).into_iter().flatten().flatten().map(|e| e.path()).collect();
    versions.sort();
    let packaged = versions.into_iter().rev().map(|dir| dir.join("bin").join(PROGRAM));
    in_path.chain(packaged).find(|p| p.is_file()).ok_or_else(|| {
        Error::Options(
            "pgbench was not found: install it (Debian, Ubuntu: apt install postgresql-client postgresql-contrib, or postgresql; \
             Fedora: dnf install postgresql-contrib; macOS: brew install postgresql), say where it is with --pgbench, or use --load wire"
                .into(),
        )
    })
}

/// A pgbench command that connects there.
pub fn command(program: &Path, to: &ConnString) -> Command {
    let quoted = |v: &str| format!("'{}'", v.replace('\\', "\\\\").replace('\'', "\\'"));
    let (host, user, database) = (quoted(&to.host), quoted(&to.user), quoted(&to.database));
    let mut command = Command::new(program);
    // Command lines can be seen by all.
    command.envs(to.password.iter().map(|p| ("PGPASSWORD", p)));
    let mut conninfo = format!("host={host} port={} user={user} dbname={database}", to.port);
    for (name, value) in to.ssl_pairs() {
        conninfo.push_str(&format!(" {name}={}", quoted(&value)));
    }
    command.arg(conninfo);
    command
}

/// pgbench against a server.
pub struct Pgbench<'a> {
    /// The program.
    pub program: &'a Path,
    /// The server.
    pub to: &'a ConnString,
    /// Where the logs go.
    pub log_dir: &'a Path,
}

impl Load for Pgbench<'_> {
    fn run(
        &mut self,
        spec: &Spec<'_>,
        digest: &mut Digest,
        tick: &mut dyn FnMut(),
    ) -> Result<Vec<String>, Error> {
        let dir = TemporaryDir::new(self.log_dir, "log")?;
        let warm_up = spec.origin.saturating_duration_since(Instant::now());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let origin_us = (now + warm_up).as_micros() as i64;
        let seconds = warm_up.as_secs_f64().ceil() as u64 + u64::from(spec.seconds) + SPARE_S;
        let mut process =
            Process::start(self.command(spec, seconds, dir.path()), PROGRAM, dir.path().join("words"))?;
        let mut logs = Logs::new(dir.path(), "log.", origin_us);
        let end = spec.origin + Duration::from_secs(u64::from(spec.seconds) + SPARE_S) + OVERTIME;
        let status = loop {
            spec.check()?;
            tick();
            let ended = process.ended()?;
            logs.read(digest)?;
            if let Some(status) = ended {
                break status;
            }
            if Instant::now() > end {
                return Err(process.error("did not end in time"));
            }
            std::thread::sleep(TICK);
        };
        if !status.success() {
            return Err(process.error(format!("{status}")));
        }
        let senseless = logs.senseless();
        Ok((senseless > 0)
            .then(|| format!("{senseless} lines of pgbench's log made no sense"))
            .into_iter()
            .collect())
    }
}

impl Pgbench<'_> {
    fn command(&self, spec: &Spec<'_>, seconds: u64, dir: &Path) -> Command {
        let mut command = command(self.program, self.to);
        command.args(["-n", "-M", "prepared", "-N", "-l"]);
        command.arg(format!("--log-prefix={}", dir.join("log").display()));
        command.args(["-c", &spec.clients.to_string(), "-j", &spec.jobs.min(spec.clients).to_string()]);
        command.args(["-T", &seconds.to_string(), &format!("--random-seed={}", spec.seed)]);
        if let Some(rate) = spec.rate_per_s {
            command.args(["-R", &format!("{rate:.3}"), "-L", &spec.limit_ms.to_string()]);
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn arguments(rate_per_s: Option<f64>) -> String {
        let to = "host=h port=1 user=u dbname=o'hara password=secret"
            .replace("o'hara", "'o\\'hara'")
            .parse()
            .unwrap();
        let stop = AtomicBool::new(false);
        let spec = Spec {
            clients: 2,
            jobs: 4,
            scale: 1,
            rate_per_s,
            curve: None,
            limit_ms: 100.0,
            origin: Instant::now(),
            seconds: 5,
            seed: 7,
            stop: &stop,
        };
        let pgbench = Pgbench { program: Path::new("pgbench"), to: &to, log_dir: Path::new("/l") };
        let command = pgbench.command(&spec, 6, Path::new("/l"));
        let args: Vec<&str> = command.get_args().filter_map(|a| a.to_str()).collect();
        args.join(" ")
    }

    #[test]
    fn it_runs_prepared_simple_updates_and_passwords_stay_out_of_sight() {
        let full = arguments(None);
        assert!(full.contains("-n -M prepared -N -l --log-prefix=/l/log -c 2 -j 2 -T 6"), "{full}");
        assert!(full.starts_with("host='h' port=1 user='u' dbname='o\\'hara'"), "{full}");
        assert!(!full.contains("-R") && !full.contains("secret"), "{full}");
        assert!(arguments(Some(4000.0)).ends_with("-R 4000.000 -L 100"));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let e = find(Some(Path::new("/no/such/pgbench"))).unwrap_err().to_string();
        assert!(e.contains("/no/such/pgbench"), "{e}");
    }
}
