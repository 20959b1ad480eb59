//! What it costs the background writer to find the pages that it is to write, by policy (S7 to S12), for pools from 64 MB to 16 GB: microseconds a step.
//!
//! The pool's bookkeeping only: there is no page memory, and nothing is written. Between steps 100 pages come in, what was chosen is taken as written, and as
//! many other pages are changed. 2 percent, 100 pages.
//!
//! `cargo run --release -p evenkeel --example cleaner_cost [steps for each figure]`

use evenkeel::base::{FileId, PageId};
use evenkeel::pool::testing::Metadata;
use evenkeel::pool::{CleanerOptions, CleanerPolicy};
use std::time::Instant;

/// Pages that come in between steps.
const COME_IN: u32 = 100;

struct Bench {
    pool: Metadata,
    frames: u32,
    next: u32,
    rng: fastrand::Rng,
}

impl Bench {
    fn new(frames: u32) -> Bench {
        let pool = Metadata::new(frames as usize);
        let mut b = Bench { pool, frames, next: 0, rng: fastrand::Rng::with_seed(1) };
        for _ in 0..frames {
            let frame = b.come_in();
            if b.rng.bool() {
                b.pool.touch(frame); // half of them go on to T2
            }
        }
        (0..frames / 2).for_each(|_| _ = b.come_in());
        b
    }

    fn come_in(&mut self) -> u32 {
        self.next += 1;
        self.pool.come_in(PageId::new(FileId(17), self.next))
    }

    /// Median time of a step with so many dirty pages, and the frames that it looks at.
    fn step_us(&mut self, policy: CleanerPolicy, dirty: usize, steps: usize) -> (f64, usize) {
        let mut missing = dirty;
        let mut times = Vec::new();
        let mut looked = 0;
        for step in 0..steps + 10 {
            (0..COME_IN).for_each(|_| _ = self.come_in());
            missing += dirty.saturating_sub(self.pool.dirty() + missing); // those written as they went
            for _ in 0..missing {
                while !self.pool.change(self.rng.u32(..self.frames)) {}
            }
            let start = Instant::now();
            let (chosen, scanned) = self.pool.choose(CleanerOptions { policy, max_pages: 100, percent: 2 });
            let time = start.elapsed().as_nanos() as f64 / 1000.0;
            chosen.iter().for_each(|f| self.pool.clean(*f));
            missing = chosen.len();
            if step >= 10 {
                times.push(time);
                looked += scanned;
            }
        }
        (0..self.frames).for_each(|f| self.pool.clean(f));
        times.sort_by(f64::total_cmp);
        (times[times.len() / 2], looked / steps)
    }
}

fn main() {
    let steps = std::env::args().nth(1).map_or(60, |a| a.parse().expect("a number"));
    println!("microseconds to choose the pages of a step (median of {steps}), and frames looked at");
    print!("{:>8}{:>10}{:>9}", "pool", "frames", "dirty");
    CleanerPolicy::NAMES.iter().for_each(|n| print!("{n:>20}"));
    println!();
    for (name, frames) in
        [("64 MB", 1u32 << 13), ("512 MB", 1 << 16), ("2 GB", 1 << 18), ("8 GB", 1 << 20), ("16 GB", 1 << 21)]
    {
        let mut bench = Bench::new(frames);
        for dirty in [0, 100, 1000, frames as usize / 100, frames as usize / 10, frames as usize / 2] {
            print!("{name:>8}{frames:10}{dirty:9}");
            for policy in CleanerPolicy::ALL {
                let (us, looked) = bench.step_us(policy, dirty, steps);
                print!("{:>20}", format!("{us:.1} ({looked})"));
            }
            println!();
        }
    }
}
