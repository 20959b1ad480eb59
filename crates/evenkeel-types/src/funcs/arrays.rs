//! Functions on arrays.

use std::sync::Arc;

use super::{Eval, f, int_arg, lenient, part, stable};
use crate::chars::find;
use crate::compare::not_distinct;
use crate::datum::{ArrayDatum, Datum, Dim, MAX_ARRAY_ELEMENTS, MAX_DIMS};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::guard::build::{Text, collect, make_room};
use crate::guard::discard::Large;
use crate::row::representation_fits;
use crate::text_io::to_text;
use crate::ty::Type as T;

fn array(a: &[Datum], i: usize) -> Result<&ArrayDatum, SqlError> {
    a.get(i).and_then(Datum::as_array).ok_or_else(|| SqlError::internal("an array argument was expected"))
}

fn dim(a: &[Datum]) -> Result<Option<Dim>, SqlError> {
    let n = int_arg(a, 1);
    Ok(usize::try_from(n - 1).ok().and_then(|i| array(a, 0).ok()?.dims.get(i).copied()))
}

fn array_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(dim(a)?.map_or(Datum::Null, |d| Datum::Int4(d.len)))
}

fn array_upper(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(dim(a)?.map_or(Datum::Null, |d| Datum::Int4(d.lower.wrapping_add(d.len - 1))))
}

fn array_lower(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(dim(a)?.map_or(Datum::Null, |d| Datum::Int4(d.lower)))
}

fn array_ndims(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(match array(a, 0)?.dims.len() {
        0 => Datum::Null,
        n => Datum::Int4(n as i32),
    })
}

fn array_dims(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let dims = &array(a, 0)?.dims;
    if dims.is_empty() {
        return Ok(Datum::Null);
    }
    let shown: String =
        dims.iter().map(|d| format!("[{}:{}]", d.lower, d.lower.wrapping_add(d.len - 1))).collect();
    Ok(Datum::from(shown))
}

fn cardinality(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(array(a, 0)?.values.len() as i32))
}

fn no_multidimensional() -> SqlError {
    SqlError::unsupported("searching for elements in multidimensional arrays is not supported")
}

fn array_position(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::Null);
    }
    let x = array(a, 0)?;
    if x.dims.len() > 1 {
        return Err(no_multidimensional());
    }
    // Nothing is looked for in nothing, wherever.
    let Some(lower) = x.dims.first().map(|d| d.lower) else { return Ok(Datum::Null) };
    if a[1].is_null() && !x.values.iter().any(Datum::is_null) {
        return Ok(Datum::Null);
    }
    let start = match a.get(2) {
        None => lower,
        Some(Datum::Null) => {
            return Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, "initial position must not be null"));
        }
        Some(_) => int_arg(a, 2) as i32,
    };
    let skip = (i64::from(start) - i64::from(lower)).max(0) as usize;
    let mut pace = Pace::default();
    for (i, v) in x.values.iter().enumerate().skip(skip) {
        pace.step()?;
        if not_distinct(v, &a[1]) {
            return Ok(Datum::Int4(lower.wrapping_add(i as i32)));
        }
    }
    Ok(Datum::Null)
}

fn array_positions(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::Null);
    }
    let x = array(a, 0)?;
    if x.dims.len() > 1 {
        return Err(no_multidimensional());
    }
    let lower = x.dims.first().map_or(1, |d| d.lower);
    let mut pace = Pace::default();
    let mut found: Large<Vec<Datum>> = Large::default();
    for (i, v) in x.values.iter().enumerate() {
        pace.step()?;
        if not_distinct(v, &a[1]) {
            make_room(&mut found, 1)?;
            found.push(Datum::Int4(lower.wrapping_add(i as i32)));
        }
    }
    Ok(Datum::array(T::Int4, found.into_inner()))
}

fn array_remove(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::Null);
    }
    let x = array(a, 0)?;
    if x.dims.len() > 1 {
        return Err(SqlError::unsupported("removing elements from multidimensional arrays is not supported"));
    }
    let mut pace = Pace::default();
    let mut kept: Large<Vec<Datum>> = Large::default();
    for v in &x.values {
        pace.step()?;
        if !not_distinct(v, &a[1]) {
            make_room(&mut kept, 1)?;
            kept.push(v.clone());
        }
    }
    let mut left = ArrayDatum { element: x.element, dims: Vec::new(), values: kept };
    if let (Some(d), false) = (x.dims.first(), left.values.is_empty()) {
        left.dims = [Dim { lower: d.lower, len: left.values.len() as i32 }].into();
    }
    Ok(Datum::Array(Arc::new(left)))
}

