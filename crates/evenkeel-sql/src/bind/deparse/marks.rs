//! Texts of expressions in which names and line breaks are not decided yet: what a relation is called depends on all the others of the query, and how far a line is
//! indented on where it stands.
//!
//! Invariants
//! 1. The marks are noncharacters: a text that has one of its own is not written at all.
//!
//! Must not know: syntax.

const RELATION: char = '\u{FDD0}';
const ROW: char = '\u{FDD1}';
const LINE: char = '\u{FDD2}';
const QUERY: char = '\u{FDD3}';
const END: char = '\u{FDD4}';
/// Around what may need parentheses (`parens`).
pub(super) const OPEN: char = '\u{FDD5}';
pub(super) const CLOSE: char = '\u{FDD6}';

/// A piece of a text.
pub(super) enum Piece<'t> {
    /// Itself.
    Plain(&'t str),
    /// A relation's name and a point, where columns are written with it.
    Qualifier(usize),
    /// All columns of a relation as one row.
    Row(usize),
    /// A new line, so many columns further in than the text.
    Line(usize),
    /// A subquery by its number; as for a line.
    Query(usize, usize),
}

/// Whether somebody's text would be taken for marks.
pub(super) fn is_marked(text: &str) -> bool {
    text.contains([RELATION, ROW, LINE, QUERY, END, OPEN, CLOSE])
}

/// Before a column of a relation.
pub(super) fn qualifier(relation: usize) -> String {
    format!("{RELATION}{relation}{END}")
}

/// A relation's row.
pub(super) fn row(relation: usize) -> String {
    format!("{ROW}{relation}{END}")
}

/// A new line.
pub(super) fn line(indent: usize) -> String {
    format!("{LINE}{indent}{END}")
}

/// A subquery.
pub(super) fn query(number: usize, indent: usize) -> String {
    format!("{QUERY}{number},{indent}{END}")
}

/// The relations that a text names.
pub(super) fn relations(text: &str) -> impl Iterator<Item = usize> {
    pieces(text).into_iter().filter_map(|p| match p {
        Piece::Qualifier(n) | Piece::Row(n) => Some(n),
        _ => None,
    })
}

/// A text's pieces.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find([RELATION, ROW, LINE, QUERY]) {
        out.push(Piece::Plain(&rest[..at]));
        let mark = rest[at..].chars().next().unwrap_or(LINE);
        let body = &rest[at + mark.len_utf8()..];
        let end = body.find(END).unwrap_or(body.len());
        let numbers: Vec<usize> = body[..end].split(',').map(|n| n.parse().unwrap_or(0)).collect();
        let first = numbers.first().copied().unwrap_or(0);
        out.push(match mark {
            RELATION => Piece::Qualifier(first),
            ROW => Piece::Row(first),
            QUERY => Piece::Query(first, numbers.get(1).copied().unwrap_or(0)),
            _ => Piece::Line(first),
        });
        rest = body[end..].strip_prefix(END).unwrap_or("");
    }
    out.push(Piece::Plain(rest));
    out
}
