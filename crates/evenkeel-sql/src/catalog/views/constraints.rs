//! Constraints and dependencies: `pg_constraint`, `pg_depend`, and constraint definitions as text.
//!
//! Must not know: sessions.

use super::types::equality_oid;
use super::{VirtualTable, text, yes};
use crate::catalog::{
    Catalog, EXPRESSION, FkAction, ForeignKey, IndexColumn, PG_CATALOG_OID, Relation, Standing, Table,
    Timing, domain_itself,
};
use evenkeel_types::quote_ident;
use evenkeel_types::{Datum, Type};
use std::collections::BTreeSet;

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
                let kind = match (i.primary, i.exclusion) {
                    (true, _) => "p",
                    (false, true) => "x",
                    (false, false) => "u",
                };
                // An expression's number is 0.
                let number = |c: &IndexColumn| if c.column == EXPRESSION { 0 } else { c.column as i16 + 1 };
                let key =
                    Datum::array(Type::Int2, i.columns.iter().map(|c| Datum::Int2(number(c))).collect());
                let equals = |n| Datum::Oid(equality_oid(i.key_type(&t.types, n)));
                let operators = match i.exclusion {
                    true => Datum::array(Type::Oid, (0..i.columns.len()).map(equals).collect()),
                    false => Datum::Null,
                };
                let plain =
                    Row { name: &i.name, kind, index: i.oid, key, ..Row::new(t, i.constraint.unwrap_or(0)) };
                rows.push(row(Row { timing: i.timing, operators, ..plain }));
            }
            for f in &t.foreign_keys {
                let key = numbers(f.columns.iter().copied());
                let plain =
                    Row { name: &f.name, kind: "f", index: f.parent_index, key, ..Row::new(t, f.oid) };
                rows.push(row(Row { fk: Some(f), timing: f.timing, standing: f.standing, ..plain }));
            }
            for c in &t.checks {
                // PostgreSQL has no array of none.
                let key = if c.columns.is_empty() { Datum::Null } else { numbers(c.columns.iter().copied()) };
                let plain = Row { name: &c.name, kind: "c", key, expr: text(&c.expr), ..Row::new(t, c.oid) };
                rows.push(row(Row { standing: c.standing, no_inherit: c.no_inherit, ..plain }));
            }
            for n in &t.not_nulls {
                let key = numbers([n.column].into_iter());
                let standing = Standing { validated: n.validated, enforced: true };
                let plain = Row { name: &n.name, kind: "n", key, ..Row::new(t, n.oid) };
                rows.push(row(Row { standing, no_inherit: n.no_inherit, ..plain }));
            }
        }
        for t in catalog.types() {
            let Some(d) = &t.domain else { continue };
            let mut add = |oid: u32, name: &str, kind: &str, validated: bool, expr: Datum| {
                let none = || Datum::Oid(0);
                let blank = || text(" ");
                let null = || Datum::Null;
                rows.push(vec![
                    Datum::Oid(oid),
                    text(name),
                    Datum::Oid(t.schema),
                    text(kind),
                    yes(false),
                    yes(false),
                    yes(true),
                    yes(validated),
                    none(),
                    Datum::Oid(t.oid),
                    none(),
                    none(),
                    none(),
                    blank(),
                    blank(),
                    blank(),
                    yes(true),
                    Datum::Int2(0),
                    yes(false),
                    yes(false),
                    null(),
                    null(),
                    null(),
                    null(),
                    null(),
                    null(),
                    null(),
                    expr,
                ]);
            };
            if let Some((oid, name)) = &d.not_null {
                add(*oid, name, "n", true, Datum::Null);
            }
            for c in &d.checks {
                add(c.oid, &c.name, "c", c.validated, text(&c.expr));
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

/// What varies among constraints.
struct Row<'a> {
    table: &'a Table,
    oid: u32,
    name: &'a str,
    kind: &'static str,
    index: u32,
    key: Datum,
    fk: Option<&'a ForeignKey>,
    timing: Timing,
    standing: Standing,
    no_inherit: bool,
    /// Of EXCLUDE.
    operators: Datum,
    expr: Datum,
}

impl<'a> Row<'a> {
    fn new(table: &'a Table, oid: u32) -> Row<'a> {
        Row {
            table,
            oid,
            name: "",
            kind: "",
            index: 0,
            key: Datum::Null,
            fk: None,
            timing: Timing::default(),
            standing: Standing::FULL,
            no_inherit: false,
            operators: Datum::Null,
            expr: Datum::Null,
        }
    }
}

fn row(r: Row<'_>) -> Vec<Datum> {
    let Row { table: t, fk, .. } = r;
    let blank = || text(" ");
    vec![
        Datum::Oid(r.oid),
        text(r.name),
        Datum::Oid(t.schema),
        text(r.kind),
        yes(r.timing.deferrable),
        yes(r.timing.initially_deferred),
        yes(r.standing.enforced),
        yes(r.standing.validated),
        Datum::Oid(t.oid),
        Datum::Oid(0),
        Datum::Oid(r.index),
        Datum::Oid(0),
        Datum::Oid(fk.map_or(0, |f| f.parent)),
        fk.map_or_else(blank, |f| text(action_code(f.on_update))),
        fk.map_or_else(blank, |f| text(action_code(f.on_delete))),
        fk.map_or_else(blank, |f| text(if f.match_full { "f" } else { "s" })),
        yes(true),
        Datum::Int2(0),
        yes(r.no_inherit || !matches!(r.kind, "c" | "n")),
        yes(false),
        r.key,
        fk.map_or(Datum::Null, |f| numbers(f.parent_columns.iter().copied())),
        Datum::Null,
        Datum::Null,
        Datum::Null,
        fk.filter(|f| !f.delete_columns.is_empty())
            .map_or(Datum::Null, |f| numbers(f.delete_columns.iter().copied())),
        r.operators,
        r.expr,
    ]
}

/// A constraint's definition, as `pg_get_constraintdef` prints it.
pub fn definition(catalog: &Catalog, oid: u32, path: &[u32]) -> Option<String> {
    if let Some(t) = catalog.table_of_constraint(oid) {
        if let Some(i) = t.indexes.iter().find(|i| i.constraint == Some(oid)) {
            if i.exclusion {
                return Some(super::index_text::exclusion_definition(
                    catalog,
                    t,
                    &i.shown(catalog, path),
                    path,
                ));
            }
            let columns: Vec<String> =
                i.columns.iter().map(|c| quote_ident(&t.columns[c.column].name)).collect();
            let kind = match (i.primary, i.nulls_not_distinct) {
                (true, _) => "PRIMARY KEY",
                (false, true) => "UNIQUE NULLS NOT DISTINCT",
                (false, false) => "UNIQUE",
            };
            let include: Vec<String> =
                i.extra.include.iter().map(|c| quote_ident(&t.columns[*c].name)).collect();
            let include = match include.is_empty() {
                true => String::new(),
                false => format!(" INCLUDE ({})", include.join(", ")),
            };
            return Some(format!("{kind} ({}){include}{}", columns.join(", "), i.timing.suffix()));
        }
        if let Some(c) = t.checks.iter().find(|c| c.oid == oid) {
            let inherit = if c.no_inherit { " NO INHERIT" } else { "" };
            return Some(format!(
                "CHECK ({}){inherit}{}",
                catalog.shown_types(&c.expr, path),
                c.standing.suffix()
            ));
        }
        if let Some(n) = t.not_nulls.iter().find(|n| n.oid == oid) {
            let inherit = if n.no_inherit { " NO INHERIT" } else { "" };
            let valid = if n.validated { "" } else { " NOT VALID" };
            return Some(format!("NOT NULL {}{inherit}{valid}", quote_ident(&t.columns[n.column].name)));
        }
        if let Some(f) = t.foreign_keys.iter().find(|f| f.oid == oid) {
            return Some(foreign_key(catalog, t, f, path));
        }
    }
    let (_, d) = catalog.domain_of_constraint(oid)?;
    Some(match d.checks.iter().find(|c| c.oid == oid) {
        Some(c) => {
            let valid = if c.validated { "" } else { " NOT VALID" };
            format!("CHECK ({}){valid}", catalog.shown_types(&c.expr, path))
        }
        None => "NOT NULL".into(),
    })
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
    if !f.delete_columns.is_empty() {
        s.push_str(&format!(" ({})", list(t, &f.delete_columns)));
    }
    s + f.timing.suffix() + f.standing.suffix()
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
        rows.extend(of_types(catalog));
        // pg_dump leaves out what an extension brings.
        for e in catalog.extensions() {
            for (class, oid) in super::members::members(&e.name) {
                rows.push(vec![
                    Datum::Oid(class),
                    Datum::Oid(oid),
                    Datum::Int4(0),
                    Datum::Oid(super::class_oid::EXTENSION),
                    Datum::Oid(e.oid),
                    Datum::Int4(0),
                    text("e"),
                ]);
            }
        }
        for t in catalog.tables() {
            for (n, c) in t.live_columns().filter(|(_, c)| c.default.is_some() && c.identity.is_none()) {
                let mut depends = |object: u32, part: usize, kind: &str| {
                    rows.push(vec![
                        Datum::Oid(super::class_oid::ATTRDEF),
                        Datum::Oid(super::classes::attrdef_oid(t.oid, n)),
                        Datum::Int4(0),
                        Datum::Oid(CLASS_OID),
                        Datum::Oid(object),
                        Datum::Int4(part as i32),
                        text(kind),
                    ]);
                };
                depends(t.oid, n + 1, "a");
                let named: BTreeSet<u32> =
                    c.default.as_deref().map(Catalog::relations_in).into_iter().flatten().collect();
                named.into_iter().for_each(|relation| depends(relation, 0, "n"));
            }
        }
        for (relation, query) in catalog.stored_queries() {
            let rule = super::stored::rule_oid(relation.oid());
            let mut depends = |object: u32, part: usize, kind: &str| {
                rows.push(vec![
                    Datum::Oid(super::class_oid::REWRITE),
                    Datum::Oid(rule),
                    Datum::Int4(0),
                    Datum::Oid(CLASS_OID),
                    Datum::Oid(object),
                    Datum::Int4(part as i32),
                    text(kind),
                ]);
            };
            depends(relation.oid(), 0, "i");
            for read in &query.reads {
                if read.used.is_empty() {
                    depends(read.oid, 0, "n");
                }
                read.used.iter().for_each(|c| depends(read.oid, c + 1, "n"));
            }
            for constraint in &query.keys {
                rows.push(vec![
                    Datum::Oid(super::class_oid::REWRITE),
                    Datum::Oid(rule),
                    Datum::Int4(0),
                    Datum::Oid(super::class_oid::CONSTRAINT),
                    Datum::Oid(*constraint),
                    Datum::Int4(0),
                    text("n"),
                ]);
            }
        }
        for t in catalog.tables() {
            // That of a constraint needs what its constraint needs.
            for i in t.indexes.iter().filter(|i| i.constraint.is_none()) {
                for c in i.read_columns().collect::<BTreeSet<usize>>() {
                    rows.push(vec![
                        Datum::Oid(CLASS_OID),
                        Datum::Oid(i.oid),
                        Datum::Int4(0),
                        Datum::Oid(CLASS_OID),
                        Datum::Oid(t.oid),
                        Datum::Int4(c as i32 + 1),
                        text("a"),
                    ]);
                }
            }
        }
        rows.extend(of_constraints(catalog));
        Ok(rows)
    },
};

/// What constraints of tables need: columns, and of a foreign key the other table's and its index; and the indexes that are there for constraints.
fn of_constraints(catalog: &Catalog) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    let mut depends = |(class, object): (u32, u32), (on_class, on): (u32, u32), part: usize, kind: &str| {
        rows.push(vec![
            Datum::Oid(class),
            Datum::Oid(object),
            Datum::Int4(0),
            Datum::Oid(on_class),
            Datum::Oid(on),
            Datum::Int4(part as i32),
            text(kind),
        ]);
    };
    let constraint = |oid: u32| (super::class_oid::CONSTRAINT, oid);
    for t in catalog.tables() {
        let (own, relation) = ((CLASS_OID, t.oid), |oid: u32| (CLASS_OID, oid));
        for (oid, i) in t.indexes.iter().filter_map(|i| Some((i.constraint?, i))) {
            depends(relation(i.oid), constraint(oid), 0, "i");
            let columns: BTreeSet<usize> = i.read_columns().collect();
            columns.iter().for_each(|c| depends(constraint(oid), own, c + 1, "a"));
        }
        for c in &t.checks {
            for column in &c.columns {
                depends(constraint(c.oid), own, column + 1, "a");
                depends(constraint(c.oid), own, column + 1, "n");
            }
            if c.columns.is_empty() {
                depends(constraint(c.oid), own, 0, "a");
            }
        }
        for n in &t.not_nulls {
            depends(constraint(n.oid), own, n.column + 1, "a");
        }
        for f in &t.foreign_keys {
            f.columns.iter().for_each(|c| depends(constraint(f.oid), own, c + 1, "a"));
            let parent = relation(f.parent);
            f.parent_columns.iter().for_each(|c| depends(constraint(f.oid), parent, c + 1, "n"));
            depends(constraint(f.oid), relation(f.parent_index), 0, "n");
        }
    }
    rows
}

