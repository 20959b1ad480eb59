//! Functions whose last argument repeats, called with VARIADIC: with an array in place of the arguments.
//!
//! Invariants
//! 1. The elements are the arguments, whatever the array's dimensions are; NULL in place of an array gives NULL, but for `format`, for which it is an empty one.
//!
//! Must not know: how calls are resolved.

use super::Eval;
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn, Volatility, is_named_by_type};
use crate::registry::lookup_functions;
use crate::text_io::to_text;
use crate::ty::Type as T;

/// One that is called for NULL too: it looks at the array first.
const fn of(
    name: &'static str,
    args: &'static [T],
    ret: T,
    volatile: Volatility,
    call: crate::function::ScalarCall,
) -> ScalarFn {
    ScalarFn { name, args, variadic: false, ret, strict: false, volatile, call }
}

use Volatility::{Immutable, Stable};

static FUNCTIONS: [ScalarFn; 13] = [
    of("concat", &[T::Any], T::Text, Stable, |a, c| spread("concat", a, c)),
    of("concat_ws", &[T::Text, T::Any], T::Text, Stable, |a, c| spread("concat_ws", a, c)),
    of("format", &[T::Text, T::Any], T::Text, Stable, |a, c| spread("format", a, c)),
    of("num_nulls", &[T::Any], T::Int4, Immutable, |a, c| spread("num_nulls", a, c)),
    of("num_nonnulls", &[T::Any], T::Int4, Immutable, |a, c| spread("num_nonnulls", a, c)),
    of("json_build_array", &[T::Any], T::Json, Stable, |a, c| spread("json_build_array", a, c)),
    of("json_build_object", &[T::Any], T::Json, Stable, |a, c| spread("json_build_object", a, c)),
    of("jsonb_build_array", &[T::Any], T::Jsonb, Stable, |a, c| spread("jsonb_build_array", a, c)),
    of("jsonb_build_object", &[T::Any], T::Jsonb, Stable, |a, c| spread("jsonb_build_object", a, c)),
    of("json_extract_path", &[T::Json, T::TextArray], T::Json, Immutable, |a, c| {
        spread("json_extract_path", a, c)
    }),
    of("json_extract_path_text", &[T::Json, T::TextArray], T::Text, Immutable, |a, c| {
        spread("json_extract_path_text", a, c)
    }),
    of("jsonb_extract_path", &[T::Jsonb, T::TextArray], T::Jsonb, Immutable, |a, c| {
        spread("jsonb_extract_path", a, c)
    }),
    of("jsonb_extract_path_text", &[T::Jsonb, T::TextArray], T::Text, Immutable, |a, c| {
        spread("jsonb_extract_path_text", a, c)
    }),
];

/// The function of a name as VARIADIC calls it.
pub fn of_array(name: &str) -> Option<&'static ScalarFn> {
    FUNCTIONS.iter().find(|f| f.name == name)
}

/// Whether a function is one that VARIADIC calls.
pub fn takes_array(f: &'static ScalarFn) -> bool {
    of_array(f.name).is_some_and(|of| std::ptr::eq(of, f))
}

fn spread(name: &str, a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let Some(f) = lookup_functions(name).iter().find(|f| f.variadic) else { return Ok(Datum::Null) };
    let Some((last, first)) = a.split_last() else { return Ok(Datum::Null) };
    let values: &[Datum] = match last.as_array() {
        Some(array) => &array.values,
        None if name == "format" => &[],
        None => return Ok(Datum::Null),
    };
    // The elements are there a second time.
    ctx.make_len(std::mem::size_of_val(values))?;
    let all: Vec<Datum> = match last.as_array().map(|a| a.element) {
        // Values alone do not tell how these are written.
        Some(ty) if f.writes_values() && is_named_by_type(ty) => {
            let texts = values.iter().map(|v| match v {
                Datum::Null => Ok(Datum::Null),
                v => to_text(v, ty, -1, ctx.format).map(|text| Datum::text(&text)),
            });
            first.iter().cloned().map(Ok).chain(texts).collect::<Result<_, SqlError>>()?
        }
        _ => first.iter().chain(values).cloned().collect(),
    };
    if f.strict && all.iter().any(Datum::is_null) {
        return Ok(Datum::Null);
    }
    (f.call)(&all, ctx)
}
