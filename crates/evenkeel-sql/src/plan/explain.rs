//! Plans as text and as JSON, in PostgreSQL's style.
//!
//! Must not know: the executor.

mod did;
mod expr;
mod levels;
mod lines;
mod measured;
mod names;
mod output;
mod subplans;
mod window;

pub use expr::sql_text;
pub use lines::{json, lines};
pub use measured::{CHANGE, Did, Measured, Measurements, Used, key_of, key_of_change};

use super::{
    Access, Aggregate, Bounds, CteReading, JoinKind, KeyList, KeyPart, Node, Op, Plan, PlanKind, Query,
    Ranges, Scan, SetFunction, SetOp, SortKey,
};
use crate::catalog::collation::collation_text;
use crate::catalog::{Catalog, Table};
use evenkeel_types::FormatOptions;
use evenkeel_types::quote_ident;
use levels::{Levels, VALUES, changing, function_name};
use lines::{Head, Line, On, SAMPLING};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

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
    /// What nodes give, and the schemas of what they read: VERBOSE.
    pub verbose: Option<&'a Catalog>,
}

/// Who has refused rows.
const BY_FILTER: &str = "Rows Removed by Filter";

struct Printer<'a> {
    out: Vec<Line>,
    measured: Option<&'a Measurements>,
    format: &'a FormatOptions,
    plan: &'a Plan,
    names: HashMap<usize, String>,
    /// Conditions of filters above, which PostgreSQL shows with the node below them, and the keys of those.
    filters: Vec<(String, usize)>,
    /// The topmost of the nodes that are shown as one with the next.
    above: Option<usize>,
    /// Constants are written with their types.
    is_typed: bool,
    /// VERBOSE.
    catalog: Option<&'a Catalog>,
    /// How many relations the statement has.
    relations: usize,
    /// Whether names of columns have those of their relations.
    is_prefixed: bool,
    /// Its subqueries.
    levels: Levels,
    /// The level whose first node is shown next.
    level: Option<usize>,
    /// What is computed above the node that is shown next, as a part of it: subqueries that it runs for its rows.
    waiting: Vec<usize>,
    /// Those that are shown already.
    shown: BTreeSet<usize>,
    /// What values are called that levels put aside.
    outers: HashMap<usize, String>,
    /// For VERBOSE: what the node that is shown next gives, as its select list says.
    given: Option<Vec<String>>,
    /// For VERBOSE: places of the row that something above reads.
    wanted: BTreeSet<usize>,
    /// The same, of what is below the node that is shown next.
    wanted_below: BTreeSet<usize>,
}

fn collected(plan: &Plan, shown: &Shown<'_>, format: &FormatOptions) -> Vec<Line> {
    let mut p = Printer::new(plan, format);
    p.measured = shown.measured;
    p.catalog = shown.verbose;
    p.relations = output::relations_of(plan);
    p.is_prefixed = shown.verbose.is_some() || p.relations > 1;
    p.levels = Levels::of(plan);
    p.kind(&plan.kind, 0, "");
    p.out
}

impl<'a> Printer<'a> {
    fn new(plan: &'a Plan, format: &'a FormatOptions) -> Printer<'a> {
        Printer {
            out: Vec::new(),
            measured: None,
            format,
            plan,
            names: HashMap::new(),
            filters: Vec::new(),
            above: None,
            is_typed: false,
            catalog: None,
            relations: 0,
            is_prefixed: false,
            levels: Levels::default(),
            level: None,
            waiting: Vec::new(),
            shown: BTreeSet::new(),
            outers: HashMap::new(),
            given: None,
            wanted: BTreeSet::new(),
            wanted_below: BTreeSet::new(),
        }
    }
}

