//! Real clients against a real server: pgbench loads and runs in every mode, and the server is killed under load. After each kill the sums agree, every
//! transaction that a client was told of is there, and the verifier finds nothing.

use crate::args;
use crate::pairs::wire::Place;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What to run.
pub struct Options {
    seconds: u32,
    scale: u32,
    kills: u32,
    release: bool,
    cut: Cut,
}

/// How the power is cut; an empty data folder means that it is not.
#[derive(Default)]
pub(crate) struct Cut {
    /// The server's data, on the disk that the commands cut and restore.
    pub data: PathBuf,
    /// Shell commands; `{seed}` in them is the cut's number.
    pub cut: String,
    pub restore: String,
    pub cuts: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { seconds: 2, scale: 1, kills: 3, release: false, cut: Cut { cuts: 5, ..Cut::default() } }
    }
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--seconds" => o.seconds = value.number()?,
                "--scale" => o.scale = value.number()?,
                "--kills" => o.kills = value.number()?,
                "--cut-data" => o.cut.data = value.text.into(),
                "--cut" => o.cut.cut = value.text.into(),
                "--restore" => o.cut.restore = value.text.into(),
                "--cuts" => o.cut.cuts = value.number()?,
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        let given = [!o.cut.data.as_os_str().is_empty(), !o.cut.cut.is_empty(), !o.cut.restore.is_empty()];
        if given.contains(&true) && given.contains(&false) {
            return Err("--cut-data, --cut and --restore go together".into());
        }
        Ok(o)
    }
}

/// A port that was free when the first server started.
pub(crate) fn port() -> &'static str {
    static PORT: OnceLock<String> = OnceLock::new();
    PORT.get_or_init(|| {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
        free.map_or_else(|_| "5499".to_owned(), |a| a.port().to_string())
    })
}
pub(crate) const CLIENTS: u64 = 8;

pub(crate) struct Server {
    child: Child,
}

impl Server {
    pub(crate) fn start(binary: &Path, data: &Path) -> Result<Server, String> {
        Server::start_with(binary, data, |_| {})
    }

    /// As `start`, with more arguments or another environment.
    pub(crate) fn start_with(
        binary: &Path,
        data: &Path,
        more: impl FnOnce(&mut Command),
    ) -> Result<Server, String> {
        Server::start_at(port(), binary, data, more)
    }

