//! Timelines that were written side by side: which of them is meant by a moment is not guessed.
//!
//! A restore follows the newest timeline if none is named. Whoever takes over from a server, or goes on from a restore in its place, has the newest, and nobody writes the one before any
//! more. A database that was restored beside one that goes on has the newest as well, and may be a test: to follow it would silently give another database than the one that was lost.
//!
//! Invariants
//! 1. A timeline is a rival of the one that is followed if it has log behind the place where they part, and was written after that one began: by a commit in its log, or by its owner's sign of life. One that has been silent for
//!    [`SILENT_MS`] when the followed one still was not is none: it was left.
//! 2. A moment that lies before the place where the two parted is the same in both.
//! 3. Of a moment before the followed timeline began, one that was written then is a rival, too, however long ago it was left: the followed one has nothing of that time but what was there where they parted. So
//!    it is with a folder that was set back, and with a database that was restored in place.
//!
//! Must not know: how a restore is done.

use super::fetch::Fetch;
use super::log::ArchivedLog;
use super::plan::{can_reach, candidates, end_of, end_of_log, geometry_of, reach, redo_start, user};
use super::{Moment, RestoreOptions, utc};
use crate::archive::{self, Leg, LogMap, Manifest};
use crate::base::{Error, Lsn, Result};
use crate::recovery::Target;
use crate::wal::reader::LogReader;

/// So long after its last sign of life a timeline counts as left, milliseconds: a week, as in retention.
const SILENT_MS: u64 = 7 * 86_400_000;
/// An owner gives a sign of life far more often, milliseconds. Whoever gave none for so long before something began has no commit behind that either.
const LATE_MS: u64 = 3_600_000;

/// Another timeline than the one that is followed.
pub(super) struct Rival {
    timeline: u32,
    legs: Vec<Leg>,
    end: Option<Moment>,
    /// When the followed timeline began, if it is one of the time before that (3); milliseconds.
    before_ms: Option<u64>,
}

/// The rivals of a timeline (1, 3).
pub(super) fn of(fetch: &Fetch, options: &RestoreOptions, followed_legs: &[Leg]) -> Result<Vec<Rival>> {
    let (store, followed) = (fetch.store(), followed_legs.last().map_or(1, |l| l.timeline));
    let mut rivals = Vec::new();
    let others: Vec<u32> = archive::with_log(store)?.into_iter().filter(|t| *t != followed).collect();
    if others.is_empty() {
        return Ok(rivals);
    }
    let histories = archive::histories(store)?;
    let Some(began_ms) = histories.get(&followed).and_then(|h| h.as_ref().ok()).map(|h| h.restored_ms) else {
        return Ok(rivals);
    };
    let followed_ms = archive::last_sign_ms(store, followed)?.unwrap_or(0);
    for timeline in others {
        let sign_ms = archive::last_sign_ms(store, timeline)?;
        let is_left = sign_ms.is_some_and(|at| at.saturating_add(LATE_MS) < began_ms);
        if is_left && !matches!(options.target, Target::TimeMs(_)) {
            continue;
        }
        let Ok(legs) = archive::lineage(&histories, timeline, &|n| archive::has_log(store, n)) else {
            continue;
        };
        let end = last_commit(fetch, options, &legs)?;
        // Nothing is there but what both have: who wrote it gave signs of life, and no more.
        let fork = shared(followed_legs, &legs).map(|(_, fork)| fork);
        if end.is_some_and(|end| fork.is_some_and(|fork| end.lsn <= fork)) {
            continue;
        }
        let parted_ms = parted(followed_legs, &legs).and_then(|leg| {
            histories.get(&leg.timeline).and_then(|h| h.as_ref().ok()).map(|h| h.restored_ms)
        });
        if let (Target::TimeMs(to), Some(began_ms), Some(fork)) = (&options.target, parted_ms, fork)
            && *to < began_ms
            && was_written_by(fetch, options, &legs, fork, *to)?
        {
            rivals.push(Rival { timeline, legs, end, before_ms: Some(began_ms) });
            continue;
        }
        let last_ms = sign_ms.max(end.and_then(|end| end.commit_ms)).unwrap_or(0);
        if !is_left && last_ms > began_ms && last_ms.saturating_add(SILENT_MS) > followed_ms {
            rivals.push(Rival { timeline, legs, end, before_ms: None });
        }
    }
    Ok(rivals)
}

