//! Removing backups, and the log that none of those left needs.
//!
//! Invariants
//! 1. What a kept backup is laid upon is kept.
//! 2. A backup that may still be in the making is kept, and counts: its label, or its latest sign of life, is younger than [`MAKING_MS`].
//! 3. Of a timeline's log only what lies before everything that a kept backup of its history needs is removed; nothing of it while a kept backup of a timeline that it comes from
//!    could be followed by it. Of a timeline that no kept backup leads to, the last segment stays: a backup that begins there now needs nothing before it. Without any kept backup
//!    no log is removed.
//! 4. A rule counts in all backups, and besides in those of the history of each timeline that is written still: a copy that archives next to the original does not push
//!    the original's backups out, nor the other way round.
//! 5. Crashes leave nothing that looks whole and is not: a manifest goes before its chunks, the label last; a backup before the one that it is laid upon; backups before log, and the
//!    oldest log first.
//!
//! Must not know: when it is done, and for whom.

use super::catalog::{Found, backups};
use super::manifest::{Manifest, backup_folder, label_name, manifest_name};
use super::owner::{failed, last_sign_ms};
use super::ship::folder;
use super::store::ArchiveStore;
use super::timeline::{has_log, histories, lineage, with_log};
use super::verify::parse_name;
use crate::base::{Error, Lsn, Result};
use crate::wal::segment::Geometry;
use std::collections::{BTreeMap, BTreeSet};

/// A backup without a manifest counts as being made for so long after its last sign of life, milliseconds: a day.
pub const MAKING_MS: u64 = 86_400_000;

/// A timeline is written still if its owner gave a sign of life within this time, milliseconds: a week, so that a server may be down for some days.
const WRITTEN_MS: u64 = 7 * 86_400_000;

/// What to remove.
#[derive(Clone, Debug)]
pub enum Unwanted {
    /// Everything that this rule does not keep. Unfinished backups go too, but for invariant 2.
    AllBut(Keep),
    /// Backups by name.
    Ids {
        /// Their names.
        ids: Vec<String>,
        /// Even one that may be in the making.
        force: bool,
    },
}

/// Which complete backups to keep: those that any of the two keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Keep {
    /// The latest so many.
    pub last: usize,
    /// Those that ended within this time, milliseconds, and the latest one before: so any moment of it can be restored.
    pub for_ms: Option<u64>,
}

/// What is to be removed, and what stays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Removal {
    /// Backups, in the order in which they go (invariant 5).
    pub backups: Vec<String>,
    /// Those that stay.
    pub kept: Vec<String>,
    /// Objects of log, in the order in which they go.
    pub log: Vec<String>,
    /// Every backup that there was, and its last sign of life; those that go all the same have the end of time.
    known: BTreeMap<String, u64>,
}

