//! Torn-page protection: what a start does about it, and the change from one to another.
//!
//! The argument is in the README of `recovery`, under "Torn pages". In short: while a start still depends on the log of an earlier life, pages go home
//! under a protection that holds whatever that log carries; what was asked for alone is in force once every redo point lies in this life. Rounds bring that
//! about, and the checkpointer completes the change.
//!
//! Must not know: how pages are written or repaired.

use crate::base::{Corruption, Error, Lsn, PAGE_BYTES, Result};
use crate::checkpoint::ProtectionChange;
use crate::control::{Control, ControlData, TornPageProtection as Protection};
use crate::io::{AtomicWrites, Disk};
use crate::pool::{DoubleWrite, HomeWrites, Pool};
use crate::recovery;
use crate::wal::segment::{self, Geometry};

/// What was asked for, and what holds until then.
pub(super) struct Protecting {
    wanted: Protection,
    /// Records carry images from the start.
    pub images: bool,
    /// Something else holds as long as a redo point lies in an earlier life.
    changes: bool,
    /// Torn pages that were repaired.
    pub repaired: u64,
}

/// Looks whether the disk can do what `atomic` needs. Before anything is changed.
pub(super) fn check(disk: &dyn Disk, wanted: Protection) -> Result<AtomicWrites> {
    if wanted != Protection::Atomic {
        return Ok(AtomicWrites::NONE);
    }
    let found =
        disk.atomic_writes("").map_err(|e| Error::io("asking the file system for atomic writes", e))?;
    if found.covers(PAGE_BYTES) {
        return Ok(found);
    }
    let what = if found == AtomicWrites::NONE {
        "none".to_owned()
    } else {
        format!("writes of {} to {} bytes", found.unit_min_bytes, found.unit_max_bytes)
    };
    Err(Error::InvalidArgument(format!(
        "torn_page_protection = atomic needs a file system and a device that write {PAGE_BYTES} bytes wholly or not at all past the page cache (direct_io = on), \
         but here they offer {what}: use full_page_writes or double_write"
    )))
}

/// Repairs what a crash tore, and sets how pages go home from here on. Everything was synced (`recovery::sync_all`), and nothing may have been written home in
/// this life.
pub(super) fn begin(
    disk: &dyn Disk,
    pool: &Pool,
    control: &mut Control,
    data: &mut ControlData,
    wanted: Protection,
    side_file_bytes: u64,
    atomic: AtomicWrites,
) -> Result<Protecting> {
    use Protection::{Atomic, DoubleWrite as Double, FullPageWrites, Off};
    let (old, clean) = (data.protection, data.clean);
    let mut repaired = 0;
    if !clean {
        repaired = recovery::repair_torn_pages(disk, pool.files(), data)?;
    }
    let doubled = match wanted {
        Double => true,
        Atomic => false,
        // Redo may write pages home whose changes the old log holds without images.
        FullPageWrites => !clean && old != FullPageWrites,
        Off => !clean && matches!(old, Double | Atomic),
    };
    let in_force = if clean || matches!(wanted, Double | Atomic) { wanted } else { old };
    let protecting = Protecting {
        wanted,
        images: wanted == FullPageWrites || (!clean && wanted == Off && old == FullPageWrites),
        changes: in_force != wanted,
        repaired,
    };
    debug_assert!(protecting.changes || doubled == (wanted == Double));
    if old != wanted {
        tracing::info!("torn_page_protection changes from {} to {}", old.name(), wanted.name());
    }
    // The old batches are of no use any more once this is durable, and no new one is written before.
    data.protection = in_force;
    data.double_write_life += 1;
    control.write(data)?;
    pool.set_home_writes(if doubled {
        let file = DoubleWrite::open(disk, side_file_bytes, data.database_id, data.double_write_life)?;
        HomeWrites::Doubled(file.into())
    } else if wanted == Atomic {
        HomeWrites::Atomic { unit_max_bytes: atomic.unit_max_bytes as usize }
    } else {
        HomeWrites::Plain
    });
    if !doubled {
        DoubleWrite::remove(disk)?;
    }
    Ok(protecting)
}

/// Refuses a crash recovery that would trust log without page images to mend torn pages: a segment from an archive was put into the log's folder by hand.
pub(super) fn refuse_stripped_log(disk: &dyn Disk, data: &ControlData) -> Result<()> {
    if data.clean || data.protection != Protection::FullPageWrites {
        return Ok(());
    }
    let first = Geometry { segment_bytes: data.segment_bytes }.segment_of(data.log_needed);
    for n in segment::list(disk)?.into_iter().filter(|n| *n >= first) {
        if segment::open(disk, n)?.is_some_and(|(_, header)| header.stripped) {
            let what = format!(
                "the database was not shut down cleanly under torn_page_protection = full_page_writes, and log segment {} has no page images (it comes from an archive): \
                 torn pages could not be mended with it",
                segment::path(n)
            );
            return Err(Error::Corrupt(
                Corruption::new(what).with_advice(
                    "Put the original segment back, or restore a base backup (evenkeel restore)",
                ),
            ));
        }
    }
    Ok(())
}

impl Protecting {
    /// None: for a restore, which begins anew when it is cut short.
    pub fn nothing() -> Protecting {
        Protecting { wanted: Protection::Off, images: false, changes: false, repaired: 0 }
    }

    /// The change that rounds of this life, which began at `start`, are to complete.
    pub fn change(&self, start: Lsn) -> Option<ProtectionChange> {
        self.changes.then_some(ProtectionChange { to: self.wanted, start })
    }
}
