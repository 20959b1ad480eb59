#![doc = include_str!("README.md")]

mod aggs;
pub mod arguments;
pub mod array;
pub mod binary_io;
pub mod bits;
pub mod casing;
pub mod cast;
mod chars;
pub mod collation;
pub mod collation_rows;
pub mod compare;
pub mod datetime;
pub mod datum;
mod digest;
pub mod encoding;
pub mod error;
pub mod format;
pub mod funcs;
pub mod function;
pub mod guard;
pub mod hstore;
pub mod inet;
pub mod inverted;
pub mod json;
pub mod jsonpath;
pub mod key;
pub mod key_read;
pub mod like;
pub mod locale_name;
pub mod macaddr8;
pub mod money;
pub mod names;
pub mod numeric;
pub mod ops;
pub mod quote;
mod record_text;
pub mod regexp;
mod regexp_back;
mod regexp_divide;
mod regexp_pattern;
mod regexp_scan;
mod regexp_vm;
pub mod registry;
pub mod resolve;
pub mod row;
pub mod row_test;
pub mod sets;
mod spelled;
pub mod tagged;
mod text_float;
pub mod text_io;
pub mod tid;
pub mod trigram;
pub mod ty;
pub mod user;
pub mod uuid;
pub mod xact;

pub use binary_io::{input_binary, output_binary};
pub use cast::{CastContext, can_cast, can_cast_in, cast, needs_cast};
pub use collation::Collation;
pub use compare::{DatumKey, compare, compare_nullable, equal, hash, must_compare, not_distinct, order_head};
pub use datetime::parse_timezone;
pub use datum::{ArrayDatum, Datum, Dim, Interval, MAX_DIMS, RecordDatum, outer_dims};
pub use error::{SqlError, SqlState};
pub use format::{DateOrder, DateStyle, FormatOptions, IntervalStyle, RegNames};
pub use function::{
    AclEntry, AdvisoryKey, AdvisoryMode, AggFn, AggKind, AggState, AsksTransaction, Env, EvalCtx, LogFile,
    MAX_VALUE_BYTES, NoEnv, ObjectIdentity, ObjectKind, PrivilegeColumn, PrivilegeTarget, ScalarCall,
    ScalarFn, SizeKind, Volatility, is_named_by_type,
};
pub use inet::Inet;
pub use jiff::tz::TimeZone;
pub use key::{decode_rowid, encode_key, encode_rowid};
pub use key_read::{decode_key, key_has, key_passes, pass_key};
pub use names::split_qualified;
pub use numeric::Numeric;
pub use quote::{quote_ident, quote_literal};
pub use registry::{
    all_aggregates, all_functions, all_operators, all_sets, extension_lacking, extension_of,
    lookup_aggregates, lookup_functions, lookup_operators, lookup_own_operators, lookup_sets,
};
pub use resolve::{
    ResolveError, Resolved, ResolvedAgg, common_type, function_error, is_undetermined, operator_error,
    resolve, resolve_aggregate, resolve_operator, resolve_set, undetermined,
};
pub use row::{Missing, decode_columns, decode_row, decode_table_row, encode_row};
pub use sets::{Rows, SetFn};
pub use spelled::{spelled, unspelled};
pub use text_io::{input_text, output_text, to_text};
pub use ty::{Type, format_type, typmod_from_args, typmod_length, typmod_numeric};
