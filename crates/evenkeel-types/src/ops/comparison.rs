//! `=`, `<>`, `<`, `<=`, `>`, `>=` within a type and between the types of one family.

use std::cmp::Ordering;

use super::{op, stable_op};
use crate::cast::{date_to_timestamp, timestamp_to_timestamptz};
use crate::compare::{compare, equal};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarCall, ScalarFn};
use crate::ty::Type;

type Eval = Result<Datum, SqlError>;

/// Pairs whose values `compare` orders directly.
const DIRECT: &[[Type; 2]] = &[
    [Type::Int4, Type::Int4],
    [Type::Int8, Type::Int8],
    [Type::Int2, Type::Int2],
    [Type::Int2, Type::Int4],
    [Type::Int4, Type::Int2],
    [Type::Int2, Type::Int8],
    [Type::Int8, Type::Int2],
    [Type::Int4, Type::Int8],
    [Type::Int8, Type::Int4],
    [Type::Text, Type::Text],
    [Type::Bpchar, Type::Bpchar],
    [Type::Citext, Type::Citext],
    [Type::Char, Type::Char],
    [Type::Name, Type::Name],
    [Type::Name, Type::Text],
    [Type::Text, Type::Name],
    [Type::Bool, Type::Bool],
    [Type::Numeric, Type::Numeric],
    [Type::Float8, Type::Float8],
    [Type::Float4, Type::Float4],
    [Type::Float4, Type::Float8],
    [Type::Float8, Type::Float4],
    [Type::Date, Type::Date],
    [Type::Timestamp, Type::Timestamp],
    [Type::Timestamptz, Type::Timestamptz],
    [Type::Interval, Type::Interval],
    [Type::Bytea, Type::Bytea],
    [Type::Oid, Type::Oid],
    [Type::PgLsn, Type::PgLsn],
    [Type::Money, Type::Money],
    [Type::Xid8, Type::Xid8],
    [Type::Tid, Type::Tid],
    [Type::Uuid, Type::Uuid],
    [Type::Inet, Type::Inet],
    [Type::Macaddr, Type::Macaddr],
    [Type::Macaddr8, Type::Macaddr8],
    [Type::Bit, Type::Bit],
    [Type::Varbit, Type::Varbit],
    [Type::Time, Type::Time],
    [Type::Timetz, Type::Timetz],
    [Type::Jsonb, Type::Jsonb],
    [Type::OidVector, Type::OidVector],
    [Type::AnyArray, Type::AnyArray],
    [Type::AnyEnum, Type::AnyEnum],
    [Type::Record, Type::Record],
];

/// Pairs that are brought to one type first, which for zones takes the session's.
const MIXED: &[[Type; 2]] = &[
    [Type::Date, Type::Timestamp],
    [Type::Timestamp, Type::Date],
    [Type::Date, Type::Timestamptz],
    [Type::Timestamptz, Type::Date],
    [Type::Timestamp, Type::Timestamptz],
    [Type::Timestamptz, Type::Timestamp],
];

macro_rules! comparisons {
    ($($sql:literal $direct:ident $mixed:ident $test:expr;)*) => {
        $(
            fn $direct(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
                let test: fn(Ordering) -> bool = $test;
                Ok(Datum::Bool(test(compare(&a[0], &a[1]))))
            }
            fn $mixed(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
                let test: fn(Ordering) -> bool = $test;
                Ok(Datum::Bool(test(compare_mixed(&a[0], &a[1], ctx))))
            }
        )*
        const CALLS: &[(&str, ScalarCall, ScalarCall)] = &[$(($sql, $direct, $mixed)),*];
    };
}

comparisons! {
    "<>" ne ne_mixed Ordering::is_ne;
    "<" lt lt_mixed Ordering::is_lt;
    "<=" le le_mixed Ordering::is_le;
    ">" gt gt_mixed Ordering::is_gt;
    ">=" ge ge_mixed Ordering::is_ge;
}

fn eq(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(equal(&a[0], &a[1])))
}

fn eq_mixed(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(compare_mixed(&a[0], &a[1], ctx).is_eq()))
}

fn compare_mixed(a: &Datum, b: &Datum, ctx: &EvalCtx<'_>) -> Ordering {
    let zoned = matches!(a, Datum::Timestamptz(_)) || matches!(b, Datum::Timestamptz(_));
    instant(a, zoned, ctx).cmp(&instant(b, zoned, ctx))
}

/// A value on the common scale; a date beyond the range of timestamps is beyond every one of them.
fn instant(d: &Datum, zoned: bool, ctx: &EvalCtx<'_>) -> i64 {
    let local = match d {
        Datum::Timestamptz(v) => return *v,
        Datum::Timestamp(v) => *v,
        Datum::Date(v) => match date_to_timestamp(*v) {
            Ok(v) => v,
            Err(_) => return i64::MAX - 1,
        },
        _ => return 0,
    };
    if zoned { timestamp_to_timestamptz(local, ctx.format).unwrap_or(local) } else { local }
}

pub(super) fn table() -> Vec<ScalarFn> {
    let mut table = Vec::new();
    for pair in DIRECT {
        table.push(op("=", pair, Type::Bool, eq));
        for (name, direct, _) in CALLS {
            table.push(op(name, pair, Type::Bool, *direct));
        }
    }
    for pair in MIXED {
        let op = if pair.contains(&Type::Timestamptz) { stable_op } else { op };
        table.push(op("=", pair, Type::Bool, eq_mixed));
        for (name, _, mixed) in CALLS {
            table.push(op(name, pair, Type::Bool, *mixed));
        }
    }
    const XID: &[[Type; 2]] = &[[Type::Xid, Type::Xid], [Type::Xid, Type::Int4]];
    for pair in XID {
        table.push(op("=", pair, Type::Bool, eq));
        table.push(op("<>", pair, Type::Bool, ne));
    }
    table
}
