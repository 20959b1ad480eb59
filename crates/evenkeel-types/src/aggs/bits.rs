//! `bit_and`, `bit_or` and `bit_xor` of strings of bits.

use crate::bits::Bits;
use crate::datum::Datum;
use crate::error::SqlError;
use crate::funcs::bits::combined;
use crate::function::{AggFn, AggState, EvalCtx};
use crate::ty::Type as T;

struct BitStrings {
    result: Datum,
    name: &'static str,
    combine: fn(u8, u8) -> u8,
}

impl AggState for BitStrings {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        let Some(new) = args.first().filter(|d| !d.is_null()) else { return Ok(()) };
        self.result = match (Bits::of(&self.result), Bits::of(new)) {
            (Some(a), Some(b)) => combined(a, b, self.name, self.combine)?,
            _ => new.clone(),
        };
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(std::mem::take(&mut self.result))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.result.memory_bytes()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        Ok(Some(self.result.clone()))
    }
}

fn state(name: &'static str, combine: fn(u8, u8) -> u8) -> Box<dyn AggState> {
    Box::new(BitStrings { result: Datum::Null, name, combine })
}

pub(super) static TABLE: &[AggFn] = &[
    AggFn { name: "bit_and", args: &[T::Bit], ret: T::Bit, new: |_| state("AND", |a, b| a & b) },
    AggFn { name: "bit_or", args: &[T::Bit], ret: T::Bit, new: |_| state("OR", |a, b| a | b) },
    AggFn { name: "bit_xor", args: &[T::Bit], ret: T::Bit, new: |_| state("XOR", |a, b| a ^ b) },
];
