//! Functions that look things up in the catalog, through [`Env`](crate::function::Env).

use super::restyle::restyled;
use super::{Eval, bool_arg, f, int_arg, lenient, names_arg, oid_arg, stable, str_arg};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ObjectKind, ScalarFn};
use crate::ty::{Type as T, format_type};

fn format_type_fn(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::Null);
    }
    let oid = oid_arg(a, 0);
    if oid == 0 {
        return Ok(Datum::text("-"));
    }
    // A NULL modifier asks for the bare name, -1 for the name without a modifier.
    let name = match (T::from_oid(oid), a[1].as_i64()) {
        // A catalog knows whether its name is found.
        (Some(ty), _) if ty.is_of_extension() => {
            ctx.env.reg_name(T::Regtype, oid).unwrap_or_else(|| ty.sql_name().into_owned())
        }
        (Some(T::Bpchar), None) => "character".to_string(),
        (Some(ty), None) => ty.sql_name().to_string(),
        (Some(ty), Some(typmod)) => format_type(ty, typmod as i32),
        (None, _) => ctx.env.reg_name(T::Regtype, oid).unwrap_or_else(|| "???".into()),
    };
    Ok(Datum::from(name))
}

fn role_name(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let oid = oid_arg(a, 0);
    Ok(Datum::from(ctx.env.role_name(oid).unwrap_or_else(|| format!("unknown (OID={oid})"))))
}

macro_rules! visibility {
    ($($name:ident $kind:ident;)*) => {
        $(fn $name(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
            Ok(Datum::from(ctx.env.is_visible(ObjectKind::$kind, oid_arg(a, 0))))
        })*
    };
}

visibility! {
    table_visible Table;
    type_visible Type;
    function_visible Function;
    operator_visible Operator;
    opclass_visible OperatorClass;
    opfamily_visible OperatorFamily;
    collation_visible Collation;
    conversion_visible Conversion;
    statistics_visible Statistics;
    ts_config_visible TextSearchConfig;
    ts_dict_visible TextSearchDictionary;
    ts_parser_visible TextSearchParser;
    ts_template_visible TextSearchTemplate;
}

/// A kept text, in the session's styles.
fn shown(text: Option<String>, ctx: &EvalCtx<'_>) -> Datum {
    Datum::from(text.map(|t| restyled(t, ctx.format)))
}

fn describe_object(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (class, oid) = (oid_arg(a, 0), oid_arg(a, 1));
    if class == 0 && oid == 0 {
        return Ok(Datum::Null);
    }
    Ok(Datum::from(ctx.env.describe_object(class, oid, int_arg(a, 2) as i32)?))
}

fn index_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (column, pretty) = if a.len() > 1 { (int_arg(a, 1) as i32, bool_arg(a, 2)) } else { (0, false) };
    Ok(shown(ctx.env.index_def(oid_arg(a, 0), column, pretty), ctx))
}

fn constraint_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(shown(ctx.env.constraint_def(oid_arg(a, 0), bool_arg(a, 1)), ctx))
}

fn expression(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(shown(ctx.env.expression(str_arg(a, 0), oid_arg(a, 1), bool_arg(a, 2)), ctx))
}

fn view_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let oid = match &a[0] {
        Datum::Text(name) => match ctx.env.reg_oid(T::Regclass, names_arg(a, 0)?)? {
            Some(oid) => oid,
            None => {
                return Err(SqlError::new(
                    SqlState::UNDEFINED_TABLE,
                    format!("relation \"{name}\" does not exist"),
                ));
            }
        },
        _ => oid_arg(a, 0),
    };
    // With a column to wrap at it is for people as well.
    let is_pretty = bool_arg(a, 1) || matches!(a.get(1), Some(Datum::Int4(_)));
    Ok(shown(ctx.env.view_def(oid, is_pretty), ctx))
}

fn trigger_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.trigger_def(oid_arg(a, 0), bool_arg(a, 1))))
}

fn rule_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.rule_def(oid_arg(a, 0), bool_arg(a, 1))))
}

fn partition_key_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.partition_key_def(oid_arg(a, 0))))
}

