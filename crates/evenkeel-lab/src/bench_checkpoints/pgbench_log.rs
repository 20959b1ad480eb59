//! pgbench's log of single transactions, read while it grows.
//!
//! A line is `client transaction time script epoch_s epoch_us [lag [retries]]`: `time` is the latency in microseconds, counted from when the transaction
//! was due if the load is throttled; or `skipped`, or, where transactions were refused, `failed`, `serialization` or `deadlock`. Each thread of pgbench has a file of its
//! own, ordered by time.
//!
//! Invariants
//! 1. A line that is not complete yet is read later; at the end it is left out.
//! 2. What was read gives its disk space back, so that the logs of a long run need little.
//! 3. A line that makes no sense is counted and left out; it never stops the measurement or takes memory.
//!
//! It must not know what is made of the transactions.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};

use super::digest::{Digest, Outcome};
use super::{Error, io_error};

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 256 << 10;
/// No line of pgbench is as long (invariant 3).
const LINE_BYTES_MAX: usize = 1024;

/// One line: when the transaction ended, in microseconds since 1970, and how.
pub fn parse(line: &[u8]) -> Option<(i64, Outcome)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut fields = line.split_ascii_whitespace();
    let _client: u64 = fields.next()?.parse().ok()?;
    let _transaction: u64 = fields.next()?.parse().ok()?;
    let outcome = match fields.next()? {
        "skipped" => Outcome::Skipped,
        "failed" | "serialization" | "deadlock" => Outcome::Failed,
        // Clocks may step back, and then pgbench prints less than nothing.
        time => Outcome::Done { latency_us: time.parse::<i64>().ok()?.max(0) as u64 },
    };
    let _script: u64 = fields.next()?.parse().ok()?;
    let seconds: i64 = fields.next()?.parse().ok()?;
    let micros: i64 = fields.next()?.parse().ok().filter(|us| (0..1_000_000).contains(us))?;
    Some((seconds.checked_mul(1_000_000)?.checked_add(micros)?, outcome))
}

/// The log of one thread.
struct Tail {
    path: PathBuf,
    file: File,
    /// What was read of the file.
    offset: u64,
    /// The beginning of a line that is not complete.
    partial: Vec<u8>,
    /// The line is too long: skip to its end.
    overlong: bool,
    /// End of the last transaction.
    last_us: i64,
}

/// The logs of one pgbench.
pub struct Logs {
    dir: PathBuf,
    prefix: String,
    tails: Vec<Tail>,
    /// The counted time began then, in microseconds since 1970.
    origin_us: i64,
    senseless: u64,
}

impl Logs {
    /// Files in `dir` whose names begin with `prefix`.
    pub fn new(dir: &Path, prefix: &str, origin_us: i64) -> Logs {
        Logs { dir: dir.into(), prefix: prefix.into(), tails: Vec::new(), origin_us, senseless: 0 }
    }

    /// Lines that made no sense.
    pub fn senseless(&self) -> u64 {
        self.senseless
    }

    /// Takes in what has been written since the last time.
    pub fn read(&mut self, digest: &mut Digest) -> Result<(), Error> {
        self.look_for_files()?;
        for tail in &mut self.tails {
            self.senseless += tail.read(self.origin_us, digest)?;
        }
        // Each file is in order: what is older than the last line of every one is complete.
        if let Some(oldest) = self.tails.iter().map(|t| t.last_us).min() {
            digest.close_before(oldest.saturating_sub(self.origin_us));
        }
        Ok(())
    }

    fn look_for_files(&mut self) -> Result<(), Error> {
        let shown = self.dir.display().to_string();
        for entry in std::fs::read_dir(&self.dir).map_err(io_error(&shown))? {
            let path = entry.map_err(io_error(&shown))?.path();
            let ours = path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(&self.prefix));
            if !ours || self.tails.iter().any(|t| t.path == path) {
                continue;
            }
            let file = File::options().read(true).write(true).open(&path);
            let file = file.map_err(io_error(path.display().to_string()))?;
            let (partial, overlong, last_us) = (Vec::new(), false, i64::MIN);
            self.tails.push(Tail { path, file, offset: 0, partial, overlong, last_us });
        }
        Ok(())
    }
}

