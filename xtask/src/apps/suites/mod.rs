//! Test suites by others, as they are, against our server: a test fails only if it is listed, with what it lacks, and a listed one that passes is a failure too.
//!
//! They come with the packages, or as their sources, from PyPI or Go's proxy. Run against a PostgreSQL, they tell what of them passes there: a later run against our
//! server says how many of these pass here.
//!
//! Some run in parts, one after another; a part that came to its end need not run again when a run that broke off is taken up.
//!
//! It must not know what the suites check.

mod golang;

use super::Found;
use crate::clients::{self, Server};
use crate::pairs::wire::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// What suites need besides what they test.
pub(super) const PACKAGES: [&str; 8] = [
    "pytest==9.2.0",
    "setuptools==80.9.0",
    "wheel==0.48.0",
    "psycopg-pool==3.3.3",
    "tblib==3.2.2",
    "distro==1.9.0",
    "PyYAML==6.0.4",
    "Jinja2==3.1.6",
];
/// The modules that these have.
pub(super) const MODULES: &str = "pytest, setuptools, wheel, psycopg_pool, tblib, distro, yaml, jinja2";

/// A suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Suite {
    /// The compliance suite for dialects.
    SqlAlchemy,
    /// Those of Django's tests that use a database.
    Django,
    /// All of asyncpg.
    Asyncpg,
    /// All of psycopg 2, but for those of replication.
    Psycopg2,
    /// All of pgx.
    Pgx,
    /// All of lib/pq.
    Pq,
}

impl Suite {
    /// By name.
    pub(crate) fn parse(name: &str) -> Result<Suite, String> {
        match name {
            "sqlalchemy" => Ok(Suite::SqlAlchemy),
            "django" => Ok(Suite::Django),
            "asyncpg" => Ok(Suite::Asyncpg),
            "psycopg2" => Ok(Suite::Psycopg2),
            "pgx" => Ok(Suite::Pgx),
            "pq" => Ok(Suite::Pq),
            other => {
                Err(format!("there is no suite {other}: sqlalchemy, django, asyncpg, psycopg2, pgx, pq"))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Suite::SqlAlchemy => "sqlalchemy",
            Suite::Django => "django",
            Suite::Asyncpg => "asyncpg",
            Suite::Psycopg2 => "psycopg2",
            Suite::Pgx => "pgx",
            Suite::Pq => "pq",
        }
    }

    fn place(self) -> PathBuf {
        shared().join(self.name())
    }
}

/// What suites share.
fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apps/suites")
}

/// Some of a suite's tests.
struct Part {
    /// Tells it from the others, and says which tests they are.
    name: String,
    command: Command,
}

/// A suite that is not in parts.
fn whole(command: Command) -> Vec<Part> {
    vec![Part { name: "all".into(), command }]
}

/// What became of a suite's tests.
#[derive(Default)]
struct Outcome {
    passed: BTreeSet<String>,
    skipped: usize,
    /// With the reason.
    failed: BTreeMap<String, String>,
}

impl Outcome {
    fn read(text: &str) -> Outcome {
        let mut o = Outcome::default();
        for line in text.lines() {
            let mut fields = line.splitn(3, '\t');
            let (how, name) = (fields.next().unwrap_or(""), fields.next().unwrap_or("").to_owned());
            match how {
                "ok" => drop(o.passed.insert(name)),
                "skipped" => o.skipped += 1,
                _ => drop(o.failed.insert(name, fields.next().unwrap_or("").to_owned())),
            }
        }
        // The same name may stand for several variants, of which one failed.
        o.passed.retain(|name| !o.failed.contains_key(name));
        o
    }

    /// What differs from what is listed.
    fn against(&self, listed: &BTreeMap<String, String>) -> Vec<String> {
        let surprising = self.failed.iter().filter(|(name, _)| !listed.contains_key(*name));
        let mended = listed.keys().filter(|name| self.passed.contains(*name));
        let gone = listed.keys().filter(|n| !self.passed.contains(*n) && !self.failed.contains_key(*n));
        let mut out: Vec<String> = surprising.map(|(name, why)| format!("{name}: {why}")).collect();
        out.extend(mended.map(|name| format!("{name} is listed as a failure, and passed")));
        out.extend(gone.map(|name| format!("{name} is listed as a failure, and did not run")));
        out
    }
}

