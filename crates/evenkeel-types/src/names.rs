//! Qualified names in text, as `to_regclass('"My Schema".t')` takes them.

/// Splits a possibly qualified, possibly quoted name into its parts, folding what is not quoted to lower case. `None` if it is not a
/// name.
pub fn split_qualified(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let mut part = String::new();
        if let Some(body) = rest.strip_prefix('"') {
            let mut chars = body.char_indices().peekable();
            let mut end = None;
            while let Some((i, c)) = chars.next() {
                if c != '"' {
                    part.push(c);
                } else if chars.peek().is_some_and(|(_, n)| *n == '"') {
                    chars.next();
                    part.push('"');
                } else {
                    end = Some(i + 1);
                    break;
                }
            }
            rest = &body[end?..];
        } else {
            // As PostgreSQL: whatever stands there, but for space and the dot.
            let end = rest.find(|c: char| c == '.' || c.is_ascii_whitespace()).unwrap_or(rest.len());
            // And where characters have several bytes.
            part = rest[..end].to_ascii_lowercase();
            rest = &rest[end..];
        }
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        rest = rest.trim_start();
        if rest.is_empty() {
            return Some(parts);
        }
        rest = rest.strip_prefix('.')?.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::split_qualified;

    #[test]
    fn names_are_split_and_folded() {
        let split = |t: &str| split_qualified(t).map(|p| p.join("|"));
        assert_eq!(split("Public.T"), Some("public|t".into()));
        assert_eq!(split("\"My \"\"S\"\"\" . t"), Some("My \"S\"|t".into()));
        assert_eq!(split("a."), None);
        assert_eq!(split("\"a"), None);
        assert_eq!(split("a b"), None);
        assert_eq!(split("1a"), Some("1a".into()));
        assert_eq!(split("S.the_'Seq'"), Some("s|the_'seq'".into()));
        assert_eq!(split(""), None);
    }
}
