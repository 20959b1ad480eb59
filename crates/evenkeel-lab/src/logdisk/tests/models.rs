//! Disks for tests: models whose clock moves only by what they compute.
//!
//! A model says when a write that starts now will end. The lane around it checks what every user of a lane has promised: no more in flight
//! than the depth, no overlaps, whole blocks, inside the file.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

use crate::logdisk::rig::{Done, Extent, FILE_BYTES, Facts, Lane, LaneSpec, Refusal, Rig};
use crate::logdisk::spec::{Growth, Method};

const US: u64 = 1000;

/// When does this write end?
pub trait Model {
    /// In nanoseconds, for a write that the program starts now.
    fn end_ns(&mut self, now: u64, spec: &LaneSpec, extent: Extent) -> u64;
}

/// A rig over a model.
pub struct FakeRig {
    pub model: Rc<RefCell<dyn Model>>,
    pub facts: Facts,
    pub others_busy: Option<f64>,
    /// Methods that do not exist here.
    pub refused: Vec<Method>,
    /// The disk is full, or anything like it: for lanes of this method.
    pub fails: Option<Method>,
    clock: Rc<Cell<u64>>,
}

impl FakeRig {
    pub fn new(model: impl Model + 'static) -> FakeRig {
        FakeRig {
            model: Rc::new(RefCell::new(model)),
            facts: Facts { folder: "/fake".into(), ..Facts::default() },
            others_busy: None,
            refused: Vec::new(),
            fails: None,
            clock: Rc::default(),
        }
    }
}

impl Rig for FakeRig {
    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn now_ns(&self) -> u64 {
        self.clock.get()
    }

    fn others_busy(&self) -> Option<f64> {
        self.others_busy
    }

    fn open(&mut self, spec: LaneSpec) -> Result<Box<dyn Lane>, Refusal> {
        if self.refused.contains(&spec.method) {
            return Err(Refusal::Unavailable("refused by the test".into()));
        }
        if self.fails == Some(spec.method) {
            return Err(Refusal::Failed(io::ErrorKind::StorageFull.into()));
        }
        Ok(Box::new(FakeLane {
            model: Rc::clone(&self.model),
            clock: Rc::clone(&self.clock),
            spec,
            in_flight: Vec::new(),
        }))
    }
}

struct FakeLane {
    model: Rc<RefCell<dyn Model>>,
    clock: Rc<Cell<u64>>,
    spec: LaneSpec,
    in_flight: Vec<(Done, Extent)>,
}

impl FakeLane {
    fn move_clock(&self, to: u64) {
        self.clock.set(self.clock.get().max(to));
    }
}

impl Lane for FakeLane {
    fn now_ns(&self) -> u64 {
        self.clock.get()
    }

    fn start(&mut self, token: u64, extent: Extent) -> io::Result<()> {
        assert!(self.in_flight.len() < self.spec.depth as usize, "more in flight than the depth");
        assert!(extent.len > 0 && extent.len <= self.spec.write_bytes_max, "{extent:?}");
        assert!(extent.offset + extent.len <= FILE_BYTES, "{extent:?}");
        assert!(extent.offset.is_multiple_of(4096) && extent.len.is_multiple_of(4096), "{extent:?}");
        assert!(
            self.in_flight.iter().all(|(_, e)| !e.overlaps(&extent)),
            "a block is written twice at a time"
        );
        // Even preparing a write takes some time.
        self.move_clock(self.clock.get() + US);
        let at_ns = self.model.borrow_mut().end_ns(self.clock.get(), &self.spec, extent);
        self.in_flight.push((Done { token, at_ns }, extent));
        if self.spec.depth == 1 && self.spec.method != Method::IoUring {
            self.move_clock(at_ns);
        }
        Ok(())
    }

    fn wait(&mut self, until_ns: Option<u64>) -> io::Result<Option<Done>> {
        let first = (0..self.in_flight.len()).min_by_key(|&i| self.in_flight[i].0.at_ns);
        let first = first.filter(|&i| until_ns.is_none_or(|until| self.in_flight[i].0.at_ns <= until));
        match (first, until_ns) {
            (Some(i), _) => {
                let (done, _) = self.in_flight.swap_remove(i);
                self.move_clock(done.at_ns);
                return Ok(Some(done));
            }
            (None, Some(until)) => self.move_clock(until),
            (None, None) => {}
        }
        Ok(None)
    }

    fn rewind(&mut self) -> io::Result<()> {
        assert!(self.in_flight.is_empty(), "the file changes under a write");
        Ok(())
    }
}

