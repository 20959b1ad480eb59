//! Functions that return rows.
//!
//! Must not know: where their rows go.

use super::Cx;
use super::eval::{check_domain, eval};
use super::json_table::{self, TableRows};
use crate::plan::{SetCall, SetFunction};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::{json_records, record_as};
use evenkeel_types::guard::discard::Large;
use evenkeel_types::user::Attributes;
use evenkeel_types::{Datum, Numeric, RecordDatum, Rows, ScalarFn, Type};
use std::cmp::Ordering;
use std::sync::Arc;

/// A function that is returning rows.
pub enum SetState {
    /// Integers: next, last, step; the type.
    Ints(Option<i64>, i64, i64, Type),
    /// Numerics.
    Numerics(Option<Numeric>, Numeric, Numeric),
    /// Timestamps: next, last, step and perhaps zone, what adds these, whether it counts up.
    Times(Option<Datum>, Datum, Box<[Datum]>, &'static ScalarFn, bool),
    /// Columns of values side by side.
    Columns(Vec<Large<Vec<Datum>>>, usize),
    /// One row.
    One(Option<Datum>),
    /// Another's, with fields in place of rows of composite types.
    Spread(Box<SetState>, Box<[Option<usize>]>),
    /// Another's records as columns; some are of domains, which are called so.
    Defined(Box<SetState>, Attributes, Box<[(usize, String)]>),
    /// JSON_TABLE
    JsonTable(Box<TableRows>),
    /// Several side by side, with so many columns each, of which some may be at their end.
    Together(Vec<(Option<SetState>, usize)>),
    /// None.
    Empty,
}

fn zero_step() -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "step size cannot equal zero")
}

/// A step behind a moment.
fn later(at: &Datum, step: &[Datum], add: &ScalarFn, cx: &Cx<'_>) -> Result<Datum, SqlError> {
    let args: Vec<Datum> = std::iter::once(at).chain(step).cloned().collect();
    (add.call)(&args, &cx.eval)
}

