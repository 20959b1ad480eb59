//! The kinds of disks that can be modelled, and where their numbers come from.
//!
//! Invariants
//! 1. Every number stands here, with its origin; the models have none of their own that a kind could differ in.
//!
//! It must not know how time is computed from them.

use std::str::FromStr;

/// A disk by name.
#[derive(Debug, PartialEq)]
pub struct Kind {
    /// As the command line has it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Where the numbers come from.
    pub origin: &'static str,
    /// How it takes its time.
    pub way: Way,
    /// Bytes that it says are written while a power cut can still take them; 0: it keeps whatever it said.
    pub volatile_bytes: u64,
    /// Times that an experiment takes longer than on the disks that estimates are made for, about.
    pub slower: f64,
}

/// How a disk takes its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// Platters and an arm.
    Rotating(Rotating),
    /// Nothing moves.
    Still(Still),
}

/// Platters and an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotating {
    /// Turns a minute.
    pub turns_per_minute: u32,
    /// From a track to the next, in milliseconds.
    pub next_track_ms: f64,
    /// From the first track to the last one.
    pub full_stroke_ms: f64,
    /// Megabytes (10^6) a second, sustained over many tracks.
    pub sustained_mb: f64,
    /// Megabytes a second between the host and the drive's cache.
    pub bus_mb: f64,
    /// What a command costs without any of that, in microseconds.
    pub command_us: f64,
    /// The write cache.
    pub cache_bytes: u64,
    /// How many places the arm chooses from.
    pub queue: usize,
    /// What it reads on by itself behind a read.
    pub ahead_bytes: u64,
}

/// Nothing moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Still {
    /// A small read alone, in microseconds.
    pub read_us: f64,
    /// A small write alone, until it is told to be there.
    pub write_us: f64,
    /// A flush of what was written since the last one.
    pub flush_us: f64,
    /// Reads a second.
    pub reads_per_s: f64,
    /// Writes a second.
    pub writes_per_s: f64,
    /// Megabytes (10^6) a second.
    pub read_mb: f64,
    /// Megabytes a second.
    pub write_mb: f64,
    /// Reads and writes draw on one budget.
    pub shared: bool,
    /// A larger request counts as several of this size.
    pub unit_bytes: u64,
}

