//! `has_*_privilege` and `pg_has_role`.
//!
//! Each takes an object by name or OID and a privilege, with or without a role before them (by name or OID).

use super::{Eval, stable};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, PrivilegeColumn, PrivilegeTarget, ScalarFn};
use crate::ty::Type as T;

/// Checks on an object of a kind; `column` says that a column stands between the object and the privilege.
fn check(kind: &'static str, column: bool, a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let tail = if column { 3 } else { 2 };
    let role = if a.len() > tail { Some(role_name(&a[0], ctx)?) } else { None };
    let object = &a[a.len() - tail];
    let target = match object {
        Datum::Text(name) => PrivilegeTarget::Name(kind, name.to_string()),
        d => PrivilegeTarget::Oid(kind, d.as_oid().unwrap_or(0)),
    };
    let target = match (column, &a[a.len() - 2]) {
        (false, _) => target,
        (true, Datum::Text(name)) => {
            PrivilegeTarget::Column(Box::new(target), PrivilegeColumn::Name(name.to_string()))
        }
        (true, Datum::Int2(n)) => PrivilegeTarget::Column(Box::new(target), PrivilegeColumn::Number(*n)),
        (true, _) => return Ok(Datum::Null),
    };
    let privilege = a[a.len() - 1].as_str().unwrap_or("");
    check_spelling(kind, privilege)?;
    Ok(Datum::from(ctx.env.has_privilege(role.as_deref(), &target, privilege)?))
}

fn role_name(d: &Datum, ctx: &EvalCtx<'_>) -> Result<String, SqlError> {
    match d {
        Datum::Text(name) => Ok(name.to_string()),
        d => {
            let oid = d.as_oid().unwrap_or(0);
            ctx.env.role_name(oid).ok_or_else(|| {
                SqlError::new(SqlState::UNDEFINED_OBJECT, format!("role with OID {oid} does not exist"))
            })
        }
    }
}

/// Privileges that exist for a kind of object, in a comma-separated list as the functions take it.
fn check_spelling(kind: &str, privilege: &str) -> Result<(), SqlError> {
    let known: &[&str] = match kind {
        "table" => {
            &["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN", "RULE"]
        }
        "column" => &["SELECT", "INSERT", "UPDATE", "REFERENCES"],
        "schema" => &["CREATE", "USAGE"],
        "database" => &["CREATE", "CONNECT", "TEMPORARY", "TEMP"],
        "sequence" => &["USAGE", "SELECT", "UPDATE"],
        "function" => &["EXECUTE"],
        "tablespace" => &["CREATE"],
        "parameter" => &["SET", "ALTER SYSTEM"],
        "role" => &["USAGE", "MEMBER", "SET"],
        _ => &["USAGE"],
    };
    for one in privilege.split(',') {
        let upper = one.trim().to_ascii_uppercase();
        let bare = upper
            .strip_suffix(" WITH GRANT OPTION")
            .or_else(|| upper.strip_suffix(" WITH ADMIN OPTION"))
            .unwrap_or(&upper);
        if !known.contains(&bare) {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("unrecognized privilege type: \"{}\"", one.trim()),
            ));
        }
    }
    Ok(())
}

macro_rules! privileges {
    ($($name:ident $kind:literal $column:literal;)*) => {
        $(fn $name(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
            check($kind, $column, a, ctx)
        })*
    };
}

privileges! {
    table "table" false;
    any_column "column" false;
    column "column" true;
    schema "schema" false;
    database "database" false;
    sequence "sequence" false;
    function "function" false;
    tablespace "tablespace" false;
    type_ "type" false;
    language "language" false;
    server "server" false;
    wrapper "foreign-data wrapper" false;
    parameter "parameter" false;
    role "role" false;
}

/// `acldefault`
fn acl_default(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let kind = a[0].as_str().unwrap_or("");
    let Some(items) = ctx.env.acl_default(kind, a[1].as_oid().unwrap_or(0)) else {
        let message = format!("unrecognized object type abbreviation: {kind}");
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    };
    if items.is_empty() {
        return Ok(Datum::Null);
    }
    Ok(Datum::array(T::Text, items.into_iter().map(Datum::text).collect()))
}

