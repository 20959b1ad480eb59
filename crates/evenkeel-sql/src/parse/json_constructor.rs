//! JSON_OBJECT, JSON_ARRAY and their like: clauses that sqlparser does not know.
//!
//! `JSON_OBJECT('a' : x FORMAT JSON WITH UNIQUE KEYS RETURNING text)` becomes `"<json_object unique>"('a' : "<FORMAT>"(x) RETURNING text)`: what is said of the call
//! stands in its name. `JSON_ARRAY(SELECT …)` becomes the query that it stands for: `(SELECT JSON_ARRAYAGG("<a" ABSENT ON NULL) AS json_array FROM (SELECT …) AS "<JSON_ARRAY" ("<a"))`.
//!
//! Must not know: what the clauses mean.

use super::cursor::{is_word, syntax_error_at};
use super::json_query::words;
use super::rewrite::{quoted, word};
use evenkeel_types::error::SqlError;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// The functions.
const FUNCTIONS: [&str; 7] =
    ["json", "json_scalar", "json_serialize", "json_object", "json_array", "json_objectagg", "json_arrayagg"];
/// What a function that stands around a value FORMAT JSON is called; an encoding follows.
const FORMAT: &str = "<FORMAT";
/// The query of JSON_ARRAY, in FROM.
const ARRAY_QUERY: &str = "<JSON_ARRAY";
/// Its column.
const COLUMN: &str = "<a";

/// What a call's name says beside the function.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Said {
    /// WITH UNIQUE, or WITHOUT.
    pub unique: Option<bool>,
    /// FORMAT JSON of what is returned, perhaps with an encoding.
    pub format: Option<Option<String>>,
}

impl Said {
    fn name_of(&self, function: &str) -> String {
        let unique = self.unique.map_or("", |u| if u { " unique" } else { " repeated" });
        let format = match &self.format {
            None => String::new(),
            Some(None) => " format".into(),
            Some(Some(encoding)) => format!(" format={encoding}"),
        };
        format!("<{function}{unique}{format}>")
    }
}

/// The function that a call is of, and what else its name says.
pub fn plain(name: &str) -> (&str, Said) {
    let Some(inside) = name.strip_prefix("<json").and_then(|n| n.strip_suffix('>')) else {
        return (name, Said::default());
    };
    let mut parts = inside.split(' ');
    let len = parts.next().map_or(0, str::len);
    let mut said = Said::default();
    for part in parts {
        match part {
            "unique" => said.unique = Some(true),
            "repeated" => said.unique = Some(false),
            part => said.format = Some(part.strip_prefix("format=").map(str::to_owned)),
        }
    }
    (&name[1..1 + "json".len() + len], said)
}

/// Of a function that stands around a value FORMAT JSON: the encoding, if one is named.
pub fn format_of(name: &str) -> Option<Option<&str>> {
    name.strip_prefix(FORMAT).map(|rest| rest.strip_prefix(' '))
}

/// Whether an alias is that of JSON_ARRAY's query.
pub fn is_array_query(alias: &str) -> bool {
    alias == ARRAY_QUERY
}

/// What becomes of the tokens: each may be replaced, by any number.
struct Edits<'a> {
    tokens: &'a [TokenWithSpan],
    before: Vec<Vec<TokenWithSpan>>,
    instead: Vec<Option<Vec<TokenWithSpan>>>,
}

impl Edits<'_> {
    fn at(&self, i: usize) -> Option<&Token> {
        self.tokens.get(i).map(|t| &t.token)
    }

    fn same(&self, i: usize, token: Token) -> TokenWithSpan {
        TokenWithSpan { token, span: self.tokens[i].span }
    }

    fn drop(&mut self, from: usize, to: usize) {
        self.instead[from..to].iter_mut().for_each(|slot| *slot = Some(Vec::new()));
    }

    /// FORMAT JSON, perhaps with an encoding: that, and how many tokens it has.
    fn format(&self, i: usize) -> Option<(Option<String>, usize)> {
        if !words(self.tokens, i, &["format", "json"]) {
            return None;
        }
        match self.at(i + 3) {
            Some(Token::Word(name)) if words(self.tokens, i + 2, &["encoding"]) => {
                Some((Some(name.value.to_ascii_lowercase()), 4))
            }
            _ => Some((None, 2)),
        }
    }

    /// `"<FORMAT utf8"(` before the value.
    fn wrap(&mut self, value: usize, at: usize, encoding: Option<&str>) {
        let name = encoding.map_or(FORMAT.to_owned(), |e| format!("{FORMAT} {e}"));
        let mut open = vec![quoted(&name, &self.tokens[value]), self.same(value, Token::LParen)];
        open.append(&mut self.before[value]);
        self.before[value] = open;
        self.instead[at] = Some(vec![self.same(at, Token::RParen)]);
    }
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let is_function = |t: &TokenWithSpan| FUNCTIONS.iter().any(|f| is_word(Some(&t.token), f));
    if !tokens.windows(2).any(|pair| is_function(&pair[0]) && pair[1].token == Token::LParen) {
        return Ok(tokens);
    }
    let (mut open, mut close) = (Vec::new(), vec![None; tokens.len()]);
    for (n, t) in tokens.iter().enumerate() {
        match t.token {
            Token::LParen | Token::LBracket => open.push(n),
            Token::RParen | Token::RBracket => {
                if let Some(o) = open.pop() {
                    close[o] = Some(n);
                }
            }
            _ => {}
        }
    }
    let len = tokens.len();
    let mut edits = Edits { tokens: &tokens, before: vec![Vec::new(); len], instead: vec![None; len] };
    for n in 0..len.saturating_sub(1) {
        let Some(end) = close[n + 1].filter(|_| is_function(&tokens[n])) else { continue };
        if tokens[n + 1].token != Token::LParen || (n > 0 && tokens[n - 1].token == Token::Period) {
            continue;
        }
        let Token::Word(name) = &tokens[n].token else { continue };
        let begins_query = ["select", "with", "values", "table"].iter().any(|w| is_word(edits.at(n + 2), w));
        if begins_query && is_word(edits.at(n), "json_array") {
            array_of_query(&mut edits, n, end, &close);
        } else {
            call(&mut edits, n, end, &close, &name.value.to_ascii_lowercase(), source)?;
        }
    }
    let Edits { before, instead, .. } = edits;
    let mut out = Vec::with_capacity(len + 16);
    for ((t, before), instead) in tokens.iter().zip(before).zip(instead) {
        out.extend(before);
        match instead {
            Some(list) => out.extend(list),
            None => out.push(t.clone()),
        }
    }
    Ok(out)
}

