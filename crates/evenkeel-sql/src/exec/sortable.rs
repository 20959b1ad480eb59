//! Rows that are kept to be sorted: their values lie one after the other, and what is moved is a number of each row with the beginning of its first key.
//!
//! Most comparisons are of two numbers that lie side by side. A vector of boxed rows, which this took the place of, read both rows from elsewhere for each, and took two allocations a row.
//!
//! Invariants:
//! 1. Rows with equal keys stay in the order in which they came: those that came earlier have lower places, also after `keep_first`.
//!
//! Must not know: where rows come from, and where they go.

use super::sort::compare_keys;
use crate::plan::SortKey;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::discard::Large;
use evenkeel_types::guard::stop::Watch;
use evenkeel_types::{Datum, order_head};

/// Comparisons between two looks whether the statement may go on.
const COMPARISONS: u32 = 512;
/// Memory that a row takes beside its values.
const ROW_BYTES: usize = size_of::<Entry>();

#[derive(Clone, Copy)]
struct Entry {
    /// In the order of the first key, as far as it tells values apart.
    head: u64,
    place: u64,
}

/// Rows, each of keys and of what is kept of it besides.
#[derive(Default)]
pub(super) struct Sortable {
    values: Large<Vec<Datum>>,
    keys: usize,
    width: usize,
    entries: Vec<Entry>,
}

/// Memory that a row takes.
pub(super) fn bytes_of(keys: &[Datum], kept: &[Datum]) -> usize {
    ROW_BYTES + keys.iter().chain(kept).map(Datum::memory_bytes).sum::<usize>()
}

fn head(key: &SortKey, value: &Datum) -> u64 {
    // NULL shares its number with the first or the last values, and is told apart from them by a comparison.
    match value {
        Datum::Null if key.nulls_first => 0,
        Datum::Null => u64::MAX,
        value if key.desc => !order_head(value),
        value => order_head(value),
    }
}

impl Sortable {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// One more, whose values are taken; all have the same number of them.
    pub fn push(
        &mut self,
        order: &[SortKey],
        keys: &mut Vec<Datum>,
        kept: &mut Vec<Datum>,
    ) -> Result<(), SqlError> {
        if self.entries.is_empty() {
            (self.keys, self.width) = (keys.len(), keys.len() + kept.len());
        }
        if (keys.len(), keys.len() + kept.len()) != (self.keys, self.width) {
            return Err(SqlError::internal("a row that is sorted has another width"));
        }
        make_room(&mut self.values, self.width)?;
        make_room(&mut self.entries, 1)?;
        let head = order.first().zip(keys.first()).map_or(0, |(key, value)| head(key, value));
        self.entries.push(Entry { head, place: self.entries.len() as u64 });
        self.values.append(keys);
        self.values.append(kept);
        Ok(())
    }

    /// Keys of a row, and what else is kept of it.
    fn at(&self, e: Entry) -> (&[Datum], &[Datum]) {
        let from = e.place as usize * self.width;
        self.values[from..from + self.width].split_at(self.keys)
    }

    /// A row by its number in the order that they are in.
    pub fn get(&self, n: usize) -> Option<(&[Datum], &[Datum])> {
        self.entries.get(n).map(|e| self.at(*e))
    }

    /// All of them, in that order.
    pub fn iter(&self) -> impl Iterator<Item = (&[Datum], &[Datum])> {
        self.entries.iter().map(|e| self.at(*e))
    }

    /// Sorts them.
    pub fn sort(&mut self, order: &[SortKey]) -> Result<(), SqlError> {
        let mut entries = std::mem::take(&mut self.entries);
        let watch = Watch::of_data(COMPARISONS);
        let sorted = watch.run(|| {
            entries.sort_unstable_by(|a, b| {
                watch.look();
                a.head
                    .cmp(&b.head)
                    .then_with(|| compare_keys(order, self.at(*a).0, self.at(*b).0))
                    .then(a.place.cmp(&b.place))
            });
        });
        self.entries = entries;
        sorted
    }

    /// Lets go of all but the first rows of the order that they are in; gives the memory that the others took.
    pub fn keep_first(&mut self, rows: usize) -> Result<usize, SqlError> {
        let gone = self.entries.get(rows..).unwrap_or_default();
        let mut bytes = 0;
        for e in gone {
            let (keys, kept) = self.at(*e);
            bytes += bytes_of(keys, kept);
        }
        self.entries.truncate(rows);
        let mut values = Vec::new();
        make_room(&mut values, self.entries.len() * self.width)?;
        for (n, e) in self.entries.iter_mut().enumerate() {
            let from = e.place as usize * self.width;
            values.extend(self.values[from..from + self.width].iter_mut().map(std::mem::take));
            e.place = n as u64;
        }
        self.values = values.into();
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::expr::Expr;
    use evenkeel_types::Collation;
    use std::sync::Arc;

    fn value(rng: &mut fastrand::Rng) -> Datum {
        match rng.u8(..10) {
            0 => Datum::Null,
            1..4 => Datum::Text(Arc::from("the same beginning ".repeat(2) + ["a", "b", "c"][rng.usize(..3)])),
            _ => Datum::Text(Arc::from(["", "a", "a\0", "b", "zz"][rng.usize(..5)])),
        }
    }

    #[test]
    fn rows_are_sorted_as_a_stable_sort_does_it() {
        let seed = fastrand::u64(..);
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..300 {
            let mut key = |n: usize| SortKey {
                expr: Expr::Column(n),
                desc: rng.bool(),
                nulls_first: rng.bool(),
                collation: Collation::default(),
            };
            let order = [key(0), key(1)];
            let (mut sortable, mut model) = (Sortable::default(), Vec::new());
            for n in 0..rng.usize(..200) {
                let keys = vec![value(&mut rng), Datum::Int4(rng.i32(-2..3))];
                let kept = vec![Datum::Int8(n as i64)];
                model.push((keys.clone(), kept.clone()));
                sortable.push(&order, &mut keys.clone(), &mut kept.clone()).unwrap();
                if rng.u8(..40) == 0 {
                    let first = rng.usize(..20);
                    sortable.sort(&order).unwrap();
                    model.sort_by(|a, b| compare_keys(&order, &a.0, &b.0));
                    let gone: usize = model.iter().skip(first).map(|(keys, kept)| bytes_of(keys, kept)).sum();
                    model.truncate(first);
                    assert_eq!(sortable.keep_first(first).unwrap(), gone, "seed {seed}");
                }
            }
            sortable.sort(&order).unwrap();
            model.sort_by(|a, b| compare_keys(&order, &a.0, &b.0));
            let of = |(keys, kept): (&[Datum], &[Datum])| format!("{keys:?} {kept:?}");
            let model: Vec<String> = model.iter().map(|(keys, kept)| of((keys, kept))).collect();
            assert_eq!(sortable.iter().map(of).collect::<Vec<_>>(), model, "seed {seed}");
        }
    }
}
