//! Functions that ask or change the session: identity, settings, sleeping, canceling, statistics.

use super::{Eval, bool_arg, f, float_arg, int_arg, lenient, names_arg, oid_arg, stable, str_arg, volatile};
use crate::datum::{Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn, SizeKind};
use crate::inet::Inet;
use crate::numeric::Numeric;
use crate::ty::Type as T;
use std::sync::Arc;

fn version(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.version()))
}

fn current_database(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.current_database()))
}

fn current_user(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.current_user()))
}

/// By which method a client was authenticated, and as whom; NULL: by none.
fn system_user(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(ctx.env.system_user().map_or(Datum::Null, Datum::from))
}

fn session_user(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.session_user()))
}

fn current_schema(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.current_schemas(false).into_iter().next()))
}

fn current_schemas(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let names = ctx.env.current_schemas(bool_arg(a, 0));
    Ok(Datum::array(T::Name, names.into_iter().map(Datum::from).collect()))
}

fn backend_pid(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(ctx.env.backend_pid()))
}

fn inet(address: Option<String>) -> Eval {
    let address = address.and_then(|a| Inet::parse(&a, false).ok());
    Ok(address.map_or(Datum::Null, Datum::Inet))
}

fn client_addr(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    inet(ctx.env.client_addr())
}

fn server_addr(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    inet(ctx.env.server_addr())
}

fn client_port(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(ctx.env.ports().map_or(Datum::Null, |(client, _)| Datum::Int4(client.into())))
}

fn server_port(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(ctx.env.ports().map_or(Datum::Null, |(_, server)| Datum::Int4(server.into())))
}

fn current_setting(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let name = names_arg(a, 0)?;
    ctx.env.check_may_examine(name)?;
    match ctx.env.setting(name) {
        Some(v) => Ok(Datum::from(v)),
        None if a.len() > 1 && bool_arg(a, 1) => Ok(Datum::Null),
        None => Err(SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!("unrecognized configuration parameter \"{name}\""),
        )),
    }
}

fn set_config(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, "SET requires parameter name"));
    }
    let value = (!a[1].is_null()).then(|| str_arg(a, 1));
    let local = !a[2].is_null() && bool_arg(a, 2);
    Ok(Datum::from(ctx.env.set_setting(names_arg(a, 0)?, value, local)?))
}

/// Longest sleep, which keeps the arithmetic of deadlines safe.
const MAX_SLEEP_S: f64 = 1e9;

fn sleep(ctx: &EvalCtx<'_>, seconds: f64) -> Eval {
    if seconds > 0.0 {
        ctx.env.sleep_us((seconds.min(MAX_SLEEP_S) * 1e6) as u64)?;
    }
    Ok(Datum::text(""))
}

fn pg_sleep(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    sleep(ctx, float_arg(a, 0))
}

fn pg_sleep_for(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    match &a[0] {
        Datum::Interval(v) => sleep(ctx, v.span_us() as f64 / 1e6),
        _ => Ok(Datum::Null),
    }
}

fn pg_sleep_until(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    match &a[0] {
        Datum::Timestamptz(v) => sleep(ctx, v.saturating_sub(ctx.env.clock_us()) as f64 / 1e6),
        _ => Ok(Datum::Null),
    }
}

fn cancel(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.cancel_backend(int_arg(a, 0) as i32)?))
}

fn terminate(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.terminate_backend(int_arg(a, 0) as i32)?))
}

fn reset_statement_counts(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let number = |n: usize| match a.get(n) {
        Some(Datum::Oid(oid)) => i64::from(*oid),
        Some(d) => d.as_i64().unwrap_or(0),
        None => 0,
    };
    let of = (number(0) as u32, number(1) as u32);
    let extremes_only = a.len() > 3 && bool_arg(a, 3);
    Ok(Datum::Timestamptz(ctx.env.reset_statement_counts(of, number(2), extremes_only)?))
}

/// The files have names of their own, which are what the archive and the folder have, too.
fn walfile_name(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(place_in_log(&a[0], "pg_walfile_name", ctx)?.map(|f| f.0).into())
}

