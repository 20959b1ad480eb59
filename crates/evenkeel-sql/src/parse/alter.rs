//! ALTER of anything but tables and the system.
//!
//! Must not know: what there is to alter.

use super::cursor::Cursor;
use super::stmt::*;
use super::utility::unsupported;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::Token;

/// Whether it is an ALTER of a kind that is parsed here.
pub(super) fn is_handled(c: &Cursor<'_>) -> bool {
    ["sequence", "schema", "index", "view", "materialized"].iter().any(|k| c.word_is(1, k))
        || is_of_any_relation(c)
}

/// ALTER TABLE … RENAME TO and SET SCHEMA, which take any relation.
fn is_of_any_relation(c: &Cursor<'_>) -> bool {
    let mut n = 2;
    if !c.word_is(1, "table") {
        return false;
    }
    n += if c.word_is(n, "if") && c.word_is(n + 1, "exists") { 2 } else { 0 };
    n += usize::from(c.word_is(n, "only"));
    n += 1;
    while c.peek_nth(n) == Some(&Token::Period) {
        n += 2;
    }
    n += usize::from(c.peek_nth(n) == Some(&Token::Mul));
    (c.word_is(n, "rename") && c.word_is(n + 1, "to")) || (c.word_is(n, "set") && c.word_is(n + 1, "schema"))
}

pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let word = c.ident()?;
    let kind = match word.as_str() {
        "sequence" => ObjectKind::Sequence,
        "schema" => ObjectKind::Schema,
        "table" => ObjectKind::Table,
        "view" => ObjectKind::View,
        "materialized" => {
            c.expect("view")?;
            ObjectKind::MaterializedView
        }
        _ => ObjectKind::Index,
    };
    let if_exists = c.take(&["if", "exists"]);
    c.take(&["only"]);
    let name = c.name()?;
    c.take_token(&Token::Mul);
    let action = if c.take(&["rename", "to"]) {
        AlterAction::Rename(c.ident()?)
    } else if kind != ObjectKind::Schema && kind != ObjectKind::Index && c.take(&["set", "schema"]) {
        AlterAction::SetSchema(c.ident()?)
    } else if c.word_is(0, "owner") {
        return Ok(unsupported(c, &format!("ALTER {} OWNER TO", word.to_uppercase())));
    } else if kind == ObjectKind::Sequence {
        if c.at_end() {
            return Err(c.syntax_error());
        }
        // All are logged.
        let _ = c.take(&["set", "logged"]) || c.take(&["set", "unlogged"]);
        AlterAction::Sequence(Box::new(super::sequence::options(c)?))
    } else if matches!(kind, ObjectKind::View | ObjectKind::MaterializedView) {
        of_view(c)?
    } else if kind == ObjectKind::Index {
        return super::alter_table::index(c, if_exists, name);
    } else {
        return Err(c.syntax_error());
    };
    Ok(Stmt::Alter(Box::new(AlterStmt { kind, if_exists, name, action })))
}

/// What ALTER VIEW does, and ALTER MATERIALIZED VIEW, besides what it does to any relation.
fn of_view(c: &mut Cursor<'_>) -> Result<AlterAction, SqlError> {
    if c.take(&["rename"]) {
        c.take(&["column"]);
        let from = c.ident()?;
        c.expect("to")?;
        return Ok(AlterAction::RenameColumn(from, c.ident()?));
    }
    if c.take(&["set"]) {
        return Ok(AlterAction::Set(super::alter_table::parameters(c)?));
    }
    if c.take(&["reset"]) {
        let names = super::alter_table::parameters(c)?.into_iter().map(|(name, _)| name);
        return Ok(AlterAction::Reset(names.collect()));
    }
    c.expect("alter")?;
    c.take(&["column"]);
    let column = c.ident()?;
    if c.take(&["drop", "default"]) {
        return Ok(AlterAction::Default(column, None));
    }
    c.expect("set")?;
    c.expect("default")?;
    let text = c.rest_text().ok_or_else(|| c.syntax_error())?;
    super::parse_expression(&text)?;
    c.skip(usize::MAX / 2);
    Ok(AlterAction::Default(column, Some(text)))
}
