//! `information_schema`: types, what they are of, and who may use them; collations and the character set.
//!
//! Must not know: how types are kept; it reads the catalog's views.

use super::derived::{Line, Source, row_of, yes_no};
use super::information::view;
use super::{ViewContext, VirtualTable, text};
use crate::catalog::security::acl::{self, Class, PUBLIC};
use crate::catalog::{Catalog, INFORMATION_SCHEMA_OID, PG_CATALOG_OID};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type};
use std::collections::HashMap;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &ATTRIBUTES,
    &CHARACTER_SETS,
    &COLLATIONS,
    &COLLATION_CHARACTER_SET_APPLICABILITY,
    &COLUMN_UDT_USAGE,
    &DATA_TYPE_PRIVILEGES,
    &DOMAIN_UDT_USAGE,
    &ELEMENT_TYPES,
    &INFORMATION_SCHEMA_CATALOG_NAME,
    &USER_DEFINED_TYPES,
    &UDT_PRIVILEGES,
    &ROLE_UDT_GRANTS,
];

/// Types and schemas as others speak of them, by OID.
pub(super) struct Types {
    types: Source,
    schemas: Source,
}

impl Types {
    pub(super) fn of(catalog: &Catalog, cx: &dyn ViewContext) -> Result<Types, SqlError> {
        Ok(Types {
            types: Source::of(PG_CATALOG_OID, "pg_type", catalog, cx)?,
            schemas: Source::of(PG_CATALOG_OID, "pg_namespace", catalog, cx)?,
        })
    }

    /// To look them up in.
    pub(super) fn known(&self) -> Known<'_> {
        Known { types: self.types.by_oid("oid"), schemas: self.schemas.by_oid("oid") }
    }
}

/// Types and schemas by OID.
pub(super) struct Known<'a> {
    types: HashMap<u32, Line<'a>>,
    schemas: HashMap<u32, Line<'a>>,
}

impl<'a> Known<'a> {
    /// A type.
    pub(super) fn ty(&self, oid: u32) -> Option<Line<'a>> {
        self.types.get(&oid).copied()
    }

    /// The type that a column of it is told to have: a domain's is that which it is over.
    fn true_type(&self, oid: u32) -> Option<Line<'a>> {
        let found = self.ty(oid)?;
        if found.str("typtype") == "d" { self.ty(found.oid("typbasetype")) } else { Some(found) }
    }

    /// A schema's name.
    pub(super) fn schema(&self, oid: u32) -> Datum {
        self.schemas.get(&oid).map_or(Datum::Null, |s| s.get("nspname"))
    }

    fn is_in_catalog(ty: Line<'_>) -> bool {
        ty.oid("typnamespace") == PG_CATALOG_OID
    }

    /// What `data_type` says of a type.
    pub(super) fn data_type(&self, ty: Line<'_>) -> Datum {
        let named = |oid: u32| Type::from_oid(oid).map(|t| t.sql_name().into_owned());
        if ty.oid("typelem") != 0 && ty.int("typlen") == -1 {
            text("ARRAY")
        } else if Self::is_in_catalog(ty) {
            text(named(ty.oid("oid")).unwrap_or_else(|| ty.str("typname").to_owned()))
        } else {
            text("USER-DEFINED")
        }
    }

    /// Database, schema and name of a type, for the columns that begin with `prefix`.
    pub(super) fn udt(&self, ty: Line<'_>, cx: &dyn ViewContext) -> [Datum; 3] {
        [text(cx.database_name()), self.schema(ty.oid("typnamespace")), ty.get("typname")]
    }
}

fn uses(catalog: &Catalog, cx: &dyn ViewContext, owner: u32) -> bool {
    catalog.security().has_privileges_of(cx.role(), owner)
}

/// Whether the current role may see a type: it is its owner's, or may use it.
fn sees(catalog: &Catalog, cx: &dyn ViewContext, ty: Line<'_>) -> bool {
    let s = catalog.security();
    uses(catalog, cx, ty.oid("typowner")) || s.mask(cx.role(), ty.oid("oid"), Class::Type, acl::USAGE) != 0
}