/// Decides. `InvalidArgument`: a backup is not there, may be in the making, or one that stays is laid upon it. Nothing is changed.
pub fn plan(store: &dyn ArchiveStore, unwanted: &Unwanted, now_ms: u64) -> Result<Removal> {
    if matches!(unwanted, Unwanted::AllBut(keep) if *keep == Keep::default()) {
        return Err(Error::InvalidArgument("a rule that keeps no backup at all is refused".into()));
    }
    let found = backups(store)?;
    let signs = signs_of_life(&store.list("backups/").map_err(failed)?);
    let sign_of = |id: &str| signs.get(id).copied().unwrap_or(0);
    let making = |m: &Manifest| {
        let last = sign_of(&m.id).max(m.begun_ms);
        now_ms.saturating_sub(last) < MAKING_MS
    };
    let mut kept: BTreeSet<&str> = match unwanted {
        Unwanted::AllBut(keep) => kept_by_rule(store, &found, *keep, now_ms)?,
        Unwanted::Ids { ids, .. } => {
            if let Some(id) = ids.iter().find(|id| found.iter().all(|f| f.id() != *id)) {
                return Err(Error::InvalidArgument(format!(
                    "the archive {} has no backup \"{id}\"",
                    store.describe()
                )));
            }
            found.iter().map(Found::id).filter(|id| !ids.iter().any(|i| i == id)).collect()
        }
    };
    for f in &found {
        match (f, unwanted) {
            (Found::Unfinished(m), Unwanted::AllBut(_)) if making(m) => _ = kept.insert(&m.id),
            (Found::Unfinished(m), Unwanted::Ids { force: false, ids })
                if making(m) && ids.contains(&m.id) =>
            {
                return Err(Error::InvalidArgument(format!(
                    "backup \"{}\" may still be in the making: it showed a sign of life within a day",
                    m.id
                )));
            }
            // What cannot be understood is removed only by name.
            (Found::Damaged { id, .. }, Unwanted::AllBut(_)) => _ = kept.insert(id),
            _ => {}
        }
    }
    keep_parents(&found, &mut kept, matches!(unwanted, Unwanted::Ids { .. }))?;
    // The youngest first: a backup is younger than the one that it is laid upon.
    let gone = found.iter().rev().map(Found::id).filter(|id| !kept.contains(id)).map(str::to_owned).collect();
    let stay: Vec<&Manifest> =
        found.iter().filter(|f| kept.contains(f.id())).filter_map(Found::manifest).collect();
    Ok(Removal {
        backups: gone,
        log: needless_log(store, &stay)?,
        kept: found.iter().map(|f| f.id().to_owned()).filter(|id| kept.contains(&id[..])).collect(),
        known: found
            .iter()
            .map(|f| {
                let forced = matches!(unwanted, Unwanted::Ids { force: true, .. });
                (f.id().to_owned(), if forced { u64::MAX } else { sign_of(f.id()) })
            })
            .collect(),
    })
}

/// The latest sign of life of each backup that gave one.
fn signs_of_life(names: &[String]) -> BTreeMap<String, u64> {
    let mut signs = BTreeMap::new();
    for name in names {
        let parts = name.strip_prefix("backups/").and_then(|n| n.split_once("/alive-"));
        if let Some((id, at)) = parts
            && let Ok(at) = u64::from_str_radix(at, 16)
        {
            let latest = signs.entry(id.to_owned()).or_insert(at);
            *latest = at.max(*latest);
        }
    }
    signs
}

/// Invariant 4.
fn kept_by_rule<'a>(
    store: &dyn ArchiveStore,
    found: &'a [Found],
    keep: Keep,
    now_ms: u64,
) -> Result<BTreeSet<&'a str>> {
    let complete: Vec<&Manifest> =
        found.iter().rev().filter_map(|f| if let Found::Complete(m) = f { Some(m) } else { None }).collect();
    let mut kept = chosen(&complete, keep, now_ms);
    let histories = histories(store)?;
    for timeline in with_log(store)? {
        if last_sign_ms(store, timeline)?.is_none_or(|at| now_ms.saturating_sub(at) >= WRITTEN_MS) {
            continue;
        }
        let legs = lineage(&histories, timeline, &|n| has_log(store, n))?;
        let of_it = |m: &&&Manifest| {
            legs.iter().any(|leg| {
                leg.timeline == m.timeline && leg.until.is_none_or(|until| Lsn::from(m.end) <= until)
            })
        };
        let of_it: Vec<&Manifest> = complete.iter().filter(of_it).copied().collect();
        kept.extend(chosen(&of_it, keep, now_ms));
    }
    Ok(kept)
}

/// What a rule keeps of complete backups, the youngest first.
fn chosen<'a>(complete: &[&'a Manifest], keep: Keep, now_ms: u64) -> BTreeSet<&'a str> {
    let mut kept: BTreeSet<&str> = complete.iter().take(keep.last).map(|m| &m.id[..]).collect();
    if let Some(for_ms) = keep.for_ms {
        let since = now_ms.saturating_sub(for_ms);
        kept.extend(complete.iter().filter(|m| m.ended_ms >= since).map(|m| &m.id[..]));
        kept.extend(complete.iter().find(|m| m.ended_ms < since).map(|m| &m.id[..]));
    }
    kept
}