/// What needs types that users made: columns and attributes, and the domains over them.
fn of_types(catalog: &Catalog) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    let mut depends = |class: u32, object: u32, part: usize, on: u32, kind: &str| {
        rows.push(vec![
            Datum::Oid(class),
            Datum::Oid(object),
            Datum::Int4(part as i32),
            Datum::Oid(super::class_oid::TYPE),
            Datum::Oid(on),
            Datum::Int4(0),
            text(kind),
        ]);
    };
    for t in catalog.types() {
        if let Some(on) = t.domain.as_ref().and_then(|d| d.over.map(domain_itself).or(d.ty.user_oid())) {
            depends(super::class_oid::TYPE, t.oid, 0, on, "n");
        }
        let Some(class) = t.class_oid() else { continue };
        depends(CLASS_OID, class, 0, t.oid, "i");
        let attributes = t.attributes.iter().flat_map(|l| l.iter());
        for (n, on) in attributes
            .enumerate()
            .filter_map(|(n, a)| Some((n, a.domain.map(domain_itself).or(a.ty.user_oid())?)))
        {
            depends(CLASS_OID, class, n + 1, on, "n");
        }
    }
    for t in catalog.tables() {
        for (n, c) in t.live_columns() {
            if let Some(on) = c.domain.map(domain_itself).or(c.ty.user_oid()) {
                depends(CLASS_OID, t.oid, n + 1, on, "n");
            }
        }
    }
    rows
}

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