/// Whether a timeline has a commit behind the fork that is no later than `to`; also where its log cannot be read there.
fn was_written_by(fetch: &Fetch, options: &RestoreOptions, legs: &[Leg], fork: Lsn, to: u64) -> Result<bool> {
    let any = RestoreOptions { backup: None, ..options.clone() };
    let read = || {
        let backups = candidates(fetch, &any, legs)?;
        let backup = backups.last().expect("refused if there is none");
        let map = fetch.again(|s| LogMap::read(s, geometry_of(backup), backup.database_id, legs.to_vec()))?;
        let (Some(last), _) = reach(fetch, &map, map.geometry.segment_of(fork))? else { return Ok(true) };
        let log = ArchivedLog::new(fetch, &map, last, options.window);
        let mut reader = LogReader::open(&log, map.geometry, fork)?;
        while let Some(rec) = reader.next()? {
            if let Some(at) = rec.commit_time_ms() {
                return Ok(at <= to);
            }
        }
        Ok(false)
    };
    match read() {
        Err(Error::Corrupt(_) | Error::InvalidArgument(_)) => Ok(true),
        done => done,
    }
}

/// Where a timeline's log ends, and with which commit. `None`: what is there of it cannot be read to its end.
fn last_commit(fetch: &Fetch, options: &RestoreOptions, legs: &[Leg]) -> Result<Option<Moment>> {
    let any = RestoreOptions { backup: None, ..options.clone() };
    let read = || {
        let backups = candidates(fetch, &any, legs)?;
        let newest = backups.last().expect("refused if there is none");
        let map = fetch.again(|s| LogMap::read(s, geometry_of(newest), newest.database_id, legs.to_vec()))?;
        log_end(fetch, options, &map, newest)
    };
    match read() {
        Err(Error::Corrupt(_) | Error::InvalidArgument(_)) => Ok(None),
        done => done,
    }
}

fn log_end(
    fetch: &Fetch,
    options: &RestoreOptions,
    map: &LogMap,
    backup: &Manifest,
) -> Result<Option<Moment>> {
    let (last, _) = reach(fetch, map, map.geometry.segment_of(backup.log_needed.into()))?;
    let Some(last) = last else { return Ok(None) };
    Ok(Some(end_of_log(fetch, options, map, redo_start(backup), last)?.moment))
}

/// Refuses a moment that means another state on a rival. `reached`: where the log ends that is followed.
pub(super) fn refuse(
    fetch: &Fetch,
    options: &RestoreOptions,
    (rivals, reached): (&[Rival], Moment),
    (map, backup, target): (&LogMap, &Manifest, &Target),
) -> Result<()> {
    let (mut meant, mut before_ms) = (Vec::new(), Some(0));
    for rival in rivals {
        if !is_common(fetch, options, rival, (map, backup, target))? {
            meant.push((rival.timeline, rival.end));
            before_ms = before_ms.and_then(|others| Some(rival.before_ms?.max(others)));
        }
    }
    if meant.is_empty() {
        return Ok(());
    }
    let why = match (before_ms, map.legs.last()) {
        (Some(ms), Some(leg)) => format!(
            "timeline {} began later than that moment, at {}, from an earlier state, and what was written until then is in another one",
            leg.timeline,
            utc(ms)
        ),
        _ => "several timelines were written side by side, and have another state then".into(),
    };
    meant.extend(map.legs.last().map(|leg| (leg.timeline, Some(reached))));
    let told: Vec<String> = meant.iter().map(|(timeline, end)| told(*timeline, *end)).collect();
    let named: Vec<String> = meant.iter().map(|(timeline, _)| format!("--timeline {timeline}")).collect();
    Err(user(format!("{why}: {}. Say which is meant: {}", told.join("; "), named.join(" or "))))
}

