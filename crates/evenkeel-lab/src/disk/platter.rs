//! What is on a modelled disk, and what a power cut leaves of it.
//!
//! Contents are in a sparse file, written at once. Of each write that a power cut may still take, what stood there before is remembered.
//!
//! Invariants
//! 1. What was flushed is never taken back, nor what is older than the newest writes of as many bytes as the drive's volatile cache holds: they have left it.
//! 2. A sector of 512 bytes is there as a whole, or as it was; which, a coin says that the seed throws: the same writes and the same seed leave the same.
//! 3. A later write of a sector that stays makes an earlier one of the same sector not matter.
//!
//! It must not know of time.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const SECTOR: u64 = 512;

/// The contents.
#[derive(Debug)]
pub struct Platter {
    file: File,
    size: u64,
    volatile_bytes: u64,
    undo: VecDeque<Undo>,
    undo_bytes: u64,
    written: u64,
    /// Power cuts so far: whoever opened the disk before one has a dead disk.
    pub cuts: u64,
}

#[derive(Debug)]
struct Undo {
    number: u64,
    at: u64,
    before: Vec<u8>,
}

/// What a power cut did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cut {
    /// Throws the coins.
    pub seed: u64,
    /// Sectors that were written and not flushed.
    pub sectors: u64,
    /// Those of them that are as they were before.
    pub lost: u64,
}

impl Platter {
    /// On this file.
    pub fn new(file: File, volatile_bytes: u64) -> io::Result<Platter> {
        let size = file.metadata()?.len();
        Ok(Platter { file, size, volatile_bytes, undo: VecDeque::new(), undo_bytes: 0, written: 0, cuts: 0 })
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads; nothing is behind the end.
    pub fn read(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut data = vec![0; len.min(self.size.saturating_sub(at)) as usize];
        self.file.read_exact_at(&mut data, at)?;
        Ok(data)
    }

    /// Writes.
    pub fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        if at + data.len() as u64 > self.size {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.written += 1;
        if self.volatile_bytes > 0 {
            let before = self.read(at, data.len() as u64)?;
            self.undo_bytes += before.len() as u64;
            self.undo.push_back(Undo { number: self.written, at, before });
            while self.undo_bytes > self.volatile_bytes {
                let Some(oldest) = self.undo.pop_front() else { break };
                self.undo_bytes -= oldest.before.len() as u64; // invariant 1
            }
        }
        self.file.write_all_at(data, at)
    }

    /// Number of the newest write.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes up to this number can no longer be lost.
    pub fn flushed(&mut self, number: u64) {
        while let Some(undo) = self.undo.pop_front_if(|u| u.number <= number) {
            self.undo_bytes -= undo.before.len() as u64;
        }
    }

    /// Cuts the power.
    pub fn cut(&mut self, seed: u64) -> io::Result<Cut> {
        let mut coin = fastrand::Rng::with_seed(seed);
        // Of some cuts nearly all is lost, of others nearly nothing.
        let stays = coin.f64();
        let (mut seen, mut settled) = (HashSet::new(), HashSet::new());
        while let Some(undo) = self.undo.pop_back() {
            let end = undo.at + undo.before.len() as u64;
            let mut at = undo.at;
            while at < end {
                let stop = ((at / SECTOR + 1) * SECTOR).min(end);
                let sector = at / SECTOR;
                seen.insert(sector);
                if !settled.contains(&sector) {
                    if coin.f64() < stays {
                        settled.insert(sector); // invariant 3
                    } else {
                        let part = (at - undo.at) as usize..(stop - undo.at) as usize;
                        self.file.write_all_at(&undo.before[part], at)?;
                    }
                }
                at = stop;
            }
        }
        self.undo_bytes = 0;
        self.cuts += 1;
        let sectors = seen.len() as u64;
        Ok(Cut { seed, sectors, lost: sectors - settled.len() as u64 })
    }
}
