//! Rates that change with time (W5): a sine, steps, a trace from a file, and random spikes on top.
//!
//! `sine:30-300/min@10min`, `steps:100/s@60s,400/s@30s`, `file:PATH` with a line `seconds rate` for each change, each perhaps with `+spikes:5x@20s/5min`: five times
//! the rate for 20 s, once at a random moment of every five minutes. Steps and traces begin anew after their end.
//!
//! Invariants
//! 1. A curve is the same in every run and for every server: spikes are random by a fixed seed.
//! 2. Some rate is above nothing, so that arrivals never end.
//!
//! It must not know what arrives.

use std::fmt;
use std::str::FromStr;

use crate::bench_checkpoints::figures::seconds_of;

const SEED: u64 = 0x5eed_c042_7e00;

/// How a rate changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// As it was given.
    text: String,
    shape: Shape,
    spikes: Option<Spikes>,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Sine {
        low: f64,
        high: f64,
        period_s: f64,
    },
    /// From these seconds on so many a second; it begins anew after `length_s`.
    Steps {
        steps: Vec<(f64, f64)>,
        length_s: f64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Spikes {
    factor: f64,
    length_s: f64,
    every_s: f64,
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Curve {
    /// Arrivals a second, so many seconds after the beginning; before it as at it.
    pub fn at(&self, at_s: f64) -> f64 {
        let at_s = at_s.max(0.0);
        let rate = match &self.shape {
            Shape::Sine { low, high, period_s } => {
                low + (high - low) * (1.0 - (at_s / period_s * std::f64::consts::TAU).cos()) / 2.0
            }
            Shape::Steps { steps, length_s } => {
                let within_s = at_s % length_s;
                let n = steps.partition_point(|(from_s, _)| *from_s <= within_s);
                steps[n.saturating_sub(1)].1
            }
        };
        rate * self.spikes.map_or(1.0, |s| s.at(at_s))
    }

    /// The mean rate of every second.
    pub fn seconds(&self, seconds: u32) -> Vec<f64> {
        (0..seconds)
            .map(|s| (0..10).map(|t| self.at(f64::from(s) + f64::from(t) / 10.0)).sum::<f64>() / 10.0)
            .collect()
    }
}

impl Spikes {
    /// What the rate is multiplied by.
    fn at(&self, at_s: f64) -> f64 {
        let slot = (at_s / self.every_s).floor();
        let place = fastrand::Rng::with_seed(SEED ^ slot as u64).f64(); // invariant 1
        let begin_s = slot * self.every_s + place * (self.every_s - self.length_s);
        if (begin_s..begin_s + self.length_s).contains(&at_s) { self.factor } else { 1.0 }
    }
}

impl FromStr for Curve {
    type Err = String;

    fn from_str(text: &str) -> Result<Curve, String> {
        let (shape, spikes) = match text.split_once("+spikes:") {
            Some((shape, spikes)) => (shape, Some(spikes_of(spikes)?)),
            None => (text, None),
        };
        let shape = match shape.split_once(':') {
            Some(("sine", rest)) => sine(rest),
            Some(("steps", rest)) => steps(rest),
            Some(("file", path)) => trace(path)?,
            _ => None,
        };
        let shape = shape.ok_or_else(|| {
            format!("\"{text}\" is no curve; expected sine:30-300/min@10min, steps:100/s@60s,400/s@30s or file:PATH, perhaps with +spikes:5x@20s/5min")
        })?;
        Ok(Curve { text: text.into(), shape, spikes })
    }
}

/// `100/s`, `30/min`, `100`: a second.
fn rate_of(text: &str) -> Option<f64> {
    let (number, per_s) = match text.split_once('/') {
        Some((number, "s")) => (number, 1.0),
        Some((number, "min")) => (number, 60.0),
        Some((number, "h")) => (number, 3600.0),
        Some(_) => return None,
        None => (text, 1.0),
    };
    number.trim().parse::<f64>().ok().filter(|n| (0.0..=1e7).contains(n)).map(|n| n / per_s)
}

fn length_of(text: &str) -> Option<f64> {
    seconds_of(text).filter(|s| (0.1..=1e7).contains(s))
}

fn sine(text: &str) -> Option<Shape> {
    let (rates, period) = text.split_once('@')?;
    let (low, high) = rates.split_once('-')?;
    // 30-300/min: the unit is of both.
    let unit = high.split_once('/').map(|(_, unit)| format!("/{unit}")).unwrap_or_default();
    let (low, high) = (rate_of(&format!("{low}{unit}"))?, rate_of(high)?);
    (low <= high && high > 0.0).then_some(Shape::Sine { low, high, period_s: length_of(period)? })
}

fn steps(text: &str) -> Option<Shape> {
    let (mut steps, mut at_s) = (Vec::new(), 0.0);
    for step in text.split(',') {
        let (rate, length) = step.split_once('@')?;
        steps.push((at_s, rate_of(rate)?));
        at_s += length_of(length)?;
    }
    steps.iter().any(|(_, rate)| *rate > 0.0).then_some(Shape::Steps { steps, length_s: at_s })
}

fn trace(path: &str) -> Result<Option<Shape>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let mut fields = line.split([',', ' ', '\t']).filter(|f| !f.is_empty());
        let step = fields.next().and_then(seconds_of).zip(fields.next().and_then(rate_of));
        let after = |step: &(f64, f64)| steps.last().is_none_or(|last| step.0 > last.0);
        let step = step.filter(after).ok_or_else(|| {
            format!("{path}, line {}: expected seconds, later than those before, and a rate: 60 120/s", n + 1)
        })?;
        steps.push(step);
    }
    let Some(first) = steps.first_mut() else { return Err(format!("{path} has no rates in it")) };
    first.0 = 0.0;
    // The last one lasts as long as the one before it.
    let last_s = match steps[..] {
        [.., a, b] => b.0 - a.0,
        _ => 1.0,
    };
    let length_s = steps.last().map_or(0.0, |s| s.0) + last_s;
    if steps.iter().all(|(_, rate)| *rate <= 0.0) {
        return Err(format!("{path}: some rate has to be above 0")); // invariant 2
    }
    Ok(Some(Shape::Steps { steps, length_s }))
}

