//! Filling: a segment file from a cut, as the ordinary reader reads it.
//!
//! What was stripped stays zeros; behind the end of the log come zeros.

use super::cut::Cut;
use crate::wal::segment::LOG_BLOCK;

/// The bytes of the segment file.
pub fn fill(cut: &Cut) -> Vec<u8> {
    let mut file = Vec::with_capacity(cut.header.segment_bytes as usize);
    file.extend_from_slice(&cut.header.encode());
    file.extend_from_slice(&cut.stream);
    assert!(file.len() as u64 <= cut.header.segment_bytes, "cut invariant 1");
    file.resize(cut.header.segment_bytes as usize, 0);
    debug_assert_eq!(file.len() as u64 - LOG_BLOCK, cut.geometry().usable());
    file
}
