//! Names of result columns.
//!
//! Must not know: bound expressions.

use super::types::data_type;
use super::{ident, split_name};
use evenkeel_types::Type;
use sqlparser::ast::{self, Expr as Ast, SelectItem, SetExpr, Value, ValueWithSpan};

/// The name of a type as a column's name: an array is named after its elements.
fn type_label(ty: Type) -> String {
    if ty.is_array() { ty.element().unwrap_or(ty) } else { ty }.pg_name().to_owned()
}

/// The name of a result column without an alias, as PostgreSQL chooses it.
pub(super) fn column_name(e: &Ast) -> String {
    fn name(e: &Ast) -> Option<String> {
        Some(match e {
            Ast::Identifier(i) => ident(i),
            Ast::CompoundIdentifier(parts) => parts.last().map(ident)?,
            Ast::Function(f) => split_name(&f.name).ok()?.1,
            Ast::Nested(e) | Ast::Collate { expr: e, .. } => name(e)?,
            Ast::Cast { expr, data_type: t, .. } => match name(expr) {
                Some(n) if n != "?column?" => n,
                _ => type_label(data_type(t).ok()?.0),
            },
            Ast::TypedString(t) => type_label(data_type(&t.data_type).ok()?.0),
            Ast::Case { else_result, .. } => match else_result.as_deref().and_then(name) {
                Some(n)
                    if matches!(
                        else_result.as_deref(),
                        Some(Ast::Identifier(_) | Ast::CompoundIdentifier(_))
                    ) =>
                {
                    n
                }
                _ => "case".into(),
            },
            Ast::Exists { .. } => "exists".into(),
            Ast::Array(_) => "array".into(),
            Ast::Tuple(_) => "row".into(),
            Ast::Interval(_) => "interval".into(),
            Ast::Extract { .. } => "extract".into(),
            Ast::Substring { .. } => "substring".into(),
            Ast::Position { .. } => "position".into(),
            Ast::Overlay { .. } => "overlay".into(),
            Ast::Ceil { .. } => "ceil".into(),
            Ast::Floor { .. } => "floor".into(),
            Ast::AtTimeZone { .. } => "timezone".into(),
            Ast::Trim { trim_where, .. } => match trim_where {
                Some(ast::TrimWhereField::Leading) => "ltrim".into(),
                Some(ast::TrimWhereField::Trailing) => "rtrim".into(),
                _ => "btrim".into(),
            },
            Ast::Value(ValueWithSpan { value: Value::Boolean(_), .. }) => "bool".into(),
            Ast::CompoundFieldAccess { root, .. } => name(root)?,
            Ast::Subquery(q) => match &*q.body {
                SetExpr::Select(s) => match s.projection.first()? {
                    SelectItem::ExprWithAlias { alias, .. } => ident(alias),
                    SelectItem::UnnamedExpr(e) => name(e)?,
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        })
    }
    name(e).unwrap_or_else(|| "?column?".into())
}
