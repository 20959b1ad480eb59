//! Verifying an archive: every segment whole, in its place, and the continuation of the one before.
//!
//! Reads each object once, in order, and keeps one segment in memory.

use super::cut::Cut;
use super::owner::failed;
use super::pack::unpack;
use super::store::ArchiveStore;
use super::timeline::{History, histories};
use crate::base::{Lsn, Result};
use crate::wal::record::{frame_is_intact, parse_frame};
use crate::wal::segment::SEGMENT_MAX;
use std::collections::BTreeMap;

/// A stretch of log without a gap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// Timeline.
    pub timeline: u32,
    /// First segment.
    pub first: u64,
    /// Last segment.
    pub last: u64,
    /// Where it begins.
    pub from: Lsn,
    /// Where it ends: the last moment that a restore can reach with it.
    pub to: Lsn,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Segments read, partial ones included.
    pub segments: u64,
    /// Records that begin in them.
    pub records: u64,
    /// Bytes of log.
    pub log_bytes: u64,
    /// Bytes in the archive.
    pub stored_bytes: u64,
    /// Segments without images.
    pub stripped: u64,
    /// What can be replayed in one go.
    pub stretches: Vec<Stretch>,
    /// What is wrong; empty = nothing.
    pub problems: Vec<String>,
}

/// What must be known of a segment to judge the next one.
struct Before {
    segment: u64,
    incarnation: u64,
    end: Lsn,
    full: bool,
    /// The beginning of a record that goes on in the next segment, and its position.
    open: Vec<u8>,
    open_at: Lsn,
}

/// Reads a whole archive. Fails only where the store does.
pub fn verify(store: &dyn ArchiveStore) -> Result<Report> {
    verify_segments(store, &|_, _| true, &mut |_, _| {})
}

