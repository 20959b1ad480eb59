//! The backups of an archive: which there are, and what each needs.
//!
//! Must not know: how backups are made or restored.

use super::cut::Cut;
use super::manifest::{Manifest, backup_folder, chunk_name, label_name, manifest_name};
use super::owner::failed;
use super::pack::unpack;
use super::ship::{folder, object_name};
use super::store::ArchiveStore;
use super::verify::newest_form;
use crate::base::{Error, Lsn, Result};
use crate::wal::segment::Geometry;
use std::collections::BTreeSet;

/// Longest chain of backups laid upon each other that is followed.
pub const CHAIN_MAX: usize = 1000;

/// A backup as it is found.
#[derive(Clone, Debug)]
pub enum Found {
    /// It can be restored.
    Complete(Manifest),
    /// There is only its label: it is being made, or was given up.
    Unfinished(Manifest),
    /// Objects without a label or manifest that can be read.
    Damaged {
        /// Its name.
        id: String,
        /// What is wrong.
        why: String,
    },
}

impl Found {
    /// Its name.
    pub fn id(&self) -> &str {
        match self {
            Found::Complete(m) | Found::Unfinished(m) => &m.id,
            Found::Damaged { id, .. } => id,
        }
    }

    /// Its manifest, or its label.
    pub fn manifest(&self) -> Option<&Manifest> {
        match self {
            Found::Complete(m) | Found::Unfinished(m) => Some(m),
            Found::Damaged { .. } => None,
        }
    }
}

/// A complete backup's manifest. `InvalidArgument`: there is none of this name.
pub fn manifest(store: &dyn ArchiveStore, id: &str) -> Result<Manifest> {
    let none = |what| Error::InvalidArgument(format!("the archive {} {what} \"{id}\"", store.describe()));
    if !is_id(id) {
        return Err(none("has no backup"));
    }
    match store.get(&manifest_name(id)).map_err(failed)? {
        Some((bytes, _)) => named(Manifest::decode(&bytes)?, id),
        None => Err(none("has no complete backup")),
    }
}

/// The label of a backup, complete or not.
pub fn label(store: &dyn ArchiveStore, id: &str) -> Result<Option<Manifest>> {
    if !is_id(id) {
        return Ok(None);
    }
    match store.get(&label_name(id)).map_err(failed)? {
        Some((bytes, _)) => named(Manifest::decode(&bytes)?, id).map(Some),
        None => Ok(None),
    }
}

