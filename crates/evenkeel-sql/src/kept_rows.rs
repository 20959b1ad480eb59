//! Rows of system tables that depend on the catalog alone, made once for all sessions that have it: clients that read definitions, table by table, read them all
//! each time otherwise.
//!
//! Invariants:
//! 1. Rows are given for the very catalog that they were made of. It is known by its address, which no other one gets while its place here is remembered
//!    (`Weak`); it is not kept alive for that.
//!
//! Must not know: which tables there are.

use crate::catalog::Catalog;
use crate::catalog::views::SharedRows;
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// Tables times databases whose rows are kept.
const ENTRIES_MAX: usize = 24;
/// A catalog with more of them is large: its rows are made anew.
const ROWS_MAX: usize = 50_000;

/// See above.
#[derive(Default)]
pub(crate) struct KeptRows(Mutex<Vec<(u32, Weak<Catalog>, SharedRows)>>);

impl KeptRows {
    /// The rows of a table in a catalog.
    pub(crate) fn of(
        &self,
        catalog: &Arc<Catalog>,
        table: u32,
        make: impl FnOnce() -> Result<Vec<Vec<Datum>>, SqlError>,
    ) -> Result<SharedRows, SqlError> {
        let is_it =
            |e: &(u32, Weak<Catalog>, SharedRows)| e.0 == table && e.1.as_ptr() == Arc::as_ptr(catalog);
        if let Some(found) = self.0.lock().iter().find(|e| is_it(e)) {
            return Ok(found.2.clone());
        }
        // Not under the lock: two who make the same rows at the same time do no harm.
        let rows: SharedRows = make()?.into_iter().map(Into::into).collect();
        if rows.len() <= ROWS_MAX {
            let mut entries = self.0.lock();
            // Those of catalogs that nobody has any more, and the oldest one.
            entries.retain(|e| e.1.strong_count() > 0 && !is_it(e));
            if entries.len() >= ENTRIES_MAX {
                entries.remove(0);
            }
            entries.push((table, Arc::downgrade(catalog), rows.clone()));
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_very_catalog() {
        let (kept, catalog) = (KeptRows::default(), Arc::new(Catalog::default()));
        let of = |catalog: &Arc<Catalog>, table: u32, n: i32| {
            let rows = kept.of(catalog, table, || Ok(vec![vec![Datum::Int4(n)]])).unwrap();
            let Datum::Int4(n) = rows[0][0] else { panic!("a number") };
            n
        };
        assert_eq!(of(&catalog, 1, 10), 10);
        assert_eq!(of(&catalog, 1, 11), 10, "kept");
        assert_eq!(of(&catalog, 2, 20), 20, "another table");
        // A change makes another catalog of one that is shared, and moves one that is not.
        let (mut shared, before) = (catalog.clone(), catalog.clone());
        let _ = Arc::make_mut(&mut shared);
        assert_eq!(of(&shared, 1, 12), 12);
        drop(catalog);
        assert_eq!(of(&before, 1, 13), 10);
        let mut alone = before;
        let _ = Arc::make_mut(&mut alone);
        assert_eq!(of(&alone, 1, 14), 14, "what may have been changed in place");
    }

    #[test]
    fn not_many_are_kept() {
        let kept = KeptRows::default();
        let catalogs: Vec<_> = (0..100).map(|_| Arc::new(Catalog::default())).collect();
        for c in &catalogs {
            kept.of(c, 1, || Ok(Vec::new())).unwrap();
        }
        assert_eq!(kept.0.lock().len(), ENTRIES_MAX);
        drop(catalogs);
        kept.of(&Arc::new(Catalog::default()), 1, || Ok(Vec::new())).unwrap();
        assert_eq!(kept.0.lock().len(), 1);
        let many = kept.of(&Arc::new(Catalog::default()), 1, || Ok(vec![Vec::new(); ROWS_MAX + 1])).unwrap();
        assert_eq!(many.len(), ROWS_MAX + 1);
        assert_eq!(kept.0.lock().len(), 1);
    }
}
