//! CREATE TABLE … OF a composite type: the columns are the type's attributes, and stay what they are.
//!
//! Must not know: how rows are stored.

use crate::bind::ident;
use crate::bind::types::named_type;
use crate::catalog::Table;
use crate::parse::parse_expression;
use crate::parse::typed_table::{OF, OPTIONS};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Type, format_type};
use sqlparser::ast::{self, AlterColumnOperation, AlterTableOperation as Op, DataType};

fn wrong(why: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::WRONG_OBJECT_TYPE, why.into())
}

impl Session {
    /// The same definition with the columns of the type that it names, and the type; None: it names none.
    pub(super) fn typed_table(
        &mut self,
        c: &ast::CreateTable,
    ) -> Result<Option<(ast::CreateTable, u32)>, SqlError> {
        let Some((of, options)) = c.columns.split_first().filter(|(of, _)| of.name.value == OF) else {
            return Ok(None);
        };
        self.refresh_catalog();
        let named = named_type(&of.data_type, Some((&self.catalog, self.search_path())))?;
        let shown = match named.ty.kept_oid() {
            None => format_type(named.ty, -1),
            Some(_) => of.data_type.to_string().replace('"', ""),
        };
        let Type::Composite(oid) = named.ty else {
            return Err(wrong(format!("type {shown} is not a composite type")));
        };
        let Some(t) = self.catalog.user_type(oid).cloned() else {
            return Err(wrong(format!("type {shown} is the row type of another table")).with_detail(
                "A typed table must use a stand-alone composite type created with CREATE TYPE.",
            ));
        };
        self.share_named(named)?;
        self.check_type_usage(named.ty, None)?;
        let attributes = t.attributes.clone().unwrap_or_default();
        let mut made = ast::CreateTable { columns: Vec::with_capacity(attributes.len()), ..c.clone() };
        for a in attributes.iter() {
            let path = self.search_path().to_vec();
            let text = match a.domain.or(a.ty.kept_oid()) {
                None => format_type(a.ty, a.typmod),
                Some(oid) => {
                    let name = self.catalog.type_name(oid, &path).unwrap_or_default();
                    if a.domain.is_none() && a.ty.is_array() { format!("{name}[]") } else { name }
                }
            };
            let cast = parse_expression(&format!("NULL::{text}"))?;
            let ast::Expr::Cast { data_type, .. } = &*cast else {
                return Err(SqlError::internal("an attribute's type"));
            };
            let own = options.iter().filter(|o| ident(&o.name) == a.name);
            made.columns.push(ast::ColumnDef {
                name: ast::Ident::with_quote('"', &a.name),
                data_type: data_type.clone(),
                options: own.flat_map(|o| o.options.clone()).collect(),
            });
        }
        for (n, o) in options.iter().enumerate() {
            let name = ident(&o.name);
            let has_type = !matches!(&o.data_type, DataType::Custom(t, _) if t.to_string().contains(OPTIONS));
            if has_type {
                return Err(SqlError::internal("a typed table's column"));
            }
            if !attributes.iter().any(|a| a.name == name) {
                let why = format!("column \"{name}\" does not exist");
                return Err(SqlError::new(SqlState::UNDEFINED_COLUMN, why));
            }
            if options[..n].iter().any(|o| ident(&o.name) == name) {
                let why = format!("column \"{name}\" specified more than once");
                return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
            }
        }
        Ok(Some((made, oid)))
    }
}

/// Refuses what would make a table's columns others than its type's attributes.
pub(super) fn check_keeps_type(table: &Table, o: &Op) -> Result<(), SqlError> {
    if table.marks.of_type == 0 {
        return Ok(());
    }
    let what = match o {
        Op::AddColumn { .. } => "add column to",
        Op::DropColumn { .. } => "drop column from",
        Op::RenameColumn { .. } => "rename column of",
        Op::AlterColumn { op: AlterColumnOperation::SetDataType { .. }, .. } => "alter column type of",
        _ => return Ok(()),
    };
    Err(wrong(format!("cannot {what} typed table")))
}