fn array_replace(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::Null);
    }
    let x = array(a, 0)?;
    let replaced = |v: &Datum| if not_distinct(v, &a[1]) { a[2].clone() } else { v.clone() };
    let values = collect(x.values.iter().map(replaced))?;
    Ok(Datum::Array(Arc::new(ArrayDatum { element: element_with(x, &a[2]), dims: x.dims.clone(), values })))
}

pub(super) fn check_size(n: usize) -> Result<(), SqlError> {
    if n > MAX_ARRAY_ELEMENTS {
        return Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("array size exceeds the maximum allowed ({MAX_ARRAY_ELEMENTS})"),
        ));
    }
    Ok(())
}

fn cannot_concatenate(why: &str) -> SqlError {
    SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, "cannot concatenate incompatible arrays")
        .with_detail(format!("{why} are not compatible for concatenation."))
}

/// Fails if a dimension ends beyond what a subscript can be.
fn check_bounds(dims: &[Dim]) -> Result<(), SqlError> {
    let Some(d) = dims.iter().find(|d| d.lower.checked_add(d.len).is_none()) else { return Ok(()) };
    let why = format!("array lower bound is too large: {}", d.lower);
    Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why))
}

/// `array_cat`, also `||` between arrays.
pub fn array_cat(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(a[1].clone());
    }
    if a[1].is_null() {
        return Ok(a[0].clone());
    }
    let (x, y) = (array(a, 0)?, array(a, 1)?);
    if x.dims.is_empty() {
        return Ok(a[1].clone());
    }
    if y.dims.is_empty() {
        return Ok(a[0].clone());
    }
    check_size(x.values.len() + y.values.len())?;
    ctx.make_len((x.values.len() + y.values.len()) * size_of::<Datum>())?;
    let mut dims = x.dims.clone();
    match x.dims.len().cmp(&y.dims.len()) {
        std::cmp::Ordering::Equal => {
            if x.dims[1..] != y.dims[1..] {
                return Err(cannot_concatenate("Arrays with differing element dimensions"));
            }
            dims[0].len += y.dims[0].len;
        }
        // One side is an element of the other's outer dimension.
        std::cmp::Ordering::Greater if x.dims.len() == y.dims.len() + 1 => {
            if x.dims[1..] != y.dims {
                return Err(cannot_concatenate("Arrays with differing dimensions"));
            }
            dims[0].len += 1;
        }
        std::cmp::Ordering::Less if x.dims.len() + 1 == y.dims.len() => {
            if y.dims[1..] != x.dims {
                return Err(cannot_concatenate("Arrays with differing dimensions"));
            }
            dims = y.dims.clone();
            dims[0].len += 1;
        }
        _ => {
            let why = format!("Arrays of {} and {} dimensions", x.dims.len(), y.dims.len());
            return Err(cannot_concatenate(&why));
        }
    }
    check_bounds(&dims)?;
    // One of NULLs alone may not know what it is one of.
    let element = if x.values.iter().all(Datum::is_null) { y.element } else { x.element };
    let values = collect(x.values.iter().chain(&y.values).cloned())?;
    Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values })))
}

fn one_dimensional(x: &ArrayDatum) -> Result<i32, SqlError> {
    match x.dims[..] {
        [] => Ok(1),
        [d] => Ok(d.lower),
        _ => Err(SqlError::new(SqlState::DATA_EXCEPTION, "argument must be empty or one-dimensional array")),
    }
}

/// `array_append`, also `||` between an array and an element.
pub fn array_append(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::array(element_type(&a[1]), vec![a[1].clone()]));
    }
    let x = array(a, 0)?;
    let lower = one_dimensional(x)?;
    check_size(x.values.len() + 1)?;
    ctx.make_len((x.values.len() + 1) * size_of::<Datum>())?;
    let dims = vec![Dim { len: x.values.len() as i32 + 1, lower }];
    check_bounds(&dims)?;
    let values = collect(x.values.iter().chain([&a[1]]).cloned())?;
    Ok(Datum::Array(Arc::new(ArrayDatum { element: element_with(x, &a[1]), dims, values })))
}

