//! Views and materialized views: `pg_views`, `pg_matviews`, `pg_rewrite`, and what information_schema says of them.
//!
//! Must not know: how a query's text is shown (the context does).

use super::roles::owner_name;
use super::seen::Seen;
use super::{ViewContext, VirtualTable, opt, table, text, view, yes};
use crate::catalog::{Catalog, INFORMATION_SCHEMA_OID, Relation};
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] =
    &[&PG_VIEWS, &PG_MATVIEWS, &PG_REWRITE, &IS_VIEWS, &VIEW_TABLE_USAGE, &VIEW_COLUMN_USAGE];

/// OID of the rule that makes a view of a relation.
pub fn rule_oid(relation: u32) -> u32 {
    relation ^ (1 << 31)
}

fn schema_name(catalog: &Catalog, oid: u32) -> Datum {
    opt(catalog.schema(oid).map(|s| &s.name))
}

static PG_VIEWS: VirtualTable = view(
    12004,
    "pg_views",
    &[
        ("schemaname", Type::Name),
        ("viewname", Type::Name),
        ("viewowner", Type::Name),
        ("definition", Type::Text),
    ],
    |catalog, cx| {
        let row = |oid, schema, name: &str, definition| {
            vec![schema_name(catalog, schema), text(name), owner_name(catalog, oid), definition]
        };
        let own = catalog.views().map(|v| row(v.oid, v.schema, &v.name, text(cx.shown_view(v.oid))));
        let system = super::all().iter().filter(|v| v.is_view);
        Ok(own.chain(system.map(|v| row(v.oid, v.schema, v.name, Datum::Null))).collect())
    },
);

static PG_MATVIEWS: VirtualTable = view(
    12104,
    "pg_matviews",
    &[
        ("schemaname", Type::Name),
        ("matviewname", Type::Name),
        ("matviewowner", Type::Name),
        ("tablespace", Type::Name),
        ("hasindexes", Type::Bool),
        ("ispopulated", Type::Bool),
        ("definition", Type::Text),
    ],
    |catalog, cx| {
        let rows = catalog.tables().filter_map(|t| {
            let m = t.materialized.as_ref()?;
            Some(vec![
                schema_name(catalog, t.schema),
                text(&t.name),
                owner_name(catalog, t.oid),
                Datum::Null,
                yes(!t.indexes.is_empty()),
                yes(m.is_populated),
                text(cx.shown_view(t.oid)),
            ])
        });
        Ok(rows.collect())
    },
);

static PG_REWRITE: VirtualTable = table(
    2618,
    "pg_rewrite",
    &[
        ("oid", Type::Oid),
        ("rulename", Type::Name),
        ("ev_class", Type::Oid),
        ("ev_type", Type::Char),
        ("ev_enabled", Type::Char),
        ("is_instead", Type::Bool),
        ("ev_qual", Type::Text),
        ("ev_action", Type::Text),
    ],
    |catalog, cx| {
        let row = |(relation, _): (Relation, _)| {
            let oid = relation.oid();
            vec![
                Datum::Oid(rule_oid(oid)),
                text("_RETURN"),
                Datum::Oid(oid),
                text("1"),
                text("O"),
                yes(true),
                text("<>"),
                text(action(&cx.view_origins(oid))),
            ]
        };
        Ok(catalog.stored_queries().map(row).collect())
    },
);

/// What a rule does, as PostgreSQL writes trees of nodes: no more of it than from where the columns come, which PostgREST reads.
fn action(origins: &[(String, u32, i16)]) -> String {
    let entries = (1..).zip(origins).map(|(n, (name, relation, column))| {
        let name = token(name);
        format!(
            "{{TARGETENTRY :expr <> :resno {n} :resname {name} :ressortgroupref 0 :resorigtbl {relation} :resorigcol {column} :resjunk false}}"
        )
    });
    let list = entries.collect::<Vec<_>>().join(" ");
    let list = if list.is_empty() { "<>".to_owned() } else { format!("({list})") };
    format!("({{QUERY :commandType 1 :targetList {list} :override 0}})")
}

