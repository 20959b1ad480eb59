//! Constants in expressions that are kept, as the session writes values: `'P3Y'::interval` for `'3 years'::interval`.
//!
//! What is kept is written in the styles that are the default, so that it is read everywhere alike. Who has other ones (Rails asks for intervals as of ISO
//! 8601) reads its own in what `pg_get_expr` and its like give.
//!
//! Must not know: catalogs.

use crate::format::{DateStyle, FormatOptions, IntervalStyle};
use crate::text_io::{input_text, to_text};
use crate::ty::Type as T;
use jiff::tz::TimeZone;

/// Types whose text depends on settings, by what stands behind a constant.
const STYLED: [(&str, T); 10] = [
    ("interval[]", T::IntervalArray),
    ("interval", T::Interval),
    ("date[]", T::DateArray),
    ("date", T::Date),
    ("timestamp without time zone[]", T::TimestampArray),
    ("timestamp without time zone", T::Timestamp),
    ("timestamp with time zone[]", T::TimestamptzArray),
    ("timestamp with time zone", T::Timestamptz),
    ("bytea[]", T::ByteaArray),
    ("bytea", T::Bytea),
];

/// Behind a quote's end, from behind its beginning.
fn closed(text: &str, quote: char) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find(quote)? + 1;
        match text[at..].starts_with(quote) {
            true => at += 1,
            false => return Some(at),
        }
    }
}

fn is_styled(o: &FormatOptions) -> bool {
    o.datestyle != DateStyle::Iso
        || o.intervalstyle != IntervalStyle::Postgres
        || !o.bytea_hex
        || o.timezone != TimeZone::UTC
}

/// A kept text as a session with these settings writes it.
pub(super) fn restyled(text: String, o: &FormatOptions) -> String {
    if !is_styled(o) || !text.contains("'::") {
        return text;
    }
    let kept = FormatOptions { reg_names: None, ..FormatOptions::default() };
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = if rest[at..].starts_with('"') { '"' } else { '\'' };
        let Some(len) = closed(&rest[at + 1..], quote) else { break };
        let (inside, behind) = (&rest[at + 1..at + len], &rest[at + 1 + len..]);
        let ty =
            behind.strip_prefix("::").filter(|_| quote == '\'' && !rest[..at].ends_with(['E', 'B', 'X']));
        let ty = ty.and_then(|name| {
            let is_it = |(n, _): &&(&str, T)| {
                name.strip_prefix(n)
                    .is_some_and(|b| !b.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            };
            STYLED.iter().find(is_it).map(|t| t.1)
        });
        let styled = ty.and_then(|ty| {
            let value = input_text(&inside.replace("''", "'"), ty, -1, &kept).ok()?;
            to_text(&value, ty, -1, o).ok()
        });
        out.push_str(&rest[..at]);
        match styled {
            Some(value) => {
                out.push('\'');
                out.push_str(&value.replace('\'', "''"));
                out.push('\'');
            }
            None => out.push_str(&rest[at..at + 1 + len]),
        }
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_written_in_the_session_s_styles() {
        let o = FormatOptions {
            intervalstyle: IntervalStyle::Iso8601,
            datestyle: DateStyle::German,
            bytea_hex: false,
            ..FormatOptions::default()
        };
        for (kept, shown) in [
            ("'3 years'::interval", "'P3Y'::interval"),
            (
                "(a > '1 day 02:00:00'::interval(3)) AND (b = '2000-02-01'::date)",
                "(a > 'P1DT2H'::interval(3)) AND (b = '01.02.2000'::date)",
            ),
            ("'{\"1 day\",\"2 years\"}'::interval[]", "'{P1D,P2Y}'::interval[]"),
            (
                "'it''s ''1 day''::interval'::text || '\\x01'::bytea",
                "'it''s ''1 day''::interval'::text || '\\001'::bytea",
            ),
            ("\"'\"::interval = '1 day'::intervals", "\"'\"::interval = '1 day'::intervals"),
            ("'1 day'::interval AND 'x", "'P1D'::interval AND 'x"),
        ] {
            assert_eq!(restyled(kept.to_owned(), &o), shown);
            assert_eq!(restyled(kept.to_owned(), &FormatOptions::default()), kept);
        }
    }
}
