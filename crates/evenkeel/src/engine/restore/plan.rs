//! What a restore will do, found out before anything is written: the backup, the log, and whether the moment asked for can be reached.
//!
//! Invariants
//! 1. The backup ends at or before the target, on the target's history: no earlier moment can be restored from it (`archive/README.md`).
//! 2. The target of the replay is `Latest`, a time or a position: names and transactions were looked for behind the backup's end, as what lies before it is replayed, too.
//!
//! Must not know: files.

use super::fetch::Fetch;
use super::log::ArchivedLog;
use super::rivals::{self, Rival};
use super::{Moment, PlanSummary, RestoreOptions, utc};
use crate::archive::{self, Found, Gap, Layers, Leg, LogMap, Manifest, may_end};
use crate::base::{Error, Lsn, Result};
use crate::recovery::Target;
use crate::wal::reader::LogReader;
use crate::wal::record::Kind;
use crate::wal::segment::Geometry;
use std::collections::BTreeSet;

/// What is to be done.
pub(super) struct Plan {
    pub layers: Layers,
    pub map: LogMap,
    /// The last segment that can be replayed without a gap.
    pub last: u64,
    /// Why the log cannot be replayed further, if there is more.
    pub broken: Option<String>,
    /// Where the replay ends.
    pub target: Target,
    /// The backup before it, if there is one.
    pub earlier: Option<String>,
    pub summary: PlanSummary,
}

pub(super) fn user(why: String) -> Error {
    Error::InvalidArgument(why)
}

/// Where the log that replay reads begins.
pub(super) fn redo_start(m: &Manifest) -> Lsn {
    let redo = m.redo.iter().min().copied().map_or(Lsn::from(m.log_needed), Lsn::from);
    redo.max(Lsn::from(m.log_needed))
}

pub(super) fn end_of(m: &Manifest) -> Lsn {
    m.end.into()
}

pub(super) fn geometry_of(m: &Manifest) -> Geometry {
    Geometry { segment_bytes: m.segment_bytes }
}

/// Makes the plan. Reads what is needed for it, and writes nothing. An error about the moment that was asked for names the timelines that were not looked at.
pub(super) fn make(fetch: &Fetch, options: &RestoreOptions, may_guess: bool) -> Result<Plan> {
    let legs = history(fetch, options.timeline)?;
    let followed = legs.last().map_or(1, |l| l.timeline);
    let rivals = match options.timeline {
        None if !may_guess => rivals::of(fetch, options, &legs)?,
        _ => Vec::new(),
    };
    let aside = |e| name_others(fetch, options, followed, &rivals, e);
    let begun = begin(fetch, options, legs).map_err(aside)?;
    let found = (&begun.map, begun.layers.top(), &begun.target);
    rivals::refuse(fetch, options, (&rivals, begun.found.moment), found)?;
    begun.plan().map_err(aside)
}

/// An error about the moment, with the timelines that were not looked at.
fn name_others(fetch: &Fetch, options: &RestoreOptions, followed: u32, rivals: &[Rival], e: Error) -> Error {
    let Error::InvalidArgument(why) = e else { return e };
    if options.timeline.is_some() {
        return user(why);
    }
    let others: Result<Vec<String>> = match rivals {
        [] => archive::with_log(fetch.store())
            .map(|all| all.into_iter().filter(|t| *t != followed).map(|t| t.to_string()).collect()),
        rivals => Ok(rivals.iter().map(Rival::told).collect()),
    };
    match others {
        Ok(others) if others.is_empty() => user(why),
        Ok(others) => user(format!(
            "{why}. That is the history of timeline {followed}; --timeline follows another one: {}",
            others.join(if rivals.is_empty() { ", " } else { "; " })
        )),
        Err(e) => e,
    }
}

/// A backup, and the log behind it.
struct Begun {
    layers: Layers,
    map: LogMap,
    target: Target,
    /// The first and the last segment.
    first: u64,
    last: u64,
    found: EndOfLog,
    gap: Option<Gap>,
    earlier: Option<String>,
}

