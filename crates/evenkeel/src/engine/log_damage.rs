//! What a start does about log that was durable and cannot be read: it takes the segment from the archive, or refuses.
//!
//! Invariants
//! 1. Nothing behind damage is removed or overwritten by a start: a segment that is replaced, and segments that a start does not go on with although they
//!    have intact log, are set aside under another name (`wal::segment::set_aside`).
//! 2. A segment is put in place only whole: of this database and number, of the life that is damaged, with intact records from its beginning to the end that it
//!    names, and durable before it gets its name.
//! 3. Where a segment without page images is put in place under `full_page_writes`, the control file says first that images can no longer be relied on
//!    (protection `off`): pages go home by way of the side file until every redo point lies in the new life (recovery's README, C2). Redo then reads pages from
//!    home that the images would have replaced; one that is torn is found by its checksum, and refused.
//! 4. Only segments that have log behind them in the folder are fetched. Where the end of the log is gone from the folder, what was durable behind the end of the archive's
//!    log cannot be known: the start is refused, and says how far the archive's log goes.
//!
//! Must not know: how redo works.

use crate::archive::{
    ArchiveState, ArchiveStore, EndOfLog, fill, has_log, histories, lineage, object_name, reach, read_segment,
};
use crate::base::{Corruption, Error, Lsn, Result};
use crate::control::{Control, ControlData, TornPageProtection};
use crate::io::Disk;
use crate::wal::end::{Behind, Damage, Proof};
use crate::wal::segment::{self, Geometry};
use std::collections::BTreeSet;

/// What has been tried in one start.
#[derive(Default)]
pub(super) struct Healing {
    tried: BTreeSet<u64>,
}

impl Healing {
    /// Puts a damaged segment's archived form in its place: then the start begins anew. The error names the damage, why the archive did not help, and
    /// what can be done.
    pub fn heal(
        &mut self,
        disk: &dyn Disk,
        store: Option<&dyn ArchiveStore>,
        control: &mut Control,
        data: &mut ControlData,
        damage: &Damage,
    ) -> Result<()> {
        if ends_before(disk, store, data, damage)? {
            return Err(end_is_lost(disk, store, data, damage));
        }
        // The record at the damage may end in a later segment, and that one be the damaged one.
        let wanted = (damage.segment..=damage.segment + 1).find(|n| !self.tried.contains(n));
        let why = match (wanted, store) {
            (Some(n), Some(store)) => {
                self.tried.insert(n);
                match replace(disk, store, control, data, damage, n) {
                    Ok(()) => return Ok(()),
                    Err(Error::Corrupt(why)) => why.to_string(),
                    Err(e) => return Err(e),
                }
            }
            (_, None) => {
                "No archive_url is set; if this database has an archive, set it, and the start fetches the segment by itself".into()
            }
            (None, _) => "The archive's form of the segment does not help".into(),
        };
        Err(refusal(damage, &why))
    }
}

/// The log that can be read, up to `at`, is less than what was archived of it: the segments behind are gone (invariant 4).
pub(super) fn lost_end(
    disk: &dyn Disk,
    data: &ControlData,
    at: Lsn,
    incarnation: u64,
) -> Result<Option<Damage>> {
    let geometry = Geometry { segment_bytes: data.segment_bytes };
    let before = match ArchiveState::read(disk) {
        Ok(state) => state.map_or(0, |s| s.next),
        Err(Error::Corrupt(_)) => 0, // it proves nothing, and is refused by whoever archives
        Err(e) => return Err(e),
    };
    let is_less = !data.clean && data.complete && at < geometry.start_of(before);
    Ok(is_less.then(|| Damage {
        at,
        segment: geometry.segment_of(at),
        offset: geometry.offset_of(at),
        incarnation,
        proof: Proof::Archived { before },
        behind: Behind::default(),
    }))
}

/// Whether the folder has nothing of the log behind the damaged segment, although there was some: the segment is gone itself, or the archive has what followed.
fn ends_before(
    disk: &dyn Disk,
    store: Option<&dyn ArchiveStore>,
    data: &ControlData,
    damage: &Damage,
) -> Result<bool> {
    let there = segment::list(disk)?;
    if there.last().is_some_and(|last| *last > damage.segment) {
        return Ok(false);
    }
    if !there.contains(&damage.segment) {
        return Ok(true);
    }
    let (Some(store), Ok(Some(state))) = (store, ArchiveState::read(disk)) else { return Ok(false) };
    let behind = Geometry { segment_bytes: data.segment_bytes }.start_of(damage.segment + 1);
    Ok(reach(store, state.timeline, Geometry { segment_bytes: data.segment_bytes })
        .is_ok_and(|end| end > Some(behind)))
}