/// What number of digits and seconds, and how long, values of a column may be.
fn limits(ty: u32, typmod: i32) -> Vec<(&'static str, Datum)> {
    use evenkeel_types::{typmod_length, typmod_numeric};
    let Some(ty) = Type::from_oid(ty) else { return Vec::new() };
    let int = |n: i64| Datum::Int4(n as i32);
    match ty {
        Type::Varchar | Type::Bpchar => {
            let octets = typmod_length(typmod).map_or(1 << 30, |l| l as i64 * 4);
            let length = typmod_length(typmod).map_or(Datum::Null, |l| int(l as i64));
            vec![("character_maximum_length", length), ("character_octet_length", int(octets))]
        }
        Type::Text => vec![("character_octet_length", int(1 << 30))],
        Type::Int2 | Type::Int4 | Type::Int8 => {
            let bits = i64::from(ty.len()) * 8;
            vec![
                ("numeric_precision", int(bits)),
                ("numeric_precision_radix", int(2)),
                ("numeric_scale", int(0)),
            ]
        }
        Type::Float4 | Type::Float8 => {
            let bits = if ty == Type::Float4 { 24 } else { 53 };
            vec![("numeric_precision", int(bits)), ("numeric_precision_radix", int(2))]
        }
        Type::Numeric => {
            let mut all = vec![("numeric_precision_radix", int(10))];
            if let Some((precision, scale)) = typmod_numeric(typmod) {
                all.push(("numeric_precision", int(i64::from(precision))));
                all.push(("numeric_scale", int(super::limits::scale(scale))));
            }
            all
        }
        ty => match super::limits::seconds(ty, typmod) {
            Some(digits) => vec![
                ("datetime_precision", int(digits)),
                ("interval_type", super::limits::interval_type(ty, typmod)),
            ],
            None => Vec::new(),
        },
    }
}

static ATTRIBUTES: VirtualTable = view(
    13060,
    "attributes",
    &[
        ("udt_catalog", Type::Name),
        ("udt_schema", Type::Name),
        ("udt_name", Type::Name),
        ("attribute_name", Type::Name),
        ("ordinal_position", Type::Int4),
        ("attribute_default", Type::Text),
        ("is_nullable", Type::Text),
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
        ("attribute_udt_catalog", Type::Name),
        ("attribute_udt_schema", Type::Name),
        ("attribute_udt_name", Type::Name),
        ("scope_catalog", Type::Name),
        ("scope_schema", Type::Name),
        ("scope_name", Type::Name),
        ("maximum_cardinality", Type::Int4),
        ("dtd_identifier", Type::Name),
        ("is_derived_reference_attribute", Type::Text),
    ],
    |catalog, cx| {
        let (types, classes) =
            (Types::of(catalog, cx)?, Source::of(PG_CATALOG_OID, "pg_class", catalog, cx)?);
        let known = types.known();
        let composite: HashMap<u32, Line<'_>> =
            classes.lines().filter(|c| c.str("relkind") == "c").map(|c| (c.oid("oid"), c)).collect();
        if composite.is_empty() {
            return Ok(Vec::new());
        }
        let columns = Source::of(PG_CATALOG_OID, "pg_attribute", catalog, cx)?;
        let mut rows = Vec::new();
        for a in columns.lines().filter(|a| a.int("attnum") > 0 && !a.is("attisdropped")) {
            let Some(c) = composite.get(&a.oid("attrelid")) else { continue };
            let (Some(of), Some(ty)) = (known.ty(c.oid("reltype")), known.ty(a.oid("atttypid"))) else {
                continue;
            };
            if !sees(catalog, cx, of) {
                continue;
            }
            let [udt_catalog, udt_schema, udt_name] = known.udt(ty, cx);
            let is_domain = ty.str("typtype") == "d";
            let (over, typmod) = match is_domain {
                true => (ty.oid("typbasetype"), ty.int("typtypmod")),
                false => (ty.oid("oid"), a.int("atttypmod")),
            };
            let never_null = a.is("attnotnull") || is_domain && ty.is("typnotnull");
            let mut row = vec![
                ("udt_catalog", text(cx.database_name())),
                ("udt_schema", known.schema(c.oid("relnamespace"))),
                ("udt_name", c.get("relname")),
                ("attribute_name", a.get("attname")),
                ("ordinal_position", Datum::Int4(a.int("attnum") as i32)),
                ("is_nullable", yes_no(!never_null)),
                ("data_type", known.data_type(ty)),
                ("attribute_udt_catalog", udt_catalog),
                ("attribute_udt_schema", udt_schema),
                ("attribute_udt_name", udt_name),
                ("dtd_identifier", text(a.int("attnum").to_string())),
                ("is_derived_reference_attribute", yes_no(false)),
            ];
            row.extend(limits(over, typmod as i32));
            rows.push(row_of(&ATTRIBUTES, row));
        }
        Ok(rows)
    },
);

