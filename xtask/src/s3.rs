//! The archive against a real S3 server: moto's, in a Python environment of its own below the target folder. First the Rust tests that need one; then
//! our server, killed under load while it archives, backs up and is restored.
//!
//! It must not know how archives are laid out.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use std::io::{Read, Write};

use crate::clients::{self, Load, Server, check, history, pgbench, psql, sums, told_are_there};

/// Times that our server is killed.
pub(crate) const KILLS: u32 = 3;
/// Version of the S3 server.
const MOTO: &str = "5.2.5";
const BUCKET: &str = "evenkeel-kills";
const HINT: &str = "these tests need Python 3 with venv, and PyPI or a mirror of it, to install an S3 server (moto) below the target folder";

/// Reads the command line: how many kills.
pub(crate) fn kills(args: &[String]) -> Result<u32, String> {
    match args {
        [] => Ok(KILLS),
        [option, n] if option == "--kills" => n.parse().map_err(|_| "--kills needs a number".into()),
        _ => Err("s3 takes --kills N".into()),
    }
}

/// The S3 server, until it is dropped.
struct Moto {
    child: Child,
    address: SocketAddr,
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Moto {
    fn start() -> Result<Moto, String> {
        let python = ensure_moto()?;
        let free = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
        let address = free.map_err(|e| e.to_string())?;
        let child = Command::new(&python)
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &address.port().to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{} cannot be started: {e}", python.display()))?;
        let mut moto = Moto { child, address };
        let deadline = Instant::now() + Duration::from_secs(120);
        while TcpStream::connect(address).is_err() {
            if let Ok(Some(status)) = moto.child.try_wait() {
                return Err(format!("the S3 server ended at once: {status}"));
            }
            if Instant::now() > deadline {
                return Err("the S3 server does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(moto)
    }

    /// A new bucket; this server takes requests without a signature.
    fn create_bucket(&self, name: &str) -> Result<(), String> {
        let ctx = |e: std::io::Error| format!("creating a bucket: {e}");
        let mut stream = TcpStream::connect(self.address).map_err(ctx)?;
        let request = format!(
            "PUT /{name} HTTP/1.1\r\nhost: {}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            self.address
        );
        stream.write_all(request.as_bytes()).map_err(ctx)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(ctx)?;
        if answer.split(' ').nth(1) == Some("200") { Ok(()) } else { Err(answer) }
    }

    /// What our commands need to find it.
    fn environment(&self, command: &mut Command) {
        command
            .env("AWS_ENDPOINT", format!("http://{}", self.address))
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test");
    }
}

/// The Python that has the S3 server; installs it.
fn ensure_moto() -> Result<PathBuf, String> {
    let place = clients::target().join(format!("moto-{MOTO}"));
    let python = place.join("bin/python3");
    let works = |python: &Path| {
        let mut c = Command::new(python);
        c.args(["-c", "import moto.server"]).stdout(Stdio::null()).stderr(Stdio::null());
        c.status().is_ok_and(|s| s.success())
    };
    if works(&python) {
        return Ok(python);
    }
    println!("installing an S3 server (moto {MOTO}) in {}", place.display());
    let _ = std::fs::remove_dir_all(&place);
    let venv = || crate::run(Command::new("python3").args(["-m", "venv"]).arg(&place).stdout(Stdio::null()));
    if venv().is_err() {
        let apt = |args: &[&str]| {
            let mut c = Command::new("apt-get");
            crate::run(c.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
        };
        apt(&["update", "-qq"])
            .and_then(|()| apt(&["install", "-y", "-qq", "--no-install-recommends", "python3-venv"]))
            .and_then(|()| venv())
            .map_err(|e| format!("{HINT}\n{e}"))?;
    }
    let package = format!("moto[server]=={MOTO}");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", &package];
    crate::run(Command::new(&python).args(pip)).map_err(|e| format!("{HINT}\n{e}"))?;
    if works(&python) { Ok(python) } else { Err(HINT.into()) }
}

/// Runs everything.
pub(crate) fn run(kills: u32) -> Result<(), String> {
    let moto = Moto::start()?;
    let mut tests = crate::cargo::command();
    tests.args(["test", "--workspace", "--test", "s3"]);
    tests.env("EVENKEEL_TEST_S3", moto.address.to_string());
    crate::run(&mut tests)?;
    clients::ensure_clients()?;
    let binary = clients::build(false)?;
    let data = std::env::temp_dir().join(format!("evenkeel-s3-{}", std::process::id()));
    let result = killed(&moto, kills, &binary, &data);
    let _ = std::fs::remove_dir_all(&data);
    result
}

fn start(moto: &Moto, binary: &Path, data: &Path) -> Result<Server, String> {
    Server::start_with(binary, data, |command| {
        moto.environment(command);
        command.args(["--set", "archive_timeout=1s", "--set", "wal_segment_size=1MB"]);
        command.args(["--set", &format!("archive_url={}", url())]);
    })
}

fn url() -> String {
    format!("s3://{BUCKET}/archive")
}

/// A command of ours that must succeed; gives what it printed.
fn evenkeel(moto: &Moto, binary: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = Command::new(binary);
    moto.environment(&mut command);
    let out = command.args(args).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    if out.status.success() {
        return Ok(text);
    }
    Err(format!("evenkeel {}: {text}{}", args.join(" "), String::from_utf8_lossy(&out.stderr)))
}

/// Kills our server while it archives, again and again; the archive has no gap, and all of it can be had again.
fn killed(moto: &Moto, kills: u32, binary: &Path, data: &Path) -> Result<(), String> {
    moto.create_bucket(BUCKET)?;
    let database = data.join("database");
    let path = |name: &str| data.join(name).display().to_string();
    std::fs::create_dir_all(data).map_err(|e| e.to_string())?;
    let mut server = start(moto, binary, &database)?;
    pgbench(&["-i", "-q", "-s", "1"])?;
    evenkeel(moto, binary, &["backup", "create", "--data", &database.display().to_string(), &url()])?;
    for kill in 1..=kills {
        let before = history()?;
        let load = Load::start("tpcb-like")?;
        // A different moment each time, without a clock in the result.
        std::thread::sleep(Duration::from_millis(1500 + u64::from(kill * 7919 % 2000)));
        server.kill();
        let told = load.told()?;
        server = start(moto, binary, &database)?;
        sums(true)?;
        let found = told_are_there(before, told).map_err(|e| format!("kill {kill}: {e}"))?;
        println!("kill {kill} while archiving to S3: {told} commits told, {found} found");
    }
    psql("select pg_create_restore_point('the end')")?;
    let rows = history()?;
    server.stop()?;
    let verified = evenkeel(moto, binary, &["wal", "verify", &url()])?;
    println!("{}", verified.lines().last().unwrap_or_default());
    evenkeel(moto, binary, &["restore", &url(), &path("restored"), "--dry-run"])?;
    evenkeel(moto, binary, &["restore", &url(), &path("restored"), "--to-name", "the end"])?;
    check(binary, &data.join("restored"))?;
    // It archives on, under a timeline of its own.
    let server = start(moto, binary, &data.join("restored"))?;
    sums(true)?;
    if history()? != rows {
        return Err(format!("the history had {rows} rows, the restored one has {}", history()?));
    }
    pgbench(&["-n", "-b", "tpcb-like", "-c", "4", "-j", "2", "-T", "2"])?;
    server.stop()?;
    let verified = evenkeel(moto, binary, &["wal", "verify", &url()])?;
    if !verified.contains("timeline 2") {
        return Err(format!("the restored database did not archive to timeline 2:\n{verified}"));
    }
    println!("restored from S3 to {rows} rows of history, timeline 2 begun, the archive has no gap");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_kills_is_read() {
        let args = |a: &[&str]| a.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        assert_eq!(kills(&args(&[])), Ok(KILLS));
        assert_eq!(kills(&args(&["--kills", "7"])), Ok(7));
        assert!(kills(&args(&["--kills"])).is_err() && kills(&args(&["--kills", "x"])).is_err());
    }
}
