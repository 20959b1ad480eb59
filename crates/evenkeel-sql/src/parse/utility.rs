//! Utility statements: transaction control, SET, VACUUM, DROP and the like, parsed by hand.
//!
//! Must not know: what the statements do.

use super::cursor::{Cursor, Of, syntax_error_at};
use super::stmt::*;
use evenkeel_types::datetime::IntervalFields;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, FormatOptions, Type, input_text};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// Parses the statement if it is one of those handled here; otherwise leaves it to sqlparser.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Option<Stmt>, SqlError> {
    let Some(Token::Word(first)) = c.peek() else { return Ok(None) };
    if first.quote_style.is_some() {
        return Ok(None);
    }
    let word = first.value.to_ascii_lowercase();
    let stmt = match word.as_str() {
        "begin" | "start" | "commit" | "end" | "rollback" | "abort" | "savepoint" | "release" => {
            transaction(c, &word)?
        }
        "set" => {
            c.skip(1);
            set(c)?
        }
        "show" => {
            c.skip(1);
            let name = setting_name(c)?;
            Stmt::Show(name)
        }
        "reset" => {
            c.skip(1);
            let name = setting_name(c)?;
            Stmt::Reset((name != "all").then_some(name))
        }
        "vacuum" | "analyze" | "analyse" => super::vacuum::vacuum(c, word == "vacuum")?,
        "checkpoint" => {
            c.skip(1);
            Stmt::Checkpoint
        }
        "wait" => super::wait::parse(c)?,
        "reindex" => super::reindex::reindex(c)?,
        "copy" => {
            c.skip(1);
            return super::copy::parse(c).map(Some);
        }
        "truncate" => truncate(c)?,
        "drop" => drop_objects(c)?,
        "lock" => lock(c)?,
        "explain" => return super::explain::explain(c).map(Some),
        "prepare" => return prepare(c).map(Some),
        "execute" => return execute(c).map(Some),
        "deallocate" => {
            c.skip(1);
            c.take(&["prepare"]);
            let name = c.ident()?;
            Stmt::Deallocate((name != "all").then_some(name))
        }
        "discard" => {
            c.skip(1);
            let what = c.ident()?;
            if !matches!(what.as_str(), "all" | "plans" | "sequences" | "temp" | "temporary") {
                return Err(c.syntax_error_at_previous());
            }
            Stmt::Discard(what)
        }
        "comment" => super::comment::parse(c)?,
        "create" if super::view::is_create(c) => super::view::create(c)?,
        "refresh" => super::view::refresh(c)?,
        "create" if c.word_is(1, "extension") => super::extension::create(c)?,
        "alter" if c.word_is(1, "extension") => super::extension::alter(c)?,
        "create" if c.word_is(1, "domain") => super::domain::create(c)?,
        "alter" if c.word_is(1, "domain") => super::domain::alter(c)?,
        "create" if c.word_is(1, "collation") => super::collation::create(c)?,
        "alter" if c.word_is(1, "collation") => super::collation::alter(c)?,
        "create" if c.word_is(1, "type") => super::types::create(c)?,
        "alter" if c.word_is(1, "type") => super::types::alter(c)?,
        "create" if c.word_is(1, "sequence") || (c.word_is(2, "sequence") && !c.word_is(1, "table")) => {
            super::sequence::create(c)?
        }
        "alter" if c.word_is(1, "system") => alter_system(c)?,
        "alter" if super::alter::is_handled(c) => super::alter::parse(c)?,
        "alter" if c.word_is(1, "table") => return super::alter_table::table(c).map(Some),
        "create" | "alter" => return unsupported_definition(c),
        "declare" => return super::portal::declare(c).map(Some),
        "fetch" | "move" => super::portal::fetch(c, word == "move")?,
        "close" => super::portal::close(c)?,
        "listen" | "unlisten" | "notify" => super::listen::parse(c, &word)?,
        "cluster" => super::cluster::cluster(c)?,
        "do" | "call" | "load" => return Ok(Some(Stmt::Unsupported(word.to_uppercase()))),
        "security" if c.word_is(1, "label") => return Ok(Some(Stmt::Unsupported("SECURITY LABEL".into()))),
        "import" if c.word_is(1, "foreign") => {
            return Ok(Some(Stmt::Unsupported("IMPORT FOREIGN SCHEMA".into())));
        }
        _ => return Ok(None),
    };
    c.expect_end()?;
    Ok(Some(stmt))
}

