//! Real clients against a real server: pgbench loads and runs in every mode, and the server is killed under load. After each kill the sums agree, every
//! transaction that a client was told of is there, and the verifier finds nothing.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What to run.
pub struct Options {
    seconds: u32,
    scale: u32,
    kills: u32,
    release: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { seconds: 2, scale: 1, kills: 3, release: false }
    }
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--release" {
                o.release = true;
                continue;
            }
            let value =
                args.next().and_then(|v| v.parse().ok()).ok_or_else(|| format!("{arg} needs a number"))?;
            match arg.as_str() {
                "--seconds" => o.seconds = value,
                "--scale" => o.scale = value,
                "--kills" => o.kills = value,
                _ => return Err(format!("unknown option {arg}")),
            }
        }
        Ok(o)
    }
}

const PORT: &str = "5499";
const CLIENTS: u64 = 8;

struct Server {
    child: Child,
}

impl Server {
    fn start(binary: &Path, data: &Path) -> Result<Server, String> {
        let listen = format!("127.0.0.1:{PORT}");
        let child = Command::new(binary)
            .arg("serve")
            .arg("--data")
            .arg(data)
            .args(["--listen", &listen, "--set", "unix_socket_directories="])
            .args([
                "--set",
                "shared_buffers=64MB",
                "--set",
                "max_wal_size=64MB",
                "--set",
                "checkpoint_timeout=5s",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{} cannot be started: {e}", binary.display()))?;
        let mut server = Server { child };
        let deadline = Instant::now() + Duration::from_secs(60);
        while psql("select 1").is_err() {
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(format!("the server ended at once: {status}"));
            }
            if Instant::now() > deadline {
                return Err("the server does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// SIGKILL: no handler, no flush.
    fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// SIGTERM, and wait for a clean end.
    fn stop(mut self) -> Result<(), String> {
        crate::run(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))?;
        let status = self.child.wait().map_err(|e| e.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn client(name: &str) -> Command {
    let mut c = Command::new(name);
    c.env("PGHOST", "127.0.0.1").env("PGPORT", PORT).env("PGUSER", "postgres").env("PGDATABASE", "postgres");
    c
}

fn psql(sql: &str) -> Result<String, String> {
    let out = client("psql")
        .args(["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql])
        .output()
        .map_err(|e| e.to_string())?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    } else {
        Err(format!("{sql}: {}", String::from_utf8_lossy(&out.stderr)))
    }
}

fn pgbench(args: &[&str]) -> Result<String, String> {
    let out = client("pgbench").args(args).output().map_err(|e| e.to_string())?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if out.status.success() { Ok(text) } else { Err(format!("pgbench {}: {text}", args.join(" "))) }
}

/// A number in pgbench's report.
fn reported(text: &str, label: &str) -> Option<f64> {
    let line = text.lines().find(|l| l.starts_with(label))?;
    line[label.len()..].split_whitespace().find_map(|w| w.parse().ok())
}

/// Installs psql and pgbench where Debian's packages can do it.
fn ensure_clients() -> Result<(), String> {
    let there = |name: &str| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    if there("psql") && there("pgbench") {
        return Ok(());
    }
    println!("installing psql and pgbench (Debian packages postgresql-client and postgresql-contrib)");
    let hint = "these tests need PostgreSQL's psql and pgbench on the PATH: install them (Debian: apt-get install postgresql)";
    let apt = |args: &[&str]| {
        crate::run(
            Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()),
        )
    };
    // No cluster of the package's own: only its programs are wanted.
    let _ = std::fs::create_dir_all("/etc/postgresql-common");
    let _ = std::fs::write(
        "/etc/postgresql-common/createcluster.conf",
        "create_main_cluster = false\nstart_conf = 'manual'\n",
    );
    apt(&["update", "-qq"])
        .and_then(|()| apt(&["install", "-y", "-qq", "--no-install-recommends", "postgresql"]))
        .map_err(|e| format!("{hint}\n{e}"))?;
    if there("psql") && there("pgbench") { Ok(()) } else { Err(hint.into()) }
}

/// Runs everything.
pub fn run(o: &Options) -> Result<(), String> {
    ensure_clients()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--bin", "evenkeel"]);
    if o.release {
        build.arg("--release");
    }
    crate::run(&mut build)?;
    let target = std::env::var("CARGO_TARGET_DIR").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace").join("target"),
        PathBuf::from,
    );
    let binary = target.join(if o.release { "release" } else { "debug" }).join("evenkeel");
    let data = std::env::temp_dir().join(format!("evenkeel-clients-{}", std::process::id()));
    let result = matrix(o, &binary, &data).and_then(|()| kills(o, &binary, &data));
    let _ = std::fs::remove_dir_all(&data);
    result
}

/// Loads both ways and runs every built-in script in every mode.
fn matrix(o: &Options, binary: &Path, data: &Path) -> Result<(), String> {
    let scale = o.scale.to_string();
    let seconds = o.seconds.to_string();
    let clients = CLIENTS.to_string();
    for steps in ["dtgvp", "dtGvpf"] {
        let server = Server::start(binary, data)?;
        pgbench(&["-i", "-q", "-s", &scale, "-I", steps])?;
        println!("pgbench -i -I {steps} -s {scale}: done");
        let mut new = true;
        for script in ["tpcb-like", "simple-update", "select-only"] {
            for mode in ["simple", "extended", "prepared"] {
                // Without -n the first run empties the history; later ones add to it.
                let mut args = vec!["-M", mode, "-b", script, "-c", &clients, "-j", "2", "-T", &seconds];
                if !new {
                    args.push("-n");
                }
                new = false;
                let text = pgbench(&args)?;
                let failed = reported(&text, "number of failed transactions:").unwrap_or(0.0);
                if failed > 0.0 || text.contains("aborted") {
                    return Err(format!("{script} {mode}: transactions failed\n{text}"));
                }
                println!("{script:>14} {mode:<9} {:>8.0} tps", reported(&text, "tps =").unwrap_or(0.0));
                if script == "tpcb-like" {
                    sums(true)?;
                }
            }
        }
        sums(false)?;
        server.stop()?;
        check(binary, data)?;
        if steps != "dtGvpf" {
            std::fs::remove_dir_all(data).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

/// Balances that must agree: all four after tpcb-like alone; simple-update leaves tellers and branches out.
fn sums(all: bool) -> Result<(), String> {
    let row = psql(
        "select (select sum(abalance) from pgbench_accounts), (select coalesce(sum(delta), 0) from pgbench_history), \
         (select sum(tbalance) from pgbench_tellers), (select sum(bbalance) from pgbench_branches)",
    )?;
    let v: Vec<&str> = row.split('|').collect();
    let agree = v.len() == 4 && v[0] == v[1] && v[2] == v[3] && (!all || v[0] == v[2]);
    if agree {
        Ok(())
    } else {
        Err(format!("the sums do not agree (accounts, history, tellers, branches): {row}"))
    }
}

fn check(binary: &Path, data: &Path) -> Result<(), String> {
    let out = Command::new(binary).arg("check").arg(data).output().map_err(|e| e.to_string())?;
    if out.status.success() {
        return Ok(());
    }
    Err(format!(
        "evenkeel check found something:\n{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    ))
}

/// Kills the server under load, again and again.
fn kills(o: &Options, binary: &Path, data: &Path) -> Result<(), String> {
    for kill in 1..=o.kills {
        let server = Server::start(binary, data)?;
        let count = || -> Result<u64, String> {
            psql("select count(*) from pgbench_history")?.parse().map_err(|e| format!("{e}"))
        };
        let before = count()?;
        let script = if kill % 2 == 0 { "simple-update" } else { "tpcb-like" };
        let clients = CLIENTS.to_string();
        let load = client("pgbench")
            .args(["-n", "-M", "prepared", "-b", script, "-c", &clients, "-j", "2", "-T", "60"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        // A different moment each time, without a clock in the result.
        std::thread::sleep(Duration::from_millis(500 + u64::from(kill * 7919 % 1500)));
        server.kill();
        let out = load.wait_with_output().map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let told = reported(&text, "number of transactions actually processed:").ok_or_else(|| {
            format!("pgbench reported nothing: {text}{}", String::from_utf8_lossy(&out.stderr))
        })? as u64;
        let server = Server::start(binary, data)?;
        sums(false)?;
        let after = count()?;
        if after < before + told || after > before + told + CLIENTS {
            return Err(format!(
                "kill {kill}: clients were told of {told} commits; history had {before} rows, has {after}"
            ));
        }
        server.stop()?;
        check(binary, data)?;
        println!(
            "kill {kill} under {script}: {told} commits told, {} found, sums agree, check is clean",
            after - before
        );
    }
    Ok(())
}
