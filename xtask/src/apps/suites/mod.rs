//! Test suites by others, as they are, against our server: a test fails only if it is listed, with what it lacks, and a listed one that passes is a failure too.
//!
//! They come with the packages, or as their sources, from PyPI.
//!
//! It must not know what the suites check.

use super::Found;
use crate::clients::{self, Server};
use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What suites need besides what they test.
pub(super) const PACKAGES: [&str; 5] =
    ["pytest==9.2.0", "setuptools==65.5.0", "wheel==0.48.0", "psycopg-pool==3.3.3", "tblib==3.2.2"];

/// A suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Suite {
    /// The compliance suite for dialects.
    SqlAlchemy,
    /// The tests of Django that use the database most.
    Django,
}

impl Suite {
    /// By name.
    pub(crate) fn parse(name: &str) -> Result<Suite, String> {
        match name {
            "sqlalchemy" => Ok(Suite::SqlAlchemy),
            "django" => Ok(Suite::Django),
            other => Err(format!("there is no suite {other}: sqlalchemy, django")),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Suite::SqlAlchemy => "sqlalchemy",
            Suite::Django => "django",
        }
    }

    fn place(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apps/suites").join(self.name())
    }
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

/// Runs a suite against a server of its own; what was found.
pub(super) fn run(suite: Suite, python: &Path, binary: &Path, data: &Path) -> Result<Found, String> {
    let results = data.with_extension(format!("{}.results", suite.name()));
    let _ = std::fs::remove_file(&results);
    let own = data.with_extension(suite.name());
    // The server goes before its folder.
    let folder = Folder(own);
    let _server = Server::start(binary, &folder.0)?;
    let mut command = match suite {
        Suite::SqlAlchemy => sqlalchemy(python)?,
        Suite::Django => django(python)?,
    };
    let other = match suite {
        Suite::Django => Some(Other::start(binary, &data.with_extension("other"))?),
        Suite::SqlAlchemy => None,
    };
    let log = clients::target().join(format!("suite-{}.log", suite.name()));
    let file = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let copy = file.try_clone().map_err(|e| e.to_string())?;
    println!("{} runs; its own output goes to {}", suite.name(), log.display());
    let status = command
        .env("PGPORT", clients::port())
        .env("OTHER_PORT", other.as_ref().map_or(0, |o| o.port).to_string())
        .env("RESULTS", &results)
        .env("PYTHONPATH", suite.place())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdout(Stdio::from(file))
        .stderr(Stdio::from(copy))
        .status()
        .map_err(|e| format!("{} cannot be started: {e}", python.display()))?;
    // 1 is that tests failed, of which we know more; anything else is that not all have run.
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(format!("{} broke off with {status}: {}", suite.name(), log.display()));
    }
    let text = std::fs::read_to_string(&results)
        .map_err(|_| format!("{} ended without results: {}", suite.name(), log.display()))?;
    let _ = std::fs::remove_file(&results);
    let outcome = Outcome::read(&text);
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

fn sqlalchemy(python: &Path) -> Result<Command, String> {
    for schema in ["test_schema", "test_schema_2"] {
        clients::psql(&format!("create schema if not exists {schema}"))?;
    }
    let url = format!("postgresql+psycopg://postgres@127.0.0.1:{}/postgres", clients::port());
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "--dburi", &url]).current_dir(Suite::SqlAlchemy.place());
    Ok(command)
}

/// Which of Django's tests run: those of the database; `labels.txt` has them.
fn django(python: &Path) -> Result<Command, String> {
    let tests = django_source(python)?.join("tests");
    let labels = Suite::Django.place().join("labels.txt");
    let labels = std::fs::read_to_string(&labels).map_err(|e| format!("{}: {e}", labels.display()))?;
    let mut command = Command::new(python);
    command
        .args(["runtests.py", "--settings", "evenkeel_settings", "--noinput", "--parallel", "1"])
        .args(labels.split_whitespace())
        .current_dir(tests);
    Ok(command)
}

/// Where Django's sources are; they have the tests, which the package has not.
fn django_source(python: &Path) -> Result<PathBuf, String> {
    let version = super::PACKAGES.iter().find_map(|p| p.strip_prefix("Django==")).unwrap_or("");
    let place = clients::target().join("apps-sources");
    let source = place.join(format!("django-{version}"));
    if source.join("tests/runtests.py").exists() {
        return Ok(source);
    }
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    crate::run(
        Command::new(python)
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"])
            .args(["--no-binary", ":all:", "--no-build-isolation", &format!("Django=={version}"), "--dest"])
            .arg(&place),
    )?;
    let archive = place.join(format!("django-{version}.tar.gz"));
    crate::run(Command::new("tar").arg("xzf").arg(&archive).arg("-C").arg(&place))?;
    match source.join("tests/runtests.py").exists() {
        true => Ok(source),
        false => Err(format!("{} has no tests", archive.display())),
    }
}

/// Another server, with a database of its own.
struct Other {
    port: u16,
    _server: Server,
    _folder: Folder,
}

/// A folder that goes in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Other {
    fn start(binary: &Path, data: &Path) -> Result<Other, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
        let port = free.map_err(|e| e.to_string())?.port();
        let server = Server::start_at(&port.to_string(), binary, data, |_| {})?;
        Ok(Other { port, _server: server, _folder: Folder(data.to_owned()) })
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
