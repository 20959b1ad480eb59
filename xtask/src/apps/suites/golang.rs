//! Suites of Go's clients: their modules have the tests, which are run where they can be written to.
//!
//! It must not know what the suites check.

use super::{make_database, shared, statement};
use crate::clients;
use crate::pairs::wire::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

const PGX: &str = "github.com/jackc/pgx/v5@v5.12.0";
const PQ: &str = "github.com/lib/pq@v1.12.3";

/// All of pgx. What needs another server's doors (TLS, MD5, pgbouncer) it skips without their settings.
pub(super) fn pgx(python: &Path, place: &Place) -> Result<Command, String> {
    const DATABASE: &str = "pgx_test";
    make_database(place, DATABASE)?;
    let setup = std::fs::read_to_string(shared().join("pgx/setup.sql")).map_err(|e| e.to_string())?;
    for one in setup.lines() {
        // Roles outlive their database.
        let _ = statement(place, DATABASE, one).output();
    }
    let to = |more: &str| format!("host={} port={} dbname={DATABASE} {more}", place.host, place.port);
    let mut command = tests(python, PGX)?;
    command
        .env("PGX_TEST_DATABASE", to(&format!("user={}", place.user)))
        .env("PGX_TEST_TCP_CONN_STRING", to("user=pgx_scram password=secret"))
        .env("PGX_TEST_PLAIN_PASSWORD_CONN_STRING", to("user=pgx_pw password=secret"))
        .env("PGX_TEST_SCRAM_PASSWORD_CONN_STRING", to("user=pgx_scram password=secret"));
    Ok(command)
}

/// All of lib/pq.
pub(super) fn pq(python: &Path, place: &Place) -> Result<Command, String> {
    const DATABASE: &str = "pqgo";
    make_database(place, DATABASE)?;
    for role in ["pqgo superuser", "pqgossl", "pqgosslcert", "pqgopassword", "pqgoscram", "pqgomd5"] {
        let _ = statement(place, DATABASE, &format!("create role {role} login password 'wordpass'")).output();
    }
    let mut command = tests(python, PQ)?;
    command.env("PGSSLMODE", "disable").env("PGCONNECT_TIMEOUT", "20");
    Ok(command)
}

fn tests(python: &Path, module: &str) -> Result<Command, String> {
    let mut command = Command::new(python);
    command
        .arg(shared().join("go_tests.py"))
        .arg("./...")
        .current_dir(source(module)?)
        .env("GOFLAGS", "-mod=mod");
    Ok(command)
}

/// A copy of a module, as what Go keeps cannot be written to.
fn source(module: &str) -> Result<PathBuf, String> {
    let place = clients::target().join("apps-sources");
    let copy = place.join(module.replace(['/', '@'], "-"));
    if copy.join("go.mod").exists() {
        return Ok(copy);
    }
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    let told = Command::new("go").args(["mod", "download", "-json", module]).current_dir(&place).output();
    let told = told.map_err(|e| format!("go cannot be started: {e}"))?.stdout;
    let told = String::from_utf8_lossy(&told);
    let dir = told.lines().find_map(|l| l.trim().strip_prefix("\"Dir\": \"")?.strip_suffix("\","));
    let dir = dir.ok_or_else(|| format!("{module} is not to be had: {told}"))?;
    crate::run(Command::new("cp").args(["-r", "--no-preserve=mode", dir]).arg(&copy))?;
    Ok(copy)
}
