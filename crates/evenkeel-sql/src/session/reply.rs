//! What a reply rests on.
//!
//! Invariants
//! 1. It only grows, until the reply is sent or given up.
//!
//! Must not know: how a reply is sent, who waits.

use evenkeel::{Basis, Database, Level, Lsn};

const LEVELS: [Level; 3] = [Level::Written, Level::Durable, Level::Applied];

/// What must be safe before a reply may leave: a place for each level, since `synchronous_commit` may change within it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reply {
    by_level: [Basis; 3],
    /// It tells of a commit that changed something, or did not tell of it yet.
    pub has_committed: bool,
}

impl Reply {
    /// It tells of what rests on this.
    pub fn raise(&mut self, basis: Basis, level: Level) {
        let at = &mut self.by_level[level as usize];
        *at = at.max(basis);
    }

    /// The log has to be durable here up to this, whatever else is asked for.
    pub fn local(&self) -> Lsn {
        self.by_level.iter().map(|b| b.local).max().unwrap_or_default()
    }

    /// Something that it rests on, whose log is durable here, and that may not be told yet. An error: nothing may any more.
    pub fn untold(&self, database: &Database) -> evenkeel::Result<Option<(Basis, Level)>> {
        for (basis, level) in self.by_level.into_iter().zip(LEVELS) {
            if basis != Basis::NONE && !database.is_told(basis, level)? {
                return Ok(Some((basis, level)));
            }
        }
        Ok(None)
    }

    /// Blocks until it may be told. `is_canceled` as in [`Database::wait_told`].
    pub fn wait(&self, database: &Database, is_canceled: &dyn Fn() -> bool) -> evenkeel::Result<()> {
        for (basis, level) in self.by_level.into_iter().zip(LEVELS) {
            if basis != Basis::NONE {
                database.wait_told(basis, level, is_canceled)?;
            }
        }
        Ok(())
    }
}
