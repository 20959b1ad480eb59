//! Expressions without the parentheses that PostgreSQL leaves out when it prints prettily.
//!
//! Must not know: what they are of.

/// Where the parenthesis that opens at the front is closed.
fn closed_at(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let (mut depth, mut quote) = (0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether all of it stands in parentheses.
pub fn is_enclosed(text: &str) -> bool {
    closed_at(text).is_some_and(|at| at + 1 == text.len())
}

fn inside(text: &str) -> &str {
    if is_enclosed(text) { &text[1..text.len() - 1] } else { text }
}

/// The parts between a word, outside of parentheses and quotes.
fn split<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let (mut depth, mut quote, mut from, mut parts) = (0usize, None, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, ' ') if depth == 0 && at >= from && text[at..].starts_with(word) => {
                parts.push(&text[from..at]);
                from = at + word.len();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// `a::text` for `(a)::text`.
fn casts(kept: &str) -> String {
    let mut out = String::with_capacity(kept.len());
    let mut rest = kept;
    while let Some(at) = rest.find('(') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = from.find(')').unwrap_or(0);
        let name = from.get(1..end).unwrap_or("");
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let is_call = out.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '"');
        if is_name && !is_call && from[end..].starts_with(")::") {
            out.push_str(name);
            rest = &from[end + 1..];
        } else {
            out.push('(');
            rest = &from[1..];
        }
    }
    out + rest
}

/// An expression as it is kept, printed prettily.
pub fn pretty_text(kept: &str) -> String {
    let kept = &casts(kept);
    let text = inside(kept);
    let (and, or) = (split(text, " AND "), split(text, " OR "));
    let (parts, word) = match (and.len(), or.len()) {
        (1, 1) => return text.to_owned(),
        (_, 1) => (and, " AND "),
        (1, _) => (or, " OR "),
        _ => return kept.to_owned(),
    };
    let part = |p: &&str| {
        let own = pretty_text(p);
        let of_list = [" = ANY (", " <> ALL ("].iter().any(|o| split(&own, o).len() > 1);
        if of_list || word == " AND " && split(&own, " OR ").len() > 1 { format!("({own})") } else { own }
    };
    parts.iter().map(part).collect::<Vec<_>>().join(word)
}
