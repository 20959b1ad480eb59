//! Token rewriting before sqlparser: syntax of PostgreSQL's that it lacks is spelled in a way that it has.
//!
//! `FOR NO KEY UPDATE OF a, b` becomes `FOR UPDATE OF "<NO KEY UPDATE"."a"."b"`: the strength travels as the first part of the name,
//! where no real name stands, and begins with `<`. `FETCH FIRST (x) ROWS WITH TIES` becomes `LIMIT "<WITH TIES>"(x)`. `TABLE t` becomes `SELECT * FROM t`. `overriding` does OVERRIDING.
//! `ON CONFLICT (lower(a)) WHERE b` becomes `ON CONFLICT ON CONSTRAINT "…"`, whose name has the texts (`inference_texts`). `(w ROWS … EXCLUDE TIES)` becomes `("<EXCLUDE TIES>w" ROWS …)`. `BETWEEN SYMMETRIC x` becomes `BETWEEN ?- x`, `((SELECT …) UNION …)` becomes
//! `(SELECT * FROM ((SELECT …) UNION …) "?column?")`, but for behind AS. `SELECT WHERE x` becomes `SELECT "<NOTHING".* WHERE x`. `GROUP BY DISTINCT a` becomes `GROUP BY "<DISTINCT", a`, `SUBSTRING(x SIMILAR p ESCAPE e)` `SUBSTRING(x, p, e)`.
//!
//! Must not know: what the statements mean.

use super::cursor::{is_word, syntax_error_at};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

pub(super) fn word(text: &str, like: &TokenWithSpan) -> TokenWithSpan {
    let keyword = match text {
        "UPDATE" => Keyword::UPDATE,
        "FOR" => Keyword::FOR,
        "ON" => Keyword::ON,
        "CONSTRAINT" => Keyword::CONSTRAINT,
        "OF" => Keyword::OF,
        "SELECT" => Keyword::SELECT,
        "FROM" => Keyword::FROM,
        "cache" => Keyword::CACHE,
        "OVERWRITE" => Keyword::OVERWRITE,
        "OR" => Keyword::OR,
        "ABORT" => Keyword::ABORT,
        "USING" => Keyword::USING,
        "TIME" => Keyword::TIME,
        "DEFAULT" => Keyword::DEFAULT,
        "ZONE" => Keyword::ZONE,
        "WITH" => Keyword::WITH,
        _ => Keyword::NoKeyword,
    };
    TokenWithSpan {
        token: Token::Word(Word { value: text.to_owned(), quote_style: None, keyword }),
        span: like.span,
    }
}

/// A name that stands for something else.
pub(super) fn quoted(text: &str, like: &TokenWithSpan) -> TokenWithSpan {
    let word = Word { value: text.to_owned(), quote_style: Some('"'), keyword: Keyword::NoKeyword };
    TokenWithSpan { token: Token::Word(word), span: like.span }
}

/// What stands before the name of a cursor, in place of CURRENT OF.
pub const CURRENT_OF: &str = "@current of";

/// `WHERE CURRENT OF c` becomes `WHERE "@current of"."c"`.
pub(super) fn current_of(
    mut tokens: Vec<TokenWithSpan>,
    places: &[usize],
    source: &str,
) -> Result<Vec<TokenWithSpan>, SqlError> {
    for n in places {
        let after = tokens.get(n + 4);
        let is_end = after.is_none_or(|t| t.token == Token::RParen || is_word(Some(&t.token), "returning"));
        if !is_end {
            return Err(syntax_error_at(source, after));
        }
        let Some([mark, dot]) = tokens.get_mut(n + 1..n + 3) else { continue };
        *mark = quoted(CURRENT_OF, mark);
        dot.token = Token::Period;
    }
    Ok(tokens)
}

/// Stands before the lower bound of BETWEEN SYMMETRIC: a prefix operator that nothing else has a use for.
const SYMMETRIC: Token = Token::QuestionMarkDash;
/// Tokens of the offset of a window's frame, if it is a string.
const MAX_OFFSET_TOKENS: usize = 16;
const SET_WORDS: [&str; 3] = ["union", "intersect", "except"];

