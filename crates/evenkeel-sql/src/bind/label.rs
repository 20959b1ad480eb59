//! Names of result columns.
//!
//! Must not know: bound expressions.

use super::expr::is_star;
use super::types::data_type;
use super::{ident, split_name};
use crate::parse::json_constructor::plain;
use evenkeel_types::Type;
use sqlparser::ast::{self, Expr as Ast, SelectItem, SetExpr};

/// The name of a type as a column's name: an array is named after its elements.
fn type_label(ty: Type) -> String {
    if ty.is_array() && !ty.is_vector() { ty.element().unwrap_or(ty) } else { ty }.pg_name().into_owned()
}

fn is_qualified(t: &ast::DataType, schema: &str) -> bool {
    matches!(t, ast::DataType::Custom(name, _) if split_name(name).is_ok_and(|n| n.0.as_deref() == Some(schema)))
}

/// The name of a result column without an alias, as PostgreSQL chooses it.
pub(crate) fn column_name(e: &Ast) -> String {
    name(e).map_or_else(|| "?column?".into(), |(name, _)| name)
}

/// A name, and whether it is more than a makeshift: that of a type gives way to what stands outside.
fn name(e: &Ast) -> Option<(String, bool)> {
    let real = |name: &str| Some((name.to_owned(), true));
    let ty = |t: &ast::DataType| match data_type(t, None) {
        // A domain of information_schema.
        Ok(_) if is_qualified(t, "information_schema") => match t {
            ast::DataType::Custom(name, _) => Some((split_name(name).ok()?.1, false)),
            _ => None,
        },
        Ok((ty, _)) => Some((type_label(ty), false)),
        // One that a user made is called by its name.
        Err(_) => {
            let mut named = t;
            while let ast::DataType::Array(
                ast::ArrayElemTypeDef::SquareBracket(inner, _) | ast::ArrayElemTypeDef::Qualified(inner, _),
            ) = named
            {
                named = inner;
            }
            match named {
                ast::DataType::Custom(name, _) => Some((split_name(name).ok()?.1, false)),
                _ => None,
            }
        }
    };
    match e {
        Ast::Identifier(i) => Some((ident(i), true)),
        // A whole row, `t.*`, is called as its relation.
        Ast::CompoundIdentifier(parts) => {
            let named = parts.iter().rev().find(|p| !is_star(p))?;
            Some((ident(named), true))
        }
        Ast::CompoundFieldAccess { root, access_chain } => {
            let field = access_chain.iter().rev().find_map(|a| match a {
                ast::AccessExpr::Dot(Ast::Identifier(i)) => Some((ident(i), true)),
                _ => None,
            });
            field.or_else(|| name(root))
        }
        Ast::Function(f) => Some((plain(&split_name(&f.name).ok()?.1).0.to_owned(), true)),
        Ast::Nested(e) | Ast::Collate { expr: e, .. } => name(e),
        Ast::Cast { expr, data_type: t, .. } => name(expr).filter(|n| n.1).or_else(|| ty(t)),
        Ast::TypedString(t) => ty(&t.data_type),
        Ast::Case { else_result, .. } => {
            else_result.as_deref().and_then(name).filter(|n| n.1).or_else(|| Some(("case".into(), false)))
        }
        Ast::Exists { negated: false, .. } => real("exists"),
        Ast::QualifiedWildcard(name, _) => Some((ident(name.0.last()?.as_ident()?), true)),
        Ast::Array(_) => real("array"),
        Ast::Tuple(_) => real("row"),
        Ast::Interval(_) => Some(("interval".into(), false)),
        Ast::BinaryOp { op: sqlparser::ast::BinaryOperator::Overlaps, .. } => real("overlaps"),
        Ast::Extract { .. } => real("extract"),
        Ast::Substring { shorthand: true, .. } => real("substr"),
        Ast::Substring { .. } => real("substring"),
        Ast::Position { .. } => real("position"),
        Ast::Overlay { .. } => real("overlay"),
        Ast::IsNormalized { negated: false, .. } => real("is_normalized"),
        Ast::Ceil { .. } => real("ceil"),
        Ast::Floor { .. } => real("floor"),
        Ast::AtTimeZone { .. } => real("timezone"),
        Ast::Trim { trim_where, .. } => real(match trim_where {
            Some(ast::TrimWhereField::Leading) => "ltrim",
            Some(ast::TrimWhereField::Trailing) => "rtrim",
            _ => "btrim",
        }),
        Ast::Subquery(q) => name_of_query(&q.body),
        _ => None,
    }
}

/// What the first column of a query is called: of a set operation, as in its first query.
fn name_of_query(q: &SetExpr) -> Option<(String, bool)> {
    match q {
        SetExpr::Values(_) => Some(("column1".into(), true)),
        SetExpr::Select(s) => match s.projection.first()? {
            SelectItem::ExprWithAlias { alias, .. } => Some((ident(alias), true)),
            SelectItem::UnnamedExpr(e) => name(e),
            _ => None,
        },
        SetExpr::SetOperation { left, .. } => name_of_query(left),
        SetExpr::Query(q) => name_of_query(&q.body),
        _ => None,
    }
}
