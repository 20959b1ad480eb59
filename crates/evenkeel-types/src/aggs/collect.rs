//! `count`, `min`, `max`, and the aggregates that collect or combine values.

use std::cmp::Ordering;

use super::skipped;
use crate::compare::compare;
use crate::datum::{ArrayDatum, Datum, Dim, outer_dims};
use crate::error::SqlError;
use crate::function::{AggFn, AggState, EvalCtx};
use crate::guard::build::make_room;
use crate::guard::discard::Large;
use crate::ty::Type as T;
use std::sync::Arc;

struct Count {
    n: i64,
    nulls_too: bool,
}

impl AggState for Count {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        self.n += i64::from(self.nulls_too || !skipped(args));
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(Datum::Int8(self.n))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }

    fn remove(&mut self, args: &[Datum]) -> Result<bool, SqlError> {
        self.n -= i64::from(self.nulls_too || !skipped(args));
        Ok(true)
    }
}

/// `count(*)`
pub(super) fn count_rows(_: &[T]) -> Box<dyn AggState> {
    Box::new(Count { n: 0, nulls_too: true })
}

/// `count(x)`
pub(super) fn count_values(_: &[T]) -> Box<dyn AggState> {
    Box::new(Count { n: 0, nulls_too: false })
}

/// The extreme value in one direction.
struct Extreme {
    best: Datum,
    wanted: Ordering,
    /// The type. Texts may be compared by their sort keys: the one that is found is given as a text.
    of: T,
    /// Of what is compared by what cannot tell it: the value, which is a second argument.
    own: Option<Datum>,
}

impl Extreme {
    fn of(types: &[T], wanted: Ordering) -> Box<dyn AggState> {
        let of = types.first().copied().unwrap_or(T::Unknown);
        Box::new(Extreme { best: Datum::Null, wanted, of, own: None })
    }

    fn shown(&self, best: Datum) -> Result<Datum, SqlError> {
        if let Some(own) = &self.own {
            return Ok(own.clone());
        }
        match (self.of, best) {
            (of, best) if crate::collation::is_collatable(of) => crate::collation::texts_of(best, of),
            (_, best) => Ok(best),
        }
    }
}

impl AggState for Extreme {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if skipped(args) {
            return Ok(());
        }
        // Of values that are equal and not the same the last is given, as PostgreSQL's functions choose, but for `char(n)`.
        let order = compare(&args[0], &self.best);
        if self.best.is_null() || order == self.wanted || order.is_eq() && self.of != T::Bpchar {
            self.best = args[0].clone();
            self.own = args.get(1).cloned();
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        let best = std::mem::take(&mut self.best);
        self.shown(best)
    }

    fn memory_bytes(&self) -> usize {
        let own = self.own.as_ref().map_or(0, Datum::memory_bytes);
        size_of::<Self>() + self.best.memory_bytes() + own
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.shown(self.best.clone()).map(Some)
    }
}

pub(super) fn min(types: &[T]) -> Box<dyn AggState> {
    Extreme::of(types, Ordering::Less)
}

pub(super) fn max(types: &[T]) -> Box<dyn AggState> {
    Extreme::of(types, Ordering::Greater)
}

/// `bool_and` and `bool_or`: the value that decides, once seen, stays.
struct Bools {
    result: Option<bool>,
    decides: bool,
}

impl AggState for Bools {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if let Some(v) = args.first().and_then(Datum::as_bool) {
            self.result = Some(if v == self.decides { v } else { self.result.unwrap_or(v) });
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(Datum::from(self.result))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }
}

fn bool_and(_: &[T]) -> Box<dyn AggState> {
    Box::new(Bools { result: None, decides: false })
}

fn bool_or(_: &[T]) -> Box<dyn AggState> {
    Box::new(Bools { result: None, decides: true })
}

/// `bit_and`, `bit_or`, `bit_xor`
struct Bits {
    result: Option<i64>,
    combine: fn(i64, i64) -> i64,
    ty: T,
}

impl AggState for Bits {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if let Some(v) = args.first().and_then(Datum::as_i64) {
            self.result = Some(self.result.map_or(v, |r| (self.combine)(r, v)));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(match (self.result, self.ty) {
            (None, _) => Datum::Null,
            (Some(v), T::Int2) => Datum::Int2(v as i16),
            (Some(v), T::Int4) => Datum::Int4(v as i32),
            (Some(v), _) => Datum::Int8(v),
        })
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }
}

