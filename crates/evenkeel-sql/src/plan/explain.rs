//! Plans as text and as JSON, in PostgreSQL's style.
//!
//! Must not know: the executor.

mod expr;
mod names;
mod window;

pub use expr::sql_text;

use super::expr::Expr;
use super::{
    Access, Aggregate, Bounds, CteReading, JoinKind, KeyList, KeyPart, Node, Op, Plan, PlanKind, Query, Scan,
    SetFunction, SetOp, SortKey,
};
use crate::catalog::collation::collation_text;
use evenkeel::{PAGE_BYTES, Usage};
use evenkeel_types::FormatOptions;
use evenkeel_types::quote_ident;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What a node did while its plan ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Rows that it gave, in all loops.
    pub rows: u64,
    /// How often it began.
    pub loops: u64,
    /// Time in it and what is below, in all loops.
    pub nanos: u64,
    /// The part of that until the first row of each loop.
    pub first_nanos: u64,
    /// What was used for it and what is below, in all loops.
    pub used: Used,
    /// It has begun and has not ended.
    pub is_running: bool,
    /// It has given a row in this loop.
    pub has_given: bool,
}

/// Pages, log and temporary files that were used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Of the engine, by the thread that ran the statement.
    pub engine: Usage,
    /// Read from temporary files.
    pub temp_read_bytes: u64,
    /// Written to them.
    pub temp_written_bytes: u64,
}

impl std::ops::Sub for Used {
    type Output = Used;

    fn sub(self, earlier: Used) -> Used {
        Used {
            engine: self.engine - earlier.engine,
            temp_read_bytes: self.temp_read_bytes.wrapping_sub(earlier.temp_read_bytes),
            temp_written_bytes: self.temp_written_bytes.wrapping_sub(earlier.temp_written_bytes),
        }
    }
}

impl std::ops::AddAssign for Used {
    fn add_assign(&mut self, more: Used) {
        self.engine += more.engine;
        self.temp_read_bytes += more.temp_read_bytes;
        self.temp_written_bytes += more.temp_written_bytes;
    }
}

impl Used {
    /// Pages of the pool and of temporary files, as PostgreSQL's text has them; empty if there were none.
    pub fn buffers(&self) -> String {
        let u = &self.engine;
        let group = |name: &str, counts: &[(&str, u64)]| {
            let counts: Vec<String> =
                counts.iter().filter(|c| c.1 > 0).map(|(what, n)| format!("{what}={n}")).collect();
            (!counts.is_empty()).then(|| format!("{name} {}", counts.join(" ")))
        };
        let shared = [("hit", u.hits), ("read", u.reads), ("dirtied", u.dirtied), ("written", u.written)];
        let (read, written) = self.temp_blocks();
        let temp = [("read", read), ("written", written)];
        let groups = [group("shared", &shared), group("temp", &temp)];
        groups.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn temp_blocks(&self) -> (u64, u64) {
        let blocks = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64);
        (blocks(self.temp_read_bytes), blocks(self.temp_written_bytes))
    }

    /// Log, as PostgreSQL's text has it; empty if there was none.
    fn wal(&self) -> String {
        let u = &self.engine;
        let counts = [("records", u.records), ("fpi", u.images), ("bytes", u.log_bytes)];
        let counts = counts.iter().filter(|c| c.1 > 0).map(|(what, n)| format!("{what}={n}"));
        counts.collect::<Vec<_>>().join(" ")
    }

    /// The same by the keys of PostgreSQL's JSON.
    pub fn put(&self, buffers: bool, wal: bool, node: &mut Map<String, Value>) {
        let u = &self.engine;
        let (temp_read, temp_written) = self.temp_blocks();
        if buffers {
            let counts = [
                ("Shared Hit Blocks", u.hits),
                ("Shared Read Blocks", u.reads),
                ("Shared Dirtied Blocks", u.dirtied),
                ("Shared Written Blocks", u.written),
                ("Local Hit Blocks", 0),
                ("Local Read Blocks", 0),
                ("Local Dirtied Blocks", 0),
                ("Local Written Blocks", 0),
                ("Temp Read Blocks", temp_read),
                ("Temp Written Blocks", temp_written),
            ];
            node.extend(counts.map(|(key, n)| (key.to_owned(), json!(n))));
        }
        if wal {
            let counts = [("WAL Records", u.records), ("WAL FPI", u.images), ("WAL Bytes", u.log_bytes)];
            node.extend(counts.map(|(key, n)| (key.to_owned(), json!(n))));
        }
    }
}