/// The listed failures: what is missing, a colon, and below it the tests that need it, indented.
pub(super) fn listed(text: &str) -> Result<BTreeMap<String, String>, String> {
    let (mut why, mut all) = (None, BTreeMap::new());
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        match (line.starts_with(' '), &why) {
            (false, _) => why = Some(line.trim().trim_end_matches(':').to_owned()),
            (true, Some(why)) => drop(all.insert(line.trim().to_owned(), why.clone())),
            (true, None) => return Err(format!("the test {} has no reason", line.trim())),
        }
    }
    Ok(all)
}

/// The server that a suite runs against.
pub(super) enum Against<'a> {
    /// One of ours, for it alone: the program, and where folders may be.
    Ours(&'a Path, &'a Path),
    /// Another, that runs.
    Theirs(&'a Place),
}

/// A database of a server that is not ours, for a suite that wants it empty.
const OF_SUITES: &str = "evenkeel_suites";

/// Runs a suite; what was found. Nothing that fails against a server that is not ours is a failure. With `resume`, parts that came to their end in the last
/// run are not run again.
pub(super) fn run(suite: Suite, python: &Path, against: &Against<'_>, resume: bool) -> Result<Found, String> {
    let kept = |how: &str| clients::target().join(format!("suite-{}{how}.tsv", suite.name()));
    let (place, results, mut server, mut folder);
    match against {
        Against::Ours(binary, data) => {
            // The server goes before its folder.
            folder = Some(Folder(data.with_extension(suite.name())));
            server = folder.as_ref().map(|f| Server::start(binary, &f.0)).transpose()?;
            place = Place::parse(&format!("port={}", clients::port()))?;
            results = kept("");
        }
        Against::Theirs(there) => {
            (folder, server) = (None, None);
            place = match suite {
                // It looks at all tables that there are: what others left is none of them.
                Suite::SqlAlchemy => {
                    make_database(there, OF_SUITES)?;
                    Place { database: OF_SUITES.into(), ..(*there).clone() }
                }
                _ => (*there).clone(),
            };
            results = kept("-postgres");
        }
    }
    let text = run_at(suite, python, &place, &results, resume);
    drop((server.take(), folder.take()));
    if let Against::Theirs(there) = against {
        drop_database(there, OF_SUITES)?;
    }
    let outcome = Outcome::read(&text?);
    if matches!(against, Against::Theirs(_)) {
        let (passed, expected) = (outcome.passed.len(), outcome.failed.len());
        return Ok(Found { passed, skipped: outcome.skipped, expected, failures: Vec::new() });
    }
    if let Ok(theirs) = std::fs::read_to_string(kept("-postgres")) {
        let theirs = Outcome::read(&theirs).passed;
        let here = theirs.intersection(&outcome.passed).count();
        println!("{}: of {} tests that pass in PostgreSQL, {here} pass here", suite.name(), theirs.len());
    }
    let failures = suite.place().join("failures.txt");
    let list = std::fs::read_to_string(&failures).map_err(|e| format!("{}: {e}", failures.display()))?;
    let listed = listed(&list)?;
    Ok(Found {
        passed: outcome.passed.len(),
        skipped: outcome.skipped,
        expected: outcome.failed.keys().filter(|n| listed.contains_key(*n)).count(),
        failures: outcome.against(&listed),
    })
}