/// `((SELECT …) UNION …)`: sqlparser takes the second parenthesis for one of an expression, so the whole becomes a query in FROM.
fn queries_of_sets(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    // The closing parenthesis of each opening one.
    let (mut open, mut close) = (Vec::new(), vec![None; tokens.len()]);
    for (n, t) in tokens.iter().enumerate() {
        match t.token {
            Token::LParen => open.push(n),
            Token::RParen => {
                if let Some(o) = open.pop() {
                    close[o] = Some(n);
                }
            }
            _ => {}
        }
    }
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let begins_query = |mut n: usize| {
        while at(n) == Some(&Token::LParen) {
            n += 1;
        }
        ["select", "values", "with", "table"].iter().any(|w| is_word(at(n), w))
    };
    // At the beginning and behind AS nothing but a query can stand, and sqlparser looks for nothing else: a recursive one must stay a UNION, and a view has
    // no star that was not there.
    let is_query_for_certain = |n: usize| {
        let outside = (0..n).rev().find(|n| at(*n) != Some(&Token::LParen));
        outside.is_none_or(|n| is_word(at(n), "as") || is_word(at(n), "materialized"))
    };
    let (mut before, mut after) = (vec![false; tokens.len()], vec![false; tokens.len()]);
    for n in 0..tokens.len() {
        if let (Some(end), Some(Some(inner))) = (close[n], close.get(n + 1))
            && SET_WORDS.iter().any(|w| is_word(at(inner + 1), w))
            && begins_query(n + 1)
            && !is_query_for_certain(n)
        {
            (before[n], after[end]) = (true, true);
        }
    }
    if !before.contains(&true) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 16);
    for (n, t) in tokens.into_iter().enumerate() {
        let like = t.clone();
        let same = |token: Token| TokenWithSpan { token, span: like.span };
        if after[n] {
            out.extend([same(Token::RParen), quoted("?column?", &like)]);
        }
        out.push(t);
        if before[n] {
            let (select, from) = (word("SELECT", &like), word("FROM", &like));
            out.extend([select, same(Token::Mul), from, same(Token::LParen)]);
        }
    }
    out
}

/// A select list of nothing.
pub const NOTHING: &str = "<NOTHING";
/// What may stand behind a select list, besides FROM, which sqlparser knows there.
const BEHIND_LIST: [&str; 13] = [
    "where",
    "union",
    "intersect",
    "except",
    "order",
    "limit",
    "group",
    "having",
    "offset",
    "fetch",
    "for",
    "window",
    "into",
];

/// Whether a SELECT has an empty list: all that may follow it is reserved, and cannot begin one.
fn selects_nothing(tokens: &[TokenWithSpan], n: usize) -> bool {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    // Behind AS it is a name, unless that begins the query of a definition.
    let is_label =
        n > 0 && is_word(at(n - 1), "as") && tokens[..n].iter().any(|t| is_word(Some(&t.token), "select"));
    let is_name = is_label || n > 0 && at(n - 1) == Some(&Token::Period);
    let ends = |t: Option<&Token>| {
        matches!(t, None | Some(Token::RParen)) || BEHIND_LIST.iter().any(|w| is_word(t, w))
    };
    is_word(at(n), "select") && ends(at(n + 1)) && !is_name
}

/// Puts something that stands for no column where a select list is empty.
fn empty_lists(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !(0..tokens.len()).any(|n| selects_nothing(&tokens, n)) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 3);
    for (n, t) in tokens.iter().enumerate() {
        out.push(t.clone());
        if selects_nothing(&tokens, n) {
            let same = |token: Token| TokenWithSpan { token, span: t.span };
            out.extend([quoted(NOTHING, t), same(Token::Period), same(Token::Mul)]);
        }
    }
    out
}

/// What stands for COLLATE behind a column's new type: a function of the collation, and of what stands behind USING.
pub const COLLATED: &str = "<COLLATE";

/// `ALTER a TYPE text COLLATE c USING x`, an action of ALTER TABLE, becomes `ALTER a TYPE text USING "<COLLATE"(c, x)`.
pub(super) fn collated_type(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let at = if is(1, "column") { 3 } else { 2 };
    let from = if is(at, "set") && is(at + 1, "data") { at + 3 } else { at + 1 };
    if !is(0, "alter") || !is(from - 1, "type") {
        return tokens;
    }
    let end = (from..tokens.len()).find(|n| is(*n, "using")).unwrap_or(tokens.len());
    let Some(collate) = (from..end).find(|n| is(*n, "collate")) else { return tokens };
    let like = &tokens[collate];
    let same = |token: Token| TokenWithSpan { token, span: like.span };
    let mut out = tokens[..collate].to_vec();
    out.extend([word("USING", like), quoted(COLLATED, like), same(Token::LParen)]);
    out.extend_from_slice(&tokens[collate + 1..end]);
    if let Some(using) = tokens.get(end + 1..) {
        out.push(same(Token::Comma));
        out.extend_from_slice(using);
    }
    out.push(same(Token::RParen));
    out
}

