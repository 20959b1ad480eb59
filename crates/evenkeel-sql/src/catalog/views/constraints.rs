//! Constraints and dependencies: `pg_constraint`, `pg_depend`, and constraint definitions as text.
//!
//! Must not know: sessions.

use super::{VirtualTable, text, yes};
use crate::catalog::{Catalog, FkAction, ForeignKey, PG_CATALOG_OID, Relation, Table};
use evenkeel_types::quote_ident;
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_CONSTRAINT, &PG_DEPEND, &PG_SHDEPEND];

static PG_CONSTRAINT: VirtualTable = VirtualTable {
    oid: 2606,
    schema: PG_CATALOG_OID,
    name: "pg_constraint",
    columns: &[
        ("oid", Type::Oid),
        ("conname", Type::Name),
        ("connamespace", Type::Oid),
        ("contype", Type::Char),
        ("condeferrable", Type::Bool),
        ("condeferred", Type::Bool),
        ("conenforced", Type::Bool),
        ("convalidated", Type::Bool),
        ("conrelid", Type::Oid),
        ("contypid", Type::Oid),
        ("conindid", Type::Oid),
        ("conparentid", Type::Oid),
        ("confrelid", Type::Oid),
        ("confupdtype", Type::Char),
        ("confdeltype", Type::Char),
        ("confmatchtype", Type::Char),
        ("conislocal", Type::Bool),
        ("coninhcount", Type::Int2),
        ("connoinherit", Type::Bool),
        ("conperiod", Type::Bool),
        ("conkey", Type::Int2Array),
        ("confkey", Type::Int2Array),
        ("conpfeqop", Type::OidArray),
        ("conppeqop", Type::OidArray),
        ("conffeqop", Type::OidArray),
        ("confdelsetcols", Type::Int2Array),
        ("conexclop", Type::OidArray),
        ("conbin", Type::Text),
    ],
    is_view: false,
    rows: |catalog, _| {
        let mut rows = Vec::new();
        for t in catalog.tables() {
            for i in t.indexes.iter().filter(|i| i.constraint.is_some()) {
                let kind = if i.primary { "p" } else { "u" };
                let key = numbers(i.columns.iter().map(|c| c.column));
                rows.push(row(t, i.constraint.unwrap_or(0), &i.name, kind, i.oid, key, None, Datum::Null));
            }
            for f in &t.foreign_keys {
                let key = numbers(f.columns.iter().copied());
                rows.push(row(t, f.oid, &f.name, "f", f.parent_index, key, Some(f), Datum::Null));
            }
            for c in &t.checks {
                rows.push(row(t, c.oid, &c.name, "c", 0, Datum::Null, None, text(&c.expr)));
            }
        }
        Ok(rows)
    },
};

fn numbers(columns: impl Iterator<Item = usize>) -> Datum {
    Datum::array(Type::Int2, columns.map(|c| Datum::Int2(c as i16 + 1)).collect())
}

fn action_code(a: FkAction) -> &'static str {
    match a {
        FkAction::NoAction => "a",
        FkAction::Restrict => "r",
        FkAction::Cascade => "c",
        FkAction::SetNull => "n",
        FkAction::SetDefault => "d",
    }
}

#[allow(clippy::too_many_arguments)] // The varying columns of one row.
fn row(
    t: &Table,
    oid: u32,
    name: &str,
    kind: &str,
    index: u32,
    key: Datum,
    fk: Option<&ForeignKey>,
    expr: Datum,
) -> Vec<Datum> {
    let blank = || text(" ");
    vec![
        Datum::Oid(oid),
        text(name),
        Datum::Oid(t.schema),
        text(kind),
        yes(false),
        yes(false),
        yes(true),
        yes(true),
        Datum::Oid(t.oid),
        Datum::Oid(0),
        Datum::Oid(index),
        Datum::Oid(0),
        Datum::Oid(fk.map_or(0, |f| f.parent)),
        fk.map_or_else(blank, |f| text(action_code(f.on_update))),
        fk.map_or_else(blank, |f| text(action_code(f.on_delete))),
        fk.map_or_else(blank, |f| text(if f.match_full { "f" } else { "s" })),
        yes(true),
        Datum::Int2(0),
        yes(kind != "c"),
        yes(false),
        key,
        fk.map_or(Datum::Null, |f| numbers(f.parent_columns.iter().copied())),
        Datum::Null,
        Datum::Null,
        Datum::Null,
        Datum::Null,
        Datum::Null,
        expr,
    ]
}

