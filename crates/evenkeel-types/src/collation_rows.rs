//! Collations of rows: each field of a row is compared in its own.
//!
//! Invariants:
//! 1. What is alike is there once: two of them are the same if they are at the same place.
//!
//! Must not know: how texts are compared.

use crate::collation::Collation;
use crate::error::{SqlError, SqlState};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Most different ones that a process knows: each stays in memory.
const FIELDS_MAX: usize = 65_536;

/// Those of a row's fields, in order.
#[derive(Debug)]
pub struct Fields {
    /// One of each field; of what is no text any.
    pub list: Box<[Collation]>,
    /// All are.
    pub is_bytewise: bool,
}

impl Fields {
    /// Those of fields that have these.
    ///
    /// # Errors
    /// 54000 if there are too many.
    pub fn of(list: Vec<Collation>) -> Result<&'static Fields, SqlError> {
        type Known = HashMap<Vec<(u32, bool, usize)>, Vec<&'static Fields>>;
        static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Default::default);
        let mark = |c: &Collation| (c.oid, c.is_bytewise(), c.fields().map_or(0, |f| f.list.len()));
        let mut known = KNOWN.lock();
        let count = known.len();
        let alike = known.entry(list.iter().map(mark).collect()).or_default();
        if let Some(found) = alike.iter().find(|f| *f.list == *list) {
            return Ok(found);
        }
        if count >= FIELDS_MAX {
            let why = format!("rows of no more than {FIELDS_MAX} kinds can be compared by one server");
            return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
        }
        let is_bytewise = list.iter().all(Collation::is_bytewise);
        let made: &'static Fields = Box::leak(Box::new(Fields { list: list.into(), is_bytewise }));
        alike.push(made);
        Ok(made)
    }

    /// Whether rows of two of them, or of none, stand in one order.
    pub fn order_alike(a: Option<&'static Fields>, b: Option<&'static Fields>) -> bool {
        match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::{Datum, RecordDatum};
    use crate::ty::Type;
    use std::sync::Arc;

    #[test]
    fn fields_are_compared_in_their_own() {
        let by = |locale: &str, oid| Collation::of_locale(oid, locale).unwrap();
        let fields = || Fields::of(vec![Collation::default(), by("sv", 1), by("de", 2)]).unwrap();
        assert!(std::ptr::eq(fields(), fields()));
        assert!(Fields::of(vec![Collation::default()]).unwrap().is_bytewise);
        let row = |words: [&str; 3]| {
            let values = words.iter().map(|w| Datum::text(*w)).collect();
            Datum::Record(Arc::new(RecordDatum { types: vec![Type::Text; 3], values, names: None, of: 0 }))
        };
        let rows = [["A", "a", "z"], ["a", "z", "ä"], ["a", "z", "b"], ["a", "ä", "a"]];
        let key = |words: &[&str; 3]| Collation::default().with_fields(fields()).sort_key(row(*words));
        for pair in rows.windows(2) {
            assert!(crate::compare(&key(&pair[0]), &key(&pair[1])).is_lt(), "{pair:?}");
        }
    }
}