/// Where the parenthesis that opens here is closed; the end, if it is not.
pub(super) fn closing(tokens: &[TokenWithSpan], open: usize) -> usize {
    let mut depth = 0usize;
    let closes = |t: &TokenWithSpan| {
        match t.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    tokens[open..].iter().position(closes).map_or(tokens.len(), |n| open + n)
}

/// The same, if it is closed.
pub(super) fn closed(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    Some(closing(tokens, open)).filter(|n| *n < tokens.len())
}

/// How many tokens a string takes, with a cast behind it, where PRECEDING or FOLLOWING follows.
fn offset_len(tokens: &[TokenWithSpan]) -> Option<usize> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let is_end = |n: usize| is_word(at(n), "preceding") || is_word(at(n), "following");
    let is_of_type = |n: &usize| {
        matches!(
            at(*n),
            Some(Token::Word(_) | Token::Number(..) | Token::LParen | Token::RParen | Token::Comma)
        )
    };
    if is_end(1) {
        return Some(1);
    }
    if at(1) != Some(&Token::DoubleColon) {
        return None;
    }
    (2..MAX_OFFSET_TOKENS).take_while(is_of_type).find(|n| is_end(n + 1)).map(|n| n + 1)
}

/// What GROUP BY DISTINCT begins its list with.
pub const DISTINCT_SETS: &str = "<DISTINCT";

pub(super) fn depth_of(token: &Token) -> i32 {
    match token {
        Token::LParen | Token::LBracket => 1,
        Token::RParen | Token::RBracket => -1,
        _ => 0,
    }
}

/// Rewrites the tokens of one statement.
/// What begins a part of a target's name that stands for a subscript.
const SUBSCRIPT: char = '\u{1}';

/// The text of a subscript that stands in the name of a target: `[1]`.
pub fn subscript_text(part: &str) -> Option<&str> {
    part.strip_prefix(SUBSCRIPT)
}

/// `SET a[1].b = x`, `SET (a[1], b) = …`, `INSERT INTO t (a[1])`: a subscript of a target becomes a part of its name.
fn subscripts_of_targets(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_set = |t: &TokenWithSpan| is_word(Some(&t.token), "set");
    let is_into = |t: &TokenWithSpan| is_word(Some(&t.token), "into");
    if !tokens.iter().any(|t| t.token == Token::LBracket) || !tokens.iter().any(|t| is_set(t) || is_into(t)) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 8);
    // How deep in parentheses the lists are that are open.
    let (mut lists, mut depth, mut n) = (Vec::new(), 0usize, 0);
    while let Some(t) = tokens.get(n) {
        let is = |words: &[&str]| words.iter().any(|w| is_word(Some(&t.token), w));
        match t.token {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
            _ if lists.is_empty() => {}
            // What stands between is as in parentheses.
            _ if is(&["case"]) => depth += 1,
            _ if is(&["end"]) => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_distinct_from = n > 0 && is_word(Some(&tokens[n - 1].token), "distinct");
        let ends = is(&["from", "where", "returning", "when"]) && !is_distinct_from;
        while lists.last().is_some_and(|d| *d > depth || ends && *d == depth) {
            lists.pop();
        }
        let begins = is_set(t);
        if begins {
            lists.push(depth);
        }
        out.push(t.clone());
        n += 1;
        let target = match &t.token {
            _ if begins || t.token == Token::Comma && lists.last() == Some(&depth) => {
                target_with_subscripts(&tokens[n..]).or_else(|| {
                    targets_in_parentheses(&tokens[n..]).filter(|(_, len)| is_equal(tokens.get(n + len)))
                })
            }
            // The list of an INSERT, be it of MERGE.
            Token::Word(_) if is_word(Some(&t.token), "insert") => targets_in_parentheses(&tokens[n..]),
            Token::Word(_) if follows_into(&tokens, n) => targets_in_parentheses(&tokens[n..]),
            _ => None,
        };
        if let Some((name, len)) = target {
            out.extend(name);
            n += len;
        }
    }
    out
}

fn is_equal(t: Option<&TokenWithSpan>) -> bool {
    t.is_some_and(|t| t.token == Token::Eq)
}

/// Whether the tokens before `n` end with `INTO name` or `INTO name AS alias`.
fn follows_into(tokens: &[TokenWithSpan], n: usize) -> bool {
    let mut first = n.saturating_sub(1);
    if first >= 2 && is_word(Some(&tokens[first - 1].token), "as") {
        first -= 2;
    }
    while first >= 2 && tokens[first - 1].token == Token::Period {
        first -= 2;
    }
    first >= 1 && is_word(Some(&tokens[first - 1].token), "into")
}

