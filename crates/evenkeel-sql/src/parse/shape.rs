//! The shape of a statement: its text with the literals taken out.
//!
//! Clients that write values into the text send the same statement again and again with other values. Its shape is the same, and a statement with
//! parameters, so that what was made of it once can be used again.
//!
//! Invariants:
//! 1. A literal is taken out only where a parameter of the literal's type would mean the same: compared with something, added to a column or taken
//!    from one, or an element of the VALUES of an INSERT; and only if nothing binds it closer (a cast, an operator of a higher rank).
//! 2. Whatever is not surely understood stays in the text; a text with a comment, a parameter or several statements has no shape.
//!
//! Must not know: the grammar beyond that; what the statement means.

use std::fmt::Write;

use evenkeel_types::Type;

/// The most literals taken out of one statement.
const LITERALS_MAX: usize = 64;

/// A statement without its literals.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape<'a> {
    /// The text, with `$1` and so on for the literals.
    pub text: String,
    /// What was taken out.
    pub literals: Vec<Literal<'a>>,
}

/// A literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal<'a> {
    /// As it is spelled; of a string what is between its quotes.
    pub text: &'a str,
    /// What it is.
    pub kind: Kind,
}

/// Kinds of literals, by the type that they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number without a point, of one type or the other by its size.
    Int4,
    /// See `Int4`.
    Int8,
    /// A number with a point.
    Numeric,
    /// A string, whose type is not known; in it quotes are doubled.
    String,
}

impl Kind {
    /// Its type, if it has one.
    pub fn ty(self) -> Option<Type> {
        match self {
            Kind::Int4 => Some(Type::Int4),
            Kind::Int8 => Some(Type::Int8),
            Kind::Numeric => Some(Type::Numeric),
            Kind::String => None,
        }
    }
}

/// What the last token was, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Begin,
    /// A name, or a word that is none of the following.
    Name,
    /// BETWEEN, and the AND that may belong to it.
    Between,
    /// `=`, `<` and their like.
    Comparison,
    /// `+` or `-`.
    Sum,
    /// `(`
    Open,
    Comma,
    Other,
}

struct Scan<'a> {
    sql: &'a str,
    at: usize,
    last: Last,
    before_last: Last,
    depth: u32,
    is_insert: bool,
    /// Within VALUES of an INSERT.
    in_values: bool,
    text: String,
    /// Up to where the text is in `text`.
    copied: usize,
    literals: Vec<Literal<'a>>,
}

/// The shape of a statement; None: it has none, or no literal.
pub fn of(sql: &str) -> Option<Shape<'_>> {
    let mut s = Scan {
        sql,
        at: 0,
        last: Last::Begin,
        before_last: Last::Begin,
        depth: 0,
        is_insert: false,
        in_values: false,
        text: String::new(),
        copied: 0,
        literals: Vec::new(),
    };
    s.run()?;
    if s.literals.is_empty() {
        return None;
    }
    s.text.push_str(&sql[s.copied..]);
    Some(Shape { text: s.text, literals: s.literals })
}

fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

