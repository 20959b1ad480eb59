//! Bytes in and out: little-endian integers, LEB128 varints, a bounds-checked reader.
//!
//! Invariants
//! 1. Decoding never reads past its slice and never allocates by a claimed length; every failure is `Error::Corrupt`.

use super::error::{Error, Result};

/// Appends a varint: 7 bits a byte, low group first. At most 10 bytes.
pub fn put_varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// Appends a varint length and the bytes.
pub fn put_bytes(out: &mut Vec<u8>, b: &[u8]) {
    put_varint(out, b.len() as u64);
    out.extend_from_slice(b);
}

/// Length of a varint's encoding.
pub fn varint_len(v: u64) -> usize {
    (64 - (v | 1).leading_zeros() as usize).div_ceil(7)
}

/// Reads a u16 at a fixed offset that the caller knows to be inside.
pub fn u16_at(b: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(b[at..at + 2].try_into().expect("two bytes"))
}

/// Reads a u32 at a fixed offset that the caller knows to be inside.
pub fn u32_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(b[at..at + 4].try_into().expect("four bytes"))
}

/// Reads a u64 at a fixed offset that the caller knows to be inside.
pub fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(b[at..at + 8].try_into().expect("eight bytes"))
}

/// A reader over untrusted bytes (invariant 1).
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// `what` names the thing being read in error messages.
    pub fn new(bytes: &'a [u8], what: &'static str) -> Reader<'a> {
        Reader { rest: bytes, what }
    }

    #[cold]
    fn short(&self) -> Error {
        Error::corrupt(format!("{} ends too early", self.what))
    }

    /// An error that names what is being read.
    #[cold]
    pub fn bad(&self, why: &str) -> Error {
        Error::corrupt(format!("{}: {why}", self.what))
    }

    /// The unread bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes what is left.
    pub fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// Whether all was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `n` bytes.
    #[inline]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        if n > self.rest.len() {
            return Err(self.short());
        }
        let (head, tail) = self.rest.split_at(n);
        self.rest = tail;
        Ok(head)
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16_at(self.take(2)?, 0))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32_at(self.take(4)?, 0))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64_at(self.take(8)?, 0))
    }

    /// A varint of up to 64 bits.
    #[inline]
    pub fn varint(&mut self) -> Result<u64> {
        let (mut v, mut shift) = (0, 0);
        for (i, b) in self.rest.iter().enumerate() {
            // Of the tenth byte one bit is left.
            if shift == 63 && *b > 1 {
                break;
            }
            v |= u64::from(b & 0x7F) << shift;
            if *b < 0x80 {
                self.rest = &self.rest[i + 1..];
                return Ok(v);
            }
            shift += 7;
        }
        Err(self.no_varint())
    }

    #[cold]
    fn no_varint(&self) -> Error {
        match self.rest.get(9) {
            None => self.short(),
            Some(b) if *b < 0x80 => self.bad("a varint overflows"),
            Some(_) => self.bad("a varint is too long"),
        }
    }

    /// A varint that must fit `usize` and stay within `max`.
    pub fn varint_max(&mut self, max: usize) -> Result<usize> {
        let v = self.varint()?;
        if v > max as u64 {
            return Err(self.bad("a number is out of range"));
        }
        Ok(v as usize)
    }

    /// A varint length and that many bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let n = self.varint()?;
        if n > self.rest.len() as u64 {
            return Err(self.short());
        }
        self.take(n as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip_at_every_width() {
        for bits in 0..64 {
            for v in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> bits] {
                let mut out = Vec::new();
                put_varint(&mut out, v);
                assert_eq!(out.len(), varint_len(v));
                let mut r = Reader::new(&out, "test");
                assert_eq!(r.varint().unwrap(), v);
                assert!(r.is_empty());
            }
        }
    }

    #[test]
    fn overlong_and_short_input_is_an_error() {
        assert!(Reader::new(&[0xFF; 11], "test").varint().is_err());
        assert!(Reader::new(&[0x80], "test").varint().is_err());
        assert!(Reader::new(&[5, 1, 2], "test").bytes().is_err());
        assert!(Reader::new(&[1], "test").u32().is_err());
    }
}
