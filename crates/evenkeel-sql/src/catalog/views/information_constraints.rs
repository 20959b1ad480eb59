//! `information_schema`: constraints.
//!
//! Must not know: sessions.

use super::information::{schema, view};
use super::seen::Seen;
use super::{VirtualTable, opt, text};
use crate::catalog::{Catalog, FkAction, ForeignKey, Index, Table, Timing};
use evenkeel_types::{Datum, Type};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &TABLE_CONSTRAINTS,
    &KEY_COLUMN_USAGE,
    &COLUMN_COLUMN_USAGE,
    &CONSTRAINT_COLUMN_USAGE,
    &REFERENTIAL_CONSTRAINTS,
    &CHECK_CONSTRAINTS,
    &CONSTRAINT_TABLE_USAGE,
];

fn yes(is: bool) -> Datum {
    text(if is { "YES" } else { "NO" })
}

/// The index that a foreign key refers to.
fn parent_key<'c>(catalog: &'c Catalog, f: &ForeignKey) -> Option<&'c Index> {
    let parent = catalog.table(f.parent)?;
    parent.indexes.iter().find(|i| i.oid == f.parent_index).map(|i| &**i)
}

static TABLE_CONSTRAINTS: VirtualTable = view(
    13004,
    "table_constraints",
    &[
        ("constraint_catalog", Type::Name),
        ("constraint_schema", Type::Name),
        ("constraint_name", Type::Name),
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("constraint_type", Type::Text),
        ("is_deferrable", Type::Text),
        ("initially_deferred", Type::Text),
        ("enforced", Type::Text),
        ("nulls_distinct", Type::Text),
    ],
    |catalog, cx| {
        let db = text(cx.database_name());
        let mut rows = Vec::new();
        let seen = Seen::of(catalog, cx);
        for t in catalog.tables().filter(|t| seen.constraints(t.oid)) {
            let mut push =
                |name: &str, kind: &str, timing: Timing, enforced: bool, distinct: Option<bool>| {
                    let schema = schema(catalog, t.schema);
                    rows.push(vec![
                        db.clone(),
                        schema.clone(),
                        text(name),
                        db.clone(),
                        schema,
                        text(&t.name),
                        text(kind),
                        yes(timing.deferrable),
                        yes(timing.initially_deferred),
                        yes(enforced),
                        distinct.map_or(Datum::Null, yes),
                    ]);
                };
            for i in t.indexes.iter().filter(|i| i.constraint.is_some() && !i.exclusion) {
                match i.primary {
                    true => push(&i.name, "PRIMARY KEY", i.timing, true, None),
                    false => push(&i.name, "UNIQUE", i.timing, true, Some(!i.nulls_not_distinct)),
                }
            }
            for f in &t.foreign_keys {
                push(&f.name, "FOREIGN KEY", f.timing, f.standing.enforced, None);
            }
            for c in &t.checks {
                push(&c.name, "CHECK", Timing::default(), c.standing.enforced, None);
            }
            for n in &t.not_nulls {
                push(&n.name, "CHECK", Timing::default(), true, None);
            }
        }
        Ok(rows)
    },
);

static KEY_COLUMN_USAGE: VirtualTable = view(
    13005,
    "key_column_usage",
    &[
        ("constraint_catalog", Type::Name),
        ("constraint_schema", Type::Name),
        ("constraint_name", Type::Name),
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("column_name", Type::Name),
        ("ordinal_position", Type::Int4),
        ("position_in_unique_constraint", Type::Int4),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        let seen = Seen::of(catalog, cx);
        for t in catalog.tables() {
            let mut keys: Vec<(&str, Vec<usize>, Option<&ForeignKey>)> = Vec::new();
            for i in t.indexes.iter().filter(|i| i.constraint.is_some() && !i.exclusion) {
                keys.push((&i.name, i.columns.iter().map(|c| c.column).collect(), None));
            }
            keys.extend(t.foreign_keys.iter().map(|f| (f.name.as_str(), f.columns.clone(), Some(f))));
            for (name, columns, foreign) in keys {
                // The column's place in the key that is referred to, which may be in another order.
                let place = |n: usize| {
                    let f = foreign?;
                    let key = parent_key(catalog, f)?;
                    let wanted = f.parent_columns.get(n)?;
                    key.columns.iter().position(|c| c.column == *wanted)
                };
                for (n, c) in columns.iter().enumerate().filter(|(_, c)| seen.column(t.oid, **c)) {
                    let (db, schema) = (text(cx.database_name()), schema(catalog, t.schema));
                    rows.push(vec![
                        db.clone(),
                        schema.clone(),
                        text(name),
                        db,
                        schema,
                        text(&t.name),
                        text(&t.columns[*c].name),
                        Datum::Int4(n as i32 + 1),
                        place(n).map_or(Datum::Null, |p| Datum::Int4(p as i32 + 1)),
                    ]);
                }
            }
        }
        Ok(rows)
    },
);

