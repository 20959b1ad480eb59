//! A small disk of a member's own, which can be filled, and can hang: a file with ext4 on it. That takes root.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BYTES: u64 = 1 << 30;

/// Unmounted when dropped.
pub(super) struct Disk {
    /// Where it is mounted.
    pub at: PathBuf,
}

fn shell(command: &mut Command) -> Result<(), String> {
    let done = command.stdin(Stdio::null()).output().map_err(|e| format!("{command:?}: {e}"))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&done.stderr).trim())),
    }
}

impl Disk {
    /// Makes one of 1 GiB.
    pub fn new(folder: &Path, name: &str) -> Result<Disk, String> {
        let (image, at) = (folder.join(format!("{name}.disk")), folder.join(format!("{name}.mounted")));
        let file = File::create(&image).and_then(|f| f.set_len(BYTES));
        file.and_then(|()| std::fs::create_dir_all(&at)).map_err(|e| format!("{}: {e}", image.display()))?;
        shell(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(&image))?;
        shell(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&at))?;
        Ok(Disk { at })
    }

    fn filler(&self) -> PathBuf {
        self.at.join("filler")
    }

    /// Until nothing is left.
    pub fn fill(&self) -> Result<(), String> {
        let mut file = File::create(self.filler()).map_err(|e| e.to_string())?;
        for piece in [1 << 20, 1 << 12] {
            let zeros = vec![0; piece];
            while file.write_all(&zeros).and_then(|()| file.sync_data()).is_ok() {}
        }
        Ok(())
    }

    /// There is room again.
    pub fn make_room(&self) -> Result<(), String> {
        std::fs::remove_file(self.filler()).map_err(|e| e.to_string())
    }
}

impl Disk {
    /// Nothing that is written comes back.
    pub fn hang(&self) -> Result<(), String> {
        shell(Command::new("fsfreeze").arg("-f").arg(&self.at))
    }

    /// It goes on.
    pub fn go_on(&self) -> Result<(), String> {
        shell(Command::new("fsfreeze").arg("-u").arg(&self.at))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.go_on();
        let _ = shell(Command::new("umount").arg("-l").arg(&self.at));
    }
}
