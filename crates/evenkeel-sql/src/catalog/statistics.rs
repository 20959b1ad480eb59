//! What is known of a table's values, for estimates: made by ANALYZE from a sample, stored beside the definition, shown by `pg_stats`.
//!
//! Stored form: the number of rows (8 bytes, little-endian); then, but in rows of older versions, for each column that has figures its position,
//! its type, and, preceded by their length, the figures, and the values as rows of that type.
//!
//! Must not know: how rows are sampled, plans.

use super::codec::{Reader, Writer};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type, decode_row, encode_row};

/// What ANALYZE found.
#[derive(Clone, Debug, Default)]
pub struct TableStatistics {
    /// Rows of the table at that time, or `UNKNOWN_ROWS`.
    pub rows: f64,
    /// By column position; None: nothing is known.
    pub columns: Vec<Option<ColumnStatistics>>,
}

/// What ANALYZE found of a column.
#[derive(Clone, Debug)]
pub struct ColumnStatistics {
    /// The share of NULLs.
    pub null_fraction: f64,
    /// Bytes of a value that is not NULL, on average.
    pub width_bytes: f64,
    /// Distinct values: their number, or, negative, minus their share of the rows, where it grows with the table.
    pub distinct: f64,
    /// The most common values and each one's share of the rows, falling.
    pub common: Vec<(Datum, f64)>,
    /// Values that divide the others into parts of the same size, ascending.
    pub histogram: Vec<Datum>,
    /// From -1 to 1: whether the order of values is that of rows.
    pub correlation: f64,
}

impl ColumnStatistics {
    /// The number of distinct values among so many rows.
    pub fn distinct_of(&self, rows: f64) -> f64 {
        if self.distinct < 0.0 { (-self.distinct * rows).max(1.0) } else { self.distinct.max(1.0) }
    }
}

impl TableStatistics {
    /// What stands for a number of rows that nobody knows.
    pub const UNKNOWN_ROWS: f64 = -1.0;

    /// Of a table of which nothing is known.
    pub fn unknown() -> TableStatistics {
        TableStatistics { rows: Self::UNKNOWN_ROWS, columns: Vec::new() }
    }

    /// The stored form.
    pub fn encode(&self, types: &[Type]) -> Vec<u8> {
        let mut w = Writer((self.rows as i64).to_le_bytes().to_vec());
        let known: Vec<_> =
            self.columns.iter().enumerate().filter_map(|(n, c)| Some((n, c.as_ref()?))).collect();
        w.len(known.len());
        for (n, c) in known {
            w.len(n);
            w.u32(types[n].oid());
            let mut own = Writer(Vec::new());
            own.column(c, types[n]);
            w.len(own.0.len());
            w.0.extend(own.0);
        }
        w.0
    }

    /// Reads the stored form; columns that the table no longer has, or with another type, are left out.
    pub fn decode(bytes: &[u8], types: &[Type]) -> Result<TableStatistics, SqlError> {
        let mut r = Reader(bytes);
        let mut statistics = TableStatistics { rows: r.i64()? as f64, columns: vec![None; types.len()] };
        if r.0.is_empty() {
            return Ok(statistics);
        }
        for _ in 0..r.u32()? {
            let (n, ty, len) = (r.u32()? as usize, r.u32()?, r.u32()? as usize);
            let mut own = Reader(r.take(len)?);
            // It may have another type by now, or be gone.
            if let Some(known) = types.get(n).filter(|t| t.oid() == ty) {
                statistics.columns[n] = Some(own.column(*known)?);
            }
        }
        Ok(statistics)
    }
}

impl Writer {
    fn column(&mut self, c: &ColumnStatistics, ty: Type) {
        for figure in [c.null_fraction, c.width_bytes, c.distinct, c.correlation] {
            self.i64(figure.to_bits() as i64);
        }
        self.len(c.common.len());
        for (value, share) in &c.common {
            self.i64(share.to_bits() as i64);
            self.datum(value, ty);
        }
        self.len(c.histogram.len());
        for value in &c.histogram {
            self.datum(value, ty);
        }
    }

    pub(super) fn datum(&mut self, value: &Datum, ty: Type) {
        let mut row = Vec::new();
        encode_row(std::slice::from_ref(value), &[ty], &mut row);
        self.len(row.len());
        self.0.extend(row);
    }
}

impl Reader<'_> {
    fn column(&mut self, ty: Type) -> Result<ColumnStatistics, SqlError> {
        let (null_fraction, width_bytes, distinct, correlation) =
            (self.f64()?, self.f64()?, self.f64()?, self.f64()?);
        let common = self.list(|r| {
            let share = r.f64()?;
            Ok((r.datum(ty)?, share))
        })?;
        let histogram = self.list(|r| r.datum(ty))?;
        Ok(ColumnStatistics { null_fraction, width_bytes, distinct, common, histogram, correlation })
    }

    fn f64(&mut self) -> Result<f64, SqlError> {
        Ok(f64::from_bits(self.i64()? as u64))
    }

    pub(super) fn datum(&mut self, ty: Type) -> Result<Datum, SqlError> {
        let n = self.u32()? as usize;
        let mut row = Vec::with_capacity(1);
        decode_row(self.take(n)?, &[ty], &mut row)?;
        Ok(row.pop().unwrap_or(Datum::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_and_rows_of_before_too() {
        let types = [Type::Int4, Type::Text, Type::Int8];
        let column = ColumnStatistics {
            null_fraction: 0.25,
            width_bytes: 6.5,
            distinct: -0.5,
            common: vec![(Datum::text("often"), 0.3), (Datum::text(""), 0.1)],
            histogram: vec![Datum::text("a"), Datum::text("m"), Datum::text("z")],
            correlation: -0.75,
        };
        let statistics = TableStatistics { rows: 1234.0, columns: vec![None, Some(column), None] };
        let bytes = statistics.encode(&types);
        let read = TableStatistics::decode(&bytes, &types).unwrap();
        assert_eq!((read.encode(&types), read.rows), (bytes.clone(), 1234.0));
        assert_eq!(format!("{:?}", read.columns), format!("{:?}", statistics.columns));
        let of_before = TableStatistics::decode(&77i64.to_le_bytes(), &types).unwrap();
        assert_eq!((of_before.rows, of_before.columns.len()), (77.0, 3));
        assert!(of_before.columns.iter().all(Option::is_none));
        let retyped = TableStatistics::decode(&bytes, &[Type::Int4, Type::Date, Type::Int8]).unwrap();
        assert!(retyped.columns.iter().all(Option::is_none));
        for n in 9..bytes.len() {
            assert!(TableStatistics::decode(&bytes[..n], &types).is_err(), "{n} bytes");
        }
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let mut damaged = bytes.clone();
            let n = rng.usize(0..damaged.len());
            damaged[n] ^= rng.u8(1..);
            let _ = TableStatistics::decode(&damaged, &types); // never panics
        }
    }
}