fn begin(fetch: &Fetch, options: &RestoreOptions, legs: Vec<Leg>) -> Result<Begun> {
    let candidates = candidates(fetch, options, &legs)?;
    let newest = candidates.last().expect("refused if there is none");
    let map = fetch.again(|s| LogMap::read(s, geometry_of(newest), newest.database_id, legs.clone()))?;
    let (backup, target) = choose(fetch, options, &candidates, &map)?;

    let earlier = candidates.iter().rev().find(|m| end_of(m) < end_of(&backup)).map(|m| m.id.clone());
    let chain: Vec<Manifest> = archive::chain(fetch.store(), backup)?.into_iter().rev().collect();
    for m in &chain {
        if let Some(name) = archive::missing_chunks(fetch.store(), m)?.first() {
            return Err(Error::corrupt(format!(
                "backup \"{}\" is damaged: \"{name}\" is missing{}",
                m.id,
                instead(earlier.as_deref())
            )));
        }
    }
    let layers = Layers::new(chain)?;
    let top = layers.top();
    let first = map.geometry.segment_of(top.log_needed.into());
    let (last, gap) = reach(fetch, &map, first)?;
    let Some(last) = last else {
        return Err(Error::corrupt(format!(
            "the archive lacks \"{}\", which backup \"{}\" needs",
            map.name_of(first),
            top.id
        )));
    };
    let last_byte = map.geometry.segment_of(archive::last_byte(top));
    if map.get(last_byte).is_some() && last_byte <= last {
        let cut = ArchivedLog::new(fetch, &map, last, 1).cut(last_byte)?;
        archive::is_its_end(top, &map.name_of(last_byte), &cut)?;
    }
    let found = end_of_log(fetch, options, &map, redo_start(top), last)?;
    Ok(Begun { layers, map, target, first, last, found, gap, earlier })
}

impl Begun {
    fn plan(self) -> Result<Plan> {
        let Begun { layers, map, target, first, last, found, gap, earlier } = self;
        let top = layers.top();
        let broken = found.broken.or_else(|| gap.as_ref().map(gap_text));
        let plan = summary(&layers, &map, first, last, found.moment, broken.clone(), &target);
        if found.moment.lsn < end_of(top) {
            return Err(Error::corrupt(format!(
                "the log in the archive ends at {}, before the end of backup \"{}\", {}{}{}",
                found.moment.lsn,
                top.id,
                end_of(top),
                broken.map_or(String::new(), |b| format!(": {b}")),
                earlier.map_or(String::new(), |id| format!(
                    ". Moments before that can be reached: --backup {id}"
                ))
            )));
        }
        can_reach(&target, found.moment, broken.as_deref())?;
        Ok(Plan { layers, map, last, broken, target, earlier, summary: plan })
    }
}

/// The history of the timeline that was asked for.
fn history(fetch: &Fetch, timeline: Option<u32>) -> Result<Vec<Leg>> {
    let with_log = archive::with_log(fetch.store())?;
    let Some(newest) = with_log.last().copied() else {
        return Err(user(format!("there is no log in the archive {}", fetch.store().describe())));
    };
    let timeline = timeline.unwrap_or(newest);
    if !with_log.contains(&timeline) {
        let known: Vec<String> = with_log.iter().map(u32::to_string).collect();
        return Err(user(format!(
            "there is no log of timeline {timeline} in the archive: it has {}",
            known.join(", ")
        )));
    }
    archive::lineage(&archive::histories(fetch.store())?, timeline, &|n| archive::has_log(fetch.store(), n))
}

/// Complete backups of this history, by their ends; at least one.
pub(super) fn candidates(fetch: &Fetch, options: &RestoreOptions, legs: &[Leg]) -> Result<Vec<Manifest>> {
    let place = fetch.store().describe();
    let found = archive::backups(fetch.store())?;
    let on_history = |m: &Manifest| {
        legs.iter().any(|l| l.timeline == m.timeline && l.until.is_none_or(|until| end_of(m) <= until))
    };
    let timeline = legs.last().map_or(1, |l| l.timeline);
    if let Some(id) = &options.backup {
        return match found.into_iter().find(|f| f.id() == id) {
            Some(Found::Complete(m)) if on_history(&m) => Ok(vec![m]),
            Some(Found::Complete(m)) => Err(user(format!(
                "backup \"{id}\" is of timeline {} and ends at {}: that is no part of the history of timeline {timeline}",
                m.timeline,
                end_of(&m)
            ))),
            Some(Found::Unfinished(_)) => Err(user(format!("backup \"{id}\" was not completed"))),
            Some(Found::Damaged { why, .. }) => Err(Error::corrupt(format!("backup \"{id}\": {why}"))),
            None => Err(user(format!("the archive {place} has no backup \"{id}\""))),
        };
    }
    let all = found.len();
    let mut complete: Vec<Manifest> =
        found.into_iter().filter_map(|f| if let Found::Complete(m) = f { Some(m) } else { None }).collect();
    let some = !complete.is_empty();
    complete.retain(on_history);
    complete.sort_by_key(end_of);
    if complete.is_empty() {
        return Err(user(if some {
            format!("none of the backups in {place} belongs to the history of timeline {timeline}")
        } else if all > 0 {
            format!("no backup in {place} is complete")
        } else {
            format!("there is no base backup in {place}")
        }));
    }
    Ok(complete)
}