/// Reads those of its segments, by timeline and number, that are wanted. `progress` hears before each how many were read, and of how many at most.
pub fn verify_segments(
    store: &dyn ArchiveStore,
    wanted: &dyn Fn(u32, u64) -> bool,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report> {
    let mut report = Report::default();
    let mut timelines: BTreeMap<u32, Vec<(u64, Lsn, String)>> = BTreeMap::new();
    for name in store.list("wal/").map_err(failed)? {
        match parse_name(&name) {
            Some((timeline, segment, _)) if !wanted(timeline, segment) => {}
            Some((timeline, segment, end)) => {
                timelines.entry(timeline).or_default().push((segment, end, name))
            }
            None => report.problems.push(format!("{name}: not the name of an archived segment")),
        }
    }
    let total = timelines.values().map(|objects| objects.len() as u64).sum();
    let mut database = None;
    let mut lives: Vec<(u32, u64, Lsn, Lsn)> = Vec::new();
    let histories = histories(store)?;
    for (timeline, mut objects) in timelines {
        let history = match histories.get(&timeline) {
            Some(Ok(h)) => Some(h),
            Some(Err(e)) => {
                report.problems.push(e.to_string());
                None
            }
            None => {
                if timeline > 1 {
                    report.problems.push(format!("nothing says where timeline {timeline} comes from"));
                }
                None
            }
        };
        let mut first = true;
        objects.sort();
        // Of several forms of a segment the finished one counts, else the longest: it is the last.
        let mut chosen: BTreeMap<u64, String> = BTreeMap::new();
        for (segment, _, name) in objects {
            chosen.insert(segment, name);
        }
        let mut before: Option<Before> = None;
        for (segment, mut name) in chosen {
            progress(report.segments, total);
            let mut object = store.get(&name).map_err(failed)?;
            if object.is_none()
                && let Some(longer) = newest_form(store, timeline, segment)?
            {
                // The archiver has put a longer one meanwhile.
                object = store.get(&longer).map_err(failed)?;
                name = longer;
            }
            let Some((bytes, _)) = object else {
                report.problems.push(format!("{name}: it has just disappeared"));
                continue;
            };
            report.segments += 1;
            report.stored_bytes += bytes.len() as u64;
            let cut = match unpack(&bytes) {
                Ok((cut, t)) if t == timeline && cut.header.segment == segment => cut,
                Ok((cut, t)) => {
                    report.problems.push(format!(
                        "{name}: it holds segment {:016x} of timeline {t}",
                        cut.header.segment
                    ));
                    before = None;
                    continue;
                }
                Err(e) => {
                    report.problems.push(format!("{name}: {e}"));
                    before = None;
                    continue;
                }
            };
            if *database.get_or_insert(cut.header.database_id) != cut.header.database_id {
                report.problems.push(format!("{name}: of another database, {:016x}", cut.header.database_id));
                before = None;
                continue;
            }
            if let Some(h) = history.filter(|_| first) {
                report.problems.extend(beginning(h, &cut).map(|why| format!("{name}: {why}")));
            }
            first = false;
            let follows = match &before {
                Some(b) => follows(b, &cut),
                None => Err(None),
            };
            match follows {
                Ok(()) => {
                    let stretch = report.stretches.last_mut().expect("one was begun");
                    (stretch.last, stretch.to) = (segment, cut.end);
                }
                Err(why) => {
                    if let Some(why) = why {
                        report.problems.push(format!("{name}: {why}"));
                    } else if cut.header.begins_life() && cut.header.prev_incarnation != 0 {
                        // The first of a timeline goes on from another one, or the archive begins here.
                        let parents: Vec<_> =
                            lives.iter().filter(|l| l.1 == cut.header.prev_incarnation).collect();
                        let known = |l: &&(u32, u64, Lsn, Lsn)| {
                            l.2 <= cut.header.prev_end && cut.header.prev_end <= l.3
                        };
                        // The parent's log may be gone up to some place behind it: no backup needs it.
                        let reaches_back = parents.iter().any(|l| l.2 <= cut.header.prev_end);
                        if reaches_back && !parents.iter().any(known) {
                            report.problems.push(format!(
                                "{name}: it goes on from {}, which no other timeline reaches",
                                cut.header.prev_end
                            ));
                        }
                    }
                    report.stretches.push(Stretch {
                        timeline,
                        first: segment,
                        last: segment,
                        from: cut.start(),
                        to: cut.end,
                    });
                }
            }
            lives.push((timeline, cut.header.incarnation, cut.start(), cut.end));
            report.log_bytes += cut.stream.len() as u64;
            report.stripped += u64::from(cut.header.stripped);
            before = look_inside(&cut, before.filter(|_| follows_ok(&report, segment)), &name, &mut report);
        }
    }
    Ok(report)
}

/// The finished form of a segment, else the longest, as the archive has it now.
pub(super) fn newest_form(store: &dyn ArchiveStore, timeline: u32, segment: u64) -> Result<Option<String>> {
    let names = store.list(&format!("{}{segment:016x}", super::ship::folder(timeline))).map_err(failed)?;
    let form = |name: String| {
        let (_, of, end) = parse_name(&name)?;
        (of == segment).then_some((end, name))
    };
    Ok(names.into_iter().filter_map(form).max().map(|(_, name)| name))
}

/// What is wrong with the first segment that there is of a timeline, by what is known of its beginning. The very first may be gone: a backup needs it no longer.
fn beginning(h: &History, cut: &Cut) -> Option<String> {
    let expected = cut.geometry().segment_of(h.switch.into()) + 1;
    let first = &cut.header;
    let wrong = if first.database_id != h.database_id {
        format!("it belongs to database {:016x}", first.database_id)
    } else if first.segment < expected && cut.end > h.switch.into() {
        format!(
            "it has log behind {}, where the timeline begins in segment {expected:016x}",
            Lsn::from(h.switch)
        )
    } else if first.segment == expected
        && (first.prev_end, first.prev_incarnation) != (Lsn::from(h.switch), h.parent_incarnation)
    {
        format!(
            "it goes on from {} of incarnation {:016x}, but the timeline left its parent at {} of incarnation {:016x}",
            first.prev_end,
            first.prev_incarnation,
            Lsn::from(h.switch),
            h.parent_incarnation
        )
    } else {
        return None;
    };
    Some(wrong)
}

/// Whether the stretch that ends with this segment began before it.
fn follows_ok(report: &Report, segment: u64) -> bool {
    report.stretches.last().is_some_and(|s| s.first < segment)
}

/// Timeline, segment and end of an object below `wal/`; the end of a finished segment is the largest position. `None`: it is no name of a segment, or of one that no log reaches.
pub(super) fn parse_name(name: &str) -> Option<(u32, u64, Lsn)> {
    let (timeline, file) = name.strip_prefix("wal/")?.split_once('/')?;
    let hex = |s: &str| (s.len() == 16).then(|| u64::from_str_radix(s, 16).ok()).flatten();
    let number = |s: &str| hex(s).filter(|n| *n < SEGMENT_MAX);
    let timeline = (timeline.len() == 8).then(|| u32::from_str_radix(timeline, 16).ok()).flatten()?;
    if let Some(segment) = file.strip_suffix(".seg") {
        return Some((timeline, number(segment)?, Lsn::MAX));
    }
    let (segment, end) = file.strip_suffix(".partial")?.split_once('-')?;
    Some((timeline, number(segment)?, Lsn(hex(end)?)))
}

/// Whether a cut continues the one before. `Err(Some)`: why not.
fn follows(b: &Before, cut: &Cut) -> std::result::Result<(), Option<String>> {
    let h = &cut.header;
    if h.begins_life() && h.prev_incarnation == b.incarnation && h.prev_end == b.end {
        // Where a life ended with its segment, the next may have left one out.
        if h.segment == b.segment + 1 || (h.segment == b.segment + 2 && b.full) {
            return Ok(());
        }
    }
    if h.segment != b.segment + 1 {
        return Err(Some(format!(
            "a gap: segments {:016x} to {:016x} are missing; without them a restore ends at {}",
            b.segment + 1,
            h.segment - 1,
            b.end
        )));
    }
    if h.begins_life() {
        return Err(Some(format!(
            "it goes on from {} of incarnation {:016x}, but the segment before ends at {} of incarnation {:016x}",
            h.prev_end, h.prev_incarnation, b.end, b.incarnation
        )));
    }
    if h.incarnation != b.incarnation {
        return Err(Some(format!(
            "it belongs to incarnation {:016x}, the segment before to {:016x}",
            h.incarnation, b.incarnation
        )));
    }
    if !b.full {
        return Err(Some(format!("the segment before ends at {}, before its end", b.end)));
    }
    Ok(())
}

/// Checks the records, the one that comes over from the segment before included. Gives what the next segment is judged by.
fn look_inside(cut: &Cut, before: Option<Before>, name: &str, report: &mut Report) -> Option<Before> {
    let mut records = 0;
    if let Err(e) = cut.records(&mut |_| records += 1) {
        report.problems.push(format!("{name}: {e}"));
        return None;
    }
    report.records += records;
    let frames = cut.frames().ok()?;
    let tail_from = frames
        .last()
        .map_or_else(|| cut.first.map_or(0, |f| (f.0 - cut.start().0) as usize), |f| f.at + f.len);
    let first = cut.first.map_or(cut.stream.len(), |f| (f.0 - cut.start().0) as usize);
    let mut open = cut.stream[tail_from..].to_vec();
    let mut open_at = Lsn(cut.start().0 + tail_from as u64);
    if let Some(b) = before
        && !cut.header.begins_life()
        && !b.open.is_empty()
    {
        let mut frame = b.open;
        frame.extend_from_slice(&cut.stream[..first]);
        let len = parse_frame(&frame[..frame.len().min(14)]).map(|(head, body)| head + body);
        match len {
            Some(len) if len <= frame.len() => {
                report.records += 1;
                if !frame_is_intact(&frame[..len], b.open_at, cut.header.incarnation) {
                    report.problems.push(format!("{name}: the record at {} is damaged", b.open_at));
                }
                if cut.first.is_none() {
                    // The rest begins the next one.
                    open = frame[len..].to_vec();
                    open_at = Lsn(b.open_at.0 + len as u64);
                }
            }
            _ if cut.first.is_none() => (open, open_at) = (frame, b.open_at),
            _ => report
                .problems
                .push(format!("{name}: the record at {} does not end where the next begins", b.open_at)),
        }
    }
    Some(Before {
        segment: cut.header.segment,
        incarnation: cut.header.incarnation,
        end: cut.end,
        full: cut.is_full(),
        open,
        open_at,
    })
}
