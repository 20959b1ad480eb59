//! A statement as it is counted: its text with parameters in place of its literals, and a number that all statements with that text have
//! (`pg_stat_statements`, `pg_stat_activity.query_id`).
//!
//! PostgreSQL makes both of the analysed tree; here they are made of the text, without parsing it: what a statement is counted as does not depend on tables.
//!
//! Invariants:
//! 1. The number does not depend on literals, comments, blanks, nor on the case of words without quotes.
//! 2. No literal is left in the text, so no password either: what stands in quotes is one, whatever the statement is. Numbers that belong to a type or name
//!    a column of the result stay: `varchar(10)`, `ORDER BY 1`.
//! 3. Any text is taken; what ends within a literal or a comment ends there.
//! 4. What it takes is bounded: of a long text the first part stands for all of it.
//!
//! Must not know: the grammar beyond tokens.

/// So much of a text is looked at, in bytes. (4)
const READ_BYTES_MAX: usize = 64 << 10;
/// The longest text that is kept, in bytes: there are some thousands of them.
const TEXT_BYTES_MAX: usize = 8 << 10;

/// A statement as it is counted.
#[derive(Debug, PartialEq, Eq)]
pub struct Normal {
    /// The number; never 0.
    pub id: i64,
    /// The text.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    /// A name or a keyword, without quotes.
    Word,
    /// A name in quotes.
    Quoted,
    /// A number, string or bit string.
    Literal,
    /// `$1`
    Param,
    /// One byte of anything else.
    Other(u8),
}

/// A token and where it is.
#[derive(Clone, Copy)]
struct Span {
    token: Token,
    from: usize,
    to: usize,
}

fn is_word_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b >= 0x80
}

fn is_word(b: u8) -> bool {
    is_word_start(b) || b.is_ascii_digit() || b == b'$'
}

