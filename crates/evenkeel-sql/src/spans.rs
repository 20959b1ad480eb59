//! What statements took, part by part, for whoever traces them.
//!
//! Invariants:
//! 1. A statement that nobody traces costs one look; one that is not sampled a look for `traceparent` and a random number besides.
//! 2. The text has no literals, as it is counted by `pg_stat_statements`: neither passwords nor values leave the server by this way.
//!
//! Must not know: where spans go, and in which form.

use crate::parse::normal;
use std::time::Duration;

/// An execution of a statement.
#[derive(Clone, Debug)]
pub struct StatementSpan {
    /// When it began, microseconds since 2000-01-01 UTC.
    pub began_us: i64,
    /// How long it ran.
    pub ran: Duration,
    /// When its answer was sent, from the beginning on: what it tells of was durable by then, on standbys too as far as the session asks for that.
    pub answered: Duration,
    /// Its first word, in upper case.
    pub operation: String,
    /// Its normal text, without literals.
    pub text: String,
    /// Its number, as `pg_stat_statements` has it.
    pub number: Option<i64>,
    /// Rows that it gave or changed.
    pub rows: u64,
    /// The SQLSTATE that it failed with.
    pub error: Option<String>,
    /// Where.
    pub database: String,
    /// Who has logged in.
    pub user: String,
    /// What the client calls itself.
    pub application_name: String,
    /// The session's number.
    pub pid: i32,
    /// What the client's own trace says, by a comment in the statement.
    pub parent: Option<TraceParent>,
}

/// The span of a client that a statement is a part of, as `traceparent` of W3C's Trace Context has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: u128,
    /// The client's span.
    pub span: u64,
    /// The client keeps this trace.
    pub is_sampled: bool,
}

/// Takes spans.
pub trait TellSpans: Send + Sync {
    /// Which share of statements is wanted, of those that are no part of a client's trace.
    fn rate(&self) -> f64;
    /// Takes one. Must not block.
    fn tell(&self, span: StatementSpan);
}

/// What a comment of the statement says, in the manner of sqlcommenter: `/*traceparent='00-…-…-01'*/`.
pub(crate) fn parent_of(text: &str) -> Option<TraceParent> {
    const NAME: &[u8] = b"traceparent='";
    let at = memchr::memmem::rfind(text.as_bytes(), NAME)? + NAME.len();
    let value = text.get(at..)?.split('\'').next()?;
    let mut parts = value.split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |s: &str, len| s.len() == len && s.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_hex(version, 2) || !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let (trace, span) = (u128::from_str_radix(trace, 16).ok()?, u64::from_str_radix(span, 16).ok()?);
    let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
    // Both are invalid as zero.
    (trace != 0 && span != 0).then_some(TraceParent { trace, span, is_sampled })
}

/// A statement's first word.
pub(crate) fn operation_of(text: &str) -> String {
    let normal = text.trim_start();
    let word = normal.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    word.to_ascii_uppercase()
}

/// (2)
pub(crate) fn text_of(text: &str) -> String {
    normal::of(text).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_the_clients_span() {
        let of = |flags: &str| {
            parent_of(&format!(
                "select 1 /*route='%2Fa',traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-{flags}'*/"
            ))
        };
        let found = of("01").unwrap();
        assert_eq!(found.trace, 0x5bd6_6ef5_0953_69c7_b0d1_f8f4_bd33_716a);
        assert_eq!(found.span, 0xc532_cb40_98ac_3dd2);
        assert!(found.is_sampled);
        assert!(!of("00").unwrap().is_sampled);
        for wrong in
            ["select 1", "/*traceparent='00-0-0-01'*/", "/*traceparent='", "/*traceparent='00-é-é-01'*/"]
        {
            assert_eq!(parent_of(wrong), None, "{wrong}");
        }
        let zeros = format!("/*traceparent='00-{}-{}-01'*/", "0".repeat(32), "0".repeat(16));
        assert_eq!(parent_of(&zeros), None);
    }
}
