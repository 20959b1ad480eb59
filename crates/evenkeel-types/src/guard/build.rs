//! Large values, made step by step: what grows is admitted before it grows, and the statement may be stopped at each piece.
//!
//! Must not know: SQL values.

use super::discard::Large;
use super::{PACE_BYTES, Pace, admit, check};
use crate::error::SqlError;
use std::sync::Arc;

/// Bytes that are copied without a look.
pub const COPIED_AT_ONCE: usize = 1 << 20;

/// Room for `more` elements, admitted if the list has to grow.
pub fn make_room<T>(list: &mut Vec<T>, more: usize) -> Result<(), SqlError> {
    if list.capacity() - list.len() < more {
        // While it is moved there are two of it.
        let grown = (list.len() + more).max(list.capacity() * 2);
        admit(grown.saturating_mul(size_of::<T>()))?;
        // The allocator moves a large one without copying it.
        list.reserve(more);
    }
    Ok(())
}

/// A text to keep.
pub fn kept(text: &str) -> Result<Arc<str>, SqlError> {
    let bytes = kept_bytes(text.as_bytes())?;
    // SAFETY: the bytes are those of a text.
    Ok(unsafe { as_text(bytes) })
}

/// Bytes as the text that they are. Looking whether they are one would take a tenth of a second for some hundred megabytes, without a stop.
///
/// # Safety
/// They are UTF-8.
unsafe fn as_text(bytes: Arc<[u8]>) -> Arc<str> {
    // SAFETY: `str` and `[u8]` have the same layout, and the caller says that it is a text.
    unsafe { Arc::from_raw(Arc::into_raw(bytes) as *const str) }
}

/// Bytes to keep.
pub fn kept_bytes(bytes: &[u8]) -> Result<Arc<[u8]>, SqlError> {
    joined_bytes([bytes, &[]])
}

/// Bytes to keep, one after the other. The statement may be stopped at each piece: copying some hundred megabytes takes a tenth of a second, most of it for
/// getting the memory.
pub fn joined_bytes(parts: [&[u8]; 2]) -> Result<Arc<[u8]>, SqlError> {
    let [a, b] = parts;
    let len = a.len() + b.len();
    admit(len)?;
    if len <= COPIED_AT_ONCE && b.is_empty() {
        return Ok(Arc::from(a));
    }
    let mut kept = Arc::<[u8]>::new_uninit_slice(len);
    let (to_a, to_b) = Arc::get_mut(&mut kept).expect("nobody else has it yet").split_at_mut(a.len());
    for (to, from) in [(to_a, a), (to_b, b)] {
        for (to, from) in to.chunks_mut(COPIED_AT_ONCE).zip(from.chunks(COPIED_AT_ONCE)) {
            check()?;
            to.write_copy_of_slice(from);
        }
    }
    // SAFETY: each part has the length of its half and is cut as that is, so every byte was written.
    Ok(unsafe { kept.assume_init() })
}

/// Where bytes are no text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoText {
    /// They are one up to here.
    pub valid_up_to: usize,
    /// Bytes that are wrong there; `None`: they end too soon.
    pub error_len: Option<usize>,
}

/// Bytes as the text that they are, or where they are none. The statement may be stopped at each piece.
#[inline]
pub fn text_of(bytes: &[u8]) -> Result<Result<&str, NoText>, SqlError> {
    let fault = |at: usize, e: std::str::Utf8Error| {
        Ok(Err(NoText { valid_up_to: at + e.valid_up_to(), error_len: e.error_len() }))
    };
    if bytes.len() <= COPIED_AT_ONCE {
        return std::str::from_utf8(bytes).map_or_else(|e| fault(0, e), |text| Ok(Ok(text)));
    }
    let mut at = 0;
    while at < bytes.len() {
        check()?;
        let piece = &bytes[at..bytes.len().min(at + COPIED_AT_ONCE)];
        match std::str::from_utf8(piece) {
            Ok(_) => at += piece.len(),
            // A character that the piece has only the begin of.
            Err(e) if e.error_len().is_none() && at + piece.len() < bytes.len() => at += e.valid_up_to(),
            Err(e) => return fault(at, e),
        }
    }
    // SAFETY: all of it was looked at, each piece from the end of a character on.
    Ok(Ok(unsafe { std::str::from_utf8_unchecked(bytes) }))
}

/// As [`text_of`], for bytes that are given away; back they come where they are no text.
pub fn string_of(bytes: Vec<u8>) -> Result<Result<String, (NoText, Vec<u8>)>, SqlError> {
    if let Err(fault) = text_of(&bytes)? {
        return Ok(Err((fault, bytes)));
    }
    // SAFETY: it is a text, as was seen just now.
    Ok(Ok(unsafe { String::from_utf8_unchecked(bytes) }))
}

