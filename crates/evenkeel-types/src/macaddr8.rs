//! `macaddr8`: addresses of machines with eight bytes.
//!
//! Must not know: functions and operators.

use crate::error::{SqlError, SqlState};

/// One of six bytes among those of eight.
pub fn widened([a, b, c, d, e, f]: [u8; 6]) -> [u8; 8] {
    [a, b, c, 0xFF, 0xFE, d, e, f]
}

/// The one of six bytes that it is.
pub fn narrowed(v: &[u8; 8]) -> Result<[u8; 6], SqlError> {
    match *v {
        [a, b, c, 0xFF, 0xFE, d, e, f] => Ok([a, b, c, d, e, f]),
        _ => Err(SqlError::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            "macaddr8 data out of range to convert to macaddr",
        )
        .with_hint(
            "Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.",
        )),
    }
}

/// Reads six or eight bytes, each of two digits, with one separator between any of them.
pub fn parse(s: &str) -> Result<[u8; 8], SqlError> {
    let invalid = || {
        let why = format!("invalid input syntax for type macaddr8: \"{s}\"");
        SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, why)
    };
    let text = s.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']).as_bytes();
    let (mut rest, mut out, mut count, mut separator) = (text, [0u8; 8], 0, None);
    while let [high, low, after @ ..] = rest {
        let digit = |b: &u8| char::from(*b).to_digit(16);
        let (Some(high), Some(low), Some(place)) = (digit(high), digit(low), out.get_mut(count)) else {
            return Err(invalid());
        };
        *place = (high << 4 | low) as u8;
        count += 1;
        rest = after;
        if let [c @ (b':' | b'-' | b'.'), after @ ..] = rest {
            if *separator.get_or_insert(*c) != *c {
                return Err(invalid());
            }
            rest = after;
        }
    }
    match (count, rest) {
        (8, []) => Ok(out),
        (6, []) => Ok(widened([out[0], out[1], out[2], out[3], out[4], out[5]])),
        _ => Err(invalid()),
    }
}

/// Appends it as text.
pub fn write(v: &[u8; 8], out: &mut Vec<u8>) {
    let parts: Vec<String> = v.iter().map(|b| format!("{b:02x}")).collect();
    out.extend_from_slice(parts.join(":").as_bytes());
}