impl<'a> Scan<'a> {
    fn byte(&self, at: usize) -> u8 {
        self.sql.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn skip_blanks(&mut self) {
        while matches!(self.byte(self.at), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn word_at(&self, at: usize) -> &'a str {
        let rest = &self.sql.as_bytes()[at..];
        let end = at + rest.iter().take_while(|b| is_word_byte(**b)).count();
        &self.sql[at..end]
    }

    fn run(&mut self) -> Option<()> {
        loop {
            self.skip_blanks();
            if self.at == self.sql.len() {
                return Some(());
            }
            let b = self.byte(self.at);
            let now = match b {
                b'0'..=b'9' => {
                    let from = self.at;
                    self.number(from)?
                }
                b'\'' => self.string()?,
                b'"' => {
                    self.at = self.quoted(b'"')?;
                    Last::Name
                }
                _ if is_word_byte(b) => self.word()?,
                b';' => {
                    self.at += 1;
                    self.skip_blanks();
                    // Another statement follows, or not.
                    return (self.at == self.sql.len()).then_some(());
                }
                _ => self.sign(b)?,
            };
            if self.last == Last::Begin && now != Last::Name {
                return None;
            }
            self.before_last = std::mem::replace(&mut self.last, now);
        }
    }

    fn word(&mut self) -> Option<Last> {
        let word = self.word_at(self.at);
        self.at += word.len();
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        if self.byte(self.at) == b'\'' {
            return None; // E'…' and its like
        }
        if self.last == Last::Begin {
            self.is_insert = is("insert");
            return (self.is_insert || is("select") || is("update") || is("delete")).then_some(Last::Name);
        }
        if self.is_insert && self.depth == 0 {
            self.in_values = is("values");
        }
        Some(match () {
            () if is("between") || is("and") => Last::Between,
            () if is("then") || is("else") || is("when") || is("where") || is("set") => Last::Other,
            () => Last::Name,
        })
    }

    fn sign(&mut self, b: u8) -> Option<Last> {
        let next = self.byte(self.at + 1);
        // Operators are as long as they can be.
        let is_operator = |b: u8| b"+-*/<>=~!@#%^&|`?".contains(&b);
        if is_operator(b) {
            let bytes = self.sql.as_bytes();
            let end = self.at + bytes[self.at..].iter().take_while(|b| is_operator(**b)).count();
            let operator = &self.sql[self.at..end];
            if operator.contains("--") || operator.contains("/*") {
                return None;
            }
            let is_operand_before = matches!(self.last, Last::Name | Last::Other);
            if operator == "-" && !is_operand_before && next.is_ascii_digit() {
                return self.number(self.at);
            }
            // `=-5` is written by those who put a value behind a sign.
            if operator.len() > 1 && operator.ends_with('-') && next != 0 {
                return None;
            }
            self.at = end;
            return Some(match operator {
                "=" | "<" | ">" | "<=" | ">=" | "<>" | "!=" => Last::Comparison,
                "+" | "-" => Last::Sum,
                _ => Last::Other,
            });
        }
        self.at += 1;
        match b {
            b'(' => {
                self.depth += 1;
                Some(Last::Open)
            }
            b')' => {
                self.depth = self.depth.checked_sub(1)?;
                Some(Last::Other)
            }
            b',' => Some(Last::Comma),
            b'.' => Some(Last::Other),
            b':' | b'[' | b']' => Some(Last::Other),
            _ => None,
        }
    }

    /// The end of what is quoted here.
    fn quoted(&self, quote: u8) -> Option<usize> {
        let bytes = self.sql.as_bytes();
        let mut at = self.at + 1;
        loop {
            at += memchr::memchr(quote, bytes.get(at..)?)? + 1;
            if bytes.get(at) != Some(&quote) {
                return Some(at);
            }
            at += 1;
        }
    }

    fn number(&mut self, from: usize) -> Option<Last> {
        let digits_at = from + usize::from(self.byte(from) == b'-');
        let digits = |at: usize| self.sql.as_bytes()[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let whole = digits(digits_at);
        let mut end = digits_at + whole;
        let mut kind = match self.sql[digits_at..end].parse::<u64>() {
            Ok(n) if n <= i32::MAX as u64 => Kind::Int4,
            Ok(n) if n <= i64::MAX as u64 => Kind::Int8,
            _ => Kind::Numeric,
        };
        if self.byte(end) == b'.' {
            end += 1 + digits(end + 1);
            kind = Kind::Numeric;
        }
        if is_word_byte(self.byte(end)) || self.byte(end) == b'.' {
            return None; // 1e5, 0x1F, 1_000, and what is none at all
        }
        self.at = end;
        self.literal(from, end, Literal { text: &self.sql[from..end], kind });
        Some(Last::Other)
    }

    fn string(&mut self) -> Option<Last> {
        let (from, end) = (self.at, self.quoted(b'\'')?);
        self.at = end;
        self.literal(from, end, Literal { text: &self.sql[from + 1..end - 1], kind: Kind::String });
        Some(Last::Other)
    }

    /// A literal, which stands from here to there: taken out, or left. (1)
    fn literal(&mut self, from: usize, to: usize, literal: Literal<'a>) {
        let allowed = match self.last {
            Last::Comparison | Last::Between => true,
            Last::Sum => self.before_last == Last::Name && literal.kind != Kind::String,
            Last::Open | Last::Comma => self.in_values && self.depth == 1,
            _ => false,
        };
        if !allowed || self.literals.len() == LITERALS_MAX || !self.ends_operand() {
            return;
        }
        self.literals.push(literal);
        self.text.push_str(&self.sql[self.copied..from]);
        // Apart from what may stand before it.
        let _ = write!(self.text, " ${}", self.literals.len());
        self.copied = to;
    }

    /// Whether nothing that follows takes what is before it as its operand, but what binds less than a comparison.
    fn ends_operand(&mut self) -> bool {
        let before = self.at;
        self.skip_blanks();
        let at = std::mem::replace(&mut self.at, before);
        match self.byte(at) {
            0 => at == self.sql.len(),
            b')' | b',' | b';' => true,
            _ => {
                let word = self.word_at(at);
                ["and", "or", "where", "order", "from", "on", "returning", "limit", "for"]
                    .iter()
                    .any(|w| word.eq_ignore_ascii_case(w))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(sql: &str) -> Option<(String, Vec<(Kind, &str)>)> {
        of(sql).map(|s| (s.text, s.literals.iter().map(|l| (l.kind, l.text)).collect()))
    }

    #[track_caller]
    fn is(sql: &str, text: &str, literals: &[(Kind, &str)]) {
        assert_eq!(shape(sql), Some((text.into(), literals.to_vec())), "{sql}");
    }

    #[test]
    fn what_is_compared_added_or_inserted_is_taken_out() {
        use Kind::{Int4, Int8, Numeric, String};
        is("SELECT a FROM t WHERE id = 17;", "SELECT a FROM t WHERE id =  $1;", &[(Int4, "17")]);
        is(
            "update t set n = n + -5, m = m-3 where a='it''s' and b>=2147483648",
            "update t set n = n +  $1, m = m- $2 where a= $3 and b>= $4",
            &[(Int4, "-5"), (Int4, "3"), (String, "it''s"), (Int8, "2147483648")],
        );
        is(
            "INSERT INTO t (a, b, c) VALUES (1, 'x', f(2, 3)), (-4, 1.50, now()) ON CONFLICT (a) DO NOTHING",
            "INSERT INTO t (a, b, c) VALUES ( $1,  $2, f(2, 3)), ( $3,  $4, now()) ON CONFLICT (a) DO NOTHING",
            &[(Int4, "1"), (String, "x"), (Int4, "-4"), (Numeric, "1.50")],
        );
        is(
            "delete from \"T\" where a between 1 and 2 or b = 'y' returning 5",
            "delete from \"T\" where a between  $1 and  $2 or b =  $3 returning 5",
            &[(Int4, "1"), (Int4, "2"), (String, "y")],
        );
    }

    #[test]
    fn what_something_else_binds_or_takes_by_its_place_stays() {
        for sql in [
            "select 1",
            "select a from t order by 1",
            "select a from t where b = '2020-01-01'::date",
            "select a from t where b = 5 * c",
            "select a from t where b = c * 5",
            "select a from t where b in (1, 2) limit 5",
            "select a from t where (b, c) = (1, 2)",
            "select a from t where b like 'x%'",
            "select a from t where b = 1 = c",
            "select a from t where b = (1 + 2)",
            "select a from t where b = c || 'x'",
            "select a from t where b = 'x' collate \"C\"",
            "select a from t where b + 'x' is null",
            "insert into t select 1, 'x' from u",
            "insert into t (a) values (f(1, 'x'))",
        ] {
            assert_eq!(shape(sql), None, "{sql}");
        }
    }

    #[test]
    fn what_is_not_surely_understood_has_no_shape() {
        for sql in [
            "select a from t where b = 1; select 2",
            "select a from t where b = 1 -- and so on",
            "select a from t where b = 1 /* and so on */",
            "select a from t where b = $1 and c = 1",
            "select a from t where b = e'\\n' and c = 1",
            "select a from t where b = 'open and c = 1",
            "select a from t where b = 1e5 and c = 1",
            "select a from t where b = $$x$$ and c = 1",
            "select a from t where b = 1) and c = 1",
            "with x as (select 1) select * from x where a = 1",
            "set a = 1",
            "explain select a from t where b = 1",
            "",
            "é",
        ] {
            assert_eq!(shape(sql), None, "{sql}");
        }
        // It is the statement that refuses it then.
        assert!(shape("select a from t where é = 'ö'").is_some());
    }
}
