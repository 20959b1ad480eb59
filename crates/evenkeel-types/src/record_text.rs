//! Rows of composite types, read from text: `(1,"a ""b""",)`.
//!
//! As PostgreSQL reads them: a field that is empty is NULL, quotes may stand anywhere in one, and what the fields are the type's attributes tell.
//!
//! Must not know: catalogs.

use super::cast::{CastContext, cast};
use super::datum::{Datum, RecordDatum};
use super::format::FormatOptions;
use super::ty::Type;
use super::user;
use crate::error::{SqlError, SqlState};
use std::sync::Arc;

/// What is shown of a text that is not a row.
const SHOWN_BYTES: usize = 64 << 10;

fn malformed(s: &str, detail: &str) -> SqlError {
    let shown = &s[..s.floor_char_boundary(SHOWN_BYTES)];
    SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, format!("malformed record literal: \"{shown}\""))
        .with_detail(detail)
}

/// Reads a row of the composite type with an OID.
pub fn parse(s: &str, oid: u32, o: &FormatOptions) -> Result<Datum, SqlError> {
    let attributes = user::attributes(oid, o.reg_names.as_ref())?;
    let is_space = |c: char| c.is_ascii_whitespace() || c == '\x0b';
    let Some(mut rest) = s.trim_start_matches(is_space).strip_prefix('(') else {
        return Err(malformed(s, "Missing left parenthesis."));
    };
    let (mut types, mut values) = (Vec::new(), Vec::new());
    for (n, a) in attributes.iter().enumerate() {
        if n > 0 {
            rest = rest.strip_prefix(',').ok_or_else(|| malformed(s, "Too few columns."))?;
        }
        let field;
        (field, rest) = next_field(s, rest)?;
        values.push(match field {
            None => Datum::Null,
            Some(text) => {
                cast(Datum::text(&text), Type::Unknown, a.ty, a.typmod, CastContext::Assignment, o)?
            }
        });
        types.push(a.ty);
    }
    if rest.starts_with(',') {
        return Err(malformed(s, "Too many columns."));
    }
    let rest = rest.strip_prefix(')').ok_or_else(|| malformed(s, "Too many columns."))?;
    if !rest.trim_start_matches(is_space).is_empty() {
        return Err(malformed(s, "Junk after right parenthesis."));
    }
    Ok(Datum::Record(Arc::new(RecordDatum { types, values, names: None, of: oid })))
}

/// A field's text, None for NULL, and what stands behind it.
fn next_field<'a>(whole: &str, rest: &'a str) -> Result<(Option<String>, &'a str), SqlError> {
    if rest.starts_with([',', ')']) {
        return Ok((None, rest));
    }
    let ended = || malformed(whole, "Unexpected end of input.");
    let (mut text, mut in_quotes) = (String::new(), false);
    let mut chars = rest.char_indices();
    loop {
        let (at, c) = chars.next().ok_or_else(ended)?;
        match c {
            ',' | ')' if !in_quotes => return Ok((Some(text), &rest[at..])),
            '\\' => text.push(chars.next().ok_or_else(ended)?.1),
            '"' if in_quotes && chars.as_str().starts_with('"') => {
                chars.next();
                text.push('"');
            }
            '"' => in_quotes = !in_quotes,
            c => text.push(c),
        }
    }
}
