#![doc = include_str!("README.md")]
//!
//! Must not know: threads, pages' content, transactions' rules.

mod cut;
mod fill;
mod pack;
mod strip;
#[cfg(test)]
mod tests;

pub use cut::{Cut, EndOfLog};
pub use fill::fill;
pub use pack::{LEVEL_MAX, is_packed, pack, unpack};
pub use strip::{Stripped, strip};

use crate::base::Result;

/// Reads a segment in any form: as the engine writes it, or packed. `end` as for [`Cut::from_file`].
pub fn read_segment(bytes: Vec<u8>, end: EndOfLog) -> Result<Cut> {
    if is_packed(&bytes) { Ok(unpack(&bytes)?.0) } else { Cut::from_file(&bytes, end) }
}