/// The log file that has a place, and where in it that is.
pub(crate) fn place_in_log(
    place: &Datum,
    function: &str,
    ctx: &EvalCtx<'_>,
) -> Result<Option<(String, u64)>, SqlError> {
    let Datum::Lsn(lsn) = place else { return Ok(None) };
    if ctx.env.is_in_recovery() {
        return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, "recovery is in progress")
            .with_hint(format!("{function}() cannot be executed during recovery.")));
    }
    ctx.env.log_file_of(*lsn).map(Some)
}

/// How many transactions ago one was, in the 32 bits of it that are shown. What is no transaction's is infinitely old, as in PostgreSQL.
fn age_of_xid(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    match (oid_arg(a, 0), ctx.env.statistic("next_transaction", 0)) {
        (0..3, _) => Ok(Datum::Int4(i32::MAX)),
        (xid, Some(Datum::Int8(next))) => Ok(Datum::Int4((next as u32).wrapping_sub(xid) as i32)),
        _ => Ok(Datum::Null),
    }
}

/// What rows of system catalogs have as `xmin`. They are made when they are read, and pass for the newest transaction's: who asks what has changed since then is given all.
pub static NEWEST_TRANSACTION: ScalarFn =
    stable("evenkeel_newest_transaction", NONE, T::Xid, newest_transaction);

fn newest_transaction(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(match ctx.env.statistic("next_transaction", 0) {
        // The numbers below 3 are no transaction's.
        Some(Datum::Int8(next)) => Datum::Oid((next as u32).wrapping_sub(1).max(3)),
        _ => Datum::Null,
    })
}

/// There are no multixacts: the next would be the first.
fn mxid_age(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(match oid_arg(a, 0) {
        0 => i32::MAX,
        mxid => 1u32.wrapping_sub(mxid) as i32,
    }))
}

fn no_tablespace(what: String) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, what)
}

/// All of it is in the one that there is; what all databases share is in the log and in what they have themselves.
fn tablespace_size(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let is_default = match &a[0] {
        Datum::Text(name) => match &**name {
            "pg_default" => true,
            "pg_global" => false,
            name => return Err(no_tablespace(format!("tablespace \"{name}\" does not exist"))),
        },
        _ => match oid_arg(a, 0) {
            1663 => true,
            1664 => false,
            // As of one that has been dropped meanwhile.
            _ => return Ok(Datum::Null),
        },
    };
    Ok(if is_default {
        ctx.env.statistic("tablespace_bytes", 0).unwrap_or(Datum::Null)
    } else {
        Datum::Int8(0)
    })
}

/// Counts are read as they are, and are there as soon as what they count.
fn counts_are_current(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Null)
}

fn reset_database_counts(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.reset_database_counts()?;
    Ok(Datum::Null)
}

fn reset_table_counts(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.reset_counts_of(oid_arg(a, 0));
    Ok(Datum::Null)
}

fn reset_shared_counts(args: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let target = match args.first() {
        Some(Datum::Text(name)) => Some(&**name),
        _ => None,
    };
    if !ctx.env.reset_shared_counts(target)? {
        let name = target.unwrap_or_default();
        let why = format!("unrecognized reset target: \"{name}\"");
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why).with_hint(
            "Target must be \"archiver\", \"bgwriter\", \"checkpointer\", \"io\", \"recovery_prefetch\", \"slru\", or \"wal\".",
        ));
    }
    Ok(Datum::Null)
}

fn create_restore_point(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    check_no_recovery(ctx)?;
    Ok(Datum::Lsn(ctx.env.create_restore_point(str_arg(a, 0))?.0))
}

fn create_slot(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if a.len() > 2 && bool_arg(a, 2) {
        return Err(SqlError::unsupported(
            "temporary replication slots are made on replication connections, and go with them",
        ));
    }
    let at = ctx.env.create_slot(str_arg(a, 0), a.len() > 1 && bool_arg(a, 1))?;
    let values = vec![a[0].clone(), at.map_or(Datum::Null, |at| Datum::Lsn(at.0))];
    Ok(Datum::Record(Arc::new(RecordDatum::new(vec![T::Name, T::PgLsn], values))))
}

fn drop_slot(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.drop_slot(str_arg(a, 0))?;
    Ok(Datum::text(""))
}

fn switch_wal(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    check_no_recovery(ctx)?;
    Ok(Datum::Lsn(ctx.env.switch_wal()?.0))
}

fn backup(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let options = if a.len() > 1 { str_arg(a, 1) } else { "" };
    Ok(Datum::from(ctx.env.backup(str_arg(a, 0), options)?))
}

