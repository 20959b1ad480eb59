//! Named restore points.
//!
//! Must not know: how a restore finds them.

use super::database::Database;
use crate::base::clock;
use crate::base::codec::put_varint;
use crate::base::{Error, Lsn, Result};
use crate::wal::Wal;
use crate::wal::record::{Kind, put_head};

/// Longest name of a restore point.
pub const MARK_BYTES_MAX: usize = 128;

impl Database {
    /// Puts a named restore point into the log; names need not be unique, a restore takes the first. Blocks until it is durable; gives the position
    /// behind it. `InvalidArgument`: no name for one. `OutOfSpace`: nothing was written.
    pub fn mark(&self, name: &str) -> Result<Lsn> {
        let core = self.core();
        let _at_work = core.enter()?;
        if name.is_empty() || name.len() > MARK_BYTES_MAX || name.chars().any(char::is_control) {
            return Err(Error::InvalidArgument(format!(
                "a restore point's name has 1 to {MARK_BYTES_MAX} bytes and no control characters"
            )));
        }
        let mut body = Vec::with_capacity(16 + name.len());
        put_head(&mut body, Kind::Mark, None, &[]);
        put_varint(&mut body, clock::wall_ms());
        body.extend_from_slice(name.as_bytes());
        let wal = &core.env.wal;
        let _promise = wal.promise(Wal::record_bytes(body.len()))?;

        let (_, end) = wal.insert(&body, |_| true)?.expect("no condition was given");
        wal.flush(end)?; // of this log: a failover makes it another's
        Ok(end)
    }
}
