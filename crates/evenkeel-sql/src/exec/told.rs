//! What an error may tell of rows: values that the role which runs the statement may read, or has given itself.
//!
//! Must not know: what the errors are.

use super::Cx;
use super::change::shown;
use crate::catalog::security::acl::{self, Class};
use crate::catalog::{Generated, Index, Table};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;

/// Whether values of all these columns may be told.
pub(super) fn may_tell(table: &Table, columns: impl IntoIterator<Item = usize>, cx: &Cx<'_>) -> bool {
    let Some(role) = cx.role else { return true };
    let s = cx.catalog.security();
    if s.mask(role, table.oid, Class::Table, acl::SELECT) != 0 {
        return true;
    }
    let Some(access) = s.access(table.oid) else { return false };
    let may_read = |c: usize| {
        let of_column = i16::try_from(c + 1).ok().and_then(|c| access.columns.get(&c));
        of_column.is_some_and(|acl| acl.mask(s, role, access.owner, acl::SELECT) != 0)
    };
    columns.into_iter().all(may_read)
}

/// The same of an index's key: what is computed reads of the whole row.
pub(super) fn may_tell_key(table: &Table, index: &Index, cx: &Cx<'_>) -> bool {
    let all = 0..table.columns.len();
    match index.is_plain() {
        true => may_tell(table, index.key_columns(), cx),
        false => may_tell(table, all, cx),
    }
}

/// The columns of a row whose values may be told; `None`: all of them.
fn told_columns(table: &Table, cx: &Cx<'_>) -> Option<Vec<usize>> {
    if may_tell(table, 0..table.columns.len(), cx) && may_tell_whole(table, cx) {
        return None;
    }
    let given = |c: usize| {
        let number = i16::try_from(c + 1).unwrap_or(0);
        let own = cx.plan.needs.relations.iter().filter(|n| n.relation == table.oid);
        own.into_iter().any(|n| n.inserted.contains(&number) || n.updated.contains(&number))
    };
    let live = table.live_columns().map(|(n, _)| n);
    Some(live.filter(|c| given(*c) || may_tell(table, [*c], cx)).collect())
}

/// A privilege on each column is none on the table, of which PostgreSQL then tells by name.
fn may_tell_whole(table: &Table, cx: &Cx<'_>) -> bool {
    cx.role.is_none_or(|role| cx.catalog.security().mask(role, table.oid, Class::Table, acl::SELECT) != 0)
}

/// Has an error tell of the row that it is about, as far as that may be told.
pub(super) fn of_row(e: SqlError, table: &Table, row: &[Datum], cx: &Cx<'_>) -> SqlError {
    let told = told_columns(table, cx);
    let live = table.live_columns().map(|(n, _)| n);
    let columns: Vec<usize> = told.clone().unwrap_or_else(|| live.collect());
    let value = |n: usize| {
        let c = &table.columns[n];
        if c.generated == Some(Generated::Virtual) {
            return "virtual".to_owned();
        }
        let mut text = shown(&row[n], c.ty, c.typmod, cx);
        if text.chars().count() > 64 {
            text = text.chars().take(64).collect::<String>() + "...";
        }
        text
    };
    let values: Vec<String> = columns.iter().map(|n| value(*n)).collect();
    let values = values.join(", ");
    match told {
        None => e.with_detail(format!("Failing row contains ({values}).")),
        Some(columns) if columns.is_empty() => e,
        Some(columns) => {
            let names: Vec<&str> = columns.iter().map(|n| table.columns[*n].name.as_str()).collect();
            e.with_detail(format!("Failing row contains ({}) = ({values}).", names.join(", ")))
        }
    }
}