/// What a constraint looks at: a foreign key's columns are its parent's.
static COLUMN_COLUMN_USAGE: VirtualTable = view(
    13050,
    "column_column_usage",
    &[
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("column_name", Type::Name),
        ("dependent_column", Type::Name),
    ],
    |catalog, cx| {
        let db = text(cx.database_name());
        let mut rows = Vec::new();
        let seen = Seen::of(catalog, cx);
        for t in catalog.tables().filter(|t| seen.owns(t.oid)) {
            for (_, c) in t.live_columns().filter(|(_, c)| c.generated.is_some()) {
                for n in read_by(c.default.as_deref().unwrap_or_default(), t) {
                    let schema = schema(catalog, t.schema);
                    let [table, read] = [&t.name, &t.columns[n].name].map(text);
                    rows.push(vec![db.clone(), schema, table, read, text(&c.name)]);
                }
            }
        }
        Ok(rows)
    },
);

/// The columns that a stored expression names, by its words: those that are no function's and no type's.
fn read_by(expr: &str, t: &Table) -> Vec<usize> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, expr).tokenize().unwrap_or_default();
    let tokens: Vec<Token> = tokens.into_iter().filter(|t| !matches!(t, Token::Whitespace(_))).collect();
    let is_read = |name: &str| {
        tokens.iter().enumerate().any(|(n, token)| {
            let Token::Word(w) = token else { return false };
            let is_other = matches!(tokens.get(n + 1), Some(Token::LParen))
                || n > 0 && tokens[n - 1] == Token::DoubleColon;
            let is_it = match w.quote_style {
                Some(_) => w.value == name,
                None => w.value.eq_ignore_ascii_case(name),
            };
            is_it && !is_other
        })
    };
    t.live_columns().filter(|(_, c)| is_read(&c.name)).map(|(n, _)| n).collect()
}

static CONSTRAINT_COLUMN_USAGE: VirtualTable = view(
    13046,
    "constraint_column_usage",
    &[
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("column_name", Type::Name),
        ("constraint_catalog", Type::Name),
        ("constraint_schema", Type::Name),
        ("constraint_name", Type::Name),
    ],
    |catalog, cx| {
        let db = text(cx.database_name());
        let mut rows = Vec::new();
        let seen = Seen::of(catalog, cx);
        for t in catalog.tables() {
            let mut push = |of: &Table, column: usize, name: &str| {
                if !seen.owns(of.oid) {
                    return;
                }
                rows.push(vec![
                    db.clone(),
                    schema(catalog, of.schema),
                    text(&of.name),
                    text(&of.columns[column].name),
                    db.clone(),
                    schema(catalog, t.schema),
                    text(name),
                ]);
            };
            for c in &t.checks {
                c.columns.iter().for_each(|n| push(t, *n, &c.name));
            }
            for n in &t.not_nulls {
                push(t, n.column, &n.name);
            }
            for i in t.indexes.iter().filter(|i| i.constraint.is_some() && !i.exclusion) {
                i.columns.iter().for_each(|c| push(t, c.column, &i.name));
            }
            for f in &t.foreign_keys {
                if let Some(parent) = catalog.table(f.parent) {
                    f.parent_columns.iter().for_each(|n| push(parent, *n, &f.name));
                }
            }
        }
        Ok(rows)
    },
);

