//! Folders and processes that go when the measurement ends, however it ends.
//!
//! Invariants
//! 1. Dropping ends the process, or removes the folder.
//! 2. Processes stand in a group of their own: Ctrl-C reaches this program only, which then ends them in order.
//!
//! It must not know what they are for.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Error, io_error};

/// Bytes of a program's last words that are shown.
const LAST_WORDS_BYTES: usize = 2000;
const WAIT_STEP: Duration = Duration::from_millis(20);
/// Memory as a file system.
const SHARED_MEMORY: &str = "/dev/shm";

/// A folder that is removed.
pub struct TemporaryDir {
    path: PathBuf,
    keep: bool,
}

impl TemporaryDir {
    /// A new one under `parent`.
    pub fn new(parent: &Path, name: &str) -> Result<TemporaryDir, Error> {
        let path = parent.join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir(&path).map_err(io_error(path.display().to_string()))?;
        Ok(TemporaryDir { path, keep: false })
    }

    /// One with this very path; it may exist and may stay.
    pub fn at(path: PathBuf, keep: bool) -> Result<TemporaryDir, Error> {
        std::fs::create_dir_all(&path).map_err(io_error(path.display().to_string()))?;
        Ok(TemporaryDir { path, keep })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryDir {
    fn drop(&mut self) {
        if !self.keep
            && let Err(e) = std::fs::remove_dir_all(&self.path)
            && e.kind() != io::ErrorKind::NotFound
        {
            eprintln!("evenkeel: {} is left: {e}", self.path.display());
        }
    }
}

/// A place for files that should not touch the measured disk: memory, if that is another file system; else the system's temporary folder.
pub fn place_off(measured: &Path) -> PathBuf {
    let device = |p: &Path| std::fs::metadata(p).ok().map(|m| m.dev());
    let memory = Path::new(SHARED_MEMORY);
    let usable = rustix::fs::access(memory, rustix::fs::Access::WRITE_OK).is_ok();
    if usable && device(memory) != device(measured) { memory.into() } else { std::env::temp_dir() }
}

/// A process that is killed unless it has ended.
pub struct Process {
    child: Child,
    program: String,
    /// What it says goes into this file.
    words: PathBuf,
}

impl Process {
    /// Starts it; what it says goes into `words`.
    pub fn start(mut command: Command, program: &str, words: PathBuf) -> Result<Process, Error> {
        let shown = words.display().to_string();
        let file = std::fs::File::create(&words).map_err(io_error(&shown))?;
        let again = file.try_clone().map_err(io_error(&shown))?;
        // A pipe, kept open: a server of ours that is told to looks at its end, and goes with us even if we are killed.
        command.stdin(std::process::Stdio::piped()).stdout(file).stderr(again).process_group(0);
        let child = command.spawn().map_err(io_error(program))?;
        Ok(Process { child, program: program.into(), words })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended; None while it runs.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.child.try_wait().map_err(io_error(&self.program))
    }

    /// Asks it by a signal to end and waits as long; false if it is still there.
    pub fn end(&mut self, signal: Signal, wait: Duration) -> Result<bool, Error> {
        // Not waited for yet, so the number is still its own.
        if self.ended()?.is_none()
            && let Some(pid) = i32::try_from(self.id()).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(pid, signal);
        }
        let begin = Instant::now();
        while self.ended()?.is_none() {
            if begin.elapsed() > wait {
                return Ok(false);
            }
            std::thread::sleep(WAIT_STEP);
        }
        Ok(true)
    }

    /// All it has said, at most its end.
    pub fn words(&self) -> String {
        let mut text = Vec::new();
        if let Ok(mut file) = std::fs::File::open(&self.words) {
            let len = file.metadata().map_or(0, |m| m.len());
            let from = len.saturating_sub(LAST_WORDS_BYTES as u64);
            let _ = io::Seek::seek(&mut file, io::SeekFrom::Start(from));
            let _ = file.take(LAST_WORDS_BYTES as u64).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).trim().to_string()
    }

    /// An error with its last words.
    pub fn error(&self, why: impl std::fmt::Display) -> Error {
        let words = self.words();
        let why = if words.is_empty() { why.to_string() } else { format!("{why}: {words}") };
        Error::Child { program: self.program.clone(), why }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_unless_it_is_to_stay() {
        let dir = tempfile::tempdir().unwrap();
        let own = TemporaryDir::new(dir.path(), "x").unwrap();
        let path = own.path().to_path_buf();
        std::fs::write(path.join("file"), "x").unwrap();
        drop(own);
        assert!(!path.exists());
        drop(TemporaryDir::at(path.clone(), true).unwrap());
        assert!(path.exists());
    }

    #[test]
    fn a_process_ends_with_its_guard() {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new("sleep");
        command.arg("1000");
        let process = Process::start(command, "sleep", dir.path().join("words")).unwrap();
        let proc_dir = PathBuf::from(format!("/proc/{}", process.id()));
        assert!(proc_dir.exists());
        drop(process);
        assert!(!proc_dir.exists());
    }

    #[test]
    fn last_words_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo no such thing >&2; exit 3"]);
        let mut process = Process::start(command, "sh", dir.path().join("words")).unwrap();
        while process.ended().unwrap().is_none() {
            std::thread::yield_now();
        }
        assert_eq!(process.error("failed").to_string(), "sh: failed: no such thing");
    }
}