fn statistics_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.statistics_def(oid_arg(a, 0))))
}

fn statistics_columns(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.statistics_columns(oid_arg(a, 0))))
}

fn function_def(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.function_def(oid_arg(a, 0))))
}

fn function_result(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.function_result(oid_arg(a, 0))))
}

fn function_arguments(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.function_arguments(oid_arg(a, 0))))
}

fn obj_description(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let catalog = a.get(1).and_then(Datum::as_str);
    Ok(Datum::from(ctx.env.comment(oid_arg(a, 0), catalog, 0)))
}

fn col_description(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.comment(oid_arg(a, 0), Some("pg_class"), int_arg(a, 1) as i32)))
}

/// The code of each encoding PostgreSQL has; only UTF8 is used here, but lists of databases ask for any.
const ENCODINGS: [&str; 42] = [
    "SQL_ASCII",
    "EUC_JP",
    "EUC_CN",
    "EUC_KR",
    "EUC_TW",
    "EUC_JIS_2004",
    "UTF8",
    "MULE_INTERNAL",
    "LATIN1",
    "LATIN2",
    "LATIN3",
    "LATIN4",
    "LATIN5",
    "LATIN6",
    "LATIN7",
    "LATIN8",
    "LATIN9",
    "LATIN10",
    "WIN1256",
    "WIN1258",
    "WIN866",
    "WIN874",
    "KOI8R",
    "WIN1251",
    "WIN1252",
    "ISO_8859_5",
    "ISO_8859_6",
    "ISO_8859_7",
    "ISO_8859_8",
    "WIN1250",
    "WIN1253",
    "WIN1254",
    "WIN1255",
    "WIN1257",
    "KOI8U",
    "SJIS",
    "BIG5",
    "GBK",
    "UHC",
    "GB18030",
    "JOHAB",
    "SHIFT_JIS_2004",
];

/// The names of the types of a function's arguments.
fn types_of_vector(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let Datum::Array(list) = &a[0] else { return Ok(Datum::Null) };
    let named = list.values.iter().map(|oid| format_type_fn(&[oid.clone(), Datum::Null], ctx));
    let names = named.collect::<Result<Vec<_>, _>>()?;
    Ok(Datum::text(names.iter().filter_map(Datum::as_str).collect::<Vec<_>>().join(", ")))
}

fn encoding_to_char(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let name = usize::try_from(int_arg(a, 0)).ok().and_then(|i| ENCODINGS.get(i));
    Ok(Datum::text(name.copied().unwrap_or("")))
}

/// How many bytes a character has at most; nothing of a number that is no encoding's.
fn encoding_max_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    const LENGTHS: &[u8; 42] = b"133343441111111111111111111111111112222432";
    let length = usize::try_from(int_arg(a, 0)).ok().and_then(|n| LENGTHS.get(n));
    Ok(length.map_or(Datum::Null, |digit| Datum::Int4(i32::from(digit - b'0'))))
}

fn char_to_encoding(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let squeeze =
        |s: &str| s.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_ascii_uppercase();
    let wanted = squeeze(str_arg(a, 0));
    let code = ENCODINGS.iter().position(|e| squeeze(e) == wanted);
    Ok(Datum::Int4(code.map_or(-1, |i| i as i32)))
}

fn to_reg(a: &[Datum], ctx: &EvalCtx<'_>, ty: T) -> Eval {
    let name = names_arg(a, 0)?;
    if ty == T::Regtype
        && let Some(t) = T::from_name(name)
    {
        return Ok(Datum::Oid(t.oid()));
    }
    match ctx.env.reg_oid(ty, name) {
        // What is no name names nothing.
        Err(e) if e.code == SqlState::INVALID_NAME => Ok(Datum::Null),
        found => Ok(found?.map_or(Datum::Null, Datum::Oid)),
    }
}

fn to_regclass(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regclass)
}

fn to_regtype(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regtype)
}

fn to_regproc(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regproc)
}

fn to_regprocedure(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regprocedure)
}

fn to_regoper(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regoper)
}

fn to_regoperator(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regoperator)
}