fn in_recovery(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.is_in_recovery()))
}

/// Waits until it has taken over, whatever the arguments say: it is a matter of moments.
fn promote(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.promote()?;
    Ok(Datum::Bool(true))
}

fn reload(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.reload()?;
    Ok(Datum::Bool(true))
}

fn rotate_log(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.rotate_log()))
}

/// The log's file, of a format or of the first that there is.
fn log_file(args: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let format = match args.first() {
        Some(Datum::Text(name)) => Some(&**name),
        _ => None,
    };
    if let Some(name) = format
        && !["stderr", "csvlog", "jsonlog"].contains(&name)
    {
        let mut e = SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("log format \"{name}\" is not supported"),
        );
        e.hint = Some("The supported log formats are \"stderr\", \"csvlog\", and \"jsonlog\".".into());
        return Err(e);
    }
    let files = ctx.env.log_files();
    let found = files.into_iter().find(|(name, _)| format.is_none_or(|format| format == *name));
    Ok(found.map_or(Datum::Null, |(_, path)| Datum::text(path)))
}

fn start_time(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(ctx.env.start_times_us().0))
}

fn conf_load_time(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(ctx.env.start_times_us().1))
}

/// Bytes with a unit such that fewer than 10240 of it are shown, rounded half away from zero.
fn size_pretty(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    const UNITS: [&str; 6] = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let exact = match &a[0] {
        Datum::Numeric(n) => n.clone(),
        d => Numeric::from(d.as_i64().unwrap_or(0)),
    };
    let limit = Numeric::from(10_240);
    let mut unit = 0;
    // Twice the value in the current unit, so that the last halving rounds; an integer of bytes may be fractional for numeric.
    if exact.abs() < limit {
        return Ok(Datum::from(format!("{exact} bytes")));
    }
    let mut v = exact.div_trunc(&Numeric::from(512))?;
    unit += 1;
    let double_limit = Numeric::from(20_479);
    while v.abs() >= double_limit && unit + 1 < UNITS.len() {
        v = v.div_trunc(&Numeric::from(1024))?;
        unit += 1;
    }
    let one = Numeric::from(v.signum());
    let rounded = v.add(&one)?.div_trunc(&Numeric::from(2))?;
    Ok(Datum::from(format!("{rounded} {}", UNITS[unit])))
}

fn size_bytes(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let text = str_arg(a, 0);
    let invalid = |detail: &str| {
        let e = SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("invalid size: \"{text}\""));
        if detail.is_empty() { e } else { e.with_detail(detail) }
    };
    let t = text.trim();
    // `1e6 MB`: an exponent is no unit.
    let is_exponent = |at: usize| {
        let rest = t[at..].trim_start_matches(['e', 'E']);
        t[at..].starts_with(['e', 'E'])
            && rest.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
    };
    let mut letters = t.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(n, _)| n);
    let end = letters.find(|n| !is_exponent(*n)).unwrap_or(t.len());
    let (number, unit) = t.split_at(end);
    let n: Numeric = number.trim().parse().map_err(|_| invalid(""))?;
    let factor: i64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" | "bytes" => 1,
        "kb" => 1 << 10,
        "mb" => 1 << 20,
        "gb" => 1 << 30,
        "tb" => 1 << 40,
        "pb" => 1 << 50,
        other => {
            return Err(invalid(&format!("Invalid size unit: \"{other}\"."))
                .with_hint("Valid units are \"bytes\", \"B\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\"."));
        }
    };
    Ok(Datum::Int8(n.mul(&Numeric::from(factor))?.to_i64()?))
}

fn relation_size(ctx: &EvalCtx<'_>, oid: u32, kind: SizeKind) -> Eval {
    Ok(ctx.env.relation_size_bytes(oid, kind)?.map_or(Datum::Null, Datum::Int8))
}

fn pg_relation_size(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    // Forks other than the main one do not exist here.
    if a.len() > 1 && str_arg(a, 1) != "main" {
        if !matches!(str_arg(a, 1), "fsm" | "vm" | "init") {
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "invalid fork name")
                .with_hint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\"."));
        }
        return Ok(Datum::Int8(0));
    }
    relation_size(ctx, oid_arg(a, 0), SizeKind::Main)
}

fn pg_table_size(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    relation_size(ctx, oid_arg(a, 0), SizeKind::Table)
}

