//! Rows of a table that an index leads to one after the other, as the table has them: of a key that grows as rows are inserted, of a batch of ids. A cursor over the table, which copies many rows of a leaf at a
//! time, gives them for a fraction of what a descent for each costs.
//!
//! Invariants:
//! 1. A row is what `get` gives: both read the statement's snapshot. What the cursor does not give is asked of `get`.
//! 2. A cursor is opened after some neighbors in turn, of more where the last one was hardly used: where rows come in small groups it would cost more than it saves.
//!
//! Must not know: indexes, conditions.

use super::Cx;
use evenkeel::{Cursor, Direction, KeyRange, TreeId};
use evenkeel_types::decode_rowid;
use evenkeel_types::error::SqlError;
use std::borrow::Cow;
use std::ops::Bound;

/// Ids from a row to the next that still are neighbors: rows between are passed over.
const GAP: u64 = 4;
/// Neighbors in turn before a cursor is opened, at first and at most.
const FIRST: u32 = 4;
const MOST: u32 = 64;

/// Where a scan fetches rows.
pub struct Neighbors {
    last: u64,
    is_backward: bool,
    /// So many neighbors came in turn.
    in_turn: u32,
    /// So many have to.
    wanted: u32,
    cursor: Option<Cursor>,
}

impl Default for Neighbors {
    fn default() -> Self {
        Neighbors { last: 0, is_backward: false, in_turn: 0, wanted: FIRST, cursor: None }
    }
}

impl Neighbors {
    /// The row of a key, as it is stored.
    pub fn read(
        &mut self,
        tree: TreeId,
        key: &[u8],
        cx: &mut Cx<'_>,
    ) -> Result<Option<Cow<'_, [u8]>>, SqlError> {
        let id = decode_rowid(key)?;
        if self.follows(id) && self.advance(tree, key, cx)? {
            return Ok(self.cursor.as_ref().and_then(Cursor::row).map(|(_, stored)| Cow::Borrowed(stored)));
        }
        Ok(cx.txn.get(tree, key)?.map(Cow::Owned))
    }

    /// Whether a row is worth being looked for by a cursor.
    fn follows(&mut self, id: u64) -> bool {
        let (up, down) = (id.wrapping_sub(self.last), self.last.wrapping_sub(id));
        let (ahead, behind) = if self.is_backward { (down, up) } else { (up, down) };
        self.last = id;
        if (1..=GAP).contains(&ahead) {
            self.in_turn += 1;
            return self.in_turn >= self.wanted;
        }
        self.leave();
        if (1..=GAP).contains(&behind) {
            (self.is_backward, self.in_turn) = (!self.is_backward, 1);
        }
        false
    }

    /// Goes on to a row; false: it was not met.
    fn advance(&mut self, tree: TreeId, key: &[u8], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let cursor = match &mut self.cursor {
            Some(cursor) => cursor,
            none => {
                let (range, direction) = match self.is_backward {
                    false => (KeyRange::starting_at(key), Direction::Forward),
                    true => {
                        let (start, end) = (Bound::Unbounded, Bound::Included(key.to_vec()));
                        (KeyRange { start, end }, Direction::Backward)
                    }
                };
                none.insert(cx.txn.cursor(tree, range, direction)?)
            }
        };
        for _ in 0..GAP {
            match cursor.next(cx.txn)? {
                Some((at, _)) if at == key => return Ok(true),
                Some((at, _)) if (at < key) != self.is_backward => {}
                _ => break,
            }
        }
        self.leave();
        Ok(false)
    }

    /// The neighbors have come to an end.
    fn leave(&mut self) {
        if self.cursor.take().is_some() {
            let was_short = self.in_turn < 3 * self.wanted;
            self.wanted = if was_short { (2 * self.wanted).min(MOST) } else { FIRST };
        }
        self.in_turn = 0;
    }
}
