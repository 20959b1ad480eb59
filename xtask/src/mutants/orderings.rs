//! The engine's orderings, each as a change that breaks it: the log before the page, the page before the redo point, the log before whoever tells of it.
//! What is found by its name, a sync or a wait, is not here (`sites`).

/// What is broken, where, which text, and what stands there instead (of what is within « and », if they are in the text).
pub const ORDERINGS: &[(&str, &str, &str, &str)] = &[
    (
        "a page carries the LSN before its change, so its log need not be durable",
        "crates/evenkeel/src/mtr/mod.rs",
        "page::set_lsn(page, end);",
        "page::set_lsn(page, start);",
    ),
    (
        "a page is not marked dirty before its record is reserved",
        "crates/evenkeel/src/mtr/mod.rs",
        "t.page.mark_dirty();",
        "",
    ),
    (
        "a record built before the floor rose is taken",
        "crates/evenkeel/src/mtr/mod.rs",
        "self.floors.epoch.load(Ordering::SeqCst) == epoch",
        "true",
    ),
    (
        "the floor rises without the reservations held",
        "crates/evenkeel/src/mtr/mod.rs",
        "self.epoch.fetch_add(1, Ordering::SeqCst);",
        "",
    ),
    (
        "write-back waits for the log of the oldest page of a batch only",
        "crates/evenkeel/src/pool/write_back.rs",
        "batch.iter().map(|c| c.lsn).max()",
        "batch.iter().map(|c| c.lsn).min()",
    ),
    (
        "a round does not wait for others' writes of its pages",
        "crates/evenkeel/src/checkpoint/round.rs",
        "ground.pool().wait_write_backs(partition);",
        "",
    ),
    (
        "a round syncs nothing that others wrote",
        "crates/evenkeel/src/checkpoint/round.rs",
        "self.sync_the_rest()?",
        "()",
    ),
    (
        "a write counts as synced by a sync that began before it",
        "crates/evenkeel/src/pool/files.rs",
        "of_file.filter(|(_, n)| **n <= upto)",
        "of_file.filter(|_| true)",
    ),
    (
        "written pages owe no sync",
        "crates/evenkeel/src/pool/files.rs",
        "self.unsynced.insert((file, rest.trailing_zeros() as usize), self.completed);",
        "",
    ),
    (
        "a new file's name is never synced",
        "crates/evenkeel/src/pool/files.rs",
        "self.marks.lock().unnamed.contains(&file)",
        "false",
    ),
    (
        "places of the double-write file are free before their pages are synced at home",
        "crates/evenkeel/src/pool/double_write.rs",
        "covered.get(file).is_none_or(|upto| write > upto)",
        "false",
    ),
    (
        "log that a transaction's undo needs is given back",
        "crates/evenkeel/src/checkpoint/checkpointer.rs",
        "min_redo.min(begin).min(oldest)",
        "min_redo.min(begin)",
    ),
    (
        "log that redo needs is given back",
        "crates/evenkeel/src/checkpoint/checkpointer.rs",
        "min_redo.min(begin).min(oldest)",
        "begin.min(oldest)",
    ),
    (
        "log that the archive has not got is given back",
        "crates/evenkeel/src/wal/space.rs",
        "horizon.min(self.flushed()).min(self.archived())",
        "horizon.min(self.flushed())",
    ),
    (
        "a change of protection counts before every partition is past it",
        "crates/evenkeel/src/checkpoint/checkpointer.rs",
        "min_redo >= change.start",
        "true",
    ),
    (
        "a commit is acknowledged before its record is durable",
        "crates/evenkeel/src/store/handle.rs",
        "«wait_for = with_record(end, t.observed);»",
        "",
    ),
    (
        "others do not wait for a commit that they see",
        "crates/evenkeel/src/store/handle.rs",
        "self.txns.commit_logged(&shared, at, with_record(Lsn(at.0 + bytes), rests_on));",
        "self.txns.commit_logged(&shared, at, rests_on);",
    ),
    (
        "an asynchronous commit hides what it rests on",
        "crates/evenkeel/src/store/handle.rs",
        "t.observed.max(t.derived)",
        "t.observed",
    ),
    (
        "a commit is forgotten before it is durable",
        "crates/evenkeel/src/txn/manager.rs",
        "t.commit_number.load(Ordering::Relaxed) > seen || !t.commit_basis().is_within(safe)",
        "t.commit_number.load(Ordering::Relaxed) > seen",
    ),
    (
        "a commit is forgotten while a snapshot does not see it",
        "crates/evenkeel/src/txn/manager.rs",
        "t.commit_number.load(Ordering::Relaxed) > seen || !t.commit_basis().is_within(safe)",
        "!t.commit_basis().is_within(safe)",
    ),
    (
        "a gang takes records that are not in place",
        "crates/evenkeel/src/wal/gang.rs",
        "Extent::All => «log.completed()»,",
        "log.reserved()",
    ),
    (
        "a write that overtook another is told as durable",
        "crates/evenkeel/src/wal/gang.rs",
        "self.flushed.store(state.turns.flushed().0, Ordering::Release);",
        "self.flushed.store(flight.to.0, Ordering::Release);",
    ),
    (
        "a gang does not say how far the log was durable",
        "crates/evenkeel/src/wal/gang.rs",
        "if extent == Extent::All {\n            log.tell_flushed();\n        }",
        "",
    ),
    (
        "what lies behind the end in a block is not zero",
        "crates/evenkeel/src/wal/write.rs",
        "tail[rest..].fill(0);",
        "",
    ),
    (
        "pages of a poisoned engine go home",
        "crates/evenkeel/src/pool/write_back.rs",
        "«self.poison.check()?;»\n        for (c, copy)",
        "",
    ),
    (
        "a page from behind the durable log is taken from the disk",
        "crates/evenkeel/src/pool/fetch.rs",
        "page::lsn(bytes) > wal.flushed()",
        "false",
    ),
    (
        "log segments lose the header of their life when they are used again",
        "crates/evenkeel/src/wal/segment.rs",
        "write_all_at(&*file, &mut [IoSlice::new(&block)], at).map_err(|e| ctx(\"recycling\", e))?;",
        "",
    ),
    (
        "the archived floor rises before the object is there",
        "crates/evenkeel/src/archive/ship.rs",
        "wal.set_archived(wal.geometry().start_of(state.next));",
        "wal.set_archived(crate::base::Lsn(u64::MAX));",
    ),
    (
        "what is told does not ask the quorum",
        "crates/evenkeel/src/wal/horizon.rs",
        "let told = basis.local <= self.flushed() && basis.quorum <= self.told_at(level as usize);",
        "let told = basis.local <= self.flushed();",
    ),
    (
        "a start tells what it finds",
        "crates/evenkeel/src/wal/horizon.rs",
        "inner.floor.store(inner.wal.next_lsn().0, Ordering::SeqCst);",
        "",
    ),
    (
        "a standby's readers tell what the primary may not",
        "crates/evenkeel/src/txn/manager.rs",
        "inner.publish(shared, Basis { local: Lsn::ZERO, quorum: end });",
        "inner.publish(shared, Basis::NONE);",
    ),
    (
        "a standby forgets after a crash that others are asked",
        "crates/evenkeel/src/engine/standby.rs",
        "shared.confirm().map_err(|e| self.failed(e))?;",
        "",
    ),
    (
        "two connections of one standby are a quorum",
        "crates/evenkeel/src/wal/quorum.rs",
        "by_name.insert(f.name.to_lowercase(), (place, *number, f));",
        "by_name.insert(number.to_string(), (place, *number, f));",
    ),
    (
        "what is applied counts before it is durable",
        "crates/evenkeel/src/wal/quorum.rs",
        "applied.min(durable)]",
        "applied]",
    ),
    (
        "a standby's redo points are known without a round record",
        "crates/evenkeel/src/checkpoint/following.rs",
        "known.round.is_none() && data.round == Lsn::ZERO",
        "false",
    ),
    (
        "a reader of a standby is at pages while a wave is applied",
        "crates/evenkeel/src/store/mod.rs",
        "            «let inside = gate.enter()?;»\n            match",
        "let inside = ();",
    ),
    (
        "a standby's undo of before the replay's begin is not read",
        "crates/evenkeel/src/recovery/follow.rs",
        "readers.earlier(&rec);",
        "",
    ),
    (
        "the primary does not keep what a standby's readers want",
        "crates/evenkeel/src/engine/feedback.rs",
        "txns.hold(commits);",
        "",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::choose_by_text;

    /// A run takes an hour: that a text is not there any more has to be told before.
    #[test]
    fn every_ordering_is_where_it_is_said_to_be() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace");
        assert!(choose_by_text(root).unwrap().len() > 20);
    }
}
