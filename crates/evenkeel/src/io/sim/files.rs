//! The simulated disk as the engine sees it.
//!
//! Duty: the [`Disk`] and [`File`] traits: check, number and perhaps fail a call, do its volatile effect, call the hook, make
//! durable. The rules of what that means are in `inode.rs` and `names.rs`.
//!
//! Invariant 1: every call that is well-formed is numbered, whatever becomes of it.
//!
//! Must not know: how crashes choose.

use std::fmt;
use std::io::{self, IoSlice};
use std::sync::Arc;

use super::super::{
    Access, AtomicWrites, Disk, File, OpenMode, SECTOR, check_dir, check_path, check_rename, invalid_input,
    is_sector_aligned,
};
use super::inode::{Flush, GRANULE, Inode};
use super::names::{Entry, FileId};
use super::{FILE_BYTES_MAX, Fault, SimCall, SimCallKind, SimDisk, SimInode};

impl SimDisk {
    /// Numbers a call on a path and asks whether it fails. Short transfers do not concern these calls.
    fn begin(&self, kind: SimCallKind, path: &str, to: Option<&str>) -> io::Result<SimCall> {
        let path: Arc<str> = Arc::from(path);
        let mut call = self.shared.state.lock().describe(kind, &path, None);
        call.to = to.map(Arc::from);
        match self.fault(&call) {
            Fault::None | Fault::Short(_) | Fault::Lost | Fault::Misdirected(_) => Ok(call),
            Fault::Eio | Fault::EioDropped => Err(eio()),
            Fault::Enospc => Err(enospc()),
        }
    }

    fn fault(&self, call: &SimCall) -> Fault {
        let gate = self.shared.gate.read().clone();
        if let Some(gate) = gate {
            gate(call);
        }
        self.shared.fault.run(|fault| fault(call)).unwrap_or_default()
    }

    fn hook(&self, call: &SimCall) {
        self.shared.hook.run(|hook| hook(call, self));
    }

    fn handle(&self, id: FileId, access: Access) -> Arc<dyn File> {
        Arc::new(SimFile { disk: self.clone(), id, access })
    }
}

impl Disk for SimDisk {
    fn open(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<dyn File>> {
        check_path(path)?;
        let exists = self.shared.state.lock().names.get(path).is_some();
        let creates = !exists && mode != OpenMode::Existing;
        let kind = if creates { SimCallKind::Create } else { SimCallKind::Open };
        let call = self.begin(kind, path, None)?;

        let mut state = self.shared.state.lock();
        if state.names.get(path).is_some() && mode == OpenMode::CreateNew {
            return Err(io::Error::from_raw_os_error(libc::EEXIST));
        }
        if creates && state.names.get(path).is_none() {
            let id = state.next_id;
            state.names.create(Arc::clone(&call.path), Entry::File(id))?;
            state.next_id += 1;
            let inode = Arc::new(Inode::default());
            let path = Arc::clone(&call.path);
            state.files.insert(id, SimInode { inode, path, named: true, handles: 1 });
            drop(state);
            self.hook(&call);
            return Ok(self.handle(id, access));
        }
        let id = state.names.file(path)?;
        state.files.get_mut(&id).expect("a named file exists").handles += 1;
        Ok(self.handle(id, access))
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        check_path(path)?;
        let call = self.begin(SimCallKind::Remove, path, None)?;
        let mut state = self.shared.state.lock();
        let id = state.names.file(path)?;
        state.names.remove(Arc::clone(&call.path));
        state.unname(id);
        state.collect();
        drop(state);
        self.hook(&call);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check_rename(from, to)?;
        let call = self.begin(SimCallKind::Rename, from, Some(to))?;
        let to: Arc<str> = Arc::from(to);
        let mut state = self.shared.state.lock();
        let id = state.names.file(from)?;
        if from != &*to {
            match state.names.get(&to) {
                Some(Entry::Dir) => return Err(io::Error::from_raw_os_error(libc::EISDIR)),
                Some(Entry::File(replaced)) => state.unname(replaced),
                None => {}
            }
            state.names.rename(Arc::clone(&call.path), Arc::clone(&to));
            state.files.get_mut(&id).expect("a named file exists").path = to;
            state.collect();
        }
        drop(state);
        self.hook(&call);
        Ok(())
    }

    fn exists(&self, path: &str) -> io::Result<bool> {
        check_path(path)?;
        self.begin(SimCallKind::Exists, path, None)?;
        Ok(self.shared.state.lock().names.get(path).is_some())
    }

    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        check_dir(dir)?;
        self.begin(SimCallKind::List, dir, None)?;
        self.shared.state.lock().names.list(dir)
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let state = self.shared.state.lock();
        Ok(state.capacity_bytes.map(|capacity| capacity.saturating_sub(state.used_bytes)))
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        check_path(path)?;
        let call = self.begin(SimCallKind::CreateDir, path, None)?;
        let mut state = self.shared.state.lock();
        match state.names.get(path) {
            Some(Entry::Dir) => return Ok(()),
            Some(Entry::File(_)) => return Err(io::Error::from_raw_os_error(libc::ENOTDIR)),
            None => state.names.create(Arc::clone(&call.path), Entry::Dir)?,
        }
        drop(state);
        self.hook(&call);
        Ok(())
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        check_dir(path)?;
        let call = self.begin(SimCallKind::SyncDir, path, None)?;
        let mut state = self.shared.state.lock();
        state.names.check_is_dir(path)?;
        state.counters.syncs += 1;
        let upto = state.names.begin_sync();
        if self.shared.hook.is_occupied() {
            drop(state);
            self.hook(&call);
            state = self.shared.state.lock();
        }
        state.names.complete_sync(path, upto);
        state.collect();
        Ok(())
    }