/// The backup to begin with, and where the replay ends (invariants 1 and 2).
fn choose(
    fetch: &Fetch,
    options: &RestoreOptions,
    candidates: &[Manifest],
    map: &LogMap,
) -> Result<(Manifest, Target)> {
    let oldest = &candidates[0];
    let newest_with = |ends_before: &dyn Fn(&Manifest) -> bool, asked: String| {
        candidates.iter().rev().find(|m| ends_before(m)).cloned().ok_or_else(|| {
            user(format!(
                "{asked} cannot be restored: {} backup, \"{}\", ended at {} ({}), and only later moments can be reached from it",
                if options.backup.is_some() { "the" } else { "the oldest" },
                oldest.id,
                end_of(oldest),
                utc(oldest.ended_ms)
            ))
        })
    };
    let backup = match &options.target {
        Target::Latest => candidates.last().expect("not empty").clone(),
        Target::Lsn(to) => newest_with(&|m| end_of(m) <= *to, format!("position {to}"))?,
        Target::TimeMs(to) => newest_with(&|m| m.ended_ms <= *to, utc(*to))?,
        Target::Txn(_) | Target::Name(_) => {
            let (backup, at) = search(fetch, options, candidates, map)?;
            return Ok((backup, Target::Lsn(at)));
        }
    };
    Ok((backup, options.target.clone()))
}

/// Looks for a transaction's commit, or a restore point, behind the newest backup that has it behind its end.
fn search(
    fetch: &Fetch,
    options: &RestoreOptions,
    candidates: &[Manifest],
    map: &LogMap,
) -> Result<(Manifest, Lsn)> {
    let mut before = Lsn::MAX;
    let mut end = None;
    for m in candidates.iter().rev() {
        let first = map.geometry.segment_of(m.log_needed.into());
        let (Some(last), _) = reach(fetch, map, first)? else { continue };
        let last = if before == Lsn::MAX { last } else { last.min(map.geometry.segment_of(before)) };
        let log = ArchivedLog::new(fetch, map, last, options.window);
        let found = log.with_workers(options.workers, |log| -> Result<Option<Lsn>> {
            let mut reader = LogReader::open(log, map.geometry, redo_start(m))?;
            while let Some(rec) = reader.next()? {
                if rec.lsn >= before {
                    break;
                }
                if rec.end <= end_of(m) {
                    continue;
                }
                match &options.target {
                    Target::Txn(id) if rec.txn.as_ref().is_some_and(|t| t.id == *id) => match rec.kind {
                        Kind::Commit => return Ok(Some(rec.end)),
                        Kind::Abort => {
                            return Err(user(format!(
                                "transaction {} was rolled back, at {}",
                                id.0, rec.lsn
                            )));
                        }
                        _ => {}
                    },
                    Target::Name(name) if rec.mark().is_some_and(|(_, n)| n == name) => {
                        return Ok(Some(rec.end));
                    }
                    _ => {}
                }
            }
            end = end.max(Some(reader.position()));
            Ok(None)
        })?;
        if let Some(at) = found {
            return Ok((m.clone(), at));
        }
        before = end_of(m);
    }
    let what = match &options.target {
        Target::Txn(id) => format!("no commit of transaction {}", id.0),
        Target::Name(name) => format!("no restore point \"{name}\""),
        _ => "nothing of the kind".into(),
    };
    Err(user(format!(
        "there is {what} in the log between the end of backup \"{}\", {}, and {}",
        candidates[0].id,
        end_of(&candidates[0]),
        end.map_or("the end".into(), |e| e.to_string())
    )))
}

pub(super) fn reach(fetch: &Fetch, map: &LogMap, first: u64) -> Result<(Option<u64>, Option<Gap>)> {
    map.reach(first, &mut |segment| ArchivedLog::new(fetch, map, segment, 1).cut(segment))
}

/// What to do where a backup is damaged.
pub(super) fn instead(earlier: Option<&str>) -> String {
    let way = |id| format!(". An earlier one, if it is whole, gives the same moment: --backup {id}");
    earlier.map_or(String::new(), way)
}

fn gap_text(gap: &Gap) -> String {
    if gap.next == gap.first + 1 {
        format!("\"{}\" is missing", gap.name)
    } else {
        format!("\"{}\" and {} segments behind it are missing", gap.name, gap.next - gap.first - 1)
    }
}

pub(super) struct EndOfLog {
    pub moment: Moment,
    broken: Option<String>,
}

