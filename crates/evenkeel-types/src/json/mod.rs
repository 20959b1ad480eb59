//! JSON: the text that `json` keeps, and the value that `jsonb` is.
//!
//! `lex.rs` and `parse.rs` read text; `span.rs` finds things in text that stays one; `value.rs` makes encoded values, `binary.rs` reads them;
//! `output.rs` writes them, `order.rs` compares them, `edit.rs` changes them, `make.rs` makes JSON of SQL values, and `populate.rs`
//! SQL values of JSON.
//!
//! Invariants:
//! 1. What is read is nested no deeper than [`MAX_DEPTH`]; what goes down a value makes sure of its stack ([`deeper`]).
//!
//! Must not know: functions and operators.

pub mod binary;
pub mod edit;
pub mod lex;
pub mod make;
pub mod order;
pub mod output;
pub mod parse;
pub mod populate;
pub mod span;
pub mod value;

pub use binary::{Jsonb, Kind};
pub use value::{Value, encode, read};

use crate::error::{SqlError, SqlState};

/// The deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 6400;

/// 54001: nested too deeply.
#[cold]
pub fn too_deep() -> SqlError {
    SqlError::new(SqlState::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
        .with_hint(format!("Arrays and objects of JSON nest no deeper than {MAX_DEPTH} levels."))
}

/// Goes one level down, with stack for it.
#[inline]
pub fn deeper<R>(f: impl FnOnce() -> R) -> R {
    const NEEDED_BYTES: usize = 64 << 10;
    const MORE_BYTES: usize = 1 << 20;
    stacker::maybe_grow(NEEDED_BYTES, MORE_BYTES, f)
}