/// All kinds, the slowest first.
pub static KINDS: [Kind; 5] = [
    Kind {
        name: "7200rpm",
        about: "desktop disk, 7200 turns a minute, 64 MB of volatile write cache",
        // 1.0 + (16 - 1) * 8/15 = 9.0: the mean of the 8.5 (read) and 9.5 (write) that the data sheet has as average seek; 8/15 is the mean of the root of the
        // distance between two random places, as a share of the stroke.
        origin: "Seagate Barracuda ST1000DM003's data sheet: 7200 turns, 8.5 and 9.5 ms average seek, 1.0 ms track to track, 156 MB/s sustained, 64 MB of cache, queue of 32; full stroke fitted to the average seek",
        way: Way::Rotating(Rotating {
            turns_per_minute: 7200,
            next_track_ms: 1.0,
            full_stroke_ms: 16.0,
            sustained_mb: 156.0,
            bus_mb: 500.0,
            command_us: 50.0,
            cache_bytes: 64 << 20,
            queue: 32,
            ahead_bytes: 2 << 20,
        }),
        volatile_bytes: 64 << 20,
        slower: 2.0,
    },
    Kind {
        name: "15000rpm",
        about: "server disk, 15,000 turns a minute, 16 MB of volatile write cache",
        origin: "Seagate Cheetah 15K.7's data sheet: 15,000 turns, 3.4 and 3.9 ms average seek, 0.2 and 0.44 ms track to track, 122 to 204 MB/s sustained, 16 MB of cache; full stroke fitted to the average seek",
        way: Way::Rotating(Rotating {
            turns_per_minute: 15_000,
            next_track_ms: 0.3,
            full_stroke_ms: 6.6,
            sustained_mb: 160.0,
            bus_mb: 500.0,
            command_us: 50.0,
            cache_bytes: 16 << 20,
            queue: 32,
            ahead_bytes: 1 << 20,
        }),
        volatile_bytes: 16 << 20,
        slower: 1.5,
    },
    Kind {
        name: "ssd",
        about: "consumer SATA SSD, volatile write cache",
        origin: "Samsung 850 EVO's data sheet: 10,000 reads and 40,000 writes a second one at a time, 98,000 and 90,000 queued, 540 and 520 MB/s; the flush, of which no data sheet tells, is 1 ms, as drives without capacitors take",
        way: Way::Still(Still {
            read_us: 100.0,
            write_us: 25.0,
            flush_us: 1000.0,
            reads_per_s: 98_000.0,
            writes_per_s: 90_000.0,
            read_mb: 540.0,
            write_mb: 520.0,
            shared: false,
            unit_bytes: 4096,
        }),
        volatile_bytes: 64 << 20,
        slower: 1.0,
    },
    Kind {
        name: "nvme",
        about: "server NVMe SSD whose cache outlives a power cut",
        origin: "Intel SSD DC P4510 2 TB's data sheet: 77 and 18 µs latency, 637,000 reads and 81,500 writes a second, 3200 and 2000 MB/s, power loss protection; the flush, which has nothing to do there, is as a write",
        way: Way::Still(Still {
            read_us: 77.0,
            write_us: 18.0,
            flush_us: 18.0,
            reads_per_s: 637_000.0,
            writes_per_s: 81_500.0,
            read_mb: 3200.0,
            write_mb: 2000.0,
            shared: false,
            unit_bytes: 4096,
        }),
        volatile_bytes: 0,
        slower: 1.0,
    },
    Kind {
        name: "cloud",
        about: "network volume of a cloud, general purpose: 3000 requests and 125 MB a second",
        origin: "Amazon EBS gp3 as documented, without extras: 3000 requests (of up to 256 KiB) and 125 MiB a second, reads and writes together; 1 ms, as the documentation's single-digit milliseconds usually are; what is told to be written is kept",
        way: Way::Still(Still {
            read_us: 1000.0,
            write_us: 1000.0,
            flush_us: 100.0,
            reads_per_s: 3000.0,
            writes_per_s: 3000.0,
            read_mb: 131.0,
            write_mb: 131.0,
            shared: true,
            unit_bytes: 256 << 10,
        }),
        volatile_bytes: 0,
        slower: 1.2,
    },
];

impl Kind {
    /// One line for a report.
    pub fn line(&self) -> String {
        format!("modelled {}: {}", self.name, self.about)
    }

    /// The kind and its numbers as lines.
    pub fn description(&self) -> String {
        let numbers = match self.way {
            Way::Rotating(r) => format!(
                "{:.2} ms a turn, seek {} to {} ms by the root of the distance, {} MB/s",
                60_000.0 / f64::from(r.turns_per_minute),
                r.next_track_ms,
                r.full_stroke_ms,
                r.sustained_mb
            ),
            Way::Still(s) => format!(
                "read {} µs, write {} µs, flush {} µs; {} reads and {} writes a second{}; {} and {} MB/s",
                s.read_us,
                s.write_us,
                s.flush_us,
                s.reads_per_s,
                s.writes_per_s,
                if s.shared { " together" } else { "" },
                s.read_mb,
                s.write_mb
            ),
        };
        format!("{:<9} {}\n    {numbers}\n    after: {}\n", self.name, self.about, self.origin)
    }
}

/// A kind as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Named(pub &'static Kind);

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        KINDS.iter().find(|k| k.name == text).map(Named).ok_or_else(|| {
            let names = KINDS.iter().map(|k| k.name).collect::<Vec<_>>().join(", ");
            format!("there is no such kind of disk; there are {names}")
        })
    }
}
