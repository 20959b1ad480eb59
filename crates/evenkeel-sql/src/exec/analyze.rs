//! ANALYZE: a sample of a table's rows, and what it tells of the values.
//!
//! A table of moderate size is read whole, and rows are kept with equal chances (Vitter's algorithm R). Of a larger one row ids are drawn: ids
//! are given out in turn, so the share of those that have a row tells how many rows there are.
//!
//! The estimates are PostgreSQL's: distinct values by Haas and Stokes' estimator (Duj1), which takes those that the sample has once as the sign of
//! how many it has not seen.
//!
//! Invariants
//! 1. The same rows and the same seed give the same statistics.
//!
//! Must not know: where statistics are kept.

use super::Cx;
use crate::catalog::statistics::{ColumnStatistics, TableStatistics};
use crate::catalog::{ColumnDef, Generated, Table};
use crate::progress::Work;
use evenkeel::{Direction, KeyRange, Transaction};
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::stop::Watch;
use evenkeel_types::{Datum, compare, decode_rowid, encode_rowid};
use std::cmp::Ordering;

/// Sampled rows for each value that the statistics of a column may name, as in PostgreSQL.
const ROWS_PER_TARGET: usize = 300;
/// A table is read whole if it has fewer row ids than so many samples.
const WHOLE_SAMPLES: u64 = 8;
/// Of ids that are drawn, so many have to have rows; else the table is read whole.
const LEAST_SHARE: f64 = 0.05;
/// Values longer than that are counted, but not named.
const WIDE_BYTES: usize = 1024;

/// Records have no order, and virtual columns no values.
fn is_sampled(c: &ColumnDef) -> bool {
    !c.ty.is_row() && c.generated != Some(Generated::Virtual)
}

/// Samples a table, in the transaction's snapshot.
pub fn analyze(
    table: &Table,
    target: usize,
    work: &Work,
    cx: &mut Cx<'_>,
) -> Result<TableStatistics, SqlError> {
    let wanted: Vec<usize> = table.live_columns().filter(|(_, c)| is_sampled(c)).map(|(n, _)| n).collect();
    let mut sample = Sample {
        table,
        work,
        wanted: &wanted,
        most: target * ROWS_PER_TARGET,
        rows: Vec::new(),
        rng: fastrand::Rng::with_seed(u64::from(table.oid)),
    };
    let count = match sample.drawn(cx)? {
        Some(count) => count,
        None => sample.whole(cx)?,
    };
    let Sample { mut rows, .. } = sample;
    work.enter(2, 0);
    rows.sort_unstable_by_key(|(id, _)| *id);
    let mut columns = vec![None; table.columns.len()];
    for (n, column) in wanted.iter().enumerate() {
        let values = rows.iter_mut().map(|(_, row)| std::mem::take(&mut row[n])).collect();
        columns[*column] = of_column(values, count, target)?;
    }
    Ok(TableStatistics { rows: count, columns })
}

struct Sample<'a> {
    table: &'a Table,
    work: &'a Work,
    wanted: &'a [usize],
    most: usize,
    /// By row id.
    rows: Vec<(u64, Vec<Datum>)>,
    rng: fastrand::Rng,
}

