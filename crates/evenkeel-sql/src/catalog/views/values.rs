//! What ANALYZE found: `pg_statistic` and `pg_stats`.
//!
//! Columns of type `anyarray` are shown as text: arrays as PostgreSQL writes them.
//!
//! Must not know: how statistics are made.

use super::seen::Seen;
use super::{ViewContext, VirtualTable, opt, table, text, view, yes};
use crate::catalog::statistics::ColumnStatistics;
use crate::catalog::{Catalog, Table};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, FormatOptions, Type, to_text};

/// All of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_STATISTIC, &PG_STATS];

/// PostgreSQL's codes of kinds of statistics.
const COMMON: i16 = 1;
const HISTOGRAM: i16 = 2;
const CORRELATION: i16 = 3;

fn each(
    catalog: &Catalog,
    cx: &dyn ViewContext,
    f: &mut dyn FnMut(&Table, usize, &ColumnStatistics) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let seen = Seen::of(catalog, cx);
    for t in catalog.tables() {
        let Some(statistics) = t.shared.statistics() else { continue };
        for (n, _) in t.live_columns().filter(|(n, _)| seen.values(t.oid, *n)) {
            if let Some(Some(c)) = statistics.columns.get(n) {
                f(t, n, c)?;
            }
        }
    }
    Ok(())
}

/// An array of a column's values, as text.
fn array(values: impl Iterator<Item = Datum>, ty: Type, format: &FormatOptions) -> Result<Datum, SqlError> {
    let values: Vec<Datum> = values.collect();
    if values.is_empty() {
        return Ok(Datum::Null);
    }
    let Some(array_type) = ty.array_of() else { return Ok(Datum::Null) };
    Ok(text(to_text(&Datum::array(ty, values), array_type, -1, format)?))
}

fn shares(c: &ColumnStatistics) -> Datum {
    match c.common.is_empty() {
        true => Datum::Null,
        false => Datum::array(Type::Float4, c.common.iter().map(|(_, s)| Datum::Float4(*s as f32)).collect()),
    }
}

static PG_STATS: VirtualTable = view(
    12106,
    "pg_stats",
    &[
        ("schemaname", Type::Name),
        ("tablename", Type::Name),
        ("attname", Type::Name),
        ("inherited", Type::Bool),
        ("null_frac", Type::Float4),
        ("avg_width", Type::Int4),
        ("n_distinct", Type::Float4),
        ("most_common_vals", Type::Text),
        ("most_common_freqs", Type::Float4Array),
        ("histogram_bounds", Type::Text),
        ("correlation", Type::Float4),
        ("most_common_elems", Type::Text),
        ("most_common_elem_freqs", Type::Float4Array),
        ("elem_count_histogram", Type::Float4Array),
        ("range_length_histogram", Type::Text),
        ("range_empty_frac", Type::Float4),
        ("range_bounds_histogram", Type::Text),
    ],
    |catalog, cx| {
        let format = cx.format();
        let mut rows = Vec::new();
        each(catalog, cx, &mut |t, n, c| {
            let column = &t.columns[n];
            let mut row = vec![
                opt(catalog.schema(t.schema).map(|s| &s.name)),
                text(&t.name),
                text(&column.name),
                yes(false),
                Datum::Float4(c.null_fraction as f32),
                Datum::Int4(c.width_bytes.round() as i32),
                Datum::Float4(c.distinct as f32),
                array(c.common.iter().map(|(v, _)| v.clone()), column.ty, &format)?,
                shares(c),
                array(c.histogram.iter().cloned(), column.ty, &format)?,
                Datum::Float4(c.correlation as f32),
            ];
            row.extend((0..6).map(|_| Datum::Null));
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    },
);

static PG_STATISTIC: VirtualTable = table(
    2619,
    "pg_statistic",
    &[
        ("starelid", Type::Oid),
        ("staattnum", Type::Int2),
        ("stainherit", Type::Bool),
        ("stanullfrac", Type::Float4),
        ("stawidth", Type::Int4),
        ("stadistinct", Type::Float4),
        ("stakind1", Type::Int2),
        ("stakind2", Type::Int2),
        ("stakind3", Type::Int2),
        ("stanumbers1", Type::Float4Array),
        ("stanumbers2", Type::Float4Array),
        ("stanumbers3", Type::Float4Array),
        ("stavalues1", Type::Text),
        ("stavalues2", Type::Text),
        ("stavalues3", Type::Text),
    ],
    statistic,
);

fn statistic(catalog: &Catalog, cx: &dyn ViewContext) -> Result<Vec<Vec<Datum>>, SqlError> {
    let format = cx.format();
    let mut rows = Vec::new();
    each(catalog, cx, &mut |t, n, c| {
        let ty = t.columns[n].ty;
        let one = Datum::array(Type::Float4, vec![Datum::Float4(c.correlation as f32)]);
        rows.push(vec![
            Datum::Oid(t.oid),
            Datum::Int2(n as i16 + 1),
            yes(false),
            Datum::Float4(c.null_fraction as f32),
            Datum::Int4(c.width_bytes.round() as i32),
            Datum::Float4(c.distinct as f32),
            Datum::Int2(if c.common.is_empty() { 0 } else { COMMON }),
            Datum::Int2(if c.histogram.is_empty() { 0 } else { HISTOGRAM }),
            Datum::Int2(CORRELATION),
            shares(c),
            Datum::Null,
            one,
            array(c.common.iter().map(|(v, _)| v.clone()), ty, &format)?,
            array(c.histogram.iter().cloned(), ty, &format)?,
            Datum::Null,
        ]);
        Ok(())
    })?;
    Ok(rows)
}
