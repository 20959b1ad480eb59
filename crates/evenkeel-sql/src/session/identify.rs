//! Objects by the catalog that they are in and their OID, as kind and names: `pg_identify_object` and `pg_identify_object_as_address`.
//!
//! Must not know: the session.

use super::describe::{AM, CAST, LANGUAGE, PROC};
use super::reg::reg_name;
use crate::catalog::views::{self, class_oid, classes, opclass, stored};
use crate::catalog::{Catalog, Relation, noun_of};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{ObjectIdentity, Type, format_type, quote_ident};

const SYSTEM: &str = "pg_catalog";

/// Types that SQL has names of several words or of its own for: those have no schema before them.
const BY_GRAMMAR: [&str; 12] = [
    "bigint",
    "bit",
    "boolean",
    "character",
    "double precision",
    "integer",
    "interval",
    "numeric",
    "real",
    "smallint",
    "time",
    "timestamp",
];

/// What an object is; None: its kind has none that are told.
pub(super) fn identify(
    catalog: &Catalog,
    (class, oid, part): (u32, u32, i32),
) -> Result<ObjectIdentity, SqlError> {
    let simple = |kind: &str, name: Option<String>| match name {
        None => ObjectIdentity { kind: kind.to_owned(), ..ObjectIdentity::default() },
        Some(name) => ObjectIdentity {
            kind: kind.to_owned(),
            name: Some(quote_ident(&name)),
            identity: Some(quote_ident(&name)),
            names: vec![name],
            ..ObjectIdentity::default()
        },
    };
    let missing = |kind: &str| simple(kind, None);
    Ok(match class {
        class_oid::RELATION => relation(catalog, oid, part),
        class_oid::TYPE => of_type(catalog, oid).unwrap_or_else(|| missing("type")),
        PROC => function(oid).unwrap_or_else(|| missing("routine")),
        class_oid::NAMESPACE => simple("schema", catalog.schema(oid).map(|s| s.name.clone())),
        class_oid::ROLE => simple("role", catalog.security().role(oid).map(|r| r.name.clone())),
        class_oid::DATABASE => {
            simple("database", catalog.databases().find(|d| d.oid == oid).map(|d| d.name.clone()))
        }
        class_oid::EXTENSION => {
            let own = catalog.extensions().find(|e| e.oid == oid).map(|e| e.name.clone());
            let built_in = (oid == views::extensions::PLPGSQL_OID).then(|| "plpgsql".to_owned());
            simple("extension", own.or(built_in))
        }
        LANGUAGE => simple("language", views::types::language_named(oid).map(str::to_owned)),
        AM => simple("access method", opclass::method_named(oid).map(str::to_owned)),
        class_oid::ATTRDEF => default_value(catalog, oid).unwrap_or_else(|| missing("default value")),
        class_oid::CONSTRAINT => constraint(catalog, oid).unwrap_or_else(|| missing("constraint")),
        class_oid::REWRITE => match names_of(catalog, stored::rule_oid(oid)) {
            Some((schema, of)) => within("rule", None, "_RETURN", [schema, of]),
            None => missing("rule"),
        },
        CAST => match views::casts::between(oid) {
            Some((from, to)) => {
                let (from, to) = (type_text(catalog, from), type_text(catalog, to));
                ObjectIdentity {
                    kind: "cast".into(),
                    identity: Some(format!("({from} AS {to})")),
                    names: vec![from],
                    args: vec![to],
                    ..ObjectIdentity::default()
                }
            }
            None => missing("cast"),
        },
        class => {
            let message = format!("unsupported object class: {class}");
            return Err(SqlError::new(SqlState::INTERNAL_ERROR, message));
        }
    })
}

/// The schema and the name of a relation.
fn names_of(catalog: &Catalog, oid: u32) -> Option<(String, String)> {
    let r = catalog.relation(oid)?;
    Some((catalog.schema(r.schema()).map_or(SYSTEM, |s| &s.name).to_owned(), r.name().to_owned()))
}

fn dotted<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    names.into_iter().map(|n| quote_ident(n)).collect::<Vec<_>>().join(".")
}

/// Something of a relation that has a name there.
fn within(kind: &str, schema: Option<String>, name: &str, of: [String; 2]) -> ObjectIdentity {
    ObjectIdentity {
        kind: kind.to_owned(),
        schema,
        name: None,
        identity: Some(format!("{} on {}", quote_ident(name), dotted(&of))),
        names: of.into_iter().chain([name.to_owned()]).collect(),
        args: Vec::new(),
    }
}

