//! Transaction ids (`xid8`) and what a snapshot sees of them (`pg_snapshot`, `txid_snapshot`).
//!
//! Invariants:
//! 1. Of a [`XactSnapshot`] `0 < xmin <= xmax`, and `xip` ascends, from `xmin` on and below `xmax`.
//!
//! Must not know: how transactions are kept.

use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use crate::guard::build::make_room;

/// What a snapshot sees: all transactions below `xmin`, none from `xmax` on, and between these all but those of `xip`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XactSnapshot {
    /// All transactions with smaller ids had ended.
    pub xmin: u64,
    /// No transaction with this id or a greater one had.
    pub xmax: u64,
    /// Those between that had not.
    pub xip: Box<[u64]>,
}

/// As C's `strtoull` reads a number: blanks, a sign, digits. The number, whether it is too large (it is the largest then), and what follows; where there is no number,
/// 0 and all of the text.
fn number(s: &str, any_base: bool) -> (u64, bool, &str) {
    let start = s.trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let (negative, unsigned) = match start.as_bytes().first() {
        Some(b'-') => (true, &start[1..]),
        Some(b'+') => (false, &start[1..]),
        _ => (false, start),
    };
    let is_hex = |b: &u8| b.is_ascii_hexdigit();
    let (radix, digits) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', rest @ ..] if any_base && rest.first().is_some_and(is_hex) => {
            (16, &unsigned[2..])
        }
        [b'0', ..] if any_base => (8, unsigned),
        _ => (10, unsigned),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if end == 0 {
        return (0, false, s);
    }
    let rest = &digits[end..];
    match u64::from_str_radix(&digits[..end], radix) {
        Ok(v) => (if negative { v.wrapping_neg() } else { v }, false, rest),
        Err(_) => (u64::MAX, true, rest),
    }
}

fn out_of_range(s: &str, ty: &str) -> SqlError {
    let message = format!("value \"{s}\" is out of range for type {ty}");
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
}

/// A number that is all of the text.
fn whole(s: &str, ty: &str) -> Result<u64, SqlError> {
    let (v, is_too_large, rest) = number(s, true);
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c');
    if rest.len() == s.len() || !rest.chars().all(is_blank) {
        let message = format!("invalid input syntax for type {ty}: \"{s}\"");
        return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, message));
    }
    if is_too_large { Err(out_of_range(s, ty)) } else { Ok(v) }
}

/// Reads an `xid8`: a number as C writes them, decimal, hexadecimal or octal; negative ones count from the end.
pub fn parse_xid8(s: &str) -> Result<u64, SqlError> {
    whole(s, "xid8")
}

/// Reads an `xid`, an `oid` and the like, in the same ways.
pub fn parse_u32(s: &str, ty: &str) -> Result<u32, SqlError> {
    let v = whole(s, ty)?;
    let is_negative = i32::try_from(v as i64).is_ok();
    if v <= u64::from(u32::MAX) || is_negative { Ok(v as u32) } else { Err(out_of_range(s, ty)) }
}

impl XactSnapshot {
    /// Adds a transaction that had not ended; false: it cannot be one. One that is there already is passed over.
    fn push(xip: &mut Vec<u64>, id: u64, xmin: u64, xmax: u64) -> Result<bool, SqlError> {
        let last = xip.last().copied().unwrap_or(0);
        if id < xmin || id >= xmax || id < last {
            return Ok(false);
        }
        if id != last {
            make_room(xip, 1)?;
            xip.push(id);
        }
        Ok(true)
    }

    fn read(s: &str) -> Result<Option<XactSnapshot>, SqlError> {
        let (xmin, _, rest) = number(s, false);
        let Some(rest) = rest.strip_prefix(':') else { return Ok(None) };
        let (xmax, _, rest) = number(rest, false);
        let Some(mut rest) = rest.strip_prefix(':') else { return Ok(None) };
        if xmin == 0 || xmax < xmin {
            return Ok(None);
        }
        let (mut xip, mut pace) = (Vec::new(), Pace::default());
        while !rest.is_empty() {
            pace.step()?;
            let (id, _, behind) = number(rest, false);
            if !XactSnapshot::push(&mut xip, id, xmin, xmax)? {
                return Ok(None);
            }
            rest = match behind.strip_prefix(',') {
                Some(next) => next,
                None if behind.is_empty() => behind,
                None => return Ok(None),
            };
        }
        Ok(Some(XactSnapshot { xmin, xmax, xip: xip.into() }))
    }

