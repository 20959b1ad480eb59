//! What an archive says of a base backup: the object `backups/ID/manifest.json`. A backup without one is not complete.
//!
//! `backups/ID/label.json` is the same document with no files and no end, put before anything else: whoever finds it alone goes on with the upload or
//! removes it.
//!
//! Invariants
//! 1. Every number that cannot stand exactly in JSON of all readers (identifiers, positions) is a string of hexadecimal digits.
//! 2. A manifest that does not fit together is refused: what reads it may rely on what `decode` checks.
//!
//! Must not know: how pages are copied or put back.

use super::document;
use crate::base::{Error, Lsn, MAX_FILE_ID, PartitionCount, Result, TxnId};
use crate::control::TornPageProtection;
use serde::{Deserialize, Serialize};

/// Version of the document that is written; others are refused.
pub const MANIFEST_VERSION: u32 = 1;
/// Blocks in a chunk of a file at most: 16 MiB.
pub const CHUNK_BLOCKS: u32 = 2048;
/// No log reaches so far.
const POSITION_MAX: u64 = 1 << 62;

/// See the file's head.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`].
    pub version: u32,
    /// The backup's name: time of its begin and some random digits, so that names sort by time.
    pub id: String,
    /// What its maker called it; may be empty.
    pub label: String,
    /// Which database.
    #[serde(with = "hex")]
    pub database_id: u64,
    /// The timeline whose log goes on from it.
    pub timeline: u32,
    /// The backup that it is to be laid upon: chunks leave out pages that have not changed since that one. `None`: it stands alone.
    pub parent: Option<String>,
    /// When it was begun, milliseconds since the Unix epoch.
    pub begun_ms: u64,
    /// When it was complete; 0 in a label.
    pub ended_ms: u64,
    /// Bytes of a log segment.
    pub segment_bytes: u64,
    /// How its redo vector is cut.
    pub partitions: u32,
    /// Redo vector as of the begin.
    pub redo: Vec<Position>,
    /// The latest round record as of the begin; zero = none.
    pub round: Position,
    /// First position of the log that its replay reads.
    pub log_needed: Position,
    /// Unused file id as of the begin.
    pub next_file: u64,
    /// Unused transaction id as of the begin.
    pub next_txn: u64,
    /// End of the log at the begin. Every page whose LSN is at most this and that is the same in a backup laid upon it may be left out there.
    pub start: Position,
    /// End of the log when the last page had been copied: no moment before it can be restored. Zero in a label.
    pub end: Position,
    /// The incarnation that `end` belongs to.
    #[serde(with = "hex")]
    pub end_incarnation: u64,
    /// Torn-page protection that the log was written under.
    pub protection: String,
    /// Files, ascending.
    pub files: Vec<BackupFile>,
}

/// A file as it was when it was copied.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupFile {
    /// Its number.
    pub file: u64,
    /// Its length.
    pub blocks: u32,
    /// Its chunks, ascending, without gaps. A chunk in which nothing has changed since the parent has no object.
    pub chunks: Vec<BackupChunk>,
}

/// A piece of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupChunk {
    /// Its first block.
    pub first: u32,
    /// How many blocks.
    pub blocks: u32,
    /// Pages that it holds.
    pub pages: u32,
    /// Bytes of its object; 0 = there is none.
    pub bytes: u64,
    /// CRC32C of the object.
    pub crc32c: u32,
}

/// A position in the log, as it stands in a manifest (invariant 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Position(#[serde(with = "hex")] pub u64);

impl From<Lsn> for Position {
    fn from(lsn: Lsn) -> Position {
        Position(lsn.0)
    }
}

impl From<Position> for Lsn {
    fn from(p: Position) -> Lsn {
        Lsn(p.0)
    }
}

pub(super) mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(n: &u64, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&format!("{n:016x}"))
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<u64, D::Error> {
        let text = String::deserialize(d)?;
        u64::from_str_radix(&text, 16).map_err(de::Error::custom)
    }
}

/// The folder of a backup's objects.
pub fn backup_folder(id: &str) -> String {
    format!("backups/{id}/")
}

/// Name of a manifest's object.
pub fn manifest_name(id: &str) -> String {
    format!("{}manifest.json", backup_folder(id))
}

/// Name of a label's object.
pub fn label_name(id: &str) -> String {
    format!("{}label.json", backup_folder(id))
}

/// Name of an object that says that a backup was still being made at that time, milliseconds since the Unix epoch: retention leaves it alone. There may be
/// several; the latest counts.
pub fn alive_name(id: &str, at_ms: u64) -> String {
    format!("{}alive-{at_ms:016x}", backup_folder(id))
}

/// Name of a chunk's object.
pub fn chunk_name(id: &str, file: u64, first: u32) -> String {
    format!("{}{file:016x}-{first:08x}.pages", backup_folder(id))
}

impl Manifest {
    /// As it stands in its object.
    pub fn encode(&self) -> Vec<u8> {
        document::encode(self)
    }