/// What nodes did, by their addresses.
pub type Measurements = HashMap<usize, Measured>;

/// The key of the change that the rows of a plan are for.
pub const CHANGE: usize = 0;

/// The key of a node among measurements.
pub fn key_of(node: &Node) -> usize {
    std::ptr::from_ref(node) as usize
}

/// What of a plan is shown.
pub struct Shown<'a> {
    /// Estimates.
    pub costs: bool,
    /// What its nodes did, if it ran.
    pub measured: Option<&'a Measurements>,
    /// Their times too.
    pub timing: bool,
    /// The pages that they used.
    pub buffers: bool,
    /// The log that they wrote.
    pub wal: bool,
}

/// A line of a plan.
enum Line {
    Node { depth: usize, arrow: &'static str, text: String, cost: f64, rows: f64, actual: Option<Measured> },
    Detail { depth: usize, label: &'static str, text: String },
    Title(String),
}

struct Printer<'a> {
    out: Vec<Line>,
    measured: Option<&'a Measurements>,
    format: &'a FormatOptions,
    plan: &'a Plan,
    names: HashMap<usize, String>,
    /// Conditions of filters above, which PostgreSQL shows with the node below them.
    filters: Vec<String>,
    /// The topmost of the nodes that are shown as one with the next.
    above: Option<usize>,
    /// Constants are written with their types.
    is_typed: bool,
}

/// The lines of EXPLAIN.
pub fn lines(plan: &Plan, shown: &Shown<'_>, format: &FormatOptions) -> Vec<String> {
    let line = |l: Line| match l {
        Line::Title(text) => format!("  {text}"),
        Line::Detail { depth, label, text } => {
            let indent = if depth == 0 { 2 } else { depth * 6 + 2 };
            format!("{}{label}{text}", " ".repeat(indent))
        }
        Line::Node { depth, arrow, text, cost, rows, actual } => {
            let indent = if depth == 0 { 0 } else { depth * 6 - 4 };
            let mut line = format!("{}{arrow}{text}", " ".repeat(indent));
            let mut parts = Vec::new();
            if shown.costs {
                parts.push(format!("(cost=0.00..{cost:.2} rows={rows:.0} width=0)"));
            }
            if let Some(m) = actual {
                parts.push(if m.loops == 0 { "(never executed)".to_owned() } else { m.text(shown.timing) });
            }
            if !parts.is_empty() {
                line.push_str(if shown.costs { "  " } else { " " });
                line.push_str(&parts.join(" "));
            }
            line
        }
    };
    with_usage(collected(plan, shown, format), shown).into_iter().map(line).collect()
}

/// Puts what each node used behind its details.
fn with_usage(lines: Vec<Line>, shown: &Shown<'_>) -> Vec<Line> {
    let (mut out, mut open) = (Vec::new(), None);
    let close = |open: &mut Option<(usize, Measured)>, out: &mut Vec<Line>| {
        let Some((depth, m)) = open.take() else { return };
        let of = [("Buffers: ", shown.buffers, m.used.buffers()), ("WAL: ", shown.wal, m.used.wal())];
        for (label, is_shown, text) in of {
            if is_shown && !text.is_empty() {
                out.push(Line::Detail { depth, label, text });
            }
        }
    };
    for line in lines {
        if !matches!(line, Line::Detail { .. }) {
            close(&mut open, &mut out);
        }
        if let Line::Node { depth, actual: Some(m), .. } = &line {
            open = Some((*depth, *m));
        }
        out.push(line);
    }
    close(&mut open, &mut out);
    out
}

impl Measured {
    fn per_loop(self, n: u64) -> f64 {
        n as f64 / self.loops.max(1) as f64
    }

    fn times_ms(self) -> (f64, f64) {
        (self.per_loop(self.first_nanos) / 1e6, self.per_loop(self.nanos) / 1e6)
    }

