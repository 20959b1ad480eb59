//! When checkpoints ran, how long they took, and how punctual they were, out of the counters.
//!
//! PostgreSQL counts a checkpoint when it begins and when it is done. Ours counts rounds, which follow each other without a break; there the seconds are
//! marked in which the checkpointer wrote, and a cycle is as many rounds as there are partitions.
//!
//! It must not know how counters are read.

use serde::{Deserialize, Serialize};

use super::trace::{Counters, Reading};

/// What the checkpointer did. Times are seconds since the counted time began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// When checkpoints ran, or the checkpointer wrote.
    pub spans: Vec<(f64, f64)>,
    /// When checkpoints or rounds ended.
    pub ends: Vec<f64>,
    /// Partitions, each with rounds of its own; 1 is the classic checkpoint.
    pub partitions: u32,
    /// Cycles finished in the counted time.
    pub cycles: f64,
    /// Seconds of writing in a cycle.
    pub write_s: Option<f64>,
    /// Seconds of syncing in a cycle.
    pub sync_s: Option<f64>,
    /// Seconds from one cycle to the next.
    pub cycle_s: Option<f64>,
}

/// Out of the readings of so many seconds. `partitions`: what the server says; 1 if nothing.
pub fn activity(readings: &[Reading], seconds: u32, partitions: u32) -> Activity {
    let end = f64::from(seconds);
    let partitions = readings.last().map_or(0, |r| r.counters.rounds.len() as u32).max(partitions).max(1);
    let ends: Vec<f64> = rises(readings, done).into_iter().filter(|t| (0.0..=end).contains(t)).collect();
    // Rounds of partitions follow each other without a break: begun and done say nothing about when there was work.
    let whole = if partitions == 1 { running(readings) } else { None };
    let spans = whole.unwrap_or_else(|| writing(readings));
    let spans = spans.into_iter().map(|(a, b)| (a.max(0.0), b.min(end))).filter(|(a, b)| a < b);
    let counted = |f: &dyn Fn(&Counters) -> Option<f64>| grown(readings, 0.0, end, f);
    let rounds = counted(&done).unwrap_or(0.0);
    let cycles = rounds / f64::from(partitions);
    let in_cycle = |f: &dyn Fn(&Counters) -> Option<f64>| {
        counted(f).filter(|_| rounds > 0.0).map(|ms| ms / 1e3 / cycles)
    };
    Activity {
        spans: joined(spans.collect()),
        ends,
        partitions,
        cycles,
        write_s: in_cycle(&|c| c.write_ms),
        sync_s: in_cycle(&|c| c.sync_ms),
        cycle_s: cycle_s(readings, partitions),
    }
}

/// Finished checkpoints or rounds. A server that does not count them tells their times when they end.
fn done(c: &Counters) -> Option<f64> {
    let of_partitions = c.rounds.iter().copied().reduce(|a, b| a + b);
    of_partitions.or(c.checkpoints_done)
}