/// How long a part may take.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Runs a suite against the server at `place`, part by part; what came of all of them, which is in the file `results`, too.
fn run_at(
    suite: Suite,
    python: &Path,
    place: &Place,
    results: &Path,
    resume: bool,
) -> Result<String, String> {
    let parts = match suite {
        Suite::SqlAlchemy => whole(sqlalchemy(python, place)?),
        Suite::Django => django(python)?,
        Suite::Asyncpg => whole(asyncpg(python)?),
        Suite::Psycopg2 => whole(psycopg2(python, place)?),
        Suite::Pgx => whole(golang::pgx(python, place)?),
        Suite::Pq => whole(golang::pq(python, place)?),
    };
    let (log, ended, part_results) =
        (results.with_extension("log"), results.with_extension("ended"), results.with_extension("part"));
    if !resume {
        for file in [results, &log, &ended] {
            let _ = std::fs::remove_file(file);
        }
    }
    let ended_before = std::fs::read_to_string(&ended).unwrap_or_default();
    println!("{} runs; its own output goes to {}", suite.name(), log.display());
    let (count, mut broken) = (parts.len(), Vec::new());
    for (i, mut part) in parts.into_iter().enumerate() {
        let part_name = format!("{}, part {} of {count}", suite.name(), i + 1);
        if ended_before.lines().any(|name| name == part.name) {
            println!("{part_name}: has run before");
            continue;
        }
        let start = Instant::now();
        let _ = std::fs::remove_file(&part_results);
        part.command
            .env("PGHOST", &place.host)
            .env("PGPORT", place.port.to_string())
            .env("PGUSER", &place.user)
            .env("PGDATABASE", &place.database)
            .env("RESULTS", &part_results)
            .env("PYTHONPATH", format!("{}:{}", suite.place().display(), shared().display()))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdout(append(&log)?)
            .stderr(append(&log)?);
        let child =
            part.command.spawn().map_err(|e| format!("{} cannot be started: {e}", python.display()))?;
        let status = wait(child)?;
        let text = std::fs::read_to_string(&part_results);
        // 1 is that tests failed, of which we know more; anything else is that not all have run.
        if !matches!(status.code(), Some(0 | 1)) || text.is_err() {
            println!("{part_name} broke off with {status}: {}", part.name);
            broken.push(format!("{part_name} broke off with {status}: {}", log.display()));
            continue;
        }
        let text = text.unwrap_or_default();
        std::io::Write::write_all(&mut append(results)?, text.as_bytes()).map_err(|e| e.to_string())?;
        std::io::Write::write_all(&mut append(&ended)?, format!("{}\n", part.name).as_bytes())
            .map_err(|e| e.to_string())?;
        let o = Outcome::read(&text);
        println!(
            "{part_name}: {} passed, {} skipped, {} failed in {} s: {}",
            o.passed.len(),
            o.skipped,
            o.failed.len(),
            start.elapsed().as_secs(),
            part.name
        );
    }
    match broken.is_empty() {
        true => std::fs::read_to_string(results).map_err(|e| format!("{}: {e}", results.display())),
        false => Err(broken.join("\n")),
    }
}

/// A file to write behind its end.
fn append(file: &Path) -> Result<std::fs::File, String> {
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    opened.map_err(|e| format!("{}: {e}", file.display()))
}

/// Waits for the end, which comes by force if it does not in time.
fn wait(mut child: Child) -> Result<ExitStatus, String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status);
        }
        if Instant::now() > deadline {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A statement for the server at `place`.
fn statement(place: &Place, database: &str, statement: &str) -> Command {
    let mut psql = clients::client("psql");
    psql.env("PGHOST", &place.host).env("PGPORT", place.port.to_string()).env("PGUSER", &place.user);
    psql.env("PGOPTIONS", "-c client_min_messages=error");
    psql.args(["-X", "-q", "-d", database, "-c", statement]);
    psql
}

/// Makes a database, which is empty.
fn make_database(place: &Place, name: &str) -> Result<(), String> {
    drop_database(place, name)?;
    crate::run(&mut statement(place, &place.database, &format!("create database {name}")))
}

/// Sessions that have not ended yet end with it.
fn drop_database(place: &Place, name: &str) -> Result<(), String> {
    crate::run(&mut statement(
        place,
        &place.database,
        &format!("drop database if exists {name} with (force)"),
    ))
}

fn sqlalchemy(python: &Path, place: &Place) -> Result<Command, String> {
    for schema in ["test_schema", "test_schema_2"] {
        let make = format!("create schema if not exists {schema}");
        crate::run(&mut statement(place, &place.database, &make))?;
    }
    let Place { host, port, user, database } = place;
    let url = format!("postgresql+psycopg://{user}@{host}:{port}/{database}");
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "--dburi", &url]).current_dir(Suite::SqlAlchemy.place());
    Ok(command)
}

/// Folders of Django's tests that have nothing to do with a database, or need one of another kind.
const WITHOUT_DATABASE: &str = "admin_scripts apps asgi bash_completion csrf_tests decorators deprecation dispatch gis_tests \
    httpwrappers i18n import_error_package logging_tests mail project_template requests_tests responses settings_tests shell \
    signing staticfiles_tests template_backends template_loader template_tests test_runner_apps urlpatterns \
    urlpatterns_reverse utils_tests version wsgi";

