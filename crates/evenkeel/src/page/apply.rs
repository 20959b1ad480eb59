//! Applying ops to pages, at run time and in redo alike, and checking a page's structure.

use super::op::{Op, SPARSE_BYTES_MAX, expand, patch};
use super::{HEADER_BYTES, Kind, Page, PageMut, SLOT_BYTES, at};
use crate::base::codec::{Reader, u16_at};
use crate::base::{Error, PAGE_BYTES, Result};

/// Applies encoded ops, one after another. On error the page may be half changed: redo reports corruption and run time treats
/// it as a broken invariant.
pub fn apply(page: &mut [u8], ops: &[u8]) -> Result<()> {
    debug_assert_eq!(page.len(), PAGE_BYTES);
    let mut r = Reader::new(ops, "page operation");
    while !r.is_empty() {
        one(page, Op::decode(&mut r)?)?;
    }
    Ok(())
}

fn need(ok: bool, why: &str) -> Result<()> {
    if ok { Ok(()) } else { Err(Error::corrupt(format!("page operation does not fit its page: {why}"))) }
}

fn one(page: &mut [u8], op: Op<'_>) -> Result<()> {
    let mut p = PageMut(page);
    let n = p.view().slot_count();
    let tree = p.view().kind() == Some(Kind::Tree);
    let on_slots = matches!(
        op,
        Op::Insert { .. }
            | Op::InsertSparse { .. }
            | Op::InsertMany { .. }
            | Op::Remove { .. }
            | Op::Patch { .. }
            | Op::High(_)
    );
    let on_bytes = matches!(op, Op::Bytes { .. } | Op::Bits { .. });
    need(tree || !on_slots, "slots of a page that has none")?;
    need(!tree || !on_bytes, "raw bytes of a tree page")?;
    match op {
        Op::Init { kind, level, flags, right } => p.init(kind, level, flags, right),
        Op::Insert { slot, item } => need(p.insert(slot, item), "insert")?,
        Op::InsertSparse { slot, len, bits, bytes } => {
            let mut buffer = [0; SPARSE_BYTES_MAX];
            let item = expand(len, bits, bytes, &mut buffer);
            need(item.is_some_and(|item| p.insert(slot, item)), "sparse insert")?;
        }
        Op::InsertMany { mut slot, items } => {
            let mut r = Reader::new(items, "items");
            while !r.is_empty() {
                need(p.insert(slot, r.bytes()?), "insert of several")?;
                slot += 1;
            }
        }
        Op::Remove { from, to } => {
            need(from <= to && to <= n, "remove")?;
            p.remove(from, to);
        }
        Op::Patch { slot, len, ranges } => {
            need(slot < n && len.is_none_or(|len| len > 0 && p.resize(slot, len)), "patch")?;
            need(patch(p.item_mut(slot), ranges)?, "patch range")?;
        }
        Op::Right(v) => p.set_right(v),
        Op::Flags(v) => p.set_flags(v),
        Op::High(key) => need(p.set_high(key), "high key")?,
        Op::Bytes { at, bytes } => {
            let end = at.saturating_add(bytes.len());
            need(at >= HEADER_BYTES && end <= PAGE_BYTES, "bytes")?;
            p.0[at..end].copy_from_slice(bytes);
        }
        Op::Bits { on, base, first, count } => {
            let end = first.saturating_add(count);
            need(base >= HEADER_BYTES && base + end.div_ceil(8) <= PAGE_BYTES, "bits")?;
            for bit in first..end {
                let (byte, mask) = (base + bit / 8, 1u8 << (bit % 8));
                need((p.0[byte] & mask == 0) == on, "a bit has that value already")?;
                p.0[byte] ^= mask;
            }
        }
    }
    Ok(())
}

