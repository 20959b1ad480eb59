//! What to recommend, from the figures alone.
//!
//! Rules
//! 1. Something that is not simply the default wins only if it is better by more than the margin, which follows from how far
//!    apart two passes of the same measurement lie.
//! 2. The method is chosen on single writes, by their median.
//! 3. A way (method, depth, treatment of the half-filled block, when to start) that the engine offers is judged on ganged commit streams: by the median wait at 1, 8 and 64
//!    clients (latency), by commits a second at 8 and 64 and megabytes a second at 64 (throughput), or, among those that pad nothing, as
//!    for latency (space). Several figures are joined by their geometric mean, so that none outweighs the others by its size.
//! 4. Every advice says why, with the figures it rests on.
//!
//! It must not know how anything was measured.

use super::plan::{
    BLOCKS, CLIENTS, DEPTHS, HOLD_STEPS, HOLD_STEPS_MAX, HOLD_WRITE_US_MIN, LARGE_BYTES, PROBE_BYTES,
    SMALL_BYTES,
};
use super::report::{Advice, Phase, Table};
use super::sample::Figures;
use super::spec::{Growth, Method, Objective, Spec, Start, Tail, Way};
use super::words::{block_size, change, three, time};

fn methods(table: &Table) -> impl Iterator<Item = (Method, &Figures)> {
    Method::DURABLE
        .into_iter()
        .filter_map(|m| table.get(Phase::Methods, &Spec::raw(m, BLOCKS[0], 1)).map(|f| (m, f)))
}

/// The first of those within the margin of the least cost.
fn cheapest<T: Copy>(table: &Table, costs: &[(T, f64)]) -> Option<T> {
    let least = costs.iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
    costs.iter().find(|c| c.1 <= least * (1.0 + table.margin())).map(|c| c.0)
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// The method of the quickest single write (rule 2).
pub fn method(table: &Table) -> Option<Method> {
    let offered = methods(table).filter(|(m, _)| m.is_offered());
    let costs: Vec<(Method, f64)> = offered.map(|(m, f)| (m, f.write_us_p50)).collect();
    cheapest(table, &costs)
}

/// The method of writer threads: the best but io_uring.
pub fn threads_method(table: &Table) -> Option<Method> {
    let costs: Vec<(Method, f64)> =
        methods(table).filter(|(m, _)| *m != Method::IoUring).map(|(m, f)| (m, f.write_us_p50)).collect();
    cheapest(table, &costs)
}

/// Figures of back-to-back writes, in whichever phase they were measured.
fn raw<'a>(table: &'a Table, spec: &Spec) -> Option<&'a Figures> {
    table.get(Phase::Methods, spec).or_else(|| table.get(Phase::Depths, spec))
}

/// Writes a second over all depths beyond one.
fn depth_rate(table: &Table, method: Method) -> Option<f64> {
    let rates: Option<Vec<f64>> = DEPTHS
        .iter()
        .map(|&d| table.get(Phase::Depths, &Spec::raw(method, BLOCKS[0], d)).map(|f| f.writes_per_s))
        .collect();
    rates.map(|r| geometric_mean(&r))
}

/// Threads or io_uring, for more than one write in flight.
pub fn deep_method(table: &Table, method: Method) -> Method {
    let candidates: Vec<(Method, f64)> = [threads_method(table), Some(Method::IoUring)]
        .into_iter()
        .flatten()
        .filter(|m| m.is_offered())
        .filter_map(|m| Some((m, 1.0 / depth_rate(table, m)?)))
        .collect();
    cheapest(table, &candidates).unwrap_or(method)
}

/// `commit_siblings` that a delay is measured with: its default.
const SIBLINGS: u32 = 5;

/// A lone client whose writes start that much later than they could, rewriting one block: does it end later?
fn late(method: Method, us: u32) -> Spec {
    let start = if us == 0 { Start::AtOnce } else { Start::Delayed { us, siblings: 0 } };
    Spec { tail: Tail::Rewrite, record_bytes: PROBE_BYTES, start, ..Spec::raw(method, BLOCKS[0], 1) }
}