fn pg_indexes_size(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    relation_size(ctx, oid_arg(a, 0), SizeKind::Indexes)
}

fn pg_total_relation_size(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    relation_size(ctx, oid_arg(a, 0), SizeKind::Total)
}

fn pg_database_size(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let name = match &a[0] {
        Datum::Text(s) => s.to_string(),
        _ => match ctx.env.database_name(oid_arg(a, 0)) {
            Some(name) => name,
            None => return Ok(Datum::Null),
        },
    };
    match ctx.env.database_size_bytes(&name)? {
        Some(bytes) => Ok(Datum::Int8(bytes)),
        None => {
            Err(SqlError::new(SqlState::INVALID_CATALOG_NAME, format!("database \"{name}\" does not exist")))
        }
    }
}

fn sequence_next(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(ctx.env.sequence_next(oid_arg(a, 0), false)?))
}

fn identity_next(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(ctx.env.sequence_next(oid_arg(a, 0), true)?))
}

/// `nextval` where an identity column gets its value: whoever may insert may draw it.
pub static NEXT_OF_IDENTITY: ScalarFn = volatile("nextval", REG, T::Int8, identity_next);

fn sequence_value(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(ctx.env.sequence_state(oid_arg(a, 0))?.0))
}

fn sequence_called(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.sequence_state(oid_arg(a, 0))?.1))
}

fn sequence_last_value(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (value, called) = ctx.env.sequence_state(oid_arg(a, 0))?;
    Ok(if called && ctx.env.may_tell_sequence(oid_arg(a, 0), true) {
        Datum::Int8(value)
    } else {
        Datum::Null
    })
}

fn series_alone(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Err(SqlError::internal("generate_series is no scalar function"))
}

/// Which types `generate_series` is of, each with the step and without: what a call means is told as of any function.
pub static SERIES: [ScalarFn; 8] = [
    f("generate_series", &[T::Int4, T::Int4, T::Int4], T::Int4, series_alone),
    f("generate_series", &[T::Int4, T::Int4], T::Int4, series_alone),
    f("generate_series", &[T::Int8, T::Int8, T::Int8], T::Int8, series_alone),
    f("generate_series", &[T::Int8, T::Int8], T::Int8, series_alone),
    f("generate_series", &[T::Numeric, T::Numeric, T::Numeric], T::Numeric, series_alone),
    f("generate_series", &[T::Numeric, T::Numeric], T::Numeric, series_alone),
    f("generate_series", &[T::Timestamp, T::Timestamp, T::Interval], T::Timestamp, series_alone),
    f("generate_series", &[T::Timestamptz, T::Timestamptz, T::Interval], T::Timestamptz, series_alone),
];

/// What a sequence that is read as a table has in its columns `last_value` and `is_called`: asked for when it is read, not when the statement is planned.
pub static SEQUENCE_ROW: [ScalarFn; 2] = [
    volatile("last_value", REG, T::Int8, sequence_value),
    volatile("is_called", REG, T::Bool, sequence_called),
];

fn sequence_current(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(ctx.env.sequence_current(Some(oid_arg(a, 0)))?))
}

fn lastval(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(ctx.env.sequence_current(None)?))
}

fn setval(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let called = a.len() < 3 || bool_arg(a, 2);
    Ok(Datum::Int8(ctx.env.sequence_set(oid_arg(a, 0), int_arg(a, 1), called)?))
}

fn serial_sequence(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.serial_sequence(str_arg(a, 0), str_arg(a, 1))?))
}

fn pg_typeof(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Oid(a[0].natural_type().oid()))
}

fn is_replay_pausing(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.replay_pause(None)?.0))
}

fn replay_pause_state(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::text(match ctx.env.replay_pause(None)? {
        (false, _) => "not paused",
        (true, false) => "pause requested",
        (true, true) => "paused",
    }))
}

fn pause_replay(pauses: bool, ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.replay_pause(Some(pauses))?;
    Ok(Datum::text(""))
}

/// A DEFERRABLE transaction waits for no snapshot.
fn nobody(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::array(T::Int4, Vec::new()))
}

fn no_commit_times(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let why = "could not get commit timestamp data";
    Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why)
        .with_hint("Times of commits are not kept: there is no track_commit_timestamp."))
}

