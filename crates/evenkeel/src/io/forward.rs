//! What a disk around another one passes on as it is.
//!
//! Duty: the calls of [`Disk`](super::Disk) and [`File`](super::File) in which nothing is to be done for whoever only slows down or counts reads, writes and syncs.
//! They stand here once; a new call of the traits that has no default is an error of the compiler in all of them.
//!
//! Must not know: who is around whom.

/// The rest of an `impl Disk` with a field `inner`.
macro_rules! forward_disk {
    () => {
        fn remove(&self, path: &str) -> std::io::Result<()> {
            self.inner.remove(path)
        }

        fn rename(&self, from: &str, to: &str) -> std::io::Result<()> {
            self.inner.rename(from, to)
        }

        fn exists(&self, path: &str) -> std::io::Result<bool> {
            self.inner.exists(path)
        }

        fn list(&self, dir: &str) -> std::io::Result<Vec<String>> {
            self.inner.list(dir)
        }

        fn modified_us(&self, path: &str) -> std::io::Result<Option<i64>> {
            self.inner.modified_us(path)
        }

        fn create_dir(&self, path: &str) -> std::io::Result<()> {
            self.inner.create_dir(path)
        }

        fn sync_dir(&self, path: &str) -> std::io::Result<()> {
            self.inner.sync_dir(path)
        }

        fn atomic_writes(&self, dir: &str) -> std::io::Result<$crate::io::AtomicWrites> {
            self.inner.atomic_writes(dir)
        }

        fn free_bytes(&self) -> std::io::Result<Option<u64>> {
            self.inner.free_bytes()
        }

        fn lock(&self) -> std::io::Result<Box<dyn Send + Sync>> {
            self.inner.lock()
        }

        fn lock_file(&self, path: &str) -> std::io::Result<Box<dyn Send + Sync>> {
            self.inner.lock_file(path)
        }
    };
}

/// The rest of an `impl File` with a field `inner`, but for reads, writes and syncs.
macro_rules! forward_file {
    () => {
        fn start_write_out(&self, offset: u64, len: u64) {
            self.inner.start_write_out(offset, len);
        }

        fn log_needs_sync(&self) -> bool {
            self.inner.log_needs_sync()
        }

        fn is_cached(&self) -> bool {
            self.inner.is_cached()
        }

        fn len(&self) -> std::io::Result<u64> {
            self.inner.len()
        }

        fn is_empty(&self) -> std::io::Result<bool> {
            self.inner.is_empty()
        }

        fn allocate(&self, offset: u64, len: u64) -> std::io::Result<()> {
            self.inner.allocate(offset, len)
        }

        fn truncate(&self, len: u64) -> std::io::Result<()> {
            self.inner.truncate(len)
        }
    };
}

pub(crate) use {forward_disk, forward_file};
