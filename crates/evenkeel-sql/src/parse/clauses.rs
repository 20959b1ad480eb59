//! Where clauses end: what sqlparser takes of other databases' grammars is refused here, as far as it would drop it.
//!
//! * UPDATE and DELETE end with RETURNING: no ORDER BY, no LIMIT; and DELETE names its table behind FROM alone.
//! * INSERT and MERGE have INTO, and no TABLE behind it.
//! * `FOR XML`, `FOR JSON`, `FOR BROWSE`, `TABLESAMPLE (…)`, `WITH OFFSET`, `RESPECT NULLS`, braces, brackets without ARRAY, and fields of rows and subscripts of arrays that
//!   have no parentheses around them are nothing.
//! * ASC and DESC are no options of a column, and USING stands behind the table of an index, whose own name has no schema.
//! * `GENERATED` goes on to its end, and `FOR UPDATE OF` names a table.
//! * `==` is an operator like any other that does not exist.
//! * A join that is neither CROSS nor NATURAL has ON or USING. Where its operand begins with a join that is, `a JOIN b CROSS JOIN c ON …`, that gets parentheses:
//!   sqlparser looks for no condition behind it.
//!
//! Invariant: nothing is refused that PostgreSQL takes. What is not surely understood is left to the parser and to `bind`, which looks at what the parser made.
//!
//! Must not know: what the statements mean.

use super::cursor::{is_word, syntax_error_at};
use super::rewrite::depth_of;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What a statement changes, as far as it is clear that it is one.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Verb {
    #[default]
    Other,
    /// UPDATE, before its SET.
    Update,
    /// UPDATE behind its SET.
    Updated,
    Delete,
}

/// A join that waits for its condition.
struct Open {
    /// Where its operand begins, in what is written.
    operand: usize,
    /// Whether that is a join itself.
    is_nested: bool,
    /// Whether parentheses are put around it.
    is_put: bool,
}

/// What is open at one depth of parentheses and brackets.
#[derive(Default)]
struct Level {
    verb: Verb,
    has_with: bool,
    in_from: bool,
    joins: Vec<Open>,
    /// Brackets of ARRAY, or within such.
    is_array: bool,
    /// Parentheses of ROW.
    is_row: bool,
    has_comma: bool,
    is_query: bool,
    /// The columns of CREATE TABLE.
    is_columns: bool,
}

impl Level {
    /// Whether it holds values side by side, so that no field can be taken of it.
    fn is_list(&self) -> bool {
        self.is_row || self.has_comma && !self.is_query
    }
}

/// Words that end a FROM clause.
const ENDS_FROM: [&str; 13] = [
    "where",
    "group",
    "having",
    "window",
    "union",
    "intersect",
    "except",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "returning",
];