/// CREATE and ALTER of kinds of objects that do not exist here.
fn unsupported_definition(c: &Cursor<'_>) -> Result<Option<Stmt>, SqlError> {
    let mut n = 1;
    while ["or", "replace", "temp", "temporary", "unlogged", "unique", "global", "local"]
        .iter()
        .any(|w| c.word_is(n, w))
    {
        n += 1;
    }
    let kind = match c.peek_nth(n) {
        Some(Token::Word(w)) => w.value.to_ascii_lowercase(),
        _ => return Ok(None),
    };
    if !is_kind(&kind) {
        return Err(syntax_error_at(c.source(), c.rest().get(n)));
    }
    let supported =
        ["table", "index", "schema"].contains(&kind.as_str()) && !(c.word_is(0, "alter") && kind != "table");
    let verb = if c.word_is(0, "create") { "CREATE" } else { "ALTER" };
    Ok((!supported).then(|| Stmt::Unsupported(format!("{verb} {}", kind_named(c, n, &kind)))))
}

/// Whether a kind of objects begins with a word.
pub(super) fn is_kind(word: &str) -> bool {
    const FIRST: &str = "access aggregate cast collation column constraint conversion database default domain event extension foreign function group index \
        language large materialized operator policy procedural procedure publication recursive role routine rule schema sequence server statistics \
        subscription system table tablespace text transform trigger trusted type user view";
    FIRST.split_whitespace().any(|w| w == word)
}

/// Kinds of objects that have several words.
const KINDS: [&str; 17] = [
    "access method",
    "constraint trigger",
    "default conversion",
    "event trigger",
    "foreign data wrapper",
    "foreign table",
    "large object",
    "operator class",
    "operator family",
    "procedural language",
    "row level security",
    "text search configuration",
    "text search dictionary",
    "text search parser",
    "text search template",
    "trusted language",
    "user mapping",
];

/// The name of a kind, whose first word is there.
fn kind_named(c: &Cursor<'_>, at: usize, first: &str) -> String {
    let is_it = |kind: &&&str| kind.split(' ').enumerate().all(|(n, word)| c.word_is(at + n, word));
    KINDS.iter().find(is_it).map_or(first, |kind| kind).to_uppercase()
}

fn modes(c: &mut Cursor<'_>) -> Result<TxnModes, SqlError> {
    let mut m = TxnModes::default();
    loop {
        if c.take(&["isolation", "level"]) {
            m.isolation = Some(if c.take(&["serializable"]) {
                IsolationLevel::Serializable
            } else if c.take(&["repeatable", "read"]) {
                IsolationLevel::RepeatableRead
            } else if c.take(&["read", "committed"]) {
                IsolationLevel::ReadCommitted
            } else if c.take(&["read", "uncommitted"]) {
                IsolationLevel::ReadUncommitted
            } else {
                return Err(c.syntax_error());
            });
        } else if c.take(&["read", "only"]) {
            m.read_only = Some(true);
        } else if c.take(&["read", "write"]) {
            m.read_only = Some(false);
        } else if c.take(&["deferrable"]) {
            m.deferrable = Some(true);
        } else if c.take(&["not", "deferrable"]) {
            m.deferrable = Some(false);
        } else {
            return Ok(m);
        }
        c.take_token(&Token::Comma);
    }
}