fn named(m: Manifest, id: &str) -> Result<Manifest> {
    if m.id == id {
        Ok(m)
    } else {
        Err(Error::corrupt(format!("backup \"{id}\" says that it is \"{}\"", m.id)))
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// All backups, the oldest first. Reads a document of each.
pub fn backups(store: &dyn ArchiveStore) -> Result<Vec<Found>> {
    let names = store.list("backups/").map_err(failed)?;
    let ids: BTreeSet<&str> = names.iter().filter_map(|n| n.split('/').nth(1)).collect();
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let has = |name: String| names.binary_search(&name).is_ok();
        let one = if has(manifest_name(id)) {
            manifest(store, id).map(Found::Complete)
        } else {
            label(store, id).and_then(|label| {
                label.map(Found::Unfinished).ok_or_else(|| Error::corrupt("it has no label"))
            })
        };
        found.push(match one {
            Ok(one) => one,
            Err(Error::Corrupt(why)) => Found::Damaged { id: id.to_owned(), why: why.to_string() },
            Err(Error::InvalidArgument(_)) => continue, // removed meanwhile
            Err(e) => return Err(e),
        });
    }
    // Names tell the second only.
    found.sort_by_key(|f| f.manifest().map_or(0, |m| m.begun_ms));
    Ok(found)
}

/// A backup and those that it is laid upon, itself first. Fails unless all are complete and of one history.
pub fn chain(store: &dyn ArchiveStore, top: Manifest) -> Result<Vec<Manifest>> {
    let mut chain = vec![top];
    while let Some(parent) = chain.last().and_then(|m| m.parent.clone()) {
        let child = &chain[chain.len() - 1];
        let bad = |why: &str| {
            Err(Error::corrupt(format!(
                "backup \"{}\" is laid upon \"{parent}\", {why}",
                chain[chain.len() - 1].id
            )))
        };
        let m = match manifest(store, &parent) {
            Ok(m) => m,
            Err(Error::InvalidArgument(_)) => return bad("which is not there"),
            Err(e) => return Err(e),
        };
        if m.database_id != child.database_id || m.timeline != child.timeline || m.start > child.start {
            return bad("which is of another history");
        }
        if chain.len() >= CHAIN_MAX || chain.iter().any(|c| c.id == m.id) {
            return bad("and so on without end");
        }
        chain.push(m);
    }
    Ok(chain)
}

/// Names of chunks that a manifest names and the archive does not have.
pub fn missing_chunks(store: &dyn ArchiveStore, m: &Manifest) -> Result<Vec<String>> {
    let there: BTreeSet<String> = store.list(&backup_folder(&m.id)).map_err(failed)?.into_iter().collect();
    let named = m
        .files
        .iter()
        .flat_map(|f| f.chunks.iter().filter(|c| c.bytes > 0).map(|c| chunk_name(&m.id, f.file, c.first)));
    Ok(named.filter(|n| !there.contains(n)).collect())
}

/// The first position between `from` and `to` that no archived segment of the timeline covers, by the objects' names.
pub fn missing_log(
    store: &dyn ArchiveStore,
    timeline: u32,
    geometry: Geometry,
    from: Lsn,
    to: Lsn,
) -> Result<Option<Lsn>> {
    let names: BTreeSet<String> = store.list(&folder(timeline)).map_err(failed)?.into_iter().collect();
    let last = geometry.segment_of(to);
    for segment in geometry.segment_of(from)..=last {
        let (start, end) = (geometry.start_of(segment), geometry.start_of(segment + 1));
        if to <= start {
            break;
        }
        if names.contains(&object_name(timeline, segment)) {
            continue;
        }
        let prefix = format!("{}{segment:016x}-", folder(timeline));
        let partial = names
            .range(prefix.clone()..)
            .take_while(|n| n.starts_with(&prefix))
            .filter_map(|n| n[prefix.len()..].strip_suffix(".partial"))
            .filter_map(|n| u64::from_str_radix(n, 16).ok())
            .max();
        if partial.is_some_and(|p| p >= to.0.min(end.0)) {
            continue;
        }
        // A life that ended where its segment did: the next began one further.
        let next = object_name(timeline, segment + 1);
        if names.contains(&next) && skips(&cut(store, &next)?, start) {
            continue;
        }
        return Ok(Some(start));
    }
    Ok(None)
}

/// Whether the archive has the log in which a backup ended, and not that of another life of the database, in the segment of the last byte before its end. `Corrupt`: another
/// server wrote it, or wrote over it.
pub fn check_end(store: &dyn ArchiveStore, m: &Manifest) -> Result<()> {
    let segment = Geometry { segment_bytes: m.segment_bytes }.segment_of(last_byte(m));
    match newest_form(store, m.timeline, segment)? {
        Some(name) => is_its_end(m, &name, &cut(store, &name)?),
        None => Err(Error::corrupt(format!("the archive lacks \"{}\"", object_name(m.timeline, segment)))),
    }
}

/// The position of the last byte of log that a backup needs.
pub fn last_byte(m: &Manifest) -> Lsn {
    Lsn(Lsn::from(m.end).0.saturating_sub(1))
}

/// The same of an object that was read, of the segment of [`last_byte`].
pub fn is_its_end(m: &Manifest, name: &str, cut: &Cut) -> Result<()> {
    if cut.header.incarnation == m.end_incarnation {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "the log in \"{name}\" is of another life of the database ({:016x}) than the one in which backup \"{}\" ended ({:016x}): two servers have written to this archive",
        cut.header.incarnation, m.id, m.end_incarnation
    )))
}

fn skips(next: &Cut, start: Lsn) -> bool {
    next.header.begins_life() && next.header.prev_end == start
}

/// An archived segment.
pub fn cut(store: &dyn ArchiveStore, name: &str) -> Result<Cut> {
    match store.get(name).map_err(failed)? {
        Some((bytes, _)) => Ok(unpack(&bytes)?.0),
        None => Err(Error::corrupt(format!("the archive's \"{name}\" has just disappeared"))),
    }
}