/// `(a[1].b, c)`: the same, if one of the names has a subscript.
fn targets_in_parentheses(tokens: &[TokenWithSpan]) -> Option<(Vec<TokenWithSpan>, usize)> {
    let open = tokens.first().filter(|t| t.token == Token::LParen)?;
    let (mut out, mut n, mut has_subscript) = (vec![open.clone()], 1, false);
    loop {
        let (name, len, is_subscripted) = target_name(&tokens[n..])?;
        has_subscript |= is_subscripted;
        out.extend(name);
        n += len;
        let behind = tokens.get(n)?;
        out.push(behind.clone());
        n += 1;
        match behind.token {
            Token::Comma => {}
            Token::RParen if has_subscript => return Some((out, n)),
            _ => return None,
        }
    }
}

/// A target with a subscript, as a name, and how many tokens it is.
fn target_with_subscripts(tokens: &[TokenWithSpan]) -> Option<(Vec<TokenWithSpan>, usize)> {
    let (name, len, has_subscript) = target_name(tokens)?;
    (has_subscript && is_equal(tokens.get(len))).then_some((name, len))
}

/// A target as a name, how many tokens it is, and whether it has a subscript.
fn target_name(tokens: &[TokenWithSpan]) -> Option<(Vec<TokenWithSpan>, usize, bool)> {
    let first = tokens.first().filter(|t| matches!(t.token, Token::Word(_)))?;
    let (mut name, mut n, mut has_subscript) = (vec![first.clone()], 1, false);
    loop {
        let t = tokens.get(n)?;
        match (&t.token, tokens.get(n + 1)) {
            (Token::Period, Some(field)) if matches!(field.token, Token::Word(_)) => {
                name.extend([t.clone(), field.clone()]);
                n += 2;
            }
            (Token::LBracket, _) => {
                let mut depth = 0usize;
                let len = tokens[n..].iter().position(|t| {
                    match t.token {
                        Token::LBracket => depth += 1,
                        Token::RBracket => depth -= 1,
                        _ => {}
                    }
                    depth == 0
                })?;
                let text: Vec<String> = tokens[n..=n + len].iter().map(|t| t.token.to_string()).collect();
                let dot = TokenWithSpan { token: Token::Period, span: t.span };
                name.extend([dot, quoted(&format!("{SUBSCRIPT}{}", text.join(" ")), t)]);
                (n, has_subscript) = (n + len + 1, true);
            }
            _ => return Some((name, n, has_subscript)),
        }
    }
}

/// `(x).*` and `t.*::t`: the star becomes a name, as sqlparser has it for `f(a.*)` alone.
fn stars_of_rows(tokens: &mut [TokenWithSpan]) {
    for n in 2..tokens.len() {
        if tokens[n].token != Token::Mul || tokens[n - 1].token != Token::Period {
            continue;
        }
        // `(x).a.b.*`
        let mut first = n - 1;
        while first >= 2
            && matches!(tokens[first - 1].token, Token::Word(_))
            && tokens[first - 2].token == Token::Period
        {
            first -= 2;
        }
        let is_cast = tokens.get(n + 1).is_some_and(|t| t.token == Token::DoubleColon);
        let is_name = is_cast && matches!(tokens[first - 1].token, Token::Word(_));
        if is_name || matches!(tokens[first - 1].token, Token::RParen | Token::RBracket) {
            tokens[n] = word("*", &tokens[n]);
        }
    }
}

pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let concerned = |t: &TokenWithSpan| {
        let t = Some(&t.token);
        [
            "for",
            "table",
            "overwrite",
            "operator",
            "exclude",
            "preceding",
            "following",
            "overriding",
            "conflict",
            "identity",
            "trim",
            "substring",
            "distinct",
            "symmetric",
            "interval",
            "fetch",
            "tablespace",
        ]
        .iter()
        .any(|w| is_word(t, w))
    };
    let mut tokens = empty_lists(tokens);
    stars_of_rows(&mut tokens);
    let tokens = subscripts_of_targets(tokens);
    let tokens = super::column_words::rewrite(tokens);
    let merges = tokens.iter().any(|t| is_word(Some(&t.token), "merge"));
    let tokens = if merges { super::merge::rewrite(tokens) } else { tokens };
    let is_set = |t: &TokenWithSpan| SET_WORDS.iter().any(|w| is_word(Some(&t.token), w));
    let tokens = if tokens.iter().any(is_set) { queries_of_sets(tokens) } else { tokens };
    if !tokens.iter().any(concerned) {
        return Ok(tokens);
    }
    let tokens = &tokens[..];
    let mut out = Vec::with_capacity(tokens.len() + 8);
    let at = |i: usize| tokens.get(i).map(|t| &t.token);
    let mut i = 0;
    let is_insert = is_word(at(0), "insert");
    if is_insert && (is_word(at(1), "overwrite") || is_word(at(1), "or")) {
        return Err(syntax_error_at(source, tokens.get(1)));
    }
    // Behind AS stands a query, where the word may be a name.
    let is_stored = is_word(at(0), "create")
        && (1..4)
            .any(|n| is_word(at(n), "table") || is_word(at(n), "index") || is_word(at(n), "materialized"));
    // Of ALTER TABLE an action comes by itself.
    let is_altered = is_word(at(0), "add");
    let query = tokens.iter().position(|t| is_word(Some(&t.token), "as")).unwrap_or(tokens.len());
    while let Some(token) = tokens.get(i) {
        if is_word(at(i), "tablespace")
            && (is_stored
                && i < query
                && (at(i - 1) == Some(&Token::RParen)
                    || ["distinct", "index"].iter().any(|w| is_word(at(i - 1), w)))
                || is_altered && is_word(at(i - 1), "index") && is_word(at(i - 2), "using"))
            && let Some(Token::Word(name)) = at(i + 1)
        {
            only_tablespace(&super::cursor::fold(&name.value, name.quote_style.is_some()))?;
            let after_index = is_word(at(i - 1), "index") && is_word(at(i.wrapping_sub(2)), "using");
            if after_index {
                out.truncate(out.len() - 2);
            }
            i += 2;
            continue;
        }
        if is_word(at(i), "for")
            && i > 0
            && is_word(at(i - 1), "collation")
            && at(i + 1) == Some(&Token::LParen)
        {
            // COLLATION FOR (…)
            out.truncate(out.len() - 1);
            out.push(word("pg_collation_for", token));
            i += 1;
            continue;
        }
        if is_word(at(i), "for") {
            let strengths: [(&[&str], &str); 4] = [
                (&["no", "key", "update"], "<NO KEY UPDATE"),
                (&["key", "share"], "<KEY SHARE"),
                (&["update"], "<UPDATE"),
                (&["share"], "<SHARE"),
            ];
            let found = strengths
                .iter()
                .find(|(words, _)| words.iter().enumerate().all(|(n, w)| is_word(at(i + 1 + n), w)));
            if let Some((words, mark)) = found {
                i += 1 + words.len();
                out.extend([
                    word("FOR", token),
                    word("UPDATE", token),
                    word("OF", token),
                    quoted(mark, token),
                ]);
                if is_word(at(i), "of") {
                    i += 1;
                    while let Some(Token::Word(w)) = at(i) {
                        out.push(TokenWithSpan { token: Token::Period, span: token.span });
                        out.push(quoted(&super::cursor::fold(&w.value, w.quote_style.is_some()), &tokens[i]));
                        i += 1;
                        if at(i) != Some(&Token::Comma) {
                            break;
                        }
                        i += 1;
                    }
                }
                continue;
            }
        }
        let is_behind = |words: &[&str]| i > 0 && words.iter().any(|w| is_word(at(i - 1), w));
        let ends_with = i > 0 && at(i - 1) == Some(&Token::RParen) && is_word(at(0), "with");
        let starts_query = i == 0
            || matches!(at(i - 1), Some(Token::LParen))
            || ends_with
            || is_behind(&["as", "union", "intersect", "except", "all"]);
        if starts_query && is_word(at(i), "table") && super::spellings::is_name_of_table(at(i + 1)) {
            out.push(word("SELECT", token));
            out.push(TokenWithSpan { token: Token::Mul, span: token.span });
            out.push(word("FROM", token));
            i += 1;
            continue;
        }
        // `x OPERATOR(schema.=) ANY (…)`: sqlparser takes such a name of an operator only between two operands.
        if is_word(at(i), "operator")
            && let [
                Some(Token::LParen),
                Some(Token::Word(_)),
                Some(Token::Period),
                Some(_),
                Some(Token::RParen),
            ] = [at(i + 1), at(i + 2), at(i + 3), at(i + 4), at(i + 5)]
            && ["any", "all", "some"].iter().any(|w| is_word(at(i + 6), w))
        {
            out.push(tokens[i + 4].clone());
            i += 6;
            continue;
        }
        if super::overriding::mark(&tokens[i..], &mut out) {
            i += 3;
            continue;
        }
        if is_word(at(i), "conflict")
            && i > 0
            && is_word(at(i - 1), "on")
            && let Some((name, len)) = inference(&tokens[i + 1..])
        {
            out.extend([token.clone(), word("ON", token), word("CONSTRAINT", token), quoted(&name, token)]);
            i += 1 + len;
            continue;
        }
        if is_word(at(i), "fetch")
            && (is_word(at(i + 1), "first") || is_word(at(i + 1), "next"))
            && at(i + 2) == Some(&Token::LParen)
        {
            // sqlparser takes a value there, without parentheses; LIMIT takes anything.
            let end = closing(tokens, i + 2);
            let after = end + 1;
            let is_row = is_word(at(after), "row") || is_word(at(after), "rows");
            let with_ties = is_word(at(after + 1), "with") && is_word(at(after + 2), "ties");
            if is_row && (with_ties || is_word(at(after + 1), "only")) {
                let mut limit = word("LIMIT", token);
                if let Token::Word(w) = &mut limit.token {
                    w.keyword = Keyword::LIMIT;
                }
                out.push(limit);
                if with_ties {
                    out.push(quoted(WITH_TIES, token));
                }
                out.extend_from_slice(&tokens[i + 2..=end]);
                i = after + if with_ties { 3 } else { 2 };
                continue;
            }
        }
        if is_word(at(i), "distinct") && i > 1 && is_word(at(i - 1), "by") && is_word(at(i - 2), "group") {
            out.extend([
                quoted(DISTINCT_SETS, token),
                TokenWithSpan { token: Token::Comma, span: token.span },
            ]);
            i += 1;
            continue;
        }
        if is_word(at(i), "between") && (is_word(at(i + 1), "symmetric") || is_word(at(i + 1), "asymmetric"))
        {
            out.push(token.clone());
            if is_word(at(i + 1), "symmetric") {
                out.push(TokenWithSpan { token: SYMMETRIC, span: token.span });
            }
            i += 2;
            continue;
        }
        // sqlparser takes a string here for an interval.
        if let Some(Token::SingleQuotedString(_)) = at(i)
            && ["between", "and", "rows", "range", "groups"].iter().any(|w| i > 0 && is_word(at(i - 1), w))
            && let Some(len) = offset_len(&tokens[i..])
        {
            let same = |token: Token| TokenWithSpan { token, span: tokens[i].span };
            out.push(same(Token::LParen));
            out.extend_from_slice(&tokens[i..i + len]);
            out.push(same(Token::RParen));
            i += len;
            continue;
        }
        if is_word(at(i), "exclude")
            && let Some((words, mark)) = EXCLUDED
                .iter()
                .find(|(words, _)| words.iter().enumerate().all(|(n, w)| is_word(at(i + 1 + n), w)))
            && at(i + 1 + words.len()) == Some(&Token::RParen)
            && exclude(&mut out, mark, token)
        {
            i += 1 + words.len();
            continue;
        }
        // sqlparser loses the precision of `interval(0) '…'`, which is a cast.
        if is_word(at(i), "interval")
            && let (Some(Token::LParen), Some(Token::Number(..)), Some(Token::RParen)) =
                (at(i + 1), at(i + 2), at(i + 3))
            && let Some(Token::SingleQuotedString(_)) = at(i + 4)
        {
            out.extend([
                tokens[i + 4].clone(),
                TokenWithSpan { token: Token::DoubleColon, span: token.span },
            ]);
            out.extend_from_slice(&tokens[i..i + 4]);
            i += 5;
            continue;
        }
        if is_word(at(i), "identity")
            && at(i + 1) == Some(&Token::LParen)
            && let Some(len) = tokens[i + 2..].iter().position(|t| t.token == Token::RParen)
        {
            out.extend_from_slice(&tokens[i..i + 2]);
            out.extend(ordered_options(&tokens[i + 2..i + 2 + len]));
            i += 2 + len;
            continue;
        }
        out.push(token.clone());
        i += 1;
    }
    Ok(name_columns(out))
}

