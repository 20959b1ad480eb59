//! What `information_schema` says of a type besides its name: digits of seconds and behind the point, fields of intervals, the collation.
//!
//! Must not know: what has the type.

use super::information::schema;
use super::{ViewContext, text};
use crate::catalog::{Catalog, PG_CATALOG_OID};
use evenkeel_types::collation::DEFAULT_OID;
use evenkeel_types::{Datum, Type, format_type};

/// No digits are said: all that an interval may have.
const ALL_DIGITS: i32 = 0xffff;

/// Digits of seconds.
pub fn seconds(ty: Type, typmod: i32) -> Option<i64> {
    match ty {
        Type::Date => Some(0),
        Type::Interval if typmod < 0 || typmod & ALL_DIGITS == ALL_DIGITS => Some(6),
        Type::Interval => Some(i64::from(typmod & ALL_DIGITS)),
        Type::Time | Type::Timetz | Type::Timestamp | Type::Timestamptz => {
            Some(if typmod < 0 { 6 } else { i64::from(typmod) })
        }
        _ => None,
    }
}

/// The fields that an interval is cut to.
pub fn interval_type(ty: Type, typmod: i32) -> Datum {
    let name = if ty == Type::Interval { format_type(ty, typmod) } else { String::new() };
    match name.strip_prefix("interval ") {
        Some(fields) => text(fields.to_uppercase()),
        None => Datum::Null,
    }
}

/// The digits behind the point as PostgreSQL's view gives them: of fewer than none the 11 bits that they are kept in.
pub fn scale(digits: i32) -> i64 {
    i64::from(digits & 0x7ff)
}

/// Catalog, schema and name of a collation; NULL where it is the database's, or none.
pub fn collation(catalog: &Catalog, cx: &dyn ViewContext, oid: u32) -> [Datum; 3] {
    if matches!(oid, 0 | DEFAULT_OID) {
        return [const { Datum::Null }; 3];
    }
    let home = catalog.user_collation(oid).map_or(PG_CATALOG_OID, |c| c.schema);
    [text(cx.database_name()), schema(catalog, home), text(catalog.collation_name(oid))]
}
