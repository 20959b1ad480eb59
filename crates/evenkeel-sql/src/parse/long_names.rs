//! Names that are longer than names may be, and are cut.
//!
//! Must not know: what they name.

use super::cursor::fold;
use super::tokenize;
use sqlparser::tokenizer::Token;

/// Bytes of a name.
const NAME_BYTES_MAX: usize = 63;

/// What a notice says of each name in a string of statements that is cut, in their order.
pub(crate) fn notices(sql: &str) -> Vec<String> {
    if !may_have_any(sql.as_bytes()) {
        return Vec::new();
    }
    let Ok(tokens) = tokenize(sql) else { return Vec::new() };
    let cut = tokens.iter().filter_map(|t| match &t.token {
        Token::Word(w) if w.value.len() > NAME_BYTES_MAX => {
            let is_quoted = w.quote_style.is_some();
            let whole = if is_quoted { w.value.clone() } else { w.value.to_ascii_lowercase() };
            Some(format!("identifier \"{whole}\" will be truncated to \"{}\"", fold(&w.value, is_quoted)))
        }
        _ => None,
    });
    cut.collect()
}

/// A look at few bytes: a run of as many that names are made of has one among every so many. Names in quotes may have anything in them.
fn may_have_any(sql: &[u8]) -> bool {
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || !b.is_ascii();
    let is_long = |at: usize| {
        let before = sql[..at].iter().rev().take_while(|b| is_of_name(b)).count();
        before + sql[at..].iter().take(NAME_BYTES_MAX + 1).take_while(|b| is_of_name(b)).count()
            > NAME_BYTES_MAX
    };
    if (NAME_BYTES_MAX..sql.len()).step_by(NAME_BYTES_MAX + 1).any(|at| is_of_name(&sql[at]) && is_long(at)) {
        return true;
    }
    let (mut last, mut at) = (None, 0);
    while let Some(n) = sql[at..].iter().position(|b| *b == b'"').map(|n| at + n) {
        // Two of them are one within a name.
        if last.is_some() && sql.get(n + 1) == Some(&b'"') {
            at = n + 2;
            continue;
        }
        if last.is_some_and(|last| n - last > NAME_BYTES_MAX + 1) {
            return true;
        }
        (last, at) = (Some(n), n + 1);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_cut_are_told_of() {
        let (fits, long) = ("a".repeat(63), "B".repeat(64));
        assert!(notices(&format!("select 1 as {fits}, '{long}', \"{fits}\" -- {long}")).is_empty());
        let cut = format!("identifier \"{}\" will be truncated to \"{}\"", "b".repeat(64), "b".repeat(63));
        for before in 0..70 {
            let sql = format!("select {} 1 as {long}", " ".repeat(before));
            assert_eq!(notices(&sql), std::slice::from_ref(&cut));
        }
        let spaced = format!("\"{}\"", "x ".repeat(32));
        assert_eq!(notices(&format!("select 1 as {spaced}, 2 as {spaced}")).len(), 2);
        let doubled = format!("\"{}\"", "x\"\"".repeat(33));
        assert_eq!(notices(&format!("select 1 as {doubled}")).len(), 1);
        // Bytes count, and no character is cut in two.
        let wide = "ü".repeat(32);
        assert_eq!(
            notices(&format!("select 1 as {wide}")),
            [format!("identifier \"{wide}\" will be truncated to \"{}\"", "ü".repeat(31))]
        );
    }
}