/// Where the log ends that can be replayed, and with which commit. Reads its last segments, as many as it takes to find a commit.
pub(super) fn end_of_log(
    fetch: &Fetch,
    options: &RestoreOptions,
    map: &LogMap,
    from: Lsn,
    last: u64,
) -> Result<EndOfLog> {
    let lowest = map.geometry.segment_of(from);
    let log = ArchivedLog::new(fetch, map, last, options.window);
    let mut damaged: Option<(u64, String)> = None;
    let mut back = 0;
    loop {
        let segment = last.saturating_sub(back).max(lowest);
        let start = if segment == lowest {
            Some(from)
        } else if map.get(segment).is_none() {
            None
        } else {
            match log.cut(segment) {
                Ok(cut) => cut.first,
                Err(Error::Corrupt(why)) => {
                    damaged = Some((segment, why.to_string()));
                    None
                }
                Err(e) => return Err(e),
            }
        };
        let Some(start) = start else {
            back += 1;
            continue;
        };
        let mut reader = LogReader::open(&log, map.geometry, start)?;
        let mut commit_ms = None;
        while let Some(rec) = reader.next()? {
            commit_ms = rec.commit_time_ms().or(commit_ms);
        }
        if commit_ms.is_none() && segment > lowest {
            back = 2 * back + 1;
            continue;
        }
        let lsn = reader.position();
        let trouble = log.trouble().map(|(n, e)| (n, e.to_string()));
        let trouble = [trouble, damaged].into_iter().flatten().min_by_key(|(n, _)| *n);
        let broken = match trouble {
            Some((_, why)) => Some(why),
            None => ends_well(&log, map, lsn, last)?.err(),
        };
        return Ok(EndOfLog { moment: Moment { lsn, commit_ms }, broken });
    }
}

/// Whether the log may end where reading did; else what is wrong there.
pub(super) fn ends_well(
    log: &ArchivedLog<'_>,
    map: &LogMap,
    at: Lsn,
    last: u64,
) -> Result<std::result::Result<(), String>> {
    let first = map.geometry.segment_of(at);
    // A record is at most some megabytes long: what ends further back ends wrongly.
    let mut cuts = Vec::new();
    for (n, _) in map.range(first, last).take_while(|(n, _)| *n <= last).take(64) {
        cuts.push(log.cut(n)?);
    }
    let well = may_end(at, &cuts);
    Ok(if well { Ok(()) } else { Err(format!("\"{}\": no intact record at {at}", map.name_of(first))) })
}

/// Whether a target lies before the end of the log. The error says what can be reached.
pub(super) fn can_reach(target: &Target, end: Moment, broken: Option<&str>) -> Result<()> {
    let reached = match target {
        Target::Latest => broken.is_none(),
        Target::Lsn(to) => *to <= end.lsn,
        Target::TimeMs(to) => end.commit_ms.is_some_and(|ms| ms > *to),
        Target::Txn(_) | Target::Name(_) => true,
    };
    if reached { Ok(()) } else { Err(not_reached(target, end, broken)) }
}

/// The target lies behind the end of the log, or its end is not where it should be.
pub(super) fn not_reached(target: &Target, end: Moment, broken: Option<&str>) -> Error {
    let asked = match target {
        Target::TimeMs(to) => format!("no commit later than {} is in the archive", utc(*to)),
        Target::Lsn(to) => format!("position {to} is not in the archive"),
        _ => "the end of the log cannot be reached".into(),
    };
    let commit = end.commit_ms.map_or(String::new(), |ms| format!(" (the last commit at {})", utc(ms)));
    match broken {
        Some(why) => Error::corrupt(format!(
            "{asked}: {why}. The last moment that can be reached is {}{commit}: --to-lsn {}",
            end.lsn, end.lsn
        )),
        None => user(format!(
            "{asked}: the log ends at {}{commit}. Without a target it is restored up to there",
            end.lsn
        )),
    }
}

fn summary(
    layers: &Layers,
    map: &LogMap,
    first: u64,
    last: u64,
    reach: Moment,
    broken: Option<String>,
    target: &Target,
) -> PlanSummary {
    let top = layers.top();
    // Where the replay ends, as far as that is known beforehand.
    let to = if let Target::Lsn(to) = target { map.geometry.segment_of(*to).min(last) } else { last };
    let log: Vec<u64> = map.range(first, to).map(|(_, l)| l.bytes).collect();
    let pieces: Vec<_> = (0..layers.manifests().len()).flat_map(|i| layers.pieces(i)).collect();
    let timelines: BTreeSet<u32> = map.range(first, to).map(|(_, l)| l.timeline).collect();
    PlanSummary {
        backup: top.id.clone(),
        label: top.label.clone(),
        backup_end: end_of(top),
        backup_ended_ms: top.ended_ms,
        chain: layers.manifests().iter().map(|m| m.id.clone()).collect(),
        timelines: timelines.into_iter().collect(),
        files: top.files.len() as u64,
        data_bytes: top.files.iter().map(|f| u64::from(f.blocks) * crate::base::PAGE_BYTES as u64).sum(),
        chunks: pieces.len() as u64,
        chunk_bytes: pieces.iter().map(|p| p.chunk.bytes).sum(),
        segments: log.len() as u64,
        segment_bytes: log.iter().sum(),
        log_from: redo_start(top),
        target: target.clone(),
        end: reach,
        broken,
    }
}
