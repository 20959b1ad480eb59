//! Identifiers and positions, each its own type so that they cannot be confused.
//!
//! Invariants
//! 1. An `Lsn` is a byte position in the record stream; 0 means "none" and is never the position of a record.
//! 2. `FileId`s and `TxnId`s are never reused in the life of a database.

use std::fmt;

/// Size of a page in memory and on disk.
pub const PAGE_BYTES: usize = 8192;

/// Blocks in an extent: 1 MiB. Extents are the unit of partitioning (design: one partition function everywhere).
pub const EXTENT_BLOCKS: u32 = 128;

/// Log sequence number: a byte position in the record stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Lsn(pub u64);

impl Lsn {
    /// "None": before every record (invariant 1).
    pub const ZERO: Lsn = Lsn(0);
    /// After every record.
    pub const MAX: Lsn = Lsn(u64::MAX);
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:08X}", self.0 >> 32, self.0 & 0xFFFF_FFFF)
    }
}

impl std::str::FromStr for Lsn {
    type Err = String;
    /// Reads `X/Y` in hexadecimal, as displayed, or a plain decimal number.
    fn from_str(s: &str) -> Result<Lsn, String> {
        let bad = || format!("\"{s}\" is not an LSN: expected hexadecimal X/Y or a decimal number");
        match s.split_once('/') {
            Some((hi, lo)) => {
                let hi = u64::from_str_radix(hi, 16).map_err(|_| bad())?;
                let lo = u64::from_str_radix(lo, 16).map_err(|_| bad())?;
                if hi > u64::from(u32::MAX) || lo > u64::from(u32::MAX) {
                    return Err(bad());
                }
                Ok(Lsn(hi << 32 | lo))
            }
            None => s.parse().map(Lsn).map_err(|_| bad()),
        }
    }
}

/// A transaction that has written something. Ids grow; 0 means "before every snapshot".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TxnId(pub u64);

impl TxnId {
    /// The writer of versions that every snapshot sees.
    pub const FROZEN: TxnId = TxnId(0);
    /// Ids are stored in six bytes.
    pub const MAX: TxnId = TxnId((1 << 48) - 1);
}

/// A tree of the database. Each tree is one file with the same number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TreeId(pub u64);

impl TreeId {
    /// The file that holds the tree.
    pub fn file(self) -> FileId {
        FileId(self.0)
    }
}

/// Largest file id that is believed when read from disk.
pub const MAX_FILE_ID: u64 = 1 << 48;

/// A data file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u64);

impl FileId {
    /// The tree that lives in the file.
    pub fn tree(self) -> TreeId {
        TreeId(self.0)
    }
}

/// A page's number in its file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockNo(pub u32);

/// A page's identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PageId {
    /// Its file.
    pub file: FileId,
    /// Its place in the file.
    pub block: BlockNo,
}

impl PageId {
    /// Shorthand constructor.
    pub fn new(file: FileId, block: u32) -> PageId {
        PageId { file, block: BlockNo(block) }
    }

    /// A well-mixed hash of the identity, for the page table.
    pub fn hash(self) -> u64 {
        mix(self.file.0.rotate_left(32) ^ u64::from(self.block.0))
    }

    /// Byte offset of the page in its file.
    pub fn offset(self) -> u64 {
        u64::from(self.block.0) * PAGE_BYTES as u64
    }
}

impl fmt::Display for PageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {} block {}", self.file.0, self.block.0)
    }
}

/// Number of checkpoint partitions: a power of two from 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartitionCount(u32);

impl PartitionCount {
    /// The most partitions a database may have; bounds every per-partition array.
    pub const MAX: usize = 64;

    /// `None` unless `n` is a power of two from 1 to 64.
    pub fn new(n: u32) -> Option<PartitionCount> {
        (n.is_power_of_two() && n as usize <= Self::MAX).then_some(PartitionCount(n))
    }

    /// The number itself.
    pub fn get(self) -> usize {
        self.0 as usize
    }

    /// The partition of a page. One function for checkpoints, image decisions, dirty maps and redo; it depends on
    /// the page alone, so it survives eviction and restart, and whole extents stay together.
    pub fn of(self, page: PageId) -> usize {
        let extent = u64::from(page.block.0 / EXTENT_BLOCKS);
        (mix(page.file.0.rotate_left(40) ^ extent) & u64::from(self.0 - 1)) as usize
    }
}

/// Finaliser of splitmix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lsn_prints_and_parses_the_same() {
        let lsn = Lsn(0x12_3456_789A);
        assert_eq!(lsn.to_string().parse::<Lsn>(), Ok(lsn));
        assert!("zz/1".parse::<Lsn>().is_err());
        assert!("1/100000000".parse::<Lsn>().is_err());
    }

    #[test]
    fn partitions_are_balanced_and_keep_extents_together() {
        let n = PartitionCount::new(16).unwrap();
        let mut count = [0u32; 16];
        for file in 1..=40 {
            for extent in 0..100 {
                let p = n.of(PageId::new(FileId(file), extent * EXTENT_BLOCKS));
                assert_eq!(p, n.of(PageId::new(FileId(file), extent * EXTENT_BLOCKS + 127)));
                count[p] += 1;
            }
        }
        assert!(count.iter().all(|&c| (180..320).contains(&c)), "{count:?}");
    }

    #[test]
    fn partition_counts_are_powers_of_two_up_to_64() {
        assert!(PartitionCount::new(64).is_some());
        assert!(PartitionCount::new(0).is_none());
        assert!(PartitionCount::new(3).is_none());
        assert!(PartitionCount::new(128).is_none());
    }
}
