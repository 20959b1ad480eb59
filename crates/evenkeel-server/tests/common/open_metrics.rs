//! A strict reader of OpenMetrics' text: what Prometheus would forgive fails here.

use std::collections::{BTreeMap, BTreeSet};

/// Labels in order, as they are written.
pub type Labels = Vec<(String, String)>;
/// A sample's name with its labels.
pub type Key = (String, Labels);

/// What was read.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Families by name, with their type.
    pub families: BTreeMap<String, String>,
    /// All samples.
    pub samples: BTreeMap<Key, f64>,
}

impl Metrics {
    /// Reads a whole exposition; an error names the line.
    pub fn parse(text: &str) -> Result<Metrics, String> {
        let body = text.strip_suffix("# EOF\n").ok_or("it does not end with # EOF")?;
        let mut metrics = Metrics::default();
        let (mut family, mut unit) = (String::new(), None::<String>);
        let mut described = BTreeSet::new();
        for line in body.lines() {
            let wrong = |why: &str| Err(format!("{why}: {line}"));
            if let Some(rest) = line.strip_prefix("# ") {
                let mut words = rest.splitn(3, ' ');
                let (what, name, value) =
                    (words.next().unwrap(), words.next().unwrap_or(""), words.next().unwrap_or(""));
                if !is_name(name) {
                    return wrong("no name of a metric");
                }
                if !described.insert((what.to_owned(), name.to_owned())) {
                    return wrong("told twice");
                }
                match what {
                    "HELP" if !value.is_empty() => {}
                    "TYPE" if ["counter", "gauge", "histogram"].contains(&value) => {
                        if metrics.families.insert(name.into(), value.into()).is_some() {
                            return wrong("a family comes twice");
                        }
                        (family, unit) = (name.to_owned(), None);
                    }
                    "UNIT" if name == family && name.ends_with(&format!("_{value}")) => {
                        unit = Some(value.into())
                    }
                    _ => return wrong("not understood"),
                }
                continue;
            }
            let (key, value) = sample(line).ok_or_else(|| format!("no sample: {line}"))?;
            let kind = metrics.families.get(&family).map_or("", String::as_str);
            let suffix = key.0.strip_prefix(&family).ok_or_else(|| format!("of no family: {line}"))?;
            let fits = match kind {
                "counter" => suffix == "_total" && value >= 0.0,
                "gauge" => suffix.is_empty(),
                "histogram" => ["_bucket", "_sum", "_count"].contains(&suffix),
                _ => false,
            };
            if !fits || value.is_nan() {
                return wrong("it does not fit its type");
            }
            if unit.is_none() && (family.ends_with("_seconds") || family.ends_with("_bytes")) {
                return wrong("a unit that is not told");
            }
            if metrics.samples.insert(key, value).is_some() {
                return wrong("a sample comes twice");
            }
        }
        metrics.check_histograms()?;
        Ok(metrics)
    }

    /// Buckets grow, the last is infinite, and has as many as the count says.
    fn check_histograms(&self) -> Result<(), String> {
        let histograms = self.families.iter().filter(|(_, kind)| *kind == "histogram");
        for (family, _) in histograms {
            let mut seen: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
            for ((name, labels), value) in &self.samples {
                if name.strip_suffix("_bucket") != Some(family) {
                    continue;
                }
                let (le, rest): (Vec<_>, Vec<_>) = labels.iter().cloned().partition(|(n, _)| n == "le");
                let [(_, le)] = &le[..] else { return Err(format!("{name}{labels:?}: not one le")) };
                let end = if le == "+Inf" { f64::INFINITY } else { le.parse().map_err(|_| le.clone())? };
                seen.entry(rest).or_default().push((end, *value));
            }
            if seen.is_empty() {
                return Err(format!("{family} has no buckets"));
            }
            for (labels, mut buckets) in seen {
                buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
                if buckets.windows(2).any(|w| w[0].1 > w[1].1) {
                    return Err(format!("{family}{labels:?}: buckets are no sums"));
                }
                let count = self.samples.get(&(format!("{family}_count"), labels.clone()));
                let sum = self.samples.get(&(format!("{family}_sum"), labels.clone()));
                let last = buckets.last().map(|(end, n)| (*end, *n));
                if last != count.map(|n| (f64::INFINITY, *n)) || sum.is_none() {
                    return Err(format!("{family}{labels:?}: count, sum and the last bucket differ"));
                }
            }
        }
        Ok(())
    }

    /// A sample's value: `name`, or `name{label="value"}`.
    pub fn value(&self, wanted: &str) -> f64 {
        let (key, _) = sample(&format!("{wanted} 0")).unwrap();
        *self.samples.get(&key).unwrap_or_else(|| panic!("no {wanted}"))
    }

    /// Names of samples, as expressions of Prometheus have them.
    pub fn names(&self) -> BTreeSet<&str> {
        self.samples.keys().map(|(name, _)| name.as_str()).collect()
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn sample(line: &str) -> Option<(Key, f64)> {
    let split = line.find(['{', ' '])?;
    let (name, mut rest) = line.split_at(split);
    let mut labels = Vec::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            let (label, after) = rest.split_once("=\"")?;
            let (mut value, mut chars) = (String::new(), after.char_indices());
            let end = loop {
                match chars.next()? {
                    (at, '"') => break at,
                    (_, '\\') => value.push(match chars.next()?.1 {
                        'n' => '\n',
                        c @ ('\\' | '"') => c,
                        _ => return None,
                    }),
                    (_, c) => value.push(c),
                }
            };
            if !is_name(label) {
                return None;
            }
            labels.push((label.to_owned(), value));
            rest = &after[end + 1..];
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        rest = rest.strip_prefix('}')?;
    }
    let value = match rest.strip_prefix(' ')? {
        "+Inf" => f64::INFINITY,
        number => number.parse().ok()?,
    };
    is_name(name).then(|| ((name.to_owned(), labels), value))
}