/// A timeline and its end, for people.
pub(super) fn told(timeline: u32, end: Option<Moment>) -> String {
    match end {
        Some(Moment { lsn, commit_ms: Some(ms) }) => {
            format!("timeline {timeline}, up to {lsn}, its last commit at {}", utc(ms))
        }
        Some(Moment { lsn, .. }) => format!("timeline {timeline}, up to {lsn}"),
        None => format!("timeline {timeline}"),
    }
}

impl Rival {
    /// It and its end, for people.
    pub fn told(&self) -> String {
        told(self.timeline, self.end)
    }
}

/// Whether the moment lies before the place where a rival's history parts from the one that is followed (2).
fn is_common(
    fetch: &Fetch,
    options: &RestoreOptions,
    rival: &Rival,
    (map, backup, target): (&LogMap, &Manifest, &Target),
) -> Result<bool> {
    let Some((legs, fork)) = shared(&map.legs, &rival.legs) else { return Ok(false) };
    if end_of(backup) > fork {
        return Ok(false);
    }
    match target {
        Target::Lsn(to) => Ok(*to <= fork),
        Target::TimeMs(_) => {
            let map = fetch.again(|s| LogMap::read(s, map.geometry, map.database_id, legs.clone()))?;
            let end = log_end(fetch, options, &map, backup)?;
            Ok(end.is_some_and(|end| can_reach(target, end, None).is_ok()))
        }
        _ => Ok(false),
    }
}

/// With which leg one history parts from another.
fn parted<'l>(one: &'l [Leg], other: &[Leg]) -> Option<&'l Leg> {
    let legs = shared(one, other)?.0.len();
    one.get(legs)
}

/// What two histories have in common, and where it ends.
fn shared(one: &[Leg], other: &[Leg]) -> Option<(Vec<Leg>, Lsn)> {
    let mut legs = Vec::new();
    for (a, b) in one.iter().zip(other).take_while(|(a, b)| a.timeline == b.timeline) {
        let until = [a.until, b.until].into_iter().flatten().min();
        legs.push(Leg { timeline: a.timeline, until });
        if a.until != b.until {
            break;
        }
    }
    let fork = legs.last()?.until?;
    Some((legs, fork))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_have_in_common_what_lies_before_the_earliest_fork() {
        let legs = |of: &[(u32, Option<u64>)]| -> Vec<Leg> {
            of.iter().map(|(timeline, until)| Leg { timeline: *timeline, until: until.map(Lsn) }).collect()
        };
        let three = legs(&[(1, Some(500)), (2, Some(900)), (3, None)]);
        let two = legs(&[(1, Some(500)), (2, None)]);
        let early = legs(&[(1, Some(300)), (2, Some(300)), (4, None)]);
        assert_eq!(shared(&three, &legs(&[(1, None)])), Some((legs(&[(1, Some(500))]), Lsn(500))));
        // Timeline 1 ends for both where 2 left it: what they share goes on in 2.
        let two_legs = legs(&[(1, Some(500)), (2, Some(900))]);
        assert_eq!(shared(&three, &two), Some((two_legs, Lsn(900))));
        assert_eq!(shared(&early, &three), Some((legs(&[(1, Some(300))]), Lsn(300))));
        let sibling = legs(&[(1, Some(500)), (5, None)]);
        assert_eq!(shared(&two, &sibling), Some((legs(&[(1, Some(500))]), Lsn(500))));
        assert_eq!(shared(&three, &legs(&[(7, None)])), None);
    }
}
