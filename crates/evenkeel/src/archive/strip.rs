//! Stripping (S22): page images become zeros, their records say so, checksums are made anew.
//!
//! Invariants
//! 1. Every record keeps its position and length: the LSNs in pages, links and headers stay what they were.
//! 2. A function of the cut alone: what lies in other segments does not matter. So a record that begins in one segment and ends in another keeps its
//!    image: its checksum cannot be made from one of them.
//! 3. Stripping what was stripped changes nothing.

use super::cut::Cut;
use crate::base::{Error, Lsn, Result};
use crate::wal::record::{Record, frame_checksum, image_places, strip_images};

/// What was stripped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stripped {
    /// Records that begin and end in the segment.
    pub records: u64,
    /// Images, those stripped earlier included.
    pub images: u64,
    /// Their bytes.
    pub image_bytes: u64,
}

/// Strips a cut. Refuses, changing nothing, one with a record that it does not understand.
pub fn strip(cut: &mut Cut) -> Result<Stripped> {
    let (mut done, mut holes) = (Stripped::default(), Vec::new());
    let frames = cut.frames()?;
    let mut places = Vec::with_capacity(frames.len());
    for f in &frames {
        let lsn = Lsn(cut.start().0 + f.at as u64);
        let body = &cut.stream[f.at + f.head..f.at + f.len];
        let record = Record::decode(body, lsn, Lsn(lsn.0 + f.len as u64))
            .map_err(|e| Error::corrupt(format!("the log record at {lsn} is not understood: {e}")))?;
        places.push(image_places(&record));
    }
    for (f, places) in frames.iter().zip(&places) {
        done.records += 1;
        for p in places.iter().filter(|p| !p.bytes.is_empty()) {
            done.images += 1;
            done.image_bytes += p.bytes.len() as u64;
            let from = f.at + f.head + p.bytes.start;
            holes.push(from..from + p.bytes.len());
        }
        if places.is_empty() {
            continue;
        }
        let lsn = Lsn(cut.start().0 + f.at as u64);
        let frame = &mut cut.stream[f.at..f.at + f.len];
        strip_images(&mut frame[f.head..], places);
        let checksum = frame_checksum(frame, lsn, cut.header.incarnation);
        frame[..4].copy_from_slice(&checksum.to_le_bytes());
    }
    cut.header.stripped = true;
    cut.holes = holes;
    Ok(done)
}
