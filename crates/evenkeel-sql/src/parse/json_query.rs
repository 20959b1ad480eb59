//! JSON_EXISTS, JSON_VALUE and JSON_QUERY: their clauses become arguments with names that nothing else has, which sqlparser takes.
//!
//! `JSON_VALUE(j, '$.a' PASSING 1 AS x RETURNING int DEFAULT 0 ON EMPTY)` becomes `JSON_VALUE(j, '$.a', "<passing>" => 1, "<as>" => 'x', "<returning>" =>
//! CAST(NULL AS int), "<default>" => 0, "<on>" => 'empty')`.
//!
//! Must not know: what the clauses mean.

use super::cursor::{fold, is_word, syntax_error_at};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// The functions.
const FUNCTIONS: [&str; 3] = ["json_exists", "json_value", "json_query"];

/// Where in a call a token is. Clauses come in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Place {
    Context,
    Path,
    Passing,
    Returning,
    Wrapper,
    Quotes,
    Behavior,
    /// Behind DEFAULT.
    Default,
}

/// A parenthesis that is open.
struct Open {
    /// Of one of the functions: where in its call, and how many tokens that part has.
    call: Option<(Place, usize)>,
}

struct Rewriter<'a> {
    tokens: &'a [TokenWithSpan],
    out: Vec<TokenWithSpan>,
}

impl Rewriter<'_> {
    fn at(&self, i: usize) -> Option<&Token> {
        self.tokens.get(i).map(|t| &t.token)
    }

    fn words(&self, i: usize, list: &[&str]) -> bool {
        words(self.tokens, i, list)
    }

    fn put(&mut self, i: usize, token: Token) {
        let span = self.tokens.get(i).or(self.tokens.last()).map(|t| t.span);
        if let Some(span) = span {
            self.out.push(TokenWithSpan { token, span });
        }
    }

    fn put_word(&mut self, i: usize, text: &str, keyword: Keyword, quote_style: Option<char>) {
        self.put(i, Token::Word(Word { value: text.to_owned(), quote_style, keyword }));
    }

    /// `, "<name>" =>`
    fn begin(&mut self, i: usize, name: &str) {
        self.put(i, Token::Comma);
        self.put_word(i, &format!("<{name}>"), Keyword::NoKeyword, Some('"'));
        self.put(i, Token::RArrow);
    }

    /// `, "<name>" => 'value'`
    fn said(&mut self, i: usize, name: &str, value: &str) {
        self.begin(i, name);
        self.put(i, Token::SingleQuotedString(value.to_owned()));
    }
}

/// Whether these words stand here.
pub(super) fn words(tokens: &[TokenWithSpan], i: usize, list: &[&str]) -> bool {
    list.iter().enumerate().all(|(n, w)| is_word(tokens.get(i + n).map(|t| &t.token), w))
}

/// ON EMPTY or ON ERROR.
pub(super) fn on(tokens: &[TokenWithSpan], i: usize) -> Option<&'static str> {
    if words(tokens, i, &["on", "empty"]) {
        Some("empty")
    } else if words(tokens, i, &["on", "error"]) {
        Some("error")
    } else {
        None
    }
}

/// A behavior that begins here: what it is, and how many tokens it has before ON.
pub(super) fn behavior(tokens: &[TokenWithSpan], i: usize) -> Option<(&'static str, usize)> {
    const LIST: [(&[&str], &str); 8] = [
        (&["error"], "error"),
        (&["null"], "null"),
        (&["true"], "true"),
        (&["false"], "false"),
        (&["unknown"], "unknown"),
        (&["empty", "array"], "empty array"),
        (&["empty", "object"], "empty object"),
        (&["empty"], "empty array"),
    ];
    let found = LIST.iter().find(|(list, _)| words(tokens, i, list) && on(tokens, i + list.len()).is_some());
    found.map(|(list, name)| (*name, list.len()))
}

/// A clause on how results are wrapped: what it says, and how many tokens it has.
pub(super) fn wrapper(tokens: &[TokenWithSpan], i: usize) -> Option<(&'static str, usize)> {
    const LIST: [(&[&str], &str); 8] = [
        (&["without", "wrapper"], "without"),
        (&["without", "array", "wrapper"], "without"),
        (&["with", "wrapper"], "with"),
        (&["with", "array", "wrapper"], "with"),
        (&["with", "unconditional", "wrapper"], "with"),
        (&["with", "unconditional", "array", "wrapper"], "with"),
        (&["with", "conditional", "wrapper"], "conditional"),
        (&["with", "conditional", "array", "wrapper"], "conditional"),
    ];
    LIST.iter().find(|(list, _)| words(tokens, i, list)).map(|(list, name)| (*name, list.len()))
}

/// FORMAT JSON, perhaps with an encoding, of which there is one: how many tokens that is.
pub(super) fn format(tokens: &[TokenWithSpan], i: usize) -> Result<usize, SqlError> {
    if !words(tokens, i, &["format", "json"]) {
        return Ok(0);
    }
    let Some(Token::Word(name)) =
        tokens.get(i + 3).map(|t| &t.token).filter(|_| words(tokens, i + 2, &["encoding"]))
    else {
        return Ok(2);
    };
    match name.value.to_ascii_lowercase().as_str() {
        "utf8" => Ok(4),
        "utf16" | "utf32" => Err(SqlError::unsupported("unsupported JSON encoding")
            .with_hint("Only UTF8 JSON encoding is supported.")),
        _ => {
            let why =
                format!("unrecognized JSON encoding: {}", fold(&name.value, name.quote_style.is_some()));
            Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why))
        }
    }
}

