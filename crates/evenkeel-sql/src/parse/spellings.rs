//! Short spellings that sqlparser lacks, as it can have them.
//!
//! * `x ISNULL` becomes `x IS NULL`.
//! * `x AT LOCAL` becomes `x AT TIME ZONE "<LOCAL"`.
//! * `*=`, `*<>`, `*<`, `*<=`, `*>` and `*>=` become one operator each.
//! * `NCHAR VARYING` and `NATIONAL CHARACTER VARYING` become `VARCHAR`, `NATIONAL CHARACTER` `CHARACTER`, `N'x'` `CAST('x' AS bpchar)`.
//! * `SYSTEM_USER` becomes `pg_catalog."system_user"()`, `pg_catalog.current_user()` `pg_catalog."current_user"()`.
//! * `pg_catalog.` goes before functions that sqlparser reads as words: `pg_catalog.substring('abc', 2)`.
//! * `t.* IS NULL` becomes `(t.*) IS NULL`: in a select list it is no list of columns.
//! * `FOR READ ONLY`, which says nothing, goes.
//! * `JOIN t USING (a) AS x` becomes `JOIN t USING (a, "<AS x")`.
//!
//! Must not know: what they mean.

use super::cursor::{fold, is_word};
use super::rewrite::quoted;
use sqlparser::ast::{Expr, Ident};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// What stands for LOCAL.
const LOCAL: &str = "<LOCAL";
/// What the name of a join's columns begins with.
const JOINED: &str = "<AS ";

/// Whether a time zone stands for AT LOCAL.
pub fn is_local(zone: &Expr) -> bool {
    matches!(zone, Expr::Identifier(Ident { value, quote_style: Some(_), .. }) if value == LOCAL)
}

/// The columns of USING, and what they are called together.
pub fn joined(mut names: Vec<String>) -> (Vec<String>, Option<String>) {
    let alias = names.pop_if(|n| n.starts_with(JOINED)).map(|n| n[JOINED.len()..].to_owned());
    (names, alias)
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let concerned = |n: usize| {
        (is(n, "local") && n > 0 && is(n - 1, "at"))
            || is(n, "using")
            || is_test_of_null(&tokens, n)
            || matches!(tokens[n].token, Token::Mul | Token::NationalStringLiteral(_))
            || is(n, "read") && n > 0 && is(n - 1, "for") && is(n + 1, "only")
            || ["nchar", "national", "pg_catalog", "system_user"].iter().any(|w| is(n, w))
    };
    if !(0..tokens.len()).any(concerned) {
        return tokens;
    }
    let mut has_join = false;
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 4);
    let mut n = 0;
    while let Some(t) = tokens.get(n) {
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        has_join |= is(n, "join");
        if is(n, "local") && n > 0 && is(n - 1, "at") {
            let word = |text: &str, keyword| {
                same(Token::Word(Word { value: text.into(), quote_style: None, keyword }))
            };
            out.extend([word("TIME", Keyword::TIME), word("ZONE", Keyword::ZONE), quoted(LOCAL, t)]);
            n += 1;
            continue;
        }
        if is(n, "for") && is(n + 1, "read") && is(n + 2, "only") {
            n += 3;
            continue;
        }
        if is_schema_of_word(&tokens, n) {
            n += 2;
            continue;
        }
        if is_test_of_null(&tokens, n) {
            out.extend([same(Token::make_keyword("IS")), same(Token::make_keyword("NULL"))]);
            n += 1;
            continue;
        }
        if let Some((spelled, len)) = national(&tokens[n..]).or_else(|| of_user(&tokens, n)) {
            out.extend(spelled);
            n += len;
            continue;
        }
        if let Some(operator) = compares_images(&tokens[n..]) {
            out.push(same(Token::CustomBinaryOperator(operator.into())));
            n += 2;
            continue;
        }
        if t.token == Token::Mul
            && is(n + 1, "is")
            && let Some(begin) = begin_of_row(&out)
        {
            out.insert(begin, same(Token::LParen));
            out.extend([t.clone(), same(Token::RParen)]);
            n += 1;
            continue;
        }
        if has_join
            && is(n, "using")
            && let Some((name, close)) = alias_of_join(&tokens, n + 1)
        {
            out.extend_from_slice(&tokens[n..close]);
            out.extend([same(Token::Comma), quoted(&name, t), tokens[close].clone()]);
            n = close + 3;
            continue;
        }
        out.push(t.clone());
        n += 1;
    }
    out
}

/// Whether a token behind TABLE can name a table: else that word is a name itself, as in `SELECT 1 AS table FROM t`.
pub(super) fn is_name_of_table(token: Option<&Token>) -> bool {
    const CLAUSES: [&str; 13] = [
        "from",
        "where",
        "group",
        "having",
        "window",
        "order",
        "limit",
        "offset",
        "fetch",
        "for",
        "union",
        "intersect",
        "except",
    ];
    matches!(token, Some(Token::Word(_))) && !CLAUSES.iter().any(|w| is_word(token, w))
}

/// Whether the schema of a function begins here that sqlparser reads as a word.
fn is_schema_of_word(tokens: &[TokenWithSpan], n: usize) -> bool {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    is_word(at(n), "pg_catalog")
        && at(n + 1) == Some(&Token::Period)
        && ["ceil", "floor", "substr", "substring"].iter().any(|w| is_word(at(n + 2), w))
        && at(n + 3) == Some(&Token::LParen)
}

