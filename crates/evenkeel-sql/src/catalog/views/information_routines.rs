//! `information_schema`: functions, their parameters, and who may call them.
//!
//! Must not know: how functions are kept; it reads `pg_proc`.

use super::derived::{Line, Source, row_of, yes_no};
use super::information::view;
use super::information_types::{Known, Types};
use super::{ViewContext, VirtualTable, text};
use crate::catalog::security::acl::{self, Class, PUBLIC};
use crate::catalog::{Catalog, PG_CATALOG_OID};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&ROUTINES, &PARAMETERS, &ROUTINE_PRIVILEGES, &ROLE_ROUTINE_GRANTS];

/// `nameconcatoid`: the name that no other function has, at most as long as a name may be.
fn specific(p: Line<'_>) -> Datum {
    const LONGEST: usize = 63;
    let oid = format!("_{}", p.oid("oid"));
    let name = p.str("proname");
    let mut end = name.len().min(LONGEST - oid.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    text(format!("{}{oid}", &name[..end]))
}

fn owns(catalog: &Catalog, cx: &dyn ViewContext, p: Line<'_>) -> bool {
    catalog.security().has_privileges_of(cx.role(), p.oid("proowner"))
}

/// Whether the current role sees a function: it is its own, or it may call it.
fn sees(catalog: &Catalog, cx: &dyn ViewContext, p: Line<'_>) -> bool {
    let s = catalog.security();
    owns(catalog, cx, p) || s.mask(cx.role(), p.oid("oid"), Class::Function, acl::EXECUTE) != 0
}

static ROUTINES: VirtualTable = view(
    13080,
    "routines",
    &[
        ("specific_catalog", Type::Name),
        ("specific_schema", Type::Name),
        ("specific_name", Type::Name),
        ("routine_catalog", Type::Name),
        ("routine_schema", Type::Name),
        ("routine_name", Type::Name),
        ("routine_type", Type::Text),
        ("module_catalog", Type::Name),
        ("module_schema", Type::Name),
        ("module_name", Type::Name),
        ("udt_catalog", Type::Name),
        ("udt_schema", Type::Name),
        ("udt_name", Type::Name),
        ("data_type", Type::Text),
        ("character_maximum_length", Type::Int4),
        ("character_octet_length", Type::Int4),
        ("character_set_catalog", Type::Name),
        ("character_set_schema", Type::Name),
        ("character_set_name", Type::Name),
        ("collation_catalog", Type::Name),
        ("collation_schema", Type::Name),
        ("collation_name", Type::Name),
        ("numeric_precision", Type::Int4),
        ("numeric_precision_radix", Type::Int4),
        ("numeric_scale", Type::Int4),
        ("datetime_precision", Type::Int4),
        ("interval_type", Type::Text),
        ("interval_precision", Type::Int4),
        ("type_udt_catalog", Type::Name),
        ("type_udt_schema", Type::Name),
        ("type_udt_name", Type::Name),
        ("scope_catalog", Type::Name),
        ("scope_schema", Type::Name),
        ("scope_name", Type::Name),
        ("maximum_cardinality", Type::Int4),
        ("dtd_identifier", Type::Name),
        ("routine_body", Type::Text),
        ("routine_definition", Type::Text),
        ("external_name", Type::Text),
        ("external_language", Type::Text),
        ("parameter_style", Type::Text),
        ("is_deterministic", Type::Text),
        ("sql_data_access", Type::Text),
        ("is_null_call", Type::Text),
        ("sql_path", Type::Text),
        ("schema_level_routine", Type::Text),
        ("max_dynamic_result_sets", Type::Int4),
        ("is_user_defined_cast", Type::Text),
        ("is_implicitly_invocable", Type::Text),
        ("security_type", Type::Text),
        ("to_sql_specific_catalog", Type::Name),
        ("to_sql_specific_schema", Type::Name),
        ("to_sql_specific_name", Type::Name),
        ("as_locator", Type::Text),
        ("created", Type::Timestamptz),
        ("last_altered", Type::Timestamptz),
        ("new_savepoint_level", Type::Text),
        ("is_udt_dependent", Type::Text),
        ("result_cast_from_data_type", Type::Text),
        ("result_cast_as_locator", Type::Text),
        ("result_cast_char_max_length", Type::Int4),
        ("result_cast_char_octet_length", Type::Int4),
        ("result_cast_char_set_catalog", Type::Name),
        ("result_cast_char_set_schema", Type::Name),
        ("result_cast_char_set_name", Type::Name),
        ("result_cast_collation_catalog", Type::Name),
        ("result_cast_collation_schema", Type::Name),
        ("result_cast_collation_name", Type::Name),
        ("result_cast_numeric_precision", Type::Int4),
        ("result_cast_numeric_precision_radix", Type::Int4),
        ("result_cast_numeric_scale", Type::Int4),
        ("result_cast_datetime_precision", Type::Int4),
        ("result_cast_interval_type", Type::Text),
        ("result_cast_interval_precision", Type::Int4),
        ("result_cast_type_udt_catalog", Type::Name),
        ("result_cast_type_udt_schema", Type::Name),
        ("result_cast_type_udt_name", Type::Name),
        ("result_cast_scope_catalog", Type::Name),
        ("result_cast_scope_schema", Type::Name),
        ("result_cast_scope_name", Type::Name),
        ("result_cast_maximum_cardinality", Type::Int4),
        ("result_cast_dtd_identifier", Type::Name),
    ],
    |catalog, cx| {
        let (types, functions) =
            (Types::of(catalog, cx)?, Source::of(PG_CATALOG_OID, "pg_proc", catalog, cx)?);
        let (known, languages) = (types.known(), Source::of(PG_CATALOG_OID, "pg_language", catalog, cx)?);
        let languages = languages.by_oid("oid");
        let mut rows = Vec::new();
        for p in functions.lines().filter(|p| sees(catalog, cx, *p)) {
            let Some(language) = languages.get(&p.oid("prolang")).map(|l| l.str("lanname")) else { continue };
            let (schema, is_procedure) = (known.schema(p.oid("pronamespace")), p.str("prokind") == "p");
            let kind = match p.str("prokind") {
                "f" => text("FUNCTION"),
                "p" => text("PROCEDURE"),
                _ => Datum::Null,
            };
            let mut row = vec![
                ("specific_catalog", text(cx.database_name())),
                ("specific_schema", schema.clone()),
                ("specific_name", specific(p)),
                ("routine_catalog", text(cx.database_name())),
                ("routine_schema", schema),
                ("routine_name", p.get("proname")),
                ("routine_type", kind),
                ("routine_body", text(if language == "sql" { "SQL" } else { "EXTERNAL" })),
                ("external_language", text(language.to_uppercase())),
                ("parameter_style", text("GENERAL")),
                ("is_deterministic", yes_no(p.str("provolatile") == "i")),
                ("sql_data_access", text("MODIFIES")),
                ("schema_level_routine", yes_no(true)),
                ("max_dynamic_result_sets", Datum::Int4(0)),
                ("security_type", text(if p.is("prosecdef") { "DEFINER" } else { "INVOKER" })),
                ("as_locator", yes_no(false)),
                ("is_udt_dependent", yes_no(false)),
            ];
            if owns(catalog, cx, p) {
                row.push(("routine_definition", p.get("prosrc")));
            }
            if let Some(ty) = known.ty(p.oid("prorettype")).filter(|_| !is_procedure) {
                let [of, schema, name] = known.udt(ty, cx);
                row.extend([("type_udt_catalog", of), ("type_udt_schema", schema), ("type_udt_name", name)]);
                row.push(("data_type", known.data_type(ty)));
            }
            if !is_procedure {
                row.extend([("dtd_identifier", text("0")), ("is_null_call", yes_no(p.is("proisstrict")))]);
            }
            rows.push(row_of(&ROUTINES, row));
        }
        Ok(rows)
    },
);

static PARAMETERS: VirtualTable = view(
    13081,
    "parameters",
    &[
        ("specific_catalog", Type::Name),
        ("specific_schema", Type::Name),
        ("specific_name", Type::Name),
        ("ordinal_position", Type::Int4),
        ("parameter_mode", Type::Text),
        ("is_result", Type::Text),
        ("as_locator", Type::Text),
        ("parameter_name", Type::Name),
        ("data_type", Type::Text),
        ("character_maximum_length", Type::Int4),
        ("character_octet_length", Type::Int4),
        ("character_set_catalog", Type::Name),
        ("character_set_schema", Type::Name),
        ("character_set_name", Type::Name),
        ("collation_catalog", Type::Name),
        ("collation_schema", Type::Name),
        ("collation_name", Type::Name),
        ("numeric_precision", Type::Int4),
        ("numeric_precision_radix", Type::Int4),
        ("numeric_scale", Type::Int4),
        ("datetime_precision", Type::Int4),
        ("interval_type", Type::Text),
        ("interval_precision", Type::Int4),
        ("udt_catalog", Type::Name),
        ("udt_schema", Type::Name),
        ("udt_name", Type::Name),
        ("scope_catalog", Type::Name),
        ("scope_schema", Type::Name),
        ("scope_name", Type::Name),
        ("maximum_cardinality", Type::Int4),
        ("dtd_identifier", Type::Name),
        ("parameter_default", Type::Text),
    ],
    |catalog, cx| {
        let (types, functions) =
            (Types::of(catalog, cx)?, Source::of(PG_CATALOG_OID, "pg_proc", catalog, cx)?);
        let known = types.known();
        let mut rows = Vec::new();
        for p in functions.lines().filter(|p| sees(catalog, cx, *p)) {
            let all = p.array("proallargtypes").or_else(|| p.array("proargtypes")).unwrap_or(&[]);
            for (n, ty) in all.iter().enumerate() {
                let ty = ty.as_oid().and_then(|oid| known.ty(oid));
                rows.extend(ty.map(|ty| parameter(&known, cx, p, n, ty)));
            }
        }
        Ok(rows)
    },
);

/// The parameter of a function at a place, counted from 0.
fn parameter(known: &Known<'_>, cx: &dyn ViewContext, p: Line<'_>, n: usize, ty: Line<'_>) -> Vec<Datum> {
    let modes = p.array("proargmodes");
    let mode = match modes.map(|m| m.get(n).and_then(Datum::as_str)) {
        None | Some(Some("i" | "v")) => text("IN"),
        Some(Some("o" | "t")) => text("OUT"),
        Some(Some("b")) => text("INOUT"),
        Some(_) => Datum::Null,
    };
    let name = p.array("proargnames").and_then(|names| names.get(n)).and_then(Datum::as_str);
    let name = name.filter(|name| !name.is_empty());
    let [udt_catalog, udt_schema, udt_name] = known.udt(ty, cx);
    row_of(
        &PARAMETERS,
        vec![
            ("specific_catalog", text(cx.database_name())),
            ("specific_schema", known.schema(p.oid("pronamespace"))),
            ("specific_name", specific(p)),
            ("ordinal_position", Datum::Int4(n as i32 + 1)),
            ("parameter_mode", mode),
            ("is_result", yes_no(false)),
            ("as_locator", yes_no(false)),
            ("parameter_name", super::opt(name)),
            ("data_type", known.data_type(ty)),
            ("udt_catalog", udt_catalog),
            ("udt_schema", udt_schema),
            ("udt_name", udt_name),
            ("dtd_identifier", text((n + 1).to_string())),
        ],
    )
}

fn privileges(catalog: &Catalog, cx: &dyn ViewContext, only_own: bool) -> Result<Vec<Vec<Datum>>, SqlError> {
    let (types, functions) = (Types::of(catalog, cx)?, Source::of(PG_CATALOG_OID, "pg_proc", catalog, cx)?);
    let (known, s) = (types.known(), catalog.security());
    let enabled = |role: u32| role != PUBLIC && s.has_privileges_of(cx.role(), role);
    let named = |role: u32| match role {
        PUBLIC => text("PUBLIC"),
        role => super::opt(s.role(role).map(|r| &r.name)),
    };
    let mut rows = Vec::new();
    for p in functions.lines() {
        let (owner, schema) = (p.oid("proowner"), known.schema(p.oid("pronamespace")));
        for item in &s.acl(p.oid("oid"), Class::Function).0 {
            let is_seen =
                enabled(item.grantor) || enabled(item.grantee) || item.grantee == PUBLIC && !only_own;
            if item.privileges & acl::EXECUTE == 0 || !is_seen {
                continue;
            }
            let owns = item.grantee != PUBLIC && s.has_privileges_of(item.grantee, owner);
            let grantable = owns || item.privileges & acl::options_for(acl::EXECUTE) != 0;
            rows.push(vec![
                named(item.grantor),
                named(item.grantee),
                text(cx.database_name()),
                schema.clone(),
                specific(p),
                text(cx.database_name()),
                schema.clone(),
                p.get("proname"),
                text("EXECUTE"),
                yes_no(grantable),
            ]);
        }
    }
    Ok(rows)
}

const PRIVILEGES: &[(&str, Type)] = &[
    ("grantor", Type::Name),
    ("grantee", Type::Name),
    ("specific_catalog", Type::Name),
    ("specific_schema", Type::Name),
    ("specific_name", Type::Name),
    ("routine_catalog", Type::Name),
    ("routine_schema", Type::Name),
    ("routine_name", Type::Name),
    ("privilege_type", Type::Text),
    ("is_grantable", Type::Text),
];

static ROUTINE_PRIVILEGES: VirtualTable =
    view(13082, "routine_privileges", PRIVILEGES, |catalog, cx| privileges(catalog, cx, false));

static ROLE_ROUTINE_GRANTS: VirtualTable =
    view(13083, "role_routine_grants", PRIVILEGES, |catalog, cx| privileges(catalog, cx, true));