impl Printer<'_> {
    /// What a statement does, or a common table expression.
    fn kind(&mut self, kind: &PlanKind, depth: usize, arrow: &'static str) {
        if let PlanKind::Query(q) = kind {
            return self.query(q, depth, arrow);
        }
        let from = self.out.len();
        self.note_change(kind);
        self.visited(kind, depth, arrow);
        let outside = self.names_of_change(kind);
        let own = self.note(changing(kind));
        self.names = outside;
        self.attach(from, depth, Some(key_of_change(kind)), own);
    }

    /// A change, and what it visits.
    fn visited(&mut self, kind: &PlanKind, depth: usize, arrow: &'static str) {
        let key = if depth == 0 { CHANGE } else { key_of_change(kind) };
        let did = self.measured.map(|all| all.get(key).unwrap_or_default().did);
        match kind {
            PlanKind::Query(_) => {}
            PlanKind::Insert(i) => {
                let alias = self.change("Insert", (kind, i.target), 0.0, (depth, arrow));
                if let Some(c) = &i.conflict {
                    self.conflict(c, (i.target, &alias), depth, did);
                }
                match &i.source {
                    super::InsertSource::Query(q, exprs) => {
                        self.give(exprs, &q.root);
                        self.query(q, depth + 1, "->  ");
                    }
                    super::InsertSource::Rows(rows) => {
                        let head = if rows.len() == 1 { Head::from("Result") } else { values(VALUES) };
                        let estimate = Some((0.01, rows.len() as f64));
                        let (from, own) = (self.out.len(), std::mem::take(&mut self.waiting));
                        self.out.push(Line::Node {
                            depth: depth + 1,
                            arrow: "->  ",
                            head,
                            estimate,
                            actual: None,
                        });
                        self.attach(from, depth + 1, None, own);
                    }
                }
            }
            PlanKind::Update(u) => {
                self.change("Update", (kind, u.target), u.rows.input.cost, (depth, arrow));
                self.node(&u.rows.input, depth + 1, "->  ");
            }
            PlanKind::Merge(m) => {
                self.change("Merge", (kind, m.target), m.rows.input.cost, (depth, arrow));
                if let Some(did) = did {
                    let rows = self.measured(&m.rows.input).map_or(0, |m| m.rows);
                    self.merged(depth, did, rows);
                }
                self.node(&m.rows.input, depth + 1, "->  ");
            }
            PlanKind::Delete(d) => {
                self.change("Delete", (kind, d.target), d.rows.input.cost, (depth, arrow));
                self.node(&d.rows.input, depth + 1, "->  ");
            }
        }
    }

    /// What a table is changed by; what that is called.
    fn change(
        &mut self,
        verb: &str,
        (kind, target): (&PlanKind, usize),
        cost: f64,
        (depth, arrow): (usize, &'static str),
    ) -> String {
        let table = self.plan.targets.get(target).map(|t| t.table.clone());
        let named = self.levels.target(kind).cloned();
        let alias = named.or(table.as_ref().map(|t| t.name.clone())).unwrap_or_default();
        let on = table.map(|t| self.table(&t, &alias));
        let head = Head { on, ..Head::from(verb) };
        let actual = self.measured.and_then(|m| m.get(CHANGE)).filter(|_| depth == 0).map(Box::new);
        self.out.push(Line::Node { depth, arrow, head, estimate: Some((cost, 0.0)), actual });
        alias
    }

    /// ON CONFLICT.
    fn conflict(
        &mut self,
        c: &super::OnConflict,
        (target, alias): (usize, &str),
        depth: usize,
        did: Option<Did>,
    ) {
        let resolution = if c.update.is_some() { "UPDATE" } else { "NOTHING" };
        self.detail(depth, "Conflict Resolution: ", resolution.into());
        let Some(table) = self.plan.targets.get(target).map(|t| &t.table) else { return };
        let arbiters = c.arbiters.iter().filter_map(|n| table.indexes.get(*n));
        let items: Vec<String> = arbiters.map(|i| quote_ident(&i.name)).collect();
        if !items.is_empty() {
            self.out.push(Line::List { depth, label: "Conflict Arbiter Indexes: ", items });
        }
        if let Some(condition) = c.update.as_ref().and_then(|u| u.condition.as_ref()) {
            let outside = std::mem::replace(&mut self.names, subplans::conflict_names(table, alias));
            let text = self.expr(condition);
            self.names = outside;
            self.detail(depth, "Conflict Filter: ", text);
            let removed = did.map(|did| (did.removed, Measured { loops: 1, ..Measured::default() }));
            self.removed(depth, "Rows Removed by Conflict Filter", removed);
        }
        if let Some(did) = did {
            self.conflicted(depth, did);
        }
    }

    /// A table that is read or changed.
    fn table(&self, table: &Table, alias: &str) -> On {
        On { schema: self.schema(table.schema), name: table.name.clone(), alias: alias.to_owned() }
    }

    /// The name of a schema, if it is shown.
    fn schema(&self, oid: u32) -> Option<String> {
        self.catalog?.schema(oid).map(|s| s.name.clone())
    }

    /// A node without details of its own.
    fn leaf(&mut self, depth: usize, arrow: &'static str, head: impl Into<Head>, node: &Node) {
        self.line(depth, arrow, head, node);
        self.pending_filters(depth);
    }

    fn line(&mut self, depth: usize, arrow: &'static str, head: impl Into<Head>, node: &Node) {
        let key = self.above.take().unwrap_or_else(|| key_of(node));
        let actual = self.measured.map(|m| Box::new(m.get(key).unwrap_or_default()));
        let (head, estimate) = (head.into(), Some((node.cost, node.rows.max(1.0))));
        self.out.push(Line::Node { depth, arrow, head, estimate, actual });
        if let Some(items) = self.output(node) {
            self.out.push(Line::List { depth, label: "Output: ", items });
        }
        self.want(node);
    }

    /// The filters that belong to the node just printed.
    fn pending_filters(&mut self, depth: usize) {
        let removed = self.filters_with(None, depth);
        self.removed(depth, BY_FILTER, removed);
    }

    /// The same, with one that the node has itself, and its key: how many rows they refused. PostgreSQL has one condition for all.
    fn filters_with(&mut self, own: Option<(String, usize)>, depth: usize) -> Option<(u64, Measured)> {
        let all: Vec<(String, usize)> =
            own.into_iter().chain(std::mem::take(&mut self.filters).into_iter().rev()).collect();
        let (_, first) = all.first()?;
        let first = self.measured_at(*first);
        let removed = all.iter().filter_map(|(_, key)| self.measured_at(*key)).map(|m| m.did.removed).sum();
        let texts: Vec<&str> = all.iter().map(|(text, _)| &**text).collect();
        let text = if texts.len() == 1 { texts.concat() } else { format!("({})", texts.join(" AND ")) };
        self.detail(depth, "Filter: ", text);
        first.map(|m| (removed, m))
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
        let (outside, wanted) = (std::mem::take(&mut self.names), self.want_first(q.visible));
        self.level = Some(key_of(&q.root));
        self.node(&q.root, depth, arrow);
        (self.names, self.wanted) = (outside, wanted);
    }

    fn node(&mut self, node: &Node, depth: usize, arrow: &'static str) {
        if self.names.is_empty() {
            self.learn(node);
        }
        match &node.op {
            // Projections are part of the node below in PostgreSQL's plans.
            Op::Project { input, exprs, sets, .. } if sets.is_empty() => {
                self.above.get_or_insert(key_of(node));
                self.give(exprs, input);
                self.note_over(exprs.iter().collect(), input);
                self.names.clear();
                self.node(input, depth, arrow);
            }
            Op::Filter { input, condition } => {
                let outside = match &input.op {
                    Op::Aggregate(a) => {
                        let names = self.aggregate_names(a);
                        Some(std::mem::replace(&mut self.names, names))
                    }
                    _ => None,
                };
                let own = self.note(vec![condition]);
                self.waiting.extend(own);
                let swapped = self.enter_scan(input);
                let text = self.expr(condition);
                self.leave_scan(swapped);
                self.names = outside.unwrap_or_else(|| std::mem::take(&mut self.names));
                self.filters.push((text, key_of(node)));
                self.above.get_or_insert(key_of(node));
                self.want_below(condition);
                self.node(input, depth, arrow);
            }
            _ => {
                let (from, level) = (self.out.len(), self.level.take());
                let mut own = std::mem::take(&mut self.waiting);
                own.extend(self.note_node(node));
                self.printed(node, depth, arrow);
                self.attach(from, depth, level, own);
            }
        }
    }

    /// A node that has lines of its own, and all below it.
    fn printed(&mut self, node: &Node, depth: usize, arrow: &'static str) {
        match &node.op {
            Op::Filter { .. } => {}
            Op::Project { input, .. } => {
                self.line(depth, arrow, "ProjectSet", node);
                self.names.clear();
                self.node(input, depth + 1, "->  ");
            }
            Op::Single => self.leaf(depth, arrow, "Result", node),
            Op::Nothing => {
                self.line(depth, arrow, "Result", node);
                self.detail(depth, "One-Time Filter: ", "false".into());
                self.pending_filters(depth);
            }
            Op::Values { .. } => self.leaf(depth, arrow, values(&self.alias(node)), node),
            Op::Scan(s) => {
                let swapped = self.enter_scan(node);
                self.scan(s, node, depth, arrow);
                self.leave_scan(swapped);
            }
            Op::Virtual { table, .. } => {
                let alias = self.alias(node);
                let on = On { schema: self.schema(table.schema), name: table.name.to_owned(), alias };
                self.leaf(depth, arrow, Head::on("Seq Scan", on), node)
            }
            Op::Function { function, .. } => {
                let function = match function {
                    SetFunction::Spread(of, _) | SetFunction::Defined { of, .. } => of,
                    function => function,
                };
                let name = function_name(function);
                let is_table = matches!(function, SetFunction::JsonTable(_));
                let what = if is_table { "Table Function Scan" } else { "Function Scan" };
                let alias = self.alias(node);
                let schema = self.catalog.filter(|_| !is_table).map(|_| "pg_catalog".to_owned());
                let on = On { schema, name: name.to_owned(), alias };
                self.line(depth, arrow, Head::on(what, on), node);
                if self.catalog.is_some() && !is_table {
                    let args: Vec<String> = function.exprs().into_iter().map(|e| self.expr(e)).collect();
                    self.detail(depth, "Function Call: ", format!("{name}({})", args.join(", ")));
                }
                self.pending_filters(depth);
            }
            Op::Subquery { query, .. } => {
                let alias = self.alias(node);
                let on = On { schema: None, name: alias.clone(), alias };
                self.leaf(depth, arrow, Head::on("Subquery Scan", on), node);
                self.query(query, depth + 1, "->  ");
            }
            Op::Cte { name, reading, .. } => {
                let what = if *reading == CteReading::Work { "WorkTable Scan" } else { "CTE Scan" };
                let on = On { schema: None, name: name.clone(), alias: self.alias(node) };
                self.leaf(depth, arrow, Head::on(what, on), node);
                self.stored(depth, node);
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
                    self.removed_by_join(depth, node);
                }
                self.pending_filters(depth);
                let wanted = self.wanted.clone();
                self.node(&j.outer, depth + 1, "->  ");
                self.wanted = wanted;
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
                    self.removed_by_join(depth, node);
                }
                self.pending_filters(depth);
                let wanted = self.wanted.clone();
                self.node(streamed, depth + 1, "->  ");
                self.wanted.clone_from(&wanted);
                self.line(depth + 1, "->  ", "Hash", kept);
                self.hashed(depth + 1, node);
                self.wanted = wanted;
                self.node(kept, depth + 2, "->  ");
            }
            Op::Materialize { input, .. } => {
                self.leaf(depth, arrow, "Materialize", node);
                self.stored(depth, node);
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
                    self.out.push(Line::List { depth, label: "Group Key: ", items: keys.clone() });
                }
                for set in &a.sets {
                    let own: Vec<&str> = set.iter().map(|n| keys[*n].as_str()).collect();
                    let label = if own.is_empty() { "Group Key: " } else { "Hash Key: " };
                    self.detail(depth, label, if own.is_empty() { "()".into() } else { own.join(", ") });
                }
                let removed = self.filters_with(None, depth);
                if !a.plain && !a.comes_together {
                    self.grouped(depth, node);
                }
                self.removed(depth, BY_FILTER, removed);
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
                self.stored(depth, node);
                self.node(&w.input, depth + 1, "->  ");
            }
            Op::Sort(s) => {
                let name = if s.presorted > 0 { "Incremental Sort" } else { "Sort" };
                self.line(depth, arrow, name, node);
                let items: Vec<String> = s.keys.iter().map(|k| self.key(k)).collect();
                self.out.push(Line::List { depth, label: "Sort Key: ", items });
                if s.presorted > 0 {
                    let by = s.keys[..s.presorted].iter();
                    let by = by.map(|k| names::computed_below(self.expr(k.expr.bare())));
                    let items = by.collect();
                    self.out.push(Line::List { depth, label: "Presorted Key: ", items });
                }
                self.sorted(depth, node, s.presorted > 0);
                self.pending_filters(depth);
                self.node(&s.input, depth + 1, "->  ");
            }
            Op::Distinct(d) => {
                self.leaf(depth, arrow, if d.sorted { "Unique" } else { "HashAggregate" }, node);
                if !d.sorted {
                    let names = self.given_names(&d.input);
                    let outside = std::mem::replace(&mut self.names, names);
                    let items = d.keys.iter().map(|k| self.expr(k)).collect();
                    self.names = outside;
                    self.out.push(Line::List { depth, label: "Group Key: ", items });
                    self.grouped(depth, node);
                }
                self.node(&d.input, depth + 1, "->  ");
            }
            Op::Limit { input, .. } => {
                // It hands on what it gets.
                let given = self.given.clone();
                self.leaf(depth, arrow, "Limit", node);
                self.given = given;
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
                if *op == SetOp::Union {
                    self.did(depth, None, vec![("Subplans Removed", 0.into())]);
                }
                self.query(left, depth + 1, "->  ");
                self.query(right, depth + 1, "->  ");
            }
        }
    }

    fn scan(&mut self, s: &Scan, node: &Node, depth: usize, arrow: &'static str) {
        let alias = self.alias(node);
        let on = self.table(&s.table, &alias);
        let backward = if s.backward { " Backward" } else { "" };
        match &s.access {
            Access::All => self.line(depth, arrow, Head::on(&format!("Seq Scan{backward}"), on), node),
            Access::Current(cursor) => {
                self.line(depth, arrow, Head::on("Tid Scan", on), node);
                self.detail(depth, "TID Cond: ", format!("CURRENT OF {}", quote_ident(cursor)));
            }
            Access::Sample(sample) => {
                self.line(depth, arrow, Head::on("Sample Scan", on), node);
                let mut text = format!("{} ({})", sample.method.name(), self.expr(&sample.percent));
                if let Some(seed) = &sample.seed {
                    text += &format!(" REPEATABLE ({})", self.expr(seed));
                }
                self.detail(depth, SAMPLING, text);
            }
            Access::Any { branches } => {
                self.line(depth, arrow, Head::on("Bitmap Heap Scan", on), node);
                self.pending_condition(s, node, depth);
                self.below(depth + 1, "BitmapOr".into());
                for b in branches {
                    self.below(depth + 2, bitmap_of(&b.index));
                    let text = self.index_conditions((s, &alias), b);
                    self.detail(depth + 2, "Index Cond: ", text);
                }
                return;
            }
            Access::Inverted { index, asks } => {
                self.line(depth, arrow, Head::on("Bitmap Heap Scan", on), node);
                self.pending_condition(s, node, depth);
                self.below(depth + 1, bitmap_of(index));
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
                self.searches(depth + 1, node);
                return;
            }
            Access::Point { .. } | Access::Range { .. } | Access::Multi { .. } | Access::Union { .. } => {
                let only = if s.from_key.is_some() { " Only" } else { "" };
                let index_name = s.access.index().map(|i| i.name.clone());
                let kind = format!("Index{only} Scan{backward}");
                self.line(depth, arrow, Head { kind, index: index_name, on: Some(on) }, node);
                let one = |index: &Arc<crate::catalog::Index>, keys: &[KeyPart], bounds: Option<&Bounds>| {
                    let (index, keys, bounds) = (index.clone(), keys.into(), bounds.cloned());
                    self.index_conditions((s, &alias), &Ranges { index, keys, lists: Box::default(), bounds })
                };
                let text = match &s.access {
                    Access::Multi { ranges, .. } => self.index_conditions((s, &alias), ranges),
                    Access::Union { branches } => {
                        let each = branches.iter().map(|b| self.index_conditions((s, &alias), b));
                        format!("({})", each.collect::<Vec<_>>().join(" OR "))
                    }
                    Access::Range { index, keys, bounds } => one(index, keys, bounds.as_ref()),
                    Access::Point { index, keys } => one(index, keys, None),
                    _ => String::new(),
                };
                if !text.is_empty() {
                    self.detail(depth, "Index Cond: ", text);
                }
            }
        }
        self.pending_condition(s, node, depth);
        if s.from_key.is_some() && self.measured.is_some() {
            // Entries have versions of their own: no row is ever looked at to see whether it is there.
            self.did(depth, Some("Heap Fetches: 0".into()), vec![("Heap Fetches", 0.into())]);
        }
        if s.access.index().is_some() {
            self.searches(depth, node);
        }
    }

    /// A scan's own filter, and those above it.
    fn pending_condition(&mut self, s: &Scan, node: &Node, depth: usize) {
        let own = s.filter.as_ref().map(|f| (self.expr(f), key_of(node)));
        let removed = self.filters_with(own, depth);
        self.removed(depth, BY_FILTER, removed);
    }

    /// A part of the node just printed, which has no estimates and is not measured.
    fn below(&mut self, depth: usize, head: Head) {
        self.out.push(Line::Node { depth, arrow: "->  ", head, estimate: None, actual: None });
    }

    /// What an index is asked for.
    fn index_conditions(
        &self,
        (s, alias): (&Scan, &str),
        Ranges { index, keys, lists, bounds }: &Ranges,
    ) -> String {
        let column = |n: usize| match index.expression(n) {
            Some(e) => e.text.clone(),
            None if self.catalog.is_some() => {
                format!("{}.{}", quote_ident(alias), index.key_text(&s.table, n))
            }
            None => index.key_text(&s.table, n),
        };
        let mut conditions = Vec::new();
        for (n, k) in keys.iter().enumerate() {
            let name = column(n);
            let list = lists.iter().find(|(at, _)| *at == n);
            if let Some((_, KeyList::Each(bounds))) = list {
                bounds.iter().for_each(|b| self.bound_conditions(b, n, &column, &mut conditions));
                continue;
            }
            conditions.push(match list {
                Some((_, KeyList::Exprs(items))) => {
                    format!("({name} = ANY ({}))", self.values_of_list(items))
                }
                Some((_, KeyList::Array(e))) => format!("({name} = ANY ({}))", self.expr(e)),
                _ if k.is_null => format!("({name} IS NULL)"),
                _ => format!("({name} = {})", self.expr(&k.expr)),
            });
        }
        if let Some(bounds) = bounds {
            self.bound_conditions(bounds, keys.len(), &column, &mut conditions);
        }
        match conditions.len() {
            0 | 1 => conditions.concat(),
            _ => format!("({})", conditions.join(" AND ")),
        }
    }

    /// Bounds of the columns from `at` on.
    fn bound_conditions(
        &self,
        Bounds { low, high }: &Bounds,
        at: usize,
        column: &dyn Fn(usize) -> String,
        conditions: &mut Vec<String>,
    ) {
        if low.is_empty() && high.is_empty() {
            conditions.push(format!("({} IS NOT NULL)", column(at)));
        }
        let low = low.iter().map(|b| (b, ">", ">="));
        for (b, strict, loose) in low.chain(high.iter().map(|b| (b, "<", "<="))) {
            let op = if b.inclusive { loose } else { strict };
            let names: Vec<String> = (0..b.parts.len()).map(|n| column(at + n)).collect();
            let values: Vec<String> = b.parts.iter().map(|p| self.expr(&p.expr)).collect();
            conditions.push(match b.parts.len() {
                1 => format!("({} {op} {})", names[0], values[0]),
                _ => format!("(ROW({}) {op} ROW({}))", names.join(", "), values.join(", ")),
            });
        }
    }

    fn key(&self, k: &SortKey) -> String {
        let mut s = names::computed_below(self.expr(k.expr.bare()));
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

fn bitmap_of(index: &crate::catalog::Index) -> Head {
    Head { index: Some(index.name.clone()), ..Head::from("Bitmap Index Scan") }
}

fn values(alias: &str) -> Head {
    Head::on("Values Scan", On { schema: None, name: alias.into(), alias: alias.into() })
}