/// Whether `ISNULL` stands behind a value.
fn is_test_of_null(tokens: &[TokenWithSpan], n: usize) -> bool {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let is_value = |t: Option<&Token>| match t {
        Some(Token::Word(w)) => w.quote_style.is_some() || !w.value.eq_ignore_ascii_case("as"),
        Some(Token::RParen | Token::RBracket | Token::Number(..) | Token::SingleQuotedString(_)) => true,
        _ => false,
    };
    is_word(at(n), "isnull")
        && n > 0
        && is_value(at(n - 1))
        && !matches!(at(n + 1), Some(Token::LParen | Token::Period))
}

/// Types and strings of the national character set, which is the database's, and how many tokens these are.
fn national(tokens: &[TokenWithSpan]) -> Option<(Vec<TokenWithSpan>, usize)> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let first = tokens.first()?;
    let same = |token: Token| TokenWithSpan { token, span: first.span };
    let word =
        |text: &str, keyword| same(Token::Word(Word { value: text.into(), quote_style: None, keyword }));
    if let Token::NationalStringLiteral(text) = &first.token {
        let cast = [
            word("CAST", Keyword::CAST),
            same(Token::LParen),
            same(Token::SingleQuotedString(text.clone())),
            word("AS", Keyword::AS),
            word("bpchar", Keyword::NoKeyword),
            same(Token::RParen),
        ];
        return Some((cast.into(), 1));
    }
    let len = match () {
        () if is(0, "nchar") => 1,
        () if is(0, "national") && (is(1, "character") || is(1, "char")) => 2,
        () => return None,
    };
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let has_length = matches!(
        (at(len), at(len + 1), at(len + 2)),
        (Some(Token::LParen), Some(Token::Number(..)), Some(Token::RParen))
    );
    let is_literal = matches!(at(if has_length { len + 3 } else { len }), Some(Token::SingleQuotedString(_)));
    match is(len, "varying") {
        true => Some((vec![word("varchar", Keyword::VARCHAR)], len + 1)),
        false if len == 2 || is_literal => Some((vec![word("character", Keyword::CHARACTER)], len)),
        false => None,
    }
}

/// Functions that are words of SQL, where they are called as others are.
const OF_USERS: [&str; 4] = ["current_user", "session_user", "current_schema", "system_user"];

fn of_user(tokens: &[TokenWithSpan], n: usize) -> Option<(Vec<TokenWithSpan>, usize)> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let t = tokens.get(n)?;
    let same = |token: Token| TokenWithSpan { token, span: t.span };
    if is_word(at(n), "pg_catalog") && at(n + 1) == Some(&Token::Period) && at(n + 3) == Some(&Token::LParen)
    {
        let called = OF_USERS.iter().find(|w| is_word(at(n + 2), w))?;
        return Some((vec![t.clone(), same(Token::Period), quoted(called, &tokens[n + 2])], 3));
    }
    let is_name = n > 0 && (at(n - 1) == Some(&Token::Period) || is_word(at(n - 1), "as"));
    if !is_word(at(n), "system_user") || is_name || at(n + 1) == Some(&Token::LParen) {
        return None;
    }
    let call = [
        quoted("pg_catalog", t),
        same(Token::Period),
        quoted("system_user", t),
        same(Token::LParen),
        same(Token::RParen),
    ];
    Some((call.into(), 1))
}

/// An operator that begins with a star.
fn compares_images(tokens: &[TokenWithSpan]) -> Option<&'static str> {
    let [star, other, ..] = tokens else { return None };
    if star.token != Token::Mul || star.span.end != other.span.start {
        return None;
    }
    Some(match other.token {
        Token::Eq => "*=",
        Token::Neq => "*<>",
        Token::Lt => "*<",
        Token::LtEq => "*<=",
        Token::Gt => "*>",
        Token::GtEq => "*>=",
        _ => return None,
    })
}

/// Where the name begins that stands, with its period, at the end.
fn begin_of_row(tokens: &[TokenWithSpan]) -> Option<usize> {
    let mut begin = tokens.len();
    while let [.., name, period] = &tokens[..begin]
        && matches!(name.token, Token::Word(_))
        && period.token == Token::Period
    {
        begin -= 2;
    }
    (begin < tokens.len()).then_some(begin)
}

/// Of `(a, b) AS x`, the name, as USING has it, and where the parenthesis closes.
fn alias_of_join(tokens: &[TokenWithSpan], open: usize) -> Option<(String, usize)> {
    let mut at = open;
    loop {
        let separates = match tokens.get(at)?.token {
            Token::LParen => at == open,
            Token::Comma => at > open,
            _ => false,
        };
        if !separates || !matches!(tokens.get(at + 1)?.token, Token::Word(_)) {
            return None;
        }
        at += 2;
        if tokens.get(at)?.token == Token::RParen {
            break;
        }
    }
    let Token::Word(name) = &tokens.get(at + 2)?.token else { return None };
    let name = fold(&name.value, name.quote_style.is_some());
    is_word(Some(&tokens.get(at + 1)?.token), "as").then(|| (format!("{JOINED}{name}"), at))
}
