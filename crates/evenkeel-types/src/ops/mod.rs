//! Operators, as tables of functions.

mod arith;
mod arrays;
mod comparison;
mod datetime;
mod image;
mod json;
mod lsn;
mod text;
mod time;

pub(crate) use text::CALLED;

pub use arith::checked_f64;
pub(crate) use arith::division_by_zero;
pub use lsn::{minus as lsn_minus, of_number as lsn_of_number};
pub(crate) use time::day_plus_time;

use super::function::{ScalarCall, ScalarFn, Volatility};
use super::ty::Type;

/// A strict, immutable operator.
pub(crate) const fn op(name: &'static str, args: &'static [Type], ret: Type, call: ScalarCall) -> ScalarFn {
    ScalarFn { name, args, variadic: false, ret, strict: true, volatile: Volatility::Immutable, call }
}

/// A strict operator that depends on the session's settings.
pub(crate) const fn stable_op(
    name: &'static str,
    args: &'static [Type],
    ret: Type,
    call: ScalarCall,
) -> ScalarFn {
    ScalarFn { name, args, variadic: false, ret, strict: true, volatile: Volatility::Stable, call }
}

pub(super) fn tables() -> Vec<Vec<ScalarFn>> {
    vec![
        comparison::table(),
        arith::table(),
        datetime::TABLE.to_vec(),
        lsn::TABLE.to_vec(),
        text::TABLE.to_vec(),
        arrays::TABLE.to_vec(),
        json::TABLE.to_vec(),
        image::TABLE.to_vec(),
        crate::funcs::inet::OPERATORS.to_vec(),
        crate::funcs::bits::OPERATORS.to_vec(),
        crate::funcs::macaddr8::OPERATORS.to_vec(),
        crate::funcs::money::operators(),
        time::TABLE.to_vec(),
        crate::funcs::citext::operators(),
        crate::funcs::trigram::OPERATORS.to_vec(),
        // The last: `registry::lookup_own_operators` leaves them out.
        crate::funcs::hstore::OPERATORS.to_vec(),
    ]
}
