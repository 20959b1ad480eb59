//! The languages whose clients run: where their packages come from, how the programs with the checks are built, and how they are run.
//!
//! Invariants
//! 1. Each has an environment of its own below the target folder: the programs are copied there, as their tools look for packages beside them.
//! 2. That a registry or a runtime is not there is no failure; that a program cannot be built is one.
//!
//! It must not know what the programs check.

use crate::clients;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    Python,
    Node,
    Go,
    Java,
    Rust,
    /// With the gems that are installed: none is fetched.
    Ruby,
    Php,
    /// Applications in Python, in an environment of their own.
    Tools,
}

/// Why there is nothing to run.
pub(super) enum Missing {
    /// The runtime, or what its registry has.
    Here(String),
    /// A program is wrong.
    Broken(String),
}

/// A program with checks.
pub(super) struct Program {
    pub name: String,
    pub command: Command,
}

const NODE: [&str; 8] = [
    "pg.mjs",
    "postgres.mjs",
    "knex.mjs",
    "kysely.mjs",
    "sequelize.mjs",
    "typeorm.mjs",
    "drizzle.mjs",
    "postgraphile.mjs",
];
/// The programs, and the gem that each needs.
const RUBY: [(&str, &str); 3] =
    [("pg.rb", "pg"), ("active_record.rb", "active_record"), ("sequel.rb", "sequel")];
const PHP: &str = "drivers.php";
const TOOLS: [&str; 2] = ["with_pgcli.py", "with_dbt.py"];
const JAVA: [&str; 3] = ["Drivers", "Frameworks", "Applications"];

impl Language {
    const ALL: [Language; 8] = [
        Language::Python,
        Language::Node,
        Language::Go,
        Language::Java,
        Language::Rust,
        Language::Ruby,
        Language::Php,
        Language::Tools,
    ];

    /// By name.
    pub(crate) fn parse(name: &str) -> Result<Language, String> {
        Language::ALL.into_iter().find(|l| l.name() == name).ok_or_else(|| {
            format!("there is no language {name}: python, node, go, java, rust, ruby, php, tools, all")
        })
    }

    /// Of a list of names; `all` is all.
    pub(crate) fn list(names: &str) -> Result<Vec<Language>, String> {
        match names {
            "all" => Ok(Language::ALL.to_vec()),
            names => names.split(',').map(Language::parse).collect(),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Node => "node",
            Language::Go => "go",
            Language::Java => "java",
            Language::Rust => "rust",
            Language::Ruby => "ruby",
            Language::Php => "php",
            Language::Tools => "tools",
        }
    }

    /// Installs and builds what is needed; the programs, in the order in which they run.
    pub(super) fn prepare(self) -> Result<Vec<Program>, Missing> {
        match self {
            Language::Python => python(),
            Language::Node => node(&self.place()?),
            Language::Go => go(&self.place()?),
            Language::Java => java(&self.place()?),
            Language::Rust => rust(&self.place()?),
            Language::Ruby => ruby(&self.place()?),
            Language::Php => php(),
            Language::Tools => tools(&self.place()?),
        }
    }

    /// The folder where it is built, with the programs as they are now. (1)
    fn place(self) -> Result<PathBuf, Missing> {
        let place = clients::target().join(format!("apps-{}", self.name()));
        copy(&sources().join(self.name()), &place)
            .map_err(|e| Missing::Broken(format!("{}: {e}", place.display())))?;
        Ok(place)
    }
}

/// Where the programs are.
pub(super) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apps")
}