/// Whether header and slots are sane: every item inside the heap, no overlap with the slots. Everything that follows slots relies
/// on it, so it is checked when a page enters the pool.
pub fn check(page: &[u8]) -> Result<()> {
    let p = Page(page);
    let bad = |why: &str| Err(Error::corrupt(format!("page structure: {why}")));
    let Some(kind) = p.kind() else { return bad("unknown kind") };
    if kind != Kind::Tree {
        return Ok(());
    }
    let (slots_end, heap) = (HEADER_BYTES + p.slot_count() * SLOT_BYTES, p.heap_start());
    if slots_end > heap || heap > PAGE_BYTES {
        return bad("slots run into the heap");
    }
    let mut used = 0;
    for i in 0..p.slot_count() {
        let (off, len) = p.slot(i);
        if len == 0 || off < heap || off + len > PAGE_BYTES {
            return bad("an item lies outside the heap");
        }
        used += len;
    }
    let (off, len) = (usize::from(u16_at(page, at::HIGH_OFF)), usize::from(u16_at(page, at::HIGH_LEN)));
    if off == 0 && len != 0 {
        return bad("a high key without a place");
    }
    if off != 0 && (len == 0 || off < heap || off + len > PAGE_BYTES) {
        return bad("the high key lies outside the heap");
    }
    used += if off == 0 { 0 } else { len };
    if used + p.garbage() != PAGE_BYTES - heap {
        return bad("heap bytes do not add up");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{encode_last_op, encode_op, flag, op};
    use super::*;

    fn run(page: &mut [u8], ops: &[Op<'_>]) -> Result<()> {
        let mut bytes = Vec::new();
        ops.iter().for_each(|o| encode_op(o, &mut bytes));
        apply(page, &bytes)
    }

    /// As the last operation of its page.
    fn run_last(page: &mut [u8], op: Op<'_>) {
        let mut bytes = Vec::new();
        encode_last_op(&op, &mut bytes);
        apply(page, &bytes).unwrap();
    }

    fn leaf() -> Vec<u8> {
        let mut page = vec![0u8; PAGE_BYTES];
        run(&mut page, &[Op::Init { kind: Kind::Tree, level: 0, flags: 0, right: 0 }]).unwrap();
        page
    }

    /// Random edits against a plain vector of items.
    #[test]
    fn random_edits_match_a_model() {
        for seed in 0..40 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (mut page, mut model, mut high) = (leaf(), Vec::<Vec<u8>>::new(), None);
            for _ in 0..600 {
                let zeros = rng.u8(0..4);
                let byte = |rng: &mut fastrand::Rng| if rng.u8(0..4) < zeros { 0 } else { rng.u8(..) };
                let len = rng.usize(1..600);
                let item: Vec<u8> = (0..len).map(|_| byte(&mut rng)).collect();
                let slot = rng.usize(0..=model.len());
                let mut ranges = Vec::new();
                let free = Page(&page).free_bytes();
                match rng.u8(0..6) {
                    0 | 1 if free >= item.len() + SLOT_BYTES => {
                        match rng.bool() {
                            true => run_last(&mut page, Op::Insert { slot, item: &item }),
                            false => run(&mut page, &[Op::Insert { slot, item: &item }]).unwrap(),
                        }
                        model.insert(slot, item);
                    }
                    5 if slot < model.len() => {
                        let mut item = model[slot].clone();
                        let at = rng.usize(0..item.len());
                        item[at..].iter_mut().take(3).for_each(|b| *b = byte(&mut rng));
                        op::diff(&model[slot], &item, &mut ranges);
                        run_last(&mut page, Op::Patch { slot, len: None, ranges: &ranges });
                        model[slot] = item;
                    }
                    2 if slot < model.len() => {
                        let to = rng.usize(slot..=model.len().min(slot + 3));
                        run(&mut page, &[Op::Remove { from: slot, to }]).unwrap();
                        model.drain(slot..to);
                    }
                    3 if slot < model.len() && free + model[slot].len() >= item.len() => {
                        op::diff(&model[slot], &item, &mut ranges);
                        let len = (model[slot].len() != item.len() || rng.bool()).then_some(item.len());
                        run_last(&mut page, Op::Patch { slot, len, ranges: &ranges });
                        model[slot] = item;
                    }
                    4 if free + high.as_ref().map_or(0, Vec::len) >= item.len() => {
                        run(&mut page, &[Op::High(Some(&item))]).unwrap();
                        high = Some(item);
                    }
                    _ => {}
                }
                check(&page).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                let p = Page(&page);
                assert!(
                    (0..p.slot_count()).map(|i| p.item(i)).eq(model.iter().map(|m| &m[..])),
                    "seed {seed}"
                );
                assert_eq!(p.high(), high.as_deref(), "seed {seed}");
            }
        }
    }

    #[test]
    fn an_item_too_many_is_refused_and_the_page_stays_sane() {
        let mut page = leaf();
        let item = [7u8; 1000];
        for i in 0..8 {
            run(&mut page, &[Op::Insert { slot: i, item: &item }]).unwrap();
        }
        assert!(run(&mut page, &[Op::Insert { slot: 0, item: &item }]).is_err());
        check(&page).unwrap();
        assert_eq!(Page(&page).slot_count(), 8);
    }

    #[test]
    fn a_bit_cannot_be_set_twice() {
        let mut page = vec![0u8; PAGE_BYTES];
        let set = Op::Bits { on: true, base: 64, first: 3, count: 2 };
        run(&mut page, std::slice::from_ref(&set)).unwrap();
        assert_eq!(page[64], 0b0001_1000);
        assert!(run(&mut page, &[set]).is_err());
        run(&mut page, &[Op::Bits { on: false, base: 64, first: 3, count: 2 }]).unwrap();
        assert_eq!(page[64], 0);
    }

    #[test]
    fn flags_and_links_are_set() {
        let mut page = leaf();
        run(&mut page, &[Op::Flags(flag::SPLIT_UNFINISHED), Op::Right(9)]).unwrap();
        assert!(Page(&page).has(flag::SPLIT_UNFINISHED));
        assert_eq!(Page(&page).right(), 9);
    }

    /// Hostile log bytes: errors only.
    #[test]
    fn random_bytes_never_panic() {
        for seed in 0..3000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut page = leaf();
            let bytes: Vec<u8> =
                (0..rng.usize(1..80)).map(|_| if rng.bool() { rng.u8(0..14) } else { rng.u8(..) }).collect();
            let _ = apply(&mut page, &bytes);
            if check(&page).is_ok() {
                let p = Page(&page);
                (0..p.slot_count()).for_each(|i| assert!(!p.item(i).is_empty(), "seed {seed}"));
            }
        }
    }

    #[test]
    fn a_page_at_the_wrong_place_fails_its_checksum() {
        use crate::base::{FileId, PageId};
        let mut page = leaf();
        let here = PageId::new(FileId(3), 7);
        super::super::seal(&mut page, here);
        assert!(super::super::verify(&page, here));
        assert!(!super::super::verify(&page, PageId::new(FileId(3), 8)));
        page[100] ^= 1;
        assert!(!super::super::verify(&page, here));
    }
}
