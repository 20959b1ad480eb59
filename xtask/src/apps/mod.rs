//! Drivers and frameworks by others, as they are, against a real server: what they do with it, check by check, and a table of what passed.
//!
//! They come from the registry of their language, into an environment of their own below the target folder (`languages`). Where that, or the language's
//! runtime, cannot be reached, a line says so and nothing fails. Asked for by name, the test suites of some run too (`suites`).
//!
//! A program tells of each check in a line: `ok` or `FAILED`, the client, its version, the check, why; with tabs between. A line `restart` asks for the
//! server to be killed and started again; a line on the program's standard input says that it is there.
//!
//! It must not know what the programs check.

mod languages;
mod suites;

use crate::args;
use crate::clients::{self, Server};
use crate::pairs::wire::Place;
use languages::{Language, Missing, Program, sources};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed for Python.
const PACKAGES: [&str; 7] = [
    "psycopg[binary]==3.3.9",
    "psycopg2-binary==2.9.13",
    "asyncpg==0.32.0",
    "pg8000==1.31.6",
    "SQLAlchemy==2.1.9",
    "alembic==1.20.1",
    "Django==5.2.19",
];
/// The scripts, in the order in which they run.
const SCRIPTS: [&str; 3] = ["drivers.py", "alchemy.py", "with_django.py"];
/// Changes with what is installed.
const ENVIRONMENT: &str = "apps-3";

/// The role that has to show a password.
const USER: &str = "apps_user";
const PASSWORD: &str = "pencil";
/// Who may come in.
const RULES: &str = "host all apps_user all scram-sha-256\nhost all all 127.0.0.1/32 trust\n";

/// Checks that fail with us: what is missing, a colon, and below it the checks that need it, indented, each behind its client.
const FAILURES: &str = include_str!("failures.txt");

/// What to run.
pub(crate) struct Options {
    release: bool,
    languages: Vec<Language>,
    suites: Vec<suites::Suite>,
    /// Whether suites go on where the last run broke off.
    resume: bool,
    /// A server to run them against instead, without restarts, TLS and passwords.
    postgres: Option<Place>,
}

impl Default for Options {
    fn default() -> Options {
        let languages = vec![Language::Python];
        Options { release: false, languages, suites: Vec::new(), resume: false, postgres: None }
    }
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        args::each(args, &["--release", "--resume"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--resume" => o.resume = true,
                "--languages" => o.languages = Language::list(value.text)?,
                "--postgres" => o.postgres = Some(Place::parse(value.text)?),
                "--suites" => {
                    o.suites = value.text.split(',').map(suites::Suite::parse).collect::<Result<_, _>>()?;
                }
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        Ok(o)
    }
}

/// What was found of one client.
#[derive(Default)]
struct Found {
    passed: usize,
    skipped: usize,
    /// Failures that are listed.
    expected: usize,
    failures: Vec<String>,
}

/// The Python that has them all; None: it cannot be made here.
fn ensure_python(with_suites: bool) -> Option<PathBuf> {
    let place = clients::target().join(ENVIRONMENT);
    let python = place.join("bin/python3");
    let quiet =
        |c: &mut Command| c.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    let imports = |what: &str| quiet(Command::new(&python).args(["-c", &format!("import {what}")]));
    let works = || imports("psycopg, psycopg2, asyncpg, pg8000, sqlalchemy, alembic, django");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let has_more = || !with_suites || imports(suites::MODULES);
    let install_more = || has_more() || quiet(Command::new(&python).args(pip).args(suites::PACKAGES));
    if works() {
        return (install_more() && has_more()).then_some(python);
    }
    println!("installing {} in {}", PACKAGES.join(", "), place.display());
    let _ = std::fs::remove_dir_all(&place);
    let made = quiet(Command::new("python3").args(["-m", "venv"]).arg(&place))
        && quiet(Command::new(&python).args(pip).args(PACKAGES));
    (made && works() && install_more() && has_more()).then_some(python)
}

/// What was found of all, by client and version; and what did not come to its end.
#[derive(Default)]
struct Report {
    table: BTreeMap<(String, String), Found>,
    broken: Vec<String>,
    /// Checks that fail with us, by client and name, with what they lack.
    listed: BTreeMap<String, String>,
}

/// The server that the checks run against.
struct Target<'a> {
    /// Ours, which may be restarted.
    ours: Option<(Server, &'a Path, &'a Path)>,
    place: Place,
}

impl<'a> Target<'a> {
    /// Ours, new, with certificates and a role with a password.
    fn start(binary: &'a Path, data: &'a Path) -> Result<Target<'a>, String> {
        let server = Server::start(binary, data)?;
        clients::psql(&format!("create role {USER} login password '{PASSWORD}'"))?;
        server.stop()?;
        let mut tls = Command::new(binary);
        crate::run(tls.args(["tls", "create", "--data"]).arg(data).stdout(Stdio::null()))?;
        std::fs::write(data.join("pg_hba.conf"), RULES).map_err(|e| format!("pg_hba.conf: {e}"))?;
        let server = Target::again(binary, data)?;
        let place = Place::parse(&format!("port={}", clients::port()))?;
        Ok(Target { ours: Some((server, binary, data)), place })
    }

    fn again(binary: &Path, data: &Path) -> Result<Server, String> {
        Server::start_with(binary, data, |c| {
            c.args(["--set", "ssl=on"]);
        })
    }

    /// Kills it, and starts it again; another server than ours goes on as it is.
    fn restart(&mut self) -> Result<(), String> {
        if let Some((server, binary, data)) = self.ours.take() {
            server.kill();
            self.ours = Some((Target::again(binary, data)?, binary, data));
        }
        Ok(())
    }

    /// Tells a program where it is.
    fn tell(&self, command: &mut Command) {
        let Place { host, port, user, database } = &self.place;
        command.env("PGHOST", host).env("PGPORT", port.to_string()).env("PGUSER", user);
        command.env("PGDATABASE", database).env("APPS_VALUES", sources().join("values.tsv"));
        if let Some((_, _, data)) = &self.ours {
            command.env("APPS_ROOT_CERT", data.join("root.crt"));
            command.env("APPS_USER", USER).env("APPS_PASSWORD", PASSWORD);
        }
    }
}