/// The version of a predefined collation's rules, as this server has them.
fn collation_version(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    use crate::collation::{VERSION, predefined_locale, predefined_provider};
    let Datum::Oid(oid) = a[0] else { return Ok(Datum::Null) };
    Ok(match (predefined_locale(oid), predefined_provider(oid)) {
        (Some(_), _) => Datum::text(VERSION),
        (None, 'b') => Datum::text("1"),
        _ => Datum::Null,
    })
}

fn to_regcollation(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regcollation)
}

fn to_regnamespace(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regnamespace)
}

fn to_regrole(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    to_reg(a, ctx, T::Regrole)
}

fn partition_ancestors(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let ancestors = ctx.env.partition_ancestors(oid_arg(a, 0));
    Ok(Datum::array(T::Regclass, ancestors.into_iter().map(Datum::Oid).collect()))
}

fn relation_publishable(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    // System catalogs, whose OIDs are below those of users' tables, are not published.
    const FIRST_USER_OID: u32 = 16384;
    let oid = oid_arg(a, 0);
    Ok(ctx.env.is_visible(ObjectKind::Table, oid).map_or(Datum::Null, |_| Datum::Bool(oid >= FIRST_USER_OID)))
}

fn relation_filepath(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.relation_file_path(oid_arg(a, 0))))
}

fn relation_filenode(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Oid(oid_arg(a, 0)))
}

fn tablespace_location(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::text(""))
}

fn null(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Null)
}

fn relation_is_updatable(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(ctx.env.updatable(oid_arg(a, 0), None)))
}

fn column_is_updatable(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let column = a[1].as_i64().unwrap_or(0) as i16;
    // UPDATE and DELETE.
    let both = (1 << 2) | (1 << 4);
    Ok(Datum::Bool(column > 0 && ctx.env.updatable(oid_arg(a, 0), Some(column)) & both == both))
}

fn method_property(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.method_property(oid_arg(a, 0), names_arg(a, 1)?)))
}

fn index_property(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.index_property(oid_arg(a, 0), None, names_arg(a, 1)?)))
}

fn column_property(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let column = int_arg(a, 1) as i32;
    Ok(Datum::from(ctx.env.index_property(oid_arg(a, 0), Some(column), names_arg(a, 2)?)))
}

const OID: &[T] = &[T::Oid];
const OB: &[T] = &[T::Oid, T::Bool];
const S: &[T] = &[T::Text];