fn spikes_of(text: &str) -> Result<Spikes, String> {
    let parsed = || {
        let (factor, rest) = text.split_once("x@")?;
        let (length, every) = rest.split_once('/')?;
        let factor = factor.parse::<f64>().ok().filter(|f| (1.0..=1e4).contains(f))?;
        Some(Spikes { factor, length_s: length_of(length)?, every_s: length_of(every)? })
    };
    parsed().filter(|s| s.length_s <= s.every_s).ok_or_else(|| {
        format!("\"{text}\": expected how many times the rate, for how long, how often: +spikes:5x@20s/5min")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(text: &str) -> Curve {
        text.parse().unwrap()
    }

    #[test]
    fn a_sine_goes_from_low_to_high_and_back() {
        let c = curve("sine:30-300/min@10min");
        let at = |s: f64| (c.at(s) * 60.0).round();
        assert_eq!([at(0.0), at(300.0), at(600.0), at(150.0), at(-5.0)], [30.0, 300.0, 30.0, 165.0, 30.0]);
        assert_eq!(c.to_string(), "sine:30-300/min@10min");
    }

    #[test]
    fn steps_begin_anew() {
        let c = curve("steps:100/s@60s,0@30s,400@10s");
        assert_eq!(
            [0.0, 59.9, 60.0, 95.0, 100.0, 165.0].map(|s| c.at(s)),
            [100.0, 100.0, 0.0, 400.0, 100.0, 0.0]
        );
        assert_eq!(c.seconds(91)[88..], [0.0, 0.0, 400.0]);
    }

    #[test]
    fn a_trace_is_read_from_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("trace");
        std::fs::write(&file, "# seconds rate\n0 10\n\n60, 120/min  # slower\n90s\t50/s\n").unwrap();
        let c = curve(&format!("file:{}", file.display()));
        assert_eq!([0.0, 61.0, 91.0, 119.0, 120.0].map(|s| c.at(s)), [10.0, 2.0, 50.0, 50.0, 10.0]);
        std::fs::write(&file, "0 10\n0 20\n").unwrap();
        let e = format!("file:{}", file.display()).parse::<Curve>().unwrap_err();
        assert!(e.contains("line 2"), "{e}");
        assert!("file:/no/such".parse::<Curve>().unwrap_err().contains("/no/such"));
    }

    #[test]
    fn spikes_come_once_in_every_slot_and_always_at_the_same_time() {
        let c = curve("steps:10@1s+spikes:5x@20s/5min");
        for slot in 0..5 {
            let high: Vec<u32> =
                (slot * 300..(slot + 1) * 300).filter(|s| c.at(f64::from(*s)) == 50.0).collect();
            assert!((19..=21).contains(&high.len()), "{high:?}");
        }
        assert_eq!(c.seconds(900), curve("steps:10@1s+spikes:5x@20s/5min").seconds(900));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "sine:5",
            "sine:9-3@1s",
            "steps:0@5s",
            "steps:1",
            "line:3",
            "sine:1-2/day@1s",
            "sine:1-2@1s+spikes:2x@9s/3s",
        ] {
            assert!(text.parse::<Curve>().is_err(), "{text}");
        }
    }
}
