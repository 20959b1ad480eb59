//! Drivers and frameworks by others, as they are, against a real server: what they do with it, check by check, and a table of what passed.
//!
//! They come from PyPI, into an environment of their own below the target folder. Where that cannot be reached, a line says so and nothing fails.
//!
//! It must not know what the scripts check.

use crate::clients::{self, Server};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed.
const PACKAGES: [&str; 6] = [
    "psycopg[binary]==3.3.9",
    "psycopg2-binary==2.9.13",
    "asyncpg==0.32.0",
    "pg8000==1.31.6",
    "SQLAlchemy==2.1.9",
    "Django==5.2.19",
];
/// The scripts, in the order in which they run.
const SCRIPTS: [&str; 3] = ["drivers.py", "alchemy.py", "with_django.py"];
/// Changes with what is installed.
const ENVIRONMENT: &str = "apps-1";

/// The Python that has them all; None: it cannot be made here.
fn ensure() -> Option<PathBuf> {
    let place = clients::target().join(ENVIRONMENT);
    let python = place.join("bin/python3");
    let quiet =
        |c: &mut Command| c.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    let works = || {
        quiet(
            Command::new(&python)
                .args(["-c", "import psycopg, psycopg2, asyncpg, pg8000, sqlalchemy, django"]),
        )
    };
    if works() {
        return Some(python);
    }
    println!("installing {} in {}", PACKAGES.join(", "), place.display());
    let _ = std::fs::remove_dir_all(&place);
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let made = quiet(Command::new("python3").args(["-m", "venv"]).arg(&place))
        && quiet(Command::new(&python).args(pip).args(PACKAGES));
    (made && works()).then_some(python)
}

/// Runs everything.
pub(crate) fn run(release: bool) -> Result<(), String> {
    let Some(python) = ensure() else {
        println!("apps: skipped, as Python 3 with venv, or PyPI, cannot be reached");
        return Ok(());
    };
    clients::ensure_clients()?;
    let binary = clients::build(release)?;
    let data = std::env::temp_dir().join(format!("evenkeel-apps-{}", std::process::id()));
    let result = against(&python, &binary, &data);
    let _ = std::fs::remove_dir_all(&data);
    result
}

fn against(python: &Path, binary: &Path, data: &Path) -> Result<(), String> {
    let _server = Server::start(binary, data)?;
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apps");
    let mut table: BTreeMap<(String, String), (usize, Vec<String>)> = BTreeMap::new();
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
                "ok" => row.0 += 1,
                _ => row.1.push(format!("{name}: {why}")),
            }
        }
        if !out.status.success() {
            let errors = String::from_utf8_lossy(&out.stderr);
            broken.push(format!("{script} ended with an error:\n{errors}"));
        }
    }
    println!("{:<12} {:<10} {:>6} {:>6}  why", "client", "version", "passed", "failed");
    let mut failed = 0;
    for ((client, version), (passed, failures)) in &table {
        failed += failures.len();
        let first = failures.first().map_or("", String::as_str);
        println!("{client:<12} {version:<10} {passed:>6} {:>6}  {first}", failures.len());
        failures.iter().skip(1).for_each(|f| println!("{:<38}{f}", ""));
    }
    match (failed, broken.is_empty()) {
        (0, true) => Ok(()),
        (_, false) => Err(broken.join("\n")),
        (n, true) => Err(format!("{n} checks of applications failed")),
    }
}
