//! Durable writes through io_uring(7).
//!
//! Duty: one write with RWF_DSYNC at a time for each caller, on a ring of its own for as long as it takes. It saves nothing over pwritev(2) on an O_DSYNC
//! descriptor here; it is for systems where `logdisk` finds it quicker, and for those that want their log off the ordinary system calls.
//!
//! Invariants
//! 1. A call returns only after its write has ended: until then the kernel may read the caller's memory.
//! 2. A ring is used by one call at a time, and has nothing in flight between two.
//!
//! Must not know: what is written.

use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use io_uring::{IoUring, opcode, types};
use parking_lot::Mutex;
use rustix::io::Errno;

/// RWF_DSYNC of `linux/fs.h`: the write is durable when it ends.
const RWF_DSYNC: i32 = 2;
/// Between two looks at a write whose end the kernel would not let us sleep for.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// Rings that nobody uses at this moment.
pub(super) struct Rings(Mutex<Vec<IoUring>>);

impl std::fmt::Debug for Rings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rings").field("idle", &self.0.lock().len()).finish()
    }
}

impl Rings {
    /// Makes the first. Fails where the kernel has no io_uring, or permits none.
    pub fn new() -> io::Result<Rings> {
        let ring = Rings::ring().map_err(|e| {
            io::Error::new(
                e.kind(),
                format!("io_uring is not available here ({e}): choose another wal_sync_method"),
            )
        })?;
        Ok(Rings(Mutex::new(vec![ring])))
    }

    fn ring() -> io::Result<IoUring> {
        IoUring::new(1)
    }

    /// One write at `offset`, durable when it returns if `durable`. Gives the bytes written, like pwritev(2).
    pub fn write(
        &self,
        fd: BorrowedFd<'_>,
        bufs: &[IoSlice<'_>],
        offset: u64,
        durable: bool,
    ) -> rustix::io::Result<usize> {
        let idle = self.0.lock().pop();
        let mut ring = match idle {
            Some(ring) => ring,
            None => Rings::ring().map_err(|e| Errno::from_io_error(&e).unwrap_or(Errno::IO))?,
        };
        let flags = if durable { RWF_DSYNC } else { 0 };
        // `IoSlice` has the layout of iovec on Unix, by its documentation.
        let entry = opcode::Writev::new(types::Fd(fd.as_raw_fd()), bufs.as_ptr().cast(), bufs.len() as u32)
            .offset(offset)
            .rw_flags(flags)
            .build();
        // SAFETY: the vectors and the memory they name are borrowed for the whole call, which does not return before the completion
        // (invariant 1); so is the descriptor.
        unsafe { ring.submission().push(&entry) }
            .expect("a ring has nothing in flight between calls (invariant 2)");
        let result = loop {
            match ring.submit_and_wait(1) {
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // It was not taken: nothing is in flight. The ring goes with the entry.
                Err(e) if !ring.submission().is_empty() => {
                    return Err(Errno::from_io_error(&e).unwrap_or(Errno::IO));
                }
                Err(_) => std::thread::sleep(LOOK_AGAIN),
            }
            if let Some(done) = ring.completion().next() {
                break done.result();
            }
        };
        self.0.lock().push(ring);
        if result < 0 { Err(Errno::from_raw_os_error(-result)) } else { Ok(result as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileExt;

    #[test]
    fn what_was_written_is_there_and_errors_come_back() {
        let Ok(rings) = Rings::new() else { return }; // some containers permit none
        let file = tempfile::tempfile().unwrap();
        let (a, b) = ([1u8; 512], [2u8; 512]);
        let written = rings.write(file.as_fd(), &[IoSlice::new(&a), IoSlice::new(&b)], 4096, true).unwrap();
        assert_eq!(written, 1024);
        let mut found = [0; 1024];
        file.read_exact_at(&mut found, 4096).unwrap();
        assert!(found[..512] == a && found[512..] == b);
        let read_only = std::fs::File::open("/dev/null").unwrap();
        let e = rings.write(read_only.as_fd(), &[IoSlice::new(&a)], 0, true).unwrap_err();
        assert_eq!(e, Errno::BADF);
    }

    #[test]
    fn threads_write_side_by_side() {
        let Ok(rings) = Rings::new() else { return };
        let file = tempfile::tempfile().unwrap();
        std::thread::scope(|s| {
            for n in 0..4u8 {
                let (rings, file) = (&rings, &file);
                s.spawn(move || {
                    for i in 0..50u64 {
                        let at = (u64::from(n) * 50 + i) * 16;
                        assert_eq!(
                            rings.write(file.as_fd(), &[IoSlice::new(&[n; 16])], at, false).unwrap(),
                            16
                        );
                    }
                });
            }
        });
        let mut found = vec![0; 4 * 50 * 16];
        file.read_exact_at(&mut found, 0).unwrap();
        assert!((0..4usize).all(|n| found[n * 800..(n + 1) * 800].iter().all(|b| *b == n as u8)));
    }
}
