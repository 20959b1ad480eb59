//! Evaluation of expressions.
//!
//! Must not know: where rows come from.

use super::lists::{self, List};
use super::{Cx, xact};
use crate::plan::SortKey;
use crate::plan::expr::{CmpOp, DomainChecks, Expr, PartChecks};
use evenkeel_types::casing::Casing;
use evenkeel_types::collation::Letters;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::like::{like_by, like_text};
use evenkeel_types::{
    ArrayDatum, CastContext, Collation, Datum, Dim, RecordDatum, ScalarFn, Type, Volatility, must_compare,
    outer_dims,
};
use std::cmp::Ordering;
use std::sync::Arc;

/// A call by the rules of a collation.
fn call_by_collation(
    of: &Expr,
    collation: Collation,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Datum, SqlError> {
    let Expr::Call(f, args) = of else { return Err(SqlError::internal("a collation of no call")) };
    if let ("~~" | "!~~", [text, pattern]) = (f.name, &args[..]) {
        let values = (eval(text, row, cx)?, eval(pattern, row, cx)?);
        return match values {
            (Datum::Text(t) | Datum::Bpchar(t), Datum::Text(p) | Datum::Bpchar(p)) => {
                let key = |s: &str| {
                    let mut key = Vec::new();
                    collation.append_key(s, &mut key);
                    key
                };
                Ok(Datum::Bool(like_by(&t, &p, &key)? == (f.name == "~~")))
            }
            _ => Ok(Datum::Null),
        };
    }
    match (Casing::named(f.name), collation.locale(), &args[..]) {
        (Some(casing), Some(locale), [arg]) => Ok(match eval(arg, row, cx)? {
            Datum::Text(s) => Datum::text(casing.of(&s, locale)),
            other => other,
        }),
        (Some(casing), None, [arg]) => Ok(match eval(arg, row, cx)? {
            Datum::Text(s) if collation.letters() == Letters::Ascii => Datum::text(casing.of_ascii(&s)),
            Datum::Text(s) => Datum::text(casing.of(&s, "und")),
            other => other,
        }),
        (None, None, [text, pattern]) if matches!(f.name, "~~*" | "!~~*") => {
            Ok(match (eval(text, row, cx)?, eval(pattern, row, cx)?) {
                (Datum::Text(t), Datum::Text(p)) => {
                    let is_like = like_text(&t.to_ascii_lowercase(), &p.to_ascii_lowercase())?;
                    Datum::Bool(is_like == (f.name == "~~*"))
                }
                _ => Datum::Null,
            })
        }
        // Without regard to case: of small letters alone.
        (None, Some(locale), [text, pattern]) if f.args == [Type::Text; 2] => {
            let small = |e: &Expr, cx: &mut Cx<'_>| {
                Ok::<_, SqlError>(Expr::Const(match eval(e, row, cx)? {
                    Datum::Text(s) => Datum::text(Casing::Lower.of(&s, locale)),
                    other => other,
                }))
            };
            let args = [small(text, cx)?, small(pattern, cx)?];
            call(f, &args, row, cx)
        }
        (None, Some(_), [array, how @ ..]) => {
            // Sorted as sort keys, which have the texts.
            let keys = Expr::Const(collation.sort_key(eval(array, row, cx)?));
            let args: Vec<Expr> = std::iter::once(keys).chain(how.iter().cloned()).collect();
            evenkeel_types::collation::texts_of(call(f, &args, row, cx)?, Type::Text)
        }
        _ => eval(of, row, cx),
    }
}

/// What a row is ordered by.
pub fn sort_value(key: &SortKey, row: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    Ok(key.collation.sort_key(eval(&key.expr, row, cx)?))
}

/// Compares two values that are not NULL.
#[inline]
pub(super) fn order(a: &Datum, b: &Datum) -> Ordering {
    match (a, b) {
        (Datum::Int4(x), Datum::Int4(y)) => x.cmp(y),
        (Datum::Int8(x), Datum::Int8(y)) => x.cmp(y),
        (
            Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_),
            Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_),
        ) => a.as_i64().cmp(&b.as_i64()),
        _ => evenkeel_types::compare(a, b),
    }
}

/// A comparison; None is NULL.
#[inline]
pub fn compare(op: CmpOp, a: &Datum, b: &Datum) -> Option<bool> {
    if a.is_null() || b.is_null() {
        return None;
    }
    Some(op.holds(order(a, b)))
}

