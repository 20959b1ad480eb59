//! What the data files were when the database was closed, so that the next start tells of one that is gone, cut short, or of another time, before anybody believes it.
//!
//! The file `files`: magic, version; where the log ended and in which life, u64 each; then of each data file its number, its length in bytes and, as far as that is known, the newest page that went
//! home: block and LSN, varints all; crc32c of all before it. The newest page says whether the file is the one that was closed: an older copy has an older page there.
//!
//! Invariants
//! 1. It speaks of the close that the control file names, and of no other state of the folder: else nothing follows from it.
//! 2. It is a help, and no authority: where it is missing, damaged, or could not be written, a start looks at less.
//! 3. Of a file that is not as it was nothing is read: who wants it gets an error that says what to do. A folder whose trees of trees are such is not opened, and nothing in it is changed:
//!    files that only a newer one of them names would be taken for the rest of a creation, and removed.
//!
//! Must not know: which tables the files are.

use crate::base::codec::{Reader, put_varint};
use crate::base::{Corruption, Error, FileId, Lsn, PAGE_BYTES, PageId, Result};
use crate::control::ControlData;
use crate::io::{AlignedBuf, Disk, read_exact_at, read_whole, replace_whole};
use crate::page;
use crate::pool::{Files, LOST, data_path};
use crate::store::SYSTEM_TREES;
use std::collections::HashMap;

/// The file's name in the database's folder.
pub(super) const FILE: &str = "files";
const MAGIC: &[u8; 4] = b"EKDF";
const VERSION: u8 = 1;
/// More is no list of files.
const BYTES_MAX: u64 = 1 << 30;
/// Files whose newest page is read, those that changed last: an older copy of one that changed long ago would be as old. A read each; a disk that seeks does a hundred a second.
const LOOKED_INTO: usize = 128;
/// What helps when a file is not as it was.
pub(super) const ADVICE: &str = LOST;

/// One data file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Closed {
    file: FileId,
    bytes: u64,
    newest: Option<(Lsn, u32)>,
}

/// A file that is not as it was closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wrong {
    pub file: FileId,
    pub what: String,
}

/// Notes them for a close at `end` in `life`. What goes wrong is told in the log alone (2).
pub(super) fn note(disk: &dyn Disk, files: &Files, end: Lsn, life: u64) {
    let noted = gather(files).and_then(|all| {
        let bytes = encode(&all, end, life);
        replace_whole(disk, FILE, &bytes).map_err(|e| Error::io(format!("writing the file \"{FILE}\""), e))
    });
    if let Err(e) = noted {
        tracing::warn!("the next start will not know what the data files were: {e}");
    }
}

fn gather(files: &Files) -> Result<Vec<Closed>> {
    let newest = files.newest();
    let mut all = Vec::new();
    for file in files.list()? {
        if let Some(bytes) = files.bytes(file)? {
            let is_inside = |n: &(Lsn, u32)| (u64::from(n.1) + 1) * PAGE_BYTES as u64 <= bytes;
            all.push(Closed { file, bytes, newest: newest.get(&file).copied().filter(is_inside) });
        }
    }
    Ok(all)
}

fn encode(all: &[Closed], end: Lsn, life: u64) -> Vec<u8> {
    let mut out = Vec::from(MAGIC);
    out.push(VERSION);
    out.extend_from_slice(&end.0.to_le_bytes());
    out.extend_from_slice(&life.to_le_bytes());
    for c in all {
        put_varint(&mut out, c.file.0);
        put_varint(&mut out, c.bytes);
        let (lsn, block) = c.newest.unwrap_or_default();
        put_varint(&mut out, lsn.0);
        if c.newest.is_some() {
            put_varint(&mut out, u64::from(block));
        }
    }
    let crc = crc32c::crc32c(&out);
    out.extend_from_slice(&crc.to_le_bytes());
    out
}

/// `None`: of another close (1).
fn decode(bytes: &[u8], end: Lsn, life: u64) -> Result<Option<Vec<Closed>>> {
    let bad = |why: &str| Error::corrupt(format!("the file \"{FILE}\": {why}"));
    let Some((body, crc)) = bytes.split_last_chunk::<4>() else { return Err(bad("cut short")) };
    if crc32c::crc32c(body) != u32::from_le_bytes(*crc) {
        return Err(bad("its checksum does not match"));
    }
    let mut r = Reader::new(body, "list of files");
    if r.take(4)? != MAGIC || r.u8()? != VERSION {
        return Err(bad("of another kind"));
    }
    if (Lsn(r.u64()?), r.u64()?) != (end, life) {
        return Ok(None);
    }
    let mut all = Vec::new();
    while !r.is_empty() {
        let (file, bytes) = (FileId(r.varint()?), r.varint()?);
        let newest = match Lsn(r.varint()?) {
            Lsn::ZERO => None,
            lsn => Some((lsn, r.varint_max(u32::MAX as usize)? as u32)),
        };
        all.push(Closed { file, bytes, newest });
    }
    Ok(Some(all))
}

