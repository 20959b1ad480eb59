//! Functions and operators of a `jsonb` and a path.
//!
//! Must not know: how paths are evaluated.

use super::jsonb::jsonb_arg;
use super::{Eval, bool_arg, f, stable};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::json::{Jsonb, Value, encode};
use crate::jsonpath::{self, Answer, Item, Path, Variables};
use crate::ty::Type as T;

/// What is called, taken apart.
pub(crate) struct Call<'a> {
    value: Jsonb<'a>,
    path: &'a Path,
    variables: Variables<'a>,
    is_silent: bool,
}

impl<'a> Call<'a> {
    pub(crate) fn of(a: &'a [Datum]) -> Result<Call<'a>, SqlError> {
        let Some(Datum::Jsonpath(path)) = a.get(1) else {
            return Err(SqlError::internal("a jsonpath was expected"));
        };
        let variables = if a.len() > 2 { Variables::Object(jsonb_arg(a, 2)?) } else { Variables::None };
        Ok(Call { value: jsonb_arg(a, 0)?, path, variables, is_silent: bool_arg(a, 3) })
    }

    /// All that is found.
    pub(crate) fn query(&self, zoned: bool, ctx: &'a EvalCtx<'_>) -> Result<Vec<Item<'a>>, SqlError> {
        let raises = !self.is_silent;
        Ok(jsonpath::query(self.path, self.value, self.variables, raises, zoned, ctx.format)?.1)
    }

    fn exists(&self, zoned: bool, ctx: &EvalCtx<'_>) -> Eval {
        let raises = !self.is_silent;
        Ok(match jsonpath::exists(self.path, self.value, self.variables, raises, zoned, ctx.format)? {
            Answer::Failed => Datum::Null,
            answer => Datum::Bool(answer == Answer::Found),
        })
    }

    fn is_match(&self, zoned: bool, ctx: &EvalCtx<'_>) -> Eval {
        match (&self.query(zoned, ctx)?[..], self.is_silent) {
            ([Item::Bool(b)], _) => Ok(Datum::Bool(*b)),
            ([Item::Null], _) | (_, true) => Ok(Datum::Null),
            _ => Err(SqlError::new(
                SqlState::SINGLETON_SQL_JSON_ITEM_REQUIRED,
                "single boolean result is expected",
            )),
        }
    }
}

/// An item as a `jsonb`.
pub(crate) fn jsonb_of(item: &Item<'_>) -> Eval {
    Ok(Datum::Jsonb(encode(item.value())?))
}

/// `jsonb @? jsonpath`
pub fn exists_operator(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Call { is_silent: true, ..Call::of(a)? }.exists(false, ctx)
}

/// `jsonb @@ jsonpath`
pub fn match_operator(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Call { is_silent: true, ..Call::of(a)? }.is_match(false, ctx)
}

fn exists(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Call::of(a)?.exists(false, ctx)
}

fn exists_tz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Call::of(a)?.exists(true, ctx)
}

fn is_match(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Call::of(a)?.is_match(false, ctx)
}

fn is_match_tz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Call::of(a)?.is_match(true, ctx)
}

fn array(a: &[Datum], zoned: bool, ctx: &EvalCtx<'_>) -> Eval {
    let found = Call::of(a)?.query(zoned, ctx)?;
    Ok(Datum::Jsonb(encode(Value::Array(found.iter().map(Item::value).collect()))?))
}

fn query_array(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    array(a, false, ctx)
}

fn query_array_tz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    array(a, true, ctx)
}

fn first(a: &[Datum], zoned: bool, ctx: &EvalCtx<'_>) -> Eval {
    Call::of(a)?.query(zoned, ctx)?.first().map_or(Ok(Datum::Null), jsonb_of)
}

fn query_first(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    first(a, false, ctx)
}

fn query_first_tz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    first(a, true, ctx)
}

const TWO: &[T] = &[T::Jsonb, T::Jsonpath];
const THREE: &[T] = &[T::Jsonb, T::Jsonpath, T::Jsonb];
const FOUR: &[T] = &[T::Jsonb, T::Jsonpath, T::Jsonb, T::Bool];

pub(super) const TABLE: &[ScalarFn] = &[
    f("jsonb_path_exists", TWO, T::Bool, exists),
    f("jsonb_path_exists", THREE, T::Bool, exists),
    f("jsonb_path_exists", FOUR, T::Bool, exists),
    stable("jsonb_path_exists_tz", TWO, T::Bool, exists_tz),
    stable("jsonb_path_exists_tz", THREE, T::Bool, exists_tz),
    stable("jsonb_path_exists_tz", FOUR, T::Bool, exists_tz),
    f("jsonb_path_exists_opr", TWO, T::Bool, exists_operator),
    f("jsonb_path_match_opr", TWO, T::Bool, match_operator),
    f("jsonb_path_match", TWO, T::Bool, is_match),
    f("jsonb_path_match", THREE, T::Bool, is_match),
    f("jsonb_path_match", FOUR, T::Bool, is_match),
    stable("jsonb_path_match_tz", TWO, T::Bool, is_match_tz),
    stable("jsonb_path_match_tz", THREE, T::Bool, is_match_tz),
    stable("jsonb_path_match_tz", FOUR, T::Bool, is_match_tz),
    f("jsonb_path_query_array", TWO, T::Jsonb, query_array),
    f("jsonb_path_query_array", THREE, T::Jsonb, query_array),
    f("jsonb_path_query_array", FOUR, T::Jsonb, query_array),
    stable("jsonb_path_query_array_tz", TWO, T::Jsonb, query_array_tz),
    stable("jsonb_path_query_array_tz", THREE, T::Jsonb, query_array_tz),
    stable("jsonb_path_query_array_tz", FOUR, T::Jsonb, query_array_tz),
    f("jsonb_path_query_first", TWO, T::Jsonb, query_first),
    f("jsonb_path_query_first", THREE, T::Jsonb, query_first),
    f("jsonb_path_query_first", FOUR, T::Jsonb, query_first),
    stable("jsonb_path_query_first_tz", TWO, T::Jsonb, query_first_tz),
    stable("jsonb_path_query_first_tz", THREE, T::Jsonb, query_first_tz),
    stable("jsonb_path_query_first_tz", FOUR, T::Jsonb, query_first_tz),
];
