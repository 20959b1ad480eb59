//! EXPLAIN.
//!
//! Must not know: plans.

use super::cursor::{Cursor, position_of};
use super::executed::executed;
use super::is_word;
use super::stmt::{Created, Explain, ExplainFormat, Stmt};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::Statement;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// EXPLAIN.
pub(super) fn explain(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let (mut analyze, mut verbose, mut costs, mut timing) = (false, false, true, None);
    let (mut summary, mut settings, mut generic_plan) = (None, false, false);
    let (mut buffers, mut wal, mut format) = (None, false, ExplainFormat::Text);
    let (mut memory, mut serialize) = (false, None);
    let is_query = matches!(c.peek_nth(1), Some(Token::LParen))
        || ["select", "values", "with", "table"].iter().any(|w| c.word_is(1, w));
    if !is_query && c.take_token(&Token::LParen) {
        loop {
            let place = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
            let at = |e: SqlError| place.into_iter().fold(e, SqlError::with_position);
            let option = c.ident()?;
            match option.as_str() {
                "analyze" | "analyse" => analyze = flag(c, &option)?,
                "verbose" => verbose = flag(c, &option)?,
                "costs" => costs = flag(c, &option)?,
                "timing" => timing = Some(flag(c, &option)?),
                "summary" => summary = Some(flag(c, &option)?),
                "settings" => settings = flag(c, &option)?,
                "generic_plan" => generic_plan = flag(c, &option)?,
                "format" => {
                    format = match &*c.ident()? {
                        "text" => ExplainFormat::Text,
                        "json" => ExplainFormat::Json,
                        "yaml" => ExplainFormat::Yaml,
                        "xml" => ExplainFormat::Xml,
                        other => return Err(at(unknown_value("format", other))),
                    }
                }
                "buffers" => buffers = Some(flag(c, &option)?),
                "wal" => wal = flag(c, &option)?,
                "memory" => memory = flag(c, &option)?,
                "serialize" => {
                    let is_bare = matches!(c.peek_nth(0), Some(Token::Comma | Token::RParen));
                    let kind = if is_bare { "text".to_owned() } else { c.ident()? };
                    serialize = match &*kind {
                        "none" | "off" => None,
                        "text" => Some(false),
                        "binary" => Some(true),
                        other => return Err(at(unknown_value("serialize", other))),
                    };
                }
                other => {
                    let why = format!("unrecognized EXPLAIN option \"{other}\"");
                    return Err(at(SqlError::new(SqlState::SYNTAX_ERROR, why)));
                }
            }
            if !c.take_token(&Token::Comma) {
                break;
            }
        }
        c.expect_token(&Token::RParen)?;
    } else {
        analyze = c.take(&["analyze"]) || c.take(&["analyse"]);
        verbose = c.take(&["verbose"]);
    }
    // It does not nest; looked at first, so that a chain of them is not copied again and again.
    if c.word_is(0, "explain") {
        return Err(c.syntax_error());
    }
    let (stmt, creates) = explained(c)?;
    if analyze && generic_plan {
        let message = "EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together";
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    if timing == Some(true) && !analyze {
        let message = "EXPLAIN option TIMING requires ANALYZE";
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    if wal && !analyze {
        let message = "EXPLAIN option WAL requires ANALYZE";
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    if serialize.is_some() && !analyze {
        let message = "EXPLAIN option SERIALIZE requires ANALYZE";
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    if let Some(created) = creates.as_ref().filter(|_| analyze) {
        return Err(SqlError::unsupported(format!("EXPLAIN ANALYZE {} is not supported", created.command)));
    }
    let explain = Explain {
        analyze,
        costs,
        verbose,
        timing: timing.unwrap_or(true),
        summary,
        settings,
        buffers,
        wal,
        memory,
        serialize,
        format,
        generic_plan,
        stmt,
        creates,
    };
    Ok(Stmt::Explain(Box::new(explain)))
}

/// The value of an option that is on or off.
fn flag(c: &mut Cursor<'_>, option: &str) -> Result<bool, SqlError> {
    c.optional_bool()
        .map_err(|_| SqlError::new(SqlState::SYNTAX_ERROR, format!("{option} requires a Boolean value")))
}

/// What is explained: of a cursor, and of what is created from a query, that query.
fn explained(c: &mut Cursor<'_>) -> Result<(Stmt, Option<Created>), SqlError> {
    let tokens = c.rest().to_vec();
    let stmt = match super::parse_tokens(tokens.clone(), c.source())? {
        Stmt::Declare(d) => return Ok((d.stmt, None)),
        Stmt::CreateView(v) if v.materialized => {
            let parts = v.name.schema.iter().chain([&v.name.name]);
            let parts = parts.map(|p| sqlparser::ast::Ident::with_quote('"', p.clone()));
            let created = Created {
                command: "CREATE MATERIALIZED VIEW",
                name: parts.collect::<Vec<_>>().into(),
                temporary: false,
                if_not_exists: v.if_not_exists,
            };
            let query = super::parse_tokens(query_of_view(&tokens).to_vec(), c.source())?;
            return Ok((query, Some(created)));
        }
        stmt => stmt,
    };
    match stmt {
        Stmt::Sql(s) => match *s {
            Statement::CreateTable(mut t) if t.query.is_some() => {
                let query = t.query.take();
                let stmt = match query.as_ref().and_then(|q| executed(q)) {
                    Some((name, args)) => Stmt::Execute(name, args),
                    None => Stmt::Sql(Box::new(Statement::Query(query.ok_or_else(|| c.syntax_error())?))),
                };
                let created = Created {
                    command: "CREATE TABLE AS",
                    name: t.name,
                    temporary: t.temporary,
                    if_not_exists: t.if_not_exists,
                };
                Ok((stmt, Some(created)))
            }
            s @ (Statement::Query(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Merge(_)) => Ok((Stmt::Sql(Box::new(s)), None)),
            _ => Err(c.syntax_error()),
        },
        stmt @ Stmt::Execute(..) => Ok((stmt, None)),
        _ => Err(c.syntax_error()),
    }
}

/// The query among the words of CREATE MATERIALIZED VIEW.
fn query_of_view(tokens: &[TokenWithSpan]) -> &[TokenWithSpan] {
    let is = |t: Option<&TokenWithSpan>, word: &str| is_word(t.map(|t| &t.token), word);
    let at = tokens.iter().position(|t| is(Some(t), "as")).map_or(0, |at| at + 1);
    let query = &tokens[at..];
    let n = query.len();
    let ends = |back: usize, word: &str| is(n.checked_sub(back).and_then(|at| query.get(at)), word);
    match ends(1, "data") {
        true if ends(2, "with") => &query[..n - 2],
        true if ends(2, "no") && ends(3, "with") => &query[..n - 3],
        _ => query,
    }
}

fn unknown_value(option: &str, value: &str) -> SqlError {
    let why = format!("unrecognized value for EXPLAIN option \"{option}\": \"{value}\"");
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
}