/// The error of a start whose log's end is not in the folder.
pub(super) fn end_is_lost(
    disk: &dyn Disk,
    store: Option<&dyn ArchiveStore>,
    data: &ControlData,
    damage: &Damage,
) -> Error {
    let geometry = Geometry { segment_bytes: data.segment_bytes };
    let state = ArchiveState::read(disk).ok().flatten().filter(|s| s.timeline != 0);
    let why = match (store, state) {
        (None, _) => {
            "No archive_url is set; if this database has an archive, evenkeel restore gets what it has".into()
        }
        (Some(store), None) => format!("The archive {} has nothing of this database yet", store.describe()),
        (Some(store), Some(state)) => match reach(store, state.timeline, geometry) {
            Ok(Some(end)) if end > damage.at => format!(
                "The archive {} has its log up to {end}: evenkeel restore gets all of that, in another folder. What was committed later is in the missing segments only",
                store.describe()
            ),
            Ok(_) => format!("The archive {} has no more of it", store.describe()),
            Err(e) => format!("The archive {} could not be asked: {e}", store.describe()),
        },
    };
    refusal(damage, &format!("The end of the log is not in the folder: is the log's own disk mounted? {why}"))
}

/// The error of a start that does not go on.
fn refusal(damage: &Damage, why: &str) -> Error {
    let what = format!("{damage}. Nothing was changed. {why}");
    Error::Corrupt(Corruption::new(what).with_advice(format!(
        "Otherwise: put the segment back if you have a copy of it; or restore a backup (evenkeel restore); or give up everything \
         behind the damage, committed transactions included, by evenkeel wal give-up DIR --from {}",
        damage.at
    )))
}

/// Fetches, verifies, and puts in place. `Corrupt` says why it cannot be done.
fn replace(
    disk: &dyn Disk,
    store: &dyn ArchiveStore,
    control: &mut Control,
    data: &mut ControlData,
    damage: &Damage,
    n: u64,
) -> Result<()> {
    let bad = |why: String| Error::corrupt(why);
    let Some(state) = ArchiveState::read(disk)?.filter(|s| s.timeline != 0) else {
        return Err(bad("This database has not archived anything yet".into()));
    };
    let place = store.describe();
    let geometry = Geometry { segment_bytes: data.segment_bytes };
    let not_asked = |e: &dyn std::fmt::Display| bad(format!("The archive {place} could not be asked: {e}"));
    // The youngest timeline that has it; older ones, so far as they belong to this history.
    let mut found = None;
    for leg in lineage(&histories(store)?, state.timeline, &|n| has_log(store, n))?.into_iter().rev() {
        let name = object_name(leg.timeline, n);
        if leg.until.is_none_or(|until| n <= geometry.segment_of(until))
            && let Some((bytes, _)) = store.get(&name).map_err(|e| not_asked(&e))?
        {
            found = Some((name, bytes));
            break;
        }
    }
    let Some((name, bytes)) = found else {
        return Err(bad(format!(
            "The archive {place} does not have the segment (\"{}\")",
            object_name(state.timeline, n)
        )));
    };
    let cut = read_segment(bytes, EndOfLog::Unknown)
        .map_err(|e| bad(format!("The segment in the archive {place} is not to be used: {e}")))?;
    let h = cut.header;
    let is_ours = (h.segment, h.segment_bytes, h.database_id) == (n, data.segment_bytes, data.database_id);
    let is_of_life = damage.incarnation == 0 || h.incarnation == damage.incarnation || n != damage.segment;
    if !is_ours || !is_of_life || (cut.end <= damage.at && n == damage.segment) {
        return Err(bad(format!("The segment in the archive {place} is of another log (\"{name}\")")));
    }
    let mut records = 0u64;
    cut.records(&mut |_| records += 1)
        .map_err(|e| bad(format!("The segment in the archive {place} is not to be used: {e}")))?;
    if h.stripped && data.protection == TornPageProtection::FullPageWrites {
        data.protection = TornPageProtection::Off;
        control.write_both(data)?; // invariant 3
    }
    let aside = segment::replace(disk, n, &fill(&cut))?;
    tracing::warn!(
        "{damage}. The segment was fetched from the archive {place} (\"{name}\", {records} records up to {}{}){}",
        cut.end.min(geometry.start_of(n + 1)),
        if h.stripped { ", without page images" } else { "" },
        aside.map_or(String::new(), |path| format!("; the damaged file is kept as {path}")),
    );
    Ok(())
}

/// Sets aside or removes the segments from `first` on: a new life of the log begins there. Those with intact log in them are set aside (invariant 1);
/// those in `bare` are known to have none.
pub(super) fn clear_from(disk: &dyn Disk, first: u64, end: Lsn, bare: &[u64]) -> Result<()> {
    let kept = segment::clear_from(disk, first, bare)?;
    for path in kept {
        tracing::warn!(
            "the log ended at {end}, but a segment behind that has intact records, which nothing proves to have been durable: it is kept as {path}"
        );
    }
    Ok(())
}
