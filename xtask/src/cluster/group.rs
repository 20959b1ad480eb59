//! A process with its children, in a group of their own.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Killed when dropped, with its children.
pub(super) struct Group(Child);

impl Group {
    /// Starts it; what it says goes behind what is in `log`.
    pub fn start(command: &mut Command, log: &Path) -> Result<Group, String> {
        use std::os::unix::process::CommandExt;
        let file = File::options().create(true).append(true).open(log).map_err(|e| e.to_string())?;
        let again = file.try_clone().map_err(|e| e.to_string())?;
        command.stdin(Stdio::null()).stdout(file).stderr(again).process_group(0);
        command.spawn().map(Group).map_err(|e| format!("{command:?}: {e}"))
    }

    /// A signal to all of them.
    pub fn signal(&self, name: &str) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args([&format!("-{name}"), "--", &group]).stderr(Stdio::null()).status();
    }

    /// kill -9.
    pub fn kill(&mut self) {
        self.signal("KILL");
        let _ = self.0.wait();
    }

    /// SIGTERM to the first one alone, and waits for a clean end.
    pub fn stop(mut self) -> Result<(), String> {
        crate::run(Command::new("kill").args(["-TERM", &self.0.id().to_string()]))?;
        let status = self.0.wait().map_err(|e| e.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}")) }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