/// `makeaclitem`
fn make_acl_item(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let oid = |n: usize| a[n].as_oid().unwrap_or(0);
    let grantable = matches!(a[3], Datum::Bool(true));
    Ok(Datum::text(ctx.env.acl_text(oid(0), oid(1), a[2].as_str().unwrap_or(""), grantable)?))
}

/// The privileges of all items of a list, one field of each.
fn exploded(
    a: &[Datum],
    ctx: &EvalCtx<'_>,
    ty: T,
    field: impl Fn(&crate::function::AclEntry, (&'static str, bool)) -> Datum,
) -> Eval {
    let mut all = Vec::new();
    if let Datum::Array(list) = &a[0] {
        for item in list.values.iter() {
            let entry = ctx.env.acl_item(item.as_str().unwrap_or(""))?;
            all.extend(entry.privileges.iter().map(|p| field(&entry, *p)));
        }
    }
    Ok(Datum::array(ty, all))
}

fn grantors(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    exploded(a, ctx, T::Oid, |e, _| Datum::Oid(e.grantor))
}

fn grantees(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    exploded(a, ctx, T::Oid, |e, _| Datum::Oid(e.grantee))
}

fn privilege_types(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    exploded(a, ctx, T::Text, |_, p| Datum::text(p.0))
}

fn grantables(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    exploded(a, ctx, T::Bool, |_, p| Datum::Bool(p.1))
}

const O: T = T::Oid;
const N: T = T::Name;
const S: T = T::Text;

/// The six forms: role by name, by OID or absent; object by name or by OID.
macro_rules! forms {
    ($($sql:literal $call:ident;)*) => {
        &[$(
            stable($sql, &[S, S], T::Bool, $call),
            stable($sql, &[O, S], T::Bool, $call),
            stable($sql, &[N, S, S], T::Bool, $call),
            stable($sql, &[N, O, S], T::Bool, $call),
            stable($sql, &[O, S, S], T::Bool, $call),
            stable($sql, &[O, O, S], T::Bool, $call),
        )*
            stable("acldefault", &[T::Char, O], T::TextArray, acl_default),
            stable("makeaclitem", &[O, O, S, T::Bool], T::Text, make_acl_item),
            // The columns of `aclexplode`.
            stable("evenkeel_acl_grantors", &[T::TextArray], T::OidArray, grantors),
            stable("evenkeel_acl_grantees", &[T::TextArray], T::OidArray, grantees),
            stable("evenkeel_acl_privilege_types", &[T::TextArray], T::TextArray, privilege_types),
            stable("evenkeel_acl_is_grantable", &[T::TextArray], T::BoolArray, grantables),
            stable("has_parameter_privilege", &[S, S], T::Bool, parameter),
            stable("has_parameter_privilege", &[N, S, S], T::Bool, parameter),
            stable("has_parameter_privilege", &[O, S, S], T::Bool, parameter),
            stable("has_column_privilege", &[S, S, S], T::Bool, column),
            stable("has_column_privilege", &[S, T::Int2, S], T::Bool, column),
            stable("has_column_privilege", &[O, S, S], T::Bool, column),
            stable("has_column_privilege", &[O, T::Int2, S], T::Bool, column),
            stable("has_column_privilege", &[N, S, S, S], T::Bool, column),
            stable("has_column_privilege", &[N, S, T::Int2, S], T::Bool, column),
            stable("has_column_privilege", &[N, O, S, S], T::Bool, column),
            stable("has_column_privilege", &[N, O, T::Int2, S], T::Bool, column),
            stable("has_column_privilege", &[O, S, S, S], T::Bool, column),
            stable("has_column_privilege", &[O, S, T::Int2, S], T::Bool, column),
            stable("has_column_privilege", &[O, O, S, S], T::Bool, column),
            stable("has_column_privilege", &[O, O, T::Int2, S], T::Bool, column),
        ]
    };
}

pub(super) static TABLE: &[ScalarFn] = forms! {
    "has_table_privilege" table;
    "has_any_column_privilege" any_column;
    "has_schema_privilege" schema;
    "has_database_privilege" database;
    "has_sequence_privilege" sequence;
    "has_function_privilege" function;
    "has_tablespace_privilege" tablespace;
    "has_type_privilege" type_;
    "has_language_privilege" language;
    "has_server_privilege" server;
    "has_foreign_data_wrapper_privilege" wrapper;
    "pg_has_role" role;
};