impl Tail {
    /// Reads to the end; says how many lines made no sense.
    fn read(&mut self, origin_us: i64, digest: &mut Digest) -> Result<u64, Error> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let (mut senseless, begin) = (0, self.offset);
        loop {
            let n = self.file.read(&mut chunk).map_err(io_error(self.path.display().to_string()))?;
            if n == 0 {
                break;
            }
            self.offset += n as u64;
            senseless += self.take(&chunk[..n], origin_us, digest);
        }
        if self.offset > begin {
            // Invariant 2; where the file system cannot, the files stay whole until the end.
            let _ = fallocate(
                &self.file,
                FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE,
                begin,
                self.offset - begin,
            );
        }
        Ok(senseless)
    }

    fn take(&mut self, bytes: &[u8], origin_us: i64, digest: &mut Digest) -> u64 {
        let mut senseless = 0;
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            let (text, complete) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (piece, false),
            };
            self.overlong |= self.partial.len() + text.len() > LINE_BYTES_MAX;
            if self.overlong {
                self.partial.clear();
            } else {
                self.partial.extend_from_slice(text);
            }
            if !complete {
                continue;
            }
            match parse(&self.partial).filter(|_| !self.overlong) {
                Some((at_us, outcome)) => {
                    digest.record(at_us.saturating_sub(origin_us), outcome);
                    self.last_us = at_us;
                }
                None => senseless += 1,
            }
            self.partial.clear();
            self.overlong = false;
        }
        senseless
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const LATE: Outcome = Outcome::Done { latency_us: 3446 };

    #[test]
    fn lines_of_every_kind_are_understood() {
        for (line, expected) in [
            ("1 1 3446 0 1795277568 56363", (1_795_277_568_056_363, LATE)),
            ("1 1 3446 0 1795277568 56363 210", (1_795_277_568_056_363, LATE)),
            ("1 1 3446 0 1795277568 56363 210 2", (1_795_277_568_056_363, LATE)),
            ("1 2 skipped 0 1795277568 56377 0", (1_795_277_568_056_377, Outcome::Skipped)),
            ("0 7 failed 0 1795277568 0", (1_795_277_568_000_000, Outcome::Failed)),
            ("0 7 deadlock 0 1795277568 0", (1_795_277_568_000_000, Outcome::Failed)),
            ("0 7 -5 0 1 999999", (1_999_999, Outcome::Done { latency_us: 0 })),
        ] {
            assert_eq!(parse(line.as_bytes()), Some(expected), "{line}");
        }
    }

    #[test]
    fn hostile_lines_are_refused() {
        let lines: [&[u8]; 11] = [
            b"",
            b" ",
            b"1 1 3446 0 1795277568",
            b"1 1 3446 0 1795277568 1000000",
            b"1 1 3446 0 1795277568 -1",
            b"1 1 quick 0 1795277568 5",
            b"x 1 3446 0 1795277568 5",
            b"1 1 99999999999999999999 0 1795277568 5",
            b"1 1 3446 0 9223372036854775807 5",
            b"1 1 3446 0 -9223372036854775808 5",
            b"\xff\xfe 1 3446 0 1 5",
        ];
        for line in lines {
            assert_eq!(parse(line), None, "{:?}", String::from_utf8_lossy(line));
        }
    }

    /// Writes the pieces one after the other, reading after each; gives transactions and senseless lines.
    fn read(pieces: &[&[u8]]) -> (u64, u64) {
        let dir = tempfile::tempdir().unwrap();
        let mut file = File::create(dir.path().join("t.42")).unwrap();
        std::fs::write(dir.path().join("other"), "1 1 1 0 0 1\n").unwrap();
        let mut logs = Logs::new(dir.path(), "t", 0);
        let mut digest = Digest::new(10, 100.0);
        for piece in pieces {
            file.write_all(piece).unwrap();
            logs.read(&mut digest).unwrap();
        }
        (digest.finish().overall.transactions, logs.senseless())
    }

    #[test]
    fn lines_are_read_whole_however_they_are_cut() {
        let text = b"0 1 10 0 1 5\n0 2 20 0 2 5\n0 3 30 0 3 5\n0 4 40 0 4";
        for cut in 0..=text.len() {
            assert_eq!(read(&[&text[..cut], &text[cut..]]), (3, 0), "cut at {cut}");
        }
    }

    #[test]
    fn nonsense_is_counted_and_what_follows_is_read() {
        let long = [vec![b'7'; 3 * CHUNK_BYTES], b"\n0 1 10 0 1 5\n".to_vec()].concat();
        assert_eq!(read(&[&long]), (1, 1));
        assert_eq!(read(&[b"\n\0\0\n0 1 10 0 1 5\n", b"garbage\n"]), (1, 3));
    }

    #[test]
    fn every_thread_has_a_file_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("t.42"), "0 1 10 0 1 5\n").unwrap();
        std::fs::write(dir.path().join("t.42.1"), "1 1 10 0 2 5\n").unwrap();
        let mut digest = Digest::new(10, 100.0);
        Logs::new(dir.path(), "t", 1_000_000).read(&mut digest).unwrap();
        let seconds: Vec<u64> = digest.finish().seconds.iter().map(|s| s.transactions).collect();
        assert_eq!(&seconds[..3], &[1, 1, 0]);
    }
}