/// Rewrites the calls in the tokens of one statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let is_one = |t: &TokenWithSpan| FUNCTIONS.iter().any(|f| is_word(Some(&t.token), f));
    if !tokens.iter().any(is_one) {
        return Ok(tokens);
    }
    let mut r = Rewriter { out: Vec::with_capacity(tokens.len() + 16), tokens: &tokens };
    let mut open: Vec<Open> = Vec::new();
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let wrong = || syntax_error_at(source, Some(token));
        match &token.token {
            Token::LParen => {
                let is_call = i > 0 && is_one(&tokens[i - 1]);
                open.push(Open { call: is_call.then_some((Place::Context, 0)) });
                r.out.push(token.clone());
                i += 1;
                continue;
            }
            Token::LBracket => open.push(Open { call: None }),
            Token::RParen | Token::RBracket => {
                if let Some(Open { call: Some((Place::Returning, _)) }) = open.pop() {
                    r.put(i, Token::RParen);
                }
            }
            _ => {
                if let Some(Open { call: Some((place, len)) }) = open.last_mut() {
                    let taken = clause(&mut r, i, place, len, &wrong)?;
                    if taken > 0 {
                        i += taken;
                        continue;
                    }
                }
            }
        }
        if let Some(Open { call: Some((_, len)) }) = open.last_mut() {
            *len += 1;
        }
        r.out.push(token.clone());
        i += 1;
    }
    Ok(r.out)
}

/// Takes a clause that begins here, or a comma that separates parts of one; how many tokens it took.
fn clause(
    r: &mut Rewriter<'_>,
    i: usize,
    place: &mut Place,
    len: &mut usize,
    wrong: &dyn Fn() -> SqlError,
) -> Result<usize, SqlError> {
    let is_comma = r.at(i) == Some(&Token::Comma);
    if *place == Place::Context {
        if is_comma {
            (*place, *len) = (Place::Path, 0);
            r.put(i, Token::Comma);
            return Ok(1);
        }
        // It is the only one that there is.
        let taken = if *len > 0 { format(r.tokens, i)? } else { 0 };
        if taken == 0 || r.at(i + taken) != Some(&Token::Comma) {
            return Ok(0);
        }
        r.said(i, "input", if taken > 2 { "encoding" } else { "json" });
        return Ok(taken);
    }
    // Nothing is what begins a part.
    if *len == 0 && *place <= Place::Returning {
        return Ok(0);
    }
    if *place == Place::Default {
        let Some(which) = on(r.tokens, i) else { return Ok(0) };
        r.said(i, "on", which);
        *place = Place::Behavior;
        return Ok(2);
    }
    let enter = |r: &mut Rewriter<'_>, place: &mut Place, len: &mut usize, next: Place| {
        if *place > next || (*place == next && next < Place::Behavior) {
            return Err(wrong());
        }
        if *place == Place::Returning {
            r.put(i, Token::RParen);
        }
        (*place, *len) = (next, 0);
        Ok(())
    };
    if r.words(i, &["passing"]) && *place == Place::Path {
        enter(r, place, len, Place::Passing)?;
        r.begin(i, "passing");
        return Ok(1);
    }
    if *place == Place::Passing && r.words(i, &["as"]) {
        let Some(Token::Word(name)) = r.at(i + 1) else { return Err(wrong()) };
        let name = fold(&name.value, name.quote_style.is_some());
        r.said(i, "as", &name);
        *len += 1;
        if r.at(i + 2) == Some(&Token::Comma) {
            r.begin(i, "passing");
            *len = 0;
            return Ok(3);
        }
        return Ok(2);
    }
    if r.words(i, &["returning"]) {
        enter(r, place, len, Place::Returning)?;
        r.begin(i, "returning");
        r.put_word(i, "CAST", Keyword::CAST, None);
        r.put(i, Token::LParen);
        r.put_word(i, "NULL", Keyword::NULL, None);
        r.put_word(i, "AS", Keyword::AS, None);
        return Ok(1);
    }
    let taken = if *place == Place::Returning { format(r.tokens, i)? } else { 0 };
    if taken > 0 {
        r.put(i, Token::RParen);
        *place = Place::Wrapper;
        r.said(i, "format", if taken > 2 { "encoding" } else { "json" });
        return Ok(taken);
    }
    if let Some((name, taken)) = wrapper(r.tokens, i) {
        // Behind FORMAT JSON it stands in that clause's place.
        if *place != Place::Wrapper {
            enter(r, place, len, Place::Wrapper)?;
        }
        r.said(i, "wrapper", name);
        *place = Place::Quotes;
        return Ok(taken);
    }
    if (r.words(i, &["keep", "quotes"]) || r.words(i, &["omit", "quotes"])) && *place < Place::Behavior {
        if *place != Place::Quotes {
            enter(r, place, len, Place::Quotes)?;
        }
        let what = if r.words(i, &["keep"]) { "keep" } else { "omit" };
        r.said(i, "quotes", what);
        let on = if r.words(i + 2, &["on", "scalar", "string"]) { 3 } else { 0 };
        return Ok(2 + on);
    }
    if let (Some(which), Place::Behavior) = (on(r.tokens, i), *place) {
        r.said(i, "on", which);
        return Ok(2);
    }
    if r.words(i, &["default"]) {
        enter(r, place, len, Place::Behavior)?;
        r.begin(i, "default");
        *place = Place::Default;
        return Ok(1);
    }
    if let Some((name, taken)) = behavior(r.tokens, i) {
        enter(r, place, len, Place::Behavior)?;
        r.said(i, "behavior", name);
        return Ok(taken);
    }
    Ok(0)
}