fn transaction(c: &mut Cursor<'_>, word: &str) -> Result<Stmt, SqlError> {
    c.skip(1);
    let noise = |c: &mut Cursor<'_>| {
        if !c.take(&["work"]) {
            c.take(&["transaction"]);
        }
    };
    let chain = |c: &mut Cursor<'_>| {
        if c.take(&["and", "chain"]) {
            return true;
        }
        c.take(&["and", "no", "chain"]);
        false
    };
    Ok(Stmt::Txn(match word {
        "begin" => {
            noise(c);
            TxnStmt::Begin(modes(c)?, false)
        }
        "start" => {
            c.expect("transaction")?;
            TxnStmt::Begin(modes(c)?, true)
        }
        "commit" | "end" => {
            if c.word_is(0, "prepared") {
                return Ok(unsupported(c, "COMMIT PREPARED"));
            }
            noise(c);
            TxnStmt::Commit { chain: chain(c) }
        }
        "savepoint" => TxnStmt::Savepoint(c.ident()?),
        "release" => {
            c.take(&["savepoint"]);
            TxnStmt::Release(c.ident()?)
        }
        _ => {
            if c.word_is(0, "prepared") {
                return Ok(unsupported(c, "ROLLBACK PREPARED"));
            }
            noise(c);
            if c.take(&["to"]) {
                c.take(&["savepoint"]);
                TxnStmt::RollbackTo(c.ident()?)
            } else {
                TxnStmt::Rollback { chain: chain(c) }
            }
        }
    }))
}

/// A statement that is refused by its name.
pub(super) fn unsupported(c: &mut Cursor<'_>, what: &str) -> Stmt {
    c.skip(usize::MAX / 2);
    Stmt::Unsupported(what.to_owned())
}

pub(super) fn setting_name(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    if c.take(&["time", "zone"]) {
        return Ok("timezone".into());
    }
    if c.take(&["transaction", "isolation", "level"]) {
        return Ok("transaction_isolation".into());
    }
    if c.take(&["session", "authorization"]) {
        return Ok("session_authorization".into());
    }
    let mut name = c.ident()?.to_lowercase();
    while c.take_token(&Token::Period) {
        name.push('.');
        name.push_str(&c.ident()?.to_lowercase());
    }
    Ok(name)
}

fn alter_system(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    if c.take(&["reset"]) {
        let name = setting_name(c)?;
        let all = name == "all";
        return Ok(Stmt::AlterSystem(if all {
            AlterSystemStmt::ResetAll
        } else {
            AlterSystemStmt::Reset(name)
        }));
    }
    c.expect("set")?;
    let name = setting_name(c)?;
    if !c.take_token(&Token::Eq) {
        c.expect("to")?;
    }
    Ok(Stmt::AlterSystem(match set_value(c, &name)? {
        Some(value) => AlterSystemStmt::Set(name, value),
        None => AlterSystemStmt::Reset(name),
    }))
}

/// `SET a.b = …`.
fn custom(c: &mut Cursor<'_>, local: bool) -> Result<Stmt, SqlError> {
    let name = setting_name(c)?;
    if !c.take_token(&Token::Eq) {
        c.expect("to")?;
    }
    let value = set_value(c, &name)?;
    Ok(Stmt::Set(SetStmt { name, value, local }))
}

