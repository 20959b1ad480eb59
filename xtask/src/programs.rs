//! All Rust tests of the workspace: as many test programs at a time as there are processors, each with one test at a time.
//!
//! `cargo test` runs the programs one after the other; where the last test of one is long, all processors but one wait for it. A quarter of the time went so.
//! Rejected: cargo-nextest, which does this and more, but would have to be there first.
//!
//! Invariants:
//!
//! 1. Every test program that cargo built is run, whatever happened to those before it; what failed is printed whole.
//! 2. A program that ran no test to its end (killed, or ended by itself) has failed.
//!
//! Must not know: what the tests are about, but for which take long.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// They begin first: begun last, they would run alone. Only time hangs on this list.
const LONG: [&str; 8] =
    ["crash_enumeration", "concurrency", "faults", "losers", "definitions", "lab", "torn_pages", "simulated"];

/// A test program, as cargo tells of it.
struct Program {
    package: String,
    folder: PathBuf,
    name: String,
    path: PathBuf,
}

pub(crate) fn run() -> Result<(), String> {
    let mut programs = built()?;
    programs.sort_by_key(|p| LONG.iter().position(|l| *l == p.name).unwrap_or(LONG.len()));
    let count = programs.len();
    if count == 0 {
        return Err("cargo built no test program".into());
    }
    let at_a_time = std::thread::available_parallelism().map_or(1, |n| n.get()).min(count);
    println!("{count} test programs, {at_a_time} at a time");
    let waiting = Mutex::new(VecDeque::from(programs));
    let ended = Mutex::new((0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                loop {
                    let Some(program) = waiting.lock().expect("nobody panics").pop_front() else { return };
                    let begun = Instant::now();
                    let result = program.run();
                    let seconds = begun.elapsed().as_secs_f64();
                    let mut ended = ended.lock().expect("nobody panics");
                    ended.0 += 1;
                    let what = format!("{} {}", program.package, program.name);
                    let told = result.as_deref().unwrap_or("FAILED");
                    println!("[{:3}/{count}] {what}: {told} in {seconds:.1} s", ended.0);
                    if let Err(output) = result {
                        println!("{output}");
                        ended.1.push(what);
                    }
                }
            });
        }
    });
    let failed = ended.into_inner().expect("nobody panics").1;
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("{} of {count} test programs failed: {}", failed.len(), failed.join(", ")))
}

impl Program {
    /// What it says it passed, or all that it said.
    fn run(&self) -> Result<String, String> {
        let mut command = Command::new(&self.path);
        // What cargo sets, as far as a test may look at it.
        command
            .arg("--test-threads=1")
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .env("CARGO_PKG_NAME", &self.package)
            .stdin(Stdio::null());
        let output = command.output().map_err(|e| format!("{} cannot be run: {e}", self.path.display()))?;
        let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
        match passed(&said).filter(|_| output.status.success()) {
            Some(told) => Ok(told),
            None => {
                said.push_str(&String::from_utf8_lossy(&output.stderr));
                Err(format!("{said}\n{}: {}", self.path.display(), output.status))
            }
        }
    }
}

/// `4 passed, 1 ignored`, of a program's output.
fn passed(output: &str) -> Option<String> {
    let line = output.lines().rev().find_map(|l| l.strip_prefix("test result: ok. "))?;
    let counts: Vec<&str> =
        line.split("; ").filter(|c| !c.starts_with("0 ") && !c.contains("finished")).collect();
    let counts: Vec<&str> = counts.into_iter().filter(|c| !c.ends_with("filtered out")).collect();
    Some(if counts.is_empty() { "none".into() } else { counts.join(", ") })
}

/// Builds all test programs.
fn built() -> Result<Vec<Program>, String> {
    let mut cargo = crate::cargo::command();
    cargo.args(["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    println!("+ cargo test --workspace --no-run");
    let mut child =
        cargo.stdout(Stdio::piped()).spawn().map_err(|e| format!("{cargo:?} cannot be run: {e}"))?;
    let mut programs = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        let line = line.map_err(|e| format!("cargo's messages cannot be read: {e}"))?;
        programs.extend(program(&line));
    }
    let status = child.wait().map_err(|e| format!("cargo cannot be waited for: {e}"))?;
    if status.success() { Ok(programs) } else { Err(format!("{cargo:?} failed: {status}")) }
}

/// The test program that one of cargo's messages tells of.
fn program(line: &str) -> Option<Program> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_owned();
    Some(Program {
        package: folder.file_name()?.to_str()?.to_owned(),
        name: message["target"]["name"].as_str()?.to_owned(),
        path: message["executable"].as_str()?.into(),
        folder,
    })
}

#[cfg(test)]
mod tests {
    use super::{passed, program};

    #[test]
    fn a_programs_counts_are_told() {
        let output = "running 5 tests\ntest a ... ok\n\ntest result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.38s\n";
        assert_eq!(passed(output).as_deref(), Some("4 passed, 1 ignored"));
        let none =
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(passed(none).as_deref(), Some("none"));
        assert_eq!(passed("test result: FAILED. 4 passed; 1 failed; 0 ignored"), None);
        assert_eq!(passed("running 5 tests\ntest a ... ok\n"), None);
    }

    #[test]
    fn only_test_programs_are_run() {
        let test = r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{"name":"faults"},"profile":{"test":true},"executable":"/t/faults-1"}"#;
        let found = program(test).expect("a test program");
        assert_eq!((found.package.as_str(), found.name.as_str()), ("a", "faults"));
        assert!(program(&test.replace("\"test\":true", "\"test\":false")).is_none());
        assert!(program(&test.replace("\"/t/faults-1\"", "null")).is_none());
        assert!(program("warning: not a message").is_none());
    }
}
