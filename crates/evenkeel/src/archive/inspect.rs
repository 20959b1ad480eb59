//! Verifying backups: every object there and what its manifest says, every page whole, and the log that a restore cannot do without.
//!
//! Reads each object once, and keeps one in memory. Must not know: how pages are put back.

use super::catalog::{chain, check_end};
use super::layers::Layers;
use super::manifest::Manifest;
use super::owner::failed;
use super::store::ArchiveStore;
use super::verify::verify_segments;
use crate::base::{Error, Lsn, Result};
use crate::wal::segment::Geometry;

/// What was found of a backup.
#[derive(Clone, Debug, Default)]
pub struct Inspection {
    /// Chunks read.
    pub chunks: u64,
    /// Pages in them.
    pub pages: u64,
    /// Bytes of them in the archive.
    pub stored_bytes: u64,
    /// Log segments read.
    pub segments: u64,
    /// What is wrong; empty = it can be restored, to its end and beyond.
    pub problems: Vec<String>,
}

/// Reads a backup's own objects and its log. Of those that it is laid upon, manifests only. `told` hears of each chunk's bytes. Fails only where the
/// store does.
pub fn inspect(store: &dyn ArchiveStore, m: &Manifest, told: &mut dyn FnMut(u64)) -> Result<Inspection> {
    let mut found = Inspection::default();
    match layers(store, m) {
        Ok(layers) => chunks(store, &layers, &mut found, told)?,
        Err(Error::Corrupt(why)) => found.problems.push(why.to_string()),
        Err(e) => return Err(e),
    }
    log(store, m, &mut found)?;
    Ok(found)
}

fn layers(store: &dyn ArchiveStore, m: &Manifest) -> Result<Layers> {
    let mut manifests = chain(store, m.clone())?;
    manifests.reverse();
    Layers::new(manifests)
}

fn chunks(
    store: &dyn ArchiveStore,
    layers: &Layers,
    found: &mut Inspection,
    told: &mut dyn FnMut(u64),
) -> Result<()> {
    for piece in layers.pieces(layers.manifests().len() - 1) {
        found.chunks += 1;
        found.stored_bytes += piece.chunk.bytes;
        match store.get(&piece.name).map_err(failed)? {
            None => found.problems.push(format!("{}: it is missing", piece.name)),
            Some((bytes, _)) => match layers.decode(&piece, &bytes) {
                Ok(chunk) => found.pages += u64::from(chunk.pages()),
                Err(e) => found.problems.push(e.to_string()),
            },
        }
        told(piece.chunk.bytes);
    }
    Ok(())
}

/// From the first position that replay reads to the end of the backup, without a gap.
fn log(store: &dyn ArchiveStore, m: &Manifest, found: &mut Inspection) -> Result<()> {
    let geometry = Geometry { segment_bytes: m.segment_bytes };
    let (from, to) = (Lsn::from(m.log_needed), Lsn::from(m.end));
    let wanted = geometry.segment_of(from)..=geometry.segment_of(to);
    let report =
        verify_segments(store, &|timeline, s| timeline == m.timeline && wanted.contains(&s), &mut |_, _| {})?;
    found.segments = report.segments;
    found.stored_bytes += report.stored_bytes;
    let whole = report.stretches.iter().any(|s| s.from <= from && s.to >= to);
    found.problems.extend(report.problems);
    if whole {
        match check_end(store, m) {
            Err(Error::Corrupt(why)) => found.problems.push(why.to_string()),
            done => done?,
        }
    } else {
        found.problems.push(format!(
            "backup \"{}\" needs the log of timeline {} from {from} to {to}, which is not all there",
            m.id, m.timeline
        ));
    }
    Ok(())
}
