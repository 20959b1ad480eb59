//! Log of this database's own timeline that the archive has and the folder has not: the folder was set back to an earlier state, or the end of its log is lost.
//!
//! Invariants
//! 1. Under one timeline there is one history. A life that begins before the end of what the archive has is archived under a timeline of its own, which leaves the old
//!    one where the life begins, as after a restore.
//! 2. A crash between the two files that say so leaves a folder that comes here again.

use super::owner::failed;
use super::pack::unpack;
use super::ship::folder;
use super::state::ArchiveState;
use super::store::ArchiveStore;
use super::timeline::History;
use super::verify::parse_name;
use crate::base::{Error, Lsn, Result, clock};
use crate::io::Disk;
use crate::wal::segment::{Geometry, Header};

/// How far an archive's log of a timeline goes, as its objects' names say: of a finished segment that is the segment's end. `None`: it has none.
pub fn reach(store: &dyn ArchiveStore, timeline: u32, geometry: Geometry) -> Result<Option<Lsn>> {
    let names = store.list(&folder(timeline)).map_err(failed)?;
    Ok(names.iter().filter_map(|name| Some(end_of(&parse_name(name)?, geometry))).max())
}

fn end_of(&(_, segment, end): &(u32, u64, Lsn), geometry: Geometry) -> Lsn {
    if end == Lsn::MAX { geometry.start_of(segment + 1) } else { end }
}

/// How far the archive's log of a timeline goes behind where `life` begins, if it does. Lists the timeline; reads one segment at most.
pub(super) fn beyond(store: &dyn ArchiveStore, timeline: u32, life: &Header) -> Result<Option<Lsn>> {
    let geometry = Geometry { segment_bytes: life.segment_bytes };
    let (last, begins) = (geometry.segment_of(life.prev_end), life.prev_end);
    let mut furthest = None;
    for name in store.list(&folder(timeline)).map_err(failed)? {
        let Some(object) = parse_name(&name) else { continue };
        let (_, segment, part) = object;
        let mut end = end_of(&object, geometry);
        if part == Lsn::MAX && segment < life.segment {
            // The one in which the life before ended: as far as it was shipped.
            if segment != last {
                continue;
            }
            let Some((bytes, _)) = store.get(&name).map_err(failed)? else { continue };
            end = unpack(&bytes)?.0.end;
        }
        if end > begins {
            furthest = furthest.max(Some(end));
        }
    }
    Ok(furthest)
}

/// Leaves a timeline where `life` begins: durable in the folder. The new one has no number yet.
pub(super) fn leave(disk: &dyn Disk, state: &ArchiveState, life: &Header) -> Result<ArchiveState> {
    let history = History::new(
        life.database_id,
        state.timeline,
        life.prev_end,
        life.prev_incarnation,
        life.incarnation,
        "went on from an earlier state".into(),
        clock::wall_ms(),
    );
    let left = ArchiveState { timeline: 0, ..*state };
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
