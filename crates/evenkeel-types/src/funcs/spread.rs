//! Calls with an array of arguments.

use super::{Eval, lenient, stable, str_arg, variadic};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::registry::lookup_functions;
use crate::ty::Type as T;

fn spread(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (Some((array, rest)), name) = (a.split_last(), str_arg(a, 0)) else { return Ok(Datum::Null) };
    let fixed = rest.get(1..).unwrap_or(&[]);
    let found = lookup_functions(name).iter().find(|f| f.variadic && f.args.len() == fixed.len() + 1);
    let f = found.ok_or_else(|| SqlError::internal(name))?;
    let elements = match array.as_array() {
        Some(array) => &array.values[..],
        // It is as if nothing were there.
        None if f.name == "format" => &[],
        None => return Ok(Datum::Null),
    };
    crate::guard::admit(elements.len().saturating_mul(size_of::<Datum>()))?;
    let args = [fixed, elements].concat();
    if f.strict && args.iter().any(Datum::is_null) {
        return Ok(Datum::Null);
    }
    (f.call)(&args, ctx)
}

/// The function that the first argument names, with what follows, and the elements of the last. No name leads to it.
pub static SPREAD: ScalarFn = variadic(lenient(stable("spread", &[T::Text, T::Any], T::Any, spread)));