/// All others, some at a time: each part makes the tables of its own only, which many tests empty.
fn django(python: &Path) -> Result<Vec<Part>, String> {
    const AT_A_TIME: usize = 15;
    let tests = source(python, "Django", "tests/runtests.py")?.join("tests");
    let folders = std::fs::read_dir(&tests).map_err(|e| format!("{}: {e}", tests.display()))?;
    let has_tests = |name: &String| {
        tests.join(name).join("__init__.py").exists() && !WITHOUT_DATABASE.split(' ').any(|w| w == name)
    };
    let names = folders.filter_map(|f| f.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(has_tests).collect();
    names.sort();
    let part = |some: &[String]| {
        let mut command = Command::new(python);
        command
            .args(["runtests.py", "--settings", "evenkeel_settings", "--noinput", "--parallel", "1"])
            .args(some)
            .current_dir(&tests);
        Part { name: some.join(" "), command }
    };
    Ok(names.chunks(AT_A_TIME).map(part).collect())
}

fn asyncpg(python: &Path) -> Result<Command, String> {
    let source = source(python, "asyncpg", "tests/test_codecs.py")?;
    let mut command = Command::new(python);
    // Its sources would stand before the package; and whether they are written well is not asked here.
    command
        .args(["-P", "-m", "pytest", "-p", "evenkeel_report", "-p", "evenkeel_results", "-q"])
        .args([
            "-p",
            "no:cacheprovider",
            "-p",
            "no:warnings",
            "--tb=native",
            "--import-mode=importlib",
            "tests",
            "--ignore",
            "tests/test__sourcecode.py",
        ])
        .current_dir(source);
    Ok(command)
}

/// In a database of its own, which the suite takes to be empty.
fn psycopg2(python: &Path, place: &Place) -> Result<Command, String> {
    const DATABASE: &str = "psycopg2_test";
    make_database(place, DATABASE)?;
    // Where there is none, tests of it are skipped.
    let _ = statement(place, DATABASE, "create extension hstore").output();
    let mut command = Command::new(python);
    // Functions of the one name list the tests; the other test reads the memory of a library that need not be the client's.
    command
        .args(["-P", "-m", "pytest", "-p", "evenkeel_report", "-p", "no:cacheprovider", "-p", "no:warnings"])
        .args(["-q", "--tb=native", "-k", "not test_suite and not test_pgconn_ptr", "tests"])
        .env("PSYCOPG2_TESTDB", DATABASE)
        .current_dir(source(python, "psycopg2", "tests/testutils.py")?);
    Ok(command)
}

/// Where a package's sources are; they have the tests, which the package has not.
fn source(python: &Path, package: &str, proof: &str) -> Result<PathBuf, String> {
    // What is installed may be built already, and have a name of its own.
    let version = |name: &str| super::PACKAGES.iter().find_map(|p| p.strip_prefix(&format!("{name}==")));
    let version = version(package).or_else(|| version(&format!("{package}-binary"))).unwrap_or("");
    let place = clients::target().join("apps-sources");
    let name = format!("{}-{version}", package.to_lowercase());
    let source = place.join(&name);
    if source.join(proof).exists() {
        return Ok(source);
    }
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    crate::run(
        Command::new(python)
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"])
            .args([
                "--no-binary",
                ":all:",
                "--no-build-isolation",
                &format!("{package}=={version}"),
                "--dest",
            ])
            .arg(&place),
    )?;
    let archive = place.join(format!("{name}.tar.gz"));
    crate::run(Command::new("tar").arg("xzf").arg(&archive).arg("-C").arg(&place))?;
    match source.join(proof).exists() {
        true => Ok(source),
        false => Err(format!("{} has no tests", archive.display())),
    }
}

/// A folder that goes in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_may_fail_and_has_to() {
        let list = listed("# a comment\nranges:\n  a.b\n  a.c\n\ntriggers:\n  a.d\n").unwrap();
        assert_eq!(list["a.c"], "ranges");
        assert_eq!(list["a.d"], "triggers");
        assert!(listed("  a.b\n").is_err());
        let found =
            Outcome::read("ok\ta.a\t\nfailed\ta.b\twhy\nok\ta.c\t\nfailed\ta.e\tno\nskipped\ta.f\t\n");
        assert_eq!((found.passed.len(), found.skipped, found.failed.len()), (2, 1, 2));
        assert_eq!(
            found.against(&list),
            [
                "a.e: no",
                "a.c is listed as a failure, and passed",
                "a.d is listed as a failure, and did not run"
            ]
        );
    }
}