/// Databases compare texts in what is built in, which has no version.
fn collation_of_database(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let oid = oid_arg(a, 0);
    if ctx.env.database_name(oid).is_some() {
        return Ok(Datum::Null);
    }
    let why = format!("database with OID {oid} does not exist");
    Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why))
}

fn zero(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(0))
}

fn no(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(false))
}

/// No table has policies, but it has to be there.
fn row_security_of(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let name = str_arg(a, 0);
    match ctx.env.reg_oid(T::Regclass, name)? {
        Some(_) => Ok(Datum::Bool(false)),
        None => {
            let why = format!("relation \"{name}\" does not exist");
            Err(SqlError::new(SqlState::UNDEFINED_TABLE, why))
        }
    }
}

fn unknown(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Null)
}

/// Files have their relations' numbers, in the one tablespace that there is.
fn relation_of_file(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (tablespace, file) = (oid_arg(a, 0), oid_arg(a, 1));
    let is_there = matches!(tablespace, 0 | 1663) && ctx.env.reg_name(T::Regclass, file).is_some();
    Ok(if is_there { Datum::Oid(file) } else { Datum::Null })
}

/// The index that tells rows apart: of the primary key.
fn identity_index(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(ctx.env.statistic("replica_identity_index", oid_arg(a, 0)).unwrap_or(Datum::Null))
}

fn database_encoding(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::text("UTF8"))
}

/// The type that a domain is over; another is over itself.
fn base_type(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let Some(oid) = a[0].as_oid() else { return Ok(Datum::Null) };
    let names = ctx.format.reg_names.as_ref();
    let base = names.and_then(|n| n.base_of_domain(oid));
    let is_known = || names.is_some_and(|n| n.name(T::Regtype, oid).is_some()) || T::from_oid(oid).is_some();
    Ok(match base {
        Some(base) => Datum::Oid(base),
        None if is_known() => Datum::Oid(oid),
        None => Datum::Null,
    })
}

fn pg_client_encoding(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(ctx.env.setting("client_encoding").unwrap_or_else(|| "UTF8".into())))
}

fn row(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let types = a.iter().map(Datum::natural_type).collect();
    Ok(Datum::Record(Arc::new(RecordDatum::new(types, a.to_vec()))))
}

macro_rules! statistics {
    ($($sql:literal $name:ident;)*) => {
        $(fn $name(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
            Ok(ctx.env.statistic($sql, oid_arg(a, 0)).unwrap_or_else(|| without_figure($sql)))
        })*
    };
}

/// Of what nothing is counted there is none; the rest is not known.
fn without_figure(function: &str) -> Datum {
    let is_count = function.starts_with("pg_stat_get_") && !function.starts_with("pg_stat_get_last");
    if is_count { Datum::Int8(0) } else { Datum::Null }
}

statistics! {
    "pg_stat_get_numscans" stat_numscans;
    "pg_stat_get_tuples_inserted" stat_inserted;
    "pg_stat_get_tuples_updated" stat_updated;
    "pg_stat_get_tuples_deleted" stat_deleted;
    "pg_stat_get_tuples_hot_updated" stat_hot_updated;
    "pg_stat_get_tuples_newpage_updated" stat_newpage_updated;
    "pg_stat_get_tuples_returned" stat_returned;
    "pg_stat_get_tuples_fetched" stat_fetched;
    "pg_stat_get_lastscan" last_scan;
    "pg_stat_get_live_tuples" stat_live;
    "pg_stat_get_dead_tuples" stat_dead;
    "pg_stat_get_mod_since_analyze" stat_mod;
    "pg_stat_get_ins_since_vacuum" stat_ins;
    "pg_stat_get_analyze_count" analyze_count;
    "pg_stat_get_last_analyze_time" last_analyze;
    "pg_stat_get_autoanalyze_count" autoanalyze_count;
    "pg_stat_get_last_autoanalyze_time" last_autoanalyze;
    "pg_stat_get_vacuum_count" vacuum_count;
    "pg_stat_get_last_vacuum_time" last_vacuum;
    "pg_stat_get_autovacuum_count" autovacuum_count;
    "pg_stat_get_last_autovacuum_time" last_autovacuum;
    "pg_stat_get_blocks_fetched" blocks_fetched;
    "pg_stat_get_blocks_hit" blocks_hit;
    "pg_last_wal_receive_lsn" last_received;
    "pg_last_wal_replay_lsn" last_replayed;
    "pg_last_xact_replay_timestamp" last_xact_replayed;
}

