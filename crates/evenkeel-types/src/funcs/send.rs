//! What types' values are in the binary protocol: `float8send` and its like.

use super::{Eval, f, stable};
use crate::binary_io::output_binary;
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::kept_bytes;
use crate::ty::Type as T;

fn sent(d: &Datum, ty: T, ctx: &EvalCtx<'_>) -> Eval {
    if let Some(text) = d.as_str() {
        ctx.make_len(text.len())?;
    }
    let mut out = Vec::new();
    output_binary(d, ty, -1, ctx.format, &mut out);
    ctx.check_len(out.len())?;
    Ok(Datum::Bytes(kept_bytes(&out)?))
}

/// Arrays, enums and rows know their types.
fn array_send(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    sent(&a[0], a[0].natural_type(), ctx)
}

const ARRAY: &[T] = &[T::AnyArray];

macro_rules! send_functions {
    ($($kind:ident $name:ident $ty:ident;)*) => {
        $(fn $name(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
            sent(&a[0], T::$ty, ctx)
        })*

        pub(super) static TABLE: &[ScalarFn] = &[$($kind(stringify!($name), &[T::$ty], T::Bytea, $name)),*,
            stable("array_send", ARRAY, T::Bytea, array_send),
            stable("anyarray_send", ARRAY, T::Bytea, array_send),
            stable("anycompatiblearray_send", ARRAY, T::Bytea, array_send),
            stable("enum_send", &[T::AnyEnum], T::Bytea, array_send),
            stable("record_send", &[T::Record], T::Bytea, array_send),
        ];
    };
}

send_functions! {
    f boolsend Bool;
    f int2send Int2;
    f int4send Int4;
    f int8send Int8;
    f float4send Float4;
    f float8send Float8;
    f numeric_send Numeric;
    f charsend Char;
    f byteasend Bytea;
    f date_send Date;
    f time_send Time;
    f timetz_send Timetz;
    f timestamp_send Timestamp;
    f timestamptz_send Timestamptz;
    f interval_send Interval;
    f oidsend Oid;
    f xidsend Xid;
    f cash_send Money;
    f xid8send Xid8;
    f tidsend Tid;
    f pg_lsn_send PgLsn;
    f uuid_send Uuid;
    f inet_send Inet;
    f cidr_send Cidr;
    f macaddr_send Macaddr;
    f macaddr8_send Macaddr8;
    f bit_send Bit;
    f varbit_send Varbit;
    f jsonb_send Jsonb;
    f jsonpath_send Jsonpath;
    f regclasssend Regclass;
    f regtypesend Regtype;
    f regprocsend Regproc;
    f regnamespacesend Regnamespace;
    f regrolesend Regrole;
    f pg_snapshot_send PgSnapshot;
    stable textsend Text;
    stable varcharsend Varchar;
    stable bpcharsend Bpchar;
    stable namesend Name;
    stable json_send Json;
}