    fn text(self, timing: bool) -> String {
        let (first, all) = self.times_ms();
        let time = if timing { format!("time={first:.3}..{all:.3} ") } else { String::new() };
        format!("(actual {time}rows={:.2} loops={})", self.per_loop(self.rows), self.loops)
    }
}

/// The plan as PostgreSQL's JSON has it: the value of the key `Plan`.
pub fn json(plan: &Plan, shown: &Shown<'_>, format: &FormatOptions) -> Value {
    let mut open: Vec<(usize, Map<String, Value>)> = Vec::new();
    let mut title = None;
    for line in collected(plan, shown, format) {
        match line {
            Line::Title(text) => title = Some(text),
            Line::Detail { label, text, .. } => {
                let Some((_, node)) = open.last_mut() else { continue };
                if label == SAMPLING {
                    sampling(&text, node);
                    continue;
                }
                let value = match label {
                    "Sort Key: " | "Group Key: " => json!(text.split(", ").collect::<Vec<_>>()),
                    _ => json!(text),
                };
                node.insert(label.trim_end_matches(": ").to_owned(), value);
            }
            Line::Node { depth, text, cost, rows, actual, .. } => {
                while open.len() > 1 && open.last().is_some_and(|(d, _)| *d >= depth) {
                    close(&mut open);
                }
                let mut node = described(&text);
                let elder = open.last().and_then(|(_, parent)| parent.get("Plans"));
                let relation = if elder.is_some() { "Inner" } else { "Outer" };
                if let Some(name) = title.take() {
                    node.insert("Parent Relationship".into(), json!("SubPlan"));
                    node.insert("Subplan Name".into(), json!(name));
                } else if !open.is_empty() {
                    node.insert("Parent Relationship".into(), json!(relation));
                }
                if shown.costs {
                    node.insert("Startup Cost".into(), json!(0.0));
                    node.insert("Total Cost".into(), json!((cost * 100.0).round() / 100.0));
                    node.insert("Plan Rows".into(), json!(rows.round() as u64));
                    node.insert("Plan Width".into(), json!(0));
                }
                if let Some(m) = actual {
                    let (first, all) = m.times_ms();
                    if shown.timing {
                        node.insert("Actual Startup Time".into(), json!(first));
                        node.insert("Actual Total Time".into(), json!(all));
                    }
                    node.insert("Actual Rows".into(), json!(m.per_loop(m.rows)));
                    node.insert("Actual Loops".into(), json!(m.loops));
                    m.used.put(shown.buffers, shown.wal, &mut node);
                }
                open.push((depth, node));
            }
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map_or(Value::Null, |(_, node)| Value::Object(node))
}

/// What says how a sample is drawn.
const SAMPLING: &str = "Sampling: ";

/// The same in its parts: `method (percentage) REPEATABLE (seed)`.
fn sampling(text: &str, node: &mut Map<String, Value>) {
    let (method, rest) = text.split_once(" (").unwrap_or((text, ""));
    let (percent, seed) = match rest.split_once(") REPEATABLE (") {
        Some((percent, seed)) => (percent, Some(seed)),
        None => (rest, None),
    };
    let inner = |text: &str| json!(text.strip_suffix(')').unwrap_or(text));
    node.insert("Sampling Method".into(), json!(method));
    let percent = if seed.is_some() { json!(percent) } else { inner(percent) };
    node.insert("Sampling Parameters".into(), json!([percent]));
    if let Some(seed) = seed {
        node.insert("Repeatable Seed".into(), inner(seed));
    }
}

/// Puts the node opened last among its parent's.
fn close(open: &mut Vec<(usize, Map<String, Value>)>) {
    let Some((_, node)) = open.pop() else { return };
    let Some((_, parent)) = open.last_mut() else { return };
    let plans = parent.entry("Plans").or_insert_with(|| json!([]));
    if let Some(plans) = plans.as_array_mut() {
        plans.push(Value::Object(node));
    }
}

/// What the first line of a node says, taken apart.
fn described(text: &str) -> Map<String, Value> {
    let mut node = Map::new();
    let (what, on) = match text.split_once(" on ") {
        Some((what, on)) => (what, Some(on)),
        None => (text, None),
    };
    let (what, index) = match what.split_once(" using ") {
        Some((what, index)) => (what, Some(index)),
        None => (what, None),
    };
    let (kind, rest) = match what.strip_suffix(" Join") {
        Some(join) => {
            let method = if join.starts_with("Hash") { "Hash" } else { "Nested Loop" };
            let kind = join.strip_prefix(method).unwrap_or("").trim();
            (if method == "Hash" { "Hash Join" } else { method }, Some(kind).filter(|k| !k.is_empty()))
        }
        None => (what, None),
    };
    let (kind, backward) = match kind.strip_suffix(" Backward") {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    let is_change = matches!(kind, "Insert" | "Update" | "Delete" | "Merge");
    let name = match kind {
        "HashAggregate" => "Aggregate",
        _ if is_change => "ModifyTable",
        other => other,
    };
    node.insert("Node Type".into(), json!(name));
    match kind {
        "HashAggregate" => _ = node.insert("Strategy".into(), json!("Hashed")),
        "Aggregate" => _ = node.insert("Strategy".into(), json!("Plain")),
        _ if is_change => _ = node.insert("Operation".into(), json!(kind)),
        "Hash Join" | "Nested Loop" => _ = node.insert("Join Type".into(), json!(rest.unwrap_or("Inner"))),
        _ => {}
    }
    if let Some(index) = index {
        node.insert("Scan Direction".into(), json!(if backward { "Backward" } else { "Forward" }));
        node.insert("Index Name".into(), json!(index));
    }
    if let Some(on) = on {
        let (relation, alias) = on.split_once(' ').unwrap_or((on, on));
        node.insert("Relation Name".into(), json!(relation));
        node.insert("Alias".into(), json!(alias));
    }
    node
}

fn collected(plan: &Plan, shown: &Shown<'_>, format: &FormatOptions) -> Vec<Line> {
    let mut p = Printer {
        out: Vec::new(),
        measured: shown.measured,
        format,
        plan,
        names: HashMap::new(),
        filters: Vec::new(),
        above: None,
        is_typed: false,
    };
    p.kind(&plan.kind, 0, "");
    // What became a join, or is read where it stands, is not there any more.
    let is_there = |q: &&Query| !matches!(q.root.op, Op::Nothing) || q.width > 0;
    for (n, q) in plan.subplans.iter().enumerate().filter(|(_, q)| is_there(q)) {
        p.out.push(Line::Title(format!("SubPlan {}", n + 1)));
        p.query(q, 1, "->  ");
    }
    for c in plan.ctes.iter().filter(|c| c.change.is_some() || is_there(&&c.query)) {
        p.out.push(Line::Title(format!("CTE {}", quote_ident(&c.name))));
        if let Some(change) = &c.change {
            p.kind(change, 1, "->  ");
            continue;
        }
        let Some(step) = &c.step else {
            p.query(&c.query, 1, "->  ");
            continue;
        };
        let (cost, rows) = (c.query.root.cost + step.query.root.cost, c.query.root.rows * 10.0);
        let text = "Recursive Union".to_owned();
        p.out.push(Line::Node { depth: 1, arrow: "->  ", text, cost, rows, actual: None });
        p.query(&c.query, 2, "->  ");
        p.query(&step.query, 2, "->  ");
    }
    p.out
}

impl Printer<'_> {
    /// What a statement does, or a common table expression.
    fn kind(&mut self, kind: &PlanKind, depth: usize, arrow: &'static str) {
        match kind {
            PlanKind::Query(q) => self.query(q, depth, arrow),
            PlanKind::Insert(i) => {
                self.change("Insert", i.target, 0.0, (depth, arrow));
                match &i.source {
                    super::InsertSource::Query(q, _) => self.query(q, depth + 1, "->  "),
                    super::InsertSource::Rows(rows) => {
                        let name = if rows.len() == 1 { "Result" } else { "Values Scan on \"*VALUES*\"" };
                        let (text, rows) = (name.to_owned(), rows.len() as f64);
                        self.out.push(Line::Node {
                            depth: depth + 1,
                            arrow: "->  ",
                            text,
                            cost: 0.01,
                            rows,
                            actual: None,
                        });
                    }
                }
            }
            PlanKind::Update(u) => {
                self.change("Update", u.target, u.rows.input.cost, (depth, arrow));
                self.node(&u.rows.input, depth + 1, "->  ");
            }
            PlanKind::Merge(m) => {
                self.change("Merge", m.target, m.rows.input.cost, (depth, arrow));
                self.node(&m.rows.input, depth + 1, "->  ");
            }
            PlanKind::Delete(d) => {
                self.change("Delete", d.target, d.rows.input.cost, (depth, arrow));
                self.node(&d.rows.input, depth + 1, "->  ");
            }
        }
    }

    fn change(&mut self, verb: &str, target: usize, cost: f64, (depth, arrow): (usize, &'static str)) {
        let name = self.plan.targets.get(target).map_or("?", |t| &t.table.name);
        let text = format!("{verb} on {}", quote_ident(name));
        let actual = self.measured.and_then(|m| m.get(&CHANGE).copied()).filter(|_| depth == 0);
        self.out.push(Line::Node { depth, arrow, text, cost, rows: 0.0, actual });
    }

    /// A node without details of its own.
    fn leaf(&mut self, depth: usize, arrow: &'static str, text: &str, node: &Node) {
        self.line(depth, arrow, text, node);
        self.pending_filters(depth);
    }

    fn line(&mut self, depth: usize, arrow: &'static str, text: &str, node: &Node) {
        let key = self.above.take().unwrap_or_else(|| key_of(node));
        let actual = self.measured.map(|m| m.get(&key).copied().unwrap_or_default());
        let (text, cost, rows) = (text.to_owned(), node.cost, node.rows.max(1.0));
        self.out.push(Line::Node { depth, arrow, text, cost, rows, actual });
    }

    /// The filters that belong to the node just printed.
    fn pending_filters(&mut self, depth: usize) {
        for f in std::mem::take(&mut self.filters).into_iter().rev() {
            self.detail(depth, "Filter: ", f);
        }
    }

    /// What the places of an aggregation's row are called.
    fn aggregate_names(&mut self, a: &super::Aggregate) -> HashMap<usize, String> {
        let outside = std::mem::take(&mut self.names);
        self.learn(&a.input);
        let mut names: HashMap<usize, String> =
            a.keys.iter().enumerate().map(|(n, k)| (n, self.expr(k))).collect();
        let of_keys = names.clone();
        for (n, c) in a.calls.iter().enumerate() {
            if c.within.is_some() {
                let order: Vec<String> = c.order.iter().map(|k| self.key(k)).collect();
                let inside = std::mem::replace(&mut self.names, of_keys.clone());
                let direct = self.list(c.direct());
                self.names = inside;
                let text = format!("{}({direct}) WITHIN GROUP (ORDER BY {})", c.f.name, order.join(", "));
                names.insert(a.keys.len() + n, text);
                continue;
            }
            let args =
                if c.args.is_empty() { "*".to_owned() } else { self.list(&c.args[..c.arg_types.len()]) };
            let distinct = if c.distinct { "DISTINCT " } else { "" };
            names.insert(a.keys.len() + n, format!("{}({distinct}{args})", c.f.name));
        }
        self.names = outside;
        names
    }

    fn detail(&mut self, depth: usize, label: &'static str, text: String) {
        self.out.push(Line::Detail { depth, label, text });
    }

    fn query(&mut self, q: &Query, depth: usize, arrow: &'static str) {
        let outside = std::mem::take(&mut self.names);
        self.node(&q.root, depth, arrow);
        self.names = outside;
    }

    fn node(&mut self, node: &Node, depth: usize, arrow: &'static str) {
        if self.names.is_empty() {
            self.learn(node);
        }
        match &node.op {
            // Projections are part of the node below in PostgreSQL's plans.
            Op::Project { input, sets, .. } if sets.is_empty() => {
                self.above.get_or_insert(key_of(node));
                self.names.clear();
                self.node(input, depth, arrow);
            }
            Op::Project { input, .. } => {
                self.line(depth, arrow, "ProjectSet", node);
                self.names.clear();
                self.node(input, depth + 1, "->  ");
            }
            Op::Filter { input, condition } => {
                let names =
                    if let Op::Aggregate(a) = &input.op { self.aggregate_names(a) } else { HashMap::new() };
                let outside = std::mem::take(&mut self.names);
                self.names = if names.is_empty() { outside.clone() } else { names };
                let text = self.expr(condition);
                self.names = outside;
                self.filters.push(text);
                self.above.get_or_insert(key_of(node));
                self.node(input, depth, arrow);
            }
            Op::Single => self.leaf(depth, arrow, "Result", node),
            Op::Nothing => self.leaf(depth, arrow, "Result (no rows)", node),
            Op::Values { .. } => self.leaf(depth, arrow, "Values Scan on \"*VALUES*\"", node),
            Op::Scan(s) => {
                self.scan(s, node, depth, arrow);
                self.pending_filters(depth);
            }
            Op::Virtual { table, .. } => {
                self.leaf(depth, arrow, &format!("Seq Scan on {}", table.name), node)
            }
            Op::Function { function, .. } => {
                let function = match function {
                    SetFunction::Spread(of, _) | SetFunction::Defined { of, .. } => of,
                    function => function,
                };
                let name = match function {
                    SetFunction::Series { .. } | SetFunction::TimeSeries { .. } => "generate_series",
                    SetFunction::Unnest(_) => "unnest",
                    SetFunction::Rows { f, .. } => f.name,
                    SetFunction::Ancestors(_) => "pg_partition_ancestors",
                    SetFunction::Scalar(Expr::Call(f, _)) => f.name,
                    SetFunction::Records { name, .. } => name,
                    SetFunction::Together(..) => "rows",
                    SetFunction::JsonTable(_) => "\"json_table\"",
                    SetFunction::Scalar(_) | SetFunction::Spread(..) | SetFunction::Defined { .. } => {
                        "expression"
                    }
                };
                let is_table = matches!(function, SetFunction::JsonTable(_));
                let what = if is_table { "Table Function Scan" } else { "Function Scan" };
                self.leaf(depth, arrow, &format!("{what} on {name}"), node);
            }
            Op::Subquery { query, name, .. } => {
                self.leaf(depth, arrow, &format!("Subquery Scan on {}", quote_ident(name)), node);
                self.query(query, depth + 1, "->  ");
            }
            Op::Cte { name, reading, .. } => {
                let what = if *reading == CteReading::Work { "WorkTable" } else { "CTE" };
                self.leaf(depth, arrow, &format!("{what} Scan on {name}"), node);
            }
            Op::NestedLoop(j) => {
                let name = match j.kind {
                    JoinKind::Inner => "Nested Loop",
                    JoinKind::Left => "Nested Loop Left Join",
                    JoinKind::Full => "Nested Loop Full Join",
                    JoinKind::Semi => "Nested Loop Semi Join",
                    JoinKind::Anti => "Nested Loop Anti Join",
                };
                self.line(depth, arrow, name, node);
                if let Some(c) = &j.condition {
                    let text = self.expr(c);
                    self.detail(depth, "Join Filter: ", text);
                }
                self.pending_filters(depth);
                self.node(&j.outer, depth + 1, "->  ");
                self.node(&j.inner, depth + 1, "->  ");
            }
            Op::HashJoin(j) => {
                let name = match (j.kind, j.keeps_outer) {
                    (JoinKind::Inner, _) => "Hash Join",
                    (JoinKind::Left, false) => "Hash Left Join",
                    (JoinKind::Left, true) => "Hash Right Join",
                    (JoinKind::Full, _) => "Hash Full Join",
                    (JoinKind::Semi, false) => "Hash Semi Join",
                    (JoinKind::Semi, true) => "Hash Right Semi Join",
                    (JoinKind::Anti, false) => "Hash Anti Join",
                    (JoinKind::Anti, true) => "Hash Right Anti Join",
                };
                self.line(depth, arrow, name, node);
                let ((kept, kept_keys, _), (streamed, streamed_keys, _)) = j.sides();
                let pairs: Vec<String> = streamed_keys
                    .iter()
                    .zip(kept_keys)
                    .map(|(o, i)| format!("({} = {})", self.expr(o), self.expr(i)))
                    .collect();
                let joined =
                    if pairs.len() == 1 { pairs.concat() } else { format!("({})", pairs.join(" AND ")) };
                self.detail(depth, "Hash Cond: ", joined);
                if let Some(c) = &j.condition {
                    let text = self.expr(c);
                    self.detail(depth, "Join Filter: ", text);
                }
                self.pending_filters(depth);
                self.node(streamed, depth + 1, "->  ");
                self.line(depth + 1, "->  ", "Hash", kept);
                self.node(kept, depth + 2, "->  ");
            }
            Op::Materialize { input, .. } => {
                self.leaf(depth, arrow, "Materialize", node);
                self.node(input, depth + 1, "->  ");
            }
            Op::Aggregate(a) => {
                let name = match &**a {
                    Aggregate { plain: true, .. } => "Aggregate",
                    Aggregate { comes_together: true, .. } => "GroupAggregate",
                    _ => "HashAggregate",
                };
                self.line(depth, arrow, name, node);
                self.names.clear();
                self.learn(&a.input);
                let keys: Vec<String> = a.keys.iter().map(|k| self.expr(k)).collect();
                if !a.plain && a.sets.is_empty() {
                    self.detail(depth, "Group Key: ", keys.join(", "));
                }
                for set in &a.sets {
                    let own: Vec<&str> = set.iter().map(|n| keys[*n].as_str()).collect();
                    let label = if own.is_empty() { "Group Key: " } else { "Hash Key: " };
                    self.detail(depth, label, if own.is_empty() { "()".into() } else { own.join(", ") });
                }
                self.pending_filters(depth);
                self.node(&a.input, depth + 1, "->  ");
            }
            Op::Window(w) => {
                self.line(depth, arrow, "WindowAgg", node);
                let text = self.window(w);
                self.detail(depth, "Window: ", text);
                if let Some(text) = self.run_condition(w) {
                    self.detail(depth, "Run Condition: ", text);
                }
                self.pending_filters(depth);
                self.node(&w.input, depth + 1, "->  ");
            }
            Op::Sort(s) => {
                let name = if s.presorted > 0 { "Incremental Sort" } else { "Sort" };
                self.line(depth, arrow, name, node);
                let keys: Vec<String> = s.keys.iter().map(|k| self.key(k)).collect();
                self.detail(depth, "Sort Key: ", keys.join(", "));
                if s.presorted > 0 {
                    let by = s.keys[..s.presorted].iter().map(|k| self.expr(k.expr.bare()));
                    let by = by.collect::<Vec<_>>().join(", ");
                    self.detail(depth, "Presorted Key: ", by);
                }
                self.pending_filters(depth);
                self.node(&s.input, depth + 1, "->  ");
            }
            Op::Distinct(d) => {
                self.leaf(depth, arrow, if d.sorted { "Unique" } else { "HashAggregate" }, node);
                self.node(&d.input, depth + 1, "->  ");
            }
            Op::Limit { input, .. } => {
                self.leaf(depth, arrow, "Limit", node);
                self.node(input, depth + 1, "->  ");
            }
            Op::Lock(l) => {
                self.leaf(depth, arrow, "LockRows", node);
                self.node(&l.input, depth + 1, "->  ");
            }
            Op::SetOperation { op, all, left, right, .. } => {
                let name = match (op, all) {
                    (SetOp::Union, _) => "Append",
                    (SetOp::Intersect, true) => "HashSetOp Intersect All",
                    (SetOp::Intersect, false) => "HashSetOp Intersect",
                    (SetOp::Except, true) => "HashSetOp Except All",
                    (SetOp::Except, false) => "HashSetOp Except",
                };
                self.leaf(depth, arrow, name, node);
                self.query(left, depth + 1, "->  ");
                self.query(right, depth + 1, "->  ");
            }
        }
    }

    fn scan(&mut self, s: &Scan, node: &Node, depth: usize, arrow: &'static str) {
        let mut on = quote_ident(&s.table.name);
        if s.alias != s.table.name {
            on.push(' ');
            on.push_str(&quote_ident(&s.alias));
        }
        let backward = if s.backward { " Backward" } else { "" };
        match &s.access {
            Access::All => self.line(depth, arrow, &format!("Seq Scan{backward} on {on}"), node),
            Access::Current(cursor) => {
                self.line(depth, arrow, &format!("Tid Scan on {on}"), node);
                self.detail(depth, "TID Cond: ", format!("CURRENT OF {}", quote_ident(cursor)));
            }
            Access::Sample(sample) => {
                self.line(depth, arrow, &format!("Sample Scan on {on}"), node);
                let mut text = format!("{} ({})", sample.method.name(), self.expr(&sample.percent));
                if let Some(seed) = &sample.seed {
                    text += &format!(" REPEATABLE ({})", self.expr(seed));
                }
                self.detail(depth, SAMPLING, text);
            }
            Access::Any { branches } => {
                self.line(depth, arrow, &format!("Bitmap Heap Scan on {on}"), node);
                self.pending_condition(s, depth);
                self.detail(depth, "->  ", "BitmapOr".into());
                for b in branches {
                    let name = quote_ident(&b.index.name);
                    self.detail(depth + 1, "->  Bitmap Index Scan on ", name);
                    let text = self.index_conditions(s, &b.index, &b.keys, None, b.bounds.as_ref());
                    self.detail(depth + 2, "Index Cond: ", text);
                }
                return;
            }
            Access::Inverted { index, asks } => {
                self.line(depth, arrow, &format!("Bitmap Heap Scan on {on}"), node);
                self.pending_condition(s, depth);
                self.detail(depth, "->  Bitmap Index Scan on ", quote_ident(&index.name));
                let asks: Vec<String> = asks
                    .iter()
                    .map(|a| {
                        let value = self.expr(&a.value);
                        let column = match index.expression(a.column) {
                            Some(e) => e.text.clone(),
                            None => index.key_text(&s.table, a.column),
                        };
                        format!("({column} {} {value})", a.operator)
                    })
                    .collect();
                let text = if asks.len() == 1 { asks.concat() } else { format!("({})", asks.join(" AND ")) };
                self.detail(depth + 1, "Index Cond: ", text);
                return;
            }
            Access::Point { index, keys }
            | Access::Range { index, keys, .. }
            | Access::Multi { index, keys, .. } => {
                let only = if s.from_key.is_some() { " Only" } else { "" };
                let name = quote_ident(&index.name);
                self.line(depth, arrow, &format!("Index{only} Scan{backward} using {name} on {on}"), node);
                let (list, bounds) = match &s.access {
                    Access::Multi { list_at, list, .. } => (Some((*list_at, list)), None),
                    Access::Range { bounds, .. } => (None, bounds.as_ref()),
                    _ => (None, None),
                };
                let text = self.index_conditions(s, index, keys, list, bounds);
                if !text.is_empty() {
                    self.detail(depth, "Index Cond: ", text);
                }
            }
        }
        self.pending_condition(s, depth);
        if s.from_key.is_some() && self.measured.is_some() {
            // Entries have versions of their own: no row is ever looked at to see whether it is there.
            self.detail(depth, "Heap Fetches: ", "0".into());
        }
    }

    /// A scan's own filter.
    fn pending_condition(&mut self, s: &Scan, depth: usize) {
        if let Some(f) = &s.filter {
            let text = self.expr(f);
            self.detail(depth, "Filter: ", text);
        }
    }

    /// What an index is asked for.
    fn index_conditions(
        &self,
        s: &Scan,
        index: &crate::catalog::Index,
        keys: &[KeyPart],
        list: Option<(usize, &KeyList)>,
        bounds: Option<&Bounds>,
    ) -> String {
        let column = |n: usize| match index.expression(n) {
            Some(e) => e.text.clone(),
            None => index.key_text(&s.table, n),
        };
        let mut conditions = Vec::new();
        for (n, k) in keys.iter().enumerate() {
            let name = column(n);
            conditions.push(match list {
                Some((at, list)) if at == n => match list {
                    KeyList::Exprs(items) => format!("({name} = ANY (ARRAY[{}]))", self.list(items)),
                    KeyList::Array(e) => format!("({name} = ANY ({}))", self.expr(e)),
                },
                _ if k.is_null => format!("({name} IS NULL)"),
                _ => format!("({name} = {})", self.expr(&k.expr)),
            });
        }
        if let Some(Bounds { low, high }) = bounds {
            if low.is_empty() && high.is_empty() {
                conditions.push(format!("({} IS NOT NULL)", column(keys.len())));
            }
            let low = low.iter().map(|b| (b, ">", ">="));
            for (b, strict, loose) in low.chain(high.iter().map(|b| (b, "<", "<="))) {
                let op = if b.inclusive { loose } else { strict };
                let names: Vec<String> = (0..b.parts.len()).map(|n| column(keys.len() + n)).collect();
                let values: Vec<String> = b.parts.iter().map(|p| self.expr(&p.expr)).collect();
                conditions.push(match b.parts.len() {
                    1 => format!("({} {op} {})", names[0], values[0]),
                    _ => format!("(ROW({}) {op} ROW({}))", names.join(", "), values.join(", ")),
                });
            }
        }
        match conditions.len() {
            0 | 1 => conditions.concat(),
            _ => format!("({})", conditions.join(" AND ")),
        }
    }

    fn key(&self, k: &SortKey) -> String {
        let mut s = self.expr(k.expr.bare());
        if !k.collation.is_bytewise() && k.collation.oid != evenkeel_types::collation::DEFAULT_OID {
            s.push_str(" COLLATE ");
            s.push_str(&collation_text(k.collation));
        }
        if k.desc {
            s.push_str(" DESC");
        }
        if k.nulls_first != k.desc {
            s.push_str(if k.nulls_first { " NULLS FIRST" } else { " NULLS LAST" });
        }
        s
    }
}
