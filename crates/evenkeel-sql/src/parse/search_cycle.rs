//! SEARCH and CYCLE behind a query of WITH RECURSIVE, which sqlparser does not know: they travel as the name behind a FROM, which it takes there.
//!
//! `WITH RECURSIVE t AS (…) SEARCH DEPTH FIRST BY a, b SET s CYCLE a SET c USING p` becomes `WITH RECURSIVE t AS (…) FROM "<SEARCH …"`.
//!
//! Must not know: what the clauses mean.

use super::cursor::{fold, is_word, syntax_error_at};
use super::lex::Places;
use super::rewrite::quoted;
use evenkeel_types::error::SqlError;
use sqlparser::ast::{CastKind, Expr, Ident, Value};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// What a name begins with that stands for clauses.
const MARK: &str = "<SEARCH";
/// What clauses, and what is in them, begin with.
const CLAUSE: char = '\u{2}';
const PART: char = '\u{1}';

/// SEARCH.
#[derive(Clone, Debug)]
pub struct Search {
    /// By breadth, not by depth.
    pub is_breadth: bool,
    /// What is ordered by.
    pub columns: Vec<String>,
    /// The column that is added.
    pub sequence: String,
}

/// CYCLE.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// What must not come again.
    pub columns: Vec<String>,
    /// The column that says whether it has.
    pub mark: String,
    /// The texts of its values, where it has, and where not.
    pub values: Option<(String, String)>,
    /// The column of what came so far.
    pub path: String,
}

/// What stands behind a query of WITH.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    /// SEARCH.
    pub search: Option<Search>,
    /// CYCLE.
    pub cycle: Option<Cycle>,
}

/// The clauses that a name stands for; None: it is a name.
pub fn clauses(name: &Ident) -> Option<Clauses> {
    let mut clauses = Clauses::default();
    for clause in name.value.strip_prefix(MARK)?.split(CLAUSE).skip(1) {
        let mut parts = clause.split(PART).map(str::to_owned);
        let kind = parts.next()?;
        if kind == "cycle" {
            let (mark, path, value, otherwise) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
            let values = (!value.is_empty()).then_some((value, otherwise));
            clauses.cycle = Some(Cycle { columns: parts.collect(), mark, values, path });
        } else {
            let sequence = parts.next()?;
            let columns = parts.collect();
            clauses.search = Some(Search { is_breadth: kind == "breadth", columns, sequence });
        }
    }
    Some(clauses)
}

struct Reader<'a> {
    tokens: &'a [TokenWithSpan],
    source: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn token(&self, n: usize) -> Option<&Token> {
        self.tokens.get(n).map(|t| &t.token)
    }

    fn is(&self, n: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, w)| is_word(self.token(n + i), w))
    }

    fn wrong(&self) -> SqlError {
        syntax_error_at(self.source, self.tokens.get(self.at))
    }

    fn expect(&mut self, words: &[&str]) -> Result<(), SqlError> {
        for w in words {
            if !self.is(self.at, &[w]) {
                return Err(self.wrong());
            }
            self.at += 1;
        }
        Ok(())
    }

    fn name(&mut self) -> Result<String, SqlError> {
        let Some(Token::Word(w)) = self.token(self.at) else { return Err(self.wrong()) };
        let name = fold(&w.value, w.quote_style.is_some());
        self.at += 1;
        Ok(name)
    }

    fn names(&mut self) -> Result<String, SqlError> {
        let mut list = String::new();
        loop {
            list.push(PART);
            list.push_str(&self.name()?);
            if self.token(self.at) != Some(&Token::Comma) {
                return Ok(list);
            }
            self.at += 1;
        }
    }

    /// A constant up to a word, as it is written.
    fn constant(&mut self, end: &str) -> Result<String, SqlError> {
        let from = self.at;
        while self.at < self.tokens.len() && !self.is(self.at, &[end]) {
            self.at += 1;
        }
        let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens[..self.at].last()) else {
            return Err(self.wrong());
        };
        if from == self.at {
            return Err(self.wrong());
        }
        let mut places = Places::new(self.source);
        let (begin, until) = (places.find(first.span.start), places.find(last.span.end));
        let text = self.source.get(begin..until).unwrap_or_default();
        match &*super::parse_expression(text)? {
            Expr::Value(v) if !matches!(v.value, Value::Placeholder(_)) => Ok(text.to_owned()),
            Expr::TypedString(_) | Expr::Interval(_) => Ok(text.to_owned()),
            // Texts of views have such.
            Expr::Cast { kind: CastKind::DoubleColon, expr, .. } if matches!(**expr, Expr::Value(_)) => {
                Ok(text.to_owned())
            }
            _ => {
                let begins_well = matches!(first.token, Token::Number(..) | Token::SingleQuotedString(_));
                Err(syntax_error_at(self.source, self.tokens.get(from + usize::from(begins_well))))
            }
        }
    }

    /// Whether CYCLE begins here: the word may be an alias.
    fn begins_cycle(&self, n: usize) -> bool {
        let is_name = |n: usize| matches!(self.token(n), Some(Token::Word(_)));
        let mut end = n + 1;
        while is_name(end) && self.token(end + 1) == Some(&Token::Comma) {
            end += 2;
        }
        self.is(n, &["cycle"]) && is_name(end) && self.is(end + 1, &["set"]) && end > n
    }

    fn begins_search(&self, n: usize) -> bool {
        let is = |kind: &str| self.is(n, &["search", kind, "first", "by"]);
        is("depth") || is("breadth")
    }

    /// The clauses that begin here.
    fn clauses(&mut self) -> Result<String, SqlError> {
        let mut text = MARK.to_owned();
        if self.begins_search(self.at) {
            let kind = if self.is(self.at + 1, &["breadth"]) { "breadth" } else { "depth" };
            self.at += 4;
            let columns = self.names()?;
            self.expect(&["set"])?;
            let sequence = self.name()?;
            text += &format!("{CLAUSE}{kind}{PART}{sequence}{columns}");
        }
        if self.begins_cycle(self.at) {
            self.at += 1;
            let columns = self.names()?;
            self.expect(&["set"])?;
            let mark = self.name()?;
            let (mut value, mut otherwise) = (String::new(), String::new());
            if self.is(self.at, &["to"]) {
                self.at += 1;
                value = self.constant("default")?;
                self.expect(&["default"])?;
                otherwise = self.constant("using")?;
            }
            self.expect(&["using"])?;
            let path = self.name()?;
            text += &format!("{CLAUSE}cycle{PART}{mark}{PART}{path}{PART}{value}{PART}{otherwise}{columns}");
        }
        Ok(text)
    }
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let mut r = Reader { tokens: &tokens, source, at: 0 };
    let begins = |r: &Reader<'_>, n: usize| {
        n > 0
            && r.token(n - 1) == Some(&Token::RParen)
            && (r.begins_search(n) || r.begins_cycle(n))
            && r.tokens[..n].iter().any(|t| is_word(Some(&t.token), "with"))
    };
    if !(0..tokens.len()).any(|n| begins(&r, n)) {
        return Ok(tokens);
    }
    let mut out = Vec::with_capacity(tokens.len());
    while let Some(t) = tokens.get(r.at) {
        if !begins(&r, r.at) {
            out.push(t.clone());
            r.at += 1;
            continue;
        }
        let name = r.clauses()?;
        let from = Word { value: "FROM".into(), quote_style: None, keyword: Keyword::FROM };
        out.extend([TokenWithSpan { token: Token::Word(from), span: t.span }, quoted(&name, t)]);
    }
    Ok(out)
}
