//! System calls that fail: strace makes them, the kernel's other work goes on. Under load each call of a list fails at one moment or from then on, of a running server; and in a start after a
//! kill each of another list, once. Whatever the server does then, what was acknowledged is there after a kill and a start, and nothing panics.
//!
//! It must not know what the server does in such a case: going on and ending with a word are both well.

use crate::args;
use crate::clients::{Server, apt, build, client, ensure_clients, psql, there};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Which, and for how long.
pub struct Options {
    only: String,
    seconds: u64,
    release: bool,
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options { only: String::new(), seconds: 4, release: false };
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--only" => o.only = value.text.to_owned(),
                "--seconds" => o.seconds = value.number()?,
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        Ok(o)
    }
}

/// Calls and what becomes of them, in strace's words.
const CASES: [&str; 34] = [
    "pwritev:error=EIO:when=3",
    "pwritev:error=EIO:when=40",
    "pwritev:error=ENOSPC:when=40",
    "pwritev:error=EINTR:when=10+5",
    "pwrite64:error=EIO:when=1",
    "pwrite64:error=ENOSPC:when=2",
    "fdatasync:error=EIO:when=1",
    "fdatasync:error=EIO:when=4",
    "fdatasync:error=ENOSPC:when=2",
    "fsync:error=EIO:when=1",
    "fsync:error=EIO:when=3",
    "pread64:error=EIO:when=20",
    "pread64:error=EINTR:when=5+7",
    "preadv:error=EIO:when=3",
    "openat:error=EMFILE:when=3+2",
    "openat:error=EIO:when=4",
    "openat:error=ENOSPC:when=2",
    "ftruncate:error=ENOSPC:when=1",
    "fallocate:error=ENOSPC:when=1",
    "renameat:error=EIO:when=1",
    "unlinkat:error=EIO:when=1",
    "accept4:error=EMFILE:when=1+3",
    "accept4:error=ECONNABORTED:when=1+2",
    "clone3:error=EAGAIN:when=1+2",
    "mmap:error=ENOMEM:when=5+4",
    "madvise:error=EAGAIN:when=1+",
    "write:error=EAGAIN:when=3+9",
    "sendto:error=EINTR:when=5+11",
    "recvfrom:error=EINTR:when=5+11",
    "epoll_ctl:error=ENOMEM:when=2+3",
    "sync_file_range:error=EIO:when=1",
    "fstat:error=EIO:when=2+4",
    "statx:error=EIO:when=2",
    "getrandom:error=EINTR:when=1+2",
];

/// Calls of a start that fail once, each at several moments: a start reads, makes durable, redoes, and makes room before anybody is let in.
const STARTS: [&str; 13] = [
    "openat:error=EIO",
    "openat:error=EACCES",
    "pread64:error=EIO",
    "pwritev:error=EIO",
    "pwrite64:error=ENOSPC",
    "fdatasync:error=EIO",
    "fsync:error=EIO",
    "ftruncate:error=EIO",
    "fallocate:error=ENOSPC",
    "renameat:error=EIO",
    "unlinkat:error=EIO",
    "getdents64:error=EIO",
    "newfstatat:error=EIO",
];
/// Which of the calls of a thread; those of the program's own loading, of which each start has some, are opened before.
const MOMENTS: [u32; 5] = [1, 2, 4, 12, 40];

const CLIENTS: u64 = 4;
/// Each client counts its rows; `:n` lives as long as it does.
const SCRIPT: &str = "\\set n :n + 1\ninsert into facts values (:client_id, :n, repeat('x', 200));\n";
/// What else happens meanwhile: files come and go, pages are read, sorts spill.
const ASIDE: &str = "create table if not exists passing (a int primary key, b text); \
     insert into passing select g, repeat('y', 300) from generate_series(1, 3000) g; create index on passing (b); checkpoint; \
     set work_mem = '64kB'; select count(*) from (select b from passing order by b limit 2000) x; drop table passing;";
/// The exit code of a server whose engine had to stop.
const ENGINE_STOPPED: i32 = 3;

/// Every case on a database of its own.
pub fn run(options: &Options) -> Result<(), String> {
    ensure_clients()?;
    if !there("strace") {
        println!("installing strace");
        apt(&["install", "-y", "-qq", "strace"]).map_err(|e| {
            format!("this needs strace on the PATH: install it (Debian: apt-get install strace)\n{e}")
        })?;
    }
    let binary = build(options.release)?;
    let dir = std::env::temp_dir().join(format!("evenkeel-faults-{}", std::process::id()));
    let result = cases(options, &binary, &dir);
    if result.is_ok() {
        let _ = std::fs::remove_dir_all(&dir);
    }
    result
}