/// Evaluates the arguments.
pub fn open(f: &SetFunction, row: &[Datum], cx: &mut Cx<'_>) -> Result<SetState, SqlError> {
    match f {
        SetFunction::Series { ty, args } => {
            let mut values = args.iter().map(|a| eval(a, row, cx)).collect::<Result<Vec<_>, _>>()?;
            if values.iter().any(Datum::is_null) {
                return Ok(SetState::Empty);
            }
            if *ty == Type::Numeric {
                if values.len() == 2 {
                    values.push(evenkeel_types::cast(
                        Datum::Int4(1),
                        Type::Int4,
                        Type::Numeric,
                        -1,
                        evenkeel_types::CastContext::Explicit,
                        cx.eval.format,
                    )?);
                }
                let mut n =
                    values.into_iter().filter_map(|v| if let Datum::Numeric(n) = v { Some(n) } else { None });
                let (Some(start), Some(stop), Some(step)) = (n.next(), n.next(), n.next()) else {
                    return Ok(SetState::Empty);
                };
                for (what, n) in [("start value", &start), ("stop value", &stop), ("step size", &step)] {
                    let is = match (n.is_nan(), n.is_infinite()) {
                        (true, _) => "NaN",
                        (_, true) => "infinity",
                        _ => continue,
                    };
                    let m = format!("{what} cannot be {is}");
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, m));
                }
                if step.is_zero() {
                    return Err(zero_step());
                }
                return Ok(SetState::Numerics(Some(start), stop, step));
            }
            let int = |n: usize| values.get(n).and_then(Datum::as_i64);
            let (Some(start), Some(stop)) = (int(0), int(1)) else { return Ok(SetState::Empty) };
            let step = int(2).unwrap_or(1);
            if step == 0 {
                return Err(zero_step());
            }
            Ok(SetState::Ints(Some(start), stop, step, *ty))
        }
        SetFunction::TimeSeries { args, add } => {
            let values = args.iter().map(|a| eval(a, row, cx)).collect::<Result<Vec<_>, _>>()?;
            let [start, stop, step @ ..] = &values[..] else { return Ok(SetState::Empty) };
            if values.iter().any(Datum::is_null) {
                return Ok(SetState::Empty);
            }
            if matches!(step, [Datum::Interval(v), ..] if !v.is_finite()) {
                let why = "step size cannot be infinite";
                return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
            }
            // By its sign, a month being thirty days, not by where the first step leads.
            let sign = match step {
                [by @ Datum::Interval(_), ..] => {
                    evenkeel_types::compare(by, &Datum::Interval(Default::default()))
                }
                _ => evenkeel_types::compare(&later(start, step, add, cx)?, start),
            };
            let up = match sign {
                Ordering::Equal => return Err(zero_step()),
                o => o.is_gt(),
            };
            Ok(SetState::Times(Some(start.clone()), stop.clone(), step.into(), add, up))
        }
        SetFunction::Unnest(args) => {
            let mut columns = Vec::new();
            for a in args {
                let values = eval(a, row, cx)?.as_array().map(|a| a.values.clone());
                columns.push(values.unwrap_or_default());
            }
            Ok(SetState::Columns(columns, 0))
        }
        SetFunction::Rows { f, args, checks } => {
            let values = args.iter().map(|a| eval(a, row, cx)).collect::<Result<Vec<_>, _>>()?;
            if f.strict && values.iter().any(Datum::is_null) {
                return Ok(SetState::Empty);
            }
            let mut rows = Rows::new(f);
            (f.call)(&values, &cx.eval, &mut rows)?;
            let columns = rows.into_columns();
            if let (Some(checks), Some(made)) = (checks, columns.first()) {
                made.iter().try_for_each(|row| check_domain(checks, row, cx))?;
            }
            Ok(SetState::Columns(columns, 0))
        }
        SetFunction::Ancestors(e) => {
            let oid = eval(e, row, cx)?.as_oid();
            let found = oid.map(|o| cx.eval.env.partition_ancestors(o)).unwrap_or_default();
            Ok(SetState::Columns(vec![found.into_iter().map(Datum::Oid).collect::<Vec<_>>().into()], 0))
        }
        SetFunction::Scalar(e) => Ok(SetState::One(Some(eval(e, row, cx)?))),
        SetFunction::Spread(of, fields) => Ok(SetState::Spread(Box::new(open(of, row, cx)?), fields.clone())),
        SetFunction::Defined { of, fields, called } => {
            let rows = open(of, row, cx)?;
            if let SetState::Columns(columns, _) = &rows {
                must_be_alike(columns.first().map_or(&[], |c| c))?;
            }
            Ok(SetState::Defined(Box::new(rows), fields.clone(), called.clone()))
        }
        SetFunction::Records { name, args, fields, domains, called } => {
            let values = args.iter().map(|a| eval(a, row, cx)).collect::<Result<Vec<_>, _>>()?;
            let mut rows = Rows::of_columns(fields.len());
            let format = cx.eval.format;
            let mut check = |at: usize, value: &Datum| match domains.iter().find(|(n, _)| *n == at) {
                Some((_, checks)) => check_domain(checks, value, cx),
                None => Ok(()),
            };
            json_records(name, &values, (&fields[..], &called[..]), format, &mut check, &mut rows)?;
            Ok(SetState::Columns(rows.into_columns(), 0))
        }
        SetFunction::JsonTable(t) => {
            let rows = json_table::open(t, row, cx)?;
            Ok(rows.map_or(SetState::Empty, |rows| SetState::JsonTable(Box::new(rows))))
        }
        SetFunction::Together(all) => {
            let opened = all.iter().map(|(f, width)| Ok((Some(open(f, row, cx)?), *width)));
            Ok(SetState::Together(opened.collect::<Result<_, SqlError>>()?))
        }
    }
}

/// The next row as one value.
pub fn next_value(call: &SetCall, st: &mut SetState, cx: &mut Cx<'_>) -> Result<Option<Datum>, SqlError> {
    let Some(mut values) = next(st, cx)? else { return Ok(None) };
    Ok(Some(match &call.record {
        None => values.swap_remove(0),
        Some((names, types)) => {
            let (types, names) = (types.to_vec(), Some(names.clone()));
            Datum::Record(Arc::new(RecordDatum { types, values, names, of: 0 }))
        }
    }))
}