/// Refuses what is about the log that is written, where none is.
fn check_no_recovery(ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
    if !ctx.env.is_in_recovery() {
        return Ok(());
    }
    Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, "recovery is in progress")
        .with_hint("WAL control functions cannot be executed during recovery."))
}

macro_rules! positions {
    ($($sql:literal $name:ident;)*) => {
        $(fn $name(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
            check_no_recovery(ctx)?;
            Ok(ctx.env.statistic($sql, 0).unwrap_or(Datum::Null))
        })*
    };
}

positions! {
    "pg_current_wal_lsn" wal_lsn;
    "pg_current_wal_insert_lsn" wal_insert_lsn;
    "pg_current_wal_flush_lsn" wal_flush_lsn;
}

fn notify(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.notify(str_arg(a, 0), str_arg(a, 1))?;
    Ok(Datum::text(""))
}

fn notification_queue_usage(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(ctx.env.notification_queue_usage()))
}

fn blocking_pids(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let pids = ctx.env.blocking_pids(int_arg(a, 0) as i32);
    Ok(Datum::array(T::Int4, pids.into_iter().map(Datum::Int4).collect()))
}

fn current_query(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(ctx.env.statistic("current_query", 0).unwrap_or(Datum::Null))
}

const NONE: &[T] = &[];
const RESET: &[T] = &[T::Oid, T::Oid, T::Int8, T::Bool];
const OID: &[T] = &[T::Oid];
const REG: &[T] = &[T::Regclass];

