//! Numbers and parameters as PostgreSQL's lexer cuts them: what stands right behind one must not be a name.
//!
//! sqlparser ends a number where it is none any more, and takes what follows for an alias; it takes `0x1F` for a bit string and knows no `0o17`, `0b11` and `1_000_000`.
//! So numbers are read here first, and those that it would not understand are given to it as it does.
//!
//! Must not know: where in a statement a number stands.

/// A number or a parameter that begins somewhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// sqlparser cuts it alike, up to there.
    Plain(usize),
    /// It ends there, and is written otherwise.
    Respelled(usize, String),
    /// It is none: what is wrong with it, and where it ends.
    Wrong(&'static str, usize),
}

const JUNK: &str = "trailing junk after numeric literal";

fn begins_name(b: Option<&u8>) -> bool {
    b.is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b >= 128)
}

/// Where a name ends that goes on at a place.
fn end_of_name(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || *b >= 128) {
        at += 1;
    }
    at
}

/// The end of digits, between which there may be single underscores; before the first, too, if `after` says so.
fn end_of_digits(bytes: &[u8], mut at: usize, radix: u32, after: bool) -> usize {
    let is_digit = |at: usize| bytes.get(at).is_some_and(|b| char::from(*b).is_digit(radix));
    let mut may_separate = after;
    loop {
        if is_digit(at) {
            at += 1;
        } else if may_separate && bytes.get(at) == Some(&b'_') && is_digit(at + 1) {
            at += 2;
        } else {
            return at;
        }
        may_separate = true;
    }
}

/// The number that begins with the digit, or the point before one, at `from`.
pub(super) fn number(sql: &str, from: usize) -> Cut {
    let bytes = sql.as_bytes();
    if let Some(cut) = with_radix(sql, from) {
        return cut;
    }
    let mut end = end_of_digits(bytes, from, 10, false);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        end = end_of_digits(bytes, end + 1, 10, false);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        let digits = end + 1 + usize::from(signed);
        if bytes.get(digits).is_some_and(u8::is_ascii_digit) {
            end = end_of_digits(bytes, digits, 10, false);
        } else if signed {
            return Cut::Wrong(JUNK, digits);
        }
    }
    if begins_name(bytes.get(end)) {
        return Cut::Wrong(JUNK, end_of_name(bytes, end));
    }
    match sql[from..end].contains('_') {
        true => Cut::Respelled(end, sql[from..end].replace('_', "")),
        false => Cut::Plain(end),
    }
}

/// The same of one that begins with 0x, 0o or 0b.
fn with_radix(sql: &str, from: usize) -> Option<Cut> {
    let bytes = sql.as_bytes();
    let (radix, wrong) = match bytes.get(from..from + 2)? {
        b"0x" | b"0X" => (16, "invalid hexadecimal integer"),
        b"0o" | b"0O" => (8, "invalid octal integer"),
        b"0b" | b"0B" => (2, "invalid binary integer"),
        _ => return None,
    };
    let end = end_of_digits(bytes, from + 2, radix, true);
    // The longest reading counts.
    let junk = end_of_name(bytes, from + 1);
    Some(if end > from + 2 && junk <= end {
        let digits = sql[from + 2..end].replace('_', "");
        let text = u128::from_str_radix(&digits, radix).map(|v| v.to_string());
        Cut::Respelled(end, text.unwrap_or_else(|_| format!("{}{digits}", &sql[from..from + 2])))
    } else if junk <= from + 2 + usize::from(bytes.get(from + 2) == Some(&b'_')) {
        Cut::Wrong(wrong, junk)
    } else {
        Cut::Wrong(JUNK, junk)
    })
}

/// The parameter whose dollar is at `from`; None: no number follows.
pub(super) fn parameter(sql: &str, from: usize) -> Option<Cut> {
    let bytes = sql.as_bytes();
    let end = from + 1 + bytes[from + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    if end == from + 1 {
        return None;
    }
    Some(if begins_name(bytes.get(end)) {
        Cut::Wrong("trailing junk after parameter", end_of_name(bytes, end))
    } else if sql[from + 1..end].parse::<i32>().is_err() {
        Cut::Wrong("parameter number too large", end)
    } else {
        Cut::Plain(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_they_end_in_postgresql() {
        for plain in ["1", "1.", "1.5", ".5", "1e5", "1.e-5", ".5E+10", "0", "00"] {
            assert_eq!(number(plain, 0), Cut::Plain(plain.len()), "{plain}");
            assert_eq!(number(&format!("{plain}+x"), 0), Cut::Plain(plain.len()), "{plain}");
        }
        for (text, value) in [
            ("0x1F", "31"),
            ("0XfF_ff", "65535"),
            ("0o_17", "15"),
            ("0b11", "3"),
            ("1_000", "1000"),
            ("1_0.0_1e1_0", "10.01e10"),
            (&format!("0x{}", "f".repeat(40)), &format!("0x{}", "f".repeat(40))),
        ] {
            assert_eq!(number(text, 0), Cut::Respelled(text.len(), value.into()));
        }
        for junk in [
            "1x", "0xg", "0x0o", "0b2", "0o8", "1_", "1__0", "1._5", "1.5_", "1e1_", "1.5e_1", "0x1_",
            "1_e1", "1.a", "0.0e", "0.0e+", "1ex", "1a$b", "1é",
        ] {
            assert_eq!(number(junk, 0), Cut::Wrong(JUNK, junk.len()), "{junk}");
        }
        assert_eq!(number("0x", 0), Cut::Wrong("invalid hexadecimal integer", 2));
        assert_eq!(number("0o_ ", 0), Cut::Wrong("invalid octal integer", 3));
        assert_eq!(number("1..2", 0), Cut::Plain(1));
    }

    #[test]
    fn parameters_are_numbers_of_their_own() {
        assert_eq!(parameter("$12)", 0), Some(Cut::Plain(3)));
        assert_eq!(parameter("$1a ", 0), Some(Cut::Wrong("trailing junk after parameter", 3)));
        assert_eq!(parameter("$2147483648", 0), Some(Cut::Wrong("parameter number too large", 11)));
        assert_eq!(parameter("$a", 0), None);
    }
}