/// The delays that are tried, shortest first.
fn delays(write_us: f64) -> impl Iterator<Item = u32> {
    (1..=HOLD_STEPS_MAX).map(move |step| (write_us * f64::from(step) / f64::from(HOLD_STEPS)) as u32)
}

/// What finds out how late a write may start.
pub fn hold_specs(method: Method, write_us: f64) -> Vec<Spec> {
    std::iter::once(0).chain(delays(write_us)).map(|us| late(method, us)).collect()
}

/// The longest delay after which, and after all shorter ones, writes end no later than those that start at once: most of them, and on the
/// whole, as a delay that misses the moment now and then costs more than it gains.
pub fn free_hold_us(table: &Table, method: Method, write_us: f64) -> u32 {
    let of = |us| table.get(Phase::Hold, &late(method, us));
    let Some(at_once) = of(0) else { return 0 };
    let is_free = |us: &u32| {
        of(*us).is_some_and(|f| {
            f.commit_us_p50 <= at_once.commit_us_p50 * HOLD_SAME
                && f.commits_per_s * HOLD_MISSES >= at_once.commits_per_s
        })
    };
    delays(write_us).take_while(is_free).last().unwrap_or(0)
}

/// How much later an end may be that still counts as the same, as in the engine.
const HOLD_SAME: f64 = 1.04;
/// And how many more writes there may be in the same time without the delay.
const HOLD_MISSES: f64 = 1.1;

/// The ways worth comparing, the simplest first; the engine's before those that are measured for what they tell.
pub fn ways(method: Method, deep: Method, free_hold_us: u32, write_us: f64) -> Vec<Way> {
    let start = if free_hold_us > 0 { Start::Held { us: free_hold_us } } else { Start::AtOnce };
    // Long enough for those just released to come again, short against the write.
    let delay_us = ((write_us / f64::from(HOLD_STEPS)) as u32).max(1);
    let one = |tail, start| Way { method, depth: 1, tail, start };
    let more = |depth, tail| Way { method: deep, depth, tail, start: Start::AtOnce };
    let mut ways = vec![
        one(Tail::Rewrite, start),
        more(4, Tail::Pad),
        more(16, Tail::Pad),
        one(Tail::Pad, start),
        one(Tail::Alternate, start),
        more(4, Tail::Alternate),
    ];
    if write_us >= HOLD_WRITE_US_MIN {
        ways.insert(1, one(Tail::Rewrite, Start::Delayed { us: delay_us, siblings: SIBLINGS }));
    }
    if free_hold_us > 0 {
        ways.push(one(Tail::Rewrite, Start::AtOnce));
    }
    ways
}

/// The engine can write so.
fn is_offered(way: &Way, ways: &[Way]) -> bool {
    match (way.depth, way.tail) {
        (1, Tail::Rewrite) => *way == ways[0] || matches!(way.start, Start::Delayed { .. }),
        (depth, Tail::Pad) => depth > 1,
        _ => false,
    }
}

/// The streams of a way: figures at 1, 8 and 64 clients with small records, where they were measured.
fn small(table: &Table, way: Way, block: u32) -> Vec<&Figures> {
    CLIENTS
        .iter()
        .filter_map(|&clients| {
            let spec = Spec::stream(way, block, clients, SMALL_BYTES);
            table.get(Phase::Tail, &spec).or_else(|| table.get(Phase::Streams, &spec))
        })
        .collect()
}

fn large(table: &Table, way: Way, block: u32, clients: u32) -> Option<&Figures> {
    table.get(Phase::Streams, &Spec::stream(way, block, clients, LARGE_BYTES))
}

