//! The control file: what recovery starts from. Two slots, written in turn, so that one is always whole.
//!
//! Slot `i` is the 4 KiB block at `i * 4096` (little-endian):
//!
//! | offset | width | field |
//! | --- | --- | --- |
//! | 0 | 8 | magic `EVKLCTL1` |
//! | 8 | 4 | CRC32C of bytes 12..4096 |
//! | 12 | 4 | format version |
//! | 16 | 8 | sequence number: the higher of two good slots counts |
//! | 24 | 8 | database id |
//! | 32 | 4 | log segment bytes |
//! | 36 | 4 | page bytes |
//! | 40 | 4 | checkpoint partitions N |
//! | 44 | 1 | 1 = shut down cleanly: the log ends at `round` and nothing is to be redone |
//! | 45 | 1 | 1 = creation is complete; before, there is nothing to recover and creation begins anew |
//! | 46 | 1 | torn-page protection in force ([`TornPageProtection`]): 0 full_page_writes, 1 double_write, 2 atomic, 3 off |
//! | 47 | 1 | [`Role`]: 0 primary, 1 standby |
//! | 48 | 8 | LSN of the latest published round record (0 = none) |
//! | 56 | 8 | position from which the log is needed: min(redo vector, analysis start, oldest transaction) |
//! | 64 | 8 | next file id |
//! | 72 | 8 | next transaction id |
//! | 80 | 8 | end of the log after a clean shutdown, with its incarnation at 88 |
//! | 96 | 8 × 64 | redo vector |
//! | 608 | 8 | life of the double-write file: only batches that carry this number count |
//! | 616 | 8 | of a standby: the log that it received is durable here up to this LSN |
//! | 624 | 8 | of a standby: before the log was replayed up to this LSN, its pages are of different moments |
//! | 632 | 8 | of a standby: up to this LSN its primary may tell what is in the log (0 = as far as it goes: the primary asks nobody) |
//! | 640 | 8 | of a primary: the epoch of its log, under which election it is written (0 = under none) |
//! | 648 | 8 | of a standby: the life of the log in which the place at 624 lies (0 = not known) |
//! | 656 | 8 | of a standby: it has replayed nothing from the first commit on that is later than this, in milliseconds since the Unix epoch (0 = not known) |
//!
//! Version 3 had no fields from 616 on, no byte 47, and zeros there: it is read as what it was, a primary, and written as version 4.
//!
//! Invariants
//! 1. The file is a hint to the latest round *below which the log may be gone*: log is recycled only by what a synced slot says.
//! 2. A slot is overwritten only when the other one is whole, and durable: the newest is written once more when the file is opened, since after a failed sync
//!    it may lie in a cache only.
//! 3. Where the slots differ, either will do: what is only in the newer one changes how much is redone, not what comes out. So what a start must not go back
//!    behind (a life that has begun, a clean stop, a creation or a change of protection that is complete) stands in both before anything builds on it.
//! 4. "full_page_writes in force" says: from the redo points on, the first change of every page in the log carries its image or initialises it. The
//!    other values promise nothing about images.

use crate::base::codec::{u32_at, u64_at};
use crate::base::{Error, Lsn, PAGE_BYTES, PartitionCount, Result};
use crate::io::{Access, AlignedBuf, Disk, File, OpenMode, read_exact_at, write_all_at};
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;

/// The file's name in the database's folder.
pub const CONTROL_FILE: &str = "control";
/// Where log and data are.
const FOLDERS: [&str; 2] = ["wal", "data"];
const MAGIC: &[u8; 8] = b"EVKLCTL1";
const VERSION: u32 = 4;
/// The oldest version that is read.
const VERSION_MIN: u32 = 3;
/// Where the life of the double-write file is.
const LIFE_AT: usize = 96 + 8 * PartitionCount::MAX;
/// Where it is said how far a received log is durable.
const RECEIVED_AT: usize = LIFE_AT + 8;
/// Where it is said from where on a copy is whole.
const WHOLE_AT: usize = RECEIVED_AT + 8;
/// Where it is said how far the primary may tell.
const TOLD_AT: usize = WHOLE_AT + 8;
/// Where the epoch of the log is.
const EPOCH_AT: usize = TOLD_AT + 8;
/// Behind it: the life of the log in which a copy is whole; 0 in files that were written before.
const WHOLE_LIFE_AT: usize = EPOCH_AT + 8;
/// Behind it: up to which time commits may have been replayed; 0 in files that were written before.
const REPLAYED_TO_AT: usize = WHOLE_LIFE_AT + 8;
const SLOT: usize = 4096;