/// All is in one tablespace, which may be named.
pub(super) fn only_tablespace(name: &str) -> Result<(), SqlError> {
    let (code, why) = match name {
        "pg_default" => return Ok(()),
        "pg_global" => (
            SqlState::INVALID_PARAMETER_VALUE,
            "only shared relations can be placed in pg_global tablespace".to_owned(),
        ),
        other => (SqlState::UNDEFINED_OBJECT, format!("tablespace \"{other}\" does not exist")),
    };
    Err(SqlError::new(code, why))
}

/// The function that stands around what FETCH FIRST (…) WITH TIES says, as LIMIT has it.
const WITH_TIES: &str = "<WITH TIES>";

/// What FETCH FIRST (…) WITH TIES says, if LIMIT stands for it.
pub fn limit_with_ties(limit: &sqlparser::ast::Expr) -> Option<&sqlparser::ast::Expr> {
    use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart};
    let Expr::Function(f) = limit else { return None };
    let [ObjectNamePart::Identifier(name)] = &f.name.0[..] else { return None };
    let FunctionArguments::List(list) = &f.args else { return None };
    match &list.args[..] {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(e))] if name.value == WITH_TIES => Some(e),
        _ => None,
    }
}

/// What begins the name that stands for what ON CONFLICT says of an index, and what is before its WHERE.
const INFERENCE: char = '\u{1}';
const INFERENCE_WHERE: char = '\u{2}';