/// What each way costs (rule 3), on the streams that were measured for all of them. Left out: what does not qualify.
fn costs(table: &Table, ways: &[Way], block: u32, objective: Objective) -> Vec<(Way, f64)> {
    let qualified = ways.iter().filter(|w| objective != Objective::Space || w.tail != Tail::Pad);
    let measured: Vec<(Way, Vec<&Figures>)> =
        qualified.map(|&w| (w, small(table, w, block))).filter(|(_, streams)| streams.len() >= 2).collect();
    let common = measured.iter().map(|(_, streams)| streams.len()).min().unwrap_or(0);
    let large: Vec<Option<&Figures>> =
        measured.iter().map(|(w, _)| large(table, *w, block, CLIENTS[2])).collect();
    let all_large = large.iter().all(Option::is_some);
    let cost = |streams: &[&Figures], large: Option<&Figures>| match objective {
        Objective::Latency | Objective::Space => {
            geometric_mean(&streams[..common].iter().map(|f| f.commit_us_p50).collect::<Vec<_>>())
        }
        Objective::Throughput => {
            let mut costs: Vec<f64> = streams[1..common].iter().map(|f| 1.0 / f.commits_per_s).collect();
            costs.extend(large.filter(|_| all_large).map(|f| 1.0 / f.log_mb_per_s));
            geometric_mean(&costs)
        }
    };
    measured.iter().zip(large).map(|((w, streams), large)| (*w, cost(streams, large))).collect()
}

/// The ways that are measured further: those that the engine offers.
pub fn finalists(ways: &[Way]) -> Vec<Way> {
    ways.iter().copied().filter(|w| is_offered(w, ways)).collect()
}

/// Everything the conclusions rest on.
pub struct Choice<'a> {
    /// All figures.
    pub table: &'a Table,
    /// For one write at a time.
    pub method: Method,
    /// Its median single write.
    pub write_us: f64,
    /// How late a write may start and end no later.
    pub free_hold_us: u32,
    /// The ways compared.
    pub ways: &'a [Way],
    /// Those measured on all streams.
    pub finalists: &'a [Way],
}