/// Who writes the database's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// It does itself.
    #[default]
    Primary,
    /// Another server, whose log it receives and replays.
    Standby,
}

/// What keeps a page whole, or makes it so again, when its write home is cut short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TornPageProtection {
    /// The log carries a page's image with its first change after its partition's checkpoint began.
    FullPageWrites,
    /// Pages go to a side file first, durably, and from there home.
    DoubleWrite,
    /// The device writes a page wholly or not at all.
    Atomic,
    /// Nothing: for throw-away data, or where nothing ever tears.
    Off,
}

impl TornPageProtection {
    /// All, in the order of [`TornPageProtection::NAMES`].
    pub const ALL: [TornPageProtection; 4] = [
        TornPageProtection::FullPageWrites,
        TornPageProtection::DoubleWrite,
        TornPageProtection::Atomic,
        TornPageProtection::Off,
    ];
    /// Their names.
    pub const NAMES: [&str; 4] = ["full_page_writes", "double_write", "atomic", "off"];

    /// Its name, as in `torn_page_protection`.
    pub fn name(self) -> &'static str {
        TornPageProtection::NAMES[self as usize]
    }

    /// The one of this name.
    pub fn by_name(name: &str) -> Option<TornPageProtection> {
        TornPageProtection::ALL.into_iter().find(|p| p.name() == name)
    }
}

/// What a slot holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ControlData {
    /// Which database.
    pub database_id: u64,
    /// Log segment size, fixed at creation.
    pub segment_bytes: u64,
    /// Number of checkpoint partitions.
    pub partitions: PartitionCount,
    /// Shut down cleanly.
    pub clean: bool,
    /// Creation is complete.
    pub complete: bool,
    /// Who writes the log.
    pub role: Role,
    /// Of a standby: the log that it received is durable here up to this. Of what lies behind it, what cannot be read was never confirmed.
    pub received: Lsn,
    /// Of a standby that was made of a copy: before the log was replayed up to this, its pages are of different moments.
    pub whole_at: Lsn,
    /// The life of the log in which that place lies: in another branch the log up to there does not make it whole. 0: not known.
    pub whole_life: u64,
    /// Of a standby: the primary may tell what is in the log up to this. 0: all of it.
    pub told: Lsn,
    /// Of a standby: from the first commit on behind `whole_at` that happened later than this, milliseconds since the Unix epoch, nothing was ever replayed. 0: not known.
    pub replayed_to_ms: u64,
    /// Torn-page protection in force (invariant 4).
    pub protection: TornPageProtection,
    /// Life of the double-write file.
    pub double_write_life: u64,
    /// The latest published round record.
    pub round: Lsn,
    /// From where the log is needed.
    pub log_needed: Lsn,
    /// Next unused file id (a lower bound).
    pub next_file: u64,
    /// Next unused transaction id (a lower bound).
    pub next_txn: u64,
    /// After a clean shutdown: where the log ended.
    pub end: Lsn,
    /// After a clean shutdown: in which incarnation.
    pub end_incarnation: u64,
    /// Of a primary: under which election its log is written; 0: under none.
    pub epoch: u64,
    /// Redo vector.
    pub redo: Vec<Lsn>,
}

/// The open control file.
pub struct Control {
    file: Arc<dyn File>,
    sequence: u64,
}

impl Control {
    /// Whether the folder holds a database.
    pub fn exists(disk: &dyn Disk) -> Result<bool> {
        disk.exists(CONTROL_FILE).map_err(|e| Error::io("looking for the control file", e))
    }

    /// Takes the file for this owner alone: whatever became of the folder's name and of the lock in it, nobody else has this database then. And the folders of log and data: a link
    /// may lead there, and a copy of the database's folder has the same link.
    pub fn lock(disk: &dyn Disk) -> std::io::Result<Box<dyn Send + Sync>> {
        let mut locks = vec![disk.lock_file(CONTROL_FILE)?];
        for folder in FOLDERS {
            match disk.lock_file(folder) {
                Ok(lock) => locks.push(lock),
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => {
                    let why = format!("its folder \"{folder}\", perhaps by a link: {e}");
                    return Err(std::io::Error::new(e.kind(), why));
                }
            }
        }
        Ok(Box::new(locks))
    }