/// Where the tokens are.
struct Scan<'a> {
    sql: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.sql.get(at).copied().unwrap_or(0)
    }

    fn while_at(&self, mut at: usize, is: impl Fn(u8) -> bool) -> usize {
        while at < self.sql.len() && is(self.sql[at]) {
            at += 1;
        }
        at
    }

    /// Behind blanks and comments.
    fn skip(&mut self) {
        loop {
            self.at = self.while_at(self.at, |b| b.is_ascii_whitespace() || b == 0x0b);
            match (self.byte(self.at), self.byte(self.at + 1)) {
                (b'-', b'-') => self.at = self.while_at(self.at, |b| b != b'\n'),
                (b'/', b'*') => {
                    let (mut at, mut depth) = (self.at + 2, 1usize);
                    while depth > 0 && at < self.sql.len() {
                        match (self.byte(at), self.byte(at + 1)) {
                            (b'/', b'*') => (at, depth) = (at + 2, depth + 1),
                            (b'*', b'/') => (at, depth) = (at + 2, depth - 1),
                            _ => at += 1,
                        }
                    }
                    self.at = at.min(self.sql.len());
                }
                _ => return,
            }
        }
    }

    /// Behind what stands in quotes from `at` on; a quote twice is one of it, as is, with `escapes`, one behind a backslash.
    fn quoted(&self, mut at: usize, escapes: bool) -> usize {
        let quote = self.byte(at);
        at += 1;
        while at < self.sql.len() {
            match self.sql[at] {
                b'\\' if escapes => at += 2,
                b if b == quote && self.byte(at + 1) == quote => at += 2,
                b if b == quote => return at + 1,
                _ => at += 1,
            }
        }
        self.sql.len()
    }

    /// Behind a string in dollars that begins at `at`, if one does.
    fn dollars(&self, at: usize) -> Option<usize> {
        let tag = self.while_at(at + 1, |b| is_word(b) && b != b'$');
        if self.byte(tag) != b'$' || self.byte(at + 1).is_ascii_digit() {
            return None;
        }
        let mark = &self.sql[at..=tag];
        let rest = &self.sql[tag + 1..];
        let found = memchr::memmem::find(rest, mark);
        Some(found.map_or(self.sql.len(), |n| tag + 1 + n + mark.len()))
    }

    fn number(&self, from: usize) -> usize {
        let mut at = self.while_at(from, |b| b.is_ascii_alphanumeric() || b == b'_');
        if self.byte(at) == b'.' && self.byte(at + 1) != b'.' {
            at = self.while_at(at + 1, |b| b.is_ascii_alphanumeric() || b == b'_');
        }
        let is_exponent = matches!(self.byte(at - 1), b'e' | b'E') && matches!(self.byte(at), b'+' | b'-');
        if is_exponent && self.byte(at + 1).is_ascii_digit() && !matches!(self.byte(from + 1), b'x' | b'X') {
            at = self.while_at(at + 1, |b| b.is_ascii_digit());
        }
        at
    }

    fn next(&mut self) -> Option<Span> {
        self.skip();
        let from = self.at;
        let b = *self.sql.get(from)?;
        let quote_behind = self.byte(from + 1) == b'\'';
        let (token, to) = match b {
            b'e' | b'E' if quote_behind => (Token::Literal, self.quoted(from + 1, true)),
            b'b' | b'B' | b'x' | b'X' | b'n' | b'N' if quote_behind => {
                (Token::Literal, self.quoted(from + 1, false))
            }
            b'u' | b'U' if self.byte(from + 1) == b'&' && self.byte(from + 2) == b'\'' => {
                (Token::Literal, self.quoted(from + 2, false))
            }
            b'u' | b'U' if self.byte(from + 1) == b'&' && self.byte(from + 2) == b'"' => {
                (Token::Quoted, self.quoted(from + 2, false))
            }
            b'\'' => (Token::Literal, self.quoted(from, false)),
            b'"' => (Token::Quoted, self.quoted(from, false)),
            b'$' if self.byte(from + 1).is_ascii_digit() => {
                (Token::Param, self.while_at(from + 1, |b| b.is_ascii_digit()))
            }
            b'$' => match self.dollars(from) {
                Some(to) => (Token::Literal, to),
                None => (Token::Other(b), from + 1),
            },
            b'0'..=b'9' => (Token::Literal, self.number(from)),
            b'.' if self.byte(from + 1).is_ascii_digit() => (Token::Literal, self.number(from)),
            b if is_word_start(b) => (Token::Word, self.while_at(from, is_word)),
            b => (Token::Other(b), from + 1),
        };
        self.at = to.min(self.sql.len());
        Some(Span { token, from, to: self.at })
    }
}

/// Types with numbers of their own.
const TYPES: &[&str] = &[
    "bit",
    "bpchar",
    "char",
    "character",
    "dec",
    "decimal",
    "float",
    "interval",
    "numeric",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "varbit",
    "varchar",
    "varying",
];

/// Words behind which a minus begins a number.
const BEFORE_VALUES: &[&str] = &[
    "all",
    "and",
    "any",
    "between",
    "by",
    "case",
    "distinct",
    "else",
    "from",
    "having",
    "in",
    "like",
    "limit",
    "not",
    "offset",
    "on",
    "or",
    "returning",
    "select",
    "set",
    "then",
    "to",
    "values",
    "when",
    "where",
];

/// Words that end ORDER BY and GROUP BY.
const AFTER_BY: &[&str] = &[
    "except",
    "fetch",
    "for",
    "having",
    "intersect",
    "limit",
    "offset",
    "order",
    "range",
    "rows",
    "select",
    "union",
    "window",
];

struct Tokens<'a> {
    sql: &'a str,
    spans: Vec<Span>,
}