/// What was noted for the close that the control file names.
fn read(disk: &dyn Disk, data: &ControlData) -> Result<Option<Vec<Closed>>> {
    if !data.clean || !data.complete {
        return Ok(None);
    }
    let bytes = read_whole(disk, FILE, BYTES_MAX)
        .map_err(|e| Error::io(format!("reading the file \"{FILE}\""), e))?;
    bytes.map_or(Ok(None), |bytes| decode(&bytes, data.end, data.end_incarnation))
}

/// The files that are not as they were closed. `None`: nothing is known of them.
pub(super) fn wrong(disk: &dyn Disk, data: &ControlData, files: &Files) -> Result<Option<Vec<Wrong>>> {
    let Some(mut all) = read(disk, data)? else { return Ok(None) };
    let is_system = |c: &Closed| SYSTEM_TREES.iter().any(|t| t.file() == c.file);
    // Those of every database first, then the youngest.
    all.sort_by_key(|c| (!is_system(c), std::cmp::Reverse(c.newest), c.file));
    let mut wrong = Vec::new();
    for (n, c) in all.iter().enumerate() {
        if let Some(what) = differs(files, c, n < LOOKED_INTO)? {
            wrong.push(Wrong { file: c.file, what: format!("data file {} {what}", data_path(c.file)) });
        }
    }
    files.know_newest(all.iter().filter_map(|c| Some((c.file, c.newest?))));
    Ok(Some(wrong))
}

fn differs(files: &Files, c: &Closed, look_into: bool) -> Result<Option<String>> {
    let Some(bytes) = files.bytes(c.file)? else {
        return Ok(Some("is missing".into()));
    };
    if bytes < c.bytes {
        return Ok(Some(format!("has {bytes} bytes, and had {} when the database was closed", c.bytes)));
    }
    let (Some((lsn, block)), true) = (c.newest, look_into) else { return Ok(None) };
    let id = PageId::new(c.file, block);
    let Some(handle) = files.get(c.file)? else { return Ok(None) };
    let mut copy = AlignedBuf::new(PAGE_BYTES);
    match read_exact_at(&*handle, &mut copy, id.offset()) {
        // A damaged page is told to whoever reads it; and by `evenkeel check`.
        Ok(()) if !page::verify(&copy, id) => Ok(None),
        Ok(()) if page::lsn(&copy) < lsn => Ok(Some(format!(
            "is an older one than the one that was closed: its block {block} is of {}, and was of {lsn}",
            page::lsn(&copy)
        ))),
        Ok(()) if page::lsn(&copy) > lsn => Ok(Some(format!(
            "is another one than the one that was closed: its block {block} is of {}, and was of {lsn}",
            page::lsn(&copy)
        ))),
        Ok(()) => Ok(None),
        Err(e) => {
            tracing::warn!(
                "whether data file {} is the one that was closed cannot be found out: {e}",
                data_path(c.file)
            );
            Ok(None)
        }
    }
}

/// At a start, before anything is changed: refuses the folder, or the files alone (3). False: nothing is known of how they were.
pub(super) fn verify(disk: &dyn Disk, data: &ControlData, files: &Files) -> Result<bool> {
    let wrong = match wrong(disk, data, files) {
        Ok(Some(wrong)) => wrong,
        Ok(None) => return Ok(false),
        Err(e) => {
            tracing::warn!("what the data files were when the database was closed is not known: {e}");
            return Ok(false);
        }
    };
    let is_system = |w: &&Wrong| SYSTEM_TREES.iter().any(|t| t.file() == w.file);
    if let Some(w) = wrong.iter().find(is_system) {
        let why = format!("{}. Nothing was changed", w.what);
        return Err(Error::Corrupt(Corruption::of_file(w.file, why).with_advice(ADVICE)));
    }
    let told: HashMap<FileId, Corruption> = wrong
        .into_iter()
        .map(|w| (w.file, Corruption::of_file(w.file, w.what).with_advice(ADVICE)))
        .collect();
    let mut in_order: Vec<_> = told.iter().collect();
    in_order.sort_unstable_by_key(|(file, _)| **file);
    in_order.iter().for_each(|(_, why)| tracing::error!("{why}; until then nothing of it is read"));
    files.refuse(told);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<Closed> {
        vec![
            Closed { file: FileId(1), bytes: 65_536, newest: Some((Lsn(77), 3)) },
            Closed { file: FileId(16), bytes: 1 << 40, newest: None },
            Closed { file: FileId(17), bytes: 0, newest: Some((Lsn(1 << 50), u32::MAX)) },
        ]
    }

    #[test]
    fn a_list_comes_back_for_the_close_that_it_was_made_for() {
        let bytes = encode(&list(), Lsn(500), 9);
        assert_eq!(decode(&bytes, Lsn(500), 9).unwrap(), Some(list()));
        assert_eq!(decode(&bytes, Lsn(501), 9).unwrap(), None);
        assert_eq!(decode(&bytes, Lsn(500), 8).unwrap(), None);
    }

    #[test]
    fn a_damaged_list_is_an_error() {
        let bytes = encode(&list(), Lsn(500), 9);
        for n in 0..bytes.len() {
            assert!(decode(&bytes[..n], Lsn(500), 9).is_err(), "cut at {n}");
            let mut flipped = bytes.clone();
            flipped[n] ^= 0x10;
            assert!(decode(&flipped, Lsn(500), 9).is_err(), "byte {n}");
        }
    }
}
