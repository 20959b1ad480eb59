//! Single bits turned over in the files of a killed database: each is refused, healed, reported, or harmless, and none loses an acknowledged row in silence.
//! What is only in the last gang before the kill is counted apart: nothing behind it proves that it was durable.

use crate::args;
use crate::clients::{Server, build, ensure_clients, pgbench, psql};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How many, and which.
pub struct Options {
    flips: u64,
    seed: u64,
    release: bool,
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options { flips: 300, seed: 1, release: false };
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--flips" => o.flips = value.number()?,
                "--seed" => o.seed = value.number()?,
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        Ok(o)
    }
}

const CLIENTS: u64 = 8;
const SCRIPT: &str = "insert into h(c, v) values (:client_id, repeat('x', 120));\nupdate t set n = n + 1 where id = 1 + :client_id;\n";
const FACTS: &str = "select (select count(*) from h), (select sum(length(v)) from h), (select count(*) from t), (select sum(n) from t)";
/// What each kind of flip is aimed at.
const KINDS: [&str; 6] = ["control", "wal", "wal", "data", "data", "other"];

/// Makes two databases, one with an archive, and does to copies of them what a medium may.
pub fn run(options: &Options) -> Result<(), String> {
    ensure_clients()?;
    let binary = build(options.release)?;
    let dir = std::env::temp_dir().join(format!("evenkeel-flips-{}", std::process::id()));
    let result = flips(options, &binary, &dir);
    let _ = std::fs::remove_dir_all(&dir);
    result
}

struct Base {
    folder: PathBuf,
    rows: u64,
    facts: String,
}

fn flips(options: &Options, binary: &Path, dir: &Path) -> Result<(), String> {
    println!("single bits turned over in the files of killed databases, seed {}", options.seed);
    let bases = [
        make(binary, &dir.join("alone"), None)?,
        make(binary, &dir.join("archived"), Some(&dir.join("archive")))?,
    ];
    let mut rng = options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = move |below: u64| {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        (rng >> 11) % below
    };
    let mut counts = [0u64; OUTCOMES.len()];
    let mut by_kind = std::collections::BTreeMap::<&str, [u64; OUTCOMES.len()]>::new();
    for i in 0..options.flips {
        let base = &bases[(i % 2) as usize];
        let work = dir.join("work");
        let _ = std::fs::remove_dir_all(&work);
        copy(&base.folder, &work)?;
        let kind = KINDS[random(KINDS.len() as u64) as usize];
        let files = files_of(&work, kind)?;
        let Some(path) = files.get(random(files.len().max(1) as u64) as usize) else { continue };
        let mut bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        // Most of a file may be zeros that nobody reads: half of the flips hit a byte that is not.
        let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
        let at = match random(2) {
            0 if !used.is_empty() => used[random(used.len() as u64) as usize],
            _ => random(bytes.len() as u64) as usize,
        };
        bytes[at] ^= 1 << random(8);
        std::fs::write(path, bytes).map_err(|e| e.to_string())?;
        let outcome = look(binary, &work, base).map_err(|e| {
            format!("flip {i} of seed {}, byte {at} of {}: {e}", options.seed, path.display())
        })?;
        counts[outcome] += 1;
        by_kind.entry(kind).or_default()[outcome] += 1;
    }
    for (kind, counts) in by_kind {
        let line: Vec<String> = OUTCOMES.iter().zip(counts).map(|(o, n)| format!("{n} {o}")).collect();
        println!("{kind}: {}", line.join(", "));
    }
    let line: Vec<String> = OUTCOMES.iter().zip(counts).map(|(o, n)| format!("{n} {o}")).collect();
    println!("all {}: {}; no acknowledged row was lost in silence", options.flips, line.join(", "));
    Ok(())
}

const OUTCOMES: [&str; 5] = ["refused", "healed", "reported", "harmless", "in the last gang"];