    /// Reads its text form, `xmin:xmax:xip,…`. Errors are PostgreSQL's, which has one name for both types.
    pub fn parse(s: &str) -> Result<XactSnapshot, SqlError> {
        XactSnapshot::read(s)?.ok_or_else(|| {
            let message = format!("invalid input syntax for type pg_snapshot: \"{s}\"");
            SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, message)
        })
    }

    /// Appends its text form.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), SqlError> {
        out.extend_from_slice(format!("{}:{}:", self.xmin, self.xmax).as_bytes());
        let mut pace = Pace::default();
        for (i, id) in self.xip.iter().enumerate() {
            pace.step()?;
            let text = if i > 0 { format!(",{id}") } else { id.to_string() };
            make_room(out, text.len())?;
            out.extend_from_slice(text.as_bytes());
        }
        Ok(())
    }

    /// Appends its binary form, which is the stored one as well.
    pub fn write_binary(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.xip.len() as u32).to_be_bytes());
        for id in [self.xmin, self.xmax].iter().chain(&self.xip) {
            out.extend_from_slice(&id.to_be_bytes());
        }
    }

    /// Bytes of its binary form.
    pub fn binary_len(&self) -> usize {
        4 + 8 * (2 + self.xip.len())
    }

    /// Reads its binary form.
    pub fn read_binary(b: &[u8]) -> Result<XactSnapshot, SqlError> {
        let invalid =
            || SqlError::new(SqlState::INVALID_BINARY_REPRESENTATION, "invalid external pg_snapshot data");
        let (count, ids) = b.split_first_chunk::<4>().ok_or_else(invalid)?;
        let (ids, rest) = ids.as_chunks::<8>();
        if !rest.is_empty() || ids.len() != u32::from_be_bytes(*count) as usize + 2 {
            return Err(invalid());
        }
        let (xmin, xmax) = (u64::from_be_bytes(ids[0]), u64::from_be_bytes(ids[1]));
        if xmin == 0 || xmax < xmin {
            return Err(invalid());
        }
        let (mut xip, mut pace) = (Vec::new(), Pace::default());
        for id in &ids[2..] {
            pace.step()?;
            if !XactSnapshot::push(&mut xip, u64::from_be_bytes(*id), xmin, xmax)? {
                return Err(invalid());
            }
        }
        Ok(XactSnapshot { xmin, xmax, xip: xip.into() })
    }

    /// Whether a transaction had ended when the snapshot was taken.
    pub fn sees(&self, id: u64) -> bool {
        id < self.xmin || id < self.xmax && self.xip.binary_search(&id).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        let all = [
            ("010", 8),
            ("0x1f", 31),
            ("0", 0),
            (" 5\t", 5),
            ("-1", u64::MAX),
            ("+7", 7),
            ("0xFFFFFFFFFFFFFFFF", u64::MAX),
        ];
        for (text, id) in all {
            assert_eq!(parse_xid8(text).unwrap(), id, "{text}");
        }
        for text in ["", " ", "5x", "x", "0x", "08", "1 2", "--1"] {
            assert_eq!(parse_xid8(text).unwrap_err().code, SqlState::INVALID_TEXT_REPRESENTATION, "{text}");
        }
        let xids = ["010", "0xffffffff", "-1", "-2147483648"].map(|text| parse_u32(text, "xid").unwrap());
        assert_eq!(xids, [8, u32::MAX, u32::MAX, 1 << 31]);
        for text in ["4294967296", "-2147483649"] {
            assert_eq!(
                parse_u32(text, "xid").unwrap_err().code,
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                "{text}"
            );
        }
        let large = parse_xid8("18446744073709551616").unwrap_err();
        assert_eq!(large.code, SqlState::NUMERIC_VALUE_OUT_OF_RANGE);
    }

    #[test]
    fn snapshots_come_back_and_see() {
        for (text, written) in [("1:2:", "1:2:"), ("1:10:3,3,5,", "1:10:3,5"), (" 1:+5:", "1:5:")] {
            let snapshot = XactSnapshot::parse(text).unwrap();
            let (mut out, mut bytes) = (Vec::new(), Vec::new());
            snapshot.write(&mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), written);
            snapshot.write_binary(&mut bytes);
            assert_eq!(bytes.len(), snapshot.binary_len());
            assert_eq!(XactSnapshot::read_binary(&bytes).unwrap(), snapshot);
            for n in 0..bytes.len() {
                assert!(XactSnapshot::read_binary(&bytes[..n]).is_err());
            }
        }
        for text in ["", "1", "1:2", "2:1:", "0:1:", "4:8:9", "4:8:3", "1:9:5,3", "1:9:5 6", "1:9:x", "1:9:,"]
        {
            assert!(XactSnapshot::parse(text).is_err(), "{text}");
        }
        let snapshot = XactSnapshot::parse("4:9:5,7").unwrap();
        let seen: Vec<u64> = (0..12).filter(|id| snapshot.sees(*id)).collect();
        assert_eq!(seen, [0, 1, 2, 3, 4, 6, 8]);
    }
}
