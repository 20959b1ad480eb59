//! Hit ratios of CAR (S6) beside LRU and a plain clock, on Zipf, scan-polluted and looping traces, and what a hit costs.
//!
//! `car` is the algorithm of the paper; `pool` is the engine's pool over a simulated disk, which counts touches that follow soon after a page came in as
//! one use with it. Scans come in two kinds: each page touched once, and each page touched four times in a row, as a cursor does that takes a leaf in
//! bites. In the scan-polluted rows only the other requests are counted.
//!
//! `cargo run --release -p evenkeel --example replacement [requests]`

use evenkeel::base::{FileId, PAGE_BYTES, PageId, PartitionCount, Poison};
use evenkeel::io::{Disk, SimDisk, SimOptions};
use evenkeel::pool::testing::{Car, Found, Frames, Hindrance, Metadata, Slot, Sweep};
use evenkeel::pool::{Files, Pool};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Pages of the data.
const PAGES: u32 = 50_000;
/// Pages that scans read, besides.
const SCANNED: u32 = 100_000;

/// Something that keeps pages: true for a hit.
trait Cache {
    fn request(&mut self, page: u32) -> bool;
}

/// Least recently used: pages in the order of their last use.
struct Lru {
    capacity: usize,
    last: HashMap<u32, u64>,
    order: std::collections::BTreeMap<u64, u32>,
    now: u64,
}

impl Cache for Lru {
    fn request(&mut self, page: u32) -> bool {
        self.now += 1;
        let before = self.last.insert(page, self.now);
        self.order.insert(self.now, page);
        if let Some(b) = before {
            self.order.remove(&b);
        } else if self.last.len() > self.capacity {
            let (_, oldest) = self.order.pop_first().expect("not empty");
            self.last.remove(&oldest);
        }
        before.is_some()
    }
}

/// One hand over reference bits; a page comes in referenced.
struct Clock {
    frames: Vec<(u32, bool)>,
    table: HashMap<u32, usize>,
    capacity: usize,
    hand: usize,
}

impl Cache for Clock {
    fn request(&mut self, page: u32) -> bool {
        if let Some(f) = self.table.get(&page) {
            self.frames[*f].1 = true;
            return true;
        }
        let f = if self.frames.len() < self.capacity {
            self.frames.push((page, true));
            self.frames.len() - 1
        } else {
            while std::mem::take(&mut self.frames[self.hand].1) {
                self.hand = (self.hand + 1) % self.capacity;
            }
            let f = self.hand;
            self.hand = (self.hand + 1) % self.capacity;
            self.table.remove(&self.frames[f].0);
            self.frames[f] = (page, true);
            f
        };
        self.table.insert(page, f);
        false
    }
}

#[derive(Default)]
struct FrameModel {
    referenced: Cell<bool>,
    key: Cell<u64>,
    page: Cell<u32>,
    slot: Cell<Option<Slot>>,
}

struct FrameModels(Vec<FrameModel>);

impl Frames for FrameModels {
    fn referenced(&self, f: u32) -> bool {
        self.0[f as usize].referenced.get()
    }
    fn clear_reference(&self, f: u32) {
        self.0[f as usize].referenced.set(false);
    }
    fn hindrance(&self, _: u32) -> Hindrance {
        Hindrance::None
    }
    fn key(&self, f: u32) -> u64 {
        self.0[f as usize].key.get()
    }
    fn slot(&self, f: u32) -> Option<Slot> {
        self.0[f as usize].slot.get()
    }
    fn set_slot(&self, f: u32, slot: Option<Slot>) {
        self.0[f as usize].slot.set(slot);
    }
}

/// The engine's lists, every touch a use.
struct Lists {
    car: Car,
    frames: FrameModels,
    table: HashMap<u32, u32>,
}

impl Cache for Lists {
    fn request(&mut self, page: u32) -> bool {
        if let Some(f) = self.table.get(&page) {
            self.frames.0[*f as usize].referenced.set(true);
            return true;
        }
        let mut sweep = Sweep::default();
        let f = if self.table.len() < self.frames.0.len() {
            self.table.len() as u32
        } else {
            loop {
                if let Found::Victim(f, _) = self.car.victim(&self.frames, &mut sweep) {
                    self.table.remove(&self.frames.0[f as usize].page.get());
                    break f;
                }
            }
        };
        let frame = &self.frames.0[f as usize];
        let key = PageId::new(FileId(17), page).hash();
        frame.key.set(key);
        frame.page.set(page);
        frame.referenced.set(false);
        self.car.insert(&self.frames, f, key);
        self.table.insert(page, f);
        false
    }
}

/// The engine's pool itself.
struct Whole(Pool);

impl Cache for Whole {
    fn request(&mut self, page: u32) -> bool {
        let before = self.0.stats.reads.load(Ordering::Relaxed);
        drop(self.0.read(PageId::new(FileId(17), page)).expect("the page is there"));
        self.0.stats.reads.load(Ordering::Relaxed) == before
    }
}

fn pool(frames: usize) -> Pool {
    let disk = Arc::new(SimDisk::new(SimOptions::default()));
    disk.create_dir("data").expect("a folder");
    let partitions = PartitionCount::new(16).expect("a power of two");
    let pool = Pool::new(frames, partitions, Arc::new(Files::new(disk)), Arc::new(Poison::default()));
    let file = pool.files().create(FileId(17)).expect("a file").expect("a new one");
    file.truncate(u64::from(PAGES + SCANNED) * PAGE_BYTES as u64).expect("a length");
    pool
}

