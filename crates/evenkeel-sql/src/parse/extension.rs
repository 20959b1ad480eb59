//! CREATE and ALTER EXTENSION.
//!
//! Must not know: which there are.

use super::cursor::Cursor;
use super::stmt::*;
use super::utility::unsupported;
use evenkeel_types::error::SqlError;

pub(super) fn create(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let if_not_exists = c.take(&["if", "not", "exists"]);
    let name = c.ident()?;
    c.take(&["with"]);
    let (mut schema, mut given) = (None, None);
    loop {
        if c.take(&["schema"]) {
            schema = Some(c.ident()?);
        } else if c.take(&["version"]) {
            given = Some(version(c)?);
        } else if !c.take(&["cascade"]) {
            break;
        }
    }
    Ok(Stmt::CreateExtension(CreateExtensionStmt { name, if_not_exists, schema, version: given }))
}

/// ALTER EXTENSION.
pub(super) fn alter(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.ident()?;
    let action = if c.take(&["update"]) {
        ExtensionAction::Update(if c.take(&["to"]) { Some(version(c)?) } else { None })
    } else if c.take(&["set", "schema"]) {
        ExtensionAction::SetSchema(c.ident()?)
    } else if c.word_is(0, "add") || c.word_is(0, "drop") {
        return Ok(unsupported(c, "ALTER EXTENSION ... ADD and DROP"));
    } else {
        return Err(c.syntax_error());
    };
    Ok(Stmt::AlterExtension(AlterExtensionStmt { name, action }))
}

/// The name of a version: a string or a word.
fn version(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    c.string().or_else(|_| c.ident())
}