/// `array_prepend`, also `||` between an element and an array.
pub fn array_prepend(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if a[1].is_null() {
        return Ok(Datum::array(element_type(&a[0]), vec![a[0].clone()]));
    }
    let x = array(a, 1)?;
    let lower = one_dimensional(x)?;
    check_size(x.values.len() + 1)?;
    ctx.make_len((x.values.len() + 1) * size_of::<Datum>())?;
    let values = collect([&a[0]].into_iter().chain(&x.values).cloned())?;
    let dims = vec![Dim { len: values.len() as i32, lower }];
    Ok(Datum::Array(Arc::new(ArrayDatum { element: element_with(x, &a[0]), dims, values })))
}

/// The element type of an array that gets one more: one that was made of NULLs alone may not know its own.
fn element_with(x: &ArrayDatum, more: &Datum) -> T {
    if representation_fits(more, x.element) { x.element } else { element_type(more) }
}

/// The element type of a new array around a value.
fn element_type(d: &Datum) -> T {
    match d.natural_type() {
        T::Unknown => T::Text,
        t => t,
    }
}

/// What making an element costs, as bytes of text.
const SPLIT_BYTES: usize = 64;

/// The parts of a text between separators; also `string_to_table`.
pub fn string_to_array(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let Datum::Text(text) = &a[0] else { return Ok(Datum::Null) };
    let null = a.get(2).and_then(Datum::as_str);
    let value = |s: &str| if Some(s) == null { Ok(Datum::Null) } else { part(s) };
    if text.is_empty() {
        return Ok(Datum::array(T::Text, Vec::new()));
    }
    let values = match &a[1] {
        // Without a separator, every character is an element.
        Datum::Text(separator) if separator.is_empty() => vec![value(text)?].into(),
        Datum::Text(separator) => {
            let (mut values, mut pace, mut at) = (Large::<Vec<Datum>>::default(), Pace::default(), 0);
            loop {
                let end = find(text, separator, at)?;
                pace.bytes(SPLIT_BYTES)?;
                make_room(&mut values, 1)?;
                values.push(value(&text[at..end.unwrap_or(text.len())])?);
                match end {
                    Some(end) => at = end + separator.len(),
                    None => break values,
                }
            }
        }
        _ => {
            let (mut values, mut pace) = (Large::<Vec<Datum>>::default(), Pace::default());
            for c in text.chars() {
                pace.bytes(SPLIT_BYTES)?;
                make_room(&mut values, 1)?;
                values.push(value(c.encode_utf8(&mut [0; 4]))?);
            }
            values
        }
    };
    Ok(Datum::array(T::Text, values.into_inner()))
}

fn array_to_string(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (Some(x), Datum::Text(separator)) = (a[0].as_array(), &a[1]) else {
        return Ok(Datum::Null);
    };
    let null = a.get(2).and_then(Datum::as_str);
    let mut out = Text::default();
    let mut first = true;
    for v in &x.values {
        let shown = match (v, null) {
            (Datum::Null, None) => continue,
            (Datum::Null, Some(n)) => n.to_string(),
            (v, _) => to_text(v, x.element, -1, ctx.format)?,
        };
        if !first {
            out.push_str(separator)?;
        }
        first = false;
        out.push_str(&shown)?;
        ctx.check_len(out.len())?;
    }
    Ok(Datum::from(out.finish()?))
}

fn trim_array(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, n) = (array(a, 0)?, int_arg(a, 1));
    let len = x.dims.first().map_or(0, |d| i64::from(d.len));
    if n < 0 || n > len {
        return Err(SqlError::new(
            SqlState::ARRAY_SUBSCRIPT_ERROR,
            format!("number of elements to trim must be between 0 and {len}"),
        ));
    }
    if n == len {
        return Ok(Datum::array(x.element, Vec::new()));
    }
    let row = x.values.len() / len.max(1) as usize;
    // As a slice is, it is counted from one in all dimensions.
    let mut dims: Vec<Dim> = x.dims.iter().map(|d| Dim { lower: 1, ..*d }).collect();
    dims[0].len = (len - n) as i32;
    let values = collect(x.values[..row * (len - n) as usize].iter().cloned())?;
    Ok(Datum::Array(Arc::new(ArrayDatum { element: x.element, dims, values })))
}

