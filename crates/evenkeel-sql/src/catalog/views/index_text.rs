//! Definitions of indexes as text.
//!
//! Must not know: how expressions are written.

use super::pretty::is_enclosed;
use crate::catalog::{Catalog, Index, Table};

/// How expressions are written for people; None: as they are.
pub type ForPeople<'p> = Option<&'p dyn Fn(&str) -> String>;

/// `CREATE INDEX …` as `pg_get_indexdef` prints it.
pub fn index_definition(
    catalog: &Catalog,
    t: &Table,
    i: &Index,
    pretty: ForPeople<'_>,
    path: &[u32],
) -> String {
    use evenkeel_types::quote_ident;
    let columns: Vec<String> =
        (0..i.columns.len()).map(|n| index_column(catalog, t, i, n, pretty, path)).collect();
    let schema = catalog.schema(t.schema).map_or("?", |s| &s.name);
    let table = if pretty.is_none() || !path.contains(&t.schema) {
        format!("{}.{}", quote_ident(schema), quote_ident(&t.name))
    } else {
        quote_ident(&t.name)
    };
    let mut s = format!(
        "CREATE {}INDEX {} ON {table} USING {} ({})",
        if i.is_declared_unique() { "UNIQUE " } else { "" },
        quote_ident(&i.name),
        i.extra.method.name(),
        columns.join(", "),
    );
    let list = |names: Vec<String>| names.join(", ");
    if !i.extra.include.is_empty() {
        let names = i.extra.include.iter().map(|c| quote_ident(&t.columns[*c].name)).collect();
        s.push_str(&format!(" INCLUDE ({})", list(names)));
    }
    if i.nulls_not_distinct {
        s.push_str(" NULLS NOT DISTINCT");
    }
    s.push_str(&options_text(i));
    if let Some(p) = &i.extra.predicate {
        s.push_str(" WHERE ");
        s.push_str(&pretty.map_or_else(|| p.clone(), |pretty| pretty(p)));
    }
    s
}

/// ` WITH (…)` of an index.
fn options_text(i: &Index) -> String {
    if i.extra.options.is_empty() {
        return String::new();
    }
    let option = |o: &String| match o.split_once('=') {
        Some((name, value)) if evenkeel_types::quote_ident(value) == value => format!("{name}={value}"),
        Some((name, value)) => format!("{name}='{value}'"),
        None => o.clone(),
    };
    format!(" WITH ({})", i.extra.options.iter().map(option).collect::<Vec<_>>().join(", "))
}

/// `EXCLUDE …` as `pg_get_constraintdef` prints it.
pub fn exclusion_definition(catalog: &Catalog, t: &Table, i: &Index, path: &[u32]) -> String {
    let element = |n| format!("{} WITH =", index_column(catalog, t, i, n, None, path));
    let elements: Vec<String> = (0..i.columns.len()).map(element).collect();
    let mut s = format!("EXCLUDE USING {} ({})", i.extra.method.name(), elements.join(", "));
    if !i.extra.include.is_empty() {
        let quoted = |c: &usize| evenkeel_types::quote_ident(&t.columns[*c].name);
        let names: Vec<String> = i.extra.include.iter().map(quoted).collect();
        s.push_str(&format!(" INCLUDE ({})", names.join(", ")));
    }
    s.push_str(&options_text(i));
    if let Some(p) = &i.extra.predicate {
        s.push_str(&format!(" WHERE ({p})"));
    }
    s + i.timing.suffix()
}

/// What a column of an index is, as `pg_get_indexdef` prints it.
pub fn index_key(t: &Table, i: &Index, n: usize, pretty: ForPeople<'_>) -> String {
    match (i.expression(n), pretty) {
        (Some(e), Some(pretty)) if i.key_text(t, n) != e.text || e.text.starts_with('(') => {
            let text = pretty(&e.text);
            // Some have parentheses of their own.
            if is_enclosed(&text) { text } else { format!("({text})") }
        }
        (Some(e), Some(pretty)) => pretty(&e.text),
        _ => i.key_text(t, n),
    }
}

/// One column of an index definition.
fn index_column(
    catalog: &Catalog,
    t: &Table,
    i: &Index,
    n: usize,
    pretty: ForPeople<'_>,
    path: &[u32],
) -> String {
    let c = &i.columns[n];
    let mut s = index_key(t, i, n, pretty);
    let own = i.own_collation(t, n);
    if let Some(name) = c.collation().filter(|oid| *oid != own) {
        s.push_str(&format!(" COLLATE {}", catalog.shown_collation(name, path)));
    }
    if let Some(class) = c.class.name() {
        s.push(' ');
        let home = c.class.extension().and_then(|e| catalog.extension_named(e));
        if let Some(home) = home.filter(|e| !path.contains(&e.schema))
            && let Some(schema) = catalog.schema(home.schema)
        {
            s.push_str(&evenkeel_types::quote_ident(&schema.name));
            s.push('.');
        }
        s.push_str(class);
    }
    if c.desc {
        s.push_str(" DESC");
    }
    if c.nulls_first != c.desc {
        s.push_str(if c.nulls_first { " NULLS FIRST" } else { " NULLS LAST" });
    }
    s
}
