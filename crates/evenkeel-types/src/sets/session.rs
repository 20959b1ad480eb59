//! Functions that return rows about the session.
//!
//! Must not know: how sessions are kept.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::EvalCtx;
use crate::ty::Type;

fn listening_channels(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    ctx.env.listening_channels().into_iter().try_for_each(|channel| out.push([Datum::from(channel)]))
}

pub(super) static TABLE: &[SetFn] =
    &[set("pg_listening_channels", &[], &[("pg_listening_channels", Type::Text)], listening_channels)];