pub(super) static TABLE: &[ScalarFn] = &[
    stable("version", NONE, T::Text, version),
    stable("current_database", NONE, T::Name, current_database),
    stable("current_catalog", NONE, T::Name, current_database),
    stable("current_user", NONE, T::Name, current_user),
    stable("current_role", NONE, T::Name, current_user),
    stable("user", NONE, T::Name, current_user),
    stable("session_user", NONE, T::Name, session_user),
    stable("system_user", NONE, T::Text, system_user),
    stable("current_schema", NONE, T::Name, current_schema),
    stable("current_schemas", &[T::Bool], T::NameArray, current_schemas),
    stable("pg_backend_pid", NONE, T::Int4, backend_pid),
    stable("inet_client_addr", NONE, T::Inet, client_addr),
    stable("inet_server_addr", NONE, T::Inet, server_addr),
    stable("inet_client_port", NONE, T::Int4, client_port),
    stable("inet_server_port", NONE, T::Int4, server_port),
    stable("current_setting", &[T::Text], T::Text, current_setting),
    stable("current_setting", &[T::Text, T::Bool], T::Text, current_setting),
    lenient(volatile("set_config", &[T::Text, T::Text, T::Bool], T::Text, set_config)),
    lenient(volatile("pg_notify", &[T::Text, T::Text], T::Void, notify)),
    volatile("pg_notification_queue_usage", NONE, T::Float8, notification_queue_usage),
    volatile("pg_sleep", &[T::Float8], T::Void, pg_sleep),
    volatile("pg_sleep_for", &[T::Interval], T::Void, pg_sleep_for),
    volatile("pg_sleep_until", &[T::Timestamptz], T::Void, pg_sleep_until),
    volatile("pg_cancel_backend", &[T::Int4], T::Bool, cancel),
    volatile("pg_terminate_backend", &[T::Int4], T::Bool, terminate),
    volatile("pg_terminate_backend", &[T::Int4, T::Int8], T::Bool, terminate),
    volatile("pg_stat_reset", NONE, T::Void, reset_database_counts),
    volatile("pg_stat_reset_single_table_counters", OID, T::Void, reset_table_counts),
    volatile("pg_stat_clear_snapshot", NONE, T::Void, counts_are_current),
    volatile("pg_stat_force_next_flush", NONE, T::Void, counts_are_current),
    volatile("pg_stat_reset_shared", NONE, T::Void, reset_shared_counts),
    lenient(volatile("pg_stat_reset_shared", &[T::Text], T::Void, reset_shared_counts)),
    volatile("pg_stat_statements_reset", NONE, T::Timestamptz, reset_statement_counts),
    volatile("pg_stat_statements_reset", RESET, T::Timestamptz, reset_statement_counts),
    volatile("pg_blocking_pids", &[T::Int4], T::Int4Array, blocking_pids),
    volatile("current_query", NONE, T::Text, current_query),
    volatile("pg_reload_conf", NONE, T::Bool, reload),
    volatile("pg_rotate_logfile", NONE, T::Bool, rotate_log),
    volatile("pg_current_logfile", NONE, T::Text, log_file),
    lenient(volatile("pg_current_logfile", &[T::Text], T::Text, log_file)),
    volatile("pg_create_restore_point", &[T::Text], T::PgLsn, create_restore_point),
    volatile("pg_create_physical_replication_slot", &[T::Name], T::Record, create_slot),
    volatile("pg_create_physical_replication_slot", &[T::Name, T::Bool], T::Record, create_slot),
    volatile("pg_create_physical_replication_slot", &[T::Name, T::Bool, T::Bool], T::Record, create_slot),
    volatile("pg_drop_replication_slot", &[T::Name], T::Void, drop_slot),
    f("pg_lsn", &[T::Numeric], T::PgLsn, crate::ops::lsn_of_number),
    stable("pg_wal_lsn_diff", &[T::PgLsn, T::PgLsn], T::Numeric, crate::ops::lsn_minus),
    volatile("pg_switch_wal", NONE, T::PgLsn, switch_wal),
    volatile("evenkeel_backup", &[T::Text], T::Text, backup),
    volatile("evenkeel_backup", &[T::Text, T::Text], T::Text, backup),
    volatile("pg_is_in_recovery", NONE, T::Bool, in_recovery),
    volatile("pg_is_wal_replay_paused", NONE, T::Bool, is_replay_pausing),
    volatile("pg_get_wal_replay_pause_state", NONE, T::Text, replay_pause_state),
    volatile("pg_wal_replay_pause", NONE, T::Void, |_, ctx| pause_replay(true, ctx)),
    volatile("pg_wal_replay_resume", NONE, T::Void, |_, ctx| pause_replay(false, ctx)),
    volatile("pg_safe_snapshot_blocking_pids", &[T::Int4], T::Int4Array, nobody),
    volatile("pg_xact_commit_timestamp", &[T::Xid], T::Timestamptz, no_commit_times),
    stable("pg_database_collation_actual_version", OID, T::Text, collation_of_database),
    volatile("pg_last_wal_receive_lsn", NONE, T::PgLsn, last_received),
    volatile("pg_last_wal_replay_lsn", NONE, T::PgLsn, last_replayed),
    volatile("pg_last_xact_replay_timestamp", NONE, T::Timestamptz, last_xact_replayed),
    volatile("pg_promote", NONE, T::Bool, promote),
    volatile("pg_promote", &[T::Bool], T::Bool, promote),
    volatile("pg_promote", &[T::Bool, T::Int4], T::Bool, promote),
    stable("pg_postmaster_start_time", NONE, T::Timestamptz, start_time),
    stable("pg_conf_load_time", NONE, T::Timestamptz, conf_load_time),
    f("pg_size_pretty", &[T::Int8], T::Text, size_pretty),
    f("pg_size_pretty", &[T::Numeric], T::Text, size_pretty),
    f("pg_size_bytes", &[T::Text], T::Int8, size_bytes),
    volatile("pg_relation_size", REG, T::Int8, pg_relation_size),
    volatile("pg_relation_size", &[T::Regclass, T::Text], T::Int8, pg_relation_size),
    volatile("pg_table_size", REG, T::Int8, pg_table_size),
    volatile("pg_indexes_size", REG, T::Int8, pg_indexes_size),
    volatile("pg_total_relation_size", REG, T::Int8, pg_total_relation_size),
    volatile("pg_database_size", &[T::Name], T::Int8, pg_database_size),
    volatile("pg_database_size", OID, T::Int8, pg_database_size),
    volatile("pg_tablespace_size", &[T::Name], T::Int8, tablespace_size),
    volatile("pg_tablespace_size", OID, T::Int8, tablespace_size),
    stable("pg_walfile_name", &[T::PgLsn], T::Text, walfile_name),
    stable("age", &[T::Xid], T::Int4, age_of_xid),
    stable("mxid_age", &[T::Xid], T::Int4, mxid_age),
    volatile("nextval", REG, T::Int8, sequence_next),
    volatile("currval", REG, T::Int8, sequence_current),
    volatile("lastval", NONE, T::Int8, lastval),
    volatile("pg_sequence_last_value", REG, T::Int8, sequence_last_value),
    volatile("setval", &[T::Regclass, T::Int8], T::Int8, setval),
    volatile("setval", &[T::Regclass, T::Int8, T::Bool], T::Int8, setval),
    stable("pg_get_serial_sequence", &[T::Text, T::Text], T::Text, serial_sequence),
    lenient(stable("pg_typeof", &[T::Any], T::Regtype, pg_typeof)),
    stable("pg_client_encoding", NONE, T::Name, pg_client_encoding),
    stable("getdatabaseencoding", NONE, T::Name, database_encoding),
    stable("pg_basetype", &[T::Regtype], T::Regtype, base_type),
    stable("pg_my_temp_schema", NONE, T::Oid, my_temp_schema),
    stable("pg_is_other_temp_schema", OID, T::Bool, is_other_temp_schema),
    stable("pg_trigger_depth", NONE, T::Int4, zero),
    stable("pg_jit_available", NONE, T::Bool, no),
    stable("row_security_active", OID, T::Bool, no),
    stable("row_security_active", &[T::Text], T::Bool, row_security_of),
    f("icu_unicode_version", NONE, T::Text, unknown),
    stable("pg_filenode_relation", &[T::Oid, T::Oid], T::Regclass, relation_of_file),
    stable("pg_get_replica_identity_index", REG, T::Regclass, identity_index),
    lenient(super::variadic(f("row", &[T::Any], T::Record, row))),
    stable("pg_stat_get_numscans", OID, T::Int8, stat_numscans),
    stable("pg_stat_get_tuples_inserted", OID, T::Int8, stat_inserted),
    stable("pg_stat_get_tuples_updated", OID, T::Int8, stat_updated),
    stable("pg_stat_get_tuples_deleted", OID, T::Int8, stat_deleted),
    stable("pg_stat_get_tuples_hot_updated", OID, T::Int8, stat_hot_updated),
    stable("pg_stat_get_tuples_newpage_updated", OID, T::Int8, stat_newpage_updated),
    stable("pg_stat_get_tuples_returned", OID, T::Int8, stat_returned),
    stable("pg_stat_get_tuples_fetched", OID, T::Int8, stat_fetched),
    stable("pg_stat_get_lastscan", OID, T::Timestamptz, last_scan),
    stable("pg_stat_get_live_tuples", OID, T::Int8, stat_live),
    stable("pg_stat_get_dead_tuples", OID, T::Int8, stat_dead),
    stable("pg_stat_get_mod_since_analyze", OID, T::Int8, stat_mod),
    stable("pg_stat_get_ins_since_vacuum", OID, T::Int8, stat_ins),
    stable("pg_stat_get_analyze_count", OID, T::Int8, analyze_count),
    stable("pg_stat_get_last_analyze_time", OID, T::Timestamptz, last_analyze),
    stable("pg_stat_get_autoanalyze_count", OID, T::Int8, autoanalyze_count),
    stable("pg_stat_get_last_autoanalyze_time", OID, T::Timestamptz, last_autoanalyze),
    stable("pg_stat_get_vacuum_count", OID, T::Int8, vacuum_count),
    stable("pg_stat_get_last_vacuum_time", OID, T::Timestamptz, last_vacuum),
    stable("pg_stat_get_autovacuum_count", OID, T::Int8, autovacuum_count),
    stable("pg_stat_get_last_autovacuum_time", OID, T::Timestamptz, last_autovacuum),
    stable("pg_stat_get_blocks_fetched", OID, T::Int8, blocks_fetched),
    stable("pg_stat_get_blocks_hit", OID, T::Int8, blocks_hit),
    volatile("pg_current_wal_lsn", NONE, T::PgLsn, wal_lsn),
    volatile("pg_current_wal_insert_lsn", NONE, T::PgLsn, wal_insert_lsn),
    volatile("pg_current_wal_flush_lsn", NONE, T::PgLsn, wal_flush_lsn),
];

fn my_temp_schema(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Oid(ctx.env.my_temp_schema()))
}

fn is_other_temp_schema(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(matches!(a[0], Datum::Oid(oid) if ctx.env.is_other_temp_schema(oid))))
}