    /// Creates the file under a temporary name and publishes it whole, replacing that of a creation cut short.
    pub fn create(disk: &dyn Disk, data: &ControlData) -> Result<Control> {
        let ctx = |e| Error::io("creating the control file", e);
        let temp = "control.new";
        let file = disk.open(temp, OpenMode::CreateIfMissing, Access::Data).map_err(ctx)?;
        file.allocate(0, 2 * SLOT as u64).map_err(ctx)?;
        let mut control = Control { file, sequence: 0 };
        control.write(data)?;
        control.write(data)?;
        disk.rename(temp, CONTROL_FILE).map_err(ctx)?;
        disk.sync_dir("").map_err(ctx)?;
        Ok(control)
    }

    /// Opens the file and reads the newest whole slot, each slot by itself: an error of the medium in one leaves the other. Changes nothing.
    pub fn open(disk: &dyn Disk) -> Result<(Control, ControlData)> {
        let ctx = |e| Error::io("reading the control file", e);
        let file = disk.open(CONTROL_FILE, OpenMode::Existing, Access::Data).map_err(ctx)?;
        let mut whole = Vec::new();
        let mut failure = None;
        for slot in 0..2 {
            let mut buf = AlignedBuf::new(SLOT);
            match read_exact_at(&*file, &mut buf, (slot * SLOT) as u64) {
                Ok(()) => whole.extend(decode(&buf)),
                Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
                    failure = Some(Error::corrupt("the control file is empty or cut short"));
                }
                Err(e) => failure = Some(ctx(e)),
            }
        }
        let slots = whole.len();
        match whole.into_iter().max_by_key(|(seq, _)| *seq) {
            Some((sequence, data)) => {
                let data = data?;
                if slots == 1 {
                    let why = failure.map_or("it is not whole".to_owned(), |e| e.to_string());
                    tracing::warn!(
                        "one of the control file's two copies cannot be used ({why}): a crash cut it short, or it is damaged. The other one counts"
                    );
                }
                Ok((Control { file, sequence }, data))
            }
            None => Err(failure.unwrap_or(Error::corrupt("control file: neither slot is whole"))),
        }
    }

    /// Writes the slot that was read once more (invariant 2). Before anything else is written.
    pub fn harden(&mut self, data: &ControlData) -> Result<()> {
        self.put(self.sequence, data)
    }

    /// Whether data files go through a page cache, as this file does.
    pub fn is_cached(&self) -> bool {
        self.file.is_cached()
    }

    /// Writes the next slot and syncs it. On error the other slot still holds; the caller poisons the engine.
    pub fn write(&mut self, data: &ControlData) -> Result<()> {
        self.put(self.sequence + 1, data)?;
        self.sequence += 1;
        Ok(())
    }

    /// Writes both slots, one after the other (invariant 3).
    pub fn write_both(&mut self, data: &ControlData) -> Result<()> {
        self.write(data)?;
        self.write(data)
    }

    fn put(&self, sequence: u64, data: &ControlData) -> Result<()> {
        let ctx = |e| Error::io("writing the control file", e);
        let buf = encode(sequence, data);
        write_all_at(&*self.file, &mut [IoSlice::new(&buf)], (sequence % 2) * SLOT as u64).map_err(ctx)?;
        self.file.sync().map_err(ctx)
    }
}

fn encode(sequence: u64, d: &ControlData) -> AlignedBuf {
    let mut b = AlignedBuf::new(SLOT);
    b[..8].copy_from_slice(MAGIC);
    let mut put = |at: usize, bytes: &[u8]| b[at..at + bytes.len()].copy_from_slice(bytes);
    put(12, &VERSION.to_le_bytes());
    put(16, &sequence.to_le_bytes());
    put(24, &d.database_id.to_le_bytes());
    put(32, &(d.segment_bytes as u32).to_le_bytes());
    put(36, &(PAGE_BYTES as u32).to_le_bytes());
    put(40, &(d.partitions.get() as u32).to_le_bytes());
    put(44, &[u8::from(d.clean), u8::from(d.complete), d.protection as u8, d.role as u8]);
    put(RECEIVED_AT, &d.received.0.to_le_bytes());
    put(WHOLE_AT, &d.whole_at.0.to_le_bytes());
    put(WHOLE_LIFE_AT, &d.whole_life.to_le_bytes());
    put(TOLD_AT, &d.told.0.to_le_bytes());
    put(REPLAYED_TO_AT, &d.replayed_to_ms.to_le_bytes());
    put(EPOCH_AT, &d.epoch.to_le_bytes());
    put(LIFE_AT, &d.double_write_life.to_le_bytes());
    for (i, v) in
        [d.round.0, d.log_needed.0, d.next_file, d.next_txn, d.end.0, d.end_incarnation].iter().enumerate()
    {
        put(48 + 8 * i, &v.to_le_bytes());
    }
    for (i, lsn) in d.redo.iter().enumerate() {
        put(96 + 8 * i, &lsn.0.to_le_bytes());
    }
    let crc = crc32c::crc32c(&b[12..]);
    b[8..12].copy_from_slice(&crc.to_le_bytes());
    b
}