/// A call whose name is token `n`, with its closing parenthesis.
fn call(
    edits: &mut Edits<'_>,
    n: usize,
    end: usize,
    close: &[Option<usize>],
    name: &str,
    source: &str,
) -> Result<(), SqlError> {
    let mut said = Said::default();
    let (mut value, mut is_returned) = (n + 2, false);
    let mut i = n + 2;
    while i < end {
        if let Some(inner) = close[i] {
            i = inner + 1;
            continue;
        }
        let is_value = i > value && is_word(edits.at(i), "value");
        if matches!(edits.at(i), Some(Token::Comma | Token::Colon)) || is_value {
            value = i + 1;
        } else if (i > value || i == n + 2) && is_word(edits.at(i), "returning") {
            is_returned = true;
        } else if let Some((encoding, count)) = edits.format(i).filter(|_| i > value) {
            if is_returned {
                said.format = Some(encoding);
                edits.drop(i, i + count);
            } else {
                edits.drop(i, i + count);
                edits.wrap(value, i, encoding.as_deref());
            }
            i += count;
            continue;
        } else if words(edits.tokens, i, &["with", "unique"])
            || words(edits.tokens, i, &["without", "unique"])
        {
            said.unique = Some(is_word(edits.at(i), "with"));
            let count = if is_word(edits.at(i + 2), "keys") { 3 } else { 2 };
            edits.drop(i, i + count);
            i += count;
            continue;
        }
        i += 1;
    }
    if name == "json" && end == n + 2 {
        return Err(syntax_error_at(source, edits.tokens.get(end)));
    }
    if said != Said::default() {
        edits.instead[n] = Some(vec![quoted(&said.name_of(name), &edits.tokens[n])]);
    }
    Ok(())
}

/// JSON_ARRAY of a query: the aggregate over it.
fn array_of_query(edits: &mut Edits<'_>, n: usize, end: usize, close: &[Option<usize>]) {
    let mut said = Said::default();
    let (mut format, mut returned, mut query_end) = (None, None, end);
    let mut i = n + 2;
    while i < end {
        if let Some(inner) = close[i] {
            i = inner + 1;
            continue;
        }
        match edits.format(i) {
            Some((encoding, count)) => {
                query_end = query_end.min(i);
                match returned {
                    None => format = Some(encoding),
                    Some((from, _)) => {
                        returned = Some((from, i));
                        said.format = Some(encoding);
                    }
                }
                i += count;
                continue;
            }
            None if returned.is_none() && is_word(edits.at(i), "returning") => {
                query_end = query_end.min(i);
                returned = Some((i, end));
            }
            None => {}
        }
        i += 1;
    }
    let like = &edits.tokens[n];
    let same = |token: Token| TokenWithSpan { token, span: like.span };
    let keyword = |text: &str, keyword: Keyword| {
        same(Token::Word(Word { value: text.to_owned(), quote_style: None, keyword }))
    };
    let mut first = vec![same(Token::LParen), word("SELECT", like)];
    first.push(quoted(&said.name_of("json_arrayagg"), like));
    first.push(same(Token::LParen));
    if let Some(encoding) = &format {
        let name = encoding.as_ref().map_or(FORMAT.to_owned(), |e| format!("{FORMAT} {e}"));
        first.extend([quoted(&name, like), same(Token::LParen), quoted(COLUMN, like), same(Token::RParen)]);
    } else {
        first.push(quoted(COLUMN, like));
    }
    first.extend([keyword("ABSENT", Keyword::ABSENT), word("ON", like), keyword("NULL", Keyword::NULL)]);
    if let Some((from, to)) = returned {
        first.extend(edits.tokens[from..to].iter().cloned());
    }
    first.extend([
        same(Token::RParen),
        keyword("AS", Keyword::AS),
        quoted("json_array", like),
        word("FROM", like),
    ]);
    let last = vec![
        same(Token::RParen),
        keyword("AS", Keyword::AS),
        quoted(ARRAY_QUERY, like),
        same(Token::LParen),
        quoted(COLUMN, like),
        same(Token::RParen),
        same(Token::RParen),
    ];
    edits.instead[n] = Some(first);
    edits.drop(query_end, end);
    edits.instead[end] = Some(last);
}
