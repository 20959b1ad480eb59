//! Records without their checksums, as they travel to a standby (S25): in a small record the checksum is a tenth, and the only part that nothing compresses; the other end makes it anew
//! from what it holds to be the record's place and life.
//!
//! Invariants
//! 1. A sum over all checksums that were taken out goes along. What is put together again is what was taken apart, at the same place and in the same life, or is refused.
//!
//! Must not know: how records are packed and sent.

use super::record::{MAX_BODY_BYTES, frame_checksum, parse_frame};
use crate::base::codec::Reader;
use crate::base::{Error, Lsn, Result};

const CHECKSUM_BYTES: usize = 4;

/// Appends whole records without their checksums, and gives the sum over those.
pub fn take_apart(records: &[u8], out: &mut Vec<u8>) -> u32 {
    let (mut at, mut sum) = (0, 0);
    while at < records.len() {
        let (head, body) = parse_frame(&records[at..]).expect("whole records, which were checked");
        let frame = &records[at..at + head + body];
        sum = crc32c::crc32c_append(sum, &frame[..CHECKSUM_BYTES]);
        out.extend_from_slice(&frame[CHECKSUM_BYTES..]);
        at += frame.len();
    }
    sum
}

/// Puts together what [`take_apart`] gave, to stand at `from` in this life; `out` is emptied first, and gets `bytes_max` at most. `Corrupt`: it is not that (invariant 1).
pub fn put_together(
    bare: &[u8],
    from: Lsn,
    life: u64,
    sum: u32,
    bytes_max: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.clear();
    let (mut rest, mut found) = (bare, 0);
    while !rest.is_empty() {
        let mut r = Reader::new(rest, "record that was sent");
        let body = r.varint_max(MAX_BODY_BYTES)?;
        let head = rest.len() - r.rest().len();
        let bad = |why| Err(Error::corrupt(format!("log that was sent {why}")));
        if body == 0 || rest.len() < head + body {
            return bad("has no whole record where one begins");
        }
        if out.len() + CHECKSUM_BYTES + head + body > bytes_max {
            return bad("is longer than a message may hold");
        }
        let at = out.len();
        out.extend_from_slice(&[0; CHECKSUM_BYTES]);
        out.extend_from_slice(&rest[..head + body]);
        let checksum = frame_checksum(&out[at..], Lsn(from.0 + at as u64), life).to_le_bytes();
        out[at..at + CHECKSUM_BYTES].copy_from_slice(&checksum);
        found = crc32c::crc32c_append(found, &checksum);
        rest = &rest[head + body..];
    }
    if found != sum {
        return Err(Error::corrupt(format!(
            "log that was sent for {from} in life {life:016x} is not what was sent, or belongs elsewhere"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::record::frame_head;
    use super::*;

    const FROM: Lsn = Lsn(70_000);
    const LIFE: u64 = 0x0123_4567;

    fn records(rng: &mut fastrand::Rng) -> Vec<u8> {
        let mut all = Vec::new();
        for _ in 0..rng.usize(0..30) {
            let body: Vec<u8> = (0..rng.usize(1..400)).map(|_| rng.u8(..)).collect();
            let (head, n) = frame_head(&body, Lsn(FROM.0 + all.len() as u64), LIFE);
            all.extend_from_slice(&head[..n]);
            all.extend_from_slice(&body);
        }
        all
    }

    #[test]
    fn what_was_taken_apart_is_put_together_at_its_place_in_its_life_and_nowhere_else() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..200 {
            let records = records(&mut rng);
            let (mut bare, mut back) = (Vec::new(), vec![1]);
            let sum = take_apart(&records, &mut bare);
            let mut together = |bare: &[u8], from, life, sum| {
                put_together(bare, from, life, sum, 1 << 20, &mut back).map(|()| back.clone())
            };
            assert_eq!(together(&bare, FROM, LIFE, sum).unwrap(), records);
            if records.is_empty() {
                continue;
            }
            assert!(together(&bare, Lsn(FROM.0 + 1), LIFE, sum).is_err());
            assert!(together(&bare, FROM, LIFE + 1, sum).is_err());
            assert!(together(&bare, FROM, LIFE, sum ^ 1).is_err());
            let at = rng.usize(..bare.len());
            let mut damaged = bare.clone();
            damaged[at] ^= 1 << rng.u8(..8);
            assert!(together(&damaged, FROM, LIFE, sum).is_err());
            assert!(together(&bare[..at], FROM, LIFE, sum).is_err());
            let mut back = Vec::new();
            assert!(put_together(&bare, FROM, LIFE, sum, records.len() - 1, &mut back).is_err());
        }
    }
}