    fn atomic_writes(&self, dir: &str) -> io::Result<AtomicWrites> {
        check_dir(dir)?;
        let unit_max_bytes = self.shared.options.atomic_unit_max_bytes;
        let unit_min_bytes = if unit_max_bytes == 0 { 0 } else { GRANULE as u32 };
        Ok(AtomicWrites { unit_min_bytes, unit_max_bytes })
    }

    fn lock(&self) -> io::Result<Box<dyn Send + Sync>> {
        let mut state = self.shared.state.lock();
        if state.locked {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "the simulated disk is in use"));
        }
        state.locked = true;
        Ok(Box::new(LockGuard { disk: self.clone() }))
    }
}

struct LockGuard {
    disk: SimDisk,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        self.disk.shared.state.lock().locked = false;
    }
}

struct SimFile {
    disk: SimDisk,
    id: FileId,
    access: Access,
}

impl SimFile {
    /// Numbers a call on this file and asks whether it fails.
    fn begin(&self, kind: SimCallKind, offset: u64, len: u64) -> (SimCall, Fault) {
        let mut state = self.disk.shared.state.lock();
        let path = Arc::clone(&state.file(self.id).path);
        let mut call = state.describe(kind, &path, Some(self.access));
        drop(state);
        (call.offset, call.len) = (offset, len);
        let fault = self.disk.fault(&call);
        (call, fault)
    }

    /// Refuses what O_DIRECT refuses, and files beyond the limit. Returns the end of the range.
    fn check_range(&self, offset: u64, len: u64, aligned: bool) -> io::Result<u64> {
        if aligned
            && self.access != Access::Buffered
            && !(is_sector_aligned(offset) && is_sector_aligned(len))
        {
            return Err(invalid_input("an unbuffered access must start and end on a sector boundary"));
        }
        let end = offset.checked_add(len).filter(|end| *end <= FILE_BYTES_MAX);
        end.ok_or_else(|| io::Error::from_raw_os_error(libc::EFBIG))
    }

    fn versions_max(&self) -> usize {
        self.disk.shared.options.versions_max
    }

