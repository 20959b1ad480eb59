//! The system's means for a modelled disk: its programs, what it has mounted, and what is missing.
//!
//! Invariants
//! 1. Nothing is changed to find out what is missing.
//!
//! It must not know what a disk is made of.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where programs of administrators are, too.
const MORE_PLACES: [&str; 3] = ["/usr/sbin", "/sbin", "/usr/local/sbin"];
const PROGRAMS: [(&str, &str); 4] = [
    ("losetup", "util-linux"),
    ("mount", "util-linux"),
    ("umount", "util-linux"),
    ("mkfs.ext4", "e2fsprogs"),
];

/// What is missing for a modelled disk, and what to do about it: one sentence.
pub(super) fn missing() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("a modelled disk needs Linux: FUSE and loop devices".into());
    }
    if !rustix::process::geteuid().is_root() {
        return Some(
            "a modelled disk needs root, who alone may make loop devices and mount: run this as root or by sudo".into(),
        );
    }
    let devices =
        [("/dev/fuse", "FUSE", "modprobe fuse"), ("/dev/loop-control", "loop devices", "modprobe loop")];
    for (device, what, how) in devices {
        if let Err(e) = std::fs::File::options().read(true).write(true).open(device) {
            return Some(format!(
                "a modelled disk needs {what}: {device}: {e}; `{how}` makes it where the kernel has it, and a container has to be given it"
            ));
        }
    }
    for (program, package) in PROGRAMS {
        if find(program).is_none() {
            return Some(format!("a modelled disk needs {program}: install the package {package}"));
        }
    }
    None
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(MORE_PLACES.iter().map(PathBuf::from));
    places.map(|place| place.join(program)).find(|file| file.is_file())
}

/// Runs a program of the system; gives what it said.
pub(super) fn run<S: AsRef<OsStr>>(program: &str, args: &[S]) -> Result<String, String> {
    let path = find(program).ok_or_else(|| format!("{program} is not there"))?;
    let output = Command::new(path).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("{program}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_string());
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(if words.is_empty() { format!("{program}: {}", output.status) } else { words })
}

/// What is mounted at that place, uppermost: its source.
pub(super) fn mounted_at(place: &Path) -> Option<String> {
    let text = std::fs::read_to_string("/proc/mounts").ok()?;
    let of = |line: &str| {
        let mut fields = line.split(' ');
        let (source, at) = (fields.next()?, fields.next()?);
        (Path::new(&plain(at)) == place).then(|| source.to_string())
    };
    text.lines().rev().find_map(of)
}

/// As the kernel writes blanks and the like.
fn plain(field: &str) -> String {
    field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// Loop devices on that file, by their names.
pub(super) fn loops_on(file: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir("/sys/block") else { return Vec::new() };
    let names = entries.flatten().map(|e| e.path()).filter(|device| {
        let text = std::fs::read_to_string(device.join("loop/backing_file")).unwrap_or_default();
        Path::new(text.trim_end_matches('\n')) == file
    });
    names.filter_map(|d| Some(format!("/dev/{}", d.file_name()?.to_str()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_say_what_they_say() {
        assert!(mounted_at(Path::new("/proc")).is_some() || !Path::new("/proc/mounts").exists());
        assert_eq!(mounted_at(Path::new("/no/such place")), None);
        assert_eq!(plain("a\\040b"), "a b");
        assert!(run("no-such-program", &["x"]).is_err());
        assert_eq!(run("echo", &["x"]).as_deref(), Ok("x"));
        assert!(loops_on(Path::new("/no/such")).is_empty());
    }
}
