#![doc = include_str!("README.md")]
//!
//! Must not know: threads, pages' content, transactions' rules.

mod ahead;
mod backup;
mod catalog;
mod chunk;
mod cut;
mod document;
mod fill;
mod folder;
mod inspect;
mod layers;
mod manifest;
mod owner;
mod pack;
mod retention;
mod segments;
mod ship;
mod state;
mod store;
mod strip;
#[cfg(test)]
mod tests;
mod timeline;
mod upload;
mod verify;

pub use ahead::{LifeStart, lower, reach};
pub use backup::{Copied, Copier, Parent};
pub use catalog::{
    CHAIN_MAX, Found, backups, chain, check_end, is_its_end, label, last_byte, manifest, missing_chunks,
    missing_log,
};
pub use chunk::{BlockState, Chunk};
pub use cut::{Cut, EndOfLog};
pub use fill::fill;
pub use folder::FolderStore;
pub use inspect::{Inspection, inspect};
pub use layers::{Layers, Piece};
pub use manifest::{
    BackupChunk, BackupFile, CHUNK_BLOCKS, MANIFEST_VERSION, Manifest, Position, alive_name, backup_folder,
    chunk_name, label_name, manifest_name,
};
pub use owner::{OWNER, Owner, Place, database_of, last_sign_ms, owner_object};
pub use pack::{LEVEL_MAX, is_packed, pack, unpack};
pub use retention::{Keep, MAKING_MS, Removal, Unwanted, plan as plan_removal, remove};
pub use segments::{Gap, Located, LogMap, may_end};
pub use ship::{ArchiveSettings, ArchiveStats, Archiver, folder, object_name, resume};
pub use state::ArchiveState;
pub use store::{ArchiveStore, Faults, MemoryStore, StoreError, StoreFault, Version};
pub use strip::{Stripped, strip};
pub use timeline::{FILES as TIMELINE_FILES, History, Leg, claim, has_log, histories, lineage, with_log};
pub use upload::{Pause, Uploader, WORKERS, again, put};
pub use verify::{Report, Stretch, verify, verify_segments};

use crate::base::Result;

/// Reads a segment in any form: as the engine writes it, or packed. `end` as for [`Cut::from_file`].
pub fn read_segment(bytes: Vec<u8>, end: EndOfLog) -> Result<Cut> {
    if is_packed(&bytes) { Ok(unpack(&bytes)?.0) } else { Cut::from_file(&bytes, end) }
}
