//! Which of several values is the best, and whether that can be relied on.
//!
//! Invariants
//! 1. A difference is named only where the ranges of the runs do not overlap and it is over a twentieth, or, where one of them has not three runs, where it is over a fifth; over a half
//!    for tails, and over twice as much for the very slowest, which differ more by chance. (Ranges of two equal rows do not overlap in one of three comparisons with two runs each,
//!    in one of ten with three.)
//! 2. What the machine spoilt is never the best.
//!
//! It must not know what the values are of.

use crate::logdisk::words::three;

/// Ranges of fewer runs say nothing.
const RUNS_MIN: usize = 3;
/// What is smaller is no difference, whatever the ranges are.
const RUNS_DIFFER: f64 = 1.05;
/// Single runs differ by as much for no reason.
const SINGLE_RUNS_DIFFER: f64 = 1.2;
const TAILS_DIFFER: f64 = 1.5;
const SLOWEST_DIFFER: f64 = 2.0;

/// What a row reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The row's.
    pub label: String,
    /// Of all runs.
    pub value: f64,
    /// The lowest and the highest of a single run; None where there are too few.
    pub range: Option<(f64, f64)>,
    /// The machine spoilt it.
    pub spoilt: bool,
    /// Single runs differ so many times by chance.
    pub chance: f64,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Latencies.
    Low,
    /// Rates.
    High,
}

impl Value {
    /// Of single runs.
    pub fn of(label: &str, value: f64, runs: &[f64], spoilt: bool) -> Value {
        let low = runs.iter().copied().reduce(f64::min);
        let range = low.zip(runs.iter().copied().reduce(f64::max)).filter(|_| runs.len() >= RUNS_MIN);
        Value { label: label.into(), value, range, spoilt, chance: SINGLE_RUNS_DIFFER }
    }

    /// It is a high percentile.
    pub fn tail(self) -> Value {
        Value { chance: TAILS_DIFFER, ..self }
    }

    /// It is of a single transaction.
    pub fn slowest(self) -> Value {
        Value { chance: SLOWEST_DIFFER, ..self }
    }
}

/// Whether one can rely on it that they differ (invariant 1).
pub fn differ(a: &Value, b: &Value) -> bool {
    let differ_by = |chance: f64| {
        let (low, high) = (a.value.min(b.value), a.value.max(b.value));
        high > low.max(0.0) * chance && high > 0.0
    };
    match (a.range, b.range) {
        (Some((a_low, a_high)), Some((b_low, b_high))) => {
            (a_high < b_low || b_high < a_low) && differ_by(RUNS_DIFFER)
        }
        _ => differ_by(a.chance.max(b.chance)),
    }
}

/// The best of those that can be trusted (invariant 2).
pub fn best(values: &[Value], wanted: Wanted) -> Option<&Value> {
    let trusted = values.iter().filter(|v| !v.spoilt && v.value.is_finite());
    match wanted {
        Wanted::Low => trusted.min_by(|a, b| a.value.total_cmp(&b.value)),
        Wanted::High => trusted.max_by(|a, b| a.value.total_cmp(&b.value)),
    }
}

/// Of the best against the row that others are compared with: `p99.9 at full speed: lowest with X, 3.2 ms; classic's 13 ms are 4.1 times as much`.
pub fn sentence(what: &str, unit: &str, values: &[Value], baseline: &str, wanted: Wanted) -> Option<String> {
    let best = best(values, wanted)?;
    let base = values.iter().find(|v| v.label == baseline)?;
    let shown = |v: &Value| format!("{}{unit}", three(v.value));
    if base.spoilt {
        return Some(format!(
            "{what}: {} has {}; {baseline}, with which it is to be compared, was spoilt by the machine.",
            best.label,
            shown(best)
        ));
    }
    let end = if wanted == Wanted::Low { "lowest" } else { "highest" };
    if best.label == base.label {
        return Some(format!("{what}: no row does better than {baseline} ({}).", shown(base)));
    }
    if !differ(best, base) {
        return Some(format!(
            "{what}: no difference that one can rely on between {baseline} ({}) and the {end}, {} ({}).",
            shown(base),
            best.label,
            shown(best)
        ));
    }
    let times = match wanted {
        Wanted::Low => base.value / best.value.max(1e-9),
        Wanted::High => best.value / base.value.max(1e-9),
    };
    let against = match wanted {
        _ if times > 1e3 => "far from it".into(),
        Wanted::Low => format!("{} times as much", three(times)),
        Wanted::High => format!("{} times less", three(times)),
    };
    let like: Vec<&str> = values
        .iter()
        .filter(|v| v.label != best.label && v.label != base.label && !v.spoilt && !differ(v, best))
        .map(|v| v.label.as_str())
        .collect();
    let like = match like.is_empty() {
        true => String::new(),
        false => format!(" Not to be told apart from the {end}: {}.", like.join(", ")),
    };
    Some(format!(
        "{what}: {end} with {} ({}); {baseline} has {against} ({}).{like}",
        best.label,
        shown(best),
        shown(base)
    ))
}