static USER_DEFINED_TYPES: VirtualTable = view(
    13061,
    "user_defined_types",
    &[
        ("user_defined_type_catalog", Type::Name),
        ("user_defined_type_schema", Type::Name),
        ("user_defined_type_name", Type::Name),
        ("user_defined_type_category", Type::Text),
        ("is_instantiable", Type::Text),
        ("is_final", Type::Text),
        ("ordering_form", Type::Text),
        ("ordering_category", Type::Text),
        ("ordering_routine_catalog", Type::Name),
        ("ordering_routine_schema", Type::Name),
        ("ordering_routine_name", Type::Name),
        ("reference_type", Type::Text),
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
        ("source_dtd_identifier", Type::Name),
        ("ref_dtd_identifier", Type::Name),
    ],
    |catalog, cx| {
        let (types, classes) =
            (Types::of(catalog, cx)?, Source::of(PG_CATALOG_OID, "pg_class", catalog, cx)?);
        let known = types.known();
        let mut rows = Vec::new();
        for c in classes.lines().filter(|c| c.str("relkind") == "c") {
            let Some(ty) = known.ty(c.oid("reltype")).filter(|ty| sees(catalog, cx, *ty)) else { continue };
            rows.push(row_of(
                &USER_DEFINED_TYPES,
                vec![
                    ("user_defined_type_catalog", text(cx.database_name())),
                    ("user_defined_type_schema", known.schema(ty.oid("typnamespace"))),
                    ("user_defined_type_name", ty.get("typname")),
                    ("user_defined_type_category", text("STRUCTURED")),
                    ("is_instantiable", yes_no(true)),
                ],
            ));
        }
        Ok(rows)
    },
);

static CHARACTER_SETS: VirtualTable = view(
    13062,
    "character_sets",
    &[
        ("character_set_catalog", Type::Name),
        ("character_set_schema", Type::Name),
        ("character_set_name", Type::Name),
        ("character_repertoire", Type::Name),
        ("form_of_use", Type::Name),
        ("default_collate_catalog", Type::Name),
        ("default_collate_schema", Type::Name),
        ("default_collate_name", Type::Name),
    ],
    |_, cx| {
        // The one that all databases have, and what strings are compared by where nothing else is asked for.
        Ok(vec![row_of(
            &CHARACTER_SETS,
            vec![
                ("character_set_name", text("UTF8")),
                ("character_repertoire", text("UCS")),
                ("form_of_use", text("UTF8")),
                ("default_collate_catalog", text(cx.database_name())),
                ("default_collate_schema", text("pg_catalog")),
                ("default_collate_name", text("C")),
            ],
        )])
    },
);

/// Name and schema of each collation.
fn collations(catalog: &Catalog, cx: &dyn ViewContext) -> Result<Vec<[Datum; 2]>, SqlError> {
    let (types, all) = (Types::of(catalog, cx)?, Source::of(PG_CATALOG_OID, "pg_collation", catalog, cx)?);
    let known = types.known();
    Ok(all.lines().map(|c| [known.schema(c.oid("collnamespace")), c.get("collname")]).collect())
}

static COLLATIONS: VirtualTable = view(
    13063,
    "collations",
    &[
        ("collation_catalog", Type::Name),
        ("collation_schema", Type::Name),
        ("collation_name", Type::Name),
        ("pad_attribute", Type::Text),
    ],
    |catalog, cx| {
        let row = |[schema, name]: [Datum; 2]| vec![text(cx.database_name()), schema, name, text("NO PAD")];
        Ok(collations(catalog, cx)?.into_iter().map(row).collect())
    },
);

static COLLATION_CHARACTER_SET_APPLICABILITY: VirtualTable = view(
    13064,
    "collation_character_set_applicability",
    &[
        ("collation_catalog", Type::Name),
        ("collation_schema", Type::Name),
        ("collation_name", Type::Name),
        ("character_set_catalog", Type::Name),
        ("character_set_schema", Type::Name),
        ("character_set_name", Type::Name),
    ],
    |catalog, cx| {
        let row = |[schema, name]: [Datum; 2]| {
            vec![text(cx.database_name()), schema, name, Datum::Null, Datum::Null, text("UTF8")]
        };
        Ok(collations(catalog, cx)?.into_iter().map(row).collect())
    },
);

