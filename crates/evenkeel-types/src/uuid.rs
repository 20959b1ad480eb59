//! `uuid`: text form, and what the bits of versions 1 and 7 say.
//!
//! Must not know: where new ones come from (`funcs/uuid.rs`).

/// Days from the begin of the Gregorian calendar, which version 1 counts from, to 2000-01-01.
const DAYS_FROM_GREGORIAN: i64 = 2_451_545 - 2_299_161;
/// The same from 1970-01-01.
const US_FROM_UNIX: i64 = (2_451_545 - 2_440_588) * US_PER_DAY;
const US_PER_DAY: i64 = 86_400_000_000;

/// Reads 32 hexadecimal digits, in braces or not, with a hyphen after any group of four.
pub fn parse(s: &str) -> Option<[u8; 16]> {
    let mut rest = s.as_bytes();
    let braces = rest.first() == Some(&b'{');
    if braces {
        rest = &rest[1..];
    }
    let digit = |b: u8| char::from(b).to_digit(16);
    let mut bytes = [0; 16];
    for (i, byte) in bytes.iter_mut().enumerate() {
        let [high, low, tail @ ..] = rest else { return None };
        *byte = (digit(*high)? << 4 | digit(*low)?) as u8;
        rest = match tail {
            [b'-', tail @ ..] if i % 2 == 1 && i < 15 => tail,
            tail => tail,
        };
    }
    if braces {
        rest = rest.strip_prefix(b"}")?;
    }
    rest.is_empty().then_some(bytes)
}

/// Appends the standard form, in small letters.
pub fn write(bytes: &[u8; 16], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (i, b) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.push(DIGITS[usize::from(b >> 4)]);
        out.push(DIGITS[usize::from(b & 15)]);
    }
}

/// Its version, if it is laid out as RFC 9562 says.
pub fn version(bytes: &[u8; 16]) -> Option<u8> {
    (bytes[8] & 0xC0 == 0x80).then_some(bytes[6] >> 4)
}

/// When one of version 1 or 7 was made, in microseconds since 2000-01-01.
pub fn timestamp_us(bytes: &[u8; 16]) -> Option<i64> {
    let number = |part: &[u8]| part.iter().fold(0i64, |n, b| n << 8 | i64::from(*b));
    match version(bytes)? {
        1 => {
            let high = number(&bytes[6..8]) & 0xFFF;
            let tenths = high << 48 | number(&bytes[4..6]) << 32 | number(&bytes[..4]);
            Some(tenths / 10 - DAYS_FROM_GREGORIAN * US_PER_DAY)
        }
        7 => Some(number(&bytes[..6]) * 1000 - US_FROM_UNIX),
        _ => None,
    }
}

/// One with a version and the variant of RFC 9562.
pub fn with_version(mut bytes: [u8; 16], version: u8) -> [u8; 16] {
    bytes[6] = bytes[6] & 0x0F | version << 4;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    bytes
}

/// One of version 7: milliseconds since 1970, nanoseconds within that one, and random bytes.
pub fn version_7(unix_ms: u64, ns: u32, random: [u8; 8]) -> [u8; 16] {
    /// Bits of the fraction of a millisecond.
    const FRACTION_BITS: u32 = 12;
    let fraction = (u64::from(ns) << FRACTION_BITS) / 1_000_000;
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&unix_ms.to_be_bytes()[2..]);
    bytes[6..8].copy_from_slice(&(fraction as u16).to_be_bytes());
    bytes[8..].copy_from_slice(&random);
    with_version(bytes, 7)
}