impl Sample<'_> {
    fn decoded(&self, stored: &[u8], cx: &mut Cx<'_>) -> Result<Vec<Datum>, SqlError> {
        let mut row = vec![Datum::Null; self.table.columns.len()];
        self.table.decode_columns(stored, self.wanted, &mut row)?;
        let row: Vec<Datum> = self.wanted.iter().map(|c| std::mem::take(&mut row[*c])).collect();
        cx.run.memory.grow(super::row_bytes(&row))?;
        Ok(row)
    }

    /// Draws ids; how many rows the table then has. None: it is to be read whole.
    fn drawn(&mut self, cx: &mut Cx<'_>) -> Result<Option<f64>, SqlError> {
        let tree = self.table.heap.tree;
        let (first, last) =
            (edge(cx.txn, tree, Direction::Forward)?, edge(cx.txn, tree, Direction::Backward)?);
        let (Some(first), Some(last)) = (first, last) else { return Ok(Some(0.0)) };
        let ids = last - first + 1;
        if ids < self.most as u64 * WHOLE_SAMPLES {
            return Ok(None);
        }
        self.work.enter(1, self.most as u64);
        let (mut tried, mut key) = (0u64, Vec::with_capacity(9));
        let mut seen = std::collections::HashSet::new();
        while self.rows.len() < self.most {
            cx.check_interrupt()?;
            if tried >= 1000 && (self.rows.len() as f64) < tried as f64 * LEAST_SHARE {
                self.rows.clear();
                return Ok(None);
            }
            let id = self.rng.u64(first..=last);
            if !seen.insert(id) {
                continue;
            }
            tried += 1;
            key.clear();
            encode_rowid(id, &mut key);
            if let Some(stored) = cx.txn.get(tree, &key)? {
                let row = self.decoded(&stored, cx)?;
                self.rows.push((id, row));
                self.work.done(self.rows.len() as u64);
            }
        }
        Ok(Some((ids as f64 * self.rows.len() as f64 / tried as f64).round()))
    }

    /// Reads all rows, and keeps some.
    fn whole(&mut self, cx: &mut Cx<'_>) -> Result<f64, SqlError> {
        let mut cursor = cx.txn.cursor(self.table.heap.tree, KeyRange::all(), Direction::Forward)?;
        self.work.enter(1, self.table.shared.live_rows().map_or(0, |n| n as u64));
        let mut count = 0usize;
        while let Some((id, stored)) = cursor.next(cx.txn)? {
            cx.check_interrupt()?;
            count += 1;
            self.work.done(count as u64);
            let place = if count <= self.most { count - 1 } else { self.rng.usize(0..count) };
            if place >= self.most {
                continue;
            }
            let row = (decode_rowid(id)?, self.decoded(stored, cx)?);
            match self.rows.get_mut(place) {
                Some(old) => {
                    cx.run.memory.shrink(super::row_bytes(&old.1));
                    *old = row;
                }
                None => self.rows.push(row),
            }
        }
        Ok(count as f64)
    }
}

/// The first or last row id.
fn edge(
    txn: &mut Transaction,
    tree: evenkeel::TreeId,
    direction: Direction,
) -> Result<Option<u64>, SqlError> {
    let mut cursor = txn.cursor(tree, KeyRange::all(), direction)?;
    Ok(match cursor.next(txn)? {
        Some((id, _)) => Some(decode_rowid(id)?),
        None => None,
    })
}

/// One value of a sample: how often it was met, and where it stands among the sorted.
struct Met {
    count: usize,
    at: usize,
}

/// What a sample, in the order of the table, tells of a column of so many rows.
pub fn of_column(values: Vec<Datum>, rows: f64, target: usize) -> Result<Option<ColumnStatistics>, SqlError> {
    let all = values.len();
    if all == 0 {
        return Ok(None);
    }
    let width = |d: &Datum| d.memory_bytes().saturating_sub(size_of::<Datum>()).max(stored_bytes(d));
    let (mut sorted, mut bytes, mut wide) = (Vec::with_capacity(all), 0, 0);
    for (n, value) in values.into_iter().enumerate().filter(|(_, v)| !v.is_null()) {
        let own = width(&value);
        bytes += own;
        if own > WIDE_BYTES {
            wide += 1;
        } else {
            sorted.push((value, n));
        }
    }
    let there = sorted.len() + wide;
    let null_fraction = (all - there) as f64 / all as f64;
    let mut statistics = ColumnStatistics {
        null_fraction,
        width_bytes: if there == 0 { 0.0 } else { bytes as f64 / there as f64 },
        distinct: 0.0,
        common: Vec::new(),
        histogram: Vec::new(),
        correlation: 0.0,
    };
    if there == 0 {
        statistics.distinct = 1.0;
        return Ok(Some(statistics));
    }
    let watch = Watch::of_data(512);
    watch.run(|| {
        sorted.sort_by(|a, b| {
            watch.look();
            compare(&a.0, &b.0).then(a.1.cmp(&b.1))
        })
    })?;
    let mut met: Vec<Met> = Vec::new();
    for (n, (value, _)) in sorted.iter().enumerate() {
        match met.last_mut() {
            Some(last) if compare(&sorted[last.at].0, value) == Ordering::Equal => last.count += 1,
            _ => met.push(Met { count: 1, at: n }),
        }
    }
    let once = met.iter().filter(|m| m.count == 1).count() + wide;
    statistics.distinct = distinct(all, there, met.len() + wide, once, rows, null_fraction);
    let common = common(&met, all, there, target, statistics.distinct, rows, once);
    statistics.common =
        common.iter().map(|m| (sorted[m.at].0.clone(), m.count as f64 / all as f64)).collect();
    statistics.histogram = histogram(&sorted, &met, &common, target);
    statistics.correlation = correlation(&sorted);
    Ok(Some(statistics))
}

