//! `tid`: the place of a row, a block of 32 bits and a place in it of 16.
//!
//! Rows have numbers here, which stay theirs when they are changed: one is the place of 48 bits that it makes.
//!
//! Must not know: tables.

use crate::error::{SqlError, SqlState};

/// The place of the row of a number; None: it is larger than one can be.
pub fn of_row(id: i64) -> Option<u64> {
    u64::try_from(id).ok().filter(|id| *id < 1 << 48)
}

/// As binary formats have it; bytes order as places do.
pub fn bytes(tid: u64) -> [u8; 6] {
    let [_, _, bytes @ ..] = tid.to_be_bytes();
    bytes
}

/// The place that such bytes are.
pub fn of_bytes(bytes: [u8; 6]) -> u64 {
    bytes.iter().fold(0, |tid, b| tid << 8 | u64::from(*b))
}

/// Appends it as text.
pub fn write(tid: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("({},{})", tid >> 16, tid & 0xFFFF).as_bytes());
}

/// The place that a text is.
pub fn parse(text: &str) -> Result<u64, SqlError> {
    let invalid = || {
        let why = format!("invalid input syntax for type tid: \"{text}\"");
        SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, why)
    };
    // As `strtoul` reads: blanks before the numbers are none of them, those behind are wrong, and a block below zero counts from the last.
    let inside = text.split_once('(').filter(|(before, _)| before.is_empty()).ok_or_else(invalid)?.1;
    let (block, rest) = inside.split_once(',').ok_or_else(invalid)?;
    let (place, _) = rest.split_once(')').ok_or_else(invalid)?;
    let number = |s: &str| s.trim_start().parse::<i64>().map_err(|_| invalid());
    let block = number(block)?;
    let block = u32::try_from(block).or_else(|_| i32::try_from(block).map(i32::cast_unsigned));
    let place = u16::try_from(number(place)?).map_err(|_| invalid())?;
    Ok(u64::from(block.map_err(|_| invalid())?) << 16 | u64::from(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_as_text_and_bytes() {
        let text = |tid| {
            let mut out = Vec::new();
            write(tid, &mut out);
            String::from_utf8(out).unwrap()
        };
        for (given, shown) in
            [("(0,1)", "(0,1)"), ("( 7, 65535)x", "(7,65535)"), ("(-1,0)", "(4294967295,0)")]
        {
            assert_eq!(text(parse(given).unwrap()), shown);
        }
        for wrong in ["", "(1)", "(1,2", "1,2)", " (1,2)", "(1,65536)", "(4294967296,1)", "(1 ,2)", "(,)"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(of_bytes(bytes((9 << 16) | 3)), (9 << 16) | 3);
        assert_eq!((of_row(5), of_row(-1), of_row(1 << 48)), (Some(5), None, None));
    }
}