fn bits(args: &[T], combine: fn(i64, i64) -> i64) -> Box<dyn AggState> {
    Box::new(Bits { result: None, combine, ty: args.first().copied().unwrap_or(T::Int8) })
}

fn bit_and(args: &[T]) -> Box<dyn AggState> {
    bits(args, |a, b| a & b)
}

fn bit_or(args: &[T]) -> Box<dyn AggState> {
    bits(args, |a, b| a | b)
}

fn bit_xor(args: &[T]) -> Box<dyn AggState> {
    bits(args, |a, b| a ^ b)
}

/// Before something grows by doubling: two of it are there while it is moved.
fn grow(capacity: usize, len: usize, more: usize) -> Result<(), SqlError> {
    if capacity - len >= more { Ok(()) } else { crate::guard::admit((len + more).max(capacity * 2)) }
}

/// `string_agg` of text: the separator of each row stands before that row's value, but for the first.
struct StringAgg {
    text: Option<String>,
}

impl AggState for StringAgg {
    fn update(&mut self, args: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
        let Some(Datum::Text(value)) = args.first() else { return Ok(()) };
        match &mut self.text {
            None => {
                crate::guard::admit(value.len())?;
                self.text = Some(value.to_string());
            }
            Some(text) => {
                let separator = args.get(1).and_then(Datum::as_str).unwrap_or("");
                ctx.check_len(text.len() + separator.len() + value.len())?;
                grow(text.capacity(), text.len(), separator.len() + value.len())?;
                text.push_str(separator);
                text.push_str(value);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        crate::guard::admit(self.text.as_ref().map_or(0, String::len))?;
        Ok(Datum::from(self.text.take()))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.text.as_ref().map_or(0, String::capacity)
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        crate::guard::admit(self.text.as_ref().map_or(0, String::len))?;
        Ok(Some(self.text.as_deref().map_or(Datum::Null, Datum::text)))
    }
}

fn string_agg(_: &[T]) -> Box<dyn AggState> {
    Box::new(StringAgg { text: None })
}

struct BytesAgg {
    bytes: Option<Vec<u8>>,
}

impl AggState for BytesAgg {
    fn update(&mut self, args: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
        let Some(Datum::Bytes(value)) = args.first() else { return Ok(()) };
        match &mut self.bytes {
            None => {
                crate::guard::admit(value.len())?;
                self.bytes = Some(value.to_vec());
            }
            Some(bytes) => {
                let separator = args.get(1).and_then(Datum::as_bytes).unwrap_or(&[]);
                ctx.check_len(bytes.len() + separator.len() + value.len())?;
                grow(bytes.capacity(), bytes.len(), separator.len() + value.len())?;
                bytes.extend_from_slice(separator);
                bytes.extend_from_slice(value);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        crate::guard::admit(self.bytes.as_ref().map_or(0, Vec::len))?;
        Ok(self.bytes.take().map_or(Datum::Null, Datum::bytes))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.bytes.as_ref().map_or(0, Vec::capacity)
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        crate::guard::admit(self.bytes.as_ref().map_or(0, Vec::len))?;
        Ok(Some(self.bytes.clone().map_or(Datum::Null, Datum::bytes)))
    }
}

fn bytes_agg(_: &[T]) -> Box<dyn AggState> {
    Box::new(BytesAgg { bytes: None })
}

/// `array_agg`: nulls are elements; arrays become the inner dimensions.
struct ArrayAgg {
    element: T,
    collects_arrays: bool,
    values: Large<Vec<Datum>>,
    rows: usize,
    inner: Option<Vec<Dim>>,
    bytes: usize,
}

impl AggState for ArrayAgg {
    fn update(&mut self, args: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
        let Some(v) = args.first() else { return Ok(()) };
        if v.is_null() && self.collects_arrays {
            return Err(SqlError::new(
                crate::error::SqlState::NULL_VALUE_NOT_ALLOWED,
                "cannot accumulate null arrays",
            ));
        }
        match v {
            Datum::Array(a) if self.inner.is_some() || self.rows == 0 && a.element == self.element => {
                let dims = self.inner.get_or_insert_with(|| a.dims.clone());
                if *dims != a.dims {
                    return Err(SqlError::new(
                        crate::error::SqlState::ARRAY_SUBSCRIPT_ERROR,
                        "cannot accumulate arrays of different dimensionality",
                    ));
                }
                if dims.is_empty() {
                    return Err(SqlError::new(
                        crate::error::SqlState::ARRAY_SUBSCRIPT_ERROR,
                        "cannot accumulate empty arrays",
                    ));
                }
                make_room(&mut self.values, a.values.len())?;
                self.values.extend(a.values.iter().cloned());
            }
            v => {
                make_room(&mut self.values, 1)?;
                self.values.push(v.clone());
            }
        }
        self.rows += 1;
        self.bytes += v.memory_bytes();
        ctx.check_len(self.bytes)
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        if self.rows == 0 {
            return Ok(Datum::Null);
        }
        let dims = outer_dims(self.rows, self.inner.take().as_deref().unwrap_or_default())?;
        let values = std::mem::take(&mut self.values);
        Ok(Datum::Array(Arc::new(ArrayDatum { element: self.element, dims, values })))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.bytes
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        if self.rows == 0 {
            return Ok(Some(Datum::Null));
        }
        let dims = outer_dims(self.rows, self.inner.as_deref().unwrap_or_default())?;
        let mut values: Large<Vec<Datum>> = Large::default();
        make_room(&mut values, self.values.len())?;
        values.extend(self.values.iter().cloned());
        Ok(Some(Datum::Array(Arc::new(ArrayDatum { element: self.element, dims, values }))))
    }
}

fn array_agg(args: &[T]) -> Box<dyn AggState> {
    let ty = args.first().copied().unwrap_or(T::Text);
    let element = ty.element().unwrap_or(ty);
    let collects_arrays = ty.element().is_some();
    Box::new(ArrayAgg { element, collects_arrays, values: Large::default(), rows: 0, inner: None, bytes: 0 })
}

/// `any_value`: the first that is not NULL.
struct AnyValue(Datum);

impl AggState for AnyValue {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if self.0.is_null() && !skipped(args) {
            self.0 = args[0].clone();
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(std::mem::take(&mut self.0))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.0.memory_bytes()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        Ok(Some(self.0.clone()))
    }
}

fn any_value(_: &[T]) -> Box<dyn AggState> {
    Box::new(AnyValue(Datum::Null))
}

pub(super) const TABLE: &[AggFn] = &[
    AggFn { name: "bool_and", args: &[T::Bool], ret: T::Bool, new: bool_and },
    AggFn { name: "every", args: &[T::Bool], ret: T::Bool, new: bool_and },
    AggFn { name: "bool_or", args: &[T::Bool], ret: T::Bool, new: bool_or },
    AggFn { name: "bit_and", args: &[T::Int2], ret: T::Int2, new: bit_and },
    AggFn { name: "bit_and", args: &[T::Int4], ret: T::Int4, new: bit_and },
    AggFn { name: "bit_and", args: &[T::Int8], ret: T::Int8, new: bit_and },
    AggFn { name: "bit_or", args: &[T::Int2], ret: T::Int2, new: bit_or },
    AggFn { name: "bit_or", args: &[T::Int4], ret: T::Int4, new: bit_or },
    AggFn { name: "bit_or", args: &[T::Int8], ret: T::Int8, new: bit_or },
    AggFn { name: "bit_xor", args: &[T::Int2], ret: T::Int2, new: bit_xor },
    AggFn { name: "bit_xor", args: &[T::Int4], ret: T::Int4, new: bit_xor },
    AggFn { name: "bit_xor", args: &[T::Int8], ret: T::Int8, new: bit_xor },
    AggFn { name: "string_agg", args: &[T::Text, T::Text], ret: T::Text, new: string_agg },
    AggFn { name: "string_agg", args: &[T::Bytea, T::Bytea], ret: T::Bytea, new: bytes_agg },
    AggFn { name: "array_agg", args: &[T::AnyElement], ret: T::AnyArray, new: array_agg },
    AggFn { name: "any_value", args: &[T::AnyElement], ret: T::AnyElement, new: any_value },
];