/// A solid state disk: quick, and slower the more it is given at a time.
pub struct Ssd {
    pub direct_us: u64,
    /// Writes that are still being worked on.
    busy: Vec<u64>,
    rng: fastrand::Rng,
    /// Smaller writes cost a read first.
    pub page_bytes: u64,
    /// A flush does nothing.
    pub free_flush: bool,
}

impl Ssd {
    pub fn new() -> Ssd {
        Ssd {
            direct_us: 80,
            busy: Vec::new(),
            rng: fastrand::Rng::with_seed(1),
            page_bytes: 4096,
            free_flush: false,
        }
    }
}

impl Model for Ssd {
    fn end_ns(&mut self, now: u64, spec: &LaneSpec, extent: Extent) -> u64 {
        if spec.method == Method::Unsynced {
            return now + 2 * US;
        }
        self.busy.retain(|end| *end > now);
        let flush_us = if self.free_flush { 0 } else { self.direct_us / 2 };
        let path_us = match spec.method {
            Method::Unflushed | Method::Unsynced => 0,
            Method::Direct => flush_us,
            Method::IoUring => flush_us + 10,
            Method::OpenDatasync | Method::Fdatasync => flush_us + 15,
            Method::OpenSync | Method::Fsync => flush_us + 25,
        };
        let mut us = self.direct_us / 2 + path_us + extent.len / 4096;
        if spec.growth != Growth::ZeroFilled {
            us += self.direct_us / 2;
        }
        if extent.len < self.page_bytes {
            us *= 2;
        }
        let jitter = 0.98 + 0.04 * self.rng.f64();
        let end = now + (us as f64 * 1e3 * jitter * (1.0 + self.busy.len() as f64)) as u64;
        self.busy.push(end);
        end
    }
}

/// A rotating disk: one arm, one megabyte a track, 7200 revolutions a minute; it writes when the place comes by.
pub struct Rotating {
    free_ns: u64,
    /// It confirms when the bytes are in its cache.
    pub lies: bool,
}

/// Of [`Rotating`].
pub const REVOLUTION_NS: u64 = 60_000_000_000 / 7200;
const TRACK_BYTES: u64 = 1 << 20;

impl Rotating {
    pub fn new() -> Rotating {
        Rotating { free_ns: 0, lies: false }
    }
}

impl Model for Rotating {
    fn end_ns(&mut self, now: u64, spec: &LaneSpec, extent: Extent) -> u64 {
        match spec.method {
            Method::Unsynced => return now + 2 * US,
            _ if self.lies || spec.method == Method::Unflushed => return now + 60 * US,
            _ => {}
        }
        let ready = self.free_ns.max(now + 30 * US);
        let at =
            |bytes: u64| (u128::from(bytes) * u128::from(REVOLUTION_NS) / u128::from(TRACK_BYTES)) as u64;
        let angle = at(extent.offset % TRACK_BYTES);
        let wait = (angle + REVOLUTION_NS - ready % REVOLUTION_NS) % REVOLUTION_NS;
        self.free_ns = ready + wait + at(extent.len);
        if spec.growth == Growth::Growing || spec.method == Method::Fsync {
            self.free_ns += REVOLUTION_NS;
        }
        self.free_ns
    }
}

/// A rotating disk whose every flush ends at the next time the platter has come round, wherever the bytes go; flushes take turns.
pub struct Platter(pub u64);

impl Model for Platter {
    fn end_ns(&mut self, now: u64, spec: &LaneSpec, _extent: Extent) -> u64 {
        match spec.method {
            Method::Unsynced => return now + 2 * US,
            Method::Unflushed => return now + 60 * US,
            _ => {}
        }
        let ready = self.0.max(now + 100 * US);
        self.0 = (ready / REVOLUTION_NS + 1) * REVOLUTION_NS;
        if spec.growth == Growth::Growing || spec.method == Method::Fsync {
            self.0 += REVOLUTION_NS;
        }
        self.0
    }
}

/// A volume at the other end of a network: each write takes three milliseconds, however many there are.
pub struct Network;

impl Model for Network {
    fn end_ns(&mut self, now: u64, spec: &LaneSpec, _extent: Extent) -> u64 {
        now + if spec.method == Method::Unsynced { 2 * US } else { 3000 * US }
    }
}

/// No disk at all.
pub struct Memory;

impl Model for Memory {
    fn end_ns(&mut self, now: u64, _spec: &LaneSpec, extent: Extent) -> u64 {
        now + US + extent.len / 16
    }
}