/// A name within such a tree.
fn token(name: &str) -> String {
    let mut made = String::with_capacity(name.len());
    let mut next = name.chars();
    let (first, second) = (next.next(), next.next());
    let is_number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_signed = matches!(first, Some('+' | '-')) && (is_number(second) || second == Some('.'));
    if matches!(first, Some('<' | '"')) || is_number(first) || is_signed {
        made.push('\\');
    }
    for c in name.chars() {
        if matches!(c, ' ' | '\n' | '\t' | '(' | ')' | '{' | '}' | '\\') {
            made.push('\\');
        }
        made.push(c);
    }
    made
}

const fn is_view(
    oid: u32,
    name: &'static str,
    columns: &'static [(&'static str, Type)],
    rows: super::Rows,
) -> VirtualTable {
    VirtualTable { oid, schema: INFORMATION_SCHEMA_OID, name, columns, is_view: true, rows }
}

static IS_VIEWS: VirtualTable = is_view(
    13040,
    "views",
    &[
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("view_definition", Type::Text),
        ("check_option", Type::Text),
        ("is_updatable", Type::Text),
        ("is_insertable_into", Type::Text),
        ("is_trigger_updatable", Type::Text),
        ("is_trigger_deletable", Type::Text),
        ("is_trigger_insertable_into", Type::Text),
    ],
    |catalog, cx| {
        let word = |is: bool| text(if is { "YES" } else { "NO" });
        let seen = Seen::of(catalog, cx);
        let rows = catalog.views().filter(|v| seen.relation(v.oid)).map(|v| {
            let (insertable, updatable) = cx.is_updatable(catalog, v);
            let check = v.option("check_option").map_or_else(|| "NONE".into(), str::to_uppercase);
            vec![
                text(cx.database_name()),
                schema_name(catalog, v.schema),
                text(&v.name),
                if seen.owns(v.oid) { text(cx.shown_view(v.oid)) } else { Datum::Null },
                text(check),
                word(updatable),
                word(insertable),
                text("NO"),
                text("NO"),
                text("NO"),
            ]
        });
        Ok(rows.collect())
    },
);

/// What views read: the view, the relation, the columns of it that are used.
fn usage<'a>(
    catalog: &'a Catalog,
    cx: &dyn ViewContext,
) -> impl Iterator<Item = (Relation, Relation, &'a crate::catalog::Read)> {
    let seen = Seen::of(catalog, cx);
    catalog.views().flat_map(move |v| {
        let reads = v.query.reads.iter().filter(|r| seen.owns(r.oid)).collect::<Vec<_>>();
        reads.into_iter().filter_map(|r| Some((Relation::View(v.clone()), catalog.relation(r.oid)?, r)))
    })
}

fn usage_row(catalog: &Catalog, cx: &dyn ViewContext, view: &Relation, read: &Relation) -> Vec<Datum> {
    vec![
        text(cx.database_name()),
        schema_name(catalog, view.schema()),
        text(view.name()),
        text(cx.database_name()),
        schema_name(catalog, read.schema()),
        text(read.name()),
    ]
}

static VIEW_TABLE_USAGE: VirtualTable = is_view(
    13041,
    "view_table_usage",
    &[
        ("view_catalog", Type::Name),
        ("view_schema", Type::Name),
        ("view_name", Type::Name),
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
    ],
    |catalog, cx| Ok(usage(catalog, cx).map(|(v, r, _)| usage_row(catalog, cx, &v, &r)).collect()),
);

static VIEW_COLUMN_USAGE: VirtualTable = is_view(
    13042,
    "view_column_usage",
    &[
        ("view_catalog", Type::Name),
        ("view_schema", Type::Name),
        ("view_name", Type::Name),
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("column_name", Type::Name),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        for (view, relation, read) in usage(catalog, cx) {
            for column in &read.used {
                let now = match &relation {
                    Relation::Table(t) => t.columns.get(*column).map(|c| c.name.clone()),
                    Relation::View(v) => v.columns.get(*column).map(|c| c.name.clone()),
                    Relation::Virtual(v) => v.columns.get(*column).map(|c| c.0.to_owned()),
                    _ => None,
                };
                let mut row = usage_row(catalog, cx, &view, &relation);
                row.push(opt(now.as_ref()));
                rows.push(row);
            }
        }
        Ok(rows)
    },
);