impl Tokens<'_> {
    fn text(&self, n: usize) -> &str {
        self.spans.get(n).map_or("", |s| &self.sql[s.from..s.to])
    }

    fn token(&self, n: usize) -> Option<Token> {
        self.spans.get(n).map(|s| s.token)
    }

    fn is_word(&self, n: usize, word: &str) -> bool {
        self.token(n) == Some(Token::Word) && self.text(n).eq_ignore_ascii_case(word)
    }

    fn is_one_of(&self, n: usize, words: &[&str]) -> bool {
        self.token(n) == Some(Token::Word) && words.iter().any(|w| self.text(n).eq_ignore_ascii_case(w))
    }

    fn is(&self, n: usize, byte: u8) -> bool {
        self.token(n) == Some(Token::Other(byte))
    }

    /// How many tokens a literal has that begins here, with its sign; 0: none does.
    fn literal(&self, n: usize) -> usize {
        let is_signed = self.is(n, b'-') && self.token(n + 1) == Some(Token::Literal) && {
            match n.checked_sub(1).and_then(|before| self.token(before)) {
                None => true,
                Some(Token::Word) => self.is_one_of(n - 1, BEFORE_VALUES),
                Some(Token::Other(b)) => !matches!(b, b')' | b']'),
                Some(_) => false,
            }
        };
        if is_signed {
            return if self.sql.as_bytes()[self.spans[n + 1].from].is_ascii_digit() { 2 } else { 0 };
        }
        match self.token(n) {
            Some(Token::Literal) => 1,
            // Not where it is asked whether something is it.
            Some(Token::Word) if self.is_one_of(n, &["true", "false", "null"]) => {
                let before = n.checked_sub(1);
                let is_asked = before.is_some_and(|b| self.is_one_of(b, &["is", "not"]));
                usize::from(!is_asked)
            }
            _ => 0,
        }
    }

    /// Behind the list of literals and parameters that begins behind an opening parenthesis here, if it has several.
    fn list_end(&self, open: usize) -> Option<usize> {
        let close = if self.is(open, b'(') { b')' } else { b']' };
        let (mut at, mut count) = (open + 1, 0);
        loop {
            match self.literal(at) {
                0 if self.token(at) == Some(Token::Param) => at += 1,
                0 => return None,
                n => at += n,
            }
            count += 1;
            // A cast of it.
            while self.is(at, b':') && self.is(at + 1, b':') && self.token(at + 2) == Some(Token::Word) {
                at += 3;
            }
            if self.is(at, close) {
                return (count > 1).then_some(at);
            }
            if !self.is(at, b',') {
                return None;
            }
            at += 1;
        }
    }
}

/// Where in a statement a token is, as far as that tells what its numbers are.
#[derive(Default)]
struct Place {
    /// The parentheses that are open: whether each is a type's.
    open: Vec<bool>,
    /// How many are at the ORDER BY or GROUP BY whose list this is.
    by: Option<usize>,
}

impl Place {
    /// Goes on by a token.
    fn pass(&mut self, t: &Tokens<'_>, n: usize) {
        match t.token(n) {
            Some(Token::Other(b'(' | b'[')) => self.open.push(n > 0 && t.is_one_of(n - 1, TYPES)),
            Some(Token::Other(b')' | b']')) => {
                self.open.pop();
                self.by = self.by.filter(|depth| *depth <= self.open.len());
            }
            Some(Token::Word) if t.is_word(n, "by") && n > 0 && t.is_one_of(n - 1, &["order", "group"]) => {
                self.by = Some(self.open.len());
            }
            Some(Token::Word) if self.by == Some(self.open.len()) && t.is_one_of(n, AFTER_BY) => {
                self.by = None
            }
            _ => {}
        }
    }

    /// Whether a literal stays: a number that belongs to a type, as in `numeric(10, 2)`, or is by itself an element of ORDER BY or GROUP BY.
    fn keeps(&self, t: &Tokens<'_>, n: usize) -> bool {
        if !t.text(n).starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        if self.open.last() == Some(&true) {
            return true;
        }
        let begins = n > 0 && (t.is(n - 1, b',') || t.is_word(n - 1, "by"));
        let ends = n + 1 == t.spans.len()
            || [b',', b')', b';'].iter().any(|b| t.is(n + 1, *b))
            || t.is_one_of(n + 1, &["asc", "desc", "nulls"])
            || t.is_one_of(n + 1, AFTER_BY);
        self.by == Some(self.open.len()) && begins && ends
    }
}

