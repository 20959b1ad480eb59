//! What to recommend, from the figures alone.
//!
//! Rules
//! 1. Something that is not simply the default wins only if it is better by more than the margin, which follows from how far
//!    apart two passes of the same measurement lie.
//! 2. The method is chosen on single writes, by their median.
//! 3. A way (method, depth, treatment of the half-filled block) is judged on ganged commit streams: by the median wait at 1, 8 and 64
//!    clients (latency), by commits a second at 8 and 64 and megabytes a second at 64 (throughput), or, among those that pad nothing, as
//!    for latency (space). Several figures are joined by their geometric mean, so that none outweighs the others by its size.
//! 4. Every advice says why, with the figures it rests on.
//!
//! It must not know how anything was measured.

use super::plan::{BLOCKS, CLIENTS, DEPTHS, LARGE_BYTES, SMALL_BYTES};
use super::report::{Advice, Phase, Table};
use super::sample::Figures;
use super::spec::{Growth, Method, Objective, Spec, Tail, Way};
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
    let costs: Vec<(Method, f64)> = methods(table).map(|(m, f)| (m, f.write_us_p50)).collect();
    cheapest(table, &costs)
}

/// The method of writer threads: the best but io_uring.
pub fn threads_method(table: &Table) -> Option<Method> {
    let costs: Vec<(Method, f64)> =
        methods(table).filter(|(m, _)| *m != Method::IoUring).map(|(m, f)| (m, f.write_us_p50)).collect();
    cheapest(table, &costs)
}

/// The smallest block that is written as quickly as any.
pub fn block(table: &Table, method: Method) -> u32 {
    let costs: Vec<(u32, f64)> = BLOCKS
        .into_iter()
        .filter_map(|b| Some((b, raw(table, &Spec::raw(method, b, 1))?.write_us_p50)))
        .collect();
    cheapest(table, &costs).unwrap_or(BLOCKS[0])
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
        .filter_map(|m| Some((m, 1.0 / depth_rate(table, m)?)))
        .collect();
    cheapest(table, &candidates).unwrap_or(method)
}

/// The ways worth comparing, the simplest first.
pub fn ways(method: Method, deep: Method) -> Vec<Way> {
    let one = |tail| Way { method, depth: 1, tail };
    let more = |depth, tail| Way { method: deep, depth, tail };
    vec![
        one(Tail::Rewrite),
        one(Tail::Pad),
        one(Tail::Alternate),
        more(4, Tail::Pad),
        more(4, Tail::Alternate),
        more(16, Tail::Pad),
    ]
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

/// The ways that are measured further: rewriting one at a time, the best other with one write in flight, the best with more.
pub fn finalists(table: &Table, ways: &[Way], block: u32, objective: Objective) -> Vec<Way> {
    let best = |deep: bool| {
        let others: Vec<Way> = ways
            .iter()
            .copied()
            .filter(|w| (w.depth > 1) == deep && !(w.depth == 1 && w.tail == Tail::Rewrite))
            .collect();
        cheapest(table, &costs(table, &others, block, objective))
    };
    [ways.first().copied(), best(false), best(true)].into_iter().flatten().collect()
}

/// Everything the conclusions rest on.
pub struct Choice<'a> {
    /// All figures.
    pub table: &'a Table,
    /// For one write at a time.
    pub method: Method,
    /// Block size.
    pub block: u32,
    /// The ways compared.
    pub ways: &'a [Way],
    /// Those measured on all streams.
    pub finalists: &'a [Way],
}

