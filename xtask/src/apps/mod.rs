//! Drivers and frameworks by others, as they are, against a real server: what they do with it, check by check, and a table of what passed.
//!
//! They come from PyPI, into an environment of their own below the target folder. Where that cannot be reached, a line says so and nothing fails.
//! Asked for by name, their own test suites run too (`suites`).
//!
//! It must not know what the scripts check.

mod suites;

use crate::args;
use crate::clients::{self, Server};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed.
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
const ENVIRONMENT: &str = "apps-2";

/// What to run.
#[derive(Default)]
pub(crate) struct Options {
    release: bool,
    suites: Vec<suites::Suite>,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
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
fn ensure(with_suites: bool) -> Option<PathBuf> {
    let place = clients::target().join(ENVIRONMENT);
    let python = place.join("bin/python3");
    let quiet =
        |c: &mut Command| c.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    let imports = |what: &str| quiet(Command::new(&python).args(["-c", &format!("import {what}")]));
    let works = || imports("psycopg, psycopg2, asyncpg, pg8000, sqlalchemy, alembic, django");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let has_more = || !with_suites || imports("pytest, setuptools, wheel, psycopg_pool, tblib");
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

/// Runs everything.
pub(crate) fn run(o: &Options) -> Result<(), String> {
    let Some(python) = ensure(!o.suites.is_empty()) else {
        println!("apps: skipped, as Python 3 with venv, or PyPI, cannot be reached");
        return Ok(());
    };
    clients::ensure_clients()?;
    let binary = clients::build(o.release)?;
    let data = std::env::temp_dir().join(format!("evenkeel-apps-{}", std::process::id()));
    let result = against(o, &python, &binary, &data);
    let _ = std::fs::remove_dir_all(&data);
    result
}

fn against(o: &Options, python: &Path, binary: &Path, data: &Path) -> Result<(), String> {
    let server = Server::start(binary, data)?;
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apps");
    let mut table: BTreeMap<(String, String), Found> = BTreeMap::new();
    let mut broken = Vec::new();
    for script in SCRIPTS {
        let out = Command::new(python)
            .arg(scripts.join(script))
            .env("PGPORT", clients::port())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .map_err(|e| format!("{} cannot be started: {e}", python.display()))?;
        for line in String::from_utf8_lossy(&out.stdout).lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [how, client, version, name, why] = fields[..] else { continue };
            let row = table.entry((client.to_owned(), version.to_owned())).or_default();
            match how {
                "ok" => row.passed += 1,
                _ => row.failures.push(format!("{name}: {why}")),
            }
        }
        if !out.status.success() {
            let errors = String::from_utf8_lossy(&out.stderr);
            broken.push(format!("{script} ended with an error:\n{errors}"));
        }
    }
    // Suites take it that the database is empty.
    drop(server);
    for suite in &o.suites {
        match suites::run(*suite, python, binary, data) {
            Ok(found) => drop(table.insert((format!("{suite:?}"), "suite".to_owned()), found)),
            Err(e) => broken.push(e),
        }
    }
    println!(
        "{:<12} {:<10} {:>6} {:>8} {:>7} {:>6}  why",
        "client", "version", "passed", "expected", "skipped", "failed"
    );
    let mut failed = 0;
    for ((client, version), found) in &table {
        failed += found.failures.len();
        let first = found.failures.first().map_or("", String::as_str);
        let Found { passed, expected, skipped, failures } = found;
        println!(
            "{client:<12} {version:<10} {passed:>6} {expected:>8} {skipped:>7} {:>6}  {first}",
            failures.len()
        );
        failures.iter().skip(1).for_each(|f| println!("{:<55}{f}", ""));
    }
    match (failed, broken.is_empty()) {
        (0, true) => Ok(()),
        (_, false) => Err(broken.join("\n")),
        (n, true) => Err(format!("{n} checks of applications failed")),
    }
}
