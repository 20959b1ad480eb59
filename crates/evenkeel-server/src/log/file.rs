//! Log files: their names, and when a new one begins.
//!
//! Duty: `log_directory`, `log_filename`, `log_file_mode`, `log_rotation_age`, `log_rotation_size` and `log_truncate_on_rotation`, as PostgreSQL has them, for one format.
//!
//! Invariants:
//! 1. An error leaves the file to be opened anew at the next write; nothing here retries or waits.
//!
//! It must not know: messages.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How files are named, and when they end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Naming {
    pub directory: PathBuf,
    /// With `strftime`'s escapes.
    pub filename: String,
    pub mode: u32,
    /// `None`: never.
    pub age: Option<Duration>,
    /// `None`: whatever its size.
    pub size_bytes: Option<u64>,
    pub truncates: bool,
    pub zone: TimeZone,
}

impl Naming {
    /// The file for messages of a time. `suffix` stands for `.log`.
    pub fn path(&self, time: Timestamp, suffix: &str) -> PathBuf {
        let zoned = time.to_zoned(self.zone.clone());
        // What is wrong with the pattern was told when it was set.
        let name =
            jiff::fmt::strtime::format(&self.filename, &zoned).unwrap_or_else(|_| "evenkeel.log".into());
        let stem = name.strip_suffix(".log").unwrap_or(&name);
        self.directory.join(format!("{stem}{suffix}"))
    }

    /// When a file that begins at a time is old: at whole multiples of the age, in local time.
    fn end(&self, time: Timestamp) -> Option<Timestamp> {
        let age = i64::try_from(self.age?.as_secs()).ok().filter(|age| *age > 0)?;
        let offset = i64::from(self.zone.to_offset(time).seconds());
        let local = time.as_second().checked_add(offset)?;
        let end = local - local.rem_euclid(age) + age - offset;
        Timestamp::from_second(end).ok()
    }
}

/// One that is written.
struct Open {
    file: File,
    path: PathBuf,
    bytes: u64,
    end: Option<Timestamp>,
}

/// The files of one format, one after another.
pub(super) struct LogFile {
    naming: Naming,
    suffix: &'static str,
    open: Option<Open>,
    /// A new one is wanted (`pg_rotate_logfile`).
    is_over: bool,
}

impl LogFile {
    /// None is open yet.
    pub fn new(naming: Naming, suffix: &'static str) -> LogFile {
        LogFile { naming, suffix, open: None, is_over: false }
    }

    /// What is written from now on goes by another naming.
    pub fn rename(&mut self, naming: Naming) {
        if naming != self.naming {
            self.is_over |= naming.path(Timestamp::now(), "") != self.naming.path(Timestamp::now(), "");
            self.naming = naming;
            if let Some(open) = &mut self.open {
                open.end = self.naming.end(Timestamp::now());
            }
        }
    }

    /// The next write begins a file.
    pub fn rotate(&mut self) {
        self.is_over = true;
    }

    /// The file that is written.
    pub fn path(&self) -> Option<&Path> {
        self.open.as_ref().map(|o| &*o.path)
    }

    /// Writes whole lines, to a new file if it is time for one. (1)
    pub fn write(&mut self, lines: &[u8], now: Timestamp) -> io::Result<()> {
        let written = self.file(lines.len() as u64, now).and_then(|open| {
            open.file.write_all(lines)?;
            open.bytes += lines.len() as u64;
            Ok(())
        });
        if written.is_err() {
            self.open = None;
        }
        written
    }

    fn file(&mut self, more: u64, now: Timestamp) -> io::Result<&mut Open> {
        let is_old = |o: &Open| o.end.is_some_and(|end| now >= end);
        let is_full = |o: &Open| {
            let limit = self.naming.size_bytes;
            o.bytes > 0 && limit.is_some_and(|limit| o.bytes + more > limit)
        };
        let over_by_age = self.open.as_ref().is_some_and(is_old);
        let is_over =
            self.open.as_ref().is_none_or(|o| self.is_over || is_old(o) || is_full(o) || !o.path.exists());
        if is_over {
            self.is_over = false;
            let opened = self.begin(over_by_age, now)?;
            self.open = Some(opened);
        }
        Ok(self.open.as_mut().expect("it was just opened"))
    }

