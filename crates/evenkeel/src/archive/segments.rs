//! The log of a history as it lies in an archive: for each segment the object that holds it, across timelines.
//!
//! Invariants
//! 1. Of a timeline that another one left, only log before that place is handed out: behind it there are zeros, where the reader looks for the next life.
//! 2. Of several forms of a segment the finished one counts, else the longest part.
//! 3. Of a segment that two timelines have, the later one's counts: whoever took over from a server archives the end of that one's log, which may never have got there, with its own.
//!
//! Must not know: threads; what is replayed.

use super::cut::{Cut, goes_on_behind};
use super::pack::unpack;
use super::ship::folder;
use super::store::{ArchiveStore, StoreError};
use super::timeline::Leg;
use super::verify::parse_name;
use crate::base::{Error, Lsn, Result};
use crate::wal::record::parse_frame;
use crate::wal::segment::Geometry;
use std::collections::BTreeMap;

/// Where a segment lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// Its object.
    pub name: String,
    /// Bytes of the object.
    pub bytes: u64,
    /// The timeline that it belongs to.
    pub timeline: u32,
    /// Log from here on does not count (invariant 1).
    pub until: Option<Lsn>,
}

impl Located {
    /// It was not finished when it was listed: a longer part, or the whole, may come in its place.
    pub fn is_part(&self) -> bool {
        self.name.ends_with(".partial")
    }
}

/// Segments that a history needs and the archive does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The first that is missing.
    pub first: u64,
    /// The object that it should be.
    pub name: String,
    /// The next that is there.
    pub next: u64,
}

/// The log of a history.
#[derive(Clone, Debug)]
pub struct LogMap {
    /// Segment arithmetic.
    pub geometry: Geometry,
    /// Whose.
    pub database_id: u64,
    /// The timelines, the first one first.
    pub legs: Vec<Leg>,
    objects: BTreeMap<u64, Located>,
}

impl LogMap {
    /// Lists the segments of a history.
    pub fn read(
        store: &dyn ArchiveStore,
        geometry: Geometry,
        database_id: u64,
        legs: Vec<Leg>,
    ) -> std::result::Result<LogMap, StoreError> {
        let mut objects = BTreeMap::new();
        // A timeline's own segments come before its parent's (invariant 3).
        for leg in &legs {
            let last = leg.until.map_or(u64::MAX, |l| geometry.segment_of(l));
            let mut found: Vec<_> = store
                .list_sizes(&folder(leg.timeline))?
                .into_iter()
                .filter_map(|(name, bytes)| {
                    let (timeline, segment, end) = parse_name(&name)?;
                    (timeline == leg.timeline && segment <= last).then_some((segment, end, name, bytes))
                })
                .collect();
            // The last of a segment stays (invariant 2).
            found.sort();
            for (segment, _, name, bytes) in found {
                let until = leg.until.filter(|_| segment == last);
                objects.insert(segment, Located { name, bytes, timeline: leg.timeline, until });
            }
        }
        Ok(LogMap { geometry, database_id, legs, objects })
    }

    /// Where a segment is.
    pub fn get(&self, segment: u64) -> Option<&Located> {
        self.objects.get(&segment)
    }

    /// Segments from one to another, both included.
    pub fn range(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, &Located)> {
        self.objects.range(from..=to.max(from)).map(|(n, l)| (*n, l))
    }

    /// The timeline that a position belongs to.
    pub fn timeline_of(&self, at: Lsn) -> u32 {
        let leg = self.legs.iter().find(|l| l.until.is_none_or(|until| at <= until));
        leg.or(self.legs.last()).map_or(1, |l| l.timeline)
    }

    /// The timeline under which the log up to a position is archived: of who took over, that is the end of its parent's log as well (invariant 3).
    pub fn holder_of(&self, end: Lsn) -> u32 {
        let last = self.geometry.segment_of(Lsn(end.0.saturating_sub(1)));
        self.get(last).map_or_else(|| self.timeline_of(end), |l| l.timeline)
    }