static COLUMN_UDT_USAGE: VirtualTable = view(
    13065,
    "column_udt_usage",
    &[
        ("udt_catalog", Type::Name),
        ("udt_schema", Type::Name),
        ("udt_name", Type::Name),
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("column_name", Type::Name),
    ],
    |catalog, cx| {
        let (types, classes) =
            (Types::of(catalog, cx)?, Source::of(PG_CATALOG_OID, "pg_class", catalog, cx)?);
        let (known, classes) = (types.known(), classes.by_oid("oid"));
        let columns = Source::of(PG_CATALOG_OID, "pg_attribute", catalog, cx)?;
        let mut rows = Vec::new();
        for a in columns.lines().filter(|a| a.int("attnum") > 0 && !a.is("attisdropped")) {
            let Some(c) = classes.get(&a.oid("attrelid")) else { continue };
            let Some(ty) = known.true_type(a.oid("atttypid")) else { continue };
            if ["r", "v", "f", "p"].contains(&c.str("relkind")) && uses(catalog, cx, ty.oid("typowner")) {
                let mut row = known.udt(ty, cx).to_vec();
                row.extend([text(cx.database_name()), known.schema(c.oid("relnamespace")), c.get("relname")]);
                row.push(a.get("attname"));
                rows.push(row);
            }
        }
        Ok(rows)
    },
);

static DOMAIN_UDT_USAGE: VirtualTable = view(
    13066,
    "domain_udt_usage",
    &[
        ("udt_catalog", Type::Name),
        ("udt_schema", Type::Name),
        ("udt_name", Type::Name),
        ("domain_catalog", Type::Name),
        ("domain_schema", Type::Name),
        ("domain_name", Type::Name),
    ],
    |catalog, cx| {
        let types = Types::of(catalog, cx)?;
        let known = types.known();
        let mut rows = Vec::new();
        for domain in types.types.lines().filter(|t| t.str("typtype") == "d") {
            let Some(base) = known.ty(domain.oid("typbasetype")) else { continue };
            if uses(catalog, cx, base.oid("typowner")) {
                rows.push(known.udt(base, cx).into_iter().chain(known.udt(domain, cx)).collect());
            }
        }
        Ok(rows)
    },
);

/// What has a type: its schema and name, its kind, and the number by which its type is spoken of.
struct Typed {
    schema: Datum,
    name: Datum,
    kind: &'static str,
    identifier: Datum,
}

fn typed(catalog: &Catalog, cx: &dyn ViewContext) -> Result<Vec<Typed>, SqlError> {
    let mut all = Vec::new();
    let views = [
        ("attributes", "udt_schema", "udt_name", "USER-DEFINED TYPE"),
        ("columns", "table_schema", "table_name", "TABLE"),
        ("domains", "domain_schema", "domain_name", "DOMAIN"),
        ("parameters", "specific_schema", "specific_name", "ROUTINE"),
        ("routines", "specific_schema", "specific_name", "ROUTINE"),
    ];
    for (of, schema, name, kind) in views {
        let source = Source::of(INFORMATION_SCHEMA_OID, of, catalog, cx)?;
        all.extend(source.lines().map(|l| Typed {
            schema: l.get(schema),
            name: l.get(name),
            kind,
            identifier: l.get("dtd_identifier"),
        }));
    }
    Ok(all)
}

static DATA_TYPE_PRIVILEGES: VirtualTable = view(
    13067,
    "data_type_privileges",
    &[
        ("object_catalog", Type::Name),
        ("object_schema", Type::Name),
        ("object_name", Type::Name),
        ("object_type", Type::Text),
        ("dtd_identifier", Type::Name),
    ],
    |catalog, cx| {
        let row = |t: Typed| vec![text(cx.database_name()), t.schema, t.name, text(t.kind), t.identifier];
        Ok(typed(catalog, cx)?.into_iter().map(row).collect())
    },
);

