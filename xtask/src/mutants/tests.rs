//! The tests of the copy, one process each: which changes each reaches, how long it takes, whether it finds a change.
//!
//! Must not know what a change is, beyond its number.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One test.
pub struct Test {
    program: PathBuf,
    name: String,
    folder: PathBuf,
    /// How long it took without a change.
    pub took: Duration,
    /// The changes that it reaches.
    pub reaches: BTreeSet<u32>,
}

/// How a test ended.
#[derive(PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// It did not end in ten times the time that it takes.
    Hung,
}

impl Test {
    /// Its program and name.
    pub fn shown(&self) -> String {
        let program = self.program.file_name().unwrap_or_default().to_string_lossy();
        format!("{}::{}", program.rsplit_once('-').map_or(&*program, |(name, _)| name), self.name)
    }

    /// Runs it with a change, or none.
    pub fn run(&self, change: Option<u32>) -> Outcome {
        let limit = self.took * 10 + Duration::from_secs(20);
        self.run_with(limit, |c| match change {
            Some(n) => _ = c.env("MUTANT", n.to_string()),
            None => _ = c.env_remove("MUTANT"),
        })
    }

    fn run_with(&self, limit: Duration, set: impl FnOnce(&mut Command)) -> Outcome {
        let mut command = Command::new(&self.program);
        command.args(["--exact", &self.name, "--test-threads", "1"]).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let temp = std::env::temp_dir().join(format!(
            "evenkeel-mutant-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let _ = std::fs::create_dir_all(&temp);
        command.env("TMPDIR", &temp);
        // A group of its own, so that what it started ends with it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        set(&mut command);
        let Ok(mut child) = command.spawn() else { return Outcome::Failed };
        let began = Instant::now();
        let outcome = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => break Outcome::Passed,
                Ok(Some(_)) | Err(_) => break Outcome::Failed,
                Ok(None) if began.elapsed() > limit => break Outcome::Hung,
                Ok(None) => std::thread::sleep(Duration::from_millis(if began.elapsed().as_millis() < 100 {
                    2
                } else {
                    20
                })),
            }
        };
        let _ = Command::new("kill")
            .args(["-KILL", "--", &format!("-{}", child.id())])
            .stderr(Stdio::null())
            .status();
        let _ = child.wait();
        let _ = std::fs::remove_dir_all(&temp);
        outcome
    }
}

/// All tests of these programs, each run once without a change; those that fail are left out and named.
pub fn look(programs: &[PathBuf], tree: &Path, notes: &Path, jobs: usize) -> Result<Vec<Test>, String> {
    let mut all = Vec::new();
    for program in programs {
        let mut listing = Command::new(program)
            .args(["--list", "--format", "terse"])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let mut text = String::new();
        listing.stdout.take().expect("piped").read_to_string(&mut text).map_err(|e| e.to_string())?;
        let _ = listing.wait();
        let folder = tree.join("crates").join(package_of(program, tree));
        for name in text.lines().filter_map(|l| l.strip_suffix(": test")) {
            all.push(Test {
                program: program.clone(),
                name: name.to_owned(),
                folder: folder.clone(),
                took: Duration::ZERO,
                reaches: BTreeSet::new(),
            });
        }
    }
    println!("{} tests, each once without a change", all.len());
    let next = std::sync::Mutex::new(all.into_iter());
    let done = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|s| {
        for job in 0..jobs {
            let (next, done) = (&next, &done);
            s.spawn(move || {
                let file = notes.join(format!("reached-{job}"));
                loop {
                    let Some(mut test) = next.lock().expect("unpoisoned").next() else { return };
                    let _ = std::fs::remove_file(&file);
                    let began = Instant::now();
                    let outcome = test.run_with(Duration::from_secs(300), |c| {
                        c.env_remove("MUTANT").env("MUTANTS_REACHED", &file);
                    });
                    test.took = began.elapsed();
                    let reached = std::fs::read_to_string(&file).unwrap_or_default();
                    test.reaches = reached.lines().filter_map(|l| l.parse().ok()).collect();
                    if outcome == Outcome::Passed {
                        done.lock().expect("unpoisoned").push(test);
                    } else {
                        println!("left out, for it fails without a change: {}", test.shown());
                    }
                }
            });
        }
    });
    let mut tests = done.into_inner().expect("unpoisoned");
    tests.sort_by_key(|t| t.took);
    Ok(tests)
}

/// The folder of the package of a test program: cargo says only where the program is, its dependency file which source it is of.
fn package_of(program: &Path, tree: &Path) -> String {
    let text = std::fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let crates = format!("{}/", tree.join("crates").display());
    // The sources of the program itself are named first, relative to the tree or not.
    let source =
        text.split_whitespace().find_map(|w| w.strip_prefix(&crates).or_else(|| w.strip_prefix("crates/")));
    source.and_then(|s| s.split('/').next()).unwrap_or("evenkeel").to_owned()
}