/// FNV-1a: it is the same everywhere and always.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn add_all(&mut self, bytes: impl IntoIterator<Item = u8>) {
        bytes.into_iter().for_each(|b| self.add(b));
        self.add(0);
    }
}

/// The begin of a text, of so many bytes at most.
pub fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|n| text.is_char_boundary(*n));
    &text[..end.unwrap_or(0)]
}

/// The statement as it is counted. (1, 2, 3)
pub fn of(sql: &str) -> Normal {
    let sql = cut(sql, READ_BYTES_MAX);
    let mut scan = Scan { sql: sql.as_bytes(), at: 0 };
    let mut spans = Vec::with_capacity(sql.len() / 4);
    while let Some(span) = scan.next() {
        spans.push(span);
    }
    while spans.last().is_some_and(|s: &Span| s.token == Token::Other(b';')) {
        spans.pop();
    }
    let from = spans.first().map_or(0, |s| s.from);
    let t = Tokens { sql, spans };
    let param = |n: usize| t.text(n).get(1..).and_then(|d| d.parse::<u32>().ok()).unwrap_or(0);
    let mut number =
        (0..t.spans.len()).filter(|n| t.token(*n) == Some(Token::Param)).map(param).max().unwrap_or(0);
    let (mut hash, mut text, mut copied) = (Fnv(0xcbf2_9ce4_8422_2325), String::new(), from);
    let mut replace = |at: usize, until: usize, with: &str| {
        number = number.saturating_add(1);
        text.push_str(&sql[copied..at]);
        text.push_str(&format!("${number}{with}"));
        copied = until;
    };
    let is_savepoint = t.is_one_of(0, &["savepoint", "release"])
        || t.is_word(0, "rollback") && (0..4).any(|n| t.is_word(n, "to"));
    let (mut n, mut place) = (0, Place::default());
    while let Some(span) = t.spans.get(n) {
        place.pass(&t, n);
        let is_list = n > 0
            && (t.is(n - 1, b'(') && n > 1 && t.is_word(n - 2, "in")
                || t.is(n - 1, b'[') && n > 1 && t.is_word(n - 2, "array"));
        if is_list && let Some(end) = t.list_end(n - 1) {
            replace(span.from, t.spans[end - 1].to, " /*, ... */");
            hash.add_all(*b"$,");
            n = end;
            continue;
        }
        let is_name = is_savepoint && n > 0 && n + 1 == t.spans.len();
        match if is_name { 1 } else { t.literal(n) } {
            0 if span.token == Token::Word => hash.add_all(t.text(n).bytes().map(|b| b.to_ascii_lowercase())),
            0 => hash.add_all(t.text(n).bytes()),
            1 if span.token == Token::Literal && !is_name && place.keeps(&t, n) => {
                hash.add_all(t.text(n).bytes());
            }
            count => {
                replace(span.from, t.spans[n + count - 1].to, "");
                hash.add_all(*b"$");
                n += count - 1;
            }
        }
        n += 1;
    }
    let end = t.spans.last().map_or(copied, |s| s.to);
    text.push_str(&sql[copied.min(end)..end]);
    text.truncate(cut(&text, TEXT_BYTES_MAX).len());
    let id = hash.0 as i64;
    Normal { id: if id == 0 { 1 } else { id }, text }
}

#[cfg(test)]
mod tests {
    use super::of;

    fn text(sql: &str) -> String {
        of(sql).text
    }