fn set(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    if c.take(&["session", "characteristics", "as", "transaction"]) {
        return Ok(Stmt::Txn(TxnStmt::SetCharacteristics(modes(c)?)));
    }
    if c.take(&["constraints"]) {
        let names = if c.take(&["all"]) { Vec::new() } else { c.names()? };
        let deferred = c.take(&["deferred"]);
        if !deferred {
            c.expect("immediate")?;
        }
        return Ok(Stmt::SetConstraints(SetConstraintsStmt { names, deferred }));
    }
    // A setting that somebody calls `session.user_id` or the like begins with no word of SET.
    let is_custom = |c: &Cursor<'_>| matches!(c.peek_nth(1), Some(Token::Period));
    let local = !is_custom(c) && c.take(&["local"]);
    let is_authorization = |c: &Cursor<'_>| c.word_is(0, "session") && c.word_is(1, "authorization");
    if !local && !is_authorization(c) && !is_custom(c) {
        c.take(&["session"]);
    }
    if is_custom(c) {
        return custom(c, local);
    }
    if c.take(&["session", "authorization"]) {
        let value = set_value(c, "session_authorization")?;
        return Ok(Stmt::Set(SetStmt { name: "session_authorization".into(), value, local }));
    }
    if c.word_is(0, "transaction") && !matches!(c.peek_nth(1), Some(Token::Eq)) {
        c.skip(1);
        if c.take(&["snapshot"]) {
            return Ok(Stmt::Txn(TxnStmt::SetSnapshot { name: c.string()?, local }));
        }
        return Ok(Stmt::Txn(TxnStmt::SetTransaction(modes(c)?)));
    }
    if c.take(&["names"]) {
        let value = set_value(c, "client_encoding")?;
        return Ok(Stmt::Set(SetStmt { name: "client_encoding".into(), value, local }));
    }
    if c.take(&["xml", "option"]) {
        let value = set_value(c, "xmloption")?;
        return Ok(Stmt::Set(SetStmt { name: "xmloption".into(), value, local }));
    }
    if c.take(&["role"]) {
        let _ = c.take_token(&Token::Eq) || c.take(&["to"]);
        let value = set_value(c, "role")?.or_else(|| Some("none".into()));
        return Ok(Stmt::Set(SetStmt { name: "role".into(), value, local }));
    }
    if c.word_is(0, "schema") && !matches!(c.peek_nth(1), Some(Token::Eq)) && !c.word_is(1, "to") {
        c.skip(1);
        let value = Some(evenkeel_types::quote_ident(&c.string()?));
        return Ok(Stmt::Set(SetStmt { name: "search_path".into(), value, local }));
    }
    let time_zone = c.word_is(0, "time") && c.word_is(1, "zone");
    let name = setting_name(c)?;
    if !time_zone && !c.take_token(&Token::Eq) {
        c.expect("to")?;
    }
    let mut value = match name.as_str() {
        "search_path" => set_path(c)?,
        _ if time_zone && c.word_is(0, "interval") => Some(zone_interval(c)?),
        _ => set_value(c, &name)?,
    };
    if time_zone && value.as_deref() == Some("local") {
        value = None;
    }
    Ok(Stmt::Set(SetStmt { name, value, local }))
}

/// `INTERVAL '+02:00' HOUR TO MINUTE` as a time zone: so far east of UTC.
fn zone_interval(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    c.skip(1);
    let text = c.string()?;
    const FIELDS: [&str; 6] = ["year", "month", "day", "hour", "minute", "second"];
    let field = |c: &mut Cursor<'_>| FIELDS.into_iter().find(|f| c.take(&[f]));
    let mut typmod = -1;
    if let Some(first) = field(c) {
        let last = match c.take(&["to"]) {
            true => Some(field(c).ok_or_else(|| c.syntax_error())?),
            false => None,
        };
        typmod = IntervalFields::named(first, last).ok_or_else(|| c.syntax_error())?.typmod(None);
    }
    let Datum::Interval(i) = input_text(&text, Type::Interval, typmod, &FormatOptions::default())? else {
        return Err(SqlError::internal("an interval is none"));
    };
    let bad = |what: &str| {
        SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"TimeZone\": \"INTERVAL '{text}'\""),
        )
        .with_detail(format!("Cannot specify {what} in time zone interval."))
    };
    if i.months != 0 {
        return Err(bad("months"));
    }
    if i.days != 0 {
        return Err(bad("days"));
    }
    let seconds = i.us / 1_000_000;
    if seconds.abs() > 167 * 3600 {
        return Err(bad("more than 167 hours"));
    }
    let spelled = |east: bool| {
        let (sign, n) = (if (seconds < 0) == east { '-' } else { '+' }, seconds.abs());
        let (hours, minutes, rest) = (n / 3600, n / 60 % 60, n % 60);
        match (minutes, rest) {
            (0, 0) => format!("{sign}{hours:02}"),
            (_, 0) => format!("{sign}{hours:02}:{minutes:02}"),
            _ => format!("{sign}{hours:02}:{minutes:02}:{rest:02}"),
        }
    };
    Ok(format!("<{}>{}", spelled(true), spelled(false)))
}