impl Choice<'_> {
    /// The way to recommend (rules 1, 3).
    pub fn way(&self, objective: Objective) -> Way {
        let costs = costs(self.table, self.finalists, BLOCKS[0], objective);
        cheapest(self.table, &costs).unwrap_or(self.ways[0])
    }

    /// The settings of a way, each with its reason (rule 4). Only what the engine has is a setting.
    pub fn settings(&self, way: Way, objective: Objective) -> Vec<Advice> {
        let advice =
            |setting: &str, value: String, reason: String| Advice { setting: setting.into(), value, reason };
        let mut settings = vec![
            advice("wal_sync_method", way.method.name().into(), self.method_reason(way)),
            advice("wal_flush_depth", way.depth.to_string(), self.depth_reason(way, objective)),
        ];
        let (delay_us, siblings) = match way.start {
            Start::Delayed { us, siblings } => (us, siblings),
            _ => (0, SIBLINGS),
        };
        settings.push(advice("commit_delay", delay_us.to_string(), self.delay_reason(way, objective)));
        if delay_us > 0 {
            let reason = format!("the delay was measured so: it leaves up to {siblings} clients alone");
            settings.push(advice("commit_siblings", siblings.to_string(), reason));
        }
        settings
    }

    /// Whether gangs should be delayed, and what the flusher does by itself.
    fn delay_reason(&self, way: Way, objective: Objective) -> String {
        let of = |wanted: &dyn Fn(Start) -> bool| {
            let way =
                self.ways.iter().find(|w| w.depth == 1 && w.tail == Tail::Rewrite && wanted(w.start))?;
            Some((*way, self.told(*way, objective)))
        };
        let at_once = of(&|s| s == Start::AtOnce);
        let delayed = of(&|s| matches!(s, Start::Delayed { .. }));
        let held = of(&|s| matches!(s, Start::Held { .. }));
        let mut parts = Vec::new();
        match (self.free_hold_us, held) {
            (0, _) if self.write_us < HOLD_WRITE_US_MIN => parts.push(format!(
                "a write of {} is too short for it: no sleep ends that exactly, and those who come meanwhile go with the next",
                time(self.write_us)
            )),
            (0, _) => parts.push(
                "a write that starts later ends later, so the flusher learns to start at once".to_string(),
            ),
            (us, held) => {
                parts.push(format!(
                    "a write that starts up to {} after the last one ended ends no later ({} each): the flusher learns this by itself with \
                     wal_flush_depth = 1, and holds gangs back so long unless all have come",
                    time(f64::from(us)),
                    time(self.write_us)
                ));
                let told = [held, at_once.clone()].into_iter().flatten();
                let told: Vec<String> = told.map(|(w, t)| format!("{}: {t}", w.start)).collect();
                parts.push(told.join("; "));
            }
        }
        if let Some((w, told)) = delayed {
            let verdict =
                if way.start == w.start { "a delay does better" } else { "commit_delay gains nothing more" };
            parts.push(format!("{verdict} ({}: {told})", w.start));
        }
        if let (0, Some((w, told))) = (self.free_hold_us, at_once) {
            parts.push(format!("{}: {told}", w.start));
        }
        parts.join("; ")
    }

    fn method_reason(&self, way: Way) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut all: Vec<(Method, &Figures)> = methods(self.table).collect();
        all.sort_by_key(|(m, _)| *m != self.method);
        for (n, (m, f)) in all.iter().enumerate() {
            let median = time(f.write_us_p50);
            parts.push(match n {
                0 => format!(
                    "a durable write takes {median} ({} at p99) with {}",
                    time(f.write_us_p99),
                    m.name()
                ),
                _ => format!("{median} with {}", m.name()),
            });
        }
        let mut reason = parts.join(", ");
        if way.method != self.method {
            reason += &format!("; {} in depth, where {} is best", self.deep_reason(), way.method.name());
        }
        reason
    }

    /// Threads against io_uring.
    fn deep_reason(&self) -> String {
        let threads = threads_method(self.table);
        let rate = |m: Option<Method>| m.and_then(|m| depth_rate(self.table, m));
        match (threads, rate(threads), rate(Some(Method::IoUring))) {
            (Some(m), Some(a), Some(b)) => format!(
                "over depths 2 to 16 writer threads ({}) make {} writes/s and io_uring {}",
                m.name(),
                three(a),
                three(b)
            ),
            (_, Some(a), None) => {
                format!(
                    "over depths 2 to 16 writer threads make {} writes/s; io_uring is not available",
                    three(a)
                )
            }
            (_, _, Some(b)) => format!("over depths 2 to 16 io_uring makes {} writes/s", three(b)),
            (_, None, None) => "several writes at a time are not available".into(),
        }
    }

    /// The figures that decide between ways: `1 client 90 µs, 8 clients 120 µs`.
    fn told(&self, way: Way, objective: Objective) -> String {
        let streams = small(self.table, way, BLOCKS[0]);
        let mut parts: Vec<String> = streams
            .iter()
            .zip(CLIENTS)
            .filter(|(_, clients)| objective != Objective::Throughput || *clients > 1)
            .map(|(f, clients)| {
                let s = if clients == 1 { "" } else { "s" };
                match objective {
                    Objective::Throughput => {
                        format!("{} commits/s at {clients} client{s}", three(f.commits_per_s))
                    }
                    _ => format!("{} at {clients} client{s}", time(f.commit_us_p50)),
                }
            })
            .collect();
        if objective == Objective::Throughput {
            let large = large(self.table, way, BLOCKS[0], CLIENTS[2]);
            parts.extend(large.map(|f| format!("{} MB/s of large records", three(f.log_mb_per_s))));
        }
        parts.join(", ")
    }

    fn depth_reason(&self, way: Way, objective: Objective) -> String {
        let costs = costs(self.table, self.finalists, BLOCKS[0], objective);
        let other =
            costs.iter().filter(|(w, _)| (w.depth > 1) != (way.depth > 1)).min_by(|a, b| a.1.total_cmp(&b.1));
        let Some(&(other, other_cost)) = other else {
            let why = if objective == Objective::Space {
                "overlapping writes would need padding"
            } else {
                "nothing else was measured"
            };
            return format!("{why}; {}", self.told(way, objective));
        };
        let own = costs.iter().find(|(w, _)| *w == way).map_or(other_cost, |c| c.1);
        let verdict = match (way.depth > 1, own < other_cost) {
            (true, _) => "writes overlap on this disk",
            (false, true) if self.free_hold_us > 0 => {
                "one write at a time does best: only so can the flusher hold the gang until just before the disk comes round"
            }
            (false, true) => "one write at a time does best: more in flight only make the gangs smaller",
            (false, false) => "more in flight gains too little to show",
        };
        format!("{verdict}: {}; with {other}: {}", self.told(way, objective), self.told(other, objective))
    }

    fn blocks(&self) -> String {
        let figures: Vec<String> = BLOCKS
            .iter()
            .filter_map(|&b| {
                let f = raw(self.table, &Spec::raw(self.method, b, 1))?;
                Some(format!("{} {}", block_size(b), time(f.write_us_p50)))
            })
            .collect();
        let costs: Vec<(u32, f64)> = BLOCKS
            .into_iter()
            .filter_map(|b| Some((b, raw(self.table, &Spec::raw(self.method, b, 1))?.write_us_p50)))
            .collect();
        let verdict = match cheapest(self.table, &costs) {
            Some(best) if best > BLOCKS[0] => {
                format!("the engine's log blocks of 4kB are slower here than {}", block_size(best))
            }
            _ => "the engine's log blocks of 4kB are written as quickly as any".into(),
        };
        format!("{verdict}: {}.", figures.join(", "))
    }

    /// What padding a lone client's or a small gang's block costs and gains with one write in flight.
    fn padding(&self) -> Option<String> {
        let pad = *self.ways.iter().find(|w| w.depth == 1 && w.tail == Tail::Pad)?;
        let wasted = small(self.table, pad, BLOCKS[0]).get(1)?.padding_bytes_per_commit;
        Some(format!(
            "padding each gang's last block with one write in flight would waste {} bytes a commit at 8 clients: {}, against {} rewriting it.",
            three(wasted),
            self.told(pad, Objective::Latency),
            self.told(self.ways[0], Objective::Latency)
        ))
    }

    fn files(&self) -> Option<String> {
        let of = |growth| {
            let spec = Spec { growth, ..Spec::raw(self.method, BLOCKS[0], 1) };
            self.table.get(Phase::Growth, &spec).map(|f| f.write_us_p50)
        };
        let kinds = [Growth::ZeroFilled, Growth::Fallocated, Growth::Growing];
        let told: Vec<String> = kinds
            .into_iter()
            .filter_map(|g| Some(format!("{} into a {} file", time(of(g)?), g.name())))
            .collect();
        (!told.is_empty()).then(|| {
            format!(
                "the engine fills log files with zeros before it uses them: a write takes {}.",
                told.join(", ")
            )
        })
    }

    /// What else the figures show: threads against io_uring, blocks, files, padding, the alternate end block.
    pub fn findings(&self) -> Vec<String> {
        let mut findings = vec![format!("{}.", self.deep_reason()), self.blocks()];
        findings.extend(self.files());
        findings.extend(self.padding());
        for depth in [1, 4] {
            findings.extend(self.alternate(depth));
        }
        findings
    }

    /// The alternate end block (S17) against the better of the other two.
    fn alternate(&self, depth: u32) -> Option<String> {
        let of = |tail: Tail| {
            let of_depth =
                |w: &&Way| w.depth == depth && w.tail == tail && !matches!(w.start, Start::Delayed { .. });
            let way = self.ways.iter().find(of_depth)?;
            // Only what was measured for all: the streams of the tail phase.
            let streams = small(self.table, *way, BLOCKS[0]);
            (streams.len() >= 2).then(|| [streams[0].commit_us_p50, streams[1].commit_us_p50])
        };
        let alternate = of(Tail::Alternate)?;
        let others = [Tail::Rewrite, Tail::Pad].into_iter().filter_map(|t| Some((t, of(t)?)));
        let (tail, other) = others.min_by(|a, b| geometric_mean(&a.1).total_cmp(&geometric_mean(&b.1)))?;
        let (a, b) = (geometric_mean(&alternate), geometric_mean(&other));
        let verdict = match a / b {
            r if r < 1.0 - self.table.margin() => "wins",
            r if r > 1.0 + self.table.margin() => "loses",
            _ => "gains nothing",
        };
        Some(format!(
            "the alternate end block (S17) {verdict} at depth {depth}: a commit waits {} at 1 client and {} at 8, with {} {} and {} ({}).",
            time(alternate[0]),
            time(alternate[1]),
            match tail {
                Tail::Pad => "padding",
                _ => "rewriting",
            },
            time(other[0]),
            time(other[1]),
            change(b, a)
        ))
    }
}