fn cases(options: &Options, binary: &Path, dir: &Path) -> Result<(), String> {
    std::fs::create_dir_all(dir).map_err(|e| e.to_string())?;
    println!("{:<40} {:>8} {:>12}  what the server did", "call", "failed", "acknowledged");
    let (mut done, mut failed) = (0, 0);
    for case in CASES.into_iter().filter(|c| c.contains(&options.only)) {
        let outcome = one(options, binary, dir, case)
            .map_err(|why| format!("{case}: {why}; its files are in {}", dir.display()))?;
        println!("{case:<40} {:>8} {:>12}  {}", outcome.failed, outcome.acknowledged, outcome.did);
        done += 1;
        failed += outcome.failed;
    }
    let cases: Vec<String> = STARTS
        .into_iter()
        .filter(|c| c.contains(&options.only))
        .flat_map(|c| MOMENTS.map(|moment| format!("{c}:when={moment}")))
        .collect();
    if done + cases.len() == 0 {
        return Err(format!("no call has {} in its name", options.only));
    }
    if !cases.is_empty() {
        let base = Base::make(options, binary, dir)?;
        for case in &cases {
            let outcome = base
                .start(binary, dir, case)
                .map_err(|why| format!("a start, {case}: {why}; its files are in {}", dir.display()))?;
            println!(
                "{:<40} {:>8} {:>12}  {}",
                format!("start, {case}"),
                outcome.failed,
                outcome.acknowledged,
                outcome.did
            );
            done += 1;
            failed += outcome.failed;
        }
    }
    println!("{done} calls, {failed} times they failed: nothing that was acknowledged was lost");
    Ok(())
}

struct Outcome {
    failed: usize,
    acknowledged: u64,
    did: &'static str,
}

fn one(options: &Options, binary: &Path, dir: &Path, case: &str) -> Result<Outcome, String> {
    let data = dir.join("db");
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir).map_err(|e| e.to_string())?;
    let log = dir.join("server.log");
    let logged = |c: &mut Command| {
        if let Ok(file) = std::fs::OpenOptions::new().append(true).create(true).open(&log) {
            c.stderr(file);
        }
    };
    let mut server = Server::start_with(binary, &data, logged)?;
    psql("create table facts (client int, n int, filler text, primary key (client, n))")?;
    psql("create table known (a int primary key, b text)")?;
    psql("insert into known select g, repeat('z', 500) from generate_series(1, 20000) g")?;
    psql("checkpoint")?;

    let calls = dir.join("calls");
    let mut strace = trace(case, &calls, server.id())?;
    let aside =
        client("psql").args(["-X", "-q", "-c", ASIDE]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let counted = load(dir, options.seconds)?;
    if let Ok(mut aside) = aside {
        let _ = aside.kill();
        let _ = aside.wait();
    }
    detach(&mut strace);
    let failed = std::fs::read_to_string(&calls).unwrap_or_default().matches("INJECTED").count();

    // One that has to end takes a moment for its last words.
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut ended = server.ended();
    while ended.is_none() && Instant::now() < deadline && psql("select 1").is_err() {
        std::thread::sleep(Duration::from_millis(100));
        ended = server.ended();
    }
    let did = match ended {
        None => {
            look(&counted).map_err(|e| format!("while it runs: {e}"))?;
            server.kill();
            "went on"
        }
        Some(status) if status.code() == Some(ENGINE_STOPPED) => "ended with a word",
        Some(status) => return Err(format!("the server ended with {status}")),
    };
    restarted(binary, &data, &counted, logged)?;
    no_panic(&log)?;
    Ok(Outcome { failed, acknowledged: counted.iter().sum(), did })
}

/// A start in which nothing fails has all that was acknowledged, and goes on.
fn restarted(
    binary: &Path,
    data: &Path,
    counted: &[u64],
    more: impl FnOnce(&mut Command),
) -> Result<(), String> {
    let server = Server::start_with(binary, data, more)?;
    look(counted).map_err(|e| format!("after the restart: {e}"))?;
    let known = psql("select count(*), sum(length(b)) from known")?;
    if known != "20000|10000000" {
        return Err(format!("a table that nobody changed has {known}"));
    }
    psql("insert into facts values (-1, 1, '')")?;
    server.stop()?;
    let check = Command::new(binary).arg("check").arg(data).output().map_err(|e| e.to_string())?;
    if !check.status.success() {
        return Err(format!("evenkeel check: {}", String::from_utf8_lossy(&check.stdout)));
    }
    Ok(())
}

fn no_panic(log: &Path) -> Result<(), String> {
    let said = std::fs::read_to_string(log).unwrap_or_default();
    match said.lines().find(|l| l.contains("panicked")) {
        Some(line) => Err(line.to_owned()),
        None => Ok(()),
    }
}

/// A database that was killed under load.
struct Base {
    folder: PathBuf,
    counted: Vec<u64>,
}

