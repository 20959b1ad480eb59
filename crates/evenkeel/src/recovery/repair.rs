//! Repair of torn pages from the double-write file, before redo. Invariants are in the module's README.

use crate::base::{Error, Lsn, PAGE_BYTES, PageId, Result};
use crate::control::ControlData;
use crate::io::{AlignedBuf, Disk, File, read_exact_at, write_all_at};
use crate::page;
use crate::pool::{Copies, Files, PageCopy};
use std::io::{self, IoSlice};

/// Replaces each page that the double-write file names and that is damaged at home by its newest whole copy, durably; gives their number.
/// Pages that are whole at home are left alone, however old: redo brings them forward. Blocks for the disk. To be begun again if it is cut short.
pub fn repair_torn_pages(disk: &dyn Disk, files: &Files, control: &ControlData) -> Result<u64> {
    let Some(copies) = Copies::scan(disk, control.database_id, control.double_write_life)? else {
        return Ok(0);
    };
    let mut repaired = 0;
    for of_file in copies.list.chunk_by(|a, b| a.id.file == b.id.file) {
        let file = of_file[0].id.file;
        // Dropped since: its pages are of no concern, and its number is never used again.
        let Some(handle) = files.get(file)? else { continue };
        let failed = |e| Error::io(format!("repairing data file {}", file.0), e);
        let blocks = handle.len().map_err(failed)? / PAGE_BYTES as u64;
        let mut in_file = 0;
        for of_page in of_file.chunk_by(|a, b| a.id == b.id) {
            let id = of_page[0].id;
            if u64::from(id.block.0) < blocks && is_damaged(&*handle, id).map_err(failed)? {
                let redo = control.redo[control.partitions.of(id)];
                in_file += u64::from(repair(&copies, of_page, redo, &*handle)?);
            }
        }
        if in_file > 0 {
            handle.sync().map_err(failed)?;
            tracing::info!("repaired {in_file} torn pages of data file {}", file.0);
        }
        repaired += in_file;
    }
    Ok(repaired)
}

fn read(file: &dyn File, id: PageId) -> io::Result<AlignedBuf> {
    let mut bytes = AlignedBuf::new(PAGE_BYTES);
    read_exact_at(file, &mut bytes, id.offset())?;
    Ok(bytes)
}

fn is_damaged(file: &dyn File, id: PageId) -> io::Result<bool> {
    Ok(!page::verify(&read(file, id)?, id))
}

/// Restores a damaged page from its copies, which come the newest first; false if none is good for it. `redo`: all changes of the page from there on are redone.
fn repair(copies: &Copies, of_page: &[PageCopy], redo: Lsn, file: &dyn File) -> Result<bool> {
    let id = of_page[0].id;
    let failed = |e| Error::io(format!("repairing {id}"), e);
    // A sector arrives whole, so the LSN at home is that of this write or of an earlier one. A later one is there where redo had taken the page back, to an image or an
    // initialisation in the log; then the copy lies behind the redo point, and redo makes of it what was there. Else it means damage of another kind: an older copy must
    // not be taken for the page.
    let at_home = page::lsn(&read(file, id).map_err(failed)?);
    let mut bytes = AlignedBuf::new(PAGE_BYTES);
    for copy in of_page {
        if !copies.read(copy, &mut bytes)? {
            continue;
        }
        if at_home > copy.lsn && copy.lsn < redo {
            tracing::warn!(
                "{id} is damaged at {at_home}, and its copy in the double-write file is of {}: left as it is",
                copy.lsn
            );
            return Ok(false);
        }
        write_all_at(file, &mut [IoSlice::new(&bytes)], id.offset()).map_err(failed)?;
        return Ok(true);
    }
    Ok(false)
}
