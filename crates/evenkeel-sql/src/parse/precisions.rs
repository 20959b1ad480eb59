//! Precisions of times that are greater than six digits behind the point, which is all that a time has.
//!
//! Must not know: what has the type.

use super::cursor::is_word;
use super::tokenize;
use sqlparser::tokenizer::Token;

/// Digits behind the point.
const PRECISION_MAX: u64 = 6;

/// What a warning says of each precision in a string of statements that is reduced, in their order.
pub(crate) fn warnings(sql: &str) -> Vec<String> {
    if !may_have_any(sql.as_bytes()) {
        return Vec::new();
    }
    let Ok(tokens) = tokenize(sql) else { return Vec::new() };
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let is = |n: usize, words: &[&str]| words.iter().any(|w| is_word(at(n), w));
    let mut found = Vec::new();
    for n in 0..tokens.len() {
        let (Some(Token::LParen), Some(Token::Number(digits, _)), Some(Token::RParen)) =
            (at(n + 1), at(n + 2), at(n + 3))
        else {
            continue;
        };
        let Ok(precision) = digits.parse::<u64>() else { continue };
        if precision <= PRECISION_MAX || i32::try_from(precision).is_err() {
            continue;
        }
        let is_zoned = is(n + 4, &["with"]) && is(n + 5, &["time"]);
        let kind = if is(n, &["timestamp", "localtimestamp"]) {
            ("TIMESTAMP", is_zoned)
        } else if is(n, &["timestamptz", "current_timestamp"]) {
            ("TIMESTAMP", true)
        } else if is(n, &["time", "localtime"]) {
            ("TIME", is_zoned)
        } else if is(n, &["timetz", "current_time"]) {
            ("TIME", true)
        } else if is(n, &["interval"]) || is(n, &["second"]) && is_interval(&at, n) {
            ("INTERVAL", false)
        } else {
            continue;
        };
        let zone = if kind.1 { " WITH TIME ZONE" } else { "" };
        let what = kind.0;
        found
            .push(format!("{what}({precision}){zone} precision reduced to maximum allowed, {PRECISION_MAX}"));
    }
    found
}

/// Whether the fields of an interval end with a second that stands here: `interval second`, `interval day to second`.
fn is_interval<'t>(at: &impl Fn(usize) -> Option<&'t Token>, n: usize) -> bool {
    let is = |back: usize, word: &str| n >= back && is_word(at(n - back), word);
    is(1, "interval") || is(1, "to") && is(3, "interval")
}

/// A look at bytes: a number of more than one digit, or a large one, alone in parentheses behind a word.
fn may_have_any(sql: &[u8]) -> bool {
    let mut at = 0;
    while let Some(n) = sql[at..].iter().position(|b| *b == b'(').map(|n| at + n) {
        at = n + 1;
        let blanks = |from: usize| sql[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let from = at + blanks(at);
        let digits = sql[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let is_large = digits > 1 || digits == 1 && sql[from] > b'6';
        if !is_large || sql.get(from + digits + blanks(from + digits)) != Some(&b')') {
            continue;
        }
        let before = sql[..n].trim_ascii_end();
        let word = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let word = before[before.len() - word..].to_ascii_lowercase();
        if [&b"time"[..], b"interval", b"second"].iter().any(|w| word.windows(w.len()).any(|part| part == *w))
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::warnings;

    #[test]
    fn what_is_reduced_is_told_of_and_nothing_else() {
        let told = "create table t (a TIMESTAMP ( 9 ), b time(7) with time zone, c interval day to second(8), d timestamptz(10))";
        assert_eq!(
            warnings(told),
            [
                "TIMESTAMP(9) precision reduced to maximum allowed, 6",
                "TIME(7) WITH TIME ZONE precision reduced to maximum allowed, 6",
                "INTERVAL(8) precision reduced to maximum allowed, 6",
                "TIMESTAMP(10) WITH TIME ZONE precision reduced to maximum allowed, 6",
            ]
        );
        for sql in [
            "select 'timestamp(9)'",
            "select \"time\"(9)",
            "select a.f(9), varchar(12), time(6)",
            "(",
            "time(9",
        ] {
            assert_eq!(warnings(sql), Vec::<String>::new(), "{sql}");
        }
    }
}