/// Words that anything here is about.
const CONCERNED: [&str; 14] = [
    "generated",
    "join",
    "update",
    "delete",
    "insert",
    "merge",
    "for",
    "tablesample",
    "offset",
    "respect",
    "ignore",
    "asc",
    "desc",
    "index",
];
/// Words that a list in brackets may not follow, though it follows other words: those are names, or ARRAY.
const BEFORE_VALUES: [&str; 21] = [
    "select",
    "distinct",
    "all",
    "where",
    "and",
    "or",
    "not",
    "on",
    "by",
    "having",
    "case",
    "when",
    "then",
    "else",
    "set",
    "returning",
    "between",
    "in",
    "like",
    "limit",
    "is",
];

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let concerned = |n: usize| match tokens[n].token {
        Token::LBrace | Token::LBracket | Token::DoubleEq => true,
        Token::Period => n > 0 && tokens[n - 1].token == Token::RParen,
        _ => CONCERNED.iter().any(|w| is(n, w)),
    };
    if !(0..tokens.len()).any(concerned) {
        return Ok(tokens);
    }
    let error_at = |n: usize| syntax_error_at(source, tokens.get(n));
    let (mut level, mut outer) = (Level::default(), Vec::new());
    // What was closed last.
    let mut closed = Level::default();
    let first_of = |w: &str| (0..tokens.len()).find(|n| is(*n, w)).unwrap_or(tokens.len());
    if is(0, "create") && first_of("index") < 3 && first_of("using") < first_of("on") {
        return Err(error_at(first_of("using")));
    }
    // The name of an index has no schema: it is that of the table.
    if is(0, "create") && first_of("index") < 3 {
        let dot = tokens[..first_of("on")].iter().position(|t| t.token == Token::Period);
        if let Some(dot) = dot {
            return Err(error_at(dot));
        }
    }
    let columns = (0..tokens.len())
        .find(|n| tokens[*n].token == Token::LParen)
        .filter(|open| is(0, "create") && first_of("table") < 5 && *open < first_of("as"));
    // Where parentheses are put around an operand: before the token that is written so far.
    let mut put: Vec<(usize, Token)> = Vec::new();
    for (n, t) in tokens.iter().enumerate() {
        let before = n.checked_sub(1).map(|n| &tokens[n].token);
        match &t.token {
            Token::LParen | Token::LBracket => {
                let continues = level.in_from
                    && t.token == Token::LParen
                    && (matches!(before, Some(Token::LParen | Token::Comma))
                        || is_any(before, &["from", "join", "using"]));
                let is_array = t.token == Token::LBracket
                    && match before {
                        Some(Token::LBracket | Token::Comma) if level.is_array => true,
                        // What has an element, or dimensions.
                        Some(Token::RBracket) if closed.is_array => return Err(error_at(n)),
                        Some(
                            Token::RParen
                            | Token::RBracket
                            | Token::Placeholder(_)
                            | Token::SingleQuotedString(_),
                        ) => false,
                        Some(Token::Word(w)) if w.quote_style.is_some() => false,
                        Some(Token::Word(_)) if !is_any(before, &BEFORE_VALUES) => is_word(before, "array"),
                        _ => return Err(error_at(n)),
                    };
                let is_row = t.token == Token::LParen
                    && is_word(before, "row")
                    && (n < 2 || tokens[n - 2].token != Token::Period);
                let is_columns = columns == Some(n);
                let within = Level { in_from: continues, is_array, is_row, is_columns, ..Level::default() };
                outer.push(std::mem::replace(&mut level, within));
            }
            Token::LBrace => return Err(error_at(n)),
            Token::Period if before == Some(&Token::RParen) && closed.is_list() => return Err(error_at(n)),
            Token::RParen | Token::RBracket => {
                if !level.joins.is_empty() {
                    return Err(error_at(n));
                }
                closed = std::mem::replace(&mut level, outer.pop().unwrap_or_default());
            }
            Token::Comma if !level.joins.is_empty() => return Err(error_at(n)),
            Token::Comma => level.has_comma = true,
            Token::Word(w) if w.quote_style.is_none() => {
                // The name of something.
                if before == Some(&Token::Period) || is_word(before, "as") {
                    continue;
                }
                let word = w.value.to_ascii_lowercase();
                let begins = before.is_none() || level.has_with && before == Some(&Token::RParen);
                level.is_query |=
                    before == Some(&Token::LParen) && ["select", "values", "with", "table"].contains(&&*word);
                match &*word {
                    "insert" | "merge" if begins && !is(n + 1, "into") => return Err(error_at(n + 1)),
                    "insert" if begins && is(n + 2, "table") => return Err(error_at(n + 2)),
                    "for"
                        if (level.is_query || outer.is_empty())
                            && ["xml", "json", "browse"].iter().any(|w| is(n + 1, w)) =>
                    {
                        return Err(error_at(n + 1));
                    }
                    "asc" | "desc" if level.is_columns => return Err(error_at(n)),
                    "generated" if level.is_columns && is_option(before) => {
                        if let Some(odd) = odd_in_generated(&tokens[n..]) {
                            return Err(error_at(n + odd));
                        }
                    }
                    "for" if ends_with_of(&tokens[n..]) => {
                        return Err(error_at(
                            n + 1
                                + tokens[n..].iter().position(|t| is_word(Some(&t.token), "of")).unwrap_or(0),
                        ));
                    }
                    "with" if level.in_from && is(n + 1, "offset") => return Err(error_at(n)),
                    "respect" | "ignore" if before == Some(&Token::RParen) && is(n + 1, "nulls") => {
                        return Err(error_at(n + 1));
                    }
                    "tablesample"
                        if level.in_from
                            && matches!(before, Some(Token::Word(_) | Token::RParen))
                            && !is_any(before, &["from", "join", "lateral"])
                            && tokens.get(n + 1).is_some_and(|t| t.token == Token::LParen) =>
                    {
                        return Err(error_at(n + 1));
                    }
                    "with" if matches!(before, None | Some(Token::LParen)) => level.has_with = true,
                    "update" if is(n + 1, "or") && (begins || n > 1 && is(n - 2, "as")) => {
                        return Err(error_at(n + 1));
                    }
                    "update" if begins || before == Some(&Token::LParen) => level.verb = Verb::Update,
                    "set" if level.verb == Verb::Update => level.verb = Verb::Updated,
                    "delete" if is(n + 1, "from") && (begins || before == Some(&Token::LParen)) => {
                        level.verb = Verb::Delete;
                    }
                    "delete" if begins => return Err(error_at(n + 1)),
                    "limit" | "order" if matches!(level.verb, Verb::Updated | Verb::Delete) => {
                        return Err(error_at(n));
                    }
                    "from" if !is_word(before, "distinct") => level.in_from = true,
                    // The statement that WITH is of.
                    "select" | "values" | "insert" | "merge" | "table" => {
                        (level.in_from, level.has_with) = (false, false);
                    }
                    "join" if level.in_from => {
                        let has_condition = has_condition(&tokens[..n]);
                        if let Some(open) = level.joins.last_mut().filter(|open| !open.is_nested) {
                            (open.is_nested, open.is_put) = (true, !has_condition);
                            put.extend(open.is_put.then_some((open.operand, Token::LParen)));
                        }
                        if has_condition {
                            level.joins.push(Open { operand: n + 1, is_nested: false, is_put: false });
                        }
                    }
                    "on" | "using" if !level.joins.is_empty() => {
                        let is_put = level.joins.pop().is_some_and(|open| open.is_put);
                        put.extend(is_put.then_some((n, Token::RParen)));
                    }
                    "using" if level.verb == Verb::Delete => level.in_from = true,
                    word if ENDS_FROM.contains(&word) && !is_word(before, "within") => {
                        if !level.joins.is_empty() {
                            return Err(error_at(n));
                        }
                        level.in_from = false;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if !level.joins.is_empty() {
        return Err(syntax_error_at(source, None));
    }
    put.sort_by_key(|(n, _)| *n);
    let mut put = put.into_iter().peekable();
    let mut out = Vec::with_capacity(tokens.len() + put.len());
    for (n, t) in tokens.into_iter().enumerate() {
        while let Some((_, token)) = put.next_if(|(at, _)| *at == n) {
            out.push(TokenWithSpan { token, span: t.span });
        }
        let token = match t.token {
            Token::DoubleEq => Token::CustomBinaryOperator("==".into()),
            token => token,
        };
        out.push(TokenWithSpan { token, span: t.span });
    }
    Ok(out)
}

/// Looks at the tokens of an action of ALTER TABLE: ASC and DESC stand in parentheses alone.
pub(super) fn check_action(tokens: &[TokenWithSpan], source: &str) -> Result<(), SqlError> {
    let mut depth = 0;
    let mut is_odd = |t: &&TokenWithSpan| {
        depth += depth_of(&t.token);
        depth == 0 && is_any(Some(&t.token), &["asc", "desc"])
    };
    if let Some(t) = tokens.iter().find(&mut is_odd) {
        return Err(syntax_error_at(source, Some(t)));
    }
    let mut depth = 0;
    for (n, t) in tokens.iter().enumerate() {
        depth += depth_of(&t.token);
        let before = n.checked_sub(1).map(|n| &tokens[n].token);
        if depth == 0
            && is_word(Some(&t.token), "generated")
            && is_option(before)
            && let Some(odd) = odd_in_generated(&tokens[n..])
        {
            return Err(syntax_error_at(source, tokens.get(n + odd)));
        }
    }
    Ok(())
}

/// Whether what stands behind a token is an option of a column, rather than a name.
fn is_option(before: Option<&Token>) -> bool {
    const NAMED: [&str; 14] = [
        "including",
        "excluding",
        "add",
        "column",
        "exists",
        "references",
        "like",
        "constraint",
        "collate",
        "drop",
        "to",
        "default",
        "rename",
        "alter",
    ];
    !matches!(before, None | Some(Token::LParen | Token::Comma | Token::Period)) && !is_any(before, &NAMED)
}

/// Which token is none of `GENERATED ALWAYS AS (…)`, `… AS IDENTITY` or `GENERATED BY DEFAULT AS IDENTITY`: sqlparser drops what it does not understand of it.
fn odd_in_generated(tokens: &[TokenWithSpan]) -> Option<usize> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let words: &[&str] = if is(1, "by") { &["by", "default", "as"] } else { &["always", "as"] };
    let odd = words.iter().enumerate().find(|(n, w)| !is(n + 1, w)).map(|(n, _)| n + 1);
    let end = words.len() + 1;
    let is_expression = tokens.get(end).is_some_and(|t| t.token == Token::LParen);
    odd.or_else(|| (!is(end, "identity") && !is_expression).then_some(end))
}

/// Whether `FOR UPDATE OF` and its like name no table.
fn ends_with_of(tokens: &[TokenWithSpan]) -> bool {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let strengths = [&["update"][..], &["share"], &["no", "key", "update"], &["key", "share"]];
    strengths.iter().any(|s| {
        let of = s.len() + 1;
        let names_none = !matches!(tokens.get(of + 1).map(|t| &t.token), Some(Token::Word(_)));
        s.iter().enumerate().all(|(n, w)| is(n + 1, w)) && is(of, "of") && names_none
    })
}

fn is_any(token: Option<&Token>, words: &[&str]) -> bool {
    words.iter().any(|w| is_word(token, w))
}

/// Whether a join has a condition of its own, by what stands before JOIN.
fn has_condition(before: &[TokenWithSpan]) -> bool {
    let is = |t: Option<&TokenWithSpan>, words: &[&str]| is_any(t.map(|t| &t.token), words);
    let mut words = before.iter().rev().peekable();
    words.next_if(|t| is(Some(t), &["outer"]));
    words.next_if(|t| is(Some(t), &["left", "right", "full", "inner"]));
    !is(words.peek().copied(), &["natural", "cross"])
}
