//! Log of this database's own timeline that the archive has and the folder has not: the folder was set back to an earlier state, or the end of its log is lost.
//!
//! Invariants
//! 1. Under one timeline there is one history. A life that begins before the end of what the archive has is archived under a timeline of its own, which leaves the old
//!    one where the first life begins that is not in it, as after a restore: starts in between may have had no archive, or not come to it.
//! 2. A crash between the two files that say so leaves a folder that comes here again.

use super::cut::Cut;
use super::owner::failed;
use super::pack::unpack;
use super::ship::folder;
use super::state::ArchiveState;
use super::store::ArchiveStore;
use super::timeline::History;
use super::verify::parse_name;
use crate::base::{Error, Lsn, Result, clock};
use crate::io::Disk;
use crate::wal::reader::HEAD_BYTES;
use crate::wal::record::parse_frame;
use crate::wal::segment::{self, Geometry};

/// How far an archive's log of a timeline goes, as its objects' names say: of a finished segment that is the segment's end. `None`: it has none.
pub fn reach(store: &dyn ArchiveStore, timeline: u32, geometry: Geometry) -> Result<Option<Lsn>> {
    let names = store.list(&folder(timeline)).map_err(failed)?;
    Ok(names.iter().filter_map(|name| Some(end_of(&parse_name(name)?, geometry))).max())
}

fn end_of(&(_, segment, end): &(u32, u64, Lsn), geometry: Geometry) -> Lsn {
    if end == Lsn::MAX { geometry.start_of(segment + 1) } else { end }
}

/// Where a life of this database's log went on from the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LifeStart {
    /// The life.
    pub life: u64,
    /// The one before.
    pub before: u64,
    /// Where that one ended.
    pub at: Lsn,
}

/// Where the archive's log of a timeline has left this database's, and how far it goes: the first of `lives`, which are told oldest first and end with the present one, that is not the archive's. Lists
/// the timeline; reads a segment or two for each life that is not archived, if the archive has log behind its beginning.
pub(super) fn parted(
    store: &dyn ArchiveStore,
    state: &ArchiveState,
    geometry: Geometry,
    lives: &[LifeStart],
) -> Result<Option<(LifeStart, Lsn)>> {
    let names = store.list(&folder(state.timeline)).map_err(failed)?;
    let objects: Vec<_> = names.iter().filter_map(|n| Some((n, parse_name(n)?))).collect();
    let cut = |name: &str| match store.get(name).map_err(failed)? {
        Some((bytes, _)) => unpack(&bytes).map(|(cut, _)| Some(cut)),
        None => Ok(None),
    };
    let present = lives.last().map(|l| l.life);
    for l in lives {
        let last = geometry.segment_of(l.at);
        if last + 1 < state.next {
            continue; // archived as what follows on it
        }
        let mut furthest = None;
        for (name, object) in &objects {
            let mut end = end_of(object, geometry);
            if object.1 == last && end > l.at {
                // The one in which the life before ended: as far as it was shipped; a part, in whole records. (Earlier programs shipped the beginnings of some.)
                let is_more = |cut: &Cut| object.2 == Lsn::MAX || has_record(cut, l.at);
                end = cut(name)?.filter(is_more).map_or(Lsn::ZERO, |cut| cut.end);
            }
            if end > l.at {
                furthest = furthest.max(Some(end));
            }
        }
        let Some(end) = furthest else { return Ok(None) };
        // The finished form, else the longest.
        let first = objects.iter().filter(|o| o.1.1 == last + 1).max_by_key(|o| o.1.2);
        let is_ours = match first {
            Some((name, _)) if present != Some(l.life) => {
                cut(name)?.is_some_and(|cut| cut.header.incarnation == l.life)
            }
            _ => false, // nothing of the present one is there yet
        };
        if !is_ours {
            return Ok(Some((*l, end)));
        }
    }
    Ok(None)
}

/// Whether a whole record stands at a place.
fn has_record(cut: &Cut, at: Lsn) -> bool {
    let rest = cut.stream.get((at.0 - cut.start().0) as usize..).unwrap_or_default();
    let frame = parse_frame(&rest[..rest.len().min(HEAD_BYTES)]);
    // Where that cannot be told it ends behind the segment, if it is one.
    frame.map_or(cut.end.0 - at.0 >= HEAD_BYTES as u64, |(head, body)| {
        at.0 + (head + body) as u64 <= cut.end.0
    })
}

/// Leaves a timeline where a life begins: durable in the folder. The new one has no number yet. `own` tells it from others that left there. What is before that place the old one has.
pub(super) fn leave(
    disk: &dyn Disk,
    state: &ArchiveState,
    (database_id, own): (u64, u64),
    from: &LifeStart,
    geometry: Geometry,
) -> Result<ArchiveState> {
    let why = "went on from an earlier state".into();
    let history = History::new(database_id, state.timeline, from.at, from.before, own, why, clock::wall_ms());
    let last = geometry.segment_of(from.at);
    let is_here = segment::open(disk, last)?.is_some();
    let next = if is_here { state.next.clamp(last, last + 1) } else { last + 1 };
    // The new one has nothing there yet.
    let left = ArchiveState { timeline: 0, next, of: 0 };
    // The first timeline has no such file yet, and is found again by the state; of another one the old file leads back to its number (invariant 2).
    if state.timeline == 1 {
        history.write_file(disk)?;
        left.write(disk)?;
    } else {
        left.write(disk)?;
        history.write_file(disk)?;
    }
    Ok(left)
}

/// The folder's log begins before the end of what was archived: nothing it says is nearer.
pub fn lower(disk: &dyn Disk, segment: u64) -> Result<()> {
    match ArchiveState::read(disk) {
        Ok(Some(state)) if state.next > segment => ArchiveState { next: segment, ..state }.write(disk),
        Ok(_) | Err(Error::Corrupt(_)) => Ok(()), // a damaged one is refused by whoever archives
        Err(e) => Err(e),
    }
}