fn from_bool(b: Option<bool>) -> Datum {
    b.map_or(Datum::Null, Datum::Bool)
}

/// Whether a condition holds (NULL does not).
#[inline]
pub fn holds(e: &Expr, row: &[Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    match e {
        Expr::Cmp(op, pair) => {
            // Columns and constants are compared where they are.
            let result = match (peek(&pair.0, row, cx), peek(&pair.1, row, cx)) {
                (Some(a), Some(b)) => {
                    must_compare(a, b)?;
                    compare(*op, a, b)
                }
                _ => {
                    let a = eval(&pair.0, row, cx)?;
                    let b = eval(&pair.1, row, cx)?;
                    must_compare(&a, &b)?;
                    compare(*op, &a, &b)
                }
            };
            Ok(result == Some(true))
        }
        Expr::And(list) => {
            for e in list {
                if !holds(e, row, cx)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(matches!(eval(e, row, cx)?, Datum::Bool(true))),
    }
}

/// A value that needs no computation.
#[inline]
fn peek<'a>(e: &'a Expr, row: &'a [Datum], cx: &'a Cx<'_>) -> Option<&'a Datum> {
    match e {
        Expr::Column(n) => row.get(*n),
        Expr::Const(d) => Some(d),
        Expr::Param(n) => cx.params.get(*n),
        Expr::Outer(n) => cx.run.outer.get(*n),
        Expr::Operand(_) => Some(&cx.run.operand),
        Expr::Cast(c) if c.is_relabeling() => peek(&c.expr, row, cx),
        _ => None,
    }
}

/// As `eval`, which most arguments, columns and constants, do not need: its frame is large.
#[inline]
pub(super) fn value_of(e: &Expr, row: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    match peek(e, row, cx) {
        Some(d) => Ok(d.clone()),
        None => eval(e, row, cx),
    }
}

/// Refuses a value that is none of a domain.
pub(super) fn check_domain(d: &DomainChecks, value: &Datum, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    match (&d.within, value) {
        (PartChecks::Elements(of), Datum::Array(array)) => {
            array.values.iter().try_for_each(|v| check_domain(of, v, cx))?;
        }
        (PartChecks::Fields(fields), Datum::Record(row)) => {
            for (n, of) in fields {
                check_domain(of, row.values.get(*n).unwrap_or(&Datum::Null), cx)?;
            }
        }
        _ => {}
    }
    let refused = |code, why: String| {
        let mut e = SqlError::new(code, why);
        (e.schema, e.data_type) = (Some(d.place.0.clone()), Some(d.place.1.clone()));
        e
    };
    if d.not_null && value.is_null() {
        let why = format!("domain {} does not allow null values", d.name);
        return Err(refused(SqlState::NOT_NULL_VIOLATION, why));
    }
    for (name, condition) in &d.checks {
        if matches!(eval(condition, std::slice::from_ref(value), cx)?, Datum::Bool(false)) {
            let why = format!("value for domain {} violates check constraint \"{name}\"", d.name);
            return Err(refused(SqlState::CHECK_VIOLATION, why).with_constraint(name));
        }
    }
    Ok(())
}

/// Computes an expression over a row.
pub fn eval(e: &Expr, row: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    Ok(match e {
        Expr::Column(_) | Expr::Const(_) | Expr::Param(_) | Expr::Outer(_) | Expr::Operand(_) => {
            match peek(e, row, cx) {
                Some(d) => d.clone(),
                None => return Err(SqlError::internal("expression reads outside its row")),
            }
        }
        Expr::Call(f, args) => call(f, args, row, cx)?,
        Expr::Cmp(op, pair) => {
            if let (Some(a), Some(b)) = (peek(&pair.0, row, cx), peek(&pair.1, row, cx)) {
                must_compare(a, b)?;
                return Ok(from_bool(compare(*op, a, b)));
            }
            let a = eval(&pair.0, row, cx)?;
            if a.is_null() {
                return Ok(Datum::Null);
            }
            let b = eval(&pair.1, row, cx)?;
            must_compare(&a, &b)?;
            from_bool(compare(*op, &a, &b))
        }
        Expr::And(list) => {
            let mut null = false;
            for e in list {
                match eval(e, row, cx)? {
                    Datum::Bool(false) => return Ok(Datum::Bool(false)),
                    Datum::Null => null = true,
                    _ => {}
                }
            }
            if null { Datum::Null } else { Datum::Bool(true) }
        }
        Expr::Or(list) => {
            let mut null = false;
            for e in list {
                match eval(e, row, cx)? {
                    Datum::Bool(true) => return Ok(Datum::Bool(true)),
                    Datum::Null => null = true,
                    _ => {}
                }
            }
            if null { Datum::Null } else { Datum::Bool(false) }
        }
        Expr::Not(e) => match eval(e, row, cx)? {
            Datum::Bool(b) => Datum::Bool(!b),
            other => other,
        },
        Expr::IsNull(e, negated) => {
            let is_null = |d: &Datum| match d {
                // A row is null when every field is; it is not null when no field is.
                Datum::Record(r) if *negated => r.values.iter().any(Datum::is_null),
                Datum::Record(r) => r.values.iter().all(Datum::is_null),
                d => d.is_null(),
            };
            let null = match peek(e, row, cx) {
                Some(d) => is_null(d),
                None => is_null(&eval(e, row, cx)?),
            };
            Datum::Bool(null != *negated)
        }
        Expr::IsBool(e, value, negated) => {
            let is = matches!(eval(e, row, cx)?, Datum::Bool(b) if b == *value);
            Datum::Bool(is != *negated)
        }
        Expr::Distinct(pair, negated) => {
            let a = eval(&pair.0, row, cx)?;
            let b = eval(&pair.1, row, cx)?;
            let same = match (a.is_null(), b.is_null()) {
                (true, true) => true,
                (false, false) => order(&a, &b).is_eq(),
                _ => false,
            };
            Datum::Bool(same == *negated)
        }
        Expr::Cast(c) if c.is_relabeling() => eval(&c.expr, row, cx)?,
        Expr::Cast(c) => {
            let d = eval(&c.expr, row, cx)?;
            if d.is_null() {
                return Ok(Datum::Null);
            }
            evenkeel_types::cast(d, c.from, c.to, c.typmod, c.context, cx.eval.format)?
        }
        Expr::Collate(e, _) => eval(e, row, cx)?,
        Expr::ByCollation(of, collation) => call_by_collation(of, *collation, row, cx)?,
        Expr::CollationKey(_, _, Some(key)) => key.clone(),
        Expr::CollationKey(e, collation, None) => collation.sort_key(eval(e, row, cx)?),
        Expr::Domain(d) => {
            let value = eval(&d.expr, row, cx)?;
            check_domain(&d.checks, &value, cx)?;
            value
        }
        Expr::Case(c) => match &c.operand {
            None => {
                for (test, result) in &c.branches {
                    if holds(test, row, cx)? {
                        return eval(result, row, cx);
                    }
                }
                eval(&c.otherwise, row, cx)?
            }
            Some(operand) => {
                let value = eval(operand, row, cx)?;
                let around = std::mem::replace(&mut cx.run.operand, value);
                let mut chosen = Ok(&c.otherwise);
                for (test, result) in &c.branches {
                    match holds(test, row, cx) {
                        Ok(false) => continue,
                        Ok(true) => chosen = Ok(result),
                        Err(e) => chosen = Err(e),
                    }
                    break;
                }
                cx.run.operand = around;
                eval(chosen?, row, cx)?
            }
        },
        Expr::Coalesce(list) => {
            for e in list {
                let d = eval(e, row, cx)?;
                if !d.is_null() {
                    return Ok(d);
                }
            }
            Datum::Null
        }
        Expr::JsonQuery(q) => super::json_query::json_query(q, row, cx)?,
        Expr::NullIf(pair, cast) => {
            let a = eval(&pair.0, row, cx)?;
            let b = eval(&pair.1, row, cx)?;
            let same = match cast {
                Some((from, to)) if !a.is_null() => {
                    let explicit = CastContext::Explicit;
                    let a = evenkeel_types::cast(a.clone(), *from, *to, -1, explicit, cx.eval.format)?;
                    compare(CmpOp::Eq, &a, &b)
                }
                _ => compare(CmpOp::Eq, &a, &b),
            };
            if same == Some(true) { Datum::Null } else { a }
        }
        Expr::Extreme(greatest, list) => {
            let better = if *greatest { Ordering::Greater } else { Ordering::Less };
            let (mut best, mut by) = (Datum::Null, None);
            for e in list {
                let (d, key) = match e {
                    Expr::CollationKey(e, collation, key) => {
                        let d = eval(e, row, cx)?;
                        let key = key.clone().unwrap_or_else(|| collation.sort_key(d.clone()));
                        (d, Some(key))
                    }
                    e => (eval(e, row, cx)?, None),
                };
                let is_better =
                    |best: &Datum| order(key.as_ref().unwrap_or(&d), by.as_ref().unwrap_or(best)) == better;
                if !d.is_null() && (best.is_null() || is_better(&best)) {
                    (best, by) = (d, key);
                }
            }
            best
        }
        Expr::InList(e, list, negated) => {
            let x = eval(e, row, cx)?;
            if x.is_null() {
                return Ok(Datum::Null);
            }
            if let Some(found) = lists::find(|| List::Items(list.clone()), list.len(), &x, cx)? {
                return Ok(from_bool(found.map(|f| f != *negated)));
            }
            let mut null = false;
            for item in list.iter() {
                let found = match peek(item, row, cx) {
                    Some(d) => compare(CmpOp::Eq, &x, d),
                    None => {
                        let d = eval(item, row, cx)?;
                        compare(CmpOp::Eq, &x, &d)
                    }
                };
                match found {
                    Some(true) => return Ok(Datum::Bool(!negated)),
                    None => null = true,
                    _ => {}
                }
            }
            if null { Datum::Null } else { Datum::Bool(*negated) }
        }
        Expr::AnyArray(op, pair, any) => {
            let x = eval(&pair.0, row, cx)?;
            let array = eval(&pair.1, row, cx)?;
            let Datum::Array(array) = &array else { return Ok(Datum::Null) };
            if let (CmpOp::Eq, true) | (CmpOp::Ne, false) = (op, any)
                && let Expr::Const(_) | Expr::Param(_) = &pair.1
                && !x.is_null()
                && let Some(found) = lists::find(|| List::Array(array.clone()), array.values.len(), &x, cx)?
            {
                return Ok(from_bool(found.map(|f| f == *any)));
            }
            from_bool(quantify(array.values.iter().map(|v| Ok(compare(*op, &x, v))), *any)?)
        }
        Expr::AnyCall(f, pair, any) => {
            let x = eval(&pair.0, row, cx)?;
            let array = eval(&pair.1, row, cx)?;
            let Some(array) = array.as_array() else { return Ok(Datum::Null) };
            let each = array.values.iter().map(|v| {
                if f.strict && (x.is_null() || v.is_null()) {
                    return Ok(None);
                }
                (f.call)(&[x.clone(), v.clone()], &cx.eval).map(|d| d.as_bool())
            });
            from_bool(quantify(each, *any)?)
        }
        Expr::Array(element, list) => {
            let values = list.iter().map(|e| eval(e, row, cx)).collect::<Result<Vec<_>, _>>()?;
            if element.element().is_some() {
                nested_array(*element, values)?
            } else {
                Datum::array(*element, values)
            }
        }
        Expr::Subscript(e, indexes) => {
            let array = eval(e, row, cx)?;
            let mut at = Vec::with_capacity(indexes.len());
            for i in indexes {
                match eval(i, row, cx)?.as_i64() {
                    Some(i) => at.push(i as i32),
                    None => return Ok(Datum::Null),
                }
            }
            array.as_array().and_then(|a| a.get(&at)).cloned().unwrap_or(Datum::Null)
        }
        Expr::Slice(e, bounds) => {
            let array = eval(e, row, cx)?;
            let mut given = Vec::with_capacity(bounds.len());
            for (low, high) in bounds {
                let mut bound = |b: &Option<Expr>| match b {
                    None => Ok(Some(None)),
                    Some(b) => Ok::<_, SqlError>(eval(b, row, cx)?.as_i64().map(Some)),
                };
                match (bound(low)?, bound(high)?) {
                    (Some(low), Some(high)) => given.push((low, high)),
                    _ => return Ok(Datum::Null),
                }
            }
            array.as_array().map_or(Datum::Null, |a| slice(a, &given))
        }
        Expr::Row(types, list) => {
            let values = list.iter().map(|e| eval(e, row, cx)).collect::<Result<Vec<_>, _>>()?;
            Datum::Record(Arc::new(RecordDatum::new(types.to_vec(), values)))
        }
        Expr::Field(field) => match eval(&field.of, row, cx)? {
            Datum::Record(r) => r.values.get(field.at).cloned().unwrap_or(Datum::Null),
            _ => Datum::Null,
        },
        Expr::Subquery(number, usage, args) => super::subquery::eval(*number, usage, args, row, cx)?,
        Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_) => {
            return Err(SqlError::internal("aggregate outside its level"));
        }
    })
}

/// ANY or ALL over the outcomes of comparisons.
fn quantify(
    each: impl Iterator<Item = Result<Option<bool>, SqlError>>,
    any: bool,
) -> Result<Option<bool>, SqlError> {
    let mut null = false;
    let mut pace = evenkeel_types::guard::Pace::default();
    for outcome in each {
        pace.step()?;
        match outcome? {
            Some(b) if b == any => return Ok(Some(any)),
            None => null = true,
            _ => {}
        }
    }
    Ok(if null { None } else { Some(!any) })
}

/// Calls a function; most have one or two arguments, which need no allocation.
fn call(f: &ScalarFn, args: &[Expr], row: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    fn run(f: &ScalarFn, values: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
        if f.strict && values.iter().any(Datum::is_null) {
            return Ok(Datum::Null);
        }
        if f.volatile != Volatility::Immutable
            && let Some(what) = f.asks_transaction()
        {
            return xact::ask(what, f, values, cx);
        }
        if f.volatile == Volatility::Volatile {
            cx.views.note_transaction(cx.txn.id()); // it may wait for other sessions, as this transaction
        }
        (f.call)(values, &cx.eval)
    }
    match args {
        [] => run(f, &[], cx),
        [a] => {
            let values = [value_of(a, row, cx)?];
            run(f, &values, cx)
        }
        [a, b] => {
            let values = [value_of(a, row, cx)?, value_of(b, row, cx)?];
            run(f, &values, cx)
        }
        _ => {
            let values = args.iter().map(|a| value_of(a, row, cx)).collect::<Result<Vec<_>, _>>()?;
            run(f, &values, cx)
        }
    }
}

/// `ARRAY[ARRAY[…], …]`: one more dimension.
fn nested_array(array_type: Type, values: Vec<Datum>) -> Result<Datum, SqlError> {
    let element = array_type.element().unwrap_or(Type::Text);
    let mut dims: Option<Vec<Dim>> = None;
    let mut flat = Vec::new();
    let count = values.len();
    for v in &values {
        let inner = v.as_array().map_or(&[][..], |a| &a.dims);
        match &dims {
            None => dims = Some(inner.to_vec()),
            Some(d) if d == inner => {}
            Some(_) => {
                return Err(SqlError::new(
                    SqlState::ARRAY_SUBSCRIPT_ERROR,
                    "multidimensional arrays must have array expressions with matching dimensions",
                ));
            }
        }
        flat.extend(v.as_array().into_iter().flat_map(|a| a.values.iter().cloned()));
    }
    let mut all = outer_dims(count, &dims.unwrap_or_default())?;
    if flat.is_empty() {
        all.clear();
    }
    Ok(Datum::Array(Arc::new(ArrayDatum { element, dims: all, values: flat.into() })))
}

/// `array[low:high]…`: dimensions that no bounds are given for are taken whole; the result counts from 1.
fn slice(a: &ArrayDatum, bounds: &[(Option<i64>, Option<i64>)]) -> Datum {
    let none = || Datum::array(a.element, Vec::new());
    if bounds.len() > a.dims.len() {
        return none();
    }
    let (mut ranges, mut dims) = (Vec::new(), Vec::new());
    for (n, dim) in a.dims.iter().enumerate() {
        let (first, last) = (i64::from(dim.lower), i64::from(dim.lower) + i64::from(dim.len) - 1);
        let (low, high) = bounds.get(n).copied().unwrap_or_default();
        let (low, high) = (low.unwrap_or(first).max(first), high.unwrap_or(last).min(last));
        if low > high {
            return none();
        }
        ranges.push(((low - first) as usize, (high - low + 1) as usize));
        dims.push(Dim { len: (high - low + 1) as i32, lower: 1 });
    }
    let count: usize = ranges.iter().map(|(_, len)| len).product();
    let values = (0..count).map(|n| {
        // The place of the n-th of the result in the array, row by row.
        let (mut n, mut place, mut stride) = (n, 0, 1);
        for ((low, len), dim) in ranges.iter().zip(&a.dims).rev() {
            place += (low + n % len) * stride;
            n /= len;
            stride *= dim.len as usize;
        }
        a.values.get(place).cloned().unwrap_or(Datum::Null)
    });
    Datum::Array(Arc::new(ArrayDatum { element: a.element, dims, values: values.collect::<Vec<_>>().into() }))
}
