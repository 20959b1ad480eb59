//! Tests of the type system: golden expressions, round trips, key order, hostile input.

mod eval;
mod golden;
mod hostile;
mod random;
mod roundtrip;