fn array_fill(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let null_error = || {
        SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, "dimension array or low bound array cannot be null")
    };
    if a[1..].iter().any(Datum::is_null) {
        return Err(null_error());
    }
    let wrong = |detail: &str| {
        SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts").with_detail(detail)
    };
    let numbers = |i: usize| {
        let numbers = array(a, i)?;
        if numbers.dims.len() > 1 {
            return Err(wrong("Dimension array must be one dimensional."));
        }
        let null = || SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, "dimension values cannot be null");
        numbers.values.iter().map(|n| n.as_i64().ok_or_else(null)).collect::<Result<Vec<i64>, _>>()
    };
    let lengths = numbers(1)?;
    if lengths.len() > MAX_DIMS {
        return Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!(
                "number of array dimensions ({}) exceeds the maximum allowed ({MAX_DIMS})",
                lengths.len()
            ),
        ));
    }
    let lowers = if a.len() > 2 { numbers(2)? } else { vec![1; lengths.len()] };
    if lowers.len() != lengths.len() {
        return Err(wrong("Low bound array has different size than dimensions array."));
    }
    let mut dims = Vec::new();
    let mut count = 1usize;
    for (len, lower) in lengths.into_iter().zip(lowers) {
        // A negative length is one that ran over, to PostgreSQL.
        count = count.saturating_mul(usize::try_from(len).unwrap_or(usize::MAX));
        check_size(count)?;
        dims.push(Dim { len: len as i32, lower: lower as i32 });
    }
    check_bounds(&dims)?;
    let element = element_type(&a[0]);
    if dims.is_empty() || count == 0 {
        return Ok(Datum::array(element, Vec::new()));
    }
    ctx.check_len(count * size_of::<Datum>())?;
    let values = collect(std::iter::repeat_n(&a[0], count).cloned())?;
    Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values })))
}

const A: &[T] = &[T::AnyArray];
const AI: &[T] = &[T::AnyArray, T::Int4];
const AE: &[T] = &[T::AnyArray, T::AnyElement];

pub(super) static TABLE: &[ScalarFn] = &[
    f("array_length", AI, T::Int4, array_length),
    f("array_upper", AI, T::Int4, array_upper),
    f("array_lower", AI, T::Int4, array_lower),
    f("array_ndims", A, T::Int4, array_ndims),
    f("array_dims", A, T::Text, array_dims),
    f("cardinality", A, T::Int4, cardinality),
    lenient(f("array_position", AE, T::Int4, array_position)),
    lenient(f("array_position", &[T::AnyArray, T::AnyElement, T::Int4], T::Int4, array_position)),
    lenient(f("array_positions", AE, T::Int4Array, array_positions)),
    lenient(f("array_remove", AE, T::AnyArray, array_remove)),
    lenient(f("array_replace", &[T::AnyArray, T::AnyElement, T::AnyElement], T::AnyArray, array_replace)),
    lenient(f("array_append", AE, T::AnyArray, array_append)),
    lenient(f("array_prepend", &[T::AnyElement, T::AnyArray], T::AnyArray, array_prepend)),
    lenient(f("array_cat", &[T::AnyArray, T::AnyArray], T::AnyArray, array_cat)),
    f("trim_array", AI, T::AnyArray, trim_array),
    lenient(f("array_fill", &[T::AnyElement, T::Int4Array], T::AnyArray, array_fill)),
    lenient(f("array_fill", &[T::AnyElement, T::Int4Array, T::Int4Array], T::AnyArray, array_fill)),
    lenient(f("string_to_array", &[T::Text, T::Text], T::TextArray, string_to_array)),
    lenient(f("string_to_array", &[T::Text, T::Text, T::Text], T::TextArray, string_to_array)),
    stable("array_to_string", &[T::AnyArray, T::Text], T::Text, array_to_string),
    lenient(stable("array_to_string", &[T::AnyArray, T::Text, T::Text], T::Text, array_to_string)),
];