/// The schemas of SET search_path, each quoted where it must be.
pub(super) fn set_path(c: &mut Cursor<'_>) -> Result<Option<String>, SqlError> {
    if c.take(&["default"]) {
        return Ok(None);
    }
    let mut names = Vec::new();
    loop {
        let name = match c.peek() {
            Some(Token::Word(_)) => c.ident()?,
            _ => c.string()?,
        };
        names.push(if name.is_empty() { "\"\"".into() } else { evenkeel_types::quote_ident(&name) });
        if !c.take_token(&Token::Comma) {
            return Ok(Some(names.join(", ")));
        }
    }
}

/// Settings whose values are lists.
const LISTS: [&str; 7] = [
    "datestyle",
    "listen_addresses",
    "log_destination",
    "synchronous_standby_names",
    "temp_tablespaces",
    "unix_socket_directories",
    "metrics_hosts",
];

pub(super) fn set_value(c: &mut Cursor<'_>, name: &str) -> Result<Option<String>, SqlError> {
    if c.take(&["default"]) {
        return Ok(None);
    }
    let mut values = Vec::new();
    loop {
        let negative = c.take_token(&Token::Minus);
        if !negative && matches!(c.peek_nth(1), Some(Token::Number(..))) {
            c.take_token(&Token::Plus);
        }
        values.push(match c.peek() {
            Some(Token::Number(n, _)) => {
                c.skip(1);
                if negative { format!("-{n}") } else { n.clone() }
            }
            Some(Token::Word(w)) if w.quote_style.is_some() => {
                c.skip(1);
                w.value.clone()
            }
            Some(Token::Word(w)) => {
                c.skip(1);
                if w.value.eq_ignore_ascii_case("interval") { c.string()? } else { w.value.to_lowercase() }
            }
            _ => c.string()?,
        });
        if !c.take_token(&Token::Comma) {
            return Ok(Some(values.join(", ")));
        }
        if !LISTS.contains(&name) {
            let why = format!("SET {name} takes only one argument");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
        }
    }
}