/// Loads a database over the wire, notes what was acknowledged, and kills it.
fn make(binary: &Path, folder: &Path, archive: Option<&Path>) -> Result<Base, String> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let mut settings = "wal_segment_size = \"64kB\"\nwal_buffers = \"256kB\"\n".to_owned();
    if let Some(archive) = archive {
        settings += &format!("archive_url = \"file://{}\"\n", archive.display());
    }
    std::fs::write(folder.join("evenkeel.toml"), settings).map_err(|e| e.to_string())?;
    let server = Server::start_with(binary, folder, |c| {
        c.args(["--set", "checkpoint_timeout=1h", "--set", "shared_buffers=4MB"]);
    })?;
    psql(
        "create table t (id int primary key, n int); insert into t select g, 0 from generate_series(1, 5000) g",
    )?;
    psql("create table h (id bigint generated by default as identity primary key, c int, v text)")?;
    psql("checkpoint")?;
    let script = folder.with_extension("sql");
    std::fs::write(&script, SCRIPT).map_err(|e| e.to_string())?;
    let (clients, file) = (CLIENTS.to_string(), script.display().to_string());
    pgbench(&["-n", "-c", &clients, "-j", "2", "-t", "150", "-f", &file])?;
    // Seen over the wire, so durable.
    let facts = psql(FACTS)?;
    if archive.is_some() {
        // What is finished of the log goes to the archive by and by.
        std::thread::sleep(std::time::Duration::from_secs(5));
    }
    server.kill();
    let rows = facts.split('|').next().and_then(|n| n.trim().parse().ok()).ok_or("no count of rows")?;
    println!("{}: {rows} rows acknowledged", folder.display());
    Ok(Base { folder: folder.to_path_buf(), rows, facts: facts.trim().replace('|', ",") })
}

/// What became of a flip, as an index into `OUTCOMES`.
fn look(binary: &Path, work: &Path, base: &Base) -> Result<usize, String> {
    let run = |args: &[&str]| Command::new(binary).args(args).output().map_err(|e| e.to_string());
    let text =
        |o: &Output| format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
    let folder = work.display().to_string();
    let read = run(&["sql", &folder, FACTS, "--csv", "--tuples-only"])?;
    match read.status.code() {
        Some(0) => {}
        Some(1) => {
            if std::env::var_os("EVENKEEL_FLIPS_SHOW").is_some() {
                println!("{}", text(&read));
            }
            return Ok(0);
        }
        _ => return Err(format!("the program did not end well: {}", text(&read))),
    }
    let facts = String::from_utf8_lossy(&read.stdout).trim().to_owned();
    let check = run(&["check", &folder])?;
    match check.status.code() {
        Some(0 | 1) => {}
        _ => return Err(format!("the check did not end well: {}", text(&check))),
    }
    if !check.status.success() {
        return Ok(2);
    }
    if facts == base.facts {
        let said = text(&read) + &text(&check);
        let healed = said.contains("was fetched from the archive") || said.contains("two copies");
        return Ok(if healed { 1 } else { 3 });
    }
    let rows: u64 = facts.split(',').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    if rows < base.rows && rows + 2 * CLIENTS >= base.rows {
        return Ok(4);
    }
    Err(format!("acknowledged {}, there are {facts}, and nothing was said", base.facts))
}

fn files_of(folder: &Path, kind: &str) -> Result<Vec<PathBuf>, String> {
    let list = |dir: &Path| -> Result<Vec<PathBuf>, String> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
            .map_err(|e| e.to_string())?
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|p| p.is_file() && std::fs::metadata(p).is_ok_and(|m| m.len() > 0))
            .collect();
        files.sort();
        Ok(files)
    };
    match kind {
        "control" => Ok(vec![folder.join("control")]),
        "wal" | "data" => list(&folder.join(kind)),
        _ => Ok(list(folder)?
            .into_iter()
            .filter(|p| !p.ends_with("control") && !p.ends_with("evenkeel.toml") && !p.ends_with("lock"))
            .collect()),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    crate::run(Command::new("cp").arg("-a").arg("--sparse=always").arg(from).arg(to))
}