fn relation(catalog: &Catalog, oid: u32, part: i32) -> ObjectIdentity {
    let named = |kind: String, schema: String, name: String, column: Option<String>| {
        let names: Vec<String> = [schema.clone(), name.clone()].into_iter().chain(column).collect();
        ObjectIdentity {
            kind,
            schema: Some(quote_ident(&schema)),
            name: Some(quote_ident(&name)),
            identity: Some(dotted(&names)),
            names,
            args: Vec::new(),
        }
    };
    let suffix = if part == 0 { "" } else { " column" };
    if let Some(t) = catalog.composite_of_class(oid) {
        let schema = catalog.schema(t.schema).map_or(SYSTEM, |s| &s.name).to_owned();
        return named("composite type".into(), schema, t.name.clone(), None);
    }
    let (Some(r), Some((schema, name))) = (catalog.relation(oid), names_of(catalog, oid)) else {
        return ObjectIdentity { kind: format!("relation{suffix}"), ..ObjectIdentity::default() };
    };
    let kind = format!("{}{suffix}", noun_of(&r));
    let n = usize::try_from(part - 1);
    let column = n.ok().and_then(|n| match &r {
        Relation::Table(t) => t.columns.get(n).filter(|c| !c.dropped).map(|c| c.name.clone()),
        Relation::View(v) => v.columns.get(n).map(|c| c.name.clone()),
        Relation::Virtual(v) => v.columns.get(n).map(|c| c.0.to_owned()),
        Relation::Index(..) | Relation::Sequence(_) => None,
    });
    match (part, column) {
        (0, _) => named(kind, schema, name, None),
        (_, Some(column)) => named(kind, schema, name, Some(column)),
        (_, None) => ObjectIdentity { kind, ..ObjectIdentity::default() },
    }
}

/// A type with its schema, but where the grammar has it.
fn type_text(catalog: &Catalog, oid: u32) -> String {
    match Type::from_oid(oid) {
        Some(t) if !t.is_of_extension() => {
            let name = format_type(t, -1);
            let is_known = BY_GRAMMAR.iter().any(|own| {
                name == *own || name.starts_with(&format!("{own} ")) || name.starts_with(&format!("{own}["))
            });
            if is_known { name } else { format!("{SYSTEM}.{name}") }
        }
        _ => reg_name(catalog, &[], Type::Regtype, oid).unwrap_or_else(|| oid.to_string()),
    }
}

fn of_type(catalog: &Catalog, oid: u32) -> Option<ObjectIdentity> {
    reg_name(catalog, &[], Type::Regtype, oid)?;
    let identity = type_text(catalog, oid);
    let (schema, name) = match (catalog.user_type(oid), Type::from_oid(oid)) {
        (Some(t), _) => (catalog.schema(t.schema)?.name.clone(), t.name.clone()),
        (None, Some(t)) if !t.is_of_extension() => (SYSTEM.to_owned(), t.pg_name().into_owned()),
        _ => {
            let (schema, name) = identity.split_once('.')?;
            (schema.to_owned(), name.to_owned())
        }
    };
    Some(ObjectIdentity {
        kind: "type".into(),
        schema: Some(quote_ident(&schema)),
        name: Some(quote_ident(&name)),
        names: vec![identity.clone()],
        identity: Some(identity),
        args: Vec::new(),
    })
}

fn function(oid: u32) -> Option<ObjectIdentity> {
    let (name, types) = views::signatures::of_function(oid)?;
    let none = Catalog::default();
    let args: Vec<String> = types.into_iter().map(|t| type_text(&none, t)).collect();
    Some(ObjectIdentity {
        kind: "function".into(),
        schema: Some(SYSTEM.into()),
        name: None,
        identity: Some(format!("{SYSTEM}.{}({})", quote_ident(name), args.join(","))),
        names: vec![SYSTEM.into(), name.into()],
        args,
    })
}

fn default_value(catalog: &Catalog, oid: u32) -> Option<ObjectIdentity> {
    catalog.tables().find_map(|t| {
        let is_it = |n: &usize| classes::attrdef_oid(t.oid, *n) == oid;
        let n = t.live_columns().filter(|(_, c)| c.default.is_some()).map(|(n, _)| n).find(is_it)?;
        let (schema, name) = names_of(catalog, t.oid)?;
        let names = vec![schema, name, t.columns[n].name.clone()];
        Some(ObjectIdentity {
            kind: "default value".into(),
            identity: Some(format!("for {}", dotted(&names))),
            names,
            ..ObjectIdentity::default()
        })
    })
}

fn constraint(catalog: &Catalog, oid: u32) -> Option<ObjectIdentity> {
    if let Some((table, name)) = super::describe::constraint_of_table(catalog, oid) {
        let (schema, of) = names_of(catalog, table)?;
        return Some(within("table constraint", Some(quote_ident(&schema)), name, [schema, of]));
    }
    let (t, d) = catalog.domain_of_constraint(oid)?;
    let check = d.checks.iter().find(|c| c.oid == oid).map(|c| &c.name);
    let name = check.or_else(|| d.not_null.as_ref().filter(|n| n.0 == oid).map(|n| &n.1))?;
    let of = reg_name(catalog, &[], Type::Regtype, t.oid)?;
    let schema = catalog.schema(t.schema)?.name.clone();
    Some(ObjectIdentity {
        kind: "domain constraint".into(),
        schema: Some(quote_ident(&schema)),
        name: None,
        identity: Some(format!("{} on {of}", quote_ident(name))),
        names: vec![of],
        args: vec![name.clone()],
    })
}