/// Invariant 1. `refuse`: somebody asked for a parent's removal by name.
fn keep_parents<'a>(found: &'a [Found], kept: &mut BTreeSet<&'a str>, refuse: bool) -> Result<()> {
    let manifests: BTreeMap<&str, &Manifest> =
        found.iter().filter_map(|f| f.manifest().map(|m| (f.id(), m))).collect();
    let mut to_look_at: Vec<&str> = kept.iter().copied().collect();
    while let Some(id) = to_look_at.pop() {
        let Some(parent) = manifests.get(id).and_then(|m| m.parent.as_deref()) else { continue };
        if !manifests.contains_key(parent) || kept.contains(parent) {
            continue;
        }
        if refuse {
            return Err(Error::InvalidArgument(format!(
                "backup \"{id}\" is laid upon \"{parent}\": name both, or neither"
            )));
        }
        kept.insert(parent);
        to_look_at.push(parent);
    }
    Ok(())
}

/// Invariant 3.
fn needless_log(store: &dyn ArchiveStore, stay: &[&Manifest]) -> Result<Vec<String>> {
    let histories = histories(store)?;
    let mut needless = Vec::new();
    for timeline in with_log(store)? {
        let own = lineage(&histories, timeline, &|n| has_log(store, n))?;
        let mut horizon: Option<(Lsn, Geometry)> = None;
        let mut follows_kept = false;
        for m in stay {
            let start = Lsn::from(m.start);
            let comes_from = own.iter().any(|leg| {
                leg.timeline == m.timeline && leg.timeline != timeline && leg.until.is_none_or(|u| start <= u)
            });
            follows_kept |= comes_from;
            let needed = Lsn::from(m.log_needed);
            let needs = lineage(&histories, m.timeline, &|n| has_log(store, n))?
                .iter()
                .any(|leg| leg.timeline == timeline && leg.until.is_none_or(|until| needed <= until));
            if needs && horizon.is_none_or(|(h, _)| needed < h) {
                horizon = Some((needed, Geometry { segment_bytes: m.segment_bytes }));
            }
        }
        if follows_kept || stay.is_empty() {
            continue;
        }
        let names = store.list(&folder(timeline)).map_err(failed)?;
        let mut log: Vec<(u64, String)> =
            names.into_iter().filter_map(|name| Some((parse_name(&name)?.1, name))).collect();
        log.sort();
        let first = match horizon {
            Some((horizon, geometry)) => geometry.segment_of(horizon),
            None => log.last().map_or(0, |(segment, _)| *segment),
        };
        needless.extend(log.into_iter().filter(|(segment, _)| *segment < first).map(|(_, name)| name));
    }
    Ok(needless)
}

/// Does it. `told` hears of each backup, and of the log at the end. May be begun again after a failure, with a new plan. `InvalidArgument`: a backup was begun
/// meanwhile, and might be laid upon one that is to go.
pub fn remove(store: &dyn ArchiveStore, removal: &Removal, told: &mut dyn FnMut(&str)) -> Result<()> {
    for id in &removal.backups {
        let names = store.list("backups/").map_err(failed)?;
        let new =
            names.iter().filter_map(|n| n.split('/').nth(1)).find(|id| !removal.known.contains_key(*id));
        if let Some(new) = new {
            return Err(Error::InvalidArgument(format!(
                "backup \"{new}\" has been begun meanwhile: nothing more is removed, try again"
            )));
        }
        if signs_of_life(&names).get(id) > removal.known.get(id) {
            return Err(Error::InvalidArgument(format!(
                "backup \"{id}\" goes on meanwhile: nothing more is removed, try again"
            )));
        }
        remove_backup(store, id)?;
        told(id);
    }
    for name in &removal.log {
        store.delete(name).map_err(failed)?;
    }
    Ok(())
}

fn remove_backup(store: &dyn ArchiveStore, id: &str) -> Result<()> {
    store.delete(&manifest_name(id)).map_err(failed)?;
    let label = label_name(id);
    for name in store.list(&backup_folder(id)).map_err(failed)? {
        if name != label {
            store.delete(&name).map_err(failed)?;
        }
    }
    store.delete(&label).map_err(failed)
}