    /// Reads a manifest, or a label. `Corrupt`: it is damaged, of another version, or does not fit together.
    pub fn decode(bytes: &[u8]) -> Result<Manifest> {
        let m: Manifest = document::decode(bytes)
            .map_err(|e| Error::corrupt(format!("the backup's manifest cannot be read: {e}")))?;
        match m.problem() {
            None => Ok(m),
            Some(why) => Err(Error::corrupt(format!("the manifest of backup \"{}\": {why}", m.id))),
        }
    }

    /// What does not fit together in it.
    fn problem(&self) -> Option<String> {
        if self.version != MANIFEST_VERSION {
            return Some(format!("version {} is not {MANIFEST_VERSION}", self.version));
        }
        let plain = |id: &str| {
            !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if !plain(&self.id) || !self.parent.as_deref().is_none_or(plain) {
            return Some("its name, or its parent's, is none".into());
        }
        let sizes = (1 << 16)..=(1u64 << 30);
        if !self.segment_bytes.is_power_of_two() || !sizes.contains(&self.segment_bytes) {
            return Some(format!("log segments of {} bytes", self.segment_bytes));
        }
        if PartitionCount::new(self.partitions).is_none_or(|p| p.get() != self.redo.len()) {
            return Some(format!("{} redo points for {} partitions", self.redo.len(), self.partitions));
        }
        if TornPageProtection::by_name(&self.protection).is_none() {
            return Some(format!("torn-page protection \"{}\"", self.protection));
        }
        if self.timeline == 0 {
            return Some("timeline 0".into());
        }
        if !(1..MAX_FILE_ID).contains(&self.next_file) {
            return Some(format!("{} as the next file's number", self.next_file));
        }
        if !(1..TxnId::MAX.0).contains(&self.next_txn) {
            return Some(format!("{} as the next transaction's number", self.next_txn));
        }
        if self.start.max(self.end).0 >= POSITION_MAX {
            return Some("a position is out of range".into());
        }
        let ended = self.ended_ms != 0;
        if ended && self.end < self.start || self.log_needed > self.start || self.round > self.start {
            return Some("its positions are out of order".into());
        }
        if self.redo.iter().any(|r| *r > self.start || *r < self.log_needed) {
            return Some("its redo points lie outside the log it needs".into());
        }
        if !self.files.is_sorted_by(|a, b| a.file < b.file) {
            return Some("files out of order".into());
        }
        self.files.iter().find_map(BackupFile::problem)
    }
}

impl BackupFile {
    fn problem(&self) -> Option<String> {
        if self.file == 0 || self.file >= MAX_FILE_ID {
            return Some(format!("file number {}", self.file));
        }
        let mut next = 0;
        for c in &self.chunks {
            let fits = c.blocks > 0 && c.blocks <= CHUNK_BLOCKS && c.pages <= c.blocks;
            if !fits || c.first != next || c.blocks > self.blocks - next {
                return Some(format!("file {} has a chunk of {} blocks at {}", self.file, c.blocks, c.first));
            }
            next += c.blocks;
        }
        (next != self.blocks)
            .then(|| format!("file {} has {} blocks, its chunks {next}", self.file, self.blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let chunk = |first, blocks| BackupChunk { first, blocks, pages: 1, bytes: 10, crc32c: 7 };
        Manifest {
            version: MANIFEST_VERSION,
            id: "20260102T030405Z-0a1b2c3d".into(),
            label: "before the move".into(),
            database_id: u64::MAX,
            timeline: 1,
            parent: None,
            begun_ms: 1,
            ended_ms: 2,
            segment_bytes: 1 << 16,
            partitions: 2,
            redo: vec![Position(50), Position(60)],
            round: Position(55),
            log_needed: Position(40),
            next_file: 20,
            next_txn: 5,
            start: Position(70),
            end: Position(1 << 60),
            end_incarnation: 3,
            protection: "full_page_writes".into(),
            files: vec![BackupFile { file: 17, blocks: 2050, chunks: vec![chunk(0, 2048), chunk(2048, 2)] }],
        }
    }

    #[test]
    fn a_manifest_comes_back_as_it_was() {
        assert_eq!(Manifest::decode(&manifest().encode()).unwrap(), manifest());
        let text = String::from_utf8(manifest().encode()).unwrap();
        assert!(text.contains(r#""end": "1000000000000000""#), "{text}");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let spoilers: [fn(&mut Manifest); 17] = [
            |m| m.version = 2,
            |m| m.id = "../x".into(),
            |m| m.parent = Some(String::new()),
            |m| m.segment_bytes = 3 << 20,
            |m| m.partitions = 4,
            |m| m.end = Position(69),
            |m| m.redo[0] = Position(39),
            |m| m.next_txn = 0,
            |m| m.next_txn = u64::MAX,
            |m| m.next_file = 0,
            |m| m.next_file = 1 << 63,
            |m| m.timeline = 0,
            |m| m.end = Position(u64::MAX),
            |m| m.files[0].file = 0,
            |m| m.files[0].file = 1 << 63,
            |m| m.files[0].chunks[1].first = 2047,
            |m| m.files[0].blocks = 2051,
        ];
        for (i, spoil) in spoilers.into_iter().enumerate() {
            let mut m = manifest();
            spoil(&mut m);
            assert!(Manifest::decode(&m.encode()).is_err(), "spoiler {i}");
        }
        assert!(Manifest::decode(b"{}").is_err());
    }
}
