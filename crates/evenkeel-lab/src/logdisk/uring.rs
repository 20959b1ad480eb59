//! Writes in flight through io_uring.
//!
//! Invariants
//! 1. Memory given to the kernel belongs to a slot of this lane and is neither moved, changed nor freed while its write is in flight.
//! 2. The lane is not dropped before every write has ended.
//!
//! It must not know what is written.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use evenkeel::io::AlignedBuf;
use io_uring::{IoUring, opcode, types};

use super::lanes::{Clock, Medium, filled, stamp};
use super::rig::{Done, Extent, Lane};

/// RWF_DSYNC of `linux/fs.h`: this write is durable when it ends.
const RWF_DSYNC: i32 = 2;

struct Slot {
    buf: AlignedBuf,
    /// What is in flight: the caller's token, and how many bytes.
    busy: Option<(u64, u64)>,
}

/// A lane over one ring.
pub struct UringLane {
    ring: IoUring,
    medium: Medium,
    clock: Clock,
    slots: Vec<Slot>,
    in_flight: usize,
}

impl UringLane {
    /// A ring with a slot for each write in flight. Fails where the system has or permits no io_uring.
    pub fn new(medium: Medium, depth: u32, write_bytes_max: u64) -> io::Result<UringLane> {
        let ring = IoUring::new(depth.next_power_of_two())?;
        if !ring.params().is_feature_ext_arg() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "the kernel's io_uring cannot wait for a time",
            ));
        }
        let slots = (0..depth).map(|_| Slot { buf: filled(write_bytes_max), busy: None }).collect();
        Ok(UringLane { ring, medium, clock: Clock::new(), slots, in_flight: 0 })
    }

    fn file(&self) -> &File {
        self.medium.file()
    }

    fn completed(&mut self) -> io::Result<Option<Done>> {
        let Some(entry) = self.ring.completion().next() else { return Ok(None) };
        let slot = usize::try_from(entry.user_data()).ok().and_then(|n| self.slots.get_mut(n));
        let Some((token, len)) = slot.and_then(|s| s.busy.take()) else {
            return Err(io::Error::other("io_uring reported a write that was not in flight"));
        };
        self.in_flight -= 1;
        match entry.result() {
            n if n < 0 => Err(io::Error::from_raw_os_error(-n)),
            n if n as u64 != len => Err(io::Error::new(io::ErrorKind::WriteZero, "a write was cut short")),
            _ => Ok(Some(Done { token, at_ns: self.clock.now_ns() })),
        }
    }

    /// Waits for one completion at most until the time; false: the time came first.
    fn sleep(&mut self, until_ns: Option<u64>) -> io::Result<bool> {
        let result = match until_ns {
            None => self.ring.submitter().submit_and_wait(1),
            Some(until) => {
                let left = Duration::from_nanos(until.saturating_sub(self.clock.now_ns()));
                let timespec = types::Timespec::from(left);
                let args = types::SubmitArgs::new().timespec(&timespec);
                self.ring.submitter().submit_with_args(1, &args)
            }
        };
        match result {
            Ok(_) => Ok(true),
            Err(e) if e.raw_os_error() == Some(rustix::io::Errno::TIME.raw_os_error()) => Ok(false),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(e) => Err(e),
        }
    }
}

impl Lane for UringLane {
    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn start(&mut self, token: u64, extent: Extent) -> io::Result<()> {
        let fd = types::Fd(self.file().as_raw_fd());
        let free = self.slots.iter().position(|s| s.busy.is_none());
        let (n, slot) = match free {
            Some(n) => (n, &mut self.slots[n]),
            None => return Err(io::Error::other("more writes in flight than the lane has slots")),
        };
        let len = extent.len as usize;
        stamp(&mut slot.buf[..len], token);
        let entry = opcode::Write::new(fd, slot.buf.as_mut_ptr(), extent.len as u32)
            .offset(extent.offset)
            .rw_flags(RWF_DSYNC)
            .build()
            .user_data(n as u64);
        // SAFETY: the pointer is to the slot's own heap memory, at least `len` bytes (the slice above checked it), which nobody touches
        // until the completion clears `busy`, and which lives as long as the lane, whose drop waits for it (invariants 1, 2). The
        // descriptor is open as long as the lane.
        unsafe { self.ring.submission().push(&entry) }
            .map_err(|_| io::Error::other("the submission queue is full"))?;
        slot.busy = Some((token, extent.len));
        self.in_flight += 1;
        self.ring.submit()?;
        Ok(())
    }

    fn wait(&mut self, until_ns: Option<u64>) -> io::Result<Option<Done>> {
        loop {
            if let Some(done) = self.completed()? {
                return Ok(Some(done));
            }
            if self.in_flight == 0 {
                if let Some(until) = until_ns {
                    self.clock.sleep_until(until);
                }
                return Ok(None);
            }
            if !self.sleep(until_ns)? {
                return self.completed();
            }
        }
    }

    fn rewind(&mut self) -> io::Result<()> {
        self.medium.rewind()
    }
}

impl Drop for UringLane {
    fn drop(&mut self) {
        while self.in_flight > 0 {
            let _ = self.completed();
            if self.in_flight > 0 && self.sleep(None).is_err() {
                // The kernel may still read the memory: better to leak it than to give it to someone else.
                self.slots.drain(..).for_each(std::mem::forget);
                return;
            }
        }
    }
}