fn stored_bytes(d: &Datum) -> usize {
    match d {
        Datum::Bool(_) => 1,
        Datum::Int2(_) => 2,
        Datum::Int4(_) | Datum::Float4(_) | Datum::Date(_) | Datum::Oid(_) => 4,
        Datum::Interval(_) | Datum::Uuid(_) => 16,
        Datum::Null => 0,
        Datum::Text(s) | Datum::Bpchar(s) | Datum::Citext(s) | Datum::Json(s) => s.len() + 1,
        Datum::Bytes(b) | Datum::Jsonb(b) | Datum::Hstore(b) => b.len() + 1,
        _ => 8,
    }
}

/// Distinct values of a column, as `ColumnStatistics::distinct`.
fn distinct(all: usize, there: usize, met: usize, once: usize, rows: f64, null_fraction: f64) -> f64 {
    let values = rows * (1.0 - null_fraction);
    if once == there {
        return -(1.0 - null_fraction); // each was met once: a key, as it seems
    }
    if once == 0 || all as f64 >= rows {
        // All there are, as it seems.
        let share = met as f64 / rows.max(1.0);
        return if share > 0.1 { -share } else { met as f64 };
    }
    let (n, d, f1) = (there as f64, met as f64, once as f64);
    let estimate = (n * d / (n - f1 + f1 * n / values.max(n))).clamp(d, values.max(d));
    if estimate > 0.1 * rows { -(estimate / rows) } else { estimate.round() }
}

/// The values that are worth naming, the most common first.
fn common(
    met: &[Met],
    all: usize,
    there: usize,
    target: usize,
    distinct: f64,
    rows: f64,
    once: usize,
) -> Vec<&Met> {
    let mut often: Vec<&Met> = met.iter().filter(|m| m.count > 1).collect();
    often.sort_by(|a, b| b.count.cmp(&a.count).then(a.at.cmp(&b.at)));
    // If they are all there are, all are named.
    if once == 0 && met.len() <= target && distinct > 0.0 {
        return often;
    }
    if all as f64 >= rows && met.len() <= target && once * 2 < met.len() {
        return often;
    }
    // The rarest goes as long as it may be chance that the sample has so many of it: as long as it is not clearly more (by two standard deviations of
    // a draw without replacement) than would be expected of it as one of those without a name.
    often.truncate(target);
    let known = if distinct < 0.0 { -distinct * rows } else { distinct };
    let (n, total) = (all as f64, rows.max(all as f64));
    let mut named: usize = often.iter().map(|m| m.count).sum();
    while let Some(last) = often.last() {
        let count = last.count as f64;
        named -= last.count;
        let unnamed = (there - named) as f64 / (known - (often.len() - 1) as f64).max(1.0);
        let alike = total * count / n;
        let variance = n * alike * (total - alike) * (total - n) / (total * total * (total - 1.0).max(1.0));
        if count > unnamed + 2.0 * variance.max(0.0).sqrt() + 0.5 {
            break;
        }
        often.pop();
    }
    often
}

fn histogram(sorted: &[(Datum, usize)], met: &[Met], common: &[&Met], target: usize) -> Vec<Datum> {
    let mut named: Vec<usize> = common.iter().map(|m| m.at).collect();
    named.sort_unstable();
    let rest: Vec<&Met> = met.iter().filter(|m| named.binary_search(&m.at).is_err()).collect();
    if rest.len() < 2 {
        return Vec::new();
    }
    let values: Vec<usize> = rest.iter().flat_map(|m| m.at..m.at + m.count).collect();
    let parts = target.min(values.len() - 1).max(1);
    (0..=parts).map(|n| sorted[values[n * (values.len() - 1) / parts]].0.clone()).collect()
}