/// `(items) WHERE condition` behind ON CONFLICT as a name, and how many tokens that is; None: it is a list of columns alone, or something else.
fn inference(tokens: &[TokenWithSpan]) -> Option<(String, usize)> {
    let text =
        |tokens: &[TokenWithSpan]| tokens.iter().map(|t| t.token.to_string()).collect::<Vec<_>>().join(" ");
    if tokens.first()?.token != Token::LParen {
        return None;
    }
    let (mut depth, mut items, mut from, mut end) = (0usize, Vec::new(), 1, None);
    for (n, t) in tokens.iter().enumerate() {
        match t.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        let is_end = depth == 0;
        if is_end || depth == 1 && t.token == Token::Comma {
            items.push(&tokens[from..n]);
            from = n + 1;
        }
        if is_end {
            end = Some(n + 1);
            break;
        }
    }
    let end = end?;
    let is_where = is_word(tokens.get(end).map(|t| &t.token), "where");
    if !is_where && items.iter().all(|i| matches!(i, [one] if matches!(one.token, Token::Word(_)))) {
        return None;
    }
    let mut name = String::new();
    for item in items {
        name.push(INFERENCE);
        name.push_str(&text(without_class(item)));
    }
    if !is_where {
        return Some((name, end));
    }
    let is_do = |t: &TokenWithSpan| is_word(Some(&t.token), "do");
    let len = tokens[end + 1..].iter().position(is_do)?;
    name.push(INFERENCE_WHERE);
    name.push_str(&text(&tokens[end + 1..end + 1 + len]));
    Some((name, end + 1 + len))
}

/// An item without its operator class: all that there are tell the same values apart.
fn without_class(item: &[TokenWithSpan]) -> &[TokenWithSpan] {
    let is_value = |t: &Token| match t {
        Token::RParen => true,
        Token::Word(w) => w.quote_style.is_some() || !w.value.eq_ignore_ascii_case("collate"),
        _ => false,
    };
    match item {
        [rest @ .., last] if matches!(last.token, Token::Word(_)) => match rest {
            [.., before] if is_value(&before.token) => rest,
            _ => item,
        },
        _ => item,
    }
}

/// What ON CONFLICT says of an index, if a constraint's name stands for that: the items, and the condition.
pub fn inference_texts(name: &sqlparser::ast::ObjectName) -> Option<(Vec<String>, Option<String>)> {
    let sqlparser::ast::ObjectNamePart::Identifier(i) = name.0.first()? else { return None };
    let rest = i.value.strip_prefix(INFERENCE)?;
    let (items, condition) = match rest.split_once(INFERENCE_WHERE) {
        Some((items, condition)) => (items, Some(condition.to_owned())),
        None => (rest, None),
    };
    Some((items.split(INFERENCE).map(str::to_owned).collect(), condition))
}

/// What a frame may leave out, and how the window's name tells it.
const EXCLUDED: [(&[&str], &str); 4] = [
    (&["current", "row"], "<EXCLUDE CURRENT ROW>"),
    (&["group"], "<EXCLUDE GROUP>"),
    (&["ties"], "<EXCLUDE TIES>"),
    (&["no", "others"], "<EXCLUDE NO OTHERS>"),
];