    #[test]
    fn literals_become_parameters() {
        for (sql, expected) in [
            ("select 1", "select $1"),
            (
                "  SELECT 'a''b', E'x\\'y', $$q$$, $t$ $$ $t$, b'1', 1.5e-3, .5, 0x1F;",
                "SELECT $1, $2, $3, $4, $5, $6, $7, $8",
            ),
            ("select -1, a-1, a - 1, (b)-1, $1-1", "select $2, a-$3, a - $4, (b)-$5, $1-$6"),
            ("select a from t where b = 'x' and c = $2", "select a from t where b = $3 and c = $2"),
            (
                "select * from t where a in (1, 2, 3) and b in (4)",
                "select * from t where a in ($1 /*, ... */) and b in ($2)",
            ),
            (
                "select * from t where a in ($1, $2) and b = array[1, -2::int]",
                "select * from t where a in ($3 /*, ... */) and b = array[$4 /*, ... */]",
            ),
            ("select a in (1, b)", "select a in ($1, b)"),
            ("select null, true, a is null, b is not true", "select $1, $2, a is null, b is not true"),
            (
                "select a::varchar(10), cast(b as numeric(10, 2)), time(3) '1:2'",
                "select a::varchar(10), cast(b as numeric(10, 2)), time(3) $1",
            ),
            (
                "select a, b from t group by 1, a order by 2 desc, 1 limit 5",
                "select a, b from t group by 1, a order by 2 desc, 1 limit $1",
            ),
            ("select a from t order by a + 1", "select a from t order by a + $1"),
            ("select interval '1 day', a -> 'b' /* 'c' */ -- 'd'", "select interval $1, a -> $2"),
            ("create role r login password 'secret'", "create role r login password $1"),
            ("set work_mem = '4MB'", "set work_mem = $1"),
            ("savepoint s123_x1", "savepoint $1"),
            ("release savepoint \"S\"", "release savepoint $1"),
            ("rollback to savepoint s", "rollback to savepoint $1"),
            ("rollback", "rollback"),
            ("select \"a 'b'\", u&\"c\", n'd'", "select \"a 'b'\", u&\"c\", $1"),
            ("", ""),
            ("/* only */ ;", ""),
        ] {
            assert_eq!(text(sql), expected, "{sql}");
        }
    }

    #[test]
    fn what_differs_in_literals_blanks_and_case_has_one_number() {
        let of_one = |a: &str, b: &str| assert_eq!(of(a).id, of(b).id, "{a} | {b}");
        of_one("select a from t where b = 1", "SELECT  a\nFROM t -- x\nWHERE b = /* y */ 'z'");
        of_one("select a where b in (1, 2)", "select a where b in (1,2,3,4)");
        of_one("select 1", "select -1;");
        let of_two = |a: &str, b: &str| assert_ne!(of(a).id, of(b).id, "{a} | {b}");
        of_two("select a", "select b");
        of_two("select a", "select \"A\"");
        of_two("select ab", "select a b");
        of_two("select a order by 1", "select a order by 2");
        of_two("select $1", "select $2");
        of_two("select a where b in (1)", "select a where b in (1, 2)");
    }

    #[test]
    fn of_a_long_text_the_first_part_counts() {
        let rows = |n: usize| format!("insert into t values {}(0, 'é')", "(1, 'é'), ".repeat(n));
        assert_eq!(of(&rows(100_000)).id, of(&rows(200_000)).id);
        assert_ne!(of(&rows(10)).id, of(&rows(11)).id);
        let normal = of(&rows(200_000));
        assert!(
            normal.text.len() <= super::TEXT_BYTES_MAX
                && normal.text.starts_with("insert into t values ($1, $2), ($3")
        );
    }

    #[test]
    fn any_text_is_taken() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut rng = fastrand::Rng::with_seed(seed);
        let parts = [
            "'", "\"", "$", "$$", "$a$", "/*", "*/", "--", "\n", "E'", "u&'", "\\", "1", "-", ".", "e", "in",
            "(", ")", ",", "é", "x'", "by", "order", ";", ":", "::", "array", "[", "]",
        ];
        for _ in 0..20_000 {
            let sql: String = (0..rng.usize(0..12)).map(|_| parts[rng.usize(..parts.len())]).collect();
            let normal = of(&sql);
            let may_have_quotes = ["--", "/*", "\""].iter().any(|p| sql.contains(p));
            assert!(may_have_quotes || !normal.text.contains('\''), "{sql} -> {}", normal.text);
        }
    }
}
