//! Ids, units, codec, checksum, errors, locks and threads: what every other module may use.
//!
//! Must not know: files, pages, logs, what threads do.

mod basis;
pub mod blocking;
pub mod clock;
pub mod codec;
mod corruption;
pub mod deadlock;
pub mod duty;
pub mod error;
pub mod histogram;
pub mod ids;
pub mod poison;
mod repeated;
pub mod sync;
pub mod usage;

pub use basis::Basis;
pub use corruption::{Corruption, Place};
pub use deadlock::LockMode;
pub use error::{Error, Result, is_out_of_space};
pub use ids::{BlockNo, FileId, Lsn, MAX_FILE_ID, PAGE_BYTES, PageId, PartitionCount, TreeId, TxnId};
pub use poison::{OnPanic, Poison};
pub use repeated::Repeated;
