//! Rules of rewriting: each looks at one place of a statement's tokens, and spells what stands there in a way that sqlparser has.
//!
//! `FOR NO KEY UPDATE OF a, b` becomes `FOR UPDATE OF "<NO KEY UPDATE"."a"."b"`: the strength travels as the first part of the name,
//! where no real name stands, and begins with `<`. `FETCH FIRST (x) ROWS WITH TIES` becomes `LIMIT "<WITH TIES>"(x)`. `TABLE t` becomes `SELECT * FROM t`. `overriding` does OVERRIDING.
//! `ON CONFLICT (lower(a)) WHERE b` becomes `ON CONFLICT ON CONSTRAINT "…"`, whose name has the texts (`inference_texts`). `(w ROWS … EXCLUDE TIES)` becomes `("<EXCLUDE TIES>w" ROWS …)`.
//! `BETWEEN SYMMETRIC x` becomes `BETWEEN ?- x`, `GROUP BY DISTINCT a` becomes `GROUP BY "<DISTINCT", a`.
//!
//! Must not know: what the statements mean.

use super::cursor::{fold, is_word, syntax_error_at};
use super::rewrite::{closing, quoted, word};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// A statement without any of these words has nothing for a rule.
const CONCERNED: [&str; 20] = [
    "like",
    "ilike",
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
    "asymmetric",
    "interval",
    "fetch",
    "tablespace",
];

/// Puts what it makes of the tokens at a place behind the others, and gives how many it took; `None`: it is not about this place.
type Rule<'t> = fn(&Statement<'t>, usize, &mut Vec<TokenWithSpan>) -> Option<usize>;

/// In the order in which they are asked.
fn rules<'t>() -> [Rule<'t>; 13] {
    [
        Statement::collation_for,
        Statement::row_locks,
        Statement::table_of_query,
        Statement::named_operator,
        Statement::like_all,
        Statement::overriding,
        Statement::conflict,
        Statement::fetch,
        Statement::distinct_sets,
        Statement::symmetric,
        Statement::frame_offset,
        Statement::frame_exclusion,
        Statement::interval_or_identity,
    ]
}

/// What the rules make of a statement; `None`: nothing in it concerns them.
pub(super) fn apply(tokens: &[TokenWithSpan], source: &str) -> Result<Option<Vec<TokenWithSpan>>, SqlError> {
    if let Some(simpler) = without_parentheses(tokens) {
        return Ok(Some(apply(&simpler, source)?.unwrap_or(simpler)));
    }
    let concerned = |t: &TokenWithSpan| CONCERNED.iter().any(|w| is_word(Some(&t.token), w));
    if !tokens.iter().any(concerned) {
        return Ok(None);
    }
    let statement = Statement::new(tokens);
    if statement.is(0, "insert") && (statement.is(1, "overwrite") || statement.is(1, "or")) {
        return Err(syntax_error_at(source, tokens.get(1)));
    }
    let mut out = Vec::with_capacity(tokens.len() + 8);
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let taken = match statement.tablespace(i, &mut out)? {
            None => rules().iter().find_map(|rule| rule(&statement, i, &mut out)),
            taken => taken,
        };
        i += taken.unwrap_or_else(|| {
            out.push(token.clone());
            1
        });
    }
    Ok(Some(out))
}

/// `INSERT INTO t (VALUES …)` and `(WITH … )` without the parentheses, which sqlparser takes for those of columns.
fn without_parentheses(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let is = |n: usize, word: &str| is_word(tokens.get(n).map(|t| &t.token), word);
    if !is(0, "insert") {
        return None;
    }
    let begins = |n: &usize| tokens[*n].token == Token::LParen && (is(n + 1, "values") || is(n + 1, "with"));
    let open = (1..tokens.len()).find(begins).filter(|n| Statement::new(tokens).is_inserted(*n))?;
    let close = closing(tokens, open);
    if close + 1 < tokens.len() && !is(close + 1, "on") && !is(close + 1, "returning") {
        return None;
    }
    Some([&tokens[..open], &tokens[open + 1..close], &tokens[close + 1..]].concat())
}

