//! `CREATE TABLE t AS EXECUTE p (1, 2)`: sqlparser wants a query there, so it becomes `CREATE TABLE t AS SELECT "<EXECUTE"('p', 1, 2)`.
//!
//! Must not know: prepared statements.

use super::cursor::{fold, is_word};
use super::rewrite::quoted;
use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SelectItem, SetExpr, Value,
};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// What stands for EXECUTE.
const EXECUTE: &str = "<EXECUTE";

/// Rewrites the tokens of CREATE TABLE.
pub(super) fn rewrite(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let Some(at) = (1..tokens.len()).find(|n| is(n - 1, "as") && is(*n, "execute")) else { return tokens };
    let Some(Token::Word(name)) = tokens.get(at + 1).map(|t| &t.token) else { return tokens };
    let name = fold(&name.value, name.quote_style.is_some());
    let like = tokens[at].clone();
    let same = |token: Token| TokenWithSpan { token, span: like.span };
    let select = Word { value: "SELECT".into(), quote_style: None, keyword: Keyword::SELECT };
    let has_list = tokens.get(at + 2).is_some_and(|t| t.token == Token::LParen);
    if has_list && tokens.get(at + 3).is_some_and(|t| t.token == Token::RParen) {
        return tokens;
    }
    let mut instead = vec![
        same(Token::Word(select)),
        quoted(EXECUTE, &like),
        same(Token::LParen),
        same(Token::SingleQuotedString(name)),
    ];
    if has_list {
        instead.push(same(Token::Comma));
    }
    if !has_list {
        instead.push(same(Token::RParen));
    }
    tokens.splice(at..at + 2 + usize::from(has_list), instead);
    tokens
}

/// The name of the statement that such a query stands for, and its arguments.
pub fn executed(q: &Query) -> Option<(String, Vec<Expr>)> {
    let SetExpr::Select(s) = &*q.body else { return None };
    let [SelectItem::UnnamedExpr(Expr::Function(f))] = &s.projection[..] else { return None };
    let is_it = matches!(&f.name.0[..], [n] if n.as_ident().is_some_and(|i| i.value == EXECUTE));
    let FunctionArguments::List(list) = &f.args else { return None };
    let mut args = list.args.iter().map(|a| match a {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => Some(e),
        _ => None,
    });
    let name = match args.next()?? {
        Expr::Value(v) if is_it => match &v.value {
            Value::SingleQuotedString(name) => name.clone(),
            _ => return None,
        },
        _ => return None,
    };
    Some((name, args.map(|a| a.cloned()).collect::<Option<Vec<_>>>()?))
}
