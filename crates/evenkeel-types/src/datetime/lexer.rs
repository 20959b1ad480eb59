//! Splits date, time and interval input into typed tokens: the first half of reading it.

/// What a token looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Digits, perhaps with one decimal point.
    Number,
    /// Letters.
    Text,
    /// Digits or letters around `-`, `/` or `.`: a date, or a zone name with punctuation.
    Date,
    /// Digits around colons.
    Time,
    /// A sign and digits: a displacement, or a signed number.
    Signed,
    /// A sign and letters: `-infinity`.
    SignedText,
}

/// A token, lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its shape.
    pub kind: Kind,
    /// Its characters.
    pub text: String,
}

/// Most tokens of one value.
const MAX_TOKENS: usize = 25;
/// Longest input that is looked at.
const MAX_INPUT_BYTES: usize = 1024;

/// The tokens of an input; `None` if it has a character that no date has, or is too long.
pub fn tokens(input: &str) -> Option<Vec<Token>> {
    if input.len() > MAX_INPUT_BYTES {
        return None;
    }
    let b = input.as_bytes();
    let at = |i: usize| b.get(i).copied().unwrap_or(0);
    let mut out: Vec<Token> = Vec::new();
    let mut i = 0;
    while i < b.len() {
        let c = b[i];
        if is_space(c) {
            i += 1;
            continue;
        }
        let start = i;
        let mut text = String::new();
        let kind;
        if c.is_ascii_digit() {
            i += run(b, i, |c| c.is_ascii_digit());
            match at(i) {
                b':' => {
                    kind = Kind::Time;
                    i += run(b, i, |c| c.is_ascii_digit() || c == b':' || c == b'.');
                }
                delim @ (b'-' | b'/' | b'.') => {
                    i += 1;
                    if at(i).is_ascii_digit() {
                        // Only a delimiter that repeats makes a date of 1.2; a number has one decimal point.
                        let mut k = if delim == b'.' { Kind::Number } else { Kind::Date };
                        i += run(b, i, |c| c.is_ascii_digit());
                        if at(i) == delim {
                            k = Kind::Date;
                            i += run(b, i, |c| c.is_ascii_digit() || c == delim);
                        }
                        kind = k;
                    } else {
                        kind = Kind::Date;
                        i += run(b, i, |c| c.is_ascii_alphanumeric() || c == delim);
                    }
                }
                _ => kind = Kind::Number,
            }
        } else if c == b'.' {
            i += 1;
            i += run(b, i, |c| c.is_ascii_digit());
            kind = Kind::Number;
        } else if c.is_ascii_alphabetic() {
            i += run(b, i, |c| c.is_ascii_alphabetic());
            let word = input[start..i].to_ascii_lowercase();
            let joined = match at(i) {
                b'-' | b'/' | b'.' => true,
                b'+' | b'0'..=b'9' => super::keywords::word(&word).is_none(),
                _ => false,
            };
            if joined {
                i += run(b, i, |c| {
                    c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'/' | b'_' | b'.' | b':')
                });
                kind = Kind::Date;
            } else if at(i) == b'_' {
                // A zone name such as US_Pacific; no keyword has an underscore.
                i += run(b, i, |c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'/'));
                kind = Kind::Text;
            } else {
                kind = Kind::Text;
            }
        } else if c == b'+' || c == b'-' {
            text.push(c as char);
            i += 1;
            i += run(b, i, is_space);
            let body = i;
            if at(i).is_ascii_digit() {
                i += run(b, i, |c| c.is_ascii_digit() || matches!(c, b':' | b'.' | b'-'));
                kind = Kind::Signed;
            } else if at(i).is_ascii_alphabetic() {
                i += run(b, i, |c| c.is_ascii_alphabetic());
                kind = Kind::SignedText;
            } else {
                return None;
            }
            text.push_str(&input[body..i].to_ascii_lowercase());
        } else if c.is_ascii_punctuation() {
            i += 1;
            continue;
        } else {
            return None;
        }
        if text.is_empty() {
            text = input[start..i].to_ascii_lowercase();
        }
        if out.len() == MAX_TOKENS {
            return None;
        }
        out.push(Token { kind, text });
    }
    Some(out)
}

fn is_space(c: u8) -> bool {
    c.is_ascii_whitespace() || c == 0x0b
}

fn run(b: &[u8], from: usize, f: impl Fn(u8) -> bool) -> usize {
    b[from..].iter().take_while(|c| f(**c)).count()
}
