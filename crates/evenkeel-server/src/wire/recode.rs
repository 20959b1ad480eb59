//! Strings of messages in the client's encoding, where that is not UTF-8.
//!
//! Invariants:
//! 1. Only whole strings are converted; values of a Bind are, by their types, where they are read.
//!
//! It must not know sessions.

use std::borrow::Cow;

use evenkeel_sql::SqlError;
use evenkeel_types::encoding::Encoding;

/// How many strings a message begins with, behind how many other bytes.
fn strings(kind: u8) -> (usize, usize) {
    match kind {
        b'Q' | b'E' | b'f' => (0, 1),
        b'P' | b'B' => (0, 2),
        b'D' | b'C' => (1, 1),
        _ => (0, 0),
    }
}

/// A message's body with its strings in UTF-8.
pub(crate) fn to_utf8(kind: u8, body: &[u8], encoding: Encoding) -> Result<Cow<'_, [u8]>, SqlError> {
    let (skip, count) = strings(kind);
    let Some((head, mut rest)) = body.split_at_checked(skip) else { return Ok(Cow::Borrowed(body)) };
    let mut out = head.to_vec();
    for _ in 0..count {
        // A message that is broken is told so by whoever decodes it.
        let Some(end) = memchr::memchr(0, rest) else { return Ok(Cow::Borrowed(body)) };
        out.extend_from_slice(&encoding.decode(&rest[..end])?);
        out.push(0);
        rest = &rest[end + 1..];
    }
    out.extend_from_slice(rest);
    Ok(Cow::Owned(out))
}

/// A string for the client; what its encoding does not have is a question mark, since errors and names have to be told.
pub(crate) fn told(text: &str, encoding: Encoding) -> Cow<'_, [u8]> {
    match encoding.encode(text) {
        Ok(bytes) => bytes,
        Err(_) => {
            let one = |c: char| encoding.encode(c.encode_utf8(&mut [0; 4])).map_or(b'?', |b| b[0]);
            Cow::Owned(text.chars().map(one).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_converted_and_what_follows_is_not() {
        let latin1 = Encoding::named("latin1").unwrap();
        assert_eq!(&*to_utf8(b'P', b"\xe9\0select '\xe9'\0\0\x01\0\0\0\xe9", latin1).unwrap(), {
            let mut body = "é\0select 'é'\0\0\u{1}\0\0\0".as_bytes().to_vec();
            body.push(0xe9);
            body
        });
        assert_eq!(&*to_utf8(b'Q', b"no end", latin1).unwrap(), b"no end");
    }

    #[test]
    fn what_cannot_be_told_is_a_question_mark() {
        let latin1 = Encoding::named("latin1").unwrap();
        assert_eq!(&*told("é€", latin1), b"\xe9?");
    }
}