/// A statement, and what of it rules have to know besides the place.
struct Statement<'a> {
    tokens: &'a [TokenWithSpan],
    /// It makes what may name a tablespace.
    is_stored: bool,
    /// An action of ALTER TABLE, which comes by itself.
    is_altered: bool,
    /// Behind AS stands a query, where the word may be a name.
    query: usize,
}

impl<'a> Statement<'a> {
    fn new(tokens: &'a [TokenWithSpan]) -> Statement<'a> {
        let mut of = Statement { tokens, is_stored: false, is_altered: false, query: tokens.len() };
        let makes = |n: usize| ["table", "index", "materialized"].iter().any(|w| of.is(n, w));
        let is_stored = of.is(0, "create") && (1..4).any(makes);
        of.is_stored = is_stored;
        of.is_altered = of.is(0, "add");
        of.query = (0..tokens.len()).find(|n| of.is(*n, "as")).unwrap_or(tokens.len());
        of
    }

    fn at(&self, n: usize) -> Option<&'a Token> {
        self.tokens.get(n).map(|t| &t.token)
    }

    fn is(&self, n: usize, word: &str) -> bool {
        is_word(self.at(n), word)
    }

    fn is_any(&self, n: usize, words: &[&str]) -> bool {
        words.iter().any(|w| self.is(n, w))
    }

    /// Whether one of these words stands before that place.
    fn is_behind(&self, i: usize, words: &[&str]) -> bool {
        i > 0 && self.is_any(i - 1, words)
    }