/// A text that is being made.
#[derive(Default)]
pub struct Text {
    bytes: Vec<u8>,
    pace: Pace,
}

impl Text {
    /// One that will be about so long.
    pub fn with_capacity(bytes: usize) -> Result<Text, SqlError> {
        let mut text = Text::default();
        make_room(&mut text.bytes, bytes)?;
        Ok(text)
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Nothing is in it yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends a character.
    #[inline]
    pub fn push(&mut self, c: char) -> Result<(), SqlError> {
        let mut utf8 = [0; 4];
        let s = c.encode_utf8(&mut utf8).as_bytes();
        if self.bytes.capacity() - self.bytes.len() < s.len() {
            make_room(&mut self.bytes, s.len())?;
        }
        self.bytes.extend_from_slice(s);
        self.pace.bytes(s.len())
    }

    /// Appends a text.
    pub fn push_str(&mut self, s: &str) -> Result<(), SqlError> {
        make_room(&mut self.bytes, s.len())?;
        let whole = self.bytes.len();
        for piece in s.as_bytes().chunks(PACE_BYTES) {
            self.bytes.extend_from_slice(piece);
            // A piece may end within a character, and what is here is a text at any time.
            self.pace.bytes(piece.len()).inspect_err(|_| self.bytes.truncate(whole))?;
        }
        Ok(())
    }

    /// Appends characters.
    pub fn extend(&mut self, chars: impl Iterator<Item = char>) -> Result<(), SqlError> {
        for c in chars {
            self.push(c)?;
        }
        Ok(())
    }

    /// The text, to keep.
    pub fn finish(self) -> Result<Arc<str>, SqlError> {
        let bytes = kept_bytes(&self.bytes)?;
        debug_assert!(bytes.len() > COPIED_AT_ONCE || std::str::from_utf8(&bytes).is_ok());
        // SAFETY: only whole characters and texts were appended.
        Ok(unsafe { as_text(bytes) })
    }
}

/// Does something with each piece of some bytes; the statement may be stopped between them.
pub fn each_piece(bytes: &[u8], mut f: impl FnMut(&[u8])) -> Result<(), SqlError> {
    // A multiple of what encodings and digests take at a time.
    const PIECE: usize = PACE_BYTES / 192 * 192;
    for piece in bytes.chunks(PIECE) {
        check()?;
        f(piece);
    }
    Ok(())
}

/// Gathers what an iterator gives.
pub fn collect<T: Send + 'static>(from: impl Iterator<Item = T>) -> Result<Large<Vec<T>>, SqlError> {
    let mut out: Large<Vec<T>> = Large::default();
    let mut pace = Pace::default();
    for x in from {
        if out.len() == out.capacity() {
            make_room(&mut out, 1)?;
        }
        out.push(x);
        pace.step()?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_by_pieces_is_whole() {
        let mut text = Text::default();
        let piece = "0123456789".repeat(COPIED_AT_ONCE / 8);
        for _ in 0..5 {
            text.push_str(&piece).unwrap();
        }
        assert_eq!(&*text.finish().unwrap(), piece.repeat(5));
        assert_eq!(joined_bytes([b"ab", b"c"]).unwrap()[..], *b"abc");
        let long = "aäß€😀".repeat(COPIED_AT_ONCE / 5);
        for shift in 0..4 {
            let bytes = &long.as_bytes()[..long.len() - shift];
            let by_std = std::str::from_utf8(bytes);
            let fault =
                by_std.err().map(|e| NoText { valid_up_to: e.valid_up_to(), error_len: e.error_len() });
            assert_eq!(text_of(bytes).unwrap().err(), fault, "{shift} bytes less");
        }
        let mut wrong = long.clone().into_bytes();
        for at in [0, 1, 5, COPIED_AT_ONCE - 1, COPIED_AT_ONCE, COPIED_AT_ONCE + 1, wrong.len() - 1] {
            let right = std::mem::replace(&mut wrong[at], 0xff);
            let e = std::str::from_utf8(&wrong).unwrap_err();
            let fault = NoText { valid_up_to: e.valid_up_to(), error_len: e.error_len() };
            assert_eq!(text_of(&wrong).unwrap(), Err(fault), "{at}");
            wrong[at] = right;
        }
        assert_eq!(text_of(long.as_bytes()).unwrap(), Ok(&long[..]));
        let two = [piece.as_bytes(), &piece.as_bytes()[1..]];
        assert_eq!(joined_bytes(two).unwrap()[..], two.concat());
    }
}
