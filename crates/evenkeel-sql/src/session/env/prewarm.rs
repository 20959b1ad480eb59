//! Loading a relation into the buffers.
//!
//! Must not know: how the engine reads.

use super::SessionEnv;
use crate::catalog::Relation;
use crate::catalog::security::acl::{self, Class};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard;

/// Blocks between two looks at whether the statement is to end.
const PIECE_BLOCKS: u32 = 1024;
const BLOCK_BYTES: u64 = 8192;

impl SessionEnv {
    /// Loads blocks of a table or index, the last one included; gives how many they are. `None`: it has no blocks.
    pub(super) fn prewarmed(
        &self,
        oid: u32,
        first: Option<i64>,
        last: Option<i64>,
    ) -> Result<Option<i64>, SqlError> {
        let (tree, table, what, name) = match self.catalog.relation(oid) {
            Some(Relation::Table(t)) => (t.heap.tree, t.oid, "table", t.name.clone()),
            Some(Relation::Index(t, i)) => (i.tree, t.oid, "index", i.name.clone()),
            Some(_) => return Ok(None),
            None => {
                let why = format!("could not open relation with OID {oid}");
                return Err(SqlError::new(SqlState::UNDEFINED_TABLE, why));
            }
        };
        if self.catalog.security().mask(self.roles.1, table, Class::Table, acl::SELECT) == 0 {
            return Err(acl::denied(what, &name));
        }
        let db = self.instance.database();
        let total = db.tree_size_bytes(tree)? / BLOCK_BYTES;
        let end = total as i64 - 1;
        let within = |given: Option<i64>, usual: i64, which: &str| match given {
            Some(block) if block < 0 || block > end => {
                let why = format!("{which} block number must be between 0 and {end}");
                Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why))
            }
            Some(block) => Ok(block),
            None => Ok(usual),
        };
        let (first, last) = (within(first, 0, "starting")?, within(last, end, "ending")?);
        if last < first {
            return Ok(Some(0));
        }
        let (mut from, to) = (first as u32, last as u32 + 1);
        while from < to {
            guard::check()?;
            let piece = from..to.min(from.saturating_add(PIECE_BLOCKS));
            from = piece.end;
            db.prewarm(tree, piece)?;
        }
        Ok(Some(last - first + 1))
    }
}
