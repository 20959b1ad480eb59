//! Places in texts of any length: characters, parts and ends, found so that the statement can be stopped.
//!
//! Must not know: SQL's functions.

use crate::error::SqlError;
use crate::guard::{Pace, check};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Searched at a time. The library finds its way through that in a millisecond.
const WINDOW_BYTES: usize = 1 << 20;
/// Counted at a time.
const BLOCK_BYTES: usize = 1 << 10;

/// In small letters, each character by itself.
pub(crate) fn lower(s: &str) -> String {
    s.chars().flat_map(char::to_lowercase).collect()
}

/// Number of characters.
pub fn char_count(s: &str) -> usize {
    begun(s.as_bytes())
}

/// Every byte that is no continuation byte begins a character.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| (**b as i8) >= -0x40).count()
}

/// Byte position of character `n`, counted from 0; the end if there is none.
pub fn byte_at(s: &str, n: usize) -> usize {
    let (mut at, mut left) = (0, n);
    for block in s.as_bytes().chunks(BLOCK_BYTES) {
        let here = begun(block);
        if here > left {
            break;
        }
        left -= here;
        at += block.len();
    }
    // The rest of a character that began in the block before.
    while !s.is_char_boundary(at) {
        at += 1;
    }
    s[at..].char_indices().nth(left).map_or(s.len(), |(i, _)| at + i)
}

/// Where a part begins first, at or behind a place.
pub fn find(text: &str, part: &str, from: usize) -> Result<Option<usize>, SqlError> {
    if text.len() - from <= WINDOW_BYTES {
        return Ok(text[from..].find(part).map(|at| from + at));
    }
    if part.len() > WINDOW_BYTES / 2 {
        return Ok(find_long(&text.as_bytes()[from..], part.as_bytes())?.map(|at| from + at));
    }
    let mut at = from;
    loop {
        check()?;
        let end = text.floor_char_boundary((at + WINDOW_BYTES).min(text.len()));
        if let Some(found) = text[at..end].find(part) {
            return Ok(Some(at + found));
        }
        if end == text.len() {
            return Ok(None);
        }
        // It may begin in one window and end in the next.
        at = text.floor_char_boundary(end + 1 - part.len().max(1));
    }
}

/// The prime that rolling hashes are taken by.
const MODULUS: u128 = (1 << 61) - 1;

/// A long part, by a rolling hash: its base is drawn, so that nobody makes texts that collide.
fn find_long(text: &[u8], part: &[u8]) -> Result<Option<usize>, SqlError> {
    if text.len() < part.len() {
        return Ok(None);
    }
    let base = 256 + u128::from(RandomState::new().hash_one(0) >> 4);
    let (mut wanted, mut hash, mut top) = (0, 0, 1);
    let mut pace = Pace::default();
    for (i, (p, t)) in part.iter().zip(text).enumerate() {
        wanted = (wanted * base + u128::from(*p)) % MODULUS;
        hash = (hash * base + u128::from(*t)) % MODULUS;
        if i > 0 {
            top = top * base % MODULUS;
        }
        pace.bytes(1)?;
    }
    let mut at = 0;
    loop {
        if hash == wanted && text[at..at + part.len()] == *part {
            return Ok(Some(at));
        }
        let Some(next) = text.get(at + part.len()) else { return Ok(None) };
        let gone = u128::from(text[at]) * top % MODULUS;
        hash = ((hash + MODULUS - gone) * base + u128::from(*next)) % MODULUS;
        at += 1;
        pace.bytes(1)?;
    }
}

/// A set of characters to trim.
pub struct Trim(HashSet<char>);

impl Trim {
    /// These.
    pub fn of(chars: &str) -> Result<Trim, SqlError> {
        let (mut set, mut pace) = (HashSet::new(), Pace::default());
        for c in chars.chars() {
            pace.step()?;
            set.insert(c);
        }
        Ok(Trim(set))
    }

    /// What is left of a text when they are taken off its beginning.
    pub fn start<'t>(&self, text: &'t str) -> Result<&'t str, SqlError> {
        let mut pace = Pace::default();
        for (i, c) in text.char_indices() {
            pace.bytes(1)?;
            if !self.0.contains(&c) {
                return Ok(&text[i..]);
            }
        }
        Ok("")
    }

    /// What is left of a text when they are taken off its end.
    pub fn end<'t>(&self, text: &'t str) -> Result<&'t str, SqlError> {
        let mut pace = Pace::default();
        for (i, c) in text.char_indices().rev() {
            pace.bytes(1)?;
            if !self.0.contains(&c) {
                return Ok(&text[..i + c.len_utf8()]);
            }
        }
        Ok("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::SqlState;
    use crate::guard;
    use evenkeel::Interrupt;

    #[test]
    fn characters_are_found_across_blocks() {
        let text = "aäß".repeat(1000);
        let places: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        assert_eq!(char_count(&text), places.len());
        for n in [0, 1, 2, 500, 613, 614, 615, 2999] {
            assert_eq!(byte_at(&text, n), places[n], "{n}");
        }
        assert_eq!((byte_at(&text, 3000), byte_at("", 0), byte_at("", 5)), (text.len(), 0, 0));
    }

    #[test]
    fn parts_are_found_across_windows() {
        let mut text = "ä".repeat(WINDOW_BYTES);
        text.insert_str(WINDOW_BYTES - 4, "xyz");
        text.push('e');
        assert_eq!(find(&text, "xyz", 0).unwrap(), Some(WINDOW_BYTES - 4));
        assert_eq!(find(&text, "xyz", WINDOW_BYTES - 2).unwrap(), None);
        assert_eq!(find(&text, "e", 2).unwrap(), Some(text.len() - 1));
        let long = &text[100..text.floor_char_boundary(100 + WINDOW_BYTES)];
        assert_eq!(find(&text, long, 0).unwrap(), Some(100));
        assert_eq!(find(&text, long, 102).unwrap(), None);
        assert_eq!(find(&text, &text, 0).unwrap(), Some(0));
    }

    #[test]
    fn all_of_it_can_be_stopped() {
        let text = "a".repeat(4 * WINDOW_BYTES);
        let interrupt = Interrupt::new();
        let _entered = guard::enter(&interrupt, usize::MAX);
        interrupt.cancel();
        let set = Trim::of("ba").unwrap();
        let part = "a".repeat(WINDOW_BYTES) + "b";
        for error in [
            find(&text, "b", 0).unwrap_err(),
            find(&text, &part, 0).unwrap_err(),
            set.start(&text).unwrap_err(),
            set.end(&text).unwrap_err(),
        ] {
            assert_eq!(error.code, SqlState::QUERY_CANCELED);
        }
    }
}
