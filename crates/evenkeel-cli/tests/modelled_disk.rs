//! `evenkeel lab disk` and `--disk`: a modelled disk under a real file system, where this machine lets one be made (root, FUSE, loop devices).

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{evenkeel, run, stderr, stdout};

/// A disk that is taken away whatever happens to the test.
struct Made(PathBuf);

impl Drop for Made {
    fn drop(&mut self) {
        let _ = evenkeel(&["lab", "disk", "remove", "--force"]).arg(&self.0).output();
    }
}

/// Makes one; None, with a sentence, where that cannot be.
fn create(dir: &Path, kind: &str) -> Option<Made> {
    let output =
        evenkeel(&["lab", "disk", "create", "--kind", kind, "--size", "256MB"]).arg(dir).output().unwrap();
    if output.status.success() {
        assert!(stdout(&output).contains(kind), "{}", stdout(&output));
        return Some(Made(dir.to_owned()));
    }
    let why = stderr(&output);
    let words = ["a modelled disk needs", "FUSE could not be mounted", "losetup", "mount"];
    let is_missing = words.iter().any(|w| why.contains(w));
    assert!(is_missing, "{why}");
    println!("skipped: {why}");
    assert!(!dir.exists(), "what could not be made is left");
    None
}

/// Nothing of it is mounted, attached or on the disk below.
fn is_gone(dir: &Path) -> bool {
    let mut beside = dir.as_os_str().to_owned();
    beside.push(".disk");
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    !dir.exists()
        && !Path::new(&beside).exists()
        && !mounts.contains(dir.to_str().unwrap())
        && !is_attached(dir)
}

/// A loop device lies on it.
fn is_attached(dir: &Path) -> bool {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    devices
        .map(|d| fs::read_to_string(d.path().join("loop/backing_file")).unwrap_or_default())
        .any(|file| file.starts_with(dir.to_str().unwrap()))
}

#[test]
fn what_was_flushed_outlives_a_power_cut_and_nothing_outlives_the_removal() {
    let here = tempfile::tempdir().unwrap();
    let dir = here.path().canonicalize().unwrap().join("disk");
    let Some(_made) = create(&dir, "ssd") else { return };
    let output = evenkeel(&["lab", "disk", "create", "--kind", "ssd"]).arg(&dir).output().unwrap();
    assert!(stderr(&output).contains("has a disk already"), "{}", stderr(&output));
    let mut kept = fs::File::create(dir.join("kept")).unwrap();
    kept.write_all(&[7; 100_000]).unwrap();
    kept.sync_all().unwrap();
    fs::File::open(&dir).unwrap().sync_all().unwrap();
    let mut open = fs::File::create(dir.join("open")).unwrap();
    open.write_all(&[8; 100_000]).unwrap();
    let output = evenkeel(&["lab", "disk", "cut", "--seed", "3"]).arg(&dir).output().unwrap();
    assert!(stdout(&output).starts_with("cut with seed 3: "), "{}{}", stdout(&output), stderr(&output));
    assert!(open.sync_all().is_err(), "who had a file open is told");
    drop((kept, open));
    assert_eq!(fs::read(dir.join("kept")).unwrap(), [7; 100_000]);
    assert!(!dir.join("open").exists(), "it was never flushed");
    let shown = stdout(&evenkeel(&["lab", "disk", "show"]).arg(&dir).output().unwrap());
    assert!(shown.contains("\"flushes\":") && shown.contains("\"lost\":"), "{shown}");
    let output = evenkeel(&["lab", "disk", "remove"]).arg(&dir).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(is_gone(&dir));
    let output = evenkeel(&["lab", "disk", "remove"]).arg(&dir).output().unwrap();
    assert!(stderr(&output).contains("has no modelled disk"), "{}", stderr(&output));
}

#[test]
fn a_disk_under_an_experiment_goes_with_it_even_if_it_is_killed() {
    let here = tempfile::tempdir().unwrap();
    let dir = here.path().canonicalize().unwrap();
    let Some(_made) = create(&dir.join("tried"), "ssd") else { return };
    let output = evenkeel(&["lab", "disk", "remove"]).arg(dir.join("tried")).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let lab = |seconds: &str| {
        let mut command = evenkeel(&["lab", "ganged-log", "--quick", "--clients", "2", "--only", "flight"]);
        command.args(["--seconds", seconds, "--disk", "7200rpm", "--disk-size", "1GB"]).current_dir(&dir);
        command
    };
    let output = lab("0.3").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("modelled 7200rpm"), "{}", stdout(&output));
    let page = fs::read_to_string(dir.join("lab-ganged-log.html")).unwrap();
    assert!(page.contains("modelled 7200rpm"));
    let left = || {
        fs::read_dir(&dir)
            .unwrap()
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_none_or(|e| e != "html"))
    };
    assert_eq!(left().count(), 0, "{:?}", left().collect::<Vec<_>>());

    let mut killed = lab("60").spawn().unwrap();
    let begin = Instant::now();
    let under = loop {
        let mounts = fs::read_to_string("/proc/mounts").unwrap();
        if let Some(at) = left().find(|p| mounts.contains(&format!(" {} ext4 ", p.display()))) {
            break at;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "no disk appears");
        std::thread::sleep(Duration::from_millis(20));
    };
    std::thread::sleep(Duration::from_millis(500));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let begin = Instant::now();
    while !is_gone(&under) {
        assert!(begin.elapsed() < Duration::from_secs(30), "it is left: {:?}", left().collect::<Vec<_>>());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn kinds_are_listed_with_their_numbers_and_wrong_ones_are_refused() {
    let text = stdout(&run(&["lab", "disk", "kinds"]));
    for kind in ["7200rpm", "15000rpm", "ssd", "nvme", "cloud"] {
        assert!(text.lines().any(|line| line.starts_with(kind)), "{text}");
    }
    assert_eq!(run(&["lab", "ganged-log", "--disk", "floppy"]).status.code(), Some(2));
    assert_eq!(run(&["lab", "disk", "create", "--kind", "ssd", "--size", "1", "x"]).status.code(), Some(2));
}