/// Of the order of values with the order of rows (Pearson's, of ranks).
fn correlation(sorted: &[(Datum, usize)]) -> f64 {
    let n = sorted.len() as f64;
    if sorted.len() < 2 {
        return 0.0;
    }
    let mut rank: Vec<usize> = (0..sorted.len()).collect();
    rank.sort_unstable_by_key(|i| sorted[*i].1);
    // rank[position in the table] = position among the values
    let sum: f64 = rank.iter().enumerate().map(|(row, value)| row as f64 * *value as f64).sum();
    let mean = (n - 1.0) / 2.0;
    let variance = (n * n - 1.0) / 12.0;
    ((sum / n - mean * mean) / variance).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[Option<i32>], rows: f64) -> ColumnStatistics {
        let datum = |v: &Option<i32>| v.map_or(Datum::Null, Datum::Int4);
        of_column(values.iter().map(datum).collect(), rows, 100).unwrap().unwrap()
    }

    #[test]
    fn a_key_has_as_many_values_as_rows() {
        let values: Vec<_> = (0..3000).map(Some).collect();
        let s = of(&values, 1e6);
        assert_eq!((s.distinct, s.common.len()), (-1.0, 0));
        assert!(s.correlation > 0.999);
        assert_eq!(s.histogram.len(), 101);
        assert_eq!(s.histogram[50].as_i64(), Some(1499));
        let backward: Vec<_> = (0..3000).rev().map(Some).collect();
        assert!(of(&backward, 1e6).correlation < -0.999);
    }

    #[test]
    fn few_values_are_all_named() {
        let values: Vec<_> = (0..3000).map(|n| (n % 4 > 0).then_some(n % 3)).collect();
        let s = of(&values, 1e6);
        assert_eq!((s.distinct, s.common.len(), s.histogram.len()), (3.0, 3, 0));
        assert_eq!(s.null_fraction, 0.25);
        assert!(s.common.iter().all(|(_, share)| (share - 0.25).abs() < 0.01));
    }

    #[test]
    fn what_stands_out_is_named_and_the_rest_divided() {
        let mut rng = fastrand::Rng::with_seed(3);
        let values: Vec<_> =
            (0..30_000).map(|n| Some(if n % 3 == 0 { 7 } else { rng.i32(100..100_000) })).collect();
        let s = of(&values, 3e7);
        assert_eq!(s.common.iter().map(|(v, _)| v.as_i64().unwrap()).collect::<Vec<_>>(), [7]);
        let distinct = s.distinct_of(3e7);
        // The estimator makes too few of them beside a value that is so common.
        assert!((30_000.0..120_000.0).contains(&distinct), "{distinct} of 99,900");
        let middle = s.histogram[50].as_i64().unwrap();
        assert!((45_000..55_000).contains(&middle), "{middle}");
        assert!(s.correlation.abs() < 0.2);
    }

    /// Invariant 1, and figures that are figures, whatever the values.
    #[test]
    fn any_sample_gives_figures() {
        let mut rng = fastrand::Rng::with_seed(9);
        for _ in 0..2000 {
            let most = rng.i32(1..50);
            let values: Vec<_> =
                (0..rng.usize(1..60)).map(|_| (rng.u8(0..5) > 0).then(|| rng.i32(0..most))).collect();
            let rows = values.len() as f64 * (1.0 + rng.f64() * 100.0);
            let s = of(&values, rows);
            assert!((1.0..=rows.max(1.0)).contains(&s.distinct_of(rows)), "{s:?}");
            let named: f64 = s.common.iter().map(|(_, share)| share).sum();
            assert!(named + s.null_fraction <= 1.0 + 1e-9);
            assert!(s.histogram.is_sorted_by(|a, b| compare(a, b) != Ordering::Greater));
            assert!((-1.0..=1.0).contains(&s.correlation));
            assert_eq!(format!("{s:?}"), format!("{:?}", of(&values, rows)));
        }
    }
}
