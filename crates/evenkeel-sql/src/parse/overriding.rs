//! `INSERT INTO … OVERRIDING SYSTEM VALUE` becomes `INSERT OVERWRITE INTO …`, that of USER VALUE `INSERT OR ABORT OVERWRITE INTO …`: sqlparser has words of others
//! there, which nobody who writes them gets as far as to the binder with.
//!
//! Must not know: what the statement means.

use super::cursor::is_word;
use super::rewrite::word;
use sqlparser::tokenizer::TokenWithSpan;

/// Marks the INSERT in `out` that three words are of, if they are those.
pub(super) fn mark(words: &[TokenWithSpan], out: &mut Vec<TokenWithSpan>) -> bool {
    let is = |t: &TokenWithSpan, name: &str| is_word(Some(&t.token), name);
    let [first, whose, value, next, ..] = words else { return false };
    // DEFAULT VALUES gives nothing that could be overridden.
    if !is(first, "overriding") || !is(value, "value") || is(next, "default") {
        return false;
    }
    let marks: &[&str] = match () {
        () if is(whose, "system") => &["OVERWRITE"],
        () if is(whose, "user") => &["OR", "ABORT", "OVERWRITE"],
        () => return false,
    };
    let insert = out.windows(2).rposition(|w| is(&w[0], "insert") && is(&w[1], "into"));
    let Some(insert) = insert else { return false };
    out.splice(insert + 1..insert + 1, marks.iter().map(|mark| word(mark, first)));
    true
}