/// A constraint's definition, as `pg_get_constraintdef` prints it.
pub fn definition(catalog: &Catalog, oid: u32, path: &[u32]) -> Option<String> {
    for t in catalog.tables() {
        if let Some(i) = t.indexes.iter().find(|i| i.constraint == Some(oid)) {
            let columns: Vec<String> =
                i.columns.iter().map(|c| quote_ident(&t.columns[c.column].name)).collect();
            let kind = match (i.primary, i.nulls_not_distinct) {
                (true, _) => "PRIMARY KEY",
                (false, true) => "UNIQUE NULLS NOT DISTINCT",
                (false, false) => "UNIQUE",
            };
            return Some(format!("{kind} ({})", columns.join(", ")));
        }
        if let Some(c) = t.checks.iter().find(|c| c.oid == oid) {
            return Some(format!("CHECK (({}))", c.expr));
        }
        if let Some(f) = t.foreign_keys.iter().find(|f| f.oid == oid) {
            return Some(foreign_key(catalog, t, f, path));
        }
    }
    None
}

fn foreign_key(catalog: &Catalog, t: &Table, f: &ForeignKey, path: &[u32]) -> String {
    let list = |t: &Table, columns: &[usize]| {
        columns.iter().map(|c| quote_ident(&t.columns[*c].name)).collect::<Vec<_>>().join(", ")
    };
    let (parent, columns) = match catalog.table(f.parent) {
        Some(p) => (catalog.qualified_name(&Relation::Table(p.clone()), path), list(p, &f.parent_columns)),
        None => ("?".into(), String::new()),
    };
    let mut s = format!("FOREIGN KEY ({}) REFERENCES {parent}({columns})", list(t, &f.columns));
    if f.match_full {
        s.push_str(" MATCH FULL");
    }
    for (word, a) in [("UPDATE", f.on_update), ("DELETE", f.on_delete)] {
        let what = match a {
            FkAction::NoAction => continue,
            FkAction::Restrict => "RESTRICT",
            FkAction::Cascade => "CASCADE",
            FkAction::SetNull => "SET NULL",
            FkAction::SetDefault => "SET DEFAULT",
        };
        s.push_str(&format!(" ON {word} {what}"));
    }
    s
}

const CLASS_OID: u32 = 1259;

static PG_DEPEND: VirtualTable = VirtualTable {
    oid: 2608,
    schema: PG_CATALOG_OID,
    name: "pg_depend",
    columns: &[
        ("classid", Type::Oid),
        ("objid", Type::Oid),
        ("objsubid", Type::Int4),
        ("refclassid", Type::Oid),
        ("refobjid", Type::Oid),
        ("refobjsubid", Type::Int4),
        ("deptype", Type::Char),
    ],
    is_view: false,
    rows: |catalog, _| {
        let mut rows = Vec::new();
        for s in catalog.sequences() {
            if let Some((table, column, identity)) = s.owned_by {
                rows.push(vec![
                    Datum::Oid(CLASS_OID),
                    Datum::Oid(s.oid),
                    Datum::Int4(0),
                    Datum::Oid(CLASS_OID),
                    Datum::Oid(table),
                    Datum::Int4(column as i32 + 1),
                    text(if identity { "i" } else { "a" }),
                ]);
            }
        }
        for t in catalog.tables() {
            for i in &t.indexes {
                for c in &i.columns {
                    rows.push(vec![
                        Datum::Oid(CLASS_OID),
                        Datum::Oid(i.oid),
                        Datum::Int4(0),
                        Datum::Oid(CLASS_OID),
                        Datum::Oid(t.oid),
                        Datum::Int4(c.column as i32 + 1),
                        text("a"),
                    ]);
                }
            }
        }
        Ok(rows)
    },
};

static PG_SHDEPEND: VirtualTable = VirtualTable {
    oid: 1214,
    schema: PG_CATALOG_OID,
    name: "pg_shdepend",
    columns: &[
        ("dbid", Type::Oid),
        ("classid", Type::Oid),
        ("objid", Type::Oid),
        ("objsubid", Type::Int4),
        ("refclassid", Type::Oid),
        ("refobjid", Type::Oid),
        ("deptype", Type::Char),
    ],
    is_view: false,
    rows: |_, _| Ok(Vec::new()),
};