/// Runs everything.
pub(crate) fn run(o: &Options) -> Result<(), String> {
    let mut programs = Vec::new();
    let mut report = Report::default();
    if o.postgres.is_none() {
        report.listed = suites::listed(FAILURES)?;
    }
    for language in &o.languages {
        match language.prepare() {
            Ok(more) => programs.extend(more),
            Err(Missing::Here(why)) => println!("apps: {} skipped: {why}", language.name()),
            Err(Missing::Broken(why)) => {
                report.broken.push(format!("the checks in {} cannot be built:\n{why}", language.name()));
            }
        }
    }
    let python = if o.suites.is_empty() { None } else { ensure_python(true) };
    if programs.is_empty() && report.broken.is_empty() && python.is_none() {
        return Ok(());
    }
    clients::ensure_clients()?;
    let data = std::env::temp_dir().join(format!("evenkeel-apps-{}", std::process::id()));
    let result = all(o, programs, python.as_deref(), &data, &mut report);
    let _ = std::fs::remove_dir_all(&data);
    result.and_then(|()| report.tell())
}

fn all(
    o: &Options,
    programs: Vec<Program>,
    python: Option<&Path>,
    data: &Path,
    report: &mut Report,
) -> Result<(), String> {
    if let Some(place) = &o.postgres {
        let mut target = Target { ours: None, place: place.clone() };
        programs.into_iter().for_each(|p| report.program(p, &mut target));
        run_suites(o, python, &suites::Against::Theirs(place), report);
        return Ok(());
    }
    let binary = clients::build(o.release)?;
    let mut target = Target::start(&binary, data)?;
    programs.into_iter().for_each(|p| report.program(p, &mut target));
    // Suites take it that the database is empty.
    drop(target);
    run_suites(o, python, &suites::Against::Ours(&binary, data), report);
    Ok(())
}

fn run_suites(o: &Options, python: Option<&Path>, against: &suites::Against<'_>, report: &mut Report) {
    for suite in &o.suites {
        let Some(python) = python else {
            println!("apps: suite {suite:?} skipped: Python 3 with venv, or PyPI, cannot be reached");
            continue;
        };
        match suites::run(*suite, python, against, o.resume) {
            Ok(found) => drop(report.table.insert((format!("{suite:?}"), "suite".to_owned()), found)),
            Err(e) => report.broken.push(e),
        }
    }
}

impl Report {
    /// Runs a program.
    fn program(&mut self, mut program: Program, target: &mut Target<'_>) {
        target.tell(&mut program.command);
        if let Err(why) = self.lines(&mut program, target) {
            self.broken.push(format!("{} ended with an error: {why}", program.name));
        }
    }

    fn lines(&mut self, program: &mut Program, target: &mut Target<'_>) -> Result<(), String> {
        let log = clients::target().join("apps.log");
        let file = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let pipes = program.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
        let mut child = pipes.spawn().map_err(|e| e.to_string())?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        for line in output.into_iter().flat_map(|o| BufReader::new(o).lines()) {
            let line = line.map_err(|e| e.to_string())?;
            if line == "restart" {
                target.restart()?;
                if let Some(mut input) = input.as_ref() {
                    input.write_all(b"\n").map_err(|e| e.to_string())?;
                }
            }
            self.check(&line);
        }
        let status = child.wait().map_err(|e| e.to_string())?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("{status}\n{}", std::fs::read_to_string(&log).unwrap_or_default())),
        }
    }

    /// Takes down a check.
    fn check(&mut self, line: &str) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [how, client, version, name, why] = fields[..] else { return };
        let row = self.table.entry((client.to_owned(), version.to_owned())).or_default();
        match (how, self.listed.get(&format!("{client}: {name}"))) {
            ("ok", None) => row.passed += 1,
            ("ok", Some(_)) => row.failures.push(format!("{name} is listed as a failure, and passed")),
            (_, Some(lacks)) => {
                row.expected += 1;
                println!("{client}: {name} fails for want of {lacks}: {why}");
            }
            (_, None) => row.failures.push(format!("{name}: {why}")),
        }
    }

    /// Prints the table.
    fn tell(&self) -> Result<(), String> {
        println!(
            "{:<16} {:<10} {:>6} {:>8} {:>7} {:>6}  why",
            "client", "version", "passed", "expected", "skipped", "failed"
        );
        let mut failed = 0;
        for ((client, version), found) in &self.table {
            failed += found.failures.len();
            let first = found.failures.first().map_or("", String::as_str);
            let Found { passed, expected, skipped, failures } = found;
            println!(
                "{client:<16} {version:<10} {passed:>6} {expected:>8} {skipped:>7} {:>6}  {first}",
                failures.len()
            );
            failures.iter().skip(1).for_each(|f| println!("{:<59}{f}", ""));
        }
        match (failed, self.broken.is_empty()) {
            (0, true) => Ok(()),
            (_, false) => Err(self.broken.join("\n")),
            (n, true) => Err(format!("{n} checks of applications failed")),
        }
    }
}