impl Choice<'_> {
    /// The way to recommend (rules 1, 3).
    pub fn way(&self, objective: Objective) -> Way {
        let costs = costs(self.table, self.finalists, self.block, objective);
        cheapest(self.table, &costs).unwrap_or(self.ways[0])
    }

    /// The settings of a way, each with its reason (rule 4).
    pub fn settings(&self, way: Way, objective: Objective) -> Vec<Advice> {
        let advice =
            |setting: &str, value: String, reason: String| Advice { setting: setting.into(), value, reason };
        let (zeros, zeros_reason) = self.zero_filling();
        vec![
            advice("wal_sync_method", way.method.name().into(), self.method_reason(way)),
            advice("wal_flush_depth", way.depth.to_string(), self.depth_reason(way, objective)),
            advice("wal_tail_block", way.tail.name().into(), self.tail_reason(way, objective)),
            advice("wal_block_size", block_size(self.block), self.block_reason()),
            advice("wal_init_zero", zeros, zeros_reason),
        ]
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
        let streams = small(self.table, way, self.block);
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
            let large = large(self.table, way, self.block, CLIENTS[2]);
            parts.extend(large.map(|f| format!("{} MB/s of large records", three(f.log_mb_per_s))));
        }
        parts.join(", ")
    }

    fn depth_reason(&self, way: Way, objective: Objective) -> String {
        let costs = costs(self.table, self.finalists, self.block, objective);
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
            (false, true) => "one write at a time does best: more in flight only make the gangs smaller",
            (false, false) => "more in flight gains too little to show",
        };
        format!("{verdict}: {}; with {other}: {}", self.told(way, objective), self.told(other, objective))
    }

    fn tail_reason(&self, way: Way, objective: Objective) -> String {
        let one = |way: Way| small(self.table, way, self.block).first().copied();
        let Some(own) = one(way) else { return String::new() };
        let wasted = |f: &Figures| format!("{} bytes a commit", three(f.padding_bytes_per_commit));
        let rewrite = self.ways[0];
        let pad = Way { tail: Tail::Pad, ..way };
        match way.tail {
            Tail::Rewrite => {
                let pad_wastes = one(pad).map_or_else(String::new, |f| {
                    format!("padding would waste {} of a lone client's log", wasted(f))
                });
                let gain = match costs(self.table, &[way, pad], self.block, objective)[..] {
                    [(_, rewriting), (_, padding)] if padding < rewriting => {
                        format!(", and gain {:.0} %", (1.0 - padding / rewriting) * 100.0)
                    }
                    [_, _] => ", and gain nothing".into(),
                    _ => String::new(),
                };
                format!("{pad_wastes}{gain}")
            }
            Tail::Pad if way.depth > 1 => {
                format!("writes in flight must not share a block; it wastes {} with one client", wasted(own))
            }
            Tail::Pad => format!(
                "{} against {} for rewriting; it wastes {} with one client",
                self.told(way, objective),
                self.told(rewrite, objective),
                wasted(own)
            ),
            Tail::Alternate => format!(
                "the newest version goes where the disk can write at once, and nothing is padded: {} against {} for rewriting",
                self.told(way, objective),
                self.told(rewrite, objective)
            ),
        }
    }

    fn block_reason(&self) -> String {
        let figures: Vec<String> = BLOCKS
            .iter()
            .filter_map(|&b| {
                let f = raw(self.table, &Spec::raw(self.method, b, 1))?;
                Some(format!("{} {}", block_size(b), time(f.write_us_p50)))
            })
            .collect();
        let verdict = if self.block == BLOCKS[0] {
            "the smallest is written as quickly as any"
        } else {
            "smaller ones are slower"
        };
        format!("{verdict}: {}", figures.join(", "))
    }

    fn zero_filling(&self) -> (String, String) {
        let of = |growth| {
            let spec = Spec { growth, ..Spec::raw(self.method, BLOCKS[0], 1) };
            self.table.get(Phase::Growth, &spec).map(|f| f.write_us_p50)
        };
        let (zeros, space, growing) = (of(Growth::ZeroFilled), of(Growth::Fallocated), of(Growth::Growing));
        let told: Vec<String> = [("zero-filled", zeros), ("fallocated", space), ("growing", growing)]
            .into_iter()
            .filter_map(|(name, us)| Some(format!("{} into a {name} file", time(us?))))
            .collect();
        let on = match (zeros, growing) {
            (Some(z), Some(g)) => z <= g * (1.0 - self.table.margin()),
            _ => true,
        };
        let verdict = if on { "a write" } else { "files written before gain nothing here: a write" };
        (if on { "on" } else { "off" }.into(), format!("{verdict} takes {}", told.join(", ")))
    }

    /// What else the figures show: the alternate end block, threads against io_uring.
    pub fn findings(&self) -> Vec<String> {
        let mut findings = vec![format!("{}.", self.deep_reason())];
        for depth in [1, 4] {
            findings.extend(self.alternate(depth));
        }
        findings
    }

    /// The alternate end block (S17) against the better of the other two.
    fn alternate(&self, depth: u32) -> Option<String> {
        let of = |tail: Tail| {
            let way = self.ways.iter().find(|w| w.depth == depth && w.tail == tail)?;
            // Only what was measured for all: the streams of the tail phase.
            let streams = small(self.table, *way, self.block);
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