    /// How far the log goes from a segment on without a gap: the last segment, and the gap behind it if there is more. `None`: the segment itself is not there.
    /// `load` brings a segment, which is asked for where a life may have left one out.
    pub fn reach(
        &self,
        from: u64,
        load: &mut dyn FnMut(u64) -> Result<Cut>,
    ) -> Result<(Option<u64>, Option<Gap>)> {
        let mut last = None;
        let mut expected = from;
        for segment in self.objects.range(from..).map(|(n, _)| *n) {
            if segment > expected {
                // A life that ended with its segment: the next begins one further.
                let skipped = segment == expected + 1 && last.is_some() && {
                    let h = load(segment)?.header;
                    h.begins_life() && h.prev_end == self.geometry.start_of(expected)
                };
                if !skipped {
                    return Ok((last, Some(self.gap(expected, segment))));
                }
            }
            last = Some(segment);
            expected = segment + 1;
        }
        Ok((last, None))
    }

    fn gap(&self, first: u64, next: u64) -> Gap {
        let timeline = self.timeline_of(self.geometry.start_of(first));
        Gap { first, name: super::ship::object_name(timeline, first), next }
    }

    /// The object that holds a segment, or should.
    pub fn name_of(&self, segment: u64) -> String {
        self.get(segment).map_or_else(|| self.gap(segment, segment).name, |l| l.name.clone())
    }

    /// Names of the forms of a segment that are there now, the one that counts first.
    pub fn forms(
        &self,
        store: &dyn ArchiveStore,
        segment: u64,
    ) -> std::result::Result<Vec<String>, StoreError> {
        let Some(at) = self.get(segment) else { return Ok(Vec::new()) };
        let mut names = store.list(&format!("{}{segment:016x}", folder(at.timeline)))?;
        names.sort_by_key(|n| parse_name(n).map(|(_, _, end)| end));
        names.reverse();
        Ok(names)
    }

    /// Reads a segment's object. `Corrupt`: it is damaged, or not what its name says.
    pub fn decode(&self, segment: u64, bytes: &[u8]) -> Result<Cut> {
        let Some(at) = self.get(segment) else {
            return Err(Error::corrupt(format!("log segment {segment:016x} is not in the archive")));
        };
        let bad = |why: String| Error::corrupt(format!("\"{}\": {why}", at.name));
        let (mut cut, timeline) = unpack(bytes).map_err(|e| bad(e.to_string()))?;
        let h = &cut.header;
        if timeline != at.timeline || h.segment != segment {
            return Err(bad(format!("it holds segment {:016x} of timeline {timeline}", h.segment)));
        }
        if h.database_id != self.database_id {
            return Err(bad(format!("it belongs to database {:016x}", h.database_id)));
        }
        if h.segment_bytes != self.geometry.segment_bytes {
            return Err(bad(format!("segments of {} bytes", h.segment_bytes)));
        }
        if let Some(until) = at.until.filter(|u| *u < cut.end) {
            cut.end = until.max(cut.start());
            let len = (cut.end.0 - cut.start().0) as usize;
            cut.stream.truncate(len);
            cut.first = cut.first.filter(|f| *f < cut.end);
            cut.holes.retain(|h| h.end <= len);
        }
        Ok(cut)
    }
}

/// Whether the log may end at `at`, where reading stopped: `cuts` are the segments from the one of `at` to the last. A record that goes on behind the last one's end
/// was still being written; anything else that is not an intact record is damage.
pub fn may_end(at: Lsn, cuts: &[Cut]) -> bool {
    let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else { return true };
    if at >= last.end {
        return true;
    }
    if at < first.start() {
        return false;
    }
    let tail = first.stream.get((at.0 - first.start().0) as usize..).unwrap_or_default();
    if cuts.len() == 1 {
        return goes_on_behind(tail);
    }
    match parse_frame(&tail[..tail.len().min(14)]) {
        Some((head, body)) => at.0 + (head + body) as u64 > last.end.0,
        None => false,
    }
}
