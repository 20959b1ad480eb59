//! Counts of values in powers of two, cheap enough for every commit.
//!
//! Invariants
//! 1. Value 0 lies in bucket 0, any other value `v` in bucket `b` with `2^(b-1) <= v < 2^b`; the last bucket also takes everything above.
//! 2. Recording never blocks and never loses a count; a snapshot taken meanwhile may lack the latest ones.
//!
//! Must not know: what is counted.

use super::sync::counter::{AtomicU64, Ordering};

/// Buckets of a histogram: the last one begins at 2^38, more than three days of microseconds.
pub const BUCKETS: usize = 40;

/// A histogram that any number of threads record into.
#[derive(Debug)]
pub struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    max: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        let buckets = [const { AtomicU64::new(0) }; BUCKETS];
        Histogram { buckets, sum: AtomicU64::new(0), max: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Counts a value. Two or three relaxed additions.
    pub fn record(&self, value: u64) {
        self.buckets[bucket_of(value)].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
        if value > self.max.load(Ordering::Relaxed) {
            self.max.fetch_max(value, Ordering::Relaxed);
        }
    }

    /// Counts a time, in microseconds.
    pub fn record_time(&self, time: std::time::Duration) {
        self.record(time.as_micros() as u64);
    }

    /// What was counted so far.
    pub fn snapshot(&self) -> Counts {
        Counts {
            buckets: std::array::from_fn(|b| self.buckets[b].load(Ordering::Relaxed)),
            sum: self.sum.load(Ordering::Relaxed),
            max: self.max.load(Ordering::Relaxed),
        }
    }
}

/// The state of a [`Histogram`] at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Values in each bucket.
    pub buckets: [u64; BUCKETS],
    /// All values together.
    pub sum: u64,
    /// The largest value.
    pub max: u64,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { buckets: [0; BUCKETS], sum: 0, max: 0 }
    }
}

impl Counts {
    /// How many values.
    pub fn samples(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Their mean; 0 if there are none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.samples().max(1) as f64
    }

    /// A bound that this share (0 to 1) of the values does not exceed: the end of the bucket where it falls, or the largest value. 0 if
    /// there are none.
    pub fn at_most(&self, share: f64) -> u64 {
        let wanted = (self.samples() as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                return bounds(bucket).1.min(self.max);
            }
        }
        0
    }
}

/// The bucket of a value (invariant 1).
fn bucket_of(value: u64) -> usize {
    (u64::BITS - value.leading_zeros()).min(BUCKETS as u32 - 1) as usize
}

/// The smallest and the largest value of a bucket.
pub fn bounds(bucket: usize) -> (u64, u64) {
    match bucket {
        0 => (0, 0),
        b if b + 1 >= BUCKETS => (1 << (BUCKETS - 2), u64::MAX),
        b => (1 << (b - 1), (1 << b) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_within_the_bounds_of_its_bucket() {
        for value in [0, 1, 2, 3, 4, 127, 128, 1 << 37, (1 << 38) - 1, 1 << 38, u64::MAX] {
            let (low, high) = bounds(bucket_of(value));
            assert!((low..=high).contains(&value), "{value}");
        }
        for bucket in 1..BUCKETS {
            assert_eq!(bounds(bucket).0, bounds(bucket - 1).1 + 1, "bucket {bucket}");
        }
    }

    #[test]
    fn a_share_of_the_values_is_bounded() {
        let h = Histogram::default();
        assert_eq!((h.snapshot().at_most(0.5), h.snapshot().samples()), (0, 0));
        (0..99).for_each(|_| h.record(5));
        h.record(1000);
        let c = h.snapshot();
        assert_eq!((c.samples(), c.sum, c.max), (100, 99 * 5 + 1000, 1000));
        assert_eq!((c.at_most(0.5), c.at_most(0.99), c.at_most(1.0)), (7, 7, 1000));
    }
}
