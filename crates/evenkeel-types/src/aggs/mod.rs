//! Aggregate functions. Each state takes one group's rows and gives one value; DISTINCT, ORDER BY and FILTER are the executor's.
//!
//! Sums of integers are kept in 128 bits, so no order of additions overflows before the end; sums of numerics are exact.

mod bits;
mod collect;
mod json;
mod numeric;
mod ordered;
mod statistics;

use super::datum::Datum;
use super::function::AggFn;
use super::ty::Type as T;

/// Argument types that count(), min() and the like share one state for.
pub(super) fn table() -> Vec<AggFn> {
    let mut table = vec![
        AggFn { name: "count", args: &[], ret: T::Int8, new: collect::count_rows },
        AggFn { name: "count", args: &[T::Any], ret: T::Int8, new: collect::count_values },
    ];
    table.extend_from_slice(numeric::TABLE);
    table.extend_from_slice(statistics::TABLE);
    table.extend_from_slice(collect::TABLE);
    table.extend_from_slice(json::TABLE);
    table.extend_from_slice(bits::TABLE);
    table.extend_from_slice(ordered::TABLE);
    const ORDERED: &[[T; 1]] = &[
        [T::Int2],
        [T::Int4],
        [T::Int8],
        [T::Float4],
        [T::Float8],
        [T::Numeric],
        [T::Text],
        [T::Bpchar],
        [T::Citext],
        [T::Date],
        [T::Timestamp],
        [T::Timestamptz],
        [T::Interval],
        [T::Time],
        [T::Inet],
        [T::Timetz],
        [T::Oid],
        [T::PgLsn],
        [T::Xid8],
        [T::Money],
        [T::Tid],
        [T::Bytea],
        [T::AnyArray],
        [T::AnyEnum],
        [T::Record],
    ];
    for args in ORDERED {
        table.push(AggFn { name: "min", args, ret: args[0], new: collect::min });
        table.push(AggFn { name: "max", args, ret: args[0], new: collect::max });
    }
    table
}

/// Whether the one argument is NULL and therefore skipped.
fn skipped(args: &[Datum]) -> bool {
    args.first().is_none_or(Datum::is_null)
}