static REFERENTIAL_CONSTRAINTS: VirtualTable = view(
    13047,
    "referential_constraints",
    &[
        ("constraint_catalog", Type::Name),
        ("constraint_schema", Type::Name),
        ("constraint_name", Type::Name),
        ("unique_constraint_catalog", Type::Name),
        ("unique_constraint_schema", Type::Name),
        ("unique_constraint_name", Type::Name),
        ("match_option", Type::Text),
        ("update_rule", Type::Text),
        ("delete_rule", Type::Text),
    ],
    |catalog, cx| {
        let db = text(cx.database_name());
        let rule = |a: FkAction| {
            text(match a {
                FkAction::NoAction => "NO ACTION",
                FkAction::Restrict => "RESTRICT",
                FkAction::Cascade => "CASCADE",
                FkAction::SetNull => "SET NULL",
                FkAction::SetDefault => "SET DEFAULT",
            })
        };
        let mut rows = Vec::new();
        let seen = Seen::of(catalog, cx);
        for t in catalog.tables().filter(|t| seen.constraints(t.oid)) {
            for f in &t.foreign_keys {
                // A unique index that is no constraint has no name here.
                let key = parent_key(catalog, f).filter(|i| i.constraint.is_some() && !i.exclusion);
                let of_parent = catalog.table(f.parent).filter(|_| key.is_some());
                rows.push(vec![
                    db.clone(),
                    schema(catalog, t.schema),
                    text(&f.name),
                    if key.is_some() { db.clone() } else { Datum::Null },
                    of_parent.map_or(Datum::Null, |p| schema(catalog, p.schema)),
                    opt(key.map(|k| &k.name)),
                    text(if f.match_full { "FULL" } else { "NONE" }),
                    rule(f.on_update),
                    rule(f.on_delete),
                ]);
            }
        }
        Ok(rows)
    },
);

static CHECK_CONSTRAINTS: VirtualTable = view(
    13048,
    "check_constraints",
    &[
        ("constraint_catalog", Type::Name),
        ("constraint_schema", Type::Name),
        ("constraint_name", Type::Name),
        ("check_clause", Type::Text),
    ],
    |catalog, cx| {
        let db = text(cx.database_name());
        let mut rows = Vec::new();
        let mut push = |schema_oid: u32, name: &str, clause: String| {
            rows.push(vec![db.clone(), schema(catalog, schema_oid), text(name), text(clause)]);
        };
        let seen = Seen::of(catalog, cx);
        for t in catalog.tables().filter(|t| seen.owns(t.oid)) {
            for c in &t.checks {
                push(t.schema, &c.name, cx.shown_check(catalog, c.oid));
            }
            for n in &t.not_nulls {
                push(t.schema, &n.name, format!("{} IS NOT NULL", t.columns[n.column].name));
            }
        }
        for t in catalog.types().filter(|t| seen.owns(t.oid)) {
            let Some(d) = &t.domain else { continue };
            for c in &d.checks {
                push(t.schema, &c.name, cx.shown_check(catalog, c.oid));
            }
            if let Some((_, name)) = &d.not_null {
                push(t.schema, name, "VALUE IS NOT NULL".into());
            }
        }
        Ok(rows)
    },
);

/// The tables that constraints of keys are on: a foreign key's is its parent.
static CONSTRAINT_TABLE_USAGE: VirtualTable = view(
    13049,
    "constraint_table_usage",
    &[
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("constraint_catalog", Type::Name),
        ("constraint_schema", Type::Name),
        ("constraint_name", Type::Name),
    ],
    |catalog, cx| {
        let db = text(cx.database_name());
        let mut rows = Vec::new();
        let seen = Seen::of(catalog, cx);
        for t in catalog.tables() {
            let mut push = |of: &Table, name: &str| {
                if !seen.owns(of.oid) {
                    return;
                }
                let (db, own) = (db.clone(), schema(catalog, of.schema));
                rows.push(vec![db.clone(), own, text(&of.name), db, schema(catalog, t.schema), text(name)]);
            };
            for i in t.indexes.iter().filter(|i| i.constraint.is_some() && !i.exclusion) {
                push(t, &i.name);
            }
            for f in &t.foreign_keys {
                if let Some(parent) = catalog.table(f.parent) {
                    push(parent, &f.name);
                }
            }
        }
        Ok(rows)
    },
);