static ELEMENT_TYPES: VirtualTable = view(
    13068,
    "element_types",
    &[
        ("object_catalog", Type::Name),
        ("object_schema", Type::Name),
        ("object_name", Type::Name),
        ("object_type", Type::Text),
        ("collection_type_identifier", Type::Name),
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
    ],
    |catalog, cx| {
        // Of each thing that has a type, what that type is.
        let views = [
            (
                "attributes",
                ["attribute_udt_schema", "attribute_udt_name"],
                ["udt_schema", "udt_name"],
                "USER-DEFINED TYPE",
            ),
            ("columns", ["udt_schema", "udt_name"], ["table_schema", "table_name"], "TABLE"),
            ("domains", ["udt_schema", "udt_name"], ["domain_schema", "domain_name"], "DOMAIN"),
            ("parameters", ["udt_schema", "udt_name"], ["specific_schema", "specific_name"], "ROUTINE"),
            (
                "routines",
                ["type_udt_schema", "type_udt_name"],
                ["specific_schema", "specific_name"],
                "ROUTINE",
            ),
        ];
        let types = Types::of(catalog, cx)?;
        let known = types.known();
        let named: HashMap<(String, &str), Line<'_>> = types
            .types
            .lines()
            .map(|t| {
                let schema = known.schema(t.oid("typnamespace"));
                ((schema.as_str().unwrap_or("").to_owned(), t.str("typname")), t)
            })
            .collect();
        let mut rows = Vec::new();
        for (of, ty, [schema, name], kind) in views {
            let source = Source::of(INFORMATION_SCHEMA_OID, of, catalog, cx)?;
            // A column of a domain has no elements, even if the domain is over an array: the domain has.
            let of_domain = |l: &Line<'_>| of == "columns" && !l.str("domain_name").is_empty();
            for l in source.lines().filter(|l| l.str("data_type") == "ARRAY" && !of_domain(l)) {
                let Some(array) = named.get(&(l.str(ty[0]).to_owned(), l.str(ty[1]))) else { continue };
                let Some(element) = known.ty(array.oid("typelem")) else { continue };
                let [udt_catalog, udt_schema, udt_name] = known.udt(element, cx);
                rows.push(row_of(
                    &ELEMENT_TYPES,
                    vec![
                        ("object_catalog", text(cx.database_name())),
                        ("object_schema", l.get(schema)),
                        ("object_name", l.get(name)),
                        ("object_type", text(kind)),
                        ("collection_type_identifier", l.get("dtd_identifier")),
                        ("data_type", known.data_type(element)),
                        ("udt_catalog", udt_catalog),
                        ("udt_schema", udt_schema),
                        ("udt_name", udt_name),
                        ("dtd_identifier", text(format!("a{}", l.str("dtd_identifier")))),
                    ],
                ));
            }
        }
        Ok(rows)
    },
);

static INFORMATION_SCHEMA_CATALOG_NAME: VirtualTable =
    view(13069, "information_schema_catalog_name", &[("catalog_name", Type::Name)], |_, cx| {
        Ok(vec![vec![text(cx.database_name())]])
    });

fn udt_privileges(
    catalog: &Catalog,
    cx: &dyn ViewContext,
    only_own: bool,
) -> Result<Vec<Vec<Datum>>, SqlError> {
    let (types, s) = (Types::of(catalog, cx)?, catalog.security());
    let known = types.known();
    let enabled = |role: u32| role != PUBLIC && s.has_privileges_of(cx.role(), role);
    let named = |role: u32| match role {
        PUBLIC => text("PUBLIC"),
        role => super::opt(s.role(role).map(|r| &r.name)),
    };
    let mut rows = Vec::new();
    for ty in types.types.lines().filter(|t| t.str("typtype") == "c") {
        let owner = ty.oid("typowner");
        for item in &s.acl(ty.oid("oid"), Class::Type).0 {
            let is_seen =
                enabled(item.grantor) || enabled(item.grantee) || item.grantee == PUBLIC && !only_own;
            if item.privileges & acl::USAGE == 0 || !is_seen {
                continue;
            }
            let owns = item.grantee != PUBLIC && s.has_privileges_of(item.grantee, owner);
            let grantable = owns || item.privileges & acl::options_for(acl::USAGE) != 0;
            let mut row = vec![named(item.grantor), named(item.grantee)];
            row.extend(known.udt(ty, cx));
            row.extend([text("TYPE USAGE"), yes_no(grantable)]);
            rows.push(row);
        }
    }
    Ok(rows)
}

const UDT_PRIVILEGES_COLUMNS: &[(&str, Type)] = &[
    ("grantor", Type::Name),
    ("grantee", Type::Name),
    ("udt_catalog", Type::Name),
    ("udt_schema", Type::Name),
    ("udt_name", Type::Name),
    ("privilege_type", Type::Text),
    ("is_grantable", Type::Text),
];

static UDT_PRIVILEGES: VirtualTable =
    view(13070, "udt_privileges", UDT_PRIVILEGES_COLUMNS, |catalog, cx| udt_privileges(catalog, cx, false));

static ROLE_UDT_GRANTS: VirtualTable =
    view(13071, "role_udt_grants", UDT_PRIVILEGES_COLUMNS, |catalog, cx| udt_privileges(catalog, cx, true));