fn truncate(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    c.take(&["table"]);
    let mut tables = Vec::new();
    loop {
        c.take(&["only"]);
        tables.push(c.name()?);
        c.take_token(&Token::Mul);
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    let restart_identity = c.take(&["restart", "identity"]);
    c.take(&["continue", "identity"]);
    let cascade = c.cascade();
    Ok(Stmt::Truncate(TruncateStmt { tables, restart_identity, cascade }))
}

/// What DROP may name, by its first word, and does not exist here.
const OTHER_KINDS: &[&str] = &[
    "access",
    "aggregate",
    "cast",
    "conversion",
    "event",
    "foreign",
    "function",
    "language",
    "operator",
    "policy",
    "procedural",
    "procedure",
    "publication",
    "routine",
    "rule",
    "server",
    "statistics",
    "subscription",
    "tablespace",
    "text",
    "transform",
    "trigger",
    "type",
    "user",
];

fn drop_objects(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    if let Some(other) = super::drop_other::parse(c)? {
        return Ok(other);
    }
    let kind = match c.ident()?.as_str() {
        "table" => ObjectKind::Table,
        "index" => ObjectKind::Index,
        "sequence" => ObjectKind::Sequence,
        "schema" => ObjectKind::Schema,
        "view" => ObjectKind::View,
        "type" => ObjectKind::Type,
        "domain" => ObjectKind::Domain,
        "collation" => ObjectKind::Collation,
        "extension" => ObjectKind::Extension,
        "materialized" => {
            c.expect("view")?;
            ObjectKind::MaterializedView
        }
        other if OTHER_KINDS.contains(&other) => {
            let other = format!("DROP {}", other.to_uppercase());
            return Ok(unsupported(c, &other));
        }
        _ => return Err(c.syntax_error_at_previous()),
    };
    let concurrently = kind == ObjectKind::Index && c.take(&["concurrently"]);
    let if_exists = c.take(&["if", "exists"]);
    let of = match kind {
        ObjectKind::Type | ObjectKind::Domain | ObjectKind::Collation => Of::Other,
        _ => Of::Relation,
    };
    let names = c.names_of(of)?;
    let cascade = c.cascade();
    Ok(Stmt::Drop(DropStmt { kind, concurrently, if_exists, names, cascade }))
}

fn lock(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    c.take(&["table"]);
    let mut tables = Vec::new();
    loop {
        c.take(&["only"]);
        tables.push(c.name()?);
        c.take_token(&Token::Mul);
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    let mut mode = "ACCESS EXCLUSIVE".to_owned();
    if c.take(&["in"]) {
        let wrong = c.syntax_error();
        let mut words = Vec::new();
        while !c.take(&["mode"]) {
            words.push(c.ident()?.to_uppercase());
        }
        mode = words.join(" ");
        if crate::catalog::locks::TableLockMode::from_name(&mode).is_none() {
            return Err(wrong);
        }
    }
    Ok(Stmt::Lock(LockStmt { tables, mode, nowait: c.take(&["nowait"]) }))
}

fn prepare(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    if c.word_is(0, "transaction") {
        return Ok(unsupported(c, "PREPARE TRANSACTION"));
    }
    let name = c.ident()?;
    let types = optional_list(c, |p| p.parse_data_type())?;
    c.expect("as")?;
    const PREPARED: [&str; 8] = ["select", "insert", "update", "delete", "merge", "values", "with", "table"];
    if !PREPARED.iter().any(|w| c.word_is(0, w)) && c.peek() != Some(&Token::LParen) {
        return Err(c.syntax_error());
    }
    let stmt = super::parse_tokens(c.rest().to_vec(), c.source())?;
    if !matches!(stmt, Stmt::Sql(_)) {
        return Err(c.syntax_error());
    }
    Ok(Stmt::Prepare(Box::new(PrepareStmt { name, types, stmt })))
}

/// A list in parentheses, or nothing; each item is sqlparser's.
fn optional_list<T>(
    c: &mut Cursor<'_>,
    item: impl Fn(&mut Parser<'_>) -> Result<T, ParserError>,
) -> Result<Vec<T>, SqlError> {
    let mut items = Vec::new();
    if !c.take_token(&Token::LParen) {
        return Ok(items);
    }
    loop {
        let len = item_len(c);
        let tokens = super::of_expressions(c.rest()[..len].to_vec(), c.source())?;
        items.push(super::with_parser(tokens, c.source(), &item)?);
        c.skip(len);
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    c.expect_token(&Token::RParen)?;
    Ok(items)
}

/// Tokens up to the next comma or closing parenthesis of this level.
fn item_len(c: &Cursor<'_>) -> usize {
    let mut depth = 0usize;
    for (n, t) in c.rest().iter().enumerate() {
        match t.token {
            Token::Comma if depth == 0 => return n,
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket if depth == 0 => return n,
            Token::RParen | Token::RBracket => depth -= 1,
            _ => {}
        }
    }
    c.rest().len()
}

fn execute(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let name = c.ident()?;
    if c.peek() == Some(&Token::LParen) && c.peek_nth(1) == Some(&Token::RParen) {
        c.skip(1);
        return Err(c.syntax_error());
    }
    let arguments = optional_list(c, |p| p.parse_expr())?;
    c.expect_end()?;
    Ok(Stmt::Execute(name, arguments))
}