/// Growth between the readings nearest to these times.
fn grown(readings: &[Reading], from_s: f64, to_s: f64, f: &dyn Fn(&Counters) -> Option<f64>) -> Option<f64> {
    let nearest = |at: f64| {
        let distance = |r: &&Reading| (r.at_s - at).abs();
        readings.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    Some((f(&nearest(to_s)?.counters)? - f(&nearest(from_s)?.counters)?).max(0.0))
}

/// When a counter was seen to rise.
fn rises(readings: &[Reading], f: impl Fn(&Counters) -> Option<f64>) -> Vec<f64> {
    let pairs = readings.windows(2).map(|w| (&w[0], &w[1]));
    let risen =
        pairs.filter(|(a, b)| matches!((f(&a.counters), f(&b.counters)), (Some(x), Some(y)) if y > x));
    risen.map(|(_, b)| b.at_s).collect()
}

/// From where a checkpoint is counted as begun to where it is counted as done; None if none was ever seen under way.
fn running(readings: &[Reading]) -> Option<Vec<(f64, f64)>> {
    let begun = |c: &Counters| c.checkpoints_begun;
    // Without a count of those done, their times tell: they rise at the end.
    let counts_done = readings.iter().any(|r| r.counters.checkpoints_done.is_some());
    let ended = |c: &Counters| match counts_done {
        true => c.checkpoints_done,
        false => Some(c.write_ms? + c.sync_ms?),
    };
    let base = &readings.first()?.counters;
    let (begun_0, ended_0) = (begun(base)?, ended(base)?);
    let (mut spans, mut since, mut seen) = (Vec::new(), None, false);
    let (mut last_begun, mut last_ended, mut last_at) = (begun_0, ended_0, readings.first()?.at_s);
    for r in &readings[1..] {
        let (Some(b), Some(e)) = (begun(&r.counters), ended(&r.counters)) else { continue };
        if b > last_begun && since.is_none() {
            since = Some(last_at);
        }
        if e > last_ended
            && let Some(from) = since.take()
        {
            spans.push((from, r.at_s));
        }
        seen |= since.is_some();
        (last_begun, last_ended, last_at) = (b, e, r.at_s);
    }
    spans.extend(since.map(|from| (from, f64::INFINITY)));
    seen.then_some(spans)
}

/// Between readings, where the checkpointer wrote or synced.
fn writing(readings: &[Reading]) -> Vec<(f64, f64)> {
    let counters: [fn(&Counters) -> Option<f64>; 3] = [|c| c.by_checkpointer, |c| c.write_ms, |c| c.sync_ms];
    let wrote = |a: &Counters, b: &Counters| {
        counters.iter().any(|f| matches!((f(a), f(b)), (Some(x), Some(y)) if y > x))
    };
    let pairs = readings.windows(2).filter(|w| wrote(&w[0].counters, &w[1].counters));
    pairs.map(|w| (w[0].at_s, w[1].at_s)).collect()
}

/// Spans that touch become one.
fn joined(spans: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    for (from, to) in spans {
        match out.last_mut() {
            Some(last) if from <= last.1 + 1e-6 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

/// Mean distance of the ends of a partition's rounds; or of all rounds, times the partitions; or of the beginnings of checkpoints.
fn cycle_s(readings: &[Reading], partitions: u32) -> Option<f64> {
    let mean = |times: &[f64]| {
        let gaps = times.len().checked_sub(1).filter(|n| *n > 0)?;
        Some((times[gaps] - times[0]) / gaps as f64)
    };
    let of_partition = |p: usize| mean(&rises(readings, |c| c.rounds.get(p).copied()));
    let known: Vec<f64> = (0..partitions as usize).filter_map(of_partition).collect();
    if !known.is_empty() {
        return Some(known.iter().sum::<f64>() / known.len() as f64);
    }
    let ends = rises(readings, done);
    if partitions > 1 && ends.len() > 1 {
        let first = readings.iter().find(|r| r.at_s == ends[0])?;
        let last = readings.iter().find(|r| r.at_s == ends[ends.len() - 1])?;
        let rounds = done(&last.counters)? - done(&first.counters)?;
        return Some((last.at_s - first.at_s) / rounds * f64::from(partitions));
    }
    let beginnings = rises(readings, |c| c.checkpoints_begun);
    mean(if beginnings.len() > 1 { &beginnings } else { &ends })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(of: impl Fn(f64) -> Counters) -> Vec<Reading> {
        (-2..=40).map(|s| Reading { at_s: f64::from(s), counters: of(f64::from(s)) }).collect()
    }

    /// Begins at 10 and 25, done at 18 and 33; 7 s of writing and half a second of syncing each.
    fn classic(t: f64) -> Counters {
        let ended = f64::from(u8::from(t >= 18.0) + u8::from(t >= 33.0));
        Counters {
            checkpoints_begun: Some(f64::from(u8::from(t >= 10.0) + u8::from(t >= 25.0))),
            checkpoints_done: Some(ended),
            write_ms: Some(7000.0 * ended),
            sync_ms: Some(500.0 * ended),
            by_checkpointer: Some(t),
            ..Counters::default()
        }
    }

    #[test]
    fn a_classic_checkpoint_lasts_from_its_beginning_to_its_end() {
        let a = activity(&readings(classic), 40, 1);
        assert_eq!(a.spans, [(9.0, 18.0), (24.0, 33.0)]);
        assert_eq!((a.ends, a.cycles), (vec![18.0, 33.0], 2.0));
        assert_eq!((a.write_s, a.sync_s, a.cycle_s), (Some(7.0), Some(0.5), Some(15.0)));
    }

    #[test]
    fn where_ends_are_not_counted_the_times_tell() {
        let a = activity(&readings(|t| Counters { checkpoints_done: None, ..classic(t) }), 40, 1);
        assert_eq!(a.spans, [(9.0, 18.0), (24.0, 33.0)]);
    }

    #[test]
    fn a_checkpoint_under_way_at_the_end_is_cut_off_there() {
        let a = activity(&readings(classic)[..32], 30, 1);
        assert_eq!(a.spans, [(9.0, 18.0), (24.0, 30.0)]);
    }

    #[test]
    fn rounds_mark_the_seconds_that_wrote() {
        // Four partitions, a round every 2 s; nothing is written in the seconds 4 to 6.
        let of = |t: f64| {
            let rounds = ((t + 2.0) / 2.0).floor();
            Counters {
                checkpoints_begun: Some(rounds),
                checkpoints_done: Some(rounds),
                by_checkpointer: Some(if t > 6.0 { t - 2.0 } else { t.min(4.0) }),
                write_ms: None,
                rounds: (0..4).map(|p| ((rounds + f64::from(p)) / 4.0).floor()).collect(),
                ..Counters::default()
            }
        };
        let a = activity(&readings(of), 16, 1);
        assert_eq!(a.spans, [(0.0, 4.0), (6.0, 16.0)]);
        assert_eq!((a.partitions, a.cycle_s, a.cycles), (4, Some(8.0), 2.0));
        let without_view = readings(|t| Counters { rounds: Vec::new(), ..of(t) });
        assert_eq!(activity(&without_view, 16, 4).cycle_s, Some(8.0));
    }

    #[test]
    fn nothing_known_is_nothing_said() {
        assert_eq!(activity(&[], 10, 1), Activity { partitions: 1, ..Activity::default() });
        let blank = activity(&readings(|_| Counters::default()), 10, 1);
        assert_eq!((blank.spans, blank.write_s, blank.cycle_s), (vec![], None, None));
    }
}
