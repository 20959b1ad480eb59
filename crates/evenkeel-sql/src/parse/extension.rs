//! CREATE and DROP EXTENSION.
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
    let mut schema = None;
    loop {
        if c.take(&["schema"]) {
            schema = Some(c.ident()?);
        } else if c.take(&["version"]) {
            if c.string().is_err() {
                c.ident()?;
            }
        } else if !c.take(&["cascade"]) {
            break;
        }
    }
    Ok(Stmt::CreateExtension(CreateExtensionStmt { name, if_not_exists, schema }))
}

/// ALTER EXTENSION.
pub(super) fn alter(c: &mut Cursor<'_>) -> Stmt {
    unsupported(c, "ALTER EXTENSION")
}