    fn begin(&self, over_by_age: bool, now: Timestamp) -> io::Result<Open> {
        let n = &self.naming;
        DirBuilder::new().recursive(true).mode(0o700).create(&n.directory)?;
        let path = n.path(now, self.suffix);
        // Of the same name as the one before, a file is emptied for its age alone, as in PostgreSQL: what began it anew may have been a start.
        let is_another = self.open.as_ref().is_some_and(|o| o.path != path);
        let empties = n.truncates && over_by_age && is_another;
        let mut options = OpenOptions::new();
        options.create(true).mode(n.mode);
        if empties {
            options.write(true).truncate(true)
        } else {
            options.append(true)
        };
        let file = options.open(&path)?;
        let bytes = fs::metadata(&path)?.len();
        Ok(Open { file, path, bytes, end: n.end(now) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn naming(dir: &Path) -> Naming {
        Naming {
            directory: dir.join("log"),
            filename: "e-%Y%m%d_%H%M%S.log".into(),
            mode: 0o600,
            age: Some(Duration::from_secs(3600)),
            size_bytes: Some(100),
            truncates: false,
            zone: TimeZone::UTC,
        }
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir.join("log")).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_ends_at_its_age_and_at_its_size() {
        let dir = tempfile::tempdir().unwrap();
        let mut f = LogFile::new(naming(dir.path()), ".json");
        f.write(b"one\n", at("2026-01-01T10:30:00Z")).unwrap();
        f.write(b"two\n", at("2026-01-01T10:59:59Z")).unwrap();
        f.write(b"three\n", at("2026-01-01T11:00:00Z")).unwrap();
        f.write(&[b'x'; 99], at("2026-01-01T11:00:01Z")).unwrap();
        f.write(&[b'x'; 300], at("2026-01-01T11:00:02Z")).unwrap();
        let expected = ["103000", "110000", "110001", "110002"].map(|t| format!("e-20260101_{t}.json"));
        assert_eq!(names(dir.path()), expected);
        let first = fs::read_to_string(dir.path().join("log/e-20260101_103000.json")).unwrap();
        assert_eq!(first, "one\ntwo\n");
        f.rotate();
        f.write(b"y\n", at("2026-01-01T11:00:03Z")).unwrap();
        assert!(f.path().unwrap().ends_with("e-20260101_110003.json"));
    }

    #[test]
    fn a_file_that_is_gone_is_made_again_and_an_error_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let mut f = LogFile::new(Naming { filename: "same.log".into(), ..naming(dir.path()) }, ".log");
        f.write(b"one\n", at("2026-01-01T10:30:00Z")).unwrap();
        fs::remove_dir_all(dir.path().join("log")).unwrap();
        f.write(b"two\n", at("2026-01-01T10:30:01Z")).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("log/same.log")).unwrap(), "two\n");
        fs::remove_dir_all(dir.path().join("log")).unwrap();
        fs::write(dir.path().join("log"), "in the way").unwrap();
        assert!(f.write(b"three\n", at("2026-01-01T10:30:02Z")).is_err());
        fs::remove_file(dir.path().join("log")).unwrap();
        f.write(b"four\n", at("2026-01-01T10:30:03Z")).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("log/same.log")).unwrap(), "four\n");
    }

    #[test]
    fn names_that_come_again_are_emptied_if_that_is_wanted() {
        for (truncates, expected) in [(false, "one\nthree\n"), (true, "three\n")] {
            let dir = tempfile::tempdir().unwrap();
            let n = Naming { filename: "hour-%H.log".into(), truncates, ..naming(dir.path()) };
            let mut f = LogFile::new(n, ".log");
            f.write(b"one\n", at("2026-01-01T10:30:00Z")).unwrap();
            f.write(b"two\n", at("2026-01-01T11:30:00Z")).unwrap();
            f.write(b"three\n", at("2026-01-02T10:30:00Z")).unwrap();
            let got = fs::read_to_string(dir.path().join("log/hour-10.log")).unwrap();
            assert_eq!(got, expected, "truncates: {truncates}");
        }
    }
}