pub(super) static TABLE: &[ScalarFn] = &[
    lenient(stable("format_type", &[T::Oid, T::Int4], T::Text, format_type_fn)),
    stable("oidvectortypes", &[T::OidVector], T::Text, types_of_vector),
    stable("pg_get_userbyid", OID, T::Name, role_name),
    stable("pg_table_is_visible", OID, T::Bool, table_visible),
    stable("pg_type_is_visible", OID, T::Bool, type_visible),
    stable("pg_function_is_visible", OID, T::Bool, function_visible),
    stable("pg_operator_is_visible", OID, T::Bool, operator_visible),
    stable("pg_opclass_is_visible", OID, T::Bool, opclass_visible),
    stable("pg_opfamily_is_visible", OID, T::Bool, opfamily_visible),
    stable("pg_collation_is_visible", OID, T::Bool, collation_visible),
    stable("pg_conversion_is_visible", OID, T::Bool, conversion_visible),
    stable("pg_statistics_obj_is_visible", OID, T::Bool, statistics_visible),
    stable("pg_ts_config_is_visible", OID, T::Bool, ts_config_visible),
    stable("pg_ts_dict_is_visible", OID, T::Bool, ts_dict_visible),
    stable("pg_ts_parser_is_visible", OID, T::Bool, ts_parser_visible),
    stable("pg_ts_template_is_visible", OID, T::Bool, ts_template_visible),
    stable("pg_get_indexdef", OID, T::Text, index_def),
    stable("pg_get_indexdef", &[T::Oid, T::Int4, T::Bool], T::Text, index_def),
    stable("pg_get_constraintdef", OID, T::Text, constraint_def),
    stable("pg_get_constraintdef", OB, T::Text, constraint_def),
    stable("pg_get_expr", &[T::Text, T::Oid], T::Text, expression),
    stable("pg_get_expr", &[T::Text, T::Oid, T::Bool], T::Text, expression),
    stable("pg_get_viewdef", OID, T::Text, view_def),
    stable("pg_get_viewdef", OB, T::Text, view_def),
    stable("pg_get_viewdef", &[T::Oid, T::Int4], T::Text, view_def),
    stable("pg_get_viewdef", S, T::Text, view_def),
    stable("pg_get_viewdef", &[T::Text, T::Bool], T::Text, view_def),
    stable("pg_get_triggerdef", OID, T::Text, trigger_def),
    stable("pg_get_triggerdef", OB, T::Text, trigger_def),
    stable("pg_get_ruledef", OID, T::Text, rule_def),
    stable("pg_get_ruledef", OB, T::Text, rule_def),
    stable("pg_get_partkeydef", OID, T::Text, partition_key_def),
    stable("pg_get_partition_constraintdef", OID, T::Text, null),
    stable("pg_get_statisticsobjdef", OID, T::Text, statistics_def),
    stable("pg_get_statisticsobjdef_columns", OID, T::Text, statistics_columns),
    stable("pg_get_functiondef", OID, T::Text, function_def),
    stable("pg_get_function_result", OID, T::Text, function_result),
    stable("pg_get_function_arguments", OID, T::Text, function_arguments),
    stable("pg_get_function_identity_arguments", OID, T::Text, function_arguments),
    stable("pg_get_function_sqlbody", OID, T::Text, null),
    stable("pg_describe_object", &[T::Oid, T::Oid, T::Int4], T::Text, describe_object),
    stable("obj_description", OID, T::Text, obj_description),
    stable("obj_description", &[T::Oid, T::Name], T::Text, obj_description),
    stable("shobj_description", &[T::Oid, T::Name], T::Text, obj_description),
    stable("col_description", &[T::Oid, T::Int4], T::Text, col_description),
    f("pg_encoding_to_char", &[T::Int4], T::Name, encoding_to_char),
    f("pg_encoding_max_length", &[T::Int4], T::Int4, encoding_max_length),
    f("pg_char_to_encoding", &[T::Name], T::Int4, char_to_encoding),
    stable("to_regclass", S, T::Regclass, to_regclass),
    stable("to_regtype", S, T::Regtype, to_regtype),
    stable("to_regproc", S, T::Regproc, to_regproc),
    stable("to_regprocedure", S, T::Regprocedure, to_regprocedure),
    stable("to_regoper", S, T::Regoper, to_regoper),
    stable("to_regoperator", S, T::Regoperator, to_regoperator),
    stable("to_regcollation", S, T::Regcollation, to_regcollation),
    stable("pg_collation_actual_version", OID, T::Text, collation_version),
    stable("to_regnamespace", S, T::Regnamespace, to_regnamespace),
    stable("to_regrole", S, T::Regrole, to_regrole),
    stable("pg_partition_ancestors", &[T::Regclass], T::RegclassArray, partition_ancestors),
    stable("pg_partition_root", &[T::Regclass], T::Regclass, null),
    stable("pg_relation_is_publishable", &[T::Regclass], T::Bool, relation_publishable),
    stable("pg_relation_filepath", &[T::Regclass], T::Text, relation_filepath),
    stable("pg_relation_filenode", &[T::Regclass], T::Oid, relation_filenode),
    stable("pg_tablespace_location", OID, T::Text, tablespace_location),
    stable("pg_relation_is_updatable", &[T::Regclass, T::Bool], T::Int4, relation_is_updatable),
    stable("pg_column_is_updatable", &[T::Regclass, T::Int2, T::Bool], T::Bool, column_is_updatable),
    stable("pg_indexam_has_property", &[T::Oid, T::Text], T::Bool, method_property),
    stable("pg_index_has_property", &[T::Regclass, T::Text], T::Bool, index_property),
    stable("pg_index_column_has_property", &[T::Regclass, T::Int4, T::Text], T::Bool, column_property),
];