    /// Whether these words stand there, one after another.
    fn has(&self, n: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(k, w)| self.is(n + k, w))
    }

    /// `TABLESPACE pg_default` is left out.
    fn tablespace(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Result<Option<usize>, SqlError> {
        if !self.is(i, "tablespace") || i == 0 {
            return Ok(None);
        }
        let after_index = i > 1 && self.is(i - 1, "index") && self.is(i - 2, "using");
        let is_behind = self.at(i - 1) == Some(&Token::RParen)
            || self.is_behind(i, &["distinct", "index"])
            || i + 2 == self.query;
        let is_of_this = self.is_stored && i < self.query && is_behind || self.is_altered && after_index;
        let Some(Token::Word(name)) = self.at(i + 1).filter(|_| is_of_this) else { return Ok(None) };
        only_tablespace(&fold(&name.value, name.quote_style.is_some()))?;
        if after_index {
            out.truncate(out.len() - 2);
        }
        Ok(Some(2))
    }

    /// `COLLATION FOR (…)`.
    fn collation_for(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        let is_it = self.is(i, "for") && self.is_behind(i, &["collation"]);
        if !is_it || self.at(i + 1) != Some(&Token::LParen) {
            return None;
        }
        out.pop();
        out.push(word("pg_collation_for", &self.tokens[i]));
        Some(1)
    }

    fn row_locks(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        const STRENGTHS: [(&[&str], &str); 4] = [
            (&["no", "key", "update"], "<NO KEY UPDATE"),
            (&["key", "share"], "<KEY SHARE"),
            (&["update"], "<UPDATE"),
            (&["share"], "<SHARE"),
        ];
        if !self.is(i, "for") {
            return None;
        }
        let (words, mark) = STRENGTHS.iter().find(|(words, _)| self.has(i + 1, words))?;
        let token = &self.tokens[i];
        out.extend([word("FOR", token), word("UPDATE", token), word("OF", token), quoted(mark, token)]);
        let mut n = i + 1 + words.len();
        if self.is(n, "of") {
            n += 1;
            while let Some(Token::Word(w)) = self.at(n) {
                out.push(TokenWithSpan { token: Token::Period, span: token.span });
                out.push(quoted(&fold(&w.value, w.quote_style.is_some()), &self.tokens[n]));
                n += 1;
                if self.at(n) != Some(&Token::Comma) {
                    break;
                }
                n += 1;
            }
        }
        Some(n - i)
    }

    /// `TABLE t`.
    fn table_of_query(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        if !self.is(i, "table") {
            return None;
        }
        let ends_with = i > 0 && self.at(i - 1) == Some(&Token::RParen) && self.is(0, "with");
        let starts_query = i == 0
            || self.at(i - 1) == Some(&Token::LParen)
            || ends_with
            || self.is_behind(i, &["as", "union", "intersect", "except", "all"])
            || self.is_inserted(i);
        if !starts_query || !super::spellings::is_name_of_table(self.at(i + 1)) {
            return None;
        }
        let token = &self.tokens[i];
        out.push(word("SELECT", token));
        out.push(TokenWithSpan { token: Token::Mul, span: token.span });
        out.push(word("FROM", token));
        Some(1)
    }

    /// Whether what stands here is behind `INSERT INTO t`, `INSERT INTO t AS x (a, b)` and their like.
    fn is_inserted(&self, i: usize) -> bool {
        let mut n = i;
        if n > 0 && self.at(n - 1) == Some(&Token::RParen) {
            let open = self.tokens[..n].iter().rposition(|t| t.token == Token::LParen);
            n = open.unwrap_or(0);
        }
        let is_name = |n: usize| matches!(self.at(n), Some(Token::Word(_)));
        loop {
            match n.checked_sub(2) {
                Some(before) if is_name(n - 1) && self.is(before, "into") => return true,
                Some(before)
                    if is_name(n - 1)
                        && (self.is(before, "as") || self.at(before) == Some(&Token::Period)) =>
                {
                    n = before;
                }
                _ => return false,
            }
        }
    }

    /// `x OPERATOR(schema.=) ANY (…)`: sqlparser takes such a name of an operator only between two operands.
    fn named_operator(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        if self.is(i, "operator")
            && let [
                Some(Token::LParen),
                Some(Token::Word(_)),
                Some(Token::Period),
                Some(_),
                Some(Token::RParen),
            ] = [1, 2, 3, 4, 5].map(|n| self.at(i + n))
            && self.is_any(i + 6, &["any", "all", "some"])
        {
            out.push(self.tokens[i + 4].clone());
            return Some(6);
        }
        None
    }

    /// `x LIKE ALL (SELECT …)`: sqlparser takes ALL there for a function, but not behind the operator that this is.
    fn like_all(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        let is_query = self.is_any(i + 3, &["select", "values", "with"]);
        if !self.is(i + 1, "all") || self.at(i + 2) != Some(&Token::LParen) || !is_query {
            return None;
        }
        let is_not = out.last().is_some_and(|t| is_word(Some(&t.token), "not"));
        let token = match (self.is(i, "like"), self.is(i, "ilike"), is_not) {
            (true, _, false) => Token::DoubleTilde,
            (true, _, true) => Token::ExclamationMarkDoubleTilde,
            (_, true, false) => Token::DoubleTildeAsterisk,
            (_, true, true) => Token::ExclamationMarkDoubleTildeAsterisk,
            _ => return None,
        };
        if is_not {
            out.pop();
        }
        out.push(TokenWithSpan { token, span: self.tokens[i].span });
        Some(1)
    }

    fn overriding(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        super::overriding::mark(&self.tokens[i..], out).then_some(3)
    }

    fn conflict(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        if !self.is(i, "conflict") || !self.is_behind(i, &["on"]) {
            return None;
        }
        let (name, len) = inference(&self.tokens[i + 1..])?;
        let token = &self.tokens[i];
        out.extend([token.clone(), word("ON", token), word("CONSTRAINT", token), quoted(&name, token)]);
        Some(1 + len)
    }

    /// `FETCH FIRST (…) ROWS`, `FETCH FIRST +1 ROWS`: sqlparser takes a value there, without parentheses or a sign; LIMIT takes anything.
    fn fetch(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        let is_it = self.is(i, "fetch") && self.is_any(i + 1, &["first", "next"]);
        let is_signed = matches!(self.at(i + 2), Some(Token::Plus | Token::Minus))
            && matches!(self.at(i + 3), Some(Token::Number(..)));
        if !is_it || !is_signed && self.at(i + 2) != Some(&Token::LParen) {
            return None;
        }
        let end = if is_signed { i + 3 } else { closing(self.tokens, i + 2) };
        let after = end + 1;
        let with_ties = self.has(after + 1, &["with", "ties"]);
        if !self.is_any(after, &["row", "rows"]) || !with_ties && !self.is(after + 1, "only") {
            return None;
        }
        let mut limit = word("LIMIT", &self.tokens[i]);
        if let Token::Word(w) = &mut limit.token {
            w.keyword = Keyword::LIMIT;
        }
        out.push(limit);
        if with_ties {
            out.push(quoted(WITH_TIES, &self.tokens[i]));
        }
        out.extend_from_slice(&self.tokens[i + 2..=end]);
        Some(after + if with_ties { 3 } else { 2 } - i)
    }

    /// `GROUP BY DISTINCT`.
    fn distinct_sets(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        if !self.is(i, "distinct") || i < 2 || !self.has(i - 2, &["group", "by"]) {
            return None;
        }
        let token = &self.tokens[i];
        out.extend([quoted(DISTINCT_SETS, token), TokenWithSpan { token: Token::Comma, span: token.span }]);
        Some(1)
    }

    /// `BETWEEN SYMMETRIC`, `BETWEEN ASYMMETRIC`.
    fn symmetric(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        if !self.is(i, "between") || !self.is_any(i + 1, &["symmetric", "asymmetric"]) {
            return None;
        }
        let token = &self.tokens[i];
        out.push(token.clone());
        if self.is(i + 1, "symmetric") {
            out.push(TokenWithSpan { token: SYMMETRIC, span: token.span });
        }
        Some(2)
    }

    /// `RANGE '1 day' PRECEDING`: sqlparser takes a string here for an interval.
    fn frame_offset(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        let is_string = matches!(self.at(i), Some(Token::SingleQuotedString(_)));
        if !is_string || !self.is_behind(i, &["between", "and", "rows", "range", "groups"]) {
            return None;
        }
        let len = offset_len(&self.tokens[i..])?;
        let same = |token: Token| TokenWithSpan { token, span: self.tokens[i].span };
        out.push(same(Token::LParen));
        out.extend_from_slice(&self.tokens[i..i + len]);
        out.push(same(Token::RParen));
        Some(len)
    }

    /// `EXCLUDE TIES` and the others, of a window's frame.
    fn frame_exclusion(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        if !self.is(i, "exclude") {
            return None;
        }
        let (words, mark) = EXCLUDED.iter().find(|(words, _)| self.has(i + 1, words))?;
        let is_end = self.at(i + 1 + words.len()) == Some(&Token::RParen);
        (is_end && exclude(out, mark, &self.tokens[i])).then_some(1 + words.len())
    }

    /// `interval(0) '…'`, whose precision sqlparser loses, is a cast; options of `IDENTITY (…)` come in the order that it wants.
    fn interval_or_identity(&self, i: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
        if self.is(i, "interval")
            && let [
                Some(Token::LParen),
                Some(Token::Number(..)),
                Some(Token::RParen),
                Some(Token::SingleQuotedString(_)),
            ] = [1, 2, 3, 4].map(|n| self.at(i + n))
        {
            let cast = TokenWithSpan { token: Token::DoubleColon, span: self.tokens[i].span };
            out.extend([self.tokens[i + 4].clone(), cast]);
            out.extend_from_slice(&self.tokens[i..i + 4]);
            return Some(5);
        }
        if !self.is(i, "identity") || self.at(i + 1) != Some(&Token::LParen) {
            return None;
        }
        let len = self.tokens[i + 2..].iter().position(|t| t.token == Token::RParen)?;
        out.extend_from_slice(&self.tokens[i..i + 2]);
        out.extend(ordered_options(&self.tokens[i + 2..i + 2 + len]));
        Some(2 + len)
    }
}

/// Stands before the lower bound of BETWEEN SYMMETRIC: a prefix operator that nothing else has a use for.
const SYMMETRIC: Token = Token::QuestionMarkDash;
/// Tokens of the offset of a window's frame, if it is a string.
const MAX_OFFSET_TOKENS: usize = 16;
/// What GROUP BY DISTINCT begins its list with.
pub const DISTINCT_SETS: &str = "<DISTINCT";

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
    // Neither directions nor NULLS FIRST are classes.
    let is_order = item
        .last()
        .is_some_and(|t| ["asc", "desc", "first", "last"].iter().any(|w| is_word(Some(&t.token), w)));
    match item {
        _ if is_order => item,
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
            let name = fold(&w.value, w.quote_style.is_some());
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
                    name.push_str(&fold(&w.value, w.quote_style.is_some()));
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