    /// A failing write: some sectors of it arrive.
    fn write_scattered(&self, bufs: &[IoSlice<'_>], offset: u64, count: usize) {
        let bytes: Vec<u8> = bufs.iter().flat_map(|buf| buf.iter().copied()).take(count).collect();
        let mut state = self.disk.shared.state.lock();
        let mut at = 0;
        while at < bytes.len() {
            let to_boundary = SECTOR - ((offset as usize + at) % SECTOR);
            let end = (at + to_boundary).min(bytes.len());
            if state.rng.bool() {
                let slices = [IoSlice::new(&bytes[at..end])];
                let versions_max = self.versions_max();
                state.change(self.id, |inode| {
                    inode.write(&slices, end - at, offset + at as u64, versions_max);
                });
            }
            at = end;
        }
    }
}

impl File for SimFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = buf.len() as u64;
        if self.access != Access::Buffered && !(is_sector_aligned(offset) && is_sector_aligned(len)) {
            return Err(invalid_input("an unbuffered access must start and end on a sector boundary"));
        }
        let count = match self.begin(SimCallKind::Read, offset, len).1 {
            Fault::None | Fault::Lost | Fault::Misdirected(_) => buf.len(),
            Fault::Short(count) => buf.len().min(count),
            Fault::Eio | Fault::EioDropped => return Err(eio()),
            Fault::Enospc => return Err(enospc()),
        };
        let mut state = self.disk.shared.state.lock();
        let count = state.file(self.id).inode.read(offset, &mut buf[..count]);
        state.counters.reads += 1;
        state.counters.bytes_read += count as u64;
        Ok(count)
    }

    fn write_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        let total: usize = bufs.iter().map(|buf| buf.len()).sum();
        self.check_range(offset, total as u64, true)?;
        let (call, fault) = self.begin(SimCallKind::Write, offset, total as u64);
        let asked = match fault {
            Fault::Enospc => return Err(enospc()),
            Fault::Short(count) => total.min(count),
            Fault::Lost => return Ok(total),
            Fault::None | Fault::Eio | Fault::EioDropped | Fault::Misdirected(_) => total,
        };
        let offset = if let Fault::Misdirected(at) = fault { at } else { offset };
        if asked == 0 {
            return Ok(0);
        }
        let disk = &self.disk;
        let mut state = disk.shared.state.lock();
        let count = state.fitting(self.id, offset, asked as u64) as usize;
        if count == 0 {
            return Err(enospc());
        }
        if matches!(fault, Fault::Eio | Fault::EioDropped) {
            drop(state);
            self.write_scattered(bufs, offset, count);
            disk.hook(&call);
            return Err(eio());
        }
        state.change(self.id, |inode| inode.write(bufs, count, offset, self.versions_max()));
        state.counters.writes += 1;
        state.counters.bytes_written += count as u64;

        let hooked = disk.shared.hook.is_occupied();
        if self.access != Access::Log || disk.shared.options.log_needs_sync {
            drop(state);
            disk.hook(&call);
            return Ok(count);
        }
        let range = offset..offset + count as u64;
        let mut deferred = disk.shared.deferred.lock();
        if deferred.on {
            let flush = state.file(self.id).inode.begin_flush(Some(range), true);
            let overlaps =
                |(id, other, _): &(FileId, Flush, SimCall)| *id == self.id && other.overlaps(&flush);
            assert!(
                !deferred.writes.values().any(overlaps),
                "{call:?} overlaps a log write in flight: a device may do them in either order"
            );
            let number = deferred.next;
            deferred.next += 1;
            deferred.writes.insert(number, (self.id, flush, call.clone()));
            drop((state, deferred));
            disk.hook(&call);
            return Ok(count);
        }
        drop(deferred);
        let flush = state.file(self.id).inode.begin_flush(Some(range), hooked);
        if hooked {
            drop(state);
            disk.hook(&call);
            state = disk.shared.state.lock();
        }
        state.change(self.id, |inode| inode.complete_flush(&flush));
        Ok(count)
    }

    fn write_atomic_at(&self, buf: &[u8], offset: u64) -> io::Result<()> {
        let disk = &self.disk;
        let longest = disk.shared.options.atomic_unit_max_bytes as usize;
        if longest == 0 || !matches!(self.access, Access::Data | Access::Pages) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        if !buf.len().is_power_of_two()
            || !(GRANULE..=longest).contains(&buf.len())
            || !offset.is_multiple_of(buf.len() as u64)
        {
            return Err(invalid_input(
                "an atomic write is a power of two of bytes within the limits, naturally aligned",
            ));
        }
        self.check_range(offset, buf.len() as u64, true)?;
        let (call, fault) = self.begin(SimCallKind::Write, offset, buf.len() as u64);
        let mut state = disk.shared.state.lock();
        if fault == Fault::Enospc || state.fitting(self.id, offset, buf.len() as u64) < buf.len() as u64 {
            return Err(enospc());
        }
        let fails = matches!(fault, Fault::Eio | Fault::EioDropped);
        let offset = if let Fault::Misdirected(at) = fault { at } else { offset };
        // One that fails has happened, or it has not. It never ends early.
        if fault != Fault::Lost && (!fails || state.rng.bool()) {
            let versions_max = self.versions_max();
            state.change(self.id, |inode| inode.write_atomic(buf, offset, versions_max));
        }
        state.counters.writes += 1;
        state.counters.bytes_written += buf.len() as u64;
        drop(state);
        disk.hook(&call);
        if fails { Err(eio()) } else { Ok(()) }
    }

    fn sync(&self) -> io::Result<()> {
        let (call, fault) = self.begin(SimCallKind::Sync, 0, 0);
        let disk = &self.disk;
        let mut state = disk.shared.state.lock();
        state.counters.syncs += 1;
        match fault {
            Fault::None | Fault::Short(_) | Fault::Misdirected(_) => {}
            Fault::Lost => return Ok(()),
            Fault::Enospc => return Err(enospc()),
            Fault::Eio => {
                let mut rng = state.rng.fork();
                state.change(self.id, |inode| inode.fail_flush(&mut rng));
                return Err(eio());
            }
            Fault::EioDropped => {
                let mut rng = state.rng.fork();
                state.change(self.id, |inode| inode.fail_flush_dropping(&mut rng));
                return Err(eio());
            }
        }
        let hooked = disk.shared.hook.is_occupied();
        let flush = state.file(self.id).inode.begin_flush(None, hooked);
        if hooked {
            drop(state);
            disk.hook(&call);
            state = disk.shared.state.lock();
        }
        if !state.file(self.id).inode.is_clean() {
            state.change(self.id, |inode| inode.complete_flush(&flush));
        }
        Ok(())
    }

    fn log_needs_sync(&self) -> bool {
        self.access == Access::Log && self.disk.shared.options.log_needs_sync
    }

    fn is_cached(&self) -> bool {
        match self.access {
            Access::Data | Access::Pages => self.disk.shared.options.data_cached,
            Access::Log => self.disk.shared.options.log_needs_sync,
            Access::Buffered => true,
        }
    }

    fn len(&self) -> io::Result<u64> {
        match self.begin(SimCallKind::Len, 0, 0).1 {
            Fault::Eio | Fault::EioDropped => Err(eio()),
            Fault::Enospc => Err(enospc()),
            _ => Ok(self.disk.shared.state.lock().file(self.id).inode.len()),
        }
    }

    fn allocate(&self, offset: u64, len: u64) -> io::Result<()> {
        let end = self.check_range(offset, len, false)?;
        let (call, fault) = self.begin(SimCallKind::Allocate, offset, len);
        match fault {
            Fault::Eio | Fault::EioDropped => return Err(eio()),
            Fault::Enospc => return Err(enospc()),
            _ => {}
        }
        let mut state = self.disk.shared.state.lock();
        if state.fitting(self.id, offset, len) < len {
            return Err(enospc());
        }
        if len > 0 {
            state.change(self.id, |inode| inode.allocate(end));
        }
        drop(state);
        self.disk.hook(&call);
        Ok(())
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.check_range(0, len, false)?;
        let (call, fault) = self.begin(SimCallKind::Truncate, 0, len);
        match fault {
            Fault::Eio | Fault::EioDropped => return Err(eio()),
            Fault::Enospc => return Err(enospc()),
            _ => {}
        }
        let mut state = self.disk.shared.state.lock();
        state.change(self.id, |inode| inode.truncate(len, self.versions_max()));
        drop(state);
        self.disk.hook(&call);
        Ok(())
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        let mut state = self.disk.shared.state.lock();
        if let Some(file) = state.files.get_mut(&self.id) {
            file.handles -= 1;
        }
        state.collect();
    }
}

impl fmt::Debug for SimFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimFile").field("id", &self.id).field("access", &self.access).finish_non_exhaustive()
    }
}

fn eio() -> io::Error {
    io::Error::from_raw_os_error(libc::EIO)
}

fn enospc() -> io::Error {
    io::Error::from_raw_os_error(libc::ENOSPC)
}
