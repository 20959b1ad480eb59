//! LIKE: `%` is any run of characters, `_` any one, a backslash takes the next character literally.
//!
//! Matching backtracks only to the last `%`, so it takes at most pattern length times text length steps. Where texts are equal that have other bytes, it goes from
//! piece to piece of the pattern, each time with all places of the text that the pieces so far may end at.

use crate::error::{SqlError, SqlState};
use crate::guard::Pace;

fn bad_escape() -> SqlError {
    SqlError::new(SqlState::INVALID_ESCAPE_SEQUENCE, "LIKE pattern must not end with escape character")
}

/// Whether a text is LIKE a pattern.
pub fn like_text(text: &str, pattern: &str) -> Result<bool, SqlError> {
    matches(text.as_bytes(), pattern.as_bytes(), char_len)
}

/// LIKE on bytes: `_` is one byte.
pub fn like_bytes(text: &[u8], pattern: &[u8]) -> Result<bool, SqlError> {
    matches(text, pattern, |_| 1)
}

/// Bytes of the UTF-8 character that begins with `b`.
fn char_len(b: u8) -> usize {
    match b {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

fn matches(t: &[u8], p: &[u8], one: fn(u8) -> usize) -> Result<bool, SqlError> {
    let (mut i, mut j) = (0, 0);
    // Pattern position after the last `%`, and the text position that it was last tried at.
    let mut retry: Option<(usize, usize)> = None;
    let mut pace = Pace::default();
    loop {
        pace.bytes(1)?;
        let was_left =
            |(after, from): (usize, usize)| from < t.len() && p[after..j].iter().all(|c| *c == b'_');
        let step = match p.get(j) {
            Some(b'%') => {
                retry = Some((j + 1, i));
                j += 1;
                if j == p.len() {
                    return Ok(true);
                }
                continue;
            }
            Some(b'_') if i < t.len() => Some((one(t[i]), 1)),
            // An escape at the end matters if there is text left to match, or was at a `%` with nothing but `_` between.
            Some(b'\\') if i < t.len() || retry.is_some_and(was_left) => {
                let literal = *p.get(j + 1).ok_or_else(bad_escape)?;
                (t.get(i) == Some(&literal)).then_some((1, 2))
            }
            Some(c) => (t.get(i) == Some(c)).then_some((1, 1)),
            None if i == t.len() => return Ok(true),
            None => None,
        };
        match (step, retry) {
            (Some((text, pattern)), _) => {
                i += text;
                j += pattern;
            }
            (None, Some((after, from))) if from < t.len() => {
                let next = from + one(t[from]);
                retry = Some((after, next));
                (i, j) = (next, after);
            }
            _ => return Ok(false),
        }
    }
}

/// A piece of a pattern.
enum Piece {
    Text(String),
    One,
    Many,
}

fn pieces(pattern: &str) -> Result<Vec<Piece>, SqlError> {
    let mut all = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let c = match c {
            '%' => {
                all.push(Piece::Many);
                continue;
            }
            '_' => {
                all.push(Piece::One);
                continue;
            }
            '\\' => chars.next().ok_or_else(bad_escape)?,
            c => c,
        };
        match all.last_mut() {
            Some(Piece::Text(text)) => text.push(c),
            _ => all.push(Piece::Text(c.into())),
        }
    }
    Ok(all)
}

/// Whether a text is LIKE a pattern where those are equal that have the same key: what stands between wildcards is so as a whole, however many characters it has, as
/// since PostgreSQL 18.
pub fn like_by(text: &str, pattern: &str, key: &dyn Fn(&str) -> Vec<u8>) -> Result<bool, SqlError> {
    let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    places.push(text.len());
    let pieces = pieces(pattern)?;
    let mut pace = Pace::default();
    // Whether the pieces so far may end at a place.
    let mut ends = vec![false; places.len()];
    ends[0] = true;
    for (n, piece) in pieces.iter().enumerate() {
        let mut next = vec![false; places.len()];
        match piece {
            Piece::Many => {
                let first = ends.iter().position(|e| *e).unwrap_or(places.len());
                next[first..].fill(true);
            }
            Piece::One => next[1..].copy_from_slice(&ends[..places.len() - 1]),
            Piece::Text(wanted) => {
                let wanted = key(wanted);
                for from in (0..places.len()).filter(|p| ends[*p]) {
                    // The last piece is all that is left.
                    let until = if n + 1 == pieces.len() { places.len() - 1 } else { from };
                    for to in until..places.len() {
                        let part = &text[places[from]..places[to]];
                        pace.bytes(part.len() + 1)?;
                        next[to] = next[to] || key(part) == wanted;
                    }
                }
            }
        }
        ends = next;
    }
    Ok(ends.last().copied().unwrap_or(false))
}

/// Rewrites a pattern with another escape character (none if empty) to one with backslashes.
pub fn like_escape(pattern: &str, escape: &str) -> Result<String, SqlError> {
    let mut chars = escape.chars();
    let escape = chars.next();
    if chars.next().is_some() {
        return Err(SqlError::new(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid escape string")
            .with_hint("Escape string must be empty or one character."));
    }
    if escape == Some('\\') {
        return Ok(pattern.to_string());
    }
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut escaped = false;
    for c in pattern.chars() {
        if !escaped && Some(c) == escape {
            out.push('\\');
            escaped = true;
        } else {
            // A backslash that is not ours is an ordinary character; one that we escaped has its backslash already.
            if c == '\\' && !escaped {
                out.push('\\');
            }
            out.push(c);
            escaped = false;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_follows_the_standard() {
        for (t, p, want) in [
            ("abc", "abc", true),
            ("abc", "a%", true),
            ("abc", "_b_", true),
            ("abc", "%c", true),
            ("abc", "%b", false),
            ("", "%", true),
            ("", "_", false),
            ("aäb", "a_b", true),
            ("a%b", "a\\%b", true),
            ("axb", "a\\%b", false),
            ("aaab", "%aab", true),
            ("mississippi", "%iss%pi", true),
            ("mississippi", "%iss%pj", false),
        ] {
            assert_eq!(like_text(t, p).unwrap(), want, "{t} LIKE {p}");
        }
        assert!(!like_text("a", "a\\").unwrap());
        assert!(like_text("ab", "a\\").is_err());
    }

    #[test]
    fn another_escape_character_is_rewritten() {
        assert_eq!(like_escape("a#%b", "#").unwrap(), "a\\%b");
        assert_eq!(like_escape("a\\b", "#").unwrap(), "a\\\\b");
        assert_eq!(like_escape("a\\%b", "").unwrap(), "a\\\\%b");
    }
}
