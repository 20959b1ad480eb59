//! Where a gang goes: the three policies for the half-filled block.
//!
//! Invariants
//! 1. A gang is one contiguous run of whole blocks.
//! 2. Every byte of the log lies in the newest version of its block; under `Rewrite` and `Pad` that is at its home place.
//! 3. `Pad`: no block is written twice before the log comes round again.
//!
//! Under `Alternate` version v of a block that is not full lies v mod [`PLACES`] times [`STRIDE_BYTES`] further on, in space that the log
//! has not reached; on a disk that turns, that place comes under the head while the home place has just gone. A block that gets full goes
//! home with the blocks after it. Recovery would have to tell versions apart by block number and version, which costs nothing here.
//!
//! It must not know time, or what is in flight.

use super::rig::Extent;
use super::spec::Tail;

/// Distance between the places of two successive versions.
pub const STRIDE_BYTES: u64 = 64 << 10;
/// Places of a block, its home included.
pub const PLACES: u64 = 16;

/// The end of a log in a file that is used over and over.
#[derive(Clone, Copy, Debug)]
pub struct Placer {
    tail: Tail,
    block_bytes: u64,
    file_bytes: u64,
    /// End of the log: bytes of records and padding since the file's start.
    end: u64,
    /// Version of the block that the end lies in; 0 is the first.
    version: u64,
}

/// What writing a gang takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Where.
    pub extent: Extent,
    /// Log bytes that hold nothing, for good.
    pub padding_bytes: u64,
    /// Bytes that had been written before.
    pub rewritten_bytes: u64,
    /// The gang did not fit behind the one before it: the file begins anew.
    pub from_start: bool,
}

impl Placer {
    /// A log that is empty. The file must hold the longest gang, the places of its last block, and a block more.
    pub fn new(tail: Tail, block_bytes: u64, file_bytes: u64) -> Placer {
        Placer { tail, block_bytes, file_bytes, end: 0, version: 0 }
    }

    /// Takes the next `bytes` of records.
    pub fn place(&mut self, bytes: u64) -> Placed {
        let reach = if self.tail == Tail::Alternate { PLACES * STRIDE_BYTES } else { 0 };
        let from_start = (self.end + bytes).next_multiple_of(self.block_bytes) + reach > self.file_bytes;
        if from_start {
            self.end = 0;
            self.version = 0;
        }
        let first = self.end - self.end % self.block_bytes;
        let to = self.end + bytes;
        let block_end = to.next_multiple_of(self.block_bytes);
        let half_filled = to < block_end;
        let rewritten_bytes = self.end - first;
        let same_block = rewritten_bytes > 0 && block_end == first + self.block_bytes;
        let mut offset = first;
        if self.tail == Tail::Alternate {
            self.version = if same_block { self.version + 1 } else { 0 };
            if half_filled && same_block {
                offset += self.version % PLACES * STRIDE_BYTES;
            }
        }
        let padding_bytes = if self.tail == Tail::Pad { block_end - to } else { 0 };
        self.end = to + padding_bytes;
        assert!(offset + (block_end - first) <= self.file_bytes, "a gang lies inside the file");
        Placed {
            extent: Extent { offset, len: block_end - first },
            padding_bytes,
            rewritten_bytes,
            from_start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = 4096;

    fn extents(tail: Tail, sizes: &[u64]) -> Vec<(u64, u64)> {
        let mut placer = Placer::new(tail, BLOCK, 4 << 20);
        sizes.iter().map(|&n| placer.place(n).extent).map(|e| (e.offset / BLOCK, e.len / BLOCK)).collect()
    }

    #[test]
    fn rewriting_starts_again_at_the_half_filled_block() {
        assert_eq!(extents(Tail::Rewrite, &[100, 100, 8000, 100]), [(0, 1), (0, 1), (0, 3), (2, 1)]);
    }

    #[test]
    fn padding_never_writes_a_block_twice_and_counts_what_it_wastes() {
        assert_eq!(extents(Tail::Pad, &[100, 100, 8000, 4096]), [(0, 1), (1, 1), (2, 2), (4, 1)]);
        let placed = Placer::new(Tail::Pad, BLOCK, 1 << 20).place(100);
        assert_eq!((placed.padding_bytes, placed.rewritten_bytes), (3996, 0));
    }

    #[test]
    fn versions_of_a_half_filled_block_go_further_on_and_a_full_one_goes_home() {
        assert_eq!(
            extents(Tail::Alternate, &[100, 100, 100, 4000, 100]),
            [(0, 1), (16, 1), (32, 1), (0, 2), (17, 1)]
        );
        assert_eq!(extents(Tail::Alternate, &[100, 3996, 100]), [(0, 1), (0, 1), (1, 1)]);
    }

    #[test]
    fn the_log_begins_anew_when_the_file_is_full() {
        for tail in [Tail::Rewrite, Tail::Pad, Tail::Alternate] {
            let mut placer = Placer::new(tail, BLOCK, 2 << 20);
            let mut rounds = 0;
            for n in 0..10_000 {
                let placed = placer.place(n % 5000 + 1);
                rounds += u64::from(placed.from_start);
                assert!(!placed.from_start || placed.extent.offset == 0);
            }
            assert!(rounds > 5, "{tail:?}");
        }
    }
}
