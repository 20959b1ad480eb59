//! COMMENT ON.
//!
//! Must not know: what there is to comment on.

use super::cursor::{Cursor, Of};
use super::stmt::*;
use super::utility::{is_kind, unsupported};
use evenkeel_types::error::{SqlError, SqlState};

pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    c.expect("on")?;
    let kind = c.ident()?;
    let on = match kind.as_str() {
        "column" => {
            let Some((name, column)) = c.column()? else {
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, "column name must be qualified"));
            };
            Commented::Column(name, column)
        }
        "constraint" => {
            let constraint = c.ident()?;
            c.expect("on")?;
            match c.take(&["domain"]) {
                true => Commented::DomainConstraint(c.name_of(Of::Other)?, constraint),
                false => Commented::Constraint(c.name()?, constraint),
            }
        }
        "database" => Commented::Database(c.ident()?),
        "large" => {
            c.expect("object")?;
            Commented::LargeObject(Name { schema: None, name: c.integer()?.to_string() })
        }
        "statistics" => Commented::Statistics(c.name_of(Of::Other)?),
        "role" => Commented::Role(c.ident()?),
        "table" => Commented::Object(c.name()?, ObjectKind::Table),
        "index" => Commented::Object(c.name()?, ObjectKind::Index),
        "sequence" => Commented::Object(c.name()?, ObjectKind::Sequence),
        "schema" => Commented::Object(c.name()?, ObjectKind::Schema),
        "materialized" => {
            c.expect("view")?;
            Commented::Object(c.name()?, ObjectKind::MaterializedView)
        }
        "extension" => Commented::Object(c.name()?, ObjectKind::Extension),
        "type" => Commented::Object(c.name_of(Of::Other)?, ObjectKind::Type),
        "domain" => Commented::Object(c.name_of(Of::Other)?, ObjectKind::Domain),
        "collation" => Commented::Object(c.name_of(Of::Other)?, ObjectKind::Collation),
        "view" => Commented::Object(c.name()?, ObjectKind::View),
        _ if !is_kind(&kind) => return Err(c.syntax_error_at_previous()),
        _ => return Ok(unsupported(c, &format!("COMMENT ON {}", kind.to_uppercase()))),
    };
    c.expect("is")?;
    let text = if c.take(&["null"]) { None } else { Some(c.string()?) };
    Ok(Stmt::Comment(CommentStmt { on, text: text.filter(|t| !t.is_empty()) }))
}
