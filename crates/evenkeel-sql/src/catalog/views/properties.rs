//! What access methods and indexes can do, as `pg_indexam_has_property`, `pg_index_has_property` and `pg_index_column_has_property` tell.
//!
//! They tell of a method what PostgreSQL's can do, since that is what who asks goes by.
//!
//! Must not know: how indexes are read.

use crate::catalog::{Index, IndexMethod};

const METHODS: [IndexMethod; 5] =
    [IndexMethod::Btree, IndexMethod::Hash, IndexMethod::Gin, IndexMethod::Gist, IndexMethod::Brin];

/// Whether an access method has a property; None: there is no such method, or it is no property of methods.
pub fn of_method(method: u32, property: &str) -> Option<bool> {
    use IndexMethod::{Btree, Gist, Hash};
    let method = METHODS.into_iter().find(|m| m.oid() == method)?;
    Some(match &*property.to_ascii_lowercase() {
        "can_order" | "can_unique" => method == Btree,
        "can_multi_col" => method != Hash,
        "can_exclude" => matches!(method, Btree | Hash | Gist),
        "can_include" => matches!(method, Btree | Gist),
        _ => return None,
    })
}

/// Whether an index has a property, or a column of it, of which the first is 1; None: it is no property of that.
pub fn of_index(index: &Index, column: Option<i32>, property: &str) -> Option<bool> {
    use IndexMethod::{Btree, Gist, Hash};
    if let Some(column) = column {
        return of_column(index, column, property);
    }
    let method = index.extra.method;
    Some(match &*property.to_ascii_lowercase() {
        "clusterable" => matches!(method, Btree | Gist),
        "index_scan" => matches!(method, Btree | Hash | Gist),
        "bitmap_scan" => true,
        "backward_scan" => matches!(method, Btree | Hash),
        _ => return None,
    })
}

fn of_column(index: &Index, column: i32, property: &str) -> Option<bool> {
    use IndexMethod::{Brin, Btree, Gist};
    let n = usize::try_from(column).ok()?.checked_sub(1)?;
    let property = property.to_ascii_lowercase();
    let method = index.extra.method;
    let Some(key) = index.columns.get(n) else {
        // INCLUDE: it is given back, and no more.
        let is_there = n < index.columns.len() + index.extra.include.len();
        return match &*property {
            _ if !is_there => None,
            "orderable" | "distance_orderable" => Some(false),
            "returnable" => Some(true),
            _ => None,
        };
    };
    let is_ordered = method == Btree;
    Some(match &*property {
        "asc" => is_ordered && !key.desc,
        "desc" => is_ordered && key.desc,
        "nulls_first" => is_ordered && key.nulls_first,
        "nulls_last" => is_ordered && !key.nulls_first,
        "orderable" => is_ordered,
        "distance_orderable" => method == Gist,
        "returnable" | "search_array" => is_ordered,
        "search_nulls" => matches!(method, Btree | Brin | Gist),
        _ => return None,
    })
}