impl Base {
    fn make(options: &Options, binary: &Path, dir: &Path) -> Result<Base, String> {
        let _ = std::fs::remove_dir_all(dir);
        std::fs::create_dir_all(dir).map_err(|e| e.to_string())?;
        let folder = dir.join("killed");
        let server = Server::start_with(binary, &folder, |c| {
            c.args(["--set", "checkpoint_timeout=1h"]);
        })?;
        psql("create table facts (client int, n int, filler text, primary key (client, n))")?;
        psql("create table known (a int primary key, b text)")?;
        psql("insert into known select g, repeat('z', 500) from generate_series(1, 20000) g")?;
        psql("checkpoint")?;
        let counted = load(dir, options.seconds)?;
        server.kill();
        Ok(Base { folder, counted })
    }

    /// A start of a copy, in which a call fails, and the next.
    fn start(&self, binary: &Path, dir: &Path, case: &str) -> Result<Outcome, String> {
        let (data, log, calls) = (dir.join("db"), dir.join("server.log"), dir.join("calls"));
        let _ = std::fs::remove_dir_all(&data);
        let _ = std::fs::remove_file(&log);
        crate::run(Command::new("cp").args(["-a", "--sparse=always"]).arg(&self.folder).arg(&data))?;
        let logged = |c: &mut Command| {
            if let Ok(file) = std::fs::OpenOptions::new().append(true).create(true).open(&log) {
                c.stderr(file);
            }
        };
        // The tracer beside the server, not above it: a kill has to reach the server.
        let traced = dir.join("traced");
        let call = case.split(':').next().unwrap_or(case);
        let script = format!(
            "#!/bin/sh\nexec strace -D -f -qq -e trace={call} -e inject={case} -o '{}' '{}' \"$@\"\n",
            calls.display(),
            binary.display()
        );
        std::fs::write(&traced, script).map_err(|e| e.to_string())?;
        crate::run(Command::new("chmod").arg("+x").arg(&traced))?;
        let did = match Server::start_with(&traced, &data, logged) {
            Ok(server) => {
                look(&self.counted).map_err(|e| format!("while it runs: {e}"))?;
                server.kill();
                "started"
            }
            Err(_) => "did not start",
        };
        let failed = std::fs::read_to_string(&calls).unwrap_or_default().matches("INJECTED").count();
        restarted(binary, &data, &self.counted, logged)?;
        no_panic(&log)?;
        Ok(Outcome { failed, acknowledged: self.counted.iter().sum(), did })
    }
}

/// strace on all threads of the server: the call of the case alone is followed.
fn trace(case: &str, calls: &Path, pid: u32) -> Result<Child, String> {
    let call = case.split(':').next().unwrap_or(case);
    let mut strace = Command::new("strace")
        .args(["-f", "-qq", "-e", &format!("trace={call}"), "-e", &format!("inject={case}"), "-o"])
        .arg(calls)
        .args(["-p", &pid.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    std::thread::sleep(Duration::from_millis(500));
    match strace.try_wait() {
        Ok(None) => Ok(strace),
        _ => {
            Err("strace may not attach to the server: it needs ptrace (kernel.yama.ptrace_scope, or root)"
                .into())
        }
    }
}

fn detach(strace: &mut Child) {
    let _ = Command::new("kill").args(["-INT", &strace.id().to_string()]).status();
    let _ = strace.wait();
}

/// What each client was told is committed: so many rows, numbered from 1.
fn load(dir: &Path, seconds: u64) -> Result<Vec<u64>, String> {
    let script = dir.join("load.sql");
    std::fs::write(&script, SCRIPT).map_err(|e| e.to_string())?;
    let (clients, seconds) = (CLIENTS.to_string(), seconds.to_string());
    let prefix = dir.join("told");
    // It fails where the server ends; what it was told until then is in its log.
    let _ = client("pgbench")
        .args(["-n", "-c", &clients, "-j", &clients, "-T", &seconds, "-D", "n=0", "-l"])
        .arg(format!("--log-prefix={}", prefix.display()))
        .arg("-f")
        .arg(&script)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|e| e.to_string())?;
    let mut counted = vec![0; CLIENTS as usize];
    for file in
        std::fs::read_dir(dir).map_err(|e| e.to_string())?.flatten().map(|e| e.path()).filter(|p| is_told(p))
    {
        for line in std::fs::read_to_string(file).map_err(|e| e.to_string())?.lines() {
            let client = line.split(' ').next().and_then(|c| c.parse::<usize>().ok());
            if let Some(count) = client.and_then(|c| counted.get_mut(c)) {
                *count += 1;
            }
        }
    }
    Ok(counted)
}

fn is_told(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("told."))
}

/// Whether all rows that were acknowledged are there.
fn look(counted: &[u64]) -> Result<(), String> {
    for (client, count) in counted.iter().enumerate() {
        let sql = format!("select count(*) from facts where client = {client} and n <= {count}");
        let there = psql(&sql)?;
        if there != count.to_string() {
            return Err(format!("of client {client} {count} rows were acknowledged, and {there} are there"));
        }
    }
    Ok(())
}