/// Copies files that are not there, or differ.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let (source, name) = entry.map(|e| (e.path(), e.file_name()))?;
        let target = to.join(name);
        if source.is_dir() {
            copy(&source, &target)?;
        } else if std::fs::read(&source)? != std::fs::read(&target).unwrap_or_default() {
            std::fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// Runs a step; what it said if it failed.
fn step(command: &mut Command) -> Result<(), String> {
    let out = command.stdin(Stdio::null()).output();
    let out = out.map_err(|e| format!("{} cannot be started: {e}", command.get_program().display()))?;
    match out.status.success() {
        true => Ok(()),
        false => {
            Err(format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
        }
    }
}

/// Fetches packages, unless those of these manifests are there. (2)
fn fetch(place: &Path, manifests: &[&str], command: &mut Command) -> Result<(), Missing> {
    let mut wanted = Vec::new();
    for name in manifests {
        wanted.extend(std::fs::read(place.join(name)).map_err(|e| Missing::Broken(format!("{name}: {e}")))?);
    }
    let stamp = place.join("fetched");
    if std::fs::read(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    println!("installing packages in {}", place.display());
    step(command).map_err(|e| Missing::Here(last_line(&e)))?;
    std::fs::write(&stamp, wanted).map_err(|e| Missing::Broken(format!("{}: {e}", stamp.display())))
}

fn last_line(text: &str) -> String {
    text.lines().map(str::trim).rfind(|l| !l.is_empty()).unwrap_or("").to_owned()
}

/// Whether a runtime is there.
fn runtime(name: &str, version: &str) -> Result<(), Missing> {
    step(Command::new(name).arg(version)).map_err(|_| Missing::Here(format!("{name} is not there")))
}

fn python() -> Result<Vec<Program>, Missing> {
    let python = super::ensure_python(false)
        .ok_or_else(|| Missing::Here("Python 3 with venv, or PyPI, cannot be reached".into()))?;
    let program = |script: &str| {
        let mut command = Command::new(&python);
        command.arg(sources().join(script)).env("PYTHONDONTWRITEBYTECODE", "1");
        Program { name: script.to_owned(), command }
    };
    Ok(super::SCRIPTS.into_iter().map(program).collect())
}

fn node(place: &Path) -> Result<Vec<Program>, Missing> {
    runtime("node", "--version")?;
    runtime("npm", "--version")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel", "error"]).current_dir(place);
    fetch(place, &["package.json"], &mut npm)?;
    let program = |script: &str| {
        let mut command = Command::new("node");
        command.arg("--no-deprecation").arg(script).current_dir(place);
        Program { name: script.to_owned(), command }
    };
    Ok(NODE.into_iter().map(program).collect())
}

fn go(place: &Path) -> Result<Vec<Program>, Missing> {
    runtime("go", "version")?;
    let mut download = Command::new("go");
    download.args(["mod", "download"]).current_dir(place);
    fetch(place, &["go.mod", "go.sum"], &mut download)?;
    // ent makes its client of the schema.
    let mut generate = Command::new("go");
    generate.args(["tool", "ent", "generate", "--feature", "sql/upsert", "./ent/schema"]).current_dir(place);
    step(&mut generate).map_err(Missing::Broken)?;
    let mut build = Command::new("go");
    build.args(["build", "-o", "checks", "."]).current_dir(place);
    step(&mut build).map_err(Missing::Broken)?;
    let mut command = Command::new(place.join("checks"));
    command.current_dir(place);
    Ok(vec![Program { name: "go".into(), command }])
}

fn java(place: &Path) -> Result<Vec<Program>, Missing> {
    runtime("java", "-version")?;
    runtime("javac", "-version")?;
    runtime("mvn", "--version")?;
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=classpath"]).current_dir(place);
    fetch(place, &["pom.xml"], &mut maven)?;
    let listed = std::fs::read_to_string(place.join("classpath"));
    let path = format!(
        "classes:{}",
        listed.map_err(|e| Missing::Broken(format!("the path of classes: {e}")))?.trim()
    );
    let mut compiler = Command::new("javac");
    compiler.args(["-nowarn", "-d", "classes", "-cp", &path, "Checks.java"]).current_dir(place);
    compiler.args(JAVA.map(|name| format!("{name}.java")));
    step(&mut compiler).map_err(Missing::Broken)?;
    let program = |class: &str| {
        let mut command = Command::new("java");
        command.args(["-cp", &path, class]).current_dir(place);
        Program { name: class.to_owned(), command }
    };
    Ok(JAVA.into_iter().map(program).collect())
}

fn rust(place: &Path) -> Result<Vec<Program>, Missing> {
    let cargo = || {
        let mut c = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        c.current_dir(place).env("CARGO_TARGET_DIR", place.join("target"));
        c
    };
    fetch(place, &["Cargo.toml", "Cargo.lock"], cargo().args(["fetch", "--locked"]))?;
    step(cargo().args(["build", "--quiet", "--locked"])).map_err(Missing::Broken)?;
    let mut command = Command::new(place.join("target/debug/checks"));
    command.current_dir(place);
    Ok(vec![Program { name: "rust".into(), command }])
}

fn ruby(place: &Path) -> Result<Vec<Program>, Missing> {
    runtime("ruby", "--version")?;
    // The gems need the driver's.
    let has = |gem: &str| step(Command::new("ruby").args(["-r", "pg", "-r", gem, "-e", ""])).is_ok();
    let mut programs = Vec::new();
    for (script, gem) in RUBY {
        if has(gem) {
            let mut command = Command::new("ruby");
            command.args(["-W0", script]).current_dir(place);
            programs.push(Program { name: script.to_owned(), command });
        } else {
            println!(
                "apps: {script} skipped: the gem {gem} is not there (Debian: ruby-pg, ruby-activerecord, ruby-sequel)"
            );
        }
    }
    Ok(programs)
}

/// PHP's drivers come with it, from no registry.
fn php() -> Result<Vec<Program>, Missing> {
    runtime("php", "--version")?;
    let has = ["-r", "exit(extension_loaded('pgsql') && extension_loaded('pdo_pgsql') ? 0 : 1);"];
    step(Command::new("php").args(has)).map_err(|_| {
        Missing::Here("PHP has no pgsql and pdo_pgsql (on Debian the package php-pgsql)".into())
    })?;
    let mut command = Command::new("php");
    command.arg(sources().join("php").join(PHP));
    Ok(vec![Program { name: PHP.into(), command }])
}

fn tools(place: &Path) -> Result<Vec<Program>, Missing> {
    runtime("python3", "--version")?;
    let environment = place.join("environment");
    let python = environment.join("bin/python3");
    if !python.exists() {
        step(Command::new("python3").args(["-m", "venv"]).arg(&environment))
            .map_err(|e| Missing::Here(last_line(&e)))?;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"]);
    fetch(place, &["requirements.txt"], pip.current_dir(place))?;
    let program = |script: &str| {
        let mut command = Command::new(&python);
        command.arg(place.join(script)).env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONPATH", sources());
        Program { name: script.to_owned(), command }
    };
    Ok(TOOLS.into_iter().map(program).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_by_name() {
        assert_eq!(Language::list("go,node").unwrap(), [Language::Go, Language::Node]);
        assert_eq!(Language::list("all").unwrap().len(), Language::ALL.len());
        assert!(Language::list("go,cobol").is_err());
    }

    #[test]
    fn every_program_is_beside_this_file() {
        let there = |name: String| assert!(sources().join(&name).exists(), "{name}");
        super::super::SCRIPTS.iter().for_each(|s| there((*s).to_owned()));
        NODE.iter().for_each(|s| there(format!("node/{s}")));
        JAVA.iter().for_each(|s| there(format!("java/{s}.java")));
        RUBY.iter().for_each(|(s, _)| there(format!("ruby/{s}")));
        there(format!("php/{PHP}"));
        TOOLS.iter().for_each(|s| there(format!("tools/{s}")));
    }
}