/// `None`: not a whole slot. An inner error: whole, but of another version or page size.
fn decode(b: &[u8]) -> Option<(u64, Result<ControlData>)> {
    if &b[..8] != MAGIC || u32_at(b, 8) != crc32c::crc32c(&b[12..]) {
        return None;
    }
    let sequence = u64_at(b, 16);
    let bad = |what: String| Some((sequence, Err(Error::corrupt(format!("control file: {what}")))));
    if !(VERSION_MIN..=VERSION).contains(&u32_at(b, 12)) {
        return bad(format!("format version {} is not {VERSION_MIN} to {VERSION}", u32_at(b, 12)));
    }
    if u32_at(b, 36) as usize != PAGE_BYTES {
        return bad(format!("page size {} is not {PAGE_BYTES}", u32_at(b, 36)));
    }
    let Some(partitions) = PartitionCount::new(u32_at(b, 40)) else {
        return bad("bad number of partitions".into());
    };
    let segment_bytes = u64::from(u32_at(b, 32));
    if !segment_bytes.is_power_of_two() || !(1 << 16..=1 << 30).contains(&segment_bytes) {
        return bad(format!("log segments of {segment_bytes} bytes"));
    }
    let (received, whole_at) = (Lsn(u64_at(b, RECEIVED_AT)), Lsn(u64_at(b, WHOLE_AT)));
    let told = Lsn(u64_at(b, TOLD_AT));
    // The sixth word, as those behind the vector, may be any number: it is of a life.
    if (0..6 + partitions.get()).any(|i| u64_at(b, 48 + 8 * i) >= 1 << 62 && i != 5)
        || received.max(whole_at).max(told).0 >= 1 << 62
    {
        return bad("a position or id is out of range".into());
    }
    let role = match b[47] {
        0 => Role::Primary,
        1 => Role::Standby,
        other => return bad(format!("role {other}")),
    };
    let Some(protection) = TornPageProtection::ALL.get(usize::from(b[46])) else {
        return bad(format!("torn-page protection {}", b[46]));
    };
    let data = ControlData {
        role,
        received,
        whole_at,
        whole_life: u64_at(b, WHOLE_LIFE_AT),
        told,
        replayed_to_ms: u64_at(b, REPLAYED_TO_AT),
        protection: *protection,
        double_write_life: u64_at(b, LIFE_AT),
        database_id: u64_at(b, 24),
        segment_bytes,
        partitions,
        clean: b[44] == 1,
        complete: b[45] == 1,
        round: Lsn(u64_at(b, 48)),
        log_needed: Lsn(u64_at(b, 56)),
        next_file: u64_at(b, 64),
        next_txn: u64_at(b, 72),
        end: Lsn(u64_at(b, 80)),
        end_incarnation: u64_at(b, 88),
        epoch: u64_at(b, EPOCH_AT),
        redo: (0..partitions.get()).map(|i| Lsn(u64_at(b, 96 + 8 * i))).collect(),
    };
    Some((sequence, Ok(data)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lives and epochs are any numbers, and the vector may be as long as it can be.
    #[test]
    fn what_is_written_is_read_with_every_number_of_partitions() {
        for partitions in 1..=PartitionCount::MAX {
            let Some(count) = PartitionCount::new(partitions as u32) else { continue };
            let last = Lsn((1 << 62) - 1);
            let data = ControlData {
                database_id: u64::MAX,
                segment_bytes: 16 << 20,
                partitions: count,
                clean: true,
                complete: true,
                role: Role::Standby,
                received: last,
                whole_at: last,
                whole_life: u64::MAX,
                told: last,
                replayed_to_ms: u64::MAX,
                protection: TornPageProtection::DoubleWrite,
                double_write_life: u64::MAX,
                round: last,
                log_needed: last,
                next_file: last.0,
                next_txn: last.0,
                end: last,
                end_incarnation: u64::MAX,
                epoch: u64::MAX,
                redo: vec![last; partitions],
            };
            let (sequence, read) = decode(&encode(7, &data)).expect("a slot");
            assert_eq!((sequence, read.expect("it is sound")), (7, data), "{partitions} partitions");
        }
    }
}
