//! Growing a file before blocks are needed, and cutting its free tail.

use super::{BITMAP_AT, FileSpace, GROW_MAX, GROW_MIN, MAP_BLOCKS, ROOT_BLOCK, TOTAL_AT, bit, map_of};
use crate::base::codec::{Reader, put_varint, u32_at};
use crate::base::{Error, PAGE_BYTES, PageId, Result};
use crate::mtr::{Env, Mtr, record_bound};
use crate::page::{Kind, Op};
use crate::wal::record;

/// How many blocks a file had before these changes of its first map page, at least; `None`: they leave that as it is.
pub fn total_before(ops: &[u8]) -> Result<Option<u32>> {
    let mut r = Reader::new(ops, "page operations");
    while !r.is_empty() {
        match Op::decode(&mut r)? {
            Op::Init { .. } => return Ok(Some(0)),
            Op::Bytes { at: TOTAL_AT, bytes } if bytes.len() == 4 => {
                let total = u32_at(bytes, 0);
                // What was cut had more.
                return Ok(Some(total.saturating_sub((total / 2).clamp(GROW_MIN, GROW_MAX))));
            }
            _ => {}
        }
    }
    Ok(None)
}

impl FileSpace {
    /// Extends the file: its space first, then the map (space invariant 1). Under `turn`.
    pub(super) fn grow(&self, env: &Env) -> Result<()> {
        let promise = env.wal.promise(record_bound(2, 256))?;
        let total = self.state.lock().total;
        let step = total.clamp(GROW_MIN, GROW_MAX);
        let new_total =
            total.checked_add(step).ok_or_else(|| Error::OutOfSpace { what: "blocks of a tree".into() })?;
        let handle = env.pool.files().must_get(self.file)?;
        let ctx = |e| Error::io(format!("extending data file {}", self.file.0), e);
        handle
            .allocate(u64::from(total) * PAGE_BYTES as u64, u64::from(step) * PAGE_BYTES as u64)
            .map_err(ctx)
            .inspect_err(|e| env.wal.note_lack(e))?;
        // A step is far smaller than a map's reach: at most one new map page lies in it.
        let new_map = map_of(new_total - 1);
        let mut map =
            if new_map >= total { Some(env.pool.fresh(PageId::new(self.file, new_map))?) } else { None };
        let mut first = env.pool.write(PageId::new(self.file, 0))?;
        let mut m = Mtr::new();
        m.page(&mut first).op(Op::Bytes { at: TOTAL_AT, bytes: &new_total.to_le_bytes() });
        if let Some(map) = &mut map {
            m.page(map).op(Op::Init { kind: Kind::Map, level: 0, flags: 0, right: 0 }).op(Op::Bits {
                on: true,
                base: BITMAP_AT,
                first: 0,
                count: 1,
            });
        }
        env.commit(m)?;
        drop(promise);
        self.state.lock().total = new_total;
        Ok(())
    }

    /// Cuts free blocks off the file's end (space invariant 4). Gives the number of blocks cut.
    pub fn trim(&self, env: &Env) -> Result<u32> {
        let _visit = self.visit()?;
        let _turn = self.turn.lock();
        if !self.load(env)? {
            return Ok(0);
        }
        self.release_quarantine();
        let old = self.state.lock().total;
        let mut total = old;
        while total > ROOT_BLOCK + 1 {
            let last = total - 1;
            let map = self.map(env, last)?;
            let s = self.state.lock();
            let used = !last.is_multiple_of(MAP_BLOCKS) && bit(&map, last);
            if used || s.promised.contains(&last) || s.quarantined.contains(&last) {
                break;
            }
            total = last;
        }
        let total = total.max(GROW_MIN);
        // Small tails are not worth it: they would grow again at once.
        if old < total + GROW_MIN {
            return Ok(0);
        }
        let cut = old - total;
        let promise = env.wal.promise(record_bound(1, 128))?;
        let mut first = env.pool.write(PageId::new(self.file, 0))?;
        let mut m = Mtr::new();
        m.page(&mut first).op(Op::Bytes { at: TOTAL_AT, bytes: &total.to_le_bytes() });
        env.commit(m)?;
        drop(first);
        {
            let mut s = self.state.lock();
            s.total = total;
            s.hint = s.hint.min(total);
        }
        let mut body = Vec::new();
        record::put_head(&mut body, record::Kind::Truncate, None, &[]);
        put_varint(&mut body, self.file.0);
        put_varint(&mut body, u64::from(total));
        let (_, end) = env.log(&body, &|_| {})?;
        drop(promise);
        env.wal.flush(end)?;
        super::note_cut();
        env.pool.discard(self.file, total);
        env.pool.files().truncate(self.file, total, env.wal.poison())?;
        Ok(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::encode_op;

    #[test]
    fn what_a_file_had_before_it_grew_is_told_by_what_it_has() {
        let grown = |total: u32| {
            let mut ops = Vec::new();
            encode_op(&Op::Bits { on: true, base: BITMAP_AT, first: 3, count: 1 }, &mut ops);
            assert_eq!(total_before(&ops).unwrap(), None);
            let new = total + total.clamp(GROW_MIN, GROW_MAX);
            encode_op(&Op::Bytes { at: TOTAL_AT, bytes: &new.to_le_bytes() }, &mut ops);
            total_before(&ops).unwrap()
        };
        // From its creation on, and whatever was cut off meanwhile.
        for total in (GROW_MIN..5000).chain([70_000, 1 << 30]) {
            assert_eq!(grown(total), Some(total));
        }
        let mut ops = Vec::new();
        encode_op(&Op::Init { kind: Kind::Map, level: 0, flags: 0, right: 0 }, &mut ops);
        assert_eq!(total_before(&ops).unwrap(), Some(0));
    }
}