    /// As `start_with`, at another port than the usual one.
    pub(crate) fn start_at(
        port: &str,
        binary: &Path,
        data: &Path,
        more: impl FnOnce(&mut Command),
    ) -> Result<Server, String> {
        let listen = format!("127.0.0.1:{port}");
        let mut command = Command::new(binary);
        command
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
            .stderr(Stdio::null());
        more(&mut command);
        let child = command.spawn().map_err(|e| format!("{} cannot be started: {e}", binary.display()))?;
        let mut server = Server { child };
        let deadline = Instant::now() + Duration::from_secs(60);
        while psql_at(port, "select 1").is_err() {
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

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// SIGKILL: no handler, no flush.
    pub(crate) fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// SIGTERM, and wait for a clean end.
    pub(crate) fn stop(mut self) -> Result<(), String> {
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

pub(crate) fn client(name: &str) -> Command {
    let mut c = Command::new(name);
    c.env("PGHOST", "127.0.0.1")
        .env("PGPORT", port())
        .env("PGUSER", "postgres")
        .env("PGDATABASE", "postgres");
    c
}

pub(crate) fn psql(sql: &str) -> Result<String, String> {
    psql_at(port(), sql)
}

fn psql_at(port: &str, sql: &str) -> Result<String, String> {
    let out = client("psql")
        .env("PGPORT", port)
        .args(["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql])
        .output()
        .map_err(|e| e.to_string())?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    } else {
        Err(format!("{sql}: {}", String::from_utf8_lossy(&out.stderr)))
    }
}

pub(crate) fn pgbench(args: &[&str]) -> Result<String, String> {
    let out = client("pgbench").args(args).output().map_err(|e| e.to_string())?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if out.status.success() { Ok(text) } else { Err(format!("pgbench {}: {text}", args.join(" "))) }
}

/// A number in pgbench's report.
pub(crate) fn reported(text: &str, label: &str) -> Option<f64> {
    let line = text.lines().find(|l| l.starts_with(label))?;
    line[label.len()..].split_whitespace().find_map(|w| w.parse().ok())
}

/// Whether a program can be run.
pub(crate) fn there(name: &str) -> bool {
    let mut command = Command::new(name);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

pub(crate) fn apt(args: &[&str]) -> Result<(), String> {
    crate::run(
        Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()),
    )
}

/// Installs psql and pgbench where Debian's packages can do it.
pub(crate) fn ensure_clients() -> Result<(), String> {
    if there("psql") && there("pgbench") {
        return Ok(());
    }
    println!("installing psql and pgbench (Debian packages postgresql-client and postgresql-contrib)");
    let hint = "these tests need PostgreSQL's psql and pgbench on the PATH: install them (Debian: apt-get install postgresql)";
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

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var("CARGO_TARGET_DIR").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace").join("target"),
        PathBuf::from,
    )
}

static TESTED: AtomicBool = AtomicBool::new(false);

/// The tests have built the server just now. A build of it alone would be another one: libraries have more features where the tests of all crates are built.
pub(crate) fn is_built_by_tests() {
    TESTED.store(true, Ordering::Relaxed);
}

/// Builds the server.
pub(crate) fn build(release: bool) -> Result<PathBuf, String> {
    let tested = target().join("debug/evenkeel");
    if !release && TESTED.load(Ordering::Relaxed) && tested.exists() {
        return Ok(tested);
    }
    let mut build = crate::cargo::command();
    build.args(["build", "--bin", "evenkeel"]);
    if release {
        build.arg("--release");
    }
    crate::run(&mut build)?;
    Ok(target().join(if release { "release" } else { "debug" }).join("evenkeel"))
}

/// Runs everything.
pub fn run(o: &Options) -> Result<(), String> {
    ensure_clients()?;
    let binary = build(o.release)?;
    if !o.cut.cut.is_empty() {
        return crate::cuts::run(&o.cut, o.scale, &binary);
    }
    let data = std::env::temp_dir().join(format!("evenkeel-clients-{}", std::process::id()));
    let result =
        matrix(o, &binary, &data).and_then(|()| kills(o, &binary, &data)).and_then(|()| recoveries(&binary));
    let _ = std::fs::remove_dir_all(&data);
    result
}

/// Every kind of recovery that `bench recovery` knows, in small: it fails if one of them loses what was confirmed.
fn recoveries(binary: &Path) -> Result<(), String> {
    let mut bench = Command::new(binary);
    bench.args(["bench", "recovery", "--scale", "1", "--seconds", "2"]);
    let out = bench.output().map_err(|e| format!("evenkeel bench recovery: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let lines = text.lines().filter(|l| l.starts_with("crash,") || l.starts_with("archive,")).count();
    if out.status.success() && lines == 10 {
        println!("bench recovery: {lines} kinds of recovery, nothing lost");
        return Ok(());
    }
    Err(format!(
        "evenkeel bench recovery: {}, {lines} lines: {text}{}",
        out.status,
        String::from_utf8_lossy(&out.stderr)
    ))
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
pub(crate) fn sums(all: bool) -> Result<(), String> {
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

pub(crate) fn check(binary: &Path, data: &Path) -> Result<(), String> {
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

/// Rows of the history: one for each transaction.
pub(crate) fn history() -> Result<u64, String> {
    psql("select count(*) from pgbench_history")?.parse().map_err(|e| format!("{e}"))
}

/// pgbench at work, until its server is gone.
pub(crate) struct Load(Child);

impl Load {
    pub(crate) fn start(script: &str) -> Result<Load, String> {
        let clients = CLIENTS.to_string();
        let child = client("pgbench")
            .args(["-n", "-M", "prepared", "-b", script, "-c", &clients, "-j", "2", "-T", "60"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        Ok(Load(child))
    }

    /// Waits for its end: of how many commits its clients were told.
    pub(crate) fn told(self) -> Result<u64, String> {
        let out = self.0.wait_with_output().map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let told = reported(&text, "number of transactions actually processed:");
        told.map(|n| n as u64).ok_or_else(|| {
            format!("pgbench reported nothing: {text}{}", String::from_utf8_lossy(&out.stderr))
        })
    }
}

/// Every commit that was told is there, and no more than each client could have under way. Gives how many there are.
pub(crate) fn told_are_there(before: u64, told: u64) -> Result<u64, String> {
    let after = history()?;
    if (before + told..=before + told + CLIENTS).contains(&after) {
        Ok(after - before)
    } else {
        Err(format!("clients were told of {told} commits; history had {before} rows, has {after}"))
    }
}

/// Kills the server under load, again and again.
fn kills(o: &Options, binary: &Path, data: &Path) -> Result<(), String> {
    for kill in 1..=o.kills {
        let server = Server::start(binary, data)?;
        let before = history()?;
        let script = if kill % 2 == 0 { "simple-update" } else { "tpcb-like" };
        let load = Load::start(script)?;
        // A different moment each time, without a clock in the result.
        std::thread::sleep(Duration::from_millis(500 + u64::from(kill * 7919 % 1500)));
        server.kill();
        let told = load.told()?;
        let server = Server::start(binary, data)?;
        sums(false)?;
        let found = told_are_there(before, told).map_err(|e| format!("kill {kill}: {e}"))?;
        server.stop()?;
        check(binary, data)?;
        println!(
            "kill {kill} under {script}: {told} commits told, {found} found, sums agree, check is clean"
        );
    }
    Ok(())
}

/// Calls `f` with a server that runs, or else with one that is started for it and has a new database.
pub fn with_server<T>(
    running: Option<&Place>,
    release: bool,
    name: &str,
    f: impl FnOnce(&Place) -> Result<T, String>,
) -> Result<T, String> {
    if let Some(place) = running {
        return f(place);
    }
    let data = std::env::temp_dir().join(format!("evenkeel-{name}-{}", std::process::id()));
    ensure_clients()?;
    let binary = build(release)?;
    let server = Server::start(&binary, &data)?;
    let result = f(&Place::parse(&format!("port={}", port()))?);
    drop(server);
    let _ = std::fs::remove_dir_all(&data);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|a| a.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn power_cuts_need_folder_and_both_commands() {
        let o =
            parse(&["--cut-data", "/d", "--cut", "cut {seed}", "--restore", "again", "--cuts", "7"]).unwrap();
        assert_eq!((o.cut.data.as_path(), o.cut.cuts), (Path::new("/d"), 7));
        assert!(parse(&["--cut", "x"]).is_err());
        assert!(parse(&["--cut-data", "/d", "--restore", "x"]).is_err());
        assert!(parse(&["--cuts", "many"]).is_err());
        assert!(parse(&["--kills"]).is_err());
        assert!(parse(&[]).unwrap().cut.cut.is_empty());
    }
}