/// Of each control (a row that others are held against, not one of those that are compared) that is worse than some of them, beyond doubt:
/// `p99.9 at 100/s: the control held back (9.00 ms) is worse than classic (3.00 ms).`
pub fn worse_controls(
    what: &str,
    unit: &str,
    values: &[Value],
    is_control: &dyn Fn(&str) -> bool,
    wanted: Wanted,
) -> Vec<String> {
    let trusted = || values.iter().filter(|v| !v.spoilt && v.value.is_finite());
    let shown = |v: &Value| format!("{} ({}{unit})", v.label, three(v.value));
    let of = |c: &Value| {
        let is_better = |v: &&Value| match wanted {
            Wanted::Low => v.value < c.value,
            Wanted::High => v.value > c.value,
        };
        let better: Vec<String> = trusted()
            .filter(|v| !is_control(&v.label) && differ(v, c))
            .filter(is_better)
            .map(shown)
            .collect();
        (!better.is_empty())
            .then(|| format!("{what}: the control {} is worse than {}.", shown(c), better.join(", ")))
    };
    trusted().filter(|v| is_control(&v.label)).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(of: &[(&str, f64, &[f64])]) -> Vec<Value> {
        of.iter().map(|(label, value, runs)| Value::of(label, *value, runs, false)).collect()
    }

    #[test]
    fn ranges_that_overlap_are_no_difference() {
        let v = values(&[
            ("a", 10.0, &[9.0, 10.0, 11.0]),
            ("b", 12.0, &[10.5, 12.0, 13.0]),
            ("c", 20.0, &[19.0, 20.0, 21.0]),
        ]);
        assert!(!differ(&v[0], &v[1]) && differ(&v[0], &v[2]) && differ(&v[2], &v[1]));
        let said = sentence("p99", " ms", &v, "c", Wanted::Low).unwrap();
        assert_eq!(
            said,
            "p99: lowest with a (10.0 ms); c has 2.00 times as much (20.0 ms). Not to be told apart from the lowest: b."
        );
        let said = sentence("p99", " ms", &v, "b", Wanted::Low).unwrap();
        assert!(
            said.contains("no difference that one can rely on between b (12.0 ms) and the lowest, a"),
            "{said}"
        );
    }

    #[test]
    fn two_runs_are_too_few_for_ranges_and_what_is_small_is_no_difference() {
        let v =
            values(&[("a", 100.0, &[99.0, 101.0]), ("b", 110.0, &[108.0, 112.0]), ("c", 125.0, &[125.0; 3])]);
        assert!(!differ(&v[0], &v[1]) && differ(&v[0], &v[2]));
        let v = values(&[("a", 100.0, &[99.0, 100.0, 101.0]), ("b", 104.0, &[103.0, 104.0, 105.0])]);
        assert!(!differ(&v[0], &v[1]));
    }

    #[test]
    fn single_runs_must_differ_by_a_fifth() {
        let v = values(&[("a", 100.0, &[100.0]), ("b", 119.0, &[]), ("c", 121.0, &[121.0])]);
        assert!(!differ(&v[0], &v[1]) && differ(&v[0], &v[2]));
        assert!(!differ(&v[0].clone().tail(), &v[2]) && !differ(&v[0], &v[2].clone().slowest()));
        assert!(!differ(&values(&[("a", 0.0, &[])])[0], &values(&[("b", 0.0, &[])])[0]));
        let said = sentence("tps", "", &v, "a", Wanted::High).unwrap();
        assert!(said.contains("highest with c (121); a has 1.21 times less (100)"), "{said}");
        assert!(sentence("tps", "", &v, "c", Wanted::High).unwrap().contains("no row does better than c"));
    }

    #[test]
    fn a_control_that_is_worse_than_rows_is_named_with_them() {
        let mut v = values(&[("a", 3.0, &[]), ("b", 8.5, &[]), ("c", 2.0, &[]), ("held back", 9.0, &[])]);
        let said = |v: &[Value], wanted| worse_controls("p99", " ms", v, &|l| l == "held back", wanted);
        assert_eq!(
            said(&v, Wanted::Low),
            ["p99: the control held back (9.00 ms) is worse than a (3.00 ms), c (2.00 ms)."]
        );
        assert!(said(&v, Wanted::High).is_empty());
        v[2].spoilt = true;
        assert!(!said(&v, Wanted::Low)[0].contains("c ("));
        v[3].spoilt = true;
        assert!(said(&v, Wanted::Low).is_empty());
    }

    #[test]
    fn what_was_spoilt_is_never_the_best() {
        let mut v = values(&[("a", 1.0, &[]), ("b", 5.0, &[]), ("c", 9.0, &[])]);
        v[0].spoilt = true;
        assert_eq!(best(&v, Wanted::Low).unwrap().label, "b");
        assert!(sentence("x", "", &v, "a", Wanted::Low).unwrap().contains("was spoilt by the machine"));
        v.iter_mut().for_each(|v| v.spoilt = true);
        assert_eq!(best(&v, Wanted::Low), None);
    }
}
