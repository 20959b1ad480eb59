//! Schemas of applications, as pg_dump or their authors wrote them, loaded statement by statement: which statements we refuse that a PostgreSQL takes, by cause.
//!
//! Every file is loaded into a database of its own, here and in each PostgreSQL named, by psql, which goes on after errors and names the line of each. A statement counts
//! if it fails here and in one of them does not.
//!
//! It must not know what the schemas are of.

use crate::clients::{self, Server};
use crate::{args, pairs::wire::Place};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to run.
#[derive(Default)]
pub(crate) struct Options {
    release: bool,
    /// Servers to compare with: one that takes a statement is enough.
    postgres: Vec<Place>,
    /// A folder of schemas, or single ones.
    places: Vec<PathBuf>,
    /// Each statement that fails here only, with its line.
    every: bool,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        let named = args.iter().take_while(|a| !a.starts_with("--")).count();
        o.places = args[..named].iter().map(PathBuf::from).collect();
        args::each(&args[named..], &["--release", "--every"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--every" => o.every = true,
                "--postgres" => o.postgres.push(Place::parse(value.text)?),
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        if o.places.is_empty() || o.postgres.is_empty() {
            return Err("name a folder of schemas first, and at least one --postgres".into());
        }
        Ok(o)
    }

    fn files(&self) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        for place in &self.places {
            if !place.is_dir() {
                files.push(place.clone());
                continue;
            }
            let all = std::fs::read_dir(place).map_err(|e| format!("{}: {e}", place.display()))?;
            let all = all.filter_map(|e| e.ok().map(|e| e.path()));
            files.extend(all.filter(|p| p.extension().is_some_and(|e| e == "sql")));
        }
        files.sort();
        Ok(files)
    }
}

/// A server that schemas are loaded into.
struct Loaded {
    host: String,
    port: String,
    user: String,
}

impl Loaded {
    fn psql(&self, database: &str, more: &[&str]) -> Result<(String, String), String> {
        let mut c = Command::new("psql");
        c.args(["-h", &self.host, "-p", &self.port, "-U", &self.user, "-d", database]);
        c.args(["-X", "-q", "-v", "VERBOSITY=verbose", "-v", "ON_ERROR_ROLLBACK=on"]).args(more);
        c.env("PGOPTIONS", "-c client_min_messages=error").env("PGTZ", "UTC").env("LC_ALL", "C");
        let out = c.output().map_err(|e| format!("psql cannot be run: {e}"))?;
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        Ok((text(&out.stdout), text(&out.stderr)))
    }

    /// The line of each statement that failed, with its error.
    fn load(&self, file: &Path) -> Result<BTreeMap<u64, String>, String> {
        let make = "create database schema_loaded template template0 encoding 'UTF8'";
        for step in ["drop database if exists schema_loaded", make] {
            let (_, wrong) = self.psql("postgres", &["-c", step])?;
            if ["ERROR:", "FATAL:", "error:"].iter().any(|w| wrong.contains(w)) {
                return Err(format!("{}:{}: {wrong}", self.host, self.port));
            }
        }
        let name = file.display().to_string();
        let (_, errors) = self.psql("schema_loaded", &["-o", "/dev/null", "-f", &name])?;
        self.psql("postgres", &["-c", "drop database schema_loaded"])?;
        let begin = format!("psql:{name}:");
        let of_line = |l: &str| {
            let (line, rest) = l.strip_prefix(&begin)?.split_once(": ")?;
            Some((line.parse().ok()?, rest.split_once(":  ")?.1.to_owned()))
        };
        let mut failed = BTreeMap::new();
        for (line, error) in errors.lines().filter_map(of_line) {
            failed.entry(line).or_insert(error);
        }
        Ok(failed)
    }
}

/// An error without the names in it.
fn cause(error: &str) -> String {
    let mut told = String::new();
    for (i, part) in error.split('"').enumerate() {
        told.push_str(match i % 2 {
            0 => part,
            // What it is about says more than that it is missing.
            _ if error.starts_with("0A000") || error.contains("type \"") => part,
            _ if error.starts_with("42601") || error.contains("operator class") => part,
            _ => "…",
        });
    }
    told
}

/// Runs everything.
pub(crate) fn run(o: &Options) -> Result<(), String> {
    clients::ensure_clients()?;
    let binary = clients::build(o.release)?;
    let data = std::env::temp_dir().join(format!("evenkeel-schemas-{}", std::process::id()));
    let result = against(o, &binary, &data);
    let _ = std::fs::remove_dir_all(&data);
    result
}

fn against(o: &Options, binary: &Path, data: &Path) -> Result<(), String> {
    let server = Server::start(binary, &data.join("db"))?;
    let own = |host: &str, port: String, user: &str| Loaded { host: host.into(), port, user: user.into() };
    let ours = own("127.0.0.1", clients::port().into(), "postgres");
    let theirs: Vec<Loaded> = o.postgres.iter().map(|p| own(&p.host, p.port.to_string(), &p.user)).collect();
    let mut causes: BTreeMap<String, (usize, BTreeSet<String>)> = BTreeMap::new();
    println!("| schema | tables | statements | failed here only |\n| --- | --- | --- | --- |");
    let mut sum = 0;
    for file in o.files()? {
        let text = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let text = String::from_utf8_lossy(&text).to_lowercase();
        let ends = text.lines().filter(|l| l.trim_end().ends_with(';')).count();
        let tables = text.matches("create table").count();
        let mut failed = ours.load(&file)?;
        let refused = theirs.iter().map(|t| t.load(&file)).collect::<Result<Vec<_>, _>>()?;
        failed.retain(|line, _| refused.iter().any(|r| !r.contains_key(line)));
        let name = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        println!("| {name} | {tables} | {ends} | {} |", failed.len());
        sum += failed.len();
        for (line, error) in &failed {
            if o.every {
                println!("  {name}:{line}: {error}");
            }
            let of = causes.entry(cause(error)).or_default();
            of.0 += 1;
            of.1.insert(name.clone());
        }
    }
    let mut by_count: Vec<_> = causes.into_iter().collect();
    by_count.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    let mut table = String::from("\n| statements | schemas | cause |\n| --- | --- | --- |\n");
    for (cause, (n, schemas)) in by_count {
        let names = schemas.into_iter().collect::<Vec<_>>().join(", ");
        let _ = writeln!(table, "| {n} | {names} | {cause} |");
    }
    println!("{table}\n{sum} statements failed here only");
    server.stop()
}