/// Has the name of the window that is open tell what its frame excludes; false: none is open.
fn exclude(out: &mut Vec<TokenWithSpan>, mark: &str, like: &TokenWithSpan) -> bool {
    let mut depth = 0;
    let open = out.iter().rposition(|t| {
        depth += match t.token {
            Token::RParen => 1,
            Token::LParen => -1,
            _ => 0,
        };
        depth < 0
    });
    let Some(open) = open else { return false };
    let first = out.get(open + 1).map(|t| &t.token);
    let is_name = !["partition", "order", "rows", "range", "groups"].iter().any(|w| is_word(first, w));
    match first {
        Some(Token::Word(w)) if is_name => {
            let name = super::cursor::fold(&w.value, w.quote_style.is_some());
            out[open + 1] = quoted(&format!("{mark}{name}"), like);
        }
        _ => out.insert(open + 1, quoted(mark, like)),
    }
    true
}

/// What begins the parts of a name behind SEQUENCE NAME, which goes with the number of CACHE: sqlparser does not know it.
const SEQUENCE_NAME: char = '\u{1}';

/// The number that CACHE has, if it is there, and SEQUENCE NAME.
pub fn cache_and_name(text: &str) -> (Option<&str>, Option<super::Name>) {
    let mut parts = text.split(SEQUENCE_NAME);
    let number = parts.next().filter(|n| !n.is_empty());
    let name = parts.next_back().map(str::to_owned);
    (number, name.map(|name| super::Name { schema: parts.next().map(str::to_owned), name }))
}

/// Sequence options in the order that sqlparser wants them; PostgreSQL takes any.
fn ordered_options(tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    const ORDER: [&str; 6] = ["increment", "minvalue", "maxvalue", "start", "cache", "cycle"];
    let rank = |t: &TokenWithSpan| ORDER.iter().position(|w| is_word(Some(&t.token), w));
    let mut groups: Vec<(usize, Vec<TokenWithSpan>)> = Vec::new();
    let mut negated: Option<TokenWithSpan> = None;
    let mut name = String::new();
    let mut rest = tokens;
    while let [t, after @ ..] = rest {
        rest = after;
        if is_word(Some(&t.token), "sequence") && is_word(after.first().map(|t| &t.token), "name") {
            let len = if after.get(2).is_some_and(|t| t.token == Token::Period) { 3 } else { 1 };
            for part in after.iter().skip(1).take(len) {
                if let Token::Word(w) = &part.token {
                    name.push(SEQUENCE_NAME);
                    name.push_str(&super::cursor::fold(&w.value, w.quote_style.is_some()));
                }
            }
            rest = after.get(1 + len..).unwrap_or_default();
            continue;
        }
        if is_word(Some(&t.token), "no") {
            negated = Some(t.clone());
        } else if let Some(r) = rank(t) {
            groups.push((r, negated.take().into_iter().chain([t.clone()]).collect()));
        } else if let Some((_, group)) = groups.last_mut() {
            group.push(t.clone());
        } else {
            return tokens.to_vec();
        }
    }
    if let (false, Some(like)) = (name.is_empty(), tokens.first()) {
        let cache = groups.iter_mut().find(|(r, _)| ORDER[*r] == "cache");
        match cache.and_then(|(_, group)| group.last_mut()) {
            Some(TokenWithSpan { token: Token::Number(n, _), .. }) => n.push_str(&name),
            Some(_) => {}
            None => {
                let number = TokenWithSpan { token: Token::Number(name, false), span: like.span };
                groups.push((4, vec![word("cache", like), number]));
            }
        }
    }
    groups.sort_by_key(|g| g.0);
    groups.into_iter().flat_map(|g| g.1).collect()
}

/// `CREATE TABLE t (a, b) AS …`: sqlparser wants a type behind each name; the query gives the real one.
fn name_columns(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !is_word(tokens.first().map(|t| &t.token), "create") {
        return tokens;
    }
    let Some(open) = tokens.iter().position(|t| t.token == Token::LParen) else { return tokens };
    let Some(len) = tokens[open..].iter().position(|t| t.token == Token::RParen) else { return tokens };
    let close = open + len;
    let list = &tokens[open + 1..close];
    let plain = list.iter().enumerate().all(|(n, t)| match &t.token {
        Token::Word(_) => n % 2 == 0,
        Token::Comma => n % 2 == 1,
        _ => false,
    });
    let before = |w: &str| tokens[..open].iter().any(|t| is_word(Some(&t.token), w));
    let is_table = before("table") && !before("as");
    let has_query = tokens[close + 1..].iter().any(|t| is_word(Some(&t.token), "as"));
    if !plain || list.is_empty() || !is_table || !has_query {
        return tokens;
    }
    for n in
        (open + 1..close).rev().filter(|n| matches!(tokens[*n].token, Token::Word(_))).collect::<Vec<_>>()
    {
        let ty = word("text", &tokens[n]);
        tokens.insert(n + 1, ty);
    }
    tokens
}