/// The next row.
pub fn next(st: &mut SetState, cx: &mut Cx<'_>) -> Result<Option<Vec<Datum>>, SqlError> {
    cx.check_interrupt()?;
    Ok(match st {
        SetState::Ints(at, stop, step, ty) => {
            let Some(v) = *at else { return Ok(None) };
            if (*step > 0 && v > *stop) || (*step < 0 && v < *stop) {
                *at = None;
                return Ok(None);
            }
            *at = v.checked_add(*step);
            Some(vec![if *ty == Type::Int8 { Datum::Int8(v) } else { Datum::Int4(v as i32) }])
        }
        SetState::Numerics(at, stop, step) => {
            let Some(v) = at.take() else { return Ok(None) };
            let order = evenkeel_types::compare(&Datum::Numeric(v.clone()), &Datum::Numeric(stop.clone()));
            let negative = step.signum() < 0;
            if (!negative && order.is_gt()) || (negative && order.is_lt()) {
                return Ok(None);
            }
            let sum = evenkeel_types::lookup_operators("+")
                .iter()
                .find(|f| f.args == [Type::Numeric, Type::Numeric])
                .ok_or_else(|| SqlError::internal("numeric addition"))?;
            match (sum.call)(&[Datum::Numeric(v.clone()), Datum::Numeric(step.clone())], &cx.eval) {
                Ok(Datum::Numeric(n)) => *at = Some(n),
                // Nothing is beyond the last number.
                Err(e) if e.code != SqlState::NUMERIC_VALUE_OUT_OF_RANGE => return Err(e),
                _ => {}
            }
            Some(vec![Datum::Numeric(v)])
        }
        SetState::Times(at, stop, step, add, up) => {
            let Some(v) = at.take() else { return Ok(None) };
            let order = evenkeel_types::compare(&v, stop);
            if (*up && order.is_gt()) || (!*up && order.is_lt()) {
                return Ok(None);
            }
            *at = Some(later(&v, step, add, cx)?);
            Some(vec![v])
        }
        SetState::Columns(columns, n) => {
            if columns.iter().all(|c| *n >= c.len()) {
                return Ok(None);
            }
            let row = columns.iter().map(|c| c.get(*n).cloned().unwrap_or(Datum::Null)).collect();
            *n += 1;
            Some(row)
        }
        SetState::One(d) => d.take().map(|d| vec![d]),
        SetState::JsonTable(rows) => json_table::next(rows, cx)?,
        SetState::Spread(of, fields) => next(of, cx)?.map(|row| spread(row, fields)),
        SetState::Defined(of, fields, called) => match next(of, cx)?.and_then(|mut row| row.pop()) {
            Some(value) => Some(record_as(&value, fields, called)?),
            None => None,
        },
        SetState::Together(all) => {
            let (mut values, mut is_there) = (Vec::new(), false);
            for (st, width) in all {
                let row = match st {
                    Some(st) => next(st, cx)?,
                    None => None,
                };
                match row {
                    Some(row) => {
                        values.extend(row);
                        is_there = true;
                    }
                    None => {
                        *st = None;
                        values.extend((0..*width).map(|_| Datum::Null));
                    }
                }
            }
            is_there.then_some(values)
        }
        SetState::Empty => None,
    })
}

/// Refuses records of different columns.
fn must_be_alike(records: &[Datum]) -> Result<(), SqlError> {
    let types = |d: &Datum| if let Datum::Record(r) = d { Some(r.clone()) } else { None };
    let mut all = records.iter().filter_map(types);
    let Some(first) = all.next() else { return Ok(()) };
    match all.all(|r| r.types == first.types) {
        true => Ok(()),
        false => {
            let why = "rows returned by function are not all of the same row type";
            Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why))
        }
    }
}

/// The fields of the columns that are rows.
fn spread(row: Vec<Datum>, fields: &[Option<usize>]) -> Vec<Datum> {
    let mut out = Vec::with_capacity(row.len());
    for (value, count) in row.into_iter().zip(fields) {
        match (value, *count) {
            (value, None) => out.push(value),
            (Datum::Record(r), Some(n)) => {
                // A row that was stored before its type had more fields.
                let missing = n.saturating_sub(r.values.len());
                out.extend(r.values.iter().take(n).cloned());
                out.extend((0..missing).map(|_| Datum::Null));
            }
            (_, Some(n)) => out.extend((0..n).map(|_| Datum::Null)),
        }
    }
    out
}
