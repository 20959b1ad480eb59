//! Families of metrics, as prometheus-client writes them: a name, a help, and a value for each set of labels.
//!
//! Invariants:
//! 1. A family has at most [`SERIES_MAX`] sets of labels: what clients and standbys name themselves cannot fill whoever collects. Of more the rest is left out.
//! 2. A family without a value is not told of at all.
//!
//! It must not know what the values mean.

use evenkeel::histogram;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// (1)
const SERIES_MAX: usize = 128;

/// A family's values, each with its labels.
pub(super) type Series<T> = Vec<(Labels, T)>;
/// Names and values.
pub(super) type Labels = Vec<(&'static str, String)>;

/// A histogram: the ends of its buckets (the last is infinite), with how many values each has; and their sum.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    pub ends: Vec<(f64, u64)>,
    pub sum: f64,
}

impl Buckets {
    /// Of powers of two in a unit, of which `per_unit` make one of what is shown; ends between these powers.
    pub fn of_powers(counts: &histogram::Counts, from: usize, to: usize, per_unit: f64) -> Buckets {
        let mut ends = Vec::with_capacity(to - from + 2);
        let mut below = 0;
        for (bucket, n) in counts.buckets.iter().enumerate() {
            below += n;
            // Values are whole: none lies between the end of a bucket and the next.
            if bucket >= from && bucket <= to {
                ends.push(((1u64 << bucket) as f64 / per_unit, std::mem::take(&mut below)));
            }
        }
        ends.push((f64::INFINITY, below));
        Buckets { ends, sum: counts.sum as f64 / per_unit }
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.ends.iter().map(|(_, n)| n).sum()
    }
}

/// Writes families.
pub(super) struct Families<'a>(pub DescriptorEncoder<'a>);

type Written = Result<(), std::fmt::Error>;

/// `evenkeel_` is put before each name, and the unit, if it has one, behind.
fn full(name: &str) -> String {
    match name.strip_prefix("process_") {
        Some(_) => name.to_owned(),
        None => format!("evenkeel_{name}"),
    }
}

impl Families<'_> {
    /// Counts that only grow.
    pub fn counters(&mut self, name: &str, unit: Option<Unit>, help: &str, series: Series<f64>) -> Written {
        self.write(name, unit, help, MetricType::Counter, series, |encoder, v| {
            // Whole ones are written so, however large.
            if v.fract() == 0.0 && *v < 9e15 {
                encoder.encode_counter::<NoLabelSet, u64, f64>(&(*v as u64), None)
            } else {
                encoder.encode_counter::<NoLabelSet, f64, f64>(v, None)
            }
        })
    }

    /// Values that go up and down.
    pub fn gauges(&mut self, name: &str, unit: Option<Unit>, help: &str, series: Series<f64>) -> Written {
        self.write(name, unit, help, MetricType::Gauge, series, |encoder, v| {
            if v.fract() == 0.0 && v.abs() < 9e15 {
                encoder.encode_gauge(&(*v as i64))
            } else {
                encoder.encode_gauge(v)
            }
        })
    }

    /// Distributions.
    pub fn histograms(
        &mut self,
        name: &str,
        unit: Option<Unit>,
        help: &str,
        series: Series<Buckets>,
    ) -> Written {
        self.write(name, unit, help, MetricType::Histogram, series, |encoder, b| {
            encoder.encode_histogram::<NoLabelSet>(b.sum, b.count(), &b.ends, None)
        })
    }

    /// One count without labels.
    pub fn counter(&mut self, name: &str, unit: Option<Unit>, help: &str, value: f64) -> Written {
        self.counters(name, unit, help, vec![(Vec::new(), value)])
    }

    /// One value without labels.
    pub fn gauge(&mut self, name: &str, unit: Option<Unit>, help: &str, value: f64) -> Written {
        self.gauges(name, unit, help, vec![(Vec::new(), value)])
    }

    fn write<T>(
        &mut self,
        name: &str,
        unit: Option<Unit>,
        help: &str,
        kind: MetricType,
        series: Series<T>,
        mut one: impl FnMut(&mut prometheus_client::encoding::MetricEncoder<'_>, &T) -> Written,
    ) -> Written {
        if series.is_empty() {
            return Ok(()); // (2)
        }
        let name = full(name);
        let mut family = self.0.encode_descriptor(&name, help, unit.as_ref(), kind)?;
        for (labels, value) in series.iter().take(SERIES_MAX) {
            if labels.is_empty() {
                one(&mut family, value)?;
            } else {
                one(&mut family.encode_family(labels)?, value)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beyond_the_ends_is_not_lost() {
        let h = histogram::Histogram::default();
        [0, 1, 63, 64, 1000, 1 << 37].into_iter().for_each(|v| h.record(v));
        let b = Buckets::of_powers(&h.snapshot(), 6, 10, 1e6);
        assert_eq!(b.ends.len(), 6);
        assert_eq!(b.ends[0], (64e-6, 3));
        assert_eq!(b.ends[1], (128e-6, 1));
        assert_eq!((b.ends[4], b.ends[5]), ((1024e-6, 1), (f64::INFINITY, 1)));
        assert_eq!(b.count(), 6);
    }
}
