//! Token rewriting before sqlparser: syntax of PostgreSQL's that it lacks is spelled in a way that it has.
//!
//! `((SELECT …) UNION …)` becomes `(SELECT * FROM ((SELECT …) UNION …) "?column?")`, but for behind AS. `SELECT WHERE x` becomes `SELECT "<NOTHING".* WHERE x`.
//! What can be told by looking at one place is a rule (`rules`).
//!
//! Must not know: what the statements mean.

use super::cursor::{is_word, syntax_error_at};
use evenkeel_types::error::SqlError;
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
pub(super) const BEHIND_LIST: [&str; 13] = [
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
    // ALL says nothing, and before FROM the parser knows it.
    let is_all = n > 0 && is_word(at(n), "all") && is_word(at(n - 1), "select");
    let is_named = |n: usize| n > 0 && matches!(at(n - 1), Some(Token::Period));
    is_word(at(n), "select") && ends(at(n + 1)) && !is_name || is_all && ends(at(n + 1)) && !is_named(n - 1)
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

pub(crate) fn depth_of(token: &Token) -> i32 {
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

/// Words that are names in a query, for which sqlparser wants AS before them.
const LABELS: [&str; 5] = ["view", "cluster", "exclude", "explain", "analyze"];

/// Takes from the names in a query what sqlparser has them for.
fn labels(tokens: &mut [TokenWithSpan]) {
    const BEGIN: [&str; 7] = ["select", "with", "values", "insert", "update", "delete", "merge"];
    let first = tokens.first().map(|t| &t.token);
    if first != Some(&Token::LParen) && !BEGIN.iter().any(|w| is_word(first, w)) {
        return;
    }
    // A star has no label.
    let mut is_star = false;
    for t in tokens {
        let is_label = !is_star && LABELS.iter().any(|w| is_word(Some(&t.token), w));
        is_star = t.token == Token::Mul;
        if let (true, Token::Word(w)) = (is_label, &mut t.token) {
            w.keyword = Keyword::NoKeyword;
        }
    }
}

pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let mut tokens = empty_lists(tokens);
    labels(&mut tokens);
    stars_of_rows(&mut tokens);
    let tokens = subscripts_of_targets(tokens);
    let tokens = super::column_words::rewrite(tokens)?;
    let merges = tokens.iter().any(|t| is_word(Some(&t.token), "merge"));
    let tokens = if merges { super::merge::rewrite(tokens) } else { tokens };
    let is_set = |t: &TokenWithSpan| SET_WORDS.iter().any(|w| is_word(Some(&t.token), w));
    let tokens = if tokens.iter().any(is_set) { queries_of_sets(tokens) } else { tokens };
    match super::rules::apply(&tokens, source)? {
        Some(tokens) => Ok(name_columns(tokens)),
        None => Ok(tokens),
    }
}

/// The type of columns that a query gives theirs.
pub const OF_QUERY: &str = "<OF QUERY";

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
        let ty = quoted(OF_QUERY, &tokens[n]);
        tokens.insert(n + 1, ty);
    }
    tokens
}