fn caches(capacity: usize) -> [Box<dyn Cache>; 4] {
    [
        Box::new(Lru { capacity, last: HashMap::new(), order: Default::default(), now: 0 }),
        Box::new(Clock { frames: Vec::new(), table: HashMap::new(), capacity, hand: 0 }),
        Box::new(Lists {
            car: Car::new(capacity),
            frames: FrameModels((0..capacity).map(|_| FrameModel::default()).collect()),
            table: HashMap::new(),
        }),
        Box::new(Whole(pool(capacity))),
    ]
}

/// Page numbers with probability as 1 / rank^theta, ranks scattered over the pages.
struct Zipf(Vec<f64>);

impl Zipf {
    fn new(theta: f64) -> Zipf {
        let mut sum = 0.0;
        let mut all: Vec<f64> = (1..=PAGES)
            .map(|r| {
                sum += f64::from(r).powf(-theta);
                sum
            })
            .collect();
        all.iter_mut().for_each(|p| *p /= sum);
        Zipf(all)
    }

    fn draw(&self, rng: &mut fastrand::Rng) -> u32 {
        let u = rng.f64();
        let rank = self.0.partition_point(|p| *p < u) as u64;
        (rank * 2_654_435_761 % u64::from(PAGES)) as u32
    }
}

/// Requests: a page, and whether it counts.
fn polluted(zipf: &Zipf, length: usize, touches: u32) -> Vec<(u32, bool)> {
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut out, mut at) = (Vec::new(), 0);
    for _ in 0..length.div_ceil(32_000) {
        out.extend((0..10_000).map(|_| (zipf.draw(&mut rng), true)));
        // Then a part of a large table is scanned, beside the other load.
        for _ in 0..20_000 {
            out.extend((0..touches).map(|_| (PAGES + at, false)));
            at = (at + 1) % SCANNED;
            if rng.u8(0..10) == 0 {
                out.push((zipf.draw(&mut rng), true));
            }
        }
    }
    out
}

fn main() {
    let length = std::env::args().nth(1).map_or(1_000_000, |a| a.parse().expect("a number"));
    let mut rng = fastrand::Rng::with_seed(1);
    let plain = |theta: f64, rng: &mut fastrand::Rng| -> Vec<(u32, bool)> {
        let zipf = Zipf::new(theta);
        (0..length).map(|_| (zipf.draw(rng), true)).collect()
    };
    let traces = [
        ("Zipf 0.8", plain(0.8, &mut rng)),
        ("Zipf 0.99", plain(0.99, &mut rng)),
        ("Zipf 0.99 + scans", polluted(&Zipf::new(0.99), length, 1)),
        ("Zipf 0.99 + scans, 4 touches", polluted(&Zipf::new(0.99), length, 4)),
        ("loop of 6000", (0..length as u32).map(|i| (i % 6000, true)).collect()),
    ];
    println!("hit ratio, percent; {PAGES} pages, {length} requests, the first fifth to warm up");
    println!("{:30}{:>8}{:>8}{:>8}{:>8}{:>8}", "trace", "frames", "LRU", "clock", "car", "pool");
    for (name, trace) in &traces {
        for frames in [500, 2500, 5000, 10_000] {
            print!("{name:30}{frames:8}");
            for mut cache in caches(frames) {
                let (mut hits, mut all) = (0u64, 0u64);
                for (i, (page, counts)) in trace.iter().enumerate() {
                    let hit = cache.request(*page);
                    if *counts && i >= trace.len() / 5 {
                        all += 1;
                        hits += u64::from(hit);
                    }
                }
                print!("{:8.2}", hits as f64 * 100.0 / all as f64);
            }
            println!();
        }
    }
    let pool = pool(4096);
    let read = |n: u32| drop(pool.read(PageId::new(FileId(17), n % 4096)).expect("the page is there"));
    (0..40_000).for_each(read);
    for threads in [1u64, 2] {
        let mut best = f64::MAX;
        for _ in 0..5 {
            const N: u32 = 2_000_000;
            let start = Instant::now();
            std::thread::scope(|s| {
                for t in 0..threads {
                    s.spawn(move || {
                        let mut rng = fastrand::Rng::with_seed(t);
                        (0..N).for_each(|_| read(rng.u32(..)));
                    });
                }
            });
            best = best.min(start.elapsed().as_nanos() as f64 / f64::from(N));
        }
        println!("a hit by Pool::read, {threads} thread(s): {best:.1} ns");
    }
    let mut lists = Metadata::new(1 << 17);
    let come_in = |lists: &mut Metadata, n: u32| _ = lists.come_in(PageId::new(FileId(17), n));
    (0..1 << 18).for_each(|n| come_in(&mut lists, n));
    let start = Instant::now();
    (1 << 18..1 << 20).for_each(|n| come_in(&mut lists, n));
    let ns = start.elapsed().as_nanos() as f64 / f64::from((1 << 20) - (1 << 18));
    println!("the lists' part of a miss, 1 GB of frames: {ns:.0} ns");
}
